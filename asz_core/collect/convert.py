"""From a payload of a source to a record line (the collecting specification, §6), as tables to be held beside it.

``FIELDS`` says in which order the fields of a record are written and where each comes from; ``FLAGS`` which flag is set when; the
parts are made in ``blocks``, the change records in ``changes``, and which keys are looked at stands in ``shapes``.
"""

from __future__ import annotations

import hashlib
from typing import Any

from ..rawjson import text_of, trim
from .blocks import Parts, Unwritable, part, unknown
from .changes import change_record
from .payload import NULL, OBJECT, TEXT, Payload, read
from .shapes import ENRICHMENT, RAW_ATTACHMENT, RECORD, object_of, take
from .sources import AGENT_META, JOURNAL, MANIFEST, SCRIPT, Source, agent_id
from .spelling import plain, size_of

_NOTHING: dict[str, Any] = {}


class Seen:
    """What was read of one record, with the names that the tables below use.

    Attributes:
        record: the record's own keys.
        message: those of its ``message``; ``origin`` and ``attachment`` the same way.
        enrichment: those of its ``toolUseResult`` which have the right type.
        usable: whether the enrichment is.
        told: tool and child of a notification, or empty.
    """

    __slots__ = ("attachment", "enrichment", "message", "origin", "record", "source", "told", "type", "usable")

    def __init__(self, payload: Payload, record: dict[str, Any], source: Source) -> None:
        get = record.get
        self.record, self.source = record, source
        self.type: str = get("type", "")
        self.message: dict[str, Any] = get("message", _NOTHING)
        self.origin: dict[str, Any] = get("origin", _NOTHING)
        self.attachment: dict[str, Any] = get("attachment", _NOTHING)
        self.enrichment: dict[str, Any] = {}
        self.usable = False
        if "toolUseResult" in record and payload.kind(record["toolUseResult"]) is OBJECT:
            self.usable = take(payload, record["toolUseResult"], ENRICHMENT, self.enrichment)
        self.told = ("", "")
        content = self.message.get("content")
        if content is not None and payload.kind(content) is TEXT:
            self.told = notification(payload.plain(content))

    def status(self) -> str:
        """The status of a usable enrichment."""
        return self.enrichment.get("status", "") if self.usable else ""

    def in_transcript(self) -> bool:
        return self.source.kind is not JOURNAL and self.source.kind is not AGENT_META

    def sdk_prompt(self) -> bool:
        get = self.record.get
        return self.type == "user" and not self.origin.get("kind") and get("promptSource") == "sdk" and not get("isMeta")

    def queued_prompt(self) -> bool:
        attachment = self.attachment.get
        return self.type == "attachment" and attachment("type") == "queued_command" and attachment("commandMode") == "prompt"

    def external_input(self) -> bool:
        if self.record.get("isMeta") or not self.in_transcript():
            return False
        return self.queued_prompt() or (self.type == "user" and (self.origin.get("kind") == "human" or self.sdk_prompt()))

    def injected(self) -> bool:
        return bool(self.record.get("isMeta")) or (self.type == "attachment" and not self.queued_prompt())

    def child_result(self) -> bool:
        return (self.source.kind is JOURNAL and "result" in self.record) or self.status() == "completed"


_NAMED_SUBTYPES = ("compact_boundary", "api_error", "turn_duration", "local_command")

FLAGS = (
    ("synthetic", lambda s: s.type == "assistant" and s.message.get("model") == "<synthetic>"),
    ("context_reset", lambda s: s.type == "system" and s.record.get("subtype") == "compact_boundary"),
    ("reset_summary", lambda s: s.record.get("isCompactSummary")),
    ("finished", lambda s: s.type == "assistant" and s.message.get("stop_reason")),
    ("external_input", Seen.external_input),
    ("injected", Seen.injected),
    ("child_result", Seen.child_result),
    ("error", lambda s: s.type == "system" and s.record.get("subtype") == "api_error"),
    ("launch_ack", lambda s: s.status() == "async_launched"),
    ("turn_duration", lambda s: s.type == "system" and s.record.get("subtype") == "turn_duration"),
    ("command", lambda s: s.type == "system" and s.record.get("subtype") == "local_command"),
    ("notice", lambda s: s.type == "system" and s.record.get("subtype") not in _NAMED_SUBTYPES),
)
"""Each flag and when it is set (§6.2), in the order they are written."""


