"""Rows of a list: what the newest header tells, what a fold adds, and that what is not known is None and never 0."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from asz_core import Root, Row
from asz_core.listing import newest_first
from tests.core.helpers import START_MS, Maker, clock, node, said, tombstone, unresolved

LATER = {
    "title": "a title", "talks": 3, "steps": 9, "streams": 2, "segments": 1, "unresolved": 4,
    "session_from_time": clock(1), "session_through_time": clock(2),
}  # fmt: skip


def session(**attrs: Any) -> dict[str, Any]:
    return node("session/s0", "session", attrs=attrs)


def some(maker: Maker, **keys: Any) -> None:
    maker.land(said("x", time=clock(5)))
    maker.round(
        session(title="folded title", from_time=clock(10), through_time=clock(20)),
        node("stream/main", "stream", stream="main"),
        node("segment/1", "segment"),
        node("talk/1", "talk"),
        node("run/1", "run"),
        node("m", "message.external", (1, 1)),
        node("t", "tool"),
        unresolved("u1"),
        unresolved("u2", "resolved"),
        **keys,
    )


def test_a_quick_row_is_the_newest_header(maker: Maker) -> None:
    some(maker)
    maker.round(**LATER)
    row = maker.root().row(maker.conversation)
    assert (row.id, row.title, row.talks, row.steps, row.streams, row.segments, row.rounds, row.unresolved) == (
        "c0",
        "a title",
        3,
        9,
        2,
        1,
        2,
        4,
    )
    assert (row.from_ms, row.to_ms, row.complete, row.problem, row.state) == (START_MS + 1000, START_MS + 2000, True, "", "")
    assert row.changed_ns == os.stat(maker.rounds_dir).st_mtime_ns


def test_a_quick_row_does_not_know_what_an_older_header_leaves_out(maker: Maker) -> None:
    some(maker)
    row = maker.root().row(maker.conversation)
    assert (row.title, row.talks, row.steps, row.streams, row.segments, row.unresolved, row.from_ms, row.to_ms) == (None,) * 8
    assert (row.rounds, row.complete) == (1, False)


def test_a_count_of_zero_in_a_header_is_known(maker: Maker) -> None:
    maker.round(**LATER | {"talks": 0, "unresolved": 0})
    row = maker.root().row(maker.conversation)
    assert (row.talks, row.unresolved, row.complete) == (0, 0, True)


def test_a_quick_row_reads_past_rounds_that_do_not_read(maker: Maker) -> None:
    some(maker, **LATER)
    maker.round()
    maker.rounds[2].write_bytes(b"broken")
    assert maker.root().row(maker.conversation).title == "a title"


def test_a_full_row_counts_the_fold(maker: Maker) -> None:
    some(maker)
    row = maker.root().row(maker.conversation, full=True)
    assert (row.title, row.talks, row.steps, row.streams, row.segments, row.rounds, row.unresolved) == (
        "folded title",
        1,
        2,
        1,
        1,
        1,
        1,
    )
    assert (row.from_ms, row.to_ms, row.complete, row.state, row.problem) == (
        START_MS + 10_000,
        START_MS + 20_000,
        True,
        "chained",
        "",
    )


def test_a_full_row_says_the_same_as_the_document(maker: Maker) -> None:
    some(maker)
    row, summary = maker.root().row(maker.conversation, full=True), maker.document()["summary"]
    assert [row.title, row.talks, row.steps, row.streams, row.segments, row.rounds, row.unresolved, row.from_ms, row.to_ms] == [
        summary[key] for key in ("title", "talks", "steps", "streams", "segments", "rounds", "unresolved", "from", "to")
    ]


def test_a_gap_is_told_by_the_names_alone(maker: Maker) -> None:
    for _ in range(3):
        some(maker)
    maker.rounds[2].unlink()
    for full in (False, True):
        row = maker.root().row(maker.conversation, full=full)
        assert (row.problem, row.state) == ("round 2 is missing; the chain stops at round 1", "incomplete")


def test_a_round_that_does_not_read_is_a_mismatch(maker: Maker) -> None:
    for _ in range(4):
        some(maker)
    maker.rounds[4].write_bytes(b"")
    row = maker.root().row(maker.conversation, full=True)
    assert row.state == "mismatch" and row.problem.startswith("round 4 does not read")
    maker.rounds[2].unlink()
    assert maker.root().row(maker.conversation, full=True).state == maker.load().report.state == "mismatch"


def test_a_round_that_does_not_fold_is_a_mismatch(maker: Maker) -> None:
    some(maker)
    maker.round(policy="this round is missing; really")
    row = maker.root().row(maker.conversation, full=True)
    assert row.state == maker.load().report.state == "mismatch"


def test_a_conversation_that_cannot_be_opened_says_why(maker: Maker) -> None:
    some(maker)
    maker.rounds[1].write_bytes(b"")
    row = maker.root().row(maker.conversation, full=True)
    assert row.complete and row.problem.startswith("round 1 does not read") and row.state == "mismatch" and row.talks is None
    maker.rounds[1].unlink()
    some(maker)
    row = maker.root().row(maker.conversation, full=True)
    assert row.problem == "round 1 is missing; the chain stops at round 0" and row.state == "incomplete"


def test_a_conversation_without_rounds_says_so(tmp_path: Path) -> None:
    for full in (False, True):
        row = Root(tmp_path).row("nothing", full=full)
        assert (row.id, row.problem, row.rounds, row.complete) == ("nothing", "there is no round", None, True)
        assert row.state == ("incomplete" if full else "")


def test_rows_come_newest_activity_first_and_those_without_a_time_last() -> None:
    rows = [
        Row("z", to_ms=5),
        Row("y", to_ms=5),
        Row("x", to_ms=9),
        Row("old", to_ms=1),
        Row("none1", changed_ns=1),
        Row("none2", changed_ns=2),
        Row("a", to_ms=0, changed_ns=9),
    ]
    rows += [Row("before", to_ms=-5), Row("q", to_ms=5, changed_ns=1)]
    assert [row.id for row in newest_first(rows)] == ["x", "q", "y", "z", "old", "a", "before", "none2", "none1"]


@pytest.mark.parametrize("name", ["title", "talks", "steps", "streams", "segments", "unresolved", "session_through_time"])
def test_a_quick_row_is_complete_only_when_the_header_says_everything(maker: Maker, name: str) -> None:
    maker.round(**LATER)
    assert maker.root().row(maker.conversation).complete
    maker.round(**{key: value for key, value in LATER.items() if key != name})
    assert not maker.root().row(maker.conversation).complete


def test_a_full_row_falls_back_to_the_header_where_the_session_node_is_silent(maker: Maker) -> None:
    maker.round(session(title=5, from_time=5, through_time=""), **LATER)
    row = maker.root().row(maker.conversation, full=True)
    assert (row.title, row.from_ms, row.to_ms) == ("a title", START_MS + 1000, START_MS + 2000)
    maker.round(tombstone("node", "session/s0"))
    row = maker.root().row(maker.conversation, full=True)
    assert (row.title, row.from_ms, row.to_ms, row.talks) == ("", None, None, 0)


def test_a_full_row_counts_the_rounds_that_read(maker: Maker) -> None:
    some(maker)
    some(maker)
    maker.rounds[2].write_bytes(b"")
    assert maker.root().row(maker.conversation).rounds == 2
    assert maker.root().row(maker.conversation, full=True).rounds == 1


def test_a_root_lists_every_conversation(tmp_path: Path) -> None:
    for at, name in enumerate(("one", "two", "three")):
        Maker(tmp_path, conversation=name, session=name).round(**LATER | {"session_through_time": clock(at)})
    assert [row.id for row in Root(tmp_path).rows()] == ["three", "two", "one"]
    shutil.rmtree(tmp_path / "_conversations" / "three")
    assert [row.id for row in Root(tmp_path).rows(full=True)] == ["two", "one"]


@pytest.mark.parametrize("start", [b"", b"\n", b"x" * 3_000_000, b'{"t":"header"'], ids=["empty", "newline", "long", "cut"])
def test_a_first_line_that_is_no_header_leaves_the_values_unknown(maker: Maker, start: bytes) -> None:
    some(maker)
    maker.rounds[1].write_bytes(start)
    row = maker.root().row(maker.conversation)
    assert (row.title, row.talks, row.rounds) == (None, None, 1)
