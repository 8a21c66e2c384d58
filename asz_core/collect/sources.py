"""Finding a Claude Code directory's sources and grouping them by session (the collecting specification, §2 and §3)."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import msgspec

from ..errors import AszError
from ..storage import open_without_waiting

_SESSION = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_AGENT = re.compile(r"a[0-9a-f]{16}")
_FOREIGN_AGENT = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_FIRST_LINE = 1 << 18
_SCRIPT_RUN = re.compile(r"wf_[A-Za-z0-9][A-Za-z0-9_-]*")
_TRANSCRIPT_END, _META_END = ".jsonl", ".meta.json"


class SourceError(AszError):
    """The source root cannot be read, so nothing can be collected."""


@dataclass(frozen=True, slots=True, eq=False)
class Kind:
    """A row of the table of §3: what a kind of source is called where it lands."""

    header: str
    prefix: str
    append: bool
    of_run: bool


TRANSCRIPT = Kind("transcript", "transcript", True, False)
AGENT_META = Kind("agent_meta", "meta", False, False)
JOURNAL = Kind("journal", "journal", True, True)
MANIFEST = Kind("workflow_manifest", "manifest", False, True)
SCRIPT = Kind("workflow_script", "script", False, True)


@dataclass(frozen=True, slots=True)
class Source:
    """A file to collect.

    Attributes:
        rel: its path below the source root.
        session: the session that its path names.
        stream: ``main``, an agent's id, or empty.
        run: a workflow run, or empty.
    """

    rel: str
    session: str
    kind: Kind
    stream: str = ""
    run: str = ""

    @property
    def project(self) -> str:
        """The project directory that it lies in."""
        return self.rel.partition("/")[0]

    @property
    def folder(self) -> str:
        """Where it lands, below the session's directory."""
        return f"runs/{self.run}" if self.kind.of_run else f"streams/{self.stream}"

    @property
    def cursor(self) -> str:
        """Its cursor file, below the session's directory."""
        return f"{self.folder}/{self.kind.prefix}.cursor"


@dataclass(slots=True)
class Found:
    """What a search found.

    Attributes:
        sessions: the sources of each session, in the order they are collected.
        warnings: project directories that could not be read, and why.
    """

    sessions: dict[str, list[Source]] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)


def default_source(environ: Mapping[str, str]) -> str:
    """The source root where none is named (§2.1)."""
    if environ.get("CLAUDE_CONFIG_DIR"):
        return os.path.join(environ["CLAUDE_CONFIG_DIR"], "projects")
    if environ.get("XDG_CONFIG_HOME"):
        return os.path.join(environ["XDG_CONFIG_HOME"], "claude", "projects")
    return os.path.join(os.path.expanduser("~"), ".claude", "projects")


def is_session(name: str) -> bool:
    """Whether a name is a session id."""
    return _SESSION.fullmatch(name) is not None


def agent_id(text: str) -> bool:
    """Whether a text is an agent's id."""
    return _AGENT.fullmatch(text) is not None


class Foreign:
    """Transcripts of child agents that the specification passes over: those whose id has another shape, and those of an older
    runtime that stand beside the session's, which only their first line names. That is read once for each such file.
    """

    def __init__(self) -> None:
        self._beside: dict[str, tuple[int, str]] = {}

    def takes(self, name: str) -> bool:
        """Whether a text may be an agent's id."""
        return name != "main" and _FOREIGN_AGENT.fullmatch(name) is not None

    def beside(self, root: str, project: str, name: str) -> Source | None:
        """The source that a file beside the transcripts of sessions is, by what its first line says."""
        agent = name[len("agent-") : -len(_TRANSCRIPT_END)]
        rel = f"{project}/{name}"
        if not self.takes(agent):
            return None
        try:
            found = os.stat(f"{root}/{rel}")
            inode, session = self._beside.get(rel, (-1, ""))
            if inode != found.st_ino or not session:
                session = _session_in(f"{root}/{rel}")
                self._beside[rel] = found.st_ino, session
        except OSError:
            return None
        return Source(rel, session, TRANSCRIPT, agent) if session else None

    def known(self, session: str) -> list[Source]:
        """The sources that were found to stand beside a session."""
        mine = [rel for rel, (_, found) in self._beside.items() if found == session]
        return [Source(rel, session, TRANSCRIPT, rel.partition("/")[2][len("agent-") : -len(_TRANSCRIPT_END)]) for rel in mine]


class _Named(msgspec.Struct):
    sessionId: str = ""


_named = msgspec.json.Decoder(_Named).decode


def _session_in(path: str) -> str:
    """The session that the first line of a transcript names; empty when it names none, or is not whole yet."""
    with open(path, "rb", buffering=0, opener=open_without_waiting) as file:
        line, whole, _ = file.read(_FIRST_LINE).partition(b"\n")
    try:
        session = _named(line).sessionId if whole else ""
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return ""
    return session if is_session(session) else ""


