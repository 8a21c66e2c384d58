"""Session Data, ``sd/1`` (formats.md section 2): headers, closing lines, where reading stops, rows, text, raw data."""

from __future__ import annotations

import json
from typing import Any

import orjson
import pytest

from asz_core import RecordError
from asz_core.sessiondata import Landed, SessionData, decode_record, landed_bytes, parse_landed
from asz_core.sessiondata.ahead import ReadAhead
from asz_core.sessiondata.reader import check_landed
from asz_core.sessiondata.record import decode_closing, decode_header, kind_named_by
from asz_core.storage import LandedFile, Storage, read_file
from tests.core.helpers import SESSION, START_MS, Maker, clock, line, node, part, record, said, sha

HEADER = {
    "h": 1,
    "schema": "sd/1",
    "seq": 1,
    "at": clock(0),
    "kind": "transcript",
    "adapter": "a",
    "dialect": "d",
    "src": "x",
    "session": "s0",
    "stream": "main",
}
FILE = LandedFile("p", "s0/streams/main/transcript-x-000001.sd", "transcript-x-000001.sd", 1, "main", None)


def landed(data: bytes) -> Landed:
    """What a file is read as; a check that keeps no record says the same."""
    found, checked = parse_landed(FILE, data), check_landed(FILE, data)
    checked.records = found.records
    assert checked == found
    return found


def file_of(*lines: Any, head: Any = HEADER, closing: Any = None) -> bytes:
    """A landed file of any lines; its closing line is right unless given, and absent when empty."""
    body = b"".join(line(one) + b"\n" for one in (head, *lines))
    end = {"t": "end", "records": len(lines), "digest": sha(body)} if closing is None else closing
    return body + (line(end) + b"\n" if end != b"" else b"")


def ids(found: Landed) -> list[str]:
    return [one.id for one in found.records]


# --- header


def test_a_file_is_header_then_records_then_closing_line() -> None:
    data = landed_bytes(HEADER, [{"id": "a", "time": clock(5)}, {"id": "b", "time": clock(3)}, {"id": "c"}])
    found = landed(data)
    assert (found.fault, found.closing_fault, found.kind, found.count) == ("", "", "transcript", 3)
    assert ids(found) == ["a", "b", "c"]
    assert (found.digest, found.size, found.lines) == (sha(data), len(data), 5)
    assert found.span() == ((START_MS + 3000) * 10**6, (START_MS + 5000) * 10**6)
    assert found.header is not None and found.header.stream == "main"


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"h": 0}, "h=0"),
        ({"h": 2}, "h=2"),
        ({"h": None}, "h=0"),
        ({"schema": "sd/2"}, "schema"),
        ({"schema": ""}, "schema"),
        ({"kind": ""}, "no kind"),
        ({"session": ""}, "no session"),
        ({"src": ""}, "no src"),
        ({"dialect": ""}, "no dialect"),
        ({"dialect": None}, "no dialect"),
        ({"h": "1"}, "undecodable header"),
        ({"h": 1.5}, "undecodable header"),
        ({"kind": 7}, "undecodable header"),
        ({"session": []}, "undecodable header"),
    ],
)
def test_a_refused_header_gives_no_records_and_no_times_but_a_digest_and_lines(change: dict[str, Any], why: str) -> None:
    data = file_of(said("x", time=clock(1)), head=HEADER | change)
    found = landed(data)
    assert why in found.fault
    assert (found.count, found.records, found.span()) == (0, [], (0, 0))
    assert (found.digest, found.lines, found.size) == (sha(data), 3, len(data))
    with pytest.raises(RecordError, match=why):
        decode_header(line(HEADER | change))


@pytest.mark.parametrize("name", ["adapter", "at", "stream", "seq", "batch"])
def test_other_header_keys_may_be_absent(name: str) -> None:
    found = landed(file_of(said("x"), head={k: v for k, v in HEADER.items() if k != name}))
    assert found.fault == "" and found.count == 1


