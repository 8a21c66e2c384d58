"""Every key of the explorer in one table: its id, its keys, what it does, in which words, and where it works.

The bindings of the screens, the help screen and the configuration are all made from it, so none can say what another does not.
"""

from __future__ import annotations

from dataclasses import dataclass

from textual.binding import Binding


@dataclass(frozen=True, slots=True)
class Key:
    """One action and the keys that start it.

    Attributes:
        id: the name that a configuration uses.
        keys: comma separated, in Textual's spelling.
        action: of the screen.
        words: what it does, for the help.
        group: under which heading the help shows it.
        shown: how the help spells the keys; made from `keys` when empty.
        hint: a word or two for the footer; empty for none.
    """

    id: str
    keys: str
    action: str
    words: str
    group: str
    shown: str = ""
    hint: str = ""

    def binding(self) -> Binding:
        """The Textual binding."""
        return Binding(self.keys, self.action, self.words, id=self.id, show=bool(self.hint))


MOVE, FOLD, FIND, LOOK, TAKE, LIVE, PROGRAM = "Move", "Fold", "Find", "Look", "Take along", "Live", "Program"
FLOW = "Flow: h l event in the lane, [ ] across lanes, j k lane, H L pan, z stream, Space this talk"

LISTS = (
    Key("move.down", "j,down", "move('cursor_down')", "down one row", MOVE, "j ↓", "j/k move"),
    Key("move.up", "k,up", "move('cursor_up')", "up one row", MOVE, "k ↑"),
    Key("move.half-down", "ctrl+d", "move('half_page_down')", "down half a page", MOVE, "^d"),
    Key("move.half-up", "ctrl+u", "move('half_page_up')", "up half a page", MOVE, "^u"),
    Key("move.page-down", "pagedown", "move('page_down')", "down a page", MOVE, "PgDn"),
    Key("move.page-up", "pageup", "move('page_up')", "up a page", MOVE, "PgUp"),
    Key("move.first", "home,g", "move('home')", "first row", MOVE, "g Home"),
    Key("move.last", "G,end", "move('end')", "last row", MOVE, "G End"),
)
"""Keys of every list."""

