"""Search in the loaded conversation: whole texts, inputs, results, names, ids and attrs of every node, in reading order.

`compile_query` makes a `Found`, `run` fills it in, in a thread, and can be stopped. Smart case: a query in small letters finds any
case. `re:` before it makes it a regular expression.

How it works. The trees are walked in reading order, so hits only ever come behind the hits there are, and the first comes early.
A node's id and attrs are looked at where the tree's bytes of both hold the query; the records it stands on are decoded only where
the `sieve` lets their row pass, one block of a landed file at a time, when the first node on the block is met. Nothing decoded is
kept. For a conversation on the screen a `_Shelf` keeps: 16 bytes a block of each landed file, the ids and attrs of each tree as
bytes, and where the last few queries were found (8 bytes a hit). So the same query after a round landed costs the trees that the
round touched, and a query that goes on where another one ended costs the nodes that the other one found.

Cost for n nodes, b bytes of landed files and c rows that pass the sieve: about 3 us a node, 3 ms a megabyte, 20 us a row; a regular
expression without a text that it always holds costs a decoding and a look at every text. The work is done in slices of 4 ms with a
rest between them, so that a key need not wait.
"""

from __future__ import annotations

import re
import threading
import time
from array import array
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple
from weakref import WeakKeyDictionary

from msgspec import UNSET

from asz_core.document.texts import part_at, readable, result_part
from asz_core.document.tree import Tree
from asz_core.errors import RecordError
from asz_core.rawjson import loads, text_of
from asz_core.sessiondata import Part, Record
from asz_core.sessiondata.record import decode_record
from asz_core.sessionflow import Node, attrs_of
from asz_core.vocabulary import CONTAINERS

from ..grammar import INJECTION_WORDS
from .guard import TooSlow
from .opened import Opened
from .sieve import Blocks, FileRows, Pace, Query, Sifted, Stopped, suspicious

RecordAt = Callable[[int, int], Record | None]
RoleOf = Callable[[str], tuple[str, str]]

_TELL_EVERY = 0.05
_MEMOS = 8
_DECODED = 64


@dataclass(slots=True)
class Found:
    """What a search found.

    Attributes:
        query: as typed.
        pattern: what is looked for and marked; None for an empty or wrong query.
        error: why the query is no pattern, or empty.
        ids: nodes with a match, in reading order; more may come at the end until it is done.
        done: whether everything was looked at.
        looked, total: how many of how many nodes were looked at.
        given_up: texts on which the pattern took too long.
        unread: landed files that could not be read (any more).
    """

    query: str
    pattern: re.Pattern[str] | None = None
    error: str = ""
    ids: list[str] = field(default_factory=list)
    done: bool = False
    looked: int = 0
    total: int = 0
    unread: set[str] = field(default_factory=set)
    given_up: int = 0
    looks: Query | None = None
    _places: dict[str, int] = field(default_factory=dict)

    @property
    def marks(self) -> re.Pattern[str] | None:
        """What is marked on the screen; None where looking for it could stop the screen."""
        return self.looks.marks if self.looks is not None else None

    def position(self, node_id: str | None) -> int:
        """The number of a node among the matches, from 1; 0 when it is none."""
        places, ids = self._places, self.ids
        if len(places) < len(ids):
            places.update(zip(ids[len(places) :], range(len(places) + 1, len(ids) + 1), strict=False))
        return places.get(node_id, 0) if node_id else 0


def compile_query(query: str) -> Found:
    """A query as a pattern, or the reason why it is none."""
    found = Found(query)
    if not query.removeprefix("re:"):
        return found
    try:
        found.looks = Query(query)
        found.pattern = found.looks.pattern
    except ValueError as error:
        found.error = str(error)
    return found


def run(opened: Opened, found: Found, stop: Callable[[], bool], tell: Callable[[], None] | None = None) -> Found:
    """Look through every node; meant for a thread.

    Args:
        opened: where to look.
        found: from `compile_query`; filled in.
        stop: asked every few milliseconds; ends the search when true.
        tell: called at the first hit, and then now and then while there is news.
    """
    if found.looks is None:
        found.done = True
        return found
    shelf = _shelf_of(opened)
    while not shelf.lock.acquire(timeout=0.005):
        # An earlier search is about to stop.
        if stop():
            return found
    try:
        _Search(opened, shelf, found, found.looks, stop, tell).run()
        found.done = True
    except Stopped:
        pass
    except TooSlow:
        found.error = "this pattern takes too long on what is here: let nothing repeated be repeated"
        found.done = True
    finally:
        if found.looks.guard is not None:
            found.looks.guard.close()
        shelf.lock.release()
    return found


