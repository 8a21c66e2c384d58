"""Names of keys: what a person may write, and how Textual spells it.

A key is a character (`j`, `G`, `?`), a name (`enter`, `question_mark`), or either with modifiers before it (`ctrl+d`,
`alt+enter`). Beside Textual's own spelling, `^d`, `esc`, `pgdn` and the like are understood.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from difflib import get_close_matches
from functools import cache

from textual.keys import KEY_NAME_REPLACEMENTS, KEY_TO_UNICODE_NAME, REPLACED_KEYS, Keys

MODIFIERS = {
    "alt": "alt", "option": "alt", "ctrl": "ctrl", "control": "ctrl", "shift": "shift",
    "super": "super", "cmd": "super", "hyper": "hyper", "meta": "meta",
}  # fmt: skip
_ALSO = {
    "esc": "escape", "return": "enter", "ret": "enter", "pgup": "pageup", "pgdn": "pagedown", "pgdown": "pagedown",
    "page_up": "pageup", "page_down": "pagedown", "del": "delete", "ins": "insert", "bs": "backspace", "spacebar": "space",
}  # fmt: skip
NAMES = frozenset(key.value for key in Keys if key.value.isalnum() and key.value != "return")
"""Keys that make no character, and those whose character has a name of its own."""

SAME = {"ctrl+i": "tab", "ctrl+m": "enter", "ctrl+h": "backspace", "ctrl+left_square_bracket": "escape"}
"""Keys that most terminals cannot tell from others."""
RESERVED = ("ctrl+c", "ctrl+q")
"""Keys kept for leaving the program, so that no configuration can lock a person in."""

_SHOWN = {
    "up": "↑", "down": "↓", "left": "←", "right": "→", "pageup": "PgUp", "pagedown": "PgDn", "escape": "Esc",
    "delete": "Del", "insert": "Ins",
}  # fmt: skip


def canonical(text: str) -> str:
    """The spelling that Textual uses for a key.

    Args:
        text: what a person wrote.

    Raises:
        ValueError: no such key; its text says why and completes a sentence that begins with the key.
    """
    *modifiers, base = _split(text)
    found = [_modifier(name) for name in modifiers]
    key = _base(base)
    if len(key) == 1 and key.isalpha():
        key, found = _letter(key, found)
    elif "shift" in found and key not in NAMES:
        raise ValueError('is written as the character it makes, such as "?"')
    # Sorted, as Textual sorts them.
    return "+".join([*sorted(set(found)), key])


def physical(key: str) -> str:
    """The key that a terminal sends for it: two bindings on one of these get in each other's way."""
    return SAME.get(key, key)


def shown(key: str) -> str:
    """How a key is spelled for a person, as short as the help has it."""
    *modifiers, base = key.split("+")
    if base not in NAMES or base == "space":
        character = _character(base)
        name = character if character.strip() else base.capitalize()
    else:
        name = _SHOWN.get(base, base.upper() if base[0] == "f" and base[1:].isdigit() else base.capitalize())
    if modifiers == ["ctrl"] and len(name) == 1:
        return f"^{name}"
    return "+".join([*(word.capitalize() for word in modifiers), name])


def _split(text: str) -> list[str]:
    if text == " ":
        return [text]
    text = text.strip()
    if len(text) == 2 and text[0] == "^":
        return ["ctrl", text[1]]
    if text == "+" or text.endswith("++"):
        return [*(word for word in text[:-1].split("+") if word), "+"]
    parts = [part.strip() for part in text.split("+")]
    if not all(parts):
        raise ValueError("is no key: a name is missing" if text else "names no key")
    return parts


def _modifier(name: str) -> str:
    found = MODIFIERS.get(name.lower())
    if found is None:
        raise ValueError(f"is no key: there is no modifier {name}{_near(name, MODIFIERS)}")
    return found


def _base(name: str) -> str:
    if len(name) == 1:
        if not name.isprintable():
            raise ValueError("is no key that can be written here")
        return _of_character(name)
    lower = name.lower()
    lower = _ALSO.get(lower, lower)
    if lower in NAMES:
        return lower
    character = _character(lower)
    if not character.isprintable() or not character:
        raise ValueError(f"is no key{_near(lower, [*NAMES, *_ALSO, *KEY_TO_UNICODE_NAME, *KEY_NAME_REPLACEMENTS.values()])}")
    return _of_character(character)


def _character(name: str) -> str:
    """The character of a key's name; empty when it has none."""
    name = REPLACED_KEYS.get(name, name)
    try:
        return name if len(name) == 1 else unicodedata.lookup(KEY_TO_UNICODE_NAME.get(name, name.replace("_", " ")))
    except KeyError:
        # Textual writes hyphens as underscores too, and which were hyphens only the names themselves tell.
        return _hyphenated().get(name, "")


@cache
def _hyphenated() -> dict[str, str]:
    names = ((char, unicodedata.name(char, "")) for char in map(chr, range(0x20, 0x3100)))
    return {_underscored(name): char for char, name in names if "-" in name and not char.isalnum()}


def _underscored(name: str) -> str:
    return name.lower().replace("-", "_").replace(" ", "_")


def _of_character(character: str) -> str:
    # What textual.keys does with a key press, which has no public name.
    if character.isalnum():
        return character
    name = _underscored(unicodedata.name(character, character))
    return KEY_NAME_REPLACEMENTS.get(name, name)


def _letter(key: str, modifiers: list[str]) -> tuple[str, list[str]]:
    """A letter with its modifiers: shift alone makes it a capital, and with others it is always a small one."""
    if modifiers == ["shift"]:
        return key.upper(), []
    return (key.lower() if modifiers else key), modifiers


def _near(word: str, names: Iterable[str]) -> str:
    found = get_close_matches(word.lower(), list(names), 1, 0.6)
    return f"; did you mean {found[0]}?" if found else ""
