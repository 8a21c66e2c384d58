"""What the sections of the detail pane look at: one node with its records, and what the whole conversation shares.

`Shared` keeps the workspace changes, executions and streams of a conversation until a refresh changes it; collecting them walks the
observation files once. A `Subject` reads the one to three records of its node.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, tzinfo
from functools import cached_property
from typing import Any

from msgspec import UNSET

from asz_core.document.build import StreamLister, talks_in_order
from asz_core.document.changes import Observations
from asz_core.document.content import usage_at
from asz_core.document.model import StreamEntry, ViewNode
from asz_core.document.texts import full_text, part_at, part_text, result_part
from asz_core.document.tree import Tree
from asz_core.sessiondata.record import Part, Record
from asz_core.sessionflow import Node, Ref, Relation, attrs_of
from asz_core.vocabulary import is_content

from ...session.opened import Opened
from ...text.words import clock, date
from .items import safe

CALLS = frozenset({"tool", "agent.call"})


class Shared:
    """What all nodes of one conversation share."""

    def __init__(self, opened: Opened, tz: tzinfo) -> None:
        self.opened = opened
        self.conversation = opened.conversation
        self.tz = tz
        self._stamp: object = None
        self._streams: dict[str, StreamEntry] | None = None

    def _fresh(self) -> None:
        """Forget what was collected when the conversation changed since; its content reader is made anew then."""
        if self._stamp is not self.conversation.content:
            self._stamp = self.conversation.content
            self._streams = None

    @property
    def observations(self) -> Observations:
        """The workspace changes and tool executions."""
        return self.conversation.observations

    @property
    def streams(self) -> dict[str, StreamEntry]:
        """The streams, with what opened each, by name."""
        self._fresh()
        if self._streams is None:
            talks = talks_in_order(self.opened.trees[: self.opened.loose_from])
            lister = StreamLister(self.conversation.fold, self.conversation.data, talks)
            self._streams = {entry.name: entry for entry in lister.entries()}
        return self._streams

    def stream_words(self, name: str) -> str:
        """Label and role of a stream in a few words, or its name."""
        role, label = self.opened.grammar.stream_role(name)
        if role == "main" or not name:
            return safe(name)
        if not label and name in self.streams:
            label = self.streams[name].label
        return safe(label or name) + (f" · {safe(role)}" if role else "")

    def moment(self, ms: int) -> str:
        """A time with its day and zone; 0 is no time."""
        if not ms:
            return "no time"
        try:
            zone = (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=ms)).astimezone(self.tz).tzname() or ""
        except (OverflowError, ValueError, OSError):
            return f"{ms} ms after 1970, which no calendar here holds"
        fraction = f".{ms % 1000:03}" if ms % 1000 else ""
        return f"{date(ms, self.tz)} {clock(ms, self.tz)}{fraction} {zone}".rstrip()

    def file_of(self, ref: Ref) -> str:
        """The landed file that an address lies in, below its session's folder; empty when it is not there."""
        landed = self.conversation.data.by_seq(ref.seq)
        return landed.file.wire.partition("/")[2] if landed is not None else ""

    def why_missing(self, ref: Ref) -> str:
        """Why there is no record at an address; empty when there is one."""
        data = self.conversation.data
        if data.record(ref.seq, ref.row) is not None:
            return ""
        landed = data.by_seq(ref.seq)
        if landed is None:
            reasons = [why for wire, why in data.unreadable.items() if f"-{ref.seq:06}.sd" in wire]
            return f"the landed file with seq {ref.seq} is not here" + (f" ({safe(reasons[0])})" if reasons else "")
        if ref.row < 1 or ref.row > landed.count:
            why = f" ({safe(landed.fault)})" if landed.fault else ""
            return f"the landed file with seq {ref.seq} has no row {ref.row}, only {landed.count} that can be read{why}"
        return "the record cannot be read any more"


