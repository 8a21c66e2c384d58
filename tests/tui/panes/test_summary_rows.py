"""The Summary pane and what it counts."""

from __future__ import annotations

import json
import threading
from datetime import UTC, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from asz_tui.panes import summary_facts
from asz_tui.panes.summary_facts import Facts, buckets_of
from asz_tui.panes.summary_rows import COUNTING, SummaryRows
from asz_tui.session.opened import Opened
from tests.core.helpers import Maker, clock, node, part, record
from tests.tui.panes.helpers import CASES, drawn, index_with, never, opened, rows_of

SECOND = 1_000_000_000
START = 1_767_225_600 * SECOND


def nodes_of(case: str) -> list[dict[str, Any]]:
    """Every node that a case's expected document writes."""
    document = json.loads((CASES / case / "expect.json").read_text())
    found: list[dict[str, Any]] = []
    stack = [*document["talks"], *document["loose"]]
    while stack:
        view = stack.pop()
        found.append(view)
        stack += view.get("children", [])
    return found


@pytest.mark.parametrize("case", ["pilot", "fleet", "losses", "craft", "coherent-3", "coherent-9", "system"])
def test_the_figures_are_the_documents(case: str) -> None:
    rows = rows_of("summary", opened(case))
    figures = rows.figures
    views = nodes_of(case)
    used = [view["usage"] for view in views if view.get("usage")]
    for name, key in (("in_", "in"), ("out", "out"), ("cache_read", "cache_read"), ("cache_write", "cache_write")):
        assert getattr(figures.tokens, name) == sum(usage.get(key, 0) for usage in used)
    tools = [view for view in views if view["kind"] in ("tool", "agent.call")]
    assert sum(figures.tools.values()) == len(tools)
    assert sorted(figures.failed) == sorted(view["id"] for view in tools if view.get("failed"))
    timed = sorted((view.get("request_to_result_ms", 0) for view in tools if view.get("request_to_result_join")), reverse=True)
    assert [ms for ms, _ in figures.slowest] == timed
    assert sorted(ms for ms, _ in figures.turns) == sorted(view["duration_ms"] for view in views if view.get("duration_ms"))
    assert sum(tokens.calls for tokens in figures.by_stream.values()) == figures.tokens.calls


def test_what_the_rows_say() -> None:
    rows = rows_of("summary", opened("pilot"))
    lines = drawn(rows, 80)
    assert lines[0] == "13 calls with usage · 1 without · 9 tool calls"
    assert lines[index_with(rows, "in all")].split() == ["in", "all", "39", "1,272", "207,920", "13,482", "94", "%"]
    at = lines.index("slowest tools  from request to result, which is not how long it ran")
    assert lines[at + 1].split()[:4] == ["48", "s", "▣", "Bash"] and rows.target(at + 1) == "tool/s5-tool"
    at = lines.index("failed tools")
    assert rows.target(at + 1) == "tool/s5-tool"
    at = lines.index("tokens by stream")
    assert rows.target(at + 2) == "talk/main/s1-cycle" and "log-reader" in lines[at + 3]
    at = lines.index("activity over time  5.0 s a row")
    assert lines[at + 2].split()[:3] == ["2026-01-01", "00:00:00", "8"] and rows.target(at + 2) == "input/1/2"
    assert any("· 25 min quiet ·" in line for line in lines)
    at = index_with(rows, "  Bash  ")
    assert "1 failed" in lines[at]


def test_counting_is_said_until_it_is_done() -> None:
    rows = SummaryRows(opened("pilot"), UTC)
    lines = drawn(rows, 80)
    assert lines[0] == COUNTING and lines.count("  " + COUNTING) == 8
    assert any("llm.call" in line for line in lines), "kinds are there at once"
    version = rows.version
    assert rows.compute(never) and rows.done
    assert rows.version != version and not any(COUNTING in line for line in drawn(rows, 80))
    assert rows.compute(never)


def test_it_is_counted_in_slices() -> None:
    rows = SummaryRows(opened("fleet"), UTC)
    slices = 0
    while not rows.compute(lambda: True):
        slices += 1
        assert slices < 50
    assert slices > 1
    whole = SummaryRows(opened("fleet"), UTC)
    whole.compute(never)
    assert drawn(rows, 120) == drawn(whole, 120)


def test_a_slice_ends_inside_a_large_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(summary_facts, "_STOP_EVERY", 2)
    rows = SummaryRows(opened("pilot"), UTC)
    slices = 0
    while not rows.compute(lambda: True):
        slices += 1
        assert slices < 50
    assert slices > len(rows.opened.trees)
    assert drawn(rows, 80)[0] == "13 calls with usage · 1 without · 9 tool calls"


def call(number: int, second: int, out: int) -> dict[str, Any]:
    return record(part("text", "said"), time=clock(second), usage={"in": 1, "out": out})


def live(tmp_path: Path) -> tuple[Maker, Opened]:
    maker = Maker(tmp_path / "root")
    maker.land(*[call(number, number, 10) for number in range(5)])
    frames = [node("talk/1", "talk", (1, 1), stream="main")]
    frames += [call_node(f"call/{row}", "talk/1", 1, row) for row in range(1, 6)]
    maker.round(*frames)
    return maker, Opened(maker.load())


