"""Captured provider bodies come back byte for byte, or say what is missing."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from asz_core import Conversation, Root
from asz_core.document.bodies import Bodies, Body
from asz_core.sessiondata import landed_bytes
from asz_core.sessionflow import Node, Ref
from asz_core.storage import read_file

ROOT = Path(__file__).resolve().parents[1] / "data" / "conformance" / "extras" / "root"
CALL = "call/s3-call-ce98f80c9744"


def _bodies(conversation: Conversation) -> list[Body]:
    bodies = Bodies(conversation.fold, conversation.data)
    return [body for node in conversation.fold.of_kind("llm.call") for body in bodies.of(node)]


def _request(conversation: Conversation) -> Body:
    return Bodies(conversation.fold, conversation.data).of(conversation.fold.nodes[CALL])[0]


def _changed(target: Path, change: Callable[[list[dict[str, Any]]], None]) -> Conversation:
    """The root with other records in its file of bodies."""
    shutil.copytree(ROOT, target)
    path = next(target.rglob("provider_body-*.sd"))
    lines = path.read_text().splitlines()
    header, records = json.loads(lines[0]), [json.loads(line) for line in lines[1:-1]]
    change(records)
    path.unlink()
    path.write_bytes(landed_bytes(header, [json.dumps(r, separators=(",", ":"), ensure_ascii=False).encode() for r in records]))
    return Root(target).load("5eed")


def _facts(record: dict[str, Any]) -> dict[str, Any]:
    return record["parts"][-1]["data"]


def test_every_captured_body_comes_back_with_its_digest() -> None:
    bodies = _bodies(Root(ROOT).load("5eed"))
    assert len(bodies) == 10
    for body in bodies:
        assert body.problems == [] and len(body.raw.encode()) == body.size
        assert hashlib.sha256(body.raw.encode()).hexdigest() == body.facts["sha256"]
        assert body.value["model"] == "claude-opus-5"


def test_the_request_before_is_found_by_its_id() -> None:
    conversation = Root(ROOT).load("5eed")
    bodies = Bodies(conversation.fold, conversation.data)
    before = bodies.before(_request(conversation))
    assert before.node is not None and before.node.id == "call/s2-call-ce98f80c9744" and before.why == ""
    assert before.body is not None and "first of its chain" in bodies.before(before.body).why


def test_a_request_before_that_is_not_to_be_had_is_told_apart(tmp_path: Path) -> None:
    def why(name: str, change: Callable[[list[dict[str, Any]]], None]) -> str:
        conversation = _changed(tmp_path / name, change)
        return Bodies(conversation.fold, conversation.data).before(_request(conversation)).why

    assert "is not captured" in why("other", lambda records: _facts(records[2]).update(previous_request="nowhere"))
    assert "names itself" in why("own", lambda records: _facts(records[2]).update(previous_request="s3-req-ce98f80c9744"))
    assert "that of 2 model calls" in why("two", lambda records: _facts(records[3]).update(request="s2-req-ce98f80c9744"))
    assert "first of its chain" in why("typed", lambda records: _facts(records[2]).update(previous_request=7))


def test_nothing_is_read_until_a_piece_is_looked_up_and_then_once(monkeypatch: pytest.MonkeyPatch) -> None:
    conversation = Root(ROOT).load("5eed")
    read: list[str] = []

    def count(path: str) -> bytes:
        read.append(Path(path).name)
        return read_file(path)

    monkeypatch.setattr("asz_core.document.pieces.read_file", count)
    bodies = Bodies(conversation.fold, conversation.data)
    first = bodies.of(conversation.fold.nodes["call/s2-call-ce98f80c9744"])
    assert read == [] and not first[0].problems
    for _ in range(3):
        bodies.of(conversation.fold.nodes[CALL])
        conversation.refresh()
    assert [name[:14] for name in read] == ["provider_body-"]


def test_pieces_that_land_later_are_found_and_those_of_a_file_that_went_are_not(tmp_path: Path) -> None:
    conversation = _changed(tmp_path / "root", lambda records: records[0]["parts"].pop(0))
    bodies = Bodies(conversation.fold, conversation.data)
    node = conversation.fold.nodes[CALL]
    assert bodies.of(node)[0].problems
    folder = next((tmp_path / "root").rglob("provider_body-*.sd")).parent
    part = json.loads(next(ROOT.rglob("provider_body-*.sd")).read_bytes().split(b"\n")[1])["parts"][0]
    late = folder / "provider_body-20260101T000001.000000000Z-000007.sd"
    record = json.dumps({"ord": 1, "parts": [part]}, separators=(",", ":")).encode()
    late.write_bytes(landed_bytes({"seq": 7, "kind": "provider_body", "session": "s", "src": ".", "dialect": "d"}, [record]))
    conversation.refresh()
    assert bodies.of(node)[0].problems == []
    late.unlink()
    conversation.refresh()
    assert "45acd8fd6980" in bodies.of(node)[0].problems[0]


def test_a_missing_piece_is_named(tmp_path: Path) -> None:
    conversation = _changed(tmp_path / "root", lambda records: records[0]["parts"].pop(0))
    body = _request(conversation)
    assert body.value is None
    assert body.problems == ["segment 2 of 9 is missing: no landed record holds piece 45acd8fd6980"]
    assert body.raw.startswith('{"model":"claude-opus-5"') and "⟨segment 2 is missing⟩,\"type\"" in body.raw


def test_the_files_that_may_have_held_what_is_missing_are_named(tmp_path: Path) -> None:
    conversation = _changed(tmp_path / "root", lambda records: records[0]["parts"].pop(0))
    path = next((tmp_path / "root").rglob("provider_body-*.sd"))
    for number in (2, 4, 5):
        next((tmp_path / "root").rglob(f"*-00000{number}.sd")).unlink()
    (path.parent / "provider_body-20260101T000002.000000000Z-000009.sd").mkdir()
    assert conversation.refresh()
    problems = _request(conversation).problems
    assert "no landed file is stored with seq 2, 4 to 5" in problems


def test_a_file_that_cannot_be_read_any_more_is_named(tmp_path: Path) -> None:
    conversation = _changed(tmp_path / "root", lambda records: None)
    bodies = Bodies(conversation.fold, conversation.data)
    assert conversation.record(6, 3) is not None
    next((tmp_path / "root").rglob("provider_body-*.sd")).unlink()
    problems = bodies.of(conversation.fold.nodes[CALL])[0].problems
    assert len(problems) == 5 and "provider_body-20260101T000000.000000000Z-000006.sd could not be read" in problems[-1]


def test_a_changed_literal_shows_in_the_digest_and_is_still_shown(tmp_path: Path) -> None:
    def change(records: list[dict[str, Any]]) -> None:
        _facts(records[2])["segments"][0]["lit"] = '{"model":"other","messages":[{"content":[{"text":'

    body = _request(_changed(tmp_path / "root", change))
    assert "its digest is" in body.problems[0] and body.value["model"] == "other"


def test_odd_segments_are_words_not_errors(tmp_path: Path) -> None:
    odd: list[Any] = [7, None, [], {}, {"part": 99}, {"part": -1}, {"part": "0"}, {"piece": 3}, {"piece": "no hex"}, {"lit": None}, "text"]
    for number, segment in enumerate(odd):
        def change(records: list[dict[str, Any]], segment: Any = segment) -> None:
            _facts(records[2])["segments"] = [segment]

        body = _request(_changed(tmp_path / str(number), change))
        assert body.value is None and "segment 1 of 1 is missing" in body.problems[0]
    for number, value in enumerate((None, 3, {}, "x")):
        def replace(records: list[dict[str, Any]], value: Any = value) -> None:
            _facts(records[2])["segments"] = value

        body = _request(_changed(tmp_path / f"none{number}", replace))
        assert body.problems == ["its record names no segments"]


def test_a_body_whose_record_is_gone_says_so(tmp_path: Path) -> None:
    shutil.copytree(ROOT, tmp_path / "root")
    next((tmp_path / "root").rglob("provider_body-*.sd")).unlink()
    body = _request(Root(tmp_path / "root").load("5eed"))
    assert body.problems == ["its record, seq 6 row 3, is not stored"]


def test_one_piece_named_without_end_is_not_put_together(tmp_path: Path) -> None:
    def change(records: list[dict[str, Any]]) -> None:
        records[2]["parts"].insert(0, {"k": "data", "data": "x" * 1_000_000})
        _facts(records[2])["segments"] = [{"part": 0}] * 500

    body = _request(_changed(tmp_path / "root", change))
    assert "larger than the 200,000,000 bytes" in body.problems[0]


def test_a_body_may_begin_with_the_beginning_of_another(tmp_path: Path) -> None:
    raw = _request(Root(ROOT).load("5eed")).raw.encode()
    base = next(body for body in _bodies(Root(ROOT).load("5eed")) if body.ref.row == 1)
    head = base.raw.encode()[:1000]
    assert raw.startswith(head)
    names = (base.fact("src"), base.fact("sha256"), base.fact("src").removesuffix(".json"))
    digests = (hashlib.sha256(head).hexdigest(), base.fact("sha256"), hashlib.sha256(head).hexdigest())
    for at, (name, digest) in enumerate(zip(names, digests, strict=True)):
        def change(records: list[dict[str, Any]], name: str = name, digest: str = digest) -> None:
            copy = {"from": name, "sha256": digest, "len": 1000}
            _facts(records[2])["segments"] = [{"copy": copy}, {"lit": raw[1000:].decode()}]

        assert _request(_changed(tmp_path / str(at), change)).problems == []


def test_copies_that_lead_nowhere_are_words(tmp_path: Path) -> None:
    own = _request(Root(ROOT).load("5eed")).fact("src")
    odd: list[tuple[dict[str, Any], str]] = [
        ({}, "without from, sha256 and len"),
        ({"from": "nothing", "sha256": "", "len": 1}, "no landed record is the body nothing"),
        ({"from": own, "sha256": "", "len": 1}, "copy of itself"),
        ({"from": "s3-req-ce98f80c9744.response", "sha256": "00", "len": 1}, "does not hold the 1 bytes"),
        ({"from": "s3-req-ce98f80c9744.response", "sha256": "00", "len": -1}, "does not hold the -1 bytes"),
        ({"from": "s3-req-ce98f80c9744.response", "sha256": "00", "len": 10**12}, "larger than"),
    ]
    for number, (copy, words) in enumerate(odd):
        def change(records: list[dict[str, Any]], copy: dict[str, Any] = copy) -> None:
            _facts(records[2])["segments"] = [{"copy": copy}]

        assert words in _request(_changed(tmp_path / str(number), change)).problems[0]


def test_a_long_chain_of_copies_ends(tmp_path: Path) -> None:
    def change(records: list[dict[str, Any]]) -> None:
        for at in range(300):
            facts = {"schema": "provider_body/1", "src": f"b{at}", "segments": [{"copy": {"from": f"b{at + 1}", "sha256": "", "len": 0}}]}
            records.append({"ord": 1, "parts": [{"k": "data", "data": facts}]})
        _facts(records[2])["segments"] = [{"copy": {"from": "b0", "sha256": "", "len": 0}}]

    assert "did not come back either" in _request(_changed(tmp_path / "root", change)).problems[0]


def _with_text(target: Path, text: str) -> Body:
    def change(records: list[dict[str, Any]]) -> None:
        digest = hashlib.sha256(text.encode()).hexdigest()
        _facts(records[2]).update(segments=[{"lit": text}], sha256=digest, bytes=len(text.encode()))

    return _request(_changed(target, change))


def test_what_cannot_be_decoded_comes_back_as_text(tmp_path: Path) -> None:
    for number, (text, note) in enumerate((
        ("event: message_start", "It is not JSON."), ("[" * 4_000_000, "It has too many parts"), ("[0,0" + ",0" * 4_000_000 + "]", "It has too"),
        ('"' + "x" * 5_000_000 + '\\q"', "It is not JSON."), ("[" * 3_000 + "1" + "]" * 2_999, "It is not JSON."),
    )):  # fmt: skip
        body = _with_text(tmp_path / str(number), text)
        assert body.problems == [] and body.raw == text and body.value is None and body.note.startswith(note)


def test_odd_claims_are_words(tmp_path: Path) -> None:
    for number, (facts, words) in enumerate((
        ({"sha256": None}, "claims no digest"), ({"sha256": 7}, "claims no digest"), ({"bytes": 3}, "it has 8,465 bytes, the record claims 3"),
        ({"segments": []}, "names no segments"), ({"segments": None, "why": "too large"}, "names no segments: too large"),
        ({"segments": [{}] * 100_000}, "segment 1 of 100,000 is missing"),
    )):  # fmt: skip
        def change(records: list[dict[str, Any]], facts: dict[str, Any] = facts) -> None:
            _facts(records[2]).update(facts)

        assert words in _request(_changed(tmp_path / str(number), change)).problems[0]


def test_a_reset_between_two_calls_is_known_from_the_fold() -> None:
    conversation = Root(ROOT).load("5eed")
    bodies, nodes = Bodies(conversation.fold, conversation.data), conversation.fold.nodes
    old, new = nodes["call/s2-call-ce98f80c9744"], nodes[CALL]
    assert old.ref is not None and not bodies.reset_between(old, new)
    between = Ref(old.ref.seq, old.ref.row + 1)
    nodes["boundary/x"] = Node(id="boundary/x", kind="epoch.boundary", stream="elsewhere", ref=between)
    assert not bodies.reset_between(old, new)
    nodes["boundary/x"] = Node(id="boundary/x", kind="epoch.boundary", stream=old.stream, ref=between)
    assert bodies.reset_between(old, new) and not bodies.reset_between(new, old)
