"""Workspace changes and tool executions (formats.md section 4, end): found where, in which order, with which keys."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.core.helpers import Maker, clock, node, part, record, said


def change(id: str = "c1", by: str = "hook", tool: str = "toolu_1", time: str = "", **keys: Any) -> dict[str, Any]:
    return {
        "schema": "changes/1",
        "id": id,
        "captured_by": by,
        "session": "s0",
        "stream": "main",
        "tool": tool,
        "time": time or clock(1),
        "basis": "scan",
        "changes": [],
    } | keys


def execution(id: str = "e1", by: str = "proxy", tool: str = "toolu_1", time: str = "", **keys: Any) -> dict[str, Any]:
    return {
        "schema": "execution/1", "id": id, "observed_by": by, "boundary": "mcp", "session": "s0", "stream": "main", "tool": tool, "protocol": "stdio",
        "time": time or clock(1), "outcome": "ok",
    } | keys  # fmt: skip


def data(value: Any) -> dict[str, Any]:
    return record({"k": "data", "data": value})


def call(maker: Maker) -> None:
    """Sequence 1: a request with id toolu_1 and one with id toolu_2, and their results."""
    maker.land(
        record(part("call", "ls", id="toolu_1"), part("call", "cp", id="toolu_2")), record(part("result", "done", of="toolu_1"))
    )


STEPS = [node("step1", "tool", (1, 1, 0), refs=[(1, 1, 0), (1, 2)]), node("step2", "agent.call", (1, 1, 1))]


def changes(maker: Maker, *records: Any, name: str = "", kind: str = "changes", **keys: Any) -> list[Any]:
    """The document's workspace changes when these records landed in a file of changes."""
    call(maker)
    maker.land(*[r if isinstance(r, bytes) else data(r) for r in records], kind=kind, name=name, **keys)
    maker.round(*STEPS)
    return maker.document().get("workspace_changes", [])  # type: ignore[no-any-return]


def test_a_change_is_step_ref_and_its_own_keys_in_order(maker: Maker) -> None:
    full = change(
        tool_name="Bash", root={"path": "/w", "id": "r"}, policy={"exclusions": ["x"], "read_only": True, "expanded": ["y"]},
        window={"before": {"from": "a", "to": "b"}, "after": {"from": "c", "to": "d"}}, outcome={"state": "done", "exit_code": 0}, coverage="full", gaps=["g"],
        overlaps=[{"capture": "c", "session": "s", "stream": "m", "tool": "t", "tool_name": "n", "state": "open"}], changed_files=1,
        changes=[{
            "path": "p", "operation": "modify", "before": {"present": True, "bytes": 1, "sha256": "aa", "no_newline_at_end": True}, "after": {"present": False, "bytes": None},
            "diff": "text", "attribution": "window", "windows": ["w"], "additions": 2, "deletions": 1,
            "hunks": [{"old_start": 1, "old_lines": 2, "new_start": 3, "new_lines": 4, "lines": ["-a", "+b"]}],
        }],
    )  # fmt: skip
    shuffled = dict(sorted(full.items(), reverse=True)) | {"unknown": 1}
    found = changes(maker, shuffled)
    assert len(found) == 1
    assert list(found[0]) == [
        "step", "ref", "schema", "id", "captured_by", "session", "stream", "tool", "tool_name", "time", "basis", "root", "policy", "window", "outcome", "coverage", "gaps",
        "overlaps", "changed_files", "changes",
    ]  # fmt: skip
    assert {key: found[0][key] for key in full} == full
    assert found[0]["step"] == "step1" and found[0]["ref"] == {"seq": 2, "row": 1, "block": 0}
    assert list(found[0]["changes"][0]) == [
        "path",
        "operation",
        "before",
        "after",
        "diff",
        "attribution",
        "windows",
        "additions",
        "deletions",
        "hunks",
    ]
    assert list(found[0]["changes"][0]["before"]) == ["present", "bytes", "sha256", "no_newline_at_end"]


