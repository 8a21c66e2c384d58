"""The table: each figure a ratio to something measured in the same run, since machines are noisy.

`python -m tests.bench` makes a root of about 18,000 steps in a temporary folder; `python -m tests.bench ROOT ID` measures a given one.
"""

from __future__ import annotations

import gc
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from .roots import BIG, large_root

_RUNS = 5
_FLOOR = """
import gc, hashlib, sys, time
from pathlib import Path
import orjson
gc.disable()
files = [p for p in Path(sys.argv[1]).rglob("*.s[df]")]
document = orjson.loads(Path(sys.argv[2]).read_bytes())
def once():
    start = time.perf_counter()
    kept = []
    for path in files:
        data = path.read_bytes()
        hashlib.sha256(data).digest()
        kept += [orjson.loads(line) for line in data.splitlines()]
    orjson.dumps(document, option=orjson.OPT_INDENT_2)
    return time.perf_counter() - start
once()
print(min(once() for _ in range(3)))
"""


def _seconds(command: list[str], env: dict[str, str]) -> tuple[float, float]:
    """Wall seconds of a whole process, and its peak memory in MB."""
    start = time.perf_counter()
    process = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode in (0, 1), command
    return time.perf_counter() - start, usage.ru_maxrss / 1024


def _best(measure: Callable[[], tuple[float, float]]) -> tuple[float, float]:
    taken = [measure() for _ in range(_RUNS)]
    return min(seconds for seconds, _ in taken), max(memory for _, memory in taken)


def _row(what: str, value: str, target: str) -> None:
    print(f"{what:<52} {value:>22}   {target}", flush=True)


def commands(root: Path, conversation: str) -> None:
    """The commands against the least that any Python reader must do."""
    env = {**os.environ, "ASZ_ROOT": str(root)}
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    asz = [sys.executable, "-m", "asz_tui"]
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        file.write(subprocess.run([*asz, "conversation", "-json", conversation], env=env, capture_output=True, check=True).stdout)
        file.flush()
        floor = float(subprocess.run([sys.executable, "-c", _FLOOR, str(root), file.name], capture_output=True, check=True).stdout)
    _row("the floor (read, digest, decode, encode)", f"{floor * 1000:.0f} ms", "")
    for name, args, target in (
        ("conversation -json", ["conversation", "-json", conversation], "<= 2.7 x, 200 MB"),
        ("conversation -yaml", ["conversation", "-yaml", conversation], "<= 4.8 x, 280 MB"),
        ("verify", ["verify"], "<= 2.5 x"),
    ):
        seconds, memory = _best(lambda args=args: _seconds([*asz, *args], env))
        _row(name, f"{seconds / floor:.2f} x, {memory:.0f} MB", target)


def model(root: Path, conversation: str) -> None:
    """Opening, folding, and a round that lands, in this process."""
    from datetime import UTC

    from asz_core import Root
    from asz_tui.panes.talks_rows import TalksRows
    from asz_tui.session import Opened

    from .roots import next_round

    start = time.perf_counter()
    loaded = Root(root).load(conversation)
    opened = Opened(loaded)
    rows = TalksRows(opened, UTC)
    _row("load, trees and rows", f"{(time.perf_counter() - start) * 1000:.0f} ms", "")
    start = time.perf_counter()
    rows.set_all(True)
    _row(f"unfold all {len(rows):,} rows", f"{(time.perf_counter() - start) * 1000:.1f} ms", "")
    taken = []
    for number in range(10):
        next_round(root, loaded, number)
        pending = loaded.read_new()
        start = time.perf_counter()
        applied = opened.take(pending)
        rows.reload(applied.roots)
        taken.append(time.perf_counter() - start)
    _row("a 40-frame round lands: model updated", f"{sorted(taken)[5] * 1000:.1f} ms", "<= 20 ms")


def main() -> None:
    """Measure."""
    gc.collect()
    if len(sys.argv) == 3:
        commands(Path(sys.argv[1]), sys.argv[2])
        return
    with tempfile.TemporaryDirectory() as folder:
        for scale in (1, 10):
            root = Path(folder) / f"{scale}x"
            conversation = large_root(root, BIG * scale)
            print(f"\n{BIG * scale:,} steps")
            commands(root, conversation)
            model(root, conversation)
    print(f"\npeak memory of this process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
