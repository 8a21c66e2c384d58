"""A small list of a node's edges over the conversation: which way, of what type, how well known, and one key to follow."""

from __future__ import annotations

from collections.abc import Hashable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.screen import ModalScreen

from asz_core.vocabulary import QUALITIES, RELATIONS

from ..grammar import one_line
from ..keys import LISTS, bindings
from ..lines.bar import Bar
from ..lines.line import Line, ListSource
from ..lines.view import LineView
from ..session.edges import Way, is_pool, ways_around
from ..session.opened import Opened

_KEPT = 9


def end_words(opened: Opened, node_id: str) -> tuple[str, str]:
    """Words and role of an end of an edge: glyph and label of a node in a tree, kind and name of another, else the bare id."""
    found = opened.locate(node_id)
    if found is not None:
        tree, place = found
        said = opened.grammar.describe(tree, place)
        glyph, role = opened.grammar.glyph(tree.nodes[place])
        return f"{glyph} {said.name + ' ' if said.name else ''}{said.label}", role
    node = opened.conversation.fold.nodes.get(node_id)
    if node is None:
        return f"{one_line(node_id)} (not in this conversation)", "dim"
    if node.kind == "stream":
        role, label = opened.grammar.stream_role(node.stream)
        return f"{one_line(role)} stream {one_line(label or node.stream)}", "agent"
    return f"{one_line(node.kind)} {one_line(node_id)}", "text"


def edge_rows(opened: Opened, ways: list[Way]) -> list[tuple[Hashable, Line]]:
    """Two lines an edge: what it is and where it leads, then how well it is known and by what."""
    rows: list[tuple[Hashable, Line]] = []
    ascii_only = opened.grammar.ascii_only
    for number, way in enumerate(ways, 1):
        relation = way.relation
        arrow = ("->" if way.direction == "out" else "<-") if ascii_only else ("→" if way.direction == "out" else "←")
        digit = f"{number} " if number <= _KEPT else "  "
        words, role = end_words(opened, way.other)
        rows.append(
            (
                ("edge", number - 1),
                Line([(f" {digit}", "accent"), (f"{arrow} {one_line(relation.type):<11} ", "text"), (words, role)]),
            )
        )
        via = f"joined on {one_line(relation.via)}" if relation.via else "the fold does not say what joined it"
        quality = one_line(relation.quality) or "no quality stated"
        meaning = QUALITIES.get(relation.quality, "")
        why = f"     {quality}  {via}" + (f" · {meaning}" if meaning else "")
        rows.append((("why", number - 1), Line([(why, "dim")])))
    return rows


class EdgesScreen(ModalScreen[str | None]):
    """Lists edges; the choice is the node to go to, `FIRST` for the first row of the list below, or None."""

    FIRST = "\0first"
    BINDINGS: ClassVar[list[BindingType]] = [
        *(binding for binding in bindings(LISTS) if binding.id not in ("move.first", "move.last")),
        Binding("enter,l,right", "choose", "follow"),
        Binding("g", "first", "first row of the list below"),
        *(Binding(str(number), f"number({number})", f"follow edge {number}") for number in range(1, _KEPT + 1)),
        Binding("q,escape,h,left", "leave", "close"),
    ]

    def __init__(self, opened: Opened, node_id: str, ways: list[Way] | None = None) -> None:
        """
        Args:
            opened: the conversation.
            node_id: whose edges.
            ways: these instead of all of the node's.
        """
        super().__init__()
        self._opened = opened
        self._node_id = node_id
        self._ways = ways_around(opened, node_id) if ways is None else ways
        self._asked = ways is not None

    def compose(self) -> ComposeResult:
        """A box of as many lines as needed."""
        with Container(id="box"):
            yield Bar(id="box-title")
            yield LineView(self._rows(), id="box-rows", empty_text=" no relation touches this")
            yield Bar(id="box-keys")

    def _rows(self) -> ListSource:
        return ListSource(edge_rows(self._opened, self._ways))

    def on_mount(self) -> None:
        """Say whose edges they are."""
        words, role = end_words(self._opened, self._node_id)
        count = len(self._ways)
        title = [(" edges of ", "title"), (words, role)]
        if self._asked:
            title = [(f" {count} steps are tied to the start of this stream, none chosen", "title")]
        elif is_pool(self._ways):
            streams = sum(1 for way in self._ways if way.relation.type == "starts" and way.direction == "out")
            title = [(f" this call started {streams} streams: all of them its children, not competing guesses", "title")]
        self.query_one("#box-title", Bar).show(Line(title, [(f"{count} ", "dim")]))
        self.query_one("#box-keys", Bar).show(Line([(" Enter or its number follows   g first row   Esc close", "dim")]))
        rows = self.query_one("#box-rows", LineView)
        rows.styles.height = max(1, min(2 * count, self.app.size.height - 8))
        rows.focus()

    def action_move(self, how: str) -> None:
        """Move in the list."""
        getattr(self.query_one("#box-rows", LineView), how)()

    def on_line_view_activated(self) -> None:
        """A double click follows."""
        self.action_choose()

    def action_choose(self) -> None:
        """Follow the edge under the cursor."""
        key = self.query_one("#box-rows", LineView).cursor_key
        if isinstance(key, tuple):
            self.action_number(key[1] + 1)

    def action_number(self, number: int) -> None:
        """Follow an edge by its number."""
        if not 1 <= number <= len(self._ways):
            return
        way = self._ways[number - 1]
        if way.target is None:
            meaning = RELATIONS.get(way.relation.type, "")
            words = " the other end is in no talk" + (f" · {way.relation.type}: {meaning}" if meaning else "")
            self.query_one("#box-keys", Bar).show(Line([(words, "warning")]))
            return
        self.dismiss(way.target)

    def action_first(self) -> None:
        """The second g of «gg»."""
        self.dismiss(self.FIRST)

    def action_leave(self) -> None:
        """Close."""
        self.dismiss(None)
