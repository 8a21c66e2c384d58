"""What figures are held against: the least that a Python reader must do, the import of Textual, and an empty Textual program."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

from .places import HERE, LINUX
from .pty_run import Terminal, environment

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


def process(command: list[str]) -> tuple[float, float]:
    """Wall seconds of a whole process, and its peak memory in MB (0 where the system does not tell it)."""
    with tempfile.TemporaryDirectory() as home:
        start = time.perf_counter()
        child = subprocess.Popen(command, env=environment(home), cwd=HERE, stdout=subprocess.DEVNULL)
        memory = _wait(child)
        seconds = time.perf_counter() - start
    if child.returncode not in (0, 1):
        raise RuntimeError(f"{command} ended with {child.returncode}")
    return seconds, memory


def _wait(child: subprocess.Popen[bytes]) -> float:
    if not hasattr(os, "wait4"):
        child.wait()
        return 0.0
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_maxrss / (1024 if LINUX else 1 << 20)


def reading(root: str, conversation: str) -> float:
    """Seconds that a warmed process takes to read, digest and decode every line of a root, and to encode the document."""
    with tempfile.TemporaryDirectory() as home, tempfile.NamedTemporaryFile(suffix=".json") as file:
        command = [sys.executable, "-m", "asz_tui", "conversation", "-json", conversation, "--root", root]
        subprocess.run(command, env=environment(home), cwd=HERE, stdout=file, check=True)
        taken = subprocess.run([sys.executable, "-c", _FLOOR, root, file.name], capture_output=True, check=True)
    return float(taken.stdout)


def import_textual() -> float:
    """Seconds of a whole process that imports Textual's application."""
    return process([sys.executable, "-c", "import textual.app"])[0]


def empty_program() -> Terminal:
    """An empty Textual program on a terminal, shown."""
    terminal = Terminal([sys.executable, "-m", "tests.bench.empty_app"])
    terminal.wait_for("pressed 0 times")
    terminal.settle()
    return terminal


def side_by_side(*measures: Callable[[], float], times: int = 5) -> list[float]:
    """The least of several goes at each measure, taken in turn so that a busy moment does not fall upon one of them."""
    taken = [[measure() for measure in measures] for _ in range(times)]
    return [min(goes) for goes in zip(*taken, strict=True)]
