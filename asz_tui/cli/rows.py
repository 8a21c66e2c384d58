"""The row grammar as lines of plain text, for `show` and `tail`: what a line is made of, its width, its colours."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ..text.cells import clip, width
from ..text.words import LOCAL_ZONE, clock, date
from .output import Printer, is_terminal, terminal_width

if TYPE_CHECKING:
    from .parser import Parsed

Spans = Sequence[tuple[str, str]]
"""Texts with the role of each."""

_LEAST_LABEL = 16
_SGR = {
    "dim": "2", "time": "2", "title": "1", "accent": "36", "mark": "1;36", "ok": "94", "warning": "33", "error": "1;91",
    "person": "1;94", "model": "35", "tool": "33", "agent": "36", "context": "2", "notice": "2",
}  # fmt: skip
"""Role -> the terminal's own colours; what is not listed is plain. The glyphs say the same without them."""


class LineMaker:
    """Puts spans together to lines.

    Attributes:
        wide: cells a line may take; 0 for any number.
    """

    def __init__(self, parsed: Parsed, printer: Printer) -> None:
        """
        Args:
            parsed: with the options `width` and `no_color`.
            printer: says whether the lines are ASCII.
        """
        self.printer = printer
        self.wide: int = terminal_width() if parsed["width"] is None else parsed["width"]
        self._coloured = not parsed["no_color"] and _wants_colour()
        self._day = ""

    def line(self, left: Spans, right: Spans = ()) -> str:
        """A line: the left side, clipped where there is no room for all of it, and the right side at the right edge.

        With lines of any width the right side follows after two blanks, as there is no edge.
        """
        text = self.printer.text
        left = [(text(words), role) for words, role in left]
        right = [(text(words), role) for words, role in right]
        if not self.wide:
            return self._paint([*left, *([("  ", ""), *right] if right else [])])
        taken = sum(width(words) for words, _ in right)
        if taken and self.wide - taken - 2 < _LEAST_LABEL:  # no room for both: the words matter more
            right, taken = [], 0
        room = self.wide - (taken + 2 if taken else 0)
        left = _clipped(left, room, text("…"))
        if right:
            blanks = self.wide - taken - sum(width(words) for words, _ in left)
            left = [*left, (" " * blanks, "")]
        return self._paint([*left, *right])

    def day(self, ns: int) -> Iterator[str]:
        """A line with the date, when a time is of another day than the one before."""
        if ns and (day := date(ns // 1_000_000, LOCAL_ZONE)) != self._day:
            self._day = day
            yield self.line([(day, "title")])

    def _paint(self, spans: Spans) -> str:
        if not self._coloured:
            return "".join(words for words, _ in spans).rstrip()
        return "".join(f"\x1b[{_SGR[role]}m{words}\x1b[0m" if role in _SGR and words.strip() else words for words, role in spans)


def clock_of(ns: int) -> str:
    """The time of day of a time in nanoseconds; `--:--:--` for none."""
    return clock(ns // 1_000_000 if ns else None, LOCAL_ZONE)


def _clipped(spans: Spans, room: int, ellipsis: str) -> list[tuple[str, str]]:
    kept: list[tuple[str, str]] = []
    for at, (words, role) in enumerate(spans):
        cells = width(words)
        if cells > room or (cells == room and any(more for more, _ in spans[at + 1 :])):
            short = clip(words, room, ellipsis) if cells > room else clip(words + " ", room, ellipsis)
            return [*kept, (short, role)]
        kept.append((words, role))
        room -= cells
    return kept


def _wants_colour() -> bool:
    return is_terminal(sys.stdout) and not os.environ.get("NO_COLOR") and os.environ.get("TERM", "dumb") != "dumb"
