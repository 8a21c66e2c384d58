"""The dialog that builds a filter, driven by keys."""

from __future__ import annotations

from datetime import UTC

import pytest

from asz_tui.lines.view import LineView
from asz_tui.screens.filter import FilterRows, FilterScreen
from asz_tui.session.filters import Filter
from asz_tui.text.safe import visible
from tests.tui.app.driving import open_case, ready, screen_text
from tests.tui.panes import helpers

_NONE = object()


class _Dialog:
    """Opens the dialog over a conversation and keeps what it gives back."""

    def __init__(self, case: str, chosen: Filter | None = None, **options: object) -> None:
        self.app = open_case(case, **options)
        self.chosen = chosen or Filter()
        self.result: object = _NONE

    async def open(self, pilot) -> FilterScreen:  # type: ignore[no-untyped-def]
        screen = await ready(pilot)
        dialog = FilterScreen(screen.opened, self.chosen, UTC, screen.opened.trees[0].starts[0])
        self.app.push_screen(dialog, lambda result: setattr(self, "result", result))
        await pilot.pause()
        return dialog

    def goto(self, dialog: FilterScreen, *key: str) -> None:
        assert dialog.query_one("#box-rows", LineView).move_to(key)


async def test_space_chooses_and_enter_applies() -> None:
    dialog = _Dialog("pilot")
    async with dialog.app.run_test(size=(80, 24)) as pilot:
        screen = await dialog.open(pilot)
        assert "nothing chosen" in screen_text(dialog.app)
        for key in (("kinds", "tool"), ("kinds", "talk"), ("streams", "main"), ("failed", ""), ("qualities", "exact_unique")):
            dialog.goto(screen, *key)
            await pilot.press("space")
        dialog.goto(screen, "kinds", "talk")
        await pilot.press("space")
        text = screen_text(dialog.app)
        assert "failed" in text and "[x]" in text
        await pilot.press("enter")
        assert dialog.result == Filter(frozenset({"tool"}), frozenset({"main"}), frozenset({"exact_unique"}), failed=True)


async def test_escape_leaves_and_x_clears() -> None:
    chosen = Filter(kinds=frozenset({"tool", "gone.kind"}), unresolved=True)
    dialog = _Dialog("pilot", chosen)
    async with dialog.app.run_test(size=(80, 24)) as pilot:
        screen = await dialog.open(pilot)
        assert screen.rows.index_of(("kinds", "gone.kind")) is not None
        await pilot.press("escape")
        assert dialog.result is None
        await dialog.open(pilot)
        await pilot.press("x", "enter")
        assert dialog.result == Filter()


async def test_a_time_range_is_typed_and_mistakes_are_said() -> None:
    dialog = _Dialog("pilot")
    async with dialog.app.run_test(size=(80, 24)) as pilot:
        screen = await dialog.open(pilot)
        await pilot.press("at", *"soon", "enter")
        assert "not a time: soon" in screen_text(dialog.app)
        await pilot.press("ctrl+u", *"2026-01-01 10", "colon", *"00 .. +1h", "enter")
        assert screen.rows.filter.to_ns - screen.rows.filter.from_ns == 3600 * 10**9
        assert "2026-01-01 10:00:00" in screen_text(dialog.app)
        await pilot.press("space")
        assert not screen.rows.filter
        await pilot.press("space", *"x 1", "escape")
        assert not screen.rows.filter and dialog.result is _NONE
        await pilot.press("space", *"2026-01-01 ..", "enter", "enter")
        assert isinstance(dialog.result, Filter) and dialog.result.from_ns and not dialog.result.to_ns


async def test_tab_goes_from_section_to_section_and_movement_works() -> None:
    dialog = _Dialog("fleet")
    async with dialog.app.run_test(size=(80, 24)) as pilot:
        screen = await dialog.open(pilot)
        view = screen.query_one("#box-rows", LineView)
        seen = []
        for _ in range(4):
            await pilot.press("tab")
            seen.append(view.cursor_key[0])
        assert seen == ["kinds", "streams", "qualities", "failed"]
        await pilot.press("G")
        assert view.cursor == len(screen.rows) - 1
        await pilot.press("k", "k", "home")
        assert view.cursor == 0
        await pilot.press("space")
        assert not screen.rows.filter
        await pilot.resize_terminal(40, 10)
        await pilot.pause()
        assert view.size.height >= 1


async def test_it_writes_ascii_where_asked() -> None:
    dialog = _Dialog("fleet", Filter(kinds=frozenset({"tool"}), from_ns=10**18, to_ns=10**18 + 10**9), ascii_only=True)
    async with dialog.app.run_test(size=(80, 24)) as pilot:
        await dialog.open(pilot)
        box = [line for line in screen_text(dialog.app).splitlines() if "[" in line or "filter" in line or "Esc" in line]
        assert box and all(line.isascii() for line in box)


@pytest.mark.parametrize("case", ["pilot", "fleet", "hostile", "craft", "broken-first-missing"])
def test_rows_are_safe_and_counted(case: str) -> None:
    opened = helpers.opened(case)
    rows = FilterRows(opened, Filter(), UTC)
    kinds = {tree.nodes[place].kind for tree, place in opened.steps()}
    assert kinds == {key[1] for at in range(len(rows)) if (key := rows.key(at))[0] == "kinds"}
    for at in range(len(rows)):
        line = rows.line(at, 80)
        text = "".join(text for text, _ in [*line.left, *line.right])
        assert visible(text) == text
        assert rows.index_of(rows.key(at)) == at
        before = rows.filter
        if rows.toggle(at):
            assert rows.filter != before
            rows.toggle(at)
            assert rows.filter == before
    assert not rows.toggle(-1) and not rows.toggle(len(rows))
