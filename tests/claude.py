"""Sessions as the runtime writes them, a line at a time: for tests of what is collected live, and for the benchmark.

Invented words in the shape of a transcript: a person's question, the model's answer in several fragments, tool calls with their
results, child agents with transcripts and side files of their own, context resets, the session's title.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

_WORDS = ("parser", "cursor", "relay", "vector", "port", "retry", "socket", "matrix", "index", "replica", "palette", "patch")
_BEGIN = datetime(2026, 1, 1, 3, 0, tzinfo=UTC)
VERSION = "2.1.245"


def session_id(number: int) -> str:
    """The id of a session."""
    return f"5eed{number:04d}-0000-4000-8000-{number:012d}"


class Writer:
    """One session being written.

    Attributes:
        path: its main transcript.
        lines: how many lines were made so far.
    """

    def __init__(self, source: Path, session: str, directory: str = "/srv/shop", *, seed: int = 0, bulk: int = 1500) -> None:
        """
        Args:
            source: the projects directory.
            session: the id.
            directory: where the session ran.
            seed: of what is said.
            bulk: characters of a tool's result, about.
        """
        self.session, self.directory = session, directory
        self.project = source / "".join(c if c.isalnum() else "-" for c in directory)
        self.path = self.project / f"{session}.jsonl"
        self.lines = self.talks = 0
        self._rng, self._bulk, self._now = random.Random(seed), bulk, _BEGIN
        self._last: str | None = None
        self.project.mkdir(parents=True, exist_ok=True)

    # --- lines

    def _words(self, count: int) -> str:
        return " ".join(self._rng.choices(_WORDS, k=count))

    def _record(self, type: str, **keys: Any) -> dict[str, Any]:
        self.lines += 1
        self._now += timedelta(seconds=self._rng.choice((0.2, 1.0, 3.5)))
        uuid = f"{self.session[:8]}-{self.lines}"
        made = {
            "type": type,
            "uuid": uuid,
            "parentUuid": self._last,
            "sessionId": self.session,
            "timestamp": self._now.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "cwd": self.directory,
            "isSidechain": False,
            "userType": "external",
            "version": VERSION,
            **keys,
        }
        self._last = uuid
        return made

    def title(self, text: str) -> bytes:
        """The line that names the session."""
        return _line({"type": "ai-title", "aiTitle": text, "sessionId": self.session})

    def talk(self, tools: int = 2, *, reset: bool = False) -> Iterator[bytes]:
        """The lines of one talk: a question, so many tool calls, an answer."""
        self.talks += 1
        run, call = f"p{self.talks}", f"msg-{self.session[:8]}-{self.talks}"
        if reset:
            yield _line(self._record("system", subtype="compact_boundary", content="compacted", isMeta=False))
        said = [{"type": "text", "text": f"please look at the {self._words(4)}, number {self.talks}"}]
        yield _line(self._record("user", message={"role": "user", "content": said}, origin={"kind": "human"}, promptId=run))
        for number in range(tools):
            tool = f"toolu-{self.session[:8]}-{self.talks}-{number}"
            use = {"type": "tool_use", "id": tool, "name": "Bash", "input": {"command": f"make {self._words(2)}"}}
            yield self._assistant(f"{call}-{number}", [{"type": "text", "text": self._words(12)}], None)
            yield self._assistant(f"{call}-{number}", [use], "tool_use")
            output = self._words(max(1, self._bulk // 7))
            result = [{"type": "tool_result", "tool_use_id": tool, "content": output}]
            told = {"stdout": output, "stderr": ""}
            yield _line(self._record("user", message={"role": "user", "content": result}, promptId=run, toolUseResult=told))
        yield self._assistant(call, [{"type": "text", "text": f"Done with {self._words(6)}."}], "end_turn")

    def _assistant(self, call: str, content: list[dict[str, Any]], stop: str | None) -> bytes:
        usage = {"input_tokens": 2, "output_tokens": 40, "cache_read_input_tokens": 900, "cache_creation_input_tokens": 100}
        message = {"id": call, "role": "assistant", "model": "claude-opus-5", "content": content, "stop_reason": stop, "usage": usage}
        return _line(self._record("assistant", message=message, requestId=f"req-{call}"))

    # --- writing

    def append(self, *lines: bytes) -> None:
        """Add lines to the main transcript, as the runtime does."""
        with self.path.open("ab") as file:
            file.write(b"".join(lines))

    def write(self, size: int, title: str = "") -> Writer:
        """Add talks until the transcript is about so large, in bytes."""
        with self.path.open("ab") as file:
            if title:
                file.write(self.title(title))
            while file.tell() < size:
                file.write(b"".join(self.talk(self._rng.randint(1, 4), reset=self.talks % 40 == 39)))
        return self


def _line(record: dict[str, Any]) -> bytes:
    return json.dumps(record, separators=(",", ":")).encode() + b"\n"
