"""The dialog, driven by keys: choices, name, writing, asking before it overwrites, cancelling; at 80x24 and at 40x12."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from textual.pilot import Pilot

from asz_tui.screens import export as dialog
from asz_tui.screens.export import ExportScreen
from tests.tui.app.driving import open_case, ready, screen_text, until

STEM = "fix-the-flaky-port-check-in-the-relay-it-times"
TALK = f"{STEM}-talk-main-s1-cycle-r2"


class Driven:
    """The dialog over the pilot case."""

    def __init__(self, pilot: Pilot[object], screen: ExportScreen, results: list[str | None]) -> None:
        self.pilot, self.screen, self.results = pilot, screen, results

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.pilot.pause()

    async def again(self) -> None:
        """Open the dialog once more."""
        old = self.screen
        self.screen = ExportScreen(old._opened, old._selected, old._tz, root=old._root, folder=old._folder)
        self.pilot.app.push_screen(self.screen, self.results.append)
        await self.pilot.pause()

    async def idle(self) -> None:
        await until(self.pilot, lambda: not self.screen.running and self.screen.query_one("#box").display)

    async def done(self) -> str | None:
        await until(self.pilot, lambda: bool(self.results))
        return self.results.pop()

    @property
    def text(self) -> str:
        return screen_text(self.pilot.app)


@asynccontextmanager
async def driven(folder: Path, size: tuple[int, int] = (80, 24), selected: str | None = "", **options: object) -> AsyncIterator[Driven]:
    app = open_case("pilot", **options)
    async with app.run_test(size=size) as pilot:
        below = await ready(pilot)
        results: list[str | None] = []
        chosen = below.selected() if selected == "" else selected
        screen = ExportScreen(below.opened, chosen, app.tz, root=app.root.path, folder=folder)
        app.push_screen(screen, results.append)
        await pilot.pause()
        await pilot.pause()
        yield Driven(pilot, screen, results)


async def test_it_shows_what_it_will_do(tmp_path) -> None:
    async with driven(tmp_path) as it:
        lines = it.text.splitlines()
        assert lines[-7].startswith("────")
        assert lines[-6:-2] == [
            " export",
            "  what   [selection] conversation",
            "❯ format JSON YAML [Markdown] text SVG",
            f"   name  {TALK}.md",
        ]
        assert lines[-2].startswith(" in /") and "Enter writes" in lines[-1]
        await it.press("escape")
        assert await it.done() is None
        assert os.listdir(tmp_path) == []


CHOICES = (
    ((), f"{TALK}.md", b"# Fix the flaky"),
    (("left",), f"{TALK}.yaml", b"id: talk/main"),
    (("h", "h"), f"{TALK}.json", b'{\n  "id": "talk/main/s1-cycle"'),
    (("right",), f"{TALK}.txt", b"Fix the flaky"),
    (("k", "right"), f"{STEM}-r2.md", b"# Fix the flaky"),
    (("up", "space", "down", "left", "left"), f"{STEM}-r2.json", b'{\n  "format": "asz.view"'),
)
"""Keys, the name that they propose, and how the file begins."""


async def test_it_writes(tmp_path) -> None:
    async with driven(tmp_path) as it:
        for number, (keys, name, begins) in enumerate(CHOICES):
            if number:
                await it.again()
            await it.press(*keys, "enter")
            said = await it.done()
            assert said is not None and said.startswith("exported ") and said.endswith(f"to {tmp_path / name}")
            assert (tmp_path / name).read_bytes().startswith(begins)
        assert sorted(os.listdir(tmp_path)) == sorted(name for _, name, _ in CHOICES)


async def test_a_picture_is_of_what_lies_below(tmp_path) -> None:
    async with driven(tmp_path) as it:
        await it.press("right", "right")
        assert "what   the screen" in it.text
        await it.press("enter")
        await it.done()
        picture = (tmp_path / f"{STEM}-r2.svg").read_text()
        assert picture.startswith("<svg") and "Enter&#160;writes" not in picture
        assert "carried&#160;over" in picture


async def test_the_name_can_be_another(tmp_path) -> None:
    async with driven(tmp_path) as it:
        await it.press("tab", "ctrl+a", "ctrl+k", *"q h.md", "up", "left")
        assert it.screen.field.value == "q h.yaml"
        await it.press("down", "enter")
        assert (await it.done() or "").endswith(f"to {tmp_path / 'q h.yaml'}")
        assert os.listdir(tmp_path) == ["q h.yaml"]


async def test_it_asks_before_it_overwrites(tmp_path) -> None:
    path = tmp_path / f"{TALK}.md"
    path.write_bytes(b"old")
    async with driven(tmp_path) as it:
        await it.press("enter")
        await it.idle()
        assert "already there: Enter overwrites it" in it.text and path.read_bytes() == b"old"
        # Another name and back again: it was not asked for this file any more.
        await it.press("down", "x", "backspace", "enter")
        await it.idle()
        assert path.read_bytes() == b"old"
        await it.press("enter")
        assert await it.done()
        assert path.read_bytes().startswith(b"# Fix")


async def test_a_picture_asks_too(tmp_path) -> None:
    path = tmp_path / f"{STEM}-r2.svg"
    path.write_bytes(b"old")
    async with driven(tmp_path) as it:
        await it.press("right", "right", "enter")
        await until(it.pilot, lambda: "already there" in it.text)
        assert path.read_bytes() == b"old"
        await it.press("enter")
        await it.done()
        assert path.read_bytes().startswith(b"<svg")


async def test_what_cannot_be_written_is_said(tmp_path) -> None:
    async with driven(tmp_path, size=(160, 24)) as it:
        inside = it.pilot.app.root.path / "a.md"
        for name, words in (
            ("", "a file needs a name"),
            ("no/a.md", "there is no such folder"),
            (".", "is a folder"),
            (str(inside), "inside the storage root"),
        ):
            it.screen.field.value = name
            await it.press("enter")
            await it.idle()
            assert words in it.text and not it.results
        assert os.listdir(tmp_path) == [] and not inside.exists()


async def test_it_can_be_cancelled(tmp_path, monkeypatch) -> None:
    begun = threading.Event()
    real = dialog.export

    def slow(*args: object, stop, progress, **keys: object):
        def pieces():
            yield from real(*args, stop=stop, progress=progress, **keys)
            progress(5, 10)
            begun.set()
            while not stop():
                time.sleep(0.005)
            yield from real(*args, stop=stop, progress=progress, **keys)

        return pieces()

    monkeypatch.setattr(dialog, "export", slow)
    monkeypatch.setattr(dialog, "_TELL_EVERY", 0.0)
    async with driven(tmp_path) as it:
        await it.press("enter")
        await until(it.pilot, begun.is_set)
        await until(it.pilot, lambda: "writing: 50 %" in it.text)
        assert "Esc cancels the export" in it.text
        await it.press("escape")
        await it.idle()
        assert "cancelled; nothing was written" in it.text and os.listdir(tmp_path) == []
        await it.press("escape")
        assert await it.done() is None


async def test_without_a_selection(tmp_path) -> None:
    async with driven(tmp_path, selected="stream/main") as it:
        assert "what   [conversation]" in it.text
        await it.press("up", "right", "enter")
        await it.done()
        assert os.listdir(tmp_path) == [f"{STEM}-r2.md"]


async def test_small_and_ascii(tmp_path) -> None:
    async with driven(tmp_path, size=(40, 12), ascii_only=True) as it:
        lines = it.text.splitlines()
        assert lines[-4] == "> format JSON YAML [Markdown] text SVG"
        assert lines[-5] == "  what   [selection] conversation" and lines[-6] == " export"
        assert lines[-1].startswith(" Enter writes  <-/-> choose  Esc cl")
        await it.press("enter")
        await it.done()
        assert os.listdir(tmp_path) == [f"{TALK}.md"]
