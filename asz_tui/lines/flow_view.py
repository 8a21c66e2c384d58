"""`FlowPane`: the timeline on the screen. Two lines of axis, the lanes in a `FlowView`, a line of legend.

`FlowView` is a `LineView` whose rows show the cursor themselves (the label and the selected cell, not the whole row) and whose
moves are those of the model. Both own nothing but what they were given; a move costs what the model's move costs and repaints
the rows that differ.
"""

from __future__ import annotations

from collections.abc import Iterator
from time import monotonic, perf_counter
from typing import TYPE_CHECKING, ClassVar, cast

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.timer import Timer

from .ahead import Ahead
from .bar import Bar
from .line import Line, ListSource
from .view import LineView

if TYPE_CHECKING:
    from ..panes.flow import FlowModel

_IN_A_FRAME, _AT_ONCE = 0, 8
"""Records looked up while a frame is made, and at once between two frames, to tell which steps failed and how long turns took."""
_AT_FIRST, _SLICE, _REST = 0.04, 0.004, 0.003
"""Seconds to look at the steps before the first frame, in a slice behind it, and between two slices."""
_TELL_EVERY = 0.1
"""Seconds between two words of how far that is; on the screen, less often than a key repeats."""


class FlowView(LineView):
    """The lanes of a `FlowModel`."""

    class Resized(Message):
        """The rows have another width or height."""

    def _over(self, index: int) -> str:
        # The model lays the cursor over the label and the cell.
        return ""

    def make_ahead(self) -> None:
        """Have the rows made that a zoom or a pan will show."""
        self.ahead = self.ahead or _NearWindows(self)
        self.ahead.soon()

    @property
    def model(self) -> FlowModel | None:
        """What is shown, None before it is known."""
        return None if isinstance(self.source, ListSource) else cast("FlowModel", self.source)

    def on_resize(self) -> None:
        """Fit the axis to the width before the rows are asked for."""
        if self.model is not None and self.row_width:
            self.model.width(self.row_width)
        super().on_resize()
        self.post_message(self.Resized())

    def _focus_changed(self, event: events.Event, focused: bool) -> None:
        if self.model is not None:
            self.model.focused = focused
        super()._focus_changed(event, focused)

    # The moves of every list, so that the keys of every list work here: rows are lanes, the ends are those of the lane.

    def cursor_up(self) -> None:
        """Go to the lane above."""
        self._pane.next_lane(-1)

    def cursor_down(self) -> None:
        """Go to the lane below."""
        self._pane.next_lane(1)

    def page_up(self) -> None:
        """Go up a screen of lanes."""
        self._pane.page(-1)

    def page_down(self) -> None:
        """Go down a screen of lanes."""
        self._pane.page(1)

    def half_page_up(self) -> None:
        """Go up half a screen of lanes."""
        self._pane.page(-0.5)

    def half_page_down(self) -> None:
        """Go down half a screen of lanes."""
        self._pane.page(0.5)

    def home(self) -> None:
        """Go to the first step of the lane."""
        self._pane.end_of_lane(-1)

    def end(self) -> None:
        """Go to the last step of the lane."""
        self._pane.end_of_lane(1)

    @property
    def _pane(self) -> FlowPane:
        assert isinstance(self.parent, FlowPane)
        return self.parent

    def on_click(self, event: events.Click) -> None:
        """Select the step that was clicked; a double click also chooses it."""
        offset = event.get_content_offset(self)
        if self.model is None or offset is None or self._on_bar(event):
            return
        event.stop()
        self.post_message(FlowPane.Clicked(self.top + offset.y, offset.x - self._gutter, event.chain == 2))

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Zoom in with Control, else scroll the lanes."""
        if event.ctrl:
            event.stop()
            self.post_message(FlowPane.Wheel(2.0))
        else:
            super().on_mouse_scroll_up(event)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Zoom out with Control, else scroll the lanes."""
        if event.ctrl:
            event.stop()
            self.post_message(FlowPane.Wheel(0.5))
        else:
            super().on_mouse_scroll_down(event)


class _NearWindows(Ahead):
    """Makes the rows in view as they will look after a pan or a zoom."""

    _view: FlowView

    def _make(self) -> Iterator[None]:
        view, model = self._view, self._view.model
        if model is None or not model.ready or model.unsettled:
            return
        prepare = view.preparing()
        first, after = view.thumb
        for spot in model.near():
            for line in range(min(view.size.height, len(model) - view.top)):
                with model.as_if(spot):
                    made = prepare(view.top + line, line, first <= line < after)
                if made:
                    yield
            with model.as_if(spot):
                model.axis_lines(view.row_width)
            yield


