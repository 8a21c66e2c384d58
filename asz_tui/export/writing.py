"""Writing an export where a person says: whole or not at all, never over anything by surprise, readable by its owner only.

Like `asz_tui.files.write_private`, but in pieces, so that a file may be larger than memory. The pieces go to a temporary file in
the same folder, which gets the name at the end; a link under that name is never written through. Nothing is written into a storage
root.

Cost: that of the pieces, one `fsync`.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Iterable
from pathlib import Path

from ..files import is_inside
from ..text.safe import visible

_BUFFER = 1 << 18
_NO_LINKS = (errno.EPERM, errno.EACCES, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EINVAL)
_WHY = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the quota of the disk is used up",
    errno.EFBIG: "the file would be larger than this disk takes",
    errno.EACCES: "there is no permission to write there",
    errno.EPERM: "there is no permission to write there",
    errno.EROFS: "that disk is read-only",
    errno.ENOENT: "there is no such folder",
    errno.ENOTDIR: "what should be a folder is none",
    errno.ENAMETOOLONG: "the name is too long",
}


class CannotWrite(OSError):
    """A file cannot be written; `str()` is one sentence. What was there before is untouched."""


class AlreadyThere(FileExistsError):
    """There is a file of that name, and overwriting was not asked for; `str()` is one sentence."""


def write(
    path: str | os.PathLike[str],
    chunks: Iterable[bytes],
    *,
    overwrite: bool = False,
    keep_out: str | Path | None = None,
) -> int:
    """Write the pieces of an export to a file.

    Args:
        path: the file; a relative one is below the current directory.
        chunks: the pieces. What iterating raises is raised on, and nothing is left behind.
        overwrite: take the place of a file that is there.
        keep_out: a folder, the storage root, below which nothing is written.

    Returns:
        The bytes written.

    Raises:
        AlreadyThere: when there is a file and `overwrite` is False.
        CannotWrite: when it cannot be written.
    """
    target = Path(path)
    name = visible(str(target))
    try:
        if not target.name or target.name == "..":
            raise CannotWrite("that names no file")
        if keep_out is not None and is_inside(target.parent, keep_out):
            raise CannotWrite(f"{name} is inside the storage root, where nothing is written")
        folder = os.open(target.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            _look_at(folder, target.name, name, overwrite)
            return _write(folder, target.name, chunks, overwrite)
        finally:
            os.close(folder)
    except (CannotWrite, AlreadyThere):
        raise
    except FileExistsError:
        raise AlreadyThere(f"{name} is there already") from None
    except (OSError, ValueError) as error:
        raise CannotWrite(f"{name} cannot be written: {_why(error)}") from error


def _why(error: OSError | ValueError) -> str:
    if isinstance(error, OSError):
        return _WHY.get(error.errno or 0) or visible(error.strerror or str(error))
    return "no file can have that name"


def _look_at(folder: int, name: str, shown: str, overwrite: bool) -> None:
    """Refuse what may not be replaced, before any work is done."""
    try:
        mode = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
    except FileNotFoundError:
        return
    if stat.S_ISLNK(mode):
        raise CannotWrite(f"{shown} is a symbolic link, and is not written through")
    if not stat.S_ISREG(mode):
        raise CannotWrite(f"{shown} is {'a folder' if stat.S_ISDIR(mode) else 'no regular file'}")
    if not overwrite:
        raise AlreadyThere(f"{shown} is there already")


def _write(folder: int, name: str, chunks: Iterable[bytes], overwrite: bool) -> int:
    temporary = f".asz-tui-{secrets.token_hex(8)}.tmp"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(temporary, flags, 0o600, dir_fd=folder)
    try:
        size = 0
        with os.fdopen(descriptor, "wb", buffering=_BUFFER) as file:
            os.fchmod(file.fileno(), 0o600)  # whatever the umask says
            for chunk in chunks:
                size += file.write(chunk)
            file.flush()
            os.fsync(file.fileno())
        if overwrite:
            # A rename replaces a link itself, never what it leads to.
            os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
        else:
            _name_new(folder, temporary, name)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary, dir_fd=folder)
        raise
    return size


def _name_new(folder: int, temporary: str, name: str) -> None:
    """Give the temporary file its name only if nothing has it; a rename would take the other's place."""
    try:
        os.link(temporary, name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        # No hard links here: an empty file that nobody else made holds the place until the rename.
        os.close(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600, dir_fd=folder))
        os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
        return
    os.unlink(temporary, dir_fd=folder)
