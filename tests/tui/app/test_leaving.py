"""Leaving the real program on a real pty: by signal and by key, the terminal is left sane and the exit code is right."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time

import pytest

from asz_tui.app import terminal_is_gone

_SANE = (b"\x1b[?1049l", b"\x1b[?25h")


class Terminal:
    """A program on a pty of 80x24."""

    def __init__(self) -> None:
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ.update(TERM="xterm-256color", LANG="C.UTF-8", XDG_STATE_HOME="/nonexistent", XDG_CONFIG_HOME="/nonexistent")
            os.execv(sys.executable, [sys.executable, "-m", "asz_tui", "demo"])
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))

    def read(self, until: bytes, seconds: float = 15.0) -> bytes:
        """What it writes until some words, its end, or the time is over."""
        out = b""
        end = time.monotonic() + seconds
        while until not in out and time.monotonic() < end:
            if select.select([self.fd], [], [], 0.05)[0]:
                try:
                    piece = os.read(self.fd, 65_536)
                except OSError:
                    break
                if not piece:
                    break
                out += piece
        return out

    def ended(self, seconds: float = 10.0) -> int:
        """Its exit code."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                return os.waitstatus_to_exitcode(status)
            time.sleep(0.02)
        os.kill(self.pid, signal.SIGKILL)
        raise AssertionError("it did not end")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (None, 0)])
def test_the_terminal_is_left_as_it_was(number: signal.Signals | None, code: int) -> None:
    terminal = Terminal()
    try:
        assert b"asz-tui demo" in terminal.read(b"1 of 3")
        if number is None:
            os.write(terminal.fd, b"\x03")
        else:
            os.kill(terminal.pid, number)
        out = terminal.read(b"\x1b[never")
        assert all(sequence in out for sequence in _SANE) and b"Traceback" not in out
        assert terminal.ended() == code
    finally:
        with contextlib.suppress(OSError):
            os.close(terminal.fd)


def test_a_terminal_that_is_gone_is_noticed() -> None:
    ours, theirs = pty.openpty()
    with open(theirs, "rb", buffering=0) as stream:
        assert not terminal_is_gone(stream)
        os.close(ours)
        assert terminal_is_gone(stream)
    assert not terminal_is_gone(None)


def test_it_ends_with_its_terminal_though_no_signal_tells() -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGHUP])  # a program started now inherits that
    try:
        terminal = Terminal()
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGHUP])
    assert b"asz-tui demo" in terminal.read(b"1 of 3")
    os.close(terminal.fd)
    terminal.ended(20.0)
