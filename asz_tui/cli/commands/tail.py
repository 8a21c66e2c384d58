"""`asz-tui tail ID`: the newest steps in record order, then what each round brings as it lands, for pipes and screen readers."""

from __future__ import annotations

import contextlib
import queue
from collections.abc import Iterable

import msgspec

from asz_core.conversation import Conversation, Update
from asz_core.document.tree import Tree
from asz_core.root import Root
from asz_core.sessionflow import Node, record_order
from asz_core.vocabulary import is_step
from asz_core.watch import Changes, RootWatcher

from ...grammar import Grammar, Said
from ...text.cells import pad
from ...text.safe import visible
from ..output import Printer, complain, inert_json, reader_is_there, write_bytes
from ..parser import Parsed, UsageError
from ..progress import ProgressLine
from ..rows import LineMaker, clock_of
from ..source import open_root

_FIRST = 10
_STREAM = 12
_LOOK = 1.0
"""Seconds after which a quiet tail looks whether anybody still reads it."""


def run(parsed: Parsed) -> int:
    """Print steps; follow unless that is not wanted."""
    if parsed["once"] and parsed["follow"]:
        raise UsageError("'tail' follows or ends at once, not both", parsed.name)
    root = open_root(parsed["root"])
    with ProgressLine() as progress:
        conversation = root.load(parsed.words[0], progress=progress.part if progress.on else None)
    conversation.require_usable()
    tail = _Tail(conversation, parsed)
    count = _FIRST if parsed["lines"] is None else parsed["lines"]
    with contextlib.suppress(KeyboardInterrupt):
        tail.begin(count)
        if not parsed["once"]:
            _follow(root, tail)
    return 0


class _Tail:
    """Prints steps of a conversation."""

    def __init__(self, conversation: Conversation, parsed: Parsed) -> None:
        self.conversation = conversation
        self._printer = Printer(ascii_only=parsed["ascii"])
        self._lines = LineMaker(parsed, self._printer)
        self._as_json: bool = parsed["json"]
        self._grammar = Grammar(conversation, ascii_only=self._printer.ascii_only)
        self._fold = conversation.fold

    def begin(self, count: int) -> None:
        """Print the newest steps."""
        steps = _in_order(self._fold.nodes.values())
        self._print(steps[-count:] if count else [], frozenset())

    def take(self, update: Update) -> None:
        """Print what a refresh brought."""
        if not update:
            return
        self._grammar.forget()
        if update.restarted:
            complain(f"the rounds of {self.conversation.id} were replaced; they were read anew")
            new, changed = self._compared()
        else:
            new = {name for delta in update.deltas for name in delta.added}
            changed = {name for delta in update.deltas for name in delta.changed} - new
        nodes = self.conversation.fold.nodes
        self._print(_in_order(nodes[name] for name in new | changed if name in nodes), changed)

    def _compared(self) -> tuple[set[str], set[str]]:
        """What is new and what is another than before, where the fold began anew."""
        old, now = self._fold.nodes, self.conversation.fold.nodes
        self._fold = self.conversation.fold
        return now.keys() - old.keys(), {name for name in now.keys() & old.keys() if now[name] != old[name]}

    def _print(self, steps: list[Node], changed: Iterable[str]) -> None:
        for node in steps:
            said = self._grammar.describe(Tree(self.conversation.fold, node, self.conversation.data.time), 0)
            if self._as_json:
                write_bytes((self._json(node, said, node.id in changed),))
            else:
                self._line(node, said, node.id in changed)

    def _line(self, node: Node, said: Said, changed: bool) -> None:
        ns = self.conversation.data.time(node.ref.seq, node.ref.row) if node.ref is not None else 0
        self._printer.lines(self._lines.day(ns))
        glyph, role = self._grammar.glyph(node)
        left = [
            ("▎" if changed else " ", "mark"),
            (f"{clock_of(ns)} ", "time"),
            (f"{pad(self._stream(node), _STREAM, self._printer.text('…'))} ", "agent"),
            (f"{glyph} ", role),
        ]
        if said.name:
            left.append((f"{said.name} ", role))
        left.append((said.label, said.role))
        self._printer.line(self._lines.line(left, self._grammar.right_side(said)))
        self._printer.flush()

    def _stream(self, node: Node) -> str:
        role, label = self._grammar.stream_role(node.stream)
        return self._printer.text(visible(("main" if role == "main" else label or node.stream)[:80]) or "-")

    def _json(self, node: Node, said: Said, changed: bool) -> bytes:
        """The node as the document has it, with its label, the round it came with and whether it was there before."""
        view = self.conversation.view(node.id)
        assert view is not None
        view.label = f"{said.name} {said.label}".strip()
        more = msgspec.json.encode({"round": node.revision, "changed": changed})
        return inert_json(msgspec.json.encode(view)[:-1] + b"," + more[1:] + b"\n")


def _in_order(nodes: Iterable[Node]) -> list[Node]:
    return sorted((node for node in nodes if is_step(node.kind)), key=record_order)


def _follow(root: Root, tail: _Tail) -> None:
    """Print what lands until nobody reads any more."""
    heard: queue.SimpleQueue[Changes] = queue.SimpleQueue()
    watcher = RootWatcher(root.path, heard.put)
    watcher.focus([tail.conversation.id], [tail.conversation.data.session])
    watcher.start()
    try:
        watcher.ready.wait()
        follower = _Follower(watcher, tail)
        # What landed between the first reading and the watcher's first look is reported by nobody.
        follower.refresh()
        while True:
            try:
                follower.hear(heard.get(timeout=_LOOK))
            except queue.Empty:
                if not reader_is_there():
                    return
    finally:
        watcher.stop()


class _Follower:
    """Turns what a watcher reports into refreshes, and trouble into a sentence on standard error."""

    def __init__(self, watcher: RootWatcher, tail: _Tail) -> None:
        self._watcher, self._tail = watcher, tail
        self._gone = False
        self._stopped = self._told = tail.conversation.chain.stopped

    def hear(self, changes: Changes) -> None:
        """Take in one report."""
        conversation = self._tail.conversation
        if changes.root_gone or conversation.id in changes.removed:
            self._lose()
        ours = conversation.id in changes.conversations or conversation.data.session in changes.sessions
        if changes.root_back or ours:
            self.refresh()

    def refresh(self) -> None:
        """Read what is new, and ask to hear again where something does not read yet."""
        conversation = self._tail.conversation
        pending = conversation.read_new()
        if not pending.rounds:
            # What was read stays; taking in that nothing is there would forget it.
            self._lose()
            return
        if self._gone:
            complain(f"{conversation.id} is back")
            self._gone = False
        self._tail.take(conversation.take(pending))
        if conversation.chain.unread:
            self._watcher.again(conversation.id)
        else:
            self._watcher.done(conversation.id)
        self._say_why_stopped(conversation.chain.stopped)

    def _lose(self) -> None:
        if not self._gone:
            complain(f"{self._tail.conversation.id} is gone; waiting for it to come back")
        self._gone = True

    def _say_why_stopped(self, stopped: str) -> None:
        # A file that is still being copied does not read for a moment; what is so twice is worth a word.
        if stopped and stopped == self._stopped and stopped != self._told:
            complain(f"{self._tail.conversation.id}: {stopped}")
            self._told = stopped
        self._stopped = stopped
