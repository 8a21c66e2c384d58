"""Reading a configuration: every option, every mistake with its line, and files that are none."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from asz_tui.config import Config, Layout, Times, as_toml, clock_text, config_path, load, zone_of
from asz_tui.config.options import OPTIONS
from asz_tui.config.places import Places
from asz_tui.lines.theme import ROLES, VARIANTS, styles_for

Read = Callable[[str | bytes], tuple[Config, list[str]]]

EVERYTHING = """\
theme = "light"
noise = 2
thinking = false
clipboard = ["wl-copy", "--trim-newline"]
slow = true
ascii = true
mouse = false

[layout]
detail-open = true
detail-position = "below"
detail-size = 60

[times]
zone = "Europe/Madrid"
clock = "ISO"

[colours]
error = "bold #ff0000"
dim = ""

[keys]
follow = "ctrl+t, ^g"
move.last = ["end", "$"]
"word" = ""
"""
WANTED = Config(
    theme="light",
    noise=2,
    thinking=False,
    clipboard=("wl-copy", "--trim-newline"),
    slow=True,
    ascii=True,
    mouse=False,
    layout=Layout(detail_open=True, detail_position="below", detail_size=60),
    times=Times(zone="Europe/Madrid", clock="ISO"),
    colours={"error": "bold #ff0000", "dim": ""},
    keys={"follow": "ctrl+t,ctrl+g", "move.last": "end,dollar_sign", "word": ""},
)


def test_every_option_is_read(read: Read) -> None:
    config, problems = read(EVERYTHING)
    assert (config, problems) == (WANTED, [])
    default = Config()
    for option in OPTIONS:
        name = option.name.replace("-", "_").split(".")
        found, usual = config, default
        for part in name:
            found, usual = getattr(found, part), getattr(usual, part)
        assert found != usual, f"{option.name} is not tried"


@pytest.mark.parametrize("config", [Config(), WANTED])
@pytest.mark.parametrize("comments", [True, False])
def test_what_is_written_is_read_back(read: Read, config: Config, comments: bool) -> None:
    assert read(as_toml(config, comments=comments)) == (config, [])


def test_the_commented_file_says_everything(read: Read) -> None:
    text = as_toml(Config())
    assert all(not line or line[0] in "#[" for line in text.splitlines())
    assert max(map(len, text.splitlines())) <= 132
    for word in (*(option.name.rpartition(".")[2] for option in OPTIONS), *ROLES, *VARIANTS, '"talk.next" = "J"'):
        assert word in text
    live = "\n".join(line[1:] if line.startswith("#") and line[1:2] not in (" ", "") else line for line in text.splitlines())
    # With every "#" taken away it is the defaults still; "home" is then one key in all tables.
    config, problems = read(live)
    assert problems == [] and {**config.keys}.keys() <= {"move.first", "sort", "find.start", "help", "quit"}
    assert config.layout == Layout() and config.times == Times() and config.theme == "auto"


def test_nothing_configured_says_nothing() -> None:
    assert as_toml(Config(), comments=False).strip() == ""


@pytest.mark.parametrize(
    ("content", "line", "words"),
    [
        ('\ntheme = "drak"', 2, 'theme takes auto, dark, light, high-contrast, 16 or mono, not "drak"; did you mean dark?'),
        ("theme = 16", 1, "not 16"),
        ("noise = 3", 1, "noise takes a whole number from 0 to 2, not 3"),
        ("noise = true", 1, "not true"),
        ("noise = 1.0", 1, "not 1.0"),
        ("noise = nan", 1, "not NaN"),
        ("noise = 2026-01-01", 1, "not 2026-01-01"),
        ("# x\n\nthinking = 1", 3, "thinking takes true or false, not 1"),
        ('slow = "yes"', 1, 'slow takes true or false, not "yes"'),
        ("ascii = []", 1, "ascii takes true or false, not []"),
        ("mouse = {a = 1}", 1, "mouse takes true or false, not a table"),
        ('clipboard = "wl-copy -n"', 1, 'a command is written ["wl-copy", "-n"]'),
        ('clipboard = "osc 52"', 1, "did you mean osc52?"),
        ("clipboard = []", 1, "clipboard takes"),
        ('clipboard = ["a", 1]', 1, "clipboard takes"),
        ('clipboard = ["a\\u0000"]', 1, "clipboard takes"),
        ("nosie = 1", 1, "there is no option nosie; did you mean noise?"),
        ("xyzzy = 1", 1, "there is no option xyzzy"),
        ('zone = "UTC"', 1, "there is no option zone; zone stands below a line [times]"),
        ("[layout]\nslow = true", 2, "there is no option layout.slow; slow stands above the first [table] line"),
        ("[layout]\ndetail_open = true", 2, "detail-open stands below a line [layout]"),
        ("layout = 3", 1, "layout is a table: its options stand below a line [layout], not 3"),
        ("[[keys]]\na = 1", 1, "keys is a table"),
        ("[layuot]\na = 1", 1, "there is no option layuot; did you mean layout?"),
        ("[layout]\n\ndetail-size = 19", 3, "layout.detail-size takes a whole number from 20 to 80, not 19"),
        ("[layout]\ndetail-size = 81", 2, "not 81"),
        ('layout.detail-position = "left"', 1, "layout.detail-position takes auto, right or below"),
        ("layout = {detail-open = 0}", 1, "layout.detail-open takes true or false, not 0"),
        ('[times]\nzone = "Europe/Madird"', 2, "did you mean Europe/Madrid?"),
        ('[times]\nzone = "../../etc/passwd"', 2, "times.zone takes"),
        ('[times]\nzone = "Europe"', 2, "times.zone takes"),
        ("[times]\nzone = 2", 2, "times.zone takes"),
        ('[times]\nclock = "12h"', 2, "times.clock takes HH:MM:SS, HH:MM or ISO"),
        ('[colours]\neror = "red"', 2, "there is no role eror; did you mean error?"),
        ('[colours]\nok = "reddish"', 2, "colours.ok takes a style"),
        ("[colours]\nok = 7", 2, "colours.ok takes a style"),
        ('[colours]\nok = "red link https://example.org"', 2, "colours.ok takes no link"),
        ('[keys]\nfolow = "x"', 2, "there is no action folow; did you mean follow?"),
        ("[keys]\nfollow = 7", 2, 'keys."follow": takes keys, such as'),
        ('[keys]\nfollow = {on = "x"}', 2, "there is no action follow.on"),
        ('[keys]\nfollow = "entr"', 2, 'keys."follow": "entr" is no key; did you mean enter?'),
        ('[keys]\nfollow = "cntrl+x"', 2, "there is no modifier cntrl; did you mean ctrl?"),
        ('[keys]\nfollow = "shift+1"', 2, "is written as the character it makes"),
        ('[keys]\nfollow = "x,"', 2, '(a comma is written "comma")'),
        ('[keys]\nfollow = "ctrl+"', 2, "a name is missing"),
        ('[keys]\nfollow = ["\\u0007"]', 2, 'keys."follow": "'),
        ('[keys]\nfollow = "ctrl+c"', 2, '"ctrl+c" is kept for leaving the program'),
        ('[keys]\nfollow = "^q"', 2, '"ctrl+q" is kept for leaving the program'),
        ('[keys]\n"follow" = "e"', 2, 'keys."follow": e is the key of "error.next" already'),
        ('[keys]\n\nmove.down = "q"', 3, 'keys."move.down": q is the key of "quit" already'),
        ('[keys.move]\ndown = "q"', 2, 'keys."move.down": q is the key of "quit" already'),
        ('[keys]\nword = "ctrl+m"', 2, 'keys."word": Enter is the key of "detail" already'),
    ],
)
def test_a_mistake_is_told_with_its_line_and_costs_that_value_only(read: Read, content: str, line: int, words: str) -> None:
    other = "thinking = true\n" if content.startswith("slow") else "slow = true\n"
    config, problems = read(content)
    assert len(problems) == 1 and problems[0].startswith(f"config.toml:{line}: ") and words in problems[0]
    assert config == Config(), "the default is used"
    config, problems = read(other + content)
    assert len(problems) == 1 and problems[0].startswith(f"config.toml:{line + 1}: ")
    assert config.slow is (other[0] == "s"), "everything else holds"


def test_problems_come_by_line(read: Read) -> None:
    config, problems = read('[keys]\nfollow = "q"\n[times]\nzone = "x"\nclock = "HH:MM"\n[layout]\na = 1\n')
    assert [problem.split(":")[1] for problem in problems] == ["2", "4", "7"]
    assert config.times.clock == "HH:MM"


@pytest.mark.parametrize(
    ("content", "line", "words"),
    [
        ("slow = true\ntheme = \nnoise = 1", 2, "invalid value"),
        ("slow = true\nnoise", 2, "expected '='"),
        ("slow = true\nslow = true", 2, "cannot overwrite a value"),
        ('a = "\x07"', 1, "illegal character '\\x07'"),
        ("[times\n", 1, "expected ']'"),
        ('x = """\n\n', 1, ""),
        (b"slow = true\n\n# \xff", 3, "this is no UTF-8 text"),
        ("a" + ".a" * 200 + " = 1", 1, "more than 100 parts"),
    ],
)
def test_what_is_no_toml_names_the_line(read: Read, content: str | bytes, line: int, words: str) -> None:
    config, problems = read(content)
    assert config == Config() and len(problems) == 1
    assert problems[0].startswith(f"config.toml:{line}: ") and words in problems[0] and "the defaults are used" in problems[0]


