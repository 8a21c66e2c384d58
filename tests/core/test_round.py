"""A round reads strictly (formats.md section 3): every refusal with the line and the fault, and what must not be refused."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

import pytest

from asz_core import RoundError
from asz_core.sessionflow import parse_round
from asz_core.sessionflow.frames import Counts, Node, Relation, Unresolved, attrs_of
from asz_core.sessionflow.round import decode_header_line
from tests.core.helpers import header, line, node, raw_round, relation, sha, tombstone, unresolved

HEAD = header(through_seq=9)
GOOD = [HEAD, node("n1", "tool", (1, 1)), relation("starts", "n1", "s"), unresolved("u1")]


def refuse(data: bytes, why: str, at: int = 0) -> None:
    """The round is refused, with these words and, where one is given, this line."""
    with pytest.raises(RoundError) as caught:
        parse_round(data)
    message = str(caught.value)
    assert why in message
    assert message.startswith("sessionflow: ")
    assert "\n" not in message and len(message) < 400
    named = re.search(r"line (\d+)", message)
    assert (int(named[1]) if named else 0) == at


def with_frames(*frames: Any) -> bytes:
    return raw_round(HEAD, *frames)


# --- what reads


def test_a_round_that_keeps_every_rule_reads() -> None:
    data = raw_round(*GOOD)
    read = parse_round(data)
    assert [type(e) for e in read.entities] == [Node, Relation, Unresolved]
    assert read.number == 1 and read.header.policy == HEAD["policy"]
    assert (read.size, read.lines, read.file_digest) == (len(data), 5, sha(data))
    assert read.digest == sha(b"".join(line(f) + b"\n" for f in [HEAD, *({"revision": 1} | f for f in GOOD[1:])]))


def test_a_round_of_no_entities_reads() -> None:
    assert parse_round(raw_round(HEAD)).entities == []


def test_a_round_that_consumed_nothing_reads() -> None:
    assert parse_round(raw_round(header(from_seq=5, through_seq=4))).header.through_seq == 4
    assert parse_round(raw_round(header(from_seq=1, through_seq=0))).header.through_seq == 0


def test_frames_between_header_and_commit_come_in_any_order() -> None:
    assert len(parse_round(raw_round(HEAD, *reversed(GOOD[1:]), node("n2", "tool"))).entities) == 4


def test_unknown_keys_are_ignored_and_null_is_absent() -> None:
    frame = {
        "t": "node",
        "id": "n",
        "kind": "tool",
        "parent": None,
        "ref": None,
        "refs": None,
        "new": {"a": []},
        "tombstone": None,
        "revision": 1,
    }
    head = HEAD | {"title": None, "talks": None, "novel": [1], "previous": None}
    read = parse_round(raw_round(head, frame, relation("starts", "a", "b", via=None, evidence=None)))
    assert read.entities[0].parent == "" and read.entities[0].refs is None and not read.entities[0].tombstone  # type: ignore[union-attr]
    assert read.header.talks is None and read.header.previous == ""


def test_later_header_keys_are_read_and_absent_means_unknown() -> None:
    counts = (
        "talks",
        "steps",
        "streams",
        "segments",
        "unresolved",
        "changes",
        "lines_added",
        "lines_removed",
        "llm_calls",
        "subagents",
        "bash_runs",
    )
    texts = ("from_time", "through_time", "session_from_time", "session_through_time", "title")
    bare = parse_round(raw_round(HEAD)).header
    assert all(getattr(bare, name) is None for name in counts) and all(getattr(bare, name) == "" for name in texts)
    full = parse_round(raw_round(HEAD | {name: at for at, name in enumerate(counts)} | {name: name for name in texts})).header
    assert [getattr(full, name) for name in counts] == list(range(len(counts)))
    assert [getattr(full, name) for name in texts] == list(texts)


def test_invalid_text_in_a_frame_reads_as_replacements() -> None:
    frame = b'{"t":"node","id":"n","revision":1,"kind":"a\xffb","stream":"\\ud800","attrs":{"k":"\\ud800\xff"}}'
    counts = {"nodes": 1, "relations": 0, "unresolved": 0}
    read = parse_round(raw_round(HEAD, frame, counts=counts)).entities[0]
    assert isinstance(read, Node) and (read.kind, read.stream) == ("a\ufffdb", "\ufffd")
    assert bytes(read.attrs) == '{"k":"\\ud800\ufffd"}'.encode()  # type: ignore[arg-type]
    assert attrs_of(read) == {"k": "\ufffd\ufffd"}


def test_attrs_keep_their_bytes_and_may_be_null_or_deep() -> None:
    for raw in (b'{ "b":1.50,"a":[1e3] }', b"null", b"{}", b'{"d":' + b"[" * 5000 + b"]" * 5000 + b"}", b'{"x":1e999}'):
        frame = b'{"t":"node","id":"n","revision":1,"kind":"tool","attrs":' + raw + b"}"
        read = parse_round(raw_round(HEAD, frame, counts={"nodes": 1, "relations": 0, "unresolved": 0})).entities[0]
        assert isinstance(read, Node) and bytes(read.attrs) == raw  # type: ignore[arg-type]
        assert isinstance(attrs_of(read), dict)


# --- frames and their order


def test_a_round_has_a_header() -> None:
    for data in (b"", b"\n\n", raw_round(node("n", "tool")), raw_round()):
        refuse(data, "round has no header")


def test_a_round_has_exactly_one_header() -> None:
    refuse(with_frames(HEAD, node("n", "tool")), "there is a second header", 2)
    refuse(with_frames(node("n", "tool"), HEAD), "there is a second header", 3)


def test_the_last_frame_is_the_commit() -> None:
    refuse(raw_round(*GOOD, commit=b""), "round has no commit frame; it is truncated")
    refuse(raw_round(HEAD, commit=b""), "round has no commit frame; it is truncated")


def test_nothing_follows_the_commit_but_empty_lines() -> None:
    data = raw_round(*GOOD)
    assert parse_round(data + b"\n\n\n").digest == parse_round(data).digest
    refuse(data + line({"revision": 1} | node("late", "tool")) + b"\n", "frames after the commit frame", 5)
    commit = data.splitlines()[-1]
    refuse(data + commit + b"\n", "frames after the commit frame", 5)
    refuse(data + b"text\n", "undecodable frame", 6)


@pytest.mark.parametrize("bad", [b'{"t":"later","id":"x"}', b'{"id":"x"}', b'{"t":null}', b'{"t":5}', b'{"t":["node"]}', b"{}"])
def test_every_frame_type_is_known(bad: bytes) -> None:
    refuse(with_frames(node("n", "tool"), bad), "undecodable frame", 3)


@pytest.mark.parametrize(
    "bad",
    [
        b"garbage",
        b'{"t":"node"',
        b"[]",
        b"7",
        b"null",
        b'"node"',
        b"   ",
        b'{"t":"node","id":"x","revision":1}}',
        b'{"t":"node","id":01}',
        b'{"t":"node","id":"\\q"}',
        b'{"t":"node","id":"\x00"}',
    ],
)
def test_every_line_decodes(bad: bytes) -> None:
    refuse(with_frames(node("n", "tool"), bad), "undecodable frame", 3)


@pytest.mark.parametrize("after", [b"", b'{"t":"node","id":"c","revision":1}'])
def test_two_frames_on_one_line_are_refused_even_when_the_count_of_lines_fits(after: bytes) -> None:
    two = b'{"t":"node","id":"a","revision":1} {"t":"node","id":"b","revision":1}'
    claims = {"nodes": 2 + bool(after), "relations": 0, "unresolved": 0}
    refuse(raw_round(HEAD, two, after, counts=claims), "undecodable frame", 2)


def test_one_frame_on_two_lines_is_refused() -> None:
    broken = b'{"t":"node","id":"a",\n"revision":1}{"t":"node","id":"b","revision":1}'
    refuse(raw_round(HEAD, broken, counts={"nodes": 2, "relations": 0, "unresolved": 0}), "undecodable frame", 2)


def test_a_line_that_ends_in_the_middle_is_told_as_such() -> None:
    data = raw_round(*GOOD)
    cut = data[: data.index(b'"kind"') + 10]
    refuse(cut, "line 2: undecodable frame: unexpected end of JSON input", 2)


# --- the header


@pytest.mark.parametrize("name", ["conversation", "session", "parser", "policy", "input_digest"])
@pytest.mark.parametrize("value", ["", None])
def test_the_header_needs(name: str, value: Any) -> None:
    refuse(raw_round(HEAD | {name: value}), f"the header has no {name}", 1)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"schema": "sf/2"}, "schema is 'sf/2', not 'sf/1'"),
        ({"schema": ""}, "schema is ''"),
        ({"schema": None}, "schema is ''"),
        ({"round": 0}, "no round number"),
        ({"round": None}, "no round number"),
        ({"round": -1}, "undecodable frame"),
        ({"round": 1.0}, "undecodable frame"),
        ({"round": "1"}, "undecodable frame"),
        ({"previous": "ab"}, "round 1 names a previous"),
        ({"round": 2}, "round 2 names no previous"),
        ({"round": 2, "previous": ""}, "round 2 names no previous"),
        ({"from_seq": 0}, "from_seq is less than 1"),
        ({"from_seq": None}, "from_seq is less than 1"),
        ({"from_seq": -1}, "undecodable frame"),
        ({"from_seq": 3, "through_seq": 1}, "through_seq 1 is before from_seq 3"),
        ({"from_seq": 5, "through_seq": None}, "through_seq 0 is before from_seq 5"),
        ({"through_seq": -1}, "undecodable frame"),
        ({"through_seq": 2**63}, "undecodable frame"),
        ({"conversation": 1}, "undecodable frame"),
        ({"session": []}, "undecodable frame"),
        ({"previous": False}, "undecodable frame"),
        ({"parser": {}}, "undecodable frame"),
        ({"policy": 1}, "undecodable frame"),
        ({"input_digest": 1}, "undecodable frame"),
        ({"title": 1}, "undecodable frame"),
        ({"talks": "1"}, "undecodable frame"),
        ({"from_time": 1}, "undecodable frame"),
    ],
)
def test_the_header_is_refused(change: dict[str, Any], why: str) -> None:
    refuse(raw_round(HEAD | change), why, 1)
    with pytest.raises(RoundError, match=re.escape(why)):
        decode_header_line(line(HEAD | change))


def test_the_header_alone_is_read_from_its_line() -> None:
    assert decode_header_line(line(HEAD)).conversation == HEAD["conversation"]
    for bad in (b"", line(node("n", "tool"))):
        with pytest.raises(RoundError, match="round has no header"):
            decode_header_line(bad)


def test_the_header_may_stand_after_empty_lines() -> None:
    refuse(b"\n\n" + raw_round(HEAD | {"schema": "x"}), "schema", 3)
    assert parse_round(b"\n\n" + raw_round(HEAD)).number == 1


# --- entities


@pytest.mark.parametrize(
    "frame",
    [
        node("", "tool"),
        relation("starts", "a", "b") | {"id": ""},
        unresolved(""),
        {"t": "node", "kind": "tool"},
        {"t": "node", "id": None},
    ],
)
def test_every_frame_has_an_id(frame: dict[str, Any]) -> None:
    refuse(with_frames(node("n", "tool"), frame), "a frame has no id", 3)


@pytest.mark.parametrize(
    "frame",
    [node("x", "run"), relation("starts", "a", "b", id="x"), unresolved("x"), tombstone("node", "x"), tombstone("relation", "x")],
)
def test_no_id_stands_twice_in_one_round_across_frame_types(frame: dict[str, Any]) -> None:
    refuse(with_frames(node("x", "tool"), node("y", "tool"), frame), "the id stands twice in one round", 4)


@pytest.mark.parametrize("frame", [node("x", "run"), relation("starts", "a", "b"), unresolved("x"), tombstone("node", "x")])
@pytest.mark.parametrize("revision", [0, 2, -1, None])
def test_every_revision_equals_the_headers_round(frame: dict[str, Any], revision: int | None) -> None:
    refuse(with_frames(frame | {"revision": revision}), f"revision {revision or 0} in round 1", 2)


def test_a_later_round_wants_its_own_number_as_revision() -> None:
    head = header(3, through_seq=9)
    assert parse_round(raw_round(head, node("x", "run"))).entities[0].revision == 3
    refuse(raw_round(head, node("x", "run") | {"revision": 1}), "revision 1 in round 3", 2)


REFERRING = {
    "ref": lambda at: node("x", "tool") | {"ref": at},
    "refs": lambda at: node("x", "tool") | {"refs": [{"seq": 1, "row": 1}, at]},
    "evidence": lambda at: relation("starts", "a", "b", evidence=[at]),
    "provider_bodies": lambda at: node("x", "llm.call", attrs={"provider_bodies": [{"role": "request", "ref": at}]}),
}


@pytest.mark.parametrize("where", list(REFERRING))
@pytest.mark.parametrize("at", [{"seq": 0, "row": 0}, {}, {"seq": 0, "row": 0, "block": 3}])
def test_no_reference_is_to_seq_0_row_0(where: str, at: dict[str, int]) -> None:
    refuse(with_frames(node("n", "tool"), REFERRING[where](at)), "a reference to nothing (seq 0, row 0)", 3)


@pytest.mark.parametrize("where", list(REFERRING))
def test_no_reference_is_to_a_later_sequence_than_the_round_ends_at(where: str) -> None:
    assert parse_round(with_frames(REFERRING[where]({"seq": 9, "row": 1}))).entities
    refuse(with_frames(node("n", "tool"), REFERRING[where]({"seq": 10, "row": 1})), "a reference to seq 10, the round ends at 9", 3)


def test_a_reference_that_is_too_late_is_told_as_such_also_with_row_0() -> None:
    refuse(with_frames(node("x", "tool", (10, 0))), "a reference to seq 10, the round ends at 9", 2)


@pytest.mark.parametrize(
    "frame",
    [
        relation("starts", "a", "b", via="provider_bodies"),
        unresolved("provider_bodies"),
        node("provider_bodies", "tool"),
        node("x", "tool", attrs={"k": "provider_bodies"}),
        node("x", "tool", attrs=None),
    ],
)
def test_the_words_provider_bodies_elsewhere_mean_nothing(frame: dict[str, Any]) -> None:
    bodies = [{"role": "request", "ref": {"seq": 1, "row": 1}}]
    assert len(parse_round(with_frames(frame, node("call", "llm.call", attrs={"provider_bodies": bodies}))).entities) == 2


@pytest.mark.parametrize("where", list(REFERRING))
@pytest.mark.parametrize("at", [{"seq": 0, "row": 3}, {"seq": 2, "row": 0}, {"seq": 1, "row": 10**9}])
def test_other_references_are_read_wherever_they_lead(where: str, at: dict[str, int]) -> None:
    assert parse_round(with_frames(REFERRING[where](at))).entities


@pytest.mark.parametrize("where", list(REFERRING))
@pytest.mark.parametrize(
    "at",
    [
        {"seq": -1, "row": 1},
        {"seq": 1, "row": -1},
        {"seq": "1", "row": 1},
        {"seq": 1, "row": 1.5},
        {"seq": 1, "row": True},
        {"seq": 1, "row": 1, "block": "0"},
        [1, 1],
        5,
    ],
)
def test_sequences_and_rows_are_not_negative_and_integers(where: str, at: Any) -> None:
    why = "provider_bodies" if where == "provider_bodies" else "undecodable frame"
    refuse(with_frames(node("n", "tool"), REFERRING[where](at)), why, 3)


@pytest.mark.parametrize("name", ["type", "from", "to"])
@pytest.mark.parametrize("value", ["", None])
def test_a_relation_that_is_no_tombstone_has(name: str, value: Any) -> None:
    refuse(with_frames(relation("starts", "a", "b") | {name: value}), f"a relation has no {name}", 2)
    assert parse_round(with_frames(relation("starts", "a", "b") | {name: value, "tombstone": True})).entities


@pytest.mark.parametrize("state", ["open", "resolved", "terminal"])
def test_an_unresolved_state_is_one_of_three(state: str) -> None:
    assert parse_round(with_frames(unresolved("u", state))).entities[0].state == state  # type: ignore[union-attr]


@pytest.mark.parametrize("state", ["", "Open", "closed", None])
def test_another_unresolved_state_is_refused_but_in_a_tombstone(state: Any) -> None:
    refuse(with_frames(unresolved("u", state)), "no unresolved state", 2)
    assert parse_round(with_frames(unresolved("u", state) | {"tombstone": True})).entities


@pytest.mark.parametrize(
    "frame",
    [
        *[node("x", "tool") | {name: bad} for name in ("id", "kind", "parent", "stream") for bad in (5, [], {}, True)],
        node("x", "tool") | {"revision": "1"},
        node("x", "tool") | {"revision": 1.0},
        node("x", "tool") | {"tombstone": "true"},
        node("x", "tool") | {"tombstone": 1},
        node("x", "tool") | {"ref": []},
        node("x", "tool") | {"refs": {}},
        node("x", "tool") | {"refs": [5]},
        node("x", "tool") | {"attrs": []},
        node("x", "tool") | {"attrs": "text"},
        node("x", "tool") | {"attrs": 5},
        node("x", "tool") | {"attrs": False},
        *[relation("starts", "a", "b") | {name: 5} for name in ("id", "type", "from", "to", "quality", "via", "evidence")],
        *[unresolved("u") | {name: 5} for name in ("id", "kind", "ref", "reason", "state")],
    ],
)
def test_each_field_has_its_type(frame: dict[str, Any]) -> None:
    refuse(with_frames(node("n", "tool"), frame), "undecodable frame", 3)


@pytest.mark.parametrize(
    "bodies", [None, [], [{"role": "response", "ref": {"seq": 1, "row": 1}}, {"role": "request", "ref": {"seq": 1, "row": 2}}]]
)
def test_provider_bodies_may_be_absent_null_or_a_list_of_role_and_ref(bodies: Any) -> None:
    assert parse_round(with_frames(node("x", "llm.call", attrs={"provider_bodies": bodies}))).entities


@pytest.mark.parametrize(
    "bodies",
    [
        {},
        "text",
        5,
        True,
        ["x"],
        [{}],
        [None],
        [{"role": "request"}],
        [{"role": "request", "ref": None}],
        [{"ref": {"seq": 1, "row": 1}}],
        [{"role": "other", "ref": {"seq": 1, "row": 1}}],
        [{"role": "", "ref": {"seq": 1, "row": 1}}],
        [{"role": 1, "ref": {"seq": 1, "row": 1}}],
    ],
)
def test_other_provider_bodies_are_refused(bodies: Any) -> None:
    refuse(with_frames(node("n", "tool"), node("x", "llm.call", attrs={"provider_bodies": bodies})), "provider_bodies", 3)


# --- the commit


@pytest.mark.parametrize(
    ("claims", "text"),
    [
        ({"nodes": 2, "relations": 1, "unresolved": 1}, "{Nodes:2 Relations:1 Unresolved:1}"),
        ({"nodes": 1, "relations": 0, "unresolved": 1}, "{Nodes:1 Relations:0 Unresolved:1}"),
        ({"nodes": 1, "relations": 1}, "{Nodes:1 Relations:1 Unresolved:0}"),
        ({}, "{Nodes:0 Relations:0 Unresolved:0}"),
        (None, "{Nodes:0 Relations:0 Unresolved:0}"),
        ({"nodes": -1, "relations": 1, "unresolved": 1}, "{Nodes:-1 Relations:1 Unresolved:1}"),
    ],
)
def test_the_commits_counts_equal_what_was_read(claims: Any, text: str) -> None:
    refuse(raw_round(*GOOD, counts=claims), f"counts mismatch: read {{Nodes:1 Relations:1 Unresolved:1}}, round claims {text}")


def test_counts_may_be_absent_where_there_is_nothing_to_count() -> None:
    assert parse_round(raw_round(HEAD, counts=None)).entities == []


def test_a_lost_line_is_a_counts_mismatch() -> None:
    lines = raw_round(*GOOD).splitlines(keepends=True)
    refuse(b"".join(lines[:2] + lines[3:]), "counts mismatch")


def test_the_commits_digest_covers_every_line_before_it() -> None:
    data = raw_round(*GOOD)
    body = data[: data.rindex(b'{"t":"commit"')]
    claimed = json.loads(data.splitlines()[-1])["digest"]
    assert claimed == sha(body)
    changed = data.replace(b'"reason":"no result"', b'"reason":"no Result"')
    computed = sha(changed[: len(body)])[:12]
    refuse(changed, f"digest mismatch: computed {computed}, round claims {claimed[:12]}")


@pytest.mark.parametrize(("digest", "claims"), [("", "nothing"), (None, "nothing"), ("00" * 32, "0" * 12)])
def test_a_wrong_digest_is_refused(digest: Any, claims: str) -> None:
    refuse(raw_round(*GOOD, digest=digest), f"round claims {claims}")


def test_a_digest_is_compared_whole_and_in_its_spelling() -> None:
    digest = json.loads(raw_round(*GOOD).splitlines()[-1])["digest"]
    for wrong in (digest.upper(), digest[:12], digest + "0"):
        refuse(raw_round(*GOOD, digest=wrong), "digest mismatch")


def test_a_commit_of_wrong_types_is_undecodable() -> None:
    refuse(raw_round(HEAD, digest=5), "undecodable frame", 2)
    refuse(raw_round(HEAD, counts=[]), "undecodable frame", 2)
    refuse(raw_round(HEAD, counts={"nodes": "0"}), "undecodable frame", 2)


def test_each_line_is_digested_with_its_newline() -> None:
    head = line(HEAD)
    refuse(raw_round(HEAD, digest=hashlib.sha256(head).hexdigest()), "digest mismatch")
    assert parse_round(raw_round(HEAD, digest=sha(head + b"\n"))).digest == sha(head + b"\n")


def test_a_file_whose_last_line_lacks_its_newline_still_reads() -> None:
    data = raw_round(*GOOD)
    read = parse_round(data[:-1])
    assert read.digest == parse_round(data).digest
    assert (read.lines, read.size) == (4, len(data) - 1)


@pytest.mark.parametrize("place", [0, 1, 2, 4, 5])
def test_empty_lines_are_skipped_and_not_digested(place: int) -> None:
    data = raw_round(*GOOD)
    lines = data.splitlines(keepends=True)
    spaced = b"".join(lines[:place]) + b"\n\n" + b"".join(lines[place:])
    read = parse_round(spaced)
    assert read.digest == parse_round(data).digest
    assert read.entities == parse_round(data).entities
    assert (read.lines, read.file_digest) == (7, sha(spaced))


def test_empty_lines_count_as_lines_in_a_refusal() -> None:
    refuse(with_frames(b"", b"", node("", "tool")), "a frame has no id", 4)


def test_carriage_returns_are_digested_as_they_are() -> None:
    data = raw_round(line(HEAD) + b"\r", commit=None)
    assert parse_round(data).digest == sha(line(HEAD) + b"\r\n")


def test_the_first_fault_in_order_is_told() -> None:
    refuse(raw_round(HEAD | {"policy": ""}, node("", "tool"), digest="x"), "no policy", 1)
    refuse(raw_round(HEAD, node("", "tool"), digest="x"), "no id", 2)
    refuse(raw_round(HEAD, counts={"nodes": 1}, digest="x"), "counts mismatch")


def test_counts_have_a_value_for_what_is_not_there() -> None:
    assert Counts() == Counts(0, 0, 0)


def test_a_large_round_has_the_same_digests() -> None:
    data = raw_round(HEAD, *(node(f"n{number}", "tool", (1, 1), parent="x" * 100) for number in range(6000)))
    found = parse_round(data)
    body = data[: data.rindex(b'{"t":"commit"')]
    assert len(data) > 700_000 and (found.digest, found.file_digest, len(found.entities)) == (sha(body), sha(data), 6000)
    refuse(data.replace(b'"xxx', b'"yxx', 1), "digest mismatch")
