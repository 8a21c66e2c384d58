"""Filters over the trees, jumping to a time, and the spelling of times.

A `Filter` is what a person asks for; it has no state. `Filtered` applies it to the trees of a conversation: for each tree the
places that match, in order, remembered until the tree is another (or, for conditions that look at relations, observations and open
references, until something landed). What stands above a match is for the pane to show as context.

Cost for n nodes: kinds, streams and times about 0.2 us a node, qualities 1 us; `failed` looks at the rows first and reads the few
records that hold a failure; `unresolved` reads the record of each call, and only where any reference is open. An empty filter
costs nothing. `prepare` does all of it in a thread, in slices.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo

from asz_core.document.content import ContentReader
from asz_core.document.model import ViewNode
from asz_core.document.texts import part_at
from asz_core.document.tree import Tree
from asz_core.sessiondata import SessionData
from asz_core.sessionflow import Node
from asz_core.times import parse_ns
from asz_core.vocabulary import is_step

from ..text.words import LOCAL_ZONE, clock, date
from .opened import ERRORS, Opened
from .sieve import Pace, Stopped

SECOND = 1_000_000_000
CALLS = ("tool", "agent.call")


@dataclass(frozen=True, slots=True)
class Filter:
    """What nodes are narrowed to: all conditions must hold; of several kinds, streams or qualities one is enough.

    Attributes:
        kinds: node kinds; empty is any.
        streams: names of streams; empty is any.
        qualities: of a relation that touches the node; empty is any.
        failed: only failed and error steps.
        changes: only steps with workspace changes.
        unresolved: only steps that an open reference names.
        from_ns, to_ns: only what is stamped in this time, both ends included; 0 is open.
    """

    kinds: frozenset[str] = frozenset()
    streams: frozenset[str] = frozenset()
    qualities: frozenset[str] = frozenset()
    failed: bool = False
    changes: bool = False
    unresolved: bool = False
    from_ns: int = 0
    to_ns: int = 0

    def __bool__(self) -> bool:
        return self != _EMPTY

    def describe(self, tz: tzinfo = LOCAL_ZONE, name_of: Callable[[str], str] | None = None) -> list[str]:
        """The conditions in short words, for a breadcrumb.

        Args:
            tz: the zone of times.
            name_of: what a stream is called; its own name when left out.

        Returns:
            One text a condition; texts of the data stand in them as they are.
        """
        words = []
        if self.kinds:
            words.append(_listed(sorted(self.kinds)))
        if self.streams:
            words.append("on " + _listed(sorted(name_of(name) if name_of else name for name in self.streams)))
        if self.qualities:
            words.append(_listed(sorted(self.qualities)))
        conditions = (("failed", self.failed), ("has changes", self.changes), ("unresolved", self.unresolved))
        words += [word for word, on in conditions if on]
        if self.from_ns or self.to_ns:
            words.append(range_words(self.from_ns, self.to_ns, tz))
        return words


_EMPTY = Filter()
_SHOWN = 3


def _listed(words: list[str]) -> str:
    if len(words) > _SHOWN:
        return ", ".join(words[: _SHOWN - 1]) + f" +{len(words) - _SHOWN + 1}"
    return ", ".join(words)


class Filtered:
    """A filter applied to the trees of a conversation."""

    def __init__(self, opened: Opened, filter: Filter) -> None:
        """
        Args:
            opened: the conversation.
            filter: what to narrow to.
        """
        self.opened = opened
        self.filter = filter
        self._kept: dict[int, tuple[Tree, list[int]]] = {}
        self._state: tuple[int, ...] = ()
        self._open: frozenset[str] = frozenset()
        self._data: SessionData | None = None

    def __bool__(self) -> bool:
        return bool(self.filter)

    def places(self, tree: Tree) -> list[int]:
        """The places of a tree whose nodes match, in order; do not change the list."""
        if not self.filter:
            return list(range(len(tree.nodes)))
        self._notice()
        kept = self._kept.get(id(tree))
        if kept is None:
            kept = self._kept[id(tree)] = (tree, self._compute(tree, lambda: None))
        return kept[1]

    def matches(self) -> Iterator[tuple[Tree, int]]:
        """Every match in reading order."""
        for tree in self.opened.trees:
            for place in self.places(tree):
                yield tree, place

    def count(self) -> int:
        """How many nodes match."""
        return sum(len(self.places(tree)) for tree in self.opened.trees)

    def prepare(self, stop: Callable[[], bool]) -> bool:
        """Find the matches of all trees, in slices; meant for a thread, before `places` is asked on the screen's.

        Args:
            stop: asked every few milliseconds.

        Returns:
            Whether it went through; not when it was stopped or a round was taken in meanwhile, which harms nothing.
        """
        if not self.filter:
            return True
        pace = Pace(stop)
        try:
            self._notice()
            for tree in list(self.opened.trees):
                if id(tree) not in self._kept:
                    self._kept[id(tree)] = (tree, self._compute(tree, pace))
                pace()
        except (Stopped, KeyError, RuntimeError):
            return False
        finally:
            self._data = None
        return True

    def _notice(self) -> None:
        """Let go of what a round made another."""
        conversation = self.opened.conversation
        state = (conversation.fold.head, len(conversation.data.files), conversation.data.generation)
        if self._state == state and len(self._kept) <= 2 * len(self.opened.trees) + 16:
            return
        living = set(map(id, self.opened.trees))
        wanted = self.filter
        beyond = wanted.qualities or wanted.changes or wanted.unresolved
        self._kept = {} if beyond else {key: kept for key, kept in self._kept.items() if key in living}
        refs = list(conversation.fold.unresolved.values())
        self._open = frozenset(ref.ref for ref in refs if ref.state == "open" and ref.ref)
        self._state = state
        self._data = None

    def _compute(self, tree: Tree, pace: Callable[[], None]) -> list[int]:
        wanted, nodes = self.filter, tree.nodes
        places: Iterable[int] = range(len(nodes))
        if wanted.kinds:
            places = [place for place in places if nodes[place].kind in wanted.kinds]
        if wanted.streams:
            places = [place for place in places if nodes[place].stream in wanted.streams]
        if wanted.from_ns or wanted.to_ns:
            places = [place for place in places if self._in_time(tree, place)]
        pace()
        if wanted.changes:
            of_step = self.opened.conversation.observations.changes_of
            places = [place for place in places if nodes[place].id in of_step]
        for condition, on in ((self._touched, wanted.qualities), (self._failed, wanted.failed), (self._is_open, wanted.unresolved)):
            if on:
                places = self._holding(nodes, places, condition, pace)
        return list(places)

    def _holding(
        self, nodes: list[Node], places: Iterable[int], condition: Callable[[Node], bool], pace: Callable[[], None]
    ) -> list[int]:
        kept = []
        for place in places:
            if condition(nodes[place]):
                kept.append(place)
            pace()
        return kept

    def _in_time(self, tree: Tree, place: int) -> bool:
        """Whether a node's own time lies in the range; of a container without one, its first."""
        at = tree.times[place] or (0 if is_step(tree.nodes[place].kind) else tree.starts[place])
        start, end = self.filter.from_ns, self.filter.to_ns
        return bool(at) and (not start or at >= start) and (not end or at <= end)

    def _touched(self, node: Node) -> bool:
        return any(relation.quality in self.filter.qualities for relation, _ in self.opened.conversation.fold.edges(node.id))

    def _failed(self, node: Node) -> bool:
        """As the marks say it: a kind that is an error, or a step with a part that failed."""
        if node.kind in ERRORS:
            return True
        if not is_step(node.kind) or node.ref is None:
            return False
        failed = self.opened.conversation.data.failed
        # The rows tell cheaply which records hold a failure; which part of them it is, the record itself tells.
        if not (failed(node.ref.seq, node.ref.row) or any(failed(ref.seq, ref.row) for ref in node.refs or ())):
            return False
        view = ViewNode(node.id, node.kind, node.parent, node.stream)
        ContentReader(self._records(), self.opened.conversation.observations).fill(view, node)
        return view.failed is True

    def _is_open(self, node: Node) -> bool:
        if not self._open or node.kind not in CALLS or node.ref is None:
            return False
        record = self._records().record(node.ref.seq, node.ref.row)
        part = part_at(record, node.ref) if record is not None else None
        return part is not None and part.id in self._open

    def _records(self) -> SessionData:
        """The records, apart from those that the screen's thread remembers."""
        if self._data is None:
            self._data = self.opened.conversation.data.beside()
        return self._data


