"""The document as JSON: indented for a terminal, compact for HTTP, byte for byte as the original prints it.

One pass encodes, one indents without touching the spelling of any scalar (``attrs`` keep theirs), and five byte replacements write
the escapes that the original writes (formats.md section 5). The cost is that of the bytes, about 3 ms a megabyte.
"""

from __future__ import annotations

import json
from typing import Any

import msgspec
import orjson

from .. import rawjson
from .model import Document

_encode = msgspec.json.Encoder().encode
_ESCAPES = (
    (b"<", rb"\u003c"),
    (b">", rb"\u003e"),
    (b"&", rb"\u0026"),
    ("\u2028".encode(), rb"\u2028"),
    ("\u2029".encode(), rb"\u2029"),
)


def to_json(document: Document) -> bytes:
    """The document indented by two spaces, with one newline at the end, as ``conversation -json`` prints it."""
    raw = _encode(document)
    # These bytes occur in JSON only inside strings, so replacing them everywhere is replacing them there.
    for plain, escaped in _ESCAPES:
        if plain in raw:
            raw = raw.replace(plain, escaped)
    return _indented(raw) + b"\n"


def to_compact_json(document: Document) -> bytes:
    """The document on one line, ``<``, ``>`` and ``&`` as they are, as it goes over HTTP (formats.md section 6)."""
    raw = _encode(document)
    for plain, escaped in _ESCAPES[3:]:
        raw = raw.replace(plain, escaped)
    try:
        return msgspec.json.format(raw, indent=-1)
    except (msgspec.MsgspecError, RecursionError):
        return rawjson.compact(raw)


def to_plain(document: Document) -> Any:
    """The document as dictionaries, lists and scalars, as reading its JSON back would give."""
    raw = _encode(document)
    try:
        return orjson.loads(raw)
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
