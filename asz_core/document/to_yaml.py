"""The YAML rendering of an asz.view document, byte for byte as the format's other programs print it.

Owns: every rule that turns the JSON values of a document into YAML 1.2 text (the seed's "The YAML rendering", and
section 5 of the formats page: indentation, the table of scalar styles, the escapes).

Data structure: the document itself, walked by one loop over a stack of open containers (an iterator, the lines' prefix
and the column of each). There is no recursion, so a document may nest as deep as its decoder allows. Every line is made
as "newline, indentation, key, colon" + "space, scalar": a line starts with its newline, so the first line of a mapping
in a list can follow the dash. Two caches make most lines two dict look-ups: the prefix of a key at a column, and the
rendering of a short text. Both are bounded.

Cost: time linear in the size of the output, about 10 ns a byte; memory one piece of the output (about 256 kB) and the
caches (a few MB at most).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from itertools import chain, repeat

# A text up to this length is worth remembering: ids, digests, words and names repeat, sentences do not.
_SHORT = 72
# The caches start over at these sizes: a document of many distinct ids must not be held in memory twice.
_MOST_SCALARS = 1 << 14
# A piece is passed on when it has this many parts (about 40 bytes each) or, with long texts, this many characters.
_PARTS = 1 << 12
_BYTES = 1 << 18
# A reader looks no further than 1024 characters for the colon of a key (YAML 1.2, 7.4.2 and 8.2.2): a longer one is
# written with the explicit indicator.
_LONGEST_KEY = 1000

# The prefixes kept: keys at one place, places, and the column from which they are made anew each time (the text of a
# deep document is mostly indentation).
_MOST_KEYS = 1 << 8
_MOST_SHAPES = 1 << 9
_FAR = 256

# The keys of a list's entries.
_ENTRY = None
_LEADS = False

# Characters that no unquoted or single quoted text may hold. Lone surrogates are not in the format's table: no
# document has them, and as an escape they do not stop the encoder.
_SPECIAL = "\0-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff\U00010000-\U0010ffff"
_special = re.compile(f"[{_SPECIAL}]").search
_escaped = re.compile(f'[{_SPECIAL}\t\n"\\\\]')
# The bytes of UTF-8 that are no part of a special, and of those the ones that no rule about a text of one line looks at
# but for its first and last character. bytes.translate drops them about ten times as fast as a regular expression
# looks at each, and of most texts little is left.
_HARMLESS = bytes(range(0x20, 0x7F)) + b"\t\n"
_UNREMARKABLE = bytes(set(_HARMLESS) - set(b"\t\n#,[]{}&*!|>'\"%@`?:"))

_TAB, _COLON, _HASH = b"\t:#"

_ESCAPES = {
    "\0": "\\0",
    "\a": "\\a",
    "\b": "\\b",
    "\t": "\\t",
    "\n": "\\n",
    "\v": "\\v",
    "\f": "\\f",
    "\r": "\\r",
    "\x1b": "\\e",
    '"': '\\"',
    "\\": "\\\\",
    "\x85": "\\N",
    "\u2028": "\\L",
    "\u2029": "\\P",
}

# One line texts that a reader takes for something else than a text: in YAML 1.2, or in a reader that still knows the
# binary numbers, underscores, timestamps, merge key and value key of 1.1.
_WORDS = frozenset(
    "true True TRUE false False FALSE null Null NULL ~ << = .nan .NaN .NAN "
    ".inf .Inf .INF +.inf +.Inf +.INF -.inf -.Inf -.INF".split()
)
_NUMERIC_FIRST = frozenset("0123456789+-.")
_numeric = re.compile(
    r"""(?:[-+]?\.[0-9_]+|(?:[0-9]|[-+][0-9_])[0-9_]*(?:\.[0-9_]*)?)(?:[eE][-+]?[0-9]+)?
    | [-+]?0(?:[xX][0-9a-fA-F_]+|[oO][0-7_]+|[bB][01_]+)
    | [0-9]{4}-[0-9]{1,2}-[0-9]{1,2}
      (?:(?:[Tt]|\ +)[0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}(?:\.[0-9]*)?(?:\ *(?:Z|[-+][0-9]{1,2}(?::?[0-9]{2})?))?)?
    """,
    re.VERBOSE,
).fullmatch
# One line texts that must be quoted for how they start.
_indicator = re.compile(r"""[ #,\[\]{}&*!|>'"%@`]|---|\.\.\.|[?-](?: |\Z)""").match


def _holds_special(raw: bytes) -> bool:
    """Whether the text (as UTF-8) holds a special: what only a double quoted scalar can hold."""
    rest = raw.translate(None, _HARMLESS)
    return rest != b"" and _special(rest.decode("utf-8", "surrogatepass")) is not None


def _escape(match: re.Match[str]) -> str:
    character = match[0]
    known = _ESCAPES.get(character)
    if known is not None:
        return known
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02X}"
    return f"\\u{code:04X}" if code < 0x10000 else f"\\U{code:08X}"


