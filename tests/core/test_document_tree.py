"""The trees of a document (formats.md section 4): talks and their order, counts, spans, the depth cut, loose roots, loops of parents."""

from __future__ import annotations

import random
from typing import Any

import pytest

from tests.core.helpers import START_MS, Maker, clock, node, nodes_of, relation, said


def timed(maker: Maker, count: int, *, start: int = 1) -> None:
    """One landed file whose row n carries second start + n - 1."""
    maker.land(*[said(f"t{row}", time=clock(start + row - 1)) for row in range(1, count + 1)])


def ms(second: float) -> int:
    return START_MS + int(second * 1000)


def ids(views: list[Any]) -> list[str]:
    return [view["id"] for view in views]


def shape(view: Any) -> Any:
    """A tree as ids."""
    return {view["id"]: [shape(child) for child in view["children"]]} if "children" in view else view["id"]


# --- keys


def test_keys_of_a_document_stand_in_the_seeds_order(maker: Maker) -> None:
    timed(maker, 2)
    maker.round(node("talk/1", "talk", (1, 1)), relation("starts", "a", "b"))
    document = maker.document()
    assert list(document) == [
        "format",
        "version",
        "conversation",
        "sessions",
        "head",
        "parser",
        "policy",
        "summary",
        "rounds",
        "files",
        "streams",
        "segments",
        "talks",
        "loose",
        "relations",
        "unresolved",
    ]
    assert (document["format"], document["version"], document["head"]) == ("asz.view", "1.0", {"round": 1, "digest": maker.digest})
    assert (document["parser"], document["policy"]) == ("v1", "v1+idle=10m0s")
    assert list(document["summary"]) == [
        "title",
        "state",
        "problems",
        "talks",
        "steps",
        "streams",
        "segments",
        "rounds",
        "unresolved",
        "from",
        "to",
        "kinds",
        "relation_types",
        "quality",
    ]
    assert list(document["rounds"][0]) == [
        "round",
        "digest",
        "previous",
        "from_seq",
        "through_seq",
        "input_digest",
        "from_time",
        "through_time",
        "verified",
    ]
    assert list(document["files"][0]) == [
        "file",
        "format",
        "kind",
        "seq",
        "round",
        "stream",
        "run",
        "lines",
        "bytes",
        "digest",
        "from_time",
        "through_time",
    ]


def test_keys_of_a_node_stand_in_order_and_empty_ones_are_absent(maker: Maker) -> None:
    timed(maker, 1)
    maker.round(
        node("talk/1", "talk", (1, 1), stream="main", parent="epoch/x", refs=[(1, 1)], attrs={}),
        node("run/1", "run", parent="talk/1"),
        node("m", "message.external", (1, 1, 0), parent="run/1", refs=[], attrs=None),
        relation("in_segment", "talk/1", "segment/1"),
    )
    talk = maker.document()["talks"][0]
    assert list(talk) == [
        "id",
        "kind",
        "parent",
        "stream",
        "at",
        "ref",
        "refs",
        "attrs",
        "label",
        "runs",
        "steps",
        "from",
        "to",
        "segment",
        "children",
        "edges",
    ]
    run = talk["children"][0]
    assert run == {"id": "run/1", "kind": "run", "parent": "talk/1", "at": 0, "children": run["children"]}
    step = run["children"][0]
    assert list(step) == ["id", "kind", "parent", "at", "ref", "attrs", "text", "state", "bytes"]
    assert step["ref"] == {"seq": 1, "row": 1, "block": 0} and step["attrs"] is None
    assert talk["ref"] == {"seq": 1, "row": 1} and talk["attrs"] == {}


def test_attrs_keep_the_rounds_own_key_order_and_spelling(maker: Maker) -> None:
    raw = b'{ "z":1.50, "a":1e3,"\\u0041":"\\u00e9\\/" ,"n":-0, "big":123456789012345678901234567890}'
    maker.raw_round(b'{"t":"node","id":"n","kind":"tool","revision":1,"attrs":' + raw + b"}", counts=(1, 0, 0))
    indented = maker.load().json()
    for piece in (
        b'"z": 1.50,\n',
        b'"a": 1e3,\n',
        b'"\\u0041": "\\u00e9\\/",\n',
        b'"n": -0,\n',
        b'"big": 123456789012345678901234567890\n',
    ):
        assert piece in indented
    assert indented.index(b'"z"') < indented.index(b'"a": 1e3')
    assert raw.translate(None, b" ") in maker.load().json(compact=True)