@pytest.mark.parametrize(
    ("first", "kind"),
    [
        ({"kind": "journal"}, "journal"),
        (HEADER | {"schema": "sd/9", "kind": "changes"}, "changes"),
        (HEADER | {"h": "1"}, "transcript"),
        (HEADER | {"seq": "x", "kind": "later"}, "later"),
        (HEADER | {"kind": 5}, ""),
        ({}, ""),
        (b"[]", ""),
        (b"7", ""),
        (b"", ""),
        (b'{"kind":"cut', ""),
        (b"not json", ""),
    ],
)
def test_a_refused_file_lists_whatever_kind_its_first_line_names(first: Any, kind: str) -> None:
    assert kind_named_by(line(first)) == kind
    assert landed(line(first) + b"\n").kind == kind


def test_kinds_that_come_later_are_kept() -> None:
    assert landed(file_of(head=HEADER | {"kind": "dream"})).kind == "dream"


def test_a_header_with_unknown_keys_and_nulls_reads() -> None:
    found = landed(file_of(said("x"), head=HEADER | {"new": {"a": [1]}, "batch": None, "stream": None}))
    assert found.fault == "" and found.count == 1


# --- closing line


def test_the_closing_digest_covers_every_byte_before_the_closing_line() -> None:
    data = landed_bytes(HEADER, [{"id": "a"}])
    for at in (5, data.index(b'"a"') + 1):
        changed = bytearray(data)
        changed[at] ^= 1
        assert "digest mismatch: computed" in landed(bytes(changed)).closing_fault


@pytest.mark.parametrize(
    ("closing", "why"),
    [
        (b"", "there is no closing line"),
        (b'{"t":"end"', "does not decode"),
        (b'{"t":"end","records":"1"}', "does not decode"),
        (b'{"t":"end","records":1,"digest":"0011223344556677"}', "claims 001122334455"),
        (b'{"t":"end","records":1}', "claims nothing"),
    ],
)
def test_a_wrong_closing_line_is_a_fault_and_leaves_the_records_usable(closing: bytes, why: str) -> None:
    found = landed(file_of({"id": "a"}, {"id": "b"}, closing=closing))
    assert why in found.closing_fault
    assert (found.fault, ids(found)) == ("", ["a", "b"])


def test_a_wrong_count_is_a_fault_of_the_closing_line() -> None:
    body = file_of({"id": "a"}, closing=b"")
    data = body + line({"t": "end", "records": 2, "digest": sha(body)}) + b"\n"
    assert landed(data).closing_fault == "counts mismatch: the file holds 1 records, the closing line claims 2"


def test_text_after_the_closing_line_is_a_fault_and_is_not_read() -> None:
    data = file_of({"id": "a"}) + line({"id": "late"}) + b"\n"
    found = landed(data)
    assert "text after the closing line" in found.closing_fault
    assert ids(found) == ["a"]


def test_a_closing_line_may_lack_its_newline_and_may_be_followed_by_empty_ones() -> None:
    data = file_of({"id": "a"})
    assert landed(data[:-1]).closing_fault == ""
    assert landed(data + b"\n\n").closing_fault == ""


def test_a_line_is_the_closing_line_when_its_first_bytes_say_so() -> None:
    inside = {"id": "a", "parts": [part(text='{"t":"end')]}
    found = landed(file_of(inside, {"id": "b"}, b'{"t":"endless","records":0}', {"id": "c"}))
    assert ids(found) == ["a", "b"]
    assert ids(landed(file_of({"id": "a"}, b' {"t":"end"}', {"id": "b"}))) == ["a", "", "b"]


def test_a_file_that_starts_with_a_closing_line_has_no_header() -> None:
    found = landed(b'{"t":"end","records":0,"digest":""}\n')
    assert found.fault and found.count == 0


def test_a_closing_line_that_decodes_is_told() -> None:
    closing = decode_closing(b'{"t":"end","records":3,"digest":"aa"}')
    assert closing is not None and (closing.records, closing.digest) == (3, "aa")
    assert decode_closing(b'{"t":"end') is None


