"""`TextView`: long texts to read, wrapped as far as they are looked at; the detail pane is one.

Cost: opening wraps the first screens; the rest is wrapped in slices of some milliseconds while nothing else waits, and
at once where a movement needs it (`end` needs all).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from textual.timer import Timer

from asz_tui.lines.line import Line
from asz_tui.lines.text_rows import Block, TextRows
from asz_tui.lines.view import LineView

_SLICE = 0.006
_PAUSE = 0.02


class TextView(LineView):
    """Shows blocks of text. Without a cursor, unless asked for, the movements scroll."""

    class Wrapped(LineView.RowMessage):
        """All of the text is wrapped: it is known now how many rows there are."""

    def __init__(
        self,
        items: Sequence[Block | Line] = (),
        *,
        empty_text: str = "",
        show_cursor: bool = False,
        gutter: bool = False,
        bar: bool = True,
        ascii: bool | None = None,
        name: str | None = None,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        """Make a view.

        Args:
            items: what to show, see `set_items`.
            empty_text: see `LineView`; the rest too.
            show_cursor: show and move a cursor.
            gutter: keep a column for its glyph.
            bar: keep a column for the scrollbar.
            ascii: write ASCII only; None asks the app.
            name: see Textual.
            id: see Textual.
            classes: see Textual.
        """
        self._rows = TextRows(items)
        self._slicer: Timer | None = None
        super().__init__(
            self._rows,
            empty_text=empty_text,
            show_cursor=show_cursor,
            gutter=gutter,
            bar=bar,
            ascii=ascii,
            name=name,
            id=id,
            classes=classes,
        )

    @property
    def rows(self) -> TextRows:
        """The rows made so far."""
        return self._rows

    def set_items(self, items: Sequence[Block | Line], *, keep: bool = False) -> None:
        """Show other texts.

        Args:
            items: blocks to wrap, and lines to show as they are.
            keep: stay where the view is, for texts that only grew or changed a little; otherwise begin at the top.
        """
        self._rows = TextRows(items, self.row_width or 80)
        self._need(self._top + 2 * self.size.height)
        self.set_source(self._rows, keep=keep)
        self._go_on()

    def set_match(self, pattern: re.Pattern[str] | None) -> None:
        """Mark what a pattern finds.

        Args:
            pattern: the pattern, or None for no marks. A find that is wrapped over two rows is not marked.
        """
        self._rows.set_match(pattern)
        self.source_changed()

    def end(self) -> None:
        """Go to the last row, wrapping all that was not wrapped yet."""
        self._rows.finish()
        super().end()

    action_end = end

    def on_resize(self) -> None:
        """Wrap to the new width, before `LineView` sees to the rest; the text at the top of the view stays there."""
        changed = self._rows.set_cells(self.row_width)
        self._need(self._top + 2 * self.size.height)
        if changed and self._keys:
            self.source_changed()
        self._go_on()

    def _need(self, index: int) -> None:
        self._rows.ensure(index + 1)

    def _go_on(self) -> None:
        """Wrap the rest in the background."""
        if self._slicer is None and not self._rows.done and self.is_attached:
            self._slicer = self.set_timer(_PAUSE, self._slice)

    def _slice(self) -> None:
        self._slicer = None
        self._rows.ensure(1 << 62, _SLICE)
        self.source_changed()
        if self._rows.done:
            self.post_message(self.Wrapped(self, self.cursor, self.cursor_key))
        self._go_on()
