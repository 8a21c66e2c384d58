"""Where a live root stands, and which sessions were forgotten.

Each source has a storage root of its own below the data folder of the XDG base directories, since a root says which sources it
lost: two sources in one would each lose the other's. Beside the root, not in it, stand the lock of the one collector and the list
of the sessions that a person had forgotten; nobody else writes there.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

from ..collect import PRIVATE, Modes
from ..errors import AszError
from ..storage import CONVERSATIONS, is_plain_name
from ..writing import Busy, Lock, make_folders, write_whole

MODES = Modes(PRIVATE.folder, PRIVATE.landed, PRIVATE.other, durable=False)
"""Nobody else reads a live root, and it is not waited for the disk: what a loss of power takes is collected again."""

_FORGOTTEN = "forgotten"


class ForgetError(AszError):
    """A session cannot be forgotten just now."""


def home_root(environ: Mapping[str, str], source: str | os.PathLike[str]) -> Path:
    """The storage root that the sessions of a source are collected into.

    Args:
        environ: the environment; `XDG_DATA_HOME` is looked at.
        source: the source root.
    """
    data = environ.get("XDG_DATA_HOME", "")
    base = Path(data) if os.path.isabs(data) else Path(os.path.expanduser("~")) / ".local" / "share"
    whole = os.path.abspath(source)
    readable = re.sub(r"[^A-Za-z0-9]+", "-", whole).strip("-")[-40:].strip("-")
    mark = hashlib.sha256(os.fsencode(whole)).hexdigest()[:8]
    return base / "asz-tui" / "live" / f"{readable}-{mark}" / "root"


def prepare(root: Path) -> None:
    """Make the folder of a live root, which nobody else may look into.

    Raises:
        OSError: when that cannot be done.
    """
    make_folders(os.fspath(root), MODES.folder)


def forgotten(root: Path) -> set[str]:
    """The sessions that are not to be collected."""
    try:
        text = (root.parent / _FORGOTTEN).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return set()
    return {line for line in text.split("\n") if line}


def remember_forgotten(root: Path, sessions: Iterable[str]) -> None:
    """Write down which sessions are not to be collected.

    Raises:
        OSError: when that cannot be done.
    """
    text = "".join(f"{session}\n" for session in sorted(sessions))
    write_whole(os.fspath(root.parent / _FORGOTTEN), text.encode(), MODES.other, MODES)


def forget(root: Path, session: str) -> bool:
    """Remove a session from a live root, and have it not collected again; the source is not touched.

    Args:
        root: as `home_root` tells.
        session: the whole id.

    Returns:
        Whether there was anything to remove.

    Raises:
        ForgetError: when another program is at the session, or it cannot be removed; the message names it.
    """
    if not is_plain_name(session) or session.startswith("_"):
        raise ForgetError(f"{session!r} is no name of a session")
    folders = [root / session, root / CONVERSATIONS / session]
    there = [folder for folder in folders if folder.is_dir()]
    try:
        prepare(root)
        # First, so that a collector that runs does not bring it back in between.
        remember_forgotten(root, forgotten(root) | {session})
        with contextlib.ExitStack() as held:
            for folder in there:
                held.enter_context(Lock(os.fspath(folder), MODES))
            for folder in there:
                shutil.rmtree(folder)
    except Busy:
        raise ForgetError(f"{session}: a collector is at it just now; ask again when it has ended") from None
    except OSError as error:
        raise ForgetError(f"{error.filename or session}: it cannot be removed: {error.strerror or error}") from None
    return bool(there)
