"""A picture of an open conversation that another thread may read while the original goes on, and the meter of an export.

`freeze` copies three dictionaries of entities that never change themselves and shares everything else that was read: milliseconds
for 20,000 steps. Records are read again by their address, and let go of after so many bytes, so that memory stays bounded
however long the conversation is.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import UNSET
from msgspec.structs import replace

from asz_core.conversation import Conversation
from asz_core.errors import AszError
from asz_core.sessiondata import Record, SessionData
from asz_core.sessionflow import Chain, Fold

_KEPT_BYTES = 16_000_000
_EVERY = 32

Progress = Callable[[int, int], None]
"""Called with how much is done and how much there is; in the thread of whoever iterates."""


class ExportError(AszError):
    """An export cannot be made; `str()` is one sentence."""


class Cancelled(ExportError):
    """The export was stopped by whoever asked for it."""

    def __init__(self) -> None:
        super().__init__("the export was cancelled; nothing was written")


class Meter:
    """Counts what is done, tells it now and then, and ends the export when it is asked to.

    Attributes:
        total: how much there is; may be set once it is known.
    """

    def __init__(self, progress: Progress | None, stop: Callable[[], bool] | None) -> None:
        """
        Args:
            progress: told how much is done.
            stop: asked whether to end.
        """
        self.total = 0
        self._done = 0
        self._progress = progress
        self._stop = stop

    def count(self, number: int = 1) -> None:
        """Something more is done.

        Raises:
            Cancelled: when the export is to end.
        """
        before, self._done = self._done, self._done + number
        if before // _EVERY != self._done // _EVERY:
            self.tell()

    def tell(self) -> None:
        """Say how much is done, and look whether to go on.

        Raises:
            Cancelled: when the export is to end.
        """
        if self._stop is not None and self._stop():
            raise Cancelled
        if self._progress is not None:
            # What is counted is a measure of the work, not a promise: more looks than expected are still the whole.
            self._progress(min(self._done, self.total), self.total)

    def finish(self) -> None:
        """Everything is done."""
        self._done = self.total
        self.tell()


class Reader(SessionData):
    """The landed files for one export: counts the records that are looked at, and forgets them after so many bytes.

    Attributes:
        looked: called for each record.
    """

    looked: Callable[[], None] | None = None
    _bytes = 0

    @classmethod
    def over(cls, data: SessionData) -> Reader:
        """A reader of the same files."""
        reader = cls(data.storage, data.session)
        reader.unreadable = dict(data.unreadable)
        reader._take_over(data)
        return reader

    def _take_over(self, data: SessionData) -> None:
        unreadable = self.unreadable
        # All of it at once: what `beside` shares and what it leaves out is its own business.
        vars(self).update(vars(data.beside()))
        self.unreadable = unreadable

    def record(self, seq: int, row: int) -> Record | None:
        """The record at an address; see `SessionData`."""
        if self.looked is not None:
            self.looked()
        found = super().record(seq, row)
        if found is not None:
            self._bytes += _weight(found)
            if self._bytes > _KEPT_BYTES:
                self._bytes = 0
                self._take_over(self)
        return found


def _weight(record: Record) -> int:
    return 500 + sum(len(part.text) + (0 if part.data is UNSET else len(bytes(part.data))) for part in record.parts or ())


def freeze(conversation: Conversation) -> Conversation:
    """A picture of a conversation that stays as it is. To be called in the thread that changes the original."""
    picture = Conversation(conversation.storage, conversation.id)
    picture.chain = _frozen_chain(conversation.chain)
    picture.data = Reader.over(conversation.data)
    return picture


def _frozen_chain(chain: Chain) -> Chain:
    fold = Fold()
    fold.header, fold.first, fold.digest = chain.fold.header, chain.fold.first, chain.fold.digest
    fold.nodes = dict(chain.fold.nodes)
    fold.relations = dict(chain.fold.relations)
    fold.unresolved = dict(chain.fold.unresolved)
    frozen = Chain(chain.storage, chain.conversation, through=chain.through)
    frozen.links = [replace(link) for link in chain.links]
    frozen.fold, frozen.stopped, frozen.generation = fold, chain.stopped, chain.generation
    return frozen
