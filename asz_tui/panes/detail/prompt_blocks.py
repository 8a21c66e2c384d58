"""Messages, their blocks and the tools of a captured body, in the shapes that providers are sent.

Whatever has another shape than expected is shown as JSON, so that nothing is lost and nothing is guessed: a key that no line here
speaks of is named or laid out with the rest. LangChain's messages keep LangChain's own roles.

Cost: in proportion to the messages; of a long list the first `_SHOWN` are laid out unless all are asked for, and never more than
`_MOST`, as the body itself follows in the prompt. Keys of the rows that unfold are ``("more", …)``; see `items`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

import msgspec

from ...lines.line import Line, Span
from ...lines.text_rows import Block
from ...text.words import counted
from .items import Item, dim, heading, safe, size_words
from .jsontext import json_block

_SHOWN = 2_000
_MOST = 20_000

_BLOCK_WORDS = {
    "text": "text",
    "thinking": "thinking",
    "redacted_thinking": "thinking, redacted by the provider",
    "tool_use": "tool use",
    "server_tool_use": "tool use on the provider's side",
    "tool_result": "tool result",
}
_TEXT_OF = {"text": "text", "thinking": "thinking"}
_INJECTED = "<system-reminder>"
_PERSONS = frozenset({"user", "human", "HumanMessage", "HumanMessageChunk"})


def spelt(value: Any) -> str:
    """A decoded value as compact JSON."""
    return msgspec.json.encode(value).decode("utf-8", "replace")


def json_item(value: Any, indent: int = 2, key: Hashable = None) -> Item:
    """A decoded value as JSON to read."""
    text = spelt(value)
    block = json_block(text, indent=indent) or Block(text, role="code", kind="code", indent=indent)
    return block if key is None else replace(block, key=key)


def value_bytes(value: Any) -> str:
    """How large a value is, as compact JSON."""
    return size_words(len(msgspec.json.encode(value)))


def some(values: Sequence[Any], what: str, whole: bool) -> tuple[Iterable[tuple[int, Any]], list[Item]]:
    """The part of a list that is laid out, numbered from 1, and the row that stands for what is left out.

    Args:
        values: the list.
        what: its elements, in the plural.
        whole: lay out as many as can be.
    """
    most = _MOST if whole else _SHOWN
    left = len(values) - most
    rest: list[Item] = []
    if left > 0:
        words = f"{left:,} more {what}" + (", in the body below" if whole else "")
        rest.append(Block([(words, "dim" if whole else "accent")], indent=2, key=("more", what)))
    return islice(enumerate(values, 1), most), rest


# --- tools


def tool_items(tools: Any, whole: bool) -> list[Item]:
    """The tools that a request offers: their names and what they are for; their schemas when everything is asked for."""
    if not isinstance(tools, list) or not tools:
        return []
    names = [safe(_tool_name(tool)) for tool in tools[:3]]
    more = f", and {len(tools) - 3:,} more" if len(tools) > 3 else ""
    items = heading("tools", [(f" · {len(tools):,} · {', '.join(names)}{more}", "dim")])
    shown, rest = some(tools, "tools", whole)
    for number, tool in shown:
        items += _tool(tool, number, whole)
    return items + rest


def _function(tool: Any) -> dict[str, Any] | None:
    """The object that has a tool's name: the tool itself, or what it wraps."""
    if not isinstance(tool, dict):
        return None
    inner = tool.get("function")
    return inner if "name" not in tool and isinstance(inner, dict) else tool


def _tool_name(tool: Any) -> str:
    name = (_function(tool) or {}).get("name")
    return name if isinstance(name, str) and name else "no name"


def _tool(tool: Any, number: int, whole: bool) -> Iterator[Item]:
    function = _function(tool)
    if function is None:
        yield json_item(tool)
        return
    yield Block([(safe(_tool_name(tool)), "tool")], indent=2)
    said = function.get("description")
    description = said if isinstance(said, str) else ""
    first, _, more = description.strip().partition("\n")
    if first:
        yield Block(description if whole else first, role="dim", indent=4)
    apart = ("name", "description") if description or said is None else ("name",)
    rest = {key: value for key, value in function.items() if key not in apart}
    if function is not tool:
        rest |= {key: value for key, value in tool.items() if key != "function"}
    if whole:
        # The key of the row that was folded, so that the place in the pane is kept.
        yield from [json_item(rest, 4, ("more", f"tool {number}"))] if rest else ()
    elif rest or more:
        yield Block([(_folded(rest, more), "accent")], indent=4, key=("more", f"tool {number}"))


