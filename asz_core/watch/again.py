"""Which conversations the reader wants to hear of again, and when.

Owns: the backoff. Every operation is O(1) but `due` and `next_at`, which are O(waiting). Not locked: the watcher does.
"""

from __future__ import annotations

import math

_FIRST = 0.2
_LAST = 5.0


class Again:
    """A delay and a due time a conversation."""

    __slots__ = ("_waiting",)

    def __init__(self) -> None:
        self._waiting: dict[str, tuple[float, float]] = {}
        """id to (delay in s, monotonic time it is due); not due while the reader has not said `again` once more."""

    def add(self, name: str, now: float) -> None:
        """Makes a conversation due after its delay, which doubles each time; nothing when it waits already."""
        delay, due = self._waiting.get(name, (0.0, math.inf))
        if due == math.inf:
            delay = min(delay * 2, _LAST) if delay else _FIRST
            self._waiting[name] = (delay, now + delay)

    def drop(self, name: str) -> None:
        """Forgets a conversation and its delay."""
        self._waiting.pop(name, None)

    def next_at(self) -> float:
        """Monotonic time at which the next one is due; infinity for none."""
        return min((due for _, due in self._waiting.values()), default=math.inf)

    def due(self, now: float) -> list[str]:
        """Takes those that are due; each keeps its delay for the next time."""
        names = [name for name, (_, due) in self._waiting.items() if due <= now]
        for name in names:
            self._waiting[name] = (self._waiting[name][0], math.inf)
        return names
