"""A source root and a storage root that tests write into and collect."""

from __future__ import annotations

import os
from pathlib import Path

import orjson

from asz_core.collect import Collector, PassReport

DATA = Path(__file__).parents[2] / "data" / "collect"
SESSION = "0f0e0d0c-1111-4222-8333-444444444444"
AGENT = "a00c0ffee00c0ffee"
PROJECT = "-srv-shop"
MAIN = f"{PROJECT}/{SESSION}.jsonl"
DAY = 1_767_312_000_000_000_000
"""2026-01-02T00:00:00Z."""


class Place:
    """Sources and the root they are collected into; each pass is a second later than the one before."""

    def __init__(self, base: Path) -> None:
        self.source, self.root = base / "projects", base / "root"
        self.source.mkdir()
        self.passes = 0
        self.collector = self.new_collector()

    def new_collector(self, **options: object) -> Collector:
        """A collector as another process would have it."""
        self.collector = Collector(self.source, self.root, clock=self.now, **options)  # type: ignore[arg-type]
        return self.collector

    def now(self) -> int:
        return DAY + self.passes * 1_000_000_000

    def path(self, rel: str = MAIN) -> Path:
        return self.source / rel

    def write(self, data: bytes, rel: str = MAIN, *, append: bool = False) -> Path:
        """Write a source; the inode stays."""
        path = self.path(rel)
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab" if append else "wb") as file:
            file.write(data)
        return path

    def replace(self, data: bytes, rel: str = MAIN) -> Path:
        """Put another file in the place of a source."""
        new = self.path(rel + ".new")
        new.write_bytes(data)
        os.replace(new, self.path(rel))
        return self.path(rel)

    def collect(self) -> PassReport:
        """One pass."""
        self.passes += 1
        return self.collector.collect_pass()

    def files(self) -> list[Path]:
        """The landed files, by sequence."""
        return sorted(self.root.rglob("*.sd"), key=lambda path: (int(path.name[:-3].rpartition("-")[2]), path))

    def rows(self, prefix: str = "") -> list[tuple[int, int, int]]:
        """Sequence, number and offset of every landed record."""
        found = []
        for path in self.files():
            seq = int(path.name[:-3].rpartition("-")[2])
            lines = path.read_bytes().splitlines()[1:-1]
            if path.name.startswith(prefix):
                found += [(seq, record["ord"], record["off"]) for record in map(orjson.loads, lines)]
        return found

    def cursor(self, where: str = "streams/main/transcript") -> dict[str, str]:
        """What a cursor says."""
        text = (self.root / SESSION / f"{where}.cursor").read_text()
        return dict(line.split(None, 1) for line in text.splitlines())


def line(name: str) -> bytes:
    """A record with an id."""
    return b'{"type":"user","uuid":"%s"}\n' % name.encode()
