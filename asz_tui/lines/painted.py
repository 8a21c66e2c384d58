"""`Painted`: a widget whose screen lines are ready strips, and how they get to the screen without a detour.

What the module owns: which strip stands on which screen line, and which is due there. Textual renders a line by way of its style
sheet (borders, padding, tints), puts a frame together from all widgets in sight, and paints what several widgets changed for one
key in several frames, each up to two of its ticks later. Lines here have nothing of a style sheet: their strips go to the
compositor as they are, all that changed for one key stands in one frame, and after a key that changed nothing but lines
(`paint_now`) these are written without putting a frame together at all. Where a list as wide as the terminal was scrolled, the
terminal moves the lines that stay, and only the others are written. Where few lines changed, only the part of each that differs is.

Cost: `show_lines` and a frame cost the lines that differ; a frame that the compositor makes, a look at every line in sight too.
"""

from __future__ import annotations

from time import monotonic
from typing import Any

from rich.console import Console
from rich.control import Control
from textual import events
from textual._compositor import CompositorUpdate
from textual.geometry import Region
from textual.screen import UPDATE_PERIOD, Screen
from textual.strip import Strip
from textual.widget import Widget

from asz_tui.lines.paint import changed_part, same_strip

_FEW = 8
"""Lines up to which it is found out what of each has to be written; more are sent as they were made ahead."""


class Painted(Widget):
    """Paints what `render_line` makes."""

    ALLOW_SELECT = False

    _painted: dict[int, Strip]
    _due: dict[int, Strip]
    _shift = 0
    """How far the lines were scrolled since they were painted, up when positive."""
    _painting = False

    def show_lines(self, lines: dict[int, Strip]) -> None:
        """Have screen lines painted, in the frame in which everything else is that changed in this turn."""
        if not lines:
            return
        width = self.size.width
        self._due.update(lines)
        self.refresh(*[Region(0, line, width, 1) for line in lines])
        screen = self.screen
        if screen.is_current and self in screen._compositor.visible_widgets:
            # Otherwise the screen learns of it only once this widget's own queue is empty: a frame later.
            screen._dirty_widgets.add(self)
            screen.check_idle()
            self._repaint_required = False

    async def _on_key(self, event: events.Key) -> None:
        """Do what a key is bound to without handing it on from widget to widget first, and show at once what that changed."""
        if await self.app._check_bindings(event.key):
            event.stop()
            paint_now(self.screen)

    def render_lines(self, crop: Region) -> list[Strip]:
        """Paint for the compositor; only what is made in here counts as being on the screen."""
        self._painting = True
        self._shift = 0
        try:
            width = self.size.width
            whole = crop.column_span == (0, width) and self.outer_size == self.size and not self.get_line_filters()
            return self._as_they_are(crop, width) if whole else super().render_lines(crop)
        finally:
            self._painting = False

    def _as_they_are(self, crop: Region, width: int) -> list[Strip]:
        """As Textual does, with its own notes of what is to be made anew, for lines that the style sheet adds nothing to."""
        styles = self._styles_cache
        if styles._width != width:
            styles.clear()
            styles._width = width
        known, dirty = styles._cache, styles._dirty_lines
        strips = []
        for line in crop.line_range:
            strip = known.get(line)
            if strip is None or line in dirty:
                strip = known[line] = self.render_line(line)
            strips.append(strip)
        dirty.difference_update(crop.line_range)
        return strips

    def _take_due(self, *, can_scroll: bool) -> tuple[int, list[tuple[int, int, Strip]]] | None:
        """How far to scroll and what is due then, taken as painted; None where more is to be painted than lines that are due.

        Returns:
            The lines to scroll, up when positive; and where to begin, on which line, with what.
        """
        due = self._due
        if self.outer_size != self.size or not all(region.height == 1 and region.y in due for region in self._repaint_regions):
            return None
        shift, lines = self._scrolled(due) if can_scroll and self._shift else (0, due)
        parts = [(0, line, strip) for line, strip in sorted(lines.items())]
        if len(parts) <= _FEW:
            parts = [_part_of(line, self._painted.get(line + shift), strip) for _, line, strip in parts]
        self._exchange_repaint_regions()
        self._due = {}
        self._shift = 0
        self._painted.update(due)
        self._styles_cache._cache.update(due)
        self._styles_cache._dirty_lines.difference_update(due)
        return shift, parts

    def _scrolled(self, due: dict[int, Strip]) -> tuple[int, dict[int, Strip]]:
        """The lines that differ once what is painted is scrolled; no scroll where that spares nothing."""
        height, painted, shift = self.size.height, self._painted, self._shift
        if abs(shift) >= height or len(painted) < height:
            return 0, due
        lines = {}
        for line in range(height):
            strip = due.get(line) or painted[line]
            if not same_strip(painted.get(line + shift), strip):
                lines[line] = strip
        return (shift, lines) if len(lines) + 1 < len(due) else (0, due)


