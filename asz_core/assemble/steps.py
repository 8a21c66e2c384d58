"""Steps of single records: delegation, input, control (the assembling specification, §12)."""

from __future__ import annotations

from .entries import (
    COMMAND,
    ERROR,
    EXTERNAL_INPUT,
    INJECTED,
    LAUNCH_ACK,
    NOTICE,
    NOTIFICATION,
    TURN_DURATION,
    Entry,
)
from .inference import QUALITY, QUESTION
from .picture import Picture
from .store import EXACT, STRONG
from .unresolved import NOTIFIED_CHILD

_INPUT = ((EXTERNAL_INPUT, "input", "message.external", ""), (INJECTED, "inject", "context.injection", ""))
_CONTROL = (
    (ERROR, "error", "error.api", '"retry_state":"unavailable"'),
    (TURN_DURATION, "turn", "turn.duration", '"measured_by":"observed_replayable"'),
    (COMMAND, "command", "control.command", ""),
    (NOTICE, "notice", "control.notice", ""),
)
Rules = tuple[tuple[int, str, str, str], ...]


def delegation_steps(picture: Picture) -> None:
    """Make the acknowledgements of launches and the notifications, and say what these report."""
    for entry in picture.window:
        if entry.flags & LAUNCH_ACK:
            _step(picture, entry, "ack", "agent.launch_ack")
        elif entry.trigger == NOTIFICATION:
            _step(picture, entry, "notify", "runtime.notification")
            _report(picture, entry)


def record_steps(picture: Picture) -> None:
    """Make the steps of inputs, injections and control."""
    for rules in (_INPUT, _CONTROL):
        any_of = sum(rule[0] for rule in rules)
        for entry in picture.window:
            if entry.flags & any_of:
                word, kind, attrs = _first_that_applies(entry, rules)
                if entry.inferred & QUESTION and word == "input":
                    attrs = f'"kind_from":"{QUALITY}"'
                _step(picture, entry, word, kind, attrs)


def _first_that_applies(entry: Entry, rules: Rules) -> tuple[str, str, str]:
    return next((word, kind, attrs) for flag, word, kind, attrs in rules if entry.flags & flag)


def _step(picture: Picture, entry: Entry, word: str, kind: str, attrs: str = "") -> None:
    name = f"{word}/{entry.seq}/{entry.row}"
    picture.store.node(name, kind, entry.container, entry.stream, entry.ref, attrs=attrs)


def _report(picture: Picture, entry: Entry) -> None:
    store, node = picture.store, f"notify/{entry.seq}/{entry.row}"
    if entry.child:
        stream = picture.streams.get(entry.child)
        if stream is None:
            store.leave_open(NOTIFIED_CHILD[0], entry.child, NOTIFIED_CHILD[1])
            return
        store.relate("reports", node, stream.node, EXACT, "task id on the notification", [entry.ref])
        picture.reported.add(entry.child)
    elif entry.tool:
        for piece in picture.pieces:
            if piece.tool == entry.tool:
                stream = picture.streams[piece.child]
                store.relate("reports", node, stream.node, STRONG, "the call the notification completes", [entry.ref])
                picture.reported.add(piece.child)
