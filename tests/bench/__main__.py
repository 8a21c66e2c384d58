"""The performance bench: `python -m tests.bench` prints a table of figures with their targets.

Machines are noisy, so nearly every figure is a ratio to something measured in the same run. `python -m tests.bench ROOT ID` measures
a given conversation; the root is only read, and what has to land does so in a copy.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from asz_core import Root

from . import commands, flow, home, keys, live, rounds, search, soak, start, wire
from .pty_run import Late
from .setting import Setting
from .table import Note, Row, print_heading, print_rows

Section = Callable[[Setting], Iterator[Row | Note]]

SECTIONS: dict[str, tuple[str, Section]] = {
    "commands": ("whole documents and verification", commands.measure),
    "start": ("the first frame", start.measure),
    "keys": ("keys in the unfolded tree", keys.measure),
    "rounds": ("a round of 40 frames lands", rounds.measure),
    "search": ("search", search.measure),
    "home": ("the list of conversations", home.measure),
    "flow": ("the timeline", flow.measure),
    "wire": ("bytes on the line", wire.measure),
    "live": ("collecting and assembling", live.measure),
    "soak": ("a long time", soak.measure),
}


def _parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description="Measure asz-tui against its targets.")
    parser.add_argument("root", nargs="?", type=Path, help="a storage root to measure instead of made ones")
    parser.add_argument("id", nargs="?", help="its conversation, or the beginning of the id")
    parser.add_argument("--only", default="", help="sections, with commas: " + ", ".join(SECTIONS))
    parser.add_argument("--runs", type=int, default=1, help="measure each section so many times")
    parser.add_argument("--keep", type=Path, help="keep made roots in this folder, and use those that are there")
    parser.add_argument("--presses", type=int, default=40, help="of each key")
    parser.add_argument("--soak", type=int, default=1_000, help="rounds of the soak")
    parsed = parser.parse_args()
    if (parsed.root is None) != (parsed.id is None):
        parser.error("a root needs an id")
    unknown = set(filter(None, parsed.only.split(","))) - SECTIONS.keys()
    if unknown:
        parser.error(f"there is no section {', '.join(sorted(unknown))}")
    return parsed


def _run(section: Section, setting: Setting) -> list[Row | Note]:
    rows: list[Row | Note] = []
    try:
        for row in section(setting):
            rows.append(row)  # noqa: PERF402 - what was measured before something failed is kept
    except Late as late:
        rows.append(Note(f"ended early: {late}"))
    return rows


def main() -> None:
    """Measure."""
    parsed = _parsed()
    wanted = parsed.only.split(",") if parsed.only else list(SECTIONS)
    with tempfile.TemporaryDirectory(prefix="asz-bench-") as folder:
        keep = parsed.keep or Path(folder) / "made"
        keep.mkdir(parents=True, exist_ok=True)
        given = (parsed.root.resolve(), Root(parsed.root).resolve(parsed.id)) if parsed.root else None
        setting = Setting(Path(folder), keep.resolve(), given, parsed.presses, parsed.soak)
        for name in wanted:
            heading, section = SECTIONS[name]
            print_heading(f"{name}: {heading}  (load {os.getloadavg()[0]:.1f})" if hasattr(os, "getloadavg") else heading)
            print_rows([_run(section, setting) for _ in range(parsed.runs)])


if __name__ == "__main__":
    main()