def test_optional_keys_are_absent_when_empty_and_others_null(maker: Maker) -> None:
    bare = {
        "schema": "changes/1",
        "changes": [{}],
        "outcome": {},
        "root": {"id": "", "path": ""},
        "policy": {},
        "tool": "",
        "tool_name": "",
        "coverage": "",
        "gaps": [],
        "overlaps": [],
    }
    found = changes(maker, bare)[0]
    assert found == {
        "step": "", "ref": {"seq": 2, "row": 1, "block": 0}, "schema": "changes/1", "id": "", "captured_by": "", "session": "", "stream": "", "time": "", "basis": "",
        "outcome": {"state": "", "exit_code": None}, "changed_files": None,
        "changes": [{"path": "", "operation": "", "before": {"present": False, "bytes": None}, "after": {"present": False, "bytes": None}, "diff": "", "additions": None, "deletions": None}],
    } | {key: found[key] for key in ("root", "policy") if key in found}  # fmt: skip
    assert found.get("root", {"path": ""}) == {"path": ""} and found.get("policy", {}) == {}


@pytest.mark.parametrize(
    "bad",
    [
        {},
        {"schema": "changes/2", "id": "x"},
        {"schema": "other/1", "id": "changes/1"},
        {"schema": "changes/1", "id": 5},
        {"schema": "changes/1", "changes": {}},
        {"schema": "changes/1", "changes": [5]},
        {"schema": "changes/1", "changed_files": "1"},
        ["changes/1"],
        "changes/1",
        None,
    ],
)
def test_a_part_that_does_not_decode_as_a_change_is_none(maker: Maker, bad: Any) -> None:
    assert [found["id"] for found in changes(maker, bad, change("good"))] == ["good"]


def test_changes_are_found_in_files_whose_name_starts_so(maker: Maker) -> None:
    call(maker)
    maker.land(data(change("named")), kind="changes")
    maker.land(data(change("other name")), kind="changes", name="other-000003.sd")
    maker.land(data(change("other kind")), kind="transcript", name="changes-x-000004.sd")
    maker.land(data(change("in a run")), kind="changes", run="wf")
    maker.round(*STEPS)
    assert [found["id"] for found in maker.document()["workspace_changes"]] == ["named", "other kind", "in a run"]


def test_changes_are_found_on_the_results_of_tool_steps(maker: Maker) -> None:
    maker.land(
        record(part("call", "a", id="toolu_1")), record(part("result", "r"), {"k": "data", "data": change("c2", time=clock(5))}, {"k": "data", "data": change("c1")}),
        data(change("own record")), data(change("no step")), data(change("agent's")),
    )  # fmt: skip
    maker.round(
        node("step1", "tool", (1, 1), refs=[(1, 1), (1, 2)]),
        node("step2", "tool", (1, 1), refs=[(1, 2), (1, 2), (1, 9)]),
        node("step3", "agent.call", (1, 1), refs=[(1, 1), (1, 5)]),
        node("step4", "tool", (1, 3), refs=[(1, 3)]),
    )
    found = maker.document()["workspace_changes"]
    assert [(c["id"], c["ref"]) for c in found] == [
        ("c1", {"seq": 1, "row": 2, "block": 2}),
        ("c2", {"seq": 1, "row": 2, "block": 1}),
    ]


def test_changes_are_found_on_every_row_of_results(maker: Maker) -> None:
    maker.land(record(part("call", "a", id="toolu_1")), *[data(change(f"c{row}")) for row in range(3)])
    maker.land(*[data(change(f"d{row}")) for row in range(2)])
    maker.round(
        node("s1", "tool", (1, 1), refs=[(1, 1), (1, 2), (1, 3), (2, 2)]),
        node("s2", "tool", (1, 1), refs=[(1, 1), (1, 4)]),
        node("s3", "tool"),
    )
    assert sorted(c["id"] for c in maker.document()["workspace_changes"]) == ["c0", "c1", "c2", "d1"]


