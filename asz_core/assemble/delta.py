"""What of an assembly is not in the fold: the frames of a round (the assembling specification, §16)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .folded import Folded, canonical
from .identity import quote
from .store import Store, unresolved_body

_NO_NODE = '"tombstone":true,"kind":""'
_NO_RELATION = '"tombstone":true,"type":"","from":"","to":"","quality":""'


@dataclass(slots=True)
class Body:
    """The frames of a round between header and commit, each as (id, body), in their order."""

    nodes: list[tuple[str, str]] = field(default_factory=list)
    relations: list[tuple[str, str]] = field(default_factory=list)
    unresolved: list[tuple[str, str]] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.nodes or self.relations or self.unresolved)

    def lines(self, number: int) -> list[str]:
        """The frames as a round of this number spells them."""
        out: list[str] = []
        for word, frames in (("node", self.nodes), ("relation", self.relations), ("unresolved", self.unresolved)):
            out += [f'{{"t":"{word}","id":{quote(name)},"revision":{number},{body}}}\n' for name, body in frames]
        return out


def compare(store: Store, folded: Folded) -> Body:
    """What differs between an assembly and the fold."""
    return Body(
        _entities("node", store.nodes, folded.nodes, _NO_NODE),
        _entities("relation", store.relations(), folded.relations, _NO_RELATION),
        _unresolved(store, folded),
    )


def _entities(word: str, made: Mapping[str, str], known: dict[str, str], tombstone: str) -> list[tuple[str, str]]:
    get = known.get
    changed = []
    for name, body in made.items():
        stored = get(name)
        if stored == body:
            continue
        if stored is not None:
            # What another program spelled otherwise may be the same all the same.
            stored = known[name] = canonical(word, stored)
            if stored == body:
                continue
        changed.append((name, body))
    if len(known) + len(changed) > len(made):
        changed += [(name, tombstone) for name in known.keys() - made.keys()]
    changed.sort()
    return changed


def _unresolved(store: Store, folded: Folded) -> list[tuple[str, str]]:
    changed = []
    for name, (kind, ref, reason) in store.unresolved.items():
        if folded.unresolved.get(name) != (kind, ref, reason, "open"):
            changed.append((name, unresolved_body(kind, ref, reason, "open")))
    for name, (kind, ref, reason, state) in folded.unresolved.items():
        if state == "open" and name not in store.unresolved:
            changed.append((name, unresolved_body(kind, ref, reason, "resolved")))
    changed.sort()
    return changed
