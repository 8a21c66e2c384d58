"""The least that a Textual program does for a key: one line that changes with each press. What every key is measured against."""

from __future__ import annotations

from textual.app import App, ComposeResult
from textual.events import Key
from textual.widgets import Static


class EmptyApp(App[None]):
    """One line that counts."""

    ENABLE_COMMAND_PALETTE = False
    CSS = "Screen { overflow: hidden; }"

    def __init__(self) -> None:
        super().__init__(ansi_color=True)
        self.animation_level = "none"
        self.count = 0

    def compose(self) -> ComposeResult:
        """The line."""
        yield Static("pressed 0 times", id="line")

    def on_key(self, event: Key) -> None:
        """Count."""
        event.stop()
        event.prevent_default()
        self.count += 1
        self.query_one("#line", Static).update(f"pressed {self.count} times")


if __name__ == "__main__":
    EmptyApp().run()
