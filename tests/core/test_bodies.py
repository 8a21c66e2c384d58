"""Captured provider bodies come back byte for byte, or say what is missing."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from asz_core import Conversation, Root
from asz_core.document.bodies import Bodies, Body
from asz_core.sessiondata import landed_bytes

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
    assert before is not None and before[0].id == "call/s2-call-ce98f80c9744"
    assert bodies.before(before[1]) is None


def test_a_missing_piece_is_named(tmp_path: Path) -> None:
    conversation = _changed(tmp_path / "root", lambda records: records[0]["parts"].pop(0))
    body = _request(conversation)
    assert body.value is None and "no landed record holds piece 45acd8fd6980" in body.problems[0]


def test_a_changed_literal_shows_in_the_digest_and_is_still_shown(tmp_path: Path) -> None:
    def change(records: list[dict[str, Any]]) -> None:
        _facts(records[2])["segments"][0]["lit"] = '{"model":"other","messages":[{"content":[{"text":'

    body = _request(_changed(tmp_path / "root", change))
    assert "its digest is" in body.problems[0] and body.value["model"] == "other"


def test_odd_segments_are_words_not_errors(tmp_path: Path) -> None:
    odd: list[Any] = [7, None, [], {}, {"part": 99}, {"part": -1}, {"part": "0"}, {"piece": 3}, {"lit": None}, "text"]
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
    assert "larger than any body" in body.problems[0]
