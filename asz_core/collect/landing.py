"""The landed file: its name, its header, its records, its closing line (the collecting specification, §3 and §4)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from ..times import spell_ns, spell_parts
from .convert import record_line, text_of_name
from .sources import Source
from .spelling import plain

ADAPTER, DIALECT = "claude-code-local/0.1.0", "claude-code/1"


def spell_stamp(ns: int) -> str:
    """A time as file names spell it: always nine fraction digits."""
    text, digits = spell_parts(ns, "%Y%m%dT%H%M%S")
    return f"{text}.{digits}Z"


def file_name(source: Source, ns: int, seq: int) -> str:
    """Where a file lands, below the session's directory."""
    return f"{source.folder}/{source.kind.prefix}-{spell_stamp(ns)}-{seq:06d}.sd"


def landed_file(source: Source, ns: int, seq: int, payloads: Iterable[tuple[int, int, bytes]]) -> tuple[bytes, int]:
    """The bytes of a landed file.

    Args:
        source: where the payloads were read.
        ns: the time of the session's pass.
        seq: its sequence number.
        payloads: number, offset and bytes of each; at least one.

    Returns:
        The file, and how many records it holds.

    Raises:
        Unwritable: when one of them cannot be written.
    """
    lines = [_header(source, ns, seq)]
    lines += [record_line(raw, ord_, off, source) for ord_, off, raw in payloads]
    lines.append(b"")
    body = b"\n".join(lines)
    count = len(lines) - 2
    closing = b'{"t":"end","records":%d,"digest":"%s"}\n' % (count, hashlib.sha256(body).hexdigest().encode())
    return body + closing, count


def _header(source: Source, ns: int, seq: int) -> bytes:
    pairs = [
        ("at", spell_ns(ns)),
        ("kind", source.kind.header),
        ("adapter", ADAPTER),
        ("dialect", DIALECT),
        ("src", text_of_name(source.rel)),
        ("session", source.session),
        ("stream", source.stream),
        ("batch", text_of_name(source.run)),
    ]
    texts = [b',"%s":%s' % (key.encode(), plain(value)) for key, value in pairs if value]
    return b'{"h":1,"schema":"sd/1","seq":%d%s}' % (seq, b"".join(texts))
