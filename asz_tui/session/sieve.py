"""What a query can be found by in the bytes of a file, before anything is decoded, and the files read block by block for that.

A `Query` knows its pattern and the *needles*: bytes of which every matching record holds one. Records are JSON, so a character may
stand in a file in more than one spelling; a needle is made of characters that producers write as they are, and rows in which such a
character is escaped all the same (or stands as a letter that only folds to it) count as *odd* and always pass. The sieve may pass
too much, never too little: what it passes is decoded and looked at as text.

`FileRows` is the table of a file's blocks (whole lines, `BLOCK` bytes or one line): 16 bytes a block and 24 an odd row are kept,
the bytes are not.
Sieving costs one read, one `lower` and one `find` of each block, about 2 ms a megabyte, in steps that hold the interpreter's lock
for a fraction of a millisecond.
"""

from __future__ import annotations

import os
import re
import time
import warnings
from array import array
from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache, partial

from asz_core.sessiondata.reader import Landed

from ..grammar import INJECTION_WORDS
from .guard import ANY, LONG, LONG_TEXT, SAFE, Guard, risk_of

BLOCK = 1 << 18
_WINDOW = 1 << 16
_BLOCKS_KEPT = 8
_GLANCE = 0.05

# Printable ASCII without what encoders escape for the sake of HTML or of JSON itself: " & ' < > \
_PLAIN_RUN = re.compile(r"[ !#-%(-;=?-\[\]-~]+")
# Beyond ASCII, without what stands for bytes that are no text and the letters that fold to ASCII ones.
_WIDE_RUN = re.compile("[^\x00-\x7f\ud800-\udfff\ufffd\u0130\u0131\u017f\u212a]+")
# An escaped character that a plain run may hold (the slash has a spelling of its own), and the letters that fold to i, k and s.
_ODD = re.compile(
    rb"\\u(?:00(?:2[013-58-9a-f]|3[0-9abdf]|4[0-9a-f]|5[0-9a-f]|6[0-9a-f]|7[0-9a-e])|013[01]|017f|212a)"
    rb"|\xc4[\xb0\xb1]|\xc5\xbf|\xe2\x84\xaa|\\/",
    re.IGNORECASE,
)
_SUSPECT = re.compile(rb"\\[u/]")
# Any other escaped character; and escaped pieces of an escape, as they can stand in JSON inside of JSON.
_ESCAPED_WIDE = re.compile(rb"\\u(?:(?!00[0-7])[0-9a-f]{4}|00(?:3[0-9]|[46][1-6]|75|5c))", re.IGNORECASE)


