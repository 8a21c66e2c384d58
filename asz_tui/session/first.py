"""What the first frame needs, read in a thread that may begin long before there is a screen.

`FirstReading`, of a conversation: the rounds are folded and the landed files skimmed, which gives the times of the steps; that is a
fourth of what it costs to read them whole. What a row says is read with the row, and everything is checked behind the screen.

`FirstListing`, of a root: the names, a stat each, and the headers of as many conversations as there are rows on the screen.

Nothing in here knows Textual: the explorer starts the reading first and imports Textual then.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from asz_core.conversation import Conversation
from asz_core.errors import AszError
from asz_core.listing import Row
from asz_core.root import Root

from ..collector import paused
from .opened import Opened

_TOLD_EVERY = 0.1

Progress = Callable[[str, int, int], object]


class FirstReading:
    """Reads one conversation once.

    Attributes:
        done: set when the reading ended.
        opened: what was read; None before, and when it failed.
        why: why it failed.
    """

    def __init__(self, root: Root, conversation: str, *, ascii_only: bool = False) -> None:
        """
        Args:
            root: the open root.
            conversation: the whole id.
            ascii_only: which glyphs the rows use.
        """
        self.done = threading.Event()
        self.opened: Opened | None = None
        self.why = ""
        self._root = root
        self._conversation = conversation
        self._ascii_only = ascii_only
        self._progress: Progress | None = None
        self._ended: Callable[[], object] | None = None
        self._lock = threading.Lock()
        self._told = 0.0

    def start(self) -> FirstReading:
        """Begin to read; returns at once."""
        threading.Thread(target=self._run, name="asz-load", daemon=True).start()
        return self

    def listen(self, progress: Progress, ended: Callable[[], object]) -> None:
        """Have somebody told how far the reading is and, once, that it ended; in its thread, or in this one when it has."""
        with self._lock:
            self._progress, self._ended = progress, ended
            has_ended = self.done.is_set()
        if has_ended:
            ended()

    def _run(self) -> None:
        try:
            with paused():
                conversation = Conversation(self._root.storage, self._conversation)
                conversation.refresh(self._tell, skim=True)
                opened = Opened(conversation, ascii_only=self._ascii_only)
                conversation.report  # noqa: B018 - computed here so that the screen need not wait for it
            self.opened = opened
        except (AszError, OSError) as error:
            self.why = str(error)
        except Exception as error:
            self.why = f"this should not happen ({type(error).__name__}: {error})"
        with self._lock:
            self.done.set()
            ended = self._ended
        if ended is not None:
            ended()

    def _tell(self, what: str, done: int, total: int) -> None:
        progress, now = self._progress, time.monotonic()
        if progress is not None and now - self._told > _TOLD_EVERY:
            self._told = now
            progress(what, done, total)


class FirstListing:
    """Reads the first rows of the list of conversations once.

    Attributes:
        done: set when the reading ended.
        names: every folder of a conversation and when its rounds changed last (ns), newest first.
        rows: of the first of them.
    """

    def __init__(self, root: Root, count: int) -> None:
        """
        Args:
            root: the open root.
            count: how many rows.
        """
        self.done = threading.Event()
        self.names: list[tuple[str, int]] = []
        self.rows: list[Row] = []
        self._root = root
        self._count = count

    def start(self) -> FirstListing:
        """Begin to read; returns at once."""
        threading.Thread(target=self._run, name="asz-first-rows", daemon=True).start()
        return self

    def _run(self) -> None:
        try:
            self.names = self._root.newest_names()
            self.rows = [self._root.row(name) for name, _ in self.names[: self._count]]
        finally:
            self.done.set()
