"""Rows that are decided on in slices, and walks that can be left off."""

from __future__ import annotations

import pytest

from asz_tui.session.moves import walk_failed, walk_open
from tests.tui.panes.helpers import PANES, never, opened

CASES = ("pilot", "stages")


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("pane", PANES)
@pytest.mark.parametrize("text", ["", "e", "re:a.*s"])
def test_rows_filled_in_slices_are_the_same(case: str, pane: str, text: str) -> None:
    from datetime import UTC

    whole, sliced = PANES[pane](opened(case), UTC), PANES[pane](opened(case), UTC)
    for rows in (whole, sliced):
        if hasattr(rows, "compute"):
            rows.compute(never)
            len(rows)
    told: list[int] = []
    sliced.at_once, sliced.behind = 0.0, lambda: told.append(1)
    assert whole.narrow(text) == sliced.narrow(text) == ""
    assert told and not sliced.filled
    before = sliced.version
    while not sliced.fill(0.0):
        pass
    assert sliced.filled and sliced.version != before
    assert [sliced.key(at) for at in range(len(sliced))] == [whole.key(at) for at in range(len(whole))]


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("step", [1, -1])
def test_walks_find_the_next_and_can_be_left_off(case: str, step: int) -> None:
    source = opened(case)
    every = list(source.steps())
    for walk, places_of in ((walk_failed, source.failed_places), (walk_open, source.open_places)):
        listed = [tree.nodes[place].id for tree in source.trees for place in places_of(tree)]
        order = {tree.nodes[place].id: at for at, (tree, place) in enumerate(every)}
        for tree in source.trees:
            tree.marks.pop("open", None)
        for at, (tree, place) in enumerate(every):
            found = [node_id for node_id in walk(source, tree, place, step) if node_id is not None]
            left = [node_id for node_id in listed if (order[node_id] > at if step > 0 else order[node_id] < at)]
            assert found == ([left[0] if step > 0 else left[-1]] if left else [])
