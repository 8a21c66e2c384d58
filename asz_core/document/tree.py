"""Containment as flat lists: the subtree of one node in reading order, with depths and subtree sizes.

A ``Tree`` is what a document's talk, a pane's rows and a talk's totals are all read from. It is made without recursion in one walk
over the subtree; the subtree of a node at place ``i`` is the slice ``i : i + size[i]``, counts of it are two look-ups in a running
sum, and «the first input» or «the last answer» under it is one bisection.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable

from ..sessionflow.fold import Fold
from ..sessionflow.frames import Node
from ..vocabulary import CONTAINERS

TimeOf = Callable[[int, int], int]


class Tree:
    """The subtree of ``root``, in record order under each node.

    Attributes:
        nodes, depths, sizes: by place; the root is at place 0 and depth 0.
        starts, ends: least and greatest time (nanoseconds) of the subtree at each place, 0 for none.
    """

    __slots__ = ("depths", "ends", "fold", "marks", "nodes", "sizes", "starts", "times", "totals")

    def __init__(self, fold: Fold, root: Node, time_of: TimeOf) -> None:
        """
        Args:
            fold: where the children come from.
            root: the node on top; a chain of parents that loops back to it ends there.
            time_of: (seq, row) to nanoseconds, 0 for none.
        """
        self.fold = fold
        self._walk(root)
        self._measure(time_of)
        self.marks: dict[str, list[int]] = {}
        self.totals: tuple[list[int], list[int], list[int]] | None = None

    def _walk(self, root: Node) -> None:
        self.nodes: list[Node] = []
        self.depths: list[int] = []
        children, parents = self.fold.children, self.fold.parents()
        add_node, add_depth = self.nodes.append, self.depths.append
        stack = [(root, 0)]
        root_id = root.id
        while stack:
            node, depth = stack.pop()
            add_node(node)
            add_depth(depth)
            if node.id in parents:
                depth += 1
                stack.extend([(child, depth) for child in reversed(children(node.id)) if child.id != root_id])

    def _measure(self, time_of: TimeOf) -> None:
        count = len(self.nodes)
        self.sizes = [1] * count
        times = self.times = [
            time_of(ref.seq, ref.row) if (ref := node.ref) is not None else 0 for node in self.nodes
        ]
        starts, ends = self.starts, self.ends = times[:], times[:]
        sizes, depths = self.sizes, self.depths
        above: list[int] = []
        parents = [0] * count
        for place, depth in enumerate(depths):
            del above[depth:]
            if depth:
                parents[place] = above[-1]
            above.append(place)
        for place in range(count - 1, 0, -1):
            parent = parents[place]
            sizes[parent] += sizes[place]
            start = starts[place]
            if start:
                if not starts[parent] or start < starts[parent]:
                    starts[parent] = start
                end = ends[place]
                if not ends[parent] or end > ends[parent]:
                    ends[parent] = end

    def count(self, place: int) -> tuple[int, int, int]:
        """Runs, steps and tool calls (tool and agent.call) in the subtree at a place, itself included."""
        if self.totals is None:
            self.totals = self._sum_up()
        end = place + self.sizes[place]
        runs, steps, tools = self.totals
        return runs[end] - runs[place], steps[end] - steps[place], tools[end] - tools[place]

    def _sum_up(self) -> tuple[list[int], list[int], list[int]]:
        runs, steps, tools = [0], [0], [0]
        run = step = tool = 0
        for node in self.nodes:
            kind = node.kind
            if kind not in CONTAINERS:
                step += 1
                if kind in ("tool", "agent.call"):
                    tool += 1
            elif kind == "run":
                run += 1
            runs.append(run)
            steps.append(step)
            tools.append(tool)
        return runs, steps, tools

    def places(self, name: str, wanted: frozenset[str]) -> list[int]:
        """Places, in order, of the nodes with a ref whose kind is wanted; remembered under ``name``."""
        found = self.marks.get(name)
        if found is None:
            found = self.marks[name] = [
                place for place, node in enumerate(self.nodes) if node.kind in wanted and node.ref is not None
            ]
        return found

    def within(self, name: str, wanted: frozenset[str], place: int) -> list[int]:
        """``places`` that lie in the subtree at a place."""
        found = self.places(name, wanted)
        low = bisect_left(found, place)
        return found[low : bisect_left(found, place + self.sizes[place], low)]

    def first_within(self, name: str, wanted: frozenset[str], place: int) -> Node | None:
        """The first of ``within``, or None."""
        found = self.places(name, wanted)
        low = bisect_left(found, place)
        if low < len(found) and found[low] < place + self.sizes[place]:
            return self.nodes[found[low]]
        return None

    def last_within(self, name: str, wanted: frozenset[str], place: int) -> Node | None:
        """The last of ``within``, or None."""
        found = self.places(name, wanted)
        high = bisect_left(found, place + self.sizes[place])
        if high and found[high - 1] >= place:
            return self.nodes[found[high - 1]]
        return None
