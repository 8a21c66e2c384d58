"""The Flow pane on the conversation screen: its keys, and one selection shared with the tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...lines.flow_view import FlowPane
from ...session.opened import Applied
from .showing import Showing

if TYPE_CHECKING:
    from ...panes.flow import FlowModel


_SLICE, _REST = 0.004, 0.006
"""Seconds of work for a timeline that is not shown yet, and between two."""


class Timeline(Showing):
    """What the keys do while the timeline is shown."""

    _side_behind = _side_anew = False
    """Whether a round landed since the flow beside the detail was shown, and whether one built every tree again."""

    _picked: str | None = None
    """The node that the tree took over from the timeline last."""

    @property
    def flow(self) -> FlowPane:
        """The pane."""
        return self.query_one("#flow", FlowPane)

    def flow_rows(self) -> FlowModel:
        """The timeline; when it is asked for first, one that is still to look at the steps, which the pane has it do in slices."""
        assert self.panes is not None and self.opened is not None
        if self.panes.made("flow") is None:
            from ...panes.flow import FlowModel

            self.panes.put("flow", FlowModel(self.opened, self.asz.tz, whole=False))
        model: FlowModel = self.panes.source("flow")
        return model

    def make_flow_ahead(self) -> None:
        """Have the timeline look at the steps behind the tree, a little at a time, so that it is there when it is wanted."""
        wanted = self.panes is not None and self.pane != "flow" and not self._stopping.is_set()
        if wanted and not self.flow_rows().build(_SLICE):
            self.set_timer(_REST, self.make_flow_ahead)

    def show_pane(self, pane: str) -> None:
        """Show a pane; the timeline begins where the tree is."""
        if pane == "flow" and self.panes is not None:
            model = self.flow_rows()
            if self.flow.model is not model:
                self.flow.show(model)
            self.flow.select(self.selected())
        super().show_pane(pane)

    def selection_moved(self) -> None:
        """The timeline follows the tree."""
        if self.pane == "flow":
            self.flow.select(self.selected())

    @property
    def side(self) -> FlowPane:
        """The flow of the selected talk, beside the detail on a wide screen."""
        return self.query_one("#side", FlowPane)

    def show_side(self) -> None:
        """Let the flow beside the detail show the talk of the selection."""
        selected = self.selected()
        if self.opened is None or not selected or not self.query_one("#body").has_class("three"):
            return
        if self.side.model is None:
            from ...panes.flow import FlowModel

            self.side.show(FlowModel(self.opened, self.asz.tz, whole=False))
        model = self.side.model
        assert model is not None
        if self._side_behind:
            if self._side_anew:
                model.reload(None)
            else:
                model.refresh()
            self._side_behind = self._side_anew = False
            self.side.changed()
        root = self.opened.find_root(selected)
        if model.scope != root:
            model.set_scope(root)
        self.side.select(selected)

    def show_changed_flow(self, applied: Applied | None = None) -> None:
        """Show what a round changed in the timeline; without one, that the matches of the search are others."""
        if self.pane == "flow" and self.panes is not None:
            self.panes.source("flow")
            self.flow.changed()
        if self.side.model is not None:
            self._side_behind = self._side_behind or applied is not None
            self._side_anew = self._side_anew or (applied is not None and applied.roots is None)
            self.show_side()

    def on_flow_pane_picked(self, event: FlowPane.Picked) -> None:
        """The tree follows the timeline; a double click goes there."""
        self._message = ""
        if self.talks is None:
            return
        if event.pane.id == "side":
            self.go_to(event.node_id)
            return
        self._follow(event.node_id)
        if event.chosen:
            self.show_pane("talks")

    def _follow(self, node_id: str | None) -> None:
        """Let the tree follow the timeline to a node, once."""
        if node_id is None or node_id == self._picked == self.selected() or self.talks is None:
            return
        self._picked = node_id
        index = self.talks.reveal(node_id)
        if index is not None:
            view = self.view_of("talks")
            view.source_changed()
            view.move_to(index)
        self.show_detail_soon()
        self.show_place()

    def _moved(self) -> None:
        """A key moved in the timeline: the tree and the frame follow at once, not when the word of it arrives a frame later."""
        model = self.flow.model
        self._message = ""
        self._follow(model.selected if model is not None else None)
        self.show_place()

    def action_move(self, how: str) -> None:
        """Move in what has the focus; the tree follows the timeline."""
        super().action_move(how)
        if self.pane == "flow" and not self.in_detail:
            self._moved()

    def on_flow_pane_settled(self, event: FlowPane.Settled) -> None:
        """All steps were looked at, or it is known now which of them failed."""
        if event.pane.id == "side":
            self.show_side()
        self.show_frame()

    # --- keys that mean something else on the timeline

    def action_fold(self) -> None:
        """The previous event in the lane; elsewhere fold."""
        if self.pane != "flow":
            super().action_fold()
        elif self.flow.next_event(-1):
            self._moved()
        else:
            self.say("the first event of the lane")

    def action_unfold(self) -> None:
        """The next event in the lane; elsewhere unfold."""
        if self.pane != "flow":
            super().action_unfold()
        elif self.flow.next_event(1):
            self._moved()
        else:
            self.say("the last event of the lane")

    def action_sibling(self, step: int) -> None:
        """The next or previous event across lanes; elsewhere the next sibling."""
        if self.pane != "flow":
            super().action_sibling(step)
        elif self.flow.next_event(step, across=True):
            self._moved()
        else:
            self.say("no further event that way")

    def action_fold_below(self, is_open: bool) -> None:
        """Along the axis by half its width; elsewhere fold or unfold all below."""
        if self.pane != "flow":
            super().action_fold_below(is_open)
        else:
            self.flow.pan(0.5 if is_open else -0.5)
            self.show_place()

    def action_fold_all(self, is_open: bool) -> None:
        """Into the stream of the selection and its families, or out again; elsewhere fold or unfold everything."""
        if self.pane != "flow":
            super().action_fold_all(is_open)
            return
        at, model = self.at(), self.flow.model
        if at and model is not None:
            inside = is_open and model.stream is None
            model.set_stream(at[0].nodes[at[1]].stream if inside else None)
            self.flow.changed()
            self.show_place()

    def action_toggle_fold(self) -> None:
        """The talk of the selection only, or the whole conversation; elsewhere fold."""
        if self.pane != "flow":
            super().action_toggle_fold()
            return
        selected, model = self.selected(), self.flow.model
        if selected and model is not None and self.opened is not None:
            model.set_scope(self.opened.find_root(selected) if model.scope is None else None)
            self.flow.changed()
            self.show_place()

    def action_zoom(self, factor: float) -> None:
        """Zoom the axis; 0 fits it."""
        if self.pane != "flow":
            self.say("this zooms the timeline: 2 shows it")
        elif factor:
            self.flow.zoom(factor)
        else:
            self.flow.fit()
        if self.pane == "flow":
            self.show_place()

    def action_centre(self) -> None:
        """Bring the selection to the middle."""
        if self.pane == "flow":
            self.flow.centre()
            self.show_place()
        else:
            index = self.view.cursor
            self.view.move_to(index, center=True)

    def leave_flow(self) -> bool:
        """Leave a zoomed stream or a single talk of the timeline; whether there was one."""
        model = self.flow.model
        if self.pane != "flow" or model is None or (model.stream is None and model.scope is None):
            return False
        model.set_stream(None)
        model.set_scope(None)
        self.flow.changed()
        return True
