"""The session and its streams (the assembling specification, §4)."""

from __future__ import annotations

from .entries import AUXILIARY, MANIFEST, META, Entry
from .identity import identity, quote
from .inference import QUALITY, STREAM
from .moments import write_time
from .picture import Picture


class Stream:
    """A stream: its name, its node's id, its role and its entries in landed order."""

    __slots__ = ("entries", "label", "name", "node", "role")

    def __init__(self, name: str) -> None:
        self.name, self.node = name, identity("stream", name)
        self.role = self.label = ""
        self.entries: list[Entry] = []


def find_streams(picture: Picture) -> None:
    """Sort the window's entries by stream and tell the role and the label of each."""
    streams: dict[str, Stream] = {}
    labels: dict[str, str] = {}
    auxiliary: set[str] = set()
    ordinary: set[str] = set()
    for entry in picture.window:
        name = entry.stream
        if name:
            stream = streams.get(name)
            if stream is None:
                stream = streams[name] = Stream(name)
            stream.entries.append(entry)
        child = entry.child
        if child:
            (auxiliary if entry.flags & AUXILIARY else ordinary).add(child)
        if entry.label and entry.kind is META:
            for named in (name, child):
                if named:
                    labels.setdefault(named, entry.label)
    picture.streams = {name: streams[name] for name in sorted(streams)}
    for name, stream in picture.streams.items():
        stream.label = labels.get(name, "")
        if name == "main":
            stream.role = "main"
        else:
            stream.role = "auxiliary" if name in auxiliary and name not in ordinary else "child"


def session_node(picture: Picture) -> None:
    """Make the nodes of the session and of its streams."""
    store, session = picture.store, picture.session
    for stream in picture.streams.values():
        label = f'"label":{quote(stream.label)},' if stream.label else ""
        attrs = f'{label}"records":{len(stream.entries)},"role":"{stream.role}"'
        if stream.entries[0].inferred & STREAM:
            attrs += f',"stream_from":"{QUALITY}"'
        store.node(stream.node, "stream", session, stream.name, stream.entries[0].ref, attrs=attrs)
    times = [entry.time for entry in picture.window if entry.time]
    if times:
        picture.from_time, picture.through_time = write_time(min(times)), write_time(max(times))
    for entry in reversed(picture.window):
        if entry.label and not entry.id and entry.kind is not META and entry.kind is not MANIFEST:
            picture.title = entry.label
            break
    members = [f'"conversation":{quote(picture.session_name)}']
    if picture.from_time:
        members.append(f'"from_time":"{picture.from_time}"')
    if picture.bodies:
        members.append(f'"provider_bodies_landed":{picture.bodies}')
    if picture.through_time:
        members.append(f'"through_time":"{picture.through_time}"')
    if picture.title:
        members.append(f'"title":{quote(picture.title)},"title_from":"observed_replayable"')
    store.node(session, "session", "", "", "", attrs=",".join(members))
