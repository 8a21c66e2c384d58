"""The last line of the screen as it stands after each frame: of a line that changed only the part that differs is written."""

from __future__ import annotations

import re

from .pty_run import COLUMNS, ROWS, plain

_PLACED = re.compile(rb"\x1b\[(\d+);(\d+)H")


class Footer:
    """What the last line says. Reads what is written there and nothing else; its texts have one cell a character."""

    def __init__(self) -> None:
        self._cells = [" "] * COLUMNS

    def feed(self, frame: bytes) -> str:
        """Take in a frame; what the line says after it."""
        pieces = _PLACED.split(frame)
        for row, column, data in zip(pieces[1::3], pieces[2::3], pieces[3::3], strict=True):
            if int(row) == ROWS:
                text = plain(data).split("\r")[0].split("\n")[0]
                at = int(column) - 1
                self._cells[at : at + len(text)] = text
        return "".join(self._cells[:COLUMNS])
