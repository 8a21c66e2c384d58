"""`LineView` in a running app: what it asks of its source, what it repaints, and where it stays."""

from __future__ import annotations

from collections.abc import Hashable

import pytest
from textual.app import App, ComposeResult
from textual.events import MouseScrollDown
from textual.geometry import Region
from textual.widgets import Input

from asz_tui.lines.line import Line, ListSource
from asz_tui.lines.theme import styles_for
from asz_tui.lines.view import LineView


class Numbers:
    """Rows of numbers, any count of them, that note what they are asked for."""

    def __init__(self, count: int) -> None:
        self.first, self.count, self.version = 0, count, 0
        self.asked: list[int] = []
        self.gone: set[int] = set()

    def __len__(self) -> int:
        return self.count - len(self.gone)

    def _numbers(self) -> list[int]:
        return [n for n in range(self.first, self.first + self.count) if n not in self.gone]

    def key(self, index: int) -> Hashable:
        return self._numbers()[index] if self.gone else self.first + index

    def index_of(self, key: Hashable) -> int | None:
        if not isinstance(key, int):
            return None
        if self.gone:
            return self._numbers().index(key) if key in self._numbers() else None
        return key - self.first if self.first <= key < self.first + self.count else None

    def line(self, index: int, width: int) -> Line:
        self.asked.append(index)
        return Line([(f"row {self.key(index)}", "text")], [(str(width), "dim")])

    def insert_above(self, rows: int) -> None:
        self.first, self.count, self.version = self.first - rows, self.count + rows, self.version + 1

    def append(self, rows: int) -> None:
        self.count, self.version = self.count + rows, self.version + 1

    def remove(self, *keys: int) -> None:
        self.gone.update(keys)
        self.version += 1


