"""One line of Session Data as typed values: header, record, part and closing line (``sd/1``, formats.md section 2).

The classes are msgspec structs: decoding checks every field's type, unknown keys are skipped unread, and a part's ``data`` stays
the file's own bytes (``msgspec.Raw``, a view into the file's buffer). ``decode_record`` costs about 6 microseconds a record; a
line that the strict decoder refuses takes the forgiving path of ``rawjson`` before it counts as undecodable.
"""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Raw, UnsetType

from ..errors import RecordError
from ..rawjson import forgiving, loads, text_of

Int64 = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]

CLOSING = b'{"t":"end'
"""What the closing line starts with; the first line that does is the closing line."""


class Usage(msgspec.Struct, gc=False, omit_defaults=True):
    """Token counts of one model call; a count of zero is absent in a document."""

    in_: Int64 = msgspec.field(default=0, name="in")
    out: Int64 = 0
    cache_read: Int64 = 0
    cache_write: Int64 = 0


class Dropped(msgspec.Struct, gc=False):
    """What a collector left out of a record, how large it was, and why."""

    what: str = ""
    bytes: Int64 = 0
    why: str | UnsetType = UNSET


class Part(msgspec.Struct, gc=False):
    """One content part of a record. ``data`` is UNSET when absent; a JSON ``null`` counts as data."""

    k: str = ""
    text: str = ""
    data: Raw | UnsetType = UNSET
    id: str = ""
    of: str = ""
    name: str = ""
    server: str = ""
    server_tool: str = ""
    failed: bool | None = None
    media: str = ""
    encoding: str = ""
    state: str = ""
    bytes: Int64 = 0

    def raw_data(self) -> str:
        """The data in the file's own spelling; empty when there is none."""
        return "" if self.data is UNSET else text_of(self.data)


class Record(msgspec.Struct, gc=False):
    """One landed record."""

    ord: Int64 = 0
    off: Int64 = 0
    sha: str = ""
    bytes: Int64 = 0
    id: str = ""
    parent: str = ""
    call: str = ""
    run: str = ""
    continues: str = ""
    tool: str = ""
    child: str = ""
    batch: str = ""
    label: str = ""
    started_by: str = ""
    from_: str = msgspec.field(default="", name="from")
    time: str = ""
    trigger: str = ""
    flags: list[str] | None = None
    usage: Usage | None = None
    model: str = ""
    parts: list[Part] | None = None
    dropped: list[Dropped] | None = None


class _SkimmedPart(msgspec.Struct, gc=False):
    failed: bool | None = None


class Skim(msgspec.Struct, gc=False):
    """Of a record only its time and which parts failed; the decoder passes over everything else."""

    time: str = ""
    parts: list[_SkimmedPart] | None = None


class Header(msgspec.Struct, gc=False):
    """The first line of a landed file."""

    h: Int64 = 0
    schema: str = ""
    seq: Int64 = 0
    at: str = ""
    kind: str = ""
    adapter: str = ""
    dialect: str = ""
    src: str = ""
    session: str = ""
    stream: str = ""
    batch: str = ""


class Closing(msgspec.Struct, gc=False):
    """The last line of a landed file: how many records it holds, and the digest of every byte before this line."""

    t: str = ""
    records: Int64 = 0
    digest: str = ""


_PLAIN = "plain"
_PART_SHAPE: dict[str, Any] = dict.fromkeys(Part.__struct_encode_fields__, _PLAIN)
_PART_SHAPE["data"] = "raw"
_RECORD_SHAPE: dict[str, Any] = dict.fromkeys(Record.__struct_encode_fields__, _PLAIN)
_RECORD_SHAPE["parts"] = [_PART_SHAPE]
_RECORD_SHAPE["usage"] = dict.fromkeys(Usage.__struct_encode_fields__, _PLAIN)
_RECORD_SHAPE["dropped"] = [dict.fromkeys(Dropped.__struct_encode_fields__, _PLAIN)]
_HEADER_SHAPE: dict[str, Any] = dict.fromkeys(Header.__struct_encode_fields__, _PLAIN)

_record = msgspec.json.Decoder(Record)
_header = msgspec.json.Decoder(Header)
_closing = msgspec.json.Decoder(Closing)
decode_strictly = _record.decode
"""Decode one line, or refuse it with one of ``_REFUSALS``; the fast path of a whole file."""

decode_lines = _record.decode_lines
"""Decode all lines of a block at once, a fourth faster; unlike the strict decoder it does not mind where a line ends."""

skim_many = msgspec.json.Decoder(Skim).decode_lines
"""Decode all lines of a block at once, ten times as fast; it takes every line that the strict decoder takes, and more."""

_REFUSALS = (msgspec.MsgspecError, ValueError, RecursionError)


def decode_record(line: bytes | memoryview) -> Record:
    """Decode one record line.

    Raises:
        RecordError: when it does not decode, even with invalid text read as U+FFFD and ``null`` as absent.
    """
    try:
        return _record.decode(line)
    except _REFUSALS:
        pass
    try:
        rewritten, raws = forgiving(bytes(line), _RECORD_SHAPE)
        record = _record.decode(rewritten)
    except _REFUSALS as error:
        raise RecordError(f"undecodable record: {error}") from None
    for part in record.parts or ():
        if part.data is not UNSET:
            part.data = Raw(raws[int(bytes(part.data))])
    return record


def decode_header(line: bytes) -> Header:
    """Decode the first line of a landed file.

    Raises:
        RecordError: when it does not decode or is refused; ``refusal_of`` says what a header needs.
    """
    header = _decode_header(line)
    why = refusal_of(header)
    if why:
        raise RecordError(why)
    return header


def _decode_header(line: bytes) -> Header:
    try:
        return _header.decode(line)
    except _REFUSALS:
        pass
    try:
        return _header.decode(forgiving(line, _HEADER_SHAPE)[0])
    except _REFUSALS as error:
        raise RecordError(f"undecodable header: {error}") from None


def kind_named_by(line: bytes) -> str:
    """The kind that a first line names, whether or not the header is accepted; empty when it names none."""
    try:
        return _decode_header(line).kind
    except RecordError:
        pass
    try:
        value = loads(line)
    except ValueError:
        return ""
    kind = value.get("kind") if isinstance(value, dict) else ""
    return kind if isinstance(kind, str) else ""


def refusal_of(header: Header) -> str:
    """Why a header is refused, or an empty text (formats.md section 2)."""
    if header.h != 1:
        return f"the header has h={header.h}, not 1"
    if header.schema != "sd/1":
        return f"the header's schema is {header.schema!r}, not 'sd/1'"
    for name in ("kind", "session", "src", "dialect"):
        if not getattr(header, name):
            return f"the header has no {name}"
    return ""


def decode_closing(line: bytes) -> Closing | None:
    """The closing line, or None when it does not decode."""
    try:
        return _closing.decode(line)
    except _REFUSALS:
        return None
