"""The fold of a chain: the conversation as of a round (session-flow seed, The fold).

A ``Fold`` holds the living entities by id and applies one more round in proportion to that round. Three indexes are made on first
use and then kept up to date a round at a time: the children of each node in record order, the relations that touch each node, and
the nodes of the kinds of which there are few. Reading ``children`` of a node sorts only that node's children, and only when a round
touched them.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Container, Iterator
from sys import intern
from typing import Any

import msgspec
from msgspec import UNSET

from ..errors import FoldError
from .frames import Entity, Header, Node, Relation, Unresolved, record_order
from .round import PREFIX, Round

_FROZEN = ("conversation", "session", "parser", "policy")
_FEW = frozenset({"session", "segment", "stream", "epoch"})
"""Kinds that a conversation has few nodes of, and that are asked for by kind after every round."""


class Delta(msgspec.Struct):
    """What applying one round changed, by id."""

    round: int
    added: set[str] = msgspec.field(default_factory=set)
    changed: set[str] = msgspec.field(default_factory=set)
    removed: set[str] = msgspec.field(default_factory=set)
    parents: set[str] = msgspec.field(default_factory=set)
    """Nodes whose list of children changed, and the children's old parents."""
    moved: set[str] = msgspec.field(default_factory=set)
    """Nodes that came, went, or have another parent or kind: only under these can a node have come into another tree. Empty for the
    first round of a fold that nobody asked anything of yet."""


