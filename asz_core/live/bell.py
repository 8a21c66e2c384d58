"""Native file system events of a source directory, as a doorbell only: which session to look at, and nothing else is believed.

One recursive watch; where the system has none to give, or a network file system makes no events, the polls find what was written.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from typing import Any, cast

from ..collect import is_session


class Bell:
    """The events of one source root; `ring` is called in a thread of watchdog's."""

    def __init__(self, source_root: str, ring: Callable[[str], None]) -> None:
        """
        Args:
            source_root: the directory.
            ring: called with the id of a session that something happened to, or with an empty text for the whole directory.
        """
        self._base = os.path.realpath(source_root)
        self._ring = ring
        self._observer: Any = None

    @property
    def alive(self) -> bool:
        """Whether events can arrive."""
        observer = self._observer
        return observer is not None and observer.is_alive() and all(each.is_alive() for each in observer.emitters)

    def start(self) -> None:
        """Begin to watch; does nothing where that cannot be done."""
        self.stop()
        try:
            from watchdog import events
            from watchdog.observers import Observer

            observer = self._observer = Observer()
            wanted = [events.FileModifiedEvent, events.FileCreatedEvent, events.FileMovedEvent, events.DirCreatedEvent]
            observer.schedule(cast(Any, _Handler(self._on_event)), self._base, recursive=True, event_filter=wanted)
            observer.start()
        except Exception:  # any fault of the extra must leave the polls running
            self.stop()

    def _on_event(self, event: Any) -> None:
        for path in (event.src_path, event.dest_path):
            parts = os.fsdecode(path)[len(self._base) + 1 :].split(os.sep) if path else []
            if len(parts) > 1:
                self._ring(parts[1][:36] if is_session(parts[1][:36]) else "")
            elif parts:
                self._ring("")

    def stop(self) -> None:
        """Stop watching."""
        observer, self._observer = self._observer, None
        if observer is not None:
            with contextlib.suppress(Exception):
                observer.stop()
            with contextlib.suppress(RuntimeError):  # never started
                observer.join(timeout=1.0)


class _Handler:
    """What watchdog calls for each event."""

    def __init__(self, ring: Callable[[Any], None]) -> None:
        self.dispatch = ring
