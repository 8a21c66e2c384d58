"""The palette: every action of the screen below by its words, narrowed while it is typed, run with Enter."""

from __future__ import annotations

from collections.abc import Hashable
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.screen import ModalScreen
from textual.widgets import Input

from ..keys import Key, shown
from ..lines.bar import Bar
from ..lines.line import Line, ListSource
from ..lines.view import LineView

_LEFT_OUT = frozenset({"palette"})


class PaletteScreen(ModalScreen[str | None]):
    """Chooses an action; the result is the action's name, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "close")]

    def __init__(self, keys: tuple[Key, ...], text: str = "") -> None:
        """
        Args:
            keys: the table of the screen below.
            text: what stands in the field at first.
        """
        super().__init__()
        self._keys = [key for key in keys if key.id not in _LEFT_OUT]
        self._text = text

    def compose(self) -> ComposeResult:
        """Title, field, list."""
        with Container(id="box"):
            yield Bar(id="box-title")
            yield Input(self._text, id="palette-field", placeholder="what to do", select_on_focus=False, compact=True)
            yield LineView(ListSource(), id="box-rows", empty_text=" nothing is called so")

    def on_mount(self) -> None:
        """List everything."""
        self.query_one("#box-title", Bar).show(
            Line([(" everything this screen can do", "title")], [("Enter runs it   Esc close ", "dim")])
        )
        field = self.query_one("#palette-field", Input)
        field.cursor_blink = False
        field.focus()
        self.rows.styles.height = min(len(self._keys), max(3, self.app.size.height // 2))
        self._narrow(self._text)

    @property
    def rows(self) -> LineView:
        """The list."""
        return self.query_one("#box-rows", LineView)

    def _narrow(self, text: str) -> None:
        words = text.lower().split()
        fits = [key for key in self._keys if all(word in f"{key.words} {key.group} {key.id}".lower() for word in words)]
        rows: list[tuple[Hashable, Line]] = [
            (key.id, Line([(f"  {key.words}", "text")], [(f"{key.group:.20}  ", "dim"), (f"{shown(key):>14} ", "accent")]))
            for key in fits
        ]
        self.rows.set_source(ListSource(rows), keep=False)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Narrow while it is typed."""
        event.stop()
        self._narrow(event.value)

    def on_key(self, event: events.Key) -> None:
        """The arrows move in the list while the field has the focus."""
        if event.key in ("up", "down", "pageup", "pagedown", "ctrl+p", "ctrl+n"):
            event.stop()
            event.prevent_default()
            moves = {"up": "cursor_up", "ctrl+p": "cursor_up", "down": "cursor_down", "ctrl+n": "cursor_down"}
            getattr(self.rows, moves.get(event.key, "page_up" if event.key == "pageup" else "page_down"))()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Run the action under the cursor."""
        event.stop()
        self._choose()

    def on_line_view_activated(self) -> None:
        """A double click runs it too."""
        self._choose()

    def _choose(self) -> None:
        chosen = self.rows.cursor_key
        action = next((key.action for key in self._keys if key.id == chosen), None)
        if action is not None:
            self.dismiss(action)

    def action_leave(self) -> None:
        """Close."""
        self.dismiss(None)
