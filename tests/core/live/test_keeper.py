"""The keeper of a live root: what comes first, what is told, and that it goes on wherever it was stopped."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from asz_core import Root
from asz_core.collect import Source, Tally
from asz_core.live import BEHIND, COLLECTED, NEW, forget, forgotten, keeper
from asz_core.writing import Lock
from tests.claude import session_id

from .conftest import AT, Clocks, Kept, written


def heads(root: Path) -> dict[str, int]:
    """The newest round of every conversation that verifies."""
    found = {}
    for name in Root(root).conversations():
        conversation = Root(root).load(name)
        assert conversation.report.state == "verified", conversation.report.problems
        found[name] = conversation.fold.head
    return found


def questions(root: Path, number: int) -> int:
    """Talks of a session in the root."""
    return sum(1 for _ in Root(root).load(session_id(number)).fold.of_kind("talk"))


def test_everything_is_told_before_anything_is_collected(kept: Kept, source: Path, root: Path) -> None:
    written(source, 1, ago=60, directory="/srv/a")
    written(source, 2, ago=30, directory="/srv/b")
    kept.keeper.survey()
    told = {found.id: found for message in kept.told for found in message.sessions}
    assert kept.told[-1].listed and set(told) == {session_id(1), session_id(2)}
    one = told[session_id(1)]
    assert (one.project, one.state, one.title, one.files) == ("-srv-a", NEW, None, 1)
    assert one.last_ms == AT // 1_000_000 - 60_000 and one.size == (source / "-srv-a" / f"{session_id(1)}.jsonl").stat().st_size
    assert not root.exists()


def test_the_newest_comes_first(kept: Kept, source: Path, root: Path) -> None:
    for number, ago in ((1, 300), (2, 100), (3, 200)):
        written(source, number, ago=ago)
    assert [int(name[4:8]) for name in kept.settle()] == [2, 3, 1]
    assert kept.states() == dict.fromkeys((1, 2, 3), COLLECTED)
    assert set(heads(root)) == {session_id(number) for number in (1, 2, 3)}
    last = kept.told[-1].progress
    assert last is not None and (last.sessions, last.behind, last.done, last.current) == (3, 0, last.size, "")


def test_what_somebody_looks_at_comes_before_the_newest(kept: Kept, source: Path) -> None:
    for number in range(1, 6):
        written(source, number, ago=number * 100)
    kept.keeper.survey()
    kept.keeper.turn()
    kept.keeper.want(session_id(4))
    assert [int(name[4:8]) for name in kept.settle()] == [4, 2, 3, 5]


def test_a_large_session_lets_a_wanted_one_pass(kept: Kept, source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept.keeper._collector, "_budget", 2_000)
    written(source, 1, size=60_000, ago=10)
    written(source, 2, ago=500)
    kept.keeper.turn()
    assert kept.states()[1] == BEHIND and kept.keeper.sessions[session_id(1)].done > 0
    kept.keeper.want(session_id(2))
    assert kept.settle()[0] == session_id(2)


def test_an_append_becomes_a_round(kept: Kept, source: Path, root: Path, clocks: Clocks) -> None:
    writer = written(source, 1)
    kept.settle()
    before = questions(root, 1)
    writer.append(*writer.talk(1))
    os.utime(writer.path, ns=(AT, AT + 1))
    clocks.pass_by(keeper.HOT_EVERY)
    kept.settle()
    assert heads(root)[writer.session] == 2 and questions(root, 1) == before + 1


def test_a_bell_is_answered_at_once(kept: Kept, source: Path, root: Path) -> None:
    writer = written(source, 1, ago=90_000)
    kept.settle()
    writer.append(*writer.talk(1))
    kept.keeper.touched(writer.session)
    kept.settle()
    assert heads(root)[writer.session] == 2


def test_a_session_that_begins_is_found(kept: Kept, source: Path, root: Path, clocks: Clocks) -> None:
    written(source, 1)
    kept.settle()
    written(source, 2)
    kept.keeper.touched("")
    clocks.pass_by(keeper.HOT_EVERY)
    kept.settle()
    assert session_id(2) in heads(root)
    written(source, 3)
    clocks.pass_by(keeper.SURVEY_EVERY)
    kept.settle()
    assert session_id(3) in heads(root), "also where no bell rings"


def test_half_a_line_waits(kept: Kept, source: Path, root: Path) -> None:
    writer = written(source, 1)
    kept.settle()
    before = questions(root, 1)
    lines = b"".join(writer.talk(1))
    writer.append(lines[:-40])
    kept.keeper.touched(writer.session)
    kept.settle()
    writer.append(lines[-40:])
    kept.keeper.touched(writer.session)
    kept.settle()
    assert questions(root, 1) == before + 1
    heads(root)


def test_nothing_is_read_or_written_when_nothing_happened(kept: Kept, source: Path, root: Path, clocks: Clocks) -> None:
    for number in range(1, 20):
        written(source, number, ago=90_000)
    kept.settle()
    opened: list[str] = []
    told = len(kept.told)

    real = os.open
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "open", lambda path, *rest, **keys: opened.append(str(path)) or real(path, *rest, **keys))
        patch.setattr("builtins.open", lambda path, *rest, **keys: pytest.fail(f"{path} was opened"))
        for _ in range(3):
            clocks.pass_by(keeper.SURVEY_EVERY)
            assert kept.keeper.turn() > 0
    assert [path for path in opened if "forgotten" not in path] == []
    assert [message for message in kept.told[told:] if message.sessions] == []


def test_it_goes_on_where_it_was_stopped(source: Path, root: Path, clocks: Clocks, tmp_path: Path) -> None:
    for number in range(1, 4):
        written(source, number, ago=number * 100)
    Kept(source, tmp_path / "other" / "root", clocks).settle()
    for _ in range(3):
        stopped = Kept(source, root, clocks)
        stopped.keeper.turn()
        stopped.keeper.close()
    Kept(source, root, clocks).settle()
    assert landed(root) == landed(tmp_path / "other" / "root")


def landed(root: Path) -> dict[str, bytes]:
    """Every published file of a root."""
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*.s[df]")}


def test_only_one_keeps_a_root_and_the_next_takes_over(source: Path, root: Path, clocks: Clocks) -> None:
    written(source, 1)
    written(source, 2, ago=100)
    first, second = Kept(source, root, clocks), Kept(source, root, clocks)
    first.keeper.turn()
    second.keeper.turn()
    assert second.keeper.progress().another and not first.keeper.progress().another
    assert second.settle() == [], "what nobody looks at is left to the other"
    second.keeper.want(session_id(2))
    assert second.settle() == [session_id(2)], "what somebody looks at is not waited for"
    first.keeper.close()
    clocks.pass_by(keeper.LOCK_EVERY)
    second.settle()
    assert not second.keeper.progress().another and second.states() == {1: COLLECTED, 2: COLLECTED}


def test_a_session_that_another_collector_holds_is_left_alone(kept: Kept, source: Path, root: Path, clocks: Clocks) -> None:
    written(source, 1)
    (root / session_id(1)).mkdir(parents=True)
    with Lock(str(root / session_id(1))):
        kept.settle()
        assert "another collector" in kept.keeper.sessions[session_id(1)].problem
    clocks.pass_by(keeper.RETRY_AFTER)
    kept.settle()
    assert kept.keeper.sessions[session_id(1)].problem == "" and session_id(1) in heads(root)


def test_a_source_that_goes_and_comes(source: Path, root: Path, clocks: Clocks) -> None:
    kept = Kept(source / "not-yet", root, clocks)
    kept.settle()
    assert "cannot be read" in kept.keeper.progress().problems[0]
    written(source / "not-yet", 1)
    clocks.pass_by(keeper.SURVEY_EVERY)
    kept.settle()
    assert kept.keeper.progress().problems == [] and session_id(1) in heads(root)
    os.rename(source / "not-yet", source / "gone")
    clocks.pass_by(keeper.SURVEY_EVERY)
    kept.settle()
    assert "cannot be read" in kept.keeper.progress().problems[0] and session_id(1) in heads(root)


def test_a_session_that_is_deleted_is_told_and_stays_collected(kept: Kept, source: Path, root: Path, clocks: Clocks) -> None:
    writer = written(source, 1)
    kept.settle()
    writer.path.unlink()
    clocks.pass_by(keeper.SURVEY_EVERY)
    kept.settle()
    assert [message.gone for message in kept.told if message.gone] == [[writer.session]]
    assert writer.session in heads(root)


@pytest.mark.parametrize("how", ["truncated", "rewritten", "replaced"])
def test_what_was_landed_stays_whatever_becomes_of_the_source(kept: Kept, source: Path, root: Path, how: str) -> None:
    writer = written(source, 1)
    kept.settle()
    before = landed(root)
    if how == "truncated":
        os.truncate(writer.path, 500)
    elif how == "rewritten":
        writer.path.write_bytes(writer.path.read_bytes().replace(b"please", b"kindly"))
    else:
        writer.path.unlink()
        written(source, 1, title="another")
    kept.keeper.touched(writer.session)
    kept.settle()
    after = landed(root)
    assert {name: after.get(name) for name in before} == before
    heads(root)


def test_a_line_that_is_no_json_and_one_that_is_no_text(kept: Kept, source: Path, root: Path) -> None:
    writer = written(source, 1)
    writer.append(b'{"type":"user"\n', b"\xff\xfe\n", b"\n", *writer.talk(1))
    kept.settle()
    assert kept.keeper.sessions[writer.session].problem == "" and questions(root, 1) == writer.talks
    heads(root)


def test_a_clock_that_goes_back(kept: Kept, source: Path, root: Path, clocks: Clocks) -> None:
    writer = written(source, 1)
    kept.settle()
    clocks.ns -= 10**18
    writer.append(*writer.talk(1))
    kept.keeper.touched(writer.session)
    kept.settle()
    assert heads(root)[writer.session] == 2


def test_nobody_else_may_read_what_is_kept(kept: Kept, source: Path, root: Path) -> None:
    written(source, 1)
    kept.settle()
    modes = {path: stat.S_IMODE(path.lstat().st_mode) for path in [root.parent, *root.parent.rglob("*")]}
    folders = {mode for path, mode in modes.items() if path.is_dir()}
    published = {mode for path, mode in modes.items() if path.suffix in (".sd", ".sf")}
    others = {mode for path, mode in modes.items() if path.is_file() and path.suffix not in (".sd", ".sf")}
    assert (folders, published, others) == ({0o700}, {0o400}, {0o600})


def test_a_session_is_forgotten_until_it_is_wanted(kept: Kept, source: Path, root: Path, clocks: Clocks) -> None:
    written(source, 1)
    written(source, 2, ago=100)
    kept.settle()
    before = (source / "-srv-shop" / f"{session_id(1)}.jsonl").read_bytes()
    assert forget(root, session_id(1)) and not forget(root, session_id(1))
    assert forgotten(root) == {session_id(1)} and set(heads(root)) == {session_id(2)}
    assert not list(root.rglob(f"*{session_id(1)}*"))
    clocks.pass_by(keeper.SURVEY_EVERY)
    kept.settle()
    assert set(heads(root)) == {session_id(2)} and set(kept.states()) == {2}
    kept.keeper.want(session_id(1))
    kept.settle()
    assert set(heads(root)) == {session_id(1), session_id(2)} and forgotten(root) == set()
    assert (source / "-srv-shop" / f"{session_id(1)}.jsonl").read_bytes() == before


def test_what_goes_wrong_is_told_and_tried_again(
    kept: Kept, source: Path, root: Path, clocks: Clocks, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(source, 1)
    real, full = kept.keeper._collector.collect_session, [True, True]

    def collect(session: str, sources: list[Source]) -> Tally:
        return Tally(errors=["x.jsonl: No space left on device"]) if full and full.pop() else real(session, sources)

    monkeypatch.setattr(kept.keeper._collector, "collect_session", collect)
    kept.settle()
    found = kept.keeper.sessions[session_id(1)]
    assert (found.state, found.problem, found.done) == (BEHIND, "x.jsonl: No space left on device", 0)
    assert kept.keeper.progress().behind == 0, "nothing is waited for"
    for _ in range(2):
        clocks.pass_by(keeper.RETRY_AFTER)
        kept.settle()
    assert (found.state, found.problem, found.done) == (COLLECTED, "", found.size) and session_id(1) in heads(root)


def test_a_session_that_is_forgotten_while_it_grows_does_not_come_back(kept: Kept, source: Path, root: Path) -> None:
    writer = written(source, 1)
    kept.settle()
    assert forget(root, writer.session)
    writer.append(*writer.talk(1))
    kept.keeper.touched(writer.session)
    kept.settle()
    assert not list(root.rglob(f"*{writer.session}*")) and kept.states() == {}
