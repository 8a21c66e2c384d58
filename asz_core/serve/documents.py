"""The conversations that a server holds open, and their documents as bytes: at most so many, the least used let go first.

`Documents` belongs to one event loop; what reads or builds runs in its pool, one job a conversation at a time. Each job first looks
whether anything changed (a listing and a stat a file, about 15 us a file), and requests that wait together share one look.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import os
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import TypeVar

from ..conversation import Conversation
from ..document.build import build_document
from ..document.to_json import to_compact_json
from ..errors import ChainError, NotFound
from ..root import Root

T = TypeVar("T")
_Stamps = dict[str, tuple[int, int, int]]
_LEVEL = 1
"""Of gzip: the first reader waits for it, and on documents level 6 takes 3.5 times as long to save another fifth."""


class Stopped(Exception):
    """A conversation was not read to its end because the server stops."""


@dataclass(slots=True)
class View:
    """A document as it is sent.

    Attributes:
        body: compact JSON.
        tag: the head round's digest and that of the body, which also changes with the landed files.
        packed: the body in gzip, once somebody asked for it.
    """

    body: bytes
    tag: str
    packed: bytes | None = None


class Documents:
    """The open conversations of a root."""

    def __init__(self, root: Root, pool: Executor, *, most: int, stopping: Callable[[], bool]) -> None:
        """
        Args:
            root: what is served.
            pool: where reading and building runs.
            most: how many conversations stay open while nobody waits for them.
            stopping: asked while a conversation is read; True gives the reading up.
        """
        self._root = root
        self._pool = pool
        self._most = most
        self._stopping = stopping
        self._open: OrderedDict[str, _Open] = OrderedDict()

    @property
    def held(self) -> list[str]:
        """Ids of the conversations held, the least lately used first."""
        return list(self._open)

    async def view(self, conversation: str, *, packed: bool = False) -> View:
        """The document of a conversation as it is now.

        Args:
            conversation: its whole id.
            packed: with ``View.packed``.

        Raises:
            NotFound: when there is no such conversation.
            ChainError: when it has no usable round; it says why.
        """
        return await self._use(conversation, lambda it: it.view(packed), keep_records=True)

    async def record(self, conversation: str, seq: int, row: int) -> bytes:
        """A landed record of a conversation: its line.

        Raises:
            NotFound: when there is no such conversation or record.
            OSError: when its file cannot be read any more.
        """
        return await self._use(conversation, lambda it: it.record(seq, row), keep_records=False)

    async def _use(self, conversation: str, job: Callable[[_Open], T], *, keep_records: bool) -> T:
        held = self._open.get(conversation)
        if held is None:
            held = self._open[conversation] = _Open(self._root, conversation, self._stopping)
        self._open.move_to_end(conversation)
        held.users += 1
        asked = held.looks
        try:
            async with held.lock:
                return await asyncio.get_running_loop().run_in_executor(self._pool, _run, held, asked, keep_records, job)
        finally:
            held.users -= 1
            if held.conversation is None and not held.users and self._open.get(conversation) is held:
                del self._open[conversation]
            self._let_go()

    def _let_go(self) -> None:
        # One that is being waited for stays, or the next request would build it a second time beside the first.
        idle = [name for name, held in self._open.items() if not held.users]
        for name in idle[: max(0, len(self._open) - self._most)]:
            del self._open[name]


def _run(held: _Open, asked: int, keep_records: bool, job: Callable[[_Open], T]) -> T:
    # A look that began before this request came may have missed what the client knows to be there; a later one is as good as new.
    if held.looked <= asked:
        held.look(keep_records)
    return job(held)


class _Open:
    """One conversation held open. Its methods block; the lock lets in one job at a time."""

    def __init__(self, root: Root, conversation: str, stopping: Callable[[], bool]) -> None:
        self.id = conversation
        self.lock = asyncio.Lock()
        self.users = 0
        self.looks = 0
        self.looked = 0
        self.conversation: Conversation | None = None
        self._root = root
        self._stopping = stopping
        self._session = conversation
        self._stamps: _Stamps = {}
        self._view: View | None = None

    def look(self, keep_records: bool) -> None:
        """Take in what changed on disk, from the start when a file that was read is another now."""
        self.looks += 1
        number = self.looks
        while True:
            session = self._session
            # Taken before anything is read: what changes while it is read then shows at the next look.
            stamps = self._stamp(session)
            self._take_in(stamps, keep_records)
            self._stamps = stamps
            if self._session == session:
                break  # else the header names another session than was stamped
        self.looked = number

    def _take_in(self, stamps: _Stamps, keep_records: bool) -> None:
        held = self.conversation
        if held and stamps == self._stamps and not (held.chain.unread or held.data.unreadable):
            return
        if any(stamps.get(path) != stamp for path, stamp in self._stamps.items()):
            held = None
        self.conversation = None  # until it is whole again
        held = held or Conversation(self._root.storage, self.id)
        if held.refresh(self._progress, keep_records=keep_records) or stamps != self._stamps:
            self._view = None
        self.conversation = held
        self._session = held.data.session

    def _stamp(self, session: str) -> _Stamps:
        storage = self._root.storage
        rounds = [file.path for file in storage.rounds(self.id)]
        if not rounds:
            self.conversation, self._view, self._stamps = None, None, {}
            raise NotFound(f"there is no conversation {self.id!r}")
        return {path: _stamp_of(path) for path in [*rounds, *(file.path for file in storage.landed(session))]}

    def _progress(self, what: str, done: int, total: int) -> None:
        if self._stopping():
            raise Stopped("the server stops")

    def view(self, packed: bool) -> View:
        """The document, built when nothing of it is at hand."""
        if self._view is None:
            self._view = self._build()
        if packed and self._view.packed is None:
            self._view.packed = gzip.compress(self._view.body, _LEVEL, mtime=0)
        return self._view

    def _build(self) -> View:
        held = self.conversation
        assert held is not None
        try:
            if not held.usable:
                raise ChainError(f"no usable round: {held.chain.stopped or 'there is none'}")
            # Not held.document(): that remembers the tree, five times the size of its bytes, and nobody asks for it again.
            body = to_compact_json(build_document(held.chain, held.data))
        finally:
            held.data.forget_records()
        head = next(link.round for link in reversed(held.chain.links) if link.folded and link.round)
        return View(body, f"{head.digest[:16]}-{hashlib.sha256(body).hexdigest()[:16]}")

    def record(self, seq: int, row: int) -> bytes:
        """The line of a landed record."""
        assert self.conversation is not None
        try:
            line = self.conversation.landed_line(seq, row)
        except IndexError:
            line = None  # the file was cut since the look
        if line is None:
            raise NotFound(f"there is no record {seq}:{row}")
        return line.encode()


def _stamp_of(path: str) -> tuple[int, int, int]:
    try:
        found = os.stat(path)
    except OSError:
        return (0, 0, 0)
    return (found.st_ino, found.st_size, found.st_mtime_ns)
