"""`Scrolled`: what the mouse does to a list beside choosing a row: the wheel, and the scrollbar that is dragged.

It owns whether the scrollbar is held, and nothing else. Each turn or step costs what the scroll that it asks for costs.
"""

from __future__ import annotations

from textual import events

from asz_tui.lines.painted import Painted
from asz_tui.lines.scroll import row_at_bar


class Scrolled(Painted):
    """Takes the mouse; the list says how it scrolls and how many rows it has."""

    wheel = 3
    """Rows a turn of the mouse wheel scrolls."""

    _bar = 0
    _dragging = False

    def scroll_rows(self, rows: int) -> None:
        """Scroll by so many rows, down when positive."""
        raise NotImplementedError

    def show_from(self, index: int) -> None:
        """Let the view begin at a row."""
        raise NotImplementedError

    def count(self) -> int:
        """How many rows there are."""
        raise NotImplementedError

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Scroll down."""
        event.stop()
        self.scroll_rows(self.wheel)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Scroll up."""
        event.stop()
        self.scroll_rows(-self.wheel)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Take hold of the scrollbar."""
        if self._on_bar(event):
            event.stop()
            self._dragging = True
            self.capture_mouse()
            self._drag(event.y)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Drag the scrollbar."""
        if self._dragging:
            event.stop()
            self._drag(event.y)

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """Let go of the scrollbar."""
        if self._dragging:
            event.stop()
            self._dragging = False
            self.release_mouse()

    def _on_bar(self, event: events.MouseEvent) -> bool:
        offset = event.get_content_offset(self)
        return bool(self._bar) and offset is not None and offset.x == self.size.width - 1

    def _drag(self, y: int) -> None:
        line = y - self.gutter.top
        self.show_from(row_at_bar(line, self.size.height, self.count()))
