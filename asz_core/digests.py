"""SHA-256 of a file, and of what stands before its last line, in one pass; a large file's is made beside the decoding.

Both formats end with a line that names the digest of everything before it, and chain by the digest of a whole file. A thread of
its own costs some 100 microseconds, and hashing needs no turn of the interpreter's.
"""

from __future__ import annotations

import hashlib
import threading

_LARGE = 1 << 19


class Digests:
    """The two digests of one file's bytes."""

    def __init__(self, data: bytes, end: int) -> None:
        """Begin to make them.

        Args:
            data: all bytes of the file.
            end: where its last line begins.
        """
        self._data = memoryview(data)
        self._end = end
        self._thread: threading.Thread | None = None
        if len(data) > _LARGE:
            self._thread = threading.Thread(target=self._compute, daemon=True)
            self._thread.start()
        else:
            self._compute()

    def _compute(self) -> None:
        hashed = hashlib.sha256(self._data[: self._end])
        self._before = hashed.hexdigest()
        hashed.update(self._data[self._end :])
        self._whole = hashed.hexdigest()

    def values(self) -> tuple[str, str]:
        """Digest of all bytes, and of those before the last line, in hexadecimal; waits until they are made."""
        if self._thread is not None:
            self._thread.join()
        return self._whole, self._before
