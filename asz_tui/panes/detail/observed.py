"""What was observed around a call beside its own records: workspace changes with their diffs, and executions.

Records are never merged: two producers that saw the same call stand one after the other. A count that the record does not state is
said to be unknown; "no scan ran" is not "nothing changed".

Cost: the records of the node; of each file's diff the first `DIFF_LINES` lines unless all are asked for.
"""

from __future__ import annotations

from typing import Any

from ...lines.line import Span
from ...lines.text_rows import Block
from ...text.safe import visible
from ...text.words import counted, duration
from .items import Facts, Item, dim, heading, record_key, safe, size_words, where
from .subject import Subject
from .words import ATTRIBUTIONS, BASES, OPERATIONS

DIFF_LINES = 200
_DIGEST = 12


def change_items(subject: Subject) -> list[Item]:
    """The workspace changes of a step, record by record."""
    records = subject.changes
    if not records:
        return []
    items: list[Item] = heading("workspace changes", [(f" · {counted(len(records), 'record')}", "dim")])
    for record in records:
        items += _change_record(subject, record)
    return items


def _change_record(subject: Subject, record: dict[str, Any]) -> list[Item]:
    facts = Facts()
    facts.add("observed by", record["captured_by"], "the runtime's own report" if record["captured_by"] == "claude-code" else "")
    facts.add("files", [(files_words(record), "text")])
    facts.add("basis", record["basis"], BASES.get(record["basis"], ""))
    facts.known("coverage", record.get("coverage", ""))
    facts.add("observed at", record["time"] or [("no time", "dim")])
    outcome = record.get("outcome")
    if outcome:
        code = outcome.get("exit_code")
        facts.add("outcome", safe(outcome.get("state") or "unavailable") + ("" if code is None else f" · exit code {code}"))
    facts.known("workspace", (record.get("root") or {}).get("path", ""))
    _windows(facts, record)
    for label, key in (("policy", "policy"), ("gaps", "gaps"), ("overlaps", "overlaps")):
        if record.get(key):
            facts.add(label, _compact(record[key]))
    facts.add("read from", [(where(record["ref"]), "text"), (f"  {safe(subject.shared.file_of(record['ref']))}", "dim")],
              key=record_key(record["ref"]))  # fmt: skip
    items: list[Item] = facts.items()
    for change in record.get("changes") or ():
        items += _file(change, subject.whole)
    return items


def files_words(record: dict[str, Any]) -> str:
    """How many files changed and by how many lines, or why that is not known."""
    changes, count = record.get("changes") or [], record.get("changed_files")
    coverage = record.get("coverage", "")
    if "read_only" in (coverage, record["basis"]) or "not_observed" in (coverage, record["basis"]):
        return "not observed: the tool counts as read-only and no scan ran; this does not say that nothing changed"
    if count is None and not changes:
        return "unknown: how many files changed is unavailable"
    known = count if count is not None else len(changes)
    if not known:
        return "none: a whole observation found no changed file" if coverage in ("", "complete") else "none seen"
    floor = "" if coverage in ("", "complete") and count is not None else " at least"
    added = [change["additions"] for change in changes if change.get("additions") is not None]
    removed = [change["deletions"] for change in changes if change.get("deletions") is not None]
    lines = f" · +{sum(added)} −{sum(removed)}" if added or removed else ""
    return counted(known, "file") + floor + lines


def _windows(facts: Facts, record: dict[str, Any]) -> None:
    window = record.get("window") or {}
    for when in ("before", "after"):
        interval = window.get(when)
        if interval:
            facts.add(f"scanned {when}", f"{interval.get('from') or 'no time'} – {interval.get('to') or 'no time'}")


def _file(change: dict[str, Any], whole: bool) -> list[Item]:
    spans: list[Span] = [(f"{safe(change['operation'])} ", "accent"), (safe(change["path"]), "title")]
    plus, minus = change.get("additions"), change.get("deletions")
    spans.append((f"  +{plus} −{minus}" if plus is not None or minus is not None else "  lines unknown", "text"))
    spans.append((f"  {_endpoint(change['before'])} → {_endpoint(change['after'])}", "dim"))
    attribution = change.get("attribution", "")
    if attribution:
        meaning = ATTRIBUTIONS.get(attribution, "")
        spans.append((f"  {safe(attribution)}" + (f": {meaning}" if meaning else ""), "dim"))
    if change["operation"] not in OPERATIONS:
        spans.append(("  an operation the model does not list", "dim"))
    return [Block(spans, key=None), *_diff(change, whole)]


