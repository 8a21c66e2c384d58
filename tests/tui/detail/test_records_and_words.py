"""Landed records as they are, and the glossary."""

from __future__ import annotations

import json
import re

from asz_core import vocabulary
from asz_tui.lines.text_rows import TextRows
from asz_tui.panes.detail import plain


def body(text: str) -> str:
    return text.split("\n\n", 1)[1]


def test_record_is_whole_and_keeps_its_spelling(detail) -> None:
    builder = detail("pilot")
    text = plain(builder.record(1, 11), 20_000)
    assert text.startswith("landed record  seq 1 · row 11\nread from streams/main/transcript-")
    line = builder.opened.conversation.landed_line(1, 11)
    assert json.loads(body(text)) == json.loads(line)
    assert re.sub(r"\s", "", body(text)) == re.sub(r"\s", "", line)


def test_record_colours(detail) -> None:
    rows = TextRows(detail("pilot").record(1, 11), 80)
    rows.finish()
    roles = {role for index in range(len(rows)) for _, role in rows.line(index, 80).left}
    assert {"key", "code", "accent", "bar"} <= roles


def test_records_that_cannot_be_read(detail) -> None:
    builder = detail("pilot")
    assert "It cannot be read: the landed file with seq 99 is not here." in plain(builder.record(99, 1))
    assert "has no row 900, only" in plain(builder.record(1, 900))
    assert "has no row 0" in plain(builder.record(1, 0))


def test_all_records_of_a_node_once(detail) -> None:
    text = plain(detail("pilot").records("call/s3-call"), 80)
    assert [int(row) for row in re.findall(r"^landed record  seq 1 · row (\d+)", text, re.MULTILINE)] == [4, 5, 6]


def test_records_of_a_derived_node(detail) -> None:
    assert "cites no landed record" in plain(detail("craft").records("noref/1"))


def test_words(detail) -> None:
    builder = detail("pilot")
    text = plain(builder.word("strong_inference"))
    assert "quality of a join" in text and vocabulary.QUALITIES["strong_inference"] in text
    assert "beside it: exact_unique" in text
    assert "No vocabulary of the model lists this word" in plain(builder.word("hologram.kind"))
    assert "quality of a join" in plain(builder.word("unresolved"))


def test_words_of_a_node(detail) -> None:
    text = plain(detail("pilot").words("tool/s6-tool"))
    for word in ("agent.call", "main", "available", "finished", "starts", "exact_unique"):
        assert f"\n{word}\n" in f"\n{text}"
