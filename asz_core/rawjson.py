"""JSON text as it stands in a file: the slow, forgiving path beside the fast decoder, and the original spelling of values.

The fast decoder (msgspec) refuses three things that the formats allow: bytes that are not UTF-8, lone surrogate escapes, and
``null`` where a value may be absent; and it cannot nest deeper than the interpreter's stack. ``forgiving`` rewrites one line so
that the fast decoder takes it, and keeps every raw value (``data``, ``attrs``) in its own spelling. It walks the tokens
without recursion and costs in proportion to the line; it only runs on lines that the fast path refused.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable
from typing import Any

import msgspec

MAX_DEPTH = 10_000
"""Nesting that a reader must bear; deeper text does not decode."""

SPACE = "\t\n\v\f\r \x85\xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000"
"""Unicode white space, as the formats trim it."""

_MARKUP = ((b"<", rb"\u003c"), (b">", rb"\u003e"), (b"&", rb"\u0026"))
_SEPARATORS = (("\u2028".encode(), rb"\u2028"), ("\u2029".encode(), rb"\u2029"))
_TOKEN = re.compile(
    rb'[ \t\r\n]*(?:("(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|([{}\[\],:])'
    rb"|(-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?|true|false|null)(?![0-9A-Za-z.+\-]))"
)
_CLOSED = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)
_SURROGATE = re.compile(
    rb"(\\\\)|(\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
)


def _one_for_each_byte(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    return "\ufffd" * (error.end - error.start), error.end


codecs.register_error("asz.each", _one_for_each_byte)


def trim(text: str) -> str:
    """The text without Unicode white space at its ends."""
    return text.strip(SPACE)


def escape_markup(raw: bytes) -> bytes:
    """JSON with what markup is made of, and the two separators of lines, as escapes."""
    return _escape(raw, _MARKUP + _SEPARATORS)


def escape_separators(raw: bytes) -> bytes:
    """JSON with U+2028 and U+2029 as escapes."""
    return _escape(raw, _SEPARATORS)


def _escape(raw: bytes, escapes: tuple[tuple[bytes, bytes], ...]) -> bytes:
    # These bytes occur in JSON only inside strings, so replacing them everywhere is replacing them there.
    for plain, escaped in escapes:
        # One byte is looked for about ten times as fast as three.
        if plain[-1:] in raw:
            raw = raw.replace(plain, escaped)
    return raw


def text_of(raw: Any) -> str:
    """Text of bytes: each byte that is not part of valid UTF-8 reads as one U+FFFD (formats.md section 2)."""
    return str(raw, "utf-8", "asz.each")


def _replace_surrogate(match: re.Match[bytes]) -> bytes:
    return rb"\ufffd" if match[3] else match[0]


def valid_text(raw: bytes) -> bytes:
    """The same JSON text with invalid bytes and lone surrogate escapes read as U+FFFD."""
    try:
        raw.decode()
    except UnicodeDecodeError:
        raw = text_of(raw).encode()
    return _SURROGATE.sub(_replace_surrogate, raw)


def decoded(raw: bytes | str) -> Any:
    """Decode a JSON value strictly.

    Raises:
        ValueError: when orjson refuses it.
    """
    # What is printed whole seldom comes here, and orjson takes as long to import as a megabyte takes to print.
    import orjson

    return orjson.loads(raw)


def loads(raw: bytes | str) -> Any:
    """Decode any JSON value, forgiving what the formats forgive.

    Raises:
        ValueError: when the text is not JSON even then.
    """
    try:
        return decoded(raw)
    except ValueError:
        data = raw.encode("utf-8", "surrogatepass") if isinstance(raw, str) else bytes(raw)
        return _loads_slowly(valid_text(data))


def _loads_slowly(raw: bytes) -> Any:
    try:
        return decoded(raw)
    except ValueError:
        # orjson stops at 1024 levels; the walk below does not recurse.
        return _Builder(raw).value()


class Token:
    """Kinds of token of ``tokens``; a structural one is its own byte."""

    STRING = 0
    OTHER = 1


def tokens(raw: bytes) -> Iterable[tuple[int, int, int]]:
    """The tokens of a JSON text as (kind, start, end); kind is Token.STRING, Token.OTHER or a structural byte's value.

    Raises:
        ValueError: at the first byte that starts no token. The grammar between the tokens is not checked here.
    """
    at, end = 0, len(raw)
    match = _TOKEN.match
    while at < end:
        found = match(raw, at)
        if found is None:
            rest = raw[at:].strip(b" \t\r\n")
            if not rest:
                return
            cut = rest.startswith(b'"') and _CLOSED.match(rest) is None
            raise ValueError("unexpected end of JSON input" if cut else f"not JSON at byte {at}")
        at = found.end()
        which = found.lastindex or 0
        start = found.start(which)
        if which == 2:
            yield raw[start], start, at
        else:
            yield (Token.STRING if which == 1 else Token.OTHER), start, at


_COMMA, _COLON = ord(","), ord(":")


def _scalar(raw: bytes) -> Any:
    try:
        return decoded(raw)
    except ValueError:
        # JSON has no largest number, orjson has: what is beyond a double reads as an infinity.
        return float(raw)


class _Builder:
    """Builds Python values from tokens with an explicit stack, checking the grammar."""

    def __init__(self, raw: bytes) -> None:
        self.raw = raw

    def value(self) -> Any:
        raw = self.raw
        stack: list[Any] = []
        keys: list[str | None] = []
        result: Any = None
        done = False
        expect = "value"  # value, first-value, key, first-key, colon, comma
        for kind, start, end in tokens(raw):
            if done:
                raise ValueError("text after the value")
            if kind == _COLON:
                if expect != "colon":
                    raise ValueError("a colon out of place")
                expect = "value"
                continue
            if kind == _COMMA:
                if expect != "comma" or not stack:
                    raise ValueError("a comma out of place")
                expect = "key" if type(stack[-1]) is dict else "value"
                continue
            if kind in b"}]":
                wanted = dict if kind == 0x7D else list
                if not stack or type(stack[-1]) is not wanted or expect not in ("comma", "first-key", "first-value"):
                    raise ValueError("a bracket out of place")
                item = stack.pop()
                keys.pop()
            elif kind in b"{[":
                if expect not in ("value", "first-value"):
                    raise ValueError("a bracket out of place")
                if len(stack) >= MAX_DEPTH:
                    raise ValueError("nested too deep")
                new: Any = {} if kind == 0x7B else []
                stack.append(new)
                keys.append(None)
                expect = "first-key" if kind == 0x7B else "first-value"
                continue
            elif expect in ("key", "first-key"):
                if kind != Token.STRING:
                    raise ValueError("a key that is no string")
                keys[-1] = decoded(raw[start:end])
                expect = "colon"
                continue
            elif expect in ("value", "first-value"):
                item = _scalar(raw[start:end])
            else:
                raise ValueError("a value out of place")
            if not stack:
                result, done = item, True
            elif type(stack[-1]) is dict:
                stack[-1][keys[-1]] = item
            else:
                stack[-1].append(item)
            expect = "comma"
        if not done:
            raise ValueError("unexpected end of JSON input")
        return result


# What is known of each object, so that the forgiving path can drop what a reader ignores anyway: key -> what its value is.
# "raw" is kept to the byte, "plain" is a scalar or a list of scalars, a dict is an object, a one-element list a list of them.
Shape = dict[str, Any]


def forgiving(raw: bytes, shape: Shape) -> tuple[bytes, list[bytes]]:
    """Rewrite one line so that a strict, typed decoder takes it.

    Unknown keys and ``null`` values are dropped, invalid text becomes U+FFFD, and each raw value is replaced by its number.

    Args:
        raw: the line.
        shape: the known keys (see ``Shape``).

    Returns:
        The rewritten line and the raw values in their original spelling (invalid bytes read as U+FFFD); value ``n`` stands in
        the rewritten line as the number ``n``.

    Raises:
        ValueError: when the line is not JSON.
    """
    try:
        raw.decode()
    except UnicodeDecodeError:
        raw = text_of(raw).encode()
    # Same length, so places in one are places in the other.
    safe = _SURROGATE.sub(_replace_surrogate, raw)
    _loads_slowly(safe)
    raws: list[bytes] = []
    out = _rewrite(safe, raw, list(tokens(safe)), 0, shape, raws)[0]
    return out, raws


def _span(toks: list[tuple[int, int, int]], at: int) -> int:
    """Index of the token after the value that starts at token ``at``."""
    depth = 0
    while True:
        kind = toks[at][0]
        if kind in (0x7B, 0x5B):
            depth += 1
        elif kind in (0x7D, 0x5D):
            depth -= 1
        at += 1
        if depth == 0:
            return at


def _rewrite(
    safe: bytes, raw: bytes, toks: list[tuple[int, int, int]], at: int, shape: Any, raws: list[bytes]
) -> tuple[bytes, int]:
    kind, start, _ = toks[at]
    end_at = _span(toks, at)
    if shape == "raw":
        raws.append(raw[start : toks[end_at - 1][2]])
        return str(len(raws) - 1).encode(), end_at
    if isinstance(shape, list) and kind == 0x5B:
        items = []
        at += 1
        while toks[at][0] != 0x5D:
            if toks[at][0] == _COMMA:
                at += 1
                continue
            if safe[toks[at][1] : toks[at][2]] == b"null":
                items.append(b"{}")
                at += 1
                continue
            item, at = _rewrite(safe, raw, toks, at, shape[0], raws)
            items.append(item)
        return b"[" + b",".join(items) + b"]", at + 1
    if isinstance(shape, dict) and kind == 0x7B:
        members: dict[str, bytes] = {}
        at += 1
        while toks[at][0] != 0x7D:
            if toks[at][0] == _COMMA:
                at += 1
                continue
            key = decoded(safe[toks[at][1] : toks[at][2]])
            at += 2
            known = shape.get(key)
            is_null = safe[toks[at][1] : toks[at][2]] == b"null"
            if known is None or (is_null and known != "raw"):
                at = _span(toks, at)
                members.pop(key, None)
                continue
            value, at = _rewrite(safe, raw, toks, at, known, raws)
            members[key] = value
        body = b",".join(msgspec.json.encode(k) + b":" + v for k, v in members.items())
        return b"{" + body + b"}", at + 1
    if shape == "plain" and kind == 0x5B:
        items = [safe[begin:end] for _, begin, end in toks[at:end_at]]
        return b"".join(b'""' if item == b"null" else item for item in items), end_at
    return safe[start : toks[end_at - 1][2]], end_at


def indent(raw: bytes, level: int = 0) -> bytes:
    """Re-indent JSON text by two spaces a level, keeping the spelling of every scalar.

    Args:
        raw: valid JSON text.
        level: how many levels deep the value stands; its first line is not indented.
    """
    out: list[bytes] = []
    depth = level
    before = 0
    for kind, start, end in tokens(raw):
        if kind in (0x7D, 0x5D):
            depth -= 1
            if before not in (0x7B, 0x5B):
                out.append(b"\n" + b"  " * depth)
        elif before in (0x7B, 0x5B, _COMMA):
            out.append(b"\n" + b"  " * depth)
        if kind == _COLON:
            out.append(b": ")
        else:
            out.append(raw[start:end])
        if kind in (0x7B, 0x5B):
            depth += 1
        before = kind
    return b"".join(out)


def compact(raw: bytes) -> bytes:
    """JSON text without white space between its tokens, keeping the spelling of every scalar."""
    return b"".join(raw[start:end] for _, start, end in tokens(raw))


def without_member(raw: bytes, name: str) -> bytes:
    """The text of an object without the members of one name, keeping the spelling of the others; for what the decoders refuse."""
    toks = list(tokens(raw))
    members: list[bytes] = []
    at = 1
    while toks[at][0] != 0x7D:
        if toks[at][0] == _COMMA:
            at += 1
            continue
        start, key = toks[at][1], raw[toks[at][1] : toks[at][2]]
        at = _span(toks, at + 2)
        if loads(key) != name:
            members.append(raw[start : toks[at - 1][2]])
    return b"{" + b",".join(members) + b"}"