def _tool(seen: Seen) -> str:
    own = "" if seen.source.kind is JOURNAL else seen.enrichment.get("toolUseId")
    return own or seen.told[0]


def _child(seen: Seen) -> str:
    if seen.source.kind is JOURNAL:
        own = seen.record.get("agentId")
    elif seen.source.kind is AGENT_META:
        own = seen.record.get("agentId") or seen.source.stream
    else:
        own = seen.enrichment.get("agentId")
    return own or seen.told[1]


def _label(seen: Seen) -> str:
    get = seen.record.get
    return get("aiTitle") or get("description") or get("workflowName") or ""


_FROM = {"assistant": "agent", "user": "external"}


def _from(seen: Seen) -> str:
    return _FROM.get(seen.type, "runtime") if seen.in_transcript() else "runtime"


_TRIGGERS = {"human": "external", "task-notification": "notification"}


def _trigger(seen: Seen) -> str:
    kind = seen.origin.get("kind") or seen.attachment.get("origin", _NOTHING).get("kind")
    if not kind:
        return "external" if seen.sdk_prompt() else ""
    return _TRIGGERS.get(kind, "unknown")


FIELDS = (
    ("id", lambda s: s.record.get("uuid")),
    ("parent", lambda s: s.record.get("parentUuid")),
    ("call", lambda s: s.message.get("id")),
    ("run", lambda s: s.record.get("promptId")),
    ("continues", lambda s: s.record.get("logicalParentUuid")),
    ("tool", _tool),
    ("child", _child),
    ("batch", lambda s: s.enrichment.get("runId") or text_of_name(s.source.run)),
    ("label", _label),
    ("started_by", lambda s: s.record.get("parentAgentId")),
    ("from", _from),
    ("time", lambda s: s.record.get("timestamp")),
    ("trigger", _trigger),
)
"""Each field that is a text and where it comes from (§6.1), in the order they are written; flags, usage, model, parts follow."""

USAGE_KEYS = (
    ("in", "input_tokens"),
    ("out", "output_tokens"),
    ("cache_read", "cache_read_input_tokens"),
    ("cache_write", "cache_creation_input_tokens"),
)


def text_of_name(name: str) -> str:
    """A file's name as text: each byte that is not UTF-8 reads as U+FFFD."""
    return name if name.isascii() else text_of(name.encode("utf-8", "surrogateescape"))


def record_line(raw: bytes, ord_: int, off: int, source: Source) -> bytes:
    """The record of one payload.

    Args:
        raw: the line without its newline, or the trimmed snapshot.
        ord_: number of the line in its source.
        off: where it starts in the source.
        source: where it was read.

    Returns:
        One line of JSON without its newline.

    Raises:
        Unwritable: when it cannot be written (§4.5).
    """
    start = b'{"ord":%d,"off":%d,"sha":"%s","bytes":%d' % (ord_, off, hashlib.sha256(raw).hexdigest()[:12].encode(), len(raw))
    if source.kind is SCRIPT:
        return _bare(start, unknown(raw, "the source is a program, not data"))
    try:
        payload = read(raw)
    except ValueError:
        if source.kind is MANIFEST:
            raise Unwritable("the manifest is not JSON") from None
        return _bare(start, unknown(raw, "the record is not valid JSON"))
    record, good = object_of(payload, payload.top, RECORD)
    if source.kind is MANIFEST:
        return _manifest(start, payload, record if good else None, source)
    if not good:
        return _bare(start, unknown(raw, "the record is not valid JSON"))
    return _converted(start, payload, Seen(payload, record, source))


