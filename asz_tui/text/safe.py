"""The boundary between data and terminal: every text that comes from data passes `visible` before it is shown.

What the module owns: which characters are dangerous, invisible or unreliable in a terminal, and how each is shown.

========================================  =====================================  ============================
in the data                               on the screen                          after `ascii_only`
========================================  =====================================  ============================
C0 controls, DEL                          control pictures (ESC is ``␛``)        caret notation (``^[``)
C1 controls, bidi controls, zero-width    ``⟨U+202E⟩``: the code point by name    ``<U+202E>``
and invisible format characters, tags,
noncharacters, lone surrogates
line break, one line                      ``⏎ ``: the run and the blanks around   `` / ``
                                          it as one mark
line break, several lines                 kept as ``\\n`` (``\\r\\n`` too)
tab                                       one blank; with several lines, blanks
                                          up to the next multiple of four cells
emoji joined by ZWJ, skin tones, VS16     the single emoji, without the joiner   by name, ``<U+1F469>``
flags (regional indicators)               ``⟨DE⟩``: the letters                   ``<DE>``
a pile of combining marks                 the first four, then ``⟨+17 marks⟩``    ``<+17 marks>``
========================================  =====================================  ============================

The emoji rows exist because terminals disagree by up to six cells on such sequences; with `screen=False` (text that is
copied out or written to a file) they are left as they are, since there they are neither dangerous nor misaligned.
Private-use characters stay: fonts use them and they are one cell wide.

Cost: one test for plain ASCII (most text), one regular expression search for other clean text, and a substitution
in proportion to the text only when something is to be replaced.
"""

from __future__ import annotations

import re
import unicodedata

from rich.cells import cell_len

TAB = 4
MARKS_KEPT = 4

_INVISIBLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_NONCHARACTERS = "\ufdd0-\ufdef" + "".join(chr(p + 0xFFFE) + chr(p + 0xFFFF) for p in range(0, 0x110000, 0x10000))
_SURROGATES = "\ud800-\udfff"
_C1 = "\x80-\x9f"
_REGIONAL = "\U0001f1e6-\U0001f1ff"
_TONES = "\U0001f3fb-\U0001f3ff"
_COMBINING = (  # the marks that combine with anything; those of single scripts do not pile up
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
)
# What may stand on either side of a joiner and still be a picture: symbols, dingbats, emoji planes, the keycap base.
_PICTURE = "\u00a9\u00ae\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001f1e5\U0001f200-\U0001faff"

_ODD = f"{_C1}{_INVISIBLE}{_NONCHARACTERS}{_SURROGATES}"
_PILE = f"[{_COMBINING}]{{{MARKS_KEPT + 1},}}"
_LEADING = f"(?:\\A|(?<=\n))(?=[{_COMBINING}])"

_JOINER = f"\u200d(?=[{_PICTURE}])"
_EMOJI_SEQUENCE = f"(?P<tail>(?<=[{_PICTURE}])(?:[\ufe0e\ufe0f{_TONES}]+(?:{_JOINER})?|{_JOINER}))"
_KEYCAP = "(?P<keycap>(?<=[0-9#*])\ufe0f(?=\u20e3))"
_FLAG = f"(?P<flag>[{_REGIONAL}]+)"


def _compile(*, screen: bool) -> re.Pattern[str]:
    """Build the pattern of everything that has to be replaced, for the cell grid or for a file."""
    parts = []
    if screen:
        parts += [_EMOJI_SEQUENCE, _KEYCAP, _FLAG, f"(?P<odd>[{_ODD}{_TONES}])"]
    else:
        # The same sequences are recognised, so that their joiners are not taken for stray ones, and kept.
        parts += [_EMOJI_SEQUENCE, _KEYCAP, f"(?P<odd>[{_ODD}])"]
    # Line breaks and tabs are seen to before and after.
    parts += ["(?P<control>[\x00-\x08\x0b-\x1f\x7f])", f"(?P<leading>{_LEADING})", f"(?P<pile>{_PILE})"]
    return re.compile("|".join(parts))


_ON_SCREEN, _OFF_SCREEN = _compile(screen=True), _compile(screen=False)
# One character class over everything that any part above can begin with: a search for it is some thirty times cheaper
# than one for the alternatives, and finds nothing in almost every text.
_SUSPECT = re.compile(f"[\x00-\x08\x0b-\x1f\x7f{_ODD}{_TONES}{_REGIONAL}{_COMBINING}]")
_BREAKS = re.compile(r"\n[ \t\n]*")


def _named(text: str) -> str:
    """Spell every character of `text` as its code point in angle brackets."""
    return "".join(f"⟨U+{ord(c):04X}⟩" for c in text)


def _control(match: re.Match[str]) -> str:
    code = ord(match[0])
    return "\u2421" if code == 0x7F else chr(0x2400 + code)


def _one_line(text: str) -> str:
    """Show the line breaks of a text, with the blanks around them, as one mark each, and its tabs as blanks."""
    if "\n" in text:
        # The last mark needs no blank after it when nothing follows.
        text = "⏎ ".join([part.rstrip(" \t") for part in _BREAKS.split(text)])
        text = text[:-1] if text.endswith("⏎ ") else text
    return text.replace("\t", " ")


