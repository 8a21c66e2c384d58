"""Collecting: from a Claude Code directory to landed Session Data, as the original lands it, byte for byte.

    from asz_core.collect import Collector, default_source

    collector = Collector(default_source(os.environ), "asz-root")
    report = collector.collect_pass()           # what is new since the last pass, also since one of another process
    report.landed                               # sessions that are to be assembled now

Layers, each importing only what stands before it: ``spelling payload`` · ``shapes sources`` · ``difference changes blocks
cursors selection`` · ``convert landing`` · ``incremental`` · ``collector``. Section signs name the collecting specification.
"""

from ..writing import PRIVATE, SHARED, Modes
from .collector import Collector, PassReport
from .convert import record_line
from .incremental import Tally
from .selection import DEFAULT_EXCLUDE, Selection
from .sources import Found, Source, SourceError, default_source, find, is_session

__all__ = [
    "DEFAULT_EXCLUDE",
    "PRIVATE",
    "SHARED",
    "Collector",
    "Found",
    "Modes",
    "PassReport",
    "Selection",
    "Source",
    "SourceError",
    "Tally",
    "default_source",
    "find",
    "is_session",
    "record_line",
]
