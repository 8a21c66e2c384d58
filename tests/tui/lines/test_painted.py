"""What a key changes stands in one frame: lines written as they are, scrolled by the terminal, and rows that were made ahead."""

from __future__ import annotations

import random

import pyte
import pytest
from textual.screen import Screen
from textual.widgets import Static

from asz_tui.lines import painted
from asz_tui.lines.painted import paint_now
from asz_tui.lines.view import LineView
from tests.tui.lines.test_view import SIZE, Numbers, Shell, Watched, text


class Terminal:
    """A terminal that shows what the compositor painted at first and then only what `paint_now` wrote."""

    def __init__(self, app: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
        self.app = app
        self.screen = pyte.Screen(*SIZE)
        self.stream = pyte.Stream(self.screen)
        self.sizes: list[int] = []
        self.feed(app.screen._compositor.render_full_update())
        monkeypatch.setattr(app, "_display", lambda screen, update: self.feed(update))

    def feed(self, update: object) -> None:
        if update is not None:
            said = update.render_segments(self.app.console)  # type: ignore[attr-defined]
            self.sizes.append(len(said))
            self.stream.feed(said.replace("\n", "\r\n") if not self.sizes[1:] else said)

    def shows(self, view: LineView) -> bool:
        return [line.rstrip() for line in self.screen.display[: view.size.height]] == [line.rstrip() for line in text(view)]


class Plain(Shell):
    """As the explorer: colours are the terminal's own, so no filter changes them on the way."""

    def __init__(self, view: LineView) -> None:
        super().__init__(view)
        self._filters = []


def _now(screen: Screen[object]) -> None:
    screen._shown_at = 0.0  # type: ignore[attr-defined]
    paint_now(screen)


@pytest.mark.parametrize("seed", range(4))
async def test_the_terminal_shows_what_the_view_shows_whatever_moves_are_made(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    view = LineView(Numbers(1000))
    app = Plain(view)
    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        terminal = Terminal(app, monkeypatch)
        assert terminal.shows(view)
        moves = [view.cursor_down, view.cursor_up, view.half_page_down, view.half_page_up, view.page_down, view.page_up, view.end]
        chance = random.Random(seed)
        for _ in range(120):
            for _ in range(chance.choice((1, 1, 1, 3, 9))):
                chance.choice(moves[:2] * 4 + moves)()
            _now(app.screen)
            assert terminal.shows(view)


async def test_a_step_at_the_edge_writes_a_few_lines_and_scrolls_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    view = LineView(Numbers(1000))
    app = Plain(view)
    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        terminal = Terminal(app, monkeypatch)
        view.page_down()
        _now(app.screen)
        page = terminal.sizes[-1]
        for _ in range(25):
            view.cursor_down()
            _now(app.screen)
        assert terminal.shows(view)
        assert terminal.sizes[-1] * 3 < page


async def test_several_widgets_stand_in_one_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    view = Watched(Numbers(100))
    app = Plain(view)
    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        other = LineView(Numbers(3), show_cursor=False)
        await app.mount(other)
        await pilot.pause()
        frames: list[object] = []
        monkeypatch.setattr(app, "_display", lambda screen, update: frames.append(update))
        view.cursor_down()
        other.source.version += 1  # type: ignore[attr-defined]
        other.set_source(Numbers(5), keep=False)
        _now(app.screen)
        assert len(frames) == 1 and isinstance(frames[0], painted._Lines)
        assert {y for _, y, _ in frames[0].lines} >= {0, 1, view.size.height + 1 + 3}
        await pilot.pause()
        assert not [frame for frame in frames[1:] if frame is not None]


async def test_what_lies_over_a_view_is_not_written_over(monkeypatch: pytest.MonkeyPatch) -> None:
    view = LineView(Numbers(100))
    app = Plain(view)
    app.CSS += "Static { layer: above; dock: top; height: 1; } Screen { layers: base above; }"
    async with app.run_test(size=SIZE) as pilot:
        await app.mount(Static("over it"))
        await pilot.pause()
        frames: list[object] = []
        monkeypatch.setattr(app, "_display", lambda screen, update: frames.append(update))
        view.cursor_down()
        _now(app.screen)
        assert frames and not any(isinstance(frame, painted._Lines) for frame in frames)


async def test_a_key_finds_the_rows_made_that_it_shows() -> None:
    source = Numbers(1000)
    view = LineView(source)
    async with Shell(view).run_test(size=SIZE) as pilot:
        await pilot.pause()
        assert set(source.asked) == set(range(20))
        view.make_ahead()
        assert view.ahead is not None
        while not view.ahead.go_on(1.0):
            pass
        assert {19, 36, 10, 999} <= set(source.asked)
        source.asked.clear()
        view.page_down()
        # The row under the cursor looks different there.
        assert set(source.asked) <= {view.cursor}
        view.end()
        assert set(source.asked) <= {19, 999}


async def test_a_view_that_is_not_in_sight_makes_no_rows_until_it_is() -> None:
    source = Numbers(1000)
    view = LineView(source)
    async with Shell(view).run_test(size=SIZE) as pilot:
        await pilot.pause()
        view.display = False
        await pilot.pause()
        source.asked.clear()
        view.move_to(500)
        source.append(3)
        view.source_changed()
        assert source.asked == []
        view.display = True
        await pilot.pause()
        assert view.cursor_key == 500 and "row 500 " in text(view)[view.cursor - view.top]
        assert 500 in source.asked
