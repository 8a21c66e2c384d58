"""Rows of the Talks pane: talk > run > step > what a call produced, folded and unfolded.

The rows are kept per tree (one outermost talk, one loose root): how many rows it shows, and how many stand before it; which rows
these are, a sorted list of codes, is only decided when one of them is asked for. Finding a row or a key is a bisection. Folding one
node and a round that lands cost the trees they touch (and what `RowCounts` costs); folding or unfolding everything costs a look at
each tree, and the first time the pauses in it. Texts are only made for rows that are asked for.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import tzinfo
from itertools import accumulate
from typing import TYPE_CHECKING

from asz_core.document.tree import Tree
from asz_core.sessionflow import attrs_of
from asz_core.vocabulary import CONTAINERS

from ..config.times import CLOCK_WIDTHS, clock_text
from ..lines.line import Line, Span
from ..session.opened import Opened, order_of
from ..text.words import Days, duration
from .row_counts import RowCounts

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


@dataclass(slots=True, eq=False)
class Section:
    """The shown rows of one tree.

    Attributes:
        codes: what is shown, None until a row is asked for; of no use any more when `filled` is not the rows' own.
        whole: rows of the nodes and of the pauses between them while all is unfolded, by what is shown; 0 until that was asked.
        stamp: changes with the rows.
        date: the day on which the tree starts, empty without a time; `day` is what is said before the tree.
        last: the last thing that happened before the tree, anywhere; `gap_ns` is how long that was ago.
        before: rows that stand before the tree: heading, day and pause.
    """

    tree: Tree
    codes: list[int] | None = None
    filled: int = 0
    whole: list[int] = field(default_factory=lambda: [0] * 6)
    stamp: int = 0
    date: str = ""
    day: str = ""
    last: int = 0
    gap_ns: int = 0
    heading: bool = False
    before: int = 0


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
        self._taken = 0
        self._sections: list[Section] = []
        self._counts = RowCounts()
        self._odd: set[Section] = set()
        self._stamp = self._touched = self._filled = 0
        self._days = Days(tz)
        self._shows = _Shows(self.noise, self.thinking)
        self.reload()

    # --- the source

    @property
    def version(self) -> Hashable:
        """Changes whenever any row may have changed."""
        return self._stamp

    def __len__(self) -> int:
        return self._counts.total

    def _at(self, index: int) -> tuple[Section, int]:
        which, row = self._counts.find(index)
        section = self._sections[which]
        return section, self._codes_of(section)[row]

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
        which = self.opened.place_of(tree)
        if which is None or which >= len(self._sections) or self._sections[which].tree is not tree:
            return None
        codes = self._codes_of(self._sections[which])
        code = 4 * place + sort
        at = bisect_left(codes, code)
        if at == len(codes) or codes[at] != code:
            return None
        return self._counts.start(which) + at

    def row_version(self, index: int) -> Hashable:
        """Changes with what the row shows; folding and unfolding gives rows back that were shown before."""
        section, code = self._at(index)
        match = self.match.pattern if self.match else None
        place, sort = _split(code)
        if sort != _NODE:
            return self._touched, self.clock, section.stamp, code, section.day, section.gap_ns, match
        is_open = bool(self.filtered) or self.is_open(section.tree.nodes[place].id)
        # The clock is dim where the row above says the same.
        return self._touched, self.clock, section.stamp, code, is_open, self._ns_above(index), match

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
        ids = [node.id for node in tree.nodes[place:end]]
        if is_open != self._all_open:
            self._exceptions.update(ids)
        else:
            self._exceptions.difference_update(ids)
        self._refill(tree)

    def set_all(self, is_open: bool) -> None:
        """Fold or unfold everything."""
        self._all_open = is_open
        self._exceptions.clear()
        self._odd.clear()
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
        """Take over the trees again after a round landed; costs the trees that are new and comparing the lists of the others.

        Args:
            roots: the trees that are new or were built again; None for all.
        """
        self._stamp += 1
        opened = self.opened
        if roots is None:
            self._odd.clear()
            self._sections = [self._section(tree) for tree in opened.trees]
            self._counts = RowCounts([0] * len(opened.trees))
            edited: Iterable[int] = range(len(opened.trees))
        else:
            edited = self._edit()
        self._taken = opened.taken
        self._place(edited)

    def _edit(self) -> list[int]:
        """Take out the sections of trees that are gone and put in new ones.

        Returns:
            Where a section may have another one before it now, in order.
        """
        opened, sections = self.opened, self._sections
        edit = opened.edit_since(self._taken)
        if edit is None:
            old, new = {section.tree for section in sections}, set(opened.trees)
            edit = old - new, new - old
        gone, came = edit
        for tree in gone:
            at = bisect_left(sections, order_of(tree), key=lambda section: order_of(section.tree))
            self._odd.discard(sections.pop(at))
            self._counts.delete(at)
        for at in sorted(map(opened.stands_at, came)):
            sections.insert(at, self._section(opened.trees[at]))
            self._counts.insert(at, 0)
        loose_from = opened.loose_from
        return sorted({loose_from, loose_from + 1, *map(opened.stands_at, [*gone, *came])})

    def _section(self, tree: Tree) -> Section:
        start = tree.starts[0]
        section = Section(tree, date=self._days.of(start // 1_000_000) if start else "")
        self._look_for_odd(section)
        return section

    def _look_for_odd(self, section: Section) -> None:
        """Take note whether a node of a tree is not folded as all others are."""
        exceptions = self._exceptions
        if exceptions and any(node.id in exceptions for node in section.tree.nodes):
            self._odd.add(section)
        else:
            self._odd.discard(section)

    def refill(self) -> None:
        """Decide anew which rows of every tree are shown."""
        self._stamp += 1
        self._filled += 1
        self._shows = _Shows(self.noise, self.thinking)
        sections, count = self._sections, self._count
        if self.filtered or not self._shows.all:
            counts = [count(section) for section in sections]
        else:
            # The same as `count` tells, quicker: this is all that folding and unfolding everything costs.
            if self._all_open:
                counts = [section.before + (section.whole[0] or self._whole(section)) for section in sections]
            else:
                counts = [section.before + 1 for section in sections]
            for section in self._odd:
                place = self.opened.place_of(section.tree)
                assert place is not None
                counts[place] = count(section)
        self._counts = RowCounts(counts)

    def touch(self) -> None:
        """Have every row on the screen made again, with the same rows shown."""
        self._stamp += 1
        self._touched += 1

    def _refill(self, tree: Tree) -> None:
        self._stamp += 1
        for one in (tree, *self.opened.twins(tree)):
            which = self.opened.place_of(one)
            assert which is not None
            self._look_for_odd(self._sections[which])
            self._renew(which, self._sections[which])

    def _renew(self, which: int, section: Section) -> None:
        section.codes = None
        section.stamp = self._stamp
        self._counts.set(which, self._count(section))

    # --- what stands before a tree

    def _place(self, edited: Iterable[int]) -> None:
        """Say the day and the quiet time before trees anew, from edited places on as far as anything changes by that."""
        sections, loose_from = self._sections, self.opened.loose_from
        at = 0
        for start in edited:
            at = max(at, start)
            while at < len(sections):
                section = sections[at]
                before = sections[at - 1] if at else None
                # Loose trees stand in the order in which they landed, not in time, so no day and no pause leads over to them.
                last = max(before.last, before.tree.ends[0]) if before and at < loose_from else 0
                said = self._said(section, before, last) if at < loose_from else ("", 0, at == loose_from)
                if section.stamp and said == (section.day, section.gap_ns, section.heading):
                    if section.last == last:
                        break
                    section.last = last
                else:
                    section.last = last
                    section.day, section.gap_ns, section.heading = said
                    section.before = section.heading + bool(section.day) + (section.gap_ns > QUIET_NS)
                    self._renew(at, section)
                at += 1

    def _said(self, section: Section, before: Section | None, last: int) -> tuple[str, int, bool]:
        """The day to say before a talk, and the quiet time before it: since the last thing that happened anywhere."""
        start = section.tree.starts[0]
        if before is None or not start or not before.tree.starts[0]:
            return section.date, 0, False
        return (section.date if section.date != before.date else ""), max(0, start - last), False

    # --- which rows of a tree are shown

    def _count(self, section: Section) -> int:
        """How many rows of a tree are shown; where all is folded or unfolded alike, without deciding which."""
        root = section.tree.nodes[0]
        if self.filtered or section in self._odd or not (self._all_open or self._shows[root.kind]):
            return len(self._codes_of(section))
        return section.before + ((section.whole[self._shows.number] or self._whole(section)) if self._all_open else 1)

    def _whole(self, section: Section) -> int:
        """Rows of the nodes of a tree and of the pauses between them while all is unfolded; remembered."""
        tree = section.tree
        places = None if self._shows.all else self._shown_places(tree)
        count = len(tree.nodes if places is None else places) + len(_pauses(tree, places))
        section.whole[self._shows.number] = count
        return count

    def _codes_of(self, section: Section) -> list[int]:
        """What is shown of a tree."""
        codes = section.codes
        if codes is None or section.filled != self._filled:
            codes = section.codes = list(self._narrowed_codes(section.tree) if self.filtered else self._all_codes(section))
            section.filled = self._filled
        return codes

    def _shown_places(self, tree: Tree) -> list[int]:
        shows = self._shows
        return [place for place, node in enumerate(tree.nodes) if shows[node.kind]]

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
        if self._all_open and section not in self._odd:
            places = range(len(tree.nodes)) if self._shows.all else self._shown_places(tree)
            pauses = (4 * place + _GAP for place in _pauses(tree, places))
            yield from sorted([*(4 * place for place in places), *pauses])
        else:
            yield from self._walk(tree)

    def _walk(self, tree: Tree) -> Iterator[int]:
        """The codes of a tree in which some nodes are folded and others are not."""
        nodes, sizes, starts = tree.nodes, tree.sizes, tree.starts
        all_open, exceptions, shows = self._all_open, self._exceptions, self._shows
        place, count = 0, len(nodes)
        last_seen = 0
        while place < count:
            node = nodes[place]
            hidden = not shows[node.kind]
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
        folded = tree.sizes[place] > 1 and not self.is_open(node.id) and not self.filtered
        time = self._time(section, place, index)
        spans: list[Span] = [time, (self._indent(tree, place, folded), "dim"), (glyph, role), (" ", "")]
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

    def _time(self, section: Section, place: int, index: int) -> Span:
        ns, above = _ns(section, place), self._ns_above(index)
        text = self._clock(ns)
        return f" {text} ", "time" if ns and (above is None or text != self._clock(above)) else "dim"

    def _clock(self, ns: int) -> str:
        return clock_text(ns // 1_000_000 if ns else None, self.tz, self.clock)

    def _ns_above(self, index: int) -> int | None:
        """The time of the row above; None when there is none or it is no node's."""
        if not index:
            return None
        section, code = self._at(index - 1)
        place, sort = _split(code)
        return _ns(section, place) if sort == _NODE else None

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


