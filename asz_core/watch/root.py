"""The watcher of one storage root: its thread, when it looks, and when it reports.

Owns: the thread, the coalescing of bursts and the order of a turn. What is looked at in it is `scanner.py`'s, what is
remembered and compared `tree.py`'s.

A turn begins because a poll is due, an event came, a conversation is due again, or the focus changed. After an event
the thread waits until `quiet` seconds passed without another one, but at most `at_most` seconds after the first, and
then looks once. What a turn found is one report.

Costs: idle, one turn each `poll` seconds, which uses about 0.7 % of a core at most whatever the size of the root; up to
some 100 conversations that is enough to look at all of them each time, above that they take turns. Where events come and
nothing happened for a while a turn comes half as often and costs the same, so that it is 0.4 % then. An event costs
the listing of one directory. The first look lists every directory once: the rounds at once, the sessions in slices.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from types import TracebackType

from asz_core.watch.again import Again
from asz_core.watch.changes import Changes, Found
from asz_core.watch.doorbell import Doorbell
from asz_core.watch.scanner import Scanner

_RESTS_AFTER = 10.0
"""Seconds without a change after which the poll goes at half its pace, where events tell of the rounds."""


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
        self._scanner = Scanner(root, poll)
        self._doorbell = Doorbell(self._ring, wanted=native)
        self._next_poll = 0.0
        self._last_change = 0.0
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
        self._last_change = time.monotonic()
        try:
            self._guarded(lambda: self._scanner.first_look(lambda: self._stopping))
            self.ready.set()
            while self._wait():
                self._guarded(self._turn)
        finally:
            self.ready.set()
            self._doorbell.silence("")
            self.native = False

    def _guarded(self, step: Callable[[], None]) -> None:
        """An exception must not end the thread: the poll repairs what a turn left undone."""
        try:
            step()
        except Exception as error:
            self.last_error = error
            self._next_poll = time.monotonic() + self._poll

    def _wait(self) -> bool:
        """Waits until there is something to do; False when it is to stop."""
        with self._state:
            while not (self._stopping or self._nudged or self._named or self._top):
                due = min(self._next_poll, self._again.next_at(), self._scanner.slice_at())
                seconds = due - time.monotonic()
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
        polling = now >= self._next_poll
        with self._state:
            named, self._named = self._named, set()
            top, self._top = self._top or polling, False
            nudged, self._nudged = self._nudged or polling, False
            focus = self._focus
            due = self._again.due(now)
        scanner = self._scanner
        try:
            if top:
                self._look_at_top(now, found)
            self._doorbell.heard(named)
            for name in named:
                scanner.look_at(name, now, found)
            if nudged and scanner.tree.there:
                scanner.look_at_focus(*focus, now, found)
            if polling and scanner.tree.there:
                scanner.look_around(cpu, now, found, with_events=self.native)
            if now >= scanner.slice_at():
                scanner.look_at_slice(now)
            self._doorbell.polled(scanner.take_polled(), now)
        finally:  # what was found is remembered, so it is reported now or never
            if polling:
                self._next_poll = time.monotonic() + self._poll * (2 if self._rests(now) else 1)
            found.conversations.update(name for name in due if scanner.tree.has_rounds(name))
            self._report(found.freeze())

    def _rests(self, now: float) -> bool:
        """Whether nothing happened for a while that a slower poll would tell late: events ring for the rounds."""
        return self.native and now - self._last_change > _RESTS_AFTER

    def _look_at_top(self, now: float, found: Found) -> None:
        self._scanner.look_at_top(now, found)
        tree = self._scanner.tree
        self._doorbell.mind(tree.identity, tree.path, now)
        self.native = self._doorbell.works
        self.note = tree.why or self._doorbell.note

    def _report(self, changes: Changes) -> None:
        if not changes:
            return
        self._last_change = time.monotonic()
        with self._state:
            if self._stopping:
                return
            for name in changes.removed:
                self._again.drop(name)
        try:
            self._on_change(changes)
        except Exception as error:
            self.last_error = error
