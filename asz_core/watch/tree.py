"""The remembered tree of a root: which directories matter, and what was last seen in them.

Owns: the layout (formats.md section 1) as far as watching needs it, and the comparison of now with before. No threads,
no waiting, no clock of its own: the caller says what to look at and when.

    <root>/                       listed for session ids            `sessions`
      <session>/                  one stat: a hint, see `Session`
        streams/ runs/            listed for their directories      a `Folder` each
        streams/<x>/ runs/<x>/ provider_body/   landed files        a `Folder` each
      _conversations/             listed for conversation ids
        <conversation>/rounds/    round files                       `conversations`, a `Folder` each

Everything else in a root is other programs' state and is never looked at.

Costs: `look_at_top` three stats (and a listing of what changed); `look_at_rounds` one; `look_at_session` 4 + the number
of its streams and runs, `hint` one. Memory: about 0.4 kB a directory, whatever the number of files.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import cast

from asz_core.watch.changes import Found
from asz_core.watch.folder import (
    NO_NAMES,
    NOTHING,
    Content,
    Devices,
    Folder,
    Stamp,
    list_folders,
    list_landed,
    list_rounds,
    probe,
)

CONVERSATIONS = "_conversations"
_GROUPS = ("streams", "runs")
_BODIES = "provider_body"


def list_root(path: str) -> frozenset[str]:
    """The session ids of a root: its directories but for those that begin with `_` or `.`. Raises OSError."""
    return frozenset(name for name in list_folders(path) if name[0] not in "_." and "\\" not in name)


def list_conversations(path: str) -> frozenset[str]:
    """The conversation ids of a `_conversations` directory. Raises OSError."""
    return frozenset(name for name in list_folders(path) if "\\" not in name)


def count(folder: Folder) -> int:
    """How many files a folder of rounds or landed files has."""
    content = folder.content
    return content[0] if isinstance(content, tuple) else len(content)


class Session:
    """The directories of one session that hold landed files.

    Its own directory's stamp is only a hint to look at once: whoever lands files saves `session.state` by rename after
    it. That moves the stamp, and saves looking at every stream of thousands of idle sessions to see one change soon.
    """

    __slots__ = ("folders", "groups", "path", "stamp")

    def __init__(self, path: str) -> None:
        self.path = path
        self.stamp: Stamp | None = None
        self.groups = [Folder(os.path.join(path, group), NO_NAMES) for group in _GROUPS]
        bodies = os.path.join(path, _BODIES)
        self.folders = {bodies: Folder(bodies, NOTHING)}

    def look(self, now: float, devices: Devices) -> bool:
        """Looks at all its directories; whether landed files came or went. Arguments as in `Folder.look`."""
        changed = False
        for group in self.groups:
            before = group.content
            if group.look(list_folders, now, devices):
                changed |= self._regroup(group, before, group.content)
        for folder in self.folders.values():
            changed |= folder.look(list_landed, now, devices)
        return changed

    def _regroup(self, group: Folder, before: Content, now: Content) -> bool:
        """Follows the directories of a group that came and went; whether landed files went with them."""
        assert isinstance(before, frozenset) and isinstance(now, frozenset)
        lost = False
        for name in before - now:
            gone = self.folders.pop(os.path.join(group.path, name), None)
            lost |= gone is not None and count(gone) > 0
        for name in now - before:
            path = os.path.join(group.path, name)
            self.folders[path] = Folder(path, NOTHING)
        return lost

    def hint(self) -> bool:
        """Whether the session's own directory moved since the last time."""
        try:
            stamp = probe(self.path)
        except OSError:
            return False
        moved = stamp != self.stamp
        self.stamp = stamp
        return moved

    def landed(self) -> int:
        """How many landed files it has."""
        return sum(count(folder) for folder in self.folders.values())


