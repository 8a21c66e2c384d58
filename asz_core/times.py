"""Times of the formats: RFC 3339 text to nanoseconds since the epoch, and to the milliseconds that a document shows.

A time is a signed 64-bit count of nanoseconds that wraps, and 0 is no time (formats.md section 2). The common spelling of
one producer (``2026-01-01T00:00:00.000Z``) costs one dictionary look-up of its minute; every other one a regular expression.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta

NO_TIME = 0
"""The value that stands for «no time»."""

_RFC3339 = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:[.,](\d+))?(?:(Z)|([+-])(\d\d):(\d\d))", re.ASCII
)
_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_EPOCH = date(1970, 1, 1).toordinal()
_BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)
_MINUTES: dict[str, int] = {}
_MINUTES_KEPT = 50_000


def parse_ns(text: str) -> int:
    """Nanoseconds since the epoch of an RFC 3339 time.

    Args:
        text: as a record's ``time`` or a round header's ``from_time`` spells it.

    Returns:
        The instant as a signed, wrapping 64-bit integer; 0 when the text is no time.
    """
    if len(text) == 24 and text[19] == "." and text[23] == "Z":
        minute = _MINUTES.get(text[:17])
        digits = text[17:19] + text[20:23]
        if minute is not None and text[17] < "6" and digits.isascii() and digits.isdigit():
            return minute + int(digits) * 1_000_000
    return _parse_any(text)


def parse_many(texts: Iterable[str]) -> list[int]:
    """``parse_ns`` of every text; an empty one is no time."""
    known, found = _MINUTES, []
    for text in texts:
        if len(text) == 24 and text[19] == "." and text[23] == "Z" and text[17] < "6":
            minute = known.get(text[:17])
            digits = text[17:19] + text[20:23]
            if minute is not None and digits.isdigit() and digits.isascii():
                found.append(minute + int(digits) * 1_000_000)
                continue
        found.append(_parse_any(text) if text else NO_TIME)
    return found


def _parse_any(text: str) -> int:
    match = _RFC3339.fullmatch(text)
    if match is None:
        return NO_TIME
    year, month, day, hour, minute, second = (int(g) for g in match.groups()[:6])
    if not (1 <= month <= 12 and 1 <= day <= _days_in(year, month) and hour < 24 and minute < 60 and second < 60):
        return NO_TIME
    offset = 0
    if match[9]:
        zone_hour, zone_minute = int(match[10]), int(match[11])
        if zone_hour > 23 or zone_minute > 59:
            return NO_TIME
        offset = (zone_hour * 60 + zone_minute) * (60 if match[9] == "+" else -60)
    seconds = _epoch_days(year, month, day) * 86_400 + hour * 3600 + minute * 60 - offset
    fraction = int((match[7] or "")[:9].ljust(9, "0"))
    if match[8] and year > 1700 and year < 2250:
        if len(_MINUTES) >= _MINUTES_KEPT:
            _MINUTES.clear()
        _MINUTES[text[:17]] = seconds * 1_000_000_000
    return wrapped((seconds + second) * 1_000_000_000 + fraction)


def _days_in(year: int, month: int) -> int:
    leap = month == 2 and (year % 4 == 0 and (year % 100 != 0 or year % 400 == 0))
    return _DAYS[month - 1] + leap


def _epoch_days(year: int, month: int, day: int) -> int:
    if year >= 1:
        return date(year, month, day).toordinal() - _EPOCH
    # The year zero of the proleptic calendar, which datetime does not know, is a leap year like 2000.
    return date(year + 2000, month, day).toordinal() - _EPOCH - 730_485


def wrapped(ns: int) -> int:
    """A number as a signed integer of 64 bits holds it."""
    return (ns + 2**63) % 2**64 - 2**63


def to_ms(ns: int) -> int:
    """Milliseconds, rounded down, of a count of nanoseconds; 0 stays 0."""
    return ns // 1_000_000


def optional_ms(text: str) -> int | None:
    """Milliseconds of an RFC 3339 text, or None when it is no time."""
    ns = parse_ns(text) if text else NO_TIME
    return ns // 1_000_000 if ns else None


def format_ns(ns: int) -> str:
    """RFC 3339 text in UTC of a time, with as many digits (0, 3, 6 or 9) as it needs; empty for no time."""
    if not ns:
        return ""
    text, digits = spell_parts(ns)
    while digits.endswith("000"):
        digits = digits[:-3]
    return f"{text}.{digits}Z" if digits else f"{text}Z"


def spell_ns(ns: int) -> str:
    """RFC 3339 text in UTC of an instant, the fraction without zeros at its end; the epoch is one, too."""
    text, digits = spell_parts(ns)
    digits = digits.rstrip("0")
    return f"{text}.{digits}Z" if digits else f"{text}Z"


def spell_parts(ns: int, form: str = "%Y-%m-%dT%H:%M:%S") -> tuple[str, str]:
    """An instant in UTC up to its second, as ``strftime`` spells it, and the nine digits of its fraction."""
    seconds, fraction = divmod(ns, 1_000_000_000)
    return (_BEGINNING + timedelta(seconds=seconds)).strftime(form), f"{fraction:09d}"
