"""What is remembered: per conversation, bounded, and never in the way."""

from __future__ import annotations

import errno
import json
import os
import stat
from pathlib import Path

import pytest

from asz_tui import files
from asz_tui.state import MOST_ROOTS, MOST_VISITS, StateStore, Visit

VISIT = Visit(round=3, seq=12, row=7, at_ms=1_767_276_309_000)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "state"


def test_a_visit_is_remembered(folder: Path, tmp_path: Path) -> None:
    store = StateStore(folder)
    assert (store.problem, store.get(tmp_path, "one"), store.save()) == ("", None, "")
    assert not folder.exists(), "nothing to write makes no folder"
    store.put(tmp_path, "one", VISIT)
    assert store.get(tmp_path, "one") == VISIT and VISIT.position == (12, 7)
    assert store.save() == ""
    again = StateStore(folder)
    assert again.get(tmp_path, "one") == VISIT and again.get(tmp_path, "two") is None and again.get(folder, "one") is None
    path = folder / "state.json"
    assert (stat.S_IMODE(path.stat().st_mode), stat.S_IMODE(folder.stat().st_mode)) == (0o600, 0o700)
    assert "one" not in path.read_text(), "no ids of conversations"


def test_a_root_is_the_same_however_it_is_reached(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "root")
    store = StateStore(folder)
    store.put(tmp_path / "root", "one", VISIT)
    assert store.get(tmp_path / "link", "one") == store.get(f"{tmp_path}/root/", "one") == VISIT


def test_hostile_ids_and_paths(folder: Path, tmp_path: Path) -> None:
    store = StateStore(folder)
    names = ["\udc80", "\x1b[2J", "x" * 1_000_000, "", "../../x"]
    for number, name in enumerate(names):
        store.put(tmp_path, name, Visit(number, 0, 0, 0))
    store.put_root(tmp_path / "\udcff")
    assert store.save() == ""
    again = StateStore(folder)
    assert [again.get(tmp_path, name).round for name in names] == [0, 1, 2, 3, 4]  # type: ignore[union-attr]
    assert again.roots() == [str(tmp_path / "\udcff")] and os.listdir(folder) == ["state.json"]


def test_sizes_and_roots(folder: Path) -> None:
    store = StateStore(folder)
    assert store.size("detail") is None
    store.put_size("detail", 55)
    for number in range(15):
        store.put_root(f"/roots/{number}")
    store.put_root("/roots/9")
    assert store.save() == "" and store.save() == ""
    again = StateStore(folder)
    assert (
        again.size("detail") == 55
        and len(again.roots()) == MOST_ROOTS
        and again.roots()[:3] == ["/roots/9", "/roots/14", "/roots/13"]
    )
    again.put_root("/roots/12")
    assert again.roots()[:2] == ["/roots/12", "/roots/9"]


def test_the_oldest_visits_are_forgotten(folder: Path, tmp_path: Path) -> None:
    store = StateStore(folder)
    for number in range(MOST_VISITS + 10):
        store.put(tmp_path, str(number), Visit(1, 1, 1, number + 1))
    assert store.save() == ""
    again = StateStore(folder)
    assert again.get(tmp_path, "9") is None and again.get(tmp_path, "10") is not None
    assert len(json.loads((folder / "state.json").read_text())["visits"]) == MOST_VISITS
    assert (folder / "state.json").stat().st_size < 300_000


def test_two_explorers_keep_each_other_s_visits(folder: Path, tmp_path: Path) -> None:
    one, two = StateStore(folder), StateStore(folder)
    one.put(tmp_path, "one", VISIT)
    two.put(tmp_path, "two", VISIT)
    two.put_size("detail", 30)
    assert (one.save(), two.save()) == ("", "")
    again = StateStore(folder)
    assert again.get(tmp_path, "one") == again.get(tmp_path, "two") == VISIT and again.size("detail") == 30


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b"[]",
        b"{}",
        b'{"version": 99, "visits": {}}',
        b"[" * 100_000,
        b'{"version": ' + b"9" * 5000 + b"}",
        b"x" * 9_000_000,
    ],
)
def test_a_file_that_does_not_read_is_set_aside(folder: Path, tmp_path: Path, content: bytes) -> None:
    folder.mkdir()
    (folder / "state.json").write_bytes(content)
    store = StateStore(folder)
    assert "it was set aside as state.json.bad-1" in store.problem and store.problem.isprintable()
    assert (folder / "state.json.bad-1").read_bytes() == content
    store.put(tmp_path, "one", VISIT)
    assert store.save() == "" and StateStore(folder).get(tmp_path, "one") == VISIT
    # One that breaks while the explorer runs is told when it is met.
    (folder / "state.json").write_bytes(content)
    store.put(tmp_path, "two", VISIT)
    assert "state.json.bad-2" in store.save() and StateStore(folder).get(tmp_path, "two") == VISIT


def test_single_entries_that_are_wrong_are_left_out(folder: Path) -> None:
    folder.mkdir()
    visits = {"a": [1, 2, 3], "b": "x", "c": [1, 2, 3, True], "d": [1, 2, 3, 10**30], "e": [1, 2, 3, 4], "f": None}
    content = {"version": 1, "visits": visits, "sizes": {"a": "x", "detail": 40}, "roots": [1, "/r", None]}
    (folder / "state.json").write_text(json.dumps(content))
    store = StateStore(folder)
    assert (store.problem, store.size("detail"), store.size("a"), store.roots()) == ("", 40, None, ["/r"])
    (folder / "state.json").write_text('{"version": 1, "visits": [], "sizes": 3, "roots": {}}')
    assert StateStore(folder).problem == ""


def test_a_link_in_its_place_is_neither_read_nor_written(folder: Path, tmp_path: Path) -> None:
    folder.mkdir()
    target = tmp_path / "target"
    target.write_text("precious")
    (folder / "state.json").symlink_to(target)
    store = StateStore(folder)
    store.put(tmp_path, "one", VISIT)
    assert "symbolic link" in store.problem and "symbolic link" in store.save()
    assert target.read_text() == "precious" and store.get(tmp_path, "one") == VISIT


def test_a_full_disk_is_a_sentence_and_the_next_save_tries_again(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = StateStore(folder)
    store.put(tmp_path, "one", VISIT)
    with monkeypatch.context() as patch:

        def full(*arguments: object) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

        patch.setattr(files.os, "fsync", full)
        assert store.save() == "nothing is remembered: No space left on device"
        assert store.get(tmp_path, "one") == VISIT
    assert store.save() == "" and StateStore(folder).get(tmp_path, "one") == VISIT


def test_a_folder_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("x")
    for folder in (tmp_path / "file", tmp_path / "file" / "sub", Path("/proc/nothing/here"), tmp_path / "a\0b"):
        store = StateStore(folder)
        store.put(tmp_path, "one", VISIT)
        assert store.save().startswith("nothing is remembered: ") and store.get(tmp_path, "one") == VISIT
    monkeypatch.setenv("XDG_STATE_HOME", "relative")
    monkeypatch.setattr(files.os.path, "expanduser", lambda path: path)
    store = StateStore()
    store.put_size("detail", 1)
    assert "no home directory" in store.problem and store.save() == store.problem


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_leave_to_write(folder: Path, tmp_path: Path) -> None:
    folder.mkdir()
    folder.chmod(0o500)
    store = StateStore(folder)
    store.put(tmp_path, "one", VISIT)
    assert "Permission denied" in store.save()


def test_the_usual_place(home: Path) -> None:
    store = StateStore()
    store.put_size("detail", 40)
    assert store.save() == "" and (home / "state" / "asz-tui" / "state.json").is_file()
