"""The chain on disk (session-flow seed, On disk; formats.md section 3): where the fold stops, growing, the head, the input digest."""

from __future__ import annotations

import hashlib
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from asz_core import ChainError, Conversation
from asz_core.sessionflow import Chain, chained_input_digest, recover_head, round_bytes
from tests.core.helpers import Maker, clock, node, said, sha, tombstone


def three(maker: Maker) -> None:
    """Three rounds of one file each."""
    for number in (1, 2, 3):
        maker.land(said(f"text {number}", time=clock(number)))
        maker.round(node(f"m{number}", "message.external", (number, 1)))


def chain_of(maker: Maker, **keys: Any) -> Chain:
    chain = Chain(maker.root().storage, maker.conversation, **keys)
    chain.refresh()
    return chain


# --- input digest


def test_the_input_digest_of_round_1_starts_from_nothing() -> None:
    assert chained_input_digest("", []) == sha(b"")
    assert chained_input_digest("", ["ab"]) == sha(b"\0ab")


def test_the_input_digest_chains_in_sorted_order_of_the_files_digests() -> None:
    one = chained_input_digest("", ["bb", "aa"])
    assert one == sha(b"\0aa\0bb") == chained_input_digest("", ["aa", "bb"])
    assert chained_input_digest(one, ["cc"]) == sha(one.encode() + b"\0cc")
    assert chained_input_digest(one, []) == sha(one.encode()) != one
    assert chained_input_digest("", ["aa", "aa"]) != chained_input_digest("", ["aa"])


def test_the_maker_chains_as_the_verification_wants_it(maker: Maker) -> None:
    three(maker)
    digest = ""
    for number, file in maker.files.items():
        digest = hashlib.sha256((digest + "\0" + sha(file.read_bytes())).encode()).hexdigest()
        assert maker.load().chain.links[number - 1].round.header.input_digest == digest  # type: ignore[union-attr]
    assert maker.load().report.state == "verified"


# --- where the fold stops


def test_the_fold_reaches_the_last_round(maker: Maker) -> None:
    three(maker)
    chain = chain_of(maker)
    assert (chain.fold.head, chain.stopped, chain.fold.digest) == (3, "", maker.digest)
    assert all(link.folded for link in chain.links) and not chain.unread


def test_the_fold_stops_before_a_missing_round(maker: Maker) -> None:
    three(maker)
    maker.rounds[2].unlink()
    chain = chain_of(maker)
    assert (chain.fold.head, chain.stopped) == (1, "round 2 is missing; the chain stops at round 1")
    assert [link.folded for link in chain.links] == [True, False]
    assert set(chain.fold.nodes) == {"m1"}


def test_the_fold_stops_before_a_round_that_does_not_read(maker: Maker) -> None:
    three(maker)
    name = maker.rounds[2].name
    maker.rounds[2].write_bytes(b"{}")
    chain = chain_of(maker)
    assert chain.stopped.startswith(f"round 2 does not read: {name}: sessionflow: line 1: undecodable frame")
    assert chain.fold.head == 1 and chain.unread and len(chain.links) == 3


def test_the_fold_stops_before_a_round_that_does_not_link(maker: Maker) -> None:
    three(maker)
    first = maker.digest
    maker.land(said("x"))
    maker.round(node("m4", "tool"), previous="deadbeef" * 8)
    chain = chain_of(maker)
    why = f'sessionflow: round 4 names previous "deadbeefdead", but the view\'s head is "{first[:12]}"'
    assert (chain.fold.head, chain.stopped) == (3, f"round 4 does not fold: {why}")


def test_a_file_whose_name_is_another_number_than_its_header_does_not_fold(maker: Maker) -> None:
    three(maker)
    maker.rounds[3].rename(maker.rounds_dir / maker.rounds[3].name.replace("r000003", "r000004"))
    assert chain_of(maker).stopped == "round 3 is missing; the chain stops at round 2"
    shutil.copyfile(maker.rounds[2], maker.rounds_dir / "r000003-000000000000.sf")
    assert chain_of(maker).stopped == "round 3 does not fold: sessionflow: the file holds round 2, the view's head is 2"