# --- times

_MOMENT = re.compile(r"(?:(\d{4})-(\d\d?)-(\d\d?))?[T ]*(?:(\d\d?):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?)?", re.ASCII)
_AWAY = re.compile(r"([+-])((?:\s*\d+(?:\.\d+)?\s*[a-z]+)+)", re.ASCII)
_AMOUNT = re.compile(r"(\d+(?:\.\d+)?)\s*([a-z]+)", re.ASCII)
_UNITS = {
    "ms": 0.001, "s": 1, "sec": 1, "m": 60, "min": 60, "h": 3600, "d": 86_400, "day": 86_400, "days": 86_400,
}  # fmt: skip
_RANGE = re.compile(r"\s*(?:\.\.|–|—|\bto\b)\s*")
_EXAMPLES = "14:05, 2026-01-31 14:05 or +10m"


def parse_time(text: str, opened: Opened, tz: tzinfo, near_ns: int) -> int:
    """A time as a person types it.

    Args:
        text: `14:05`, `14:05:30`, `2026-01-31`, `2026-01-31 14:05`, an RFC 3339 time, or `+10m`, `-1h30m` from the place one is at;
            an `@` before it is passed over.
        opened: a time of day means the day on which it lies in the conversation and nearest to that place.
        tz: the zone of what is typed.
        near_ns: the time of the place one is at; 0 when it has none.

    Returns:
        Nanoseconds since the epoch.

    Raises:
        ValueError: when it is no time; the message is one sentence.
    """
    words = text.strip().removeprefix("@").strip()
    away = _AWAY.fullmatch(words.lower())
    if away is not None:
        return _away(away, near_ns or _span(opened)[0])
    exact = parse_ns(words.upper()) if "T" in words.upper() else 0
    if exact:
        return exact
    match = _MOMENT.fullmatch(words)
    if match is None or not any(match.groups()):
        raise ValueError(f"not a time: {words or 'nothing'}; write {_EXAMPLES}")
    year, month, day, hour, minute, second = (int(group or 0) for group in match.groups()[:6])
    fraction = int((match[7] or "").ljust(9, "0") or 0)
    try:
        if match[1]:
            return _ns(datetime(year, month, day, hour, minute, second), tz) + fraction
        return _nearest_day(hour, minute, second, opened, tz, near_ns) + fraction
    except (ValueError, OverflowError, OSError):
        raise ValueError(f"there is no such time: {words}") from None


