"""Where the pieces of captured bodies landed: one pass over a session's files of bodies, and nothing of it kept but addresses.

A piece is a part of any captured body's record, named by the SHA-256 of its data as the file spells it. The same pass finds which
record is which body, and which bodies name which request, as these too are looked up by name.

Cost: reading, decoding and hashing the body files once, when the first name is looked up, about 8 ms a megabyte; then only files
that are new. A piece costs one read of its bytes; the index keeps some 200 bytes a piece.
"""

from __future__ import annotations

import hashlib
import os
from itertools import islice, pairwise

import msgspec
from msgspec import UNSET

from ..errors import RecordError
from ..sessiondata.reader import Landed, row_places
from ..sessiondata.record import Record, decode_record
from ..sessiondata.session import SessionData
from ..storage import read_file

SCHEMA = "provider_body/1"
KIND = "provider_body"


class _Manifest(msgspec.Struct):
    """What of a body's manifest is a name for something; the rest is skipped unread."""

    schema: str = ""
    src: str = ""
    sha256: str = ""
    request: str = ""


_decode_manifest = msgspec.json.Decoder(_Manifest).decode


class Pieces:
    """The pieces and names of a session's captured bodies.

    Attributes:
        unreadable: body files that the pass could not read, with the reason.
    """

    def __init__(self, data: SessionData) -> None:
        """
        Args:
            data: the landed files; those that land later are taken in at the next look-up.
        """
        self._data = data
        self._forget()

    def _forget(self) -> None:
        self._seen: object = None
        self._read: dict[str, Landed] = {}
        self._places: dict[bytes, tuple[Landed, int, int] | bytes] = {}
        self._bodies: dict[str, tuple[int, int]] = {}
        self._naming: dict[str, list[tuple[int, int]]] = {}
        self.unreadable: dict[str, str] = {}

    # --- looking up

    def size(self, digest: str) -> int | None:
        """Bytes of a piece, None when no landed record holds it."""
        place = self._place(digest)
        return None if place is None else len(place) if isinstance(place, bytes) else place[2]

    def read(self, digest: str) -> bytes | None:
        """A piece; None when no landed record holds it, or its file does not hold those bytes any more."""
        place = self._place(digest)
        if place is None or isinstance(place, bytes):
            return place
        landed, start, size = place
        try:
            with open(landed.file.path, "rb", buffering=0) as file:
                found = os.pread(file.fileno(), size, start)
        except OSError:
            return None
        return found if hashlib.sha256(found).hexdigest() == digest.lower() else None

    def body(self, name: str) -> tuple[int, int] | None:
        """(seq, row) of a body by its record's id, its file's name or its digest; of several the first."""
        self._take_in()
        return self._bodies.get(name)

    def naming(self, request: str) -> list[tuple[int, int]]:
        """(seq, row) of the bodies that say they are of a request."""
        self._take_in()
        return self._naming.get(request, [])

    def _place(self, digest: str) -> tuple[Landed, int, int] | bytes | None:
        self._take_in()
        try:
            return self._places.get(bytes.fromhex(digest))
        except ValueError:
            return None

    # --- the pass

    def _take_in(self) -> None:
        """Read the body files that are not read yet; all of them again when one is gone or was replaced."""
        files = self._data.files
        if self._seen is files:
            return
        bodies = {landed.file.wire: landed for landed in files if landed.kind == KIND}
        if any(bodies.get(wire) is not landed for wire, landed in self._read.items()):
            self._forget()
        for wire, landed in bodies.items():
            if wire not in self._read:
                self._read[wire] = landed
                self._read_file(landed)
        self._seen = files

    def _read_file(self, landed: Landed) -> None:
        try:
            data = read_file(landed.file.path)
        except OSError as error:
            self.unreadable[landed.file.wire] = error.strerror or str(error)
            return
        lines = pairwise(islice(row_places(data), 1, landed.count + 2))
        for row, (start, end) in enumerate(lines, 1):
            try:
                record = decode_record(data[start : end - 1])
            except RecordError:
                return
            self._read_record(landed, row, record, (data, start, end - 1))

    def _read_record(self, landed: Landed, row: int, record: Record, line: tuple[bytes, int, int]) -> None:
        data, start, stop = line
        seek = start
        for part in record.parts or ():
            if part.data is UNSET:
                continue
            raw = bytes(part.data)
            at = data.find(raw, seek, stop)
            # Data that the strict decoder refused may be spelt otherwise than in the file; it has no place there.
            seek = at + len(raw) if at >= 0 else seek
            self._places.setdefault(hashlib.sha256(raw).digest(), (landed, at, len(raw)) if at >= 0 else raw)
        self._read_names((landed.file.seq, row), record)

    def _read_names(self, place: tuple[int, int], record: Record) -> None:
        raw = manifest_data(record)
        try:
            manifest = _decode_manifest(raw) if raw else None
        except (msgspec.MsgspecError, ValueError, RecursionError):
            return
        if manifest is None or manifest.schema != SCHEMA:
            return
        for name in (record.id, manifest.src, manifest.sha256):
            if name:
                self._bodies.setdefault(name, place)
        if manifest.request:
            self._naming.setdefault(manifest.request, []).append(place)


def manifest_data(record: Record) -> bytes:
    """The data of a record's last part, where a body's manifest stands; empty when there is none."""
    part = record.parts[-1] if record.parts else None
    return bytes(part.data) if part is not None and part.data is not UNSET else b""


__all__ = ["KIND", "SCHEMA", "Pieces", "manifest_data"]
