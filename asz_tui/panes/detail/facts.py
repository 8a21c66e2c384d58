"""Everything the data states about a node besides its text: place, times, join, name, state, usage, flags, attrs.

What the data does not state is said to be `unavailable`; nothing is derived that it does not hold.

Cost: the path of the node and its relations.
"""

from __future__ import annotations

from msgspec import UNSET

from asz_core.document.content import result_join
from asz_core.document.model import ViewNode
from asz_core.rawjson import text_of
from asz_core.sessiondata.record import Usage
from asz_core.sessionflow import Node
from asz_core.vocabulary import CONTAINERS, KINDS, QUALITIES, ROLES

from ...lines.line import Span
from ...lines.text_rows import Block
from ...text.cells import clip
from ...text.words import duration
from .containers import container_facts
from .content import mcp, others_of_record
from .items import Facts, Item, heading, record_key, safe, size_words, where
from .jsontext import json_block
from .subject import CALLS, Subject, is_set
from .words import FLAGS, INTERVAL_NOTE, state_sentence

_CRUMB = 28


def fact_items(subject: Subject) -> list[Item]:
    """The facts of a node."""
    facts = Facts()
    _place_facts(facts, subject)
    _time_facts(facts, subject)
    container_facts(facts, subject)
    if subject.node.kind not in CONTAINERS:
        _step_facts(facts, subject)
    attrs = _attrs_items(facts, subject)
    return [*heading("facts"), *facts.items(), *attrs]


# --- where it stands


def _place_facts(facts: Facts, subject: Subject) -> None:
    node, shared = subject.node, subject.shared
    facts.add("within", breadcrumb(subject))
    facts.add("id", node.id, key=("node", node.id))
    facts.add("kind", node.kind or [("no kind", "dim")], KINDS.get(node.kind, "no kind that the model lists; shown as it is"))
    facts.add("parent", *_parent(subject))
    if node.stream:
        role = subject.opened.grammar.stream_role(node.stream)[0]
        words = shared.stream_words(node.stream)
        value = words if words.startswith(safe(node.stream)) else f"{words} · {safe(node.stream)}"
        facts.add("stream", [(value + (f" · {role}" if role == "main" and words != role else ""), "text")], ROLES.get(role, ""))
    if subject.segment and node.kind != "segment":
        known = subject.segment in subject.conversation.fold.nodes
        facts.add("segment", subject.segment, "" if known else "not in this conversation", key=("node", subject.segment))
    for kind in ("talk", "run"):
        above = subject.above(kind)
        if above is not None and above.id != node.id:
            facts.add(kind, above.id, key=("node", above.id))


def _parent(subject: Subject) -> tuple[str | list[Span], str]:
    parent = subject.node.parent
    if not parent:
        return [("none", "dim")], ""
    node = subject.conversation.fold.nodes.get(parent)
    return parent, safe(node.kind) if node is not None else "not in this conversation"


def breadcrumb(subject: Subject) -> list[Span]:
    """Segment › stream › talk › run › … › the node."""
    node, nodes = subject.node, subject.conversation.fold.nodes
    words: list[Span] = []
    segment = nodes.get(subject.segment) if subject.segment else None
    if segment is not None:
        words.append(("segment", "dim"))
    if node.stream:
        words.append((subject.shared.stream_words(node.stream), "text"))
    words += [_crumb(subject, above) for above in subject.path]
    spans: list[Span] = []
    for at, word in enumerate(words):
        spans += [(" › ", "dim"), word] if at else [word]
    return spans


def _crumb(subject: Subject, node: Node) -> Span:
    if node.kind == "talk":
        return clip(f"talk {subject.end_words(node.id)[1]}", _CRUMB), "text"
    if node.kind in CALLS:
        return clip(f"{node.kind} {safe(subject.end_words(node.id)[1])}", _CRUMB), "text"
    return safe(node.kind), "text"


# --- when


def _time_facts(facts: Facts, subject: Subject) -> None:
    kind, view, shared = subject.node.kind, subject.view, subject.shared
    if kind != "session":
        known = bool(view.at)
        note = "" if known or subject.node.ref is not None else "it names no record that could carry one"
        facts.add("observed at", [(shared.moment(view.at or 0), "text" if known else "dim")], note)
    if kind in CALLS:
        _interval(facts, subject)
    if kind in CONTAINERS:
        return
    if view.duration_ms:
        by = view.duration_measured_by
        facts.add("duration", _exactly(view.duration_ms), f"measured by {safe(by)}" if by else "who measured it is unavailable")
    elif kind in CALLS or kind in ("llm.call", "turn.duration"):
        facts.add("duration", [("unavailable", "dim")], "the runtime does not state how long it ran")


