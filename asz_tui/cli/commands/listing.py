"""`asz-tui list`: one line a conversation, newest activity first, as a table or as JSON."""

from __future__ import annotations

import time
from typing import Any

from asz_core.listing import Row, newest_first
from asz_core.root import Root

from ...text.cells import clip
from ...text.safe import visible
from ...text.words import ago, count, span
from ..output import Printer, inert_json, terminal_width, write_bytes
from ..parser import Parsed
from ..progress import ProgressLine
from ..source import open_root
from ..table import columns

_HEADINGS = ("state", "id", "title", "last", "span", "talks", "steps", "streams", "segments", "rounds", "unresolved", "")
_COUNTS = frozenset(range(5, 11))
_TITLE = 2
_SHORTEST_TITLE, _TITLE_ELSEWHERE = 12, 60
_ID = 8


def run(parsed: Parsed) -> int:
    """List the conversations."""
    rows = _rows(open_root(parsed["root"]), quick=parsed["quick"])
    if parsed["json"]:
        _print_json(rows)
        return 0
    printer = Printer(ascii_only=parsed["ascii"])
    if not rows:
        printer.line("there is no conversation in this root")
        return 0
    wide = terminal_width() if parsed["width"] is None else parsed["width"]
    # A line that is longer than the terminal breaks the table; only the sentence of a broken conversation may be cut for it.
    printer.lines(clip(line, wide) if wide else line for line in _table(rows, wide, printer))
    return 0


def _rows(root: Root, *, quick: bool) -> list[Row]:
    """The rows; where a header lacks values, its rounds are read, one conversation after another."""
    rows = root.rows()
    missing = [] if quick else [row for row in rows if not (row.complete and row.state)]
    if not missing:
        return rows
    found = {row.id: row for row in rows}
    with ProgressLine() as progress:
        for number, row in enumerate(missing):
            progress.say(f"reading rounds: conversation {number + 1} of {len(missing)}")
            found[row.id] = root.row(row.id, full=True)
    return newest_first(found.values())


def _table(rows: list[Row], wide: int, printer: Printer) -> list[str]:
    now = time.time_ns() // 1_000_000
    length = _id_length([row.id for row in rows])
    cells = [[printer.text(heading) for heading in _HEADINGS]]
    cells += [[printer.text(text) for text in _cells(row, now, length)] for row in rows]
    room = _TITLE_ELSEWHERE
    if wide:
        # What the other columns leave; at least so much that a title can be told from the next.
        others = sum(max(len(row[at]) for row in cells) + 2 for at in range(len(_HEADINGS) - 1) if at != _TITLE)
        room = max(_SHORTEST_TITLE, wide - others)
    for row in cells:
        row[_TITLE] = clip(row[_TITLE], room, printer.text("…"))
    return list(columns(cells, _COUNTS))


def _cells(row: Row, now: int, id_length: int) -> list[str]:
    numbers = (row.talks, row.steps, row.streams, row.segments, row.rounds, row.unresolved)
    title = "-" if row.title is None else visible(row.title[:400]) or "untitled"
    last = ago(row.to_ms, now) if row.to_ms else "-"
    lasted = span(row.from_ms, row.to_ms) if row.from_ms and row.to_ms else "-"
    counts = ["-" if number is None else count(number) for number in numbers]
    return [row.state or "-", visible(row.id[:id_length]), title, last, lasted, *counts, visible(row.problem)]


def _id_length(ids: list[str]) -> int:
    """Characters of an id that tell each from all others, and at least eight."""
    longest, previous = _ID, ""
    for name in sorted(ids):
        common = next((at for at, (a, b) in enumerate(zip(name, previous, strict=False)) if a != b), len(previous))
        longest, previous = max(longest, common + 1 if previous else 0), name
    return longest


def _print_json(rows: list[Row]) -> None:
    import msgspec

    text = msgspec.json.format(msgspec.json.encode([_as_json(row) for row in rows]), indent=2)
    write_bytes((inert_json(text) + b"\n",))


def _as_json(row: Row) -> dict[str, Any]:
    """The row as `/api/conversations` spells it, with what is wrong; null is what is not known."""
    return {
        "id": _text(row.id),
        "title": row.title,
        "talks": row.talks,
        "steps": row.steps,
        "streams": row.streams,
        "segments": row.segments,
        "rounds": row.rounds,
        "from": row.from_ms,
        "to": row.to_ms,
        "unresolved": row.unresolved,
        "state": row.state or None,
        "problem": _text(row.problem) or None,
    }


def _text(name: str) -> str:
    """A name from the disk as text: bytes of it that are no UTF-8 become U+FFFD."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
