"""Building the ``asz.view`` document of one conversation from its fold and its landed records.

One builder holds what every part of the document needs: the fold, the records by address, the trees of the talks. Each landed file
was read once before (``SessionData.refresh``); the builder costs a few microseconds a node and never recurses.
"""

from __future__ import annotations

from collections import Counter
from functools import cmp_to_key

from msgspec import UNSET

from ..errors import ChainError
from ..sessiondata.session import SessionData
from ..sessionflow.chain import Chain
from ..sessionflow.fold import Fold
from ..sessionflow.frames import Node, attrs_of, record_order
from ..times import optional_ms, parse_ns
from ..verify import Report, verify_chain
from ..vocabulary import is_step
from .changes import Observations, collect_observations
from .content import ContentReader
from .model import (
    VERSION,
    Document,
    Edge,
    FileEntry,
    Head,
    Opener,
    RelationEntry,
    RoundEntry,
    SegmentEntry,
    StreamEntry,
    Summary,
    UnresolvedEntry,
    ViewNode,
)
from .texts import journal_name
from .tree import Tree

DEPTH = 12
"""Levels below a talk or a loose root that a document writes (formats.md section 4)."""


def build_document(chain: Chain, data: SessionData, report: Report | None = None) -> Document:
    """Build the document of a conversation.

    Args:
        chain: its chain, refreshed.
        data: the landed files of the chain's session, refreshed; quicker while it keeps its records.
        report: its verification, when it is at hand.

    Raises:
        ChainError: when no round is usable; it says why in one sentence.
    """
    if chain.fold.header is None:
        raise ChainError(f"{chain.conversation}: {chain.stopped or 'there is no round'}")
    return _Builder(chain, data, report or verify_chain(chain, data)).document()


