"""A program on a real pseudo-terminal: what it writes, when, and how much; its memory and its processor time.

Linux only: memory, handles and threads are read from /proc.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

WIDTH, HEIGHT = 120, 40
KEYS = {
    "up": "\x1b[A", "down": "\x1b[B", "home": "\x1b[H", "end": "\x1b[F", "page-down": "\x1b[6~", "page-up": "\x1b[5~",
    "half-down": "\x04", "half-up": "\x15", "escape": "\x1b", "enter": "\r",
}  # fmt: skip
_CONTROL = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_KEPT = 400_000


@dataclass(slots=True)
class Burst:
    """What a program wrote until it was quiet.

    Attributes:
        first, last: seconds from the start of the listening to the first and to the last byte; 0 when nothing came.
        size: bytes.
        largest: bytes of the largest part that came in one go.
    """

    first: float = 0.0
    last: float = 0.0
    size: int = 0
    largest: int = 0


class Program:
    """A program that runs on a pseudo-terminal of 120 by 40."""

    def __init__(self, arguments: list[str], environment: dict[str, str] | None = None) -> None:
        """
        Args:
            arguments: the command line.
            environment: added to what every program gets.
        """
        self._home = TemporaryDirectory()
        clean = {key: value for key, value in os.environ.items() if not key.startswith(("ASZ_", "PYTHONDONT", "PYTHONUNBUF"))}
        homes = dict.fromkeys(("HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"), self._home.name)
        given = {**clean, **homes, "TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8", **(environment or {})}
        self.started = time.perf_counter()
        self.pid, self._terminal = pty.fork()
        if not self.pid:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", HEIGHT, WIDTH, 0, 0))
            os.execve(arguments[0], arguments, given)
        self.written = bytearray()

    def listen(self, *, within: float, quiet: float = 0.03) -> Burst:
        """Read until nothing came for a while.

        Args:
            within: seconds in which something must come.
            quiet: seconds of silence that end it.
        """
        burst = Burst()
        start = time.perf_counter()
        until = start + within
        while (left := until - time.perf_counter()) > 0 and select.select([self._terminal], [], [], left)[0]:
            try:
                data = os.read(self._terminal, 1 << 20)
            except OSError:
                break
            now = time.perf_counter()
            burst.first = burst.first or now - start
            burst.last = now - start
            burst.size += len(data)
            burst.largest = max(burst.largest, len(data))
            self.written += data
            until = now + quiet
        del self.written[:-_KEPT]
        return burst

    def press(self, key: str, *, within: float = 3.0, quiet: float = 0.03) -> Burst:
        """Press a key and take what it made the program write."""
        os.write(self._terminal, KEYS.get(key, key).encode())
        return self.listen(within=within, quiet=quiet)

    def wait_for(self, text: str, *, within: float = 120.0) -> float:
        """Read until a text stands in what was written.

        Returns:
            Seconds since the program was started, at the last byte of the frame that held it.

        Raises:
            TimeoutError: when it does not come.
        """
        deadline = time.perf_counter() + within
        while time.perf_counter() < deadline:
            start = time.perf_counter()
            burst = self.listen(within=0.2, quiet=0.015)
            if burst.size and self.shows(text):
                return start + burst.last - self.started
        raise TimeoutError(f"{text!r} did not come; the last words were {self._words()[-300:]!r}")

    def shows(self, text: str) -> bool:
        """Whether a text was written, colours and moves of the cursor left out."""
        return text in self._words()

    def _words(self) -> str:
        return _CONTROL.sub(b"", bytes(self.written)).decode("utf-8", "replace")

    def settle(self, quiet: float = 0.7) -> None:
        """Wait until the program has nothing more to say."""
        self.listen(within=quiet, quiet=quiet)

    def memory(self) -> dict[str, float]:
        """Megabytes in use now and at most: «VmRSS» and «VmHWM»."""
        lines = Path(f"/proc/{self.pid}/status").read_text().splitlines()
        return {line.split(":")[0]: int(line.split()[1]) / 1024 for line in lines if line.startswith(("VmRSS", "VmHWM"))}

    def handles(self) -> int:
        """How many files are open."""
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def threads(self) -> int:
        """How many threads run."""
        return len(os.listdir(f"/proc/{self.pid}/task"))

    def processor(self) -> float:
        """Seconds of a processor used so far."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def read_bytes(self) -> int:
        """Bytes that were read from files so far."""
        return int(Path(f"/proc/{self.pid}/io").read_text().split()[1])

    def close(self) -> None:
        """End it."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGTERM)
        deadline = time.perf_counter() + 5
        while time.perf_counter() < deadline:
            self.listen(within=0.05)
            if os.waitpid(self.pid, os.WNOHANG)[0]:
                break
        else:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self._terminal)
        self._home.cleanup()

    def __enter__(self) -> Program:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def explorer(*arguments: str) -> Program:
    """The explorer with these arguments."""
    return Program([sys.executable, "-m", "asz_tui", *arguments])


def percentile(values: list[float], share: float = 0.95) -> float:
    """The value below which a share of all lies."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]
