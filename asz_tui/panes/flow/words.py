"""The timeline in words: the legend, and the line that says what is selected. Costs the one node it speaks of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...glyphs import FAMILIES, mark_glyph
from ...grammar import one_line
from ...lines.line import Line, Span
from ...text.safe import ascii_only
from ...text.words import clock
from .links import relations_of
from .signs import ASCII, BAR_ROLES, BAR_WORDS, INTERVAL, RUN, TALK, TURN, Signs

if TYPE_CHECKING:
    from .model import FlowModel

_RELATIONS_SAID = 3


def family(kind: str) -> str:
    """The sub-lane of a kind; for talks and runs, that of their bars."""
    return {"talk": "input", "run": "model"}.get(kind) or FAMILIES.get(kind, "notices")


def plain(text: str, signs: Signs) -> str:
    """A text as the signs in use can say it."""
    return ascii_only(text) if signs is ASCII else text


def ellipsis(signs: Signs) -> str:
    """What stands for clipped text."""
    return "~" if signs is ASCII else "…"


def legend(signs: Signs, width: int, *, edges: bool = False) -> Line:
    """What bars, marks and lines mean; what has no room is left out, the last first; with `edges`, lines come first."""
    plain_glyphs = signs is ASCII
    solid, dashed, dotted = (boxes[4 | 8] for boxes in signs.boxes)
    entries: list[tuple[str, str, str]] = [
        *((signs.bars[sort], BAR_ROLES[sort], BAR_WORDS[sort]) for sort in (TALK, RUN, INTERVAL, TURN)),
        (*mark_glyph("failed", ascii_only=plain_glyphs), "failed"),
        (signs.counts[0] + signs.counts[-1], "dim", "how many here"),
        (signs.untimed, "dim", "no time"),
        (solid * 2 + signs.right, "accent", "exact"),
        (dashed * 2 + signs.right, "accent", "inferred"),
        (dotted * 2 + signs.right, "accent", "weaker"),
        (*mark_glyph("unfinished", ascii_only=plain_glyphs), "no result"),
    ]
    if edges:
        entries = [entry for entry in entries if entry[1] == "accent"] + [entry for entry in entries if entry[1] != "accent"]
    spans: list[Span] = []
    used = 0
    for sign, role, words in entries:
        lead = "  " if spans else ""
        used += len(lead) + len(sign) + 1 + len(words)
        if used > width:
            break
        spans += [(lead, ""), (sign, role), (f" {words}", "dim")]
    return Line([span for span in spans if span[0]])


def selection(model: FlowModel) -> Line:
    """The selected node: glyph, time, label; at the right how many steps share its cell, and its relations."""
    opened = model.opened
    located = opened.locate(model.selected) if model.selected is not None else None
    if located is None:
        return Line([("nothing is selected", "dim")])
    tree, place = located
    node = tree.nodes[place]
    said = opened.grammar.describe(tree, place)
    glyph, role = opened.grammar.glyph(node)
    time = tree.starts[place] if node.kind in ("talk", "run") else tree.times[place]
    when = clock(time // 1_000_000, model.tz) if time else "no time of its own"
    left: list[Span] = [(when, "time" if time else "warning"), (" ", ""), (glyph, role), (" ", "")]
    if said.name:
        left += [(said.name, role), (" ", "")]
    left.append((said.label, said.role))
    right = [*opened.grammar.right_side(said), *_relations(model)]
    if (count := model.in_cell()) > 1:
        right.append((f"  {count} here", "dim"))
    if model.row is None:
        right.append(("  not on the timeline", "warning"))
    return Line(_plain(left, model.signs), _plain(right, model.signs))


def _relations(model: FlowModel) -> list[Span]:
    assert model.selected is not None
    node = model.opened.conversation.fold.nodes[model.selected]
    mine = {node.id, model.index.stream_ids.get(node.stream)} - {None}
    spans: list[Span] = []
    relations = list(relations_of(model, model.selected))
    for relation in relations[:_RELATIONS_SAID]:
        inward = relation.to in mine and relation.from_ != node.id
        end = _end(model, relation.from_ if inward else relation.to)
        quality = "" if relation.quality == "exact_unique" else f" {one_line(relation.quality)}"
        # One span each, so that a narrow line drops whole relations.
        spans.append((f"  {one_line(relation.type)} {'←' if inward else '→'} {end}{quality}", "accent"))
    if len(relations) > _RELATIONS_SAID:
        spans.append((f"  {len(relations) - _RELATIONS_SAID} more", "dim"))
    return spans


def _end(model: FlowModel, node_id: str) -> str:
    """The far end of a relation, short: a stream's label, else the kind, else the id."""
    node = model.opened.conversation.fold.nodes.get(node_id)
    if node is None:
        return one_line(node_id)
    if node.kind == "stream":
        return one_line(model.opened.grammar.stream_role(node.stream)[1] or node.stream)
    return one_line(node.kind)


def _plain(spans: list[Span], signs: Signs) -> list[Span]:
    return [(plain(text, signs), role) for text, role in spans] if signs is ASCII else spans


__all__ = ["ellipsis", "family", "legend", "plain", "selection"]
