"""One assembly under way: what its stages read from each other (the assembling specification, §3, stage order)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from .entries import Entry
from .identity import identity
from .store import Store

if TYPE_CHECKING:
    from .calls import Call
    from .epochs import Epoch
    from .landing import Landing
    from .spawns import Piece
    from .streams import Stream
    from .talks import Run, Talk
    from .tools import Tool


class Picture:
    """A session as assembled from sequence 1 through a bound.

    Attributes:
        window: the entries it is made of, in landed order.
        store: the nodes, relations and unresolved entries made so far.
        session: the session node's id.
        streams: by name, in byte order of name.
        calls: by call id; ``tools`` by tool id.
        pieces: the spawn evidence that was kept, in its order; ``spawned`` the children it accounts for.
        epochs, talks, runs: of all streams, in the order they were made; runs by the id of their node.
        reported: streams whose end a notification reported.
        bodies: how many provider bodies landed; ``body_of_call`` what was joined: a call's attr as JSON.
        title, from_time, through_time: the session node's, empty without.
    """

    def __init__(self, landing: Landing, session: str, through: int, idle: int) -> None:
        self.landing, self.session_name, self.through, self.idle = landing, session, through, idle
        self.window = landing.window(through)
        self.store = Store()
        self.session = identity("session", session)
        self.streams: dict[str, Stream] = {}
        self.calls: dict[str, Call] = {}
        self.tools: dict[str, Tool] = {}
        self.pieces: list[Piece] = []
        self.spawned: set[str] = set()
        self.epochs: list[Epoch] = []
        self.talks: list[Talk] = []
        self.runs: dict[str, Run] = {}
        self.reported: set[str] = set()
        self.bodies = 0
        self.bodies_of_call: dict[str, str] = {}
        self.bash_runs: set[str] = set()
        self.title = self.from_time = self.through_time = ""

    def main(self) -> Stream | None:
        """The main stream, if there is one."""
        return self.streams.get("main")

    def by_stream(self) -> Iterator[tuple[str, Iterable[Entry]]]:
        """Every stream's name and entries, in byte order of name."""
        return ((name, stream.entries) for name, stream in self.streams.items())
