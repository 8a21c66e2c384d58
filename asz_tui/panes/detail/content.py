"""The head of the detail pane: what the node is, what it says in full, and what came back.

Texts are whole, never the document's clip of 2,000 bytes. What is not there is said by the data's own word for it, never left
blank.

Cost: in proportion to the record; laying out is capped in `markdown` and `jsontext`, wrapping is left to the view.
"""

from __future__ import annotations

from asz_core.document.texts import part_text
from asz_core.sessiondata.record import Part
from asz_core.sessionflow import Ref
from asz_core.vocabulary import CONTAINERS

from ...glyphs import mark_glyph
from ...lines.line import Line, Span
from ...lines.text_rows import Block
from ...text.words import clock, counted, duration
from .inputs import field_items, input_items
from .items import Item, dim, heading, record_key, safe, size_words, text_bytes, where
from .jsontext import json_block, members
from .markdown import LIMIT, markdown
from .subject import CALLS, Subject
from .words import KIND_LABELS, MARK_WORDS, state_sentence

SPOKEN = frozenset({"message.external", "message.assistant", "message.synthetic", "agent.output", "epoch.summary", "thinking"})
"""Kinds whose text is a message, laid out as Markdown."""


def head_items(subject: Subject) -> list[Item]:
    """The heading: kind, name and label, stream and time; under it the marks in words and the size."""
    node, shared = subject.node, subject.shared
    glyph, role = subject.opened.grammar.glyph(node)
    left: list[Span] = [(glyph + " ", role), (safe(node.kind) or "no kind", "title")]
    name, label = call_name(subject), KIND_LABELS.get(node.kind, "")
    if name:
        left.append((f" {name}", role))
    elif label:
        left.append((f"  {label}", "dim"))
    right: list[Span] = [(shared.stream_words(node.stream), "dim")] if node.stream else []
    if node.kind != "session":
        right.append((f"{' · ' if right else ''}{clock(subject.view.at or 0, shared.tz)}", "time"))
    items: list[Item] = [Line(left, right)]
    under = _under_heading(subject)
    if under:
        items.append(Block(under, key=("head",)))
    return items


def call_name(subject: Subject) -> str:
    """The name of a call, safe: server and tool of an MCP call, else the tool's; empty for other kinds without a name."""
    server, tool = mcp(subject)
    if server and tool:
        return f"{safe(server)} · {safe(tool)}"
    return safe(subject.view.name or subject.attr("name"))


def mcp(subject: Subject) -> tuple[str, str]:
    """The MCP server and tool of a call; empty texts for any other."""
    part = subject.part
    if part is not None and (part.server or part.server_tool):
        return part.server, part.server_tool
    return subject.attr("mcp_server"), subject.attr("mcp_tool")


def _under_heading(subject: Subject) -> list[Span]:
    spans: list[Span] = []
    ascii_only = subject.opened.grammar.ascii_only
    if subject.place is not None:
        for mark in subject.opened.grammar.describe(*subject.place).marks:
            glyph, role = mark_glyph(mark, ascii_only=ascii_only)
            spans.append((f"{glyph} {MARK_WORDS.get(mark, mark)}   ", role))
    amount = _amount(subject)
    if amount:
        spans.append((amount, "dim"))
    return spans


def _amount(subject: Subject) -> str:
    """State and size of the content: ``available · 48,211 bytes``."""
    if subject.node.kind in CONTAINERS or subject.node.kind == "llm.call":
        return ""
    shown, stated = text_bytes(subject.said), subject.view.bytes
    words = [safe(subject.view.state)] if subject.view.state else []
    if subject.record is None and subject.said:
        words.append(f"showing {shown:,} of {size_words(max(stated, shown))}")
    elif subject.said and stated > shown and subject.view.state not in ("", "available"):
        words.append(f"showing {shown:,} of {size_words(stated)}")
    elif stated or shown:
        words.append(size_words(stated or shown))
    return " · ".join(words)