class Query:
    """A search as it is typed, ready to be looked for in texts and in bytes.

    Attributes:
        pattern: what matches.
        literal: the text looked for; empty for a regular expression.
        folded: whether any case matches.
        needles: bytes of which every matching row holds one, in small letters; empty when every row must be looked at.
        exact: the needles are spelled as they stand, not in small letters.
        cased: stands for the needles where they have more than one spelling.
        is_wide: whether the needles lie beyond ASCII.
        risk: how long the pattern may take, see `guard`; what it is a risk to look for here, the guard looks for.
    """

    def __init__(self, query: str) -> None:
        """
        Raises:
            ValueError: when the query is no pattern, with the reason.
        """
        self.query = query
        text = query.removeprefix("re:")
        self.folded = not any(char.isupper() for char in text)
        is_regex = query.startswith("re:")
        self.literal = "" if is_regex else text
        self.pattern = _compiled(text if is_regex else re.escape(text), self.folded)
        self._low = text.lower() if self.folded and not is_regex and text.isascii() else ""
        self.needles: tuple[bytes, ...] = ()
        self.exact = False
        self.is_wide = False
        self.cased: re.Pattern[bytes] | None = None
        self.risk = risk_of(text, self.pattern.flags) if is_regex else SAFE
        self.guard = Guard(text, self.pattern.flags) if self.risk else None
        words_fit = self.pattern.search if self.risk < ANY else bool
        self.injections = frozenset(kind for kind, words in INJECTION_WORDS.items() if words_fit(words))
        self._choose(*(_literals(text, self.folded) if is_regex else ([text], self.folded)))

    def _choose(self, runs: list[str], folded: bool) -> None:
        """Choose the needles among texts that every match holds.

        Args:
            runs: the texts.
            folded: whether they match in any case.
        """
        # Blanks at the ends may be those around the dot of «server · tool», which is no text of a record.
        plain = max((part.strip(" ") for run in runs for part in _PLAIN_RUN.findall(run)), key=len, default="")
        wide = max((part for run in runs for part in _WIDE_RUN.findall(run) if part != "·"), key=len, default="").strip("·")
        if plain and (len(plain) > 2 or len(plain) >= len(wide)):
            self.exact = not folded
            self.needles = ((plain.lower() if folded else plain).encode(),)
        elif wide and "·" not in wide:
            self._choose_wide(wide, folded)
        else:
            return
        if self.injections and not self.is_wide:
            # The words for an injection's type are ours; the row holds the type.
            named = sorted(self.injections)
            self.needles += tuple(name.encode() for name in named) if len(named) < 3 else (b'"type"',)
        elif self.injections:
            self.needles = ()

    def _choose_wide(self, wide: str, folded: bool) -> None:
        spellings = [_same_letters(char) if folded else char for char in wide]
        self.is_wide = self.exact = True
        self.needles = (wide.encode(),)
        if any(len(letters) > 1 for letters in spellings):
            groups = (b"|".join(re.escape(letter.encode()) for letter in letters) for letters in spellings)
            self.cased = re.compile(b"".join(b"(?:" + group + b")" for group in groups))

    @property
    def marks(self) -> re.Pattern[str] | None:
        """The pattern for what is on the screen; None where it is a risk to look for it even there."""
        return self.pattern if self.risk < ANY else None

    def any_fits(self, texts: Iterable[str]) -> bool:
        """Whether one of some texts matches."""
        if self.risk == ANY and self.guard is not None:
            return self.guard.fits(texts)
        return any(self.fits(text) for text in texts)

    def span(self, text: str) -> tuple[int, int] | None:
        """Where the first match stands in a text that fits."""
        if self._is_risky(text) and self.guard is not None:
            # What is on the screen is not waited for as long as what is searched.
            guard = Guard(self.query.removeprefix("re:"), self.pattern.flags, _GLANCE)
            try:
                return guard.spans([text])[0]
            finally:
                guard.close()
        match = self.pattern.search(text)
        return match.span() if match is not None else None

    def _is_risky(self, text: str) -> bool:
        return self.risk == ANY or (self.risk == LONG and len(text) > LONG_TEXT)

    def fits(self, text: str) -> bool:
        """Whether a text matches."""
        if self.guard is not None and self._is_risky(text):
            return self.guard.fits([text])
        if self._low and text.isascii():
            return self._low in text.lower()
        if self.literal and not self.folded:
            return self.literal in text
        if not self.literal or len(text) <= _WINDOW:
            return self.pattern.search(text) is not None
        # A long text in pieces, because one call of a regular expression cannot be interrupted.
        step, reach = _WINDOW, _WINDOW + len(self.literal)
        return any(self.pattern.search(text, at, at + reach) is not None for at in range(0, len(text), step))

    def narrows(self, other: Query) -> bool:
        """Whether everything that matches this one matches another one too."""
        if not self.literal or not other.literal or (self.folded and not other.folded):
            return False
        if other.folded:
            return self.literal.isascii() and other.literal.isascii() and other.literal.lower() in self.literal.lower()
        return other.literal in self.literal

    def seekers(self, data: bytes) -> list[Callable[[int], int]]:
        """Functions that give the first place at or behind another one where a needle stands, or -1; one for each needle.

        Args:
            data: bytes in any spelling; the places are those of it.
        """
        hay = data if self.exact else data.lower()
        if self.cased is not None:
            search = self.cased.search
            return [lambda at: found.start() if (found := search(hay, at)) else -1]
        return [partial(hay.find, needle) for needle in self.needles]

    def in_bytes(self, data: bytes, odd: bool) -> bool:
        """Whether some bytes may match at all.

        Args:
            data: what to look through.
            odd: whether they are `suspicious`.
        """
        if not self.needles or any(seek(0) >= 0 for seek in self.seekers(data)):
            return True
        return odd and (_ESCAPED_WIDE if self.is_wide else _ODD).search(data) is not None


