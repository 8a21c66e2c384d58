"""Long runs: a thousand rounds that land in an open explorer, sixty conversations that are watched, three thousand that are listed."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from . import commands
from .roots import next_round
from .table import Figure
from .terminal import explorer

_EVERY = 0.05


def rounds(root: Path, conversation: str, words: str, count: int) -> Iterator[Figure]:
    """Land rounds quickly on a conversation that is open and followed."""
    from asz_core import Root

    chain = Root(root).load(conversation).chain
    with explorer("--root", str(root), conversation) as program:
        program.wait_for(words)
        program.press("F")
        program.settle(2.0)
        for number in range(5):
            next_round(root, chain.fold, 300 + number)
            chain.refresh()
            program.settle(1.0)
        memory, handles, threads = program.memory()["VmRSS"], program.handles(), program.threads()
        landed = sum(path.stat().st_size for path in root.rglob("*.s[df]"))
        for number in range(count):
            next_round(root, chain.fold, 1000 + number)
            chain.refresh()
            program.listen(within=_EVERY, quiet=_EVERY)
        program.settle(6.0)
        landed = sum(path.stat().st_size for path in root.rglob("*.s[df]")) - landed
        grown = program.memory()["VmRSS"] - memory
        yield Figure(
            f"{count:,} rounds land: memory grown / data landed",
            grown / (landed / 1e6),
            "x",
            1.0,
            f"{grown:.0f} / {landed / 1e6:.0f} MB",
        )
        yield Figure(f"{count:,} rounds land: file handles more", max(0, program.handles() - handles), "", 0)
        yield Figure(f"{count:,} rounds land: threads more", max(0, program.threads() - threads), "", 0)


def idle(root: Path) -> Iterator[Figure]:
    """What watching costs when nothing happens."""
    with explorer("--root", str(root)) as program:
        program.wait_for("conversations")
        program.settle(5.0)
        start, used = time.perf_counter(), program.processor()
        program.listen(within=20.0, quiet=20.0)
        share = (program.processor() - used) / (time.perf_counter() - start)
        yield Figure("idle: share of a core, 60 conversations watched", share * 100, "%", 1.0)


def home(root: Path, newest: str) -> Iterator[Figure]:
    """The list of three thousand conversations."""
    measure = commands.textual_import()
    taken, read = [], 0
    for _ in range(3):
        with explorer("--root", str(root)) as program:
            taken.append(program.wait_for(newest))
            read = max(read, program.read_bytes())
    seconds = min(taken)
    yield Figure(
        "3,000 conversations: first frame / import textual.app",
        seconds / measure,
        "x",
        3.0,
        f"{seconds * 1000:.0f} / {measure * 1000:.0f} ms",
    )
    yield Figure("3,000 conversations: bytes read until then, modules too", read / 1e6, "MB")
