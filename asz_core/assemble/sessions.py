"""Assembling one session or all of a root, once; some of them again and again; and which are due."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from pathlib import Path

from ..sessionflow.chain import header_of
from ..storage import Storage, only_one
from ..writing import SHARED, Modes
from .assembler import Assembler, Outcome


def assemble_session(root: Path | str, session: str, *, modes: Modes = SHARED, infer: bool = False) -> Outcome:
    """Write the rounds of a session that are due.

    Args:
        root: the storage root.
        session: the session's id.
        modes: of what is written.
        infer: see `Assembler`.

    Returns:
        What was written, or why it failed.

    Raises:
        RootError: when the root cannot be used.
    """
    return Assembler(root, session, modes=modes, infer=infer).assemble()


def assemble_root(root: Path | str, ids: Sequence[str] = (), *, infer: bool = False) -> list[Outcome]:
    """Write the rounds of several sessions.

    Args:
        root: the storage root.
        ids: which; each an id, or the beginning of exactly one. Without any, every session that has a landed file.
        infer: see `Assembler`.

    Returns:
        One outcome a session, in the order of ``ids``, else sorted by id.

    Raises:
        RootError: when the root cannot be used.
        NotFound, Ambiguous: when an id means no session, or several; nothing was assembled then.
    """
    return list(each_session(root, ids, infer=infer))


def each_session(root: Path | str, ids: Sequence[str] = (), *, infer: bool = False) -> Iterator[Outcome]:
    """As ``assemble_root``, each outcome as soon as it is known."""
    storage = Storage(root)
    names = storage.sessions()
    wanted = [_resolve(text, names, root) for text in ids] if ids else [name for name in names if storage.landed(name)]
    return (assemble_session(root, name, infer=infer) for name in dict.fromkeys(wanted))


def sessions_behind(root: Path | str) -> list[str]:
    """Sessions with landed files that no round consumed, as one has whose collector was ended between landing and assembling.

    Costs a listing of each session and the first line of its newest round.

    Raises:
        RootError: when the root cannot be used.
    """
    storage = Storage(root)
    return [name for name in storage.sessions() if (landed := storage.landed(name)) and landed[-1].seq > _consumed(storage, name)]


def _consumed(storage: Storage, session: str) -> int:
    """The sequence through which the rounds of a session consumed, as the newest header that reads says; 0 without one."""
    return next((header.through_seq for file in reversed(storage.rounds(session)) if (header := header_of(file))), 0)


class Assemblers:
    """Assembles sessions of a root as they grow: of the last few, what was read stays in memory, so that an append costs itself."""

    def __init__(self, root: Path | str, most: int = 4, *, modes: Modes = SHARED, infer: bool = False) -> None:
        """
        Args:
            root: the storage root; it need not be there yet.
            most: how many sessions stay in memory.
            modes: of what is written.
            infer: see `Assembler`.
        """
        self._root = root
        self._most, self._modes, self._infer = most, modes, infer
        self._kept: OrderedDict[str, Assembler] = OrderedDict()

    def assemble(self, session: str) -> Outcome:
        """Write the rounds of a session that are due.

        Raises:
            RootError: when the root cannot be used.
        """
        assembler = self._kept.pop(session, None) or Assembler(self._root, session, modes=self._modes, infer=self._infer)
        self._kept[session] = assembler
        if len(self._kept) > self._most:
            self._kept.popitem(last=False)
        return assembler.assemble()


def _resolve(text: str, names: Sequence[str], root: Path | str) -> str:
    if text in names:
        return text
    return only_one(text, [name for name in names if text and name.startswith(text)], "session", root)
