"""Search in the text of every conversation of a root, newest first, with progress.

`search_all` is the search itself, as a generator. Each conversation's files are first looked through as bytes (about 3 ms a
megabyte); only one that may hold a match is loaded, searched as if it were on the screen, and let go of again, so memory is bounded
by the largest conversation. `AllSearch` runs it in a process of its own and reads its results in a thread: loading is work that
holds the interpreter's lock for long, which no key press should wait for; stopping ends the process at once, whatever it is at.
Where no process can be started the thread does the work itself.

The process writes one line of JSON an event. It is told nothing but the root and the query, and ends when nobody reads any more.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import msgspec

from asz_core import AszError, Root
from asz_core.conversation import Conversation
from asz_core.listing import Row
from asz_core.sessionflow.chain import header_of
from asz_core.storage import Storage

from .guard import TooSlow
from .opened import Opened
from .search import Snippet, compile_query, run, snippet
from .sieve import BLOCK, Query, Stopped, suspicious

HITS = 3
"""Hits that a result brings along; the others are found when the conversation is opened."""
_AROUND = 120
_TELL_EVERY = 0.1


class Hit(msgspec.Struct):
    """One match: the node, its kind, in what it stands, and what stands around it."""

    node: str
    kind: str
    where: str
    before: str
    match: str
    after: str

    @property
    def snippet(self) -> Snippet:
        """As search in one conversation gives it."""
        return Snippet(self.where, self.before, self.match, self.after)


class InConversation(msgspec.Struct, tag="found"):
    """What was found in one conversation.

    Attributes:
        to_ms: its last activity; None when it is not known.
        count: nodes with a match.
        hits: the first few, in reading order.
        named: the title or the id matches.
        problem: why it could not be searched, or empty.
    """

    id: str
    title: str = ""
    to_ms: int | None = None
    count: int = 0
    hits: list[Hit] = []
    named: bool = False
    problem: str = ""


class Progress(msgspec.Struct, tag="progress"):
    """How many conversations, and how many bytes of them, were looked through, of how many."""

    done: int = 0
    total: int = 0
    bytes_done: int = 0
    bytes_total: int = 0


Event = Progress | InConversation


def search_all(root: Root, query: str, stop: Callable[[], bool] = lambda: False) -> Iterator[Event]:
    """Search every conversation.

    Args:
        root: where.
        query: as in one conversation.
        stop: asked often; ends the search when true.

    Yields:
        Results as they come, newest conversation first, and the progress between them; the last event is a progress.

    Raises:
        ValueError: when the query is no pattern.
    """
    looks = Query(query)
    rows = root.rows()
    files = {row.id: _files(root.storage, row.id) for row in rows if not stop()}
    sizes = {name: sum(size for _, size in found) for name, found in files.items()}
    at = Progress(0, len(rows), 0, sum(sizes.values()))
    yield at
    told = time.monotonic()
    for row in rows:
        if stop():
            return
        found = _named(row, looks)
        before = at.bytes_done
        with suppress(Stopped):
            for passed, size in _pass(files[row.id], looks, stop):
                at.bytes_done += size
                if time.monotonic() - told > _TELL_EVERY:
                    told = time.monotonic()
                    yield at
                if passed:
                    _search_one(root, query, found, stop)
                    break
        if stop():
            return
        at.bytes_done = before + sizes[row.id]
        at.done += 1
        if found.count or found.named or found.problem:
            yield found
        if found.count or at.done == at.total or time.monotonic() - told > _TELL_EVERY:
            told = time.monotonic()
            yield at


def _named(row: Row, looks: Query) -> InConversation:
    title = row.title or ""
    named = False
    with suppress(TooSlow):
        named = looks.fits(title) or looks.fits(row.id)
    return InConversation(row.id, title, row.to_ms, named=named)


def _files(storage: Storage, name: str) -> list[tuple[str, int]]:
    """The round files and landed files of a conversation with their sizes."""
    rounds = storage.rounds(name)
    sessions = {name}
    for file in rounds:
        # The chain's session is that of its first round; where that does not read, any round names it.
        header = header_of(file)
        if header is not None:
            sessions.add(header.session)
            break
    landed = [file for session in sessions for file in storage.landed(session)]
    found = [file.path for file in (*landed, *rounds)]
    return [(path, _size(path)) for path in found]


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


def _pass(files: list[tuple[str, int]], looks: Query, stop: Callable[[], bool]) -> Iterator[tuple[bool, int]]:
    """Whether a match is possible, and the bytes looked through, piece by piece; what cannot be read may hold one."""
    if not looks.needles:
        yield True, 0
        return
    overlap = 16 + 4 * max(map(len, looks.needles))
    for path, _ in files:
        tail = b""
        try:
            with open(path, "rb", buffering=0) as file:
                while data := file.read(BLOCK):
                    if stop():
                        raise Stopped
                    piece = tail + data
                    yield looks.in_bytes(piece, suspicious(piece)), len(data)
                    tail = piece[-overlap:]
        except OSError:
            yield True, 0


def _search_one(root: Root, query: str, found: InConversation, stop: Callable[[], bool]) -> None:
    """Load a conversation and search it."""

    def progress(what: str, done: int, total: int) -> None:
        if stop():
            raise Stopped

    try:
        conversation = Conversation(root.storage, found.id)
        conversation.refresh(progress)
        opened = Opened(conversation)
    except (AszError, OSError) as error:
        found.problem = str(error)
        return
    matches = run(opened, compile_query(query), stop)
    found.count, found.problem = len(matches.ids), matches.error
    for node_id in matches.ids[:HITS]:
        where = snippet(opened, matches, node_id)
        if where is not None:
            kind = conversation.fold.nodes[node_id].kind
            found.hits.append(Hit(node_id, kind, where.where, where.before[-_AROUND:], where.match, where.after[:_AROUND]))


class AllSearch:
    """A search of a root that runs beside the screen.

    Attributes:
        query: as typed.
        results: what was found so far, newest conversation first; only grows.
        progress: how far it is.
        done: whether it is over, be it because it was stopped.
        error: why there was no search, or empty.
    """

    def __init__(self, root: Root, query: str, tell: Callable[[], None], *, process: bool = True) -> None:
        """
        Args:
            root: where to search.
            query: as in one conversation.
            tell: called in a thread while there is news, about ten times a second, and at the end.
            process: use a process of its own; else a thread does the work.
        """
        self.query = query
        self.results: list[InConversation] = []
        self.progress = Progress()
        self.done = False
        self.error = compile_query(query).error
        self._root = root
        self._tell = tell
        self._with_process = process
        self._stopped = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Begin; `tell` is called at least once."""
        if self.error or not self.query.removeprefix("re:"):
            self.done = True
            self._tell()
            return
        threading.Thread(target=self._work, name="asz-search-all", daemon=True).start()

    def stop(self) -> None:
        """End it; what was found stays. Nothing is told any more."""
        self._stopped.set()
        self.done = True
        process = self._process
        if process is not None:
            with suppress(OSError):
                process.kill()

    def _work(self) -> None:
        try:
            events = self._from_process() if self._with_process else None
            for event in events or search_all(self._root, self.query, self._stopped.is_set):
                if self._stopped.is_set():
                    break
                if isinstance(event, Progress):
                    self.progress = msgspec.structs.replace(event)
                    self._tell()
                else:
                    self.results.append(event)
        except (OSError, ValueError, msgspec.MsgspecError) as error:
            self.error = f"the search ended early: {error}"
        if not self._stopped.is_set():
            self.done = True
            self._tell()

    def _from_process(self) -> Iterator[Event] | None:
        """The events of a process that was started; None where none can be."""
        if not sys.executable:
            return None
        command = [sys.executable, "-m", __name__, os.fspath(self._root.path)]
        above = str(Path(__file__).resolve().parents[2])
        paths = os.pathsep.join([above, *filter(None, [os.environ.get("PYTHONPATH")])])
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "PYTHONPATH": paths},
                start_new_session=True,
            )
        except OSError:
            return None
        self._process = process
        return self._read(process)

    def _read(self, process: subprocess.Popen[bytes]) -> Iterator[Event]:
        assert process.stdin is not None and process.stdout is not None
        with process:
            if self._stopped.is_set():
                process.kill()
            with suppress(BrokenPipeError):
                process.stdin.write(msgspec.json.encode(self.query))
                process.stdin.close()
            for line in process.stdout:
                yield _decode(line)
        if process.returncode and not self._stopped.is_set():
            raise OSError(f"its process ended with {process.returncode}")


_decode = msgspec.json.Decoder(Event).decode


def main() -> int:
    """The process: root as the argument, query as JSON on the standard input, events as JSON lines on the standard output."""
    with suppress(OSError):
        os.nice(5)
    query = msgspec.json.decode(sys.stdin.buffer.read(), type=str)
    encode = msgspec.json.encode
    try:
        for event in search_all(Root(sys.argv[1]), query):
            sys.stdout.buffer.write(encode(event) + b"\n")
            sys.stdout.buffer.flush()
    except BrokenPipeError:
        # Nobody reads any more; the interpreter must not try to write the rest when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    except (AszError, ValueError):
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
