"""Reading and writing one round file strictly (``sf/1``, session-flow seed and formats.md section 3).

``parse_round`` refuses everything that the formats refuse, each with a sentence that names the line and the fault. The fast path
decodes all lines at once and checks them in one loop, about 3 microseconds a frame; a line that the strict decoder refuses is
tried once more with invalid text read as U+FFFD and ``null`` as absent before the round is refused.
"""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec
from msgspec import UNSET, Raw

from ..digests import Digests
from ..errors import RoundError, WriteError
from ..rawjson import forgiving, loads
from .frames import (
    FRAME_SHAPES,
    Commit,
    Counts,
    Entity,
    Frame,
    Header,
    Node,
    ProviderBody,
    Ref,
    Relation,
    Unresolved,
)

_frame = msgspec.json.Decoder(Frame)
_bodies = msgspec.json.Decoder(list[ProviderBody])
_encode = msgspec.json.Encoder().encode
_REFUSALS = (msgspec.MsgspecError, ValueError, RecursionError)
_STATES = ("open", "resolved", "terminal")
_NEEDED = ("conversation", "session", "parser", "policy", "input_digest")
PREFIX = "sessionflow: "
"""What the original puts before a refusal of a round; a document repeats it (formats.md section 4, Verification)."""


class Round(msgspec.Struct):
    """A round that reads: its header, its entities in file order, and facts about the file.

    ``size`` is in bytes, ``lines`` counts newline bytes, ``file_digest`` is the SHA-256 of the whole file, ``digest`` the commit's.
    """

    header: Header
    entities: list[Entity]
    digest: str
    size: int
    lines: int
    file_digest: str

    @property
    def number(self) -> int:
        """The round's number, from its header."""
        return self.header.round


def parse_round(data: bytes) -> Round:
    """Read a round.

    Args:
        data: all bytes of a ``.sf`` file.

    Raises:
        RoundError: when the round is refused; its message is one sentence without the file's name.
    """
    digests = _digests(data)
    frames, lines = _decode_all(data)
    if not frames or type(frames[0]) is not Header:
        raise RoundError(PREFIX + "round has no header")
    header = frames[0]
    _check_header(header, lines[0])
    commit = frames[-1]
    if type(commit) is not Commit:
        for frame, line in zip(frames, lines, strict=True):
            if type(frame) is Commit:
                raise RoundError(f"{PREFIX}line {line}: there are frames after the commit frame")
        raise RoundError(PREFIX + "round has no commit frame; it is truncated")
    entities: list[Any] = frames[1:-1]
    counts = _check_entities(entities, lines, header)
    if b"provider_bodies" in data:
        _check_provider_bodies(entities, lines, header)
    if (commit.counts or Counts()) != counts:
        claimed = _counts_text(commit.counts or Counts())
        raise RoundError(f"{PREFIX}counts mismatch: read {_counts_text(counts)}, round claims {claimed}")
    file_digest, computed = digests.values() if digests is not None else _digests_by_line(data, lines[-1])
    if computed != commit.digest:
        raise RoundError(
            f"{PREFIX}digest mismatch: computed {computed[:12]}, round claims {commit.digest[:12] or 'nothing'}"
        )
    return Round(header, entities, commit.digest, len(data), data.count(b"\n"), file_digest)


def decode_header_line(line: bytes) -> Header:
    """The header of a round from its first line alone; the rest of the round is not looked at.

    Raises:
        RoundError: when the line is no header that a reader takes.
    """
    frame = _decode_frame(line, 1) if line else None
    if type(frame) is not Header:
        raise RoundError(PREFIX + "round has no header")
    _check_header(frame, 1)
    return frame


def _counts_text(counts: Counts) -> str:
    return f"{{Nodes:{counts.nodes} Relations:{counts.relations} Unresolved:{counts.unresolved}}}"


def _decode_all(data: bytes) -> tuple[list[Any], Any]:
    """All frames and the physical line number of each."""
    try:
        data.decode()
        frames = _frame.decode_lines(data)
        count = data.count(b"\n") + (not data.endswith(b"\n"))
        # Every line break must be one between two frames: the decoder alone does not mind two on a line, or one on two.
        if len(frames) == count and data.count(b"}\n{") == count - 1:
            return frames, range(1, count + 1)
    except _REFUSALS:
        pass
    frames, lines = [], []
    for number, line in enumerate(data.split(b"\n"), 1):
        if line:
            frames.append(_decode_frame(line, number))
            lines.append(number)
    return frames, lines


