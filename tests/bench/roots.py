"""Large roots made with the project's own writers: a conversation of any number of steps, many small ones, and one more round.

The shape is that of real ones: a main stream of talks with calls and tools, child agents with a stream of their own that a tool of
the main one started, texts from a line to some kilobytes, about 1.8 MB a thousand steps.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from asz_core.sessiondata import landed_bytes, landed_name, parse_landed, publish
from asz_core.sessionflow import Fold, chained_input_digest, round_bytes, round_name
from asz_core.storage import LandedFile

BIG = 18_000
CONVERSATION = "5eedb16b-0000-4000-8000-000000000001"
_STAMP = "20260101T000000.000000000Z"
_FIRST = datetime(2026, 1, 1, tzinfo=UTC)
_WORDS = [
    "relay",
    "port",
    "check",
    "deadline",
    "retry",
    "buffer",
    "parser",
    "ledger",
    "review",
    "index",
    "shard",
    "timeline",
    "cursor",
    "patch",
    "commit",
    "merge",
]
_STEPS_A_TALK = 40
_TALK_SECONDS = 300
_CHILD_EVERY = 4
_CHILDREN = 107
_MAIN_TALKS_A_FILE = 100
_LATER = 6_000
"""The number of the first talk of rounds that are landed later, past those of the largest root."""


def _time(second: int) -> str:
    return (_FIRST + timedelta(seconds=second)).strftime("%Y-%m-%dT%H:%M:%S.000Z")


@dataclass(slots=True)
class _Stream:
    """A stream, and the tool that started it."""

    name: str
    opener: str = ""


class _Maker:
    """Makes the records of one landed file and the nodes that stand on them, talk by talk."""

    def __init__(self, conversation: str, seq: int, stream: _Stream) -> None:
        self.conversation = conversation
        self.seq = seq
        self.stream = stream
        self.records: list[dict[str, Any]] = []
        self.frames: list[dict[str, Any]] = []
        self._rng = random.Random(seq)

    def text(self, words: int) -> str:
        """Some words."""
        return " ".join(self._rng.choices(_WORDS, k=words))

    def record(self, talk: int, **keys: Any) -> int:
        """One more record; returns its row."""
        row = len(self.records) + 1
        at = _time(talk * _TALK_SECONDS + len(self.records) % 290)
        self.records.append(
            {"ord": row, "off": row, "sha": f"{row:012x}", "bytes": 400, "id": f"{self.seq}-{row}", "time": at, **keys}
        )
        return row

    def node(self, node_id: str, kind: str, parent: str, row: int, **keys: Any) -> None:
        """One more node, on a record of this file."""
        place = {"seq": self.seq, "row": row}
        self.frames.append(
            {"t": "node", "id": node_id, "kind": kind, "parent": parent, "stream": self.stream.name, "ref": place, **keys}
        )

    def begin(self) -> None:
        """The stream with its epoch, and what started it."""
        name = self.stream.name
        role = "child" if self.stream.opener else "main"
        attrs = {"label": f"worker {self.seq}", "records": 1, "role": role} if self.stream.opener else {"role": role}
        self.node(f"stream/{name}", "stream", f"session/{self.conversation}", 1, attrs=attrs)
        self.node(f"epoch/{name}/0", "epoch", f"stream/{name}", 1, attrs={"reset": "none"})
        if self.stream.opener:
            self.relation("starts", self.stream.opener, f"stream/{name}")

    def relation(self, kind: str, start: str, end: str) -> None:
        """One more relation."""
        names = f"{start.replace('/', '_')}/{end.replace('/', '_')}"
        self.frames.append(
            {
                "t": "relation",
                "id": f"rel/{kind}/{names}",
                "type": kind,
                "from": start,
                "to": end,
                "quality": "exact_unique",
                "via": "bench",
            }
        )

    def make_talk(self, talk: int, steps: int, child: str = "") -> None:
        """One talk with an input and calls, a tool with its result under each; the first tool may start a child."""
        name = f"{self.seq}-{talk}"
        talk_id, run = f"talk/{self.stream.name}/{name}", f"run/{name}"
        row = self.record(talk, **{"from": "external"}, parts=[_part("text", self.text(20))])
        self.node(talk_id, "talk", f"epoch/{self.stream.name}/0", row, attrs={"runs": 1, "trigger": "external"})
        self.node(run, "run", talk_id, row, attrs={"trigger": "external"})
        self.node(f"input/{name}", "message.external", run, row)
        for number in range(max(1, steps // 3)):
            self._make_call(talk, f"{name}-{number}", run, child if number == 0 else "")

    def _make_call(self, talk: int, name: str, run: str, child: str) -> None:
        command = {"command": self.text(8), "description": self.text(4)}
        tool = f"tool/{child or name}"
        call = {"k": "call", "id": tool, "name": "Agent" if child else "Bash", "data": command, "state": "available", "bytes": 90}
        usage = {"in": 5, "out": 60, "cache_read": 900}
        row = self.record(talk, call=name, usage=usage, parts=[_part("text", self.text(30)), call])
        long = self.text(self._rng.choice((40, 150, 300, 900, 2000)))
        result = self.record(talk, parts=[{"k": "result", "of": tool, "text": long, "state": "available", "bytes": len(long)}])
        refs = [{"seq": self.seq, "row": row, "block": 1}, {"seq": self.seq, "row": result, "block": 0}]
        self.node(f"call/{name}", "llm.call", run, row, attrs={"usage_at": {"row": row, "seq": self.seq}})
        self.node(f"msg/{name}", "message.assistant", f"call/{name}", row)
        attrs = {"name": call["name"], "result": "available", "result_join": "exact_unique"}
        self.node(tool, "agent.call" if child else "tool", f"call/{name}", row, refs=refs, attrs=attrs)


def _part(kind: str, text: str) -> dict[str, Any]:
    return {"k": kind, "text": text, "state": "available", "bytes": len(text)}


def _session(conversation: str, through: int, title: str) -> dict[str, Any]:
    attrs = {"from_time": _time(0), "through_time": _time(through), "title": title}
    return {"t": "node", "id": f"session/{conversation}", "kind": "session", "attrs": attrs}


def _land(root: Path, maker: _Maker) -> str:
    """Publish a file; returns its digest."""
    header = {"seq": maker.seq, "at": _time(0), "kind": "transcript", "adapter": "bench/1", "dialect": "bench/1", "src": "bench"}
    header |= {"session": maker.conversation, "stream": maker.stream.name}
    name = landed_name("transcript", _STAMP, maker.seq)
    path = root / maker.conversation / "streams" / maker.stream.name / name
    data = landed_bytes(header, maker.records)
    publish(path, data)
    return parse_landed(LandedFile(str(path), name, name, maker.seq, maker.stream.name, None), data).digest


def _publish(root: Path, header: dict[str, Any], frames: list[dict[str, Any]]) -> str:
    conversation = header["conversation"]
    data, digest = round_bytes({"session": conversation, "parser": "v1", "policy": "bench", **header}, frames)
    publish(root / "_conversations" / conversation / "rounds" / round_name(header["round"], digest), data)
    return digest


def large_root(root: Path, steps: int) -> str:
    """Make a root with one conversation, unless it is there.

    Args:
        root: a folder.
        steps: about how many.

    Returns:
        The conversation's id.
    """
    if root.exists():
        return CONVERSATION
    talks = max(1, steps // _STEPS_A_TALK)
    children = min(_CHILDREN, talks // _CHILD_EVERY)
    main = _Stream("main")
    frames: list[dict[str, Any]] = [_session(CONVERSATION, talks * _TALK_SECONDS, "made for measuring")]
    digests: list[str] = []
    maker = _Maker(CONVERSATION, 1, main)
    maker.begin()
    for talk in range(talks - children):
        child = f"a{talk // _CHILD_EVERY:016x}" if talk % _CHILD_EVERY == 0 and talk // _CHILD_EVERY < children else ""
        maker.make_talk(talk, _STEPS_A_TALK - 1, child)
        if (talk + 1) % _MAIN_TALKS_A_FILE == 0:
            digests.append(_land(root, maker))
            frames += maker.frames
            maker = _Maker(CONVERSATION, len(digests) + 1, main)
    for number in range(children):
        if maker.records:
            digests.append(_land(root, maker))
            frames += maker.frames
        name = f"a{number:016x}"
        maker = _Maker(CONVERSATION, len(digests) + 1, _Stream(name, f"tool/{name}"))
        maker.begin()
        maker.make_talk(number * _CHILD_EVERY, _STEPS_A_TALK - 1)
    if maker.records:
        digests.append(_land(root, maker))
        frames += maker.frames
    header = {
        "conversation": CONVERSATION, "round": 1, "previous": "", "from_seq": 1, "through_seq": len(digests),
        "input_digest": chained_input_digest("", digests), "title": "made for measuring", "talks": talks, "steps": steps,
    }  # fmt: skip
    _publish(root, header, frames)
    return CONVERSATION


def many_conversations(root: Path, count: int) -> tuple[Path, str]:
    """Make a root with many small conversations, unless it is there.

    Returns:
        The root, and the title of the newest.
    """
    title = f"conversation {count - 1:05d}"
    if root.exists():
        return root, title
    for number in range(count):
        conversation = f"5eed{number:04x}-0000-4000-8000-{number:012x}"
        maker = _Maker(conversation, 1, _Stream("main"))
        maker.begin()
        maker.make_talk(number, 6)
        digest = _land(root, maker)
        said = f"conversation {number:05d}"
        header = {
            "conversation": conversation, "round": 1, "previous": "", "from_seq": 1, "through_seq": 1,
            "input_digest": chained_input_digest("", [digest]), "title": said, "talks": 1, "steps": 7, "streams": 1,
            "session_from_time": _time(number * _TALK_SECONDS), "session_through_time": _time((number + 1) * _TALK_SECONDS),
        }  # fmt: skip
        _publish(root, header, [_session(conversation, (number + 1) * _TALK_SECONDS, said), *maker.frames])
    return root, title


def next_round(root: Path, fold: Fold, number: int) -> None:
    """Land one more file and the round of about 40 frames that consumes it.

    Args:
        root: the root.
        fold: of the conversation, with its newest round.
        number: not used before.
    """
    head = fold.header
    assert head is not None
    seq = head.through_seq + 1
    maker = _Maker(head.conversation, seq, _Stream("main"))
    maker.make_talk(_LATER + number, 36)
    digest = chained_input_digest(head.input_digest, [_land(root, maker)])
    header = {
        "conversation": head.conversation, "session": head.session, "round": head.round + 1, "previous": fold.digest,
        "from_seq": seq, "through_seq": seq, "input_digest": digest, "parser": head.parser, "policy": head.policy,
    }  # fmt: skip
    _publish(root, header, maker.frames)
