"""The fold of a chain for the assembler: the head, and every living entity's body (the assembling specification, §16 and §19).

Unlike a viewer it refuses a chain as soon as one file of it does not read or does not fold.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import AssembleError, RoundError
from ..rawjson import compact, forgiving, loads
from ..sessionflow import Header, Node, Relation, Round, Unresolved, parse_round
from ..sessionflow.frames import FRAME_SHAPES
from ..storage import RoundFile, Storage, read_file
from .identity import quote
from .store import relation_body

_FROZEN = ("conversation", "session", "parser", "policy")
_WORDS: dict[Any, str] = {Node: "node", Relation: "relation", Unresolved: "unresolved"}


class Folded:
    """A chain folded through its last round, kept between two assemblies.

    Attributes:
        header: the newest round's; None before the first.
        digest: the newest round's, empty before the first.
        nodes, relations: bodies by id, in the spelling of their round.
        unresolved: kind, ref, reason and state by id.
    """

    def __init__(self, storage: Storage, conversation: str) -> None:
        self.storage, self.conversation = storage, conversation
        self._forget()

    def _forget(self) -> None:
        self.header: Header | None = None
        self.digest = ""
        self.nodes: dict[str, str] = {}
        self.relations: dict[str, str] = {}
        self.unresolved: dict[str, tuple[str, str, str, str]] = {}
        self._files: list[RoundFile] = []

    @property
    def head(self) -> int:
        """Number of the newest round, 0 before the first."""
        return self.header.round if self.header else 0

    @property
    def through(self) -> int:
        """The sequence that the chain ends at, 0 before the first round."""
        return self.header.through_seq if self.header else 0

    @property
    def input_digest(self) -> str:
        """The newest round's input digest, empty before the first."""
        return self.header.input_digest if self.header else ""

    def refresh(self) -> None:
        """Fold what is new in the folder of the rounds; everything anew when a file that was folded is gone.

        Raises:
            AssembleError: when a file does not read or does not fold.
        """
        files = self.storage.rounds(self.conversation)
        if files[: len(self._files)] != self._files:
            self._forget()
        for file in files[len(self._files) :]:
            try:
                data = read_file(file.path)
                self.take(file, data, parse_round(data))
            except RoundError as error:
                self._forget()
                raise AssembleError(f"the chain of {self.conversation} does not fold: {file.name}: {error}") from None
            except OSError as error:
                self._forget()
                raise AssembleError(f"{file.path} cannot be read: {error.strerror or error}") from None

    def take(self, file: RoundFile, data: bytes, round_: Round) -> None:
        """Apply the next round.

        Raises:
            RoundError: when it does not continue the chain.
        """
        header = round_.header
        if header.round != self.head + 1:
            raise RoundError(f"it holds round {header.round}, the chain's head is {self.head}")
        if header.previous != self.digest:
            raise RoundError(f"it names previous {header.previous[:12]!r}, the chain's head is {self.digest[:12]!r}")
        if header.conversation != self.conversation:
            raise RoundError(f"it is a round of the conversation {header.conversation!r}")
        for name in _FROZEN if self.header is not None else ():
            if getattr(header, name) != getattr(self.header, name):
                raise RoundError(f"its {name} is {getattr(header, name)!r}, the chain's is {getattr(self.header, name)!r}")
        for entity, line in zip(round_.entities, _lines(data, len(round_.entities)), strict=True):
            self._apply(entity, line, header.round)
        self.header, self.digest = header, round_.digest
        self._files.append(file)

    def _apply(self, entity: Any, line: str, number: int) -> None:
        if type(entity) is Unresolved:
            if entity.tombstone:
                self.unresolved.pop(entity.id, None)
            else:
                self.unresolved[entity.id] = (entity.kind, entity.ref, entity.reason, entity.state)
            return
        word = _WORDS[type(entity)]
        table = self.nodes if word == "node" else self.relations
        if entity.tombstone:
            table.pop(entity.id, None)
            return
        start = f'{{"t":"{word}","id":{quote(entity.id)},"revision":{number},'
        # A frame that is not spelled as we spell it is kept whole and read again when it is compared.
        table[entity.id] = line[len(start) : -1] if line.startswith(start) else line

    def published(self, file: RoundFile, header: Header, digest: str, body: Any) -> None:
        """Apply a round that was just made here."""
        for table, frames in ((self.nodes, body.nodes), (self.relations, body.relations)):
            for name, text in frames:
                if text.startswith('"tombstone":true'):
                    table.pop(name, None)
                else:
                    table[name] = text
        for name, text in body.unresolved:
            value = loads(f"{{{text}}}")
            self.unresolved[name] = (value["kind"], value.get("ref", ""), value.get("reason", ""), value["state"])
        self.header, self.digest = header, digest
        self._files.append(file)


def _lines(data: bytes, count: int) -> Sequence[str]:
    """The lines between the header and the commit."""
    lines = [line for line in data.decode("utf-8", "replace").split("\n") if line]
    return lines[1 : 1 + count]


def canonical(word: str, stored: str) -> str:
    """A stored body as it is written here: no white space, no unknown keys, no empty values."""
    line = stored if stored.startswith("{") else f"{{{stored}}}"
    try:
        rewritten, raws = forgiving(line.encode(), FRAME_SHAPES[word])
        value = loads(rewritten)
    except ValueError:
        return stored
    if word == "relation":
        told = [value.get(key) or "" for key in ("type", "from", "to", "quality", "via")]
        return relation_body(*told, [_ref(ref) for ref in value.get("evidence") or ()])  # type: ignore[call-arg]
    body = f'"kind":{quote(value.get("kind") or "")}'
    for key in ("parent", "stream"):
        if value.get(key):
            body += f',"{key}":{quote(value[key])}'
    if value.get("ref"):
        body += f',"ref":{_ref(value["ref"])}'
    if value.get("refs"):
        body += f',"refs":[{",".join(_ref(ref) for ref in value["refs"])}]'
    attrs = compact(raws[value["attrs"]]).decode() if "attrs" in value else ""
    return body + f',"attrs":{attrs}' if attrs not in ("", "{}", "null") else body


def _ref(ref: dict[str, int]) -> str:
    block = f',"block":{ref["block"]}' if "block" in ref else ""
    return f'{{"seq":{ref.get("seq", 0)},"row":{ref.get("row", 0)}{block}}}'
