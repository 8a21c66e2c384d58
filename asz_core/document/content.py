"""What a node shows of the records it stands on: text, state, size, usage, result, intervals (formats.md section 4).

``ContentReader.fill`` writes these onto a ``ViewNode``. It looks up one record per reference and costs a few microseconds; texts
are clipped as the document clips them. Whole texts are read through ``texts`` by whoever needs them.
"""

from __future__ import annotations

import msgspec
from msgspec import UNSET, Raw

from ..rawjson import without_member
from ..sessiondata.record import Dropped, Record
from ..sessiondata.session import SessionData
from ..sessionflow.fold import Fold
from ..sessionflow.frames import Node, ProviderBody, Ref, attrs_of
from .changes import Observations
from .model import ViewNode
from .texts import clip, clipped_part_text, clipped_text, duration_ms, part_at, readable, result_part
from .tree import Tree

INPUTS = frozenset({"message.external"})
INJECTIONS = frozenset({"context.injection"})
ANSWERS = frozenset({"message.assistant", "agent.output"})
_NO_TEXT = frozenset({"session", "segment", "stream", "epoch", "talk", "run"})
_TOOLS_DELTA = '{"type":"deferred_tools_delta"'


class _CallAttrs(msgspec.Struct, gc=False):
    usage_at: Ref | None = None
    provider_bodies: Raw | None = None


class _JoinAttrs(msgspec.Struct, gc=False):
    result_join: str | None = None


_call_attrs = msgspec.json.Decoder(_CallAttrs).decode
_join_attrs = msgspec.json.Decoder(_JoinAttrs).decode
_REFUSALS = (msgspec.MsgspecError, ValueError, RecursionError)


class ContentReader:
    """Reads what nodes show from a session's records."""

    def __init__(self, data: SessionData, observations: Observations) -> None:
        self.record = data.record
        self.time = data.time
        self.changes_of = observations.changes_of
        self.executions_of = observations.executions_of

    def fill(self, view: ViewNode, node: Node) -> None:
        """Write onto ``view`` what the records of ``node`` say."""
        kind = node.kind
        if kind == "llm.call":
            self._fill_call(view, node)
        elif kind not in _NO_TEXT and node.ref is not None:
            self._fill_content(view, node, node.ref)

    def _fill_call(self, view: ViewNode, node: Node) -> None:
        if node.attrs is UNSET:
            return
        try:
            attrs = _call_attrs(node.attrs)
            at, captured = attrs.usage_at, attrs.provider_bodies is not None
        except _REFUSALS:
            at, captured = usage_at(node), b"provider_bodies" in bytes(node.attrs)
        if at is not None:
            record = self.record(at.seq, at.row)
            if record is not None and record.usage is not None:
                view.usage = record.usage
        if captured:
            _move_provider_bodies(view, node)

    def _fill_content(self, view: ViewNode, node: Node, ref: Ref) -> None:
        record = self.record(ref.seq, ref.row)
        if record is not None:
            self._fill_text(view, node, record, ref)
        refs = node.refs
        if refs is not None and len(refs) > 1:
            self._fill_result(view, refs)
            self._fill_interval(view, node, refs)
        if self.changes_of and node.id in self.changes_of:
            view.changes = self.changes_of[node.id]
        if self.executions_of and node.id in self.executions_of:
            view.executions = self.executions_of[node.id]

    def _fill_text(self, view: ViewNode, node: Node, record: Record, ref: Ref) -> None:
        part = part_at(record, ref)
        if part is not None:
            view.name, view.state, view.bytes = part.name, part.state, part.bytes
            if part.failed is not None:
                view.failed = part.failed
        if record.flags:
            view.flags = record.flags
        if record.dropped:
            view.dropped = [_without_empty_why(dropped) for dropped in record.dropped]
        if node.kind == "turn.duration":
            view.duration_ms = duration_ms(record)
            if view.duration_ms:
                measured_by = attrs_of(node).get("measured_by")
                view.duration_measured_by = measured_by if isinstance(measured_by, str) else ""
                return
        view.text = clipped_text(record, part)

    def _fill_result(self, view: ViewNode, refs: list[Ref]) -> None:
        for ref in refs[1:]:
            record = self.record(ref.seq, ref.row)
            part = result_part(record, ref) if record is not None else None
            if part is None:
                continue
            view.result_state, view.result_bytes = part.state, part.bytes
            if view.failed is UNSET and part.failed is not None:
                view.failed = part.failed
            view.result = clipped_part_text(part)
            if view.result:
                return

    def _fill_interval(self, view: ViewNode, node: Node, refs: list[Ref]) -> None:
        if result_join(node) != "exact_unique":
            return
        asked = self.time(refs[0].seq, refs[0].row)
        answered = self.time(refs[1].seq, refs[1].row)
        if asked and answered and answered >= asked:
            view.request_to_result_ms = (answered - asked) // 1_000_000
            view.request_to_result_join = "exact_unique"

    def label_and_reply(self, tree: Tree, place: int) -> tuple[str, str]:
        """A talk's label and reply: the first input or injection, and the last answer, under it; both clipped."""
        label = ""
        first = tree.first_within("inputs", INPUTS, place)
        if first is not None:
            label = self._said(first)
        else:
            for at in tree.within("injections", INJECTIONS, place)[:3]:
                text = self._said(tree.nodes[at])
                if text and not text.startswith(_TOOLS_DELTA):
                    label = text
                    break
        last = tree.last_within("answers", ANSWERS, place)
        return label, self._said(last) if last is not None else ""

    def _said(self, node: Node) -> str:
        assert node.ref is not None
        record = self.record(node.ref.seq, node.ref.row)
        return clip(readable(record)) if record is not None else ""

    def captured_prompts(self, fold: Fold) -> int:
        """How many model calls have a captured request body."""
        return sum(
            1
            for node in fold.of_kind("llm.call")
            if node.attrs is not UNSET
            and b"provider_bodies" in bytes(node.attrs)
            and any(body.role == "request" for body in provider_bodies(node))
        )


