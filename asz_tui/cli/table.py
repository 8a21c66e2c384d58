"""Rows of text in columns that line up, measured in terminal cells. The texts must be safe already."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..text.cells import pad, width


def columns(rows: Sequence[Sequence[str]], right: frozenset[int]) -> Iterator[str]:
    """The rows with every column as wide as its widest cell; the last column is not filled up.

    Args:
        rows: all of the same length.
        right: the columns whose texts stand at the right.
    """
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [
            " " * (size - width(text)) + text if at in right else pad(text, size)
            for at, (text, size) in enumerate(zip(row, widths, strict=True))
        ]
        yield "  ".join(cells).rstrip()
