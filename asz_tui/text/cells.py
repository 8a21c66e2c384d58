"""Measuring, cutting and wrapping text by terminal cells.

The one dependency is `rich.cells`, the exception to this package's rule of importing neither Textual nor Rich: Textual
lays out with these widths, so measuring by any other table would misplace what follows a wide character.

Text is taken to have passed `visible`. A *unit* is what may not be split: a character with the zero-width characters,
joined characters and emoji modifiers that belong to it, or a pair of regional indicators.

Cost: plain ASCII is measured by `len` and cut by slices. `clip` looks at no more of a text than it keeps; `wrap` is
linear, and only lines that contain unusual characters are walked character by character.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rich.cells import cell_len, get_character_cell_size

# Runs of these are measured by counting. Not all characters of their width, only the frequent blocks that hold nothing
# else (a test holds them against Rich's table).
_NARROW = re.compile(
    r"[ -~\u00a0-\u00ac\u00ae-\u02ff\u0370-\u0377\u0384-\u0482\u2010-\u2027\u2030-\u205e\u20a0-\u20bf"
    r"\u2190-\u2319\u2400-\u2426\u2460-\u25fc\u27e8-\u27eb\u2800-\u28ff]*"
)
_WIDE = re.compile(r"[\u3041-\u3096\u30a1-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff60\u3001-\u3029]*")

_ZWJ, _VS16 = "\u200d", "\ufe0f"


def width(text: str) -> int:
    """Tell how many cells a text takes.

    Args:
        text: a text without line breaks or controls.

    Returns:
        The cells, as Textual counts them.
    """
    return len(text) if text.isascii() else cell_len(text)


def _units(text: str, start: int = 0) -> Iterator[tuple[int, int]]:
    """Walk the units of a text from `start`.

    Args:
        text: the text.
        start: index of the first unit's first character.

    Yields:
        (index just past the unit, cells of the unit). Lazy: a caller that stops early pays only for what it took.
    """
    index, size = start, len(text)
    while index < size:
        begin = index
        char = text[index]
        cells = 1 if char < "\x7f" else get_character_cell_size(char)
        index += 1
        if _regional(char) and index < size and _regional(text[index]):
            cells += get_character_cell_size(text[index])
            index += 1
        joined = False
        while index < size and (follower := text[index]) >= "\u0300" and (joined or _follows(follower)):
            joined = follower == _ZWJ
            index += 1
        # Joiners and selectors change the width of what they belong to; only then is the unit measured as a whole.
        if index - begin > 1 and (_ZWJ in text[begin:index] or _VS16 in text[begin:index]):
            cells = cell_len(text[begin:index])
        yield index, cells


def _follows(char: str) -> bool:
    return get_character_cell_size(char) == 0 or "\U0001f3fb" <= char <= "\U0001f3ff"


def _regional(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _cut(text: str, cells: int, start: int = 0) -> tuple[int, int]:
    """Find how far a text reaches in so many cells.

    Args:
        text: the text.
        cells: the room.
        start: where to begin.

    Returns:
        (index just past the last unit that fits, cells used).
    """
    # In an even run the count tells. The window takes in one character more, as it might modify the one before.
    window = text[start : start + max(0, cells) + 1]
    if window.isascii() or _NARROW.fullmatch(window):
        end = min(len(text), start + max(0, cells))
        return end, end - start
    half = max(0, cells) // 2
    if _WIDE.fullmatch(window, 0, half + 1):
        end = min(len(text), start + half)
        return end, (end - start) * 2
    end, used = start, 0
    for stop, size in _units(text, start):
        if used + size > cells:
            break
        end, used = stop, used + size
    return end, used


def clip(text: str, cells: int, ellipsis: str = "…") -> str:
    """Cut a text that is too wide, and say so with an ellipsis.

    Args:
        text: a text on one line.
        cells: the most cells the result may take.
        ellipsis: what stands for the rest; left out itself where there is no room for it.

    Returns:
        The text itself if it fits, else its beginning and the ellipsis; never wider than `cells`.
    """
    if cells <= 0:
        return ""
    if text.isascii() and len(text) <= cells:
        return text
    end, _ = _cut(text, cells)
    if end == len(text):
        return text
    room = cells - width(ellipsis)
    if room < 0:
        return text[:end]
    return text[: _cut(text, room)[0]] + ellipsis


def pad(text: str, cells: int, ellipsis: str = "…") -> str:
    """Make a text exactly so many cells wide.

    Args:
        text: a text on one line.
        cells: the width wanted.
        ellipsis: what stands for the rest of a text that is too wide.

    Returns:
        The text clipped, or filled up with blanks on the right.
    """
    text = clip(text, cells, ellipsis)
    return text + " " * (cells - width(text))


def iter_rows(text: str, cells: int, *, words: bool = True) -> Iterator[tuple[int, int]]:
    """Break one line of text into rows, as slices of it, one at a time.

    Args:
        text: a text without line breaks.
        cells: width of a row; less than one counts as one.
        words: break after blanks where a row has any (the blanks at a break belong to no row); otherwise, and inside a
            word longer than a row, break where the row is full.

    Yields:
        (start, end) of each row, at least one. A wide character in a column of one cell gets a row of its own, as
        nothing narrower can show it.
    """
    cells = max(1, cells)
    start, size = 0, len(text)
    if not size:
        yield 0, 0
    while start < size:
        end, _ = _cut(text, cells, start)
        if end == start:
            end = next(_units(text, start))[0]
        resume = end
        if words and end < size:
            end, resume = _word_break(text, start, end)
        yield start, end
        start = resume


def _word_break(text: str, start: int, end: int) -> tuple[int, int]:
    """Move the end of a full row back to a blank.

    Args:
        text: the line.
        start: first index of the row.
        end: index where the row is full.

    Returns:
        (end of the row, start of the next one).
    """
    cut = end if text[end] == " " else text.rfind(" ", start, end) + 1
    row_end = cut
    while row_end > start and text[row_end - 1] == " ":
        row_end -= 1
    if row_end <= start:
        # The row is one word, or begins with more blanks than it can hold (deep indentation): break where it is full.
        return end, end
    resume = cut
    size = len(text)
    while resume < size and text[resume] == " ":
        resume += 1
    return row_end, resume


def wrap(text: str, cells: int, *, words: bool = True) -> list[str]:
    """Wrap a text, which may have line breaks, to a width.

    Args:
        text: the text.
        cells: width of a row.
        words: see `iter_rows`; False for code, where every blank counts.

    Returns:
        The rows, none wider than `cells` (but see `iter_rows` on a width of one).
    """
    return [line[a:b] for line in text.split("\n") for a, b in iter_rows(line, cells, words=words)]
