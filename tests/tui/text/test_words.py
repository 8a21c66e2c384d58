"""Words for numbers and times, at their edges."""

import random
from datetime import UTC, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asz_tui.text import words

NUMBERS = st.one_of(st.none(), st.integers(), st.integers(-(10**15), 10**15))


@pytest.mark.parametrize(
    ("ms", "said"),
    [
        *[(0, "0 ms"), (800, "800 ms"), (2400, "2.4 s"), (9949, "9.9 s"), (9950, "10 s"), (48_000, "48 s")],
        *[(59_500, "1 min"), (26 * 60_000, "26 min"), (3_599_000, "1 h"), (17 * 3_600_000, "17 h")],
        *[(3 * 86_400_000, "3 d"), (-5, "-5 ms"), (None, "–")],
    ],
)
def test_duration(ms: int | None, said: str) -> None:
    assert words.duration(ms) == said


@pytest.mark.parametrize(
    ("n", "said"),
    [
        (37, "37 B"),
        (999, "999 B"),
        (48_211, "48 kB"),
        (1000, "1.0 kB"),
        (999_600, "1.0 MB"),
        (2_100_000, "2.1 MB"),
        (None, "–"),
    ],
)
def test_size(n: int | None, said: str) -> None:
    assert words.size(n) == said


def test_ago() -> None:
    now = 1_700_000_000_000
    said = [words.ago(now - s * 1000, now) for s in (0, 12, 59, 60, 3 * 3600, 47 * 3600, 48 * 3600)]
    assert said == ["now", "12 s ago", "59 s ago", "1 min ago", "3 h ago", "47 h ago", "2 d ago"]
    assert words.ago(now + 50_000, now) == "now"
    assert words.ago(0, now) == "–"


def test_clock_and_date() -> None:
    at = 1_700_000_000_000
    assert words.clock(at, UTC) == "22:13:20"
    assert words.date(at, UTC) == "2023-11-14"
    assert words.date(at, timezone(timedelta(hours=9))) == "2023-11-15"
    assert words.clock(0, UTC) == words.clock(None, UTC) == "--:--:--"
    assert words.span(at, at + 26 * 60_000) == "26 min"
    assert words.span(0, at) == "–"
    assert words.count(12345) == "12,345"


@given(NUMBERS, st.integers())
def test_no_number_raises(ms: int | None, now: int) -> None:
    zone = timezone(timedelta(hours=14))
    assert len(words.clock(ms, zone)) == 8
    assert len(words.date(ms, zone)) == 10
    assert all((words.duration(ms), words.size(ms), words.count(ms), words.ago(ms, now), words.span(ms, now)))


ZONES = ["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Africa/Monrovia", "Asia/Kathmandu"]


@pytest.mark.parametrize("zone", ZONES)
def test_days_are_those_that_date_writes(zone: str) -> None:
    rng = random.Random(zone)
    tz = ZoneInfo(zone)
    days = words.Days(tz)
    at = rng.randrange(-(10**12), 2 * 10**12)
    for _ in range(2000):
        at = rng.choice([at + rng.randrange(-7_200_000, 7_200_000), rng.randrange(-(10**13), 10**13), rng.choice([0, 10**17, -(10**17)])])
        assert days.of(at) == words.date(at, tz)
