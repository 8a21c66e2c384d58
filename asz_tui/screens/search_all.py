"""Search through the texts of every conversation of a root: results as they come, with progress, to be left at any time."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, cast

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Input

from ..keys import LISTS, bindings
from ..lines.bar import Bar
from ..lines.line import Line
from ..lines.view import LineView
from ..panes.results_rows import AllResultsRows
from ..session.search_all import AllSearch

if TYPE_CHECKING:
    from ..app import AszApp


class News(Message):
    """The search found something, or came further."""

    def __init__(self, search: AllSearch) -> None:
        """Say which search."""
        super().__init__()
        self.search = search

    def can_replace(self, message: Message) -> bool:
        """Only the last word counts."""
        return isinstance(message, News)


class SearchAllScreen(Screen[None]):
    """A field, and the conversations that hold what is typed, newest first, each with its first matches."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings(LISTS),
        Binding("enter,l,right", "open", "open"),
        Binding("slash", "field", "search for something else"),
        Binding("q,escape", "leave", "stop, or close"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._search: AllSearch | None = None

    @property
    def asz(self) -> AszApp:
        """The app, by its own type."""
        return cast("AszApp", self.app)

    def compose(self) -> ComposeResult:
        """Title, field, results, footer."""
        yield Bar(id="header")
        yield Input(id="all-field", placeholder="text, or re:pattern, in every conversation", select_on_focus=True, compact=True)
        self.rows = AllResultsRows(None, self.asz.tz, self.asz.ascii_mode)
        yield LineView(self.rows, id="rows", empty_text=" type what to look for, then Enter")
        yield Bar(id="footer")

    def on_mount(self) -> None:
        """Wait for words."""
        field = self.query_one("#all-field", Input)
        field.cursor_blink = False
        field.focus()
        self._frame()

    def on_unmount(self) -> None:
        """End a search that still runs."""
        self._stop()

    @property
    def view(self) -> LineView:
        """The results."""
        return self.query_one("#rows", LineView)

    def _stop(self) -> None:
        if self._search is not None:
            self._search.stop()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Search."""
        self._stop()
        search: AllSearch

        def tell() -> None:
            self.post_message(News(search))

        search = self._search = AllSearch(self.asz.root, event.value, tell)
        self.rows.set_search(search)
        self.view.empty_text = " searching"
        self.view.source_changed()
        self.view.focus()
        search.start()
        self._frame()

    def on_news(self, message: News) -> None:
        """Show what came."""
        if message.search is not self._search:
            return
        self.rows.take()
        if message.search.done and not len(self.rows):
            self.view.empty_text = f" {message.search.error or 'no conversation holds that'}"
        self.view.source_changed()
        self._frame()

    def _frame(self) -> None:
        words = self.rows.progress_words() if self._search is not None else ""
        self.query_one("#header", Bar).show(Line([(" search in every conversation", "title")], [(f"{words} ", "dim")]))
        keys = " Enter opens   / other words   Esc " + ("stops" if self._search and not self._search.done else "closes")
        position = f"{self.view.cursor + 1:,} of {len(self.rows):,} " if len(self.rows) else ""
        self.query_one("#footer", Bar).show(Line([(keys, "dim")], [(position, "dim")]))

    def on_line_view_moved(self) -> None:
        """The position follows."""
        self._frame()

    def action_move(self, how: str) -> None:
        """Move in the results."""
        getattr(self.view, how)()

    def on_line_view_activated(self) -> None:
        """A double click opens."""
        self.action_open()

    def action_open(self) -> None:
        """Open the conversation at the match."""
        target = self.rows.target(self.view.cursor)
        if target is not None:
            self.asz.open_conversation(*target, self._search.query if self._search else "")

    def action_field(self) -> None:
        """Search for something else."""
        self.query_one("#all-field", Input).focus()

    def action_leave(self) -> None:
        """Stop a search that runs, else close."""
        if self._search is not None and not self._search.done:
            self._stop()
            self._frame()
        else:
            self.dismiss(None)
