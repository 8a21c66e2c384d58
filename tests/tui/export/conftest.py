"""Conversations that are exported: the conformance cases, each loaded once, and a made one with texts that try to get out."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC
from functools import cache
from pathlib import Path

import pytest

from asz_core import Root
from asz_tui.export import export
from asz_tui.session.opened import Opened
from tests.core.helpers import Maker, clock, node, part, record, relation, said, unresolved

CASES_DIR = Path(__file__).resolve().parents[2] / "data" / "conformance"
CASES = ("pilot", "fleet", "hostile", "craft", "clips", "losses", "extras", "words-hard", "craft-raw", "chaos-1")

EVIL = (
    "# a heading\n## another\nsetext\n=====\nsetext\n---",
    "```\nfence\n```\n~~~~~~\nother\n``````````````",
    "</a><script>alert(1)</script>\n\n<!-- comment\n\n[x]: http://example.org/\n\n![i](http://example.org/i.png) [x]",
    "> quote\n- list\n1. one\n23) two\n+ plus\n* star\n    code\n\tcode",
    "| a | b |\n|---|---|\n| 1 | 2 |\n\n***\n___\n\nsnake_case __strong__ *em* ~~gone~~ &amp; &#35; $x$ \\",
    "one\rtwo\r\n# three\x0bfour\x0c\x1b[2J\x85five\u2028six\u202eseven\x00\x7f",
    "\n\n\nblank lines before\n\n\n\nand between, and after\n\n",
    "  two blanks  \n  and `code` ``more`` at\tthe ends\t",
    "\ufeff\u200bzero width \U0001f469\u200d\U0001f4bb e\u0301",
)
"""Texts that would be something else where they are not held."""


@cache
def opened_case(case: str) -> Opened:
    """The conversation of a case."""
    root = Root(CASES_DIR / case / "root")
    return Opened(root.load(root.conversations()[0]))


@cache
def _exported(case: str, fmt: str) -> bytes:
    return b"".join(export(opened_case(case), None, fmt, UTC))


@pytest.fixture(scope="session")
def exported() -> Callable[[str, str], bytes]:
    """A case as a file of a format."""
    return _exported


@pytest.fixture(scope="session")
def evil(tmp_path_factory: pytest.TempPathFactory) -> Opened:
    """A conversation whose every text and name is hostile to what holds it."""
    maker = Maker(tmp_path_factory.mktemp("evil"))
    entities = [
        node("session/s0", "session", attrs={"title": "# title\n## two `x` [l](http://e) </a> | \x1b[31m \u202e"}),
        node("stream/main", "stream", stream="main", attrs={"role": "main", "label": "main\n# label"}),
        node("stream/# child", "stream", stream="# child", attrs={"role": "child", "label": "# `label`\n## x | </a>"}),
        node("talk/1", "talk", stream="main"),
        node("talk/`2`", "talk", stream="# child"),
    ]
    records = []
    for number, text in enumerate(EVIL):
        row = len(records) + 1
        kind = "message.external" if number == 0 else "message.assistant"
        call = part("tool", "", name="```\n# Bash`", id=f"c{number}", data={"command": text})
        records += [said(text, time=clock(number)), record(call, time=clock(number)), record(part("result", text, of=f"c{number}"))]
        entities += [
            node(f"msg/# {number}`\n", kind, (1, row), parent="talk/1", stream="main"),
            node(f"tool/{number}", "tool", (1, row + 1, 0), refs=[(1, row + 1, 0), (1, row + 2, 0)], parent="talk/1", stream="main"),
            node(f"child/{number}", "agent.output", (1, row), parent="talk/`2`", stream="# child"),
        ]
    entities += [
        relation("starts", "tool/0", "stream/# child", via="# via ` |"),
        relation("# type", "tool/1", "nowhere\n# at all", quality="# odd"),
        unresolved("u", ref="c1", reason="# reason\n## two", kind="`kind`"),
    ]
    maker.land(*records)
    maker.round(*entities)
    return Opened(maker.load())


@pytest.fixture(scope="session")
def long_one(tmp_path_factory: pytest.TempPathFactory) -> Opened:
    """Two thousand steps in two talks, and a chain of steps that is 40 deep."""
    maker = Maker(tmp_path_factory.mktemp("long"))
    entities = [node("talk/a", "talk", stream="main"), node("talk/b", "talk", stream="main")]
    records = [said(f"step {number}\nin two lines", time=clock(number)) for number in range(2_000)]
    for number in range(1_960):
        parent = "talk/a" if number < 1_000 else "talk/b"
        entities.append(node(f"msg/{number}", "message.assistant", (1, number + 1), parent=parent, stream="main"))
    for number in range(1_960, 2_000):
        above = "talk/b" if number == 1_960 else f"msg/{number - 1}"
        entities.append(node(f"msg/{number}", "message.assistant", (1, number + 1), parent=above, stream="main"))
    maker.land(*records)
    maker.round(*entities)
    return Opened(maker.load())
