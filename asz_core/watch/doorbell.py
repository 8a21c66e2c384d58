"""Whether native events can be relied on.

Owns: when `Native` is armed, armed anew and given up, and the words for why. For the watcher's thread, but for `ring`,
which `Native` calls from watchdog's. Every operation is O(names given) but arming, which is O(conversations).

Events are armed for one root and one `_conversations`, told by device and inode: a link that is turned or a directory
that is replaced makes the watches worthless. On a network file system arming works and what other machines do makes no
event; that shows as changes which only the poll finds, and is said rather than passed over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from asz_core.watch.native import Native

_ANNOUNCED_WITHIN = 2.0
"""Seconds an event may be late behind the poll before it counts as one that did not come."""
_MISSES = 2
"""So many that did not come, and the file system is one that has none."""
_ARMINGS = 3


class Doorbell:
    """The native events of a root and what is known of their health.

    Attributes:
        works: whether events arrive, as far as is known.
        note: why not; empty when they do, or are not wanted.
        settled: whether it is decided for the root that is there.
    """

    def __init__(self, ring: Callable[[str | None], None], *, wanted: bool) -> None:
        """
        Args:
            ring: see `Native`.
            wanted: False for none at all.
        """
        self._native = Native(ring) if wanted else None
        self.works = False
        self.note = ""
        self._armed_for: object = None
        self._armings = 0
        self._expected: dict[str, float] = {}
        """Conversations whose change the poll found, and until when an event may still say so."""
        self._misses = 0

    @property
    def settled(self) -> bool:
        return self._native is None or self._armed_for is not None

    def mind(self, identity: object, path: str, now: float) -> None:
        """Arms the events for the root that is there now; gives them up when they end or do not come.

        Args:
            identity: of the root (`Tree.identity`); None when there is none.
            path: where it is.
            now: monotonic time in seconds.
        """
        if self._native is None:
            return
        if identity is None:
            self.silence("")
            self._armed_for = None
        elif identity != self._armed_for:
            self._armings = 0
            self._arm(identity, path)
        elif self.works:
            self._check(path, now)

    def heard(self, conversations: Iterable[str]) -> None:
        """Events named these conversations."""
        for name in conversations:
            self._expected.pop(name, None)

    def polled(self, conversations: Iterable[str], now: float) -> None:
        """The poll found these conversations changed, before any event said so."""
        if self.works:
            for name in conversations:
                self._expected.setdefault(name, now + _ANNOUNCED_WITHIN)

    def silence(self, note: str) -> None:
        """Ends the events; until another root is there they stay ended."""
        self.works = False
        self.note = note
        if self._native:
            self._native.disarm()

    def _arm(self, identity: object, path: str) -> None:
        self._armings += 1
        self._misses = 0
        self._expected.clear()
        assert self._native is not None
        self.note = self._native.arm(path)
        self.works = not self.note
        self._armed_for = identity

    def _check(self, path: str, now: float) -> None:
        late = [name for name, until in self._expected.items() if until < now]
        self.heard(late)
        self._misses += len(late)
        if self._misses >= _MISSES:
            self.silence("no file events, polling: this file system does not send any")
        elif self._native is not None and not self._native.alive:
            if self._armings < _ARMINGS:
                self._arm(self._armed_for, path)
            else:
                self.silence("no file events, polling: they end by themselves")
