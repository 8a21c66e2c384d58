"""`asz-tui live` on the screen: sessions before anything of them is collected, opening one, its preview, and how it grows.

The collector is the real one, in this process and at the test's pace.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot

from asz_core.live import COLLECTED, Keeper, home_root, keeper, prepare, preview
from asz_tui.app import AszApp
from asz_tui.live import Live
from asz_tui.screens.conversation import ConversationScreen
from asz_tui.screens.home import HomeScreen
from tests.claude import Writer, session_id
from tests.tui.app.driving import NOW_MS, listed, make_app, ready, screen_text, until

STAGES = Path(__file__).resolve().parents[2] / "data" / "collect" / "stages"


class Here(Live):
    """Collects when it is told to."""

    def __init__(self, source: Path, root: Path, *, infer: bool = True) -> None:
        super().__init__(str(source), root)
        self.now_ns, self.seconds = NOW_MS * 1_000_000, 100.0
        self.keeper = Keeper(source, root, self._on_told, now_ns=lambda: self.now_ns, clock=lambda: self.seconds, infer=infer)
        self.wanted: list[str] = []
        self._process = self  # type: ignore[assignment]
        self.why = ""
        prepare(root)

    def start(self) -> Here:
        self.keeper.survey()
        return self

    def want(self, session: str) -> None:
        self.wanted.append(session)
        self.keeper.want(session)

    def describe(self, sessions: list[str]) -> None:
        self.keeper.describe([name for name in sessions if self.keeper.sessions[name].title is None])

    def stop(self) -> None:
        self.keeper.close()

    def work(self, turns: int = 1000) -> None:
        """Let the collector work, at most so many turns."""
        self.seconds += 20
        for _ in range(turns):
            if self.keeper.turn():
                return


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Two sessions of two projects, one of them a minute old."""
    folder = tmp_path / "projects"
    for number, directory, ago, title in ((1, "/srv/shop", 30, "Fix the port check"), (2, "/srv/tools/cli", 7200, "")):
        writer = Writer(folder, session_id(number), directory, seed=number, bulk=80).write(4_000, title)
        when = NOW_MS / 1000 - ago
        os.utime(writer.path, (when, when))
    return folder


@pytest.fixture
def live(source: Path, tmp_path: Path) -> Here:
    """The collector, which has looked at everything and collected nothing."""
    return Here(source, home_root({"XDG_DATA_HOME": str(tmp_path / "data")}, source)).start()


def app_of(live: Here, conversation: str | None = None, **options: object) -> AszApp:
    app = make_app(live.root, conversation, live=live, **options)
    app.title = "asz-tui live"
    live.source = "~/.claude/projects"
    return app


async def test_sessions_are_listed_before_anything_is_collected(live: Here) -> None:
    app = app_of(live)
    async with app.run_test(size=(120, 12)) as pilot:
        await until(pilot, lambda: "/srv/tools/cli" in screen_text(app))
        text = screen_text(app)
        first, second = text.splitlines()[2:4]
        assert "Fix the port check" in first and "/srv/shop" in first and "●" in first
        assert "nothing of this session is collected yet" in text
        assert "please look at the" in second and "●" not in second and "2 h ago" in second
        assert "2 sessions" in text and "1 running" in text and "~/.claude/projects" in text and "collecting 0 B of" in text
        live.work()
        app.screen.look_again()  # type: ignore[attr-defined]
        await until(pilot, lambda: "collect" not in screen_text(app))
        await listed(pilot)
        assert "✓" in screen_text(app).splitlines()[2]


@pytest.mark.parametrize("size", [(120, 40), (80, 24)], ids=["120x40", "80x24"])
def test_the_list_of_sessions(snap_compare: Callable[..., bool], live: Here, size: tuple[int, int]) -> None:
    async def described(pilot: Pilot[object]) -> None:
        await listed(pilot)
        await until(pilot, lambda: "please look at" in screen_text(pilot.app))  # type: ignore[arg-type]
        await listed(pilot)

    live.work(turns=1)
    assert snap_compare(app_of(live), terminal_size=size, run_before=described)


async def test_the_list_is_narrowed_by_project(live: Here) -> None:
    app = app_of(live)
    async with app.run_test(size=(120, 12)) as pilot:
        await until(pilot, lambda: "/srv/tools/cli" in screen_text(app))
        await pilot.press("slash", *"tools")
        await until(pilot, lambda: "1 of 2 sessions" in screen_text(app))
        assert "Fix the port check" not in screen_text(app)


async def test_a_session_that_nothing_landed_of_is_waited_for(live: Here) -> None:
    app = app_of(live, watch=True)
    async with app.run_test(size=(100, 20)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, HomeScreen) and len(app.screen.rows) == 2)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ConversationScreen))
        assert live.wanted == [session_id(1)] and "0 % of" in screen_text(app)
        live.work()
        screen = await ready(pilot)
        assert screen.pane == "talks" and "please look at the" in screen_text(app)
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        assert live.wanted[-1] == ""


async def test_a_large_session_shows_its_newest_part_and_then_all(
    source: Path, live: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeper, "PREVIEW_FROM", 40_000)
    monkeypatch.setattr(preview, "TAIL", 20_000)
    monkeypatch.setattr(live.keeper._collector, "_budget", 20_000)
    writer = Writer(source, session_id(3), "/srv/shop", seed=3, bulk=80).write(200_000, "A long one")
    live.keeper.survey()
    app = app_of(live, writer.session, watch=True)
    async with app.run_test(size=(120, 30)) as pilot:
        screen = await ready(pilot)
        assert screen.provisional and "the newest part" in screen_text(app) and "A long one" in screen_text(app)
        assert f"talk/main/p{writer.talks}" in {node.id for node in screen.opened.path(screen.selected() or "")}
        live.work(turns=3)
        await pilot.pause()
        assert app.screen is screen and "% of" in screen_text(app)
        await pilot.press("J")
        selected = screen.selected()
        live.work()
        assert live.keeper.sessions[writer.session].state == COLLECTED
        await until(pilot, lambda: app.screen is not screen)
        whole = await ready(pilot)
        assert not whole.provisional and "newest part" not in screen_text(app)
        path = {node.id for node in screen_path(whole)}
        assert whole.selected() == selected or selected_talk(path)
        assert len(list(whole.conversation.fold.of_kind("talk"))) == writer.talks


