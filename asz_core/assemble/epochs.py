"""Epochs: what resets of the context cut a stream into (the assembling specification, §8)."""

from __future__ import annotations

from .entries import CONTEXT_RESET, RESET_SUMMARY, Entry
from .identity import identity, quote
from .picture import Picture
from .store import EXACT
from .streams import Stream
from .unresolved import EPOCH_CONTINUATION


class Epoch:
    """A part of a stream; ``reset`` is the record that begins it, None for a first one that no reset begins."""

    __slots__ = ("entries", "node", "reset", "stream")

    def __init__(self, stream: Stream, entries: list[Entry], reset: Entry | None) -> None:
        self.stream, self.entries, self.reset = stream, entries, reset
        key = "0"
        if reset is not None:
            key = reset.id or f"at_{reset.seq}_{reset.row}"
        self.node = identity("epoch", stream.name, key)


def cut_epochs(picture: Picture) -> None:
    """Cut every stream and make the nodes of its epochs."""
    for stream in picture.streams.values():
        before: Epoch | None = None
        for epoch in _epochs_of(stream):
            picture.epochs.append(epoch)
            for entry in epoch.entries:
                entry.epoch = epoch.node
            _epoch_node(picture, epoch)
            if before is not None and epoch.reset is not None:
                reset = epoch.reset
                picture.store.relate("follows", epoch.node, before.node, EXACT, "explicit context reset", [reset.ref])
            before = epoch


def _epochs_of(stream: Stream) -> list[Epoch]:
    entries = stream.entries
    starts = [place for place, entry in enumerate(entries) if entry.flags & CONTEXT_RESET]
    if not starts:
        return [Epoch(stream, entries, None)]
    epochs = [Epoch(stream, entries[: starts[0]], None)] if starts[0] else []
    for start, end in zip(starts, [*starts[1:], len(entries)], strict=True):
        epochs.append(Epoch(stream, entries[start:end], entries[start]))
    return epochs


def _epoch_node(picture: Picture, epoch: Epoch) -> None:
    reset, attrs = epoch.reset, ""
    if reset is not None and reset.continues:
        attrs = f'"continues_from":{quote(reset.continues)},'
        if picture.landing.find(reset.continues) is None:
            picture.store.leave_open(EPOCH_CONTINUATION[0], reset.continues, EPOCH_CONTINUATION[1])
    attrs += f'"records":{len(epoch.entries)},"reset":"{"none" if reset is None else "observed_replayable"}"'
    refs = [] if reset is None else [reset.ref]
    picture.store.node(epoch.node, "epoch", epoch.stream.node, epoch.stream.name, epoch.entries[0].ref, refs, attrs)


def epoch_steps(picture: Picture) -> None:
    """Make the steps that a reset and the summary after it are."""
    store = picture.store
    for entry in picture.window:
        if not entry.flags & (CONTEXT_RESET | RESET_SUMMARY):
            continue
        parent = entry.epoch if entry.stream else ""
        at = f"{entry.seq}/{entry.row}"
        if entry.flags & CONTEXT_RESET:
            store.node(f"boundary/{at}", "epoch.boundary", parent, entry.stream, entry.ref)
            continue
        store.node(f"summary/{at}", "epoch.summary", parent, entry.stream, entry.ref)
        reset = picture.landing.find(entry.parent) if entry.parent else None
        if reset is not None and reset.flags & CONTEXT_RESET:
            boundary = f"boundary/{reset.seq}/{reset.row}"
            store.relate("summarizes", f"summary/{at}", boundary, EXACT, "containment parent", [entry.ref])
