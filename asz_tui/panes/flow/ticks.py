"""What stands above the rows: clock marks on a ladder of round intervals, and the rule with the labels of the gaps.

Costs the bands and marks in view.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache

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


_QUARTER = 900 * SECOND
_APART = 2
"""Blanks between two labels at least."""
_ROOMY = 8
"""Blanks more than that before the label of a time that is not round."""


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
    if cells < 2:
        return bar * cells
    words = duration(span // 1_000_000)
    inner = cells - 2
    said = next((text for text in (f" {words} quiet ", words) if len(text) <= inner), "")
    return bar + said.center(inner) + bar


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
    fine = step < 60 * SECOND
    round_: dict[int, int] = {axis.cell_of(time): time for time in axis.band_starts(first, after)}
    starts: dict[int, int] = {}
    begins = [axis.start_of(cell) for cell in range(first, after + 1)]
    cell = -1
    for start, end in axis.segments(first, after):
        if cell < 0 or start >= begins[cell + 1]:
            cell = bisect_right(begins, start) - 1
            starts.setdefault(first + cell, start)
        for time in _multiples(start, end, step, tz):
            if begins[0] <= time < begins[-1]:
                round_[first + bisect_right(begins, time) - 1] = time
    return _apart(round_, starts, after, fine, tz)


def _multiples(start: int, end: int, step: int, tz: tzinfo) -> Iterable[int]:
    shift = _shift(start // _QUARTER, tz)
    if shift is None:
        return ()
    first = -(-(start + shift) // step) * step - shift
    return range(first, end + 1, step) if first <= end else ()


@lru_cache(1 << 15)
def _shift(quarter: int, tz: tzinfo) -> int | None:
    """How far a zone's clock is ahead in a quarter of an hour, in nanoseconds; clocks are set at full quarters only."""
    moment = _moment(quarter * _QUARTER, tz) if quarter else _moment(1, tz)
    return int((moment.utcoffset() or timedelta()).total_seconds()) * SECOND if moment is not None else None


def _apart(
    marks: dict[int, int], others: dict[int, int], after: int, fine: bool, tz: tzinfo
) -> list[tuple[int, str]]:
    """Label the marks that have room, and others where the marks leave much of it: what they stand for is cell -> time."""
    found: list[tuple[int, str]] = []
    free, day = -NEVER, ""
    cells = sorted(marks)
    for cell in sorted(marks.keys() | others.keys()):
        moment = _moment(marks.get(cell, others.get(cell, 0)), tz)
        if moment is None:
            continue
        today, label = moment.strftime("%Y-%m-%d"), moment.strftime("%H:%M:%S" if fine else "%H:%M")
        if today != day:
            label = f"{today} {label}"
        end = cell + len(label)
        if cell not in marks:
            following = bisect_right(cells, cell)
            if (found and cell < free + _ROOMY) or (following < len(cells) and end + _APART > cells[following]):
                continue
        if cell >= free and end <= after:
            found.append((cell, label))
            free, day = end + _APART, today
    return found


def _moment(time: int, tz: tzinfo) -> datetime | None:
    """A time on the calendar of a zone; None for no time and for what no calendar holds."""
    if not time:
        return None
    try:
        return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=time // 1000)).astimezone(tz)
    except (OverflowError, ValueError, OSError):
        return None
