"""The commands that print a whole document or check a root, against the least that any Python reader must do."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from .floor import process, reading
from .setting import Setting, Subject
from .table import Note, Row

_GOES = 5
_COMMANDS = (
    ("conversation -json", ("conversation", "-json"), 2.7, 200.0),
    ("conversation -yaml", ("conversation", "-yaml"), 4.8, 280.0),
    ("verify", ("verify",), 2.5, None),
)


def measure(setting: Setting) -> Iterator[Row | Note]:
    """JSON, YAML and verification, whole processes; a document of ten times the size is told without a target."""
    for subject in setting.sizes:
        yield from _of(subject, targets=subject is setting.one)


def _of(subject: Subject, *, targets: bool) -> Iterator[Row]:
    floor = reading(str(subject.root), subject.conversation)
    yield Row(f"{subject.name}: the floor (read, digest, decode, encode)", floor * 1000, "ms")
    for name, args, times, most in _COMMANDS:
        command = [sys.executable, "-m", "asz_tui", *args, "--root", str(subject.root)]
        if name != "verify":
            command.append(subject.conversation)
        goes = [process(command) for _ in range(_GOES if targets else 2)]
        seconds, memory = min(go[0] for go in goes), max(go[1] for go in goes)
        yield Row(f"{subject.name}: {name}", seconds / floor, "x", f"{seconds * 1000:.0f} ms", times if targets else None)
        if memory:
            yield Row(f"{subject.name}: {name}, peak memory", memory, "MB", "", most if targets else None)
