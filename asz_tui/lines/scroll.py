"""The arithmetic of a scrolled list: where its view begins, and where its scrollbar's thumb is. Constant cost."""

from __future__ import annotations


def clamp_top(top: int, height: int, count: int) -> int:
    """Keep the first row of a view where a full view, or all rows, can be shown.

    Args:
        top: the row wanted.
        height: rows in view.
        count: rows in all.

    Returns:
        The nearest possible row.
    """
    return max(0, min(top, count - height))


def keep_in_view(index: int, top: int, height: int, margin: int, jump: int = 1) -> int:
    """Scroll no further than needed to have a row in view with some rows around it.

    Args:
        index: the row.
        top: first row in view now.
        height: rows in view.
        margin: rows wanted before and after the row; fewer in a view too low for them.
        jump: rows to scroll at least, if at all; not so far that the row leaves the view on the other side.

    Returns:
        The new first row; may need `clamp_top`.
    """
    margin = max(0, min(margin, (height - 1) // 2))
    first, last = top + margin, top + height - 1 - margin
    room = max(0, last - first)
    if index < first:
        return top - max(first - index, min(jump, room))
    if index > last:
        return top + max(index - last, min(jump, room))
    return top


def thumb(top: int, height: int, count: int) -> tuple[int, int]:
    """Place the thumb of a scrollbar.

    Args:
        top: first row in view.
        height: rows in view, which is the scrollbar's length.
        count: rows in all.

    Returns:
        (first line of the thumb, line after its last); equal when everything is in view. The thumb touches an end only
        when the view does.
    """
    if height <= 0 or count <= height:
        return 0, 0
    length = max(1, height * height // count)
    room, last = height - length, count - height
    if top <= 0 or room == 0:
        return 0, length
    if top >= last:
        return room, height
    start = max(1, min(room - 1, top * room // last)) if room > 1 else 0
    return start, start + length


def row_at_bar(line: int, height: int, count: int) -> int:
    """Say where the view should begin when a line of the scrollbar is pressed.

    Args:
        line: the line.
        height: the scrollbar's length.
        count: rows in all.

    Returns:
        The first row of the view.
    """
    if height <= 1:
        return 0
    return clamp_top(round(line / (height - 1) * (count - height)), height, count)
