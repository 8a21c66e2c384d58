"""The lists beside the trees (formats.md section 4): streams, segments, relations, unresolved, sessions, summary, rounds, files."""

from __future__ import annotations

from typing import Any

import pytest

from tests.core.helpers import START_MS, Maker, clock, node, part, record, relation, said, sha, tombstone, unresolved


def ms(second: int) -> int:
    return START_MS + second * 1000


def stream(name: str, at: tuple[int, ...] | None = None, **attrs: Any) -> dict[str, Any]:
    return node(f"stream/{name}", "stream", at, stream=name, attrs=attrs)


def streams(maker: Maker) -> dict[str, Any]:
    return {entry["id"]: entry for entry in maker.document()["streams"]}


# --- streams


def test_a_stream_entry_in_full(maker: Maker) -> None:
    maker.land(said("a", time=clock(1)), said("b", time=clock(2)))
    maker.round(
        stream("main", role="main", records=12, named_by="", label=""),
        stream("kid", (1, 1), role="child", records=3, label="find it", named_by="tool"),
        node("talk/m", "talk", (1, 1), stream="main"),
        node("call", "agent.call", (1, 1), stream="main", parent="talk/m"),
        node("talk/k", "talk", (1, 2), stream="kid"),
        node("t", "tool", (1, 2), stream="kid", parent="talk/k"),
        relation("starts", "call", "stream/kid", quality="strong_inference"),
    )
    assert maker.document()["streams"] == [
        {"id": "stream/main", "name": "main", "role": "main", "label": "", "parent": "", "records": 12, "steps": 1, "talk": "talk/m", "named_by": "", "opened_by": []},
        {
            "id": "stream/kid", "name": "kid", "role": "child", "label": "find it", "parent": "main", "records": 3, "steps": 1, "talk": "talk/k", "named_by": "tool",
            "opened_by": [{"step": "call", "stream": "main", "talk": "talk/m", "quality": "strong_inference"}],
        },
    ]  # fmt: skip


def test_role_main_comes_first_then_record_order(maker: Maker) -> None:
    maker.land(*[said("x")] * 4)
    maker.round(
        stream("z", (1, 1), role="child"),
        stream("m", (1, 4), role="main"),
        stream("a", (1, 2), role="judge"),
        stream("n"),
        stream("b", (1, 3)),
    )
    assert [entry["name"] for entry in maker.document()["streams"]] == ["m", "z", "a", "b", "n"]


@pytest.mark.parametrize(
    ("records", "want"),
    [
        (5, 5),
        (0, 0),
        (None, 0),
        ("7", 0),
        (2.0, 2),
        (True, 0),
        ([], 0),
        (-3, -3),
        (10**30, 0),
        (-(10**30), 0),
        (2**63, 0),
        (2**63 - 1, 2**63 - 1),
    ],
)
def test_records_are_the_attrs_or_zero(maker: Maker, records: Any, want: int) -> None:
    maker.round(stream("main", records=records))
    assert maker.document()["streams"][0]["records"] == want


def test_a_number_of_records_beyond_all_numbers_is_none(maker: Maker) -> None:
    maker.raw_round(b'{"t":"node","revision":1,"id":"stream/a","kind":"stream","attrs":{"records":1e999}}', counts=(1, 0, 0))
    assert maker.document()["streams"][0]["records"] == 0
    assert b"records: 0\n" in b"".join(maker.load().yaml())


@pytest.mark.parametrize("value", [5, None, [], {}, True])
def test_words_of_another_type_read_as_empty(maker: Maker, value: Any) -> None:
    maker.round(stream("a", role=value, label=value, named_by=value))
    entry = maker.document()["streams"][0]
    assert (entry["role"], entry["label"], entry["named_by"]) == ("", "", "")


def test_steps_are_those_of_its_talks_and_talk_is_the_first_in_talk_order(maker: Maker) -> None:
    maker.land(*[said("x", time=clock(second)) for second in (9, 5, 7)])
    maker.round(
        stream("main"),
        node("talk/a", "talk", (1, 1), stream="main"),
        node("talk/b", "talk", (1, 2), stream="main"),
        node("talk/c", "talk", (1, 3), stream="other"),
        *[node(f"a{n}", "tool", parent="talk/a") for n in range(2)],
        *[node(f"b{n}", "tool", parent="talk/b") for n in range(3)],
        node("loose", "tool", stream="main"),
        node("talk/in", "talk", stream="main", parent="talk/b"),
        node("in", "tool", parent="talk/in"),
    )
    entry = streams(maker)["stream/main"]
    assert (entry["steps"], entry["talk"]) == (2 + 4 + 1, "talk/b")


