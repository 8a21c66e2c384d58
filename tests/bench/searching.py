"""Search through all texts of a conversation: its first hit, all of them, and whether a key waits meanwhile."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from .table import Figure
from .terminal import explorer

_QUERY = "deadline"


def figures(root: Path, conversation: str, words: str) -> Iterator[Figure]:
    """A search in this process, and keys pressed while one runs on a terminal."""
    from asz_core import Root
    from asz_tui.session import Opened
    from asz_tui.session.search import compile_query, run

    opened = Opened(Root(root).load(conversation))
    firsts, wholes, hits = [], [], 0
    for query in (_QUERY, "the", "timeline"):
        found = compile_query(query)
        told: list[float] = []
        start = time.perf_counter()
        run(opened, found, lambda: False, lambda told=told: told.append(time.perf_counter()))  # type: ignore[misc]
        wholes.append(time.perf_counter() - start)
        firsts.append(told[0] - start if told else wholes[-1])
        hits += len(found.ids)
    yield Figure("search of all text: first hit, most", max(firsts) * 1000, "ms", 100, f"{hits:,} hits of three queries")
    yield Figure("search of all text: all, most", max(wholes) * 1000, "ms", 500)
    with explorer("--root", str(root), conversation) as program:
        program.wait_for(words)
        program.settle(2.0)
        program.press("/")
        waits = [program.press(letter, within=0.5, quiet=0.005).first for letter in _QUERY]
        yield Figure("search: longest wait of a letter typed into it", max(waits) * 1000, "ms", 100)
