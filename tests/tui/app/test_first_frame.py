"""What stands on the screen first, and what follows behind it with a state that says so."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import UTC
from pathlib import Path

import pytest

from asz_core import Root
from asz_core.listing import Row
from asz_core.sessiondata import session
from asz_core.sessionflow import round_bytes, round_name
from asz_tui.app import AszApp
from asz_tui.export import export
from asz_tui.screens import home as home_module
from asz_tui.screens.conversation import ConversationScreen
from asz_tui.screens.home import HomeScreen
from asz_tui.session.first import FirstListing, FirstReading
from tests.tui.app.driving import case_root, listed, make_app, only_conversation, open_case, ready, screen_text, until


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Files are skimmed, and none is checked before the event is set."""
    let_go = threading.Event()
    check = session.check_landed

    def wait(*args: object) -> object:
        assert let_go.wait(20)
        return check(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(session, "check_landed", wait)
    yield let_go
    let_go.set()


async def tree_shown(pilot: object) -> ConversationScreen:
    app: AszApp = pilot.app  # type: ignore[attr-defined]
    await until(pilot, lambda: isinstance(app.screen, ConversationScreen) and app.screen.opened is not None)  # type: ignore[arg-type]
    assert isinstance(app.screen, ConversationScreen)
    return app.screen


async def test_the_tree_stands_while_the_files_are_verified(held: threading.Event) -> None:
    app = open_case("pilot")
    async with app.run_test(size=(140, 40)) as pilot:
        screen = await tree_shown(pilot)
        lines = screen_text(app).splitlines()
        assert "verifying 0 B of " in lines[0] and "verified" not in lines[0]
        assert "00:26:36" in "\n".join(lines[2:])
        before = lines[2:]
        held.set()
        await ready(pilot)
        lines = screen_text(app).splitlines()
        assert "✓ verified" in lines[0] and "verifying" not in lines[0]
        assert lines[2:] == before and screen.new_count == 0


@pytest.mark.parametrize(
    ("case", "state"), [("broken-landed-changed", "mismatch"), ("broken-landed-missing", "incomplete"), ("broken-gap", "incomplete")]
)
async def test_a_damaged_root_is_said_to_be_so_when_it_is_known(case: str, state: str, held: threading.Event) -> None:
    app = open_case(case)
    async with app.run_test(size=(140, 40)) as pilot:
        await tree_shown(pilot)
        header = screen_text(app).splitlines()[0]
        assert "verifying" in header and "verified" not in header and state not in header
        held.set()
        await ready(pilot)
        assert state in screen_text(app).splitlines()[0]


async def test_the_verification_pane_says_what_is_not_known_yet(held: threading.Event) -> None:
    app = open_case("pilot")
    async with app.run_test(size=(140, 40)) as pilot:
        await tree_shown(pilot)
        await pilot.press("6")
        text = screen_text(app)
        assert "verifying · 0 of 2 rounds verified" in text and "are being read" in text and "✓ verified" not in text
        held.set()
        await ready(pilot)
        text = screen_text(app)
        assert "2 of 2 rounds verified" in text and "verifying" not in text


async def test_what_changed_in_the_workspace_shows_when_it_is_known(held: threading.Event) -> None:
    app = open_case("extras")
    async with app.run_test(size=(140, 60)) as pilot:
        screen = await tree_shown(pilot)
        await pilot.press("Z", "8")
        held.set()
        await ready(pilot)
        other = open_case("extras")
        async with other.run_test(size=(140, 60)) as second:
            whole = await ready(second)
            await second.press("Z", "8")
            assert screen_text(app) == screen_text(other)
            await second.press("1")
            await pilot.press("1")
            assert screen_text(app) == screen_text(other) and screen.pane == whole.pane == "talks"


async def test_an_export_is_of_what_is_verified(held: threading.Event) -> None:
    app = open_case("pilot")
    async with app.run_test(size=(140, 40)) as pilot:
        screen = await tree_shown(pilot)
        assert screen.opened is not None and screen.opened.conversation.verifying
        pieces = export(screen.opened, None, "json", UTC)
        held.set()
        assert b"".join(pieces) == Root(case_root("pilot")).load(screen.conversation_id).json()


async def test_a_reading_that_began_before_the_app_is_taken_over() -> None:
    root = Root(case_root("pilot"))
    name = only_conversation(case_root("pilot"))
    reading = FirstReading(root, name).start()
    assert reading.done.wait(20)
    app = make_app(case_root("pilot"), name, reading=reading, ascii_only=True)
    async with app.run_test(size=(140, 40)) as pilot:
        await pilot.pause()
        screen = app.screen
        assert isinstance(screen, ConversationScreen) and screen.opened is reading.opened
        await ready(pilot)
        assert screen_text(app).isascii()


async def test_a_conversation_that_cannot_be_read_says_why(tmp_path: Path) -> None:
    (tmp_path / "_conversations").mkdir()
    app = make_app(tmp_path, "nobody")
    async with app.run_test(size=(100, 30)) as pilot:
        await ready(pilot)
        assert "nothing of this conversation could be folded" in screen_text(app)


async def test_the_list_is_made_when_somebody_goes_back_to_it() -> None:
    root = case_root("fleet")
    names = Root(root).conversations()
    app = make_app(root, names[-1])
    async with app.run_test(size=(120, 40)) as pilot:
        await ready(pilot)
        assert not any(isinstance(screen, HomeScreen) for screen in app.screen_stack)
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        home = await listed(pilot)
        assert home.view.cursor_key == names[-1] and home.rows.total == len(names)
        await pilot.press("enter")
        await ready(pilot)
        await pilot.press("escape")
        assert app.screen is home


# --- the list


def make_root(root: Path, count: int) -> Path:
    """Conversations of one round and no file, with everything in the header; the last made is the newest."""
    for number in range(count):
        name = f"c{number:04d}"
        at = f"2025-12-{1 + number // 24:02d}T{number % 24:02d}:00:00.000Z"
        header = {
            "conversation": name, "session": name, "round": 1, "from_seq": 1, "through_seq": 0, "parser": "v1", "policy": "p",
            "title": f"number {number}", "talks": 0, "steps": 0, "streams": 0, "segments": 0, "unresolved": 0,
            "session_from_time": at, "session_through_time": at,
            "input_digest": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        }  # fmt: skip
        data, digest = round_bytes(header, [{"t": "node", "id": f"session/{name}", "kind": "session"}])
        folder = root / "_conversations" / name / "rounds"
        folder.mkdir(parents=True)
        (folder / round_name(1, digest)).write_bytes(data)
    return root


@pytest.fixture
def slow_rows(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[threading.Event, list[str]]]:
    """The rows that one screen needs are read at once, the others when the event is set; and the ids of those that were read."""
    let_go, read = threading.Event(), []
    row = Root.row

    def wait(self: Root, name: str, *, full: bool = False) -> Row:
        if threading.current_thread().name != "asz-first-rows":
            assert let_go.wait(20)
        read.append(name)
        return row(self, name, full=full)

    monkeypatch.setattr(Root, "row", wait)
    monkeypatch.setattr(home_module, "_BATCH", 20)
    yield let_go, read
    let_go.set()


async def test_only_the_headers_of_the_rows_on_the_screen_are_read_first(
    tmp_path: Path, slow_rows: tuple[threading.Event, list[str]]
) -> None:
    let_go, read = slow_rows
    app = make_app(make_root(tmp_path, 100))
    async with app.run_test(size=(120, 24)) as pilot:
        home = app.screen
        assert isinstance(home, HomeScreen)
        await until(pilot, lambda: home.rows.total > 0)
        assert len(read) == home.rows.total == 24
        text = screen_text(app)
        assert "24 of 100 conversations read" in text.splitlines()[0] and "number 99" in text
        await pilot.press("j", "j", "j")
        key, line = home.view.cursor_key, home.view.cursor - home.view.top
        let_go.set()
        await listed(pilot)
        assert home.view.cursor_key == key and home.view.cursor - home.view.top == line
        assert "100 conversations · newest first" in screen_text(app).splitlines()[0]
        assert [home.rows.target(at) for at in range(100)] == [f"c{number:04d}" for number in reversed(range(100))]


async def test_headers_settle_the_order_without_moving_the_cursor(
    tmp_path: Path, slow_rows: tuple[threading.Event, list[str]]
) -> None:
    import os

    let_go, _ = slow_rows
    root = make_root(tmp_path, 60)
    for number in range(60):  # the folders changed in the other order
        os.utime(root / "_conversations" / f"c{number:04d}" / "rounds", ns=(0, (1000 - number) * 10**9))
    app = make_app(root)
    async with app.run_test(size=(120, 24)) as pilot:
        home = app.screen
        assert isinstance(home, HomeScreen)
        await until(pilot, lambda: home.rows.total > 0)
        await pilot.press("j")
        key, line = home.view.cursor_key, home.view.cursor - home.view.top
        assert key == "c0022"
        let_go.set()
        await listed(pilot)
        assert home.view.cursor_key == key and home.view.cursor - home.view.top == line
        assert home.rows.target(0) == "c0059" and home.rows.target(59) == "c0000"


async def test_only_what_is_on_the_screen_is_verified(tmp_path: Path) -> None:
    app = make_app(make_root(tmp_path, 100))
    async with app.run_test(size=(120, 24)) as pilot:
        home = await listed(pilot)
        assert home.rows.state("c0099") == "verified" and home.rows.state("c0000") == ""
        await pilot.press("G")
        await until(pilot, lambda: home.rows.state("c0000") == "verified")
        await listed(pilot)
        assert home.rows.state("c0050") == ""


async def test_a_folder_without_a_round_is_not_listed(tmp_path: Path) -> None:
    root = make_root(tmp_path, 3)
    (root / "_conversations" / "empty" / "rounds").mkdir(parents=True)
    (root / "_conversations" / "bare").mkdir()
    app = make_app(root)
    async with app.run_test(size=(120, 24)) as pilot:
        home = await listed(pilot)
        assert home.rows.total == 3 and "3 conversations" in screen_text(app).splitlines()[0]


async def test_a_listing_that_began_before_the_app_is_taken_over(tmp_path: Path) -> None:
    root = make_root(tmp_path, 30)
    listing = FirstListing(Root(root), 10).start()
    assert listing.done.wait(20) and len(listing.rows) == 10
    app = make_app(root, listing=listing)
    async with app.run_test(size=(120, 24)) as pilot:
        home = await listed(pilot)
        assert home.rows.total == 30