def _away(match: re.Match[str], base: int) -> int:
    if not base:
        raise ValueError("there is no time here to count from")
    seconds = 0.0
    for amount, unit in _AMOUNT.findall(match[2]):
        if unit not in _UNITS:
            raise ValueError(f"not a unit of time: {unit}; there are s, m, h and d")
        seconds += float(amount) * _UNITS[unit]
    if seconds > 1e10:
        raise ValueError(f"there is no such time: {match[0]}")
    return base + round(seconds * SECOND) * (1 if match[1] == "+" else -1)


def _nearest_day(hour: int, minute: int, second: int, opened: Opened, tz: tzinfo, near_ns: int) -> int:
    """A time of day on the day of a place, or on the one before or after it where only that lies in the conversation."""
    first, last = _span(opened)
    near = near_ns or first
    if not near:
        raise ValueError
    day = (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=near // 1000)).astimezone(tz)
    times = []
    for offset in (0, -1, 1):
        moment = datetime(day.year, day.month, day.day, hour, minute, second) + timedelta(days=offset)
        times.append(_ns(moment, tz))
    inside = [at for at in times if first <= at <= last]
    if not inside or times[0] in inside:
        return times[0]
    return min(inside, key=lambda at: abs(at - near))


def _ns(moment: datetime, tz: tzinfo) -> int:
    """Nanoseconds of a time without a zone, read in a zone; None is the local one."""
    aware = moment.astimezone() if tz is None else moment.replace(tzinfo=tz)
    return (aware - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1) * 1000


def _span(opened: Opened) -> tuple[int, int]:
    """First and last time of a conversation; zeros when it has none."""
    starts = [tree.starts[0] for tree in opened.trees if tree.starts[0]]
    return min(starts, default=0), max((tree.ends[0] for tree in opened.trees), default=0)


def parse_range(text: str, opened: Opened, tz: tzinfo, near_ns: int) -> tuple[int, int]:
    """Two times with `..` between them, either of which may be missing; a single one is the beginning.

    The end `14:05` takes in the whole minute, the end `2026-01-31` the whole day. Where the end is no day of its own it is
    looked for from the beginning on.

    Raises:
        ValueError: as `parse_time`, and when the end lies before the beginning.
    """
    words = text.strip().removeprefix("@").strip()
    if not words:
        return 0, 0
    pieces = _RANGE.split(words)
    if len(pieces) > 2:
        raise ValueError("a time range has two ends: 14:05 .. 15:00")
    start = parse_time(pieces[0], opened, tz, near_ns) if pieces[0] else 0
    end = parse_time(pieces[1], opened, tz, start or near_ns) + _slack(pieces[1]) if len(pieces) > 1 and pieces[1] else 0
    if 0 < end < start and _MOMENT.fullmatch(pieces[1]) and "-" not in pieces[1]:
        end += 86_400 * SECOND
    if end and end < start:
        raise ValueError("the time range ends before it begins")
    return start, end


def _slack(text: str) -> int:
    """How much longer what is typed as an end lasts than its beginning."""
    match = _MOMENT.fullmatch(text.strip())
    if match is None or match[7]:
        return 0
    seconds = 1 if match[6] else 60 if match[4] else 86_400
    return seconds * SECOND - 1


def range_words(from_ns: int, to_ns: int, tz: tzinfo) -> str:
    """A time range in words."""
    start, end = from_ns // 1_000_000, to_ns // 1_000_000
    if not from_ns:
        return f"until {date(end, tz)} {clock(end, tz)}"
    if not to_ns:
        return f"from {date(start, tz)} {clock(start, tz)}"
    day = "" if date(start, tz) == date(end, tz) else f"{date(end, tz)} "
    return f"{date(start, tz)} {clock(start, tz)}–{day}{clock(end, tz)}"


def nearest(opened: Opened, ns: int) -> str | None:
    """The step whose time is nearest to one; of several the first in reading order. None when no step has a time.

    Costs a look at each tree, and a walk over those that can hold a nearer step.
    """
    best: tuple[int, int] | None = None
    found: str | None = None
    for index, tree in sorted(enumerate(opened.trees), key=lambda pair: _away_from(pair[1], ns)):
        if not tree.starts[0] or (best is not None and _away_from(tree, ns) > best[0]):
            continue
        for at, node in zip(tree.times, tree.nodes, strict=True):
            if at and (best is None or (abs(at - ns), index) < best) and is_step(node.kind):
                best, found = (abs(at - ns), index), node.id
    return found


def first_from(opened: Opened, ns: int) -> str | None:
    """The first step at a time or after it; where everything was before, the nearest. None when no step has a time.

    Costs a look at each tree, and a walk over those that can hold an earlier one.
    """
    best: tuple[int, int] | None = None
    found: str | None = None
    for index, tree in enumerate(opened.trees):
        if tree.ends[0] < ns or not tree.starts[0] or (best is not None and tree.starts[0] > best[0]):
            continue
        for at, node in zip(tree.times, tree.nodes, strict=True):
            if at >= ns and at and (best is None or (at, index) < best) and is_step(node.kind):
                best, found = (at, index), node.id
    return found if found is not None else nearest(opened, ns)


def _away_from(tree: Tree, ns: int) -> int:
    """The least distance that a step of a tree can have."""
    return max(tree.starts[0] - ns, ns - tree.ends[0], 0)


__all__ = ["Filter", "Filtered", "first_from", "nearest", "parse_range", "parse_time", "range_words"]
