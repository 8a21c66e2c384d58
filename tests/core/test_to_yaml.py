"""The YAML rendering: each row of the format's table of scalars, the indentation, and that the values read back."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from asz_core.document.to_yaml import to_yaml, yaml_chunks


def scalar(text: object) -> str:
    """What stands behind the key of a value that is not the document's last."""
    whole = to_yaml({"k": text, "z": 0}).decode()
    assert whole.startswith("k: ")
    assert whole.endswith("\nz: 0\n\n")
    return whole[3:-7]


def read(rendered: bytes) -> Any:
    """The values as a reader that shares no code with the emitter has them."""
    return YAML(typ="safe", pure=True).load(rendered.decode())


def same(one: object, other: object) -> bool:
    """Equal in values, types and the order of keys."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict) and isinstance(other, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return one == other


def assert_reads_back(document: dict[str, Any]) -> None:
    rendered = to_yaml(document)
    assert same(read(rendered), document), rendered


PLAIN = [
    "a", "two words", "yes", "No", "on", "off", "y", "n", "nan", "inf", "12:30:45", "1:2", "a#b", "a:b", ":a", "-a",
    "?a", "--", "-- a", "..", ". a", "a,b", "a[0]", "a{}", "a & b", "a*", "it's", 'say "x"', "50%", "a@b",
    "back\\slash", "<", "<<<", "==", "a=b", "(x)", "$x", "/a/b.c", "^", ";", "é", "日本", "\u00a0", "a\u00a0", "\ue000",
    "\ufffd", "\ufdd0", "truer", "tRUE", "nulls", "1.2.3", "1e", "e1", "0x", "0xg", "0o8", "0b2", "1-2", "2026-1",
    "2026-01-01x", "20260101T000000", "2026-01-01T1:2", "v1+idle=10m0s", "+", "+a", "-inf", "_", "_1", "x" * 5000,
    "5eed0001-0000-4000-8000-000000000001",
]  # fmt: skip

TYPED = [
    "true", "True", "TRUE", "false", "False", "FALSE", "null", "Null", "NULL", "~", "<<", "=", ".nan", ".NaN", ".NAN",
    ".inf", ".Inf", ".INF", "+.inf", "-.inf", "-.INF", "0", "7", "-1", "+1", "12", "1.0", "1.", ".5", "-.5", "+.5",
    "1e3", "1E-3", "1.5e+10", ".5e1", "1_000", "1_0.5_0", "007", "-08", "0x1F", "0XaB", "-0x1", "0x_1", "0o17", "0O7",
    "0b101", "0B1", "-0b1_0", "2026", "2026-01-02", "2026-1-2", "2026-99-99", "2026-01-02T03:04:05Z",
    "2026-01-02t03:04:05.678+01:00", "2026-01-02 03:04:05", "2026-1-2 3:4:5.6", "-_", "._", "9" * 400,
]  # fmt: skip

SINGLE = [
    "#a", ",a", "[a", "]", "{a}", "}", "&a", "*", "!a", "|", ">", "'", '"', "%", "@a", "`", " a", "a ", " ", "---",
    "--- a", "---a", "...", "...a", "?", "? a", "-", "- a", "a: b", "a:", ":", ": a", "a #b", "a #",
    '{"command":"ls"}', "'a'", "don't: 'x'", '["a": 1]',
]  # fmt: skip

DOUBLE = {
    "": '""',
    "a\tb": r'"a\tb"',
    "\0": r'"\0"',
    "\a\b\v\f\r\x1b": r'"\a\b\v\f\r\e"',
    "\x01": r'"\x01"',
    "\x1f": r'"\x1F"',
    "\x7f": r'"\x7F"',
    "\x80": r'"\x80"',
    "\x85": r'"\N"',
    "\x9f": r'"\x9F"',
    "\u2028\u2029": r'"\L\P"',
    "\ufeff": r'"\uFEFF"',
    "\ufffe\uffff": r'"\uFFFE\uFFFF"',
    "\U0001f600": r'"\U0001F600"',
    "\U0010ffff": r'"\U0010FFFF"',
    '"\\\x1b': r'"\"\\\e"',
    "é\x1b日": r'"é\e日"',
    "{\t": r'"{\t"',
    "".join(map(chr, range(1, 9))): r'"\x01\x02\x03\x04\x05\x06\a\b"',
    # More different specials than are replaced one after another.
    '"\\\t\n' + "".join(map(chr, range(0x10, 0x20))): r'"\"\\\t\n'
    + "".join(rf"\x{code:02X}" if code != 0x1B else r"\e" for code in range(0x10, 0x20))
    + '"',
    # Texts with a newline that no block can hold.
    "a\nb\x1b": r'"a\nb\e"',
    "a \nb": r'"a \nb"',
    "a\nb ": r'"a\nb "',
    "a\n \nb": r'"a\n \nb"',
    " \n": r'" \n"',
    "a\r\nb": r'"a\r\nb"',
    "\ud800": r'"\uD800"',
    "a\n\udfff": r'"a\n\uDFFF"',
}

BLOCK = {
    "a\nb": "|-\n    a\n    b",
    "a\nb\n": "|\n    a\n    b",
    "a\nb\n\n": "|+\n    a\n    b\n",
    "a\n": "|\n    a",
    "a\n\n\n": "|+\n    a\n\n",
    "a\n\nb": "|-\n    a\n\n    b",
    "a\n\n\n\nb": "|-\n    a\n\n\n\n    b",
    "a\n  b": "|-\n    a\n      b",
    "a\tb\n\tc": "|-\n    a\tb\n    \tc",
    "\ta\nb": "|-\n    \ta\n    b",
    "a: b\n# c\n- d": "|-\n    a: b\n    # c\n    - d",
    "---\n...\n": "|\n    ---\n    ...",
    "é\n日本": "|-\n    é\n    日本",
    # A first line that is empty or starts with a blank: the hint.
    "\n": "|4+\n",
    "\n\n": "|4+\n\n",
    "\na": "|4-\n\n    a",
    "\n\na\n": "|4\n\n\n    a",
    " a\nb": "|4-\n     a\n    b",
    "    a\n": "|4\n        a",
    " a\n\n": "|4+\n     a\n",
}


@pytest.mark.parametrize("text", PLAIN)
def test_plain(text: str) -> None:
    assert scalar(text) == text
    assert_reads_back({"k": text})


@pytest.mark.parametrize("text", TYPED)
def test_text_that_reads_as_another_type_is_double_quoted(text: str) -> None:
    assert scalar(text) == f'"{text}"'
    assert_reads_back({"k": text})


@pytest.mark.parametrize("text", SINGLE)
def test_single_quoted(text: str) -> None:
    assert scalar(text) == "'" + text.replace("'", "''") + "'"
    assert_reads_back({"k": text})


@pytest.mark.parametrize(("text", "expected"), DOUBLE.items())
def test_double_quoted(text: str, expected: str) -> None:
    assert scalar(text) == expected
    assert_reads_back({"k": text})


@pytest.mark.parametrize(("text", "expected"), BLOCK.items())
def test_block(text: str, expected: str) -> None:
    assert scalar(text) == expected
    assert_reads_back({"k": text, "z": 0})
    # The document's own empty line must not become part of a last text.
    assert_reads_back({"k": text})
    assert_reads_back({"a": [{"b": [text]}]})


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, "null"),
        (True, "true"),
        (False, "false"),
        (0, "0"),
        (1, "1"),
        (-7, "-7"),
        (2**64 - 1, "18446744073709551615"),
        (-(2**63), "-9223372036854775808"),
        (10**400, "1" + "0" * 400),
        (1.0, "1.0"),
        (100.0, "100.0"),
        (1.1, "1.1"),
        (1e300, "1e+300"),
        (5e-324, "5e-324"),
        (-0.0, "-0.0"),
        (math.inf, ".inf"),
        (-math.inf, "-.inf"),
        (math.nan, ".nan"),
        ({}, "{}"),
        ([], "[]"),
    ],
)
def test_other_scalars(value: object, expected: str) -> None:
    assert scalar(value) == expected
    if value == value:
        assert_reads_back({"k": value})


def test_numbers_that_are_equal_keep_their_types() -> None:
    document = {
        "a": [1, True, 1.0, 0, False, 0.0, -0.0, "1", "true"],
        "b": {"x": True, "y": 1},
        "c": {"x": 1, "y": 1.0},
    }
    assert to_yaml(document["b"]) == b"x: true\ny: 1\n\n"
    assert_reads_back(document)


def test_keys_follow_the_same_table() -> None:
    document = {
        "plain": 1,
        "": 2,
        "yes": 3,
        "12": 4,
        "a: b": 5,
        "x\ty": 6,
        "two\nlines": 7,
        "<<": 8,
        "it's": 9,
        "é": 10,
    }
    expected = (
        'plain: 1\n"": 2\nyes: 3\n"12": 4\n\'a: b\': 5\n"x\\ty": 6\n"two\\nlines": 7\n"<<": 8\nit\'s: 9\né: 10\n\n'
    )
    assert to_yaml(document).decode() == expected
    assert_reads_back(document)


def test_key_longer_than_a_reader_looks() -> None:
    key = "k" * 1500
    document = {"l": [{key: {"a": 1}, "b": {key: "x\ny", key + ":": [1]}}], key: 2}
    assert (
        f"    - ? {key}\n      :\n        a: 1\n      b:\n        ? {key}\n        : |-\n" in to_yaml(document).decode()
    )
    assert_reads_back(document)


def test_indentation() -> None:
    document = {
        "map": {"one": {"two": {"three": 3}}},
        "list": ["a", {"k": 1, "m": {"n": {"o": 1}}, "l": ["x", {"y": "1\n2"}]}, "b\nc", {}, [], {"e": [], "f": {}}],
        "node": {"ref": {"seq": 1, "row": 2}, "refs": [{"seq": 1, "row": 2, "block": 0}, {"seq": 1}], "t": "x\n\n y\n"},
        "nested": [["a", ["b", "c\nd"], {"k": [["e"]]}], [[{"f": "\ng", "h": 1}]]],
        "last": "a\n\n",
    }
    assert (
        to_yaml(document).decode()
        == """\
