"""The Streams, Segments and Edges panes."""

from __future__ import annotations

from datetime import UTC
from pathlib import Path

from asz_tui.panes.edges_rows import EdgesRows
from asz_tui.panes.segments_rows import SegmentsRows
from asz_tui.panes.streams_rows import StreamsRows
from asz_tui.session.opened import Opened
from tests.core.helpers import Maker, node, relation, said
from tests.tui.panes.helpers import drawn, index_with, opened, rows_of

# --- streams


def test_streams_hang_under_their_parent() -> None:
    rows = StreamsRows(opened("fleet"), UTC)
    lines = drawn(rows, 120)
    assert lines[1].startswith(" ▾ main ") and all(line.startswith("   ▸ ") for line in lines[2:])
    assert len(lines) == 8
    at = index_with(rows, "notes-writer")
    assert rows.target(at) == "talk/ab6ae9547204f93e1"
    rows.toggle(at)
    opener = drawn(rows, 120)[at + 1]
    assert opener.split() == ["opened", "by", "◆", "Skill", "release-notes", "on", "main", "exact_unique"]
    assert rows.target(at + 1) == "tool/s4-tool"


def test_a_pool_is_said_and_is_no_guess() -> None:
    rows = rows_of("streams", opened("fleet"))
    for width in (80, 120):
        assert sum("it started 4 streams" in line for line in drawn(rows, width)) == 4


def test_several_candidates_are_listed_none_chosen() -> None:
    rows = StreamsRows(opened("craft"), UTC)
    lines = drawn(rows, 120)
    at = index_with(rows, "2 candidates, none chosen")
    assert "journal" in lines[at] and "refuted · that it works" in lines[at]
    assert lines[at + 1].split()[-1] == "exact_ambiguous" and lines[at + 2].split()[-1] == "weak_inference"
    assert all("perhaps opened by" in line for line in lines[at + 1 : at + 3])
    assert (rows.target(at + 1), rows.target(at + 2)) == ("tool/c2", "far/1")
    assert "no relation says what opened it" in drawn(rows, 160)[-1]
    assert rows.target(len(rows) - 1) is None


def test_streams_fold_filter_and_sort() -> None:
    rows = StreamsRows(opened("fleet"), UTC)
    rows.set_open(1, False)
    assert len(rows) == 2 and drawn(rows, 80)[1].startswith(" ▸ main")
    rows.narrow("fixer")
    assert [line.split()[0] for line in drawn(rows, 80)][1:] == ["▸", "▸"], "what fits is shown with what is above it"
    assert "fixer" in drawn(rows, 80)[2]
    assert rows.narrow("re:*") != ""
    rows.narrow("")
    rows.set_all(True)
    rows.sort_by("stream")
    names = [line.split()[1] for line in drawn(rows, 80) if line.startswith("   ▾")]
    assert names == sorted(names) and len(names) == 6
    rows.sort_by("stream")
    assert [line.split()[1] for line in drawn(rows, 80) if line.startswith("   ▾")] == names[::-1]
    assert "stream↓" in drawn(rows, 80)[0]


def test_streams_that_open_each_other_end(tmp_path: Path) -> None:
    maker = Maker(tmp_path / "root")
    maker.land(said("a", time="2026-01-01T00:00:00Z"), said("b", time="2026-01-01T00:00:01Z"))
    maker.round(
        node("stream/a", "stream", (1, 1), stream="a"),
        node("stream/b", "stream", (1, 2), stream="b"),
        node("stream/c", "stream", (1, 2), stream="c"),
        node("tool/a", "tool", (1, 1), stream="a"),
        node("tool/b", "tool", (1, 2), stream="b"),
        relation("starts", "tool/a", "stream/b"),
        relation("starts", "tool/b", "stream/a"),
        relation("starts", "tool/b", "stream/c"),
    )
    rows = rows_of("streams", Opened(maker.load()))
    keys = [rows.key(index) for index in range(len(rows))]
    shown = [key for key in keys if isinstance(key, str) and key.startswith("stream/")]
    assert shown == ["stream/a", "stream/b", "stream/c"]


# --- segments


def test_segments_say_their_gates() -> None:
    rows = SegmentsRows(opened("pilot"), UTC)
    lines = drawn(rows, 80)
    assert lines[1].split() == ["▸", "1", "candidate", "2", "00:00:00–00:01:36", "2", "min", "█·········", "yes"]
    assert lines[2].split()[-4:] == ["no", "·", "3", "unmet"] and "·········█" in lines[2]
    assert (rows.target(1), rows.target(2)) == ("talk/main/s1-cycle", "talk/main/s11-cycle")
    rows.toggle(2)
    lines = drawn(rows, 80)
    assert lines[3] == "    unmet  activity_boundary  no later segment has begun, so it may go on"
    assert "lateness_watermark" in lines[5] and "open a pull request with that" in lines[6]
    assert rows.target(6) == "talk/main/s11-cycle"
    rows.set_open(6, False)
    assert len(rows) == 3
    assert "activity_boundary, no_crossing_open_operation, lateness_watermark" in drawn(rows, 240)[2]


