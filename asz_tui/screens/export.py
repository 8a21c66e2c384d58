"""The dialog that exports: what, in which format, under which name. It writes beside the screen, and says where the file went.

One list of two rows for the choices, one field for the name; Enter writes from either. The result is a sentence for the footer of
whoever opened it.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Hashable, Iterable
from datetime import tzinfo
from pathlib import Path
from time import monotonic
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Horizontal
from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import Input

from asz_core import AszError

from ..export import FORMATS, SVG, AlreadyThere, Cancelled, export, propose_name, write
from ..lines.bar import Bar
from ..lines.line import Line, ListSource, Span
from ..lines.view import LineView
from ..session.opened import Opened
from ..text.safe import visible
from ..text.words import size

_FORMATS = (*FORMATS, SVG)
_WIDE = 84
"""Columns from which a row has room for words on what is chosen."""
_TELL_EVERY = 0.1
_LAST_WAIT = 0.5


class Progressed(Message):
    """How far the export is."""

    def __init__(self, done: int, total: int) -> None:
        """Say how much of how much."""
        super().__init__()
        self.done, self.total = done, total

    def can_replace(self, message: Message) -> bool:
        """Only the last word counts."""
        return isinstance(message, Progressed)


class Written(Message):
    """The export ended: with so many bytes in a file, or with an error."""

    def __init__(self, path: Path, count: int, error: Exception | None) -> None:
        """Carry it."""
        super().__init__()
        self.path, self.count, self.error = path, count, error


class ExportScreen(ModalScreen[str | None]):
    """Exports the selection or the conversation; the result is the sentence that says where it went, or None.

    Attributes:
        what: «selection» or «conversation».
        format: the chosen format.
        running: whether a file is being written.
    """

    DEFAULT_CSS: ClassVar[str] = """
    ExportScreen #export-line { height: 1; width: 1fr; }
    ExportScreen #export-label { width: 9; }
    ExportScreen #export-name { width: 1fr; height: 1; border: none; padding: 0; background: ansi_default; color: ansi_default; }
    ExportScreen #export-name:focus { border: none; background-tint: ansi_default; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "write", "write"),
        Binding("j,down", "down", "down"),
        Binding("k,up", "up", "up"),
        Binding("l,right,space", "choose(1)", "next choice"),
        Binding("h,left", "choose(-1)", "previous choice"),
        Binding("q,escape", "leave", "cancel"),
    ]

    def __init__(
        self, opened: Opened, selected: str | None, tz: tzinfo, *, root: Path | None = None, folder: Path | None = None
    ) -> None:
        """
        Args:
            opened: the conversation on the screen.
            selected: the node under the cursor, None for none.
            tz: the zone of the times.
            root: the storage root, into which nothing is written.
            folder: where a plain name goes; the current directory when left out.
        """
        super().__init__()
        self._opened = opened
        self._selected = selected if selected is not None and opened.locate(selected) is not None else None
        self._tz = tz
        self._root = root
        self._folder = folder if folder is not None else Path(os.curdir)
        self.what = "selection" if self._selected is not None else "conversation"
        self.format = next(entry for entry in FORMATS if entry.name == "markdown")
        self.running = False
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._told = 0.0
        self._overwrite: Path | None = None
        self._proposed = self._propose()

    # --- parts

    def compose(self) -> ComposeResult:
        """Title, choices, name, what there is to say, keys."""
        with Container(id="box"):
            yield Bar(id="box-title")
            yield LineView(ListSource(self._rows(80)), bar=False, id="box-rows")
            with Horizontal(id="export-line"):
                yield Bar(id="export-label")
                yield Input(self._proposed, id="export-name", select_on_focus=False, compact=True)
            yield Bar(id="export-say")
            yield Bar(id="box-keys")

    @property
    def choices(self) -> LineView:
        """The rows with the choices."""
        return self.query_one("#box-rows", LineView)

    @property
    def field(self) -> Input:
        """The field with the file's name."""
        return self.query_one("#export-name", Input)

    def on_mount(self) -> None:
        """Show what is chosen at first."""
        self.field.cursor_blink = False
        self.choices.styles.height = 2
        self.query_one("#box-title", Bar).show(Line([(" export", "title")]))
        self.query_one("#export-label", Bar).show(Line([("   name", "text")]))
        self.choices.focus()
        self.choices.move_to("format")
        self._show()
        self._say_where()

    def on_unmount(self) -> None:
        """Nobody waits for the file any more; it gets a moment to take away what it began."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(_LAST_WAIT)

    def on_resize(self) -> None:
        """The rows follow the width."""
        self.call_after_refresh(self._show)

    def _rows(self, width: int) -> list[tuple[Hashable, Line]]:
        whats = ("selection", "conversation") if self._selected is not None else ("conversation",)
        formats = [(entry.label, entry is self.format) for entry in _FORMATS]
        picture = self.format is SVG
        wide = width >= _WIDE
        what: list[Span] = [("the screen", "dim")] if picture else _options([(word, word == self.what) for word in whats])
        return [
            ("what", Line([(" what   ", "text"), *what], [(self._selection_words(), "dim")] if wide and not picture else [])),
            ("format", Line([(" format ", "text"), *_options(formats)], [(f"{self.format.words} ", "dim")] if wide else [])),
        ]

    def _selection_words(self) -> str:
        found = self._opened.locate(self._selected) if self._selected is not None and self.what == "selection" else None
        if found is None:
            return f"{self._opened.talk_count:,} talks, {self._opened.step_count:,} steps "
        tree, place = found
        below = tree.sizes[place] - 1
        return f"{visible(tree.nodes[place].kind)}" + (f" and {below:,} below it " if below else " ")

    def _show(self) -> None:
        if not self.is_mounted:
            return
        self.choices.set_source(ListSource(self._rows(self.app.size.width)))
        keys = "Esc cancels the export" if self.running else "Enter writes  ←/→ choose  Esc close  Tab name"
        self.query_one("#box-keys", Bar).show(Line([(f" {keys}", "dim")]))

    def say(self, words: str, role: str = "dim") -> None:
        """Say something above the keys."""
        self.query_one("#export-say", Bar).show(Line([(f" {words}", role)]))

    def _say_where(self) -> None:
        self.say(f"in {visible(os.path.abspath(self._folder))}")

    # --- choosing

    def _propose(self) -> str:
        return propose_name(self._opened, self._what_id, self.format.name)

    @property
    def _what_id(self) -> str | None:
        """The node that is exported, None for the conversation."""
        return self._selected if self.what == "selection" and self.format is not SVG else None

    def action_choose(self, step: int) -> None:
        """The next or previous choice of the row."""
        if self.running or self.field.has_focus:
            return
        before = self.format.extension
        if self.choices.cursor_key == "format":
            self.format = _FORMATS[(_FORMATS.index(self.format) + step) % len(_FORMATS)]
        elif self._selected is not None and self.format is not SVG:
            self.what = "conversation" if self.what == "selection" else "selection"
        self._rename(before)
        self._show()

    def _rename(self, extension: str) -> None:
        """Propose another name; of a name that a person typed only the extension follows the format."""
        value, proposed = self.field.value, self._propose()
        if value == self._proposed:
            self.field.value = proposed
        elif value.endswith(f".{extension}"):
            self.field.value = value.removesuffix(extension) + self.format.extension
        self._proposed = proposed

    def action_down(self) -> None:
        """The next row, then the name."""
        if self.choices.has_focus and self.choices.cursor_key == "what":
            self.choices.cursor_down()
        else:
            self.field.focus()

    def action_up(self) -> None:
        """The row before."""
        if self.choices.has_focus:
            self.choices.cursor_up()
        else:
            self.choices.focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Another name is another file: nothing was asked about it yet."""
        event.stop()
        if self._overwrite is not None:
            self._overwrite = None
            self._say_where()

    # --- writing

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter in the field."""
        event.stop()
        self.action_write()

    def on_line_view_activated(self) -> None:
        """A double click chooses."""
        self.action_choose(1)

    def action_write(self) -> None:
        """Write the file; where one of that name is, ask first."""
        name = self.field.value.strip()
        if self.running:
            return
        if not name:
            self.say("a file needs a name", "warning")
            return
        path = Path(os.path.abspath(self._folder / os.path.expanduser(name)))
        if self.format is SVG:
            # The picture is of what lies below the dialog.
            self.query_one("#box").display = False
            self.call_after_refresh(self._take_picture, path)
            return
        try:
            chunks = export(
                self._opened, self._what_id, self.format.name, self._tz, progress=self._progress, stop=self._stop.is_set
            )
        except AszError as error:
            self.say(visible(str(error)), "warning")
            return
        self._begin(path, chunks)

    def _take_picture(self, path: Path) -> None:
        picture = self.app.export_screenshot()
        self.query_one("#box").display = True
        self.choices.focus()
        self._begin(path, [picture.encode("utf-8", "replace")])

    def _begin(self, path: Path, chunks: Iterable[bytes]) -> None:
        self.running = True
        self._stop.clear()
        self.say("writing")
        self._show()
        overwrite = self._overwrite == path
        self._thread = threading.Thread(target=self._write, args=(path, chunks, overwrite), name="asz-export", daemon=True)
        self._thread.start()

    def _progress(self, done: int, total: int) -> None:
        """In the thread: say how far it is, ten times a second at most."""
        now = monotonic()
        if now - self._told > _TELL_EVERY:
            self._told = now
            self.post_message(Progressed(done, total))

    def _write(self, path: Path, chunks: Iterable[bytes], overwrite: bool) -> None:
        """In the thread: make the pieces and write them."""
        try:
            count = write(path, chunks, overwrite=overwrite, keep_out=self._root)
            self.post_message(Written(path, count, None))
        except Exception as error:  # whatever it is, the dialog must not wait for ever
            self.post_message(Written(path, 0, error))

    def on_progressed(self, message: Progressed) -> None:
        """Say how far it is."""
        message.stop()
        if self.running and message.total and not self._stop.is_set():
            self.say(f"writing: {message.done * 100 // message.total} %")

    def on_written(self, message: Written) -> None:
        """Close with the sentence, or say what went wrong and stay."""
        message.stop()
        self.running = False
        error = message.error
        if error is None:
            self.dismiss(f"exported {size(message.count)} to {visible(str(message.path))}")
            return
        self._show()
        if isinstance(error, AlreadyThere):
            self._overwrite = message.path
            self.say("already there: Enter overwrites it", "warning")
        elif isinstance(error, Cancelled):
            self.say("cancelled; nothing was written", "warning")
        else:
            self.say(visible(str(error)) or "the export failed", "error")

    def action_leave(self) -> None:
        """Cancel what is being written, else close."""
        if self.running:
            self._stop.set()
            self.say("cancelling")
        else:
            self.dismiss(None)


def _options(options: list[tuple[str, bool]]) -> list[Span]:
    """Words in a row, the chosen one in brackets, so that no colour is needed to see it."""
    spans = [(f"[{word}]" if chosen else word, "accent" if chosen else "dim") for word, chosen in options]
    return [span for at, option in enumerate(spans) for span in ((" " if at else "", ""), option)]
