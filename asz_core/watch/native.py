"""Native file system events, as a doorbell only.

Owns: the watchdog observer. An event is turned into "look at this conversation" or "look at the root" and nothing else
of it is believed.

Two watches, not one a directory and not one on the whole root. watchdog starts a thread a watch, so one a directory
would be thousands of threads. One recursive watch on the root would walk and hold every directory of it, the other
programs' `index/` and `_provider/` too, and wake for each of their files. So: the root itself, not recursive, for
sessions and `_conversations` that come and go; and `_conversations`, recursive, which is two inotify watches a
conversation. Landed files are left to the poll, which sees them in time (`tree.Session`).

Only creations, moves and removals are asked for; the kernel drops writes, reads and our own listings.
"""

from __future__ import annotations

import contextlib
import errno
import logging
import os
import warnings
from collections.abc import Callable
from typing import Any

from asz_core.watch.folder import is_round
from asz_core.watch.tree import CONVERSATIONS

# watchdog logs when an event queue runs over, and warns when a new directory is watched twice (its own race, harmless).
# Python would print both to stderr, across the screen.
logging.getLogger("watchdog").addHandler(logging.NullHandler())
warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"watchdog\.")

_WORDS = {
    errno.ENOSPC: "the limit of inotify watches is reached (fs.inotify.max_user_watches)",
    errno.EMFILE: "the limit of inotify instances or open files is reached (fs.inotify.max_user_instances)",
    errno.ENFILE: "the limit of open files is reached",
}
# kqueue holds a file handle a file; watchdog's own polling lists everything each second.
_WORSE_THAN_POLLING = ("kqueue", "polling")


class _Handler:
    """What watchdog calls for each event of one watch."""

    def __init__(self, ring: Callable[[Any], None]) -> None:
        self.dispatch = ring


class Native:
    """The events of one root. Used by the watcher's thread only; `ring` is called by watchdog's."""

    def __init__(self, ring: Callable[[str | None], None]) -> None:
        """
        Args:
            ring: called with the id of a conversation to look at, or with None for the root.
        """
        self._ring = ring
        self._observer: Any = None
        self._base = ""

    @property
    def alive(self) -> bool:
        """Whether events can arrive. An emitter ends when its directory goes, or when it fails."""
        observer = self._observer
        return observer is not None and observer.is_alive() and all(each.is_alive() for each in observer.emitters)

    def arm(self, root: str) -> str:
        """Starts watching; what was watched before is let go.

        Args:
            root: the storage root, which may be a link.

        Returns:
            Empty, or why there are no events: then nothing is left running.
        """
        self.disarm()
        try:
            self._observer = self._observe(os.path.realpath(root))
        except Exception as fault:  # any fault of the extra must leave the poll running
            self.disarm()
            words = _WORDS.get(getattr(fault, "errno", None) or 0) or str(fault) or type(fault).__name__
            return f"no file events, polling: {words}"
        return ""

    def _observe(self, root: str) -> Any:
        from watchdog.observers import Observer

        if Observer.__module__.rpartition(".")[2] in _WORSE_THAN_POLLING:
            raise OSError(errno.ENOTSUP, "this system has none that suit")
        observer = self._observer = Observer()  # its inotify handle is open from here on: `disarm` closes it
        self._schedule(observer, root, self._on_root, recursive=False)
        self._base = os.path.realpath(os.path.join(root, CONVERSATIONS))
        if os.path.isdir(self._base):
            self._schedule(observer, self._base, self._on_conversations, recursive=True)
        observer.start()
        return observer

    def _schedule(self, observer: Any, path: str, on_event: Callable[[Any], None], *, recursive: bool) -> None:
        from watchdog import events

        wanted = [
            events.FileMovedEvent,
            events.FileCreatedEvent,
            events.FileDeletedEvent,
            events.DirMovedEvent,
            events.DirCreatedEvent,
            events.DirDeletedEvent,
        ]
        observer.schedule(_Handler(on_event), path, recursive=recursive, event_filter=wanted)

    def disarm(self) -> None:
        """Stops watching, joins watchdog's threads and closes its handles."""
        observer, self._observer = self._observer, None
        if observer is None:
            return
        with contextlib.suppress(Exception):
            observer.stop()
        with contextlib.suppress(RuntimeError):  # never started
            observer.join(timeout=2.0)

    def _on_root(self, event: Any) -> None:
        if event.is_directory:
            self._ring(None)

    def _on_conversations(self, event: Any) -> None:
        for path in (event.src_path, event.dest_path):
            parts = os.fsdecode(path)[len(self._base) + 1 :].split(os.sep) if path else []
            if event.is_directory and len(parts) == 1:
                self._ring(None)
            if parts and parts[0] and self._concerns_rounds(event, parts):
                self._ring(parts[0])

    @staticmethod
    def _concerns_rounds(event: Any, parts: list[str]) -> bool:
        if event.is_directory:
            return len(parts) <= 2
        return len(parts) == 3 and parts[1] == "rounds" and is_round(parts[2])
