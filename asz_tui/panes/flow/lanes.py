"""Lanes as sorted arrays, the parts they are joined from, and how a lane takes over a part that changed at its end.

What is owned: `Part`, what one tree has on one stream, by time; `Bars`, stretches of time of one sort; `Lane`, the parts of a
stream one after the other. Joining copies arrays and sorts only where parts overlap in time; `Lane.renew` costs the parts that
changed when they stand at the lane's end, which is where rounds land.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from itertools import accumulate, pairwise

from asz_core.sessionflow import Node, record_order

from .axis import QUIET_NS, Stretch
from .signs import INTERVAL, RUN, TALK, TURN

Interval = tuple[int, int, str]
"""When a call was made, when its result came, and the call's kind."""


@dataclass(slots=True)
class Bars:
    """Stretches of time of one sort, by start.

    Attributes:
        reach: for each, the greatest end up to it.
    """

    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    reach: list[int] = field(default_factory=list)

    @classmethod
    def of(cls, spans: list[Stretch] | list[Interval]) -> Bars:
        """Sort spans: whatever begins with a start and an end."""
        spans.sort()
        ends = [span[1] for span in spans]
        return cls([span[0] for span in spans], ends, list(accumulate(ends, max)))

    def renew(self, old: list[Stretch] | list[Interval], new: list[Stretch] | list[Interval]) -> bool:
        """Let spans take the place of others, where both stand at the end; whether they do, and nothing changed if not."""
        was, now = sorted((span[0], span[1]) for span in old), sorted((span[0], span[1]) for span in new)
        keep = len(self.starts) - len(was)
        if keep < 0 or list(zip(self.starts[keep:], self.ends[keep:], strict=True)) != was:
            return False
        if now and keep and now[0] < (self.starts[keep - 1], self.ends[keep - 1]):
            return False
        for kept, more in ((self.starts, [start for start, _ in now]), (self.ends, [end for _, end in now])):
            kept[keep:] = more
        top = self.reach[keep - 1] if keep else 0
        self.reach[keep:] = [top := max(top, end) for _, end in now] if keep else list(accumulate(self.ends, max))
        return True


@dataclass(slots=True)
class Part:
    """What one tree has on one stream, by time; steps without a time come after in `untimed`, in reading order."""

    times: list[int] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    ranks: bytearray = field(default_factory=bytearray)
    untimed: list[Node] = field(default_factory=list)
    spans: tuple[list[Stretch], list[Stretch]] = field(default_factory=lambda: ([], []))
    intervals: list[Interval] = field(default_factory=list)
    turns: list[Node] = field(default_factory=list)
    stretches: list[Stretch] = field(default_factory=list)

    def close(self) -> None:
        """Sort, and find the stretches of activity: steps and results are activity."""
        times = self.times
        points = sorted([*times, *[end for _, end, _ in self.intervals], *[start for start, _, _ in self.intervals]])
        if points and times != sorted(times):
            order = sorted(range(len(times)), key=times.__getitem__)
            self.times = [times[at] for at in order]
            self.nodes = [self.nodes[at] for at in order]
            self.ranks = bytearray(self.ranks[at] for at in order)
        if points:
            breaks = [at for at, (a, b) in enumerate(pairwise(points)) if b - a > QUIET_NS] if _is_long(points) else []
            starts = [points[0], *[points[at + 1] for at in breaks]]
            self.stretches = list(zip(starts, [*[points[at] for at in breaks], points[-1]], strict=True))


def _is_long(points: list[int]) -> bool:
    return points[-1] - points[0] > QUIET_NS


