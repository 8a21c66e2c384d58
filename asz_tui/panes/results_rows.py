"""Rows of search results: one line a hit in a conversation, and conversations with their first hits for a search of a whole root.

`ResultsRows` stands over a `Found` that may still grow at its end: the number of rows is the number of hits, row n is hit n, and a
row reads the records of its node when it is on the screen (about 0.1 ms, remembered for the last few hundred). `AllResultsRows`
stands over the list of an `AllSearch`, which only grows too; its rows are texts that came with the result.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from datetime import tzinfo
from typing import TYPE_CHECKING

from asz_core.document.tree import Tree
from asz_core.vocabulary import CONTAINERS

from ..glyphs import kind_glyph
from ..grammar import one_line
from ..lines.line import Line, Span
from ..session.opened import Opened
from ..session.search import Found, Snippet, snippet
from ..text.cells import width as cells_of
from ..text.safe import visible
from ..text.words import clock, count, counted, date, size
from .tables import Column, Table, full_text

if TYPE_CHECKING:
    from ..session.search_all import AllSearch, InConversation

_KEPT = 512
_BEFORE = 24


def snippet_spans(found: Snippet, room: int, ascii_only: bool, *, role: str = "text") -> list[Span]:
    """A match with what stands around it, safe and on one line; the match itself is in sight however wide the rest is.

    Args:
        found: the match.
        room: cells there are; the text before the match takes a third of them at most.
        ascii_only: spell what was cut in ASCII.
        role: of the text around.
    """
    cut = "~" if ascii_only else "…"
    lead = max(4, min(_BEFORE, room // 3))
    before = visible(found.before)
    if cells_of(before) > lead:
        while cells_of(before) >= lead:
            before = before[max(1, (cells_of(before) - lead) // 2) :]
        before = cut + before
    return [(before, role), (visible(found.match), f"{role} match"), (visible(found.after), role)]


class ResultsRows:
    """A row source over the hits of a search in one conversation."""

    sorts: tuple[str, ...] = ()

    def __init__(self, opened: Opened, tz: tzinfo, found: Found | None = None) -> None:
        """
        Args:
            opened: what was searched.
            tz: the zone of times.
            found: the search; see `set_found`.
        """
        self.opened = opened
        self.tz = tz
        self.ascii_only = opened.grammar.ascii_only
        self.found = found
        self._stamp = 0
        self._snippets: OrderedDict[str, Snippet | None] = OrderedDict()
        self._table = Table(
            (
                Column("time", 8),
                Column("stream", 10, flex=1, rank=2),
                Column("step", 18, flex=3),
                Column("in", 6, rank=1),
                Column("match", 24, flex=6),
            ),
            ascii_only=self.ascii_only,
            indent=1,
            gap=2,
        )

    def set_found(self, found: Found | None) -> None:
        """Show another search; None shows nothing."""
        self.found = found
        self.reload()

    def reload(self) -> None:
        """Take over the conversation after it changed."""
        self._snippets.clear()
        self._stamp += 1

    # --- the source

    @property
    def version(self) -> Hashable:
        """Changes with every hit that comes."""
        return self._stamp, len(self)

    def row_version(self, index: int) -> Hashable:
        """A row that is there stays as it is while others come."""
        return self._stamp, self.key(index)

    def __len__(self) -> int:
        return len(self.found.ids) if self.found is not None else 0

    def key(self, index: int) -> Hashable:
        """The node's id."""
        assert self.found is not None
        return self.found.ids[index]

    def index_of(self, key: Hashable) -> int | None:
        """The row of a node, when it is a hit."""
        at = self.found.position(key) if self.found is not None and isinstance(key, str) else 0
        return at - 1 if at else None

    def target(self, index: int) -> str | None:
        """The id of the node that Enter goes to."""
        return self.found.ids[index] if self.found is not None and 0 <= index < len(self.found.ids) else None

    def line(self, index: int, width: int) -> Line:
        """The row as spans."""
        assert self.found is not None
        node_id = self.found.ids[index]
        place = self.opened.locate(node_id)
        if place is None:
            return Line([(f" {one_line(node_id)}", "dim"), ("  is no more", "dim")])
        tree, at = place
        match = self._snippet(node_id)
        room = self._table.room(4, width)
        return self._table.row(
            width,
            [
                (clock(_time(tree, at) // 1_000_000, self.tz), "time"),
                (self._stream(tree.nodes[at].stream), "dim"),
                self._step(tree, at),
                (match.where if match else "", "dim"),
                snippet_spans(match, room, self.ascii_only) if match else [("the text is no more", "dim")],
            ],
        )

    def full(self, index: int) -> str:
        """The whole row as plain text, however wide."""
        return full_text(self.line(index, 4000))

    def header(self, width: int) -> Line:
        """The names of the columns."""
        return self._table.header(width)

    def narrow(self, text: str) -> str:
        """Results are narrowed by another search, so this does nothing."""
        return ""

    def sort_by(self, column: str) -> None:
        """Results stand in reading order."""

    # --- parts of a row

    def _snippet(self, node_id: str) -> Snippet | None:
        assert self.found is not None
        if node_id not in self._snippets:
            self._snippets[node_id] = snippet(self.opened, self.found, node_id)
            if len(self._snippets) > _KEPT:
                self._snippets.popitem(last=False)
        return self._snippets[node_id]

    def _stream(self, name: str) -> str:
        role, label = self.opened.grammar.stream_role(name)
        return role if role == "main" else one_line(label or name)

    def _step(self, tree: Tree, at: int) -> list[Span]:
        grammar = self.opened.grammar
        said = grammar.describe(tree, at)
        glyph, role = grammar.glyph(tree.nodes[at])
        spans: list[Span] = [(glyph, role), (" ", "")]
        if said.name:
            spans += [(said.name, role), (" ", "")]
        return [*spans, (said.label, said.role)]


def _time(tree: Tree, at: int) -> int:
    return tree.starts[at] if tree.nodes[at].kind in CONTAINERS else tree.times[at]


class AllResultsRows:
    """A row source over the conversations that a search of a root found, each with its first hits below it."""

    sorts: tuple[str, ...] = ()

    def __init__(self, search: AllSearch | None, tz: tzinfo, ascii_only: bool) -> None:
        """
        Args:
            search: what runs or ran; see `set_search`.
            tz: the zone of times.
            ascii_only: write ASCII only.
        """
        self.tz = tz
        self.ascii_only = ascii_only
        self._stamp = 0
        self._heads = Table(
            (Column("title", 20, flex=1), Column("hits", 8, right=True), Column("date", 10, rank=1), Column("time", 8, rank=2)),
            ascii_only=ascii_only,
            indent=1,
            gap=2,
        )
        self._hits = Table((Column("in", 6), Column("match", 20, flex=1)), ascii_only=ascii_only, indent=3, gap=1)
        self.set_search(search)

    def set_search(self, search: AllSearch | None) -> None:
        """Show another search; None shows nothing."""
        self.search = search
        self._rows: list[tuple[InConversation, int]] = []
        self._index: dict[Hashable, int] = {}
        self._taken = 0
        self._stamp += 1
        self.take()

    def take(self) -> None:
        """Take in the results that came since; costs in proportion to them. Call it when the search tells of news."""
        results = self.search.results if self.search is not None else []
        while self._taken < len(results):
            found = results[self._taken]
            self._taken += 1
            for hit in range(-1, len(found.hits)):
                self._index[_key(found, hit)] = len(self._rows)
                self._rows.append((found, hit))

    # --- the source

    @property
    def version(self) -> Hashable:
        """Changes with every result that comes."""
        return self._stamp, len(self._rows)

    def row_version(self, index: int) -> Hashable:
        """A row that is there stays as it is."""
        return self._stamp, self.key(index)

    def __len__(self) -> int:
        return len(self._rows)

    def key(self, index: int) -> Hashable:
        """The conversation, and which of its hits."""
        return _key(*self._rows[index])

    def index_of(self, key: Hashable) -> int | None:
        """The row of a conversation or a hit."""
        return self._index.get(key)

    def target(self, index: int) -> tuple[str, str | None] | None:
        """The conversation that Enter opens and the node to go to there; the first hit from the row of the conversation."""
        if not 0 <= index < len(self._rows):
            return None
        found, hit = self._rows[index]
        return found.id, found.hits[max(0, hit)].node if found.hits else None

    def line(self, index: int, width: int) -> Line:
        """The row as spans."""
        found, hit = self._rows[index]
        if hit < 0:
            return self._head_line(found, width)
        one = found.hits[hit]
        glyph, role = kind_glyph(one.kind, ascii_only=self.ascii_only)
        spans: list[Span] = [(glyph, role), (" ", "")]
        room = self._hits.room(1, width) - 2
        return self._hits.row(width, [(one_line(one.where), "dim"), [*spans, *snippet_spans(one.snippet, room, self.ascii_only)]])

    def _head_line(self, found: InConversation, width: int) -> Line:
        title: list[Span] = [(one_line(found.title) or "untitled", "title"), (f"  {one_line(found.id)}", "dim")]
        if found.problem:
            title.append((f"  {one_line(found.problem)}", "warning"))
        hits = count(found.count) if found.count else "title" if found.named else "–"
        day, time = date(found.to_ms, self.tz), clock(found.to_ms, self.tz)
        return self._heads.row(width, [title, (hits, "accent"), (day, "time"), (time, "time")])

    def full(self, index: int) -> str:
        """The whole row as plain text, however wide."""
        return full_text(self.line(index, 4000))

    def progress_words(self) -> str:
        """How far the search is and what it found, in one line."""
        search = self.search
        if search is None:
            return ""
        if search.error:
            return one_line(search.error)
        hits = sum(found.count for found in search.results)
        words = f"{counted(hits, 'hit')} in {counted(len(search.results), 'conversation')}"
        at = search.progress
        if search.done:
            return f"{words}   {at.done:,} of {at.total:,} looked through" + ("" if at.done == at.total else ", stopped")
        return f"{words} so far   {at.done:,} of {at.total:,} looked through, {size(at.bytes_done)} of {size(at.bytes_total)}"


def _key(found: InConversation, hit: int) -> Hashable:
    return found.id if hit < 0 else (found.id, found.hits[hit].node)
