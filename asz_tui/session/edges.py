"""Edges as a person follows them: what a node is tied to, how well that is known, and where following it leads.

Everything comes from the fold's index of relations, so it costs the edges of the node. No Textual in here.
"""

from __future__ import annotations

from dataclasses import dataclass

from asz_core.sessionflow import Relation

from .opened import Opened


@dataclass(frozen=True, slots=True)
class Way:
    """One edge of a node.

    Attributes:
        relation: the relation.
        direction: «out» when the node is where it begins, «in» when it is where it ends.
        other: id of the other end.
        target: the node in a tree to which following it leads, None when there is none.
    """

    relation: Relation
    direction: str
    other: str
    target: str | None


def ways_of(opened: Opened, node_id: str) -> list[Way]:
    """The edges of a node, in the order of the document."""
    ways = []
    for relation, direction in opened.conversation.fold.edges(node_id):
        other = relation.to if direction == "out" else relation.from_
        ways.append(Way(relation, direction, other, leads_to(opened, other)))
    return ways


def ways_around(opened: Opened, node_id: str) -> list[Way]:
    """The edges of a node as a person looks for them: a talk also shows those of its stream, such as what started it."""
    ways = ways_of(opened, node_id)
    fold = opened.conversation.fold
    node = fold.nodes.get(node_id)
    if node is None or node.kind != "talk":
        return ways
    around = [way for stream in fold.of_kind("stream") if stream.stream == node.stream for way in ways_of(opened, stream.id)]
    return [*around, *ways]


def openers_of(opened: Opened, stream: str) -> list[Way]:
    """The steps tied to the start of a stream, by its name; several means that none was chosen."""
    found: list[Way] = []
    for node in opened.conversation.fold.of_kind("stream"):
        if node.stream == stream:
            found += [way for way in ways_of(opened, node.id) if way.relation.type == "starts" and way.direction == "in"]
    return found


def leads_to(opened: Opened, node_id: str) -> str | None:
    """The node in a tree that stands for an end of an edge.

    A step, run or talk stands for itself, a stream for its first talk (or first step), a segment for its first talk, an epoch for
    its first talk or boundary.
    """
    return node_id if opened.locate(node_id) is not None else opened.remembered(node_id, lambda: _stands_for(opened, node_id))


def _stands_for(opened: Opened, node_id: str) -> str | None:
    """What stands for a node outside the trees; costs a look at each root."""
    fold = opened.conversation.fold
    node = fold.nodes.get(node_id)
    if node is None:
        return None
    if node.kind == "stream":
        return opened.first_of(node.stream)
    if node.kind == "segment":
        inside = {r.from_ for r, way in fold.edges(node_id) if r.type == "in_segment" and way == "in"}
        return next((tree.nodes[0].id for tree in opened.trees if tree.nodes[0].id in inside), None)
    inside = {child.id for child in fold.children(node_id)}
    return next((tree.nodes[0].id for tree in opened.trees if tree.nodes[0].id in inside), None)


def is_pool(ways: list[Way]) -> bool:
    """Whether one call started several streams: all its children, not competing guesses."""
    return sum(1 for way in ways if way.relation.type == "starts" and way.direction == "out") > 1
