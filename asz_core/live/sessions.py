"""The sessions of a Claude Code directory as a list shows them, before and while they are collected.

A survey costs names and a stat each. What a session is called and where it ran is read when it is asked for: at most two blocks of
its main transcript, whatever its length. A title is the label that the assembler would take: that of the last record that has one.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

import msgspec

from ..collect import Found, Source, record_line
from ..errors import AszError
from ..sessiondata.record import Record, decode_record
from ..storage import open_without_waiting

RUNNING_MS = 60_000
"""A session with something written no longer ago than this is running."""
BLOCK = 64 << 10
"""Bytes that are read at either end of a transcript."""
_TITLE = 200
_NAMING = (b'"aiTitle"', b'"description"', b'"workflowName"')
"""The keys of a record that its label comes from (the collecting specification, section 6.1)."""

NEW, BEHIND, COLLECTED = "new", "behind", "collected"


class LiveSession(msgspec.Struct):
    """A session of the source. Times are unix milliseconds, sizes bytes.

    Attributes:
        project: the working directory it ran in; the name of the project's folder until a record told.
        title: None until somebody asked for it; empty where there is none.
        last_ms: when the newest of its sources was written to.
        size: of all its sources.
        state: `NEW` when nothing of it was collected yet, `BEHIND` when something was written since, else `COLLECTED`.
        done: bytes of it that are collected, as far as that is known.
        problem: one sentence, or empty.
    """

    id: str
    project: str = ""
    title: str | None = None
    last_ms: int = 0
    size: int = 0
    files: int = 0
    state: str = NEW
    done: int = 0
    problem: str = ""

    def running(self, now_ms: int) -> bool:
        """Whether something was written to it a moment ago."""
        return 0 <= now_ms - self.last_ms <= RUNNING_MS


class Standing(msgspec.Struct, frozen=True):
    """How the sources of a session stat: what tells whether anything was written."""

    last_ns: int = 0
    size: int = 0
    files: int = 0
    mark: int = 0


def standing(source_root: str, sources: Iterable[Source]) -> Standing:
    """Stat the sources of a session; one that is gone counts for nothing."""
    last = size = files = 0
    marks = []
    for source in sources:
        try:
            found = os.stat(f"{source_root}/{source.rel}")
        except OSError:
            continue
        files += 1
        size += found.st_size
        last = max(last, found.st_mtime_ns)
        marks.append((source.rel, found.st_ino, found.st_size, found.st_mtime_ns))
    return Standing(last, size, files, hash(tuple(marks)))


def project_of(sources: list[Source]) -> str:
    """The name of the folder that a session's main transcript, or else its first source, lies in."""
    main = [source for source in sources if source.stream == "main"]
    return (main or sources)[0].project


def described(source_root: str, sources: list[Source]) -> tuple[str, str]:
    """The title of a session and the directory it ran in; each empty where that is not told.

    Reads the last block of the main transcript, and the first one where that has no title.
    """
    main = next((source for source in sources if source.stream == "main"), None)
    if main is None:
        return "", ""
    try:
        with open(f"{source_root}/{main.rel}", "rb", buffering=0, opener=open_without_waiting) as file:
            size = os.fstat(file.fileno()).st_size
            head = os.pread(file.fileno(), BLOCK, 0)
            tail = os.pread(file.fileno(), BLOCK, max(0, size - BLOCK)) if size > BLOCK else b""
    except OSError:
        return "", ""
    last_lines = _whole_lines(tail, starts_inside=True) if tail else []
    first_lines = _whole_lines(head, starts_inside=False)
    title = _last_label(last_lines, main) or _last_label(first_lines, main) or _first_question(first_lines, main)
    return title[:_TITLE], _directory(last_lines) or _directory(first_lines)


def _whole_lines(block: bytes, *, starts_inside: bool) -> list[bytes]:
    lines = block.split(b"\n")[:-1]
    return lines[1:] if starts_inside else lines


def landing(line: bytes, main: Source) -> Record | None:
    """A line as it would land."""
    try:
        return decode_record(record_line(line, 1, 0, main))
    except (AszError, ValueError, RecursionError):
        return None


def _last_label(lines: list[bytes], main: Source) -> str:
    line = naming_line(lines, main)
    record = landing(line, main) if line else None
    return record.label if record is not None else ""


def naming_line(lines: list[bytes], main: Source) -> bytes:
    """The last of some lines that names the session; empty when none does."""
    for line in reversed(lines):
        if any(key in line for key in _NAMING):
            record = landing(line, main)
            # A record with an id that has a label names something else (the assembling specification, section 4).
            if record is not None and record.label and not record.id:
                return line
    return b""


def _first_question(lines: list[bytes], main: Source) -> str:
    for line in lines:
        if b'"user"' in line:
            record = landing(line, main)
            text = question_of(record) if record is not None else ""
            if text:
                return " ".join(text.split())
    return ""


def question_of(record: Record) -> str:
    """What a person says in a record; empty where it is something else, as far as the record tells."""
    flags = record.flags or ()
    if record.from_ != "external" or record.tool or record.child or "injected" in flags or "reset_summary" in flags:
        return ""
    if record.trigger not in ("", "external") or any(part.k != "text" for part in record.parts or ()):
        return ""
    text = "\n".join(part.text for part in record.parts or ())
    # What the runtime says by the person's mouth is marked up.
    return "" if text.startswith("<") else text


class _Where(msgspec.Struct):
    cwd: str = ""


_where = msgspec.json.Decoder(_Where).decode


def _directory(lines: list[bytes]) -> str:
    for line in reversed(lines):
        if b'"cwd"' in line:
            try:
                found = _where(line).cwd
            except (msgspec.MsgspecError, ValueError, RecursionError):
                continue
            if found:
                return found
    return ""


def survey(source_root: str, found: Found) -> dict[str, Standing]:
    """How every session that was found stands."""
    return {session: standing(source_root, sources) for session, sources in found.sessions.items()}
