"""One conversation: its panes, the detail beside them, the frame around them, and what lands while it is open.

The screen only joins the parts: rows come from `panes/`, reading is done by `session/loader`, moves are in `session/moves`,
search is in `session/search`. Every key ends in an `action_` method here.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, cast

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container
from textual.message import Message
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import Input

from asz_core import AszError
from asz_core.conversation import Conversation, Pending
from asz_core.document.tree import Tree
from asz_core.watch import Changes

from ..keys import CONVERSATION, bindings
from ..lines.bar import Bar
from ..lines.line import Line
from ..lines.text_rows import Block
from ..lines.text_view import TextView
from ..lines.view import LineView
from ..panes.detail import DetailBuilder
from ..panes.talks_rows import NOISE, TalksRows, is_persons
from ..panes.verification_rows import VerificationRows
from ..session.history import History
from ..session.loader import Loader
from ..session.moves import next_listed, next_root, parent, sibling
from ..session.opened import Applied, Opened
from ..session.search import Found, compile_query, run
from . import frame
from .help import HelpScreen

if TYPE_CHECKING:
    from ..app import AszApp

PANES = ("talks", "verification")
NARROW = 100
_MARKED_FOR = 5.0
_DETAIL_AFTER = 0.08
_AGES_EVERY = 20.0


class ConversationScreen(Screen[None]):
    """Shows one conversation and keeps it up to date."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(CONVERSATION)

    class Progress(Message):
        """How far the first reading is."""

        def __init__(self, what: str, done: int, total: int) -> None:
            """Say of what, and how much."""
            super().__init__()
            self.what, self.done, self.total = what, done, total

        def can_replace(self, message: Message) -> bool:
            """Only the last word counts."""
            return isinstance(message, ConversationScreen.Progress)

    class Ready(Message):
        """The first reading is done."""

        def __init__(self, opened: Opened | None, why: str) -> None:
            """Carry what was opened, or why it was not."""
            super().__init__()
            self.opened = opened
            self.why = why

    class Landed(Message):
        """Something was read beside and can be taken in."""

        def __init__(self, pending: Pending | None, error: Exception | None) -> None:
            """Carry it."""
            super().__init__()
            self.pending = pending
            self.error = error

    class Searched(Message):
        """The search has news."""

        def __init__(self, found: Found) -> None:
            """Carry what was found so far."""
            super().__init__()
            self.found = found

        def can_replace(self, message: Message) -> bool:
            """Only the last word counts."""
            return isinstance(message, ConversationScreen.Searched)

    def __init__(self, conversation: str, node: str | None = None) -> None:
        """
        Args:
            conversation: the whole id.
            node: put the cursor on this node once it is read.
        """
        super().__init__()
        self.conversation_id = conversation
        self._wanted = node
        self.conversation: Conversation | None = None
        self.opened: Opened | None = None
        self.talks: TalksRows | None = None
        self.verification: VerificationRows | None = None
        self.detail: DetailBuilder | None = None
        self.pane = "talks"
        self.follow = False
        self.new_count = 0
        self.gone = False
        self.found: Found | None = None
        self.history = History()
        self._shown_detail: object = None
        self._loader: Loader[Pending | None] | None = None
        self._stopping = threading.Event()
        self._search_stop = threading.Event()
        self._unmark: Timer | None = None
        self._detail_timer: Timer | None = None
        self._message = ""

    @property
    def asz(self) -> AszApp:
        """The app, by its own type."""
        return cast("AszApp", self.app)

    # --- building

    def compose(self) -> ComposeResult:
        """Header, tabs, panes with the detail beside, search field, footer."""
        yield Bar(id="header")
        yield Bar(id="tabs")
        with Container(id="body"):
            for pane in PANES:
                yield LineView(id=pane, classes="pane shown" if pane == self.pane else "pane")
            yield frame.Rule(id="rule")
            yield TextView(id="detail", show_cursor=False, empty_text=" nothing is selected")
        yield Input(id="find", placeholder="text, or re:pattern", select_on_focus=False, compact=True)
        yield Bar(id="footer")

    def on_mount(self) -> None:
        """Begin to read."""
        self.query_one("#find", Input).cursor_blink = False
        self.view.empty_text = " reading"
        self.view.focus()
        if self.asz.slow:
            for view in self.query(LineView):
                view.scroll_jump = max(2, self.app.size.height // 2)
        self.set_interval(_AGES_EVERY, self._show_header)
        self._frame()
        threading.Thread(target=self._load, name="asz-load", daemon=True).start()

    def on_unmount(self) -> None:
        """Let the readers end."""
        self._stopping.set()
        self._search_stop.set()
        if self._loader:
            self._loader.stop()
        if self.asz.watcher:
            self.asz.watcher.done(self.conversation_id)

    def _load(self) -> None:
        """In a thread: read the conversation for the first time."""
        told = 0.0

        def progress(what: str, done: int, total: int) -> None:
            nonlocal told
            now = time.monotonic()
            if now - told > 0.1:
                told = now
                self.post_message(self.Progress(what, done, total))

        try:
            conversation = Conversation(self.asz.root.storage, self.conversation_id)
            conversation.refresh(progress)
            opened = Opened(conversation, ascii_only=self.asz.ascii_mode)
            conversation.report  # noqa: B018 - computed here so that the screen need not wait for it
            if not self._stopping.is_set():
                self.post_message(self.Ready(opened, ""))
        except (AszError, OSError) as error:
            self.post_message(self.Ready(None, str(error)))

    def on_conversation_screen_progress(self, message: Progress) -> None:
        """Say how far the reading is."""
        if self.opened is None:
            self.view.empty_text = " " + frame.progress_words(message.what, message.done, message.total)

    def on_conversation_screen_ready(self, message: Ready) -> None:
        """Show what was read."""
        if message.opened is None:
            self.view.empty_text = f" {message.why}"
            return
        opened = self.opened = message.opened
        self.conversation = opened.conversation
        self.talks = TalksRows(opened, self.asz.tz)
        self.verification = VerificationRows(opened, self.asz.tz)
        self.detail = DetailBuilder(opened, self.asz.tz)
        self._view_of("talks").set_source(self.talks, keep=False)
        self._view_of("verification").set_source(self.verification, keep=False)
        if opened.trees:
            self._view_of("talks").move_to(opened.trees[0].nodes[0].id)
        self._say_empty()
        self._loader = Loader(lambda _: opened.conversation.read_new(), self._handed, "asz-refresh")
        if self.asz.watcher:
            self.asz.watcher.focus([self.conversation_id], [opened.conversation.data.session])
        if not opened.conversation.usable:
            self._show_pane("verification")
        if self._wanted and not self.go_to(self._wanted):
            self._say(f"there is no node {self._wanted} in this conversation")
        elif not self._wanted and frame.is_running(opened.conversation, self.asz.now_ms()):
            self._set_follow(True)
        self._frame()
        # What landed between the reading and the watcher's first look would be told by nobody else.
        self._loader.request()

    def _say_empty(self) -> None:
        assert self.conversation is not None
        if self.conversation.usable:
            self._view_of("talks").empty_text = " no talk, run or step was folded"
        else:
            why = self.conversation.chain.stopped or "there is no round"
            self._view_of("talks").empty_text = f" nothing of this conversation could be folded: {why}\n\n 6 shows what is there"

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
        self.post_message(self.Landed(pending, error))

    def on_conversation_screen_landed(self, message: Landed) -> None:
        """Take in what was read beside."""
        if message.error is not None or message.pending is None or self.opened is None:
            self._say(f"reading failed: {message.error}" if message.error else "")
            return
        if not message.pending.rounds and self.conversation is not None and self.conversation.usable:
            # Everything is gone from the disk; what was read stays on the screen.
            self._set_gone(True)
            return
        applied = self.opened.take(message.pending)
        if applied:
            self.refresh_panes(applied)
        watcher = self.asz.watcher
        if watcher and self.conversation is not None:
            (watcher.again if self.conversation.chain.unread else watcher.done)(self.conversation_id)

    def refresh_panes(self, applied: Applied) -> None:
        """Show what a round changed; selection, folds and scroll stay."""
        assert self.talks is not None and self.verification is not None and self.opened is not None
        self._set_gone(False)
        self.talks.marked = applied.added | applied.changed
        self.talks.reload(applied.roots)
        self.verification.reload()
        self._say_empty()
        new_steps = sum(1 for node_id in applied.added if self.opened.is_step(node_id))
        if self.follow:
            self._go_newest()
        else:
            self.new_count += new_steps
        for pane in PANES:
            self._view_of(pane).source_changed()
        if self.found is not None and self.found.query:
            self._search(self.found.query, jump=False)
        self._shown_detail = None
        self._show_detail_soon()
        if self._unmark:
            self._unmark.stop()
        self._unmark = self.set_timer(_MARKED_FOR, self._clear_marks)
        self._frame()

    def _clear_marks(self) -> None:
        self._unmark = None
        if self.talks is not None and self.talks.marked:
            self.talks.marked = set()
            self.talks.touch()
            self._view_of("talks").source_changed()

    def _set_gone(self, gone: bool) -> None:
        if gone != self.gone:
            self.gone = gone
            self._frame()

    # --- the frame

    @property
    def view(self) -> LineView:
        """The pane that is shown."""
        return self._view_of(self.pane)

    def _view_of(self, pane: str) -> LineView:
        return self.query_one(f"#{pane}", LineView)

    @property
    def detail_view(self) -> TextView:
        """The detail beside or instead of the pane."""
        return self.query_one("#detail", TextView)

    @property
    def detail_shown(self) -> bool:
        """Whether the detail is on the screen."""
        return self.query_one("#body").has_class("with-detail")

    def on_resize(self) -> None:
        """Narrow screens show one thing at a time."""
        self.query_one("#body").set_class(self.app.size.width < NARROW, "narrow")
        self.call_after_refresh(self._frame)

    def _frame(self) -> None:
        if not self.is_mounted:
            return
        self._show_header()
        width = self.app.size.width
        crumbs = frame.breadcrumb(self.opened, self.selected()) if self.opened and self.pane == "talks" else []
        self.query_one("#tabs", Bar).show(frame.tabs(self.pane, crumbs, width, self.asz.ascii_mode))
        self._show_footer()

    def _show_header(self) -> None:
        if self.is_mounted:
            state = frame.HeaderState(self.follow, self.new_count, self.gone)
            line = frame.header(self.opened, state, self.asz.now_ms(), self.app.size.width, self.asz.ascii_mode)
            self.query_one("#header", Bar).show(line)

    def _show_footer(self) -> None:
        left = self._message or frame.search_words(self.found, self.selected()) or frame.hints(self.talks, self.detail_shown)
        shown = len(self.view.source)
        right = f"{self.view.cursor + 1:,} of {shown:,} " if shown else ""
        self.query_one("#footer", Bar).show(Line([(" " + left, "warning" if self._message else "dim")], [(right, "dim")]))

    def _say(self, message: str) -> None:
        """Say something in the footer until the next key."""
        self._message = message
        if self.is_mounted:
            self._show_footer()

    def selected(self) -> str | None:
        """The node under the cursor of the Talks pane, also when the cursor is on a separator before it."""
        at = self._at()
        return at[0].nodes[at[1]].id if at else None

    def _at(self) -> tuple[Tree, int] | None:
        return self.talks.node_at(self._view_of("talks").cursor) if self.talks is not None else None

    # --- moving

    def on_line_view_moved(self, event: LineView.Moved) -> None:
        """The frame and the detail follow the cursor."""
        if event.view.id == self.pane:
            self._frame()
            self._show_detail_soon()

    def on_line_view_activated(self, event: LineView.Activated) -> None:
        """A double click opens the detail."""
        if event.view.id == self.pane:
            self.action_detail()

    def action_move(self, how: str) -> None:
        """Move in what has the focus."""
        self._message = ""
        if self.detail_view.has_focus and self.detail_shown:
            getattr(self.detail_view, how)()
            return
        if self.follow and how in ("cursor_up", "page_up", "half_page_up", "home"):
            self._set_follow(False)
        getattr(self.view, how)()
        if not self._message:
            self._show_footer()

    def go_to(self, node_id: str | None, *, remember: bool = True) -> bool:
        """Put the cursor of the Talks pane on a node, unfolding what is above it.

        Args:
            node_id: the node; None is nowhere.
            remember: add where the cursor was to the history.

        Returns:
            Whether there is such a node in a tree.
        """
        if node_id is None or self.talks is None:
            return False
        before = self.selected()
        index = self.talks.reveal(node_id)
        if index is None:
            return False
        if remember and before != node_id:
            self.history.jump(before, node_id)
        self._show_pane("talks")
        view = self._view_of("talks")
        view.source_changed()
        view.move_to(index)
        self._frame()
        return True

    def _jump(self, node_id: str | None, nothing: str) -> None:
        self._message = ""
        if not self.go_to(node_id):
            self._say(nothing)

    def action_next_talk(self, step: int) -> None:
        """The next or previous talk by a person."""
        at, opened = self._at(), self.opened
        if at and opened:
            target = next_root(opened, *at, step, lambda tree: is_persons(tree, opened))
            self._jump(target, "no further talk by a person that way")

    def action_next_error(self, step: int) -> None:
        """The next or previous failed or error step."""
        at = self._at()
        if at and self.opened:
            self._jump(next_listed(self.opened, *at, step, self.opened.failed_places), "no further failed or error step that way")

    def action_next_open(self, step: int) -> None:
        """The next or previous step that an open reference names."""
        at = self._at()
        if at and self.opened:
            self._jump(next_listed(self.opened, *at, step, self.opened.open_places), "no further unresolved step that way")

    def action_sibling(self, step: int) -> None:
        """The next or previous sibling."""
        at = self._at()
        if at and self.opened:
            self._jump(sibling(self.opened, *at, step), "no further sibling that way")

    def action_back(self) -> None:
        """Back to where the last jump began."""
        if not self.go_to(self.history.back(), remember=False):
            self._say("nothing to go back to")

    def action_forward(self) -> None:
        """Forward again."""
        if not self.go_to(self.history.forward(), remember=False):
            self._say("nothing to go forward to")

    # --- folding

    def _folded(self) -> None:
        view = self._view_of("talks")
        view.source_changed()
        self._frame()

    def action_toggle_fold(self) -> None:
        """Fold or unfold the row."""
        at = self._at()
        if at and self.talks and self.pane == "talks" and at[0].sizes[at[1]] > 1:
            self.talks.set_open(*at, not self.talks.is_open(at[0].nodes[at[1]].id))
            self._folded()

    def action_unfold(self) -> None:
        """Unfold the row, or go to its first child."""
        at = self._at()
        if not at or not self.talks or self.pane != "talks" or at[0].sizes[at[1]] == 1:
            return
        if self.talks.is_open(at[0].nodes[at[1]].id):
            self.view.cursor_down()
        else:
            self.talks.set_open(*at, True)
            self._folded()

    def action_fold(self) -> None:
        """Fold the row, or go to what contains it."""
        at = self._at()
        if not at or not self.talks or self.pane != "talks":
            return
        tree, place = at
        if tree.sizes[place] > 1 and self.talks.is_open(tree.nodes[place].id):
            self.talks.set_open(tree, place, False)
            self._folded()
        else:
            above = parent(tree, place)
            if above is not None and (index := self.talks.reveal(above)) is not None:
                self.view.move_to(index)

    def action_fold_below(self, is_open: bool) -> None:
        """Fold or unfold the row and everything below it."""
        at = self._at()
        if at and self.talks and self.pane == "talks":
            self.talks.set_open(*at, is_open, below=True)
            self._folded()

    def action_fold_all(self, is_open: bool) -> None:
        """Fold or unfold everything; the cursor stays on its node, or on what still shows of it."""
        selected = self.selected()
        if not self.talks or self.pane != "talks":
            return
        self.talks.set_all(is_open)
        view = self._view_of("talks")
        view.source_changed()
        path = self.opened.path(selected) if selected and self.opened else []
        for node in reversed(path):
            index = self.talks.index_of(node.id)
            if index is not None:
                view.move_to(index)
                break
        self._frame()

    def action_noise(self) -> None:
        """The next level of noise."""
        if self.talks:
            self.talks.noise = (self.talks.noise + 1) % len(NOISE)
            self._refilter(f"showing {NOISE[self.talks.noise]}")

    def action_thinking(self) -> None:
        """Thinking on or off."""
        if self.talks:
            self.talks.thinking = not self.talks.thinking
            self._refilter("thinking is shown" if self.talks.thinking else "thinking is hidden")

    def _refilter(self, words: str) -> None:
        assert self.talks is not None
        self.talks.refill()
        self._view_of("talks").source_changed()
        self._frame()
        self._say(words)

    # --- panes and detail

    def action_pane(self, pane: str) -> None:
        """Show another pane."""
        self._show_pane(pane)

    def _show_pane(self, pane: str) -> None:
        if pane != self.pane:
            self.view.remove_class("shown")
            self.pane = pane
            self.view.add_class("shown")
        if not self.query_one("#find", Input).has_focus:
            self.view.focus()
        self._frame()

    def action_switch_focus(self) -> None:
        """From the list to the detail and back."""
        if not self.detail_shown:
            self.action_detail()
        elif self.detail_view.has_focus:
            self.view.focus()
        else:
            self.detail_view.focus()

    def action_detail(self) -> None:
        """Open or close the detail; from a row of a table, go where it leads."""
        self._message = ""
        if self.pane == "verification" and self.verification is not None:
            target = self.verification.target(self.view.cursor)
            if target is None:
                self._say("this row leads nowhere")
            else:
                self._jump(target, "the step is in no talk")
            return
        if self.detail_shown and self._shown_detail is not None and not isinstance(self._shown_detail, tuple):
            self._close_detail()
        else:
            self._open_detail()

    def _open_detail(self) -> None:
        self.query_one("#body").add_class("with-detail")
        self._shown_detail = None
        self._show_detail()
        if self.app.size.width < NARROW:
            self.detail_view.focus()
        self._frame()

    def _close_detail(self) -> None:
        self.query_one("#body").remove_class("with-detail")
        self._shown_detail = None
        self.view.focus()
        self._frame()

    def _show_detail_soon(self) -> None:
        """The detail follows when the cursor rests, so that running through the rows stays light."""
        if self._detail_timer is not None:
            self._detail_timer.stop()
        if self.detail_shown:
            self._detail_timer = self.set_timer(_DETAIL_AFTER, self._show_detail)

    def _show_detail(self) -> None:
        self._detail_timer = None
        selected = self.selected()
        if not self.detail_shown or self.detail is None or selected == self._shown_detail:
            return
        keep = self._shown_detail is None
        self._shown_detail = selected
        items = self.detail.node(selected) if selected else []
        self.detail_view.set_items(items, keep=keep)
        self.detail_view.set_match(self.found.pattern if self.found else None)

    def _show_special(self, key: tuple[str, object], make: Callable[[], list[Block | Line]]) -> None:
        """Show something else than the node in the detail: a record, a word; the same key again goes back."""
        again = self._shown_detail == key and self.detail_shown
        self.query_one("#body").add_class("with-detail")
        self._shown_detail = None
        if again:
            self._show_detail()
        else:
            self.detail_view.set_items(make())
            self._shown_detail = key
        self._frame()

    def action_record(self) -> None:
        """The landed record itself."""
        at, detail = self._at(), self.detail
        if not at or detail is None:
            return
        node = at[0].nodes[at[1]]
        ref = node.ref
        if ref is None:
            self._say("this node was derived by assembly; it cites no landed record")
            return
        self._show_special(("record", node.id), lambda: detail.record(ref.seq, ref.row))

    def action_records(self) -> None:
        """Every landed record that the node covers."""
        selected, detail = self.selected(), self.detail
        if selected and detail is not None:
            self._show_special(("records", selected), lambda: detail.records(selected))

    def action_word(self) -> None:
        """What the model means by the kind."""
        at, detail = self._at(), self.detail
        if at and detail is not None:
            kind = at[0].nodes[at[1]].kind
            self._show_special(("word", kind), lambda: detail.word(kind))

    # --- search

    def action_find(self) -> None:
        """Open the search field."""
        field = self.query_one("#find", Input)
        field.add_class("shown")
        field.focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Search while it is typed."""
        self._search(event.value, jump=False)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Go to the first match from the cursor on."""
        self.query_one("#find", Input).remove_class("shown")
        self.view.focus()
        if self.found is not None and self.found.error:
            self._say(self.found.error)
        elif event.value:
            self._jump_when_found = True
            if self.found is not None and self.found.ids:
                self._jump_when_found = False
                self.action_next_match(1, stay=True)

    _jump_when_found = False

    def _search(self, query: str, *, jump: bool) -> None:
        self._search_stop.set()
        stop = self._search_stop = threading.Event()
        opened = self.opened
        if opened is None or self.talks is None:
            return
        found = self.found = compile_query(query)
        self._jump_when_found = jump
        self.talks.match = found.pattern
        self._view_of("talks").source_changed()
        self.detail_view.set_match(found.pattern)
        self._message = ""
        if found.pattern is None:
            self._show_footer()
            return

        def work() -> None:
            run(opened, found, stop.is_set, lambda: self._tell(found))
            if not stop.is_set():
                self._tell(found)

        threading.Thread(target=work, name="asz-search", daemon=True).start()

    def _tell(self, found: Found) -> None:
        self.post_message(self.Searched(found))

    def on_conversation_screen_searched(self, message: Searched) -> None:
        """Count the matches; jump when the person waits for the first."""
        if message.found is not self.found:
            return
        if self._jump_when_found and message.found.ids:
            self._jump_when_found = False
            self.action_next_match(1, stay=True)
        self._show_footer()

    def action_next_match(self, step: int, stay: bool = False) -> None:
        """The next or previous match in reading order, round the end.

        Args:
            step: 1 or -1.
            stay: a match under the cursor is the next one.
        """
        found = self.found
        self._message = ""
        if found is None or found.pattern is None:
            self._say("nothing was searched for: / begins a search")
            return
        if not found.ids:
            self._say(f"no match for {found.query}" if found.done else "searching")
            return
        selected = self.selected()
        position = found.position(selected)
        if stay and position:
            self._show_footer()
            return
        at = position - 1 if position else self._before_cursor(found, step)
        self._jump(found.ids[(at + step) % len(found.ids)], "the match is not shown at this level of noise")

    def _before_cursor(self, found: Found, step: int) -> int:
        """Index of the match before the cursor (after it, when going back), in reading order."""
        here = self._at()
        if here is None or self.opened is None:
            return -1 if step > 0 else 0
        order = {id(tree): at for at, tree in enumerate(self.opened.trees)}
        mine = (order.get(id(here[0]), 0), here[1])
        count = 0
        for node_id in found.ids:
            place = self.opened.locate(node_id)
            if place is not None and (order.get(id(place[0]), 0), place[1]) < mine:
                count += 1
            elif place is not None:
                break
        return count - 1 if step > 0 else count

    # --- following, help, leaving

    def action_follow(self) -> None:
        """Follow the newest step, or stop following."""
        self._set_follow(not self.follow)

    def _set_follow(self, follow: bool) -> None:
        self.follow = follow
        if follow:
            self.new_count = 0
            self._go_newest()
        self._frame()

    def _go_newest(self) -> None:
        if self.opened is not None:
            self.go_to(self.opened.newest(), remember=False)

    def action_help(self) -> None:
        """Show the help."""
        self.app.push_screen(HelpScreen(CONVERSATION, "one conversation"))

    def action_leave(self) -> None:
        """Close the innermost thing that is open: search, detail, other pane, the conversation."""
        field = self.query_one("#find", Input)
        self._message = ""
        if field.has_class("shown"):
            field.remove_class("shown")
            self.view.focus()
        elif self.found is not None and self.found.query:
            field.value = ""
            self._search("", jump=False)
        elif self.detail_shown:
            self._close_detail()
        elif self.pane != "talks":
            self._show_pane("talks")
        else:
            self.dismiss(None)
            return
        self._frame()
