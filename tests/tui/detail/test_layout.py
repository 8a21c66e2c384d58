"""Markdown, JSON and diffs on their own: what is laid out, that nothing is lost, and that large texts stay cheap."""

from __future__ import annotations

import json
import re
import time

from hypothesis import given
from hypothesis import strategies as st

from asz_tui.lines.text_rows import Block, TextRows
from asz_tui.panes.detail.inputs import input_items, unified
from asz_tui.panes.detail.jsontext import PRETTY, json_block, members
from asz_tui.panes.detail.markdown import LIMIT, markdown
from asz_tui.panes.detail.plain import plain


def spans(text: str) -> list[tuple[str, str]]:
    return [span for block in markdown(text) if not isinstance(block.text, str) for span in block.text]


def test_markdown_styles() -> None:
    found = spans("## A *b*\n**strong** `code` _em_ [said](http://x.y/z) https://bare.org/1 plain")
    for span in (
        ("## ", "dim"), ("A ", "title"), ("*b*", "title em"), ("strong", "title"), ("`code`", "code"), ("_em_", "text em"),
        ("said", "accent"),
        (" (http://x.y/z)", "dim"), ("https://bare.org/1", "accent"), (" plain", "text"),
    ):  # fmt: skip
        assert span in found


def test_words_that_only_look_like_markdown() -> None:
    for text in ("snake_case_name __init__.py 2 * 3 * 4 a*b*c", "C:\\*temp\\[x]", "[bold]markup[/bold] <b>html</b>", "#tag 5. x"):
        assert plain(markdown(text), 80) == f"{text}\n"


def test_lists_quotes_code_and_rules() -> None:
    text = "- one\n  - two\n3. three\n> said **so**\n> > deeper\n---\n```py\n*x* = `1`\n```\n```diff\n+a\n```"
    assert plain(markdown(text), 40) == (
        "•  one\n  •  two\n3.  three\n│ said so\n│ │ deeper\n" + "─" * 24 + "\n  py\n  *x* = `1`\n  diff\n  +a\n"
    )


def test_items_hang() -> None:
    assert plain(markdown("- aaa bbb ccc ddd"), 12) == "•  aaa bbb\n   ccc ddd\n"


def test_tables_are_aligned() -> None:
    text = "| name | size |\n|:---|---:|\n| a | 1 |\n| 中文 | 1234 |\nafter"
    assert plain(markdown(text), 40) == "name │ size\n─────┼─────\na    │    1\n中文 │ 1234\nafter\n"


def test_a_fence_that_never_closes() -> None:
    assert plain(markdown("```\nx = 1\n\n# y"), 40) == "  x = 1\n\n  # y\n"


@given(st.text(alphabet="ab1_*`#>-+~[]()!\\. \n", max_size=120))
def test_markdown_loses_no_word(text: str) -> None:
    dense = re.sub(r"[^ab1]", "", text)
    assert re.sub(r"[^ab1]", "", plain(markdown(text), 37)) == dense


@given(st.text(max_size=60).map(lambda text: f"**{text}** | `{text}`\n|-|-|\n{text}|{text}"))
def test_markdown_of_anything_is_safe(text: str) -> None:
    shown = plain(markdown(text), 30)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200b]", shown)


# --- inputs


def test_fields_short_first_and_escapes_decoded() -> None:
    text = json.dumps({"long": "first line\nsecond", "command": "a -> b", "n": 3, "deep": {"a": [1]}}).replace("->", "-\\u003e")
    assert plain(input_items(text), 60) == (
        'command  a -> b\nn        3\ndeep     {"a": [1]}\nlong\n  first line\n  second\n'
    )


def test_numbers_keep_their_spelling() -> None:
    assert plain(input_items('{"a":1.50,"b":1e2,"c":"","d":null}'), 40) == 'a  1.50\nb  1e2\nc  ""\nd  null\n'


def test_a_key_too_long_for_its_column_is_whole() -> None:
    key = "k" * 70
    assert key in re.sub(r"\s", "", plain(input_items(json.dumps({key: "v", "a": "b"})), 30))


def test_what_is_no_object_stays_raw() -> None:
    for text in ("*** Begin Patch", '{"a": ', "17", ""):
        assert plain(input_items(text), 40).strip() == text.strip()
    assert plain(input_items("[1]"), 40) == "[\n  1\n]\n"
    assert "no fields" in plain(input_items("{}"), 40)


def test_repeated_keys_are_all_shown() -> None:
    assert [member.key for member in members('{"a":1,"a":2}') or ()] == ["a", "a"]


def test_edits_are_one_diff() -> None:
    text = json.dumps({"new_string": "a\nB\nc", "file_path": "x.py", "old_string": "a\nb\nc"})
    items = input_items(text)
    assert plain(items, 60) == "file_path  x.py\nold_string → new_string\n   a\n  -b\n  +B\n   c\n"
    assert any(isinstance(item, Block) and item.kind == "diff" for item in items)


def test_several_edits() -> None:
    text = json.dumps({"edits": [{"old_string": "a", "new_string": "b"}, {"old_string": "c", "new_string": ""}]})
    shown = plain(input_items(text), 60)
    assert "edit 1 of 2" in shown and "-a" in shown and "+b" in shown and "edit 2 of 2" in shown and "-c" in shown


@given(st.lists(st.sampled_from("abc\n"), max_size=20).map("".join), st.lists(st.sampled_from("abc\n"), max_size=20).map("".join))
def test_a_diff_holds_both_sides(old: str, new: str) -> None:
    lines = unified(old, new).split("\n") if old or new else []
    assert [line[1:] for line in lines if line[:1] in " -"] == (old.split("\n") if old else [])
    assert [line[1:] for line in lines if line[:1] in " +"] == (new.split("\n") if new else [])


def test_a_change_of_line_ends_is_seen() -> None:
    assert "-a␍" in unified("a\r\nb", "a\nb")


# --- size


def quickly(make, seconds: float = 20.0):
    begin = time.perf_counter()
    made = make()
    assert time.perf_counter() - begin < seconds
    return made


def test_large_texts_are_cheap_and_whole() -> None:
    big = json.dumps({"content": "x y\n" * 5_000_000})
    block = quickly(lambda: input_items(big))[-1]
    assert block.text == big, "above the limit it stands as it is"
    dense = "[" + ",".join(['{"a":[1]}'] * 300_000) + "]"
    block = quickly(lambda: json_block(dense))
    rows = TextRows([block], 80)
    quickly(lambda: rows.ensure(100))
    assert len(dense) < PRETTY and len(rows) == 100
    assert quickly(lambda: members('{"a":' + dense + "}")) is None


def test_a_long_message_stands_as_it_is() -> None:
    text = "**a** " * LIMIT
    assert [block.text for block in quickly(lambda: markdown(text))] == [text]


def test_hostile_markdown_is_linear() -> None:
    for sign in ("*", "_", "`", "[", ">", "|", "#", "-", "~", "\\"):
        for text in (sign * LIMIT, f"{sign}a " * (LIMIT // 3), f"{sign}a\n" * (LIMIT // 6)):
            quickly(lambda text=text: markdown(text), 5.0)
    quickly(lambda: markdown("```" + "a" * (LIMIT - 10) + "`"))


def test_deep_json() -> None:
    rows = TextRows([json_block("[" * 3000 + "]" * 3000)], 80)
    quickly(rows.finish, 5.0)
