"""`asz-tui [ROOT] [ID[#NODE]]`: finds what to open, and opens the explorer on it. The only way from here to Textual."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING

from asz_core.errors import Ambiguous, NotFound
from asz_core.root import Root

from ...collector import Pause
from ..catalog import names
from ..output import is_terminal
from ..parser import Parsed, UsageError, nearest, no_such_command
from ..source import CONFIG, NoSource, root_path

if TYPE_CHECKING:
    from asz_tui.live import Live
    from asz_tui.session.first import FirstListing, FirstReading

_NO_SOURCE = f"""\
asz-tui found no storage root to read.
Name one: asz-tui ROOT, or set $ASZ_ROOT, or put storage.root into ./{CONFIG}.
Or look at a sample first: asz-tui demo (with --live its rounds land one by one).
"""


def run(parsed: Parsed) -> int:
    """Open the explorer."""
    try:
        path, wanted = _meant(parsed)
    except NoSource:
        sys.stderr.write(_NO_SOURCE)
        return 2
    root = Root(path)
    name, _, node = wanted.partition("#")
    conversation = root.resolve(name) if name else None
    require_terminal()
    # Nothing that is imported or read on the way to the first frame is garbage; the app ends the pause there.
    pause = Pause()
    try:
        from asz_tui.session.first import FirstListing, FirstReading

        # While Textual is imported, which takes longer than anything else on the way.
        reading = FirstReading(root, conversation).start() if conversation is not None else None
        listing = FirstListing(root, get_terminal_size().lines).start() if conversation is None else None
        return open_explorer(parsed, root.path, conversation, node or None, reading=reading, listing=listing, pause=pause)
    finally:
        pause.end()


def open_explorer(
    parsed: Parsed,
    root: Path,
    conversation: str | None = None,
    node: str | None = None,
    *,
    demo: bool = False,
    reading: FirstReading | None = None,
    listing: FirstListing | None = None,
    pause: Pause | None = None,
    live: Live | None = None,
) -> int:
    """Open the explorer on a root.

    Raises:
        UsageError: when there is no terminal to draw on.
    """
    require_terminal()
    from asz_tui.app import run_explorer

    return run_explorer(
        [root],
        conversation,
        node,
        ascii=parsed["ascii"],
        slow=parsed["slow"],
        mouse=not parsed["no_mouse"],
        demo=demo,
        reading=reading,
        listing=listing,
        pause=pause,
        live=live,
    )


def require_terminal() -> None:
    """
    Raises:
        UsageError: when there is none to draw on.
    """
    if not (is_terminal(sys.stdin) and is_terminal(sys.stdout)):
        raise UsageError("the explorer needs a terminal; list, conversation, show, tail, verify and view work without one")


def _meant(parsed: Parsed) -> tuple[str, str]:
    """The root's path, and what is to be opened in it or an empty text."""
    words = parsed.words
    if parsed["root"] is not None:
        if len(words) > 1:
            raise UsageError(f"the root is named twice, by --root and by {words[0]!r}")
        return root_path(parsed["root"]), words[0] if words else ""
    if len(words) == 2:
        return os.path.expanduser(words[0]), words[1]
    if not words:
        return root_path(None), ""
    word = os.path.expanduser(words[0])
    if os.path.exists(word) or os.sep in word.partition("#")[0]:
        return word, ""
    return _root_with(words[0]), words[0]


def _root_with(word: str) -> str:
    """The root that is named elsewhere, when a lone word is a conversation in it."""
    near = nearest(word, names())
    try:
        path = root_path(None)
        Root(path).resolve(word.partition("#")[0])
    except NoSource:
        raise UsageError(no_such_command(word, near)) from None
    except Ambiguous:
        raise
    except NotFound:
        if near:
            raise UsageError(no_such_command(word, near)) from None
        raise
    return path
