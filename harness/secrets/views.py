"""A text as it reads when its escapes are undone, its line breaks are left out, or its base64 is decoded.

A key may be written in any of these ways: in the JSON text inside of a JSON text, in a URL, in HTML, wrapped over
lines, in a header of HTTP. Each view knows where its parts stand in the text that it was made of.
"""

from __future__ import annotations

import base64
import binascii
import bisect
import html
import re
from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

ROUNDS: Final = 3
"""How often escapes are undone: a results store holds the JSON text of a tool that returned a JSON text."""

_ESCAPE: Final = re.compile(
    rb'%[0-9A-Fa-f]{2}'
    rb"""|\\(?:u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|[\\/"'nrt])"""
    rb'|&(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|amp|lt|gt|quot|apos);'
)
_SHORT: Final = {b'\\n': b'\n', b'\\r': b'\r', b'\\t': b'\t'}
_EDGE: Final = b' \t\r|>+"\',\\'
"""What may stand at the ends of the lines of one key: indentation, the marks of quotations and of parts of texts."""

_WORD: Final = b'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_.=~:%-'
_DIGITS: Final = b'0123456789.:/-'
_MOST_BEFORE: Final = 1024
_LONGEST_CHAIN: Final = 1000
_OVERLAP: Final = 16
_CONTINUED: Final = re.compile(
    rb"""\n[ \t|>+"',\\-]{0,100}((?=[A-Za-z+/_.=-]{0,64}[0-9]|[A-Za-z0-9+/_.=-]{1,64}[A-Z])[A-Za-z0-9+/_.=~:%-]{2,})"""
)
"""The beginning of a line that is no plain word: a digit is in it, or a capital that is not the first letter."""

_AT_END: Final = re.compile(rb"""[ \t\r|>+"',\\]{0,100}(?=\n)""")
_ENCODED: Final = re.compile(rb'[A-Za-z0-9+/_-]{20,}')
_URL_SAFE: Final = bytes.maketrans(b'-_', b'+/')
_PRINTABLE: Final = bytes((*range(0x20, 0x7F), 0x09, 0x0A, 0x0D))


@dataclass(frozen=True)
class View:
    """A text made of another one, in pieces: piece `n` begins at `here[n]`, and there it is `there[n]` to `ends[n]`."""

    text: bytes
    here: array[int]
    there: array[int]
    ends: array[int]

    def origin(self, start: int, end: int) -> tuple[int, int]:
        """Return where a part of this view stands in the text that it was made of; half an escape is taken whole."""
        first, last = self._piece(start), self._piece(end - 1)
        begin = self.there[first] + (start - self.here[first] if self._literal(first) else 0)
        return begin, self.there[last] + end - self.here[last] if self._literal(last) else self.ends[last]

    def crosses(self, start: int, end: int) -> bool:
        """Tell whether a part of this view lies in more than one piece."""
        return self._piece(start) != self._piece(end - 1)

    def glued(self, start: int) -> bool:
        """Tell whether a letter or digit of the same piece stands before a position."""
        return start > self.here[self._piece(start)] and self.text[start - 1 : start + 1].isalnum()

    def _piece(self, at: int) -> int:
        return bisect.bisect_right(self.here, at) - 1

    def _literal(self, piece: int) -> bool:
        after = self.here[piece + 1] if piece + 1 < len(self.here) else len(self.text)
        return after - self.here[piece] == self.ends[piece] - self.there[piece]


class _Builder:
    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._length = 0
        self._here, self._there, self._ends = array('Q'), array('Q'), array('Q')

    def add(self, piece: bytes, start: int, end: int) -> None:
        if piece:
            self._here.append(self._length)
            self._there.append(start)
            self._ends.append(end)
            self._pieces.append(piece)
            self._length += len(piece)

    def view(self) -> View:
        return View(b''.join(self._pieces), self._here, self._there, self._ends)


def unescaped(text: bytes) -> bytes:
    """Return a text with its escapes undone once: those of URLs, of JSON and Python, and of HTML."""
    if not (b'%' in text or b'\\' in text or b'&' in text):
        return text
    if b'\\\\' not in text:  # the most frequent ones at once
        text = text.replace(b'\\n', b'\n').replace(b'\\"', b'"')
    return _ESCAPE.sub(_plain, text)


def unescaped_view(text: bytes) -> View:
    """Return the same as a view."""
    builder = _Builder()
    at = 0
    for match in _ESCAPE.finditer(text):
        start, end = match.span()
        builder.add(text[at:start], at, start)
        builder.add(_plain(match), start, end)
        at = end
    builder.add(text[at:], at, len(text))
    return builder.view()


def _plain(match: re.Match[bytes]) -> bytes:
    escape = match[0]
    first, rest = escape[:1], escape[1:]
    if escape in _SHORT:
        return _SHORT[escape]
    if first == b'%':
        return bytes((int(rest, 16),))
    if first == b'&':
        return html.unescape(escape.decode('ascii')).encode('utf-8', 'replace')
    if rest[:1] in (b'u', b'x'):
        return chr(int(rest[1:], 16)).encode('utf-8', 'surrogatepass')
    return rest


def wrapped(text: bytes, beginnings: tuple[bytes, ...]) -> Iterator[View]:
    """Yield words that may be one word cut into lines: the ends of lines with what begins the lines behind them.

    Only what is no plain word continues one, and nothing that begins as a key does.
    """
    chain: list[tuple[bytes, int]] = []
    end = -1
    for match in _CONTINUED.finditer(text):
        word, start = match[1], match.start(1)
        if word.startswith(beginnings) or not word.translate(None, _DIGITS):
            continue
        if match.start() != end:
            if len(chain) > 1:
                yield _chained(chain)
            chain = list(_last_word(text, match.start()))
        if len(chain) > _LONGEST_CHAIN:
            yield _chained(chain)
            del chain[:-_OVERLAP]
        chain.append((word, start))
        tail = _AT_END.match(text, match.end(1))
        end = tail.end() if tail is not None else -1
    if len(chain) > 1:
        yield _chained(chain)


def _last_word(text: bytes, newline: int) -> Iterator[tuple[bytes, int]]:
    before = text[max(0, newline - _MOST_BEFORE) : newline]
    line = before[before.rfind(b'\n') + 1 :].rstrip(_EDGE)
    word = line[len(line.rstrip(_WORD)) :]
    if word:
        yield word, newline - len(before) + before.rfind(b'\n') + 1 + len(line) - len(word)


def _chained(chain: list[tuple[bytes, int]]) -> View:
    builder = _Builder()
    for word, start in chain:
        builder.add(word, start, start + len(word))
    return builder.view()


def decoded(words: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield the parts of words that are base64 of printable text, each with that text."""
    for run in set(_ENCODED.findall(words)):
        if run in (run.lower(), run.upper()):
            continue  # what base64 makes of a text has capitals and small letters
        standard = run.translate(_URL_SAFE)
        for offset in range(4):
            if _is_text(_decoded(standard[offset : offset + 24])):
                plain = _decoded(standard[offset:])
                # What stands behind may be no base64 of text; the beginning is read all the same.
                yield run, plain
                break


def _is_text(plain: bytes) -> bool:
    return len(plain) >= 12 and not plain.translate(None, _PRINTABLE)


def _decoded(encoded: bytes) -> bytes:
    whole = len(encoded) & ~3
    rest = encoded[whole:] if len(encoded) - whole > 1 else b''
    try:
        return base64.b64decode(encoded[:whole] + rest + b'=' * (-len(rest) % 4))
    except (binascii.Error, ValueError):
        return b''
