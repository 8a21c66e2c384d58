"""`RowCounts`: how many rows each of many sections has, and where each begins.

Owned: one number a section, and sums over blocks of them. A number that changes costs one addition a block after it; a section that
comes or goes costs summing the numbers after it, a few nanoseconds each. Finding a row is two bisections.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate

_BLOCK = 128


class RowCounts:
    """A list of numbers with running sums."""

    def __init__(self, counts: Iterable[int] = ()) -> None:
        """
        Args:
            counts: to begin with.
        """
        self._counts = list(counts)
        self._ends: list[int] = []  # rows up to the end of each block
        self._inside: dict[int, list[int]] = {}  # of blocks that were looked into: rows up to the end of each section in it
        self._changed: int | None = 0  # from which section on sections came or went, None when the sums are right

    def __len__(self) -> int:
        return len(self._counts)

    @property
    def total(self) -> int:
        """All rows."""
        self._settle()
        return self._ends[-1] if self._ends else 0

    def set(self, at: int, count: int) -> None:
        """Give a section another number of rows."""
        more = count - self._counts[at]
        self._counts[at] = count
        if more and self._changed is None:
            block = at // _BLOCK
            self._ends[block:] = [end + more for end in self._ends[block:]]
            self._inside.pop(block, None)

    def insert(self, at: int, count: int) -> None:
        """Put a section before the one at an index."""
        self._counts.insert(at, count)
        self._changed = at if self._changed is None else min(at, self._changed)

    def delete(self, at: int) -> None:
        """Take a section out."""
        del self._counts[at]
        self._changed = at if self._changed is None else min(at, self._changed)

    def start(self, at: int) -> int:
        """The first row of a section."""
        self._settle()
        block, place = divmod(at, _BLOCK)
        before = self._ends[block - 1] if block else 0
        return before + (self._look_into(block)[place - 1] if place else 0)

    def find(self, row: int) -> tuple[int, int]:
        """The section that a row is in, and which row of it that is."""
        self._settle()
        block = bisect_right(self._ends, row)
        row -= self._ends[block - 1] if block else 0
        inside = self._look_into(block)
        place = bisect_right(inside, row)
        return block * _BLOCK + place, row - (inside[place - 1] if place else 0)

    def _look_into(self, block: int) -> list[int]:
        inside = self._inside.get(block)
        if inside is None:
            inside = self._inside[block] = list(accumulate(self._counts[block * _BLOCK : (block + 1) * _BLOCK]))
        return inside

    def _settle(self) -> None:
        if self._changed is None:
            return
        first = self._changed // _BLOCK
        self._changed = None
        counts = self._counts
        sums = [sum(counts[at : at + _BLOCK]) for at in range(first * _BLOCK, len(counts), _BLOCK)]
        before = self._ends[first - 1] if first else 0
        self._ends[first:] = [before + end for end in accumulate(sums)]
        self._inside = {block: inside for block, inside in self._inside.items() if block < first}
