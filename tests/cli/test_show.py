"""`show`: the tree in the row grammar, what narrows it, and that nothing in it acts on a terminal."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from asz_tui.text.cells import width
from tests.core.helpers import Maker, node, said

from .conftest import CONFORMANCE, Result

Call = Callable[..., Result]


def rows(text: str) -> list[str]:
    """The lines of nodes: behind the two lines of the head, without days and pauses."""
    return [line for line in text.splitlines()[2:] if len(line) > 10 and not line.strip(" ·").endswith("quiet")]


def test_the_whole_tree(call: Call, sample: str) -> None:
    code, out, err = call("show", "5eed0002", "--root", sample)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "Fix the flaky port check in the relay: it times out on slow links"
    assert lines[1] == "5eed0002-0000-4000-8000-000000000002 · verified · round 2 · 5 talks"
    assert lines[2] == "2026-01-01"
    assert lines[3].startswith("00:00:00 ▾ ❯ The relay's port check fails about one run in ten")
    assert any(line.endswith("48 s ✗") and "▣ Bash for i in $(seq 200)" in line for line in lines)
    assert "         · 25 min quiet ·" in lines
    summary = json.loads((CONFORMANCE / "pilot" / "expect.json").read_text())["summary"]
    assert out.count(" ⚙ ") + out.count(" ▣ ") == summary["kinds"]["tool"]


def test_every_node_has_one_line(call: Call, sample: str) -> None:
    kinds = json.loads((CONFORMANCE / "fleet" / "expect.json").read_text())["summary"]["kinds"]
    want = sum(count for kind, count in kinds.items() if kind not in ("session", "segment", "stream", "epoch"))
    shown = [line for line in rows(call("show", "5eed0003", "--root", sample).out) if not line.startswith("outside")]
    assert len(shown) == want


def test_depth(call: Call, sample: str) -> None:
    out = call("show", "5eed0002", "--depth", "1", "--root", sample).out
    talks = [line for line in rows(out) if "▸ ❯" in line]
    assert len(talks) == 5 and " → Fixed: the check now retries" in talks[0] and "23 steps 6 tools 2 min" in talks[0]
    assert "◇" not in out
    deeper = call("show", "5eed0002", "-d", "2", "--root", sample).out
    assert "▸ ▷" in deeper and "◇" not in deeper


def test_kinds_stand_below_their_nearest_shown_ancestor(call: Call, sample: str) -> None:
    out = call("show", "5eed0002", "--kind", "tool", "--root", sample).out
    assert all(line[9:].lstrip().startswith("▣ ") and line[9:13] == "  ▣ " for line in rows(out))
    both = rows(call("show", "5eed0002", "-k", "talk", "-k", "tool", "--root", sample).out)
    assert {line[9:].lstrip()[0] for line in both} == {"▾", "▣"}
    assert all(line[9:13] == "    " for line in both if "▣" in line)
    agents = ("-k", "agent.call", "-k", "agent.launch_ack", "-k", "agent.output")
    by_name = call("show", "5eed0002", *agents, "--root", sample)
    assert call("show", "5eed0002", "--kind", "agent.*", "--root", sample) == by_name and len(rows(by_name.out)) == 3
    assert rows(call("show", "5eed0002", "--kind", "nothing", "--root", sample).out) == []


@pytest.mark.parametrize("stream", ["log-reader", "log", "aad8b0a671c52061f", "aad8"])
def test_a_stream_by_name_or_label(call: Call, sample: str, stream: str) -> None:
    shown = rows(call("show", "5eed0002", "--stream", stream, "--root", sample).out)
    assert "child log-reader" in shown[0] and len(shown) == 9


def test_no_such_stream(call: Call, sample: str) -> None:
    code, out, err = call("show", "5eed0002", "--stream", "x", "--root", sample)
    assert (code, out) == (1, "") and "there is no stream 'x'" in err


def test_one_node(call: Call, sample: str) -> None:
    out = call("show", "5eed0002#tool/s3-tool", "--root", sample).out
    assert [line[9:] for line in out.splitlines()[1:]] and out.splitlines()[0] == "2026-01-01"
    assert "▣ " in out and len(out.splitlines()) == 2
    code, _, err = call("show", "5eed0002#tool/nobody", "--root", sample)
    assert code == 1 and "'tool/nobody'" in err


def test_edges(call: Call, sample: str) -> None:
    out = call("show", "5eed0002", "--edges", "--root", sample).out
    assert "starts to stream/aad8b0a671c52061f (exact_unique, via " in out


@pytest.mark.parametrize("wide", [20, 40, 80])
def test_width(call: Call, sample: str, wide: int) -> None:
    lines = call("show", "5eed0002", "--root", sample, "--width", str(wide)).out.splitlines()
    assert max(map(width, lines)) <= wide
    if wide == 80:
        assert any(width(line) == 80 and line.endswith("48 s ✗") for line in lines)


def test_ascii(call: Call, sample: str) -> None:
    out = call("show", "5eed0002", "--root", sample, "--ascii", "--width", "70").out
    assert out.isascii() and max(map(len, out.splitlines())) <= 70
    assert "$ Bash" in out and "48 s x" in out


def test_no_colours_outside_a_terminal(call: Call, sample: str) -> None:
    assert "\x1b" not in call("show", "5eed0002", "--root", sample).out


def test_problems_are_listed(call: Call, case: Callable[[str], str]) -> None:
    code, out, _ = call("show", "5eed", "--root", case("broken-gap"))
    assert code == 0 and "! round 3 is missing; the chain stops at round 2" in out.splitlines()


@pytest.mark.parametrize(
    "command", [("show",), ("show", "--ascii", "--width", "60"), ("show", "--edges"), ("tail", "--once", "-n", "1000")]
)
def test_hostile_text_does_not_act(call: Call, case: Callable[[str], str], command: tuple[str, ...]) -> None:
    code, out, _ = call(*command, "5eed", "--root", case("hostile"))
    assert code == 0 and out.replace("\n", "").isprintable()


def test_any_depth(call: Call, tmp_path: Path) -> None:
    made = Maker(tmp_path / "root")
    made.land(said("x"))
    deep = [node(f"n{at}", "tool", (1, 1, at), parent=f"n{at - 1}" if at else "talk/1") for at in range(3000)]
    made.round(node("talk/1", "talk", (1, 1)), *deep)
    code, out, _ = call("show", "c0", "--root", str(made.path), "--width", "80")
    assert code == 0 and len(rows(out)) == 3000 + 1 and "‥" in out


def test_a_loop_of_parents_ends(call: Call, tmp_path: Path) -> None:
    made = Maker(tmp_path / "root")
    made.land(said("x"))
    made.round(node("a", "tool", (1, 1), parent="b"), node("b", "tool", (1, 1, 1), parent="a"))
    code, out, _ = call("show", "c0", "--root", str(made.path))
    assert code == 0 and "outside any talk" in out
