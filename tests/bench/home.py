"""The list of 3,000 conversations: when it is on the screen, and what is read for it."""

from __future__ import annotations

from collections.abc import Iterator

from . import probe, proc
from .floor import import_textual, side_by_side
from .places import LINUX
from .pty_run import explorer
from .setting import MANY, Setting
from .table import Note, Row

_TITLE = "small conversation"
_A_SCREEN = 30


def measure(setting: Setting) -> Iterator[Row | Note]:
    """Start on the list, against the import of Textual."""
    if setting.given:
        yield Note("a given root has the conversations that it has; `--only home` without one measures 3,000")
        return
    root = setting.many()

    def first_frame() -> float:
        with explorer(root) as terminal:
            return terminal.wait_for(lambda text: text.count(_TITLE) >= _A_SCREEN) - terminal.started

    imported, shown = side_by_side(import_textual, first_frame)
    raw = f"{shown * 1000:.0f} ms to {imported * 1000:.0f} ms"
    yield Row(f"{MANY:,} conversations: first full frame / import textual.app", shown / imported, "x", raw, 3.0)
    with explorer(root) as terminal:
        counted = terminal.wait_for(f"{MANY:,} conversations") - terminal.started
        yield Row(f"{MANY:,} conversations: all listed / import textual.app", counted / imported, "x", f"{counted * 1000:.0f} ms")
        if LINUX:
            proc.rest(terminal.pid)
            read = proc.bytes_read(terminal.pid) / 1e6
            yield Row("read by the process until all were verified in the background", read, "MB", "modules included")
            yield Row("peak memory of the explorer", proc.peak(terminal.pid), "MB")
    if LINUX:
        told = probe.ask("listing", root)
        raw = f"{told['files']:,} files opened, {told['bytes'] / told['rows']:,.0f} bytes each, in {told['seconds'] * 1000:.0f} ms"
        yield Row("read from the storage for the list", told["bytes"] / 1e6, "MB", raw)
    else:
        yield Note("bytes read are told by Linux only")
