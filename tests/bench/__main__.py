"""`python -m tests.bench`: what the explorer and the commands cost, each figure a ratio to something measured in the same run.

Without arguments it makes large roots in a temporary folder; `python -m tests.bench ROOT ID` measures a given conversation.
`--only NAME,NAME` runs some sections, `--runs N` puts several runs side by side, `--keep DIR` keeps the roots for the next time.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from . import commands, landing, screens, searching, soak
from .roots import BIG, large_root, many_conversations
from .table import Figure, heading, row, summary

SECTIONS = ("commands", "start", "keys", "wire", "search", "landing", "large", "home", "idle", "soak")
_SOAK = 1000


class Bench:
    """The roots, made when a section first asks for them, and the sections."""

    def __init__(self, folder: Path, given: tuple[Path, str] | None) -> None:
        """
        Args:
            folder: where roots are made.
            given: a root and a conversation to be measured instead of made ones.
        """
        self._folder = folder
        self._given = given
        self._words: dict[Path, str] = {}
        self._seen: dict[int, screens.Seen] = {}
        self._empty = 0.0

    def root(self, scale: int = 1) -> tuple[Path, str, str]:
        """A root of so many times the usual size: its path, the conversation, what its first row says."""
        if self._given is not None and scale == 1:
            path, conversation = self._given
        else:
            path = self._folder / f"{scale}x"
            conversation = large_root(path, BIG * scale)
        if path not in self._words:
            self._words[path] = screens.first_words(path, conversation)
        return path, conversation, self._words[path]

    def written(self, scale: int = 1) -> tuple[Path, str, str]:
        """A copy of a root, into which rounds may be landed."""
        path, conversation, words = self.root(scale)
        copy = self._folder / "copies" / f"{scale}x"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(path, copy)
        return copy, conversation, words

    def forget(self) -> None:
        """Measure the keys anew in the next run."""
        self._seen.clear()

    def seen(self, scale: int = 1) -> screens.Seen:
        """The keys of an explorer, pressed once a run."""
        if scale not in self._seen:
            self._seen[scale] = screens.keys(*self.root(scale))
        return self._seen[scale]

    def section(self, name: str) -> Iterator[Figure]:
        """The figures of a section, as they are measured."""
        parts: dict[str, Callable[[], Iterable[Figure]]] = {
            "commands": lambda: commands.figures(*self.root()[:2]),
            "start": lambda: screens.start(*self.root()),
            "keys": self._keys,
            "wire": lambda: screens.wire(*self.root(), self.seen()),
            "search": lambda: searching.figures(*self.root()),
            "landing": self._landing,
            "large": self._large,
            "home": lambda: soak.home(*many_conversations(self._folder / "many", 3000)),
            "idle": lambda: soak.idle(many_conversations(self._folder / "sixty", 60)[0]),
            "soak": lambda: soak.rounds(*self.written(), _SOAK),
        }
        yield from parts[name]()

    def _keys(self) -> Iterator[Figure]:
        yield from screens.key_figures(self.seen(), screens.empty_key())

    def _landing(self) -> Iterator[Figure]:
        small, large = (landing.model(*self.written(scale)[:2]) for scale in (1, 10))
        yield from landing.figures(small, large)
        yield from landing.on_the_screen(*self.written())

    def _large(self) -> Iterator[Figure]:
        yield from screens.large(*self.root(10))
        yield from screens.ratios(self.seen(), self.seen(10))


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__.split("\n")[0])
    parser.add_argument("root", nargs="?", type=Path, help="a storage root to be measured instead of a made one")
    parser.add_argument("id", nargs="?", help="the conversation in it")
    parser.add_argument("--only", default=",".join(SECTIONS), help=f"some of {','.join(SECTIONS)}")
    parser.add_argument("--runs", type=int, default=1, help="how many runs to put side by side")
    parser.add_argument("--keep", type=Path, help="a folder in which the made roots stay")
    options = parser.parse_args()
    names = options.only.split(",")
    wrong = [name for name in names if name not in SECTIONS]
    if wrong or (options.root is None) != (options.id is None):
        parser.error(f"there is no section {wrong[0]}" if wrong else "a root needs the id of a conversation")
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        bench = Bench(folder, (options.root, options.id) if options.root else None)
        runs: list[list[Figure]] = []
        for number in range(options.runs):
            heading(f"run {number + 1} of {options.runs}")
            runs.append([])
            bench.forget()
            for name in names:
                for figure in bench.section(name):
                    row(figure)
                    runs[-1].append(figure)
        summary(runs)


if __name__ == "__main__":
    main()
