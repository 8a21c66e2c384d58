"""The help, made from the catalog."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .catalog import COMMANDS, COMMON, EXPLORER
from .parser import Command, Option

_INTRO = """\
A terminal explorer for the conversations of AI agents, read from an AI Sessionizer storage root.

usage:
  asz-tui [ROOT] [ID[#NODE]]    open the explorer, on a conversation, on one of its nodes
  asz-tui COMMAND …             one of the commands below; '{more}' says more of it
"""
_CLOSE = """\
An ID may be the beginning of one. Exit codes: 0 done; 1 a problem found, or no such conversation; 2 wrong usage.
Only 'collect' and 'assemble' ever write into a root."""


def general_help() -> str:
    """What `asz-tui --help` says."""
    rows = [(f"{command.name} {command.words}".strip(), command.summary) for command in COMMANDS if command.name]
    return "\n".join(
        [
            _INTRO.format(more="asz-tui COMMAND --help"),
            "commands:",
            *_table(rows),
            "",
            "options, before the command or after it:",
            *_table(_option_rows(COMMON)),
            "",
            "options of the explorer:",
            *_table(_option_rows(EXPLORER.options)),
            "",
            _CLOSE,
        ]
    )


def command_help(command: Command) -> str:
    """What `asz-tui COMMAND --help` says."""
    usage = " ".join(word for word in ("asz-tui", command.name, command.words, "[options]") if word)
    lines = [f"{command.summary[0].upper()}{command.summary[1:]}.", "", f"usage: {usage}", ""]
    if command.about:
        lines += [command.about, ""]
    lines += ["options:", *_table(_option_rows((*command.options, *COMMON)))]
    if command.examples:
        lines += ["", "for example:", *(f"  {example}" for example in command.examples)]
    return "\n".join(lines)


def _option_rows(options: Sequence[Option]) -> Iterable[tuple[str, str]]:
    for option in options:
        names = ", ".join(option.names)
        # Long options without a short form stand under the long ones of those that have one.
        names = names if len(option.names) > 1 else f"    {names}"
        yield f"{names} {option.value}".rstrip(), option.words


def _table(rows: Iterable[tuple[str, str]]) -> list[str]:
    rows = list(rows)
    width = max(len(left) for left, _ in rows) + 2
    return [f"  {left:<{width}}{right}" for left, right in rows]
