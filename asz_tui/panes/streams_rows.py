"""Rows of the Streams pane: the tree of streams by parent, and under each what opened it, every candidate, none chosen.

A stream stands under the stream of the last step listed for it, as the document says its parent; where several steps are
candidates they are rows of their own. `reload` costs what listing the streams costs (a walk over the talks, and the files of runs
where they name children); folding and filtering cost a walk over the streams.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import tzinfo

from asz_core.document.build import StreamLister
from asz_core.document.model import Opener, StreamEntry

from ..grammar import one_line
from ..lines.line import Line, Span
from ..session.opened import Opened
from ..text.words import clock, count, counted
from .tables import Cell, Column, Entry, EntryRows, node_spans, reach

MAX_INDENT = 12


class StreamsRows(EntryRows):
    """The streams of a conversation as a tree."""

    sorts = ("order", "stream", "records", "steps", "first talk")

    def __init__(self, opened: Opened, tz: tzinfo) -> None:
        """See `EntryRows`."""
        super().__init__(opened, tz)
        self._table = self.table(
            Column("stream", 18, flex=3),
            Column("role", 9, rank=1),
            Column("named by", 8, rank=4),
            Column("records", 8, right=True, rank=2),
            Column("steps", 6, right=True),
            Column("first talk", 11, rank=3),
            Column("opened by", 16, flex=2),
        )
        self._folded: set[str] = set()
        self._unfolded: set[str] = set()
        self.reload()

    def reload(self) -> None:
        """List the streams as they are now."""
        conversation = self.opened.conversation
        self.streams = StreamLister(conversation.fold, conversation.data, self.opened.talks()).entries()
        self._starts = {stream.talk: self._start_of(stream.talk) for stream in self.streams}
        self._pools = Counter(opener.step for stream in self.streams for opener in stream.opened_by)
        self._hang()
        self.refill()

    def _start_of(self, talk: str) -> int:
        """When a talk started, in milliseconds; 0 when that is not known."""
        found = self.opened.locate(talk)
        return found[0].starts[found[1]] // 1_000_000 if found else 0

    def _hang(self) -> None:
        """Find each stream's children; in a loop of parents the first stream stands on top."""
        named: dict[str, StreamEntry] = {}
        for stream in self.streams:
            named.setdefault(stream.name, stream)
        self._children: dict[str, list[StreamEntry]] = {}
        self._roots: list[StreamEntry] = []
        hung: set[str] = set()
        for stream in self.streams:
            parent = named.get(stream.parent)
            if parent is None or parent.id == stream.id:
                self._roots.append(stream)
                hung.add(stream.id)
            else:
                self._children.setdefault(parent.id, []).append(stream)
        for root in self._roots:
            self._mark_below(root, hung)
        for stream in self.streams:
            if stream.id not in hung:
                siblings = self._children[named[stream.parent].id]
                siblings.remove(stream)
                self._roots.append(stream)
                hung.add(stream.id)
                self._mark_below(stream, hung)

    def _mark_below(self, stream: StreamEntry, hung: set[str]) -> None:
        below = [stream]
        for above in below:
            for child in self._children.get(above.id, ()):
                if child.id not in hung:
                    hung.add(child.id)
                    below.append(child)

    # --- folding

    def is_open(self, stream: StreamEntry) -> bool:
        """Whether what is under a stream is shown; at first where it has child streams or several candidates."""
        if stream.id in self._folded:
            return False
        return stream.id in self._unfolded or bool(self._children.get(stream.id)) or len(stream.opened_by) > 1

    def set_open(self, index: int, is_open: bool) -> None:
        """Fold or unfold the stream at a row."""
        stream = self._stream_at(index)
        if stream is not None and self._has_below(stream):
            (self._unfolded if is_open else self._folded).add(stream.id)
            (self._folded if is_open else self._unfolded).discard(stream.id)
            self.refill()

    def toggle(self, index: int) -> None:
        """Fold or unfold the stream at a row, whichever it is not."""
        stream = self._stream_at(index)
        if stream is not None:
            self.set_open(index, not self.is_open(stream))

    def set_all(self, is_open: bool) -> None:
        """Fold or unfold every stream."""
        every = {stream.id for stream in self.streams}
        self._folded, self._unfolded = (set(), every) if is_open else (every, set())
        self.refill()

    def _stream_at(self, index: int) -> StreamEntry | None:
        entry = self._rows[index] if 0 <= index < len(self._rows) else None
        return entry.item[0] if entry is not None and entry.sort == "stream" else None

    def _has_below(self, stream: StreamEntry) -> bool:
        return bool(stream.opened_by or self._children.get(stream.id))

    # --- which rows

    def entries(self) -> Iterator[Entry | None]:
        """The names of the columns, then the tree."""
        yield Entry("head", "head")
        kept = self._kept() if self.filter else None
        stack = [(stream, 0) for stream in reversed(self._in_order(self._roots))]
        seen: set[str] = set()
        while stack:
            stream, depth = stack.pop()
            if stream.id in seen or (kept is not None and stream.id not in kept):
                continue
            seen.add(stream.id)
            yield Entry(stream.id, "stream", (stream, depth))
            if kept is not None or self.is_open(stream):
                for opener in stream.opened_by if self.is_open(stream) else ():
                    yield Entry(("opener", stream.id, opener.step, opener.quality), "opener", (opener, depth + 1, stream))
                children = self._in_order(self._children.get(stream.id, []))
                stack += [(child, depth + 1) for child in reversed(children)]

    def _kept(self) -> set[str]:
        """The streams that fit the filter and all above them."""
        kept: set[str] = set()
        above = {child.id: parent for parent, children in self._children.items() for child in children}
        for stream in self.streams:
            words = f"{stream.label} {stream.name} {stream.role} {' '.join(o.step for o in stream.opened_by)}"
            at: str | None = stream.id if self.filter.fits(words) else None
            while at is not None and at not in kept:
                kept.add(at)
                at = above.get(at)
        return kept

    def _in_order(self, streams: list[StreamEntry]) -> list[StreamEntry]:
        match self.sort:
            case "stream":
                found = sorted(streams, key=lambda s: (s.label or s.name).casefold())
            case "records":
                found = sorted(streams, key=lambda s: -s.records)
            case "steps":
                found = sorted(streams, key=lambda s: -s.steps)
            case "first talk":
                found = sorted(streams, key=lambda s: (not (at := self._starts.get(s.talk, 0)), at))
            case _:
                found = list(streams)
        return found[::-1] if self.down else found

    # --- drawing

    def draw(self, entry: Entry, width: int) -> Line:
        """A row as spans."""
        if entry.sort == "head":
            return self.table_header(self._table, width)
        if entry.sort == "opener":
            return self._opener_line(*entry.item)
        return self._stream_line(entry.item, width)

    def _stream_line(self, item: tuple[StreamEntry, int], width: int) -> Line:
        stream, depth = item
        name = one_line(stream.label or stream.name) or one_line(stream.id)
        spans: list[Span] = [(self._indent(depth, stream), "dim"), (name, "person" if stream.role == "main" else "agent")]
        if stream.label:
            spans.append((f"  {one_line(stream.name)}", "dim"))
        start = self._starts.get(stream.talk, 0)
        cells: list[Cell] = [
            spans,
            (one_line(stream.role) or "–", "text" if stream.role else "dim"),
            (one_line(stream.named_by) or "–", "text" if stream.named_by else "dim"),
            (count(stream.records), "text"),
            (count(stream.steps), "text"),
            (clock(start, self.tz) if stream.talk else "–", "time" if start else "dim"),
            self._opened_by(stream),
        ]
        return self._table.row(width, cells, indent=1)

    def _opened_by(self, stream: StreamEntry) -> list[Span]:
        openers = stream.opened_by
        if not openers:
            return [("–", "dim")] if stream.role == "main" else [("no relation says what opened it", "dim")]
        if len(openers) > 1:
            return [(f"{len(openers)} candidates, none chosen", "warning")]
        return [*node_spans(self.opened, openers[0].step), (f"  {one_line(openers[0].quality)}", "dim")]

    def _opener_line(self, opener: Opener, depth: int, stream: StreamEntry) -> Line:
        lead = "opened by " if len(stream.opened_by) == 1 else "perhaps opened by "
        spans: list[Span] = [(" " + self._indent(depth, None), ""), (lead, "dim"), *node_spans(self.opened, opener.step)]
        spans.append((f"  on {one_line(opener.stream)}", "dim"))
        right: list[Span] = [(one_line(opener.quality), "dim" if opener.quality == "exact_unique" else "warning")]
        if self._pools[opener.step] > 1:
            # All of them are its children, not guesses that compete.
            right.insert(0, (f"it started {counted(self._pools[opener.step], 'stream')}  ", "dim"))
        return Line([(self.plain(text), role) for text, role in spans], [(self.plain(text), role) for text, role in right])

    def _indent(self, depth: int, stream: StreamEntry | None) -> str:
        if stream is None or not self._has_below(stream):
            fold = "  "
        elif self.is_open(stream):
            fold = "- " if self.ascii_only else "▾ "
        else:
            fold = "+ " if self.ascii_only else "▸ "
        if depth > MAX_INDENT:
            return "  " * (MAX_INDENT - 1) + (".." if self.ascii_only else "‥ ") + fold
        return "  " * depth + fold

    def aim(self, entry: Entry) -> str | None:
        """A stream's first talk; on the row of an opener, that step."""
        if entry.sort == "opener":
            return reach(self.opened, entry.item[0].step)
        if entry.sort == "stream":
            stream: StreamEntry = entry.item[0]
            return stream.talk or reach(self.opened, stream.id)
        return None