CONVERSATION = (
    *(key for key in LISTS if key.id != "move.first"),
    Key("move.first", "home", "move('home')", "first row", MOVE, "gg Home"),
    Key("edges", "g", "edges", "edges of the row: Enter or a number follows one, g again: first row", MOVE, hint="g edges"),
    Key("opener", "p", "opener", "back to the step that opened this stream", MOVE),
    Key("talk.next", "J", "next_talk(1)", "next talk by a person", MOVE, hint="J/K talk"),
    Key("talk.previous", "K", "next_talk(-1)", "previous talk by a person", MOVE),
    Key("error.next", "e", "next_error(1)", "next failed or error step", MOVE, hint="e error"),
    Key("error.previous", "E", "next_error(-1)", "previous failed or error step", MOVE),
    Key("unresolved.next", "u", "next_open(1)", "next unresolved step", MOVE),
    Key("unresolved.previous", "U", "next_open(-1)", "previous unresolved step", MOVE),
    Key("sibling.next", "right_square_bracket", "sibling(1)", "next sibling", MOVE, "]"),
    Key("sibling.previous", "left_square_bracket", "sibling(-1)", "previous sibling", MOVE, "["),
    Key("history.back", "backspace,ctrl+o", "back", "back to where the last jump began", MOVE, "Backspace ^o"),
    Key("history.forward", "ctrl+n", "forward", "forward again", MOVE, "^n"),
    Key("fold.close", "h,left", "fold", "fold, or go to what contains this", FOLD, "h ←"),
    Key("fold.open", "l,right", "unfold", "unfold, or go in", FOLD, "l →"),
    Key("fold.toggle", "space", "toggle_fold", "fold or unfold", FOLD, "Space", "Space fold"),
    Key("fold.close-below", "H", "fold_below(False)", "fold this and all below", FOLD),
    Key("fold.open-below", "L", "fold_below(True)", "unfold this and all below", FOLD),
    Key("fold.all", "z", "fold_all(True)", "unfold everything", FOLD),
    Key("fold.none", "Z", "fold_all(False)", "fold everything", FOLD),
    Key("find.start", "slash", "find", "search texts, inputs, results, names, ids; narrow a table", FIND, "/", "/ find"),
    Key("find.next", "n", "next_match(1)", "next match", FIND),
    Key("find.previous", "N", "next_match(-1)", "previous match", FIND),
    Key("results", "ctrl+f,9", "results", "the results of the search as a list", FIND, "^f 9"),
    Key("filter", "f", "filter", "filter by kind, stream, quality, failed, changes, unresolved, time", FIND),
    Key("time", "at", "time", "jump to a time: 14:05, +10m", FIND, "@"),
    Key("noise", "t", "noise", "show everything, no injections, prompts and replies only", LOOK),
    Key("thinking", "T", "thinking", "thinking on or off", LOOK),
    Key("detail", "enter", "detail", "show the selected row in full, or go where it leads", LOOK, "Enter", "Enter detail"),
    Key("record", "r", "record", "the landed record itself", LOOK, hint="r record"),
    Key("records", "R", "records", "every landed record this covers", LOOK),
    Key("prompt", "b", "prompt", "the captured prompt of the model call; again: what it added", LOOK),
    Key("word", "w", "word", "what the model means by this kind", LOOK),
    Key("focus", "tab", "switch_focus", "from the list to the detail and back", LOOK, "Tab"),
    Key("sort", "s", "sort", "sort the table by the next column", LOOK),
    Key("pane.talks", "1", "pane('talks')", "Talks: the tree", LOOK),
    Key("pane.flow", "2", "pane('flow')", "Flow: the timeline", LOOK),
    Key("pane.streams", "3", "pane('streams')", "Streams: who started whom", LOOK),
    Key("pane.segments", "4", "pane('segments')", "Segments: windows of activity", LOOK),
    Key("pane.edges", "5", "pane('edges')", "Edges: every relation; t and T turn through types and qualities", LOOK),
    Key("pane.verification", "6", "pane('verification')", "Verification: the chain and the files", LOOK),
    Key("pane.summary", "7", "pane('summary')", "Summary: counts, tokens, slow and failed tools, activity", LOOK),
    Key("pane.changes", "8", "pane('changes')", "Changes: workspace changes, executions, captured bodies", LOOK),
    Key("zoom.in", "plus,equals_sign", "zoom(2)", "zoom in", FLOW, "+ ="),
    Key("zoom.out", "minus", "zoom(0.5)", "zoom out", FLOW, "-"),
    Key("zoom.fit", "0", "zoom(0)", "the whole axis", FLOW),
    Key("centre", "c", "centre", "the selection to the middle (of any list)", FLOW),
    Key("copy.text", "y", "copy_text", "copy the text; in the detail, the field or block under the cursor", TAKE),
    Key("copy.link", "Y", "copy_link", "copy a command line that opens the same place", TAKE),
    Key("copy.id", "I", "copy_id", "copy the id", TAKE),
    Key("export", "x", "export", "export the selection or the conversation", TAKE),
    Key("open.text", "O", "open_text", "the text in $PAGER or $EDITOR", TAKE),
    Key("detail.wider", "left_curly_bracket", "resize_detail(1)", "a wider detail", LOOK, "{"),
    Key("detail.narrower", "right_curly_bracket", "resize_detail(-1)", "a narrower detail", LOOK, "}"),
    Key("follow", "F", "follow", "follow the newest step", LIVE),
    Key("palette", "colon,ctrl+p", "palette", "everything this screen can do, by its words", PROGRAM, ": ^p"),
    Key("help", "question_mark,f1", "help", "this help", PROGRAM, "?", "? help"),
    Key("quit", "q,escape", "leave", "close what is open, back, quit", PROGRAM, "q Esc"),
)
"""Keys of an open conversation."""

HOME = (
    *LISTS,
    Key("open", "enter,l,right", "open", "open the conversation", LOOK, "Enter", "Enter open"),
    Key("find.start", "slash", "find", "narrow by title, id and date", FIND, "/", "/ filter"),
    Key("find.all", "ctrl+f", "find_all", "search the texts of every conversation", FIND, "^f", "^f search all"),
    Key("sort", "s", "sort", "sort by the next column", LOOK, hint="s sort"),
    Key("palette", "colon,ctrl+p", "palette", "everything this screen can do, by its words", PROGRAM, ": ^p"),
    Key("help", "question_mark,f1", "help", "this help", PROGRAM, "?", "? help"),
    Key("quit", "q,escape", "leave", "clear the filter, quit", PROGRAM, "q Esc", "q quit"),
)
"""Keys of the list of conversations."""


def bindings(keys: tuple[Key, ...]) -> list[Binding]:
    """The Textual bindings of a table."""
    return [key.binding() for key in keys]


def hints(keys: tuple[Key, ...], room: int = 1000) -> str:
    """The footer's words of a table: as many as there is room for; how to get help is never left out."""
    return fitted([key.hint for key in keys if key.hint], room)


def fitted(words: list[str], room: int) -> str:
    """Hints side by side, those that do not fit left out from the end on, but for the one that leads to the help."""
    last = [word for word in words if word.startswith("?")]
    words = [word for word in words if not word.startswith("?")]
    while words and len("   ".join([*words, *last])) > room:
        words.pop()
    return "   ".join([*words, *last])


def shown(key: Key) -> str:
    """How the keys of an action are spelled for a person."""
    return key.shown or " ".join(key.keys.split(","))
