"""The shape of an ``asz.view`` 1.0 document as typed objects, their keys in the order the document writes them.

msgspec structs: a key that has no value is left out by ``omit_defaults`` or UNSET, so encoding needs no filtering. ``attrs`` holds
the round's own bytes. Sources: asz-view seed (Top level, A node in talks), formats.md section 4.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET, Raw, UnsetType

from ..sessiondata.record import Dropped, Usage
from ..sessionflow.frames import ProviderBody, Ref

VERSION = "1.0"


class Edge(msgspec.Struct, gc=False):
    """A relation as one of its ends sees it."""

    type: str
    other: str
    dir: str
    quality: str
    via: str | UnsetType = UNSET


class ViewNode(msgspec.Struct, omit_defaults=True):
    """A talk, run or step with everything a viewer shows of it."""

    id: str = ""
    kind: str = ""
    parent: str = ""
    stream: str = ""
    at: int | UnsetType = UNSET
    ref: Ref | UnsetType = UNSET
    refs: list[Ref] | UnsetType = UNSET
    attrs: Raw | UnsetType = UNSET
    text: str = ""
    state: str = ""
    bytes: int = 0
    usage: Usage | UnsetType = UNSET
    provider_bodies: list[ProviderBody] | UnsetType = UNSET
    flags: list[str] | UnsetType = UNSET
    dropped: list[Dropped] | UnsetType = UNSET
    label: str = ""
    reply: str = ""
    runs: int = 0
    steps: int = 0
    tools: int = 0
    from_: int = msgspec.field(default=0, name="from")
    to: int = 0
    child: bool = False
    segment: str = ""
    name: str = ""
    failed: bool | UnsetType = UNSET
    result: str = ""
    result_state: str = ""
    result_bytes: int = 0
    request_to_result_ms: int = 0
    request_to_result_join: str = ""
    changes: list[str] | UnsetType = UNSET
    executions: list[str] | UnsetType = UNSET
    duration_ms: int = 0
    duration_measured_by: str = ""
    children: list[ViewNode] | UnsetType = UNSET
    edges: list[Edge] | UnsetType = UNSET


class Head(msgspec.Struct):
    """The newest round the document was folded to."""

    round: int
    digest: str


class Summary(msgspec.Struct):
    """The counts a list shows, and the fold sized by kind, relation type and quality."""

    title: str
    state: str
    problems: list[str]
    talks: int
    steps: int
    streams: int
    segments: int
    rounds: int
    unresolved: int
    changes: int | UnsetType
    provider_bodies: int | UnsetType
    captured_prompts: int | UnsetType
    withheld: int | UnsetType
    from_: int = msgspec.field(name="from")
    to: int
    kinds: dict[str, int]
    relation_types: dict[str, int]
    quality: dict[str, int]


class RoundEntry(msgspec.Struct):
    """One readable round on disk."""

    round: int
    digest: str
    previous: str | None
    from_seq: int
    through_seq: int
    input_digest: str
    from_time: int | None
    through_time: int | None
    verified: bool


class FileEntry(msgspec.Struct):
    """One landed file or round file."""

    file: str
    format: str
    kind: str
    seq: int | None
    round: int | None
    stream: str | None
    run: str | None
    lines: int
    bytes: int
    digest: str
    from_time: int | None
    through_time: int | None


class Opener(msgspec.Struct):
    """A step that the assembler could tie to the start of a stream."""

    step: str
    stream: str
    talk: str
    quality: str


class StreamEntry(msgspec.Struct):
    """One execution stream."""

    id: str
    name: str
    role: str
    label: str
    parent: str
    records: int
    steps: int
    talk: str
    named_by: str
    opened_by: list[Opener]


class SegmentEntry(msgspec.Struct):
    """One activity window."""

    id: str
    state: str
    committable: bool
    talks: int
    from_: int = msgspec.field(name="from")
    to: int


class RelationEntry(msgspec.Struct):
    """One relation of the fold."""

    id: str
    type: str
    from_: str = msgspec.field(name="from")
    to: str
    quality: str
    via: str | UnsetType
    evidence: list[Ref] | UnsetType


class UnresolvedEntry(msgspec.Struct):
    """One reference that the assembler could not resolve, open or since resolved."""

    id: str
    kind: str
    ref: str
    reason: str
    state: str


class Document(msgspec.Struct):
    """One conversation as one document: everything a viewer renders, and nothing a viewer must compute."""

    format: str
    version: str
    conversation: str
    sessions: list[str]
    head: Head
    parser: str
    policy: str
    summary: Summary
    rounds: list[RoundEntry]
    files: list[FileEntry]
    streams: list[StreamEntry]
    segments: list[SegmentEntry]
    talks: list[ViewNode]
    loose: list[ViewNode]
    relations: list[RelationEntry]
    unresolved: list[UnresolvedEntry]
    workspace_changes: list[dict[str, Any]] | UnsetType = UNSET
    tool_executions: list[dict[str, Any]] | UnsetType = UNSET
