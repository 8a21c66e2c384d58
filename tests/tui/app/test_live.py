"""A session that lands round by round while the explorer runs: the tree grows, and nothing else moves."""

from __future__ import annotations

from pathlib import Path

from asz_core import Root
from asz_tui.demo import LIVE_CONVERSATION
from asz_tui.demo.live import LivePublisher
from tests.tui.app.driving import make_app, ready, screen_text, until


def _steps(root: Path) -> int:
    return len(Root(root).load(LIVE_CONVERSATION).fold.nodes)


async def test_each_round_that_lands_shows_without_a_key_and_the_cursor_stays(tmp_path: Path) -> None:
    publisher = LivePublisher(tmp_path)
    assert publisher.publish_next() == 1
    app = make_app(tmp_path, LIVE_CONVERSATION, watch=True)
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await ready(pilot)
        assert "round 1" in screen_text(app)
        await pilot.press("z", "home", "j", "j")
        kept = screen.selected()
        on_line = screen.view.cursor - screen.view.top
        rows = len(screen.view.source)
        for number in (2, 3, 4, 5):
            assert publisher.publish_next() == number
            await until(pilot, lambda n=number: screen.conversation.fold.head == n)
            assert len(screen.view.source) > rows
            rows = len(screen.view.source)
            assert screen.selected() == kept
            assert screen.view.cursor - screen.view.top == on_line
            assert f"round {number}" in screen_text(app).splitlines()[0]
        assert publisher.publish_next() is None
        shown = {screen.view.source.key(at) for at in range(rows)}
        fold = Root(tmp_path).load(LIVE_CONVERSATION).fold
        inside = {n.id for n in fold.nodes.values() if n.kind not in ("session", "segment", "stream", "epoch")}
        assert inside <= shown


async def test_following_goes_to_the_newest_step_and_moving_up_ends_it(tmp_path: Path) -> None:
    publisher = LivePublisher(tmp_path)
    publisher.publish_next()
    app = make_app(tmp_path, LIVE_CONVERSATION, watch=True)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await ready(pilot)
        await pilot.press("F")
        assert screen.follow
        publisher.publish_next()
        await until(pilot, lambda: screen.conversation.fold.head == 2)
        assert screen.selected() == screen.opened.newest()
        await pilot.press("k")
        assert not screen.follow
        publisher.publish_next()
        await until(pilot, lambda: screen.conversation.fold.head == 3)
        assert screen.new_count > 0
        assert f"{screen.new_count} new" in screen_text(app)


async def test_without_file_events_the_poll_finds_the_round(tmp_path: Path) -> None:
    publisher = LivePublisher(tmp_path)
    publisher.publish_next()
    app = make_app(tmp_path, LIVE_CONVERSATION, watch=True, native=False)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await ready(pilot)
        publisher.publish_next()
        await until(pilot, lambda: screen.conversation.fold.head == 2, seconds=5)


async def test_a_root_that_goes_stays_readable_and_says_so(tmp_path: Path) -> None:
    root = tmp_path / "root"
    publisher = LivePublisher(root)
    publisher.publish_next()
    app = make_app(root, LIVE_CONVERSATION, watch=True)
    async with app.run_test(size=(120, 24)) as pilot:
        screen = await ready(pilot)
        rows = len(screen.view.source)
        root.rename(tmp_path / "elsewhere")
        await until(pilot, lambda: screen.gone)
        assert "gone from the disk" in screen_text(app)
        assert len(screen.view.source) == rows
        (tmp_path / "elsewhere").rename(root)
        await until(pilot, lambda: not screen.gone)
        publisher.publish_next()
        await until(pilot, lambda: screen.conversation.fold.head == 2)
