"""JSON text as it stands in a file: decoding forgivingly, and re-indenting and compacting without touching a scalar's spelling."""

from __future__ import annotations

import json
import math
import re
from typing import Any

import msgspec
import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from asz_core.rawjson import MAX_DEPTH, compact, forgiving, indent, loads, text_of, tokens, valid_text, without_member
from asz_core.sessiondata import decode_record

SPACE = st.sampled_from([b"", b"", b" ", b"\n", b"\t \r"])
PIECE = st.sampled_from(
    [b"a", b"null", "é".encode(), "\U0001f600".encode(), b"\\n", b"\\\\", b'\\"', b"\\/", b"\\u00e9", b"\\ud83d\\ude00", b"\\uD83d", b"\\ude00", b"\\\\ud800", b"\xff", b"\xe2\x82", b"\x7f", b"<&>", b"{[,:]}"]
)  # fmt: skip
STRING = st.lists(PIECE, max_size=5).map(lambda pieces: b'"' + b"".join(pieces) + b'"')
SCALAR = (
    st.sampled_from(
        [b"0", b"-0", b"1.50", b"-1e3", b"2E+02", b"1e-7", b"123456789012345678901234567890", b"true", b"false", b"null"]
    )
    | STRING
)
KEY = st.sampled_from(
    [b'"a"', b'"b"', b'"\\u0061"', b'"null"', b'""', b'"raw"', b'"list"', b'"inner"', b'"plain"', b'"\xff"', b'"\\ud800"']
)


def spaced(parts: list[bytes], spaces: list[bytes]) -> bytes:
    """Tokens with white space before each."""
    return b"".join(spaces[at % len(spaces)] + part for at, part in enumerate(parts))


def array(items: list[bytes], spaces: list[bytes]) -> bytes:
    parts = [b"["]
    for at, item in enumerate(items):
        parts += [b",", item] if at else [item]
    return spaced([*parts, b"]"], spaces)


def mapping(members: list[tuple[bytes, bytes]], spaces: list[bytes]) -> bytes:
    parts = [b"{"]
    for at, (key, value) in enumerate(members):
        parts += ([b","] if at else []) + [key, b":", value]
    return spaced([*parts, b"}"], spaces)


SPACES = st.lists(SPACE, min_size=1, max_size=3)
JSON = st.recursive(
    SCALAR,
    lambda inner: st.builds(array, st.lists(inner, max_size=4), SPACES) | st.builds(mapping, st.lists(st.tuples(KEY, inner), max_size=4), SPACES),
    max_leaves=12,
)  # fmt: skip
OBJECT = st.builds(mapping, st.lists(st.tuples(KEY, JSON), max_size=6), SPACES)

LONE = re.compile("[\ud800-\udfff]")


def refuse_constant(name: str) -> None:
    raise ValueError(name)


def reference(raw: bytes) -> Any:
    """What Python's own decoder reads, with invalid bytes and lone surrogates as U+FFFD and numbers as floats."""
    text = "".join(text_of(raw))
    return plain(json.loads(text, parse_int=float, parse_constant=refuse_constant, object_pairs_hook=last_wins))


def last_wins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    return {LONE.sub("\ufffd", key): value for key, value in pairs}


def plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {plain(key): plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, str):
        return LONE.sub("\ufffd", value)
    return float(value) if type(value) is int else value


# --- text


@given(st.binary(max_size=30))
def test_each_byte_that_is_no_part_of_valid_utf8_reads_as_one_replacement(raw: bytes) -> None:
    text = text_of(raw)
    valid = raw.decode("utf-8", "ignore")
    assert text.replace("\ufffd", "") == valid.replace("\ufffd", "")
    lost = len(raw) - len(valid.encode())
    assert text.count("\ufffd") == lost + valid.count("\ufffd")


@given(st.lists(PIECE, max_size=8).map(b"".join))
def test_valid_text_is_valid_and_valid_text_stays(raw: bytes) -> None:
    once = valid_text(raw)
    assert (once.decode() and valid_text(once) == once) or not raw
    assert not re.search(rb"(?<!\\)(?:\\\\)*\\ud8[0-9a-f]{2}(?!\\ud[c-f])", once)


# --- loads


@settings(max_examples=250, deadline=None)
@given(JSON)
def test_loads_reads_what_a_plain_decoder_reads(raw: bytes) -> None:
    assert plain(loads(raw)) == reference(raw)
    assert plain(loads(text_of(raw))) == reference(raw)


@settings(max_examples=250, deadline=None)
@given(
    JSON,
    st.integers(0, 60),
    st.sampled_from([b"", b",", b"]", b"}", b":", b'"', b"1", b"x", b"[", b"\\", b"\x01", b"null", b"-", b"."]),
    st.booleans(),
)
def test_loads_refuses_exactly_what_is_no_json(raw: bytes, at: int, piece: bytes, cut: bool) -> None:
    at = min(at, len(raw))
    damaged = raw[:at] + piece + raw[at + cut :]
    try:
        wanted = reference(damaged)
    except ValueError:
        with pytest.raises(ValueError):
            loads(damaged)
    else:
        assert plain(loads(damaged)) == wanted