def screen_path(screen: ConversationScreen) -> list[object]:
    """The nodes from the talk down to the cursor."""
    assert screen.opened is not None
    return list(screen.opened.path(screen.selected() or ""))


def selected_talk(path: set[str]) -> bool:
    return any(name.startswith("talk/main/p") for name in path)


async def test_what_is_wrong_is_said(live: Here, source: Path) -> None:
    app = app_of(live)
    async with app.run_test(size=(120, 12)) as pilot:
        await until(pilot, lambda: "/srv/shop" in screen_text(app))
        source.rename(source.parent / "away")
        live.work()
        await until(pilot, lambda: "cannot be read" in screen_text(app))
        assert "Fix the port check" in screen_text(app), "what was found stays"
        (source.parent / "away").rename(source)
        live.work()
        await until(pilot, lambda: "cannot be read" not in screen_text(app))
        live.why = "the collector ended; what is collected stays, and asz-tui collect says why"
        live._on_told(keeper.Told())
        await until(pilot, lambda: "the collector ended" in screen_text(app))


async def test_what_is_wrong_with_a_session_is_said_where_it_is(live: Here) -> None:
    live.work()
    app = app_of(live)
    async with app.run_test(size=(80, 12)) as pilot:
        await until(pilot, lambda: "Fix the port" in screen_text(app))
        found = live.keeper.sessions[session_id(1)]
        found.problem = "-srv-shop/a-file.jsonl: No space left on device, " + "and so on " * 20
        live._on_told(keeper.Told(sessions=[found]))
        home = await listed(pilot)
        assert home.view.move_to(session_id(1))
        await until(pilot, lambda: "No space left" in screen_text(app).splitlines()[-1])
        await pilot.press("enter")
        await ready(pilot)
        head = screen_text(app).splitlines()[0]
        assert "-srv-shop/a-file" in head and head.endswith("…") and "verified" in head


async def test_what_a_session_says_of_itself_is_shown_and_not_obeyed(source: Path, tmp_path: Path) -> None:
    hostile = "\x1b]0;owned\x07[red]x[/red]\u202e\x9b31m"
    writer = Writer(source, session_id(4), "/srv/" + hostile, seed=4, bulk=80).write(4_000, "title " + hostile)
    os.utime(writer.path, (NOW_MS / 1000, NOW_MS / 1000))
    live = Here(source, tmp_path / "data" / "root").start()
    live.keeper.sessions[writer.session].problem = "wrong: " + hostile
    app = app_of(live, watch=True)
    async with app.run_test(size=(120, 20)) as pilot:
        await until(pilot, lambda: "title" in screen_text(app))
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ConversationScreen))
        live.keeper.touched(writer.session)
        live._on_told(keeper.Told(sessions=[live.keeper.sessions[writer.session]]))
        await until(pilot, lambda: "wrong: " in screen_text(app))
        texts = [screen_text(app)]
        live.work()
        await ready(pilot)
        texts.append(screen_text(app))
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        texts.append(screen_text(app))
    for text in texts:
        assert "[red]x[/red]" in text or "title" not in text
        assert not {c for c in text if c != "\n" and (ord(c) < 32 or 0x7F <= ord(c) < 0xA0 or c == "\u202e")}


async def test_the_stages_of_a_session_show_as_they_are_written(tmp_path: Path) -> None:
    """Each new step shows, the place is kept, and what landed is the reference's, byte for byte."""
    source, session = tmp_path / "projects", "5eed0005-0000-4000-8000-000000000005"
    grow(source, 1)
    live = Here(source, tmp_path / "data" / "root", infer=False)
    live.now_ns = 1_767_312_000_000_000_000
    live.start()
    app = app_of(live, session, watch=True)
    async with app.run_test(size=(120, 40)) as pilot:
        live.work()
        screen = await ready(pilot)
        await pilot.press("z", "home", "j", "j")
        kept, on_line, rows = screen.selected(), screen.view.cursor - screen.view.top, len(screen.view.source)
        for stage in (2, 3, 4, 5):
            grow(source, stage)
            live.now_ns += 1_000_000_000
            live.work()
            await until(pilot, lambda n=stage: screen.conversation.fold.head == n)
            assert len(screen.view.source) > rows
            rows = len(screen.view.source)
            assert (screen.selected(), screen.view.cursor - screen.view.top) == (kept, on_line)
            assert screen.opened.newest() in {screen.view.source.key(at) for at in range(rows)}
    assert published(live.root) == published(STAGES / "root")


def grow(source: Path, stage: int) -> None:
    """Write what a stage adds, at the end of the files that are there."""
    for path in sorted((STAGES / f"source-{stage}").rglob("*")):
        target = source / path.relative_to(STAGES / f"source-{stage}")
        if path.is_dir():
            target.mkdir(parents=True, exist_ok=True)
        elif path.suffix != ".jsonl" or not target.exists():
            shutil.copyfile(path, target)
        else:
            have, want = target.read_bytes(), path.read_bytes()
            assert want.startswith(have)
            with target.open("ab") as file:
                file.write(want[len(have) :])


def published(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*.s[df]")}
