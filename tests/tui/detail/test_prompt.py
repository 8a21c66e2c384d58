"""The captured prompt in the detail: whole, what it added, and the response; with words where something is missing."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest

from asz_core import Root
from asz_core.document.bodies import Body
from asz_core.sessiondata import landed_bytes
from asz_core.sessionflow import Ref
from asz_tui.lines.text_rows import TextRows
from asz_tui.panes.detail import DetailBuilder, plain
from asz_tui.panes.detail.prompt import _compared
from asz_tui.session import Opened
from tests.tui.app.driving import case_root, open_case, ready, screen_text

CALL = "call/s3-call-ce98f80c9744"
ACTS = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff\ufffe\uffff]")


def _builder() -> DetailBuilder:
    return DetailBuilder(Opened(Root(case_root("extras")).load("5eed")), UTC)


def test_the_whole_request_and_response_are_laid_out() -> None:
    text = plain(_builder().prompt(CALL), 200)
    for words in (
        "captured request  seq 6 · row 3", "system prompt", "tools · 2", "messages · 3", "1 of 3", "3 of 3", "tool use: Bash  for tool-bump",
        "tool result  for tool-bump", "settings", "the body · 8,465 bytes", "captured response  seq 6 · row 4", "tool_use",
        "usage output_tokens", "usage service_tier",
    ):  # fmt: skip
        assert words in text, words
    assert "did not come back" not in text


def test_what_a_request_added_is_told_from_the_one_before() -> None:
    text = plain(_builder().prompt(CALL, added=True), 200)
    assert "compared with the request of call/s2-call-ce98f80c9744" in text
    assert "The 1 message before is as the call before sent it, but for the marks of what to cache: 1,883 bytes." in text and "added by this call · 2" in text
    assert "2 of 3" in text and "1 of 3" not in text and "also changed: system" in text


def test_the_first_of_a_chain_says_so() -> None:
    text = plain(_builder().prompt("call/s2-call-ce98f80c9744", added=True), 200)
    assert "it is the first of its chain" in text and "messages" in text


def test_a_step_below_a_call_shows_the_calls_prompt_and_others_say_why_not() -> None:
    builder = _builder()
    assert "captured request  seq 6 · row 1" in plain(builder.prompt("tool/tool-bump"), 200)
    talk = builder.opened.trees[0].nodes[0].id
    assert "No model call stands above this" in plain(builder.prompt(talk), 200)
    other = DetailBuilder(Opened(Root(case_root("pilot")).load("5eed")), UTC)
    assert "No body was captured" in plain(other.prompt("call/s5-call"), 200)


def _body(value: Any) -> Body:
    return Body(Ref(1, 1), "request", raw=json.dumps(value, separators=(",", ":")), value=value)


def _told(old: Any, new: Any, reset: bool = False) -> str:
    return plain(_compared(_body(old), _body(new), reset, False), 200)


def test_histories_are_compared_message_by_message() -> None:
    one, two, three = ({"role": "user", "content": str(n)} for n in range(3))
    assert "adds no message" in _told({"messages": [one]}, {"messages": [one]})
    added = _told({"messages": [one, two]}, {"messages": [one, two, three]})
    assert f"The 2 messages before are as the call before sent them: {2 * len(json.dumps(one, separators=(',', ':')))} bytes." in added
    assert "added by this call · 1" in added and "3 of 3" in added and "2 of 3" not in added
    rewritten = _told({"messages": [one, two]}, {"messages": [one, three, two]})
    assert "rewritten after 1 message, and not by a compaction: 2 became 3" in rewritten and "2 of 3" in rewritten
    assert "cut after 1 message, and not by a compaction: 3 became 1" in _told({"messages": [one, two, three]}, {"messages": [one]})
    replaced = _told({"messages": [one, two, three]}, {"messages": [two]}, True)
    assert "The context was replaced by a summary here: 3 messages became 1." in replaced and "1 of 1" in replaced
    assert "cannot be compared; this is the whole request" in _told({"messages": 3}, {"messages": [one]})


def test_marks_of_what_to_cache_are_no_change_of_history_but_are_told() -> None:
    marked = {"role": "user", "content": [{"type": "text", "text": "0", "cache_control": {"type": "ephemeral"}}]}
    for bare in ({"role": "user", "content": [{"type": "text", "text": "0"}]}, {"role": "user", "content": "0"}):
        text = _told({"messages": [marked]}, {"messages": [bare]})
        assert "before is as the call before sent it, but for the marks of what to cache" in text and "adds no message" in text
    call = {"role": "assistant", "content": [{"type": "tool_use", "input": {"cache_control": 1}}]}
    other = {"role": "assistant", "content": [{"type": "tool_use", "input": {}}]}
    assert "rewritten after 0 messages" in _told({"messages": [call]}, {"messages": [other]})


def test_what_else_changed_is_named() -> None:
    text = _told({"messages": [], "model": "a", "x": 1, "y": None}, {"messages": [], "model": "b", "y": None, "z": None})
    assert "also changed: model, x (gone), z (new)" in text


def test_a_schema_is_folded_until_it_is_asked_for() -> None:
    folded = plain(_builder().prompt(CALL), 200)
    assert "schema of command · 77 bytes" in folded
    assert folded.count('"input_schema"') == 2
    assert plain(_builder().prompt(CALL, whole=True), 200).count('"input_schema"') == 4


# --- bodies of any shape


def _shown(tmp_path: Path, request: Any, response: Any = None, *, whole: bool = False, added: bool = False) -> str:
    """The prompt with other bodies, given as values or as texts."""
    root = tmp_path / "root"
    if root.exists():
        shutil.rmtree(root)
    shutil.copytree(case_root("extras"), root)
    path = next(root.rglob("provider_body-*.sd"))
    lines = path.read_text().splitlines()
    records = [json.loads(line) for line in lines[1:-1]]
    for at, value in ((2, request), (3, response)):
        text = value if isinstance(value, str) else json.dumps(value)
        facts = records[at]["parts"][-1]["data"]
        facts.update(segments=[{"lit": text}], sha256=hashlib.sha256(text.encode()).hexdigest(), bytes=len(text.encode()))
    path.write_bytes(landed_bytes(json.loads(lines[0]), records))
    builder = DetailBuilder(Opened(Root(root).load("5eed")), UTC)
    rows = TextRows(builder.prompt(CALL, whole=whole, added=added), 100)
    rows.ensure(20_000)
    texts = ["".join(part for part, _ in rows.line(at, 100).left) for at in range(len(rows))]
    assert not any(ACTS.search(text) for text in texts)
    return "\n".join(texts)


def test_every_kind_of_block_is_told(tmp_path: Path) -> None:
    blocks = [
        {"type": "thinking", "thinking": "let me see", "signature": "sig"}, {"type": "redacted_thinking", "data": "xyz"},
        {"type": "tool_result", "tool_use_id": "t1", "is_error": True, "content": [{"type": "text", "text": "went wrong"}]},
        {"type": "tool_result", "tool_use_id": "t2"}, {"type": "new_kind", "of": "block"}, 7, None,
        {"type": "text", "text": "marked", "cache_control": {"type": "ephemeral"}}, {"type": "text", "text": 5},
        {"type": "server_tool_use", "name": "search", "id": "t3", "input": {"q": 1}}, {"type": "tool_use"},
    ]  # fmt: skip
    text = _shown(tmp_path, {"messages": [{"role": "user", "content": blocks, "name": "extra"}]}, {"content": blocks, "usage": {
        "input_tokens": 3, "cache_creation": {"ephemeral_5m": 1}, "service_tier": "standard", "speed": None, "flag": True,
    }, "id": "msg_1", "stop_reason": "end_turn"})  # fmt: skip
    for words in (
        "thinking  with signature", "let me see", "thinking, redacted by the provider", "tool result, which failed  for t1", "went wrong",
        "  empty", '"new_kind"', "text  with cache_control", "tool use on the provider's side: search  for t3", '"name": "extra"', "msg_1",
        "usage input_tokens", '{"ephemeral_5m":1}', "usage speed", "null", "true", "end_turn",
    ):  # fmt: skip
        assert words in text, words


def test_other_providers_keep_their_roles(tmp_path: Path) -> None:
    lc = {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "HumanMessage"], "kwargs": {"content": "hello", "name": "n"}}
    messages = [lc, {"type": "ai", "content": "hi", "tool_calls": [{"id": "c1"}]}, [lc], {"content": "bare"}]
    tools = [{"type": "function", "function": {"name": "look", "description": "Looks.\nFar.", "parameters": {"properties": {"at": {}}}}}]
    text = _shown(tmp_path, {"messages": messages, "tools": tools}, {"choices": [{"message": {"content": "x"}}]})
    for words in (
        "HumanMessage  1 of 4", "hello", '"name": "n"', "ai  2 of 4", '"tool_calls"', "message  3 of 4", "no role  4 of 4", "Looks.",
        "1 more line · schema of at", "no reason given", '"choices"',
    ):  # fmt: skip
        assert words in text, words
    assert "what came back" not in text


ODD: list[Any] = [
    None, 3, "not json", "", [], [1, 2], {}, {"messages": 3, "tools": "x", "system": 4}, {"system": {"a": 1}, "messages": {}},
    {"messages": [None, 1, "text", [], {}], "tools": [None, 1, {}, {"name": 3, "description": []}, {"function": 3}]},
    {"messages": [{"role": 3, "content": 4}, {"role": "", "type": [], "content": None}, {"lc": 1, "id": [], "kwargs": 3}]},
    {"content": {"a": 1}, "usage": [1], "id": 3, "stop_reason": {"x": 1}}, {"content": None, "usage": {"": {}}, "stop_reason": ""},
    {"messages": [{"role": "\x1b[2Jx", "content": "\u202e\x1b]0;t\x07"}], "tools": [{"name": "\x1b[31m", "description": "\x9b2J\nx"}], "\x1b[2J": 1},
    {"usage": {"\x1b[2J": "\x1b[2J"}, "content": [{"type": "tool_use", "name": "\x1b[2J", "id": "\n\x07", "\x1b": 1}]},
    '{"messages":[1e999,NaN,-0]}', '{"a":1,"a":2}', '{"messages":[{"content":"\\ud800"}]}', '{"n":' + "9" * 5_000 + "}",
    '{"messages":' + "[" * 900 + "]" * 900 + "}", '{"messages":' + "[" * 100_000 + "]" * 100_000 + "}",
    '{"messages":[{"content":' + '[{"type":"tool_result","content":' * 400 + '"x"' + "}]" * 400 + "}]}",
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(ODD)))
def test_bodies_of_any_shape_are_shown(tmp_path: Path, number: int) -> None:
    for whole, added in ((False, False), (True, True)):
        text = _shown(tmp_path, ODD[number], ODD[number], whole=whole, added=added)
        assert "captured request" in text and "captured response" in text and "did not come back" not in text


def test_a_large_body_is_bounded_and_still_there(tmp_path: Path) -> None:
    text = _shown(tmp_path, {"messages": [{"role": "user", "content": "x"}] * 30_000}, {})
    assert "2,000 of 30,000" in text and "28,000 more messages" in text
    text = _shown(tmp_path, '{"messages":[' + "{}," * 10_000_000 + "{}]}", {})
    assert "It has too many parts to be taken apart, and is shown as it stands." in text and "{},{},{}" in text


def test_what_did_not_come_back_is_said_and_marked(tmp_path: Path) -> None:
    shutil.copytree(case_root("extras"), tmp_path / "root")
    path = next((tmp_path / "root").rglob("provider_body-*.sd"))
    lines = path.read_text().splitlines()
    records = [json.loads(line) for line in lines[1:-1]]
    del records[0]["parts"][0]
    path.write_bytes(landed_bytes(json.loads(lines[0]), records))
    builder = DetailBuilder(Opened(Root(tmp_path / "root").load("5eed")), UTC)
    text = plain(builder.prompt(CALL), 200)
    assert "This body did not come back whole:" in text and "holds piece 45acd8fd6980" in text and "⟨segment 2 is missing⟩" in text
    assert "of 8,465 that its record claims" in text and "captured response" in text
    late = next(node.id for node in builder.opened.conversation.fold.of_kind("llm.call") if node.id.startswith("call/s4"))
    assert "This body did not come back whole" in plain(builder.prompt(late, added=True), 200)


async def test_the_key_shows_the_prompt_then_what_it_added_then_the_step() -> None:
    app = open_case("extras")
    async with app.run_test(size=(120, 60)) as pilot:
        screen = await ready(pilot)
        assert screen.go_to(CALL)
        await pilot.press("b")
        assert "captured request" in screen_text(app) and "system prompt" in screen_text(app)
        await pilot.press("b")
        assert "added by this call" in screen_text(app)
        await pilot.press("b")
        await pilot.pause(0.2)
        assert "captured request" not in screen_text(app)


async def test_enter_on_a_folded_schema_unfolds_it() -> None:
    app = open_case("extras")
    async with app.run_test(size=(120, 200)) as pilot:
        screen = await ready(pilot)
        assert screen.go_to(CALL)
        await pilot.press("b")
        before = screen_text(app).count('"input_schema"')
        assert "schema of command" in screen_text(app)
        screen.focus_detail()
        view = screen.detail_view
        at = next(index for index in range(len(view.source)) if "schema of command" in view.source.text_at(index))
        view.move_to(at)
        await pilot.press("enter")
        assert "schema of command" not in screen_text(app) and screen_text(app).count('"input_schema"') == before + 2
        await pilot.press("enter")
        assert "schema of command" in screen_text(app) and screen_text(app).count('"input_schema"') == before
