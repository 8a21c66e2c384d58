"""What a node has to do with other lanes: the edges of the selection, and the streams that a talk leads to.

Costs the relations of the node and of its stream; `streams_below` the trees it reaches.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from asz_core.sessionflow import Relation

from ...session.opened import Opened
from .edges import Edge, style_of
from .index import FlowIndex

if TYPE_CHECKING:
    from .model import FlowModel


def edges_of(model: FlowModel, node_id: str) -> list[Edge]:
    """The relations of a node, and those of its stream that begin or end in it, as far as they lead from row to row."""
    found: list[Edge] = []
    for relation in relations_of(model, node_id):
        begin, end = (_place(model, relation, other) for other in (relation.from_, relation.to))
        if begin is not None and end is not None and begin[0] != end[0]:
            ends = begin[0], begin[2], end[0], end[2]
            style = style_of(relation.quality)
            found.append(Edge(relation.id, relation.type, relation.quality, style, *ends, opens=end[1] == 0))
    return found


def relations_of(model: FlowModel, node_id: str) -> Iterator[Relation]:
    """Every relation that touches a node, then those of its stream that stand for it: it is where the stream begins or ends."""
    fold = model.opened.conversation.fold
    seen: set[str] = set()
    for relation, _ in fold.edges(node_id):
        if relation.id not in seen and relation.type != "in_segment":
            seen.add(relation.id)
            yield relation
    node = fold.nodes.get(node_id)
    stream = model.index.stream_ids.get(node.stream) if node is not None else None
    if node is None or stream is None:
        return
    for relation, _ in fold.edges(stream):
        if relation.id not in seen and _stands_for(model, relation, stream, node_id):
            seen.add(relation.id)
            yield relation


def _stands_for(model: FlowModel, relation: Relation, stream: str, node_id: str) -> bool:
    """Whether the step at which a relation meets a stream is a node, or lies in it."""
    step = step_of(model, relation, stream)
    if step is None or step == node_id:
        return step is not None
    whole, part = model.opened.locate(node_id), model.opened.locate(step)
    if whole is None or part is None or whole[0] is not part[0]:
        return False
    return whole[1] <= part[1] < whole[1] + whole[0].sizes[whole[1]] and whole[0].nodes[whole[1]].kind == "talk"


def step_of(model: FlowModel, relation: Relation, end: str) -> str | None:
    """The node that one end of a relation stands at: itself; of a stream its first step, where it ends its last output."""
    fold = model.opened.conversation.fold
    node = fold.nodes.get(end)
    if node is None or node.kind != "stream":
        return end if node is not None else None
    lane = model.lane_of_stream(node.stream)
    if lane is None or not lane.nodes:
        return None
    if relation.type not in ("reports", "ends_with"):
        return lane.nodes[0].id
    last = next((other.to for other, way in fold.edges(end) if other.type == "ends_with" and way == "out"), None)
    return last if last in fold.nodes else lane.nodes[-1].id


def _place(model: FlowModel, relation: Relation, end: str) -> tuple[int, int | None, int] | None:
    step = step_of(model, relation, end)
    return model.place(step) if step is not None else None


def streams_below(opened: Opened, index: FlowIndex, root: str) -> list[str]:
    """A tree and those of every stream that a step of it started, and so on down."""
    fold = opened.conversation.fold
    trees = {tree.nodes[0].id: tree for tree in opened.trees}
    on_stream: dict[str, list[str]] = {}
    for root_id, tree in trees.items():
        on_stream.setdefault(tree.nodes[0].stream, []).append(root_id)
    found, seen = [root], {root}
    for at in found:
        for node in trees[at].nodes if at in trees else ():
            for relation, way in fold.edges(node.id):
                stream = fold.nodes.get(relation.to)
                if relation.type == "starts" and way == "out" and stream is not None and stream.kind == "stream":
                    new = [other for other in on_stream.get(stream.stream, []) if other not in seen]
                    seen.update(new)
                    found += new
    return found