# --- at


@pytest.mark.parametrize(
    ("time", "at"),
    [
        ("", 0),
        ("nonsense", 0),
        (clock(1), ms(1)),
        (clock(1, ".0009999"), ms(1)),
        (clock(1, ".999999999"), ms(1) + 999),
        ("1969-12-31T23:59:59.9999Z", -1),
        ("1970-01-01T00:00:00.0005Z", 0),
    ],
)
def test_at_is_the_records_time_in_milliseconds_rounded_down(maker: Maker, time: str, at: int) -> None:
    maker.land(said("x", time=time))
    maker.round(node("m", "tool", (1, 1)), node("nowhere", "tool", (1, 9)), node("none", "tool"))
    nodes = maker.nodes()
    assert nodes["m"]["at"] == at
    assert nodes["nowhere"]["at"] == nodes["none"]["at"] == 0


# --- talks


def test_talks_are_all_nodes_of_kind_talk_timed_ones_first_by_the_start_of_their_span(maker: Maker) -> None:
    timed(maker, 5)
    maker.round(
        node("talk/late", "talk", (1, 4)),
        node("talk/early", "talk", (1, 5)),
        node("m", "message.external", (1, 1), parent="talk/early"),
        node("talk/b", "talk", (9, 1)),
        node("talk/a", "talk", (9, 1)),
        node("talk/none", "talk"),
        node("talk/first", "talk", (7, 7)),
        through_seq=9,
    )
    assert ids(maker.document()["talks"]) == ["talk/early", "talk/late", "talk/first", "talk/a", "talk/b", "talk/none"]


def test_talks_that_start_at_the_same_time_come_in_record_order(maker: Maker) -> None:
    maker.land(*[said("x", time=clock(3))] * 3)
    maker.round(node("talk/a", "talk", (1, 3)), node("talk/b", "talk", (1, 1)), node("talk/c", "talk", (1, 2)))
    assert ids(maker.document()["talks"]) == ["talk/b", "talk/c", "talk/a"]


def test_talks_sort_by_nanoseconds(maker: Maker) -> None:
    maker.land(said("x", time=clock(1, ".000000002")), said("x", time=clock(1, ".000000001")))
    maker.round(node("talk/a", "talk", (1, 1)), node("talk/b", "talk", (1, 2)))
    document = maker.document()
    assert ids(document["talks"]) == ["talk/b", "talk/a"] and document["talks"][0]["at"] == document["talks"][1]["at"]


def test_a_talk_in_a_talk_is_listed_too_and_counts_in_both(maker: Maker) -> None:
    timed(maker, 4)
    maker.round(
        node("talk/out", "talk", (1, 1)),
        node("run/1", "run", parent="talk/out"),
        node("talk/in", "talk", (1, 3), parent="run/1"),
        node("t", "tool", (1, 4), parent="talk/in"),
        node("m", "message.external", (1, 2), parent="run/1"),
    )
    document = maker.document()
    out, inner = document["talks"]
    assert shape(out) == {"talk/out": [{"run/1": ["m", {"talk/in": ["t"]}]}]}
    assert shape(inner) == {"talk/in": ["t"]}
    assert (out["runs"], out["steps"], out["tools"], out["from"], out["to"]) == (1, 2, 1, ms(1), ms(4))
    assert (inner.get("runs"), inner["steps"], inner["tools"], inner["from"], inner["to"]) == (None, 1, 1, ms(3), ms(4))
    nested = out["children"][0]["children"][1]
    assert "steps" not in nested and "label" not in nested
    assert document["summary"]["talks"] == 2 and document["loose"] == []


def test_runs_steps_and_tools_count_the_whole_subtree(maker: Maker) -> None:
    kinds = ["run", "run", "tool", "agent.call", "llm.call", "thinking", "session", "stream", "epoch", "segment", "unknown.kind"]
    maker.round(
        node("talk/1", "talk"), *[node(f"n{at}", kind, parent="talk/1" if at < 2 else "n0") for at, kind in enumerate(kinds)]
    )
    talk = maker.document()["talks"][0]
    assert (talk["runs"], talk["steps"], talk["tools"]) == (2, 5, 2)


def test_a_talk_without_any_has_no_counts(maker: Maker) -> None:
    maker.round(node("talk/1", "talk"))
    assert maker.document()["talks"][0] == {"id": "talk/1", "kind": "talk", "at": 0}