def usage_at(node: Node) -> Ref | None:
    """Where the one record stands that holds a model call's token counts; None when the fold names none."""
    if node.attrs is UNSET:
        return None
    try:
        return _call_attrs(node.attrs).usage_at
    except _REFUSALS:
        pass
    value = attrs_of(node).get("usage_at")
    try:
        return msgspec.convert(value, Ref) if value is not None else None
    except _REFUSALS:
        return None


def result_join(node: Node) -> str:
    """How well a call's result is joined to it; empty when the fold does not say."""
    if node.attrs is UNSET:
        return ""
    try:
        return _join_attrs(node.attrs).result_join or ""
    except _REFUSALS:
        value = attrs_of(node).get("result_join")
        return value if isinstance(value, str) else ""


def provider_bodies(node: Node) -> list[ProviderBody]:
    """The captured bodies of a model call, requests before responses."""
    value = attrs_of(node).get("provider_bodies")
    try:
        bodies = msgspec.convert(value or [], list[ProviderBody])
    except _REFUSALS:
        return []
    return sorted(bodies, key=lambda body: body.role)


def _move_provider_bodies(view: ViewNode, node: Node) -> None:
    bodies = provider_bodies(node)
    if not bodies or node.attrs is UNSET:
        return
    view.provider_bodies = bodies
    try:
        members = msgspec.json.decode(node.attrs, type=dict[str, Raw])
    except _REFUSALS:
        view.attrs = Raw(without_member(bytes(node.attrs), "provider_bodies"))
        return
    members.pop("provider_bodies", None)
    view.attrs = Raw(msgspec.json.encode(members))


def _without_empty_why(dropped: Dropped) -> Dropped:
    return dropped if dropped.why else Dropped(dropped.what, dropped.bytes)


__all__ = ["ANSWERS", "INJECTIONS", "INPUTS", "ContentReader", "provider_bodies", "result_join", "usage_at"]