# --- where reading stops


@pytest.mark.parametrize(
    "bad",
    [
        b"",
        b"   ",
        b"garbage",
        b'{"id":"cut',
        b"[]",
        b'"text"',
        b"null",
        b'{"id":5}',
        b'{"ord":"1"}',
        b'{"ord":1.5}',
        b'{"parts":{}}',
        b'{"parts":["x"]}',
        b'{"flags":[1]}',
        b'{"usage":[]}',
        b'{"usage":{"in":"1"}}',
        b'{"dropped":[{"bytes":"x"}]}',
        b'{"parts":[{"failed":1}]}',
        b'{"parts":[{"data":}]}',
        b'{"parts":[{"data":01}]}',
        b'{"id":"a"} {"id":"b"}',
        b'{"id":"a"}}',
        b'{"id":"a",}',
        b"{'id':'a'}",
        b'{"ord":9223372036854775808}',
        b'{"id":"\x01"}',
        b'{"id":"\\q"}',
    ],
)
def test_reading_stops_at_the_first_line_that_does_not_decode(bad: bytes) -> None:
    found = landed(file_of({"id": "r1", "time": clock(1)}, {"id": "r2"}, bad, {"id": "r4", "time": clock(9)}))
    assert ids(found) == ["r1", "r2"]
    assert found.fault.startswith("row 3 does not decode")
    assert found.span() == ((START_MS + 1000) * 10**6,) * 2
    assert found.closing_fault == ""


@pytest.mark.parametrize(
    "lines",
    [
        (b'{"id":"a"} {"id":"b"}', b""),
        (b"", b'{"id":"a"}{"id":"b"}'),
        (b'{"id":', b'"a"}{"id":"b"}'),
        (b'{"usage":', b'{"in":1}} {"id":"b"}'),
    ],
)
def test_two_records_on_one_line_are_none_even_when_the_count_of_lines_fits(lines: tuple[bytes, bytes]) -> None:
    found = landed(file_of({"id": "r1"}, *lines))
    assert ids(found) == ["r1"]
    assert found.fault.startswith("row 2 does not decode")


def test_reading_stops_at_the_end_of_a_file_that_was_cut() -> None:
    data = file_of({"id": "a"}, {"id": "b"}, {"id": "c"})
    cut = data[: data.index(b'{"id":"c"}') + 4]
    found = landed(cut)
    assert ids(found) == ["a", "b"] and found.fault.startswith("row 3") and "truncated" in found.closing_fault
    whole = data[: data.index(b'{"id":"c"}') + 10]
    assert ids(landed(whole)) == ["a", "b", "c"]


@pytest.mark.parametrize("data", [b"", b"\n", b"\n\n\n", b"\xff", b"{", b"\0" * 100])
def test_a_file_of_nothing_has_a_digest_and_no_records(data: bytes) -> None:
    found = landed(data)
    assert found.fault and (found.count, found.digest, found.lines) == (0, sha(data), data.count(b"\n"))


def test_row_one_is_the_first_record_line(maker: Maker) -> None:
    maker.land({"id": "a", "time": clock(1)}, {"id": "b", "time": clock(2)}, {"id": "c"})
    data = SessionData(maker.root().storage, maker.session)
    data.refresh()
    assert [data.record(1, row).id for row in (1, 2, 3)] == ["a", "b", "c"]  # type: ignore[union-attr]
    assert data.record(1, 0) is None and data.record(1, 4) is None and data.record(1, -1) is None and data.record(2, 1) is None
    assert data.time(1, 2) == (START_MS + 2000) * 10**6
    assert (data.time(1, 3), data.time(1, 4), data.time(9, 1)) == (0, 0, 0)
    assert data.has(1, 3) and not data.has(1, 4)
    assert data.landed_line(1, 2) == line({"id": "b", "time": clock(2)}).decode()
    assert data.landed_line(1, 4) is None


# --- records and parts


