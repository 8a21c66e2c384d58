"""Rows of the Edges pane: every relation with its ends in words, filtered by type and by quality.

`reload` sorts the relations, a fraction of a microsecond each; words of the ends are made for the rows on the screen. A filter
looks at types, ids, qualities and what joined, and up to `WORDS_SEARCHED` relations also at the words of the ends, which takes
reading their records.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import tzinfo

from asz_core.sessionflow import Relation
from asz_core.vocabulary import QUALITIES, RELATIONS

from ..grammar import one_line
from ..lines.line import Line, Span
from ..session.opened import Opened
from ..text.words import clock, counted
from .tables import Cell, Column, Entry, EntryRows, evidence_words, node_spans, node_text, reach

WORDS_SEARCHED = 3000

_UNSAID = "none"
"""What an empty quality is called."""


class EdgesRows(EntryRows):
    """The relations of a conversation.

    Attributes:
        type: the only type shown, or empty for all.
        quality: the only quality shown, or None for all; empty is a quality, too.
    """

    sorts = ("id", "time", "type", "quality")

    def __init__(self, opened: Opened, tz: tzinfo) -> None:
        """See `EntryRows`."""
        super().__init__(opened, tz)
        self._table = self.table(
            Column("type", 10),
            Column("time", 8, rank=2),
            Column("from", 22, flex=2),
            Column("to", 22, flex=2),
            Column("quality", 19),
            Column("via", 16, flex=1, rank=3),
            Column("evidence", 12, rank=4),
        )
        self.type = ""
        self.quality: str | None = None
        self.reload()

    def reload(self) -> None:
        """Take over the relations as they are now."""
        relations = self.opened.conversation.fold.relations
        self._all = [relation for _, relation in sorted(relations.items())]
        self.types = dict(sorted(Counter(r.type for r in self._all).items()))
        self.qualities = dict(sorted(Counter(r.quality for r in self._all).items()))
        if self.type not in self.types:
            self.type = ""
        if self.quality not in self.qualities:
            self.quality = None
        self.refill()

    # --- filters

    def cycle_type(self, step: int = 1) -> str:
        """Show the next type only, after the last one all; returns what is shown, empty for all."""
        names = ["", *self.types]
        self.type = names[(names.index(self.type) + step) % len(names)]
        self.refill()
        return self.type

    def cycle_quality(self, step: int = 1) -> str:
        """Show the next quality only, after the last one all; returns it in words, empty for all."""
        names: list[str | None] = [None, *self.qualities]
        self.quality = names[(names.index(self.quality) + step) % len(names)]
        self.refill()
        return "" if self.quality is None else self.quality or _UNSAID

    def show(self, type: str = "", quality: str | None = None) -> None:
        """Show one type and one quality only; unknown ones stand for all."""
        self.type = type if type in self.types else ""
        self.quality = quality if quality in self.qualities else None
        self.refill()

    # --- which rows

    def entries(self) -> Iterator[Entry | None]:
        """What is shown in a line, the names of the columns, then the relations."""
        shown = []
        for relation in self._all:
            if self._fits(relation):
                shown.append(relation)
            elif self.filter:
                yield None
        yield Entry("title", "title", len(shown))
        yield Entry("head", "head")
        for relation in self._in_order(shown):
            yield Entry(relation.id, "edge", relation)

    def _fits(self, relation: Relation) -> bool:
        if self.type and relation.type != self.type:
            return False
        if self.quality is not None and relation.quality != self.quality:
            return False
        if not self.filter:
            return True
        words = f"{relation.type} {relation.from_} {relation.to} {relation.quality} {relation.via} {relation.id}"
        if self.filter.fits(words):
            return True
        if len(self._all) > WORDS_SEARCHED:
            return False
        return any(self.filter.fits(node_text(self.opened, end)) for end in (relation.from_, relation.to))

    def _in_order(self, relations: list[Relation]) -> list[Relation]:
        match self.sort:
            case "time":
                found = sorted(relations, key=lambda r: (not (at := self._time(r)), at))
            case "type":
                found = sorted(relations, key=lambda r: r.type)
            case "quality":
                found = sorted(relations, key=lambda r: r.quality)
            case _:
                found = relations
        return found[::-1] if self.down else found

    def _time(self, relation: Relation) -> int:
        """When the record of the from-node was made, in nanoseconds; of a stream, when its first talk began."""
        conversation = self.opened.conversation
        node = conversation.fold.nodes.get(relation.from_)
        if node is None:
            return 0
        if node.ref is not None:
            return conversation.data.time(node.ref.seq, node.ref.row)
        near = reach(self.opened, node.id)
        found = self.opened.locate(near) if near else None
        return found[0].starts[found[1]] if found else 0

    # --- drawing

    def draw(self, entry: Entry, width: int) -> Line:
        """A row as spans."""
        if entry.sort == "title":
            return self._title_line(entry.item)
        if entry.sort == "head":
            return self.table_header(self._table, width)
        relation: Relation = entry.item
        at = self._time(relation) // 1_000_000
        cells: list[Cell] = [
            (one_line(relation.type), "accent"),
            (clock(at, self.tz), "time" if at else "dim"),
            node_spans(self.opened, relation.from_),
            node_spans(self.opened, relation.to),
            self._quality(relation),
            (one_line(relation.via) or "–", "text" if relation.via else "dim"),
            (evidence_words(relation.evidence, 2) or "–", "dim"),
        ]
        return self._table.row(width, cells)

    def _quality(self, relation: Relation) -> list[Span]:
        exact = relation.quality == "exact_unique"
        lead: list[Span] = [] if exact else [("~=" if self.ascii_only else "≈", "dim"), (" ", "")]
        return [*lead, (one_line(relation.quality) or _UNSAID, "text" if exact else "warning")]

    def _title_line(self, shown: int) -> Line:
        total = len(self._all)
        words = counted(total, "relation") if shown == total else f"{shown:,} of {counted(total, 'relation')}"
        facts = [self._choice("type", self.type, list(self.types)), self._choice("quality", self.quality, list(self.qualities))]
        if self.filter and total > WORDS_SEARCHED:
            facts.append("the words of steps are not searched")
        return self.heading(words, " · ".join(facts))

    @staticmethod
    def _choice(name: str, chosen: str | None, names: list[str]) -> str:
        if not chosen and (chosen is None or name == "type"):
            return f"every {name}"
        return f"{name} {one_line(chosen or '') or _UNSAID} ({names.index(chosen or '') + 1} of {len(names)})"

    def explain(self, index: int) -> str:
        """What the type and the quality of the relation at a row mean, in a sentence."""
        entry = self._rows[index] if 0 <= index < len(self._rows) else None
        if entry is None or entry.sort != "edge":
            return ""
        relation: Relation = entry.item
        said = [RELATIONS.get(relation.type, ""), QUALITIES.get(relation.quality, "")]
        return "; ".join(word for word in said if word)

    # --- where Enter goes

    def aim(self, entry: Entry) -> str | None:
        """The node of a tree that the relation comes from."""
        return reach(self.opened, entry.item.from_) if entry.sort == "edge" else None

    def target_to(self, index: int) -> str | None:
        """The node of a tree that the relation at a row goes to."""
        entry = self._rows[index] if 0 <= index < len(self._rows) else None
        return reach(self.opened, entry.item.to) if entry is not None and entry.sort == "edge" else None
