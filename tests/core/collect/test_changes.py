"""Change records: paths, and the difference of two texts (the collecting specification, §8)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asz_core.collect.changes import change_record, relative
from asz_core.collect.difference import hunks_of, lines_of


@pytest.mark.parametrize(
    ("path", "cwd", "found"),
    [
        ("/srv/shop/src/a.txt", "/srv/shop", "src/a.txt"),
        ("/srv/./shop//src/../a.txt", "/srv/shop/", "a.txt"),
        ("/srv/shop", "/srv/shop", "."),
        ("/srv/other/./a", "/srv/shop", "/srv/other/./a"),
        ("/srv/shop/..config/x", "/srv/shop", "/srv/shop/..config/x"),
        ("a", "/srv", "a"),
        ("/../a", "/", "a"),
        ("a/b", "a", "b"),
        ("a", "../b", "a"),
        ("//x/", "", "//x/"),
    ],
)
def test_relative_paths(path: str, cwd: str, found: str) -> None:
    assert relative(path, cwd) == found


LINES = st.lists(st.sampled_from("abcd"), max_size=14)


@given(LINES, LINES)
def test_hunks_make_the_new_of_the_old(old: list[str], new: list[str]) -> None:
    hunks, additions, deletions = hunks_of(old, new)
    made, at = [], 0
    for hunk in hunks:
        start = hunk.old_start - (hunk.old_lines > 0)
        made += old[at:start]
        assert len(made) == hunk.new_start - (hunk.new_lines > 0)
        assert [line[1:] for line in hunk.lines or () if line[0] != "+"] == old[start : start + hunk.old_lines]
        made += [line[1:] for line in hunk.lines or () if line[0] != "-"]
        at = start + hunk.old_lines
    assert made + old[at:] == new
    lines = [line[0] for hunk in hunks for line in hunk.lines or ()]
    assert (lines.count("+"), lines.count("-")) == (additions, deletions)


def test_lines() -> None:
    assert lines_of("") == []
    assert lines_of("a\r\n\nb") == ["a\r", "", "b"]
    assert lines_of("a\n") == ["a"]


def test_distant_changes_are_hunks_of_their_own() -> None:
    old = [str(n) for n in range(30)]
    new = ["x" if n in ("2", "9", "20") else n for n in old]
    hunks, additions, deletions = hunks_of(old, new)
    assert [(hunk.old_start, hunk.old_lines) for hunk in hunks] == [(1, 13), (18, 7)]
    assert (additions, deletions) == (3, 3)


def test_texts_without_a_line_in_common_cost_nothing() -> None:
    hunks, additions, deletions = hunks_of([f"a{n}" for n in range(20_000)], [f"b{n}" for n in range(20_000)])
    assert (len(hunks), additions, deletions) == (1, 20_000, 20_000)


def _change(**enrichment: object) -> bytes | None:
    return change_record(enrichment, "t", "s", "main", "2026-01-01T00:00:00Z", "")


def test_what_is_no_change() -> None:
    assert _change(oldString="a") is None
    assert _change(filePath="/a", originalFile="a") is None
    assert _change(filePath="/a") is None


def test_binary_and_too_large_have_no_counts() -> None:
    for content, diff in (("a\0", b"binary"), ("a\n" * 200_001, b"too_large")):
        change = _change(filePath="/a", content=content)
        assert change is not None
        assert b'"diff":"%s","additions":null,"deletions":null}]}' % diff in change


def test_a_final_newline_alone_has_no_hunks() -> None:
    change = _change(notebook_path="/a", original_file="a", updated_file="a\n")
    assert change is not None
    assert b'"additions":0,"deletions":0}]}' in change
    assert change.count(b"no_newline_at_end") == 1


def test_every_occurrence_when_all_are_replaced() -> None:
    one, every = (
        _change(filePath="/a", originalFile="a a", oldString="a", newString="bb", replaceAll=flag) for flag in (False, True)
    )
    assert one is not None and b'"after":{"present":true,"bytes":4,' in one
    assert every is not None and b'"after":{"present":true,"bytes":5,' in every
