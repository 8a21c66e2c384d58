"""`Bar`: one line of the frame (header, tabs, footer), written only when it reads differently."""

from __future__ import annotations

from typing import ClassVar

from .line import Line, ListSource
from .view import LineView


class Bar(LineView, can_focus=False):
    """A line that is not a list: no cursor, no scrolling, one row high."""

    DEFAULT_CSS: ClassVar[str] = """
    Bar { height: 1; width: 1fr; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        """
        Args:
            id: see Textual.
        """
        self._line = ListSource([("bar", Line())])
        super().__init__(self._line, show_cursor=False, gutter=False, bar=False, id=id)

    def show(self, line: Line) -> None:
        """Show another line."""
        if line != self._line.rows[0][1]:
            self._line.rows = [("bar", line)]
            self._look()

    @property
    def text(self) -> str:
        """What the line says, for tests and screen readers."""
        line = self._line.rows[0][1]
        return "".join(text for text, _ in (*line.left, *line.right))
