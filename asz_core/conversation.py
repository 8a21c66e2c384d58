"""One conversation that is open: its chain, its fold, its landed records, its verification and its document.

``refresh`` takes in what landed since and costs in proportion to that; it is made of ``read_new``, which may run in another thread,
and ``take``. The document is built on demand and remembered until a refresh changes something.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec
from msgspec import UNSET

from .document.build import build_document
from .document.changes import Observations, collect_observations
from .document.content import ContentReader
from .document.model import Document, ViewNode
from .document.to_json import json_chunks, to_compact_json, to_json
from .errors import ChainError
from .sessiondata.reader import Landed
from .sessiondata.record import Record
from .sessiondata.session import NewFiles, SessionData
from .sessionflow.chain import Chain, Listing
from .sessionflow.fold import Delta, Fold
from .storage import Storage
from .verify import Report, Verifier

Progress = Callable[[str, int, int], None]
"""Called with what is being read («rounds» in files, «records» in bytes), how much of it is done, and how much there is."""


class Update(msgspec.Struct):
    """What a refresh took in.

    Attributes:
        deltas: one per round applied, in order.
        landed: the landed files read.
        restarted: the chain was replaced and everything was read anew.
        files_went: landed files that were read are gone or were replaced.
        problems_changed: what is listed, readable or missing changed, so the verification may have too.
        checked: how many files that were only skimmed before were checked; the records of those that are not in ``landed`` are
            what they were.
    """

    deltas: list[Delta] = msgspec.field(default_factory=list)
    landed: list[Landed] = msgspec.field(default_factory=list)
    restarted: bool = False
    files_went: bool = False
    problems_changed: bool = False
    checked: int = 0

    def __bool__(self) -> bool:
        return bool(self.checked or self.news)

    @property
    def news(self) -> bool:
        """Whether anything else is new than that files were checked and are what they were."""
        return bool(self.deltas or self.landed or self.restarted or self.problems_changed)


class Pending(msgspec.Struct):
    """What was read and is not part of the conversation yet."""

    rounds: Listing
    data: SessionData
    files: NewFiles

    def __bool__(self) -> bool:
        """Whether anything was read."""
        return bool(self.files.landed) or bool(self.rounds.read)


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
        self._verifier = Verifier()
        self._report: Report | None = None
        self._document: Document | None = None
        self._content: ContentReader | None = None
        self._observations: Observations | None = None

    @property
    def fold(self) -> Fold:
        """The fold of the rounds that link."""
        return self.chain.fold

    def read_new(self, progress: Progress | None = None, *, skim: bool = False) -> Pending:
        """Read what landed since, changing nothing, so that it can be done in another thread; ``take`` makes it part of this.

        Args:
            progress: told how far the reading is.
            skim: only skim the landed files: the rest is to be read and ``verifying`` true until further readings were taken.
        """
        ahead = self.data.read_ahead()
        rounds = self.chain.read_new(_part(progress, "rounds"))
        lost = self.chain.lost(rounds)
        session = self._session_of(rounds, lost)
        data = self.data
        if lost or session != data.session:
            data = SessionData(self.storage, session, keep_records=data.keep_records)
        return Pending(rounds, data, data.read_new(_part(progress, "records"), skim=skim, ahead=ahead))

    def _session_of(self, rounds: Listing, lost: bool) -> str:
        """The session that the fold will have: that of the first round of the chain, or the conversation's id without one."""
        if self.fold.header and not lost:
            return self.fold.header.session
        for link in rounds.values():
            if link is not None and link.round is not None and link.round.number == 1:
                return link.round.header.session
        return self.id

    def take(self, pending: Pending) -> Update:
        """Make what ``read_new`` found part of this conversation; costs in proportion to it."""
        chain = self.chain
        stopped, generation, listing = chain.stopped, chain.generation, chain.listing
        data, files, unreadable = self.data, self.data.generation, self.data.unreadable
        deltas = chain.take(pending.rounds)
        self.data = pending.data
        skimmed = {landed.file.wire for landed in self.data.files if not landed.checked} if self.data.unchecked else set()
        landed = self.data.take(pending.files)
        update = Update(deltas, landed, chain.generation != generation)
        update.files_went = data is not self.data or files != self.data.generation
        checked = [landed for landed in pending.files.landed if landed.file.wire in skimmed]
        update.checked = len(checked)
        update.problems_changed = (
            stopped != chain.stopped or listing != chain.listing or update.files_went or unreadable != self.data.unreadable
        )
        self._verifier.landed(found.file.seq for found in landed)
        if update.files_went:
            self._verifier.forget()
        if update:
            self._report = self._document = None
        if update.news or any(landed.observing for landed in checked):
            self._content = self._observations = None
        return update

    def refresh(self, progress: Progress | None = None, *, keep_records: bool = False, skim: bool = False) -> Update:
        """Take in the rounds and landed files that came since the last refresh.

        Args:
            progress: told how far the reading is.
            keep_records: keep the decoded records, for a document that is to be built at once.
            skim: as in ``read_new``.
        """
        self.data.keep_records = keep_records
        return self.take(self.read_new(progress, skim=skim))

    @property
    def verifying(self) -> bool:
        """Whether landed files were only skimmed so far, so that the verification is not known."""
        return self.data.unchecked > 0

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
        """The verification of the chain, computed once per refresh; rounds found in order before are not checked again."""
        if self._report is None:
            self._report = self._verifier.report(self.chain, self.data)
        return self._report

    def document(self) -> Document:
        """The ``asz.view`` document, built once per refresh.

        Raises:
            ChainError: when no round is usable.
        """
        if self.verifying:
            self.data.complete()
            self._report = None
        if self._document is None:
            self._document = build_document(self.chain, self.data, self.report)
        return self._document

    @property
    def content(self) -> ContentReader:
        """Reads what single nodes show of their records; made anew after a refresh that changed something."""
        if self._content is None:
            self._content = ContentReader(self.data, self.observations)
        return self._content

    @property
    def observations(self) -> Observations:
        """The workspace changes and tool executions of the conversation, collected once per refresh that changed something."""
        if self._observations is None:
            self._observations = collect_observations(self.fold, self.data)
        return self._observations

    def view(self, node_id: str) -> ViewNode | None:
        """One node as the document shows it, without children and edges, or None; reads the one to three records it stands on."""
        node = self.fold.nodes.get(node_id)
        if node is None:
            return None
        at = self.data.time(node.ref.seq, node.ref.row) if node.ref is not None else 0
        view = ViewNode(
            node.id, node.kind, node.parent, node.stream, at // 1_000_000, node.ref or UNSET, node.refs or UNSET, node.attrs
        )
        self.content.fill(view, node)
        return view

    def json(self, *, compact: bool = False) -> bytes:
        """The document as JSON; see ``to_json`` and ``to_compact_json``."""
        return (to_compact_json if compact else to_json)(self.document())

    def json_chunks(self) -> Iterator[bytes]:
        """The document as JSON in pieces, which needs less memory and time than ``json``."""
        return json_chunks(self.document())

    def yaml(self) -> Iterator[bytes]:
        """The document as YAML in pieces."""
        from .document.to_json import to_passing
        from .document.to_yaml import yaml_chunks

        return yaml_chunks(to_passing(self.document()))

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
