"""`asz-tui verify [ID]`: every chain against its rounds and the landed files, every landed file against its closing line.

Each landed file is read, hashed and decoded once; of its records only the times stay, and of a conversation nothing once it is
checked. So the cost is that of reading, and the memory that of one conversation.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from asz_core.root import Root
from asz_core.sessiondata import Landed, SessionData
from asz_core.storage import CONVERSATIONS

from ...text.safe import visible
from ...text.words import counted, size
from ..output import Printer
from ..parser import Parsed
from ..progress import ProgressLine
from ..source import open_root


@dataclass(slots=True)
class _Tally:
    """What was checked, and how many problems came of it."""

    conversations: int = 0
    rounds: int = 0
    files: int = 0
    bytes: int = 0
    problems: int = 0
    unassembled: int = 0
    sessions: set[str] = field(default_factory=set)

    def sentence(self) -> str:
        """The last line."""
        parts = [
            counted(self.conversations, "conversation"),
            counted(self.rounds, "round"),
            f"{counted(self.files, 'landed file')} ({size(self.bytes)})",
        ]
        if self.unassembled:
            parts.append(f"{counted(self.unassembled, 'session')} without a conversation")
        verdict = counted(self.problems, "problem") if self.problems else "no problems"
        return f"checked {', '.join(parts)}: {verdict}"


def run(parsed: Parsed) -> int:
    """Verify a conversation, or everything in the root."""
    root = open_root(parsed["root"])
    wanted = [root.resolve(parsed.words[0])] if parsed.words else None
    printer = Printer(ascii_only=parsed["ascii"])
    tally = _Tally()
    with ProgressLine() as progress:
        for line in _problems(root, wanted, tally, progress):
            tally.problems += 1
            progress.wipe()
            printer.line(visible(line))
            printer.flush()
    if not parsed["quiet"]:
        printer.line(tally.sentence())
    return 1 if tally.problems else 0


def _problems(root: Root, wanted: list[str] | None, tally: _Tally, progress: ProgressLine) -> Iterator[str]:
    """Every problem as a line that begins with the conversation it is one of."""
    names = wanted if wanted is not None else root.conversations()
    if wanted is None:
        yield from _unlistable(root)
    for number, name in enumerate(names):
        yield from _of_conversation(root, name, tally, progress, f"conversation {number + 1} of {len(names)}")
    if wanted is None:
        for session in root.storage.sessions():
            if session not in tally.sessions:
                yield from _of_session(root, session, tally, progress)


def _of_conversation(root: Root, name: str, tally: _Tally, progress: ProgressLine, which: str) -> Iterator[str]:
    progress.say(f"checking {which}")
    conversation = root.open(name)
    conversation.refresh((lambda _, done, total: progress.say(f"checking {which}: {done * 100 // (total or 1)} %")))
    tally.conversations += 1
    tally.rounds += len(conversation.chain.links)
    for problem in conversation.report.problems:
        yield f"{name}: {problem}"
    yield from _of_files(name, conversation.data, tally)


def _of_session(root: Root, session: str, tally: _Tally, progress: ProgressLine) -> Iterator[str]:
    """The landed files of a session that no conversation was made of yet."""
    data = SessionData(root.storage, session)
    data.refresh(lambda done, total: progress.say(f"checking session {session}: {done * 100 // (total or 1)} %"))
    if data.files or data.unreadable:
        tally.unassembled += 1
    yield from _of_files(session, data, tally)


def _of_files(name: str, data: SessionData, tally: _Tally) -> Iterator[str]:
    if data.session in tally.sessions:  # two conversations of one session: its files were checked with the first
        return
    tally.sessions.add(data.session)
    tally.files += len(data.files) + len(data.unreadable)
    tally.bytes += sum(landed.size for landed in data.files)
    for landed in data.files:
        for fault in _faults(landed):
            yield f"{name}: {landed.file.wire}: {fault}"
    for wire, why in data.unreadable.items():
        yield f"{name}: {wire}: it cannot be read: {why}"


def _faults(landed: Landed) -> Iterable[str]:
    return [fault for fault in (landed.fault, landed.closing_fault) if fault]


def _unlistable(root: Root) -> Iterator[str]:
    """Directories that cannot be looked into: what is in them would silently not be checked."""
    base = str(root.path)
    for name in _directories(os.path.join(base, CONVERSATIONS)):
        yield from _closed(os.path.join(base, CONVERSATIONS, name, "rounds"), name, f"{CONVERSATIONS}/{name}/rounds")
    for session in root.storage.sessions():
        folders = ["provider_body", "streams", "runs"]
        for kind in ("streams", "runs"):
            folders += [f"{kind}/{name}" for name in _directories(os.path.join(base, session, kind))]
        for folder in folders:
            yield from _closed(os.path.join(base, session, folder), session, f"{session}/{folder}")


def _closed(path: str, name: str, wire: str) -> Iterator[str]:
    try:
        os.scandir(path).close()
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        yield f"{name}: {wire}: the directory cannot be read: {error.strerror or error}"


def _directories(path: str) -> list[str]:
    try:
        with os.scandir(path) as entries:
            return sorted(entry.name for entry in entries if entry.is_dir())
    except OSError:
        return []
