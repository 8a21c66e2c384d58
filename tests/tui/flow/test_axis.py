"""The time axis by itself: times and cells agree, gaps and labels never overlap, for any activity and any width."""

from __future__ import annotations

from datetime import UTC, timedelta, timezone
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from asz_tui.panes.flow.axis import NEVER, QUIET_NS, SECOND, Axis, join_stretches, share
from asz_tui.panes.flow.signs import UNICODE
from asz_tui.panes.flow.ticks import axis_lines, gap_words, ticks

_DAY = 86_400 * SECOND
_TIMES = st.lists(st.integers(-3 * _DAY, 60 * _DAY), min_size=1, max_size=40)
_CLOSE = st.lists(st.integers(1_767_225_600 * SECOND, 1_767_225_700 * SECOND), min_size=1, max_size=40)


def _axis(times: list[int], cells: int) -> Axis:
    return Axis(join_stretches((time, time) for time in times), cells)


@given(_TIMES | _CLOSE, st.integers(4, 300))
def test_cell_and_time_agree(times: list[int], cells: int) -> None:
    axis = _axis(times, cells)
    assert sum(axis._widths) == axis.cells
    ordered = sorted(times)
    found = [axis.cell_of(time) for time in ordered]
    assert found == sorted(found)
    assert found[0] == 0
    assert found[-1] < axis.cells
    for time, cell in zip(ordered, found, strict=True):
        assert axis.start_of(cell) <= time < axis.start_of(cell + 1)
        assert not any(low <= cell < high for low, high, _ in axis.gaps), "a step stands in a gap"


@given(_TIMES | _CLOSE, st.integers(4, 300))
def test_a_cell_begins_where_the_one_before_ends(times: list[int], cells: int) -> None:
    axis = _axis(times, cells)
    for cell in range(1, axis.cells):
        start = axis.start_of(cell)
        assert axis.start_of(cell - 1) <= start
        if start < NEVER:
            assert axis.cell_of(start) >= cell > axis.cell_of(start - 1) or start > axis.stretches[-1][1]


@given(_TIMES, st.integers(20, 300))
def test_gaps_are_the_pauses(times: list[int], cells: int) -> None:
    axis = _axis(times, cells)
    ordered = sorted(times)
    pauses = [b - a for a, b in pairwise(ordered) if b - a > QUIET_NS]
    assert len(axis.gaps) + axis.hidden == len(pauses)
    assert sorted(span + 1 for _, _, span in axis.gaps) == sorted(pauses)[-len(axis.gaps) or len(pauses) :] or axis.hidden
    assert sum(high - low for low, high, _ in axis.gaps) <= axis.cells // 3
    for (_, end, _), (start, _, _) in pairwise(axis.gaps):
        assert end < start


@given(_TIMES | _CLOSE, st.integers(20, 300), st.integers(0, 200), st.sampled_from([0, 330, -210]))
def test_labels_never_overlap(times: list[int], cells: int, first: int, zone: int) -> None:
    axis = _axis(times, cells)
    first = min(first, axis.cells - 1)
    width = min(80, axis.cells - first)
    tz = timezone(timedelta(minutes=zone))
    marks = ticks(axis, first, first + width, tz)
    for (cell, label), (after, _) in pairwise(marks):
        assert cell + len(label) + 2 <= after
    if marks:
        assert marks[0][1].count("-") == 2, "the first label has the day"
    days = [label[:10] for _, label in marks if "-" in label]
    assert all(a != b for a, b in pairwise(days))
    for line in axis_lines(axis, first, width, tz, UNICODE, 7, 3):
        assert sum(len(text) for text, _ in line.left) <= width + 7


def test_activity_shares_the_width_in_proportion() -> None:
    assert share([100, 300], 40) == [10, 30]
    assert share([1, 1000], 40) == [3, 37]
    assert sum(share([1, 5, 900, 7, 300], 41)) == 41
    assert share([5] * 10, 10) == [1] * 10


def test_a_gap_says_what_it_can() -> None:
    assert gap_words(25 * 60 * SECOND, 16, "┊") == "┊ 25 min quiet ┊"
    assert gap_words(25 * 60 * SECOND, 9, "┊") == "┊ 25 min┊"
    assert gap_words(25 * 60 * SECOND, 4, "┊") == "┊  ┊"
    assert gap_words(25 * 60 * SECOND, 1, "┊") == "┊"


def test_ticks_stand_on_round_times() -> None:
    start = 1_767_225_600 * SECOND
    axis = _axis([start + minute * 60 * SECOND for minute in range(61)], 120)
    assert ticks(axis, 0, 120, UTC) == [
        (0, "2026-01-01 00:00"), (19, "00:10"), (29, "00:15"), (39, "00:20"), (49, "00:25"), (59, "00:30"),
        (69, "00:35"), (79, "00:40"), (89, "00:45"), (99, "00:50"), (109, "00:55"),
    ]  # fmt: skip
