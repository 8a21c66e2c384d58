"""What is inferred of sessions that an older runtime wrote, under a policy of our own: runs, questions, side chains.

The original makes no talk where no record names a run, shows no question where no record tells its origin, and knows nothing of a
child whose records stand among those of its parent. Under the policy that is named after this, a record that reads as a person's
question begins a run, and is that run's question; what follows it belongs to it; and a chain of records that begins with the very
prompt of a call that is still open is that call's child. Nothing is inferred any more once a record states what was to be inferred.

Each entry is looked at once, in landed order, and what is inferred of it depends on those before it alone: what lands later changes
nothing. Whatever was inferred is marked so on the entry, and on every node and relation that is made of it.
"""

from __future__ import annotations

from collections.abc import Iterable

from .entries import EXTERNAL_INPUT, INJECTED, RESET_SUMMARY, USER, Entry

RUN, QUESTION, STREAM = 1, 2, 4
"""What was inferred of an entry: its run, that it is a person's question, its stream."""
QUALITY = "strong_inference"

class Inference:
    """Goes through the entries of a session as they land."""

    def __init__(self) -> None:
        self._run = ""
        self._runs_are_told = self._origins_are_told = False
        self._asked: set[str] = set()
        self._seen_main = False
        self._chains: dict[str, str] = {}
        """The stream of each record of a side chain, by its id."""
        self._open: dict[str, int] = {}
        """The mark of the prompt of each call of a child that has no result yet, by the call's id."""

    def take(self, entries: Iterable[Entry]) -> None:
        """Infer what can be of the next entries of a window."""
        for entry in entries:
            if entry.stream == "main":
                self._take(entry)

    def _take(self, entry: Entry) -> None:
        if self._is_side_chain(entry):
            return
        self._seen_main = True
        self._note_calls(entry)
        self._origins_are_told = self._origins_are_told or bool(entry.trigger or entry.flags & EXTERNAL_INPUT)
        if entry.run:
            self._runs_are_told = True
        if not self._origins_are_told and _asks(entry):
            self._question(entry)
        if self._run and not entry.run and not self._runs_are_told:
            entry.run = self._run

    def _question(self, entry: Entry) -> None:
        if not entry.run:
            if self._runs_are_told:
                return
            self._run = entry.id or f"at_{entry.seq}_{entry.row}"
            entry.inferred |= RUN
        elif entry.run in self._asked:
            return
        self._asked.add(entry.run or self._run)
        entry.flags |= EXTERNAL_INPUT
        entry.inferred |= QUESTION

    # --- side chains

    def _is_side_chain(self, entry: Entry) -> bool:
        """Whether an entry belongs to a child; its stream is that child's then."""
        name = self._chains.get(entry.parent) if entry.parent else None
        if name is None and not entry.parent and self._seen_main and _asks(entry) and entry.mark in self._open.values():
            name = f"side-{entry.id}" if entry.id else None
        if name is None:
            return False
        if entry.id:
            self._chains[entry.id] = name
        entry.stream, entry.run = name, ""
        entry.inferred |= STREAM
        return True

    def _note_calls(self, entry: Entry) -> None:
        for block in entry.tools:
            if not block.is_use:
                self._open.pop(block.tool, None)
            elif block.mark:
                self._open[block.tool] = block.mark


def _asks(entry: Entry) -> bool:
    """Whether a record reads as what a person says."""
    if entry.kind is not USER or not entry.mark or entry.trigger or entry.tools or entry.tool or entry.child:
        return False
    return not entry.flags & (INJECTED | RESET_SUMMARY)
