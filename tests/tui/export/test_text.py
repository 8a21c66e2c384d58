"""Plain text: nothing acts on a terminal, and everything that a step says is there whole."""

from __future__ import annotations

import re
from datetime import UTC

import pytest

from asz_tui.export import export
from asz_tui.session.opened import Opened
from asz_tui.text.safe import visible
from tests.tui.export.conftest import CASES, opened_case
from tests.tui.export.test_markdown import expected_texts

_ACTS = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")


def bare(text: str) -> str:
    """A text without the blanks that indenting adds, and its line breaks on a row."""
    return re.sub(r"\s+", "", text)


@pytest.mark.parametrize("case", CASES)
def test_nothing_acts_and_all_is_there(exported, case: str) -> None:
    text = exported(case, "text").decode()
    assert not _ACTS.search(text)
    whole = bare(text).replace("⏎", "")
    for said in expected_texts(opened_case(case)):
        assert bare(visible(said, multiline=True, screen=False)) in whole or bare(visible(said)).replace("⏎", "") in whole


def test_hostile_texts(evil) -> None:
    text = b"".join(export(evil, None, "text", UTC)).decode()
    assert not _ACTS.search(text)
    assert "␛[2J" in text and "⟨U+202E⟩" in text


def test_rows_and_texts(exported) -> None:
    lines = exported("pilot", "text").decode().splitlines()
    assert lines[0] == "Fix the flaky port check in the relay: it times out on slow links"
    at = next(number for number, line in enumerate(lines) if "▣ tool Bash" in line)
    assert lines[at].endswith("(48 s, failed)")
    assert [line.strip() for line in lines[at + 3 : at + 6]] == ["result, failed, 45 bytes:", "FAIL 17", "FAIL 58"]
    assert any("25 min quiet" in line for line in lines) and "outside any talk" in "\n".join(lines)


def test_a_part(exported) -> None:
    opened = opened_case("pilot")
    text = b"".join(export(opened, "tool/s6-tool", "text", UTC)).decode()
    assert "selection     agent.call tool/s6-tool" in text
    assert sum(1 for line in text.splitlines() if re.match(r"\d\d:\d\d:\d\d ", line)) == 1


def test_ascii_rows_keep_the_texts_of_the_data() -> None:
    opened = Opened(opened_case("words-hard").conversation, ascii_only=True)
    text = b"".join(export(opened, None, "text", UTC)).decode()
    rows = [line for line in text.splitlines() if re.match(r"\d\d:\d\d:\d\d ", line)]
    assert rows and all(row.isascii() for row in rows)
