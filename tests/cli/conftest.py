"""Fixtures of the command line's tests: a place without any root of its own, and ways to run commands."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from asz_tui.cli.main import main
from asz_tui.demo import sample_root

CONFORMANCE = Path(__file__).parent.parent / "data" / "conformance"


class Result(NamedTuple):
    """What a command left behind."""

    code: int
    out: str
    err: str


@pytest.fixture(autouse=True)
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory, and nothing in the environment that names a root, a colour or a width."""
    place = tmp_path / "nowhere"
    place.mkdir()
    monkeypatch.chdir(place)
    for name in ("ASZ_ROOT", "NO_COLOR", "COLUMNS", "PYTHONIOENCODING"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TZ", "UTC")
    return place


@pytest.fixture
def sample() -> str:
    """The bundled root."""
    return str(sample_root())


@pytest.fixture
def case() -> Callable[[str], str]:
    """The root of a conformance case."""
    return lambda name: str(CONFORMANCE / name / "root")


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Callable[..., Result]:
    """Run a command in this process."""

    def run(*arguments: str) -> Result:
        capsys.readouterr()
        code = main(list(arguments))
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return Result(code, out, err)

    return run


@pytest.fixture
def process() -> Callable[..., Result]:
    """Run a command in a process of its own."""

    def run(*arguments: str, **environment: str) -> Result:
        done = subprocess.run(
            [sys.executable, "-m", "asz_tui", *arguments],
            env={**os.environ, **environment},
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=30,
        )
        return Result(done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace"))

    return run
