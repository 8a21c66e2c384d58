"""No row of any node of any case acts on the terminal, at any width; every node of every case can be shown."""

from __future__ import annotations

import re

import pytest

from asz_tui.lines.text_rows import TextRows
from asz_tui.panes.detail import plain
from asz_tui.text.cells import width

CASES = ("hostile", "pilot", "fleet", "extras", "losses", "craft", "craft-bytes", "craft-raw", "chaos-1", "fuzz-100", "words-hard")
_ACTS = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff\ufffe\uffff]")


@pytest.mark.parametrize("case", CASES)
def test_no_row_acts_on_the_terminal(detail, case: str) -> None:
    builder = detail(case)
    for node_id in builder.opened.conversation.fold.nodes:
        for items in (builder.node(node_id, whole=True), builder.records(node_id), builder.words(node_id)):
            for cells in (24, 80):
                rows = TextRows(items, cells)
                rows.finish()
                for index in range(len(rows)):
                    line = rows.line(index, cells)
                    text = "".join(part for part, _ in line.left + line.right)
                    assert not _ACTS.search(text), (node_id, text)


def test_rows_fit(detail) -> None:
    builder = detail("hostile")
    for node_id in builder.opened.conversation.fold.nodes:
        for cells in (20, 61):
            assert max(map(width, plain(builder.node(node_id), cells).splitlines())) <= cells


def test_markup_is_shown_as_it_is(detail) -> None:
    text = plain(detail("hostile").node("msg/1/6:0"), 100)
    assert "[bold]markup[/bold] [@click=app.quit]quit[/] [link='file:///etc/passwd']x[/link]" in text
    assert "▣ tool Ba[red]sh" in plain(detail("hostile").node("tool/s3-tool"), 100)


def test_escapes_of_a_call_are_decoded_and_visible(detail) -> None:
    text = plain(detail("hostile").node("tool/s2-tool"), 100)
    assert "printf '␛]0;title␇␛[2J␛[1;1H'" in text
    assert "␛]52;c;aGFja2Vk␇" in text
