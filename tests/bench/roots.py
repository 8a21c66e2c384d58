"""Large roots made with the project's own writers: a conversation of any number of steps, and one more round for it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from asz_core.conversation import Conversation
from asz_core.sessiondata import SessionData, landed_bytes, landed_name, publish
from asz_core.sessionflow import chained_input_digest, round_bytes, round_name
from asz_core.storage import Storage

BIG = 18_000
CONVERSATION = "5eedb16b-0000-4000-8000-000000000001"
_STAMP = "20260101T000000.000000000Z"
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


def _time(second: int) -> str:
    day, rest = divmod(second, 86_400)
    return f"2026-01-{1 + day % 28:02d}T{rest // 3600:02d}:{rest // 60 % 60:02d}:{rest % 60:02d}.000Z"


def _text(rng: random.Random, words: int) -> str:
    return " ".join(rng.choices(_WORDS, k=words))


class _Maker:
    """Makes records and the nodes that stand on them, talk by talk."""

    def __init__(self, seq: int, first_talk: int, revision: int) -> None:
        self.seq = seq
        self.talk = first_talk
        self.revision = revision
        self.records: list[dict[str, Any]] = []
        self.nodes: list[dict[str, Any]] = []
        self.rng = random.Random(seq * 1000 + first_talk)

    def _record(self, **keys: Any) -> int:
        row = len(self.records) + 1
        time = _time(self.talk * 300 + row % 290)
        self.records.append(
            {"ord": row, "off": row, "sha": f"{row:012x}", "bytes": 400, "id": f"{self.seq}-{row}", "time": time, **keys}
        )
        return row

    def _node(self, node_id: str, kind: str, parent: str, row: int, **keys: Any) -> None:
        self.nodes.append(
            {
                "t": "node",
                "id": node_id,
                "kind": kind,
                "parent": parent,
                "stream": "main",
                "ref": {"seq": self.seq, "row": row},
                **keys,
            }
        )

    def make_talk(self, steps: int) -> None:
        """One talk with an input, calls, and a tool with its result under each call."""
        name = f"{self.seq}-{self.talk}"
        talk, run = f"talk/main/{name}", f"run/{name}"
        row = self._record(**{"from": "external"}, parts=[_part("text", _text(self.rng, 20))])
        self._node(talk, "talk", "epoch/main/0", row, attrs={"runs": 1, "trigger": "external"})
        self._node(run, "run", talk, row, attrs={"trigger": "external"})
        self._node(f"input/{name}", "message.external", run, row)
        for number in range(steps // 3):
            self._make_call(f"{name}-{number}", run)
        self.talk += 1

    def _make_call(self, name: str, run: str) -> None:
        command = {"command": _text(self.rng, 8), "description": _text(self.rng, 4)}
        call = {"k": "call", "id": f"c-{name}", "name": "Bash", "data": command, "state": "available", "bytes": 90}
        usage = {"in": 5, "out": 60, "cache_read": 900}
        row = self._record(call=name, usage=usage, parts=[_part("text", _text(self.rng, 30)), call])
        answer = {"k": "result", "of": f"c-{name}", "text": _text(self.rng, 150), "state": "available", "bytes": 1000}
        result = self._record(parts=[answer])
        refs = [{"seq": self.seq, "row": row, "block": 1}, {"seq": self.seq, "row": result, "block": 0}]
        self._node(f"call/{name}", "llm.call", run, row, attrs={"usage_at": {"row": row, "seq": self.seq}})
        self._node(f"msg/{name}", "message.assistant", f"call/{name}", row)
        attrs = {"name": "Bash", "result": "available", "result_join": "exact_unique"}
        self._node(f"tool/{name}", "tool", f"call/{name}", row, refs=refs, attrs=attrs)


def _part(kind: str, text: str) -> dict[str, Any]:
    return {"k": kind, "text": text, "state": "available", "bytes": len(text)}


def _session(revision: int) -> list[dict[str, Any]]:
    session = f"session/{CONVERSATION}"
    stream = {"t": "node", "id": "stream/main", "kind": "stream", "parent": session, "stream": "main", "attrs": {"role": "main"}}
    epoch = {"t": "node", "id": "epoch/main/0", "kind": "epoch", "parent": "stream/main", "stream": "main"}
    times = {"title": "made for measuring", "from_time": _time(0), "through_time": _time(revision)}
    return [{"t": "node", "id": session, "kind": "session", "attrs": times}, stream, epoch]


def _land(root: Path, maker: _Maker) -> None:
    header = {"seq": maker.seq, "at": _time(0), "kind": "transcript", "adapter": "bench/1", "dialect": "bench/1", "src": "bench"}
    header |= {"session": CONVERSATION, "stream": "main"}
    folder = root / CONVERSATION / "streams" / "main"
    publish(folder / landed_name("transcript", _STAMP, maker.seq), landed_bytes(header, maker.records))


def _publish_round(root: Path, number: int, previous: str, input_digest: str, span: tuple[int, int], nodes: list[Any]) -> str:
    header = {
        "conversation": CONVERSATION, "session": CONVERSATION, "round": number, "previous": previous,
        "from_seq": span[0], "through_seq": span[1], "input_digest": input_digest, "parser": "v1", "policy": "bench",
    }  # fmt: skip
    data, digest = round_bytes(header, nodes)
    publish(root / "_conversations" / CONVERSATION / "rounds" / round_name(number, digest), data)
    return digest


def _digests(root: Path, seqs: Iterator[int] | range) -> list[str]:
    data = SessionData(Storage(root), CONVERSATION)
    data.refresh()
    return [landed.digest for seq in seqs if (landed := data.by_seq(seq)) is not None]


def large_root(root: Path, steps: int) -> str:
    """Make a root with one conversation.

    Args:
        root: a folder to be made.
        steps: about how many.

    Returns:
        The conversation's id.
    """
    talks = max(1, steps // _STEPS_A_TALK)
    nodes: list[Any] = _session(1)
    files = max(1, talks // 400)
    made = 0
    for seq in range(1, files + 1):
        maker = _Maker(seq, made, 1)
        share = talks // files if seq < files else talks - made
        for _ in range(share):
            maker.make_talk(_STEPS_A_TALK - 1)
        made += share
        _land(root, maker)
        nodes += maker.nodes
    digest = chained_input_digest("", _digests(root, range(1, files + 1)))
    _publish_round(root, 1, "", digest, (1, files), nodes)
    return CONVERSATION


def next_round(root: Path, loaded: Conversation, number: int) -> None:
    """Land one more file and the round of about 40 frames that consumes it."""
    head = loaded.fold.header
    assert head is not None
    seq = head.through_seq + 1
    maker = _Maker(seq, 100_000 + number, head.round + 1)
    maker.make_talk(36)
    _land(root, maker)
    digest = chained_input_digest(head.input_digest, _digests(root, range(seq, seq + 1)))
    _publish_round(root, head.round + 1, loaded.fold.digest, digest, (seq, seq), maker.nodes)
