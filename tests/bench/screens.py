"""The explorer on a terminal: its start, its keys, the timeline, what goes over the wire."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from . import commands
from .table import Figure
from .terminal import Burst, Program, explorer, percentile

_PRESSES = 40
_PAUSE = 0.05
_FOLDED = "z"
_TREE_KEYS = {
    "move": ("j", "k"),
    "page": ("page-down", "page-up"),
    "half a page": ("half-down", "half-up"),
    "end and home": ("end", "home"),
    "fold and unfold all": ("Z", "z"),
}
_FLOW_KEYS = {"pan": ("L", "H"), "zoom": ("+", "-")}


@dataclass(slots=True)
class Seen:
    """What the keys of one explorer took, in seconds at the 95th percentile, by what they do."""

    tree: dict[str, float] = field(default_factory=dict)
    flow: dict[str, float] = field(default_factory=dict)
    sizes: dict[str, list[Burst]] = field(default_factory=dict)


def first_words(root: Path, conversation: str) -> str:
    """What the first row of the talk tree says."""
    from asz_core import Root
    from asz_tui.session import Opened

    opened = Opened(Root(root).load(conversation))
    return " ".join(opened.grammar.describe(opened.trees[0], 0).label.split())[:24]


def start(root: Path, conversation: str, words: str, *, most: float | None = 4.0) -> Iterator[Figure]:
    """From the start of the process to the first full frame of the talk tree."""
    measure = commands.textual_import()
    taken = []
    for _ in range(5):
        with explorer("--root", str(root), conversation) as program:
            taken.append(program.wait_for(words))
    seconds = min(taken)
    yield Figure(
        "start to the talk tree / import textual.app",
        seconds / measure,
        "x",
        most,
        f"{seconds * 1000:.0f} / {measure * 1000:.0f} ms",
    )


def empty_key() -> float:
    """What a key takes in an app that only has one line to change: seconds at the 95th percentile."""
    with Program([sys.executable, "-m", "tests.bench.empty_app"]) as program:
        program.wait_for("ready")
        program.settle()
        return percentile([burst.last for burst in _presses(program, ("j", "k"))])


def keys(root: Path, conversation: str, words: str) -> Seen:
    """Press every key of the tree and the timeline."""
    seen = Seen()
    with explorer("--root", str(root), conversation) as program:
        program.wait_for(words)
        program.settle(2.0)
        program.press(_FOLDED, within=20.0)
        program.settle()
        for name, pair in _TREE_KEYS.items():
            seen.sizes[name] = _presses(program, pair)
            seen.tree[name] = percentile([burst.last for burst in seen.sizes[name]])
        program.press("home")
        program.settle()
        seen.flow["first frame"] = program.press("2", within=20.0).first
        program.settle(2.0)
        for name, pair in _FLOW_KEYS.items():
            program.press("+")
            program.press("+")
            seen.sizes[f"flow {name}"] = _presses(program, pair)
            seen.flow[name] = percentile([burst.last for burst in seen.sizes[f"flow {name}"]])
    return seen


def _presses(program: Program, pair: tuple[str, str]) -> list[Burst]:
    bursts = []
    for number in range(_PRESSES):
        # There and back, so that each press changes something.
        bursts.append(
            program.press(pair[(number // 5) % 2] if pair[0] in ("L", "+", "j", "page-down", "half-down") else pair[number % 2])
        )
        time.sleep(_PAUSE)
    return bursts


def key_figures(seen: Seen, empty: float) -> Iterator[Figure]:
    """The keys against the empty app."""
    yield Figure("a key in an empty Textual app, p95", empty * 1000, "ms")
    for name, seconds in seen.tree.items():
        yield Figure(f"key in the unfolded tree: {name} / empty app, p95", seconds / empty, "x", 1.5, f"{seconds * 1000:.0f} ms")
    yield Figure("timeline: first frame after its key", seen.flow["first frame"] * 1000, "ms", 100)
    for name in _FLOW_KEYS:
        yield Figure(f"timeline: {name} / empty app, p95", seen.flow[name] / empty, "x", 1.5, f"{seen.flow[name] * 1000:.0f} ms")


def ratios(small: Seen, large: Seen) -> Iterator[Figure]:
    """The same keys in a conversation ten times as long."""
    for name, seconds in large.tree.items():
        yield Figure(
            f"key at 10x / at 1x: {name}",
            seconds / small.tree[name],
            "x",
            1.3,
            f"{seconds * 1000:.0f} / {small.tree[name] * 1000:.0f} ms",
        )
    for name in _FLOW_KEYS:
        yield Figure(f"key at 10x / at 1x: timeline, {name}", large.flow[name] / small.flow[name], "x", 1.3)
    yield Figure("timeline at 10x: first frame after its key", large.flow["first frame"] * 1000, "ms", 100)


def wire(root: Path, conversation: str, words: str, seen: Seen) -> Iterator[Figure]:
    """Bytes that a terminal of 120 by 40 gets."""
    yield Figure("bytes: cursor one row, most", max(burst.size for burst in seen.sizes["move"]), "B", 1000)
    yield Figure("bytes: half a page, most", max(burst.size for burst in seen.sizes["half a page"]), "B", 12_000)
    for name in _FLOW_KEYS:
        yield Figure(f"bytes: timeline, {name}, most", max(burst.size for burst in seen.sizes[f"flow {name}"]), "B")
    with explorer("--root", str(root), conversation) as program:
        program.wait_for(words)
        program.settle(2.0)
        yield Figure("bytes: idle in 10 s", program.listen(within=10.0, quiet=10.0).size, "B", 0)
    with explorer("--root", str(root), "--slow", conversation) as program:
        program.wait_for(words)
        program.settle(2.0)
        largest = 0
        for key in ("z", "half-down", "page-down", "j", "end", "home", "enter", "j", "j", "escape", "2", "+", "L", "1", "6", "7"):
            largest = max(largest, program.press(key).size)
            program.settle(0.3)
        yield Figure("bytes: --slow, largest frame", largest, "B", 12_000)


def large(root: Path, conversation: str, words: str) -> Iterator[Figure]:
    """Opening a conversation ten times as long."""
    with explorer("--root", str(root), conversation) as program:
        seconds = program.wait_for(words)
        progress = any(program.shows(said) for said in ("reading", "MB", "rounds"))
        yield Figure(
            "10x: start to the talk tree", seconds, "s", 10.0, "progress was shown before" if progress else "NO progress before it"
        )
        program.settle(2.0)
        for key in ("z", "end", "2", "3", "1", "home"):
            program.press(key, within=30.0, quiet=0.5)
        program.press("/")
        program.press("deadline\r", quiet=3.0, within=30.0)
        yield Figure("10x: peak memory, tree, timeline, streams, search used", program.memory()["VmHWM"], "MB", 1200)
