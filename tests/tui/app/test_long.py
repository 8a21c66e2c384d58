"""What a long conversation does differently: tables made behind their pane, looks that go on, and that a move ends."""

from __future__ import annotations

import pytest

from asz_tui.screens.conversation import moving
from tests.tui.app.driving import open_case, ready, screen_text, until


@pytest.mark.parametrize(("key", "pane"), [("3", "streams"), ("4", "segments"), ("5", "edges"), ("7", "summary"), ("8", "changes")])
async def test_a_table_is_made_behind_its_pane(key: str, pane: str) -> None:
    app = open_case("pilot")
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await ready(pilot)
        screen.long_from = 0
        screen.show_pane(pane)
        assert screen.pane == pane and screen.panes.made(pane) is None
        assert screen.view.empty_text == " making the list"
        await until(pilot, lambda: screen.panes.made(pane) is not None and len(screen.view.source) > 0)
        assert screen.view.source is screen.panes.made(pane)
        assert "making the list" not in screen_text(app)


async def test_another_pane_may_be_shown_before_a_table_is_made() -> None:
    app = open_case("pilot")
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await ready(pilot)
        screen.long_from = 0
        screen.show_pane("streams")
        screen.show_pane("talks")
        await pilot.pause(0.05)
        assert screen.pane == "talks" and len(screen.view.source)
        screen.show_pane("streams")
        await until(pilot, lambda: len(screen.view.source) > 0)


async def test_a_narrowing_that_takes_long_says_so_and_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    from asz_tui.screens.conversation import filling

    monkeypatch.setattr(filling, "_AT_ONCE", 0.0)
    monkeypatch.setattr(filling, "_SLICE", 0.0)
    app = open_case("pilot")
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await ready(pilot)
        await pilot.press("4", "slash", "e")
        rows = screen.source
        await until(pilot, lambda: rows.filled)
        shown = [rows.key(at) for at in range(len(rows))]
        rows.at_once = None
        rows.narrow("e")
        assert shown == [rows.key(at) for at in range(len(rows))]
        await pilot.press("q", "q", "q")
        await until(pilot, lambda: (rows.filled and "nothing fits eqqq" in screen_text(app)) or len(rows) > 0)


async def test_a_look_for_the_next_failure_goes_on_and_ends_with_a_move(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moving, "_AT_FIRST", -1.0)
    app = open_case("pilot")
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await ready(pilot)
        endless = iter(lambda: None, "")
        screen._look_on(endless, "nothing", (screen.pane, screen.selected()), 0.0)
        assert "looking" in screen_text(app) or screen._message.startswith("looking")
        await pilot.press("j")
        await pilot.pause(0.05)
        assert screen._message == ""
        last = next(endless, "still there")
        await pilot.pause(0.05)
        assert last is None
        await pilot.press("e")
        await until(pilot, lambda: screen.opened.locate(screen.selected()) is not None and not screen._message)


async def test_a_pattern_that_may_take_forever_is_looked_for_beside_the_screen() -> None:
    app = open_case("pilot")
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await ready(pilot)
        screen.search("re:(d+)+eadline")
        await until(pilot, lambda: screen.found.done)
        assert screen.found.ids and screen.talks.match is None
        screen.search("re:(a+)+$")
        screen.search("")
        await pilot.pause()
        assert screen.found.pattern is None
