"""Addresses to listen on, and the names by which a request may call this machine. Pure text; nothing is looked up."""

from __future__ import annotations

import ipaddress
import re

from ..errors import AszError

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8787
_LOCAL_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
_ADDRESS = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9._-]*))(?::([0-9]{1,5}))?", re.ASCII)


def parse_address(text: str) -> tuple[str, int]:
    """The host and port that a text means.

    Args:
        text: ``host:port``, ``:port`` or ``port`` (loopback then), or ``host`` (the default port then); an IPv6 address stands in
            brackets. Port 0 asks the system for a free one.

    Raises:
        AszError: when it is no address.
    """
    text = text.strip()
    if text.isascii() and text.isdigit():
        text = f":{text}"
    match = _ADDRESS.fullmatch(text)
    if not text or match is None:
        hint = "; an IPv6 address stands in brackets, like [::1]:8787" if text.count(":") > 1 else ""
        raise AszError(f"{text!r} is no address to listen on; write host:port, like {DEFAULT_HOST}:{DEFAULT_PORT}{hint}")
    if match[1] and not _ip(match[1]):
        raise AszError(f"[{match[1]}] is no IPv6 address")
    port = int(match[3]) if match[3] else DEFAULT_PORT
    if port > 65535:
        raise AszError(f"there is no port {port}; the last is 65535")
    return match[1] or match[2] or DEFAULT_HOST, port


def is_loopback(host: str) -> bool:
    """Whether a host is this machine to itself: a loopback address or ``localhost``. Other names are not trusted to be."""
    address = _ip(host)
    return address.is_loopback if address else host.lower() == "localhost"


def local_names(host: str) -> frozenset[str]:
    """The names, in lower case, that a request to a server on ``host`` may have in its ``Host`` header."""
    return _LOCAL_NAMES | {host.lower()}


def name_in(host_header: str) -> str:
    """The name in a ``Host`` header, in lower case without its port; empty when it is no such header.

    The port is not looked at: a tunnel's differs, and a page that points its own name here cannot choose another *name*.
    """
    match = _ADDRESS.fullmatch(host_header)
    return (match[1] or match[2] or "").lower() if match else ""


def url_of(host: str, port: int) -> str:
    """The address as a browser takes it."""
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def _ip(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None
