"""Search in the conversation, and the filter of the table panes; both are typed into the same field."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from textual.message import Message
from textual.widgets import Input

from .moving import Moving
from .panes import TABLES

if TYPE_CHECKING:
    from ...session.search import Found


class Searched(Message):
    """The search has news."""

    def __init__(self, found: Found) -> None:
        """Carry what was found so far."""
        super().__init__()
        self.found = found

    def can_replace(self, message: Message) -> bool:
        """Only the last word counts."""
        return isinstance(message, Searched)


class Finding(Moving):
    """Searches while it is typed, and goes from match to match."""

    _search_stop = threading.Event()
    _jump_when_found = False
    _field_mode = "search"
    _list_results = False

    def empty_words(self) -> str:
        """See `Filling`."""
        return ""

    def submitted_time(self, text: str) -> None:
        """See `Filtering`."""

    def searched(self) -> None:
        """See `Filtering`."""

    def on_unmount(self) -> None:
        """Let a search end."""
        self._search_stop.set()

    def action_find(self) -> None:
        """Open the field."""
        field = self.field
        self._field_mode = "narrow" if self.pane in TABLES else "search"
        field.placeholder = "narrow: text, or re:pattern" if self.pane in TABLES else "search: text, or re:pattern"
        field.value = self._narrowed().get(self.pane, "") if self.pane in TABLES else (self.found.query if self.found else "")
        field.cursor_position = len(field.value)
        field.add_class("shown")
        field.focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Search or narrow while it is typed."""
        if not self.field.has_class("shown"):
            return
        if self._field_mode == "narrow":
            self._narrow(event.value)
        elif self._field_mode == "search" and (self.found is None or event.value != self.found.query):
            self.search(event.value)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Close the field; after a search, go to the first match from the cursor on."""
        self.close_field()
        if self._field_mode == "time":
            self.submitted_time(event.value)
            return
        if self._field_mode == "narrow":
            self.show_frame()
            return
        if self.found is not None and self.found.error:
            self.say(self.found.error)
        elif event.value and self._list_results:
            self._list_results = False
            self.show_pane("results")
        elif event.value:
            self._jump_when_found = True
            if self.found is not None and (self.found.ids or self.found.done):
                self._jump_when_found = False
                self.action_next_match(1, stay=True)

    def close_field(self) -> None:
        """Hide the field and go back to the pane."""
        self.field.remove_class("shown")
        self.view.focus()

    # --- narrowing tables

    def _narrowed(self) -> dict[str, str]:
        if not hasattr(self, "_narrow_texts"):
            self._narrow_texts: dict[str, str] = {}
        return self._narrow_texts

    def _narrow(self, text: str) -> None:
        if self.source is None:
            return
        error = self.source.narrow(text)
        if not error:
            self._narrowed()[self.pane] = text
        self.view.empty_text = self.empty_words()
        self.view.source_changed()
        self.show_frame()
        self.say(error)

    def narrowed(self) -> str:
        """What the pane that is shown is narrowed to."""
        return self._narrowed().get(self.pane, "")

    def clear_narrowing(self) -> None:
        """Show all rows of the pane again."""
        self._narrow("")

    # --- searching

    def search(self, query: str) -> None:
        """Search for something else."""
        from ...session.search import compile_query, run

        self._search_stop.set()
        stop = self._search_stop = threading.Event()
        opened = self.opened
        if opened is None or self.talks is None:
            return
        found = self.found = compile_query(query)
        self._jump_when_found = False
        self.talks.match = found.marks
        self.view_of("talks").source_changed()
        self.detail_view.set_match(found.marks)
        self._message = ""
        self.show_footer()
        if found.pattern is None:
            return

        def work() -> None:
            run(opened, found, stop.is_set, lambda: self._tell(found))
            if not stop.is_set():
                self._tell(found)

        self.in_thread(work, "asz-search")

    def search_again(self) -> None:
        """Search for the same after something landed."""
        if self.found is not None and self.found.query:
            self.search(self.found.query)

    def _tell(self, found: Found) -> None:
        self.post_message(Searched(found))

    def on_searched(self, message: Searched) -> None:
        """Count the matches; jump when the person waits for the first."""
        if message.found is not self.found:
            return
        if self._jump_when_found and (message.found.ids or message.found.done):
            self._jump_when_found = False
            self.action_next_match(1, stay=True)
        self.searched()
        self.show_footer()

    def action_next_match(self, step: int, stay: bool = False) -> None:
        """The next or previous match in reading order, round the end.

        Args:
            step: 1 or -1.
            stay: a match under the cursor is the next one.
        """
        found = self.found
        self._message = ""
        if found is None or found.pattern is None:
            self.say("nothing was searched for: / begins a search")
            return
        if not found.ids:
            self.say(f"no match for {found.query}" if found.done else "searching")
            return
        position = found.position(self.selected())
        if stay and position:
            self.show_footer()
            return
        at = position - 1 if position else self._before_cursor(found, step)
        self.jump(found.ids[(at + step) % len(found.ids)], "the match is not shown at this level of noise")

    def _before_cursor(self, found: Found, step: int) -> int:
        """Index of the match before the cursor (after it, when going back), in reading order."""
        here = self.at()
        if here is None or self.opened is None:
            return -1 if step > 0 else 0
        mine = (self.opened.stands_at(here[0]), here[1])
        low, high = 0, len(found.ids)
        while low < high:
            middle = (low + high) // 2
            place = self.opened.locate(found.ids[middle])
            if place is not None and (self.opened.stands_at(place[0]), place[1]) < mine:
                low = middle + 1
            else:
                high = middle
        return low - 1 if step > 0 else low
