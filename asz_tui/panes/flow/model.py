"""`FlowModel`: the Flow pane as data. What is shown of which streams, the window on the time axis, the selection and its edges.

It is a row source: a row is a lane, its key the stream's name (zoomed into a stream: the family's). The axis is two lines to
stand above the rows. The selection is a node id and is shared with the tree. What is kept: the index (`FlowIndex`), the lanes
shown, the axis, and a painter for the window. A zoom makes the axis anew (costs a sum over the stretches of activity), a pan only
the painter, a move only the edges. Rows are painted when they are asked for; see `paint`. A model that is begun without `whole` has
no rows until `build` has looked at every step, in slices as long as the caller likes.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from datetime import tzinfo
from time import perf_counter

from ...grammar import one_line
from ...lines.line import Line, Span
from ...session.opened import Opened
from ...text.cells import pad
from . import words
from .axis import Activity
from .edges import Edge, lay
from .index import FlowIndex, Lane
from .links import edges_of, streams_below
from .moves import Moves
from .signs import ASCII, MAYBE
from .ticks import axis_lines
from .window import Window

_MAX_INDENT = 6
_AXIS_LINES = 16
"""Windows of which the lines of the axis are kept."""


class FlowModel(Moves, Window):
    """The timeline of an opened conversation.

    Attributes:
        selected: id of the selected node, or None.
        scope: id of the talk that is shown alone, or None.
        stream: name of the stream whose families are shown, or None.
        focused: whether the pane has the focus; the cursor looks different without.
        lanes: the rows.
        axis: where times stand.
        progress: how much of the first look at the steps is done, from 0 to 1.
    """

    def __init__(self, opened: Opened, tz: tzinfo, *, whole: bool = True, index: FlowIndex | None = None) -> None:
        """
        Args:
            opened: what is shown.
            tz: the zone of the clock.
            whole: look at every step at once; otherwise `build` does.
            index: one that another model of the same conversation has made.
        """
        super().__init__(opened.grammar.ascii_only)
        self.opened = opened
        self.tz = tz
        self.index = index or FlowIndex(opened)
        self.selected: str | None = None
        self.scope: str | None = None
        self.stream: str | None = None
        self.focused = True
        self.lanes: list[Lane] = []
        self.edges: list[Edge] = []
        self._by_stream: dict[str, Lane] = {}
        self._rows: dict[str, int] = {}
        self._families: tuple[Lane, int, list[Lane]] | None = None
        self._roots: list[str] | None = None
        self._at: tuple[int, int | None, int] | None = None  # row, index in the lane, time
        self._labels = 0
        self._match: frozenset[str] = frozenset()
        self._found: dict[str, tuple[int, list[int]]] = {}
        self._settled = 0
        self._ticks: dict[Hashable, list[Line]] = {}
        self._building: Iterator[float] | None = self.index.reloading()
        self.progress = 0.0
        if whole:
            self.build()

    @property
    def ready(self) -> bool:
        """Whether every step was looked at."""
        return self._building is None

    def build(self, seconds: float | None = None) -> bool:
        """Look at the steps for so long, roughly (to the end when left out); whether all were looked at."""
        until = None if seconds is None else perf_counter() + seconds
        if self._building is not None:
            for progress in self._building:
                self.progress = progress
                if until is not None and perf_counter() > until:
                    return False
            self._building = None
            self._show(None)
            self._reveal()
        return True

    def let_go(self) -> None:
        """Drop what leads back to the model itself: nobody shows it any more, and no collector should be needed to free it."""
        self._building = None
        self._painters.clear()
        vars(self).pop("painter", None)

    # --- what is shown

    def reload(self, roots: set[str] | None = None, ids: set[str] | None = None) -> None:
        """Take over what landed; costs the trees built again and the lanes they are on. The window stays on its time.

        Args:
            roots: the trees built again, None for all. The trees themselves tell too; an empty set says that none was.
            ids: of everything added, changed and removed, relations too; None when not known: the streams are listed again.
        """
        if not self.ready:
            self._building = self.index.reloading()
            return
        order = self.index.order
        if roots is None:
            self.index.forget()
        touched = self.index.reload(ids, roots)
        if self.scope is not None and not self.index.holds(self.scope):
            self.scope = None
        self._show(None if order != self.index.order or roots is None or self.scope is not None else touched)

    def refresh(self) -> None:
        """Take over what landed where nobody says what; costs a look at every tree."""
        if self.ready:
            self.index.reload()
            self._show(None)

    def set_scope(self, root_id: str | None) -> bool:
        """Show one talk (with the streams that its steps started) or, with None, the whole conversation.

        Args:
            root_id: the outermost talk, or a loose root; `Opened.find_root` tells that of any node.

        Returns:
            False when there is no such talk; nothing changes then.
        """
        if not self.ready or (root_id is not None and not self.index.holds(root_id)):
            return False
        if root_id != self.scope:
            self.scope = root_id
            if self.stream is not None:
                self.stream = None
            self._reset(None)
        return True

    def set_stream(self, stream: str | None) -> bool:
        """Zoom into one stream, whose families become the lanes; None shows all streams again.

        Returns:
            False when nothing of such a stream is in scope; nothing changes then.
        """
        if stream is not None and not (stream in self._by_stream and self._by_stream[stream].times):
            return False
        if stream != self.stream:
            self.stream = stream
            self._reset(set())
        return True

    def _reset(self, touched: set[str] | None) -> None:
        self._spot = self._spot._replace(factor=1.0, first=0)
        self._show(touched)
        self._reveal()

    def _show(self, touched: set[str] | None) -> None:
        """Make the lanes anew, all or those of the streams touched, and lay the axis under them."""
        self._roots = streams_below(self.opened, self.index, self.scope) if self.scope is not None else None
        if touched is None or not self._by_stream:
            self._by_stream = self.index.lanes(self._roots)
        else:
            floating = {name for name, lane in self._by_stream.items() if lane.floating}
            if touched:
                self._by_stream |= self.index.lanes(self._roots, touched | floating, self._by_stream)
        if self.stream is not None and not (self.stream in self._by_stream and self._by_stream[self.stream].times):
            self.stream = None
        if self.stream is not None:
            self.lanes = self._families_of(self._by_stream[self.stream])
        else:
            self.lanes = [lane for lane in self._by_stream.values() if self.scope is None or lane.times]
        self._rows = {lane.key: row for row, lane in enumerate(self.lanes)}
        self._lay_axis()
        self._select(self.selected)

    def _families_of(self, lane: Lane) -> list[Lane]:
        if self._families is None or self._families[0] is not lane or self._families[1] != lane.stamp:
            self._families = lane, lane.stamp, self.index.families(lane)
        return self._families[2]

    def _lay_axis(self) -> None:
        self._lay(Activity(self.index.stretches(self._roots, self.stream)))

    def _settle(self, lane: Lane, at: int) -> int:
        return self.index.settle(lane, at)

    def _here(self) -> int | None:
        return self._at[2] if self._at is not None else None

    # --- the source

    @property
    def version(self) -> Hashable:
        """Changes whenever any row may have changed."""
        return self._window_key, self._settled, self.selected, self.focused

    def __len__(self) -> int:
        return len(self.lanes)

    def key(self, index: int) -> Hashable:
        """The stream's name, or the family's."""
        return self.lanes[index].key

    def index_of(self, key: Hashable) -> int | None:
        """The row of a stream or a family."""
        return self._rows.get(key) if isinstance(key, str) else None

    def row_version(self, index: int) -> Hashable:
        """Changes with what the row shows: a move changes only the rows it leaves and reaches and those that edges cross."""
        here = self.selected if self._at is not None and self._at[0] == index else None
        crossing = tuple(edge for edge in self.edges if _crosses(edge, index))
        return self._window_key, self.lanes[index].stamp, here, here is not None and self.focused, crossing

    def line(self, index: int, width: int) -> Line:
        """A lane as spans, `width` cells."""
        self.width(width)
        lane = self.lanes[index]
        here = self._at is not None and self._at[0] == index
        painter = self.painter
        if lane.turns:
            self.index.measure_turns(lane)
        over = lay((edge for edge in self.edges if _crosses(edge, index)), index, painter.cell, self._cells, self.signs)
        selected = self._at[1] if here and self._at is not None else None
        # A talk or a run has no mark of its own: the cell where it begins shows the cursor.
        point = painter.cell(self._at[2]) if here and selected is None and self._at is not None else None
        cells = painter.lane(lane, over, selected, self._matches(lane), point)
        if here and not self.focused:
            cells = [(text, role.replace("cursor", "cursor-blur")) for text, role in cells]
        return Line([self._label(lane, width, here), (" ", ""), *cells], mark=self.signs.cursor if here else "")

    def label_width(self, width: int) -> int:
        """Cells of the label column, the blank after it included, on rows of so many cells."""
        return max(8, min(24, width // 5))

    def width(self, cells: int) -> None:
        """Say how wide the rows are; «fit» then fits, and a zoomed window keeps its scale."""
        self._labels = self.label_width(cells)
        inner = max(4, cells - self._labels)
        self._fit_to(inner)

    def _label(self, lane: Lane, width: int, here: bool) -> Span:
        room = self.label_width(width) - 1
        indent = " " * min(lane.depth, _MAX_INDENT)
        label = words.plain(one_line(lane.label) or "no stream", self.signs)
        role = "person" if lane.role == "main" and self.stream is None else "text"
        if not lane.times:
            role = "dim"
        text = pad(indent + label, room, words.ellipsis(self.signs))
        return text, f"{role} {'cursor' if self.focused else 'cursor-blur'}" if here else role

    # --- lines around the rows

    def axis_lines(self, width: int) -> list[Line]:
        """The clock, and the rule with the gaps and the place of the selection: two lines to stand above the rows."""
        self.width(width)
        here = None
        if self._at is not None:
            here = self.painter.cell(self._at[2])
        key = self._window_key, width, here
        if key not in self._ticks:
            if len(self._ticks) > _AXIS_LINES:
                self._ticks.clear()
            indent = self.label_width(width)
            self._ticks[key] = axis_lines(self.axis, self.first, self._cells, self.tz, self.signs, indent, here)
        return self._ticks[key]

    def status(self) -> str:
        """What is shown, in a few words: which part, how many lanes, at which zoom."""
        if not self.ready:
            return self.building_words()
        if self.stream is not None:
            what = f"stream {one_line(self._by_stream[self.stream].label)}"
        else:
            what = "whole session" if self.scope is None else "one talk"
        lanes = f"{len(self.lanes)} lane" + ("" if len(self.lanes) == 1 else "s")
        zoom = "fit" if self.fits else f"{'x' if self.opened.grammar.ascii_only else '×'}{self._factor:.3g}"
        parts = [what, lanes, zoom]
        if self.axis.hidden:
            parts.append(f"{self.axis.hidden} short quiet time{'s' if self.axis.hidden > 1 else ''} left out")
        if self.unsettled:
            parts.append("looking for failures")
        return words.plain(f" {self.signs.dot} ".join(parts), self.signs)

    def building_words(self) -> str:
        """How far the first look at the steps is."""
        return words.plain(f"looking at the steps{'...' if self.signs is ASCII else '…'} {100 * self.progress:.0f} %", self.signs)

    def legend(self, width: int = 1000) -> Line:
        """What the signs mean, as far as there is room."""
        return words.legend(self.signs, width, edges=bool(self.edges))

    def selection(self) -> Line:
        """The selected step in words, with the number of steps in its cell and its edges."""
        return words.selection(self)

    # --- the selection

    def _reveal(self) -> None:
        """Bring the selection into the window, to the middle if it was outside."""
        if self._at is not None and not 0 <= self.painter.cell(self._at[2]) < self._cells:
            self.centre()

    @property
    def row(self) -> int | None:
        """The row of the selection, None when nothing is selected or it is not shown."""
        return self._at[0] if self._at is not None else None

    def select(self, node_id: str | None) -> bool:
        """Select a step, a talk or a run. What hides it (a scope, a zoom into another stream) is left.

        Returns:
            Whether it is on the timeline.
        """
        self._select(node_id)
        if self._at is None and node_id is not None and (self.stream is not None or self.scope is not None):
            located = self.opened.locate(node_id)
            if located is not None and self._hides(located[0].nodes[located[1]].stream, located[0].nodes[0].id):
                self._show(None)
        self._reveal()
        return self._at is not None

    def _hides(self, stream: str, root: str) -> bool:
        """Leave the scope or the stream that hides a node; whether there was anything to leave."""
        scope, zoomed = self.scope, self.stream
        if self._roots is not None and root not in self._roots:
            self.scope = None
        if self.stream is not None and self.stream != stream:
            self.stream = None
        if (scope, zoomed) == (self.scope, self.stream):
            return False
        self._spot = self._spot._replace(factor=1.0, first=0)
        return True

    def _select(self, node_id: str | None) -> None:
        self.selected = node_id
        self._at = self.place(node_id) if node_id is not None else None
        self.edges = edges_of(self, node_id) if node_id is not None and self._at is not None else []

    def place(self, node_id: str) -> tuple[int, int | None, int] | None:
        """The row of a node, its index in the lane (None for a talk or a run) and its time; None when it is not shown."""
        located = self.opened.locate(node_id)
        if located is None:
            return None
        tree, at = located
        node = tree.nodes[at]
        if self._roots is not None and tree.nodes[0].id not in self._roots:
            return None
        lane = self.lane_of(node.stream, node.kind)
        if lane is None:
            return None
        if node.kind in ("talk", "run"):
            time = tree.starts[at] or (lane.times[0] if lane.times else 0)
            return self._rows[lane.key], None, time
        time = lane.placed.get(node_id, tree.times[at])
        index = lane.find(node_id, time)
        return (self._rows[lane.key], index, time) if index is not None else None

    def lane_of_stream(self, stream: str) -> Lane | None:
        """All steps of a stream that are in scope, families or not."""
        return self._by_stream.get(stream)

    def lane_of(self, stream: str, kind: str) -> Lane | None:
        """The lane that steps of a stream and a kind are in; for talks and runs, that of their bars."""
        if self.stream is None:
            row = self._rows.get(stream)
        elif stream != self.stream:
            return None
        else:
            row = self._rows.get(words.family(kind))
            if row is None and kind in ("talk", "run") and self.lanes:
                row = 0
        return self.lanes[row] if row is not None else None

    def pick(self, row: int, column: int) -> str | None:
        """Select the step nearest to a column of a row, counted from the row's first cell.

        Returns:
            Its id; None where there is none.
        """
        if not 0 <= row < len(self.lanes):
            return None
        lane = self.lanes[row]
        cell = column - self._labels
        if cell < 0 and self._at is not None:
            time = self._at[2]
        else:
            time = self._time_at(max(0, cell))
        at = self.painter.best_at(lane, cell) if cell >= 0 else None
        at = lane.nearest(time) if at is None else at
        return self._choose(row, at) if at is not None else None

    def _choose(self, row: int, at: int) -> str:
        self._select(self.lanes[row].nodes[at].id)
        self._reveal()
        assert self.selected is not None
        return self.selected

    def in_cell(self) -> int:
        """How many steps share the cell of the selection in its lane."""
        if self._at is None:
            return 0
        low, high = self.painter.range_of(self.lanes[self._at[0]], self.painter.cell(self._at[2]))
        return high - low

    # --- failures that only the records tell

    def allow(self, records: int | None) -> None:
        """Bound how many steps the next frame may look up to tell whether they failed; the others look as their kind until then."""
        self.index.budget = records

    @property
    def unsettled(self) -> bool:
        """Whether a frame had to leave steps undecided; `settle` goes on with them."""
        return self.index.unsettled

    def settle(self, records: int) -> bool:
        """Look up so many of the steps that may have failed.

        Returns:
            Whether all are decided.
        """
        self.index.budget = records
        self.index.unsettled = False
        for lane in {id(lane): lane for lane in (*self._by_stream.values(), *self.lanes)}.values():
            changed = bool(lane.turns)
            if lane.turns:
                self.index.measure_turns(lane)
            at = lane.ranks.find(MAYBE)
            while at >= 0 and self.index.settle(lane, at) != MAYBE:
                changed = True
                at = lane.ranks.find(MAYBE, at + 1)
            if changed:
                lane.stamp = self.index.stamp()
        self._settled += 1
        return not self.index.unsettled

    # --- matches

    @property
    def match(self) -> frozenset[str]:
        """Ids of the steps that a search found; their cells are marked."""
        return self._match

    @match.setter
    def match(self, ids: frozenset[str] | set[str] | list[str]) -> None:
        self._match = frozenset(ids)
        self._found.clear()
        self._renew()

    def _matches(self, lane: Lane) -> list[int]:
        if not self._match:
            return []
        known = self._found.get(lane.key)
        if known is None or known[0] != lane.stamp:
            places = [at for at, node in enumerate(lane.nodes) if node.id in self._match]
            known = self._found[lane.key] = lane.stamp, places
        return known[1]


def _crosses(edge: Edge, row: int) -> bool:
    return min(edge.from_row, edge.to_row) <= row <= max(edge.from_row, edge.to_row)


__all__ = ["FlowModel"]
