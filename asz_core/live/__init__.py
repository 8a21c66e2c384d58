"""Live: the sessions of a Claude Code directory, collected and assembled in the background while they grow.

    from asz_core.live import LiveProcess, home_root

    root = home_root(os.environ, source)
    live = LiveProcess(source, root, print).start()   # messages: sessions, newest first to be collected, and how far it is
    live.want("5eed0002-…")                           # this one first; a large one gets a preview
    live.stop()

Layers: ``places sessions bell`` · ``preview choosing`` · ``keeper`` · ``channel``. Only whoever offers `live` imports this.
"""

from ..collect import default_source
from .channel import LiveProcess
from .choosing import matching, newest_of
from .keeper import Keeper, LiveProgress, Told
from .places import ForgetError, forget, forgotten, home_root, prepare
from .sessions import BEHIND, COLLECTED, NEW, LiveSession

__all__ = [
    "BEHIND",
    "COLLECTED",
    "NEW",
    "ForgetError",
    "Keeper",
    "LiveProcess",
    "LiveProgress",
    "LiveSession",
    "Told",
    "default_source",
    "forget",
    "forgotten",
    "home_root",
    "matching",
    "newest_of",
    "prepare",
]
