"""The computed difference of two texts, line by line (the collecting specification, §8.2).

The choice among equally short scripts shows in the bytes, so this follows the specification's procedure step by step.
"""

from __future__ import annotations

from dataclasses import dataclass, field

LIMIT = 200_000
"""More lines than this on a side are not compared."""

_CONTEXT = 3
_EQUAL, _DELETE, _INSERT = " ", "-", "+"


@dataclass(slots=True)
class Hunk:
    """A stretch of changed lines and the equal ones around them; ``lines`` is None where nobody told any."""

    old_start: int = 0
    old_lines: int = 0
    new_start: int = 0
    new_lines: int = 0
    lines: list[str] | None = field(default_factory=list)


def lines_of(text: str) -> list[str]:
    """Lines without their newline; no empty one after the last newline."""
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


def hunks_of(old: list[str], new: list[str]) -> tuple[list[Hunk], int, int]:
    """The hunks between two texts, and how many lines were inserted and deleted."""
    rows = _rows(_operations(old, new))
    changed = [at for at, (kind, _, _) in enumerate(rows) if kind != _EQUAL]
    hunks: list[Hunk] = []
    at = 0
    while at < len(changed):
        first = last = changed[at]
        while at < len(changed) and changed[at] <= last + 2 * _CONTEXT + 1:
            last = changed[at]
            at += 1
        hunks.append(_hunk(rows[max(0, first - _CONTEXT) : last + _CONTEXT + 1], old, new))
    inserted = sum(kind == _INSERT for kind, _, _ in rows)
    return hunks, inserted, len(changed) - inserted


def _hunk(rows: list[tuple[str, int, int]], old: list[str], new: list[str]) -> Hunk:
    hunk = Hunk(rows[0][1], 0, rows[0][2], 0)
    lines: list[str] = []
    waiting: list[str] = []
    for kind, a, b in rows:
        if kind == _INSERT:
            waiting.append("+" + new[b])
            hunk.new_lines += 1
            continue
        hunk.old_lines += 1
        if kind == _DELETE:
            lines.append("-" + old[a])
            continue
        hunk.new_lines += 1
        lines += waiting
        waiting = []
        lines.append(" " + old[a])
    hunk.lines = lines + waiting
    hunk.old_start += hunk.old_lines > 0
    hunk.new_start += hunk.new_lines > 0
    return hunk


def _rows(operations: list[tuple[str, int, int, int]]) -> list[tuple[str, int, int]]:
    """Each line as its kind and its position on both sides."""
    rows: list[tuple[str, int, int]] = []
    for kind, a, b, length in operations:
        old, new = kind != _INSERT, kind != _DELETE
        rows += [(kind, a + i * old, b + i * new) for i in range(length)]
    return rows


def _operations(old: list[str], new: list[str]) -> list[tuple[str, int, int, int]]:
    """Kind, position in the old, position in the new, length; in order."""
    numbers: dict[str, int] = {}
    a = [numbers.setdefault(line, len(numbers)) for line in old]
    b = [numbers.setdefault(line, len(numbers)) for line in new]
    found: list[tuple[str, int, int, int]] = []
    waiting: list[tuple[str, int, int, int, int]] = [("range", 0, len(a), 0, len(b))]
    while waiting:
        kind, a0, a1, b0, b1 = waiting.pop()
        if kind != "range":
            if kind == _INSERT and b1 > b0:
                found.append((kind, a0, b0, b1 - b0))
            elif kind != _INSERT and a1 > a0:
                found.append((kind, a0, b0, a1 - a0))
            continue
        waiting += reversed(_range(a, a0, a1, b, b0, b1))
    return found


def _range(a: list[int], a0: int, a1: int, b: list[int], b0: int, b1: int) -> list[tuple[str, int, int, int, int]]:
    """What a range of both sides comes to; another range among it is still to be worked out."""
    start_a, start_b, end_a, end_b = a0, b0, a1, b1
    while a0 < a1 and b0 < b1 and a[a0] == b[b0]:
        a0, b0 = a0 + 1, b0 + 1
    while a1 > a0 and b1 > b0 and a[a1 - 1] == b[b1 - 1]:
        a1, b1 = a1 - 1, b1 - 1
    out = [(_EQUAL, start_a, a0, start_b, b0)]
    if a0 == a1:
        out.append((_INSERT, a0, a1, b0, b1))
    elif b0 == b1:
        out.append((_DELETE, a0, a1, b0, b1))
    else:
        split = _middle(a, a0, a1, b, b0, b1)
        if split is None:
            out += [(_DELETE, a0, a1, b0, b0), (_INSERT, a1, a1, b0, b1)]
        else:
            x, y = split
            out += [("range", a0, a0 + x, b0, b0 + y), ("range", a0 + x, a1, b0 + y, b1)]
    out.append((_EQUAL, a1, end_a, b1, end_b))
    return out


def _middle(a: list[int], a0: int, a1: int, b: list[int], b0: int, b1: int) -> tuple[int, int] | None:
    """Where the two shortest ways meet, from the beginning and from the end; None when they do not."""
    if set(a[a0:a1]).isdisjoint(b[b0:b1]):
        return None  # whatever the way, all is deleted and all inserted, and the hunks show the deletions first
    n, m = a1 - a0, b1 - b0
    limit = (n + m + 1) // 2
    delta = n - m
    odd = delta % 2 != 0
    # Diagonal k stands at k of a list that is long enough for negative indexes to be those of its end.
    forward, reverse = [-1] * (2 * limit + 2), [-1] * (2 * limit + 2)
    forward[1] = reverse[1] = 0
    fs = fe = rs = re = 0
    for d in range(limit):
        k = -d + fs
        while k <= d - fe:
            x = forward[k + 1] if k == -d or (k != d and forward[k - 1] < forward[k + 1]) else forward[k - 1] + 1
            y = x - k
            while x < n and y < m and a[a0 + x] == b[b0 + y]:
                x, y = x + 1, y + 1
            forward[k] = x
            if x > n:
                fe += 2
            elif y > m:
                fs += 2
            elif odd:
                j = delta - k
                if -limit <= j <= limit + 1 and reverse[j] != -1 and x >= n - reverse[j]:
                    return x, y
            k += 2
        k = -d + rs
        while k <= d - re:
            x = reverse[k + 1] if k == -d or (k != d and reverse[k - 1] < reverse[k + 1]) else reverse[k - 1] + 1
            y = x - k
            while x < n and y < m and a[a1 - 1 - x] == b[b1 - 1 - y]:
                x, y = x + 1, y + 1
            reverse[k] = x
            if x > n:
                re += 2
            elif y > m:
                rs += 2
            elif not odd:
                j = delta - k
                if -limit <= j <= limit + 1 and forward[j] != -1 and forward[j] >= n - x:
                    return forward[j], forward[j] - j
            k += 2
    return None
