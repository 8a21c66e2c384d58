"""A round as bytes: its header, its frames, its commit (the assembling specification, §17)."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from ..sessionflow import Header, chained_input_digest, round_name
from .delta import Body
from .folded import Folded
from .identity import quote
from .landing import Landing
from .moments import write_span, write_time
from .picture import Picture

PARSER = "v1"
_NO_STEPS = ("session", "stream", "epoch", "talk", "run", "segment")
_EMPTY_WHEN_ABSENT = ("previous", "from_time", "through_time", "session_from_time", "session_through_time", "title")
_INTEGERS = frozenset(
    {
        *("round", "from_seq", "through_seq", "talks", "steps", "streams", "segments", "unresolved"),
        *("changes", "lines_added", "lines_removed", "llm_calls", "subagents", "bash_runs"),
    }
)


def policy(idle: int, *, infer: bool = False) -> str:
    """The policy of a chain, which names its idle gap, and whether what an older runtime did not write was inferred."""
    return f"v1+idle={write_span(idle)}{'+infer' if infer else ''}"


@dataclass(slots=True)
class MadeRound:
    """A round that was made and is not published yet."""

    header: Header
    body: Body
    data: bytes
    digest: str
    open: int

    @property
    def name(self) -> str:
        """Its file's name."""
        return round_name(self.header.round, self.digest)


def make_round(picture: Picture, body: Body, folded: Folded) -> MadeRound:
    """The round that continues a chain with these frames."""
    header = _header(picture, folded)
    lines = [_header_line(header), *body.lines(header.round)]
    data = "".join(lines).encode()
    digest = hashlib.sha256(data).hexdigest()
    counts = f'{{"nodes":{len(body.nodes)},"relations":{len(body.relations)},"unresolved":{len(body.unresolved)}}}'
    commit = f'{{"t":"commit","digest":"{digest}","counts":{counts}}}\n'
    return MadeRound(header, body, data + commit.encode(), digest, len(picture.store.unresolved))


def _header_line(header: Header) -> str:
    members = ['"t":"header"']
    for name in Header.__struct_fields__:
        value = getattr(header, name)
        if name in _INTEGERS:
            members.append(f'"{name}":{value}')
        elif value or name not in _EMPTY_WHEN_ABSENT:
            members.append(f'"{name}":{quote(value)}')
    return f"{{{','.join(members)}}}\n"


def _header(picture: Picture, folded: Folded) -> Header:
    store, landing = picture.store, picture.landing
    from_seq, through = folded.through + 1, picture.through
    first, last = _times(landing, from_seq, through)
    changes, added, removed = _changes(landing, through)
    kinds = store.count()
    return Header(
        schema="sf/1",
        conversation=picture.session_name,
        session=picture.session_name,
        round=folded.head + 1,
        previous=folded.digest,
        from_seq=from_seq,
        through_seq=through,
        input_digest=chained_input_digest(
            folded.input_digest, [file.digest for file in landing.files if from_seq <= file.seq <= through]
        ),
        parser=PARSER,
        policy=policy(picture.idle, infer=picture.landing.infers),
        from_time=write_time(first),
        through_time=write_time(last),
        session_from_time=picture.from_time,
        session_through_time=picture.through_time,
        title=picture.title,
        talks=kinds["talk"],
        steps=len(store.kinds) - sum(kinds[kind] for kind in _NO_STEPS),
        streams=kinds["stream"],
        segments=kinds["segment"],
        unresolved=len(store.unresolved),
        changes=changes,
        lines_added=added,
        lines_removed=removed,
        llm_calls=kinds["llm.call"],
        subagents=sum(stream.role == "child" for stream in picture.streams.values()),
        bash_runs=len(picture.bash_runs),
    )


def _times(landing: Landing, from_seq: int, through: int) -> tuple[int, int]:
    """Least and greatest time of all entries that a round consumes; (0, 0) without."""
    times = [entry.time for file in landing.files if from_seq <= file.seq <= through for entry in file.entries if entry.time]
    return (min(times), max(times)) if times else (0, 0)


def _changes(landing: Landing, through: int) -> tuple[int, int, int]:
    """The change records of a session so far: how many, the lines they add, the lines they remove; each identity once."""
    seen: dict[str, tuple[int, int]] = {}
    for entry in landing.read_through(through):
        for name, added, removed in entry.changes:
            seen.setdefault(name, (added, removed))
    return len(seen), sum(added for added, _ in seen.values()), sum(removed for _, removed in seen.values())
