"""`TextRows`: long texts as a row source, wrapped to the width only as far as they are read.

What the module owns: how blocks of text become rows. Every row names the place in its text where it begins, so that a
reader keeps the place when the width changes. Nothing is cut: all of every text can be scrolled to.

Cost: setting the blocks is constant; making rows is linear in the text wrapped so far, and `ensure` stops where it is
told to. `line`, `key` and `row_version` are constant, `index_of` is a binary search among the rows already made.
Match marks cost a search of the one row that is painted.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from time import monotonic

from asz_tui.lines.line import Line, Span
from asz_tui.text.cells import clip, iter_rows, width
from asz_tui.text.safe import visible

_PIECE = 16_384
"""A line longer than twice this is made safe and wrapped in pieces, so that one of a megabyte opens at once."""

_DIFF_ROLES = {"+": "added", "-": "removed", "@": "accent"}


@dataclass(slots=True, frozen=True)
class Block:
    """A text to be wrapped.

    Attributes:
        text: the text as data has it, or spans (texts made safe, line breaks allowed) for text with styles inside.
        role: role of the text; for spans, of those whose own role is empty.
        kind: "prose" breaks at blanks; "code" breaks where a row is full and keeps every blank; "diff" is code whose
            lines are coloured by their sign; "field" is prose behind a label.
        label: a field's label.
        indent: cells before every row.
        key: names the block across changes of the list; its position does when None.
    """

    text: str | Sequence[Span]
    role: str = "text"
    kind: str = "prose"
    label: str = ""
    indent: int = 0
    key: Hashable = None


class TextRows:
    """Rows made from blocks and ready lines; a `RowSource` that grows as it is read."""

    def __init__(self, items: Sequence[Block | Line] = (), cells: int = 80) -> None:
        """Take the texts.

        Args:
            items: blocks to wrap, and lines to show as they are (headings, rules).
            cells: the width to wrap to.
        """
        self._items = items
        self._cells = cells
        self._generation = 0
        self._match: re.Pattern[str] | None = None
        self._positions: dict[Hashable, int] | None = None
        self._restart()

    def _restart(self) -> None:
        self._of = array("L")  # index of the item of each row
        self._offset = array("Q")  # where in the item's text the row begins
        self._body: list[str | tuple[Span, ...] | None] = []
        self._done = False
        self._generation += 1
        self._maker = self._make()

    # The source

    @property
    def version(self) -> Hashable:
        """Changes with the rows made and with everything that changes how they look."""
        return self._generation, len(self._body)

    @property
    def done(self) -> bool:
        """Whether all rows are made."""
        return self._done

    def __len__(self) -> int:
        """Count the rows made so far."""
        return len(self._body)

    def row_version(self, index: int) -> Hashable:
        """Rows stay as they are until the width or the marks change."""
        return self._generation

    def key(self, index: int) -> Hashable:
        """Name a row by its item and its place in it."""
        item = self._of[index]
        return self._item_key(item), self._offset[index]

    def index_of(self, key: Hashable) -> int | None:
        """Find the row that holds the place which a key names, made at whatever width."""
        if not isinstance(key, tuple) or len(key) != 2 or (item := self._position(key[0])) is None:
            return None
        offset: int = key[1]
        while not self._done and (not self._of or (self._of[-1], self._offset[-1]) <= (item, offset)):
            self.ensure(len(self) + 200)
        first = bisect_left(self._of, item)
        last = bisect_right(self._of, item)
        if first == last:
            return None
        return max(first, bisect_right(self._offset, offset, first, last) - 1)

    def line(self, index: int, cells: int) -> Line:
        """Make the row ready to paint."""
        item, body = self._items[self._of[index]], self._body[index]
        if isinstance(item, Line) or body is None:
            return item if isinstance(item, Line) else Line()
        spans = list(body) if isinstance(body, tuple) else [(body, item.role)]
        if self._match is not None:
            spans = list(_marked(spans, self._match))
        hang = self._hang(item)
        if item.label and self._offset[index] == 0:
            label = clip(item.label, max(1, hang - 1))
            spans[:0] = [(" " * item.indent, ""), (label, "key"), (" " * max(0, hang - width(label)), "")]
        elif item.indent + hang:
            spans.insert(0, (" " * (item.indent + hang), ""))
        return Line(spans)

    def text_at(self, index: int) -> str:
        """The whole text of the block that a row belongs to, as the data has it; of a ready line, its words."""
        item = self._items[self._of[index]]
        if isinstance(item, Line):
            return "".join(text for text, _ in (*item.left, *item.right))
        return item.text if isinstance(item.text, str) else "".join(text for text, _ in item.text)

    # Growing and changing

    def ensure(self, rows: int, seconds: float | None = None) -> None:
        """Make rows.

        Args:
            rows: until there are so many, or no more to make.
            seconds: and for no longer than this, roughly.
        """
        until = None if seconds is None else monotonic() + seconds
        while len(self._body) < rows and not self._done:
            row = next(self._maker, None)
            if row is None:
                self._done = True
                return
            self._of.append(row[0])
            self._offset.append(row[1])
            self._body.append(row[2])
            if until is not None and len(self._body) % 32 == 0 and monotonic() > until:
                return

    def finish(self) -> None:
        """Make all rows."""
        self.ensure(1 << 62)

    def set_cells(self, cells: int) -> bool:
        """Wrap to another width.

        Args:
            cells: the width.

        Returns:
            Whether that was a change; rows are made anew then.
        """
        if cells == self._cells:
            return False
        self._cells = cells
        self._restart()
        return True

    def set_match(self, pattern: re.Pattern[str] | None) -> None:
        """Mark what a pattern finds within rows.

        Args:
            pattern: the pattern, or None for no marks.
        """
        self._match = pattern
        self._generation += 1

    # Making rows

    def _item_key(self, item: int) -> Hashable:
        block = self._items[item]
        return item if isinstance(block, Line) or block.key is None else ("key", block.key)

    def _position(self, key: Hashable) -> int | None:
        if isinstance(key, int):
            return key if 0 <= key < len(self._items) else None
        if self._positions is None:
            self._positions = {self._item_key(index): index for index in range(len(self._items))}
        return self._positions.get(key)

    def _hang(self, block: Block) -> int:
        """Cells that a field's label takes, of every row of the field."""
        return min(width(block.label) + 2, self._cells // 2) if block.label else 0

    def _make(self) -> Iterator[tuple[int, int, str | tuple[Span, ...] | None]]:
        """Yield (item, offset, body) of each row, in order."""
        for index, item in enumerate(self._items):
            if isinstance(item, Line):
                yield index, 0, None
                continue
            cells = max(1, self._cells - item.indent - self._hang(item))
            words = item.kind in ("prose", "field")
            rows = _plain_rows if isinstance(item.text, str) else _span_rows
            for offset, body in rows(item, cells, words):
                yield index, offset, body


def _plain_rows(block: Block, cells: int, words: bool) -> Iterator[tuple[int, str | tuple[Span, ...]]]:
    """Wrap a block of plain text.

    Yields:
        (offset, body) of each row; the offset counts characters as shown.
    """
    assert isinstance(block.text, str)
    base = 0
    for raw in block.text.replace("\r\n", "\n").split("\n"):
        role = _DIFF_ROLES.get(raw[:1]) if block.kind == "diff" else None
        for start, text in _line_rows(raw, cells, words):
            yield base + start, text if role is None else ((text, role),)
            end = start + len(text)
        base += end + 1


def _line_rows(raw: str, cells: int, words: bool) -> Iterator[tuple[int, str]]:
    """Wrap one line of data, piece by piece; what the last row of a piece left over goes before the next piece.

    Yields:
        (start, text) of each row.
    """
    base, rest = 0, ""
    for piece, last in _pieces(raw):
        text = rest + piece
        held: tuple[int, int] | None = None
        for row in iter_rows(text, cells, words=words):
            if held is not None:
                yield base + held[0], text[held[0] : held[1]]
            held = row
        assert held is not None
        if last:
            yield base + held[0], text[held[0] : held[1]]
        else:
            rest = text[held[0] :]
            base += held[0]


def _pieces(raw: str) -> Iterator[tuple[str, bool]]:
    """Make a line safe, a long one in pieces that begin and end where no sequence is split.

    Yields:
        (the piece, whether it is the last).
    """
    start = 0
    while len(raw) - start > 2 * _PIECE:
        end = start + _PIECE
        # Two printable ASCII characters are a seam through nothing; data without any is cut where it stands.
        for seam in range(end, end + 1000):
            if " " <= raw[seam - 1] <= "~" and " " <= raw[seam] <= "~":
                end = seam
                break
        yield visible(raw[start:end], multiline=True), False
        start = end
    yield visible(raw[start:], multiline=True), True


def _span_rows(block: Block, cells: int, words: bool) -> Iterator[tuple[int, tuple[Span, ...]]]:
    """Wrap a block of spans; see `_plain_rows`."""
    base = 0
    for spans in _span_lines(block):
        text = "".join(text for text, _ in spans)
        for start, end in iter_rows(text, cells, words=words):
            yield base + start, tuple(_slice(spans, start, end))
        base += len(text) + 1


def _span_lines(block: Block) -> Iterator[list[Span]]:
    """Split spans at line breaks."""
    line: list[Span] = []
    for text, role in block.text:
        parts = str(text).split("\n")
        for part in parts[:-1]:
            line.append((part, role or block.role))
            yield line
            line = []
        line.append((parts[-1], role or block.role))
    yield line


def _slice(spans: list[Span], start: int, end: int) -> Iterator[Span]:
    """Cut spans as one would cut their text."""
    at = 0
    for text, role in spans:
        if at >= end:
            return
        if at + len(text) > start and (part := text[max(0, start - at) : end - at]):
            yield part, role
        at += len(text)


def _marked(spans: list[Span], pattern: re.Pattern[str]) -> Iterator[Span]:
    """Lay the role "match" over what a pattern finds, across the spans of a row."""
    text = "".join(text for text, _ in spans)
    at = 0
    for found in pattern.finditer(text):
        if found.start() == found.end():
            continue
        yield from _slice(spans, at, found.start())
        yield from ((part, f"{role} match") for part, role in _slice(spans, found.start(), found.end()))
        at = found.end()
    yield from _slice(spans, at, len(text))
