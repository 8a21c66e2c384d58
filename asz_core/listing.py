"""One line a conversation for a list: what the head round's header says, and what a fold adds where the header is silent.

``quick_row`` lists a directory and reads the first line of one file; ``full_row`` folds the chain (rounds only, no landed file) and
is meant for the background. A value that is not known is None, never 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import msgspec
from msgspec.structs import replace

from .sessionflow.chain import Chain, header_of
from .sessionflow.frames import Header, attrs_of
from .storage import RoundFile, Storage
from .times import optional_ms
from .vocabulary import is_step


class Row(msgspec.Struct, frozen=True):
    """A conversation as a list shows it. Times are unix milliseconds.

    Attributes:
        problem: empty, or one sentence why it cannot be opened or is not whole.
        complete: whether everything that a fold could tell is here; a quick row may lack values.
        state: empty while not known, ``incomplete`` or ``mismatch`` where the chain alone shows it, ``chained`` when every
            round links. Whether it is ``verified`` takes the landed files too.
    """

    id: str
    title: str | None = None
    talks: int | None = None
    steps: int | None = None
    streams: int | None = None
    segments: int | None = None
    rounds: int | None = None
    unresolved: int | None = None
    from_ms: int | None = None
    to_ms: int | None = None
    changed_ns: int = 0
    problem: str = ""
    state: str = ""
    complete: bool = False


def quick_row(storage: Storage, conversation: str) -> Row:
    """What the names of a conversation's rounds and the newest readable header tell.

    Args:
        storage: the root.
        conversation: the id.
    """
    files = storage.rounds(conversation)
    if not files:
        return Row(conversation, problem="there is no round", complete=True)
    row = Row(conversation, rounds=len(files), problem=_gap(files), changed_ns=storage.changed_ns(conversation))
    if row.problem:
        row = replace(row, state="incomplete")
    for file in reversed(files):
        header = header_of(file)
        if header is not None:
            return _with_header(row, header)
    return row


def _gap(files: list[RoundFile]) -> str:
    wanted = 1
    for file in files:
        if file.number != wanted:
            return f"round {wanted} is missing; the chain stops at round {wanted - 1}"
        wanted += 1
    return ""


def _with_header(row: Row, header: Header) -> Row:
    row = replace(
        row,
        title=header.title or None,
        talks=header.talks,
        steps=header.steps,
        streams=header.streams,
        segments=header.segments,
        unresolved=header.unresolved,
        from_ms=optional_ms(header.session_from_time),
        to_ms=optional_ms(header.session_through_time),
    )
    counts = (row.title, row.talks, row.steps, row.streams, row.segments, row.unresolved, row.to_ms)
    return replace(row, complete=None not in counts)


def full_row(storage: Storage, conversation: str) -> Row:
    """As ``quick_row``, with every value that the fold of the chain knows and a first verdict on the chain itself."""
    chain = Chain(storage, conversation)
    chain.refresh()
    return row_of_chain(chain, quick_row(storage, conversation))


def row_of_chain(chain: Chain, row: Row) -> Row:
    """A row with what a refreshed chain tells."""
    fold = chain.fold
    if fold.header is None:
        return replace(row, problem=chain.stopped or row.problem, state=_state(chain), complete=True)
    session = fold.session_node()
    attrs = attrs_of(session) if session else {}
    kinds = Counter(node.kind for node in fold.nodes.values())
    title = attrs.get("title")
    return replace(
        row,
        title=title if isinstance(title, str) and title else (row.title or ""),
        talks=kinds["talk"],
        steps=sum(count for kind, count in kinds.items() if is_step(kind)),
        streams=kinds["stream"],
        segments=kinds["segment"],
        rounds=sum(1 for link in chain.links if link.round is not None),
        unresolved=sum(1 for ref in fold.unresolved.values() if ref.state == "open"),
        from_ms=_ms(attrs.get("from_time")) or row.from_ms,
        to_ms=_ms(attrs.get("through_time")) or row.to_ms,
        problem=chain.stopped,
        state=_state(chain),
        complete=True,
    )


def _state(chain: Chain) -> str:
    if chain.unread or (chain.stopped and not chain.gap):
        return "mismatch"
    return "incomplete" if chain.stopped or not chain.links else "chained"


def _ms(value: object) -> int | None:
    return optional_ms(value) if isinstance(value, str) else None


def newest_first(rows: Iterable[Row]) -> list[Row]:
    """Rows by last activity, newest first; those without a time by when their directory changed, after the others."""
    return sorted(rows, key=lambda row: (row.to_ms is None, -(row.to_ms or 0), -row.changed_ns, row.id))
