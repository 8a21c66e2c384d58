"""The ways out: bytes and lines to standard output, one sentence to standard error.

A reader that has left raises `BrokenPipeError` here; `main` ends the command quietly then.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from collections.abc import Iterable

_CHUNK = 1 << 20


def write_bytes(chunks: Iterable[bytes]) -> None:
    """Write bytes to standard output as they are.

    Raises:
        BrokenPipeError: when nobody reads any more.
    """
    sys.stdout.flush()
    try:
        descriptor = sys.stdout.fileno()
    except (OSError, ValueError, AttributeError):  # a stream of a test or of another program, without a file below it
        for chunk in chunks:
            sys.stdout.buffer.write(chunk)
        return
    for chunk in chunks:
        _write_all(descriptor, chunk)


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        try:
            view = view[os.write(descriptor, view[:_CHUNK]) :]
        except BlockingIOError:
            # The other end may have made the pipe non-blocking; then it is waited for like a blocking one.
            import select

            select.select([], [descriptor], [])


class Printer:
    """Prints lines for people. Text from the data must be safe already (`text.safe.visible`).

    Attributes:
        ascii_only: print ASCII, because it was asked for or because the output's encoding cannot do more.
    """

    def __init__(self, *, ascii_only: bool = False) -> None:
        encoding = (getattr(sys.stdout, "encoding", None) or "utf-8").lower().replace("_", "-")
        self.ascii_only = ascii_only or encoding not in ("utf-8", "utf8", "utf-16", "utf-32")

    def text(self, text: str) -> str:
        """The text as it will be printed; measure this one."""
        if self.ascii_only and not text.isascii():
            from ..text.safe import ascii_only

            return ascii_only(text)
        return text

    def line(self, text: str = "") -> None:
        """Print a line."""
        sys.stdout.write(self.text(text) + "\n")

    def lines(self, lines: Iterable[str]) -> None:
        """Print lines, many with one write: Python may have been told not to buffer (`PYTHONUNBUFFERED`)."""
        waiting: list[str] = []
        room = _CHUNK // 16
        for line in lines:
            waiting.append(self.text(line))
            room -= len(line)
            if room < 0:
                sys.stdout.write("\n".join(waiting) + "\n")
                waiting.clear()
                room = _CHUNK // 16
        if waiting:
            sys.stdout.write("\n".join(waiting) + "\n")

    def flush(self) -> None:
        """Send what was printed on its way."""
        sys.stdout.flush()


def inert_json(data: bytes) -> bytes:
    """The same JSON with what a terminal acts on (DEL, C1, the controls of writing direction) as escapes."""
    if data.isascii() and b"\x7f" not in data:
        return data
    import re

    acting = "[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]"
    return re.sub(acting, lambda match: f"\\u{ord(match[0]):04x}", data.decode()).encode()


def reader_is_there() -> bool:
    """Whether somebody still reads standard output, as far as that can be told without writing to it."""
    import select

    try:
        poll = select.poll()
        poll.register(sys.stdout.fileno(), 0)  # errors and hang-ups are reported without being asked for
        return not any(event & (select.POLLERR | select.POLLNVAL) for _, event in poll.poll(0))
    except (OSError, ValueError, AttributeError):
        return True


def terminal_width() -> int:
    """Columns of the terminal that standard output is; 0 when it is none."""
    if not is_terminal(sys.stdout):
        return 0
    import shutil

    return shutil.get_terminal_size((80, 24)).columns


def is_terminal(stream: object) -> bool:
    """Whether a stream is a terminal."""
    try:
        return bool(stream is not None and stream.isatty())  # type: ignore[attr-defined]
    except (OSError, ValueError, AttributeError):
        return False


def complain(sentence: str) -> None:
    """One sentence on standard error; nothing when that is closed."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(f"asz-tui: {_legible(sentence)}\n")
        sys.stderr.flush()


def _legible(text: str) -> str:
    """A sentence without anything a terminal acts on, in what standard error can say.

    Errors name ids and files, which somebody else may have made up.
    """
    if not (text.isascii() and text.isprintable()):
        from ..text.safe import ascii_only, visible

        text = visible(text)
        try:
            text.encode(getattr(sys.stderr, "encoding", None) or "ascii")
        except (UnicodeEncodeError, LookupError):
            text = ascii_only(text)
    return text


def reader_has_left(error: OSError) -> bool:
    """Whether an error says that nobody reads what is written."""
    return isinstance(error, BrokenPipeError) or error.errno in (errno.EPIPE, errno.ESHUTDOWN)


def discard_output() -> None:
    """Let what is still buffered for standard output go nowhere, so that the end of the process does not stumble over it."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
