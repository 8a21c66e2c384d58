"""Messages laid out for reading: Markdown to blocks of spans, line by line.

A reader for terminals, not a parser of CommonMark: line breaks stay where the writer put them, and nothing is dropped. Taken away
are only the signs of strong words, which are bold in every theme, and the fences of code; headings, emphasised words and code words
keep theirs, since no style may carry a meaning alone. Links show their address. Text that is no Markdown comes out as it is.
Markup of any other kind (HTML, Rich) is text.

Every text passes `visible` before it is looked at, and each span once more, as a sign taken away may leave a mark behind alone.

Cost: linear, about 1 MB a second; above `LIMIT` the caller shows the text as it stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ...lines.line import Span
from ...lines.text_rows import Block
from ...text.cells import width, wrap
from ...text.safe import visible
from .jsontext import json_block

LIMIT = 200_000
"""Characters; longer texts are not laid out."""

_MAX_QUOTE = 8
_CELL = 36
"""Cells of a table's widest column; longer cells are wrapped inside it."""
_INLINE_LINE = 20_000

_STARTS = re.compile(r" *[`~>#*\-+_0-9]|\s*$")
"""What a line begins with that may be more than words."""
_SIGNS = re.compile(r"[\\`*_\[]|https?:")

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)$")
_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ ]+|$)(.*)$")
_RULE = re.compile(r" {0,3}(?:(?:\*[ ]*){3,}|(?:-[ ]*){3,}|(?:_[ ]*){3,})$")
_ITEM = re.compile(r"( *)([-*+]|\d{1,9}[.)])[ ]+(\S.*)$")
_QUOTE = re.compile(r" {0,3}>[ ]?")
_TABLE_RULE = re.compile(r" {0,3}\|?[ ]*:?-+:?[ ]*(?:\|[ ]*:?-+:?[ ]*)*\|?[ ]*$")
_CELLS = re.compile(r"(?<!\\)\|")

_INLINE = re.compile(
    r"(?P<escape>\\[!-/:-@\[-`{-~])"
    r"|(?P<code>(?<!`)(?P<ticks>`{1,3})(?!`)(?P<said>[^`]{1,2000})(?P=ticks)(?!`))"
    r"|\*\*(?=\S)(?P<strong>[^*\n]{1,600}?)(?<=\S)\*\*"
    # One word between double underscores is a name: __init__.
    r"|(?<!\w)__(?=[^\s_]+ )(?P<strong2>[^_\n]{1,600}?)(?<=\S)__(?!\w)"
    r"|(?<![\w*])\*(?=[^\s*])(?P<em>[^*\n]{1,600}?)(?<=\S)\*(?![\w*])"
    r"|(?<![\w_])_(?=[^\s_])(?P<em2>[^_\n]{1,600}?)(?<=\S)_(?![\w_])"
    r"|!?\[(?P<link>[^\[\]\n]{1,600})\]\((?P<url>[^()\s]{1,2000})\)"
    r"|(?P<bare>https?://[^\s<>()\[\]]{1,2000})"
)


def markdown(text: str, *, role: str = "text") -> list[Block]:
    """Lay a text out.

    Args:
        text: as the data has it.
        role: of ordinary words.

    Returns:
        Blocks; no empty ones at the ends.
    """
    if len(text) > LIMIT:
        return [Block(text, role=role)]
    lines = visible(text, multiline=True).strip("\n").split("\n")
    return list(_Layout(lines, role).blocks())


