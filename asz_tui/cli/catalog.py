"""What there is to type: every command and option with the words that its help says. Data only; the help and the parser read it."""

from __future__ import annotations

from .parser import Command, Option, at_least, instant, seconds

COMMON = (
    Option("--root", "the storage root; else $ASZ_ROOT, else storage.root of ./asz.yaml", value="DIR"),
    Option("-h --help", "show this help"),
    Option("-V --version", "show the version"),
)
"""Options that may stand before the command and after it."""

_JSON = Option("--json", "print JSON")
_ASCII = Option("--ascii", "draw with ASCII characters only")
_NO_COLOR = Option("--no-color", "never use colours, also in a terminal")
_WIDTH = Option(
    "-w --width",
    "clip lines to N columns; 0 clips nothing (default: the terminal's width, 0 elsewhere)",
    value="N",
    convert=at_least(0),
)
_INFER = Option("--infer", "infer what older versions of Claude Code did not write, under a policy of our own; see below")
_SCREEN = (
    _ASCII,
    Option("--slow", "fewer frames and no animation, for slow links"),
    Option("--no-mouse", "leave the mouse to the terminal"),
)

EXPLORER = Command(
    "",
    "explore",
    "open the explorer",
    words="[ROOT] [ID[#NODE]]",
    most=2,
    options=_SCREEN,
)

