"""Filters are what brute force over the nodes gives; times are read as a person means them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from itertools import pairwise
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from asz_core import Root
from asz_core.vocabulary import is_step
from asz_tui.demo import LIVE_CONVERSATION
from asz_tui.demo.live import LivePublisher
from asz_tui.session.filters import SECOND, Filter, Filtered, first_from, nearest, parse_range, parse_time, range_words
from asz_tui.session.opened import ERRORS, Opened
from tests.tui.search.oracle import CASES, never, opened


def _fits(source: Opened, tree, place: int, wanted: Filter) -> bool:  # type: ignore[no-untyped-def]
    node = tree.nodes[place]
    marks = source.grammar.describe(tree, place).marks
    at = tree.times[place] or (0 if is_step(node.kind) else tree.starts[place])
    touching = {r.quality for r in source.conversation.fold.relations.values() if node.id in (r.from_, r.to)}
    return (
        (not wanted.kinds or node.kind in wanted.kinds)
        and (not wanted.streams or node.stream in wanted.streams)
        and (not wanted.qualities or bool(touching & wanted.qualities))
        and (not wanted.failed or node.kind in ERRORS or "failed" in marks)
        and (not wanted.changes or "changes" in marks)
        and (not wanted.unresolved or "unresolved" in marks)
        and (not wanted.from_ns or (bool(at) and at >= wanted.from_ns))
        and (not wanted.to_ns or (bool(at) and at <= wanted.to_ns))
    )


def _brute(source: Opened, wanted: Filter) -> list[str]:
    return [tree.nodes[place].id for tree, place in source.steps() if _fits(source, tree, place, wanted)]


def _ids(filtered: Filtered) -> list[str]:
    return [tree.nodes[place].id for tree, place in filtered.matches()]


def _filters(source: Opened) -> list[Filter]:
    streams = sorted({tree.nodes[place].stream for tree, place in source.steps()})
    times = sorted(tree.times[place] for tree, place in source.steps() if tree.times[place])
    low, high = (times[len(times) // 4], times[len(times) * 3 // 4]) if times else (5, 6)
    return [
        Filter(),
        Filter(kinds=frozenset({"tool"})),
        Filter(kinds=frozenset({"tool", "talk", "no.such"}), streams=frozenset(streams[:1])),
        Filter(streams=frozenset(streams[-1:])),
        Filter(qualities=frozenset({"strong_inference", "exact_ambiguous"})),
        Filter(qualities=frozenset({"exact_unique"}), kinds=frozenset({"agent.call", "tool"})),
        Filter(failed=True),
        Filter(changes=True),
        Filter(unresolved=True),
        Filter(from_ns=low),
        Filter(to_ns=high),
        Filter(from_ns=low, to_ns=high, kinds=frozenset({"tool", "run"})),
        Filter(failed=True, kinds=frozenset({"tool"}), from_ns=low),
    ]


@pytest.mark.parametrize("case", CASES)
def test_a_filter_gives_what_brute_force_gives(case: str) -> None:
    source = opened(case)
    for wanted in _filters(source):
        assert _ids(Filtered(source, wanted)) == _brute(source, wanted), wanted


def test_the_conditions_find_something_somewhere() -> None:
    for case, wanted in (
        ("pilot", Filter(failed=True)),
        ("pilot", Filter(unresolved=True)),
        ("extras", Filter(changes=True)),
        ("fleet", Filter(qualities=frozenset({"strong_inference"}))),
    ):
        assert _ids(Filtered(opened(case), wanted)), (case, wanted)


def test_an_empty_filter_is_false_and_looks_at_nothing() -> None:
    filtered = Filtered(opened("pilot"), Filter())
    assert not Filter() and not filtered and Filter(failed=True)
    assert filtered.prepare(never) and not filtered._kept
    assert Filter(kinds=frozenset()) == Filter()


def test_preparing_gives_the_same_and_stops() -> None:
    source = opened("fleet")
    wanted = Filter(kinds=frozenset({"tool"}), failed=True)
    filtered = Filtered(source, wanted)
    assert filtered.prepare(never)
    assert len(filtered._kept) == len(source.trees)
    assert _ids(filtered) == _brute(source, wanted)
    assert filtered.places(source.trees[0]) is filtered.places(source.trees[0])


def test_rounds_that_land_are_filtered_too(tmp_path: Path) -> None:
    publisher = LivePublisher(tmp_path)
    publisher.publish_next()
    source = Opened(Root(tmp_path).load(LIVE_CONVERSATION))
    wanted = [Filtered(source, one) for one in _filters(source)]
    while publisher.publish_next() is not None:
        source.take(source.conversation.read_new())
        for filtered in wanted:
            assert _ids(filtered) == _brute(source, filtered.filter)


def test_words_of_a_filter() -> None:
    start = 1_767_225_600 * SECOND
    wanted = Filter(frozenset({"tool", "talk"}), frozenset({"s1"}), frozenset({"conflict"}), True, True, True, start, start + 60 * SECOND)
    assert wanted.describe(UTC, {"s1": "helper"}.get) == [  # type: ignore[arg-type]
        "talk, tool", "on helper", "conflict", "failed", "has changes", "unresolved", "2026-01-01 00:00:00–00:01:00",
    ]  # fmt: skip
    assert Filter(kinds=frozenset("abcdef")).describe(UTC) == ["a, b +4"]
    assert range_words(start, 0, UTC) == "from 2026-01-01 00:00:00"
    assert range_words(0, start, UTC) == "until 2026-01-01 00:00:00"
    assert range_words(start, start + 86_400 * SECOND, UTC) == "2026-01-01 00:00:00–2026-01-02 00:00:00"
    assert Filter().describe(UTC) == []


def _at(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()) * SECOND


def test_times_as_they_are_typed() -> None:
    source = opened("pilot")
    near = next(tree.starts[0] for tree in source.trees if tree.starts[0])
    day = datetime.fromtimestamp(near // SECOND, UTC).strftime("%Y-%m-%d")
    for text, expected in (
        ("@ 14:05", f"{day} 14:05:00"), ("14:05:30", f"{day} 14:05:30"), ("@9:07", f"{day} 09:07:00"),
        ("2026-01-01 14:05", "2026-01-01 14:05:00"), ("2026-1-2", "2026-01-02 00:00:00"), ("2026-01-01T14:05", "2026-01-01 14:05:00"),
        ("2026-01-01T14:05:00+02:00", "2026-01-01 12:05:00"), ("2026-01-01t14:05:00z", "2026-01-01 14:05:00"),
    ):  # fmt: skip
        assert parse_time(text, source, UTC, near) == _at(expected), text
    assert parse_time("14:05:30.25", source, UTC, near) == _at(f"{day} 14:05:30") + SECOND // 4
    assert parse_time("+10m", source, UTC, near) == near + 600 * SECOND
    assert parse_time("@ -1h30m", source, UTC, near) == near - 5400 * SECOND
    assert parse_time("+ 1.5 s", source, UTC, near) == near + 3 * SECOND // 2
    assert parse_time("+1m", source, UTC, 0) == min(t.starts[0] for t in source.trees if t.starts[0]) + 60 * SECOND
    zone = timezone(timedelta(hours=3))
    assert parse_time("2026-01-01 14:05", source, zone, near) == _at("2026-01-01 11:05:00")
    assert parse_time("2026-07-01 14:05", source, ZoneInfo("Europe/Berlin"), near) == _at("2026-07-01 12:05:00")
    local = parse_time("2026-01-01 14:05", source, None, near)  # type: ignore[arg-type]
    assert local == int(datetime(2026, 1, 1, 14, 5).astimezone().timestamp()) * SECOND


@pytest.mark.parametrize("text", ["", "@", "25:00", "14:61", "2026-13-01", "2026-02-30 10:00", "noon", "+10", "+3 parsecs", "+" + "9" * 300 + "d", "14", "9999-12-31 23:59x"])
def test_what_is_no_time_says_so_in_one_sentence(text: str) -> None:
    with pytest.raises(ValueError) as raised:
        parse_time(text, opened("pilot"), UTC, 10**18)
    assert str(raised.value) and "\n" not in str(raised.value)


def test_a_time_of_day_means_the_day_on_which_the_conversation_was() -> None:
    class Tree:
        def __init__(self, start: int, end: int) -> None:
            self.starts, self.ends = [start], [end]

    class Source:
        trees = (Tree(_at("2026-01-01 22:00:00"), _at("2026-01-02 03:00:00")),)

    def read(text: str, near: str) -> str:
        ns = parse_time(text, Source(), UTC, _at(near))  # type: ignore[arg-type]
        return datetime.fromtimestamp(ns // SECOND, UTC).strftime("%d %H:%M")

    assert read("23:00", "2026-01-01 22:30:00") == "01 23:00"
    assert read("01:00", "2026-01-01 22:30:00") == "02 01:00"
    assert read("23:00", "2026-01-02 02:00:00") == "01 23:00"
    assert read("12:00", "2026-01-02 02:00:00") == "02 12:00"
    start, end = parse_range("23:00 .. 01:00", Source(), UTC, _at("2026-01-01 22:30:00"))  # type: ignore[arg-type]
    assert end - start == 7260 * SECOND - 1


def test_ranges() -> None:
    source = opened("pilot")
    day = "2026-01-01"
    near = _at(f"{day} 10:00:00")
    assert parse_range(f"{day} 14:05 .. {day} 15:00", source, UTC, near) == (_at(f"{day} 14:05:00"), _at(f"{day} 15:01:00") - 1)
    assert parse_range(f"{day} 14:05 – {day} 15:00:10", source, UTC, near)[1] == _at(f"{day} 15:00:11") - 1
    assert parse_range(f"{day} ..", source, UTC, near) == (_at(f"{day} 00:00:00"), 0)
    assert parse_range(f".. {day}", source, UTC, near) == (0, _at("2026-01-02 00:00:00") - 1)
    assert parse_range(f"@ {day} 14:05 to +10m", source, UTC, near) == (_at(f"{day} 14:05:00"), _at(f"{day} 14:15:00"))
    assert parse_range("  ", source, UTC, near) == (0, 0)
    for wrong in ("1 .. 2 .. 3", f"{day} .. 2025-01-01", "soon .. later"):
        with pytest.raises(ValueError):
            parse_range(wrong, source, UTC, near)


@pytest.mark.parametrize("case", ["pilot", "fleet", "idle", "losses", "hello", "craft", "broken-first-missing"])
def test_the_nearest_step_is_the_nearest(case: str) -> None:
    source = opened(case)
    steps = [
        (tree.times[place], tree.nodes[place].id)
        for tree, place in source.steps()
        if tree.times[place] and is_step(tree.nodes[place].kind)
    ]
    if not steps:
        assert nearest(source, 10**18) is None
        return
    times = sorted({at for at, _ in steps})
    asked = [0, 10**18, 2 * 10**18, *times[:: max(1, len(times) // 20)]]
    asked += [(one + other) // 2 for one, other in pairwise(times)][:20]
    for ns in asked:
        best = min(abs(at - ns) for at, _ in steps)
        assert nearest(source, ns) == next(name for at, name in steps if abs(at - ns) == best), ns


@pytest.mark.parametrize("case", ["pilot", "fleet", "idle"])
def test_a_time_is_jumped_to_not_before(case: str) -> None:
    source = opened(case)
    times = sorted({at for tree, place in source.steps() if (at := tree.times[place]) and is_step(tree.nodes[place].kind)})
    for at in times:
        for ns in (at, at - 1):
            name = first_from(source, ns)
            tree, place = source.locate(name)
            assert tree.times[place] == at
    tree, place = source.locate(first_from(source, times[-1] + 1))
    assert tree.times[place] == times[-1], "after the end, the last one"
