"""Assembling one session or all of a root, once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from ..errors import Ambiguous, NotFound
from ..storage import Storage
from .assembler import Assembler, Outcome


def assemble_session(root: Path | str, session: str) -> Outcome:
    """Write the rounds of a session that are due.

    Args:
        root: the storage root.
        session: the session's id.

    Returns:
        What was written, or why it failed.

    Raises:
        RootError: when the root cannot be used.
    """
    return Assembler(root, session).assemble()


def assemble_root(root: Path | str, ids: Sequence[str] = ()) -> list[Outcome]:
    """Write the rounds of several sessions.

    Args:
        root: the storage root.
        ids: which; each an id, or the beginning of exactly one. Without any, every session that has a landed file.

    Returns:
        One outcome a session, in the order of ``ids``, else sorted by id.

    Raises:
        RootError: when the root cannot be used.
        NotFound, Ambiguous: when an id means no session, or several; nothing was assembled then.
    """
    return list(each_session(root, ids))


def each_session(root: Path | str, ids: Sequence[str] = ()) -> Iterator[Outcome]:
    """As ``assemble_root``, each outcome as soon as it is known."""
    storage = Storage(root)
    names = storage.sessions()
    wanted = [_resolve(text, names, root) for text in ids] if ids else [name for name in names if storage.landed(name)]
    return (assemble_session(root, name) for name in dict.fromkeys(wanted))


def _resolve(text: str, names: Sequence[str], root: Path | str) -> str:
    if text in names:
        return text
    found = [name for name in names if text and name.startswith(text)]
    if not found:
        raise NotFound(f"there is no session {text!r} in {root}")
    if len(found) > 1:
        raise Ambiguous(f"{text!r} fits {len(found)} sessions: {', '.join(found[:3])}{', …' if len(found) > 3 else ''}")
    return found[0]
