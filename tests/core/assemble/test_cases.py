"""The assembler writes the rounds of the reference roots again, byte for byte, from their landed files alone."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from asz_core.assemble import Assembler, assemble_session

DATA = Path(__file__).parents[2] / "data"
_OTHERS_WORK = ("craft", "fuzz-", "broken-")
CASES = sorted(
    root
    for root in (*DATA.glob("assembly/*/root"), *DATA.glob("conformance/*/root"))
    if not root.parent.name.startswith(_OTHERS_WORK)
)
_ROUND = re.compile(r"r[0-9]{6,}-[0-9a-f]{12}\.sf")


def sequence(path: Path) -> int:
    match = re.search(r"-(\d+)\.sd$", path.name)
    assert match is not None
    return int(match[1])


def rounds_of(root: Path) -> list[Path]:
    files = [path for path in root.glob("_conversations/*/rounds/r*.sf") if path.is_file() and path.stat().st_size]
    return sorted(path for path in files if _ROUND.fullmatch(path.name))


def land(root: Path, session: str, after: int, through: int, target: Path) -> None:
    for path in root.glob(f"{session}/**/*.sd"):
        if path.is_file() and after < sequence(path) <= through:
            copy = target / path.relative_to(root)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)


@pytest.mark.parametrize("root", CASES, ids=lambda root: f"{root.parent.parent.name}-{root.parent.name}")
@pytest.mark.parametrize("kept", [False, True], ids=["anew", "kept"])
def test_the_rounds_come_out_the_same(root: Path, kept: bool, tmp_path: Path) -> None:
    """Once with everything read anew for each round, once by an assembler that keeps what it read."""
    done: dict[str, int] = {}
    assemblers: dict[str, Assembler] = {}
    wanted = rounds_of(root)
    assert wanted
    for path in wanted:
        header = json.loads(path.open("rb").readline())
        session, through = header["session"], header["through_seq"]
        land(root, session, done.get(session, 0), through, tmp_path)
        done[session] = through
        if kept:
            outcome = assemblers.setdefault(session, Assembler(tmp_path, session)).assemble()
        else:
            outcome = assemble_session(tmp_path, session)
        assert outcome.error == ""
        assert outcome.round == header["round"]
        assert (tmp_path / path.relative_to(root)).read_bytes() == path.read_bytes()
    assert [path.relative_to(tmp_path) for path in rounds_of(tmp_path)] == [path.relative_to(root) for path in wanted]
    for session in done:
        assert assemble_session(tmp_path, session).round == 0
