"""The explorer's one interface to collecting and assembling: the sessions of a source, and what is asked for of them.

The work is done by another process (`asz_core.live`). What it tells comes in a thread and is handed to whoever listens; until
somebody does, it waits. `Live` itself is for one thread, the screen's: `take` makes a message part of it.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path

from asz_core.live import COLLECTED, NEW, LiveProcess, LiveProgress, LiveSession, Told

from .grammar import one_line
from .panes.live_rows import SessionNote
from .text.words import size


class Live:
    """The sessions of one source, collected into a root of their own.

    Attributes:
        source: the source root.
        root: the storage root.
        sessions: what is known of each session, by id.
        progress: how far the collecting is; None until that was told.
        previews: storage roots of the newest parts of sessions, by id.
    """

    def __init__(self, source: str, root: Path) -> None:
        """
        Args:
            source: the source root.
            root: the storage root.
        """
        self.source, self.root = source, root
        self.sessions: dict[str, LiveSession] = {}
        self.progress: LiveProgress | None = None
        self.previews: dict[str, Path] = {}
        self._asked: set[str] = set()
        self._waiting: list[Told] = []
        self._listener: Callable[[Told], object] | None = None
        self._lock = threading.Lock()
        self._process = LiveProcess(source, root, self._on_told)

    def start(self) -> Live:
        """Begin to collect; returns at once."""
        self._process.start()
        return self

    def _on_told(self, told: Told) -> None:
        with self._lock:
            if self._listener is None:
                self._waiting.append(told)
                return
            listener = self._listener
        listener(told)

    def listen(self, listener: Callable[[Told], object]) -> None:
        """Have somebody handed every message, also those that came already; in a thread, or in this one."""
        with self._lock:
            waiting, self._waiting = self._waiting, []
            self._listener = listener
        for told in waiting:
            listener(told)

    def take(self, told: Told) -> None:
        """Make a message part of this."""
        for session in told.sessions:
            self.sessions[session.id] = session
        for name in told.gone:
            self.sessions.pop(name, None)
        if told.progress is not None:
            self.progress = told.progress
        if told.preview is not None and told.preview[1]:
            self.previews[told.preview[0]] = Path(told.preview[1])

    def want(self, session: str) -> None:
        """Somebody looks at a session, or at none when it is empty; it is collected before all others."""
        self._process.want(session)

    def describe(self, sessions: list[str]) -> None:
        """Have it found out what sessions are called, once each."""
        wanted = [name for name in sessions if name not in self._asked and name in self.sessions]
        if wanted:
            self._asked.update(wanted)
            self._process.describe(wanted)

    def is_whole(self, session: str) -> bool:
        """Whether everything there is of a session is collected."""
        found = self.sessions.get(session)
        return found is None or found.state == COLLECTED

    def notes(self, names: list[str] | None = None) -> list[SessionNote]:
        """What a list shows of sessions, of all when left out."""
        found = self.sessions.values() if names is None else [self.sessions[name] for name in names if name in self.sessions]
        return [SessionNote(s.id, s.project, s.title, s.last_ms, s.state == NEW, s.problem) for s in found]

    def words(self) -> str:
        """How far the collecting is, for a header; empty when everything is collected."""
        progress = self.progress
        if self._process.why:
            return "not collecting"
        if progress is None:
            return "looking for sessions"
        if progress.another:
            return "another asz-tui collects"
        if not progress.behind:
            return ""
        done, whole = size(progress.done), size(progress.size)
        unit = whole.partition(" ")[2]
        return f"collecting {done.removesuffix(' ' + unit)} of {whole}"

    def words_of(self, session: str) -> str:
        """How far the collecting of a session is, and what is wrong with it; empty when it is whole."""
        found = self.sessions.get(session)
        if found is None:
            return ""
        if found.problem or found.state == COLLECTED:
            return one_line(found.problem)
        if not found.size:
            return "collecting"
        return f"{found.done * 100 // found.size} % of {size(found.size)} collected"

    def problem(self) -> str:
        """What is wrong with source, root or collector, in a sentence; empty when nothing is."""
        if self._process.why:
            return self._process.why
        return one_line(self.progress.problems[0]) if self.progress is not None and self.progress.problems else ""

    def stop(self) -> None:
        """Let the collector end; it is not waited for."""
        self._process.stop()

    @property
    def shown_source(self) -> str:
        """The source as a person writes it."""
        home = os.path.expanduser("~")
        return "~" + self.source[len(home) :] if self.source.startswith(home + os.sep) else self.source
