"""Segments: what ten quiet minutes cut main's talks into (the assembling specification, §10)."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from itertools import pairwise

from ..times import wrapped
from .picture import Picture
from .store import EXACT, STRONG
from .talks import Talk
from .unresolved import CHILD_STREAM


def cut_segments(picture: Picture) -> None:
    """Make the segments of main's talks, and say which talks are in which."""
    talks = [talk for talk in picture.talks if talk.stream.role == "main"]
    if not talks:
        return
    talks.sort(key=_first)
    groups = [[talks[0]]]
    for before, talk in pairwise(talks):
        if talk.first and before.last and wrapped(talk.first - before.last) > picture.idle:
            groups.append([talk])
        else:
            groups[-1].append(talk)
    others = sorted((talk for talk in picture.talks if talk.stream.role != "main" and talk.first), key=_first)
    starts = [talk.first for talk in others]
    crosses = _crossing(picture)
    main = picture.main()
    latest = max((entry.time for entry in main.entries if entry.time), default=0) if main is not None else 0
    for number, group in enumerate(groups):
        since = min((talk.first for talk in group if talk.first), default=0)
        until = max(0, *(talk.last for talk in group))
        last = number == len(groups) - 1
        unmet = ["activity_boundary"] if last else []
        if crosses(since, until):
            unmet.append("no_crossing_open_operation")
        if last or wrapped(latest - until) <= picture.idle:
            unmet.append("lateness_watermark")
        inside = others[bisect_left(starts, since) : bisect_right(starts, until)]
        _segment(picture, group, inside, unmet, last)


def _first(talk: Talk) -> int:
    return talk.first


def _segment(picture: Picture, group: list[Talk], inside: list[Talk], unmet: list[str], last: bool) -> None:
    store, head = picture.store, group[0]
    node = f"segment/at_{head.where.seq}_{head.where.row}"
    gates = ",".join(f'"{gate}"' for gate in unmet)
    attrs = (
        f'"committable":{"false" if unmet else "true"},"gates_unmet":[{gates}],'
        f'"state":"{"open" if last else "candidate"}","talks":{len(group)}'
    )
    store.node(node, "segment", picture.session, "", head.ref, attrs=attrs)
    for talk in group:
        store.relate("in_segment", talk.node, node, EXACT, "activity window", [talk.ref])
    for talk in inside:
        store.relate("in_segment", talk.node, node, STRONG, "inside the window of the talk that delegated it", [talk.ref])


def _crossing(picture: Picture) -> Callable[[int, int], bool]:
    """A test of a window: whether an operation that began in it is open, or ended outside."""
    if any(kind == CHILD_STREAM[0] for kind, _, _ in picture.store.unresolved.values()):
        return lambda since, until: True
    used = [(tool.use.time, tool) for tool in picture.tools.values() if tool.use is not None]
    used.sort(key=lambda pair: pair[0])
    times = [time for time, _ in used]

    def crosses(since: int, until: int) -> bool:
        for _, tool in used[bisect_left(times, since) : bisect_right(times, until)]:
            if tool.results != 1 or tool.result is None or not since <= tool.result.time <= until:
                return True
        return False

    return crosses
