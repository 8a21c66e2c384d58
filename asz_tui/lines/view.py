"""`LineView`: the widget that shows a row source, one screen line a row, with a cursor. Every list is one.

It scrolls by itself: a plain widget with a `top` row, not a Textual `ScrollView`. There, a changed length is a new
layout and repaints the widget, and a scroll repaints a scrollbar cell by cell; here nothing is written but the lines
that differ from what is on the screen.

Cost: a cursor move asks the source for the two rows concerned; a scroll, a refresh or `source_changed` asks for
the visible rows (and for `index_of` of the anchor), whatever the length of the source. Rows not asked for cost nothing.
A view that is told to (`ahead`) makes the rows a page, half a page and an end away while nothing else is to be done, in slices of
two milliseconds, so that those keys find them ready.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import ClassVar

from rich.style import Style
from textual import events
from textual.message import Message
from textual.strip import Strip

from asz_tui.lines.ahead import Ahead
from asz_tui.lines.line import Line, ListSource, RowSource, Span, fit
from asz_tui.lines.mouse import Scrolled
from asz_tui.lines.paint import Palette, StripCache, same_strip
from asz_tui.lines.scroll import clamp_top, keep_in_view, thumb
from asz_tui.lines.theme import styles_for
from asz_tui.text.cells import pad
from asz_tui.text.safe import ascii_only, visible

_NEVER = object()
"""A version that no source has."""


class LineView(Scrolled, can_focus=True):
    """Shows a `RowSource`. Keys are bound by the panes, to the actions below."""

    DEFAULT_CSS: ClassVar[str] = """
    LineView { width: 1fr; height: 1fr; overflow: hidden hidden; }
    """

    margin = 2
    """Rows kept in sight before and after the cursor."""
    scroll_jump = 1
    """Rows to scroll at least when the cursor leaves the view; more on a slow line, where a scroll is dear."""

    class RowMessage(Message):
        """A message about one row."""

        def __init__(self, view: LineView, index: int, key: Hashable) -> None:
            """Say which row, by index and by key (-1 and None in an empty view)."""
            super().__init__()
            self.view = view
            self.index = index
            self.key = key

        @property
        def control(self) -> LineView:
            """The view, for `@on` selectors."""
            return self.view

    class Moved(RowMessage):
        """The cursor stands on another row. Several moves in a row are told once, with the last."""

    class Selected(RowMessage):
        """A row was clicked; the cursor is there already."""

    class Activated(RowMessage):
        """A row was double-clicked, or `activate` was called."""

    def __init__(
        self,
        source: RowSource | None = None,
        *,
        empty_text: str = "",
        show_cursor: bool = True,
        gutter: bool = True,
        bar: bool = True,
        ascii: bool | None = None,
        name: str | None = None,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        """Make a view.

        Args:
            source: its rows; none to begin with when left out.
            empty_text: what to say, on one line or several, while there are no rows.
            show_cursor: show and move a cursor; otherwise the movements scroll, and the "cursor" is the first row seen.
            gutter: keep a column at the left for the cursor's glyph and the rows' marks.
            bar: keep a column at the right for the scrollbar.
            ascii: write ASCII only; None asks the app (`ascii_mode`).
            name: see Textual.
            id: see Textual.
            classes: see Textual.
        """
        super().__init__(name=name, id=id, classes=classes)
        self._source: RowSource = ListSource() if source is None else source
        self._empty_text = empty_text
        self._show_cursor = show_cursor
        self._gutter = int(gutter)
        self._bar = int(bar)
        self._ascii = ascii
        self._top = 0
        self._cursor = 0 if len(self._source) else -1
        self._cursor_key: Hashable = self._source.key(0) if len(self._source) else None
        self._told: Hashable = self._cursor_key
        self._telling = False
        self._keys: list[Hashable] = []  # of the rows in view when last looked, the anchors of a change
        self._palette: Palette | None = None
        self._strips = StripCache()
        self._painted: dict[int, Strip] = {}
        self._due: dict[int, Strip] = {}
        self.ahead: Ahead | None = None
        self._version_seen: Hashable = _NEVER  # the source's, when last looked
        self._height_seen = 0
        self._thumb = (0, 0)

    # What is shown

    @property
    def source(self) -> RowSource:
        """The rows; see `set_source`."""
        return self._source

    @property
    def cursor(self) -> int:
        """Index of the cursor's row, -1 when there is none."""
        return self._cursor if self._show_cursor else min(self._top, len(self._source) - 1)

    @property
    def cursor_key(self) -> Hashable:
        """Key of the cursor's row, None when there is none."""
        return self._cursor_key

    @property
    def top(self) -> int:
        """Index of the first row in view."""
        return self._top

    @property
    def thumb(self) -> tuple[int, int]:
        """The first screen line of the scrollbar's thumb, and the one after its last."""
        return self._thumb

    @property
    def row_width(self) -> int:
        """Cells that a row of the source has."""
        return max(0, self.size.width - self._gutter - self._bar)

    @property
    def ascii(self) -> bool:
        """Whether to write ASCII only."""
        return bool(getattr(self.app, "ascii_mode", False)) if self._ascii is None else self._ascii

    @property
    def ellipsis(self) -> str:
        """What stands for clipped text."""
        return "~" if self.ascii else "…"

    @property
    def empty_text(self) -> str:
        """What is said while there are no rows."""
        return self._empty_text

    @empty_text.setter
    def empty_text(self, text: str) -> None:
        if text != self._empty_text:
            self._empty_text = text
            self._look()

    @property
    def show_cursor(self) -> bool:
        """Whether there is a cursor."""
        return self._show_cursor

    @show_cursor.setter
    def show_cursor(self, show: bool) -> None:
        self._show_cursor = show
        self._place(self._top if show else self._cursor, self._top)

    def set_source(self, source: RowSource, *, keep: bool = True) -> None:
        """Show other rows.

        Args:
            source: the new rows.
            keep: stay, as far as the new rows have the same keys, where the view is; otherwise begin at the first.
        """
        self._source = source
        self._strips.clear()
        self._version_seen = _NEVER
        if keep:
            self.source_changed()
        else:
            self._keys = []
            self._place(0, 0)

    def let_go(self) -> None:
        """Drop the rows, for a view that is not shown any more."""
        self._source = ListSource()
        self._keys = []
        self._strips.clear()

    def source_changed(self) -> None:
        """Take notice of rows that came, went or changed: call it after every change of the source.

        The cursor stays on its row and on its screen line, and only the lines that now read differently are written.
        Where the cursor's row is gone, the nearest row in view that is still there gets the cursor; where the cursor
        is out of view, the first row in view keeps its place instead.
        """
        height, count = self.size.height, len(self._source)
        on_line = self._cursor - self._top
        in_view = self._show_cursor and 0 <= on_line < max(1, height)
        line, index = self._anchor(on_line if in_view else 0, self._cursor_key if in_view else None)
        if in_view:
            cursor, top = index, index - line
        else:
            top = index - line
            found = self._source.index_of(self._cursor_key) if count and self._cursor_key is not None else None
            cursor = self._cursor if found is None else found
        self._place(cursor, top)

    def _anchor(self, line: int, key: Hashable) -> tuple[int, int]:
        """Find a row that was in view and still is in the source, nearest to a screen line.

        Args:
            line: the screen line.
            key: the key of its row, when known.

        Returns:
            (the screen line where the row was, its index now).
        """
        keys = self._keys
        if key is not None and (index := self._source.index_of(key)) is not None:
            return line, index
        for distance in range(len(keys) + 1):
            for near in {line - distance: None, line + distance: None}:
                if 0 <= near < len(keys) and (index := self._source.index_of(keys[near])) is not None:
                    return near, index
        return line, min(self._top + line, len(self._source) - 1)

    def restyle(self) -> None:
        """Look up the theme (`app.line_styles`) and the ASCII mode again, and paint everything anew."""
        self._palette = None
        self._strips.clear()
        self._due.clear()
        self.refresh()

    def make_ahead(self) -> None:
        """Have the rows that the next key will most likely show made before it comes; see `Ahead`."""
        if self._show_cursor and self.can_focus:
            self.ahead = self.ahead or Ahead(self)
            self.ahead.soon()

    # Moving

    def move_to(self, target: Hashable, *, by_key: bool = False, center: bool = False) -> bool:
        """Put the cursor on a row, and the row into view.

        Args:
            target: the row's index, or its key.
            by_key: take an int as a key; anything but an int always is one.
            center: bring the row to the middle, even when it is in view.

        Returns:
            False when there is no such key; nothing happens then. An index out of range is the nearest in range.
        """
        index: int | None
        if isinstance(target, int) and not by_key:
            index = target
        else:
            index = self._source.index_of(target)
        if index is None:
            return False
        self._need(index)
        self._go(index, center=center)
        return True

    def cursor_up(self) -> None:
        """Go up one row."""
        self._step(-1)

    def cursor_down(self) -> None:
        """Go down one row."""
        self._step(1)

    def page_up(self) -> None:
        """Go up a screen, less one row for the eye to hold on to."""
        self._page(-max(1, self.size.height - 1))

    def page_down(self) -> None:
        """Go down a screen, less one row."""
        self._page(max(1, self.size.height - 1))

    def half_page_up(self) -> None:
        """Go up half a screen."""
        self._page(-max(1, self.size.height // 2))

    def half_page_down(self) -> None:
        """Go down half a screen."""
        self._page(max(1, self.size.height // 2))

    def home(self) -> None:
        """Go to the first row."""
        self._go(0)

    def end(self) -> None:
        """Go to the last row."""
        self._go(len(self._source) - 1)

    def activate(self) -> None:
        """Say that the cursor's row was chosen."""
        if len(self._source):
            self.post_message(self.Activated(self, self.cursor, self._cursor_key))

    action_cursor_up, action_cursor_down = cursor_up, cursor_down
    action_page_up, action_page_down = page_up, page_down
    action_half_page_up, action_half_page_down = half_page_up, half_page_down
    action_home, action_end, action_activate = home, end, activate

    def scroll_rows(self, rows: int) -> None:
        """Scroll without moving the cursor, which may go out of view.

        Args:
            rows: how far, down when positive.
        """
        self._need(self._top + rows + 2 * self.size.height)
        self._place(self._cursor, self._top + rows)

    def show_from(self, index: int) -> None:
        """Let the view begin at a row; the cursor stays."""
        self._place(self._cursor, index)

    def count(self) -> int:
        """How many rows there are."""
        return len(self._source)

    def _need(self, index: int) -> None:
        """Make sure that the source knows its rows up to one. For sources that grow as they are read."""

    def _step(self, rows: int) -> None:
        if self._show_cursor:
            self._need(self._cursor + rows)
            self._go(self._cursor + rows)
        else:
            self.scroll_rows(rows)

    def _page(self, rows: int) -> None:
        """Move the cursor and the view by the same distance, so that the cursor stays on its screen line."""
        self._need(max(self._top, self._cursor) + rows + 2 * self.size.height)
        if self.ahead is not None:
            self.ahead.heading = 1 if rows > 0 else -1
        cursor = self._clamp(self._cursor + rows)
        top = clamp_top(self._top + rows, self.size.height, len(self._source))
        if self._show_cursor:
            top = keep_in_view(cursor, top, self.size.height, self.margin)
        self._place(cursor, top)

    def _go(self, index: int, *, center: bool = False) -> None:
        """Put the cursor on a row and scroll as little as that needs; over a distance, to the middle."""
        index = self._clamp(index)
        if not self._show_cursor:
            self._place(index, index - (self.size.height // 2 if center else 0))
            return
        height = self.size.height
        far = not self._top - height <= index < self._top + 2 * height
        if center or far:
            top = index - height // 2
        else:
            top = keep_in_view(index, self._top, height, self.margin, self.scroll_jump)
        self._place(index, top)

    def _clamp(self, index: int) -> int:
        return max(0, min(index, len(self._source) - 1))

    def _place(self, cursor: int, top: int) -> None:
        """Set cursor and view, whatever they were, and repaint what that changes."""
        count, old, old_top, old_count = len(self._source), self._cursor, self._top, len(self._keys)
        self._top = clamp_top(top, self.size.height, count)
        self._shift += self._top - old_top
        if not self._show_cursor:
            cursor = self._top
        self._cursor = self._clamp(cursor) if count else -1
        self._cursor_key = self._source.key(self._cursor) if count else None
        if self._cursor_key != self._told:
            self._tell()
        same_view = self._top == old_top and old_count == min(self.size.height, count)
        if same_view and self._version_seen == self._source.version:
            self._look({old - old_top, self._cursor - self._top} if self._show_cursor else ())
        else:
            self._look()

    def _tell(self) -> None:
        """Post `Moved` once the moves that are waiting in the queue are made."""
        if not self._telling and self.is_attached:
            self._telling = True
            self.call_later(self._tell_now)

    def _tell_now(self) -> None:
        self._telling = False
        if self._cursor_key != self._told:
            self._told = self._cursor_key
            self.post_message(self.Moved(self, self.cursor, self._cursor_key))

    # Painting

    def _look(self, lines: Iterable[int] | None = None) -> None:
        """Compare screen lines with what they should show, and have those that differ repainted.

        Args:
            lines: the screen lines to compare; all when left out, which also takes note of the rows in view.
        """
        width, height = self.size
        if not width or not height or not self.is_attached:
            return
        if lines is None:
            self._note()
            lines = range(height)
        if self not in self.screen._compositor.visible_widgets:
            # Every line is made when the view is shown; until then none has to be.
            self._styles_cache.clear()
            self._painted.clear()
            self._due.clear()
            return
        palette, painted = self._colours(), self._painted
        due: dict[int, Strip] = {}
        for line in lines:
            if 0 <= line < height:
                strip = self._strip(line, width, palette)
                if not same_strip(painted.get(line), strip):
                    due[line] = strip
                else:
                    self._due.pop(line, None)
        self.show_lines(due)
        if self.ahead is not None:
            self.ahead.soon()

    def _note(self) -> None:
        """Remember what the view stands on: the keys in view, the version and where the scrollbar's thumb is."""
        height, count = self.size.height, len(self._source)
        self._keys = [self._source.key(index) for index in range(self._top, min(self._top + height, count))]
        self._version_seen = self._source.version
        self._thumb = thumb(self._top, height, count)
        self._strips.limit = max(600, (6 if self.ahead is None else 24) * height)

    def render_line(self, y: int) -> Strip:
        """Make one screen line.

        Args:
            y: the line, counted from the top of the widget's content.

        Returns:
            Its strip, kept from before when nothing about it changed.
        """
        strip = self._due.pop(y, None) if self._painting else None
        if strip is None or strip.cell_length != self.size.width:
            strip = self._strip(y, self.size.width, self._colours())
        if self._painting:
            self._painted[y] = strip
        return strip

    def _colours(self) -> Palette:
        roles: dict[str, Style] | None = getattr(self.app, "line_styles", None)
        if roles is None:
            roles = styles_for("dark")
        if self._palette is None or self._palette.roles is not roles:
            self._palette = Palette(roles, self.rich_style)
            self._strips.clear()
        return self._palette

    def _strip(self, line: int, width: int, palette: Palette) -> Strip:
        """Find or make the strip of a screen line."""
        return self._strip_of(self._top + line, line, self._thumb[0] <= line < self._thumb[1], width, palette)

    def preparing(self) -> Callable[[int, int, bool], bool]:
        """A function that makes the strip of a row, and what is sent for it, before it is asked for; whether there was any to make.

        It takes the row, the screen line on which it will stand, and whether the scrollbar's thumb will be there.
        """
        width, palette, console, strips = self.size.width, self._colours(), self.app.console, self._strips

        def prepare(index: int, line: int, bar: bool) -> bool:
            before = strips.made
            strip = self._strip_of(index, line, bar, width, palette)
            if before == strips.made:
                return False
            strip.render(console)
            return True

        return prepare

    def _strip_of(self, index: int, line: int, bar: bool, width: int, palette: Palette) -> Strip:
        over = ""
        if index >= len(self._source):
            key: Hashable = ("", line, width, bar, self._empty_text if not len(self._source) else None)
            bare: Hashable = None
        else:
            version = getattr(self._source, "row_version", None)
            seen = self._source.version if version is None else version(index)
            name, over = self._source.key(index), self._over(index)
            key, bare = (name, seen, width, bar, over), (name, seen, width, None, over)
        strip = self._strips.get(key)
        if strip is None:
            strip = self._strips.get(bare)
            if strip is None:
                strip = self._make(index, line, over, width - self._gutter - self._bar, palette)
                if bare is not None and self._bar:
                    self._strips.put(bare, strip)
            if self._bar:
                glyph = ("#" if self.ascii else "┃") if bar else " "
                strip = Strip.join([strip, palette.strip([(glyph, "bar")], 1)])
            self._strips.put(key, strip)
        return strip

    def _over(self, index: int) -> str:
        """The role laid over a row: the cursor's, or nothing."""
        if not self._show_cursor or index != self._cursor:
            return ""
        return "cursor" if self.has_focus else "cursor-blur"

    def _make(self, index: int, line: int, over: str, width: int, palette: Palette) -> Strip:
        """Make the strip of a row, all but the scrollbar's cell."""
        width = max(0, width)
        spans: list[Span] = []
        if index < len(self._source):
            row = self._source.line(index, width)
            if self._gutter:
                spans.append(self._edge(row, over))
        else:
            row = self._blank(line)
            spans += [(" ", "")] * self._gutter
        if self.ascii:
            row = Line([(ascii_only(t), r) for t, r in row.left], [(ascii_only(t), r) for t, r in row.right])
        return palette.strip(spans + fit(row, width, self.ellipsis), self._gutter + width, over)

    def _edge(self, row: Line, over: str) -> Span:
        """The cell at the left edge. A mark stays in sight under the cursor, whose row is told by its style then."""
        if row.mark:
            return pad(ascii_only(row.mark)[:1] if self.ascii else row.mark, 1), "mark"
        return (">" if self.ascii else "❯") if over == "cursor" else " ", "mark"

    def _blank(self, line: int) -> Line:
        if len(self._source) or not self._empty_text:
            return Line()
        texts = visible(self._empty_text, multiline=True).split("\n")
        return Line([(texts[line], "dim")]) if line < len(texts) else Line()

    def notify_style_update(self) -> None:
        """Drop what was made with the old style sheet."""
        super().notify_style_update()
        self._palette = None
        self._due.clear()

    # Events

    def on_mount(self) -> None:
        """Take note of the first rows."""
        self._note()

    def on_resize(self) -> None:
        """Keep the cursor in view when the height shrinks; Textual repaints the whole."""
        height, before = self.size.height, self._height_seen
        self._height_seen = height
        self._painted = {line: strip for line, strip in self._painted.items() if line < height}
        self._version_seen = _NEVER
        if not before:
            # Moves made before the first layout could not know the height.
            self._go(self.cursor, center=self.cursor >= height)
        elif self._show_cursor and self._cursor - self._top < before:
            self._place(self._cursor, keep_in_view(self._cursor, self._top, height, self.margin))
        else:
            self._place(self._cursor, self._top)

    def _on_focus(self, event: events.Focus) -> None:
        self._focus_changed(event, True)

    def _on_blur(self, event: events.Blur) -> None:
        self._focus_changed(event, False)

    def _focus_changed(self, event: events.Event, focused: bool) -> None:
        """Do as Textual does, but without its repaint of the whole widget: only the cursor's row looks different."""
        event.prevent_default()
        self.has_focus = focused
        if self.parent is not None:
            self.parent.post_message(events.DescendantFocus(self) if focused else events.DescendantBlur(self))
        self._look([self._cursor - self._top])

    def on_click(self, event: events.Click) -> None:
        """Put the cursor on the clicked row; choose it on a double click."""
        offset = event.get_content_offset(self)
        if offset is None or self._on_bar(event) or self._top + offset.y >= len(self._source):
            return
        event.stop()
        index = self._top + offset.y
        if self._show_cursor:
            self._place(index, self._top)
        chosen = self.Activated if event.chain == 2 else self.Selected
        self.post_message(chosen(self, index, self._source.key(index)))