def test_every_key_of_a_record_and_a_part_is_read() -> None:
    parts = [
        {
            "k": "call",
            "text": "t",
            "data": {"a": 1},
            "id": "i",
            "of": "o",
            "name": "n",
            "server": "s",
            "server_tool": "st",
            "failed": True,
            "media": "m",
            "encoding": "e",
            "state": "redacted",
            "bytes": 3,
        }
    ]
    texts = {
        key: key.upper()
        for key in (
            "sha",
            "id",
            "parent",
            "call",
            "run",
            "continues",
            "tool",
            "child",
            "batch",
            "label",
            "started_by",
            "from",
            "time",
            "trigger",
            "model",
        )
    }
    value = texts | {
        "ord": 1,
        "off": 2,
        "bytes": 3,
        "flags": ["f", "g"],
        "usage": {"in": 1, "out": 2, "cache_read": 3, "cache_write": 4},
        "parts": parts,
        "dropped": [{"what": "w", "bytes": 9, "why": "y"}],
    }
    got = decode_record(line(value))
    assert {key: getattr(got, "from_" if key == "from" else key) for key in texts} == texts
    assert (got.ord, got.off, got.bytes, got.flags) == (1, 2, 3, ["f", "g"])
    assert got.usage is not None and (got.usage.in_, got.usage.out, got.usage.cache_read, got.usage.cache_write) == (1, 2, 3, 4)
    assert got.parts is not None and got.dropped is not None
    only = got.parts[0]
    assert {key: getattr(only, key) for key in parts[0] if key != "data"} == {k: v for k, v in parts[0].items() if k != "data"}
    assert only.raw_data() == '{"a":1}'
    assert (got.dropped[0].what, got.dropped[0].bytes, got.dropped[0].why) == ("w", 9, "y")


def test_unknown_keys_are_ignored() -> None:
    got = decode_record(
        b'{"id":"a","new":{"deep":[1,{"x":null}]},"parts":[{"k":"text","text":"t","odd":[[]]}],"usage":{"in":1,"more":{}}}'
    )
    assert got.id == "a" and got.parts is not None and got.parts[0].text == "t"


def test_null_is_absent_but_for_data() -> None:
    got = decode_record(
        b'{"id":null,"parts":[{"k":"data","data":null,"text":null,"failed":null,"bytes":null}],"flags":null,"usage":null,"time":null,"ord":null}'
    )
    assert (got.id, got.flags, got.usage, got.time, got.ord) == ("", None, None, "", 0)
    assert got.parts is not None and (got.parts[0].raw_data(), got.parts[0].text, got.parts[0].failed) == ("null", "", None)


def test_data_is_the_files_own_bytes() -> None:
    raw = b'{ "b" : 1.50, "a":1e3 ,"\\u0041":"\\/\\u00e9","c":[ ]}'
    for extra in (b"", b',"id":null', b',"label":"\xff"'):
        got = decode_record(b'{"parts":[{"k":"data","data":' + raw + b"}]" + extra + b"}")
        assert got.parts is not None and got.parts[0].raw_data().encode() == raw


@pytest.mark.parametrize(
    "raw",
    [b"1e999", b"-0", b"true", b'"\\ud800"', b"[" * 900 + b"]" * 900, b"[" * 5000 + b"]" * 5000],
    ids=lambda raw: f"{raw[:8]!r} {len(raw)}",
)
def test_data_of_any_json_value_is_kept(raw: bytes) -> None:
    got = decode_record(b'{"parts":[{"k":"data","data":' + raw + b"}]}")
    assert got.parts is not None and got.parts[0].raw_data().encode() == raw


