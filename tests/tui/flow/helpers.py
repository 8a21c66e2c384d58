"""Cases opened as timelines, and a timeline drawn to plain text: what the tests of the Flow pane share."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC
from pathlib import Path

from asz_core import Root
from asz_core.sessionflow import Node
from asz_core.vocabulary import is_step
from asz_tui.lines.line import fit
from asz_tui.panes.flow import FlowModel
from asz_tui.session.opened import Opened

CASES = Path(__file__).resolve().parents[2] / "data" / "conformance"
GOLDEN = Path(__file__).resolve().parent / "golden"
ALL = sorted(case.name for case in CASES.iterdir() if (case / "root").is_dir())


def opened(case: str, *, ascii_only: bool = False) -> Opened:
    """A conformance case, opened."""
    root = Root(CASES / case / "root")
    return Opened(root.load(root.conversations()[0]), ascii_only=ascii_only)


def flow(case: str, width: int = 120, *, ascii_only: bool = False) -> FlowModel:
    """The timeline of a case, on rows of so many cells."""
    model = FlowModel(opened(case, ascii_only=ascii_only), UTC)
    model.width(width)
    return model


def steps(source: Opened) -> Iterator[tuple[Node, int]]:
    """Every step of every tree with its time."""
    for tree, place in source.steps():
        if is_step(tree.nodes[place].kind):
            yield tree.nodes[place], tree.times[place]


def row_text(model: FlowModel, row: int, width: int = 120) -> str:
    """The cells of a row without its label."""
    line = model.line(row, width)
    text = "".join(part for part, _ in line.left)
    return text[model.label_width(width) :]


def roles(model: FlowModel, row: int, width: int = 120) -> list[str]:
    """The role of each cell of a row, without its label."""
    found = [role for text, role in model.line(row, width).left[2:] for _ in text]
    assert len(found) == width - model.label_width(width)
    return found


def drawn(model: FlowModel, width: int) -> list[str]:
    """The whole pane as text: what is shown, the axis, the lanes, the legend, the selection."""
    ellipsis = "~" if model.opened.grammar.ascii_only else "…"

    def text(line: object) -> str:
        return "".join(part for part, _ in fit(line, width, ellipsis)).rstrip()  # type: ignore[arg-type]

    lines = [model.status(), *(f" {text(line)}" for line in model.axis_lines(width))]
    for row in range(len(model)):
        line = model.line(row, width)
        lines.append(f"{line.mark or ' '}{text(line)}")
    return [*(line.rstrip() for line in lines), " " + text(model.legend(width)), " " + text(model.selection())]


def check_golden(name: str, lines: list[str]) -> None:
    """Compare with the golden of that name; with ASZ_GOLDEN=1 write it instead."""
    path = GOLDEN / f"{name}.txt"
    text = "\n".join(lines) + "\n"
    if os.environ.get("ASZ_GOLDEN"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text, f"{name} differs; look at it, then run with ASZ_GOLDEN=1"
