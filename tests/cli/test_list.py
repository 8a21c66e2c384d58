"""`list`: the table and its JSON, quick and filled in, broken roots and hostile titles."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from tests.core.helpers import Maker, node, said

from .conftest import Result

Call = Callable[..., Result]


def test_the_table(call: Call, sample: str) -> None:
    code, out, err = call("list", "--root", sample)
    assert (code, err) == (0, "")
    heading, *rows = out.splitlines()
    assert " ".join(heading.split()) == "state id title last span talks steps streams segments rounds unresolved"
    assert [row.split()[1] for row in rows] == ["5eed0002", "5eed0003", "5eed0005"], "newest activity first"
    assert rows[2][heading.index("title") :].startswith("five rounds as they land   ")
    assert rows[2].split()[-6:] == ["5", "27", "2", "1", "5", "0"]
    ends = [heading.index(word) + len(word) for word in ("talks", "steps", "rounds", "unresolved")]
    assert all(row[end - 1].isdigit() and row[end : end + 1] in (" ", "") for row in rows for end in ends)


def test_width_clips_the_title_first(call: Call, sample: str) -> None:
    lines = call("list", "--root", sample, "--width", "110").out.splitlines()
    assert max(map(len, lines)) <= 110 and "…" in lines[1]
    assert lines[1].split()[-6:] == ["5", "44", "2", "2", "2", "2"]
    assert max(map(len, call("list", "--root", sample, "-w", "40").out.splitlines())) <= 40


def test_ascii(call: Call, sample: str) -> None:
    assert call("list", "--root", sample, "--ascii").out.isascii()


def test_json(call: Call, sample: str) -> None:
    rows = json.loads(call("list", "-json", "--root", sample).out)
    assert [row["id"][:8] for row in rows] == ["5eed0002", "5eed0003", "5eed0005"]
    assert rows[2] | {"state": None} == {
        "id": "5eed0005-0000-4000-8000-000000000005", "title": "five rounds as they land", "talks": 5, "steps": 27,
        "streams": 2, "segments": 1, "rounds": 5, "from": 1767225600000, "to": 1767225615400, "unresolved": 0,
        "state": None, "problem": None,
    }  # fmt: skip


def old_root(path: Path, title: str) -> str:
    """A root whose headers carry no summary, as older ones do."""
    made = Maker(path)
    made.land(said("x", time="2026-01-01T00:00:00Z"))
    attrs = {"title": title, "from_time": "2026-01-01T00:00:00Z", "through_time": "2026-01-01T00:00:10Z"}
    made.round(node("session/s0", "session", attrs=attrs), node("talk/1", "talk", (1, 1), parent="session/s0"))
    return str(path)


def test_what_a_header_lacks_is_read_unless_it_must_be_quick(call: Call, tmp_path: Path) -> None:
    root = old_root(tmp_path / "root", "an old one")
    full = json.loads(call("list", "--json", "--root", root).out)[0]
    assert (full["title"], full["talks"], full["to"], full["state"]) == ("an old one", 1, 1767225610000, "chained")
    quick = json.loads(call("list", "--json", "--quick", "--root", root).out)[0]
    assert (quick["title"], quick["talks"], quick["rounds"], quick["state"]) == (None, None, 1, None)
    row = call("list", "--quick", "--root", root).out.splitlines()[1]
    assert row.split() == ["-", "c0", "-", "-", "-", "-", "-", "-", "-", "1", "-"]


def test_a_broken_one_shows_its_sentence(call: Call, case: Callable[[str], str]) -> None:
    code, out, _ = call("list", "--root", case("broken-gap"))
    assert code == 0 and "incomplete" in out and "round 3 is missing; the chain stops at round 2" in out
    row = json.loads(call("list", "--json", "--root", case("broken-gap")).out)[0]
    assert (row["state"], row["problem"]) == ("incomplete", "round 3 is missing; the chain stops at round 2")


def test_nothing_there(call: Call, tmp_path: Path) -> None:
    assert call("list", "--root", str(tmp_path)) == (0, "there is no conversation in this root\n", "")
    assert json.loads(call("list", "--json", "--root", str(tmp_path)).out) == []


def test_a_hostile_title_stays_in_its_line(call: Call, tmp_path: Path) -> None:
    root = old_root(tmp_path / "root", "\x1b]0;x\x07 two\nlines\u202e\x9b1m 中文 \x7f")
    out = call("list", "--root", root).out
    assert len(out.splitlines()) == 2 and out.replace("\n", "").isprintable()
    text = call("list", "--json", "--root", root).out
    assert text.replace("\n", "").isprintable() and json.loads(text)[0]["title"].startswith("\x1b]0;x\x07 two\nlines\u202e\x9b")


def test_ids_are_told_apart(call: Call, tmp_path: Path) -> None:
    for name in ("abcdefgh-11", "abcdefgh-12", "zz"):
        made = Maker(tmp_path / "root", conversation=name, session=name)
        made.land(said("x"))
        made.round(node("talk/1", "talk", (1, 1)))
    ids = {line.split()[1] for line in call("list", "--root", str(tmp_path / "root")).out.splitlines()[1:]}
    assert ids == {"abcdefgh-11", "abcdefgh-12", "zz"}
