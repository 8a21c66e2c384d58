"""Serving a storage root over HTTP: the documents that a browser's viewer draws, read only (formats.md section 6).

    with ViewServer(Root("asz-root"), port=0) as server:
        host, port = server.address          # http://127.0.0.1:<port>/api/conversations

| route | answer |
| --- | --- |
| `/` | what there is |
| `/api/status` | `{"version", "conversations", "uptime_ms"}` |
| `/api/conversations` | list rows, newest activity first; times in unix ms, `null` for what is not known |
| `/api/c/{id}/view` | the compact `asz.view` document; `ETag`, and gzip where the reader takes it |
| `/api/c/{id}/record/{seq}/{row}` | a landed record: its own line |

Everything else is `{"error": "..."}`: 400 a request that does not read, 404 nothing there (a conversation without a usable round
included), 405 a method other than GET and HEAD, 408 a request that came too slowly, 431 one that is too long, 500 a fault in here,
503 too many connections. No answer but a document names a file, and none names a directory of this machine.

Owns: the socket, the connections and the cache of documents. Writes nothing below the root; opens nothing outside it.

How it works. asyncio's streams in one thread, the reading and building of conversations in a pool of `WORKERS` threads. Not
`http.server`: there a thread belongs to each connection, a client that sends a byte now and then keeps it, and stopping cannot
reach it; here every wait has a deadline, 64 idle connections cost no thread, and stopping is cancelling tasks.

Who may read: the address is loopback unless `allow_remote`, and then the `Host` of a request must name this machine too, so that a
page from elsewhere cannot read through a name that it lets point here. No CORS header is ever sent.

Costs: a document is built once per fold, whoever asks and however many at once; after that a request costs a look at the names and
times of the conversation's files (about 15 us a file) and the sending. Memory: `DOCUMENTS` conversations, each its document as
bytes, the same compressed once somebody asked for it, and its fold; the others are let go of. A connection holds one piece of
what it sends, never a copy of the whole.
"""

from .address import DEFAULT_HOST, DEFAULT_PORT, parse_address
from .server import ViewServer

__all__ = ["DEFAULT_HOST", "DEFAULT_PORT", "ViewServer", "parse_address"]
