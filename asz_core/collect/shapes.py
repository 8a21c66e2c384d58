"""Which keys are looked at in which object, with their types, and how values are taken in (the collecting specification, §5).

A shape is applied to an object key by key, in the order they stand in the source; a key that stands twice is applied twice. What
is wanted stands in the dictionary afterwards by its proper name; what is absent there was absent, or ``null``.
"""

from __future__ import annotations

from typing import Any

from .payload import FLAG, INTEGER, LIST, NULL, OBJECT, TEXT, Payload

RAW = "raw"
"""Any value, kept as it is; ``null`` too."""

_FOLDS = str.maketrans({**{chr(c): chr(c + 32) for c in range(65, 91)}, "\u017f": "s", "\u212a": "k"})
_REMEMBERED = 4096


class Optional:
    """A value that a later ``null`` takes away."""

    __slots__ = ("rule",)

    def __init__(self, rule: Any) -> None:
        self.rule = rule


class ListOf:
    """A list whose elements are all of one rule."""

    __slots__ = ("rule",)

    def __init__(self, rule: Any) -> None:
        self.rule = rule


class Shape:
    """The keys of an object that are looked at: name to rule, which is TEXT, FLAG, INTEGER, RAW, Optional, ListOf or a Shape."""

    __slots__ = ("_known", "_seen")

    def __init__(self, **rules: Any) -> None:
        self._known = {fold(name): (name, rule) for name, rule in rules.items()}
        self._seen: dict[str, tuple[str, Any] | None] = {}

    def field(self, key: str) -> tuple[str, Any] | None:
        """Name and rule of a key of the source, whatever its case; None when it is not looked at."""
        try:
            return self._seen[key]
        except KeyError:
            found = self._known.get(fold(key)) if len(key) < 32 else None
            if len(self._seen) < _REMEMBERED and len(key) < 64:
                self._seen[key] = found
            return found


def fold(key: str) -> str:
    """A key without regard to case: ASCII letters fold, U+017F equals ``s`` and U+212A equals ``k``; nothing else does."""
    return key.translate(_FOLDS)


def texts(names: str) -> dict[str, str]:
    """A rule TEXT for each of the names."""
    return dict.fromkeys(names.split(), TEXT)


ORIGIN = Shape(kind=TEXT)
ATTACHMENT = Shape(type=TEXT, commandMode=TEXT, origin=ORIGIN)
USAGE = Shape(input_tokens=INTEGER, output_tokens=INTEGER, cache_read_input_tokens=INTEGER, cache_creation_input_tokens=INTEGER)
MESSAGE = Shape(id=TEXT, model=TEXT, stop_reason=Optional(TEXT), usage=Optional(USAGE), content=RAW)
RECORD = Shape(
    **texts("type uuid parentUuid timestamp promptId agentId subtype cwd logicalParentUuid aiTitle description"),
    **texts("workflowName runId parentAgentId promptSource"),
    isCompactSummary=FLAG,
    isMeta=FLAG,
    origin=ORIGIN,
    message=MESSAGE,
    attachment=ATTACHMENT,
    toolUseResult=RAW,
    result=RAW,
)
RAW_ATTACHMENT = Shape(attachment=RAW)
"""The same key once more, as the source of an attachment's text: here a later value replaces, it is not merged."""
ATTACHMENT_TEXT = Shape(text=TEXT, content=RAW)

HUNK = Shape(oldStart=INTEGER, oldLines=INTEGER, newStart=INTEGER, newLines=INTEGER, lines=ListOf(TEXT))
ENRICHMENT = Shape(
    **texts("agentId toolUseId status runId transcriptDir taskId filePath oldString newString notebook_path"),
    originalFile=Optional(TEXT),
    content=Optional(TEXT),
    original_file=Optional(TEXT),
    updated_file=Optional(TEXT),
    replaceAll=FLAG,
    structuredPatch=ListOf(HUNK),
)
BLOCK = Shape(
    **texts("type text thinking signature id name tool_use_id"),
    is_error=Optional(FLAG),
    source=Shape(media_type=TEXT, data=TEXT),
    input=RAW,
    content=RAW,
)


def take(payload: Payload, value: Any, shape: Shape, into: dict[str, Any]) -> bool:
    """Apply an object to what was found so far.

    Args:
        payload: the reader of the value.
        value: an object.
        shape: its keys.
        into: names and values; is added to, also where something else has a wrong type.

    Returns:
        Whether every key that is looked at has its type.
    """
    good = True
    for key, item in payload.members(value):
        field = shape.field(key)
        if field is not None:
            good &= _apply(payload, item, field[0], field[1], into)
    return good


def object_of(payload: Payload, value: Any, shape: Shape) -> tuple[dict[str, Any], bool]:
    """What an object holds, and whether it has no type error; ``null`` is an object without keys, anything else is an error."""
    found: dict[str, Any] = {}
    kind = payload.kind(value)
    if kind is OBJECT:
        return found, take(payload, value, shape, found)
    return found, kind is NULL


def _apply(payload: Payload, item: Any, name: str, rule: Any, into: dict[str, Any]) -> bool:
    if rule is RAW:
        into[name] = item
        return True
    kind = payload.kind(item)
    if type(rule) is Optional:
        if kind is NULL:
            into.pop(name, None)
            return True
        rule = rule.rule
    if type(rule) is ListOf:
        return _apply_list(payload, item, kind, name, rule.rule, into)
    if kind is NULL:
        return True
    if type(rule) is Shape:
        if kind is not OBJECT:
            return False
        return take(payload, item, rule, into.setdefault(name, {}))
    if kind is not rule:
        return False
    into[name] = payload.plain(item)
    return True


def _apply_list(payload: Payload, item: Any, kind: str, name: str, rule: Any, into: dict[str, Any]) -> bool:
    """Lay a list over the one before, element by element; it has the later one's length."""
    if kind is NULL:
        into.pop(name, None)
        return True
    if kind is not LIST:
        return False
    good = True
    before = into.get(name, [])
    found: list[Any] = []
    for at, element in enumerate(payload.elements(item)):
        slot = {"": before[at]} if at < len(before) else {"": {} if type(rule) is Shape else ""}
        good &= _apply(payload, element, "", rule, slot)
        found.append(slot[""])
    into[name] = found
    return good
