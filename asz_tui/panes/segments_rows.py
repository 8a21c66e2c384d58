"""Rows of the Segments pane: the activity windows with their gates, their talks, and where each lies in the session.

A talk is in the segment that its `in_segment` relation with the smallest id names, also one that has no node. `reload` costs a walk
over the talks and the relations; a filter reads the first words of each talk once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import tzinfo

from asz_core.document.tree import Tree
from asz_core.sessionflow import Node, attrs_of, record_order

from ..grammar import one_line
from ..lines.line import Line, Span
from ..session.opened import Opened
from ..text.words import clock, count, date, duration
from .tables import Cell, Column, Entry, EntryRows, node_text, span_bar, stretch, text_attr

OUTSIDE = "outside any segment"

GATES: dict[str, str] = {
    "activity_boundary": "no later segment has begun, so it may go on",
    "no_crossing_open_operation": "a tool or a child agent was not finished inside it",
    "lateness_watermark": "the quiet time after it is not long enough yet",
}
"""Gate that is not met -> what that says."""


@dataclass(slots=True)
class Window:
    """One segment: its node (None where a relation names one that is not there), and the talks in it."""

    id: str
    node: Node | None
    number: int = 0
    state: str = ""
    committable: bool = False
    gates: list[str] | None = None
    talks: list[tuple[Tree, int]] = field(default_factory=list)
    start: int = 0
    end: int = 0


class SegmentsRows(EntryRows):
    """The segments of a conversation, each to be unfolded to its talks."""

    sorts = ("order", "talks", "lasted", "state")

    def __init__(self, opened: Opened, tz: tzinfo) -> None:
        """See `EntryRows`."""
        super().__init__(opened, tz)
        self._table = self.table(
            Column("segment", 9),
            Column("state", 9),
            Column("talks", 6, right=True),
            Column("day", 10, rank=3),
            Column("times", 17),
            Column("lasted", 7, right=True, rank=2),
            Column("in session", 10, flex=1, rank=1),
            Column("committable", 12, flex=2),
        )
        self._unfolded: set[str] = set()
        self.reload()

    def reload(self) -> None:
        """Take over the segments and their talks as they are now."""
        fold = self.opened.conversation.fold
        windows = {node.id: _window(node) for node in sorted(fold.of_kind("segment"), key=record_order)}
        segment_of: dict[str, str] = {}
        for _, relation in sorted((r.id, r) for r in fold.relations.values() if r.type == "in_segment"):
            segment_of.setdefault(relation.from_, relation.to)
        outside = Window(OUTSIDE, None)
        self._low = self._high = 0
        for tree, place in self.opened.talks():
            name = segment_of.get(tree.nodes[place].id, "")
            window = windows.setdefault(name, Window(name, None)) if name else outside
            window.talks.append((tree, place))
            self._measure(window, tree.starts[place], tree.ends[place])
        self.windows = [*windows.values(), *([outside] if outside.talks else [])]
        for number, window in enumerate(self.windows, 1):
            window.number = number
        self.refill()

    def _measure(self, window: Window, start: int, end: int) -> None:
        if start:
            if not window.start or start < window.start:
                window.start = start
            if end > window.end:
                window.end = end
            if not self._low or start < self._low:
                self._low = start
            if end > self._high:
                self._high = end

    # --- folding

    def set_open(self, index: int, is_open: bool) -> None:
        """Unfold the segment at a row to its talks, or fold it; from a talk's row its segment."""
        entry = self._rows[index] if 0 <= index < len(self._rows) else None
        if entry is None or entry.sort == "head":
            return
        window: Window = entry.item if entry.sort == "segment" else entry.item[0]
        (self._unfolded.add if is_open else self._unfolded.discard)(window.id)
        self.refill()

    def toggle(self, index: int) -> None:
        """Fold or unfold the segment at a row, whichever it is not."""
        entry = self._rows[index] if 0 <= index < len(self._rows) else None
        if entry is not None and entry.sort == "segment":
            self.set_open(index, entry.item.id not in self._unfolded)

    def set_all(self, is_open: bool) -> None:
        """Fold or unfold every segment."""
        self._unfolded = {window.id for window in self.windows} if is_open else set()
        self.refill()

    # --- which rows

    def entries(self) -> Iterator[Entry | None]:
        """The names of the columns, then the segments and the talks of those unfolded."""
        yield Entry("head", "head")
        for window in self._in_order():
            fits = self.filter.fits(f"{window.id} {window.state} {' '.join(window.gates or [])}")
            talks = window.talks
            if not fits:
                talks = []
                for talk in window.talks:
                    if self.filter.fits(self._words(*talk)):
                        talks.append(talk)
                    yield None
            if not fits and not talks:
                continue
            yield Entry(window.id, "segment", window)
            # What a filter finds inside a segment is shown; otherwise the person unfolds.
            if window.id in self._unfolded:
                for gate in window.gates or []:
                    yield Entry(("gate", window.id, gate), "gate", (window, gate))
            if window.id in self._unfolded or not fits:
                for tree, place in talks:
                    yield Entry(tree.nodes[place].id, "talk", (window, tree, place))

    def _words(self, tree: Tree, place: int) -> str:
        return node_text(self.opened, tree.nodes[place].id)

    def _in_order(self) -> list[Window]:
        match self.sort:
            case "talks":
                found = sorted(self.windows, key=lambda w: -len(w.talks))
            case "lasted":
                found = sorted(self.windows, key=lambda w: w.start - w.end)
            case "state":
                found = sorted(self.windows, key=lambda w: w.state)
            case _:
                found = self.windows
        return found[::-1] if self.down else found

    # --- drawing

    def draw(self, entry: Entry, width: int) -> Line:
        """A row as spans."""
        if entry.sort == "head":
            return self.table_header(self._table, width)
        if entry.sort == "talk":
            return self._talk_line(*entry.item[1:])
        if entry.sort == "gate":
            return self._gate_line(entry.item[1])
        return self._window_line(entry.item, width)

    def _window_line(self, window: Window, width: int) -> Line:
        start, end = window.start // 1_000_000, window.end // 1_000_000
        name = "outside" if window.id == OUTSIDE else str(window.number)
        cells: list[Cell] = [
            [(self._fold(window), "dim"), (name, "text")],
            (one_line(window.state) or "–", "warning" if window.state == "open" else "text"),
            (count(len(window.talks)), "text"),
            (date(start, self.tz), "dim"),
            (stretch(start, end, self.tz), "time" if start else "dim"),
            (duration(end - start) if start else "–", "time" if start else "dim"),
            span_bar(window.start, window.end, self._low, self._high, self._table.room(6, width), self.ascii_only),
            self._committable(window, self._table.room(7, width)),
        ]
        return self._table.row(width, cells, indent=1)

    def _committable(self, window: Window, room: int) -> list[Span]:
        if window.node is None:
            words = "no relation puts them into one" if window.id == OUTSIDE else f"{one_line(window.id)} has no node"
            brief = "no relation" if window.id == OUTSIDE else "no node"
            return [(words if len(words) <= room else brief, "dim")]
        if window.committable and not window.gates:
            return [("yes", "ok")]
        word: Span = ("yes", "ok") if window.committable else ("no", "warning")
        if window.gates is None:
            return [word]
        names = " · " + ", ".join(one_line(gate) for gate in window.gates)
        # The names stand in full below the segment when it is unfolded.
        return [word, (names if len(names) + len(word[0]) <= room else f" · {len(window.gates)} unmet", "warning")]

    def _gate_line(self, gate: str) -> Line:
        spans: list[Span] = [("    unmet  ", "dim"), (one_line(gate), "warning"), (f"  {GATES.get(gate, '')}", "dim")]
        return Line([(self.plain(text), role) for text, role in spans])

    def _fold(self, window: Window) -> str:
        if not window.talks:
            return "  "
        if window.id in self._unfolded:
            return "- " if self.ascii_only else "▾ "
        return "+ " if self.ascii_only else "▸ "

    def _talk_line(self, tree: Tree, place: int) -> Line:
        grammar = self.opened.grammar
        node = tree.nodes[place]
        said = grammar.describe(tree, place)
        start = tree.starts[place] // 1_000_000
        spans: list[Span] = [("    " + clock(start, self.tz) + " ", "time" if start else "dim"), grammar.glyph(node), (" ", "")]
        if said.name:
            spans.append((said.name + " ", "agent"))
        spans.append((said.label, said.role))
        right = grammar.right_side(said)
        right = [(said.note, "dim"), *([(" ", ""), *right] if right else [])]
        return Line([(self.plain(text), role) for text, role in spans], [(self.plain(text), role) for text, role in right])

    def aim(self, entry: Entry) -> str | None:
        """A segment's first talk; on a talk's row, that talk."""
        if entry.sort == "talk":
            return str(entry.key)
        if entry.sort == "segment" and entry.item.talks:
            tree, place = entry.item.talks[0]
            return str(tree.nodes[place].id)
        return None


def _window(node: Node) -> Window:
    attrs = attrs_of(node)
    gates = attrs.get("gates_unmet")
    named = list(dict.fromkeys(gate for gate in gates if isinstance(gate, str))) if isinstance(gates, list) else None
    return Window(node.id, node, state=text_attr(node, "state"), committable=attrs.get("committable") is True, gates=named)
