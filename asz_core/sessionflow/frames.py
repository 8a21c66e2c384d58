"""The frames of a round as typed values (``sf/1``): header, node, relation, unresolved, commit, and the references they carry.

msgspec structs, told apart by their ``t``; decoding checks every field's type and skips unknown keys unread. ``attrs`` stays the
file's own bytes (``msgspec.Raw``), because a document repeats its spelling; ``attrs_of`` decodes the few that are looked into.
"""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Raw, UnsetType

from ..rawjson import loads

Int64 = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
Count = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]


class Ref(msgspec.Struct, gc=False):
    """An address in the landed data: sequence, row, and perhaps a content block (UNSET when there is none)."""

    seq: Count = 0
    row: Count = 0
    block: Int64 | UnsetType = UNSET


class Header(msgspec.Struct, tag_field="t", tag="header", omit_defaults=True):
    """The first frame of a round (session-flow seed, A round). The keys from ``from_time`` on came later; absent is unknown."""

    schema: str = ""
    conversation: str = ""
    session: str = ""
    round: Count = 0
    previous: str = ""
    from_seq: Count = 0
    through_seq: Count = 0
    input_digest: str = ""
    parser: str = ""
    policy: str = ""
    from_time: str = ""
    through_time: str = ""
    session_from_time: str = ""
    session_through_time: str = ""
    title: str = ""
    talks: Int64 | None = None
    steps: Int64 | None = None
    streams: Int64 | None = None
    segments: Int64 | None = None
    unresolved: Int64 | None = None
    changes: Int64 | None = None
    lines_added: Int64 | None = None
    lines_removed: Int64 | None = None
    llm_calls: Int64 | None = None
    subagents: Int64 | None = None
    bash_runs: Int64 | None = None


class Node(msgspec.Struct, gc=False, tag_field="t", tag="node", omit_defaults=True):
    """A node of the conversation: what it is, what contains it, and the landed records that back it."""

    id: str = ""
    revision: Int64 = 0
    kind: str = ""
    parent: str = ""
    stream: str = ""
    ref: Ref | None = None
    refs: list[Ref] | None = None
    attrs: Raw | UnsetType = UNSET
    tombstone: bool = False


class Relation(msgspec.Struct, gc=False, tag_field="t", tag="relation", omit_defaults=True):
    """A typed edge that is not containment."""

    id: str = ""
    revision: Int64 = 0
    type: str = ""
    from_: str = msgspec.field(default="", name="from")
    to: str = ""
    quality: str = ""
    via: str = ""
    evidence: list[Ref] | None = None
    tombstone: bool = False


class Unresolved(msgspec.Struct, gc=False, tag_field="t", tag="unresolved", omit_defaults=True):
    """A reference that the assembler could not resolve, or could since."""

    id: str = ""
    revision: Int64 = 0
    kind: str = ""
    ref: str = ""
    reason: str = ""
    state: str = ""
    tombstone: bool = False


class Counts(msgspec.Struct, gc=False):
    """How many frames of each type a round holds."""

    nodes: Int64 = 0
    relations: Int64 = 0
    unresolved: Int64 = 0


class Commit(msgspec.Struct, gc=False, tag_field="t", tag="commit", omit_defaults=True):
    """The last frame: the digest of every line before it, and the counts."""

    digest: str = ""
    counts: Counts | None = None


Entity = Node | Relation | Unresolved
Frame = Header | Node | Relation | Unresolved | Commit


class ProviderBody(msgspec.Struct, gc=False):
    """One captured request or response body of a model call, by where it landed."""

    role: str = ""
    ref: Ref | None = None


_REF: dict[str, Any] = dict.fromkeys(Ref.__struct_fields__, "plain")


def _shape(struct: Any, **known: Any) -> dict[str, Any]:
    return dict.fromkeys(struct.__struct_encode_fields__, "plain") | {"t": "plain"} | known


FRAME_SHAPES: dict[str, dict[str, Any]] = {
    "header": _shape(Header),
    "node": _shape(Node, ref=_REF, refs=[_REF], attrs="raw"),
    "relation": _shape(Relation, evidence=[_REF]),
    "unresolved": _shape(Unresolved),
    "commit": _shape(Commit, counts=dict.fromkeys(Counts.__struct_fields__, "plain")),
}
"""What is known of each frame, for the forgiving path of ``rawjson``."""

NO_BLOCK = -(2**64)


def attrs_of(node: Node) -> dict[str, Any]:
    """The decoded attrs of a node; empty when it has none."""
    if node.attrs is UNSET:
        return {}
    value = loads(bytes(node.attrs))
    return value if isinstance(value, dict) else {}


def record_order(node: Node) -> tuple[Any, ...]:
    """Sort key of «record order»: where it landed, then its id; a node without ref after every node with one."""
    ref = node.ref
    if ref is None:
        return (1, 0, 0, NO_BLOCK, node.id)
    return (0, ref.seq, ref.row, NO_BLOCK if ref.block is UNSET else ref.block, node.id)
