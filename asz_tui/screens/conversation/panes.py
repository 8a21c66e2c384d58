"""The panes of a conversation: which there are, and their rows, made when a pane is first shown and kept fresh.

A round that lands only reloads the rows of panes that are on the screen; the others are reloaded when they are shown again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import tzinfo
from importlib import import_module
from typing import Any

from ...panes.talks_rows import TalksRows
from ...session.opened import Applied, Opened


def _made_by(module: str, name: str) -> Callable[[Opened, tzinfo], Any]:
    """A class of `panes/`, imported when its pane is shown for the first time: nobody waits for those that are not."""
    return lambda opened, tz: getattr(import_module(f"asz_tui.panes.{module}"), name)(opened, tz)


@dataclass(frozen=True, slots=True)
class Pane:
    """A pane: its name, the key that shows it, its title, and how its rows are made."""

    name: str
    key: str
    title: str
    make: Callable[[Opened, tzinfo], Any]


PANES = (
    Pane("talks", "1", "Talks", TalksRows),
    Pane("flow", "2", "Flow", _made_by("flow", "FlowModel")),
    Pane("streams", "3", "Streams", _made_by("streams_rows", "StreamsRows")),
    Pane("segments", "4", "Segments", _made_by("segments_rows", "SegmentsRows")),
    Pane("edges", "5", "Edges", _made_by("edges_rows", "EdgesRows")),
    Pane("verification", "6", "Verification", _made_by("verification_rows", "VerificationRows")),
    Pane("summary", "7", "Summary", _made_by("summary_rows", "SummaryRows")),
    Pane("changes", "8", "Changes", _made_by("changes_rows", "ChangesRows")),
    Pane("results", "9", "Results", _made_by("results_rows", "ResultsRows")),
)
"""In the order of their keys."""

TABLES = frozenset({"streams", "segments", "edges", "verification", "summary", "changes", "results"})
"""Panes whose rows lead somewhere, fold, are sorted and narrowed."""

FILLED = TABLES - {"results"}
"""Of those, the ones whose rows take time to be made; results come from the search as it finds them."""


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

    def put(self, pane: str, rows: Any) -> Any:
        """Take over the rows of a pane that were begun elsewhere."""
        self._sources[pane] = rows
        self._stale.discard(pane)
        return rows

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

    def take_checked(self, shown: str) -> None:
        """Take over that landed files were checked which had only been skimmed; their records are what they were."""
        # What the workspace changed is told by records that only a check looks for.
        self._stale |= {"verification", "changes"} & self._sources.keys()
        self.source(shown)

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
