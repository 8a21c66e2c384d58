"""`collect`: one line a pass, what is said of what goes wrong, the exit code."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from asz_core.writing import Lock
from asz_tui.cli.parser import instant, seconds

from .conftest import Result

Call = Callable[..., Result]
DATA = Path(__file__).parent.parent / "data" / "collect"
SESSION = "0f0e0d0c-1111-4222-8333-444444444444"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A Claude Code directory of one session."""
    place = tmp_path / "projects"
    (place / "-srv-shop").mkdir(parents=True)
    (place / "-srv-shop" / f"{SESSION}.jsonl").write_bytes(b'{"type":"user","uuid":"a"}\n')
    return place


@pytest.fixture
def collect(call: Call, source: Path, tmp_path: Path) -> Callable[..., Result]:
    """One pass that assembles nothing."""
    return lambda *more: call(
        "collect", "--once", "--no-assemble", "--source", str(source), "--root", str(tmp_path / "root"), *more
    )


def test_a_case_stage_by_stage(call: Call, tmp_path: Path) -> None:
    root = tmp_path / "root"
    for number in range(1, 6):
        stage, at = str(DATA / "stages" / f"source-{number}"), f"2026-01-02T00:00:0{number - 1}Z"
        code, out, err = call("collect", "--once", "--no-assemble", "--source", stage, "--root", str(root), "--at", at)
        assert (code, err) == (0, "")
        assert re.fullmatch(r"\d\d:\d\d:\d\dZ 1 session, [\d,]+ records? in \d+ files? \(.+\) landed in [\d.]+ s\n", out)
    wanted = DATA / "stages" / "root"
    assert {path.relative_to(root): path.read_bytes() for path in root.rglob("*.sd")} == {
        path.relative_to(wanted): path.read_bytes() for path in wanted.rglob("*.sd")
    }


def test_nothing_new(collect: Callable[..., Result]) -> None:
    collect()
    assert collect().out.endswith("Z 1 session, nothing new\n")


def test_a_conflict_is_said_and_is_exit_code_1(collect: Callable[..., Result], source: Path) -> None:
    collect()
    (source / "-srv-shop" / f"{SESSION}.jsonl").write_bytes(b"{}\n")
    code, out, err = collect()
    assert code == 1
    assert out.endswith("1 session, nothing new, 1 conflict, 1 error\n")
    assert "it is shorter than what was collected of it" in err
    assert collect().code == 1


def test_a_session_held_by_another_is_left_alone(collect: Callable[..., Result], tmp_path: Path) -> None:
    (tmp_path / "root" / SESSION).mkdir(parents=True)
    with Lock(str(tmp_path / "root" / SESSION)):
        code, out, err = collect()
    assert code == 0
    assert out.endswith("1 session, nothing new, 1 session held by another collector\n")
    assert err == f"asz-tui: {SESSION}: another collector holds this session; it is left alone\n"


def test_what_landed_and_was_not_assembled_is_assembled_by_the_next_pass(
    call: Call, collect: Callable[..., Result], source: Path, tmp_path: Path
) -> None:
    collect()
    rest = ("--source", str(source), "--root", str(tmp_path / "root"))
    assert call("collect", "--once", *rest).out.endswith("1 session, nothing new, 1 round\n")
    assert call("collect", "--once", *rest).out.endswith("1 session, nothing new\n")
    assert call("verify", "--root", str(tmp_path / "root")).code == 0


def test_patterns(collect: Callable[..., Result]) -> None:
    assert "0 sessions" in collect("--include", "/srv/other/**").out
    assert "0 sessions" in collect("--exclude", "/srv/**").out
    assert "1 session," in collect("--include", "/srv/**").out


def test_wrong_usage(call: Call, collect: Callable[..., Result]) -> None:
    assert collect("--interval", "2s").code == 2
    assert collect("--at", "noon").code == 2
    code, _, err = call("collect", "--once", "--source", "/nowhere/at/all", "--root", "r")
    assert (code, err) == (2, "asz-tui: the source /nowhere/at/all cannot be read: No such file or directory\n")


def test_spans_and_instants() -> None:
    assert [seconds(text) for text in ("2s", "500ms", "1.5", "10m", "1h")] == [2, 0.5, 1.5, 600, 3600]
    for text in ("", "s", "-1s", "2d", "0s", "1e3s", "9999999h", "²s"):
        with pytest.raises(ValueError):
            seconds(text)
    assert instant("2026-01-02T00:00:00.000000001Z") == 1_767_312_000_000_000_001
