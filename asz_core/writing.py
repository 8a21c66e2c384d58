"""Writing a file so that it is there whole or not at all, and the lock of a folder: what every writer of a root stands on.

A file is written under a temporary name beside its place, which no reader lists, gets its mode, is made durable, and then gets its
name: by a rename, which replaces what stands there (``write_whole``), or only where nothing stands (``write_new``). One left by a
crash is never read. Sources: the collecting specification, §9.1 and §9.5; the assembling specification, §19.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
from collections.abc import Iterator

import msgspec

_TRIES = 100


class Modes(msgspec.Struct, frozen=True):
    """How things are written: the modes of directories, landed files and others, and whether it is waited for the disk.

    Without ``durable`` a file is still there whole or not at all after a kill, but perhaps not after a loss of power; that is for
    a root that can be made anew, and several times as fast where there are many small files.
    """

    folder: int = 0o755
    landed: int = 0o444
    other: int = 0o644
    durable: bool = True


SHARED = Modes()
"""As the specifications have them."""
PRIVATE = Modes(0o700, 0o400, 0o600)
"""For a root that nobody else is to read."""


def write_whole(path: str, data: bytes, mode: int, modes: Modes = SHARED) -> None:
    """Write a file; what stands in its place is replaced.

    Args:
        path: where it is to stand.
        data: its bytes.
        mode: its mode.
        modes: those of directories that are missing, and whether to wait for the disk.

    Raises:
        OSError: when that cannot be done; nothing is left behind then.
    """
    folder = os.path.dirname(path) or "."
    with _staged(folder, data, mode, modes) as temporary:
        os.rename(temporary, path)
    _sync_folder(folder, modes)


def write_new(path: str, data: bytes, mode: int, modes: Modes = SHARED) -> None:
    """As ``write_whole``, where nothing stands yet.

    Raises:
        FileExistsError: when something has that name, also when it came while this was written.
        OSError: when it cannot be done; nothing is left behind then.
    """
    folder = os.path.dirname(path) or "."
    with _staged(folder, data, mode, modes) as temporary:
        _give_name(temporary, path)
    _sync_folder(folder, modes)


@contextlib.contextmanager
def _staged(folder: str, data: bytes, mode: int, modes: Modes) -> Iterator[str]:
    """A file with these bytes under a temporary name, which is taken away when it gets no other."""
    handle, temporary = _temporary(folder, modes.folder)
    try:
        try:
            view = memoryview(data)
            while view:
                view = view[os.write(handle, view) :]
            os.fchmod(handle, mode)
            if modes.durable:
                os.fsync(handle)
        finally:
            os.close(handle)
        yield temporary
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _temporary(folder: str, folder_mode: int) -> tuple[int, str]:
    for _ in range(_TRIES):
        path = f"{folder}/.tmp-{os.urandom(8).hex()}"
        try:
            return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), path
        except FileExistsError:
            continue
        except FileNotFoundError:
            make_folders(folder, folder_mode)
    raise OSError(f"no temporary file can be made in {folder}")


def _give_name(temporary: str, path: str) -> None:
    """Unlike a rename, a link does not replace what came there in the meantime."""
    try:
        os.link(temporary, path)
    except FileExistsError:
        raise
    except OSError:
        # A file system without hard links: the name is reserved by an empty file that nobody else can make.
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o444))
        os.rename(temporary, path)
    else:
        os.unlink(temporary)


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


def _sync_folder(folder: str, modes: Modes) -> None:
    """Make the names in a directory durable; not every file system can."""
    if not modes.durable:
        return
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


class Busy(Exception):
    """Another program holds the lock."""


class Lock:
    """The lock of a folder: an exclusive advisory lock on ``.lock`` in it, which is never removed."""

    def __init__(self, folder: str, modes: Modes = SHARED) -> None:
        """Take it, without waiting.

        Args:
            folder: a session's or a conversation's directory; it is there.
            modes: of the file, when it has to be created.

        Raises:
            Busy: when somebody else holds it.
            OSError: when it cannot be opened.
        """
        self._handle = os.open(f"{folder}/.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, modes.other)
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(self._handle)
            if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
                raise Busy from None
            raise

    def release(self) -> None:
        """Give it back."""
        os.close(self._handle)

    def __enter__(self) -> Lock:
        return self

    def __exit__(self, *exc: object) -> None:
        self.release()