def text_items(subject: Subject) -> list[Item]:
    """What the node says, whole."""
    node, view = subject.node, subject.view
    if node.kind in CONTAINERS or node.kind == "llm.call":
        return []
    items: list[Item] = [Line()]
    if node.ref is None:
        return [*items, dim("Assembly derived this step; it names no landed record.")]
    if subject.record is None:
        why = subject.shared.why_missing(node.ref)
        items.append(Block([(f"The record at {where(node.ref)} is missing: {why}.", "warning")], key=record_key(node.ref)))
    state = view.state
    if state and state != "available":
        items.append(Block([(f"{state_sentence(safe(state))}", "warning")]))
    if node.kind == "turn.duration" and view.duration_ms:
        return [*items, Block([(f"turn of {duration(view.duration_ms)}", "title")])]
    if subject.said:
        items += _said(subject)
    if subject.said != subject.text:
        items += [dim("The record's text beside this call:"), Block(subject.text, indent=2)]
    if subject.said or subject.text:
        return items
    if subject.record is not None and (not state or state == "available"):
        items.append(dim("The record holds no text for this step."))
    return items


def _said(subject: Subject) -> list[Item]:
    kind, text = subject.node.kind, subject.said
    if kind in SPOKEN:
        return message_items(text)
    if kind in CALLS:
        return input_items(text)
    found = members(text)
    if found:
        return field_items(found)
    return [json_block(text) or Block(text, key=("text",))]


def message_items(text: str) -> list[Item]:
    """A message laid out, or as it stands when it is very long."""
    items: list[Item] = list(markdown(text))
    if len(text) > LIMIT:
        items.insert(0, dim("The text is too long to be laid out; it is shown as it stands."))
    return items


def result_items(subject: Subject) -> list[Item]:
    """What came back: every result, or the word for its absence."""
    results = list(subject.results())
    if not results:
        return _no_result(subject)
    items: list[Item] = []
    for number, (ref, part) in enumerate(results, 1):
        items += _result(subject, ref, part, number if len(results) > 1 else 0, len(results))
    return items


def _no_result(subject: Subject) -> list[Item]:
    if subject.node.kind not in CALLS:
        return []
    word = safe(subject.attr("result")) or "unavailable"
    return [*heading("result", [(f" · {word}", "warning")]), dim("No result of this call has landed.")]


def _result(subject: Subject, ref: Ref, part: Part | None, number: int, count: int) -> list[Item]:
    notes: list[Span] = [(f" {number} of {count}", "dim")] if number else []
    if part is None:
        why = subject.shared.why_missing(ref)
        return [
            *heading("result", [*notes, (" · unavailable", "warning")]),
            Block([(f"The result at {where(ref)} is missing: {why}.", "warning")], key=record_key(ref)),
        ]
    text = part_text(part)
    if part.failed:
        notes.append((" · failed", "error"))
    if part.state and part.state != "available":
        notes.append((f" · {safe(part.state)}", "warning"))
    shown = text_bytes(text)
    if part.state not in ("", "available") and part.bytes > shown and text:
        notes.append((f" · showing {shown:,} of {size_words(part.bytes)}", "dim"))
    else:
        notes.append((f" · {size_words(part.bytes or shown)}", "dim"))
    if number < 2 and subject.view.request_to_result_join:
        notes.append((f" · {duration(subject.view.request_to_result_ms)} to return", "dim"))
    return [*heading("result", notes), *_result_text(subject, part, text)]


def _result_text(subject: Subject, part: Part, text: str) -> list[Item]:
    items: list[Item] = []
    if part.state and part.state != "available":
        items.append(Block([(state_sentence(safe(part.state)), "warning")]))
    if text:
        block = json_block(text)
        if block is None and subject.node.kind == "agent.call":
            items += message_items(text)
        else:
            items.append(block or Block(text, role="code", kind="code"))
    elif not items:
        items.append(dim("The result is empty."))
    if part.text and part.raw_data():
        size = size_words(text_bytes(part.raw_data()))
        items.append(dim(f"The record also carries {size} of structured data beside this text."))
    return items


def others_of_record(subject: Subject) -> str:
    """How many other parts the record has, in words; empty when it has none."""
    parts = subject.record.parts if subject.record is not None else None
    return counted(len(parts) - 1, "other part") if parts and len(parts) > 1 else ""
