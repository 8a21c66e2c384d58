"""The list of conversations."""

from __future__ import annotations

from datetime import UTC
from typing import Any

import pytest
from msgspec.structs import replace

from asz_core.listing import Row
from asz_tui.lines.line import RowSource
from asz_tui.panes.home_rows import READING, SORTS, HomeRows
from tests.tui.panes.helpers import check_golden, check_rows, drawn

NOW = 1_767_312_000_000
MIN, HOUR, DAY = 60_000, 3_600_000, 86_400_000


def row(name: str, title: str | None, last: int | None, span: int = MIN, **keys: Any) -> Row:
    known = {"talks": 5, "steps": 44, "streams": 2, "segments": 3, "rounds": 2, "unresolved": 0, "state": "chained"} | keys
    to = None if last is None else NOW - last
    return Row(name, title, from_ms=None if to is None else to - span, to_ms=to, complete=True, **known)


ROWS = [
    row("aaa1", "Fix the flaky port check in the relay: it times out on slow links, once in ten", 12_000, 26 * MIN, unresolved=2),
    row("bbb2", "review the release with a fleet of reviewers", 3 * HOUR, 4 * MIN, talks=7, steps=1041, streams=107),
    row("ccc3", "five rounds as they land", 2 * DAY, state="incomplete", problem="round 3 is missing; the chain stops at round 2"),
    row("ddd4", "a day with long breaks", 5 * DAY, 17 * HOUR, talks=4),
    row("eee5", "", 6 * DAY),
    Row("fff6", rounds=3, changed_ns=5),
    Row("ggg7", problem="there is no round", complete=True),
    row("hhh8", "evil \x1b[2J\u202e title\nof two lines", 30 * DAY, problem="bad \x1b name"),
]


def made(*, ascii_only: bool = False) -> HomeRows:
    rows = HomeRows(ROWS, NOW, UTC, ascii_only)
    rows.set_state("aaa1", "verified")
    rows.set_state("bbb2", "verified")
    rows.set_state("ddd4", "mismatch")
    rows.set_reading(58)
    return rows


def ids(rows: HomeRows) -> list[str]:
    return [str(rows.key(index)) for index in range(len(rows)) if rows.key(index) != READING]


def text(line: Any) -> str:
    return "".join(part for part, _ in line.left).rstrip()


def test_golden() -> None:
    for width in (80, 120):
        rows = made()
        check_golden(f"home-{width}", [text(rows.header(width)), *drawn(rows, width)])
    rows = made(ascii_only=True)
    check_golden("home-ascii", [text(rows.header(80)), *drawn(rows, 80)])


def test_what_a_row_says() -> None:
    rows = made()
    assert isinstance(rows, RowSource)
    lines = drawn(rows, 120)
    assert lines[0].startswith(" ✓ ●  Fix the flaky port check") and "12 s ago" in lines[0]
    assert "●" not in lines[1] and "3 h ago" in lines[1]
    assert " incomplete " in lines[2] and lines[2].startswith(" ◐")
    assert " mismatch " in lines[3] and lines[3].startswith(" ✗") and "17 h" in lines[3]
    assert "untitled" in lines[4] and " chained " in lines[4]
    assert "there is no round" in lines[-2] and lines[-2].rstrip().endswith("–")
    assert lines[-1] == "     … (reading 58 more)"
    wide = drawn(rows, 180)
    assert "round 3 is missing; the chain stops at round 2" in wide[2]
    narrow = drawn(rows, 80)
    assert all(len(line) <= 80 for line in narrow)
    assert "incomplete" in narrow[2] and "2 d ago" in narrow[2]


def test_no_title_breaks_a_row() -> None:
    for ascii_only in (False, True):
        for width in (20, 80, 200):
            check_rows(made(ascii_only=ascii_only), width, ascii_only=ascii_only)


def test_live_is_within_a_minute_of_now() -> None:
    rows = HomeRows([row("a", "x", MIN - 1), row("b", "x", MIN), row("c", "x", -5_000), row("d", "x", -DAY)], NOW, UTC)
    assert rows.running() == 2
    assert ["●" in line for line in drawn(rows, 80)] == [False, True, True, False]
    rows.set_now(NOW + 2)
    assert rows.running() == 1


