"""`asz-tui config`."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from asz_tui.cli.main import main
from asz_tui.config import Config, as_toml, config_path, load


def test_it_shows_every_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config"]) == 0
    shown = capsys.readouterr()
    assert main(["config", "--show"]) == 0
    assert capsys.readouterr() == shown == (as_toml(Config()), "")


def test_it_shows_what_is_configured_and_what_is_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    config_path().parent.mkdir(parents=True)
    config_path().write_text('slow = true\ntheme = "\\u001b"\n')
    assert main(["config"]) == 1
    out, err = capsys.readouterr()
    assert "\nslow = true\n" in out and '\n#theme = "auto"\n' in out
    assert err.startswith(f"asz-tui: {config_path()}:2: theme takes") and err.count("\n") == 1 and "\x1b" not in err


def test_it_says_where(capsys: pytest.CaptureFixture[str], home: Path) -> None:
    assert main(["config", "--path"]) == 0
    assert capsys.readouterr().out == f"{home}/config/asz-tui/config.toml\n"
    assert not list(home.iterdir())


def test_it_writes_one_and_never_over_another(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config", "--init"]) == 0
    assert str(config_path()) in capsys.readouterr().out
    assert (load(), stat.S_IMODE(config_path().stat().st_mode)) == ((Config(), []), 0o600)
    config_path().write_text("slow = true\n")
    assert main(["config", "--init"]) == 1
    assert "is there already, and is not overwritten" in capsys.readouterr().err
    assert config_path().read_text() == "slow = true\n"


def test_it_writes_through_no_link(capsys: pytest.CaptureFixture[str], home: Path) -> None:
    config_path().parent.mkdir(parents=True)
    config_path().symlink_to(home / "elsewhere")
    assert main(["config", "--init"]) == 1
    assert "symbolic link" in capsys.readouterr().err and not (home / "elsewhere").exists()


def test_a_folder_that_cannot_be_made(capsys: pytest.CaptureFixture[str], home: Path) -> None:
    (home / "config").write_text("x")
    assert main(["config", "--init"]) == 1
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1


def test_one_thing_at_a_time(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config", "--show", "--init"]) == 2
    assert "one thing at a time" in capsys.readouterr().err


def test_without_a_home(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", "relative")
    monkeypatch.setattr("asz_tui.files.os.path.expanduser", lambda path: path)
    assert main(["config", "--path"]) == 1
    assert "no home directory" in capsys.readouterr().err
