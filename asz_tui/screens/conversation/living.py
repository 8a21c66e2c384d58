"""A session that is collected while it is looked at: waiting for its first round, the preview of a large one and its end.

What it owns: whether the screen shows a preview (`provisional`), and what it still waits for. A preview is a storage root of its
own that holds the newest part of the session; as soon as all of it is collected the screen is exchanged for one on the live root,
with the cursor on the same step where that has the same name in both, else on what it is part of.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from asz_core import Root
from asz_core.errors import AszError

from .filtering import Filtering

if TYPE_CHECKING:
    from asz_core.live import Told
    from asz_core.watch import Changes

_PLACE = re.compile(r"/\d+/\d+(:\d+)?$")
"""The end of an id that says where a record landed, which is another place in a preview."""


class Living(Filtering):
    """Follows what the collector tells of the session that is shown."""

    _awaits = False

    def begin(self) -> None:
        """Begin to read; where nothing is collected yet, once there is something."""
        if self.asz.live is None or self._reading is not None or self._has_landed():
            super().begin()
            return
        self._awaits = True
        self._say_waiting()
        self.show_frame()
        self.asz.first_frame_shown()
        self._look_for_something()

    def live_told(self, told: Told) -> None:
        """Take notice of what the collector told."""
        live = self.asz.live
        if live is None or not self.is_mounted or self._stopping.is_set():
            return
        if self._awaits:
            self._look_for_something()
        elif self.provisional and live.is_whole(self.conversation_id) and self.opened is not None:
            self._show_whole()
            return
        if any(session.id == self.conversation_id for session in told.sessions):
            self._say_waiting()
            self.show_header()

    def root_changed(self, changes: Changes) -> None:
        """What landed may be what is waited for."""
        if self._awaits:
            self._look_for_something()
        else:
            super().root_changed(changes)

    def _look_for_something(self) -> None:
        """Read the preview when there is one, or the first round that landed."""
        live = self.asz.live
        assert live is not None
        preview = live.previews.pop(self.conversation_id, None)
        if preview is not None:
            try:
                self.other_root = Root(preview)
            except AszError:
                return
        elif not self._has_landed():
            return
        self._awaits = False
        super().begin()

    def _has_landed(self) -> bool:
        """Whether there is a round of the conversation."""
        return bool(self.asz.root.storage.rounds(self.conversation_id))

    def _say_waiting(self) -> None:
        if self._awaits and self.asz.live is not None:
            words = self.asz.live.words_of(self.conversation_id) or "collecting"
            self.view.empty_text = f" {words}"

    def live_words(self) -> str:
        """What the header says of the collecting."""
        live = self.asz.live
        if live is None:
            return ""
        words = live.words_of(self.conversation_id)
        if self.provisional:
            return "the newest part" + (f", {words}" if words else "")
        found = live.sessions.get(self.conversation_id)
        return words if found is not None and found.problem else ""

    def _show_whole(self) -> None:
        """Exchange the preview for the whole conversation."""
        from .screen import ConversationScreen

        selected = self.selected()
        path = self.opened.path(selected) if selected and self.opened else []
        lasting = next((node.id for node in reversed(path) if not _PLACE.search(node.id)), None)
        screen = ConversationScreen(self.conversation_id, lasting)
        screen.follows = self.follow
        self.app.switch_screen(screen)
