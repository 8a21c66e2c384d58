"""Captured provider bodies: a request or response as it went over the wire, rebuilt from the segments in which it landed.

A body's record names its SHA-256 and its segments in order: literal text, a part of the same record, a piece (see `pieces`), or the
beginning of another body. Nothing is read until it is asked for. What is missing is said in words, in the body's problems, and
marked in its text; nothing here raises for what data holds.

Cost: rebuilding costs the body and one read a piece. A body has at most `_MOST` bytes, however often its segments name one piece,
and is decoded only while it has at most `_MANY` structural characters: more would fill the memory.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import msgspec
from msgspec import UNSET

from ..rawjson import loads, text_of
from ..sessiondata.record import Record
from ..sessiondata.session import SessionData
from ..sessionflow.fold import Fold
from ..sessionflow.frames import Node, Ref
from .content import provider_bodies
from .pieces import SCHEMA, Pieces, manifest_data

_MOST = 200_000_000
_MANY = 3_000_000
_FORGIVING = 4_000_000
"""Bytes up to which what the fast decoder refuses gets the slow one, that forgives more."""
_DEEPEST = 100
"""How many bodies may begin with the beginning of another."""
_NAMED = 4


@dataclass(slots=True)
class Body:
    """One captured body.

    Attributes:
        ref: where it landed.
        role: request or response.
        facts: what its record says of it: model, chain, request, previous_request and the like.
        raw: its text; with a mark for each segment that is missing.
        value: the decoded text, None when it is not whole, no JSON, or too large for it.
        note: why a whole text was not decoded.
        problems: why it is not whole; empty when its digest is right.
        size: bytes that it should have.
    """

    ref: Ref
    role: str
    facts: dict[str, Any] = field(default_factory=dict)
    raw: str = ""
    value: Any = None
    note: str = ""
    problems: list[str] = field(default_factory=list)
    size: int = 0

    def fact(self, name: str) -> str:
        """A fact that is a text, else an empty one."""
        value = self.facts.get(name)
        return value if isinstance(value, str) else ""


@dataclass(slots=True)
class Before:
    """The request before one in its chain: its call and body, or why there is none to compare with."""

    node: Node | None = None
    body: Body | None = None
    why: str = ""


class Bodies:
    """The captured bodies of a session."""

    def __init__(self, fold: Fold, data: SessionData) -> None:
        """
        Args:
            fold: names the bodies of each model call.
            data: the landed files.
        """
        self.fold = fold
        self.data = data
        self.pieces = Pieces(data)

    def of(self, node: Node) -> list[Body]:
        """The bodies of a model call, the request before the response."""
        return [self.read(body.role, body.ref) for body in provider_bodies(node) if body.ref is not None]

    def read(self, role: str, ref: Ref) -> Body:
        """Rebuild one body; what is wrong with it is said in it."""
        body = Body(ref, role)
        record = self.data.record(ref.seq, ref.row)
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
        try:
            whole, faults = _Rebuilding(self).put_together(record, facts)
        except _TooLarge:
            body.problems.append(f"it is larger than the {_MOST:,} bytes up to which a body is put together here")
            return body
        body.problems += faults
        if faults:
            body.problems += self._lost_files()
        else:
            _check(body, whole)
        body.raw = text_of(whole)
        if not faults:
            _decode(body, whole)
        return body

    def _lost_files(self) -> Iterator[str]:
        """Words for the landed files in which what is missing may have been."""
        unreadable = {wire: why for wire, why in self.data.unreadable.items() if "provider_body/" in wire} | self.pieces.unreadable
        for wire, why in islice(unreadable.items(), _NAMED):
            yield f"{wire} could not be read ({why})"
        lost = list(islice(self._lost_sequences(), _NAMED + 1))
        if lost:
            more = ", and more" if len(lost) > _NAMED else ""
            yield f"no landed file is stored with seq {', '.join(lost[:_NAMED])}{more}"

    def _lost_sequences(self) -> Iterator[str]:
        """Sequence numbers that the conversation covers and no stored file has; a run of them as one."""
        through = self.fold.header.through_seq if self.fold.header else 0
        next_ = 1
        for seq in [*sorted({landed.file.seq for landed in self.data.files if landed.file.seq <= through}), through + 1]:
            if seq > next_:
                yield str(next_) if seq == next_ + 1 else f"{next_} to {seq - 1}"
            next_ = max(next_, seq + 1)

    # --- the chain

    def before(self, request: Body) -> Before:
        """The request before one in its chain, found by the ids that the bodies name, never by likeness."""
        wanted = request.fact("previous_request")
        if not wanted:
            return Before(why="It names no request before it: it is the first of its chain.")
        nodes = self._calls_at({*self.pieces.naming(wanted)})
        if not nodes:
            return Before(why=f"The request before it, {wanted}, is not captured.")
        if len(nodes) > 1:
            return Before(why=f"The request before it, {wanted}, is that of {len(nodes):,} model calls, so which one is not known.")
        place = next((body.ref for body in provider_bodies(nodes[0]) if body.role == "request" and body.ref is not None), None)
        if place is None:
            return Before(nodes[0], why=f"Of the request before it, {wanted}, only the response is captured.")
        if (place.seq, place.row) == (request.ref.seq, request.ref.row):
            return Before(nodes[0], why="It names itself as the request before it.")
        return Before(nodes[0], self.read("request", place))

    def _calls_at(self, places: set[tuple[int, int]]) -> list[Node]:
        """The model calls that have one of these bodies."""
        if not places:
            return []
        found = []
        for node in self.fold.of_kind("llm.call"):
            if node.attrs is UNSET or b"provider_bodies" not in bytes(node.attrs):
                continue
            bodies = provider_bodies(node)
            if any(body.ref is not None and (body.ref.seq, body.ref.row) in places for body in bodies):
                found.append(node)
        return found

    def reset_between(self, old: Node, new: Node) -> bool:
        """Whether the runtime recorded that the context was reset between two calls of one stream."""
        start, end = _position(old), _position(new)
        if old.stream != new.stream or start is None or end is None:
            return False
        for kind in ("epoch.boundary", "epoch.summary"):
            for node in self.fold.of_kind(kind):
                at = _position(node)
                if node.stream == new.stream and at is not None and start < at < end:
                    return True
        return False


class _TooLarge(Exception):
    """A body has more than `_MOST` bytes."""


class _Rebuilding:
    """The rebuilding of one body, with those that it begins with: all of them share one allowance."""

    def __init__(self, bodies: Bodies) -> None:
        self._bodies = bodies
        self._left = _MOST
        self._under: list[tuple[int, int]] = []
        self._copied: dict[tuple[int, int], tuple[bytes, list[str]]] = {}
        self._digests: dict[tuple[int, int], str] = {}

    def put_together(self, record: Record, facts: dict[str, Any]) -> tuple[bytes, list[str]]:
        """The bytes with a mark for each segment that is missing, and words for the first of these.

        Raises:
            _TooLarge: when there are more than `_MOST`.
        """
        segments = facts.get("segments")
        if not isinstance(segments, list) or (not segments and facts.get("bytes")):
            why = facts.get("why")
            return b"", ["its record names no segments" + (f": {why}" if isinstance(why, str) and why else "")]
        out: list[bytes] = []
        missing: list[str] = []
        lost = 0
        for number, segment in enumerate(segments, 1):
            data = self._segment(record, segment)
            if isinstance(data, str):
                lost += 1
                if lost <= _NAMED:
                    missing.append(f"segment {number:,} of {len(segments):,} is missing: {data}")
                data = f"⟨segment {number} is missing⟩".encode()
                self._spend(len(data))
            out.append(data)
        if lost > _NAMED:
            missing.append(f"{lost - _NAMED:,} more segments are missing")
        return b"".join(out), missing

    def _spend(self, size: int) -> None:
        self._left -= size
        if self._left < 0:
            raise _TooLarge

    def _segment(self, record: Record, segment: Any) -> bytes | str:
        """A segment's bytes, or why there are none."""
        if not isinstance(segment, dict):
            return "it is no object"
        piece, part, copy, literal = (segment.get(name) for name in ("piece", "part", "copy", "lit"))
        if isinstance(piece, str) and piece:
            return self._piece(piece)
        if type(part) is int:
            return self._part(record, part)
        if isinstance(copy, dict):
            return self._copy(copy)
        if isinstance(literal, str):
            data = literal.encode("utf-8", "replace")
            self._spend(len(data))
            return data
        return "it is neither a literal, a part, a piece nor a copy"

    def _piece(self, digest: str) -> bytes | str:
        size = self._bodies.pieces.size(digest)
        if size is None:
            return f"no landed record holds piece {digest[:12]}"
        self._spend(size)
        data = self._bodies.pieces.read(digest)
        return f"piece {digest[:12]} cannot be read any more" if data is None else data

    def _part(self, record: Record, number: int) -> bytes | str:
        parts = record.parts or []
        data = parts[number].data if 0 <= number < len(parts) else UNSET
        if data is UNSET:
            return f"its record has no part {number!s:.20} with data"
        raw = bytes(data)
        self._spend(len(raw))
        return raw

    def _copy(self, copy: dict[str, Any]) -> bytes | str:
        """The beginning of another body; the digest must be that of what is copied, or of the body that it is from."""
        name, digest, size = copy.get("from"), copy.get("sha256"), copy.get("len")
        if not isinstance(name, str) or not isinstance(digest, str) or type(size) is not int:
            return "it is a copy without from, sha256 and len"
        place = self._bodies.pieces.body(name)
        if place is None:
            return f"no landed record is the body {name[:60]}, of which it is a copy"
        whole, faults = self._other(place)
        if faults:
            return f"the body {name[:60]}, of which it is a copy, did not come back either ({faults[0][:200]})"
        self._spend(max(0, size))
        data = whole[:size] if size >= 0 else b""
        if len(data) != size or digest.lower() not in (hashlib.sha256(data).hexdigest(), self._digests[place]):
            return f"the body {name[:60]} does not hold the {size!s:.20} bytes of which it is a copy"
        return data

    def _other(self, place: tuple[int, int]) -> tuple[bytes, list[str]]:
        if place in self._copied:
            return self._copied[place]
        if place in self._under:
            return b"", ["it is a copy of itself"]
        if len(self._under) >= _DEEPEST:
            return b"", [f"it is a copy of a copy, more than {_DEEPEST} times"]
        record = self._bodies.data.record(*place)
        facts = _facts_of(record) if record is not None else None
        if record is None or facts is None:
            return b"", ["its record cannot be read any more"]
        self._under.append(place)
        found = self.put_together(record, facts)
        self._under.pop()
        self._copied[place] = found
        self._digests[place] = hashlib.sha256(found[0]).hexdigest()
        return found


