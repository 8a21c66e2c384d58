"""The one family of errors that this package raises: what was read, where in it, and what is wrong.

Every message is one sentence that can be shown to a person as it is; none holds text of the data beyond ids and names.
"""

from __future__ import annotations


class AszError(Exception):
    """Anything that a storage root, a file or a request did wrong; ``str()`` is one plain sentence."""


class RootError(AszError):
    """The storage root cannot be used: it is missing, is not a directory, or cannot be read."""


class NotFound(AszError):
    """There is no such conversation, node, round or record."""


class Ambiguous(AszError):
    """An abbreviated id fits more than one conversation."""


class RoundError(AszError):
    """A round file does not read (formats.md section 3); ``line`` is the physical line, counted from 1, or 0."""

    def __init__(self, why: str, line: int = 0) -> None:
        super().__init__(f"line {line}: {why}" if line else why)
        self.line = line


class FoldError(AszError):
    """A round reads but does not continue the fold: another number, another previous, another policy."""


class ChainError(AszError):
    """A conversation has no usable round at all, so there is nothing to show (asz-view seed, Verification)."""


class RecordError(AszError):
    """A landed file or one of its lines does not read (formats.md section 2)."""


class WriteError(AszError):
    """A writer was asked for something that no reader would accept."""


class AssembleError(AszError):
    """A session cannot be assembled: a landed file or its chain does not read, or a round cannot be written."""


class ChainLocked(AssembleError):
    """Another program holds the lock of a conversation's chain."""