def _decode_frame(line: bytes, number: int) -> Frame:
    try:
        line.decode()
        return _frame.decode(line)
    except _REFUSALS:
        pass
    try:
        value = loads(line)
        if not isinstance(value, dict):
            raise ValueError("a frame is an object")
        shape = FRAME_SHAPES.get(value.get("t", ""))
        if shape is None:
            raise ValueError(f"there is no frame type {value.get('t')!r:.40}")
        rewritten, raws = forgiving(line, shape)
        frame = _frame.decode(rewritten)
    except TypeError:
        raise RoundError(f"{PREFIX}line {number}: undecodable frame: its type is no string") from None
    except _REFUSALS as error:
        raise RoundError(f"{PREFIX}line {number}: undecodable frame: {error}") from None
    if type(frame) is Node and frame.attrs is not UNSET:
        frame.attrs = Raw(raws[int(bytes(frame.attrs))])
    return frame


def _check_header(header: Header, line: int) -> None:
    def refuse(why: str) -> RoundError:
        return RoundError(f"{PREFIX}line {line}: {why}")

    if header.schema != "sf/1":
        raise refuse(f"the header's schema is {header.schema!r:.40}, not 'sf/1'")
    for name in _NEEDED:
        if not getattr(header, name):
            raise refuse(f"the header has no {name}")
    if header.round < 1:
        raise refuse("the header has no round number")
    if (header.round == 1) == bool(header.previous):
        raise refuse("round 1 names a previous" if header.previous else f"round {header.round} names no previous")
    if header.from_seq < 1:
        raise refuse("from_seq is less than 1")
    if header.through_seq < header.from_seq - 1:
        raise refuse(f"through_seq {header.through_seq} is before from_seq {header.from_seq}")


def _check_entities(entities: list[Any], lines: Any, header: Header) -> Counts:
    """One pass over the frames between header and commit; the order of the checks is that of formats.md section 3."""
    seen: set[str] = set()
    add = seen.add
    through, number = header.through_seq, header.round
    nodes = relations = unresolved = 0
    for at, entity in enumerate(entities, 1):
        kind = type(entity)
        if kind is Node:
            nodes += 1
            ref = entity.ref
            if ref is not None and (ref.seq > through or (not ref.seq and not ref.row)):
                _refuse_ref(ref, lines[at], through)
            refs = entity.refs
            attrs = entity.attrs
            if attrs is not UNSET and memoryview(attrs)[0] not in b"{n":
                raise RoundError(f"{PREFIX}line {lines[at]}: undecodable frame: attrs is not an object")
        elif kind is Relation:
            relations += 1
            refs = entity.evidence
            if not entity.tombstone:
                _check_relation(entity, lines[at])
        elif kind is Unresolved:
            unresolved += 1
            refs = None
            if not entity.tombstone and entity.state not in _STATES:
                raise RoundError(f"{PREFIX}line {lines[at]}: no unresolved state {entity.state!r:.40}")
        else:
            what = "a second header" if kind is Header else "frames after the commit frame"
            raise RoundError(f"{PREFIX}line {lines[at]}: there is {what}")
        if refs:
            for ref in refs:
                if ref.seq > through or (not ref.seq and not ref.row):
                    _refuse_ref(ref, lines[at], through)
        if not entity.id:
            raise RoundError(f"{PREFIX}line {lines[at]}: a frame has no id")
        if entity.revision != number:
            raise RoundError(f"{PREFIX}line {lines[at]}: revision {entity.revision} in round {number}")
        add(entity.id)
    if len(seen) != len(entities):
        _refuse_twice(entities, lines)
    return Counts(nodes, relations, unresolved)


def _refuse_ref(ref: Ref, line: int, through: int) -> None:
    if not ref.seq and not ref.row:
        raise RoundError(f"{PREFIX}line {line}: a reference to nothing (seq 0, row 0)")
    raise RoundError(f"{PREFIX}line {line}: a reference to seq {ref.seq}, the round ends at {through}")


