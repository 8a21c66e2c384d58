"""The conversation screen as the app pushes it: the layers, their keys, help and leaving."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import BindingType

from ...keys import CONVERSATION, bindings
from .living import Living


class ConversationScreen(Living):
    """Shows one conversation and keeps it up to date."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(CONVERSATION)

    def action_palette(self) -> None:
        """Show everything this screen can do."""
        from ..palette import PaletteScreen

        self.app.push_screen(PaletteScreen(self.asz.keys_of(CONVERSATION)), self._run_chosen)

    async def _run_chosen(self, action: str | None) -> None:
        if action:
            await self.run_action(action)

    def action_help(self) -> None:
        """Show the help."""
        from ..help import HelpScreen

        self.app.push_screen(HelpScreen(self.asz.keys_of(CONVERSATION), "one conversation"))

    def action_leave(self) -> None:
        """Close the innermost thing that is open: field, record, search, narrowing, detail, other pane, the conversation."""
        self._message = ""
        self._list_results = False
        if self.field.has_class("shown"):
            self.close_field()
        elif self.in_detail and isinstance(self._shown, tuple):
            self._shown = None
            self._show_detail()
        elif self.pane == "talks" and self.found is not None and self.found.query and not self.in_detail:
            self.search("")
        elif self.pane == "talks" and self.filter and not self.in_detail:
            self.clear_filter()
        elif self.leave_flow():
            pass
        elif self.narrowed():
            self.clear_narrowing()
        elif self.detail_shown:
            self.close_detail()
        elif self.pane != "talks":
            self.show_pane("talks")
        else:
            self.asz.leave_conversation(self.conversation_id)
            return
        self.show_frame()
