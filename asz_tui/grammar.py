"""The row grammar: what one line says of a talk, a run or a step, on the screen, in `show` and in `tail`.

`Grammar.describe` reads the one to three records that a node stands on and remembers the answer until the conversation changes, so
a row on the screen costs about 50 microseconds once. Every text from the data passes `text.safe.visible` here, in the one place
where data becomes rows.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any

from msgspec import UNSET

from asz_core.conversation import Conversation
from asz_core.document.content import ANSWERS, INJECTIONS, INPUTS
from asz_core.document.model import ViewNode
from asz_core.document.texts import part_at, part_text, readable
from asz_core.document.tree import Tree
from asz_core.rawjson import loads
from asz_core.sessionflow import Node, attrs_of

from .glyphs import kind_glyph, mark_glyph
from .text.safe import visible
from .text.words import counted, duration, size

_LABEL = 400
"""Characters of a text that can matter to one line; the rest is not even made safe."""
_KEPT = 8192

INJECTION_WORDS: dict[str, str] = {
    "total_tokens": "how many tokens are left",
    "todo_reminder": "a reminder of the task list",
    "task_reminder": "a reminder of the task list",
    "edited_text_file": "a file that changed on disk",
    "queued_command": "a message that came while the agent worked",
    "deferred_tools_delta": "a change in the tools that can be loaded",
    "agent_listing_delta": "a change in the agents that can be called",
    "nested_memory": "a memory file of a folder below",
    "date_change": "a new date",
    "command_permissions": "what a command may do",
    "compact_file_reference": "a file named after a reset",
    "read_truncation_notice": "word that a read was cut",
    "invoked_skills": "the skills in use",
    "auto_mode": "the automatic mode",
    "file": "a file",
    "system_reminder": "a reminder of the system",
    "command_message": "a command's message",
    "ultra_effort_enter": "the beginning of highest effort",
    "ultra_effort_exit": "the end of highest effort",
}
"""Type of a context injection -> what it is, in words."""

_TELLING = (
    "command", "file_path", "notebook_path", "pattern", "query", "url", "path", "skill", "description", "prompt", "subject",
)  # fmt: skip
"""Keys of a tool's input, the most telling first."""


@dataclass(slots=True)
class Said:
    """What a row says of a node; texts are safe and on one line.

    Attributes:
        label: the main words; `name` stands before them in the kind's colour where the step has one.
        took_ms: how long it took, as far as the data states that; None is not known.
        marks: names of `glyphs.MARKS`, in the order they are shown.
    """

    name: str = ""
    label: str = ""
    role: str = "text"
    reply: str = ""
    took_ms: int | None = None
    tokens_out: int = 0
    clipped_bytes: int = 0
    marks: list[str] = field(default_factory=list)
    note: str = ""