class Tree:
    """What is known of a root.

    Attributes:
        there: whether the root was there at the last look.
        why: the reason when it was there but cannot be read, else empty.
        conversations: the rounds directory of each conversation, by id; also of those without a round yet.
        sessions: the sessions by id.
        members: goes up when an id came into or went out of either.
    """

    def __init__(self, root: Path) -> None:
        self.path = os.fspath(root)
        self.there = False
        self.why = ""
        self.members = 0
        self.devices = Devices()
        self.conversations: dict[str, Folder] = {}
        self.sessions: dict[str, Session] = {}
        self._root = Folder(self.path, NO_NAMES)
        self._ids = Folder(os.path.join(self.path, CONVERSATIONS), NO_NAMES)
        self._known: tuple[int, int] | None = None
        self._known_ids: tuple[int, int] | None = None

    @property
    def identity(self) -> tuple[tuple[int, int] | None, tuple[int, int] | None] | None:
        """(device, inode) of the root and of `_conversations`, which tell them from others of the same name; None when
        there is no root."""
        return (self._known, self._known_ids) if self.there else None

    def has_rounds(self, name: str) -> bool:
        """Whether a conversation had a round when it was last looked at."""
        return name in self.conversations and count(self.conversations[name]) > 0

    def look_at_top(self, now: float, found: Found) -> tuple[frozenset[str], frozenset[str]]:
        """Looks whether the root is there and which conversations and sessions it has.

        Args:
            now: monotonic time in seconds.
            found: takes what came or went.

        Returns:
            The ids of new conversations and of new sessions, none of them looked at yet.
        """
        if not self._look_at_root(found):
            return NO_NAMES, NO_NAMES
        sessions_moved = self._root.look(list_root, now, self.devices)
        conversations_moved = self._ids.look(list_conversations, now, self.devices)
        if self._ids.stamp or not self._ids.content:  # else it is there and could not be read this time
            self._known_ids = self._ids.stamp[:2] if self._ids.stamp else None
        return (
            self._new_conversations(found) if conversations_moved else NO_NAMES,
            self._new_sessions(found) if sessions_moved else NO_NAMES,
        )

    def _look_at_root(self, found: Found) -> bool:
        there = self._identify()
        if there is None:
            found.root_gone |= self.there
        elif not self.there or there != self._known:
            found.root_gone |= self.there
            found.root_back = True
            self._known = there
        self.there = there is not None
        return self.there

    def _identify(self) -> tuple[int, int] | None:
        self.why = ""
        try:
            stamp = probe(self.path, fresh=True)
            if stamp is not None and not os.access(self.path, os.R_OK | os.X_OK):
                raise PermissionError("permission denied")
        except OSError as fault:
            self.why = f"the root cannot be read: {fault.strerror or fault}"
            return None
        return stamp[:2] if stamp else None

    def _new_conversations(self, found: Found) -> frozenset[str]:
        ids = cast("frozenset[str]", self._ids.content)
        for gone in self.conversations.keys() - ids:
            found.rounds(gone, count(self.conversations.pop(gone)), 0)
            self.members += 1
        new = frozenset(ids - self.conversations.keys())
        for name in new:
            self.conversations[name] = Folder(os.path.join(self._ids.path, name, "rounds"), NOTHING)
        self.members += len(new)
        return new

    def _new_sessions(self, found: Found) -> frozenset[str]:
        ids = cast("frozenset[str]", self._root.content)
        for gone in self.sessions.keys() - ids:
            if self.sessions.pop(gone).landed():
                found.sessions.add(gone)
            self.members += 1
        new = frozenset(ids - self.sessions.keys())
        for name in new:
            self.sessions[name] = Session(os.path.join(self.path, name))
        self.members += len(new)
        return new

    def conversation_times(self) -> dict[str, int]:
        """When the rounds of each conversation changed last (ctime in ns, 0 for unknown)."""
        return {name: rounds.stamp[3] if rounds.stamp else 0 for name, rounds in self.conversations.items()}

    def session_times(self) -> dict[str, int]:
        """When the directory of each session changed last (ctime in ns, 0 for unknown)."""
        return {name: session.stamp[3] if session.stamp else 0 for name, session in self.sessions.items()}

    def look_at_rounds(self, name: str, now: float, found: Found, *, force: bool = False) -> bool:
        """Looks at the rounds of one conversation.

        Args:
            name: its id; one that is not known is passed over.
            now: monotonic time in seconds.
            found: takes what changed.
            force: list them even when the stamp did not move.

        Returns:
            Whether something changed.
        """
        folder = self.conversations.get(name)
        if folder is None:
            return False
        before = count(folder)
        if not folder.look(list_rounds, now, self.devices, force=force):
            return False
        found.rounds(name, before, count(folder))
        return True

    def look_at_session(self, name: str, now: float, found: Found) -> bool:
        """Looks at the landed files of one session; arguments as in `look_at_rounds`."""
        session = self.sessions.get(name)
        if session is None or not session.look(now, self.devices):
            return False
        found.sessions.add(name)
        return True

    def hint(self, name: str) -> bool:
        """Whether a session should be looked at now (see `Session`)."""
        session = self.sessions.get(name)
        return session is not None and session.hint()
