"""Captured bodies of calls, joined with their calls (the assembling specification, §11)."""

from __future__ import annotations

from collections import Counter

from .calls import Call
from .entries import BODY, TRANSCRIPT, Entry
from .picture import Picture

REQUEST, RESPONSE = "request", "response"


class Body:
    """A captured body and what became of it."""

    __slots__ = ("ambiguous", "entry", "joined", "previous", "request", "role")

    def __init__(self, entry: Entry, manifest: tuple[str, str, str]) -> None:
        self.entry = entry
        self.role, self.request, self.previous = manifest
        self.joined = self.ambiguous = False


def join_bodies(picture: Picture) -> None:
    """Find the bodies that landed and join them with the calls."""
    bodies: dict[str, Body] = {}
    read = picture.landing.read_through(picture.through)
    for entry in read:
        if entry.kind is BODY and entry.manifest is not None and entry.id:
            bodies.setdefault(entry.id, Body(entry, entry.manifest))
    picture.bodies = len(bodies)
    calls = [call for call in picture.calls.values() if not call.synthetic]
    if not bodies or not calls:
        return
    calls.sort(key=lambda call: (call.fragments[0].stream, call.fragments[0].seq, call.fragments[0].row, call.node))
    joined: dict[str, dict[str, Body]] = {call.name: {} for call in calls}
    requests = _join_by_message(calls, list(bodies.values()), joined)
    keys = _keys(picture, calls, joined, requests, _with_gaps(read))
    _join_by_prompt(calls, list(bodies.values()), joined, keys)
    for call in calls:
        found = [joined[call.name][role] for role in (REQUEST, RESPONSE) if role in joined[call.name]]
        if found:
            picture.bodies_of_call[call.name] = _attr(found)


def _attr(bodies: list[Body]) -> str:
    inside = [f'{{"role":"{body.role}","ref":{body.entry.ref}}}' for body in bodies]
    return f"[{','.join(inside)}]"


def _join_by_message(calls: list[Call], bodies: list[Body], joined: dict[str, dict[str, Body]]) -> dict[str, str]:
    """Join the bodies that name their call; gives the request id of each call that has one."""
    by_message: dict[tuple[str, str], list[Body]] = {}
    for body in bodies:
        if body.entry.call and body.role in (REQUEST, RESPONSE):
            by_message.setdefault((body.role, body.entry.call), []).append(body)
    requests: dict[str, str] = {}
    for call in calls:
        for role in (RESPONSE, REQUEST):
            found = by_message.get((role, call.name), ())
            if len(found) == 1:
                found[0].joined = True
                joined[call.name][role] = found[0]
                if role == RESPONSE:
                    requests[call.name] = found[0].request
            else:
                for body in found:
                    body.ambiguous = True
    return requests


def _keys(
    picture: Picture, calls: list[Call], joined: dict[str, dict[str, Body]], requests: dict[str, str], gaps: set[str]
) -> dict[str, tuple[str, str]]:
    """The key (previous request, prompt) of each call that has one."""
    keys: dict[str, tuple[str, str]] = {}
    before: dict[str, str] = {}
    for call in calls:
        first = call.fragments[0]
        stream = first.stream
        is_first = stream not in before
        previous = before.get(stream, "")
        before[stream] = requests.get(call.name, "")
        run = picture.runs.get(first.container)
        prompt = run.entry.run if run is not None else ""
        if REQUEST in joined[call.name] or stream in gaps or not prompt:
            continue
        if previous or is_first:
            keys[call.name] = (previous, prompt)
    return keys


def _join_by_prompt(
    calls: list[Call], bodies: list[Body], joined: dict[str, dict[str, Body]], keys: dict[str, tuple[str, str]]
) -> None:
    by_key: dict[tuple[str, str], list[Body]] = {}
    for body in bodies:
        if body.role == REQUEST and not body.entry.call and body.entry.run:
            by_key.setdefault((body.previous, body.entry.run), []).append(body)
    wanted = Counter(keys.values())
    for call in calls:
        key = keys.get(call.name)
        found = by_key.get(key, ()) if key is not None else ()
        if not found or key is None:
            continue
        body = found[0]
        if len(found) == 1 and wanted[key] == 1 and not body.joined and not body.ambiguous:
            body.joined = True
            joined[call.name][REQUEST] = body
        else:
            for body in found:
                body.ambiguous = body.ambiguous or not body.joined


def _with_gaps(read: list[Entry]) -> set[str]:
    """The streams whose records leave out a number of their order."""
    gaps: set[str] = set()
    greatest: dict[str, int] = {}
    for entry in read:
        if entry.stream and entry.kind in TRANSCRIPT:
            so_far = greatest.get(entry.stream, 0)
            if entry.ord > so_far + 1:
                gaps.add(entry.stream)
            if entry.ord > so_far:
                greatest[entry.stream] = entry.ord
    return gaps