map:
    one:
        two:
            three: 3
list:
    - a
    - k: 1
      m:
        n:
            o: 1
      l:
        - x
        - y: |-
            1
            2
    - |-
      b
      c
    - {}
    - []
    - e: []
      f: {}
node:
    ref:
        seq: 1
        row: 2
    refs:
        - seq: 1
          row: 2
          block: 0
        - seq: 1
    t: |
        x

         y
nested:
    - - a
      - - b
        - |-
          c
          d
      - k:
            - - e
    - - - f: |2-

            g
          h: 1
last: "a\\n\\n"

"""
    )
    assert_reads_back(document)


def test_hint_counts_from_the_key_or_dash() -> None:
    assert (
        to_yaml({"l": [{"k": " a\nb"}, " a\nb"]})
        == b"l:\n    - k: |2-\n         a\n        b\n    - |2-\n       a\n      b\n\n"
    )


def test_small_mapping_with_a_late_other_value() -> None:
    document = {
        "a": {"x": 1, "y": 2, "z": "3"},
        "b": [{"x": 1, "y": {"z": 1}}, {"x": 1, "y": None}, {"x": 1, "y": True}],
    }
    assert_reads_back(document)
    assert to_yaml(document).startswith(b'a:\n    x: 1\n    y: 2\n    z: "3"\nb:\n    - x: 1\n      y:\n        z: 1\n')


def test_last_value_that_keeps_its_newlines() -> None:
    inner = {"k": "a\n\n"}
    document = {"z": 1, "l": [1, {"d": inner}]}
    assert to_yaml(document).endswith(b'k: "a\\n\\n"\n\n')
    assert document == {"z": 1, "l": [1, {"d": {"k": "a\n\n"}}]}
    assert type(inner["k"]) is str
    assert to_yaml({"k": "a\n"}) == b"k: |\n    a\n\n"
    assert to_yaml({"k": "\n"}) == b'k: "\\n"\n\n'


def test_empty_document() -> None:
    assert to_yaml({}) == b"{}\n\n"


def test_pieces() -> None:
    node = {
        "id": "call/1",
        "at": 1767225600000,
        "ref": {"seq": 1, "row": 2},
        "text": "words and words\n" * 20,
        "children": [],
    }
    document = {"talks": [node | {"id": f"talk/{n}", "children": [node] * 10} for n in range(200)], "unresolved": []}
    pieces = list(yaml_chunks(document))
    assert len(pieces) > 10
    assert max(map(len, pieces)) < 1 << 18
    assert b"".join(pieces) == to_yaml(document)
    assert_reads_back({"talks": document["talks"][:5]})


def test_more_texts_and_keys_than_are_remembered() -> None:
    document = {
        "texts": [f"text {n % 3000}" for n in range(6000)],
        "keys": {f"key{n}": n for n in range(2000)},
        "shapes": [{f"first{n}": {"a": n}} for n in range(1000)],
    }
    rendered = to_yaml(document).decode().split("\n")
    assert rendered[1:6001] == [f"    - text {n % 3000}" for n in range(6000)]
    assert rendered[6002:8002] == [f"    key{n}: {n}" for n in range(2000)]
    assert rendered[8003:10003:2] == [f"    - first{n}:" for n in range(1000)]
    assert rendered[8004:10003:2] == [f"        a: {n}" for n in range(1000)]


@pytest.mark.parametrize("value", [(1,), b"x", {1, 2}, object()])
def test_values_that_no_document_holds(value: object) -> None:
    with pytest.raises(TypeError):
        to_yaml({"a": [value]})
    with pytest.raises(TypeError):
        to_yaml({1: 2})  # type: ignore[dict-item]


@contextmanager
def deep_stack() -> Iterator[None]:
    """For the reader, which recurs; the emitter is called outside of it."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(50_000)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def nested(depth: int) -> dict[str, Any]:
    value: Any = "last\n\n"
    for level in range(depth):
        value = (
            [level, value]
            if level % 3 == 1
            else [[value]]
            if level % 3 == 2
            else {"k": " a\nb", "v": value, "w": {"x": 1}}
        )
    return {"attrs": value, "last": value}


