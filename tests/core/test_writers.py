"""The writers: what they write reads and verifies, what a reader would refuse they refuse, and publishing is atomic."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from asz_core import WriteError
from asz_core.sessiondata import landed_bytes, landed_name, parse_landed, publish
from asz_core.sessionflow import Node, Ref, Relation, parse_round, round_bytes, round_name
from asz_core.storage import LandedFile, landed_seq, round_number
from tests.core.helpers import STAMP, Maker, clock, header, node, part, record, relation, said, sha, tombstone, unresolved

HEADER = {
    "seq": 1,
    "at": clock(0),
    "kind": "transcript",
    "adapter": "a",
    "dialect": "d",
    "src": "x",
    "session": "s0",
    "stream": "main",
}
FILE = LandedFile("p", "w", "n-000001.sd", 1, "main", None)
TEXTS = st.text(max_size=20)
RECORDS = st.lists(
    st.fixed_dictionaries(
        {"id": TEXTS, "time": TEXTS, "parts": st.lists(st.fixed_dictionaries({"k": TEXTS, "text": TEXTS}), max_size=3)}
    ),
    max_size=6,
)


@settings(max_examples=80, deadline=None)
@given(RECORDS)
def test_a_landed_file_reads_as_it_was_written(records: list[dict[str, Any]]) -> None:
    found = parse_landed(FILE, landed_bytes(HEADER, records))
    assert (found.fault, found.closing_fault, found.count) == ("", "", len(records))
    for got, want in zip(found.records, records, strict=True):
        assert (got.id, got.time) == (want["id"], want["time"])
        assert [{"k": p.k, "text": p.text} for p in got.parts or ()] == want["parts"]


def test_a_record_given_as_bytes_is_kept() -> None:
    raw = b'{ "id" : "a" , "parts":[{"k":"data","data":{"b":1.0,"a":2}}]}'
    data = landed_bytes(HEADER, [raw, {"id": "b"}])
    assert data.split(b"\n")[1] == raw
    assert [r.id for r in parse_landed(FILE, data).records] == ["a", "b"]


def test_a_header_holds_its_keys_in_the_formats_order() -> None:
    first = msgspec.json.decode(landed_bytes(HEADER | {"batch": "b"}, []).split(b"\n")[0])
    assert list(first) == ["h", "schema", "seq", "at", "kind", "adapter", "dialect", "src", "session", "stream", "batch"]
    assert "stream" not in msgspec.json.decode(landed_bytes(HEADER | {"stream": ""}, []).split(b"\n")[0])


@pytest.mark.parametrize("name", ["kind", "session", "src", "dialect"])
def test_a_landed_file_that_would_be_refused_is_not_written(name: str) -> None:
    with pytest.raises(WriteError, match=name):
        landed_bytes(HEADER | {name: ""}, [])
    with pytest.raises(WriteError, match=name):
        landed_bytes({key: value for key, value in HEADER.items() if key != name}, [])


@pytest.mark.parametrize("seq", [0, -1])
def test_a_landed_file_needs_a_sequence(seq: int) -> None:
    with pytest.raises(WriteError, match="sequence"):
        landed_bytes(HEADER | {"seq": seq}, [])


@pytest.mark.parametrize(
    "bad", [b"", b'{"id":\n"a"}', b"garbage", b"[]", b'{"id":5}', {"id": 5}, {"parts": {}}, b'{"t":"end","records":0}']
)
def test_a_record_that_a_reader_would_stop_at_is_not_written(bad: Any) -> None:
    with pytest.raises(WriteError):
        landed_bytes(HEADER, [{"id": "a"}, bad])


def test_names_are_those_a_reader_lists() -> None:
    assert landed_name("journal", STAMP, 7) == f"journal-{STAMP}-000007.sd"
    assert landed_seq(landed_name("x", STAMP, 1234567)) == 1234567
    assert round_name(3, "0123456789abcdef") == "r000003-0123456789ab.sf"
    assert round_number(round_name(1234567, "0" * 64)) == 1234567


IDS = st.text("abc/é", min_size=1, max_size=5)
FRAMES = st.lists(
    st.builds(
        lambda id, kind, at: node(id, kind, at, attrs={"k": kind}), IDS, TEXTS, st.tuples(st.integers(1, 9), st.integers(0, 9))
    )
    | st.builds(lambda id, a, b: relation("starts", a, b, id=id), IDS, IDS, IDS)
    | st.builds(unresolved, IDS, st.sampled_from(["open", "resolved", "terminal"]))
    | st.builds(tombstone, st.sampled_from(["node", "relation", "unresolved"]), IDS),
    max_size=8,
    unique_by=lambda frame: frame["id"],
)


@settings(max_examples=80, deadline=None)
@given(FRAMES, st.integers(1, 5))
def test_a_round_reads_as_it_was_written(frames: list[Any], number: int) -> None:
    data, digest = round_bytes(header(number, through_seq=9), frames)
    read = parse_round(data)
    assert read.digest == digest and read.number == number
    assert [e.id for e in read.entities] == [f["id"] for f in frames]
    assert all(e.revision == number for e in read.entities)
    again, same = round_bytes(read.header, read.entities)
    assert (again, same) == (data, digest)


def test_the_same_inputs_give_the_same_bytes() -> None:
    frames = [node("n", "tool", (1, 1), attrs={"b": 1, "a": 2}), relation("starts", "n", "s", evidence=[{"seq": 1, "row": 1}])]
    assert round_bytes(header(), frames) == round_bytes(header(), frames)


def test_structs_and_mappings_write_the_same() -> None:
    head = header()
    structs = [Node("n", 1, "tool", ref=Ref(1, 2)), Relation("r", 1, "starts", "a", "b", "exact_unique")]
    assert round_bytes(head, structs) == round_bytes(head, [node("n", "tool", (1, 2)), relation("starts", "a", "b", id="r")])


@pytest.mark.parametrize(
    ("head", "frames", "why"),
    [
        (header(policy=""), [], "no policy"),
        (header(round=2), [], "names no previous"),
        (header(from_seq=0), [], "from_seq"),
        (header(round="x"), [], "cannot be written"),
        (header(), [node("", "tool")], "no id"),
        (header(), [node("n", "tool", (2, 1))], "seq 2"),
        (header(), [node("n", "tool", (0, 0))], "reference to nothing"),
        (header(), [node("n", "tool"), node("n", "run")], "twice"),
        (header(), [node("n", "tool") | {"revision": 7}], "revision 7"),
        (header(), [relation("", "a", "b")], "no type"),
        (header(), [unresolved("u", "maybe")], "state"),
        (header(), [node("n", "tool", attrs=[])], "attrs"),
        (header(), [{"t": "later", "id": "x"}], "cannot be written"),
        (header(), [header()], "second header"),
        (header(), [{"t": "node", "id": 5}], "cannot be written"),
    ],
)
def test_a_round_that_would_be_refused_is_not_written(head: dict[str, Any], frames: list[Any], why: str) -> None:
    with pytest.raises(WriteError, match=why):
        round_bytes(head, frames)


def test_what_the_writers_write_verifies(maker: Maker) -> None:
    for number in range(1, 5):
        maker.land(*[record(part(text=f"{number}.{at}"), time=clock(at)) for at in range(number)])
        maker.round(*[node(f"n{number}.{at}", "tool", (number, at + 1)) for at in range(number)])
    conversation = maker.load()
    assert (conversation.report.state, conversation.report.problems) == ("verified", [])
    assert all(not found.closing_fault and not found.fault for found in conversation.data.files)


def test_a_published_file_is_whole_read_only_and_alone(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "a-000001.sd"
    publish(path, b"data")
    assert path.read_bytes() == b"data"
    assert stat.S_IMODE(path.stat().st_mode) == 0o444
    assert [p.name for p in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize("there", ["file", "link", "folder"])
def test_publishing_never_replaces_what_is_there(tmp_path: Path, there: str) -> None:
    path = tmp_path / "a-000001.sd"
    if there == "file":
        path.write_bytes(b"old")
    elif there == "link":
        path.symlink_to(tmp_path / "nowhere")
    else:
        path.mkdir()
    with pytest.raises(WriteError, match="already there"):
        publish(path, b"new")
    assert [p.name for p in tmp_path.iterdir()] == [path.name]
    if there == "file":
        assert path.read_bytes() == b"old"
    assert not (tmp_path / "nowhere").exists()


def test_publishing_does_not_replace_a_file_that_comes_at_the_last_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a-000001.sd"
    real = os.fchmod

    def then_it_comes(*args: Any) -> None:
        real(*args)
        path.write_bytes(b"theirs")

    monkeypatch.setattr(os, "fchmod", then_it_comes)
    with pytest.raises(WriteError, match="already there"):
        publish(path, b"ours")
    assert [(p.name, p.read_bytes()) for p in tmp_path.iterdir()] == [(path.name, b"theirs")]


def test_publishing_works_where_there_are_no_hard_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", fail)
    path = tmp_path / "a-000001.sd"
    publish(path, b"ours")
    assert [(p.name, p.read_bytes()) for p in tmp_path.iterdir()] == [(path.name, b"ours")]
    with pytest.raises(WriteError, match="already there"):
        publish(path, b"again")
    assert [(p.name, p.read_bytes()) for p in tmp_path.iterdir()] == [(path.name, b"ours")]


@pytest.mark.parametrize("step", ["fsync", "fchmod"])
def test_a_publishing_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    def fail(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, step, fail)
    with pytest.raises(OSError, match="No space"):
        publish(tmp_path / "a-000001.sd", b"x")
    assert list(tmp_path.iterdir()) == []


def test_a_reader_never_sees_a_part_of_a_published_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Until it is durable the file stands under a name that no reader lists, and it appears by one change of a name."""
    path = tmp_path / "transcript-x-000001.sd"
    seen: list[list[str]] = []
    real = os.fsync

    def look(handle: int) -> None:
        seen.append([p.name for p in tmp_path.iterdir()])
        real(handle)

    monkeypatch.setattr(os, "fsync", look)
    publish(path, b"x" * 100_000)
    assert len(seen) >= 1 and len(seen[0]) == 1
    assert landed_seq(seen[0][0]) is None and round_number(seen[0][0]) is None
    assert sha(path.read_bytes()) == sha(b"x" * 100_000)


def test_said_is_a_record_of_texts() -> None:
    assert [p["text"] for p in said("a", "b")["parts"]] == ["a", "b"]
