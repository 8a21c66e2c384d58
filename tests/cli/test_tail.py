"""`tail`: the newest steps, and what lands while it runs."""

from __future__ import annotations

import json
import os
import queue
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from asz_core.vocabulary import is_step
from asz_tui.demo.live import LivePublisher

from .conftest import CONFORMANCE, Result

Call = Callable[..., Result]
LIVE = "5eed0005-0000-4000-8000-000000000005"


def steps(name: str) -> dict[str, dict[str, Any]]:
    """The steps of a case's document by id."""
    found: dict[str, dict[str, Any]] = {}
    document = json.loads((CONFORMANCE / name / "expect.json").read_text())
    waiting = [*document["talks"], *document["loose"]]
    while waiting:
        node = waiting.pop()
        waiting += node.get("children", [])
        if is_step(node["kind"]):
            found[node["id"]] = node
    return found


def test_the_newest_steps(call: Call, sample: str) -> None:
    code, out, err = call("tail", "5eed0002", "--once", "--root", sample)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "2026-01-01" and len(lines) == 11
    assert lines[-1].split()[:3] == ["00:27:28", "main", "●"] and "Only the changelog line." in lines[-1]
    assert len(call("tail", "5eed0002", "--once", "-n", "3", "--root", sample).out.splitlines()) == 4
    assert call("tail", "5eed0002", "--once", "-n", "0", "--root", sample).out == ""


def test_json_is_the_documents_node(call: Call, sample: str) -> None:
    want = steps("pilot")
    out = call("tail", "5eed0002", "--once", "--json", "-n", "1000", "--root", sample).out
    found = [json.loads(line) for line in out.splitlines()]
    assert [node["id"] for node in found] == sorted(want, key=lambda name: record_order(want[name]))
    for node in found:
        same = {key: value for key, value in want[node["id"]].items() if key not in ("children", "edges")}
        assert {key: node.get(key) for key in same} == same
        assert set(node) - set(same) == {"label", "round", "changed"} and node["changed"] is False


def record_order(node: dict[str, Any]) -> tuple[Any, ...]:
    ref = node.get("ref")
    return (0, ref["seq"], ref["row"], ref.get("block", -1), node["id"]) if ref else (1, 0, 0, 0, node["id"])


def test_hostile_json_is_inert(call: Call, case: Callable[[str], str]) -> None:
    out = call("tail", "5eed", "--once", "--json", "-n", "1000", "--root", case("hostile")).out
    assert not any(char in out for char in "\x1b\x7f\x9b\u202e") and all(map(json.loads, out.splitlines()))


def test_once_and_follow_exclude_each_other(call: Call, sample: str) -> None:
    assert call("tail", "5eed0002", "--once", "--follow", "--root", sample).code == 2


class Running:
    """A `tail` in a process of its own."""

    def __init__(self, root: Path, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "asz_tui", "tail", "--root", str(root), *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )
        self.lines: queue.Queue[str] = queue.Queue()
        self.errors: queue.Queue[str] = queue.Queue()
        for stream, heard in ((self.process.stdout, self.lines), (self.process.stderr, self.errors)):
            threading.Thread(target=lambda s=stream, h=heard: [h.put(line.rstrip("\n")) for line in s], daemon=True).start()

    def next(self, heard: queue.Queue[str] | None = None) -> str:
        return (heard or self.lines).get(timeout=10)

    def interrupt(self) -> int:
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(10)


@pytest.fixture
def publisher(tmp_path: Path) -> LivePublisher:
    made = LivePublisher(tmp_path / "live")
    assert made.publish_next() == 1
    return made


@pytest.fixture
def running(publisher: LivePublisher, tmp_path: Path) -> Iterator[Callable[..., Running]]:
    started: list[Running] = []

    def start(*arguments: str) -> Running:
        started.append(Running(tmp_path / "live", *arguments))
        return started[-1]

    yield start
    for one in started:
        one.process.kill()
        one.process.wait()


def test_steps_as_they_land(publisher: LivePublisher, running: Callable[..., Running]) -> None:
    tail = running("5eed", "--json", "-n", "1")
    tail.next()
    seen: dict[str, dict[str, Any]] = {}
    for number in range(2, 6):
        assert publisher.publish_next() == number
        node = json.loads(tail.next())
        while True:
            assert node["round"] == number
            seen[node["id"]] = node
            try:
                node = json.loads(tail.lines.get(timeout=0.5))
            except queue.Empty:
                break
    want = steps("stages")
    first = {name for name in want if want[name].get("ref", {}).get("seq") == 1}
    assert seen.keys() >= want.keys() - first
    assert tail.interrupt() == 0 and tail.errors.empty()


def test_a_conversation_that_goes_and_comes_back(publisher: LivePublisher, running: Callable[..., Running], tmp_path: Path) -> None:
    tail = running("5eed", "-n", "1")
    tail.next(), tail.next()
    rounds = tmp_path / "live" / "_conversations" / LIVE
    shutil.move(rounds, tmp_path / "aside")
    assert "is gone" in tail.next(tail.errors)
    assert publisher.publish_next() == 2  # the directory is made anew, without round 1
    assert "is back" in tail.next(tail.errors)
    for file in (tmp_path / "aside" / "rounds").iterdir():
        os.rename(file, rounds / "rounds" / file.name)
    assert tail.next()
    assert tail.interrupt() == 0


def test_it_ends_when_nobody_reads(publisher: LivePublisher, running: Callable[..., Running], tmp_path: Path) -> None:
    command = f"{sys.executable} -m asz_tui tail --root {tmp_path / 'live'} 5eed | head -1"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, timeout=20)
    assert (done.returncode, done.stdout, done.stderr) == (0, "2026-01-01\n", "")