def test_deep_nesting_reads_back() -> None:
    document = nested(120)
    rendered = to_yaml(document)
    with deep_stack():
        assert same(read(rendered), document)


def test_nesting_deeper_than_the_stack() -> None:
    value: Any = "end\n\n"
    depth = 4000
    for level in range(depth):
        value = {"k": value} if level % 2 else [value]
    rendered = to_yaml({"a": value}).decode()
    assert rendered.startswith("a:\n    k:\n        - k:\n            - k:\n                - k:\n")
    assert rendered.endswith('"end\\n\\n"\n\n')
    assert rendered.count("\n") == depth // 2 + 3


SPECIMENS = [*PLAIN, *TYPED, *SINGLE, *DOUBLE, *BLOCK]
LONE = "\ud800"
CHARACTERS = st.one_of(
    st.sampled_from(
        list(
            " \n\t:#-?'\"\\,[]{}&*!|>%@`~=<.+_0123456789eExob\r\0\x1b\x7f\x85\xa0\u2028\u2029\ufeff\ufffe\U0001f600aé日"
        )
    ),
    st.characters(exclude_categories=["Cs"]),
)
TEXTS = st.one_of(
    st.text(CHARACTERS, max_size=40),
    st.text(st.sampled_from(" \n\ta:#-"), max_size=12),
    st.text(st.sampled_from("0123456789_+-.eExob:T Z"), max_size=14),
    st.sampled_from([text for text in SPECIMENS if len(text) < 50 and LONE not in text and "\udfff" not in text]),
)
SCALARS = st.one_of(
    TEXTS, st.integers(-(2**63), 2**64 - 1), st.booleans(), st.none(), st.floats(allow_nan=False, allow_infinity=False)
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(TEXTS, inner, max_size=4)),
    max_leaves=12,
)


@settings(max_examples=600, deadline=None)
@given(st.lists(TEXTS, min_size=1, max_size=8))
@example(["a\n\t\nb", "\t\n", "\n\t", "a\n\t", "- \n", "\x85\n", "#\n#", "%\n", "a\n---\nb", "\n "])
def test_texts_read_back(texts: list[str]) -> None:
    assert_reads_back({"list": texts, "maps": [{"k": text, text: 1} for text in texts], "last": texts[-1]})


@settings(max_examples=400, deadline=None)
@given(st.dictionaries(TEXTS, VALUES, max_size=4))
def test_documents_read_back(document: dict[str, Any]) -> None:
    assert_reads_back(document)
    assert b"".join(yaml_chunks(document)) == to_yaml(document)
