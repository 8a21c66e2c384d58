"""`asz-tui assemble [ID…]`: the rounds that are due for what landed; one line a session."""

from __future__ import annotations

from asz_core.assemble import Outcome
from asz_core.assemble.sessions import each_session

from ...text.safe import visible
from ...text.words import counted
from ..output import Printer, complain
from ..parser import Parsed
from ..source import root_path


def run(parsed: Parsed) -> int:
    """Assemble the sessions named, else all of the root."""
    printer = Printer(ascii_only=parsed["ascii"])
    failed = False
    for outcome in each_session(root_path(parsed["root"]), parsed.words, infer=parsed["infer"]):
        if outcome.round or not outcome.error:
            printer.line(visible(f"{outcome.session}: {words_of(outcome)}"))
            printer.flush()
        if outcome.error:
            failed = True
            complain(f"{outcome.session}: {outcome.error}")
    return 1 if failed else 0


def words_of(outcome: Outcome) -> str:
    """What assembling a session came to, in a few words."""
    if not outcome.round:
        return "nothing new"
    rounds = f"round {outcome.round}"
    if outcome.rounds > 1:
        rounds = f"rounds {outcome.round - outcome.rounds + 1} to {outcome.round}"
    counts = (
        counted(outcome.nodes, "node"),
        counted(outcome.relations, "relation"),
        f"{outcome.unresolved:,} unresolved",
    )
    return f"{rounds}, {', '.join(counts)}"