def test_a_stream_without_talks(maker: Maker) -> None:
    maker.round(stream("main"), node("t", "tool", stream="main"))
    entry = streams(maker)["stream/main"]
    assert (entry["steps"], entry["talk"]) == (0, "")


# --- names from a journal


def journal(child: str, result: Any, type: str = "result", **keys: Any) -> dict[str, Any]:
    return record({"k": "data", "data": {"type": type, "result": result}}, child=child, **keys)


@pytest.mark.parametrize(
    ("result", "label"),
    [
        ({"surface": "s", "summary": "y", "verdict": "v"}, "s"),
        ({"surface": "", "summary": "y", "verdict": "v"}, "y"),
        ({"verdict": "v"}, "v"),
        ({"verdict": "v", "refuted_claims": [{"claim": "c"}, {"claim": "d"}]}, "v · c"),
        ({"verdict": "v", "refuted_claims": []}, "v"),
        ({"verdict": "v", "refuted_claims": [{"claim": ""}]}, "v"),
        ({"verdict": "", "refuted_claims": [{"claim": "c"}]}, ""),
        ({"summary": "y", "refuted_claims": [{"claim": "c"}]}, "y"),
        ({"surface": " a \n\t b\u00a0\u2003c "}, "a b c"),
        ({"surface": "x" * 160}, "x" * 160),
        ({"surface": "x" * 161}, "x" * 160 + "…"),
        ({"surface": "x" * 159 + "é"}, "x" * 159 + "…"),
        ({"surface": "€" * 54}, "€" * 53 + "…"),
        ({"surface": "x" * 160 + "   "}, "x" * 160),
        ({}, ""),
        ({"verdict": 5, "refuted_claims": [{"claim": "c"}]}, ""),
        ({"verdict": "v", "refuted_claims": {"0": {"claim": "c"}}}, "v"),
        ({"verdict": "v", "refuted_claims": "claim"}, "v"),
        ({"verdict": "v", "refuted_claims": ["claim"]}, "v"),
        ({"verdict": "v", "refuted_claims": [{"claim": 5}]}, "v"),
        ({"surface": "a\x1cb\u200b"}, "a\x1cb\u200b"),
        (["result"], ""),
        ("text", ""),
        (None, ""),
        ({"surface": 5, "summary": "y"}, "y"),
    ],
)
def test_a_stream_without_a_label_is_named_by_the_runs_journal(maker: Maker, result: Any, label: str) -> None:
    maker.land(journal("kid", result), run="wf", kind="journal")
    maker.round(stream("kid", label="", named_by="other"), stream("known", label="own", named_by="tool"))
    found = streams(maker)
    assert (found["stream/kid"]["label"], found["stream/kid"]["named_by"]) == (label, "journal" if label else "other")
    assert (found["stream/known"]["label"], found["stream/known"]["named_by"]) == ("own", "tool")


def test_the_first_record_by_sequence_that_names_the_child_and_has_a_name_counts(maker: Maker) -> None:
    maker.land(journal("kid", {"surface": "in a stream"}), stream="main")
    maker.land(
        journal("other", {"surface": "another child"}),
        journal("kid", {"surface": "started"}, type="started"),
        journal("kid", {}),
        record({"k": "data", "data": [1]}, {"k": "data", "data": {"type": "result", "result": {"surface": "second part"}}}, child="kid"),
        journal("kid", {"surface": "later row"}),
        run="z", kind="journal",
    )  # fmt: skip
    maker.land(journal("kid", {"surface": "later file"}), run="a", kind="journal")
    maker.round(stream("kid"))
    assert streams(maker)["stream/kid"]["label"] == "second part"


def test_a_journal_record_of_no_child_names_no_stream(maker: Maker) -> None:
    maker.land(journal("", {"surface": "nobody"}), run="wf", kind="journal")
    maker.round(node("stream/nameless", "stream"))
    assert streams(maker)["stream/nameless"]["label"] == ""