class FlowPane(Vertical):
    """The timeline with its axis and its legend. Keys are bound by the screen, to the methods below."""

    DEFAULT_CSS: ClassVar[str] = """
    FlowPane { width: 1fr; height: 1fr; }
    """

    class Picked(Message):
        """Another node is selected in the timeline.

        Attributes:
            node_id: which.
            chosen: it was double-clicked: go to it.
        """

        def __init__(self, pane: FlowPane, node_id: str, chosen: bool = False) -> None:
            """Say which."""
            super().__init__()
            self.pane = pane
            self.node_id = node_id
            self.chosen = chosen

    class Settled(Message):
        """All steps were looked at, or it is known now which of them failed: the status changed."""

        def __init__(self, pane: FlowPane) -> None:
            """Say of which pane."""
            super().__init__()
            self.pane = pane

    class Clicked(Message):
        """A cell was clicked, by row and column."""

        def __init__(self, row: int, column: int, chosen: bool) -> None:
            """Say where."""
            super().__init__()
            self.row, self.column, self.chosen = row, column, chosen

    class Wheel(Message):
        """The wheel was turned with Control."""

        def __init__(self, factor: float) -> None:
            """Say how far."""
            super().__init__()
            self.factor = factor

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        """
        Args:
            id: see Textual; the view inside is `<id>-lanes`.
            classes: see Textual.
        """
        super().__init__(id=id, classes=classes)
        name = id or "flow"
        self.view = FlowView(id=f"{name}-lanes", empty_text=" no step was folded")
        self.model: FlowModel | None = None
        self._settling: Timer | None = None
        self._told = 0.0
        self._clock, self._rule, self._legend = Bar(id=f"{name}-clock"), Bar(id=f"{name}-rule"), Bar(id=f"{name}-legend")

    def compose(self) -> ComposeResult:
        """Axis, lanes, legend."""
        yield self._clock
        yield self._rule
        yield self.view
        yield self._legend

    def show(self, model: FlowModel) -> None:
        """Show a model; one whose steps were not looked at yet shows how far that is, and its lanes when it is done."""
        self.model = model
        model.build(_AT_FIRST)
        model.focused = self.view.has_focus
        if self.view.row_width:
            model.width(self.view.row_width)
        self.view.set_source(model, keep=False)
        self.changed()

    def changed(self) -> None:
        """Show what the model shows now; call it after every change of the model."""
        model = self.model
        if model is None:
            return
        model.allow(_IN_A_FRAME)
        self.view.empty_text = " no step was folded" if model.ready else f" {model.building_words()}"
        self.view.source_changed()
        if model.row is not None and self.view.cursor != model.row:
            self.view.move_to(model.row)
        width = self.view.row_width
        if width:
            clock, rule = model.axis_lines(width)
            self._clock.show(_indented(clock))
            self._rule.show(_indented(rule))
            self._legend.show(_indented(model.legend(width)))
        self._go_on_soon()

    def _go_on_soon(self) -> None:
        if self._settling is None and self.model is not None and (self.model.unsettled or not self.model.ready):
            self._settling = self.set_timer(_REST, self._go_on)

    def _go_on(self) -> None:
        """Go on, a little at a time, with what the first frame left out: looking at the steps, then at what their records say."""
        self._settling = None
        model, until = self.model, perf_counter() + _SLICE
        if model is None:
            return
        done = model.build(_SLICE) if not model.ready else self._settle(model, until)
        if done:
            self.post_message(self.Settled(self))
        if done or monotonic() - self._told > _TELL_EVERY:
            self._told = monotonic()
            self.changed()
        else:
            self._go_on_soon()

    @staticmethod
    def _settle(model: FlowModel, until: float) -> bool:
        while not (done := model.settle(_AT_ONCE)):
            if perf_counter() > until:
                return False
        return done

    def on_flow_view_resized(self, event: FlowView.Resized) -> None:
        """The axis follows the width."""
        event.stop()
        self.changed()

    def on_flow_pane_clicked(self, event: Clicked) -> None:
        """Select what was clicked."""
        event.stop()
        if self.model is not None:
            self._picked(self.model.pick(event.row, event.column), event.chosen)

    def on_flow_pane_wheel(self, event: Wheel) -> None:
        """Zoom."""
        event.stop()
        self.zoom(event.factor)

    # --- what keys do

    def next_event(self, step: int, across: bool = False) -> bool:
        """Select the next or previous step by time, in the lane or across all; False at the end."""
        return self.model is not None and self._picked(self.model.next_event(step, across))

    def next_lane(self, step: int) -> bool:
        """Select the nearest step so many lanes below or above; False at the end."""
        return self.model is not None and self._picked(self.model.next_lane(step))

    def page(self, pages: float) -> bool:
        """Go down or up by so many heights of the view."""
        rows = max(1, round(abs(pages) * (self.view.size.height - 1)))
        return self.next_lane(rows if pages > 0 else -rows)

    def end_of_lane(self, step: int) -> bool:
        """Select the last or first step of the lane."""
        return self.model is not None and self._picked(self.model.end_of_lane(step))

    def _picked(self, node_id: str | None, chosen: bool = False) -> bool:
        self.changed()
        if node_id is not None:
            self.post_message(self.Picked(self, node_id, chosen))
        return node_id is not None

    def select(self, node_id: str | None) -> bool:
        """Take over a selection made elsewhere; nothing is posted. Whether the node is on the timeline."""
        shown = self.model is not None and self.model.select(node_id)
        self.changed()
        return shown

    def zoom(self, factor: float) -> None:
        """Make the axis longer or shorter."""
        if self.model is not None:
            self.model.zoom(factor)
            self.changed()

    def fit(self) -> None:
        """Show the whole axis."""
        if self.model is not None:
            self.model.fit()
            self.changed()

    def pan(self, screens: float) -> None:
        """Move along the axis by so many widths of it."""
        if self.model is not None:
            self.model.pan(round(screens * self.model.cells))
            self.changed()

    def centre(self) -> None:
        """Bring the selection to the middle."""
        if self.model is not None:
            self.model.centre()
            self.changed()


def _indented(line: Line) -> Line:
    """A line of the axis under the gutter that the rows have."""
    return Line([(" ", ""), *line.left], line.right)


__all__ = ["FlowPane", "FlowView"]
