"""The real program on a real pty, over a root whose every text is hostile: nothing that the terminal obeys comes from the data.

Issue: a title, a label, a name, an id or a file's name may be written by anybody. Whatever they hold, what is sent to the terminal is
printable characters and the program's own sequences; none of the data's own arrives.
"""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

from tests.core.helpers import Maker, node, part, record, relation, unresolved

EVIL = (
    "A\x1b[31;7;99mB\x1b]0;owned\x07C\x1b]52;c;b3duZWQ=\x07D\x1b]8;;http://evil\x1b\\E\x1bP1;1|x\x1b\\F\x1b[?1337hG\x1b[6nH"
    "\x9b35mI\x9d0;owned\x9cJ\x07K\x08L\x7fM\x00N\u202eO\u2066P\u200bQ\ufeffR\ufe0fS[red]T[/red][bold link=x]U\x0cV\x85W\u2028X\ud800"
).encode("utf-8", "surrogatepass").decode("utf-8", "replace")
"""Every kind of thing that a terminal, or the eye, obeys."""

_OWN = re.compile(
    r"\x1b\[[0-9;:]*[mHrJKABCDGdX]"  # colours, places, the scrolling region
    r"|\x1b\[\?(?:25|7|1000|1002|1003|1004|1006|1015|1049|2004|2026|2031|2048)[hl]"
    r"|\x1b\[\?(?:2026|2048)\$p|\x1b\[[<>=]?[0-9]*u|\x1b\[\?u|\x1b\[>[0-9;]*[cqm]|\x1b\[[0-9]*t|\x1b\[c"
    r"|\x1b\]22;[a-z]*(?:\x1b\\|\x07)|\x1b[M=>78]|\x1b\[![p]"
)
_FORBIDDEN = re.compile(r"[\x00-\x08\x0b-\x0c\x0e-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufe00-\ufe0f\ufeff]")
_OBEYED = re.compile(r"[\x00-\x08\x0b-\x0c\x0e-\x1f\x7f-\x9f]")
_NEVER = ("\x1b[31;7;99m", "owned\x07", "\x1b]0;", "\x1b]52;", "\x1b]8;", "\x1bP", "\x1b[?1337", "\x1b[6n", "\x9b", "\x9d")