def test_a_journal_name_in_text_or_elsewhere_is_none(maker: Maker) -> None:
    maker.land(record(part("data", '{"type":"result","result":{"surface":"in text"}}'), child="kid"), run="wf", kind="journal")
    maker.land(journal("kid", {"surface": "provider"}), below="provider_body", kind="provider_body")
    maker.round(stream("kid"))
    assert streams(maker)["stream/kid"]["label"] == ""


# --- openers


def test_openers_are_starts_relations_whose_step_exists_and_has_a_stream(maker: Maker) -> None:
    maker.round(
        stream("kid"),
        node("good", "agent.call", stream="main"),
        node("streamless", "agent.call"),
        relation("starts", "good", "stream/kid", id="r1"),
        relation("starts", "streamless", "stream/kid", id="r2"),
        relation("starts", "gone", "stream/kid", id="r3"),
        relation("reports", "good", "stream/kid", id="r4"),
        relation("starts", "stream/kid", "good", id="r5"),
        relation("starts", "good", "elsewhere", id="r6"),
    )
    entry = streams(maker)["stream/kid"]
    assert entry["opened_by"] == [{"step": "good", "stream": "main", "talk": "", "quality": "exact_unique"}]
    assert entry["parent"] == "main"


def opened(maker: Maker) -> list[str]:
    return [opener["step"] for opener in streams(maker)["stream/kid"]["opened_by"]]


def test_openers_of_one_stream_come_by_position_whatever_their_times(maker: Maker) -> None:
    maker.land(said("x", time=clock(9)), said("x", time=clock(1)), said("x"))
    steps = {"c": (1, 3), "b": (1, 2), "a": (1, 1), "a1": (1, 1, 1), "a0": (1, 1, 0), "none": None}
    maker.round(
        stream("kid"),
        *[node(id, "agent.call", at, stream="main") for id, at in steps.items()],
        *[relation("starts", id, "stream/kid", id=f"r{9 - n}") for n, id in enumerate(steps)],
    )
    assert opened(maker) == ["a", "a0", "a1", "b", "c", "none"]
    assert streams(maker)["stream/kid"]["parent"] == "main"


def test_openers_across_streams_come_by_time_and_a_timed_one_before_an_untimed_one(maker: Maker) -> None:
    maker.land(said("x", time=clock(5)), stream="one")
    maker.land(said("x", time=clock(3)), stream="two")
    maker.land(said("x"), stream="three")
    maker.land(said("x"), stream="four")
    steps = {"two": (2, 1), "four": (4, 1), "one": (1, 1), "three": (3, 1)}
    maker.round(
        stream("kid"),
        *[node(id, "agent.call", at, stream=id) for id, at in steps.items()],
        *[relation("starts", id, "stream/kid") for id in steps],
    )
    assert opened(maker) == ["two", "one", "three", "four"]
    assert streams(maker)["stream/kid"]["parent"] == "four"


def test_the_stream_of_an_opener_is_that_of_the_file_it_landed_in(maker: Maker) -> None:
    """Two steps whose nodes say different streams but which landed in one file are in that file's order."""
    maker.land(said("x", time=clock(9)), said("x", time=clock(1)), stream="main")
    maker.round(
        stream("kid"),
        node("b", "agent.call", (1, 2), stream="s2"),
        node("a", "agent.call", (1, 1), stream="s1"),
        relation("starts", "a", "stream/kid"),
        relation("starts", "b", "stream/kid"),
    )
    assert opened(maker) == ["a", "b"] and streams(maker)["stream/kid"]["parent"] == "s2"


def test_openers_at_one_position_come_by_relation_id(maker: Maker) -> None:
    maker.land(said("x", time=clock(1)))
    names = ["c", "a", "d", "b", "e"]
    maker.round(
        stream("kid"),
        *[node(id, "agent.call", (1, 1), stream="m") for id in names],
        *[node("no " + id, "agent.call", stream="m") for id in names],
        *[relation("starts", id, "stream/kid", id=f"r{at}") for at, id in enumerate(names)],
        *[relation("starts", "no " + id, "stream/kid", id=f"q{at}") for at, id in enumerate(names)],
    )
    assert opened(maker) == [*names, *["no " + id for id in names]]


