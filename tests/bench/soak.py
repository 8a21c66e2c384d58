"""A long time with a conversation that grows, and a long time with nothing to do."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from pathlib import Path

from . import proc
from .growing import Growing, forty_frames
from .places import LINUX
from .pty_run import Late, Terminal, explorer
from .setting import Setting
from .start import show, watch_start
from .table import Note, Row

_A_SECOND = 20
_WATCHED = 60
_IDLE = 10.0
_PATIENCE = 30.0


def measure(setting: Setting) -> Iterator[Row | Note]:
    """Rounds landed fast before an explorer that follows, then the idle list."""
    if not LINUX:
        yield Note("memory, handles and processor time are told by Linux only")
        return
    yield from _soak(setting)
    yield from _idle(setting)


def _soak(setting: Setting) -> Iterator[Row]:
    subject = setting.copy(setting.one)
    grown = Growing.resume(Path(subject.root), subject.conversation)
    with show(subject) as terminal:
        terminal.press(b"F")
        terminal.settle(2.0)
        pid = terminal.pid
        before = (proc.memory(pid), proc.handles(pid), proc.threads(pid), proc.seconds(pid))
        lag, took = _play(terminal, grown, setting.soak)
        terminal.settle(2.0)
        after = (proc.memory(pid), proc.handles(pid), proc.threads(pid), proc.seconds(pid))
    fresh = watch_start(subject).memory
    landed = grown.published / 1e6
    growth = after[0] - before[0]
    name = f"{setting.soak:,} rounds in {took:.0f} s"
    missed = "" if math.isfinite(lag) else "; not all rounds were taken, so this tells little"
    raw = f"{before[0]:.0f} to {after[0]:.0f} MB, {growth:.0f} MB for {landed:.0f} MB landed{missed}"
    yield Row(f"{name}: memory grown / data landed", growth / landed, "x", raw, 1.0)
    yield Row(f"{name}: memory / peak of a fresh start on the same", after[0] / fresh, "x", f"{after[0]:.0f} to {fresh:.0f} MB")
    yield Row(f"{name}: file handles more than before", float(after[1] - before[1]), "", f"{before[1]} to {after[1]}", 0.0)
    yield Row(f"{name}: threads more than before", float(after[2] - before[2]), "", f"{before[2]} to {after[2]}", 0.0)
    yield Row(f"{name}: from the last rename to the screen", lag, "s", "", 1.0)
    each = (after[3] - before[3]) / setting.soak
    yield Row(f"{name}: processor time a round", each * 1000, "ms", "rounds may be taken several at once")


def _play(terminal: Terminal, grown: Growing, rounds: int) -> tuple[float, float]:
    """Land rounds at an even pace; how long the last took to the screen (for ever, it may be), and all of them together."""
    start = time.perf_counter()
    since = 0
    for number in range(rounds):
        if number == rounds - 1:
            since = terminal.mark()
        forty_frames(grown, f"soaked{number:06d}")
        time.sleep(max(0.0, start + (number + 1) / _A_SECOND - time.perf_counter()) if number < rounds - 1 else 0)
    landed = time.perf_counter()
    try:
        shown = terminal.wait_for(f"soaked{rounds - 1:06d}", since, timeout=_PATIENCE)
    except Late:
        shown = float("inf")
    return shown - landed, landed - start


def _idle(setting: Setting) -> Iterator[Row]:
    with explorer(setting.many(_WATCHED)) as terminal:
        terminal.wait_for(f"{_WATCHED} conversations")
        terminal.settle(3.0)
        before, since = proc.seconds(terminal.pid), terminal.mark()
        time.sleep(_IDLE)
        used = proc.seconds(terminal.pid) - before
        share = 100 * used / _IDLE
        yield Row(f"idle on the list of {_WATCHED}, part of a core", share, "%", f"{used * 1000:.0f} ms in {_IDLE:.0f} s", 1.0)
        yield Row(f"idle on the list of {_WATCHED}, written in {_IDLE:.0f} s", float(terminal.size(since)), "B")