# --- text


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"a\xffb", "a\ufffdb"),
        (b"a\xff\xfeb", "a\ufffd\ufffdb"),
        (b"\xe2\x82", "\ufffd\ufffd"),
        (b"\xf0\x9f\x98", "\ufffd\ufffd\ufffd"),
        (b"\xc0\x80", "\ufffd\ufffd"),
        (b"\xed\xa0\x80", "\ufffd\ufffd\ufffd"),
        (b"\xe2\x82\xac", "\u20ac"),
        (b"\\ud800", "\ufffd"),
        (b"\\udc00x", "\ufffdx"),
        (b"\\ud800\\ud800", "\ufffd\ufffd"),
        (b"\\ud800\\u0041", "\ufffdA"),
        (b"\\uD83D\\uDE00", "\U0001f600"),
        (b"\\ud800\\ud83d\\ude00", "\ufffd\U0001f600"),
        (b"\\ude00\\ud83d", "\ufffd\ufffd"),
        (b"\\\\ud800", "\\ud800"),
        (b"\\\\\\ud800", "\\\ufffd"),
        (b"\xff\\ud800", "\ufffd\ufffd"),
    ],
)
def test_each_invalid_byte_and_each_lone_surrogate_escape_reads_as_one_replacement(raw: bytes, text: str) -> None:
    got = decode_record(b'{"id":"' + raw + b'","parts":[{"k":"text","text":"' + raw + b'"}]}')
    assert got.parts is not None and (got.id, got.parts[0].text) == (text, text)


def test_invalid_bytes_in_data_read_as_replacements_and_escapes_stay_as_written() -> None:
    got = decode_record(b'{"parts":[{"k":"data","data":{"a":"\xff\\ud800"}}]}')
    assert got.parts is not None and got.parts[0].raw_data() == '{"a":"\ufffd\\ud800"}'


def test_a_line_with_invalid_text_loses_nothing_else() -> None:
    value = {
        "id": "i",
        "flags": ["nullable", "null", "x"],
        "usage": {"in": 3},
        "parts": [part("text", "null"), {"k": "data", "data": {"null": None}}],
        "dropped": [{"what": "null", "bytes": 1}],
    }
    got = decode_record(line(value)[:-1] + b',"label":"\xff","new":"\\ud800"}')
    assert (got.id, got.flags, got.label) == ("i", ["nullable", "null", "x"], "\ufffd")
    assert got.usage is not None and got.usage.in_ == 3
    assert got.parts is not None and (got.parts[0].text, got.parts[1].raw_data()) == ("null", '{"null":null}')
    assert got.dropped is not None and got.dropped[0].what == "null"


def test_a_null_in_a_list_reads_as_an_empty_item() -> None:
    got = decode_record(b'{"flags":["a",null],"parts":[null,{"k":"text"}],"dropped":[null]}')
    assert got.flags == ["a", ""]
    assert got.parts is not None and [p.k for p in got.parts] == ["", "text"]
    assert got.dropped is not None and got.dropped[0].what == ""


def test_a_header_with_invalid_text_reads() -> None:
    head = orjson.dumps(HEADER)[:-1] + b',"batch":"\xff"}'
    assert landed(file_of({"id": "a"}, head=head)).fault == ""


def test_of_a_key_that_stands_twice_the_last_counts() -> None:
    assert decode_record(b'{"id":"a","id":"b"}').id == "b"
    assert decode_record(b'{"id":"a","id":"b","label":"\xff"}').id == "b"


# --- a session's files by address


def load(maker: Maker, *, keep: bool = False) -> SessionData:
    data = SessionData(Storage(maker.path), maker.session, keep_records=keep)
    data.refresh()
    return data


def test_of_two_files_with_one_sequence_the_last_by_path_decides_the_digest(maker: Maker) -> None:
    maker.land({"id": "b"}, name="b-000001.sd", seq=1)
    maker.land({"id": "a"}, name="a-000001.sd", seq=1)
    last = load(maker).by_seq(1)
    assert last is not None and last.file.name == "b-000001.sd"
    assert load(maker).by_seq(2) is None


@pytest.mark.parametrize("keep", [True, False])
def test_records_by_address_are_the_same_kept_or_read_again(maker: Maker, keep: bool) -> None:
    records = [said(f"t{n}", time=clock(n), id=f"r{n}") for n in range(20)]
    maker.land(*records)
    maker.land(b'{"id":"x","label":"\xff"}', {"id": "y"})
    data = load(maker, keep=keep)
    assert [data.record(1, n + 1).id for n in range(20)] == [f"r{n}" for n in range(20)]  # type: ignore[union-attr]
    assert data.record(2, 1).label == "\ufffd" and data.record(2, 2).id == "y"  # type: ignore[union-attr]
    data.forget_records()
    assert data.record(1, 20).id == "r19"  # type: ignore[union-attr]