def _check(body: Body, whole: bytes) -> None:
    """Say what is wrong with the digest and the size."""
    digest, claimed = hashlib.sha256(whole).hexdigest(), body.fact("sha256")
    if not claimed:
        body.problems.append("its record claims no digest, so it cannot be checked")
    elif digest != claimed.lower():
        body.problems.append(f"its digest is {digest[:12]}, the record claims {claimed[:12]}")
    if body.size and len(whole) != body.size:
        body.problems.append(f"it has {len(whole):,} bytes, the record claims {body.size:,}")


def _decode(body: Body, whole: bytes) -> None:
    if sum(whole.count(mark) for mark in (b"{", b"[", b",")) > _MANY:
        body.note = "It has too many parts to be taken apart."
        return
    try:
        body.value = loads(whole) if len(whole) <= _FORGIVING else msgspec.json.decode(whole)
    except (ValueError, RecursionError, msgspec.MsgspecError):
        body.note = "It is not JSON."


def _position(node: Node) -> tuple[int, int] | None:
    ref = node.ref or (node.refs[0] if node.refs else None)
    return None if ref is None else (ref.seq, ref.row)


def _facts_of(record: Record) -> dict[str, Any] | None:
    """What a body's record says of it; None when it is no captured body."""
    raw = manifest_data(record)
    try:
        value = loads(raw) if raw.lstrip().startswith(b"{") else None
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) and value.get("schema") == SCHEMA else None


__all__ = ["Before", "Bodies", "Body"]