def test_openers_whose_files_are_not_landed_come_by_position(maker: Maker) -> None:
    maker.land(said("x"))
    steps = {"c": (3, 1), "a": (2, 1), "b": (2, 2)}
    maker.round(
        stream("kid"),
        *[node(id, "agent.call", at, stream="m") for id, at in steps.items()],
        *[relation("starts", id, "stream/kid") for id in steps],
        through_seq=3,
    )
    assert opened(maker) == ["a", "b", "c"]


def test_the_talk_of_an_opener_is_the_nearest_talk_above_it(maker: Maker) -> None:
    maker.round(
        stream("kid"),
        node("talk/1", "talk"),
        node("talk/2", "talk", parent="talk/1"),
        node("run", "run", parent="talk/2"),
        node("a", "agent.call", parent="run", stream="main"),
        node("l1", "agent.call", parent="l2", stream="main"),
        node("l2", "agent.call", parent="l1", stream="main"),
        relation("starts", "a", "stream/kid", id="r1"),
        relation("starts", "l1", "stream/kid", id="r2"),
    )
    assert [(o["step"], o["talk"]) for o in streams(maker)["stream/kid"]["opened_by"]] == [("a", "talk/2"), ("l1", "")]


# --- segments


def test_segments_in_record_order_with_the_spans_of_their_talks(maker: Maker) -> None:
    maker.land(*[said("x", time=clock(second)) for second in (10, 4, 20, 30)], said("x"))
    maker.round(
        node("segment/b", "segment", (1, 1), attrs={"state": "candidate", "committable": True}),
        node("segment/a", "segment", (1, 2), attrs={"state": "open", "committable": False}),
        node("segment/none", "segment"),
        node("talk/1", "talk", (1, 1)),
        node("deep", "tool", (1, 2), parent="talk/1"),
        node("talk/2", "talk", (1, 3)),
        node("talk/untimed", "talk", (1, 5)),
        node("talk/other", "talk", (1, 4)),
        *[relation("in_segment", id, "segment/b") for id in ("talk/1", "talk/2", "talk/untimed")],
        relation("in_segment", "talk/other", "segment/a"),
        relation("in_segment", "not a talk", "segment/none"),
    )
    assert maker.document()["segments"] == [
        {"id": "segment/b", "state": "candidate", "committable": True, "talks": 3, "from": ms(4), "to": ms(20)},
        {"id": "segment/a", "state": "open", "committable": False, "talks": 1, "from": ms(30), "to": ms(30)},
        {"id": "segment/none", "state": "", "committable": False, "talks": 0, "from": 0, "to": 0},
    ]


def test_a_talk_is_in_the_segment_of_its_smallest_relation_only(maker: Maker) -> None:
    maker.round(
        node("segment/a", "segment"),
        node("segment/b", "segment"),
        node("talk/1", "talk"),
        relation("in_segment", "talk/1", "segment/b", id="r1"),
        relation("in_segment", "talk/1", "segment/a", id="r2"),
    )
    assert {s["id"]: s["talks"] for s in maker.document()["segments"]} == {"segment/a": 0, "segment/b": 1}


def test_a_segment_of_talks_before_the_epoch_ends_at_zero(maker: Maker) -> None:
    maker.land(said("x", time="1969-12-31T23:59:58Z"), said("x", time="1969-12-31T23:59:59Z"))
    maker.round(
        node("segment/a", "segment"),
        *[node(f"talk/{n}", "talk", (1, n)) for n in (1, 2)],
        *[relation("in_segment", f"talk/{n}", "segment/a") for n in (1, 2)],
    )
    segment = maker.document()["segments"][0]
    assert (segment["from"], segment["to"]) == (-2000, 0)


@pytest.mark.parametrize(
    ("attrs", "state", "committable"),
    [
        ({"state": 5, "committable": "true"}, "", False),
        ({"committable": 1}, "", False),
        (None, "", False),
        ({"state": "x"}, "x", False),
    ],
)
def test_state_and_committable_are_read_from_attrs(maker: Maker, attrs: Any, state: str, committable: bool) -> None:
    maker.round(node("segment/a", "segment", attrs=attrs))
    segment = maker.document()["segments"][0]
    assert (segment["state"], segment["committable"]) == (state, committable)


# --- relations and unresolved


