"""`asz-tui collect`: land what is new in a Claude Code directory, and make conversations of it; once, or pass after pass."""

from __future__ import annotations

import contextlib
import os
import time
from datetime import UTC, datetime
from typing import Any

from asz_core.assemble import Assemblers, sessions_behind
from asz_core.collect import DEFAULT_EXCLUDE, Collector, PassReport, Selection, SourceError, default_source
from asz_core.errors import RootError

from ...text.safe import visible
from ...text.words import counted, size
from ..output import Printer, complain, reader_is_there
from ..parser import Parsed, UsageError
from ..progress import ProgressLine
from ..source import root_path

_INTERVAL = 2.0
_LOOK = 1.0
"""Seconds after which a waiting collector looks whether anybody still reads what it prints."""


def run(parsed: Parsed) -> int:
    """Collect; go on until Ctrl+C unless once is enough."""
    if parsed["once"] and parsed["interval"] is not None:
        raise UsageError("'collect' makes one pass or one every interval, not both", parsed.name)
    source = os.path.expanduser(parsed["source"] or default_source(os.environ))
    selection = Selection(parsed["include"], parsed["exclude"] or DEFAULT_EXCLUDE)
    clock = time.time_ns if parsed["at"] is None else (lambda: parsed["at"])
    root = root_path(parsed["root"])
    collector = Collector(source, root, selection=selection, clock=clock, foreign=parsed["infer"])
    passes = _Passes(collector, Printer(ascii_only=parsed["ascii"]), assembles=not parsed["no_assemble"], infer=parsed["infer"])
    if parsed["once"]:
        return passes.make()
    with contextlib.suppress(KeyboardInterrupt):
        passes.make()
        while True:
            if not _wait(_INTERVAL if parsed["interval"] is None else parsed["interval"]):
                break
            try:
                passes.make()
            except RootError as error:  # it was there before, and may be again
                passes.lose(str(error))
    return passes.worst


def _wait(seconds: float) -> bool:
    """Wait; False when nobody reads any more."""
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        time.sleep(min(left, _LOOK))
        if not reader_is_there():
            return False
    return True


class _Passes:
    """Makes passes and prints a line of each.

    Attributes:
        worst: the exit code after all of them.
    """

    def __init__(self, collector: Collector, printer: Printer, *, assembles: bool, infer: bool) -> None:
        self.worst = 0
        self._collector, self._printer = collector, printer
        self._assemblers = Assemblers(collector.root, infer=infer) if assembles else None
        self._told: set[str] = set()
        self._last = ""
        self._left: list[str] = []
        if assembles:
            with contextlib.suppress(RootError):  # nothing landed yet
                self._left = sessions_behind(collector.root)

    def make(self) -> int:
        """Make one pass.

        Returns:
            1 when a source conflicts, something went wrong or an assembly failed, else 0.

        Raises:
            RootError: when the source root cannot be read.
        """
        with ProgressLine() as progress:
            report, seconds = self._collected(progress)
            rounds, failed = self._assembled(report, progress)
        told = {*report.conflicts, *report.errors, *failed}
        told |= {f"{session}: another collector holds this session; it is left alone" for session in report.busy}
        for sentence in sorted(told - self._told):  # what was so in the last pass too is not said again
            complain(sentence)
        self._told = told
        self._line(report, rounds, seconds)
        code = 1 if report.conflicts or report.errors or failed else 0
        self.worst = max(self.worst, code)
        return code

    def lose(self, why: str) -> None:
        """Say that no pass could be made."""
        self.worst = 1
        if why not in self._told:
            complain(why)
        self._told = {why}

    def _collected(self, progress: ProgressLine) -> tuple[PassReport, float]:
        started = time.monotonic()
        try:
            found = self._collector.find()
            landed = 0

            def told(session: str, tally: Any) -> None:
                nonlocal landed
                landed += tally.bytes
                progress.say(f"collecting {session[:8]}: {size(landed)} so far")

            report = self._collector.collect_pass(found, told=told)
        except SourceError as error:
            raise RootError(str(error)) from None
        return report, time.monotonic() - started

    def _assembled(self, report: PassReport, progress: ProgressLine) -> tuple[int, list[str]]:
        """How many rounds were made, and what failed."""
        sessions = list(dict.fromkeys([*self._left, *report.landed]))
        if self._assemblers is None or not sessions:
            return 0, []
        progress.say(f"assembling {len(sessions)} sessions" if len(sessions) > 1 else f"assembling {sessions[0][:8]}")
        outcomes = [self._assemblers.assemble(session) for session in sessions]
        failed = [outcome for outcome in outcomes if outcome.error]
        self._left = [outcome.session for outcome in failed]
        rounds = sum(outcome.rounds for outcome in outcomes if not outcome.error)
        return rounds, [f"{outcome.session}: it cannot be assembled: {outcome.error}" for outcome in failed]

    def _line(self, report: PassReport, rounds: int, seconds: float) -> None:
        """One line of the pass; one that says the same as the line before is not printed again."""
        words = [counted(report.sessions, "session")]
        if report.files:
            landed = f"{counted(report.records, 'record')} in {counted(report.files, 'file')} ({size(report.bytes)})"
            words.append(f"{landed} landed in {seconds:.1f} s")
        else:
            words.append("nothing new")
        if rounds:
            words.append(counted(rounds, "round"))
        for number, what, rest in (
            (report.pending, "source", " still to go on with"),
            (len(report.busy), "session", " held by another collector"),
            (len(report.conflicts), "conflict", ""),
            (len(report.errors), "error", ""),
        ):
            if number:
                words.append(counted(number, what) + rest)
        said = ", ".join(words)
        if report.files or rounds or said != self._last:
            self._printer.line(visible(f"{datetime.now(UTC):%H:%M:%SZ} {said}"))
            self._printer.flush()
        self._last = said
