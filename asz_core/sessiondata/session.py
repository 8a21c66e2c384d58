"""The landed files of one session, by address: (seq, row) to a time, a record, or the landed line itself.

``SessionData`` reads each landed file once, keeps 16 bytes a row (its time and its place) or, while ``keep_records`` is on, the
decoded records; later a single row is read again from the file by its place. ``refresh`` lists the directory and reads only what is
new. Cost: the first load is one pass over all files; ``time`` is a dictionary and an array look-up; ``record`` reads and decodes
one line; taking in new files costs these, and copies of the lists of those there are.

Who wants to show something before everything was read has the files skimmed first: that gives the times. They are checked in the
readings that follow, so many bytes in each.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable

import msgspec

from ..errors import RecordError
from ..rawjson import text_of
from ..storage import LandedFile, Storage, read_file
from .ahead import ReadAhead
from .reader import Landed, check_landed, parse_landed, row_places, skim_landed
from .record import Record, decode_record

_RECENT = 4096
_CHECKED_AT_ONCE = 16_000_000
"""Bytes of skimmed files that one reading checks, so that what lands meanwhile need not wait for all of them."""


class NewFiles(msgspec.Struct):
    """What a listing found: every landed file there is, and those read now."""

    listed: list[LandedFile]
    landed: list[Landed] = msgspec.field(default_factory=list)
    after: list[LandedFile] | None = None
    """The listing that this one only goes on from, with the files read now; None when it is not so."""
    unreadable: dict[str, str] = msgspec.field(default_factory=dict)


class SessionData:
    """What a session landed, and its records by address.

    Attributes:
        files: what was read, by sequence, then by path.
        unreadable: listed files that could not be read, with the reason.
        generation: counts the files that went.
        unchecked: bytes of the files that were only skimmed so far.
    """

    def __init__(self, storage: Storage, session: str, *, keep_records: bool = False) -> None:
        self.storage = storage
        self.session = session
        self.keep_records = keep_records
        self.files: list[Landed] = []
        self.unreadable: dict[str, str] = {}
        self.generation = 0
        self.unchecked = 0
        self._known: dict[str, Landed] = {}
        self._by_seq: dict[int, list[Landed]] = {}
        self._last: dict[int, Landed] = {}
        self._listed: list[LandedFile] = []
        self._by_path: dict[str, LandedFile] = {}
        self._recent: OrderedDict[tuple[str, int], Record | None] = OrderedDict()
        self._failed_once = False

    def read_ahead(self) -> ReadAhead | None:
        """Begin to read what ``read_new`` will need, when nothing was read yet."""
        return None if self.files else ReadAhead(self.storage, self.session)

    def read_new(
        self, progress: Callable[[int, int], None] | None = None, *, skim: bool = False, ahead: ReadAhead | None = None
    ) -> NewFiles:
        """List the session's directory and read the files not read yet, changing nothing; may run in another thread.

        Args:
            progress: called with (bytes read, bytes in all) after each file.
            skim: only skim them; the readings after the next ``take`` check them.
            ahead: what was read of them already.
        """
        known = self._by_path
        listed = self.storage.landed(self.session, known) if known else self.storage.landed(self.session)
        new = [file for file in listed if self._is_new(file)]
        found = NewFiles(listed)
        sizes = [file.size() for file in new] if progress else []
        total, done = sum(sizes), 0
        read = skim_landed if skim else parse_landed if self.keep_records else check_landed
        for number, file in enumerate(new):
            try:
                data = ahead.take(file.path) if ahead is not None else None
                found.landed.append(read(file, read_file(file.path) if data is None else data))
            except OSError as error:
                found.unreadable[file.wire] = error.strerror or str(error)
                continue
            if progress:
                done += sizes[number]
                progress(done, total)
        if not skim and self.unchecked:
            self._check(found)
        if _continues(self._listed, listed, found.landed):
            found.after = self._listed
        return found

    def _check(self, found: NewFiles) -> None:
        """Check some of the files that were only skimmed."""
        size = 0
        for landed in self.files:
            if not landed.checked and size < _CHECKED_AT_ONCE:
                self._check_one(landed, found)
                size += landed.size

    @staticmethod
    def _check_one(landed: Landed, found: NewFiles) -> None:
        try:
            found.landed.append(check_landed(landed.file, read_file(landed.file.path)))
        except OSError as error:
            found.unreadable[landed.file.wire] = error.strerror or str(error)

    def _is_new(self, file: LandedFile) -> bool:
        """Whether a file was not read, or was read before it was whole and has grown since."""
        known = self._known.get(file.wire)
        return known is None or (bool(known.closing_fault) and file.size() != known.size)

    def take(self, new: NewFiles) -> list[Landed]:
        """Make what ``read_new`` found part of this session; files that are gone since are dropped.

        Returns:
            The new files, and those that turned out other than they were skimmed.
        """
        landed = [found for found in new.landed if not self._has_read(found)]
        # What could be skimmed and can be read no more: nothing is known of its bytes.
        lost = {wire for wire in new.unreadable if wire in self._known and not self._known[wire].checked}
        listed = [file for file in new.listed if file.wire not in lost] if lost else new.listed
        self.unreadable = new.unreadable
        if not landed and listed == self._listed:
            return landed
        # Comparing with all that is known was done beside the screen, unless something was taken in since.
        if (new.after is self._listed and not lost) or _continues(self._listed, listed, landed):
            self.files = [*self.files, *landed]
            self._index(landed)
        else:
            self._replace(listed, landed)
        self._listed = [found.file for found in self.files] if len(self.files) < len(listed) else listed
        if landed and self._failed_once:
            # What could not be read may be there now.
            self._recent = OrderedDict((key, found) for key, found in self._recent.items() if found is not None)
            self._failed_once = False
        return landed

    def _has_read(self, landed: Landed) -> bool:
        """Whether a file that was read is known already as it was read: two readings went on side by side, or it was skimmed."""
        known = self._known.get(landed.file.wire)
        if known is None or (known.size, known.digest) == (landed.size, landed.digest):
            return known is not None
        if known.checked or not landed.checked or not landed.agrees_with(known):
            return False
        self.unchecked -= known.size
        known.confirm(landed)
        return True

    def _index(self, landed: list[Landed]) -> None:
        """Make files found by their addresses; they come last of those with their sequence."""
        for found in landed:
            self._known[found.file.wire] = found
            self._by_path[found.file.path] = found.file
            self._by_seq.setdefault(found.file.seq, []).append(found)
            self._last[found.file.seq] = found
            if not found.checked:
                self.unchecked += found.size

    def _replace(self, listed: list[LandedFile], landed: list[Landed]) -> None:
        """Take in files when others went, grew, or come after the new ones; costs all files."""
        gone = self._known.keys() - {file.wire for file in listed}
        grown = self._known.keys() & {found.file.wire for found in landed}
        self.generation += len(gone) + len(grown)
        known = self._known | {found.file.wire: found for found in landed}
        self.files = [known[file.wire] for file in listed if file.wire in known]
        self._known, self._by_path, self._by_seq, self._last, self.unchecked = {}, {}, {}, {}, 0
        self._index(self.files)
        if gone or grown:
            self._recent = OrderedDict((key, found) for key, found in self._recent.items() if key[0] not in gone | grown)

    def complete(self) -> None:
        """Check at once what was only skimmed; for a copy (``beside``) that is to be verified in its own thread."""
        if all(landed.checked for landed in self.files):
            return
        found = NewFiles([])
        for landed in self.files:
            if not landed.checked:
                self._check_one(landed, found)
        checked = {landed.file.wire: landed for landed in found.landed}
        files = [checked.get(landed.file.wire, landed) for landed in self.files]
        self.unreadable = self.unreadable | found.unreadable
        self._known, self._by_path, self._by_seq, self._last, self.unchecked = {}, {}, {}, {}, 0
        self.files = [landed for landed in files if landed.checked]
        self._index(self.files)
        self._listed = [landed.file for landed in self.files]
        self._recent.clear()

    def refresh(self, progress: Callable[[int, int], None] | None = None) -> list[Landed]:
        """``take`` what ``read_new`` finds."""
        return self.take(self.read_new(progress))

    def by_seq(self, seq: int) -> Landed | None:
        """The file that decides a sequence: of several, the last by path (formats.md section 1)."""
        files = self._by_seq.get(seq)
        return files[-1] if files else None

    def time(self, seq: int, row: int) -> int:
        """Nanoseconds of the record at an address; 0 when there is no such record or it carries no time."""
        landed = self._last.get(seq)
        if landed is None or not 0 < row <= landed.count:
            landed = self._holder(seq, row)
        return landed.times[row - 1] if landed is not None else 0

    def _holder(self, seq: int, row: int) -> Landed | None:
        if row < 1:
            return None
        for landed in reversed(self._by_seq.get(seq, ())):
            if row <= landed.count:
                return landed
        return None

    def has(self, seq: int, row: int) -> bool:
        """Whether there is a record at an address."""
        return self._holder(seq, row) is not None

    def failed(self, seq: int, row: int) -> bool:
        """Whether the record at an address has a part that failed; a look-up, nothing is read."""
        landed = self._holder(seq, row)
        return landed is not None and row in landed.failed

    def record(self, seq: int, row: int) -> Record | None:
        """The record at an address, or None when there is none (any more)."""
        landed = self._last.get(seq)
        if landed is None or not 0 < row <= landed.count:
            landed = self._holder(seq, row)
            if landed is None:
                return None
        records = landed.records
        return records[row - 1] if records else self.record_in(landed, row)

    def record_in(self, landed: Landed, row: int) -> Record | None:
        """The record at a row, from 1, of one file, also of one that does not decide its sequence; None when it cannot be read."""
        if landed.records:
            return landed.records[row - 1]
        key = (landed.file.wire, row)
        if key in self._recent:
            return self._recent[key]
        try:
            record = decode_record(self._line(landed, row))
        except (OSError, RecordError):
            record = None
            self._failed_once = True
        self._recent[key] = record
        if len(self._recent) > _RECENT:
            self._recent.popitem(last=False)
        return record

    def landed_line(self, seq: int, row: int) -> str | None:
        """The landed record itself: its line as text, in the file's own spelling, or None when there is none.

        Raises:
            OSError: when the file was there at loading and cannot be read now.
        """
        landed = self._holder(seq, row)
        return None if landed is None else text_of(self._line(landed, row))

    def _line(self, landed: Landed, row: int) -> bytes:
        if not landed.places:
            landed.places = row_places(read_file(landed.file.path))
        places = landed.places
        if row + 1 < len(places):
            start, end = places[row], places[row + 1] - 1
            with open(landed.file.path, "rb", buffering=0) as file:
                line = os.pread(file.fileno(), end - start, start)
            if len(line) == end - start:
                return line
        raise OSError(f"{landed.file.wire} was cut since it was read")

    def beside(self) -> SessionData:
        """The same files for another thread: what was read is shared, what is remembered of single rows is not."""
        other = SessionData(self.storage, self.session)
        other.files, other._by_seq, other._last = self.files, self._by_seq, self._last
        other.unchecked = self.unchecked
        return other

    def forget_records(self) -> None:
        """Let go of the decoded records; from now on a record is read by its address."""
        self.keep_records = False
        for landed in self.files:
            landed.records = []


def _continues(before: list[LandedFile], listed: list[LandedFile], landed: list[Landed]) -> bool:
    """Whether a listing is an earlier one with just the landed files after it."""
    return listed[: len(before)] == before and [found.file for found in landed] == listed[len(before) :]
