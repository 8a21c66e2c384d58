"""The captured prompt of a model call: what was sent, what that added to the request before, and what came back.

Everything is read when it is asked for and nothing else: `asz_core.document.bodies` rebuilds the bodies and says what is missing.
The body itself always follows as JSON, so that nothing of it is left out; what cannot be taken apart is shown as it stands.

Cost: in proportion to the bodies that are shown; see `prompt_blocks` for what bounds it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from asz_core.document.bodies import Bodies, Body
from asz_core.sessionflow import Node

from ...lines.line import Line
from ...lines.text_rows import Block
from ...text.words import counted
from .items import Facts, Item, dim, heading, record_key, safe, size_words, text_bytes, where
from .jsontext import json_block
from .prompt_blocks import content_items, json_item, message_items, some, spelt, tool_items

_APART = ("system", "tools", "messages")


def prompt_items(bodies: Bodies, node: Node, *, added: bool, whole: bool = False) -> list[Item]:
    """The captured request and response of a model call.

    Args:
        bodies: of the conversation.
        node: the model call.
        added: only what the request added to the one before it in the chain, instead of the whole request.
        whole: unfold the schemas of the tools, and long lists.
    """
    found = bodies.of(node)
    if not found:
        return [dim("No body was captured for this model call.")]
    items: list[Item] = []
    for body in found:
        items += ([Line()] if items else []) + _head(body)
        try:
            items += _laid_out(bodies, node, body, added, whole)
        except (RecursionError, ValueError, TypeError, OverflowError, msgspec.MsgspecError):
            # Nested deeper than the stack, or numbers no encoder takes: shown as it stands, nothing is lost.
            items += [dim("It cannot be taken apart, and is shown as it stands."), *_raw(body)]
    return items


def _laid_out(bodies: Bodies, node: Node, body: Body, added: bool, whole: bool) -> list[Item]:
    if body.value is None:
        note = [dim(f"{body.note[:-1]}, and is shown as it stands.")] if body.note else []
        return [*note, *_raw(body)]
    if not isinstance(body.value, dict):
        return [Line(), json_item(body.value, 0)]
    if body.role == "response":
        return _response(body, whole)
    return _added(bodies, node, body, whole) if added else _request(body, whole)


def _head(body: Body) -> list[Item]:
    items: list[Item] = [Line([(f"captured {safe(body.role)}", "title"), (f"  {where(body.ref)}", "dim")])]
    if body.problems:
        items.append(Block([("This body did not come back whole:", "error")]))
        items += [Block([(f"{safe(problem)}.", "error")], indent=2) for problem in body.problems]
    facts = Facts()
    facts.known("model", body.fact("model"))
    size = size_words(text_bytes(body.raw))
    facts.add("size", size if not body.problems else f"{size} of {body.size:,} that its record claims")
    for label, name in (
        ("chain", "chain"), ("request", "request"), ("request before", "previous_request"), ("file", "src"), ("why", "why"),
    ):  # fmt: skip
        facts.known(label, body.fact(name))
    facts.add("read from", where(body.ref), key=record_key(body.ref))
    return items + facts.items()


def _raw(body: Body) -> list[Item]:
    return [Line(), Block(body.raw, role="code", kind="code")] if body.raw else []


def _body_itself(body: Body) -> list[Item]:
    block = json_block(body.raw) or Block(body.raw, role="code", kind="code")
    return [*heading("the body", [(f" · {size_words(text_bytes(body.raw))}", "dim")]), block]


def _settings(value: dict[str, Any], apart: Sequence[str]) -> list[Item]:
    rest = {key: item for key, item in value.items() if key not in apart}
    return [*heading("settings"), json_item(rest)] if rest else []


def _sent_bytes(body: Body, name: str, first: int | None = None) -> str:
    """How many bytes a member of a body has as it was sent; of a list, perhaps only its first elements."""
    member = msgspec.json.decode(body.raw.encode("utf-8", "replace"), type=dict[str, msgspec.Raw])[name]
    if first is None:
        return size_words(len(bytes(member)))
    return size_words(sum(len(bytes(one)) for one in msgspec.json.decode(member, type=list[msgspec.Raw])[:first]))


# --- the request


def _request(body: Body, whole: bool) -> list[Item]:
    value = body.value
    items: list[Item] = []
    if value.get("system"):
        items += heading("system prompt", [(f" · {_sent_bytes(body, 'system')} as sent", "dim")])
        items += content_items(value["system"], whole)
    items += tool_items(value.get("tools"), whole)
    messages = value.get("messages")
    if isinstance(messages, list):
        items += heading("messages", [(f" · {len(messages):,} · {_sent_bytes(body, 'messages')} as sent", "dim")])
        items += _messages(messages, 0, whole)
    # A member of a shape that no section shows is left among the settings.
    apart = [name for name in _APART if name == "system" or isinstance(value.get(name), list)]
    return [*items, *_settings(value, apart), *_body_itself(body)]


def _messages(messages: list[Any], start: int, whole: bool) -> list[Item]:
    """The messages from an index on."""
    shown, rest = some(messages[start:], "messages", whole)
    items = [item for at, message in shown for item in message_items(message, start + at, len(messages), whole)]
    return items + rest


# --- what a request added


def _added(bodies: Bodies, node: Node, body: Body, whole: bool) -> list[Item]:
    items = heading("what it added")
    before = bodies.before(body)
    if before.body is None or before.node is None:
        words = f"{safe(before.why)} So there is nothing to compare with; this is the whole request."
        return [*items, dim(words), *_request(body, whole)]
    link = [("compared with the request of ", "dim"), (safe(before.node.id), "accent")]
    items.append(Block(link, key=("node", before.node.id)))
    if not isinstance(before.body.value, dict) or before.body.problems:
        why = "; ".join(before.body.problems) or "it cannot be taken apart"
        words = f"That request did not come back whole ({why}), so they cannot be compared; this is the whole request."
        return [*items, dim(safe(words)), *_request(body, whole)]
    return items + _compared(before.body, body, bodies.reset_between(before.node, node), whole)


def _compared(old: Body, new: Body, reset: bool, whole: bool) -> list[Item]:
    had, has = old.value.get("messages"), new.value.get("messages")
    if not isinstance(had, list) or not isinstance(has, list):
        words = "One of them has no list of messages, so they cannot be compared; this is the whole request."
        return [dim(words), *_request(new, whole)]
    same, marks = _same(had, has)
    items: list[Item] = []
    if same == len(had):
        but = ", but for the marks of what to cache" if marks else ""
        are = "message before is as the call before sent it" if same == 1 else "messages before are as the call before sent them"
        items.append(dim(f"The {same:,} {are}{but}: {_sent_bytes(new, 'messages', same)}."))
        if len(has) == same:
            items.append(dim("This request adds no message."))
        else:
            items += heading("added by this call", [(f" · {len(has) - same:,}", "dim")])
    elif reset:
        items.append(dim(f"The context was replaced by a summary here: {counted(len(had), 'message')} became {len(has):,}."))
        same = 0
    else:
        how = "cut after" if same == len(has) else "rewritten after"
        words = f"The history was {how} {counted(same, 'message')}, and not by a compaction: {len(had):,} became {len(has):,}."
        items.append(dim(words))
    items += _messages(has, same, whole)
    return items + _changed(old.value, new.value)


def _changed(old: dict[str, Any], new: dict[str, Any]) -> list[Item]:
    """Names of the other members that are not as they were."""
    names = []
    for key in dict.fromkeys([*old, *new]):
        if key == "messages" or (key in old and key in new and old[key] == new[key]):
            continue
        how = " (new)" if key not in old else " (gone)" if key not in new else ""
        names.append(safe(key) + how)
    return [Line(), Block([("also changed: ", "dim"), (", ".join(names), "text")])] if names else []


def _same(had: list[Any], has: list[Any]) -> tuple[int, bool]:
    """How many messages at the beginning both have alike, and whether only the marks of what to cache tell some apart."""
    count, marks = 0, False
    for old, new in zip(had, has, strict=False):
        if old != new:
            if _unmarked(old) != _unmarked(new):
                break
            marks = True
        count += 1
    return count, marks


def _unmarked(message: Any) -> Any:
    """A message without cache marks, which move from request to request; a marked text is a list of one text."""
    if not isinstance(message, dict):
        return message
    content = message.get("content")
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    if isinstance(content, list):
        content = [_without_mark(block) for block in content]
    return {**message, "content": content}


def _without_mark(block: Any) -> Any:
    return {key: value for key, value in block.items() if key != "cache_control"} if isinstance(block, dict) else block


# --- the response


def _response(body: Body, whole: bool) -> list[Item]:
    value = body.value
    facts = Facts()
    stop = value.get("stop_reason")
    facts.add("stopped", stop if isinstance(stop, str) and stop else "no reason given" if stop is None else spelt(stop))
    facts.known("id", value["id"] if isinstance(value.get("id"), str) else "")
    usage = value.get("usage")
    for key, number in usage.items() if isinstance(usage, dict) else ():
        facts.add(f"usage {safe(key)}", number if isinstance(number, str) else spelt(number))
    items: list[Item] = [Line(), *facts.items()]
    if "content" in value:
        items += [*heading("what came back"), *content_items(value["content"], whole)]
    apart = [name for name in ("content", "stop_reason") if name in value]
    apart += [name for name, kind in (("usage", dict), ("id", str)) if isinstance(value.get(name), kind)]
    return [*items, *_settings(value, apart), *_body_itself(body)]
