"""Reading arguments: the two spellings of options, options before and after the command, and what is said of mistakes."""

from __future__ import annotations

import pytest

from asz_tui.cli.catalog import COMMANDS, COMMON, names
from asz_tui.cli.parser import Parsed, UsageError, nearest, parse


def parsed(*arguments: str) -> Parsed:
    return parse(arguments, COMMANDS, COMMON)


def refusal(*arguments: str) -> str:
    with pytest.raises(UsageError) as caught:
        parsed(*arguments)
    return str(caught.value)


@pytest.mark.parametrize("flag", ["-json", "--json"])
def test_one_dash_or_two(flag: str) -> None:
    found = parsed("conversation", flag, "x")
    assert (found.name, found["json"], found["yaml"], found.words) == ("conversation", True, False, ["x"])


@pytest.mark.parametrize(
    "arguments",
    [
        ("--root", "r", "show", "x", "-d", "2"),
        ("show", "--root", "r", "x", "--depth", "2"),
        ("show", "x", "--depth=2", "--root=r"),
        ("-d2", "--root", "r", "show", "x"),
        ("-root=r", "show", "-depth", "2", "x"),
        ("--root", "other", "show", "x", "--depth", "5", "-d", "2", "--root", "r"),
    ],
)
def test_options_stand_anywhere(arguments: tuple[str, ...]) -> None:
    found = parsed(*arguments)
    assert (found.name, found["root"], found["depth"], found.words) == ("show", "r", 2, ["x"])


def test_a_value_is_never_taken_for_the_command() -> None:
    found = parsed("--root", "list", "verify")
    assert (found.name, found["root"]) == ("verify", "list")


def test_repeated_options_make_a_list() -> None:
    assert parsed("show", "x", "-k", "tool", "--kind", "talk")["kind"] == ["tool", "talk"]
    assert parsed("show", "x")["kind"] == []


def test_after_two_dashes_everything_is_a_word() -> None:
    assert parsed("conversation", "--", "--json").words == ["--json"]


def test_the_explorer_takes_what_is_no_command() -> None:
    found = parsed("some/where", "abc#talk/1", "--ascii")
    assert (found.name, found.words, found["ascii"], found["slow"]) == ("", ["some/where", "abc#talk/1"], True, False)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("list", "--jsn"), "'list' has no option '--jsn'; did you mean --json?"),
        (("list", "more"), "'list' takes no words, and 'more' is one too many"),
        (("conversation",), "'conversation' needs ID: asz-tui conversation ID"),
        (("verify", "a", "b"), "'verify' takes no more than [ID], and 'b' is one too many"),
        (("show", "x", "--depth"), "--depth needs a value: --depth N"),
        (("show", "x", "--depth", "0"), "--depth takes a whole number from 1 on, not '0'"),
        (("show", "x", "--depth", "-1"), "--depth takes a whole number from 1 on, not '-1'"),
        (("tail", "x", "-n", "many"), "--lines takes a whole number from 0 on, not 'many'"),
        (("list", "--json=yes"), "--json takes no value"),
        (("lst", "--json"), "there is no command and no folder 'lst'; did you mean 'list'?"),
        (("a", "b", "c"), "asz-tui takes no more than [ROOT] [ID[#NODE]], and 'c' is one too many"),
        (("--nothing",), "there is no option '--nothing'"),
    ],
)
def test_mistakes_are_one_sentence(arguments: tuple[str, ...], words: str) -> None:
    assert refusal(*arguments) == words


def test_the_same_option_takes_a_value_everywhere_or_nowhere() -> None:
    takes: dict[str, bool] = {}
    for option in (*COMMON, *(option for command in COMMANDS for option in command.options)):
        for name in option.names:
            assert takes.setdefault(name, bool(option.value)) == bool(option.value), name


def test_nearest() -> None:
    assert nearest("verfy", names()) == "verify"
    assert nearest("conv", names()) == "conversation"
    assert nearest("zzz", names()) == ""
