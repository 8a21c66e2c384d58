"""The lock of a chain, putting a round in its place, and the state file (the assembling specification, §19)."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import stat
import tempfile
import time
from collections.abc import Iterator

from ..errors import AssembleError, ChainLocked
from ..sessionflow import Header
from .moments import write_time

_ABANDONED = 60.0
"""Seconds after which an empty file in a round's place is a reservation that nobody will use."""


@contextlib.contextmanager
def locked(folder: str) -> Iterator[None]:
    """Hold the lock of a conversation's folder, which is made when it is not there.

    Raises:
        ChainLocked: when another program holds it.
        OSError: when folder or lock cannot be made.
    """
    os.makedirs(folder, mode=0o755, exist_ok=True)
    descriptor = os.open(os.path.join(folder, ".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno not in (errno.EWOULDBLOCK, errno.EACCES):
                raise
            name = os.path.basename(folder)
            raise ChainLocked(f"another program is assembling {name} just now; it holds the lock of its rounds") from None
        yield
    finally:
        os.close(descriptor)


def publish_round(rounds: str, name: str, data: bytes) -> str:
    """Write a round beside its place, make it durable and read-only, and give it its name without replacing anything.

    Returns:
        Its path.

    Raises:
        AssembleError: when there is a file of that name.
        OSError: when it cannot be written.
    """
    os.makedirs(rounds, mode=0o755, exist_ok=True)
    path = os.path.join(rounds, name)
    _remove_abandoned(path)
    handle, temporary = tempfile.mkstemp(prefix=".tmp-", dir=rounds)
    try:
        with open(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fchmod(file.fileno(), 0o444)
            os.fsync(file.fileno())
        _put_in_place(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    _flush_folder(rounds)
    return path


def _remove_abandoned(path: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        found = os.lstat(path)
        if stat.S_ISREG(found.st_mode) and not found.st_size and time.time() - found.st_mtime > _ABANDONED:
            os.unlink(path)


def _put_in_place(temporary: str, path: str) -> None:
    try:
        os.link(temporary, path)
    except FileExistsError:
        raise AssembleError(f"{path} is already there") from None
    except OSError:
        # A file system without hard links: the name is reserved by an empty file that nobody else can make.
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o444))
        except FileExistsError:
            raise AssembleError(f"{path} is already there") from None
        os.rename(temporary, path)
    else:
        os.unlink(temporary)


def _flush_folder(folder: str) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    except OSError:
        pass  # not every file system can
    finally:
        os.close(descriptor)


def write_state(folder: str, header: Header, digest: str) -> None:
    """Write the state file of a conversation, a cache that nothing is decided by.

    Raises:
        OSError: when it cannot be written.
    """
    values = {
        "schema": 1,
        "conversation": header.conversation,
        "head": header.round,
        "head_digest": digest,
        "through_seq": header.through_seq,
        "input_digest": header.input_digest,
        "parser": header.parser,
        "policy": header.policy,
        "updated_at": write_time(time.time_ns()),
    }
    text = "".join(f"{key:<12} {value}\n" for key, value in values.items())
    handle, temporary = tempfile.mkstemp(prefix=".tmp-", dir=folder)
    try:
        with open(handle, "wb") as file:
            file.write(text.encode())
            file.flush()
            os.fchmod(file.fileno(), 0o644)
            os.fsync(file.fileno())
        os.rename(temporary, os.path.join(folder, "conversation.state"))
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
