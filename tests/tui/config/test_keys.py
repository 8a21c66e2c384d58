"""Keys: their names, what gets in whose way, and that Textual does what the configuration says."""

from __future__ import annotations

import string
from collections.abc import Callable

import pytest
from textual.app import App
from textual.keys import _character_to_key
from textual.screen import Screen

from asz_tui.config import Config, applied, keymap, spelled
from asz_tui.config.keybinds import bindable, tables
from asz_tui.config.keynames import canonical, shown
from asz_tui.keys import CONVERSATION, HOME, LISTS, Key, bindings, hints

Read = Callable[[str | bytes], tuple[Config, list[str]]]


def test_characters_are_spelled_as_textual_spells_a_key_press() -> None:
    for character in (*string.printable[:95], *"éñß§«漢"):
        key = canonical(character)
        assert key == _character_to_key(character) == canonical(key)


@pytest.mark.parametrize(
    ("written", "key", "name"),
    [
        ("^d", "ctrl+d", "^d"), ("Control+D", "ctrl+d", "^d"), ("esc", "escape", "Esc"), ("PgDn", "pagedown", "PgDn"),
        ("shift+j", "J", "J"), ("shift+ctrl+left", "ctrl+shift+left", "Ctrl+Shift+←"), ("shift+tab", "shift+tab", "Shift+Tab"),
        ("hyphen_minus", "minus", "-"), ("+", "plus", "+"), ("ctrl++", "ctrl+plus", "^+"), ("F5", "f5", "F5"),
        ("?", "question_mark", "?"), (" ", "space", "Space"), ("return", "enter", "Enter"), ("alt+x", "alt+x", "Alt+x"),
        ("ctrl+?", "ctrl+question_mark", "^?"), ("latin_small_letter_a", "a", "a"), ("dollar_sign", "dollar_sign", "$"),
    ],
)  # fmt: skip
def test_what_a_person_may_write(written: str, key: str, name: str) -> None:
    assert (canonical(written), shown(canonical(written))) == (key, name)


def test_every_default_is_a_key_and_none_is_in_another_s_way(read: Read) -> None:
    for table in tables().values():
        taken: dict[str, str] = {}
        for action in table:
            for key in action.keys.split(","):
                assert canonical(key) == (key if len(key) > 1 else _character_to_key(key))
                assert taken.setdefault(key, action.id) == action.id, f"{key} does two things"
    assert {"conversation", "home", "lists"} <= set(tables())


def test_two_actions_may_change_keys_with_each_other(read: Read) -> None:
    config, problems = read('[keys]\nfollow = "e"\n"error.next" = "F"\n')
    assert problems == [] and config.keys == {"follow": "e", "error.next": "F"}


def test_the_later_of_two_is_the_mistaken_one_and_its_default_may_be_taken_too(read: Read) -> None:
    config, problems = read('[keys]\n"word" = "v"\n"record" = "v"\n')
    assert config.keys == {"word": "v"} and [p.split(":")[1] for p in problems] == ["3"]
    # `follow` gets `e`, for `error.next` was to move away; it may not, so `e` is its own again and `follow` cannot have it.
    config, problems = read('[keys]\nfollow = "e"\n"error.next" = "q"\n')
    assert config.keys == {} and [p.split(":")[1] for p in problems] == ["2", "3"]


def test_a_default_written_out_is_nothing_configured(read: Read) -> None:
    config, problems = read('[keys]\nfollow = "F"\n"move.down" = ["j", "down"]\n')
    assert (config.keys, problems) == ({}, [])


def test_an_action_may_have_no_key_and_its_key_is_free(read: Read) -> None:
    config, problems = read('[keys]\nfollow = ""\n"thinking" = "F"\nword = []\n')
    assert problems == [] and config.keys == {"follow": "", "thinking": "F", "word": ""}


def test_a_lone_comma_or_blank_is_that_key(read: Read) -> None:
    assert read('[keys]\nfollow = ","\nword = [","]\n')[0].keys == {"follow": "comma"}
    assert read('[keys]\n"find.next" = "comma"\n"fold.toggle" = " , tab"\n')[1] != []


def test_one_id_in_several_tables_is_looked_at_in_each(read: Read) -> None:
    config, problems = read('[keys]\n"move.down" = "s"\n')
    assert config.keys == {} and 'is the key of "sort" already' in problems[0] and len(problems) == 1


def test_tables_as_they_are_configured() -> None:
    config = Config(keys={"move.up": "p", "follow": "ctrl+t,f5", "word": "", "record": "x"})
    assert applied(Config(), HOME) is HOME
    table = {key.id: key for key in applied(config, CONVERSATION)}
    assert [key.id for key in applied(config, CONVERSATION)] == [key.id for key in CONVERSATION]
    assert (table["follow"].keys, table["follow"].shown) == ("ctrl+t,f5", "^t F5")
    assert table["word"].shown == "-" and table["talk.next"] is next(key for key in CONVERSATION if key.id == "talk.next")
    assert table["move.down"].hint == "j move", "k does not move any more"
    assert table["record"].hint == "x record"
    assert "^t" not in hints(CONVERSATION) and "x record" in hints(applied(config, CONVERSATION))
    assert spelled("") == "-" and len(bindings(applied(config, CONVERSATION))) == len(CONVERSATION)
    assert keymap(config, LISTS) == {"move.up": "p"}
    assert keymap(config)["record"] == "x" and keymap(Config()) == {}


def test_every_hint_survives_its_key_being_moved() -> None:
    for table in tables().values():
        for action in table:
            if action.hint:
                config = Config(keys={action.id: "f9"})
                (moved,) = [key for key in applied(config, table) if key.id == action.id]
                assert moved.hint.startswith("F9 ") and moved.hint.split()[1:] == action.hint.split()[1:]


class Recorder(Screen[None]):
    """Writes down which actions its keys start."""

    BINDINGS = bindings((Key("one", "a,down", "note('one')", "one", "x"), Key("two", "b", "note('two')", "two", "x"), Key("three", "c", "note('three')", "three", "x")))  # fmt: skip

    def action_note(self, what: str) -> None:
        self.app.noted.append(what)  # type: ignore[attr-defined]


class Wired(App[None]):
    """An app that is wired as the explorer is to be."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.noted: list[str] = []
        self.set_keymap(keymap(config))

    def on_mount(self) -> None:
        self.push_screen(Recorder())


async def test_textual_takes_the_keymap() -> None:
    app = Wired(Config(keys={"one": "b,ctrl+t", "two": "a", "three": ""}))
    async with app.run_test() as pilot:
        await pilot.press("b", "ctrl+t", "a", "down", "c")
        assert app.noted == ["one", "one", "two"]


def test_everything_bindable_has_words() -> None:
    assert all(key.words and key.group for key in bindable().values())
