"""A storage root that is open: its conversations, one by its id or the beginning of it, and what changes in it."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from .conversation import Conversation, Progress
from .listing import Row, full_row, newest_first, quick_row
from .storage import Storage, only_one

if TYPE_CHECKING:
    from .watch import Changes, RootWatcher


class Root:
    """A storage root on this machine; only read, never written.

    Attributes:
        storage: its layout.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """
        Raises:
            RootError: when there is no readable directory at ``path``.
        """
        self.storage = Storage(path)
        self.path = self.storage.path

    def conversations(self) -> list[str]:
        """Ids of the conversations, sorted."""
        return self.storage.conversation_ids()

    def newest_names(self) -> list[tuple[str, int]]:
        """Folders of conversations, also of those without a round yet, and when the rounds in each changed last, newest first.

        The time is in nanoseconds, 0 when unknown. Costs one listing and a stat each: what a list can be ordered by before any
        header was read.
        """
        found = [(name, self.storage.changed_ns(name)) for name in self.storage.folders()]
        found.sort(key=lambda entry: (-entry[1], entry[0]))
        return found

    def resolve(self, text: str) -> str:
        """The id that a text means: an id, or the beginning of exactly one.

        Raises:
            NotFound: when no conversation's id starts so.
            Ambiguous: when several do; the message names the first few.
        """
        if self.storage.rounds(text):
            return text
        found = self.storage.conversation_ids(text) if text else []
        return only_one(text, found, "conversation", self.path)

    def row(self, conversation: str, *, full: bool = False) -> Row:
        """A conversation as a list shows it; quick reads one header, full folds its rounds."""
        return (full_row if full else quick_row)(self.storage, conversation)

    def rows(self, *, full: bool = False) -> list[Row]:
        """Every conversation as a list shows it, newest activity first."""
        return newest_first(self.row(name, full=full) for name in self.conversations())

    def open(self, conversation: str, *, through: int | None = None) -> Conversation:
        """A conversation that is not loaded yet; ``refresh`` loads it.

        Args:
            conversation: an id or the beginning of one.
            through: as of this round; None follows the head.

        Raises:
            NotFound, Ambiguous: as ``resolve``.
        """
        return Conversation(self.storage, self.resolve(conversation), through=through)

    def load(
        self, conversation: str, *, progress: Progress | None = None, keep_records: bool = False
    ) -> Conversation:
        """A conversation with its rounds folded and its landed files read.

        Args:
            conversation: an id or the beginning of one.
            progress: told how far the reading is.
            keep_records: for a document that is built at once.

        Raises:
            NotFound, Ambiguous: as ``resolve``. A chain without a usable round is no error here; see ``Conversation.usable``.
        """
        found = self.open(conversation)
        found.refresh(progress, keep_records=keep_records)
        return found

    def watch(self, on_change: Callable[[Changes], None], *, native: bool = True) -> RootWatcher:
        """Report what changes in the root from a thread of its own, until ``stop`` is called.

        Args:
            on_change: called with each coalesced set of changes.
            native: use the system's file events where there are any, beside the poll.
        """
        from .watch import RootWatcher

        watcher = RootWatcher(self.path, on_change, native=native)
        watcher.start()
        return watcher
