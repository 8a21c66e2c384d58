"""One watched directory: its stamp, and a mark of what is in it.

Owns: when a directory has to be listed again, and which names in it count (formats.md section 1).

A stamp is (device, inode, mtime, ctime). ctime is in it because rsync and tar put mtime back, and because a chmod that
makes a directory readable moves only ctime. A look costs one stat; on NFS an open, fstat and close: to open a
directory is what makes NFS ask its server (close-to-open), a stat alone may get an answer that is up to a minute old.

Some file systems count time in steps (FAT and old NFS servers 1-2 s, ext4 some ms): a name published in the same step
after a listing leaves the stamp as it was. So a directory is listed once more `SETTLE` seconds after its stamp moved.
"Moved lately" is never asked of the wall clock, which need not be the server's, but of the newest ctime seen on that
device: a directory that is that much older than another one cannot get its stamp a second time.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Callable, Iterable

SETTLE = 2.1
"""Seconds after which no file system can give a second change the same time."""

STAT_UP_TO = 256
"""Rounds up to which a listing compares size and mtime besides name and inode (a stat each)."""

Stamp = tuple[int, int, int, int]
Content = tuple[int, int] | frozenset[str]

_ROUND = re.compile(r"r[0-9]{6,}-[0-9a-f]{12}\.sf").fullmatch
_LANDED = re.compile(r"-[0-9]{6,}\.sd\Z").search
_GONE = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG})
_STAT_STILL_WORKS = frozenset({errno.EACCES, errno.EMFILE, errno.ENFILE, errno.ENOMEM})
_DIRECTORY = getattr(os, "O_DIRECTORY", 0)
_OPEN = os.O_RDONLY | _DIRECTORY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0)
_NANO = 1_000_000_000
_MASK = (1 << 64) - 1

NOTHING: tuple[int, int] = (0, 0)
NO_NAMES: frozenset[str] = frozenset()


class Devices:
    """What is known of the file systems a root lies on; every operation is O(1), but for a device seen first."""

    __slots__ = ("_newest", "_nfs")

    def __init__(self) -> None:
        self._newest: dict[int, int] = {}
        """The newest ctime (ns) seen on each: what stands for the file server's clock."""
        self._nfs: dict[int, bool] = {}

    def saw(self, stamp: Stamp) -> None:
        """Takes a stamp into account."""
        device, ctime = stamp[0], stamp[3]
        if device not in self._nfs:
            self._nfs[device] = is_nfs(device)
        if ctime > self._newest.get(device, 0):
            self._newest[device] = ctime

    def may_repeat(self, stamp: Stamp) -> bool:
        """Whether a directory with this stamp could have changed again without getting another one."""
        return stamp[3] >= self._newest.get(stamp[0], 0) - int(SETTLE * _NANO)

    def must_open(self, stamp: Stamp | None) -> bool:
        """Whether the next stamp of a directory with this one has to be taken `fresh`."""
        return stamp is not None and self._nfs.get(stamp[0], False)


def is_nfs(device: int, mounts: str = "/proc/self/mountinfo") -> bool:
    """Whether a device (`st_dev`) is an NFS mount; False where the system does not tell. O(mounts)."""
    number = f"{os.major(device)}:{os.minor(device)}"
    try:
        with open(mounts, encoding="utf-8", errors="replace") as lines:
            fields = [line.split() for line in lines]
    except OSError:
        return False
    return any(
        line[2] == number and line[line.index("-") + 1].startswith("nfs") for line in fields if len(line) > 2 and "-" in line[:-1]
    )


def is_round(name: str) -> bool:
    """Whether a file name is that of a published round."""
    return _ROUND(name) is not None


def is_landed(name: str) -> bool:
    """Whether a file name is that of a published landed file."""
    return _LANDED(name) is not None


def probe(path: str, *, fresh: bool = False) -> Stamp | None:
    """The stamp of a directory.

    Args:
        path: where it is; links are followed.
        fresh: open it, so that a network file system asks its server.

    Returns:
        The stamp; None when there is no directory of that name.

    Raises:
        OSError: it cannot be said (no permission on the way to it, an I/O fault).
    """
    try:
        found = _fresh_stat(path) if fresh and _DIRECTORY else os.stat(path)
    except OSError as fault:
        if fault.errno in _GONE:
            return None
        raise
    if not stat.S_ISDIR(found.st_mode):
        return None
    return (found.st_dev, found.st_ino, found.st_mtime_ns, found.st_ctime_ns)


