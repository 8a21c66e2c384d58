"""The panes of a conversation: which there are, and their rows, made when a pane is first shown and kept fresh.

A round that lands only reloads the rows of panes that are on the screen; the others are reloaded when they are shown again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import tzinfo
from typing import Any

from ...panes.changes_rows import ChangesRows
from ...panes.edges_rows import EdgesRows
from ...panes.flow import FlowModel
from ...panes.results_rows import ResultsRows
from ...panes.segments_rows import SegmentsRows
from ...panes.streams_rows import StreamsRows
from ...panes.summary_rows import SummaryRows
from ...panes.talks_rows import TalksRows
from ...panes.verification_rows import VerificationRows
from ...session.opened import Applied, Opened


@dataclass(frozen=True, slots=True)
class Pane:
    """A pane: its name, the key that shows it, its title, and how its rows are made."""

    name: str
    key: str
    title: str
    make: Callable[[Opened, tzinfo], Any]


PANES = (
    Pane("talks", "1", "Talks", TalksRows),
    Pane("flow", "2", "Flow", FlowModel),
    Pane("streams", "3", "Streams", StreamsRows),
    Pane("segments", "4", "Segments", SegmentsRows),
    Pane("edges", "5", "Edges", EdgesRows),
    Pane("verification", "6", "Verification", VerificationRows),
    Pane("summary", "7", "Summary", SummaryRows),
    Pane("changes", "8", "Changes", ChangesRows),
    Pane("results", "9", "Results", ResultsRows),
)
"""In the order of their keys."""

TABLES = frozenset({"streams", "segments", "edges", "verification", "summary", "changes", "results"})
"""Panes whose rows lead somewhere, fold, are sorted and narrowed."""


class PaneSet:
    """The rows of an opened conversation's panes."""

    def __init__(self, opened: Opened, tz: tzinfo) -> None:
        """
        Args:
            opened: the conversation.
            tz: the zone of the clock times.
        """
        self.opened = opened
        self._tz = tz
        self._sources: dict[str, Any] = {}
        self._stale: set[str] = set()
        self._roots: set[str] | None = set()
        self._ids: set[str] = set()

    @property
    def talks(self) -> TalksRows:
        """Rows of the Talks pane."""
        rows: TalksRows = self.source("talks")
        return rows

    def made(self, pane: str) -> Any:
        """The rows of a pane as they are, or None when it was never shown."""
        return self._sources.get(pane)

    def source(self, pane: str) -> Any:
        """The rows of a pane, fresh."""
        rows = self._sources.get(pane)
        if rows is None:
            make = next(entry.make for entry in PANES if entry.name == pane)
            rows = self._sources[pane] = make(self.opened, self._tz)
        elif pane in self._stale:
            if pane == "flow":
                rows.reload(self._roots, self._ids)
                self._roots, self._ids = set(), set()
            else:
                rows.reload()
        self._stale.discard(pane)
        return rows

    def take(self, applied: Applied, shown: str) -> None:
        """Take over what a round changed: at once in the Talks pane and in the pane that is shown, later in the others."""
        self.talks.marked = applied.added | applied.changed
        self.talks.reload(applied.roots)
        self._stale = set(self._sources) - {"talks"}
        if "flow" in self._sources:
            # The timeline takes over what changed since it was last shown, in one go.
            self._roots = None if applied.roots is None or self._roots is None else self._roots | applied.roots
            self._ids |= applied.ids()
        self.source(shown)
