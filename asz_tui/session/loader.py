"""Reading beside the screen: one daemon thread per job, never two at once for one conversation, none lost.

A thread that is still reading must not keep the program from leaving, so it is a daemon and holds nothing that needs an end.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Loader(Generic[T]):
    """Runs `work` in a thread whenever it is asked to, once at a time; asking while it runs makes it run once more.

    `work` gets a function that tells whether it should stop. What it returns, or the exception it raised, is handed to `done` in
    the thread; `done` must be safe there (Textual's `post_message` is). With `one_by_one` the next run waits until `taken` is
    called: work that looks for what is new must not find again what was handed on and not taken in yet.
    """

    def __init__(
        self,
        work: Callable[[Callable[[], bool]], T],
        done: Callable[[T | None, Exception | None], None],
        name: str,
        *,
        one_by_one: bool = False,
    ) -> None:
        """
        Args:
            work: what to do.
            done: what to do with the result.
            name: of the thread.
            one_by_one: wait for `taken` after each result.
        """
        self._work = work
        self._done = done
        self._name = name
        self._lock = threading.Lock()
        self._one_by_one = one_by_one
        self._running = False
        self._handed = False
        self._again = False
        self._stopped = False

    def request(self) -> None:
        """Do the work soon: now, or once more after the run that is going on."""
        with self._lock:
            if self._stopped:
                return
            if self._running or self._handed:
                self._again = True
                return
            self._running = True
        self._start()

    def taken(self) -> None:
        """The last result was taken in; what was asked for meanwhile begins."""
        with self._lock:
            self._handed = False
            if self._stopped or self._running or not self._again:
                return
            self._again = False
            self._running = True
        self._start()

    def _start(self) -> None:
        threading.Thread(target=self._run, name=self._name, daemon=True).start()

    @property
    def idle(self) -> bool:
        """Whether nothing runs and nothing waits."""
        return not self._running and not self._handed

    def stop(self) -> None:
        """Ask the work to end; nothing is handed on any more."""
        self._stopped = True

    def _run(self) -> None:
        while True:
            result: T | None = None
            error: Exception | None = None
            try:
                result = self._work(lambda: self._stopped)
            except Exception as caught:
                error = caught
            self._handed = self._one_by_one
            if not self._stopped:
                self._done(result, error)
            with self._lock:
                if self._stopped or not self._again or self._handed:
                    self._running = False
                    return
                self._again = False
