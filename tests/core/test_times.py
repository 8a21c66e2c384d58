"""Times (formats.md section 2): RFC 3339 with any number of digits, as nanoseconds in a signed 64-bit integer that wraps."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from asz_core.times import format_ns, optional_ms, parse_many, parse_ns, to_ms

S = 10**9
BASE = int(datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC).timestamp()) * S


@pytest.mark.parametrize(
    ("text", "ns"),
    [
        ("2026-01-02T03:04:05Z", BASE),
        ("2026-01-02T03:04:05.Z", None),
        ("2026-01-02T03:04:05.1Z", BASE + 100_000_000),
        ("2026-01-02T03:04:05.000Z", BASE),
        ("2026-01-02T03:04:05.678Z", BASE + 678_000_000),
        ("2026-01-02T03:04:05,678Z", BASE + 678_000_000),
        ("2026-01-02T03:04:05.123456789Z", BASE + 123_456_789),
        ("2026-01-02T03:04:05.1234567891Z", BASE + 123_456_789),
        ("2026-01-02T03:04:05.9999999999999999999999999Z", BASE + 999_999_999),
        ("2026-01-02T03:04:05.000000001Z", BASE + 1),
        ("2026-01-02T03:04:05+00:00", BASE),
        ("2026-01-02T03:04:05-00:00", BASE),
        ("2026-01-02T05:04:05+02:00", BASE),
        ("2026-01-01T21:34:05.5-05:30", BASE + 500_000_000),
        ("2026-01-03T03:03:05+23:59", BASE),
        ("1970-01-01T00:00:00Z", 0),
        ("1970-01-01T00:00:00.000000001Z", 1),
        ("1969-12-31T23:59:59.999999999Z", -1),
        ("1969-12-31T23:59:59Z", -S),
        ("2024-02-29T00:00:00Z", int(datetime(2024, 2, 29, tzinfo=UTC).timestamp()) * S),
        ("2000-02-29T00:00:00Z", int(datetime(2000, 2, 29, tzinfo=UTC).timestamp()) * S),
        ("2262-04-11T23:47:16.854775807Z", 2**63 - 1),
        ("2262-04-11T23:47:16.854775808Z", -(2**63)),
        ("1677-09-21T00:12:43.145224192Z", -(2**63)),
        ("1677-09-21T00:12:43.145224191Z", 2**63 - 1),
    ],
)
def test_a_time_is_its_nanoseconds(text: str, ns: int | None) -> None:
    assert parse_ns(text) == (ns or 0)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " 2026-01-02T03:04:05Z",
        "2026-01-02T03:04:05Z ",
        "2026-01-02T03:04:05Z\n",
        "2026-01-02t03:04:05Z",
        "2026-01-02T03:04:05z",
        "2026-01-02 03:04:05Z",
        "2026-01-02T03:04:05",
        "2026-01-02T03:04Z",
        "2026-01-02",
        "2026-1-2T03:04:05Z",
        "20260102T030405Z",
        "26-01-02T03:04:05Z",
        "12026-01-02T03:04:05Z",
        "+2026-01-02T03:04:05Z",
        "2026-00-02T03:04:05Z",
        "2026-13-02T03:04:05Z",
        "2026-01-00T03:04:05Z",
        "2026-01-32T03:04:05Z",
        "2026-02-29T03:04:05Z",
        "1900-02-29T03:04:05Z",
        "2026-04-31T03:04:05Z",
        "2026-01-02T24:00:00Z",
        "2026-01-02T03:60:05Z",
        "2026-01-02T03:04:60Z",
        "2026-01-02T03:04:60.000Z",
        "2026-01-02T03:04:99.000Z",
        "2026-01-02T03:04:05;5Z",
        "2026-01-02T03:04:05;678Z",
        "2026-01-02T03:04:05.678z",
        "2026-01-02T03:04:05+24:00",
        "2026-01-02T03:04:05+23:60",
        "2026-01-02T03:04:05-24:00",
        "2026-01-02T03:04:05.5.5Z",
        "2026-01-02T03:04:05.+12Z",
        "2026-01-02T03:04:05. 12Z",
        "2026-01-02T03:04:05.1\u06612Z",
        "2026-01-02T03:04:0\u0665.000Z",
        "2026-01-02T03:04:05+0200",
        "2026-01-02T03:04:05+2:00",
        "2026-01-02T03:04:05+02",
        "2026-01-02T03:04:05Z+02:00",
        "2026-01-02T03:04:05 +02:00",
        "2026-01-02T03:04:05\u221202:00",
        "yesterday",
        "1767323045",
    ],
)
def test_anything_else_is_no_time(text: str) -> None:
    parse_ns("2026-01-02T03:04:05.000Z")  # its minute is remembered now, and must not help
    assert parse_ns(text) == 0
    assert optional_ms(text) is None


def test_a_minute_that_is_remembered_gives_the_same_as_one_that_is_not() -> None:
    texts = [f"2031-07-08T09:10:{second:02d}.{ms:03d}Z" for second in range(60) for ms in (0, 1, 999)]
    again = [parse_ns(text) for text in texts]
    base = int(datetime(2031, 7, 8, 9, 10, tzinfo=UTC).timestamp()) * S
    assert again == [base + second * S + ms * 10**6 for second in range(60) for ms in (0, 1, 999)]


@pytest.mark.parametrize(
    "text",
    [
        "0000-01-01T00:00:00Z",
        "0001-01-01T00:00:00Z",
        "1600-01-01T00:00:00.000Z",
        "2300-01-01T00:00:00.000Z",
        "9999-12-31T23:59:59.999Z",
        "9999-12-31T23:59:59-23:59",
        "0000-02-29T00:00:00Z",
    ],
)
def test_far_years_wrap_into_64_bits(text: str) -> None:
    year = int(text[:4])
    moved = text if year else "2000" + text[4:]
    moment = datetime.fromisoformat(moved.replace("Z", "+00:00").replace("-23:59", "+00:00"))
    seconds = (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1) * 10**6
    if not year:
        seconds -= 730_485 * 86_400 * S
    if text.endswith("-23:59"):
        seconds += (23 * 60 + 59) * 60 * S
    # Twice, since the minute of a time may be remembered.
    assert [parse_ns(text), parse_ns(text)] == [(seconds + 2**63) % 2**64 - 2**63] * 2


def test_any_number_of_minutes_may_be_read() -> None:
    texts = [
        f"2032-{month:02d}-{day:02d}T{hour:02d}:{minute:02d}:07.000Z"
        for month in (1, 2)
        for day in range(1, 19)
        for hour in range(24)
        for minute in range(60)
    ]
    assert len(texts) > 50_000
    first = int(datetime(2032, 1, 1, tzinfo=UTC).timestamp()) * S
    read = [parse_ns(text) for text in texts]
    assert read[0] == first + 7 * S and read[1440 * 18 - 1] == first + (1440 * 18 - 1) * 60 * S + 7 * S
    assert all(b - a in (60 * S, (13 * 1440 + 1) * 60 * S) for a, b in pairwise(read))
    assert parse_ns(texts[0]) == read[0]


@given(
    st.datetimes(min_value=datetime(1700, 1, 1), max_value=datetime(2250, 1, 1)),
    st.integers(-23 * 60 - 59, 23 * 60 + 59),
    st.text("0123456789", max_size=12),
    st.sampled_from(".,"),
)
@example(datetime(1970, 1, 1), 0, "", ".")
def test_every_spelling_of_an_instant_is_that_instant(moment: datetime, offset: int, digits: str, mark: str) -> None:
    moment = moment.replace(microsecond=0, tzinfo=timezone(timedelta(minutes=offset)))
    sign = "-" if offset < 0 else "+"
    zone = f"{sign}{abs(offset) // 60:02d}:{abs(offset) % 60:02d}"
    text = moment.strftime("%Y-%m-%dT%H:%M:%S") + (mark + digits if digits else "") + zone
    seconds = (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(seconds=1)
    assert parse_ns(text) == seconds * S + int(digits[:9].ljust(9, "0"))
    if not offset:
        assert parse_ns(text.removesuffix(zone) + "Z") == parse_ns(text)


@given(st.integers(-(2**63), 2**63 - 1).filter(bool))
def test_a_formatted_time_reads_back(ns: int) -> None:
    assert parse_ns(format_ns(ns)) == ns


def test_no_time_formats_as_nothing_and_digits_come_in_threes() -> None:
    assert format_ns(0) == ""
    assert format_ns(BASE) == "2026-01-02T03:04:05Z"
    assert format_ns(BASE + 10**6) == "2026-01-02T03:04:05.001Z"
    assert format_ns(BASE + 120_000_000) == "2026-01-02T03:04:05.120Z"
    assert format_ns(BASE + 1_000) == "2026-01-02T03:04:05.000001Z"
    assert format_ns(BASE + 1) == "2026-01-02T03:04:05.000000001Z"


def test_milliseconds_are_rounded_down() -> None:
    assert to_ms(1_999_999) == 1
    assert to_ms(-1) == -1
    assert to_ms(0) == 0
    assert optional_ms("1969-12-31T23:59:59.999999999Z") == -1
    assert optional_ms("1970-01-01T00:00:00.000000001Z") == 0
    assert optional_ms("1970-01-01T00:00:00Z") is None


ODD_TIMES = st.sampled_from(
    ["", "2026-01-02T03:04:05.678Z", "2026-01-02T03:04:65.678Z", "2026-01-02T03:04:05.6 8Z", "2026-01-02T03:04:05.\u0666\u0667\u0668Z", "soon"]
)


@given(st.lists(ODD_TIMES | st.datetimes().map(lambda at: at.isoformat(timespec="milliseconds") + "Z")))
def test_many_times_are_each_its_nanoseconds(texts: list[str]) -> None:
    assert parse_many(texts) == [parse_ns(text) for text in texts]
