"""What the detail pane's sections are made of: headings, aligned facts, and the words for addresses and amounts.

Keys name what a row stands for, so that a pane can act on it: ``("ref", seq, row)`` a landed record, ``("edge", id, direction)`` a
relation, ``("node", id)`` another node, ``("more", what)`` a list that `whole` shows to its end.

Cost: in proportion to what is handed in.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from msgspec import UNSET

from asz_core.sessionflow import Ref

from ...lines.line import Line, Span
from ...lines.text_rows import Block
from ...text.cells import width
from ...text.safe import visible
from ...text.words import counted

Item = Block | Line
Value = str | list[Span]
"""What a fact says: a text from data as it is, or spans that are safe already."""

_LABEL_CELLS = 18


def safe(text: str) -> str:
    """A text from data on one line, whole."""
    return visible(text)


def safe_lines(text: str) -> str:
    """A text from data with its line breaks, for spans."""
    return visible(text, multiline=True)


def heading(title: str, note: Sequence[Span] = ()) -> list[Item]:
    """A blank line and the heading of a section."""
    return [Line(), Line([(title, "title"), *note])]


class Facts:
    """Facts under one another, their values in one column."""

    def __init__(self) -> None:
        self._rows: list[tuple[str, Value, str, Hashable]] = []

    def __bool__(self) -> bool:
        return bool(self._rows)

    def add(self, label: str, value: Value, note: str = "", *, role: str = "text", key: Hashable = None) -> None:
        """Add a fact.

        Args:
            label: what it is; words of ours.
            value: what the data says.
            note: words of ours after it, dimmed.
            role: role of a value that is a text.
            key: see the module.
        """
        if note:
            spans = list(value) if isinstance(value, list) else [(safe_lines(value), role)]
            value = [*spans, (f"  {note}" if spans else note, "dim")]
        self._rows.append((label, value, role, key))

    def known(self, label: str, value: str, note: str = "", *, role: str = "text") -> None:
        """Add a fact unless its value is empty."""
        if value:
            self.add(label, value, note, role=role)

    def items(self, indent: int = 0) -> list[Item]:
        """The blocks."""
        widths = [width(label) for label, *_ in self._rows]
        cells = max((size for size in widths if size <= _LABEL_CELLS), default=0)
        out: list[Item] = []
        for (label, value, role, key), size in zip(self._rows, widths, strict=True):
            if size <= _LABEL_CELLS:
                label += " " * (cells - size)
                out.append(Block(value, role=role, kind="field", label=label, indent=indent, key=key))
            else:
                # A label is clipped where it is too wide for its column; such a one is written out before its value.
                spans = value if isinstance(value, list) else [(safe_lines(value), "")]
                out.append(Block([(label, "key"), ("  ", ""), *spans], role=role, indent=indent, key=key))
        return out


def where(ref: Ref) -> str:
    """An address in words: ``seq 1 · row 8 · block 1``."""
    block = "" if ref.block is UNSET else f" · block {ref.block}"
    return f"seq {ref.seq} · row {ref.row}{block}"


def record_key(ref: Ref) -> Hashable:
    """The key of a row that stands for a landed record."""
    return ("ref", ref.seq, ref.row)


def size_words(count: int) -> str:
    """``48,211 bytes``."""
    return counted(count, "byte")


def text_bytes(text: str) -> int:
    """The UTF-8 bytes of a text, lone surrogates counted as they would be replaced."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def dim(text: str, *, indent: int = 0) -> Block:
    """A sentence of ours, dimmed."""
    return Block([(text, "dim")], indent=indent)