class _Shows(dict[str, bool]):
    """Whether a kind is shown, remembered by kind; `all` when every kind is, `number` tells apart what is shown."""

    def __init__(self, noise: int, thinking: bool) -> None:
        super().__init__()
        self.noise, self.thinking = noise, thinking
        self.all = thinking and noise == 0
        self.number = noise + (0 if thinking else 3)

    def __missing__(self, kind: str) -> bool:
        hidden = (kind == "thinking" and not self.thinking) or (self.noise == 1 and kind in _QUIETER)
        shown = self[kind] = not hidden and not (self.noise == 2 and kind not in _SPOKEN)
        return shown


def _pauses(tree: Tree, places: Sequence[int] | None = None) -> list[int]:
    """The places before which it was quiet for long, where just the nodes at some places (all, when left out) are shown.

    Costs nothing for a tree that lasted no longer than a pause, else some 100 ns a node.
    """
    starts, times = tree.starts, tree.times
    if tree.ends[0] - starts[0] <= QUIET_NS:
        return []
    places = range(len(starts)) if places is None else places
    begun = [starts[place] for place in places]
    # What a node is the last sign of: its own time, or the first of what it contains; of the root only the latter.
    signs = [starts[0] if place == 0 else times[place] or starts[place] for place in places]
    seen = accumulate(signs, max)
    return [place for place, start, last in zip(places[1:], begun[1:], seen, strict=False) if last and start - last > QUIET_NS]


def _ns(section: Section, place: int) -> int:
    """The time that a row says: when what contains others started, else when it was."""
    tree = section.tree
    return tree.starts[place] if tree.nodes[place].kind in CONTAINERS else tree.times[place]


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
