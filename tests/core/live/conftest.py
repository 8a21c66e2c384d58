"""A source directory, a root, and a keeper whose clocks stand still until a test moves them."""

from __future__ import annotations

from pathlib import Path

import pytest

from asz_core.live import Keeper, Told
from asz_core.live.keeper import SLICE
from tests.claude import Writer, session_id

AT = 1_767_312_000_000_000_000


class Clocks:
    """The time of day in nanoseconds, and seconds that never go back."""

    def __init__(self) -> None:
        self.ns, self.seconds = AT, 100.0

    def pass_by(self, seconds: float) -> None:
        """Move both on."""
        self.ns += int(seconds * 1e9)
        self.seconds += seconds


class Kept:
    """A keeper and all that it told."""

    def __init__(self, source: Path, root: Path, clocks: Clocks) -> None:
        self.told: list[Told] = []
        self.clocks = clocks
        self.keeper = Keeper(source, root, self.told.append, now_ns=lambda: clocks.ns, clock=lambda: clocks.seconds)

    def settle(self, most: int = 200) -> list[str]:
        """Let it work until there is nothing to do; the sessions it worked on, in turn."""
        worked = []
        for _ in range(most):
            pause = self.keeper.turn()
            if pause:
                return worked
            worked.append(self.keeper._current)
        raise AssertionError(f"still at work after {most} turns")

    def states(self) -> dict[int, str]:
        """The state of each session, by its number."""
        return {int(name[4:8]): found.state for name, found in self.keeper.sessions.items()}

    def previews(self) -> list[tuple[str, str]]:
        """The previews that were told of."""
        return [message.preview for message in self.told if message.preview is not None]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """An empty source root."""
    folder = tmp_path / "claude" / "projects"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Where the live root will stand."""
    return tmp_path / "data" / "asz-tui" / "live" / "x" / "root"


@pytest.fixture
def clocks() -> Clocks:
    """Clocks that stand still."""
    return Clocks()


@pytest.fixture
def kept(source: Path, root: Path, clocks: Clocks) -> Kept:
    """A keeper of the source."""
    return Kept(source, root, clocks)


def written(source: Path, number: int, *, size: int = 3_000, ago: float = 0.0, directory: str = "/srv/shop", title: str = "") -> Writer:
    """A session that was last written to so many seconds before the clocks' beginning."""
    import os

    writer = Writer(source, session_id(number), directory, seed=number, bulk=100).write(size, title)
    when = AT - int(ago * 1e9)
    os.utime(writer.path, ns=(when, when))
    return writer


__all__ = ["AT", "SLICE", "Clocks", "Kept", "written"]
