"""The worked examples of the collecting specification: a line, and the record that the original makes of it."""

from __future__ import annotations

import re

import pytest

from asz_core.collect.convert import record_line
from asz_core.collect.landing import landed_file
from asz_core.collect.sources import source_at
from tests.core.collect.helpers import AGENT, DATA, MAIN, PROJECT, SESSION

_BELOW = f"{PROJECT}/{SESSION}"
_BYTE = re.compile(rb"\xe2\x9f\xa8([0-9A-F]{2})\xe2\x9f\xa9")


def examples() -> list[tuple[str, bytes, bytes]]:
    """Title, payload and record of each."""
    found = []
    for text in (DATA / "examples.txt").read_bytes().split(b"\n# ")[0:]:
        title, payload, record = text.strip(b"\n").split(b"\n")[:3]
        payload = _BYTE.sub(lambda match: bytes.fromhex(match[1].decode()), payload[2:])
        found.append((title.decode().lstrip("# "), payload, record[2:]))
    return found


EXAMPLES = examples()


@pytest.mark.parametrize(("title", "payload", "record"), EXAMPLES, ids=[title.split(".")[0] for title, *_ in EXAMPLES])
def test_makes_the_record_of_the_example(title: str, payload: bytes, record: bytes) -> None:
    named = re.search(r"(?:subagents|workflows)/\S+?\.(?:meta\.json|jsonl|json|js)", title)
    source = source_at(f"{_BELOW}/{named[0]}" if named else MAIN)
    assert source is not None
    assert record_line(payload, 1, 0, source).decode() == record.decode()


def test_all_of_them_are_there() -> None:
    assert [title.split(".")[0] for title, *_ in EXAMPLES] == [f"E{number}" for number in range(1, 40)]
    assert source_at(f"{_BELOW}/subagents/agent-{AGENT}.meta.json")


def test_a_whole_file() -> None:
    source = source_at(MAIN)
    assert source is not None
    title = b'{"type":"ai-title","aiTitle":"A"}'
    data, count = landed_file(source, 1_772_600_767_250_000_000, 1, [(1, 0, title), (2, 34, b"")])
    header, *_, closing, nothing = data.split(b"\n")
    assert header.startswith(b'{"h":1,"schema":"sd/1","seq":1,"at":"2026-03-04T05:06:07.25Z","kind":"transcript",')
    assert header.endswith(b'"src":"%s","session":"%s","stream":"main"}' % (MAIN.encode(), SESSION.encode()))
    assert (count, nothing) == (2, b"")
    digest = b"3660989f547ea5220c2eb96cce0bdd39e899fcd38cf3999b7fb4755a3de139d5"
    assert closing == b'{"t":"end","records":2,"digest":"%s"}' % digest
