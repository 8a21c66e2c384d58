"""Remakes every picture in this folder from the bundled sample and the damaged roots of the tests: `python screenshots/make.py`.

Needs the test extra. The clock is frozen, so a picture only changes when the screen does.
"""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from asz_tui.app import AszApp  # noqa: E402
from asz_tui.demo import sample_root  # noqa: E402
from tests.tui.app.driving import case_root, listed, make_app, only_conversation, ready  # noqa: E402

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


async def picture(name: str) -> None:
    """Make one picture."""
    app, size, keys = _app(name)
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
    for name in sys.argv[1:] or PICTURES:
        asyncio.run(picture(name))
        print(name)


if __name__ == "__main__":
    main()
