"""A configuration in words: a TOML file that says every option with what it does and its default, and that `load` reads back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..lines.theme import ROLES
from .keybinds import bindable, tables
from .model import Config
from .options import OPTIONS, Option

_INTRO = """\
# Configuration of asz-tui. Lines that begin with "#" say the defaults: take the "#" away to change one.
# A mistake is told with its line when the explorer starts, and the default is used in its place."""
_COLOURS = tuple(
    f"# {line}".rstrip()
    for line in (
        "Colours over those of the theme: words such as bold, dim, italic, underline, reverse, then a colour by name, number or",
        '#rrggbb, then "on" and a colour for the background. The roles:',
    )
)
_KEYS = tuple(
    f"# {line}".rstrip()
    for line in (
        'Keys by action. Several are written "j,down" or ["j", "down"]; "" takes the keys of an action away. Names are those of',
        "characters (j, G, ?) and of keys (enter, escape, tab, space, backspace, pageup, home, f1, comma), with ctrl+, alt+ or",
        "shift+ before them. ctrl+c and ctrl+q are kept for leaving.",
    )
)


def as_toml(config: Config, *, comments: bool = True) -> str:
    """Write a configuration as TOML.

    Args:
        config: the configuration.
        comments: say every option, what it does and its default; otherwise only what differs from the defaults.

    Returns:
        The file's text; `load` makes the same configuration of it.
    """
    lines = list(_commented(config) if comments else _bare(config))
    return "\n".join(lines).strip("\n") + "\n"


def _bare(config: Config) -> Iterator[str]:
    default = Config()
    for table, options in _by_table().items():
        lines = [_assignment(option, config) for option in options if _of(config, option) != _of(default, option)]
        yield from _section(table, lines)
    yield from _section("colours", [f"{role} = {_toml(text)}" for role, text in config.colours.items()])
    yield from _section("keys", [f"{_toml(name)} = {_toml(keys)}" for name, keys in config.keys.items()])


def _section(table: str, lines: list[str]) -> Iterator[str]:
    if lines:
        yield from ("", f"[{table}]") if table else ()
        yield from lines


def _commented(config: Config) -> Iterator[str]:
    yield _INTRO
    default = Config()
    for table, options in _by_table().items():
        yield from ("", f"[{table}]") if table else ()
        for option in options:
            yield ""
            yield from (f"# {line}" for line in option.words)
            own, usual = _of(config, option), _of(default, option)
            if own != usual:
                yield f"# Default: {_toml(usual)}"
            yield _assignment(option, config) if own != usual else f"#{_assignment(option, config)}"
    yield from ("", "[colours]", *_COLOURS, *_wrapped(ROLES))
    yield from (f"{role} = {_toml(text)}" for role, text in config.colours.items())
    yield from ("", "[keys]", *_KEYS)
    yield from _key_lines(config.keys)


def _key_lines(own: Mapping[str, str]) -> Iterator[str]:
    groups = list(dict.fromkeys(key.group for key in bindable().values()))
    group = ""
    for name, key in sorted(bindable().items(), key=lambda item: groups.index(item[1].group)):
        if key.group != group:
            group = key.group
            yield from ("", f"# {group}")
        words = f"{key.words}{_elsewhere(name, key.keys)}"
        if name in own:
            yield f"{_toml(name)} = {_toml(own[name])}  # {words}. Default: {_toml(key.keys)}"
        else:
            yield f"#{_toml(name)} = {_toml(key.keys)}  # {words}"


def _elsewhere(name: str, keys: str) -> str:
    """The defaults of an action where a table has others than the first one."""
    others = {key.keys: table for table, rows in tables().items() for key in rows if key.id == name and key.keys != keys}
    return "".join(f"; {table}: {_toml(other)}" for other, table in others.items())


def _wrapped(words: tuple[str, ...]) -> Iterator[str]:
    for at in range(0, len(words), 13):
        yield f"# {', '.join(words[at : at + 13])}{',' if at + 13 < len(words) else '.'}"


def _by_table() -> dict[str, list[Option]]:
    found: dict[str, list[Option]] = {"": []}  # options without a table come first, or they would be another's
    for option in OPTIONS:
        found.setdefault(option.name.rpartition(".")[0], []).append(option)
    return found


def _of(config: Config, option: Option) -> Any:
    value: Any = config
    for part in option.name.split("."):
        value = getattr(value, part.replace("-", "_"))
    return value


def _assignment(option: Option, config: Config) -> str:
    return f"{option.name.rpartition('.')[2]} = {_toml(_of(config, option))}"


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return '"' + "".join(_escaped(char) for char in value) + '"'
    if isinstance(value, tuple):
        return f"[{', '.join(_toml(one) for one in value)}]"
    return str(value)


def _escaped(char: str) -> str:
    if char in '"\\':
        return "\\" + char
    if char.isprintable():
        return char
    return f"\\u{ord(char):04x}" if ord(char) < 0x10000 else f"\\U{ord(char):08x}"
