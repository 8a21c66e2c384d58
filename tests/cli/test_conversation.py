"""`conversation`: the document byte for byte, and the summary."""

from __future__ import annotations

import gc
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.core.helpers import Maker, node, said

from .conftest import CONFORMANCE, Result

Call = Callable[..., Result]
WHOLE = ["hello", "pilot", "stages", "words", "losses"]


@pytest.mark.parametrize("name", WHOLE)
@pytest.mark.parametrize("flag", ["-json", "--yaml"])
def test_the_document(call: Call, case: Callable[[str], str], name: str, flag: str) -> None:
    code, out, err = call("conversation", flag, "5eed", "--root", case(name))
    assert (code, err) == (0, "")
    assert out.encode() == (CONFORMANCE / name / f"expect.{flag.lstrip('-')}").read_bytes()


def test_the_collector_is_left_as_it_was(call: Call, sample: str) -> None:
    assert gc.isenabled()
    assert call("conversation", "--json", "5eed0002", "--root", sample).code == 0
    assert call("conversation", "--json", "nobody", "--root", sample).code == 1
    assert gc.isenabled()


def test_both_formats_are_too_many(call: Call, sample: str) -> None:
    assert call("conversation", "-json", "-yaml", "5eed0002", "--root", sample).code == 2


def test_the_summary(call: Call, sample: str, case: Callable[[str], str]) -> None:
    code, out, err = call("conversation", "5eed0005", "--root", sample)
    assert (code, err) == (0, "")
    want = json.loads((CONFORMANCE / "stages" / "expect.json").read_text())
    lines = dict(line.split(maxsplit=1) for line in out.splitlines() if not line.startswith(" "))
    assert lines["conversation"] == want["conversation"]
    assert lines["rounds"] == "5" and lines["head"] == f"round 5 {want['head']['digest']}"
    assert lines["landed"].startswith("seq 1 to 7; 7 files")
    assert lines["relations"] == str(len(want["relations"]))
    kinds = dict(reversed(line.split()) for line in out.splitlines() if line.startswith(" "))
    assert kinds == {kind: str(count) for kind, count in want["summary"]["kinds"].items()}
    assert lines["nodes"] in ("by kind", str(sum(want["summary"]["kinds"].values())))


def test_the_summary_of_a_broken_chain(call: Call, case: Callable[[str], str]) -> None:
    code, out, _ = call("conversation", "5eed", "--root", case("broken-gap"))
    assert code == 0 and "round 3 is missing; the chain stops at round 2" in out


@pytest.mark.parametrize("flags", [(), ("-json",), ("-yaml",)])
def test_nothing_usable_is_an_error(call: Call, case: Callable[[str], str], flags: tuple[str, ...]) -> None:
    code, out, err = call("conversation", *flags, "5eed", "--root", case("broken-first-missing"))
    assert (code, out, err.count("\n")) == (1, "", 1) and "round 1 is missing" in err


def test_what_the_session_does_not_say(call: Call, tmp_path: Path) -> None:
    made = Maker(tmp_path / "root")
    made.land(said("x"))
    made.round(node("talk/1", "talk", (1, 1)), node("odd", "a\x1b[31mkind"))
    made.land(said("y"))
    code, out, _ = call("conversation", "c0", "--root", str(made.path))
    assert code == 0 and "\x1b" not in out
    assert "untitled" in out and "no time" in out and "2 files there, 1 of them after the head round" in out
