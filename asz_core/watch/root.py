"""The watcher of one storage root: its thread, when it looks, and when it reports.

Owns: the thread, the coalescing of bursts and the order of a turn. What is remembered and compared is `tree.py`'s.

A turn begins because a poll is due, an event came, a conversation is due again, or the focus changed. After an event
the thread waits until `quiet` seconds passed without another one, but at most `at_most` seconds after the first, and
then looks once. What a turn found is one report.

Costs: idle, a turn each `poll` seconds that uses about 0.7 % of a core at most, whatever the size of the root; up to
some 100 conversations that is enough to look at all of them each time, above that they take turns. An event costs
the listing of one directory. The first look lists every directory once: the rounds at once, the sessions in slices.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from types import TracebackType

from asz_core.watch.again import Again
from asz_core.watch.changes import Changes, Found
from asz_core.watch.native import Native
from asz_core.watch.pace import Hot, Lane
from asz_core.watch.tree import Tree

_SHARE = 0.007
"""Part of a core that an idle watcher may use for polling; the rest up to 1 % is for waking up and watchdog."""
_LANES = (0.4, 0.6, 1.0)
"""Where in that share the rounds, the hints of the sessions, and the sessions end."""
_FLOORS = (200, 200, 4)
"""So many of each are looked at in every poll: up to 200 conversations are on time also on a slow machine."""
_SLICE = 0.02
"""Processor seconds of one slice of the first look at the sessions, one each `_SLICE_EVERY` seconds."""
_SLICE_EVERY = 0.1
_ANNOUNCED_WITHIN = 2.0
"""Seconds an event may be late behind the poll before it counts as one that did not come."""
_MISSES = 2
"""So many that did not come, and the file system is one that has none."""


class RootWatcher:
    """Reports what changes in a storage root.

    What is on disk when `ready` is set is what later reports compare with. So read the root after that, or read it at
    any time and once more then. A session that `focus` names before its first look is reported once, for the same
    reason.

    Attributes:
        native: whether native events arrive; without them everything still does, within the time of a poll.
        note: why not, or why the root cannot be read; empty when there is nothing to say.
        last_error: the last exception that `on_change` raised, or that a turn did; the thread goes on.
        ready: set when the conversations and their rounds were looked at for the first time.
    """

    def __init__(
        self,
        root: Path,
        on_change: Callable[[Changes], None],
        *,
        poll: float = 0.5,
        quiet: float = 0.05,
        at_most: float = 0.25,
        native: bool = True,
    ) -> None:
        """
        Args:
            root: the storage root; it may be a link, and need not be there (yet).
            on_change: takes each report, in the watcher's own thread, never two at once.
            poll: seconds between two looks at what is in focus.
            quiet: seconds without an event after which a burst counts as over.
            at_most: seconds after its first event at which a burst is reported all the same.
            native: whether to use the system's file events as well.

        Raises:
            ValueError: a time that is not positive.
        """
        if min(poll, quiet, at_most) <= 0:
            raise ValueError("poll, quiet and at_most must be more than 0 s")
        self.native = False
        self.note = ""
        self.last_error: Exception | None = None
        self.ready = threading.Event()
        self._on_change = on_change
        self._poll, self._quiet, self._at_most = poll, quiet, at_most
        self._tree = Tree(root)

        # Shared with other threads, under `_state`:
        self._state = threading.Condition()
        self._stopping = False
        self._nudged = False
        self._top = False
        self._named: set[str] = set()
        self._first_event = self._last_event = 0.0
        self._focus: tuple[frozenset[str], frozenset[str]] = (frozenset(), frozenset())
        self._again = Again()

        # The watcher's thread only:
        self._events = Native(self._ring) if native else None
        self._armed_for: object = None
        self._armings = 0
        self._unannounced: dict[str, float] = {}
        self._misses = 0
        self._next_poll = self._next_slice = 0.0
        self._all_round = False
        self._members = -1
        self._hot_rounds, self._hot_sessions = Hot(), Hot()
        self._rounds, self._hints, self._sessions = (Lane(floor) for floor in _FLOORS)
        self._unseen: dict[str, None] = {}
        self._thread: threading.Thread | None = None

    # -- for any thread ------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Starts watching, and returns at once; nothing when it runs.

        Raises:
            RuntimeError: it was stopped before.
        """
        with self._state:
            if self._stopping:
                raise RuntimeError("a watcher that was stopped does not start again")
            if self._thread is not None:
                return
            self._thread = threading.Thread(target=self._run, name="asz-watch", daemon=True)
        self._thread.start()

    def stop(self, timeout: float = 2.0) -> bool:
        """Stops watching; as often as you like, also from `on_change`.

        Args:
            timeout: seconds to wait for the thread.

        Returns:
            Whether the thread has ended: then no report comes any more and no handle or thread is left. False when
            `on_change` does not return in time, or is where this is called.
        """
        with self._state:
            self._stopping = True
            self._state.notify_all()
        thread = self._thread
        if thread is None:
            return True
        if thread is threading.current_thread():
            return False
        thread.join(timeout)
        return not thread.is_alive()

    def __enter__(self) -> RootWatcher:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()

    def focus(self, conversation_ids: Iterable[str], session_ids: Iterable[str] = ()) -> None:
        """Says what is on the screen: it is looked at now and then every `poll` seconds; a few ids, not all.

        Args:
            conversation_ids: their rounds, and the landed files of the sessions of the same ids.
            session_ids: further sessions, where a conversation's session has another id.
        """
        conversations = frozenset(conversation_ids)
        focus = (conversations, conversations | frozenset(session_ids))
        with self._state:
            if focus != self._focus:
                self._focus, self._nudged = focus, True
                self._state.notify()

    def again(self, conversation_id: str) -> None:
        """Asks to hear of a conversation again, because a round of it does not read yet.

        The first time after 0.2 s, then after twice as long each time, up to 5 s, until `done`. Asked while it waits,
        nothing changes. A conversation that has gone is forgotten.
        """
        with self._state:
            self._again.add(conversation_id, time.monotonic())
            self._state.notify()

    def done(self, conversation_id: str) -> None:
        """The conversation reads: forgets its delay."""
        with self._state:
            self._again.drop(conversation_id)

    def _ring(self, conversation: str | None) -> None:
        """An event names a conversation, or with None the root. Only the first of a burst wakes the thread."""
        with self._state:
            self._last_event = time.monotonic()
            if not (self._named or self._top):
                self._first_event = self._last_event
                self._state.notify()
            if conversation is None:
                self._top = True
            else:
                self._named.add(conversation)

    # -- the thread ----------------------------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            self._guarded(self._first_look)
            self.ready.set()
            while self._wait():
                self._guarded(self._turn)
        finally:
            self.ready.set()
            self.native = False
            if self._events:
                self._events.disarm()

    def _guarded(self, step: Callable[[], None]) -> None:
        try:
            step()
        except Exception as error:
            self.last_error = error
            self._next_poll = self._next_slice = time.monotonic() + self._poll

    def _first_look(self) -> None:
        now, unreported = time.monotonic(), Found()
        conversations, sessions = self._tree.look_at_top(now, unreported)
        self._unseen = dict.fromkeys(sessions)
        for name in conversations:
            if self._stopping:
                return
            self._tree.look_at_rounds(name, now, unreported)
        self._next_poll = time.monotonic()

    def _wait(self) -> bool:
        """Waits until there is something to do; False when it is to stop."""
        with self._state:
            while not (self._stopping or self._nudged or self._named or self._top):
                seconds = min(self._next_poll, self._again.next_at(), self._slice_at()) - time.monotonic()
                if seconds <= 0:
                    break
                self._state.wait(seconds)
            while not self._stopping and (self._named or self._top):
                until = min(self._last_event + self._quiet, self._first_event + self._at_most)
                seconds = until - time.monotonic()
                if seconds <= 0:
                    break
                self._state.wait(seconds)
            return not self._stopping

    def _turn(self) -> None:
        now, cpu, found = time.monotonic(), time.thread_time(), Found()
        with self._state:
            named, self._named = self._named, set()
            polling, slicing = now >= self._next_poll, now >= self._slice_at()
            top, self._top = self._top or polling, False
            nudged, self._nudged = self._nudged or polling, False
            due = self._again.due(now)
        if top:
            self._look_at_top(now, found)
        for name in named:
            self._unannounced.pop(name, None)
            self._look_at_rounds(name, now, found, force=True)
        if nudged and self._tree.there:
            self._look_at_focus(now, found)
        if polling and self._tree.there:
            self._look_around(now, cpu, found)
        if polling:
            self._next_poll = time.monotonic() + self._poll
        if slicing:
            self._first_look_at_some(now)
        found.conversations.update(name for name in due if self._tree.has_rounds(name))
        self._report(found.freeze())

    def _report(self, changes: Changes) -> None:
        if not changes:
            return
        with self._state:
            if self._stopping:
                return
            for name in changes.removed:
                self._again.drop(name)
        try:
            self._on_change(changes)
        except Exception as error:
            self.last_error = error

    def _look_at_top(self, now: float, found: Found) -> None:
        conversations, sessions = self._tree.look_at_top(now, found)
        for name in conversations:
            self._hot_rounds.add(name, now)
            self._tree.look_at_rounds(name, now, found)
        for name in sessions:
            self._hot_sessions.add(name, now)
            self._look_at_session(name, now, found)
        if found.root_back:
            self._look_at_everything(now, found)
        if self._members != self._tree.members:
            self._members = self._tree.members
            self._rounds.fill(self._tree.conversations)
            self._hints.fill(self._tree.sessions)
            self._sessions.fill(self._tree.sessions)
        self._mind_events(now)

    def _look_at_everything(self, now: float, found: Found) -> None:
        self._unseen.clear()
        for name in self._tree.conversations:
            self._tree.look_at_rounds(name, now, found)
        for name in self._tree.sessions:
            self._tree.look_at_session(name, now, found)

    def _look_at_focus(self, now: float, found: Found) -> None:
        for name in self._focus[1] & self._unseen.keys():
            self._first_look_at(name, now)
            found.sessions.add(name)  # a file that landed since the reader read it would go unnoticed otherwise
        for name in self._focus[0].union(self._hot_rounds.names(now)):
            self._poll_rounds(name, now, found)
        for name in self._focus[1].union(self._hot_sessions.names(now)):
            self._look_at_session(name, now, found)

    def _look_around(self, now: float, cpu: float, found: Found) -> None:
        """Looks at as much of the rest as the share of the processor allows."""
        ends = [cpu + _SHARE * self._poll * part for part in _LANES]
        until = time.monotonic() + self._poll / 2
        self._rounds.turn(lambda name: self._poll_rounds(name, now, found), ends[0], until)
        if not self._all_round:  # else each is looked at anyway
            self._hints.turn(lambda name: self._follow_hint(name, now, found), ends[1], until)
        look = self._look_at_session
        self._all_round = self._sessions.turn(lambda name: look(name, now, found), ends[2], until)

    def _slice_at(self) -> float:
        return self._next_slice if self._unseen else math.inf

    def _first_look_at_some(self, now: float) -> None:
        self._next_slice = time.monotonic() + _SLICE_EVERY
        until = time.thread_time() + _SLICE
        while self._unseen and time.thread_time() < until:
            self._first_look_at(next(iter(self._unseen)), now)

    def _first_look_at(self, name: str, now: float) -> None:
        del self._unseen[name]
        self._tree.hint(name)
        self._tree.look_at_session(name, now, Found())

    def _poll_rounds(self, name: str, now: float, found: Found) -> None:
        if self._look_at_rounds(name, now, found) and self.native:
            self._unannounced.setdefault(name, now + _ANNOUNCED_WITHIN)

    def _look_at_rounds(self, name: str, now: float, found: Found, *, force: bool = False) -> bool:
        changed = self._tree.look_at_rounds(name, now, found, force=force)
        if changed:
            self._hot_rounds.add(name, now)
        return changed

    def _follow_hint(self, name: str, now: float, found: Found) -> None:
        if name not in self._unseen and self._tree.hint(name):
            self._look_at_session(name, now, found)

    def _look_at_session(self, name: str, now: float, found: Found) -> None:
        if name not in self._unseen and self._tree.look_at_session(name, now, found):
            self._hot_sessions.add(name, now)

    # -- native events -------------------------------------------------------------------------------------------

    def _mind_events(self, now: float) -> None:
        """Arms the events for the root that is there now, and says when they do not come."""
        identity = self._tree.identity
        if self._events is None or identity is None:
            self._silence(self._tree.why)
            return
        if identity == self._armed_for and self.native:
            self._check_events(now)
        elif identity != self._armed_for:
            self._arm(identity)

    def _arm(self, identity: object) -> None:
        if identity != self._armed_for:
            self._armed_for, self._armings = identity, 0
        self._armings += 1
        self._misses = 0
        self._unannounced.clear()
        self.note = self._events.arm(self._tree.path)
        self.native = not self.note

    def _check_events(self, now: float) -> None:
        late = [name for name, until in self._unannounced.items() if until < now]
        for name in late:
            del self._unannounced[name]
        self._misses += len(late)
        if self._misses >= _MISSES:
            self._silence("no file events, polling: this file system does not send any", for_good=True)
        elif not self._events.alive:
            if self._armings < 3:
                self._arm(self._armed_for)
            else:
                self._silence("no file events, polling: they end by themselves", for_good=True)

    def _silence(self, note: str, *, for_good: bool = False) -> None:
        self.note = note
        self.native = False
        if self._events:
            self._events.disarm()
        if not for_good:
            self._armed_for = None
