"""Verification of a chain against itself and against the landed files (formats.md section 4, Verification), as data.

The document, the commands and the explorer share one ``Report``. It costs a walk over the rounds and, per round, over the landed
sequences it consumed; no file is read for it. A ``Verifier`` remembers which rounds it found in order, so that the report after one
more round costs a comparison of each round before it, and the round.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from .sessiondata.session import SessionData
from .sessionflow.chain import Chain, Link, chained_input_digest

VERIFIED, INCOMPLETE, MISMATCH = "verified", "incomplete", "mismatch"
VERIFYING = "verifying"
"""Not a state of the formats: landed files were only skimmed so far, so the state is not known. No document says it."""
_LISTED = 1000


class Report(msgspec.Struct):
    """What verification found.

    Attributes:
        state: ``verified``, ``incomplete`` when a round or a file is missing, ``mismatch`` when a digest failed; ``verifying``
            while not every file was read whole.
        problems: one line each, in the order of the specification; empty when verified.
        verified: one value per readable round in file order: it has no problem and the fold reached it.
        pending: numbers of the rounds whose files were not all read whole.
    """

    state: str = VERIFIED
    problems: list[str] = msgspec.field(default_factory=list)
    verified: list[bool] = msgspec.field(default_factory=list)
    pending: set[int] = msgspec.field(default_factory=set)


def verify_chain(chain: Chain, data: SessionData) -> Report:
    """Check every round of a chain: that it reads, links, continues the sequence, and read what is landed.

    Args:
        chain: refreshed.
        data: the landed files of the chain's session, refreshed.
    """
    return Verifier().report(chain, data)


class Verifier:
    """Verifies one chain again and again as it grows."""

    def __init__(self) -> None:
        self._sound: list[tuple[Link, Link | None] | None] = []
        self._through = 0

    def landed(self, seqs: Iterable[int]) -> None:
        """Files with these sequences landed since the last report; nothing is kept of rounds that consumed any of them."""
        if any(seq <= self._through for seq in seqs):
            self.forget()

    def forget(self) -> None:
        """Check every round anew next time: landed files went or were replaced."""
        self._sound = []
        self._through = 0

    def report(self, chain: Chain, data: SessionData) -> Report:
        """As ``verify_chain``; a round that had no problem is not checked again while the same round stands before it."""
        report = Report()
        mismatch = False
        if chain.stopped:
            report.problems.append(chain.stopped)
            stopping = next((link for link in chain.links if not link.folded), None)
            mismatch = not chain.gap and stopping is not None
        sound = self._sound
        sound += [None] * (len(chain.links) - len(sound))
        last: Link | None = None
        for place, link in enumerate(chain.links):
            known = sound[place]
            if known is not None and known[0] is link and known[1] is last:
                found: list[str] = []
            else:
                found, bad, pending = _check_round(link, last, data)
                report.problems += found
                mismatch = mismatch or bad
                if pending:
                    report.pending.add(link.file.number)
                sound[place] = None if found or pending else (link, last)
                if link.round is not None and not found and not pending:
                    self._through = max(self._through, link.round.header.through_seq)
            if link.round is not None:
                report.verified.append(link.folded and not found and link.file.number not in report.pending)
                last = link
        if report.problems:
            report.state = MISMATCH if mismatch else INCOMPLETE
        if data.unchecked or report.pending:
            report.state = VERIFYING
        return report


def _check_round(link: Link, last: Link | None, data: SessionData) -> tuple[list[str], bool, bool]:
    """Problems of one round, whether one of them is a mismatch, and whether files of it were not read whole yet."""
    number = link.file.number
    if link.round is None:
        return [f"round {number}: {link.file.name}: {link.why}"], True, False
    problems: list[str] = []
    bad = False
    header = link.round.header
    before = last.file.number if last else 0
    if number != before + 1:
        problems.append(f"round {before + 1} is missing before round {number}")
    elif last is not None and last.round is not None and header.previous != last.round.digest:
        problems.append(
            f"round {number} names previous {header.previous[:12]}, the round before is {last.round.digest[:12]}"
        )
        bad = True
    ended = last.round.header.through_seq if last and last.round else 0
    if header.from_seq != ended + 1:
        problems.append(f"round {number} starts at seq {header.from_seq}, the round before ended at {ended}")
    digests, missing = _consumed(header.from_seq, header.through_seq, data)
    problems += [f"round {number}: landed file {what} missing" for what in missing]
    pending = not all(digests)
    if not problems and not pending:
        previous = last.round.header.input_digest if last and last.round else ""
        if chained_input_digest(previous, digests) != header.input_digest:
            problems.append(f"round {number}: the input digest does not match the landed files")
            bad = True
    return problems, bad, pending


def _consumed(first: int, through: int, data: SessionData) -> tuple[list[str], list[str]]:
    """Digests of the landed files in a range of sequences, and words for those that are missing."""
    if through - first > 4 * len(data.files) + _LISTED:
        # A header may claim any range; what is there is looked at instead of every number in it.
        there = sorted({landed.file.seq for landed in data.files if first <= landed.file.seq <= through})
        digests = [landed.digest for seq in there if (landed := data.by_seq(seq))]
        return digests, [*_gaps(first, through, there)]
    digests, missing = [], []
    for seq in range(first, through + 1):
        landed = data.by_seq(seq)
        if landed is None:
            missing.append(f"seq {seq} is")
        else:
            digests.append(landed.digest)
    return digests, missing


def _gaps(first: int, through: int, there: list[int]) -> list[str]:
    gaps: list[str] = []
    at = first
    for seq in [*there, through + 1]:
        if seq - at > 1:
            gaps.append(f"seq {at} to seq {seq - 1} are")
        elif seq - at == 1:
            gaps.append(f"seq {at} is")
        at = seq + 1
    return gaps
