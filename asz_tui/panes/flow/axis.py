"""The time axis: activity in proportion, quiet times as short gaps, and which cell a time stands in.

Times are nanoseconds. A *stretch* is activity without a pause longer than `QUIET_NS`; between stretches lie gaps. An `Axis` spreads
the stretches over a number of cells: first a third of them at most is given to gaps (the longest ones, where there are too many),
then the rest is shared among what lies between the drawn gaps in proportion to its activity, a few cells each at least. A gap that
gets no cell is left out, and what lies around it adjoins.

All of it is exact in whole numbers: `start_of(c)` is the least time with `cell_of(t) >= c`. Making an axis costs a sum over the
stretches and some microseconds for each gap that is drawn, `cell_of` and `start_of` two bisections, whatever the number of cells.
What of an axis depends on its stretches only is kept in an `Activity`, which a zoom hands on.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from itertools import accumulate

from ...text.words import duration

SECOND = 1_000_000_000
QUIET_NS = 120 * SECOND
"""A pause longer than this is a gap."""
FEW = 3
"""Cells that a stretch of activity gets at least, where there is room."""
NEVER = 1 << 80
"""A time after every other."""

Stretch = tuple[int, int]


def join_stretches(stretches: Iterable[Stretch]) -> list[Stretch]:
    """Join what no pause longer than `QUIET_NS` separates; costs a sort."""
    joined: list[Stretch] = []
    first = last = NEVER
    for start, end in sorted(stretches):
        if first == NEVER:
            first, last = start, end
        elif start - last > QUIET_NS:
            joined.append((first, last))
            first, last = start, end
        elif end > last:
            last = end
    if first != NEVER:
        joined.append((first, last))
    return joined


class Activity:
    """Stretches in order, and what every axis over them needs.

    Attributes:
        stretches: of the activity; one of no length at 0 when there is none.
        starts, sizes: of each stretch, in nanoseconds.
        spans: the quiet time after each but the last.
        active: nanoseconds of activity.
    """

    def __init__(self, stretches: list[Stretch]) -> None:
        """
        Args:
            stretches: joined.
        """
        self.stretches = stretches or [(0, 0)]
        self.starts = [start for start, _ in self.stretches]
        self.sizes = [end - start + 1 for start, end in self.stretches]
        self.spans = [after - before for after, (_, before) in zip(self.starts[1:], self.stretches, strict=False)]
        self.active = sum(self.sizes)
        self._alike: list[list[int]] | None = None

    def alike(self) -> list[list[int]]:
        """The places of spans within a factor of two of each other, the longest first."""
        if self._alike is None:
            found: dict[int, list[int]] = {}
            for at, span in enumerate(self.spans):
                found.setdefault(span.bit_length(), []).append(at)
            self._alike = [found[length] for length in sorted(found, reverse=True)]
        return self._alike


class Axis:
    """Times spread over cells.

    Attributes:
        activity: what is spread. stretches: of it, in order; one of no length at 0 when there is none.
        cells: how many there are.
        active: nanoseconds of activity on it.
        gaps: (first cell, cell after the last, nanoseconds of quiet) of the gaps that are drawn.
        hidden: how many gaps are left out.
    """

    def __init__(self, stretches: list[Stretch] | Activity, cells: int) -> None:
        """
        Args:
            stretches: joined; or what an axis over them has already.
            cells: at least one.
        """
        self.activity = stretches if isinstance(stretches, Activity) else Activity(stretches)
        self.stretches = self.activity.stretches
        self.cells = max(1, cells)
        self.active = self.activity.active
        widths = self._gap_widths()
        self.hidden = len(self.activity.spans) - len(widths)
        self._lay(widths)

    def _gap_widths(self) -> dict[int, int]:
        """Cells for the gaps that are drawn, by the stretch they come after, in order."""
        spans = self.activity.spans
        if not spans:
            return {}
        room = self.cells // 3
        each = room // len(spans)
        if each:
            return {at: _gap_width(span, each) for at, span in enumerate(spans)}
        return dict.fromkeys(sorted(_longest(self.activity.alike(), self.cells // 5)), 1)

    def _lay(self, widths: dict[int, int]) -> None:
        """Give every drawn gap and every band of stretches between them its cells."""
        # A coordinate `u` grows with the activity and along drawn gaps; it stands still in the gaps that are left out.
        starts, sizes, stretches = self.activity.starts, self.activity.sizes, self.stretches
        self._times: list[int] = []
        self._us: list[int] = []
        self._sizes: list[int] = []
        bands: list[list[int]] = [[0, 0, -1]]  # from u, to u, cells of a drawn gap or -1
        u = done = 0
        for at in (*widths, len(starts) - 1):
            after = at + 1
            if after > done:
                us = list(accumulate(sizes[done:after], initial=u))
                u = us.pop()
                self._times += starts[done:after]
                self._us += us
                self._sizes += sizes[done:after]
                bands[-1][1] = u
                done = after
            if at in widths and after < len(starts):
                end = stretches[at][1]
                self._times.append(end + 1)
                self._us.append(u)
                self._sizes.append(starts[after] - end - 1)
                u += starts[after] - end - 1
                bands += [[bands[-1][1], u, widths[at]], [u, u, -1]]
        self._place(bands)

    def _place(self, bands: list[list[int]]) -> None:
        lengths = [to - from_ for from_, to, gap in bands if gap < 0]
        room = self.cells - sum(gap for _, _, gap in bands if gap > 0)
        shares = iter(share(lengths, room))
        self._froms = [band[0] for band in bands]
        self._tos = [band[1] for band in bands]
        self._firsts: list[int] = []
        self._widths: list[int] = []
        self.gaps: list[tuple[int, int, int]] = []
        cell = 0
        for from_, to, gap in bands:
            width = gap if gap > 0 else next(shares)
            self._firsts.append(cell)
            self._widths.append(width)
            if gap > 0:
                self.gaps.append((cell, cell + width, to - from_))
            cell += width

    def cell_of(self, time: int) -> int:
        """The cell a time stands in; what lies outside the axis is in its first or last cell."""
        at = bisect_right(self._times, time) - 1
        if at < 0:
            return 0
        u = self._us[at] + min(time - self._times[at], self._sizes[at] - 1)
        band = bisect_right(self._froms, u) - 1
        first, from_ = self._firsts[band], self._froms[band]
        return first + (u - from_) * self._widths[band] // max(1, self._tos[band] - from_)

    def start_of(self, cell: int) -> int:
        """The least time that stands in a cell or after it; `NEVER` past the end."""
        if cell <= 0:
            return -NEVER
        if cell >= self.cells:
            return NEVER
        band = bisect_right(self._firsts, cell) - 1
        from_, width = self._froms[band], self._widths[band]
        u = from_ + -(-(cell - self._firsts[band]) * (self._tos[band] - from_) // width)
        if u >= self._tos[-1]:
            return NEVER
        at = bisect_right(self._us, u) - 1
        return self._times[at] + u - self._us[at]

    def segments(self, first: int, after: int) -> Iterable[Stretch]:
        """The stretches that reach into a range of cells."""
        low = self.start_of(first)
        high = self.start_of(after)
        at = max(0, bisect_right(self.stretches, (low, low)) - 1)
        while at < len(self.stretches) and self.stretches[at][0] < high:
            yield max(self.stretches[at][0], low), min(self.stretches[at][1], high - 1)
            at += 1

    def band_starts(self, first: int, after: int) -> Iterable[int]:
        """Where activity begins on the axis: the start of each band that begins in a range of cells."""
        for at in range(bisect_left(self._firsts, first), len(self._firsts)):
            if self._firsts[at] >= after:
                return
            segment = bisect_left(self._us, self._froms[at])
            time = self._times[segment] if segment < len(self._times) else NEVER
            if time != NEVER and at % 2 == 0:
                yield time


def _longest(alike: list[list[int]], room: int) -> list[int]:
    """The places of so many long spans; of those about as long as the last to find room, some from everywhere."""
    # More columns than a few would be a fence and no axis. Spans within a factor of two count as equally long.
    found: list[int] = []
    for places in alike:
        left = room - len(found)
        if len(places) > left:
            return found + [places[at * len(places) // left] for at in range(left)]
        found += places
    return found


def share(lengths: list[int], room: int) -> list[int]:
    """Share cells in proportion to lengths, `FEW` each at least where there is room, one otherwise.

    Args:
        lengths: of what is to be spread.
        room: the cells.

    Returns:
        Cells of each; they make up `room` unless there is less than one for each.
    """
    least = max(1, min(FEW, room // (2 * len(lengths)) or 1))
    wide = set(range(len(lengths)))
    while True:
        left = room - least * (len(lengths) - len(wide))
        total = sum(lengths[at] for at in wide)
        small = {at for at in wide if lengths[at] * left < least * total}
        if not small or len(small) == len(wide):
            break
        wide -= small
    found = [least] * len(lengths)
    done = given = 0
    for at in sorted(wide):
        done += lengths[at]
        # Rounding the running sum, not each share, makes them add up.
        found[at] = max(1, left * done // total - given) if total else least
        given += found[at]
    return found


def _gap_width(span: int, each: int) -> int:
    """Cells of a gap that may take `each`: enough for its whole label, its short one, or one."""
    words = duration(span // 1_000_000)
    for wanted in (len(words) + 10, len(words) + 2):
        if wanted <= each:
            return wanted
    return 1
