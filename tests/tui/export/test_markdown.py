"""Markdown: every text is there whole, nothing of the data is anything but text, links lead to anchors that exist."""

from __future__ import annotations

import re
from collections import Counter
from datetime import UTC

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from asz_core.document.texts import part_text
from asz_tui.export import export
from asz_tui.export.escape import blocks, code, fenced, inline, legible, quoted
from asz_tui.panes.detail.subject import Shared, Subject
from tests.tui.export.conftest import CASES, opened_case

_MD = MarkdownIt("commonmark").enable(["table", "strikethrough"])
_OURS = re.compile(r"Talk( \d+)?( · .*)?|Steps|Outside any talk|References without a resolution", re.DOTALL)
_ACTS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def made(opened, what=None) -> str:
    return b"".join(export(opened, what, "markdown", UTC)).decode()


def paragraph(token) -> str:
    """What a paragraph says; only literal text and line breaks are allowed in one."""
    kinds = {child.type for child in token.children}
    assert kinds <= {"text", "hardbreak"}, (kinds, token.content)
    return "".join("\n" if child.type == "hardbreak" else child.content for child in token.children)


def held_texts(markdown: str) -> Counter[str]:
    """The texts that fences and quotes hold."""
    found: Counter[str] = Counter()
    quote: list[str] | None = None
    for token in _MD.parse(markdown):
        if token.type == "blockquote_open":
            assert quote is None, "a quote in a quote"
            quote = []
        elif token.type == "blockquote_close":
            found["\n\n".join(quote)] += 1
            quote = None
        elif token.type == "fence":
            assert token.content.endswith("\n")
            if quote is None:
                found[token.content[:-1]] += 1
            else:
                quote.append(token.content[:-1])
        elif token.type == "inline" and quote is not None:
            quote.append(paragraph(token))
        else:
            assert token.type not in ("html_block", "code_block", "hr"), token
            if quote is not None:
                assert token.type in ("paragraph_open", "paragraph_close"), token
    return found


def expected_texts(opened) -> list[str]:
    """Every text of every node, whole."""
    shared = Shared(opened, UTC)
    found = []
    for tree in opened.trees:
        for node in tree.nodes:
            if node.kind in ("talk", "run", "llm.call"):
                continue
            subject = Subject(shared, node)
            if node.kind == "turn.duration" and subject.view.duration_ms:
                continue
            results = [part_text(part) for _, part in subject.results() if part is not None]
            found += [text for text in (subject.said, subject.text if subject.text != subject.said else "", *results) if text]
    return found


def headings(markdown: str) -> list[tuple[str, str]]:
    tokens = _MD.parse(markdown)
    found = []
    for at, token in enumerate(tokens):
        if token.type == "heading_open":
            children = tokens[at + 1].children
            assert {child.type for child in children} <= {"text", "html_inline"}
            html = [child.content for child in children if child.type == "html_inline"]
            assert all(re.fullmatch(r'<a id="t[\d-]+">|</a>', tag) for tag in html)
            found.append((token.tag, "".join(child.content for child in children if child.type == "text")))
    return found


def check(opened, markdown: str) -> None:
    held = held_texts(markdown)
    for text in expected_texts(opened):
        shown = legible(text)
        assert held[shown] or held[shown.rstrip("\n")], text[:200]
    tags = headings(markdown)
    assert tags[0][0] == "h1" and [tag for tag, _ in tags].count("h1") == 1
    assert all(_OURS.fullmatch(words) for _, words in tags[1:])
    talks = sum(1 for tree in opened.trees if tree.nodes[0].kind == "talk")
    assert [words for _, words in tags if words.startswith("Talk")] and sum(w.startswith("Talk") for _, w in tags[1:]) == talks
    assert not _ACTS.search(markdown)


def check_links(markdown: str) -> int:
    anchors = re.findall(r'<a id="([^"]+)">', markdown)
    assert len(anchors) == len(set(anchors))
    links = []
    for token in _MD.parse(markdown):
        for child in token.children or ():
            if child.type == "link_open":
                links.append(child.attrs["href"])
            assert child.type not in ("image",), child
            if child.type == "html_inline":
                assert re.fullmatch(r'<a id="t[\d-]+">|</a>', child.content), child
    assert all(link.startswith("#") and link[1:] in anchors for link in links)
    return len(links)


