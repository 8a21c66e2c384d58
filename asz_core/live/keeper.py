"""The keeper of a live root: finds the sessions of a source, collects and assembles them, newest first, and goes on as they grow.

Its chains are of the policy that infers what an older runtime did not write, and children of any shape are collected.

One turn does one small piece of work, so that what somebody asks for never waits for more than that: two landed files of a session,
or one assembly. What was asked for comes first, then what is being written, then the rest by its last change. A session that takes
several turns is assembled whenever it has doubled while somebody looks at it, else once it is whole: an assembly costs the session.

Cost when nothing happens: a stat for each source of the sessions that are looked at or running, twice a second, and a survey of
the whole directory every ten seconds where the system tells of changes, else as often as fits into a hundredth of a core.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec

from ..assemble import Assemblers, assemble_session
from ..collect import Collector, Found, Source, SourceError, Tally
from ..errors import RootError
from ..storage import CONVERSATIONS
from ..writing import Busy, Lock
from .places import MODES, forgotten, prepare, remember_forgotten
from .preview import clear, make_preview
from .sessions import BEHIND, COLLECTED, NEW, RUNNING_MS, LiveSession, Standing, described, project_of, standing, survey

SLICE = 2
"""Landed files of a source in one turn, of two megabytes each."""
PREVIEW_FROM = 6 << 20
"""Bytes from which on a session that was never collected is previewed."""
HOT_EVERY, SURVEY_EVERY, LOCK_EVERY, RETRY_AFTER, TELL_EVERY = 0.5, 10.0, 2.0, 5.0, 0.2
_SHARE = 100
_MOST_HOT = 32


class LiveProgress(msgspec.Struct):
    """How far the collecting is.

    Attributes:
        sessions: that are kept.
        behind: of which something is still to be collected, and nothing is wrong with.
        size: bytes of all their sources; `done` of these are collected.
        current: the session that was last worked on while any is behind.
        another: another program collects into this root; this one only helps with what somebody looks at.
        problems: what is wrong with the source or the root, each a sentence.
    """

    sessions: int = 0
    behind: int = 0
    size: int = 0
    done: int = 0
    current: str = ""
    another: bool = False
    problems: list[str] = msgspec.field(default_factory=list)


class Told(msgspec.Struct, omit_defaults=True):
    """What the keeper tells; each member only when there is something of it.

    Attributes:
        sessions: those that changed, whole.
        gone: ids of those that are no more.
        progress: how far it is.
        preview: the session of a preview that was asked for by `Keeper.want`; its storage root, or empty when there is none.
        listed: everything there is was told at least once.
    """

    sessions: list[LiveSession] = msgspec.field(default_factory=list)
    gone: list[str] = msgspec.field(default_factory=list)
    progress: LiveProgress | None = None
    preview: tuple[str, str] | None = None
    listed: bool = False


class Keeper:
    """Keeps one root; every method is for one thread."""

    def __init__(
        self,
        source: str | os.PathLike[str],
        root: Path,
        tell: Callable[[Told], None],
        *,
        now_ns: Callable[[], int] = time.time_ns,
        clock: Callable[[], float] = time.monotonic,
        infer: bool = True,
    ) -> None:
        """
        Args:
            source: the source root; it need not be there yet.
            root: the live root; it is made.
            tell: called with what changed.
            now_ns: the time in nanoseconds, that of what is collected.
            clock: seconds that never go back, for when to look again.
            infer: infer what an older runtime did not write, and collect children of any shape.
        """
        self.source, self.root = os.path.abspath(source), root
        self.sessions: dict[str, LiveSession] = {}
        self.wanted = ""
        self.events = False
        self._tell, self._now_ns, self._clock, self._infer = tell, now_ns, clock, infer
        self._collector = Collector(source, root, modes=MODES, clock=now_ns, most_files=SLICE, foreign=infer)
        self._assemblers = Assemblers(root, most=2, modes=MODES, infer=infer)
        self._sources: dict[str, list[Source]] = {}
        self._standings: dict[str, Standing] = {}
        self._assembled: dict[str, int] = {}
        """Bytes that each session had collected when it was last assembled; only of those in the making."""
        self._previewed: set[str] = set()
        """Of these the newest part is shown, so the rest may wait until it is whole."""
        self._retry: dict[str, float] = {}
        self._changed: set[str] = set()
        self._forgotten: set[str] = set()
        self._lock: Lock | None = None
        self._next_survey = self._next_hot = self._next_lock = self._next_telling = 0.0
        self._another = False
        self._problems: list[str] = []
        self._current = ""
        self._progress: LiveProgress | None = None

    # --- what somebody wants

    def want(self, session: str) -> None:
        """What somebody looks at; empty for nothing. A session that was forgotten is kept again."""
        self.wanted = session
        if session in self._forgotten or session in forgotten(self.root):
            self._forgotten = forgotten(self.root) - {session}
            remember_forgotten(self.root, self._forgotten)
            self._next_survey = 0.0
        self._retry.pop(session, None)
        if session not in self.sessions:
            self.survey()
        found = self.sessions.get(session)
        if found is not None and not self._has_chain(session):
            root = self._preview(session) if found.size >= PREVIEW_FROM else None
            if root is not None:
                self._previewed.add(session)
            self._tell(Told(preview=(session, os.fspath(root) if root else "")))

    def _has_chain(self, session: str) -> bool:
        """Whether a round of a session was written."""
        return os.path.isdir(self.root / CONVERSATIONS / session / "rounds")

    def _preview(self, session: str) -> Path | None:
        try:
            return make_preview(self.source, self.root, session, self._sources[session], self._now_ns)
        except (OSError, RootError, SourceError):
            return None

    def describe(self, sessions: Iterable[str]) -> None:
        """Find out what sessions are called and where they ran, and tell."""
        for session in sessions:
            found = self.sessions.get(session)
            if found is not None:
                title, directory = described(self.source, self._sources[session])
                found.title, found.project = title, directory or found.project
                self._changed.add(session)
        self._tell_changed()

    def touched(self, session: str) -> None:
        """Something happened to a session, or, when empty, somewhere."""
        if session in self.sessions:
            self._look_at([session])
        else:
            self._next_survey = min(self._next_survey, self._clock() + HOT_EVERY)

    # --- looking

    def survey(self) -> None:
        """Find every session and how it stands, and tell what changed."""
        start = self._clock()
        try:
            found = self._collector.find()
            self._problems = list(found.warnings)
        except SourceError as error:
            found, self._problems = Found(), [str(error)]
        else:
            self._forgotten = forgotten(self.root)
            self._take(found)
            if self._lock is not None and not found.warnings:
                self._problems += self._collector.mark_lost(found)
        self._tell_changed(listed=True)
        end = self._clock()
        pause = SURVEY_EVERY if self.events else max(2.0, _SHARE * (end - start))
        self._next_survey = end + pause

    def _take(self, found: Found) -> None:
        kept = {session: sources for session, sources in found.sessions.items() if session not in self._forgotten}
        kept = {session: sources for session, sources in kept.items() if self._collector.takes(sources)}
        self._drop(self.sessions.keys() - kept.keys())
        self._sources = kept
        for session, stands in survey(self.source, Found(kept)).items():
            self._stands(session, stands)

    def _drop(self, gone: Iterable[str]) -> None:
        """Keep some sessions no more, and tell."""
        names = sorted(gone)
        for session in names:
            for known in (self.sessions, self._sources, self._standings):
                known.pop(session, None)
        if names:
            self._tell(Told(gone=names))

    def _look_at(self, sessions: Iterable[str]) -> None:
        """See how some sessions stand."""
        for session in sessions:
            sources = self._collector.find_session(session, {source.project for source in self._sources[session]})
            if sources:
                self._sources[session] = sources
            self._stands(session, standing(self.source, self._sources[session]))
        self._tell_changed()

    def _stands(self, session: str, stands: Standing) -> None:
        if self._standings.get(session) == stands:
            return
        self._standings[session] = stands
        found = self.sessions.get(session)
        if found is None:
            project, state = project_of(self._sources[session]), BEHIND if self._has_chain(session) else NEW
            found = self.sessions[session] = LiveSession(session, project, state=state)
        elif found.state == COLLECTED:
            found.state = BEHIND
        found.last_ms, found.size, found.files = stands.last_ns // 1_000_000, stands.size, stands.files
        self._retry.pop(session, None)
        self._changed.add(session)

    def _hot(self) -> list[str]:
        now = self._now_ns() // 1_000_000
        running = [session for session, found in self.sessions.items() if found.last_ms > now - 5 * RUNNING_MS]
        running.sort(key=lambda session: -self.sessions[session].last_ms)
        first = [self.wanted] if self.wanted in self.sessions else []
        return list(dict.fromkeys([*first, *running[:_MOST_HOT]]))

    # --- working

    def turn(self) -> float:
        """Do one piece of work.

        Returns:
            Seconds that may pass until the next turn; 0 while there is more to do.
        """
        now = self._clock()
        if self._lock is None and now >= self._next_lock:
            self._take_lock()
            self._next_lock = now + LOCK_EVERY
        if now >= self._next_survey:
            self.survey()
            self._next_hot = self._clock() + HOT_EVERY
        elif now >= self._next_hot:
            self._look_at(self._hot())
            self._next_hot = self._clock() + HOT_EVERY
        session = self._next()
        if session:
            self._work_on(session)
            return 0.0
        if self._changed:
            self._tell_changed()
        until = min(self._next_survey, self._next_hot, self._next_lock if self._lock is None else self._next_survey)
        return max(0.0, until - self._clock())

    def _take_lock(self) -> None:
        try:
            prepare(self.root)
            self._lock = Lock(os.fspath(self.root.parent), MODES)
            clear(self.root)
            self._next_survey = 0.0
            self._another = False
        except Busy:
            self._another = True
        except OSError as error:
            self._problems = [f"{error.filename or self.root}: it cannot be written: {error.strerror or error}"]
            self._tell_changed()

    def _next(self) -> str:
        """The session to work on; empty when none is behind."""
        now = self._clock()
        if self._is_due(self.wanted, now):
            return self.wanted
        if self._lock is None:
            return ""
        due = (session for session in self.sessions if self._is_due(session, now))
        return max(due, key=lambda session: (self.sessions[session].last_ms, session), default="")

    def _is_due(self, session: str, now: float) -> bool:
        found = self.sessions.get(session)
        return found is not None and found.state != COLLECTED and self._retry.get(session, 0.0) <= now

    def _work_on(self, session: str) -> None:
        # Another process may have had it forgotten since the survey.
        self._forgotten = forgotten(self.root)
        if session in self._forgotten:
            self._drop([session])
            return
        self._current = session
        found = self.sessions[session]
        tally = self._collector.collect_session(session, self._sources[session])
        found.done = min(found.size, found.done + tally.bytes)
        found.problem = _problem(tally)
        if tally.busy or tally.errors:
            # What is wrong may be so no more in a while: a full disk, a directory that nobody may read.
            found.state = BEHIND
            self._retry[session] = self._clock() + RETRY_AFTER
        elif tally.pending:
            found.state = BEHIND
        else:
            found.state, found.done = COLLECTED, found.size
        if not tally.busy:
            self._assemble(session, found, whole=not tally.pending)
        self._changed.add(session)
        # Where there is much to do, many small sessions are told of together.
        if session == self.wanted or self._clock() >= self._next_telling:
            self._tell_changed()

    def _assemble(self, session: str, found: LiveSession, *, whole: bool) -> None:
        before = self._assembled.get(session, 0)
        if not whole and (session != self.wanted or session in self._previewed or found.done < 2 * before):
            return
        lasting = session == self.wanted or found.running(self._now_ns() // 1_000_000)
        try:
            if lasting:
                outcome = self._assemblers.assemble(session)
            else:
                outcome = assemble_session(self.root, session, modes=MODES, infer=self._infer)
        except RootError as error:
            found.problem = str(error)
            return
        if whole:
            self._assembled.pop(session, None)
        else:
            self._assembled[session] = found.done
        # A session of which nothing but a name was written yet has no record to assemble.
        found.problem = found.problem or (outcome.error if found.size else "")

    def close(self) -> None:
        """Let go of the root; everything can be gone on with."""
        if self._lock is not None:
            clear(self.root)
            self._lock.release()
            self._lock = None

    # --- telling

    def _tell_changed(self, *, listed: bool = False) -> None:
        changed = [found for session in self._changed if (found := self.sessions.get(session)) is not None]
        self._changed.clear()
        progress = self.progress()
        self._next_telling = self._clock() + TELL_EVERY
        if changed or listed or progress != self._progress:
            self._progress = progress
            self._tell(Told(sessions=changed, progress=progress, listed=listed))

    def progress(self) -> LiveProgress:
        """How far the collecting is; costs a walk over the sessions."""
        found = self.sessions.values()
        behind = sum(1 for one in found if one.state != COLLECTED and not one.problem)
        size, done = sum(one.size for one in found), sum(one.done for one in found)
        another = self._another and not self._problems
        return LiveProgress(len(found), behind, size, done, self._current if behind else "", another, list(self._problems))


def _problem(tally: Tally) -> str:
    if tally.busy:
        return "another collector holds this session; it is left alone"
    return next(iter([*tally.conflicts, *tally.errors]), "")
