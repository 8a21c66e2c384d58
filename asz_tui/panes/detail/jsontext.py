"""JSON for reading: indented and coloured in the file's own spelling, and objects taken apart into their members.

Scalars are never serialised anew: numbers, key order and escapes stay as the file has them (a member's text is decoded only where
it is drawn as a field). Text that is no JSON is for the caller to show as it is.

Cost: checking that a text is JSON, by the fast decoder; laying it out costs only the rows that are looked at, as the spans are made
while they are read. Above `PRETTY` bytes a text stays as it stands, and an object of more than `_MANY` separators is not taken
apart: nothing is ever left out. Indentation stops growing at 40 levels, so that deep nesting stays linear.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from asz_core.rawjson import Token, loads, tokens

from ...lines.line import Span
from ...lines.text_rows import Block
from ...text.safe import visible

PRETTY = 4_000_000
_MANY = 60_000
_MAX_INDENT = 40

_OPEN, _CLOSE = b"{[", b"}]"
_COMMA, _COLON, _BRACE = ord(","), ord(":"), ord("{")


@dataclass(slots=True)
class Member:
    """One member of an object: its key, and the bytes of its value."""

    key: str
    raw: bytes

    def text(self) -> str | None:
        """The decoded text when the value is a string, else None."""
        return loads(self.raw) if self.raw.startswith(b'"') else None

    def spelt(self) -> str:
        """The value as the file spells it."""
        return self.raw.decode("utf-8", "replace")


def looks_like_json(text: str) -> bool:
    """Whether a text is worth parsing: it begins as an object or a list."""
    return text.lstrip()[:1] in ("{", "[")


def valid(text: str) -> bytes | None:
    """The bytes of a JSON text that is an object or a list and not too large to take apart, else None."""
    if len(text) > PRETTY or not looks_like_json(text):
        return None
    raw = text.encode("utf-8", "surrogatepass")
    try:
        loads(raw)
    except ValueError:
        return None
    return raw


def json_block(text: str, *, indent: int = 0) -> Block | None:
    """A JSON object or list as a block to read; None when the text is neither.

    Args:
        text: perhaps JSON.
        indent: of the block.
    """
    raw = valid(text)
    return None if raw is None else Block(JsonSpans(raw), role="code", kind="code", indent=indent)


class JsonSpans(Sequence[Span]):
    """The spans of an indented JSON text, made while they are iterated over."""

    def __init__(self, raw: bytes) -> None:
        """
        Args:
            raw: the JSON text.
        """
        self.raw = raw

    def __iter__(self) -> Iterator[Span]:
        """Yield the spans, their texts safe."""
        for text, role in _pieces(self.raw):
            yield visible(text, multiline=True), role

    def __len__(self) -> int:
        """Count the spans, at the cost of making them."""
        return sum(1 for _ in self)

    def __getitem__(self, index: Any) -> Any:
        """Give a span, at the cost of making all."""
        return list(self)[index]


def _pieces(raw: bytes) -> Iterator[Span]:
    """The tokens with line breaks and indentation between them, coloured; not made safe yet."""
    depth, before = 0, 0
    stack: list[int] = []
    for kind, start, end in _tokens_or_rest(raw):
        if kind in _CLOSE:
            depth -= 1
            if stack:
                stack.pop()
            if before not in _OPEN:
                yield _break(depth), "bar"
        elif before in _OPEN or before == _COMMA:
            yield _break(depth), "bar"
        text = raw[start:end].decode("utf-8", "replace")
        if kind == _COLON:
            yield ": ", "bar"
        elif kind == Token.STRING:
            is_key = bool(stack) and stack[-1] == _BRACE and before in (_BRACE, _COMMA)
            yield text, "key" if is_key else "code"
        else:
            yield text, "accent" if kind == Token.OTHER else "bar"
        if kind in _OPEN and kind:
            depth += 1
            stack.append(kind)
        before = kind


def _tokens_or_rest(raw: bytes) -> Iterator[tuple[int, int, int]]:
    """The tokens; should the walk refuse what the decoder took, the rest as one."""
    done = 0
    try:
        for token in tokens(raw):
            done = token[2]
            yield token
    except ValueError:
        yield Token.OTHER, done, len(raw)


def _break(depth: int) -> str:
    return "\n" + "  " * max(0, min(depth, _MAX_INDENT))


def members(text: str) -> list[Member] | None:
    """The members of a JSON object, in the file's order, repeated keys included; None when the text is no object."""
    if not text.lstrip().startswith("{"):
        return None
    raw = valid(text)
    if raw is None or raw.count(b",") + raw.count(b":") > _MANY:
        return None
    try:
        return list(_members(raw))
    except ValueError:
        return None


def elements(raw: bytes) -> list[str]:
    """The elements of a JSON list, each as the file spells it; empty when it is none."""
    try:
        return [raw[start:end].decode("utf-8", "replace") for start, end in _parts(raw)] if raw.startswith(b"[") else []
    except ValueError:
        return []


def _members(raw: bytes) -> Iterator[Member]:
    parts = list(_parts(raw))
    for (key_start, key_end), (start, end) in zip(parts[::2], parts[1::2], strict=True):
        yield Member(str(loads(raw[key_start:key_end])), raw[start:end])


def _parts(raw: bytes) -> Iterator[tuple[int, int]]:
    """(start, end) of each key and value on the first level."""
    depth, begin = 0, 0
    for kind, start, end in tokens(raw):
        if kind and kind in _OPEN:
            depth += 1
            if depth == 2:
                begin = start
        elif kind and kind in _CLOSE:
            depth -= 1
            if depth == 1:
                yield begin, end
        elif depth == 1 and kind not in (_COMMA, _COLON):
            yield start, end
