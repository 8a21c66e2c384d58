"""What a bench runs on: the roots, made once and kept for the whole run, copies to land in, and what is known of a conversation."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from . import probe
from .roots import copy_of, large_root, many_root

MANY = 3_000


@dataclass(frozen=True, slots=True)
class Subject:
    """A conversation to measure.

    Attributes:
        name: how rows call it: 1x, 10x, or «given».
        first: the beginning of the first talk's text, by which its frame is known.
        talks, steps, streams: how many it has.
    """

    name: str
    root: Path
    conversation: str
    first: str
    talks: int
    steps: int
    streams: int

    def copy(self, to: Path) -> Subject:
        """The same conversation where more may land."""
        return Subject(self.name, copy_of(self.root, self.conversation, to), *self._rest())

    def _rest(self) -> tuple[Any, ...]:
        return self.conversation, self.first, self.talks, self.steps, self.streams


@dataclass
class Setting:
    """One run of the bench.

    Attributes:
        folder: for copies; emptied at the end.
        keep: where made roots stand.
        given: a root and an id to measure instead of a made one.
        presses: of each key.
        soak: rounds.
    """

    folder: Path
    keep: Path
    given: tuple[Path, str] | None = None
    presses: int = 40
    soak: int = 1_000
    _numbers: Any = field(default_factory=itertools.count)

    @cached_property
    def one(self) -> Subject:
        """The conversation of ordinary size."""
        if self.given:
            return _subject("given", *self.given)
        return self._made(1)

    @cached_property
    def ten(self) -> Subject | None:
        """The one of ten times the size; none beside a given root."""
        return None if self.given else self._made(10)

    @property
    def sizes(self) -> list[Subject]:
        """Those that there are."""
        return [self.one] if self.ten is None else [self.one, self.ten]

    def many(self, count: int = MANY) -> Path:
        """A root of so many small conversations."""
        path = self.keep / f"many-{count}"
        if not (path / "made").exists():
            many_root(path, count)
            (path / "made").touch()
        return path

    def _made(self, scale: int) -> Subject:
        path = self.keep / f"{scale}x"
        marker = self.keep / f"{scale}x.made"
        if not marker.exists():
            marker.write_text(large_root(path, scale))
        return _subject(f"{scale}x", path, marker.read_text())

    def copy(self, subject: Subject) -> Subject:
        """A fresh copy of a conversation."""
        return subject.copy(self.folder / f"copy-{next(self._numbers)}")


def _subject(name: str, root: Path, conversation: str) -> Subject:
    about = probe.ask("about", root, conversation)
    return Subject(name, root, conversation, about["first"], about["talks"], about["steps"], about["streams"])
