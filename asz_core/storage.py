"""The layout of a storage root: which conversations, round files and landed files there are, and where.

Listing reads directory entries only, never a file. Everything that is not a regular file with a name of the formats is not ours
and is passed over without a word: temporary files, other programs' state, editors' backups (formats.md section 1). Nothing in
here ever writes.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter
from pathlib import Path

import msgspec

from .errors import Ambiguous, NotFound, RootError

CONVERSATIONS = "_conversations"
_ROUND = re.compile(r"r([0-9]{6,})-([0-9a-f]{12})\.sf")
_LANDED = re.compile(r".*-([0-9]{6,})\.sd", re.DOTALL)
_MAX_NUMBER = 2**63 - 1


class RoundFile(msgspec.Struct, frozen=True):
    """One ``.sf`` file: the number and the digest prefix are what its *name* says."""

    path: str
    name: str
    number: int
    prefix: str

    def __hash__(self) -> int:
        return hash(self.path)


class LandedFile(msgspec.Struct, frozen=True):
    """One ``.sd`` file. ``wire`` is its path below the root with ``/``; exactly one of ``stream`` and ``run`` may be set."""

    path: str
    wire: str
    name: str
    seq: int
    stream: str | None
    run: str | None

    def __hash__(self) -> int:
        return hash(self.path)

    def size(self) -> int:
        """Bytes of the file as the file system tells them; 0 when it is gone."""
        try:
            return os.stat(self.path).st_size
        except OSError:
            return 0


_NONE: Mapping[str, RoundFile] = {}
_by_number = attrgetter("number", "name")
_by_seq = attrgetter("seq", "wire")


def round_number(name: str) -> int | None:
    """The number that the name of a round file gives, or None when it is not such a name."""
    match = _ROUND.fullmatch(name)
    return int(match[1]) if match and int(match[1]) <= _MAX_NUMBER else None


def landed_seq(name: str) -> int | None:
    """The sequence that the name of a landed file gives, or None when it is not such a name."""
    match = _LANDED.fullmatch(name)
    return int(match[1]) if match and int(match[1]) <= _MAX_NUMBER else None


class Storage:
    """A storage root on this machine, listed on demand; holds nothing but its path."""

    def __init__(self, root: str | os.PathLike[str]) -> None:
        """
        Raises:
            RootError: when there is no readable directory of that name.
        """
        self.path = Path(root)
        try:
            if not self.path.is_dir():
                what = "is not a directory" if self.path.exists() else "does not exist"
                raise RootError(f"the storage root {root} {what}")
            os.scandir(self.path).close()
        except OSError as error:
            raise RootError(f"the storage root {root} cannot be read: {error.strerror or error}") from None

    def conversation_ids(self, start: str = "") -> list[str]:
        """Ids of the conversations that have at least one round file, sorted; costs a listing for each that starts so."""
        return sorted(name for name in self.folders(start) if any(True for _ in self._round_files(name)))

    def folders(self, start: str = "") -> list[str]:
        """Names that start so of the folders of conversations, in no order, whether or not they hold a round; one listing."""
        return [name for name in _names(os.path.join(self.path, CONVERSATIONS)) if name.startswith(start)]

    def rounds(self, conversation: str, known: Mapping[str, RoundFile] | None = None) -> list[RoundFile]:
        """The round files of a conversation, by number, then by name; empty when there is no such conversation.

        Args:
            conversation: its id.
            known: files of an earlier listing by path; they are taken over as they are, so that comparing listings is quick.
        """
        return sorted(self._round_files(conversation, known or {}), key=_by_number)

    def rounds_dir(self, conversation: str) -> str:
        """Where the rounds of a conversation stand."""
        return os.path.join(self.path, CONVERSATIONS, conversation, "rounds")

    def changed_ns(self, conversation: str) -> int:
        """When the rounds directory of a conversation last changed, in nanoseconds of the file system's clock; 0 when unknown."""
        try:
            return os.stat(self.rounds_dir(conversation)).st_mtime_ns
        except OSError:
            return 0

    def _round_files(self, conversation: str, known: Mapping[str, RoundFile] = _NONE) -> Iterator[RoundFile]:
        if not is_plain_name(conversation):
            return
        base = self.rounds_dir(conversation)
        for name in _regular_files(base):
            path = f"{base}{os.sep}{name}"
            file = known.get(path)
            if file is not None:
                yield file
                continue
            match = _ROUND.fullmatch(name)
            if match and int(match[1]) <= _MAX_NUMBER:
                yield RoundFile(path, name, int(match[1]), match[2])

    def landed(self, session: str, known: Mapping[str, LandedFile] | None = None) -> list[LandedFile]:
        """The landed files of a session, by sequence, then by path (formats.md section 1).

        Args:
            session: its id.
            known: files of an earlier listing by path; they are taken over as they are, so that comparing listings is quick.
        """
        if not is_plain_name(session) or session.startswith("_"):
            return []
        base = os.path.join(self.path, session)
        known = known or {}
        found = list(self._landed_in(base, session, "provider_body", None, None, known))
        for name in _names(os.path.join(base, "streams")):
            found += self._landed_in(base, session, os.path.join("streams", name), name, None, known)
        for name in _names(os.path.join(base, "runs")):
            found += self._landed_in(base, session, os.path.join("runs", name), None, name, known)
        found.sort(key=_by_seq)
        return found

    def _landed_in(
        self, base: str, session: str, below: str, stream: str | None, run: str | None, known: Mapping[str, LandedFile]
    ) -> Iterator[LandedFile]:
        folder = os.path.join(base, below)
        for name in _regular_files(folder):
            path = f"{folder}{os.sep}{name}"
            file = known.get(path)
            if file is not None:
                yield file
                continue
            seq = landed_seq(name)
            if seq is not None:
                wire = f"{session}/{below.replace(os.sep, '/')}/{name}"
                yield LandedFile(path, wire, name, seq, stream, run)

    def sessions(self) -> list[str]:
        """Names of the session directories: every directory of the root that does not start with ``_`` or ``.``."""
        return sorted(name for name in _names(str(self.path)) if name[0] not in "_.")

    def state(self, conversation: str) -> dict[str, str]:
        """The ``conversation.state`` cache as key and value; empty when it is absent or unreadable.

        It is never an authority: the head is recovered from the rounds directory (session-flow seed, On disk).
        """
        if not is_plain_name(conversation):
            return {}
        try:
            text = read_file(os.path.join(self.path, CONVERSATIONS, conversation, "conversation.state")).decode("utf-8", "replace")
        except OSError:
            return {}
        pairs = (line.split(None, 1) for line in text.splitlines())
        return {pair[0]: pair[1] for pair in pairs if len(pair) == 2}


