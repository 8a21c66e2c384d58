"""Panes and the detail: which is shown, what stands in the detail, and where its rows lead."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from textual.message import Message
from textual.timer import Timer

from ...lines.line import Line
from ...lines.text_rows import Block
from ...lines.view import LineView
from ...session.edges import leads_to
from .base import NARROW
from .filling import Filling
from .panes import TABLES

_DETAIL_AFTER, _DETAIL_AFTER_SLOW = 0.08, 0.5
"""Seconds after which the detail follows the cursor, so that running through rows stays light on the line; on a slow one longer."""

Items = list[Block | Line]


class Counted(Message):
    """The summary's pass over the conversation ended."""


class Showing(Filling):
    """Shows panes, nodes, records and words."""

    _shown: object = None
    _detail_timer: Timer | None = None
    _counting = False
    _unfolded = False

    def _configure(self) -> None:
        """Begin as configured, and have the rows that a key will show made ahead."""
        super()._configure()
        if not self.asz.slow:
            for pane in self.query(LineView):
                pane.make_ahead()

    def on_descendant_focus(self) -> None:
        """The footer says what can be done where the focus is now."""
        self.show_footer()

    def on_text_view_wrapped(self) -> None:
        """The footer counts the rows of the detail."""
        if self.in_detail:
            self.show_footer()

    # --- panes

    def action_pane(self, pane: str) -> None:
        """Show another pane."""
        self._message = ""
        self.show_pane(pane)

    def show_pane(self, pane: str) -> None:
        """Show a pane; its rows are made when it is shown for the first time."""
        if self.panes is None:
            return
        rows = self.rows_of(pane)
        if pane != self.pane and self.detail_shown and self.query_one("#body").has_class("narrow"):
            # There the detail stands instead of the pane.
            self.query_one("#body").remove_class("with-detail")
            self._shown = None
        if pane != self.pane:
            self.box_of(self.pane).remove_class("shown")
            self.pane = pane
            self.box_of(pane).add_class("shown")
        if pane == "flow":
            self.flow_shown()
        elif self.view.source is not rows:
            if pane in TABLES:
                self.view.empty_text = self.empty_words()
            self.view.set_source(rows, keep=False)
        else:
            self.view.source_changed()
        if pane == "summary" and self.panes.made(pane) is not None:
            self._count()
        if not self.field.has_focus:
            self.view.focus()
        self.show_frame()

    def flow_shown(self) -> None:
        """See `Timeline`."""

    def _count(self) -> None:
        """Let the summary count in a thread; the rows say «counting» until it is done."""
        rows = self.source
        if self._counting or rows.done:
            return
        self._counting = True

        def work() -> None:
            while not self._stopping.is_set() and not rows.compute(self._stopping.is_set):
                pass
            self.post_message(Counted())

        self.in_thread(work, "asz-summary")

    def on_counted(self) -> None:
        """Show the figures."""
        self._counting = False
        if self.pane == "summary":
            self.view.source_changed()
            self.show_frame()

    def action_sort(self) -> None:
        """Sort the table by its next column."""
        sorts = getattr(self.source, "sorts", ())
        if self.pane not in TABLES or not sorts:
            self.say("this pane has an order of its own")
            return
        now = self._sorted.get(self.pane, -1) + 1 if hasattr(self, "_sorted") else 0
        if not hasattr(self, "_sorted"):
            self._sorted: dict[str, int] = {}
        self._sorted[self.pane] = now % len(sorts)
        self.source.sort_by(sorts[now % len(sorts)])
        self.view.source_changed()
        self.say(f"sorted by {sorts[now % len(sorts)]}")

    # --- detail

    def action_switch_focus(self) -> None:
        """From the list to the detail and back."""
        if not self.detail_shown:
            self.open_detail()
            self.focus_detail()
        elif self.detail_view.has_focus:
            self.view.focus()
        else:
            self.focus_detail()
        self.show_footer()

    def focus_detail(self) -> None:
        """Give the detail the focus and a cursor, with which its rows can be followed."""
        self.detail_view.show_cursor = True
        self.detail_view.focus()

    def action_detail(self) -> None:
        """Open or close the detail; from a row of a table or of the detail, go where it leads."""
        self._message = ""
        if self.in_detail:
            self._follow_row(self.detail_view.cursor_key)
        elif self.pane in TABLES:
            self._follow_table_row()
        elif self.pane == "flow":
            self.show_pane("talks")
        elif self.detail_shown and not isinstance(self._shown, tuple):
            self.close_detail()
        else:
            self.open_detail()

    def _follow_table_row(self) -> None:
        target = self.source.target(self.view.cursor) if self.source is not None else None
        if target is not None and self.opened is not None:
            target = leads_to(self.opened, target)
        if target is not None:
            self.jump(target, "the step is in no talk")
        elif hasattr(self.source, "toggle"):
            self.action_toggle_fold()
        else:
            self.say("this row leads nowhere")

    def _follow_row(self, key: Hashable) -> None:
        """Follow a row of the detail: an edge, a node, a landed record, a list that goes on."""
        block = key[0] if isinstance(key, tuple) and key else None
        name = block[1] if isinstance(block, tuple) and len(block) == 2 and block[0] == "key" else None
        sort = name[0] if isinstance(name, tuple) and name else None
        if self.opened is None or self.detail is None:
            return
        if sort == "ref":
            seq, row = name[1], name[2]
            self.show_special(("ref", (seq, row)), lambda: self.detail.record(seq, row))
        elif sort == "edge":
            relation = self.opened.conversation.fold.relations.get(name[1])
            other = (relation.to if name[2] == "out" else relation.from_) if relation else ""
            self.jump(leads_to(self.opened, other), "the other end is in no talk")
        elif sort == "node":
            self.jump(leads_to(self.opened, name[1]), "the node is in no talk")
        elif sort == "more":
            self._show_more()
        elif self.app.size.width < NARROW:
            self.close_detail()
        else:
            self.say("this row leads nowhere")

    def _show_more(self) -> None:
        """Show to its end what stands in the detail: the node; of its captured prompt, what is folded, or fold it again."""
        selected, detail = self.selected(), self.detail
        if not selected or detail is None:
            return
        if self._shown in (("prompt", selected), ("added", selected)):
            self._unfolded = not self._unfolded
            items = detail.prompt(selected, added=self._shown == ("added", selected), whole=self._unfolded)
        else:
            items = detail.node(selected, whole=True)
        self.detail_view.set_items(items, keep=True)

    def open_detail(self) -> None:
        """Show the detail of the selection."""
        self.query_one("#body").add_class("with-detail")
        self._shown = None
        self.show_frame()
        self._show_detail()
        if self.app.size.width < NARROW:
            self.focus_detail()
        self.show_frame()

    def close_detail(self) -> None:
        """Hide the detail."""
        self.query_one("#body").remove_class("with-detail")
        self._shown = None
        self.view.focus()
        self.show_frame()

    def show_detail_soon(self) -> None:
        """Let the detail follow when the cursor rests."""
        if self._detail_timer is not None:
            self._detail_timer.stop()
            self._detail_timer = None
        if self.detail_shown:
            self._detail_timer = self.set_timer(_DETAIL_AFTER_SLOW if self.asz.slow else _DETAIL_AFTER, self._show_detail)

    def _show_detail(self) -> None:
        self._detail_timer = None
        selected = self.selected()
        if not self.detail_shown or self.detail is None:
            return
        same = selected == self._shown
        self._shown = selected
        self.detail_view.set_items(self.detail.node(selected) if selected else [], keep=same)
        self.detail_view.set_match(self.found.marks if self.found else None)
        self.show_side()

    def show_side(self) -> None:
        """See `Timeline`."""

    def show_special(self, key: tuple[str, object], make: Callable[[], Items]) -> None:
        """Show something else than the node in the detail: a record, a word; the same key again goes back."""
        again = self._shown == key and self.detail_shown
        self.query_one("#body").add_class("with-detail")
        self._shown = None
        if again:
            self._show_detail()
        else:
            self.detail_view.set_items(make())
            self._shown = key
        if self.app.size.width < NARROW:
            self.focus_detail()
        self.show_frame()

    def action_record(self) -> None:
        """The landed record itself."""
        at, detail = self.at(), self.detail
        if not at or detail is None:
            return
        node = at[0].nodes[at[1]]
        ref = node.ref
        if ref is None:
            self.say("this node was derived by assembly; it cites no landed record")
            return
        self.show_special(("record", node.id), lambda: detail.record(ref.seq, ref.row))

    def action_records(self) -> None:
        """Every landed record that the node covers."""
        selected, detail = self.selected(), self.detail
        if selected and detail is not None:
            count = len(detail.refs(selected))
            title = Line([(f"{count} landed record" + ("" if count == 1 else "s") + " covered by this", "title")])
            self.show_special(("records", selected), lambda: [title, Line(), *detail.records(selected)])

    def action_prompt(self) -> None:
        """The captured prompt of the model call; once more: what its request added."""
        selected, detail = self.selected(), self.detail
        self._unfolded = False
        if not selected or detail is None:
            return
        if self._shown == ("prompt", selected):
            self.show_special(("added", selected), lambda: detail.prompt(selected, added=True))
        elif self._shown == ("added", selected):
            self.show_special(("added", selected), list)
        else:
            self.show_special(("prompt", selected), lambda: detail.prompt(selected))

    def action_word(self) -> None:
        """What the model means by the words used of the node."""
        selected, detail = self.selected(), self.detail
        if selected and detail is not None:
            self.show_special(("word", selected), lambda: detail.words(selected))

    def on_line_view_activated(self, event: LineView.Activated) -> None:
        """A double click does what Enter does."""
        if event.view.id in (self.pane, "detail"):
            self.action_detail()
