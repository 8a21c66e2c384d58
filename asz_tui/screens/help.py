"""The help screen, made from the table of keys and the glyphs of the row grammar."""

from __future__ import annotations

from collections.abc import Hashable
from textwrap import wrap
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen

from ..glyphs import KINDS, MARKS, STATES
from ..keys import LISTS, Key, bindings, shown
from ..lines.bar import Bar
from ..lines.line import Line, ListSource
from ..lines.view import LineView

_NAMES = 18
"""Cells that the names of the keys take."""

_MARK_WORDS = {
    "failed": "failed",
    "unfinished": "unfinished: no result landed",
    "partial": "content truncated, redacted or omitted",
    "starts": "starts a stream",
    "reports": "reports back on a stream",
    "ends": "ends a stream",
    "inferred": "an edge that is inferred or ambiguous",
    "unresolved": "an open reference names it",
    "changes": "has workspace changes",
    "changed": "new or changed with the last round",
}
_STATE_WORDS = {
    "verified": "verified: every round and file is there and whole",
    "chained": "the rounds link; the landed files were not looked at yet",
    "incomplete": "incomplete: a round or a file is missing",
    "mismatch": "mismatch: a digest failed",
    "": "not known yet",
}


def help_rows(keys: tuple[Key, ...], ascii_only: bool, width: int) -> list[tuple[Hashable, Line]]:
    """The help's rows, so many cells wide: keys by group, then what the glyphs mean."""
    rows: list[tuple[Hashable, Line]] = []

    def put(line: Line) -> None:
        rows.append((len(rows), line))

    for group in dict.fromkeys(key.group for key in keys):
        for words in wrap(group, width):
            put(Line([(words, "title")]))
        for key in keys:
            if key.group == group:
                names = shown(key)
                if ascii_only:
                    names = names.replace("↓", "Down").replace("↑", "Up").replace("←", "Left").replace("→", "Right")
                first, *more = wrap(key.words, max(20, width - _NAMES))
                put(Line([(f"  {names:<16}", "accent"), (first, "text")]))
                for words in more:
                    put(Line([(" " * _NAMES, ""), (words, "text")]))
        put(Line())
    at = 1 if ascii_only else 0
    put(Line([("Kinds", "title")]))
    for kind, glyph in KINDS.items():
        put(Line([(f"  {glyph[at]:<3}", glyph[2]), (kind, "text")]))
    put(Line([("  " + (". " if ascii_only else "· ") + " ", "notice"), ("every other kind", "text")]))
    put(Line())
    put(Line([("Marks", "title")]))
    for mark, glyph in MARKS.items():
        put(Line([(f"  {glyph[at]:<3}", glyph[2]), (_MARK_WORDS[mark], "text")]))
    put(Line())
    put(Line([("States", "title")]))
    for state, glyph in STATES.items():
        put(Line([(f"  {glyph[at]:<3}", glyph[2]), (_STATE_WORDS[state], "text")]))
    return rows


class HelpScreen(Screen[None]):
    """Lists every key of the screen below and what the glyphs mean."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings(LISTS),
        Binding("q,escape,question_mark,f1,enter", "leave", "close"),
    ]

    def __init__(self, keys: tuple[Key, ...], title: str) -> None:
        """
        Args:
            keys: the table of the screen below.
            title: what they are keys of.
        """
        super().__init__()
        self._keys = keys
        self._title_words = title

    def compose(self) -> ComposeResult:
        """A title, the rows, a footer."""
        yield Bar(id="header")
        yield LineView(ListSource([]), show_cursor=False, gutter=True, id="rows")
        yield Bar(id="footer")

    def on_mount(self) -> None:
        """Say what this is."""
        self.query_one("#header", Bar).show(Line([(f" help · {self._title_words}", "title")]))
        self.query_one("#footer", Bar).show(Line([(" j/k scroll   q close", "dim")]))
        self.query_one("#rows", LineView).focus()

    def on_resize(self) -> None:
        """What a key does is wrapped, so that nothing is cut on a small screen."""
        view = self.query_one("#rows", LineView)
        ascii_only = bool(getattr(self.app, "ascii_mode", False))
        view.set_source(ListSource(help_rows(self._keys, ascii_only, view.row_width)))

    def action_move(self, how: str) -> None:
        """Scroll."""
        getattr(self.query_one("#rows", LineView), how)()

    def action_leave(self) -> None:
        """Close."""
        self.dismiss(None)
