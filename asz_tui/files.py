"""Files of ours: where they live, and how they are written so that a crash, a full disk or a planted link does no harm.

What the module owns: the three folders (configuration, state, cache) and the one way anything is written to disk. A file is
written under another name in its own folder, made safe on the disk, and renamed; so a reader finds the old file or the new
one, whole, and a symbolic link under the final name is never written through. Files are readable by their owner only.

Storage roots are never written to: who writes where a person says asks `is_inside` first.

Cost: a write is one file and two `fsync`s, some milliseconds; do it where nobody waits for the next key.
POSIX only: everything below a folder is opened relative to it, so that no part of the way can be swapped meanwhile.
"""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import secrets
import stat
import time
from collections.abc import Callable
from pathlib import Path

import platformdirs

APP = "asz-tui"
LIMIT = 8_000_000
"""Bytes up to which `read_bounded` reads; none of our files comes near it."""

_TEMPORARY = ".asz-tui-"
_STALE = 3600.0
"""Seconds after which a temporary file is one that a crash left behind."""
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_NO_LINKS = (errno.EPERM, errno.EACCES, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EINVAL)


class Refused(OSError):
    """A file was not read or written because of what stands at its place; `strerror` completes "<file> ...".

    An `OSError`, so that who handles those needs to know no other.
    """


def why(error: Exception) -> str:
    """An error of a file in words, beginning with the file where it is known; not yet safe to print."""
    if not isinstance(error, OSError):
        return str(error)
    name = os.fsdecode(error.filename) if isinstance(error.filename, str | bytes) else ""
    what = error.strerror or str(error)
    if isinstance(error, Refused):
        return f"{name} {what}".lstrip()
    return f"{name}: {what}" if name else what


def config_dir() -> Path:
    """The folder of the configuration: `$XDG_CONFIG_HOME/asz-tui`, or the platform's own. It need not exist.

    Raises:
        Refused: when there is no home to find it in.
    """
    return _folder("XDG_CONFIG_HOME", ".config", platformdirs.user_config_path)


def state_dir() -> Path:
    """The folder of what is remembered: `$XDG_STATE_HOME/asz-tui`, or the platform's own. It need not exist.

    Raises:
        Refused: when there is no home to find it in.
    """
    return _folder("XDG_STATE_HOME", ".local/state", platformdirs.user_state_path)


def cache_dir() -> Path:
    """The folder of what can be made again: `$XDG_CACHE_HOME/asz-tui`, or the platform's own. It need not exist.

    Raises:
        Refused: when there is no home to find it in.
    """
    return _folder("XDG_CACHE_HOME", ".cache", platformdirs.user_cache_path)


def _folder(variable: str, usual: str, of_platform: Callable[..., Path]) -> Path:
    named = os.environ.get(variable, "").strip()
    if os.path.isabs(named):
        # Said here and not left to platformdirs, which asks the variable on some platforms only.
        return Path(named) / APP
    # The XDG specification wants a relative path ignored; platformdirs would take it.
    found = Path(os.path.expanduser(f"~/{usual}")) / APP if named else of_platform(APP, appauthor=False)
    if not found.is_absolute():
        # Without a home "~" stays as it is, and would become a folder of that name wherever the program runs.
        raise Refused(errno.ENOENT, f"cannot be found: there is no home directory, and ${variable} is not set", APP)
    return found


def is_inside(path: Path | str, folder: Path | str) -> bool:
    """Whether a path leads into a folder (or is it), links followed: nothing is ever created inside a storage root."""
    real, base = os.path.realpath(path), os.path.realpath(folder)
    return os.path.commonpath([real, base]) == base


def read_bounded(path: Path | str, *, limit: int = LIMIT, follow: bool = False) -> bytes:
    """Read a small regular file.

    Args:
        path: the file.
        limit: the most bytes it may have.
        follow: read through a symbolic link (a configuration may be one); otherwise a link is refused.

    Raises:
        Refused: for a link, for what is no regular file, and for a file that is too large.
        OSError: when it is not there or cannot be read.
    """
    # Without O_NONBLOCK a pipe under this name would be waited for.
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | (0 if follow else os.O_NOFOLLOW)
    name = os.fspath(path)
    try:
        descriptor = os.open(name, flags)
    except OSError as error:
        if error.errno == errno.ELOOP and not follow:
            raise Refused(errno.ELOOP, "is a symbolic link, and is not followed", name) from None
        raise
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise Refused(errno.EINVAL, "is no regular file", name)
        data = file.read(limit + 1)
    if len(data) > limit:
        raise Refused(errno.EFBIG, f"is larger than {limit:,} bytes", name)
    return data


