"""Assembling a session: one call makes one round, within the budget (the assembling specification, §18 and §19)."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from ..errors import AssembleError
from ..storage import CONVERSATIONS, RoundFile, Storage, is_plain_name
from ..writing import SHARED, Modes
from .assembly import assemble
from .delta import compare
from .folded import Folded
from .landing import Landing
from .least import too_large_from
from .publishing import locked, publish_round, write_state
from .round import PARSER, MadeRound, make_round, policy

IDLE = 600_000_000_000
"""The idle gap in nanoseconds: ten minutes."""
BUDGET = 2 * 1024 * 1024
"""Bytes that a round may have, unless it is of one sequence."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What assembling a session came to.

    Attributes:
        session: its id.
        round: the number of the newest round that was written; 0 when there was nothing new.
        nodes, relations: how many frames of each were written.
        unresolved: how many references are open in the session as it is assembled now.
        error: empty, or one sentence that says why it failed.
        rounds: how many rounds were written.
    """

    session: str
    round: int = 0
    nodes: int = 0
    relations: int = 0
    unresolved: int = 0
    error: str = ""
    rounds: int = 0


class Assembler:
    """One session being assembled again and again: what was read and folded stays in memory between two calls.

    A call is not to be made while another of the same object is under way.
    """

    def __init__(
        self,
        root: Path | str,
        session: str,
        *,
        idle: int = IDLE,
        budget: int = BUDGET,
        modes: Modes = SHARED,
        infer: bool = False,
    ) -> None:
        """
        Args:
            root: the storage root.
            session: the session's id; its conversation has the same.
            idle: the idle gap in nanoseconds; 0 or less means ten minutes.
            budget: bytes that a round may have; 0 or less means 2 MiB.
            modes: of what is written.
            infer: infer what an older runtime did not write; the policy of the chain says so.

        Raises:
            RootError: when the root cannot be used.
        """
        self.session = session
        self.idle = idle if idle > 0 else IDLE
        self.budget = budget if budget > 0 else BUDGET
        self.modes = modes
        self.storage = Storage(root)
        self.landing = Landing(self.storage, session, infer=infer)
        self.folded = Folded(self.storage, session)
        self._settled: tuple[int, int, str] | None = None

    def assemble(self) -> Outcome:
        """Write the rounds that are due, until the last sequence that landed is consumed.

        Returns:
            What was written, or why nothing (more) could be; no error is raised for what the data or another program did.
        """
        number = nodes = relations = unresolved = rounds = 0
        error = ""
        while True:
            try:
                made = self.step()
            except AssembleError as failure:
                error = str(failure)
                break
            except OSError as failure:
                error = f"{failure.filename or self.session}: {failure.strerror or failure}"
                break
            if made is None:
                break
            rounds += 1
            number, unresolved = made.header.round, made.open
            nodes += len(made.body.nodes)
            relations += len(made.body.relations)
            if made.header.through_seq >= self.landing.last:
                break
        return Outcome(self.session, number, nodes, relations, unresolved, error, rounds)

    def step(self) -> MadeRound | None:
        """Write one round.

        Returns:
            The round; None when there is nothing new.

        Raises:
            AssembleError: when the session cannot be assembled; ``ChainLocked`` when another program is at it.
            OSError: when the root cannot be written.
        """
        if not is_plain_name(self.session) or self.session.startswith("_"):
            raise AssembleError(f"{self.session!r} is no name of a session")
        folder = os.path.join(self.storage.path, CONVERSATIONS, self.session)
        if not os.path.isdir(folder) and not self.storage.landed(self.session):
            return None
        with locked(folder, self.modes):
            return self._step(folder)

    def _step(self, folder: str) -> MadeRound | None:
        folded, landing = self.folded, self.landing
        folded.refresh()
        self._check_ours()
        landing.refresh()
        if not landing.files and not folded.head:
            return None
        if not landing.entries:
            raise AssembleError(f"no landed file of {self.session} holds a record")
        if landing.last < folded.through:
            raise AssembleError(f"what landed of {self.session} ends at seq {landing.last}, its chain at seq {folded.through}")
        state = self._state()
        if state == self._settled:
            return None
        made = self._make()
        if made is not None:
            self._publish(folder, made)
        if made is None or made.header.through_seq == landing.last:
            self._settled = self._state()
        return made

    def _state(self) -> tuple[int, int, str]:
        """What an assembly depends on: once nothing was left to write, nothing is until this changes."""
        return self.landing.generation, len(self.landing.files), self.folded.digest

    def _check_ours(self) -> None:
        header = self.folded.header
        if header is None:
            return
        if header.session != self.session:
            raise AssembleError(f"the chain of {self.session} is one of the session {header.session}")
        ours = (PARSER, policy(self.idle, infer=self.landing.infers))
        if (header.parser, header.policy) != ours:
            raise AssembleError(
                f"the chain of {self.session} was made by parser {header.parser} under policy {header.policy},"
                f" not by {ours[0]} under {ours[1]}"
            )

    def _make(self) -> MadeRound | None:
        """The next round, of as much as the budget takes; None when nothing is new."""
        first, through = self.folded.through + 1, self.landing.last
        too_large = too_large_from(self.landing, self.folded, self.budget)
        while True:
            while first < through and too_large <= through:
                through = first + (through - first) // 2
            picture = assemble(self.landing, self.session, through, self.idle)
            body = compare(picture.store, self.folded)
            if not body and through < first:
                return None
            made = make_round(picture, body, self.folded)
            if len(made.data) <= self.budget or through <= first:
                return made
            through = first + (through - first) // 2

    def _publish(self, folder: str, made: MadeRound) -> None:
        rounds = self.storage.rounds(self.session)
        head = rounds[-1].number if rounds else 0
        if head != made.header.round - 1:
            raise AssembleError(f"round {head} of {self.session} came while round {made.header.round} was made")
        path = publish_round(os.path.join(folder, "rounds"), made.name, made.data, self.modes)
        file = RoundFile(path, made.name, made.header.round, made.digest[:12])
        self.folded.published(file, made.header, made.digest, made.body)
        write_state(folder, made.header, made.digest, self.modes)
