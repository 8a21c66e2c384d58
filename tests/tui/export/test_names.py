"""File names hold nothing but what every file system and shell takes; links are one word each for a shell."""

from __future__ import annotations

import re
import shlex
import subprocess

import pytest

from asz_tui.export import SVG, deep_link, formats, propose_name
from asz_tui.session.opened import Opened
from tests.core.helpers import Maker, node
from tests.tui.export.conftest import CASES, opened_case

_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def test_formats() -> None:
    assert [entry.name for entry in formats()] == ["json", "yaml", "markdown", "text"]


@pytest.mark.parametrize("case", CASES)
def test_names_are_safe(case: str) -> None:
    opened = opened_case(case)
    for entry in (*formats(), SVG):
        for what in (None, *(tree.nodes[-1].id for tree in opened.trees)):
            name = propose_name(opened, what, entry.name)
            assert _SAFE.fullmatch(name) and name.endswith(f"-r{opened.conversation.fold.head}.{entry.extension}")
            assert len(name) <= 100 and ".." not in name


def test_names_say_what_it_is(evil) -> None:
    pilot = opened_case("pilot")
    assert propose_name(pilot, None, "markdown") == "fix-the-flaky-port-check-in-the-relay-it-times-r2.md"
    assert propose_name(pilot, "tool/s6-tool", "json") == "fix-the-flaky-port-check-in-the-relay-it-times-tool-s6-tool-r2.json"
    assert propose_name(evil, "../../etc", "text") == "title-two-x-l-http-e-a-31m-etc-r1.txt"


@pytest.mark.parametrize(("title", "stem"), [("", "c0"), ("…", "c0"), ("--rf ..", "rf"), ("Ångström", "angstrom"), ("x" * 90, "x" * 48)])
def test_odd_titles(tmp_path, title: str, stem: str) -> None:
    maker = Maker(tmp_path)
    maker.land()
    maker.round(node("session/s0", "session", attrs={"title": title}))
    assert propose_name(Opened(maker.load()), None, "yaml") == f"{stem}-r1.yaml"


def test_a_link_is_a_command_line() -> None:
    assert deep_link("/data/root", "5eed", "tool/s6-tool") == "asz-tui /data/root '5eed#tool/s6-tool'"
    assert deep_link("/data/my root", "5eed", None) == "asz-tui '/data/my root' '5eed'"
    assert shlex.split(deep_link("/a'b", "-c", "it's $(x)`y`"))[1:] == ["--", "/a'b", "-c#it's $(x)`y`"]
    assert deep_link("root", "c", "n").startswith("asz-tui /")


def test_a_link_acts_on_no_terminal() -> None:
    node_id = "a\x1b[2J\n'b\\\u202e\x85"
    link = deep_link("/r", "c", node_id)
    assert not re.search("[\x00-\x1f\x7f-\x9f]", link)
    said = subprocess.run(["bash", "-c", f"printf %s {link.removeprefix('asz-tui /r ')}"], capture_output=True, check=True).stdout
    assert said.decode() == f"c#{node_id}"
