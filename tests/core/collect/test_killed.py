"""The collector dies at any step that writes; the next one goes on: nothing is lost, nothing that landed changes."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from asz_core.sessiondata import read_landed
from asz_core.storage import Storage
from tests.core.collect.helpers import AGENT, PROJECT, SESSION, Place, line

STEPS = ("open", "write", "fsync", "chmod", "rename", "mkdir")  # a process that dies closes what it had open
META = f"{PROJECT}/{SESSION}/subagents/agent-{AGENT}.meta.json"


class Killed(BaseException):
    """The process is no more."""


class Dying:
    """Stands for ``os`` in the module that writes, and dies before or after its n-th step."""

    def __init__(self, at: int, after: bool) -> None:
        self.left, self.after = at, after
        self.dead = False

    def __getattr__(self, name: str) -> Any:
        real = getattr(os, name)
        return self._step(real) if name in STEPS else self._cleaning(real) if name == "unlink" else real

    def _step(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            if self.dead:
                raise Killed
            self.left -= 1
            if self.left == 0:
                self.dead = True
                if self.after:
                    real(*args, **kwargs)
                raise Killed
            return real(*args, **kwargs)

        return call

    def _cleaning(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any) -> Any:
            if self.dead:  # nobody tidies up after a kill
                raise Killed
            return real(*args)

        return call


def landed(place: Place) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in place.files()}


@pytest.mark.parametrize("after", [False, True])
def test_killed_at_any_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: bool) -> None:
    died = 0
    for at in range(1, 200):
        base = tmp_path / str(at)
        base.mkdir()
        place = Place(base)
        place.write(line("a") + line("b"))
        place.write(b'{"description":"d"}', META)
        dying = Dying(at, after)
        with monkeypatch.context() as patched:
            patched.setattr("asz_core.writing.os", dying)
            try:
                place.collect()
                place.write(line("c"), append=True)
                place.collect()
            except Killed:
                died += 1
        before = landed(place)
        place.write(line("a") + line("b") + line("c"))
        place.new_collector()
        assert place.collect().complete
        assert {path: place_bytes for path, place_bytes in landed(place).items() if path in before} == before
        assert {row[1:] for row in place.rows("transcript")} == {(1, 0), (2, 27), (3, 54)}
        assert {row[1:] for row in place.rows("meta")} == {(1, 0)}
        files = Storage(place.root).landed(SESSION)
        assert len({file.seq for file in files}) == len(files)
        assert [read_landed(file).closing_fault for file in files] == [""] * len(files)
        if not dying.dead:
            break
    assert died > 30
