"""What is a source, in which order, and which sessions are taken (the collecting specification, §2)."""

from __future__ import annotations

import os

import pytest

from asz_core.collect import Selection, Source, SourceError, default_source
from asz_core.collect.sources import find, source_at
from tests.core.collect.helpers import AGENT, PROJECT, SESSION, Place

BELOW = f"{PROJECT}/{SESSION}"
SOURCES = {
    f"{BELOW}.jsonl": ("transcript", "main", ""),
    f"{BELOW}/subagents/agent-{AGENT}.jsonl": ("transcript", AGENT, ""),
    f"{BELOW}/subagents/agent-{AGENT}.meta.json": ("meta", AGENT, ""),
    f"{BELOW}/subagents/workflows/any name/agent-a0000000000000001.jsonl": ("transcript", "a0000000000000001", ""),
    f"{BELOW}/subagents/workflows/any name/agent-a0000000000000001.meta.json": ("meta", "a0000000000000001", ""),
    f"{BELOW}/subagents/workflows/any name/journal.jsonl": ("journal", "", "any name"),
    f"{BELOW}/workflows/scripts/a-wf_b-wf_c.js": ("script", "", "wf_c"),
    f"{BELOW}/workflows/wf_.json": ("manifest", "", "wf_"),
}
DECOYS = [
    f"{PROJECT}/not-a-uuid.jsonl",
    f"{PROJECT}/{SESSION}0.jsonl",
    f"{PROJECT}/{SESSION}.json",
    f"{PROJECT}/memory/notes.md",
    f"{BELOW}/subagents/agent-compact-{AGENT}.jsonl",
    f"{BELOW}/subagents/agent-{AGENT.upper()}.jsonl",
    f"{BELOW}/subagents/journal.jsonl",
    f"{BELOW}/subagents/workflows/journal.jsonl",
    f"{BELOW}/workflows/x.json",
    f"{BELOW}/workflows/scripts/wf_x.js",
    f"{BELOW}/workflows/scripts/a-wf_-c.js",
    f"{BELOW}/workflows/scripts/a-wf_b.c.js",
    f"{BELOW}/workflows/scripts/deeper/a-wf_b.js",
]


def test_the_table_and_the_order(place: Place) -> None:
    for rel in [*SOURCES, *DECOYS]:
        place.write(b"{}\n", rel)
    found = find(str(place.source))
    assert list(found.sessions) == [SESSION]
    listed = found.sessions[SESSION]
    assert [source.rel for source in listed] == list(SOURCES)
    assert {source.rel: (source.kind.prefix, source.stream, source.run) for source in listed} == SOURCES
    assert [source_at(rel) for rel in SOURCES] == listed
    assert [rel for rel in DECOYS if source_at(rel)] == []


def test_links_are_files_and_never_folders(place: Place) -> None:
    other = SESSION.replace("0f0e", "1f0e")
    place.write(b"{}\n", f"kept/{other}.jsonl")
    place.path("-p").mkdir()
    place.path(f"-p/{SESSION}.jsonl").symlink_to(place.path(f"kept/{other}.jsonl"))
    place.path("-q").symlink_to(place.path("kept"))
    place.path(f"-p/{other}.jsonl").mkdir()
    assert {id_: [source.rel for source in sources] for id_, sources in find(str(place.source)).sessions.items()} == {
        SESSION: [f"-p/{SESSION}.jsonl"],
        other: [f"kept/{other}.jsonl"],
    }


def test_names_that_are_not_utf_8(place: Place) -> None:
    place.write(b'{"uuid":"a"}\n', f"-p\udcff/{SESSION}/subagents/workflows/r\udce2\udc82/journal.jsonl")
    assert place.collect().complete
    header = place.files()[0].read_bytes().split(b"\n")[0]
    assert f'"src":"-p\ufffd/{SESSION}/subagents/workflows/r\ufffd\ufffd/journal.jsonl"'.encode() in header
    assert '"batch":"r\ufffd\ufffd"'.encode() in header
    assert b"runs/r\xe2\x82/" in os.fsencode(place.files()[0])


def test_a_root_that_is_not_there(place: Place) -> None:
    with pytest.raises(SourceError, match="cannot be read"):
        find(str(place.source / "none"))


def test_where_the_root_is() -> None:
    assert default_source({"CLAUDE_CONFIG_DIR": "/c", "XDG_CONFIG_HOME": "/x"}) == "/c/projects"
    assert default_source({"XDG_CONFIG_HOME": "/x"}) == "/x/claude/projects"
    assert default_source({}).endswith("/.claude/projects")


@pytest.mark.parametrize(
    ("pattern", "name", "matches"),
    [
        ("/private/tmp/**", "-private-tmp", True),
        ("/private/tmp/**", "-private-tmp-x", True),
        ("/private/tmp/**", "-private-tmpx", False),
        ("/srv/my.shop v1", "-srv-my-shop-v1", True),
        (" -srv-* ", "-srv-shop", True),
        ("-srv-?hop", "-srv-shop", True),
        ("-srv-[a-z]hop", "-srv-shop", True),
        ("-srv-[^a-z]hop", "-srv-shop", False),
        (r"-srv-\*", "-srv-*", True),
        (r"-srv-\*", "-srv-shop", False),
        ("-srv-[", "-srv-[", True),
        ("-srv-[", "-srv-s", False),
        ("-srv", "-srv-shop", False),
    ],
)
def test_patterns(pattern: str, name: str, matches: bool) -> None:
    source = _main(name)
    assert Selection([pattern], []).takes([source]) is matches
    assert Selection([], [pattern]).takes([source]) is not matches


def test_the_project_of_the_main_transcript_decides() -> None:
    agent = source_at(f"-two/{SESSION}/subagents/agent-{AGENT}.jsonl")
    assert agent is not None
    assert not Selection(["-two"], []).takes([_main("-one"), agent])
    assert Selection(["-two", " "], []).takes([agent])
    assert Selection([], ["-two"]).takes([_main("-one"), agent])
    assert not Selection().takes([_main("-private-tmp-a")])


def _main(project: str) -> Source:
    source = source_at(f"{project}/{SESSION}.jsonl")
    assert source is not None
    return source
