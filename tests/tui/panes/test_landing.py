"""What lands round by round gives the same trees, counts and rows as beginning anew, whatever the rounds hold."""

from __future__ import annotations

import random
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest

from asz_core import Root
from asz_core.sessiondata import session as session_module
from asz_core.sessionflow import chain as chain_module
from asz_core.storage import read_file
from asz_tui.panes.row_counts import RowCounts
from asz_tui.panes.talks_rows import TalksRows
from asz_tui.session.opened import Applied, Opened
from tests.core.helpers import Maker, node, said, tombstone, unresolved

KINDS = ("talk", "talk", "run", "run", "llm.call", "tool", "message.external", "thinking", "context.injection", "error.api", "epoch")


class Rounds:
    """Publishes rounds of any nodes under any parents, with times that jump, and tombstones, moves and late files among them."""

    def __init__(self, path: Path, seed: int, *, loops: bool = False) -> None:
        self.maker = Maker(path)
        self.rng = random.Random(seed)
        self.loops = loops
        self.parents: dict[str, str] = {}
        self.kinds: dict[str, str] = {}
        self.made = 0

    def _record(self) -> dict[str, Any]:
        rng = self.rng
        day, second = rng.choice([1, 1, 1, 2, 5]), rng.choice([rng.randrange(86_400), rng.randrange(600)])
        time = f"2026-01-{day:02d}T{second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}Z"
        return said("words", time="" if rng.random() < 0.1 else time)

    def _parent(self, name: str) -> str:
        rng = self.rng
        choices = ["", "nowhere", "epoch/0", *self.parents]
        for _ in range(20):
            parent = rng.choice(choices) if rng.random() < 0.5 else rng.choice(choices[-12:])
            if self.loops or not self._is_below(parent, name):
                return parent
        return ""

    def _is_below(self, at: str, name: str) -> bool:
        while at:
            if at == name:
                return True
            at = self.parents.get(at, "")
        return False

    def publish(self) -> None:
        """Publish one more round, and now and then a file that should have been there before."""
        rng, maker = self.rng, self.maker
        rows = rng.randrange(1, 8)
        seq = maker.land(*[self._record() for _ in range(rows)])
        frames: dict[str, dict[str, Any]] = {}
        for _ in range(rng.randrange(1, 10)):
            again = bool(self.parents) and rng.random() < 0.3
            name = rng.choice(list(self.parents)) if again else f"n{self.made:03d}"
            if again and rng.random() < 0.3:
                del self.parents[name]
                frames[name] = tombstone("node", name)
                continue
            self.made += not again
            kind = self.kinds[name] if again and rng.random() < 0.7 else rng.choice(KINDS)
            parent = self.parents[name] if name in self.parents and rng.random() < 0.5 else self._parent(name)
            self.parents[name], self.kinds[name] = parent, kind
            at = None if rng.random() < 0.1 else (rng.choice([seq, seq, rng.randrange(1, seq + 1)]), rng.randrange(1, rows + 1))
            frames[name] = node(name, kind, at, parent=parent, stream=rng.choice(["main", "child"]))
        if rng.random() < 0.3:
            frames["open"] = unresolved("open", rng.choice(["open", "resolved"]))
        maker.round(*frames.values())
        if rng.random() < 0.1:
            maker.land(self._record(), seq=rng.randrange(1, seq + 1), stream="late")


def _trees(opened: Opened) -> object:
    return [([n.id for n in tree.nodes], tree.depths, tree.times, tree.starts, tree.ends) for tree in opened.trees]


def _state(opened: Opened) -> object:
    counts = opened.loose_from, opened.talk_count, opened.step_count, opened.open_count, opened.newest()
    talks = [tree.nodes[place].id for tree, place in opened.talks()]
    return _trees(opened), counts, talks, opened.conversation.report, [opened.first_of(stream) for stream in ("main", "child")]


def _rows(rows: TalksRows) -> object:
    keys = [rows.key(index) for index in range(len(rows))]
    words = ["".join(text for text, _ in rows.line(at, 200).left) for at, key in enumerate(keys) if isinstance(key, tuple)]
    return keys, words, [rows.index_of(key) for key in keys]


def _beginning_anew(live: TalksRows, fresh: Opened) -> TalksRows:
    rows = TalksRows(fresh, UTC)
    rows.noise, rows.thinking = live.noise, live.thinking
    rows._all_open, rows._exceptions = live._all_open, set(live._exceptions)
    rows.reload()
    rows.refill()
    return rows


def _fold_something(rows: TalksRows, rng: random.Random) -> None:
    choice = rng.random()
    found = rows.node_at(rng.randrange(len(rows))) if len(rows) else None
    if choice < 0.15:
        rows.set_all(rng.random() < 0.6)
    elif choice < 0.25:
        rows.noise, rows.thinking = rng.randrange(3), rng.random() < 0.7
        rows.refill()
    elif choice < 0.35:
        rows.touch()
    elif found is not None:
        tree, place = found
        rows.set_open(tree, place, not rows.is_open(tree.nodes[place].id), below=rng.random() < 0.3)


def _take(live: Opened) -> Applied:
    return live.take(live.conversation.read_new())


@pytest.mark.parametrize("seed", range(40))
def test_rounds_that_land_give_what_beginning_anew_gives(tmp_path: Path, seed: int) -> None:
    rounds = Rounds(tmp_path, seed, loops=seed % 8 == 7)
    rounds.publish()
    live = Opened(rounds.maker.load())
    rows = TalksRows(live, UTC)
    rng = random.Random(seed)
    for _ in range(25):
        for _ in range(rng.choice([0, 1, 1, 2])):
            rounds.publish()
        applied = _take(live)
        rows.reload(applied.roots)
        fresh = Opened(rounds.maker.load())
        assert _state(live) == _state(fresh)
        assert all(live.place_of(tree) == at for at, tree in enumerate(live.trees))
        assert _rows(rows) == _rows(_beginning_anew(rows, fresh))
        _fold_something(rows, rng)
        # In a loop of parents a node may stand in any number of trees; folding it in one is seen in the others after a while.
        assert rounds.loops or _rows(rows) == _rows(_beginning_anew(rows, fresh))
        if rounds.loops:
            rows.refill()


