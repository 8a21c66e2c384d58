"""The entry point: parse, run one command, and turn whatever goes wrong into one sentence and an exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from .catalog import COMMANDS, COMMON
from .output import complain, discard_output, reader_has_left
from .parser import Parsed, UsageError, parse

DONE, PROBLEM, WRONG_USAGE, INTERRUPTED = 0, 1, 2, 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        argv: the arguments without the program's name; None takes those of the process.

    Returns:
        The exit code.
    """
    if sys.stdout is None:  # closed by who started this; the exit code may still be wanted
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    try:
        code = _guarded(sys.argv[1:] if argv is None else argv, one_shot=argv is None)
        sys.stdout.flush()
        return code
    except OSError as error:
        discard_output()
        if reader_has_left(error):
            # `asz-tui list | head` is no mistake of anybody.
            return DONE
        complain(f"{error.filename or 'the output'}: {error.strerror or error}")
        return PROBLEM
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        if os.environ.get("ASZ_TUI_TRACEBACK"):
            raise
        complain(f"this should not happen ({type(error).__name__}: {error}); with ASZ_TUI_TRACEBACK=1 it says where")
        return PROBLEM


def _guarded(argv: Sequence[str], *, one_shot: bool) -> int:
    try:
        parsed = parse(argv, COMMANDS, COMMON)
        parsed.one_shot = one_shot
        if parsed["version"]:
            return _version()
        if parsed["help"]:
            return _help(parsed)
        code = _run(parsed)
        if parsed.kept is not None:
            _end(code)
        return code
    except UsageError as error:
        complain(str(error))
        return WRONG_USAGE


def _end(code: int) -> None:
    """End the process once all is written; freeing a document object by object takes a tenth of the time it took to print."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:  # closed from the start
            stream.flush()
    os._exit(code)


def _run(parsed: Parsed) -> int:
    from importlib import import_module

    from asz_core.errors import Ambiguous, AszError, RootError

    module = parsed.command.module if parsed.command else "explore"
    try:
        return int(import_module(f".commands.{module}", __package__).run(parsed))
    except (RootError, Ambiguous) as error:
        complain(str(error))
        return WRONG_USAGE
    except AszError as error:
        complain(str(error))
        return PROBLEM


def _version() -> int:
    from importlib.metadata import PackageNotFoundError, version

    try:
        number = version("asz-tui")
    except PackageNotFoundError:
        number = "unknown"
    sys.stdout.write(f"asz-tui {number}\n")
    return DONE


def _help(parsed: Parsed) -> int:
    from .helptext import command_help, general_help
    from .output import Printer

    Printer().line(command_help(parsed.command) if parsed.command else general_help())
    return DONE
