"""The timeline looked at in slices, taken over part by part, and painted as it will look after the next key."""

from __future__ import annotations

from datetime import UTC

import pytest

from asz_tui.panes.flow import FlowModel
from asz_tui.panes.flow.lanes import Bars
from tests.tui.flow.helpers import ALL, drawn, flow, opened


@pytest.mark.parametrize("case", ALL)
def test_a_timeline_built_in_slices_is_the_same(case: str) -> None:
    source = opened(case)
    model = FlowModel(source, UTC, whole=False)
    model.width(120)
    first = next((tree.nodes[0].id for tree in source.trees), None)
    model.select(first)
    if source.trees:
        assert not model.ready and len(model) == 0 and model.status().startswith("looking at the steps")
        assert not model.set_scope(first)
    while not model.build(0.0):
        assert 0.0 <= model.progress <= 1.0
    whole = flow(case)
    whole.select(first)
    assert model.ready and drawn(model, 120) == drawn(whole, 120)


def test_a_round_that_lands_before_the_first_look_is_done_begins_it_anew() -> None:
    model = FlowModel(opened("pilot"), UTC, whole=False)
    model.build(0.0)
    model.reload(set(), set())
    assert not model.ready
    model.build()
    model.width(120)
    assert drawn(model, 120) == drawn(flow("pilot"), 120)


def test_what_is_painted_ahead_is_what_the_key_shows() -> None:
    model = flow("pilot")
    model.zoom(4)
    model.centre()
    before = drawn(model, 120)
    ahead = []
    for spot in list(model.near()):
        with model.as_if(spot):
            ahead.append((spot, model._window_key, drawn(model, 120)))
        assert drawn(model, 120) == before
    assert len(ahead) >= 3
    seen = 0
    for act in (lambda: model.zoom(2), lambda: model.zoom(0.5), lambda: model.pan(round(model.cells / 2)), model.fit):
        act()
        for spot, key, lines in ahead:
            if key == model._window_key:
                seen += 1
                assert drawn(model, 120) == lines and spot.axis is model.axis
        model.zoom(0)
        model.fit()
        model.zoom(4)
        model.centre()
    assert seen >= 3


def test_bars_take_over_what_changed_at_their_end() -> None:
    bars = Bars.of([(1, 5), (2, 9), (10, 12)])
    assert bars.renew([(10, 12)], [(10, 14), (20, 21)])
    again = Bars.of([(1, 5), (2, 9), (10, 14), (20, 21)])
    assert bars == again
    assert not bars.renew([(1, 5)], []) and bars == again
    assert not bars.renew([], [(3, 4)]) and bars == again
    assert bars.renew([(20, 21), (10, 14), (2, 9), (1, 5)], [(7, 8)]) and bars == Bars.of([(7, 8)])