@pytest.mark.parametrize(
    "raw",
    [
        b"[1,]",
        b"{,}",
        b'{"a"}',
        b'{"a":}',
        b'{"a":1,}',
        b"[,1]",
        b"[1 2]",
        b"{1:2}",
        b"]",
        b"[}",
        b"{]",
        b"",
        b"  ",
        b'"',
        b'"a',
        b"01",
        b"+1",
        b".5",
        b"1.",
        b"tru",
        b"nulll",
        b"NaN",
        b"Infinity",
        b"[1]]",
        b"1 1",
        b'{"a":1 "b":2}',
        b'"\\x"',
        b'"\\u12g4"',
        b'"\t"',
        b"'a'",
        b"\x00",
        b"[1:2]",
        b'{"a",1}',
        b"\xef\xbb\xbf1",
    ],
)
def test_loads_refuses(raw: bytes) -> None:
    # A lone surrogate somewhere sends the text down the slow path; it must refuse the same.
    for text in (raw, b'["\\ud800",' + raw + b"]"):
        with pytest.raises(ValueError):
            loads(text)


def test_a_number_beyond_a_double_is_an_infinity() -> None:
    assert loads(b"[1e999,-1e999,1]") == [math.inf, -math.inf, 1]
    assert loads(b'{"a":1e400}') == {"a": math.inf}


@pytest.mark.parametrize("depth", [900, 1023, 1024, 1025, 5000, MAX_DEPTH])
def test_nesting_is_borne_to_the_limit(depth: int) -> None:
    value = loads(b"[" * depth + b"]" * depth)
    for _ in range(depth - 1):
        (value,) = value
    assert value == []
    value = loads(b'{"a":' * (depth - 1) + b"{}" + b"}" * (depth - 1))
    for _ in range(depth - 1):
        value = value["a"]
    assert value == {}


@pytest.mark.parametrize("depth", [MAX_DEPTH + 1, 200_000])
def test_deeper_nesting_is_refused(depth: int) -> None:
    for text in (b"[" * depth + b"]" * depth, b"[" * depth, b'{"a":' * depth + b"1" + b"}" * depth):
        with pytest.raises(ValueError):
            loads(text)


# --- indent and compact


@settings(max_examples=150, deadline=None)
@given(JSON)
def test_indent_and_compact_change_white_space_only(raw: bytes) -> None:
    raw = valid_utf8(raw)
    words = [raw[start:end] for _, start, end in tokens(raw)]
    for made in (indent(raw), compact(raw)):
        assert [made[start:end] for _, start, end in tokens(made)] == words
        assert plain(loads(made)) == reference(raw)
    assert compact(indent(raw)) == compact(raw) == b"".join(words)
    assert indent(compact(raw)) == indent(raw)


def valid_utf8(raw: bytes) -> bytes:
    return text_of(raw).encode()


@settings(max_examples=150, deadline=None)
@given(JSON)
def test_indent_and_compact_are_what_the_fast_formatter_gives(raw: bytes) -> None:
    raw = valid_text(raw)
    assert indent(raw) == msgspec.json.format(raw, indent=2)
    assert compact(raw) == msgspec.json.format(raw, indent=-1)


@given(JSON)
def test_indent_is_what_python_prints(raw: bytes) -> None:
    value = reference(raw)
    text = json.dumps(value, ensure_ascii=False)
    assert indent(text.encode()).decode() == json.dumps(value, ensure_ascii=False, indent=2)
    assert compact(text.encode()).decode() == json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def test_indent_starts_at_a_level() -> None:
    assert indent(b'{"a":[1,{}],"b":[]}', 2) == b'{\n      "a": [\n        1,\n        {}\n      ],\n      "b": []\n    }'


def test_deep_nesting_is_indented_and_compacted() -> None:
    raw = b"[" * 5000 + b"1.50" + b"]" * 5000
    assert compact(indent(raw)) == raw
    assert indent(raw).count(b"\n") == 10_000


