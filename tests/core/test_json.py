"""The document as JSON (formats.md sections 5 and 6): escapes, indentation, the compact form."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET

from asz_core.document import to_json as module
from asz_core.document.model import Document, Head, Summary, ViewNode
from asz_core.document.to_json import json_chunks, to_compact_json, to_json
from tests.core.helpers import Maker, node, part, record, said


def document_of(text: str) -> Document:
    """A document whose one node shows a text."""
    summary = Summary("", "verified", [], 0, 0, 0, 0, 0, 0, *[UNSET] * 4, 0, 0, {}, {}, {})
    return Document(
        "asz.view", "1.0", "c", [], Head(1, "d"), "p", "q", summary, [], [], [], [], [ViewNode("n", "talk", text=text)], [], [], []
    )


@pytest.mark.parametrize(
    ("text", "indented", "compact"),
    [
        ("<", "\\u003c", "<"),
        (">", "\\u003e", ">"),
        ("&", "\\u0026", "&"),
        ("\u2028", "\\u2028", "\\u2028"),
        ("\u2029", "\\u2029", "\\u2029"),
        ("\b", "\\b", "\\b"),
        ("\f", "\\f", "\\f"),
        ("\n", "\\n", "\\n"),
        ("\r", "\\r", "\\r"),
        ("\t", "\\t", "\\t"),
        ("\0", "\\u0000", "\\u0000"),
        ("\x0b", "\\u000b", "\\u000b"),
        ("\x1f", "\\u001f", "\\u001f"),
        ("\x7f", "\x7f", "\x7f"),
        ("\x85", "\x85", "\x85"),
        ('"', '\\"', '\\"'),
        ("\\", "\\\\", "\\\\"),
        ("/", "/", "/"),
        ("é€\U0001f600\ufeff\ufffe", "é€\U0001f600\ufeff\ufffe", "é€\U0001f600\ufeff\ufffe"),
        ("</script>", "\\u003c/script\\u003e", "</script>"),
    ],
)
def test_texts_are_escaped(text: str, indented: str, compact: str) -> None:
    assert f'"text": "{indented}"\n'.encode() in to_json(document_of(text))
    assert f'"text":"{compact}"'.encode() in to_compact_json(document_of(text))


@settings(max_examples=200, deadline=None)
@given(st.text())
def test_any_text_reads_back(text: str) -> None:
    for made in (to_json(document_of(text)), to_compact_json(document_of(text))):
        assert json.loads(made)["talks"][0].get("text", "") == text
    assert not set("<>&\u2028\u2029") & set(to_json(document_of(text)).decode())
    assert not set("\u2028\u2029") & set(to_compact_json(document_of(text)).decode())


def test_the_document_is_indented_by_two_and_ends_with_one_newline(maker: Maker) -> None:
    maker.land(said("x"))
    maker.round(node("talk/1", "talk", (1, 1), attrs={"a": [], "b": {}, "c": [1, {"d": 2}]}))
    made = maker.load().json()
    assert made == (json.dumps(json.loads(made), indent=2, ensure_ascii=False) + "\n").encode()
    assert (
        made.startswith(b'{\n  "format": "asz.view",\n  "version": "1.0",\n')
        and made.endswith(b"}\n")
        and not made.endswith(b"\n\n")
    )


def test_the_compact_document_is_one_line_without_spaces(maker: Maker) -> None:
    maker.land(said("a: b, <&>"))
    maker.raw_round(
        b'{"t":"node","revision":1,"id":"n","kind":"message.external","ref":{"seq":1,"row":1},"attrs":{ "a" : [ 1 , 2 ] , "b":"< x" }}',
        counts=(1, 0, 0),
    )
    made = maker.load().json(compact=True)
    assert b"\n" not in made and b'"attrs":{"a":[1,2],"b":"< x"}' in made and b'"text":"a: b, <&>"' in made
    assert json.loads(made) == maker.document()


def test_attrs_keep_their_own_escapes_and_numbers_and_get_the_others(maker: Maker) -> None:
    raw = '{"k":"\\u00e9\\/\\u003c<&\u2028\\ud83d\\ude00","n":[1.0,1e5,-0,0.10]}'
    maker.raw_round(b'{"t":"node","revision":1,"id":"n","kind":"tool","attrs":' + raw.encode() + b"}", counts=(1, 0, 0))
    made = maker.load().json()
    assert b'"k": "\\u00e9\\/\\u003c\\u003c\\u0026\\u2028\\ud83d\\ude00"' in made
    assert b"1.0,\n" in made and b"1e5,\n" in made and b"-0,\n" in made and b"0.10\n" in made
    assert b'"k":"\\u00e9\\/\\u003c<&\\u2028\\ud83d\\ude00"' in maker.load().json(compact=True)


@pytest.mark.parametrize(
    "raw",
    [b'{"k":"\\ud800"}', b'{"k":' + b"[" * 3000 + b"]" * 3000 + b"}", b'{"k":1e999}', b'{"\\udc00":1,"a":"<"}'],
    ids=["lone", "deep", "huge", "lone key"],
)
def test_attrs_that_the_fast_formatter_refuses_are_written_the_same_way(maker: Maker, raw: bytes) -> None:
    maker.land(record(part(text="<text>")))
    maker.raw_round(
        b'{"t":"node","revision":1,"id":"n","kind":"message.external","ref":{"seq":1,"row":1},"attrs":' + raw + b"}",
        counts=(1, 0, 0),
    )
    conversation = maker.load()
    made, compact = conversation.json(), conversation.json(compact=True)
    assert b"\n" not in compact and b'"attrs":' + raw in compact
    assert made.endswith(b"}\n") and b'"text": "\\u003ctext\\u003e"' in made and b"<" not in made
    squeezed = b"".join(line.strip() for line in made.splitlines()).replace(b": ", b":")
    assert squeezed == compact.replace(b"<", b"\\u003c").replace(b">", b"\\u003e").replace(b": ", b":")
    assert b"".join(conversation.yaml()).startswith(b"format: asz.view\n")


@pytest.mark.parametrize("size", [1, 300, 1 << 16])
def test_the_pieces_are_the_whole(maker: Maker, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(module, "_PIECE", size)
    maker.land(*[said(f"<{number}> & \u2028") for number in range(1, 30)])
    maker.round(*[node(f"talk/{number}", "talk", (1, number), attrs={"a": [], "b": {}}) for number in range(1, 30)])
    document = maker.load().document()
    pieces = list(json_chunks(document))
    assert b"".join(pieces) == to_json(document)
    assert len(pieces) > 40


@settings(max_examples=100, deadline=None)
@given(st.text())
def test_the_pieces_of_any_text_are_the_whole(text: str) -> None:
    assert b"".join(json_chunks(document_of(text))) == to_json(document_of(text))