# --- the texts of a node


def content_texts(node: Node, record_at: RecordAt) -> Iterator[tuple[str, str]]:
    """The texts of the records that a node stands on, whole, each with what it is: text, input, result, name, id, words.

    Args:
        node: any node.
        record_at: gives the record at an address; where it gives None, nothing is said of it.
    """
    if node.ref is None or node.kind in CONTAINERS:
        return
    record = record_at(node.ref.seq, node.ref.row)
    if record is not None:
        if node.kind == "llm.call":
            yield "model", record.model
            return
        part = part_at(record, node.ref)
        if node.kind == "context.injection":
            yield "words", _injection_words(record, part)
        yield from _part_texts(record, part, "input" if part is not None and part.k == "call" else "text")
    if node.kind == "llm.call":
        return
    for ref in (node.refs or ())[1:]:
        other = record_at(ref.seq, ref.row)
        answer = result_part(other, ref) if other is not None else None
        if answer is not None and other is not None:
            yield from _part_texts(other, answer, "result")


def head_texts(node: Node, role_of: RoleOf) -> Iterator[tuple[str, str]]:
    """What the fold says of a node: its id, its attrs as they are spelled and decoded, and of a talk its stream.

    The kind is left to the caller, who need not look at one kind twice.
    """
    yield "id", node.id
    if node.attrs is not UNSET:
        raw = text_of(node.attrs)
        yield "attrs", raw
        if "\\" in raw:
            yield from (("attrs", text) for text in _strings(raw))
    if node.kind == "talk":
        yield from (("stream", text) for text in (*role_of(node.stream), node.stream))


def _part_texts(record: Record, part: Part | None, what: str) -> Iterator[tuple[str, str]]:
    if part is None:
        yield what, readable(record)
    else:
        yield from _spelled(what, part.text)
        if part.data is not UNSET:
            yield from _spelled(what, part.raw_data())
            if not part.text and what != "result" and (said := readable(record)):
                # A document shows the message that stands beside a call in one record as the call's text.
                yield "text", said
        if part.server and part.server_tool:
            yield "name", f"{part.server} · {part.server_tool}"
        yield from (("name", text) for text in (part.name, part.server, part.server_tool) if text)
        if part.id:
            yield "id", part.id
    yield from (("id", text) for text in (record.id, record.child) if text)
    if record.label:
        yield "name", record.label


def _spelled(what: str, text: str) -> Iterator[tuple[str, str]]:
    """A text as it stands, and where it is JSON with escapes its decoded strings: what is shown of them is what a person types."""
    if not text:
        return
    yield what, text
    if "\\" in text and text.lstrip()[:1] in ("{", "[", '"'):
        yield from ((what, inner) for inner in _strings(text))


def _strings(raw: str) -> Iterator[str]:
    try:
        todo = [loads(raw)]
    except ValueError:
        return
    while todo:
        value = todo.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            todo += value.values()
            todo += value
        elif isinstance(value, list):
            todo += value


def _injection_words(record: Record, part: Part | None) -> str:
    """What the row of an injection says in our words, for the types that have some."""
    text = readable(record) if part is None else part.text or part.raw_data()
    if not text.startswith("{"):
        return ""
    try:
        value = loads(text)
    except ValueError:
        return ""
    kind = value.get("type") if isinstance(value, dict) else None
    return INJECTION_WORDS.get(kind, "") if isinstance(kind, str) else ""


# --- where a match stands


class Snippet(NamedTuple):
    """A match and what stands around it, as the data has it; `where` says in what."""

    where: str
    before: str
    match: str
    after: str


_AROUND = 200


def snippet(opened: Opened, found: Found, node_id: str) -> Snippet | None:
    """The first match in a node: in its contents, or else in what the fold says of it. None when there is none (any more).

    Reads the one to three records of the node; meant for the rows on the screen, in the thread of the screen.
    """
    node = opened.conversation.fold.nodes.get(node_id)
    if node is None or found.looks is None:
        return None
    return snippet_in(node, found.looks, opened.conversation.data.record, opened.grammar.stream_role)


def snippet_in(node: Node, query: Query, record_at: RecordAt, role_of: RoleOf) -> Snippet | None:
    """As `snippet`, from what is at hand."""
    texts = (*content_texts(node, record_at), *head_texts(node, role_of), ("kind", node.kind))
    for what, text in texts:
        if (span := query.span(text) if query.fits(text) else None) is None:
            continue
        start, end = span
        before = text[max(0, start - _AROUND) : start]
        if start > _AROUND:
            before = "…" + before[1:]
        return Snippet(what, before, text[start : min(end, start + _AROUND)], text[end : end + _AROUND])
    return None