def _flag(match: re.Match[str]) -> str:
    return "⟨" + "".join(chr(ord(c) - 0x1F1E6 + 65) for c in match[0]) + "⟩"


def _pile(match: re.Match[str]) -> str:
    rest = len(match[0]) - MARKS_KEPT
    return f"{match[0][:MARKS_KEPT]}⟨+{rest} mark{'s' if rest > 1 else ''}⟩"


_REPLACE = {
    "control": _control,
    "flag": _flag,
    "pile": _pile,
    "odd": lambda match: _named(match[0]),
    "tail": lambda match: "",
    "keycap": lambda match: "",
    "leading": lambda match: "\u25cc",
}
_REPLACE_OFF_SCREEN = {**_REPLACE, "tail": lambda match: match[0], "keycap": lambda match: match[0]}


def visible(text: str, *, multiline: bool = False, screen: bool = True) -> str:
    """Make a text from data safe and legible: nothing in the result acts on the terminal, and nothing hides in it.

    Args:
        text: any string, lone surrogates included.
        multiline: keep line breaks and expand tabs; otherwise everything comes out as one line.
        screen: the text is for the cell grid, so emoji sequences are shown in parts that every terminal measures alike;
            False keeps them (for copies and files).

    Returns:
        The text itself when it is clean. `visible` of a result is that result.
    """
    if text.isascii() and text.isprintable():
        return text
    if multiline and text.isascii() and text.replace("\n", "").isprintable():
        return text
    if "\r\n" in text:
        text = text.replace("\r\n", "\n")
    if not multiline:
        text = _one_line(text)
    if _SUSPECT.search(text) is not None:
        pattern, table = (_ON_SCREEN, _REPLACE) if screen else (_OFF_SCREEN, _REPLACE_OFF_SCREEN)
        text = pattern.sub(lambda match: table[match.lastgroup](match), text)
    return _expand_tabs(text) if "\t" in text else text


def _expand_tabs(text: str) -> str:
    """Expand tabs by cells, not by characters: after a wide character a tab is one shorter."""
    if text.isascii():
        return text.expandtabs(TAB)
    return "\n".join(_expand_line(line) if "\t" in line else line for line in text.split("\n"))


def _expand_line(line: str) -> str:
    out: list[str] = []
    column = 0
    pieces = line.split("\t")
    for piece in pieces[:-1]:
        column += cell_len(piece)
        blanks = TAB - column % TAB
        out += (piece, " " * blanks)
        column += blanks
    out.append(pieces[-1])
    return "".join(out)


# Only glyphs that the interface itself draws or that are common in prose; each reads as what it stands for.
_ASCII = str.maketrans(
    {
        "…": "~", "‥": "~", "⋯": "~", "⏎": " /", "⟨": "<", "⟩": ">", "·": ".", "•": "*", "–": "-", "—": "-",
        "‐": "-", "‑": "-", "−": "-", "‘": "'", "’": "'", "“": '"', "”": '"', "«": "<<", "»": ">>", "×": "x",
        "→": "->", "←": "<-", "⇢": "->", "⇠": "<-", "↑": "^", "↓": "v", "↳": "`-", "±": "+-", "≈": "~=",
        "≡": "=", "✓": "v", "✗": "x", "◌": "?", "●": "*", "○": "o", "◐": "%", "◇": "o", "◆": "@", "◈": "+",
        "◁": "<", "▲": "!", "▸": "+", "▾": "-", "■": "#", "▣": "$", "⚙": "$", "⊕": "&", "⟲": "=", "∴": ".",
        "❯": ">", "‹": "<", "›": ">", "▎": "|", "│": "|", "┃": "#", "─": "-", "━": "=", "═": "=", "┊": ":",
        "┌": "+", "┐": "+", "└": "+", "┘": "+", "├": "+", "┤": "+", "╞": "|", "╡": "|", "█": "#", "\u00a0": " ",
        "„": '"', "‚": "'", "ß": "ss", "æ": "ae", "ø": "o", "Ø": "O", "Æ": "AE", "ł": "l",
        **{chr(0x2400 + code): f"^{chr(code + 64)}" for code in range(32)},
        "\u2421": "^?",
    }
)  # fmt: skip


def ascii_only(text: str) -> str:
    """Say a text in ASCII alone, for `--ascii` and locales without UTF-8.

    Glyphs of the interface become their ASCII likeness, Latin letters lose their accents, and any other character is
    named by its code point (`<U+4E2D>`), so that two different texts stay different. The length may change: map before
    measuring. Data in other scripts is therefore readable only by code point; a terminal that can show more should not
    be in ASCII mode.

    Args:
        text: a text that has passed `visible` (line breaks are kept).

    Returns:
        The text itself when it is ASCII already.
    """
    if text.isascii():
        return text
    text = text.translate(_ASCII)
    return text if text.isascii() else "".join(c if c < "\x80" else _ascii_letter(c) for c in text)


def _ascii_letter(char: str) -> str:
    if unicodedata.combining(char):
        return ""
    plain = unicodedata.normalize("NFKD", char).encode("ascii", "ignore").decode()
    return plain if plain.isalnum() else f"<U+{ord(char):04X}>"
