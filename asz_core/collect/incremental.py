"""One pass over one session: what is new in each of its sources lands, and its cursors are moved.

The collecting specification, §9.1 (a session), §9.3 (append sources), §9.4 (snapshots), §9.7 (cursors whose source is gone).
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from ..storage import open_without_waiting
from ..times import spell_ns
from ..writing import Modes, write_whole
from .convert import Unwritable
from .cursors import ACTIVE, CONFLICT, GONE, Cursor, CursorError, format_state, read_cursor, read_next_seq
from .landing import file_name, landed_file
from .sources import Source, source_at

BUDGET = 2 << 20
"""Source bytes that land in one file, unless a line is longer."""

TAIL = 1 << 20
"""As many bytes before the offset are verified."""

MOST_FILES = 65
"""Files of one source that land in one pass."""

_SEQUENCE = re.compile(r"-([0-9]{6,})\.sd")
_UUID = b'"uuid":"'


@dataclass(slots=True)
class Tally:
    """What came of a session's pass.

    Attributes:
        files: landed files.
        records: landed records.
        bytes: source bytes that landed.
        pending: sources that hold more than one pass takes.
        conflicts: sources that conflict, now or since before, each as a sentence.
        errors: everything that went wrong, each as a sentence.
        busy: another collector holds the session.
    """

    files: int = 0
    records: int = 0
    bytes: int = 0
    pending: int = 0
    conflicts: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    busy: bool = False

    @property
    def complete(self) -> bool:
        """Whether everything there was has landed."""
        return not (self.pending or self.conflicts or self.errors or self.busy)


class SessionPass:
    """A pass over one session, under its lock."""

    def __init__(self, source_root: str, folder: str, session: str, *, ns: int, modes: Modes, budget: int, most_files: int):
        """
        Args:
            source_root: where the sources are.
            folder: the session's directory below the storage root.
            session: its id.
            ns: the time of the pass.
            modes: of what is written.
            budget: source bytes that land in one file.
            most_files: of one source that land in the pass.
        """
        self.tally = Tally()
        self._source_root, self._folder, self._session = source_root, folder, session
        self._ns, self._at, self._modes = ns, spell_ns(ns).encode(), modes
        self._budget, self._most_files = budget if budget > 0 else BUDGET, most_files
        self._next_seq = 0
        self._used: set[str] = set()

    def collect(self, sources: list[Source]) -> None:
        """Collect the sources in order, mark those that are gone, save the session's state.

        Raises:
            OSError: when the session's state cannot be read or written.
            CursorError: when it cannot be read.
        """
        for source in sources:
            if source.cursor in self._used:
                self.tally.conflicts.append(f"{source.rel}: another source of the session is collected in its place")
                continue
            self._used.add(source.cursor)
            self._guarded(source)
        self.mark_gone()
        state = f"{self._folder}/session.state"
        if self._next_seq or not os.path.lexists(state):
            text = format_state(self._session, self._sequence(), self._at)
            write_whole(state, text, self._modes.other, self._modes)

    def _guarded(self, source: Source) -> None:
        try:
            (self._append if source.kind.append else self._snapshot)(source)
        except OSError as error:
            self.tally.errors.append(f"{source.rel}: {error.strerror or error}")
        except (Unwritable, CursorError) as error:
            self.tally.errors.append(f"{source.rel}: {error}")

    def _sequence(self) -> int:
        """The next sequence; found out when it is first needed."""
        if not self._next_seq:
            stated = read_next_seq(f"{self._folder}/session.state")
            self._next_seq = max(stated, 1, 1 + highest_sequence(self._folder))
        return self._next_seq

    def _path(self, source: Source) -> str:
        return f"{self._source_root}/{source.rel}"

    def _save(self, source: Source, cursor: Cursor) -> None:
        cursor.updated_at = self._at
        self._write_cursor(source.cursor, cursor)

    def _write_cursor(self, name: str, cursor: Cursor) -> None:
        write_whole(f"{self._folder}/{name}", cursor.to_bytes(), self._modes.other, self._modes)

    def _cursor(self, source: Source) -> Cursor | None:
        """The cursor of a source; None when it is in a conflict, which nothing here ends."""
        cursor = read_cursor(f"{self._folder}/{source.cursor}")
        if cursor is None:
            cursor = Cursor(source=os.fsencode(source.rel))
        cursor.kind = b"append" if source.kind.append else b"snapshot"
        if cursor.state == CONFLICT:
            self.tally.conflicts.append(f"{source.rel}: it is in a conflict since an earlier pass; nothing of it is collected")
            return None
        if cursor.state == GONE:
            cursor.state = ACTIVE
            self._save(source, cursor)
        return cursor

    def _lose(self, source: Source, cursor: Cursor) -> None:
        cursor.state = GONE
        self._save(source, cursor)

    def _conflict(self, source: Source, cursor: Cursor, why: str) -> None:
        cursor.state = CONFLICT
        self._write_cursor(source.cursor, cursor)
        self.tally.conflicts.append(f"{source.rel}: {why}")
        self.tally.errors.append(f"{source.rel}: {why}; nothing of it is collected from now on")

    def _land(self, source: Source, payloads: Iterator[tuple[int, int, bytes]]) -> int:
        seq = self._sequence()
        self._next_seq += 1
        data, count = landed_file(source, self._ns, seq, payloads)
        write_whole(f"{self._folder}/{file_name(source, self._ns, seq)}", data, self._modes.landed, self._modes)
        self.tally.files += 1
        self.tally.records += count
        return seq

    def _append(self, source: Source) -> None:
        for _ in range(self._most_files):
            if not self._append_once(source):
                return
        self.tally.pending += 1

    def _append_once(self, source: Source) -> bool:
        """Land the next lines of a source (§9.3); whether there is more of it."""
        cursor = self._cursor(source)
        if cursor is None:
            return False
        try:
            stat = os.stat(self._path(source))
        except FileNotFoundError:
            self._lose(source, cursor)
            return False
        moved = False
        if not cursor.fresh:
            if stat.st_size < cursor.offset:
                self._conflict(source, cursor, "it is shorter than what was collected of it")
                return False
            moved = bool(cursor.ino and stat.st_ino and cursor.ino != stat.st_ino)
            if moved and not cursor.tail_sha256:
                self._conflict(source, cursor, "it was replaced, and nothing tells whether by the same text")
                return False
        if stat.st_size == cursor.offset and not moved:
            return False
        try:
            file = open(self._path(source), "rb", buffering=0, opener=open_without_waiting)  # noqa: SIM115
        except FileNotFoundError:
            self._lose(source, cursor)
            return False
        with file:
            return self._append_from(source, cursor, stat, moved, file.fileno())

    def _append_from(self, source: Source, cursor: Cursor, stat: os.stat_result, moved: bool, handle: int) -> bool:
        if not cursor.fresh and cursor.tail_sha256 and _tail_digest(handle, cursor.offset) != cursor.tail_sha256:
            self._conflict(source, cursor, "what was collected of it is no longer what it holds")
            return False
        window = b""
        if stat.st_size > cursor.offset:
            window = _window(handle, cursor.offset, stat.st_size, self._budget)
        if not window:
            if moved:
                _look(cursor, stat)
                self._save(source, cursor)
            return False
        size, offset, count = stat.st_size, cursor.offset, window.count(b"\n")
        seq = self._land(source, _lines(window, cursor.ord, offset))
        self.tally.bytes += len(window)
        cursor.offset, cursor.ord = offset + len(window), cursor.ord + count
        cursor.last_uuid = _last_uuid(window) or cursor.last_uuid
        cursor.tail_sha256 = self._digest_again(source, cursor.offset)
        cursor.last_seq, cursor.state = seq, ACTIVE
        _look(cursor, stat)
        self._save(source, cursor)
        return cursor.offset < size

    def _digest_again(self, source: Source, offset: int) -> bytes:
        """The digest before the new offset, of the source as it now is; empty when it just vanished."""
        try:
            with open(self._path(source), "rb", buffering=0, opener=open_without_waiting) as file:
                return _tail_digest(file.fileno(), offset)
        except FileNotFoundError:
            return b""

    def _snapshot(self, source: Source) -> None:
        """Land a snapshot source whose content changed (§9.4)."""
        cursor = self._cursor(source)
        if cursor is None:
            return
        try:
            with open(self._path(source), "rb", buffering=0, opener=open_without_waiting) as file:
                payload = file.read().rstrip(b"\r\n")
        except FileNotFoundError:
            self._lose(source, cursor)
            return
        digest = hashlib.sha256(payload).hexdigest().encode()
        if not payload or digest == cursor.content_sha256:
            return
        cursor.last_seq = self._land(source, iter([(1, 0, payload)]))
        self.tally.bytes += len(payload)
        cursor.content_sha256, cursor.state = digest, ACTIVE
        _look(cursor, os.stat(self._path(source)))
        self._save(source, cursor)

    def mark_gone(self) -> None:
        """Mark the cursors whose source is gone (§9.7)."""
        for name, cursor, source in cursors_of(self._folder, self._used):
            if cursor.state != ACTIVE or source is None:
                continue
            if source.session == self._session and source.cursor == name and not os.path.lexists(self._path(source)):
                try:
                    self._lose(source, cursor)
                except OSError as error:
                    self.tally.errors.append(f"{name}: {error.strerror or error}")


def cursors_of(folder: str, but: Collection[str] = ()) -> Iterator[tuple[str, Cursor, Source | None]]:
    """The cursors of a session: the file below its directory, what it says, and the source that it names by the table of §2.2.

    Args:
        folder: the session's directory.
        but: cursor files that are not wanted; they are not read.
    """
    for where, prefixes in (("streams", ("transcript", "meta")), ("runs", ("journal", "manifest", "script"))):
        try:
            below = sorted(os.listdir(f"{folder}/{where}"))
        except OSError:
            continue
        for inner in below:
            for prefix in prefixes:
                name = f"{where}/{inner}/{prefix}.cursor"
                if name in but:
                    continue
                try:
                    cursor = read_cursor(f"{folder}/{name}")
                except (OSError, CursorError):
                    continue
                if cursor is not None:
                    yield name, cursor, source_at(os.fsdecode(cursor.source))


def highest_sequence(folder: str) -> int:
    """The highest sequence that any file at any depth below a directory names; 0 when none does."""
    highest, waiting = 0, [folder]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    if entry.name.endswith(".sd"):
                        found = _SEQUENCE.search(entry.name, max(0, entry.name.rfind("-")))
                        if found and found.end() == len(entry.name):
                            highest = max(highest, int(found[1]))
                    elif entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
        except OSError:
            continue
    return highest


def _look(cursor: Cursor, stat: os.stat_result) -> None:
    """Take over what a look at the source told."""
    cursor.dev, cursor.ino, cursor.size = stat.st_dev, stat.st_ino, stat.st_size
    cursor.mtime = stat.st_mtime_ns // 1_000_000_000


def _window(handle: int, offset: int, size: int, budget: int) -> bytes:
    """The next whole lines of a file; empty when there is none yet (§9.3, 6)."""
    window = _read(handle, offset, min(size - offset, budget))
    end = window.rfind(b"\n") + 1
    if not end and len(window) == budget and offset + len(window) < size:
        window = _read(handle, offset, size - offset)
        end = window.rfind(b"\n") + 1
    return window[:end]


def _read(handle: int, offset: int, length: int) -> bytes:
    pieces: list[bytes] = []
    while length:
        piece = os.pread(handle, length, offset)
        if not piece:
            break
        pieces.append(piece)
        offset, length = offset + len(piece), length - len(piece)
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def _tail_digest(handle: int, offset: int) -> bytes:
    start = max(0, offset - TAIL)
    return hashlib.sha256(_read(handle, start, offset - start)).hexdigest().encode()


def _lines(window: bytes, ord_: int, offset: int) -> Iterator[tuple[int, int, bytes]]:
    for line in window[:-1].split(b"\n"):
        ord_ += 1
        yield ord_, offset, line
        offset += len(line) + 1


def _last_uuid(window: bytes) -> bytes:
    """What stands after the first ``"uuid":"`` of the last line that has one."""
    at = window.rfind(_UUID)
    if at < 0:
        return b""
    start = window.find(_UUID, window.rfind(b"\n", 0, at) + 1) + len(_UUID)
    line_end = window.find(b"\n", start)
    end = window.find(b'"', start, line_end)
    return window[start:end] if end >= 0 else b""
