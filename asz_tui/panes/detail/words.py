"""Words of the detail pane: a short human label for each kind, and meanings that `asz_core.vocabulary` does not list.

Names are the data's own; the sentences are ours. Constant tables, no cost.
"""

from __future__ import annotations

from asz_core import vocabulary

KIND_LABELS: dict[str, str] = {
    "session": "session",
    "stream": "stream of execution",
    "epoch": "stretch between resets",
    "segment": "activity window",
    "talk": "exchange",
    "run": "loop of work",
    "message.external": "input from outside",
    "message.assistant": "what the agent said",
    "message.synthetic": "made up by the client, not by the provider",
    "context.injection": "put into the context",
    "llm.call": "model call",
    "thinking": "reasoning",
    "tool": "tool call",
    "agent.call": "call of a child agent",
    "agent.launch_ack": "launch acknowledged",
    "agent.output": "what a stream handed back",
    "runtime.notification": "notification of the runtime",
    "epoch.boundary": "context reset",
    "epoch.summary": "summary carried over",
    "error.api": "provider error",
    "control.interrupt": "interruption",
    "control.permission": "decision on permission",
    "control.command": "command to the client",
    "control.notice": "notice of the client",
    "turn.duration": "how long a turn took",
}
"""Kind -> short label beside it."""

MARK_WORDS: dict[str, str] = {
    "failed": "failed",
    "unfinished": "no result",
    "partial": "not all of it is here",
    "starts": "starts a stream",
    "reports": "reports back",
    "ends": "ends a stream",
    "inferred": "joined by inference",
    "unresolved": "unresolved",
    "changes": "workspace changes",
}
"""Mark of the row grammar -> what it means."""

FLAGS: dict[str, str] = {
    "synthetic": "made up by the client, not by the provider",
    "context_reset": "the context was reset here",
    "reset_summary": "the summary carried over a reset",
    "finished": "the provider said why it stopped: the message is whole",
    "external_input": "came from a person or a program outside",
    "injected": "put into the context by the runtime",
    "child_result": "carries what a child handed back",
    "error": "reports an error of the provider",
    "launch_ack": "acknowledges the launch of a child",
    "turn_duration": "states how long a turn took",
    "command": "a command to the client",
    "notice": "a notice of the client",
    "system_prompt": "holds a system prompt",
    "tool_schemas": "holds the schemas of tools",
    "auxiliary": "belongs to a helper call beside the conversation",
}

GATES: dict[str, str] = {
    "activity_boundary": "it is the last window, so more may still belong to it",
    "no_crossing_open_operation": "something that began in it is still open",
    "lateness_watermark": "not enough time has passed for late records to arrive",
}

BASES: dict[str, str] = {
    "tool_window": "the workspace was scanned before and after the tool ran",
    "runtime_reported": "the runtime's own report of what the tool changed",
}

OPERATIONS: dict[str, str] = {
    "create": "the file was not there before",
    "modify": "the file was there before and after",
    "delete": "the file is not there any more",
    "rename": "the file has another path now",
}

ATTRIBUTIONS: dict[str, str] = {
    "only_this_window": "no other observed window was open then",
    "shared": "other windows were open at the same time",
    "outside": "outside any observed window",
}

INTERVAL_NOTE = "from the request's record to the result's; not how long the tool itself ran"

VOCABULARIES: tuple[tuple[str, dict[str, str]], ...] = (
    ("node kind", vocabulary.KINDS),
    ("relation type", vocabulary.RELATIONS),
    ("quality of a join", vocabulary.QUALITIES),
    ("content state", vocabulary.CONTENT_STATES),
    ("stream role", vocabulary.ROLES),
    ("state of a reference", vocabulary.UNRESOLVED_STATES),
    ("verification state", vocabulary.DOCUMENT_STATES),
    ("flag of a record", FLAGS),
    ("gate of a segment", GATES),
    ("basis of an observation", BASES),
    ("operation on a file", OPERATIONS),
    ("attribution of a change", ATTRIBUTIONS),
)
"""(what the words are, word -> meaning), in the order in which `w` looks."""


def state_sentence(state: str) -> str:
    """What a content state says, in a sentence; a state that is not listed stands for itself."""
    meaning = vocabulary.CONTENT_STATES.get(state)
    return f"content {state}: {meaning}" if meaning else f"content {state}"
