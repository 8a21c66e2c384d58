"""A process of its own that looks for one regular expression; run as a script by `guard`, it imports nothing of this package.

It reads a line of JSON, the pattern and its flags; then for each line with a list of texts and the seconds that each may take it
writes a line with what was found in each: where it begins and ends, null for nothing, false where it took too long.
"""

import json
import re
import signal
import sys
import warnings


class _TooLong(Exception):
    """A text took too long."""


def _ring(*_: object) -> None:
    raise _TooLong


def _look(pattern: "re.Pattern[str]", text: str, seconds: float) -> object:
    timed = hasattr(signal, "setitimer")
    try:
        # The engine looks for signals while it works, so an alarm ends a match wherever it is.
        if timed:
            signal.setitimer(signal.ITIMER_REAL, seconds)
        match = pattern.search(text)
        if timed:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except _TooLong:
        return False
    return match.span() if match is not None else None


def main() -> None:
    """Answer until the other side closes."""
    if hasattr(signal, "SIGALRM"):
        signal.signal(signal.SIGALRM, _ring)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    text, flags = json.loads(sys.stdin.readline())
    warnings.simplefilter("ignore")
    pattern = re.compile(text, flags)
    for line in sys.stdin:
        texts, seconds = json.loads(line)
        sys.stdout.write(json.dumps([_look(pattern, text, seconds) for text in texts]) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
