"""Rows of the table panes that take long: made behind the frame that says so, and decided on in slices.

What it owns: two timers. Making a table of a long conversation takes up to a tenth of a second and cannot be interrupted, so its
pane is shown first; what a filter has to read of every step goes on in slices of `_SLICE` seconds, with the rows found so far on
the screen.
"""

from __future__ import annotations

from time import monotonic
from typing import Any

from textual.timer import Timer

from ...grammar import one_line
from ...lines.line import ListSource
from .finding import Finding
from .panes import FILLED

_AT_ONCE, _SLICE, _REST = 0.03, 0.005, 0.003
_SHOW_EVERY = 0.1
_LONG = 40_000
"""Nodes from which on a table is made behind its pane."""


class Filling(Finding):
    """Fills the tables."""

    long_from = _LONG
    _filler: Timer | None = None
    _maker: Timer | None = None
    _filled_at = 0.0

    def rows_of(self, pane: str) -> Any:
        """The rows of a pane; of a table that is still to be made, none, and it is made as soon as the pane is on the screen."""
        assert self.panes is not None and self.opened is not None
        waits = pane in FILLED and self.panes.made(pane) is None
        if waits and self._maker is None and len(self.opened.conversation.fold.nodes) >= self.long_from:
            self._maker = self.set_timer(_REST, self._make)
            return ListSource()
        rows = self.panes.source(pane)
        if pane in FILLED:
            rows.at_once, rows.behind = _AT_ONCE, self.fill_behind
            if not rows.filled:
                self.fill_behind()
        return rows

    def _make(self) -> None:
        """Make the table whose pane is shown."""
        if self.panes is not None and self.pane in FILLED:
            # What is waited for is made now, whichever pane it was when the timer was set.
            self.show_pane(self.pane)
        self._maker = None

    def empty_words(self) -> str:
        """What the pane says while it has no rows."""
        if self.panes is None or self.panes.made(self.pane) is None:
            return " making the list"
        if self.pane in FILLED and not self.source.filled:
            return " looking"
        narrowed = self.narrowed()
        return f" nothing fits {one_line(narrowed)}; Esc shows all again" if narrowed else ""

    def fill_behind(self) -> None:
        """Let the rows that were not decided on at once follow."""
        if self._filler is None:
            self._filler = self.set_timer(_REST, self._fill)

    def _fill(self) -> None:
        self._filler = None
        rows = self.source if self.pane in FILLED else None
        if rows is None or rows.filled:
            return
        done = rows.fill(_SLICE)
        if done or monotonic() - self._filled_at > _SHOW_EVERY:
            self._filled_at = monotonic()
            self.view.empty_text = self.empty_words()
            self.view.source_changed()
            self.show_place()
        if not done:
            self.fill_behind()
