"""`Opened`: a loaded conversation as trees in reading order, and what a round that landed changed in them.

One tree per outermost talk, in the order of their start, then one per loose root. A round rebuilds only the trees it touches and
puts them into their places by bisection; nothing else is looked at. Node ids are the names by which panes keep their place.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any

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

    def ids(self) -> set[str]:
        """Of everything that was added, changed or removed, relations too."""
        return {entity for delta in self.update.deltas for ids in (delta.added, delta.changed, delta.removed) for entity in ids}


class Opened:
    """A conversation that is on the screen.

    Attributes:
        trees: outermost talks by start, then loose trees; a thread walks a copy, since a round changes the list.
        loose_from: index of the first loose tree.
        talk_count, step_count: of all trees, talks inside talks included.
        open_count: references left open.
        taken: counts how often the trees changed.
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
        self.open_count = 0
        self.taken = 0
        self._leads: dict[str, str | None] = {}
        self._firsts: dict[str, str] = {}
        self._in_order: list[tuple[Tree, int]] | None = None
        self._keys: list[_Key] = []
        self._edit: tuple[list[Tree], list[Tree]] | None = None
        self._talks: dict[str, Tree] = {}
        self._loose: dict[str, Tree] = {}
        self._root_of: dict[str, str] = {}
        self._places: dict[str, dict[str, int]] = {}
        self._through = 0
        self._newest: Node | None = None
        self.rebuild()

    def rebuild(self) -> None:
        """Build every tree anew."""
        fold, time_of = self.conversation.fold, self.conversation.data.time
        talks = talk_trees(fold, time_of)
        self._talks = {tree.nodes[0].id: tree for tree in talks}
        self._loose = {tree.nodes[0].id: tree for tree in loose_trees(fold, talks, time_of)}
        self._places.clear()
        self._newest = None
        pairs = sorted((order_of(tree), tree) for tree in (*self._talks.values(), *self._loose.values()))
        self._keys = [key for key, _ in pairs]
        self.taken += 1
        self._edit = None
        self.trees = [tree for _, tree in pairs]
        self.loose_from = len(self._talks)
        self.talk_count = sum(_count(tree, "talk") for tree in self.trees)
        self.step_count = sum(tree.count(0)[1] for tree in self.trees)
        self._note()
        # The indexes that the screen asks for are made here, where it need not wait for them.
        fold.edges("")
        fold.of_kind("stream")

    def _note(self) -> None:
        """Take note of what is asked for all the time."""
        fold = self.conversation.fold
        self._through = fold.header.through_seq if fold.header else 0
        self.open_count = sum(1 for ref in fold.unresolved.values() if ref.state == "open")

    def remembered(self, node_id: str, find: Callable[[], str | None]) -> str | None:
        """Where a node leads, as `find` tells it; remembered until a round changes something."""
        if node_id not in self._leads:
            self._leads[node_id] = find()
        return self._leads[node_id]

    def first_of(self, stream: str) -> str | None:
        """The first talk of a stream, or else its first loose root; costs a look at each root once after a round."""
        if not self._firsts:
            roots = [tree.nodes[0] for tree in reversed(self.trees)]
            self._firsts = {root.stream: root.id for root in roots}
        return self._firsts.get(stream)

    def talks(self) -> list[tuple[Tree, int]]:
        """Every talk as its tree and place, as `talks_in_order` lists them; do not change the list. Costs a look at each talk."""
        if self._in_order is None:
            roots = list(zip(self._keys, self.trees, strict=True))[: self.loose_from]
            found = [(key, tree, 0) for key, tree in roots]
            for _, tree in roots:
                for place in tree.marks["talk"][1:]:
                    start = tree.starts[place]
                    found.append(((0, not start, start, record_order(tree.nodes[place])), tree, place))
            if len(found) > len(roots):
                found.sort(key=itemgetter(0))
            self._in_order = [(tree, place) for _, tree, place in found]
        return self._in_order

    def place_of(self, tree: Tree) -> int | None:
        """Index of a tree among `trees`, by bisection; None when it is not (or no more) one of them."""
        at = self.stands_at(tree)
        return at if at < len(self.trees) and self.trees[at] is tree else None

    def stands_at(self, tree: Tree) -> int:
        """Index at which a tree stands among `trees`, or would stand."""
        return bisect_left(self._keys, order_of(tree))

    def take(self, pending: Pending) -> Applied:
        """Take in what was read beside; costs in proportion to it and to the talks it touches."""
        empty = self.conversation.fold.header is None
        update = self.conversation.take(pending)
        applied = Applied(update)
        if not update:
            return applied
        self.grammar.forget()
        self._leads, self._firsts, self._in_order = {}, {}, None
        late = any(landed.file.seq <= self._through for landed in update.landed)
        for delta in update.deltas:
            applied.added |= delta.added
            applied.changed |= delta.changed
        nodes = self.conversation.fold.nodes
        applied.added &= nodes.keys()
        applied.changed &= nodes.keys()
        if update.restarted or update.files_went or late or empty:
            self.rebuild()
            applied.roots = None
        else:
            self._rebuild_touched(applied)
        return applied

    def _rebuild_touched(self, applied: Applied) -> None:
        fold, time_of = self.conversation.fold, self.conversation.data.time
        touched: set[str] = set()
        gone: dict[str, Tree] = {}
        for delta in applied.update.deltas:
            for node_id in (*delta.added, *delta.changed, *delta.parents, *self._below(delta.moved)):
                roots = self._roots_over(node_id)
                if roots is None:
                    # A loop of parents: which node stands on top takes a look at all of them.
                    self.rebuild()
                    applied.roots = None
                    return
                touched.update(roots)
                self._drop(node_id, gone)
            for node_id in delta.removed:
                self._drop(node_id, gone)
        for root in touched:
            self._drop(root, gone)
            node = fold.nodes[root]
            table = self._talks if node.kind == "talk" else self._loose
            table[root] = Tree(fold, node, time_of)
        self._replace(list(gone.values()), [self._talks.get(root) or self._loose[root] for root in touched])
        applied.roots = touched
        self._note()
        self._follow(applied)

    def _below(self, moved: set[str]) -> Iterator[str]:
        """The nodes under some others: what came under another root, or under none, with what contains it."""
        children = self.conversation.fold.children
        seen: set[str] = set(moved)
        stack = list(moved)
        while stack:
            for child in children(stack.pop()):
                if child.id not in seen:
                    seen.add(child.id)
                    stack.append(child.id)
                    yield child.id

    def _drop(self, node_id: str, gone: dict[str, Tree]) -> None:
        """Take the tree of a root out of the tables, to be taken from the list, too."""
        tree = self._talks.pop(node_id, None) or self._loose.pop(node_id, None)
        self._places.pop(node_id, None)
        if tree is not None:
            # Of a tree that is built twice in one batch, the first is the one in the list.
            gone.setdefault(node_id, tree)

    def _replace(self, gone: list[Tree], came: list[Tree]) -> None:
        """Put trees into the list where they belong, and take others out; costs a bisection each."""
        keys, trees = self._keys, self.trees
        for tree in gone:
            at = self.place_of(tree)
            if at is not None:
                del keys[at], trees[at]
                self._tell(tree, -1)
        for tree in came:
            key = order_of(tree)
            at = bisect_left(keys, key)
            keys.insert(at, key)
            trees.insert(at, tree)
            self._tell(tree, 1)
        self.taken += 1
        self._edit = gone, came

    def edit_since(self, taken: int) -> tuple[list[Tree], list[Tree]] | None:
        """The trees that went and those that came since `taken` was so; None when that is not remembered any more."""
        if taken == self.taken:
            return [], []
        return self._edit if taken == self.taken - 1 else None

    def _tell(self, tree: Tree, sign: int) -> None:
        self.loose_from += sign * (tree.nodes[0].kind == "talk")
        self.talk_count += sign * _count(tree, "talk")
        self.step_count += sign * tree.count(0)[1]

    def _roots_over(self, node_id: str) -> list[str] | None:
        """The roots of the trees that a node stands in, None in a loop of parents.

        That is one, or none; two for a talk under a loose step, which stands by itself and in the tree of the step as well.
        """
        nodes = self.conversation.fold.nodes
        node = nodes.get(node_id)
        talk = loose = None
        passed: set[str] = set()
        while node is not None:
            if node.id in passed:
                return None
            passed.add(node.id)
            if node.kind == "talk":
                talk, loose = node.id, None
            elif node.kind == "run" or is_step(node.kind):
                loose = node.id
            node = nodes.get(node.parent)
        return [root for root in (talk, loose) if root is not None]

    def twins(self, tree: Tree) -> list[Tree]:
        """The other trees that hold nodes of a tree: a talk under a loose step stands by itself and in the tree of the step."""
        root = tree.nodes[0]
        if root.kind == "talk":
            return [self._loose[name] for name in self._roots_over(root.id) or () if name in self._loose]
        return [self._talks[name] for place in tree.marks["talk"] if (name := tree.nodes[place].id) in self._talks]

    def find_root(self, node_id: str) -> str | None:
        """The root of the tree that a node stands in: its outermost talk, or else its highest run or step.

        Args:
            node_id: of a node; anything else has no root.

        Returns:
            The root's id, None when the node stands in no tree (streams, segments), or an empty text in a loop of parents.
        """
        roots = self._roots_over(node_id)
        if roots is None:
            return ""
        return roots[0] if roots else None

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
        if self._newest is None:
            nodes = self.conversation.fold.nodes
            last = -1
            for node in nodes.values():
                ref = node.ref
                if ref is not None and ref.seq > last and is_step(node.kind):
                    last = ref.seq
            self._newest = _furthest(node for node in nodes.values() if (ref := node.ref) is not None and ref.seq == last)
        return self._newest.id if self._newest else None

    def _follow(self, applied: Applied) -> None:
        """Keep `newest` up to date after a round."""
        nodes, before = self.conversation.fold.nodes, self._newest
        if before is None:
            return
        now = nodes.get(before.id)
        if now is None or _furthest([before, now]) is not now:
            # It went, or went back: any other may be the furthest now.
            self._newest = None
        else:
            self._newest = _furthest([now, *(nodes[node_id] for node_id in applied.added | applied.changed)])


ERRORS = frozenset({"error.api", "message.synthetic", "control.interrupt"})
"""Kinds that say by themselves that something went wrong."""


def _count(tree: Tree, kind: str) -> int:
    """How many nodes of a kind a tree holds; remembered with the tree."""
    found = tree.marks.get(kind)
    if found is None:
        found = tree.marks[kind] = [place for place, node in enumerate(tree.nodes) if node.kind == kind]
    return len(found)


def _furthest(nodes: Iterable[Node]) -> Node | None:
    """The step that stands last in record order, of several the last given; None when there is none with a record."""
    best: Node | None = None
    for node in nodes:
        if node.ref is not None and is_step(node.kind) and (best is None or record_order(node) >= record_order(best)):
            best = node
    return best


_Key = tuple[Any, ...]


def order_of(tree: Tree) -> _Key:
    """Where a tree stands: talks by their start, those without one after them; then what is loose, in record order."""
    order = record_order(tree.nodes[0])
    return (0, not tree.starts[0], tree.starts[0], order) if tree.nodes[0].kind == "talk" else (1, order)
