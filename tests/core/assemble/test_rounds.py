"""Rounds of a chain: nothing to do, the lock, the budget, foreign chains, and what kept memory must notice."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import stat
import time
from itertools import pairwise
from pathlib import Path

import pytest

from asz_core import Root
from asz_core.assemble import Assembler, Assemblers, assemble_root, assemble_session, sessions_behind
from asz_core.assemble import landing as landing_module
from asz_core.assemble.identity import identity, quote
from asz_core.assemble.moments import read_time, write_span, write_time
from asz_core.errors import Ambiguous, NotFound
from tests.core.assemble.landing_helpers import SESSION, Lander, record, result, text, use


def small(root: Path, session: str = SESSION) -> Lander:
    lander = Lander(root, session)
    lander.land(
        "main",
        record("external", "u1", 0, text(), run="c1", trigger="external", flags=["external_input"]),
        record("agent", "a1", 1, text(), use("t1", "Bash"), parent="u1", call="m1", flags=["finished"]),
    )
    return lander


def folder(root: Path, session: str = SESSION) -> Path:
    return root / "_conversations" / session


def test_nothing_is_made_of_nothing(tmp_path: Path) -> None:
    assert assemble_session(tmp_path, SESSION).round == 0
    assert list(tmp_path.iterdir()) == []
    assert "no name of a session" in assemble_session(tmp_path, "../x").error


def test_a_round_is_read_only_and_the_chain_verifies(tmp_path: Path) -> None:
    small(tmp_path)
    assert assemble_session(tmp_path, SESSION).round == 1
    (path,) = folder(tmp_path).glob("rounds/*")
    assert stat.S_IMODE(path.stat().st_mode) == 0o444
    assert sorted(entry.name for entry in folder(tmp_path).iterdir()) == [".lock", "conversation.state", "rounds"]
    assert Root(tmp_path).load(SESSION).report.state == "verified"


def test_of_the_last_few_sessions_only_what_landed_since_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ["a-1", "a-2", "a-3"]
    landers = {name: small(tmp_path, name) for name in names}
    assemblers = Assemblers(tmp_path, most=2)
    assert [assemblers.assemble(name).round for name in names] == [1, 1, 1]
    read: list[str] = []
    real = landing_module.read_entries
    monkeypatch.setattr(landing_module, "read_entries", lambda file: (read.append(file.wire), real(file))[1])
    for name in names:
        landers[name].land("main", record("external", "u2", 5, text(), run="c2"))
    assert [assemblers.assemble(name).round for name in reversed(names)] == [2, 2, 2]
    assert [wire.split("/")[0] for wire in read] == ["a-3", "a-2", "a-1", "a-1"]


def test_a_session_is_behind_until_its_last_file_is_consumed(tmp_path: Path) -> None:
    lander = small(tmp_path)
    small(tmp_path, "b-2")
    assert sessions_behind(tmp_path) == sorted([SESSION, "b-2"])
    assemble_root(tmp_path)
    assert sessions_behind(tmp_path) == []
    lander.land("main", record("external", "u2", 5, text(), run="c2"))
    assert sessions_behind(tmp_path) == [SESSION]
    (path,) = folder(tmp_path, "b-2").glob("rounds/*")
    path.chmod(0o644)
    path.write_bytes(b"not a round")
    assert sessions_behind(tmp_path) == sorted([SESSION, "b-2"])


def test_nothing_new(tmp_path: Path) -> None:
    small(tmp_path)
    assembler = Assembler(tmp_path, SESSION)
    assert assembler.assemble().round == 1
    before = folder(tmp_path).joinpath("conversation.state").stat().st_mtime_ns
    assert assembler.assemble().round == 0
    assert assemble_session(tmp_path, SESSION).round == 0
    assert folder(tmp_path).joinpath("conversation.state").stat().st_mtime_ns == before


def test_an_empty_round(tmp_path: Path) -> None:
    lander = small(tmp_path)
    assembler = Assembler(tmp_path, SESSION)
    assembler.assemble()
    lander.land("main", record("external", "u1", 0))  # it has landed before
    outcome = assembler.assemble()
    assert (outcome.round, outcome.nodes, outcome.relations) == (2, 0, 0)
    assert len(lander.rounds()[1]) == 2


def test_a_trailing_file_without_records_is_not_consumed(tmp_path: Path) -> None:
    lander = small(tmp_path)
    lander.land("main")
    assembler = Assembler(tmp_path, SESSION)
    assert assembler.assemble().round == 1
    assert lander.header(1)["through_seq"] == 1
    assert assembler.assemble().round == 0
    lander.land("main", record("external", "u2", 5, text(), run="c1"))
    assert assembler.assemble().round == 2
    assert (lander.header(2)["from_seq"], lander.header(2)["through_seq"]) == (2, 3)


def test_no_record_at_all(tmp_path: Path) -> None:
    Lander(tmp_path).land("main")
    assert "holds a record" in assemble_session(tmp_path, SESSION).error
    assert not folder(tmp_path).joinpath("rounds").exists()


def test_a_lock_that_is_held(tmp_path: Path) -> None:
    small(tmp_path)
    folder(tmp_path).mkdir(parents=True)
    with open(folder(tmp_path) / ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        outcome = assemble_session(tmp_path, SESSION)
        assert outcome.round == 0
        assert "another program" in outcome.error
    assert assemble_session(tmp_path, SESSION).round == 1


def test_a_round_by_another_program_is_folded(tmp_path: Path) -> None:
    lander = small(tmp_path)
    kept = Assembler(tmp_path, SESSION)
    kept.assemble()
    lander.land("main", record("external", "k1", 2, result("t1"), parent="a1"))
    assert assemble_session(tmp_path, SESSION).round == 2
    assert kept.assemble().round == 0
    lander.land("main", record("external", "u2", 3, text(), run="c2", trigger="external"))
    assert kept.assemble().round == 3
    assert Root(tmp_path).load(SESSION).report.state == "verified"


def test_landed_files_that_went_or_changed_are_noticed(tmp_path: Path) -> None:
    lander = small(tmp_path)
    path = lander.land("main", record("external", "u2", 3, text(), run="c2", trigger="external"))
    kept = Assembler(tmp_path, SESSION)
    kept.assemble()
    data = path.read_bytes()
    path.unlink()
    assert "ends at seq 1" in kept.assemble().error
    path.write_bytes(data[:-10])
    assert "closing line" in kept.assemble().error
    path.write_bytes(data)
    assert kept.assemble() == Assembler(tmp_path, SESSION).assemble()


def test_a_folder_that_cannot_be_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lander = small(tmp_path)
    lander.land("kid", record("agent", "b1", 2, text(), call="m2"))
    kept = Assembler(tmp_path, SESSION)
    kept.assemble()
    lander.land("main", record("external", "u2", 3, text(), run="c2", trigger="external"))
    scandir = os.scandir

    def refuse(path: str) -> object:
        if str(path).endswith("kid"):
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    with monkeypatch.context() as patch:
        patch.setattr(os, "scandir", refuse)
        assert "kid cannot be listed" in kept.assemble().error
    assert kept.assemble().round == 2


def test_a_chain_that_does_not_fold(tmp_path: Path) -> None:
    lander = small(tmp_path)
    assemble_session(tmp_path, SESSION)
    lander.land("main", record("external", "u2", 3))
    (path,) = folder(tmp_path).glob("rounds/*")
    os.chmod(path, 0o644)
    path.write_bytes(path.read_bytes()[:-5])
    assert "does not fold" in assemble_session(tmp_path, SESSION).error
    assert len(list(folder(tmp_path).glob("rounds/*"))) == 1


def test_a_chain_of_another_policy_is_left_alone(tmp_path: Path) -> None:
    lander = small(tmp_path)
    Assembler(tmp_path, SESSION, idle=90_000_000_000).assemble()
    assert lander.header(1)["policy"] == "v1+idle=1m30s"
    lander.land("main", record("external", "u2", 3))
    assert "under policy v1+idle=1m30s" in assemble_session(tmp_path, SESSION).error


def test_an_abandoned_reservation_is_removed_and_a_fresh_one_is_not(tmp_path: Path) -> None:
    lander = small(tmp_path)
    assemble_session(tmp_path, SESSION)
    (path,) = folder(tmp_path).glob("rounds/*")
    data = path.read_bytes()
    path.unlink()
    from asz_core.assemble.publishing import publish_round
    from asz_core.errors import AssembleError

    path.touch()
    with pytest.raises(AssembleError, match="already there"):
        publish_round(str(path.parent), path.name, data)
    old = time.time() - 120
    os.utime(path, (old, old))
    publish_round(str(path.parent), path.name, data)
    assert path.read_bytes() == data
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]
    assert lander.header(1)["round"] == 1


def test_the_budget(tmp_path: Path) -> None:
    lander = Lander(tmp_path)
    for number in range(8):
        lander.land("main", record("external", f"u{number}", number, text(), run="c1", flags=["external_input"]))
    outcome = Assembler(tmp_path, SESSION, budget=2_300).assemble()
    assert outcome.error == ""
    assert outcome.rounds == len(lander.rounds()) > 1
    spans = [(lander.header(n)["from_seq"], lander.header(n)["through_seq"]) for n in range(1, outcome.rounds + 1)]
    assert spans[0][0] == 1
    assert spans[-1][1] == 8
    assert all(before[1] + 1 == after[0] for before, after in pairwise(spans))
    for path in folder(tmp_path).glob("rounds/*"):
        header = json.loads(path.open().readline())
        assert path.stat().st_size <= 2_300 or header["from_seq"] == header["through_seq"]
    assert Root(tmp_path).load(SESSION).report.state == "verified"


def test_a_stored_frame_of_another_spelling_is_equal(tmp_path: Path) -> None:
    lander = small(tmp_path)
    assemble_session(tmp_path, SESSION)
    (path,) = folder(tmp_path).glob("rounds/*")
    lines = []
    for line in path.read_text().splitlines()[:-1]:
        value = json.loads(line)
        if value["t"] == "node":
            value |= {"zz": 1, "tombstone": False, "stream": value.get("stream", "")}
            value.setdefault("refs", [])
        lines.append(json.dumps(value, separators=(", ", " : ") if value["t"] != "header" else (",", ":")))
    body = ("\n".join(lines) + "\n").encode()
    digest = hashlib.sha256(body).hexdigest()
    counts = json.loads(path.read_text().splitlines()[-1])["counts"]
    path.unlink()
    commit = json.dumps({"t": "commit", "digest": digest, "counts": counts})
    path.with_name(f"r000001-{digest[:12]}.sf").write_bytes(body + commit.encode() + b"\n")
    assert assemble_session(tmp_path, SESSION).round == 0
    lander.land("main", record("external", "k1", 2, result("t1"), parent="a1"))
    outcome = assemble_session(tmp_path, SESSION)
    assert (outcome.round, outcome.error) == (2, "")
    ids = [json.loads(line).get("id", "") for line in lander.rounds()[1]]
    assert [name for name in ids if name] == [
        "epoch/main/0",
        "segment/at_1_1",
        f"session/{SESSION}",
        "stream/main",
        "tool/t1",
        "unres/tool_result/t1",
    ]


def test_all_sessions_of_a_root(tmp_path: Path) -> None:
    small(tmp_path, "demo-1")
    small(tmp_path, "demo-2")
    (tmp_path / "empty").mkdir()
    assert [(o.session, o.round) for o in assemble_root(tmp_path)] == [("demo-1", 1), ("demo-2", 1)]
    assert [(o.session, o.round) for o in assemble_root(tmp_path, ["demo-2"])] == [("demo-2", 0)]
    with pytest.raises(Ambiguous):
        assemble_root(tmp_path, ["demo"])
    with pytest.raises(NotFound):
        assemble_root(tmp_path, ["x"])


def test_identities_and_texts() -> None:
    assert identity("run", "talk/main/c1", "a/b", "") == "run/talk_main_c1/a_b"
    assert identity("unres", "spawn_call", "") == "unres/spawn_call"
    assert quote('<a>&"\\\u2028\n\x01\x7f/é') == '"\\u003ca\\u003e\\u0026\\"\\\\\\u2028\\n\\u0001\x7f/é"'


@pytest.mark.parametrize(
    ("read", "written"),
    [
        ("2026-03-01T09:00:00.500+01:00", "2026-03-01T08:00:00.5Z"),
        ("2026-03-01T08:00:00.1234567891Z", "2026-03-01T08:00:00.123456789Z"),
        ("2026-03-01T8:00:00Z", "2026-03-01T08:00:00Z"),
        ("2026-03-01T08:00:00,25Z", "2026-03-01T08:00:00.25Z"),
        ("2026-03-02T00:00:00+24:00", "2026-03-01T00:00:00Z"),
        ("2026-03-01T01:00:00+00:60", "2026-03-01T00:00:00Z"),
        ("2026-02-29T08:00:00Z", ""),
        ("2026-03-01T08:00:60Z", ""),
        ("2026-03-01t08:00:00Z", ""),
        ("2026-03-01T08:00:00.Z", ""),
        ("1970-01-01T00:00:00Z", ""),
    ],
)
def test_times(read: str, written: str) -> None:
    assert write_time(read_time(read)) == written


@pytest.mark.parametrize(
    ("ns", "written"),
    [
        (600_000_000_000, "10m0s"),
        (90_000_000_000, "1m30s"),
        (3_600_000_000_000, "1h0m0s"),
        (45_000_000_000, "45s"),
        (61_500_000_000, "1m1.5s"),
        (500_000_000, "500ms"),
        (1_500_000, "1.5ms"),
        (250_000, "250µs"),
        (7, "7ns"),
    ],
)
def test_idle_gaps(ns: int, written: str) -> None:
    assert write_span(ns) == written
