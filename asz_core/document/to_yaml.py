"""The YAML rendering of an asz.view document, byte for byte as the format's other programs print it.

Owns: every rule that turns the JSON values of a document into YAML 1.2 text (the seed's "The YAML rendering", and
section 5 of the formats page: indentation, the table of scalar styles, the escapes).

Data structure: the document itself, walked by one loop over a stack of open containers (what is left of each, and a
_Place that knows how its lines start). Nothing recurs, so a document may nest as deep as its decoder allows. The output
is a list of small byte strings, two a value: a line's start (its newline, indentation, key and colon) and a space with
the scalar. As a line starts with its newline, the first line of what stands in a list can follow the dash. Line starts
and short scalars are remembered, both within bounds.

Cost: linear in the size of the output, about 11 ns a byte of an ordinary document; memory for one piece of the output
(about 32 kB) and what is remembered (below 1 MB).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from itertools import chain, repeat
from typing import Any

from .passing import Passing

# A text up to this length is worth remembering, and so many of them: ids, digests, words and names come back soon,
# sentences do not. More would not stay in the processor's cache.
_SHORT = 72
_MOST_SCALARS = 1 << 10
# A piece is passed on when it has so many parts, or so many characters of longer texts: larger ones do not stay in the
# processor's cache until they are joined.
_PARTS = 1 << 10
_CHARACTERS = 1 << 15
# The line starts that are remembered at one place, and the column from which none are: the text of a document that
# nests that deep is mostly indentation, which must not be in memory once for every key.
_MOST_KEYS = 1 << 8
_FAR = 256
# A mapping up to this size is tried in place when it holds only integers, as every ref does.
_SMALL = 3
# A reader looks no further than 1024 characters for the colon of a key (YAML 1.2, 7.4.2 and 8.2.2): a longer one is
# written with the explicit indicator.
_LONGEST_KEY = 1000

# What no plain, single quoted or block text may hold. Lone surrogates are not in the format's table, as no file may
# hold them; some decoders pass them on nevertheless, and their escape reads back.
_SPECIAL = "[\0-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff\U00010000-\U0010ffff]"
_is_special = re.compile(_SPECIAL).search
_specials = re.compile(_SPECIAL).findall
_escapable = re.compile(f'{_SPECIAL}|[\t\n"\\\\]').sub
# The bytes of UTF-8 that are no part of a special, and of those the ones that no rule about a line of text looks at,
# but as its first or last character. bytes.translate drops them about ten times as fast as a regular expression looks
# at each, and of most texts nothing is left.
_HARMLESS = bytes(range(0x20, 0x7F)) + b"\t\n"
_UNREMARKABLE = bytes(set(_HARMLESS) - set(b"\t\n#,[]{}&*!|>'\"%@`:"))
_TAB, _HASH, _COLON = b"\t#:"

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
# With so many different specials in a text it is faster to look at each character once.
_MANY_SPECIALS = 8

# One line texts that a reader takes for something else than a text: in YAML 1.2, or in a reader that still knows the
# binary numbers, underscores, timestamps, merge key and value key of 1.1.
_WORDS = frozenset(
    ["true", "True", "TRUE", "false", "False", "FALSE", "null", "Null", "NULL", "~", "<<", "=", ".nan", ".NaN", ".NAN"]
    + [f"{sign}.{word}" for sign in ("", "+", "-") for word in ("inf", "Inf", "INF")]
)
_LONGEST_WORD = max(map(len, _WORDS))
_NUMERIC_START = frozenset("0123456789+-.")
_is_numeric = re.compile(
    r"""(?:[-+]?\.[0-9_]+|(?:[0-9]|[-+][0-9_])[0-9_]*(?:\.[0-9_]*)?)(?:[eE][-+]?[0-9]+)?
    | [-+]?0(?:[xX][0-9a-fA-F_]+|[oO][0-7_]+|[bB][01_]+)
    | [0-9]{4}-[0-9]{1,2}-[0-9]{1,2}
      (?:(?:[Tt]|\ +)[0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}(?:\.[0-9]*)?(?:\ *(?:Z|[-+][0-9]{1,2}(?::?[0-9]{2})?))?)?
    """,
    re.VERBOSE,
).fullmatch
# What a plain text must not start with.
_INDICATORS = frozenset("#,[]{}&*!|>'\"%@`")
_MARKER_START = frozenset("-.?")
_is_marker = re.compile(r"---|\.\.\.|[?-](?: |\Z)").match

# The keys of a list's entries: of the first one of a list that stands behind a dash, and of every other.
_ENTRY = None
_LEADS = False


def _escape(character: str) -> str:
    known = _ESCAPES.get(character)
    if known is not None:
        return known
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02X}"
    return f"\\u{code:04X}" if code < 0x10000 else f"\\U{code:08X}"


def _double_quoted(text: str) -> bytes:
    rest = text.encode("utf-8", "surrogatepass").translate(None, _HARMLESS)
    specials = set(_specials(rest.decode("utf-8", "surrogatepass")))
    if len(specials) > _MANY_SPECIALS:
        return b'"' + _escapable(lambda match: _escape(match[0]), text).encode() + b'"'
    # Most texts are here for one or two characters, or for a space before a newline.
    for character in ("\\", '"', "\n", "\t", *specials):
        text = text.replace(character, _ESCAPES.get(character) or _escape(character))
    return b'"' + text.encode() + b'"'


def _one_line(text: str) -> bytes:
    """The scalar for a text without a newline: the rows of the formats page's table, in its order."""
    if not text:
        return b'""'
    start = text[0]
    if (start in _NUMERIC_START and _is_numeric(text)) or (len(text) <= _LONGEST_WORD and text in _WORDS):
        return _double_quoted(text)
    try:
        raw = text.encode()
    except UnicodeEncodeError:  # A lone surrogate is a special.
        return _double_quoted(text)
    odd = raw.translate(None, _UNREMARKABLE)
    if odd:
        rest = odd.translate(None, _HARMLESS)
        if _TAB in odd or (rest and _is_special(rest.decode())):
            return _double_quoted(text)
        if (
            start in _INDICATORS
            or (_COLON in odd and (": " in text or text[-1] == ":"))
            or (_HASH in odd and " #" in text)
        ):
            return b"'" + raw.replace(b"'", b"''") + b"'"
    if start == " " or text[-1] == " " or (start in _MARKER_START and _is_marker(text)):
        return b"'" + raw.replace(b"'", b"''") + b"'"
    return raw


