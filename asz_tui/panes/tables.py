"""What the list panes share: columns that fit a width, rows made when asked for, a filter, bars, times, and words for nodes.

A pane's rows are `Entry` tuples (key, sort of row, what it is about); making them costs a few hundred nanoseconds each, more
where a filter looks at what steps say, and then is done in slices (`at_once`, `fill`). Only the rows on the screen become `Line`s.
A table lays itself out once per width. In ASCII mode texts are mapped before they are measured, so that columns stay in line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from time import perf_counter
from typing import Any, NamedTuple

from msgspec import UNSET

from asz_core.sessionflow import Node, Ref, attrs_of

from ..grammar import one_line
from ..lines.line import Line, Span, fit
from ..session.guard import ANY, risk_of
from ..session.opened import Opened
from ..text.safe import ascii_only as to_ascii
from ..text.words import NO_TIME, clock, date

Cell = Span | list[Span]
"""What stands in a column: one span or several."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Attributes:
        cells: its width, and the least width where it is flexible.
        right: aligned to the right.
        flex: its share of the room that is left; 0 keeps the width.
        rank: columns of the highest rank are left out first where there is no room; those of rank 0 never.
    """

    title: str
    cells: int
    right: bool = False
    flex: int = 0
    rank: int = 0


class Table:
    """Columns side by side, fitted to a width."""

    def __init__(self, columns: Sequence[Column], *, ascii_only: bool = False, indent: int = 2, gap: int = 2) -> None:
        """
        Args:
            columns: from left to right.
            ascii_only: write ASCII only.
            indent: blanks before the first column.
            gap: blanks between columns.
        """
        self.columns = tuple(columns)
        self.ascii_only = ascii_only
        self.indent = indent
        self.gap = gap
        self._layouts: dict[int, list[tuple[int, int]]] = {}

    def layout(self, width: int) -> list[tuple[int, int]]:
        """Index and width of the columns that are shown; remembered for each width."""
        found = self._layouts.get(width)
        if found is None:
            if len(self._layouts) > 64:
                self._layouts.clear()
            found = self._layouts[width] = self._lay_out(width)
        return found

    def _lay_out(self, width: int) -> list[tuple[int, int]]:
        shown = list(range(len(self.columns)))
        while (spare := self._spare(shown, width)) < 0:
            rank = max(self.columns[at].rank for at in shown)
            if not rank:
                break
            shown.remove(max(at for at in shown if self.columns[at].rank == rank))
        shares = sum(self.columns[at].flex for at in shown)
        spare = max(0, spare)
        cells = []
        for at in shown:
            column = self.columns[at]
            extra = spare * column.flex // shares if column.flex else 0
            spare, shares = spare - extra, shares - column.flex
            cells.append((at, column.cells + extra))
        return cells

    def _spare(self, shown: list[int], width: int) -> int:
        taken = sum(self.columns[at].cells for at in shown) + self.gap * (len(shown) - 1)
        return width - self.indent - taken

    def room(self, column: int, width: int) -> int:
        """Cells of a column at a width; 0 when it is left out."""
        return dict(self.layout(width)).get(column, 0)

    def row(self, width: int, cells: Sequence[Cell], *, indent: int | None = None, mark: str = "") -> Line:
        """A row of cells, one for each column."""
        spans: list[Span] = []
        blanks = self.indent if indent is None else indent
        ellipsis = "~" if self.ascii_only else "…"
        for at, room in self.layout(width):
            if blanks:
                spans.append((" " * blanks, ""))
            spans += self._fitted(cells[at], room, ellipsis, self.columns[at].right)
            blanks = self.gap
        return Line(spans, mark=mark)

    def _fitted(self, cell: Cell, room: int, ellipsis: str, right: bool) -> list[Span]:
        given = [cell] if isinstance(cell, tuple) else cell
        if self.ascii_only:
            given = [(to_ascii(text), role) for text, role in given]
        fitted = fit(Line(list(given)), room, ellipsis)
        if right and fitted and not fitted[-1][1] and not fitted[-1][0].strip():
            fitted.insert(0, fitted.pop())
        return fitted

    def header(self, width: int, *, sorted_by: str = "", down: bool = False, role: str = "dim") -> Line:
        """The names of the columns; the one that is sorted by has an arrow, in ASCII capitals."""
        names = {column.title: column.title for column in self.columns}
        if sorted_by and sorted_by in names:
            names[sorted_by] = sorted_by.upper() if self.ascii_only else sorted_by + ("↓" if down else "↑")
        return self.row(width, [(names[column.title], role) for column in self.columns])


class Filter:
    """What rows are narrowed to: a part of their words (upper case counts once there is any), or `re:` and a regular expression."""

    def __init__(self, text: str = "") -> None:
        """
        Raises:
            ValueError: when the regular expression is none; the message is one sentence.
        """
        self.text = text
        self._search: Callable[[str], Any] | None = None
        if text.startswith("re:"):
            flags = 0 if any(c.isupper() for c in text[3:]) else re.IGNORECASE
            try:
                self._search = re.compile(text[3:], flags).search if text[3:] else None
            except (re.error, RecursionError, OverflowError) as error:
                raise ValueError(f"not a regular expression: {error}") from None
            if risk_of(text[3:], flags) == ANY:
                raise ValueError("this pattern may take forever: let nothing repeated be repeated, and not too much in a row")
        elif text != text.casefold():
            self._search = lambda words: text in words
        elif text:
            self._search = lambda words: text in words.casefold()

    def __bool__(self) -> bool:
        return self._search is not None

    def fits(self, words: str) -> bool:
        """Whether a row with these words stays."""
        return self._search is None or bool(self._search(words))


class Entry(NamedTuple):
    """One row before it is drawn: its key, what sort of row it is, and what it is about."""

    key: Hashable
    sort: str
    item: Any = None


class EntryRows:
    """A row source over entries; a pane's rows say which entries there are and how each is drawn.

    Attributes:
        sorts: names that `sort_by` takes, the first one is the order to begin with.
        at_once: seconds in which rows are decided on at once, None for all of them; the rest is left to `fill`.
        behind: called when something is left to it.
    """

    sorts: tuple[str, ...] = ()

    def __init__(self, opened: Opened, tz: tzinfo) -> None:
        """
        Args:
            opened: what is shown.
            tz: the zone of times.
        """
        self.opened = opened
        self.tz = tz
        self.ascii_only = opened.grammar.ascii_only
        self.filter = Filter()
        self.sort = self.sorts[0] if self.sorts else ""
        self.down = False
        self._stamp = 0
        self._rows: list[Entry] = []
        self._index: dict[Hashable, int] | None = None
        self._filling: Iterator[Entry | None] | None = None
        self.at_once: float | None = None
        self.behind: Callable[[], None] | None = None

    # --- what a pane says

    def entries(self) -> Iterator[Entry | None]:
        """The rows that are shown, in order; None in between where some were looked at that are not."""
        raise NotImplementedError

    def draw(self, entry: Entry, width: int) -> Line:
        """A row as spans."""
        raise NotImplementedError

    def aim(self, entry: Entry) -> str | None:
        """The node that Enter goes to from a row."""
        return None

    def reload(self) -> None:
        """Take over the conversation after it changed."""
        self.refill()

    # --- the source

    def refill(self) -> None:
        """Decide anew which rows are shown."""
        self._filling = self.entries()
        self._rows = []
        if not self.fill(self.at_once) and self.behind is not None:
            self.behind()

    def fill(self, seconds: float | None = None) -> bool:
        """Go on deciding which rows are shown, for so long, roughly, or to the end; whether all are decided on."""
        until = None if seconds is None else perf_counter() + seconds
        rows = self._rows
        self._index = None
        self._stamp += 1
        for entry in self._filling or ():
            if entry is not None:
                rows.append(entry)
            if until is not None and perf_counter() > until:
                return False
        self._filling = None
        return True

    @property
    def filled(self) -> bool:
        """Whether it is decided which rows are shown."""
        return self._filling is None

    @property
    def version(self) -> Hashable:
        """Changes whenever any row may have changed."""
        return self._stamp

    def __len__(self) -> int:
        return len(self._rows)

    def line(self, index: int, width: int) -> Line:
        """The row as spans."""
        return self.draw(self._rows[index], width)

    def key(self, index: int) -> Hashable:
        """The name of a row."""
        return self._rows[index].key

    def index_of(self, key: Hashable) -> int | None:
        """The row of a name, when it is shown."""
        if self._index is None:
            self._index = {entry.key: at for at, entry in enumerate(self._rows)}
        return self._index.get(key)

    def target(self, index: int) -> str | None:
        """The id of the node that Enter goes to; None where there is none."""
        return self.aim(self._rows[index]) if 0 <= index < len(self._rows) else None

    def full(self, index: int) -> str:
        """The whole row as plain text, however wide."""
        return full_text(self.line(index, 4000))

    def narrow(self, text: str) -> str:
        """Show only the rows that fit.

        Args:
            text: a part of their words, or `re:` and a regular expression; empty shows all.

        Returns:
            Empty, or why the filter is not used; the one before stays then.
        """
        try:
            self.filter = Filter(text)
        except ValueError as error:
            return one_line(str(error))
        self.refill()
        return ""

    def sort_by(self, column: str) -> None:
        """Sort by one of `sorts`; by the same once more turns the order round."""
        if column not in self.sorts:
            return
        self.down = not self.down if column == self.sort else False
        self.sort = column
        self.refill()

    # --- helpers for panes

    def table(self, *columns: Column, indent: int = 2, gap: int = 1) -> Table:
        """A table in the pane's spelling."""
        return Table(columns, ascii_only=self.ascii_only, indent=indent, gap=gap)

    def table_header(self, table: Table, width: int) -> Line:
        """The names of a table's columns, with an arrow where they are not in the first order."""
        usual = self.sort == self.sorts[0] and not self.down if self.sorts else True
        return table.header(width, sorted_by="" if usual else self.sort, down=self.down)

    def plain(self, text: str) -> str:
        """A text of ours in the pane's spelling."""
        return to_ascii(text) if self.ascii_only else text

    def heading(self, title: str, note: str = "") -> Line:
        """The title row of a section."""
        return Line([(self.plain(title), "title"), (self.plain(f"  {note}" if note else ""), "dim")])

    def section(
        self, name: str, heads: Iterable[Entry], items: Iterable[Entry], words: Callable[[Entry], str]
    ) -> Iterator[Entry | None]:
        """A section's heads and those of its items that fit the filter; nothing where there is none.

        Args:
            name: names the blank row that follows.
            heads: rows that stand before the items.
            items: the rows of the section.
            words: what the filter looks at.
        """
        fits = self.filter.fits
        begun = False
        for item in items:
            if self.filter and not fits(words(item)):
                yield None
                continue
            if not begun:
                begun = True
                yield from heads
            yield item
        if begun:
            yield Entry(("blank", name), "blank")


