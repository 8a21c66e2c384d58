"""What stays of a conversation that was closed: nothing, and the collector is as it was."""

from __future__ import annotations

import gc
import threading
import weakref

from asz_tui.collector import Apart, Pause, paused
from asz_tui.screens.conversation import ConversationScreen
from asz_tui.session.loader import Loader
from tests.tui.app.driving import case_root, make_app, only_conversation, ready, until


async def test_a_closed_conversation_is_freed_without_the_collector() -> None:
    root = case_root("fleet")
    frozen = gc.get_freeze_count()
    app = make_app(root, only_conversation(root))
    async with app.run_test(size=(160, 48)) as pilot:
        screen = await ready(pilot)
        await until(pilot, lambda: app.screen._loader.idle)
        for key in "2345678":
            await pilot.press(key)
            await pilot.pause()
        await until(pilot, lambda: not app.screen._counting)
        await pilot.press("1", "enter", "slash", *"fix", "enter")
        await until(pilot, lambda: app.screen.found is not None and app.screen.found.done)
        assert gc.get_freeze_count() > frozen and gc.isenabled()
        kept = [weakref.ref(one) for one in (screen.opened, screen.panes.talks, screen.conversation.data)]
        del screen
        gc.collect()
        gc.disable()
        try:
            app.pop_screen()
            await until(pilot, lambda: not isinstance(app.screen, ConversationScreen))
            await until(pilot, lambda: not any(one() for one in kept), seconds=3)
        finally:
            gc.enable()
        assert gc.get_freeze_count() == frozen


def test_pauses_nest_and_leave_the_collector_as_it_was() -> None:
    assert gc.isenabled()
    with paused():
        with paused():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()
    gc.disable()
    try:
        with paused():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_a_pause_ends_once_and_only_with_the_last() -> None:
    assert gc.isenabled()
    first, second = Pause(), Pause()
    first.end()
    first.end()
    assert not gc.isenabled()
    second.end()
    assert gc.isenabled()


async def test_the_pause_of_a_start_ends_with_the_first_frame() -> None:
    root = case_root("fleet")
    pause = Pause()
    try:
        app = make_app(root, only_conversation(root), pause=pause)
        assert not gc.isenabled()
        async with app.run_test() as pilot:
            await ready(pilot)
            await until(pilot, gc.isenabled)
    finally:
        pause.end()


def test_the_last_that_is_closed_gives_all_back_to_the_collector() -> None:
    before = gc.get_freeze_count()
    first, second = Apart(), Apart()
    first.end()
    first.end()
    assert gc.get_freeze_count() > before
    second.end()
    assert gc.get_freeze_count() == before == 0


def test_what_was_handed_on_is_taken_in_before_the_next_look() -> None:
    handed: list[int] = []
    looked = threading.Semaphore(0)

    def done(result: int | None, error: Exception | None) -> None:
        assert error is None and result is not None
        handed.append(result)
        looked.release()

    taken = [0]
    loader: Loader[int] = Loader(lambda _: taken[0], done, "test", one_by_one=True)
    loader.request()
    assert looked.acquire(timeout=5)
    for _ in range(3):
        loader.request()
    assert not looked.acquire(timeout=0.1) and not loader.idle
    taken[0] = 1
    loader.taken()
    assert looked.acquire(timeout=5) and not looked.acquire(timeout=0.1)
    assert handed == [0, 1]
    loader.taken()
    assert loader.idle
