"""Search in the loaded conversation: labels, texts, inputs, results, names and ids of every node, in reading order.

`Search.run` walks the trees once, record by record, in slices that can be stopped; it is meant for a thread. Smart case: a query in
small letters finds any case. `re:` before it makes it a regular expression.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from msgspec import UNSET

from asz_core.document.texts import part_at, readable, result_part
from asz_core.rawjson import loads
from asz_core.sessiondata import Part, Record, SessionData
from asz_core.sessionflow import Node

from .opened import Opened


@dataclass(slots=True)
class Found:
    """What a search found.

    Attributes:
        query: as typed.
        pattern: what is looked for and marked; None for an empty or wrong query.
        error: why the query is no pattern, or empty.
        ids: nodes with a match, in reading order.
        done: whether everything was looked at.
    """

    query: str
    pattern: re.Pattern[str] | None = None
    error: str = ""
    ids: list[str] = field(default_factory=list)
    done: bool = False

    def position(self, node_id: str | None) -> int:
        """The number of a node among the matches, from 1; 0 when it is none."""
        if self._places is None or len(self._places) != len(self.ids):
            self._places = {found: at for at, found in enumerate(self.ids, 1)}
        return self._places.get(node_id, 0) if node_id else 0

    _places: dict[str, int] | None = None


def compile_query(query: str) -> Found:
    """A query as a pattern, or the reason why it is none."""
    found = Found(query)
    text = query.removeprefix("re:")
    if not text:
        return found
    flags = 0 if any(char.isupper() for char in text) else re.IGNORECASE
    try:
        found.pattern = re.compile(text if query.startswith("re:") else re.escape(text), flags)
    except re.error as error:
        found.error = f"not a regular expression: {error}"
    return found


def run(opened: Opened, found: Found, stop: Callable[[], bool], tell: Callable[[], None] | None = None) -> Found:
    """Look through every node.

    Args:
        opened: where to look.
        found: from `compile_query`; filled in.
        stop: asked every few records; ends the search when true.
        tell: called now and then while there is news.
    """
    pattern = found.pattern
    if pattern is None:
        found.done = True
        return found
    told = 0
    data = opened.conversation.data.beside()
    for looked, (tree, place) in enumerate(opened.steps(), 1):
        node = tree.nodes[place]
        if any(pattern.search(text) for text in node_texts(data, node)):
            found.ids.append(node.id)
        if looked % 256 == 0:
            if stop():
                return found
            if tell and len(found.ids) != told:
                told = len(found.ids)
                tell()
    found.done = True
    return found


def node_texts(data: SessionData, node: Node) -> Iterator[str]:
    """Every text of a node that search looks at, whole: its id, kind, attrs, and the parts of its records that it stands on."""
    yield node.id
    yield node.kind
    if node.attrs is not UNSET:
        yield str(bytes(node.attrs), "utf-8", "replace")
    if node.ref is None or node.kind in ("session", "segment", "stream", "epoch", "talk", "run", "llm.call"):
        return
    record = data.record(node.ref.seq, node.ref.row)
    if record is not None:
        part = part_at(record, node.ref)
        yield from _part_texts(record, part)
    for ref in (node.refs or ())[1:]:
        other = data.record(ref.seq, ref.row)
        answer = result_part(other, ref) if other is not None else None
        if answer is not None and other is not None:
            yield from _part_texts(other, answer)


def _part_texts(record: Record, part: Part | None) -> Iterator[str]:
    if part is None:
        yield readable(record)
        return
    for text in (part.text, part.name, part.server, part.server_tool, part.id):
        if text:
            yield text
    if part.data is not UNSET:
        raw = part.raw_data()
        yield raw
        if "\\" in raw:
            # What the detail shows are the decoded strings, so they are what a person types.
            yield from _strings(raw)


def _strings(raw: str) -> Iterator[str]:
    try:
        todo = [loads(raw)]
    except ValueError:
        return
    while todo:
        value = todo.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            todo += value.values()
        elif isinstance(value, list):
            todo += value
