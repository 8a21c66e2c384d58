"""What a container says of itself: talk, run, model call, stream, segment, epoch, session; and what lies in it.

Counts are of the whole subtree; lists name the nodes directly inside, the first `_LISTED` of them unless all are asked for.

Cost: two look-ups for the counts; a stream walks the talks once, a segment its relations.
"""

from __future__ import annotations

from collections import Counter

from asz_core.sessionflow import Node
from asz_core.vocabulary import CONTAINERS

from ...lines.text_rows import Block
from ...text.words import counted, duration
from .content import message_items
from .items import Facts, Item, dim, heading, safe
from .subject import Subject
from .words import GATES

_LISTED = 60


def container_facts(facts: Facts, subject: Subject) -> None:
    """Add what the kind's own attributes and its subtree say."""
    kind = subject.node.kind
    if kind in _FACTS:
        _FACTS[kind](facts, subject)
    if kind in ("talk", "run", "llm.call") and subject.place is not None:
        _subtree(facts, subject)


def _subtree(facts: Facts, subject: Subject) -> None:
    assert subject.place is not None
    tree, place = subject.place
    if subject.node.kind != "llm.call":
        runs, steps, tools = tree.count(place)
        runs -= subject.node.kind == "run"
        words = [counted(runs, "run")] if subject.node.kind == "talk" or runs else []
        facts.add("holds", " · ".join([*words, counted(steps, "step"), counted(tools, "tool call")]))
    start, end = tree.starts[place], tree.ends[place]
    if start or end:
        span = duration((end - start) // 1_000_000)
        moment = subject.shared.moment
        facts.add("span", span, f"from {moment(start // 1_000_000)} to {moment(end // 1_000_000)}, the first and last time within")
    else:
        facts.add("span", [("no time", "dim")], "nothing within carries one")


def _talk(facts: Facts, subject: Subject) -> None:
    role = subject.opened.grammar.stream_role(subject.node.stream)[0]
    if role == "child":
        facts.add("child", "yes", "the talk of a child agent")
    facts.known("trigger", subject.attr("trigger"))


def _run(facts: Facts, subject: Subject) -> None:
    facts.add("trigger", subject.attr("trigger") or [("unavailable", "dim")])


def _call(facts: Facts, subject: Subject) -> None:
    from .facts import call_usage

    call_usage(facts, subject)
    made = Counter(safe(child.kind) for child in subject.conversation.fold.children(subject.node.id))
    facts.add("produced", " · ".join(f"{count} {kind}" for kind, count in made.items()) or [("nothing that landed", "dim")])


def _stream(facts: Facts, subject: Subject) -> None:
    entry = subject.shared.streams.get(subject.node.stream)
    if entry is None:
        return
    facts.add("role", entry.role or [("unavailable", "dim")])
    named = f"named by {safe(entry.named_by)}" if entry.named_by else ""
    facts.add("label", entry.label or [("none", "dim")], named)
    talks = [
        node for tree in subject.opened.trees[: subject.opened.loose_from] for node in tree.nodes
        if node.kind == "talk" and node.stream == subject.node.stream
    ]  # fmt: skip
    facts.add("holds", f"{counted(entry.records, 'record')} · {counted(len(talks), 'talk')} · {counted(entry.steps, 'step')}")
    if entry.talk:
        facts.add("first talk", entry.talk, subject.end_words(entry.talk)[1][:60], key=("node", entry.talk))
    opened = [
        relation for relation in subject.conversation.fold.relations.values()
        if relation.type == "starts"
        and (step := subject.conversation.fold.nodes.get(relation.from_)) is not None
        and step.stream == subject.node.stream
    ]  # fmt: skip
    for number, relation in enumerate(opened):
        label = "opens in turn" if number == 0 else ""
        facts.add(label, [(f"stream {subject.end_words(relation.to)[1] or safe(relation.to)}", "text")], key=("node", relation.to))
    if not opened:
        facts.add("opens in turn", [("nothing", "dim")])


def _segment(facts: Facts, subject: Subject) -> None:
    attrs = subject.attrs
    facts.add("state", subject.attr("state") or [("unavailable", "dim")])
    facts.add("committable", {True: "yes", False: "no"}.get(attrs.get("committable"), "not stated"))
    gates = attrs.get("gates_unmet")
    for number, gate in enumerate(gates if isinstance(gates, list) else ()):
        word = gate if isinstance(gate, str) else str(gate)
        facts.add("gates unmet" if number == 0 else "", word, GATES.get(word, ""))
    starts, ends = [], []
    for relation, direction in subject.edges:
        found = subject.opened.locate(relation.from_) if relation.type == "in_segment" and direction == "in" else None
        if found is not None:
            tree, place = found
            starts += [tree.starts[place]] if tree.starts[place] else []
            ends += [tree.ends[place]] if tree.ends[place] else []
    if starts and ends:
        first, last = min(starts) // 1_000_000, max(ends) // 1_000_000
        moment = subject.shared.moment
        facts.add("span", duration(last - first), f"from {moment(first)} to {moment(last)}")
    else:
        facts.add("span", [("no time", "dim")], "no talk in it carries one")


def _epoch(facts: Facts, subject: Subject) -> None:
    attrs = subject.attrs
    facts.known("reset", subject.attr("reset"))
    facts.known("continues from", subject.attr("continues_from"))
    if isinstance(attrs.get("records"), int):
        facts.add("holds", counted(attrs["records"], "record"))


def _session(facts: Facts, subject: Subject) -> None:
    facts.add("title", subject.attr("title") or [("untitled", "dim")])
    facts.known("from", subject.attr("from_time"))
    facts.known("through", subject.attr("through_time"))
    landed = subject.attrs.get("provider_bodies_landed")
    if isinstance(landed, int):
        facts.add("provider bodies", counted(landed, "captured body", "captured bodies"))


_FACTS = {
    "talk": _talk, "run": _run, "llm.call": _call, "stream": _stream, "segment": _segment, "epoch": _epoch, "session": _session,
}  # fmt: skip


def body_items(subject: Subject) -> list[Item]:
    """What stands where a step has its text: a talk's words and reply, and the nodes directly inside."""
    kind = subject.node.kind
    if kind not in CONTAINERS and kind != "llm.call":
        return []
    items: list[Item] = []
    if kind == "talk" and subject.place is not None:
        items += _talk_words(subject)
    children = subject.conversation.fold.children(subject.node.id)
    if kind == "segment":
        nodes = subject.conversation.fold.nodes
        ids = [relation.from_ for relation, way in subject.edges if relation.type == "in_segment" and way == "in"]
        children = [nodes[talk] for talk in ids if talk in nodes]
    return items + child_items(subject, children, _INSIDE.get(kind, "inside"))


_INSIDE = {"llm.call": "what the call produced", "segment": "talks in this window"}


def _talk_words(subject: Subject) -> list[Item]:
    assert subject.place is not None
    tree, place = subject.place
    first = tree.first_within("inputs", frozenset({"message.external"}), place)
    last = tree.last_within("answers", frozenset({"message.assistant", "agent.output"}), place)
    label, reply = subject.conversation.content.label_and_reply(tree, place)
    items: list[Item] = [*heading("input")]
    items += _said(subject, first, label) if label else [dim("no opening line")]
    items += heading("reply")
    items += _said(subject, last, reply) if reply else [dim("no reply has landed")]
    return items


def _said(subject: Subject, node: Node | None, clipped: str) -> list[Item]:
    """The whole text of the message that a talk's clipped words are of."""
    from asz_core.document.texts import readable

    record = subject.conversation.record(node.ref.seq, node.ref.row) if node is not None and node.ref is not None else None
    return message_items(readable(record) if record is not None else clipped)


def child_items(subject: Subject, children: list[Node], title: str) -> list[Item]:
    """A list of nodes, each with its glyph and words."""
    if not children:
        return [*heading(title), dim("nothing")]
    items: list[Item] = heading(title, [(f" · {len(children):,}", "dim")])
    shown = children if subject.whole else children[:_LISTED]
    for child in shown:
        glyph, role = subject.opened.grammar.glyph(child)
        kind, words = subject.end_words(child.id)
        spans = [(f"{kind}  ", "dim"), (words, role) if words else (safe(child.id), "dim")]
        items.append(Block(spans, kind="field", label=glyph, key=("node", child.id)))
    if len(shown) < len(children):
        items.append(Block([(f"{len(children) - len(shown):,} more", "accent")], key=("more", title)))
    return items
