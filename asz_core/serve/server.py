"""The server: its routes, its socket, its thread. What a request may name is decided here, before anything touches a file."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.metadata
import socket
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Self, TypeVar
from urllib.parse import unquote_to_bytes

from ..errors import AszError, ChainError, NotFound
from ..root import Root
from ..storage import is_plain_name
from .address import DEFAULT_HOST, DEFAULT_PORT, is_loopback, local_names, name_in, url_of
from .documents import Documents
from .http import (
    Answer,
    Limits,
    Refused,
    Request,
    converse,
    error_answer,
    has_tag,
    json_answer,
    refuse,
    takes_gzip,
)
from .rows import Rows

T = TypeVar("T")
DOCUMENTS = 4
"""Conversations held open, with their documents."""
CONNECTIONS = 64
WORKERS = 3
"""Threads that read and build; Python runs one of them at a time, the others wait for files."""
_MOST = 2**63 - 1
_ID_LIMIT = 255
_ROUTES = ("/api/status", "/api/conversations", "/api/c/{id}/view", "/api/c/{id}/record/{seq}/{row}")


class ViewServer:
    """Serves a root until it is stopped; see the package for the routes and what they cost.

    Attributes:
        limits: how long a connection is waited for; may be replaced before the start.
        connections: how many there may be at once; more are answered 503.
    """

    def __init__(
        self,
        root: Root,
        host: str = DEFAULT_HOST,
        port: int = DEFAULT_PORT,
        *,
        allow_remote: bool = False,
        log: Callable[[str], None] | None = None,
    ) -> None:
        """
        Args:
            root: what is served.
            host: an address of this machine, or a name of one.
            port: 0 for a free one.
            allow_remote: listen on an address that others reach, too. Whoever reaches it reads everything.
            log: told a line for each answer, from the server's thread.

        Raises:
            AszError: when the host is not loopback and ``allow_remote`` is off, or there is no such port.
        """
        if not 0 <= port <= 65535:
            raise AszError(f"there is no port {port}; the last is 65535")
        if not allow_remote and not is_loopback(host):
            raise AszError(f"{host} can be reached from other machines; serving there must be allowed explicitly")
        self.limits = Limits()
        self.connections = CONNECTIONS
        self._root = root
        self._host = DEFAULT_HOST if host.lower() == "localhost" else host
        self._port = port
        self._names = None if allow_remote else local_names(self._host)
        self._log = log
        self._socket: socket.socket | None = None
        self._thread: threading.Thread | None = None
        self._run: _Run | None = None

    @property
    def address(self) -> tuple[str, int]:
        """The host and port; the actual port once ``bind``, ``start`` or ``serve_forever`` took one."""
        if self._socket is not None:
            name = self._socket.getsockname()
            return name[0], name[1]
        return self._host, self._port

    @property
    def url(self) -> str:
        """The address as a browser takes it."""
        return url_of(*self.address)

    def bind(self) -> tuple[str, int]:
        """Take the port, so that ``address`` is known before serving; ``start`` and ``serve_forever`` do it otherwise.

        Returns:
            The address.

        Raises:
            AszError: when the address is in use or is none of this machine.
        """
        if self._socket is None:
            try:
                family, _, _, _, where = socket.getaddrinfo(self._host, self._port, type=socket.SOCK_STREAM)[0]
                self._socket = socket.create_server(where[:2], family=family, backlog=128)
            except OSError as error:
                why = error.strerror or str(error)
                raise AszError(f"cannot listen on {self._host} port {self._port}: {why}") from None
        return self.address

    def start(self) -> None:
        """Serve from a daemon thread until ``stop``.

        Raises:
            AszError: as ``bind``.
            RuntimeError: when it serves already.
        """
        run = self._prepare()
        self._thread = threading.Thread(target=run.serve, name="asz-serve", daemon=True)
        self._thread.start()
        run.ready.wait()

    def serve_forever(self) -> None:
        """Serve from this thread until ``stop`` is called from another, or KeyboardInterrupt.

        Raises:
            AszError: as ``bind``.
            RuntimeError: when it serves already.
        """
        run = self._prepare()
        try:
            run.serve()
        finally:
            self._release(run)

    def stop(self) -> None:
        """Close every connection, let go of the port and all memory, and wait for the threads. Harmless when nothing runs.

        A conversation that is being read is given up at its next file; one that is being built is waited for.
        """
        run, thread = self._run, self._thread
        if run is not None:
            run.stop()
            if thread is not threading.current_thread():
                run.ended.wait()
        if thread is not None and thread is not threading.current_thread():
            thread.join()
        self._release(run)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.stop()

    def _prepare(self) -> _Run:
        if self._run is not None:
            raise RuntimeError("the server serves already")
        self.bind()
        assert self._socket is not None
        self._run = _Run(self._root, self._socket, self._names, self.limits, self.connections, self._log)
        return self._run

    def _release(self, run: _Run | None) -> None:
        if self._run is run:
            if self._socket is not None:
                self._socket.close()
            self._run = self._thread = self._socket = None


class _Run:
    """One run of the server, from its start to its stop: everything that lives in its event loop."""

    def __init__(
        self,
        root: Root,
        listener: socket.socket,
        names: frozenset[str] | None,
        limits: Limits,
        connections: int,
        log: Callable[[str], None] | None,
    ) -> None:
        self.ready = threading.Event()
        self.ended = threading.Event()
        self._root = root
        self._listener = listener
        self._names = names
        self._limits = limits
        self._connections = connections
        self._tell = log
        self._stop = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopped: asyncio.Event | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._started = time.monotonic()
        self._pool = ThreadPoolExecutor(WORKERS, thread_name_prefix="asz-serve")
        self._documents = Documents(root, self._pool, most=DOCUMENTS, stopping=self._stop.is_set)
        self._rows = Rows(root, self._stop.is_set)
        self._rows_lock: asyncio.Lock | None = None

    def serve(self) -> None:
        """Run until ``stop``."""
        try:
            with asyncio.Runner() as runner:
                runner.run(self._main())
        finally:
            self._stop.set()
            self._pool.shutdown(wait=True, cancel_futures=True)
            self.ready.set()
            self.ended.set()

    def stop(self) -> None:
        """Ask it to end, from any thread; a second time is harmless."""
        self._stop.set()
        loop, stopped = self._loop, self._stopped
        if loop is not None and stopped is not None:
            with contextlib.suppress(RuntimeError):  # the loop is closed already
                loop.call_soon_threadsafe(stopped.set)

    async def _main(self) -> None:
        self._stopped, self._rows_lock = asyncio.Event(), asyncio.Lock()
        self._loop = asyncio.get_running_loop()
        self._loop.set_exception_handler(self._on_fault)
        server = await asyncio.start_server(self._connected, sock=self._listener)
        host, port = self._listener.getsockname()[:2]
        self._say(f"serving {url_of(host, port)}")
        self.ready.set()
        try:
            if not self._stop.is_set():  # it may have been asked before there was a loop to tell
                await self._stopped.wait()
        finally:
            self._stop.set()
            server.close()
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            # asyncio does this only for sockets that were made with the protocol's number, which create_server's are not.
            writer.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if len(self._tasks) > self._connections:
                busy = error_answer(503, "there are too many connections", {"Retry-After": "2"})
                await refuse(reader, writer, busy, self._limits)
            else:
                await converse(reader, writer, self._answer, self._limits)
        except (OSError, TimeoutError, asyncio.CancelledError):
            writer.transport.abort()  # gone, stuck or no longer wanted: what is still buffered is not waited for
        finally:
            writer.close()
            self._tasks.discard(task)

    async def _answer(self, request: Request) -> Answer:
        began = time.perf_counter()
        try:
            answer = await self._route(request)
        except Refused as refused:
            answer = error_answer(refused.status, str(refused), refused.headers)
        except (NotFound, ChainError) as error:
            answer = error_answer(404, self._plain(str(error)))
        except Exception as error:  # a fault in here ends a request, never the server
            self._say(f"{type(error).__name__}: {error}")
            answer = error_answer(500, "this could not be answered; the server's log says more")
        took = (time.perf_counter() - began) * 1000
        self._say(f"{request.method} {request.target} {answer.status} {len(answer.body)} B {took:.1f} ms")
        return answer

    async def _route(self, request: Request) -> Answer:
        self._check_host(request)
        match request.target.partition("?")[0].split("/")[1:]:
            case [""]:
                return json_answer({"name": "asz-tui", "format": "asz.view", "routes": list(_ROUTES)})
            case ["api", "status"]:
                return await self._status()
            case ["api", "conversations"]:
                return await self._list()
            case ["api", "c", name, "view"]:
                return await self._view(request, _id_of(name))
            case ["api", "c", name, "record", seq, row]:
                address = _number_of(seq, "sequence"), _number_of(row, "row")
                line = await self._documents.record(_id_of(name), *address)
                return Answer(200, line, {"Cache-Control": "no-store"})
        raise Refused(404, "there is nothing at this address; / lists what there is")

    def _check_host(self, request: Request) -> None:
        host = request.headers.get("host")
        if self._names is None or host is None:  # without one it is HTTP/1.0, which no browser speaks
            return
        if name_in(host) not in self._names:
            raise Refused(400, "the Host header names another machine than this one")

    async def _status(self) -> Answer:
        count = len(await self._work(self._root.conversations))
        uptime = int((time.monotonic() - self._started) * 1000)
        return json_answer({"version": _version(), "conversations": count, "uptime_ms": uptime})

    async def _list(self) -> Answer:
        assert self._rows_lock is not None
        async with self._rows_lock:
            return json_answer(await self._work(self._rows.all))

    async def _view(self, request: Request, conversation: str) -> Answer:
        packed = takes_gzip(request.headers.get("accept-encoding", ""))
        view = await self._documents.view(conversation, packed=packed)
        tag, packed_tag = view.tag, f"{view.tag}-gz"
        headers = {
            "ETag": f'"{packed_tag if packed else tag}"',
            "Cache-Control": "no-cache",
            "Vary": "Accept-Encoding",
        }
        if has_tag(request.headers.get("if-none-match", ""), {tag, packed_tag}):
            return Answer(304, headers=headers)
        if packed and view.packed is not None:
            return Answer(200, view.packed, {**headers, "Content-Encoding": "gzip"})
        return Answer(200, view.body, headers)

    async def _work(self, job: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._pool, job)

    def _plain(self, sentence: str) -> str:
        """A sentence without the root's place on this machine."""
        return sentence.replace(str(self._root.path), "the storage root")

    def _say(self, line: str) -> None:
        if self._tell is not None:
            with contextlib.suppress(Exception):
                self._tell(line)

    def _on_fault(self, loop: asyncio.AbstractEventLoop, context: dict[str, object]) -> None:
        # asyncio's own handler writes to the terminal, which an explorer may be drawing on.
        self._say(f"{context.get('message')}: {context.get('exception')!r}")


def _id_of(segment: str) -> str:
    """The conversation's id in a segment of an address; decoded once, and only ever one plain name."""
    try:
        name = unquote_to_bytes(segment).decode()
    except UnicodeDecodeError:
        name = ""
    if not is_plain_name(name) or len(name) > _ID_LIMIT or any(char < " " or char == "\x7f" for char in name):
        raise Refused(400, "the conversation's id does not read")
    return name


def _number_of(text: str, what: str) -> int:
    if not (text.isascii() and text.isdigit()) or len(text) > 19 or int(text) > _MOST:
        raise Refused(400, f"the record's {what} is no number")
    return int(text)


def _version() -> str:
    try:
        return importlib.metadata.version("asz-tui")
    except importlib.metadata.PackageNotFoundError:
        return "unknown"
