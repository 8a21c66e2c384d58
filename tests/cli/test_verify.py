"""`verify`: what is checked, one line a problem, the last line, the exit code."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.core.helpers import Maker, node, said

from .conftest import CONFORMANCE, Result

Call = Callable[..., Result]


@pytest.fixture
def copy(sample: str, tmp_path: Path) -> Path:
    """A copy of the sample that may be damaged."""
    target = tmp_path / "copy"
    shutil.copytree(sample, target)
    return target


def landed(root: Path, seq: int) -> Path:
    return next(root.glob(f"5eed0005*/streams/*/*-{seq:06d}.sd"))


def test_a_whole_root(call: Call, sample: str) -> None:
    code, out, err = call("verify", "--root", sample)
    assert (code, err) == (0, "")
    assert out == "checked 3 conversations, 8 rounds, 23 landed files (47 kB): no problems\n"
    assert call("verify", "--quiet", "--root", sample) == (0, "", "")


def test_one_conversation(call: Call, sample: str) -> None:
    assert call("verify", "5eed0005", "--root", sample).out.startswith("checked 1 conversation, 5 rounds, 7 landed files")


@pytest.mark.parametrize("path", sorted(CONFORMANCE.glob("broken-*")), ids=lambda path: path.name)
def test_every_damage_is_found(call: Call, path: Path) -> None:
    code, out, err = call("verify", "--root", str(path / "root"))
    assert (code, err) == (1, "")
    *problems, last = out.splitlines()
    assert problems and all(line.startswith("5eed") and ": " in line for line in problems)
    assert last.startswith("checked 1 conversation, ") and last.endswith(f": {len(problems)} problem{'s'[: len(problems) != 1]}")
    assert call("verify", "--quiet", "--root", str(path / "root")).out.splitlines() == problems


def test_a_landed_file_against_its_closing_line(call: Call, copy: Path) -> None:
    path = landed(copy, 7)
    data = path.read_bytes()
    path.write_bytes(data.replace(b'"digest":"', b'"digest":"0000', 1))
    code, out, _ = call("verify", "--root", str(copy))
    assert code == 1 and "digest mismatch: computed" in out
    assert f"5eed0005-0000-4000-8000-000000000005: {path.relative_to(copy)}: " in out
    assert "the input digest does not match the landed files" in out


def test_a_file_that_no_round_took_in_yet(call: Call, copy: Path) -> None:
    late = landed(copy, 7).with_name("transcript-20260101T000000.000000000Z-000008.sd")
    late.write_bytes(landed(copy, 7).read_bytes()[:-20])
    code, out, _ = call("verify", "5eed0005", "--root", str(copy))
    assert code == 1 and out.splitlines()[0].startswith("5eed0005") and "closing line" in out.splitlines()[0]


def test_sessions_without_a_conversation_are_checked(call: Call, tmp_path: Path) -> None:
    made = Maker(tmp_path / "root", session="lonely")
    made.land(said("x"))
    made.land(data=b"no header\n")
    (made.path / "empty").mkdir()
    code, out, _ = call("verify", "--root", str(made.path))
    assert code == 1 and "lonely: lonely/streams/main/transcript-" in out
    assert "checked 0 conversations, 0 rounds, 2 landed files" in out and "1 session without a conversation" in out


def test_files_of_a_shared_session_count_once(call: Call, tmp_path: Path) -> None:
    for name in ("c1", "c2"):
        made = Maker(tmp_path / "root", conversation=name, session="shared")
        made.land(said("x"))
        made.round(node("talk/1", "talk", (1, 1)))
    out = call("verify", "--root", str(made.path)).out
    assert out.startswith("checked 2 conversations, 2 rounds, 1 landed file (")


def test_problems_are_legible(call: Call, tmp_path: Path) -> None:
    made = Maker(tmp_path / "root", conversation="c\x1b[31m", session="s\x9b")
    made.land(data=b"\x1b]0;x\x07\n")
    made.round(node("talk/1", "talk", (1, 1)))
    code, out, _ = call("verify", "--root", str(made.path))
    assert code == 1 and out.replace("\n", "").isprintable()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_closed_directory_is_a_problem(call: Call, copy: Path) -> None:
    folder = landed(copy, 7).parent
    folder.chmod(0)
    try:
        code, out, _ = call("verify", "--root", str(copy))
    finally:
        folder.chmod(0o755)
    assert code == 1 and "the directory cannot be read" in out


def test_nothing_is_written(call: Call, copy: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in copy.rglob("*")}
    for arguments in (
        ("verify",),
        ("list",),
        ("conversation", "-json", "5eed0005"),
        ("show", "5eed0005"),
        ("tail", "--once", "5eed0005"),
    ):
        assert call(*arguments, "--root", str(copy)).code == 0
    assert {path: path.stat().st_mtime_ns for path in copy.rglob("*")} == before
