"""Loading a conversation beside the screen, and taking in what lands while it is open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.message import Message
from textual.timer import Timer

from asz_core.conversation import Pending
from asz_core.vocabulary import is_step

from ...collector import Apart
from ...lines.flow_view import FlowPane
from ...lines.view import LineView
from ...session.first import FirstReading
from ...session.loader import Loader
from ...session.opened import Applied, Opened
from ...state import Visit
from . import frame
from .base import ConversationBase
from .panes import PaneSet

if TYPE_CHECKING:
    from asz_core.watch import Changes

_MARKED_FOR = 5.0
_AGES_EVERY = 20.0


class ReadingProgress(Message):
    """How far the first reading is."""

    def __init__(self, what: str, done: int, total: int) -> None:
        """Say of what, and how much."""
        super().__init__()
        self.what, self.done, self.total = what, done, total

    def can_replace(self, message: Message) -> bool:
        """Only the last word counts."""
        return isinstance(message, ReadingProgress)


class ReadingDone(Message):
    """The first reading is done."""


class SomethingLanded(Message):
    """Something was read beside and can be taken in."""

    def __init__(self, pending: Pending | None, error: Exception | None) -> None:
        """Carry it."""
        super().__init__()
        self.pending = pending
        self.error = error


class Reading(ConversationBase):
    """Loads, follows what lands, and lets go at the end."""

    _loader: Loader[Pending] | None = None
    _unmark: Timer | None = None
    _apart: Apart | None = None

    def on_mount(self) -> None:
        """Begin to read."""
        self._views, self._flows = [*self.query(LineView)], [*self.query(FlowPane)]
        self.field.cursor_blink = False
        self.view.empty_text = " reading"
        self.view.focus()
        if self.asz.slow:
            for view in self.query(LineView):
                view.scroll_jump = max(2, self.app.size.height // 2)
        self.set_interval(_AGES_EVERY, self.show_header)
        self.begin()

    def begin(self) -> None:
        """Begin the first reading, or take over the one that began."""
        root = self.other_root or self.asz.root
        reading = self._reading = self._reading or FirstReading(root, self.conversation_id).start()
        if reading.done.is_set():
            self.on_reading_done()
            return
        self.show_frame()
        reading.listen(
            lambda what, done, total: self.post_message(ReadingProgress(what, done, total)),
            lambda: self.post_message(ReadingDone()),
        )

    def on_unmount(self) -> None:
        """Let the readers end."""
        self._stopping.set()
        self._remember_visit()
        if self._loader:
            self._loader.stop()
        if self.asz.watcher:
            self.asz.watcher.done(self.conversation_id)
        self._let_go()

    def _let_go(self) -> None:
        """Drop what was read: the screen is in cycles, and its end may be long in coming."""
        shown = [pane.model for pane in self._flows]
        for model in (*shown, self.panes.made("flow") if self.panes is not None else None):
            if model is not None:
                model.let_go()
        self.opened = self.conversation = self.panes = self._detail = self.found = self._loader = None
        for view in self._views:
            view.let_go()
        for pane in self._flows:
            pane.model = None
        if self._apart is not None:
            self._apart.end()

    def on_reading_progress(self, message: ReadingProgress) -> None:
        """Say how far the reading is."""
        if self.opened is None:
            self.view.empty_text = " " + frame.progress_words(message.what, message.done, message.total)

    def on_reading_done(self) -> None:
        """Show what was read, and have it checked."""
        reading, self._reading = self._reading, None
        if reading is None or self._stopping.is_set():
            return
        if reading.opened is None:
            self.view.empty_text = f" {reading.why}"
            self.asz.first_frame_shown()
            return
        self._apart = Apart()
        opened = self.opened = reading.opened
        opened.grammar.ascii_only = self.asz.ascii_mode
        self.conversation = opened.conversation
        self.panes = PaneSet(opened, self.asz.tz)
        view = self.view_of("talks")
        view.set_source(self.panes.talks, keep=False)
        if opened.trees:
            view.move_to(opened.trees[0].nodes[0].id)
        self._say_empty()
        self._configure()
        self._loader = Loader(lambda _: _read_on(opened), self._handed, "asz-refresh", one_by_one=True)
        self.focus_watcher()
        if not opened.conversation.usable:
            self.show_pane("verification")
        if self._wanted and not self.go_to(self._wanted):
            self.say(f"there is no node {self._wanted} in this conversation")
        elif self.follows or (not self._wanted and frame.is_running(opened.conversation, self.asz.now_ms())):
            self.set_follow(True)
        elif self.provisional:
            self.go_newest()
        if self._query:
            self.search(self._query)
        self.show_frame()
        self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        """The first frame is shown: have the rest read behind it, and what changes watched."""
        self.asz.first_frame_shown()
        self.look_again()
        self.make_flow_ahead()

    def make_flow_ahead(self) -> None:
        """See `Timeline`."""

    def focus_watcher(self) -> None:
        """Have the watcher look at this conversation more often than at the others."""
        if self.asz.watcher is not None and self.conversation is not None:
            self.asz.watcher.focus([self.conversation_id], [self.conversation.data.session])

    def look_again(self) -> None:
        """Read what landed meanwhile."""
        if self._loader is not None:
            self._loader.request()

    def _configure(self) -> None:
        """Begin as the person configured it, and mark what is new since the last visit."""
        assert self.panes is not None and self.conversation is not None
        talks, config = self.panes.talks, self.asz.config
        if (config.noise, config.thinking, config.times.clock) != (talks.noise, talks.thinking, talks.clock):
            talks.noise, talks.thinking = config.noise, config.thinking
            talks.clock = config.times.clock
            talks.refill()
            self.view_of("talks").source_changed()
        state = self.asz.state
        before = state.get(self.asz.root.path, self.conversation_id) if state and not self.provisional else None
        if before is not None and before.round < self.conversation.fold.head:
            talks.new_since = before.round
            talks.touch()
            nodes = self.conversation.fold.nodes.values()
            count = sum(1 for node in nodes if node.revision > before.round and is_step(node.kind))
            self.say(f"{count:,} steps are new or changed since your last visit at round {before.round}; a mark stands before them")
        if self.asz.problems:
            first, more = self.asz.problems[0], len(self.asz.problems) - 1
            self.say(f"{first}" + (f" (and {more} more; asz-tui config --show lists them)" if more else ""))
            self.asz.problems.clear()
        if config.layout.detail_open:
            self.open_detail()

    def open_detail(self) -> None:
        """See `Showing`."""

    def _remember_visit(self) -> None:
        """Remember how far this conversation was seen."""
        state, conversation = self.asz.state, self.conversation
        if state is None or conversation is None or not conversation.usable or self.provisional:
            return
        newest = self.opened.newest() if self.opened else None
        node = conversation.fold.nodes.get(newest) if newest else None
        ref = node.ref if node is not None else None
        seq, row = (ref.seq, ref.row) if ref is not None else (0, 0)
        state.put(self.asz.root.path, self.conversation_id, Visit(conversation.fold.head, seq, row, self.asz.now_ms()))
        state.put_root(self.asz.root.path)
        state.save()

    def _say_empty(self) -> None:
        assert self.conversation is not None
        words = " no talk, run or step was folded"
        if not self.conversation.usable:
            why = self.conversation.chain.stopped or "there is no round"
            words = f" nothing of this conversation could be folded: {why}\n\n 6 shows what is there"
        self.view_of("talks").empty_text = words

    # --- what lands

    def root_changed(self, changes: Changes) -> None:
        """Read beside what concerns this conversation."""
        conversation = self.conversation
        if conversation is None or self._loader is None:
            return
        mine = self.conversation_id in changes.conversations | changes.appeared | changes.removed
        if mine or conversation.data.session in changes.sessions or changes.root_gone or changes.root_back:
            if changes.root_gone or self.conversation_id in changes.removed:
                self._set_gone(True)
            elif changes.root_back or mine:
                self._set_gone(False)
            if not self.gone:
                self._loader.request()

    def _handed(self, pending: Pending | None, error: Exception | None) -> None:
        self.post_message(SomethingLanded(pending, error))

    def on_something_landed(self, message: SomethingLanded) -> None:
        """Take in what was read beside."""
        try:
            self._take(message)
        finally:
            if self._loader is not None:
                self._loader.taken()

    def _take(self, message: SomethingLanded) -> None:
        if message.error is not None or message.pending is None or self.opened is None or self.conversation is None:
            self.say(f"reading failed: {message.error}" if message.error else "")
            return
        if not message.pending.rounds and self.conversation.usable:
            # Everything is gone from the disk; what was read stays on the screen.
            self._set_gone(True)
            return
        applied = self.opened.take(message.pending)
        if applied.update.news:
            self.refresh_panes(applied)
        elif applied.update.checked:
            self._show_checked()
        if self.conversation.verifying:
            self.look_again()
        watcher = self.asz.watcher
        if watcher:
            (watcher.again if self.conversation.chain.unread else watcher.done)(self.conversation_id)

    def _show_checked(self) -> None:
        """Show how far the verification is, and in the end what it found; the records are what they were."""
        assert self.panes is not None and self.conversation is not None
        self.panes.take_checked(self.pane)
        if self.pane in ("verification", "changes"):
            self.view.source_changed()
        if not self.conversation.verifying and any(landed.observing for landed in self.conversation.data.files):
            # Only a check looks for what the records tell of the workspace: the mark of it stands in the rows.
            self.panes.talks.touch()
            self.view_of("talks").source_changed()
            self.show_detail_soon()
        self.show_header()

    def refresh_panes(self, applied: Applied) -> None:
        """Show what a round changed; selection, folds and scroll stay."""
        assert self.panes is not None and self.opened is not None
        self._set_gone(False)
        self.panes.take(applied, self.pane)
        self._say_empty()
        if self.follow:
            self.go_newest()
        else:
            self.new_count += sum(1 for node_id in applied.added if self.opened.is_step(node_id))
        self.view_of("talks").source_changed()
        if self.pane not in ("talks", "flow"):
            self.view.source_changed()
        self.show_changed_flow(applied)
        self.search_again()
        self.show_detail_soon()
        if self._unmark:
            self._unmark.stop()
        self._unmark = self.set_timer(_MARKED_FOR, self._clear_marks)
        self.show_frame()

    def show_changed_flow(self, applied: Applied | None = None) -> None:
        """See `Timeline`."""

    def _clear_marks(self) -> None:
        self._unmark = None
        if self.talks is not None and self.talks.marked:
            self.talks.marked = set()
            self.talks.touch()
            self.view_of("talks").source_changed()

    def _set_gone(self, gone: bool) -> None:
        if gone != self.gone:
            self.gone = gone
            self.show_frame()

    # --- following

    def action_follow(self) -> None:
        """Follow the newest step, or stop following."""
        self.set_follow(not self.follow)

    def set_follow(self, follow: bool) -> None:
        """Switch following on or off."""
        self.follow = follow
        if follow:
            self.new_count = 0
            self.go_newest()
        self.show_frame()

    def go_newest(self) -> None:
        """Put the cursor on the step that landed last."""
        if self.opened is not None:
            self.go_to(self.opened.newest(), remember=False)


def _read_on(opened: Opened) -> Pending:
    """In a thread: read what landed since, and check what was only skimmed."""
    opened.newest()  # remembered, so that the screen need not look for it
    return opened.conversation.read_new()
