"""Reading large landed files before they are asked for, in a thread, while the rounds are decoded.

Where a session is read for the first time its rounds come first, since they may name no file that landed after they were listed.
Meanwhile the other core has nothing to do, and a large file takes most of its time in the system. Only files of the main stream are
looked for, which has the large ones, and no more of them than ``_BYTES``: what is not taken soon would only take room.
"""

from __future__ import annotations

import os
import threading

from ..storage import Storage, is_plain_name, read_file

_LARGE = 1 << 20
_BYTES = 64 << 20
_MOST = 64


class ReadAhead:
    """The large files of a session's main stream, read once."""

    def __init__(self, storage: Storage, session: str) -> None:
        """Begin to read.

        Args:
            storage: the root.
            session: whose files.
        """
        self._folder = os.path.join(storage.path, session, "streams", "main") if is_plain_name(session) else ""
        self._sizes: dict[str, int] = {}
        self._read: dict[str, bytes] = {}
        self._ended: dict[str, threading.Event] = {}
        self._listed = threading.Event()
        threading.Thread(target=self._run, name="asz-ahead", daemon=True).start()

    def _run(self) -> None:
        try:
            self._sizes = self._large()
            self._ended = {path: threading.Event() for path in self._sizes}
        finally:
            self._listed.set()
        for path, ended in self._ended.items():
            try:
                self._read[path] = read_file(path)
            except (OSError, MemoryError):
                pass  # whoever needs it finds out why
            finally:
                ended.set()

    def _large(self) -> dict[str, int]:
        """The files that are read ahead, in the order of their names, which is that of their sequences."""
        try:
            with os.scandir(self._folder) as entries:
                names = sorted(entry.name for entry in entries)[:_MOST]
            sizes = {path: os.stat(path).st_size for name in names if (path := f"{self._folder}{os.sep}{name}").endswith(".sd")}
        except OSError:
            return {}
        left = _BYTES
        found = {}
        for path, size in sizes.items():
            if _LARGE <= size <= left:
                found[path] = size
                left -= size
        return found

    def take(self, path: str) -> bytes | None:
        """All bytes of a file that was read ahead, once; waited for where it is being read. None where there are none."""
        self._listed.wait()
        ended = self._ended.get(path)
        if ended is not None:
            ended.wait()
        return self._read.pop(path, None)