class Fold:
    """The living entities of a conversation after the rounds applied so far.

    Attributes:
        header: the newest applied round's header, None before the first.
        first: the first round's header, whose identity all others must share.
        digest: the newest applied round's digest, the value the next round must name as previous.
        nodes, relations, unresolved: by id.
    """

    def __init__(self) -> None:
        self.header: Header | None = None
        self.first: Header | None = None
        self.digest = ""
        self.nodes: dict[str, Node] = {}
        self.relations: dict[str, Relation] = {}
        self.unresolved: dict[str, Unresolved] = {}
        self._children: dict[str, dict[str, Node]] | None = None
        self._sorted: dict[str, list[Node]] = {}
        self._touching: dict[str, list[str]] | None = None
        self._few: dict[str, dict[str, Node]] | None = None

    @property
    def head(self) -> int:
        """Number of the newest applied round, 0 before the first."""
        return self.header.round if self.header else 0

    def check(self, round_: Round) -> None:
        """Whether a round continues this fold.

        Raises:
            FoldError: when its number is not the next, its previous is not the head's digest, or what the first round froze
                (conversation, session, parser, policy) differs.
        """
        header = round_.header
        if header.round != self.head + 1:
            raise FoldError(f"{PREFIX}the file holds round {header.round}, the view's head is {self.head}")
        if header.previous != self.digest:
            raise FoldError(
                f"{PREFIX}round {header.round} names previous {_quoted(header.previous)}, "
                f"but the view's head is {_quoted(self.digest)}"
            )
        if self.first is None:
            return
        for name in _FROZEN:
            have, want = getattr(header, name), getattr(self.first, name)
            if have != want:
                what = "for" if name in ("conversation", "session") else "under"
                raise FoldError(
                    f'{PREFIX}round {header.round} was produced {what} {name} "{have}", the chain {what} "{want}"'
                )

    def apply(self, round_: Round) -> Delta:
        """Apply the next round.

        Returns:
            What changed; in proportion to the round.

        Raises:
            FoldError: when the round does not continue the fold; nothing is changed then.
        """
        self.check(round_)
        delta = Delta(round_.number)
        indexed = self._children is not None or self._touching is not None or self._few is not None
        if not indexed and self.header is None:
            self._apply_first(round_, delta)
        else:
            for entity in round_.entities:
                self._apply_one(entity, delta)
        if self.first is None:
            self.first = round_.header
        self.header, self.digest = round_.header, round_.digest
        return delta

    def _apply_first(self, round_: Round, delta: Delta) -> None:
        tables: dict[Any, dict[str, Any]] = {Node: self.nodes, Relation: self.relations, Unresolved: self.unresolved}
        for entity in round_.entities:
            if not entity.tombstone:
                tables[type(entity)][entity.id] = entity
                delta.added.add(entity.id)

    def _apply_one(self, entity: Entity, delta: Delta) -> None:
        table: dict[str, Entity] = self._table(entity)
        old = table.get(entity.id)
        if entity.tombstone:
            if old is None:
                return
            del table[entity.id]
            delta.removed.add(entity.id)
        else:
            self._detach(entity)
            table[entity.id] = entity
            (delta.added if old is None else delta.changed).add(entity.id)
        new = None if entity.tombstone else entity
        if isinstance(entity, Node):
            self._reparent(old, new, delta)  # type: ignore[arg-type]
        elif isinstance(entity, Relation) and self._touching is not None:
            self._retouch(old, new)  # type: ignore[arg-type]

    def _detach(self, entity: Entity) -> None:
        """Let go of the bytes of the round, which an entity's attrs would keep whole, and share the words that are said again."""
        if isinstance(entity, Node):
            entity.kind, entity.stream = intern(entity.kind), intern(entity.stream)
            parent = self.nodes.get(entity.parent)
            if parent is not None:
                entity.parent = parent.id
            if entity.attrs is not UNSET:
                entity.attrs = entity.attrs.copy()
        elif isinstance(entity, Relation):
            entity.type, entity.quality = intern(entity.type), intern(entity.quality)

    def _table(self, entity: Entity) -> dict[str, Entity]:
        if isinstance(entity, Node):
            return self.nodes  # type: ignore[return-value]
        return self.relations if isinstance(entity, Relation) else self.unresolved  # type: ignore[return-value]

    def _reparent(self, old: Node | None, new: Node | None, delta: Delta) -> None:
        if old is None or new is None or (old.parent, old.kind) != (new.parent, new.kind):
            delta.moved.add((new or old).id)  # type: ignore[union-attr]
        if self._few is not None:
            if old is not None and old.kind in _FEW:
                del self._few[old.kind][old.id]
            if new is not None and new.kind in _FEW:
                self._few[new.kind][new.id] = new
        for node in (old, new):
            if node is not None and node.parent:
                delta.parents.add(node.parent)
                self._sorted.pop(node.parent, None)
        if self._children is None:
            return
        if old is not None and old.parent:
            self._children[old.parent].pop(old.id, None)
        if new is not None and new.parent:
            self._children.setdefault(new.parent, {})[new.id] = new

    def _retouch(self, old: Relation | None, new: Relation | None) -> None:
        assert self._touching is not None
        if old is not None:
            for end in {old.from_, old.to}:
                touching = self._touching[end]
                del touching[bisect_left(touching, old.id)]
        if new is not None:
            for end in {new.from_, new.to}:
                insort(self._touching.setdefault(end, []), new.id)

    def children(self, node_id: str) -> list[Node]:
        """The nodes directly under a node, in record order (formats.md section 3)."""
        known = self._sorted.get(node_id)
        if known is None:
            if self._children is None:
                self._children = self._index_children()
            under = self._children.get(node_id)
            if not under:
                return []
            known = list(under.values())
            if len(known) > 1:
                known.sort(key=record_order)
            self._sorted[node_id] = known
        return known

    def parents(self) -> Container[str]:
        """The ids of everything that has, or had, children; a look-up tells a leaf without more."""
        if self._children is None:
            self._children = self._index_children()
        return self._children.keys()

    def _index_children(self) -> dict[str, dict[str, Node]]:
        index: dict[str, dict[str, Node]] = {}
        for node in self.nodes.values():
            if node.parent:
                under = index.get(node.parent)
                if under is None:
                    index[node.parent] = {node.id: node}
                else:
                    under[node.id] = node
        return index

    def edges(self, node_id: str) -> list[tuple[Relation, str]]:
        """Every relation that touches a node with its direction, by relation id, then «in» before «out» (formats.md 4)."""
        if self._touching is None:
            self._touching = self._index_relations()
        found: list[tuple[Relation, str]] = []
        for relation_id in self._touching.get(node_id, ()):
            relation = self.relations[relation_id]
            if relation.to == node_id:
                found.append((relation, "in"))
            if relation.from_ == node_id:
                found.append((relation, "out"))
        return found

    def _index_relations(self) -> dict[str, list[str]]:
        index: dict[str, list[str]] = {}
        for relation_id in sorted(self.relations):
            relation = self.relations[relation_id]
            for end in {relation.from_, relation.to}:
                index.setdefault(end, []).append(relation_id)
        return index

    def of_kind(self, kind: str) -> Iterator[Node]:
        """The living nodes of a kind, in no order; costs these for the kinds above talks, and a walk over all nodes for others."""
        if kind not in _FEW:
            return (node for node in self.nodes.values() if node.kind == kind)
        if self._few is None:
            few: dict[str, dict[str, Node]] = {name: {} for name in _FEW}
            for node in list(self.nodes.values()):
                if node.kind in _FEW:
                    few[node.kind][node.id] = node
            self._few = few
        # A copy: other threads look at the streams while the screen's takes in a round.
        return iter(list(self._few[kind].values()))

    def session_node(self) -> Node | None:
        """The node of the head's session, whose attrs hold the title and the times."""
        return self.nodes.get(f"session/{self.header.session}") if self.header else None


def _quoted(digest: str) -> str:
    return f'"{digest[:12]}"'