def test_relations_are_sorted_by_id_and_leave_out_what_is_empty(maker: Maker) -> None:
    maker.land(said("x"))
    maker.round(
        relation("starts", "a", "b", id="r2", via="v", evidence=[{"seq": 1, "row": 1}, {"seq": 1, "row": 1, "block": 0}]),
        relation("odd.type", "a", "a", id="r10", quality="", evidence=[]),
        relation("starts", "gone", "b", id="R", quality="odd"),
    )
    assert [list(entry.items()) for entry in maker.document()["relations"]] == [
        [("id", "R"), ("type", "starts"), ("from", "gone"), ("to", "b"), ("quality", "odd")],
        [("id", "r10"), ("type", "odd.type"), ("from", "a"), ("to", "a"), ("quality", "")],
        [
            ("id", "r2"),
            ("type", "starts"),
            ("from", "a"),
            ("to", "b"),
            ("quality", "exact_unique"),
            ("via", "v"),
            ("evidence", [{"seq": 1, "row": 1}, {"seq": 1, "row": 1, "block": 0}]),
        ],
    ]


def test_unresolved_references_are_sorted_by_id_open_or_not(maker: Maker) -> None:
    maker.round(unresolved("u2", "terminal", reason=""), unresolved("u1"), unresolved("u3", "resolved"), unresolved("u0"))
    maker.round(tombstone("unresolved", "u0"))
    document = maker.document()
    assert document["unresolved"][0] == {"id": "u1", "kind": "tool", "ref": "toolu_1", "reason": "no result", "state": "open"}
    assert [(u["id"], u["state"]) for u in document["unresolved"]] == [("u1", "open"), ("u2", "terminal"), ("u3", "resolved")]
    assert document["summary"]["unresolved"] == 1


# --- sessions and summary


def test_sessions_are_the_heads_then_the_other_session_nodes_by_id(maker: Maker) -> None:
    maker.round(
        *[node(f"session/{name}", "session") for name in ("z", "s0", "a")],
        node("oddly named", "session"),
        node("session/x", "tool"),
    )
    assert maker.document()["sessions"] == ["s0", "oddly named", "a", "z"]


def test_without_a_session_node_there_still_is_the_heads_session(maker: Maker) -> None:
    maker.round()
    document = maker.document()
    assert document["sessions"] == ["s0"]
    assert (document["summary"]["title"], document["summary"]["from"], document["summary"]["to"]) == ("", 0, 0)


def test_the_title_and_times_are_the_session_nodes(maker: Maker) -> None:
    maker.round(
        node("session/s0", "session", attrs={"title": "t", "from_time": clock(1, ".9999"), "through_time": clock(2)}),
        node("session/other", "session", attrs={"title": "no"}),
        title="header title",
    )
    summary = maker.document()["summary"]
    assert (summary["title"], summary["from"], summary["to"]) == ("t", ms(1) + 999, ms(2))


@pytest.mark.parametrize("value", [5, None, "", [], {}, True, "not a time"])
def test_a_title_or_time_of_another_type_is_none(maker: Maker, value: Any) -> None:
    maker.round(
        node(
            "session/s0",
            "session",
            attrs={"title": value if value != "not a time" else 1, "from_time": value, "through_time": value},
        )
    )
    summary = maker.document()["summary"]
    assert (summary["title"], summary["from"], summary["to"]) == ("", 0, 0)


def test_steps_count_every_kind_that_is_no_container_in_the_whole_fold(maker: Maker) -> None:
    containers = ["session", "segment", "stream", "epoch", "talk", "run"]
    maker.round(*[node(f"{n}", kind) for n, kind in enumerate([*containers, "tool", "llm.call", "a.new.kind", ""])])
    summary = maker.document()["summary"]
    assert (summary["steps"], summary["talks"], summary["streams"], summary["segments"]) == (4, 1, 1, 1)


def test_kinds_types_and_qualities_are_counted_and_sorted_by_key(maker: Maker) -> None:
    maker.round(
        node("a", "tool"), node("b", "tool"), node("c", "run"), node("d", "Z"), node("e", ""),
        relation("starts", "a", "b", id="1"), relation("starts", "a", "b", id="2", quality=""), relation("in_segment", "a", "b", id="3", quality="conflict"),
    )  # fmt: skip
    summary = maker.document()["summary"]
    assert list(summary["kinds"].items()) == [("", 1), ("Z", 1), ("run", 1), ("tool", 2)]
    assert list(summary["relation_types"].items()) == [("in_segment", 1), ("starts", 2)]
    assert list(summary["quality"].items()) == [("", 1), ("conflict", 1), ("exact_unique", 1)]


