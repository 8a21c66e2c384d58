"""The layout of a storage root (formats.md section 1): what is listed, in which order, and what is passed over."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from asz_core import Ambiguous, NotFound, Root, RootError
from asz_core.storage import Storage, is_plain_name, landed_seq, read_file, read_start, round_number
from tests.core.helpers import STAMP, Maker, clock, node, said


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("r000001-0123456789ab.sf", 1),
        ("r123456-0123456789ab.sf", 123456),
        ("r1234567-0123456789ab.sf", 1234567),
        ("r000000-0123456789ab.sf", 0),
        ("r9223372036854775807-0123456789ab.sf", 2**63 - 1),
    ],
)
def test_a_round_is_named_r_six_or_more_digits_twelve_hex(name: str, number: int) -> None:
    assert round_number(name) == number


@pytest.mark.parametrize(
    "name",
    [
        "r00001-0123456789ab.sf",
        "r6-0123456789ab.sf",
        "000001-0123456789ab.sf",
        "R000001-0123456789ab.sf",
        "r000001-0123456789a.sf",
        "r000001-0123456789abc.sf",
        "r000001-0123456789AB.sf",
        "r000001-0123456789ag.sf",
        "r000001_0123456789ab.sf",
        "r000001-0123456789ab.SF",
        "r000001-0123456789ab.sf.tmp",
        ".r000001-0123456789ab.sf",
        "r000001-0123456789ab.sf~",
        "r000001-0123456789ab.sf\n",
        "r00000١-0123456789ab.sf",
        "r9223372036854775808-0123456789ab.sf",
        "notes.txt",
        "",
    ],
)
def test_any_other_name_is_no_round(name: str) -> None:
    assert round_number(name) is None


@pytest.mark.parametrize(
    ("name", "seq"),
    [
        (f"transcript-{STAMP}-000007.sd", 7),
        ("anything at all-1234567.sd", 1234567),
        ("-000001.sd", 1),
        ("a\nb-000002.sd", 2),
        (f"transcript-{STAMP}-000003-000009.sd", 9),
    ],
)
def test_a_landed_file_has_its_sequence_after_the_last_hyphen(name: str, seq: int) -> None:
    assert landed_seq(name) == seq


@pytest.mark.parametrize(
    "name",
    [
        "transcript-1.sd",
        "transcript-00001.sd",
        "000001.sd",
        "a-000001.sd.tmp",
        "a-000001.SD",
        "a-00000x.sd",
        "a-000001",
        "a-000001.sd\n",
        "a-00000١.sd",
        "a-9223372036854775808.sd",
    ],
)
def test_any_other_name_is_no_landed_file(name: str) -> None:
    assert landed_seq(name) is None


def put(path: Path, data: bytes = b"x") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def test_landed_files_are_found_in_streams_runs_and_provider_body_only(tmp_path: Path) -> None:
    session = tmp_path / "s0"
    put(session / "streams" / "main" / "transcript-x-000001.sd")
    put(session / "streams" / "kid" / "meta-x-000002.sd")
    put(session / "runs" / "wf" / "journal-x-000003.sd")
    put(session / "provider_body" / "provider_body-x-000004.sd")
    for stray in ("a-000010.sd", "streams/a-000011.sd", "runs/a-000012.sd", "streams/main/deep/a-000013.sd"):
        put(session / stray)
    for other in ("index", "metrics", "blobs", "provider_body/deep"):
        put(session / other / "a-000014.sd")
    found = Storage(tmp_path).landed("s0")
    assert [(f.seq, f.stream, f.run, f.wire) for f in found] == [
        (1, "main", None, "s0/streams/main/transcript-x-000001.sd"),
        (2, "kid", None, "s0/streams/kid/meta-x-000002.sd"),
        (3, None, "wf", "s0/runs/wf/journal-x-000003.sd"),
        (4, None, None, "s0/provider_body/provider_body-x-000004.sd"),
    ]
    assert all(Path(f.path).read_bytes() == b"x" and f.name == Path(f.path).name for f in found)


def test_landed_files_sort_by_sequence_never_by_stamp_then_by_path(tmp_path: Path) -> None:
    main = tmp_path / "s0" / "streams" / "main"
    for name in ("a-20260105T000000.000000000Z-000002.sd", "z-20260101T000000.000000000Z-000003.sd", "b-9-1000001.sd"):
        put(main / name)
    put(main / "y-000002.sd")
    put(tmp_path / "s0" / "streams" / "aa" / "y-000002.sd")
    found = [f.wire.removeprefix("s0/streams/") for f in Storage(tmp_path).landed("s0")]
    assert found == [
        "aa/y-000002.sd",
        "main/a-20260105T000000.000000000Z-000002.sd",
        "main/y-000002.sd",
        "main/z-20260101T000000.000000000Z-000003.sd",
        "main/b-9-1000001.sd",
    ]


def test_only_regular_files_are_landed_files_and_rounds(tmp_path: Path) -> None:
    main = tmp_path / "s0" / "streams" / "main"
    rounds = tmp_path / "_conversations" / "c0" / "rounds"
    real = put(tmp_path / "elsewhere")
    for folder, good, name in (
        (main, "a-000001.sd", "a-00000{}.sd"),
        (rounds, "r000001-0123456789ab.sf", "r00000{}-0123456789ab.sf"),
    ):
        put(folder / good)
        (folder / name.format(2)).mkdir()
        (folder / name.format(3)).symlink_to(real)
        (folder / name.format(4)).symlink_to(folder / "nothing")
        os.mkfifo(folder / name.format(5))
    storage = Storage(tmp_path)
    assert [f.seq for f in storage.landed("s0")] == [1]
    assert [f.number for f in storage.rounds("c0")] == [1]


def test_a_link_to_a_stream_or_conversation_directory_is_followed(tmp_path: Path) -> None:
    put(tmp_path / "far" / "a-000001.sd")
    (tmp_path / "s0" / "streams").mkdir(parents=True)
    (tmp_path / "s0" / "streams" / "main").symlink_to(tmp_path / "far")
    put(tmp_path / "away" / "rounds" / "r000001-0123456789ab.sf")
    (tmp_path / "_conversations").mkdir()
    (tmp_path / "_conversations" / "c0").symlink_to(tmp_path / "away")
    storage = Storage(tmp_path)
    assert [f.wire for f in storage.landed("s0")] == ["s0/streams/main/a-000001.sd"]
    assert storage.conversation_ids() == ["c0"]


def test_rounds_sort_by_number_then_by_name(tmp_path: Path) -> None:
    rounds = tmp_path / "_conversations" / "c0" / "rounds"
    names = [
        "r000001-ffffffffffff.sf",
        "r000002-aaaaaaaaaaaa.sf",
        "r000002-bbbbbbbbbbbb.sf",
        "r000010-000000000000.sf",
        "r999999-eeeeeeeeeeee.sf",
        "r1000000-aaaaaaaaaaaa.sf",
    ]
    for name in reversed(names):
        put(rounds / name)
    found = Storage(tmp_path).rounds("c0")
    assert [f.name for f in found] == names
    assert [(f.number, f.prefix[0]) for f in found] == [(1, "f"), (2, "a"), (2, "b"), (10, "0"), (999999, "e"), (1000000, "a")]
    assert all(f.name == Path(f.path).name for f in found)


def test_a_conversation_exists_once_it_has_a_round(tmp_path: Path) -> None:
    conversations = tmp_path / "_conversations"
    put(conversations / "none" / "conversation.state")
    (conversations / "empty" / "rounds").mkdir(parents=True)
    put(conversations / "temporary" / "rounds" / ".r000001-0123456789ab.sf.tmp")
    (conversations / "folder" / "rounds" / "r000001-0123456789ab.sf").mkdir(parents=True)
    put(conversations / "file", b"")
    put(conversations / "b" / "rounds" / "r000001-0123456789ab.sf")
    put(conversations / "a" / "rounds" / "r000002-0123456789ab.sf")
    assert Storage(tmp_path).conversation_ids() == ["a", "b"]


def test_a_root_without_conversations_is_empty_and_no_error(tmp_path: Path) -> None:
    storage = Storage(tmp_path)
    assert storage.conversation_ids() == []
    assert storage.rounds("c0") == []
    assert storage.landed("s0") == []
    assert storage.state("c0") == {}
    assert storage.changed_ns("c0") == 0


def test_sessions_are_the_directories_that_are_nobody_elses(tmp_path: Path) -> None:
    for name in ("s1", "s0", "_conversations", "_provider", "_metrics", "_removed", ".git"):
        (tmp_path / name).mkdir()
    put(tmp_path / "push.state")
    assert Storage(tmp_path).sessions() == ["s0", "s1"]


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "../s0", "a\\b", "a\0b", "/etc"])
def test_an_id_never_leads_out_of_its_folder(tmp_path: Path, name: str) -> None:
    put(tmp_path / "s0" / "streams" / "main" / "a-000001.sd")
    put(tmp_path / "_conversations" / "x" / "rounds" / "r000001-0123456789ab.sf")
    storage = Storage(tmp_path / "_conversations" / "x") if name == ".." else Storage(tmp_path)
    assert not is_plain_name(name)
    assert storage.landed(name) == []
    assert storage.rounds(name) == []
    assert storage.state(name) == {}


def test_directories_that_start_with_an_underscore_hold_no_session(tmp_path: Path) -> None:
    put(tmp_path / "_removed" / "streams" / "main" / "a-000001.sd")
    assert Storage(tmp_path).landed("_removed") == []


def test_a_root_must_be_a_directory_that_is_there(tmp_path: Path) -> None:
    with pytest.raises(RootError, match="does not exist"):
        Storage(tmp_path / "nothing")
    put(tmp_path / "file")
    with pytest.raises(RootError, match="is not a directory"):
        Storage(tmp_path / "file")


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser reads everything")
def test_a_root_must_be_readable(tmp_path: Path) -> None:
    (tmp_path / "shut").mkdir(mode=0)
    with pytest.raises(RootError, match="cannot be read"):
        Storage(tmp_path / "shut")


def test_state_is_read_as_key_and_value_lines(tmp_path: Path) -> None:
    put(tmp_path / "_conversations" / "c0" / "conversation.state", b"schema sf/1\nhead 3\npolicy v1 and more\nodd\n\nx \xff\n")
    assert Storage(tmp_path).state("c0") == {"schema": "sf/1", "head": "3", "policy": "v1 and more", "x": "\ufffd"}


@pytest.mark.parametrize("make", ["fifo", "directory", "link"])
def test_a_state_that_is_no_file_is_no_state_and_never_waits(tmp_path: Path, make: str) -> None:
    path = tmp_path / "_conversations" / "c0" / "conversation.state"
    path.parent.mkdir(parents=True)
    if make == "fifo":
        os.mkfifo(path)
    elif make == "directory":
        path.mkdir()
    else:
        path.symlink_to(tmp_path / "nothing")
    assert Storage(tmp_path).state("c0") == {}


def test_reading_a_pipe_is_refused_and_never_waits(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for read in (read_file, lambda path: read_start(path, 100)):
        with pytest.raises(OSError, match="not a regular file"):
            read(str(tmp_path / "pipe"))


def test_the_start_of_a_file_is_its_first_line_within_the_limit(tmp_path: Path) -> None:
    long = put(tmp_path / "long", b"a" * 10_000)
    two = put(tmp_path / "two", b"first\nsecond\n")
    assert read_start(str(two), 1 << 20) == b"first"
    assert read_start(str(long), 1 << 20) == b"a" * 10_000
    assert len(read_start(str(long), 100)) < 10_000 and len(read_start(str(long), 4096)) == 4096
    assert read_start(str(put(tmp_path / "empty", b"")), 100) == b""


def test_nothing_is_written_into_a_root_that_is_read(maker: Maker) -> None:
    maker.land(said("hello", time=clock(1)))
    maker.round(node("talk/1", "talk", (1, 1)), node("m1", "message.external", (1, 1), parent="talk/1"))

    def seen() -> list[tuple[str, int, int]]:
        return sorted((str(p), p.stat().st_mtime_ns, p.stat().st_size) for p in maker.path.rglob("*"))

    before = seen()
    for path in [*maker.path.rglob("*"), maker.path]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        conversation = maker.load()
        assert conversation.report.state == "verified"
        assert conversation.json() and b"".join(conversation.yaml())
        assert maker.root().rows(full=True)[0].talks == 1
    finally:
        for path in [maker.path, *maker.path.rglob("*")]:
            path.chmod(path.stat().st_mode | stat.S_IWUSR)
    assert seen() == before


def test_an_id_resolves_from_the_beginning_of_exactly_one(tmp_path: Path) -> None:
    for name in ("abc", "abcd", "xyz"):
        Maker(tmp_path, conversation=name, session=name).round(node("n", "tool"))
    root = Root(tmp_path)
    assert root.conversations() == ["abc", "abcd", "xyz"]
    assert root.resolve("x") == "xyz"
    assert root.resolve("abc") == "abc"
    with pytest.raises(Ambiguous, match="'ab' is the beginning of 2 conversations: abc, abcd"):
        root.resolve("ab")
    for name in ("abx", "aby"):
        Maker(tmp_path, conversation=name, session=name).round()
    with pytest.raises(Ambiguous) as caught:
        root.resolve("ab")
    assert str(caught.value) == "'ab' is the beginning of 4 conversations: abc, abcd, abx, …"
    (tmp_path / "_conversations" / "aby" / "rounds").rename(tmp_path / "gone")
    with pytest.raises(Ambiguous, match=r"3 conversations: abc, abcd, abx$"):
        root.resolve("ab")
    with pytest.raises(NotFound, match="no conversation 'q'"):
        root.resolve("q")
    with pytest.raises(NotFound):
        root.resolve("")
    assert root.load("xy").id == "xyz"
