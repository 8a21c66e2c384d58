"""What the timeline draws with: bars, lines of edges, counts, each in Unicode and in ASCII, and which mark wins a cell.

Bars are block elements that sit on the ground of the row, edges are box drawing, so that one is never taken for the other; in ASCII
no sign of a bar or an edge is also the glyph of a kind. Constant data.
"""

from __future__ import annotations

from dataclasses import dataclass

UP, DOWN, LEFT, RIGHT = 1, 2, 4, 8
"""Where a line leaves a cell; the sum of them says which box it needs."""

SOLID, DASHED, DOTTED = 0, 1, 2
"""Styles of an edge, the strongest first."""

STYLES: dict[str, int] = {"exact_unique": SOLID, "strong_inference": DASHED, "exact_ambiguous": DASHED}
"""Quality -> style; every other quality is dotted."""


@dataclass(frozen=True, slots=True)
class Signs:
    """One set of signs; every sign is one cell.

    Attributes:
        bars: talk, run, request to result, turn.
        boxes: for each style, the sign for each sum of directions.
        counts: signs for 2, 3 ... 9 and for more marks in the cell before.
    """

    bars: tuple[str, str, str, str]
    boxes: tuple[dict[int, str], dict[int, str], dict[int, str]]
    right: str
    left: str
    gap: str
    rule: str
    tick: str
    here: str
    counts: str
    untimed: str
    cursor: str
    dot: str


def _boxes(across: str, down: str, corners: str) -> dict[int, str]:
    """Signs by directions.

    Args:
        across: of a level line.
        down: of an upright one.
        corners: down-right, down-left, up-right, up-left, then tees right, left, down, up, then a cross.
    """
    found = {LEFT: across, RIGHT: across, LEFT | RIGHT: across, UP: down, DOWN: down, UP | DOWN: down}
    keys = (
        DOWN | RIGHT, DOWN | LEFT, UP | RIGHT, UP | LEFT,
        UP | DOWN | RIGHT, UP | DOWN | LEFT, DOWN | LEFT | RIGHT, UP | LEFT | RIGHT, UP | DOWN | LEFT | RIGHT,
    )  # fmt: skip
    return found | dict(zip(keys, corners, strict=True))


_CORNERS = "┌┐└┘├┤┬┴┼"
_PLAIN = ",,`'||,`|"

UNICODE = Signs(
    bars=("▁", "▂", "▄", "▔"),
    boxes=(_boxes("─", "│", _CORNERS), _boxes("╌", "╎", _CORNERS), _boxes("┈", "⋮", _CORNERS)),
    right="▸",
    left="◂",
    gap="┊",
    rule="─",
    tick="┬",
    here="▼",
    counts="²³⁴⁵⁶⁷⁸⁹⁺",
    untimed="?",
    cursor="❯",
    dot="·",
)
ASCII = Signs(
    bars=("_", "-", "#", "^"),
    boxes=(_boxes("-", "|", _PLAIN), _boxes('"', ";", _PLAIN), _boxes("'", ":", _PLAIN)),
    right="}",
    left="{",
    gap=":",
    rule="-",
    tick="+",
    here="V",
    counts="23456789%",
    untimed="?",
    cursor=">",
    dot="-",
)

TALK, RUN, INTERVAL, TURN = range(4)
"""Sorts of bars, in the order of `Signs.bars`."""

BAR_ROLES = ("dim", "bar", "tool", "notice")
BAR_WORDS = ("talk", "run", "request to result", "turn")

UNFINISHED, ERROR, MAYBE, FAILED = 200, 210, 220, 230
"""Ranks above those of kinds: no result, an error by its kind, a step whose record holds some failure, a step that failed."""

_RANKS: dict[str, int] = {
    "thinking": 20,
    "context.injection": 30,
    "llm.call": 40,
    "tool": 50,
    "agent.launch_ack": 60,
    "epoch.summary": 70,
    "epoch.boundary": 80,
    "runtime.notification": 90,
    "message.assistant": 100,
    "agent.output": 110,
    "agent.call": 120,
    "message.external": 130,
    "message.synthetic": ERROR,
    "error.api": ERROR,
    "control.interrupt": ERROR,
}


RANKS = sorted({10, UNFINISHED, MAYBE, FAILED, *_RANKS.values()}, reverse=True)
"""All there are, the greatest first."""


def rank_of(kind: str) -> int:
    """How important a step of a kind is; of several in one cell the most important is shown."""
    return _RANKS.get(kind, 10)


def count_sign(signs: Signs, count: int) -> str:
    """The sign that says how many marks share the cell before it."""
    return signs.counts[min(count, 10) - 2]
