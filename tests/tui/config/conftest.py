"""Folders of a test's own in place of the person's."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from asz_tui.config import Config, load


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home without anything in it."""
    place = tmp_path / "home"
    place.mkdir()
    monkeypatch.setenv("HOME", str(place))
    for name, folder in (("CONFIG", "config"), ("STATE", "state"), ("CACHE", "cache")):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(place / folder))
    for name in ("TMUX", "STY", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    return place


@pytest.fixture
def read(tmp_path: Path) -> Callable[[str | bytes], tuple[Config, list[str]]]:
    """Read a configuration of this content; problems are told as `config.toml:line: …`."""

    def run(content: str | bytes) -> tuple[Config, list[str]]:
        path = tmp_path / "config.toml"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        config, problems = load(path)
        return config, [str(problem).replace(f"{tmp_path}/", "") for problem in problems]

    return run