@pytest.mark.parametrize("content", ["a = " + "[" * 5000, "noise = " + "9" * 5000])
def test_what_python_cannot_read_is_told_too(read: Read, content: str) -> None:
    config, problems = read(content)
    assert config == Config() and len(problems) == 1 and "does not read as TOML" in problems[0]


def test_a_windows_file_with_a_mark(read: Read) -> None:
    config, problems = read(b"\xef\xbb\xbfslow = true\r\n\r\nnosie = 1\r\n")
    assert config.slow and problems[0].startswith("config.toml:3: ")


def test_no_problem_acts_on_the_terminal(read: Read) -> None:
    _, problems = read(
        '"\\u001b[31m\\u202e" = 1\ntheme = "\\u001b]0;x\\u0007\\u009b"\n[keys]\n"\\u0007" = "x"\nfollow = ["\\u001b"]\n'
    )
    assert len(problems) == 4 and all(problem.isprintable() and "\u202e" not in problem for problem in problems)
    assert "␛" in problems[0]


def test_many_mistakes_are_counted(read: Read) -> None:
    _, problems = read("[keys]\n" + "".join(f"x{number} = 1\n" for number in range(9_000)))
    assert len(problems) == 51 and problems[-1] == "config.toml: 8,950 more problems"
    _, problems = read("x" * 100_000 + " = 1")
    assert len(problems[0]) < 200


