"""The tree as plain text: the rows of `asz-tui show`, and under each row its texts whole, indented.

Everything from data passes `visible`, so a file shows in any terminal what it holds and nothing acts there. Rows carry what the
screen shows: time, kind, label, duration, marks in words.

Cost: node by node; nothing is held but the node at hand.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import tzinfo

from asz_core.document.tree import Tree
from asz_core.vocabulary import CONTAINERS

from ..panes.detail.words import MARK_WORDS
from ..session.opened import Opened
from ..text.safe import ascii_only, visible
from ..text.words import clock, date, duration
from .about import about
from .snapshot import Meter
from .telling import End, Piece, Sentence, Telling, unresolved_sentence

_MAX_INDENT = 12
_QUIET_NS = 120 * 1_000_000_000
_LABEL = 160
_CLOCK = 8


def text_chunks(opened: Opened, what: str | None, tz: tzinfo, meter: Meter) -> Iterator[str]:
    """Write the tree.

    Args:
        opened: of a picture.
        what: the node whose subtree is written, None for everything.
        tz: the zone of the times.
        meter: counts the nodes.
    """
    writer = _Writer(opened, what, tz, meter)
    return (f"{line}\n" for line in writer.everything())


class _Writer:
    def __init__(self, opened: Opened, what: str | None, tz: tzinfo, meter: Meter) -> None:
        self.opened, self.what, self.tz, self.meter = opened, what, tz, meter
        self.telling = Telling(opened, tz)
        self.ascii = opened.grammar.ascii_only
        self._day = ""
        self._last = 0

    def everything(self) -> Iterator[str]:
        """All lines, without their breaks."""
        yield from self._about()
        if self.what is not None:
            found = self.opened.locate(self.what)
            assert found is not None
            self.meter.total = found[0].sizes[found[1]]
            yield from self._subtree(*found)
            return
        self.meter.total = sum(len(tree.nodes) for tree in self.opened.trees)
        for number, tree in enumerate(self.opened.trees):
            if number == self.opened.loose_from:
                self._day, self._last = "", 0
                yield ""
                yield "outside any talk: runs and steps that no talk contains"
            yield ""
            yield from self._subtree(tree, 0)
        entries = sorted(self.telling.conversation.fold.unresolved.values(), key=lambda entry: entry.id)
        if entries:
            yield ""
            yield "references without a resolution"
        for entry in entries:
            yield f"  {self._sentence(unresolved_sentence(entry))}"

    def _about(self) -> Iterator[str]:
        told = about(self.telling, self.what)
        yield self._ours(visible(told.title, screen=False)) or "untitled"
        for name, words in told.facts:
            yield f"  {name:<14}{self._sentence(words)}"
        for problem in told.problems:
            yield f"! {self._ours(visible(problem, screen=False))}"
        if self.what is None and not self.opened.trees:
            yield "no talk, run or step was folded"

    def _subtree(self, tree: Tree, top: int) -> Iterator[str]:
        for place in range(top, top + tree.sizes[top]):
            depth = tree.depths[place] - tree.depths[top]
            indent = "  " * min(depth, _MAX_INDENT)
            yield from self._pause(tree, place, indent)
            yield self._ours(self._row(tree, place, indent, depth))
            yield from self._below(tree, place, " " * (_CLOCK + 1) + indent + "    ")
            self.meter.count()

    def _pause(self, tree: Tree, place: int, indent: str) -> Iterator[str]:
        """A new day, or a long silence, before a row."""
        start = tree.starts[place]
        day = date(start // 1_000_000, self.tz) if start else ""
        if day and day != self._day:
            self._day = day
            yield day
        elif start and self._last and start - self._last > _QUIET_NS:
            yield self._ours(f"{' ' * (_CLOCK + 1)}{indent}· {duration((start - self._last) // 1_000_000)} quiet ·")
        self._last = max(self._last, tree.times[place] or start)

    def _row(self, tree: Tree, place: int, indent: str, depth: int) -> str:
        node, grammar = tree.nodes[place], self.opened.grammar
        said = grammar.describe(tree, place)
        ns = tree.starts[place] if node.kind in CONTAINERS else tree.times[place]
        label = said.label.removeprefix("run · ")
        label = label if len(label) <= _LABEL else label[: _LABEL - 1] + "…"
        words = [word for word in (visible(node.kind), said.name, label) if word]
        words = list(dict.fromkeys(words))  # a step without a text has its kind for a label
        right = [duration(said.took_ms)] if said.took_ms is not None else []
        right += [f"{said.tokens_out:,} tokens out"] if said.tokens_out else []
        right += [said.note] if said.note else []
        right += [MARK_WORDS.get(mark, mark) for mark in said.marks]
        right += [f"depth {depth}"] if depth > _MAX_INDENT else []
        row = f"{clock(ns // 1_000_000, self.tz)} {indent}{grammar.glyph(node)[0]} {' '.join(words)}"
        return row + (f"  ({', '.join(right)})" if right else "")

    def _below(self, tree: Tree, place: int, indent: str) -> Iterator[str]:
        subject = self.telling.subject(tree.nodes[place])
        label = self.opened.grammar.describe(tree, place).label
        for told in (*self.telling.told(subject), *self.telling.notes(subject)):
            if not isinstance(told, Piece):
                yield indent + self._sentence(told)
            elif told.text != label or len(label) > _LABEL:
                yield from self._piece(told, indent)
        for end in self.telling.ends(subject.node):
            yield indent + self._end(end)

    def _piece(self, piece: Piece, indent: str) -> Iterator[str]:
        yield indent + self._ours(", ".join([piece.title, *piece.notes])) + ":"
        for line in visible(piece.text, multiline=True, screen=False).split("\n"):
            yield f"{indent}  {line}" if line else ""

    def _sentence(self, words: Sentence) -> str:
        return self._ours("".join(visible(word, screen=False) for word in words))

    def _end(self, end: End) -> str:
        words = visible(end.words, screen=False) or "not in this conversation"
        if len(words) > _LABEL:
            words = words[: _LABEL - 1] + "…"
        quality = visible(end.quality, screen=False) or "no quality stated"
        via = f", joined on {visible(end.via, screen=False)}" if end.via else ""
        other = visible(end.other, screen=False)
        way = "→" if end.out else "←"
        return self._ours(f"{way} {visible(end.type, screen=False) or 'no type'} {words} [{other}] ({quality}{via})")

    def _ours(self, line: str) -> str:
        """A row of ours; in ASCII where the screen is. Texts of the data stay as they are."""
        return ascii_only(line) if self.ascii else line
