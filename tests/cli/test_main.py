"""What all commands share: help, version, the way to the root, exit codes, errors of one sentence."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from asz_tui.cli import main as main_module
from asz_tui.cli.catalog import names
from asz_tui.demo import sample_root

from .conftest import Result

Call = Callable[..., Result]
IDS = [f"5eed000{n}-0000-4000-8000-00000000000{n}" for n in (2, 3, 5)]


def test_help_names_every_command_and_option(call: Call) -> None:
    code, out, err = call("--help")
    assert (code, err) == (0, "")
    for word in (*names(), "--root", "$ASZ_ROOT", "asz.yaml", "--version", "Exit codes"):
        assert word in out
    assert max(map(len, out.splitlines())) <= 120


@pytest.mark.parametrize("name", names())
def test_each_command_has_help(call: Call, name: str) -> None:
    shown = call(name, "--help")
    assert (shown.code, shown.err) == (0, "")
    assert f"usage: asz-tui {name}" in shown.out and "--root DIR" in shown.out
    assert call("help", name) == shown == call("-h", name) == call(name, "-help")


def test_help_of_nothing(call: Call) -> None:
    assert call("help") == call("-h")
    assert call("help", "vew") == (2, "", "asz-tui: there is no command 'vew'; did you mean 'view'?\n")


def test_version(call: Call) -> None:
    code, out, _ = call("--version")
    assert code == 0 and out.startswith("asz-tui ") and out.count("\n") == 1


@pytest.mark.parametrize("command", ["list", "conversation", "verify", "view", "show", "tail"])
def test_without_a_root_a_command_says_how_to_name_one(call: Call, command: str) -> None:
    words = ("x",) if command in ("conversation", "show", "tail") else ()
    code, out, err = call(command, *words)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert all(word in err for word in ("--root", "$ASZ_ROOT", "asz.yaml"))


@pytest.mark.parametrize("command", ["conversation", "show", "tail", "verify"])
def test_no_such_conversation(call: Call, sample: str, command: str) -> None:
    code, out, err = call(command, "--root", sample, "nobody")
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert "there is no conversation 'nobody'" in err


@pytest.mark.parametrize("command", ["conversation", "show", "tail", "verify"])
def test_the_beginning_of_several(call: Call, sample: str, command: str) -> None:
    code, out, err = call(command, "--root", sample, "5eed")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert all(name in err for name in IDS)


def test_a_root_that_is_none(call: Call, nowhere: Path) -> None:
    assert call("list", "--root", "missing").code == 2
    (nowhere / "file").write_text("x")
    code, out, err = call("list", "--root", "file")
    assert (code, out) == (2, "") and "is not a directory" in err


def test_where_the_root_comes_from(call: Call, nowhere: Path, sample: str, monkeypatch: pytest.MonkeyPatch) -> None:
    want = call("list", "--json", "--root", sample)
    assert call("--root", sample, "list", "--json") == want
    (nowhere / "asz.yaml").write_text(f"storage:\n  root: {sample}\n")
    assert call("list", "--json") == want
    monkeypatch.setenv("ASZ_ROOT", sample)
    (nowhere / "asz.yaml").write_text("storage: {root: missing}\n")
    assert call("list", "--json") == want, "the environment goes before the file"
    monkeypatch.setenv("ASZ_ROOT", "missing")
    assert call("list", "--json", "--root", sample) == want, "the argument goes before the environment"
    monkeypatch.setenv("ASZ_ROOT", "")
    assert call("list").code == 2, "an empty name is none"


@pytest.mark.parametrize("text", ["", "storage:\n", "storage: text\n", "- list\n", "other: {root: x}\n", "storage: {root: null}\n"])
def test_a_config_that_names_no_root(call: Call, nowhere: Path, text: str) -> None:
    (nowhere / "asz.yaml").write_text(text)
    code, _, err = call("list")
    assert code == 2 and "no storage root" in err


@pytest.mark.parametrize("text", ["storage: {root: [1", "a: b: c\n", "\t: x\n", "storage: {root: 7}\n", "\x00"])
def test_a_config_that_does_not_read(call: Call, nowhere: Path, text: str) -> None:
    (nowhere / "asz.yaml").write_text(text)
    code, out, err = call("list")
    assert (code, out, err.count("\n")) == (2, "", 1) and "asz.yaml" in err


def test_a_config_may_name_the_environment(call: Call, nowhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLACE", str(sample_root().parent))
    (nowhere / "asz.yaml").write_text("storage: {root: '${PLACE}/${UNSET_NAME:root}'}\n")
    assert call("list").code == 0


def test_an_unforeseen_error_is_a_sentence_too(call: Call, sample: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(parsed: object) -> int:
        raise RuntimeError("\x1b[31mred")

    monkeypatch.setattr(main_module, "_run", fail)
    code, out, err = call("list", "--root", sample)
    assert (code, out, err.count("\n")) == (1, "", 1) and "\x1b" not in err and "RuntimeError" in err
    monkeypatch.setattr(main_module, "_run", lambda parsed: (_ for _ in ()).throw(KeyboardInterrupt))
    assert call("list", "--root", sample) == (130, "", "")


def test_no_error_repeats_control_characters(call: Call, sample: str) -> None:
    for arguments in (("\x1b[2J",), ("list", "--\x1b]0;x\x07"), ("show", "--root", sample, "\x9b1m"), ("list", "--root", "\x1b")):
        code, _, err = call(*arguments)
        assert code in (1, 2) and err.count("\n") == 1 and err[:-1].isprintable()
