"""Relations of a node both ways, in groups, with pools and open references said in words.

Several streams that one call started are a pool of its children, not guesses; several steps that could have started one stream are
all listed and none is chosen.

Cost: the node's relations; a label for each other end.
"""

from __future__ import annotations

from asz_core.sessionflow import Relation
from asz_core.vocabulary import QUALITIES, RELATIONS, UNRESOLVED_STATES

from ...lines.line import Span
from ...lines.text_rows import Block
from ...text.cells import clip
from ...text.words import counted
from .items import Facts, Item, dim, heading, safe, where
from .subject import Subject

_WORDS = 72
_SEVERAL = 200


def edge_items(subject: Subject) -> list[Item]:
    """The relations that touch the node, or that there are none."""
    edges = subject.edges
    if not edges:
        nothing = "No relation records what opened this stream." if subject.node.kind == "stream" else "none"
        return [*heading("edges"), dim(nothing)]
    items: list[Item] = heading("edges", [(f" · {len(edges):,}", "dim")])
    items += [Block([(sentence, "warning" if warn else "accent")]) for sentence, warn in _notices(subject)]
    ordered = sorted(edges, key=lambda edge: (edge[1] != "out", edge[0].type))
    shown = ordered if subject.whole else ordered[:_SEVERAL]
    facts = Facts()
    for relation, direction in shown:
        arrow = "→" if direction == "out" else "←"
        facts.add(f"{arrow} {safe(relation.type)}", _edge(subject, relation, direction), key=("edge", relation.id, direction))
    items += facts.items()
    if len(shown) < len(ordered):
        items.append(Block([(f"{len(ordered) - len(shown):,} more", "accent")], key=("more", "edges")))
    items += _meanings(relation.type for relation, _ in shown)
    return items


def _edge(subject: Subject, relation: Relation, direction: str) -> list[Span]:
    """The other end, the quality, what joined them, and where that is read."""
    other = relation.to if direction == "out" else relation.from_
    kind, words = subject.end_words(other)
    spans: list[Span] = [(f"{kind} ", "text")] if kind else []
    if other == subject.node.id:
        spans.append(("this node itself", "dim"))
    elif words:
        spans.append((clip(words, _WORDS), "text"))
    if not kind:
        spans += [(safe(other) or "nothing", "text"), ("  not in this conversation", "dim")]
    elif other != subject.node.id:
        spans.append((f"  {safe(other)}", "dim"))
        if kind == "stream" and (said := _first_words(subject, other)):
            spans.append((f"\n“{said}”", "dim"))
    weak = relation.quality != "exact_unique"
    spans.append((f"\n{safe(relation.quality) or 'no quality stated'}", "warning" if weak else "ok"))
    meaning = QUALITIES.get(relation.quality, "") if weak else ""
    via = f" — joined on {safe(relation.via)}" if relation.via else ""
    spans.append((via + (f" ({meaning})" if meaning else ""), "dim"))
    for ref in relation.evidence or ():
        spans.append((f"\nevidence {where(ref)}", "dim"))
    return spans


def _first_words(subject: Subject, stream_id: str) -> str:
    """What a stream that has no label was asked first, so that it can be told from its like."""
    node = subject.conversation.fold.nodes[stream_id]
    entry = subject.shared.streams.get(node.stream)
    if entry is None or entry.label or entry.role == "main" or not entry.talk:
        return ""
    place = subject.opened.locate(entry.talk)
    label = subject.conversation.content.label_and_reply(*place)[0] if place is not None else ""
    return clip(safe(label.strip()), _WORDS)


def _talk_of(subject: Subject, node_id: str) -> str:
    return next((node.id for node in reversed(subject.opened.path(node_id)) if node.kind == "talk"), "")


def _earlier_calls(subject: Subject) -> list[tuple[str, bool]]:
    """Of a report: the talk of the call that started what it reports, when it is another one."""
    found: list[tuple[str, bool]] = []
    here = _talk_of(subject, subject.node.id)
    for relation, way in subject.edges:
        if relation.type != "reports" or way != "out":
            continue
        for start, its_way in subject.conversation.fold.edges(relation.to):
            talk = _talk_of(subject, start.from_) if start.type == "starts" and its_way == "in" else ""
            if talk and here and talk != here:
                found.append((f"This talk hears the ending; the call that started it is in {safe(talk)}.", False))
    return list(dict.fromkeys(found))


def _notices(subject: Subject) -> list[tuple[str, bool]]:
    """(sentence, whether it warns) for pools and for several openers."""
    found: list[tuple[str, bool]] = []
    started = [relation.to for relation, way in subject.edges if relation.type == "starts" and way == "out"]
    if len(set(started)) > 1:
        found.append((f"This call started {len(set(started))} streams: all its children, not competing guesses.", False))
    openers = {relation.from_ for relation, way in subject.edges if relation.type == "starts" and way == "in"}
    if len(openers) > 1:
        found.append((f"{len(openers)} steps could have opened this stream: all are listed, none is chosen.", True))
    for stream in dict.fromkeys(started):
        others = {r.from_ for r, way in subject.conversation.fold.edges(stream) if r.type == "starts" and way == "in"}
        if len(others) > 1:
            words = subject.end_words(stream)[1] or safe(stream)
            found.append((f"{counted(len(others), 'step')} could have opened stream {words}; this is one of them.", True))
    return found + _earlier_calls(subject)


def _meanings(types: object) -> list[Item]:
    """What the relation types mean, once each."""
    names = sorted(set(types))  # type: ignore[call-overload]
    return [dim(f"{name}: {RELATIONS[name]}", indent=2) for name in names if name in RELATIONS]


def unresolved_items(subject: Subject) -> list[Item]:
    """References that name this node and are or were not resolved."""
    names = {subject.node.id}
    if subject.part is not None:
        names |= {subject.part.id, subject.part.of}
    if subject.node.kind == "stream":
        names.add(subject.node.stream)
    if subject.record is not None and subject.node.kind != "llm.call":
        names |= {subject.record.child} if subject.node.kind in ("agent.launch_ack", "runtime.notification") else set()
    names.discard("")
    found = [entry for entry in subject.conversation.fold.unresolved.values() if entry.ref in names]
    if not found:
        return []
    items: list[Item] = heading("unresolved", [(f" · {len(found)}", "dim")])
    for entry in sorted(found, key=lambda entry: entry.id):
        role = "warning" if entry.state == "open" else "text"
        spans: list[Span] = [(f"{safe(entry.kind)} {safe(entry.ref)} · ", "text"), (safe(entry.state) or "no state", role)]
        spans.append((f"  {safe(entry.reason) or 'no reason given'}", "text"))
        meaning = UNRESOLVED_STATES.get(entry.state, "")
        items.append(Block([*spans, (f" ({meaning})" if meaning else "", "dim")], key=("unresolved", entry.id)))
    return items
