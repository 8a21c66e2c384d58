"""On which line of a TOML file a key stands, which `tomllib` does not tell.

The text has been read by `tomllib`, so it is right; this only walks over it: headers, keys, and values passed over with their
strings and brackets. Keys inside an inline table are found by the line of the table.

Cost: one pass.
"""

from __future__ import annotations

import re
import tomllib

Path = tuple[str, ...]

DEEPEST = 8
"""Parts of a key that are told apart; no option has more than three."""

_KEY = re.compile(r"""[ \t]*(?:"(?P<basic>(?:\\.|[^"\\\n])*)"|'(?P<literal>[^'\n]*)'|(?P<bare>[A-Za-z0-9_-]+))[ \t]*""")
_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_VALUE = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}|' + r"'''.*?'{3,5}|" + r'"(?:\\.|[^"\\\n])*"|' + r"'[^'\n]*'|#[^\n]*|[\[\]{}\n]|[^\[\]{}\"'#\n]+",
    re.DOTALL,
)


class Places:
    """The lines of the keys of a file."""

    def __init__(self, text: str) -> None:
        """
        Args:
            text: the file, which reads as TOML.
        """
        self._text = text
        self._lines: dict[Path, int] = {}
        self._walk()

    def line(self, path: Path) -> int:
        """The line of a key, or of the nearest table that it is in; 1 where even that is not to be found."""
        for length in range(min(len(path), DEEPEST + 1), 0, -1):
            if path[:length] in self._lines:
                return self._lines[path[:length]]
        return 1

    def _walk(self) -> None:
        text, at, line, counted = self._text, 0, 1, 0
        table: Path = ()
        while True:
            blank = _BLANK.match(text, at)
            at = blank.end() if blank else at
            if at >= len(text):
                return
            line += text.count("\n", counted, at)
            counted = at
            if text[at] == "[":
                table, at = self._dotted(at + (2 if text.startswith("[[", at) else 1))
                self._put((), table, line)
            else:
                key, at = self._dotted(at)
                self._put(table, key, line)
            at = self._past_value(at)

    def _put(self, table: Path, key: Path, line: int) -> None:
        # `a.b = 1` is the first place of `a` too.
        for length in range(1, min(len(key), DEEPEST) + 1):
            self._lines.setdefault(table + key[:length], line)

    def _dotted(self, at: int) -> tuple[Path, int]:
        """The parts of a key, and where it ends."""
        parts: list[str] = []
        while found := _KEY.match(self._text, at):
            parts.append(_unescaped(found["basic"]) if found["basic"] is not None else found["literal"] or found["bare"] or "")
            at = found.end()
            if self._text[at : at + 1] != ".":
                break
            at += 1
        return tuple(parts), at

    def _past_value(self, at: int) -> int:
        """The end of the line on which a value ends; of a header, whose brackets are half read, the end of its line."""
        depth = 0
        while at < len(self._text):
            found = _VALUE.match(self._text, at)
            if found is None:
                return at + 1  # a lone quote, which no TOML has
            piece = found[0]
            at = found.end()
            if piece in ("[", "{"):
                depth += 1
            elif piece in ("]", "}"):
                depth -= 1
            elif piece == "\n" and depth <= 0:
                return at
        return at


def _unescaped(text: str) -> str:
    if "\\" not in text:
        return text
    try:
        return str(tomllib.loads(f'key = "{text}"')["key"])
    except tomllib.TOMLDecodeError:
        return text
