"""What a landed record says, as a document shows it: readable text, the part a node stands on, results, names, durations.

Pure functions from a record to text (formats.md section 4, «readable text of a record» on). Each costs in proportion to the record;
nothing is kept.
"""

from __future__ import annotations

import re
from typing import Any

from msgspec import UNSET

from ..rawjson import SPACE, loads, text_of, trim
from ..sessiondata.record import Part, Record
from ..sessionflow.frames import Ref

CLIP = 2000
"""Bytes of text that a document carries of one part (asz-view seed, A node in talks)."""

JOURNAL_CLIP = 160

_spaces = re.compile(f"[{SPACE}]+")


def clip(text: str, limit: int = CLIP) -> str:
    """The longest prefix of whole characters within ``limit`` UTF-8 bytes."""
    size = len(text)
    if size <= limit and (size * 4 <= limit or text.isascii()):
        return text
    if text.isascii():
        return text[:limit]
    return text[:limit].encode()[:limit].decode("utf-8", "ignore")


def collapse(text: str) -> str:
    """The text with every run of Unicode white space as one space, and none at the ends."""
    return " ".join(word for word in _spaces.split(text) if word)


def readable(record: Record) -> str:
    """The readable text of a record, or what a queued command in it asks for; trimmed, perhaps empty."""
    parts = record.parts
    if not parts:
        return ""
    text = "\n".join([part.text for part in parts if part.k == "text" and part.text])
    if text:
        text = text.strip(SPACE)
        if text:
            return text
    return _queued_command(parts)


def _json_text(part: Part) -> Any:
    """A part's data, or else its text, as JSON bytes or text."""
    return part.text if part.data is UNSET else part.data


def _queued_command(parts: list[Part]) -> str:
    for part in parts:
        if part.data is not UNSET:
            source: bytes | str = bytes(part.data)
            if b"queued_command" not in source and b"\\u" not in source:
                continue
        else:
            source = part.text
            if "queued_command" not in source and "\\u" not in source:
                continue
        value = _load(source)
        if not isinstance(value, dict) or value.get("type") != "queued_command":
            continue
        prompt = value.get("prompt") or []
        if not isinstance(prompt, list) or not all(isinstance(item, dict) for item in prompt):
            continue
        texts = [item.get("text") or "" for item in prompt]
        if all(isinstance(text, str) for text in texts) and any(texts):
            return trim("\n".join(text for text in texts if text))
    return ""


def _load(raw: bytes | str) -> Any:
    try:
        return loads(raw)
    except ValueError:
        return None


def part_at(record: Record, ref: Ref) -> Part | None:
    """The part that a reference means: its block when in range, else the only part of a one-part record."""
    parts = record.parts
    if not parts:
        return None
    block = ref.block
    if block is not UNSET and 0 <= block < len(parts):
        return parts[block]
    return parts[0] if len(parts) == 1 else None


def result_part(record: Record, ref: Ref) -> Part | None:
    """The part that a result's reference means: its block when in range, else the first part of kind result."""
    parts = record.parts or ()
    block = ref.block
    if block is not UNSET and 0 <= block < len(parts):
        return parts[block]
    return next((part for part in parts if part.k == "result"), None)


def full_text(record: Record, part: Part | None) -> str:
    """The text of a content node, whole: the part's text, else its data as the rule of formats.md section 4 says."""
    if part is None:
        return readable(record)
    if part.text or part.data is UNSET:
        return part.text
    raw = text_of(part.data)
    said = readable(record)
    return said if said and said != trim(raw) else raw


def clipped_text(record: Record, part: Part | None) -> str:
    """``clip(full_text(…))`` without making text of a large data part first."""
    if part is None:
        return clip(readable(record))
    if part.text or part.data is UNSET:
        return clip(part.text)
    said = readable(record)
    if said and said != trim(text_of(part.data)):
        return clip(said)
    return clipped_data(part)


def clipped_data(part: Part) -> str:
    """The data of a part in the file's own spelling, clipped; only as many bytes as needed are looked at."""
    # A character or an invalid byte never shrinks when it is read, so this many bytes hold every character that is kept.
    return clip(text_of(memoryview(part.data)[: CLIP + 4]))  # type: ignore[arg-type]


def part_text(part: Part) -> str:
    """A result's text: the part's text, else its raw data; whole."""
    return part.text or part.raw_data()


def clipped_part_text(part: Part) -> str:
    """``clip(part_text(part))``."""
    if part.text:
        return clip(part.text)
    return "" if part.data is UNSET else clipped_data(part)


def duration_ms(record: Record) -> int:
    """The first not zero integer ``durationMs`` in a record's parts, in milliseconds; 0 when there is none."""
    for part in record.parts or ():
        source = _json_text(part)
        value = _load(source if isinstance(source, str) else bytes(source)) if source else None
        if isinstance(value, dict):
            found = value.get("durationMs")
            if type(found) is int and found and -(2**63) <= found < 2**63:
                return found
    return 0


def journal_name(record: Record) -> str:
    """The name that a run journal's result record gives a child, or an empty text (formats.md section 4, streams)."""
    for part in record.parts or ():
        if part.data is UNSET or b"result" not in bytes(part.data):
            continue
        value = _load(bytes(part.data))
        if not isinstance(value, dict) or value.get("type") != "result" or not isinstance(value.get("result"), dict):
            continue
        name = collapse(_name_in(value["result"]))
        if name:
            short = clip(name, JOURNAL_CLIP)
            return short + "…" if len(short) < len(name) else short
    return ""


def _name_in(result: dict[str, Any]) -> str:
    for key in ("surface", "summary"):
        value = result.get(key)
        if isinstance(value, str) and value:
            return value
    verdict = result.get("verdict")
    if not isinstance(verdict, str) or not verdict:
        return ""
    claims = result.get("refuted_claims")
    if isinstance(claims, list) and claims and isinstance(claims[0], dict):
        claim = claims[0].get("claim")
        if isinstance(claim, str) and claim:
            return f"{verdict} · {claim}"
    return verdict
