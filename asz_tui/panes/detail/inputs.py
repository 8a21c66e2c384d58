"""A call's input for reading: an object as fields, an edit as one diff, anything else as it stands.

Short fields come first, one a line; long ones and those of several lines follow as blocks, their escapes decoded. A misread would
be worse than raw text, so only what is an object for certain is taken apart.

Cost: linear in the text; a diff of more than `_DIFF_LINES` line pairs is not computed, both sides are shown whole instead.
"""

from __future__ import annotations

import difflib
from dataclasses import replace

from ...lines.text_rows import Block
from ...text.cells import width
from ...text.safe import visible
from .items import Facts, Item, dim, safe
from .jsontext import Member, elements, json_block, members
from .markdown import markdown

_SHORT = 80
_DIFF_LINES = 4_000_000
_CODE_KEYS = frozenset(
    {
        "command", "content", "script", "code", "old_string", "new_string", "new_source", "cell_source", "patch", "diff", "input",
        "args",
    }
)  # fmt: skip
"""Keys whose blanks count: broken where the row is full, never at words."""
_MESSAGE_KEYS = frozenset({"prompt", "plan"})
"""Keys that hold a message to an agent or a person, laid out as one."""


def input_items(text: str) -> list[Item]:
    """Draw an input."""
    found = members(text)
    if found is None:
        return [json_block(text) or Block(text, role="code", kind="code")]
    if not found:
        return [Block([("{}", "code"), ("  no fields", "dim")])]
    return field_items(found)


def field_items(found: list[Member], indent: int = 0) -> list[Item]:
    """Draw an object's members: the short ones, then the edit, then the long ones."""
    edit = _edit_of(found)
    facts, long = Facts(), []
    for member in found:
        if edit and member.key in edit:
            continue
        value = member.text()
        if value is None and _edits_of(member):
            long.append(member)
        elif value is None:
            spelt = member.spelt()
            if len(spelt) <= _SHORT and "\n" not in spelt:
                facts.add(safe(member.key), [(safe(spelt), "accent" if spelt[:1] not in "{[" else "code")])
            else:
                long.append(member)
        elif len(value) <= _SHORT and "\n" not in value and width(visible(value)) <= _SHORT:
            facts.add(safe(member.key), value or [('""', "dim")])
        else:
            long.append(member)
    items = facts.items(indent)
    if edit:
        items += _edit_items(edit["old_string"], edit["new_string"], indent)
    for member in long:
        items += _long_items(member, indent)
    return items


def _edit_of(found: list[Member]) -> dict[str, str] | None:
    """The two sides of an edit, when the object has both as texts."""
    sides = {member.key: text for member in found if member.key in _SIDES and (text := member.text()) is not None}
    return sides if len(sides) == 2 else None


_SIDES = ("old_string", "new_string")


def _edits_of(member: Member) -> list[list[Member]]:
    """The edits of a list that holds nothing else, else an empty list."""
    if b"old_string" not in member.raw:
        return []
    edits = [members(element) for element in elements(member.raw)]
    return [edit for edit in edits if edit] if all(edit is not None and _edit_of(edit) for edit in edits) else []


def _long_items(member: Member, indent: int) -> list[Item]:
    items: list[Item] = [Block([(safe(member.key), "key")], indent=indent)]
    text = member.text()
    if text is not None and member.key in _MESSAGE_KEYS:
        return [*items, *(replace(block, indent=block.indent + indent + 2) for block in markdown(text))]
    if text is not None:
        kind = "code" if member.key in _CODE_KEYS else "prose"
        return [*items, Block(text, role="code" if kind == "code" else "text", kind=kind, indent=indent + 2)]
    if edits := _edits_of(member):
        for number, edit in enumerate(edits, 1):
            items.append(dim(f"edit {number} of {len(edits)}", indent=indent + 2))
            items += field_items(edit, indent + 2)
        return items
    spelt = member.spelt()
    return [*items, json_block(spelt, indent=indent + 2) or Block(spelt, role="code", kind="code", indent=indent + 2)]


def _edit_items(old: str, new: str, indent: int) -> list[Item]:
    note = "new text only" if not old else "old text only" if not new else ""
    items: list[Item] = [Block([("old_string → new_string", "key"), (f"  {note}" if note else "", "dim")], indent=indent)]
    return [*items, Block(unified(old, new), kind="diff", role="code", indent=indent + 2)]


def unified(old: str, new: str) -> str:
    """Both texts as one diff with all of their lines, each behind its sign."""
    a, b = _diff_lines(old), _diff_lines(new)
    if len(a) * len(b) > _DIFF_LINES:
        return "\n".join([f"-{line}" for line in a] + [f"+{line}" for line in b])
    out: list[str] = []
    for tag, a0, a1, b0, b1 in difflib.SequenceMatcher(None, a, b).get_opcodes():
        if tag == "equal":
            out += [f" {line}" for line in a[a0:a1]]
        else:
            out += [f"-{line}" for line in a[a0:a1]]
            out += [f"+{line}" for line in b[b0:b1]]
    return "\n".join(out)


def _diff_lines(text: str) -> list[str]:
    """Lines made safe one by one, so that a lone carriage return is seen; a last line break shows as an empty line."""
    return [visible(line, multiline=True) for line in text.split("\n")] if text else []
