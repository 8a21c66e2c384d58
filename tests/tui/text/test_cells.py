"""Cells: no width is exceeded, nothing is split, nothing is lost."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from asz_tui.text import cells
from asz_tui.text.cells import clip, pad, width, wrap
from asz_tui.text.safe import visible

RAW = st.text(
    st.one_of(st.sampled_from("ab  c中文한é…❤👍👩\u0301\u200d\ufe0f🏽🇩🇪─"), st.characters(exclude_categories=("Cc", "Cs")))
)
SAFE = RAW.map(visible)


@given(RAW)
def test_width_is_the_screen_s(text: str) -> None:
    assert width(text) == cell_len(text)


@given(SAFE)
def test_safe_text_is_measured_alike_by_wcwidth(text: str) -> None:
    """Terminals add up characters; a text for the screen must not depend on sequences."""
    wcwidth = pytest.importorskip("wcwidth")
    alone = [wcwidth.wcwidth(c) for c in text]
    # Characters that this Unicode version does not know yet have no agreed width.
    if min(alone, default=0) >= 0 and "Cn" not in map(unicodedata.category, text):
        assert sum(alone) == width(text)


@given(st.one_of(SAFE, RAW), st.integers(-1, 30), st.sampled_from(["…", "~", "...", ""]))
def test_clip_never_exceeds(text: str, room: int, ellipsis: str) -> None:
    out = clip(text, room, ellipsis)
    assert width(out) <= max(0, room)
    if width(text) <= room:
        assert out == text
    assert clip(out, room, ellipsis) == out


@given(SAFE, st.integers(0, 30))
def test_pad_is_exact(text: str, room: int) -> None:
    assert width(pad(text, room)) == room


@given(st.one_of(SAFE, RAW), st.integers(2, 30), st.booleans())
def test_wrap_keeps_width_and_text(text: str, room: int, words: bool) -> None:
    rows = wrap(text, room, words=words)
    assert all(width(row) <= room for row in rows if len(row) == 1 or visible(row) == row)
    if words:
        assert "".join(rows).replace(" ", "") == text.replace(" ", "")
    else:
        assert "".join(rows) == text


@given(SAFE, st.integers(2, 30))
def test_wrapped_rows_wrap_to_themselves(text: str, room: int) -> None:
    for row in wrap(text, room):
        assert wrap(row, room) == [row]


def test_wrap_breaks_at_blanks_and_inside_long_words() -> None:
    assert wrap("the quick brown fox", 9) == ["the quick", "brown fox"]
    assert wrap("abcdefghij kl", 4) == ["abcd", "efgh", "ij", "kl"]
    assert wrap("  indented text", 10) == ["  indented", "text"]
    assert wrap("a  b", 3, words=False) == ["a  ", "b"]
    assert wrap("x\n\ny", 5) == ["x", "", "y"]
    assert wrap("中文字", 5) == ["中文", "字"]
    assert wrap("中", 1) == ["中"]


def test_clip_splits_no_unit() -> None:
    assert clip("中文", 3) == "中…"
    assert clip("a中文", 3) == "a…"
    assert clip("e\u0301e\u0301e\u0301", 2) == "e\u0301…"
    assert clip("👍🏽👍🏽", 3) == "👍🏽…"
    assert clip("🇩🇪🇫🇷", 3) == "🇩🇪…"


def test_clip_does_not_read_what_it_drops(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    real = cells.get_character_cell_size
    monkeypatch.setattr(cells, "get_character_cell_size", lambda c: seen.append(c) or real(c))
    assert width(clip("中é☃" * 100_000, 20)) <= 20
    assert len(seen) < 200


def test_even_runs_are_even() -> None:
    for pattern, size in ((cells._NARROW, 1), (cells._WIDE, 2)):
        chars = [chr(c) for c in range(0x10000) if pattern.fullmatch(chr(c))]
        assert len(chars) > 500
        assert {cell_len(c) for c in chars} == {size}
