"""The bundled sample, the publisher that lands it round by round, and how the explorer is started."""

from __future__ import annotations

import stat
import sys
import time
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from asz_core import Root
from asz_core.errors import WriteError
from asz_tui.cli.commands import explore
from asz_tui.demo import LIVE_CONVERSATION, sample_root
from asz_tui.demo.live import LivePublisher

from .conftest import CONFORMANCE, Result

Call = Callable[..., Result]


def test_the_sample_is_the_three_cases() -> None:
    root = Root(sample_root())
    for case, name in zip(("pilot", "fleet", "stages"), root.conversations(), strict=True):
        assert root.load(name).json() == (CONFORMANCE / case / "expect.json").read_bytes()


def test_rounds_land_one_by_one(tmp_path: Path) -> None:
    publisher = LivePublisher(tmp_path / "root")
    for number in range(1, 6):
        assert publisher.publish_next() == number
        conversation = Root(tmp_path / "root").load(LIVE_CONVERSATION)
        assert (conversation.fold.head, conversation.report.state) == (number, "verified")
    assert publisher.publish_next() is None
    files = [path for path in (tmp_path / "root").rglob("*") if path.is_file()]
    assert len(files) == 5 + 7 and {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o444}
    assert conversation.json() == (CONFORMANCE / "stages" / "expect.json").read_bytes()


def test_on_the_clock(tmp_path: Path) -> None:
    with LivePublisher(tmp_path, 0.02) as publisher:
        assert Root(tmp_path).load("5eed").fold.head >= 1, "the first lands at the start"
        until = time.monotonic() + 5
        while Root(tmp_path).load("5eed").fold.head < 5 and time.monotonic() < until:
            time.sleep(0.01)
    assert Root(tmp_path).load("5eed").fold.head == 5 and publisher.error is None
    publisher.stop()


def test_stop_is_final(tmp_path: Path) -> None:
    publisher = LivePublisher(tmp_path, 0.05)
    publisher.start()
    publisher.stop()
    head = Root(tmp_path).load("5eed").fold.head
    time.sleep(0.15)
    assert Root(tmp_path).load("5eed").fold.head == head


def test_it_replaces_nothing(tmp_path: Path) -> None:
    LivePublisher(tmp_path).publish_next()
    with pytest.raises(WriteError):
        LivePublisher(tmp_path).publish_next()


def test_any_conversation_can_be_published(tmp_path: Path) -> None:
    source = CONFORMANCE / "pilot" / "root"
    publisher = LivePublisher(tmp_path, source=source, conversation=Root(source).conversations()[0])
    assert [publisher.publish_next() for _ in range(3)] == [1, 2, None]
    assert Root(tmp_path).load("5eed").report.state == "verified"


# --- the explorer


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What the explorer was opened with, on a terminal that is claimed to be there."""
    calls: list[dict[str, Any]] = []

    def run_explorer(roots: list[Path], conversation: str | None = None, node: str | None = None, **flags: Any) -> int:
        # What is to be shown first is read while Textual is imported, with the collector at rest; the demo's roots are too small for that.
        begun = [flags.pop("reading"), flags.pop("listing")]
        assert (flags.pop("pause") is not None) is not flags["demo"]
        assert [found is not None for found in begun] == [conversation is not None and not flags["demo"],
                                                          conversation is None and not flags["demo"]]
        calls.append({"root": roots[0], "conversation": conversation, "node": node, **flags, "there": roots[0].is_dir()})
        return 0

    app = types.ModuleType("asz_tui.app")
    app.run_explorer = run_explorer  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "asz_tui.app", app)
    monkeypatch.setattr(explore, "is_terminal", lambda stream: True)
    return calls


FLAGS = {"ascii": False, "slow": False, "mouse": True, "demo": False, "live": None, "there": True}
PILOT = "5eed0002-0000-4000-8000-000000000002"


def test_what_the_explorer_opens(call: Call, sample: str, opened: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch) -> None:
    root = {"root": Path(sample), "conversation": None, "node": None, **FLAGS}
    assert call(sample) == (0, "", "") and opened.pop() == root
    assert call(sample, "5eed0002").code == 0 and opened.pop() == root | {"conversation": PILOT}
    assert call("--root", sample, "5eed0002").code == 0 and opened.pop() == root | {"conversation": PILOT}
    deep = root | {"conversation": PILOT, "node": "tool/s3-tool"}
    assert call(sample, f"{PILOT}#tool/s3-tool").code == 0 and opened.pop() == deep
    monkeypatch.setenv("ASZ_ROOT", sample)
    assert call().code == 0 and opened.pop() == root
    assert call("5eed0002#tool/s3-tool").code == 0 and opened.pop() == deep
    flags = {"ascii": True, "slow": True, "mouse": False}
    assert call("--ascii", "--slow", "--no-mouse").code == 0 and opened.pop() == root | flags


def test_what_the_explorer_does_not_open(call: Call, sample: str, opened: list[dict[str, Any]], nowhere: Path) -> None:
    code, out, err = call()
    assert (code, out, err.count("\n")) == (2, "", 3)
    assert "$ASZ_ROOT" in err and "asz.yaml" in err and "asz-tui demo" in err.splitlines()[2]
    assert call("lst") == (2, "", "asz-tui: there is no command and no folder 'lst'; did you mean 'list'?\n")
    assert call("nothing-like-it").code == 2
    assert call("./nowhere").code == 2
    assert call("--root", sample, "nobody").code == 1
    assert call(sample, "nobody").code == 1
    assert call(sample, "5eed").code == 2
    assert call("--root", sample, sample, "5eed0002").code == 2
    assert not opened


def test_a_word_beside_a_known_root(call: Call, sample: str, opened: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASZ_ROOT", sample)
    assert call("verfy") == (2, "", "asz-tui: there is no command and no folder 'verfy'; did you mean 'verify'?\n")
    assert call("ffff").code == 1
    assert call("5eed").code == 2


def test_the_demo(call: Call, opened: list[dict[str, Any]]) -> None:
    assert call("demo", "--slow").code == 0
    assert opened.pop() == {"root": sample_root(), "conversation": None, "node": None, **FLAGS, "demo": True, "slow": True}
    assert call("demo", "--live").code == 0
    live = opened.pop()
    assert live["demo"] and live["there"] and live["conversation"] == LIVE_CONVERSATION and live["root"] != sample_root()
    assert not live["root"].exists(), "the temporary root is removed"


@pytest.mark.parametrize("arguments", [("demo",), ("demo", "--live"), ("SAMPLE",), ("SAMPLE", "5eed0002")])
def test_without_a_terminal(call: Call, sample: str, arguments: tuple[str, ...]) -> None:
    code, out, err = call(*(sample if word == "SAMPLE" else word for word in arguments))
    assert (code, out, err.count("\n")) == (2, "", 1) and "terminal" in err
