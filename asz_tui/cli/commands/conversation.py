"""`asz-tui conversation [-json|-yaml] ID`: the whole document, or a summary of the fold.

The document is the one command whose time counts, so this module imports nothing but the core until something else is asked for.
"""

from __future__ import annotations

import gc
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from asz_core.errors import ChainError
from asz_core.root import Root
from asz_core.sessionflow import attrs_of

from ...collector import paused
from ..output import Printer, is_terminal, write_bytes
from ..parser import Parsed, UsageError
from ..source import root_path

if TYPE_CHECKING:
    from asz_core.sessionflow import Chain, Header, Node
    from asz_core.storage import LandedFile

    from ..progress import ProgressLine


def run(parsed: Parsed) -> int:
    """Print one conversation."""
    if parsed["json"] and parsed["yaml"]:
        raise UsageError("'conversation' prints JSON or YAML, not both", parsed.name)
    root = Root(root_path(parsed["root"]))
    if parsed["json"] or parsed["yaml"]:
        _print_document(root, parsed)
    else:
        _print_summary(root, parsed.words[0], Printer(ascii_only=parsed["ascii"]))
    return 0


def _print_document(root: Root, parsed: Parsed) -> None:
    # A document is hundreds of thousands of objects that all live until it is printed; the collector's walks over them together
    # take as long as the building.
    with paused(), _progress() as progress:
        conversation = root.load(parsed.words[0], progress=progress.part if progress else None, keep_records=True)
        conversation.require_usable()
        if progress:
            progress.say("building the document")
        chunks = conversation.yaml() if parsed["yaml"] else conversation.json_chunks()
        if progress:
            progress.wipe()
        write_bytes(chunks)
        if parsed.one_shot:
            # Neither object by object nor by a last walk of the collector over all of it.
            parsed.kept = conversation
            gc.freeze()


def _progress() -> AbstractContextManager[ProgressLine | None]:
    if not is_terminal(sys.stderr):
        return nullcontext()
    from ..progress import ProgressLine

    return ProgressLine()


def _print_summary(root: Root, wanted: str, printer: Printer) -> None:
    """What the rounds alone tell; no landed file is read."""
    from asz_core.sessionflow import Chain

    with _progress() as progress:
        conversation = root.resolve(wanted)
        chain = Chain(root.storage, conversation)
        chain.refresh((lambda done, total: progress.part("rounds", done, total)) if progress else None)
    if chain.fold.header is None:
        raise ChainError(f"{conversation}: {chain.stopped or 'there is no round'}")
    landed = root.storage.landed(chain.fold.header.session)
    printer.lines(_summary(chain, landed, chain.fold.header))


def _summary(chain: Chain, landed: list[LandedFile], header: Header) -> Iterator[str]:
    from ...text.safe import visible

    fold, first = chain.fold, chain.fold.first or header
    session = fold.session_node()
    title = attrs_of(session).get("title") if session else None
    readable = sum(1 for link in chain.links if link.round is not None)
    open_refs = sum(1 for ref in fold.unresolved.values() if ref.state == "open")
    facts = [
        ("conversation", chain.conversation),
        ("session", header.session),
        ("title", title if isinstance(title, str) and title else "untitled"),
        ("parser, policy", f"{header.parser}, {header.policy}"),
        ("rounds", f"{len(chain.links):,}" + ("" if readable == len(chain.links) else f", {readable:,} readable")),
        ("head", f"round {header.round} {fold.digest}"),
        ("chain", chain.stopped or "every round links to the one before"),
        ("landed", _landed_range(first, header, landed)),
        ("time", _times(session)),
        ("nodes", f"{len(fold.nodes):,}"),
        ("relations", f"{len(fold.relations):,}"),
        ("unresolved", f"{len(fold.unresolved):,}, {open_refs:,} open"),
    ]
    for name, value in facts:
        yield f"{name:<14}  {visible(value)}"
    yield "nodes by kind"
    kinds = sorted(Counter(node.kind for node in fold.nodes.values()).items())
    width = max((len(f"{count:,}") for _, count in kinds), default=0)
    for kind, count in kinds:
        yield f"  {count:>{width},}  {visible(kind) or '(none)'}"


def _landed_range(first: Header, header: Header, landed: list[LandedFile]) -> str:
    beyond = sum(1 for file in landed if file.seq > header.through_seq)
    files = f"{len(landed):,} file" + ("" if len(landed) == 1 else "s")
    later = f", {beyond:,} of them after the head round" if beyond else ""
    return f"seq {first.from_seq} to {header.through_seq}; {files} there{later}"


def _times(session: Node | None) -> str:
    attrs = attrs_of(session) if session else {}
    times = [attrs.get("from_time"), attrs.get("through_time")]
    known = [time if isinstance(time, str) and time else "no time" for time in times]
    return "no time" if known == ["no time"] * 2 else " to ".join(known)
