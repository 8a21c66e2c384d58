"""Where every step stands on the timeline: the lanes of a conversation as sorted arrays.

What is owned: for each tree one `Part` a stream (times, nodes, ranks, bars and stretches of activity), made once for as long as the
tree is the same object; for each stream a `Lane`, its parts one after the other in the order of time. When a round lands, only
the trees that were built again are cut again, and only the lanes of their streams are joined again. Cutting costs some microseconds
a step, joining copies arrays (and sorts only where parts overlap in time); every question to a lane is a bisection.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import accumulate, pairwise

import msgspec
from msgspec import UNSET

from asz_core.document.build import StreamLister
from asz_core.document.content import result_join
from asz_core.document.model import StreamEntry
from asz_core.document.texts import clipped_part_text, duration_ms, part_at, result_part
from asz_core.document.tree import Tree
from asz_core.sessionflow import Node, Ref, attrs_of, record_order
from asz_core.vocabulary import CONTAINERS

from ...glyphs import FAMILIES
from ...session.opened import Opened
from .axis import NEVER, QUIET_NS, Stretch, join_stretches
from .signs import FAILED, INTERVAL, MAYBE, RUN, TALK, TURN, UNFINISHED, rank_of

FAMILY_ORDER = ("input", "responses", "context", "model", "tools", "agents", "notices")
"""Sub-lanes of a stream, from the top."""


_CALLS = frozenset({"tool", "agent.call"})
_NO_FACTS = ("", "")


class _CallAttrs(msgspec.Struct):
    result: str | None = None
    result_join: str | None = None


_decode = msgspec.json.Decoder(_CallAttrs).decode

Interval = tuple[int, int, str]
"""When a call was made, when its result came, and the call's kind."""


@dataclass(slots=True)
class Bars:
    """Stretches of time of one sort, by start.

    Attributes:
        reach: for each, the greatest end up to it.
    """

    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    reach: list[int] = field(default_factory=list)

    @classmethod
    def of(cls, spans: list[Stretch] | list[Interval]) -> Bars:
        """Sort spans: whatever begins with a start and an end."""
        spans.sort()
        ends = [span[1] for span in spans]
        return cls([span[0] for span in spans], ends, list(accumulate(ends, max)))


@dataclass(slots=True)
class Part:
    """What one tree has on one stream, by time; steps without a time come after in `untimed`, in reading order."""

    times: list[int] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    ranks: bytearray = field(default_factory=bytearray)
    untimed: list[Node] = field(default_factory=list)
    spans: tuple[list[Stretch], list[Stretch]] = field(default_factory=lambda: ([], []))
    intervals: list[Interval] = field(default_factory=list)
    turns: list[Node] = field(default_factory=list)
    stretches: list[Stretch] = field(default_factory=list)

    def close(self) -> None:
        """Sort, and find the stretches of activity: steps and results are activity."""
        times = self.times
        points = sorted([*times, *[end for _, end, _ in self.intervals], *[start for start, _, _ in self.intervals]])
        if points and times != sorted(times):
            order = sorted(range(len(times)), key=times.__getitem__)
            self.times = [times[at] for at in order]
            self.nodes = [self.nodes[at] for at in order]
            self.ranks = bytearray(self.ranks[at] for at in order)
        if points:
            breaks = [at for at, (a, b) in enumerate(pairwise(points)) if b - a > QUIET_NS] if _is_long(points) else []
            starts = [points[0], *[points[at + 1] for at in breaks]]
            self.stretches = list(zip(starts, [*[points[at] for at in breaks], points[-1]], strict=True))


def _is_long(points: list[int]) -> bool:
    return points[-1] - points[0] > QUIET_NS


@dataclass(slots=True)
class Lane:
    """One row of the timeline.

    Attributes:
        key: the stream's name, or the family's.
        times, nodes, ranks: its steps by time, then by reading order; one with no time stands at that of the step before it.
        placed: id of each step without a time -> where it stands. placed_at: these times in order.
        bars: by sort, `signs.TALK` and so on. intervals, turns: what those of two sorts are made from.
        floating: no step of it has a time; they stand at the end of the axis.
        stamp: changes when the lane was made anew.
    """

    key: str
    stream: str
    label: str = ""
    role: str = ""
    depth: int = 0
    times: list[int] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    ranks: bytearray = field(default_factory=bytearray)
    placed: dict[str, int] = field(default_factory=dict)
    placed_at: list[int] = field(default_factory=list)
    bars: list[Bars] = field(default_factory=lambda: [Bars() for _ in range(4)])
    intervals: list[Interval] = field(default_factory=list)
    turns: list[Node] = field(default_factory=list)
    floating: bool = False
    stamp: int = 0

    def find(self, node_id: str, time: int) -> int | None:
        """The index of a step that stands at a time."""
        at = bisect_left(self.times, time)
        while at < len(self.times) and self.times[at] == time:
            if self.nodes[at].id == node_id:
                return at
            at += 1
        return None

    def nearest(self, time: int) -> int | None:
        """The index of the step closest in time, the earlier of two; None in an empty lane."""
        if not self.times:
            return None
        at = bisect_left(self.times, time)
        if at == len(self.times) or (at and time - self.times[at - 1] <= self.times[at] - time):
            return bisect_left(self.times, self.times[at - 1])
        return at

    def after(self, key: tuple[int, int, int], row: int, step: int) -> int:
        """The index next after (1) or before (-1) a place in the order of time, then row, then index.

        Args:
            key: time, row and index of the place; the index is -1 before all steps of that time.
            row: of this lane.
            step: which way.

        Returns:
            The index; out of range when there is none.
        """
        time, mine, index = key
        if row == mine and index >= 0:
            return index + step
        at = bisect_right(self.times, time) if row < mine else bisect_left(self.times, time)
        return at if step > 0 else at - 1


