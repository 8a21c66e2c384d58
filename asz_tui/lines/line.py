"""What a pane hands to the line engine: rows as plain data, and the source that makes them when they are asked for.

Everything here is free of Textual and Rich, so a pane's rows are tested without a screen. A text in a span has passed
`asz_tui.text.safe.visible`; the engine does not look again.

Cost: `fit` is linear in the width of the row, whatever the length of its texts.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from asz_tui.text.cells import clip, width

Span = tuple[str, str]
"""(text made safe, role). A role is a word of the theme, or several with blanks between: the later ones are laid over
the earlier (`"tool match"`)."""


@dataclass(slots=True)
class Line:
    """One row before it is fitted to a width.

    Attributes:
        left: what fills the row from the left; clipped with an ellipsis to make room for `right`.
        right: what stands at the right edge, most important last: kept whole, but where it would take more than two
            thirds of the row its spans are dropped from the first on.
        mark: one cell at the left edge ("changed", "new"), or empty.
    """

    left: list[Span] = field(default_factory=list)
    right: list[Span] = field(default_factory=list)
    mark: str = ""


@runtime_checkable
class RowSource(Protocol):
    """A list of rows that makes a row only when asked.

    A source may also have `row_version(index) -> Hashable`: it must then change with everything that `line` shows of
    that row, and rows whose version stayed are not asked for again after a change elsewhere. Without it, `version`
    stands for every row.
    """

    @property
    def version(self) -> Hashable:
        """Changes whenever any row may have changed."""
        ...

    def __len__(self) -> int:
        """Count the rows; constant cost."""
        ...

    def line(self, index: int, width: int) -> Line:
        """Make a row, which will be fitted to `width` cells. Called only for rows on the screen."""
        ...

    def key(self, index: int) -> Hashable:
        """Name a row by what stays the same when rows are added, folded or filtered; unique in the list."""
        ...

    def index_of(self, key: Hashable) -> int | None:
        """Find the row of a key, or None when it is not in the list (now)."""
        ...


class ListSource:
    """A row source over a list of (key, line), for short lists: help, dialogs, summaries.

    Setting `rows` costs in proportion to the list, everything else is constant.
    """

    def __init__(self, rows: list[tuple[Hashable, Line]] | None = None) -> None:
        """Take the rows.

        Args:
            rows: (key, line) of each; the keys differ.
        """
        self.version = 0
        self.rows = rows or []

    @property
    def rows(self) -> list[tuple[Hashable, Line]]:
        """The rows; assign a new list to change them."""
        return self._rows

    @rows.setter
    def rows(self, rows: list[tuple[Hashable, Line]]) -> None:
        self._rows = rows
        self._index = {key: index for index, (key, _) in enumerate(rows)}
        self.version += 1

    def __len__(self) -> int:
        return len(self._rows)

    def line(self, index: int, width: int) -> Line:
        """Return a row."""
        return self._rows[index][1]

    def key(self, index: int) -> Hashable:
        """Return the key of a row."""
        return self._rows[index][0]

    def index_of(self, key: Hashable) -> int | None:
        """Find a row by its key."""
        return self._index.get(key)


def fit(line: Line, cells: int, ellipsis: str = "…") -> list[Span]:
    """Lay a row out on exactly so many cells.

    Args:
        line: the row; its mark is left to the caller.
        cells: the width.
        ellipsis: what stands for what was clipped.

    Returns:
        Spans, none empty, `cells` wide together; blanks that fill up have the role "".
    """
    if cells <= 0:
        return []
    right, taken = _right(line.right, cells)
    room = cells - taken - (1 if right else 0)
    left, used = _left(line.left, room, ellipsis)
    blanks = cells - used - taken
    if blanks:
        left.append((" " * blanks, ""))
    return left + right


def _right(spans: list[Span], cells: int) -> tuple[list[Span], int]:
    """Keep as many of the last spans as two thirds of the row hold.

    Returns:
        (the spans, their width).
    """
    room = cells * 2 // 3
    kept: list[Span] = []
    taken = 0
    for text, role in reversed(spans):
        if taken + (size := width(text)) > room:
            break
        if text:
            kept.append((text, role))
        taken += size
    kept.reverse()
    # What led up to a dropped span is only its separator now.
    if len(kept) < len(spans) and kept and kept[0][0].startswith(" "):
        text = kept[0][0].lstrip(" ")
        taken -= len(kept[0][0]) - len(text)
        kept[:1] = [(text, kept[0][1])] if text else []
    return kept, taken


def _left(spans: list[Span], room: int, ellipsis: str) -> tuple[list[Span], int]:
    """Take spans until the room is used up, and clip the one that does not fit.

    Returns:
        (the spans, their width).
    """
    out: list[Span] = []
    used = 0
    for text, role in spans:
        if not text:
            continue
        # Long texts are cut before they are measured: one row shows no more than its width of them.
        part = clip(text, room - used, ellipsis)
        if part == text:
            out.append((text, role))
            used += width(text)
            continue
        if part:
            out.append((part, role))
            used += width(part)
        elif out:
            # No cell is left to say that something follows: the last span says it.
            last, last_role = out.pop()
            size = width(last)
            shorter = clip(last + "  ", size, ellipsis)
            out += [(shorter, last_role)] if shorter else []
            used += width(shorter) - size
        break
    return out, used
