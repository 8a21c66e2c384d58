"""The explorer application: its sources, its clock, its colours, and the watcher that tells screens what changed on disk.

Textual is imported here and below `screens/` and `lines/` only, so that commands without a screen start without it. The way to the
first frame is kept short: a screen, a pane or a dialog is imported when it is first shown, the watcher begins behind the first
frame, and a conversation that was named is opened without the list below it, which is made when somebody goes back to it.
"""

from __future__ import annotations

import asyncio
import contextlib
import locale
import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from datetime import tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, TextIO

from textual.app import App
from textual.binding import Binding, BindingType
from textual.message import Message

from asz_core import AszError, Root

from .config import Config, Problem, applied, keymap, load
from .keys import Key
from .lines.theme import styles_for
from .session.first import FirstListing, FirstReading
from .state import StateStore

if TYPE_CHECKING:
    from asz_core.live import Told
    from asz_core.watch import Changes, RootWatcher

    from .collector import Pause
    from .live import Live


_BELOW_FIRST = 1
"""Screens below the first that is shown: Textual's own empty one."""


_LOOKS_AT_TERMINAL, _LAST_WAIT = 3.0, 2.0
"""Seconds between two looks whether the terminal is still there, and for leaving when it is not."""


class RootChanged(Message):
    """Something changed in the storage root."""

    def __init__(self, changes: Changes) -> None:
        """Say what."""
        super().__init__()
        self.changes = changes


class LiveTold(Message):
    """The collector told something."""

    def __init__(self, told: Told) -> None:
        """Carry it."""
        super().__init__()
        self.told = told


class Baseline(Message):
    """The watcher knows the root now; whatever changes from here on is reported."""