def call_node(name: str, talk: str, seq: int, row: int) -> dict[str, Any]:
    return node(name, "llm.call", (seq, row), parent=talk, stream="main", attrs={"usage_at": {"seq": seq, "row": row}})


def test_a_round_costs_its_new_nodes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    maker, source = live(tmp_path)
    asked: list[str] = []
    inner = summary_facts._say
    monkeypatch.setattr(summary_facts, "_say", lambda node, reader: (asked.append(node.id), inner(node, reader))[1])
    rows = SummaryRows(source, UTC)
    rows.compute(never)
    assert len(asked) == 5
    asked.clear()
    maker.land(call(6, 600, 7))
    maker.round(node("talk/2", "talk", (2, 1), stream="main"), call_node("call/6", "talk/2", 2, 1))
    source.take(source.conversation.read_new())
    rows.reload()
    assert not rows.done and COUNTING in drawn(rows, 80)[0] and "5 calls with usage" in drawn(rows, 80)[0], "the old figures stay"
    rows.compute(never)
    assert asked == ["call/6"]
    assert rows.figures is not None and rows.figures.tokens.out == 57


def test_a_record_counts_once_and_a_missing_one_may_come_later(tmp_path: Path) -> None:
    maker = Maker(tmp_path / "root")
    maker.land(call(1, 1, 10))
    maker.seq = 2
    maker.round(
        node("talk/1", "talk", (1, 1), stream="main"),
        call_node("call/1", "talk/1", 1, 1),
        call_node("call/2", "talk/1", 1, 1),
        call_node("call/3", "talk/1", 2, 1),
    )
    source = Opened(maker.load())
    rows = SummaryRows(source, UTC)
    rows.compute(never)
    assert drawn(rows, 80)[0].startswith("1 call with usage · 1 without")
    maker.land(call(2, 2, 5), seq=2)
    source.take(source.conversation.read_new())
    rows.reload()
    rows.compute(never)
    assert rows.figures is not None and rows.figures.tokens.out == 15


def test_a_change_while_it_counts_is_not_lost(tmp_path: Path) -> None:
    _, source = live(tmp_path)
    rows = SummaryRows(source, UTC)

    def stop_that_reloads() -> bool:
        rows.reload()
        return False

    assert not rows.compute(stop_that_reloads) and not rows.done
    assert rows.compute(never) and rows.done


def test_it_counts_in_another_thread_while_the_screen_draws() -> None:
    rows = SummaryRows(opened("fleet"), UTC)
    thread = threading.Thread(target=rows.compute, args=(never,))
    thread.start()
    while thread.is_alive():
        drawn(rows, 80)
    thread.join()
    assert rows.done and "14 calls with usage" in drawn(rows, 80)[0]


def test_long_lists_are_shown_in_short() -> None:
    rows = SummaryRows(opened("coherent-9"), UTC)
    rows.compute(never)
    at = index_with(rows, "… and ")
    before = len(rows)
    assert rows.toggle(at) and len(rows) > before
    assert not rows.toggle(0)


def test_filter_and_sort() -> None:
    rows = rows_of("summary", opened("pilot"))
    rows.narrow("edit")
    lines = [line for line in drawn(rows, 80) if line]
    assert [line for line in lines if not line.startswith(" ")][1:] == [
        "slowest tools  from request to result, which is not how long it ran",
        "tool calls by name",
    ]
    assert rows.narrow("re:(") != ""
    rows.narrow("")
    rows.sort_by("out")
    assert "out↑" in "\n".join(drawn(rows, 80))


def test_buckets_fit_and_say_quiet_times() -> None:
    moments = [(START + second * SECOND, f"n{second}") for second in (0, 1, 1, 3, 100, 5000)]
    buckets = buckets_of(moments, {"n100"}, UTC)
    assert [(b.steps, b.failed, b.quiet) for b in buckets] == [
        (1, 0, False), (2, 0, False), (0, 0, False), (1, 0, False), (0, 0, True), (1, 1, False), (0, 0, True), (1, 0, False),
    ]  # fmt: skip
    assert buckets[1].first == "n1" and buckets_of([], set(), UTC) == []
    many = [(START + second * SECOND, "n") for second in range(0, 86_400, 7)]
    buckets = buckets_of(many, set(), UTC)
    assert len(buckets) <= 24 and sum(b.steps for b in buckets) == len(many)
    ahead = timezone(timedelta(hours=5, minutes=30))
    assert (buckets_of(many, set(), ahead)[0].start // SECOND + 19_800) % 3600 == 0
    wild = [(-(2**62), "a"), (0, "b"), (2**62, "c")]
    assert sum(b.steps for b in buckets_of(wild, set(), UTC)) == 3


def test_facts_forget_trees_that_went(tmp_path: Path) -> None:
    _, source = live(tmp_path)
    facts = Facts(UTC)
    job = summary_facts.Job(list(source.trees), source.conversation.data.beside())
    assert facts.count(job, never) is not None and len(facts._trees) == 1
    facts.count(summary_facts.Job([], job.data), never)
    assert facts._trees == {}
