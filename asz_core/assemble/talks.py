"""Talks, runs, and the container of every entry (the assembling specification, §9)."""

from __future__ import annotations

from .entries import EXTERNAL, Entry
from .epochs import Epoch
from .identity import identity, named
from .inference import QUALITY, RUN
from .picture import Picture
from .streams import Stream

_FROM = f',"trigger_from":"{QUALITY}"'


class Talk:
    """A talk; ``first`` and ``last`` are the least and greatest time of the entries that count, 0 without."""

    __slots__ = ("epoch", "first", "inferred", "last", "node", "ref", "runs", "stream", "where")

    def __init__(self, node: str, stream: Stream, epoch: Epoch, entry: Entry) -> None:
        self.node, self.stream, self.epoch = node, stream, epoch
        self.ref, self.where = entry.ref, entry
        self.inferred = bool(entry.inferred & RUN)
        self.first = self.last = self.runs = 0

    def count(self, time: int) -> None:
        """An entry of one of its runs counts with its time."""
        if time:
            if not self.first or time < self.first:
                self.first = time
            if time > self.last:
                self.last = time


class Run:
    """A run of a talk; ``entry`` is the first record that belongs to it."""

    __slots__ = ("entry", "node", "place", "talk")

    def __init__(self, talk: Talk, name: str, entry: Entry) -> None:
        self.talk, self.entry = talk, entry
        self.node = f"{named('run', talk.node)}/{name.replace('/', '_')}"
        talk.runs += 1
        self.place = talk.runs


def find_talks(picture: Picture) -> None:
    """Give every entry its container and make the nodes of talks and runs."""
    for entry in picture.window:
        if not entry.stream:
            entry.container = picture.session
    epochs: dict[str, list[Epoch]] = {}
    for epoch in picture.epochs:
        epochs.setdefault(epoch.stream.name, []).append(epoch)
    for name, stream in picture.streams.items():
        _talks_of(picture, stream, epochs[name])
    for talk in picture.talks:
        trigger = "external" if talk.stream.role == "main" else "unknown"
        attrs = f'"loops":{talk.runs},"runs":{talk.runs},"trigger":"{trigger}"{_FROM if talk.inferred else ""}'
        picture.store.node(talk.node, "talk", talk.epoch.node, talk.stream.name, talk.ref, attrs=attrs)
    for run in picture.runs.values():
        attrs = f'"trigger":"{"external" if run.place == 1 else "notification"}"{_FROM if run.entry.inferred & RUN else ""}'
        picture.store.node(run.node, "run", run.talk.node, run.talk.stream.name, run.entry.ref, attrs=attrs)


def _talks_of(picture: Picture, stream: Stream, epochs: list[Epoch]) -> None:
    run_of = picture.landing.run_of
    is_main = stream.role == "main"
    begins = _beginning_runs(stream.entries) if is_main else {}
    current: Talk | None = None
    if not is_main:
        current = Talk(identity("talk", stream.name), stream, epochs[0], stream.entries[0])
        picture.talks.append(current)
    runs: dict[str, Run] = {}
    for epoch in epochs:
        for entry in epoch.entries:
            name = run_of(entry)
            if not name:
                entry.container = current.node if current is not None else epoch.node
                continue
            run = runs.get(name)
            if run is None:
                if current is None or (is_main and begins.get(name, True)):
                    current = Talk(identity("talk", "main", name), stream, epoch, entry)
                    picture.talks.append(current)
                run = runs[name] = Run(current, name, entry)
                picture.runs[run.node] = run
            entry.container = run.node
            run.talk.count(entry.time)


def _beginning_runs(entries: list[Entry]) -> dict[str, bool]:
    """Of the runs of main whose records state triggers: whether one of them is external."""
    begins: dict[str, bool] = {}
    for entry in entries:
        if entry.run and entry.trigger:
            begins[entry.run] = begins.get(entry.run, False) or entry.trigger == EXTERNAL
    return begins
