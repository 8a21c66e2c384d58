"""Numbers and times in the words the screen uses: durations, sizes, counts, clock times, ages.

Every function takes what the data may hold (zero, negative, beyond any calendar) and returns a short text; none raises
on a number. `0` and `None` as a time mean "no time", never 1970.

Cost: constant.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo

NO_TIME = "--:--:--"
NO_DATE = "----------"
LOCAL_ZONE: tzinfo = None  # type: ignore[assignment]
"""What `datetime.astimezone` takes for the local zone, with its rules for summer and winter."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def duration(ms: int | float | None) -> str:
    """Say how long something took.

    Args:
        ms: milliseconds.

    Returns:
        `800 ms`, `2.4 s`, `48 s`, `26 min`, `17 h`, `3 d`; a dash when unknown, a minus sign before a negative one.
    """
    if ms is None:
        return "–"
    if ms < 0:
        return "-" + duration(-ms)
    if ms < 1000:
        return f"{int(ms)} ms"
    if ms < 9_950:
        return f"{ms / 1000:.1f} s"
    # Each step to the larger unit is taken where rounding would reach it, so that "60 s" is never shown.
    for unit, size, limit in (("s", 1000, 60), ("min", 60_000, 60), ("h", 3_600_000, 48)):
        if (value := _nearest(ms, size)) < limit:
            return f"{value} {unit}"
    return f"{_nearest(ms, 86_400_000)} d"


def _nearest(value: int | float, unit: int) -> int:
    return int((value + unit // 2) // unit)


def size(count: int | None) -> str:
    """Say how large something is, in units of a thousand.

    Args:
        count: bytes.

    Returns:
        `37 B`, `48 kB`, `2.1 MB`; a dash when unknown.
    """
    if count is None:
        return "–"
    if count < 1000:
        return f"{count} B"
    value: float = count
    for unit in ("kB", "MB", "GB", "TB"):
        value /= 1000
        if value < 9.95:
            return f"{value:.1f} {unit}"
        if value < 999.5:
            return f"{value:.0f} {unit}"
    return f"{value / 1000:,.0f} PB"


def count(number: int | None) -> str:
    """Write a number with its thousands apart.

    Args:
        number: the number.

    Returns:
        `12,345`; a dash when unknown.
    """
    return "–" if number is None else f"{number:,}"


def ago(then_ms: int | None, now_ms: int) -> str:
    """Say how long ago something was.

    Args:
        then_ms: its time, in milliseconds since the epoch.
        now_ms: the present.

    Returns:
        `12 s ago`, `3 h ago`, `2 d ago`; `now` within a second and for a time in the future (clocks of two machines
        differ); a dash for no time.
    """
    if not then_ms:
        return "–"
    age = now_ms - then_ms
    if age < 1000:
        return "now"
    # Whole units, rounded down: an age is a lower bound, and it should not jump ahead of the clock.
    for unit, length, limit in (("s", 1000, 60), ("min", 60_000, 60), ("h", 3_600_000, 48)):
        if age // length < limit:
            return f"{age // length} {unit} ago"
    return f"{age // 86_400_000:,} d ago"


def counted(count: int, word: str, words: str = "") -> str:
    """A number with its noun: `1 step`, `1,200 steps`; `words` is the plural where an s is not enough."""
    return f"{count:,} {word if count == 1 else words or word + 's'}"


def _moment(ms: int | None, tz: tzinfo) -> datetime | None:
    """Turn a time into a local one, or None for no time and for one that no calendar holds."""
    if not ms:
        return None
    try:
        return (_EPOCH + timedelta(milliseconds=ms)).astimezone(tz)
    except (OverflowError, ValueError, OSError):
        return None


def clock(ms: int | None, tz: tzinfo) -> str:
    """Write the time of day.

    Args:
        ms: milliseconds since the epoch.
        tz: the zone to show it in.

    Returns:
        `HH:MM:SS`, or `--:--:--` for no time.
    """
    moment = _moment(ms, tz)
    return NO_TIME if moment is None else f"{moment.hour:02}:{moment.minute:02}:{moment.second:02}"


def date(ms: int | None, tz: tzinfo) -> str:
    """Write the day.

    Args:
        ms: milliseconds since the epoch.
        tz: the zone to show it in.

    Returns:
        `YYYY-MM-DD`, or dashes of the same width for no time.
    """
    moment = _moment(ms, tz)
    return NO_DATE if moment is None else f"{moment.year:04}-{moment.month:02}-{moment.day:02}"


class Days:
    """The days of many times in one zone: `of` writes what `date` writes; a time on the day asked for last costs a comparison."""

    def __init__(self, tz: tzinfo) -> None:
        """
        Args:
            tz: the zone to show them in.
        """
        self._tz = tz
        self._text = ""
        self._first = self._end = 0

    def of(self, ms: int) -> str:
        """The day of a time."""
        if not ms or not self._first <= ms < self._end:
            self._text = date(ms, self._tz)
            self._first, self._end = self._around(ms)
        return self._text

    def _around(self, ms: int) -> tuple[int, int]:
        """The stretch of the day around a time in which the zone's clock is as far ahead as then; that time only, when unsure."""
        moment = _moment(ms, self._tz)
        if moment is None:
            return ms, ms + 1
        passed = ((moment.hour * 60 + moment.minute) * 60 + moment.second) * 1000 + moment.microsecond // 1000
        first, end = ms - passed, ms - passed + 86_400_000
        edges = (_moment(first, self._tz), _moment(end - 1, self._tz))
        if any(edge is None or edge.utcoffset() != moment.utcoffset() for edge in edges):
            return ms, ms + 1
        return first, end


def span(start_ms: int | None, end_ms: int | None) -> str:
    """Say how long a stretch of time is.

    Args:
        start_ms: its beginning.
        end_ms: its end.

    Returns:
        As `duration`; a dash when either end has no time.
    """
    return duration(end_ms - start_ms) if start_ms and end_ms else "–"
