"""Columns, filters, bars and stretches of time."""

from __future__ import annotations

from datetime import UTC

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asz_core.sessionflow import Ref
from asz_tui.lines.line import Line
from asz_tui.panes.tables import Column, Filter, Table, bar, evidence_words, full_text, span_bar, stretch
from asz_tui.text.cells import width

TABLE = Table([Column("name", 10, flex=1), Column("n", 5, right=True), Column("more", 20, rank=2), Column("note", 8, rank=1)])
DAY = 86_400_000


def shown(line: Line) -> str:
    return "".join(text for text, _ in line.left)


def test_columns_of_the_highest_rank_go_first() -> None:
    cells = [("a name", "text"), ("7", "text"), ("more", "dim"), ("note", "dim")]
    assert shown(TABLE.row(60, cells)).split() == ["a", "name", "7", "more", "note"]
    assert shown(TABLE.row(40, cells)) == "  a name" + " " * 21 + "7  note    "
    assert shown(TABLE.row(22, cells)) == "  a name" + " " * 13 + "7"
    assert shown(TABLE.row(5, cells)) == "  a name" + " " * 10 + "7", "what is never dropped keeps its least width"


@given(st.text("ab 中é…\u0301", max_size=30), st.integers(20, 90))
def test_a_row_is_as_wide_as_asked(text: str, cells: int) -> None:
    line = TABLE.row(cells, [(text, ""), [(text, ""), (text, "dim")], (text, ""), (text, "")])
    assert width(shown(line)) == max(cells, 19)


def test_ascii_is_mapped_before_it_is_measured() -> None:
    plain = Table(TABLE.columns, ascii_only=True)
    line = plain.row(40, [("→→→→", ""), ("–", ""), ("", ""), ("…", "")])
    assert shown(line) == "  ->->->->" + " " * 19 + "-  ~       "
    assert "NAME" in shown(plain.header(40, sorted_by="name"))
    assert "name↑" in shown(TABLE.header(40, sorted_by="name"))
    assert "↑" not in shown(TABLE.header(40))


def test_filter_is_smart_about_case() -> None:
    assert Filter("bash").fits("Bash make") and not Filter("Bash").fits("bash make")
    assert Filter("").fits("anything") and not Filter("")
    assert Filter("re:^b.*e$").fits("Bash make") and not Filter("re:^B").fits("bash")
    assert Filter("[bold]").fits("a [bold] word")
    assert not Filter("re:")
    with pytest.raises(ValueError, match="not a regular expression: "):
        Filter("re:(")


def test_bars() -> None:
    assert bar(0, 10, 8, False) == "" and bar(1, 1000, 8, False) == "█" and bar(10, 10, 8, True) == "########"

    def text(*args: int) -> str:
        return "".join(part for part, _ in span_bar(*args, 10, True))

    assert text(100, 200, 100, 200) == "##########"
    assert text(100, 101, 100, 200) == "#........."
    assert text(199, 200, 100, 200) == ".........#"
    assert text(150, 150, 100, 200) == ".....#...."
    assert text(0, 0, 100, 200) == ".........."
    assert text(-5, -1, -5, 5) == "####......"


@given(st.integers(1, 1000), st.integers(0, 1000), st.integers(0, 500), st.integers(0, 500), st.integers(1, 40))
def test_a_bar_always_fills_its_cells(start: int, length: int, before: int, after: int, cells: int) -> None:
    spans = span_bar(start, start + length, start - before or -1, start + length + after, cells, False)
    assert sum(len(text) for text, _ in spans) == cells
    assert any("█" in text for text, _ in spans)


def test_stretch_fits_its_column() -> None:
    noon = 1_767_225_600_000 + DAY // 2
    assert stretch(noon, noon + 61_000, UTC) == "12:00:00–12:01:01"
    assert stretch(noon, noon, UTC) == "12:00:00"
    assert stretch(noon, noon + DAY, UTC) == "12:00–12:00 +1d"
    assert stretch(noon, noon + DAY // 2 + 1000, UTC) == "12:00–00:00 +1d"
    assert stretch(None, 0, UTC) == "--:--:--"
    assert all(len(stretch(noon, noon + days * DAY, UTC)) <= 17 for days in (0, 1, 20, 999))


def test_evidence() -> None:
    refs = [Ref(1, 2), Ref(3, 4, 0), Ref(5, 6), Ref(7, 8)]
    assert evidence_words(refs) == "1:2, 3:4:0, 5:6 +1"
    assert evidence_words(None) == ""


def test_full_text() -> None:
    assert full_text(Line([("a", ""), ("     ", ""), ("b c", "")], [("d", "")])) == "a  b c  d"
