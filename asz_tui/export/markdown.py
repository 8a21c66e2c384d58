"""A transcript in Markdown: a section a talk, with the person's words and the answer, and its steps as a nested list under them.

Everything from data passes `escape`: texts stand in fences and quotes that they cannot leave, names in code spans, and no heading
holds a word of data that is not made literal. Every node has an anchor, and relations link to the anchors of their other ends.

Cost: node by node; nothing is held but the node at hand.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import tzinfo

from asz_core.document.content import ANSWERS, INPUTS
from asz_core.document.tree import Tree
from asz_core.sessionflow import Node
from asz_core.vocabulary import CONTAINERS

from ..grammar import Said
from ..panes.detail.subject import CALLS, Subject
from ..panes.detail.words import KIND_LABELS, MARK_WORDS
from ..session.opened import Opened
from ..text.safe import ascii_only
from ..text.words import clock, counted, date, duration
from .about import about
from .escape import cell, code, fenced, inline, legible, quoted
from .snapshot import Meter
from .telling import End, Name, Piece, Sentence, Telling, unresolved_sentence

_MAX_LEVEL = 5
"""Levels of the nested list; what is deeper says how deep it is. Readers of Markdown stop at some depth, most at twenty blocks."""
_LABEL = 120
_TOLD_MARKS = ("failed", "unfinished", "partial")


def markdown_chunks(opened: Opened, what: str | None, tz: tzinfo, meter: Meter) -> Iterator[str]:
    """Write the transcript.

    Args:
        opened: of a picture.
        what: the node whose subtree is written, None for everything.
        tz: the zone of the times.
        meter: counts the nodes.
    """
    return _Writer(opened, what, tz, meter).everything()


class _Writer:
    def __init__(self, opened: Opened, what: str | None, tz: tzinfo, meter: Meter) -> None:
        self.opened, self.what, self.tz, self.meter = opened, what, tz, meter
        self.telling = Telling(opened, tz)
        self.numbers = {tree.nodes[0].id: number for number, tree in enumerate(opened.trees, 1)}
        self.dot, self.arrow = (" - ", ("->", "<-")) if opened.grammar.ascii_only else (" · ", ("→", "←"))
        self._said_above: frozenset[str] = frozenset()

    def everything(self) -> Iterator[str]:
        """The whole file."""
        yield from self._about()
        if self.what is not None:
            found = self.opened.locate(self.what)
            assert found is not None
            self.meter.total = found[0].sizes[found[1]]
            yield from self._section(*found)
            return
        self.meter.total = sum(len(tree.nodes) for tree in self.opened.trees)
        for number, tree in enumerate(self.opened.trees):
            if number == self.opened.loose_from:
                yield "## Outside any talk\n\nRuns and steps that no talk contains.\n\n"
            yield from self._section(tree, 0)
        yield from self._unresolved()

    # --- around the talks

    def _about(self) -> Iterator[str]:
        told = about(self.telling, self.what)
        yield f"# {inline(told.title, 200) or 'untitled'}\n\n| | |\n|---|---|\n"
        for name, words in told.facts:
            yield f"| {name} | {cell(self._sentence(words))} |\n"
        yield "\n"
        for problem in told.problems:
            yield f"- {inline(problem)}\n"
        if told.problems:
            yield "\n"
        if self.what is None and not self.opened.trees:
            yield "No talk, run or step was folded.\n"

    def _unresolved(self) -> Iterator[str]:
        entries = sorted(self.telling.conversation.fold.unresolved.values(), key=lambda entry: entry.id)
        if not entries:
            return
        yield "## References without a resolution\n\n"
        for entry in entries:
            yield f"- {self._sentence(unresolved_sentence(entry))}\n"
        yield "\n"

    # --- a talk

    def _section(self, tree: Tree, place: int) -> Iterator[str]:
        node = tree.nodes[place]
        self._said_above = frozenset()
        if node.kind != "talk":
            yield from self._list(tree, place, place)
            return
        yield from self._talk_head(tree, place)
        if tree.sizes[place] > 1:
            yield "### Steps\n\n"
            yield from self._list(tree, place + 1, place)
        self.meter.count()

    def _talk_head(self, tree: Tree, place: int) -> Iterator[str]:
        node, start = tree.nodes[place], tree.starts[place] // 1_000_000
        number = f"Talk {self.numbers[tree.nodes[0].id]}" if place == 0 else "Talk"
        role, label = self.opened.grammar.stream_role(node.stream)
        stream = inline(label or node.stream, 60)
        words = self.dot.join([number, clock(start, self.tz), *([f"{inline(role)} {stream}".strip()] if role != "main" else [])])
        yield f"## {self._anchor(tree, place)}{words}\n\n"
        said = self.opened.grammar.describe(tree, place)
        facts = [date(start, self.tz) if start else "no time", said.note or counted(0, "step")]
        facts += [duration(said.took_ms)] if said.took_ms is not None else []
        yield self.dot.join([*facts, f"stream {stream or 'unavailable'}", code(node.id)]) + "\n\n"
        yield from self._openers(node, role)
        first = tree.first_within("inputs", INPUTS, place)
        last = tree.last_within("answers", ANSWERS, place)
        yield from self._spoken(first, "Input", "no opening line" if role != "child" else "no opening line: delegated work")
        yield from self._spoken(last, "Answer", "no reply has landed")
        self._said_above = frozenset(node.id for node in (first, last) if node is not None)
        beside = [f"- {line}\n" for line in self._beside(self.telling.subject(node))]
        yield from [*beside, "\n"] if beside else ()

    def _openers(self, node: Node, role: str) -> Iterator[str]:
        """Which step started the stream of a talk; several are listed, none chosen."""
        ends = self.telling.opened_by(node.stream) if role != "main" else []
        if len(ends) > 1:
            yield f"{len(ends)} steps could have opened this stream: all are listed, none is chosen.\n\n"
        for end in ends:
            yield f"- started by {self._end(end)}\n"
        if ends:
            yield "\n"

    def _spoken(self, node: Node | None, title: str, nothing: str) -> Iterator[str]:
        """The whole text of a message as a quote."""
        told = self.telling.told(self.telling.subject(node)) if node is not None else ()
        piece = next((piece for piece in told if isinstance(piece, Piece)), None)
        if piece is None:
            yield f"**{title}**: {nothing}\n\n"
            return
        yield f"**{title}**{self.dot}{self.dot.join(piece.notes)}\n\n"
        yield from quoted(legible(piece.text), "")
        yield "\n"

    # --- its steps

    def _list(self, tree: Tree, first: int, top: int) -> Iterator[str]:
        """The nodes from a place on to the end of the subtree of `top`, as a list."""
        base = tree.depths[first]
        for place in range(first, top + tree.sizes[top]):
            depth = tree.depths[place] - base
            yield from self._item(tree, place, depth)
            self.meter.count()
        yield "\n"

    def _item(self, tree: Tree, place: int, depth: int) -> Iterator[str]:
        level = min(depth, _MAX_LEVEL)
        indent, prefix = "  " * level, "  " * (level + 1)
        subject = self.telling.subject(tree.nodes[place])
        deep = f"{self.dot}depth {depth}" if depth > level else ""
        yield f"{indent}- {self._anchor(tree, place)}{self._item_words(tree, place, subject)}{deep}\n"
        above = subject.node.id in self._said_above
        for told in (*self.telling.told(subject), *self.telling.notes(subject)):
            if isinstance(told, Piece) and above and told.title == "text":
                yield f"\n{prefix}text{self.dot}{self.dot.join(told.notes)}{self.dot}it stands above\n"
            elif isinstance(told, Piece):
                yield from self._piece(told, prefix)
            else:
                yield f"\n{prefix}{self._sentence(told)}\n"
        for end in self.telling.ends(subject.node):
            yield f"\n{prefix}{self._end_words(end)}\n"
        yield "\n"

    def _item_words(self, tree: Tree, place: int, subject: Subject) -> str:
        node = subject.node
        said = self.opened.grammar.describe(tree, place)
        time = tree.starts[place] if node.kind in CONTAINERS else tree.times[place]
        words = [f"**{inline(node.kind, 60) or 'no kind'}**{self._label(node, said)}", clock(time // 1_000_000, self.tz)]
        if said.took_ms is not None:
            words.append(duration(said.took_ms))
        marks = [MARK_WORDS[mark] for mark in said.marks if mark in _TOLD_MARKS]
        words += [f"**{mark}**" if mark == "failed" else mark for mark in marks]
        return self.dot.join([*words, code(node.id, 200)])

    def _label(self, node: Node, said: Said) -> str:
        if node.kind in CALLS:
            name = code(said.name, _LABEL)
            return f" {name}" + (f" {code(said.label, _LABEL)}" if said.label else "")
        if node.kind in ("run", "context.injection"):
            return f" {inline(said.label.removeprefix('run · '), _LABEL)}" if said.label != "run" else ""
        label = KIND_LABELS.get(node.kind, "")
        return f" {label}" if label else ""

    def _piece(self, piece: Piece, prefix: str) -> Iterator[str]:
        notes = [f"**{note}**" if note == "failed" else note for note in piece.notes]
        yield f"\n{prefix}{self.dot.join([piece.title, *notes])}\n\n"
        text = legible(piece.text)
        yield from quoted(text, prefix) if piece.prose else fenced(text, prefix, piece.info)

    # --- words

    def _beside(self, subject: Subject) -> Iterator[str]:
        """What is open and what relations touch a talk."""
        for told in self.telling.notes(subject):
            if not isinstance(told, Piece):
                yield self._sentence(told)
        for end in self.telling.ends(subject.node):
            yield self._end_words(end)

    def _sentence(self, words: Sentence) -> str:
        return "".join(
            code(word, 400) if isinstance(word, Name) else self._plain(word, begins=not at) for at, word in enumerate(words)
        )

    def _plain(self, words: str, *, begins: bool) -> str:
        # Words of ours may quote a path or the reason of an error, so they are made literal too.
        words = ascii_only(words) if self.opened.grammar.ascii_only else words
        before, after = " " * words.startswith(" "), " " * words.endswith(" ")
        return before + inline(words, begins=begins) + after if words.strip() else words

    def _end_words(self, end: End) -> str:
        return f"{self.arrow[0] if end.out else self.arrow[1]} {inline(end.type) or 'no type'} {self._end(end)}"

    def _end(self, end: End) -> str:
        """The other end of a relation, as a link where it is in this file, and how well it is known."""
        words = inline(end.words, _LABEL) or "not in this conversation"
        at = self._anchor_name(end.target)
        link = f"[{words}](#{at})" if at else words
        via = f", joined on {code(end.via, _LABEL)}" if end.via else ""
        return f"{link} {code(end.other, 200)} ({inline(end.quality) or 'no quality stated'}{via})"

    def _anchor(self, tree: Tree, place: int) -> str:
        return f'<a id="{self._name_of(tree, place)}"></a>'

    def _name_of(self, tree: Tree, place: int) -> str:
        number = self.numbers[tree.nodes[0].id]
        return f"t{number}-{place}" if place else f"t{number}"

    def _anchor_name(self, node_id: str | None) -> str:
        """The anchor of a node, empty when it is not in this file."""
        found = self.opened.locate(node_id) if node_id is not None else None
        if found is None:
            return ""
        tree, place = found
        if self.what is not None:
            top = self.opened.locate(self.what)
            assert top is not None
            if top[0] is not tree or not top[1] <= place < top[1] + tree.sizes[top[1]]:
                return ""
        return self._name_of(tree, place)
