"""Patterns that may take forever are told from others, and looked for in another process that gives up."""

from __future__ import annotations

import pytest

from asz_tui.panes.tables import Filter
from asz_tui.session.guard import ANY, LONG, SAFE, Guard, TooSlow, risk_of
from asz_tui.session.sieve import Query

_BOMB = "a" * 60 + "!"


@pytest.mark.parametrize(
    ("pattern", "risk"),
    [
        ("dead.*line", SAFE),
        ("error|warning", SAFE),
        (r"\d{4}-\d\d", SAFE),
        ("(?:ab){3}", SAFE),
        ("a.*b.*c", LONG),
        ("(a+)+$", ANY),
        ("(a|aa)+$", ANY),
        ("(x+x+)+y", ANY),
        (r"a.*b.*c.*d", ANY),
        (r"(a*)\1*b", ANY),
        ("(?=(a+)+$)a", ANY),
    ],
)
def test_patterns_are_told_apart(pattern: str, risk: int) -> None:
    assert risk_of(pattern) == risk


def test_a_guard_finds_what_the_engine_finds() -> None:
    guard = Guard("(a+)+b")
    assert guard.spans(["xaab", "none", "b", "é aab \udcff"]) == [(1, 4), None, None, (2, 5)]
    assert guard.given_up == 0
    guard.close()
    assert guard.fits(["", "ab"])
    guard.close()


def test_a_text_that_takes_too_long_is_given_up_and_the_next_is_not() -> None:
    guard = Guard("(a+)+$", patience=0.05)
    assert guard.spans([_BOMB, "aa"]) == [None, (0, 2)]
    assert guard.given_up == 1
    with pytest.raises(TooSlow):
        for _ in range(20):
            guard.spans([_BOMB])
    guard.close()


def test_a_wait_can_be_ended() -> None:
    class Enough(Exception):
        pass

    guard = Guard("(a+)+$", patience=60.0)

    def stop() -> None:
        raise Enough

    guard.stop = stop
    with pytest.raises(Enough):
        guard.spans([_BOMB])
    guard.close()


def test_a_query_at_risk_marks_nothing_and_still_finds() -> None:
    query = Query("re:(a+)+$")
    assert query.marks is None
    assert query.fits("aaa") and not query.fits("b")
    assert query.any_fits(["b", "a"])
    assert query.span("b aa") == (2, 4)
    assert query.guard is not None
    query.guard.close()
    assert Query("re:a+").marks is not None and Query("re:a+").guard is None


def test_a_table_refuses_what_could_stop_the_screen() -> None:
    with pytest.raises(ValueError, match="forever"):
        Filter("re:(a+)+$")
    assert Filter("re:a.*b").fits("xaxb")
