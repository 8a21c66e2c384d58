"""Rows of the Summary pane: kinds, relations and qualities at once; tokens, tools, turns and activity once they are counted.

`reload` counts kinds and relations, about 0.1 microseconds each. `compute` does the rest and may run in another thread, in slices;
until it is done the rows say «counting…», and after a round that landed they keep the last figures beside that word.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from datetime import tzinfo
from itertools import islice
from operator import attrgetter
from typing import Any

from asz_core.vocabulary import KINDS, QUALITIES, RELATIONS

from ..glyphs import kind_glyph
from ..grammar import one_line
from ..lines.line import Line, Span
from ..session.opened import Opened
from ..text.words import clock, count, counted, date, duration
from .summary_facts import Bucket, Facts, Figures, Job, Tokens
from .tables import Cell, Column, Entry, EntryRows, bar, first_talk, node_spans, node_text

SHORT = 10
"""Rows of a list before it is unfolded."""

COUNTING = "counting…"

_NOTES = {
    "tokens": "each call's own usage record, counted once",
    "slowest": "from request to result, which is not how long it ran",
    "turns": "as the runtime measured them",
}
_TITLES = {
    "kinds": "nodes by kind",
    "relations": "relations by type",
    "qualities": "relations by quality",
    "tokens": "tokens",
    "streams": "tokens by stream",
    "talks": "tokens by talk",
    "slowest": "slowest tools",
    "failed": "failed tools",
    "tools": "tool calls by name",
    "turns": "turn durations",
    "activity": "activity over time",
}
_COUNTED = ("tokens", "streams", "talks", "slowest", "failed", "tools", "turns", "activity")


class _Made:
    """The entries of a list, each made when it is asked for: of a long list, only the beginning is shown at first."""

    def __init__(self, of: Sequence[Any], make: Callable[[Any], Entry]) -> None:
        self._of = of
        self._make = make

    def __len__(self) -> int:
        return len(self._of)

    def __iter__(self) -> Iterator[Entry]:
        return map(self._make, self._of)


def _by_count(counter: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counter.items(), key=lambda pair: (-pair[1], pair[0]))


class SummaryRows(EntryRows):
    """Counts over a conversation; `sort_by` sorts the token lists."""

    sorts = ("all", "out", "in", "cache read", "cache write")

    def __init__(self, opened: Opened, tz: tzinfo) -> None:
        """See `EntryRows`."""
        super().__init__(opened, tz)
        self._counts = self.table(
            Column("", 22), Column("count", 8, right=True), Column("", 12, flex=1), Column("", 28, flex=3, rank=1)
        )
        self._tokens = self.table(
            Column("", 20, flex=1),
            Column("in", 9, right=True),
            Column("out", 10, right=True),
            Column("cache read", 13, right=True),
            Column("cache write", 12, right=True),
            Column("cached", 6, right=True, rank=1),
            Column("calls", 6, right=True, rank=2),
            Column("all", 13, right=True, rank=3),
        )
        self._activity = self.table(
            Column("", 19), Column("steps", 7, right=True), Column("failed", 6, right=True), Column("", 20, flex=1)
        )
        self._facts = Facts(tz)
        self._long: set[str] = set()
        self._result: tuple[Job | None, Figures | None] = (None, None)
        self._laid_out: object = None
        self.reload()

    # --- counting

    def reload(self) -> None:
        """Take over the conversation; `compute` then counts what is new."""
        conversation = self.opened.conversation
        fold = conversation.fold
        self._job = Job(list(self.opened.trees), conversation.data.beside())
        self._kinds = Counter(map(attrgetter("kind"), fold.nodes.values()))
        self._types = Counter(map(attrgetter("type"), fold.relations.values()))
        self._qualities = Counter(map(attrgetter("quality"), fold.relations.values()))
        self.refill()

    def compute(self, stop: Callable[[], bool]) -> bool:
        """Count what `reload` took over; may run in one other thread at a time.

        Args:
            stop: asked often; once it says so, this returns, and the next call goes on where it was.

        Returns:
            Whether the figures are complete; False also when the conversation changed meanwhile.
        """
        job = self._job
        if self._result[0] is not job:
            figures = self._facts.count(job, stop)
            if figures is None:
                return False
            # One assignment: the screen's thread sees the old figures or the new ones.
            self._result = job, figures
        return job is self._job

    @property
    def figures(self) -> Figures | None:
        """What was counted last; None before the first count is done."""
        return self._result[1]

    @property
    def done(self) -> bool:
        """Whether the figures are those of the conversation as it is."""
        return self._result[0] is self._job

    # --- the source

    @property
    def version(self) -> Hashable:
        """Changes whenever any row may have changed, also when the counting is done."""
        self._settle()
        return self._stamp

    def __len__(self) -> int:
        self._settle()
        return len(self._rows)

    def _settle(self) -> None:
        if self._laid_out is not self._result:
            self.refill()

    def refill(self) -> None:
        """Decide anew which rows are shown."""
        self._laid_out = result = self._result
        self._figures = result[1]
        super().refill()

    # --- folding

    def toggle(self, index: int) -> bool:
        """Show a list whole or only its beginning, from its title or its last row; whether that row is one of these."""
        entry = self._rows[index] if 0 <= index < len(self._rows) else None
        if entry is None or entry.sort not in ("title", "more"):
            return False
        self._long ^= {entry.item[0]}
        self.refill()
        return True

    def set_all(self, is_open: bool) -> None:
        """Show all lists whole, or all in short."""
        self._long = set(_TITLES) if is_open else set()
        self.refill()

    # --- which rows

    def entries(self) -> Iterator[Entry | None]:
        """The rows of all sections."""
        yield Entry("status", "status")
        figures = self._figures
        for name in _TITLES:
            if name in _COUNTED and figures is None:
                if not self.filter:
                    yield Entry(("title", name), "title", (name, 0))
                    yield Entry(("counting", name), "counting")
                    yield Entry(("blank", name), "blank")
                continue
            items = self._items(name)
            if self.filter:
                kept = []
                for item in items:
                    if self.filter.fits(self._words(item)):
                        kept.append(item)
                    yield None
                items = _Made(kept, lambda entry: entry)
            if not items and (self.filter or name not in _COUNTED):
                continue
            yield Entry(("title", name), "title", (name, len(items)))
            yield from self._short(name, items)
            yield Entry(("blank", name), "blank")

    def _short(self, name: str, items: _Made) -> Iterator[Entry]:
        if not items:
            yield Entry(("none", name), "none", name)
        if name in ("tokens", "streams", "talks", "activity") and items:
            yield Entry(("head", name), "head", name)
        whole = name in self._long or name in ("kinds", "activity") or len(items) <= SHORT
        yield from items if whole else islice(items, SHORT)
        if not whole:
            yield Entry(("more", name), "more", (name, len(items) - SHORT))

    def _items(self, name: str) -> _Made:
        figures = self._figures
        counter = {"kinds": self._kinds, "relations": self._types, "qualities": self._qualities}.get(name)
        if counter is not None:
            most = max(counter.values(), default=0)
            return _Made(_by_count(counter), lambda pair: Entry((name, pair[0]), "count", (name, *pair, most)))
        assert figures is not None
        match name:
            case "tokens":
                return _Made([figures.tokens], lambda tokens: Entry("all tokens", "tokens", ("all", "in all", tokens)))
            case "streams" | "talks":
                found = figures.by_stream if name == "streams" else figures.by_talk
                pairs = sorted(found.items(), key=self._by_tokens(), reverse=not self.down)
                return _Made(pairs, lambda pair: Entry((name, pair[0]), "tokens", (name, *pair)))
            case "slowest" | "turns":
                took = figures.slowest if name == "slowest" else figures.turns
                return _Made(took, lambda pair: Entry((name, pair[1]), "took", (pair[1], pair[0], name == "turns")))
            case "failed":
                return _Made(figures.failed, lambda node_id: Entry((name, node_id), "step", node_id))
            case "tools":
                most, failed = max(figures.tools.values(), default=0), figures.tools_failed
                tools = _by_count(figures.tools)
                return _Made(tools, lambda pair: Entry((name, pair[0]), "tool", (*pair, failed[pair[0]], most)))
            case _:
                return _Made(list(self._buckets(figures.buckets)), lambda entry: entry)

    def _by_tokens(self) -> Callable[[tuple[str, Tokens]], tuple[int, str]]:
        names = {"out": "out", "in": "in_", "cache read": "cache_read", "cache write": "cache_write"}
        value = attrgetter(names.get(self.sort, "total"))
        return lambda pair: (value(pair[1]), pair[0])

    def _buckets(self, buckets: list[Bucket]) -> Iterator[Entry]:
        most = max((bucket.steps for bucket in buckets), default=0)
        day = ""
        for bucket in buckets:
            today = date(bucket.start // 1_000_000, self.tz)
            yield Entry(("activity", bucket.start), "bucket", (bucket, most, today if today != day and not bucket.quiet else ""))
            day = day if bucket.quiet else today

    def _words(self, entry: Entry) -> str:
        if not self.filter:
            return ""
        item = entry.item
        match entry.sort:
            case "count":
                return str(item[1])
            case "tool":
                return str(item[0])
            case "tokens":
                return "".join(text for text, _ in self._tokens_name(item[0], item[1])) + f" {item[1]}"
            case "took":
                return node_text(self.opened, item[0])
            case "step":
                return node_text(self.opened, item)
            case _:
                return f"{date(item[0].start // 1_000_000, self.tz)} {clock(item[0].start // 1_000_000, self.tz)}"

    # --- drawing

    def draw(self, entry: Entry, width: int) -> Line:
        """A row as spans."""
        item = entry.item
        match entry.sort:
            case "status":
                return self._status_line()
            case "title":
                return self._title_line(*item)
            case "head":
                return self._activity.header(width) if item == "activity" else self.table_header(self._tokens, width)
            case "count":
                return self._count_line(item, width)
            case "tokens":
                return self._tokens_line(item, width)
            case "tool":
                return self._tool_line(item, width)
            case "took":
                # Of a turn, the talk says more than the step that holds its duration.
                return self._took_line(self._talk_of(item[0]) if item[2] else item[0], item[1])
            case "step":
                return self._plain_line([("  ", ""), *node_spans(self.opened, item)])
            case "bucket":
                return self._bucket_line(item, width)
            case "more":
                return self._plain_line([(f"  … and {item[1]:,} more", "dim")])
            case "none":
                return self._plain_line([("  none" if item != "activity" else "  no step has a time", "dim")])
            case "counting":
                return self._plain_line([("  " + COUNTING, "dim")])
            case _:
                return Line()

    def _plain_line(self, spans: list[Span]) -> Line:
        return Line([(self.plain(text), role) for text, role in spans])

    def _status_line(self) -> Line:
        figures = self._figures
        if figures is None:
            return self._plain_line([(COUNTING, "warning")])
        facts = [counted(figures.tokens.calls, "call") + " with usage"]
        if figures.no_usage:
            facts.append(f"{figures.no_usage:,} without")
        facts.append(counted(sum(figures.tools.values()), "tool call"))
        if figures.untimed:
            facts.append(counted(figures.untimed, "step") + " without a time")
        spans: list[Span] = [(" · ".join(facts), "text")]
        if not self.done:
            spans.append((f"  {COUNTING}", "warning"))
        return self._plain_line(spans)

    def _title_line(self, name: str, number: int) -> Line:
        note = _NOTES.get(name, "")
        if name in ("streams", "talks", "failed", "tools", "slowest") and number > SHORT:
            note = f"{number:,}" + (f" · {note}" if note else "")
        if name == "activity" and self._figures is not None and self._figures.buckets:
            note = f"{duration(self._figures.buckets[0].length // 1_000_000)} a row"
        return self.heading(_TITLES[name], note)

    def _count_line(self, item: tuple[str, str, int, int], width: int) -> Line:
        name, word, number, most = item
        words = {"kinds": KINDS, "relations": RELATIONS, "qualities": QUALITIES}[name].get(word, "")
        label: list[Span] = [(one_line(word) or "none", "text")]
        role = "bar"
        if name == "kinds":
            glyph, role = kind_glyph(word, ascii_only=self.ascii_only)
            label = [(glyph, role), (" ", ""), *label]
        bar_cell = bar(number, most, self._counts.room(2, width), self.ascii_only)
        return self._counts.row(width, [label, (count(number), "text"), (bar_cell, role), (words, "dim")])

    def _tokens_name(self, name: str, of: str) -> list[Span]:
        if name == "talks":
            return node_spans(self.opened, of)
        if name == "streams":
            role, label = self.opened.grammar.stream_role(of)
            words = one_line(label or of) or "no stream"
            return [(words, "person" if role == "main" else "agent")]
        return [(of, "title")]

    def _tokens_line(self, item: tuple[str, str, Tokens], width: int) -> Line:
        name, of, tokens = item
        cells: list[Cell] = [
            self._tokens_name(name, of),
            (count(tokens.in_), "text"),
            (count(tokens.out), "text"),
            (count(tokens.cache_read), "text"),
            (count(tokens.cache_write), "text"),
            (f"{100 * tokens.cached:.0f} %", "dim"),
            (count(tokens.calls), "dim"),
            (count(tokens.total), "title" if name == "all" else "text"),
        ]
        return self._tokens.row(width, cells)

    def _tool_line(self, item: tuple[str, int, int, int], width: int) -> Line:
        word, number, failed, most = item
        bar_cell = bar(number, most, self._counts.room(2, width), self.ascii_only)
        note: Span = (f"{failed:,} failed", "error") if failed else ("", "")
        label: Span = (one_line(word) or "no name", "tool")
        return self._counts.row(width, [label, (count(number), "text"), (bar_cell, "tool"), note])

    def _talk_of(self, node_id: str) -> str:
        path = self.opened.path(node_id)
        return next((node.id for node in reversed(path) if node.kind == "talk"), node_id)

    def _took_line(self, node_id: str, ms: int) -> Line:
        return self._plain_line([(f"{duration(ms):>10}  ", "time"), *node_spans(self.opened, node_id)])

    def _bucket_line(self, item: tuple[Bucket, int, str], width: int) -> Line:
        bucket, most, day = item
        if bucket.quiet:
            dot = "-" if self.ascii_only else "·"
            return Line([(f"  {'':11}{dot} {duration(bucket.length // 1_000_000)} quiet {dot}", "dim")])
        start = bucket.start // 1_000_000
        cells: list[Cell] = [
            [(f"{day:10} ", "dim"), (clock(start, self.tz), "time")],
            (count(bucket.steps), "text" if bucket.steps else "dim"),
            (count(bucket.failed) if bucket.failed else "", "error"),
            (bar(bucket.steps, most, self._activity.room(3, width), self.ascii_only), "accent"),
        ]
        return self._activity.row(width, cells)

    # --- where Enter goes

    def aim(self, entry: Entry) -> str | None:
        """The step, talk or first talk of the stream that a row is about; of a bucket its first step."""
        item = entry.item
        match entry.sort:
            case "took":
                return str(item[0])
            case "step":
                return str(item)
            case "bucket":
                return item[0].first or None
            case "tokens":
                return item[1] if item[0] == "talks" else first_talk(self.opened, item[1]) if item[0] == "streams" else None
            case _:
                return None
