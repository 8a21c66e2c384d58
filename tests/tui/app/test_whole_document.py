"""A whole document walked through the app's own model: every node is in the tree, is found by search, and everything it says can be read."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC
from pathlib import Path

import pytest
from msgspec import UNSET

from asz_core import Root, ViewNode
from asz_core.document.texts import full_text, part_at, part_text, result_part
from asz_core.vocabulary import is_step
from asz_tui.panes.detail import DetailBuilder, plain
from asz_tui.panes.flow import FlowModel
from asz_tui.panes.talks_rows import TalksRows
from asz_tui.session import Opened
from asz_tui.session.edges import ways_of
from asz_tui.session.search import compile_query, run
from asz_tui.text.safe import visible
from tests.tui.app.driving import case_root, only_conversation

CASES = ["fleet", "pilot", "idle", "losses", "craft", "extras", "stages", "system"]


if os.environ.get("ASZ_BIG_ROOT"):
    # A large root, for a run by hand.
    CASES = [*CASES, os.environ["ASZ_BIG_ROOT"]]


def _opened(case: str) -> Opened:
    root = case_root(case) if "/" not in case else Path(case)
    return Opened(Root(root).load(only_conversation(root)))


def _nodes(views: list[ViewNode]) -> Iterator[ViewNode]:
    for view in views:
        yield view
        if view.children is not UNSET:
            yield from _nodes(view.children)


@pytest.mark.parametrize("case", CASES)
def test_every_node_of_the_document_has_a_row_and_is_found_by_its_id(case: str) -> None:
    opened = _opened(case)
    document = opened.conversation.document()
    rows = TalksRows(opened, UTC)
    for view in _nodes([*document.talks, *document.loose]):
        index = rows.reveal(view.id)
        assert index is not None and rows.key(index) == view.id
        assert rows.line(index, 100).left
        if "/" not in case or sum(view.id.encode()) % 40 == 0:
            # Of a large root every fortieth: a search by id costs a walk.
            found = run(opened, compile_query(view.id), lambda: False)
            assert view.id in found.ids


@pytest.mark.parametrize("case", CASES)
def test_every_step_is_in_the_timeline(case: str) -> None:
    opened = _opened(case)
    flow = FlowModel(opened, UTC)
    flow.width(118)
    for tree, place in opened.steps():
        node = tree.nodes[place]
        if is_step(node.kind) and node.stream:
            assert flow.select(node.id), node.id
            assert flow.selected == node.id and flow.row is not None


@pytest.mark.parametrize("case", CASES)
def test_everything_a_node_says_can_be_read(case: str) -> None:
    opened = _opened(case)
    conversation = opened.conversation
    document = conversation.document()
    detail = DetailBuilder(opened, UTC)
    for view in _nodes([*document.talks, *document.loose]):
        text = plain(detail.node(view.id, whole=True), 10_000)
        for whole in _whole_texts(opened, view):
            for line in whole.split("\n"):
                words = visible(line).split()
                assert not words or words[0][:40] in text, (view.id, line)
        edges = view.edges if view.edges is not UNSET else []
        ways = ways_of(opened, view.id)
        assert [(w.relation.type, w.other, w.direction, w.relation.quality) for w in ways] == [
            (e.type, e.other, e.dir, e.quality) for e in edges
        ]
        for edge in edges:
            assert visible(edge.type) in text and visible(edge.quality) in text
        if view.ref is not UNSET and conversation.data.has(view.ref.seq, view.ref.row):
            line = conversation.landed_line(view.ref.seq, view.ref.row)
            assert line is not None and line.startswith("{")
            record = plain(detail.record(view.ref.seq, view.ref.row), 10_000)
            assert '"ord"' in record


def _whole_texts(opened: Opened, view: ViewNode) -> Iterator[str]:
    """The whole text of a message and the whole results of a call, as the records have them."""
    conversation = opened.conversation
    if view.ref is UNSET or view.kind in ("talk", "run", "llm.call", "turn.duration", "epoch.boundary"):
        return
    record = conversation.record(view.ref.seq, view.ref.row)
    if record is not None and view.kind not in ("tool", "agent.call") and not view.text.startswith(("{", "[")):
        yield full_text(record, part_at(record, view.ref))
    for ref in (view.refs if view.refs is not UNSET else [])[1:]:
        other = conversation.record(ref.seq, ref.row)
        part = result_part(other, ref) if other is not None else None
        if part is not None and not part_text(part).startswith(("{", "[")):
            yield part_text(part)
