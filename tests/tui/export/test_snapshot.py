"""An export is of one moment, tells how far it is, and can be stopped; it holds little in memory."""

from __future__ import annotations

import tracemalloc
from datetime import UTC

import pytest

from asz_tui.export import Cancelled, export, snapshot
from asz_tui.session.opened import Opened
from tests.core.helpers import Maker, clock, node, said

FORMATS = ("json", "yaml", "markdown", "text")


@pytest.mark.parametrize("fmt", FORMATS)
def test_progress_grows_to_the_whole(long_one, fmt: str) -> None:
    told: list[tuple[int, int]] = []
    for _ in export(long_one, None, fmt, UTC, progress=lambda done, total: told.append((done, total))):
        pass
    assert len(told) > 20
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert told[-1][0] == told[-1][1] > 2_000


@pytest.mark.parametrize("fmt", FORMATS)
def test_it_can_be_stopped(long_one, fmt: str) -> None:
    asked = 0

    def stop() -> bool:
        nonlocal asked
        asked += 1
        return asked > 3

    with pytest.raises(Cancelled, match="nothing was written"):
        for _ in export(long_one, None, fmt, UTC, stop=stop):
            pass
    assert asked == 4


@pytest.mark.parametrize("fmt", FORMATS)
def test_a_round_that_lands_meanwhile_is_not_in_it(tmp_path, fmt: str) -> None:
    maker = Maker(tmp_path)
    maker.land(said("first", time=clock(1)))
    maker.round(node("talk/1", "talk", stream="main"), node("msg/1", "message.assistant", (1, 1), parent="talk/1", stream="main"))
    opened = Opened(maker.load())
    before = b"".join(export(opened, None, fmt, UTC))
    pieces = export(opened, None, fmt, UTC)
    maker.land(said("second", time=clock(2)))
    maker.round(node("msg/2", "message.assistant", (2, 1), parent="talk/1", stream="main"))
    assert opened.take(opened.conversation.read_new())
    assert b"".join(pieces) == before
    assert b"second" in b"".join(export(opened, None, fmt, UTC))


@pytest.mark.parametrize("fmt", ("markdown", "text"))
def test_memory_is_bounded(tmp_path, fmt: str, monkeypatch) -> None:
    monkeypatch.setattr(snapshot, "_KEPT_BYTES", 200_000)
    maker = Maker(tmp_path)
    count = 150
    maker.land(*(said(f"{number} " + "text " * 5_000, time=clock(number)) for number in range(count)))
    steps = [node(f"msg/{n}", "message.assistant", (1, n + 1), parent="talk/1", stream="main") for n in range(count)]
    maker.round(node("talk/1", "talk", stream="main"), *steps)
    opened = Opened(maker.load())
    tracemalloc.start()
    size = sum(len(piece) for piece in export(opened, None, fmt, UTC))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert size > count * 25_000
    # The landed file itself is read whole for the places of its rows; what is kept beside it is little.
    assert peak < 2.5 * count * 25_000


def test_the_original_is_left_alone(long_one) -> None:
    conversation = long_one.conversation
    content, data = conversation.content, conversation.data
    for _ in export(long_one, None, "text", UTC):
        pass
    assert conversation.content is content and conversation.data is data
