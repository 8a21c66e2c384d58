"""Strict reading (the assembling specification, §1.2): one unreadable landed file stops everything, and what is taken all the same."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from asz_core.assemble import Assembler, Outcome
from asz_core.assemble.entries import read_entries
from asz_core.errors import AssembleError
from asz_core.storage import Storage
from tests.core.assemble.landing_helpers import SESSION, Lander, record, text

HEADER = b'{"h":1,"schema":"sd/1","seq":1,"kind":"transcript","src":"x","dialect":"d","session":"demo-1","stream":"main"}'
RECORD = b'{"id":"a","from":"external","run":"r","time":"2026-03-01T08:00:00Z"}'


def file_of(*lines: bytes, header: bytes = HEADER, claims: int | None = None, digest: str = "", end: bytes = b"") -> bytes:
    """The bytes of a landed file of these record lines."""
    body = b"\n".join([header, *lines]) + b"\n"
    number = len(lines) if claims is None else claims
    return body + (end or b'{"t":"end","records":%d,"digest":"%s"}\n' % (number, (digest or sha(body)).encode()))


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@pytest.fixture
def assemble(tmp_path: Path) -> Callable[[bytes], Outcome]:
    """Assemble a session of one landed file."""

    def call(data: bytes) -> Outcome:
        path = tmp_path / SESSION / "streams" / "main" / "transcript-x-000001.sd"
        path.parent.mkdir(parents=True)
        path.write_bytes(data)
        return Assembler(tmp_path, SESSION).assemble()

    return call


REFUSED = {
    "no closing line": HEADER + b"\n" + RECORD + b"\n",
    "nothing at all": b"",
    "no header": file_of(RECORD, header=b"{"),
    "another schema": file_of(RECORD, header=HEADER.replace(b"sd/1", b"sd/2")),
    "no session": file_of(RECORD, header=HEADER.replace(b'"session":"demo-1",', b"")),
    "a wrong digest": file_of(RECORD, digest="0" * 64),
    "a wrong count": file_of(RECORD, claims=2),
    "a closing line that does not decode": file_of(RECORD, end=b'{"t":"end","records":"1"}\n'),
    "an empty line": file_of(RECORD, b"", RECORD),
    "a list": file_of(RECORD, b"[]"),
    "a text": file_of(RECORD, b'"x"'),
    "no JSON": file_of(b"{'a':1}"),
    "two values": file_of(b"{} {}"),
    "not a number": file_of(b'{"x":NaN}'),
    "a raw control character": file_of(b'{"id":"a\x01b"}'),
    "ord as text": file_of(b'{"ord":"1"}'),
    "ord with a dot": file_of(b'{"ord":1.0}'),
    "ord below zero": file_of(b'{"ord":-1}'),
    "flags as text": file_of(b'{"flags":"error"}'),
    "a flag that is a number": file_of(b'{"flags":[1]}'),
    "parts as an object": file_of(b'{"parts":{}}'),
    "a part that is a text": file_of(b'{"parts":["x"]}'),
    "a tool id that is a number": file_of(b'{"parts":[{"k":"call","id":1}]}'),
    "usage as a list": file_of(b'{"usage":[]}'),
    "an id that is too long": file_of(b'{"id":"%s"}' % (b"x" * 65_536)),
    "a label that is too long in bytes": file_of(b'{"label":"%s"}' % ("é" * 32_768).encode()),
    "a tool's name that is too long": file_of(b'{"parts":[{"k":"call","id":"t","name":"%s"}]}' % (b"x" * 65_536)),
}


@pytest.mark.parametrize("data", REFUSED.values(), ids=REFUSED)
def test_what_ends_the_parse(data: bytes, assemble: Callable[[bytes], Outcome], tmp_path: Path) -> None:
    outcome = assemble(data)
    assert outcome.round == 0
    assert f"{SESSION}/streams/main/transcript-x-000001.sd" in outcome.error
    assert not (tmp_path / "_conversations" / SESSION / "rounds").exists()


TAKEN = {
    "an empty record": file_of(RECORD, b"{}"),
    "null for a record": file_of(RECORD, b"null"),
    "null for values": file_of(RECORD, b'{"id":null,"ord":null,"flags":null,"parts":[null],"usage":null,"time":null}'),
    "unknown keys": file_of(RECORD, b'{"zz":[{"y":1}],"parts":[{"zz":0}]}'),
    "bytes after the closing line": file_of(RECORD) + b"whatever\n",
    "no newline at the end": file_of(RECORD)[:-1],
    "bad UTF-8": file_of(RECORD, b'{"label":"a\xffb"}'),
    "a lone surrogate": file_of(RECORD, b'{"label":"a\\ud800b"}'),
    "the longest id": file_of(RECORD, b'{"id":"%s"}' % (b"x" * 65_535)),
    "a longer text": file_of(RECORD, b'{"parts":[{"k":"text","text":"%s"}]}' % (b"x" * 70_000)),
    "no time": file_of(RECORD, b'{"time":"yesterday"}'),
}


@pytest.mark.parametrize("data", TAKEN.values(), ids=TAKEN)
def test_what_is_taken(data: bytes, assemble: Callable[[bytes], Outcome]) -> None:
    outcome = assemble(data)
    assert (outcome.round, outcome.error) == (1, "")


def test_bad_text_reads_as_the_replacement_character(tmp_path: Path) -> None:
    lander = Lander(tmp_path)
    lander.land("main", record("external", "", 0, text(), run="r"), b'{"label":"a\xffb\\ud800c <&>"}')
    assert Assembler(tmp_path, SESSION).assemble().error == ""
    assert lander.header(1)["title"] == "a\ufffdb\ufffdc <&>"
    assert "a\ufffdb\ufffdc \\u003c\\u0026\\u003e" in lander.rounds()[0][0]


def test_a_key_given_twice_counts_by_its_last_value(tmp_path: Path) -> None:
    lander = Lander(tmp_path)
    lander.land("main", b'{"id":"a","id":"b"}', b'{"id":"c","id":null}')
    (file,) = Storage(tmp_path).landed(SESSION)
    assert [entry.id for entry in read_entries(file).entries] == ["b", ""]


def test_the_header_wins_over_the_folder(tmp_path: Path) -> None:
    lander = Lander(tmp_path)
    lander.land("k-1", record(id="a"), stream="k/1")
    lander.land("run:b1", record(id="b"), record(id="c", batch="b2"), kind="journal")
    files = Storage(tmp_path).landed(SESSION)
    entries = [entry for file in files for entry in read_entries(file).entries]
    assert [(entry.stream, entry.batch, entry.kind) for entry in entries] == [
        ("k/1", "", "unknown"),
        ("", "b1", "journal"),
        ("", "b2", "journal"),
    ]


def test_the_sequence_is_the_names(tmp_path: Path) -> None:
    lander = Lander(tmp_path)
    path = lander.land("main", record(id="a"))
    os.rename(path, path.with_name("transcript-x-000007.sd"))
    (file,) = Storage(tmp_path).landed(SESSION)
    assert read_entries(file).entries[0].ref == '{"seq":7,"row":1}'


def test_a_file_that_is_gone(tmp_path: Path) -> None:
    path = Lander(tmp_path).land("main", record(id="a"))
    (file,) = Storage(tmp_path).landed(SESSION)
    path.unlink()
    with pytest.raises(AssembleError, match="cannot be read"):
        read_entries(file)


@pytest.mark.parametrize(
    ("data", "counted"),
    [
        ('{"schema":"changes/1","id":"a","captured_by":"p","changes":[{"additions":2},{"deletions":3}]}', (1, 2, 3)),
        ('{"schema":"changes/1"}', (1, 0, 0)),
        ('{"schema":"changes/1","changed_files":null,"changes":[{"additions":null,"deletions":-1}]}', (1, 0, 2**32 - 1)),
        ('{"schema":"changes/1","changed_files":1.0}', (0, 0, 0)),
        ('{"schema":"changes/1","gaps":"none"}', (0, 0, 0)),
        ('{"schema":"changes/1","changes":[{"before":{"present":"yes"}}]}', (0, 0, 0)),
        ('{"schema":"changes/2"}', (0, 0, 0)),
        ('["changes/1"]', (0, 0, 0)),
    ],
)
def test_change_records(data: str, counted: tuple[int, int, int], tmp_path: Path) -> None:
    lander = Lander(tmp_path)
    lander.land("main", b'{"from":"external","run":"r","parts":[{"k":"data","data":%s}]}' % data.encode())
    Assembler(tmp_path, SESSION).assemble()
    header = lander.header(1)
    assert (header["changes"], header["lines_added"], header["lines_removed"]) == counted
