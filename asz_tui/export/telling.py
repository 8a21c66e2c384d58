"""What an export says of a node: its texts whole with their sizes, what is not there, what it is tied to.

It is said neither in Markdown nor as plain text: sentences are lists of words of ours and of `Name`, which is from data, so that
each writer makes those safe in its own way. Absences are said in the model's words, as the detail pane says them.

Cost: the records and relations of the one node; `Telling` itself walks the relations and observations once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import tzinfo
from typing import Any

from asz_core.document.texts import part_text
from asz_core.sessiondata.record import Part, Usage
from asz_core.sessionflow import Node, Ref, Unresolved
from asz_core.vocabulary import CONTAINERS, UNRESOLVED_STATES

from ..panes.detail.content import SPOKEN
from ..panes.detail.facts import usage_words
from ..panes.detail.items import size_words, text_bytes, where
from ..panes.detail.observed import diff_lines, files_words
from ..panes.detail.subject import CALLS, Shared, Subject
from ..panes.detail.words import state_sentence
from ..session.opened import Opened
from ..text.words import duration


class Name(str):
    """A text from data inside of a sentence of ours."""


Sentence = list[str]
"""Words of ours, and `Name` for what comes from data."""


@dataclass(slots=True)
class Piece:
    """A text of a node.

    Attributes:
        title: what it is: «input», «text», «result».
        notes: words of ours: its size, its state.
        text: whole, as the data has it.
        prose: whether it is a message.
        info: the language of a fence.
    """

    title: str
    text: str
    notes: list[str] = field(default_factory=list)
    prose: bool = False
    info: str = ""


@dataclass(slots=True)
class End:
    """A relation as one of its ends sees it; `target` is the node in a tree to which it leads, or None."""

    out: bool
    type: str
    other: str
    words: str
    quality: str
    via: str
    target: str | None


class Telling:
    """Tells the nodes of one conversation.

    Attributes:
        shared: what the sections of the detail pane share.
    """

    def __init__(self, opened: Opened, tz: tzinfo) -> None:
        """
        Args:
            opened: of a picture.
            tz: the zone of the times.
        """
        self.opened = opened
        self.conversation = opened.conversation
        self.shared = Shared(opened, tz)
        self._first_of_stream: dict[str, str] = {}
        for tree in opened.trees:
            self._first_of_stream.setdefault(tree.nodes[0].stream, tree.nodes[0].id)
        self._streams = {node.stream: node for node in self.conversation.fold.of_kind("stream")}
        self._unresolved: dict[str, list[Unresolved]] = {}
        for entry in sorted(self.conversation.fold.unresolved.values(), key=lambda entry: entry.id):
            self._unresolved.setdefault(entry.ref, []).append(entry)
        self._changes = _by_step(self.conversation.observations.changes)
        self._executions = _by_step(self.conversation.observations.executions)

    def subject(self, node: Node) -> Subject:
        """A node and what is known of it."""
        return Subject(self.shared, node)

    # --- texts

    def told(self, subject: Subject) -> Iterator[Piece | Sentence]:
        """The texts of a node, and what is to be said where there is none, in the order of reading."""
        if subject.node.kind in CONTAINERS:
            return
        if subject.node.kind == "llm.call":
            yield from self._of_call(subject)
            return
        yield from self._texts(subject)
        results = list(subject.results())
        for number, (ref, part) in enumerate(results, 1):
            yield from self._result(subject, ref, part, f"result {number} of {len(results)}" if len(results) > 1 else "result")
        if not results and subject.node.kind in CALLS:
            yield ["result ", Name(subject.attr("result") or "unavailable"), ": no result of this call has landed"]

    def _of_call(self, subject: Subject) -> Iterator[Sentence]:
        usage = subject.view.usage
        if isinstance(usage, Usage):
            yield [f"tokens: {usage_words(usage)}"]
        else:
            yield ["tokens unavailable: no record of this call holds its counts"]
        if not self.conversation.fold.children(subject.node.id):
            yield ["nothing of this call landed"]

    def _texts(self, subject: Subject) -> Iterator[Piece | Sentence]:
        node, view = subject.node, subject.view
        if node.ref is None:
            yield ["assembly derived this step; it names no landed record"]
            return
        if subject.record is None:
            yield [f"the record at {where(node.ref)} is missing: {self.shared.why_missing(node.ref)}"]
        state = view.state
        if state and state != "available":
            yield _state(state)
        if node.kind == "turn.duration" and view.duration_ms:
            yield [f"turn of {duration(view.duration_ms)} ({view.duration_ms:,} ms)"]
            return
        if subject.said:
            notes = [_amount(subject.said, view.bytes, state)]
            title = "input" if node.kind in CALLS else "text"
            yield Piece(title, subject.said, notes, node.kind in SPOKEN, _info(subject.said))
        if subject.text and subject.said != subject.text:
            yield Piece("text beside this call", subject.text, [_amount(subject.text, 0, "")], True)
        if not subject.said and not subject.text and subject.record is not None and state in ("", "available"):
            yield ["the record holds no text for this step"]

    def _result(self, subject: Subject, ref: Ref, part: Part | None, title: str) -> Iterator[Piece | Sentence]:
        if part is None:
            yield [f"{title} unavailable: the record at {where(ref)} is missing: {self.shared.why_missing(ref)}"]
            return
        text = part_text(part)
        notes = (["failed"] if part.failed else []) + [_amount(text, part.bytes, part.state)]
        if part.state and part.state != "available":
            yield [f"{title}: ", *_state(part.state)]
        if text:
            yield Piece(title, text, notes, subject.node.kind == "agent.call" and not _info(text), _info(text))
        elif part.state in ("", "available"):
            yield [f"{title}: {'failed, ' if part.failed else ''}it is empty"]
        if part.text and part.raw_data():
            yield [f"the record also carries {size_words(text_bytes(part.raw_data()))} of structured data beside this text"]

    # --- beside the texts

    def notes(self, subject: Subject) -> Iterator[Piece | Sentence]:
        """What was dropped, observed beside, and left open."""
        view = subject.view
        for dropped in view.dropped if isinstance(view.dropped, list) else ():
            why = Name(dropped.why) if isinstance(dropped.why, str) and dropped.why else "no reason given"
            yield ["dropped: ", Name(dropped.what or "something"), f", {size_words(dropped.bytes)}: ", why]
        for record in self._changes.get(subject.node.id, ()):
            yield ["workspace changes, observed by ", Name(record["captured_by"]), ": ", Name(files_words(record))]
            for change in record.get("changes") or ():
                diff = "\n".join(diff_lines(change))
                words: Sentence = [Name(change["operation"]), " ", Name(change["path"])]
                yield words if diff else [*words, ", ", Name(change["diff"] or "no diff available")]
                if diff:
                    yield Piece("diff", diff, info="diff")
        for record in self._executions.get(subject.node.id, ()):
            took, by = record.get("duration_ms"), record["observed_by"] or "no one named"
            measured = f", measured {duration(took)}" if took is not None else ", time not reported"
            yield ["execution, observed by ", Name(by), ": ", Name(record["outcome"]), measured]
        for entry in self._open_of(subject):
            yield unresolved_sentence(entry)

    def _open_of(self, subject: Subject) -> list[Unresolved]:
        if not self._unresolved:
            return []
        names = [subject.node.id]
        if subject.part is not None and subject.node.kind not in CONTAINERS:
            names += [subject.part.id, subject.part.of]
        if subject.record is not None and subject.node.kind in ("agent.launch_ack", "runtime.notification"):
            names.append(subject.record.child)
        return [entry for name in dict.fromkeys(names) if name for entry in self._unresolved.get(name, ())]

    def ends(self, node: Node) -> Iterator[End]:
        """The relations of a node both ways; what it is a part of in time (`in_segment`) is left to the document."""
        subject = self.subject(node)
        for relation, direction in self.conversation.fold.edges(node.id):
            if relation.type == "in_segment":
                continue
            other = relation.to if direction == "out" else relation.from_
            kind, words = subject.end_words(other)
            label = " ".join(word for word in (kind, words) if word)
            yield End(direction == "out", relation.type, other, label, relation.quality, relation.via, self.leads_to(other))

    def opened_by(self, stream: str) -> list[End]:
        """What is tied to the start of a stream."""
        node = self._streams.get(stream)
        return [] if node is None else [end for end in self.ends(node) if end.type == "starts" and not end.out]

    def leads_to(self, node_id: str) -> str | None:
        """The node in a tree that stands for an end of a relation: itself, or a stream's first talk or step."""
        if self.opened.locate(node_id) is not None:
            return node_id
        node = self.conversation.fold.nodes.get(node_id)
        return self._first_of_stream.get(node.stream) if node is not None and node.kind == "stream" else None


def unresolved_sentence(entry: Unresolved) -> Sentence:
    """A reference that could not be resolved, or could since."""
    meaning = UNRESOLVED_STATES.get(entry.state, "")
    return [
        "unresolved ", Name(entry.kind), " ", Name(entry.ref), ", ", Name(entry.state or "no state"), ": ",
        Name(entry.reason or "no reason given"), f" ({meaning})" if meaning else "",
    ]  # fmt: skip


def _state(state: str) -> Sentence:
    said = state_sentence(state)
    # Only the model's own words are ours to write; a state that it does not list is data.
    return [said] if said != f"content {state}" else ["content ", Name(state)]


def _amount(text: str, stated: int, state: str) -> str:
    shown = text_bytes(text)
    if stated > shown and state not in ("", "available"):
        return f"showing {shown:,} of {size_words(stated)}"
    return size_words(shown)


def _info(text: str) -> str:
    """The language of a text, as far as its first and last sign tell."""
    return "json" if (text[:1], text[-1:]) in (("{", "}"), ("[", "]")) else ""


def _by_step(records: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for record in records:
        found.setdefault(record["step"], []).append(record)
    return found


__all__ = ["End", "Name", "Piece", "Sentence", "Telling", "unresolved_sentence"]
