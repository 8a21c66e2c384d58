"""Landed files as assembly sees them: one entry a record (the assembling specification, §1).

Reading is strict: whatever a viewer would pass over, here the whole reading ends with an error (§1.2). Of a record only what
assembly uses is kept, no text and no data, so that the entries of a long session can stay in memory.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from itertools import islice, pairwise
from sys import intern
from typing import Any

import msgspec
from msgspec import UNSET

from ..errors import AssembleError, RecordError
from ..sessiondata.reader import row_places
from ..sessiondata.record import Header, Part, Record, decode_closing, decode_header, decode_record, decode_strictly
from ..storage import LandedFile, read_file
from .identity import block_ref
from .moments import read_time
from .shapes import body_of, change_of

ASSISTANT, USER, SYSTEM, UNKNOWN = "assistant", "user", "system", "unknown"
META, JOURNAL, MANIFEST, SCRIPT, CHANGES, BODY, EXECUTION = (
    "meta",
    "journal",
    "manifest",
    "script",
    "changes",
    "body",
    "execution",
)
TRANSCRIPT = frozenset({ASSISTANT, USER, SYSTEM, UNKNOWN})

_BY_HEADER = {
    "agent_meta": META,
    "journal": JOURNAL,
    "workflow_manifest": MANIFEST,
    "workflow_script": SCRIPT,
    "changes": CHANGES,
    "provider_body": BODY,
    "execution": EXECUTION,
}
_BY_FROM = {"agent": ASSISTANT, "external": USER, "runtime": SYSTEM}
EXTERNAL, NOTIFICATION, OTHER = "external", "notification", "other"
_TRIGGERS = {"external": EXTERNAL, "notification": NOTIFICATION, "unknown": OTHER}

_FLAGS = (
    *("synthetic", "context_reset", "reset_summary", "finished", "external_input", "injected", "child_result"),
    *("error", "launch_ack", "turn_duration", "command", "notice", "auxiliary"),
)
BIT = {name: 1 << number for number, name in enumerate(_FLAGS)}
SYNTHETIC, CONTEXT_RESET, RESET_SUMMARY, FINISHED, EXTERNAL_INPUT, INJECTED, CHILD_RESULT = (BIT[name] for name in _FLAGS[:7])
ERROR, LAUNCH_ACK, TURN_DURATION, COMMAND, NOTICE, AUXILIARY = (BIT[name] for name in _FLAGS[7:])

LONGEST = 65_535
"""Bytes that an identifier, a name or a label may have."""
_LIMITED = ("id", "parent", "call", "run", "continues", "tool", "child", "batch", "label", "started_by", "model", "sha")
_LIMITED_IN_PART = ("id", "of", "name", "server", "server_tool")
_REFUSALS = (msgspec.MsgspecError, ValueError, RecursionError)


class ToolBlock(msgspec.Struct, gc=False, eq=False):
    """A block that uses a tool or is its result, with the tool's id."""

    block: int
    is_use: bool
    tool: str
    name: str
    server: str
    server_tool: str
    mark: int = 0


class Entry(msgspec.Struct, gc=False, eq=False):
    """One landed record as assembly sees it (§1.3); it can be part of no cycle, so the collector of garbage passes it over.

    Attributes:
        ref: its address as JSON.
        tools: its use and result blocks that name a tool, in order.
        says: its text and thinking blocks in order, each (block, whether it is text); only of a record with a call.
        changes: the change records among its parts, each (identity, lines added, lines removed).
        manifest: a provider body's role, request and previous request.
        inherited: the run of an ancestor and how far up it is, once found.
        container, epoch: where its steps hang, as of the assembly under way.
        mark: of a user's record of nothing but plain text, a number that tells its text apart from others; else 0.
        inferred: what of it is inferred (`inference`); 0 under the original's policy.
    """

    seq: int
    row: int
    ref: str
    stream: str
    batch: str
    kind: str
    id: str
    parent: str
    call: str
    run: str
    continues: str
    tool: str
    child: str
    started_by: str
    label: str
    ord: int
    time: int
    trigger: str
    flags: int
    tools: Sequence[ToolBlock] = ()
    says: Sequence[tuple[int, bool]] = ()
    changes: Sequence[tuple[str, int, int]] = ()
    manifest: tuple[str, str, str] | None = None
    inherited: tuple[str, int] | None = None
    container: str = ""
    epoch: str = ""
    mark: int = 0
    inferred: int = 0

    def take_parts(self, parts: list[Part]) -> None:
        """Take what assembly uses of the record's parts (§1.6)."""
        if self.kind is BODY:
            last = parts[-1]
            if last.k == "data" and last.data is not UNSET:
                self.manifest = body_of(bytes(last.data))
            return
        if self.kind is USER:
            self.mark = _text_mark(parts)
        for block, part in enumerate(parts):
            kind = part.k
            if kind == "call" or kind == "result":
                tool = part.id if kind == "call" else part.of
                if tool:
                    found = ToolBlock(block, kind == "call", tool, part.name, part.server, part.server_tool, _prompt_mark(part))
                    self.tools = (*self.tools, found)
            elif kind == "text" or kind == "reasoning":
                if self.call:
                    self.says = (*self.says, (block, kind == "text"))
            elif kind == "data" and part.data is not UNSET:
                change = change_of(bytes(part.data))
                if change is not None:
                    self.changes = (*self.changes, change)

    def ref_of(self, block: int) -> str:
        """The address of one of its blocks as JSON."""
        return block_ref(self.ref, block)

    def first_result(self) -> str:
        """The tool id of its first result block that has one; empty without."""
        for block in self.tools:
            if not block.is_use:
                return block.tool
        return ""


