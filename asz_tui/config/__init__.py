"""The configuration: `config.toml` becomes one frozen `Config`, and every mistake in it one sentence with its line.

Nothing here raises on what a file holds: a value that is wrong is told, and its default used, that value only.

`model` holds what a configuration is, `options` every option with its words and what it takes, `read` and `places` read a file,
`keynames` and `keybinds` see to the keys, `times` to zone and clock, and `write` puts a configuration in words again.

Cost: reading a file is some milliseconds, once at start; nothing is read when there is no file.
"""

from .keybinds import applied, keymap, spelled
from .model import Config, Layout, Problem, Times
from .read import config_path, load
from .times import clock_text, zone_of
from .write import as_toml

__all__ = [
    "Config",
    "Layout",
    "Problem",
    "Times",
    "applied",
    "as_toml",
    "clock_text",
    "config_path",
    "keymap",
    "load",
    "spelled",
    "zone_of",
]
