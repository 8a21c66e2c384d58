"""A round that lands: in the model, on the screen, on the wire; and what is read again for it."""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Iterator
from datetime import UTC
from pathlib import Path

from .roots import next_round
from .table import Figure
from .terminal import explorer

_ROUNDS = 15


def model(root: Path, conversation: str) -> tuple[float, set[str]]:
    """Land rounds on a conversation that is open in this process.

    Returns:
        The middle one of the seconds that taking one in took, and the files that were opened though they had been read before.
    """
    from asz_core import Root
    from asz_tui.panes.talks_rows import TalksRows
    from asz_tui.session import Opened

    loaded = Root(root).load(conversation)
    opened = Opened(loaded)
    rows = TalksRows(opened, UTC)
    rows.set_all(True)
    before = {str(path) for path in root.rglob("*.s[df]")}
    reread: set[str] = set()
    listening = False

    def hear(event: str, arguments: tuple[object, ...]) -> None:
        if listening and event == "open" and str(arguments[0]) in before:
            reread.add(str(arguments[0]))

    sys.addaudithook(hear)
    taken = []
    for number in range(_ROUNDS):
        next_round(root, loaded.fold, number)
        listening = True
        pending = loaded.read_new()
        start = time.perf_counter()
        applied = opened.take(pending)
        rows.reload(applied.roots)
        taken.append(time.perf_counter() - start)
        listening = False
    return statistics.median(taken), reread


def figures(small: tuple[float, set[str]], large: tuple[float, set[str]]) -> Iterator[Figure]:
    """The model at both sizes."""
    yield Figure("a 40-frame round lands: model, 1x", small[0] * 1000, "ms", 20)
    yield Figure("a 40-frame round lands: model, 10x", large[0] * 1000, "ms", 20)
    yield Figure("a 40-frame round lands: 10x / 1x", large[0] / small[0], "x", 1.3)
    yield Figure("files read again when rounds land", len(small[1] | large[1]), "files", 0)


def on_the_screen(root: Path, conversation: str, words: str) -> Iterator[Figure]:
    """From the rename of a round to the screen, with the newest step followed; and the bytes of one that lands out of view."""
    from asz_core import Root

    fold = Root(root).load(conversation).chain
    with explorer("--root", str(root), conversation) as program:
        program.wait_for(words)
        program.settle(2.0)
        sizes = []
        for number in range(100, 103):
            next_round(root, fold.fold, number)
            fold.refresh()
            sizes.append(program.listen(within=3.0, quiet=0.6).size)
            program.settle(6.0)
        yield Figure("bytes: a round lands out of view, most", max(sizes), "B", 1500)
        program.press("F")
        program.settle()
        taken = []
        for number in range(200, 205):
            next_round(root, fold.fold, number)
            fold.refresh()
            taken.append(program.listen(within=5.0, quiet=0.4).first or 9.9)
            program.settle()
        yield Figure("a round lands: on the screen after the rename, most", max(taken) * 1000, "ms", 1000)
