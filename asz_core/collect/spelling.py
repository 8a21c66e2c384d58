"""How a text is written (the collecting specification, §4.4): two spellings of a JSON string."""

from __future__ import annotations

import orjson

from ..rawjson import escape_markup, escape_separators


def plain(text: str) -> bytes:
    """A JSON string: as UTF-8, with only what must be escaped, and U+2028 and U+2029."""
    return escape_separators(orjson.dumps(text))


def escaped(text: str) -> bytes:
    """The same with markup escaped; for what this package itself makes JSON of."""
    return escape_markup(orjson.dumps(text))


def size_of(text: str) -> int:
    """The bytes of a text: its length in UTF-8."""
    return len(text) if text.isascii() else len(text.encode())