# --- searching


@dataclass(slots=True)
class _Memo:
    """Where a query was found: for each tree that was looked at, by identity, the places in it."""

    query: Query
    trees: dict[int, tuple[Tree, array[int]]] = field(default_factory=dict)


class _Shelf:
    """What searches in one conversation keep for each other; used by one search at a time."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.files: dict[int, list[FileRows]] = {}
        self.heads: dict[int, tuple[Tree, bytes, bool]] = {}
        self.memos: OrderedDict[str, _Memo] = OrderedDict()
        self.roles: dict[str, tuple[str, str]] = {}
        self._known: dict[int, FileRows] = {}

    def update(self, opened: Opened, trees: list[Tree]) -> None:
        """Take over what landed since the last search, and let go of what is no more."""
        landed = list(opened.conversation.data.files)
        known = self._known
        self._known = {id(one): known[id(one)] if id(one) in known else FileRows(one) for one in landed}
        self.files = {}
        for one in landed:
            self.files.setdefault(one.file.seq, []).append(self._known[id(one)])
        living = set(map(id, trees))
        self.heads = {key: kept for key, kept in self.heads.items() if key in living}
        roles = _roles(opened)
        if roles != self.roles:
            self.roles = roles
            self.memos.clear()
        for memo in self.memos.values():
            memo.trees = {key: kept for key, kept in memo.trees.items() if key in living}

    def memo(self, query: Query) -> tuple[_Memo, _Memo | None]:
        """The memo of a query, and one of a query that it narrows: that of the most trees, and then of the longest text."""
        wider = [memo for memo in self.memos.values() if query.query != memo.query.query and query.narrows(memo.query)]
        mine = self.memos.pop(query.query, None) or _Memo(query)
        self.memos[query.query] = mine
        while len(self.memos) > _MEMOS:
            self.memos.popitem(last=False)
        return mine, max(wider, key=lambda memo: (len(memo.trees), len(memo.query.literal)), default=None)

    def head(self, tree: Tree) -> tuple[bytes, bool]:
        """The ids and attrs of a tree's nodes, and whether they are `suspicious`."""
        kept = self.heads.get(id(tree))
        if kept is None:
            pieces = []
            for node in tree.nodes:
                pieces.append(node.id.encode())
                if node.attrs is not UNSET:
                    pieces.append(bytes(node.attrs))
            data = b"\n".join(pieces)
            kept = self.heads[id(tree)] = (tree, data, suspicious(data))
        return kept[1], kept[2]


_shelves: WeakKeyDictionary[Opened, _Shelf] = WeakKeyDictionary()
_shelves_lock = threading.Lock()


def _shelf_of(opened: Opened) -> _Shelf:
    with _shelves_lock:
        return _shelves.setdefault(opened, _Shelf())


def _roles(opened: Opened) -> dict[str, tuple[str, str]]:
    """Role and label of every stream."""
    roles = {}
    for node in opened.conversation.fold.of_kind("stream"):
        attrs = attrs_of(node)
        role, label = attrs.get("role"), attrs.get("label")
        roles[node.stream] = (role if isinstance(role, str) else "", label if isinstance(label, str) else "")
    return roles


def _end(stop: Callable[[], bool]) -> None:
    """
    Raises:
        Stopped: when it is time to.
    """
    if stop():
        raise Stopped


