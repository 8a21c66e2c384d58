"""`export`: one conversation, or the subtree of one of its nodes, as the pieces of a file.

Cost: Markdown, plain text and the JSON of a subtree are made node by node, in memory for a few megabytes of records; a whole
document is built at once, as it is for the terminal, its texts clipped at 2,000 bytes each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import tzinfo

from asz_core.conversation import Conversation

from ..session.opened import Opened
from .documents import document_chunks, subtree_json, subtree_yaml
from .names import format_named
from .snapshot import ExportError, Meter, Progress, Reader, freeze


def export(
    opened: Opened,
    what: str | None,
    fmt: str,
    tz: tzinfo,
    *,
    progress: Progress | None = None,
    stop: Callable[[], bool] | None = None,
) -> Iterator[bytes]:
    """Make a file in pieces.

    The picture of the conversation is taken by this call, so call it where the conversation is changed (the screen's thread);
    iterate wherever it suits.

    Args:
        opened: the conversation.
        what: id of a node for its subtree, None for the whole conversation.
        fmt: «json», «yaml», «markdown» or «text».
        tz: the zone of the times in Markdown and plain text.
        progress: told how much is done, by whoever iterates.
        stop: asked now and then; ends the export when true.

    Returns:
        The pieces, UTF-8. Iterating raises Cancelled when it was stopped.

    Raises:
        ExportError: when there is no such format, or the node stands in no talk.
        ChainError: when no round is usable.
    """
    try:
        format_named(fmt)
        maker = _MAKERS[fmt]
    except KeyError:
        raise ExportError(f"there is no export as {fmt!r}") from None
    opened.conversation.require_usable()
    if what is not None and opened.locate(what) is None:
        raise ExportError("what is selected stands in no talk and has no subtree; the whole conversation can be exported")
    return _pieces(freeze(opened.conversation), opened.grammar.ascii_only, what, maker, tz, Meter(progress, stop))


def _pieces(
    conversation: Conversation, ascii_only: bool, what: str | None, maker: _Maker, tz: tzinfo, meter: Meter
) -> Iterator[bytes]:
    meter.tell()
    conversation.data.complete()
    yield from maker(conversation, ascii_only, what, tz, meter)
    meter.finish()


def _document(fmt: str) -> _Maker:
    def make(conversation: Conversation, ascii_only: bool, what: str | None, tz: tzinfo, meter: Meter) -> Iterator[bytes]:
        if what is None:
            data = conversation.data
            meter.total = sum(max(1, len(node.refs or ())) for node in conversation.fold.nodes.values())
            assert isinstance(data, Reader)
            # Building the document is one call: the records it looks at tell how far it is, and are where it can be stopped.
            data.looked = meter.count
            return document_chunks(conversation, fmt, meter)
        opened = Opened(conversation, ascii_only=ascii_only)
        return (subtree_json if fmt == "json" else subtree_yaml)(opened, what, meter)

    return make


def _markdown(conversation: Conversation, ascii_only: bool, what: str | None, tz: tzinfo, meter: Meter) -> Iterator[bytes]:
    from .markdown import markdown_chunks

    return _encoded(markdown_chunks(Opened(conversation, ascii_only=ascii_only), what, tz, meter))


def _text(conversation: Conversation, ascii_only: bool, what: str | None, tz: tzinfo, meter: Meter) -> Iterator[bytes]:
    from .plaintext import text_chunks

    return _encoded(text_chunks(Opened(conversation, ascii_only=ascii_only), what, tz, meter))


def _encoded(texts: Iterator[str]) -> Iterator[bytes]:
    """Texts as bytes, the small ones together."""
    parts: list[str] = []
    size = 0
    for text in texts:
        parts.append(text)
        size += len(text)
        if size > 32_768:
            yield "".join(parts).encode("utf-8", "replace")
            parts, size = [], 0
    yield "".join(parts).encode("utf-8", "replace")


_Maker = Callable[[Conversation, bool, "str | None", tzinfo, Meter], Iterator[bytes]]
_MAKERS: dict[str, _Maker] = {"json": _document("json"), "yaml": _document("yaml"), "markdown": _markdown, "text": _text}
