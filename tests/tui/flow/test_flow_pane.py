"""The timeline in a running app: what is on the screen, what keys and clicks select, and what a move repaints."""

from __future__ import annotations

from datetime import UTC

from textual.app import App, ComposeResult

from asz_tui.lines.flow_view import FlowPane
from asz_tui.panes.flow import FlowModel
from tests.tui.flow.helpers import opened


class FlowApp(App[None]):
    """Nothing but the pane."""

    ascii_mode = False

    def __init__(self, case: str) -> None:
        super().__init__()
        self.model = FlowModel(opened(case), UTC)
        self.picked: list[tuple[str, bool]] = []

    def compose(self) -> ComposeResult:
        yield FlowPane(id="flow")

    def on_mount(self) -> None:
        self.pane.show(self.model)
        self.pane.view.focus()

    @property
    def pane(self) -> FlowPane:
        return self.query_one(FlowPane)

    def on_flow_pane_picked(self, event: FlowPane.Picked) -> None:
        self.picked.append((event.node_id, event.chosen))

    def text(self) -> list[str]:
        return ["".join(part.text for part in strip).rstrip() for strip in self.screen._compositor.render_strips(self.size)]


async def test_axis_lanes_and_legend_stand_in_one_grid() -> None:
    app = FlowApp("pilot")
    async with app.run_test(size=(120, 12)) as pilot:
        app.pane.next_event(1)
        await pilot.pause()
        lines = app.text()
        assert "2026-01-01 00:00:00" in lines[0] and "25 min quiet" in lines[1]
        column = lines[1].index("▼")
        assert lines[2].startswith("❯main") and lines[2][column] == "❯"
        assert lines[3].startswith("  log-reader")
        assert "talk" in lines[11]
        gap = lines[1].index("┊")
        assert lines[2][gap] == lines[3][gap] == "┊"
        await pilot.resize_terminal(80, 12)
        await pilot.pause()
        lines = app.text()
        assert lines[1].index("┊") == lines[3].index("┊") < gap


async def test_moves_and_clicks_select() -> None:
    app = FlowApp("fleet")
    async with app.run_test(size=(120, 14)) as pilot:
        app.pane.next_event(1)
        view = app.pane.view
        view.cursor_down()
        await pilot.pause()
        assert view.cursor == app.model.row == 1
        view.end()
        view.page_down()
        await pilot.pause()
        assert view.cursor == app.model.row == 6
        assert [node_id for node_id, _ in app.picked][-1] == app.model.selected
        lane = app.model.lanes[6]
        tool = next(at for at, node in enumerate(lane.nodes) if node.kind == "tool")
        column = 1 + app.model.label_width(view.row_width) + app.model.axis.cell_of(lane.times[tool])
        await pilot.click(view, offset=(column, 6))
        assert app.picked[-1] == (app.model.selected, False)
        assert app.model.opened.conversation.fold.nodes[app.model.selected].kind == "tool"
        count = len(app.picked)
        assert app.pane.select(app.model.lanes[0].nodes[0].id)
        await pilot.pause()
        assert view.cursor == 0 and len(app.picked) == count, "a selection made elsewhere is not told again"


async def test_a_move_repaints_only_the_rows_that_differ() -> None:
    app = FlowApp("fleet")
    async with app.run_test(size=(120, 14)) as pilot:
        app.pane.next_event(1)
        await pilot.pause()
        asked: list[int] = []
        line = app.model.line
        app.model.line = lambda index, width: asked.append(index) or line(index, width)  # type: ignore[method-assign]
        app.pane.select(app.model.lanes[5].nodes[0].id)
        await pilot.pause()
        rows = {row for edge in app.model.edges for row in range(edge.from_row, edge.to_row + 1)} | {0, 5}
        assert set(asked) == rows
        asked.clear()
        app.pane.pan(0.5)
        await pilot.pause()
        assert not asked, "nothing moves when all is in view"
        app.pane.zoom(2)
        await pilot.pause()
        assert set(asked) == set(range(7))
