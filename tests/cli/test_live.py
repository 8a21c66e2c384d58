"""`asz-tui live`: which source, root and session it means, what it refuses, and forgetting; the explorer itself is not opened."""

from __future__ import annotations

import os
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from asz_core.live import forgotten, home_root
from asz_tui.cli.commands import explore
from asz_tui.live import Live
from tests.claude import Writer, session_id

from .conftest import Result

Call = Callable[..., Result]


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A Claude Code directory with three sessions of two projects, where the environment says."""
    folder = tmp_path / "claude"
    for number, directory in ((1, str(tmp_path / "shop")), (2, str(tmp_path / "shop")), (3, str(tmp_path / "tools"))):
        Path(directory).mkdir(exist_ok=True)
        writer = Writer(folder / "projects", session_id(number), directory).write(2_000)
        os.utime(writer.path, (1_700_000_000 + number, 1_700_000_000 + number))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(folder))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return folder / "projects"


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What the explorer was opened with; the collector is not started."""
    calls: list[dict[str, Any]] = []

    def run_explorer(roots: list[Path], conversation: str | None = None, node: str | None = None, **flags: Any) -> int:
        calls.append({"root": roots[0], "conversation": conversation, **flags})
        return 0

    app = types.ModuleType("asz_tui.app")
    app.run_explorer = run_explorer  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "asz_tui.app", app)
    monkeypatch.setattr(explore, "is_terminal", lambda stream: True)
    monkeypatch.setattr(Live, "start", lambda self: self)
    return calls


def test_it_finds_the_directory_and_keeps_a_root_of_its_own(call: Call, source: Path, opened: list[dict[str, Any]]) -> None:
    assert call("live") == (0, "", "")
    [made] = opened
    assert made["root"] == home_root(os.environ, source) and made["root"].is_dir() and made["conversation"] is None
    assert made["live"].source == str(source)
    assert made["root"].stat().st_mode & 0o777 == 0o700


def test_a_project_means_its_newest_session(
    call: Call, source: Path, opened: list[dict[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path / "shop")
    assert call("live", ".").code == 0 and opened.pop()["conversation"] == session_id(2)
    assert call("live", str(tmp_path / "tools")).code == 0 and opened.pop()["conversation"] == session_id(3)
    assert call("live", "../tools/").code == 0 and opened.pop()["conversation"] == session_id(3)
    code, out, err = call("live", str(tmp_path))
    assert (code, out) == (1, "") and err.startswith(f"asz-tui: there is no session of {tmp_path}")


def test_a_session_by_the_beginning_of_its_id(call: Call, source: Path, opened: list[dict[str, Any]]) -> None:
    assert call("live", "5eed0002").code == 0 and opened.pop()["conversation"] == session_id(2)
    assert call("live", "5eed").code == 2
    assert call("live", "nobody").code == 1
    assert not opened


def test_what_it_refuses(call: Call, source: Path, opened: list[dict[str, Any]], tmp_path: Path) -> None:
    assert call("live", "--root", str(tmp_path)).code == 2
    code, _, err = call("live", "--source", str(tmp_path / "none"))
    assert code == 2 and "--source names another" in err and err.count("\n") == 1
    assert call("live", "--forget", "5eed0001", "5eed0002").code == 2
    assert call("live", "a", "b").code == 2
    assert not opened


def test_without_a_terminal(call: Call, source: Path) -> None:
    code, out, err = call("live")
    assert (code, out, err.count("\n")) == (2, "", 1) and "terminal" in err


def test_a_root_that_cannot_be_made(
    call: Call, source: Path, opened: list[dict[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("x")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "file"))
    code, _, err = call("live")
    assert code == 1 and "it cannot be made" in err and err.count("\n") == 1 and not opened


def test_forgetting(call: Call, source: Path, tmp_path: Path) -> None:
    root = home_root(os.environ, source)
    (root / session_id(1) / "streams").mkdir(parents=True)
    (root / "_conversations" / session_id(1)).mkdir(parents=True)
    before = sorted(source.rglob("*"))
    code, out, err = call("live", "--forget", "5eed0001")
    assert (code, err) == (0, "") and out.startswith(f"{session_id(1)} is removed") and out.count("\n") == 1
    assert not (root / session_id(1)).exists() and not (root / "_conversations" / session_id(1)).exists()
    assert sorted(source.rglob("*")) == before
    assert "was forgotten already" in call("live", "--forget", "5eed0001").out
    assert "was not collected" in call("live", "--forget", session_id(3)).out
    assert forgotten(root) == {session_id(1), session_id(3)}
    assert call("live", "--forget", "nobody").code == 1
