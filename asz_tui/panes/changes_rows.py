"""Rows of the Changes pane: what was observed beside the conversation's own records, of all steps together.

Workspace changes record by record with their files, tool executions, and captured provider bodies by where they landed. Records are
never merged. `reload` takes the lists that the conversation has collected, so it costs their length; rows are drawn when asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import tzinfo
from typing import Any

from msgspec import UNSET

from asz_core.document.content import provider_bodies
from asz_core.document.tree import Tree
from asz_core.sessionflow import Node
from asz_core.times import optional_ms

from ..grammar import one_line
from ..lines.line import Line, Span
from ..session.opened import Opened
from ..text.words import clock, counted, duration, size
from .tables import Cell, Column, Entry, EntryRows, node_spans, node_text

Record = dict[str, Any]


class ChangesRows(EntryRows):
    """Workspace changes, tool executions and captured bodies of a conversation."""

    sorts = ("time", "step")

    def __init__(self, opened: Opened, tz: tzinfo) -> None:
        """See `EntryRows`."""
        super().__init__(opened, tz)
        self._changes_table = self.table(
            Column("time", 8, rank=2),
            Column("step", 24, flex=1),
            Column("files", 16, right=True),
            Column("observed by", 12, rank=3),
            Column("coverage", 10, rank=4),
        )
        self._file_table = self.table(
            Column("", 8, rank=2),
            Column("operation", 9),
            Column("path", 24, flex=1),
            Column("lines", 11, right=True),
            Column("bytes", 17, right=True, rank=3),
        )
        self._run_table = self.table(
            Column("time", 8, rank=2),
            Column("step", 24, flex=1),
            Column("server", 16, rank=3),
            Column("outcome", 10),
            Column("measured", 12, right=True),
            Column("observed by", 12, rank=4),
        )
        self._body_table = self.table(
            Column("role", 8), Column("landed", 14), Column("model call", 24, flex=1), Column("bytes", 9, right=True)
        )
        self._closed: set[Any] = set()
        self.reload()

    def reload(self) -> None:
        """Take over what the conversation has collected."""
        observations = self.opened.conversation.observations
        self._changes: list[Record] = observations.changes
        self._runs: list[Record] = observations.executions
        calls = {tree.nodes[place].id: tree.nodes[place] for tree in self.opened.trees for place in _captured(tree)}.values()
        bodies = [(node, body) for node in calls for body in provider_bodies(node) if body.ref is not None]
        self._bodies = sorted(bodies, key=lambda pair: (pair[1].ref.seq, pair[1].ref.row))  # type: ignore[union-attr]
        self.refill()

    # --- folding

    def toggle(self, index: int) -> None:
        """Fold or unfold the files of a record."""
        entry = self._rows[index] if 0 <= index < len(self._rows) else None
        if entry is not None and entry.sort == "change":
            self._closed ^= {entry.key}
            self.refill()

    def set_open(self, index: int, is_open: bool) -> None:
        """Fold or unfold the files of a record."""
        entry = self._rows[index] if 0 <= index < len(self._rows) else None
        if entry is not None and (entry.key in self._closed) == is_open:
            self.toggle(index)

    def set_all(self, is_open: bool) -> None:
        """Fold or unfold the files of all records."""
        self._closed = set() if is_open else {("change", at) for at in range(len(self._changes))}
        self.refill()

    # --- which rows

    def entries(self) -> Iterator[Entry | None]:
        """Section by section; a section without rows is left out."""
        if not (self._changes or self._runs or self._bodies):
            yield Entry("none", "none")
            return
        heads = [Entry("changes", "title", "changes"), Entry("changes-head", "head", self._changes_table)]
        yield from self.section("changes", heads, self._change_entries(), self._words)
        heads = [Entry("runs", "title", "runs"), Entry("runs-head", "head", self._run_table)]
        runs = [Entry(("run", at), "run", record) for at, record in self._ordered(self._runs)]
        yield from self.section("runs", heads, runs, self._words)
        heads = [Entry("bodies", "title", "bodies"), Entry("bodies-head", "head", self._body_table)]
        bodies = [Entry(("body", at), "body", pair) for at, pair in enumerate(self._bodies)]
        yield from self.section("bodies", heads, bodies, self._words)

    def _ordered(self, records: list[Record]) -> list[tuple[int, Record]]:
        numbered = list(enumerate(records))
        if self.sort == "step":
            numbered.sort(key=lambda pair: pair[1]["step"])
        return numbered[::-1] if self.down else numbered

    def _change_entries(self) -> Iterator[Entry]:
        for at, record in self._ordered(self._changes):
            yield Entry(("change", at), "change", record)
            if ("change", at) not in self._closed:
                for number, change in enumerate(record.get("changes") or ()):
                    yield Entry(("file", at, number), "file", (record, change))

    def _words(self, entry: Entry) -> str:
        if entry.sort == "body":
            node, body = entry.item
            return f"{body.role} {node.id}"
        record = entry.item[0] if entry.sort == "file" else entry.item
        paths = " ".join(str(change.get("path", "")) for change in record.get("changes") or ())
        step = node_text(self.opened, record["step"]) if record["step"] else "no step"
        return f"{step} {record.get('captured_by', '')} {record.get('observed_by', '')} {record.get('tool_name', '')} {paths}"

    def aim(self, entry: Entry) -> str | None:
        """The step that a record belongs to; the model call of a body."""
        if entry.sort == "body":
            node: Node = entry.item[0]
            return node.id
        if entry.sort in ("change", "run", "file"):
            record = entry.item[0] if entry.sort == "file" else entry.item
            return record["step"] or None
        return None

    # --- drawing

    def draw(self, entry: Entry, width: int) -> Line:
        """A row as spans."""
        match entry.sort:
            case "none":
                return Line([("no workspace change, tool execution or provider body was observed here", "dim")])
            case "title":
                return self._title(entry.item)
            case "head":
                table = entry.item
                return table.header(width)
            case "change":
                return self._change_line(entry, width)
            case "file":
                return self._file_line(entry.item[1], width)
            case "run":
                return self._run_line(entry.item, width)
            case "body":
                return self._body_line(*entry.item, width)
        return Line()

    def _title(self, section: str) -> Line:
        if section == "changes":
            files = {((r.get("root") or {}).get("path"), c.get("path")) for r in self._changes for c in r.get("changes") or ()}
            return self.heading("workspace changes", f"{counted(len(self._changes), 'record')} · {counted(len(files), 'file')}")
        if section == "runs":
            return self.heading("tool executions", f"{counted(len(self._runs), 'observation')}, never merged")
        return self.heading("captured provider bodies", f"{counted(len(self._bodies), 'body', 'bodies')}, read when opened")

    def _step(self, step: str) -> list[Span]:
        if not step:
            return [("no step: a person, an editor, or a tool that nothing observed", "dim")]
        return node_spans(self.opened, step)

    def _clock(self, text: str) -> Cell:
        return clock(optional_ms(text), self.tz), "time"

    def _change_line(self, entry: Entry, width: int) -> Line:
        record: Record = entry.item
        fold = ("+" if entry.key in self._closed else "-") if self.ascii_only else ("▸" if entry.key in self._closed else "▾")
        step = [(f"{fold} ", "dim"), *self._step(record["step"])]
        cells: list[Cell] = [
            self._clock(record["time"]),
            step,
            (files_words(record), "text"),
            (one_line(record["captured_by"]), "dim"),
            (one_line(str(record.get("coverage", "") or "not stated")), "dim"),
        ]
        return self._changes_table.row(width, cells)

    def _file_line(self, change: Record, width: int) -> Line:
        before, after = change.get("before") or {}, change.get("after") or {}
        plus, minus = change.get("additions"), change.get("deletions")
        lines: list[Span] = [("no diff", "dim")]
        if plus is not None or minus is not None:
            lines = [(f"+{plus or 0}", "added"), (f" -{minus or 0}", "removed")]
        arrow = " -> " if self.ascii_only else " → "
        cells: list[Cell] = [
            ("", ""),
            (one_line(change.get("operation", "")), "text"),
            (one_line(change.get("path", "")), "accent"),
            lines,
            (_bytes(before) + arrow + _bytes(after), "dim"),
        ]
        return self._file_table.row(width, cells)

    def _run_line(self, record: Record, width: int) -> Line:
        took = record.get("duration_ms")
        outcome = one_line(record.get("outcome", ""))
        cells: list[Cell] = [
            self._clock(record["time"]),
            self._step(record["step"]),
            (one_line((record.get("server") or {}).get("name", "")) or "not stated", "tool"),
            (outcome or "not stated", "text" if outcome == "returned" else "error"),
            (duration(took) if took is not None else "not reported", "time"),
            (one_line(record.get("observed_by", "")), "dim"),
        ]
        return self._run_table.row(width, cells)

    def _body_line(self, node: Node, body: Any, width: int) -> Line:
        ref = body.ref
        record = self.opened.conversation.record(ref.seq, ref.row)
        stored: Cell = (size(record.bytes), "text") if record is not None else ("not stored", "warning")
        cells: list[Cell] = [
            (one_line(body.role), "text"),
            (f"seq {ref.seq} · {ref.row}" if not self.ascii_only else f"seq {ref.seq}, {ref.row}", "dim"),
            node_spans(self.opened, node.id),
            stored,
        ]
        return self._body_table.row(width, cells)


def files_words(record: Record) -> str:
    """How many files a record says changed; what it does not know it does not say."""
    files = record.get("changed_files")
    if files is None:
        return "files unknown"
    if not files:
        return "no files changed"
    changes = record.get("changes") or ()
    plus, minus = sum(c.get("additions") or 0 for c in changes), sum(c.get("deletions") or 0 for c in changes)
    return f"{counted(files, 'file')} +{plus} -{minus}"


def _bytes(state: Record) -> str:
    if not state.get("present"):
        return "none"
    return size(state["bytes"]) if state.get("bytes") is not None else "?"


def _captured(tree: Tree) -> list[int]:
    """Places of the model calls whose bodies were captured; remembered with the tree."""
    found = tree.marks.get("captured")
    if found is None:
        found = tree.marks["captured"] = [
            place
            for place, node in enumerate(tree.nodes)
            if node.kind == "llm.call" and node.attrs is not UNSET and b"provider_bodies" in bytes(node.attrs)
        ]
    return found
