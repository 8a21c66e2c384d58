"""What an export says of the conversation as a whole, before its talks: title, state, head, span, counts, what was selected.

Cost: one walk over the nodes for the counts.
"""

from __future__ import annotations

from dataclasses import dataclass

from asz_core.sessionflow import attrs_of
from asz_core.times import optional_ms
from asz_core.vocabulary import DOCUMENT_STATES

from ..text.words import counted, span
from .telling import Name, Sentence, Telling


@dataclass(slots=True)
class About:
    """What stands at the top; `title` is data and may be empty."""

    title: str
    facts: list[tuple[str, Sentence]]
    problems: list[str]


def about(telling: Telling, what: str | None) -> About:
    """Collect it.

    Args:
        telling: of a picture.
        what: the selected node, None for the whole conversation.
    """
    opened, conversation = telling.opened, telling.conversation
    fold, report = conversation.fold, conversation.report
    session = fold.session_node()
    attrs = attrs_of(session) if session else {}
    title = attrs.get("title")
    meaning = DOCUMENT_STATES.get(report.state, "")
    facts: list[tuple[str, Sentence]] = [
        ("conversation", [Name(conversation.id)]),
        ("state", [report.state + (f": {meaning}" if meaning else "")]),
        ("head", [f"round {fold.head}, ", Name(fold.digest)]),
        ("span", [_span(telling, attrs)]),
        ("holds", [_holds(telling)]),
    ]
    node = fold.nodes.get(what) if what is not None else None
    if node is not None:
        found = opened.locate(node.id)
        inside = f", {counted(found[0].sizes[found[1]] - 1, 'node')} below it" if found is not None else ""
        facts.append(("selection", [Name(node.kind), " ", Name(node.id), inside]))
    return About(title if isinstance(title, str) else "", facts, list(report.problems))


def _span(telling: Telling, attrs: dict[str, object]) -> str:
    """From when to when; the times that the session states."""
    times = [attrs.get(name) for name in ("from_time", "through_time")]
    first, last = [(optional_ms(time) or 0) if isinstance(time, str) else 0 for time in times]
    moment = telling.shared.moment
    if not first and not last:
        return "no time"
    return f"{moment(first)} to {moment(last)}" + (f" ({span(first, last)})" if first and last else "")


def _holds(telling: Telling) -> str:
    opened, fold = telling.opened, telling.conversation.fold
    left = sum(1 for entry in fold.unresolved.values() if entry.state == "open")
    words = [
        counted(opened.talk_count, "talk"),
        counted(opened.step_count, "step"),
        counted(sum(1 for _ in fold.of_kind("stream")), "stream"),
        counted(sum(1 for _ in fold.of_kind("segment")), "segment"),
        counted(len(fold.relations), "relation"),
    ]
    return ", ".join([*words, *([counted(left, "open reference")] if left else [])])