def _folded(rest: dict[str, Any], more: str) -> str:
    """What is folded away of a tool: lines of its description, and its schema with the arguments that it takes."""
    words = [f"{counted(more.count(chr(10)) + 1, 'more line')}"] if more else []
    schema = rest.get("input_schema") or rest.get("parameters")
    takes = schema.get("properties") if isinstance(schema, dict) else None
    if rest:
        names = f" of {', '.join(safe(str(name)) for name in islice(takes, 12))}" if isinstance(takes, dict) and takes else ""
        dots = ", …" if isinstance(takes, dict) and len(takes) > 12 else ""
        words.append(f"schema{names}{dots} · {value_bytes(rest)}")
    return " · ".join(words)


# --- messages


def message_items(message: Any, number: int, total: int, whole: bool) -> list[Item]:
    """One message: its role, its place, its blocks, and whatever else it says."""
    place = f"{number:,} of {total:,}"
    if not isinstance(message, dict):
        return [Line(), Block([("message", "key"), (f"  {place}", "dim")]), json_item(message)]
    role, said = _role(message), _said(message)
    look = "person" if role in _PERSONS else "answer"
    items: list[Item] = [Line(), Block([(safe(role), look), (f"  {place}", "dim")])]
    if "content" in said:
        items += content_items(said["content"], whole)
    told = ("role", "content") if "role" in message else ("type", "content")
    rest = {key: value for key, value in message.items() if key not in told}
    if said is not message:
        rest = {key: value for key, value in said.items() if key != "content" and value not in (None, "", [], {})}
    return [*items, *([json_item(rest)] if rest else [])]


def _said(message: dict[str, Any]) -> dict[str, Any]:
    """The object that has the content: the message, or the arguments of LangChain's constructor."""
    inner = message.get("kwargs")
    return inner if "content" not in message and message.get("lc") is not None and isinstance(inner, dict) else message


def _role(message: dict[str, Any]) -> str:
    """A message's role in the body's own word: LangChain names a type or, of a constructor, a class."""
    path = message.get("id")
    if message.get("lc") is not None and isinstance(path, list) and path and isinstance(path[-1], str):
        return path[-1]
    for name in ("role", "type"):
        if isinstance(message.get(name), str) and message[name]:
            return message[name]
    return "no role"


def content_items(content: Any, whole: bool) -> Iterator[Item]:
    """The blocks of a message or of the system prompt."""
    if isinstance(content, str):
        yield from _text_items(content, "text")
        return
    if not isinstance(content, list):
        yield json_item(content)
        return
    shown, rest = some(content, "blocks", whole)
    for _, block in shown:
        yield from _block(block, whole)
    yield from rest


def _text_items(text: str, words: str, note: str = "") -> Iterator[Item]:
    if words == "text" and text.lstrip().startswith(_INJECTED):
        words = "injected by the runtime"
    if words != "text" or note:
        yield Block([(words + note, "dim")], indent=2)
    yield Block(text, indent=2) if text else dim("empty", indent=2)


def _block(block: Any, whole: bool) -> Iterator[Item]:
    kind = block.get("type") if isinstance(block, dict) else None
    if not isinstance(kind, str) or kind not in _BLOCK_WORDS:
        yield json_item(block)
        return
    words = _BLOCK_WORDS[kind]
    if kind in ("tool_use", "server_tool_use"):
        name, use = (safe(str(block.get(key, ""))) for key in ("name", "id"))
        note = _beside(block, ("name", "id", "input"))
        yield Block([(f"{words}: ", "dim"), (name, "tool"), (f"  for {use}{note}", "dim")], indent=2)
        yield json_item(block.get("input"))
    elif kind == "tool_result":
        yield Block(_answered(block, words), indent=2)
        yield from content_items(block.get("content") or "", whole)
    elif kind in _TEXT_OF and isinstance(block.get(_TEXT_OF[kind]), str):
        yield from _text_items(block[_TEXT_OF[kind]], words, _beside(block, (_TEXT_OF[kind],)))
    else:
        yield Block([(words, "dim")], indent=2)
        yield json_item(block)


def _answered(block: dict[str, Any], words: str) -> list[Span]:
    use = safe(str(block.get("tool_use_id", "")))
    note = _beside(block, ("tool_use_id", "content", "is_error"))
    failed = (", which failed", "error") if block.get("is_error") is True else ("", "")
    return [(words, "dim"), failed, (f"  for {use}{note}", "dim")]


def _beside(block: dict[str, Any], told: tuple[str, ...]) -> str:
    """Names of what else a block has; their values are in the body."""
    others = [safe(str(key)) for key in block if key != "type" and key not in told]
    return f"  with {', '.join(others[:12])}" if others else ""


__all__ = ["content_items", "json_item", "message_items", "some", "spelt", "tool_items", "value_bytes"]
