"""Reading a configuration: whatever is in the file, a `Config` comes out, and a sentence with its line for every mistake."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ..files import config_dir, read_bounded
from ..lines.theme import ROLES
from .keybinds import bindable, read_keys, settle
from .model import Config, Layout, Problem, Times
from .options import BY_NAME, TABLES, nearest, quoted, style
from .places import DEEPEST, Places

FILE = "config.toml"
_LIMIT = 200_000
_DOTS = 100
"""Dots of one key that are given to `tomllib`, whose time grows with their square."""
_MOST = 50
"""Problems that are told; whoever has more has pointed at the wrong file."""


def config_path() -> Path:
    """The configuration's file, which need not exist.

    Raises:
        files.Refused: when there is no home to find it in.
    """
    return config_dir() / FILE


def load(path: Path | str | None = None) -> tuple[Config, list[Problem]]:
    """Read a configuration.

    Args:
        path: the file; the person's own when left out, and then its absence is no problem.

    Returns:
        The configuration, with defaults for whatever is missing or wrong, and what is wrong, by line. Nothing is raised.
    """
    name = FILE
    try:
        name = str(path if path is not None else config_path())
        data = read_bounded(name, limit=_LIMIT, follow=True)  # people keep their configuration elsewhere, and link to it
    except FileNotFoundError as error:
        return Config(), [] if path is None else [Problem(name, 0, error.strerror or "is not there")]
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        return Config(), [Problem(name, 0, getattr(error, "strerror", None) or str(error))]
    reader = _Reader(name)
    config = reader.read(data)
    return config, reader.told()


class _Reader:
    """Turns one file into a configuration and problems."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._problems: list[Problem] = []
        self._places = Places("")

    def told(self) -> list[Problem]:
        """The problems by line, no more than a person reads."""
        problems = sorted(self._problems, key=lambda problem: problem.line)
        more = len(problems) - _MOST
        return problems if more <= 0 else [*problems[:_MOST], Problem(self._name, 0, f"{more:,} more problems")]

    def read(self, data: bytes) -> Config:
        """The configuration."""
        loaded = self._loaded(data)
        values: dict[str, Any] = {}
        for key, value in loaded.items():
            if key not in TABLES:
                self._option(values, key, value, (key,))
            elif not isinstance(value, dict):
                self._problem((key,), f"{key} is a table: its options stand below a line [{key}], not {quoted(value)}")
            elif key not in ("colours", "keys"):
                for inner, one in value.items():
                    self._option(values, f"{key}.{inner}", one, (key, inner))
        colours, keys = (loaded.get(key, {}) for key in ("colours", "keys"))
        return replace(
            _built(values),
            colours=MappingProxyType(self._colours(colours) if isinstance(colours, dict) else {}),
            keys=MappingProxyType(self._keys(keys) if isinstance(keys, dict) else {}),
        )

    def _loaded(self, data: bytes) -> dict[str, Any]:
        """The file as TOML has it; empty when it is none."""
        try:
            text = data.decode("utf-8-sig").replace("\r\n", "\n")
            if line := _overlong(text):
                self._told_at(line, f"a key has more than {_DOTS} parts; the defaults are used")
                return {}
            loaded = tomllib.loads(text)
            self._places = Places(text)
            return loaded
        except UnicodeDecodeError as error:
            self._told_at(data.count(b"\n", 0, error.start) + 1, "this is no UTF-8 text; the defaults are used")
        except tomllib.TOMLDecodeError as error:
            self._told_at(*_syntax(str(error), text))
        except (ValueError, RecursionError) as error:
            # Numbers of thousands of digits and lists in lists in lists; neither says where.
            what = "lists are nested too deeply" if isinstance(error, RecursionError) else "a number is too long"
            self._told_at(0, f"this does not read as TOML: {what}; the defaults are used")
        return {}

    def _option(self, values: dict[str, Any], name: str, value: Any, path: tuple[str, ...]) -> None:
        option = BY_NAME.get(name)
        if option is None:
            self._problem(path, f"there is no option {_short(name)}{self._near(name)}")
            return
        try:
            values[name] = option.read(value)
        except ValueError as error:
            self._problem(path, f"{name} {error}")

    def _colours(self, table: dict[str, Any]) -> dict[str, str]:
        found = {}
        for role, value in table.items():
            if role not in ROLES:
                self._problem(("colours", role), f"there is no role {_short(role)}{self._near(role, ROLES)}")
                continue
            try:
                found[role] = style(value)
            except ValueError as error:
                self._problem(("colours", role), f"colours.{role} {error}")
        return found

    def _keys(self, table: dict[str, Any]) -> dict[str, str]:
        wanted: dict[str, tuple[str, int]] = {}
        for path, value in _flat(table):
            name = ".".join(path)
            place = ("keys", *path)
            if name not in bindable():
                self._problem(place, f"there is no action {_short(name)}{self._near(name, bindable())}")
                continue
            try:
                wanted[name] = (read_keys(value), self._places.line(place))
            except ValueError as error:
                self._problem(place, f'keys."{name}": {error}')
        settled, problems = settle(wanted)
        for line, what in problems:
            self._told_at(line, what)
        return settled

    def _near(self, word: str, names: Iterable[str] = ()) -> str:
        """What a word was meant to be, of these names or of the options; not for more mistakes than are told."""
        if len(self._problems) >= _MOST:
            return ""
        return nearest(word, names) if names else _meant(word)

    def _problem(self, path: tuple[str, ...], what: str) -> None:
        self._told_at(self._places.line(path), what)

    def _told_at(self, line: int, what: str) -> None:
        self._problems.append(Problem(self._name, line, what))


