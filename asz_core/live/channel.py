"""The keeper in a process of its own, and the line to it: messages as JSON, one a line, over its standard input and output.

Collecting takes a core for minutes where there is much, and in one process with a screen each key would wait for it. The keeper
ends when its standard input does, so it never outlives who started it; killed at any point, it goes on from there the next time.
"""

from __future__ import annotations

import contextlib
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import msgspec

from .bell import Bell
from .keeper import Keeper, Told


class Asked(msgspec.Struct, omit_defaults=True):
    """What is asked of the keeper.

    Attributes:
        want: the session that somebody looks at, empty for none; None for no change.
        describe: sessions whose title and directory are to be found out.
    """

    want: str | None = None
    describe: list[str] = msgspec.field(default_factory=list)


_encode = msgspec.json.Encoder().encode
_asked = msgspec.json.Decoder(Asked).decode
_told = msgspec.json.Decoder(Told).decode
_ENDED = None
_RESTARTS = 3


def serve(source: str, root: Path, told: BinaryIO, asked: BinaryIO) -> None:
    """Keep a root until nobody asks any more.

    Args:
        source: the source root.
        root: the live root.
        told: where messages go.
        asked: where they come from; its end is the keeper's.
    """
    waiting: queue.Queue[Asked | str | None] = queue.Queue()

    def tell(message: Told) -> None:
        told.write(_encode(message) + b"\n")
        told.flush()

    threading.Thread(target=_listen, args=(asked, waiting), daemon=True).start()
    keeper = Keeper(source, root, tell)
    bell = Bell(source, waiting.put)
    try:
        keeper.survey()
        # Who started this for one session has said so by now.
        if not _answer(keeper, waiting, 0.0):
            return
        bell.start()
        while _turn(keeper, bell, waiting):
            pass
    except BrokenPipeError:
        pass
    finally:
        keeper.close()
        bell.stop()


def _turn(keeper: Keeper, bell: Bell, waiting: queue.Queue[Asked | str | None]) -> bool:
    """Do some work, and what is asked for; whether to go on."""
    keeper.events = bell.alive
    pause = keeper.turn()
    return _answer(keeper, waiting, pause)


def _answer(keeper: Keeper, waiting: queue.Queue[Asked | str | None], pause: float) -> bool:
    """Do what is asked for, and wait for that no longer than so many seconds; whether to go on."""
    messages: list[Asked | str | None] = []
    with contextlib.suppress(queue.Empty):
        messages.append(waiting.get(timeout=pause) if pause else waiting.get_nowait())
        while True:
            messages.append(waiting.get_nowait())
    if _ENDED in messages:
        return False
    for session in {message for message in messages if isinstance(message, str)}:
        keeper.touched(session)
    for message in messages:
        if isinstance(message, Asked):
            if message.want is not None:
                keeper.want(message.want)
            keeper.describe(message.describe)
    return True


def _listen(asked: BinaryIO, waiting: queue.Queue[Asked | str | None]) -> None:
    for line in asked:
        with contextlib.suppress(msgspec.MsgspecError):
            waiting.put(_asked(line))
    waiting.put(_ENDED)


class LiveProcess:
    """A keeper's process, seen from who started it.

    Attributes:
        why: why there is none any more, a sentence; empty while there is.
    """

    def __init__(self, source: str, root: Path, told: Callable[[Told], None]) -> None:
        """
        Args:
            source: the source root.
            root: the live root.
            told: called with each message, in a thread.
        """
        self.why = ""
        self._source, self._root, self._told = source, root, told
        self._process: subprocess.Popen[bytes] | None = None
        self._wanted: str | None = None
        self._stopping = False
        self._starts = 0
        self._lock = threading.Lock()

    def start(self) -> LiveProcess:
        """Begin to keep the root; returns at once."""
        threading.Thread(target=self._run, name="asz-live", daemon=True).start()
        return self

    def _run(self) -> None:
        while not self._stopping and self._starts < _RESTARTS:
            self._starts += 1
            try:
                self._read()
            except OSError as error:
                self.why = f"the collector could not be started: {error.strerror or error}"
                break
        else:
            if not self._stopping:
                self.why = "the collector ended; what is collected stays, and asz-tui collect says why"
        if not self._stopping:
            self._told(Told())

    def _read(self) -> None:
        # The directory that somebody happens to be in is not looked into for modules; only where this one stands.
        command = [sys.executable, "-P", "-m", __package__, self._source, os.fspath(self._root)]
        here = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        env = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, [here, os.environ.get("PYTHONPATH", "")]))}
        # A session of its own: what the terminal sends to the explorer is not meant for the collector.
        process = subprocess.Popen(
            command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True
        )
        with self._lock:
            self._process = process
            if self._stopping:
                self._hang_up()
        if self._wanted:
            self.want(self._wanted)
        assert process.stdout is not None
        with process:
            for line in process.stdout:
                try:
                    self._told(_told(line))
                except msgspec.MsgspecError:
                    continue

    def want(self, session: str) -> None:
        """Have a session come first, because somebody looks at it; empty for none."""
        self._wanted = session
        self._ask(Asked(want=session))

    def describe(self, sessions: list[str]) -> None:
        """Have it found out what sessions are called and where they ran."""
        self._ask(Asked(describe=sessions))

    def _ask(self, message: Asked) -> None:
        process = self._process
        if process is not None and process.stdin is not None:
            with self._lock, contextlib.suppress(OSError, ValueError):
                process.stdin.write(_encode(message) + b"\n")
                process.stdin.flush()

    def stop(self) -> None:
        """Let the keeper end after the piece of work that it is at; it is not waited for."""
        self._stopping = True
        with self._lock:
            self._hang_up()

    def _hang_up(self) -> None:
        if self._process is not None and self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()