def test_a_change_without_a_tool_belongs_to_no_step_even_where_a_call_has_no_id(maker: Maker) -> None:
    maker.land(record(part("call", "a")), record(part("call", "a", id="x")))
    bare = change("c2")
    del bare["tool"]
    maker.land(data(change("c1", tool="")), data(bare), kind="changes")
    maker.round(node("s1", "tool", (1, 1)), node("s2", "agent.call"), node("s3", "tool", (1, 9)))
    assert [(c["id"], c["step"]) for c in maker.document()["workspace_changes"]] == [("c1", ""), ("c2", "")]


def test_one_entry_for_each_id_of_each_capturer(maker: Maker) -> None:
    found = changes(
        maker, change("a", time=clock(9)), change("a", time=clock(1)), change("a", by="other", time=clock(3)), change("b")
    )
    assert sorted((c["captured_by"], c["id"], c["time"]) for c in found) == [
        ("hook", "a", clock(9)),
        ("hook", "b", clock(1)),
        ("other", "a", clock(3)),
    ]


def test_changes_sort_by_instant_then_claude_code_then_place(maker: Maker) -> None:
    found = changes(
        maker,
        change("late", time=clock(10)),
        change("c", time="2026-01-01T02:00:05+02:00"),
        change("b", time=clock(5)),
        change("cc", by="claude-code", time=clock(5)),
        change("early", time=clock(4, ".999")),
        change("none", time="nonsense"),
    )
    assert [c["id"] for c in found] == ["none", "early", "cc", "c", "b", "late"]


def test_a_step_lists_its_records_in_that_order(maker: Maker) -> None:
    changes(
        maker,
        change("z", time=clock(1)),
        change("a", time=clock(2)),
        change("y", tool="toolu_2"),
        change("x", tool="unknown"),
        change("w", tool=""),
    )
    nodes, document = maker.nodes(), maker.document()
    assert (nodes["step1"]["changes"], nodes["step2"]["changes"]) == (["z", "a"], ["y"])
    assert {c["id"]: c["step"] for c in document["workspace_changes"]} == {
        "z": "step1",
        "a": "step1",
        "y": "step2",
        "x": "",
        "w": "",
    }
    assert document["summary"]["changes"] == 5


def test_the_step_is_found_by_its_request_part(maker: Maker) -> None:
    maker.land(record(part("call", "a", id="one"), part("result", "b", id="two"), part("call", "c", id="three")))
    maker.land(*[data(change(id, tool=id)) for id in ("one", "two", "three")], kind="changes")
    maker.round(node("s1", "tool", (1, 1, 0)), node("s2", "tool", (1, 1, 1)), node("s3", "thinking", (1, 1, 2)))
    assert {c["id"]: c["step"] for c in maker.document()["workspace_changes"]} == {"one": "s1", "two": "", "three": ""}


def test_keys_stand_at_their_places(maker: Maker) -> None:
    call(maker)
    maker.land(data(change()), kind="changes")
    maker.land(data(execution()), kind="execution")
    maker.round(*STEPS)
    document = maker.document()
    assert list(document)[-3:] == ["unresolved", "workspace_changes", "tool_executions"]
    keys = list(document["summary"])
    assert keys[keys.index("unresolved") + 1 : keys.index("from")] == ["changes"]
    step = maker.nodes()["step1"]
    assert list(step)[-2:] == ["changes", "executions"] and step["executions"] == ["e1"]


def test_an_execution_is_step_ref_and_its_own_keys_in_order(maker: Maker) -> None:
    full = execution(
        tool_name="n",
        cwd="/w",
        server={"name": "s", "source": "f"},
        duration_ms=5,
        arguments={"state": "available", "bytes": 3, "sha256": "aa"},
        result={"state": "size_only", "bytes": 9},
    )
    call(maker)
    maker.land(data(dict(sorted(full.items()))), kind="execution")
    maker.round(*STEPS)
    found = maker.document()["tool_executions"][0]
    assert list(found) == [
        "step", "ref", "schema", "id", "observed_by", "boundary", "session", "stream", "tool", "tool_name", "cwd", "protocol", "server", "time", "duration_ms", "outcome",
        "arguments", "result",
    ]  # fmt: skip
    assert {key: found[key] for key in full} == full and found["step"] == "step1"


