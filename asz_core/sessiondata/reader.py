"""Reading a landed file: one pass over its bytes gives its digest, its lines, its records and the verdict on its closing line.

``parse_landed`` decodes every record and keeps them, some hundred lines at a time, so that other threads get their turn in between;
``check_landed`` finds the same about the file and keeps none; ``skim_landed`` looks at nothing but the times and the failures,
makes no digest, and leaves the rest to a check later. Cost a megabyte: about 4 ms to parse or to check, while the digests are made
beside, and about 1.5 ms to skim.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from itertools import pairwise

import msgspec

from ..digests import Digests
from ..errors import RecordError
from ..storage import LandedFile, read_file
from ..times import parse_many
from .record import (
    _REFUSALS,
    CLOSING,
    Header,
    Record,
    decode_closing,
    decode_header,
    decode_lines,
    decode_record,
    decode_strictly,
    kind_named_by,
    skim_many,
)

_OBSERVERS = ("changes-", "execution-")
_OBSERVATION = b"changes/1"
"""The one observation that also stands on ordinary records; others have files of their own."""
_BLOCK = 256
"""Lines that are decoded at once; other threads get their turn between two blocks."""
_OPENING, _ENDING = b"{}"


class Landed(msgspec.Struct):
    """What one pass over a landed file found.

    ``fault`` is empty, or why the file contributes no records (its header is refused) or not all (a line does not decode);
    ``closing_fault`` is empty, or what the closing line says that is not so. The document does not depend on the latter.
    ``failed`` holds the rows with a part that failed; ``observing`` tells that the file may hold workspace changes or executions.
    ``places`` tells where each line starts (see ``row_places``); empty after a skim.
    ``checked`` is False after a skim: ``digest``, ``closing_fault``, ``observing`` and whether every record decodes are not known.
    """

    file: LandedFile
    kind: str = ""
    header: Header | None = None
    size: int = 0
    lines: int = 0
    digest: str = ""
    count: int = 0
    times: array[int] = msgspec.field(default_factory=lambda: array("q"))
    fault: str = ""
    closing_fault: str = ""
    failed: frozenset[int] = frozenset()
    observing: bool = False
    checked: bool = True
    places: array[int] = msgspec.field(default_factory=lambda: array("q"))
    records: list[Record] = msgspec.field(default_factory=list)

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
        for name in ("header", "size", "lines", "digest", "closing_fault", "observing", "checked", "places"):
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
    return _read_through(file, data, keep=True)


def check_landed(file: LandedFile, data: bytes) -> Landed:
    """As ``parse_landed`` without keeping a record."""
    return _read_through(file, data, keep=False)


def _read_through(file: LandedFile, data: bytes, *, keep: bool) -> Landed:
    """Find everything about a file: one pass over its line breaks, one decoding each line by itself, and one digest beside it."""
    landed = Landed(file, size=len(data), places=row_places(data))
    end = min(landed.places[-1], len(data))
    digests = Digests(data, end)
    first = data[: landed.places[1] - 1] if len(landed.places) > 1 else data.partition(b"\n")[0]
    try:
        landed.header = decode_header(first)
        landed.kind = landed.header.kind
        _take_records(landed, _blocks(data, landed.places), keep)
    except RecordError as error:
        landed.fault = str(error)
        landed.kind = landed.kind or kind_named_by(first)
    count = max(0, len(landed.places) - 2)
    landed.lines = len(landed.places) - 1 - (landed.places[-1] > len(data)) + data.count(b"\n", end)
    landed.observing = file.name.startswith(_OBSERVERS) or _OBSERVATION in data
    landed.digest, before_closing = digests.values()
    landed.closing_fault = _closing_fault(data, end, count, before_closing)
    return landed


def _take_records(landed: Landed, blocks: Iterable[list[Record]], keep: bool) -> None:
    """Go through the records of a file.

    Raises:
        RecordError: at the first that does not decode; what stands before it was taken.
    """
    times: list[str] = []
    failed: list[int] = []
    kept = landed.records
    try:
        for block in blocks:
            row = len(times) + 1
            times += [record.time for record in block]
            failed += [at for at, record in enumerate(block, row) if record.parts for part in record.parts if part.failed]
            if keep:
                kept += block
    finally:
        landed.times = array("q", parse_many(times))
        landed.failed = frozenset(failed)
        landed.count = len(times)


def _blocks(data: bytes, places: array[int]) -> Iterator[list[Record]]:
    """The records of a file, some lines at a time, each decoded from its own line.

    Raises:
        RecordError: at the first that does not decode.
    """
    view = memoryview(data)
    for first in range(1, len(places) - 1, _BLOCK):
        starts = places[first : first + _BLOCK + 1]
        records = _decoded_at_once(view, starts)
        if records is not None:
            yield records
            continue
        for row, (start, end) in enumerate(pairwise(starts), first):
            yield [_decoded(view[start : end - 1], row)]


def _decoded_at_once(view: memoryview, starts: array[int]) -> list[Record] | None:
    """The records of some lines, or None where they are to be looked at one by one."""
    last = len(starts) - 1
    # The decoder alone does not mind two records on a line, or one on two. None is where every line begins with an opening brace
    # and ends with a closing one: inside of a record these two never follow each other.
    if [view[start] for start in starts[:last]].count(_OPENING) < last or starts[last] > len(view):
        return None
    if [view[end - 2] for end in starts[1:]].count(_ENDING) < last:
        return None
    try:
        records = decode_lines(view[starts[0] : starts[last]])
    except _REFUSALS:
        return None
    return records if len(records) == last else None


def _decoded(line: memoryview, row: int) -> Record:
    try:
        return decode_strictly(line)
    except _REFUSALS:
        pass
    try:
        return decode_record(bytes(line))
    except RecordError as error:
        raise RecordError(f"row {row} does not decode; reading stops there ({error})") from None


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
    landed.times = array("q", parse_many([skim.time for skim in skims]))
    landed.count = len(skims)
    rows = enumerate(skims, 1)
    landed.failed = frozenset([row for row, skim in rows if skim.parts for part in skim.parts if part.failed])
    landed.observing = file.name.startswith(_OBSERVERS)
    return landed


def row_places(data: bytes) -> array[int]:
    """Start of every line up to the closing line, and one past the end of the last: row ``n`` is places[n] to places[n+1]-1."""
    places = array("q", [0])
    find, starts, size = data.find, data.startswith, len(data)
    at = 0
    while at < size and not starts(CLOSING, at):
        at = find(b"\n", at) + 1 or size + 1
        places.append(at)
    return places


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