COMMANDS = (
    EXPLORER,
    Command(
        "live",
        "live",
        "watch the Claude Code sessions of this machine: collected in the background while they run",
        words="[PROJECT|SESSION]",
        most=1,
        options=(
            Option("--source", "the Claude Code projects directory (default: where Claude Code keeps it)", value="DIR"),
            Option("--forget", "remove a session from what was collected, and do not collect it again", value="SESSION"),
            *_SCREEN,
        ),
        about="PROJECT is a directory, whose newest session is opened; SESSION is an id, or the beginning of one. What is\n"
        "collected is kept below $XDG_DATA_HOME/asz-tui/live, which nobody else can read; the source is never written to.\n"
        "A session that was forgotten is collected again once it is named here.",
        examples=("asz-tui live", "asz-tui live .", "asz-tui live --forget 5eed0002"),
    ),
    Command(
        "list",
        "listing",
        "list the conversations, newest activity first",
        options=(
            _JSON,
            Option("-q --quick", "only what the newest headers say; a dash stands for the rest"),
            _WIDTH,
            _ASCII,
        ),
        about="State: 'chained' when every round links to the one before, 'incomplete' or 'mismatch' when not, '-' when that\n"
        "was not looked at. Whether a conversation is verified takes its landed files too: see 'asz-tui verify'.",
    ),
    Command(
        "conversation",
        "conversation",
        "print one conversation: a summary, or the whole document",
        words="ID",
        least=1,
        most=1,
        options=(
            Option("--json", "print the asz.view document as JSON"),
            Option("--yaml", "print the asz.view document as YAML"),
            _ASCII,
        ),
        examples=("asz-tui conversation -json 5eed0002 | jq .summary",),
    ),
    Command(
        "verify",
        "verify",
        "check every round and every landed file; exit 1 on any problem",
        words="[ID]",
        most=1,
        options=(Option("-q --quiet", "print the problems only, not what was checked"), _ASCII),
        about="Checks that every round reads, links and matches the landed files, and every landed file its closing line,\n"
        "also where no conversation was made of a session yet. One line a problem; the last line says what was checked.",
    ),
    Command(
        "view",
        "view",
        "serve the documents over HTTP until Ctrl+C",
        words="[ADDR]",
        most=1,
        options=(
            Option("--allow-remote", "allow an address that other machines reach; whoever reaches it reads everything"),
            Option("-v --verbose", "print a line for each request on standard error"),
        ),
        about="ADDR is HOST:PORT, :PORT or PORT; the default is 127.0.0.1:8787, and port 0 takes a free one.",
        examples=("asz-tui view :0",),
    ),
    Command(
        "show",
        "show",
        "print a conversation's tree as plain text",
        words="ID[#NODE]",
        least=1,
        most=1,
        options=(
            Option("-d --depth", "show N levels; 1 is the talks alone", value="N", convert=at_least(1)),
            Option(
                "-k --kind",
                "only nodes of this kind; may stand several times; 'tool*' takes all that begin so",
                value="KIND",
                repeat=True,
            ),
            Option("-s --stream", "only this stream: its name, its label, or the beginning of one", value="STREAM"),
            Option("-e --edges", "list the relations of each node below it"),
            _WIDTH,
            _ASCII,
            _NO_COLOR,
        ),
        examples=("asz-tui show 5eed0002 --kind tool --width 100", "asz-tui show 5eed0002 --depth 2"),
    ),
    Command(
        "tail",
        "tail",
        "print the newest steps, and steps as they land until Ctrl+C",
        words="ID",
        least=1,
        most=1,
        options=(
            Option("--json", "one JSON object a line: the node as the document has it, with its label"),
            Option("-n --lines", "begin with the newest N steps (default 10)", value="N", convert=at_least(0)),
            Option("-f --follow", "wait for what lands (the default)"),
            Option("--once", "end after the newest steps"),
            _WIDTH,
            _ASCII,
            _NO_COLOR,
        ),
        examples=("asz-tui tail 5eed0005 --json -n 0 | jq -r .label",),
    ),
    Command(
        "collect",
        "collect",
        "land what is new in a Claude Code directory, pass after pass until Ctrl+C",
        options=(
            Option("--once", "make one pass and end"),
            Option("--interval", "wait so long between two passes (default 2s)", value="TIME", convert=seconds),
            Option("--source", "the Claude Code projects directory (default: where Claude Code keeps it)", value="DIR"),
            Option("--no-assemble", "land only; make no conversations of it"),
            _INFER,
            Option("--include", "only sessions of projects that match; may stand several times", value="GLOB", repeat=True),
            Option(
                "--exclude",
                "no sessions of projects that match; may stand several times (default '/private/tmp/**')",
                value="GLOB",
                repeat=True,
            ),
            Option("--at", "the time of the passes, in place of now; for tests", value="TIME", convert=instant),
            _ASCII,
        ),
        about="With --infer, sessions without the ids of prompts and origins get talks and questions, and children of any\n"
        "shape are collected, each marked as inferred; 'live' always does so. A chain that was begun without stays without.\n"
        "A GLOB is matched with the name of a project directory; one that begins with / is a path, and /** takes what is\n"
        "below it too. A session that another collector holds is left alone. Exit code 1 when a source conflicts with what\n"
        "landed of it, when something cannot be read or written, or when an assembly fails; the rest is collected all the same.",
        examples=("asz-tui collect --once --root asz-root --include '/srv/shop/**'",),
    ),
    Command(
        "assemble",
        "assemble",
        "make the rounds that are due for what landed; exit 1 when one cannot be made",
        words="[ID…]",
        most=10_000,
        options=(_INFER, _ASCII),
        about="With --infer, what older versions of Claude Code did not write is inferred and marked so; the policy of the\n"
        "chain says so, and a chain that was begun under the other policy is refused.\n"
        "Reads the landed files of a session strictly and writes the next rounds of its chain, byte for byte as the\n"
        "original does; one line a session. Without an ID every session of the root. A chain whose lock another program\n"
        "holds is left alone, exit 1.",
        examples=("asz-tui assemble --root ~/asz-root", "asz-tui assemble 5eed0003"),
    ),
    Command(
        "demo",
        "demo",
        "open the explorer on a bundled sample",
        options=(Option("--live", "land the sample's rounds one by one, so that it can be seen growing"), *_SCREEN),
    ),
    Command(
        "config",
        "config",
        "show the configuration: every option with its default",
        options=(
            Option("--show", "print it as it is read, with what every option does (the default)"),
            Option("--path", "print where it is kept, whether it is there or not"),
            Option("--init", "write a first one, every line a comment; one that is there is left alone"),
        ),
        about="The configuration is $XDG_CONFIG_HOME/asz-tui/config.toml. A mistake in it is told with its line, exit code 1, and\n"
        "the default is used in its place.",
    ),
    Command("help", "help", "show the help of a command", words="[COMMAND]", most=1),
)


def names() -> list[str]:
    """The names of the commands."""
    return [command.name for command in COMMANDS if command.name]
