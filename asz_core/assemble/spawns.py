"""What started a child: the evidence, the verdict on each piece, and the relations (the assembling specification, §7)."""

from __future__ import annotations

from .entries import JOURNAL, META, NOTIFICATION, Entry
from .picture import Picture
from .store import EXACT, STRONG, WEAK
from .unresolved import CHILD_STREAM, SPAWN_OF_BATCH, SPAWN_OF_CALL, SPAWN_OF_CHILD


class Piece:
    """One piece of evidence that a child was started: by which tool, in which batch, by which other child."""

    __slots__ = ("batch", "child", "entry", "quality", "starter", "tool", "via")

    def __init__(self, entry: Entry, launches: dict[str, str]) -> None:
        self.entry, self.child = entry, entry.child
        self.batch = self.starter = ""
        self.quality = EXACT
        if entry.kind is JOURNAL:
            self.tool, self.batch = launches.get(entry.batch, ""), entry.batch
            self.quality, self.via = STRONG, "run journal"
            return
        self.tool = entry.tool or entry.first_result()
        if entry.kind is META:
            self.starter, self.via = entry.started_by, "child sidecar"
        else:
            self.via = "completion notification" if entry.trigger == NOTIFICATION else "parent tool result"


def weigh_evidence(picture: Picture) -> None:
    """Gather the evidence and decide which pieces stay, which children are accounted for, and which tools start agents."""
    for piece in _pieces(picture):
        if _stays(picture, piece):
            picture.pieces.append(piece)
            picture.spawned.add(piece.child)
    if picture.landing.infers:
        _infer_callers(picture)
    for name, stream in picture.streams.items():
        if stream.role != "main" and name not in picture.spawned:
            picture.store.leave_open(SPAWN_OF_CHILD[0], name, SPAWN_OF_CHILD[1])


def _infer_callers(picture: Picture) -> None:
    """Of children that nothing accounts for: the calls whose prompt is the first thing that is said to them."""
    callers: dict[int, list[str]] = {}
    for tool in picture.tools.values():
        block = tool.use_block
        if block is not None and block.mark:
            callers.setdefault(block.mark, []).append(tool.name)
    for name, stream in picture.streams.items():
        if stream.role == "main" or name in picture.spawned:
            continue
        asked = next((entry for entry in stream.entries if entry.mark), None)
        found = sorted(callers.get(asked.mark, ())) if asked is not None else []
        for tool_name in found:
            piece = Piece(asked, {})  # type: ignore[arg-type]
            piece.child, piece.tool = name, tool_name
            piece.quality, piece.via = (STRONG if len(found) == 1 else WEAK), "the prompt of the call"
            if _stays(picture, piece):
                picture.pieces.append(piece)
                picture.spawned.add(name)


def _pieces(picture: Picture) -> list[Piece]:
    launches: dict[str, str] = {}
    naming: list[Entry] = []
    for entry in picture.window:
        if entry.batch and entry.tools and entry.kind is not JOURNAL and entry.batch not in launches:
            tool = entry.first_result()
            if tool:
                launches[entry.batch] = tool
        if entry.child:
            naming.append(entry)
    pieces: dict[tuple[str, str, str, str], Piece] = {}
    for entry in naming:
        piece = Piece(entry, launches)
        if piece.tool or piece.batch or piece.starter:
            pieces.setdefault((piece.tool, piece.batch, piece.starter, piece.child), piece)
    return sorted(pieces.values(), key=lambda piece: (piece.child, piece.tool, piece.batch))


def _stays(picture: Picture, piece: Piece) -> bool:
    """The verdict on a piece; what is missing stays open."""
    streams, store = picture.streams, picture.store
    if piece.child not in streams:
        store.leave_open(CHILD_STREAM[0], piece.child, CHILD_STREAM[1])
        return False
    if not piece.tool:
        if piece.starter in streams:
            return True
        store.leave_open(SPAWN_OF_BATCH[0], piece.batch, SPAWN_OF_BATCH[1])
        return False
    tool = picture.tools.get(piece.tool)
    if tool is None:
        store.leave_open(SPAWN_OF_CALL[0], piece.tool, SPAWN_OF_CALL[1])
        return False
    if streams[piece.child].role != "auxiliary":
        tool.starts_agent = True
    return True


def relate_starts(picture: Picture) -> None:
    """Make the ``starts`` relations, the very last step of an assembly."""
    store = picture.store
    for piece in picture.pieces:
        tool = picture.tools.get(piece.tool)
        if tool is not None and tool.node in store.kinds:
            child = picture.streams[piece.child].node
            store.relate("starts", tool.node, child, piece.quality, piece.via, [piece.entry.ref])
