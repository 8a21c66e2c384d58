"""Workspace changes and tool executions: records that later producers land beside the conversation (formats.md section 4, end).

They stand as ``data`` parts in files of their own and, for changes, on the result records of tool steps. Collecting them walks the
observation files only; results are looked at by a substring before anything is decoded. A part that does not decode as one of the
two schemas is not one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from ..rawjson import valid_text
from ..sessiondata.record import Part
from ..sessiondata.session import SessionData
from ..sessionflow.fold import Fold
from ..sessionflow.frames import Ref
from ..times import parse_ns
from .texts import part_at

CHANGES, EXECUTION = "changes/1", "execution/1"


class Interval(msgspec.Struct):
    """From when to when a scan ran (RFC 3339)."""

    from_: str = msgspec.field(default="", name="from")
    to: str = ""


class Window(msgspec.Struct):
    """The scans before and after a tool ran."""

    before: Interval = msgspec.field(default_factory=Interval)
    after: Interval = msgspec.field(default_factory=Interval)


class WorkspaceRoot(msgspec.Struct):
    """Which workspace was looked at."""

    path: str = ""
    id: str | UnsetType = UNSET


class Policy(msgspec.Struct):
    """Under which rules it was looked at."""

    exclusions: Any | UnsetType = UNSET
    read_only: Any | UnsetType = UNSET
    expanded: Any | UnsetType = UNSET


class Outcome(msgspec.Struct):
    """How the tool ended."""

    state: str = ""
    exit_code: int | None = None


class Overlap(msgspec.Struct):
    """Another window that was open at the same time."""

    capture: str = ""
    session: str = ""
    stream: str = ""
    tool: str | UnsetType = UNSET
    tool_name: str | UnsetType = UNSET
    state: str = ""


class FileState(msgspec.Struct):
    """A file before or after."""

    present: bool = False
    bytes: int | None = None
    sha256: str | UnsetType = UNSET
    no_newline_at_end: bool | UnsetType = UNSET


class Hunk(msgspec.Struct):
    """One hunk of a diff; each line starts with its mark."""

    old_start: int = 0
    old_lines: int = 0
    new_start: int = 0
    new_lines: int = 0
    lines: list[str] | None = None


class FileChange(msgspec.Struct):
    """One changed file."""

    path: str = ""
    operation: str = ""
    before: FileState = msgspec.field(default_factory=FileState)
    after: FileState = msgspec.field(default_factory=FileState)
    diff: str = ""
    attribution: str | UnsetType = UNSET
    windows: list[str] | UnsetType = UNSET
    additions: int | None = None
    deletions: int | None = None
    hunks: list[Hunk] | UnsetType = UNSET


class ChangeRecord(msgspec.Struct):
    """One observation of what a workspace looked like around a tool call."""

    schema: str = ""
    id: str = ""
    captured_by: str = ""
    session: str = ""
    stream: str = ""
    tool: str | UnsetType = UNSET
    tool_name: str | UnsetType = UNSET
    time: str = ""
    basis: str = ""
    root: WorkspaceRoot | UnsetType = UNSET
    policy: Policy | UnsetType = UNSET
    window: Window | UnsetType = UNSET
    outcome: Outcome | UnsetType = UNSET
    coverage: str | UnsetType = UNSET
    gaps: list[Any] | UnsetType = UNSET
    overlaps: list[Overlap] | UnsetType = UNSET
    changed_files: int | None = None
    changes: list[FileChange] = msgspec.field(default_factory=list)


class Server(msgspec.Struct):
    """The server that a tool call went to, and where it is configured."""

    name: str = ""
    source: str | UnsetType = UNSET


class Payload(msgspec.Struct):
    """Size and digest of what was sent or came back."""

    state: str = ""
    bytes: int = 0
    sha256: str | UnsetType = UNSET


class ExecutionRecord(msgspec.Struct):
    """One observation of a tool call on its way to a server and back."""

    schema: str = ""
    id: str = ""
    observed_by: str = ""
    boundary: str = ""
    session: str = ""
    stream: str = ""
    tool: str = ""
    tool_name: str | UnsetType = UNSET
    cwd: str | UnsetType = UNSET
    protocol: str = ""
    server: Server | UnsetType = UNSET
    time: str = ""
    duration_ms: int | UnsetType = UNSET
    outcome: str = ""
    arguments: Payload | UnsetType = UNSET
    result: Payload | UnsetType = UNSET


Observation = ChangeRecord | ExecutionRecord


class Observations(msgspec.Struct):
    """What was collected: the document's two lists, and the ids of each step's records, by step id."""

    changes: list[dict[str, Any]] = msgspec.field(default_factory=list)
    executions: list[dict[str, Any]] = msgspec.field(default_factory=list)
    changes_of: dict[str, list[str]] = msgspec.field(default_factory=dict)
    executions_of: dict[str, list[str]] = msgspec.field(default_factory=dict)


def collect_observations(fold: Fold, data: SessionData) -> Observations:
    """Collect the workspace changes and tool executions of a conversation.

    Args:
        fold: names the steps.
        data: the landed files; quicker while it keeps its records.
    """
    if not any(landed.observing for landed in data.files):
        return Observations()
    found_changes = [*_in_files(data, "changes-", CHANGES, ChangeRecord), *_on_results(fold, data)]
    found_executions = list(_in_files(data, "execution-", EXECUTION, ExecutionRecord))
    result = Observations()
    if not found_changes and not found_executions:
        return result
    steps = _steps_by_call(fold, data)
    result.changes, result.changes_of = _entries(found_changes, steps, "captured_by")
    result.executions, result.executions_of = _entries(found_executions, steps, "observed_by")
    return result


def _in_files(data: SessionData, prefix: str, schema: str, struct: Any) -> Iterator[tuple[Ref, Any]]:
    for landed in data.files:
        if not landed.file.name.startswith(prefix):
            continue
        for row in range(1, landed.count + 1):
            record = data.record_in(landed, row)
            for block, part in enumerate(record.parts or () if record else ()):
                found = _observation(part, schema, struct)
                if found is not None:
                    yield Ref(landed.file.seq, row, block), found


def _on_results(fold: Fold, data: SessionData) -> Iterator[tuple[Ref, Any]]:
    needle = CHANGES.encode()
    observing = {landed.file.seq for landed in data.files if landed.observing}
    looked: set[tuple[int, int]] = set()
    for node in fold.nodes.values():
        if node.kind != "tool" or not node.refs:
            continue
        for ref in node.refs[1:]:
            address = (ref.seq, ref.row)
            if address in looked or ref.seq not in observing:
                continue
            looked.add(address)
            record = data.record(ref.seq, ref.row)
            for block, part in enumerate(record.parts or () if record else ()):
                if part.data is not UNSET and needle in bytes(part.data):
                    found = _observation(part, CHANGES, ChangeRecord)
                    if found is not None:
                        yield Ref(ref.seq, ref.row, block), found


def _observation(part: Part, schema: str, struct: Any) -> Any:
    if part.data is UNSET:
        return None
    raw = bytes(part.data)
    if schema.encode() not in raw and b"\\" not in raw:
        return None
    try:
        found = msgspec.json.decode(valid_text(raw), type=struct)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None
    return found if found.schema == schema else None


def _steps_by_call(fold: Fold, data: SessionData) -> dict[str, str]:
    """The tool or agent.call step of each request part's id."""
    steps: dict[str, str] = {}
    for node in fold.nodes.values():
        if node.kind in ("tool", "agent.call") and node.ref is not None:
            record = data.record(node.ref.seq, node.ref.row)
            part = part_at(record, node.ref) if record is not None else None
            if part is not None and part.k == "call" and part.id:
                steps.setdefault(part.id, node.id)
    return steps