class _Layout:
    """Walks lines and yields blocks; quotes are walked by a layout of their own, no deeper than `_MAX_QUOTE`."""

    def __init__(self, lines: Sequence[str], role: str, depth: int = 0) -> None:
        self.lines = lines
        self.role = role
        self.depth = depth
        self.at = 0

    def blocks(self) -> Iterator[Block]:
        while self.at < len(self.lines):
            line = self.lines[self.at]
            if _STARTS.match(line) is None and "|" not in line:
                self.at += 1
                yield self._words(line)
                continue
            found = _FENCE.match(line)
            if found and not ("`" in found[1] and "`" in found[2]):
                yield from self._fence(found[1], found[2].strip())
            elif self.depth < _MAX_QUOTE and _QUOTE.match(line):
                yield from self._quote()
            elif self._is_table():
                yield from self._table()
            else:
                self.at += 1
                yield self._line(line)

    def _line(self, line: str) -> Block:
        if not line.strip():
            return Block("", role=self.role)
        if found := _HEADING.match(line):
            return Block([(found[1] + " ", "dim"), *inline(found[2], "title")], role="title")
        if _RULE.match(line):
            return Block([("─" * 24, "bar")])
        if found := _ITEM.match(line):
            sign = "•" if found[2] in "-*+" else found[2]
            return Block(inline(found[3], self.role), role=self.role, kind="field", label=sign, indent=min(len(found[1]), 16))
        return self._words(line)

    def _words(self, line: str) -> Block:
        """A line of words; markup at its start is none."""
        lead = len(line) - len(line.lstrip(" "))
        # Indented lines keep their blanks on every row they are wrapped to, as the continuation of an item needs it.
        indent = min(lead, 16)
        return Block(inline(line[indent:], self.role), role=self.role, indent=indent)

    def _fence(self, fence: str, info: str) -> Iterator[Block]:
        """A block of code: up to the closing fence, or to the end where there is none."""
        closing = re.compile(rf" {{0,3}}{re.escape(fence[0])}{{{min(len(fence), 1000)},}}[ ]*$")
        end = self.at + 1
        while end < len(self.lines) and not closing.match(self.lines[end]):
            end += 1
        text = "\n".join(self.lines[self.at + 1 : end])
        self.at = end + 1
        if info:
            yield Block([(info, "dim")], indent=2)
        language = info.lower()
        block = json_block(text, indent=2) if language in ("json", "jsonc") else None
        kind = "diff" if language in ("diff", "patch") else "code"
        yield block or Block(text, role="code", kind=kind, indent=2)

    def _quote(self) -> Iterator[Block]:
        begin = self.at
        while self.at < len(self.lines) and _QUOTE.match(self.lines[self.at]):
            self.at += 1
        inside = [_QUOTE.sub("", line, count=1) for line in self.lines[begin : self.at]]
        for block in _Layout(inside, "dim", self.depth + 1).blocks():
            spans = [(block.text, block.role)] if isinstance(block.text, str) else list(block.text)
            if block.label:
                spans.insert(0, (" " * block.indent + block.label + " ", "key"))
            elif block.indent:
                spans.insert(0, (" " * block.indent, ""))
            kind = "prose" if block.kind == "field" else block.kind
            yield Block(_barred(spans), role=block.role, kind=kind)

    # --- tables

    def _is_table(self) -> bool:
        at, lines = self.at, self.lines
        return (
            "|" in lines[at] and at + 1 < len(lines) and "-" in lines[at + 1] and "|" in lines[at + 1]
            and _TABLE_RULE.match(lines[at + 1]) is not None
        )  # fmt: skip

    def _table(self) -> Iterator[Block]:
        rows = [_table_cells(self.lines[self.at])]
        signs = _table_cells(self.lines[self.at + 1])
        self.at += 2
        while self.at < len(self.lines) and "|" in self.lines[self.at]:
            rows.append(_table_cells(self.lines[self.at]))
            self.at += 1
        columns = max(map(len, rows))
        rows = [row + [""] * (columns - len(row)) for row in rows]
        sizes = [min(_CELL, max(1, *(width(row[at]) for row in rows))) for at in range(columns)]
        to_right = [at < len(signs) and signs[at].endswith(":") and not signs[at].startswith(":") for at in range(columns)]
        for number, row in enumerate(rows):
            lines = _table_lines(row, sizes, to_right)
            yield Block([("\n".join(lines), "title" if number == 0 else self.role)], kind="code")
            if number == 0:
                yield Block([("─┼─".join("─" * size for size in sizes), "bar")], kind="code")


def _barred(spans: Sequence[Span]) -> list[Span]:
    """Put a quote's bar before every line of some spans."""
    out: list[Span] = [("│ ", "bar")]
    for text, role in spans:
        parts = text.split("\n")
        for part in parts[:-1]:
            out += [(part, role), ("\n│ ", "bar")]
        out.append((parts[-1], role))
    return out


def _table_cells(line: str) -> list[str]:
    """The cells of a table's line, their signs taken away."""
    line = line.strip()
    line = line.removeprefix("|")
    if line.endswith("|") and not line.endswith("\\|"):
        line = line[:-1]
    return ["".join(text for text, _ in inline(cell.strip().replace("\\|", "|"), "text")) for cell in _CELLS.split(line)]


def _table_lines(row: list[str], sizes: list[int], to_right: list[bool]) -> list[str]:
    """A row of a table as lines, each cell wrapped inside its column."""
    cells = [wrap(text, size) for text, size in zip(row, sizes, strict=True)]
    lines = []
    for at in range(max(map(len, cells))):
        texts = []
        for cell, size, right in zip(cells, sizes, to_right, strict=True):
            text = cell[at] if at < len(cell) else ""
            blanks = " " * (size - width(text))
            texts.append(blanks + text if right else text + blanks)
        lines.append(" │ ".join(texts).rstrip())
    return lines


def inline(text: str, role: str) -> list[Span]:
    """The words of a line with their styles.

    Args:
        text: one line, safe already.
        role: of ordinary words.
    """
    if len(text) > _INLINE_LINE or _SIGNS.search(text) is None:
        return [(text, role)]
    out: list[Span] = []
    at = 0
    for found in _INLINE.finditer(text):
        if found.start() > at:
            out.append((text[at : found.start()], role))
        at = found.end()
        out += _styled(found, role)
    if at < len(text):
        out.append((text[at:], role))
    return [(visible(part, multiline=True), its_role) for part, its_role in out]


def _styled(found: re.Match[str], role: str) -> list[Span]:
    which = found.lastgroup
    if found["code"] is not None:
        return [(found["code"], "code")]
    if which == "escape":
        # What is escaped is no sign; the backslash stays, as it may be one of a path or a pattern.
        return [(found[0], role)]
    if which in ("strong", "strong2"):
        return [(found[which], "title")]
    if which in ("em", "em2"):
        return [(found[0], f"{role} em")]
    if which == "bare":
        return [(found[0], "accent")]
    said, url = found["link"], found["url"]
    picture: list[Span] = [("picture ", "dim")] if found[0].startswith("!") else []
    return [*picture, (said, "accent"), (f" ({url})", "dim")]