def test_the_span_covers_the_whole_subtree_itself_included_also_below_the_depth_cut(maker: Maker) -> None:
    timed(maker, 30)
    chain = [node("talk/1", "talk", (1, 10))] + [
        node(f"d{d}", "tool", (1, 10 + d), parent=f"d{d - 1}" if d > 1 else "talk/1") for d in range(1, 18)
    ]
    maker.round(*chain, node("deep", "tool", (1, 1), parent="d17"))
    talk = maker.document()["talks"][0]
    assert (talk["from"], talk["to"], talk["steps"], talk["tools"]) == (ms(1), ms(27), 18, 18)


def test_a_span_may_lie_before_1970(maker: Maker) -> None:
    maker.land(said("x", time="1969-12-31T23:59:58Z"), said("x", time="1969-12-31T23:59:59Z"))
    maker.round(node("talk/1", "talk"), node("a", "tool", (1, 1), parent="talk/1"), node("b", "tool", (1, 2), parent="talk/1"))
    talk = maker.document()["talks"][0]
    assert (talk["from"], talk["to"]) == (-2000, -1000)


def test_untimed_nodes_do_not_count_in_a_span(maker: Maker) -> None:
    maker.land(said("x"), said("x", time=clock(5)), said("x", time="1970-01-01T00:00:00Z"))
    maker.round(
        node("talk/1", "talk", (1, 1)), node("a", "tool", (1, 2), parent="talk/1"), node("b", "tool", (1, 3), parent="talk/1")
    )
    talk = maker.document()["talks"][0]
    assert (talk["at"], talk["from"], talk["to"]) == (0, ms(5), ms(5))


# --- children


def test_children_are_in_record_order(maker: Maker) -> None:
    places: list[tuple[str, tuple[int, ...] | None]] = [
        ("f", (1, 1)),
        ("e", (1, 1, 0)),
        ("d", (1, 1, 1)),
        ("c", (1, 2)),
        ("b", (2, 1)),
        ("a", None),
        ("z", None),
    ]
    shuffled = places[:]
    random.Random(5).shuffle(shuffled)
    maker.land(said("x"))
    maker.land(said("x"))
    maker.round(node("talk/1", "talk"), *[node(id, "tool", at, parent="talk/1") for id, at in shuffled])
    assert ids(maker.document()["talks"][0]["children"]) == [id for id, _ in places]


def test_twelve_levels_below_a_talk_are_written_and_deeper_ones_count(maker: Maker) -> None:
    maker.round(node("talk/1", "talk"), *[node(f"d{d}", "tool", parent=f"d{d - 1}" if d > 1 else "talk/1") for d in range(1, 16)])
    talk = maker.document()["talks"][0]
    written = nodes_of({"talks": [talk], "loose": []})
    assert sorted(written) == sorted(["talk/1", *[f"d{d}" for d in range(1, 13)]])
    assert "children" not in written["d12"] and talk["steps"] == 15


def test_twelve_levels_below_a_loose_root_are_written(maker: Maker) -> None:
    maker.round(*[node(f"d{d:02d}", "tool", parent=f"d{d - 1:02d}") for d in range(20)])
    document = maker.document()
    assert ids(document["loose"]) == ["d00"]
    assert sorted(nodes_of(document)) == [f"d{d:02d}" for d in range(13)]
    assert document["summary"]["steps"] == 20


def test_the_cut_keeps_siblings_after_a_deep_branch(maker: Maker) -> None:
    maker.round(
        node("talk/1", "talk"),
        *[node(f"d{d}", "tool", (1, 1), parent=f"d{d - 1}" if d > 1 else "talk/1") for d in range(1, 20)],
        node("last", "tool", (1, 2), parent="talk/1"),
        node("mid", "tool", (1, 2), parent="d6"),
        through_seq=1,
    )
    nodes = maker.nodes()
    assert ids(nodes["talk/1"]["children"]) == ["d1", "last"] and ids(nodes["d6"]["children"]) == ["d7", "mid"]


def test_a_talk_in_a_talk_is_cut_from_its_own_top(maker: Maker) -> None:
    maker.round(
        node("talk/out", "talk"),
        *[node(f"a{d}", "tool", parent=f"a{d - 1}" if d > 1 else "talk/out") for d in range(1, 9)],
        node("talk/in", "talk", parent="a8"),
        *[node(f"b{d}", "tool", parent=f"b{d - 1}" if d > 1 else "talk/in") for d in range(1, 14)],
    )
    out = next(t for t in maker.document()["talks"] if t["id"] == "talk/out")
    inner = next(t for t in maker.document()["talks"] if t["id"] == "talk/in")
    assert "b3" in nodes_of({"talks": [out], "loose": []}) and "b4" not in nodes_of({"talks": [out], "loose": []})
    assert "b12" in nodes_of({"talks": [inner], "loose": []}) and "b13" not in nodes_of({"talks": [inner], "loose": []})
    assert (out["steps"], inner["steps"]) == (21, 13)


