"""`Ahead`: makes the rows of a list that the next key will most likely show, while nothing else is to be done.

What it owns: which screens full are still to be made (a page, half a page, the ends), and a timer. The strips go where the view
keeps its own. Work is done in slices of `SLICE` seconds with a rest between them: a key that comes meanwhile waits no longer.

Cost: after a move, the rows of the screens full that are not ready yet, once; nothing while the view rests.
"""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter
from typing import TYPE_CHECKING

from textual.timer import Timer

from asz_tui.lines.scroll import clamp_top, keep_in_view, thumb

if TYPE_CHECKING:
    from asz_tui.lines.view import LineView

SLICE = 0.002
_FIRST, _REST = 0.012, 0.002


class Ahead:
    """Works for one view."""

    def __init__(self, view: LineView) -> None:
        """
        Args:
            view: whose rows are made.
        """
        self._view = view
        self._timer: Timer | None = None
        self._rows: Iterator[None] | None = None
        self.heading = 1

    def soon(self) -> None:
        """Begin anew, from where the view is now, once the frame that is due is shown."""
        self._rows = None
        if self._timer is None:
            self._timer = self._view.set_timer(_FIRST, self._work)

    def _work(self) -> None:
        self._timer = None
        if self._view.is_attached and not self.go_on(SLICE):
            self._timer = self._view.set_timer(_REST, self._work)

    def go_on(self, seconds: float) -> bool:
        """Make rows for so long, roughly; whether all are made."""
        until = perf_counter() + seconds
        rows = self._rows = self._rows or self._make()
        return all(perf_counter() <= until for _ in rows)

    def _make(self) -> Iterator[None]:
        view = self._view
        height, count = view.size.height, len(view.source)
        cursor, top = max(0, view.cursor), view.top
        paths = [self.heading * max(1, height - 1), self.heading * max(1, height // 2)]
        for rows in (*paths, *[-rows for rows in paths]):
            aim = keep_in_view(max(0, min(cursor + rows, count - 1)), clamp_top(top + rows, height, count), height, view.margin)
            yield from self._screen(aim)
        yield from self._screen(0)
        yield from self._screen(count)

    def _screen(self, top: int) -> Iterator[None]:
        """The rows in view when the view begins at one of them; ends early where the rows changed and nobody said so yet."""
        view = self._view
        source, height = view.source, view.size.height
        count, version = len(source), source.version
        top = clamp_top(top, height, count)
        first, after = thumb(top, height, count)
        prepare = view.preparing()
        for line in range(min(height, count)):
            if prepare(top + line, line, first <= line < after):
                yield
                if source.version != version:
                    return