class Watched(LineView):
    """Notes which screen lines it has repainted, and whether it was repainted whole."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        self.lines: list[int] = []
        self.whole = 0
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]

    def refresh(self, *regions: Region, **kwargs: bool) -> Watched:  # type: ignore[override]
        self.lines += [region.y for region in regions]
        self.whole += not regions and kwargs.get("repaint", True)
        return super().refresh(*regions, **kwargs)

    def forget(self) -> None:
        self.lines, self.whole = [], 0


class Shell(App[None]):
    """One view and an input to take the focus away."""

    ENABLE_COMMAND_PALETTE = False
    CSS = "Input { height: 1; border: none; }"

    def __init__(self, view: LineView, roles: dict | None = None) -> None:
        super().__init__()
        self.view = view
        self.line_styles = roles
        self.heard: list[tuple[str, int, Hashable]] = []

    def compose(self) -> ComposeResult:
        yield self.view
        yield Input()

    def on_mount(self) -> None:
        self.view.focus()

    def on_line_view_moved(self, event: LineView.Moved) -> None:
        self.heard.append(("moved", event.index, event.key))

    def on_line_view_selected(self, event: LineView.Selected) -> None:
        self.heard.append(("selected", event.index, event.key))

    def on_line_view_activated(self, event: LineView.Activated) -> None:
        self.heard.append(("activated", event.index, event.key))


def text(view: LineView) -> list[str]:
    return [view.render_line(y).text for y in range(view.size.height)]


SIZE = (40, 21)  # 20 lines of rows


async def test_a_million_rows_ask_only_for_what_is_seen() -> None:
    source = Numbers(1_000_000)
    view = Watched(source)
    async with Shell(view).run_test(size=SIZE) as pilot:
        await pilot.pause()
        assert set(source.asked) == set(range(20))
        source.asked.clear()
        view.end()
        await pilot.pause()
        assert set(source.asked) == set(range(999_980, 1_000_000))
        assert text(view)[-1].startswith("❯row 999999")
        source.asked.clear()
        view.cursor_up()
        view.cursor_down()
        await pilot.pause()
        assert set(source.asked) <= {999_998, 999_999}


async def test_a_cursor_move_repaints_two_lines() -> None:
    view = Watched(Numbers(1000))
    async with Shell(view).run_test(size=SIZE) as pilot:
        view.forget()
        view.cursor_down()
        assert sorted(view.lines) == [0, 1]
        await pilot.pause()
        assert view.whole == 0
        assert [line[0] for line in text(view)[:3]] == [" ", "❯", " "]


async def test_the_view_scrolls_when_the_cursor_comes_near_its_edge() -> None:
    view = Watched(Numbers(1000))
    async with Shell(view).run_test(size=SIZE) as pilot:
        for _ in range(17):
            view.cursor_down()
        assert (view.top, view.cursor) == (0, 17)
        view.cursor_down()
        assert (view.top, view.cursor) == (1, 18)
        view.scroll_jump = 10
        view.cursor_down()
        assert (view.top, view.cursor) == (11, 19)
        view.page_down()
        assert (view.top, view.cursor) == (30, 38)
        view.half_page_up()
        assert (view.top, view.cursor) == (20, 28)
        assert view.move_to(500, center=True) and view.top == 490
        assert not view.move_to("nothing")
        view.home()
        await pilot.pause()
        assert (view.top, view.cursor) == (0, 0)


async def test_nothing_changed_repaints_nothing() -> None:
    source = Numbers(1000)
    view = Watched(source)
    async with Shell(view).run_test(size=SIZE) as pilot:
        await pilot.pause()
        view.forget()
        source.version += 1
        view.source_changed()
        view.cursor_up()
        await pilot.pause()
        assert (view.lines, view.whole) == ([], 0)


async def test_rows_without_a_new_version_are_not_asked_for_again() -> None:
    source = Numbers(1000)
    source.row_version = lambda index: 1  # type: ignore[attr-defined]
    view = Watched(source)
    async with Shell(view).run_test(size=SIZE) as pilot:
        await pilot.pause()
        source.asked.clear()
        source.append(1)
        view.source_changed()
        await pilot.pause()
        assert source.asked == []


async def test_rows_inserted_above_move_nothing() -> None:
    source = Numbers(1000)
    view = Watched(source)
    async with Shell(view).run_test(size=SIZE) as pilot:
        view.move_to(105, by_key=True)
        await pilot.pause()
        before = text(view)
        line, key = view.cursor - view.top, view.cursor_key
        view.forget()
        source.insert_above(7)
        view.source_changed()
        await pilot.pause()
        assert (view.cursor, view.cursor - view.top, view.cursor_key) == (112, line, key)
        assert text(view) == before
        assert view.whole == 0 and len(view.lines) <= 2  # the scrollbar's ends


async def test_out_of_view_the_first_row_keeps_its_place() -> None:
    source = Numbers(1000)
    view = Watched(source)
    async with Shell(view).run_test(size=SIZE) as pilot:
        view.scroll_rows(100)
        assert (view.top, view.cursor) == (100, 0)
        source.insert_above(5)
        view.source_changed()
        await pilot.pause()
        assert (view.top, view.cursor, view.cursor_key) == (105, 5, 0)


async def test_a_vanished_row_leaves_the_cursor_to_its_neighbour() -> None:
    source = Numbers(100)
    view = Watched(source)
    app = Shell(view)
    async with app.run_test(size=SIZE) as pilot:
        view.move_to(10)
        await pilot.pause()
        source.remove(10, 9, 11)
        view.source_changed()
        await pilot.pause()
        assert view.cursor_key == 8
        assert app.heard[-1] == ("moved", 8, 8)
        source.remove(*range(100))
        view.source_changed()
        await pilot.pause()
        assert (view.cursor, view.cursor_key, view.top) == (-1, None, 0)


async def test_moves_in_a_row_are_told_once() -> None:
    app = Shell(Watched(Numbers(1000)))
    async with app.run_test(size=SIZE) as pilot:
        for _ in range(5):
            app.view.cursor_down()
        await pilot.pause()
        assert app.heard == [("moved", 5, 5)]
        app.view.cursor_down()
        app.view.cursor_up()
        await pilot.pause()
        assert len(app.heard) == 1
        app.view.activate()
        await pilot.pause()
        assert app.heard[-1] == ("activated", 5, 5)


async def test_the_mouse() -> None:
    app = Shell(Watched(Numbers(1000)))
    async with app.run_test(size=SIZE) as pilot:
        await pilot.click(app.view, offset=(5, 4))
        await pilot.pause()
        assert app.view.cursor == 4
        assert ("selected", 4, 4) in app.heard
        await pilot.click(app.view, offset=(5, 6), times=2)
        await pilot.pause()
        assert ("activated", 6, 6) in app.heard
        await pilot._post_mouse_events([MouseScrollDown], app.view, offset=(5, 5))
        await pilot.pause()
        assert (app.view.top, app.view.cursor) == (3, 6)
        await pilot.mouse_down(app.view, offset=(39, 19))
        await pilot.mouse_up(app.view, offset=(39, 19))
        await pilot.pause()
        assert (app.view.top, app.view.cursor) == (980, 6)


async def test_focus_repaints_the_cursor_row_only() -> None:
    view = Watched(Numbers(1000))
    app = Shell(view)
    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        assert view.has_focus
        view.forget()
        app.query_one(Input).focus()
        await pilot.pause()
        assert not view.has_focus
        assert (set(view.lines), view.whole) == ({0}, 0)
        assert text(view)[0].startswith(" row 0")


async def test_an_empty_view_says_why_safely() -> None:
    source = ListSource()
    view = LineView(source, empty_text="nothing \x1b[31mhere\nyet")
    async with Shell(view).run_test(size=SIZE) as pilot:
        for move in (view.cursor_down, view.page_up, view.end, view.home, view.activate, view.source_changed):
            move()
        await pilot.pause()
        assert [line.strip() for line in text(view)[:3]] == ["nothing ␛[31mhere", "yet", ""]
        source.rows = [("a", Line([("there", "")]))]
        view.source_changed()
        await pilot.pause()
        assert text(view)[0].startswith("❯there")
        assert (view.cursor, view.cursor_key) == (0, "a")


async def test_resize_keeps_the_cursor_in_view() -> None:
    view = Watched(Numbers(1000))
    async with Shell(view).run_test(size=SIZE) as pilot:
        view.move_to(15)
        await pilot.pause()
        await pilot.resize_terminal(30, 11)
        await pilot.pause()
        assert view.top <= 15 < view.top + 10
        lines = text(view)
        assert all(len(line) == 30 for line in lines)
        assert next(line for line in lines if line.startswith("❯")).startswith("❯row 15")


async def test_a_move_before_the_first_layout_holds() -> None:
    view = Watched(Numbers(1000))
    view.move_to(500)
    async with Shell(view).run_test(size=SIZE) as pilot:
        await pilot.pause()
        assert view.cursor == 500
        assert view.top == 490


@pytest.mark.parametrize("mono", [True, False])
async def test_theme_and_ascii_come_from_the_app(mono: bool) -> None:
    source = ListSource([("a", Line([("a “long” label " * 9, "tool")], mark="▎")), *[(i, Line()) for i in range(30)]])
    view = LineView(source, ascii=True)
    roles = styles_for("mono" if mono else "high-contrast")
    async with Shell(view, roles).run_test(size=SIZE) as pilot:
        await pilot.pause()
        lines = text(view)
        assert "".join(lines).isascii()
        assert lines[0].startswith('|a "long" label') and lines[0].endswith("~#")
        style = next(iter(view.render_line(0))).style
        assert style is not None
        assert bool(style.reverse) is mono


async def test_other_rows_keep_the_place_by_key() -> None:
    view = Watched(Numbers(1000))
    async with Shell(view).run_test(size=SIZE) as pilot:
        view.move_to(300)
        await pilot.pause()
        line = view.cursor - view.top
        narrowed = Numbers(500)
        narrowed.first = 200
        view.set_source(narrowed)
        assert (view.cursor, view.cursor_key, view.cursor - view.top) == (100, 300, line)
        view.set_source(Numbers(10), keep=False)
        await pilot.pause()
        assert (view.cursor, view.top) == (0, 0)
        assert text(view)[9].startswith(" row 9") and not text(view)[10].strip()
