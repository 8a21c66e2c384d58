"""The window of the timeline: how long the axis is, which part of it is in view, and the painter for that.

What is owned: the axis, the zoom and the first cell in view, and the last few axes and painters, so that what was looked at a
moment ago, or made ahead (`near`, `as_if`), costs nothing. A zoom makes an axis, a pan a painter; an axis costs a sum over the
stretches of activity, a painter the cells in view.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from .axis import NEVER, Activity, Axis
from .lanes import Lane
from .paint import Painter
from .signs import ASCII, UNICODE

MOST_CELLS = 1 << 22
_AXES, _PAINTERS = 8, 16


class Spot(NamedTuple):
    """A zoom and a place: how many times the axis is as long as the view, the axis, and its first cell in view."""

    factor: float
    axis: Axis
    first: int


class Window:
    """What the model does for zoom and pan.

    Attributes:
        signs: what is drawn with.
        axis: where times stand.
        painter: for the part of the axis that is in view.
    """

    def __init__(self, ascii_only: bool) -> None:
        """
        Args:
            ascii_only: draw with ASCII only.
        """
        self.signs = ASCII if ascii_only else UNICODE
        self._cells = 80
        self._made = 0
        self._axes: dict[int, Axis] = {}
        self._painters: dict[Hashable, Painter] = {}
        self._window_key: Hashable = None
        self._spot = Spot(1.0, Axis([], self._cells), 0)
        self._open()

    # What the model tells

    def _here(self) -> int | None:
        """When the selection is; None without one."""
        return None

    def _settle(self, lane: Lane, at: int) -> int:
        """The rank of a step that may have failed."""
        return lane.ranks[at]

    # What is in view

    @property
    def axis(self) -> Axis:
        """Where times stand."""
        return self._spot.axis

    @property
    def _factor(self) -> float:
        return self._spot.factor

    @property
    def fits(self) -> bool:
        """Whether the whole axis is in view."""
        return self.axis.cells <= self._cells

    @property
    def cells(self) -> int:
        """How many cells of the axis are in view."""
        return self._cells

    @property
    def first(self) -> int:
        """The first cell of the axis in view."""
        return self._spot.first

    def _renew(self) -> None:
        """What was painted before is not to be taken for what would be painted now."""
        self._made += 1
        self._open()

    def _lay(self, activity: Activity) -> None:
        """Lay the axis over other activity; the window stays on its time, and a zoom keeps its scale."""
        factor, old, first = self._spot
        left = old.start_of(first) if first else -NEVER
        if factor > 1.0 and old.active != activity.active:
            # The scale stays when time goes on; only «fit» takes in what is new.
            factor = max(1.0, factor * activity.active / old.active)
        self._axes.clear()
        axis = self._axis(factor, activity)
        self._made += 1
        self._go(Spot(factor, axis, axis.cell_of(left) if left > -NEVER else 0))

    def _fit_to(self, cells: int) -> None:
        """Take as many cells as there are on the screen: «fit» then fits, and a zoomed window keeps its scale."""
        if cells != self._cells:
            factor, axis, first = self._spot
            if factor > 1.0:
                self._spot = Spot(max(1.0, factor * self._cells / cells), axis, first)
            self._cells = cells
            self._lay(axis.activity)

    def _axis(self, factor: float, activity: Activity | None = None) -> Axis:
        total = min(MOST_CELLS, max(self._cells, round(self._cells * factor)))
        axis = self._axes.get(total)
        if axis is None:
            axis = self._axes[total] = Axis(activity or self.axis.activity, total)
            if len(self._axes) > _AXES:
                del self._axes[next(iter(self._axes))]
        return axis

    def _go(self, spot: Spot) -> None:
        self._spot = self._clamped(spot)
        self._open()

    def _clamped(self, spot: Spot) -> Spot:
        return spot._replace(first=max(0, min(spot.first, spot.axis.cells - self._cells)))

    def _open(self) -> None:
        """Have the painter for the window as it is now."""
        _, axis, first = self._spot
        key = self._window_key = (self._made, axis.cells, first, self._cells)
        painter = self._painters.get(key)
        if painter is None:
            ascii_only = self.signs is ASCII
            painter = self._painters[key] = Painter(axis, first, self._cells, self.signs, self._settle, ascii_only=ascii_only)
            if len(self._painters) > _PAINTERS:
                del self._painters[next(iter(self._painters))]
        self.painter = painter

    # Zoom and pan

    def zoom(self, factor: float) -> None:
        """Make the axis longer or shorter, round the selection when it is in view, else round the middle."""
        spot = self._zoomed(factor)
        if spot is not None:
            self._go(spot)

    def _zoomed(self, factor: float) -> Spot | None:
        column, here = self._cells // 2, self._here()
        if here is not None and 0 <= (cell := self.painter.cell(here)) < self._cells:
            column, time = cell, here
        else:
            time = self._time_at(column)
        # Closer than a millisecond of activity a cell there is nothing to see.
        most = max(1.0, min(MOST_CELLS, self.axis.active / 1_000_000) / self._cells)
        wanted = max(1.0, min(self._factor * factor, most))
        if wanted == self._factor:
            return None
        axis = self._axis(wanted)
        return Spot(wanted, axis, axis.cell_of(time) - column)

    def _time_at(self, column: int) -> int:
        time = self.axis.start_of(self.first + column)
        if -NEVER < time < NEVER:
            return time
        return self.axis.stretches[0][0] if time < 0 else self.axis.stretches[-1][1]

    def fit(self) -> None:
        """Show the whole axis."""
        self._go(Spot(1.0, self._axis(1.0), 0))

    def pan(self, cells: int) -> None:
        """Move the window along the axis, to the right when positive."""
        self._go(self._spot._replace(first=self.first + cells))

    def centre(self) -> None:
        """Bring the selection to the middle."""
        here = self._here()
        if here is not None:
            self.pan(self.painter.cell(here) - self._cells // 2)

    # What a key may show next

    def near(self) -> Iterator[Spot]:
        """Where the next key may lead: half a width to the right and left, in and out, and the whole axis."""
        half = round(0.5 * self._cells)
        for make in (
            lambda: self._spot._replace(first=self.first + half),
            lambda: self._spot._replace(first=self.first - half),
            lambda: self._zoomed(2.0),
            lambda: self._zoomed(0.5),
            lambda: Spot(1.0, self._axis(1.0), 0),
        ):
            spot = make()
            if spot is not None and (spot := self._clamped(spot)) != self._spot:
                yield spot

    @contextmanager
    def as_if(self, spot: Spot) -> Iterator[None]:
        """Paint meanwhile as if the window were there."""
        now = self._spot
        self._spot = spot
        self._open()
        try:
            yield
        finally:
            self._spot = now
            self._open()


__all__ = ["Spot", "Window"]