def _converted(start: bytes, payload: Payload, seen: Seen) -> bytes:
    out = [start]
    for name, of in FIELDS:
        value = of(seen)
        if value:
            out += [b',"', name.encode(), b'":', plain(value)]
    flags = [name for name, is_set in FLAGS if is_set(seen)]
    if flags:
        out.append(b',"flags":["' + '","'.join(flags).encode() + b'"]')
    usage = seen.message.get("usage")
    if usage is not None:
        counts = [(name, usage.get(key, 0)) for name, key in USAGE_KEYS]
        out.append(b',"usage":{' + b",".join([b'"%s":%d' % (name.encode(), count) for name, count in counts if count]) + b"}")
    if seen.message.get("model"):
        out += [b',"model":', plain(seen.message["model"])]
    parts = _parts(payload, seen)
    out += [b',"parts":[', b",".join(parts.made), b"]"]
    if parts.dropped:
        out += [b',"dropped":[', b",".join(parts.dropped), b"]"]
    out.append(b"}")
    return b"".join(out)


def _parts(payload: Payload, seen: Seen) -> Parts:
    """Which parts a record gets (§7.2)."""
    record = seen.record
    parts = Parts(payload, record["toolUseResult"] if seen.usable else None)
    content = seen.message.get("content")
    if seen.type == "attachment":
        _attachment(payload, parts)
    elif content is not None and payload.kind(content) is not NULL:
        parts.content(content)
    if seen.usable and parts.tool and seen.source.stream and record.get("timestamp"):
        args = (parts.tool, seen.source.session, seen.source.stream, record["timestamp"], record.get("cwd", ""))
        change = change_record(seen.enrichment, *args)
        if change is not None:
            parts.made.append(part("data", data=change, size=len(change)))
    if not parts.made:
        parts.data(payload.top)
    return parts


def _attachment(payload: Payload, parts: Parts) -> None:
    found: dict[str, Any] = {}
    take(payload, payload.top, RAW_ATTACHMENT, found)
    if "attachment" in found:
        parts.attachment(found["attachment"])
    else:
        parts.made.append(part("data"))


def _manifest(start: bytes, payload: Payload, record: dict[str, Any] | None, source: Source) -> bytes:
    """A manifest (§6.5): its run and its name when it reads without a type error, and all of it."""
    out = [start]
    if record is not None:
        batch = record.get("runId") or text_of_name(source.run)
        if batch:
            out += [b',"batch":', plain(batch)]
        if record.get("workflowName"):
            out += [b',"label":', plain(record["workflowName"])]
    parts = Parts(payload)
    parts.data(payload.top)
    out.append(b',"from":"runtime","parts":[' + parts.made[0] + b"]}")
    return b"".join(out)


def _bare(start: bytes, only: bytes) -> bytes:
    return start + b',"from":"runtime","parts":[' + only + b"]}"


def notification(text: str) -> tuple[str, str]:
    """Tool id and child that a notification names (§6.3); each empty when it names none, both when it is no notification."""
    if "<task-notification>" not in text:
        return "", ""
    _, opened, rest = text.partition("<tool-use-id>")
    tool, closed, _ = rest.partition("</tool-use-id>")
    return (trim(tool) if opened and closed else ""), _notified_child(text)


def _notified_child(text: str) -> str:
    while True:
        _, opened, rest = text.partition("<task-id>")
        child, closed, _ = rest.partition("</task-id>")
        child = trim(child)
        if not (opened and closed and child):
            return ""
        if agent_id(child):
            return child
        text = text.partition("</task-id>")[2]


__all__ = ["FIELDS", "FLAGS", "Unwritable", "notification", "record_line", "size_of", "text_of_name"]
