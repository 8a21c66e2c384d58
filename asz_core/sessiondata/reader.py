"""Reading a landed file: one pass over its bytes gives its digest, its lines, its records and the verdict on its closing line.

``parse_landed`` decodes every record and keeps them; ``check_landed`` finds the same about the file and keeps none, a block of
lines at a time, so that other threads get their turn; ``skim_landed`` looks at nothing but the times and the failures, makes no
digest, and leaves the rest to a check later. Cost a megabyte: about 6 ms to parse or to check, while the digests are made beside,
and about 1.5 ms to skim.
"""

from __future__ import annotations

import hashlib
import threading
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field

from ..errors import RecordError
from ..storage import LandedFile, read_file
from ..times import parse_ns
from .record import (
    _REFUSALS,
    CLOSING,
    Header,
    Record,
    decode_closing,
    decode_header,
    decode_many,
    decode_record,
    kind_named_by,
    skim_many,
)

_OBSERVERS = ("changes-", "execution-")
_OBSERVATION = b"changes/1"
"""The one observation that also stands on ordinary records; others have files of their own."""
_LARGE = 1 << 19
_BLOCK = 1 << 19
"""Bytes decoded in one go by a check: the decoder lets no other thread run meanwhile."""


@dataclass(slots=True)
class Landed:
    """What one pass over a landed file found.

    ``fault`` is empty, or why the file contributes no records (its header is refused) or not all (a line does not decode);
    ``closing_fault`` is empty, or what the closing line says that is not so. The document does not depend on the latter.
    ``failed`` holds the rows with a part that failed; ``observing`` tells that the file may hold workspace changes or executions.
    ``checked`` is False after a skim: ``digest``, ``closing_fault``, ``observing`` and whether every record decodes are not known.
    """

    file: LandedFile
    kind: str = ""
    header: Header | None = None
    size: int = 0
    lines: int = 0
    digest: str = ""
    count: int = 0
    times: array[int] = field(default_factory=lambda: array("q"))
    fault: str = ""
    closing_fault: str = ""
    failed: frozenset[int] = frozenset()
    observing: bool = False
    checked: bool = True
    records: list[Record] = field(default_factory=list)

    def agrees_with(self, other: Landed) -> bool:
        """Whether two readings of a file found the same records: as many, of the same times, the same of them failed."""
        return (
            self.count == other.count
            and self.fault == other.fault
            and self.kind == other.kind
            and self.failed == other.failed
            and self.times == other.times
        )

    def confirm(self, checked: Landed) -> None:
        """Take over what the check of this file, which was skimmed, found beside its records."""
        for name in ("header", "size", "lines", "digest", "closing_fault", "observing", "checked"):
            setattr(self, name, getattr(checked, name))

    def span(self) -> tuple[int, int]:
        """Least and greatest record time in nanoseconds, (0, 0) when no record carries one."""
        known = [ns for ns in self.times if ns]
        return (min(known), max(known)) if known else (0, 0)


def read_landed(file: LandedFile) -> Landed:
    """Read a landed file whole.

    Args:
        file: as ``Storage.landed`` lists it.

    Returns:
        Everything about it, with its records decoded; what is wrong with it is said in its fault fields.

    Raises:
        OSError: when the file cannot be read at all.
    """
    return parse_landed(file, read_file(file.path))


def parse_landed(file: LandedFile, data: bytes) -> Landed:
    """As ``read_landed``, from bytes at hand."""
    landed, frame = _framed(file, data)
    digests = _Digests(data, frame.end)
    if landed.header is not None:
        _read_records(landed, frame)
    landed.times = array("q", [parse_ns(r.time) if r.time else 0 for r in landed.records])
    landed.count = len(landed.records)
    rows = enumerate(landed.records, 1)
    landed.failed = frozenset([row for row, record in rows if record.parts for part in record.parts if part.failed])
    landed.digest, before_closing = digests.values()
    landed.closing_fault = _closing_fault(data, frame.end, frame.count, before_closing)
    return landed


def check_landed(file: LandedFile, data: bytes) -> Landed:
    """As ``parse_landed`` without keeping a record; other threads get their turn between two blocks of lines."""
    landed, frame = _framed(file, data)
    digests = _Digests(data, frame.end)
    if landed.header is not None:
        failed: list[int] = []
        try:
            for records in _record_blocks(frame):
                row = len(landed.times)
                landed.times.extend([parse_ns(r.time) if r.time else 0 for r in records])
                rows = enumerate(records, row + 1)
                failed += [row for row, record in rows if record.parts for part in record.parts if part.failed]
        except RecordError as error:
            landed.fault = str(error)
        landed.failed = frozenset(failed)
        landed.count = len(landed.times)
    landed.digest, before_closing = digests.values()
    landed.closing_fault = _closing_fault(data, frame.end, frame.count, before_closing)
    return landed


def skim_landed(file: LandedFile, data: bytes) -> Landed:
    """The times and the failures of a file's records, as quickly as they can be had.

    Only a file of the usual form is skimmed right: what is said of any other is put right by its check. One that does not even
    decode so far is checked at once.
    """
    first_end = data.find(b"\n")
    end = data.rfind(b"\n" + CLOSING) + 1 or len(data)
    try:
        header = decode_header(data[:first_end])
        skims = skim_many(memoryview(data)[first_end + 1 : end]) if 0 <= first_end < end else []
    except (RecordError, *_REFUSALS):
        return check_landed(file, data)
    landed = Landed(file, header.kind, header, len(data), len(skims) + 2, checked=False)
    landed.times = array("q", [parse_ns(skim.time) if skim.time else 0 for skim in skims])
    landed.count = len(skims)
    rows = enumerate(skims, 1)
    landed.failed = frozenset([row for row, skim in rows if skim.parts for part in skim.parts if part.failed])
    landed.observing = file.name.startswith(_OBSERVERS)
    return landed