def test_refresh_reads_only_what_is_new_and_drops_what_is_gone(maker: Maker) -> None:
    maker.land({"id": "a", "time": clock(1)})
    data = load(maker)
    maker.land({"id": "b", "time": clock(2)})
    assert [new.file.seq for new in data.refresh()] == [2]
    assert data.refresh() == []
    assert data.record(2, 1).id == "b"  # type: ignore[union-attr]
    maker.files[1].unlink()
    before = data.generation
    assert data.refresh() == [] and data.generation > before
    assert data.record(1, 1) is None and data.time(1, 1) == 0 and [f.file.seq for f in data.files] == [2]


def test_a_record_that_was_absent_is_found_once_it_landed(maker: Maker) -> None:
    maker.land({"id": "a"})
    data = load(maker)
    assert data.record(2, 1) is None
    maker.land({"id": "b"})
    data.refresh()
    assert data.record(2, 1).id == "b"  # type: ignore[union-attr]


def test_progress_counts_the_bytes_read(maker: Maker) -> None:
    maker.land({"id": "a"})
    maker.land({"id": "b"})
    sizes = [path.stat().st_size for path in maker.files.values()]
    seen: list[tuple[int, int]] = []
    SessionData(Storage(maker.path), maker.session).refresh(progress=lambda done, total: seen.append((done, total)))
    assert seen == [(sizes[0], sum(sizes)), (sum(sizes), sum(sizes))]


@pytest.mark.parametrize("change", [b"", b"short\n", b"{}\n"])
def test_a_record_of_a_file_that_was_cut_since_it_was_read_is_gone(maker: Maker, change: bytes) -> None:
    maker.land(*[{"id": f"r{n}"} for n in range(5)])
    data = load(maker)
    maker.files[1].write_bytes(change)
    assert data.record(1, 5) is None
    with pytest.raises(OSError):
        data.landed_line(1, 5)


def test_a_record_of_a_file_that_is_gone_since_it_was_read_is_none(maker: Maker) -> None:
    maker.land({"id": "a"})
    data = load(maker)
    maker.files[1].unlink()
    assert data.record(1, 1) is None
    with pytest.raises(OSError):
        data.landed_line(1, 1)


def test_a_landed_line_is_the_files_own_spelling(maker: Maker) -> None:
    odd = b'{ "id" : "\\u0041" ,"x":1.0 }'
    maker.land(odd, b'{"id":"\xff"}')
    data = load(maker)
    assert data.landed_line(1, 1) == odd.decode()
    assert data.landed_line(1, 2) == '{"id":"\ufffd"}'


def test_a_document_lists_a_refused_file_and_shows_nothing_of_it(maker: Maker) -> None:
    maker.land(data=file_of(said("lost", time=clock(1)), head=HEADER | {"schema": "sd/2", "kind": "novel"}))
    maker.round(node("talk/1", "talk", (1, 1)), node("m", "message.external", (1, 1), parent="talk/1"))
    document = maker.document()
    assert document["files"][0] | {"file": ""} == {
        "file": "", "format": "sd", "kind": "novel", "seq": 1, "round": None, "stream": "main", "run": None, "lines": 3,
        "bytes": maker.files[1].stat().st_size, "digest": sha(maker.files[1].read_bytes()), "from_time": None, "through_time": None,
    }  # fmt: skip
    assert document["talks"][0]["at"] == 0 and "text" not in document["talks"][0]["children"][0]
    assert document["summary"]["state"] == "verified"


