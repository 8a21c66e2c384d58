"""HTTP/1.1 as far as reading needs it: a request head without a body, an answer with its length, one after the other.

`converse` carries one connection to its end. Everything a client can stretch has a limit: the head its size and the time until it
is whole, every piece of an answer the time until the system took it. Costs: a request about 50 us beside what answers it; memory
is one head and one piece of an answer, whatever the answer's size.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from email.utils import formatdate
from http import HTTPStatus

import orjson

HEAD_LIMIT = 16_384
"""Bytes of a request line and its headers."""
HEADERS_LIMIT = 100
PIECE = 262_144
"""Bytes handed to the system at once; what a slow reader keeps in memory here."""

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_TARGET = re.compile(r"/[!-~]*")
_ONCE = frozenset({"host", "content-length", "transfer-encoding", "authorization"})
_ALWAYS = (
    ("X-Content-Type-Options", "nosniff"),
    ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Referrer-Policy", "no-referrer"),
)


@dataclass(frozen=True, slots=True)
class Limits:
    """How long a connection is waited for, in seconds.

    Attributes:
        head: until a request is whole, from the end of the one before; so also how long an idle connection stays.
        piece: until the system took one piece of an answer, which it does as fast as the client reads.
        linger: how long a client that was cut off may go on sending, so that it reads why instead of a reset.
    """

    head: float = 20.0
    piece: float = 20.0
    linger: float = 1.0


@dataclass(frozen=True, slots=True)
class Request:
    """One request: its target as it was sent, its headers by lower-case name."""

    method: str
    target: str
    headers: dict[str, str]
    keep: bool


@dataclass(slots=True)
class Answer:
    """One answer; ``body`` is not copied, so many connections may share it."""

    status: int
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    close: bool = False


class Refused(Exception):
    """A request that is answered with an error; its text is the sentence of the answer."""

    def __init__(self, status: int, why: str, **headers: str) -> None:
        super().__init__(why)
        self.status = status
        self.headers = headers


def json_answer(value: object, *, cache: str = "no-store") -> Answer:
    """A value as an answer."""
    return Answer(200, orjson.dumps(value), {"Cache-Control": cache})


def error_answer(status: int, why: str, headers: Mapping[str, str] | None = None, *, close: bool = False) -> Answer:
    """An error as every one of them is answered."""
    return Answer(status, orjson.dumps({"error": why}), {"Cache-Control": "no-store", **(headers or {})}, close)


def parse_head(head: bytes) -> Request:
    """A request from the bytes before its empty line.

    Raises:
        Refused: when it does not read, or has a body, which nothing here takes.
    """
    lines = head.decode("latin-1").split("\r\n")
    parts = lines[0].split(" ")
    if len(parts) != 3 or not _TOKEN.fullmatch(parts[0]) or parts[2] not in ("HTTP/1.1", "HTTP/1.0"):
        raise Refused(400, "the request line does not read")
    method, target, version = parts
    headers = _headers(lines[1:])
    if method not in ("GET", "HEAD"):
        raise Refused(405, "only GET and HEAD are answered here", Allow="GET, HEAD")
    if not _TARGET.fullmatch(target):
        raise Refused(400, "the address does not read")
    if headers.get("content-length", "0") != "0" or "transfer-encoding" in headers:
        raise Refused(400, "a request here has no body")
    if version == "HTTP/1.1" and "host" not in headers:
        raise Refused(400, "the request has no Host header")
    asked = [word.strip().lower() for word in headers.get("connection", "").split(",")]
    return Request(method, target, headers, version == "HTTP/1.1" and "close" not in asked)


def _headers(lines: list[str]) -> dict[str, str]:
    if len(lines) > HEADERS_LIMIT:
        raise Refused(431, f"the request has more than {HEADERS_LIMIT} headers")
    headers: dict[str, str] = {}
    for line in lines:
        name, colon, value = line.partition(":")
        value = value.strip(" \t")
        if not colon or not _TOKEN.fullmatch(name) or any(char in value for char in "\r\n\0"):
            raise Refused(400, "a header does not read")
        name = name.lower()
        if name in headers:
            if name in _ONCE:
                raise Refused(400, f"the header {name} stands twice")
            value = f"{headers[name]}, {value}"
        headers[name] = value
    return headers


def takes_gzip(accept_encoding: str) -> bool:
    """Whether an ``Accept-Encoding`` header allows gzip."""
    weights: dict[str, bool] = {}
    for item in accept_encoding.lower().split(","):
        name, *parameters = (part.strip() for part in item.split(";"))
        weights[name] = not any(re.fullmatch(r"q\s*=\s*0(\.0*)?", parameter) for parameter in parameters)
    return weights.get("gzip", weights.get("x-gzip", weights.get("*", False)))


def has_tag(if_none_match: str, tags: set[str]) -> bool:
    """Whether an ``If-None-Match`` header names one of the entity tags, which stand without their quotes."""
    named = {item.strip().removeprefix("W/") for item in if_none_match.split(",")}
    return "*" in named or any(f'"{tag}"' in named for tag in tags)


async def converse(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    answer: Callable[[Request], Awaitable[Answer]],
    limits: Limits,
) -> None:
    """Answer the requests of one connection until it ends.

    Args:
        reader, writer: the connection; closing it is the caller's.
        answer: answers one request; it raises nothing.
        limits: how long to wait.

    Raises:
        ConnectionError: when the client is gone.
        TimeoutError: when it does not read what it is sent.
    """
    # With no buffer of its own above the piece that is being sent, `drain` waits until the system took all of it.
    writer.transport.set_write_buffer_limits(high=0)
    rest = b""
    while True:
        head_only = False
        try:
            head, rest = await _read_head(reader, rest, limits.head)
            if not head:
                return
            head_only = head.startswith(b"HEAD ")
            request = parse_head(head)
            reply = await answer(request)
            reply.close = reply.close or not request.keep
        except Refused as refused:
            reply = error_answer(refused.status, str(refused), refused.headers, close=True)
        await _send(writer, reply, head_only, limits.piece)
        if reply.close:
            if reply.status >= 400:
                await _linger(reader, writer, limits.linger)
            return


async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, reply: Answer, limits: Limits) -> None:
    """Send an answer to a connection whose requests are not read, and close it."""
    reply.close = True
    await _send(writer, reply, False, limits.linger)
    await _linger(reader, writer, limits.linger)


async def _read_head(reader: asyncio.StreamReader, rest: bytes, patience: float) -> tuple[bytes, bytes]:
    """The next request's head, empty at the end of the connection, and what was read behind it."""
    head = rest.lstrip(b"\r\n")
    try:
        async with asyncio.timeout(patience):
            while b"\r\n\r\n" not in head:
                if len(head) > HEAD_LIMIT:
                    break
                more = await reader.read(4096)
                if not more:
                    return b"", b""
                head = (head + more).lstrip(b"\r\n")
    except TimeoutError:
        if not head:
            return b"", b""
        raise Refused(408, "the request did not come in time") from None
    head, _, rest = head.partition(b"\r\n\r\n")
    if len(head) > HEAD_LIMIT:
        raise Refused(431, f"the request's head is longer than {HEAD_LIMIT} bytes")
    return head, rest