def _check_relation(relation: Relation, line: int) -> None:
    for name, value in (("type", relation.type), ("from", relation.from_), ("to", relation.to)):
        if not value:
            raise RoundError(f"{PREFIX}line {line}: a relation has no {name}")


def _refuse_twice(entities: list[Any], lines: Any) -> None:
    seen: set[str] = set()
    for at, entity in enumerate(entities, 1):
        if entity.id in seen:
            raise RoundError(f"{PREFIX}line {lines[at]}: the id stands twice in one round")
        seen.add(entity.id)


def _check_provider_bodies(entities: list[Any], lines: Any, header: Header) -> None:
    for at, entity in enumerate(entities, 1):
        if type(entity) is not Node or entity.attrs is UNSET or b"provider_bodies" not in bytes(entity.attrs):
            continue
        value = (loads(bytes(entity.attrs)) or {}).get("provider_bodies")
        if value is None:
            continue
        try:
            bodies = msgspec.convert(value, list[ProviderBody])
        except _REFUSALS:
            raise RoundError(f"{PREFIX}line {lines[at]}: attrs.provider_bodies is not a list of role and ref") from None
        for body in bodies:
            if body.role not in ("request", "response") or body.ref is None:
                raise RoundError(f"{PREFIX}line {lines[at]}: attrs.provider_bodies has an entry without role and ref")
            if body.ref.seq > header.through_seq or (not body.ref.seq and not body.ref.row):
                _refuse_ref(body.ref, lines[at], header.through_seq)


def _digests(data: bytes) -> Digests | None:
    """The digests, being made, of a round without empty lines; None where there are some, which the commit's does not cover."""
    if data.startswith(b"\n") or b"\n\n" in data:
        return None
    return Digests(data, data.rfind(b"\n", 0, len(data) - data.endswith(b"\n")) + 1)


def _digests_by_line(data: bytes, commit_line: int) -> tuple[str, str]:
    """SHA-256 over the whole file, and over every line before the commit that is not empty, each with its newline."""
    hashed = hashlib.sha256()
    for line in data.split(b"\n")[: commit_line - 1]:
        if line:
            hashed.update(line + b"\n")
    return hashlib.sha256(data).hexdigest(), hashed.hexdigest()


def round_bytes(header: dict[str, Any] | Header, entities: list[Any]) -> tuple[bytes, str]:
    """The bytes of a round and its digest.

    Args:
        header: a Header, or its keys; ``schema`` is added.
        entities: nodes, relations and unresolved references, as structs or as mappings with ``t``; ``revision`` is set to the
            header's round where it is absent. They are written in the given order.

    Raises:
        WriteError: when a reader would refuse the round, with the reader's reason.
    """
    try:
        first = header if isinstance(header, Header) else msgspec.convert({"schema": "sf/1", **header}, Header)
        lines = [_encode(first)]
        counts = Counts()
        for entity in entities:
            frame = _as_frame(entity, first.round)
            lines.append(_encode(frame))
            counts.nodes += type(frame) is Node
            counts.relations += type(frame) is Relation
            counts.unresolved += type(frame) is Unresolved
        body = b"\n".join(lines) + b"\n"
        digest = hashlib.sha256(body).hexdigest()
        data = body + _encode(Commit(digest, counts)) + b"\n"
        parse_round(data)
    except RoundError as error:
        raise WriteError(str(error)) from None
    except _REFUSALS as error:
        raise WriteError(f"a frame cannot be written: {error}") from None
    return data, digest


def _as_frame(entity: Any, number: int) -> Entity:
    if isinstance(entity, dict):
        value = dict(entity)
        if isinstance(value.get("attrs"), dict):
            value["attrs"] = Raw(msgspec.json.encode(value["attrs"]))
        return _frame.decode(_encode({"revision": number, **value}))  # type: ignore[return-value] # a header is refused later
    return entity  # type: ignore[no-any-return]


def round_name(number: int, digest: str) -> str:
    """The file name of a round: its number and the first twelve characters of its digest."""
    return f"r{number:06d}-{digest[:12]}.sf"
