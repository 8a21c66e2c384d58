"""The dialog that builds a filter: kinds, streams, qualities, conditions and a time range, all by keyboard.

`FilterRows` is the list, free of Textual: it holds what is chosen and makes the rows; `FilterScreen` shows it over the conversation
and gives back the filter, or None when it was left as it was. Counting kinds and streams costs one walk over the nodes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from dataclasses import replace
from datetime import tzinfo
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.screen import ModalScreen
from textual.widgets import Input

from asz_core.vocabulary import QUALITIES

from ..glyphs import kind_glyph
from ..grammar import one_line
from ..keys import LISTS, bindings
from ..lines.bar import Bar
from ..lines.line import Line, Span
from ..lines.view import LineView
from ..session.filters import Filter, parse_range, range_words
from ..session.opened import Opened
from ..text.safe import ascii_only as to_ascii

_CONDITIONS = (
    ("failed", "failed", "steps that failed, and errors"),
    ("changes", "has changes", "steps with workspace changes"),
    ("unresolved", "unresolved", "steps that an open reference names"),
)
_FRAME = 8


class FilterRows:
    """A row source over everything that can be chosen.

    Attributes:
        filter: what is chosen.
    """

    def __init__(self, opened: Opened, filter: Filter, tz: tzinfo) -> None:
        """
        Args:
            opened: the conversation whose kinds and streams are listed.
            filter: what is chosen to begin with.
            tz: the zone of times.
        """
        self.opened = opened
        self.filter = filter
        self.tz = tz
        self._ascii = opened.grammar.ascii_only
        self._stamp = 0
        self._fill()
        self._index = {key: at for at, (key, _) in enumerate(self._rows)}

    def _fill(self) -> None:
        kinds: Counter[str] = Counter()
        streams: Counter[str] = Counter()
        for tree in self.opened.trees:
            kinds.update([node.kind for node in tree.nodes])
            streams.update([node.stream for node in tree.nodes])
        qualities = Counter(relation.quality for relation in self.opened.conversation.fold.relations.values())
        # What is chosen is listed even where the conversation holds none of it (any more), so that it can be let go of.
        for counter, chosen in ((kinds, self.filter.kinds), (streams, self.filter.streams), (qualities, self.filter.qualities)):
            for name in chosen:
                counter[name] += 0
        self._counts = {"kinds": kinds, "streams": streams, "qualities": qualities}
        self._rows: list[tuple[Hashable, str]] = [(("head", "conditions"), "only")]
        self._rows += [((name, ""), words) for name, words, _ in _CONDITIONS]
        self._rows.append((("time", ""), "time"))
        for section, title in (("kinds", "kinds"), ("streams", "streams"), ("qualities", "quality of an edge at the step")):
            if self._counts[section]:
                self._rows.append((("head", section), title))
                self._rows += [((section, name), name) for name in self._ordered(section)]

    def _ordered(self, section: str) -> list[str]:
        found = self._counts[section]
        role_of = self.opened.grammar.stream_role
        main = (lambda name: role_of(name)[0] != "main") if section == "streams" else (lambda _: True)
        return sorted(found, key=lambda name: (main(name), -found[name], name))

    # --- choosing

    def toggle(self, index: int) -> bool:
        """Choose the row, or no longer; whether it is one that can be chosen."""
        if not 0 <= index < len(self._rows):
            return False
        section, name = self._at(index)
        if section in self._counts:
            chosen = getattr(self.filter, section)
            self._set(replace(self.filter, **{section: chosen ^ {name}}))
        elif section in ("failed", "changes", "unresolved"):
            self._set(replace(self.filter, **{section: not getattr(self.filter, section)}))
        elif section == "time" and (self.filter.from_ns or self.filter.to_ns):
            self.set_range(0, 0)
        else:
            return False
        return True

    def _at(self, index: int) -> tuple[str, str]:
        key = self._rows[index][0]
        assert isinstance(key, tuple)
        return key

    def set_range(self, from_ns: int, to_ns: int) -> None:
        """Choose a time range; zeros for none."""
        self._set(replace(self.filter, from_ns=from_ns, to_ns=to_ns))

    def clear(self) -> None:
        """Choose nothing."""
        self._set(Filter())

    def _set(self, filter: Filter) -> None:
        self.filter = filter
        self._stamp += 1

    def is_time(self, index: int) -> bool:
        """Whether a row is that of the time range."""
        return 0 <= index < len(self._rows) and self._at(index)[0] == "time"

    def stream_name(self, name: str) -> str:
        """What a stream is called."""
        role, label = self.opened.grammar.stream_role(name)
        return one_line(label or name) or role or "no stream"

    # --- the source

    @property
    def version(self) -> Hashable:
        """Changes with what is chosen."""
        return self._stamp

    def __len__(self) -> int:
        return len(self._rows)

    def key(self, index: int) -> Hashable:
        """Section and name."""
        return self._rows[index][0]

    def index_of(self, key: Hashable) -> int | None:
        """The row of a section and name."""
        return self._index.get(key)

    def line(self, index: int, width: int) -> Line:
        """The row as spans."""
        section, name = self._at(index)
        words = self._rows[index][1]
        if section == "head":
            return Line([(f" {words}", "title")])
        if section == "time":
            return self._time_line()
        if section in self._counts:
            return self._choice(section, name)
        meaning = next(meaning for key, _, meaning in _CONDITIONS if key == section)
        chosen = bool(getattr(self.filter, section))
        return Line([*_box(chosen), (f"{words:<12}", "text"), (f"  {meaning}", "dim")])

    def _choice(self, section: str, name: str) -> Line:
        chosen = name in getattr(self.filter, section)
        right: list[Span] = [(f"{self._counts[section][name]:,} ", "dim")]
        if section == "kinds":
            glyph, role = kind_glyph(name, ascii_only=self._ascii)
            return Line([*_box(chosen), (glyph, role), (" ", ""), (one_line(name), "text")], right)
        if section == "streams":
            role, label = self.opened.grammar.stream_role(name)
            spans: list[Span] = [*_box(chosen), (self.stream_name(name), "person" if role == "main" else "agent")]
            return Line([*spans, (f"  {one_line(role)}", "dim"), (f"  {one_line(name)}" if label else "", "dim")], right)
        meaning = QUALITIES.get(name, "")
        return Line([*_box(chosen), (one_line(name) or "no quality stated", "text"), (f"  {meaning}", "dim")], right)

    def _time_line(self) -> Line:
        start, end = self.filter.from_ns, self.filter.to_ns
        if not start and not end:
            return Line([*_box(False), (f"{'time':<12}", "text"), ("  Space or @: 14:05 .. 15:00", "dim")])
        words = range_words(start, end, self.tz)
        return Line([*_box(True), (f"{'time':<12}", "text"), (f"  {to_ascii(words) if self._ascii else words}", "time")])


def _box(chosen: bool) -> list[Span]:
    return [(" ", ""), ("[x] " if chosen else "[ ] ", "accent" if chosen else "dim")]


class FilterScreen(ModalScreen[Filter | None]):
    """Builds a filter; gives back the filter, or None when it was left."""

    KEYS = " Space choose   Enter apply   @ time   x clear   Esc leave"
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings(LISTS),
        Binding("space", "toggle", "choose"),
        Binding("enter", "apply", "apply"),
        Binding("at", "time", "type a time range"),
        Binding("x", "clear", "choose nothing"),
        Binding("tab,shift+tab", "section", "next section"),
        Binding("q,escape,f", "leave", "leave"),
    ]

    def __init__(self, opened: Opened, filter: Filter, tz: tzinfo, near_ns: int = 0) -> None:
        """
        Args:
            opened: the conversation.
            filter: what is chosen to begin with.
            tz: the zone of times.
            near_ns: the time under the cursor, from which times of day and `+10m` are understood.
        """
        super().__init__()
        self.rows = FilterRows(opened, filter, tz)
        self._near = near_ns

    def compose(self) -> ComposeResult:
        """A box with a title, the rows, the field for a time and the keys."""
        with Container(id="box"):
            yield Bar(id="box-title")
            yield LineView(self.rows, id="box-rows")
            yield Input(id="find", placeholder="14:05 .. 15:00, or 2026-01-31 .., or .. +10m", select_on_focus=False, compact=True)
            yield Bar(id="box-keys")

    def on_mount(self) -> None:
        """Say what is chosen; the list gets what room it needs."""
        self._field.cursor_blink = False
        self._fit_box()
        self._view.move_to(1)
        self._view.focus()
        self._say("")

    def on_resize(self) -> None:
        """Keep the list within the screen."""
        self._fit_box()

    def _fit_box(self) -> None:
        self._view.styles.height = max(1, min(len(self.rows), self.app.size.height * 4 // 5 - 4, self.app.size.height - _FRAME))

    @property
    def _view(self) -> LineView:
        return self.query_one("#box-rows", LineView)

    @property
    def _field(self) -> Input:
        return self.query_one("#find", Input)

    def _say(self, error: str) -> None:
        """The title tells what is chosen, the last line the keys or what is wrong."""
        words = self.rows.filter.describe(self.rows.tz, self.rows.stream_name)
        joint = " - " if self.rows.opened.grammar.ascii_only else " · "
        text = one_line(joint.join(words)) if words else "nothing chosen: everything is shown"
        if self.rows.opened.grammar.ascii_only:
            text = to_ascii(text)
        self.query_one("#box-title", Bar).show(Line([(" filter  ", "title"), (text, "accent" if words else "dim")]))
        keys = " Enter take the time   Esc leave it" if self._field.has_class("shown") else self.KEYS
        self.query_one("#box-keys", Bar).show(Line([(f" {error}", "warning") if error else (keys, "dim")]))
        self._view.source_changed()

    # --- keys

    def action_move(self, how: str) -> None:
        """Move in the list."""
        getattr(self._view, how)()

    def action_section(self) -> None:
        """To the first row of the next section, round the end."""
        count = len(self.rows)
        for step in range(1, count + 1):
            at = (self._view.cursor + step) % count
            key = self.rows.key(at)
            if isinstance(key, tuple) and key[0] == "head":
                self._view.move_to((at + 1) % count)
                return

    def on_line_view_activated(self) -> None:
        """A double click chooses."""
        self.action_toggle()

    def action_toggle(self) -> None:
        """Choose the row under the cursor, or no longer."""
        at = self._view.cursor
        if not self.rows.toggle(at) and self.rows.is_time(at):
            self.action_time()
            return
        self._say("")

    def action_time(self) -> None:
        """Open the field for a time range."""
        self._field.add_class("shown")
        self._field.focus()
        self._say("")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Take the time range, or say what is wrong with it."""
        event.stop()
        try:
            self.rows.set_range(*parse_range(event.value, self.rows.opened, self.rows.tz, self._near))
        except ValueError as error:
            self._say(one_line(str(error)))
            return
        self._close_field()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Typing goes on: what was wrong is no longer said."""
        event.stop()
        self._say("")

    def _close_field(self) -> None:
        self._field.value = ""
        self._field.remove_class("shown")
        self._view.focus()
        self._view.move_to(("time", ""))
        self._say("")

    def action_clear(self) -> None:
        """Choose nothing."""
        self.rows.clear()
        self._say("")

    def action_apply(self) -> None:
        """Give the filter back."""
        self.dismiss(self.rows.filter)

    def action_leave(self) -> None:
        """Close the field, or the dialog without a change."""
        if self._field.has_class("shown"):
            self._close_field()
        else:
            self.dismiss(None)
