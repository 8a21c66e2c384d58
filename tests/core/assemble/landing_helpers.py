"""Landed files for tests of the assembler: one call a file, rounds read back as lines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from asz_core.sessiondata import landed_bytes, landed_name

SESSION = "demo-1"
STAMP = "20260301T080000.000000000Z"


class Lander:
    """Lands records of one session into a root."""

    def __init__(self, root: Path, session: str = SESSION) -> None:
        self.root, self.session = root, session
        self.seq = 0

    def land(self, owner: str, *records: dict[str, Any] | bytes, kind: str = "transcript", **header: Any) -> Path:
        """Land a file; ``owner`` is the stream, or ``run:NAME`` for a batch, or empty for a provider body."""
        self.seq += 1
        name = landed_name(kind, STAMP, self.seq)
        where = ["provider_body"] if not owner else ["runs", owner[4:]] if owner.startswith("run:") else ["streams", owner]
        path = self.root.joinpath(self.session, *where, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        keys = {"stream": owner} if owner and not owner.startswith("run:") else {}
        first = {"seq": self.seq, "at": "", "kind": kind, "src": "x", "dialect": "d", "session": self.session}
        path.write_bytes(landed_bytes(first | keys | header, records))
        return path

    def rounds(self) -> list[list[str]]:
        """The lines of every round, in order."""
        files = sorted((self.root / "_conversations" / self.session / "rounds").glob("r*.sf"))
        return [file.read_text().splitlines() for file in files]

    def header(self, number: int) -> dict[str, Any]:
        """The header of a round."""
        value: dict[str, Any] = json.loads(self.rounds()[number - 1][0])
        return value


def at(second: int) -> str:
    """A time of the worked sessions."""
    return f"2026-03-01T08:00:{second:02d}Z"


def record(from_: str = "", id: str = "", second: int | None = None, *parts: dict[str, Any], **keys: Any) -> dict[str, Any]:
    """A record of a landed file."""
    found: dict[str, Any] = {"from": from_, "id": id, "time": "" if second is None else at(second)}
    return {key: value for key, value in found.items() if value} | keys | ({"parts": list(parts)} if parts else {})


def text(words: str = "x") -> dict[str, Any]:
    """A part of text."""
    return {"k": "text", "text": words}


def use(id: str, name: str, **keys: Any) -> dict[str, Any]:
    """A part that uses a tool."""
    return {"k": "call", "id": id, "name": name} | keys


def result(of: str) -> dict[str, Any]:
    """A part that is a tool's result."""
    return {"k": "result", "of": of, "text": "done"}