# --- tokens


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (b'{"a', "unexpected end of JSON input"),
        (b'["a\\"', "unexpected end of JSON input"),
        (b'"a\x01"', "not JSON at byte 0"),
        (b"[ nul]", "not JSON at byte 1"),
        (b"1.", "not JSON at byte 0"),
    ],
)
def test_a_token_that_is_none_is_told(raw: bytes, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        list(tokens(raw))


def test_tokens_of_white_space_are_none() -> None:
    assert list(tokens(b" \t\r\n ")) == []


# --- forgiving

SHAPE: dict[str, Any] = {
    "a": "plain",
    "plain": "plain",
    "raw": "raw",
    "inner": {"a": "plain", "raw": "raw"},
    "list": [{"b": "plain", "raw": "raw"}],
}


def expected(value: Any, shape: Any) -> Any:
    """What is left of a value: known keys, no nulls, raw values as they are."""
    if shape == "raw":
        return value
    if isinstance(shape, dict) and isinstance(value, dict):
        return {
            key: expected(item, shape[key])
            for key, item in value.items()
            if key in shape and (item is not None or shape[key] == "raw")
        }
    if isinstance(shape, list) and isinstance(value, list):
        return [{} if item is None else expected(item, shape[0]) for item in value]
    if shape == "plain" and isinstance(value, list):
        return without_nulls(value)
    return value


def without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_nulls(item) for key, item in value.items()}
    if isinstance(value, list):
        return [without_nulls(item) for item in value]
    return "" if value is None else value


def filled(value: Any, shape: Any, raws: list[bytes]) -> Any:
    """A rewritten value with its raw values put back."""
    if shape == "raw":
        return reference(raws[int(value)])
    if isinstance(shape, dict) and isinstance(value, dict):
        return {key: filled(item, shape[key], raws) for key, item in value.items()}
    if isinstance(shape, list) and isinstance(value, list):
        return [filled(item, shape[0], raws) for item in value]
    return plain(value)


@settings(max_examples=200, deadline=None)
@given(OBJECT)
def test_forgiving_keeps_known_keys_and_raw_values_to_the_byte(raw: bytes) -> None:
    rewritten, raws = forgiving(raw, SHAPE)
    assert filled(orjson.loads(rewritten), SHAPE, raws) == expected(reference(raw), SHAPE)
    whole = valid_utf8(raw)
    for one in raws:
        assert one in whole


@settings(max_examples=200, deadline=None)
@given(JSON)
def test_forgiving_takes_any_json_and_gives_what_a_strict_decoder_takes(raw: bytes) -> None:
    rewritten, _ = forgiving(raw, SHAPE)
    value = reference(raw)
    if isinstance(value, dict):
        assert isinstance(orjson.loads(rewritten), dict)
    else:
        assert plain(orjson.loads(rewritten)) == value


@pytest.mark.parametrize(
    "raw",
    [b"{", b'{"a":}', b"", b'{"a":1}}', b'{"a":"\x01"}', b"[" * 20_000 + b"]" * 20_000],
    ids=["open", "no value", "empty", "extra", "control", "too deep"],
)
def test_forgiving_refuses_what_is_no_json(raw: bytes) -> None:
    with pytest.raises(ValueError):
        forgiving(raw, SHAPE)


def test_forgiving_bears_deep_values_and_only_their_own_spelling_is_kept() -> None:
    deep = b"[" * 5000 + b' "\\ud800\xff" ' + b"]" * 5000
    rewritten, raws = forgiving(b'{"raw":' + deep + b',"new":' + deep + b',"a":1}', SHAPE)
    assert orjson.loads(rewritten) == {"raw": 0, "a": 1}
    assert raws == [deep.replace(b"\xff", "\ufffd".encode())]


def test_of_a_key_that_stands_twice_the_last_counts_and_null_takes_it_back() -> None:
    assert orjson.loads(forgiving(b'{"a":1,"a":2}', SHAPE)[0]) == {"a": 2}
    assert orjson.loads(forgiving(b'{"a":1,"a":null}', SHAPE)[0]) == {}


@settings(max_examples=150, deadline=None)
@given(OBJECT.filter(lambda raw: loads(raw).get("a") is None or isinstance(loads(raw)["a"], str)))
def test_a_part_of_any_data_keeps_it(raw: bytes) -> None:
    for line in (
        b'{"parts":[{"data":' + raw.replace(b"\n", b" ") + b"}]}",
        b'{"parts":[{"data":' + raw.replace(b"\n", b" ") + b'}],"label":"\xff"}',
    ):
        got = decode_record(line)
        assert got.parts is not None and got.parts[0].raw_data() == text_of(raw.replace(b"\n", b" ").strip(b" \t\r"))


# --- without_member


@settings(max_examples=150, deadline=None)
@given(OBJECT)
def test_without_member_leaves_the_others_as_they_were(raw: bytes) -> None:
    raw = valid_utf8(raw).strip()
    made = without_member(raw, "a")
    value = reference(raw)
    value.pop("a", None)
    assert reference(made) == value


def test_without_member_keeps_spelling() -> None:
    assert without_member(b'{ "b" : 1.50 , "\\u0061":[1, 2] ,"c":{ "a":1 } }', "a") == b'{"b" : 1.50,"c":{ "a":1 }}'
    assert without_member(b'{"a":1}', "a") == b"{}"
    assert without_member(b"{}", "a") == b"{}"
