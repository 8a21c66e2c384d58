"""The newest part of a session as a storage root of its own, for whoever does not want to wait until all of it is collected.

The end of the main transcript, from a person's question on where there is one, and the child agents that were at work since, are
put beside as a source directory of the same shape, collected and assembled. What it shows is true, and not all: talks before it are
missing, and a call may stand there without the question before it. Costs the few megabytes that are taken, however long a session.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable
from pathlib import Path

from ..assemble import assemble_session
from ..collect import Collector, Source
from ..storage import open_without_waiting
from ..times import parse_ns
from ..writing import make_folders
from .places import MODES
from .sessions import BLOCK, landing, naming_line, question_of

TAIL = 3 << 20
"""Bytes of the main transcript that are looked at."""
_CHILDREN = 3 << 20
_FOLDER = "previews"


def folder_of(root: Path) -> Path:
    """Where the previews of this process stand: beside the root that the whole is collected into."""
    return root.parent / _FOLDER / str(os.getpid())


def clear(root: Path) -> None:
    """Remove the previews of this process, and of those that have ended."""
    with contextlib.suppress(OSError):
        for name in os.listdir(root.parent / _FOLDER):
            if name == str(os.getpid()) or not _is_alive(name):
                shutil.rmtree(root.parent / _FOLDER / name, ignore_errors=True)


def _is_alive(name: str) -> bool:
    try:
        os.kill(int(name), 0)
    except (ValueError, ProcessLookupError):
        return False
    except OSError:
        return True
    return True


def make_preview(source_root: str, root: Path, session: str, sources: list[Source], clock: Callable[[], int]) -> Path | None:
    """Make the preview of a session.

    Args:
        source_root: where the sources are.
        root: the storage root that the whole is collected into.
        session: its id.
        sources: its sources, in order.
        clock: the time in nanoseconds.

    Returns:
        The preview's storage root; None when nothing of the session can be shown.

    Raises:
        OSError: when it cannot be written.
    """
    main = next((source for source in sources if source.stream == "main"), None)
    lines = _newest_lines(source_root, main) if main is not None else []
    if main is None or not lines:
        return None
    base = folder_of(root) / session
    shutil.rmtree(base, ignore_errors=True)
    small = base / "source"
    _write(small / main.rel, b"".join(lines))
    for source in _children(source_root, sources, _time_of(lines, main)):
        with contextlib.suppress(OSError), open(f"{source_root}/{source.rel}", "rb", opener=open_without_waiting) as file:
            _write(small / source.rel, file.read(_CHILDREN))
    Collector(small, base / "root", modes=MODES, clock=clock, foreign=True).collect_pass()
    outcome = assemble_session(base / "root", session, modes=MODES, infer=True)
    return base / "root" if outcome.rounds else None


def _newest_lines(source_root: str, main: Source) -> list[bytes]:
    """The last whole lines of a transcript, from a person's question on where there is one, and what names it before them.

    Each with its newline; none when it cannot be read.
    """
    try:
        with open(f"{source_root}/{main.rel}", "rb", buffering=0, opener=open_without_waiting) as file:
            size = os.fstat(file.fileno()).st_size
            block = os.pread(file.fileno(), TAIL, max(0, size - TAIL))
            head = os.pread(file.fileno(), BLOCK, 0) if size > TAIL else b""
    except OSError:
        return []
    lines = block[: block.rfind(b"\n") + 1].splitlines(keepends=True)
    if size > TAIL:
        lines = lines[1:]
    name = naming_line(head.split(b"\n")[:-1], main)
    return [name + b"\n" if name else b"", *_from_a_question(lines, main)]


def _from_a_question(lines: list[bytes], main: Source) -> list[bytes]:
    for at, line in enumerate(lines):
        if b'"user"' in line:
            record = landing(line.rstrip(b"\n"), main)
            if record is not None and question_of(record):
                return lines[at:]
    return lines


def _time_of(lines: list[bytes], main: Source) -> float:
    """When the first line that tells was written, in seconds; 0 when none does."""
    for line in lines:
        record = landing(line.rstrip(b"\n"), main)
        ns = parse_ns(record.time) if record is not None and record.time else 0
        if ns:
            return ns / 1e9
    return 0.0


def _children(source_root: str, sources: list[Source], since: float) -> list[Source]:
    """The other sources that were written to since, newest first, as many as are no larger together than is sensible."""
    found = []
    for source in sources:
        if source.stream != "main":
            with contextlib.suppress(OSError):
                stat = os.stat(f"{source_root}/{source.rel}")
                if stat.st_mtime >= since:
                    found.append((stat.st_mtime, stat.st_size, source))
    found.sort(key=lambda one: (-one[0], one[2].rel))
    left, taken = _CHILDREN, []
    for _, size, source in found:
        if size <= left:
            left -= size
            taken.append(source)
    return taken


def _write(path: Path, data: bytes) -> None:
    make_folders(os.fspath(path.parent), MODES.folder)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, MODES.other)
    with open(handle, "wb") as file:
        file.write(data)
