"""What the Summary pane counts: tokens, tools, turns and activity over time, from one pass that may run in another thread.

A `Job` is a snapshot which that thread reads while the screen's goes on: trees are never changed once made, and the landed files
are read through `SessionData.beside`. `Facts` keeps what each node said and which revision said it, tree by tree; a round that
lands costs the records of its new nodes, about 20 microseconds each, a walk over the trees it touched, and one sum over all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, tzinfo
from itertools import pairwise

from asz_core.document.changes import Observations
from asz_core.document.content import ContentReader, usage_at
from asz_core.document.model import ViewNode
from asz_core.document.texts import part_at
from asz_core.document.tree import Tree
from asz_core.sessiondata.record import Usage
from asz_core.sessiondata.session import SessionData
from asz_core.sessionflow import Node
from asz_core.vocabulary import is_step

from .tables import text_attr

TOOLS = ("tool", "agent.call")
BUCKETS = 24
"""Rows that the histogram may take, those for quiet times included."""

_SECOND = 1_000_000_000
_LADDER = (
    1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400, 7 * 86_400, 30 * 86_400,
    365 * 86_400, 3650 * 86_400, 36_500 * 86_400,
)  # fmt: skip
"""Lengths of a bucket in seconds."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_STOP_EVERY = 64

Stop = Callable[[], bool]
Said = tuple[str, int, bool] | tuple[int, int, Usage | None] | None
"""Name, milliseconds (-1: not known) and failure of a tool or turn; address and counts of a call's usage; None: no record."""


@dataclass(slots=True)
class Tokens:
    """Token counts summed up, each call's record once."""

    in_: int = 0
    out: int = 0
    cache_read: int = 0
    cache_write: int = 0
    calls: int = 0

    def add(self, usage: Usage) -> None:
        """Take in one call."""
        self.in_ += usage.in_
        self.out += usage.out
        self.cache_read += usage.cache_read
        self.cache_write += usage.cache_write
        self.calls += 1

    @property
    def total(self) -> int:
        """All of them."""
        return self.in_ + self.out + self.cache_read + self.cache_write

    @property
    def cached(self) -> float:
        """The share of what was read into the model that came from the cache."""
        read = self.in_ + self.cache_read + self.cache_write
        return self.cache_read / read if read > 0 else 0.0


@dataclass(slots=True)
class Bucket:
    """A stretch of the histogram; one that is `quiet` stands for several without steps. Times are nanoseconds."""

    start: int
    length: int
    steps: int = 0
    failed: int = 0
    first: str = ""
    quiet: bool = False


@dataclass(slots=True)
class Figures:
    """The finished count.

    Attributes:
        no_usage: calls whose usage is not known.
        slowest: (milliseconds from request to result, node) of the tools that state it, slowest first.
        failed: failed tools in reading order.
        turns: (milliseconds, node) of the turns that were measured, longest first.
        tools, tools_failed: calls by the tool's name.
    """

    tokens: Tokens = field(default_factory=Tokens)
    by_stream: dict[str, Tokens] = field(default_factory=dict)
    by_talk: dict[str, Tokens] = field(default_factory=dict)
    no_usage: int = 0
    slowest: list[tuple[int, str]] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    turns: list[tuple[int, str]] = field(default_factory=list)
    tools: Counter[str] = field(default_factory=Counter)
    tools_failed: Counter[str] = field(default_factory=Counter)
    buckets: list[Bucket] = field(default_factory=list)
    untimed: int = 0


@dataclass(slots=True)
class Job:
    """What is to be counted."""

    trees: list[Tree]
    data: SessionData


@dataclass(slots=True)
class _TreeFacts:
    """What one tree's nodes said.

    Attributes:
        tree: None while only a part of it was asked.
        missing_in: the files among which a record was not found; None when all were.
    """

    tree: Tree | None = None
    said: dict[str, tuple[Node, Said]] = field(default_factory=dict)
    missing_in: object = None
    calls: list[tuple[str, str, Said]] = field(default_factory=list)
    tools: list[tuple[str, str, int, bool]] = field(default_factory=list)
    turns: list[tuple[int, str]] = field(default_factory=list)
    moments: list[tuple[int, str]] = field(default_factory=list)
    untimed: int = 0

    def holds(self, job: Job) -> bool:
        """Whether what was said still holds: records that were missing may have landed since."""
        return self.missing_in is None or self.missing_in is job.data.files


