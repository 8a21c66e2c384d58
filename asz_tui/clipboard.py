"""Taking text along: to the terminal's clipboard, to a command, or to a file; always with a sentence that says where it went.

What the module owns: the bytes of OSC 52, inside tmux and screen too, the limits of it, and the file that takes what goes nowhere
else. A terminal does not say whether it took a text, so the sentence says "sent".

Cost: `copy` waits for a command (some milliseconds, at most `TIMEOUT` seconds) or for a file; run it where that keeps no key
waiting when `how` is a command.
"""

from __future__ import annotations

import base64
import os
import re
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from .files import state_dir, why, write_private
from .text.safe import visible

FILE = "copied.txt"
OSC52_LIMIT = 74_994
"""Bytes that fit: terminals cut a sequence at 100,000 characters, and what is cut is no text but half of one."""
TIMEOUT = 3.0

_THROUGH = {"tmux": " through tmux, if its set-clipboard or allow-passthrough is on", "screen": " through screen"}
_SCREEN_PIECE = 252
"""GNU screen takes strings of no more than 256 bytes, so a longer one comes in pieces."""
# Everything that acts where the copy is pasted: C0 but line break and tab, DEL, C1, what turns the writing direction, and lone
# surrogates, which no encoding has. Joiners, marks and emoji stay: they are the text.
_ACTING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def plain(text: str) -> str:
    """A text as it may be pasted anywhere: nothing in it acts on a terminal or turns around what follows.

    Args:
        text: a text from the data.

    Returns:
        The same text, with what would act made visible (`␛`, `⟨U+202E⟩`) and line breaks of Windows as line breaks.
    """
    return _ACTING.sub(lambda match: visible(match[0]), text.replace("\r\n", "\n"))


def copy(
    text: str,
    how: str | Sequence[str],
    write: Callable[[str], object] | None,
    *,
    as_is: bool = False,
    environ: Mapping[str, str] = os.environ,
    folder: Path | None = None,
) -> str:
    """Copy a text.

    Args:
        text: the text.
        how: `osc52`, `file`, or a command that reads the text from its standard input, as `Config.clipboard` has it.
        write: writes to the terminal; None when there is none, and then OSC 52 becomes a file.
        as_is: the text is an export, whose format keeps data as it is (JSON has its own escapes); otherwise it is made `plain`.
        environ: where tmux and screen are told by.
        folder: where the file goes; the state folder when left out.

    Returns:
        A sentence that says where the text went, safe to be shown. Nothing is raised.
    """
    data = (text if as_is else plain(text)).encode("utf-8", "replace")
    if how == "file":
        return _to_file(data, folder, "")
    if isinstance(how, str):
        failed = _to_terminal(data, write, environ)
        through = _THROUGH.get(_between(environ), "")
        return _to_file(data, folder, failed) if failed else f"{_size(data)} sent to the terminal's clipboard{through}"
    failed = _to_command(data, how)
    return _to_file(data, folder, failed) if failed else f"{_size(data)} copied with {visible(os.path.basename(how[0]))}"


def osc52(data: bytes, environ: Mapping[str, str] = os.environ) -> str:
    """The sequence that asks a terminal to put something on its clipboard.

    Args:
        data: what; at most `OSC52_LIMIT` bytes are taken by terminals.
        environ: tells whether tmux or screen stands between.

    Returns:
        ASCII. Inside tmux and screen it is the sequence itself, which tmux takes with `set-clipboard on`, and the same handed
        through to the terminal, which tmux does with `allow-passthrough on`; whichever is off is ignored.
    """
    sequence = f"\x1b]52;c;{base64.b64encode(data).decode('ascii')}\x07"
    between = _between(environ)
    if between == "tmux":
        doubled = sequence.replace("\x1b", "\x1b\x1b")
        return f"{sequence}\x1bPtmux;{doubled}\x1b\\"
    if between == "screen":
        pieces = (sequence[at : at + _SCREEN_PIECE] for at in range(0, len(sequence), _SCREEN_PIECE))
        return sequence + "".join(f"\x1bP{piece}\x1b\\" for piece in pieces)
    return sequence


def _between(environ: Mapping[str, str]) -> str:
    """What stands between the program and the terminal: tmux, screen or nothing."""
    term = environ.get("TERM", "")
    # Over SSH the variables of tmux and screen are gone and only the kind of terminal tells.
    if environ.get("TMUX") or (term.startswith("tmux") and not environ.get("STY")):
        return "tmux"
    return "screen" if environ.get("STY") or term.startswith("screen") else ""


def _to_terminal(data: bytes, write: Callable[[str], object] | None, environ: Mapping[str, str]) -> str:
    """Why it did not go to the terminal; empty when it did."""
    if write is None:
        return "there is no terminal to send it to"
    if len(data) > OSC52_LIMIT:
        return f"{_size(data)} are more than terminals take"
    try:
        write(osc52(data, environ))
    except (OSError, ValueError) as error:
        return f"the terminal did not take it: {why(error)}"
    return ""


def _to_command(data: bytes, command: Sequence[str]) -> str:
    """Why a command did not take it; empty when it did."""
    name = os.path.basename(command[0]) if command else "an empty command"
    try:
        # Clipboard tools stay behind to serve what they hold, with their standard error open: a pipe would be waited for, a
        # file is not. A session of their own, so that they survive the explorer's terminal.
        with tempfile.TemporaryFile() as said:
            done = subprocess.run(
                list(command),
                input=data,
                stdout=subprocess.DEVNULL,
                stderr=said,
                timeout=TIMEOUT,
                check=False,
                start_new_session=True,
            )
            if done.returncode == 0:
                return ""
            said.seek(0)
            words = said.read(2_000).decode("utf-8", "replace").strip().partition("\n")[0]
    except subprocess.TimeoutExpired:
        return f"{name} did not end within {TIMEOUT:g} seconds"
    except (OSError, ValueError, IndexError) as error:
        return f"{name} did not start: {getattr(error, 'strerror', None) or error}"
    return f"{name} ended with {done.returncode}" + (f" ({words[:120]})" if words else "")


def _to_file(data: bytes, folder: Path | None, reason: str) -> str:
    because = f" ({reason})" if reason else ""
    try:
        folder = folder if folder is not None else state_dir()
        write_private(folder / FILE, data, base=folder)
    except (OSError, ValueError) as error:
        return visible(f"nothing was copied: {why(error)}{because}")
    return visible(f"{_size(data)} written to {folder / FILE}{because}")


def _size(data: bytes) -> str:
    return "1 byte" if len(data) == 1 else f"{len(data):,} bytes"
