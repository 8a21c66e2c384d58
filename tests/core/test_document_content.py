"""What nodes show of records (formats.md section 4): text, clip, label, reply, results, intervals, durations, usage, provider bodies."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asz_core.document.texts import clip, collapse, trim
from asz_core.rawjson import loads
from tests.core.helpers import START_MS, Maker, clock, node, part, record, relation, said

SPACES = "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"


def shown(
    maker: Maker, *parts: dict[str, Any], kind: str = "message.external", at: tuple[int, ...] = (1, 1), **keys: Any
) -> dict[str, Any]:
    """The one node of a document that stands on a record of these parts."""
    maker.land(record(*parts, **keys))
    maker.round(node("n", kind, at))
    return maker.nodes()["n"]


def data(value: Any = None, *, k: str = "data", raw: bytes = b"", **keys: Any) -> Any:
    """A part with data; raw text goes through ``landed`` below."""
    return {"k": k, "data": value, "state": "available", "bytes": 5} | keys


# --- clip


@pytest.mark.parametrize(
    ("character", "size"),
    [("a", 1), ("é", 2), ("€", 3), ("\U0001f600", 4)],
)
@pytest.mark.parametrize("lead", range(5))
def test_text_is_clipped_to_whole_characters_within_2000_bytes(maker: Maker, character: str, size: int, lead: int) -> None:
    text = "x" * lead + character * 2001
    fits = "x" * lead + character * ((2000 - lead) // size)
    assert clip(text) == fits and 2000 - size < len(fits.encode()) <= 2000
    assert shown(maker, part(text=text))["text"] == fits


@given(st.text(max_size=900), st.integers(0, 2100))
def test_clip_is_the_longest_prefix_that_fits(text: str, limit: int) -> None:
    kept = clip(text, limit)
    assert text.startswith(kept) and len(kept.encode()) <= limit
    if kept != text:
        assert len((kept + text[len(kept)]).encode()) > limit


def test_a_text_of_exactly_2000_bytes_is_whole() -> None:
    for text in ("a" * 2000, "é" * 1000, "a\U0001f600bc€" * 200):
        assert len(text.encode()) == 2000 and clip(text) == text and clip(text + "a") == text


def test_bytes_is_the_parts_own_full_size(maker: Maker) -> None:
    view = shown(maker, part(text="x" * 5000))
    assert (len(view["text"]), view["bytes"]) == (2000, 5000)


def test_data_is_clipped_in_its_own_spelling(maker: Maker) -> None:
    maker.land(
        b'{"parts":[{"k":"data","data":{ "a" : "' + "é".encode() * 1500 + b'"}}]}',
        b'{"parts":[{"k":"data","data":"' + b"\xff" * 3000 + b'"}]}',
    )
    maker.round(node("a", "tool", (1, 1)), node("b", "tool", (1, 2)))
    nodes = maker.nodes()
    assert nodes["a"]["text"] == '{ "a" : "' + "é" * 995
    assert nodes["b"]["text"] == '"' + "\ufffd" * 666


# --- white space


def test_trim_takes_all_unicode_white_space_and_nothing_else() -> None:
    assert trim(SPACES + "x" + SPACES) == "x"
    for other in "\x1c\x1d\x1e\x1f\u200b\ufeff\u180e\0":
        assert trim(other + "x" + other) == other + "x" + other


def test_collapse_makes_one_space_of_each_run() -> None:
    for other in "\x1c\x1d\x1e\x1f\u200b\ufeff\ue01c\0":
        assert collapse(f" a{other}b ") == f"a{other}b"
    assert collapse(SPACES) == collapse("") == ""
    assert collapse(f" a{SPACES}b\n\nc ") == "a b c"


# --- readable text


def test_readable_text_is_the_not_empty_texts_joined_by_newlines_and_trimmed(maker: Maker) -> None:
    view = shown(maker, part(text=" a"), part("reasoning", "no"), part(text=""), part("media", "no"), part(text="b \n"))
    assert view["text"] == "a\nb"
    assert "state" not in view and "bytes" not in view


def test_a_record_with_several_parts_and_no_block_shows_its_readable_text(maker: Maker) -> None:
    assert "text" not in shown(maker, part("reasoning", "a"), part("result", "b"))


QUEUED = {
    "type": "queued_command",
    "prompt": [{"type": "text", "text": " do this"}, {"type": "image"}, {"type": "text", "text": "and that "}],
}


@pytest.mark.parametrize("k", ["data", "unknown", "text", "later"])
def test_without_text_the_prompt_of_a_queued_command_is_the_readable_text(maker: Maker, k: str) -> None:
    view = shown(maker, data(QUEUED, k=k), part("media"))
    assert view["text"] == "do this\nand that"


def test_a_queued_command_in_a_parts_text_counts_too(maker: Maker) -> None:
    view = shown(maker, part("unknown", json.dumps(QUEUED)), part("media"))
    assert view["text"] == "do this\nand that"


@pytest.mark.parametrize(
    "value",
    [
        {"type": "other", "prompt": QUEUED["prompt"]},
        {"type": "other", "why": "queued_command", "prompt": [{"text": "no"}]},
        {"type": "queued_command", "prompt": {"text": "no"}},
        {"type": "queued_command", "prompt": ["no", {"text": "no"}]},
        {"type": "queued_command", "prompt": [{"text": "no"}, {"text": 5}]},
        {"type": "queued_command", "prompt": None},
        {"type": "queued_command"},
        {"type": "queued_command", "prompt": []},
        {"type": "queued_command", "prompt": [{"text": ""}]},
        {"type": "queued_command", "prompt": "text"},
        [QUEUED],
        "queued_command",
    ],
)
def test_other_data_is_no_queued_command_and_the_next_part_is_looked_at(maker: Maker, value: Any) -> None:
    assert shown(maker, data(value), data(QUEUED))["text"] == "do this\nand that"


def test_text_goes_before_a_queued_command(maker: Maker) -> None:
    assert shown(maker, data(QUEUED), part(text="said"))["text"] == "said"
    other = Maker(maker.path / "other")
    assert shown(other, data(QUEUED), part(text=SPACES))["text"] == "do this\nand that"


# --- the part a node stands on


def test_a_block_names_its_part(maker: Maker) -> None:
    parts = [part(text="a"), part("reasoning", "b", state="redacted", bytes=7), part("call", "c", name="Bash", failed=True)]
    maker.land(record(*parts))
    maker.round(*[node(f"b{block}", "thinking", (1, 1, block)) for block in (-1, 0, 1, 2, 3)], node("none", "thinking", (1, 1)))
    nodes = maker.nodes()
    assert (nodes["b0"]["text"], nodes["b0"]["state"], nodes["b0"]["bytes"]) == ("a", "available", 1)
    assert (nodes["b1"]["text"], nodes["b1"]["state"], nodes["b1"]["bytes"]) == ("b", "redacted", 7)
    assert (nodes["b2"]["text"], nodes["b2"]["name"], nodes["b2"]["failed"]) == ("c", "Bash", True)
    for out_of_range in ("b-1", "b3", "none"):
        assert nodes[out_of_range]["text"] == "a" and "state" not in nodes[out_of_range] and "bytes" not in nodes[out_of_range]


def test_the_only_part_is_meant_without_a_block_or_with_one_out_of_range(maker: Maker) -> None:
    maker.land(record(part("reasoning", "  one ", state="truncated")))
    maker.round(node("a", "thinking", (1, 1)), node("b", "thinking", (1, 1, 4)), node("c", "thinking", (1, 1, -2)))
    for view in maker.nodes().values():
        assert (view["text"], view["state"]) == ("  one ", "truncated")


@pytest.mark.parametrize("parts", ["", ',"parts":[]', ',"parts":null'])
def test_a_record_without_parts_shows_nothing(maker: Maker, parts: str) -> None:
    maker.land(f'{{"ord":1,"time":"{clock(1)}"{parts}}}'.encode())
    maker.round(node("n", "message.external", (1, 1)))
    assert maker.nodes()["n"] == {"id": "n", "kind": "message.external", "at": START_MS + 1000, "ref": {"seq": 1, "row": 1}}


@pytest.mark.parametrize("kind", ["session", "segment", "stream", "epoch", "talk", "run", "llm.call"])
def test_kinds_that_show_no_content(maker: Maker, kind: str) -> None:
    maker.land(record(part(text="x"), time=clock(1), flags=["f"], dropped=[{"what": "w", "bytes": 1}]))
    maker.round(node("top", "tool"), node("n", kind, (1, 1), parent="top"))
    assert set(maker.document()["loose"][0]["children"][0] if kind != "talk" else maker.document()["talks"][0]) <= {
        "id",
        "kind",
        "parent",
        "at",
        "ref",
        "from",
        "to",
    }


@pytest.mark.parametrize("kind", ["message.external", "thinking", "control.notice", "a.new.kind", ""])
def test_every_other_kind_shows_content(maker: Maker, kind: str) -> None:
    view = shown(maker, part(text="x"), kind=kind, flags=["f"])
    assert (view["text"], view["flags"]) == ("x", ["f"])


def test_a_content_node_without_a_ref_shows_nothing(maker: Maker) -> None:
    maker.land(record(part(text="x")))
    maker.round(node("n", "tool", refs=[(1, 1), (1, 1)]))
    assert maker.nodes()["n"] == {"id": "n", "kind": "tool", "at": 0, "refs": [{"seq": 1, "row": 1}, {"seq": 1, "row": 1}]}


def test_a_content_node_whose_record_is_not_there_shows_only_its_results(maker: Maker) -> None:
    maker.land(record(part("result", "r")))
    maker.round(node("n", "tool", (1, 7), refs=[(1, 7), (1, 1)]))
    view = maker.nodes()["n"]
    assert (view["result"], view["result_state"]) == ("r", "available") and "text" not in view and "flags" not in view


# --- text of data


def test_the_text_of_a_part_goes_before_its_data(maker: Maker) -> None:
    assert shown(maker, data({"a": 1}, text=" t "))["text"] == " t "


@pytest.mark.parametrize("raw", ['{ "b":1.0, "a" : [ ] }', "null", "true", '"\\u0041"', "1e2", "0"])
def test_data_is_shown_in_the_files_own_spelling(maker: Maker, raw: str) -> None:
    maker.land(f'{{"parts":[{{"k":"call","name":"Bash","data":{raw}}}]}}'.encode())
    maker.round(node("n", "tool", (1, 1)))
    assert maker.nodes()["n"]["text"] == raw


def test_data_gives_way_to_a_readable_text_that_differs(maker: Maker) -> None:
    maker.land(record(data({"a": 1}), part(text=" said ")))
    maker.round(node("n", "tool", (1, 1, 0)))
    assert maker.nodes()["n"]["text"] == "said"


def test_data_that_is_a_queued_command_shows_its_prompt(maker: Maker) -> None:
    assert shown(maker, data(QUEUED))["text"] == "do this\nand that"


def test_data_that_reads_as_the_readable_text_stays_raw(maker: Maker) -> None:
    maker.land(b'{"parts":[{"k":"data","data": 5 },{"k":"text","text":" 5 "}]}')
    maker.round(node("n", "tool", (1, 1, 0)))
    assert maker.nodes()["n"]["text"] == "5"


# --- flags, dropped, failed


def test_flags_and_dropped_are_the_records_whichever_part(maker: Maker) -> None:
    dropped = [
        {"what": "image", "bytes": 9, "why": "too large"},
        {"what": "", "bytes": 0},
        {"what": "w", "bytes": 3, "why": ""},
        {"bytes": 1},
    ]
    maker.land(record(part(text="a"), part(text="b"), flags=["finished", "x"], dropped=dropped))
    maker.round(node("a", "tool", (1, 1, 1)), node("b", "tool", (1, 1)))
    for view in maker.nodes().values():
        assert view["flags"] == ["finished", "x"]
        assert view["dropped"] == [
            {"what": "image", "bytes": 9, "why": "too large"},
            {"what": "", "bytes": 0},
            {"what": "w", "bytes": 3},
            {"what": "", "bytes": 1},
        ]


def test_empty_flags_and_dropped_are_absent(maker: Maker) -> None:
    view = shown(maker, part(text="a"), flags=[], dropped=[])
    assert "flags" not in view and "dropped" not in view


@pytest.mark.parametrize(("failed", "want"), [(True, True), (False, False), (None, "absent")])
def test_failed_has_three_states(maker: Maker, failed: Any, want: Any) -> None:
    assert shown(maker, part("call", failed=failed)).get("failed", "absent") is want or want == "absent"
    assert maker.nodes()["n"].get("failed", "absent") == want


def test_failed_comes_from_the_result_only_when_the_request_does_not_say(maker: Maker) -> None:
    maker.land(record(part("call")), record(part("call", failed=False)), record(part("result", "x", failed=True)))
    maker.round(node("a", "tool", (1, 1), refs=[(1, 1), (1, 3)]), node("b", "tool", (1, 2), refs=[(1, 2), (1, 3)]))
    nodes = maker.nodes()
    assert (nodes["a"]["failed"], nodes["b"]["failed"]) == (True, False)


# --- results


def call(maker: Maker, *results: dict[str, Any], refs: list[tuple[int, ...]] | None = None, **attrs: Any) -> dict[str, Any]:
    """A tool call with result records from row 2 on."""
    maker.land(record(part("call", "ls"), time=clock(10)), *results)
    maker.round(node("n", "tool", (1, 1), refs=refs or [(1, row + 1) for row in range(len(results) + 1)], attrs=attrs))
    return maker.nodes()["n"]


def test_a_result_is_the_part_of_kind_result(maker: Maker) -> None:
    view = call(maker, record(part(text="no"), part("result", "yes", state="truncated", bytes=99), part("result", "second")))
    assert (view["result"], view["result_state"], view["result_bytes"]) == ("yes", "truncated", 99)


def test_a_block_in_range_names_the_result_whatever_its_kind(maker: Maker) -> None:
    view = call(maker, record(part(text="this"), part("result", "no")), refs=[(1, 1), (1, 2, 0)])
    assert view["result"] == "this"
    other = call(Maker(maker.path / "o"), record(part(text="no"), part("result", "this")), refs=[(1, 1), (1, 2, 7)])
    assert other["result"] == "this"


def test_a_record_without_a_result_part_is_passed_over(maker: Maker) -> None:
    view = call(maker, record(part(text="no")), record(part("result", "yes")))
    assert view["result"] == "yes"


def test_a_reference_whose_record_is_not_there_is_passed_over(maker: Maker) -> None:
    assert call(maker, record(part("result", "yes")), refs=[(1, 1), (1, 50), (1, 2)])["result"] == "yes"


def test_the_first_reference_is_no_result(maker: Maker) -> None:
    maker.land(record(part("result", "self")))
    maker.round(node("n", "tool", (1, 1), refs=[(1, 1)]))
    view = maker.nodes()["n"]
    assert "result" not in view and "result_state" not in view and view["text"] == "self"


def test_the_walk_stops_at_the_first_not_empty_text_and_later_states_overwrite_until_then(maker: Maker) -> None:
    view = call(
        maker,
        record(part("result", "", state="omitted", bytes=1)),
        record(part("result", "", state="truncated", bytes=2, failed=True)),
        record(part("result", "found", state="available", bytes=3, failed=False)),
        record(part("result", "late", state="redacted", bytes=4)),
    )
    assert (view["result"], view["result_state"], view["result_bytes"], view["failed"]) == ("found", "available", 3, True)


def test_without_any_text_the_last_part_gives_the_state(maker: Maker) -> None:
    view = call(maker, record(part("result", "", state="omitted", bytes=1)), record(part("result", "", state="hash_only", bytes=0)))
    assert view["result_state"] == "hash_only" and "result" not in view and "result_bytes" not in view


def test_a_result_without_text_is_its_raw_data(maker: Maker) -> None:
    maker.land(record(part("call")), b'{"parts":[{"k":"result","data":{ "a":1.0 }}]}')
    maker.round(node("n", "tool", (1, 1), refs=[(1, 1), (1, 2)]))
    assert maker.nodes()["n"]["result"] == '{ "a":1.0 }'


def test_a_result_is_clipped_and_not_trimmed(maker: Maker) -> None:
    assert call(maker, record(part("result", " " + "é" * 1500)))["result"] == " " + "é" * 999


# --- the time from request to result


def interval(
    maker: Maker, asked: str, answered: str, join: Any = "exact_unique", refs: list[tuple[int, ...]] | None = None
) -> tuple[Any, Any]:
    maker.land(record(part("call"), time=asked), record(part("result", "r"), time=answered))
    attrs = {} if join is None else {"result_join": join}
    maker.round(node("n", "tool", (1, 1), refs=refs or [(1, 1), (1, 2)], attrs=attrs))
    view = maker.nodes()["n"]
    return view.get("request_to_result_ms"), view.get("request_to_result_join")


@pytest.mark.parametrize(
    ("asked", "answered", "ms"),
    [
        (clock(1), clock(2), 1000),
        (clock(1), clock(1, ".0019999"), 1),
        (clock(1, ".0009"), clock(1, ".0018"), None),
        (clock(1), clock(1), None),
        (clock(1), clock(1, ".000000001"), None),
    ],
)
def test_the_interval_is_in_whole_milliseconds_and_absent_at_zero_while_the_join_stays(
    maker: Maker, asked: str, answered: str, ms: int | None
) -> None:
    assert interval(maker, asked, answered) == (ms, "exact_unique")


@pytest.mark.parametrize(
    ("asked", "answered", "join"),
    [
        (clock(2), clock(1), "exact_unique"),
        (clock(1, ".000000001"), clock(1), "exact_unique"),
        ("", clock(1), "exact_unique"),
        ("1969-12-31T00:00:00Z", "", "exact_unique"),
        ("", "1969-12-31T00:00:00Z", "exact_unique"),
        (clock(1), "", "exact_unique"),
        (clock(1), clock(2), "exact_ambiguous"),
        (clock(1), clock(2), None),
        (clock(1), clock(2), 5),
    ],
)
def test_without_both_times_in_order_and_an_exact_join_there_is_neither(maker: Maker, asked: str, answered: str, join: Any) -> None:
    assert interval(maker, asked, answered, join) == (None, None)


def test_the_interval_needs_two_refs_and_a_ref(maker: Maker) -> None:
    assert interval(maker, clock(1), clock(2), refs=[(1, 1)]) == (None, None)
    other = Maker(maker.path / "o")
    other.land(record(part("call"), time=clock(1)), record(part("result", "r"), time=clock(2)))
    other.round(node("n", "tool", refs=[(1, 1), (1, 2)], attrs={"result_join": "exact_unique"}))
    assert "request_to_result_join" not in other.nodes()["n"]


def test_the_interval_is_between_the_first_two_refs(maker: Maker) -> None:
    maker.land(*[record(part("result", "r"), time=clock(second)) for second in (1, 3, 9)])
    maker.round(node("n", "tool", (1, 3), refs=[(1, 1), (1, 2), (1, 3)], attrs={"result_join": "exact_unique"}))
    assert maker.nodes()["n"]["request_to_result_ms"] == 2000


@pytest.mark.parametrize("extra", ['"x":"\\ud800"', '"x":' + "[" * 2000 + "]" * 2000, '"x":1e999'], ids=["lone", "deep", "huge"])
@pytest.mark.parametrize("join", ["exact_unique", "other", "", None])
def test_joins_and_usage_are_read_beside_any_other_attrs(maker: Maker, extra: str, join: str | None) -> None:
    maker.land(record(part("call"), time=clock(1), usage={"in": 7}), record(part("result", "r"), time=clock(2)))
    attrs = ("{" + extra + ',"usage_at":{"seq":1,"row":1},"result_join":' + json.dumps(join) + "}").encode()
    frame = (
        b'{"t":"node","revision":1,"id":"%s","kind":"%s","ref":{"seq":1,"row":1},"refs":[{"seq":1,"row":1},{"seq":1,"row":2}],"attrs":'
        + attrs
        + b"}"
    )
    without = frame.replace(b'"usage_at":{"seq":1,"row":1},', b"")
    maker.raw_round(frame % (b"t", b"tool"), frame % (b"c", b"llm.call"), without % (b"d", b"llm.call"), counts=(3, 0, 0))
    nodes = {view["id"]: view for view in loads(maker.load().json(compact=True))["loose"]}
    assert nodes["c"]["usage"] == {"in": 7} and "usage" not in nodes["d"]
    assert nodes["t"].get("request_to_result_ms") == (1000 if join == "exact_unique" else None)
    assert nodes["t"].get("request_to_result_join") == ("exact_unique" if join == "exact_unique" else None)


# --- turn.duration


@pytest.mark.parametrize(
    ("parts", "ms"),
    [
        ([data({"durationMs": 1234})], 1234),
        ([part(text='{"durationMs":5}')], 5),
        ([part(text="no"), data({"durationMs": 0}), data({"durationMs": 7}), data({"durationMs": 8})], 7),
        ([data({"durationMs": -3})], -3),
    ],
)
def test_a_duration_is_the_first_not_zero_integer(maker: Maker, parts: list[Any], ms: int) -> None:
    maker.land(record(*parts, flags=["f"]))
    maker.round(node("n", "turn.duration", (1, 1), attrs={"measured_by": "runtime"}))
    view = maker.nodes()["n"]
    assert (view["duration_ms"], view["duration_measured_by"], view["flags"]) == (ms, "runtime", ["f"])
    assert "text" not in view


@pytest.mark.parametrize(
    "value",
    [
        {"durationMs": 0},
        {"durationMs": 1.5},
        {"durationMs": "5"},
        {"durationMs": True},
        {"durationMs": None},
        {},
        [5],
        5,
        {"durationMs": 2**63},
    ],
)
def test_without_a_duration_it_is_an_ordinary_content_node(maker: Maker, value: Any) -> None:
    maker.land(record(data(value)))
    maker.round(node("n", "turn.duration", (1, 1), attrs={"measured_by": "runtime"}))
    view = maker.nodes()["n"]
    assert "duration_ms" not in view and "duration_measured_by" not in view
    assert json.loads(view["text"]) == value


def test_only_a_turn_duration_has_a_duration(maker: Maker) -> None:
    view = shown(maker, data({"durationMs": 5}), kind="control.notice")
    assert "duration_ms" not in view and view["text"] == '{"durationMs":5}'


def test_a_duration_without_measured_by_has_none(maker: Maker) -> None:
    view = shown(maker, data({"durationMs": 5}), kind="turn.duration")
    assert view["duration_ms"] == 5 and "duration_measured_by" not in view


# --- usage


def usage(maker: Maker, attrs: Any, kind: str = "llm.call", ref: tuple[int, ...] | None = (1, 1)) -> Any:
    maker.land(
        record(usage={"in": 1}),
        record(usage={"in": 0, "out": 2, "cache_read": 3, "cache_write": 4}),
        record(usage={}),
        record(),
        record(usage={"in": 0}),
    )
    maker.round(node("n", kind, ref, attrs=attrs))
    return maker.nodes()["n"].get("usage", "absent")


@pytest.mark.parametrize(
    ("at", "want"),
    [
        ({"seq": 1, "row": 1}, {"in": 1}),
        ({"seq": 1, "row": 2}, {"out": 2, "cache_read": 3, "cache_write": 4}),
        ({"seq": 1, "row": 3}, {}),
        ({"seq": 1, "row": 5}, {}),
        ({"seq": 1, "row": 4}, "absent"),
        ({"seq": 1, "row": 99}, "absent"),
        (None, "absent"),
        ("1/1", "absent"),
        ({"seq": "1"}, "absent"),
    ],
)
def test_usage_is_that_of_the_record_usage_at_names(maker: Maker, at: Any, want: Any) -> None:
    assert usage(maker, {"usage_at": at}) == want


def test_usage_is_only_on_a_model_call_and_never_from_its_ref(maker: Maker) -> None:
    assert usage(maker, {"usage_at": {"seq": 1, "row": 2}}, kind="message.assistant") == "absent"
    assert usage(Maker(maker.path / "a"), {}) == "absent"
    assert usage(Maker(maker.path / "b"), {"usage_at": {"seq": 1, "row": 1}}, ref=None) == {"in": 1}


# --- label and reply


def talk_of(maker: Maker, *steps: tuple[str, dict[str, Any] | None]) -> dict[str, Any]:
    """A talk over one run whose steps stand in order on records of their own; a step without a record has no ref."""
    records = [said("talk")] + [r if r is not None else record() for _, r in steps]
    maker.land(*records)
    frames = [node(f"n{at}", kind, (1, at + 2) if r is not None else None, parent="run/1") for at, (kind, r) in enumerate(steps)]
    maker.round(node("talk/1", "talk", (1, 1)), node("run/1", "run", (1, 1), parent="talk/1"), *frames)
    return maker.document()["talks"][0]


def test_the_label_is_the_first_external_message_and_the_reply_the_last_answer(maker: Maker) -> None:
    talk = talk_of(
        maker,
        ("context.injection", said("injected")),
        ("message.external", said(" asked ")),
        ("message.external", said("asked again")),
        ("message.assistant", said("first answer")),
        ("agent.output", said(" last answer\n")),
        ("thinking", said("no")),
    )
    assert (talk["label"], talk["reply"]) == ("asked", "last answer")


def test_label_and_reply_are_found_depth_first(maker: Maker) -> None:
    maker.land(*[said(f"t{row}") for row in range(1, 8)])
    maker.round(
        node("talk/1", "talk", (1, 1)),
        node("a", "tool", (1, 2), parent="talk/1"),
        node("a1", "message.external", (1, 7), parent="a"),
        node("b", "message.external", (1, 3), parent="talk/1"),
        node("c", "message.assistant", (1, 6), parent="talk/1"),
        node("c1", "message.assistant", (1, 4), parent="c"),
    )
    talk = maker.document()["talks"][0]
    assert (talk["label"], talk["reply"]) == ("t7", "t4")


def test_an_empty_external_message_still_is_the_label(maker: Maker) -> None:
    talk = talk_of(
        maker, ("context.injection", said("injected")), ("message.external", record()), ("message.external", said("second"))
    )
    assert "label" not in talk


def test_an_external_message_whose_record_is_not_there_still_is_the_label(maker: Maker) -> None:
    maker.land(said("x"), said("second"))
    maker.round(
        node("talk/1", "talk", (1, 1)),
        node("a", "message.external", (1, 50), parent="talk/1"),
        node("c", "context.injection", (1, 2), parent="talk/1"),
    )
    assert "label" not in maker.document()["talks"][0]


def test_steps_without_a_ref_are_neither_label_nor_reply(maker: Maker) -> None:
    talk = talk_of(
        maker,
        ("message.external", None),
        ("message.external", said("second")),
        ("message.assistant", said("answer")),
        ("message.assistant", None),
    )
    assert (talk["label"], talk["reply"]) == ("second", "answer")


def test_an_empty_last_answer_is_the_reply(maker: Maker) -> None:
    talk = talk_of(
        maker,
        ("message.external", said("q")),
        ("message.assistant", said("answer")),
        ("message.assistant", record(part("reasoning", "hm"))),
    )
    assert "reply" not in talk


DELTA = '{"type":"deferred_tools_delta","added":[]}'


@pytest.mark.parametrize(
    ("texts", "label"),
    [
        (["one", "two"], "one"),
        (["", "two"], "two"),
        (["", "", "three"], "three"),
        (["", "", "", "four"], None),
        ([DELTA, "two"], "two"),
        ([DELTA, DELTA, DELTA, "four"], None),
        ([" " + DELTA, "two"], "two"),
        (["x" + DELTA], "x" + DELTA),
    ],
)
def test_without_an_external_message_one_of_the_first_three_injections_is_the_label(
    maker: Maker, texts: list[str], label: str | None
) -> None:
    assert talk_of(maker, *[("context.injection", said(text)) for text in texts]).get("label") == label


def test_injections_without_a_ref_do_not_count_among_the_three(maker: Maker) -> None:
    talk = talk_of(
        maker,
        ("context.injection", None),
        ("context.injection", said("")),
        ("context.injection", said("")),
        ("context.injection", said("third")),
    )
    assert talk["label"] == "third"


def test_label_and_reply_are_clipped(maker: Maker) -> None:
    talk = talk_of(maker, ("message.external", said("€" * 700)), ("message.assistant", said("\U0001f600" * 600)))
    assert (talk["label"], talk["reply"]) == ("€" * 666, "\U0001f600" * 500)


def test_the_label_of_a_queued_command_is_its_prompt(maker: Maker) -> None:
    assert talk_of(maker, ("message.external", record(data(QUEUED))))["label"] == "do this\nand that"


def test_label_and_reply_of_a_talk_in_a_talk_are_its_own(maker: Maker) -> None:
    maker.land(*[said(f"t{row}") for row in range(1, 10)])
    maker.round(
        node("talk/out", "talk", (1, 1)),
        node("before", "message.external", (1, 2), parent="talk/out"),
        node("before2", "message.assistant", (1, 3), parent="talk/out"),
        node("talk/bare", "talk", (1, 4), parent="talk/out"),
        node("talk/full", "talk", (1, 5), parent="talk/out"),
        node("q", "message.external", (1, 6), parent="talk/full"),
        node("a", "message.assistant", (1, 7), parent="talk/full"),
        node("after", "message.external", (1, 8), parent="talk/out"),
        node("after2", "message.assistant", (1, 9), parent="talk/out"),
    )
    talks = {t["id"]: (t.get("label"), t.get("reply")) for t in maker.document()["talks"]}
    assert talks == {"talk/out": ("t2", "t9"), "talk/bare": (None, None), "talk/full": ("t6", "t7")}


def test_a_talk_on_a_stream_of_role_child_is_a_child(maker: Maker) -> None:
    maker.round(
        node("stream/kid", "stream", stream="kid", attrs={"role": "child"}),
        node("stream/main", "stream", stream="main", attrs={"role": "main"}),
        node("stream/aux", "stream", stream="aux", attrs={"role": "auxiliary"}),
        *[node(f"talk/{name}", "talk", stream=name) for name in ("kid", "main", "aux", "none")],
    )
    assert {t["id"]: t.get("child", "absent") for t in maker.document()["talks"]} == {
        "talk/kid": True,
        "talk/main": "absent",
        "talk/aux": "absent",
        "talk/none": "absent",
    }


def test_the_segment_is_the_target_of_the_in_segment_relation_with_the_smallest_id(maker: Maker) -> None:
    maker.round(
        *[node(f"talk/{n}", "talk") for n in "abc"],
        relation("in_segment", "talk/a", "segment/2", id="r2"),
        relation("in_segment", "talk/a", "segment/nowhere", id="r1"),
        relation("starts", "talk/b", "segment/2", id="r0"),
        relation("in_segment", "segment/2", "talk/c", id="r3"),
    )
    assert {t["id"]: t.get("segment") for t in maker.document()["talks"]} == {
        "talk/a": "segment/nowhere",
        "talk/b": None,
        "talk/c": None,
    }


# --- provider bodies


BODIES = [{"role": "response", "ref": {"seq": 1, "row": 2}}, {"role": "request", "ref": {"seq": 1, "row": 1, "block": 0}}]


def test_provider_bodies_move_from_attrs_to_their_own_key_request_first(maker: Maker) -> None:
    maker.land(said("a"), record(usage={"in": 1}, parts=[]))
    maker.raw_round(
        b'{"t":"node","revision":1,"id":"n","kind":"llm.call","attrs":{"z":1.50,"provider_bodies":'
        + json.dumps(BODIES).encode()
        + b',"usage_at":{"seq":1,"row":2},"a":[ ]}}',
        counts=(1, 0, 0),
    )
    view = maker.nodes()["n"]
    assert list(view) == ["id", "kind", "at", "attrs", "usage", "provider_bodies"]
    assert view["provider_bodies"] == [BODIES[1], BODIES[0]]
    assert list(view["attrs"]) == ["z", "usage_at", "a"] and b'"z": 1.50' in maker.load().json()


@pytest.mark.parametrize("bodies", [None, []])
def test_empty_provider_bodies_stay_where_they_are(maker: Maker, bodies: Any) -> None:
    maker.round(node("n", "llm.call", attrs={"provider_bodies": bodies}))
    view = maker.nodes()["n"]
    assert "provider_bodies" not in view and view["attrs"] == {"provider_bodies": bodies}


@pytest.mark.parametrize(
    "extra",
    [b'"deep":' + b"[" * 3000 + b"]" * 3000, b'"t":"\\ud800"', b'"\\ud800":1', b'"t":1e999', b'"t":"\xff"'],
    ids=["deep", "lone", "lone key", "huge", "invalid"],
)
def test_attrs_of_any_json_beside_provider_bodies_are_kept(maker: Maker, extra: bytes) -> None:
    maker.land(said("a"), said("b"))
    maker.raw_round(
        b'{"t":"node","revision":1,"id":"n","kind":"llm.call","attrs":{'
        + extra
        + b',"provider_bodies":'
        + json.dumps(BODIES).encode()
        + b"}}",
        counts=(1, 0, 0),
    )
    conversation = maker.load()
    compact = conversation.json(compact=True)
    assert extra.replace(b"\xff", "\ufffd".encode()) in compact
    assert b'"provider_bodies":[{"role":"request"' in compact and b'{"provider_bodies"' not in compact
    assert b"".join(conversation.yaml()).count(b"provider_bodies") == 1


def test_provider_bodies_are_counted_in_the_summary(maker: Maker) -> None:
    maker.land(said("a"), said("b"))
    maker.round(
        node("session/s0", "session", attrs={"provider_bodies_landed": 7}),
        node("a", "llm.call", attrs={"provider_bodies": BODIES}),
        node("b", "llm.call", attrs={"provider_bodies": BODIES[:1]}),
        node("c", "tool", attrs={"provider_bodies": BODIES}),
    )
    document = maker.document()
    summary = document["summary"]
    assert (summary["provider_bodies"], summary["captured_prompts"]) == (7, 1)
    keys = list(summary)
    assert keys[keys.index("unresolved") + 1 : keys.index("from")] == ["provider_bodies", "captured_prompts"]


@pytest.mark.parametrize("landed", [0, None, "7", True, [], 1.5])
def test_without_provider_bodies_the_summary_has_no_such_keys(maker: Maker, landed: Any) -> None:
    maker.round(node("session/s0", "session", attrs={"provider_bodies_landed": landed}), node("a", "llm.call", attrs={}))
    assert not {"provider_bodies", "captured_prompts", "withheld", "changes"} & set(maker.document()["summary"])
