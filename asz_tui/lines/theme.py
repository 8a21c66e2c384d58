"""What each role looks like: role -> `rich.style.Style`, in six variants.

The variants, and what they may use:

- `auto`: middle tones of the 256 colour palette over the terminal's own foreground and background, to be read on dark
  and on light ones and short on the wire;
- `dark`, `light`: colours chosen after the Okabe-Ito palette, so that no two roles differ by red against green alone;
- `high-contrast`: few, saturated colours, everything important bold; on black;
- `16`: the terminal's own sixteen colours (for an app in ANSI mode);
- `mono`: bold, dim, underline and reverse only (`NO_COLOR`).

No style carries meaning alone: glyphs and words say the same. Backgrounds are set by the cursor and by matches only;
elsewhere the widget's own shows. `cursor` and `cursor-blur` are laid over a row's other styles.

Cost: constant; each variant is built once.
"""

from __future__ import annotations

from functools import cache

from rich.style import Style

ROLES = (
    "text", "dim", "time", "title", "accent", "ok", "warning", "error", "match", "cursor", "cursor-blur", "mark", "bar",
    "person", "answer", "model", "tool", "agent", "context", "notice", "code", "key", "added", "removed", "em",
)  # fmt: skip
"""The words a span's role may use."""

VARIANTS = ("auto", "dark", "light", "high-contrast", "16", "mono")

_AUTO = {
    "text": "default", "dim": "color(245)", "time": "color(245)", "title": "bold", "accent": "color(38)",
    "ok": "color(32)", "warning": "color(136)", "error": "bold color(166)", "match": "bold color(16) on color(178)",
    "cursor": "bold color(231) on color(24)", "cursor-blur": "bold color(231) on color(239)", "mark": "bold color(38)",
    "bar": "color(245)", "person": "bold color(32)", "answer": "default", "model": "color(97)", "tool": "color(136)",
    "agent": "color(36)", "context": "color(67)", "notice": "color(95)", "code": "default", "key": "color(67)",
    "added": "color(32)", "removed": "color(166)", "em": "italic",
}  # fmt: skip
_DARK = {
    "text": "#dcdcdc", "dim": "#8c8c8c", "time": "#9a9a9a", "title": "bold #ffffff", "accent": "#5fd7ff",
    "ok": "#7fc8f8", "warning": "#f0e442", "error": "bold #ff8a5c", "match": "bold #000000 on #f0c040",
    "cursor": "bold on #26405c", "cursor-blur": "on #303030", "mark": "bold #5fd7ff", "bar": "#6c6c6c",
    "person": "bold #7fc8f8", "answer": "#ececec", "model": "#c8b0f0", "tool": "#e8b04c", "agent": "#4cd0b0",
    "context": "#98a8b8", "notice": "#b0a090", "code": "#d0d8e0", "key": "#8fb8e0",
    "added": "#7fc8f8", "removed": "#f0a070", "em": "italic",
}  # fmt: skip
_LIGHT = {
    "text": "#202020", "dim": "#6a6a6a", "time": "#606060", "title": "bold #000000", "accent": "#005f87",
    "ok": "#005a9c", "warning": "#7a5c00", "error": "bold #b03000", "match": "bold #000000 on #ffd75f",
    "cursor": "bold on #cfe2f5", "cursor-blur": "on #e4e4e4", "mark": "bold #005f87", "bar": "#909090",
    "person": "bold #00508c", "answer": "#101010", "model": "#5f3f9f", "tool": "#8a5000", "agent": "#006a58",
    "context": "#4f5f70", "notice": "#6a5a4a", "code": "#203040", "key": "#2f5f8f",
    "added": "#00508c", "removed": "#a04000", "em": "italic",
}  # fmt: skip
_HIGH_CONTRAST = {
    "text": "#ffffff", "dim": "#c8c8c8", "time": "#d0d0d0", "title": "bold underline #ffffff", "accent": "bold #00ffff",
    "ok": "bold #80d0ff", "warning": "bold #ffff00", "error": "bold #ffa060", "match": "bold #000000 on #ffff00",
    "cursor": "bold #000000 on #ffffff", "cursor-blur": "bold on #505050", "mark": "bold #00ffff", "bar": "#ffffff",
    "person": "bold #80d0ff", "answer": "#ffffff", "model": "#e0c0ff", "tool": "#ffd060", "agent": "#60ffe0",
    "context": "#d0e0f0", "notice": "#f0e0d0", "code": "#ffffff", "key": "bold #a0d0ff",
    "added": "bold #80d0ff", "removed": "bold #ffa060", "em": "italic",
}  # fmt: skip
_SIXTEEN = {
    "text": "default", "dim": "bright_black", "time": "bright_black", "title": "bold", "accent": "bright_cyan",
    "ok": "bright_blue", "warning": "bright_yellow", "error": "bold bright_red", "match": "black on bright_yellow",
    "cursor": "reverse", "cursor-blur": "bold underline", "mark": "bold bright_cyan", "bar": "bright_black",
    "person": "bold bright_blue", "answer": "default", "model": "bright_magenta", "tool": "yellow", "agent": "cyan",
    "context": "bright_black", "notice": "bright_black", "code": "default", "key": "blue",
    "added": "bright_blue", "removed": "yellow", "em": "italic",
}  # fmt: skip
_MONO = {
    "text": "", "dim": "dim", "time": "dim", "title": "bold", "accent": "bold", "ok": "", "warning": "bold",
    "error": "bold", "match": "bold underline", "cursor": "reverse", "cursor-blur": "underline", "mark": "bold",
    "bar": "dim", "person": "bold", "answer": "", "model": "", "tool": "", "agent": "", "context": "dim",
    "notice": "dim", "code": "", "key": "bold", "added": "bold", "removed": "dim", "em": "underline",
}  # fmt: skip
_ALL = dict(zip(VARIANTS, (_AUTO, _DARK, _LIGHT, _HIGH_CONTRAST, _SIXTEEN, _MONO), strict=True))


@cache
def styles_for(variant: str) -> dict[str, Style]:
    """Give the styles of a variant.

    Args:
        variant: one of `VARIANTS`.

    Returns:
        A style for each of `ROLES`; shared, so copy it before changing it.

    Raises:
        KeyError: there is no such variant.
    """
    return {role: Style.parse(text or "none") for role, text in _ALL[variant].items()}
