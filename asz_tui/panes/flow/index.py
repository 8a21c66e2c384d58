"""Where every step stands on the timeline: the lanes of a conversation as sorted arrays.

What is owned: for each tree one `Part` a stream (times, nodes, ranks, bars and stretches of activity), made once for as long as the
tree is the same object; the parts of each stream; all stretches in order; and what changed when trees were last cut. When a round
lands, only the trees that were built again are cut again, and their lanes take over what changed. Cutting costs some microseconds a
step and can be done a tree at a time (`reloading`), joining copies arrays; every question to a lane is a bisection.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Iterator

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
from .axis import Stretch, join_stretches
from .lanes import Bars, Lane, Part
from .signs import FAILED, INTERVAL, MAYBE, RUN, TALK, UNFINISHED, rank_of

FAMILY_ORDER = ("input", "responses", "context", "model", "tools", "agents", "notices")
"""Sub-lanes of a stream, from the top."""


_CALLS = frozenset({"tool", "agent.call"})
_NO_FACTS = ("", "")


class _CallAttrs(msgspec.Struct):
    result: str | None = None
    result_join: str | None = None


_decode = msgspec.json.Decoder(_CallAttrs).decode

class FlowIndex:
    """The lanes of a conversation.

    Attributes:
        order: (name, label, role, depth) of each stream, main first, children under the stream that started them.
        changes: stream -> (parts that are no more, parts that are new) of the last reload.
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
        self._by_stream: dict[str, dict[str, Part]] = {}
        self._stretches: list[Stretch] | None = None
        self.changes: dict[str, tuple[list[Part], list[Part]]] = {}
        self._failing: dict[int, frozenset[int]] = {}
        self._known: dict[tuple[str, int], bool] = {}
        self._stamp = 0
        self.budget: int | None = None
        self.unsettled = False

    # --- from trees to parts

    def reload(self, ids: set[str] | None = None, roots: set[str] | None = None) -> set[str]:
        """Cut the trees that are new; list the streams again unless `ids`, all that changed, holds nothing of theirs.

        Args:
            ids: what changed, None when it is not known.
            roots: the trees that changed, None when that is not known: then every tree is looked at.

        Returns:
            The streams whose lanes changed.
        """
        for _ in self.reloading(ids, roots):
            pass
        return set(self.changes)

    def reloading(self, ids: set[str] | None = None, roots: set[str] | None = None) -> Iterator[float]:
        """As `reload`, a tree at a time: yields how much of it is done, from 0 to 1. What is cut stays cut when it is left off."""
        if ids is None or any(self._concerns_streams(entity) for entity in ids):
            self._list_streams()
        yield 0.0
        self._failing = {}
        for landed in self.opened.conversation.data.files:
            # Of several files with one sequence, the last decides; as `SessionData.failed` has it.
            if landed.failed:
                self._failing[landed.file.seq] = landed.failed
            else:
                self._failing.pop(landed.file.seq, None)
        self.changes = {}
        few = self._found(roots)
        if few is None:
            self._stretches = None
        trees = few if few is not None else list(self.opened.trees)
        for at, tree in enumerate(trees):
            root = tree.nodes[0].id
            known = self._parts.get(root)
            if known is None or known[0] is not tree:
                self._replace(root, (tree, self._cut(tree)))
                yield at / len(trees)
        if len(self._parts) != len(self.opened.trees):
            living = {tree.nodes[0].id for tree in self.opened.trees}
            for root in self._parts.keys() - living:
                self._replace(root, None)
        unlisted = sorted(self._by_stream.keys() - {name for name, *_ in self._listed})
        self.order = [*self._listed, *((name, name, "", 0) for name in unlisted)]

    def _found(self, roots: set[str] | None) -> list[Tree] | None:
        """The trees of some roots; None when they are not told, or one of them stands in no tree."""
        if roots is None or not self._parts:
            return None
        located = [self.opened.locate(root) for root in roots]
        return [at[0] for at in located if at is not None] if all(at is not None and at[1] == 0 for at in located) else None

    def _replace(self, root: str, known: tuple[Tree, dict[str, Part]] | None) -> None:
        """Keep the parts of a tree in the place of those it had; or, with None, let go of these."""
        old = self._parts.get(root) if known is not None else self._parts.pop(root, None)
        for name, part in old[1].items() if old is not None else ():
            self.changes.setdefault(name, ([], []))[0].append(part)
            del self._by_stream[name][root]
            if not self._by_stream[name]:
                del self._by_stream[name]
            if self._stretches is not None:
                self._forget_stretches(self._stretches, part)
        if known is not None:
            self._parts[root] = known
            for name, part in known[1].items():
                self.changes.setdefault(name, ([], []))[1].append(part)
                self._by_stream.setdefault(name, {})[root] = part
                if self._stretches is not None:
                    self._stretches += part.stretches

    @staticmethod
    def _forget_stretches(every: list[Stretch], part: Part) -> None:
        # Sorted but for what came since; what goes mostly stands near the end.
        for stretch in part.stretches:
            at = len(every) - 1
            while every[at] != stretch:
                at -= 1
            del every[at]

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

    def holds(self, root: str) -> bool:
        """Whether there is a tree with such a root."""
        return root in self._parts

    def stretches(self, roots: Iterable[str] | None, stream: str | None) -> list[Stretch]:
        """Activity of some trees (all when None), on all streams or on one."""
        if roots is None and stream is None:
            if self._stretches is None:
                self._stretches = [stretch for _, part in self._of(None) for stretch in part.stretches]
            self._stretches.sort()
            return join_stretches(self._stretches)
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

    def lanes(self, roots: list[str] | None, only: set[str] | None = None, old: dict[str, Lane] | None = None) -> dict[str, Lane]:
        """Join the parts of each stream.

        Args:
            roots: of which trees; None for all.
            only: which streams; None for all.
            old: lanes of all trees, made before the last reload: those take over what it changed, where they can.

        Returns:
            Lanes by stream name.
        """
        self._stamp += 1
        held: dict[str, list[Part]] = {}
        if roots is None:
            held = {name: list(parts.values()) for name, parts in self._by_stream.items() if only is None or name in only}
        else:
            for name, part in self._of(roots):
                if only is None or name in only:
                    held.setdefault(name, []).append(part)
        found = {}
        for name, label, role, depth in self.order:
            if only is not None and name not in only:
                continue
            lane = old.get(name) if old is not None and roots is None else None
            if lane is not None and name in self.changes and lane.renew(*self.changes[name]):
                lane.label, lane.role, lane.depth = label, role, depth
            else:
                lane = Lane(name, name, label, role, depth)
                self._join(lane, held.get(name, []), roots)
            lane.stamp = self._stamp
            found[name] = lane
        return found

    def _join(self, lane: Lane, parts: list[Part], roots: Iterable[str] | None) -> None:
        lane.join(parts)
        untimed = [node for part in parts for node in part.untimed]
        if untimed:
            lane.floating = not lane.times
            self._place(lane, untimed, lane.times[-1] if lane.times else self._last(roots))

    def _last(self, roots: Iterable[str] | None) -> int:
        """When the last activity was; 0 without any."""
        return max((part.stretches[-1][1] for _, part in self._of(roots) if part.stretches), default=0)

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
        """Make the bars of the turns that the runtime measured; reads a record for each, once, as far as the budget goes."""
        data = self.opened.conversation.data
        count = len(lane.turns) if self.budget is None else min(self.budget, len(lane.turns))
        for node in lane.turns[:count]:
            record = data.record(node.ref.seq, node.ref.row) if node.ref is not None else None
            at = data.time(node.ref.seq, node.ref.row) if node.ref is not None else 0
            took = duration_ms(record) if record is not None else 0
            lane.took[node.id] = (at - took * 1_000_000, at) if took > 0 and at else None
        del lane.turns[:count]
        if self.budget is not None:
            self.budget -= count
            self.unsettled |= bool(lane.turns)
        if count:
            lane.show_turns()

    def stamp(self) -> int:
        """A number that no lane has yet."""
        self._stamp += 1
        return self._stamp

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