@dataclass(slots=True)
class _Frame:
    """Where the records stand in the bytes of a file.

    Attributes:
        start, end: where the lines of the records start, and where the closing line does.
        count: how many lines that are.
        apart: whether every line break is one between two records: the decoder alone does not mind two on a line, or one on two.
    """

    data: bytes
    start: int
    end: int
    count: int
    apart: bool

    @property
    def body(self) -> memoryview:
        """The lines of the records."""
        return memoryview(self.data)[self.start : self.end]


def _framed(file: LandedFile, data: bytes) -> tuple[Landed, _Frame]:
    """What the first line and the line breaks of a file tell."""
    end = closing_start(data)
    landed = Landed(file, size=len(data))
    landed.lines = data.count(b"\n")
    first_end = data.find(b"\n")
    first = data if first_end < 0 else data[:first_end]
    try:
        landed.header = decode_header(first)
        landed.kind = landed.header.kind
    except RecordError as error:
        landed.fault = str(error)
        landed.kind = kind_named_by(first)
    landed.observing = file.name.startswith(_OBSERVERS) or _OBSERVATION in data
    start = first_end + 1 if 0 <= first_end < end else end
    newlines = landed.lines - data.count(b"\n", end) - (0 <= first_end < end)
    count = newlines + (start < end and data[end - 1] != 0x0A)
    return landed, _Frame(data, start, end, count, data.count(b"}\n{", start, end) == count - 1)


class _Digests:
    """SHA-256 of a file, and of what stands before its closing line, in one pass; a large file's is made beside the decoding."""

    def __init__(self, data: bytes, end: int) -> None:
        self._data = memoryview(data)
        self._end = end
        self._thread: threading.Thread | None = None
        if len(data) > _LARGE:
            self._thread = threading.Thread(target=self._compute, daemon=True)
            self._thread.start()
        else:
            self._compute()

    def _compute(self) -> None:
        hashed = hashlib.sha256(self._data[: self._end])
        self._before = hashed.hexdigest()
        hashed.update(self._data[self._end :])
        self._whole = hashed.hexdigest()

    def values(self) -> tuple[str, str]:
        """Digest of all bytes, and of those before the closing line."""
        if self._thread is not None:
            self._thread.join()
        return self._whole, self._before


def closing_start(data: bytes) -> int:
    """Where the closing line starts; the length of the data when there is none."""
    if data.startswith(CLOSING):
        return 0
    at = data.find(b"\n" + CLOSING)
    return len(data) if at < 0 else at + 1


def _read_records(landed: Landed, frame: _Frame) -> None:
    """Decode the block at once; line by line only when the decoder or the count of lines disagrees."""
    try:
        records = decode_many(frame.body) if frame.apart else []
        if len(records) == frame.count:
            landed.records = records
            return
    except _REFUSALS:
        pass
    try:
        for record in _one_by_one(frame.body, 1):
            landed.records.append(record)
    except RecordError as error:
        landed.fault = str(error)


def _record_blocks(frame: _Frame) -> Iterator[list[Record]]:
    """The records of a file, some at a time.

    Raises:
        RecordError: at the first line that does not decode, after the records before it.
    """
    if not frame.apart:
        yield from ([record] for record in _one_by_one(frame.body, 1))
        return
    data, at, row = frame.data, frame.start, 1
    while at < frame.end:
        cut = data.rfind(b"\n", at, min(at + _BLOCK, frame.end)) + 1 or data.find(b"\n", at, frame.end) + 1 or frame.end
        block = memoryview(data)[at:cut]
        count = data.count(b"\n", at, cut) + (data[cut - 1] != 0x0A)
        try:
            records = decode_many(block)
        except _REFUSALS:
            records = []
        if len(records) == count:
            yield records
        else:
            yield from ([record] for record in _one_by_one(block, row))
        row += count
        at = cut


def _one_by_one(body: memoryview, first: int) -> Iterator[Record]:
    """The records of some lines, decoded each by itself; ``first`` is the row of the first.

    Raises:
        RecordError: at the first that does not decode.
    """
    for row, line in enumerate(split_lines(bytes(body)), first):
        try:
            yield decode_record(line)
        except RecordError as error:
            raise RecordError(f"row {row} does not decode; reading stops there ({error})") from None


def split_lines(body: bytes) -> list[bytes]:
    """The lines of a block without their ends; a last line without its end counts, nothing after the last end does."""
    lines = body.split(b"\n")
    if lines and not lines[-1]:
        lines.pop()
    return lines


def _closing_fault(data: bytes, end: int, count: int, computed: str) -> str:
    if end == len(data):
        return "there is no closing line; the file is truncated"
    line_end = data.find(b"\n", end)
    closing = decode_closing(data[end:] if line_end < 0 else data[end:line_end])
    if closing is None:
        return "the closing line does not decode"
    if line_end >= 0 and data[line_end + 1 :].strip():
        return "there is text after the closing line"
    if closing.digest != computed:
        return f"digest mismatch: computed {computed[:12]}, the closing line claims {closing.digest[:12] or 'nothing'}"
    if closing.records != count:
        return f"counts mismatch: the file holds {count} records, the closing line claims {closing.records}"
    return ""
