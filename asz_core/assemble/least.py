"""How large a round is at least, told without making it: so that bounds that cannot fit need not be tried (§18).

The bound of a round is halved until the round fits, and each try assembles the whole session. Counted here are only frames that
are certain to be in it: the calls with their texts and the tools that landed since the last round, each as short as it can be
spelled. What is told is never more than what the round would have, so the same bound is found as by trying. Costs the entries up to
the budget.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Container
from operator import attrgetter

from .entries import ASSISTANT, Entry
from .folded import Folded
from .identity import named
from .landing import Landing

_seq = attrgetter("seq")
_REF = '"ref":{"seq":1,"row":1'
_TEXT = len(f'{{"t":"node","id":"msg/1/1:0","revision":1,"kind":"thinking","parent":"call/","stream":"",{_REF},"block":0}}}}')
_TOOL = len(
    f'{{"t":"node","id":"","revision":1,"kind":"tool","parent":"","stream":"",{_REF},"block":0}},"refs":[{{"seq":1,"row":1,"block":0}}],'
    '"attrs":{"name":"","result":"unavailable","result_join":"unresolved","timing":"unavailable"}}'
)
_CALL = len(
    f'{{"t":"node","id":"","revision":1,"kind":"llm.call","parent":"","stream":"",{_REF}}},"refs":[{{"seq":1,"row":1}}],'
    '"attrs":{"fragments":1,"stop_reason":"unavailable","usage":"unavailable","usage_from":"last_fragment_in_line_order"}}'
)
_SHORTEST = len('{"seq":1,"row":1}')


def too_large_from(landing: Landing, folded: Folded, budget: int) -> int:
    """The least sequence through which a round would certainly be larger than a budget.

    Args:
        landing: the session's entries.
        folded: its chain.
        budget: bytes that a round may have.

    Returns:
        The sequence; one after the last that landed when none is known to be too large.
    """
    first = folded.through + 1
    inside, known = landing.inside, folded.nodes
    counted: set[str] = set()
    size = 0
    for at in range(bisect_left(inside, first, key=_seq), len(inside)):
        entry = inside[at]
        if entry.stream:
            size += _least_of(entry, known, counted)
            if size > budget:
                return entry.seq
    return landing.last + 1


def _least_of(entry: Entry, known: Container[str], counted: set[str]) -> int:
    """Bytes of the frames that an entry of a stream adds, at least; none for nodes that are known, or counted already."""
    size = 0
    # An address stands twice in each frame, and is longer the later it is.
    longer = 2 * (len(entry.ref) - _SHORTEST)
    call = named("call", entry.call) if entry.call and entry.kind is ASSISTANT else ""
    if call:
        if call not in known and call not in counted:
            counted.add(call)
            size += _CALL + len(call) + longer
        for block, is_text in entry.says:
            if f"{'msg' if is_text else 'think'}/{entry.seq}/{entry.row}:{block}" not in known:
                size += _TEXT + len(entry.call) + longer
    for used in entry.tools:
        tool = named("tool", used.tool) if used.is_use else ""
        if tool and tool not in known and tool not in counted:
            counted.add(tool)
            size += _TOOL + len(tool)  # which of several uses counts is told by their streams' names
    return size
