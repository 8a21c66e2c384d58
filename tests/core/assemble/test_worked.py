"""The two worked sessions of the assembling specification (§21 and §22), frame by frame."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from asz_core.assemble import Assembler
from tests.core.assemble.landing_helpers import Lander, record, result, text, use

WORKED = Path(__file__).parents[2] / "data" / "assembly" / "worked"


def expected(name: str) -> list[str]:
    return (WORKED / f"{name}.jsonl").read_text().splitlines()


def without_revision(line: str) -> str:
    return json.dumps({key: value for key, value in json.loads(line).items() if key != "revision"})


def counts(lines: list[str]) -> list[int]:
    return list(json.loads(lines[-1])["counts"].values())


def part_of(header: dict[str, Any], **wanted: Any) -> None:
    assert {key: header.get(key) for key in wanted} == wanted


def first_session(root: Path) -> Lander:
    lander = Lander(root, "demo-1")
    lander.land(
        "main",
        record("runtime", label="water the plants"),
        record("external", "u1", 0, text(), run="c1", trigger="external", flags=["external_input"]),
        record("agent", "a1", 1, {"k": "reasoning", "text": "x"}, text(), parent="u1", call="m1"),
        record("agent", "a2", 2, use("t1", "Task"), parent="a1", call="m1", flags=["finished"]),
        record("external", "k1", 3, result("t1"), parent="a2", tool="t1", child="kid7", flags=["launch_ack"]),
    )
    return lander


def test_the_first_session(tmp_path: Path) -> None:
    lander = first_session(tmp_path)
    assembler = Assembler(tmp_path, "demo-1")
    outcome = assembler.assemble()
    assert (outcome.round, outcome.nodes, outcome.relations, outcome.unresolved, outcome.error) == (1, 12, 1, 1, "")
    (lines,) = lander.rounds()
    header, *frames = expected("demo-1-1")
    assert set(frames) <= set(lines)
    wanted = json.loads(header)
    del wanted["input_digest"]
    part_of(lander.header(1), **wanted)
    assert list(json.loads(header)) == list(lander.header(1))

    lander.land(
        "kid7",
        record("external", "p1", 4, text(), run="c9"),
        record("agent", "b1", 6, text(), parent="p1", call="m2", flags=["finished"]),
    )
    lander.land("kid7", record(child="kid7", label="waterer"), kind="agent_meta")
    lander.land(
        "main",
        record("external", "n1", 7, text(), run="c2", trigger="notification", tool="t1", child="kid7"),
        record("agent", "a3", 8, text(), parent="n1", call="m3", flags=["finished"]),
    )
    outcome = assembler.assemble()
    assert (outcome.round, outcome.nodes, outcome.relations, outcome.unresolved) == (2, 17, 4, 0)
    lines = lander.rounds()[1]
    assert counts(lines) == [17, 4, 1]
    assert set(expected("demo-1-2")) <= set(lines)
    part_of(lander.header(2), talks=2, steps=12, streams=2, segments=1, unresolved=0, llm_calls=3, subagents=1)
    ids = [json.loads(line).get("id") for line in lines]
    for unchanged in ("ack/1/5", "call/m1", "input/1/2", "msg/1/3:1", "think/1/3:0", "run/talk_main_c1/c1"):
        assert unchanged not in ids
    state = dict(line.split() for line in (tmp_path / "_conversations/demo-1/conversation.state").read_text().splitlines())
    assert (state["head"], state["through_seq"]) == ("2", "4")


def second_session(root: Path) -> Lander:
    lander = Lander(root, "demo-2")
    lander.land(
        "main",
        record("external", "u1", 0, run="c1", trigger="external", flags=["external_input"]),
        record(
            "agent",
            "a1",
            1,
            use("t1", "mcp__disk__list", server="disk", server_tool="list"),
            use("t2", "Task"),
            use("t3", "Skill"),
            use("t4", "Bash"),
            parent="u1",
            call="m1",
            flags=["finished"],
        ),
        record("external", "k1", 2, result("t1"), parent="a1"),
        record("external", "k2", 3, result("t1"), parent="a1"),
        record("external", "k3", 9, result("t2"), parent="a1"),
        record("external", "k4", 10, result("t3"), parent="a1", child="aux1", flags=["auxiliary"]),
        record("runtime", "z1", 11, continues="gone1", flags=["context_reset"]),
        record("external", "z2", 12, parent="z1", run="c2", flags=["reset_summary"]),
    )
    lander.land(
        "aux1",
        record("external", "x1", 9, run="xc"),
        record("agent", "x2", 10, parent="x1", call="m5", flags=["finished"]),
    )
    lander.land(
        "kidA",
        record("external", "p1", 4, run="kc"),
        record("agent", "b1", 8, parent="p1", call="m2", flags=["finished"]),
    )
    lander.land("kidA", record(child="kidA", tool="t2", label="first"), kind="agent_meta")
    lander.land(
        "kidB",
        record("external", "p2", 5),
        record("agent", "b2", 6, parent="p2", call="m3", flags=["finished"]),
    )
    lander.land("kidB", record(child="kidB", started_by="kidA"), kind="agent_meta")
    lander.land("zed", record("agent", "b3", 7, run="lc", call="m4"))
    return lander


def test_the_second_session(tmp_path: Path) -> None:
    lander = second_session(tmp_path)
    assembler = Assembler(tmp_path, "demo-2")
    outcome = assembler.assemble()
    assert (outcome.nodes, outcome.relations, outcome.unresolved, outcome.error) == (39, 14, 4, "")
    made = {without_revision(line) for line in lander.rounds()[0]}
    assert {without_revision(line) for line in expected("demo-2-1")} <= made
    header = lander.header(1)
    part_of(header, talks=6, steps=15, streams=5, segments=1, unresolved=4, llm_calls=5, subagents=3, bash_runs=1)
    assert "title" not in header

    lander.land("main", record("external", "n1", 13, run="c1", trigger="notification", child="kidA", tool="t2"))
    assembler.assemble()
    lines = lander.rounds()[1]
    assert set(expected("demo-2-2")) <= set(lines)
    assert counts(lines) == [5, 3, 0]

    change = {"schema": "changes/1", "id": "w1", "captured_by": "p", "changes": [{"path": "f", "additions": 3, "deletions": 1}]}
    lander.land("main", record("", "", 50, {"k": "data", "data": change}), kind="changes")
    assembler.assemble()
    lines = lander.rounds()[2]
    assert len(lines) == 2
    assert counts(lines) == [0, 0, 0]
    header = lander.header(3)
    part_of(header, from_time="2026-03-01T08:00:50Z", through_time="2026-03-01T08:00:50Z", changes=1)
    part_of(header, session_through_time="2026-03-01T08:00:13Z", lines_added=3, lines_removed=1)
