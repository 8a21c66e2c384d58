"""Session Data (``.sd``): records as they landed; reading whole, reading by address, writing."""

from .reader import Landed, parse_landed, read_landed
from .record import Closing, Dropped, Header, Part, Record, Usage, decode_record
from .session import SessionData
from .writer import landed_bytes, landed_name, publish

__all__ = [
    "Closing",
    "Dropped",
    "Header",
    "Landed",
    "Part",
    "Record",
    "SessionData",
    "Usage",
    "decode_record",
    "landed_bytes",
    "landed_name",
    "parse_landed",
    "publish",
    "read_landed",
]
