"""The vocabulary (formats.md section 3) and the package's surface: names, what counts as a step, the family of errors."""

from __future__ import annotations

import inspect

import pytest

import asz_core
from asz_core import errors, vocabulary
from asz_core.vocabulary import CONTENT_STATES, KINDS, QUALITIES, RELATIONS, ROLES, UNRESOLVED_STATES, is_content, is_step

CONTAINERS = ["session", "stream", "epoch", "talk", "run", "segment"]
STEPS = [
    "message.external",
    "message.assistant",
    "message.synthetic",
    "context.injection",
    "llm.call",
    "thinking",
    "tool",
    "agent.call",
    "agent.launch_ack",
    "agent.output",
    "runtime.notification",
    "epoch.boundary",
    "epoch.summary",
    "error.api",
    "control.interrupt",
    "control.permission",
    "control.command",
    "control.notice",
    "turn.duration",
]


def test_the_vocabulary_holds_every_name_of_the_formats() -> None:
    assert sorted(KINDS) == sorted(CONTAINERS + STEPS)
    assert sorted(RELATIONS) == sorted(
        ["starts", "reports", "ends_with", "result_of", "follows", "summarizes", "in_segment", "retries", "cancels", "input_of"]
    )
    assert sorted(QUALITIES) == sorted(
        ["exact_unique", "exact_ambiguous", "strong_inference", "weak_inference", "unresolved", "conflict"]
    )
    assert sorted(CONTENT_STATES) == sorted(
        ["available", "truncated", "redacted", "omitted", "hash_only", "size_only", "unavailable"]
    )
    assert sorted(ROLES) == sorted(["main", "child", "auxiliary", "judge"])
    assert sorted(UNRESOLVED_STATES) == sorted(["open", "resolved", "terminal"])


def test_every_word_has_a_sentence() -> None:
    for words in (KINDS, RELATIONS, QUALITIES, CONTENT_STATES, ROLES, UNRESOLVED_STATES, vocabulary.DOCUMENT_STATES):
        assert all(isinstance(text, str) and len(text) > 10 for text in words.values())


@pytest.mark.parametrize("kind", CONTAINERS)
def test_containers_are_no_steps_and_show_no_content(kind: str) -> None:
    assert not is_step(kind) and not is_content(kind)


@pytest.mark.parametrize("kind", [*STEPS, "a.later.kind", ""])
def test_every_other_kind_is_a_step_and_all_but_a_model_call_show_content(kind: str) -> None:
    assert is_step(kind) and is_content(kind) == (kind != "llm.call")


def test_every_error_is_of_one_family() -> None:
    found = [value for _, value in inspect.getmembers(errors, inspect.isclass) if value.__module__ == errors.__name__]
    assert len(found) == 11 and all(issubclass(value, asz_core.AszError) for value in found)


def test_a_rounds_error_names_its_line() -> None:
    assert (str(asz_core.RoundError("why", 3)), asz_core.RoundError("why", 3).line) == ("line 3: why", 3)
    assert (str(asz_core.RoundError("why")), asz_core.RoundError("why").line) == ("why", 0)


def test_what_the_package_offers_is_there() -> None:
    assert all(getattr(asz_core, name) is not None for name in asz_core.__all__)
    assert asz_core.__all__ == sorted(asz_core.__all__)
