"""The detail pane's content: one node, one landed record or one word, in full, as blocks for `lines.text_rows.TextRows`.

Nothing in here imports Textual; everything is made when it is asked for and nothing is kept but what a whole conversation shares.
"""

from .builder import DetailBuilder
from .plain import plain

__all__ = ["DetailBuilder", "plain"]
