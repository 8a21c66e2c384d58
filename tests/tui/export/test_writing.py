"""A file is there whole or not at all, is its owner's only, and takes no other's place by surprise."""

from __future__ import annotations

import errno
import os
import stat

import pytest

from asz_tui.export import AlreadyThere, Cancelled, CannotWrite, write, writing


def left_behind(folder) -> list[str]:
    return sorted(os.listdir(folder))


def test_it_writes(tmp_path) -> None:
    path = tmp_path / "a.md"
    umask = os.umask(0)
    try:
        assert write(path, iter([b"one\n", b"two\n"])) == 8
    finally:
        os.umask(umask)
    assert path.read_bytes() == b"one\ntwo\n" and stat.S_IMODE(path.stat().st_mode) == 0o600
    assert left_behind(tmp_path) == ["a.md"]


def test_it_never_overwrites_silently(tmp_path) -> None:
    path = tmp_path / "a.md"
    path.write_bytes(b"old")
    path.chmod(0o644)
    made = []
    with pytest.raises(AlreadyThere, match=r"a\.md is there already"):
        write(path, (made.append(1) or b"new" for _ in range(1)))
    assert path.read_bytes() == b"old" and not made
    assert issubclass(AlreadyThere, FileExistsError)
    write(path, [b"new"], overwrite=True)
    assert path.read_bytes() == b"new" and stat.S_IMODE(path.stat().st_mode) == 0o600
    assert left_behind(tmp_path) == ["a.md"]


def test_not_even_when_it_came_meanwhile(tmp_path) -> None:
    path = tmp_path / "a.md"

    def pieces():
        yield b"new"
        path.write_bytes(b"other")

    with pytest.raises(AlreadyThere):
        write(path, pieces())
    assert path.read_bytes() == b"other" and left_behind(tmp_path) == ["a.md"]


def test_without_hard_links(tmp_path, monkeypatch) -> None:
    def refuse(*args: object, **keys: object) -> None:
        raise OSError(errno.EPERM, "no")

    monkeypatch.setattr(os, "link", refuse)
    write(tmp_path / "a", [b"x"])
    with pytest.raises(AlreadyThere):
        write(tmp_path / "a", [b"y"])
    assert (tmp_path / "a").read_bytes() == b"x" and left_behind(tmp_path) == ["a"]


@pytest.mark.parametrize("overwrite", (False, True))
def test_links_are_not_followed(tmp_path, overwrite: bool) -> None:
    target = tmp_path / "target"
    target.write_bytes(b"old")
    (tmp_path / "link").symlink_to(target)
    with pytest.raises(CannotWrite, match="symbolic link"):
        write(tmp_path / "link", [b"new"], overwrite=overwrite)
    assert target.read_bytes() == b"old"


def test_what_cannot_be(tmp_path) -> None:
    for path, words in (
        (tmp_path / "no" / "a", "no such folder"),
        (tmp_path, "is a folder"),
        (tmp_path / ("x" * 300), "name is too long"),
        (tmp_path / "a\0b", "no file can have that name"),
        ("/", "names no file"),
    ):
        with pytest.raises(CannotWrite, match=words):
            write(path, [b"x"], overwrite=True)
    with pytest.raises(CannotWrite, match="inside the storage root"):
        write(tmp_path / "a", [b"x"], keep_out=tmp_path)
    assert left_behind(tmp_path) == []


def test_a_full_disk(tmp_path, monkeypatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(writing.os, "fsync", full)
    with pytest.raises(CannotWrite, match="the disk is full"):
        write(tmp_path / "a", [b"x"])
    assert left_behind(tmp_path) == []


def test_cancelled_leaves_nothing(tmp_path) -> None:
    def pieces():
        yield b"x" * 1_000_000
        raise Cancelled

    with pytest.raises(Cancelled):
        write(tmp_path / "a", pieces())
    assert left_behind(tmp_path) == []