class _Search:
    """One search through the trees."""

    def __init__(
        self,
        opened: Opened,
        shelf: _Shelf,
        found: Found,
        query: Query,
        stop: Callable[[], bool],
        tell: Callable[[], None] | None,
    ) -> None:
        self._shelf = shelf
        self._found = found
        self._query = query
        self._tell = tell
        self._told, self._told_at = 0, 0.0
        self._rest = Pace(stop)
        if query.guard is not None:
            query.guard.stop = partial(_end, stop)
        self._trees = list(opened.trees)
        shelf.update(opened, self._trees)
        self._blocks = Blocks()
        self._sifted: dict[tuple[int, int], Sifted] = {}
        self._now: dict[int, tuple[int, int, Sifted, FileRows, int]] = {}
        self._decoded: dict[tuple[int, int], Record | None] = {}
        self._kinds: dict[str, bool] = {}

    def run(self) -> None:
        """Look through the trees.

        Raises:
            Stopped: when it was asked to.
        """
        found = self._found
        found.total = sum(len(tree.nodes) for tree in self._trees)
        mine, wider = self._shelf.memo(self._query)
        for tree in self._trees:
            known = mine.trees.get(id(tree))
            if known is None:
                before = wider.trees.get(id(tree)) if wider is not None else None
                places = array("l")
                for place in self._matching(tree, before[1] if before else range(len(tree.nodes))):
                    places.append(place)
                    found.ids.append(tree.nodes[place].id)
                mine.trees[id(tree)] = (tree, places)
            else:
                found.ids += [tree.nodes[place].id for place in known[1]]
            found.looked += len(tree.nodes)
            self._pace()

    def _pace(self) -> None:
        self._rest()
        if self._query.guard is not None:
            self._found.given_up = self._query.guard.given_up
        count = len(self._found.ids)
        if self._tell and count != self._told and (not self._told or time.monotonic() - self._told_at > _TELL_EVERY):
            self._told, self._told_at = count, time.monotonic()
            self._tell()

    def _matching(self, tree: Tree, places: Iterable[int]) -> Iterator[int]:
        """Those of some places of a tree whose nodes match."""
        if not places:
            return
        nodes, pace, kind_fits, content_fits = tree.nodes, self._pace, self._kind_fits, self._content_fits
        head_may_fit = self._query.in_bytes(*self._shelf.head(tree))
        for looked, place in enumerate(places):
            node = nodes[place]
            if (
                kind_fits(node.kind)
                or (head_may_fit and self._head_fits(node))
                or (node.kind == "talk" and self._stream_fits(node))
                or (node.ref is not None and content_fits(node))
            ):
                yield place
            if not looked & 15:
                pace()

    def _kind_fits(self, kind: str) -> bool:
        fits = self._kinds.get(kind)
        if fits is None:
            fits = self._kinds[kind] = self._query.fits(kind)
        return fits

    def _head_fits(self, node: Node) -> bool:
        return self._query.any_fits(text for _, text in head_texts(node, self._role_of))

    def _stream_fits(self, node: Node) -> bool:
        return self._query.any_fits((*self._role_of(node.stream), node.stream))

    def _role_of(self, stream: str) -> tuple[str, str]:
        return self._shelf.roles.get(stream, ("", ""))

    def _content_fits(self, node: Node) -> bool:
        if node.kind in CONTAINERS or not self._passes(node):
            return False
        return self._query.any_fits(text for _, text in content_texts(node, self._record_at))

    def _passes(self, node: Node) -> bool:
        """Whether the sieve lets any row pass that the node stands on."""
        refs = node.refs
        ref = node.ref
        if ref is not None and self._place_of(ref.seq, ref.row) is not None:
            return True
        return refs is not None and len(refs) > 1 and any(self._place_of(ref.seq, ref.row) is not None for ref in refs[1:])

    def _place_of(self, seq: int, row: int) -> tuple[int, int] | None:
        """Where a row stands in its block, when the sieve lets it pass."""
        now = self._now.get(seq)
        if (now is None or not now[0] <= row < now[1]) and (now := self._look_up(seq, row)) is None:
            return None
        return now[2].place(row)

    def _look_up(self, seq: int, row: int) -> tuple[int, int, Sifted, FileRows, int] | None:
        """The sifted block that holds a row, and from which to which row it counts; of several files the last that has the row."""
        files = self._shelf.files.get(seq, ())
        rows = next((rows for rows in reversed(files) if 0 < row <= rows.landed.count), None)
        if rows is None:
            return None
        try:
            block = rows.block_of(row)
            if block is None:
                return None
            key = (id(rows), block)
            sifted = self._sifted.get(key)
            if sifted is None:
                sifted = self._sifted[key] = rows.sift(block, self._blocks.get(rows, block), self._query, self._pace)
        except OSError:
            self._found.unread.add(rows.landed.file.wire)
            return None
        first, last = sifted.first, min(sifted.last, rows.landed.count + 1)
        now = self._now[seq] = (first, last, sifted, rows, block) if len(files) == 1 else (row, row + 1, sifted, rows, block)
        return now

    def _record_at(self, seq: int, row: int) -> Record | None:
        """The record at an address, when the sieve lets its row pass."""
        key = (seq, row)
        if key in self._decoded:
            return self._decoded[key]
        place = self._place_of(seq, row)
        if place is None:
            return None
        _, _, _, rows, block = self._now[seq]
        try:
            record = decode_record(self._blocks.get(rows, block)[place[0] : place[1]])
        except (RecordError, OSError):
            record = None
        if len(self._decoded) >= _DECODED:
            self._decoded.clear()
        self._decoded[key] = record
        return record
