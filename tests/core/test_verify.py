"""Verification (formats.md section 4, Verification): every line, their order, the state, and which rounds are verified."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import Any

import pytest

from asz_core.sessionflow import round_bytes, round_name
from tests.core.helpers import Maker, clock, header, node, said


def chain(maker: Maker, rounds: int = 4) -> None:
    """Rounds of one landed file each."""
    for number in range(1, rounds + 1):
        maker.land(said(f"text {number}", time=clock(number)))
        maker.round(node(f"m{number}", "message.external", (number, 1)))


def check(maker: Maker, state: str, problems: list[str], verified: list[bool]) -> None:
    """The report, and that the document says the same and shows what it can."""
    conversation = maker.load()
    report = conversation.report
    assert report.problems == problems
    assert (report.state, report.verified) == (state, verified)
    if conversation.usable:
        document = maker.document()
        assert (document["summary"]["state"], document["summary"]["problems"]) == (state, problems)
        assert [r["verified"] for r in document["rounds"]] == verified
        assert document["summary"]["rounds"] == len(verified)
        assert len([f for f in document["files"] if f["format"] == "sf"]) == len(verified)
        assert document["head"]["round"] == conversation.fold.head


def test_a_whole_chain_is_verified(maker: Maker) -> None:
    chain(maker)
    check(maker, "verified", [], [True] * 4)


def test_a_round_that_consumed_nothing_is_verified(maker: Maker) -> None:
    chain(maker, 1)
    maker.round(node("x", "tool"))
    maker.land(said("later"))
    maker.round(node("y", "tool"))
    check(maker, "verified", [], [True] * 3)


def test_landed_files_after_the_last_round_are_no_problem(maker: Maker) -> None:
    chain(maker)
    maker.land(said("not taken in yet"))
    check(maker, "verified", [], [True] * 4)


def test_a_missing_round(maker: Maker) -> None:
    chain(maker)
    maker.rounds[2].unlink()
    problems = [
        "round 2 is missing; the chain stops at round 1",
        "round 2 is missing before round 3",
        "round 3 starts at seq 3, the round before ended at 1",
    ]
    check(maker, "incomplete", problems, [True, False, False])


def test_rounds_after_the_fold_stopped_are_listed_and_never_verified(maker: Maker) -> None:
    chain(maker, 5)
    maker.rounds[3].unlink()
    check(
        maker,
        "incomplete",
        [
            "round 3 is missing; the chain stops at round 2",
            "round 3 is missing before round 4",
            "round 4 starts at seq 4, the round before ended at 2",
        ],
        [True, True, False, False],
    )
    assert [r["round"] for r in maker.document()["rounds"]] == [1, 2, 4, 5]


def test_a_round_that_does_not_read_is_told_twice_and_not_listed(maker: Maker) -> None:
    chain(maker)
    name = maker.rounds[2].name
    maker.rounds[2].write_bytes(b"")
    problems = [
        f"round 2 does not read: {name}: sessionflow: round has no header",
        f"round 2: {name}: sessionflow: round has no header",
        "round 2 is missing before round 3",
        "round 3 starts at seq 3, the round before ended at 1",
    ]
    check(maker, "mismatch", problems, [True, False, False])


def test_a_last_round_that_does_not_read(maker: Maker) -> None:
    chain(maker, 2)
    name = maker.rounds[2].name
    data = maker.rounds[2].read_bytes()
    maker.rounds[2].write_bytes(data.replace(b'"message.external"', b'"message.assistant"'))
    report = maker.load().report
    assert report.problems[1].startswith(f"round 2: {name}: sessionflow: digest mismatch: computed ")
    assert report.problems[0] == "round 2 does not read: " + report.problems[1].removeprefix("round 2: ")
    assert (report.state, report.verified, len(report.problems)) == ("mismatch", [True], 2)


def test_a_round_that_names_another_previous(maker: Maker) -> None:
    chain(maker, 2)
    second = maker.digest
    maker.land(said("x"))
    maker.round(node("m3", "tool"), previous="deadbeef" * 8)
    third = maker.digest
    maker.land(said("y"))
    maker.round(node("m4", "tool"))
    assert second != third
    problems = [
        f'round 3 does not fold: sessionflow: round 3 names previous "deadbeefdead", but the view\'s head is "{second[:12]}"',
        f"round 3 names previous deadbeefdead, the round before is {second[:12]}",
    ]
    check(maker, "mismatch", problems, [True, True, False, False])


def test_previous_is_checked_against_the_last_file_that_reads_even_if_it_did_not_fold(maker: Maker) -> None:
    chain(maker, 2)
    maker.land(said("x"))
    maker.round(node("m3", "tool"), policy="another")
    maker.land(said("y"))
    maker.round(node("m4", "tool"))
    problems = ['round 3 does not fold: sessionflow: round 3 was produced under policy "another", the chain under "v1+idle=10m0s"']
    check(maker, "mismatch", problems, [True, True, False, False])


def test_a_fork_is_a_missing_round_before_the_second_file(maker: Maker) -> None:
    chain(maker, 2)
    made = header(2, previous=maker.load().chain.links[0].round.digest, from_seq=2, through_seq=2)  # type: ignore[union-attr]
    data, digest = round_bytes(made, [node("other", "tool")])
    fork = maker.rounds_dir / round_name(2, digest)
    fork.write_bytes(data)
    first, second = sorted([fork.name, maker.rounds[2].name])
    report = maker.load().report
    assert report.problems[0] == "round 3 is missing; the chain stops at round 2"
    assert report.problems[-2:] == ["round 3 is missing before round 2", "round 2 starts at seq 2, the round before ended at 2"]
    assert report.verified[0] and not report.verified[2]
    assert first < second


def test_a_round_that_skips_sequences(maker: Maker) -> None:
    chain(maker, 2)
    maker.land(said("skipped"))
    maker.land(said("taken"))
    maker.round(node("x", "tool"), from_seq=4)
    check(maker, "incomplete", ["round 3 starts at seq 4, the round before ended at 2"], [True, True, False])


def test_a_round_that_takes_a_sequence_again(maker: Maker) -> None:
    chain(maker, 2)
    maker.land(said("x"))
    maker.round(node("x", "tool"), from_seq=2)
    check(maker, "incomplete", ["round 3 starts at seq 2, the round before ended at 2"], [True, True, False])


def test_the_first_round_starts_at_seq_1(maker: Maker) -> None:
    maker.land(said("a"))
    maker.land(said("b"))
    maker.round(node("x", "tool"), from_seq=2)
    check(maker, "incomplete", ["round 1 starts at seq 2, the round before ended at 0"], [False])


def test_missing_landed_files_are_told_one_by_one(maker: Maker) -> None:
    for text in "abcd":
        maker.land(said(text))
    maker.round(node("x", "tool"))
    maker.land(said("e"))
    maker.round(node("y", "tool"))
    for seq in (2, 4):
        maker.files[seq].unlink()
    check(maker, "incomplete", ["round 1: landed file seq 2 is missing", "round 1: landed file seq 4 is missing"], [False, True])


def test_a_changed_landed_file_is_an_input_digest_that_does_not_match(maker: Maker) -> None:
    chain(maker, 3)
    maker.files[2].write_bytes(maker.files[2].read_bytes().replace(b"text 2", b"text x"))
    check(maker, "mismatch", ["round 2: the input digest does not match the landed files"], [True, False, True])


def test_the_input_digest_chains_from_the_header_of_the_last_file_that_reads(maker: Maker) -> None:
    chain(maker, 1)
    maker.land(said("x"))
    wrong = maker.header() | {"input_digest": "ab" * 32}
    data, digest = round_bytes(wrong, [node("x", "tool")])
    maker.put_round(wrong, data, digest)
    maker.land(said("y"))
    maker.round(node("y", "tool"))
    check(maker, "mismatch", ["round 2: the input digest does not match the landed files"], [True, False, True])


def test_the_input_digest_is_not_looked_at_when_the_round_has_another_problem(maker: Maker) -> None:
    chain(maker, 1)
    maker.land(said("a"))
    maker.land(said("b"))
    maker.round(node("x", "tool"), input_digest="ab" * 32)
    maker.files[2].unlink()
    check(maker, "incomplete", ["round 2: landed file seq 2 is missing"], [True, False])


def test_the_files_digest_is_over_all_its_bytes(maker: Maker) -> None:
    chain(maker, 1)
    with maker.files[1].open("ab") as file:
        file.write(b"\n")
    check(maker, "mismatch", ["round 1: the input digest does not match the landed files"], [False])


def test_of_two_files_with_one_sequence_the_last_by_path_is_digested(maker: Maker) -> None:
    maker.land(said("b"), name="b-000001.sd")
    maker.round(node("x", "tool"))
    maker.land(said("a"), name="a-000001.sd", seq=1)
    check(maker, "verified", [], [True])
    maker.land(said("c"), name="c-000001.sd", seq=1)
    check(maker, "mismatch", ["round 1: the input digest does not match the landed files"], [False])


def test_lines_come_in_order_the_fold_first_then_round_by_round(maker: Maker) -> None:
    chain(maker, 6)
    maker.files[1].unlink()
    name = maker.rounds[3].name
    maker.rounds[3].write_bytes(b"")
    maker.files[6].write_bytes(maker.files[6].read_bytes() + b"\n")
    problems = [
        f"round 3 does not read: {name}: sessionflow: round has no header",
        "round 1: landed file seq 1 is missing",
        f"round 3: {name}: sessionflow: round has no header",
        "round 3 is missing before round 4",
        "round 4 starts at seq 4, the round before ended at 2",
        "round 6: the input digest does not match the landed files",
    ]
    check(maker, "mismatch", problems, [False, True, False, False, False])


def test_a_round_that_does_not_read_after_a_gap_is_a_mismatch(maker: Maker) -> None:
    chain(maker, 4)
    maker.rounds[2].unlink()
    name = maker.rounds[4].name
    maker.rounds[4].write_bytes(b"")
    problems = [
        "round 2 is missing; the chain stops at round 1",
        "round 2 is missing before round 3",
        "round 3 starts at seq 3, the round before ended at 1",
        f"round 4: {name}: sessionflow: round has no header",
    ]
    check(maker, "mismatch", problems, [True, False])


def test_no_usable_round_is_told_too(tmp_path: Path) -> None:
    maker = Maker(tmp_path, conversation="c", session="c")
    chain(maker, 2)
    maker.rounds[1].unlink()
    check(
        maker,
        "incomplete",
        [
            "round 1 is missing; the chain stops at round 0",
            "round 1 is missing before round 2",
            "round 2 starts at seq 2, the round before ended at 0",
        ],
        [False],
    )


def test_a_policy_of_any_words_is_a_mismatch(maker: Maker) -> None:
    chain(maker, 1)
    maker.round(node("x", "tool"), policy="round 1 is missing; the chain stops")
    report = maker.load().report
    assert report.state == "mismatch" and len(report.problems) == 1


@pytest.mark.parametrize("through", [10**6, 2**62, 2**63 - 1])
def test_a_header_may_claim_any_range_of_sequences(maker: Maker, through: int) -> None:
    chain(maker, 1)
    maker.land(said("x"))
    maker.land(said("y"), seq=5)
    began = time.monotonic()
    maker.round(node("x", "tool"), through_seq=5)
    maker.rounds[2].unlink()
    made: dict[str, Any] = maker.header(round=2, previous=maker.load().fold.digest, from_seq=2, through_seq=5)
    made |= {"through_seq": through}
    data, digest = round_bytes(made, [])
    (maker.rounds_dir / round_name(2, digest)).write_bytes(data)
    report = maker.load().report
    assert time.monotonic() - began < 5
    assert report.state == "incomplete" and report.verified == [True, False]
    assert all(problem.startswith("round 2: landed file") and "missing" in problem for problem in report.problems)
    assert report.problems == [
        "round 2: landed file seq 3 to seq 4 are missing",
        f"round 2: landed file seq 6 to seq {through} are missing",
    ]


def test_a_few_missing_sequences_of_a_large_range_are_told_as_ranges(maker: Maker) -> None:
    maker.land(said("a"), seq=2)
    maker.land(said("b"), seq=4)
    maker.land(said("c"), seq=1999)
    maker.round(node("x", "tool"), through_seq=2000)
    problems = [f"round 1: landed file {what} missing" for what in ("seq 1 is", "seq 3 is", "seq 5 to seq 1998 are", "seq 2000 is")]
    check(maker, "incomplete", problems, [False])


def test_a_large_range_without_a_gap_is_digested(maker: Maker) -> None:
    for _ in range(3):
        maker.land(said("x"))
    maker.round(node("x", "tool"), input_digest="ab" * 32)
    check(maker, "mismatch", ["round 1: the input digest does not match the landed files"], [False])


def test_a_root_that_lost_its_session_directory(maker: Maker) -> None:
    chain(maker, 2)
    shutil.rmtree(maker.path / maker.session)
    check(maker, "incomplete", ["round 1: landed file seq 1 is missing", "round 2: landed file seq 2 is missing"], [False, False])
    assert [f["format"] for f in maker.document()["files"]] == ["sf", "sf"]


def test_nothing_of_a_file_is_read_to_verify(maker: Maker, monkeypatch: pytest.MonkeyPatch) -> None:
    chain(maker, 3)
    conversation = maker.load()

    def fail(*_: Any, **__: Any) -> None:
        raise AssertionError("a file was opened")

    monkeypatch.setattr("builtins.open", fail)
    monkeypatch.setattr(Path, "open", fail)
    report = conversation.report
    monkeypatch.undo()
    assert report.state == "verified"
