"""A program on a terminal of its own: started, pressed keys at, its output kept with the time at which each piece came.

The time of a frame is that of its last byte. Frames are told apart by the marks of synchronised output, which the terminal says it
knows when `sync` is on; without, a burst of output ends after 30 ms without any.
"""

from __future__ import annotations

import contextlib
import os
import re
import select
import signal
import struct
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from .places import HERE

try:
    import fcntl
    import pty
    import termios
except ImportError:  # Windows
    pty = None  # type: ignore[assignment]

COLUMNS, ROWS = 120, 40
QUIET = 0.03
_ESCAPES = re.compile(
    rb"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[P_^][^\x1b]*\x1b\\|\x1b[()][0-9A-B]|\x1b[=>78]"
)
_ASKS_SYNC, _KNOWS_SYNC = b"\x1b[?2026$p", b"\x1b[?2026;2$y"
_FRAME_END = b"\x1b[?2026l"


class Late(Exception):
    """What was waited for did not come."""


@dataclass(frozen=True, slots=True)
class Burst:
    """Output that came together. Times are seconds since the key was written.

    Attributes:
        first, last: when its first and its last byte came; infinite when nothing came.
        size: bytes.
    """

    first: float
    last: float
    size: int


def plain(data: bytes) -> str:
    """Output without escape sequences."""
    return _ESCAPES.sub(b"", data).decode("utf-8", "replace")


def environment(home: str) -> dict[str, str]:
    """The environment of a measured program: a colour terminal, nobody's configuration, compiled modules kept."""
    drop = ("PYTHONDONTWRITEBYTECODE", "NO_COLOR", "ASZ_ROOT", "TMUX", "STY")
    env = {name: value for name, value in os.environ.items() if name not in drop}
    env |= {"TERM": "xterm-256color", "COLORTERM": "truecolor", "LC_ALL": "C.UTF-8"}
    env |= {"XDG_CONFIG_HOME": home, "XDG_STATE_HOME": home, "PYTHONPATH": os.pathsep.join([str(HERE), env.get("PYTHONPATH", "")])}
    return env


class Terminal:
    """A process on a pseudo terminal of 120 by 40; a context manager that ends it."""

    def __init__(self, command: list[str], *, sync: bool = True) -> None:
        """
        Args:
            command: the program and its arguments.
            sync: say that synchronised output is known, so that each frame is marked.

        Raises:
            Late: on a system without pseudo terminals.
        """
        if pty is None:
            raise Late("this system has no pseudo terminals")
        self._home = tempfile.TemporaryDirectory()
        self._chunks: list[tuple[float, bytes]] = []
        self._arrived = threading.Condition()
        self._sync = sync
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        self.started = time.perf_counter()
        self._process = subprocess.Popen(
            command, stdin=slave, stdout=slave, stderr=slave, env=environment(self._home.name), cwd=HERE, start_new_session=True
        )
        os.close(slave)
        self._ended = False
        threading.Thread(target=self._read, name="bench-pty", daemon=True).start()

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.stop()

    @property
    def pid(self) -> int:
        """The process's id."""
        return self._process.pid

    def stop(self) -> None:
        """End the process."""
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._ended = True
        with contextlib.suppress(OSError):
            os.close(self._master)
        self._home.cleanup()

    def _read(self) -> None:
        while not self._ended:
            try:
                if not select.select([self._master], [], [], 0.2)[0]:
                    continue
                data = os.read(self._master, 1 << 16)
            except (OSError, ValueError):
                break
            now = time.perf_counter()
            if self._sync and _ASKS_SYNC in data:
                os.write(self._master, _KNOWS_SYNC)
            with self._arrived:
                self._chunks.append((now, data))
                self._arrived.notify_all()
        with self._arrived:
            self._arrived.notify_all()

    # --- waiting

    def mark(self) -> int:
        """A place in the output: everything up to now is before it."""
        with self._arrived:
            return len(self._chunks)

    def chunks(self, since: int = 0) -> list[tuple[float, bytes]]:
        """The pieces of output after a mark, each with when it came."""
        with self._arrived:
            return self._chunks[since:]

    def text(self, since: int = 0) -> str:
        """The output after a mark, without escapes."""
        return plain(b"".join(data for _, data in self.chunks(since)))

    def size(self, since: int = 0) -> int:
        """Bytes of output after a mark."""
        return sum(len(data) for _, data in self.chunks(since))

    def frames(self, since: int = 0) -> Iterator[tuple[float, bytes]]:
        """The marked frames after a mark: when each was whole, and its bytes."""
        kept = b""
        for when, data in self.chunks(since):
            kept += data
            while (end := kept.find(_FRAME_END)) >= 0:
                yield when, kept[: end + len(_FRAME_END)]
                kept = kept[end + len(_FRAME_END) :]

    def wait_for(self, wanted: str | Callable[[str], bool], since: int = 0, timeout: float = 60.0) -> float:
        """Wait for a text after a mark.

        Returns:
            When it came, by `time.perf_counter`; with `sync`, when the frame with it was whole.

        Raises:
            Late: when it does not come in time.
        """
        fits = wanted if callable(wanted) else lambda text: wanted in text
        until = time.perf_counter() + timeout
        seen, kept = since, b""
        while True:
            for when, data in self.chunks(seen):
                seen += 1
                kept += data
                whole = not self._sync or _FRAME_END in kept[-len(data) - 8 :]
                if whole and fits(plain(kept)):
                    return when
            if time.perf_counter() > until or self._process.poll() is not None:
                raise Late(f"waited {timeout:.0f} s for {getattr(wanted, '__name__', wanted)!r}; there was {plain(kept)[-300:]!r}")
            with self._arrived:
                if len(self._chunks) == seen:
                    self._arrived.wait(0.2)

    def settle(self, quiet: float = 0.3, timeout: float = 30.0) -> None:
        """Wait until nothing came for so long."""
        until = time.perf_counter() + timeout
        while time.perf_counter() < until:
            before = self.mark()
            time.sleep(quiet)
            if self.mark() == before:
                return

    # --- keys

    def write(self, keys: bytes) -> float:
        """Write keys, and say when."""
        now = time.perf_counter()
        os.write(self._master, keys)
        return now

    def press(self, keys: bytes, timeout: float = 5.0, quiet: float = QUIET) -> Burst:
        """Write keys and wait for the burst of output that they bring."""
        since = self.mark()
        start = self.write(keys)
        last = start
        while True:
            chunks = self.chunks(since)
            now = time.perf_counter()
            if chunks:
                last = chunks[-1][0]
            if chunks and now - last >= quiet:
                return Burst(chunks[0][0] - start, last - start, sum(len(data) for _, data in chunks))
            if not chunks and now - start > timeout:
                return Burst(float("inf"), float("inf"), 0)
            with self._arrived:
                if len(self._chunks) == since + len(chunks):
                    self._arrived.wait(max(0.001, quiet - (now - last)) if chunks else 0.5)


def explorer(root: Path, *args: str, sync: bool = True) -> Terminal:
    """The explorer on a terminal."""
    import sys

    return Terminal([sys.executable, "-m", "asz_tui", "--root", str(root), *args], sync=sync)