def test_records_after_a_line_that_does_not_decode_are_not_there(maker: Maker) -> None:
    maker.land(data=file_of(said("one", time=clock(1)), b"broken", said("three", time=clock(3))))
    maker.round(*[node(f"m{row}", "message.external", (1, row)) for row in (1, 2, 3)])
    nodes = maker.nodes()
    assert nodes["m1"]["text"] == "one"
    assert all("text" not in nodes[f"m{row}"] and nodes[f"m{row}"]["at"] == 0 for row in (2, 3))


def test_json_of_a_record_shows_replaced_text(maker: Maker) -> None:
    maker.land(b'{"parts":[{"k":"text","text":"a\xff\\ud800","state":"available"}]}')
    maker.round(node("m", "message.external", (1, 1)))
    assert json.loads(maker.load().json())["loose"][0]["text"] == "a\ufffd\ufffd"
    assert record(part()) and maker.nodes()["m"]["state"] == "available"


def test_a_file_that_takes_over_a_sequence_later_gives_its_records(maker: Maker) -> None:
    maker.land({"id": "b"}, name="b-000001.sd", seq=1)
    data = load(maker)
    assert data.record(1, 1).id == "b"  # type: ignore[union-attr]
    maker.land({"id": "c"}, name="c-000001.sd", seq=1)
    data.refresh()
    assert data.record(1, 1).id == "c"  # type: ignore[union-attr]
    maker.files[1].unlink()
    data.refresh()
    assert data.record(1, 1).id == "b"  # type: ignore[union-attr]


@pytest.mark.parametrize("keep", [True, False])
def test_each_of_two_files_with_one_sequence_gives_its_own_records(maker: Maker, keep: bool) -> None:
    maker.land({"id": "a1"}, {"id": "a2"}, name="a-000001.sd", seq=1)
    maker.land({"id": "b1"}, name="b-000001.sd", seq=1)
    data = load(maker, keep=keep)
    assert [[data.record_in(found, row).id for row in range(1, found.count + 1)] for found in data.files] == [["a1", "a2"], ["b1"]]  # type: ignore[union-attr]
    assert [data.record(1, row).id for row in (1, 2)] == ["b1", "a2"]  # type: ignore[union-attr]


def test_rows_with_a_part_that_failed_are_known_without_their_records(maker: Maker) -> None:
    maker.land(
        record(part("result", failed=True)),
        record(part("call"), part("result", failed=True)),
        record(part("result", failed=False)),
        record(part("call")),
        record(),
    )
    data = load(maker)
    assert [data.failed(1, row) for row in range(7)] == [False, True, True, False, False, False, False]
    assert not data.failed(2, 1)


@pytest.mark.parametrize("keep", [True, False])
def test_records_are_kept_only_when_they_are_wanted(maker: Maker, keep: bool) -> None:
    maker.land({"id": "a"})
    data = load(maker, keep=keep)
    assert len(data.files[0].records) == keep
    data.forget_records()
    assert data.files[0].records == [] and data.record(1, 1).id == "a"  # type: ignore[union-attr]


def test_a_file_that_was_seen_before_it_was_whole_is_read_again(maker: Maker) -> None:
    maker.land({"id": "a", "time": clock(1)}, {"id": "b", "time": clock(2)})
    whole = maker.files[1].read_bytes()
    maker.files[1].write_bytes(whole[: whole.index(b'"b"')])
    data = load(maker)
    assert data.files[0].count == 1 and data.record(1, 2) is None
    assert data.refresh() == []
    maker.files[1].write_bytes(whole)
    assert [found.count for found in data.refresh()] == [2]
    assert data.record(1, 2).id == "b" and data.time(1, 2) and data.files[0].digest == sha(whole)  # type: ignore[union-attr]


def test_the_same_files_for_another_thread_give_the_same_answers(maker: Maker) -> None:
    maker.land({"id": "a", "time": clock(1)})
    data = load(maker)
    other = data.beside()
    assert other.record(1, 1).id == "a" and other.time(1, 1) == data.time(1, 1) and other.has(1, 1)  # type: ignore[union-attr]
    assert other.by_seq(1) is data.by_seq(1) and other.files == data.files and other.landed_line(1, 1) == data.landed_line(1, 1)