class _Prompt(msgspec.Struct, gc=False):
    prompt: str = ""


_prompt = msgspec.json.Decoder(_Prompt).decode
_NOT_SAID = ("<", "[Request interrupted", "Caveat: ")
"""What texts begin with that the runtime writes in a person's place."""
LAUNCHING = frozenset({"Task", "Agent"})
"""Tools whose input names the prompt of a child."""


def _text_mark(parts: list[Part]) -> int:
    if any(part.k != "text" for part in parts):
        return 0
    text = "\n".join([part.text for part in parts]).strip()
    return 0 if not text or text.startswith(_NOT_SAID) else hash(text) or 1


def _prompt_mark(part: Part) -> int:
    if part.k != "call" or part.name not in LAUNCHING or part.data is UNSET:
        return 0
    try:
        text = _prompt(part.data).prompt.strip()
    except _REFUSALS:
        return 0
    return (hash(text) or 1) if text else 0


class _Where:
    """What the header and the folder of a file say of each of its records."""

    __slots__ = ("batch", "kind", "seq", "stream")

    def __init__(self, file: LandedFile, header: Header) -> None:
        self.seq = file.seq
        self.stream = intern(header.stream or file.stream or "")
        self.batch = header.batch or file.run or ""
        self.kind = _BY_HEADER.get(header.kind, "")

    def entry(self, row: int, record: Record) -> Entry:
        """The entry of a record of this file."""
        flags = 0
        for name in record.flags or ():
            flags |= BIT.get(name, 0)
        entry = Entry(
            self.seq,
            row,
            f'{{"seq":{self.seq},"row":{row}}}',
            self.stream,
            record.batch or self.batch,
            self.kind or _BY_FROM.get(record.from_, UNKNOWN),
            record.id,
            record.parent,
            record.call,
            record.run,
            record.continues,
            record.tool,
            record.child,
            record.started_by,
            record.label,
            record.ord,
            read_time(record.time),
            _TRIGGERS.get(record.trigger, ""),
            flags,
        )
        if record.parts:
            entry.take_parts(record.parts)
        return entry


class LandedEntries:
    """A landed file read strictly: its sequence, the digest of all its bytes, its entries."""

    __slots__ = ("digest", "entries", "file", "seq")

    def __init__(self, file: LandedFile, digest: str, entries: list[Entry]) -> None:
        self.file, self.digest, self.entries = file, digest, entries
        self.seq = file.seq


def read_entries(file: LandedFile) -> LandedEntries:
    """Read a landed file strictly (§1.2).

    Args:
        file: as ``Storage.landed`` lists it.

    Raises:
        AssembleError: when anything of it is not as it must be; names the file and the row.
    """
    try:
        data = read_file(file.path)
    except OSError as error:
        raise AssembleError(f"{file.wire} cannot be read: {error.strerror or error}") from None
    try:
        return entries_of(file, data)
    except RecordError as error:
        raise AssembleError(f"{file.wire}: {error}") from None


def entries_of(file: LandedFile, data: bytes) -> LandedEntries:
    """As ``read_entries``, from bytes at hand.

    Raises:
        RecordError: when anything of it is not as it must be.
    """
    places = row_places(data)
    end = places[-1]
    if len(places) < 2 or end >= len(data):
        raise RecordError("there is no closing line; the file is truncated")
    header = decode_header(data[: places[1] - 1])
    _check_header(header)
    hashed = hashlib.sha256(memoryview(data)[:end])
    before = hashed.hexdigest()
    hashed.update(memoryview(data)[end:])
    closing = decode_closing(data[end:].split(b"\n", 1)[0])
    count = len(places) - 2
    if closing is None:
        raise RecordError("the closing line does not decode")
    if closing.records != count:
        raise RecordError(f"the file holds {count} records, the closing line claims {closing.records}")
    if closing.digest != before:
        raise RecordError(f"digest mismatch: computed {before[:12]}, the closing line claims {closing.digest[:12] or 'nothing'}")
    where = _Where(file, header)
    view = memoryview(data)
    entries: list[Entry] = []
    for row, (start, after) in enumerate(pairwise(islice(places, 1, None)), 1):
        entries.append(where.entry(row, _record_of(view[start : after - 1], row)))
    return LandedEntries(file, hashed.hexdigest(), entries)


def _record_of(line: memoryview, row: int) -> Record:
    try:
        record = decode_strictly(line)
    except _REFUSALS:
        record = _forgivingly(bytes(line), row)
    if record.ord < 0:
        raise RecordError(f"row {row} does not decode: ord is negative")
    if len(line) > LONGEST:
        _check_lengths(record, row)
    return record


def _forgivingly(line: bytes, row: int) -> Record:
    """Bad text reads as U+FFFD and ``null`` as absent, also in the place of a whole record."""
    if line.strip(b" \t\r") == b"null":
        return Record()
    try:
        return decode_record(line)
    except RecordError as error:
        raise RecordError(f"row {row} does not decode: {error}") from None


def _check_lengths(record: Record, row: int) -> None:
    named: list[tuple[Any, tuple[str, ...]]] = [(record, _LIMITED)]
    named += [(part, _LIMITED_IN_PART) for part in record.parts or ()]
    for holder, names in named:
        for name in names:
            value = getattr(holder, name)
            if len(value) * 3 > LONGEST and len(value.encode()) > LONGEST:
                raise RecordError(f"row {row} does not decode: its {name} is longer than {LONGEST:,} bytes")


def _check_header(header: Header) -> None:
    for name in ("kind", "session", "stream", "batch", "adapter", "dialect"):
        if len(getattr(header, name).encode()) > LONGEST:
            raise RecordError(f"the header's {name} is longer than {LONGEST:,} bytes")
