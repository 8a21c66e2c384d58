"""The entries of a session, kept between two assemblies, and the look-ups in them (the assembling specification, §1.1 and §2)."""

from __future__ import annotations

import os
from bisect import bisect_right
from operator import attrgetter

from ..errors import AssembleError
from ..storage import LandedFile, Storage
from .entries import BODY, CHANGES, EXECUTION, Entry, LandedEntries, read_entries
from .inference import Inference

_MOST_STEPS = 64
_NOWHERE = ("", 0)
_seq = attrgetter("seq")
_OUTSIDE = frozenset({CHANGES, BODY, EXECUTION})


class Landing:
    """The landed files of a session as entries.

    Attributes:
        files: what was read, by sequence.
        entries: all of them in landed order.
        inside: those that a window can hold: no duplicates, and not of a kind that stands outside.
        generation: counts how often reading had to start over.
        infers: whether what an older runtime did not write is inferred.
    """

    def __init__(self, storage: Storage, session: str, *, infer: bool = False) -> None:
        self.storage, self.session, self.infers = storage, session, infer
        self.generation = 0
        self._forget()

    def _forget(self) -> None:
        self.files: list[LandedEntries] = []
        self.entries: list[Entry] = []
        self.inside: list[Entry] = []
        self._by_id: dict[str, Entry] = {}
        self._listed: list[LandedFile] = []
        self._stamps: dict[str, tuple[int, int]] = {}
        self._missing: dict[str, tuple[str, int]] = {}
        self._inference = Inference()

    def refresh(self) -> None:
        """Read what landed since; everything anew when a file that was read is gone, is another now, or one came before it.

        Raises:
            AssembleError: when a landed file does not read strictly; nothing is known afterwards of what was not read.
        """
        self._check_folders()
        listed = self.storage.landed(self.session)
        known = len(self._listed)
        others = listed[:known] != self._listed or (0 < known < len(listed) and listed[known].seq <= self._listed[-1].seq)
        if others or any(_stamp(file) != self._stamps[file.path] for file in self._listed):
            self._start_over()
        for file in listed[len(self._listed) :]:
            stamp = _stamp(file)
            self._take(read_entries(file))
            self._listed.append(file)
            self._stamps[file.path] = stamp

    def _check_folders(self) -> None:
        """A folder that cannot be listed would look like one whose files are gone, and rounds would take back what they hold."""
        base = os.path.join(self.storage.path, self.session)
        folders = [os.path.join(base, name) for name in ("streams", "runs", "provider_body")]
        for number, folder in enumerate(folders):
            try:
                with os.scandir(folder) as found:
                    if number < 2:
                        folders += [entry.path for entry in found if entry.is_dir()]
            except (FileNotFoundError, NotADirectoryError):
                continue
            except OSError as error:
                raise AssembleError(f"{folder} cannot be listed: {error.strerror or error}") from None

    def _start_over(self) -> None:
        self._forget()
        self.generation += 1

    def _take(self, landed: LandedEntries) -> None:
        self.files.append(landed)
        self.entries += landed.entries
        by_id, inside = self._by_id, self.inside
        known = len(inside)
        for entry in landed.entries:
            kind, name = entry.kind, entry.id
            if kind is BODY:
                continue
            if name and by_id.setdefault(name, entry) is not entry:
                continue
            if kind not in _OUTSIDE:
                inside.append(entry)
        if self.infers:
            self._inference.take(inside[known:])

    @property
    def last(self) -> int:
        """The highest sequence that holds a record; 0 when there is none."""
        return self.entries[-1].seq if self.entries else 0

    def window(self, through: int) -> list[Entry]:
        """The window for a bound, in landed order."""
        inside = self.inside
        if not inside or inside[-1].seq <= through:
            return inside
        return inside[: bisect_right(inside, through, key=_seq)]

    def read_through(self, through: int) -> list[Entry]:
        """All entries up to a bound, in landed order."""
        entries = self.entries
        if not entries or entries[-1].seq <= through:
            return entries
        return entries[: bisect_right(entries, through, key=_seq)]

    def find(self, name: str) -> Entry | None:
        """Record lookup: the first entry with an id, whatever the bound; bodies are never found."""
        return self._by_id.get(name)

    def begin(self) -> None:
        """An assembly begins: parents that were missing may have landed."""
        self._missing = {}

    def run_of(self, entry: Entry) -> str:
        """The run of an entry: its own, else that of the nearest ancestor with one, at most 64 steps up; empty without."""
        if entry.run:
            return entry.run
        if not entry.parent:
            return ""
        run, steps = entry.inherited or self._walk(entry)
        return run if steps <= _MOST_STEPS else ""

    def _walk(self, entry: Entry) -> tuple[str, int]:
        """The run above an entry and how far up it is; what later landings can change is remembered for this assembly only."""
        path: list[Entry] = []
        seen: set[int] = set()
        at: Entry = entry
        final, found = True, _NOWHERE
        while True:
            if at.run:
                found = (at.run, 0)
                break
            if at.inherited is not None:
                found = at.inherited
                break
            if at.id in self._missing and self._by_id.get(at.id) is at:
                final = False
                break
            seen.add(id(at))
            path.append(at)
            if not at.parent:
                break
            above = self._by_id.get(at.parent)
            if above is None:
                final = False
                break
            if id(above) in seen:
                # Its own parent, or a loop: it is entered again and again and has no run.
                break
            at = above
        run, steps = found
        for at in reversed(path):
            steps += 1
            if final:
                at.inherited = (run, steps) if run else _NOWHERE
            elif at.id:
                self._missing[at.id] = _NOWHERE
        return (run, steps) if run else _NOWHERE


def _stamp(file: LandedFile) -> tuple[int, int]:
    try:
        found = os.stat(file.path)
    except OSError as error:
        raise AssembleError(f"{file.wire} cannot be read: {error.strerror or error}") from None
    return found.st_size, found.st_mtime_ns
