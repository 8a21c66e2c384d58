"""Search through all texts: the first hit, all hits, and how long a key waits while it goes on."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator

from . import probe
from .footer import Footer
from .pty_run import Terminal
from .setting import Setting, Subject
from .start import show
from .table import Note, Row, milliseconds

_QUERIES = ("relay", "launched", "re:retry .{3,9} merge", "qqzzvv")
_TYPED = b"deadline retry"
_SEARCHES = 8
_EVERY = 0.03
_WAIT = 100.0
_POSITION = re.compile(r"(\d[\d,]*) of (\d[\d,]*)")


def measure(setting: Setting) -> Iterator[Row | Note]:
    """In a process, then with keys pressed on a terminal."""
    for subject in setting.sizes:
        told = probe.ask("searching", subject.root, subject.conversation, *_QUERIES)
        limits = (100.0, 500.0) if subject is setting.one else (None, None)
        yield Row(f"{subject.name}: the first search of all, to its end", told["cold"] * 1000, "ms", "no hit")
        for query, (first, done, hits) in told["queries"].items():
            words = f"{hits:,} hits" if hits else "no hit"
            if hits:
                yield Row(f"{subject.name}: {query}: first hit", first * 1000, "ms", words, limits[0])
            yield Row(f"{subject.name}: {query}: all", done * 1000, "ms", words, limits[1])
    for subject in setting.sizes:
        waited, calm = _keys_while_searching(subject)
        typed = _letters(subject)
        yield Row(f"{subject.name}: longest that a letter of the query waits", max(typed) * 1000, "ms", milliseconds(typed), _WAIT)
        raw = f"{len(waited)} keys: {milliseconds(waited)}; without a search: {milliseconds(calm)}"
        yield Row(f"{subject.name}: longest that a key waits during a search", max(waited) * 1000, "ms", raw, _WAIT)


def _keys_while_searching(subject: Subject) -> tuple[list[float], list[float]]:
    """Seconds that each move waited for its frame during searches for what is nowhere, and as many without a search."""
    with show(subject) as terminal:
        terminal.press(b"z")
        calm = [terminal.press(b"j").last for _ in range(20)]
        waited: list[float] = []
        for number in range(_SEARCHES):
            terminal.settle()
            waited += _one_search(terminal, f"{chr(ord('b') + number)}qzzv")
    return waited, calm


def _letters(subject: Subject) -> list[float]:
    """Seconds to the first byte after each letter of a query, each of which begins a search."""
    with show(subject) as terminal:
        terminal.press(b"/")
        return [terminal.press(bytes([letter]), quiet=0.005).first for letter in _TYPED]


def _one_search(terminal: Terminal, query: str) -> list[float]:
    place, rows = _position(terminal)
    terminal.press(b"/")
    terminal.press(query.encode()[:1])
    since = terminal.mark()
    terminal.write(query.encode()[1:] + b"\r")
    time.sleep(_EVERY)
    pressed = []
    while "no match" not in terminal.text(since) and len(pressed) < 200:
        pressed.append(terminal.write(b"j"))
        time.sleep(_EVERY)
    terminal.settle()
    return list(_waits(terminal, since, place, rows, pressed))


def _waits(terminal: Terminal, since: int, place: int, rows: int, pressed: list[float]) -> Iterator[float]:
    """How long each press waited for the frame with its position in the footer."""
    shown = [(when, at) for when, at, count in _positions(terminal, since) if count == rows]
    for number, start in enumerate(pressed, 1):
        came = next((when for when, at in shown if at >= place + number), None)
        if came is not None:
            yield came - start


def _position(terminal: Terminal) -> tuple[int, int]:
    """The row of the cursor and the number of rows, as the footer says."""
    _, place, rows = list(_positions(terminal))[-1]
    return place, rows


def _positions(terminal: Terminal, since: int = 0) -> Iterator[tuple[float, int, int]]:
    """Of every frame after a mark that has one: when it came, the row of the cursor, the number of rows."""
    footer = Footer()
    start = terminal.chunks(since)[0][0] if terminal.chunks(since) else 0.0
    for when, data in terminal.frames(0):
        found = _POSITION.search(footer.feed(data))
        if found and when >= start:
            yield when, _number(found[1]), _number(found[2])


def _number(text: str) -> int:
    return int(text.replace(",", ""))
