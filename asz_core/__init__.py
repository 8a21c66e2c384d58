"""asz_core: reads, verifies and writes AI Sessionizer storage roots and builds the ``asz.view`` document; no terminal in it.

    from asz_core import Root

    root = Root("asz-root")
    for row in root.rows():                     # newest activity first, from the head rounds' headers
        print(row.id, row.title, row.talks)
    conversation = root.load("5eed0002")         # the beginning of an id is enough
    conversation.fold.nodes                      # the living nodes, by id
    conversation.report.state                    # verified, incomplete or mismatch
    conversation.document().talks                # the asz.view document, typed
    conversation.json()                          # its bytes
    conversation.landed_line(2, 13)              # a landed record by its address
    watcher = root.watch(print)                  # what changes, until watcher.stop()
    conversation.refresh()                       # takes in what landed since

What is not exported here may change.
"""

from .conversation import Conversation, Update
from .document.build import build_document
from .document.model import Document, ViewNode
from .errors import (
    Ambiguous,
    AszError,
    ChainError,
    FoldError,
    NotFound,
    RecordError,
    RootError,
    RoundError,
    WriteError,
)
from .listing import Row
from .root import Root
from .verify import Report, verify_chain

__all__ = [
    "Ambiguous",
    "AszError",
    "ChainError",
    "Conversation",
    "Document",
    "FoldError",
    "NotFound",
    "RecordError",
    "Report",
    "Root",
    "RootError",
    "RoundError",
    "Row",
    "Update",
    "ViewNode",
    "WriteError",
    "build_document",
    "verify_chain",
]