def _exactly(ms: int) -> list[Span]:
    """A duration in words, and in milliseconds where the words round it."""
    exact: list[Span] = [(f"  {ms:,} ms", "dim")] if ms >= 1000 else []
    return [(duration(ms), "text"), *exact]


def _interval(facts: Facts, subject: Subject) -> None:
    view, join = subject.view, result_join(subject.node)
    if view.request_to_result_join:
        facts.add("request to result", _exactly(view.request_to_result_ms), INTERVAL_NOTE)
    else:
        facts.add("request to result", [("unavailable", "dim")])
    if join:
        facts.add("result join", join, QUALITIES.get(join, ""))


# --- what it is


def _step_facts(facts: Facts, subject: Subject) -> None:
    view, part = subject.view, subject.part
    _call_facts(facts, subject)
    if subject.node.kind != "llm.call":
        _content_facts(facts, view)
    if part is not None and subject.node.kind != "llm.call":
        media = " · ".join(safe(word) for word in (part.media, part.encoding) if word)
        facts.known("media", media)
        facts.known("part of record", safe(part.k), others_of_record(subject))
    if is_set(view.flags):
        assert view.flags is not UNSET
        for number, flag in enumerate(view.flags):
            facts.add("flags" if number == 0 else "", flag, FLAGS.get(flag, ""))
    if is_set(view.dropped):
        assert view.dropped is not UNSET
        for dropped in view.dropped:
            why = dropped.why if isinstance(dropped.why, str) else ""
            facts.add("dropped", f"{dropped.what or 'something'} · {size_words(dropped.bytes)}", safe(why) or "no reason given")


def _call_facts(facts: Facts, subject: Subject) -> None:
    kind, view = subject.node.kind, subject.view
    facts.known("name", view.name or subject.attr("name"))
    server, tool = mcp(subject)
    facts.known("MCP server", server)
    facts.known("MCP tool", tool)
    if subject.part is not None:
        facts.known("call id", subject.part.id)
        facts.known("answers call", subject.part.of)
    if view.failed is not UNSET:
        facts.add("failed", "yes" if view.failed else "no", role="error" if view.failed else "text")
    elif kind in CALLS:
        facts.add("failed", [("not stated", "dim")])


def _content_facts(facts: Facts, view: ViewNode) -> None:
    if view.state:
        facts.add("content state", view.state, state_sentence(view.state).partition(": ")[2])
    if view.bytes:
        facts.add("content size", size_words(view.bytes))
    if view.result_state:
        size = f" · {size_words(view.result_bytes)}" if view.result_bytes else ""
        facts.add("result state", view.result_state + size)


def usage_words(usage: Usage) -> str:
    """Token counts: ``in 5 · out 210 · cache read 1,024 · cache write 0``."""
    return (
        f"in {usage.in_:,} · out {usage.out:,} · cache read {usage.cache_read:,} · cache write {usage.cache_write:,}"
    )


def call_usage(facts: Facts, subject: Subject) -> None:
    """Model, tokens and captured bodies of a model call."""
    ref = subject.usage_ref or subject.node.ref
    record = subject.conversation.record(ref.seq, ref.row) if ref is not None else None
    facts.add("model", record.model if record is not None and record.model else [("unavailable", "dim")])
    usage = subject.view.usage
    if isinstance(usage, Usage):
        at = subject.usage_ref
        facts.add("tokens", usage_words(usage), f"from {where(at)}" if at is not None else "", key=record_key(at) if at else None)
    else:
        facts.add("tokens", [("unavailable", "dim")], "no record of this call holds its counts")
    bodies = subject.view.provider_bodies
    for body in bodies if isinstance(bodies, list) else ():
        if body.ref is not None:
            facts.add("provider body", [(f"{safe(body.role)} · {where(body.ref)}", "text")], key=record_key(body.ref))


def _attrs_items(facts: Facts, subject: Subject) -> list[Item]:
    """The attrs as the round has them; empty ones as one more fact."""
    raw = subject.node.attrs
    text = "" if raw is UNSET else text_of(bytes(raw))
    if not text or text in ("{}", "null"):
        facts.add("attrs", [(text or "none", "dim")])
        return []
    return [Block([("attrs", "key")]), json_block(text, indent=2) or Block(text, role="code", kind="code", indent=2)]


__all__ = ["breadcrumb", "call_usage", "fact_items", "usage_words"]
