"""Skimming landed files and checking them later: nothing is said to be verified before, and in the end all is as if read at once."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from asz_core import Root
from asz_core.conversation import Conversation
from asz_core.sessiondata import Landed, parse_landed, session
from asz_core.sessiondata.reader import check_landed, skim_landed
from asz_core.storage import LandedFile, Storage, read_file
from asz_core.verify import VERIFYING

CASES = sorted(path for path in (Path(__file__).resolve().parents[1] / "data" / "conformance").iterdir() if path.is_dir())


def landed_of(root: Path) -> list[LandedFile]:
    storage = Storage(root)
    return [file for name in storage.sessions() for file in storage.landed(name)]


def without_records(landed: Landed) -> Landed:
    landed.records = []
    return landed


def conversations_of(root: Path) -> list[Conversation]:
    found = Root(root)
    return [Conversation(found.storage, name) for name in found.conversations()]


def finish(conversation: Conversation) -> int:
    """Read on until everything is checked; returns how many readings brought news."""
    news = 0
    for _ in range(1000):
        if not conversation.verifying:
            return news
        assert conversation.report.state == VERIFYING
        news += conversation.take(conversation.read_new()).news
    raise AssertionError("it is never checked")


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.name)
def test_a_check_says_what_reading_whole_says(case: Path) -> None:
    for file in landed_of(case / "root"):
        data = read_file(file.path)
        assert check_landed(file, data) == without_records(parse_landed(file, data))


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.name)
def test_what_was_skimmed_and_checked_is_what_was_read_at_once(case: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "_CHECKED_AT_ONCE", 1)  # one file a reading
    for one, other in zip(conversations_of(case / "root"), conversations_of(case / "root"), strict=True):
        one.refresh()
        other.refresh(skim=True)
        pending = any(not landed.checked for landed in other.data.files)
        assert pending == other.verifying == (other.report.state == VERIFYING)
        # A round that consumed nothing, or only what had to be read whole, has nothing to wait for.
        readable = [link.file.number for link in other.chain.links if link.round is not None]
        verified = zip(readable, other.report.verified, strict=True)
        assert not any(is_verified and number in other.report.pending for number, is_verified in verified)
        finish(other)
        assert other.report == one.report
        assert other.data.files == one.data.files and other.data.unreadable == one.data.unreadable
        if one.usable:
            assert other.json() == one.json()


def test_a_usual_file_brings_no_news_when_it_is_checked() -> None:
    (conversation,) = conversations_of(next(case for case in CASES if case.name == "pilot") / "root")
    conversation.refresh(skim=True)
    assert finish(conversation) == 0
    assert conversation.report.state == "verified"


FILE = LandedFile("p", "s0/streams/main/transcript-x-000001.sd", "transcript-x-000001.sd", 1, "main", None)
HEAD = b'{"h":1,"schema":"sd/1","seq":1,"kind":"transcript","session":"s0","src":"x","dialect":"d"}\n'


@pytest.mark.parametrize(
    "body",
    [
        b'{"id":"a","time":"2026-01-01T00:00:00.000Z"}\n{"id":1}\n{"id":"c"}\n',
        b'{"id":"a"}\n\n{"id":"c"}\n',
        b'{"id":"a"}{"id":"b"}\n{"id":"c"}\n',
        b'{"id":"a"}\n{"id":"b"}',
        b'{"id":"a"}\nnothing\n',
        b'{"id":"a","time":7}\n',
        b"",
    ],
    ids=["wrong type", "blank line", "two on a line", "no end", "no JSON", "no time", "empty"],
)
def test_where_a_skim_is_wrong_the_check_says_so(body: bytes) -> None:
    data = HEAD + body
    skimmed, checked = skim_landed(FILE, data), check_landed(FILE, data)
    assert checked == without_records(parse_landed(FILE, data))
    right = skimmed.checked or skimmed.agrees_with(checked)
    assert right == (body not in (b'{"id":"a","time":"2026-01-01T00:00:00.000Z"}\n{"id":1}\n{"id":"c"}\n',
                                  b'{"id":"a"}\n\n{"id":"c"}\n', b'{"id":"a"}{"id":"b"}\n{"id":"c"}\n'))  # fmt: skip


def copied(tmp_path: Path, case: str) -> tuple[Path, Conversation]:
    root = tmp_path / "root"
    shutil.copytree(next(found for found in CASES if found.name == case) / "root", root)
    (conversation,) = conversations_of(root)
    conversation.refresh(skim=True)
    return root, conversation


def test_a_skimmed_file_that_goes_before_its_check_is_missing(tmp_path: Path) -> None:
    _, conversation = copied(tmp_path, "pilot")
    gone = Path(conversation.data.files[0].file.path)
    gone.unlink()
    finish(conversation)
    assert conversation.report.state == "incomplete"
    assert all(landed.file.path != str(gone) for landed in conversation.data.files)


def test_a_skimmed_file_that_cannot_be_read_at_its_check_is_unreadable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, conversation = copied(tmp_path, "pilot")
    bad = conversation.data.files[0].file

    def refuse(path: str) -> bytes:
        if path == bad.path:
            raise PermissionError(13, "Permission denied")
        return read_file(path)

    monkeypatch.setattr(session, "read_file", refuse)
    finish(conversation)
    assert conversation.report.state == "incomplete" and conversation.data.unreadable == {bad.wire: "Permission denied"}
    monkeypatch.undo()
    conversation.refresh()
    assert conversation.report.state == "verified"


def test_a_round_that_lands_while_it_is_verified_is_taken_in(tmp_path: Path) -> None:
    root = tmp_path / "root"
    shutil.copytree(next(found for found in CASES if found.name == "pilot") / "root", root)
    rounds = sorted(root.glob("_conversations/*/rounds/*.sf"))
    held = rounds[-1].read_bytes()
    rounds[-1].unlink()
    (conversation,) = conversations_of(root)
    conversation.refresh(skim=True)
    head = conversation.fold.head
    rounds[-1].write_bytes(held)
    assert conversation.take(conversation.read_new()).deltas and conversation.fold.head == head + 1
    finish(conversation)
    assert conversation.report.state == "verified"


def test_the_same_file_checked_twice_is_no_news(tmp_path: Path) -> None:
    _, conversation = copied(tmp_path, "pilot")
    first, second = conversation.read_new(), conversation.read_new()
    assert conversation.take(first).checked and not conversation.take(second).news


def test_a_document_never_says_that_it_is_being_verified(tmp_path: Path) -> None:
    _, conversation = copied(tmp_path, "pilot")
    assert conversation.verifying
    assert VERIFYING.encode() not in conversation.json() and not conversation.verifying
    assert conversation.report.state == "verified"
