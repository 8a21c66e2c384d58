"""The table: a row is a figure with its target beside it and whether it is kept; several runs stand side by side."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable
from dataclasses import dataclass

_NAME, _FIGURE, _TARGET = 58, 22, 14


@dataclass(frozen=True, slots=True)
class Row:
    """One figure.

    Attributes:
        name: what was measured.
        value: the figure; a ratio where the unit is `x`.
        unit: of it.
        raw: what the figure was made of.
        limit: the most it may be, or None where there is no target.
    """

    name: str
    value: float
    unit: str = "x"
    raw: str = ""
    limit: float | None = None


@dataclass(frozen=True, slots=True)
class Note:
    """A sentence in place of figures."""

    text: str


def percentile(values: Iterable[float], part: float = 0.95) -> float:
    """The value that so large a part of the values does not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, math.ceil(part * len(ordered)) - 1)] if ordered else math.nan


def milliseconds(values: Iterable[float]) -> str:
    """Seconds as their median, p95 and most, in milliseconds."""
    values = list(values)
    middle, most = statistics.median(values), max(values)
    return f"median {middle * 1000:.1f}, p95 {percentile(values) * 1000:.1f}, most {most * 1000:.1f} ms"


def print_heading(text: str) -> None:
    """Begin a section."""
    print(f"\n{text}", flush=True)


def print_rows(runs: list[list[Row | Note]]) -> None:
    """Print a section: what each of its runs measured, side by side, with the raw figures of the last."""
    for note in {entry.text: None for run in runs for entry in run if isinstance(entry, Note)}:
        print(f"  {note}", flush=True)
    names = {entry.name: None for run in runs for entry in run if isinstance(entry, Row)}
    for name in names:
        _print_row([entry for run in runs for entry in run if isinstance(entry, Row) and entry.name == name])


def _print_row(rows: list[Row]) -> None:
    last = rows[-1]
    figures = " ".join(_number(row) for row in rows) + (f" {last.unit}" if last.unit and math.isfinite(last.value) else "")
    target = "" if last.limit is None else f"<= {_plain(last.limit)} {last.unit}".rstrip()
    print(f"  {last.name:<{_NAME}} {figures:>{_FIGURE}}  {target:<{_TARGET}} {_mark(rows):<9} {last.raw}".rstrip(), flush=True)


def _number(row: Row) -> str:
    if not math.isfinite(row.value):
        return "never"
    if row.unit == "x":
        return f"{row.value:.2f}"
    return f"{row.value:,.0f}" if row.value >= 100 or row.value == int(row.value) else f"{row.value:.2f}"


def _plain(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:g}"


def _mark(rows: list[Row]) -> str:
    """Kept in how many of the runs; one word when they agree."""
    limit = rows[-1].limit
    if limit is None:
        return ""
    kept = sum(1 for row in rows if row.value <= limit)
    return "ok" if kept == len(rows) else "OVER" if not kept else f"ok {kept}/{len(rows)}"