def suspicious(data: bytes) -> bool:
    """Whether some bytes may hold odd spellings, so that it is worth looking for those."""
    return not data.isascii() or _SUSPECT.search(data) is not None


def _compiled(pattern: str, folded: bool) -> re.Pattern[str]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return re.compile(pattern, re.IGNORECASE if folded else 0)
    except (re.error, RecursionError, OverflowError) as error:
        raise ValueError(f"not a regular expression: {error}") from None


def _literals(pattern: str, folded: bool) -> tuple[list[str], bool]:
    """Texts that every match of a regular expression holds, as far as that is plain to see, and whether they match in any case."""
    runs = [""]
    try:
        from re import _parser  # type: ignore[attr-defined]

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            parsed = _parser.parse(pattern, re.IGNORECASE if folded else 0)
        for operation, argument in parsed:
            if repr(operation) == "LITERAL":
                runs[-1] += chr(argument)
            else:
                runs.append("")
        return [run for run in runs if run], bool(parsed.state.flags & re.IGNORECASE)
    except Exception:
        # The parser is not a documented one; without it every row is looked at.
        return [], folded


@lru_cache(1024)
def _same_letters(char: str) -> str:
    """Every letter that a regular expression takes for this one in any case, itself among them."""
    same = re.findall(re.escape(char), _all_cased(), re.IGNORECASE)
    return "".join(dict.fromkeys([char, *same]))


@lru_cache(1)
def _all_cased() -> str:
    # There are no letters with two cases beyond the first two planes; the loop takes some 20 ms, once, in slices.
    every = (chr(code) for code in range(0x20000) if not 0xD800 <= code < 0xE000)
    return "".join(char for char in every if char.lower() != char or char.upper() != char)


class Stopped(Exception):
    """The work was asked to stop."""


class Pace:
    """Keeps a working thread from standing in the way of the screen: a short rest after each slice of work."""

    def __init__(self, stop: Callable[[], bool], *, work: float = 0.004, rest: float = 0.0001) -> None:
        """
        Args:
            stop: asked at every rest.
            work: seconds of a slice.
            rest: seconds of a rest; the lock is free that long.
        """
        self._stop = stop
        self._work = work
        self._rest = rest
        self._until = time.perf_counter() + work

    def __call__(self) -> None:
        """Rest when it is time to.

        Raises:
            Stopped: when the work was asked to stop.
        """
        if time.perf_counter() < self._until:
            return
        if self._stop():
            raise Stopped
        time.sleep(self._rest)
        self._until = time.perf_counter() + self._work


class Sifted:
    """Rows of one block, by number and in order, and where they stand in it; 24 bytes a row."""

    __slots__ = ("ends", "first", "last", "rows", "starts")

    def __init__(self, first: int, last: int) -> None:
        """
        Args:
            first: number of the block's first line.
            last: one past its last.
        """
        self.first, self.last = first, last
        self.rows, self.starts, self.ends = array("q"), array("q"), array("q")

    def add(self, row: int, start: int, end: int) -> None:
        """Take in a row; rows come in order."""
        self.rows.append(row)
        self.starts.append(start)
        self.ends.append(end)

    def place(self, row: int) -> tuple[int, int] | None:
        """Where a row stands in the block, when it is one of these."""
        at = bisect_left(self.rows, row)
        if at < len(self.rows) and self.rows[at] == row:
            return self.starts[at], self.ends[at]
        return None

    def union(self, other: Sifted) -> Sifted:
        """The rows of both."""
        both = Sifted(self.first, self.last)
        every = {*zip(self.rows, self.starts, self.ends, strict=True), *zip(other.rows, other.starts, other.ends, strict=True)}
        for row, start, end in sorted(every):
            both.add(row, start, end)
        return both


