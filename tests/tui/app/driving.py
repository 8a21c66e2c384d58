"""Driving the explorer in tests: apps with a frozen clock over bundled roots, and waiting for what is read beside the screen."""

from __future__ import annotations

import asyncio
import shutil
import time
from collections.abc import Callable
from datetime import UTC
from pathlib import Path

from textual.pilot import Pilot

from asz_core import Root
from asz_tui.app import AszApp
from asz_tui.screens.conversation import ConversationScreen
from asz_tui.screens.home import HomeScreen

CASES = Path(__file__).resolve().parents[2] / "data" / "conformance"
NOW_MS = 1_767_268_800_000
"""2026-01-01 12:00:00 UTC, after everything in the sample roots."""


def case_root(case: str) -> Path:
    """The root of a conformance case."""
    return CASES / case / "root"


def only_conversation(root: Path) -> str:
    """The id of the one conversation in a root."""
    return Root(root).conversations()[0]


def make_app(root: Path, conversation: str | None = None, **options: object) -> AszApp:
    """An app over a root with a frozen clock, in UTC, that watches nothing unless asked to."""
    settings: dict[str, object] = {"tz": UTC, "now_ms": lambda: NOW_MS, "watch": False} | options
    return AszApp(Root(root), conversation, **settings)  # type: ignore[arg-type]


def open_case(case: str, **options: object) -> AszApp:
    """An app that opens the one conversation of a conformance case."""
    root = case_root(case)
    return make_app(root, only_conversation(root), **options)


async def until(pilot: Pilot[object], so: Callable[[], bool], seconds: float = 10.0) -> None:
    """Wait until something is so, letting the app run.

    Raises:
        AssertionError: when it is not so in time.
    """
    end = time.monotonic() + seconds
    while not so():
        assert time.monotonic() < end, "it did not come about in time"
        await pilot.pause(0.01)
        await asyncio.sleep(0.01)
    await pilot.pause()


async def ready(pilot: Pilot[object]) -> ConversationScreen:
    """Wait until the conversation on the screen is read and verified; returns its screen."""
    await until(pilot, lambda: isinstance(pilot.app.screen, ConversationScreen) and pilot.app.screen.opened is not None)
    screen = pilot.app.screen
    assert isinstance(screen, ConversationScreen)
    await until(pilot, lambda: screen.conversation is not None and not screen.conversation.verifying)
    await pilot.pause()
    return screen


async def listed(pilot: Pilot[object]) -> HomeScreen:
    """Wait until the list on the screen is complete and its background work is done; returns its screen."""
    screen = pilot.app.screen
    assert isinstance(screen, HomeScreen)
    await until(pilot, lambda: screen.settled)
    await pilot.pause()
    return screen


def screen_text(app: AszApp) -> str:
    """What is on the screen, as plain text, one line a row."""
    width, height = app.size
    lines = app.screen._compositor.render_strips(app.size)
    texts = ["".join(segment.text for segment in strip).rstrip() for strip in lines]
    assert len(texts) <= height and width
    return "\n".join(texts).rstrip() + "\n"


def copy_case(case: str, target: Path) -> Path:
    """A writable copy of a case's root."""
    shutil.copytree(case_root(case), target)
    return target
