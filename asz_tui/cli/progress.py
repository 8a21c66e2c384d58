"""How far long work is, on one line of standard error that is wiped when it is done; silent when that is no terminal."""

from __future__ import annotations

import contextlib
import sys
import time
from types import TracebackType

from .output import is_terminal

_AFTER = 0.4
"""Seconds before the first word: what is quick shows nothing."""
_EVERY = 0.1
_PART_WORDS = {"rounds": "reading rounds", "records": "reading landed files"}


class ProgressLine:
    """A line that says how far something is; use it in a `with` statement.

    Attributes:
        on: whether anybody sees it; when not, callers need not count.
    """

    def __init__(self) -> None:
        self.on = is_terminal(sys.stderr)
        self._next = time.monotonic() + _AFTER
        self._shown = 0

    def part(self, what: str, done: int, total: int) -> None:
        """As `asz_core.conversation.Progress`."""
        self.say(f"{_PART_WORDS.get(what, what)}: {done * 100 // total if total else 100} %")

    def say(self, words: str) -> None:
        """Show words, unless the last ones are fresh."""
        if not self.on:
            return
        now = time.monotonic()
        if now >= self._next:
            self._next = now + _EVERY
            self._write(words)

    def wipe(self) -> None:
        """Remove the line."""
        if self._shown:
            self._write("")

    def _write(self, words: str) -> None:
        words = words[:78]
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.write("\r" + words.ljust(self._shown) + ("" if words else "\r"))
            sys.stderr.flush()
        self._shown = len(words)

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.wipe()
