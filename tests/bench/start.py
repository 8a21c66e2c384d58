"""From the start of the process to the first full frame of a conversation, against the import of Textual; and a very large one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from . import proc
from .floor import import_textual, side_by_side
from .places import LINUX
from .pty_run import Terminal, explorer
from .setting import Setting, Subject
from .table import Note, Row

_PROGRESS = ("reading the landed files", "reading the rounds")


@dataclass(slots=True)
class Seen:
    """What a start showed: seconds to the first talk, seconds to the first word of progress (None without), peak memory in MB."""

    seconds: float
    progress: float | None
    memory: float


def show(subject: Subject, *args: str, sync: bool = True) -> Terminal:
    """An explorer with the talks of a conversation on the screen."""
    terminal = explorer(subject.root, subject.conversation, *args, sync=sync)
    terminal.wait_for(subject.first, timeout=180)
    terminal.settle()
    return terminal


def watch_start(subject: Subject) -> Seen:
    """Start the explorer on a conversation once."""
    with explorer(subject.root, subject.conversation) as terminal:
        shown = terminal.wait_for(subject.first, timeout=180) - terminal.started
        progress = next((when - terminal.started for when, data in terminal.chunks() if _tells(data)), None)
        terminal.settle()
        return Seen(
            shown, progress if progress is not None and progress < shown else None, proc.peak(terminal.pid) if LINUX else 0.0
        )


def _tells(data: bytes) -> bool:
    return any(words.encode() in data for words in _PROGRESS)


def measure(setting: Setting) -> Iterator[Row | Note]:
    """The first frame at each size."""
    one = setting.one
    imported, shown = side_by_side(import_textual, lambda: watch_start(one).seconds)
    raw = f"{shown * 1000:.0f} ms to {imported * 1000:.0f} ms"
    yield Row(f"{one.name}: start to the first full frame / import textual.app", shown / imported, "x", raw, 4.0)
    if LINUX:
        yield Row(f"{one.name}: peak memory of the explorer", watch_start(one).memory, "MB")
    if setting.ten is None:
        return
    seen = watch_start(setting.ten)
    yield Row("10x: start to the first full frame", seen.seconds, "s", f"{seen.seconds / imported:.1f} x import textual.app", 10.0)
    raw = f"first said after {seen.progress * 1000:.0f} ms" if seen.progress is not None else "no progress was shown"
    yield Row("10x: starts without a word of progress", float(seen.progress is None), "", raw, 0.0)
    if LINUX:
        yield Row("10x: peak memory of the explorer, tree shown", seen.memory, "MB", "", 1_200.0)
        yield Row("10x: peak memory, unfolded, timeline, streams, search used", _used(setting.ten), "MB", "", 1_200.0)


def _used(subject: Subject) -> float:
    """The most memory in MB after the parts that hold something of their own were shown once."""
    with show(subject) as terminal:
        for key in (b"z", b"G", b"2", b"3", b"7", b"1", b"/"):
            terminal.press(key, timeout=2.0)
            proc.rest(terminal.pid)
        terminal.press(b"deadline\r")
        proc.rest(terminal.pid)
        return proc.peak(terminal.pid)
