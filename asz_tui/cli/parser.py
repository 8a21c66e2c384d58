"""Reading the arguments by the catalog: which command, which options, which words; and what to say when they do not fit.

Own code instead of argparse, for three reasons: `-json` and `--json` are the same option, common options may stand before the
command and after it, and `conversation -json` has no time to import argparse.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any


class UsageError(Exception):
    """The arguments do not fit; `str()` is one sentence, `command` the one whose help says more, or empty."""

    def __init__(self, sentence: str, command: str = "") -> None:
        super().__init__(sentence)
        self.command = command


class Option:
    """An option of a command.

    Attributes:
        names: its spellings with their dashes, the long one last.
        value: what its value is called in the help; empty for a flag.
        key: where `Parsed.options` holds it.
    """

    __slots__ = ("convert", "key", "names", "repeat", "value", "words")

    def __init__(
        self,
        names: str,
        words: str,
        *,
        value: str = "",
        repeat: bool = False,
        convert: Callable[[str], Any] = str,
    ) -> None:
        """
        Args:
            names: the spellings, apart by a blank.
            words: what it does, for the help.
            value: the name of its value; a flag has none.
            repeat: it may stand several times and its values make a list.
            convert: text to value; raises ValueError with what was wanted.
        """
        self.names = names.split()
        self.words, self.value, self.repeat, self.convert = words, value, repeat, convert
        self.key = self.names[-1].lstrip("-").replace("-", "_")


class Command:
    """A command: its name, the words it takes, its options, what it says of itself.

    Attributes:
        module: the module below `asz_tui.cli.commands` whose `run(parsed)` does it.
        words: the names of its words for the help; `least` to `most` of them are taken.
    """

    __slots__ = ("about", "examples", "least", "module", "most", "name", "options", "summary", "words")

    def __init__(
        self,
        name: str,
        module: str,
        summary: str,
        *,
        words: str = "",
        least: int = 0,
        most: int = 0,
        options: Sequence[Option] = (),
        about: str = "",
        examples: Sequence[str] = (),
    ) -> None:
        self.name, self.module, self.summary = name, module, summary
        self.words, self.least, self.most = words, least, most
        self.options, self.about, self.examples = options, about, examples


class Parsed:
    """What was asked for.

    Attributes:
        command: None when the explorer is meant.
        options: by key; every option of the command and every common one is there.
        one_shot: the process ends after this, so nothing needs tidying up.
        kept: what a one-shot command leaves to the system: with it the process ends as soon as everything is written.
    """

    __slots__ = ("command", "kept", "one_shot", "options", "words")

    def __init__(self, command: Command | None, options: dict[str, Any], words: list[str]) -> None:
        self.command, self.options, self.words = command, options, words
        self.one_shot = False
        self.kept: object = None

    def __getitem__(self, key: str) -> Any:
        return self.options[key]

    @property
    def name(self) -> str:
        """The command's name; empty for the explorer."""
        return self.command.name if self.command else ""


def at_least(least: int) -> Callable[[str], int]:
    """A converter to a whole number that is not less than `least`."""

    def convert(text: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) < 10) or int(text) < least:
            raise ValueError(f"a whole number from {least} on")
        return int(text)

    return convert


