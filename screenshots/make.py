"""Remakes every picture in this folder from the bundled sample and the damaged roots of the tests: `python screenshots/make.py`.

Needs the test extra. The clock is frozen, so a picture only changes when the screen does.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from asz_tui.app import AszApp  # noqa: E402
from asz_tui.demo import sample_root  # noqa: E402
from tests.claude import Writer, session_id  # noqa: E402
from tests.tui.app.driving import NOW_MS, case_root, listed, make_app, only_conversation, ready  # noqa: E402
from tests.tui.app.test_collecting import Here  # noqa: E402

WIDE, SMALL = (120, 40), (80, 24)
PILOT = "5eed0002-0000-4000-8000-000000000002"
FLEET = "5eed0003-0000-4000-8000-000000000003"

PICTURES: dict[str, tuple[str, str | None, tuple[int, int], tuple[str, ...]]] = {
    "home": ("", None, WIDE, ()),
    "talks": ("", PILOT, WIDE, ("z", "e")),
    "talks-80x24": ("", PILOT, SMALL, ("z", "e")),
    "detail": ("", PILOT, WIDE, ("z", "e", "enter")),
    "detail-80x24": ("", PILOT, SMALL, ("z", "e", "enter")),
    "search": ("", FLEET, WIDE, ("slash", *"rename", "enter", "n")),
    "record": ("", PILOT, WIDE, ("z", "e", "r")),
    "verification": ("", PILOT, WIDE, ("6",)),
    "verification-broken": ("broken-gap", None, WIDE, ("6",)),
    "flow": ("", PILOT, WIDE, ("z", "e", "2", "right_square_bracket", "right_square_bracket", "right_square_bracket")),
    "streams": ("", FLEET, WIDE, ("3", "z")),
    "segments": ("idle", None, WIDE, ("4", "z")),
    "edges": ("", FLEET, WIDE, ("z", *["j"] * 5, "g")),
    "relations": ("", FLEET, WIDE, ("5",)),
    "summary": ("", PILOT, WIDE, ("7",)),
    "changes": ("extras", None, WIDE, ("8",)),
    "results": ("", FLEET, WIDE, ("slash", *"rename", "enter", "ctrl+f")),
    "filter": ("", PILOT, WIDE, ("f",)),
    "three-columns": ("", PILOT, (170, 40), ("z", "e", "enter")),
    "help": ("", PILOT, WIDE, ("question_mark",)),
}
"""Name -> case (the sample when empty), conversation (the case's only one when None), size, keys."""


def _app(name: str) -> tuple[AszApp, tuple[int, int], tuple[str, ...]]:
    case, conversation, size, keys = PICTURES[name]
    root = case_root(case) if case else sample_root()
    if case:
        conversation = only_conversation(root)
    app = make_app(root, conversation)
    app.root.path = Path("~/asz")
    return app, size, keys


_SESSIONS = (
    ("Fix the flaky port check", "shop", 12),
    ("Move the importer to streams", "shop", 40),
    ("Release notes for 4.2", "site", 5_400),
    ("Why is the nightly build slow", "tools/build", 9_000),
    ("", "shop", 93_000),
    ("Rename the cursor states", "site", 260_000),
)
"""Title, project and age in seconds of the sessions in the picture of `live`."""


def _live(folder: Path) -> tuple[AszApp, tuple[int, int], tuple[str, ...]]:
    """The list of live sessions, half of them collected."""
    source = folder / "projects"
    for number, (title, project, ago) in enumerate(_SESSIONS):
        writer = Writer(source, session_id(number), f"/srv/{project}", seed=number, bulk=300).write(8_000 + 5_000 * number, title)
        os.utime(writer.path, (NOW_MS / 1000 - ago, NOW_MS / 1000 - ago))
    live = Here(source, folder / "root").start()
    live.work(turns=3)
    app = make_app(live.root, live=live)
    app.title, live.source = "asz-tui live", "~/.claude/projects"
    return app, WIDE, ("j", "j", "j")


async def picture(name: str) -> None:
    """Make one picture."""
    with tempfile.TemporaryDirectory() as folder:
        await _picture(name, *(_live(Path(folder)) if name == "live" else _app(name)))


async def _picture(name: str, app: AszApp, size: tuple[int, int], keys: tuple[str, ...]) -> None:
    async with app.run_test(size=size) as pilot:
        await (listed(pilot) if app._first[0] is None else ready(pilot))
        for key in keys:
            await pilot.press(key)
            await pilot.pause(0.05)
        await pilot.pause(0.6)
        svg = app.export_screenshot(title="asz-tui")
    # The fonts would be fetched from the net; whoever looks has a monospaced one.
    svg = re.sub(r"@font-face \{.*?\}", "", svg, flags=re.DOTALL)
    svg = re.sub(r"font-family: Fira Code[^;]*;?", 'font-family: "DejaVu Sans Mono", Menlo, Consolas, monospace;', svg)
    (HERE / f"{name}.svg").write_text(svg, encoding="utf-8")


def main() -> None:
    """Make those named on the command line, or all."""
    for name in sys.argv[1:] or ["live", *PICTURES]:
        asyncio.run(picture(name))
        print(name)


if __name__ == "__main__":
    main()
