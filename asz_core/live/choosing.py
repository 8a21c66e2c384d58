"""Which session of a source is meant: by the beginning of its id, or as the newest one of a directory."""

from __future__ import annotations

import os
import re

from ..collect import Found, Selection, find
from .sessions import described, project_of, survey

_LOOKED_AT = 20
"""Sessions whose directory is read to be sure."""


def matching(source: str, start: str) -> list[str]:
    """The sessions whose id begins so.

    Raises:
        SourceError: when the source cannot be read.
    """
    return [session for session in _sessions(source).sessions if start and session.startswith(start)]


def newest_of(source: str, directory: str) -> str | None:
    """The session of a directory that was written to last; None when there is none.

    The folder of a project is named after its directory, with a hyphen for everything that is no letter and no digit; which of
    several directories of one name it was is told by the sessions' records.

    Raises:
        SourceError: when the source cannot be read.
    """
    found = _sessions(source).sessions
    names = {re.sub(r"[^A-Za-z0-9]", "-", path) for path in (directory, os.path.realpath(directory))}
    mine = {session: sources for session, sources in found.items() if project_of(sources) in names}
    stands = survey(source, Found(mine))
    newest = sorted(mine, key=lambda session: (-stands[session].last_ns, session))
    same = {directory, os.path.realpath(directory)}
    for session in newest[:_LOOKED_AT]:
        if described(source, mine[session])[1] in same:
            return session
    return newest[0] if newest else None


def _sessions(source: str) -> Found:
    found, selection = find(source), Selection()
    return Found({session: sources for session, sources in found.sessions.items() if selection.takes(sources)})
