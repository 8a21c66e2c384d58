"""What happens to a source between two passes, and what of it lands (the collecting specification, §9)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from asz_core.collect.incremental import MOST_FILES
from asz_core.writing import Lock
from tests.core.collect.helpers import AGENT, MAIN, PROJECT, SESSION, Place, line

META = f"{PROJECT}/{SESSION}/subagents/agent-{AGENT}.meta.json"
MANIFEST = f"{PROJECT}/{SESSION}/workflows/wf_x.json"


def test_only_whole_lines_land_and_each_once(place: Place) -> None:
    place.write(b'{"uuid":"a"}\n{"uuid":"b"')
    place.collect()
    place.write(b'}\n\n{"u', append=True)
    place.collect()
    assert place.rows() == [(1, 1, 0), (2, 2, 13), (2, 3, 26)]
    cursor = place.cursor()
    assert (cursor["offset"], cursor["ord"], cursor["last_uuid"], cursor["size"]) == ("27", "3", "b", "30")
    assert cursor["tail_sha256"].startswith("948520b3")
    assert cursor["tail_sha256"].endswith("0ed7")


def test_nothing_new_reads_nothing_and_writes_nothing(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.write(line("a"))
    place.collect()
    monkeypatch.setattr("builtins.open", _refuse)
    monkeypatch.setattr("asz_core.writing.os.rename", _refuse)
    assert place.collect().unchanged == 1


def test_another_process_finds_nothing_new_either(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.write(line("a"))
    place.collect()
    place.new_collector()
    monkeypatch.setattr("asz_core.writing.os.rename", _refuse)
    report = place.collect()
    assert (report.complete, report.files) == (True, 0)


def test_a_source_of_the_same_bytes_in_another_file_goes_on(place: Place) -> None:
    place.write(line("a"))
    place.collect()
    place.replace(line("a") + line("b"))
    assert place.collect().complete
    assert place.rows() == [(1, 1, 0), (2, 2, 27)]
    place.replace(line("a") + line("b"))
    assert place.collect().complete
    assert place.cursor()["ino"] == str(place.path().stat().st_ino)


@pytest.mark.parametrize("how", ["truncated", "replaced", "rotated", "rewritten"])
def test_a_source_that_is_no_longer_what_landed_is_a_conflict_for_ever(place: Place, how: str) -> None:
    place.write(line("a") + line("b"))
    place.collect()
    if how == "truncated":
        place.write(line("a"))
    elif how == "replaced":
        place.replace(line("x") + line("y") + line("z"))
    elif how == "rotated":
        place.path().rename(place.path(MAIN + ".1"))
        place.write(line("x"))
    else:
        place.write(line("x") + line("b") + line("c"))
    report = place.collect()
    assert (len(report.conflicts), len(report.errors), report.files) == (1, 1, 0)
    before = place.cursor()
    assert (before["state"], before["offset"]) == ("conflict", "54")
    place.write(line("a") + line("b"))
    report = place.collect()
    assert (len(report.conflicts), len(report.errors)) == (1, 0)
    assert place.cursor() == before
    assert place.rows() == [(1, 1, 0), (1, 2, 27)]


def test_a_source_that_is_gone_and_comes_back_is_not_repeated(place: Place) -> None:
    place.write(line("a"))
    place.write(line("x"), f"{PROJECT}/{SESSION}/subagents/agent-{AGENT}.jsonl")
    place.collect()
    place.path().rename(place.path("kept"))
    assert place.collect().complete
    assert place.cursor()["state"] == "source_gone"
    place.path("kept").rename(place.path())
    place.write(line("b"), append=True)
    assert place.collect().complete
    assert place.cursor()["state"] == "active"
    assert [row[1:] for row in place.rows()] == [(1, 0), (1, 0), (2, 27)]


def test_a_session_that_is_gone_is_marked(place: Place) -> None:
    place.write(line("a"))
    place.collect()
    place.path().unlink()
    place.collect()
    assert place.cursor()["state"] == "source_gone"
    place.write(line("a") + line("b"))
    place.new_collector()
    place.collect()
    assert place.rows() == [(1, 1, 0), (2, 2, 27)]


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is unreadable to root")
def test_a_source_that_cannot_be_read_is_an_error_and_the_others_land(place: Place) -> None:
    place.write(line("a")).chmod(0)
    place.write(b'{"description":"d"}', META)
    report = place.collect()
    assert (len(report.errors), report.files) == (1, 1)
    place.path().chmod(0o600)
    report = place.collect()
    assert (report.complete, report.files) == (True, 1)


def test_a_source_that_fails_while_it_is_read(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.write(line("a"))
    place.write(b'{"description":"d"}', META)
    with monkeypatch.context() as patched:
        patched.setattr("asz_core.collect.incremental.os.pread", _refuse)
        report = place.collect()
    assert (len(report.errors), report.files) == (1, 1)
    report = place.collect()
    assert (report.complete, report.files) == (True, 1)


def test_a_snapshot_lands_whenever_its_content_is_another(place: Place) -> None:
    for content in (b'{"description":"d"}\r\n\n', b'{"description":"d"}', b'{"description":"e"}', b'{"description":"d"}', b"\n"):
        place.write(content, META)
        assert place.collect().complete
    assert place.rows() == [(1, 1, 0), (2, 1, 0), (3, 1, 0)]
    assert place.cursor(f"streams/{AGENT}/meta")["kind"] == "snapshot"


def test_an_empty_snapshot_has_no_cursor_but_the_session_a_directory(place: Place) -> None:
    place.write(b"\r\n", META)
    assert place.collect().complete
    assert sorted(path.name for path in (place.root / SESSION).iterdir()) == [".lock", "session.state"]


def test_a_manifest_that_is_not_json_blocks_itself_and_loses_numbers(place: Place) -> None:
    place.write(b"{", MANIFEST)
    place.write(line("a"))
    assert [len(place.collect().errors) for _ in range(2)] == [1, 1]
    place.write(line("b"), append=True)
    place.collect()
    assert place.rows() == [(1, 1, 0), (4, 2, 27)]


@pytest.mark.parametrize(("depth", "lands"), [(9_996, True), (9_997, False), (9_999, False), (10_000, True)])
def test_a_record_that_would_nest_too_deep_lands_nothing(place: Place, depth: int, lands: bool) -> None:
    # The whole payload is one level deeper than its list; beyond 10,000 it is not JSON and carried as text.
    place.write(b'{"x":' + b"[" * depth + b"]" * depth + b"}\n")
    assert bool(place.collect().files) is lands


def test_invalid_text_lands_as_it_is_or_as_what_can_be_read(place: Place) -> None:
    place.write(b'{"type":"user","message":{"content":"a\xff\\ud800b"}}\n\xff\n{"type":"x","y":"\xff"}\n')
    place.collect()
    first, second, third = place.files()[0].read_bytes().split(b"\n")[1:4]
    assert '"text":"a\ufffd\ufffdb"'.encode() in first
    assert b'"data":"/w==","encoding":"base64"' in second
    assert b'"data":{"type":"x","y":"\xff"}' in third


def test_a_line_longer_than_the_budget_lands_with_all_that_follow(place: Place) -> None:
    place.new_collector(budget=40)
    place.write(line("a") + line("b" * 100) + line("c") + line("d"))
    assert place.collect().complete
    assert [row[:2] for row in place.rows()] == [(1, 1), (2, 2), (2, 3), (2, 4)]


def test_a_line_of_twelve_megabytes(place: Place) -> None:
    place.write(b'{"type":"user","message":{"content":"%s"}}\n' % (b"x\xc3\xa9\\u00e9" * 1_400_000) + line("b"))
    assert place.collect().complete
    assert [row[:2] for row in place.rows()] == [(1, 1), (1, 2)]


def test_more_than_one_pass_takes_is_pending(place: Place) -> None:
    place.new_collector(budget=30)
    place.write(line("a") * (MOST_FILES + 2))
    report = place.collect()
    assert (report.files, report.pending) == (MOST_FILES, 1)
    assert (place.collect().files, len(place.rows())) == (2, MOST_FILES + 2)


def test_two_sources_of_one_cursor_conflict_every_pass(place: Place) -> None:
    place.write(line("a"))
    place.write(line("b"), f"-srv-two/{SESSION}.jsonl")
    for _ in range(2):
        report = place.collect()
        assert (len(report.conflicts), report.errors) == (1, [])
    assert place.rows() == [(1, 1, 0)]
    assert b'"src":"-srv-shop/' in place.files()[0].read_bytes()


def test_a_session_that_another_collector_holds_is_left_alone(place: Place) -> None:
    place.write(line("a"))
    (place.root / SESSION).mkdir(parents=True)
    with Lock(str(place.root / SESSION)):
        report = place.collect()
    assert (report.busy, report.errors, place.files()) == ([SESSION], [], [])
    assert place.collect().files == 1


def test_the_sequence_goes_on_after_any_file_that_names_one(place: Place) -> None:
    stray = place.root / SESSION / "provider_body" / "x-000041.sd"
    stray.parent.mkdir(parents=True)
    stray.write_bytes(b"")
    place.write(line("a"))
    place.collect()
    assert place.rows() == [(42, 1, 0)]


def test_a_lost_session_state_does_no_harm(place: Place) -> None:
    place.write(line("a"))
    place.collect()
    (place.root / SESSION / "session.state").unlink()
    place.write(line("b"), append=True)
    place.collect()
    assert place.rows() == [(1, 1, 0), (2, 2, 27)]
    assert "next_seq   3\n" in (place.root / SESSION / "session.state").read_text()


def test_a_clock_that_jumps_back_changes_stamps_only(place: Place) -> None:
    place.write(line("a"))
    place.collect()
    place.passes = -1000
    place.write(line("b"), append=True)
    place.collect()
    assert place.rows() == [(1, 1, 0), (2, 2, 27)]


def test_a_session_that_moved_to_another_project_goes_on(place: Place) -> None:
    place.write(line("a"))
    place.collect()
    place.path("-srv-two").mkdir()
    place.path().rename(place.path(f"-srv-two/{SESSION}.jsonl"))
    place.write(line("b"), f"-srv-two/{SESSION}.jsonl", append=True)
    assert place.collect().complete
    assert b'"src":"-srv-two/' in place.files()[1].read_bytes()
    assert place.cursor()["source"] == MAIN


def test_modes_are_those_of_the_specification(place: Place) -> None:
    old = os.umask(0o022)
    try:
        place.write(line("a"))
        place.collect()
    finally:
        os.umask(old)
    assert place.files()[0].stat().st_mode & 0o777 == 0o444
    assert (place.root / SESSION / "session.state").stat().st_mode & 0o777 == 0o644
    assert (place.root / SESSION).stat().st_mode & 0o777 == 0o755


def _refuse(*args: object, **kwargs: object) -> Path:
    raise OSError(5, "it is refused")
