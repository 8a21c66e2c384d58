"""`asz-tui live [PROJECT|SESSION]`: the explorer over the Claude Code sessions of this machine, which are collected meanwhile."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from asz_core.errors import AszError, NotFound
from asz_core.live import forget, forgotten, home_root, matching, newest_of, prepare
from asz_core.root import Root
from asz_core.storage import only_one

from ...collector import Pause
from ...text.safe import visible
from ..parser import Parsed, UsageError
from .explore import open_explorer, require_terminal


def run(parsed: Parsed) -> int:
    """Open the explorer on what is collected, or forget a session."""
    if parsed["root"] is not None:
        raise UsageError("'live' keeps a root of its own; 'collect --root' collects into another", parsed.name)
    source = _source(parsed)
    root = home_root(os.environ, source)
    if parsed["forget"] is not None:
        if parsed.words:
            raise UsageError("'live --forget' takes one session and nothing else", parsed.name)
        return _forget(root, source, parsed["forget"])
    session = _meant(source, parsed.words[0]) if parsed.words else None
    require_terminal()
    pause = Pause()
    try:
        return _open(parsed, source, root, session, pause)
    finally:
        pause.end()


def _source(parsed: Parsed) -> str:
    from asz_core.live import default_source

    source = os.path.abspath(os.path.expanduser(parsed["source"] or default_source(os.environ)))
    if not os.path.isdir(source):
        raise UsageError(f"there is no directory of Claude Code sessions at {source}; --source names another", parsed.name)
    return source


def _open(parsed: Parsed, source: str, root: Path, session: str | None, pause: Pause) -> int:
    from ...live import Live

    try:
        prepare(root)
    except OSError as error:
        raise AszError(f"{error.filename or root}: it cannot be made: {error.strerror or error}") from None
    live = Live(source, root).start()
    try:
        return open_explorer(parsed, Root(root).path, session, pause=pause, live=live)
    finally:
        live.stop()


def _meant(source: str, word: str) -> str:
    """The session that a word on the command line means."""
    path = os.path.expanduser(word)
    if os.sep in word or word in (".", "..") or os.path.isdir(path):
        found = newest_of(source, os.path.abspath(path))
        if found is None:
            raise NotFound(f"there is no session of {os.path.abspath(path)} in {source}")
        return found
    return only_one(word, matching(source, word), "session", source)


def _forget(root: Path, source: str, word: str) -> int:
    known = {path.name for path in root.iterdir() if not path.name.startswith(("_", "."))} if root.is_dir() else set()
    session = only_one(word, sorted({*[name for name in known if name.startswith(word)], *matching(source, word)}), "session", root)
    was_forgotten = session in forgotten(root)
    removed = forget(root, session)
    said = "is removed from what was collected" if removed else "was forgotten already" if was_forgotten else "was not collected"
    sys.stdout.write(f"{visible(session)} {said}; it is not collected again until you name it, and its source is untouched\n")
    return 0
