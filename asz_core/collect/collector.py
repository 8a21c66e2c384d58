"""A pass over all sessions of a source root (the collecting specification, §1), and what need not be looked at again.

A session whose sources all stat as they did when it was last collected without anything left over costs those stats and nothing
else: no lock, no cursor, no content. That is remembered by the collector, so keep one for as long as passes are made.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from ..writing import SHARED, Busy, Lock, Modes, make_folders
from .cursors import CursorError
from .incremental import BUDGET, MOST_FILES, SessionPass, Tally, cursors_of
from .selection import Selection
from .sources import Foreign, Found, Source, find, find_session, is_session

_SETTLED_NS = 2_000_000_000
"""A snapshot changed less than this ago may change again without its stat telling."""


@dataclass(slots=True)
class PassReport:
    """What a pass did.

    Attributes:
        sessions: sessions that are selected.
        unchanged: those of them that were not looked into.
        landed: those in which something landed, in order; they are to be assembled.
        files: landed files; ``records`` and ``bytes`` of them likewise.
        pending: sources of which there is more than one pass takes.
        busy: sessions that another collector holds.
        conflicts: sources in a conflict, each as a sentence.
        errors: everything that went wrong, each as a sentence.
    """

    sessions: int = 0
    unchanged: int = 0
    landed: list[str] = field(default_factory=list)
    files: int = 0
    records: int = 0
    bytes: int = 0
    pending: int = 0
    busy: list[str] = field(default_factory=list)
    conflicts: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    @property
    def complete(self) -> bool:
        """Whether everything there was has landed."""
        return not (self.pending or self.conflicts or self.errors or self.busy)

    def add(self, session: str, tally: Tally) -> None:
        """Count in what came of a session."""
        self.files += tally.files
        self.records += tally.records
        self.bytes += tally.bytes
        self.pending += tally.pending
        self.conflicts += tally.conflicts
        self.errors += tally.errors
        if tally.busy:
            self.busy.append(session)
        if tally.files:
            self.landed.append(session)


_Stats = tuple[tuple[int, int, int, int], ...]


class Collector:
    """Collects a source root into a storage root, pass by pass."""

    def __init__(
        self,
        source: str | os.PathLike[str],
        root: str | os.PathLike[str],
        *,
        selection: Selection | None = None,
        modes: Modes = SHARED,
        clock: Callable[[], int] = time.time_ns,
        budget: int = BUDGET,
        most_files: int = MOST_FILES,
        foreign: bool = False,
    ) -> None:
        """
        Args:
            source: the source root, as ``default_source`` finds it.
            root: the storage root; it is created when it is missing.
            selection: which sessions; None takes all but temporary ones.
            modes: of everything that is written.
            clock: the time in nanoseconds, asked once a session.
            budget: source bytes that land in one file.
            most_files: of one source that land in one pass; fewer keep the passes over a large history short.
            foreign: take transcripts of child agents that the specification passes over, too; see ``Foreign``.
        """
        self.source, self.root = os.path.abspath(source), os.path.abspath(root)
        self._selection = selection or Selection()
        self._modes, self._clock, self._budget = modes, clock, budget
        self._most_files = most_files
        self._foreign = Foreign() if foreign else None
        self._settled: dict[str, tuple[list[Source], _Stats]] = {}
        self._looked_after: set[str] = set()

    def find(self) -> Found:
        """The sessions that are selected, and their sources; ``collect_pass`` takes what this finds.

        Raises:
            SourceError: when the source root cannot be read.
        """
        return find(self.source, self._foreign)

    def find_session(self, session: str, projects: Iterable[str]) -> list[Source]:
        """The sources of one session, in order, in the project directories where it is known to have some."""
        return find_session(self.source, session, projects, self._foreign)

    def takes(self, sources: list[Source]) -> bool:
        """Whether a session with these sources is selected."""
        return self._selection.takes(sources)

    def mark_lost(self, found: Found) -> list[str]:
        """Mark the cursors of sessions that are in the storage root and were not found (§9.7), for who makes no whole passes.

        Returns:
            What went wrong, each as a sentence.
        """
        report = PassReport()
        self._looked_after.difference_update(found.sessions)
        self._lost_sessions(found, report)
        return report.errors

    def collect_pass(
        self,
        found: Found | None = None,
        *,
        order: Callable[[Iterable[str]], Iterable[str]] | None = None,
        told: Callable[[str, Tally], None] | None = None,
        stop: Callable[[], bool] | None = None,
    ) -> PassReport:
        """Make one pass.

        Args:
            found: what a search just found; None searches.
            order: puts the ids of the sessions into another order than the ascending one.
            told: called with each session that was looked into, and what came of it.
            stop: asked before each session whether to end the pass there; what was not looked at is looked at in the next.

        Returns:
            What it did.

        Raises:
            SourceError: when the source root cannot be read.
        """
        found = found or self.find()
        report = PassReport(errors=list(found.warnings))
        selected = [session for session, sources in found.sessions.items() if self._selection.takes(sources)]
        report.sessions = len(selected)
        self._looked_after.difference_update(found.sessions)
        for session in order(selected) if order else selected:
            if stop and stop():
                return report
            sources = found.sessions[session]
            stats = self._stats(sources)
            if self._is_settled(session, sources, stats):
                report.unchanged += 1
                continue
            tally = self.collect_session(session, sources)
            report.add(session, tally)
            self._remember(session, sources, stats, tally)
            if told:
                told(session, tally)
        if not found.warnings:
            self._lost_sessions(found, report)
        return report

    def collect_session(self, session: str, sources: list[Source]) -> Tally:
        """Collect one session, under its lock.

        Args:
            session: its id.
            sources: its sources, in order.

        Returns:
            What came of it; nothing is raised for what goes wrong in it.
        """
        folder = f"{self.root}/{session}"
        try:
            make_folders(folder, self._modes.folder)
            with Lock(folder, self._modes):
                made = self._pass_of(session, folder, self._clock())
                try:
                    made.collect(sources)
                except (OSError, CursorError) as error:
                    made.tally.errors.append(f"{session}: {_why(error)}")
                return made.tally
        except Busy:
            return Tally(busy=True)
        except OSError as error:
            return Tally(errors=[f"{session}: {_why(error)}"])

    def _pass_of(self, session: str, folder: str, ns: int) -> SessionPass:
        modes, budget, most_files = self._modes, self._budget, self._most_files
        return SessionPass(self.source, folder, session, ns=ns, modes=modes, budget=budget, most_files=most_files)

    def _stats(self, sources: list[Source]) -> _Stats | None:
        """How the sources stat; None when one cannot."""
        base, stat = self.source + "/", os.stat
        try:
            found = [stat(base + source.rel) for source in sources]
        except OSError:
            return None
        return tuple([(one.st_dev, one.st_ino, one.st_size, one.st_mtime_ns) for one in found])

    def _is_settled(self, session: str, sources: list[Source], stats: _Stats | None) -> bool:
        known = self._settled.get(session)
        return known is not None and known[1] == stats and known[0] == sources and os.path.lexists(f"{self.root}/{session}")

    def _remember(self, session: str, sources: list[Source], stats: _Stats | None, tally: Tally) -> None:
        """Remember that nothing is left to do in a session until a source stats otherwise."""
        self._settled.pop(session, None)
        if stats is None or not tally.complete:
            return
        recent = time.time_ns() - _SETTLED_NS
        if all(source.kind.append or stat[3] < recent for source, stat in zip(sources, stats, strict=True)):
            self._settled[session] = (sources, stats)

    def _lost_sessions(self, found: Found, report: PassReport) -> None:
        """Mark the cursors of sessions that are in the storage root and were not found (§9.7)."""
        for session in self._settled.keys() - found.sessions.keys():
            del self._settled[session]
        try:
            with os.scandir(self.root) as entries:
                names = [entry.name for entry in entries if entry.name not in found.sessions and is_session(entry.name)]
        except OSError:
            return
        for session in sorted(names):
            if session not in self._looked_after and self._lost_session(session, report):
                self._looked_after.add(session)

    def _lost_session(self, session: str, report: PassReport) -> bool:
        folder = f"{self.root}/{session}"
        named = [source for _, _, source in cursors_of(folder) if source is not None and source.session == session]
        if not named or not self._selection.takes(named):
            return True
        try:
            with Lock(folder, self._modes):
                made = self._pass_of(session, folder, self._clock())
                made.mark_gone()
                report.errors += made.tally.errors
                return True
        except Busy:
            return False
        except OSError as error:
            report.errors.append(f"{session}: {_why(error)}")
            return False


def _why(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