def write_private(path: Path | str, data: bytes | str, *, base: Path | str | None = None, replace: bool = True) -> None:
    """Write a file so that it is there whole or not at all, readable by its owner only.

    Folders that are missing are made, with mode 0700; those that are there keep theirs.

    Args:
        path: the file.
        data: what goes into it; a text is written as UTF-8, lone surrogates as question marks.
        base: the folder that must not be left: what lies between it and the file may not be a symbolic link. `base` itself may
            be one (people keep their configuration elsewhere). The file's own folder when left out.
        replace: take the place of a file that is there; otherwise that is refused.

    Raises:
        Refused: when a link, a folder, or what is no regular file stands at the place, or a file and `replace` is False.
        OSError: when it cannot be written; what was there before is untouched.
    """
    path = Path(path)
    content = data.encode("utf-8", "replace") if isinstance(data, str) else data
    folder = _open_folder(path, Path(base) if base is not None else path.parent)
    try:
        _look_at_target(folder, path, replace)
        if base is not None:
            _sweep(folder)
        temporary = _write_temporary(folder, content)
        try:
            if replace:
                os.rename(temporary, path.name, src_dir_fd=folder, dst_dir_fd=folder)
            else:
                _put_new(folder, temporary, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary, dir_fd=folder)
            raise
        with contextlib.suppress(OSError):  # some file systems cannot sync a folder; the file itself is safe
            os.fsync(folder)
    finally:
        os.close(folder)


def set_aside(path: Path | str) -> Path:
    """Rename a file that does not read to `<name>.bad-<n>`, so that it is neither lost nor in the way.

    Args:
        path: the file; a link is renamed itself, not what it leads to.

    Returns:
        Where it is now.

    Raises:
        OSError: when it cannot be renamed.
    """
    path = Path(path)
    for number in itertools.count(1):
        aside = path.with_name(f"{path.name}.bad-{number}")
        if not os.path.lexists(aside):
            os.rename(path, aside)
            return aside
    raise AssertionError("unreachable")


def _open_folder(path: Path, base: Path) -> int:
    """A descriptor of the folder of `path`, made where it is missing, no link followed below `base`."""
    if not path.name or path.name == "..":
        raise Refused(errno.EISDIR, "names no file", str(path))
    try:
        below = path.parent.relative_to(base).parts
    except ValueError:
        below = ("..",)
    if ".." in below:
        raise Refused(errno.EACCES, f"is not inside {base}", str(path))
    _make_folders(base)
    folder = os.open(base, _FOLDER)
    try:
        for part in below:
            folder = _step_into(folder, part, path)
    except BaseException:
        os.close(folder)
        raise
    return folder


def _make_folders(folder: Path) -> None:
    missing = []
    while not os.path.lexists(folder):
        missing.append(folder)
        folder = folder.parent
    for one in reversed(missing):
        with contextlib.suppress(FileExistsError):  # somebody else made it meanwhile
            os.mkdir(one, 0o700)


def _step_into(folder: int, part: str, path: Path) -> int:
    """Open a folder in a folder and close the outer one; a link is refused."""
    with contextlib.suppress(FileExistsError):
        os.mkdir(part, 0o700, dir_fd=folder)
    if stat.S_ISLNK(os.stat(part, dir_fd=folder, follow_symlinks=False).st_mode):
        raise Refused(errno.ELOOP, f"is not written: the folder {part} is a symbolic link", str(path))
    inner = os.open(part, _FOLDER | os.O_NOFOLLOW, dir_fd=folder)
    os.close(folder)
    return inner


def _look_at_target(folder: int, path: Path, replace: bool) -> None:
    try:
        mode = os.stat(path.name, dir_fd=folder, follow_symlinks=False).st_mode
    except FileNotFoundError:
        return
    if stat.S_ISLNK(mode):
        raise Refused(errno.ELOOP, "is a symbolic link, and is not written through", str(path))
    if not stat.S_ISREG(mode):
        raise Refused(errno.EISDIR if stat.S_ISDIR(mode) else errno.EINVAL, "is no regular file", str(path))
    if not replace:
        raise Refused(errno.EEXIST, "is there already, and is not overwritten", str(path))


def _write_temporary(folder: int, content: bytes) -> str:
    """Write and sync a new file in the folder, and give its name."""
    name = f"{_TEMPORARY}{secrets.token_hex(8)}.tmp"
    descriptor = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=folder)
    try:
        with os.fdopen(descriptor, "wb") as file:
            os.fchmod(file.fileno(), 0o600)  # whatever the umask says
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name, dir_fd=folder)
        raise
    return name


def _put_new(folder: int, temporary: str, path: Path) -> None:
    """Give a temporary file its name only if nothing has that name; a rename would take its place."""
    try:
        try:
            os.link(temporary, path.name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            # No hard links here: an empty file made by nobody else holds the place until the rename.
            os.close(os.open(path.name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600, dir_fd=folder))
            os.rename(temporary, path.name, src_dir_fd=folder, dst_dir_fd=folder)
            return
    except FileExistsError:
        raise Refused(errno.EEXIST, "is there already, and is not overwritten", str(path)) from None
    os.unlink(temporary, dir_fd=folder)


def _sweep(folder: int) -> None:
    """Remove temporary files that a crash left in a folder of ours; a write that is under way is younger."""
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(_TEMPORARY) and time.time() - entry.stat(follow_symlinks=False).st_mtime > _STALE:
                os.unlink(entry.name, dir_fd=folder)