def _entries(
    found: list[tuple[Ref, Any]], steps: dict[str, str], by: str
) -> tuple[list[dict[str, Any]], dict[str, list[str]]]:
    found.sort(key=lambda pair: (pair[0].seq, pair[0].row, pair[0].block))
    unique: dict[tuple[str, str], tuple[Ref, Any]] = {}
    for ref, record in found:
        unique.setdefault((getattr(record, by), record.id), (ref, record))
    ordered = sorted(
        unique.values(),
        key=lambda pair: (
            parse_ns(pair[1].time),
            getattr(pair[1], by) != "claude-code",
            pair[0].seq,
            pair[0].row,
            pair[0].block,
        ),
    )
    entries: list[dict[str, Any]] = []
    of_step: dict[str, list[str]] = {}
    for ref, record in ordered:
        step = steps.get(record.tool or "", "") if record.tool is not UNSET else ""
        entries.append({"step": step, "ref": ref, **_members(record)})
        if step:
            of_step.setdefault(step, []).append(record.id)
    return entries, of_step


def _members(struct: Any) -> dict[str, Any]:
    """A record's keys in order, what is empty left out where the schema says so."""
    out: dict[str, Any] = {}
    optional = _optional(type(struct))
    for name, key in zip(struct.__struct_fields__, struct.__struct_encode_fields__, strict=True):
        value = _plain(getattr(struct, name))
        if value is UNSET or (name in optional and value in ("", 0, False, None, [], {})):
            continue
        out[key] = value
    return out


def _plain(value: Any) -> Any:
    if isinstance(value, msgspec.Struct):
        return _members(value)
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value


_OPTIONAL: dict[Any, frozenset[str]] = {}


def _optional(struct: Any) -> frozenset[str]:
    """Fields of a struct that are absent when empty: those whose default is UNSET."""
    if struct not in _OPTIONAL:
        fields = msgspec.structs.fields(struct)
        _OPTIONAL[struct] = frozenset(f.name for f in fields if f.default is UNSET)
    return _OPTIONAL[struct]
