"""Measurements inside a process: each runs in a fresh Python of its own and tells what it found as JSON.

`ask("landing", root, conversation, 10)` runs `python -m tests.bench.probe landing ROOT ID 10`.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC
from pathlib import Path
from typing import Any

from .places import HERE
from .pty_run import environment


def ask(name: str, *args: object) -> Any:
    """Run a measurement of this module in a child."""
    with tempfile.TemporaryDirectory() as home:
        command = [sys.executable, "-m", "tests.bench.probe", name, *map(str, args)]
        return json.loads(subprocess.run(command, env=environment(home), cwd=HERE, stdout=subprocess.PIPE, check=True).stdout)


def _opened(root: str, conversation: str) -> Any:
    from asz_core import Root
    from asz_tui.session.opened import Opened

    return Opened(Root(root).load(conversation))


def about(root: str, conversation: str) -> dict[str, Any]:
    """What is there, and how its first talk begins."""
    opened = _opened(root, conversation)
    loaded = opened.conversation
    ref = opened.trees[0].nodes[0].ref
    record = loaded.record(ref.seq, ref.row)
    text = next((part.text for part in record.parts or () if part.text), "") if record else ""
    words = " ".join(text.split())[:24].strip()
    return {
        "first": words,
        "talks": opened.talk_count,
        "steps": opened.step_count,
        "streams": len(list(loaded.fold.of_kind("stream"))),
    }


class _Opens:
    """Counts which files below a root are opened for reading, and which of them were before."""

    def __init__(self, root: str) -> None:
        self.root, self.on = root, False
        self.before: set[str] = set()
        self.now: list[str] = []
        sys.addaudithook(self._hear)

    def _hear(self, event: str, args: tuple[Any, ...]) -> None:
        if self.on and event == "open" and isinstance(args[0], str) and args[0].startswith(self.root):
            self.now.append(args[0])

    def taken(self) -> list[str]:
        """The files of the last stretch that had been read before it."""
        again = [path for path in self.now if path in self.before]
        self.before.update(self.now)
        self.now = []
        return again


def landing(root: str, conversation: str, rounds: str) -> dict[str, Any]:
    """Rounds of 40 frames land one by one and are taken into the model: trees and rows, as the screen does it."""
    from asz_core import Root
    from asz_tui.screens.conversation.panes import PaneSet
    from asz_tui.session.opened import Opened

    from .growing import Growing, forty_frames

    opens = _Opens(root)
    opens.on = True
    opened = Opened(Root(root).load(conversation))
    panes = PaneSet(opened, UTC)
    panes.talks.set_all(True)
    opens.taken()
    opens.on = False
    grown = Growing.resume(Path(root), conversation)
    reading, updating, again = [], [], 0
    for number in range(int(rounds)):
        forty_frames(grown, f"landmark{number}")
        opens.on = True
        start = time.perf_counter()
        pending = opened.conversation.read_new()
        read = time.perf_counter()
        applied = opened.take(pending)
        panes.take(applied, "talks")
        done = time.perf_counter()
        opens.on = False
        assert applied.added, "nothing landed"
        reading.append(read - start)
        updating.append(done - read)
        again += len(opens.taken())
    return {"read": reading, "update": updating, "again": again}


def searching(root: str, conversation: str, *queries: str) -> dict[str, Any]:
    """Search for each query, in a conversation that was searched once already: seconds to the first hit and to the end, and hits."""
    from asz_tui.session.search import compile_query, run

    opened = _opened(root, conversation)
    first_time = _search(opened, "zzwarm", compile_query, run)
    return {"cold": first_time[1], "queries": {query: _search(opened, query, compile_query, run) for query in queries}}


def _search(opened: Any, query: str, compile_query: Callable[[str], Any], run: Callable[..., Any]) -> tuple[float, float, int]:
    found = compile_query(query)
    told: list[float] = []
    start = time.perf_counter()
    run(opened, found, lambda: False, lambda: told.append(time.perf_counter()) if found.ids and not told else None)
    done = time.perf_counter() - start
    return (told[0] - start if told else done), done, len(found.ids)


def listing(root: str) -> dict[str, Any]:
    """The list of a root as the home screen reads it first: bytes read, files opened, seconds."""
    from asz_core import Root

    from .proc import bytes_read

    opens = _Opens(root)
    opened = Root(root)
    opens.on = True
    before, start = bytes_read(), time.perf_counter()
    rows = []
    for name in opened.conversations():
        opened.storage.changed_ns(name)
        rows.append(opened.row(name))
    taken = time.perf_counter() - start
    return {"bytes": bytes_read() - before, "files": len(set(opens.now)), "seconds": taken, "rows": len(rows)}


def _main() -> None:
    measure: Callable[..., Any] = globals()[sys.argv[1]]
    print(json.dumps(measure(*sys.argv[2:])))


if __name__ == "__main__":
    _main()
