"""Calls of a provider: their fragments, their texts and their thinking (the assembling specification, §5)."""

from __future__ import annotations

from operator import attrgetter

from .entries import ASSISTANT, FINISHED, SYNTHETIC, Entry
from .identity import named
from .picture import Picture

_position = attrgetter("seq", "row")


class Call:
    """A call: the stream it was first met in, its fragments by position."""

    __slots__ = ("finished", "fragments", "name", "node", "stream", "synthetic")

    def __init__(self, name: str, stream: str) -> None:
        self.name, self.stream, self.node = name, stream, named("call", name)
        self.fragments: list[Entry] = []
        self.finished = self.synthetic = False


def group_calls(picture: Picture) -> None:
    """Group the records of assistants by their call."""
    calls = picture.calls
    several: set[str] = set()
    for stream, entries in picture.by_stream():
        for entry in entries:
            name = entry.call
            if not name or entry.kind is not ASSISTANT:
                continue
            call = calls.get(name)
            if call is None:
                call = calls[name] = Call(name, stream)
            elif call.stream != stream:
                several.add(name)
            call.fragments.append(entry)
            if entry.flags & FINISHED:
                call.finished = True
            if entry.flags & SYNTHETIC:
                call.synthetic = True
    for name in several:
        calls[name].fragments.sort(key=_position)


def call_nodes(picture: Picture) -> None:
    """Make the nodes of calls, texts and thinking."""
    node = picture.store.node
    for call in picture.calls.values():
        fragments = call.fragments
        first, last = fragments[0], fragments[-1]
        attrs = f'"fragments":{len(fragments)}'
        bodies = picture.bodies_of_call.get(call.name)
        if bodies:
            attrs += f',"provider_bodies":{bodies}'
        if call.finished:
            attrs += f',"usage":"observed_replayable","usage_at":{{"row":{last.row},"seq":{last.seq}}}'
        else:
            attrs += ',"stop_reason":"unavailable","usage":"unavailable"'
        attrs += ',"usage_from":"last_fragment_in_line_order"'
        refs = [entry.ref for entry in fragments]
        node(call.node, "llm.call", first.container, call.stream, first.ref, refs, attrs)
        said = "message.synthetic" if call.synthetic else "message.assistant"
        for entry in fragments:
            for block, is_text in entry.says:
                name = f"{'msg' if is_text else 'think'}/{entry.seq}/{entry.row}:{block}"
                node(name, said if is_text else "thinking", call.node, call.stream, entry.ref_of(block))