KEYS = [
    *["z", "j", "j", "\r", "r", "R", "w", "\t", "j", "\x1b", "\x1b", "\x1b", "g", "\x1b"],
    *[key for pane in "23456789" for key in (pane, "z", "j", "j", "\r", "\x1b")],
    *["1", "/", "A", "\r", "n", "\x06", "j", "\r", "\x1b", "\x1b", "f", "\x1b", "?", "\x1b", ":", "\x1b", "x", "\x1b", "t", "T", "y", "I", "G"],
]


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A root of which every text that a person writes, or a file system bears, is hostile."""
    maker = Maker(tmp_path / "root")
    stream = "child\x1b[31;7;99m\u202e"
    maker.land(
        record(part("text", EVIL), id="q" + EVIL, time="2026-01-01T00:00:00Z", **{"from": "external"}, label=EVIL, flags=["external_input", EVIL]),
        record(part("text", EVIL + "\n# " + EVIL + "\n```\n" + EVIL), part("call", id="t1", name=EVIL, data={"command": EVIL, EVIL: [EVIL]}), time="2026-01-01T00:00:01Z"),
        record(part("result", EVIL, of="t1", failed=True), part("data", data={"x": EVIL}), time="2026-01-01T00:00:02Z", dropped=[{"what": EVIL, "bytes": 3, "why": EVIL}]),
    )
    maker.land(record(part("text", EVIL), time="2026-01-01T00:00:03Z"), stream=stream.replace("\x00", ""), kind="transcript")
    maker.round(
        node("session/s0", "session", None, attrs={"title": EVIL, "conversation": "c0", EVIL: EVIL}),
        node("stream/main", "stream", (1, 1), stream="main", parent="session/s0", attrs={"role": "main", "label": EVIL}),
        node("stream/x", "stream", (2, 1), stream=stream, parent="session/s0", attrs={"role": "child", "label": EVIL, "named_by": EVIL}),
        node("epoch/main", "epoch", (1, 1), stream="main", parent="stream/main"),
        node("talk/" + EVIL, "talk", (1, 1), stream="main", parent="epoch/main", attrs={"trigger": EVIL}),
        node("run/a", "run", (1, 1), stream="main", parent="talk/" + EVIL),
        node("input/a", "message.external", (1, 1), stream="main", parent="run/a"),
        node("call/a", "llm.call", (1, 2), stream="main", parent="run/a", attrs={"usage": EVIL, EVIL: {EVIL: EVIL}}),
        node("msg/" + EVIL, "message.assistant", (1, 2, 0), stream="main", parent="call/a"),
        node("tool/" + EVIL, "tool", (1, 2, 1), stream="main", parent="call/a", refs=[{"seq": 1, "row": 2, "block": 1}, {"seq": 1, "row": 3, "block": 0}], attrs={"name": EVIL}),
        node("odd", "kind" + EVIL, (1, 3), stream="main", parent="run/a"),
        node("segment/a", "segment", (1, 1), parent="session/s0", attrs={"state": EVIL, "gates_unmet": [EVIL]}),
        relation("starts", "tool/" + EVIL, "stream/x", quality=EVIL, via=EVIL),
        relation("in_segment" + EVIL, "talk/" + EVIL, "segment/a", via=EVIL),
        unresolved("unres/" + EVIL, kind=EVIL, ref=EVIL, reason=EVIL),
        title=EVIL,
    )
    broken = maker.files[2].parent / ("broken\x1b]0;owned\x07\u202e-000009.sd")
    broken.write_bytes(b'{"h":1,"schema":"' + b"\x1b[6n" + b'"}\n')
    return maker.path


def check(out: bytes, *, hides: bool = False) -> str:
    """What was sent holds printable characters and the program's own sequences alone; the text of it.

    Args:
        out: all that was sent.
        hides: it is JSON, whose text is as it is but for what a terminal obeys: characters without width stay.
    """
    text = out.decode()
    for never in _NEVER:
        assert never not in text, f"{never!r} was sent"
    left = _OWN.sub("", text)
    found = (_OBEYED if hides else _FORBIDDEN).search(left)
    assert found is None, f"{found[0]!r} was sent: {left[max(0, found.start() - 60) : found.end() + 30]!r}"  # type: ignore[index]
    return left


class Program:
    """The program on a pty; what it sends is kept."""

    def __init__(self, arguments: list[str], home: Path, size: tuple[int, int]) -> None:
        self.out = b""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ.update(
                TERM="xterm-256color", COLORTERM="truecolor", LC_ALL="C.UTF-8", XDG_STATE_HOME=str(home), XDG_CONFIG_HOME=str(home)
            )
            os.execv(sys.executable, [sys.executable, "-m", "asz_tui", *arguments])
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))

    def read(self, quiet: float, most: float = 20.0) -> bytes:
        """What it sends until it rests for so long."""
        since, end = len(self.out), time.monotonic() + most
        last = time.monotonic()
        while time.monotonic() < end and time.monotonic() - last < quiet:
            if select.select([self.fd], [], [], 0.02)[0]:
                try:
                    piece = os.read(self.fd, 1 << 16)
                except OSError:
                    break
                if not piece:
                    break
                self.out += piece
                last = time.monotonic()
        return self.out[since:]

    def end(self) -> None:
        """End it."""
        os.kill(self.pid, signal.SIGTERM)
        self.read(0.5, 5.0)
        os.close(self.fd)
        os.waitpid(self.pid, 0)


@pytest.mark.parametrize("size", [(120, 40), (80, 24)], ids=["120x40", "80x24"])
@pytest.mark.parametrize("home", [True, False], ids=["from-the-list", "at-once"])
def test_nothing_that_the_explorer_sends_comes_from_the_data(hostile: Path, tmp_path: Path, size: tuple[int, int], home: bool) -> None:
    program = Program(["--root", str(hostile), *([] if home else ["c0"])], tmp_path / "home", size)
    try:
        while b"owned" not in program.out and b"A" not in program.read(0.4):
            assert len(program.out) < 1 << 20
        for key in (["/", "A", "\r", "\r"] if home else []) + KEYS:
            os.write(program.fd, key.encode())
            program.read(0.12, 3.0)
    finally:
        program.end()
    text = check(program.out)
    assert "[red]T[/red]" in text, "markup is shown as it is"
    assert "Traceback" not in text


@pytest.mark.parametrize(
    "command",
    [
        ["list"],
        ["list", "--json"],
        ["show", "c0"],
        ["show", "c0", "--edges"],
        ["tail", "c0", "--once", "-n", "50"],
        ["tail", "c0", "--once", "--json"],
        ["verify"],
        ["conversation", "c0"],
        ["show", "c0#tool/\x1b[6nx"],
        ["conversation", "nobody\x1b]0;owned\x07"],
        ["ver\x1b[6nify"],
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("colours", [True, False])
def test_nothing_that_a_command_prints_comes_from_the_data(hostile: Path, tmp_path: Path, command: list[str], colours: bool) -> None:
    env = os.environ | {"LC_ALL": "C.UTF-8", "XDG_STATE_HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path), "ASZ_ROOT": str(hostile)}
    env.pop("NO_COLOR", None)
    if colours:
        program = Program([*command[:1], *command[1:], "--root", str(hostile)], tmp_path / "home", (120, 40))
        program.read(1.0, 20.0)
        os.close(program.fd)
        os.waitpid(program.pid, 0)
        check(program.out, hides="--json" in command)
        return
    done = subprocess.run([sys.executable, "-m", "asz_tui", *command], env=env, capture_output=True, timeout=60, check=False)
    forbidden = _OBEYED if "--json" in command else _FORBIDDEN
    assert not [c for c in (done.stdout + done.stderr).decode() if c != "\n" and forbidden.fullmatch(c)]
    assert b"Traceback" not in done.stderr
