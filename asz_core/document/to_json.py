"""The document as JSON: indented for a terminal, compact for HTTP, byte for byte as the original prints it.

The indented form is made in pieces of about a hundred kilobytes, a few talks each, which stay in the processor's cache: one pass
encodes a piece, one indents it without touching the spelling of any scalar (``attrs`` keep theirs), and five byte replacements
write the escapes that the original writes (formats.md section 5). The cost is that of the bytes, about 2 ms a megabyte, and the
memory that of one piece.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from typing import Any

import msgspec
from msgspec import UNSET

from .. import rawjson
from .model import Document
from .passing import Passing

_encode = msgspec.json.Encoder().encode
_PIECE = 1 << 16
"""Bytes that a piece of a list should have."""
_GROWING = ("talks", "loose", "relations")


def to_json(document: Document) -> bytes:
    """The document indented by two spaces, with one newline at the end, as ``conversation -json`` prints it."""
    return _indented(rawjson.escape_markup(_encode(document))) + b"\n"


def json_chunks(document: Document) -> Iterator[bytes]:
    """What ``to_json`` returns, in pieces that may end inside a line."""
    lead = b"{\n"
    for name, value in zip(document.__struct_encode_fields__, msgspec.structs.astuple(document), strict=True):
        if value is UNSET:
            continue
        yield lead
        lead = b",\n"
        yield from _list_member(name, value) if isinstance(value, list) and value else (_member(name, value),)
    yield b"\n}\n"


def _member(name: str, value: Any) -> bytes:
    """One member of the document, indented, without the braces around it."""
    return _indented(rawjson.escape_markup(_encode({name: value})))[2:-2]


def _list_member(name: str, entries: list[Any]) -> Iterator[bytes]:
    """As ``_member``, a piece of the list at a time."""
    head = len(f'{{\n  "{name}": [\n')
    tail = len("\n  ]\n}")
    lead = f'  "{name}": [\n'.encode()
    for raw in _pieces(name, entries):
        yield lead + _indented(rawjson.escape_markup(raw))[head:-tail]
        lead = b",\n"
    yield b"\n  ]"


def _pieces(name: str, entries: list[Any]) -> Iterator[bytes]:
    """A member that is a list as several, each of some of its entries, encoded."""
    start, size = 0, 1
    while start < len(entries):
        raw = _encode({name: entries[start : start + size]})
        yield raw
        start += size
        # Entries of one list are about as large as each other, and a talk may be a whole conversation.
        size = max(1, min(4 * size, size * _PIECE // len(raw)))


def to_compact_json(document: Document) -> bytes:
    """The document on one line, ``<``, ``>`` and ``&`` as they are, as it goes over HTTP (formats.md section 6)."""
    raw = rawjson.escape_separators(_encode(document))
    try:
        return msgspec.json.format(raw, indent=-1)
    except (msgspec.MsgspecError, RecursionError):
        return rawjson.compact(raw)


def to_plain(document: Document) -> Any:
    """The document as dictionaries, lists and scalars, as reading its JSON back would give."""
    return _plain(_encode(document))


def to_passing(document: Document) -> dict[str, Any]:
    """As ``to_plain``, but the lists that grow with a conversation are made while they are walked: in less memory and time."""
    plain: dict[str, Any] = {}
    for name, value in zip(document.__struct_encode_fields__, msgspec.structs.astuple(document), strict=True):
        if name in _GROWING and value:
            plain[name] = Passing(partial(_plain_entries, name, value))
        elif value is not UNSET:
            plain.update(_plain(_encode({name: value})))
    return plain


def _plain_entries(name: str, entries: list[Any]) -> Iterator[Any]:
    for raw in _pieces(name, entries):
        yield from _plain(raw)[name]


def _plain(raw: bytes) -> Any:
    try:
        return rawjson.decoded(raw)
    except ValueError:
        pass
    try:
        # Unlike orjson, this keeps the lone surrogates that an attr may spell.
        return json.loads(rawjson.text_of(raw))
    except RecursionError:
        return rawjson.loads(raw)


def _indented(raw: bytes) -> bytes:
    try:
        return msgspec.json.format(raw, indent=2)
    except (msgspec.MsgspecError, RecursionError):
        # A lone surrogate's escape, or nesting deeper than the stack: what the fast formatter refuses.
        return rawjson.indent(raw)
