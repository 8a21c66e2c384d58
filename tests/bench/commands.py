"""The commands as whole processes, against the least that any Python reader must do with the same bytes."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from .table import Figure

_TIMES = 5
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


def environment(root: Path) -> dict[str, str]:
    """What a command is run with: as a person has it, compiled modules kept."""
    return {**{key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}, "ASZ_ROOT": str(root)}


def whole_process(arguments: list[str], env: dict[str, str], times: int = _TIMES) -> tuple[float, float]:
    """The least wall time in seconds of a process, and its peak memory in megabytes."""
    taken, peak = [], 0.0
    for _ in range(times):
        start = time.perf_counter()
        process = subprocess.Popen(arguments, env=env, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        taken.append(time.perf_counter() - start)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in (0, 1):
            raise RuntimeError(f"{arguments} ended with {process.returncode}")
        peak = max(peak, usage.ru_maxrss / 1024)
    return min(taken), peak


def textual_import() -> float:
    """Seconds of `python -c "import textual.app"`, the measure of everything that starts the explorer."""
    return whole_process([sys.executable, "-c", "import textual.app"], environment(Path()))[0]


def figures(root: Path, conversation: str) -> Iterator[Figure]:
    """The document as JSON and YAML, and the verification of the whole root."""
    env = environment(root)
    asz = [sys.executable, "-m", "asz_tui"]
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        file.write(subprocess.run([*asz, "conversation", "-json", conversation], env=env, capture_output=True, check=True).stdout)
        file.flush()

        def floor() -> float:
            done = subprocess.run([sys.executable, "-c", _FLOOR, str(root), file.name], capture_output=True, check=True)
            return float(done.stdout)

        yield Figure("the floor: read, digest, decode, encode", floor() * 1000, "ms")
        for name, arguments, most, memory in (
            ("conversation -json", ["conversation", "-json", conversation], 2.7, 200),
            ("conversation -yaml", ["conversation", "-yaml", conversation], 4.8, 280),
            ("verify", ["verify"], 2.5, None),
        ):
            least = floor()
            seconds, peak = whole_process([*asz, *arguments], env)
            least = min(least, floor())
            yield Figure(
                f"{name}, whole process / floor", seconds / least, "x", most, f"{seconds * 1000:.0f} / {least * 1000:.0f} ms"
            )
            yield Figure(f"{name}, peak memory", peak, "MB", memory)
