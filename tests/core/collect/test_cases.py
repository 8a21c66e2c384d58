"""Whole directories, stage by stage: every landed file has the bytes that the original gave it."""

from __future__ import annotations

from pathlib import Path

import pytest

from asz_core.collect import Collector
from asz_core.collect.payload import Walked
from asz_core.root import Root
from asz_core.sessiondata import read_landed
from tests.core.collect.helpers import DATA, DAY

CASES = sorted(path.name for path in DATA.iterdir() if (path / "root").is_dir())


def collect(case: str, root: Path) -> None:
    """Collect every stage of a case."""
    for number, source in enumerate(sorted((DATA / case).glob("source-*"), key=lambda path: int(path.name[7:]))):
        now = DAY + number * 1_000_000_000
        report = Collector(source, root, clock=lambda now=now: now).collect_pass()
        assert report.complete, report


def landed(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*.sd")}


@pytest.mark.parametrize("case", CASES)
def test_lands_the_bytes_of_the_original(case: str, tmp_path: Path) -> None:
    collect(case, tmp_path)
    found, wanted = landed(tmp_path), landed(DATA / case / "root")
    assert found.keys() == wanted.keys()
    assert [name for name in wanted if found[name] != wanted[name]] == []


@pytest.mark.parametrize("case", CASES)
def test_both_readings_of_json_give_the_same_bytes(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("asz_core.collect.convert.read", Walked)
    collect(case, tmp_path)
    assert landed(tmp_path) == landed(DATA / case / "root")


def test_what_lands_verifies(tmp_path: Path) -> None:
    collect("stages", tmp_path)
    storage = Root(tmp_path).storage
    files = [file for session in storage.sessions() for file in storage.landed(session)]
    assert files
    assert [read_landed(file).closing_fault or read_landed(file).fault for file in files] == [""] * len(files)
