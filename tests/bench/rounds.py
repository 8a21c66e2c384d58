"""A round of 40 frames lands: what the model costs, whether anything is read again, and when it is on the screen."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from pathlib import Path

from . import probe
from .growing import Growing, forty_frames
from .setting import Setting, Subject
from .start import show
from .table import Note, Row, milliseconds

_ROUNDS = 20
_ON_SCREEN = 8


def measure(setting: Setting) -> Iterator[Row | Note]:
    """At each size: in a process, then on a terminal that follows."""
    updates = []
    for subject in setting.sizes:
        copy = setting.copy(subject)
        told = probe.ask("landing", copy.root, copy.conversation, _ROUNDS)
        updates.append(statistics.median(told["update"]))
        yield Row(f"{subject.name}: model updated, median", updates[-1] * 1000, "ms", milliseconds(told["update"]), 20.0)
        yield Row(
            f"{subject.name}: read beside the screen, median",
            statistics.median(told["read"]) * 1000,
            "ms",
            milliseconds(told["read"]),
        )
        yield Row(f"{subject.name}: files read again, of {_ROUNDS} rounds", float(told["again"]), "", "", 0.0)
    if len(updates) == 2:
        yield Row("10x / 1x: model updated, median", updates[1] / updates[0], "x", "", 1.3)
    for subject in setting.sizes:
        taken = _on_screen(setting.copy(subject))
        yield Row(f"{subject.name}: from the rename to the screen, most", max(taken), "s", milliseconds(taken), 1.0)


def _on_screen(subject: Subject) -> list[float]:
    """Seconds from the rename of a round to the frame that shows its last command, while the explorer follows."""
    grown = Growing.resume(Path(subject.root), subject.conversation)
    taken = []
    with show(subject) as terminal:
        terminal.press(b"F")
        terminal.settle()
        for number in range(_ON_SCREEN):
            mark = f"landmark{number:03d}"
            since = terminal.mark()
            forty_frames(grown, mark)
            landed = time.perf_counter()
            taken.append(terminal.wait_for(mark, since, timeout=20) - landed)
            terminal.settle(0.4 + 0.07 * number)
    return taken