def test_of_two_rounds_with_one_number_the_first_by_name_is_folded(maker: Maker) -> None:
    three(maker)
    shutil.copyfile(maker.rounds[3], maker.rounds_dir / "r000003-000000000000.sf")
    chain = chain_of(maker)
    assert [link.folded for link in chain.links] == [True, True, True, False]
    assert (chain.fold.head, chain.stopped) == (3, "round 4 is missing; the chain stops at round 3")


@pytest.mark.parametrize("spoil", ["missing", "empty", "zero"])
def test_a_chain_without_a_usable_round_is_an_error_that_says_why(maker: Maker, spoil: str) -> None:
    three(maker)
    if spoil == "missing":
        maker.rounds[1].unlink()
        why = "round 1 is missing; the chain stops at round 0"
    elif spoil == "empty":
        maker.rounds[1].write_bytes(b"")
        why = f"round 1 does not read: {maker.rounds[1].name}: sessionflow: round has no header"
    else:
        shutil.copyfile(maker.rounds[1], maker.rounds_dir / "r000000-000000000000.sf")
        why = "round 1 is missing; the chain stops at round 0"
    conversation = maker.load()
    assert not conversation.usable
    for ask in (conversation.document, conversation.json, conversation.require_usable):
        with pytest.raises(ChainError) as caught:
            ask()
        assert str(caught.value) == f"{maker.conversation}: {why}"


def test_a_round_that_cannot_be_read_is_named(maker: Maker, monkeypatch: pytest.MonkeyPatch) -> None:
    three(maker)
    from asz_core.sessionflow import chain as module

    real = module.read_file

    def refuse(path: str) -> bytes:
        if path.endswith(maker.rounds[2].name):
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(module, "read_file", refuse)
    chain = chain_of(maker)
    assert chain.stopped == f"round 2 does not read: {maker.rounds[2].name}: it cannot be read: Permission denied"
    monkeypatch.setattr(module, "read_file", real)
    chain.refresh()
    assert (chain.fold.head, chain.stopped) == (3, "")


# --- growing


def test_refresh_folds_on_and_reads_only_what_is_new(maker: Maker) -> None:
    maker.land(said("one"))
    maker.round(node("m1", "tool", parent="p"))
    chain = chain_of(maker)
    fold = chain.fold
    assert [n.id for n in fold.children("p")] == ["m1"]
    assert chain.refresh() == []
    maker.round(node("m2", "tool", parent="p"), tombstone("node", "m1"))
    seen: list[tuple[int, int]] = []
    deltas = chain.refresh(lambda done, total: seen.append((done, total)))
    assert seen == [(1, 1)]
    assert [(d.round, d.added, d.removed) for d in deltas] == [(2, {"m2"}, {"m1"})]
    assert chain.fold is fold and chain.generation == 0
    assert [n.id for n in fold.children("p")] == ["m2"]


