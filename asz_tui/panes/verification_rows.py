"""Rows of the Verification pane: the state in words, every problem, the chain round by round, every file, the references left open.

The rows follow from the conversation's report, its chain and its landed files; nothing is read. `reload` costs a few hundred
nanoseconds a round and a file, a row on the screen its file's times once. Enter on a round or a file looks for the first step read
from it, on a reference for the step that it names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import tzinfo
from typing import Any

from asz_core.document.texts import part_at
from asz_core.sessiondata.reader import Landed
from asz_core.sessionflow import Link, Node, Unresolved
from asz_core.sessionflow.round import PREFIX
from asz_core.storage import landed_seq
from asz_core.times import optional_ms
from asz_core.verify import MISMATCH, VERIFYING
from asz_core.vocabulary import DOCUMENT_STATES, is_step

from ..glyphs import state_glyph
from ..grammar import one_line
from ..lines.line import Line, Span
from ..session.opened import Opened
from ..text.cells import wrap
from ..text.safe import visible
from ..text.words import count, counted, date, size
from .tables import Cell, Column, Entry, EntryRows, first_talk, stretch

_OF_ROUND = re.compile(r"round (\d+)[ :]")
_BEFORE = re.compile(r"round (\d+) is missing before round (\d+)")
_LANDED = re.compile(r"landed file seq (\d+)(?: to seq (\d+))? (?:is|are) missing")

_CALLS = ("tool", "agent.call")


class VerificationRows(EntryRows):
    """What verification found, as rows; `sort_by` sorts the files."""

    sorts = ("seq", "kind", "stream", "lines", "bytes", "times")

    def __init__(self, opened: Opened, tz: tzinfo) -> None:
        """See `EntryRows`."""
        super().__init__(opened, tz)
        self._chain_table = self.table(
            Column("round", 6),
            Column("digest", 12),
            Column("previous", 12, rank=2),
            Column("seq", 8),
            Column("day", 10, rank=3),
            Column("times", 17, rank=1),
            Column("verified", 15, flex=1),
            Column("input", 12, rank=4),
        )
        self._file_table = self.table(
            Column("seq", 6, right=True),
            Column("kind", 10),
            Column("stream", 8, flex=2),
            Column("lines", 7, right=True, rank=1),
            Column("bytes", 7, right=True),
            Column("digest", 12, rank=3),
            Column("day", 10, rank=4),
            Column("times", 17, rank=2),
            Column("there", 12, flex=1),
        )
        self._ref_table = self.table(
            Column("kind", 13), Column("ref", 14, flex=1), Column("reason", 22, flex=3), Column("state", 8), gap=2
        )
        self._spans: dict[str, tuple[int, int]] = {}
        self._calls: dict[str, str] | None = None
        self.reload()

    def reload(self) -> None:
        """Take over the report, the chain and the files as they are now."""
        conversation = self.opened.conversation
        self._report = conversation.report
        self._why = dict(self._whys())
        self._calls = None
        files = conversation.data.files
        self._faulty = sum(1 for landed in files if landed.fault or landed.closing_fault)
        self.refill()

    # --- which rows

    def entries(self) -> Iterator[Entry | None]:
        """The rows of all sections."""
        yield Entry("state", "state")
        yield Entry("meaning", "meaning")
        if not self.opened.conversation.usable:
            yield Entry("unusable", "unusable")
        if self.opened.conversation.chain.through is not None:
            yield Entry("through", "through")
        yield from self._problem_entries()
        yield Entry(("blank", "state"), "blank")
        links = self.opened.conversation.chain.links
        yield from self.section("chain", _heads("chain", len(links)), self._chain_entries(), self._chain_words)
        yield from self._file_section()
        refs = sorted(self.opened.conversation.fold.unresolved.values(), key=lambda ref: ref.id)
        for name, found in (
            ("open", [ref for ref in refs if ref.state == "open"]),
            ("settled", [ref for ref in refs if ref.state != "open"]),
        ):
            heads = [Entry(("title", name), "title", (name, len(found))), Entry(("head", name), "head", "refs")]
            yield from self.section(name, heads, [Entry(("ref", ref.id), "ref", ref) for ref in found], _ref_words)

    def _problem_entries(self) -> Iterator[Entry]:
        seen: dict[str, int] = {}
        for problem in self._report.problems:
            seen[problem] = nth = seen.get(problem, 0) + 1
            if self.filter.fits(problem):
                for at, words in enumerate(_wrapped(problem, 76)):
                    yield Entry(("problem", problem, nth, at), "problem", (words, at))

    def _chain_entries(self) -> Iterator[Entry]:
        wanted = 1
        for link in self.opened.conversation.chain.links:
            number = link.file.number
            if number > wanted:
                yield Entry(("gap", wanted), "gap", (wanted, number - 1))
            yield Entry(("round", link.file.name), "round", link)
            wanted = max(wanted, number + 1)

    def _file_section(self) -> Iterator[Entry]:
        """Files with what is wrong with one on a row of its own below it."""
        files = self._sorted_files()
        shown: list[Entry] = []
        for entry in files:
            fault = _fault_of(entry)
            if self.filter and not self.filter.fits(self._file_words(entry) + fault):
                continue
            shown.append(entry)
            for at, words in enumerate(_wrapped(fault, 66)):
                shown.append(Entry(("fault", entry.key, at), "fault", (words, entry, at)))
        if shown:
            yield from _heads("files", len(files))
            yield from shown
            yield Entry(("blank", "files"), "blank")

    def _sorted_files(self) -> list[Entry]:
        data = self.opened.conversation.data
        found = [Entry(("file", landed.file.wire), "file", landed) for landed in data.files]
        for wire, why in data.unreadable.items():
            found.append(Entry(("file", wire), "unreadable", (wire, why)))
        unreadable = {seq for wire in data.unreadable if (seq := landed_seq(wire)) is not None}
        for first, last in self._missing():
            # A file that cannot be read is missing for verification, too; it is listed once, with its reason.
            if first != last or first not in unreadable:
                found.append(Entry(("missing", first), "missing", (first, last)))
        if self.sort == "seq":
            found.sort(key=_seq_of, reverse=self.down)
        else:
            found.sort(key=self._file_order, reverse=self.down)
        rounds = [Entry(("round-file", link.file.name), "round-file", link) for link in self.opened.conversation.chain.links]
        return found + rounds

    def _file_order(self, entry: Entry) -> tuple[Any, ...]:
        landed = entry.item
        if not isinstance(landed, Landed):
            return (1, 0, _seq_of(entry))
        value: Any = {
            "kind": landed.kind,
            "stream": _place_of(landed),
            "lines": landed.lines,
            "bytes": landed.size,
        }.get(self.sort)
        return (0, self._times_of(landed)[0] if value is None else value, _seq_of(entry))

    def _missing(self) -> Iterator[tuple[int, int]]:
        seen: set[tuple[int, int]] = set()
        for problem in self._report.problems:
            found = _LANDED.search(problem)
            if found is not None:
                pair = int(found[1]), int(found[2] or found[1])
                if pair not in seen:
                    seen.add(pair)
                    yield pair

    # --- why a round is not verified

    def _whys(self) -> Iterator[tuple[str, str]]:
        """(file name, why in a few words) of each round; an empty text where it is verified."""
        chain = self.opened.conversation.chain
        lines: dict[int, list[str]] = {}
        for problem in self._report.problems[1 if chain.stopped else 0 :]:
            before = _BEFORE.match(problem)
            found = _OF_ROUND.match(problem)
            if found is not None:
                lines.setdefault(int(before[2] if before else found[1]), []).append(problem)
        verified = iter(self._report.verified)
        unread = 0
        stopped = False
        for link in chain.links:
            number = link.file.number
            if link.round is None:
                unread = number
                yield link.file.name, "does not read: " + link.why.removeprefix(PREFIX)
                stopped = True
                continue
            if next(verified, False):
                yield link.file.name, ""
                continue
            if number in self._report.pending and number not in lines:
                yield link.file.name, VERIFYING
                continue
            words = _in_short(lines.get(number, []), number, unread)
            if not link.folded and chain.through is not None and number > chain.through:
                words = words or ["later than the round shown"]
            elif not link.folded and not words:
                words = [self._after(stopped)]
            stopped = stopped or not link.folded
            yield link.file.name, "; ".join(words)

    def _after(self, stopped: bool) -> str:
        chain = self.opened.conversation.chain
        if chain.gap:
            return "after the gap"
        return "after the break" if stopped else "does not fold" + chain.stopped.partition(" does not fold")[2].replace(PREFIX, "")

    # --- words for the filter

    def _chain_words(self, entry: Entry) -> str:
        if entry.sort == "gap":
            return "missing"
        link: Link = entry.item
        round_ = link.round
        return f"{link.file.name} {round_.digest if round_ else ''} {self._why[link.file.name] or 'verified'}"

    def _file_words(self, entry: Entry) -> str:
        item = entry.item
        if isinstance(item, Landed):
            return f"{item.file.wire} {item.kind} {item.digest}"
        if isinstance(item, Link):
            return f"{item.file.name} round {item.round.file_digest if item.round else ''}"
        return f"missing {item[0]} {item[1]}" if entry.sort == "missing" else item[0]

    # --- drawing

    def draw(self, entry: Entry, width: int) -> Line:
        """A row as spans."""
        match entry.sort:
            case "blank":
                return Line()
            case "state":
                return self._state_line()
            case "problem":
                words, at = entry.item
                role = "error" if self._report.state == MISMATCH else "warning"
                return Line([("  " if at else "! ", role), (self.plain(words), "text")])
            case "title":
                return self._title(*entry.item)
            case "head":
                return self._head(entry.item, width)
            case "round" | "gap":
                return self._round_line(entry, width)
            case "fault":
                words, _, at = entry.item
                corner = "`- " if self.ascii_only else "└ "
                return Line([(" " * 9 + (" " * len(corner) if at else corner), "dim"), (self.plain(words), "warning")])
            case "ref":
                return self._ref_line(entry.item, width)
            case "file" | "unreadable" | "missing" | "round-file":
                return self._file_line(entry, width)
            case sort:
                return Line([(self._sentence(sort), "warning" if sort == "unusable" else "dim")])

    def _sentence(self, sort: str) -> str:
        if sort == "unusable":
            return "nothing of this conversation could be folded; the problems below say why"
        if sort == "through":
            return f"shown as of round {self.opened.conversation.chain.through}"
        if self._report.state == VERIFYING:
            return "the landed files are being read; what is wrong with them shows when that is done"
        return DOCUMENT_STATES.get(self._report.state, "")

    def _state_line(self) -> Line:
        report, data = self._report, self.opened.conversation.data
        glyph, role = state_glyph(report.state, ascii_only=self.ascii_only)
        facts = [counted(len(report.problems), "problem")] if report.problems else []
        links = self.opened.conversation.chain.links
        facts.append(f"{sum(report.verified)} of {counted(len(links), 'round')} verified")
        facts.append(counted(len(data.files), "landed file"))
        if self._faulty:
            facts.append(f"{self._faulty:,} with a fault")
        words = " · ".join(facts)
        return Line([(f"{glyph} ", role), (report.state, role), (self.plain(f" · {words}"), "text")])

    def _title(self, name: str, number: int) -> Line:
        if name == "chain":
            return self.heading("chain", counted(number, "round file"))
        if name == "files":
            return self.heading("files", f"{counted(number, 'file')}, landed and rounds")
        if name == "open":
            return self.heading(f"open references ({number})")
        return self.heading(f"settled references ({number})", "resolved since, or never to be")

    def _head(self, name: str, width: int) -> Line:
        if name == "chain":
            return self._chain_table.header(width)
        if name == "refs":
            return self._ref_table.header(width)
        return self.table_header(self._file_table, width)

    def _round_line(self, entry: Entry, width: int) -> Line:
        blank: Span = ("", "")
        if entry.sort == "gap":
            first, last = entry.item
            number = str(first) if first == last else f"{first}–{last}"
            if len(number) > 6:
                return Line([(self.plain(f"  {number}  "), "text"), ("missing", "warning")])
            return self._chain_table.row(width, [(number, "text"), ("missing", "warning"), *[blank] * 6])
        link: Link = entry.item
        why = self._why[link.file.name]
        state = VERIFYING if why == VERIFYING else "mismatch" if why else "verified"
        verdict = [state_glyph(state, ascii_only=self.ascii_only)]
        verdict.append((f" {one_line(why)}" if why else "", "dim" if state == VERIFYING else "warning"))
        number = str(link.file.number)
        if link.round is None:
            return self._chain_table.row(
                width, [(number, "text"), (link.file.prefix, "error"), *[blank] * 4, verdict, blank]
            )
        header = link.round.header
        through = header.through_seq
        seqs = f"{header.from_seq}–{through}" if through >= header.from_seq else "none"
        cells: list[Cell] = [
            (number, "text"),
            (one_line(link.round.digest[:12]), "code"),
            (one_line(header.previous[:12]) or "–", "code" if header.previous else "dim"),
            (seqs, "text"),
            *self._when(optional_ms(header.from_time), optional_ms(header.through_time)),
            verdict,
            (one_line(header.input_digest[:12]), "dim"),
        ]
        return self._chain_table.row(width, cells)

    def _file_line(self, entry: Entry, width: int) -> Line:
        item = entry.item
        blank: Span = ("–", "dim")
        if entry.sort == "missing":
            seqs = str(item[0]) if item[0] == item[1] else f"{item[0]}–{item[1]}"
            if len(seqs) > 6:
                return Line([(self.plain(f"  seq {seqs}  "), "text"), ("missing", "warning")])
            return self._file_table.row(width, [(seqs, "text"), *[blank] * 7, self._there("missing")])
        if entry.sort == "unreadable":
            wire = item[0]
            seq = landed_seq(wire)
            place = one_line("/".join(wire.split("/")[1:-1]))
            known: list[Cell] = [("–" if seq is None else str(seq), "text"), blank, (place, "text"), *[blank] * 5]
            return self._file_table.row(width, [*known, self._there("unreadable")])
        if entry.sort == "round-file":
            return self._round_file_line(item, width)
        low, high = self._times_of(item)
        cells: list[Cell] = [
            (str(item.file.seq), "text"),
            (one_line(item.kind) or "–", "text" if item.kind else "dim"),
            (one_line(_place_of(item)), "text"),
            (count(item.lines), "text"),
            (size(item.size), "text"),
            (item.digest[:12], "code"),
            *self._when(low // 1_000_000, high // 1_000_000),
            self._there(("faulty" if item.fault or item.closing_fault else "") if item.checked else VERIFYING),
        ]
        return self._file_table.row(width, cells)

    def _round_file_line(self, link: Link, width: int) -> Line:
        blank: Span = ("–", "dim")
        name: Span = (f"round {link.file.number}", "text")
        if link.round is None:
            return self._file_table.row(width, [blank, ("round", "text"), name, *[blank] * 5, self._there("unreadable")])
        header = link.round.header
        cells: list[Cell] = [
            blank,
            ("round", "text"),
            name,
            (count(link.round.lines), "text"),
            (size(link.round.size), "text"),
            (link.round.file_digest[:12], "code"),
            *self._when(optional_ms(header.from_time), optional_ms(header.through_time)),
            self._there(""),
        ]
        return self._file_table.row(width, cells)

    def _when(self, start_ms: int | None, end_ms: int | None) -> list[Span]:
        """The cells of day and times."""
        return [(date(start_ms or end_ms, self.tz), "dim"), (stretch(start_ms, end_ms, self.tz), "time")]

    def _there(self, trouble: str) -> list[Span]:
        if not trouble:
            return [state_glyph("verified", ascii_only=self.ascii_only)]
        if trouble == "faulty":
            # It is there, with its digest; what is wrong inside it stands on the row below.
            return [state_glyph("verified", ascii_only=self.ascii_only), (" faulty", "warning")]
        if trouble == VERIFYING:
            return [state_glyph(VERIFYING, ascii_only=self.ascii_only), (f" {VERIFYING}", "dim")]
        return [state_glyph("mismatch", ascii_only=self.ascii_only), (f" {trouble}", "warning")]

    def _ref_line(self, ref: Unresolved, width: int) -> Line:
        cells: list[Cell] = [
            (one_line(ref.kind) or "–", "text"),
            (one_line(ref.ref) or "–", "code"),
            (one_line(ref.reason) or "no reason given", "text" if ref.reason else "dim"),
            (one_line(ref.state), "warning" if ref.state == "open" else "dim"),
        ]
        return self._ref_table.row(width, cells)

    def _times_of(self, landed: Landed) -> tuple[int, int]:
        wire = landed.file.wire
        found = self._spans.get(wire)
        if found is None:
            found = self._spans[wire] = landed.span()
        return found

    # --- where Enter goes

    def aim(self, entry: Entry) -> str | None:
        """The first step read from a round or a file; the step that a reference names."""
        if entry.sort == "fault":
            entry = entry.item[1]
        if entry.sort == "ref":
            return self._named(entry.item)
        if entry.sort == "file":
            return self._first_from(entry.item.file.seq, entry.item.file.seq)
        if entry.sort in ("round", "round-file") and entry.item.round is not None:
            header = entry.item.round.header
            return self._first_from(header.from_seq, header.through_seq)
        return None

    def _first_from(self, low: int, high: int) -> str | None:
        best: Node | None = None
        at = (0, 0)
        for tree, place in self.opened.steps():
            node = tree.nodes[place]
            if node.ref is not None and low <= node.ref.seq <= high and is_step(node.kind):
                found = (node.ref.seq, node.ref.row)
                if best is None or found < at:
                    best, at = node, found
        return best.id if best else None

    def _named(self, ref: Unresolved) -> str | None:
        """The step whose call has the id that a reference gives, or else the first talk of the stream it gives."""
        if not ref.ref:
            return None
        # Most ids are made of the call's, so one record is read; it is the record that decides.
        guess = self.opened.conversation.fold.nodes.get(f"tool/{ref.ref}")
        if guess is not None and self._call_id(guess) == ref.ref and self.opened.locate(guess.id):
            return guess.id
        if self._calls is None:
            nodes = self.opened.conversation.fold.nodes.values()
            self._calls = {call: node.id for node in nodes if node.kind in _CALLS and (call := self._call_id(node))}
        found = self._calls.get(ref.ref)
        return found if found and self.opened.locate(found) else first_talk(self.opened, ref.ref)

    def _call_id(self, node: Node) -> str:
        if node.ref is None:
            return ""
        record = self.opened.conversation.record(node.ref.seq, node.ref.row)
        part = part_at(record, node.ref) if record is not None else None
        return part.id if part is not None and part.k == "call" else ""


def _heads(name: str, number: int) -> list[Entry]:
    return [Entry(("title", name), "title", (name, number)), Entry(("head", name), "head", name)]


def _wrapped(text: str, cells: int) -> list[str]:
    """A sentence of ours or of a file, safe, in rows that an 80 column screen holds: nothing of it may be cut."""
    return wrap(visible(text), cells) if text else []


def _ref_words(entry: Entry) -> str:
    ref: Unresolved = entry.item
    return f"{ref.kind} {ref.ref} {ref.reason} {ref.state}"


def _fault_of(entry: Entry) -> str:
    item = entry.item
    if isinstance(item, Landed):
        return "; ".join(fault for fault in (item.fault, item.closing_fault) if fault)
    if isinstance(item, Link):
        return item.why.removeprefix(PREFIX) if item.round is None else ""
    return item[1] if entry.sort == "unreadable" else ""


def _seq_of(entry: Entry) -> tuple[int, str]:
    item = entry.item
    if isinstance(item, Landed):
        return item.file.seq, item.file.wire
    if entry.sort == "missing":
        return item[0], ""
    return landed_seq(item[0]) or 0, item[0]


def _place_of(landed: Landed) -> str:
    file = landed.file
    if file.stream is not None:
        return file.stream
    return f"run {file.run}" if file.run is not None else "session"


def _in_short(problems: list[str], number: int, unread: int) -> list[str]:
    """The problems of a round in a few words each; what only follows from a gap is left out."""
    before = next((found for problem in problems if (found := _BEFORE.match(problem))), None)
    if before is not None:
        if int(before[1]) > number:
            return [f"a second round {number}"]
        # A round whose file is there but does not read is missing for verification; it is no gap.
        return ["after the break" if unread == int(before[1]) else "after the gap"]
    words: list[str] = []
    for problem in problems:
        rest = problem.partition(f"round {number}")[2]
        landed = _LANDED.search(problem)
        if landed is not None:
            words.append(f"seq {landed[1]}" + (f"–{landed[2]}" if landed[2] else "") + " missing")
        elif "names previous" in rest:
            words.append("wrong previous")
        elif "input digest" in rest:
            words.append("input digest differs")
        elif "starts at seq" in rest:
            words.append("does not go on from the seq before")
        elif " does not " not in rest:
            words.append(rest.strip(" :"))
    return list(dict.fromkeys(words))
