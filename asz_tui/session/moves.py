"""Where the keys lead in the Talks pane: next talk, next failed step, siblings, what contains a row. No Textual in here.

Each move looks at the trees from the cursor on and stops at the first find; lists of failed and open steps are remembered with
a tree.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable

from asz_core.document.tree import Tree

from .opened import Opened

PlacesOf = Callable[[Tree], list[int]]


def next_listed(opened: Opened, tree: Tree, place: int, step: int, places_of: PlacesOf) -> str | None:
    """The next node, in reading order, among those that `places_of` lists for each tree.

    Args:
        opened: the trees.
        tree: where the cursor is.
        place: the cursor's place in it.
        step: 1 for the next, -1 for the previous.
        places_of: places of a tree, in order.

    Returns:
        Its id, or None when there is none that way.
    """
    trees = opened.trees
    which = opened.place_of(tree) or 0
    places = places_of(tree)
    if step > 0:
        at = bisect_right(places, place)
        if at < len(places):
            return tree.nodes[places[at]].id
    else:
        at = bisect_left(places, place)
        if at:
            return tree.nodes[places[at - 1]].id
    which += step
    while 0 <= which < len(trees):
        places = places_of(trees[which])
        if places:
            return trees[which].nodes[places[0 if step > 0 else -1]].id
        which += step
    return None


def next_root(opened: Opened, tree: Tree, place: int, step: int, wanted: Callable[[Tree], bool]) -> str | None:
    """The root of the next tree that is wanted; from inside a wanted tree, «previous» is its own root first."""
    trees = opened.trees
    which = opened.place_of(tree) or 0
    if step < 0 and place > 0 and wanted(tree):
        return tree.nodes[0].id
    which += step
    while 0 <= which < len(trees):
        if wanted(trees[which]):
            return trees[which].nodes[0].id
        which += step
    return None


def sibling(opened: Opened, tree: Tree, place: int, step: int) -> str | None:
    """The next node of the same depth under the same parent; of a root, the next root."""
    depth = tree.depths[place]
    if depth == 0:
        which = (opened.place_of(tree) or 0) + step
        return opened.trees[which].nodes[0].id if 0 <= which < len(opened.trees) else None
    if step > 0:
        at = place + tree.sizes[place]
        return tree.nodes[at].id if at < len(tree.nodes) and tree.depths[at] == depth else None
    at = place - 1
    while tree.depths[at] > depth:
        at -= 1
    return tree.nodes[at].id if tree.depths[at] == depth else None


def parent(tree: Tree, place: int) -> str | None:
    """The node that contains the one at a place, inside its tree."""
    depth = tree.depths[place]
    if depth == 0:
        return None
    at = place - 1
    while tree.depths[at] >= depth:
        at -= 1
    return tree.nodes[at].id
