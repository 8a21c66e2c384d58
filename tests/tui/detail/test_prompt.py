"""The captured prompt in the detail: whole, what it added, and the response; with words where something is missing."""

from __future__ import annotations

from datetime import UTC

from asz_core import Root
from asz_tui.panes.detail import DetailBuilder, plain
from asz_tui.panes.detail.prompt import _compared
from asz_tui.session import Opened
from tests.tui.app.driving import case_root, open_case, ready, screen_text

CALL = "call/s3-call-ce98f80c9744"


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
    assert "1 message before, as the call before sent them" in text and "added by this call · 2" in text
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


def test_histories_are_compared_message_by_message() -> None:
    one, two, three = ({"role": "user", "content": str(n)} for n in range(3))
    assert "adds no message" in plain(_compared({"messages": [one]}, {"messages": [one]}), 200)
    assert "rewritten from message 2 on" in plain(_compared({"messages": [one, two]}, {"messages": [one, three, two]}), 200)
    assert "3 messages became 1" in plain(_compared({"messages": [one, two, three]}, {"messages": [two]}), 200)
    assert "cannot be compared" in plain(_compared({"messages": 3}, {"messages": [one]}), 200)
    marked = {"role": "user", "content": [{"type": "text", "text": "0", "cache_control": {"type": "ephemeral"}}]}
    bare = {"role": "user", "content": [{"type": "text", "text": "0"}]}
    assert "adds no message" in plain(_compared({"messages": [bare]}, {"messages": [marked]}), 200)


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
