"""What is remembered between two visits: how far each conversation was read, how wide panes were, which roots were open.

What the module owns: `state.json` in the state folder. It holds no text and no ids of conversations: a conversation is named
by a digest of its root's path and its id. Recent roots are kept by their paths, which is why the file is private.

`get` and `put` work in memory; `save` writes, and its caller decides how often. What another explorer saved meanwhile is kept:
`save` reads the file again and lays its own changes over it. Two saves within the same millisecond may lose one of them, which
costs a mark, so there is no lock.

Cost: at most some 2,000 conversations and 300 kB, so reading and writing take some milliseconds. Nothing here raises: trouble with
the disk is a sentence to be shown, and the explorer goes on without remembering.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .files import read_bounded, set_aside, state_dir, why, write_private
from .text.safe import visible

FILE = "state.json"
VERSION = 1
MOST_VISITS = 2_000
MOST_ROOTS = 10
MOST_SIZES = 50
_LARGEST = 1 << 62
"""Numbers beyond this are nobody's round, row or time."""


@dataclass(frozen=True, slots=True)
class Visit:
    """How far a conversation was read.

    Attributes:
        round: the head round there was.
        seq: the landed file of the newest step there was.
        row: its row.
        at_ms: when, in unix milliseconds.
    """

    round: int
    seq: int
    row: int
    at_ms: int

    @property
    def position(self) -> tuple[int, int]:
        """The landed position; a step beyond it is new."""
        return self.seq, self.row


@dataclass(slots=True)
class _Kept:
    """The content of the file, or what is to be laid over it."""

    visits: dict[str, Visit] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)
    roots: list[str] = field(default_factory=list)

    def over(self, older: _Kept) -> _Kept:
        """This laid over what was there, the oldest forgotten where it is too much."""
        visits = {**older.visits, **self.visits}
        if len(visits) > MOST_VISITS:
            newest = sorted(visits.items(), key=lambda item: item[1].at_ms, reverse=True)
            visits = dict(newest[:MOST_VISITS])
        sizes = {**older.sizes, **self.sizes}
        roots = list(dict.fromkeys([*self.roots, *older.roots]))
        return _Kept(visits, dict(list(sizes.items())[-MOST_SIZES:]), roots[:MOST_ROOTS])

    def __bool__(self) -> bool:
        return bool(self.visits or self.sizes or self.roots)


class StateStore:
    """What is remembered, in memory until it is saved.

    Attributes:
        problem: what was wrong with the file when it was read, as a sentence to be shown; empty when nothing was.
    """

    def __init__(self, folder: Path | str | None = None) -> None:
        """
        Args:
            folder: the state folder; the person's own when left out.
        """
        self._changes = _Kept()
        self._known = _Kept()
        self._folder: Path | None = None
        try:
            self._folder = Path(folder) if folder is not None else state_dir()
        except OSError as error:
            self.problem = visible(f"nothing is remembered: {why(error)}")
        else:
            self._known, self.problem, _ = _read(self._folder / FILE)

    # --- what is remembered

    def get(self, root: Path | str, conversation: str) -> Visit | None:
        """The last visit of a conversation; None when there was none."""
        name = _name(root, conversation)
        return self._changes.visits.get(name) or self._known.visits.get(name)

    def put(self, root: Path | str, conversation: str, visit: Visit) -> None:
        """Remember a visit. `get` gives it from now on; keep the one before for marking what is new since."""
        self._changes.visits[_name(root, conversation)] = visit

    def size(self, window: str) -> int | None:
        """The size that a window was given last, such as the `detail`'s width in percent; None when it never was."""
        return self._changes.sizes.get(window, self._known.sizes.get(window))

    def put_size(self, window: str, size: int) -> None:
        """Remember the size of a window."""
        self._changes.sizes[window] = size

    def roots(self) -> list[str]:
        """The roots that were open, the last one first."""
        return self._changes.over(self._known).roots

    def put_root(self, root: Path | str) -> None:
        """Remember that a root was open."""
        path = os.path.abspath(root)
        self._changes.roots = [path, *(other for other in self._changes.roots if other != path)][:MOST_ROOTS]

    # --- the file

    def save(self) -> str:
        """Write what changed since the last time.

        Returns:
            What went wrong, as a sentence to be shown; empty when nothing did. Changes that could not be written are kept for
            the next time.
        """
        if not self._changes:
            return ""
        if self._folder is None:
            return self.problem
        there, problem, writable = _read(self._folder / FILE)
        if not writable:
            return f"nothing is remembered: {problem}"
        together = self._changes.over(there)
        try:
            write_private(self._folder / FILE, _encoded(together), base=self._folder)
        except (OSError, ValueError) as error:
            return visible(f"nothing is remembered: {why(error)}")
        self._known, self._changes = together, _Kept()
        return problem


