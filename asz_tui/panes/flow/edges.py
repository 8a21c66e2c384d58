"""Edges of the selection between lanes: which there are, and the signs they put on each row.

A relation is drawn from the lane and time of its `from` to those of its `to`: upright in the column where it begins, level on the
row where it ends, with an arrow there. An end that is a stream stands at its first step, for `reports` at its last output. A row
costs the edges that cross it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from .paint import Over
from .signs import DASHED, DOTTED, DOWN, LEFT, RIGHT, SOLID, STYLES, UP, Signs


@dataclass(frozen=True, slots=True)
class Edge:
    """One relation on the timeline.

    Attributes:
        style: `signs.SOLID`, `DASHED` or `DOTTED`.
        opens: it ends where its lane begins, so the room before that is free.
    """

    relation: str
    type: str
    quality: str
    style: int
    from_row: int
    from_time: int
    to_row: int
    to_time: int
    opens: bool


@dataclass(slots=True)
class _Box:
    """What crosses one cell."""

    sides: int = 0
    style: int = DOTTED
    arrow: str = ""


def style_of(quality: str) -> int:
    """How an edge of a quality is drawn."""
    return STYLES.get(quality, DOTTED)


def lay(edges: Iterable[Edge], row: int, cell: Callable[[int], int], width: int, signs: Signs) -> Over:
    """What edges put on one row.

    Args:
        edges: those drawn.
        row: which row.
        cell: time to cell of the window; outside it, below 0 or from `width` on.
        width: cells of the window.
        signs: what to draw with.
    """
    boxes: dict[int, _Box] = {}
    for edge in edges:
        if min(edge.from_row, edge.to_row) <= row <= max(edge.from_row, edge.to_row):
            _lay_one(edge, row, cell, width, signs, boxes)
    return {at: (box.arrow or signs.boxes[box.style][box.sides], "accent") for at, box in boxes.items() if 0 <= at < width}


def _lay_one(
    edge: Edge, row: int, cell: Callable[[int], int], width: int, signs: Signs, boxes: dict[int, _Box]
) -> None:
    begin, end = cell(edge.from_time), cell(edge.to_time)
    column = begin if begin != end else begin + (-1 if edge.opens and begin > 0 else 1)
    down = edge.to_row > edge.from_row
    if row not in (edge.from_row, edge.to_row):
        _add(boxes, column, UP | DOWN, edge.style)
    elif row == edge.from_row:
        if column != begin:
            _add(boxes, column, (DOWN if down else UP) | (RIGHT if column < begin else LEFT), edge.style)
    else:
        rightward = column < end
        _add(boxes, column, (UP if down else DOWN) | (RIGHT if rightward else LEFT), edge.style)
        between = range(column + 1, end) if rightward else range(end + 1, column)
        for at in range(max(0, between.start), min(width, between.stop)):
            _add(boxes, at, LEFT | RIGHT, edge.style)
        tip = end - 1 if rightward else end + 1
        _add(boxes, tip, LEFT | RIGHT, edge.style).arrow = signs.right if rightward else signs.left


def _add(boxes: dict[int, _Box], at: int, sides: int, style: int) -> _Box:
    box = boxes.setdefault(at, _Box())
    box.sides |= sides
    box.style = min(box.style, style)
    return box


__all__ = ["DASHED", "DOTTED", "SOLID", "Edge", "lay", "style_of"]
