"""What a session is called and where it ran, before anything of it is collected; where a live root stands; previews."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from asz_core import Root
from asz_core.collect import find
from asz_core.live import COLLECTED, ForgetError, forget, home_root, keeper, matching, newest_of, preview
from asz_core.live.sessions import BLOCK, described
from asz_core.writing import Lock
from tests.claude import Writer, session_id

from .conftest import AT, Clocks, Kept, written


def told(source: Path, number: int) -> tuple[str, str]:
    """Title and directory of a session."""
    return described(str(source), find(str(source)).sessions[session_id(number)])


def test_the_last_record_that_names_the_session_gives_its_title(source: Path) -> None:
    writer = written(source, 1, directory="/srv/shop", title="first")
    assert told(source, 1) == ("first", "/srv/shop")
    writer.append(writer.title("second"), *writer.talk(1))
    assert told(source, 1) == ("second", "/srv/shop")
    writer.append(b'{"type":"user","uuid":"u","description":"not the session"}\n')
    assert told(source, 1)[0] == "second", "a record with an id names something else"


def test_a_title_far_from_both_ends_is_not_looked_for(source: Path) -> None:
    writer = written(source, 1, size=2 * BLOCK)
    writer.append(writer.title("in the middle"))
    writer.write(6 * BLOCK)
    assert told(source, 1)[0].startswith("please look at the")
    writer.append(writer.title("at the end"))
    assert told(source, 1)[0] == "at the end"


def test_without_a_title_it_is_called_by_the_first_question(source: Path) -> None:
    writer = Writer(source, session_id(1))
    writer.append(_said("<command-name>/clear</command-name>"), _said("by the runtime", isMeta=True), _said("fix\n  the build"))
    assert told(source, 1)[0] == "fix the build"
    writer.path.write_bytes(b"not json\n")
    assert told(source, 1) == ("", "")


def _said(text: str, **keys: object) -> bytes:
    return json.dumps({"type": "user", "uuid": text, "message": {"role": "user", "content": text}, **keys}).encode() + b"\n"


def test_describing_is_told(kept: Kept, source: Path) -> None:
    written(source, 1, directory="/srv/shop", title="the port check")
    kept.keeper.survey()
    kept.keeper.describe([session_id(1), "nobody"])
    found = kept.told[-1].sessions[0]
    assert (found.title, found.project) == ("the port check", "/srv/shop")


def test_each_source_has_a_root_of_its_own(tmp_path: Path) -> None:
    env = {"XDG_DATA_HOME": str(tmp_path)}
    one, other = home_root(env, "/home/me/.claude/projects"), home_root(env, "/home/you/.claude/projects")
    assert one != other and one.name == "root" and one.is_relative_to(tmp_path / "asz-tui" / "live")
    assert one == home_root(env, "/home/me/.claude/projects/"), "however it is spelled"
    assert home_root({"XDG_DATA_HOME": "relative"}, "/x").is_absolute()


def test_the_newest_session_of_a_directory(source: Path) -> None:
    written(source, 1, ago=50, directory="/srv/a.b")
    written(source, 2, ago=10, directory="/srv/a-b")
    written(source, 3, ago=100, directory="/srv/a.b")
    assert newest_of(str(source), "/srv/a.b") == session_id(1), "the folder of both has the same name"
    assert newest_of(str(source), "/srv/a-b") == session_id(2)
    assert newest_of(str(source), "/srv") is None
    assert matching(str(source), "5eed000") == [session_id(number) for number in (1, 2, 3)]
    assert matching(str(source), "") == []


def test_what_is_held_is_not_forgotten(kept: Kept, source: Path, root: Path) -> None:
    written(source, 1)
    kept.settle()
    with Lock(str(root / session_id(1))), pytest.raises(ForgetError, match="a collector is at it"):
        forget(root, session_id(1))
    assert Root(root).load(session_id(1)).usable
    for name in ("..", "_conversations", "a/b", ""):
        with pytest.raises(ForgetError, match="no name of a session"):
            forget(root, name)


# --- previews


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Previews of sessions of a size that a test can write."""
    monkeypatch.setattr(keeper, "PREVIEW_FROM", 40_000)
    monkeypatch.setattr(preview, "TAIL", 20_000)


@pytest.mark.usefixtures("small")
def test_a_large_session_shows_its_newest_talks_first(kept: Kept, source: Path, root: Path) -> None:
    writer = written(source, 1, size=150_000, title="large")
    kept.keeper.survey()
    kept.keeper.want(writer.session)
    [(session, where)] = kept.previews()
    shown = Root(where).load(session)
    assert shown.report.state == "verified" and not (root / writer.session).exists()
    talks = {node.id for node in shown.fold.of_kind("talk")}
    assert f"talk/main/p{writer.talks}" in talks and "talk/main/p1" not in talks and len(talks) > 2
    title = shown.fold.header.title if shown.fold.header else ""
    assert title == "large"
    kept.settle()
    whole = Root(root).load(session)
    assert talks < {node.id for node in whole.fold.of_kind("talk")}
    for node in shown.fold.of_kind("talk"):
        assert shown.view(node.id).kind == whole.view(node.id).kind  # type: ignore[union-attr]
    kept.keeper.close()
    assert not Path(where).exists()


@pytest.mark.usefixtures("small")
def test_a_preview_holds_the_children_that_were_at_work_since(kept: Kept, source: Path) -> None:
    writer = written(source, 1, size=100_000)
    folder = writer.project / writer.session / "subagents"
    folder.mkdir(parents=True)
    for name, when in (("a" + "1" * 16, writer._now.timestamp()), ("a" + "2" * 16, 0)):
        path = folder / f"agent-{name}.jsonl"
        path.write_bytes(b"".join(Writer(source, session_id(9), seed=2).talk(1)))
        os.utime(path, (when, when))
    kept.keeper.survey()
    kept.keeper.want(writer.session)
    shown = Root(kept.previews()[0][1]).load(writer.session)
    assert {node.stream for node in shown.fold.of_kind("stream")} == {"main", "a" + "1" * 16}


@pytest.mark.usefixtures("small")
def test_a_small_session_and_one_that_landed_have_no_preview(kept: Kept, source: Path) -> None:
    written(source, 1, size=3_000)
    large = written(source, 2, size=100_000)
    kept.settle()
    written(source, 3, size=3_000)
    kept.keeper.want(large.session)
    kept.keeper.want(session_id(3))
    assert kept.previews() == [(session_id(3), "")] and kept.states()[2] == COLLECTED


@pytest.mark.usefixtures("small")
def test_previews_that_a_killed_process_left_are_removed(source: Path, root: Path, clocks: Clocks) -> None:
    left = root.parent / "previews" / "999999999" / session_id(1)
    left.mkdir(parents=True)
    other = root.parent / "previews" / str(os.getppid())
    other.mkdir()
    kept = Kept(source, root, clocks)
    kept.keeper.turn()
    assert not left.exists() and other.exists(), "what another running process shows stays"


def test_nothing_is_previewed_of_a_transcript_without_a_line(source: Path, root: Path) -> None:
    writer = Writer(source, session_id(1))
    writer.append(b"half a line")
    sources = find(str(source)).sessions[writer.session]
    assert preview.make_preview(str(source), root, writer.session, sources, lambda: AT) is None