class FileRows:
    """The rows of one landed file, block by block. The table grows as far as it is looked at; it holds no bytes of the file."""

    __slots__ = ("_lines", "_odd", "_starts", "_wide", "landed", "whole")

    def __init__(self, landed: Landed) -> None:
        """
        Args:
            landed: the file as it was read.
        """
        self.landed = landed
        self.whole = False
        self._starts = array("q", [0])
        self._lines = array("q", [0])
        self._odd: dict[int, Sifted | None] = {}
        self._wide: dict[int, Sifted | None] = {}

    def block_of(self, row: int) -> int | None:
        """The number of the block that holds a row, reading on to it when that is not known yet; None behind the end.

        Raises:
            OSError: when the file cannot be read.
        """
        while not self.whole and self._lines[-1] <= row:
            self._read_on()
        if row >= self._lines[-1]:
            return None
        return bisect_right(self._lines, row) - 1

    def _read_on(self) -> None:
        start = end = self._starts[-1]
        with _opened(self.landed.file.path) as file:
            data = os.pread(file, BLOCK, start)
            while b"\n" not in data and len(data) == BLOCK:
                end += len(data)
                data = os.pread(file, BLOCK, end)
        cut = data.rfind(b"\n") + 1
        lines = data.count(b"\n", 0, cut)
        if not cut:
            # The end, perhaps after a last line that was cut short.
            self.whole = True
            cut = len(data)
            lines = int(end + cut > start)
        if lines:
            self._starts.append(end + cut)
            self._lines.append(self._lines[-1] + lines)

    def read(self, block: int) -> bytes:
        """The bytes of a block that `block_of` named.

        Raises:
            OSError: when the file cannot be read.
        """
        start = self._starts[block]
        with _opened(self.landed.file.path) as file:
            return os.pread(file, self._starts[block + 1] - start, start)

    def sift(self, block: int, data: bytes, query: Query, pace: Callable[[], None]) -> Sifted:
        """The rows of a block that may match a query.

        Args:
            block: the block's number.
            data: its bytes.
            query: what is looked for.
            pace: called between steps.
        """
        if not query.needles:
            return self._rows_at(block, data, [lambda at: at], pace)
        odd = self._odd_rows(block, data, wide=query.is_wide, pace=pace)
        found = self._rows_at(block, data, query.seekers(data), pace)
        return found if odd is None else found.union(odd)

    def _odd_rows(self, block: int, data: bytes, *, wide: bool, pace: Callable[[], None]) -> Sifted | None:
        """Rows that pass whatever the needles are; looked for once in a block."""
        table, pattern = (self._wide, _ESCAPED_WIDE) if wide else (self._odd, _ODD)
        if block not in table:
            table[block] = None
            if suspicious(data):
                odd = self._rows_at(block, data, [lambda at: found.start() if (found := pattern.search(data, at)) else -1], pace)
                table[block] = odd if odd.rows else None
        return table[block]

    def _rows_at(self, block: int, data: bytes, seekers: list[Callable[[int], int]], pace: Callable[[], None]) -> Sifted:
        """The rows that hold one of the places that seekers find."""
        row, last = self._lines[block], self._lines[block + 1]
        found = Sifted(row, last)
        pace()
        size, counted = len(data), 0
        nexts = [seek(0) for seek in seekers]
        while row < last and counted < size and (at := min((spot for spot in nexts if spot >= 0), default=-1)) >= 0:
            row += data.count(b"\n", counted, at)
            start = data.rfind(b"\n", counted, at) + 1 or counted
            end = data.find(b"\n", at)
            counted = (size if end < 0 else end) + 1
            found.add(row, start, counted - 1)
            row += 1
            nexts = [seek(counted) if 0 <= spot < counted else spot for seek, spot in zip(seekers, nexts, strict=True)]
            if not row % 64:
                pace()
        return found


@contextmanager
def _opened(path: str) -> Iterator[int]:
    file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        yield file
    finally:
        os.close(file)


class Blocks:
    """The last few blocks that were read."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[int, int], bytes] = OrderedDict()

    def get(self, rows: FileRows, block: int) -> bytes:
        """The bytes of a block.

        Raises:
            OSError: when the file cannot be read.
        """
        key = (id(rows), block)
        data = self._kept.get(key)
        if data is None:
            data = self._kept[key] = rows.read(block)
            if len(self._kept) > _BLOCKS_KEPT:
                self._kept.popitem(last=False)
        return data
