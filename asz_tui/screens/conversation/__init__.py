"""One conversation on the screen: its panes, the detail beside them, the frame around them, and what lands while it is open.

The screen only joins the parts: rows come from `panes/`, reading is done by `session/loader`, moves are in `session/moves`, search
is in `session/search`. It is made of layers that each own one concern and know only those before them: `base` (state, layout,
frame), `reading` (loading and what lands), `moving` (cursor, folds, jumps), `finding` (search), `showing` (detail, records,
panes), `timeline` (flow), `taking` (copies, export).
"""

from .screen import ConversationScreen

__all__ = ["ConversationScreen"]
