"""`asz-tui help [COMMAND]`."""

from __future__ import annotations

from ..catalog import COMMANDS, names
from ..helptext import command_help, general_help
from ..output import Printer
from ..parser import Parsed, UsageError, nearest


def run(parsed: Parsed) -> int:
    """Print the help of a command, or of all."""
    printer = Printer()
    if not parsed.words:
        printer.line(general_help())
        return 0
    word = parsed.words[0]
    for command in COMMANDS:
        if command.name == word:
            printer.line(command_help(command))
            return 0
    near = nearest(word, names())
    raise UsageError(f"there is no command {word!r}" + (f"; did you mean {near!r}?" if near else ""))
