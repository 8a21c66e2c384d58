"""Cursor, jumps, history, folds and levels of noise."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import perf_counter

from asz_core.document.tree import Tree

from ...lines.view import LineView
from ...panes.talks_rows import NOISE, is_persons
from ...session.edges import openers_of
from ...session.moves import next_root, parent, sibling, walk_failed, walk_open
from ...session.opened import Opened
from .reading import Reading

_AT_FIRST, _SLICE, _REST = 0.03, 0.005, 0.003
"""Seconds to look for the next of a sort at once, in a slice after that, and between two slices."""


class Moving(Reading):
    """Moves through the rows and the trees."""

    _framed: object = None

    def on_line_view_moved(self, event: LineView.Moved) -> None:
        """The frame and the detail follow the cursor."""
        if event.view.id == self.pane:
            if self._framed != (self.pane, event.key, event.index):
                self.show_place()
            self.show_detail_soon()
        elif event.view.id == "detail":
            self.show_footer()

    def action_move(self, how: str) -> None:
        """Move in what has the focus."""
        self._message = ""
        if self.in_detail:
            getattr(self.detail_view, how)()
            self.show_footer()
            return
        if self.follow and how in ("cursor_up", "page_up", "half_page_up", "home"):
            self.set_follow(False)
        getattr(self.view, how)()
        # At once, so that the row and what the frame says of it stand in one frame of the terminal.
        self.show_place()
        self._framed = self.pane, self.view.cursor_key, self.view.cursor

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
        if self.pane not in ("talks", "flow"):
            self.show_pane("talks")
        view = self.view_of("talks")
        view.source_changed()
        view.move_to(index)
        self.selection_moved()
        self.show_frame()
        return True

    def selection_moved(self) -> None:
        """The selection is another node; other panes that show it follow."""

    def jump(self, node_id: str | None, nothing: str) -> None:
        """Go to a node, or say why there is none."""
        self._message = ""
        if not self.go_to(node_id):
            self.say(nothing)

    # --- to the next of a sort

    def action_next_talk(self, step: int) -> None:
        """The next or previous talk by a person."""
        at, opened = self.at(), self.opened
        if at and opened:
            target = next_root(opened, *at, step, lambda tree: is_persons(tree, opened))
            self.jump(target, "no further talk by a person that way")

    def action_next_error(self, step: int) -> None:
        """The next or previous failed or error step."""
        self._next(step, walk_failed, "no further failed or error step that way")

    def action_next_open(self, step: int) -> None:
        """The next or previous step that an open reference names."""
        self._next(step, walk_open, "no further unresolved step that way")

    def _next(self, step: int, walk: Callable[[Opened, Tree, int, int], Iterator[str | None]], nothing: str) -> None:
        at = self.at()
        if at and self.opened:
            self._message = ""
            self._look_on(walk(self.opened, *at, step), nothing, (self.pane, self.selected()), _AT_FIRST)

    def _look_on(self, walk: Iterator[str | None], nothing: str, here: object, seconds: float) -> None:
        """Go on looking for so long; what is far away is looked for in slices, and no more once the cursor is moved."""
        if here != (self.pane, self.selected()) or self.opened is None:
            return
        until = perf_counter() + seconds
        for found in walk:
            if found is not None:
                self.jump(found, nothing)
                return
            if perf_counter() > until:
                if not self._message:
                    self.say("looking; a move of the cursor ends it")
                self.set_timer(_REST, lambda: self._look_on(walk, nothing, here, _SLICE))
                return
        self.say(nothing)

    def action_sibling(self, step: int) -> None:
        """The next or previous sibling."""
        at = self.at()
        if at and self.opened:
            self.jump(sibling(self.opened, *at, step), "no further sibling that way")

    def action_back(self) -> None:
        """Back to where the last jump began."""
        if not self.go_to(self.history.back(), remember=False):
            self.say("nothing to go back to")

    def action_forward(self) -> None:
        """Forward again."""
        if not self.go_to(self.history.forward(), remember=False):
            self.say("nothing to go forward to")

    # --- along edges

    def action_edges(self) -> None:
        """Show the edges of the selection and follow one of them."""
        selected = self.selected()
        if selected and self.opened:
            from ..edges import EdgesScreen

            self.app.push_screen(EdgesScreen(self.opened, selected), self._followed)

    def action_opener(self) -> None:
        """Back to the step that opened this stream; several are shown, none chosen."""
        at = self.at()
        if not at or not self.opened:
            return
        stream = at[0].nodes[at[1]].stream
        openers = openers_of(self.opened, stream)
        if len(openers) == 1:
            self.jump(openers[0].target, "the step that opened this stream is in no talk")
        elif openers:
            from ..edges import EdgesScreen

            self.app.push_screen(EdgesScreen(self.opened, f"stream/{stream}", openers), self._followed)
        else:
            self.say("no relation records what opened this stream")

    def _followed(self, choice: str | None) -> None:
        from ..edges import EdgesScreen

        if choice == EdgesScreen.FIRST:
            self.action_move("home")
        elif choice:
            self.jump(choice, "the other end is in no talk")

    # --- folding

    def folded(self) -> None:
        """The rows of the pane changed by folding."""
        self.view.source_changed()
        self.show_frame()

    def action_toggle_fold(self) -> None:
        """Fold or unfold the row."""
        if self.pane != "talks":
            if hasattr(self.source, "toggle"):
                self.source.toggle(self.view.cursor)
                self.folded()
            return
        at = self.at()
        if at and self.talks and at[0].sizes[at[1]] > 1:
            self.talks.set_open(*at, not self.talks.is_open(at[0].nodes[at[1]].id))
            self.folded()

    def action_unfold(self) -> None:
        """Unfold the row, or go to its first child."""
        if self.pane != "talks":
            self._set_row_open(True)
            return
        at = self.at()
        if not at or not self.talks or at[0].sizes[at[1]] == 1:
            return
        if self.talks.is_open(at[0].nodes[at[1]].id):
            self.view.cursor_down()
        else:
            self.talks.set_open(*at, True)
            self.folded()

    def action_fold(self) -> None:
        """Fold the row, or go to what contains it."""
        if self.pane != "talks":
            self._set_row_open(False)
            return
        at = self.at()
        if not at or not self.talks:
            return
        tree, place = at
        if tree.sizes[place] > 1 and self.talks.is_open(tree.nodes[place].id):
            self.talks.set_open(tree, place, False)
            self.folded()
        else:
            above = parent(tree, place)
            if above is not None and (index := self.talks.reveal(above)) is not None:
                self.view.move_to(index)

    def _set_row_open(self, is_open: bool) -> None:
        if hasattr(self.source, "set_open"):
            self.source.set_open(self.view.cursor, is_open)
            self.folded()

    def action_fold_below(self, is_open: bool) -> None:
        """Fold or unfold the row and everything below it."""
        at = self.at()
        if at and self.talks and self.pane == "talks":
            self.talks.set_open(*at, is_open, below=True)
            self.folded()

    def action_fold_all(self, is_open: bool) -> None:
        """Fold or unfold everything; the cursor stays on its node, or on what still shows of it."""
        if self.pane != "talks":
            if hasattr(self.source, "set_all"):
                self.source.set_all(is_open)
                self.folded()
            return
        selected = self.selected()
        if not self.talks:
            return
        self.talks.set_all(is_open)
        self.view.source_changed()
        path = self.opened.path(selected) if selected and self.opened else []
        for node in reversed(path):
            index = self.talks.index_of(node.id)
            if index is not None:
                self.view.move_to(index)
                break
        self.show_frame()

    # --- levels of noise

    def action_noise(self) -> None:
        """The next level of noise; in Edges, the next relation type."""
        if self.pane == "edges":
            self.say(f"type: {self.source.cycle_type() or 'all'}")
            self.view.source_changed()
        elif self.talks:
            self.talks.noise = (self.talks.noise + 1) % len(NOISE)
            self._refilter(f"showing {NOISE[self.talks.noise]}")

    def action_thinking(self) -> None:
        """Thinking on or off; in Edges, the next quality."""
        if self.pane == "edges":
            self.say(f"quality: {self.source.cycle_quality() or 'all'}")
            self.view.source_changed()
        elif self.talks:
            self.talks.thinking = not self.talks.thinking
            self._refilter("thinking is shown" if self.talks.thinking else "thinking is hidden")

    def _refilter(self, words: str) -> None:
        assert self.talks is not None
        self.talks.refill()
        self.view_of("talks").source_changed()
        self.show_frame()
        self.say(words)
