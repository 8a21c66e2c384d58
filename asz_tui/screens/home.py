"""The list of conversations of a root: at once from names and the head headers of the rows on the screen, then the others.

Before the first frame the root is listed and, of as many conversations as there are rows, one header is read; the order is that of
the last change on disk until the headers tell the last activity. The other headers follow behind the frame, some at a time, and
then what a header leaves out (`asz_core.listing`). Only what is on the screen is verified, and again when it is scrolled to.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, cast

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Input

from asz_core.listing import Row

from ..keys import HOME, bindings, hints
from ..lines.bar import Bar
from ..lines.line import Line
from ..lines.view import LineView
from ..panes.home_rows import HomeRows
from ..session.first import FirstListing
from ..session.loader import Loader
from ..text.safe import visible
from ..text.words import counted

if TYPE_CHECKING:
    from asz_core.live import Told
    from asz_core.watch import Changes

    from ..app import AszApp
    from ..panes.live_rows import LiveRows

_SMALL = 64_000_000
"""Bytes of landed files up to which a conversation is verified for the list without being asked to."""
_BATCH = 200
_TELL_EVERY = 0.2
"""Seconds between two tellings of what was read behind the list."""


class HomeScreen(Screen[None]):
    """Every conversation of the root, newest activity first."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(HOME)

    class Listed(Message):
        """Rows were read; `gone` are ids that are no more, `unread` says how many are still to be read."""

        def __init__(self, rows: list[Row], states: dict[str, str], gone: list[str], unread: int | None = None) -> None:
            """Carry the rows."""
            super().__init__()
            self.rows = rows
            self.states = states
            self.gone = gone
            self.unread = unread

    class Failed(Message):
        """Listing failed."""

        def __init__(self, why: str) -> None:
            """Say why."""
            super().__init__()
            self.why = why

    def __init__(self, conversation: str | None = None, listing: FirstListing | None = None) -> None:
        """
        Args:
            conversation: put the cursor on this one as soon as it is listed.
            listing: of the first rows, when it began already.
        """
        super().__init__()
        self._wanted = conversation
        self._listing = listing
        self._quick: Loader[None] = Loader(self._read_quick, self._done, "asz-list")
        self._slow: Loader[None] = Loader(self._read_slow, self._done, "asz-list-full")
        self._read_ids: dict[str, int] = {}
        self._to_complete: dict[str, None] = {}
        self._to_verify: dict[str, int] = {}
        self._in_view: list[str] = []
        self._unread = 0
        self._listed = False
        self._changed: set[str] | None = None
        """Ids to read again, None for all of them."""
        self._changed_lock = threading.Lock()
        self._problems: dict[str, str] = {}
        self._error = ""
        self._live_rows: LiveRows | None = None

    @property
    def asz(self) -> AszApp:
        """The app, by its own type."""
        return cast("AszApp", self.app)

    def compose(self) -> ComposeResult:
        """Header, column names, rows, filter, footer."""
        yield Bar(id="header")
        yield Bar(id="columns")
        yield LineView(self._make_rows(), id="rows", empty_text=" reading the storage root")
        yield Input(id="find", placeholder="title, id or date", select_on_focus=False, compact=True)
        yield Bar(id="footer")

    def _make_rows(self) -> HomeRows:
        self.rows = HomeRows([], self.asz.now_ms(), self.asz.tz, self.asz.ascii_mode)
        if self.asz.live is not None:
            from ..panes.live_rows import LiveRows

            home = os.path.expanduser("~")
            self.rows = self._live_rows = LiveRows([], self.asz.now_ms(), self.asz.tz, self.asz.ascii_mode, home)
            self.rows.take_notes(self.asz.live.notes())
        return self.rows

    @property
    def view(self) -> LineView:
        """The list."""
        return self.query_one("#rows", LineView)

    @property
    def settled(self) -> bool:
        """Whether everything that can be known without opening a conversation is in the list."""
        waiting = self._to_complete or self._next_to_verify()
        return self._listed and self._quick.idle and self._slow.idle and not waiting

    def on_mount(self) -> None:
        """Begin to read."""
        self.query_one("#find", Input).cursor_blink = False
        self.view.focus()
        listing = self._listing = self._listing or FirstListing(self.asz.root, self.app.size.height).start()
        if listing.done.is_set():
            self.on_home_screen_listed(self._first_rows(listing))
            self.call_after_refresh(self._quick.request)
        else:
            self._frame()
            self._quick.request()

    def on_unmount(self) -> None:
        """Let the readers end."""
        self._quick.stop()
        self._slow.stop()

    def on_screen_resume(self) -> None:
        """The ages may have moved on while another screen was shown."""
        if self._listed:
            self.rows.resort()
            self._refresh_rows()

    def on_resize(self) -> None:
        """The column names follow the width."""
        self.call_after_refresh(self._frame)

    # --- reading, in threads

    def _first_rows(self, listing: FirstListing) -> Listed:
        """What the first listing found, as it is told; the rest of the names are read next."""
        self._listing = None
        stamps = dict(listing.names)
        rows = [row for row in listing.rows if row.rounds is not None]
        self._read_ids.update((row.id, stamps[row.id]) for row in listing.rows)
        return self.Listed(rows, {}, [], len(listing.names) - len(listing.rows))

    def _read_quick(self, stop: Callable[[], bool]) -> None:
        listing = self._listing
        if listing is not None:
            listing.done.wait()
            self.post_message(self._first_rows(listing))
        with self._changed_lock:
            names, self._changed = self._changed, set()
        root = self.asz.root
        if names is None:
            found = listing.names if listing is not None else root.newest_names()
            present = {name for name, _ in found}
            gone = [name for name in self._read_ids if name not in present]
        else:
            found = [(name, root.storage.changed_ns(name)) for name in names]
            gone = [name for name, stamp in found if not stamp]
            found = [(name, stamp) for name, stamp in found if stamp]
        for name in gone:
            self._read_ids.pop(name, None)
        # What the watcher names is read whatever its stamp says: a round may have been written in place.
        changed = [(name, stamp) for name, stamp in found if names is not None or self._read_ids.get(name) != stamp]
        for at in range(0, max(1, len(changed)), _BATCH):
            if stop():
                return
            batch = changed[at : at + _BATCH]
            rows = [root.row(name) for name, _ in batch]
            self._read_ids.update(batch)
            gone += [row.id for row in rows if row.rounds is None]
            rows = [row for row in rows if row.rounds is not None]
            self.post_message(self.Listed(rows, {}, gone, max(0, len(changed) - at - _BATCH)))
            gone = []

    def _read_slow(self, stop: Callable[[], bool]) -> None:
        root = self.asz.root
        rows: list[Row] = []
        told = time.monotonic()
        while self._to_complete and not stop():
            name = next((name for name in self._in_view if name in self._to_complete), None) or list(self._to_complete)[0]  # noqa: RUF015
            self._to_complete.pop(name, None)
            rows.append(root.row(name, full=True))
            if time.monotonic() - told > _TELL_EVERY or not self._to_complete:
                # Each telling sorts rows in and looks at all of them: so many together.
                self.post_message(self.Listed(rows, {}, []))
                rows, told = [], time.monotonic()
        while (wanted := self._next_to_verify()) is not None and not stop():
            stamp = self._to_verify.pop(wanted, 0)
            state, self._problems[wanted] = self._verify(wanted)
            if state and root.storage.changed_ns(wanted) == stamp:
                self.post_message(self.Listed([], {wanted: state}, []))

    def _next_to_verify(self) -> str | None:
        """A conversation on the screen that is not verified yet."""
        return next((name for name in self._in_view if name in self._to_verify), None)

    def _verify(self, name: str) -> tuple[str, str]:
        """The state of a conversation and its first problem; empty when it is too large to be read for a list."""
        conversation = self.asz.root.open(name)
        files = self.asz.root.storage.landed(name)
        if sum(file.size() for file in files) > _SMALL:
            return "", ""
        conversation.refresh()
        report = conversation.report
        return report.state if conversation.usable else "incomplete", next(iter(report.problems), "")

    def _done(self, _: None, error: Exception | None) -> None:
        if error is not None:
            with self._changed_lock:
                self._changed = None
            self.post_message(self.Failed(str(error)))

    # --- what was read

    def on_home_screen_listed(self, message: Listed) -> None:
        """Take rows in; rows on the screen stay where they are."""
        for name in message.gone:
            self.rows.remove(name)
            self._to_verify.pop(name, None)
            self._to_complete.pop(name, None)
        for row in message.rows:
            self.rows.update(row)
            if not row.complete:
                self._to_complete[row.id] = None
            self._to_verify[row.id] = row.changed_ns
        for name, state in message.states.items():
            self.rows.set_state(name, state)
        if message.unread is not None:
            self._unread = message.unread
        self._listed = self._listed or not self._unread
        self.rows.set_reading(self._unread + len(self._to_complete))
        self._refresh_rows()
        if self._wanted and self.view.move_to(self._wanted, center=True):
            self._wanted = None
        self.call_after_refresh(self._shown)

    def _shown(self) -> None:
        """The rows are on the screen: go on with what is behind it."""
        self.asz.first_frame_shown()
        self._look_deeper()

    def _look_deeper(self) -> None:
        """Have what the headers leave out read, and what is on the screen verified."""
        top, height = self.view.top, self.view.size.height
        self._in_view = [row.id for at in range(top, top + height) if (row := self.rows.row(at)) is not None]
        if self.asz.live is not None:
            self.asz.live.describe(self._in_view)
        if not self._unread and (self._to_complete or self._next_to_verify()):
            self._slow.request()

    def on_home_screen_failed(self, message: Failed) -> None:
        """Say why the list is not there."""
        self.asz.first_frame_shown()
        self.view.empty_text = f" {message.why}"

    def live_told(self, told: Told) -> None:
        """Take over what the collector told of the sessions."""
        live, rows = self.asz.live, self._live_rows
        if live is None or rows is None:
            return
        rows.take_notes(live.notes([session.id for session in told.sessions]), told.gone)
        self._refresh_rows()
        if self.is_current:
            self.call_after_refresh(self._shown)

    def look_again(self) -> None:
        """List once more."""
        with self._changed_lock:
            self._changed = None
        self._quick.request()

    def root_changed(self, changes: Changes) -> None:
        """Read again what changed."""
        if changes.root_gone:
            self.view.empty_text = " the storage root is gone; what was read stays until it is back"
            return
        names = changes.conversations | changes.appeared | changes.removed
        if changes.root_back:
            self.look_again()
        elif names:
            with self._changed_lock:
                if self._changed is not None:
                    self._changed |= names
            self._quick.request()

    def _refresh_rows(self) -> None:
        if not self.is_current:
            # A change below another screen would have Textual paint that one whole; `on_screen_resume` makes up for it.
            return
        self.rows.set_now(self.asz.now_ms())
        self.view.source_changed()
        if self._listed and not len(self.rows):
            self.view.empty_text = (
                " no conversation fits the filter"
                if self.rows.total
                else " there is no session yet; one shows here as soon as it begins"
                if self._live_rows is not None
                else " this storage root holds no conversation yet\n\n one shows here as soon as its first round lands"
            )
        self._frame()

    def _frame(self) -> None:
        if not self.is_mounted:
            return
        # The last row while there is more to be read is no conversation.
        total, shown_rows = self.rows.total, len(self.rows) - (self.rows.reading > 0)
        noun = "conversation" if self._live_rows is None else "session"
        said = counted(total, noun)
        if self._unread and self._live_rows is None:
            said = f"{total:,} of {total + self._unread:,} conversations read"
        elif shown_rows != total:
            said = f"{shown_rows:,} of " + said
        running = self.rows.running()
        live = self.asz.live
        collecting = live.words() if live is not None else ""
        right = said + (f" · {running} running" if running else "") + (f" · {collecting}" if collecting else "")
        right += f" · {self.rows.sort_words()}"
        dot = right.replace("·", "-") if self.asz.ascii_mode else right
        where = live.shown_source if live is not None else str(self.asz.root.path)
        header = Line([(f" {self.asz.title}  ", "title"), (visible(where), "dim")], [(dot + " ", "dim")])
        self.query_one("#header", Bar).show(header)
        columns = self.rows.header(self.view.row_width)
        # The rows have a cell for the cursor at their left.
        self.query_one("#columns", Bar).show(Line([(" ", ""), *columns.left, *columns.right]))
        position = f"{self.view.cursor + 1} of {shown_rows} " if shown_rows else ""
        problem = self._problem()
        room = self.app.size.width - len(position) - 3
        left = (f" {problem}", "warning") if problem else (" " + hints(self.asz.keys_of(HOME), room), "dim")
        self.query_one("#footer", Bar).show(Line([left], [(position, "dim")]))

    def _problem(self) -> str:
        """What is wrong with the conversation under the cursor, in one line; empty when nothing is known to be."""
        if self._error:
            return self._error
        if self.asz.live is not None and (problem := self.asz.live.problem()):
            return visible(problem)
        row = self.rows.row(self.view.cursor)
        if row is not None and self._live_rows is not None and not self._live_rows.is_collected(row.id) and not row.problem:
            return "nothing of this session is collected yet; Enter collects it first"
        note = self._live_rows.note(row.id) if row is not None and self._live_rows is not None else None
        if note is not None and note.problem:
            return visible(note.problem)
        return visible(self._problems.get(row.id) or row.problem) if row is not None else ""

    # --- keys

    def action_move(self, how: str) -> None:
        """Move the cursor."""
        getattr(self.view, how)()

    def on_line_view_moved(self) -> None:
        """The position in the footer follows."""
        self._frame()
        self._look_deeper()

    def on_line_view_activated(self) -> None:
        """A double click opens."""
        self.action_open()

    def action_open(self) -> None:
        """Open the conversation under the cursor."""
        name = self.view.cursor_key
        if isinstance(name, str):
            self.asz.open_conversation(name)

    def action_sort(self) -> None:
        """Sort by the next column."""
        self.rows.next_sort()
        self.view.source_changed()
        self._frame()

    def action_find(self) -> None:
        """Open the filter."""
        field = self.query_one("#find", Input)
        field.add_class("shown")
        field.focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Narrow while it is typed."""
        self._error = self.rows.narrow(event.value)
        self._refresh_rows()

    def on_input_submitted(self) -> None:
        """Keep the filter and go back to the list."""
        self.view.focus()
        if not self.query_one("#find", Input).value:
            self.query_one("#find", Input).remove_class("shown")

    def action_find_all(self) -> None:
        """Search the texts of every conversation."""
        from .search_all import SearchAllScreen

        self.app.push_screen(SearchAllScreen())

    def action_palette(self) -> None:
        """Show everything this screen can do."""
        from .palette import PaletteScreen

        self.app.push_screen(PaletteScreen(self.asz.keys_of(HOME)), self._run_chosen)

    async def _run_chosen(self, action: str | None) -> None:
        if action:
            await self.run_action(action)

    def action_help(self) -> None:
        """Show the help."""
        from .help import HelpScreen

        self.app.push_screen(HelpScreen(self.asz.keys_of(HOME), "conversations"))

    def action_leave(self) -> None:
        """Clear the filter, or quit."""
        field = self.query_one("#find", Input)
        if field.has_class("shown"):
            field.value = ""
            field.remove_class("shown")
            self.view.focus()
            return
        self.app.exit(0)