def test_a_file_that_is_not_there(tmp_path: Path, home: Path) -> None:
    assert load() == (Config(), [])
    config, (problem,) = load(tmp_path / "mine.toml")
    assert config == Config() and str(problem).endswith("mine.toml: No such file or directory")
    assert not list(home.iterdir()), "reading makes nothing"


def test_a_file_of_another_kind(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "large").write_bytes(b"#" * 300_000)
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    for name in ("pipe", "large", "loop", "", "x\0y"):
        config, problems = load(f"{tmp_path}/{name}")
        assert config == Config() and len(problems) == 1 and problems[0].line == 0 and str(problems[0]).isprintable()


def test_a_file_that_may_not_be_read(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text("slow = true")
    path.chmod(0)
    config, problems = load(path)
    if os.geteuid():
        assert config == Config() and "Permission denied" in str(problems[0])
    else:
        assert config.slow


def test_the_person_s_own_file_may_be_a_link(tmp_path: Path) -> None:
    (tmp_path / "dotfiles.toml").write_text("slow = true")
    config_path().parent.mkdir(parents=True)
    config_path().symlink_to(tmp_path / "dotfiles.toml")
    assert load()[0].slow


def test_without_a_home_the_defaults_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", "relative")
    monkeypatch.setattr("asz_tui.files.os.path.expanduser", lambda path: path)
    config, (problem,) = load()
    assert config == Config() and "no home directory" in str(problem)


def test_lines_are_found_behind_everything_a_value_may_be() -> None:
    places = Places(
        '# [no]\na = """\nb = 1\n\\""""\nc = [ # ]\n  "]", [1,\n 2],\n]\n\'d e\' = \'\'\'\n[x]\n\'\'\'\n"f\\u0067".h = {i = "}"}\n'
        "[j . k]\nl.m = 'n#' # o\n[[p]]\nq = 1\n"
    )
    found = {
        path: places.line(path)
        for path in [("a",), ("c",), ("d e",), ("fg", "h"), ("fg", "h", "i"), ("j", "k"), ("j", "k", "l", "m")]
    }
    assert list(found.values()) == [2, 5, 9, 12, 12, 13, 14]
    assert (places.line(("p", "q")), places.line(("b",)), places.line(("x",))) == (16, 1, 1)


# --- what the values are for


def test_the_theme_no_color_and_own_colours() -> None:
    assert Config().variant({}) == "auto" and Config().variant({"NO_COLOR": "1"}) == "mono"
    assert Config(theme="dark").variant({"NO_COLOR": "1"}) == "dark"
    styles = Config(theme="dark", colours={"error": "underline", "dim": ""}).styles({})
    assert styles["error"].underline and not styles["dim"] and styles["ok"] == styles_for("dark")["ok"]
    assert set(styles) == set(ROLES) and styles_for("dark")["error"] != styles["error"], "the shared ones are as they were"


def test_zones_and_clocks() -> None:
    assert (zone_of("local"), zone_of("UTC"), zone_of("Asia/Tokyo")) == (None, UTC, ZoneInfo("Asia/Tokyo"))
    with pytest.raises(ValueError):
        zone_of("x" * 5000)
    at = 1_767_276_309_000
    assert Config(times=Times(zone="Asia/Tokyo")).tz == ZoneInfo("Asia/Tokyo")
    assert [clock_text(at, UTC, clock) for clock in ("HH:MM:SS", "HH:MM", "ISO")] == ["14:05:09", "14:05", "2026-01-01T14:05:09"]
    from asz_tui.config.times import CLOCK_WIDTHS

    for clock, width in CLOCK_WIDTHS.items():
        assert len(clock_text(at, UTC, clock)) == len(clock_text(0, UTC, clock)) == width
        assert not any(char.isdigit() for char in clock_text(0, UTC, clock))
