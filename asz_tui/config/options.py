"""Every option outside the colours and the keys: its place in the file, its words, and what it takes. Data, and readers of values.

A reader takes what TOML gave and returns what `Config` holds; its ValueError completes a sentence that begins with the option.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from rich.errors import StyleSyntaxError
from rich.style import Style

from ..lines.theme import VARIANTS
from .times import CLOCKS, zone_of


@dataclass(frozen=True, slots=True)
class Option:
    """One option.

    Attributes:
        name: its table, if any, and its name, with a dot between; hyphens stand for the underscores of `Config`.
        words: what it does, a line each.
        read: value of the file -> value of `Config`; raises ValueError.
    """

    name: str
    words: tuple[str, ...]
    read: Callable[[Any], Any]


def nearest(word: str, names: Iterable[str]) -> str:
    """The name a mistyped word is most like, as the end of a sentence; empty when none is."""
    found = get_close_matches(word, list(names), 1, 0.6)
    return f"; did you mean {found[0]}?" if found else ""


def quoted(value: Any) -> str:
    """A value as the file may have had it, short."""
    if isinstance(value, dict):
        return "a table"
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        text = str(value)  # a date, or something larger than JSON writes
    return text if len(text) <= 60 else text[:59] + "…"


def _yes_or_no(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"takes true or false, not {quoted(value)}")
    return value


def _number(least: int, most: int) -> Callable[[Any], int]:
    def read(value: Any) -> int:
        # A bool is an int to Python, and to nobody else.
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise ValueError(f"takes a whole number from {least} to {most}, not {quoted(value)}")
        return value

    return read


def _one_of(names: Sequence[str]) -> Callable[[Any], str]:
    def read(value: Any) -> str:
        if isinstance(value, str) and value in names:
            return value
        near = nearest(value, names) if isinstance(value, str) else ""
        raise ValueError(f"takes {', '.join(names[:-1])} or {names[-1]}, not {quoted(value)}{near}")

    return read


def _zone(value: Any) -> str:
    takes = f"takes local, UTC or a zone of this machine such as Europe/Madrid, not {quoted(value)}"
    if not isinstance(value, str):
        raise ValueError(takes)
    try:
        zone_of(value)
    except ValueError:
        from zoneinfo import available_timezones

        zones = available_timezones()  # reads the whole database; only who made a mistake waits for it
        raise ValueError(f"{takes}{nearest(value, ['local', 'UTC', *sorted(zones)])}") from None
    return value


def _clipboard(value: Any) -> str | tuple[str, ...]:
    if value in ("osc52", "file"):
        return str(value)
    if isinstance(value, list) and value and value[0] and all(isinstance(word, str) and "\0" not in word for word in value):
        return tuple(value)
    near = ""
    if isinstance(value, str):
        # The likeliest mistake is a command written as a text.
        near = nearest(value, ("osc52", "file")) or f"; a command is written {json.dumps(value[:60].split(), ensure_ascii=False)}"
    raise ValueError(f'takes "osc52", "file" or a command such as ["wl-copy"], not {quoted(value)}{near}')


def style(value: Any) -> str:
    """Read the style of a role.

    Raises:
        ValueError: no style.
    """
    takes = f'takes a style such as "bold #ff8700" or "black on yellow", not {quoted(value)}'
    if not isinstance(value, str) or len(value) > 200:
        raise ValueError(takes)
    try:
        parsed = Style.parse(value or "none")
    except (StyleSyntaxError, ValueError, RecursionError):
        raise ValueError(takes) from None
    if parsed.link or parsed.meta:
        raise ValueError("takes no link: links would write addresses to the terminal")
    return value


OPTIONS = (
    Option(
        "theme",
        (f"Colours: {', '.join(VARIANTS)}.", "auto is mono where NO_COLOR is set; every other choice holds there too."),
        _one_of(VARIANTS),
    ),
    Option(
        "noise",
        ("What is shown at the start: 0 everything, 1 no injections and control steps, 2 prompts and replies only.",),
        _number(0, 2),
    ),
    Option("thinking", ("Whether thinking is shown at the start.",), _yes_or_no),
    Option(
        "clipboard",
        (
            'Where copied text goes: "osc52" (the terminal\'s clipboard, also over SSH), "file" (copied.txt in the state folder),',
            'or a command that reads it, as a list: ["wl-copy"], ["xclip", "-selection", "clipboard"], ["pbcopy"].',
        ),
        _clipboard,
    ),
    Option("slow", ("For slow lines: no animation, fewer frames. As --slow.",), _yes_or_no),
    Option("ascii", ("ASCII characters only, also where the locale has more. As --ascii.",), _yes_or_no),
    Option("mouse", ("Whether the explorer takes the mouse. false is as --no-mouse.",), _yes_or_no),
    Option("layout.detail-open", ("Whether the detail is open at the start.",), _yes_or_no),
    Option(
        "layout.detail-position",
        ("Where the detail stands: right, below, or auto: right where there is room.",),
        _one_of(("auto", "right", "below")),
    ),
    Option(
        "layout.detail-size",
        ("The detail's part of the screen in percent, 20 to 80, until a pane is resized by hand.",),
        _number(20, 80),
    ),
    Option("times.zone", ("The zone of clock times: local, UTC, or a name such as Europe/Madrid.",), _zone),
    Option("times.clock", (f"How they are written in the tree: {', '.join(CLOCKS)}.",), _one_of(CLOCKS)),
)
BY_NAME = {option.name: option for option in OPTIONS}
TABLES = ("layout", "times", "colours", "keys")
