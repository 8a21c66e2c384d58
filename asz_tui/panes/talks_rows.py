"""Rows of the Talks pane: talk > run > step > what a call produced, folded and unfolded.

The rows are kept per tree (one outermost talk, one loose root): a sorted list of codes of what is shown, and how many rows stand
before each tree. Finding a row or a key is a bisection; folding, unfolding and a round that lands cost the trees they touch and one
running sum over the trees. Texts are only made for rows that are asked for.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from datetime import tzinfo
from itertools import accumulate
from typing import TYPE_CHECKING

from asz_core.document.tree import Tree
from asz_core.sessionflow import attrs_of
from asz_core.vocabulary import CONTAINERS

from ..config.times import CLOCK_WIDTHS, clock_text
from ..lines.line import Line, Span
from ..session.opened import Opened
from ..text.words import date, duration

if TYPE_CHECKING:
    from ..session.filters import Filtered

QUIET_NS = 120 * 1_000_000_000
"""A pause longer than this is said in a line of its own."""
MAX_INDENT = 12

# What a row is: four codes a place, in the order in which they stand.
_HEADING, _DAY, _GAP, _NODE = -3, -2, -1, 0

NOISE = ("everything", "no injections", "prompts and replies")
_QUIETER = frozenset(
    {"context.injection", "control.permission", "control.command", "control.notice", "turn.duration", "agent.launch_ack"}
)
_SPOKEN = frozenset({"talk", "message.external", "message.assistant", "agent.output", "message.synthetic", "error.api"})


@dataclass(slots=True)
class Section:
    """The shown rows of one tree; `stamp` changes with them."""

    tree: Tree
    codes: list[int] = field(default_factory=list)
    stamp: int = 0
    day: str = ""
    gap_ns: int = 0
    heading: str = ""


class TalksRows:
    """A row source over the trees of an opened conversation.

    Attributes:
        marked: ids of nodes with the «changed» mark.
        new_since: nodes of later rounds than this have the mark too: the head at the last visit, or None.
        match: what search marks in labels, or None.
        filtered: what the tree is narrowed to, with what contains it, or None for everything.
        noise: index into `NOISE`.
        clock: how times are written, one of `config.times.CLOCKS`.
    """

    def __init__(self, opened: Opened, tz: tzinfo) -> None:
        """
        Args:
            opened: what is shown.
            tz: the zone of the clock times.
        """
        self.opened = opened
        self.tz = tz
        self.noise = 0
        self.thinking = True
        self.clock = "HH:MM:SS"
        self.marked: set[str] = set()
        self.new_since: int | None = None
        self.match: re.Pattern[str] | None = None
        self.filtered: Filtered | None = None
        self._all_open = False
        self._exceptions: set[str] = set()
        self._sections: list[Section] = []
        self._by_root: dict[str, int] = {}
        self._ends: list[int] = []
        self._stamp = 0
        self.reload()

    # --- the source

    @property
    def version(self) -> Hashable:
        """Changes whenever any row may have changed."""
        return self._stamp

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def _at(self, index: int) -> tuple[Section, int]:
        which = bisect_right(self._ends, index)
        section = self._sections[which]
        return section, section.codes[index - self._ends[which]]

    def key(self, index: int) -> Hashable:
        """The node's id; for a heading, a day or a gap, what it stands before and the code of its sort."""
        section, code = self._at(index)
        place, sort = _split(code)
        node_id = section.tree.nodes[place].id
        return node_id if sort == _NODE else (sort, node_id)

    def index_of(self, key: Hashable) -> int | None:
        """The row of a node, when it is shown."""
        sort, node_id = key if isinstance(key, tuple) else (_NODE, key)
        found = self.opened.locate(node_id) if isinstance(node_id, str) else None
        if found is None:
            return None
        tree, place = found
        which = self._by_root.get(tree.nodes[0].id)
        if which is None:
            return None
        codes = self._sections[which].codes
        code = 4 * place + sort
        at = bisect_left(codes, code)
        if at == len(codes) or codes[at] != code:
            return None
        return self._ends[which] - len(codes) + at

    def row_version(self, index: int) -> Hashable:
        """Changes with what the row shows."""
        section, code = self._at(index)
        return section.stamp, code, self.match.pattern if self.match else None

    def node_at(self, index: int) -> tuple[Tree, int] | None:
        """The tree and place of a row's node (for a gap or a day, of the node after it); None past the end."""
        if not 0 <= index < len(self):
            return None
        section, code = self._at(index)
        return section.tree, _split(code)[0]

    # --- folding

    def is_open(self, node_id: str) -> bool:
        """Whether a node's children are shown."""
        return (node_id in self._exceptions) != self._all_open

    def set_open(self, tree: Tree, place: int, is_open: bool, *, below: bool = False) -> None:
        """Fold or unfold a node, and everything below it when asked."""
        end = place + (tree.sizes[place] if below else 1)
        for node in tree.nodes[place:end]:
            if is_open != self._all_open:
                self._exceptions.add(node.id)
            else:
                self._exceptions.discard(node.id)
        self._refill(tree)

    def set_all(self, is_open: bool) -> None:
        """Fold or unfold everything."""
        self._all_open = is_open
        self._exceptions.clear()
        self.refill()

    def reveal(self, node_id: str) -> int | None:
        """Unfold what is above a node, and return its row; None when it is not in any tree or its kind is hidden."""
        path = self.opened.path(node_id)
        if not path:
            return None
        closed = [node for node in path[:-1] if not self.is_open(node.id)]
        if closed:
            for node in closed:
                self._exceptions.symmetric_difference_update({node.id})
            found = self.opened.locate(node_id)
            assert found is not None
            self._refill(found[0])
        return self.index_of(node_id)

    # --- filling

    def reload(self, roots: set[str] | None = None) -> None:
        """Take over the trees again after a round landed.

        Args:
            roots: the trees that are new or were built again; None for all.
        """
        old = {section.tree.nodes[0].id: section for section in self._sections}
        sections: list[Section] = []
        before: Tree | None = None
        last = 0
        self._stamp += 1
        loose_from = self.opened.loose_from
        for index, tree in enumerate(self.opened.trees):
            root = tree.nodes[0].id
            section = old.get(root)
            heading = "loose" if index == loose_from else ""
            # Loose trees stand in the order in which they landed, not in time, so no day and no pause leads over to them.
            day, gap = self._before(tree, before, last) if index < loose_from else ("", 0)
            fresh = section is None or section.tree is not tree or roots is None or root in roots
            if section is None or fresh or (section.day, section.gap_ns, section.heading) != (day, gap, heading):
                section = Section(tree, stamp=self._stamp, day=day, gap_ns=gap, heading=heading)
                section.codes = list(self._codes(section))
            sections.append(section)
            before = tree
            last = max(last, tree.ends[0])
        self._sections = sections
        self._by_root = {section.tree.nodes[0].id: at for at, section in enumerate(sections)}
        self._sum()

    def refill(self) -> None:
        """Decide anew which rows of every tree are shown."""
        self._stamp += 1
        for section in self._sections:
            section.codes = list(self._codes(section))
            section.stamp = self._stamp
        self._sum()

    def touch(self) -> None:
        """Have every row on the screen made again, with the same rows shown."""
        self._stamp += 1
        for section in self._sections:
            section.stamp = self._stamp

    def _refill(self, tree: Tree) -> None:
        section = self._sections[self._by_root[tree.nodes[0].id]]
        self._stamp += 1
        section.codes = list(self._codes(section))
        section.stamp = self._stamp
        self._sum()

    def _sum(self) -> None:
        self._ends = list(accumulate(len(section.codes) for section in self._sections))

    def _before(self, tree: Tree, before: Tree | None, last: int) -> tuple[str, int]:
        """The day to say before a tree and the quiet time before it: since the last thing that happened anywhere."""
        start = tree.starts[0]
        if not start:
            return "", 0
        day = date(start // 1_000_000, self.tz)
        if before is None or not before.starts[0]:
            return day, 0
        return (day if day != date(before.starts[0] // 1_000_000, self.tz) else ""), max(0, start - last)

    def _hidden(self, kind: str) -> bool:
        if kind == "thinking" and not self.thinking:
            return True
        if self.noise == 1:
            return kind in _QUIETER
        return self.noise == 2 and kind not in _SPOKEN

    def _codes(self, section: Section) -> Iterator[int]:
        return self._narrowed_codes(section.tree) if self.filtered else self._all_codes(section)

    def _narrowed_codes(self, tree: Tree) -> Iterator[int]:
        """The nodes that fit the filter with all that contains them, unfolded."""
        assert self.filtered is not None
        shown: set[int] = set()
        above: list[int] = []
        at = 0
        for place in self.filtered.places(tree):
            for passed in range(at, place + 1):
                del above[tree.depths[passed] :]
                above.append(passed)
            at = place + 1
            shown.update(above)
        return (4 * place for place in sorted(shown))

    def _all_codes(self, section: Section) -> Iterator[int]:
        tree = section.tree
        if section.heading:
            yield _HEADING
        if section.day:
            yield _DAY
        if section.gap_ns > QUIET_NS:
            yield _GAP
        nodes, sizes, starts = tree.nodes, tree.sizes, tree.starts
        all_open, exceptions = self._all_open, self._exceptions
        plain = self.noise == 0 and self.thinking
        place, count = 0, len(nodes)
        last_seen = 0
        while place < count:
            node = nodes[place]
            hidden = not plain and self._hidden(node.kind)
            if not hidden:
                time = starts[place]
                if place and time:
                    if last_seen and time - last_seen > QUIET_NS:
                        yield 4 * place + _GAP
                    last_seen = max(last_seen, tree.times[place], time)
                elif time:
                    last_seen = time
                yield 4 * place
            if hidden or sizes[place] == 1 or ((node.id in exceptions) != all_open):
                place += 1
            else:
                last_seen = max(last_seen, tree.ends[place])
                place += sizes[place]

    # --- making rows

    def line(self, index: int, width: int) -> Line:
        """The row as spans."""
        section, code = self._at(index)
        place, sort = _split(code)
        if sort == _NODE:
            return self._node_line(section, place, index)
        tree = section.tree
        if sort == _HEADING:
            return Line([(" outside any talk", "title"), ("  runs and steps that no talk contains", "dim")])
        dot = "-" if self.opened.grammar.ascii_only else "·"
        if sort == _DAY:
            return Line([(f" {section.day}", "title")])
        gap = section.gap_ns if place == 0 else self._gap_before(section, place)
        indent = CLOCK_WIDTHS[self.clock] + 2 + 2 * min(tree.depths[place], MAX_INDENT)
        return Line([(" " * indent + f"{dot} {duration(gap // 1_000_000)} quiet {dot}", "dim")])

    def _gap_before(self, section: Section, place: int) -> int:
        tree = section.tree
        last = max((end for at in range(place) if (end := tree.times[at])), default=0)
        return max(0, tree.starts[place] - last)

    def _node_line(self, section: Section, place: int, index: int) -> Line:
        tree = section.tree
        node = tree.nodes[place]
        grammar = self.opened.grammar
        said = grammar.describe(tree, place)
        glyph, role = grammar.glyph(node)
        at = tree.starts[place] if node.kind in CONTAINERS else tree.times[place]
        folded = tree.sizes[place] > 1 and not self.is_open(node.id) and not self.filtered
        spans: list[Span] = [self._time(at, index), (self._indent(tree, place, folded), "dim"), (glyph, role), (" ", "")]
        if said.name:
            spans += [*self._mark_match(said.name, role if node.kind not in CONTAINERS else "agent"), (" ", "")]
        spans += self._mark_match(said.label, said.role)
        if folded and said.reply:
            spans += [(" -> " if grammar.ascii_only else " → ", "dim"), *self._mark_match(said.reply, "answer")]
        right = grammar.right_side(said)
        if folded and said.note:
            right = [(said.note, "dim"), *([(" ", ""), *right] if right else [])]
        new = node.id in self.marked or (self.new_since is not None and node.revision > self.new_since)
        return Line(spans, right, mark=("|" if grammar.ascii_only else "▎") if new else "")

    def _time(self, ns: int, index: int) -> Span:
        text = clock_text(ns // 1_000_000 if ns else None, self.tz, self.clock)
        same = index > 0 and text == self._clock_above(index)
        return f" {text} ", "dim" if same or not ns else "time"

    def _clock_above(self, index: int) -> str:
        section, code = self._at(index - 1)
        place, sort = _split(code)
        if sort != _NODE:
            return ""
        tree = section.tree
        ns = tree.starts[place] if tree.nodes[place].kind in CONTAINERS else tree.times[place]
        return clock_text(ns // 1_000_000 if ns else None, self.tz, self.clock)

    def _indent(self, tree: Tree, place: int, folded: bool) -> str:
        depth = tree.depths[place]
        ascii_only = self.opened.grammar.ascii_only
        if tree.sizes[place] == 1:
            fold = " "
        elif ascii_only:
            fold = "+" if folded else "-"
        else:
            fold = "▸" if folded else "▾"
        if depth <= MAX_INDENT:
            return "  " * depth + fold + " "
        return "  " * (MAX_INDENT - 1) + (".." if ascii_only else "‥ ") + fold + " "

    def _mark_match(self, text: str, role: str) -> list[Span]:
        if self.match is None or not text:
            return [(text, role)]
        spans: list[Span] = []
        at = 0
        for found in self.match.finditer(text):
            if found.end() > found.start():
                spans += [(text[at : found.start()], role), (found[0], f"{role} match")]
                at = found.end()
        spans.append((text[at:], role))
        return [span for span in spans if span[0]]


def _split(code: int) -> tuple[int, int]:
    """Place and sort of a code."""
    place = (code + 3) // 4
    return place, code - 4 * place


def is_persons(tree: Tree, opened: Opened) -> bool:
    """Whether a talk was opened by a person: it is on a stream that no other agent started, and its trigger is external."""
    root = tree.nodes[0]
    if root.kind != "talk" or opened.grammar.stream_role(root.stream)[0] in ("child", "judge", "auxiliary"):
        return False
    trigger = attrs_of(root).get("trigger")
    return trigger in ("external", None) or not isinstance(trigger, str)