@pytest.mark.parametrize("case", CASES)
def test_every_text_is_there_and_only_text(exported, case: str) -> None:
    markdown = exported(case, "markdown").decode()
    check(opened_case(case), markdown)
    check_links(markdown)


def test_hostile_texts_stay_texts(evil) -> None:
    markdown = made(evil)
    check(evil, markdown)
    assert check_links(markdown) >= 2
    assert headings(markdown)[0] == ("h1", legible("# title⏎ ## two `x` [l](http://e) </a> | \x1b[31m \u202e"))


def test_texts_are_as_the_data_has_them(exported) -> None:
    held = held_texts(exported("clips", "markdown").decode())
    texts = [text for text in expected_texts(opened_case("clips")) if len(text) > 2_000]
    assert texts and all(held[text] or held[text.rstrip("\n")] for text in texts)


def test_what_it_says(exported) -> None:
    pilot = exported("pilot", "markdown").decode()
    assert "| state | verified: every round and every landed file" in pilot
    assert "**tool** `Bash`" in pilot and "result · **failed** · 45 bytes" in pilot
    assert re.search(r"→ starts \[stream log-reader · child\]\(#t\d+\) `stream/", pilot)
    assert re.search(r"- started by \[agent\.call .*\]\(#t1-14\)", pilot)
    losses = exported("losses", "markdown").decode()
    assert "result `unavailable`: no result of this call has landed" in losses
    assert "unresolved `tool_use` `s3-tool`, `open`: `a result arrived for a request that was never landed`" in losses
    assert "created" not in losses and "+VERSION" in exported("extras", "markdown").decode()


def test_a_part_has_no_link_out_of_itself(evil) -> None:
    opened = opened_case("pilot")
    part = made(opened, opened.trees[0].nodes[0].id)
    check_links(part)
    assert "| selection | `talk` `talk/main/s1-cycle`, " in part and "#t2" not in part
    step = made(opened, "tool/s6-tool")
    assert step.count("**agent.call**") == 1 and "## Talk" not in step


def test_deep_steps_are_read(long_one) -> None:
    markdown = made(long_one, "msg/1960")
    assert sum(held_texts(markdown).values()) == 40
    assert "depth 39" in markdown


_SIGNS = st.text(alphabet="ab1 \n\t`~#>-+*_=|[]()<>&!:.\\$\r\x1b", max_size=60)


@settings(max_examples=300)
@given(_SIGNS, st.sampled_from(["", "  ", "          "]), st.booleans())
def test_nothing_gets_out_of_what_holds_it(text: str, prefix: str, prose: bool) -> None:
    text = legible(text)
    lists = "".join("  " * level + "- item\n\n" for level in range(len(prefix) // 2))
    held = "".join(quoted(text, prefix) if prose else fenced(text, prefix))
    tokens = _MD.parse(f"{lists}{held}\n\n{prefix}after\n")
    after = [token for token in tokens if token.type == "inline" and token.content == "after"]
    assert after and tokens.index(after[-1]) > 0
    assert sum(held_texts(f"{lists}{held}\n\n{prefix}after\n").values()) == 1
    assert held_texts(f"{lists}{held}\n\n{prefix}after\n")[text.rstrip("\n") if prose else text] == 1


def test_what_acts_is_shown() -> None:
    assert legible("a\r\nb\rc\x1b\x85\ud800\u202e\tx\u200d") == "a\nb␍c␛⟨U+0085⟩⟨U+D800⟩⟨U+202E⟩\tx\u200d"


@settings(max_examples=200)
@given(_SIGNS)
def test_names_stay_names(text: str) -> None:
    tokens = _MD.parse(f"## a {inline(text)} {code(text)} b\n")
    assert [token.type for token in tokens] == ["heading_open", "inline", "heading_close"]
    assert {child.type for child in tokens[1].children} <= {"text", "code_inline"}
    assert "\n\n".join(block for block, _ in blocks(text)) == text
