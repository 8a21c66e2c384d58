"""The lock of a chain, putting a round in its place, and the state file (the assembling specification, §19)."""

from __future__ import annotations

import contextlib
import os
import stat
import time
from collections.abc import Iterator

from ..errors import AssembleError, ChainLocked
from ..sessionflow import Header
from ..writing import SHARED, Busy, Lock, Modes, make_folders, write_new, write_whole
from .moments import write_time

_ABANDONED = 60.0
"""Seconds after which an empty file in a round's place is a reservation that nobody will use."""


@contextlib.contextmanager
def locked(folder: str, modes: Modes) -> Iterator[None]:
    """Hold the lock of a conversation's folder, which is made when it is not there.

    Raises:
        ChainLocked: when another program holds it.
        OSError: when folder or lock cannot be made.
    """
    make_folders(folder, modes.folder)
    try:
        with Lock(folder, modes):
            yield
    except Busy:
        name = os.path.basename(folder)
        raise ChainLocked(f"another program is assembling {name} just now; it holds the lock of its rounds") from None


def publish_round(rounds: str, name: str, data: bytes, modes: Modes = SHARED) -> str:
    """Write a round beside its place, make it durable and read-only, and give it its name without replacing anything.

    Returns:
        Its path.

    Raises:
        AssembleError: when there is a file of that name.
        OSError: when it cannot be written.
    """
    path = os.path.join(rounds, name)
    _remove_abandoned(path)
    try:
        write_new(path, data, modes.landed, modes)
    except FileExistsError:
        raise AssembleError(f"{path} is already there") from None
    return path


def _remove_abandoned(path: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        found = os.lstat(path)
        if stat.S_ISREG(found.st_mode) and not found.st_size and time.time() - found.st_mtime > _ABANDONED:
            os.unlink(path)


def write_state(folder: str, header: Header, digest: str, modes: Modes) -> None:
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
    write_whole(os.path.join(folder, "conversation.state"), text.encode(), modes.other, modes)
