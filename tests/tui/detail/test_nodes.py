"""What the detail pane says of nodes: the facts of each kind, whole texts, results, edges, evidence; and the goldens."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from asz_core import vocabulary
from asz_core.document.texts import full_text, part_at
from asz_tui.lines.text_rows import Block
from asz_tui.panes.detail import DetailBuilder, plain
from asz_tui.panes.detail.words import KIND_LABELS

GOLDENS = Path(__file__).parent / "goldens"


def shown(builder: DetailBuilder, node_id: str, width: int = 100, **options: bool) -> str:
    return plain(builder.node(node_id, **options), width)


def fact(text: str, label: str) -> str:
    """The value of a fact, its rows joined."""
    found = re.search(rf"^{re.escape(label)} +(\S.*(?:\n {{3,}}\S.*)*)", text, re.MULTILINE)
    assert found is not None, f"no fact {label!r} in:\n{text}"
    return " ".join(found[1].split())


def section(text: str, title: str) -> str:
    """A section with its heading."""
    found = re.search(rf"^{re.escape(title)}(?: .*)?\n(?:.+\n|\n(?=\n))*", text, re.MULTILINE)
    assert found is not None, f"no section {title!r} in:\n{text}"
    return found[0]


def node_of(builder: DetailBuilder, kind: str) -> str:
    return min(node.id for node in builder.opened.conversation.fold.of_kind(kind))


GOLDEN = [
    ("pilot", "tool/s5-tool"),
    ("pilot", "tool/s8-tool"),
    ("pilot", "talk/main/s1-cycle"),
    ("fleet", "tool/s2-tool"),
    ("losses", "tool/s2-tool"),
]


@pytest.mark.parametrize(("case", "node_id"), GOLDEN, ids=[f"{case}-{node.replace('/', '-')}" for case, node in GOLDEN])
def test_golden(detail, case: str, node_id: str) -> None:
    path = GOLDENS / f"{case}-{node_id.replace('/', '-')}.txt"
    text = shown(detail(case), node_id, 80)
    if os.environ.get("UPDATE_GOLDENS"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def test_every_kind_has_a_label() -> None:
    assert KIND_LABELS.keys() == vocabulary.KINDS.keys()


def test_order_of_sections(detail) -> None:
    text = shown(detail("extras"), "tool/tool-bump")
    places = [text.index(f"\n{title}") for title in ("command", "result", "workspace changes", "facts", "edges", "evidence")]
    assert places == sorted(places)


# --- the heading


def test_heading_of_a_tool(detail) -> None:
    first, second = shown(detail("pilot"), "tool/s5-tool", 80).splitlines()[:2]
    assert first.startswith("▣ tool Bash")
    assert first.endswith("main · 00:00:06")
    assert second == "✗ failed   available · 132 bytes"


def test_heading_without_a_time(detail) -> None:
    assert shown(detail("craft"), "noref/1", 80).splitlines()[0].endswith("main · --:--:--")


# --- the facts


def test_facts_of_a_tool(detail) -> None:
    text = shown(detail("pilot"), "tool/s5-tool")
    assert fact(text, "id") == "tool/s5-tool"
    assert fact(text, "kind") == "tool One tool call, with its result where that was joined to it."
    assert fact(text, "parent") == "call/s5-call llm.call"
    assert fact(text, "stream").startswith("main")
    assert fact(text, "segment") == "segment/at_1_2"
    assert fact(text, "talk") == "talk/main/s1-cycle"
    assert fact(text, "observed at") == "2026-01-01 00:00:06.630 UTC"
    assert fact(text, "request to result").startswith("48 s 48,000 ms from the request's record")
    assert "not how long the tool itself ran" in fact(text, "request to result")
    assert fact(text, "result join").startswith("exact_unique")
    assert fact(text, "duration").startswith("unavailable")
    assert fact(text, "name") == "Bash"
    assert fact(text, "failed") == "yes"
    assert fact(text, "content state").startswith("available")
    assert fact(text, "content size") == "132 bytes"
    assert fact(text, "flags").startswith("finished")
    assert fact(text, "within").startswith("segment › main › talk The relay's port check… › run › llm.call › tool Bash")


def test_facts_of_a_call(detail) -> None:
    text = shown(detail("pilot"), "call/s3-call")
    assert fact(text, "model") == "claude-opus-5"
    assert fact(text, "tokens") == "in 8 · out 210 · cache read 18,400 · cache write 2,100 from seq 1 · row 6"
    assert fact(text, "produced") == "1 thinking · 1 message.assistant · 1 tool"
    assert "▣  tool  Read relay/ports.py" in section(text, "what the call produced")
    assert "usage" not in section(text, "facts").split("attrs")[0]


def test_call_without_counts_says_so(detail) -> None:
    text = shown(detail("pilot"), "call/s13-synthetic-call")
    assert fact(text, "tokens").startswith("unavailable")


def test_provider_bodies(detail) -> None:
    builder = detail("extras")
    text = shown(builder, "call/s2-call-ce98f80c9744")
    assert "request · seq 6 · row 1" in text and "response · seq 6 · row 2" in text
    assert "provider_body/provider_body-" in section(text, "evidence")
    keys = {item.key for item in builder.node("call/s2-call-ce98f80c9744") if isinstance(item, Block)}
    assert ("ref", 6, 1) in keys and ("ref", 6, 2) in keys


def test_dropped_and_empty_reasoning(detail) -> None:
    text = shown(detail("pilot"), "think/4/7:0")
    assert "content unavailable: the source did not supply it" in text
    assert fact(text, "dropped").startswith("reasoning signature · 3 bytes a provider verifies it")


def test_facts_of_containers(detail) -> None:
    pilot = detail("pilot")
    talk = shown(pilot, "talk/main/s1-cycle")
    assert "Find out why, fix it" in section(talk, "input")
    assert "Fixed: the check now retries" in section(talk, "reply")
    assert fact(talk, "holds") == "2 runs · 23 steps · 6 tool calls"
    assert fact(talk, "span").startswith("2 min from 2026-01-01 00:00:00 UTC to")
    run = shown(pilot, "run/talk_main_s1-cycle/s1-cycle")
    assert fact(run, "trigger") == "external"
    stream = shown(pilot, "stream/aad8b0a671c52061f")
    assert fact(stream, "role") == "child"
    assert fact(stream, "label") == "log-reader"
    assert fact(stream, "holds") == "7 records · 1 talk · 7 steps"
    segment = shown(detail("extras"), "segment/at_1_2")
    assert fact(segment, "state") == "open"
    assert fact(segment, "committable") == "no"
    assert fact(segment, "gates unmet").startswith("activity_boundary it is the last window")
    assert "lateness_watermark" in segment
    epoch = shown(pilot, "epoch/main/s16-boundary")
    assert fact(epoch, "continues from") == "s15-call-f1"
    session = shown(pilot, node_of(pilot, "session"))
    assert fact(session, "title").startswith("Fix the flaky port check")
    child = shown(pilot, "talk/aad8b0a671c52061f")
    assert fact(child, "child").startswith("yes")


def test_turn_duration(detail) -> None:
    text = shown(detail("craft"), "dur/8")
    assert "turn of 1 min" in text
    assert fact(text, "duration") == "1 min 61,250 ms measured by runtime"


def test_unknown_kind_and_no_time(detail) -> None:
    text = shown(detail("craft"), "odd/5")
    assert fact(text, "kind").startswith("hologram.kind no kind that the model lists")
    assert fact(text, "observed at") == "no time"
    assert "1970" not in text


def test_attrs_keep_their_spelling(detail) -> None:
    text = shown(detail("craft"), "raw/1")
    assert '"n": 1e2,' in text and '"f": 1.10,' in text and '"u": "\\u003c\\u00e9\\/"' in text


def test_truncated_content_states_what_is_shown(detail) -> None:
    text = shown(detail("craft"), "tool/c2", 140)
    assert "truncated · showing 15 of 99,999 bytes" in text
    assert "content truncated: the source kept only a part of it" in text
    assert "content redacted: the content was withheld on purpose" in section(text, "result")


def test_a_node_that_is_not_there(detail) -> None:
    assert "There is no node tool/never" in shown(detail("pilot"), "tool/never")


# --- texts and results


def test_clipped_texts_are_whole(detail) -> None:
    builder = detail("clips")
    conversation = builder.opened.conversation
    looked = 0
    for node in conversation.fold.nodes.values():
        if node.kind not in ("message.external", "tool") or node.ref is None:
            continue
        record = conversation.record(node.ref.seq, node.ref.row)
        whole = full_text(record, part_at(record, node.ref))
        if len(whole.encode()) > 2000:
            looked += 1
            dense = re.sub(r"\s", "", shown(builder, node.id))
            values = [whole] if node.kind == "message.external" else json.loads(whole).values()
            for value in values:
                assert re.sub(r"\s", "", value) in dense
            assert f"{conversation.view(node.id).bytes:,} bytes" in shown(builder, node.id)
    assert looked


def test_result_section(detail) -> None:
    text = section(shown(detail("pilot"), "tool/s5-tool"), "result")
    assert text.splitlines()[:2] == ["result · failed · 45 bytes · 48 s to return", "FAIL 17"]


def test_json_result_is_pretty(detail) -> None:
    assert '{\n  "stderr": "",\n  "stdout": ""\n}' in section(shown(detail("extras"), "tool/tool-bump"), "result")


def test_missing_result_is_said(detail) -> None:
    text = shown(detail("losses"), "tool/s2-tool")
    assert section(text, "result").startswith("result · unavailable\nNo result of this call has landed.")
    assert "tool_result s2-tool · open  no result landed for this tool use" in section(text, "unresolved")
    assert fact(text, "result join").startswith("unresolved")


def test_a_manifest_is_no_result(detail) -> None:
    text = shown(detail("fleet"), "tool/s2-tool")
    assert text.count("\nresult · ") == 1
    assert re.search(r"^also +seq 11 · row 1 +runs/wf_release-review/", section(text, "evidence"), re.MULTILINE)


def test_text_for_a_copy(detail) -> None:
    assert detail("pilot").text("tool/s9-tool").endswith("\n\n200 passed in 21.41s")
    assert detail("pilot").text("nothing") == ""


# --- edges and evidence


def test_edges_both_ways(detail) -> None:
    text = shown(detail("pilot"), "tool/s6-tool")
    edges = section(text, "edges")
    assert "→ starts  stream log-reader · child  stream/aad8b0a671c52061f" in edges
    assert "exact_unique — joined on parent tool result" in edges
    assert "evidence seq 1 · row 14" in edges
    stream = section(shown(detail("pilot"), "stream/aad8b0a671c52061f"), "edges")
    assert "← starts     agent.call Agent log-reader" in stream
    assert "→ ends_with  agent.output" in stream and "← reports    runtime.notification" in stream


def test_edge_rows_name_their_relation(detail) -> None:
    keys = [item.key for item in detail("pilot").node("tool/s6-tool") if isinstance(item, Block) and item.key]
    assert [key for key in keys if key[0] == "edge"] == [("edge", "rel/starts/tool_s6-tool/stream_aad8b0a671c52061f", "out")]


def test_pool(detail) -> None:
    edges = section(shown(detail("fleet"), "tool/s2-tool"), "edges")
    assert "This call started 4 streams: all its children, not competing guesses." in edges
    assert edges.count("→ starts") == 4
    assert "strong_inference — joined on run journal" in edges


def test_several_openers(detail) -> None:
    builder = detail("craft")
    edges = section(shown(builder, "stream/kid1"), "edges")
    assert "3 steps could have opened this stream: all are listed, none is chosen." in edges
    assert edges.count("← starts") == 3
    assert "nobody  not in this conversation" in edges
    assert "this is one of them" in section(shown(builder, "far/1"), "edges")


def test_stream_that_nothing_opened(detail) -> None:
    assert "No relation records what opened this stream." in shown(detail("craft"), "stream/aux1")


def test_evidence(detail) -> None:
    builder = detail("pilot")
    evidence = section(shown(builder, "tool/s5-tool", 120), "evidence")
    assert "request  seq 1 · row 11 · block 0  streams/main/transcript-" in evidence
    assert "result   seq 1 · row 12 · block 0" in evidence
    assert [(ref.seq, ref.row) for ref in builder.refs("tool/s5-tool")] == [(1, 11), (1, 12)]
    assert "cites no landed record" in section(shown(builder, node_of(builder, "session")), "evidence")


def test_missing_landed_file(altered) -> None:
    builder = altered("pilot", remove="000004")
    text = shown(builder, "msg/4/3:0", 120)
    assert "The record at seq 4 · row 3 · block 0 is missing: the landed file with seq 4 is not here." in text
    assert "missing: the landed file with seq 4 is not here" in section(text, "evidence")
    assert "the landed file with seq 4 is not here" in plain(builder.record(4, 3))


def test_clipped_text_of_a_missing_record(altered, monkeypatch) -> None:
    builder = altered("clips", remove="000001")
    conversation = builder.opened.conversation
    node_id = node_of(builder, "message.external")
    view = conversation.view(node_id)
    view.text, view.bytes, view.state = "a" * 2000, 48_211, "available"
    monkeypatch.setattr(conversation, "view", lambda _: view)
    assert "showing 2,000 of 48,211 bytes" in shown(builder, node_id)


def test_a_report_names_the_earlier_talk(detail) -> None:
    assert "This talk hears the ending; the call that started it is in talk/main/r4." in shown(detail("chaos-3"), "notify/4/10")


def test_mcp_calls_name_server_and_tool(detail) -> None:
    text = shown(detail("chaos-3"), "tool/t0")
    server, tool = fact(text, "MCP server"), fact(text, "MCP tool")
    assert text.startswith(f"◆ agent.call {server} · {tool}")
