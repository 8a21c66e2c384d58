"""The words around a conversation: header, tabs with the breadcrumb, footer. Pure functions from what is open to lines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual.strip import Strip
from textual.widget import Widget

from asz_core.conversation import Conversation
from asz_core.sessionflow import attrs_of
from asz_core.times import optional_ms

from ...glyphs import state_glyph
from ...grammar import one_line
from ...keys import Key, fitted
from ...lines.line import Line, Span
from ...panes.talks_rows import NOISE
from ...session.opened import Opened
from ...text.cells import clip
from ...text.cells import width as cells
from ...text.words import ago, counted, size
from .panes import PANES, PaneSet

if TYPE_CHECKING:
    from ...session.search import Found

_MINUTE = 60_000


class Rule(Widget):
    """The line between a pane and the detail; it never changes once it is painted."""

    DEFAULT_CSS: ClassVar[str] = "Rule { width: 1; height: 1fr; }"

    def render_line(self, y: int) -> Strip:
        """One cell."""
        from rich.segment import Segment

        app = self.app
        glyph = "|" if getattr(app, "ascii_mode", False) else "│"
        return Strip([Segment(glyph, app.line_styles["bar"])], 1)  # type: ignore[attr-defined]


@dataclass(frozen=True, slots=True)
class HeaderState:
    """What the header says beside the conversation itself."""

    follow: bool = False
    new_count: int = 0
    gone: bool = False
    live: str = ""


def header(opened: Opened | None, state: HeaderState, now_ms: int, width: int, ascii_only: bool) -> Line:
    """Title, verification, head round and its age, counts, follow state; what matters least goes first where there is no room."""
    back = " < " if ascii_only else " ‹ "
    if opened is None:
        return Line([(back, "dim"), ("reading the conversation", "title")])
    conversation = opened.conversation
    # (how much it matters, text, role); the verification state is never dropped.
    pieces: list[tuple[int, str, str]] = []
    glyph, role = state_glyph(conversation.report.state, ascii_only=ascii_only)
    pieces.append((9, f"{glyph} {_state_words(conversation)}", role))
    pieces += [(6 - at, words, "dim") for at, words in enumerate(_head_words(conversation, now_ms))]
    talks = opened.talk_count
    pieces.append((2, counted(talks, "talk"), "dim"))
    pieces.append((1, f"{opened.step_count:,} steps", "dim"))
    if opened.open_count:
        pieces.append((4, f"! {opened.open_count:,}", "warning"))
    room = width * 2 // 3 - 1
    if state.live:
        left = room - cells(pieces[0][1]) - 6
        pieces.append((8, clip(state.live, max(12, left), "~" if ascii_only else "…"), "warning"))
    if state.gone:
        pieces.append((8, "gone from the disk", "error"))
    if state.new_count and not state.follow:
        pieces.append((7, f"{state.new_count:,} new", "accent"))
    pieces.append((7 if state.follow else 3, "following" if state.follow else "F follow", "accent" if state.follow else "dim"))
    dot = " - " if ascii_only else " · "
    while len(pieces) > 1 and sum(cells(words) + 3 for _, words, _ in pieces) > room:
        pieces.remove(min(pieces))
    right: list[Span] = []
    for _, words, role in pieces:
        right.append(((dot if right else "") + words, role))
    right.append((" ", ""))
    return Line([(back, "dim"), (title_of(conversation), "title")], right)


def _state_words(conversation: Conversation) -> str:
    """The verification state; while the landed files are being read, how far that is."""
    unread = conversation.data.unchecked
    if not unread:
        return conversation.report.state
    total = sum(landed.size for landed in conversation.data.files)
    done, whole = size(total - unread), size(total)
    # The unit once where it is the same: «verifying 12 of 33 MB».
    unit = whole.partition(" ")[2]
    return f"{conversation.report.state} {done.removesuffix(' ' + unit)} of {whole}"


def _head_words(conversation: Conversation, now_ms: int) -> list[str]:
    """The head round and how old it is."""
    head = conversation.fold.header
    if head is None:
        return ["no round"]
    when = optional_ms(head.session_through_time) or optional_ms(head.through_time) or last_ms(conversation)
    if not when:
        return [f"round {head.round}"]
    return [f"round {head.round}", "now" if 0 <= now_ms - when < _MINUTE else ago(when, now_ms)]


def title_of(conversation: Conversation) -> str:
    """The title, made safe, or «untitled»."""
    session = conversation.fold.session_node()
    title = attrs_of(session).get("title") if session else None
    if not title:
        headers = (link.round.header for link in reversed(conversation.chain.links) if link.round is not None)
        title = next((header.title for header in headers if header.title), "")
    return one_line(title) if isinstance(title, str) and title else "untitled"


def last_ms(conversation: Conversation) -> int:
    """The last activity of a conversation in unix milliseconds; 0 when it is not known."""
    session = conversation.fold.session_node()
    value = attrs_of(session).get("through_time") if session else None
    return (optional_ms(value) or 0) if isinstance(value, str) else 0


def is_running(conversation: Conversation, now_ms: int) -> bool:
    """Whether there was activity within the last minute."""
    last = last_ms(conversation)
    return bool(last) and 0 <= now_ms - last < _MINUTE


def tabs(pane: str, crumbs: list[str], width: int, ascii_only: bool) -> Line:
    """The names of the panes, and where the cursor is; the names shrink to their numbers where there is no room."""
    left: list[Span] = [(" ", "")]
    # The names shrink to their numbers where the breadcrumb would have no room beside them.
    names = sum(len(entry.title) + 4 for entry in PANES)
    short = width < names + (sum(len(crumb) + 3 for crumb in crumbs) + 2 if crumbs else 0)
    for entry in PANES:
        label = entry.key if short and entry.name != pane else f"{entry.key} {entry.title}"
        left += [(label, "title" if entry.name == pane else "dim"), ("  " if not short else " ", "")]
    joint = " > " if ascii_only else " › "
    return Line(left, [(joint.join(crumbs) + " ", "dim")] if crumbs else [])


def breadcrumb(opened: Opened, node_id: str | None) -> list[str]:
    """Stream, talk, run, kinds down to a node."""
    path = opened.path(node_id) if node_id else []
    if not path:
        return []
    role, label = opened.grammar.stream_role(path[0].stream)
    stream = one_line(label or path[0].stream) or role
    crumbs = [stream] if stream else []
    found = opened.locate(path[0].id)
    for node in path:
        if node.kind == "talk" and node is path[0] and found is not None:
            crumbs.append(f"talk {(opened.place_of(found[0]) or 0) + 1}")
        else:
            crumbs.append(one_line(node.kind))
    return crumbs if len(crumbs) <= 7 else [*crumbs[:3], "…", *crumbs[-3:]]


def search_words(found: Found | None, selected: str | None) -> str:
    """How many matches there are and which one the cursor is on."""
    if found is None or not found.query:
        return ""
    if found.error:
        return found.error
    count = len(found.ids)
    words = f"/{one_line(found.query)}  "
    if not count:
        return words + ("no match" if found.done else "searching")
    position = found.position(selected)
    words += f"{position:,} of {count:,}" if position else f"{count:,} match" + ("" if count == 1 else "es")
    if found.given_up:
        words += f"   {found.given_up} too slow to look at"
    return words + ("" if found.done else " so far") + "   n/N next   Esc clear"


_PANE_HINTS = {
    "streams": "Enter goes there   Space fold   / narrow   s sort   Esc back",
    "segments": "Enter goes there   Space fold   / narrow   s sort   Esc back",
    "edges": "Enter goes there   t type   T quality   / narrow   s sort   Esc back",
    "verification": "Enter goes there   / narrow   s sort   Esc back   ? help",
    "results": "Enter goes there   / search   Esc back   ? help",
    "changes": "Enter goes there   Space fold   / narrow   s sort   Esc back   ? help",
    "summary": "Enter goes there   Space fold   / narrow   Esc back   ? help",
}


def hints(keys: tuple[Key, ...], pane: str, panes: PaneSet | None, detail_shown: bool, in_detail: bool, room: int) -> str:
    """The keys worth knowing now, and what is hidden, as far as there is room."""
    if in_detail:
        return fitted(["Tab to the list", "Enter follows the row", "r record", "R records", "w word", "Esc back", "? help"], room)
    if pane in _PANE_HINTS:
        return fitted(_PANE_HINTS[pane].split("   "), room)
    hidden = []
    if panes is not None and panes.talks.noise:
        hidden.append(f"t: {NOISE[panes.talks.noise]}")
    if panes is not None and not panes.talks.thinking:
        hidden.append("T: thinking hidden")
    if detail_shown:
        return fitted([*hidden, "Tab to the detail", "r record", "R records", "w word", "g edges", "Esc close", "? help"], room)
    return fitted([*hidden, *(key.hint for key in keys if key.hint)], room)


def progress_words(what: str, done: int, total: int) -> str:
    """How far the reading is."""
    if what == "records":
        return f"reading the landed files: {size(done)} of {size(total)}"
    return f"reading the rounds: {done:,} of {total:,}"