def _many_lines(text: str, column: int, parent: int) -> bytes:
    """The scalar for a text with a newline, and the space before it.

    column: where the lines of a block stand. parent: the column of the key or dash, from which a hint counts.
    """
    if " \n" in text or text[-1] == " ":
        return b" " + _double_quoted(text)
    try:
        raw = text.encode()
    except UnicodeEncodeError:  # A lone surrogate is a special.
        return b" " + _double_quoted(text)
    rest = raw.translate(None, _HARMLESS)
    if rest and _is_special(rest.decode()):
        return b" " + _double_quoted(text)
    # Only a block whose first line starts with a blank, or is empty, has to say where its lines start.
    head = b" |%d" % (column - parent) if text[0] in " \n" else b" |"
    if text[-1] != "\n":
        head += b"-"
    else:
        if text[-2:] in ("\n", "\n\n"):
            head += b"+"
        raw = raw[:-1]  # The next line of the document brings this newline.
    indent = b" " * column
    newline = b"\n" + indent
    block = newline + raw.replace(b"\n", newline) + b"\n"
    # No line of the text ends with a space: this takes the indent from the empty lines and from no other.
    return head + block.replace(indent + b"\n", b"\n")[:-1]


class _Quoted(str):
    """A text that must be double quoted whatever it holds."""


class _Scalars(dict[str, bytes]):
    """Short text -> space and scalar. A text with a newline gives b"": its form depends on where it stands."""

    def __missing__(self, text: str) -> bytes:
        scalar = b"" if "\n" in text else b" " + _one_line(text)
        if len(self) >= _MOST_SCALARS:
            self.clear()
        self[text] = scalar
        return scalar


