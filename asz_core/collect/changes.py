"""Change records: what an editing tool reported of a file, as a ``changes/1`` object (the collecting specification, §8)."""

from __future__ import annotations

import hashlib
from typing import Any

from .difference import LIMIT, Hunk, hunks_of, lines_of
from .spelling import escaped


def change_record(enrichment: dict[str, Any], tool: str, session: str, stream: str, time: str, cwd: str) -> bytes | None:
    """The change that an enrichment reports.

    Args:
        enrichment: the keys of a usable one.
        tool: the id of the call; not empty, as session, stream and time.
        session: of the source.
        stream: of the source.
        time: the record's timestamp.
        cwd: the record's working directory, or empty.

    Returns:
        One line of JSON; None when there is no path, or nothing to say about the content.
    """
    get = enrichment.get
    path = get("filePath")
    if path:
        before, after = get("originalFile"), get("content")
    else:
        path, before, after = get("notebook_path"), get("original_file"), get("updated_file")
    if not path:
        return None
    if after is None and before is not None and get("oldString"):
        after = before.replace(get("oldString"), get("newString", ""), -1 if get("replaceAll") else 1)
    patch = get("structuredPatch")
    if not patch and after is None:
        return None
    diff, hunks, additions, deletions = _reported(patch) if patch else _computed(before or "", after or "")
    head = [b'{"schema":"changes/1","id":', escaped(tool), b',"captured_by":"claude-code","session":', escaped(session)]
    head += [b',"stream":', escaped(stream), b',"tool":', escaped(tool), b',"time":', escaped(time)]
    head.append(b',"basis":"runtime_reported"')
    if cwd:
        head += [b',"root":{"path":', escaped(cwd), b"}"]
    head += [b',"changed_files":1,"changes":[{"path":', escaped(relative(path, cwd))]
    head.append(b',"operation":"create"' if before is None else b',"operation":"modify"')
    head += [b',"before":', b'{"present":false,"bytes":null}' if before is None else _endpoint(before)]
    head += [b',"after":', b'{"present":true,"bytes":null}' if after is None else _endpoint(after)]
    counts = (additions, deletions) if diff == b"available" else (None, None)
    head += [b',"diff":"', diff, b'","additions":', _count(counts[0]), b',"deletions":', _count(counts[1])]
    if hunks:
        head += [b',"hunks":[', b",".join(map(_hunk, hunks)), b"]"]
    head.append(b"}]}")
    return b"".join(head)


def _count(number: int | None) -> bytes:
    return b"null" if number is None else b"%d" % number


def _endpoint(text: str) -> bytes:
    data = text.encode()
    out = b'{"present":true,"bytes":%d,"sha256":"%s"' % (len(data), hashlib.sha256(data).hexdigest().encode())
    return out + (b',"no_newline_at_end":true}' if data and not data.endswith(b"\n") else b"}")


def _hunk(hunk: Hunk) -> bytes:
    numbers = (hunk.old_start, hunk.old_lines, hunk.new_start, hunk.new_lines)
    lines = b"null" if hunk.lines is None else b"[" + b",".join(map(escaped, hunk.lines)) + b"]"
    return b'{"old_start":%d,"old_lines":%d,"new_start":%d,"new_lines":%d,"lines":%s}' % (*numbers, lines)


def _reported(patch: list[dict[str, Any]]) -> tuple[bytes, list[Hunk], int, int]:
    """The runtime's own hunks, taken on trust."""
    names = (("old_start", "oldStart"), ("old_lines", "oldLines"), ("new_start", "newStart"), ("new_lines", "newLines"))
    hunks = [Hunk(**{ours: hunk.get(name, 0) for ours, name in names}, lines=hunk.get("lines")) for hunk in patch]
    lines = [line for hunk in hunks for line in hunk.lines or ()]
    return b"available", hunks, sum(line[:1] == "+" for line in lines), sum(line[:1] == "-" for line in lines)


def _computed(before: str, after: str) -> tuple[bytes, list[Hunk], int, int]:
    if "\0" in before or "\0" in after:
        return b"binary", [], 0, 0
    old, new = lines_of(before), lines_of(after)
    if len(old) > LIMIT or len(new) > LIMIT:
        return b"too_large", [], 0, 0
    return b"available", *hunks_of(old, new)


def relative(path: str, cwd: str) -> str:
    """A path as seen from a directory, lexically, where that is possible; else the path as given (§8.1)."""
    if not cwd:
        return path
    absolute = path.startswith("/")
    if absolute != cwd.startswith("/"):
        return path
    target, base = _cleaned(path), _cleaned(cwd)
    if target == base:
        return "."
    common = 0
    while common < min(len(target), len(base)) and target[common] == base[common]:
        common += 1
    above = base[common:]
    if above and above[0] == "..":
        return path
    found = "/".join([".."] * len(above) + target[common:])
    return path if found.startswith("..") else found


def _cleaned(path: str) -> list[str]:
    """The elements of a path without empty ones and ``.``; ``..`` takes one away and vanishes at the root of an absolute path."""
    absolute = path.startswith("/")
    elements: list[str] = []
    for element in path.split("/"):
        if element in ("", "."):
            continue
        if element != "..":
            elements.append(element)
        elif elements and elements[-1] != "..":
            elements.pop()
        elif not absolute:
            elements.append(element)
    return elements
