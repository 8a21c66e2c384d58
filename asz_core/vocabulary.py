"""The words of the Unified Conversation Model and what each means: node kinds, relation types, qualities, states, roles.

Names are the data's own, kept word for word; the sentences are ours. A name that is not listed is shown as it is, never refused.
"""

from __future__ import annotations

CONTAINERS = frozenset({"session", "segment", "stream", "epoch", "talk", "run"})
"""Kinds that contain and are never steps (formats.md section 3)."""

KINDS: dict[str, str] = {
    "session": "One run of the agent program; the conversation is assembled from its landed records.",
    "stream": "One line of execution with its own context: the main agent or a child agent.",
    "epoch": "A stretch of a stream between two context resets.",
    "segment": "An activity window: talks that no long pause separates.",
    "talk": "One exchange: what came in, everything done about it, and the answer.",
    "run": "One loop of work inside a talk, started by one trigger.",
    "message.external": "What a person or another program outside the agent put in.",
    "message.assistant": "What the agent said.",
    "message.synthetic": "A message that the client program made up; it did not come from the provider.",
    "context.injection": "Text that the runtime put into the context on its own.",
    "llm.call": "One call of the model; its children are what the call produced.",
    "thinking": "Reasoning that the model produced before it answered.",
    "tool": "One tool call, with its result where that was joined to it.",
    "agent.call": "A tool call that asks a child agent to work.",
    "agent.launch_ack": "The runtime's word that a child agent was launched.",
    "agent.output": "What a child agent handed back at its end.",
    "runtime.notification": "The runtime told the agent that something finished or changed.",
    "epoch.boundary": "The context was reset here.",
    "epoch.summary": "The summary carried over a context reset.",
    "error.api": "The provider answered with an error.",
    "control.interrupt": "A person interrupted the agent.",
    "control.permission": "A decision on whether a tool may run.",
    "control.command": "A command to the client program.",
    "control.notice": "A notice of the client program.",
    "turn.duration": "How long a turn took, as the runtime measured it.",
}

RELATIONS: dict[str, str] = {
    "starts": "from a call to the stream it started",
    "reports": "from the notification that resumed the parent to what it reports",
    "ends_with": "from a stream to its last output",
    "result_of": "from a result to the call it answers",
    "follows": "from an epoch to the one before it",
    "summarizes": "from a summary to the boundary it was made for",
    "in_segment": "from a talk to the activity window it lies in",
    "retries": "from a call to the one it repeats",
    "cancels": "from an interruption to what it stopped",
    "input_of": "from an input to what took it",
}

QUALITIES: dict[str, str] = {
    "exact_unique": "joined by identity, and only one candidate fits",
    "exact_ambiguous": "joined by identity, but several candidates fit",
    "strong_inference": "inferred from strong evidence, not from an identity",
    "weak_inference": "inferred from weak evidence",
    "unresolved": "no candidate was found",
    "conflict": "the evidence contradicts itself",
}

CONTENT_STATES: dict[str, str] = {
    "available": "the content is here",
    "truncated": "the source kept only a part of it",
    "redacted": "the content was withheld on purpose",
    "omitted": "the content was left out",
    "hash_only": "only a digest of the content is known",
    "size_only": "only the size of the content is known",
    "unavailable": "the source did not supply it",
}

ROLES: dict[str, str] = {
    "main": "the agent that a person talks to",
    "child": "an agent that another agent started",
    "auxiliary": "a helper call beside the conversation",
    "judge": "an agent that assesses others' work",
}

UNRESOLVED_STATES: dict[str, str] = {
    "open": "not resolved yet",
    "resolved": "resolved by a later round",
    "terminal": "evidence says that it will never resolve",
}

DOCUMENT_STATES: dict[str, str] = {
    "verified": "every round and every landed file is there and its digest is right",
    "incomplete": "a round or a landed file is missing",
    "mismatch": "a round does not read or does not fit, or a digest failed",
}


def is_step(kind: str) -> bool:
    """Whether a kind is a step: everything that is not a container (formats.md section 3)."""
    return kind not in CONTAINERS


def is_content(kind: str) -> bool:
    """Whether a kind shows a record's content: every step but ``llm.call`` (formats.md section 3)."""
    return kind not in CONTAINERS and kind != "llm.call"
