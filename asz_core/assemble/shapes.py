"""JSON values that are looked into, with the type of every key that is known of them (the assembling specification, §1.7 and §1.8).

A value is one of these when its ``schema`` is the right word and every known key has its type; ``null`` counts as absent.
"""

from __future__ import annotations

from typing import Any

from ..rawjson import loads

Shape = Any
"""``str``, ``int`` or ``bool``; a dict of keys for an object; a list of one shape for a list."""

_SIDE = {"present": bool, "bytes": int, "sha256": str, "no_newline_at_end": bool}
_HUNK = {"old_start": int, "old_lines": int, "new_start": int, "new_lines": int, "lines": [str]}
_CHANGE = {
    **dict.fromkeys(("path", "operation", "diff", "attribution"), str),
    "windows": [str],
    "additions": int,
    "deletions": int,
    "before": _SIDE,
    "after": _SIDE,
    "hunks": [_HUNK],
}
_SPAN = {"from": str, "to": str}
_CHANGES = {
    **dict.fromkeys(("schema", "id", "captured_by", "session", "stream", "tool", "tool_name", "time", "basis", "coverage"), str),
    "gaps": [str],
    "changed_files": int,
    "changes": [_CHANGE],
    "root": {"path": str, "id": str},
    "policy": {"exclusions": str, "read_only": str, "expanded": [str]},
    "window": {"before": _SPAN, "after": _SPAN},
    "outcome": {"state": str, "exit_code": int},
    "overlaps": [dict.fromkeys(("capture", "session", "stream", "tool", "tool_name", "state"), str)],
}
_BODY = {
    **dict.fromkeys(
        ("schema", "role", "src", "sha256", "chain", "why", "model", "session", "run", "call", "request", "previous_request"), str
    ),
    "bytes": int,
    "depth": int,
    "segments": [{"lit": str, "piece": str, "part": int, "copy": {"from": str, "sha256": str, "len": int}}],
}
_WRAP = 2**32


def fits(value: Any, shape: Shape) -> bool:
    """Whether a decoded value has the types of a shape."""
    if value is None:
        return True
    if isinstance(shape, dict):
        return type(value) is dict and all(key not in value or fits(value[key], known) for key, known in shape.items())
    if isinstance(shape, list):
        return type(value) is list and all(fits(item, shape[0]) for item in value)
    return type(value) is shape


def _value_of(raw: bytes, schema: str, shape: Shape) -> dict[str, Any] | None:
    try:
        value = loads(raw)
    except (ValueError, RecursionError):
        return None
    if type(value) is not dict or value.get("schema") != schema or not fits(value, shape):
        return None
    return value


def change_of(raw: bytes) -> tuple[str, int, int] | None:
    """The identity, the lines added and the lines removed of a change record; None when the data is none (§1.7)."""
    if b"changes/1" not in raw and b"changes\\/1" not in raw:
        return None
    value = _value_of(raw, "changes/1", _CHANGES)
    if value is None:
        return None
    added = removed = 0
    for change in value.get("changes") or ():
        added += (change and change.get("additions")) or 0
        removed += (change and change.get("deletions")) or 0
    return f"{value.get('captured_by') or ''}|{value.get('id') or ''}", added % _WRAP, removed % _WRAP


def body_of(raw: bytes) -> tuple[str, str, str] | None:
    """The role, ``request`` and ``previous_request`` of a provider body's manifest; None when the data is none (§1.8)."""
    value = _value_of(raw, "provider_body/1", _BODY)
    if value is None:
        return None
    return value.get("role") or "", value.get("request") or "", value.get("previous_request") or ""
