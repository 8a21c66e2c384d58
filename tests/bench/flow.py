"""The timeline: its first frame, and its keys against an empty program."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

from .floor import empty_program
from .keys import Plan, press_in_turn, rows_of
from .pty_run import Terminal
from .setting import Setting, Subject
from .start import show
from .table import Note, Row, milliseconds

_STARTS = 4
_PLANS = (
    Plan(b"", (("pan right", b"L"), ("pan left", b"H"))),
    Plan(b"", (("zoom in", b"+"), ("zoom out", b"-"))),
    Plan(b"", (("lane down", b"j"), ("lane up", b"k"))),
)


def measure(setting: Setting) -> Iterator[Row | Note]:
    """The first frame after `2` in fresh programs, then the keys in one of them."""
    one = setting.one
    firsts = [_first_frame(one) for _ in range(_STARTS)]
    yield Row(
        f"{one.name}: {one.streams} lanes: first frame after the key, most", max(firsts) * 1000, "ms", milliseconds(firsts), 100.0
    )
    with ExitStack() as stack:
        terminal = stack.enter_context(show(one))
        _to_flow(terminal, one)
        terminal.settle()
        for key in (b"+", b"+", b"+"):
            terminal.press(key)
        empty = stack.enter_context(empty_program())
        pressed = press_in_turn([terminal, empty], _PLANS, setting.presses)
    yield from rows_of(pressed, 0, 1, f"{one.name}: {one.streams} lanes", 1.5)
    if setting.ten is not None:
        taken = _first_frame(setting.ten)
        yield Row(f"10x: {setting.ten.streams:,} lanes: first frame after the key", taken * 1000, "ms")


def _first_frame(subject: Subject) -> float:
    with show(subject) as terminal:
        return _to_flow(terminal, subject)


def _to_flow(terminal: Terminal, subject: Subject) -> float:
    """Seconds from the key to the frame that names the lanes and has drawn them."""
    since = terminal.mark()
    start = terminal.write(b"2")
    lanes = f"{subject.streams} lane"
    return terminal.wait_for(lambda text: lanes in text and text.count("┊") + text.count("─") > 100, since) - start
