"""Which sessions are collected (the collecting specification, §2.4)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from .sources import Source

DEFAULT_EXCLUDE = ("/private/tmp/**",)


class Selection:
    """Include and exclude patterns over the names of project directories."""

    def __init__(self, include: Sequence[str] = (), exclude: Sequence[str] = DEFAULT_EXCLUDE) -> None:
        self._include = [_matcher(pattern) for pattern in include if pattern.strip()]
        self._exclude = [_matcher(pattern) for pattern in exclude if pattern.strip()]

    def takes(self, sources: Iterable[Source]) -> bool:
        """Whether a session is taken, which then is taken whole.

        Args:
            sources: its sources, in order.
        """
        listed = list(sources)
        main = next((source.project for source in listed if source.stream == "main"), "")
        return self.takes_projects([main] if main else sorted({source.project for source in listed}))

    def takes_projects(self, tested: Sequence[str]) -> bool:
        """Whether a session is taken whose tested project directories these are."""
        if self._exclude and tested and all(any(matches(name) for matches in self._exclude) for name in tested):
            return False
        return not self._include or any(matches(name) for name in tested for matches in self._include)


def _matcher(pattern: str) -> Callable[[str], bool]:
    pattern = pattern.strip()
    below = pattern.endswith("/**")
    if below:
        pattern = pattern[:-3]
    if pattern.startswith("/"):
        pattern = re.sub(r"[/. ]", "-", pattern)
    if below:
        return lambda name: name == pattern or name.startswith(pattern + "-")
    glob = _glob(pattern)
    return pattern.__eq__ if glob is None else lambda name: glob.fullmatch(name) is not None


def _glob(pattern: str) -> re.Pattern[str] | None:
    """A shell glob as a regular expression; None when it is malformed."""
    out: list[str] = []
    at, end = 0, len(pattern)
    while at < end:
        char = pattern[at]
        at += 1
        if char == "*":
            out.append("[^/]*")
        elif char == "?":
            out.append("[^/]")
        elif char == "\\":
            if at == end:
                return None
            out.append(re.escape(pattern[at]))
            at += 1
        elif char == "[":
            found = _CLASS.match(pattern, at)
            if found is None:
                return None
            ranges = ["-".join(map(_quoted, pair)) for pair in _RANGE.findall(found[2])]
            out.append(f"[{found[1]}{''.join(ranges)}]")
            at = found.end()
        else:
            out.append(re.escape(char))
    try:
        return re.compile("".join(out), re.DOTALL)
    except re.error:
        return None


_CHAR = r"(?:\\.|[^\\\]\-])"
_CLASS = re.compile(rf"(\^?)((?:{_CHAR}(?:-{_CHAR})?)+)\]", re.DOTALL)
_RANGE = re.compile(rf"({_CHAR})(?:-({_CHAR}))?", re.DOTALL)


def _quoted(char: str) -> str:
    return re.escape(char[-1:])
