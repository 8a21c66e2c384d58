"""One history for all jumps: back to where each began, and forward again."""

from __future__ import annotations


class History:
    """The places between which the cursor jumped, by node id."""

    def __init__(self, limit: int = 200) -> None:
        """
        Args:
            limit: how many jumps are remembered.
        """
        self._limit = limit
        self._places: list[str] = []
        self._at = 0

    def jump(self, start: str | None, target: str) -> None:
        """Remember a jump; what was forward of here is forgotten."""
        del self._places[self._at + 1 :]
        if start is not None and (not self._places or self._places[-1] != start):
            self._places.append(start)
        self._places.append(target)
        del self._places[: -self._limit]
        self._at = len(self._places) - 1

    def back(self) -> str | None:
        """Where the last jump began, or None."""
        if self._at <= 0:
            return None
        self._at -= 1
        return self._places[self._at]

    def forward(self) -> str | None:
        """Where the next jump went, or None."""
        if self._at + 1 >= len(self._places):
            return None
        self._at += 1
        return self._places[self._at]
