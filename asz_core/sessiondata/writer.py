"""Writing a landed file the way readers expect it: header, one record a line, closing line with its digest; published by rename.

Used by tests, demos and benchmarks; what it writes verifies. It never replaces a file that is there.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from typing import Any

import msgspec

from ..errors import RecordError, WriteError
from ..writing import SHARED, write_new
from .record import CLOSING, decode_record

_HEADER_KEYS = ("adapter", "dialect", "src", "session", "stream", "batch")


def landed_bytes(header: dict[str, Any], records: Iterable[dict[str, Any] | bytes]) -> bytes:
    """The bytes of a landed file.

    Args:
        header: ``seq``, ``at``, ``kind``, ``adapter``, ``dialect``, ``src``, ``session`` and perhaps ``stream`` and ``batch``;
            ``h`` and ``schema`` are added.
        records: each a mapping, or the JSON text of one line, kept as it is.

    Raises:
        WriteError: when a reader would refuse the header or a line.
    """
    for name in ("kind", "session", "src", "dialect"):
        if not header.get(name):
            raise WriteError(f"a landed file needs a {name} in its header")
    if int(header.get("seq", 0)) < 1:
        raise WriteError("a landed file needs a sequence of 1 or more")
    first: dict[str, Any] = {"h": 1, "schema": "sd/1", "seq": header["seq"], "at": header.get("at", "")}
    first["kind"] = header["kind"]
    first.update({key: header[key] for key in _HEADER_KEYS if header.get(key)})
    lines = [msgspec.json.encode(first)]
    for record in records:
        line = record if isinstance(record, bytes) else msgspec.json.encode(record)
        if b"\n" in line or not line:
            raise WriteError("a record must be one line")
        if line.startswith(CLOSING):
            raise WriteError("a record must not start as the closing line does")
        try:
            decode_record(line)
        except RecordError as error:
            raise WriteError(f"record {len(lines)}: {error}") from None
        lines.append(line)
    body = b"\n".join(lines) + b"\n"
    closing = {"t": "end", "records": len(lines) - 1, "digest": hashlib.sha256(body).hexdigest()}
    return body + msgspec.json.encode(closing) + b"\n"


def landed_name(kind: str, stamp: str, seq: int) -> str:
    """The file name ``<kind>-<stamp>-<seq>.sd``; the stamp is like ``20260101T000000.000000000Z``."""
    return f"{kind}-{stamp}-{seq:06d}.sd"


def publish(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file beside its place under a temporary name, make it durable and read-only, and link it into its place.

    Raises:
        WriteError: when there is a file of that name already; published files are never replaced.
        OSError: when the directory cannot be written.
    """
    try:
        write_new(os.fspath(path), data, SHARED.landed)
    except FileExistsError:
        raise WriteError(f"{path} is already there") from None
