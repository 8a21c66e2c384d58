"""Fitting rows, the scroll arithmetic, themes and painting, without a screen."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.style import Style
from textual.strip import Strip

from asz_tui.lines.line import Line, ListSource, RowSource, fit
from asz_tui.lines.paint import Palette, StripCache, changed_part
from asz_tui.lines.scroll import clamp_top, keep_in_view, row_at_bar, thumb
from asz_tui.lines.theme import ROLES, VARIANTS, styles_for
from asz_tui.text.cells import width

SPANS = st.lists(st.tuples(st.text("ab 中é…", max_size=12), st.sampled_from(["text", "dim"])), max_size=5)


def shown(line: Line, cells: int) -> str:
    return "".join(text for text, _ in fit(line, cells))


@given(SPANS, SPANS, st.integers(0, 40))
def test_fit_is_exactly_as_wide_as_asked(left: list, right: list, cells: int) -> None:
    spans = fit(Line(left, right), cells)
    assert sum(width(text) for text, _ in spans) == cells
    assert all(text for text, _ in spans)


def test_fit_clips_the_left_and_keeps_the_right() -> None:
    line = Line([("a long label that goes on", "text")], [("✗", "error"), (" 48 s", "dim")])
    assert shown(line, 40) == "a long label that goes on         ✗ 48 s"
    assert shown(line, 20) == "a long label… ✗ 48 s"
    assert shown(line, 8).endswith("48 s")
    assert "✗" not in shown(line, 8)


def test_fit_says_so_when_the_cut_falls_between_spans() -> None:
    assert shown(Line([("abcd", "x"), ("efgh", "y")]), 4) == "abc…"
    assert shown(Line([("abcd", "x"), ("", "y")]), 4) == "abcd"


def test_list_source_is_a_row_source() -> None:
    source = ListSource([("a", Line([("x", "")])), ("b", Line())])
    assert isinstance(source, RowSource)
    before = source.version
    source.rows = [("b", Line())]
    assert source.version != before
    assert (source.index_of("b"), source.index_of("a"), source.key(0)) == (0, None, "b")


@given(st.integers(-5, 200), st.integers(0, 50), st.integers(0, 200))
def test_scroll_arithmetic_stays_in_bounds(top: int, height: int, count: int) -> None:
    first = clamp_top(top, height, count)
    assert 0 <= first <= max(0, count - height)
    start, end = thumb(first, height, count)
    assert 0 <= start <= end <= height
    assert (end > start) == (0 < height < count)
    if end - start < height > 2 and end > start:
        assert (start == 0) == (first == 0)
        assert (end == height) == (first == count - height) or height - (end - start) < 2
    for line in range(height):
        assert 0 <= row_at_bar(line, height, count) <= max(0, count - height)


@given(st.integers(0, 100), st.integers(0, 100), st.integers(1, 30), st.integers(0, 5), st.integers(1, 40))
def test_keep_in_view_shows_the_row(index: int, top: int, height: int, margin: int, jump: int) -> None:
    first = keep_in_view(index, top, height, margin, jump)
    assert first <= index < first + height
    if top + margin <= index < top + height - margin:
        assert first == top


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_variant_has_every_role(variant: str) -> None:
    styles = styles_for(variant)
    assert set(styles) == set(ROLES)
    plain = styles["text"]
    # The cursor and matches must be seen in every variant, without relying on the foreground colour.
    for role in ("cursor", "cursor-blur", "match"):
        style = plain + styles[role]
        assert style.bgcolor != plain.bgcolor or style.reverse or style.underline


def test_mono_has_no_colour() -> None:
    assert all(style.color is None and style.bgcolor is None for style in styles_for("mono").values())


def test_palette_merges_what_looks_alike() -> None:
    palette = Palette(styles_for("dark"), Style.parse("on #101010"))
    strip = palette.strip([("a", "text"), ("b", ""), ("  ", "dim"), ("c", "tool match")], 5)
    assert [segment.text for segment in strip] == ["ab  ", "c"]
    assert palette.style("tool match").bgcolor == styles_for("dark")["match"].bgcolor
    assert palette.style("tool", "cursor").bgcolor == styles_for("dark")["cursor"].bgcolor
    # A blank under a mark that shows on blanks stays apart.
    assert len(list(palette.strip([("x", "match"), (" ", "")], 2))) == 2


def test_strip_cache_is_bounded() -> None:
    cache = StripCache(limit=3)
    strip = Palette(styles_for("dark"), Style()).strip([("x", "")], 1)
    for key in range(10):
        cache.put(key, strip)
    assert len(cache) == 3
    assert cache.get(9) is strip and cache.get(0) is None


def test_what_was_asked_for_stays_in_the_strip_cache() -> None:
    cache = StripCache(limit=3)
    strip = Palette(styles_for("dark"), Style()).strip([("x", "")], 1)
    for key in range(3):
        cache.put(key, strip)
    assert cache.get(0) is strip
    cache.put(3, strip)
    assert [key for key in range(4) if cache.get(key)] == [0, 2, 3]


def _strip(*spans: tuple[str, str], cells: int) -> Strip:
    return Palette(styles_for("dark"), Style()).strip(spans, cells)


def _over(before: Strip, after: Strip) -> tuple[str, int]:
    """What stands on the line once the changed part is written over it, and how many cells were written."""
    start, part = changed_part(before, after)
    end = start + part.cell_length
    shown = Strip.join([before.crop(0, start), part, before.crop(end)])
    assert shown.text == after.text and [c for s in shown for c in [s.style] * len(s.text)] == [c for s in after for c in [s.style] * len(s.text)]
    return part.text, start


def test_only_the_part_of_a_line_that_changed_is_written() -> None:
    hints = "j/k move   Enter open   q quit".ljust(60)
    before, after = (_strip((hints + f"{n:>6} of 20 ", "dim"), cells=73) for n in (9, 11))
    assert _over(before, after) == ("11", 64)
    bar, thumb = (_strip(("a row of its own that is long", "text"), (mark, "bar"), cells=30) for mark in (" ", "┃"))
    assert _over(bar, thumb) == ("┃", 29)
    assert changed_part(None, after) == (0, after)
    assert changed_part(_strip(("x" * 72, "dim"), cells=72), after) == (0, after)


@pytest.mark.parametrize("seed", range(200))
def test_a_changed_part_makes_the_line_what_it_is_to_be(seed: int) -> None:
    rng = random.Random(seed)
    words = ["abcabcabc", "漢字漢字", "▸ ", "       ", "e\u0301te\u0301", "\u0301x", "wörter"]
    roles = ["dim", "title", "cursor"]
    spans = [(rng.choice(words), rng.choice(roles)) for _ in range(12)]
    other = [span if rng.random() < 0.7 else (rng.choice(words), rng.choice(roles)) for span in spans]
    lines = [_strip(*fit(Line(made), 60), cells=60) for made in (spans, other)]
    _over(*lines)


def test_little_is_written_whole() -> None:
    before, after = _strip(("abcdefgh", "dim"), cells=8), _strip(("abcdefgx", "dim"), cells=8)
    assert changed_part(before, after) == (0, after)
