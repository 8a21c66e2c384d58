"""What is open: the conversation with its trees in reading order, kept up to date round by round. No Textual in here."""

from .opened import Applied, Opened

__all__ = ["Applied", "Opened"]