def test_an_empty_fold_has_empty_lists(maker: Maker) -> None:
    maker.round()
    document = maker.document()
    assert [document[key] for key in ("streams", "segments", "talks", "loose", "relations", "unresolved")] == [[]] * 6
    assert [document["summary"][key] for key in ("kinds", "relation_types", "quality", "problems")] == [{}, {}, {}, []]
    assert not {"workspace_changes", "tool_executions"} & set(document)


# --- rounds and files


def test_rounds_are_listed_in_order_with_their_headers(maker: Maker) -> None:
    maker.land(said("a"))
    maker.round(from_time=clock(1), through_time=clock(2, ".0019"))
    first, digest = maker.digest, maker.input_digest
    maker.round(from_time="nonsense")
    rounds = maker.document()["rounds"]
    assert rounds == [
        {
            "round": 1,
            "digest": first,
            "previous": None,
            "from_seq": 1,
            "through_seq": 1,
            "input_digest": digest,
            "from_time": ms(1),
            "through_time": ms(2) + 1,
            "verified": True,
        },
        {
            "round": 2,
            "digest": maker.digest,
            "previous": first,
            "from_seq": 2,
            "through_seq": 1,
            "input_digest": maker.input_digest,
            "from_time": None,
            "through_time": None,
            "verified": True,
        },
    ]


def test_files_are_the_landed_by_sequence_then_the_rounds(maker: Maker) -> None:
    maker.land(said("a", time=clock(5)), said("b"), said("c", time=clock(2)))
    maker.land(said("a"), run="wf", kind="journal")
    maker.land(said("a", time=clock(7, ".9999999")), below="provider_body", kind="provider_body")
    maker.round(from_time=clock(1))
    files = maker.document()["files"]
    landed = [path.read_bytes() for path in maker.files.values()]
    assert files[:3] == [
        {
            "file": f"s0/streams/main/{maker.files[1].name}",
            "format": "sd",
            "kind": "transcript",
            "seq": 1,
            "round": None,
            "stream": "main",
            "run": None,
            "lines": 5,
            "bytes": len(landed[0]),
            "digest": sha(landed[0]),
            "from_time": ms(2),
            "through_time": ms(5),
        },
        {
            "file": f"s0/runs/wf/{maker.files[2].name}",
            "format": "sd",
            "kind": "journal",
            "seq": 2,
            "round": None,
            "stream": None,
            "run": "wf",
            "lines": 3,
            "bytes": len(landed[1]),
            "digest": sha(landed[1]),
            "from_time": None,
            "through_time": None,
        },
        {
            "file": f"s0/provider_body/{maker.files[3].name}",
            "format": "sd",
            "kind": "provider_body",
            "seq": 3,
            "round": None,
            "stream": None,
            "run": None,
            "lines": 3,
            "bytes": len(landed[2]),
            "digest": sha(landed[2]),
            "from_time": ms(7) + 999,
            "through_time": ms(7) + 999,
        },
    ]
    data = maker.rounds[1].read_bytes()
    assert files[3:] == [
        {
            "file": f"_conversations/c0/rounds/{maker.rounds[1].name}",
            "format": "sf",
            "kind": "round",
            "seq": None,
            "round": 1,
            "stream": None,
            "run": None,
            "lines": 2,
            "bytes": len(data),
            "digest": sha(data),
            "from_time": ms(1),
            "through_time": None,
        }
    ]


def test_the_stream_of_a_file_is_its_directory_not_its_header(maker: Maker) -> None:
    maker.land(said("x"), stream="folder")
    path = maker.files[1]
    path.write_bytes(path.read_bytes().replace(b'"stream":"folder"', b'"stream":"header"'))
    maker.round()
    assert maker.document()["files"][0]["stream"] == "folder"


def test_lines_are_newline_bytes(maker: Maker) -> None:
    maker.land(said("x"))
    maker.files[1].write_bytes(maker.files[1].read_bytes()[:-1])
    maker.round()
    maker.rounds[1].write_bytes(b"\n\n" + maker.rounds[1].read_bytes()[:-1])
    assert [f["lines"] for f in maker.document()["files"]] == [2, 3]
