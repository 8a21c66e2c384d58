"""The zone that times are shown in, and the ways to write a clock time."""

from __future__ import annotations

from datetime import UTC, tzinfo
from zoneinfo import ZoneInfo

from ..text import words

CLOCKS = ("HH:MM:SS", "HH:MM", "ISO")
CLOCK_WIDTHS = {"HH:MM:SS": 8, "HH:MM": 5, "ISO": 19}
"""Cells that a clock time takes, also when there is no time."""


def zone_of(name: str) -> tzinfo:
    """The zone of a name.

    Args:
        name: `local`, `UTC` or a name of the IANA database.

    Raises:
        ValueError: this machine knows no such zone.
    """
    if name == "local":
        return words.LOCAL_ZONE
    if name == "UTC":
        return UTC  # also where no database of zones is installed
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError) as error:
        # OSError: a folder of the database, or a name longer than file names are.
        raise ValueError("no time zone of this machine") from error


def clock_text(ms: int | None, tz: tzinfo, clock: str = "HH:MM:SS") -> str:
    """Write a time in the way that was chosen.

    Args:
        ms: milliseconds since the epoch; 0 and None are no time.
        tz: the zone.
        clock: one of `CLOCKS`.

    Returns:
        `14:05:09`, `14:05` or `2026-01-01T14:05:09`; dashes of the same width for no time.
    """
    text = words.clock(ms, tz)
    if clock == "HH:MM":
        return text[:5]
    if clock == "ISO":
        day = words.date(ms, tz)
        return f"{day}{'-' if day == words.NO_DATE else 'T'}{text}"
    return text
