"""Every conformance case: the document's bytes are the expected ones, and growing round by round gives the same as reading at once."""

from __future__ import annotations

import io
import json
import re
import shutil
from pathlib import Path
from typing import Any

import msgspec
import pytest
from ruamel.yaml import YAML

from asz_core import ChainError, Conversation, Root
from asz_core.document.to_json import to_plain
from asz_core.document.to_yaml import to_yaml
from asz_core.sessionflow import Fold
from asz_core.sessionflow.round import parse_round
from asz_core.storage import Storage, round_number

CASES = Path(__file__).resolve().parent.parent / "data" / "conformance"
ALL = sorted(case.name for case in CASES.iterdir() if (case / "root").is_dir())
SHOWN = [name for name in ALL if (CASES / name / "expect.json").is_file()]
REFUSED = [name for name in ALL if (CASES / name / "expect.error").is_file()]
WITH_YAML = [name for name in SHOWN if (CASES / name / "expect.yaml").is_file()]
WITHOUT_YAML = [name for name in SHOWN if name not in WITH_YAML]

LONE = re.compile("[\ud800-\udfff]")

OURS = "undecodable frame"
"""After these words a problem quotes a decoder's own message, which is compared only up to here."""


def conversation_of(root: Path) -> str:
    """The one conversation of a case."""
    found = Storage(root).conversation_ids()
    assert len(found) == 1
    return found[0]


def load(name: str) -> Conversation:
    """A case's conversation, read."""
    root = CASES / name / "root"
    return Root(root).load(conversation_of(root))


def same_but_for_the_decoders_words(got: bytes, want: bytes) -> bool:
    """Whether two texts are equal line by line, each up to where a decoder's own message begins."""
    ours, theirs = got.split(b"\n"), want.split(b"\n")
    if len(ours) != len(theirs):
        return False
    cut = OURS.encode()
    return all(a.split(cut)[0] == b.split(cut)[0] for a, b in zip(ours, theirs, strict=True))


def same(got: bytes, want: bytes) -> bool:
    """Whether two renderings are equal in bytes."""
    return got == want or (OURS.encode() in want and same_but_for_the_decoders_words(got, want))


def test_no_case_is_left_out() -> None:
    assert len(ALL) == 71
    assert sorted(SHOWN + REFUSED) == ALL
    assert len(REFUSED) == 1
    assert len(WITH_YAML) >= 25
    assert sorted(WITH_YAML + WITHOUT_YAML) == SHOWN


@pytest.mark.parametrize("name", SHOWN)
def test_json_is_the_expected_bytes(name: str) -> None:
    assert same(load(name).json(), (CASES / name / "expect.json").read_bytes())


@pytest.mark.parametrize("name", SHOWN)
def test_compact_json_holds_the_same_values_in_the_same_order(name: str) -> None:
    conversation = load(name)
    compact = conversation.json(compact=True)
    assert b"\n" not in compact
    pairs = json.loads(compact, object_pairs_hook=list)
    assert pairs == json.loads(conversation.json(), object_pairs_hook=list)


@pytest.mark.parametrize("name", SHOWN)
def test_kept_records_give_the_same_document(name: str) -> None:
    root = CASES / name / "root"
    kept = Root(root).load(conversation_of(root), keep_records=True)
    assert b"".join(kept.json_chunks()) == load(name).json()


@pytest.mark.parametrize("name", SHOWN)
def test_single_nodes_are_those_of_the_document(name: str) -> None:
    conversation = load(name)
    stack = [*json.loads(conversation.json(compact=True))["talks"], *json.loads(conversation.json(compact=True))["loose"]]
    of_trees = ("children", "edges", "label", "reply", "runs", "steps", "tools", "from", "to", "child", "segment")
    seen = 0
    while stack:
        node = stack.pop()
        stack += node.get("children", [])
        view = conversation.view(node["id"])
        got = json.loads(msgspec.json.encode(view))
        assert list(got.items()) == [(key, value) for key, value in node.items() if key not in of_trees]
        seen += 1
    assert seen or not conversation.fold.nodes
    assert conversation.view("no such node") is None


@pytest.mark.parametrize("name", WITH_YAML)
def test_yaml_is_the_expected_bytes(name: str) -> None:
    assert same(b"".join(load(name).yaml()), (CASES / name / "expect.yaml").read_bytes())


@pytest.mark.parametrize("name", SHOWN)
def test_yaml_of_passing_lists_is_that_of_the_whole(name: str) -> None:
    conversation = load(name)
    assert b"".join(conversation.yaml()) == to_yaml(to_plain(conversation.document()))


