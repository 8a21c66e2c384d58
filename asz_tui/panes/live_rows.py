"""Rows of the list of sessions that are collected live: those of `HomeRows`, with the project, also before anything is collected.

A session stands in the list as soon as it is found, by what its sources tell; once a round of it landed, its row is that of the
conversation, and the sources still tell when it was last written to. Costs are those of `HomeRows`; many at once are one sort.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from datetime import tzinfo
from typing import NamedTuple

from asz_core.listing import Row

from ..grammar import one_line
from ..text.words import ago
from .home_rows import COLUMNS, HomeRows
from .tables import Cell, Column

_MANY = 100
_AT = 2
"""Where the project stands among the columns."""


class SessionNote(NamedTuple):
    """What the sources of a session tell.

    Attributes:
        project: the directory it ran in.
        title: None while it was not asked for.
        last_ms: when it was last written to, unix milliseconds.
        new: whether nothing of it is collected yet.
        problem: one sentence, or empty.
    """

    id: str
    project: str = ""
    title: str | None = None
    last_ms: int = 0
    new: bool = False
    problem: str = ""


class LiveRows(HomeRows):
    """A row source over the sessions of a source and their conversations."""

    columns = (*COLUMNS[:_AT], Column("project", 14, flex=1), *COLUMNS[_AT:])

    def __init__(self, rows: Iterable[Row], now_ms: int, tz: tzinfo, ascii_only: bool = False, home: str = "") -> None:
        """
        Args:
            rows: the conversations known so far.
            now_ms: the present.
            tz: the zone of dates.
            ascii_only: use ASCII only.
            home: the person's home directory, which is written as a tilde.
        """
        self._notes: dict[str, SessionNote] = {}
        self._home = home
        super().__init__(rows, now_ms, tz, ascii_only)

    def note(self, name: str) -> SessionNote | None:
        """What the sources of a session tell."""
        return self._notes.get(name)

    def take_notes(self, notes: Iterable[SessionNote], gone: Iterable[str] = ()) -> None:
        """Take over what the sources tell now.

        Args:
            notes: of the sessions of which something changed.
            gone: sessions whose sources are no more; what was collected of them stays.
        """
        came = []
        for note in notes:
            self._notes[note.id] = note
            row = self._rows.get(note.id)
            if row is None or row.rounds is None:
                came.append(self._bare(note))
            else:
                self._touch(note.id)
                self._look_whether_live(row)
        for name in gone:
            self._notes.pop(name, None)
            row = self._rows.get(name)
            if row is not None and row.rounds is None:
                self.remove(name)
        if len(came) > _MANY:
            self.set_rows([*self._rows.values(), *came])
            return
        for row in came:
            self.update(row)

    def remove(self, name: str) -> None:
        """Take a conversation off the list; a session of which there still is a source stands there without one."""
        super().remove(name)
        note = self._notes.get(name)
        if note is not None:
            self.update(self._bare(note))

    @staticmethod
    def _bare(note: SessionNote) -> Row:
        return Row(note.id, title=note.title, to_ms=note.last_ms or None, problem=note.problem, complete=True)

    def is_collected(self, name: str) -> bool:
        """Whether anything of a session is."""
        row = self._rows.get(name)
        return row is not None and row.rounds is not None

    def row_version(self, index: int) -> Hashable:
        """Changes with what the row shows."""
        row = self.row(index)
        return super().row_version(index), ago(self._last_ms(row), self.now_ms) if row is not None else None

    def _last_ms(self, row: Row) -> int | None:
        note = self._notes.get(row.id)
        return max(row.to_ms or 0, note.last_ms) if note is not None and note.last_ms else row.to_ms

    def _fits(self, row: Row) -> bool:
        return super()._fits(row) or (bool(self.filter) and self.filter.fits(self._project(row)))

    def _cells(self, row: Row, width: int) -> list[Cell]:
        cells = super()._cells(row, width)
        project = self._project(row)
        room = self._table.room(_AT, width)
        # The end of a path tells more than its beginning.
        if len(project) > room > 1:
            project = ("~" if self.ascii_only else "…") + project[1 - room :]
        return [*cells[:_AT], (project, "dim"), *cells[_AT:]]

    def _project(self, row: Row) -> str:
        note = self._notes.get(row.id)
        project = one_line(note.project) if note is not None else ""
        if self._home and (project == self._home or project.startswith(self._home + "/")):
            project = "~" + project[len(self._home) :]
        return self._plain(project)
