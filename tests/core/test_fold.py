"""The fold of a chain (session-flow seed, The fold; formats.md section 3): revisions, tombstones, what is frozen, order, indexes."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from asz_core import FoldError
from asz_core.sessionflow import Fold, Round, parse_round, record_order, round_bytes
from asz_core.sessionflow.frames import Node
from tests.core.helpers import header, node, relation, tombstone, unresolved


def round_(number: int, entities: list[Any], previous: str = "", **keys: Any) -> Round:
    made = header(number, through_seq=1000) | {"previous": previous} | keys
    return parse_round(round_bytes(made, entities)[0])


def fold_of(*rounds: list[Any]) -> Fold:
    fold = Fold()
    for number, entities in enumerate(rounds, 1):
        fold.apply(round_(number, entities, fold.digest))
    return fold


# --- entities


def test_a_higher_revision_supersedes_the_whole_entity() -> None:
    fold = fold_of(
        [
            node("n", "tool", (1, 1), parent="p", stream="main", attrs={"a": 1}),
            relation("starts", "n", "s", id="r", via="v"),
            unresolved("u"),
        ],
        [
            node("n", "run", (2, 2)),
            {"t": "relation", "id": "r", "type": "reports", "from": "s", "to": "n"},
            unresolved("u", "resolved", reason=""),
        ],
    )
    n, r = fold.nodes["n"], fold.relations["r"]
    assert (n.kind, n.parent, n.stream, bytes(n.attrs or b""), n.revision) == ("run", "", "", b"", 2)
    assert (r.type, r.from_, r.to, r.via, r.quality) == ("reports", "s", "n", "", "")
    assert (fold.unresolved["u"].state, fold.unresolved["u"].reason) == ("resolved", "")


def test_absence_in_a_later_round_means_unchanged() -> None:
    fold = fold_of([node("a", "tool"), relation("starts", "a", "b", id="r"), unresolved("u")], [node("b", "tool")], [])
    assert set(fold.nodes) == {"a", "b"} and set(fold.relations) == {"r"} and set(fold.unresolved) == {"u"}
    assert fold.unresolved["u"].state == "open"


def test_a_tombstone_removes_the_entity() -> None:
    fold = fold_of(
        [node("a", "tool", parent="p"), node("b", "tool", parent="p"), relation("starts", "a", "b", id="r"), unresolved("u")],
        [tombstone("node", "a"), tombstone("relation", "r"), tombstone("unresolved", "u")],
    )
    assert (set(fold.nodes), fold.relations, fold.unresolved) == ({"b"}, {}, {})
    assert [n.id for n in fold.children("p")] == ["b"] and fold.edges("a") == []


def test_a_tombstone_may_hold_other_fields_and_still_removes() -> None:
    fold = fold_of([node("a", "tool", parent="p"), relation("starts", "a", "b", id="r")])
    assert [n.id for n in fold.children("p")] == ["a"] and len(fold.edges("a")) == 1
    gone = [node("a", "tool", parent="p", tombstone=True), relation("starts", "a", "b", id="r", tombstone=True)]
    fold.apply(round_(2, gone, fold.digest))
    assert (fold.children("p"), fold.edges("a"), fold.edges("b")) == ([], [], [])
    assert fold_of(gone).nodes == {} and fold_of(gone).children("p") == []


def test_a_node_without_a_parent_is_nobodys_child() -> None:
    fold = fold_of([node("a", "tool")])
    assert fold.children("") == []
    fold.apply(round_(2, [node("b", "tool"), node("a", "tool")], fold.digest))
    assert fold.children("") == []


def test_what_was_removed_may_come_again() -> None:
    fold = fold_of([node("a", "tool")], [tombstone("node", "a")], [node("a", "run")])
    assert fold.nodes["a"].kind == "run"


def test_a_tombstone_of_nothing_changes_nothing() -> None:
    fold = fold_of([node("a", "tool"), tombstone("node", "x")], [tombstone("node", "y"), tombstone("relation", "a")])
    assert set(fold.nodes) == {"a"}


# --- what links


def test_the_round_must_be_the_next() -> None:
    fold = fold_of([])
    for number in (1, 3, 9):
        with pytest.raises(FoldError, match=f"sessionflow: the file holds round {number}, the view's head is 1"):
            fold.check(round_(number, [], fold.digest if number > 1 else ""))
    with pytest.raises(FoldError, match="head is 0"):
        Fold().check(round_(2, [], "ab" * 32))


def test_previous_must_equal_the_heads_digest() -> None:
    fold = fold_of([])
    with pytest.raises(FoldError) as caught:
        fold.apply(round_(2, [node("x", "tool")], "deadbeef" * 8))
    assert str(caught.value) == f'sessionflow: round 2 names previous "deadbeefdead", but the view\'s head is "{fold.digest[:12]}"'
    for near in (fold.digest[:12], fold.digest.upper(), fold.digest + "0"):
        with pytest.raises(FoldError, match="names previous"):
            fold.check(round_(2, [], near))
    assert (fold.head, fold.nodes) == (1, {})


@pytest.mark.parametrize(("name", "what"), [("conversation", "for"), ("session", "for"), ("parser", "under"), ("policy", "under")])
def test_the_first_round_freezes(name: str, what: str) -> None:
    fold = fold_of([], [])
    with pytest.raises(FoldError) as caught:
        fold.apply(round_(3, [node("x", "tool")], fold.digest, **{name: "other"}))
    old = getattr(fold.first, name)
    assert str(caught.value) == f'sessionflow: round 3 was produced {what} {name} "other", the chain {what} "{old}"'
    assert (fold.head, fold.nodes) == (2, {})


def test_other_header_fields_may_change() -> None:
    fold = fold_of([])
    fold.apply(round_(2, [], fold.digest, title="t", from_seq=5, through_seq=7, input_digest="x"))
    assert fold.header is not None and (fold.head, fold.header.title) == (2, "t")
    assert fold.first is not None and fold.first.round == 1


# --- order


def test_record_order_is_seq_row_block_then_id_and_no_ref_comes_last() -> None:
    wanted = [
        node("z", "tool", (1, 1)),
        node("b", "tool", (1, 1, -1)),
        node("c", "tool", (1, 1, 0)),
        node("a", "tool", (1, 1, 1)),
        node("d", "tool", (1, 1, 1)),
        node("y", "tool", (1, 2)),
        node("x", "tool", (1, 10)),
        node("w", "tool", (2, 1)),
        node("v", "tool", (10, 0)),
        node("A", "tool"),
        node("e", "tool"),
        node("é", "tool"),
    ]
    fold = fold_of([n | {"parent": "p"} for n in sorted(wanted, key=lambda n: n["id"], reverse=True)])
    assert [n.id for n in fold.children("p")] == [n["id"] for n in wanted]
    assert sorted(fold.nodes.values(), key=record_order) == fold.children("p")


def test_ids_sort_by_their_characters() -> None:
    fold = fold_of([node(id, "tool", parent="p") for id in ("b", "a/10", "a/9", "B", "\uffff", "\U00010000")])
    assert [n.id for n in fold.children("p")] == ["B", "a/10", "a/9", "b", "\uffff", "\U00010000"]


def test_edges_are_by_relation_id_then_in_before_out_and_a_loop_appears_twice() -> None:
    fold = fold_of(
        [
            relation("starts", "n", "x", id="r2"),
            relation("starts", "y", "n", id="r1"),
            relation("retries", "n", "n", id="r3"),
            relation("starts", "x", "y", id="r0"),
        ]
    )
    assert [(r.id, way) for r, way in fold.edges("n")] == [("r1", "in"), ("r2", "out"), ("r3", "in"), ("r3", "out")]
    assert fold.edges("nobody") == []


# --- what a round changed


def test_a_delta_tells_what_was_added_changed_and_removed() -> None:
    fold = fold_of([node("a", "tool", parent="p"), node("b", "tool", parent="p"), relation("starts", "a", "b", id="r")])
    delta = fold.apply(
        round_(
            2,
            [
                node("a", "run", parent="q"),
                tombstone("node", "b"),
                node("c", "tool", parent="p"),
                tombstone("node", "nothing"),
                relation("starts", "a", "c", id="r"),
            ],
            fold.digest,
        )
    )
    assert (delta.round, delta.added, delta.changed, delta.removed) == (2, {"c"}, {"a", "r"}, {"b"})
    assert {"p", "q"} <= delta.parents


def test_the_delta_of_the_first_round_is_all_of_it() -> None:
    delta = Fold().apply(
        round_(1, [node("a", "tool"), relation("starts", "a", "b", id="r"), unresolved("u"), tombstone("node", "x")])
    )
    assert (delta.added, delta.changed, delta.removed) == ({"a", "r", "u"}, set(), set())


def test_the_session_node_is_that_of_the_head() -> None:
    assert fold_of([node("session/other", "session")]).session_node() is None
    found = fold_of([node("session/s0", "session")]).session_node()
    assert found is not None and found.id == "session/s0"
    assert Fold().session_node() is None


# --- indexes that are kept up to date

IDS = [f"n{at}" for at in range(7)]
REFS = (
    st.none() | st.tuples(st.integers(1, 3), st.integers(0, 3)) | st.tuples(st.integers(1, 3), st.integers(1, 2), st.integers(0, 2))
)
NODE = st.builds(
    lambda id, at, parent, kind: node(id, kind, at, parent=parent),
    st.sampled_from(IDS), REFS, st.sampled_from(["", *IDS]), st.sampled_from(["tool", "run", "talk"]),
)  # fmt: skip
RELATION = st.builds(
    lambda id, a, b: relation("starts", a, b, id=id),
    st.sampled_from(["r0", "r1", "r2", "r3"]),
    st.sampled_from(IDS),
    st.sampled_from(IDS),
)
GONE = st.sampled_from(
    [tombstone("node", id) | more for id in IDS for more in ({}, {"parent": "n1", "kind": "tool"})]
    + [tombstone("relation", f"r{at}") | more for at in range(4) for more in ({}, {"type": "starts", "from": "n1", "to": "n2"})]
)
ROUND = st.lists(NODE | NODE | RELATION | GONE, max_size=12, unique_by=lambda frame: frame["id"])


def answers(fold: Fold) -> Any:
    return (
        {id: [n.id for n in fold.children(id)] for id in IDS},
        {id: [(r.id, way) for r, way in fold.edges(id)] for id in IDS},
    )


def by_hand(nodes: dict[str, Node], relations: dict[str, Any]) -> Any:
    """The same answers, straight from their definition."""

    def order(n: Node) -> Any:
        if n.ref is None:
            return (1, n.id)
        block = n.ref.block if isinstance(n.ref.block, int) else None
        return (0, n.ref.seq, n.ref.row, block is not None, block or 0, n.id)

    children = {id: [n.id for n in sorted((n for n in nodes.values() if n.parent == id), key=order)] for id in IDS}
    edges = {}
    for id in IDS:
        found = [(r.id, "in") for r in relations.values() if r.to == id] + [
            (r.id, "out") for r in relations.values() if r.from_ == id
        ]
        edges[id] = sorted(found)
    return children, edges


@settings(max_examples=150, deadline=None)
@given(st.lists(ROUND, min_size=1, max_size=6), st.integers(0, 5), st.integers(0, 5))
def test_indexes_kept_up_round_by_round_equal_indexes_made_anew(rounds: list[list[Any]], ask_from: int, ask_step: int) -> None:
    growing = Fold()
    for number, entities in enumerate(rounds, 1):
        growing.apply(round_(number, entities, growing.digest))
        if number >= ask_from:
            # Asking makes an index, which later rounds must then keep up; asking some nodes only leaves others unsorted.
            for id in IDS[:: ask_step + 1]:
                growing.children(id)
                growing.edges(id)
        fresh = fold_of(*rounds[:number])
        assert (growing.nodes, growing.relations, growing.head, growing.digest) == (
            fresh.nodes,
            fresh.relations,
            fresh.head,
            fresh.digest,
        )
        assert answers(fresh) == by_hand(fresh.nodes, fresh.relations)
        if number == len(rounds) or ask_step == 0:
            assert answers(growing) == answers(fresh)
