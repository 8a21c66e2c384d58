"""Reading a landed file: one pass over its bytes gives its digest, its lines, its records and the verdict on its closing line.

A ``Landed`` keeps the decoded records only while its user does; ``rows`` keeps just where each row stands, so that one record can
be read again by its address without decoding anything else. Cost: one read, one SHA-256 pass and one decoding pass, about
5 ms a megabyte; a single row by address costs the row.
"""

from __future__ import annotations

import hashlib
import threading
from array import array
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
)

_OBSERVERS = ("changes-", "execution-")
_OBSERVATION = b"changes/1"
"""The one observation that also stands on ordinary records; others have files of their own."""
_LARGE = 1 << 19


@dataclass(slots=True)
class Landed:
    """What one pass over a landed file found.

    ``fault`` is empty, or why the file contributes no records (its header is refused) or not all (a line does not decode);
    ``closing_fault`` is empty, or what the closing line says that is not so. The document does not depend on the latter.
    ``failed`` holds the rows with a part that failed; ``observing`` tells that the file may hold workspace changes or executions.
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
    records: list[Record] = field(default_factory=list)

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
    end = closing_start(data)
    landed = Landed(file, size=len(data))
    digests = _Digests(data, end)
    landed.lines = data.count(b"\n")
    first_end = data.find(b"\n")
    first = data if first_end < 0 else data[:first_end]
    try:
        landed.header = decode_header(first)
        landed.kind = landed.header.kind
    except RecordError as error:
        landed.fault = str(error)
        landed.kind = kind_named_by(first)
    body = memoryview(data)[first_end + 1 : end] if 0 <= first_end < end else memoryview(b"")
    newlines = landed.lines - data.count(b"\n", end) - (0 <= first_end < end)
    count = newlines + (len(body) > 0 and body[-1] != 0x0A)
    if landed.header is not None:
        # Every line break must be one between two records: the decoder alone does not mind two on a line, or one on two.
        _read_records(landed, body, count, data.count(b"}\n{", first_end + 1, end) == count - 1)
    landed.times = array("q", [parse_ns(r.time) if r.time else 0 for r in landed.records])
    landed.count = len(landed.records)
    landed.observing = file.name.startswith(_OBSERVERS) or _OBSERVATION in data
    rows = enumerate(landed.records, 1)
    landed.failed = frozenset([row for row, record in rows if record.parts for part in record.parts if part.failed])
    landed.digest, before_closing = digests.values()
    landed.closing_fault = _closing_fault(data, end, count, before_closing)
    return landed


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


def _read_records(landed: Landed, body: memoryview, count: int, apart: bool) -> None:
    """Decode the block at once; line by line only when the decoder or the count of lines disagrees."""
    try:
        records = decode_many(body) if apart else []
        if len(records) == count:
            landed.records = records
            return
    except _REFUSALS:
        pass
    for row, line in enumerate(split_lines(bytes(body)), 1):
        try:
            landed.records.append(decode_record(line))
        except RecordError as error:
            landed.fault = f"row {row} does not decode; reading stops there ({error})"
            return


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