class _Corrupt(Exception):
    """The file is not one of ours; `str()` completes "<file> ..."."""


def _read(path: Path) -> tuple[_Kept, str, bool]:
    """What a file holds, what is wrong with it, and whether it may be written: what cannot be read may be worth something."""
    try:
        return _decoded(read_bounded(path)), "", True
    except FileNotFoundError:
        return _Kept(), "", True
    except _Corrupt as fault:
        problem, writable = _moved(path, str(fault))
    except OSError as error:
        if error.errno == errno.EFBIG:
            problem, writable = _moved(path, error.strerror or "is too large")
        else:
            problem, writable = visible(why(error)), False
    except ValueError as error:  # a NUL in the path
        problem, writable = visible(str(error)), False
    return _Kept(), problem, writable


def _moved(path: Path, what: str) -> tuple[str, bool]:
    """Set a file aside; what is said of it, and whether its place is free now."""
    try:
        aside = set_aside(path)
    except OSError as error:
        return visible(f"{path} {what}, and cannot be set aside: {error.strerror or error}"), False
    return visible(f"{path} {what}; it was set aside as {aside.name}, and what was remembered is forgotten"), True


def _name(root: Path | str, conversation: str) -> str:
    """The name of a conversation in the file: of one length whatever an id is, and telling nobody which it is."""
    text = f"{os.path.realpath(root)}\0{conversation}"
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _encoded(kept: _Kept) -> bytes:
    visits = {name: [visit.round, visit.seq, visit.row, visit.at_ms] for name, visit in kept.visits.items()}
    # The standard library's JSON: paths may hold what is no Unicode, which it writes as escapes and reads back.
    content = {"version": VERSION, "visits": visits, "sizes": kept.sizes, "roots": kept.roots}
    return json.dumps(content, separators=(",", ":")).encode()


def _decoded(data: bytes) -> _Kept:
    """What a file holds; single entries that are wrong are left out, as losing them costs a mark.

    Raises:
        _Corrupt: it is no file of ours, or one of a later version.
    """
    try:
        content = json.loads(data)
    except (ValueError, RecursionError):
        raise _Corrupt("does not read") from None
    if not isinstance(content, dict) or "version" not in content:
        raise _Corrupt("is no state of asz-tui")
    if content["version"] != VERSION:
        raise _Corrupt("is of another version of asz-tui")
    return _Kept(
        {name: visit for name, value in _dict(content, "visits").items() if (visit := _visit(value)) is not None},
        {name: value for name, value in _dict(content, "sizes").items() if _is_number(value)},
        [path for path in _list(content, "roots") if isinstance(path, str)],
    )


def _dict(content: dict[str, Any], key: str) -> dict[str, Any]:
    value = content.get(key)
    return value if isinstance(value, dict) else {}


def _list(content: dict[str, Any], key: str) -> list[Any]:
    value = content.get(key)
    return value if isinstance(value, list) else []


def _visit(value: Any) -> Visit | None:
    if isinstance(value, list) and len(value) == 4 and all(_is_number(number) for number in value):
        return Visit(*value)
    return None


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and -_LARGEST < value < _LARGEST
