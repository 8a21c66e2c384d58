"""The garbage collector, kept from walking over a conversation that is on the screen.

A loaded conversation is hundreds of thousands of objects that all live until it is closed and hold no cycles. Each full walk of
the collector over them would find nothing, and stop the screen for as long as the conversation is long. So nothing is collected
while one is read (`paused`, `Pause`), and what was read is set apart afterwards (`Apart`) until it is closed; what is made later
is collected as ever. Both are for the whole process, whichever thread asks, and may nest: the collector runs again when the last
pause ends, and looks at everything again when the last conversation is closed. Cost: none to speak of, whatever there is.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_lock = threading.Lock()
_pauses = 0
_apart = 0
_was_on = False


class Pause:
    """The collector is off from here until `end`; where it was off before, it stays so."""

    def __init__(self) -> None:
        global _pauses, _was_on
        self._ended = False
        with _lock:
            if not _pauses:
                _was_on = gc.isenabled()
                gc.disable()
            _pauses += 1

    def end(self) -> None:
        """Let the collector go on, unless somebody else pauses it, too; again does no harm."""
        global _pauses
        with _lock:
            if self._ended:
                return
            self._ended = True
            _pauses -= 1
            if not _pauses and _was_on:
                gc.enable()


@contextmanager
def paused() -> Iterator[None]:
    """Make many objects without the collector."""
    pause = Pause()
    try:
        yield
    finally:
        pause.end()


class Apart:
    """All that lives when this is made is left alone by the collector until `end`.

    What is in cycles and dropped in between is freed after the last end, so who drops much should cut the cycles that lead to it.
    """

    def __init__(self) -> None:
        global _apart
        self._ended = False
        with _lock:
            _apart += 1
            gc.freeze()

    def end(self) -> None:
        """Let the collector look at everything again, unless something else is to be left alone; again does no harm."""
        global _apart
        with _lock:
            if self._ended:
                return
            self._ended = True
            _apart -= 1
            if not _apart:
                gc.unfreeze()
