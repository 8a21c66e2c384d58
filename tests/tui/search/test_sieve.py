"""The sieve passes every row that could match, however a producer spelled it, and cuts files into rows as the reader does."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import pytest

from asz_core.sessiondata.reader import Landed
from asz_core.storage import LandedFile
from asz_tui.session import sieve
from asz_tui.session.sieve import FileRows, Pace, Query, Stopped, suspicious

_LETTERS = "aAbkKsSiI zZ09-_.:/\\\"'<>&{}[]\t\néÉßÄäжЖςσΣİıſ\u212a検🙂\u2028\x1b\x7f·"


def _rows(path: Path, lines: list[bytes], tail: bytes = b'{"t":"end"}\n') -> FileRows:
    path.write_bytes(b'{"h":1}\n' + b"\n".join(lines) + b"\n" + tail)
    landed = Landed(LandedFile(str(path), path.name, path.name, 1, None, None), count=len(lines))
    return FileRows(landed)


def _passing(rows: FileRows, query: Query) -> set[int]:
    last = rows.block_of(rows.landed.count)
    assert last is not None
    passed: set[int] = set()
    for block in range(last + 1):
        passed |= set(rows.sift(block, rows.read(block), query, lambda: None).rows)
    return passed & set(range(1, rows.landed.count + 1))


def _escaped(text: str, chance: random.Random) -> str:
    """JSON text of a string with characters escaped at random, in every way that JSON allows."""
    out = []
    for char in text:
        plain = json.dumps(char, ensure_ascii=False)[1:-1]
        ways = [plain, json.dumps(char)[1:-1]]
        if ord(char) < 0x10000:
            ways.append(f"\\u{ord(char):04x}" if chance.random() < 0.5 else f"\\u{ord(char):04X}")
        if char == "/":
            ways.append("\\/")
        out.append(chance.choice(ways) if chance.random() < 0.3 else plain)
    return '"' + "".join(out) + '"'


@pytest.mark.parametrize("seed", range(4))
def test_whatever_matches_passes_in_every_spelling(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    for number in range(25):
        texts = ["".join(chance.choices(_LETTERS, k=chance.randint(1, 30))) for _ in range(25)]
        lines = []
        for text in texts:
            line = '{"x":' + _escaped(text, chance) + "}"
            if chance.random() < 0.3:
                # JSON in a text of JSON, as a queued command stands in a message.
                line = '{"text":' + _escaped(line, chance) + "}"
            lines.append(line.encode())
        rows = _rows(tmp_path / f"{number}.sd", lines)
        for _ in range(40):
            text = chance.choice(texts)
            start = chance.randrange(len(text))
            word = text[start : start + chance.randint(1, 8)]
            word = chance.choice([word, word.lower(), word.upper(), word.swapcase()])
            query = Query(chance.choice([word, word, "re:" + re.escape(word)]))
            passed = _passing(rows, query)
            for row, text in enumerate(texts, 1):
                assert not query.pattern.search(text) or row in passed, (query.query, text, lines[row - 1])
                assert query.fits(text) == (query.pattern.search(text) is not None)


def test_rows_that_cannot_match_are_held_back(tmp_path: Path) -> None:
    lines = [b'{"x":"nothing \\u003c here"}'] * 50 + [b'{"x":"the Needle"}'] + [b'{"x":"caf\xc3\xa9 \\u001b[0m"}'] * 50
    rows = _rows(tmp_path / "a.sd", lines)
    for word in ("needle", "Needle", "the need", "re:ne+dle", "re:needle .*"):
        assert _passing(rows, Query(word)) == {51}, word
    assert _passing(rows, Query("NEEDLE")) == set()
    assert len(_passing(rows, Query("re:n.e"))) == 51
    assert len(_passing(rows, Query("re:[a-z]"))) == 101


@pytest.mark.parametrize("block", [16, 64, 1 << 18])
def test_blocks_hold_whole_rows_and_every_row(tmp_path: Path, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sieve, "BLOCK", block)
    chance = random.Random(block)
    lines = [b'{"n":%d,"x":"%s"}' % (at, b"y" * chance.choice([0, 3, 40, 500])) for at in range(200)]
    rows = _rows(tmp_path / "a.sd", lines)
    order = list(range(1, 201))
    chance.shuffle(order)
    everything = Query("re:.")
    for row in order:
        at = rows.block_of(row)
        data = rows.read(at)
        start, end = rows.sift(at, data, everything, lambda: None).place(row)
        assert data[start:end] == lines[row - 1]
        place = rows.sift(at, data, Query(f'n":{row - 1},'), lambda: None).place(row)
        assert place == (start, end)
    assert rows.block_of(10_000) is None


@pytest.mark.parametrize("tail", [b"", b"cut short", b"\n\n"])
def test_a_file_without_an_end(tmp_path: Path, tail: bytes) -> None:
    rows = _rows(tmp_path / "a.sd", [b'{"x":1}', b'{"x":2}'], tail)
    assert rows.block_of(2) == 0 and rows.read(0).split(b"\n")[2] == b'{"x":2}'
    assert rows.block_of(9) is None
    (tmp_path / "b.sd").write_bytes(b"")
    assert FileRows(Landed(LandedFile(str(tmp_path / "b.sd"), "b", "b", 1, None, None))).block_of(1) is None


def test_long_texts_are_looked_at_in_pieces_without_a_gap() -> None:
    query = Query("nádle")
    for at in (0, sieve._WINDOW - 5, sieve._WINDOW - 3, sieve._WINDOW, 3 * sieve._WINDOW - 1):
        text = "é" * at + "NÁDLE" + "é" * 10
        assert query.fits(text) and query.fits(text + "é" * sieve._WINDOW)
    assert not query.fits("é" * 300_000)


def test_what_narrows_what() -> None:
    for new, old, so in (
        ("bash", "bas", True), ("Bash", "bas", True), ("BASH", "bash", True), ("bash", "Bash", False), ("Bash", "Ba", True),
        ("xbash", "bash", True), ("re:bash", "bas", False), ("bash", "re:bas", False), ("ключи", "ключ", False), ("bas", "bash", False),
    ):  # fmt: skip
        assert Query(new).narrows(Query(old)) is so, (new, old)


def test_a_pace_rests_and_stops() -> None:
    asked = 0

    def stop() -> bool:
        nonlocal asked
        asked += 1
        return asked > 2

    pace = Pace(stop, work=0.001, rest=0.0001)
    with pytest.raises(Stopped):
        while True:
            pace()
    assert asked == 3


def test_suspicious_bytes() -> None:
    assert not suspicious(b'{"x":"plain \\n text"}')
    assert suspicious(b'"\\u0041"') and suspicious(b'"\\/"') and suspicious("é".encode())