class FlowIndex:
    """The lanes of a conversation.

    Attributes:
        order: (name, label, role, depth) of each stream, main first, children under the stream that started them.
        stream_ids: stream name -> id of its node.
        budget: how many more steps may be settled, None for any number. unsettled: whether one was asked for beyond that.
    """

    def __init__(self, opened: Opened) -> None:
        """
        Args:
            opened: the conversation.
        """
        self.opened = opened
        self.order: list[tuple[str, str, str, int]] = []
        self._listed: list[tuple[str, str, str, int]] = []
        self.stream_ids: dict[str, str] = {}
        self._parts: dict[str, tuple[Tree, dict[str, Part]]] = {}
        self._failing: dict[int, frozenset[int]] = {}
        self._known: dict[tuple[str, int], bool] = {}
        self._stamp = 0
        self.budget: int | None = None
        self.unsettled = False

    # --- from trees to parts

    def reload(self, ids: set[str] | None = None) -> set[str]:
        """Cut the trees that are new; list the streams again unless `ids`, all that changed, holds nothing of theirs.

        Returns:
            The streams whose lanes changed.
        """
        if ids is None or any(self._concerns_streams(entity) for entity in ids):
            self._list_streams()
        self._failing = {}
        for landed in self.opened.conversation.data.files:
            # Of several files with one sequence, the last decides; as `SessionData.failed` has it.
            if landed.failed:
                self._failing[landed.file.seq] = landed.failed
            else:
                self._failing.pop(landed.file.seq, None)
        old, self._parts = self._parts, {}
        touched: set[str] = set()
        for tree in self.opened.trees:
            root = tree.nodes[0].id
            known = old.pop(root, None)
            if known is None or known[0] is not tree:
                touched.update(known[1] if known else ())
                known = tree, self._cut(tree)
                touched.update(known[1])
            self._parts[root] = known
        for _, parts in old.values():
            touched.update(parts)
        held = {stream for _, parts in self._parts.values() for stream in parts}
        unlisted = sorted(held - {name for name, *_ in self._listed})
        self.order = [*self._listed, *((name, name, "", 0) for name in unlisted)]
        return touched

    def forget(self) -> None:
        """Let go of what was read of single records."""
        self._known.clear()

    def _concerns_streams(self, entity: str) -> bool:
        fold = self.opened.conversation.fold
        node = fold.nodes.get(entity)
        if node is not None:
            return node.kind == "stream"
        relation = fold.relations.get(entity)
        return relation is None or relation.type == "starts"

    def _list_streams(self) -> None:
        conversation = self.opened.conversation
        entries = StreamLister(conversation.fold, conversation.data, []).entries()
        self.stream_ids = {entry.name: entry.id for entry in entries}
        named: dict[str, tuple[str, str, str, int]] = {}
        for entry, depth in stream_tree(entries):
            named.setdefault(entry.name, (entry.name, entry.label or entry.name, entry.role, depth))
        self._listed = list(named.values())

    def _cut(self, tree: Tree) -> dict[str, Part]:
        parts: dict[str, Part] = {}
        part, stream = Part(), None
        starts, ends, times = tree.starts, tree.ends, tree.times
        for place, node in enumerate(tree.nodes):
            if node.stream != stream or part is None:
                stream = node.stream
                part = parts.setdefault(stream, Part())
            kind = node.kind
            if kind in CONTAINERS:
                if starts[place] and kind in ("talk", "run"):
                    part.spans[TALK if kind == "talk" else RUN].append((starts[place], ends[place]))
                continue
            time = times[place]
            several = node.refs is not None and len(node.refs) > 1 and kind != "llm.call"
            result, join = _facts(node) if several or kind in _CALLS else _NO_FACTS
            if time:
                part.times.append(time)
                part.nodes.append(node)
                part.ranks.append(self._rank(node, kind, result))
            else:
                part.untimed.append(node)
            if kind == "turn.duration":
                part.turns.append(node)
            if several and join == "exact_unique" and node.refs is not None:
                self._add_interval(part, node, node.refs)
        for part in parts.values():
            part.close()
        return parts

    def _rank(self, node: Node, kind: str, result: str) -> int:
        if kind == "llm.call":
            return rank_of(kind)
        failing = self._failing
        for ref in (node.ref, *(node.refs or ())):
            if ref is not None and ref.seq in failing and ref.row in failing[ref.seq]:
                known = self._known.get((node.id, node.revision))
                if known is None:
                    return MAYBE
                if known:
                    return FAILED
        return UNFINISHED if result == "unavailable" and kind in _CALLS else rank_of(kind)

    def _add_interval(self, part: Part, node: Node, refs: list[Ref]) -> None:
        """As the document tells a request-to-result interval."""
        time = self.opened.conversation.data.time
        asked, answered = time(refs[0].seq, refs[0].row), time(refs[1].seq, refs[1].row)
        if node.ref is not None and asked and answered and answered >= asked:
            part.intervals.append((asked, answered, node.kind))

    # --- from parts to lanes

    def roots(self) -> Iterable[str]:
        """The trees, in order."""
        return self._parts

    def stretches(self, roots: Iterable[str] | None, stream: str | None) -> list[Stretch]:
        """Activity of some trees (all when None), on all streams or on one."""
        return join_stretches(
            stretch
            for name, part in self._of(roots)
            if stream is None or name == stream
            for stretch in part.stretches
        )

    def _of(self, roots: Iterable[str] | None) -> Iterable[tuple[str, Part]]:
        for root in self._parts if roots is None else roots:
            if root in self._parts:
                yield from self._parts[root][1].items()

    def streams_of(self, root: str) -> set[str]:
        """The streams that a tree has steps on."""
        return set(self._parts[root][1]) if root in self._parts else set()

    def lanes(self, roots: list[str] | None, only: set[str] | None = None) -> dict[str, Lane]:
        """Join the parts of each stream.

        Args:
            roots: of which trees; None for all.
            only: which streams; None for all.

        Returns:
            Lanes by stream name.
        """
        self._stamp += 1
        held: dict[str, list[Part]] = {}
        end = -NEVER
        for name, part in self._of(roots):
            if part.stretches:
                end = max(end, part.stretches[-1][1])
            if only is None or name in only:
                held.setdefault(name, []).append(part)
        found = {}
        for name, label, role, depth in self.order:
            if only is None or name in only:
                lane = found[name] = Lane(name, name, label, role, depth, stamp=self._stamp)
                self._join(lane, held.get(name, []), end if end > -NEVER else 0)
        return found

    def _join(self, lane: Lane, parts: list[Part], end: int) -> None:
        timed = [part for part in parts if part.times]
        timed.sort(key=lambda part: part.times[0])
        for part in timed:
            lane.times += part.times
            lane.nodes += part.nodes
            lane.ranks += part.ranks
        if any(a.times[-1] > b.times[0] for a, b in pairwise(timed)):
            order = sorted(range(len(lane.times)), key=lane.times.__getitem__)
            lane.times = [lane.times[at] for at in order]
            lane.nodes = [lane.nodes[at] for at in order]
            lane.ranks = bytearray(lane.ranks[at] for at in order)
        for sort in (TALK, RUN):
            lane.bars[sort] = Bars.of([span for part in parts for span in part.spans[sort]])
        lane.intervals = [span for part in parts for span in part.intervals]
        lane.bars[INTERVAL] = Bars.of(lane.intervals)
        lane.turns = [node for part in parts for node in part.turns]
        untimed = [node for part in parts for node in part.untimed]
        if untimed:
            lane.floating = not lane.times
            self._place(lane, untimed, lane.times[-1] if lane.times else end)

    def _place(self, lane: Lane, untimed: list[Node], end: int) -> None:
        """Stand steps without a time by their position: where the step read before them stands, else at the lane's end."""
        read = sorted(
            (record_order(node), time) for node, time in zip(lane.nodes, lane.times, strict=True) if node.ref is not None
        )
        keys = [key for key, _ in read]
        for node in sorted(untimed, key=record_order):
            at = bisect_left(keys, record_order(node)) if node.ref is not None else 0
            time = read[at - 1][1] if at else end
            self._insert(lane, node, time)

    def _insert(self, lane: Lane, node: Node, time: int) -> None:
        at = bisect_right(lane.times, time)
        lane.times.insert(at, time)
        lane.nodes.insert(at, node)
        lane.ranks.insert(at, self._rank(node, node.kind, _facts(node)[0]))
        lane.placed[node.id] = time
        insort(lane.placed_at, time)

    def families(self, lane: Lane) -> list[Lane]:
        """A stream's lane split by family; only the families that have a step in them.

        Talks stand with the input and runs with the model calls, or else in the first lane; turns stand with the notices.
        """
        self._stamp += 1
        found: dict[str, Lane] = {}
        places: dict[str, list[int]] = {}
        for at, node in enumerate(lane.nodes):
            places.setdefault(FAMILIES.get(node.kind, "notices"), []).append(at)
        for family, where in places.items():
            sub = found[family] = Lane(family, lane.stream, family, lane.role, stamp=self._stamp)
            sub.times = [lane.times[at] for at in where]
            sub.nodes = [lane.nodes[at] for at in where]
            sub.ranks = bytearray([lane.ranks[at] for at in where])
            if lane.placed:
                sub.placed = {node.id: lane.placed[node.id] for node in sub.nodes if node.id in lane.placed}
                sub.placed_at = sorted(sub.placed.values())
            sub.turns = [node for node in sub.nodes if node.kind == "turn.duration"]
        lanes = [found[family] for family in FAMILY_ORDER if family in found]
        if lanes:
            found.get("input", lanes[0]).bars[TALK] = lane.bars[TALK]
            found.get("model", lanes[0]).bars[RUN] = lane.bars[RUN]
            for sub in lanes:
                spans = [span for span in lane.intervals if FAMILIES.get(span[2], "notices") == sub.key]
                sub.bars[INTERVAL] = Bars.of(spans)
        return lanes

    # --- what the records tell, asked for late

    def measure_turns(self, lane: Lane) -> None:
        """Make the bars of the turns that the runtime measured; reads a record for each, once for a lane."""
        data = self.opened.conversation.data
        spans = []
        for node in lane.turns:
            record = data.record(node.ref.seq, node.ref.row) if node.ref is not None else None
            at = data.time(node.ref.seq, node.ref.row) if node.ref is not None else 0
            took = duration_ms(record) if record is not None else 0
            if took > 0 and at:
                spans.append((at - took * 1_000_000, at))
        lane.turns = []
        lane.bars[TURN] = Bars.of(spans)

    def settle(self, lane: Lane, at: int) -> int:
        """Find out whether a step that may have failed did; reads the records it stands on, once.

        Returns:
            Its rank, which is kept; still `MAYBE` when the budget is used up.
        """
        node = lane.nodes[at]
        key = node.id, node.revision
        if key not in self._known:
            if self.budget is not None:
                if self.budget <= 0:
                    self.unsettled = True
                    return MAYBE
                self.budget -= 1
            self._known[key] = self._has_failed(node)
        rank = lane.ranks[at] = self._rank(node, node.kind, _facts(node)[0])
        return rank

    def _has_failed(self, node: Node) -> bool:
        """As the document says `failed` of a step: its own part, else the first of its results that says or shows anything."""
        record_at, ref = self.opened.conversation.data.record, node.ref
        if ref is None:
            return False
        record = record_at(ref.seq, ref.row)
        part = part_at(record, ref) if record is not None else None
        if part is not None and part.failed is not None:
            return part.failed
        for ref in (node.refs or [])[1:]:
            record = record_at(ref.seq, ref.row)
            part = result_part(record, ref) if record is not None else None
            if part is None:
                continue
            if part.failed is not None:
                return part.failed
            if clipped_part_text(part):
                break
        return False


