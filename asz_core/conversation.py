"""One conversation that is open: its chain, its fold, its landed records, its verification and its document.

``refresh`` takes in what landed since and costs in proportion to that; the document is built on demand and remembered until the next
refresh that changes something.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from .document.build import build_document
from .document.model import Document
from .document.to_json import to_compact_json, to_json
from .errors import ChainError
from .sessiondata.reader import Landed
from .sessiondata.record import Record
from .sessiondata.session import SessionData
from .sessionflow.chain import Chain
from .sessionflow.fold import Delta, Fold
from .storage import Storage
from .verify import Report, verify_chain

Progress = Callable[[str, int, int], None]
"""Called with what is being read («rounds» in files, «records» in bytes), how much of it is done, and how much there is."""


@dataclass(slots=True)
class Update:
    """What a refresh took in.

    Attributes:
        deltas: one per round applied, in order.
        landed: the landed files read.
        restarted: the chain was replaced and everything was read anew.
    """

    deltas: list[Delta] = field(default_factory=list)
    landed: list[Landed] = field(default_factory=list)
    restarted: bool = False
    problems_changed: bool = False

    def __bool__(self) -> bool:
        return bool(self.deltas or self.landed or self.restarted or self.problems_changed)


class Conversation:
    """A conversation of a storage root.

    Attributes:
        id: the conversation's id.
        chain: its round files and their fold.
        data: the landed files of its session.
    """

    def __init__(self, storage: Storage, conversation: str, *, through: int | None = None) -> None:
        """
        Args:
            storage: the root.
            conversation: the whole id.
            through: show it as of this round; None follows the head.
        """
        self.storage = storage
        self.id = conversation
        self.chain = Chain(storage, conversation, through=through)
        self.data = SessionData(storage, conversation)
        self._report: Report | None = None
        self._document: Document | None = None

    @property
    def fold(self) -> Fold:
        """The fold of the rounds that link."""
        return self.chain.fold

    def refresh(self, progress: Progress | None = None, *, keep_records: bool = False) -> Update:
        """Take in the rounds and landed files that came since the last refresh.

        Args:
            progress: told how far the reading is.
            keep_records: keep the decoded records, for a document that is to be built at once.
        """
        before, stopped, generation = self.chain.generation, self.chain.stopped, self.data.generation
        deltas = self.chain.refresh(_part(progress, "rounds"))
        header = self.fold.header
        session = header.session if header else self.id
        if session != self.data.session:
            self.data = SessionData(self.storage, session)
        self.data.keep_records = keep_records
        landed = self.data.refresh(progress=_part(progress, "records"))
        changed = stopped != self.chain.stopped or generation != self.data.generation
        update = Update(deltas, landed, self.chain.generation != before, changed)
        if update:
            self._report = self._document = None
        return update

    @property
    def usable(self) -> bool:
        """Whether any round folded; without one there is nothing to show."""
        return self.fold.header is not None

    def require_usable(self) -> None:
        """
        Raises:
            ChainError: when no round is usable, with the sentence that says why.
        """
        if not self.usable:
            raise ChainError(f"{self.id}: {self.chain.stopped or 'there is no round'}")

    @property
    def report(self) -> Report:
        """The verification of the chain, computed once per refresh."""
        if self._report is None:
            self._report = verify_chain(self.chain, self.data)
        return self._report

    def document(self) -> Document:
        """The ``asz.view`` document, built once per refresh.

        Raises:
            ChainError: when no round is usable.
        """
        if self._document is None:
            self._document = build_document(self.chain, self.data, self.report)
        return self._document

    def json(self, *, compact: bool = False) -> bytes:
        """The document as JSON; see ``to_json`` and ``to_compact_json``."""
        return (to_compact_json if compact else to_json)(self.document())

    def yaml(self) -> Iterator[bytes]:
        """The document as YAML in pieces."""
        from .document.to_yaml import yaml_chunks
        from .rawjson import loads

        return yaml_chunks(loads(to_compact_json(self.document())))

    def record(self, seq: int, row: int) -> Record | None:
        """The landed record at an address, or None."""
        return self.data.record(seq, row)

    def landed_line(self, seq: int, row: int) -> str | None:
        """The landed record itself, as the text of its line, or None.

        Raises:
            OSError: when its file cannot be read any more.
        """
        return self.data.landed_line(seq, row)


def _part(progress: Progress | None, what: str) -> Callable[[int, int], None] | None:
    if progress is None:
        return None
    return lambda done, total: progress(what, done, total)
