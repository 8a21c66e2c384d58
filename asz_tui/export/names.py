"""What the formats are called, what a file is called, and the command line that opens the same place again.

Names are made of ASCII letters, digits, dots, dashes and underscores only, whatever the data holds. Cost: constant.
"""

from __future__ import annotations

import os
import re
import shlex
import unicodedata
from dataclasses import dataclass

from asz_core.sessionflow import attrs_of

from ..session.opened import Opened


@dataclass(frozen=True, slots=True)
class Format:
    """A format of an export.

    Attributes:
        name: how `export` is asked for it.
        extension: of the file, without the dot.
        label: a word for a person.
        words: what it holds, in a few words.
    """

    name: str
    extension: str
    label: str
    words: str


FORMATS = (
    Format("json", "json", "JSON", "the document as data, texts clipped as it has them"),
    Format("yaml", "yaml", "YAML", "the document as data, easier to read"),
    Format("markdown", "md", "Markdown", "a transcript to read, every text whole"),
    Format("text", "txt", "text", "the tree as plain text, every text whole"),
)
SVG = Format("svg", "svg", "SVG", "a picture of the screen")
"""Only a screen can make this one; `propose_name` knows it."""

_LONGEST_TITLE, _LONGEST_PART = 48, 32
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


def formats() -> tuple[Format, ...]:
    """The formats that `export` makes."""
    return FORMATS


def format_named(name: str) -> Format:
    """A format by its name.

    Raises:
        KeyError: when there is none.
    """
    return {entry.name: entry for entry in (*FORMATS, SVG)}[name]


def propose_name(opened: Opened, what: str | None, fmt: str) -> str:
    """A short file name: the title (or the id), what was selected, the round, the extension of the format.

    Args:
        opened: the conversation.
        what: id of the selected node, None for the whole conversation.
        fmt: name of a format, «svg» included.
    """
    conversation = opened.conversation
    session = conversation.fold.session_node()
    title = attrs_of(session).get("title") if session else None
    words = _slug(title, _LONGEST_TITLE) if isinstance(title, str) else ""
    parts = [words or _slug(conversation.id, _LONGEST_TITLE) or "conversation"]
    if what is not None:
        parts.append(_slug(what, _LONGEST_PART) or "selection")
    parts.append(f"r{conversation.fold.head}")
    return "-".join(parts) + "." + format_named(fmt).extension


def _slug(text: str, longest: int) -> str:
    """A text in small ASCII letters, digits and dashes; words are not cut unless there is only one."""
    plain = unicodedata.normalize("NFKD", text[:400]).encode("ascii", "ignore").decode().lower()
    slug = re.sub(r"[^a-z0-9._]+", "-", plain).strip("-._")
    # Two dots in a row mean a folder to some programs.
    slug = re.sub(r"\.{2,}", ".", slug)
    if len(slug) > longest:
        cut = slug[: longest + 1].rpartition("-")[0]
        slug = cut if len(cut) > longest // 2 else slug[:longest]
    return slug.strip("-._")


def deep_link(root_path: str | os.PathLike[str], conversation_id: str, node_id: str | None, round: int | None = None) -> str:
    """A command line that opens the same place, to be pasted into a shell.

    Args:
        root_path: the storage root; it is made absolute, so that the link works from any directory.
        conversation_id: the whole id.
        node_id: the node, None for the conversation.
        round: as of which round; the command line has no word for it yet, so it is left out.
    """
    target = conversation_id + (f"#{node_id}" if node_id else "")
    dashes = "-- " if target.startswith("-") else ""
    return f"asz-tui {dashes}{_quoted(os.path.abspath(os.fspath(root_path)))} {_quoted(target, always=True)}"


def _quoted(text: str, *, always: bool = False) -> str:
    """A text as one word of a shell; what would act on a terminal is spelled out, as it may come from data."""
    if _CONTROL.search(text):
        raw = text.encode("utf-8", "surrogateescape" if _is_path_like(text) else "replace")
        return "$'" + "".join(chr(c) if 32 <= c < 127 and c not in b"'\\" else f"\\x{c:02x}" for c in raw) + "'"
    quoted = shlex.quote(text)
    return f"'{text}'" if always and quoted == text else quoted


def _is_path_like(text: str) -> bool:
    """Whether every surrogate is one that a path's byte was read as."""
    return all("\udc80" <= char <= "\udcff" for char in text if "\ud800" <= char <= "\udfff")
