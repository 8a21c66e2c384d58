"""Bounds that are not tried since no round through them can fit (the assembling specification, §18): the rounds stay the same."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from asz_core.assemble import Assembler, assembler
from asz_core.assemble.assembly import assemble
from asz_core.assemble.delta import compare
from asz_core.assemble.least import too_large_from
from asz_core.assemble.round import make_round
from asz_core.collect import Collector
from tests.claude import Writer, session_id

SESSION = session_id(1)
AT = 1_767_312_000_000_000_000


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A session that landed in many files."""
    source = tmp_path / "source"
    Writer(source, SESSION, seed=4, bulk=60).write(200_000, "many files")
    Collector(source, tmp_path / "root", clock=lambda: AT, budget=5_000).collect_pass()
    return tmp_path / "root"


def rounds(root: Path) -> dict[str, bytes]:
    folder = root / "_conversations" / SESSION / "rounds"
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_the_same_rounds_are_made_as_by_trying_every_bound(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[int] = []

    def counted(landing: object, session: str, through: int, idle: int) -> object:
        tried.append(through)
        return assemble(landing, session, through, idle)  # type: ignore[arg-type]

    monkeypatch.setattr(assembler, "assemble", counted)
    assert not Assembler(root, SESSION, budget=20_000).assemble().error
    skipping, tries = rounds(root), len(tried)
    shutil.rmtree(root / "_conversations")
    tried.clear()
    monkeypatch.setattr(assembler, "too_large_from", lambda landing, folded, budget: landing.last + 1)
    Assembler(root, SESSION, budget=20_000).assemble()
    assert rounds(root) == skipping and len(skipping) > 3
    assert tries < len(tried)


def test_what_is_called_too_large_is(root: Path) -> None:
    made = Assembler(root, SESSION, budget=30_000)
    for _ in range(3):
        made.step()
        first = too_large_from(made.landing, made.folded, 30_000)
        assert made.folded.through < first <= made.landing.last
        picture = assemble(made.landing, SESSION, first, made.idle)
        assert len(make_round(picture, compare(picture.store, made.folded), made.folded).data) > 30_000
