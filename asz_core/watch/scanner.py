"""What the watcher looks at in one turn, and for how long.

Owns: the remembered tree of a root, which part of it is looked at when, and how much processor time that may take.
No thread and no lock of its own: all of it is for the watcher's thread.

Each poll looks at what is in focus and at what changed last, and then, as far as the share of the processor goes, at
the next of all the others in turn. So an idle root costs the same however large it is, and what a large one costs is
time: with n conversations their rounds come round every n / 100 polls, or sooner.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Set
from pathlib import Path

from asz_core.watch.changes import Found
from asz_core.watch.pace import Hot, Lane
from asz_core.watch.tree import Tree

_SHARE = 0.007
"""Part of a core that an idle watcher may use for polling; the rest up to 1 % is for waking up and watchdog."""
_LANES = (0.35, 0.75, 1.0)
"""Where in that share the rounds, the hints of the sessions, and the sessions end."""
_LANES_WITH_EVENTS = (0.15, 0.7, 1.0)
"""The same when events tell of the rounds, and the poll of them is only the net below."""
_FLOORS = (100, 100, 2)
"""So many of each are looked at in every poll: 200 conversations come round in two polls also on a slow machine."""
_ROOM = (64, 16)
"""So many of the conversations and of the sessions that changed last are polled like what is in focus."""
_SLICE = 0.02
"""Processor seconds of one slice of the first look at the sessions, one each `_SLICE_EVERY` seconds."""
_SLICE_EVERY = 0.1


class Scanner:
    """Looks at a root in turns.

    Attributes:
        tree: what is known of the root.
        unseen: sessions of the start that were not looked at yet; what is found there then is not reported.
        polled: conversations whose change no event announced, since the last `take_polled`.
    """

    def __init__(self, root: Path, poll: float) -> None:
        """
        Args:
            root: the storage root.
            poll: seconds between two calls of `look_around`.
        """
        self.tree = Tree(root)
        self.unseen: dict[str, None] = {}
        self.polled: set[str] = set()
        self._poll = poll
        self._members = -1
        self._hot_rounds, self._hot_sessions = (Hot(room) for room in _ROOM)
        self._fast_rounds: Set[str] = frozenset()
        self._fast_sessions: Set[str] = frozenset()
        self._rounds, self._hints, self._sessions = (Lane(floor) for floor in _FLOORS)
        self._all_round = False
        self._next_slice = 0.0

    def first_look(self, is_stopping: Callable[[], bool]) -> None:
        """Takes what is there for known: the rounds now, the sessions in slices. O(directories and names)."""
        now, unreported = time.monotonic(), Found()
        conversations, sessions = self.tree.look_at_top(now, unreported)
        self.unseen = dict.fromkeys(sessions)
        for name in conversations:
            if is_stopping():
                return
            self.tree.look_at_rounds(name, now, unreported)
        self._hot_rounds.seed(self.tree.conversation_times())

    def slice_at(self) -> float:
        """Monotonic time of the next slice of the first look; infinity when it is over."""
        return self._next_slice if self.unseen else math.inf

    def look_at_slice(self, now: float) -> None:
        """Looks at some of the unseen sessions, for `_SLICE` seconds of processor time."""
        self._next_slice = time.monotonic() + _SLICE_EVERY
        until = time.thread_time() + _SLICE
        while self.unseen and time.thread_time() < until:
            self._first_look_at(next(iter(self.unseen)), now)
        if not self.unseen:
            self._hot_sessions.seed(self.tree.session_times())

    def look_at_top(self, now: float, found: Found) -> None:
        """Looks at the root, and at the conversations and sessions that are new in it; at all when it is another."""
        conversations, sessions = self.tree.look_at_top(now, found)
        for name in conversations:
            self._hot_rounds.add(name)
            self.tree.look_at_rounds(name, now, found)
        for name in sessions:
            self._hot_sessions.add(name)
            self._look_at_session(name, now, found)
        if found.root_back:
            self._look_at_everything(now, found)
        if self._members != self.tree.members:
            self._members = self.tree.members
            self._rounds.fill(self.tree.conversations)
            self._hints.fill(self.tree.sessions)
            self._sessions.fill(self.tree.sessions)

    def look_at(self, conversation: str, now: float, found: Found) -> None:
        """Lists the rounds of a conversation that an event named, and looks at the session of the same id: files land
        before the round that is made of them."""
        if self.tree.look_at_rounds(conversation, now, found, force=True):
            self._hot_rounds.add(conversation)
            self._look_at_session(conversation, now, found)

    def look_at_focus(self, conversations: Set[str], sessions: Set[str], now: float, found: Found) -> None:
        """Looks at what is in focus and at what changed last; O(those)."""
        for name in sessions & self.unseen.keys():
            self._first_look_at(name, now)
            found.sessions.add(name)  # a file that landed since the reader read it would go unnoticed otherwise
        self._fast_rounds = conversations | set(self._hot_rounds.names())
        self._fast_sessions = sessions | set(self._hot_sessions.names())
        for name in self._fast_rounds:
            self._poll_rounds(name, now, found)
        for name in self._fast_sessions:
            self._look_at_session(name, now, found)

    def look_around(self, cpu: float, now: float, found: Found, *, with_events: bool) -> None:
        """Looks at as much of the rest as the share of the processor allows.

        Args:
            cpu: `time.thread_time` (s) at the begin of the turn: what it used so far counts.
            now: monotonic time in seconds.
            found: takes what changed.
            with_events: whether native events tell of the rounds.
        """
        ends = [cpu + _SHARE * self._poll * part for part in (_LANES_WITH_EVENTS if with_events else _LANES)]
        until = time.monotonic() + self._poll / 2

        def rounds(name: str) -> None:
            if name not in self._fast_rounds:
                self._poll_rounds(name, now, found)

        def hint(name: str) -> None:
            if name not in self._fast_sessions and name not in self.unseen and self.tree.hint(name):
                self._look_at_session(name, now, found)

        def session(name: str) -> None:
            if name not in self._fast_sessions:
                self._look_at_session(name, now, found)

        self._rounds.turn(rounds, ends[0], until)
        if not self._all_round:  # else each session is looked at anyway
            self._hints.turn(hint, ends[1], until)
        self._all_round = self._sessions.turn(session, ends[2], until)

    def take_polled(self) -> set[str]:
        """The conversations that the poll found changed, each once."""
        polled, self.polled = self.polled, set()
        return polled

    def _look_at_everything(self, now: float, found: Found) -> None:
        self.unseen.clear()
        for name in self.tree.conversations:
            self.tree.look_at_rounds(name, now, found)
        for name in self.tree.sessions:
            self.tree.look_at_session(name, now, found)

    def _first_look_at(self, name: str, now: float) -> None:
        del self.unseen[name]
        self.tree.hint(name)
        self.tree.look_at_session(name, now, Found())

    def _poll_rounds(self, name: str, now: float, found: Found) -> None:
        if self.tree.look_at_rounds(name, now, found):
            self._hot_rounds.add(name)
            self.polled.add(name)

    def _look_at_session(self, name: str, now: float, found: Found) -> None:
        if name not in self.unseen and self.tree.look_at_session(name, now, found):
            self._hot_sessions.add(name)
