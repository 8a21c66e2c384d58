"""`asz-tui config`: the configuration with every option and its default, where it is kept, or a first one to be changed."""

from __future__ import annotations

from ...files import why, write_private
from ...text.safe import visible
from ..output import Printer, complain
from ..parser import Parsed, UsageError

_CHOICES = ("show", "path", "init")


def run(parsed: Parsed) -> int:
    """Show the configuration, say where it is, or write one."""
    chosen = [choice for choice in _CHOICES if parsed[choice]]
    if len(chosen) > 1:
        raise UsageError(f"'config' does one thing at a time, not --{chosen[0]} and --{chosen[1]}", parsed.name)
    # Imported here: the tables of keys bring Textual's names of keys with them, which a wrong usage need not wait for.
    from ...config import config_path

    try:
        path = config_path()
    except OSError as error:
        complain(f"the configuration of {why(error)}")
        return 1
    if parsed["path"]:
        Printer().line(visible(str(path)))
        return 0
    return _init(str(path)) if parsed["init"] else _show()


def _show() -> int:
    from ...config import as_toml, load

    config, problems = load()
    Printer().line(as_toml(config).rstrip("\n"))
    for problem in problems:
        complain(str(problem))
    return 1 if problems else 0


def _init(path: str) -> int:
    from ...config import Config, as_toml

    try:
        write_private(path, as_toml(Config()), replace=False)
    except OSError as error:
        complain(why(error))
        return 1
    Printer().line(f"wrote {visible(path)}; every line in it is a default, take the # away to change one")
    return 0
