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
    the thread; `done` must be safe there (Textual's `post_message` is).
    """

    def __init__(
        self, work: Callable[[Callable[[], bool]], T], done: Callable[[T | None, Exception | None], None], name: str
    ) -> None:
        """
        Args:
            work: what to do.
            done: what to do with the result.
            name: of the thread.
        """
        self._work = work
        self._done = done
        self._name = name
        self._lock = threading.Lock()
        self._running = False
        self._again = False
        self._stopped = False

    def request(self) -> None:
        """Do the work soon: now, or once more after the run that is going on."""
        with self._lock:
            if self._stopped:
                return
            if self._running:
                self._again = True
                return
            self._running = True
        threading.Thread(target=self._run, name=self._name, daemon=True).start()

    @property
    def idle(self) -> bool:
        """Whether nothing runs and nothing waits."""
        return not self._running

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
            if not self._stopped:
                self._done(result, error)
            with self._lock:
                if self._stopped or not self._again:
                    self._running = False
                    return
                self._again = False
