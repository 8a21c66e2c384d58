"""`asz-tui view [ADDR]`: serves the documents over HTTP until Ctrl+C."""

from __future__ import annotations

import contextlib
import sys

from asz_core.serve import DEFAULT_HOST, DEFAULT_PORT, ViewServer, parse_address

from ...text.safe import visible
from ..output import Printer
from ..parser import Parsed, UsageError
from ..source import open_root


def run(parsed: Parsed) -> int:
    """Serve a root."""
    from asz_core.errors import AszError

    root = open_root(parsed["root"])
    try:
        host, port = parse_address(parsed.words[0]) if parsed.words else (DEFAULT_HOST, DEFAULT_PORT)
    except AszError as error:
        raise UsageError(str(error), parsed.name) from None
    try:
        server = ViewServer(root, host, port, allow_remote=parsed["allow_remote"], log=_log if parsed["verbose"] else None)
    except AszError as error:
        raise UsageError(f"{error}: add --allow-remote", parsed.name) from None
    with contextlib.suppress(KeyboardInterrupt):
        server.bind()
        printer = Printer()
        printer.line(f"{server.url} serves {visible(str(root.path))}; Ctrl+C ends it")
        printer.flush()
        server.serve_forever()
    return 0


def _log(line: str) -> None:
    with contextlib.suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(visible(line) + "\n")
        sys.stderr.flush()
