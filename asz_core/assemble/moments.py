"""Times as the assembler reads and writes them (the assembling specification, §1.5).

It takes a little more than a viewer does: an hour of one digit, an offset of 24 hours or of 60 minutes.
"""

from __future__ import annotations

import re

from ..times import parse_ns, spell_ns, wrapped

_LENIENT = re.compile(r"(\d{4}-\d\d-\d\dT)(\d\d?)(:\d\d:\d\d(?:[.,]\d+)?)(?:Z|([+-])(\d\d):(\d\d))", re.ASCII)
_MINUTE = 60_000_000_000


def read_time(text: str) -> int:
    """Nanoseconds since the epoch; 0 for what is no time."""
    if not text:
        return 0
    ns = parse_ns(text)
    return ns or _leniently(text)


def _leniently(text: str) -> int:
    match = _LENIENT.fullmatch(text)
    if match is None:
        return 0
    hours, minutes = int(match[5] or 0), int(match[6] or 0)
    if hours > 24 or minutes > 60:
        return 0
    # As the same clock in UTC first; one that reads as the epoch itself is told from no time by the offset alone.
    clock = f"{match[1]}{match[2]:0>2}{match[3]}Z"
    here = parse_ns(clock)
    if not here and not clock.startswith("1970-01-01T00:00:00"):
        return 0
    offset = (hours * 60 + minutes) * _MINUTE
    return wrapped(here - offset if match[4] == "+" else here + offset)


def write_time(ns: int) -> str:
    """RFC 3339 in UTC, the fraction without trailing zeros; empty for no time."""
    return spell_ns(ns) if ns else ""


def write_span(ns: int) -> str:
    """A length of time as a policy names it: ``10m0s``, ``1m30s``, ``1.5ms``, ``250µs`` (the assembling specification, §17)."""
    if ns < 1_000_000_000:
        for unit, word in ((1_000_000, "ms"), (1_000, "µs")):
            if ns >= unit:
                return _decimal(ns, unit) + word
        return f"{ns}ns" if ns else "0s"
    minutes, rest = divmod(ns, _MINUTE)
    hours, minutes = divmod(minutes, 60)
    text = _decimal(rest, 1_000_000_000) + "s"
    if hours or minutes:
        text = f"{minutes}m{text}"
    return f"{hours}h{text}" if hours else text


def _decimal(number: int, unit: int) -> str:
    whole, rest = divmod(number, unit)
    digits = len(str(unit)) - 1
    return f"{whole}.{rest:0{digits}d}".rstrip("0") if rest else str(whole)