class AszApp(App[int]):
    """The explorer over one storage root.

    Attributes:
        root: the open root.
        ascii_mode: whether to write ASCII only.
        slow: whether the line is slow: fewer, larger repaints.
        line_styles: role -> style, read by every line view.
    """

    CSS_PATH = "asz.tcss"
    TITLE = "asz-tui"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+c,ctrl+q", "quit", "quit", priority=True)]

    def __init__(
        self,
        root: Root,
        conversation: str | None = None,
        node: str | None = None,
        *,
        ascii_only: bool = False,
        slow: bool = False,
        variant: str = "",
        tz: tzinfo | None = None,
        now_ms: Callable[[], int] | None = None,
        watch: bool = True,
        native: bool = True,
        config: Config | None = None,
        problems: Sequence[Problem] = (),
        state: StateStore | None = None,
        reading: FirstReading | None = None,
        listing: FirstListing | None = None,
        pause: Pause | None = None,
        live: Live | None = None,
    ) -> None:
        """
        Args:
            root: the open root.
            conversation: open this one at once (a whole id).
            node: and put the cursor on this node.
            ascii_only: write ASCII only.
            slow: for slow lines.
            variant: the colours, see `lines.theme`; the configuration's when left out.
            tz: zone of the clock times; the configuration's when left out.
            now_ms: the clock in unix milliseconds; tests freeze it.
            watch: follow what changes on disk.
            native: use the system's file events beside the poll.
            config: the person's configuration.
            problems: what was wrong with it; said once.
            state: where visits and sizes are remembered; nowhere when left out.
            reading: the first reading of the conversation when it began already.
            listing: that of the first rows of the list, likewise.
            pause: of the garbage collector, which is to end with the first frame.
            live: what collects into the root meanwhile.
        """
        super().__init__(ansi_color=True)
        self.animation_level = "none"
        self.root = root
        self.ascii_mode = ascii_only
        self.set_class(ascii_only, "ascii")
        self.slow = slow
        self.config = config or Config()
        self.problems = list(problems)
        self.state = state
        self.tz = tz or self.config.tz
        self.now_ms = now_ms or (lambda: int(time.time() * 1000))
        self.line_styles = styles_for(variant) if variant else self.config.styles()
        self.watcher: RootWatcher | None = None
        self._first = (conversation, node)
        self._reading = reading
        self._listing = listing
        self._pause = pause
        self.live = live
        self._watch = watch
        self._begun = False
        self._native = native
        self.set_keymap(keymap(self.config))

    def keys_of(self, table: tuple[Key, ...]) -> tuple[Key, ...]:
        """A table of keys as the person configured it."""
        return tuple(applied(self.config, table))

    def on_mount(self) -> None:
        """Open the first screen."""
        self.theme = "ansi-dark"
        self._leave_on_signals()
        self.set_interval(_LOOKS_AT_TERMINAL, self._leave_without_terminal)
        if self.live is not None:
            self.live.listen(self._live_told)
        conversation, node = self._first
        if conversation:
            from .screens.conversation import ConversationScreen

            if self.live is not None:
                self.live.want(conversation)
            self.push_screen(ConversationScreen(conversation, node, reading=self._reading))
            self._reading = None
        else:
            from .screens.home import HomeScreen

            self.push_screen(HomeScreen(listing=self._listing))
            self._listing = None

    def first_frame_shown(self) -> None:
        """Begin what nobody should wait for; for a screen to call when what it has to show is shown, as often as it likes."""
        if self._begun:
            return
        self._begun = True
        if self._pause is not None:
            self._pause.end()
        if self._watch:
            from asz_core.watch import RootWatcher

            self.watcher = RootWatcher(self.root.path, self._changed, native=self._native)
            self.watcher.start()
            threading.Thread(target=self._wait_for_baseline, args=(self.watcher,), name="asz-baseline", daemon=True).start()
            for screen in self.screen_stack:
                focus = getattr(screen, "focus_watcher", None)
                if focus is not None:
                    focus()

    def _leave_on_signals(self) -> None:
        """Leave the terminal as it was when the program is told to end, or the line drops."""
        loop = asyncio.get_running_loop()
        for name in ("SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            # Only the main thread of a process may take signals; a test that runs the app elsewhere goes without.
            with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
                if number is not None:
                    loop.add_signal_handler(number, self.exit, 128 + number, 128 + number)

    def _leave_without_terminal(self) -> None:
        """Leave when the terminal is gone and no signal said so: reading from it would go on for ever, and find nothing."""
        if not self.is_headless and terminal_is_gone(sys.__stdin__):
            # Textual's last words to the terminal may wait for ever for a writer that has failed.
            end = threading.Timer(_LAST_WAIT, os._exit, (128 + 1,))
            end.daemon = True
            end.start()
            self.exit(128 + 1, 128 + 1)

    def _wait_for_baseline(self, watcher: RootWatcher) -> None:
        """In a thread: what landed after a screen read and before the watcher's first look would be told by nobody else."""
        watcher.ready.wait()
        with contextlib.suppress(RuntimeError):
            self.post_message(Baseline())

    def on_baseline(self) -> None:
        """Let every open screen look once more."""
        for screen in self.screen_stack:
            told = getattr(screen, "look_again", None)
            if told is not None:
                told()

    def _changed(self, changes: Changes) -> None:
        # Called in the watcher's thread; the app may be on its way out.
        with contextlib.suppress(RuntimeError):
            self.post_message(RootChanged(changes))

    def on_root_changed(self, message: RootChanged) -> None:
        """Tell every open screen; a screen below keeps up too, so that going back shows what is so."""
        for screen in self.screen_stack:
            told = getattr(screen, "root_changed", None)
            if told is not None:
                told(message.changes)

    def _live_told(self, told: Told) -> None:
        # Called in the collector's thread, mostly; the app may be on its way out.
        with contextlib.suppress(RuntimeError):
            self.post_message(LiveTold(told))

    def on_live_told(self, message: LiveTold) -> None:
        """Tell every open screen what the collector told."""
        assert self.live is not None
        self.live.take(message.told)
        for screen in self.screen_stack:
            told = getattr(screen, "live_told", None)
            if told is not None:
                told(message.told)

    def open_conversation(self, conversation: str, node: str | None = None, query: str = "") -> None:
        """Open a conversation over the screen that is shown, on a node, with a search going on."""
        from .screens.conversation import ConversationScreen

        if self.live is not None:
            self.live.want(conversation)
        self.push_screen(ConversationScreen(conversation, node, query))

    def leave_conversation(self, conversation: str) -> None:
        """Go back from a conversation to where it was opened, or to the list when it was opened at once."""
        if self.live is not None:
            self.live.want("")
        if len(self.screen_stack) > _BELOW_FIRST + 1:
            self.screen.dismiss(None)
            return
        from .screens.home import HomeScreen

        self.switch_screen(HomeScreen(conversation))

    async def action_quit(self) -> None:
        """Leave."""
        self.exit(0)

    def on_unmount(self) -> None:
        """End the watcher and the collector."""
        if self.live is not None:
            self.live.stop()
        if self.watcher is not None:
            self.watcher.stop()
            self.watcher = None


def terminal_is_gone(stream: TextIO | None) -> bool:
    """Whether a stream was a terminal that has been hung up."""
    try:
        poll = select.poll()
        poll.register(stream.fileno(), 0)  # type: ignore[union-attr] # hang-ups are reported without being asked for
        return any(event & (select.POLLHUP | select.POLLNVAL) for _, event in poll.poll(0))
    except (OSError, ValueError, AttributeError):
        return False


def wants_ascii() -> bool:
    """Whether the locale cannot show Unicode."""
    encoding = locale.getpreferredencoding(False).lower().replace("-", "")
    return encoding not in ("utf8", "utf")


def run_explorer(
    roots: list[Path],
    conversation: str | None = None,
    node: str | None = None,
    *,
    ascii: bool = False,
    slow: bool = False,
    mouse: bool = True,
    demo: bool = False,
    reading: FirstReading | None = None,
    listing: FirstListing | None = None,
    pause: Pause | None = None,
    live: Live | None = None,
) -> int:
    """Run the explorer until the person leaves it.

    Args:
        roots: the storage roots; the first is opened.
        conversation: an id or the beginning of one to open at once.
        node: a node to put the cursor on.
        ascii: write ASCII only; also so when the locale is not UTF-8.
        slow: for slow lines.
        mouse: take the mouse.
        demo: the root is the bundled sample.
        reading: the first reading of the conversation when it began already; the id is a whole one then.
        listing: that of the first rows of the list, likewise.
        pause: of the garbage collector, which is to end with the first frame.
        live: what collects into the root meanwhile; the conversation is a whole id of a session then.

    Returns:
        The exit code.

    Raises:
        AszError: when a root or a conversation cannot be opened.
    """
    root = Root(roots[0])
    found = root.resolve(conversation) if conversation and reading is None and live is None else conversation
    config, problems = load()
    app = AszApp(
        root,
        found,
        node,
        ascii_only=ascii or config.ascii or wants_ascii(),
        slow=slow or config.slow,
        config=config,
        problems=problems,
        state=StateStore(),
        reading=reading,
        listing=listing,
        pause=pause,
        live=live,
    )
    app.title = "asz-tui demo" if demo else "asz-tui live" if live else "asz-tui"
    # Threads that read, search and write to the terminal hand over sooner: a key waits a millisecond for them, not five.
    sys.setswitchinterval(0.001)
    code = app.run(mouse=mouse and config.mouse)
    return code if code is not None else (app.return_code or 0)


__all__ = ["AszApp", "AszError", "RootChanged", "run_explorer"]
