"""What stands above the rows: clock marks on a ladder of round intervals, and the rule with the labels of the gaps.

Costs the bands and marks in view.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta, tzinfo

from ...lines.line import Line, Span
from ...text.words import duration
from .axis import NEVER, SECOND, Axis
from .signs import Signs

_LADDER = [
    seconds * SECOND
    for seconds in (
        1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21600, 43200, 86400,
        2 * 86400, 7 * 86400, 30 * 86400, 365 * 86400, 3650 * 86400,
    )
]  # fmt: skip


_APART = 2
"""Blanks between two labels at least."""


def axis_lines(
    axis: Axis, first: int, width: int, tz: tzinfo, signs: Signs, indent: int, here: int | None
) -> list[Line]:
    """The clock and the rule.

    Args:
        axis: the axis.
        first: its first cell in view.
        width: cells in view.
        tz: zone of the clock.
        signs: what to draw with.
        indent: cells left free before.
        here: the column of the selection.
    """
    marks = ticks(axis, first, first + width, tz)
    clock: list[Span] = [(" " * indent, "")]
    at = 0
    for cell, label in marks:
        clock += [(" " * (cell - first - at), ""), (label, "time")]
        at = cell - first + len(label)
    rule = [signs.rule] * width
    for cell, _ in marks:
        rule[cell - first] = signs.tick
    for low, high, span in axis.gaps:
        left, right = max(low, first), min(high, first + width)
        if left < right:
            rule[left - first : right - first] = gap_words(span, right - left, signs.gap)
    spans: list[Span] = [(" " * indent, ""), ("".join(rule), "dim")]
    if here is not None and 0 <= here < width:
        spans[1:] = [("".join(rule[:here]), "dim"), (signs.here, "accent"), ("".join(rule[here + 1 :]), "dim")]
    return [Line([span for span in clock if span[0]]), Line([span for span in spans if span[0]])]


def gap_words(span: int, cells: int, bar: str) -> str:
    """The label of a gap on so many cells."""
    words = duration(span // 1_000_000)
    for text in (f"{bar} {words} quiet {bar}", f"{bar}{words}{bar}"):
        if len(text) <= cells:
            return text.center(cells)
    return bar if cells == 1 else bar + " " * (cells - 2) + bar


def ticks(axis: Axis, first: int, after: int, tz: tzinfo) -> list[tuple[int, str]]:
    """Clock marks on a range of cells, left to right, no label touching the next.

    Args:
        axis: the axis.
        first: the first cell in view.
        after: the one after the last.
        tz: zone of the clock.

    Returns:
        (cell, label); the first label and the first of each day begin with the date.
    """
    per_cell = max(1, axis.active // axis.cells)
    step = next((step for step in _LADDER if step >= per_cell * (10 if step < 60 * SECOND else 7)), _LADDER[-1])
    marks: dict[int, tuple[int, str]] = {}
    for time in axis.band_starts(first, after):
        if moment := _moment(time, tz):
            marks[axis.cell_of(time)] = time, moment.strftime("%H:%M" if step >= 60 * SECOND else "%H:%M:%S")
    for start, end in axis.segments(first, after):
        for time in _multiples(start, end, step, tz):
            moment = _moment(time, tz)
            if moment is not None and first <= (cell := axis.cell_of(time)) < after:
                marks[cell] = time, moment.strftime("%H:%M" if step >= 60 * SECOND else "%H:%M:%S")
    return _apart(marks, after, tz)


def _multiples(start: int, end: int, step: int, tz: tzinfo) -> Iterable[int]:
    moment = _moment(start, tz)
    if moment is None:
        return
    offset = moment.utcoffset() or timedelta()
    shift = int(offset.total_seconds()) * SECOND
    yield from range(-(-(start + shift) // step) * step - shift, end + 1, step)


def _apart(marks: dict[int, tuple[int, str]], after: int, tz: tzinfo) -> list[tuple[int, str]]:
    found: list[tuple[int, str]] = []
    free, day = -NEVER, ""
    for cell in sorted(marks):
        time, label = marks[cell]
        moment = _moment(time, tz)
        today = moment.strftime("%Y-%m-%d") if moment else ""
        if today != day:
            label = f"{today} {label}"
        if cell < free or cell + len(label) > after:
            continue
        found.append((cell, label))
        free, day = cell + len(label) + 2, today
    return found


def _moment(time: int, tz: tzinfo) -> datetime | None:
    """A time on the calendar of a zone; None for no time and for what no calendar holds."""
    if not time:
        return None
    try:
        return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=time // 1000)).astimezone(tz)
    except (OverflowError, ValueError, OSError):
        return None
