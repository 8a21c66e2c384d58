"""What a configuration is: frozen values with their defaults. What they mean and may be is said in `options`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import tzinfo

from rich.style import Style

from ..lines.theme import styles_for
from ..text.safe import visible
from .times import zone_of


@dataclass(frozen=True, slots=True)
class Problem:
    """One mistake.

    Attributes:
        file: where it was made.
        line: the line there, from 1 on; 0 when it is of no line.
        what: what is wrong, in words.
    """

    file: str
    line: int
    what: str

    def __str__(self) -> str:
        """`file:line: what`, safe to print: a configuration may be somebody else's."""
        return visible(f"{self.file}:{self.line}: {self.what}" if self.line else f"{self.file}: {self.what}")


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the detail stands.

    Attributes:
        detail_open: open at the start.
        detail_position: `auto`, `right` or `below`.
        detail_size: its part of the screen in percent.
    """

    detail_open: bool = False
    detail_position: str = "auto"
    detail_size: int = 45


@dataclass(frozen=True, slots=True)
class Times:
    """How times are written.

    Attributes:
        zone: `local`, `UTC` or a name of the IANA database.
        clock: `HH:MM:SS`, `HH:MM` or `ISO`.
    """

    zone: str = "local"
    clock: str = "HH:MM:SS"


@dataclass(frozen=True, slots=True)
class Config:
    """Everything that can be configured.

    Attributes:
        theme: one of `lines.theme.VARIANTS`.
        noise: level of noise at the start, 0 to 2.
        thinking: thinking is shown at the start.
        clipboard: `osc52`, `file`, or a command as a tuple.
        slow: for slow lines.
        ascii: ASCII only, whatever the locale says.
        mouse: the explorer takes the mouse.
        layout: see `Layout`.
        times: see `Times`.
        colours: role -> style, over those of the theme.
        keys: binding id -> keys in Textual's spelling, comma separated, only where they differ from the tables in
            `asz_tui.keys`; empty for an action without a key.
    """

    theme: str = "auto"
    noise: int = 0
    thinking: bool = True
    clipboard: str | tuple[str, ...] = "osc52"
    slow: bool = False
    ascii: bool = False
    mouse: bool = True
    layout: Layout = Layout()
    times: Times = Times()
    colours: Mapping[str, str] = field(default_factory=dict)
    keys: Mapping[str, str] = field(default_factory=dict)

    def variant(self, environ: Mapping[str, str] = os.environ) -> str:
        """The theme to use: a theme that was chosen goes before `NO_COLOR`, as no-color.org wants it."""
        return "mono" if self.theme == "auto" and environ.get("NO_COLOR") else self.theme

    def styles(self, environ: Mapping[str, str] = os.environ) -> dict[str, Style]:
        """The styles of the theme, with the colours of the configuration over them."""
        own = {role: Style.parse(text or "none") for role, text in self.colours.items()}
        return {**styles_for(self.variant(environ)), **own}

    @property
    def tz(self) -> tzinfo:
        """The zone to show times in, as `text.words` takes it."""
        return zone_of(self.times.zone)