def test_optional_keys_of_an_execution_are_absent_when_empty(maker: Maker) -> None:
    call(maker)
    maker.land(
        data({"schema": "execution/1", "tool_name": "", "cwd": "", "duration_ms": 0, "server": {"name": "x", "source": ""}}),
        kind="execution",
    )
    maker.round(*STEPS)
    found = maker.document()["tool_executions"][0]
    assert list(found) == [
        "step",
        "ref",
        "schema",
        "id",
        "observed_by",
        "boundary",
        "session",
        "stream",
        "tool",
        "protocol",
        "server",
        "time",
        "outcome",
    ]
    assert found["server"] == {"name": "x"} and found["tool"] == ""


def test_executions_are_found_in_their_files_only(maker: Maker) -> None:
    call(maker)
    maker.land(data(execution("named")), data(change("not here")), kind="execution")
    maker.land(data(execution("elsewhere")), kind="transcript")
    maker.land(data(execution("in changes")), kind="changes")
    maker.round(*STEPS)
    document = maker.document()
    assert [found["id"] for found in document["tool_executions"]] == ["named"] and "workspace_changes" not in document


def test_executions_sort_and_are_unique_as_changes_are(maker: Maker) -> None:
    call(maker)
    maker.land(
        *[
            data(e)
            for e in (
                execution("b", time=clock(2)),
                execution("a", time=clock(1)),
                execution("a", time=clock(5)),
                execution("a", by="other", time=clock(3)),
                execution("c", by="claude-code", time=clock(3)),
            )
        ],
        kind="execution",
    )
    maker.round(*STEPS)
    assert [(e["id"], e["observed_by"]) for e in maker.document()["tool_executions"]] == [
        ("a", "proxy"),
        ("b", "proxy"),
        ("c", "claude-code"),
        ("a", "other"),
    ]


@pytest.mark.parametrize(
    ("schema", "key"),
    [("changes\\/1", "workspace_changes"), ("changes\\u002f1", "workspace_changes"), ("execution\\/1", "tool_executions")],
)
def test_a_schema_may_be_spelt_with_escapes(maker: Maker, schema: str, key: str) -> None:
    call(maker)
    maker.land(b'{"parts":[{"k":"data","data":{"schema":"' + schema.encode() + b'","id":"x"}}]}', kind=schema.split("\\")[0])
    maker.round(*STEPS)
    assert [found["id"] for found in maker.document().get(key, [])] == ["x"]


def test_numbers_texts_and_depths_of_any_kind_are_borne(maker: Maker) -> None:
    call(maker)
    nest = "[" * 960 + "]" * 960
    raw = json.dumps(change("big", changed_files=10**25))
    lone = b'{"parts":[{"k":"data","data":' + json.dumps(change("lone", coverage="XX")).replace("XX", "\\ud800").encode() + b"}]}"
    deep = b'{"parts":[{"k":"data","data":' + json.dumps(change("deep", gaps=["X"])).replace('"X"', nest).encode() + b"}]}"
    maker.land(b'{"parts":[{"k":"data","data":' + raw.encode() + b"}]}", lone, deep, kind="changes")
    maker.round(*STEPS)
    conversation = maker.load()
    found = {c["id"]: c for c in json.loads(conversation.json())["workspace_changes"]}
    assert found["lone"]["coverage"] == "\ufffd"
    assert b"".join(conversation.yaml())


def test_a_root_without_such_records_has_none_of_the_keys(maker: Maker) -> None:
    call(maker)
    maker.land(said("changes/1 execution/1"), kind="changes")
    maker.round(*STEPS)
    document = maker.document()
    assert not {"workspace_changes", "tool_executions"} & set(document) and "changes" not in document["summary"]
    assert not any({"changes", "executions"} & set(view) for view in maker.nodes().values())


def test_observations_that_land_later_are_taken_in(maker: Maker) -> None:
    call(maker)
    maker.round(*STEPS)
    conversation = maker.load()
    assert b"workspace_changes" not in conversation.json()
    maker.land(data(change()), kind="changes")
    maker.round()
    conversation.refresh()
    assert conversation.json() == maker.load().json() and b"workspace_changes" in conversation.json()