# --- loose


def test_loose_roots_are_the_highest_runs_and_steps_without_a_talk_above(maker: Maker) -> None:
    maker.round(
        node("session/s0", "session"),
        node("stream/k", "stream", parent="session/s0"),
        node("epoch/k", "epoch", parent="stream/k"),
        node("run/k", "run", parent="epoch/k"),
        node("t1", "tool", parent="run/k"),
        node("t2", "tool", parent="missing"),
        node("t3", "tool"),
        node("talk/1", "talk"),
        node("t4", "tool", parent="talk/1"),
        node("seg", "segment"),
    )
    document = maker.document()
    assert [shape(view) for view in document["loose"]] == [{"run/k": ["t1"]}, "t2", "t3"]


def test_a_loose_root_is_found_through_what_stands_between(maker: Maker) -> None:
    maker.round(
        node("top", "tool"),
        node("epoch/x", "epoch", parent="top"),
        node("stream/x", "stream", parent="epoch/x"),
        node("low", "tool", parent="stream/x"),
    )
    assert [shape(view) for view in maker.document()["loose"]] == [{"top": [{"epoch/x": [{"stream/x": ["low"]}]}]}]


def test_each_loose_root_appears_once_in_record_order(maker: Maker) -> None:
    maker.land(*[said("x")] * 4)
    maker.round(
        node("b", "run", (1, 3)),
        node("a", "run", (1, 1)),
        *[node(f"b{n}", "tool", (1, 2), parent="b") for n in range(3)],
        *[node(f"a{n}", "tool", (1, 4), parent="a") for n in range(3)],
        node("none", "tool"),
        node("c", "tool", (1, 2)),
    )
    document = maker.document()
    assert ids(document["loose"]) == ["a", "c", "b", "none"] and len(nodes_of(document)) == 10


def test_a_loose_root_has_no_talk_keys(maker: Maker) -> None:
    timed(maker, 1)
    maker.round(node("run/1", "run", (1, 1)), node("m", "message.external", (1, 1), parent="run/1"))
    assert set(maker.document()["loose"][0]) == {"id", "kind", "at", "ref", "children"}


def test_a_node_under_a_talk_is_not_loose_however_it_got_there(maker: Maker) -> None:
    maker.round(node("talk/1", "talk"), node("epoch/x", "epoch", parent="talk/1"), node("run/x", "run", parent="epoch/x"))
    document = maker.document()
    assert document["loose"] == [] and shape(document["talks"][0]) == {"talk/1": [{"epoch/x": ["run/x"]}]}


# --- loops


def test_a_node_that_is_its_own_parent_appears_once(maker: Maker) -> None:
    maker.round(node("a", "tool", parent="a"), node("talk/a", "talk", parent="talk/a"), node("t", "tool", parent="talk/a"))
    document = maker.document()
    assert [shape(view) for view in document["loose"]] == ["a"]
    assert [shape(view) for view in document["talks"]] == [{"talk/a": ["t"]}]


@pytest.mark.parametrize("order", [(1, 2, 3), (2, 3, 1), (3, 1, 2)])
def test_of_a_loop_the_node_first_in_record_order_stands_on_top(maker: Maker, order: tuple[int, int, int]) -> None:
    maker.land(*[said("x")] * 4)
    rows = dict(zip("abc", order, strict=True))
    maker.round(
        node("a", "tool", (1, rows["a"]), parent="c"),
        node("b", "run", (1, rows["b"]), parent="a"),
        node("c", "tool", (1, rows["c"]), parent="b"),
        node("hanging", "tool", (1, 4), parent="b"),
    )
    document = maker.document()
    first = min(rows, key=lambda id: rows[id])
    assert ids(document["loose"]) == [first]
    seen = nodes_of(document)
    assert sorted(seen) == ["a", "b", "c", "hanging"] and len(seen) == 4