def only_one(text: str, found: Sequence[str], what: str, where: object) -> str:
    """The one name that was found to begin with a text.

    Raises:
        NotFound: when there is none.
        Ambiguous: when there are several; the message names the first few.
    """
    if not found:
        raise NotFound(f"there is no {what} {text!r} in {where}")
    if len(found) > 1:
        shown = ", ".join(found[:3]) + (", …" if len(found) > 3 else "")
        raise Ambiguous(f"{text!r} is the beginning of {len(found)} {what}s: {shown}")
    return found[0]


def is_plain_name(name: str) -> bool:
    """Whether a text is one path component, so that an id can never lead out of its folder."""
    return bool(name) and name not in (".", "..") and not any(c in name for c in "/\\\0")


def _names(folder: str) -> list[str]:
    """Names of the directories (or links to them) in a folder; empty when it cannot be listed."""
    try:
        with os.scandir(folder) as entries:
            return [entry.name for entry in entries if _is_dir(entry)]
    except OSError:
        return []


def _is_dir(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _regular_files(folder: str) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return [entry.name for entry in entries if _is_file(entry)]
    except OSError:
        return []


def _is_file(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_file(follow_symlinks=False)
    except OSError:
        return False


def read_file(path: str) -> bytes:
    """All bytes of a regular file.

    Raises:
        OSError: when it cannot be read, or is no regular file (a pipe would block for ever).
    """
    with open(path, "rb", buffering=0, opener=open_without_waiting) as file:
        size = os.fstat(file.fileno())
        if not stat.S_ISREG(size.st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file")
        return file.read()


def read_start(path: str, limit: int) -> bytes:
    """The first line of a regular file without its newline, read no further than ``limit`` bytes.

    Raises:
        OSError: as ``read_file``.
    """
    with open(path, "rb", buffering=0, opener=open_without_waiting) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file")
        start = b""
        while b"\n" not in start and len(start) < limit:
            piece = file.read(4096)
            if not piece:
                break
            start += piece
        return start.split(b"\n", 1)[0]


def open_without_waiting(path: str, flags: int) -> int:
    """Open as ``open`` does, but a pipe under this name is not waited for."""
    return os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC)
