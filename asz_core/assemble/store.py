"""What an assembly makes: nodes, relations and unresolved entries by id, as JSON (the assembling specification, §3).

An entity is kept as its *body*: its frame without ``t``, ``id`` and ``revision``, which is just what is compared with the fold.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from .identity import identity, quote

EXACT, AMBIGUOUS, STRONG, WEAK = "exact_unique", "exact_ambiguous", "strong_inference", "weak_inference"
_RANK = {EXACT: 4, AMBIGUOUS: 3, STRONG: 2, WEAK: 1}


class Store:
    """The entities of one assembly.

    Attributes:
        nodes: bodies by id.
        kinds: the kind of each node by id.
        unresolved: kind, ref and reason by id; all of them open.
    """

    def __init__(self) -> None:
        self.nodes: dict[str, str] = {}
        self.kinds: dict[str, str] = {}
        self.unresolved: dict[str, tuple[str, str, str]] = {}
        self._relations: dict[str, list[str]] = {}
        self._evidence: dict[str, list[str]] = {}
        self._words: dict[str, str] = {}

    def node(self, name: str, kind: str, parent: str, stream: str, ref: str, refs: Sequence[str] = (), attrs: str = "") -> None:
        """Store a node; a later one of the same id replaces it.

        Args:
            name: its id.
            kind: a word of the vocabulary.
            parent, stream: left out when empty.
            ref: its address as JSON; left out when empty.
            refs: further addresses; left out when there are none.
            attrs: its attrs as JSON members in byte order of their keys, without braces; left out when empty.
        """
        body = f'"kind":"{kind}"'
        words = self._words
        if parent:
            body += words.get(parent) or self._word(parent, "parent")
        if stream:
            body += words.get("\0" + stream) or self._word(stream, "stream", "\0")
        if ref:
            body += f',"ref":{ref}'
        if refs:
            body += f',"refs":[{",".join(refs)}]'
        if attrs:
            body += f',"attrs":{{{attrs}}}'
        self.nodes[name] = body
        self.kinds[name] = kind

    def _word(self, text: str, key: str, before: str = "") -> str:
        """A member whose value is said again and again."""
        member = self._words[before + text] = f',"{key}":{quote(text)}'
        return member

    def relate(self, kind: str, start: str, end: str, quality: str, via: str, evidence: Sequence[str]) -> None:
        """Store a relation; with one of the same id it merges: evidence is appended, a higher quality comes with its via."""
        name = identity("rel", kind, start, end)
        known = self._relations.get(name)
        if known is None:
            self._relations[name] = [kind, start, end, quality, via]
            self._evidence[name] = list(evidence)
            return
        self._evidence[name] += evidence
        if _RANK.get(quality, 0) > _RANK.get(known[3], 0):
            known[3:] = quality, via

    def leave_open(self, kind: str, ref: str, reason: str) -> None:
        """Store an unresolved entry; of one id the first stays."""
        self.unresolved.setdefault(identity("unres", kind, ref), (kind, ref, reason))

    def relations(self) -> dict[str, str]:
        """The bodies of the relations by id."""
        return {
            name: relation_body(*known, self._evidence[name])  # type: ignore[call-arg]
            for name, known in self._relations.items()
        }

    def count(self) -> Counter[str]:
        """How many nodes of each kind there are."""
        return Counter(self.kinds.values())


def relation_body(kind: str, start: str, end: str, quality: str, via: str, evidence: Sequence[str]) -> str:
    """A relation's frame without ``t``, ``id`` and ``revision``."""
    body = f'"type":{quote(kind)},"from":{quote(start)},"to":{quote(end)},"quality":{quote(quality)}'
    if via:
        body += f',"via":{quote(via)}'
    if evidence:
        body += f',"evidence":[{",".join(evidence)}]'
    return body


def unresolved_body(kind: str, ref: str, reason: str, state: str) -> str:
    """An unresolved entry's frame without ``t``, ``id`` and ``revision``."""
    body = f'"kind":{quote(kind)}'
    if ref:
        body += f',"ref":{quote(ref)}'
    if reason:
        body += f',"reason":{quote(reason)}'
    return f'{body},"state":{quote(state)}'
