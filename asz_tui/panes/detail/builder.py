"""`DetailBuilder`: what the detail pane shows of a node, of a landed record and of a word.

Order for readers: heading, text, result, what lies inside; then what was observed beside, facts, references that are open, edges,
evidence. Building reads the records of the one node; texts are wrapped by the view, and only as far as they are read.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import tzinfo

from asz_core.document.bodies import Bodies
from asz_core.sessionflow import Node, Ref

from ...lines.line import Line
from ...lines.text_rows import Block
from ...session.opened import Opened
from .containers import body_items
from .content import head_items, result_items, text_items
from .edges import edge_items, unresolved_items
from .evidence import citations, evidence_items
from .facts import fact_items
from .items import Item, dim, safe, size_words, text_bytes, where
from .jsontext import json_block
from .observed import change_items, execution_items
from .prompt import prompt_items
from .subject import Shared, Subject
from .words import VOCABULARIES


class DetailBuilder:
    """Builds the detail pane's content for one conversation."""

    def __init__(self, opened: Opened, tz: tzinfo) -> None:
        """
        Args:
            opened: what is on the screen.
            tz: the zone of the times.
        """
        self.opened = opened
        self._shared = Shared(opened, tz)
        self._bodies: Bodies | None = None

    def node(self, node_id: str, *, whole: bool = False) -> list[Block | Line]:
        """A node in full.

        Args:
            node_id: of a living node; of any other, it is said that there is none.
            whole: show long lists and diffs to their end, where a row with the key ``("more", …)`` stands otherwise.
        """
        node = self.opened.conversation.fold.nodes.get(node_id)
        if node is None:
            return [Block([(f"There is no node {safe(node_id)} in this conversation (any more).", "warning")])]
        subject = Subject(self._shared, node, whole=whole)
        items: list[Item] = head_items(subject)
        for section in _SECTIONS:
            items += section(subject)
        return items

    def text(self, node_id: str) -> str:
        """The whole text of a node as the data has it, for a copy or an editor; a call's result follows after an empty line."""
        from asz_core.document.texts import part_text

        node = self.opened.conversation.fold.nodes.get(node_id)
        if node is None:
            return ""
        subject = Subject(self._shared, node)
        texts = [subject.said, *(part_text(part) for _, part in subject.results() if part is not None)]
        return "\n\n".join(text for text in texts if text)

    # --- landed records

    def record(self, seq: int, row: int) -> list[Block | Line]:
        """A landed record itself, whole, or the sentence that says why it cannot be read."""
        ref = Ref(seq, row)
        name = safe(self._shared.file_of(ref))
        head: list[Item] = [Line([("landed record", "title"), (f"  {where(ref)}", "text")])]
        try:
            line = self.opened.conversation.landed_line(seq, row)
        except OSError as error:
            return [*head, Block([(f"It cannot be read now: {safe(error.strerror or str(error))}.", "error")])]
        except IndexError:
            return [*head, Block([("It cannot be read now: its file is shorter than it was.", "error")])]
        if line is None:
            return [*head, Block([(f"It cannot be read: {self._shared.why_missing(ref)}.", "error")])]
        head.append(dim(f"read from {name} · {size_words(text_bytes(line))}"))
        block = json_block(line)
        if block is None:
            head.append(dim("The record is shown as it stands: it is no JSON that can be laid out, or too large for it."))
        return [*head, Line(), block or Block(line, role="code", kind="code")]

    def records(self, node_id: str) -> list[Block | Line]:
        """All landed records that a node covers, each whole and once."""
        node = self.opened.conversation.fold.nodes.get(node_id)
        if node is None:
            return self.node(node_id)
        addresses = list(dict.fromkeys((ref.seq, ref.row) for _, ref in self._covered(node)))
        if not addresses:
            return [dim("This node was derived by assembly and cites no landed record.")]
        items: list[Item] = []
        for seq, row in addresses:
            items += ([Line()] if items else []) + self.record(seq, row)
        return items

    def _covered(self, node: Node) -> Iterator[tuple[str, Ref]]:
        """What a node cites, without the captured bodies: those are read one at a time, they can be large."""
        return ((label, ref) for label, ref in citations(Subject(self._shared, node)) if not label.endswith(" body"))

    def refs(self, node_id: str) -> list[Ref]:
        """The landed positions that a node cites, in the order of the evidence section."""
        node = self.opened.conversation.fold.nodes.get(node_id)
        return [] if node is None else [ref for _, ref in citations(Subject(self._shared, node))]

    # --- captured bodies

    def prompt(self, node_id: str, *, added: bool = False, whole: bool = False) -> list[Block | Line]:
        """The captured request and response of a model call, or of the call that a step belongs to.

        Args:
            node_id: the call, or a node below it.
            added: what the request added to the one before it, instead of all of it.
            whole: unfold the schemas of the tools and long lists, where rows with the key ``("more", …)`` stand otherwise.
        """
        path = self.opened.path(node_id)
        call = next((node for node in reversed(path) if node.kind == "llm.call"), None)
        if call is None:
            return [dim("No model call stands above this; a captured prompt belongs to one.")]
        return prompt_items(self._captured(), call, added=added, whole=whole)

    def _captured(self) -> Bodies:
        """The captured bodies; what was read of them is kept until the conversation is another one."""
        conversation, bodies = self.opened.conversation, self._bodies
        if bodies is None or bodies.fold is not conversation.fold or bodies.data is not conversation.data:
            bodies = self._bodies = Bodies(conversation.fold, conversation.data)
        return bodies

    # --- words

    def word(self, word: str) -> list[Block | Line]:
        """What a word of the model means: every vocabulary that lists it, and the words beside it there."""
        found = [(title, words) for title, words in VOCABULARIES if word in words]
        items: list[Item] = [Line([(safe(word) or "no word", "title")])]
        if not found:
            return [*items, dim("No vocabulary of the model lists this word; it is shown as the data spells it.")]
        for title, words in found:
            items += [Line(), Block([(title, "accent")]), Block(words[word])]
            others = [other for other in words if other != word]
            items.append(Block([("beside it: " + ", ".join(others), "dim")]))
        return items

    def words(self, node_id: str) -> list[Block | Line]:
        """What the words mean that the data uses of a node: kind, role, states, flags, relation types and qualities."""
        node = self.opened.conversation.fold.nodes.get(node_id)
        if node is None:
            return self.node(node_id)
        items: list[Item] = []
        for word in dict.fromkeys(_words_of(Subject(self._shared, node))):
            items += ([Line()] if items else []) + self.word(word)
        return items


def _words_of(subject: Subject) -> Iterator[str]:
    view = subject.view
    yield subject.node.kind
    yield subject.opened.grammar.stream_role(subject.node.stream)[0]
    yield view.state
    yield view.result_state
    yield from view.flags if isinstance(view.flags, list) else ()
    for relation, _ in subject.edges:
        yield relation.type
        yield relation.quality


_SECTIONS = (
    text_items, result_items, body_items, change_items, execution_items, fact_items, unresolved_items, edge_items, evidence_items,
)  # fmt: skip