def test_talks_in_no_segment_are_not_lost() -> None:
    rows = rows_of("segments", opened("craft"))
    lines = drawn(rows, 120)
    assert any("outside" in line and "no relation puts them into one" in line for line in lines)
    assert rows.target(index_with(rows, "▾ outside")) == "talk/kid1"


def test_a_segment_without_a_node_is_said(tmp_path: Path) -> None:
    maker = Maker(tmp_path / "root")
    maker.land(said("a", time="2026-01-01T00:00:00Z"))
    maker.round(node("talk/1", "talk", (1, 1), stream="main"), relation("in_segment", "talk/1", "segment/lost"))
    rows = rows_of("segments", Opened(maker.load()))
    assert "segment/lost has no node" in drawn(rows, 120)[1]
    assert rows.target(1) == "talk/1"


def test_segments_filter_and_sort() -> None:
    rows = SegmentsRows(opened("pilot"), UTC)
    rows.narrow("candidate")
    assert len(rows) == 2
    rows.narrow("pull request")
    assert [rows.key(index) for index in range(len(rows))] == ["head", "segment/at_1_23", "talk/main/s11-cycle"]
    rows.narrow("")
    rows.sort_by("talks")
    assert rows.key(1) == "segment/at_1_23"
    rows.sort_by("lasted")
    assert rows.key(1) == "segment/at_1_2"


# --- edges


def test_edges_speak_of_their_ends_in_words() -> None:
    rows = EdgesRows(opened("pilot"), UTC)
    lines = drawn(rows, 120)
    assert lines[0] == "10 relations  every type · every quality"
    starts = next(line for line in lines if line.strip().startswith("starts"))
    assert "◆ Agent log-reader" in starts and "child log-reader" in starts and "exact_unique" in starts and "1:14" in starts
    at = index_with(rows, "  starts")
    assert (rows.target(at), rows.target_to(at)) == ("tool/s6-tool", "talk/aad8b0a671c52061f")
    at = index_with(rows, "  reports")
    assert (rows.target(at), rows.target_to(at)) == ("notify/1/15", "talk/aad8b0a671c52061f")
    at = index_with(rows, "segment/at_1_23")
    assert rows.target_to(at) == "talk/main/s11-cycle"
    assert rows.explain(index_with(rows, "  starts")).startswith("from a call to the stream it started; joined by identity")
    assert rows.target_to(0) is None and rows.explain(0) == ""
    assert "≈ strong_inference" in "\n".join(drawn(rows, 80)), "a quality is whole at 80 columns"


def test_edges_cycle_types_and_qualities() -> None:
    rows = EdgesRows(opened("fleet"), UTC)
    seen = [rows.cycle_type() for _ in range(6)]
    assert seen == ["ends_with", "in_segment", "reports", "result_of", "starts", ""]
    assert rows.cycle_type(-1) == "starts"
    assert rows.cycle_quality() == "exact_unique"
    assert drawn(rows, 80)[0] == "2 of 21 relations  type starts (5 of 5) · quality exact_unique (1 of 2)"
    assert rows.cycle_quality() == "strong_inference" and len(rows) == 6
    assert rows.cycle_quality() == "" and len(rows) == 8
    rows.show("nothing")
    assert len(rows) == 23


def test_an_end_that_is_nowhere() -> None:
    rows = EdgesRows(opened("craft"), UTC)
    at = index_with(rows, "nobody")
    assert rows.target(at) is None and rows.target_to(at) == "talk/kid1"
    assert "≈ telepathy" in drawn(rows, 120)[index_with(rows, "teleports")]


def test_edges_filter_and_sort() -> None:
    rows = EdgesRows(opened("pilot"), UTC)
    rows.narrow("log-reader")
    assert "in_segment" in "\n".join(drawn(rows, 120)) and len(rows) < 12, "the words of the ends are searched"
    rows.narrow("re:^summarizes")
    assert len(rows) == 3
    rows.narrow("")
    rows.sort_by("time")
    times = [line[13:21] for line in drawn(rows, 120)[2:]]
    assert times == sorted(times)
    rows.sort_by("type")
    assert drawn(rows, 120)[2].split()[0] == "ends_with"


def test_twenty_thousand_edges_are_drawn_on_demand() -> None:
    source = opened("pilot")
    fold = source.conversation.fold
    one = next(iter(fold.relations.values()))
    for number in range(20_000):
        twin = type(one)(f"rel/{number:06}", 1, "starts", one.from_, one.to, "exact_unique")
        fold.relations[twin.id] = twin
    calls = 0

    class Counting(EdgesRows):
        def draw(self, entry, width):  # type: ignore[no-untyped-def]
            nonlocal calls
            calls += 1
            return super().draw(entry, width)

    rows = Counting(source, UTC)
    rows.cycle_type()
    rows.show()
    rows.narrow("rel/0001")
    assert calls == 0 and len(rows) == 102
    assert "the words of steps are not searched" in drawn(rows, 120)[0]
