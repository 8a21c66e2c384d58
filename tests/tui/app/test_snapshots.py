"""Pictures of the screens, compared as SVG: home, tree, detail, verification, help, empty and damaged roots, 80x24, ASCII, mono."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot

from asz_tui.demo import sample_root
from tests.tui.app.driving import case_root, listed, make_app, open_case, ready, until

WIDE, SMALL = (120, 40), (80, 24)
Before = Callable[[Pilot[object]], Awaitable[None]]


def opened(*keys: str) -> Before:
    """Wait for the conversation, then press keys."""

    async def run(pilot: Pilot[object]) -> None:
        await ready(pilot)
        for key in keys:
            await pilot.press(key)
        await pilot.pause(0.15)

    return run


def home(*keys: str) -> Before:
    """Wait for the list, then press keys."""

    async def run(pilot: Pilot[object]) -> None:
        await listed(pilot)
        for key in keys:
            await pilot.press(key)
        await pilot.pause()

    return run


@pytest.mark.parametrize("size", [WIDE, SMALL], ids=["120x40", "80x24"])
def test_home(snap_compare: Callable[..., bool], size: tuple[int, int]) -> None:
    assert snap_compare(_named(make_app(sample_root())), terminal_size=size, run_before=home())


def _named(app: object) -> object:
    """The same picture wherever the repository stands."""
    app.root.path = Path("asz-root")  # type: ignore[attr-defined]
    return app


TREE = {
    "folded": (),
    "unfolded": ("z",),
    "on-a-failed-tool": ("z", "e"),
    "detail": ("z", "e", "enter"),
    "record": ("z", "e", "r"),
    "quieter": ("z", "t"),
    "prompts-and-replies": ("z", "t", "t"),
    "search": ("z", "slash", *"deadline", "enter"),
    "word": ("z", "e", "w"),
}


@pytest.mark.parametrize("size", [WIDE, SMALL], ids=["120x40", "80x24"])
@pytest.mark.parametrize("name", TREE)
def test_tree(snap_compare: Callable[..., bool], name: str, size: tuple[int, int]) -> None:
    assert snap_compare(open_case("pilot"), terminal_size=size, run_before=opened(*TREE[name]))


@pytest.mark.parametrize("case", ["pilot", "broken-gap", "broken-tampered", "broken-landed-missing", "broken-first-missing"])
def test_verification(snap_compare: Callable[..., bool], case: str) -> None:
    assert snap_compare(open_case(case), terminal_size=WIDE, run_before=opened("6"))


@pytest.mark.parametrize("case", ["pilot", "broken-gap"])
def test_verification_on_a_small_screen(snap_compare: Callable[..., bool], case: str) -> None:
    assert snap_compare(open_case(case), terminal_size=SMALL, run_before=opened("6"))


@pytest.mark.parametrize("size", [WIDE, SMALL], ids=["120x40", "80x24"])
def test_help(snap_compare: Callable[..., bool], size: tuple[int, int]) -> None:
    assert snap_compare(open_case("pilot"), terminal_size=size, run_before=opened("question_mark"))


def test_help_of_home(snap_compare: Callable[..., bool]) -> None:
    assert snap_compare(_named(make_app(sample_root())), terminal_size=SMALL, run_before=home("question_mark"))


def test_empty_root(snap_compare: Callable[..., bool], tmp_path: Path) -> None:
    assert snap_compare(_named(make_app(tmp_path)), terminal_size=SMALL, run_before=home())


def test_home_of_a_broken_root(snap_compare: Callable[..., bool]) -> None:
    app = _named(make_app(case_root("broken-first-missing")))
    assert snap_compare(app, terminal_size=SMALL, run_before=home())


@pytest.mark.parametrize("keys", [(), ("z", "e", "enter"), ("6",), ("question_mark",)], ids=["tree", "detail", "verification", "help"])
def test_ascii(snap_compare: Callable[..., bool], keys: tuple[str, ...]) -> None:
    assert snap_compare(open_case("pilot", ascii_only=True), terminal_size=SMALL, run_before=opened(*keys))


def test_without_colour(snap_compare: Callable[..., bool]) -> None:
    assert snap_compare(open_case("pilot", variant="mono"), terminal_size=SMALL, run_before=opened("z", "e"))


def test_hostile_text(snap_compare: Callable[..., bool]) -> None:
    assert snap_compare(open_case("hostile"), terminal_size=WIDE, run_before=opened("z", "enter"))


PANES = {
    "flow": ("z", "e", "2"),
    "flow-families": ("2", "z"),
    "flow-talk": ("2", "space"),
    "streams": ("3", "z"),
    "segments": ("4", "z"),
    "edges": ("5",),
    "edges-of-one-type": ("5", "t"),
    "results": ("slash", *"port", "enter", "ctrl+f"),
    "changes": ("8",),
    "edges-of-a-step": ("z", *["j"] * 14, "g"),
    "palette": ("colon", *"verif"),
    "filter": ("f",),
    "filtered": ("f", "j", "space", "enter"),
    "time": ("at", *"00", "colon", *"26", "enter"),
    "following": ("F",),
}


@pytest.mark.parametrize("size", [WIDE, SMALL], ids=["120x40", "80x24"])
@pytest.mark.parametrize("name", PANES)
def test_panes_and_dialogs(snap_compare: Callable[..., bool], name: str, size: tuple[int, int]) -> None:
    assert snap_compare(open_case("pilot"), terminal_size=size, run_before=opened(*PANES[name]))


@pytest.mark.parametrize("size", [WIDE, SMALL], ids=["120x40", "80x24"])
def test_export(snap_compare: Callable[..., bool], size: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/")  # the dialog names the folder: the same wherever the repository stands
    assert snap_compare(open_case("pilot"), terminal_size=size, run_before=opened("x"))


@pytest.mark.parametrize("name", ["flow", "streams", "segments", "edges", "edges-of-a-step", "filter", "results", "palette"])
def test_panes_and_dialogs_in_ascii(snap_compare: Callable[..., bool], name: str) -> None:
    assert snap_compare(open_case("pilot", ascii_only=True), terminal_size=SMALL, run_before=opened(*PANES[name]))


@pytest.mark.parametrize("size", [WIDE, SMALL], ids=["120x40", "80x24"])
def test_changes(snap_compare: Callable[..., bool], size: tuple[int, int]) -> None:
    assert snap_compare(open_case("extras"), terminal_size=size, run_before=opened("8"))


@pytest.mark.parametrize("size", [WIDE, SMALL], ids=["120x40", "80x24"])
def test_an_edit_is_a_diff(snap_compare: Callable[..., bool], size: tuple[int, int]) -> None:
    app = open_case("pilot", node="tool/s8-tool")
    assert snap_compare(app, terminal_size=size, run_before=opened("enter"))


@pytest.mark.parametrize("size", [WIDE, SMALL], ids=["120x40", "80x24"])
def test_workspace_changes_in_the_detail(snap_compare: Callable[..., bool], size: tuple[int, int]) -> None:
    app = open_case("extras", node="tool/tool-bump")
    assert snap_compare(app, terminal_size=size, run_before=opened("enter"))


def test_three_columns(snap_compare: Callable[..., bool]) -> None:
    assert snap_compare(open_case("fleet"), terminal_size=(170, 40), run_before=opened("z", "j", "j", "enter"))


def test_quiet_times(snap_compare: Callable[..., bool]) -> None:
    assert snap_compare(open_case("idle"), terminal_size=SMALL, run_before=opened("z"))


@pytest.mark.parametrize("variant", ["light", "dark", "high-contrast", "16"])
def test_themes(snap_compare: Callable[..., bool], variant: str) -> None:
    assert snap_compare(open_case("pilot", variant=variant), terminal_size=SMALL, run_before=opened("z", "e"))


@pytest.mark.parametrize("size", [WIDE, SMALL], ids=["120x40", "80x24"])
def test_summary(snap_compare: Callable[..., bool], size: tuple[int, int]) -> None:
    async def counted(pilot: Pilot[object]) -> None:
        screen = await ready(pilot)
        await pilot.press("7")
        await until(pilot, lambda: screen.source.done)
        await pilot.pause(0.1)

    assert snap_compare(open_case("pilot"), terminal_size=size, run_before=counted)


@pytest.mark.parametrize("keys", [("b",), ("b", "b")], ids=["whole", "added"])
@pytest.mark.parametrize("size", [WIDE, SMALL], ids=["120x40", "80x24"])
def test_captured_prompt(snap_compare: Callable[..., bool], keys: tuple[str, ...], size: tuple[int, int]) -> None:
    app = open_case("extras", node="call/s3-call-ce98f80c9744")
    assert snap_compare(app, terminal_size=size, run_before=opened(*keys))
