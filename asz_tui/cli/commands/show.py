"""`asz-tui show ID[#NODE]`: the tree of a conversation, or of one node, as plain text in the row grammar."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from asz_core.conversation import Conversation
from asz_core.document.tree import Tree
from asz_core.errors import NotFound
from asz_core.root import Root
from asz_core.sessionflow import Node, Relation
from asz_core.vocabulary import CONTAINERS

from ...session.opened import Opened
from ...text.safe import visible
from ...text.words import counted, duration
from ..output import Printer
from ..parser import Parsed
from ..progress import ProgressLine
from ..rows import LineMaker, clock_of
from ..source import open_root

_QUIET_NS = 120 * 1_000_000_000
_MAX_INDENT = 12


def run(parsed: Parsed) -> int:
    """Print a tree."""
    root = open_root(parsed["root"])
    name, _, node = parsed.words[0].partition("#")
    with ProgressLine() as progress:
        conversation = _loaded(root, name, progress)
    printer = Printer(ascii_only=parsed["ascii"])
    opened = Opened(conversation, ascii_only=printer.ascii_only)
    shown = _Shown(parsed["depth"], parsed["kind"], _stream_names(opened, parsed["stream"]))
    lines = _Lines(opened, LineMaker(parsed, printer), shown, with_edges=parsed["edges"])
    printer.lines(lines.subtree(*_located(opened, node)) if node else lines.everything())
    return 0


def _loaded(root: Root, name: str, progress: ProgressLine) -> Conversation:
    # Nearly every record is looked at once: decoding all in one pass is much cheaper than reading each by its address.
    conversation = root.load(name, progress=progress.part if progress.on else None, keep_records=True)
    conversation.require_usable()
    return conversation


def _located(opened: Opened, node_id: str) -> tuple[Tree, int]:
    """A node by its id or the beginning of it.

    Raises:
        NotFound: when there is no such node in any tree.
    """
    nodes = opened.conversation.fold.nodes
    starting = [node_id] if node_id in nodes else [name for name in nodes if name.startswith(node_id)]
    found = opened.locate(starting[0]) if len(starting) == 1 else None
    if found is None:
        why = f"{len(starting)} nodes begin with" if len(starting) > 1 else "no talk, run or step is"
        raise NotFound(f"{why} {node_id!r} in {opened.conversation.id}")
    return found


def _stream_names(opened: Opened, wanted: str | None) -> frozenset[str] | None:
    """The streams that a text means: their name or label, or the beginning of one; None means all.

    Raises:
        NotFound: when it means none.
    """
    if wanted is None:
        return None
    names = {node.stream for node in opened.conversation.fold.nodes.values() if node.stream}
    labels = {name: opened.grammar.stream_role(name)[1] for name in names}
    found = {name for name in names if wanted in (name, labels[name])}
    found = found or {name for name in names if name.startswith(wanted) or labels[name].startswith(wanted)}
    if not found:
        raise NotFound(f"there is no stream {wanted!r} in {opened.conversation.id}")
    return frozenset(found)


@dataclass(slots=True)
class _Shown:
    """Which nodes are printed."""

    depth: int | None
    kinds: list[str]
    streams: frozenset[str] | None
    whole: frozenset[str] = field(init=False)
    beginnings: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        self.whole = frozenset(self.kinds)
        self.beginnings = tuple(kind[:-1] for kind in self.kinds if kind.endswith("*"))

    def has(self, node: Node) -> bool:
        """Whether a node is of the kinds and streams asked for."""
        if self.streams is not None and node.stream not in self.streams:
            return False
        return not self.kinds or node.kind in self.whole or node.kind.startswith(self.beginnings)

    @property
    def everything(self) -> bool:
        """Whether no node is left out, so that pauses between neighbours mean something."""
        return not self.kinds and self.streams is None


class _Lines:
    """Makes the lines, one tree after another."""

    def __init__(self, opened: Opened, maker: LineMaker, shown: _Shown, *, with_edges: bool) -> None:
        self.opened, self.maker, self.shown = opened, maker, shown
        self.with_edges = with_edges
        self._clock = ""
        self._last = 0

    def everything(self) -> Iterator[str]:
        """The conversation: what it is, its talks by their start, then what stands outside any talk."""
        yield from self._about()
        for at, tree in enumerate(self.opened.trees):
            lines = self.subtree(tree, 0)
            first = next(lines, None)
            if first is None:
                continue
            if at == self.opened.loose_from:
                yield self.maker.line([("outside any talk", "title"), ("  runs and steps that no talk contains", "dim")])
            yield first
            yield from lines

    def _about(self) -> Iterator[str]:
        conversation = self.opened.conversation
        session = conversation.fold.session_node()
        title = visible(_title(session)[:400])
        report = conversation.report
        talks = sum(node.kind == "talk" for node in conversation.fold.nodes.values())
        facts = f"{visible(conversation.id)} · {report.state} · round {conversation.fold.head} · {counted(talks, 'talk')}"
        yield self.maker.line([(title or "untitled", "title")])
        yield self.maker.line([(facts, "dim")])
        for problem in report.problems:
            yield self.maker.line([("! ", "warning"), (visible(problem), "")])

    def subtree(self, tree: Tree, top: int) -> Iterator[str]:
        """The node at a place and what is below it."""
        shown, nodes, depths = self.shown, tree.nodes, tree.depths
        limit = shown.depth
        # With kinds left out, a node stands below the nearest one above it that is printed.
        above: list[int] = []
        at, end = top, top + tree.sizes[top]
        while at < end:
            depth = depths[at] - depths[top]
            folded = limit is not None and depth + 1 >= limit and tree.sizes[at] > 1
            if shown.has(nodes[at]):
                while above and above[-1] >= depth:
                    above.pop()
                yield from self._pause(tree, at, len(above))
                yield from self._row(tree, at, len(above), folded)
                above.append(depth)
            at += tree.sizes[at] if folded else 1

    def _pause(self, tree: Tree, at: int, indent: int) -> Iterator[str]:
        """A new day, or a long silence, before a row."""
        start = tree.starts[at]
        before = len(self._clock)
        for line in self.maker.day(start):
            self._clock = ""
            yield line
        quiet = start - self._last if start and self._last else 0
        if before and quiet > _QUIET_NS and self.shown.everything:
            yield self.maker.line([(f"{' ' * 9}{_indent(indent)}· {duration(quiet // 1_000_000)} quiet ·", "dim")])
        self._last = max(self._last, tree.times[at] or start)

    def _row(self, tree: Tree, at: int, indent: int, folded: bool) -> Iterator[str]:
        node, grammar = tree.nodes[at], self.opened.grammar
        said = grammar.describe(tree, at)
        glyph, role = grammar.glyph(node)
        fold = " " if tree.sizes[at] == 1 else ("▸" if folded else "▾")
        left = [(self._time(tree, at), "time"), (f" {_indent(indent)}{fold} ", "dim"), (f"{glyph} ", role)]
        if said.name:
            left.append((f"{said.name} ", role if node.kind not in CONTAINERS else "agent"))
        left.append((said.label, said.role))
        if folded and said.reply:
            left += [(" → ", "dim"), (said.reply, "answer")]
        right = grammar.right_side(said)
        if folded and said.note:
            right = [(f"{said.note} " if right else said.note, "dim"), *right]
        yield self.maker.line(left, right)
        if folded:
            self._last = max(self._last, tree.ends[at])
        if self.with_edges:
            yield from self._edges(node, indent)

    def _time(self, tree: Tree, at: int) -> str:
        """The time of a row; blank where it is the same as in the row above."""
        ns = tree.starts[at] if tree.nodes[at].kind in CONTAINERS else tree.times[at]
        text = clock_of(ns)
        if text == self._clock:
            return " " * len(text)
        self._clock = text
        return text

    def _edges(self, node: Node, indent: int) -> Iterator[str]:
        for relation, direction in self.opened.conversation.fold.edges(node.id):
            yield self.maker.line([(" " * 9 + _indent(indent + 2), ""), (_edge_words(relation, direction), "dim")])


def _indent(depth: int) -> str:
    return "  " * depth if depth <= _MAX_INDENT else "  " * (_MAX_INDENT - 1) + "‥ "


def _edge_words(relation: Relation, direction: str) -> str:
    other = relation.from_ if direction == "in" else relation.to
    words = f"{relation.type or '(no type)'} {'from' if direction == 'in' else 'to'} {other}"
    more = ", ".join(text for text in (relation.quality, f"via {relation.via}" if relation.via else "") if text)
    return visible(words + (f" ({more})" if more else ""))


def _title(session: Node | None) -> str:
    from asz_core.sessionflow import attrs_of

    title = attrs_of(session).get("title") if session else None
    return title if isinstance(title, str) else ""
