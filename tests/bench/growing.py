"""A conversation that grows a round at a time: the landed files and the round that consumes them, published as a real writer does.

`Growing.begin` starts one, `Growing.resume` goes on where any conversation of a root ends, a real one too.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from asz_core.sessiondata import landed_bytes, landed_name, publish
from asz_core.sessionflow import Chain, chained_input_digest, round_bytes, round_name
from asz_core.storage import Storage
from asz_core.vocabulary import is_step

from .talks import Frames, LandedPart, stamp

_STAMP = "20260101T000000.000000000Z"
_BETWEEN_TALKS = 2_600.0
_SEGMENT = 3


@dataclass(slots=True)
class Counts:
    """What a round's header tells of the whole conversation."""

    talks: int = 0
    steps: int = 0
    streams: int = 1
    segments: int = 0
    llm_calls: int = 0
    subagents: int = 0
    bash_runs: int = 0


class Growing:
    """A conversation and where it ends.

    Attributes:
        number, digest: of the newest round.
        seq: of the newest landed file.
        second: the time of the last talk, in seconds after the beginning.
        published: bytes written by this object.
    """

    def __init__(self, root: Path, conversation: str, title: str = "made for measuring") -> None:
        """
        Args:
            root: the storage root; need not exist.
            conversation: its id.
            title: what lists call it.
        """
        self.root, self.conversation, self.session, self.title = root, conversation, conversation, title
        self.number, self.digest, self.input_digest, self.seq = 0, "", "", 0
        self.identity = {"parser": "v1", "policy": "v1+idle=10m0s"}
        self.epoch = "epoch/main/0"
        self.counts = Counts()
        self.second = 0.0
        self.published = 0

    @classmethod
    def resume(cls, root: Path, conversation: str) -> Growing:
        """Go on at the end of a conversation that is there."""
        chain = Chain(Storage(root), conversation)
        chain.refresh()
        head = chain.fold.header
        assert head is not None, f"{conversation} has no round that reads"
        grown = cls(root, conversation, head.title)
        grown.session, grown.number, grown.digest = head.session, head.round, chain.fold.digest
        grown.input_digest, grown.seq = head.input_digest, head.through_seq
        grown.identity = {"parser": head.parser, "policy": head.policy}
        epochs = [node for node in chain.fold.of_kind("epoch") if node.stream == "main" and node.ref is not None]
        if epochs:
            grown.epoch = max(epochs, key=lambda node: (node.ref.seq, node.ref.row)).id  # type: ignore[union-attr]
        have = msgspec.structs.asdict(head)
        grown.counts = Counts(**{name: have[name] or 0 for name in Counts.__slots__})
        grown.second = 100 * 86_400.0 + _BETWEEN_TALKS * head.round
        return grown

    def grow(self, talks: int, children: int = 0, said: str = "", mark: str = "", calls: int = 0) -> None:
        """Land one more file of the main stream, the files of its children, and the round that consumes them.

        Args:
            talks: so many in the main stream.
            children: so many of them start a child agent.
            said: what the first talk begins with.
            mark: stands in the last command of the last talk.
            calls: model calls a talk; an ordinary number when 0.
        """
        frames = Frames()
        first = self.seq + 1
        digests: list[str] = []
        main = LandedPart(first, "main", self.epoch, self.second, frames)
        self.seq += 1
        spawned: list[tuple[str, float]] = []
        for number in range(talks):
            self._talk(main, number, children, said, mark if number == talks - 1 else "", calls, spawned)
        digests.append(self._publish_landed(main, "transcript"))
        for child, second in spawned:
            digests += self._child(child, second, frames)
        self.second = main.second
        self._publish_round(first, digests, frames, len(main.records))

    def _talk(
        self, main: LandedPart, number: int, children: int, said: str, mark: str, calls: int, spawned: list[tuple[str, float]]
    ) -> None:
        self.second += _BETWEEN_TALKS
        main.second = max(main.second, self.second)
        begin = main.second
        child = f"a{self.number + 1:06x}{number:010x}" if number < children else ""
        name = f"{self.number + 1}.{number}"
        words = said if said and not number else f"talk {self.counts.talks + 1}"
        row = len(main.records) + 1
        talk = main.talk(name, words, child, mark=mark, **({"calls": calls} if calls else {}))
        self.counts.talks += 1
        if child:
            spawned.append((child, begin + 3))
        if self.counts.talks % _SEGMENT == 1 or not number:
            self.counts.segments += 1
            attrs = {"committable": True, "gates_unmet": [], "state": "candidate", "talks": _SEGMENT}
            self._segment = f"segment/at_{main.seq}_{row}"
            segment = {"t": "node", "id": self._segment, "kind": "segment", "parent": f"session/{self.session}"}
            main.frames.nodes.append({**segment, "ref": {"seq": main.seq, "row": row}, "attrs": attrs})
        main.frames.relate("in_segment", talk, self._segment, "activity window", main.seq, row)

    def _child(self, child: str, second: float, frames: Frames) -> list[str]:
        """Land what a child agent did, and what is known of it."""
        self.seq += 1
        part = LandedPart(self.seq, child, f"epoch/{child}/0", second, frames)
        part.child_talk(part.words(160))
        frames.nodes += _stream(self.session, child, {"label": f"kid {child[-4:]}", "role": "child"}, part.seq, len(part.records))
        self.counts.streams += 1
        self.counts.subagents += 1
        self.counts.talks += 1
        digest = self._publish_landed(part, "transcript")
        self.seq += 1
        data = {"agentType": "general-purpose", "description": f"kid {child[-4:]}", "spawnDepth": 1}
        meta = LandedPart(self.seq, child, "", second, Frames())
        meta.records = [
            {"ord": 1, "off": 0, "sha": "0" * 12, "bytes": 200, "child": child, "label": f"kid {child[-4:]}", "from": "runtime"}
        ]
        meta.records[0]["parts"] = [{"k": "data", "data": data, "state": "available", "bytes": 90}]
        return [digest, self._publish_landed(meta, "meta")]

    def _publish_landed(self, part: LandedPart, kind: str) -> str:
        header = {"seq": part.seq, "at": stamp(part.second), "kind": "agent_meta" if kind == "meta" else kind}
        header |= {"adapter": "bench/1", "dialect": "bench/1", "src": "bench", "session": self.session, "stream": part.stream}
        data = landed_bytes(header, part.records)
        publish(self.root / self.session / "streams" / part.stream / landed_name(kind, _STAMP, part.seq), data)
        self.published += len(data)
        return file_digest(data)

    def _publish_round(self, first: int, digests: list[str], frames: Frames, records: int) -> None:
        self.number += 1
        counts = self.counts
        counts.llm_calls += frames.calls
        counts.bash_runs += frames.shell_runs
        counts.steps += sum(1 for node in frames.nodes if is_step(node["kind"]))
        self.input_digest = chained_input_digest(self.input_digest, digests)
        now = stamp(self.second)
        header: dict[str, Any] = {"conversation": self.conversation, "session": self.session, "round": self.number}
        header |= {"previous": self.digest, "from_seq": first, "through_seq": self.seq, "input_digest": self.input_digest}
        header |= {**self.identity, "through_time": now, "session_from_time": stamp(0), "session_through_time": now}
        header |= {"title": self.title, "unresolved": 0, "changes": 0, "lines_added": 0, "lines_removed": 0}
        header |= {name: getattr(counts, name) for name in Counts.__slots__}
        nodes = [_session(self.session, self.title, now), *self._main_stream(first, records), *frames.nodes]
        data, self.digest = round_bytes(header, [*nodes, *frames.relations])
        publish(self.root / "_conversations" / self.conversation / "rounds" / round_name(self.number, self.digest), data)
        self.published += len(data)

    def _main_stream(self, first: int, records: int) -> list[dict[str, Any]]:
        """What the round tells again of the main stream; of a conversation that was made elsewhere, nothing."""
        if self.epoch != "epoch/main/0":
            return []
        return _stream(self.session, "main", {"role": "main"}, first if self.number == 1 else 1, records)


def _session(session: str, title: str, now: str) -> dict[str, Any]:
    attrs = {"conversation": session, "from_time": stamp(0), "through_time": now, "title": title}
    return {"t": "node", "id": f"session/{session}", "kind": "session", "attrs": attrs}


def _stream(session: str, name: str, attrs: dict[str, Any], seq: int, records: int) -> list[dict[str, Any]]:
    ref = {"seq": seq, "row": 1}
    stream = {"t": "node", "id": f"stream/{name}", "kind": "stream", "parent": f"session/{session}", "stream": name, "ref": ref}
    epoch = {"t": "node", "id": f"epoch/{name}/0", "kind": "epoch", "parent": f"stream/{name}", "stream": name, "ref": ref}
    return [{**stream, "attrs": {**attrs, "records": records}}, {**epoch, "attrs": {"records": records, "reset": "none"}}]


def file_digest(data: bytes) -> str:
    """The SHA-256 of a whole landed file, which the next round's input digest is made of."""
    import hashlib

    return hashlib.sha256(data).hexdigest()


def forty_frames(grown: Growing, mark: str = "") -> None:
    """Land a file and a round of about 40 frames: one talk of eleven calls."""
    grown.grow(1, said=f"one more {grown.number}", mark=mark, calls=11)
