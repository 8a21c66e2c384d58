"""JSON and YAML: the whole document as the core makes it, and the subtree of one node as the document would show it.

A document cuts its trees twelve levels down; a subtree that was asked for is whole. Its JSON is written node by node without
recursion, so neither depth nor size is held in memory; its YAML is rendered from plain values, whose texts are clipped.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from msgspec import UNSET

from asz_core.conversation import Conversation
from asz_core.document.model import Document, Edge, ViewNode
from asz_core.document.to_json import to_json, to_plain
from asz_core.document.to_yaml import yaml_chunks
from asz_core.document.tree import Tree
from asz_core.sessionflow import attrs_of, record_order

from ..session.opened import Opened
from .snapshot import Meter

_PIECE = 65_536
_DEEPEST_INDENT = 64
"""Levels up to which JSON is indented; below it stays at that column, or depth times depth would fill the disk."""


def document_chunks(conversation: Conversation, fmt: str, meter: Meter) -> Iterator[bytes]:
    """The whole document, as `Conversation.json` or `Conversation.yaml` gives it.

    Args:
        conversation: a picture of it.
        fmt: «json» or «yaml».
        meter: asked between the pieces whether to go on.
    """
    if fmt == "yaml":
        for piece in conversation.yaml():
            meter.tell()
            yield piece
        return
    data = memoryview(conversation.json())
    for at in range(0, len(data), _PIECE):
        meter.tell()
        yield bytes(data[at : at + _PIECE])


def subtree_json(opened: Opened, node_id: str, meter: Meter) -> Iterator[bytes]:
    """The node and everything below it as JSON, indented as a document is.

    Args:
        opened: the trees.
        node_id: of a node that stands in one.
        meter: counts the nodes.
    """
    # Of each node whose brace is open: its edges, which follow its children, and the column where it stands.
    around: list[tuple[bytes, bytes]] = []
    for view, depth in _views(opened, node_id, meter):
        edges, view.edges = view.edges, UNSET
        pad = b"  " * min(2 * depth, _DEEPEST_INDENT)
        if len(around) > depth:
            yield _closing(around, depth) + b",\n" + pad
        elif depth:
            yield b",\n" + around[-1][1] + b'  "children": [\n' + pad
        yield b"{" + _members(view, pad)
        around.append((b"" if edges is UNSET else b"," + _members(ViewNode(edges=edges), pad), pad))
    yield _closing(around, 0) + b"\n"


def _members(view: ViewNode, pad: bytes) -> bytes:
    """What stands between the braces of a node, each line at its column."""
    # The writer of documents encodes any of its structs, with the document's escapes; a line break there is never in a string.
    text = to_json(cast(Document, view)).removeprefix(b"{").removesuffix(b"\n}\n")
    return text.replace(b"\n", b"\n" + pad)


def _closing(around: list[tuple[bytes, bytes]], depth: int) -> bytes:
    """Close the nodes that are open at a depth and below, and the lists of children between them."""
    closed: list[bytes] = []
    while len(around) > depth:
        edges, pad = around.pop()
        closed.append((b"\n" + pad + b"  ]" if closed else b"") + edges + b"\n" + pad + b"}")
    return b"".join(closed)


def subtree_yaml(opened: Opened, node_id: str, meter: Meter) -> Iterator[bytes]:
    """The node and everything below it as YAML, as documents are written.

    Args:
        opened: the trees.
        node_id: of a node that stands in one.
        meter: counts the nodes.
    """
    path: list[dict[str, Any]] = []
    found = opened.locate(node_id)
    assert found is not None
    for number, (view, depth) in enumerate(_views(opened, node_id, meter)):
        edges, view.edges = view.edges, UNSET
        plain: dict[str, Any] = to_plain(cast(Document, view))
        if found[0].sizes[found[1] + number] > 1:
            plain["children"] = []  # before the edges, as the document has it
        if edges is not UNSET:
            plain.update(to_plain(cast(Document, ViewNode(edges=edges))))
        del path[depth:]
        if depth:
            path[-1]["children"].append(plain)
        path.append(plain)
    for piece in yaml_chunks(path[0]):
        meter.tell()
        yield piece


def _views(opened: Opened, node_id: str, meter: Meter) -> Iterator[tuple[ViewNode, int]]:
    """The nodes of a subtree as the document shows them, each with its depth below the first."""
    found = opened.locate(node_id)
    assert found is not None
    tree, place = found
    end = place + tree.sizes[place]
    meter.total = end - place
    for at in range(place, end):
        node = tree.nodes[at]
        view = opened.conversation.view(node.id)
        assert view is not None
        edges = [_edge(*edge) for edge in opened.conversation.fold.edges(node.id)]
        if edges:
            view.edges = edges
        if at == place and node.kind == "talk":
            _fill_talk(opened, view, tree, place)
        meter.count()
        yield view, tree.depths[at] - tree.depths[place]


def _edge(relation: Any, direction: str) -> Edge:
    other = relation.from_ if direction == "in" else relation.to
    return Edge(relation.type, other, direction, relation.quality, relation.via or UNSET)


def _fill_talk(opened: Opened, view: ViewNode, tree: Tree, place: int) -> None:
    """What a document says of a talk that stands in its list of talks."""
    fold = opened.conversation.fold
    view.label, view.reply = opened.conversation.content.label_and_reply(tree, place)
    view.runs, view.steps, view.tools = tree.count(place)
    view.from_, view.to = tree.starts[place] // 1_000_000, tree.ends[place] // 1_000_000
    streams = [node for node in fold.of_kind("stream") if node.stream == view.stream]
    view.child = bool(streams) and attrs_of(min(streams, key=record_order)).get("role") == "child"
    for relation, direction in fold.edges(view.id):
        if relation.type == "in_segment" and direction == "out":
            view.segment = relation.to
            break