def full_text(line: Line) -> str:
    """A row's words, two blanks between columns."""
    text = "".join([text for text, _ in [*line.left, ("  ", ""), *line.right]])
    return _BLANKS.sub("  ", text).strip()


_BLANKS = re.compile(" {2,}")


# --- words


def bar(value: int, most: int, cells: int, ascii_only: bool) -> str:
    """A bar for a value, at least one cell long when there is any."""
    if value <= 0 or most <= 0 or cells <= 0:
        return ""
    return ("#" if ascii_only else "█") * max(1, min(cells, round(cells * value / most)))


def span_bar(start: int, end: int, low: int, high: int, cells: int, ascii_only: bool) -> list[Span]:
    """Where a stretch of time lies in a longer one, as cells in proportion; only the ground where it has no time."""
    full, ground = ("#", ".") if ascii_only else ("█", "·")
    if not start or not end or high <= low:
        whole = bool(start and end)
        return [((full if whole else ground) * cells, "accent" if whole else "dim")]
    first = min(cells - 1, (start - low) * cells // (high - low))
    last = min(cells, max(first + 1, -(-(end - low) * cells // (high - low))))
    return [(ground * first, "dim"), (full * (last - first), "accent"), (ground * (cells - last), "dim")]


def stretch(start_ms: int | None, end_ms: int | None, tz: tzinfo) -> str:
    """From when to when, by the clock, in 17 cells; where days lie between, they stand instead of the seconds."""
    if not start_ms and not end_ms:
        return NO_TIME
    first, last = clock(start_ms, tz), clock(end_ms, tz)
    days = _days_between(start_ms, end_ms, tz)
    if days:
        return f"{first[:5]}–{last[:5]} +{days}d"
    return first if first == last else f"{first}–{last}"


def _days_between(start_ms: int | None, end_ms: int | None, tz: tzinfo) -> int:
    if not start_ms or not end_ms or date(start_ms, tz) == date(end_ms, tz):
        return 0
    return max(1, round((end_ms - start_ms) / 86_400_000))


def evidence_words(refs: Sequence[Ref] | None, most: int = 3) -> str:
    """Landed positions as `seq:row` or `seq:row:block`."""
    if not refs:
        return ""
    shown = [f"{ref.seq}:{ref.row}" + ("" if ref.block is UNSET else f":{ref.block}") for ref in refs[:most]]
    return ", ".join(shown) + (f" +{len(refs) - most}" if len(refs) > most else "")


def node_spans(opened: Opened, node_id: str) -> list[Span]:
    """A node in human words: glyph and label where it stands in a tree, role and label of a stream, else its id.

    Reads the records of the node once; about 50 microseconds.
    """
    found = opened.locate(node_id)
    if found is None:
        node = opened.conversation.fold.nodes.get(node_id)
        if node is not None and node.kind == "stream":
            return stream_spans(opened, node)
        return [(one_line(node_id), "dim" if node is None else "text")]
    tree, place = found
    node = tree.nodes[place]
    said = opened.grammar.describe(tree, place)
    glyph, role = opened.grammar.glyph(node)
    spans: list[Span] = [(glyph, role), (" ", "")]
    if said.name:
        spans += [(said.name, role), (" ", "")]
    return [*spans, (said.label, said.role)]


def stream_spans(opened: Opened, node: Node) -> list[Span]:
    """A stream by its role and its label, or else its name."""
    role, label = opened.grammar.stream_role(node.stream)
    name = one_line(label or node.stream or node.id)
    return [(one_line(role or "stream"), "agent"), (" ", ""), (name, "text")] if role != name else [(name, "agent")]


def node_text(opened: Opened, node_id: str) -> str:
    """`node_spans` as plain text."""
    return "".join(text for text, _ in node_spans(opened, node_id))


def reach(opened: Opened, node_id: str) -> str | None:
    """The node of a tree that stands for a node: itself, a stream's or a segment's first talk, else the first below it.

    Costs a look at each root, and for a segment at its relations, once after a round.
    """
    if not node_id:
        return None
    if opened.locate(node_id) is not None:
        return node_id
    return opened.remembered("reach " + node_id, lambda: _reach(opened, node_id))


def _reach(opened: Opened, node_id: str) -> str | None:
    fold = opened.conversation.fold
    node = fold.nodes.get(node_id)
    if node is None:
        return None
    if node.kind == "stream":
        return first_talk(opened, node.stream)
    if node.kind == "segment":
        inside = {relation.from_ for relation, way in fold.edges(node_id) if relation.type == "in_segment" and way == "in"}
        return next((tree.nodes[0].id for tree in opened.trees if tree.nodes[0].id in inside), None)
    seen = {node_id}
    below = [node]
    for above in below:
        for child in fold.children(above.id):
            if child.id not in seen:
                if opened.locate(child.id) is not None:
                    return child.id
                seen.add(child.id)
                below.append(child)
    return None


def first_talk(opened: Opened, stream: str) -> str | None:
    """The first talk of a stream, or else its first loose root."""
    return opened.first_of(stream)


def text_attr(node: Node, name: str) -> str:
    """An attribute that is a text; empty when it is none."""
    value = attrs_of(node).get(name)
    return value if isinstance(value, str) else ""