class _Builder:
    def __init__(self, chain: Chain, data: SessionData, report: Report) -> None:
        self.chain = chain
        self.fold: Fold = chain.fold
        self.data = data
        self.report = report
        self.observations: Observations = collect_observations(chain.fold, data)
        self.content = ContentReader(data, self.observations)
        self.edges = self._edges()
        self.trees = talk_trees(chain.fold, data.time)
        self.talks = talks_in_order(self.trees)
        self.segment_of = self._segment_of()
        streams = sorted(chain.fold.of_kind("stream"), key=record_order, reverse=True)
        self.roles = {node.stream: attrs_of(node).get("role") for node in streams}

    def document(self) -> Document:
        header = self.fold.header
        assert header is not None
        talks = [self._talk(tree, place) for tree, place in self.talks]
        loose = [self._subtree(tree, 0) for tree in loose_trees(self.fold, self.trees, self.data.time)]
        streams = self._streams()
        segments = self._segments()
        head_session = f"session/{header.session}"
        others = sorted(node.id for node in self.fold.of_kind("session") if node.id != head_session)
        return Document(
            format="asz.view",
            version=VERSION,
            conversation=header.conversation,
            sessions=[header.session, *[session.removeprefix("session/") for session in others]],
            head=Head(header.round, self.fold.digest),
            parser=header.parser,
            policy=header.policy,
            summary=self._summary(len(streams), len(segments)),
            rounds=self._rounds(),
            files=self._files(),
            streams=streams,
            segments=segments,
            talks=talks,
            loose=loose,
            relations=self._relations(),
            unresolved=self._unresolved(),
            workspace_changes=self.observations.changes or UNSET,
            tool_executions=self.observations.executions or UNSET,
        )

    # --- the trees

    def _edges(self) -> dict[str, list[Edge]]:
        edges: dict[str, list[Edge]] = {}
        for _, relation in sorted(self.fold.relations.items()):
            via = relation.via or UNSET
            edges.setdefault(relation.to, []).append(
                Edge(relation.type, relation.from_, "in", relation.quality, via)
            )
            edges.setdefault(relation.from_, []).append(
                Edge(relation.type, relation.to, "out", relation.quality, via)
            )
        return edges

    def _segment_of(self) -> dict[str, str]:
        """The segment of each talk: the target of its in_segment relation with the smallest id."""
        found: dict[str, str] = {}
        for _, relation in sorted(self.fold.relations.items()):
            if relation.type == "in_segment":
                found.setdefault(relation.from_, relation.to)
        return found

    def _talk(self, tree: Tree, place: int) -> ViewNode:
        view = self._subtree(tree, place)
        label, reply = self.content.label_and_reply(tree, place)
        view.label, view.reply = label, reply
        view.runs, view.steps, view.tools = tree.count(place)
        view.from_, view.to = tree.starts[place] // 1_000_000, tree.ends[place] // 1_000_000
        view.child = self.roles.get(view.stream) == "child"
        view.segment = self.segment_of.get(view.id, "")
        return view

    def _subtree(self, tree: Tree, place: int) -> ViewNode:
        """The node at a place with its children down to the depth cut."""
        nodes, depths, sizes = tree.nodes, tree.depths, tree.sizes
        top = depths[place]
        at, end = place, place + sizes[place]
        path: list[ViewNode] = []
        view_of = self._view_of
        times = tree.times
        while at < end:
            depth = depths[at] - top
            if depth > DEPTH:
                at += sizes[at]
                continue
            view = view_of(nodes[at], times[at])
            del path[depth:]
            if depth:
                above = path[-1]
                if above.children is UNSET:
                    above.children = [view]
                else:
                    above.children.append(view)
            path.append(view)
            at += 1
        return path[0]

    def _view_of(self, node: Node, time: int) -> ViewNode:
        view = ViewNode(
            node.id,
            node.kind,
            node.parent,
            node.stream,
            time // 1_000_000,
            node.ref or UNSET,
            node.refs or UNSET,
            node.attrs,
        )
        self.content.fill(view, node)
        edges = self.edges.get(node.id)
        if edges:
            view.edges = edges
        return view

    # --- the lists beside the trees

    def _summary(self, streams: int, segments: int) -> Summary:
        fold = self.fold
        kinds = Counter(node.kind for node in fold.nodes.values())
        session = fold.session_node()
        attrs = attrs_of(session) if session else {}
        title = attrs.get("title", "")
        bodies = attrs.get("provider_bodies_landed")
        return Summary(
            title=title if isinstance(title, str) else "",
            state=self.report.state,
            problems=self.report.problems,
            talks=len(self.talks),
            steps=sum(count for kind, count in kinds.items() if is_step(kind)),
            streams=streams,
            segments=segments,
            rounds=len(self.report.verified),
            unresolved=sum(1 for ref in fold.unresolved.values() if ref.state == "open"),
            changes=len(self.observations.changes) or UNSET,
            provider_bodies=bodies if type(bodies) is int and bodies else UNSET,
            captured_prompts=self.content.captured_prompts(fold) or UNSET,
            withheld=UNSET,
            from_=_attr_ms(attrs.get("from_time")),
            to=_attr_ms(attrs.get("through_time")),
            kinds=dict(sorted(kinds.items())),
            relation_types=dict(sorted(Counter(r.type for r in fold.relations.values()).items())),
            quality=dict(sorted(Counter(r.quality for r in fold.relations.values()).items())),
        )

    def _rounds(self) -> list[RoundEntry]:
        entries = []
        readable = [link.round for link in self.chain.links if link.round is not None]
        for round_, verified in zip(readable, self.report.verified, strict=True):
            header = round_.header
            entries.append(
                RoundEntry(
                    header.round,
                    round_.digest,
                    header.previous or None,
                    header.from_seq,
                    header.through_seq,
                    header.input_digest,
                    optional_ms(header.from_time),
                    optional_ms(header.through_time),
                    verified,
                )
            )
        return entries

    def _files(self) -> list[FileEntry]:
        entries = []
        for landed in self.data.files:
            low, high = landed.span()
            file = landed.file
            entries.append(
                FileEntry(
                    file.wire,
                    "sd",
                    landed.kind,
                    file.seq,
                    None,
                    file.stream,
                    file.run,
                    landed.lines,
                    landed.size,
                    landed.digest,
                    low // 1_000_000 if low else None,
                    high // 1_000_000 if high else None,
                )
            )
        for link in self.chain.links:
            if link.round is not None:
                header = link.round.header
                wire = f"_conversations/{self.chain.conversation}/rounds/{link.file.name}"
                entries.append(
                    FileEntry(
                        wire,
                        "sf",
                        "round",
                        None,
                        header.round,
                        None,
                        None,
                        link.round.lines,
                        link.round.size,
                        link.round.file_digest,
                        optional_ms(header.from_time),
                        optional_ms(header.through_time),
                    )
                )
        return entries

    def _relations(self) -> list[RelationEntry]:
        return [
            RelationEntry(r.id, r.type, r.from_, r.to, r.quality, r.via or UNSET, r.evidence or UNSET)
            for _, r in sorted(self.fold.relations.items())
        ]

    def _unresolved(self) -> list[UnresolvedEntry]:
        return [
            UnresolvedEntry(u.id, u.kind, u.ref, u.reason, u.state)
            for _, u in sorted(self.fold.unresolved.items())
        ]

    def _segments(self) -> list[SegmentEntry]:
        spans: dict[str, list[tuple[int, int]]] = {}
        for tree, place in self.talks:
            segment = self.segment_of.get(tree.nodes[place].id)
            if segment:
                spans.setdefault(segment, []).append((tree.starts[place], tree.ends[place]))
        entries = []
        for node in sorted(self.fold.of_kind("segment"), key=record_order):
            attrs = attrs_of(node)
            state = attrs.get("state", "")
            inside = spans.get(node.id, [])
            starts = [start // 1_000_000 for start, _ in inside if start]
            entries.append(
                SegmentEntry(
                    node.id,
                    state if isinstance(state, str) else "",
                    attrs.get("committable") is True,
                    len(inside),
                    min(starts, default=0),
                    max([0, *[end // 1_000_000 for _, end in inside if end]]),
                )
            )
        return entries

    def _streams(self) -> list[StreamEntry]:
        return StreamLister(self.fold, self.data, self.talks).entries()


_Keyed = tuple[tuple[str, Node, str], tuple[bool, str, tuple[int, int, int], int]]


class StreamLister:
    """The streams of a conversation with what opened each (formats.md section 4, streams)."""

    def __init__(self, fold: Fold, data: SessionData, talks: list[tuple[Tree, int]]) -> None:
        self.fold = fold
        self.data = data
        self.first_talk: dict[str, str] = {}
        self.steps: Counter[str] = Counter()
        for tree, place in talks:
            node = tree.nodes[place]
            self.first_talk.setdefault(node.stream, node.id)
            self.steps[node.stream] += tree.count(place)[1]
        self.openers: dict[str, list[tuple[str, Node, str]]] = {}
        for relation in fold.relations.values():
            if relation.type == "starts":
                step = fold.nodes.get(relation.from_)
                if step is not None and step.stream:
                    self.openers.setdefault(relation.to, []).append((relation.id, step, relation.quality))
        self._journal: dict[str, str] | None = None

    def entries(self) -> list[StreamEntry]:
        """One entry per stream: role main first, then record order."""
        found = [(node, attrs_of(node)) for node in self.fold.of_kind("stream")]
        found.sort(key=lambda pair: (pair[1].get("role") != "main", record_order(pair[0])))
        return [self._entry(node, attrs) for node, attrs in found]

    def _entry(self, node: Node, attrs: dict[str, object]) -> StreamEntry:
        label, named_by = _text(attrs.get("label")), _text(attrs.get("named_by"))
        if not label:
            label = self._journal_names().get(node.stream, "")
            if label:
                named_by = "journal"
        openers = self._ordered(self.openers.get(node.id, []))
        opened_by = [Opener(step.id, step.stream, self._talk_of(step), quality) for _, step, quality in openers]
        return StreamEntry(
            node.id,
            node.stream,
            _text(attrs.get("role")),
            label,
            opened_by[-1].stream if opened_by else "",
            _whole(attrs.get("records")),
            self.steps[node.stream],
            self.first_talk.get(node.stream, ""),
            named_by,
            opened_by,
        )

    def _journal_names(self) -> dict[str, str]:
        if self._journal is None:
            self._journal = {}
            for landed in self.data.files:
                if landed.file.run is None:
                    continue
                for row in range(1, landed.count + 1):
                    record = self.data.record_in(landed, row)
                    if record and record.child and record.child not in self._journal:
                        name = journal_name(record)
                        if name:
                            self._journal[record.child] = name
        return self._journal

    def _talk_of(self, step: Node) -> str:
        """The talk that contains a step, or an empty text."""
        seen = set()
        node: Node | None = step
        while node is not None and node.id not in seen:
            if node.kind == "talk":
                return node.id
            seen.add(node.id)
            node = self.fold.nodes.get(node.parent)
        return ""

    def _ordered(self, openers: list[tuple[str, Node, str]]) -> list[tuple[str, Node, str]]:
        if len(openers) < 2:
            return openers
        keyed = [(opener, self._position(opener[1])) for opener in sorted(openers, key=lambda o: o[0])]
        keyed.sort(key=cmp_to_key(_by_position))
        return [opener for opener, _ in keyed]

    def _position(self, step: Node) -> tuple[bool, str, tuple[int, int, int], int]:
        """Whether a step has a position, the stream of the file it landed in, that position, and its time."""
        ref = step.ref
        if ref is None:
            return False, "", (0, 0, 0), 0
        landed = self.data.by_seq(ref.seq)
        stream = (landed.file.stream or "") if landed else ""
        return True, stream, (ref.seq, ref.row, -1 if ref.block is UNSET else ref.block), self.data.time(ref.seq, ref.row)


def _by_position(a: _Keyed, b: _Keyed) -> int:
    return _compare(a[1], b[1])


def _compare(a: tuple[bool, str, tuple[int, int, int], int], b: tuple[bool, str, tuple[int, int, int], int]) -> int:
    """By position inside a stream, by time across streams; what has no position comes last."""
    if a[0] != b[0]:
        return -1 if a[0] else 1
    if a[1] != b[1]:
        if bool(a[3]) != bool(b[3]):
            return -1 if a[3] else 1
        if a[3] != b[3]:
            return -1 if a[3] < b[3] else 1
    if a[2] != b[2]:
        return -1 if a[2] < b[2] else 1
    return 0


def talk_trees(fold: Fold, time_of: object) -> list[Tree]:
    """One tree per outermost talk; a talk inside a talk is a slice of the outer one's tree."""
    talks = list(fold.of_kind("talk"))
    nodes = fold.nodes
    inside: dict[str, bool] = {}

    def has_talk_above(talk: Node) -> bool:
        path = []
        node = nodes.get(talk.parent)
        seen = {talk.id}
        found = False
        while node is not None and node.id not in seen:
            if node.kind == "talk":
                found = True
                break
            known = inside.get(node.id)
            if known is not None:
                found = known
                break
            path.append(node.id)
            seen.add(node.id)
            node = nodes.get(node.parent)
        for node_id in path:
            inside[node_id] = found
        return found

    outer = [talk for talk in talks if not has_talk_above(talk)]
    trees = [Tree(fold, talk, time_of) for talk in outer]  # type: ignore[arg-type]
    if len(outer) < len(talks):
        covered = {node.id for tree in trees for node in tree.nodes if node.kind == "talk"}
        for talk in sorted(talks, key=record_order):
            # Only talks in a loop of parents are left: the first in record order stands on top.
            if talk.id not in covered:
                tree = Tree(fold, talk, time_of)  # type: ignore[arg-type]
                trees.append(tree)
                covered.update(node.id for node in tree.nodes if node.kind == "talk")
    return trees


def talks_in_order(trees: list[Tree]) -> list[tuple[Tree, int]]:
    """Every talk as its tree and place: timed before untimed, by the start of its span, then record order."""
    found = [
        (tree, place)
        for tree in trees
        for place, node in enumerate(tree.nodes)
        if node.kind == "talk"
    ]
    found.sort(key=lambda at: (not (start := at[0].starts[at[1]]), start, record_order(at[0].nodes[at[1]])))
    return found


def loose_trees(fold: Fold, trees: list[Tree], time_of: object) -> list[Tree]:
    """The runs and steps that no talk contains, as trees from their highest ancestor that is a run or a step.

    A chain of parents that loops ends: each node appears at most once, and the one first in record order stands on top.
    """
    covered = {node.id for tree in trees for node in tree.nodes}
    left = [
        node
        for node in fold.nodes.values()
        if node.id not in covered and (node.kind == "run" or is_step(node.kind))
    ]
    if not left:
        return []
    left.sort(key=record_order)
    tops: dict[str, str] = {}
    for node in left:
        _find_top(node, fold, covered, tops)
    roots = [node for node in left if tops[node.id] == node.id]
    found: list[Tree] = []
    shown: set[str] = set()
    for root in roots:
        if root.id not in shown:
            tree = Tree(fold, root, time_of)  # type: ignore[arg-type]
            shown.update(node.id for node in tree.nodes)
            found.append(tree)
    return found


def _find_top(node: Node, fold: Fold, covered: set[str], tops: dict[str, str]) -> None:
    """Set the highest run or step above a node, itself included, for it and all it passes."""
    path: list[Node] = []
    seen: set[str] = set()
    at: Node | None = node
    while at is not None and at.id not in seen and at.id not in tops:
        path.append(at)
        seen.add(at.id)
        at = fold.nodes.get(at.parent)
    top = ""
    if at is not None and at.id in tops:
        top = tops[at.id]
    elif at is not None:
        loop = path[next(i for i, n in enumerate(path) if n.id == at.id) :]
        members = [n for n in loop if n.kind == "run" or is_step(n.kind)]
        top = min(members, key=record_order).id if members else ""
        for member in loop:
            tops[member.id] = top
        path = path[: len(path) - len(loop)]
    for passed in reversed(path):
        if not top and (passed.kind == "run" or is_step(passed.kind)):
            top = passed.id
        tops[passed.id] = top


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _whole(value: object) -> int:
    """A number as a whole one of 64 bits; 0 when it is none or beyond them."""
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return 0
    return int(value) if -(2**63) <= value < 2**63 else 0


def _attr_ms(value: object) -> int:
    return parse_ns(value) // 1_000_000 if isinstance(value, str) and value else 0


__all__ = ["DEPTH", "StreamLister", "build_document", "loose_trees", "talk_trees", "talks_in_order"]