def find(root: str, foreign: Foreign | None = None) -> Found:
    """Find all sources below a source root.

    Args:
        root: the source root.
        foreign: takes what the specification passes over, too.

    Returns:
        The sessions in ascending order, each with its sources in order (§2.3).

    Raises:
        SourceError: when the root itself cannot be read.
    """
    found = Found()
    by_session: dict[str, list[Source]] = {}
    try:
        with os.scandir(root) as entries:
            projects = [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
    except OSError as error:
        raise SourceError(f"the source {root} cannot be read: {error.strerror or error}") from None
    for project in projects:
        try:
            for source in _in_project(root, project, foreign):
                by_session.setdefault(source.session, []).append(source)
        except FileNotFoundError:
            continue
        except OSError as error:
            found.warnings.append(f"{project}: the directory cannot be read: {error.strerror or error}")
    for session in sorted(by_session):
        found.sessions[session] = sorted(by_session[session], key=_by_path)
    return found


def find_session(root: str, session: str, projects: Iterable[str], foreign: Foreign | None = None) -> list[Source]:
    """The sources of one session, in order, in the project directories where it is known to have some."""
    found: list[Source] = foreign.known(session) if foreign is not None else []
    for project in projects:
        base = f"{root}/{project}"
        if os.path.lexists(f"{base}/{session}{_TRANSCRIPT_END}") and not os.path.isdir(f"{base}/{session}{_TRANSCRIPT_END}"):
            found.append(Source(f"{project}/{session}{_TRANSCRIPT_END}", session, TRANSCRIPT, "main"))
        found += _in_session(f"{base}/{session}", f"{project}/{session}", session, foreign)
    return sorted(found, key=_by_path)


def _by_path(source: Source) -> bytes:
    return os.fsencode(source.rel)


def _in_project(root: str, project: str, foreign: Foreign | None) -> Iterator[Source]:
    base = f"{root}/{project}"
    with os.scandir(base) as scanned:
        entries = list(scanned)
    for entry in entries:
        name = entry.name
        if len(name) == 36:
            if is_session(name) and entry.is_dir(follow_symlinks=False):
                yield from _in_session(f"{base}/{name}", f"{project}/{name}", name, foreign)
        elif len(name) == 42 and name.endswith(_TRANSCRIPT_END) and is_session(name[:36]) and not _is_dir(entry):
            yield Source(f"{project}/{name}", name[:36], TRANSCRIPT, "main")
        elif foreign is not None and name.startswith("agent-") and name.endswith(_TRANSCRIPT_END) and not _is_dir(entry):
            source = foreign.beside(root, project, name)
            if source is not None:
                yield source


def _in_session(base: str, rel: str, session: str, foreign: Foreign | None) -> Iterator[Source]:
    for entry in _entries(f"{base}/subagents"):
        if not _is_dir(entry):
            yield from _agent_source(f"{rel}/subagents", entry.name, session, foreign)
        elif entry.name == "workflows":
            for run in _entries(entry.path):
                if _is_dir(run):
                    yield from _in_run(run.path, f"{rel}/subagents/workflows/{run.name}", run.name, session, foreign)
    for entry in _entries(f"{base}/workflows"):
        name = entry.name
        if not _is_dir(entry):
            source = _of_manifest(f"{rel}/workflows/{name}", name, session)
            if source:
                yield source
        elif name == "scripts":
            for script in _entries(entry.path):
                source = None if _is_dir(script) else _of_script(f"{rel}/workflows/scripts/{script.name}", script.name, session)
                if source:
                    yield source


def _in_run(base: str, rel: str, run: str, session: str, foreign: Foreign | None) -> Iterator[Source]:
    for entry in _entries(base):
        if _is_dir(entry):
            continue
        if entry.name == "journal.jsonl":
            yield Source(f"{rel}/journal.jsonl", session, JOURNAL, run=run)
        else:
            yield from _agent_source(rel, entry.name, session, foreign)


def _agent_source(folder: str, name: str, session: str, foreign: Foreign | None = None) -> Iterator[Source]:
    for ending, kind in ((_TRANSCRIPT_END, TRANSCRIPT), (_META_END, AGENT_META)):
        agent = name[6 : -len(ending)]
        if name.startswith("agent-") and name.endswith(ending) and (agent_id(agent) or (foreign and foreign.takes(agent))):
            yield Source(f"{folder}/{name}", session, kind, agent)


def _of_manifest(rel: str, name: str, session: str) -> Source | None:
    if name.startswith("wf_") and name.endswith(".json"):
        return Source(rel, session, MANIFEST, run=name[:-5])
    return None


def _of_script(rel: str, name: str, session: str) -> Source | None:
    if not name.endswith(".js"):
        return None
    _, hyphen, run = name[:-3].rpartition("-wf_")
    run = f"wf_{run}" if hyphen else ""
    return Source(rel, session, SCRIPT, run=run) if _SCRIPT_RUN.fullmatch(run) else None


def source_at(rel: str) -> Source | None:
    """The source that a path below the source root is by the table of §2.2; nothing is looked at."""
    parts = rel.split("/")
    if "" in parts or "." in parts or ".." in parts:
        return None
    if len(parts) == 2:
        session = parts[1][:36]
        return Source(rel, session, TRANSCRIPT, "main") if is_session(session) and parts[1][36:] == _TRANSCRIPT_END else None
    if len(parts) < 4 or not is_session(parts[1]):
        return None
    return _below_session(rel, parts, parts[1])


def _below_session(rel: str, parts: list[str], session: str) -> Source | None:
    folder, name = rel.rpartition("/")[0], parts[-1]
    where = parts[2:-1]
    if where == ["workflows"]:
        return _of_manifest(rel, name, session)
    if where == ["workflows", "scripts"]:
        return _of_script(rel, name, session)
    in_run = len(where) == 3 and where[:2] == ["subagents", "workflows"]
    if in_run and name == "journal.jsonl":
        return Source(rel, session, JOURNAL, run=where[2])
    if in_run or where == ["subagents"]:
        return next(_agent_source(folder, name, session), None)
    return None


def _entries(folder: str) -> list[os.DirEntry[str]]:
    """The entries of a directory; none when it cannot be read."""
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []


def _is_dir(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False
