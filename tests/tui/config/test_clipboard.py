"""Copies: the bytes of OSC 52, commands, the file, and the sentence that says where a text went."""

from __future__ import annotations

import base64
import os
import stat
import sys
import time
from pathlib import Path

import pytest

from asz_tui import clipboard
from asz_tui.clipboard import OSC52_LIMIT, copy, osc52, plain

XTERM = {"TERM": "xterm-256color"}


def copied(home: Path) -> Path:
    return home / "state" / "asz-tui" / "copied.txt"


def test_the_bytes_of_osc_52(home: Path) -> None:
    sent: list[str] = []
    assert copy("héllo\n", "osc52", sent.append, environ=XTERM) == "7 bytes sent to the terminal's clipboard"
    assert sent == ["\x1b]52;c;aMOpbGxvCg==\x07"]
    assert not copied(home).exists()
    assert copy("x", "osc52", sent.append, environ={}).startswith("1 byte sent")


@pytest.mark.parametrize("environ", [{"TMUX": "/tmp/tmux/default,1,0", "TERM": "screen"}, {"TERM": "tmux-256color"}])
def test_inside_tmux_it_is_handed_through_too(environ: dict[str, str]) -> None:
    bare = osc52(b"hello", XTERM)
    assert osc52(b"hello", environ) == bare + "\x1bPtmux;\x1b\x1b]52;c;aGVsbG8=\x07\x1b\\"
    assert "through tmux, if its set-clipboard or allow-passthrough is on" in copy("x", "osc52", lambda _: None, environ=environ)


@pytest.mark.parametrize("environ", [{"STY": "1.pts", "TERM": "xterm"}, {"TERM": "screen-256color"}])
def test_inside_screen_it_comes_in_pieces(environ: dict[str, str]) -> None:
    bare = osc52(b"x" * 1000, XTERM)
    wrapped = osc52(b"x" * 1000, environ)
    assert wrapped.startswith(bare)
    pieces = wrapped[len(bare) :].split("\x1b\\")
    assert pieces.pop() == "" and all(piece.startswith("\x1bP") and len(piece) <= 254 for piece in pieces)
    assert "".join(piece[2:] for piece in pieces) == bare


def test_what_is_too_large_for_a_terminal_goes_to_a_file(home: Path) -> None:
    sent: list[str] = []
    assert copy("x" * OSC52_LIMIT, "osc52", sent.append, environ=XTERM).startswith("74,994 bytes sent")
    assert len(sent[0]) <= 100_000
    said = copy("é" * OSC52_LIMIT, "osc52", sent.append, environ=XTERM)
    assert said == f"149,988 bytes written to {copied(home)} (149,988 bytes are more than terminals take)"
    assert len(sent) == 1 and copied(home).read_text() == "é" * OSC52_LIMIT
    assert stat.S_IMODE(copied(home).stat().st_mode) == 0o600


def test_without_a_terminal_or_with_one_that_is_gone(home: Path) -> None:
    assert copy("one", "osc52", None) == f"3 bytes written to {copied(home)} (there is no terminal to send it to)"

    def gone(text: str) -> None:
        raise OSError(5, "Input/output error")

    assert "did not take it: Input/output error" in copy("two", "osc52", gone) and copied(home).read_text() == "two"


def test_a_file_that_was_asked_for_gives_no_reason(home: Path) -> None:
    assert copy("three", "file", None) == f"5 bytes written to {copied(home)}"


def test_a_command_reads_the_text(tmp_path: Path) -> None:
    script = "import sys; open(sys.argv[1], 'wb').write(sys.stdin.buffer.read()); print('noise'); print('noise', file=sys.stderr)"
    said = copy("a\u202eb\n", [sys.executable, "-c", script, str(tmp_path / "out")], None)
    assert said == f"15 bytes copied with {os.path.basename(sys.executable)}"
    assert (tmp_path / "out").read_text() == "a⟨U+202E⟩b\n"


def test_a_command_that_fails_gives_its_reason_and_the_file_takes_it(home: Path) -> None:
    script = "import sys; print('no \\x1b[31mdisplay', file=sys.stderr); print('more', file=sys.stderr); sys.exit(3)"
    said = copy("text", [sys.executable, "-c", script], None)
    assert said.endswith("ended with 3 (no ␛[31mdisplay))") and copied(home).read_text() == "text"
    assert "nothing-like-this did not start: No such file or directory" in copy("text", ("nothing-like-this",), None)
    assert "did not start" in copy("text", ("a\0b",), None) and "did not start" in copy("text", (), None)


def test_a_command_that_stays_is_not_waited_for(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clipboard, "TIMEOUT", 0.3)
    began = time.monotonic()
    assert "did not end within 0.3 seconds" in copy("text", [sys.executable, "-c", "import time; time.sleep(20)"], None)
    # A tool that leaves a child behind, which holds what it was given open, has done its work.
    monkeypatch.setattr(clipboard, "TIMEOUT", 5.0)
    assert copy("text", ["sh", "-c", "cat >/dev/null; sleep 2 & exit 0"], None) == "4 bytes copied with sh"
    assert time.monotonic() - began < 1.9


def test_a_command_that_reads_nothing(home: Path) -> None:
    assert copy("x" * 500_000, ["true"], None) == "500,000 bytes copied with true"


def test_nowhere_to_write(home: Path) -> None:
    (home / "state").write_text("a file where the folder would be")
    said = copy("text", "file", None)
    assert said.startswith("nothing was copied: ") and said.isprintable()
    (home / "state").unlink()
    copied(home).parent.mkdir(parents=True)
    (home / "target").write_text("precious")
    copied(home).symlink_to(home / "target")
    assert "symbolic link" in copy("text", "osc52", None) and (home / "target").read_text() == "precious"


def test_plain_text_acts_on_nothing_where_it_is_pasted() -> None:
    assert plain("a\tb\nc\r\nd") == "a\tb\nc\nd"
    for code in (*range(0x20), *range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A), 0xD800, 0xDFFF):
        char = chr(code)
        if char not in "\n\t":
            assert char not in plain(f"a{char}b") and plain(f"a{char}b")[0] + plain(f"a{char}b")[-1] == "ab"
    assert plain("\x1b[31m\x9b\x7f\r") == "␛[31m⟨U+009B⟩␡␍"
    kept = "👩\u200d💻 e\u0301\u0301\u0301\u0301\u0301\u0301 עברית\u200f 🇩🇪 \u00a0 [bold]x[/]"
    assert plain(kept) == kept, "what is only text stays as it is"


def test_an_export_is_as_it_is(home: Path) -> None:
    sent: list[str] = []
    copy("a\x1b\r\n\udc80", "osc52", sent.append, as_is=True, environ=XTERM)
    assert base64.b64decode(sent[0][7:-1]) == b"a\x1b\r\n?"