def _double_quoted(text: str) -> bytes:
    return b'"' + _escaped.sub(_escape, text).encode() + b'"'


def _one_line(text: str) -> bytes:
    """The scalar for a text without a newline (the rows of the formats page's table, in its order)."""
    if not text:
        return b'""'
    if text in _WORDS or (text[0] in _NUMERIC_FIRST and _numeric(text)):
        return _double_quoted(text)
    raw = text.encode("utf-8", "surrogatepass")
    odd = raw.translate(None, _UNREMARKABLE)
    if odd and (_TAB in odd or _holds_special(odd)):
        return _double_quoted(text)
    if (
        text[-1] in " :"
        or ((odd or text[0] in " -.") and _indicator(text))
        or (_COLON in odd and ": " in text)
        or (_HASH in odd and " #" in text)
    ):
        return b"'" + raw.replace(b"'", b"''") + b"'"
    return raw


def _many_lines(text: str, column: int, parent: int) -> bytes:
    """The scalar for a text with a newline, with the space before it.

    column: where the lines of a block stand. parent: the column of the key or dash, from which a hint counts.
    """
    raw = text.encode("utf-8", "surrogatepass")
    indent = b" " * column
    newline = b"\n" + indent
    # Only a block whose first line starts with a blank, or is empty, has to say where its lines start.
    hint = b"%d" % (column - parent) if text[0] in " \n" else b""
    keep = b""
    if text[-1] != "\n":
        hint += b"-"
        block = newline + raw.replace(b"\n", newline)
    else:
        if text[-2:] in ("\n", "\n\n"):
            keep = b"+"
        # The newline at the end is that of the next line of the document.
        block = newline + raw[:-1].replace(b"\n", newline)
    # A space before a newline is either in the text or the indent of an empty line. The long needle is found much
    # faster than b" \n" would be.
    if keep or block.find(b" " + newline) >= 0:
        if " \n" in text:
            return b" " + _double_quoted(text)
        block = (block + b"\n").replace(indent + b"\n", b"\n")[:-1]
    if text[-1] == " " or _holds_special(raw):
        return b" " + _double_quoted(text)
    return b" |" + hint + keep + block


class _Quoted(str):
    """A text that must be double quoted whatever it holds."""


class _Short(dict[str, bytes]):
    """Short text -> space and scalar. A text with a newline gives b"": its form depends on where it stands."""

    def __missing__(self, text: str) -> bytes:
        scalar = b"" if "\n" in text else b" " + _one_line(text)
        if len(self) >= _MOST_SCALARS:
            self.clear()
        self[text] = scalar
        return scalar


class _Numbers(dict[int, bytes]):
    """Integer -> space and digits. Only exact integers may be looked up: True would find 1."""

    def __missing__(self, number: int) -> bytes:
        scalar = b" %d" % number
        if len(self) >= _MOST_SCALARS:
            self.clear()
        self[number] = scalar
        return scalar


