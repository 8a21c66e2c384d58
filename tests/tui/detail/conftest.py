"""Conversations of the conformance cases as the detail pane sees them; each is loaded once."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from datetime import UTC
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from asz_core import Root
from asz_core.sessiondata.writer import landed_bytes
from asz_tui.panes.detail import DetailBuilder
from asz_tui.session.opened import Opened

CASES = Path(__file__).resolve().parents[2] / "data" / "conformance"


@cache
def _builder(case: str) -> DetailBuilder:
    return load(CASES / case / "root")


def load(path: Path) -> DetailBuilder:
    root = Root(path)
    return DetailBuilder(Opened(root.load(root.conversations()[0])), UTC)


@pytest.fixture(scope="session")
def detail() -> Callable[[str], DetailBuilder]:
    """The builder of a case."""
    return _builder


@pytest.fixture
def altered(tmp_path: Path) -> Callable[..., DetailBuilder]:
    """The builder of a copy of a case, with landed files added or taken away."""

    def make(case: str, *, add: list[tuple[str, list[dict[str, Any]]]] = (), remove: str = "") -> DetailBuilder:
        path = tmp_path / "root"
        shutil.copytree(CASES / case / "root", path)
        folder = next(path.glob("*/streams/main"))
        for number, (kind, records) in enumerate(add):
            header = {"seq": 900 + number, "kind": kind, "session": folder.parts[-3], "stream": "main", "src": "s", "dialect": "d"}
            name = f"{kind}-20260101T000000.000000000Z-{900 + number:06}.sd"
            (folder / name).write_bytes(landed_bytes(header, records))
        if remove:
            next(path.glob(f"*/streams/*/*-{remove}.sd")).unlink()
        return load(path)

    return make
