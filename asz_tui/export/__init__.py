"""Taking a conversation, or a part of it, along as a file: JSON, YAML, Markdown, plain text, and a link that opens the place again.

`export` takes a picture of what is open and makes the file in pieces; the picture belongs to whoever iterates, so the pieces may be
made in another thread while rounds land. No Textual in here.
"""

from .exporting import export
from .names import FORMATS, SVG, Format, deep_link, formats, propose_name
from .snapshot import Cancelled, ExportError, Progress
from .writing import AlreadyThere, CannotWrite, write

__all__ = [
    "FORMATS",
    "SVG",
    "AlreadyThere",
    "Cancelled",
    "CannotWrite",
    "ExportError",
    "Format",
    "Progress",
    "deep_link",
    "export",
    "formats",
    "propose_name",
    "write",
]
