"""The Flow pane without a screen: where steps, bars and edges stand, how the selection moves, what a round that lands costs."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC
from pathlib import Path

import pytest

from asz_core import Root
from asz_core.document.model import ViewNode
from asz_tui.demo.live import LivePublisher
from asz_tui.glyphs import FAMILIES
from asz_tui.panes.flow import FlowModel
from asz_tui.panes.flow.signs import ASCII, FAILED, INTERVAL, RUN, TALK, TURN, UNICODE
from asz_tui.session.opened import ERRORS, Opened
from asz_tui.text.safe import visible
from tests.tui.flow.helpers import ALL, CASES, check_golden, drawn, flow, roles, row_text, steps

SHOWN = ("pilot", "fleet", "idle", "stages", "craft")
RICH = (*SHOWN, "extras", "losses", "hostile", "chaos-1", "craft-order", "coherent-3", "fuzz-105", "system")


@pytest.mark.parametrize("ascii_only", [False, True], ids=["unicode", "ascii"])
@pytest.mark.parametrize("case", SHOWN)
def test_golden(case: str, ascii_only: bool) -> None:
    for width in (120, 80):
        model = flow(case, width, ascii_only=ascii_only)
        call = next((node.id for node, _ in steps(model.opened) if node.kind == "agent.call"), None)
        model.select(call) if call else model.next_event(1)
        lines = drawn(model, width)
        model.set_stream("main")
        lines += ["", *drawn(model, width)]
        assert not ascii_only or all(line.isascii() for line in lines)
        check_golden(f"{case}-{width}{'-ascii' if ascii_only else ''}", lines)


# --- where things stand


@pytest.mark.parametrize("case", ALL)
def test_every_step_stands_in_its_lane_at_its_time(case: str) -> None:
    model = flow(case)
    for zoomed in (False, True):
        for node, time in steps(model.opened):
            if zoomed:
                model.set_stream(node.stream)
            place = model.place(node.id)
            assert place is not None, node.id
            row, at, when = place
            lane = model.lanes[row]
            assert at is not None and lane.nodes[at].id == node.id
            assert lane.key == (FAMILIES.get(node.kind, "notices") if zoomed else node.stream)
            assert when == time or (not time and node.id in lane.placed)
            cell = model.axis.cell_of(when)
            assert model.axis.start_of(cell) <= when < model.axis.start_of(cell + 1)
            if time:
                assert any(start <= time <= end for start, end in model.axis.stretches)
        assert sum(len(lane.times) for lane in model.lanes) == model.opened.step_count or zoomed


@pytest.mark.parametrize("case", RICH)
def test_every_cell_with_a_step_shows_a_mark_of_it(case: str) -> None:
    model = flow(case)
    for row, lane in enumerate(model.lanes):
        text = row_text(model, row)
        cells: dict[int, set[str]] = {}
        for at, time in enumerate(lane.times):
            cells.setdefault(model.axis.cell_of(time), set()).add(model.painter.mark(lane, at)[0])
        for cell, marks in cells.items():
            assert text[cell] in marks
        others = {text[cell] for cell in range(len(text)) if cell not in cells}
        plain = {*UNICODE.bars, *UNICODE.counts, UNICODE.gap, UNICODE.untimed, " "}
        assert others <= plain


def _view_bars(model: FlowModel, sort: int) -> list[tuple[str, int, int]]:
    """(lane, start, end) of the bars of one sort, from what the document says."""
    found = []
    conversation = model.opened.conversation

    def walk(view: ViewNode) -> None:
        stack = [view]
        while stack:
            node = stack.pop()
            stack += node.children or []
            node_time = 0
            raw = conversation.fold.nodes[node.id]
            if raw.ref is not None:
                node_time = conversation.data.time(raw.ref.seq, raw.ref.row)
            if sort == INTERVAL and node.request_to_result_join:
                start = conversation.data.time(raw.refs[0].seq, raw.refs[0].row)
                end = conversation.data.time(raw.refs[1].seq, raw.refs[1].row)
                assert (end - start) // 1_000_000 == node.request_to_result_ms
                found.append((node.stream, start, end))
            elif sort == TURN and node.duration_ms > 0 and node_time:
                found.append((node.stream, node_time - node.duration_ms * 1_000_000, node_time))
            elif node.kind == ("talk", "run", "", "")[sort]:
                tree, place = model.opened.locate(node.id)
                if tree.starts[place]:
                    found.append((node.stream, tree.starts[place], tree.ends[place]))

    document = conversation.document()
    for top in [*document.talks, *document.loose]:
        walk(top)
    return found


@pytest.mark.parametrize("sort", [TALK, RUN, INTERVAL, TURN])
@pytest.mark.parametrize("case", RICH)
def test_bars_are_the_durations_that_the_document_states(case: str, sort: int) -> None:
    model = flow(case)
    for lane in model.lanes:
        if lane.turns:
            model.index.measure_turns(lane)
    bars = [(lane.key, start, end) for lane in model.lanes for start, end in zip(lane.bars[sort].starts, lane.bars[sort].ends, strict=True)]
    assert sorted(set(bars)) == sorted(set(_view_bars(model, sort)))


@pytest.mark.parametrize("case", RICH)
def test_bars_begin_and_end_at_the_cells_of_their_times(case: str) -> None:
    model = flow(case)
    for factor in (1.0, 3.0):
        model.zoom(factor)
        for row, lane in enumerate(model.lanes):
            text = row_text(model, row)
            first = model.first
            for sort in (INTERVAL,):
                covered = set()
                for start, end in zip(lane.bars[sort].starts, lane.bars[sort].ends, strict=True):
                    covered |= set(range(model.axis.cell_of(start) - first, model.axis.cell_of(end) + 1 - first))
                shown = {cell for cell, sign in enumerate(text) if sign == UNICODE.bars[sort]}
                assert shown <= covered
                marked = {model.axis.cell_of(time) - first for time in lane.times}
                hidden = {cell for cell in covered if 0 <= cell < model.cells} - shown
                assert all(cell in marked or cell - 1 in marked for cell in hidden)


@pytest.mark.parametrize("case", ALL)
def test_what_failed_is_what_the_document_says(case: str) -> None:
    model = flow(case)
    failed = set()
    for lane in model.lanes:
        for at, node in enumerate(lane.nodes):
            model.painter.mark(lane, at)
            if lane.ranks[at] == FAILED:
                failed.add(node.id)
    expected = set()
    for tree in model.opened.trees:
        expected |= {tree.nodes[place].id for place in model.opened.failed_places(tree)}
    views = {node_id for node_id in expected if model.opened.conversation.view(node_id).failed is True}
    assert failed == views
    assert all(model.opened.conversation.fold.nodes[node_id].kind in ERRORS for node_id in expected - views)


def test_failures_are_looked_up_within_a_budget() -> None:
    for case in ("pilot", "losses", "fuzz-105"):
        lines = drawn(flow(case), 120)
        model = flow(case)
        model.allow(0)
        first = drawn(model, 120)
        assert lines == first or model.unsettled
        while not model.settle(1):
            assert "looking for failures" in model.status()
        assert drawn(model, 120) == lines


def test_a_failed_step_wins_its_cell() -> None:
    model = flow("pilot")
    lane = model.lanes[0]
    cells = {model.axis.cell_of(time) for at, time in enumerate(lane.times) if model.painter.mark(lane, at)[0] == "✗"}
    text, row_roles = row_text(model, 0), roles(model, 0)
    assert cells
    for cell in cells:
        assert text[cell] == "✗"
        assert "error" in row_roles[cell]


def test_steps_without_a_time_stand_by_position_and_say_so() -> None:
    model = flow("craft")
    placed = [(lane, node_id, at) for lane in model.lanes for node_id, at in lane.placed.items()]
    assert len(placed) == 4
    for lane, node_id, at in placed:
        cell = model.axis.cell_of(at)
        assert row_text(model, model.index_of(lane.key))[cell + 1] == "?"
        model.select(node_id)
        assert "no time of its own" in "".join(text for text, _ in model.selection().left)
        index = lane.find(node_id, at)
        assert index is not None
        assert lane.nodes[index - 1].id in lane.placed or lane.times[index - 1] == at or index == len(lane.times) - 1


def test_crowded_cells_say_how_many() -> None:
    model = flow("pilot")
    for row, lane in enumerate(model.lanes):
        text = row_text(model, row)
        counts: dict[int, int] = {}
        for time in lane.times:
            cell = model.axis.cell_of(time)
            counts[cell] = counts.get(cell, 0) + 1
        for cell, count in counts.items():
            if cell + 1 < len(text) and cell + 1 not in counts:
                assert (text[cell + 1] == UNICODE.counts[min(count, 10) - 2]) == (count > 1) or text[cell + 1] == UNICODE.gap


# --- moving


@pytest.mark.parametrize("case", RICH)
def test_next_event_visits_every_step_and_back(case: str) -> None:
    model = flow(case)
    every = {node.id for node, _ in steps(model.opened)}
    seen = []
    step = model.next_event(1, across=True)
    while step is not None:
        seen.append(step)
        step = model.next_event(1, across=True)
    assert len(seen) == len(set(seen)) and set(seen) == every
    times = [model.place(node_id)[2] for node_id in seen]
    assert times == sorted(times)
    back = [seen[-1]]
    while (step := model.next_event(-1, across=True)) is not None:
        back.append(step)
    assert back == seen[::-1]
    for lane in model.lanes:
        if lane.nodes:
            model.select(lane.nodes[0].id)
            found = [lane.nodes[0].id]
            while (step := model.next_event(1)) is not None:
                found.append(step)
            assert found == [node.id for node in lane.nodes]
            assert model.end_of_lane(-1) == found[0] and model.end_of_lane(1) == found[-1]


@pytest.mark.parametrize("case", RICH)
def test_lanes_are_reached_by_the_nearest_step(case: str) -> None:
    model = flow(case)
    model.next_event(1)
    rows = [row for row, lane in enumerate(model.lanes) if lane.times]
    seen = [model.row]
    while model.next_lane(1) is not None:
        seen.append(model.row)
        row, at, _ = model.place(model.selected)
        assert row == model.row and at is not None
    assert seen == rows[rows.index(seen[0]) :]
    while model.next_lane(-1) is not None:
        pass
    assert model.row == rows[0]


def test_a_selection_comes_from_the_tree_and_leads_out_of_what_hides_it() -> None:
    model = flow("fleet")
    child = next(node for node, _ in steps(model.opened) if node.stream != "main")
    assert model.set_stream("main")
    assert model.select(child.id)
    assert model.stream is None and model.lanes[model.row].key == child.stream
    talk = next(tree.nodes[0].id for tree in model.opened.trees if tree.nodes[0].stream == child.stream)
    assert model.set_scope(talk)
    assert [lane.key for lane in model.lanes] == [child.stream]
    main = next(node for node, _ in steps(model.opened) if node.stream == "main")
    assert model.select(main.id)
    assert model.scope is None and len(model) == 7
    assert model.select(model.opened.trees[0].nodes[0].id), "a talk stands where it begins"
    assert not model.select("no/such/node") and model.row is None
    assert not model.set_scope("no/such/talk") and not model.set_stream("no such stream")


def test_one_talk_shows_the_streams_it_started() -> None:
    model = flow("pilot")
    talk = model.opened.trees[0].nodes[0].id
    model.set_scope(talk)
    assert [lane.label for lane in model.lanes] == ["main", "log-reader"]
    other = next(tree for tree in model.opened.trees[1:] if tree.nodes[0].stream == "main" and tree.nodes[0].kind == "talk")
    model.set_scope(other.nodes[0].id)
    assert [lane.label for lane in model.lanes] == ["main"]
    assert "one talk" in model.status()


def test_a_click_picks_what_is_there() -> None:
    model = flow("pilot")
    labels = model.label_width(120)
    for row, lane in enumerate(model.lanes):
        for node, time in zip(lane.nodes, lane.times, strict=True):
            cell = model.axis.cell_of(time)
            picked = model.pick(row, labels + cell)
            assert picked is not None
            assert model.axis.cell_of(model.place(picked)[2]) == cell, node.id
    assert model.pick(99, 30) is None
    assert model.pick(0, 2) is not None, "a click on the label selects in its lane"


# --- zoom and pan


def test_zoom_keeps_the_selection_in_its_column_and_pan_stops_at_the_ends() -> None:
    model = flow("pilot")
    model.select(model.lanes[0].nodes[20].id)
    time = model.place(model.selected)[2]
    before = model.axis.cell_of(time) - model.first
    cells = model.axis.cells
    model.zoom(4)
    assert model.axis.cells == 4 * cells and not model.fits
    assert model.axis.cell_of(time) - model.first in (before, max(0, before))
    model.pan(-10_000)
    assert model.first == 0
    model.pan(10_000)
    assert model.first == model.axis.cells - model.cells
    model.centre()
    assert abs(model.axis.cell_of(time) - model.first - model.cells // 2) <= 1 or model.first == 0
    for _ in range(60):
        model.zoom(2)
    assert model.axis.cells <= 1 << 22
    model.zoom(0)
    assert model.fits and model.status().endswith("fit")


@pytest.mark.parametrize("width", [9, 20, 37, 80, 200])
@pytest.mark.parametrize("case", ["pilot", "craft", "hostile", "broken-empty-round", "hello"])
def test_rows_have_their_width_and_are_safe(case: str, width: int) -> None:
    for ascii_only in (False, True):
        model = flow(case, width, ascii_only=ascii_only)
        model.next_event(1)
        for _ in range(3):
            for row in range(len(model)):
                text = "".join(part for part, _ in model.line(row, width).left)
                assert visible(text) == text and (text.isascii() or not ascii_only)
            model.zoom(3)
            model.pan(7)


# --- edges


def _edge_signs(signs: object, style: int) -> set[str]:
    return set(signs.boxes[style].values())  # type: ignore[attr-defined]


@pytest.mark.parametrize("signs", [UNICODE, ASCII], ids=["unicode", "ascii"])
@pytest.mark.parametrize(
    ("case", "quality", "style"), [("pilot", "exact_unique", 0), ("fleet", "strong_inference", 1), ("craft", "exact_ambiguous", 1)]
)
def test_edges_join_the_right_lanes_in_the_right_style(case: str, quality: str, style: int, signs: object) -> None:
    model = flow(case, ascii_only=signs is ASCII)
    relation = next(r for r in model.opened.conversation.fold.relations.values() if r.type == "starts" and r.quality == quality)
    assert model.select(relation.from_)
    child = model.opened.conversation.fold.nodes[relation.to].stream
    edge = next(edge for edge in model.edges if edge.relation == relation.id)
    assert edge.style == style
    assert (model.lanes[edge.from_row].key, model.lanes[edge.to_row].key) == ("main", child)
    assert edge.to_time == model.lanes[edge.to_row].times[0]
    text, row_roles = row_text(model, edge.to_row), roles(model, edge.to_row)
    line = {cell for cell, role in enumerate(row_roles) if role == "accent"}
    assert line and {text[cell] for cell in line} <= _edge_signs(signs, style) | {signs.right, signs.left}  # type: ignore[attr-defined]
    assert any(text[cell] in (signs.right, signs.left) for cell in line)  # type: ignore[attr-defined]
    # From the other end it is the same edge.
    model.select(model.lanes[edge.to_row].nodes[0].id)
    assert edge.relation in {other.relation for other in model.edges}


def test_weaker_edges_are_dotted() -> None:
    model = flow("craft")
    found = {}
    for node, _ in steps(model.opened):
        model.select(node.id)
        found |= {edge.quality: edge.style for edge in model.edges}
    assert found == {"exact_ambiguous": 1} | {q: 2 for q in found if q not in ("exact_ambiguous",)}


def test_edges_touch_only_the_rows_between_their_ends() -> None:
    model = flow("fleet")
    before = [model.row_version(row) for row in range(len(model))]
    call = next(r for r in model.opened.conversation.fold.relations.values() if r.type == "starts")
    model.select(call.from_)
    after = [model.row_version(row) for row in range(len(model))]
    rows = {row for edge in model.edges for row in range(edge.from_row, edge.to_row + 1)}
    assert {row for row in range(len(model)) if before[row] != after[row]} == rows
    drawn_rows = {row for row in range(len(model)) if "accent" in roles(model, row)}
    assert drawn_rows | {model.row} == rows


def test_a_report_comes_back_from_the_last_output() -> None:
    model = flow("pilot")
    relation = next(r for r in model.opened.conversation.fold.relations.values() if r.type == "reports")
    model.select(relation.from_)
    (edge,) = model.edges
    child = model.lanes[edge.to_row]
    assert (child.label, edge.type) == ("log-reader", "reports")
    assert child.nodes[child.find(f"output/{child.key}", edge.to_time)].kind == "agent.output"
    assert "◂" in row_text(model, edge.to_row)


# --- what lands


def _shape(model: FlowModel) -> object:
    shape = []
    for lane in model.lanes:
        bars = [(bars.starts, bars.ends, bars.reach) for bars in lane.bars[:3]]
        for at in range(len(lane.nodes)):
            model.painter.mark(lane, at)
        named = lane.key, lane.label, lane.depth
        shape.append((named, lane.times, [node.id for node in lane.nodes], bytes(lane.ranks), lane.placed, bars))
    return shape


@pytest.mark.parametrize("case", ["stages", "pilot", "losses", "coherent-1", "coherent-5", "chaos-3", "craft"])
def test_taking_in_rounds_gives_the_same_as_beginning_anew(case: str, tmp_path: Path) -> None:
    source = CASES / case / "root"
    conversation = Root(source).conversations()[0]
    publisher = LivePublisher(tmp_path, source=source, conversation=conversation)
    assert publisher.publish_next() is not None
    live = Opened(Root(tmp_path).load(conversation))
    model = FlowModel(live, UTC)
    model.width(120)
    while publisher.publish_next() is not None:
        applied = live.take(live.conversation.read_new())
        ids: set[str] = set()
        for delta in applied.update.deltas:
            ids |= delta.added | delta.changed | delta.removed
        model.reload(applied.roots, ids)
        fresh = FlowModel(live, UTC)
        fresh.width(120)
        assert _shape(model) == _shape(fresh)
        assert model.axis.stretches == fresh.axis.stretches
        assert [drawn(model, 120)] == [drawn(fresh, 120)]


def test_a_round_joins_only_the_lanes_it_touches(tmp_path: Path) -> None:
    source = CASES / "stages" / "root"
    conversation = Root(source).conversations()[0]
    publisher = LivePublisher(tmp_path, source=source, conversation=conversation)
    for _ in range(3):
        publisher.publish_next()
    live = Opened(Root(tmp_path).load(conversation))
    model = FlowModel(live, UTC)
    lanes = {lane.key: (lane, lane.stamp) for lane in model.lanes}
    publisher.publish_next()
    applied = live.take(live.conversation.read_new())
    changed = {
        live.conversation.fold.nodes[node_id].stream for node_id in applied.added | applied.changed if live.is_step(node_id)
    }
    ids = set().union(*(d.added | d.changed | d.removed for d in applied.update.deltas))
    model.reload(applied.roots, ids)
    same = {lane.key for lane in model.lanes if lanes.get(lane.key) == (lane, lane.stamp)}
    assert same and not same & changed


# --- what painting costs


class _Many:
    """A lane-heavy timeline without data: thousands of steps over some lanes."""

    def __init__(self, copies: int) -> None:
        self.model = flow("pilot")
        lane = self.model.lanes[0]
        nodes, ranks = lane.nodes * copies, bytearray(lane.ranks) * copies
        order = sorted(range(len(nodes)), key=lambda at: lane.times[at % len(lane.times)])
        lane.times = [lane.times[at % len(lane.times)] for at in order]
        lane.nodes, lane.ranks = [nodes[at] for at in order], bytearray(ranks[at] for at in order)


def _touched(model: FlowModel, act: Callable[[], object]) -> int:
    act()
    model.painter.touched = 0
    for row in range(len(model)):
        model.line(row, 120)
    return model.painter.touched


def test_painting_touches_cells_and_not_steps() -> None:
    few, many = _Many(1).model, _Many(400).model
    assert len(many.lanes[0].times) == 400 * len(few.lanes[0].times)
    _touched(few, lambda: None), _touched(many, lambda: None)
    for act in (lambda m: None, lambda m: m.zoom(8), lambda m: m.pan(50), lambda m: m.fit()):
        assert _touched(many, lambda act=act: act(many)) == _touched(few, lambda act=act: act(few)) <= 2 * few.cells


def test_matches_are_marked() -> None:
    model = flow("pilot")
    node = model.lanes[0].nodes[-1]
    model.match = {node.id}
    assert roles(model, 0)[model.axis.cell_of(model.lanes[0].times[-1])].endswith("match")
    model.match = set()
    assert not any("match" in role for role in roles(model, 0))
