"""From spans to Textual strips: roles looked up, neighbours merged, results kept.

What the module owns: the styles in use (`Palette`) and the bounded store of finished strips (`StripCache`).

Cost: a look-up of a role or of a strip is one dictionary access; a strip is made in proportion to its spans.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from asz_tui.lines.line import Span
from asz_tui.text.safe import visible

_WORTH = 24
"""Cells that must be spared before a part of a line is written instead of all of it."""


class Palette:
    """The styles of one widget: a theme's roles over the widget's own base style."""

    def __init__(self, roles: dict[str, Style], base: Style) -> None:
        """Take a theme and a base.

        Args:
            roles: the theme (`asz_tui.lines.theme.styles_for`).
            base: the widget's style; its background shows wherever a role sets none.
        """
        self.roles = roles
        self.base = base + roles.get("text", Style.null())
        self._known: dict[tuple[str, str], Style] = {}

    def style(self, role: str, over: str = "") -> Style:
        """Look up the style of a role.

        Args:
            role: one role word, or several with blanks between; unknown words count for nothing.
            over: a role laid over everything, such as "cursor".

        Returns:
            The combined style.
        """
        style = self._known.get((role, over))
        if style is None:
            style = self.base
            for word in (*role.split(), over):
                if word in self.roles:
                    style += self.roles[word]
            self._known[role, over] = style
        return style

    def strip(self, spans: Iterable[Span], cells: int, over: str = "") -> Strip:
        """Make a strip.

        Args:
            spans: the texts, `cells` wide together.
            cells: the width.
            over: a role laid over the whole row.

        Returns:
            The strip. Neighbours that look alike become one segment: every segment is a control sequence to send.
        """
        texts: list[str] = []
        styles: list[Style] = []
        for text, role in spans:
            # Texts come here made safe; should one be forgotten, it is still not obeyed.
            if not text.isprintable():
                text = visible(text)
            style = self.style(role, over)
            if styles and (styles[-1] == style or (text.isspace() and _same_blank(styles[-1], style))):
                texts[-1] += text
            elif styles and texts[-1].isspace() and _same_blank(styles[-1], style):
                texts[-1] += text
                styles[-1] = style
            else:
                texts.append(text)
                styles.append(style)
        return Strip(map(Segment, texts, styles), cells)


def _same_blank(one: Style, other: Style) -> bool:
    """Tell whether a blank looks the same in two styles."""
    if one.bgcolor != other.bgcolor:
        return False
    return not any(s.underline or s.reverse or s.strike or s.overline or s.underline2 for s in (one, other))


class StripCache:
    """Finished strips by whatever tells them apart; thrown out first is what was not asked for the longest.

    Attributes:
        limit: the most strips to keep.
        made: how many were ever put in.
    """

    def __init__(self, limit: int = 600) -> None:
        """Set the bound.

        Args:
            limit: the most strips to keep; some screens full.
        """
        self.limit = limit
        self.made = 0
        self._strips: dict[Hashable, Strip] = {}

    def __len__(self) -> int:
        return len(self._strips)

    def get(self, key: Hashable) -> Strip | None:
        """Look a strip up."""
        strip = self._strips.pop(key, None)
        if strip is not None:
            self._strips[key] = strip
        return strip

    def put(self, key: Hashable, strip: Strip) -> None:
        """Keep a strip, at the cost of the one that was not asked for the longest when full."""
        if len(self._strips) >= self.limit:
            del self._strips[next(iter(self._strips))]
        self.made += 1
        self._strips[key] = strip

    def clear(self) -> None:
        """Forget all."""
        self._strips.clear()


def same_strip(one: Strip | None, other: Strip) -> bool:
    """Tell whether two strips would put the same on the screen.

    Args:
        one: a strip, or None for nothing painted yet.
        other: a strip.

    Returns:
        True when repainting could be spared.
    """
    return one is other or (one is not None and list(one) == list(other))


def changed_part(before: Strip | None, after: Strip) -> tuple[int, Strip]:
    """What has to be written of a line where another one stands.

    Args:
        before: what stands there; None for nothing that is known.
        after: the whole line.

    Returns:
        The cell at which to begin, and what to write from there on: all of it where that spares little.
    """
    width = after.cell_length
    if before is None or before.cell_length != width:
        return 0, after
    old, new = list(before), list(after)
    start = _cells_alike(old, new)
    end = width - _cells_alike(_reversed(old, start, width), _reversed(new, start, width))
    return (0, after) if start + width - end < _WORTH else (start, after.crop(start, end))


def _cells_alike(one: Sequence[Segment], other: Sequence[Segment]) -> int:
    """Cells at the beginning that look the same in both; cut between segments, or between two characters of plain ASCII."""
    cells = 0
    for a, b in zip(one, other, strict=False):
        if not (cell_len(a.text[:1]) and cell_len(b.text[:1])):
            return 0  # it belongs to the cell before it
        if a == b:
            cells += cell_len(a.text)
            continue
        if a.style == b.style and a.text.isascii() and b.text.isascii():
            shorter = min(len(a.text), len(b.text))
            cells += next((at for at in range(shorter) if a.text[at] != b.text[at]), shorter)
        break
    return cells


def _reversed(segments: Sequence[Segment], start: int, end: int) -> list[Segment]:
    """The segments between two cells from the last to the first, those of ASCII turned round."""
    cut = Strip(segments).crop(start, end)
    return [Segment(s.text[::-1], s.style) if s.text.isascii() else s for s in reversed(list(cut))]
