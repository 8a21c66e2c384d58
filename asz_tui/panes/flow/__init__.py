"""The Flow pane: a lane a stream on one time axis. `FlowModel` is all that the screen needs; nothing in here knows Textual."""

from .model import FlowModel

__all__ = ["FlowModel"]
