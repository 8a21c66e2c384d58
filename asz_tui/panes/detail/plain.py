"""The plain text twin of the detail pane, for copies, exports and tests: the same rows, without styles.

Cost: everything is wrapped.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...lines.line import Line, fit
from ...lines.text_rows import Block, TextRows


def plain(items: Sequence[Block | Line], width: int = 80) -> str:
    """Write items as text.

    Args:
        items: as `DetailBuilder` makes them.
        width: cells of a row.

    Returns:
        The rows, without blanks at their ends, each with a line break.
    """
    rows = TextRows(items, width)
    rows.finish()
    texts = ("".join(text for text, _ in fit(rows.line(index, width), width)).rstrip() for index in range(len(rows)))
    return "".join(f"{text}\n" for text in texts)
