"""The policy of our own: what is inferred of sessions that an older runtime wrote, how it is marked, and what stays as it is."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from asz_core import Root
from asz_core.assemble import Assembler, assemble_session
from asz_core.collect import Collector
from asz_core.conversation import Conversation
from asz_core.sessionflow import attrs_of

CASES = Path(__file__).resolve().parents[2] / "data" / "collect"
SESSION = "5eed0001-0000-4000-8000-000000000001"
AT = 1_767_312_000_000_000_000
OLD, BETWEEN = "2.0.10", "2.1.100"


class Transcript:
    """A session as an older runtime wrote it, a record at a time."""

    def __init__(self, tmp_path: Path) -> None:
        self.source, self.root = tmp_path / "source", tmp_path / "root"
        self.project = self.source / "-srv-shop"
        self.project.mkdir(parents=True)
        self._second = 0
        self._last: dict[Path, str | None] = {}

    def add(self, type: str, content: Any, *, to: str = "", version: str = OLD, **keys: Any) -> str:
        """Add a record to a transcript, after the one before unless `parentUuid` says otherwise; returns its id."""
        path = self.project / (to or f"{SESSION}.jsonl")
        path.parent.mkdir(parents=True, exist_ok=True)
        self._second += 1
        uuid = keys.pop("uuid", f"u{self._second}")
        record = {
            "type": type,
            "uuid": uuid,
            "parentUuid": self._last.get(path),
            "sessionId": SESSION,
            "timestamp": f"2026-01-01T00:{self._second // 60:02}:{self._second % 60:02}.000Z",
            "version": version,
            "message": {"role": type, "content": content, **keys.pop("message", {})},
            **keys,
        }
        with path.open("a") as file:
            file.write(json.dumps(record) + "\n")
        self._last[path] = uuid
        return uuid

    def ask(self, text: str, **keys: Any) -> str:
        """A person says something."""
        return self.add("user", text, **keys)

    def answer(self, text: str, **keys: Any) -> str:
        """The model says something."""
        call = f"m{self._second + 1}"
        content = [{"type": "text", "text": text}]
        return self.add("assistant", content, message={"id": call, "stop_reason": "end_turn"}, **keys)

    def use(self, tool: str, name: str = "Bash", **given: Any) -> str:
        """The model calls a tool."""
        content = [{"type": "tool_use", "id": tool, "name": name, "input": given}]
        return self.add("assistant", content, message={"id": f"m-{tool}", "stop_reason": "tool_use"})

    def result(self, tool: str, text: str = "done", **keys: Any) -> str:
        """The tool answers."""
        return self.add("user", [{"type": "tool_result", "tool_use_id": tool, "content": text}], **keys)

    def collect(self, *, infer: bool = True) -> Conversation:
        """Collect and assemble what there is."""
        Collector(self.source, self.root, clock=lambda: AT, foreign=infer).collect_pass()
        outcome = assemble_session(self.root, SESSION, infer=infer)
        assert not outcome.error
        conversation = Root(self.root).load(SESSION)
        assert conversation.report.state == "verified"
        return conversation


@pytest.fixture
def old(tmp_path: Path) -> Transcript:
    """An empty transcript."""
    return Transcript(tmp_path)


def nodes(conversation: Conversation, kind: str) -> dict[str, dict[str, Any]]:
    """Nodes of a kind with their attrs."""
    return {node.id: attrs_of(node) for node in conversation.fold.of_kind(kind)}


def starts(conversation: Conversation) -> set[tuple[str, str, str, str]]:
    """What started what, how well that is known, and by what."""
    return {(r.from_, r.to, r.quality, r.via) for r in conversation.fold.relations.values() if r.type == "starts"}


# --- talks and questions


def test_a_question_begins_a_talk_where_no_prompt_has_an_id(old: Transcript) -> None:
    old.ask("fix the build")
    old.use("t1")
    old.result("t1")
    old.answer("It builds.")
    old.ask("and the tests")
    old.answer("They pass.")
    found = old.collect()
    inferred = {"loops": 1, "runs": 1, "trigger": "external", "trigger_from": "strong_inference"}
    assert nodes(found, "talk") == {"talk/main/u1": inferred, "talk/main/u5": inferred}
    assert nodes(found, "run")["run/talk_main_u1/u1"] == {"trigger": "external", "trigger_from": "strong_inference"}
    assert nodes(found, "message.external") == {
        f"input/1/{row}": {"kind_from": "strong_inference"} for row in (1, 5)
    }
    parents = {node.id: node.parent for node in found.fold.nodes.values()}
    assert parents["call/m-t1"] == parents["input/1/1"] == "run/talk_main_u1/u1"
    first = found.document().talks[0]
    assert (first.label, first.reply, first.steps) == ("fix the build", "It builds.", 5)


def test_the_originals_policy_makes_no_talk_of_it(old: Transcript) -> None:
    old.ask("fix the build")
    old.answer("It builds.")
    found = old.collect(infer=False)
    assert not nodes(found, "talk") and not nodes(found, "message.external")
    assert found.fold.header is not None and found.fold.header.policy == "v1+idle=10m0s"


def test_only_what_a_person_says_begins_a_talk(old: Transcript) -> None:
    old.ask("fix the build")
    old.use("t1")
    old.result("t1")
    old.ask("told by the runtime", isMeta=True)
    old.ask("<command-name>/clear</command-name>")
    old.ask("<local-command-stdout>ok</local-command-stdout>")
    old.ask("[Request interrupted by user]")
    old.ask("Caveat: the messages below were generated")
    old.ask("the summary of what went before", isCompactSummary=True)
    old.ask("<task-notification><task-id>a0123456789abcdef</task-id></task-notification>", origin={"kind": "task-notification"})
    old.answer("It builds.")
    assert list(nodes(old.collect(), "talk")) == ["talk/main/u1"]


def test_a_question_is_inferred_where_only_origins_are_missing(old: Transcript) -> None:
    for run in ("p1", "p2"):
        old.ask(f"question of {run}", promptId=run, version=BETWEEN)
        old.answer("An answer.")
        old.ask("one more line of the same prompt", promptId=run, version=BETWEEN)
    found = old.collect()
    assert nodes(found, "talk") == {f"talk/main/{run}": {"loops": 1, "runs": 1, "trigger": "external"} for run in ("p1", "p2")}
    assert list(nodes(found, "message.external")) == ["input/1/1", "input/1/4"], "the first of each prompt"


def test_nothing_is_inferred_once_it_is_told(old: Transcript) -> None:
    old.ask("an old question")
    old.ask("a new one", promptId="p1", origin={"kind": "human"})
    old.ask("not a question by its origin", promptId="p1")
    old.ask("nor this")
    found = old.collect()
    assert set(nodes(found, "talk")) == {"talk/main/u1", "talk/main/p1"}
    assert nodes(found, "message.external") == {"input/1/1": {"kind_from": "strong_inference"}, "input/1/2": {}}


# --- children


def test_a_side_chain_is_a_child_of_the_call_that_has_its_prompt(old: Transcript) -> None:
    old.ask("look at the log")
    old.use("t1", "Task", description="read", prompt="read the log and tell")
    main = old._last[old.project / f"{SESSION}.jsonl"]
    old.ask("read the log and tell", parentUuid=None, isSidechain=True, uuid="s1")
    old.answer("Nothing in it.", isSidechain=True)
    old.result("t1", "Nothing in it.", parentUuid=main)
    old.answer("The log is empty.")
    found = old.collect()
    assert nodes(found, "stream")["stream/side-s1"] == {"records": 2, "role": "child", "stream_from": "strong_inference"}
    assert starts(found) == {("tool/t1", "stream/side-s1", "strong_inference", "the prompt of the call")}
    assert set(nodes(found, "talk")) == {"talk/main/u1", "talk/side-s1"}
    assert [attrs["returned_value"] for attrs in nodes(found, "agent.output").values()] == ["observed_replayable"]
    assert list(nodes(found, "agent.call")) == ["tool/t1"]


def test_a_question_like_the_prompt_of_a_call_that_has_ended_is_a_question(old: Transcript) -> None:
    old.ask("look at the log")
    old.use("t1", "Task", prompt="read the log")
    old.result("t1")
    old.ask("read the log", parentUuid=None)
    found = old.collect()
    assert set(nodes(found, "stream")) == {"stream/main"} and len(nodes(found, "talk")) == 2


@pytest.mark.parametrize("where", [f"{SESSION}/subagents/agent-1f2e3d4c.jsonl", "agent-1f2e3d4c.jsonl"], ids=["below", "beside"])
def test_children_of_another_shape_are_collected_and_joined(old: Transcript, where: str) -> None:
    old.ask("look at the log")
    old.use("t1", "Task", prompt="read the log")
    old.ask("read the log", to=where, isSidechain=True, uuid="c1")
    old.answer("Nothing.", to=where)
    old.result("t1", "Nothing.")
    found = old.collect()
    assert nodes(found, "stream")["stream/1f2e3d4c"]["role"] == "child"
    assert starts(found) == {("tool/t1", "stream/1f2e3d4c", "strong_inference", "the prompt of the call")}
    assert not [ref for ref in found.fold.unresolved.values() if ref.state == "open"]


def test_of_several_calls_with_one_prompt_none_is_chosen(old: Transcript) -> None:
    old.ask("look twice")
    for tool in ("t1", "t2"):
        old.use(tool, "Task", prompt="read the log")
    old.ask("read the log", to=f"{SESSION}/subagents/agent-zed.jsonl")
    found = old.collect()
    assert starts(found) == {
        (f"tool/{tool}", "stream/zed", "weak_inference", "the prompt of the call") for tool in ("t1", "t2")
    }


def test_a_file_beside_sessions_that_names_none_is_left_alone(old: Transcript) -> None:
    old.ask("hello")
    (old.project / "agent-none.jsonl").write_text("{}\n")
    (old.project / "agent-half.jsonl").write_text(json.dumps({"sessionId": SESSION}))
    (old.project / "agent-main.jsonl").write_text(json.dumps({"sessionId": SESSION}) + "\n")
    assert set(nodes(old.collect(), "stream")) == {"stream/main"}


# --- what stays as it is


@pytest.mark.parametrize("case", sorted(path.name for path in CASES.iterdir() if (path / "root").is_dir()))
def test_where_nothing_is_missing_only_the_policy_differs(case: str, tmp_path: Path) -> None:
    frames = []
    for infer in (False, True):
        root = tmp_path / str(infer)
        shutil.copytree(CASES / case / "root", root)
        shutil.rmtree(root / "_conversations", ignore_errors=True)
        for session in Root(root).storage.sessions():
            assert not assemble_session(root, session, infer=infer).error
        lines = [line for path in sorted(root.rglob("*.sf")) for line in path.read_text().splitlines()]
        heads = [line for line in lines if line.startswith('{"t":"header"')]
        assert all(('"policy":"v1+idle=10m0s+infer"' in line) is infer for line in heads) and heads
        frames.append([line for line in lines if not line.startswith(('{"t":"header"', '{"t":"commit"'))])
    assert frames[0] == frames[1]


def test_the_two_policies_never_mix(old: Transcript) -> None:
    old.ask("fix the build")
    old.collect(infer=False)
    error = assemble_session(old.root, SESSION, infer=True).error
    assert "under policy v1+idle=10m0s, not by v1 under v1+idle=10m0s+infer" in error


def test_what_lands_later_changes_nothing_that_was_inferred(old: Transcript) -> None:
    """A session that grows a record at a time folds to what it folds to at once, and no node is ever taken back."""
    steps = [
        lambda: old.ask("look at the log"),
        lambda: old.use("t1", "Task", prompt="read the log"),
        lambda: old.ask("read the log", parentUuid=None, uuid="s1"),
        lambda: old.answer("Nothing."),
        lambda: old.result("t1", parentUuid="u2"),
        lambda: old.answer("It is empty."),
        lambda: old.ask("between", promptId="p1", version=BETWEEN),
        lambda: old.answer("Yes."),
        lambda: old.ask("new", promptId="p2", origin={"kind": "human"}),
        lambda: old.ask("more", promptId="p2"),
    ]
    collector = Collector(old.source, old.root, clock=lambda: AT, foreign=True)
    growing: Assembler | None = None
    seen: set[str] = set()
    for step in steps:
        step()
        collector.collect_pass()
        growing = growing or Assembler(old.root, SESSION, infer=True)
        assert not growing.assemble().error
        living = set(Root(old.root).load(SESSION).fold.nodes)
        assert seen <= living
        seen = living
    grown = Root(old.root).load(SESSION).fold
    shutil.rmtree(old.root / "_conversations")
    assert not assemble_session(old.root, SESSION, infer=True).error
    at_once = Root(old.root).load(SESSION).fold
    for name, node in at_once.nodes.items():
        other = grown.nodes[name]
        assert (node.kind, node.parent, node.stream, node.ref, attrs_of(node)) == (
            other.kind, other.parent, other.stream, other.ref, attrs_of(other)
        )
    assert grown.nodes.keys() == at_once.nodes.keys() and grown.relations.keys() == at_once.relations.keys()