def _fresh_stat(path: str) -> os.stat_result:
    try:
        handle = os.open(path, _OPEN)
    except OSError as fault:
        if fault.errno in _STAT_STILL_WORKS:
            return os.stat(path)
        raise
    try:
        return os.fstat(handle)
    finally:
        os.close(handle)


def list_rounds(path: str) -> tuple[int, int]:
    """How many round files a directory has, and the mark of their names, inodes, sizes and mtimes.

    Above `STAT_UP_TO` files only names and inodes are compared: a round is never rewritten, and a stat for every one
    of thousands of files with each new round is what the other 1 % would go to.

    Raises:
        OSError: the directory cannot be listed.
    """
    with os.scandir(path) as entries:
        rounds = [entry for entry in entries if _ROUND(entry.name) and _is_file(entry)]
    if len(rounds) > STAT_UP_TO:
        return _mark((entry.name, entry.inode()) for entry in rounds)
    return _mark(_identity(entry) for entry in rounds)


def _is_file(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_file(follow_symlinks=False)
    except OSError:  # one name that cannot be looked at must not hide the others
        return False


def _identity(entry: os.DirEntry[str]) -> tuple[str, int, int, int]:
    try:
        found = entry.stat(follow_symlinks=False)
    except OSError:  # gone since it was listed; that moves the stamp, so the next look sees it
        return (entry.name, 0, 0, 0)
    return (entry.name, found.st_ino, found.st_size, found.st_mtime_ns)


def list_landed(path: str) -> tuple[int, int]:
    """How many landed files a directory has, and the mark of their names. Raises OSError as `list_rounds` does."""
    with os.scandir(path) as entries:
        return _mark(entry.name for entry in entries if _LANDED(entry.name) and _is_file(entry))


def list_folders(path: str) -> frozenset[str]:
    """The names of the directories in a directory. Raises OSError as `list_rounds` does."""
    with os.scandir(path) as entries:
        return frozenset(entry.name for entry in entries if _is_folder(entry))


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _mark(items: Iterable[object]) -> tuple[int, int]:
    """Count and sum of hashes: O(1) memory for any number of names, and their order in the listing does not matter."""
    count = total = 0
    for item in items:
        count += 1
        total += hash(item)
    return (count, total & _MASK)


class Folder:
    """A directory and what was last seen in it."""

    __slots__ = ("content", "path", "settle_at", "stamp")

    def __init__(self, path: str, nothing: Content) -> None:
        self.path = path
        self.content: Content = nothing
        self.stamp: Stamp | None = None
        self.settle_at = 0.0
        """Monotonic time of the one more listing; 0 when none is due."""

    def look(
        self,
        lister: Callable[[str], Content],
        now: float,
        devices: Devices,
        *,
        force: bool = False,
    ) -> bool:
        """Looks whether the content changed, and remembers it.

        Args:
            lister: lists the directory.
            now: monotonic time in seconds.
            devices: of the root, brought up to date.
            force: list it whatever its stamp says (an event named it).

        Returns:
            Whether the content is another one than before. A directory that is gone has no content; one that cannot be
            read keeps what was known of it and is listed at the next look.
        """
        try:
            # The stamp is taken before the listing: what happens between the two moves the next stamp.
            stamp = probe(self.path, fresh=devices.must_open(self.stamp))
            if not (force or stamp != self.stamp or self._settles(now, devices)):
                return False
            content = lister(self.path) if stamp else self._nothing()
        except OSError:
            self.stamp = None
            self.settle_at = now
            return False
        self._remember(stamp, now, devices)
        changed = content != self.content
        self.content = content
        return changed

    def _nothing(self) -> Content:
        return NO_NAMES if isinstance(self.content, frozenset) else NOTHING

    def _settles(self, now: float, devices: Devices) -> bool:
        if not self.settle_at or now < self.settle_at:
            return False
        self.settle_at = 0.0
        return self.stamp is None or devices.may_repeat(self.stamp)

    def _remember(self, stamp: Stamp | None, now: float, devices: Devices) -> None:
        if stamp == self.stamp:
            return
        self.stamp = stamp
        self.settle_at = now + SETTLE if stamp else 0.0
        if stamp:
            devices.saw(stamp)