def seconds(text: str) -> float:
    """A span of time such as `2s`, `500ms`, `10m` or `1h`, in seconds; a bare number is seconds."""
    number, unit = text.rstrip("hms"), text[len(text.rstrip("hms")) :]
    factor = {"": 1.0, "ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}.get(unit)
    if factor is None or not number.replace(".", "", 1).isdigit() or not number.isascii() or not 0 < float(number) * factor < 1e7:
        raise ValueError("a span of time such as 2s, 500ms or 10m")
    return float(number) * factor


def instant(text: str) -> int:
    """A time such as `2026-01-02T00:00:00Z`, in nanoseconds since 1970."""
    from asz_core.times import parse_ns

    ns = parse_ns(text)
    if ns <= 0:
        raise ValueError("a time such as 2026-01-02T00:00:00Z")
    return ns


def parse(arguments: Sequence[str], commands: Sequence[Command], common: Sequence[Option]) -> Parsed:
    """Read the arguments.

    Args:
        arguments: without the program's name.
        commands: those there are. One whose name is empty is the explorer: it is meant when the first word names no command.
        common: options that may stand anywhere.

    Raises:
        UsageError: when they do not fit.
    """
    command, first = _command_of(arguments, commands, common)
    known = {name: option for option in (*common, *command.options) for name in option.names}
    options: dict[str, Any] = {option.key: [] if option.repeat else (None if option.value else False) for option in known.values()}
    words: list[str] = []
    try:
        for option, text in _tokens(arguments, known, command.name):
            if option is None:
                words.append(text)
            elif option.repeat:
                options[option.key].append(_value(option, text, command))
            else:
                options[option.key] = _value(option, text, command)
    except UsageError:
        near = nearest(first, [known.name for known in commands]) if first and not command.name else ""
        if near:  # an option of a command whose name was mistyped
            raise UsageError(no_such_command(first, near)) from None
        raise
    if command.name:
        words.pop(0)
    if not (options.get("help") or options.get("version")):
        _check_words(command, words)
    return Parsed(command if command.name else None, options, words)


def _command_of(arguments: Sequence[str], commands: Sequence[Command], common: Sequence[Option]) -> tuple[Command, str]:
    """The command that the first word names, and that word.

    Before the command is known, every option of every command is, so that no value is taken for a word.
    """
    everything = (*common, *(option for command in commands for option in command.options))
    known = {name: option for option in everything for name in option.names}
    by_name = {command.name: command for command in commands}
    for option, text in _tokens(arguments, known, "", lenient=True):
        if option is None:
            return by_name.get(text, by_name[""]), text
    return by_name[""], ""


def _tokens(
    arguments: Sequence[str], known: dict[str, Option], command: str, *, lenient: bool = False
) -> Iterable[tuple[Option | None, str]]:
    """Every word as (None, word) and every option as (option, its value or empty)."""
    rest = iter(arguments)
    only_words = False
    for token in rest:
        if only_words or token == "-" or not token.startswith("-"):
            yield None, token
        elif token == "--":
            only_words = True
        else:
            option, value = _option_of(token, known)
            if option is None:
                if lenient:
                    continue
                raise UsageError(_no_such_option(token, known, command), command)
            if not option.value and value is not None and not lenient:
                raise UsageError(f"{option.names[-1]} takes no value", command)
            if option.value and value is None:
                value = next(rest, None)
                if value is None and not lenient:
                    raise UsageError(f"{option.names[-1]} needs a value: {option.names[-1]} {option.value}", command)
            yield option, value or ""


def _option_of(token: str, known: dict[str, Option]) -> tuple[Option | None, str | None]:
    """The option that a token spells and the value written onto it, if any."""
    name, equals, value = token.partition("=")
    inline = value if equals else None
    for spelling in (name, "-" + name):  # -json is --json
        if spelling in known:
            return known[spelling], inline
    short = known.get(token[:2])
    if short is not None and short.value and not token.startswith("--"):  # -n5
        return short, token[2:]
    return None, None


def _no_such_option(token: str, known: dict[str, Option], command: str) -> str:
    name = token.partition("=")[0]
    near = nearest("--" + name.lstrip("-"), [name for name in known if name.startswith("--")])
    whose = f"'{command}' has" if command else "there is"
    return f"{whose} no option {name!r}" + (f"; did you mean {near}?" if near else "")


def _value(option: Option, text: str, command: Command) -> Any:
    if not option.value:
        return True
    try:
        return option.convert(text)
    except ValueError as error:
        raise UsageError(f"{option.names[-1]} takes {error}, not {text!r}", command.name) from None


def _check_words(command: Command, words: list[str]) -> None:
    if len(words) < command.least:
        raise UsageError(f"'{command.name}' needs {command.words}: asz-tui {command.name} {command.words}", command.name)
    if len(words) > command.most:
        what = f"'{command.name}'" if command.name else "asz-tui"
        takes = f"no more than {command.words}" if command.most else "no words"
        raise UsageError(f"{what} takes {takes}, and {words[command.most]!r} is one too many", command.name)


def no_such_command(word: str, near: str) -> str:
    """What is said of a first word that names nothing."""
    hint = f"; did you mean '{near}'?" if near else "; 'asz-tui --help' lists the commands"
    return f"there is no command and no folder {word!r}{hint}"


def nearest(word: str, names: Sequence[str]) -> str:
    """The name that a mistyped word is most like; empty when none is."""
    starting = [name for name in names if len(word) > 1 and name.startswith(word)]
    if len(starting) == 1:
        return starting[0]
    from difflib import get_close_matches

    return next(iter(get_close_matches(word, names, 1, 0.6)), "")