class Subject:
    """One node and what is known of it.

    Attributes:
        whole: show lists to their end.
    """

    def __init__(self, shared: Shared, node: Node, *, whole: bool = False) -> None:
        self.shared = shared
        self.opened = shared.opened
        self.conversation = shared.conversation
        self.node = node
        self.whole = whole

    @cached_property
    def view(self) -> ViewNode:
        """The node as the document shows it."""
        return self.conversation.view(self.node.id) or ViewNode(self.node.id, self.node.kind)

    @cached_property
    def attrs(self) -> dict[str, Any]:
        """The decoded attrs."""
        try:
            return attrs_of(self.node)
        except ValueError:
            return {}

    def attr(self, name: str) -> str:
        """An attribute that is a text, else an empty one."""
        value = self.attrs.get(name)
        return value if isinstance(value, str) else ""

    @cached_property
    def record(self) -> Record | None:
        """The record that the node stands on."""
        ref = self.node.ref
        return self.conversation.record(ref.seq, ref.row) if ref is not None else None

    @cached_property
    def part(self) -> Part | None:
        """The part of it that the node stands on."""
        return part_at(self.record, self.node.ref) if self.record is not None and self.node.ref is not None else None

    @cached_property
    def text(self) -> str:
        """The whole text; only the clipped one when the record is gone."""
        if self.record is None or (self.node.kind == "turn.duration" and self.view.duration_ms):
            return self.view.text
        return full_text(self.record, self.part)

    @cached_property
    def said(self) -> str:
        """What the part itself says: of a call its own input, where a document would show the text that stands beside it."""
        if self.node.kind in CALLS and self.part is not None:
            return part_text(self.part)
        return self.text

    def results(self) -> Iterator[tuple[Ref, Part | None]]:
        """Every result of a content node with its part, None where its record is missing; what else is cited is no result."""
        if not is_content(self.node.kind) or self.node.ref is None:
            return
        for ref in (self.node.refs or ())[1:]:
            record = self.conversation.record(ref.seq, ref.row)
            part = result_part(record, ref) if record is not None else None
            # A record without a result (a run's manifest) is evidence, and only a call misses a result.
            if part is not None or (record is None and self.node.kind in CALLS):
                yield ref, part

    @cached_property
    def place(self) -> tuple[Tree, int] | None:
        """Where the node stands in a tree."""
        return self.opened.locate(self.node.id)

    @cached_property
    def path(self) -> list[Node]:
        """From the root of its tree down to the node; only the node when it stands in none."""
        return self.opened.path(self.node.id) or [self.node]

    def above(self, kind: str) -> Node | None:
        """The nearest node of a kind on the path, itself included."""
        return next((node for node in reversed(self.path) if node.kind == kind), None)

    @cached_property
    def edges(self) -> list[tuple[Relation, str]]:
        """The relations that touch the node, with their direction."""
        return self.conversation.fold.edges(self.node.id)

    @cached_property
    def segment(self) -> str:
        """The segment of the talk that the node lies in, or an empty text."""
        talks = [node for node in reversed(self.path) if node.kind == "talk"]
        for talk in talks:
            for relation, direction in self.conversation.fold.edges(talk.id):
                if relation.type == "in_segment" and direction == "out":
                    return relation.to
        return ""

    @cached_property
    def usage_ref(self) -> Ref | None:
        """Where the record with a model call's token counts stands."""
        return usage_at(self.node) if self.node.kind == "llm.call" else None

    @cached_property
    def changes(self) -> list[dict[str, Any]]:
        """The workspace changes observed around the step."""
        return [entry for entry in self.shared.observations.changes if entry["step"] == self.node.id]

    @cached_property
    def executions(self) -> list[dict[str, Any]]:
        """The executions observed of the step."""
        return [entry for entry in self.shared.observations.executions if entry["step"] == self.node.id]

    def end_words(self, node_id: str) -> tuple[str, str]:
        """Kind and short words of another node, for the end of an edge; both empty when there is no such node."""
        node = self.conversation.fold.nodes.get(node_id)
        if node is None:
            return "", ""
        if node.kind == "stream":
            return "stream", self.shared.stream_words(node.stream)
        if node.kind == "segment":
            state = attrs_of(node).get("state")
            return "segment", safe(state) if isinstance(state, str) else ""
        found = self.opened.locate(node_id)
        if found is None:
            return safe(node.kind), ""
        said = self.opened.grammar.describe(*found)
        return safe(node.kind), " ".join(word for word in (said.name, said.label) if word)


def is_set(value: object) -> bool:
    """Whether an optional value of a document is there."""
    return value is not UNSET and value is not None
