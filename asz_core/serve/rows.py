"""The rows of the conversation list, remembered until a conversation's rounds change.

`Rows.all` blocks; it costs a stat a conversation whose row is remembered, a listing and a header where the header says everything,
and a fold of the rounds where it does not (older headers). The folds of one call stop after `BUDGET` seconds: what is left shows
`null` for what is not known yet, and the next call goes on.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..listing import Row, newest_first
from ..root import Root

BUDGET = 5.0
_CALM_NS = 2_000_000_000


@dataclass(slots=True)
class _Kept:
    row: Row
    stamp: tuple[Any, ...]
    whole: bool


class Rows:
    """The list rows of a root; one call at a time."""

    def __init__(self, root: Root, stopping: Callable[[], bool]) -> None:
        """
        Args:
            root: what is listed.
            stopping: asked between two conversations; True ends the call with what there is.
        """
        self._root = root
        self._stopping = stopping
        self._kept: dict[str, _Kept] = {}

    def all(self) -> list[dict[str, Any]]:
        """Every conversation as ``/api/conversations`` shows it, newest activity first.

        One whose name is no text (bytes that are not UTF-8) is left out: no address could name it.
        """
        names = [name for name in self._root.conversations() if _is_text(name)]
        self._kept = {name: self._kept[name] for name in names if name in self._kept}
        deadline = time.monotonic() + BUDGET
        rows = []
        for name in names:
            if self._stopping():
                break
            rows.append(self._row(name, time.monotonic() < deadline))
        return [as_json(row) for row in newest_first(rows)]

    def _row(self, name: str, may_fold: bool) -> Row:
        kept = self._kept.get(name)
        stamp = self._stamp(name, kept is not None and bool(kept.row.problem))
        if kept and kept.stamp == stamp and (kept.whole or not may_fold):
            return kept.row
        # Both stamps are taken before the reading. A problem may be a file that is still being copied, so its files count too.
        with_files = self._stamp(name, True)
        row = self._root.row(name)
        whole = row.complete
        if not whole and may_fold:
            row, whole = self._root.row(name, full=True), True
        self._kept[name] = _Kept(row, with_files if row.problem else stamp, whole)
        return row

    def _stamp(self, name: str, files: bool) -> tuple[Any, ...]:
        folder = self._root.storage.rounds_dir(name)
        try:
            found = os.stat(folder)
        except OSError:
            return ()
        stamp: tuple[Any, ...] = (found.st_dev, found.st_ino, found.st_mtime_ns, found.st_ctime_ns)
        # The clock of a directory ticks in steps, so one that changed just now may change again under the same time.
        if files or time.time_ns() - found.st_mtime_ns < _CALM_NS:
            stamp += tuple((file.name, _size(file.path)) for file in self._root.storage.rounds(name))
        return stamp


def as_json(row: Row) -> dict[str, Any]:
    """A row as it is sent; None is what is not known."""
    return {
        "id": row.id,
        "title": row.title,
        "talks": row.talks,
        "steps": row.steps,
        "streams": row.streams,
        "segments": row.segments,
        "rounds": row.rounds,
        "from": row.from_ms,
        "to": row.to_ms,
        "unresolved": row.unresolved,
    }


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return -1