async def _send(writer: asyncio.StreamWriter, reply: Answer, head_only: bool, patience: float) -> None:
    body = memoryview(b"" if head_only or reply.status == 304 else reply.body)
    # The first piece goes with the head: a short answer in two packets would wait for the client's acknowledgement between them.
    piece: bytes | memoryview = _head_of(reply) + body[:PIECE]
    at = 0
    while piece:
        writer.write(piece)
        async with asyncio.timeout(patience):
            await writer.drain()
        await asyncio.sleep(0)  # a quick reader of much does not keep the others waiting
        at += PIECE
        piece = body[at : at + PIECE]


def _head_of(reply: Answer) -> bytes:
    lines = [f"HTTP/1.1 {reply.status} {HTTPStatus(reply.status).phrase}", f"Date: {formatdate(usegmt=True)}"]
    if reply.status != 304:
        lines += ["Content-Type: application/json", f"Content-Length: {len(reply.body)}"]
    lines += [f"{name}: {value}" for name, value in (*reply.headers.items(), *_ALWAYS)]
    if reply.close:
        lines.append("Connection: close")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


async def _linger(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, patience: float) -> None:
    """Say that nothing more comes, and read away what the client still sends: closing before would reset the answer away."""
    if writer.can_write_eof():
        writer.write_eof()
    left = 64 * HEAD_LIMIT
    try:
        async with asyncio.timeout(patience):
            while left > 0 and (got := await reader.read(HEAD_LIMIT)):
                left -= len(got)
    except TimeoutError:
        pass
