"""The chain of a conversation: its round files, the fold of those that link, and why the fold stopped.

``Chain.refresh`` lists the directory, reads what is new and folds on, in two steps, so that reading can be done beside. A round
that does not read yet (a file system may show a name before its bytes) is read again at the next refresh, never forgotten. The
rounds directory is the authority; the state file is never needed (session-flow seed, On disk). Listing costs the names there are;
taking in new rounds costs them, and copies and compares lists of what is known without looking into it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from itertools import islice

import msgspec

from ..errors import FoldError, RoundError
from ..storage import RoundFile, Storage, read_file, read_start
from .fold import Delta, Fold
from .frames import Header
from .round import Round, decode_header_line, parse_round

_FIRST_LINE = 1 << 20
"""Bytes in which a round's header must end to be read by itself."""


class Link(msgspec.Struct):
    """One round file of the chain: what it reads as, or why it does not read; whether the fold reached it."""

    file: RoundFile
    round: Round | None = None
    why: str = ""
    folded: bool = False


class Listing(dict[RoundFile, Link | None]):
    """Every round file there is, in order, with its link where it was read now.

    Attributes:
        read: the links read now.
        taken: how often something had been taken in when this was compared with what was known.
        longer: whether all that was known stands first.
        added: what comes after that, when it is so.
    """

    def __init__(self, files: Iterable[RoundFile], read: list[Link], before: list[RoundFile], taken: int) -> None:
        files = list(files)
        super().__init__(dict.fromkeys(files))
        self.update((link.file, link) for link in read)
        self.read = read
        self.taken = taken
        self.longer = files[: len(before)] == before
        self.added = files[len(before) :] if self.longer else []


