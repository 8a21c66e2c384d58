"""Regular expressions that may take forever: which those are, and a process in which they are looked for instead.

Python's engine goes back over a text in every way that a pattern allows, and holds the interpreter's lock while it does, in
whatever thread: one text could stop the screen for hours. A pattern in which something repeated is repeated, or chosen again and
again, can do that on a short text; one with several repetitions in a row on a long one. `risk_of` tells them apart by how they are
written, and errs on the side of care. What is at risk is matched by a `Guard`: another process, with an alarm for each text, that
is ended when the person types on or goes back. Nothing is marked with a pattern on the screen that is a risk with any text.

Cost: a few milliseconds to begin, about 50 microseconds for each list of texts, and `PATIENCE` for a text that is given up.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any

SAFE, LONG, ANY = 0, 1, 2
"""No risk; one with long texts; one with any text."""
LONG_TEXT = 2000
"""Characters from which on a text counts as long."""
PATIENCE = 0.25
"""Seconds that one text may take."""
_POLL = 0.02
_MOST = 16
"""Texts that are given up before the whole pattern is."""

Span = tuple[int, int]


class TooSlow(Exception):
    """A pattern takes too long on too many texts."""


class _Ended(Exception):
    """The process is gone, or does not answer."""


def risk_of(pattern: str, flags: int = 0) -> int:
    """How risky a regular expression is: `SAFE`, `LONG` or `ANY`; what cannot be told counts as `ANY`."""
    try:
        from re import _parser  # type: ignore[attr-defined]

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            parsed = _parser.parse(pattern, flags)
        count = _repeats(parsed, inside=False)
    except Exception:
        # The parser is not a documented one.
        return ANY
    return ANY if count > 2 else LONG if count == 2 else SAFE


def _repeats(items: Iterable[Any], *, inside: bool) -> int:
    """How many repetitions there are without a small bound; many where one is inside another, or a choice is."""
    count = 0
    for operation, argument in items:
        name = str(operation)
        if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            _, most, what = argument
            many = int(most) > 1
            count += (100 if inside else 0) + int(many and int(most) > _MOST)
            count += _repeats(what, inside=inside or many)
        elif name == "BRANCH":
            count += 100 if inside else 0
            count += sum(_repeats(branch, inside=inside) for branch in argument[1])
        elif name == "GROUPREF_EXISTS":
            count += 100
        elif name == "GROUPREF":
            count += 100 if inside else 1
        elif name == "SUBPATTERN":
            count += _repeats(argument[-1], inside=inside)
        elif name == "ATOMIC_GROUP":
            count += _repeats(argument, inside=inside)
        elif name in ("ASSERT", "ASSERT_NOT"):
            count += _repeats(argument[1], inside=inside)
    return count


class Guard:
    """Looks for one pattern in another process, which is begun when it is needed and again after it was ended.

    Attributes:
        stop: asked while it waits; ends the wait with `Stopped` of the caller's choice.
        given_up: how many texts took too long.
    """

    def __init__(self, pattern: str, flags: int = 0, patience: float = PATIENCE) -> None:
        """
        Args:
            pattern: the regular expression.
            flags: of `re`.
            patience: seconds that one text may take.
        """
        self._asked = json.dumps([pattern, flags])
        self._patience = patience
        self._process: subprocess.Popen[bytes] | None = None
        self._said = b""
        self.stop: Callable[[], None] | None = None
        self.given_up = 0

    def spans(self, texts: Sequence[str]) -> list[Span | None]:
        """The first match in each text.

        Raises:
            TooSlow: when too many texts were given up so far.
        """
        if self.given_up > _MOST:
            raise TooSlow
        try:
            answers = self._ask(texts)
        except _Ended:
            self.close()
            answers = [False] * len(texts)
        self.given_up += answers.count(False)
        return [tuple(answer) if isinstance(answer, list) else None for answer in answers]  # type: ignore[misc]

    def fits(self, texts: Iterable[str]) -> bool:
        """Whether one of some texts matches."""
        given = [text for text in texts if text]
        return bool(given) and any(span is not None for span in self.spans(given))

    def _ask(self, texts: Sequence[str]) -> list[Any]:
        process = self._process or self._begin()
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(json.dumps([texts, self._patience]).encode() + b"\n")
            process.stdin.flush()
        except OSError:
            raise _Ended from None
        until = monotonic() + self._patience * len(texts) + 1.0
        while b"\n" not in self._said:
            if self.stop is not None:
                self.stop()
            ready, _, _ = select.select([process.stdout], [], [], _POLL)
            more = os.read(process.stdout.fileno(), 1 << 16) if ready else b""
            if (ready and not more) or monotonic() > until:
                raise _Ended
            self._said += more
        line, _, self._said = self._said.partition(b"\n")
        found: list[Any] = json.loads(line)
        return found

    def _begin(self) -> subprocess.Popen[bytes]:
        script = Path(__file__).with_name("matcher.py")
        command = [sys.executable, "-I", "-S", str(script)]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        assert process.stdin is not None
        self._process, self._said = process, b""
        process.stdin.write(self._asked.encode() + b"\n")
        return process

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    with suppress(OSError):
                        pipe.close()
            process.wait()

    def __del__(self) -> None:
        self.close()


__all__ = ["ANY", "LONG", "LONG_TEXT", "PATIENCE", "SAFE", "Guard", "Span", "TooSlow", "risk_of"]

