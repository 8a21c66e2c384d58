"""A small maker of storage roots: land records, publish rounds, load what came of it.

Everything is written with the project's own writers, digests included, so a root is whole unless a test says otherwise. Rounds
take in what landed since the one before, and name it.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import orjson

from asz_core import Conversation, Root
from asz_core.sessiondata import landed_bytes, landed_name
from asz_core.sessionflow import chained_input_digest, round_bytes, round_name

STAMP = "20260101T000000.000000000Z"
CONVERSATION = "c0"
SESSION = "s0"
POLICY = "v1+idle=10m0s"


def sha(data: bytes) -> str:
    """SHA-256 as hex text."""
    return hashlib.sha256(data).hexdigest()


def ref(at: tuple[int, ...] | dict[str, Any]) -> dict[str, Any]:
    """A reference from (seq, row) or (seq, row, block)."""
    return at if isinstance(at, dict) else dict(zip(("seq", "row", "block"), at, strict=False))


def node(
    id: str, kind: str, at: tuple[int, ...] | None = None, *, refs: list[tuple[int, ...]] | None = None, **keys: Any
) -> dict[str, Any]:
    """A node frame. ``at`` is its ref; without ``refs`` but with ``at`` it has no refs."""
    frame: dict[str, Any] = {"t": "node", "id": id, "kind": kind}
    if at is not None:
        frame["ref"] = ref(at)
    if refs is not None:
        frame["refs"] = [ref(one) for one in refs]
    return frame | keys


def relation(type: str, from_: str, to: str, id: str = "", **keys: Any) -> dict[str, Any]:
    """A relation frame; its id is made of its ends where none is given."""
    frame = {"t": "relation", "id": id or f"rel/{type}/{from_}/{to}", "type": type, "from": from_, "to": to}
    return frame | {"quality": "exact_unique"} | keys


def unresolved(id: str, state: str = "open", **keys: Any) -> dict[str, Any]:
    """An unresolved frame."""
    return {"t": "unresolved", "id": id, "kind": "tool", "ref": "toolu_1", "reason": "no result", "state": state} | keys


def tombstone(t: str, id: str) -> dict[str, Any]:
    """A frame that removes an entity."""
    return {"t": t, "id": id, "tombstone": True}


def part(k: str = "text", text: str = "", **keys: Any) -> dict[str, Any]:
    """One part of a record."""
    return {"k": k, "text": text, "state": "available", "bytes": len(text.encode())} | keys


def said(*texts: str, time: str = "", **keys: Any) -> dict[str, Any]:
    """A record whose parts are texts."""
    return record(*[part("text", text) for text in texts], time=time, **keys)


def record(*parts: dict[str, Any], time: str = "", **keys: Any) -> dict[str, Any]:
    """A record of parts."""
    made: dict[str, Any] = {"ord": 1, "off": 0, "sha": "00", "bytes": 1}
    if time:
        made["time"] = time
    return made | {"parts": list(parts)} | keys


def clock(second: int, fraction: str = "") -> str:
    """A time that many seconds after the start of 2026."""
    return f"2026-01-01T{second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}{fraction}Z"


START_MS = 1_767_225_600_000
"""The start of 2026 in milliseconds."""


def header(number: int = 1, **keys: Any) -> dict[str, Any]:
    """The header frame of a round that consumed one file."""
    frame = {"t": "header", "schema": "sf/1", "conversation": CONVERSATION, "session": SESSION, "round": number}
    if number > 1:
        frame["previous"] = "ab" * 32
    frame |= {"from_seq": 1, "through_seq": 1, "input_digest": "cd" * 32, "parser": "v1", "policy": POLICY}
    return frame | keys


def line(frame: Any) -> bytes:
    """One line without its newline."""
    return frame if isinstance(frame, bytes) else orjson.dumps(frame)


def raw_round(*frames: Any, commit: Any = None, **claims: Any) -> bytes:
    """The bytes of a round of any frames, with a commit whose digest and counts are right, or ``claims``, or ``commit`` itself.

    Args:
        frames: mappings, or bytes as they shall stand in the file; a mapping without a revision that is an entity gets 1.
        commit: the last line instead of the right one; empty bytes leave it out.
        claims: other keys of the commit frame.
    """
    lines = []
    counts = {"nodes": 0, "relations": 0, "unresolved": 0}
    plural = {"node": "nodes", "relation": "relations", "unresolved": "unresolved"}
    number = next((f["round"] for f in frames if isinstance(f, dict) and isinstance(f.get("round"), int)), 1)
    for frame in frames:
        if isinstance(frame, dict) and frame.get("t") in plural:
            counts[plural[frame["t"]]] += 1
            frame = {"revision": number} | frame
        lines.append(line(frame))
    body = b"".join(one + b"\n" for one in lines)
    digested = b"".join(one + b"\n" for one in lines if one)
    last = commit if commit is not None else {"t": "commit", "digest": sha(digested), "counts": counts} | claims
    return body + (line(last) + b"\n" if last != b"" else b"")


class Maker:
    """A storage root in the making."""

    def __init__(self, path: Path, conversation: str = CONVERSATION, session: str = SESSION) -> None:
        self.path = path
        self.conversation = conversation
        self.session = session
        self.seq = 0
        self.through = 0
        self.number = 0
        self.digest = ""
        self.input_digest = ""
        self.files: dict[int, Path] = {}
        self.rounds: dict[int, Path] = {}
        path.mkdir(parents=True, exist_ok=True)

    # --- landing

    def land(
        self,
        *records: dict[str, Any] | bytes,
        seq: int = 0,
        stream: str = "main",
        run: str = "",
        below: str = "",
        kind: str = "transcript",
        name: str = "",
        data: bytes | None = None,
        **keys: Any,
    ) -> int:
        """Land one file and tell its sequence.

        Args:
            records: mappings, or the bytes of whole lines.
            seq: another sequence than the next.
            stream, run, below: where it lands; ``below`` is a whole path inside the session.
            kind: of the header, and the start of the name.
            name: another file name.
            data: the whole bytes instead of records.
            keys: of the header.
        """
        seq = seq or self.seq + 1
        self.seq = max(self.seq, seq)
        if data is None:
            first = {"seq": seq, "at": clock(0), "kind": kind, "adapter": "a", "dialect": "d", "src": "x"}
            data = landed_bytes(first | {"session": self.session} | ({} if run else {"stream": stream}) | keys, records)
        folder = self.path / self.session / (below or (f"runs/{run}" if run else f"streams/{stream}"))
        folder.mkdir(parents=True, exist_ok=True)
        self.files[seq] = folder / (name or landed_name(kind, STAMP, seq))
        self.files[seq].write_bytes(data)
        return seq

    # --- rounds

    def header(self, **keys: Any) -> dict[str, Any]:
        """The header of the next round, over what landed since the last."""
        from_seq = self.through + 1
        through = keys.get("through_seq", self.seq)
        consumed = [sha(self.files[seq].read_bytes()) for seq in range(from_seq, through + 1) if seq in self.files]
        made: dict[str, Any] = {"conversation": self.conversation, "session": self.session, "round": self.number + 1}
        if self.digest:
            made["previous"] = self.digest
        made |= {"from_seq": from_seq, "through_seq": through, "parser": "v1", "policy": POLICY}
        return made | {"input_digest": chained_input_digest(self.input_digest, consumed)} | keys

    def round(self, *entities: Any, **keys: Any) -> Path:
        """Publish the next round.

        Args:
            entities: frames without revision.
            keys: other values of the header.
        """
        made = self.header(**keys)
        data, digest = round_bytes(made, list(entities))
        return self.put_round(made, data, digest)

    def put_round(self, made: dict[str, Any], data: bytes, digest: str) -> Path:
        """Publish bytes as the round of a header."""
        self.number, self.digest = made["round"], digest
        self.through, self.input_digest = made["through_seq"], made["input_digest"]
        path = self.rounds_dir / round_name(self.number, digest)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        self.rounds[self.number] = path
        return path

    def raw_round(self, *lines: Any, counts: tuple[int, int, int] | None = None, **keys: Any) -> Path:
        """Publish the next round of any lines after a right header; see ``raw_round`` of this module.

        Args:
            lines: mappings, or bytes as they shall stand in the file.
            counts: how many nodes, relations and unresolved references there are, when lines are given as bytes.
            keys: other values of the header.
        """
        made = {"t": "header", "schema": "sf/1"} | self.header(**keys)
        claims = {"counts": dict(zip(("nodes", "relations", "unresolved"), counts, strict=True))} if counts else {}
        data = raw_round(made, *lines, **claims)
        digest = json.loads(data.splitlines()[-1])["digest"]
        return self.put_round(made, data, digest)

    @property
    def rounds_dir(self) -> Path:
        """Where rounds stand."""
        return self.path / "_conversations" / self.conversation / "rounds"

    @property
    def state_file(self) -> Path:
        """The cache beside the rounds."""
        return self.rounds_dir.parent / "conversation.state"

    # --- reading

    def root(self) -> Root:
        """The root as the library opens it."""
        return Root(self.path)

    def load(self) -> Conversation:
        """The conversation, read."""
        return self.root().load(self.conversation)

    def document(self) -> Any:
        """The document as plain values, read from its JSON."""
        return json.loads(self.load().json())

    def nodes(self) -> dict[str, Any]:
        """The nodes that the document writes, by id."""
        return nodes_of(self.document())


def nodes_of(document: Any) -> dict[str, Any]:
    """The nodes of all trees of a document, by id."""
    found: dict[str, Any] = {}
    stack = [*document["talks"], *document["loose"]]
    while stack:
        view = stack.pop()
        found[view["id"]] = view
        stack += view.get("children", [])
    return found
