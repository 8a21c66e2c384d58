"""Where each source stands, and where a session does: the small text files beside the landed ones.

The collecting specification, §9.2 (cursors) and §9.6 (``session.state``).
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, fields

from ..storage import open_without_waiting

ACTIVE, GONE, CONFLICT = b"active", b"source_gone", b"conflict"
LIVENESS = b"unknown"
_NUMBER = re.compile(rb"[+-]?[0-9]{1,20}")
_LONGEST = 64 << 10


class CursorError(ValueError):
    """A cursor that cannot be read: a line of it is too long."""


@dataclass(slots=True)
class Cursor:
    """How far a source was collected (§9.2); texts are bytes, as paths and ids need not be UTF-8."""

    kind: bytes = b""
    source: bytes = b""
    dev: int = 0
    ino: int = 0
    offset: int = 0
    ord: int = 0
    last_uuid: bytes = b""
    tail_sha256: bytes = b""
    content_sha256: bytes = b""
    size: int = 0
    mtime: int = 0
    last_seq: int = 0
    updated_at: bytes = b""
    state: bytes = ACTIVE

    @property
    def fresh(self) -> bool:
        """Whether nothing was landed through it yet."""
        return not self.ino and not self.offset

    def to_bytes(self) -> bytes:
        """The file's text."""
        skipped = ("content_sha256",) if self.kind == b"append" else ("dev", "ino", "offset", "ord", "last_uuid", "tail_sha256")
        pairs = [(b"schema", b"1")]
        for name in _NAMES:
            value = getattr(self, name)
            if name not in skipped and (value or name not in ("last_uuid", "tail_sha256")):
                pairs.append((name.encode(), b"%d" % value if isinstance(value, int) else value))
        return _text(pairs, 13)


_NAMES = tuple(field.name for field in fields(Cursor))
_INTEGERS = frozenset(("dev", "ino", "offset", "ord", "size", "mtime", "last_seq"))


def read_cursor(path: str) -> Cursor | None:
    """Read a cursor.

    Args:
        path: its file.

    Returns:
        The cursor; None when there is no file.

    Raises:
        CursorError: when a line of it is longer than 64 KiB.
        OSError: when it cannot be read.
    """
    pairs = _pairs_of(path)
    if pairs is None:
        return None
    cursor = Cursor(state=b"")
    for key, value in pairs:
        name = key.decode("utf-8", "replace")
        if name in _INTEGERS:
            setattr(cursor, name, _number(value))
        elif name in _NAMES:
            setattr(cursor, name, value)
    return cursor


def format_state(session: str, next_seq: int, time: bytes) -> bytes:
    """The text of a ``session.state``."""
    pairs = [(b"schema", b"1"), (b"session", session.encode()), (b"next_seq", b"%d" % next_seq)]
    pairs += [(b"liveness", LIVENESS), (b"last_scan", time), (b"updated_at", time)]
    return _text(pairs, 10)


def read_next_seq(path: str) -> int:
    """The next sequence that a ``session.state`` names; 0 when there is none.

    Raises:
        CursorError: when a line of it is longer than 64 KiB.
        OSError: when it cannot be read.
    """
    found = 0
    for key, value in _pairs_of(path) or ():
        if key == b"next_seq":
            found = _number(value)
    return found


def _text(pairs: list[tuple[bytes, bytes]], columns: int) -> bytes:
    return b"".join([key.ljust(columns) + b" " + value + b"\n" for key, value in pairs])


def _pairs_of(path: str) -> list[tuple[bytes, bytes]] | None:
    try:
        with open(path, "rb", buffering=0, opener=open_without_waiting) as file:
            data = file.read()
    except FileNotFoundError:
        return None
    lines = data.split(b"\n")
    if any(len(line) > _LONGEST for line in lines):
        raise CursorError(f"{os.path.basename(path)} has a line longer than 64 KiB")
    pairs = []
    for line in lines:
        line = line.strip()
        if line and not line.startswith(b"#"):
            key, blank, value = line.partition(b" ")
            if blank:
                pairs.append((key, value.strip()))
    return pairs


def _number(value: bytes) -> int:
    number = int(value) if _NUMBER.fullmatch(value) else 0
    return number if -(2**63) <= number < 2**63 else 0
