"""Collecting and assembling, and `asz-tui live` on what was never collected: large, many, growing, and at rest.

The sources are made by the writer that the tests use, in the shape of the runtime's transcripts.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from asz_core.assemble import Assembler
from asz_core.collect import Collector
from asz_core.live import LiveProcess, Told
from tests.claude import Writer, session_id

from . import proc
from .floor import process
from .places import LINUX
from .pty_run import Terminal
from .setting import Setting
from .table import Note, Row, percentile

_MANY, _UNCHANGED = 150, 1_000
_BULK = 5_200
"""Characters of a tool's result, which make transcripts of some 3 kB a record."""


def measure(setting: Setting) -> Iterator[Row | Note]:
    """Every figure of the issue; none depends on a given root."""
    yield from _commands(setting)
    yield from _passes(setting)
    yield from _first_screens(setting)
    if LINUX:
        yield from _growing(setting)


def _source(setting: Setting, name: str, megabytes: int, sessions: int = 1, bulk: int = _BULK) -> Path:
    path = setting.keep / f"claude-{name}"
    if not (path / "made").exists():
        for number in range(sessions):
            writer = Writer(path / "projects", session_id(number + 1), f"/srv/project-{number % 12}", seed=number, bulk=bulk)
            writer.write((megabytes << 20) // sessions, f"session {number + 1}")
            when = time.time() - 3_600 * (number + 1)
            os.utime(writer.path, (when, when))
        (path / "made").touch()
    return path / "projects"


def _root(setting: Setting, name: str) -> Path:
    return setting.folder / f"{name}-{next(setting._numbers)}"


def _command(*words: object) -> list[str]:
    return [sys.executable, "-m", "asz_tui", *map(str, words)]


def _commands(setting: Setting) -> Iterator[Row]:
    """Landing and assembling whole sessions; the original's seconds are those that the issue names."""
    for megabytes, landing, assembling, limit in ((32, 0.8, 0.5, None), (160, 4.2, 10.9, 1.0)):
        source, root = _source(setting, f"{megabytes}", megabytes), _root(setting, "collected")
        seconds, memory = 0.0, 0.0
        for _ in range(2):  # no more than 65 files of one source land in one pass
            taken, peak = process(_command("collect", "--once", "--no-assemble", "--source", source, "--root", root))
            seconds, memory = seconds + taken, max(memory, peak)
        yield Row(f"land {megabytes} MB / the original", seconds / landing, "x", f"{seconds:.2f} s, {memory:.0f} MB", 3.0)
        seconds, memory = process(_command("assemble", "--root", root))
        yield Row(f"assemble {megabytes} MB / the original", seconds / assembling, "x", f"{seconds:.2f} s, {memory:.0f} MB", limit)


def _passes(setting: Setting) -> Iterator[Row]:
    """A pass over sessions that did not change, and assembling after an append to a long one."""
    source, root = _root(setting, "passes"), _root(setting, "landed")
    writer = Writer(source, session_id(1), "/srv/shop", bulk=1200).write(22 << 20, "growing")
    for number in range(_UNCHANGED):
        other = Writer(source, session_id(number + 2), f"/srv/project-{number % 12}", seed=number).write(4_000)
        os.utime(other.path, (time.time() - 86_400, time.time() - 86_400))
    collector = Collector(source, root)
    collector.collect_pass()
    assembler = Assembler(root, writer.session)
    assembler.assemble()
    passes = [_timed(collector.collect_pass) for _ in range(5)]
    yield Row(f"a pass over {_UNCHANGED:,} unchanged sessions", min(passes) * 1000, "ms", "", 50.0)
    taken = []
    for _ in range(10):
        writer.append(*writer.talk(1))
        collector.collect_pass()
        taken.append(_timed(assembler.assemble))
    yield Row(f"assembling after an append to {writer.lines:,} records, p95", percentile(taken) * 1000, "ms", "", 250.0)


def _timed(what: Callable[[], object]) -> float:
    start = time.perf_counter()
    what()
    return time.perf_counter() - start


def _live(setting: Setting, source: Path, *words: str) -> Terminal:
    os.environ["XDG_DATA_HOME"] = str(_root(setting, "data"))
    return Terminal(_command("live", "--source", source, *words))


def _first_screens(setting: Setting) -> Iterator[Row]:
    """What a person waits for when nothing was collected before."""
    with _live(setting, _source(setting, "many", 300, _MANY, 1500)) as terminal:
        shown = terminal.wait_for("session 2") - terminal.started
        yield Row(f"the list of {_MANY} sessions of 300 MB, never collected", shown, "s", "", 1.5)
    for megabytes, limit in ((21, 3.0), (150, 3.0)):
        source = _source(setting, f"{megabytes}", megabytes)
        with _live(setting, source, session_id(1)[:8]) as terminal:
            shown = terminal.wait_for("please look at") - terminal.started
            yield Row(f"the newest talks of a session of {megabytes} MB, never collected", shown, "s", "", limit)


class _Kept:
    """A keeper's process and what it told last."""

    def __init__(self, source: Path, root: Path) -> None:
        self.last = Told()
        self.process = LiveProcess(str(source), root, self._hear).start()

    def _hear(self, told: Told) -> None:
        if told.progress is not None:
            self.last = told

    def wait(self) -> None:
        """Wait until everything is collected."""
        while self.last.progress is None or self.last.progress.behind or not self.last.progress.sessions:
            time.sleep(0.05)


def _growing(setting: Setting) -> Iterator[Row]:
    """A session of 20,000 records that is appended to beside a thousand that are not."""
    source, root = _root(setting, "growing"), _root(setting, "kept") / "root"
    writer = Writer(source, session_id(1), "/srv/shop", bulk=1200).write(22 << 20, "growing")
    for number in range(_UNCHANGED):
        other = Writer(source, session_id(number + 2), f"/srv/project-{number % 12}", seed=number).write(4_000)
        os.utime(other.path, (time.time() - 86_400, time.time() - 86_400))
    kept = _Kept(source, root)
    try:
        kept.wait()
        kept.process.want(writer.session)
        time.sleep(3)
        child = kept.process._process
        assert child is not None
        before, start = proc.seconds(child.pid), time.perf_counter()
        time.sleep(15)
        share = (proc.seconds(child.pid) - before) / (time.perf_counter() - start) * 100
        yield Row(f"at rest with {_UNCHANGED:,} sessions, of a core", share, "%", "", 1.0)
        rounds = root / "_conversations" / writer.session / "rounds"
        taken = []
        for _ in range(10):
            have, lines = len(os.listdir(rounds)), list(writer.talk(1))
            start = time.perf_counter()
            writer.append(*lines)
            while len(os.listdir(rounds)) == have:
                time.sleep(0.002)
            taken.append(time.perf_counter() - start)
            time.sleep(0.5)
        raw = f"{writer.lines:,} records; most {max(taken) * 1000:.0f} ms"
        yield Row("from a line's end to its round, p95", percentile(taken), "s", raw, 2.0)
        yield Row("peak memory of the collector", proc.peak(child.pid), "MB")
    finally:
        kept.process.stop()
