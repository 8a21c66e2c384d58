"""Painting one lane: bars first, marks over them, lines of edges where no mark stands.

A `Painter` is a window on the axis: its first cell, its width, and the times at which its cells begin. It walks from one cell that
holds something to the next, two bisections each, so a row costs the cells that are seen, whatever number of steps share one;
`touched` counts the steps it looked at. Of the steps in a cell the greatest rank wins; that is one `max` over bytes.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable

from ...glyphs import kind_glyph, mark_glyph
from ...lines.line import Span
from .axis import Axis
from .index import Bars, Lane
from .signs import BAR_ROLES, FAILED, INTERVAL, MAYBE, RANKS, RUN, TALK, TURN, UNFINISHED, Signs, count_sign

_MANY = 200
"""Steps in a cell."""

Over = dict[int, tuple[str, str]]
"""Cell of the window -> (sign, role) of what is laid between the marks."""


class Painter:
    """Paints lanes through one window.

    Attributes:
        touched: how many steps were looked at, for tests.
    """

    def __init__(
        self, axis: Axis, first: int, width: int, signs: Signs, settle: Callable[[Lane, int], int], *, ascii_only: bool
    ) -> None:
        """
        Args:
            axis: where times stand.
            first: the first cell in the window.
            width: cells in it.
            signs: what to draw with.
            settle: finds out the rank of a step that may have failed.
            ascii_only: which glyphs kinds have.
        """
        self.axis = axis
        self.first = first
        self.width = width
        self.signs = signs
        self.ascii_only = ascii_only
        self.touched = 0
        self._settle = settle
        # Where each cell begins, and where the window ends: a time stands in the last cell that begins at it or before.
        self._starts = [axis.start_of(first + cell) for cell in range(width + 1)]
        self._begin, self._end = self._starts[0], self._starts[-1]
        # Blanks have the role of the gaps, so that an empty row is one span.
        self._blank = [" "] * width
        for low, high, _ in axis.gaps:
            for cell in (low - first, high - 1 - first):
                if 0 <= cell < width:
                    self._blank[cell] = signs.gap

    def cell(self, time: int) -> int:
        """The cell of the window that a time stands in; outside it, below 0 or from `width` on."""
        return self.axis.cell_of(time) - self.first

    def lane(self, lane: Lane, over: Over, selected: int | None, matches: list[int], point: int | None = None) -> list[Span]:
        """The row of a lane.

        Args:
            lane: which.
            over: the lines of edges on this row.
            selected: index of the step under the cursor.
            matches: indexes of the steps that a search found, in order.
            point: a cell that shows the cursor whatever stands there.

        Returns:
            Spans, `width` cells together.
        """
        signs, roles = self._blank[:], ["dim"] * self.width
        for sort in (TURN, TALK, RUN, INTERVAL):
            self._bars(lane.bars[sort], sort, signs, roles)
        marked = self._marks(lane, signs, roles, selected, matches)
        for cell, (sign, role) in over.items():
            if 0 <= cell < self.width and cell not in marked:
                signs[cell], roles[cell] = sign, role
        if point is not None and 0 <= point < self.width:
            roles[point] += " cursor"
        return _spans(signs, roles)

    def _bars(self, bars: Bars, sort: int, signs: list[str], roles: list[str]) -> None:
        """Fill the cells of bars, all that begin in one cell at once: together they reach as far as the longest."""
        starts, ends, begins, last = bars.starts, bars.ends, self._starts, self.width
        sign, role = self.signs.bars[sort], BAR_ROLES[sort]
        at = bisect_left(starts, self._begin)
        if at and bars.reach[at - 1] >= self._begin:
            high = min(last, bisect_right(begins, bars.reach[at - 1]))
            signs[0:high], roles[0:high] = [sign] * high, [role] * high
        count = bisect_left(starts, self._end, at)
        while at < count:
            low = bisect_right(begins, starts[at]) - 1
            after = bisect_left(starts, begins[low + 1], at, count)
            high = min(last, bisect_right(begins, max(ends[at:after]) if after - at > 1 else ends[at]))
            signs[low:high], roles[low:high] = [sign] * (high - low), [role] * (high - low)
            at = after

    def _marks(
        self, lane: Lane, signs: list[str], roles: list[str], selected: int | None, matches: list[int]
    ) -> set[int]:
        times, marked, begins = lane.times, set(), self._starts
        at = bisect_left(times, self._begin)
        count = bisect_left(times, self._end, at)
        free: tuple[int, str] | None = None
        while at < count:
            cell = bisect_right(begins, times[at]) - 1
            after = bisect_left(times, begins[cell + 1], at, count)
            if free and free[0] < cell:
                self._say(free, signs, roles)
            here = selected is not None and at <= selected < after
            shown = selected if here and selected is not None else self._best(lane, at, after)
            signs[cell], role = self.mark(lane, shown)
            if after - at > 1:
                role = f"title {role}"
            if matches and bisect_left(matches, at) < bisect_left(matches, after):
                role += " match"
            roles[cell] = f"{role} cursor" if here else role
            marked.add(cell)
            free = self._suffix(lane, at, after, cell)
            at = after
        if free and free[0] < self.width:
            self._say(free, signs, roles)
        return marked

    def _say(self, free: tuple[int, str], signs: list[str], roles: list[str]) -> None:
        """Put a count beside its mark, but not over the edge of a gap, unless it is one that must be said."""
        cell, sign = free
        if self._blank[cell] == " " or sign == self.signs.untimed:
            signs[cell], roles[cell] = sign, "dim"

    def _suffix(self, lane: Lane, at: int, after: int, cell: int) -> tuple[int, str] | None:
        """What the cell after a mark says, if it is free: that a step there has no time, or how many steps there are."""
        placed = lane.placed_at
        if placed and bisect_left(placed, lane.times[at]) < bisect_right(placed, lane.times[after - 1]):
            return cell + 1, self.signs.untimed
        return (cell + 1, count_sign(self.signs, after - at)) if after - at > 1 else None

    def _best(self, lane: Lane, at: int, after: int) -> int:
        """The most important step of a cell; of those that may have failed, one is settled before it wins."""
        ranks = lane.ranks
        self.touched += 1
        while True:
            if after - at > _MANY:
                # Looking for each rank, the greatest first, passes over bytes much faster than comparing them.
                best, found = next((rank, place) for rank in RANKS if (place := ranks.find(rank, at, after)) >= 0)
            else:
                best = max(ranks[at:after])
                found = ranks.index(best, at, after)
            if best != MAYBE or self._settle(lane, found) in (FAILED, MAYBE):
                return found
            self.touched += 1

    def range_of(self, lane: Lane, cell: int) -> tuple[int, int]:
        """The steps of a lane that stand in a cell of the window: the first, and the one after the last."""
        begin, end = self.axis.start_of(self.first + cell), self.axis.start_of(self.first + cell + 1)
        return bisect_left(lane.times, begin), bisect_left(lane.times, end)

    def best_at(self, lane: Lane, cell: int) -> int | None:
        """The most important step in a cell of the window."""
        at, after = self.range_of(lane, cell)
        return self._best(lane, at, after) if at < after else None

    def mark(self, lane: Lane, at: int) -> tuple[str, str]:
        """Glyph and role of a step; of a failed one and of one without a result, those of the mark."""
        rank = lane.ranks[at]
        if rank == MAYBE:
            rank = self._settle(lane, at)
        if rank in (FAILED, UNFINISHED):
            return mark_glyph("failed" if rank == FAILED else "unfinished", ascii_only=self.ascii_only)
        return kind_glyph(lane.nodes[at].kind, ascii_only=self.ascii_only)


def _spans(signs: list[str], roles: list[str]) -> list[Span]:
    """Join neighbours of one role."""
    spans: list[Span] = []
    begin = 0
    for cell in range(1, len(signs) + 1):
        if cell == len(signs) or roles[cell] != roles[begin]:
            spans.append(("".join(signs[begin:cell]), roles[begin]))
            begin = cell
    return spans


__all__ = ["Over", "Painter"]
