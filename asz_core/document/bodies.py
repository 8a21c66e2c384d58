"""Captured provider bodies: a request or response as it went over the wire, rebuilt from the segments in which it landed.

A body's record names its SHA-256 and its segments in order: literal text, a part of the same record, or a piece, which is a part of
any captured record of the session, named by the SHA-256 of its data as it stands. Nothing is read until it is asked for; the
pieces of a session are found by one pass over its body files, kept as long as the `Bodies`. Rebuilding costs the body.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any

from msgspec import UNSET

from ..rawjson import loads, text_of
from ..sessiondata.record import Part, Record
from ..sessiondata.session import SessionData
from ..sessionflow.fold import Fold
from ..sessionflow.frames import Node, Ref
from .content import provider_bodies

SCHEMA = "provider_body/1"
_MOST = 200_000_000
"""Bytes above which a body is not put together; a few hostile segments could name one piece any number of times."""


@dataclass(slots=True)
class Body:
    """One captured body.

    Attributes:
        ref: where it landed.
        role: request or response.
        facts: what its record says of it: model, chain, request, previous_request and the like.
        raw: its text; empty when it did not come back.
        value: the decoded text, None when it is no JSON.
        problems: why it is not whole; empty when its digest is right.
        size: bytes that it should have.
    """

    ref: Ref
    role: str
    facts: dict[str, Any] = field(default_factory=dict)
    raw: str = ""
    value: Any = None
    problems: list[str] = field(default_factory=list)
    size: int = 0

    def fact(self, name: str) -> str:
        """A fact that is a text, else an empty one."""
        value = self.facts.get(name)
        return value if isinstance(value, str) else ""


class Bodies:
    """The captured bodies of a session."""

    def __init__(self, fold: Fold, data: SessionData) -> None:
        """
        Args:
            fold: names the bodies of each model call.
            data: the landed files.
        """
        self._fold = fold
        self._data = data
        self._pieces: dict[str, tuple[int, int, int]] | None = None
        self._calls: dict[str, str] | None = None

    def of(self, node: Node) -> list[Body]:
        """The bodies of a model call, the request before the response."""
        return [self.read(body.role, body.ref) for body in provider_bodies(node) if body.ref is not None]

    def read(self, role: str, ref: Ref) -> Body:
        """Rebuild one body; what is wrong with it is said in it."""
        body = Body(ref, role)
        record = self._data.record(ref.seq, ref.row)
        if record is None:
            body.problems.append(f"its record, seq {ref.seq} row {ref.row}, is not stored")
            return body
        facts = _facts_of(record)
        if facts is None:
            body.problems.append("its record holds no captured body")
            return body
        body.facts = facts
        size = facts.get("bytes")
        body.size = size if type(size) is int else 0
        whole = self._put_together(record, facts, body.problems)
        if whole is None:
            return body
        digest = hashlib.sha256(whole).hexdigest()
        if digest != facts.get("sha256"):
            body.problems.append(f"its digest is {digest[:12]}, the record claims {str(facts.get('sha256'))[:12]}")
        body.raw = text_of(whole)
        try:
            body.value = loads(whole)
        except ValueError:
            body.problems.append("it is not JSON")
        return body

    def _put_together(self, record: Record, facts: dict[str, Any], problems: list[str]) -> bytes | None:
        segments = facts.get("segments")
        if not isinstance(segments, list):
            problems.append("its record names no segments")
            return None
        out: list[bytes] = []
        total = 0
        for number, segment in enumerate(segments, 1):
            data = self._segment(record, segment)
            if data is None:
                problems.append(f"segment {number} of {len(segments)} is missing: {_named(segment)}")
                return None
            total += len(data)
            if total > _MOST:
                problems.append("it is larger than any body that is put together here")
                return None
            out.append(data)
        return b"".join(out)

    def _segment(self, record: Record, segment: Any) -> bytes | None:
        if not isinstance(segment, dict):
            return None
        literal = segment.get("lit")
        if isinstance(literal, str):
            return literal.encode("utf-8", "replace")
        part = segment.get("part")
        parts = record.parts or []
        if type(part) is int and 0 <= part < len(parts):
            return _data_of(parts[part])
        piece = segment.get("piece")
        if isinstance(piece, str):
            place = self.pieces.get(piece)
            other = self._data.record(place[0], place[1]) if place else None
            return _data_of((other.parts or [])[place[2]]) if other is not None and place else None
        return None

    @property
    def pieces(self) -> dict[str, tuple[int, int, int]]:
        """Where each piece landed, by the SHA-256 of its data: (seq, row, block)."""
        if self._pieces is None:
            self._pieces = {}
            for landed in self._data.files:
                if landed.kind != "provider_body":
                    continue
                for row in range(1, landed.count + 1):
                    record = self._data.record(landed.file.seq, row)
                    for block, part in enumerate(record.parts or () if record else ()):
                        data = _data_of(part)
                        if data is not None:
                            self._pieces.setdefault(hashlib.sha256(data).hexdigest(), (landed.file.seq, row, block))
        return self._pieces

    def before(self, request: Body) -> tuple[Node, Body] | None:
        """The request before one in its chain, found by its id, never by likeness; None when it is not captured."""
        wanted = request.fact("previous_request")
        node = self._fold.nodes.get(self._call_of_request(wanted)) if wanted else None
        if node is None:
            return None
        return next(((node, body) for body in self.of(node) if body.role == "request"), None)

    def _call_of_request(self, request: str) -> str:
        """The model call whose response answers a request, by the request's id."""
        if self._calls is None:
            self._calls = {}
            for node in self._fold.of_kind("llm.call"):
                if node.attrs is UNSET or b"provider_bodies" not in bytes(node.attrs):
                    continue
                for body in provider_bodies(node):
                    record = self._data.record(body.ref.seq, body.ref.row) if body.ref is not None else None
                    facts = _facts_of(record) if record is not None else None
                    if facts is not None and isinstance(facts.get("request"), str):
                        self._calls.setdefault(facts["request"], node.id)
        return self._calls.get(request, "")


def _data_of(part: Part) -> bytes | None:
    return None if part.data is UNSET else bytes(part.data)


def _facts_of(record: Record) -> dict[str, Any] | None:
    """What a body's record says of it: the last part with the schema of a body."""
    for part in reversed(record.parts or ()):
        data = _data_of(part)
        if data is None or not data.lstrip().startswith(b"{"):
            continue
        try:
            value = loads(data)
        except ValueError:
            continue
        if isinstance(value, dict) and value.get("schema") == SCHEMA:
            return value
    return None


def _named(segment: Any) -> str:
    if isinstance(segment, dict) and isinstance(segment.get("piece"), str):
        return f"no landed record holds piece {segment['piece'][:12]}"
    if isinstance(segment, dict) and "part" in segment:
        return f"the record has no part {segment['part']!r:.20}"
    return "it is neither a literal, a part nor a piece"