class _Place:
    """Where the entries of a container stand, and what their lines start with.

    A mapping's lines are planned once for each shape (the keys in their order), and there are only a few shapes.
    """

    __slots__ = ("_behind", "_is_list", "_known", "column", "inner", "listing", "mapping", "plans")

    def __init__(self, column: int, is_list: bool, behind: bool, known: dict[tuple[int, bool, bool], _Place]) -> None:
        """column: of the keys or dashes. behind: the first entry follows a dash, on its line. known: all the places."""
        self.column = column
        # Where what an entry holds stands. Section 5 of the formats page: below a key at the next multiple of four,
        # below a dash two columns further.
        self.inner = column + 2 if is_list else (column // 4 + 1) * 4
        self._is_list = is_list
        self._behind = behind
        self._known = known
        # The places of a mapping and of a list in an entry, from the first such on, and the planned lines.
        self.mapping: _Place | None = None
        self.listing: _Place | None = None
        self.plans: dict[tuple[str, ...], list[bytes]] = {}

    def below(self, is_list: bool) -> _Place:
        """The place of a mapping or list in an entry of this one."""
        at = (self.inner, is_list, self._is_list)
        place = self._known.get(at)
        if place is None:
            place = self._known[at] = _Place(*at, self._known)
        if is_list:
            self.listing = place
        else:
            self.mapping = place
        return place

    def plan(self, keys: tuple[str, ...]) -> list[bytes]:
        """The start of each line of a mapping with these keys: newline, indentation, key and colon."""
        newline = b"\n" + b" " * self.column
        lines = [newline + _key(key, self.column) for key in keys]
        if self._behind:
            lines[0] = b" " + _key(keys[0], self.column)
        if len(keys) <= _MOST_KEYS and len(self.plans) < _MOST_SHAPES and self.column < _FAR:
            self.plans[keys] = lines
        return lines

    def dashes(self) -> Iterator[bytes]:
        """The start of each line of a list."""
        dash = b"\n" + b" " * self.column + b"-"
        return chain((b" -",), repeat(dash)) if self._behind else repeat(dash)


def _key(key: str, column: int) -> bytes:
    """A key with its colon."""
    scalar = _double_quoted(key) if "\n" in key else _one_line(key)
    if len(scalar) > _LONGEST_KEY:
        return b"? " + scalar + b"\n" + b" " * column + b":"
    return scalar + b":"


def _rare(value: object) -> bytes:
    """The scalar for a value that is neither a text, an integer, null nor a boolean."""
    if isinstance(value, _Quoted):
        return _double_quoted(value)
    if isinstance(value, float):
        if math.isfinite(value):
            # repr has a point or an exponent, so it reads back as a float, and as the same one.
            return repr(value).encode()
        return b".nan" if value != value else b".inf" if value > 0 else b"-.inf"
    raise TypeError(f"a document holds no {type(value).__name__}")


def _with_safe_end(document: dict[str, object]) -> dict[str, object]:
    """The document; when its last value is a text that ends with empty lines, a copy in which that one is _Quoted.

    The document's own empty line at the end would read as one more of the text's. Only the containers on the way to
    that value are copied.
    """
    way: list[dict | list] = []
    last: object = document
    while type(last) in (dict, list) and last:
        way.append(last)
        last = next(reversed(last.values())) if type(last) is dict else last[-1]
    if type(last) is not str or not (last.endswith("\n\n") or last == "\n"):
        return document
    last = _Quoted(last)
    for container in reversed(way):
        copy = container.copy()
        copy[next(reversed(copy)) if type(copy) is dict else -1] = last
        last = copy
    return last


def yaml_chunks(document: dict[str, object]) -> Iterator[bytes]:
    """Render a document as YAML, piece by piece.

    Args:
        document: a decoded asz.view document: dicts with text keys, lists, and str, int, float, bool or None. It is
            not changed, and must not be while the pieces are taken.

    Returns:
        The pieces, in order, as UTF-8; a piece is about 256 kB and may end inside a line. Joined they are what
        to_yaml returns.

    Raises:
        TypeError: (while iterating) a value or a key is of another type.

    Source: "The YAML rendering" of asz-view, and section 5 of the formats page.
    """
    document = _with_safe_end(document)
    if not document:
        yield b"{}\n\n"
        return
    short = _Short()
    numbers = _Numbers()
    parts: list[bytes] = []
    put = parts.append
    room = _BYTES
    # The containers around the one at hand: what is left of each (as start of the line, value), and its place.
    around: list[tuple[Iterator[tuple[bytes, object]], _Place]] = []
    place = _Place(0, False, False, {})
    entries: Iterator[tuple[bytes, object]] = zip(place.plan(tuple(document)), document.values(), strict=True)
    while True:
        for line, value in entries:
            put(line)
            kind = type(value)
            if kind is str:
                if len(value) <= _SHORT:
                    put(short[value] or _many_lines(value, place.inner, place.column))
                else:
                    room -= len(value)
                    put(_many_lines(value, place.inner, place.column) if "\n" in value else b" " + _one_line(value))
            elif kind is int:
                put(numbers[value])
            elif kind is dict:
                if value:
                    around.append((entries, place))
                    place = place.mapping or place.below(False)
                    keys = tuple(value)
                    entries = zip(place.plans.get(keys) or place.plan(keys), value.values())  # noqa: B905
                    break
                put(b" {}")
            elif kind is list:
                if value:
                    around.append((entries, place))
                    place = place.listing or place.below(True)
                    entries = zip(place.dashes(), value)  # noqa: B905
                    break
                put(b" []")
            elif value is None:
                put(b" null")
            elif kind is bool:
                put(b" true" if value else b" false")
            else:
                put(b" " + _rare(value))
        else:
            if not around:
                break
            entries, place = around.pop()
            continue
        if len(parts) >= _PARTS or room < 0:
            yield b"".join(parts)
            parts.clear()
            room = _BYTES
    put(b"\n\n")
    yield b"".join(parts)


def to_yaml(document: dict[str, object]) -> bytes:
    """Render a document as YAML.

    Args:
        document: as for yaml_chunks.

    Returns:
        The YAML, UTF-8, with a final empty line; a YAML 1.2 reader gives the document's values back.

    Raises:
        TypeError: a value or a key is of another type than JSON has.

    Source: as for yaml_chunks.
    """
    return b"".join(yaml_chunks(document))
