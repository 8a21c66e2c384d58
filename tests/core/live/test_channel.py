"""The keeper's process: what is asked of it and what it tells, that it ends with who started it, and that a kill loses nothing."""

from __future__ import annotations

import os
import random
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from asz_core import Root
from asz_core.live import COLLECTED, LiveProcess, LiveSession, Told
from asz_core.sessiondata.record import decode_record
from tests.claude import Writer, session_id

from .conftest import written

WAIT = 30.0


class Ear:
    """Hears what a keeper's process tells."""

    def __init__(self, source: Path, root: Path) -> None:
        self.sessions: dict[str, LiveSession] = {}
        self.messages: list[Told] = []
        self._came = threading.Condition()
        self.process = LiveProcess(str(source), root, self._hear)

    def _hear(self, told: Told) -> None:
        with self._came:
            self.messages.append(told)
            self.sessions |= {found.id: found for found in told.sessions}
            self._came.notify_all()

    def wait(self, until: Callable[[], object]) -> None:
        """Wait until something is so."""
        with self._came:
            assert self._came.wait_for(until, WAIT), self.messages[-3:]

    def collected(self, *numbers: int) -> bool:
        """Whether everything of some sessions is collected."""
        found = [self.sessions.get(session_id(number)) for number in numbers]
        return all(one is not None and one.state == COLLECTED and one.done == one.size for one in found)


@pytest.fixture
def ear(source: Path, root: Path) -> Iterator[Ear]:
    """A keeper's process that ends with the test."""
    made = Ear(source, root)
    yield made
    made.process.stop()


def test_it_tells_and_does_what_it_is_asked(ear: Ear, source: Path, root: Path) -> None:
    written(source, 1, title="one")
    written(source, 2, ago=500)
    ear.process.start()
    ear.wait(lambda: ear.collected(1, 2))
    ear.process.describe([session_id(1)])
    ear.wait(lambda: ear.sessions[session_id(1)].title == "one")
    ear.process.want(session_id(2))
    assert Root(root).load(session_id(2)).report.state == "verified"


def test_what_is_appended_becomes_a_round(ear: Ear, source: Path, root: Path) -> None:
    writer = written(source, 1)
    ear.process.start()
    ear.wait(lambda: ear.collected(1))
    writer.append(*writer.talk(1))
    size = writer.path.stat().st_size
    ear.wait(lambda: ear.collected(1) and ear.sessions[writer.session].size == size)
    assert Root(root).load(writer.session).fold.head == 2


def test_modules_in_the_directory_one_is_in_are_left_alone(
    ear: Ear, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(source, 1)
    for name in ("asz_core", "msgspec"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(f"open({str(tmp_path / 'run')!r}, 'w')\nraise SystemExit(3)\n")
    monkeypatch.chdir(tmp_path)
    ear.process.start()
    ear.wait(lambda: ear.collected(1))
    assert not (tmp_path / "run").exists()


def test_it_ends_with_who_started_it(ear: Ear, source: Path) -> None:
    written(source, 1)
    ear.process.start()
    ear.wait(lambda: ear.collected(1))
    child = ear.process._process
    assert child is not None
    ear.process.stop()
    assert child.wait(WAIT) == 0


def test_it_is_started_again_and_says_when_that_is_no_use(ear: Ear, source: Path) -> None:
    written(source, 1)
    ear.process.start()
    for _ in range(3):
        have = len(ear.messages)
        ear.wait(lambda have=have: len(ear.messages) > have and any(m.listed for m in ear.messages[have:]))
        child = ear.process._process
        assert child is not None
        os.kill(child.pid, signal.SIGKILL)
        child.wait(WAIT)
    ear.wait(lambda: ear.process.why)
    assert "the collector ended" in ear.process.why


def test_a_kill_at_any_point_loses_nothing_and_changes_nothing(source: Path, root: Path) -> None:
    rng = random.Random(5)
    writers = [written(source, number, size=20_000) for number in (1, 2, 3)]
    known: dict[Path, bytes] = {}
    for _ in range(12):
        ear = Ear(source, root)
        ear.process.start()
        ear.wait(lambda ear=ear: ear.messages)
        ear._came.acquire()
        ear._came.wait(rng.random() * 0.15)
        ear._came.release()
        child = ear.process._process
        assert child is not None
        ear.process._stopping = True
        os.kill(child.pid, signal.SIGKILL)
        child.wait(WAIT)
        for path in root.rglob("*.s[df]"):
            data = path.read_bytes()
            assert known.setdefault(path, data) == data
        for writer in writers:
            writer.append(*writer.talk(1))
    ear = Ear(source, root)
    ear.process.start()
    ear.wait(lambda: ear.collected(1, 2, 3) and all(ear.sessions[w.session].size == w.path.stat().st_size for w in writers))
    ear.process.stop()
    for writer in writers:
        conversation = Root(root).load(writer.session)
        assert conversation.report.state == "verified"
        assert _ids(root, writer) >= {f"{writer.session[:8]}-{line}" for line in range(1, writer.lines + 1)}


def _ids(root: Path, writer: Writer) -> set[str]:
    """The ids of every landed record of a session."""
    lines = [line for path in (root / writer.session).rglob("*.sd") for line in path.read_bytes().splitlines()[1:-1]]
    return {decode_record(line).id for line in lines}
