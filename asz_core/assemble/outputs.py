"""What a child returned, and to which tool (the assembling specification, §13)."""

from __future__ import annotations

from .entries import ASSISTANT, CHILD_RESULT, JOURNAL, LAUNCH_ACK, SYNTHETIC, Entry
from .identity import identity
from .picture import Picture
from .spawns import Piece
from .store import EXACT
from .streams import Stream
from .tools import Tool

_Returned = tuple[Piece, Tool]


def output_nodes(picture: Picture) -> None:
    """Make the outputs of the children, then the relations of what auxiliary streams returned."""
    naming: dict[str, list[Piece]] = {}
    for piece in picture.pieces:
        naming.setdefault(piece.child, []).append(piece)
    values: dict[str, Entry] = {}
    for entry in picture.window:
        if entry.kind is JOURNAL and entry.child and entry.flags & CHILD_RESULT:
            values.setdefault(entry.child, entry)
    for role, make in (("child", _output), ("auxiliary", _auxiliary)):
        for name, stream in picture.streams.items():
            if stream.role == role:
                returned = _returned_to(picture, name, naming.get(name, ()))
                make(picture, stream, returned, values.get(name))


def _returned_to(picture: Picture, name: str, pieces: list[Piece] | tuple[()]) -> _Returned | None:
    """The one piece that names a stream and the tool whose result the stream's return was."""
    if len(pieces) != 1 or pieces[0].batch or name in picture.reported:
        return None
    tool = picture.tools.get(pieces[0].tool)
    if tool is None or tool.result is None or tool.results != 1 or tool.result.flags & LAUNCH_ACK:
        return None
    return (pieces[0], tool) if tool.node in picture.store.kinds else None


def _last_response(stream: Stream) -> Entry | None:
    for entry in reversed(stream.entries):
        if entry.kind is ASSISTANT and not entry.flags & SYNTHETIC:
            return entry
    return None


def _output(picture: Picture, stream: Stream, returned: _Returned | None, value: Entry | None) -> None:
    last = _last_response(stream)
    primary = last or value
    if primary is None:
        return
    store, node = picture.store, identity("output", stream.name)
    refs = [primary.ref]
    if value is not None and last is not None:
        refs.append(value.ref)
    if returned is not None:
        refs.append(returned[1].result_ref())
    state = "observed_replayable" if value is not None or returned is not None else "unavailable"
    store.node(node, "agent.output", primary.container, stream.name, refs[0], refs, f'"returned_value":"{state}"')
    store.relate("ends_with", stream.node, node, EXACT, "the last response in the child stream, and what it returned", refs)
    if returned is not None:
        piece, tool = returned
        via = "the result the call that started this stream received"
        store.relate("result_of", node, tool.node, piece.quality, via, [tool.result_ref()])


def _auxiliary(picture: Picture, stream: Stream, returned: _Returned | None, _: Entry | None) -> None:
    last = _last_response(stream)
    if last is None or returned is None or not last.call:
        return
    call = identity("call", last.call)
    if call in picture.store.kinds:
        piece, tool = returned
        via = "the result the tool that started this stream received"
        picture.store.relate("result_of", call, tool.node, piece.quality, via, [last.ref, tool.result_ref()])
