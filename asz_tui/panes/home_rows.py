"""Rows of the list of conversations: one line each, kept in order while rows are completed, change and go.

A row that is updated keeps its place, so that nothing moves under the cursor; only one that gains the value it is sorted by (a
quick row that was completed) goes where it belongs, and `resort` orders all again. `update`, `remove` and `set_state` cost one
bisection and at most one shift of the list; drawing a row costs the row. `narrow`, `sort_by` and `set_rows` cost a pass over all.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Hashable, Iterable
from datetime import tzinfo
from typing import Any

from asz_core.listing import Row

from ..glyphs import state_glyph
from ..grammar import one_line
from ..lines.line import Line, Span
from ..text.cells import clip, width
from ..text.safe import ascii_only as to_ascii
from ..text.words import ago, date, span
from .tables import Cell, Column, Filter, Table

LIVE_MS = 60_000
"""A conversation with activity no longer ago than this is running."""

READING = ("reading",)
"""Key of the last row while more conversations are being read."""

SORTS = ("newest", "title", "talks", "steps", "span", "unresolved")
_WORDS = {
    "newest": "newest first",
    "title": "by title",
    "talks": "most talks first",
    "steps": "most steps first",
    "span": "longest first",
    "unresolved": "most unresolved first",
}
_SORTED_COLUMN = {"newest": "last", "unresolved": "unres"}

COLUMNS = (
    Column("", 3),
    Column("title", 30, flex=1),
    Column("last", 10, right=True),
    Column("span", 6, right=True, rank=4),
    Column("talks", 6, right=True, rank=2),
    Column("steps", 6, right=True, rank=3),
    Column("streams", 7, right=True, rank=6),
    Column("segments", 8, right=True, rank=7),
    Column("rounds", 6, right=True, rank=5),
    Column("unres", 6, right=True, rank=1),
)


class HomeRows:
    """A row source over the conversations of a root; the key of a row is the conversation's id.

    Attributes:
        reading: how many conversations are still to be read; said in a last row while there are any.
        sort: one of `sorts`.
    """

    sorts = SORTS
    columns = COLUMNS

    def __init__(self, rows: Iterable[Row], now_ms: int, tz: tzinfo, ascii_only: bool = False) -> None:
        """
        Args:
            rows: the conversations known so far.
            now_ms: the present, for ages and the live mark.
            tz: the zone of dates.
            ascii_only: use ASCII only.
        """
        self.tz = tz
        self.ascii_only = ascii_only
        self.now_ms = now_ms
        self.sort = SORTS[0]
        self.down = False
        self.reading = 0
        self.filter = Filter()
        self._table = Table(self.columns, ascii_only=ascii_only, indent=1, gap=2)
        self._rows: dict[str, Row] = {}
        self._states: dict[str, str] = {}
        self._stamps: dict[str, int] = {}
        self._order: list[str] = []
        self._index: dict[str, int] | None = None
        self._recent: set[str] = set()
        self._stamp = 0
        self.set_rows(rows)

    # --- the source

    @property
    def version(self) -> Hashable:
        """Changes whenever any row may have changed."""
        return self._stamp, self.now_ms, self.reading

    def __len__(self) -> int:
        return len(self._order) + (self.reading > 0)

    def key(self, index: int) -> Hashable:
        """The conversation's id."""
        return self._order[index] if index < len(self._order) else READING

    def index_of(self, key: Hashable) -> int | None:
        """The row of a conversation, when it is shown; after an insertion the first call costs a pass."""
        if key == READING:
            return len(self._order) if self.reading else None
        if self._index is None:
            self._index = {name: at for at, name in enumerate(self._order)}
        return self._index.get(key) if isinstance(key, str) else None

    def row_version(self, index: int) -> Hashable:
        """Changes with what the row shows; the ages of most rows stay the same for long."""
        if index >= len(self._order):
            return self.reading
        row = self._rows[self._order[index]]
        return self._stamps.get(row.id), ago(row.to_ms, self.now_ms), self._is_live(row)

    def target(self, index: int) -> str | None:
        """The conversation that Enter opens."""
        return self._order[index] if 0 <= index < len(self._order) else None

    def row(self, index: int) -> Row | None:
        """The conversation at a row."""
        name = self.target(index)
        return self._rows[name] if name is not None else None

    # --- what is listed

    @property
    def total(self) -> int:
        """How many conversations there are, shown or not."""
        return len(self._rows)

    def running(self) -> int:
        """How many conversations were active within a minute; costs these."""
        self._recent = {name for name in self._recent if (row := self._rows.get(name)) is not None and self._may_be_live(row)}
        return sum(1 for name in self._recent if self._is_live(self._rows[name]))

    def state(self, name: str) -> str:
        """The verification state of a conversation, empty while it is not known."""
        row = self._rows.get(name)
        return self._states.get(name) or (row.state if row else "")

    def set_rows(self, rows: Iterable[Row]) -> None:
        """List these conversations and no others."""
        self._rows = {row.id: row for row in rows}
        self._states = {name: state for name, state in self._states.items() if name in self._rows}
        self._recent = {row.id for row in self._rows.values() if self._may_be_live(row)}
        self.resort()

    def update(self, row: Row) -> None:
        """Replace the row of a conversation, or add it where it belongs.

        A state that was set is forgotten when the conversation's rounds have changed since.
        """
        old = self._rows.get(row.id)
        if old == row:
            return
        self._rows[row.id] = row
        self._look_whether_live(row)
        if old is not None and old.changed_ns != row.changed_ns:
            self._states.pop(row.id, None)
        self._touch(row.id)
        if old is not None:
            if self.index_of(row.id) is None or not (self._lacks(old) and not self._lacks(row)):
                return
            self._take_out(row.id)
        if self._fits(row):
            insort(self._order, row.id, key=self._place)
            self._index = None

    def remove(self, name: str) -> None:
        """Take a conversation off the list."""
        if name in self._rows:
            self._take_out(name)
            del self._rows[name]
            self._states.pop(name, None)
            self._stamps.pop(name, None)
            self._stamp += 1

    def _take_out(self, name: str) -> None:
        at = self.index_of(name)
        if at is not None:
            del self._order[at]
            self._index = None

    def set_state(self, name: str, state: str) -> None:
        """Say what verification found: verified, incomplete or mismatch."""
        if name in self._rows and self._states.get(name) != state:
            self._states[name] = state
            self._touch(name)

    def set_now(self, now_ms: int) -> None:
        """Move the present on; rows whose age in words stays are not drawn again."""
        self.now_ms = now_ms

    def set_reading(self, count: int) -> None:
        """Say how many conversations are still to be read."""
        self.reading = count

    def _touch(self, name: str) -> None:
        self._stamp += 1
        self._stamps[name] = self._stamp

    # --- order and filter

    def sort_by(self, column: str) -> None:
        """Sort by one of `sorts`; by the same once more turns the order round."""
        if column in SORTS:
            self.down = not self.down if column == self.sort else False
            self.sort = column
            self.resort()

    def next_sort(self) -> None:
        """Sort by the next of `sorts`."""
        self.sort, self.down = SORTS[(SORTS.index(self.sort) + 1) % len(SORTS)], False
        self.resort()

    def sort_words(self) -> str:
        """The order in words."""
        return _WORDS[self.sort] + (", turned round" if self.down else "")

    def narrow(self, text: str) -> str:
        """Show only conversations whose title, id or days fit.

        Args:
            text: a part of them, or `re:` and a regular expression; empty shows all.

        Returns:
            Empty, or why the filter is not used; the one before stays then.
        """
        try:
            self.filter = Filter(text)
        except ValueError as error:
            return one_line(str(error))
        self.resort()
        return ""

    def resort(self) -> None:
        """Order and narrow all rows again."""
        shown = self._rows.values()
        self._order = [row.id for row in (filter(self._fits, shown) if self.filter else shown)]
        self._order.sort(key=self._place)
        self._index = None
        self._stamp += 1

    def _fits(self, row: Row) -> bool:
        if not self.filter:
            return True
        days = " ".join(date(ms, self.tz) for ms in (row.from_ms, row.to_ms) if ms)
        return self.filter.fits(f"{row.title or 'untitled'} {row.id} {days}")

    def _place(self, name: str) -> tuple[Any, ...]:
        """What a conversation is sorted by: those that lack the value come last."""
        row = self._rows[name]
        value = self._sorted_value(row)
        if value is None:
            return (True, 0, -row.changed_ns, name)
        if isinstance(value, str):
            return (False, _Turned(value) if self.down else value, 0, name)
        return (False, value if self.down else -value, -row.changed_ns, name)

    def _lacks(self, row: Row) -> bool:
        return self._sorted_value(row) is None

    def _sorted_value(self, row: Row) -> int | str | None:
        match self.sort:
            case "title":
                return row.title.casefold() if row.title else None
            case "talks":
                return row.talks
            case "steps":
                return row.steps
            case "unresolved":
                return row.unresolved
            case "span":
                return row.to_ms - row.from_ms if row.from_ms and row.to_ms else None
            case _:
                return self._last_ms(row)

    # --- drawing

    def header(self, width: int) -> Line:
        """The names of the columns."""
        # Numbers begin with the greatest, titles with the first.
        down = self.down if self.sort == "title" else not self.down
        return self._table.header(width, sorted_by=_SORTED_COLUMN.get(self.sort, self.sort), down=down)

    def line(self, index: int, width: int) -> Line:
        """A conversation as spans."""
        if index >= len(self._order):
            text = f"     … (reading {self.reading:,} more)"
            return Line([(to_ascii(text) if self.ascii_only else text, "dim")])
        return self._table.row(width, self._cells(self._rows[self._order[index]], width))

    def _cells(self, row: Row, width: int) -> list[Cell]:
        state = self.state(row.id)
        mark: Span = (("*" if self.ascii_only else "●") if self._is_live(row) else " ", "accent")
        last = self._last_ms(row)
        return [
            [state_glyph(state, ascii_only=self.ascii_only), (" ", ""), mark],
            self._title(row, state, width),
            (ago(last, self.now_ms), "time" if last else "dim"),
            (span(row.from_ms, row.to_ms), "time" if row.from_ms and row.to_ms else "dim"),
            _number(row.talks),
            _number(row.steps),
            _number(row.streams),
            _number(row.segments),
            _number(row.rounds),
            _number(row.unresolved, "warning"),
        ]

    def _last_ms(self, row: Row) -> int | None:
        """When something last happened, unix milliseconds."""
        return row.to_ms

    def _title(self, row: Row, state: str, cells: int) -> list[Span]:
        """Title and, at the right end of its column, the state in a word; the sentence of a problem between them."""
        room = dict(self._table.layout(cells)).get(1, 0)
        word, role = _state_word(state)
        title = self._plain(one_line(row.title)) if row.title else ""
        problem = self._plain(one_line(row.problem))
        spans: list[Span] = [(title, "text")] if title else []
        if not title and not (problem and row.to_ms is None):
            spans = [("untitled", "dim")]
        if not word and not problem:
            return spans
        left = max(0, room - width(word) - 2) if word else room
        if spans:
            spans = [(clip(spans[0][0], left, "~" if self.ascii_only else "…"), spans[0][1])]
        used = sum(width(text) for text, _ in spans)
        if problem and left - used > 12:
            lead = "  " if spans else ""
            spans.append((lead + clip(problem, left - used - len(lead), "~" if self.ascii_only else "…"), "dim"))
            used += width(spans[-1][0])
        return [*spans, (" " * (room - used - width(word)), ""), (word, role)] if word else spans

    def _plain(self, text: str) -> str:
        return to_ascii(text) if self.ascii_only else text

    def _look_whether_live(self, row: Row) -> None:
        """Take note of a conversation that was active within a minute, or will have been."""
        if self._may_be_live(row):
            self._recent.add(row.id)

    def _may_be_live(self, row: Row) -> bool:
        last = self._last_ms(row)
        return last is not None and self.now_ms - last < LIVE_MS

    def _is_live(self, row: Row) -> bool:
        # The clock of the machine that wrote may be ahead a little; one that is far ahead tells nothing.
        last = self._last_ms(row)
        return last is not None and -LIVE_MS <= self.now_ms - last < LIVE_MS


class _Turned(str):
    """A text that sorts the other way round."""

    __slots__ = ()

    def __lt__(self, other: str) -> bool:
        return str.__gt__(self, other)


def _state_word(state: str) -> tuple[str, str]:
    """The word that stands with a state's glyph, and its role; nothing for verified and for not known yet."""
    if state in ("", "verified"):
        return "", ""
    return one_line(state), {"incomplete": "warning", "mismatch": "error"}.get(state, "dim")


def _number(value: int | None, role: str = "text") -> Span:
    if value is None:
        return "–", "dim"
    return f"{value:,}", role if value else "dim"