def _endpoint(state: dict[str, Any]) -> str:
    if not state.get("present"):
        return "∅"
    return size_words(state["bytes"]) if state.get("bytes") is not None else "?"


def _diff(change: dict[str, Any], whole: bool) -> list[Item]:
    lines = diff_lines(change)
    if not lines:
        digests = " → ".join(safe((change[side].get("sha256") or "unknown")[:_DIGEST]) for side in ("before", "after"))
        why = safe(change["diff"]) if change["diff"] not in ("", "available") else "no diff available"
        return [dim(f"{why} · sha256 {digests}", indent=2)]
    shown = lines if whole else lines[:DIFF_LINES]
    items: list[Item] = [Block("\n".join(shown), role="code", kind="diff", indent=2)]
    if len(shown) < len(lines):
        items.append(Block([(f"{len(lines) - len(shown):,} more lines", "accent")], indent=2, key=("more", change["path"])))
    return items


def diff_lines(change: dict[str, Any]) -> list[str]:
    """The hunks of a changed file as lines of a diff, each on one line and safe."""
    lines: list[str] = []
    for hunk in change.get("hunks") or ():
        lines.append(
            f"@@ -{hunk.get('old_start', 0)},{hunk.get('old_lines', 0)} +{hunk.get('new_start', 0)},{hunk.get('new_lines', 0)} @@"
        )
        # The sign comes first whatever tab stops the line has.
        lines += [line[:1] + visible(line[1:].replace("\n", "⏎"), multiline=True) for line in hunk.get("lines") or ()]
    if lines:
        for side, sign in (("before", "-"), ("after", "+")):
            if change[side].get("no_newline_at_end"):
                lines.append(f"\\ no line break at the end {side} ({sign})")
    return lines


def execution_items(subject: Subject) -> list[Item]:
    """The executions of a call that were observed, one after the other."""
    records = subject.executions
    if not records:
        return []
    items: list[Item] = heading("execution", [(f" · {counted(len(records), 'observation')}", "dim")])
    for number, record in enumerate(records):
        if number:
            items.append(Block(""))
        items += _execution(subject, record)
    return items


def _execution(subject: Subject, record: dict[str, Any]) -> list[Item]:
    facts, server = Facts(), record.get("server") or {}
    facts.add("observed by", " · ".join(word for word in (record["observed_by"], record["boundary"]) if word) or "not stated")
    facts.known("server", server.get("name", ""))
    facts.known("configured in", server.get("source", ""))
    facts.known("protocol", record.get("protocol", ""))
    returned = record["outcome"] == "returned"
    facts.add("outcome", record["outcome"] or [("unavailable", "dim")], role="text" if returned else "error")
    took = record.get("duration_ms")
    if took is None:
        facts.add("measured time", [("not reported", "dim")])
    else:
        facts.add("measured time", duration(took), "waiting for the server included")
    facts.add("observed at", record["time"] or [("no time", "dim")])
    for label, key in (("sent", "arguments"), ("came back", "result")):
        payload = record.get(key)
        if payload:
            digest = (payload.get("sha256") or "")[:_DIGEST]
            note = f"sha256 {safe(digest)}; the values themselves are not recorded" if digest else "the values are not recorded"
            facts.add(label, f"{payload.get('state') or 'no state'} · {size_words(payload.get('bytes', 0))}", note)
    facts.add("read from", [(where(record["ref"]), "text")], key=record_key(record["ref"]))
    return facts.items()


def _compact(value: Any) -> str:
    """A small value of an observation as JSON text."""
    import msgspec

    return msgspec.json.encode(value).decode()


__all__ = ["DIFF_LINES", "change_items", "diff_lines", "execution_items", "files_words"]
