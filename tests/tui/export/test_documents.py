"""JSON and YAML: the whole is the document to the byte, a part is what the document has of it and goes on below its cut."""

from __future__ import annotations

import json
from datetime import UTC

import pytest
from ruamel.yaml import YAML

from asz_core.document.build import DEPTH
from asz_core.rawjson import loads
from asz_tui.export import ExportError, export
from tests.core.helpers import nodes_of
from tests.tui.export.conftest import CASES, opened_case


def made(opened, what, fmt: str) -> bytes:
    return b"".join(export(opened, what, fmt, UTC))


def uncut(view: dict, levels: int) -> bool:
    """Whether no node of a subtree stands where the document cuts."""
    stack = [(view, 0)]
    while stack:
        at, depth = stack.pop()
        if depth >= levels:
            return False
        stack += [(child, depth + 1) for child in at.get("children", ())]
    return True


@pytest.mark.parametrize("case", CASES)
def test_the_whole_is_the_document(exported, case: str) -> None:
    conversation = opened_case(case).conversation
    assert exported(case, "json") == conversation.json()
    assert exported(case, "yaml") == b"".join(conversation.yaml())


@pytest.mark.parametrize("case", CASES)
def test_a_part_is_what_the_document_has_of_it(exported, case: str) -> None:
    opened = opened_case(case)
    document = loads(exported(case, "json"))
    talks = {view["id"]: view for view in document["talks"]}
    compared = 0
    for node_id, view in nodes_of(document).items():
        view = talks.get(node_id, view)
        got = loads(made(opened, node_id, "json"))
        if uncut(view, DEPTH):
            # Below the roots nothing tells where the cut fell, so only what is well above it must be equal.
            full = opened.locate(node_id)
            if count(view) == full[0].sizes[full[1]]:
                assert got == view
                assert list(got) == list(view)
                compared += 1
    assert compared


def count(view: dict) -> int:
    total, stack = 0, [view]
    while stack:
        at = stack.pop()
        total += 1
        stack += at.get("children", ())
    return total


def test_a_part_is_indented_like_the_document(exported) -> None:
    text = exported("pilot", "json").decode()
    part = made(opened_case("pilot"), loads(text)["talks"][0]["id"], "json").decode()
    # The document has the talk two levels in.
    assert "\n".join("    " + line for line in part.rstrip("\n").split("\n")) in text
    assert part.endswith("}\n")


def test_a_part_is_not_cut(long_one) -> None:
    view = loads(made(long_one, "talk/b", "json"))
    assert count(view) == 1_001
    deep = loads(made(long_one, "msg/1960", "json"))
    depth = 0
    while deep.get("children"):
        deep, depth = deep["children"][0], depth + 1
    assert (depth, deep["id"]) == (39, "msg/1999")


@pytest.mark.parametrize("case", ("pilot", "fleet", "hostile", "craft", "clips", "losses"))
def test_yaml_of_a_part_reads_back(case: str) -> None:
    opened = opened_case(case)
    for tree in opened.trees:
        node_id = tree.nodes[0].id
        value = YAML(typ="safe", pure=True).load(made(opened, node_id, "yaml").decode())
        assert value == json.loads(made(opened, node_id, "json"))


def test_what_cannot_be_exported(evil) -> None:
    with pytest.raises(ExportError, match="stands in no talk"):
        export(evil, "stream/main", "json", UTC)
    with pytest.raises(ExportError, match="no export as"):
        export(evil, None, "svg", UTC)