def _part_of(line: int, before: Strip | None, after: Strip) -> tuple[int, int, Strip]:
    start, part = changed_part(before, after)
    return start, line, part


class _Lines(CompositorUpdate):
    """Lines to be written, and where each begins; and what is scrolled before."""

    def __init__(self) -> None:
        self.lines: list[tuple[int, int, Strip]] = []
        self.scrolls: list[tuple[int, int, int]] = []  # first line, last line, how far up

    def render_segments(self, console: Console) -> str:
        """What is sent to the terminal."""
        scrolls = [_scroll(*scroll) for scroll in self.scrolls]
        return "".join([*scrolls, *(Control.move_to(x, y).segment.text + strip.render(console) for x, y, strip in self.lines)])


def _scroll(first: int, last: int, up: int) -> str:
    """Scroll some lines as every terminal can: a line feed at the end of the scrolling region, or its reverse at the beginning."""
    region = f"\x1b[{first + 1};{last + 1}r"
    if up > 0:
        return f"{region}\x1b[{last + 1};1H" + "\n" * up + "\x1b[r"
    return f"{region}\x1b[{first + 1};1H" + "\x1bM" * -up + "\x1b[r"


def paint_now(screen: Screen[Any]) -> None:
    """Show what is to be painted at once, unless a frame was shown a moment ago: then at the screen's next tick, as always."""
    now = monotonic()
    if not screen._dirty_widgets or not screen.is_current or now - getattr(screen, "_shown_at", 0.0) < UPDATE_PERIOD:
        return
    screen._shown_at = now  # type: ignore[attr-defined]
    lines = _lines_only(screen)
    if lines is None:
        screen._on_timer_update()
    else:
        screen.app._display(screen, lines)  # type: ignore[arg-type]


def _lines_only(screen: Screen[Any]) -> _Lines | None:
    """All that is to be painted, taken as painted; None when it is more than lines that nothing lies over."""
    app, dirty = screen.app, screen._dirty_widgets
    if screen is not app.screen or app._batch_count or app.is_inline or app.get_line_filters():
        return None
    if screen._layout_required or screen._scroll_required or screen._repaint_required or screen._recompose_required:
        return None
    free = _free(screen)
    if screen._compositor._dirty_regions or not all(widget in free for widget in dirty):
        return None
    found = _Lines()
    for widget in list(dirty):
        x, y = free[widget]
        whole = x == 0 and widget.size.width == screen.size.width
        taken = widget._take_due(can_scroll=whole and not found.scrolls)  # type: ignore[attr-defined]
        if taken is None:
            # What was taken of the others is still to be written; the compositor writes it with the rest.
            regions = [Region(x, y, strip.cell_length, 1) for x, y, strip in found.lines]
            regions += [Region(0, first, screen.size.width, last + 1 - first) for first, last, _ in found.scrolls]
            screen._compositor._dirty_regions.update(regions)
            return None
        shift, parts = taken
        dirty.discard(widget)
        if shift:
            found.scrolls.append((y, y + widget.size.height - 1, shift))
        found.lines += [(x + start, y + line, strip) for start, line, strip in parts]
    return found


def _free(screen: Screen[Any]) -> dict[Widget, tuple[int, int]]:
    """Where the widgets of lines stand that are in sight as a whole and that nothing lies over; found once for a layout."""
    visible = screen._compositor.visible_widgets
    known = getattr(screen, "_free_lines", None)
    if known is None or known[0] is not visible:
        free: dict[Widget, tuple[int, int]] = {}
        for widget, (region, clip) in visible.items():
            if not isinstance(widget, Painted) or not clip.contains_region(region) or not screen.region.contains_region(region):
                continue
            around = {widget, *widget.ancestors}
            others = [place.intersection(cut) for other, (place, cut) in visible.items() if other not in around]
            if not any(other.overlaps(region) for other in others):
                free[widget] = region.offset
        known = screen._free_lines = visible, free  # type: ignore[attr-defined]
    found: dict[Widget, tuple[int, int]] = known[1]
    return found
