"""Results as lists: one line a hit, the match in sight and marked, growing while the search runs."""

from __future__ import annotations

from datetime import UTC

import pytest

from asz_tui.lines.line import RowSource, fit
from asz_tui.panes.results_rows import ResultsRows, snippet_spans
from asz_tui.session.search import Snippet, compile_query
from asz_tui.text.safe import visible
from tests.tui.panes import helpers
from tests.tui.search.oracle import opened, search


def _rows(case: str, query: str, *, ascii_only: bool = False) -> ResultsRows:
    source = helpers.opened(case, ascii_only=ascii_only)
    return ResultsRows(source, UTC, search(source, query))


@pytest.mark.parametrize("case", ["pilot", "fleet", "hostile", "words-hard", "craft"])
@pytest.mark.parametrize("ascii_only", [False, True])
def test_rows_hold_what_every_row_source_holds(case: str, ascii_only: bool) -> None:
    rows = _rows(case, "e", ascii_only=ascii_only)
    assert isinstance(rows, RowSource) and len(rows)
    for width in (30, 80, 160):
        for index in range(0, len(rows), max(1, len(rows) // 60)):
            assert rows.index_of(rows.key(index)) == index
            assert rows.target(index) == rows.found.ids[index]
            text = "".join(text for text, _ in rows.line(index, width).left)
            assert visible(text) == text and (not ascii_only or text.isascii())
    assert rows.index_of("no such") is None and rows.index_of(("x", 1)) is None
    assert rows.target(-1) is None and rows.target(len(rows)) is None


@pytest.mark.parametrize("width", [60, 80, 120])
def test_the_match_is_in_sight_and_marked(width: int) -> None:
    for query in ("deadline", "log-reader", "re:first connection after"):
        rows = _rows("pilot", query)
        assert len(rows)
        for index in range(len(rows)):
            spans = fit(rows.line(index, width), width)
            marked = [text for text, role in spans if "match" in role.split()]
            assert marked[0].rstrip("…").lower() in query.lower(), (query, spans)
            assert sum(len(text) for text, _ in spans) <= width


def test_a_row_says_time_stream_step_and_where() -> None:
    rows = _rows("pilot", "FAIL 133")
    line = helpers.drawn(rows, 120)[rows.index_of("tool/s5-tool")]
    assert "main" in line and "result" in line and "FAIL 133" in line and "▣" in line and line[3] == ":"
    assert "FAIL 133" in rows.full(rows.index_of("tool/s5-tool"))
    assert [word for word in ("time", "stream", "step", "match") if word in "".join(t for t, _ in rows.header(120).left)][3:]
    assert rows.narrow("x") == ""


def test_rows_grow_with_the_search_and_rows_that_are_there_stay() -> None:
    source = opened("pilot")
    done = search(source, "e")
    growing = compile_query("e")
    rows = ResultsRows(source, UTC, growing)
    assert len(rows) == 0
    growing.ids += done.ids[:5]
    version, first = rows.version, rows.row_version(0)
    growing.ids += done.ids[5:]
    assert rows.version != version and rows.row_version(0) == first and len(rows) == len(done.ids)
    rows.set_found(None)
    assert len(rows) == 0 and rows.row_version is not None
    rows.set_found(search(source, "deadline"))
    assert 0 < len(rows) < len(done.ids)


def test_a_node_that_is_no_more_says_so() -> None:
    found = compile_query("x")
    found.ids.append("tool/gone\x1b[31m")
    rows = ResultsRows(opened("pilot"), UTC, found)
    line = "".join(text for text, _ in rows.line(0, 80).left)
    assert "is no more" in line and "\x1b" not in line


def test_spans_of_a_snippet() -> None:
    spans = snippet_spans(Snippet("text", "a\nb " * 60, "m[b]\x1b", "after\n" * 40), 40, False)
    assert spans[0][0].startswith("…") and len(spans[0][0]) <= 14
    assert spans[1] == ("m[b]␛", "text match") and "⏎" in spans[2][0]
    assert snippet_spans(Snippet("text", "", "x", ""), 3, True) == [("", "text"), ("x", "text match"), ("", "text")]
    assert snippet_spans(Snippet("text", "検" * 99, "x", ""), 30, True)[0][0].startswith("~")
