"""The least that Textual can do with a key: an app of one line that changes with each press."""

from __future__ import annotations

from typing import ClassVar

from textual.app import App, ComposeResult
from textual.widgets import Static


class EmptyApp(App[None]):
    """One line of text, and any key."""

    ENABLE_COMMAND_PALETTE = False
    CSS: ClassVar[str] = "Screen { background: ansi_default; }"

    def compose(self) -> ComposeResult:
        """The line."""
        self.presses = 0
        yield Static("ready", id="line")

    def on_key(self) -> None:
        """Change it."""
        self.presses += 1
        self.query_one("#line", Static).update(f"pressed {self.presses}")


if __name__ == "__main__":
    EmptyApp(ansi_color=True).run()
