"""Moves of the selection on the timeline: along a lane, across lanes by time, to the next lane, to an end of the lane.

Nothing is owned. A move in a lane costs a bisection, one across lanes a bisection for each lane, one to a lane the lanes between.
"""

from __future__ import annotations

from .lanes import Lane


class Moves:
    """What the model does for the keys that move.

    Attributes:
        lanes: the rows.
    """

    lanes: list[Lane]
    _at: tuple[int, int | None, int] | None

    def _choose(self, row: int, at: int) -> str:
        """Select the step at an index of a row; returns its id."""
        raise NotImplementedError

    def next_event(self, step: int, across: bool = False) -> str | None:
        """Select the next (1) or previous (-1) step by time, in the lane or across all.

        Steps of one moment follow one another by lane, in a lane by reading order.

        Returns:
            Its id; None at the end. With nothing selected, the first step of all.
        """
        if self._at is None:
            return self._first_of_all()
        row = self._at[0]
        if not across:
            at = self._neighbour(row, step)
            return self._choose(row, at) if at is not None else None
        best: tuple[int, int, int] | None = None
        for other, lane in enumerate(self.lanes):
            at = self._neighbour(other, step)
            if at is not None:
                key = (lane.times[at], other, at)
                if best is None or (key < best if step > 0 else key > best):
                    best = key
        return self._choose(best[1], best[2]) if best is not None else None

    def _neighbour(self, row: int, step: int) -> int | None:
        """The step of a row that comes next after the selection (or before it)."""
        assert self._at is not None
        mine, index, time = self._at
        at = self.lanes[row].after((time, mine, -1 if index is None else index), row, step)
        return at if 0 <= at < len(self.lanes[row].times) else None

    def _first_of_all(self) -> str | None:
        best = min(((lane.times[0], row) for row, lane in enumerate(self.lanes) if lane.times), default=None)
        return self._choose(best[1], 0) if best is not None else None

    def next_lane(self, step: int) -> str | None:
        """Select, on the next lane below (1) or above (-1) that has steps, the one nearest in time.

        Returns:
            Its id; None when there is no such lane.
        """
        if self._at is None:
            return self._first_of_all()
        row = self._at[0] + (1 if step > 0 else -1)
        far = abs(step)
        last: int | None = None
        while 0 <= row < len(self.lanes) and far:
            if self.lanes[row].times:
                last, far = row, far - 1
            row += 1 if step > 0 else -1
        at = self.lanes[last].nearest(self._at[2]) if last is not None else None
        return self._choose(last, at) if last is not None and at is not None else None

    def end_of_lane(self, step: int) -> str | None:
        """Select the last (1) or first (-1) step of the lane; returns its id."""
        if self._at is None:
            return self._first_of_all()
        row = self._at[0]
        count = len(self.lanes[row].times)
        return self._choose(row, count - 1 if step > 0 else 0) if count else None
