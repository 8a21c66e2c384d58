"""Storage roots to measure: made ones of any size, and copies of any root that may be written into.

A copy shares the files with the original by hard links; published files are never changed, so what lands goes into the copy alone.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from asz_core.sessionflow import Chain
from asz_core.storage import Storage

from .growing import Growing

CONVERSATION = "5eedb16b-0000-4000-8000-000000000001"
ROUNDS = 50
STEPS = 18_000
"""Of a root of size 1: about these many steps in `ROUNDS` rounds, a main stream and 107 children, about 33 MB."""
_TALKS = 365
_CHILDREN = 107


def large_root(root: Path, scale: int = 1) -> str:
    """Make a root with one conversation of `scale` times 18,000 steps.

    Args:
        root: a folder to be made.
        scale: 1 or more; rounds, talks and child agents grow with it.

    Returns:
        The conversation's id.
    """
    grown = Growing(root, CONVERSATION)
    rounds = ROUNDS * scale
    for number in range(rounds):
        talks = _share(_TALKS * scale, number, rounds)
        grown.grow(talks, _share(_CHILDREN * scale, number, rounds))
    return CONVERSATION


def _share(total: int, number: int, of: int) -> int:
    return total * (number + 1) // of - total * number // of


def many_root(root: Path, count: int) -> list[str]:
    """Make a root of many small conversations: one talk, two rounds each.

    Returns:
        Their ids.
    """
    ids = []
    for number in range(count):
        name = f"5eed{number:04d}-0000-4000-8000-{number:012d}"
        grown = Growing(root, name, f"small conversation {number}")
        grown.second = number * 60.0
        grown.grow(1, calls=3)
        grown.grow(1, calls=3)
        ids.append(name)
    return ids


def copy_of(root: Path, conversation: str, to: Path) -> Path:
    """A root with one conversation of another root, into which more may land."""
    chain = Chain(Storage(root), conversation)
    chain.refresh()
    assert chain.fold.header is not None
    for part in (chain.fold.header.session, f"_conversations/{conversation}"):
        shutil.copytree(root / part, to / part, copy_function=_link)
    return to


def _link(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def size_of(root: Path) -> int:
    """Bytes of all files below a folder."""
    return sum(os.lstat(os.path.join(folder, name)).st_size for folder, _, names in os.walk(root) for name in names)