@dataclass(slots=True)
class Lane:
    """One row of the timeline.

    Attributes:
        key: the stream's name, or the family's.
        times, nodes, ranks: its steps by time, then by reading order; one with no time stands at that of the step before it.
        placed: id of each step without a time -> where it stands. placed_at: these times in order.
        bars: by sort, `signs.TALK` and so on. intervals: what those of one sort are made from.
        turns: steps that hold how long a turn took and were not asked yet. took: what the others said, by id.
        floating: no step of it has a time; they stand at the end of the axis.
        stamp: changes when the lane was made anew.
    """

    key: str
    stream: str
    label: str = ""
    role: str = ""
    depth: int = 0
    times: list[int] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    ranks: bytearray = field(default_factory=bytearray)
    placed: dict[str, int] = field(default_factory=dict)
    placed_at: list[int] = field(default_factory=list)
    bars: list[Bars] = field(default_factory=lambda: [Bars() for _ in range(4)])
    intervals: list[Interval] = field(default_factory=list)
    turns: list[Node] = field(default_factory=list)
    took: dict[str, Stretch | None] = field(default_factory=dict)
    floating: bool = False
    stamp: int = 0

    def find(self, node_id: str, time: int) -> int | None:
        """The index of a step that stands at a time."""
        at = bisect_left(self.times, time)
        while at < len(self.times) and self.times[at] == time:
            if self.nodes[at].id == node_id:
                return at
            at += 1
        return None

    def nearest(self, time: int) -> int | None:
        """The index of the step closest in time, the earlier of two; None in an empty lane."""
        if not self.times:
            return None
        at = bisect_left(self.times, time)
        if at == len(self.times) or (at and time - self.times[at - 1] <= self.times[at] - time):
            return bisect_left(self.times, self.times[at - 1])
        return at

    def after(self, key: tuple[int, int, int], row: int, step: int) -> int:
        """The index next after (1) or before (-1) a place in the order of time, then row, then index.

        Args:
            key: time, row and index of the place; the index is -1 before all steps of that time.
            row: of this lane.
            step: which way.

        Returns:
            The index; out of range when there is none.
        """
        time, mine, index = key
        if row == mine and index >= 0:
            return index + step
        at = bisect_right(self.times, time) if row < mine else bisect_left(self.times, time)
        return at if step > 0 else at - 1

    def join(self, parts: list[Part]) -> None:
        """Take in the parts of an empty lane; steps without a time are left to the caller."""
        timed = [part for part in parts if part.times]
        timed.sort(key=lambda part: (part.times[0], record_order(part.nodes[0])))
        for part in timed:
            self.times += part.times
            self.nodes += part.nodes
            self.ranks += part.ranks
        if any(a.times[-1] > b.times[0] for a, b in pairwise(timed)):
            order = sorted(range(len(self.times)), key=self.times.__getitem__)
            self.times = [self.times[at] for at in order]
            self.nodes = [self.nodes[at] for at in order]
            self.ranks = bytearray(self.ranks[at] for at in order)
        for sort in (TALK, RUN):
            self.bars[sort] = Bars.of([span for part in parts for span in part.spans[sort]])
        self.intervals = [span for part in parts for span in part.intervals]
        self.bars[INTERVAL] = Bars.of(self.intervals)
        self.turns = [node for part in parts for node in part.turns]

    def renew(self, old: list[Part], new: list[Part]) -> bool:
        """Let parts take the place of others at the end of the lane.

        Args:
            old: parts that were joined into it.
            new: those that stand for them now.

        Returns:
            False, with nothing changed, where they do not stand at its end, or some of their steps have no time.
        """
        if self.placed or self.floating or any(part.untimed for part in (*old, *new)):
            return False
        gone = {id(node) for part in old for node in part.nodes}
        keep = len(self.times) - len(gone)
        if keep < 0 or any(id(node) not in gone for node in self.nodes[keep:]):
            return False
        timed = sorted((part for part in new if part.times), key=lambda part: part.times[0])
        ends = [self.times[keep - 1] if keep else 0, *(part.times[-1] for part in timed)]
        if any(part.times[0] <= end for part, end in zip(timed, ends, strict=False)):
            return False
        if not self._renew_bars(old, new):
            return False
        del self.times[keep:], self.nodes[keep:], self.ranks[keep:]
        for part in timed:
            self.times += part.times
            self.nodes += part.nodes
            self.ranks += part.ranks
        self._renew_turns(old, new)
        return True

    def _renew_bars(self, old: list[Part], new: list[Part]) -> bool:
        was, now = [span for part in old for span in part.intervals], sorted(span for part in new for span in part.intervals)
        keep = len(self.intervals) - len(was)
        if keep < 0 or self.intervals[keep:] != sorted(was) or (keep and now and now[0] < self.intervals[keep - 1]):
            return False
        kept = [Bars(bars.starts[:], bars.ends[:], bars.reach[:]) for bars in self.bars]
        spans = {sort: ([s for p in old for s in p.spans[sort]], [s for p in new for s in p.spans[sort]]) for sort in (TALK, RUN)}
        if not all(self.bars[sort].renew(*both) for sort, both in (*spans.items(), (INTERVAL, (was, now)))):
            self.bars = kept
            return False
        self.intervals[keep:] = now
        return True

    def _renew_turns(self, old: list[Part], new: list[Part]) -> None:
        gone = {node.id for part in old for node in part.turns}
        self.turns = [node for node in self.turns if node.id not in gone]
        for node_id in gone:
            self.took.pop(node_id, None)
        self.turns += [node for part in new for node in part.turns]
        self.show_turns()

    def show_turns(self) -> None:
        """Make the bars of the turns from what is known of them."""
        self.bars[TURN] = Bars.of([span for span in self.took.values() if span is not None])


__all__ = ["Bars", "Interval", "Lane", "Part"]
