"""Text from data inside of Markdown: what it may contain, and why it cannot become anything but text.

Two forms, and both give the text back as it is:

- a *fence* is longer than any run of its sign in the text, so nothing in the text closes it;
- a *quote* of a paragraph has a backslash before every sign that Markdown could read, on lines that have no blanks at their ends;
  a paragraph for which that would not give back every blank is fenced instead.

A text stands on lines of its own, each begun with the prefix of what contains it (``> ``, or the blanks of a list), so it cannot
leave its place either. Characters that act on a terminal or turn the direction of writing are shown as symbols (`legible`):
Markdown files are read in terminals as well. Everything else, tabs and emoji included, is left as it is.

Cost: linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..text.safe import visible

_ACTING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_RUN = re.compile("`+")
# A sign that Markdown may read wherever it stands. A single underscore inside of a word is none: names stay as they are.
_ANYWHERE = re.compile(r"[\\`*\[\]<>&|~$]|(?<![^\W_])_|_(?![^\W_])")
# What makes a block at the start of a line: headings, lists, underlines, rules, and what some readers add to these.
_AT_START = re.compile(r"(?m)^(?:(\d{1,9})(?=[.)])|(?=[#+\-=:!]))")
_FENCE = re.compile(r"\s*(?:`{3,}|~{3,})")
_ODD_BLANKS = re.compile(r"(?m)^[\s]|[\s]$|\t")
_LONGEST_PARAGRAPH = 100_000
"""Characters of a paragraph up to which it is quoted; what reads Markdown has a hard time with more."""


def legible(text: str) -> str:
    """A text from data in which nothing acts; line breaks are ``\\n``, tabs stay."""
    return _ACTING.sub(lambda match: visible(match[0]), text.replace("\r\n", "\n"))


def inline(text: str, longest: int = 0, *, begins: bool = True) -> str:
    """A text from data on one line, to be read literally.

    Args:
        text: the text as the data has it.
        longest: characters after which it is cut; 0 for any number.
        begins: whether it may stand at the beginning of a line.
    """
    line = " ".join(visible(text, screen=False).split())
    if longest and len(line) > longest:
        line = line[: longest - 1].rstrip() + "…"
    return _literal(line, begins=begins)


def code(text: str, longest: int = 0) -> str:
    """A text from data on one line as a code span, or a word for an empty one."""
    line = visible(text, screen=False)
    if longest and len(line) > longest:
        line = line[: longest - 1] + "…"
    if not line.strip():
        return "(empty)"
    run = "`" * (_longest_run(line) + 1)
    # One blank at each end is taken off again; without it, signs at the ends would join the fence.
    blank = " " if line[0] in "` " or line[-1] in "` " else ""
    return f"{run}{blank}{line}{blank}{run}"


def cell(text: str) -> str:
    """A Markdown text for a cell of a table."""
    return re.sub(r"(?<!\\)\|", r"\\|", text)


def _longest_run(text: str) -> int:
    return max((len(run) for run in _RUN.findall(text)), default=0)


def _literal(text: str, *, begins: bool = True) -> str:
    """Put a backslash before everything that could be read as Markdown."""
    text = _ANYWHERE.sub(r"\\\g<0>", text)
    if not begins:
        return text
    return _AT_START.sub(lambda match: (match[1] or "") + "\\", text)


def fenced(text: str, prefix: str, info: str = "") -> Iterator[str]:
    """A text from data as a fenced block.

    Args:
        text: `legible`; its content is the text and one line break.
        prefix: what begins every line, so that it stays inside of what contains it.
        info: the language, a word of ours.

    Returns:
        Lines with their line breaks.
    """
    fence = "`" * max(3, _longest_run(text) + 1)
    yield f"{prefix}{fence}{info}\n"
    for line in text.split("\n"):
        yield f"{prefix}{line}\n"
    yield f"{prefix}{fence}\n"


def quoted(text: str, prefix: str) -> Iterator[str]:
    """A message as a quote: paragraphs as paragraphs, code and what blanks matter in as fenced blocks.

    Line breaks at the end of the message are left out.

    Args:
        text: `legible`.
        prefix: what begins every line before the quote's own sign.

    Returns:
        Lines with their line breaks.
    """
    inner = f"{prefix}> "
    for number, (block, is_prose) in enumerate(blocks(text.rstrip("\n"))):
        if number:
            yield f"{inner.rstrip()}\n"
        if is_prose:
            # A backslash at the end of a line keeps its line break.
            yield from (f"{inner}{line}\n" for line in _literal(block).replace("\n", "\\\n").split("\n"))
        else:
            yield from fenced(block, inner)


def blocks(text: str) -> Iterator[tuple[str, bool]]:
    """A text in blocks, with whether each is plain prose; joined by empty lines they are the text again."""
    held: list[str] = []
    in_fence = False
    for block in text.split("\n\n"):
        fences = sum(1 for line in block.split("\n") if _FENCE.match(line))
        is_prose = not in_fence and not fences and bool(block) and len(block) <= _LONGEST_PARAGRAPH
        in_fence ^= fences % 2 == 1
        if is_prose and not _ODD_BLANKS.search(block):
            if held:
                yield "\n\n".join(held), False
                held = []
            yield block, True
        else:
            held.append(block)
    if held:
        yield "\n\n".join(held), False