class Grammar:
    """Describes the nodes of one conversation."""

    def __init__(self, conversation: Conversation, *, ascii_only: bool = False) -> None:
        """
        Args:
            conversation: loaded.
            ascii_only: use the ASCII glyphs.
        """
        self.conversation = conversation
        self.ascii_only = ascii_only
        self._said: OrderedDict[str, Said] = OrderedDict()
        self._open_refs: frozenset[str] | None = None
        self._roles: dict[str, tuple[str, str]] | None = None

    def forget(self) -> None:
        """Drop what was remembered, after the conversation changed."""
        self._said.clear()
        self._open_refs = None
        self._roles = None

    def describe(self, tree: Tree, place: int) -> Said:
        """What a row says of the node at a place of a tree."""
        node = tree.nodes[place]
        said = self._said.get(node.id)
        if said is None:
            said = self._said[node.id] = self._describe(tree, place, node)
            if len(self._said) > _KEPT:
                self._said.popitem(last=False)
        return said

    def _describe(self, tree: Tree, place: int, node: Node) -> Said:
        kind = node.kind
        if kind == "talk":
            said = self._talk(tree, place, node)
        elif kind == "run":
            said = self._run(tree, place, node)
        elif kind == "llm.call":
            said = self._call(tree, place, node)
        else:
            said = self._step(node)
        said.marks += self._edge_marks(node)
        return said

    # --- containers

    def _talk(self, tree: Tree, place: int, node: Node) -> Said:
        label, reply = self.conversation.content.label_and_reply(tree, place)
        role, stream_label = self.stream_role(node.stream)
        said = Said(label=one_line(label) or "no opening line", role="person", reply=one_line(reply))
        if not label:
            said.role = "dim"
            if role == "child":
                asked = self._standing_on(node)
                said.label = "delegated work" + (f": {one_line(asked)}" if asked else "")
        if role and role != "main":
            said.name = f"{role} {one_line(stream_label or node.stream)}"
        _, steps, tools = tree.count(place)
        said.note = counted(steps, "step") + (f" {counted(tools, 'tool')}" if tools else "")
        said.took_ms = _span_ms(tree, place)
        return said

    def _standing_on(self, node: Node) -> str:
        """The readable text of the record that a node stands on."""
        record = self.conversation.record(node.ref.seq, node.ref.row) if node.ref is not None else None
        return readable(record) if record is not None else ""

    def _run(self, tree: Tree, place: int, node: Node) -> Said:
        trigger = attrs_of(node).get("trigger")
        label = f"run · {one_line(trigger)}" if isinstance(trigger, str) and trigger else "run"
        said = Said(label=label, role="dim", took_ms=_span_ms(tree, place))
        said.note = counted(tree.count(place)[1], "step")
        return said

    def _call(self, tree: Tree, place: int, node: Node) -> Said:
        said = Said(role="model")
        view = self.conversation.view(node.id)
        if view is not None and view.usage is not UNSET:
            said.tokens_out = view.usage.out
        names: list[str] = []
        for child in self.conversation.fold.children(node.id):
            if (child.kind in ANSWERS or child.kind == "message.synthetic") and not said.label:
                said.label = one_line(self.text_of(child))
            elif child.kind in ("tool", "agent.call"):
                name = attrs_of(child).get("name")
                names.append(one_line(name) if isinstance(name, str) and name else child.kind)
        if not said.label:
            said.label = ", ".join(names) or ("thinking" if tree.sizes[place] > 1 else "nothing landed of this call")
        return said

    # --- steps

    def _step(self, node: Node) -> Said:
        view = self.conversation.view(node.id)
        assert view is not None
        kind = node.kind
        said = Said(role=kind_glyph(kind)[1])
        if kind in ("tool", "agent.call"):
            self._tool(said, node, view)
        elif kind == "context.injection":
            said.label = self._injection(node, view)
        elif kind == "turn.duration" and view.duration_ms:
            said.label, said.took_ms = "turn", view.duration_ms
        elif kind == "epoch.boundary":
            said.name, said.label = "context reset", _reset_words(view.text)
        else:
            said.name = _PREFIX.get(kind, "")
            said.label = one_line(view.text)
            if not said.label:
                said.label, said.role = one_line(view.state or kind), "dim"
            elif kind not in _PLAIN and not said.name:
                said.name = one_line(kind)
        self._content_marks(said, view)
        return said

    def _tool(self, said: Said, node: Node, view: ViewNode) -> None:
        part, raw = None, view.text
        if node.ref is not None:
            record = self.conversation.record(node.ref.seq, node.ref.row)
            if record is not None:
                part = part_at(record, node.ref)
                # The input itself: a document shows a message that stands beside a call in one record instead.
                raw = part_text(part) if part is not None else raw
        attrs = attrs_of(node)
        name = view.name or (attrs["name"] if isinstance(attrs.get("name"), str) else "")
        if part is not None and part.server and part.server_tool:
            name = f"{part.server} · {part.server_tool}"
        said.name = one_line(name) or node.kind
        said.label = one_line(telling(raw, agent=node.kind == "agent.call"))
        if view.request_to_result_join:
            said.took_ms = view.request_to_result_ms
        if attrs.get("result") == "unavailable" and not view.result_state:
            said.marks.append("unfinished")

    def _injection(self, node: Node, view: ViewNode) -> str:
        value = _json(view.text) if view.text.startswith("{") else None
        kind = value.get("type") if isinstance(value, dict) else None
        if isinstance(kind, str) and kind:
            return INJECTION_WORDS.get(kind) or one_line(kind.replace("_", " "))
        return one_line(view.text) or (view.state or "nothing readable")

    def _content_marks(self, said: Said, view: ViewNode) -> None:
        if view.failed is True:
            said.marks.append("failed")
        states = {view.state, view.result_state}
        if states & {"truncated", "redacted", "omitted", "hash_only", "size_only"}:
            said.marks.append("partial")
        if view.changes is not UNSET:
            said.marks.append("changes")
        biggest = max(view.bytes if _is_clipped(view.text) else 0, view.result_bytes if _is_clipped(view.result) else 0)
        said.clipped_bytes = biggest

    def _edge_marks(self, node: Node) -> list[str]:
        marks: list[str] = []
        for relation, direction in self.conversation.fold.edges(node.id):
            kind = relation.type
            if kind == "starts" and direction == "out":
                marks.append("starts")
            elif kind == "reports" and direction == "out":
                marks.append("reports")
            elif kind == "ends_with" and direction == "in":
                marks.append("ends")
            if relation.quality not in ("exact_unique", "") and kind != "in_segment":
                marks.append("inferred")
        if self.is_open(node):
            marks.append("unresolved")
        return list(dict.fromkeys(marks))

    def is_open(self, node: Node) -> bool:
        """Whether an open reference names a call; reads its record where there is any open reference."""
        if self._open_refs is None:
            refs = self.conversation.fold.unresolved.values()
            self._open_refs = frozenset(ref.ref for ref in refs if ref.state == "open" and ref.ref)
        if not self._open_refs or node.kind not in ("tool", "agent.call") or node.ref is None:
            return False
        record = self.conversation.record(node.ref.seq, node.ref.row)
        part = part_at(record, node.ref) if record is not None else None
        return part is not None and part.id in self._open_refs

    # --- shared

    def text_of(self, node: Node) -> str:
        """The clipped text of a step, as the data has it."""
        view = self.conversation.view(node.id)
        return view.text if view is not None else ""

    def stream_role(self, stream: str) -> tuple[str, str]:
        """Role and label of a stream by its name; empty texts when it is not known."""
        if self._roles is None:
            self._roles = {}
            for node in self.conversation.fold.of_kind("stream"):
                attrs = attrs_of(node)
                role, label = attrs.get("role"), attrs.get("label")
                self._roles[node.stream] = (
                    role if isinstance(role, str) else "",
                    label if isinstance(label, str) else "",
                )
        return self._roles.get(stream, ("", ""))

    def glyph(self, node: Node) -> tuple[str, str]:
        """Glyph and role of a node's kind."""
        return kind_glyph(node.kind, ascii_only=self.ascii_only)

    def right_side(self, said: Said) -> list[tuple[str, str]]:
        """Duration, tokens, size and marks as spans, in the order of the row grammar."""
        spans: list[tuple[str, str]] = []
        if said.took_ms is not None:
            spans.append((duration(said.took_ms), "time"))
        if said.tokens_out:
            spans.append((("^" if self.ascii_only else "↑") + str(said.tokens_out), "dim"))
        if said.clipped_bytes:
            spans.append((size(said.clipped_bytes), "dim"))
        spans += [mark_glyph(mark, ascii_only=self.ascii_only) for mark in said.marks]
        return [(text if at == 0 else f" {text}", role) for at, (text, role) in enumerate(spans)]


