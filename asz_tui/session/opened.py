"""`Opened`: a loaded conversation as trees in reading order, and what a round that landed changed in them.

One tree per outermost talk, in the order of their start, then one per loose root. A round rebuilds only the trees it touches and
sorts the list of roots again; nothing else is walked. Node ids are the names by which panes keep their place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from asz_core.conversation import Conversation, Pending, Update
from asz_core.document.build import loose_trees, talk_trees
from asz_core.document.tree import Tree
from asz_core.sessionflow import Node, record_order
from asz_core.vocabulary import is_step

from ..grammar import Grammar


@dataclass(slots=True)
class Applied:
    """What taking in pending rounds changed.

    Attributes:
        roots: ids of the trees that are new or were built again; None when all were.
        added: nodes that were not there before. changed: nodes with a new revision.
    """

    update: Update
    roots: set[str] | None = field(default_factory=set)
    added: set[str] = field(default_factory=set)
    changed: set[str] = field(default_factory=set)

    def __bool__(self) -> bool:
        return bool(self.update)


class Opened:
    """A conversation that is on the screen.

    Attributes:
        trees: outermost talks by start, then loose trees.
        loose_from: index of the first loose tree.
        talk_count, step_count: of all trees, talks inside talks included.
    """

    def __init__(self, conversation: Conversation, *, ascii_only: bool = False) -> None:
        """
        Args:
            conversation: refreshed once already.
            ascii_only: which glyphs the grammar uses.
        """
        self.conversation = conversation
        self.grammar = Grammar(conversation, ascii_only=ascii_only)
        self.trees: list[Tree] = []
        self.loose_from = 0
        self.talk_count = 0
        self.step_count = 0
        self._talks: dict[str, Tree] = {}
        self._loose: dict[str, Tree] = {}
        self._root_of: dict[str, str] = {}
        self._places: dict[str, dict[str, int]] = {}
        self._through = 0
        self._newest: str | None = None
        self.rebuild()

    def rebuild(self) -> None:
        """Build every tree anew."""
        fold, time_of = self.conversation.fold, self.conversation.data.time
        talks = talk_trees(fold, time_of)
        self._talks = {tree.nodes[0].id: tree for tree in talks}
        self._loose = {tree.nodes[0].id: tree for tree in loose_trees(fold, talks, time_of)}
        self._places.clear()
        self._newest = None
        self._order()
        self._through = fold.header.through_seq if fold.header else 0

    def _order(self) -> None:
        self.trees = sorted(self._talks.values(), key=_by_start)
        self.loose_from = len(self.trees)
        self.trees += sorted(self._loose.values(), key=lambda tree: record_order(tree.nodes[0]))
        self.talk_count = sum(_count(tree, "talk") for tree in self.trees)
        self.step_count = sum(tree.count(0)[1] for tree in self.trees)

    def take(self, pending: Pending) -> Applied:
        """Take in what was read beside; costs in proportion to it and to the talks it touches."""
        update = self.conversation.take(pending)
        applied = Applied(update)
        if not update:
            return applied
        self.grammar.forget()
        late = any(landed.file.seq <= self._through for landed in update.landed)
        for delta in update.deltas:
            applied.added |= delta.added
            applied.changed |= delta.changed
        nodes = self.conversation.fold.nodes
        applied.added &= nodes.keys()
        applied.changed &= nodes.keys()
        if update.restarted or late:
            self.rebuild()
            applied.roots = None
        else:
            self._rebuild_touched(applied)
        return applied

    def _rebuild_touched(self, applied: Applied) -> None:
        fold, time_of = self.conversation.fold, self.conversation.data.time
        touched: set[str] = set()
        seen: set[str] = set()
        for delta in applied.update.deltas:
            for node_id in (*delta.added, *delta.changed, *delta.parents):
                root = self.find_root(node_id, seen)
                if root == "":
                    # A loop of parents: which node stands on top takes a look at all of them.
                    self.rebuild()
                    applied.roots = None
                    return
                if root is not None:
                    touched.add(root)
            for gone in delta.removed | delta.changed | delta.added:
                self._drop(gone)
        for root in touched:
            node = fold.nodes[root]
            table = self._talks if node.kind == "talk" else self._loose
            table[root] = Tree(fold, node, time_of)
            self._places.pop(root, None)
        applied.roots = touched
        self._order()
        if self._newest is not None:
            candidates = [fold.nodes[node_id] for node_id in (*applied.added, self._newest) if node_id in fold.nodes]
            self._newest = self._furthest(node for node in candidates if self.locate(node.id) is not None)
        self._through = fold.header.through_seq if fold.header else 0

    def _drop(self, node_id: str) -> None:
        self._talks.pop(node_id, None)
        self._loose.pop(node_id, None)
        self._places.pop(node_id, None)

    def find_root(self, node_id: str, seen: set[str] | None = None) -> str | None:
        """The root of the tree that a node stands in: its outermost talk, or else its highest run or step.

        Args:
            node_id: of a node; anything else has no root.
            seen: nodes passed on earlier calls of one batch whose root was found then.

        Returns:
            The root's id, None when the node stands in no tree (streams, segments), or an empty text in a loop of parents.
        """
        nodes = self.conversation.fold.nodes
        node = nodes.get(node_id)
        talk = loose = None
        passed: set[str] = set()
        while node is not None:
            if node.id in passed:
                return ""
            if seen is not None and node.id in seen and talk is None and loose is None:
                return None
            passed.add(node.id)
            if node.kind == "talk":
                talk = node.id
            elif node.kind == "run" or is_step(node.kind):
                loose = node.id
            node = nodes.get(node.parent)
        if seen is not None and talk is not None:
            seen |= passed
        return talk or loose

    def locate(self, node_id: str) -> tuple[Tree, int] | None:
        """The tree and place of a node, or None when it stands in no tree."""
        root = self.find_root(node_id)
        if root is None:
            return None
        tree = self._talks.get(root) or self._loose.get(root)
        if tree is None:
            return self._search(node_id)
        places = self._places.get(root)
        if places is None:
            places = self._places[root] = {node.id: place for place, node in enumerate(tree.nodes)}
        place = places.get(node_id)
        return (tree, place) if place is not None else self._search(node_id)

    def _search(self, node_id: str) -> tuple[Tree, int] | None:
        """Look through all trees; only loops of parents lead here."""
        for tree in self.trees:
            for place, node in enumerate(tree.nodes):
                if node.id == node_id:
                    return tree, place
        return None

    def path(self, node_id: str) -> list[Node]:
        """The nodes from the root of a node's tree down to it, both included; empty when it stands in no tree."""
        found = self.locate(node_id)
        if found is None:
            return []
        tree, place = found
        path = [tree.nodes[place]]
        depth = tree.depths[place]
        while depth:
            place -= 1
            if tree.depths[place] < depth:
                depth = tree.depths[place]
                path.append(tree.nodes[place])
        path.reverse()
        return path

    def steps(self) -> Iterator[tuple[Tree, int]]:
        """Every node of every tree in reading order."""
        for tree in self.trees:
            for place in range(len(tree.nodes)):
                yield tree, place

    def failed_places(self, tree: Tree) -> list[int]:
        """Places of the failed and error steps of a tree, in order; remembered with the tree."""
        found = tree.marks.get("failed")
        if found is None:
            found = tree.marks["failed"] = [
                place for place, node in enumerate(tree.nodes) if self._is_failed(tree, place, node)
            ]
        return found

    def _is_failed(self, tree: Tree, place: int, node: Node) -> bool:
        if node.kind in ERRORS:
            return True
        if not is_step(node.kind) or node.ref is None:
            return False
        failed = self.conversation.data.failed
        refs = node.refs or (node.ref,)
        # The rows tell cheaply which records hold a failure; which part of them it is, the record itself tells.
        if not (failed(node.ref.seq, node.ref.row) or any(failed(ref.seq, ref.row) for ref in refs)):
            return False
        return "failed" in self.grammar.describe(tree, place).marks

    def open_places(self, tree: Tree) -> list[int]:
        """Places of the steps that an open reference names, in order; remembered with the tree."""
        found = tree.marks.get("open")
        if found is None:
            found = tree.marks["open"] = [
                place
                for place, node in enumerate(tree.nodes)
                if node.kind in ("tool", "agent.call") and "unresolved" in self.grammar.describe(tree, place).marks
            ]
        return found

    def is_step(self, node_id: str) -> bool:
        """Whether an id is that of a living step."""
        node = self.conversation.fold.nodes.get(node_id)
        return node is not None and is_step(node.kind)

    def newest(self) -> str | None:
        """The step that landed last: the one furthest on in record order. Costs the new nodes of a round, and all of them once."""
        if self._newest is None or self._newest not in self.conversation.fold.nodes:
            self._newest = self._furthest(node for tree in self.trees for node in tree.nodes)
        return self._newest

    def _furthest(self, nodes: Iterable[Node]) -> str | None:
        best: Node | None = None
        for node in nodes:
            if node.ref is not None and is_step(node.kind) and (best is None or record_order(node) >= record_order(best)):
                best = node
        return best.id if best else None


ERRORS = frozenset({"error.api", "message.synthetic", "control.interrupt"})
"""Kinds that say by themselves that something went wrong."""


def _count(tree: Tree, kind: str) -> int:
    """How many nodes of a kind a tree holds; remembered with the tree."""
    found = tree.marks.get(kind)
    if found is None:
        found = tree.marks[kind] = [place for place, node in enumerate(tree.nodes) if node.kind == kind]
    return len(found)


def _by_start(tree: Tree) -> tuple[object, ...]:
    return (not tree.starts[0], tree.starts[0], record_order(tree.nodes[0]))
