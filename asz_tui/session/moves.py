"""Where the keys lead in the Talks pane: next talk, next failed step, siblings, what contains a row. No Textual in here.

Each move looks at the trees from the cursor on and stops at the first find; lists of failed and open steps are remembered with
a tree. What may have to look at many trees is a walk that can be left off and gone on with (`walk_failed`, `walk_open`).
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator

from asz_core.document.tree import Tree

from .opened import Opened

_CALLS = frozenset({"tool", "agent.call"})

def walk_failed(opened: Opened, tree: Tree, place: int, step: int) -> Iterator[str | None]:
    """Look for the next failed or error step in reading order, a tree at a time.

    Args:
        opened: the trees.
        tree: where the cursor is.
        place: the cursor's place in it.
        step: 1 for the next, -1 for the previous.

    Yields:
        None where there was none; at last the id of the one that was found, if any.
    """
    return _walk(opened, tree, place, step, lambda tree: _whole(opened.failed_places(tree)))


def walk_open(opened: Opened, tree: Tree, place: int, step: int) -> Iterator[str | None]:
    """As `walk_failed`, for the steps that an open reference names, a call at a time."""
    return _walk(opened, tree, place, step, lambda tree: _open_places(opened, tree))


PlacesBy = Callable[[Tree], Generator[None, None, list[int]]]


def _whole(places: list[int]) -> Generator[None, None, list[int]]:
    yield
    return places


def _open_places(opened: Opened, tree: Tree) -> Generator[None, None, list[int]]:
    """As `Opened.open_places`, in pieces, and with a look at the record of a call only."""
    found = tree.marks.get("open")
    if found is None:
        found = []
        for place, node in enumerate(tree.nodes):
            if node.kind in _CALLS:
                if opened.grammar.is_open(node):
                    found.append(place)
                yield
        tree.marks["open"] = found
    return found


def _walk(opened: Opened, tree: Tree, place: int, step: int, places_by: PlacesBy) -> Iterator[str | None]:
    trees = opened.trees
    which = opened.place_of(tree) or 0
    places = yield from places_by(tree)
    here = [at for at in places if at > place] if step > 0 else [at for at in places if at < place]
    if here:
        yield tree.nodes[here[0] if step > 0 else here[-1]].id
        return
    which += step
    # A round that lands meanwhile changes the list in place; what was passed is not looked at again.
    while 0 <= which < len(trees):
        places = yield from places_by(trees[which])
        if places:
            yield trees[which].nodes[places[0 if step > 0 else -1]].id
            return
        which += step


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
