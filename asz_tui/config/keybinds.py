"""Keys of a configuration: which are right, which get in each other's way, and how screens and help get to know them.

The tables in `asz_tui.keys` say what can be bound; they are found there, so that a new one is configurable without a word here.

One id may stand in several tables (every list has `move.down`); what is configured for it holds in all of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from .. import keys as table_module
from ..keys import Key
from . import keynames
from .model import Config

Table = tuple[Key, ...]
_NOTHING = "no-key:"
"""Begins the name of a key that no keyboard has: Textual takes an empty entry of a keymap for none at all."""


@cache
def tables() -> Mapping[str, Table]:
    """Every table of keys by its name in `asz_tui.keys`; those of whole screens, which hold others' keys too, first."""
    found = {
        name.lower(): value
        for name, value in vars(table_module).items()
        if isinstance(value, tuple) and value and all(isinstance(key, Key) for key in value)
    }
    return dict(sorted(found.items(), key=lambda item: -len(item[1])))


@cache
def bindable() -> Mapping[str, Key]:
    """Every id, with the first key that has it."""
    found: dict[str, Key] = {}
    for table in tables().values():
        for key in table:
            found.setdefault(key.id, key)
    return found


def read_keys(value: Any) -> str:
    """Keys as Textual spells them, comma separated; empty for none.

    Args:
        value: a text with keys and commas, or a list with a key each.

    Raises:
        ValueError: no keys; its text completes a sentence that begins with the option.
    """
    if isinstance(value, str):
        # A lone comma or blank is that key, and nothing at all is no key.
        parts = [] if not value else [value] if value.strip() in ("", ",") else value.split(",")
    elif isinstance(value, list) and all(isinstance(part, str) for part in value):
        parts = value
    else:
        raise ValueError('takes keys, such as "j,down" or ["j", "down"]')
    return ",".join(dict.fromkeys(_read_key(part) for part in parts))


def _read_key(text: str) -> str:
    try:
        key = keynames.canonical(text)
    except ValueError as error:
        hint = ' (a comma is written "comma")' if not text.strip() else ""
        raise ValueError(f'"{text.strip()[:40]}" {error}{hint}') from None
    if key in keynames.RESERVED:
        raise ValueError(f'"{key}" is kept for leaving the program')
    return key


def settle(wanted: Mapping[str, tuple[str, int]]) -> tuple[dict[str, str], list[tuple[int, str]]]:
    """Take out what would put two actions on one key of a table.

    Args:
        wanted: id -> (keys, line); the later of two that want the same key is the mistaken one, and against a default
            every one is.

    Returns:
        What is left, and (line, what is wrong) of the rest, whose defaults hold again.
    """
    left = {name: keys for name, (keys, _) in wanted.items()}
    problems = []
    while left and (clash := max(_clashes(left), key=lambda clash: wanted[clash[0]][1], default=None)):
        name, key, other = clash
        # Its default comes back, and may itself be taken by now; so everything is looked at again.
        del left[name]
        words = bindable()[other].words
        problems.append((wanted[name][1], f'keys."{name}": {keynames.shown(key)} is the key of "{other}" already ({words})'))
    default = bindable()
    return {name: keys for name, keys in left.items() if not _is_default(name, keys, default)}, problems


def _is_default(name: str, keys: str, default: Mapping[str, Key]) -> bool:
    """Whether keys are the default of an id in every table that has it."""
    return all(key.keys == keys for table in tables().values() for key in table if key.id == name) and name in default


def _clashes(own: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    """Every (id that is configured, key, id that has the key too) within one table."""
    for table in tables().values():
        taken: dict[str, list[str]] = {}
        for action in table:
            for key in own.get(action.id, action.keys).split(","):
                if key:
                    taken.setdefault(keynames.physical(_default_key(key)), []).append(action.id)
        for key, names in taken.items():
            several = list(dict.fromkeys(names))
            for name in several if len(several) > 1 else ():
                if name in own:
                    yield name, key, next(other for other in several if other != name)


def _default_key(key: str) -> str:
    # The tables are written by hand, and may say "?" where Textual says "question_mark".
    return keynames.canonical(key) if len(key) == 1 else key


def keymap(config: Config, table: Table | None = None) -> dict[str, str]:
    """What `App.set_keymap` takes: id -> keys, for every action whose keys are configured.

    Args:
        config: the configuration.
        table: only for actions of this table; for all when left out, which is right for an app: Textual looks ids up in
            whatever screen is shown.

    Returns:
        The keymap; an action without a key gets one that no keyboard has.
    """
    names = None if table is None else {key.id for key in table}
    return {name: keys or _NOTHING + name for name, keys in config.keys.items() if names is None or name in names}


def applied(config: Config, table: Table) -> Table:
    """A table as the configuration has it, for the help and the footer: keys, their spelling and the footer's words.

    Args:
        config: the configuration.
        table: one of `asz_tui.keys`.

    Returns:
        The table, itself where nothing of it is configured. Its bindings stay those of the class; see `keymap`.
    """
    own = keymap(config, table)
    if not own:
        return table
    moved = {_named(key) for action in table if action.id in own for key in action.keys.split(",")}
    return tuple(_applied(action, own.get(action.id), moved) for action in table)


def _applied(action: Key, keys: str | None, moved: set[str]) -> Key:
    if keys is None:
        # "j/k move" names the key of another action too, which may have gone.
        stale = bool(action.hint) and not moved.isdisjoint(_named_in(action.hint))
        return replace(action, hint=_hint(action, action.keys)) if stale else action
    return replace(action, keys=keys, shown=spelled(keys), hint=_hint(action, keys))


def spelled(keys: str) -> str:
    """How keys are spelled for a person: `^d PgDn`; a hyphen for none."""
    names = [keynames.shown(key) for key in keys.split(",") if key and not key.startswith(_NOTHING)]
    return " ".join(names) or "-"


def _hint(action: Key, keys: str) -> str:
    """The footer's words with the first key there is now; none without a key."""
    if not action.hint or spelled(keys) == "-":
        return ""
    _, _, words = action.hint.partition(" ")
    return f"{spelled(keys).split()[0]} {words}".rstrip()


def _named(key: str) -> str:
    return keynames.shown(_default_key(key))


def _named_in(hint: str) -> list[str]:
    first = hint.partition(" ")[0]
    return [first] if first == "/" else re.split(r"/(?=.)", first)
