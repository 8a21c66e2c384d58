"""Long texts: wrapped lazily, wholly there, and in place when the width changes."""

import re
import time

from hypothesis import example, given, settings
from hypothesis import strategies as st
from textual.app import App, ComposeResult

from asz_tui.lines.line import Line
from asz_tui.lines.text_rows import Block, TextRows
from asz_tui.lines.text_view import TextView
from asz_tui.text.cells import width
from asz_tui.text.safe import visible


def shown(rows: TextRows, cells: int = 80) -> list[str]:
    rows.finish()
    return ["".join(text for text, _ in rows.line(index, cells).left) for index in range(len(rows))]


@given(st.lists(st.text("ab \n\t中é\x1b", max_size=60), max_size=4), st.integers(4, 30), st.sampled_from(["prose", "code"]))
def test_rows_hold_all_of_the_text(texts: list[str], cells: int, kind: str) -> None:
    rows = TextRows([Block(text, kind=kind) for text in texts], cells)
    lines = shown(rows)
    assert all(width(line) <= cells for line in lines)
    whole = "".join(visible(line, multiline=True) for text in texts for line in text.split("\n"))
    assert "".join(lines).replace(" ", "") == whole.replace(" ", "")
    for index in range(len(rows)):
        assert rows.index_of(rows.key(index)) == index


@given(st.text("ab \x1b中", min_size=1, max_size=30), st.integers(20, 60))
@example("é\u202e", 50)
@settings(max_examples=20)
def test_a_long_line_in_pieces_is_whole(part: str, cells: int) -> None:
    text = part * (40_000 // len(part))
    rows = TextRows([Block(text, kind="code")], cells)
    lines = shown(rows)
    assert "".join(lines) == visible(text, multiline=True)
    assert all(width(line) >= cells - 1 for line in lines[:-1])


def test_spans_wrap_with_their_styles() -> None:
    block = Block([("see ", ""), ("the docs", "accent"), ("\nnow", "")], role="answer", key="k")
    rows = TextRows([Line([("Title", "title")]), block], 7)
    rows.finish()
    assert [rows.line(i, 7).left for i in range(len(rows))] == [
        [("Title", "title")],
        [("see ", "answer"), ("the", "accent")],
        [("docs", "accent")],
        [("now", "answer")],
    ]
    assert rows.key(2) == (("key", "k"), 8)


def test_fields_and_diffs() -> None:
    rows = TextRows([Block("one two three", kind="field", label="name"), Block("+a\n-b\n c", kind="diff")], 14)
    assert shown(rows) == ["name  one two", "      three", "+a", "-b", " c"]
    assert [rows.line(i, 14).left[0][1] for i in (2, 3, 4)] == ["added", "removed", "text"]


def test_matches_are_marked_across_spans() -> None:
    rows = TextRows([Block([("ab", "code"), ("cd", "dim")])], 20)
    rows.finish()
    before = rows.row_version(0)
    rows.set_match(re.compile("bc"))
    assert rows.row_version(0) != before
    assert rows.line(0, 20).left == [("a", "code"), ("b", "code match"), ("c", "dim match"), ("d", "dim")]


def test_keys_survive_a_change_of_width() -> None:
    rows = TextRows([Block("word " * 2000)], 80)
    rows.ensure(40)
    key = rows.key(30)
    assert rows.set_cells(40)
    index = rows.index_of(key)
    assert index is not None
    assert rows.key(index)[1] <= key[1] < rows.key(index + 1)[1]


def test_only_what_is_needed_is_wrapped() -> None:
    rows = TextRows([Block("x" * 5_000_000), Block("y")], 100)
    rows.ensure(100)
    assert len(rows) == 100 and not rows.done
    assert rows.index_of(("gone", 0)) is None and not rows.done


class Shell(App[None]):
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, view: TextView) -> None:
        super().__init__()
        self.view = view

    def compose(self) -> ComposeResult:
        yield self.view


def text(view: TextView) -> list[str]:
    return [view.render_line(y).text.rstrip(" ┃") for y in range(view.size.height)]


async def test_a_megabyte_opens_at_once_and_scrolls_to_its_end() -> None:
    view = TextView()
    async with Shell(view).run_test(size=(80, 20)) as pilot:
        began = time.perf_counter()
        view.set_items([Line([("Result", "title")]), Block("中 and more\x1b " * 80_000), Block("the end")])
        assert time.perf_counter() - began < 0.2
        assert text(view)[0] == "Result"
        assert not view.rows.done
        view.page_down()
        assert view.top == 19
        view.end()
        assert text(view)[-1] == "the end"
        await pilot.pause()
        assert view.rows.done


async def test_the_rest_is_wrapped_in_the_background_and_the_place_kept() -> None:
    view = TextView([Block("\n".join(f"line {n} " + "word " * 30 for n in range(3000)))])
    async with Shell(view).run_test(size=(60, 20)) as pilot:
        view.scroll_rows(301)
        before = text(view)
        for _ in range(200):
            if view.rows.done:
                break
            await pilot.pause(0.02)
        assert view.rows.done
        assert text(view) == before
        place = view.cursor_key
        await pilot.resize_terminal(90, 20)
        await pilot.pause()
        index = view.rows.index_of(place)
        assert index == view.top


async def test_without_a_cursor_movements_scroll() -> None:
    view = TextView([Block("\n".join(str(n) for n in range(100)))])
    async with Shell(view).run_test(size=(40, 20)) as pilot:
        await pilot.pause()
        view.cursor_down()
        assert (view.top, text(view)[0]) == (1, "1")
        view.half_page_down()
        assert view.top == 11
        view.home()
        assert view.top == 0
        view.show_cursor = True
        view.cursor_down()
        assert (view.top, view.cursor) == (0, 1)
