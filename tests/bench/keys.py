"""From the press of a key to the frame that it brings, in the fully unfolded tree, against the same key in an empty program.

The programs run side by side and are pressed in turn, so what else the machine does falls upon all of them.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import cycle, islice

from .floor import empty_program
from .pty_run import Burst, Terminal
from .setting import Setting
from .start import show
from .table import Note, Row, milliseconds, percentile

HOME, END, PAGE, HALF = b"\x1b[H", b"G", b"\x1b[6~", b"\x04"
_REST = 0.02


@dataclass(frozen=True, slots=True)
class Plan:
    """What is pressed.

    Attributes:
        before: pressed once, so that each plan begins at the same place.
        keys: name and key, in turn.
    """

    before: bytes
    keys: tuple[tuple[str, bytes], ...]


_PLANS = (
    Plan(HOME, (("move", b"j"),)),
    Plan(HOME, (("half page", HALF),)),
    Plan(HOME, (("page", PAGE),)),
    Plan(HOME, (("end", END), ("home", HOME))),
    Plan(HOME, (("fold all", b"Z"), ("unfold all", b"z"))),
)


@dataclass(slots=True)
class Pressed:
    """The bursts of each program, by the name of the key."""

    by_name: dict[str, list[list[Burst]]] = field(default_factory=dict)

    def latest(self, name: str, program: int) -> list[float]:
        """Seconds to the last byte of each press that brought a frame."""
        return [burst.last for burst in self.by_name[name][program] if burst.size]

    def earliest(self, name: str, program: int) -> list[float]:
        """Seconds to the first byte."""
        return [burst.first for burst in self.by_name[name][program] if burst.size]

    def lost(self, name: str, program: int) -> int:
        """Presses that brought nothing."""
        return sum(1 for burst in self.by_name[name][program] if not burst.size)


def press_in_turn(terminals: list[Terminal], plans: Iterable[Plan], times: int) -> Pressed:
    """Press each key of each plan so many times in each program, in turn.

    Args:
        terminals: the programs, the empty one last.
        plans: what is pressed.
        times: of each key.
    """
    pressed = Pressed()
    for plan in plans:
        for terminal in terminals:
            if plan.before:
                terminal.press(plan.before, timeout=1.0)
            terminal.settle(0.2)
        for name, key in islice(cycle(plan.keys), times * len(plan.keys)):
            bursts = pressed.by_name.setdefault(name, [[] for _ in terminals])
            for at, terminal in enumerate(terminals):
                bursts[at].append(terminal.press(key, timeout=2.0))
                time.sleep(_REST)
    return pressed


def rows_of(pressed: Pressed, program: int, empty: int, label: str, limit: float) -> Iterator[Row]:
    """A row a key: the p95 against that of the empty program."""
    for name in pressed.by_name:
        mine, least = pressed.latest(name, program), pressed.latest(name, empty)
        if not mine or not least:
            yield Row(f"{label}: {name} / empty program, p95", float("inf"), "x", "brought no frame", limit)
            continue
        lost = pressed.lost(name, program)
        raw = f"{milliseconds(mine)}; first byte {percentile(pressed.earliest(name, program)) * 1000:.1f}"
        raw += f"; empty {milliseconds(least)}" + (f"; {lost} brought no frame" if lost else "")
        yield Row(f"{label}: {name} / empty program, p95", percentile(mine) / percentile(least), "x", raw, limit)


def measure(setting: Setting) -> Iterator[Row | Note]:
    """Every key at each size."""
    with ExitStack() as stack:
        terminals = [stack.enter_context(show(subject)) for subject in setting.sizes]
        for terminal in terminals:
            terminal.press(b"z")
            terminal.settle()
        terminals.append(stack.enter_context(empty_program()))
        pressed = press_in_turn(terminals, _PLANS, setting.presses)
    empty = len(terminals) - 1
    for at, subject in enumerate(setting.sizes):
        yield from rows_of(pressed, at, empty, subject.name, 1.5)
    if setting.ten is not None:
        for name in pressed.by_name:
            small, large = percentile(pressed.latest(name, 0)), percentile(pressed.latest(name, 1))
            yield Row(f"10x / 1x: {name}, p95", large / small, "x", f"{large * 1000:.1f} to {small * 1000:.1f} ms", 1.3)
