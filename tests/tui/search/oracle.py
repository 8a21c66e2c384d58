"""Brute force: what search and filters must find, from the parts of the model they do not use themselves."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from asz_core.rawjson import loads
from asz_core.sessionflow import attrs_of
from asz_tui.session.opened import Opened
from asz_tui.session.search import Found, compile_query, content_texts, head_texts, run
from tests.tui.panes import helpers

CASES = sorted(path.name for path in helpers.CASES.iterdir() if (path / "root").is_dir())


def never() -> bool:
    """A stop that does not stop."""
    return False


@functools.cache
def opened(case: str) -> Opened:
    """A conformance case, opened once."""
    return helpers.opened(case)


def roles(source: Opened) -> dict[str, tuple[str, str]]:
    """Role and label of each stream."""
    found = {}
    for node in source.conversation.fold.of_kind("stream"):
        attrs = attrs_of(node)
        role, label = attrs.get("role"), attrs.get("label")
        found[node.stream] = (role if isinstance(role, str) else "", label if isinstance(label, str) else "")
    return found


def all_texts(source: Opened) -> list[tuple[str, list[str]]]:
    """Every node of every tree in reading order with every text that search looks at."""
    of_stream = roles(source)
    every = []
    for tree, place in source.steps():
        node = tree.nodes[place]
        texts = [text for _, text in content_texts(node, source.conversation.record)]
        texts += [text for _, text in head_texts(node, lambda stream: of_stream.get(stream, ("", "")))]
        every.append((node.id, [*texts, node.kind]))
    return every


def brute(texts: list[tuple[str, list[str]]], query: str) -> list[str]:
    """The ids of the nodes with a matching text."""
    body = query.removeprefix("re:")
    flags = 0 if any(char.isupper() for char in body) else re.IGNORECASE
    pattern = re.compile(body if query.startswith("re:") else re.escape(body), flags)
    return [node_id for node_id, of_node in texts if any(pattern.search(text) for text in of_node)]


def search(source: Opened, query: str) -> Found:
    """A whole search."""
    found = run(source, compile_query(query), never)
    assert found.done and not found.unread
    return found


def shown_texts(source: Opened) -> Iterator[tuple[str, str]]:
    """What the document shows, by the document's own code: id and a text of each node."""
    for tree, place in source.steps():
        node = tree.nodes[place]
        view = source.conversation.view(node.id)
        for text in (view.text, view.result, view.name, node.id):
            if text:
                yield node.id, text
        for text in (view.text, view.result):
            if text.lstrip().startswith("{") and len(text.encode()) < 1900:
                yield from ((node.id, inner) for inner in _strings(text))


def _strings(text: str) -> Iterator[str]:
    try:
        value = loads(text)
    except ValueError:
        return
    todo = [value]
    while todo:
        value = todo.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            todo += value.values()
        elif isinstance(value, list):
            todo += value
