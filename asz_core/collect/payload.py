"""Reading a source's JSON (the collecting specification, §5): the value, and every part of it in its own spelling.

There are two readers with the same methods, which ``read`` chooses between. ``Canonical`` is for a text that orjson writes exactly
as it stands, so that the spelling of every value in it is what orjson writes of that value; nearly every line of a transcript is
such a one, and costs two passes in C. ``Walked`` is for every other: a walk over the tokens, without recursion, that keeps
duplicate keys and where each value stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import orjson

from ..rawjson import MAX_DEPTH, text_of, valid_text

TEXT, FLAG, INTEGER, NUMBER, LIST, OBJECT, NULL = "text", "flag", "integer", "number", "list", "object", "null"
"""The kinds of values; INTEGER is a number that is written as one and fits 64 bits signed, NUMBER any other."""

_KINDS = {str: TEXT, bool: FLAG, int: INTEGER, float: NUMBER, list: LIST, dict: OBJECT, type(None): NULL}
_GREATEST = 2**63 - 1
_TOKEN = re.compile(
    rb'[ \t\r\n]*+(?:("[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*+)*+")|([{}\[\],:])'
    rb"|(-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][-+]?[0-9]++)?+)|(true|false|null))"
)
_SPACES = re.compile(rb'("[^"\\]*+(?:\\.[^"\\]*+)*+")|[ \t\r\n]++', re.DOTALL)
_INTEGER = re.compile(rb"-?[0-9]{1,19}")
_WORDS = {b"true": (FLAG, True), b"false": (FLAG, False), b"null": (NULL, None)}


class Canonical:
    """A payload that is spelled as orjson spells it; its values are what orjson makes of them."""

    __slots__ = ("raw", "top")

    def __init__(self, raw: bytes, top: Any) -> None:
        self.raw, self.top = raw, top

    def kind(self, value: Any) -> str:
        """Which kind of value it is."""
        kind = _KINDS[type(value)]
        return NUMBER if kind is INTEGER and value > _GREATEST else kind

    def plain(self, value: Any) -> Any:
        """The text, flag or integer itself."""
        return value

    def members(self, value: Any) -> Iterable[tuple[str, Any]]:
        """Keys and values of an object, in order."""
        return value.items()  # type: ignore[no-any-return] # its kind says what it is

    def elements(self, value: Any) -> list[Any]:
        """The elements of a list."""
        return value  # type: ignore[no-any-return]

    def own(self, value: Any) -> bytes:
        """The value's own bytes in the source."""
        return self.raw if value is self.top else orjson.dumps(value)

    def data(self, value: Any) -> tuple[bytes, int]:
        """The value without white space between its tokens (§4.5), and the length of its own bytes."""
        own = self.own(value)
        return own, len(own)

    def depth(self, value: Any) -> int:
        """Levels of objects and lists; orjson writes no more than 254, so nothing of this kind is too deep."""
        return 0


class Value:
    """A value of a walked text: its kind, what it is, where it stands and how deep it nests."""

    __slots__ = ("depth", "end", "is_", "kind", "start")

    def __init__(self, kind: str, is_: Any, start: int, end: int) -> None:
        self.kind, self.is_, self.start, self.end, self.depth = kind, is_, start, end, 0


class Walked:
    """A payload of any spelling; see ``Canonical`` for the methods."""

    __slots__ = ("raw", "top")

    def __init__(self, raw: bytes) -> None:
        """
        Raises:
            ValueError: when it is not JSON.
        """
        self.raw = raw
        self.top = _walk(raw)

    def kind(self, value: Value) -> str:
        return value.kind

    def plain(self, value: Value) -> Any:
        return _text(self.raw[value.start : value.end]) if value.kind is TEXT else value.is_

    def members(self, value: Value) -> Iterable[tuple[str, Value]]:
        return value.is_  # type: ignore[no-any-return] # its kind says what it is

    def elements(self, value: Value) -> list[Value]:
        return value.is_  # type: ignore[no-any-return]

    def own(self, value: Value) -> bytes:
        return self.raw[value.start : value.end]

    def data(self, value: Value) -> tuple[bytes, int]:
        own = self.own(value)
        return _SPACES.sub(rb"\1", own), len(own)

    def depth(self, value: Value) -> int:
        return value.depth


Payload = Canonical | Walked


def read(raw: bytes) -> Payload:
    """Read a payload.

    Args:
        raw: one JSON value, in any spelling.

    Returns:
        The reader that fits it.

    Raises:
        ValueError: when it is not JSON, or nests deeper than 10,000 levels.
    """
    try:
        top = orjson.loads(raw)
        if orjson.dumps(top) == raw:
            return Canonical(raw, top)
    except (ValueError, TypeError, RecursionError):
        pass
    return Walked(raw)


def _text(token: bytes) -> str:
    """The text of a string token: a lone surrogate, and each byte that is no UTF-8, reads as U+FFFD."""
    if b"\\" not in token:
        return text_of(token[1:-1])
    try:
        return str(orjson.loads(token))
    except ValueError:
        return str(orjson.loads(valid_text(token)))


def _scalar(raw: bytes, which: int, start: int, end: int) -> Value:
    if which == 1:
        return Value(TEXT, None, start, end)
    token = raw[start:end]
    if which == 4:
        return Value(*_WORDS[token], start, end)
    if _INTEGER.fullmatch(token):
        number = int(token)
        if -_GREATEST - 1 <= number <= _GREATEST:
            return Value(INTEGER, number, start, end)
    return Value(NUMBER, None, start, end)


_KEY, _VALUE, _COLON, _COMMA, _END = 1, 2, 4, 8, 16
"""What may come next; an end is that of the innermost object or list."""


def _walk(raw: bytes) -> Value:
    """Build the values of a text, checking the grammar.

    Raises:
        ValueError: when it is not JSON.
    """
    match, at = _TOKEN.match, 0
    stack: list[Value] = []
    keys: list[str] = []
    top: Value | None = None
    expect = _VALUE
    while True:
        found = match(raw, at)
        if found is None:
            if top is None or raw[at:].strip(b" \t\r\n"):
                raise ValueError("not JSON")
            return top
        at, which = found.end(), found.lastindex or 0
        start = found.start(which)
        if which == 2:
            token = raw[start]
            if token == 0x3A and expect & _COLON:
                expect = _VALUE
                continue
            if token == 0x2C and expect & _COMMA:
                expect = _KEY if stack[-1].kind is OBJECT else _VALUE
                continue
            if token in b"{[" and expect & _VALUE:
                if len(stack) >= MAX_DEPTH:
                    raise ValueError("nested too deep")
                stack.append(Value(OBJECT if token == 0x7B else LIST, [], start, start))
                expect = (_KEY if token == 0x7B else _VALUE) | _END
                continue
            if token not in b"}]" or not expect & _END or stack[-1].kind is not (OBJECT if token == 0x7D else LIST):
                raise ValueError("a token out of place")
            done = stack.pop()
            done.end = at
            done.depth += 1
        elif which == 1 and expect & _KEY:
            keys.append(_text(raw[start:at]))
            expect = _COLON
            continue
        elif expect & _VALUE:
            done = _scalar(raw, which, start, at)
        else:
            raise ValueError("a value out of place")
        if not stack:
            top, expect = done, 0
            continue
        around = stack[-1]
        if done.depth > around.depth:
            around.depth = done.depth
        around.is_.append((keys.pop(), done) if around.kind is OBJECT else done)
        expect = _COMMA | _END
