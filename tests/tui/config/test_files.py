"""Files of ours: private, whole or not at all, never through a link."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from asz_tui import files
from asz_tui.files import Refused, cache_dir, config_dir, is_inside, read_bounded, set_aside, state_dir, write_private


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_written_file_and_its_folders_are_private(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        write_private(tmp_path / "a" / "b" / "file", "text é \udc80")
    finally:
        os.umask(old)
    assert (tmp_path / "a" / "b" / "file").read_bytes() == "text é ?".encode()
    assert [mode(tmp_path / name) for name in ("a", "a/b", "a/b/file")] == [0o700, 0o700, 0o600]


def test_the_umask_takes_nothing_away_and_an_open_file_becomes_private(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    path.chmod(0o644)
    old = os.umask(0o777)
    try:
        write_private(path, b"new")
    finally:
        os.umask(old)
    assert (path.read_text(), mode(path)) == ("new", 0o600)
    assert set(os.listdir(tmp_path)) == {"file", "home"}


def test_folders_that_are_there_keep_their_mode(tmp_path: Path) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(0o755)
    write_private(folder / "export.json", b"{}")
    assert mode(folder) == 0o755


@pytest.mark.parametrize("step", ["fsync", "rename"])
def test_a_failure_before_the_rename_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    folder = tmp_path / "folder"
    write_private(folder / "file", b"old")

    def fail(*arguments: object, **named: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(files.os, step, fail)
    with pytest.raises(OSError, match="No space"):
        write_private(folder / "file", b"new")
    assert (folder / "file").read_bytes() == b"old"
    assert os.listdir(folder) == ["file"], "the temporary file is gone"


def test_a_process_that_dies_in_the_middle_leaves_the_old_file(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    write_private(folder / "file", b"old")
    code = (
        "import os, sys; from asz_tui import files\n"
        "files.os.rename = lambda *a, **k: os.kill(os.getpid(), 9)\n"
        "files.write_private(sys.argv[1], b'new')"
    )
    assert subprocess.run([sys.executable, "-c", code, str(folder / "file")], check=False, timeout=20).returncode == -9
    assert (folder / "file").read_bytes() == b"old"
    (left,) = [name for name in os.listdir(folder) if name != "file"]
    assert mode(folder / left) == 0o600
    write_private(folder / "file", b"new", base=folder)
    assert left in os.listdir(folder), "a write may be under way"
    hours_ago = time.time() - 7200
    os.utime(folder / left, (hours_ago, hours_ago))
    write_private(folder / "file", b"newer", base=folder)
    assert os.listdir(folder) == ["file"], "what a crash left is swept away"


@pytest.mark.parametrize("replace", [True, False])
def test_a_link_is_never_written_through(tmp_path: Path, replace: bool) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("precious")
    link.symlink_to(target)
    with pytest.raises(Refused, match="symbolic link"):
        write_private(link, b"x", replace=replace)
    assert target.read_text() == "precious" and link.is_symlink()
    link.unlink()
    link.symlink_to(tmp_path / "nowhere")
    with pytest.raises(Refused, match="symbolic link"):
        write_private(link, b"x", replace=replace)
    assert not (tmp_path / "nowhere").exists()


def test_no_link_is_followed_below_the_base(tmp_path: Path) -> None:
    base, outside = tmp_path / "base", tmp_path / "outside"
    base.mkdir()
    outside.mkdir()
    (base / "sub").symlink_to(outside)
    with pytest.raises(Refused, match="the folder sub is a symbolic link"):
        write_private(base / "sub" / "file", b"x", base=base)
    for path in (base / ".." / "outside" / "file", outside / "file"):
        with pytest.raises(Refused, match="is not inside"):
            write_private(path, b"x", base=base)
    assert os.listdir(outside) == []
    (tmp_path / "linked").symlink_to(base)
    write_private(tmp_path / "linked" / "in" / "file", b"x", base=tmp_path / "linked")
    assert (base / "in" / "file").read_bytes() == b"x", "the base itself may be a link of the person's own"


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    for name in ("folder", "pipe"):
        with pytest.raises(Refused, match="no regular file"):
            write_private(tmp_path / name, b"x")
        with pytest.raises(OSError, match=r"no regular file|directory"):
            read_bounded(tmp_path / name)
    with pytest.raises(Refused):
        write_private(tmp_path / "..", b"x")


@pytest.mark.parametrize("links", [True, False])
def test_without_replace_nothing_is_overwritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: bool) -> None:
    if not links:

        def no_links(*arguments: object, **named: object) -> None:
            raise OSError(errno.EPERM, "Operation not permitted")

        monkeypatch.setattr(files.os, "link", no_links)
    folder = tmp_path / "folder"
    write_private(folder / "file", b"first", replace=False)
    with pytest.raises(Refused, match="already"):
        write_private(folder / "file", b"second", replace=False)
    # Somebody puts a file there between the look and the writing.
    monkeypatch.setattr(files, "_look_at_target", lambda *arguments: None)
    with pytest.raises(Refused, match="already"):
        write_private(folder / "file", b"second", replace=False)
    assert (folder / "file").read_bytes() == b"first" and os.listdir(folder) == ["file"]


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(OSError):
        write_private(tmp_path / "file" / "sub" / "name", b"x")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    with pytest.raises(OSError):
        write_private(tmp_path / "dangling" / "name", b"x")


def test_reading_is_bounded_and_follows_only_where_that_is_wanted(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"12345")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    assert read_bounded(tmp_path / "file", limit=5) == read_bounded(tmp_path / "link", follow=True) == b"12345"
    with pytest.raises(Refused, match="larger than 4 bytes"):
        read_bounded(tmp_path / "file", limit=4)
    with pytest.raises(Refused, match="symbolic link"):
        read_bounded(tmp_path / "link")
    with pytest.raises(FileNotFoundError):
        read_bounded(tmp_path / "missing")


def test_setting_aside_counts_up(tmp_path: Path) -> None:
    for number in (1, 2):
        (tmp_path / "file").write_text(str(number))
        assert set_aside(tmp_path / "file") == tmp_path / f"file.bad-{number}"
    assert (tmp_path / "file.bad-1").read_text() == "1" and not (tmp_path / "file").exists()
    with pytest.raises(OSError):
        set_aside(tmp_path / "file")


def test_the_folders(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = (config_dir(), state_dir(), cache_dir())
    assert found == tuple(home / name / "asz-tui" for name in ("config", "state", "cache"))
    assert os.listdir(home) == [], "asking makes nothing"
    for value in ("relative/path", ""):
        for name in ("CONFIG", "STATE", "CACHE"):
            monkeypatch.setenv(f"XDG_{name}_HOME", value)
        assert all(is_inside(folder, home) for folder in (config_dir(), state_dir(), cache_dir()))


def test_without_a_home_no_folder_named_tilde_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", "relative")
    monkeypatch.setattr(files.os.path, "expanduser", lambda path: path)
    with pytest.raises(Refused, match="no home directory"):
        config_dir()


def test_inside(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "link").symlink_to(root)
    assert is_inside(root, root) and is_inside(root / "new" / "file", root) and is_inside(tmp_path / "link" / "file", root)
    assert not is_inside(tmp_path / "rooted", root) and not is_inside(tmp_path, root)
