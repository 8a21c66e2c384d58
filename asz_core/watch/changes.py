"""What a watcher reports: one immutable value.

Owns: the meaning of a report and how two become one. Every operation is O(ids in it).
"""

from __future__ import annotations

from dataclasses import dataclass, field

_NONE: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Changes:
    """What changed in a root since the report before.

    Attributes:
        conversations: ids of conversations with new, removed or changed round files, also those in `appeared`, not
            those in `removed`; and those whose turn it is to be read again (`RootWatcher.again`).
        sessions: ids of sessions in which landed files came or went.
        appeared: ids of conversations that now have a round and had none before.
        removed: ids of conversations that have no round any more.
        root_gone: the root went: it is not there, is no directory or cannot be listed. What was in it is *not* reported
            as removed; when a root is there again, the report says how it differs from what was known before.
        root_back: a root is there that was not before, or is another directory than before. Both true: the root went
            and one is there now.
    """

    conversations: frozenset[str] = _NONE
    sessions: frozenset[str] = _NONE
    appeared: frozenset[str] = _NONE
    removed: frozenset[str] = _NONE
    root_gone: bool = False
    root_back: bool = False

    def __bool__(self) -> bool:
        return bool(self.conversations or self.sessions or self.appeared or self.removed or self.root_gone or self.root_back)

    def merged_with(self, later: Changes) -> Changes:
        """One report for two, of which `later` came after this one.

        Args:
            later: the later report; where the two contradict each other it has the last word.

        Returns:
            The report that says both. A conversation that went and came back is in `appeared`: whoever holds it must
            read it anew. One that came and went is in `removed`, which says nothing wrong to whoever never heard of it.
        """
        removed = (self.removed - later.appeared) | later.removed
        return Changes(
            conversations=(self.conversations | later.conversations) - removed,
            sessions=self.sessions | later.sessions,
            appeared=(self.appeared | later.appeared) - removed,
            removed=removed,
            root_gone=self.root_gone or later.root_gone,
            root_back=later.root_back or (self.root_back and not later.root_gone),
        )


@dataclass(slots=True)
class Found:
    """A report in the making: what one look at the tree found."""

    conversations: set[str] = field(default_factory=set)
    sessions: set[str] = field(default_factory=set)
    appeared: set[str] = field(default_factory=set)
    removed: set[str] = field(default_factory=set)
    root_gone: bool = False
    root_back: bool = False

    def rounds(self, conversation: str, before: int, after: int) -> None:
        """Notes that the rounds of a conversation changed; `before` and `after` are how many there are."""
        if after:
            self.removed.discard(conversation)
            self.conversations.add(conversation)
            if not before:
                self.appeared.add(conversation)
        elif before:
            self.conversations.discard(conversation)
            self.appeared.discard(conversation)
            self.removed.add(conversation)

    def freeze(self) -> Changes:
        """The report as it is given away."""
        return Changes(
            frozenset(self.conversations),
            frozenset(self.sessions),
            frozenset(self.appeared),
            frozenset(self.removed),
            self.root_gone,
            self.root_back,
        )
