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
_BURST = 0.1
_ALONE = 0.15
"""Seconds without output after which a key has written all that it will."""
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
        sizes = [terminal.press(b"j", quiet=_ALONE).size for _ in range(25)]
        yield _row("the cursor one row on, most", sizes, 1_000)
        sizes = [terminal.press(HALF, quiet=_ALONE).size for _ in range(20)]
        yield _row("half a page on, most", sizes, 12_000)
        terminal.press(HOME)
        yield _landing_row(list(_landings(terminal, one)))
        terminal.press(b"2", timeout=10.0)
        terminal.settle()
        for name, keys in (("panned", b"++LLLHHH"), ("zoomed", b"+++---")):
            sizes = [terminal.press(bytes([key]), quiet=_ALONE).size for key in keys]
            yield Row(f"the timeline {name}, most", float(max(sizes)), "B", f"median {sorted(sizes)[len(sizes) // 2]:,}")
    yield from _slow(setting.one)


def _row(name: str, sizes: list[int], limit: float) -> Row:
    return Row(name, float(max(sizes)), "B", f"median {sorted(sizes)[len(sizes) // 2]:,}", limit)


def _landings(terminal: Terminal, subject: Subject) -> Iterator[list[tuple[float, int]]]:
    """What three rounds write, each as bursts: seconds after the rename, and bytes."""
    grown = Growing.resume(Path(subject.root), subject.conversation)
    for number in range(3):
        terminal.settle()
        since = terminal.mark()
        forty_frames(grown, f"unseen{number}")
        landed = time.perf_counter()
        time.sleep(_MARKS_FADE)
        yield _bursts([(when - landed, len(data)) for when, data in terminal.chunks(since)])


def _bursts(chunks: list[tuple[float, int]]) -> list[tuple[float, int]]:
    bursts: list[tuple[float, int]] = []
    for when, size in chunks:
        if bursts and when - bursts[-1][0] < _BURST:
            bursts[-1] = (when, bursts[-1][1] + size)
        else:
            bursts.append((when, size))
    return bursts


def _landing_row(landings: list[list[tuple[float, int]]]) -> Row:
    most = max(landings, key=lambda bursts: sum(size for _, size in bursts))
    raw = ", ".join(f"{size:,} after {when:.2f} s" for when, size in most)
    return Row("a round that lands out of view, most", float(sum(size for _, size in most)), "B", raw, 1_500.0)


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
