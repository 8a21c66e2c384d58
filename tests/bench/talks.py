"""Records and the nodes that stand on them, talk by talk, in the shapes that a real conversation has.

One `LandedPart` is one landed file in the making: the talks of one stream. Texts are cut out of one pool of made-up words, so
making hundreds of megabytes takes seconds; everything is seeded, so two runs make the same bytes.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

_WORDS = (
    *("relay", "port", "check", "deadline", "retry", "buffer", "parser", "ledger", "review", "index", "shard", "timeline"),
    *("cursor", "patch", "commit", "merge", "palette", "digest", "handler", "waterfall", "column", "boundary", "snapshot"),
    *("viewport", "segment", "payload", "kernel", "fixture", "matrix", "packet", "notice", "socket"),
)
_START = datetime(2026, 1, 1, 0, 0, 1, tzinfo=UTC)
_CHILD_CALLS = 9
CALLS = 13
"""Model calls of an ordinary talk: about 40 steps."""


def _pool() -> str:
    rng = random.Random(4)
    return " ".join(rng.choices(_WORDS, k=200_000))


POOL = _pool()


def stamp(second: float) -> str:
    """A time so many seconds after the beginning, as records carry it."""
    return (_START + timedelta(seconds=second)).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


@dataclass(slots=True)
class Frames:
    """Entities of one round, in the order in which they are written."""

    nodes: list[dict[str, Any]] = field(default_factory=list)
    relations: list[dict[str, Any]] = field(default_factory=list)
    calls: int = 0
    shell_runs: int = 0

    def relate(self, sort: str, start: str, end: str, via: str, seq: int, row: int) -> None:
        """Add a relation that is certain."""
        name = f"rel/{sort}/{start.replace('/', '_')}/{end.replace('/', '_')}"
        evidence = [{"seq": seq, "row": row}]
        frame = {"t": "relation", "id": name, "type": sort, "from": start, "to": end, "quality": "exact_unique"}
        self.relations.append({**frame, "via": via, "evidence": evidence})


class LandedPart:
    """One landed file in the making, of one stream.

    Attributes:
        records: its lines so far.
        second: the clock, in seconds after the beginning; every record moves it on.
    """

    def __init__(self, seq: int, stream: str, epoch: str, second: float, frames: Frames) -> None:
        """
        Args:
            seq: the file's sequence.
            stream: whose talks these are.
            epoch: id of the node that contains the talks.
            second: where the clock starts.
            frames: gets the nodes.
        """
        self.seq, self.stream, self.epoch, self.second = seq, stream, epoch, second
        self.frames = frames
        self.records: list[dict[str, Any]] = []
        self.rng = random.Random(seq)
        self._offset = 0

    def words(self, size: int) -> str:
        """A text of about so many characters."""
        start = POOL.index(" ", self.rng.randrange(len(POOL) - size - 50)) + 1
        return POOL[start : start + size].rstrip()

    def _record(self, size: int, **keys: Any) -> int:
        row = len(self.records) + 1
        self.second += 0.7
        head = {"ord": row, "off": self._offset, "sha": f"{row:012x}", "bytes": size}
        self._offset += size
        self.records.append({**head, **keys, "time": stamp(self.second)})
        return row

    def _node(self, node_id: str, kind: str, parent: str, row: int, block: int | None = None, **keys: Any) -> None:
        ref = {"seq": self.seq, "row": row} if block is None else {"seq": self.seq, "row": row, "block": block}
        self.frames.nodes.append(
            {"t": "node", "id": node_id, "kind": kind, "parent": parent, "stream": self.stream, "ref": ref, **keys}
        )

    def child_talk(self, prompt: str) -> None:
        """The only talk of a child stream, with what it hands back at its end."""
        talk, run = f"talk/{self.stream}", f"run/talk_{self.stream}/{self.stream}-cycle"
        row = self._record(400, id=f"{self.stream}-prompt", **{"from": "external"}, parts=[_text(prompt)])
        self._node(talk, "talk", self.epoch, row, attrs={"loops": 1, "runs": 1, "trigger": "unknown"})
        self._node(run, "run", talk, row, attrs={"trigger": "external"})
        for number in range(_CHILD_CALLS):
            self._call(f"{self.stream}-{number}", run)
        last = len(self.records)
        output = f"output/{self.stream}"
        self._node(
            output, "agent.output", run, last, refs=[{"seq": self.seq, "row": last}], attrs={"returned_value": "unavailable"}
        )
        self.frames.relate("ends_with", f"stream/{self.stream}", output, "the last response in the child stream", self.seq, last)

    def talk(self, name: str, said: str, child: str = "", calls: int = CALLS, mark: str = "") -> str:
        """One talk of the main stream.

        Args:
            name: part of the ids.
            said: what the person says first.
            child: start this child agent at its beginning.
            calls: so many model calls, each about three steps.
            mark: stands in the last command.

        Returns:
            The id of its node.
        """
        cycle = f"s{name}-cycle"
        talk, run = f"talk/{self.stream}/{cycle}", f"run/talk_{self.stream}_{cycle}/{cycle}"
        parts = [_text(f"{said} {self.words(200)}")]
        flags = {"flags": ["external_input"], "trigger": "external", "run": cycle, "from": "external"}
        row = self._record(500, id=f"s{name}-input", **flags, parts=parts)
        runs = 2 if child else 1
        self._node(talk, "talk", self.epoch, row, attrs={"loops": runs, "runs": runs, "trigger": "external"})
        self._node(run, "run", talk, row, attrs={"trigger": "external"})
        self._node(f"input/{self.seq}/{row}", "message.external", run, row)
        if child:
            run = self._spawn(name, child, talk, run)
        for number in range(calls):
            self._call(f"s{name}-{number}", run, mark if number == calls - 1 else "")
        return talk

    def _spawn(self, name: str, child: str, talk: str, run: str) -> str:
        """Start a child agent, and resume when it reports; returns the run that goes on."""
        data = {"description": f"kid {child[-4:]}", "prompt": self.words(160), "subagent_type": "general-purpose"}
        tool = self._tool(f"s{name}-agent", run, "Agent", data, "launched", child=child)
        ack = len(self.records)
        self._node(f"ack/{self.seq}/{ack}", "agent.launch_ack", run, ack)
        told = f"<task-notification>\n<task-id>{child}</task-id>\n<status>completed</status>\n</task-notification>"
        self.second += 60
        row = self._record(
            430, id=f"s{name}-notice", child=child, **{"from": "external"}, trigger="notification", parts=[_text(told)]
        )
        resumed = f"run/talk_{self.stream}_s{name}-cycle/s{name}-cycle-notification"
        self._node(resumed, "run", talk, row, attrs={"trigger": "notification"})
        self._node(f"notify/{self.seq}/{row}", "runtime.notification", resumed, row)
        self.frames.relate("starts", tool, f"stream/{child}", "parent tool result", self.seq, ack)
        self.frames.relate("reports", f"notify/{self.seq}/{row}", f"stream/{child}", "task id on the notification", self.seq, row)
        return resumed

    def _call(self, name: str, run: str, mark: str = "") -> None:
        """One model call with what it says, and a tool with its result."""
        sort = self.rng.choices(("Bash", "Grep", "Read", "Edit"), (38, 22, 22, 18))[0] if not mark else "Bash"
        if sort == "Edit":
            data = {"file_path": f"src/{self.words(9)}.py", "old_string": self.words(420), "new_string": self.words(520)}
            answer = "The file was updated."
        elif sort == "Bash":
            data = {"command": f"{mark or self.words(60)}", "description": mark or self.words(30)}
            answer = self.words(self.rng.randrange(100, 5_200))
        else:
            data = {"pattern": self.words(12)} if sort == "Grep" else {"file_path": f"src/{self.words(9)}.py"}
            answer = self.words(self.rng.randrange(300, 11_000))
        self.frames.shell_runs += sort == "Bash"
        self._tool(name, run, sort, data, answer)

    def _tool(self, name: str, run: str, sort: str, data: dict[str, Any], answer: str, child: str = "") -> str:
        common = {"call": f"{name}-call", "from": "agent", "model": "made", "usage": _usage(self.rng)}
        said = self._record(360, id=f"{name}-call-f1", **common, parts=[_text(self.words(150))])
        part = {"k": "call", "data": data, "id": f"{name}-tool", "name": sort, "state": "available", "bytes": 90}
        asked = self._record(700, id=f"{name}-call-f2", **common, flags=["finished"], parts=[part])
        failed = {"failed": True} if self.rng.random() < 0.04 and not child else {}
        result = {"k": "result", "text": answer, "of": f"{name}-tool", "state": "available", "bytes": len(answer), **failed}
        more = {"child": child, "flags": ["launch_ack"]} if child else {}
        back = self._record(len(answer) + 300, id=f"{name}-result", **{"from": "external"}, **more, parts=[result])
        self._nodes_of_call(name, run, sort, (said, asked, back), "agent.call" if child else "tool")
        return f"tool/{name}"

    def _nodes_of_call(self, name: str, run: str, sort: str, rows: tuple[int, int, int], kind: str) -> None:
        said, asked, back = rows
        call = f"call/{name}"
        refs = [{"seq": self.seq, "row": row} for row in (said, asked)]
        usage = {
            "usage": "observed_replayable",
            "usage_at": {"row": asked, "seq": self.seq},
            "usage_from": "last_fragment_in_line_order",
        }
        self._node(call, "llm.call", run, said, refs=refs, attrs={"fragments": 2, **usage})
        self._node(f"msg/{self.seq}/{said}:0", "message.assistant", call, said, 0)
        both = [{"seq": self.seq, "row": row, "block": 0} for row in (asked, back)]
        attrs = {"name": sort, "result": "available", "result_join": "exact_unique", "timing": "unavailable"}
        self._node(f"tool/{name}", kind, call, asked, 0, refs=both, attrs=attrs)
        self.frames.calls += 1


def _text(text: str) -> dict[str, Any]:
    return {"k": "text", "text": text, "state": "available", "bytes": len(text)}


def _usage(rng: random.Random) -> dict[str, int]:
    return {
        "in": 5,
        "out": rng.randrange(40, 800),
        "cache_read": rng.randrange(9_000, 120_000),
        "cache_write": rng.randrange(4_000),
    }
