"""How a text is written (the collecting specification, §4.4): two spellings of a JSON string."""

from __future__ import annotations

import orjson


def plain(text: str) -> bytes:
    """A JSON string: as UTF-8, with only what must be escaped, and U+2028 and U+2029."""
    out = orjson.dumps(text)
    if b"\xe2\x80" in out:
        out = out.replace(b"\xe2\x80\xa8", b"\\u2028").replace(b"\xe2\x80\xa9", b"\\u2029")
    return out


def escaped(text: str) -> bytes:
    """The same with markup escaped; for what this package itself makes JSON of."""
    return plain(text).replace(b"<", b"\\u003c").replace(b">", b"\\u003e").replace(b"&", b"\\u0026")


def size_of(text: str) -> int:
    """The bytes of a text: its length in UTF-8."""
    return len(text) if text.isascii() else len(text.encode())
