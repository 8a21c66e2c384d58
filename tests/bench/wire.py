"""Bytes on the line: what an idle explorer, a key, a round that lands out of view and a slow line write to the terminal."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from .growing import Growing, forty_frames
from .keys import END, HALF, HOME, PAGE
from .pty_run import Terminal
from .setting import Setting, Subject
from .start import show
from .table import Note, Row

_IDLE = 10.0
_MARKS_FADE = 6.5
"""Seconds after which the marks of what is new are gone; their going is part of what a round writes."""
_SLOW_KEYS = (b"z", PAGE, PAGE, HALF, END, HOME, b"j", b"Z", b"\r", b"j", b"2", b"+", b"L", b"1", b"3", b"7", b"1", b"q")


def measure(setting: Setting) -> Iterator[Row | Note]:
    """Each kind of writing, on a terminal that knows no synchronised output."""
    one = setting.copy(setting.one)
    with show(one, sync=False) as terminal:
        since = terminal.mark()
        time.sleep(_IDLE)
        yield Row(f"idle for {_IDLE:.0f} s", float(terminal.size(since)), "B", "", 0.0)
        terminal.press(b"z")
        terminal.settle()
        sizes = [terminal.press(b"j").size for _ in range(25)]
        yield _row("the cursor one row on, most", sizes, 1_000)
        sizes = [terminal.press(HALF).size for _ in range(20)]
        yield _row("half a page on, most", sizes, 12_000)
        terminal.press(HOME)
        yield _row("a round that lands out of view, most", list(_landings(terminal, one)), 1_500)
    yield from _slow(setting.one)


def _row(name: str, sizes: list[int], limit: float) -> Row:
    return Row(name, float(max(sizes)), "B", f"median {sorted(sizes)[len(sizes) // 2]:,}", limit)


def _landings(terminal: Terminal, subject: Subject) -> Iterator[int]:
    grown = Growing.resume(Path(subject.root), subject.conversation)
    for number in range(3):
        terminal.settle()
        since = terminal.mark()
        forty_frames(grown, f"unseen{number}")
        time.sleep(_MARKS_FADE)
        yield terminal.size(since)


def _slow(subject: Subject) -> Iterator[Row]:
    """The largest frame of a walk through the panes with `--slow`."""
    with show(subject, "--slow") as terminal:
        for key in _SLOW_KEYS:
            terminal.press(key, timeout=1.0)
            terminal.settle(0.2)
        sizes = sorted(len(data) for _, data in terminal.frames())
    yield Row(
        "--slow: the largest frame", float(sizes[-1]), "B", f"of {len(sizes)} frames, median {sizes[len(sizes) // 2]:,}", 12_000.0
    )
