"""`assemble`: one line a session, the exit code, what is said when it cannot be done."""

from __future__ import annotations

import fcntl
from collections.abc import Callable
from pathlib import Path

from tests.core.assemble.landing_helpers import Lander, record, text

from .conftest import Result

Call = Callable[..., Result]


def test_rounds_then_nothing_new(call: Call, tmp_path: Path) -> None:
    lander = Lander(tmp_path, "demo-1")
    lander.land("main", record("external", "u1", 0, text(), run="c1", trigger="external", flags=["external_input"]))
    Lander(tmp_path, "demo-2").land("main", record("agent", "a1", 0, text(), call="m1"))
    code, out, err = call("assemble", "--root", str(tmp_path))
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "demo-1: round 1, 7 nodes, 1 relation, 0 unresolved",
        "demo-2: round 1, 5 nodes, 0 relations, 0 unresolved",
    ]
    assert call("assemble", "demo-2", "demo-1", "--root", str(tmp_path)).out == "demo-2: nothing new\ndemo-1: nothing new\n"


def test_a_failure_is_one_sentence_and_the_others_go_on(call: Call, tmp_path: Path) -> None:
    path = Lander(tmp_path, "demo-1").land("main", record("agent", "a1", 0, text(), call="m1"))
    path.write_bytes(path.read_bytes()[:-20])
    Lander(tmp_path, "demo-2").land("main", record("agent", "a1", 0, text(), call="m1"))
    code, out, err = call("assemble", "--root", str(tmp_path))
    assert code == 1
    assert out == "demo-2: round 1, 5 nodes, 0 relations, 0 unresolved\n"
    assert err.startswith("asz-tui: demo-1: demo-1/streams/main/")
    assert err.count("\n") == 1


def test_a_lock_that_another_program_holds(call: Call, tmp_path: Path) -> None:
    Lander(tmp_path, "demo-1").land("main", record("agent", "a1", 0, text(), call="m1"))
    folder = tmp_path / "_conversations" / "demo-1"
    folder.mkdir(parents=True)
    with open(folder / ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        code, out, err = call("assemble", "--root", str(tmp_path))
    assert (code, out) == (1, "")
    assert "another program" in err


def test_no_such_session(call: Call, tmp_path: Path) -> None:
    assert call("assemble", "nope", "--root", str(tmp_path)).code == 1
    assert call("assemble", "--root", str(tmp_path / "none")).code == 2
