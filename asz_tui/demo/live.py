"""Landing a conversation's rounds one by one into a root, the way the collecting program does it.

Each file is written beside its place, made durable and read-only, and renamed; landed files before the round that consumes them.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

from asz_core.sessiondata.writer import publish
from asz_core.sessionflow.round import decode_header_line
from asz_core.storage import RoundFile, Storage, read_file

from . import LIVE_CONVERSATION, sample_root


class LivePublisher:
    """Copies a conversation into a root, a round at a time: with `publish_next`, or on the clock between `start` and `stop`.

    Attributes:
        conversation: what is published.
        error: why the clock stopped before the last round, or None.
    """

    def __init__(
        self,
        target_root: Path,
        interval: float = 3.0,
        *,
        source: Path | None = None,
        conversation: str = LIVE_CONVERSATION,
    ) -> None:
        """
        Args:
            target_root: a root to write into; made when it is not there.
            interval: seconds between two rounds.
            source: the root to copy from; the bundled sample by default.
            conversation: the whole id of the one to copy.
        """
        self.conversation = conversation
        self.error: Exception | None = None
        self._target = target_root
        self._interval = interval
        self._source = Storage(source or sample_root())
        self._steps = self._plan()
        self._one_at_a_time = threading.Lock()
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def _plan(self) -> Iterator[tuple[int, list[Path]]]:
        """Round by round its number and the files to publish, paths below the root: those it consumes, then itself."""
        base = self._source.path
        waiting: list[tuple[int, Path]] | None = None
        for file in self._source.rounds(self.conversation):
            session, through = _consumes(file)
            if waiting is None:
                waiting = [(landed.seq, Path(landed.wire)) for landed in self._source.landed(session)]
            due = [path for seq, path in waiting if seq <= through]
            waiting = [entry for entry in waiting if entry[0] > through]
            yield file.number, [*due, Path(file.path).relative_to(base)]

    def publish_next(self) -> int | None:
        """Publish the next round and what it consumes.

        Returns:
            Its number; None when there is none left.

        Raises:
            WriteError: when one of its files is there already.
            OSError: when the root cannot be written.
        """
        with self._one_at_a_time:
            step = next(self._steps, None)
            if step is None:
                return None
            number, paths = step
            for path in paths:
                publish(self._target / path, read_file(str(self._source.path / path)))
            return number

    def start(self) -> None:
        """Publish the first round now, and the others on the clock in a thread of its own, until the last or until `stop`."""
        if self._thread is not None:
            return
        self.publish_next()
        self._thread = threading.Thread(target=self._run, name="asz-demo", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            while not self._stopping.wait(self._interval):
                if self.publish_next() is None:
                    return
        except Exception as error:  # the disk is full, or the root is gone: nobody is there to catch it in this thread
            self.error = error

    def stop(self) -> None:
        """Stop the clock; when this returns, nothing is written any more. As often as you like."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()

    def __enter__(self) -> LivePublisher:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def _consumes(file: RoundFile) -> tuple[str, int]:
    """The session whose landed files a round consumes, and the sequence to which it does."""
    header = decode_header_line(read_file(file.path).split(b"\n", 1)[0])
    return header.session, header.through_seq
