"""Filters of the tree, the list of search results, and jumps to a time."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

from ...grammar import one_line
from .taking import Taking

if TYPE_CHECKING:
    from ...session.filters import Filter

TIME = "time"
_MATCH_EVERY = 0.5
"""Seconds between two times that the timeline takes over all matches while there come more; each costs all there are."""


class Filtering(Taking):
    """Narrows the tree by kind, stream, quality, condition and time."""

    filter: Filter | None = None
    """What the tree is narrowed to, None before the first time."""
    _matched = 0.0

    # --- filter

    def action_filter(self) -> None:
        """Build a filter."""
        if self.opened is not None:
            from ...session.filters import Filter
            from ..filter import FilterScreen

            now = self.filter or Filter()
            self.app.push_screen(FilterScreen(self.opened, now, self.asz.tz, self._here_ns()), self._filtered)

    def _here_ns(self) -> int:
        at = self.at()
        return (at[0].times[at[1]] or at[0].starts[at[1]]) if at else 0

    def _filtered(self, chosen: Filter | None) -> None:
        if chosen is not None:
            self.set_filter(chosen)

    def set_filter(self, chosen: Filter) -> None:
        """Narrow the tree; an empty filter shows all again. The cursor stays on its node where that is still shown."""
        opened, talks = self.opened, self.talks
        if opened is None or talks is None:
            return
        from ...session.filters import Filtered

        selected = self.selected()
        self.filter = chosen
        filtered = Filtered(opened, chosen) if chosen else None
        talks.filtered = filtered
        talks.refill()
        view = self.view_of("talks")
        view.empty_text = " no step fits the filter; Esc shows all again"
        view.source_changed()
        if selected is not None and (index := talks.index_of(selected)) is not None:
            view.move_to(index)
        if self.pane != "talks":
            self.show_pane("talks")
        self.show_frame()
        if filtered is not None:
            count = filtered.count()
            self.say(f"{count:,} rows fit the filter" if count != 1 else "1 row fits the filter")

    def clear_filter(self) -> None:
        """Show all again."""
        from ...session.filters import Filter

        self.set_filter(Filter())
        self._say_empty()

    def filter_words(self) -> list[str]:
        """The filter in short words, safe to be shown."""
        if not self.filter or self.opened is None:
            return []
        grammar = self.opened.grammar
        words = self.filter.describe(self.asz.tz, lambda name: grammar.stream_role(name)[1] or name)
        return [one_line(word) for word in words]

    # --- results of the search as a list

    def action_results(self) -> None:
        """The results of the search as a list; without a search, begin one."""
        if self.found is None or self.found.pattern is None:
            self.show_pane("talks")
            self._list_results = True
            self.action_find()
            return
        self.show_pane("results")

    def show_pane(self, pane: str) -> None:
        """Show a pane; the results are those of the search that is on."""
        if pane == "results" and self.panes is not None:
            self.panes.source("results").set_found(self.found)
        if pane == "flow" and self.panes is not None:
            self.flow_rows().match = self._flow_match()
        super().show_pane(pane)

    def _flow_match(self) -> frozenset[str]:
        return frozenset(self.found.ids) if self.found is not None else frozenset()

    def searched(self) -> None:
        """The search has news: the list grows, and the timeline marks the matches."""
        if self.pane == "flow" and (self.found is None or self.found.done or monotonic() - self._matched > _MATCH_EVERY):
            self._matched = monotonic()
            self.flow_rows().match = self._flow_match()
            self.flow.changed()
        if self.pane == "results" and self.panes is not None:
            rows = self.panes.source("results")
            if rows.found is not self.found:
                rows.set_found(self.found)
            self.view.source_changed()
            self.show_frame()

    # --- times

    def action_time(self) -> None:
        """Jump to a time."""
        field = self.field
        self._field_mode = TIME
        field.placeholder = "a time: 14:05, 2026-01-31 14:05, +10m"
        field.value = ""
        field.add_class("shown")
        field.focus()

    def submitted_time(self, text: str) -> None:
        """Go to the step nearest to a time."""
        if self.opened is None or not text.strip():
            return
        from ...session.filters import first_from, parse_time

        try:
            ns = parse_time(text, self.opened, self.asz.tz, self._here_ns())
        except ValueError as error:
            self.say(str(error))
            return
        self.jump(first_from(self.opened, ns), "nothing in this conversation has a time")
