"""Writing a file so that it is there whole or not at all (the collecting specification, §9.5), and the lock of a session (§9.1)."""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
from dataclasses import dataclass

_TRIES = 100


@dataclass(frozen=True, slots=True)
class Modes:
    """How things are written: the modes of directories, landed files and others, and whether it is waited for the disk.

    Without ``durable`` a file is still there whole or not at all after a kill, but perhaps not after a loss of power; that is for
    a root that can be made anew, and several times as fast where there are many small files.
    """

    folder: int = 0o755
    landed: int = 0o444
    other: int = 0o644
    durable: bool = True


SHARED = Modes()
"""As the specification has them."""
PRIVATE = Modes(0o700, 0o400, 0o600)
"""For a root that nobody else is to read."""


def write_whole(path: str, data: bytes, mode: int, modes: Modes) -> None:
    """Write a file under a temporary name beside its place, make it durable, and rename it into its place.

    Args:
        path: where it is to stand; what stands there is replaced.
        data: its bytes.
        mode: its mode.
        modes: those of directories that are missing, and whether to wait for the disk.

    Raises:
        OSError: when that cannot be done; nothing is left behind then.
    """
    folder = os.path.dirname(path)
    handle, temporary = _temporary(folder, modes.folder)
    try:
        try:
            view = memoryview(data)
            while view:
                view = view[os.write(handle, view) :]
            if modes.durable:
                os.fsync(handle)
        finally:
            os.close(handle)
        os.chmod(temporary, mode)
        os.rename(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    if modes.durable:
        with contextlib.suppress(OSError):
            _sync_folder(folder)


def make_folders(folder: str, mode: int) -> None:
    """Create a directory and those above it that are missing.

    Raises:
        OSError: when that cannot be done.
    """
    try:
        os.mkdir(folder, mode)
    except FileExistsError:
        pass
    except FileNotFoundError:
        above = os.path.dirname(folder)
        if above == folder:
            raise
        make_folders(above, mode)
        with contextlib.suppress(FileExistsError):
            os.mkdir(folder, mode)


def _temporary(folder: str, folder_mode: int) -> tuple[int, str]:
    for _ in range(_TRIES):
        path = f"{folder}/.tmp-{secrets.token_hex(8)}"
        try:
            return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), path
        except FileExistsError:
            continue
        except FileNotFoundError:
            make_folders(folder, folder_mode)
    raise OSError(f"no temporary file can be made in {folder}")


def _sync_folder(folder: str) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


class Busy(Exception):
    """Another collector holds the session."""


class Lock:
    """The lock of a session: an exclusive advisory lock on ``.lock`` in its directory, which is never removed."""

    def __init__(self, folder: str, modes: Modes = SHARED) -> None:
        """Take it, without waiting.

        Args:
            folder: the session's directory below the storage root; it is there.
            modes: of the file, when it has to be created.

        Raises:
            Busy: when somebody else holds it.
            OSError: when it cannot be opened.
        """
        self._handle = os.open(f"{folder}/.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, modes.other)
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self._handle)
            raise Busy from None
        except BaseException:
            os.close(self._handle)
            raise

    def release(self) -> None:
        """Give it back."""
        os.close(self._handle)

    def __enter__(self) -> Lock:
        return self

    def __exit__(self, *exc: object) -> None:
        self.release()
