"""Taking along: copies, export, the text in the person's own editor or pager; and the size of the detail."""

from __future__ import annotations

import contextlib
import os
import shlex
import subprocess
import tempfile
from pathlib import Path

from textual.message import Message

from ...clipboard import copy
from .timeline import Timeline

_LEAST, _MOST, _STEP = 20, 80, 5


class Copied(Message):
    """A copy was made; the words say where it went."""

    def __init__(self, words: str) -> None:
        """Carry them."""
        super().__init__()
        self.words = words


class Taking(Timeline):
    """Copies and exports the selection."""

    _detail_size = 45

    # --- copies

    def _copy(self, text: str) -> None:
        driver = self.app._driver
        how = self.asz.config.clipboard
        # A command may take its time; the terminal is only written to from here.
        if isinstance(how, str):
            self.say(copy(text, how, driver.write if driver is not None else None))
        else:
            self.in_thread(lambda: self._copied(copy(text, how, None)), "asz-copy")

    def _copied(self, words: str) -> None:
        self.post_message(Copied(words))

    def on_copied(self, message: Copied) -> None:
        """Say where the copy went."""
        self.say(message.words)

    def action_copy_text(self) -> None:
        """Copy the whole text of the selection; in the detail, of the block under the cursor; in a table, the whole row."""
        selected, source = self.selected(), self.source
        if self.in_detail:
            if len(self.detail_view.rows):
                self._copy(self.detail_view.rows.text_at(self.detail_view.cursor))
        elif self.pane not in ("talks", "flow") and hasattr(source, "full"):
            self._copy(source.full(self.view.cursor))
        elif selected and self.detail is not None:
            text = self.detail.text(selected)
            if text:
                self._copy(text)
            else:
                self.say("this node carries no text; I copies its id")

    def action_copy_link(self) -> None:
        """Copy a command line that opens the same place."""
        from ...export import deep_link

        self._copy(deep_link(self.asz.root.path, self.conversation_id, self.selected()))

    def action_copy_id(self) -> None:
        """Copy the id of the selection."""
        selected = self.selected()
        if selected:
            self._copy(selected)

    def action_export(self) -> None:
        """Export the selection or the conversation."""
        if self.opened is None or self.conversation is None or not self.conversation.usable:
            self.say("there is nothing to export: no round was folded")
            return
        from ..export import ExportScreen

        self.app.push_screen(ExportScreen(self.opened, self.selected(), self.asz.tz, root=self.asz.root.path), self._exported)

    def _exported(self, words: str | None) -> None:
        if words:
            self.say(words)

    # --- the person's own program

    def action_open_text(self) -> None:
        """Open the whole text in $PAGER or $EDITOR, outside the explorer, and come back."""
        selected = self.selected()
        text = self.detail.text(selected) if selected and self.detail is not None else ""
        if not text:
            self.say("this node carries no text")
            return
        named = os.environ.get("ASZ_PAGER") or os.environ.get("PAGER") or os.environ.get("EDITOR") or "less"
        handle, name = tempfile.mkstemp(prefix="asz-", suffix=".txt")
        try:
            # The program acts on what it shows, so it gets what a copy would be: control characters made visible.
            from ...clipboard import plain

            with open(handle, "w", encoding="utf-8", errors="replace") as file:
                file.write(plain(text))
            with self.app.suspend():
                subprocess.run([*shlex.split(named), name], check=False)
        except (OSError, ValueError) as error:
            self.say(f"{named} could not be started: {error}")
        except Exception as error:
            self.say(f"this terminal cannot be left for another program: {error}")
        finally:
            with contextlib.suppress(OSError):
                Path(name).unlink()
        self.refresh()

    # --- the size of the detail

    def set_detail_size(self, percent: int) -> None:
        """Give the detail so many hundredths of the width, and remember it."""
        self._detail_size = max(_LEAST, min(_MOST, percent))
        self.detail_view.styles.width = f"{self._detail_size}fr"
        for pane in self.query(".pane"):
            pane.styles.width = f"{100 - self._detail_size}fr"

    def action_resize_detail(self, step: int) -> None:
        """Make the detail wider or narrower."""
        if not self.detail_shown or self.query_one("#body").has_class("narrow"):
            self.say("Enter opens the detail; at 100 columns and more it stands beside the list and has a width")
            return
        self.set_detail_size(self._detail_size + step * _STEP)
        if self.asz.state is not None:
            self.asz.state.put_size("detail", self._detail_size)
        self.show_frame()

    def open_detail(self) -> None:
        """Show the detail at the width it had last."""
        state, config = self.asz.state, self.asz.config
        size = (state.size("detail") if state else None) or config.layout.detail_size
        if not self.query_one("#body").has_class("narrow"):
            self.set_detail_size(size)
        super().open_detail()