def test_a_large_file_has_the_same_digests() -> None:
    data = landed_bytes(HEADER, [{"id": "x" * 1000, "time": clock(n)} for n in range(3000)])
    found = landed(data)
    assert len(data) > 3_000_000 and (found.digest, found.closing_fault, found.count) == (sha(data), "", 3000)
    assert "digest mismatch" in landed(data.replace(b"xx", b"xy", 1)).closing_fault


# --- many lines at once, and read ahead


@pytest.mark.parametrize(
    "wrong",
    [
        (b'{"id":"x"} {"id":"y"}', b'{"id":', b'"z"}'),  # as many records as lines, but not one on each
        (b'{"id":', b'"z"}', b'{"id":"x"} {"id":"y"}'),
        (b'{"label":"a', b'b"}', b'{"id":"x"} {"id":"y"}'),
        (b"", b'{"id":"x"} {"id":"y"}'),
        (b'[{"id":"x"}', b'{"id":"y"}]'),
        (b'{"usage":{}', b',"id":"z"}', b'{"id":"x"} {"id":"y"}'),
    ],
)
@pytest.mark.parametrize("before", [0, 1, 255, 256, 300])
def test_every_record_stands_on_a_line_of_its_own(wrong: tuple[bytes, ...], before: int) -> None:
    first = [{"id": f"a{n}", "time": clock(n)} for n in range(before)]
    found = landed(file_of(*first, *wrong, *({"id": f"b{n}"} for n in range(600))))
    assert ids(found) == [one["id"] for one in first] and found.count == before
    assert found.fault.startswith(f"row {before + 1} does not decode")


def test_a_line_with_blanks_around_its_record_is_one_all_the_same() -> None:
    lines = [b'{"id":"a"}', b' {"id":"b"}', b'{"id":"c"} ', b'{"id":"d"}\r', {"id": "e", "label": b"\xff".decode("latin-1")}]
    found = landed(file_of(*lines))
    assert (ids(found), found.fault) == (["a", "b", "c", "d", "e"], "")


def test_failures_and_times_are_those_of_their_rows_in_a_long_file() -> None:
    records = [record(part("result", failed=n % 7 == 0), time=clock(n)) for n in range(900)]
    found = landed(landed_bytes(HEADER, records))
    assert found.failed == frozenset(range(1, 901, 7)) and found.count == len(found.times) == 900
    assert [time // 10**9 - found.times[0] // 10**9 for time in found.times] == list(range(900))


def _large(maker: Maker, count: int = 3) -> list[bytes]:
    for number in range(count):
        maker.land({"id": f"{number}", "label": "x" * 1_100_000})
    return [path.read_bytes() for path in maker.files.values()]


def test_large_files_are_read_once_whoever_reads_them(maker: Maker, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = _large(maker)
    opened: list[str] = []

    def counted(path: str) -> bytes:
        opened.append(path)
        return read_file(path)

    for module in ("ahead", "session"):
        monkeypatch.setattr(f"asz_core.sessiondata.{module}.read_file", counted)
    data = SessionData(Storage(maker.path), SESSION)
    ahead = data.read_ahead()
    assert ahead is not None
    found = data.read_new(ahead=ahead)
    assert [one.digest for one in found.landed] == [sha(data) for data in whole]
    assert sorted(opened) == sorted(map(str, maker.files.values()))
    data.take(found)
    assert data.read_ahead() is None, "only the first reading is worth it"


def test_a_file_that_cannot_be_read_ahead_is_read_when_its_turn_comes(maker: Maker) -> None:
    _large(maker, 2)
    first, second = maker.files.values()
    second.unlink()
    second.mkdir()
    ahead = ReadAhead(Storage(maker.path), SESSION)
    assert ahead.take(str(first)) == first.read_bytes()
    assert ahead.take(str(first)) is None, "once"
    assert ahead.take(str(second)) is None
    for session in ("../s0", "s1", ""):
        assert ReadAhead(Storage(maker.path), session).take(str(first)) is None