@pytest.mark.parametrize("name", WITHOUT_YAML)
def test_yaml_reads_back_to_the_values_of_the_json(name: str) -> None:
    text = b"".join(load(name).yaml()).decode()
    read = YAML(typ="safe", pure=True).load(io.StringIO(text))
    assert in_order(read) == in_order(json.loads((CASES / name / "expect.json").read_bytes()))


def in_order(value: Any) -> Any:
    """Values with mappings as lists of pairs, so that comparing them compares the order of keys and the types of numbers.

    A lone surrogate escape, which attrs repeat as they were spelt, reads as U+FFFD (formats.md section 2).
    """
    if isinstance(value, dict):
        return [(key, in_order(item)) for key, item in value.items()]
    if isinstance(value, list):
        return [in_order(item) for item in value]
    return type(value).__name__, LONE.sub("\ufffd", value) if isinstance(value, str) else value


@pytest.mark.parametrize("name", REFUSED)
def test_a_chain_without_a_usable_round_is_an_error(name: str) -> None:
    conversation = load(name)
    assert not conversation.usable
    want = (CASES / name / "expect.error").read_text().strip()
    with pytest.raises(ChainError) as caught:
        conversation.document()
    assert want.endswith(str(caught.value))
    with pytest.raises(ChainError):
        conversation.json()
    with pytest.raises(ChainError):
        list(conversation.yaml())
    with pytest.raises(ChainError):
        conversation.require_usable()


@pytest.mark.parametrize("name", ALL)
def test_a_conversation_that_grows_equals_one_that_is_read_at_once(name: str, tmp_path: Path) -> None:
    """Landed files and rounds are published as they came; after each, everything kept up to date equals everything made anew."""
    source = CASES / name / "root"
    root = tmp_path / "root"
    conversation = conversation_of(source)
    rounds = Path("_conversations") / conversation / "rounds"
    late = {p.relative_to(source) for p in (source / rounds).iterdir() if round_number(p.name) is not None}
    landed = {p.relative_to(source) for p in source.rglob("*.sd")}
    for path in sorted(source.rglob("*")):
        if path.is_file() and path.relative_to(source) not in late | landed:
            copy(source, root, path.relative_to(source))
    (root / rounds).mkdir(parents=True, exist_ok=True)
    growing = Conversation(Storage(root), conversation)
    growing.refresh()
    assert not growing.usable
    waiting = sorted(landed, key=lambda p: (int(p.stem.rsplit("-", 1)[1]), str(p)))
    for published in sorted(late):
        through = reach(source / published)
        while waiting and int(waiting[0].stem.rsplit("-", 1)[1]) <= through:
            copy(source, root, waiting.pop(0))
        copy(source, root, published)
        growing.refresh()
        compare_with_fresh(growing, root, conversation)
    for path in waiting:
        copy(source, root, path)
    growing.refresh()
    compare_with_fresh(growing, root, conversation)
    expected = CASES / name / "expect.json"
    if expected.is_file():
        assert same(growing.json(), expected.read_bytes())
    else:
        assert not growing.usable


def reach(path: Path) -> int:
    """The last sequence that a round says it read; 0 when it does not read."""
    try:
        return parse_round(path.read_bytes()).header.through_seq
    except Exception:
        return 0


def copy(source: Path, root: Path, path: Path) -> None:
    """Publish one file of a case."""
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source / path, root / path)


def compare_with_fresh(growing: Conversation, root: Path, conversation: str) -> None:
    """Fold, indexes, verification and document of a conversation that grew are those of one that is read now."""
    fresh = Conversation(Storage(root), conversation)
    fresh.refresh()
    assert growing.usable == fresh.usable
    assert indexes(growing.fold) == indexes(fresh.fold)
    assert growing.report == fresh.report
    assert growing.chain.stopped == fresh.chain.stopped
    if fresh.usable:
        assert growing.json() == fresh.json()


def indexes(fold: Fold) -> tuple[Any, ...]:
    """What a fold answers, for every id that anything names."""
    ids = set(fold.nodes) | {node.parent for node in fold.nodes.values()}
    ids |= {end for r in fold.relations.values() for end in (r.from_, r.to)}
    children = {id: [child.id for child in fold.children(id)] for id in sorted(ids)}
    edges = {id: [(r.id, way) for r, way in fold.edges(id)] for id in sorted(ids)}
    return fold.head, fold.digest, fold.nodes, fold.relations, fold.unresolved, children, edges
