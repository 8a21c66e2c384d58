"""`asz-tui demo [--live]`: the explorer on the bundled sample, at rest or growing in a temporary root."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType

from ...demo import sample_root
from ..parser import Parsed
from .explore import open_explorer, require_terminal

_EVERY = 3.0


def run(parsed: Parsed) -> int:
    """Open the explorer on the sample."""
    require_terminal()
    if not parsed["live"]:
        return open_explorer(parsed, sample_root(), demo=True)
    from ...demo.live import LivePublisher

    with (
        _ended_by_signals(),
        TemporaryDirectory(prefix="asz-tui-demo-") as folder,
        LivePublisher(Path(folder), _EVERY) as publisher,
    ):
        return open_explorer(parsed, Path(folder), publisher.conversation, demo=True)


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """Turn a closed terminal and a polite kill into an exit, so that the temporary root is removed then, too."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, _exit) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _exit(number: int, frame: FrameType | None) -> None:
    sys.exit(128 + number)
