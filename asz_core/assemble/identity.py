"""Identities, addresses and JSON text as rounds spell them (the assembling specification, §0 and §3)."""

from __future__ import annotations

import re
from json.encoder import encode_basestring

_ESCAPED = re.compile("[<>&\u2028\u2029]")


def quote(text: str) -> str:
    """A JSON string as a round writes it: ``<``, ``>``, ``&``, U+2028 and U+2029 escaped, everything else as short as can be."""
    quoted = encode_basestring(text)
    return _ESCAPED.sub(_escape, quoted) if _ESCAPED.search(quoted) else quoted


def _escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


def identity(*parts: str) -> str:
    """The identity of these parts: empty ones dropped, a ``/`` inside one read as ``_``."""
    return "/".join([part.replace("/", "_") if "/" in part else part for part in parts if part])


def named(word: str, name: str) -> str:
    """The identity of a word of ours and one name, which is not empty; the common case, several times as quick."""
    return f"{word}/{name.replace('/', '_')}"


def block_ref(ref: str, block: int) -> str:
    """The address of a block of the record with this address."""
    return f'{ref[:-1]},"block":{block}}}'
