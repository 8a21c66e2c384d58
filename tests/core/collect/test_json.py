"""Reading JSON the specification's way (§5), in both readers."""

from __future__ import annotations

import json
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from asz_core.collect.convert import record_line
from asz_core.collect.payload import Canonical, Walked, read
from asz_core.collect.shapes import MESSAGE, RECORD, object_of
from asz_core.collect.sources import source_at
from tests.core.collect.helpers import MAIN

SOURCE = source_at(MAIN)
assert SOURCE is not None


@pytest.mark.parametrize(
    "text",
    [b"", b" ", b"NaN", b"01", b"1.", b"-", b"[1,]", b'{"a":1,}', b'{"a" 1}', b"[1 2]", b'"\n"', b'"\\x"', b'"\\u12"', b"1 2", b"{} x",
     b"\xef\xbb\xbf{}", b"//\n1", b"[" * 10_001 + b"]" * 10_001, b"]", b"{1:2}", b'{"a":}', b"[,1]", b"tru", b'"a', b"{\"a\":1]"],
)  # fmt: skip
def test_what_is_no_json(text: bytes) -> None:
    with pytest.raises(ValueError):
        read(text)


@pytest.mark.parametrize(
    "text",
    [b" 1 ", b"1E+400", b"-0", b'"\xff"', b'"\\ud800"', b"[" * 10_000 + b"]" * 10_000, b'{"a":1,"a":2}', b"{}", b"[ ]", b'"\\/"'],
)
def test_what_is(text: bytes) -> None:
    assert read(text)


@pytest.mark.parametrize(
    ("token", "text"),
    [
        (b'"\\ud83d\\u0041"', "\ufffdA"),
        (b'"\\ud83d\\ud83d\\ude00"', "\ufffd\U0001f600"),
        (b'"\\\\ud800"', "\\ud800"),
        (b'"\xe2\x82"', "\ufffd\ufffd"),
        (b'"\xed\xa0\x80"', "\ufffd\ufffd\ufffd"),
        (b'"\xc0\x80"', "\ufffd\ufffd"),
        (b'"\xf4\x90\x80\x80"', "\ufffd\ufffd\ufffd\ufffd"),
    ],
)
def test_texts(token: bytes, text: str) -> None:
    payload = Walked(token)
    assert payload.plain(payload.top) == text


def _taken(text: bytes, shape: Any = RECORD) -> tuple[dict[str, Any], bool]:
    payload = read(text)
    return object_of(payload, payload.top, shape)


def test_keys_without_regard_to_case() -> None:
    assert _taken('{"UUID":"a","\\u0074ype":"user","pro\u017f":"x","i\u017fMeta":true}'.encode())[0] == {
        "uuid": "a",
        "type": "user",
        "isMeta": True,
    }
    assert _taken('{"CONTENT":1,"u\u017fage":{"INPUT_TO\u212aENS":5}}'.encode(), MESSAGE) == (
        {"content": 1, "usage": {"input_tokens": 5}},
        True,
    )


def test_keys_that_stand_twice() -> None:
    text = b'{"uuid":"a","uuid":null,"message":{"id":"1","usage":{"input_tokens":1}},"message":{"model":"m","usage":{"output_tokens":2}}}'
    assert _taken(text)[0] == {"uuid": "a", "message": {"id": "1", "model": "m", "usage": {"input_tokens": 1, "output_tokens": 2}}}
    assert _taken(b'{"usage":{"input_tokens":1},"usage":null}', MESSAGE) == ({}, True)
    assert _taken(b'{"type":"a","TYPE":"b"}')[0] == {"type": "b"}


@pytest.mark.parametrize("value", ["1.0", "1e2", '"5"', "9223372036854775808", "true", "[]"])
def test_what_is_no_integer(value: str) -> None:
    for text in (f'{{"usage":{{"input_tokens":{value}}}}}', f'{{ "usage":{{"input_tokens":{value}}}}}'):
        assert not _taken(text.encode(), MESSAGE)[1]


def test_true_is_no_number_and_a_number_no_text() -> None:
    assert not _taken(b'{"isMeta":1}')[1]
    assert not _taken(b'{"uuid":1}')[1]
    assert _taken(b'{"usage":{"input_tokens":-5,"output_tokens":-0}}', MESSAGE)[1]
    assert _taken(b"null") == ({}, True)
    assert not _taken(b"[]")[1]


_SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.text(max_size=6)
    | st.floats(allow_nan=False, allow_infinity=False)
)
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "text", "content", "id", "usage", "input", "tool_use_id", "filePath", "Text", "x"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)
_RECORDS = st.fixed_dictionaries(
    {"type": st.sampled_from(["user", "assistant", "system", "attachment"])},
    optional={
        "message": st.fixed_dictionaries({}, optional={"content": _VALUES, "id": _VALUES, "usage": _VALUES}),
        "toolUseResult": _VALUES,
        "attachment": _VALUES,
    },
)


@given(_RECORDS)
def test_both_readers_agree(record: dict[str, Any]) -> None:
    text = orjson.dumps(record)
    payload, walked = read(text), Walked(text)
    assert isinstance(payload, Canonical)
    spaced = json.dumps(record).encode()
    assert walked.data(walked.top) == payload.data(payload.top)
    line = record_line(text, 1, 0, SOURCE)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("asz_core.collect.convert.read", Walked)
        assert record_line(text, 1, 0, SOURCE) == line
        assert orjson.loads(record_line(spaced, 1, 0, SOURCE))
