"""The landed records that a node stands on: what each is to it, its address, and the file it landed in.

Cost: a look-up per reference; the first `_LISTED` are shown unless all are asked for.
"""

from __future__ import annotations

from collections.abc import Iterator

from asz_core.document.texts import result_part
from asz_core.sessionflow import Ref

from ...lines.line import Span
from ...lines.text_rows import Block
from .items import Facts, Item, dim, heading, record_key, safe, where
from .subject import CALLS, Subject

_LISTED = 100


def evidence_items(subject: Subject) -> list[Item]:
    """One line per landed position."""
    cited = list(citations(subject))
    if not cited:
        return [*heading("evidence"), dim("It was derived by assembly and cites no landed record.")]
    shown = cited if subject.whole else cited[:_LISTED]
    facts = Facts()
    for label, ref in shown:
        facts.add(label, _place(subject, ref), key=record_key(ref))
    items = [*heading("evidence", [(f" · {len(cited):,}", "dim")]), *facts.items()]
    if len(shown) < len(cited):
        items.append(Block([(f"{len(cited) - len(shown):,} more", "accent")], key=("more", "evidence")))
    return items


def _place(subject: Subject, ref: Ref) -> list[Span]:
    spans: list[Span] = [(where(ref), "text")]
    missing = subject.shared.why_missing(ref)
    if missing:
        return [*spans, (f"  missing: {missing}", "warning")]
    return [*spans, (f"  {safe(subject.shared.file_of(ref))}", "dim")]


def citations(subject: Subject) -> Iterator[tuple[str, Ref]]:
    """(what it is to the node, address) of everything the node cites, in order."""
    node = subject.node
    refs = list(node.refs or ())
    if node.ref is not None and node.ref not in refs[:1]:
        yield "request" if node.kind in CALLS else "record", node.ref
    for number, ref in enumerate(refs):
        yield _label(subject, number, ref), ref
    if subject.usage_ref is not None:
        yield "token counts", subject.usage_ref
    bodies = subject.view.provider_bodies
    for body in bodies if isinstance(bodies, list) else ():
        if body.ref is not None:
            yield f"{safe(body.role)} body", body.ref
    for entry in subject.changes:
        yield "change record", entry["ref"]
    for entry in subject.executions:
        yield "execution record", entry["ref"]


def _label(subject: Subject, number: int, ref: Ref) -> str:
    """What one of a node's refs is to it; the first of a call is its request, a later one a result or something else it cites."""
    kind, refs = subject.node.kind, subject.node.refs or ()
    if kind == "llm.call":
        return f"part {number + 1}" if len(refs) > 1 else "record"
    if number == 0:
        return "request" if kind in CALLS else "record"
    record = subject.conversation.record(ref.seq, ref.row)
    is_result = record is None if kind in CALLS else False
    if record is not None and result_part(record, ref) is not None:
        is_result = True
    return "result" if is_result else "also"
