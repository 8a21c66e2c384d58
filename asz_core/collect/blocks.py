"""From the content of a message to parts (the collecting specification, §7)."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

from ..rawjson import MAX_DEPTH
from .payload import LIST, TEXT, Payload
from .shapes import ATTACHMENT_TEXT, BLOCK, object_of
from .spelling import escaped, plain, size_of

LEVELS_ABOVE = 3
"""A payload's value stands so many levels down in its record: record, list of parts, part."""

DROPPED = b'{"what":"reasoning signature","bytes":%d,"why":"a provider verifies it; a reader cannot read it"}'


class Unwritable(ValueError):
    """A record that cannot be written; nothing of its file lands (§4.5)."""


class Parts:
    """The parts of one record as they are made.

    Attributes:
        made: each as JSON.
        dropped: what was left out, as JSON.
        tool: the ``of`` of the first result that has one.
    """

    __slots__ = ("_enrichment", "_payload", "dropped", "made", "tool")

    def __init__(self, payload: Payload, enrichment: Any = None) -> None:
        """
        Args:
            payload: the reader of the record.
            enrichment: the value of a usable one, which is the data of every result.
        """
        self._payload = payload
        self._enrichment = None if enrichment is None else (enrichment,)
        self.made: list[bytes] = []
        self.dropped: list[bytes] = []
        self.tool = ""

    def text(self, text: str) -> None:
        """A part that is nothing but text."""
        self.made.append(part("text", text, size=size_of(text)))

    def data(self, value: Any) -> None:
        """A part that carries a value of the source."""
        data, size = self.data_of(value)
        self.made.append(part("data", data=data, size=size))

    def data_of(self, value: Any) -> tuple[bytes, int]:
        """A value as it is written, and the length of its own bytes.

        Raises:
            Unwritable: when the record would nest too deep.
        """
        if self._payload.depth(value) + LEVELS_ABOVE > MAX_DEPTH:
            raise Unwritable("the record nests deeper than 10,000 levels")
        return self._payload.data(value)

    def content(self, content: Any) -> None:
        """What ``message.content`` gives, whatever it is but null."""
        payload = self._payload
        kind = payload.kind(content)
        if kind is TEXT:
            self.text(payload.plain(content))
        elif kind is LIST:
            for element in payload.elements(content):
                self._block(element)
        else:
            self.made.append(unknown(payload.own(content), "the content is neither text nor a list of blocks"))

    def attachment(self, value: Any) -> None:
        """What an attachment gives: its text, else all of it."""
        payload = self._payload
        found, good = object_of(payload, value, ATTACHMENT_TEXT)
        text = found.get("text", "") if good else ""
        if good and not text and "content" in found and payload.kind(found["content"]) is TEXT:
            text = payload.plain(found["content"])
        if text:
            self.text(text)
        else:
            self.data(value)

    def _block(self, element: Any) -> None:
        block, good = object_of(self._payload, element, BLOCK)
        if not good:
            self.made.append(unknown(self._payload.own(element), "the block is not an object"))
            return
        kind = block.get("type", "")
        make = BLOCKS.get(kind)
        if make is None:
            why = f'block type "{kind}" is not one this dialect describes'
            self.made.append(unknown(self._payload.own(element), why))
        else:
            self.made.append(make(self, block))

    def _text_block(self, block: dict[str, Any]) -> bytes:
        text = block.get("text", "")
        return part("text", text, size=size_of(text))

    def _thinking(self, block: dict[str, Any]) -> bytes:
        return self._reasoning(block, b"available" if block.get("thinking") else b"unavailable")

    def _redacted(self, block: dict[str, Any]) -> bytes:
        return self._reasoning(block, b"redacted")

    def _reasoning(self, block: dict[str, Any], state: bytes) -> bytes:
        if block.get("signature"):
            self.dropped.append(DROPPED % size_of(block["signature"]))
        text = block.get("thinking", "")
        return part("reasoning", text, state=state, size=size_of(text))

    def _tool_use(self, block: dict[str, Any]) -> bytes:
        name = block.get("name", "")
        server, tool = mcp_name(name)
        return self._call(block, [("name", name), ("server", server), ("server_tool", tool)])

    def _server_tool_use(self, block: dict[str, Any]) -> bytes:
        return self._call(block, [("name", block.get("name", ""))])

    def _call(self, block: dict[str, Any], names: list[tuple[str, str]]) -> bytes:
        data, size = self.data_of(block["input"]) if "input" in block else (b"", 0)
        return part("call", data=data, names=[("id", block.get("id", "")), *names], size=size)

    def _image(self, block: dict[str, Any]) -> bytes:
        source = block.get("source", {})
        data = source.get("data", "")
        return part("media", data=escaped(data), media=source.get("media_type", ""), size=size_of(data))

    def _result(self, block: dict[str, Any]) -> bytes:
        of = block.get("tool_use_id", "")
        self.tool = self.tool or of
        text, data, size = self._result_content(block["content"]) if "content" in block else ("", b"", 0)
        if self._enrichment is not None:
            data = self.data_of(self._enrichment[0])[0]
        return part("result", text, data=data, names=[("of", of)], failed=block.get("is_error"), size=size)

    def _result_content(self, content: Any) -> tuple[str, bytes, int]:
        """Text, data and bytes of a result's content (§7.5)."""
        payload = self._payload
        kind = payload.kind(content)
        if kind is TEXT:
            text = payload.plain(content)
            return (text, b"", size_of(text)) if text else ("", b'""', 2)
        if kind is LIST:
            found = [object_of(payload, element, BLOCK) for element in payload.elements(content)]
            texts = [block["text"] for block, _ in found if block.get("text")]
            if texts and all(good for _, good in found):
                text = "\n".join(texts)
                return text, b"", size_of(text)
        return "", *self.data_of(content)


