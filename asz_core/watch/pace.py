"""How often what is looked at when no event says so.

Owns: the turns (`Lane`) and the short list of what is looked at every time (`Hot`). A turn is O(what it looks at), and
it stops when its share of processor time is used up, so an idle root of any size costs the same and only takes longer
to get round.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable, Collection

_CHECK_EVERY = 16
"""Looks between two readings of the thread's clock, which is a system call itself."""


class Lane:
    """Goes round a set of names, some of them each turn."""

    __slots__ = ("_at", "_floor", "_names")

    def __init__(self, floor: int) -> None:
        """
        Args:
            floor: so many names are looked at each turn whatever they cost.
        """
        self._floor = floor
        self._names: list[str] = []
        self._at = 0

    def fill(self, names: Collection[str]) -> None:
        """Takes another set of names; O(names). The turn goes on at the same place, give or take what changed."""
        self._names = list(names)
        self._at = min(self._at, len(self._names))

    def turn(self, look: Callable[[str], object], cpu_until: float, until: float) -> bool:
        """Looks at the names that come next, at most each once.

        Args:
            look: looks at one name.
            cpu_until: `time.thread_time` (s) at which to stop.
            until: `time.monotonic` (s) at which to stop: on a network file system a look costs waiting, not computing,
                and the next turn of what is in focus must not wait for it.

        Returns:
            Whether all were looked at.
        """
        names = self._names
        for done in range(len(names)):
            if done >= self._floor and done % _CHECK_EVERY == 0 and _is_over(cpu_until, until):
                return False
            if self._at >= len(names):
                self._at = 0
            name = names[self._at]
            self._at += 1
            look(name)
        return True


def _is_over(cpu_until: float, until: float) -> bool:
    return time.thread_time() >= cpu_until or time.monotonic() >= until


class Hot:
    """The names that changed last: what changed is what will change next."""

    __slots__ = ("_names", "_room")

    def __init__(self, room: int) -> None:
        """
        Args:
            room: how many names it keeps.
        """
        self._room = room
        self._names: dict[str, None] = {}

    def add(self, name: str) -> None:
        """Puts a name first; the one that changed longest ago makes room. O(1)."""
        self._names.pop(name, None)
        self._names[name] = None
        if len(self._names) > self._room:
            del self._names[next(iter(self._names))]

    def seed(self, changed: dict[str, int]) -> None:
        """Fills the room that is left.

        Args:
            changed: names and when each changed, in any unit; O(names).
        """
        latest = heapq.nlargest(self._room, changed, key=changed.__getitem__)
        names = [name for name in latest if name not in self._names][: self._room - len(self._names)]
        self._names = dict.fromkeys(names[::-1]) | self._names

    def names(self) -> list[str]:
        """All of them; O(room)."""
        return list(self._names)
