"""`visible`: nothing that acts or hides reaches the screen, whatever the data holds."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asz_tui.text.safe import ascii_only, visible

HOSTILE = st.text(
    st.one_of(
        st.characters(exclude_categories=()),
        st.sampled_from("\x00\x1b\x7f\x9b\r\n\t \u200b\u200d\u200e\u202e\u2028\ufeff\ufe0f\ufe0e\u0301\u20e3\ud800\U000e0041"),
        st.sampled_from("👨👩👍❤🏽🇩🇪中é1#*a⏎⟨"),
    ),
    max_size=40,
)
FORBIDDEN = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff9-\ufffb\ufdd0-\ufdef"
    "\ud800-\udfff\U000e0000-\U000e0fff\U0001f1e6-\U0001f1ff]"
)


@given(HOSTILE, st.booleans())
def test_nothing_acts_or_hides(text: str, multiline: bool) -> None:
    shown = visible(text, multiline=multiline)
    assert not FORBIDDEN.search(shown)
    assert multiline or "\n" not in shown
    assert not any(unicodedata.category(c) in ("Cc", "Cf", "Cs") and c != "\n" for c in shown if ord(c) not in PREPENDED)
    assert shown.encode("utf-8").decode() == shown


# Format characters that are visible signs (Arabic number signs and the like) and stay as they are.
PREPENDED = {*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD, *range(0x13430, 0x13440)}


@given(HOSTILE, st.booleans(), st.booleans())
def test_said_twice_is_said_once(text: str, multiline: bool, screen: bool) -> None:
    once = visible(text, multiline=multiline, screen=screen)
    assert visible(once, multiline=multiline, screen=screen) == once


@given(HOSTILE)
def test_off_screen_keeps_emoji_but_no_controls(text: str) -> None:
    shown = visible(text, multiline=True, screen=False)
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", shown)


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126)))
def test_plain_text_is_itself(text: str) -> None:
    assert visible(text) is text
    assert visible(text, multiline=True) is text


@pytest.mark.parametrize(
    ("data", "one_line"),
    [
        ("a\x1b[31mb\x07", "a␛[31mb␇"),
        ("\x7f\x9b1m", "␡⟨U+009B⟩1m"),
        ("Fix it \r\n\n\t- now\n", "Fix it⏎ - now⏎"),
        ("a\rb", "a␍b"),
        ("a\tb", "a b"),
        ("x\u202egnp.exe", "x⟨U+202E⟩gnp.exe"),
        ("\ufeffa\u200bb\u2028c", "⟨U+FEFF⟩a⟨U+200B⟩b⟨U+2028⟩c"),
        ("👨\u200d👩\u200d👧 👍🏽 ❤\ufe0f 1\ufe0f\u20e3", "👨👩👧 👍 ❤ 1\u20e3"),
        ("a\u200db \U0001f3fd", "a⟨U+200D⟩b ⟨U+1F3FD⟩"),
        ("🇩🇪!", "⟨DE⟩!"),
        ("e" + "\u0301" * 10, "e" + "\u0301" * 4 + "⟨+6 marks⟩"),
        ("\u0301a", "◌\u0301a"),
        ("[bold]x[/] [@click=quit]", "[bold]x[/] [@click=quit]"),
        ("\U000e0041\ud800\ufffe", "⟨U+E0041⟩⟨U+D800⟩⟨U+FFFE⟩"),
        ("é中ñ שלום \ue0b0", "é中ñ שלום \ue0b0"),
    ],
)
def test_symbols(data: str, one_line: str) -> None:
    assert visible(data) == one_line


def test_several_lines_keep_breaks_and_expand_tabs_by_cells() -> None:
    assert visible("a\tb\r\n中\tc\n\rd", multiline=True) == "a   b\n中  c\n␍d"
    assert visible("ab\tc", multiline=True) == "ab  c"


def test_off_screen_keeps_sequences() -> None:
    family = "👨\u200d👩 👍🏽 ❤\ufe0f 🇩🇪 1\ufe0f\u20e3"
    assert visible(family, screen=False) == family


@given(HOSTILE)
def test_ascii_only_is_ascii(text: str) -> None:
    assert ascii_only(visible(text)).isascii()


def test_ascii_reads() -> None:
    assert ascii_only(visible("Größe\n„x“ → 中 \x1b…")) == 'Grosse / "x" -> <U+4E2D> ^[~'
    assert ascii_only("plain") == "plain"