BLOCKS: dict[str, Callable[[Parts, dict[str, Any]], bytes]] = {
    "text": Parts._text_block,
    "thinking": Parts._thinking,
    "redacted_thinking": Parts._redacted,
    "tool_use": Parts._tool_use,
    "server_tool_use": Parts._server_tool_use,
    "tool_result": Parts._result,
    "image": Parts._image,
}
"""What makes a part of which type of block (§7.4); every other type is unknown."""


def part(
    kind: str,
    text: str = "",
    *,
    data: bytes = b"",
    names: list[tuple[str, str]] | tuple[()] = (),
    failed: bool | None = None,
    media: str = "",
    encoding: str = "",
    state: bytes = b"available",
    size: int = 0,
) -> bytes:
    """A part as JSON, its keys in the order of §4.2; empty ones are absent.

    Args:
        kind: ``k``.
        text: its text.
        data: JSON, as it is written.
        names: ``id``, ``of``, ``name``, ``server`` and ``server_tool``, those that there are, in this order.
        failed: None when it is not known.
        media: the media type.
        encoding: of the data.
        state: never empty.
        size: ``bytes``.
    """
    out = [b'{"k":"', kind.encode(), b'"']
    if text:
        out += [b',"text":', plain(text)]
    if data:
        out += [b',"data":', data]
    for key, value in names:
        if value:
            out += [b',"', key.encode(), b'":', plain(value)]
    if failed is not None:
        out.append(b',"failed":true' if failed else b',"failed":false')
    if media:
        out += [b',"media":', plain(media)]
    if encoding:
        out += [b',"encoding":', plain(encoding)]
    out += [b',"state":"', state, b'"']
    if size:
        out.append(b',"bytes":%d' % size)
    out.append(b"}")
    return b"".join(out)


def unknown(own: bytes, why: str) -> bytes:
    """A part that carries bytes which nobody here can read, as one JSON string."""
    try:
        data, encoding = escaped(own.decode()), ""
    except UnicodeDecodeError:
        data, encoding = b'"' + base64.b64encode(own) + b'"', "base64"
    return part("unknown", why, data=data, encoding=encoding, size=len(own))


def mcp_name(name: str) -> tuple[str, str]:
    """Server and tool of an MCP tool's name; both empty when it is none."""
    if not name.startswith("mcp__"):
        return "", ""
    server, _, tool = name[5:].partition("__")
    return (server, tool) if server and tool and "__" not in tool else ("", "")