class Chain:
    """The round files of one conversation and their fold.

    Attributes:
        links: one per round file, by number, then name.
        fold: the fold of the rounds that link, from round 1 on.
        generation: counts how often the fold had to start over.
        listing: counts how often other files were there, or a file read in another way.
        stopped: empty, or one line that says why the fold does not reach the last file.
    """

    def __init__(self, storage: Storage, conversation: str, *, through: int | None = None) -> None:
        """
        Args:
            storage: where the conversation stands.
            conversation: its id.
            through: fold only to this round; later files are listed and not folded. None folds all.
        """
        self.storage = storage
        self.conversation = conversation
        self.through = through
        self.links: list[Link] = []
        self.fold = Fold()
        self.stopped = ""
        self.generation = 0
        self.listing = 0
        self._files: list[RoundFile] = []
        self._by_path: dict[str, RoundFile] = {}
        self._places: dict[RoundFile, int] = {}
        self._unread: set[RoundFile] = set()
        self._folded = 0
        self._taken = 0

    def read_new(self, progress: Callable[[int, int], None] | None = None) -> Listing:
        """List the rounds directory and read what is new or did not read before, changing nothing; may run in another thread.

        Args:
            progress: called with (files read, files to read).

        Returns:
            Every round file there is, compared with those known.
        """
        files = self.storage.rounds(self.conversation, self._by_path)
        known, unread = self._places, self._unread
        if self.lost(files):
            known, unread = {}, set()
        to_read = [file for file in files if file not in known or file in unread]
        read = []
        for number, file in enumerate(to_read):
            read.append(_read_link(file))
            if progress:
                progress(number + 1, len(to_read))
        return Listing(files, read, self._files, self._taken)

    def lost(self, files: Iterable[RoundFile]) -> bool:
        """Whether a file that was folded is gone or another, or one stands before it now: the fold must start over."""
        # What is folded always stands first: the fold stops at the first file that does not link.
        return self._files[: self._folded] != list(islice(files, self._folded))

    def take(self, found: Listing) -> list[Delta]:
        """Make what ``read_new`` found part of this chain and fold on as far as it links.

        Returns:
            One delta per round applied now. When the files that were folded are ``lost``, the fold starts over: ``fold`` is a
            new one, ``generation`` counts up, and the deltas are those of all its rounds.
        """
        if found.taken != self._taken:
            found = Listing(found, found.read, self._files, self._taken)
        if not found.longer and self.lost(found):
            self.fold = Fold()
            self.generation += 1
            self._taken += 1
            self.links, self._files, self._places, self._unread, self._folded = [], [], {}, set(), 0
            found = Listing(found, found.read, [], self._taken)
        if found.longer:
            self._append(found.added, found.read)
        else:
            self._relist(list(found), found.read)
        return self._fold_on()

    def _append(self, added: list[RoundFile], read: list[Link]) -> None:
        """Take in links of which those of new files stand after all that are known."""
        if not added and not read:
            return
        start = len(self._files)
        more = {link.file: link for link in read}
        new = [more[file] for file in added if file in more]
        self.links += new
        self._files += [link.file for link in new]
        self._taken += 1
        for place, link in enumerate(new, start):
            self._places[link.file] = place
            self._by_path[link.file.path] = link.file
        changed = bool(new)
        for link in read:
            place = self._places[link.file]
            if place < start and link.file in self._unread:
                # It was read before it was whole, and again now. What did read once is kept, also when it was read twice.
                changed = changed or link.round is not None or link.why != self.links[place].why
                self.links[place] = link
            (self._unread.add if self.links[place].round is None else self._unread.discard)(link.file)
        self.listing += changed

    def _relist(self, files: list[RoundFile], read: list[Link]) -> None:
        """Take in links when files went or came in between; costs all links."""
        links = {link.file: link for link in read}
        links |= {link.file: link for link in self.links if link.round is not None or link.file not in links}
        self._taken += 1
        self.links = [links[file] for file in files if file in links]
        self._files = [link.file for link in self.links]
        self._places = {file: place for place, file in enumerate(self._files)}
        self._by_path = {file.path: file for file in self._files}
        self._unread = {link.file for link in self.links if link.round is None}
        self.listing += 1

    def refresh(self, progress: Callable[[int, int], None] | None = None) -> list[Delta]:
        """``take`` what ``read_new`` finds."""
        return self.take(self.read_new(progress))

    def _fold_on(self) -> list[Delta]:
        deltas: list[Delta] = []
        self.stopped = ""
        for link in islice(self.links, self._folded, None):
            if self.through is not None and self.fold.head >= self.through:
                break
            self.stopped = self._why_not(link)
            if self.stopped:
                break
            assert link.round is not None
            deltas.append(self.fold.apply(link.round))
            link.folded = True
            self._folded += 1
            # The fold holds what still lives; keeping what was superseded would grow with every revision.
            link.round.entities = []
        return deltas

    def _why_not(self, link: Link) -> str:
        """Why the fold stops before a file, in the words of formats.md section 4; empty when it does not."""
        wanted = self.fold.head + 1
        number = link.file.number
        if number != wanted:
            return f"round {wanted} is missing; the chain stops at round {wanted - 1}"
        if link.round is None:
            return f"round {number} does not read: {link.file.name}: {link.why}"
        try:
            self.fold.check(link.round)
        except FoldError as error:
            return f"round {number} does not fold: {error}"
        return ""

    @property
    def gap(self) -> bool:
        """Whether the fold stopped before a round that is not there, and not at one that does not read or fold."""
        return self.stopped.startswith(f"round {self.fold.head + 1} is missing")

    @property
    def unread(self) -> bool:
        """Whether a file does not read; a watcher asks again then."""
        return bool(self._unread)


def _read_link(file: RoundFile) -> Link:
    try:
        return Link(file, parse_round(read_file(file.path)))
    except RoundError as error:
        return Link(file, why=str(error))
    except OSError as error:
        return Link(file, why=f"it cannot be read: {error.strerror or error}")


def chained_input_digest(previous: str, file_digests: Iterable[str]) -> str:
    """The input digest of a round (formats.md section 3, Input digest).

    Args:
        previous: the input digest of the round before, empty for round 1.
        file_digests: the SHA-256 (hex) of each newly consumed landed file.
    """
    text = previous + "".join("\0" + digest for digest in sorted(file_digests))
    return hashlib.sha256(text.encode()).hexdigest()


def header_of(file: RoundFile) -> Header | None:
    """The header of a round file from its first line alone; None when that cannot be read, or is none that a reader takes."""
    try:
        return decode_header_line(read_start(file.path, _FIRST_LINE))
    except (OSError, RoundError):
        return None


class Head(msgspec.Struct, frozen=True):
    """The newest round of a chain as the directory tells it, and whether the state file agrees."""

    number: int
    prefix: str
    state_agrees: bool


def recover_head(storage: Storage, conversation: str) -> Head | None:
    """The head of a conversation from its directory; the state file may be stale, absent or ahead.

    Returns:
        The last round file in order, or None when there is none.
    """
    files = storage.rounds(conversation)
    if not files:
        return None
    state = storage.state(conversation)
    last = files[-1]
    agrees = state.get("head") == str(last.number) and state.get("head_digest", "").startswith(last.prefix)
    return Head(last.number, last.prefix, agrees)