class Facts:
    """Counts jobs, one after the other, each in the thread that asks."""

    def __init__(self, tz: tzinfo) -> None:
        """
        Args:
            tz: the zone in which buckets begin.
        """
        self.tz = tz
        self._trees: dict[str, _TreeFacts] = {}

    def count(self, job: Job, stop: Stop) -> Figures | None:
        """Count a job; None when `stop` said so, and then the next call goes on from there."""
        reader = ContentReader(job.data, Observations())
        trees: dict[str, _TreeFacts] = {}
        for tree in job.trees:
            root = tree.nodes[0].id
            known = self._trees.get(root)
            if known is None or known.tree is not tree or not known.holds(job):
                known = self._trees[root] = self._ask(tree, known, reader, job, stop)
                if known.tree is None or stop():
                    return None
            trees[root] = known
        self._trees = trees
        return self._sum([*trees.values()])

    def _ask(self, tree: Tree, before: _TreeFacts | None, reader: ContentReader, job: Job, stop: Stop) -> _TreeFacts:
        facts = _TreeFacts()
        old = before.said if before else {}
        talks: list[tuple[int, str]] = []
        asked = 0
        for place, node in enumerate(tree.nodes):
            depth = tree.depths[place]
            while talks and talks[-1][0] >= depth:
                talks.pop()
            kind = node.kind
            if kind == "talk":
                talks.append((depth, node.id))
            if not is_step(kind):
                continue
            time = tree.times[place]
            if time:
                facts.moments.append((time, node.id))
            else:
                facts.untimed += 1
            if kind not in TOOLS and kind not in ("llm.call", "turn.duration"):
                continue
            known = old.get(node.id)
            if known is None or known[0] is not node:
                asked += 1
                if asked % _STOP_EVERY == 0 and stop():
                    return _TreeFacts(None, old | facts.said)
                known = node, _say(node, reader)
            if known[1] is not None:
                facts.said[node.id] = known
            else:
                facts.missing_in = job.data.files
            _file(facts, node, known[1], talks[-1][1] if talks else "")
        facts.tree = tree
        return facts

    def _sum(self, trees: list[_TreeFacts]) -> Figures:
        figures = Figures()
        seen: set[tuple[int, int]] = set()
        for facts in trees:
            for stream, talk, said in facts.calls:
                _add_call(figures, stream, talk, said, seen)
            for node_id, name, ms, failed in facts.tools:
                figures.tools[name] += 1
                if ms >= 0:
                    figures.slowest.append((ms, node_id))
                if failed:
                    figures.tools_failed[name] += 1
                    figures.failed.append(node_id)
            figures.turns += facts.turns
            figures.untimed += facts.untimed
        figures.slowest.sort(key=lambda pair: -pair[0])
        figures.turns.sort(key=lambda pair: -pair[0])
        moments = sorted(moment for facts in trees for moment in facts.moments)
        figures.buckets = buckets_of(moments, set(figures.failed), self.tz)
        return figures


def _say(node: Node, reader: ContentReader) -> Said:
    """What a node's records say that is counted; None while its record is not there."""
    ref = node.ref
    if node.kind == "llm.call":
        at = usage_at(node)
        if at is None:
            return (0, 0, None)
        record = reader.record(at.seq, at.row)
        return (at.seq, at.row, record.usage) if record is not None else None
    record = reader.record(ref.seq, ref.row) if ref is not None else None
    if record is None or ref is None:
        return None
    view = ViewNode()
    reader.fill(view, node)
    if node.kind == "turn.duration":
        return ("", view.duration_ms, False)
    part = part_at(record, ref)
    name = view.name or text_attr(node, "name")
    if part is not None and part.server and part.server_tool:
        name = f"{part.server} · {part.server_tool}"
    return (name, view.request_to_result_ms if view.request_to_result_join else -1, view.failed is True)


def _file(facts: _TreeFacts, node: Node, said: Said, talk: str) -> None:
    if node.kind == "llm.call":
        facts.calls.append((node.stream, talk, said))
        return
    name, ms, failed = said if said is not None and isinstance(said[0], str) else (text_attr(node, "name"), -1, False)
    if node.kind in TOOLS:
        facts.tools.append((node.id, str(name), ms, failed is True))
    elif ms > 0:
        facts.turns.append((ms, node.id))


def _add_call(figures: Figures, stream: str, talk: str, said: Said, seen: set[tuple[int, int]]) -> None:
    if said is None or not isinstance(said[0], int) or not isinstance(said[2], Usage):
        figures.no_usage += 1
        return
    at, usage = (said[0], said[1]), said[2]
    if at in seen:
        # Fragments of one answer repeat its counts; a record counts once.
        return
    seen.add(at)
    figures.tokens.add(usage)
    figures.by_stream.setdefault(stream, Tokens()).add(usage)
    if talk:
        figures.by_talk.setdefault(talk, Tokens()).add(usage)


def buckets_of(moments: list[tuple[int, str]], failed: set[str], tz: tzinfo, most: int = BUCKETS) -> list[Bucket]:
    """A histogram in at most so many rows: the shortest buckets of the ladder with which it fits, quiet times as one row each.

    Args:
        moments: (nanoseconds, node) of the steps, sorted.
        failed: the steps that failed.
        tz: buckets begin at its full minutes, hours and days.
        most: rows; with only far apart moments there may be more.
    """
    if not moments:
        return []
    offset = _offset(moments[0][0], tz)
    filled: dict[int, Bucket] = {}
    length = _SECOND
    for seconds in _LADDER:
        length = seconds * _SECOND
        places = sorted({(time + offset) // length for time, _ in moments})
        gaps = sum(1 for before, after in pairwise(places) if after - before > 1)
        if len(places) + gaps <= most:
            break
    for time, node_id in moments:
        place = (time + offset) // length
        bucket = filled.get(place)
        if bucket is None:
            bucket = filled[place] = Bucket(place * length - offset, length, first=node_id)
        bucket.steps += 1
        bucket.failed += node_id in failed
    return _with_quiet(list(filled.values()))


def _with_quiet(buckets: list[Bucket]) -> list[Bucket]:
    found: list[Bucket] = []
    for bucket in buckets:
        if found and (quiet := bucket.start - found[-1].start - found[-1].length) > 0:
            found.append(Bucket(found[-1].start + found[-1].length, quiet, quiet=quiet > bucket.length))
        found.append(bucket)
    return found


def _offset(ns: int, tz: tzinfo) -> int:
    """How far a zone's clock is ahead, in nanoseconds, at a time; 0 beyond the calendar."""
    try:
        ahead = (_EPOCH + timedelta(microseconds=ns // 1000)).astimezone(tz).utcoffset()
    except (OverflowError, ValueError, OSError):
        return 0
    return int(ahead.total_seconds()) * _SECOND if ahead is not None else 0
