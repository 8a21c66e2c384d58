"""The captured prompt of a model call: what was sent, what that added to the request before, and what came back.

Everything is read when it is asked for and nothing else: `asz_core.document.bodies` rebuilds the bodies and says what is missing.
Whatever has another shape than expected is shown as JSON, so that nothing is lost and nothing is guessed.

Cost: in proportion to the bodies that are shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from asz_core.document.bodies import Bodies, Body
from asz_core.sessionflow import Node

from ...lines.line import Line
from ...lines.text_rows import Block
from .items import Facts, Item, counted, dim, heading, record_key, safe, size_words, text_bytes, where
from .jsontext import json_block

_BLOCK_WORDS = {
    "text": "text",
    "thinking": "thinking",
    "redacted_thinking": "thinking, redacted by the provider",
    "tool_use": "tool use",
    "server_tool_use": "tool use on the provider's side",
    "tool_result": "tool result",
    "image": "image",
    "document": "document",
}
_REMINDER = "<system-reminder>"


def prompt_items(bodies: Bodies, node: Node, *, added: bool) -> list[Item]:
    """The captured request and response of a model call.

    Args:
        bodies: of the conversation.
        node: the model call.
        added: only what the request added to the one before it in the chain, instead of the whole request.
    """
    found = bodies.of(node)
    if not found:
        return [dim("No body was captured for this model call.")]
    items: list[Item] = []
    for body in found:
        items += ([Line()] if items else []) + _head(body)
        try:
            items += _laid_out(bodies, body, added)
        except (RecursionError, ValueError, TypeError, OverflowError):
            # Nested deeper than the stack, or numbers no encoder takes: shown as it stands, nothing is lost.
            items += [dim("It is shown as it stands: it cannot be taken apart."), *_raw(body)]
    return items


def _laid_out(bodies: Bodies, body: Body, added: bool) -> list[Item]:
    if body.value is None:
        return _raw(body)
    if body.role == "response":
        return _response(body)
    return _added(bodies, body) if added else _request(body)


def _head(body: Body) -> list[Item]:
    items: list[Item] = [Line([(f"captured {safe(body.role)}", "title"), (f"  {where(body.ref)}", "dim")])]
    items += [Block([(f"This body did not come back whole: {safe(problem)}.", "error")]) for problem in body.problems]
    facts = Facts()
    facts.known("model", body.fact("model"))
    facts.add("size", size_words(text_bytes(body.raw)) if body.raw else f"{size_words(body.size)} claimed")
    for label, name in (("chain", "chain"), ("request", "request"), ("request before", "previous_request"), ("file", "src")):
        facts.known(label, body.fact(name))
    facts.add("read from", where(body.ref), key=record_key(body.ref))
    return items + facts.items()


def _raw(body: Body) -> list[Item]:
    return [Line(), Block(body.raw, role="code", kind="code")] if body.raw else []


def _spelt(value: Any) -> str:
    return msgspec.json.encode(value).decode("utf-8", "replace")


def _json(value: Any, indent: int = 2) -> Item:
    text = _spelt(value)
    block = json_block(text)
    return block or Block(text, role="code", kind="code", indent=indent)


# --- the request


def _request(body: Body) -> list[Item]:
    value = body.value
    if not isinstance(value, dict):
        return [Line(), _json(value)]
    items: list[Item] = []
    system = value.get("system")
    if system:
        items += heading("system prompt", [(f" · {_bytes(system)}", "dim")])
        items += list(_content(system))
    items += _tools(value.get("tools"))
    messages = value.get("messages")
    if isinstance(messages, list):
        items += heading("messages", [(f" · {len(messages):,} · {_bytes(messages)} as sent", "dim")])
        for number, message in enumerate(messages, 1):
            items += _message(message, number, len(messages))
    items += _settings(value, ("system", "tools", "messages"))
    return [*items, *_whole(body)]


def _bytes(value: Any) -> str:
    return size_words(len(msgspec.json.encode(value)))


def _tools(tools: Any) -> list[Item]:
    if not isinstance(tools, list) or not tools:
        return []
    names = [tool.get("name") for tool in tools if isinstance(tool, dict)]
    first = ", ".join(safe(str(name)) for name in names[:3])
    more = f", and {len(tools) - 3:,} more" if len(tools) > 3 else ""
    items = heading("tools", [(f" · {len(tools):,} · {first}{more}", "dim")])
    for tool in tools:
        if not isinstance(tool, dict):
            items.append(_json(tool))
            continue
        items.append(Block([(safe(str(tool.get("name", "no name"))), "tool")], indent=2))
        description = tool.get("description")
        if isinstance(description, str) and description:
            items.append(Block(description, role="dim", indent=4))
        rest = {key: item for key, item in tool.items() if key not in ("name", "description")}
        if rest:
            items.append(_json(rest, 4))
    return items


def _message(message: Any, number: int, total: int) -> list[Item]:
    if not isinstance(message, dict):
        return [Block([(f"message {number:,} of {total:,}", "key")], indent=2), _json(message)]
    role = safe(str(message.get("role", "no role")))
    items: list[Item] = [Line(), Block([(role, "person" if role == "user" else "answer"), (f"  {number:,} of {total:,}", "dim")])]
    return [*items, *_content(message.get("content"))]


def _content(content: Any) -> Iterator[Item]:
    """The blocks of a message or of the system prompt."""
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    if not isinstance(content, list):
        yield _json(content)
        return
    for block in content:
        yield from _block(block)


def _block(block: Any) -> Iterator[Item]:
    kind = block.get("type") if isinstance(block, dict) else None
    if not isinstance(kind, str) or kind not in _BLOCK_WORDS:
        yield _json(block)
        return
    words = _BLOCK_WORDS[kind]
    text = block.get("thinking") if kind == "thinking" else block.get("text")
    if kind == "text" and isinstance(text, str) and text.lstrip().startswith(_REMINDER):
        words = "injected by the runtime"
    if kind in ("tool_use", "server_tool_use"):
        name, use = safe(str(block.get("name", ""))), safe(str(block.get("id", "")))
        yield Block([(f"{words}: ", "dim"), (name, "tool"), (f"  for {use}", "dim")], indent=2)
        yield _json(block.get("input"))
        return
    if kind == "tool_result":
        failed = " · failed" if block.get("is_error") is True else ""
        answered = safe(str(block.get("tool_use_id", "")))
        yield Block([(words, "dim"), (failed, "error"), (f"  for {answered}", "dim")], indent=2)
        yield from _content(block.get("content") or "")
        return
    if words != "text":
        yield Block([(words, "dim")], indent=2)
    if isinstance(text, str):
        yield Block(text, role="text", indent=2)
    else:
        yield _json(block)


def _settings(value: dict[str, Any], apart: tuple[str, ...]) -> list[Item]:
    rest = {key: item for key, item in value.items() if key not in apart}
    return [*heading("settings"), _json(rest)] if rest else []


def _whole(body: Body) -> list[Item]:
    block = json_block(body.raw) or Block(body.raw, role="code", kind="code")
    return [*heading("the body", [(f" · {size_words(text_bytes(body.raw))}", "dim")]), block]


# --- what a request added


def _added(bodies: Bodies, body: Body) -> list[Item]:
    items = heading("what it added")
    if not body.fact("previous_request"):
        return [*items, dim("It names no request before it: it is the first of its chain."), *_request(body)]
    before = bodies.before(body)
    if before is None:
        name = safe(body.fact("previous_request"))
        words = f"The request before it, {name}, is not captured, so there is nothing to compare with."
        return [*items, dim(words), *_request(body)]
    node, other = before
    if other.value is None or not isinstance(other.value, dict) or not isinstance(body.value, dict):
        return [*items, dim("The request before it did not come back whole, so there is nothing to compare with."), *_request(body)]
    items.append(Block([("compared with the request of ", "dim"), (safe(node.id), "accent")], key=("node", node.id)))
    return items + _compared(other.value, body.value)


def _compared(old: dict[str, Any], new: dict[str, Any]) -> list[Item]:
    had, has = old.get("messages"), new.get("messages")
    if not isinstance(had, list) or not isinstance(has, list):
        return [dim("One of them has no list of messages, so they cannot be compared.")]
    items: list[Item] = []
    same = sum(1 for _ in _same(had, has))
    if same == len(had):
        items.append(dim(f"{counted(same, 'message')} before, as the call before sent them: {_bytes(has[:same])}."))
        if len(has) == same:
            items.append(dim("This request adds no message."))
        else:
            items += heading("added by this call", [(f" · {len(has) - same:,}", "dim")])
        for number in range(same, len(has)):
            items += _message(has[number], number + 1, len(has))
    elif len(has) < len(had):
        words = f"The context was replaced by a shorter one here: {counted(len(had), 'message')} became {len(has):,}."
        items += [dim(words), *(item for at, message in enumerate(has, 1) for item in _message(message, at, len(has)))]
    else:
        items.append(dim(f"The history was rewritten from message {same + 1:,} on, and not by a compaction."))
        for number in range(same, len(has)):
            items += _message(has[number], number + 1, len(has))
    changed = [key for key in dict.fromkeys([*old, *new]) if key != "messages" and old.get(key) != new.get(key)]
    if changed:
        items += [Line(), Block([("also changed: ", "dim"), (", ".join(safe(key) for key in changed), "text")])]
    return items


def _same(had: list[Any], has: list[Any]) -> Iterator[None]:
    """One for each message at the beginning that both have alike; the marks that say what to cache do not count."""
    for old, new in zip(had, has, strict=False):
        if old != new and _bare(old) != _bare(new):
            return
        yield None


def _bare(value: Any) -> Any:
    """A message without cache marks, which move from request to request. A text alone and a list of that text are the same."""
    if isinstance(value, dict):
        return {key: _bare(item) for key, item in value.items() if key != "cache_control"}
    return [_bare(item) for item in value] if isinstance(value, list) else value


# --- the response


def _response(body: Body) -> list[Item]:
    value = body.value
    if not isinstance(value, dict):
        return [Line(), _json(value)]
    facts = Facts()
    facts.add("stopped", str(value.get("stop_reason") or "no reason given"))
    facts.known("id", value["id"] if isinstance(value.get("id"), str) else "")
    usage = value.get("usage")
    for key, number in usage.items() if isinstance(usage, dict) else ():
        facts.add(f"usage {safe(str(key))}", str(number) if isinstance(number, (int, str)) else _spelt(number))
    items: list[Item] = [Line(), *facts.items(), *heading("what came back")]
    items += list(_content(value.get("content")))
    return [*items, *_settings(value, ("content", "usage", "stop_reason", "id")), *_whole(body)]
