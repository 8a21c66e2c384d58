"""A list that is made while it is walked: how the long lists of a document reach a renderer without all being in memory at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any


class Passing:
    """The entries of a list that is not empty, as dictionaries, lists and scalars; made anew on each walk, and not kept."""

    def __init__(self, walk: Callable[[], Iterator[Any]]) -> None:
        """
        Args:
            walk: makes the entries in order.
        """
        self._walk = walk

    def __iter__(self) -> Iterator[Any]:
        return self._walk()