_PLAIN = frozenset({"message.external", "message.assistant", "agent.output", "thinking"})
_PREFIX = {
    "message.synthetic": "client-made",
    "error.api": "provider error",
    "control.interrupt": "interrupted",
    "control.permission": "permission",
    "control.command": "command",
    "control.notice": "notice",
    "epoch.summary": "carried over",
    "runtime.notification": "notification",
    "agent.launch_ack": "launch acknowledged",
}
FIRST_WORDS = INPUTS | INJECTIONS


def one_line(text: str) -> str:
    """The beginning of a text from the data, made safe, on one line."""
    if len(text) > _LABEL:
        text = text[:_LABEL]
    return visible(text.strip())


def telling(raw: str, *, agent: bool = False) -> str:
    """The telling part of a tool's input: a command, a path, a pattern; else the compact input itself."""
    value = _json(raw) if raw.lstrip().startswith("{") else None
    if not isinstance(value, dict):
        return raw
    if agent:
        words = [value.get(key) for key in ("subagent_type", "description", "skill")]
        head = next((word for word in reversed(words) if isinstance(word, str) and word), "")
        prompt = value.get("prompt") or value.get("script") or value.get("args") or ""
        if head and isinstance(prompt, str) and prompt:
            return f"{head}: {prompt}"
        return head or (prompt if isinstance(prompt, str) and prompt else raw)
    for key in _TELLING:
        word = value.get(key)
        if isinstance(word, str) and word:
            return word
    return raw if value else ""


def _json(raw: str) -> Any:
    try:
        return loads(raw)
    except ValueError:
        return None


def _is_clipped(text: str) -> bool:
    """Whether a document's text stands at the clip: nothing shorter can have been cut."""
    return len(text) > 490 and len(text.encode("utf-8", "replace")) > 1996


def _span_ms(tree: Tree, place: int) -> int | None:
    start, end = tree.starts[place], tree.ends[place]
    return (end - start) // 1_000_000 if start and end > start else None


def _reset_words(text: str) -> str:
    value = _json(text) if text.startswith("{") else None
    kept = value.get("compactMetadata") if isinstance(value, dict) else None
    if not isinstance(kept, dict):
        return one_line(text) if value is None else ""
    trigger = kept.get("trigger")
    preserved = kept.get("preservedMessages")
    ids = preserved.get("allUuids") if isinstance(preserved, dict) else None
    words = [one_line(trigger)] if isinstance(trigger, str) and trigger else []
    if isinstance(ids, list):
        words.append(f"{counted(len(ids), 'message')} kept")
    return " · ".join(words)