def test_a_loop_above_a_step_hides_nothing(maker: Maker) -> None:
    maker.round(
        node("epoch/a", "epoch", parent="epoch/b"),
        node("epoch/b", "epoch", parent="epoch/a"),
        node("t1", "tool", parent="epoch/a"),
        node("t2", "tool", parent="t1"),
    )
    assert [shape(view) for view in maker.document()["loose"]] == [{"t1": ["t2"]}]


def test_a_talk_in_a_loop_holds_what_hangs_on_it_once(maker: Maker) -> None:
    maker.land(*[said("x", time=clock(1))] * 4)
    maker.round(
        node("talk/1", "talk", (1, 2), parent="t2"),
        node("t1", "tool", (1, 1), parent="talk/1"),
        node("t2", "tool", (1, 3), parent="t1"),
    )
    document = maker.document()
    assert [shape(view) for view in document["talks"]] == [{"talk/1": [{"t1": ["t2"]}]}]
    assert document["loose"] == [] and document["talks"][0]["steps"] == 2


def test_two_talks_in_a_loop_are_both_listed_and_all_ends(maker: Maker) -> None:
    maker.land(*[said("x")] * 2)
    maker.round(node("talk/b", "talk", (1, 1), parent="talk/a"), node("talk/a", "talk", (1, 2), parent="talk/b"))
    document = maker.document()
    assert ids(document["talks"]) == ["talk/b", "talk/a"]
    assert document["summary"]["talks"] == 2
    assert sum(len(nodes_of({"talks": [t], "loose": []})) for t in document["talks"]) <= 4


def test_long_chains_and_long_loops_of_parents_end_in_time(maker: Maker) -> None:
    count = 5000
    chain = [node(f"c{n:05d}", "tool", parent=f"c{n - 1:05d}") for n in range(count)]
    loop = [node(f"l{n:05d}", "tool", parent=f"l{(n - 1) % count:05d}") for n in range(count)]
    talks = [node(f"talk/{n:05d}", "talk", parent=f"talk/{n - 1:05d}") for n in range(200)]
    maker.round(*chain, *loop, *talks)
    document = maker.document()
    assert ids(document["loose"]) == ["c00000", "l00000"] and len(document["talks"]) == 200
    assert document["summary"]["steps"] == 2 * count


# --- edges


def test_edges_stand_on_both_ends_by_relation_id_then_in_before_out(maker: Maker) -> None:
    maker.round(
        node("a", "tool"),
        node("b", "tool"),
        relation("starts", "a", "b", id="r3", quality="weak_inference", via="name"),
        relation("reports", "b", "a", id="r1", via=""),
        relation("retries", "a", "a", id="r2"),
        relation("starts", "a", "gone", id="r4", quality=""),
    )
    nodes = maker.nodes()
    assert nodes["a"]["edges"] == [
        {"type": "reports", "other": "b", "dir": "in", "quality": "exact_unique"},
        {"type": "retries", "other": "a", "dir": "in", "quality": "exact_unique"},
        {"type": "retries", "other": "a", "dir": "out", "quality": "exact_unique"},
        {"type": "starts", "other": "b", "dir": "out", "quality": "weak_inference", "via": "name"},
        {"type": "starts", "other": "gone", "dir": "out", "quality": ""},
    ]
    assert [(e["type"], e["dir"]) for e in nodes["b"]["edges"]] == [("reports", "out"), ("starts", "in")]


def test_every_node_of_a_tree_carries_its_edges(maker: Maker) -> None:
    maker.round(
        node("talk/1", "talk"),
        node("run/1", "run", parent="talk/1"),
        node("t", "tool", parent="run/1"),
        *[relation("starts", id, "x") for id in ("talk/1", "run/1", "t")],
    )
    assert all(len(view["edges"]) == 1 for view in maker.nodes().values())


# --- the whole


def test_talks_and_loose_hold_every_run_and_step(maker: Maker) -> None:
    pick = random.Random(7)
    kinds = ["talk", "run", "tool", "epoch", "stream", "llm.call", "segment", "session", "odd"]
    for _ in range(3):
        names = [f"n{n}" for n in range(40)]
        frames = [node(id, pick.choice(kinds), parent=pick.choice(["", "x", *names[: max(1, at)]])) for at, id in enumerate(names)]
        maker.land(said("x"))
        maker.round(*frames)
        conversation = maker.load()
        seen = nodes_of(maker.document())
        wanted = {
            n.id
            for n in conversation.fold.nodes.values()
            if n.kind == "run" or n.kind not in ("session", "segment", "stream", "epoch", "talk", "run")
        }
        assert wanted <= set(seen)
