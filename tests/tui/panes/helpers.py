"""Cases opened, rows drawn to plain text, and goldens: what the tests of the list panes share."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC
from pathlib import Path
from typing import Any

from asz_core import Root
from asz_tui.lines.line import fit
from asz_tui.panes.edges_rows import EdgesRows
from asz_tui.panes.segments_rows import SegmentsRows
from asz_tui.panes.streams_rows import StreamsRows
from asz_tui.panes.summary_rows import SummaryRows
from asz_tui.panes.tables import EntryRows
from asz_tui.panes.verification_rows import VerificationRows
from asz_tui.session.opened import Opened
from asz_tui.text.safe import visible

CASES = Path(__file__).resolve().parents[2] / "data" / "conformance"
GOLDEN = Path(__file__).resolve().parent / "golden"
PANES: dict[str, Callable[..., EntryRows]] = {
    "verification": VerificationRows,
    "streams": StreamsRows,
    "segments": SegmentsRows,
    "edges": EdgesRows,
    "summary": SummaryRows,
}


def never() -> bool:
    """A stop that does not stop."""
    return False


def opened(case: str, *, ascii_only: bool = False) -> Opened:
    """A conformance case, opened."""
    root = Root(CASES / case / "root")
    return Opened(root.load(root.conversations()[0]), ascii_only=ascii_only)


def rows_of(pane: str, source: Opened) -> Any:
    """A pane's rows with everything unfolded and counted."""
    rows: Any = PANES[pane](source, UTC)
    if isinstance(rows, SummaryRows):
        assert rows.compute(never)
    if hasattr(rows, "set_all"):
        rows.set_all(True)
    return rows


def drawn(rows: Any, width: int) -> list[str]:
    """Every row as the screen shows it, without the blanks at its end."""
    ellipsis = "~" if rows.ascii_only else "…"
    return ["".join(text for text, _ in fit(rows.line(index, width), width, ellipsis)).rstrip() for index in range(len(rows))]


def index_with(rows: Any, words: str, width: int = 120) -> int:
    """The first row that shows some words."""
    return next(index for index, line in enumerate(drawn(rows, width)) if words in line)


def check_rows(rows: Any, width: int, *, ascii_only: bool) -> None:
    """What holds for every row source: unique keys that are found again, and rows that no data can break."""
    keys = [rows.key(index) for index in range(len(rows))]
    assert len(set(keys)) == len(keys)
    for index, key in enumerate(keys):
        assert rows.index_of(key) == index
        line = rows.line(index, width)
        text = "".join(part for part, _ in [*line.left, *line.right])
        assert visible(text) == text
        assert not ascii_only or text.isascii()
    assert rows.index_of(("no", "such", "row")) is None


def check_golden(name: str, lines: list[str]) -> None:
    """Compare with the golden of that name; with ASZ_GOLDEN=1 write it instead."""
    path = GOLDEN / f"{name}.txt"
    text = "\n".join(lines) + "\n"
    if os.environ.get("ASZ_GOLDEN"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text, f"{name} differs; look at it, then run with ASZ_GOLDEN=1"
