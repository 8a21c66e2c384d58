"""Whole processes: what is imported, closed pipes, odd encodings, signals, the server."""

from __future__ import annotations

import json
import os
import re
import select
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Callable

import pytest

from .conftest import CONFORMANCE, Result

Process = Callable[..., Result]


def test_python_m(process: Process, sample: str) -> None:
    code, out, err = process("conversation", "-json", "5eed0002", ASZ_ROOT=sample)
    assert (code, err) == (0, "") and out.encode() == (CONFORMANCE / "pilot" / "expect.json").read_bytes()
    assert process("conversation", "-json", "nobody", ASZ_ROOT=sample).code == 1
    assert process("nonsense")[:2] == (2, "")
    assert process(sample)[:2] == (2, "")


HEAVY = {"textual", "asyncio", "argparse", "watchdog", "ruamel", "http", "concurrent", "importlib.metadata", "difflib"}


@pytest.mark.parametrize(
    ("arguments", "unwanted"),
    [
        (("conversation", "-json", "5eed0002"), HEAVY | {"rich"}),
        (("conversation", "5eed0002"), HEAVY | {"rich.style"}),
        (("list",), HEAVY | {"rich.style"}),
        (("verify",), HEAVY | {"rich.style"}),
        (("show", "5eed0002"), HEAVY | {"rich.style"}),
        (("tail", "5eed0002", "--once"), HEAVY - {"watchdog"} | {"rich.style"}),
        (("--help",), HEAVY | {"rich", "asz_core", "msgspec"}),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_what_a_command_imports(sample: str, arguments: tuple[str, ...], unwanted: set[str]) -> None:
    code = "import sys; from asz_tui.cli.main import main; code = main(sys.argv[1:]); print(code, *sys.modules, file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env={**os.environ, "ASZ_ROOT": sample},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    first, *modules = done.stderr.split()
    assert first == "0"
    assert not unwanted & set(modules)


@pytest.mark.parametrize(
    "command",
    ["list", "show 5eed0002", "conversation -json 5eed0002", "conversation -yaml 5eed0002", "conversation 5eed0002", "--help"],
)
def test_a_closed_pipe_ends_quietly(sample: str, command: str) -> None:
    script = f"{sys.executable} -m asz_tui {command} | head -c 1"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", script], env={**os.environ, "ASZ_ROOT": sample}, capture_output=True, timeout=20
    )
    assert (done.returncode, len(done.stdout), done.stderr) == (0, 1, b"")


@pytest.mark.parametrize("command", ["list", "show 5eed0002", "conversation -json 5eed0002", "verify", "--version"])
def test_streams_that_are_closed_from_the_start(sample: str, command: str) -> None:
    for closed in (">&-", "2>&-", "<&-", ">&- 2>&-"):
        script = f"{sys.executable} -m asz_tui {command} {closed}"
        done = subprocess.run(["bash", "-c", script], env={**os.environ, "ASZ_ROOT": sample}, capture_output=True, timeout=20)
        assert (done.returncode, done.stderr) == (0, b""), closed


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no full device")
@pytest.mark.parametrize("command", ["list", "conversation -json 5eed0002"])
def test_a_full_disk_is_said(sample: str, command: str) -> None:
    script = f"{sys.executable} -m asz_tui {command} >/dev/full"
    done = subprocess.run(
        ["bash", "-c", script], env={**os.environ, "ASZ_ROOT": sample}, capture_output=True, text=True, timeout=20
    )
    assert done.returncode == 1 and done.stderr.count("\n") == 1 and "No space left" in done.stderr


def test_an_output_that_is_not_utf8(process: Process, sample: str) -> None:
    for encoding in ("ascii", "latin-1"):
        for command in ("list", "--help", "show 5eed0002", "tail 5eed0002 --once", "verify"):
            code, out, err = process(*command.split(), ASZ_ROOT=sample, PYTHONIOENCODING=encoding)
            assert (code, err) == (0, "") and out.isascii()


def test_an_error_on_a_stream_that_is_not_utf8(process: Process, sample: str) -> None:
    code, out, err = process("show", "中文\x1b", ASZ_ROOT=sample, PYTHONIOENCODING="ascii")
    assert (code, out) == (1, "") and err.isascii() and err.count("\n") == 1


def test_a_terminal_gets_colours_and_its_width(sample: str) -> None:
    import fcntl
    import pty
    import struct
    import termios

    main, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 70, 0, 0))
    environment = {**os.environ, "ASZ_ROOT": sample, "TERM": "xterm"}
    process = subprocess.Popen([sys.executable, "-m", "asz_tui", "show", "5eed0002"], stdout=side, stderr=side, env=environment)
    os.close(side)
    text = b""
    while select.select([main], [], [], 10)[0]:
        try:
            text += os.read(main, 65536)
        except OSError:
            break
    assert process.wait(10) == 0
    lines = re.sub(r"\x1b\[[0-9;]*m", "", text.decode()).split("\r\n")
    assert b"\x1b[1;94m" in text and max(map(len, lines)) == 70


def test_the_server(sample: str) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "asz_tui", "view", "127.0.0.1:0", "--root", sample],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    try:
        url = process.stdout.readline().split()[0]
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/", url)
        with urllib.request.urlopen(f"{url}api/conversations", timeout=10) as answer:
            assert len(json.load(answer)) == 3
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == 0
        assert process.stderr.read() == ""
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("address", ["nowhere:port", "1.2.3.4:99999", "0.0.0.0:0", "::1:2"])
def test_addresses_that_are_refused(call: Callable[..., Result], sample: str, address: str) -> None:
    code, out, err = call("view", address, "--root", sample)
    assert (code, out, err.count("\n")) == (2, "", 1)
