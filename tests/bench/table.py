"""The table of the bench: what was measured, its value, the target, and whether it holds."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

_WIDE = 56


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure of one run.

    Attributes:
        what: what was measured.
        value: the number that the target is about.
        unit: of the value; «x» for a ratio.
        target: the most that it may be, None where there is no target.
        note: what the ratio was made from.
    """

    what: str
    value: float
    unit: str
    target: float | None = None
    note: str = ""

    def shown(self) -> str:
        """The value with its unit."""
        if self.unit == "x":
            return f"{self.value:.2f} x"
        return f"{self.value:,.0f} {self.unit}" if self.value >= 10 or self.value == 0 else f"{self.value:.2g} {self.unit}"


def heading(words: str) -> None:
    """Say what comes."""
    print(f"\n{words}", flush=True)


def row(figure: Figure) -> None:
    """Print one figure as it is measured."""
    print(
        f"  {figure.what:<{_WIDE}} {figure.shown():>12}  {_target(figure):<14} {_mark([figure.value], figure.target):<5} {figure.note}",
        flush=True,
    )


def summary(runs: Sequence[Sequence[Figure]]) -> None:
    """Print the figures of several runs side by side; the middle one decides."""
    if len(runs) < 2:
        return
    heading(f"{len(runs)} runs side by side; the middle one is held against the target")
    by_name = [{figure.what: figure for figure in run} for run in runs]
    for first in runs[0]:
        figures = [named[first.what] for named in by_name if first.what in named]
        values = "  ".join(f"{figure.shown():>10}" for figure in figures)
        print(
            f"  {first.what:<{_WIDE}} {values}  {_target(first):<14} {_mark([f.value for f in figures], first.target)}", flush=True
        )


def _target(figure: Figure) -> str:
    if figure.target is None:
        return ""
    return f"<= {Figure('', figure.target, figure.unit).shown()}"


def _mark(values: list[float], target: float | None) -> str:
    if target is None:
        return ""
    return "ok" if statistics.median(values) <= target else "OVER"