def test_rows_that_missed_a_round_catch_up(tmp_path: Path) -> None:
    rounds = Rounds(tmp_path, 1)
    rounds.publish()
    live = Opened(rounds.maker.load())
    rows = TalksRows(live, UTC)
    for _ in range(5):
        touched: set[str] = set()
        for _ in range(3):
            rounds.publish()
            applied = _take(live)
            if applied.roots is None:
                rows.reload()
            else:
                touched |= applied.roots
        rows.reload(touched)
        assert _rows(rows) == _rows(TalksRows(Opened(rounds.maker.load()), UTC))


def test_only_the_trees_a_round_touches_are_built_again(tmp_path: Path) -> None:
    maker = Maker(tmp_path)
    maker.land(said("a", time="2026-01-01T00:00:00Z"), said("b", time="2026-01-01T00:01:00Z"))
    maker.round(*[node(f"talk/{n}", "talk", (1, 1 + n % 2), stream="main") for n in range(20)])
    live = Opened(maker.load())
    rows = TalksRows(live, UTC)
    before, sections = list(live.trees), list(rows._sections)
    maker.land(said("c", time="2026-01-01T00:02:00Z"))
    maker.round(node("run/1", "run", (2, 1), parent="talk/7", stream="main"), node("talk/x", "talk", (2, 1), stream="main"))
    applied = _take(live)
    rows.reload(applied.roots)
    assert applied.roots == {"talk/7", "talk/x"}
    assert len(set(before) & set(live.trees)) == 19 and len(live.trees) == 21
    assert len(set(sections) & set(rows._sections)) == 19


def test_nothing_is_read_that_was_read_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def counted(path: str) -> bytes:
        read.append(path)
        return read_file(path)

    monkeypatch.setattr(session_module, "read_file", counted)
    monkeypatch.setattr(chain_module, "read_file", counted)
    maker = Maker(tmp_path)
    conversation = None
    for number in range(1, 30):
        maker.land(said("words", time="2026-01-01T00:00:00Z"), stream=f"s{number % 3}")
        maker.round(node(f"talk/{number}", "talk", (number, 1), stream="main"), node(f"m{number}", "tool", (number, 1)))
        if conversation is None:
            conversation = Root(tmp_path).load(maker.conversation)
        else:
            # Two readings side by side, as two events may cause: what both found is taken in once.
            pending, second = conversation.read_new(), None
            if number % 5 == 0:
                second = conversation.read_new()
                del read[-2:]
            assert len(conversation.take(pending).deltas) == 1
            assert second is None or not conversation.take(second)
        assert conversation.fold.head == number and conversation.report.state == "verified"
        assert conversation.record(number, 1) is not None and conversation.record(1, 1) is not None
    assert len(read) == len(set(read)) == 2 * 29


@pytest.mark.parametrize("seed", range(5))
def test_running_sums_are_those_of_the_numbers(seed: int) -> None:
    rng = random.Random(seed)
    counts = [rng.randrange(4) for _ in range(rng.choice([0, 5, 1000]))]
    sums = RowCounts(counts)
    for _ in range(300):
        match rng.randrange(3):
            case 0:
                at = rng.randrange(len(counts) + 1)
                counts.insert(at, count := rng.randrange(4))
                sums.insert(at, count)
            case 1 if counts:
                at = rng.randrange(len(counts))
                del counts[at]
                sums.delete(at)
            case 2 if counts:
                at = rng.randrange(len(counts))
                counts[at] = rng.randrange(4)
                sums.set(at, counts[at])
        if rng.random() < 0.5:
            assert sums.total == sum(counts) and len(sums) == len(counts)
            if counts:
                at = rng.randrange(len(counts))
                assert sums.start(at) == sum(counts[:at])
            if sums.total:
                row = rng.randrange(sums.total)
                which, inside = sums.find(row)
                assert sum(counts[:which]) + inside == row and inside < counts[which]


@pytest.mark.parametrize("seed", range(4))
def test_rows_of_one_key_and_version_show_the_same(tmp_path: Path, seed: int) -> None:
    rounds = Rounds(tmp_path, seed)
    for _ in range(3):
        rounds.publish()
    rows = TalksRows(Opened(rounds.maker.load()), UTC)
    rng = random.Random(seed)
    known: dict[object, object] = {}
    for turn in range(30):
        rows.set_all(turn % 2 == 0) if rng.random() < 0.5 else _fold_something(rows, rng)
        if turn == 20:
            rows.clock = "HH:MM"
            rows.refill()
        for index in range(len(rows)):
            line = rows.line(index, 100)
            assert known.setdefault((rows.key(index), rows.row_version(index)), line) == line


def test_folding_and_unfolding_everything_shows_rows_that_were_shown_before(tmp_path: Path) -> None:
    rounds = Rounds(tmp_path, 3)
    for _ in range(3):
        rounds.publish()
    rows = TalksRows(Opened(rounds.maker.load()), UTC)
    seen: list[set[object]] = []
    for turn in range(6):
        rows.set_all(turn % 2 == 0)
        seen.append({(rows.key(index), rows.row_version(index)) for index in range(len(rows))})
    assert any(not isinstance(key, str) for key, _ in seen[0]), "there are days and pauses among them"  # type: ignore[misc]
    assert seen[2:] == seen[:2] * 2
