"""The marks of the row grammar: one glyph a kind and a mark, each in a Unicode and an ASCII form, and its colour role.

Every glyph is one cell wide (the ASCII marks may be two). Roles are words of `lines.theme`; a kind that is not listed is a notice.
"""

from __future__ import annotations

KINDS: dict[str, tuple[str, str, str]] = {
    "talk": ("❯", ">", "person"),
    "run": ("▷", ")", "dim"),
    "message.external": ("❯", ">", "person"),
    "message.assistant": ("●", "*", "answer"),
    "agent.output": ("●", "*", "answer"),
    "message.synthetic": ("▲", "!", "error"),
    "error.api": ("▲", "!", "error"),
    "control.interrupt": ("▲", "!", "error"),
    "llm.call": ("◇", "o", "model"),
    "thinking": ("∴", ".", "model"),
    "tool": ("▣", "$", "tool"),
    "agent.call": ("◆", "@", "agent"),
    "agent.launch_ack": ("◈", "+", "agent"),
    "runtime.notification": ("◁", "<", "agent"),
    "context.injection": ("⊕", "&", "context"),
    "epoch.boundary": ("⟲", "=", "notice"),
    "epoch.summary": ("≡", "=", "notice"),
}
"""Kind -> (glyph, ASCII glyph, role)."""

_OTHER = ("·", ".", "notice")

MARKS: dict[str, tuple[str, str, str]] = {
    "failed": ("✗", "x", "error"),
    "unfinished": ("◌", "?", "warning"),
    "partial": ("⋯", "~", "dim"),
    "starts": ("⇢", "->", "accent"),
    "reports": ("⇠", "<-", "accent"),
    "ends": ("■", "#", "accent"),
    "inferred": ("≈", "~=", "dim"),
    "unresolved": ("!", "!", "warning"),
    "changes": ("±", "+-", "accent"),
    "changed": ("▎", "|", "mark"),
}
"""Mark -> (glyph, ASCII glyph, role)."""

STATES: dict[str, tuple[str, str, str]] = {
    "verified": ("✓", "v", "ok"),
    "chained": ("✓", "v", "dim"),
    "incomplete": ("◐", "%", "warning"),
    "mismatch": ("✗", "x", "error"),
    "": ("…", "-", "dim"),
}
"""Verification state -> (glyph, ASCII glyph, role); the word always stands with it when it is not verified."""

FAMILIES: dict[str, str] = {
    "message.external": "input",
    "message.assistant": "responses",
    "message.synthetic": "responses",
    "agent.output": "responses",
    "context.injection": "context",
    "llm.call": "model",
    "thinking": "model",
    "tool": "tools",
    "agent.call": "agents",
    "agent.launch_ack": "agents",
    "runtime.notification": "agents",
}
"""Kind -> lane family; every other step is a notice."""


def kind_glyph(kind: str, *, ascii_only: bool = False) -> tuple[str, str]:
    """Glyph and role of a node kind."""
    glyph, plain, role = KINDS.get(kind, _OTHER)
    return (plain if ascii_only else glyph), role


def mark_glyph(mark: str, *, ascii_only: bool = False) -> tuple[str, str]:
    """Glyph and role of a mark."""
    glyph, plain, role = MARKS[mark]
    return (plain if ascii_only else glyph), role


def state_glyph(state: str, *, ascii_only: bool = False) -> tuple[str, str]:
    """Glyph and role of a verification state."""
    glyph, plain, role = STATES.get(state, STATES[""])
    return (plain if ascii_only else glyph), role
