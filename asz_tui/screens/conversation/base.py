"""State, layout and frame of the conversation screen."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from textual.app import ComposeResult
from textual.containers import Container
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input

from asz_core import Root
from asz_core.conversation import Conversation
from asz_core.document.tree import Tree

from ...grammar import one_line
from ...keys import CONVERSATION
from ...lines.bar import Bar
from ...lines.flow_view import FlowPane
from ...lines.line import Line
from ...lines.text_view import TextView
from ...lines.view import LineView
from ...panes.talks_rows import TalksRows
from ...session.first import FirstReading
from ...session.history import History
from ...session.opened import Opened
from ...text.safe import visible
from . import frame
from .panes import PANES, PaneSet

if TYPE_CHECKING:
    from ...app import AszApp
    from ...panes.detail import DetailBuilder
    from ...session.search import Found

NARROW = 100
"""Columns below which the detail stands instead of the pane, not beside it."""
WIDE = 140
"""Columns from which the flow of the selected talk stands beside the detail."""


class ConversationBase(Screen[None]):
    """What every layer of the screen uses.

    Attributes:
        opened: the conversation with its trees, None while it is read.
        pane: name of the pane that is shown.
        follow: whether the cursor follows the newest step.
        new_count: steps that landed since following ended.
        gone: whether the conversation is gone from the disk.
        found: the search, None before the first.
        other_root: where the conversation is read, when that is not the app's root.
        follows: whether to follow from the beginning.
    """

    def __init__(
        self, conversation: str, node: str | None = None, query: str = "", reading: FirstReading | None = None
    ) -> None:
        """
        Args:
            conversation: the whole id.
            node: put the cursor on this node once it is read.
            query: search for this once it is read.
            reading: the first reading when it began already.
        """
        super().__init__()
        self._query = query
        self._reading = reading
        self.conversation_id = conversation
        self._wanted = node
        self.conversation: Conversation | None = None
        self.opened: Opened | None = None
        self.panes: PaneSet | None = None
        self._detail: DetailBuilder | None = None
        self.pane = "talks"
        self.follow = False
        self.new_count = 0
        self.gone = False
        self.found: Found | None = None
        self.history = History()
        self._message = ""
        self._stopping = threading.Event()
        self.other_root: Root | None = None
        self.follows = False

    @property
    def provisional(self) -> bool:
        """Whether what is shown is not the conversation of the root, but a part of it that stands elsewhere."""
        return self.other_root is not None

    @property
    def asz(self) -> AszApp:
        """The app, by its own type."""
        return cast("AszApp", self.app)

    def compose(self) -> ComposeResult:
        """Header, tabs, panes with the detail beside, search field, footer."""
        yield Bar(id="header")
        yield Bar(id="tabs")
        with Container(id="body"):
            for pane in PANES:
                shown = "pane shown" if pane.name == self.pane else "pane"
                yield FlowPane(id="flow", classes=shown) if pane.name == "flow" else LineView(id=pane.name, classes=shown)
            yield frame.Rule(id="rule")
            yield TextView(id="detail", show_cursor=False, gutter=True, empty_text=" nothing is selected")
            yield frame.Rule(id="second-rule")
            yield FlowPane(id="side")
        yield Input(id="find", placeholder="text, or re:pattern", select_on_focus=True, compact=True)
        yield Bar(id="footer")

    # --- parts

    @property
    def talks(self) -> TalksRows | None:
        """Rows of the Talks pane, None while the conversation is read."""
        return self.panes.talks if self.panes else None

    @property
    def detail(self) -> DetailBuilder | None:
        """What makes the detail of a node, None while the conversation is read; made when it is asked for first."""
        if self._detail is None and self.opened is not None:
            from ...panes.detail import DetailBuilder

            self._detail = DetailBuilder(self.opened, self.asz.tz)
        return self._detail

    @property
    def source(self) -> Any:
        """Rows of the pane that is shown."""
        return self.panes.source(self.pane) if self.panes else None

    @property
    def view(self) -> LineView:
        """The pane that is shown."""
        return self.view_of(self.pane)

    def view_of(self, pane: str) -> LineView:
        """The view of a pane."""
        return self.query_one("#flow", FlowPane).view if pane == "flow" else self.query_one(f"#{pane}", LineView)

    def box_of(self, pane: str) -> Widget:
        """The widget that a pane is laid out as."""
        return self.query_one(f"#{pane}")

    @property
    def detail_view(self) -> TextView:
        """The detail beside or instead of the pane."""
        return self.query_one("#detail", TextView)

    @property
    def field(self) -> Input:
        """The field for search and filters."""
        return self.query_one("#find", Input)

    @property
    def detail_shown(self) -> bool:
        """Whether the detail is on the screen."""
        return self.query_one("#body").has_class("with-detail")

    @property
    def in_detail(self) -> bool:
        """Whether the detail is shown and has the focus."""
        return self.detail_shown and self.detail_view.has_focus

    def at(self) -> tuple[Tree, int] | None:
        """Tree and place of the row under the cursor of the Talks pane; a separator stands for the node after it."""
        return self.talks.node_at(self.view_of("talks").cursor) if self.talks is not None else None

    def selected(self) -> str | None:
        """The node under the cursor of the Talks pane."""
        at = self.at()
        return at[0].nodes[at[1]].id if at else None

    # --- frame

    def on_resize(self) -> None:
        """Narrow screens show one thing at a time."""
        self.query_one("#body").set_class(self.app.size.width < NARROW, "narrow")
        self.call_after_refresh(self.show_frame)

    def show_frame(self) -> None:
        """Header, tabs and footer, each written only where it reads differently."""
        if not self.is_mounted:
            return
        self.query_one("#body").set_class(self.app.size.width >= WIDE and self.detail_shown and self.pane == "talks", "three")
        self.show_header()
        self.show_place()

    def show_place(self) -> None:
        """Tabs with the breadcrumb, and footer: what a move of the cursor changes."""
        if not self.is_mounted:
            return
        crumbs = frame.breadcrumb(self.opened, self.selected()) if self.opened and self.pane == "talks" else []
        if self.pane == "flow" and self.source is not None:
            crumbs = [self.source.status()]
        if words := self.filter_words():
            crumbs = [f"filter: {' + '.join(words)} (Esc: off)", *crumbs[-1:]]
        if text := self.narrowed():
            crumbs = [f"narrowed: {one_line(text)} (Esc: off)"]
        self.query_one("#tabs", Bar).show(frame.tabs(self.pane, crumbs, self.app.size.width, self.asz.ascii_mode))
        self.show_footer()

    def show_header(self) -> None:
        """The first line."""
        if self.is_mounted:
            state = frame.HeaderState(self.follow, self.new_count, self.gone, self.live_words())
            width = self.app.size.width
            self.query_one("#header", Bar).show(frame.header(self.opened, state, self.asz.now_ms(), width, self.asz.ascii_mode))

    def show_footer(self) -> None:
        """The last line: a message, the search, or the keys worth knowing; and the position."""
        if not self.is_mounted:
            return
        words = frame.search_words(self.found, self.selected()) if self.pane in ("talks", "results") else ""
        if self.pane == "flow" and self.source is not None and not self._message and not self.in_detail:
            line = self.source.selection()
            self.query_one("#footer", Bar).show(Line([(" ", ""), *line.left], [*line.right, (" ? help ", "dim")]))
            return
        view = self.detail_view if self.in_detail else self.view
        rows = len(view.source)
        right = f"{view.cursor + 1:,} of {rows:,} " if rows else ""
        keys, room = self.asz.keys_of(CONVERSATION), self.app.size.width - len(right) - 3
        left = self._message or words or frame.hints(keys, self.pane, self.panes, self.detail_shown, self.in_detail, room)
        self.query_one("#footer", Bar).show(Line([(" " + left, "warning" if self._message else "dim")], [(right, "dim")]))

    def say(self, message: str) -> None:
        """Say something in the footer until the next key."""
        self._message = visible(message)
        self.show_footer()

    # --- what later layers provide and earlier ones use

    def live_words(self) -> str:
        """See `Living`."""
        return ""

    def go_to(self, node_id: str | None, *, remember: bool = True) -> bool:
        """See `Moving`."""
        raise NotImplementedError

    def show_pane(self, pane: str) -> None:
        """See `Showing`."""
        raise NotImplementedError

    def show_detail_soon(self) -> None:
        """See `Showing`."""
        raise NotImplementedError

    def narrowed(self) -> str:
        """See `Finding`."""
        return ""

    def filter_words(self) -> list[str]:
        """See `Filtering`."""
        return []

    def search(self, query: str) -> None:
        """See `Finding`."""
        raise NotImplementedError

    def search_again(self) -> None:
        """See `Finding`."""
        raise NotImplementedError

    def in_thread(self, work: Callable[[], None], name: str) -> None:
        """Run something in a daemon thread, which cannot keep the program from leaving."""
        import threading

        threading.Thread(target=work, name=name, daemon=True).start()