def test_sorts() -> None:
    rows = made()
    assert ids(rows) == ["aaa1", "bbb2", "ccc3", "ddd4", "eee5", "hhh8", "fff6", "ggg7"]
    rows.sort_by("title")
    assert ids(rows)[:3] == ["ddd4", "hhh8", "ccc3"] and ids(rows)[-3:] == ["fff6", "eee5", "ggg7"]
    rows.sort_by("title")
    assert ids(rows)[:3] == ["bbb2", "aaa1", "ccc3"] and ids(rows)[-1] == "ggg7"
    assert "turned round" in rows.sort_words() and "title↓" in text(rows.header(80))
    rows.sort_by("talks")
    assert ids(rows)[0] == "bbb2"
    rows.sort_by("span")
    assert ids(rows)[:2] == ["ddd4", "aaa1"]
    rows.sort_by("unresolved")
    assert ids(rows)[0] == "aaa1" and "unres↓" in text(rows.header(80))
    for _ in SORTS:
        rows.next_sort()
    assert rows.sort == "unresolved"
    rows.sort_by("colour")
    assert rows.sort == "unresolved"


def test_narrow_by_title_id_and_date() -> None:
    rows = made()
    assert rows.narrow("FLAKY") == "" and ids(rows) == []
    rows.narrow("flaky")
    assert ids(rows) == ["aaa1"] and rows.total == len(ROWS)
    rows.narrow("bbb")
    assert ids(rows) == ["bbb2"]
    rows.narrow("2025-12-31")
    assert ids(rows) == ["ccc3"]
    rows.narrow("re:^(five|untitled)")
    assert ids(rows) == ["ccc3", "eee5", "fff6", "ggg7"]
    assert rows.narrow("re:)").startswith("not a regular expression") and len(ids(rows)) == 4
    rows.narrow("")
    assert len(ids(rows)) == len(ROWS)


def test_update_keeps_the_place_and_the_other_rows() -> None:
    rows = made()
    versions = [rows.row_version(index) for index in range(len(rows))]
    at = rows.index_of("ddd4")
    assert at is not None
    rows.update(replace(ROWS[3], to_ms=NOW, talks=99))
    assert rows.index_of("ddd4") == at and "99" in drawn(rows, 80)[at]
    assert [index for index in range(len(rows)) if rows.row_version(index) != versions[index]] == [at]
    rows.resort()
    assert rows.index_of("ddd4") == 0


def test_a_completed_row_goes_where_it_belongs() -> None:
    rows = made()
    rows.update(row("fff6", "now it has a title", 4 * HOUR, changed_ns=5))
    assert ids(rows)[:4] == ["aaa1", "bbb2", "fff6", "ccc3"]
    rows.update(row("new9", "brand new", 1_000))
    assert ids(rows)[0] == "new9" and rows.total == len(ROWS) + 1
    rows.remove("aaa1")
    rows.remove("not there")
    assert "aaa1" not in ids(rows) and rows.index_of("aaa1") is None and rows.index_of("bbb2") == 1
    rows.narrow("zzz")
    rows.update(row("new10", "unseen", 500))
    assert ids(rows) == []


def test_a_state_holds_until_the_rounds_change() -> None:
    rows = made()
    assert rows.state("ddd4") == "mismatch"
    rows.update(replace(ROWS[3], talks=6))
    assert rows.state("ddd4") == "mismatch"
    rows.update(replace(ROWS[3], talks=7, changed_ns=77))
    assert rows.state("ddd4") == "chained" and rows.state("nobody") == ""
    rows.set_rows(ROWS[:2])
    assert rows.total == 2 and rows.state("aaa1") == "verified"


@pytest.mark.parametrize("count", [3_000])
def test_three_thousand_rows_cost_what_is_drawn(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = 0
    rows = HomeRows([], NOW, UTC)
    inner = HomeRows._title

    def counting(self: HomeRows, *args: Any) -> Any:
        nonlocal calls
        calls += 1
        return inner(self, *args)

    monkeypatch.setattr(HomeRows, "_title", counting)
    for number in range(count):
        rows.update(row(f"id{number:05}", f"title {number}", (number * 7919 % count) * MIN))
    rows.next_sort()
    rows.narrow("title 1")
    rows.narrow("")
    rows.set_state("id00007", "verified")
    rows.remove("id00008")
    assert calls == 0 and len(rows) == count - 1
    for index in range(100, 140):
        rows.line(index, 120)
    assert calls == 40
    version = rows.row_version(50)
    rows.set_now(NOW + 1)
    assert rows.row_version(50) == version