def _flat(table: dict[str, Any]) -> list[tuple[tuple[str, ...], Any]]:
    """The values of nested tables: `move.down = "j"` without quotes makes a table `move`."""
    found = []
    waiting: list[tuple[tuple[str, ...], Any]] = [((key,), value) for key, value in reversed(table.items())]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, dict) and value and len(path) < DEEPEST:
            waiting.extend(((*path, key), inner) for key, inner in reversed(value.items()))
        else:
            found.append((path, value))
    return found


def _overlong(text: str) -> int:
    """The line of a key of too many parts; 0 when there is none."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.count(".") > _DOTS and any(part.count(".") > _DOTS for part in line.split("=")):
            return number
    return 0


def _short(name: str) -> str:
    return name if len(name) <= 60 else name[:59] + "…"


def _built(values: dict[str, Any]) -> Config:
    """A configuration from values by the names of their options."""
    parts: dict[str, dict[str, Any]] = {"": {}, "layout": {}, "times": {}}
    for name, value in values.items():
        table, _, option = name.rpartition(".")
        parts[table][option.replace("-", "_")] = value
    return replace(Config(), layout=Layout(**parts["layout"]), times=Times(**parts["times"]), **parts[""])


def _meant(name: str) -> str:
    """The option that an unknown one was meant to be, as the end of a sentence."""
    leaf = name.rpartition(".")[2].replace("_", "-")
    for known in BY_NAME:
        table, _, option = known.rpartition(".")
        if option == leaf:
            # Right name, wrong place: what follows a [table] line belongs to that table.
            where = f"below a line [{table}]" if table else "above the first [table] line"
            return f"; {option} stands {where}"
    return nearest(name, [*BY_NAME, *TABLES])


def _syntax(message: str, text: str) -> tuple[int, str]:
    """The line of a mistake in the syntax, and what it is."""
    what = re.sub(r" \(at [^()]*\)$", "", message)
    found = re.search(r"\(at line (\d+), column (\d+)\)$", message)
    line = int(found[1]) if found else text.rstrip().count("\n") + 1  # at the end of the document
    column = f", column {found[2]}" if found else ""
    return line, f"this does not read as TOML{column}: {what[:1].lower()}{what[1:]}; the defaults are used"