class _Place(dict[object, bytes]):
    """Where the entries of a container stand. As a dict: key -> the start of its line.

    That is the newline, indentation, key and colon; in a list, whose keys are _ENTRY and _LEADS, the dash.
    """

    __slots__ = ("_known", "behind", "column", "inner", "is_list", "listing", "mapping")

    def __init__(self, column: int, is_list: bool, known: dict[tuple[int, bool], _Place]) -> None:
        """known: the places on lines of their own met so far, by column and kind."""
        self.column = column
        self.is_list = is_list
        # Where stands what an entry holds. Section 5 of the formats page: below a key at the next multiple of four,
        # below a dash two columns further.
        self.inner = column + 2 if is_list else (column // 4 + 1) * 4
        # The places of what an entry holds: a list, a mapping below its key, a mapping behind its dash by first key.
        self.listing: _Place | None = None
        self.mapping: _Place | None = None
        self.behind: dict[str, _Place] = {}
        self._known = known
        if is_list:
            self[_ENTRY] = b"\n" + b" " * column + b"-"
            self[_LEADS] = b" -"

    def __missing__(self, key: str) -> bytes:
        line = b"\n" + b" " * self.column + _key(key, self.column)
        if len(self) < _MOST_KEYS and self.column < _FAR:
            self[key] = line
        return line

    def below(self, is_list: bool) -> _Place:
        """The place of a mapping below a key, or of a list."""
        at = (self.inner, is_list)
        place = self._known.get(at)
        if place is None:
            place = self._known[at] = _Place(*at, self._known)
        if is_list:
            self.listing = place
        else:
            self.mapping = place
        return place

    def behind_dash(self, first: str) -> _Place:
        """The place of a mapping behind a dash whose first key this is: only that key's line is the dash's own."""
        place = _Place(self.inner, False, self._known)
        place[first] = b" " + _key(first, self.inner)
        if len(self.behind) < _MOST_KEYS and self.column < _FAR:
            self.behind[first] = place
        return place


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
            # It has a point or an exponent, so it reads back as a float, and as the same one.
            return repr(value).encode()
        return b".nan" if value != value else b".inf" if value > 0 else b"-.inf"
    raise TypeError(f"a document holds no {type(value).__name__}")


def _with_safe_end(document: dict[str, Any]) -> dict[str, Any]:
    """The document; when its last value is a text that ends with empty lines, a copy in which that one is _Quoted.

    The document's own empty line at the end would read as one more of the text's. Only the containers on the way to
    that value are copied.
    """
    way: list[Any] = []
    last: Any = document
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
    return last  # type: ignore[no-any-return] # the copy of the outermost container


def yaml_chunks(document: dict[str, Any]) -> Iterator[bytes]:
    """Render a document as YAML, piece by piece.

    Args:
        document: a decoded asz.view document: dicts with text keys, lists, and str, int, float, bool or None. It is
            not changed, and must not be while the pieces are taken. A list may be Passing, unless it is the last value.

    Returns:
        The pieces in order, UTF-8, each about 32 kB (more where a list of plain values, or one text, is longer). They
        may end inside a line. Joined they are what to_yaml returns.

    Raises:
        TypeError: (while iterating) a value or a key is of another type.

    Source: "The YAML rendering" of the asz.view seed, and section 5 of the formats page.
    """
    document = _with_safe_end(document)
    if not document:
        yield b"{}\n\n"
        return
    scalars = _Scalars()
    parts: list[bytes] = []
    put = parts.append
    room = _CHARACTERS
    # The containers around the one at hand.
    around: list[tuple[Iterator[tuple[Any, Any]], _Place]] = []
    place = _Place(0, False, {})
    first = next(iter(document))
    place[first] = _key(first, 0)  # The one line that no other comes before.
    entries: Iterator[tuple[Any, Any]] = iter(document.items())
    while True:
        for key, value in entries:
            put(place[key])
            kind = type(value)
            if kind is str:
                if len(value) <= _SHORT:
                    put(scalars[value] or _many_lines(value, place.inner, place.column))
                else:
                    room -= len(value)
                    put(_many_lines(value, place.inner, place.column) if "\n" in value else b" " + _one_line(value))
            elif kind is int:
                put(b" %d" % value)
            elif kind is dict:
                if not value:
                    put(b" {}")
                    continue
                if place.is_list:
                    first = next(iter(value))
                    inner = place.behind.get(first) or place.behind_dash(first)
                else:
                    inner = place.below(False) if place.mapping is None else place.mapping
                if len(value) <= _SMALL:
                    mark = len(parts)
                    for name, number in value.items():
                        if type(number) is not int:
                            del parts[mark:]
                            break
                        put(inner[name])
                        put(b" %d" % number)
                    else:
                        continue
                around.append((entries, place))
                place = inner
                entries = iter(value.items())
                break
            elif kind is list or kind is Passing:
                if not value:
                    put(b" []")
                    continue
                keys = chain((_LEADS,), repeat(_ENTRY)) if place.is_list else repeat(_ENTRY)
                inner = place.below(True) if place.listing is None else place.listing
                around.append((entries, place))
                place = inner
                entries = zip(keys, value)  # noqa: B905 - the keys have no end
                break
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
            room = _CHARACTERS
    put(b"\n\n")
    yield b"".join(parts)


def to_yaml(document: dict[str, object]) -> bytes:
    """Render a document as YAML.

    Args:
        document: as for yaml_chunks.

    Returns:
        The YAML, UTF-8, with a final empty line. A YAML 1.2 reader gives the document's values back.

    Raises:
        TypeError: a value or a key is of another type than a document's.

    Source: as for yaml_chunks.
    """
    return b"".join(yaml_chunks(document))