def _facts(node: Node) -> tuple[str, str]:
    """Whether the result of a call is there, and how well it is joined, as the attrs say; empty for what they do not say."""
    if node.attrs is UNSET:
        return _NO_FACTS
    try:
        attrs = _decode(node.attrs)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        result = attrs_of(node).get("result")
        return result if isinstance(result, str) else "", result_join(node)
    return attrs.result or "", attrs.result_join or ""


def stream_tree(entries: list[StreamEntry]) -> list[tuple[StreamEntry, int]]:
    """Streams with their depth, each under the stream that started it; in a loop of parents the first stands on top."""
    named: dict[str, StreamEntry] = {}
    for entry in entries:
        named.setdefault(entry.name, entry)
    children: dict[str, list[StreamEntry]] = {}
    tops = []
    for entry in entries:
        parent = named.get(entry.parent)
        if parent is None or parent.id == entry.id:
            tops.append(entry)
        else:
            children.setdefault(parent.id, []).append(entry)
    found: list[tuple[StreamEntry, int]] = []
    seen: set[str] = set()
    for top in tops + entries:
        stack = [(top, 0)]
        while stack:
            entry, depth = stack.pop()
            if entry.id not in seen:
                seen.add(entry.id)
                found.append((entry, depth))
                stack += [(child, depth + 1) for child in reversed(children.get(entry.id, []))]
    return found