def test_a_round_that_did_not_read_is_read_again(maker: Maker) -> None:
    three(maker)
    data = maker.rounds[3].read_bytes()
    maker.rounds[3].write_bytes(data[: len(data) // 2])
    chain = chain_of(maker)
    assert chain.fold.head == 2 and chain.unread
    maker.rounds[3].write_bytes(data)
    assert [d.round for d in chain.refresh()] == [3]
    assert (chain.stopped, chain.unread) == ("", False)


def test_a_gap_that_closes_folds_all_that_waited(maker: Maker) -> None:
    three(maker)
    data = maker.rounds[2].read_bytes()
    maker.rounds[2].unlink()
    chain = chain_of(maker)
    assert chain.fold.head == 1
    maker.rounds[2].write_bytes(data)
    assert [d.round for d in chain.refresh()] == [2, 3]


def test_a_chain_that_was_replaced_starts_over(maker: Maker, tmp_path: Path) -> None:
    three(maker)
    conversation = maker.load()
    other = Maker(tmp_path / "other")
    other.land(said("another", time=clock(9)))
    other.round(node("x", "message.external", (1, 1)))
    shutil.rmtree(maker.path)
    os.rename(other.path, maker.path)
    update = conversation.refresh()
    assert update.restarted and conversation.chain.generation == 1
    assert set(conversation.fold.nodes) == {"x"} and conversation.fold.head == 1
    assert conversation.json() == maker.load().json()


def test_a_chain_that_is_gone_has_nothing_to_show(maker: Maker) -> None:
    three(maker)
    conversation = maker.load()
    shutil.rmtree(maker.path / "_conversations")
    conversation.refresh()
    assert not conversation.usable and conversation.fold.nodes == {}


def test_a_folded_round_that_is_gone_takes_back_what_it_brought(maker: Maker) -> None:
    three(maker)
    conversation = maker.load()
    maker.rounds[3].unlink()
    conversation.refresh()
    assert conversation.fold.head == 2 and set(conversation.fold.nodes) == {"m1", "m2"}
    assert conversation.json() == maker.load().json()


def test_reading_changes_nothing_until_it_is_taken(maker: Maker) -> None:
    three(maker)
    conversation = maker.load()
    before = conversation.json()
    maker.land(said("more", time=clock(7)))
    maker.round(node("m4", "message.external", (4, 1)))
    pending = conversation.read_new()
    assert pending and conversation.fold.head == 3 and len(conversation.data.files) == 3 and conversation.json() == before
    update = conversation.take(pending)
    assert [d.round for d in update.deltas] == [4] and [found.file.seq for found in update.landed] == [4]
    assert conversation.json() == maker.load().json() != before
    assert not conversation.read_new() and not conversation.take(conversation.read_new())


def test_the_document_is_made_anew_only_after_a_change(maker: Maker) -> None:
    three(maker)
    conversation = maker.load()
    document = conversation.document()
    assert not conversation.refresh() and conversation.document() is document
    maker.land(said("more"))
    update = conversation.refresh()
    assert update and [found.file.seq for found in update.landed] == [4] and not update.deltas
    assert conversation.document() is not document
    assert len(conversation.document().files) == 7


def test_a_round_behind_a_gap_that_reads_at_last_is_noticed(maker: Maker) -> None:
    three(maker)
    maker.rounds[2].unlink()
    data = maker.rounds[3].read_bytes()
    maker.rounds[3].write_bytes(data[:-5])
    conversation = maker.load()
    assert conversation.report.state == "mismatch" and conversation.report.verified == [True]
    assert not conversation.refresh()
    maker.rounds[3].write_bytes(data)
    assert conversation.refresh()
    assert (conversation.report.state, conversation.report.verified) == ("incomplete", [True, False])
    assert conversation.json() == maker.load().json()


def test_a_landed_file_that_cannot_be_read_is_noticed_and_read_once_it_can(maker: Maker, monkeypatch: pytest.MonkeyPatch) -> None:
    three(maker)
    from asz_core.sessiondata import session as module

    real = module.read_file
    shut = {str(maker.files[2])}

    def refuse(path: str) -> bytes:
        if path in shut:
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(module, "read_file", refuse)
    conversation = maker.load()
    assert conversation.report.problems == ["round 2: landed file seq 2 is missing"]
    assert list(conversation.data.unreadable.values()) == ["Permission denied"]
    assert not conversation.refresh()
    shut.clear()
    assert conversation.refresh()
    assert (conversation.report.state, conversation.data.unreadable) == ("verified", {})


def test_progress_tells_what_is_read(maker: Maker) -> None:
    three(maker)
    seen: list[tuple[str, int, int]] = []
    maker.root().load(maker.conversation, progress=lambda *told: seen.append(told))
    sizes = [path.stat().st_size for path in maker.files.values()]
    assert seen == [("rounds", n, 3) for n in (1, 2, 3)] + [("records", sum(sizes[:n]), sum(sizes)) for n in (1, 2, 3)]


def test_a_landed_file_that_is_gone_is_noticed(maker: Maker) -> None:
    three(maker)
    conversation = maker.load()
    assert conversation.report.state == "verified"
    maker.files[2].unlink()
    assert conversation.refresh()
    assert conversation.report.problems == ["round 2: landed file seq 2 is missing"]


def test_a_fork_of_round_1_that_comes_later_changes_no_session(maker: Maker) -> None:
    three(maker)
    conversation = maker.load()
    data, digest = round_bytes(maker.header(round=1, session="other", previous="", from_seq=1), [node("x", "tool")])
    for prefix in ("ffffffffffff", "000000000000"):
        fork = maker.rounds_dir / f"r000001-{prefix}.sf"
        fork.write_bytes(data)
        conversation.refresh()
        fresh = maker.load()
        assert conversation.data.session == fresh.data.session == fresh.fold.header.session  # type: ignore[union-attr]
        assert len(fresh.data.files) == (3 if fresh.fold.header.session == maker.session else 0)  # type: ignore[union-attr]
        assert conversation.json() == fresh.json()
        fork.unlink()
        conversation.refresh()
        assert conversation.json() == maker.load().json()
    assert digest


def test_the_session_of_the_chain_names_the_landed_files(tmp_path: Path) -> None:
    maker = Maker(tmp_path, conversation="conv", session="sess")
    maker.land(said("hello", time=clock(1)))
    maker.round(node("m", "message.external", (1, 1)))
    document = maker.document()
    assert (document["conversation"], document["sessions"]) == ("conv", ["sess"])
    assert document["files"][0]["file"].startswith("sess/") and document["loose"][0]["text"] == "hello"


def test_as_of_a_round_is_the_fold_through_it(maker: Maker) -> None:
    three(maker)
    for through in (1, 2, 3, 9):
        chain = chain_of(maker, through=through)
        assert chain.fold.head == min(through, 3) and chain.stopped == ""
        assert set(chain.fold.nodes) == {f"m{n}" for n in range(1, min(through, 3) + 1)}
    conversation = Conversation(maker.root().storage, maker.conversation, through=2)
    conversation.refresh()
    document = conversation.document()
    assert document.head.round == 2 and [r.verified for r in document.rounds] == [True, True, False]


# --- the head


def state(head: int, digest: str) -> str:
    return f"schema sf/1\nconversation c0\nhead {head}\nhead_digest {digest}\nthrough_seq 1\n"


def test_the_head_is_recovered_from_the_directory(maker: Maker) -> None:
    assert recover_head(maker.root().storage, maker.conversation) is None
    three(maker)
    old = sha(b"old")
    for text, agrees in (
        (None, False),
        ("", False),
        ("nonsense", False),
        (state(2, old), False),
        (state(9, old), False),
        (state(3, old), False),
        (state(2, maker.digest), False),
        (state(3, maker.digest), True),
    ):
        if text is not None:
            maker.state_file.write_text(text)
        head = recover_head(maker.root().storage, maker.conversation)
        assert head is not None
        assert (head.number, head.prefix, head.state_agrees) == (3, maker.digest[:12], agrees)


@pytest.mark.parametrize("text", [None, "", state(1, "00"), state(99, "00"), "head -1\n", "\0\xff"])
def test_a_stale_absent_or_wrong_state_file_changes_no_document(maker: Maker, text: str | None) -> None:
    three(maker)
    maker.state_file.write_text(state(3, maker.digest))
    before = maker.load().json()
    maker.state_file.unlink()
    if text is not None:
        maker.state_file.write_text(text)
    assert maker.load().json() == before
