"""The guard: it finds what looks like a key in whatever leaves the program, masks it, and refuses what is left."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any, Final, TypeVar

from harness.secrets.cuts import cut
from harness.secrets.known import Known, of_environment, squeezed
from harness.secrets.labels import framed, labelled
from harness.secrets.shapes import BEGINNINGS, SHORTEST, Spot, shaped
from harness.secrets.values import MASK, collected, leaves, masked
from harness.secrets.views import ROUNDS, View, decoded, unescaped, unescaped_view, wrapped

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_SHORTEST_TEXT: Final = 8
_AT_ONCE: Final = 4_000_000
_TWICE: Final = 65_536
"""Of a long text this many bytes are read twice, so that no key is cut."""

_BLANKS: Final = bytes(
    byte if chr(byte).isascii() and (chr(byte).isalnum() or chr(byte) in '_-.+/=~:%') else 0x20 for byte in range(256)
)
"""Words of this alphabet are what a shape can match."""

_Value = TypeVar('_Value')


class SecretFound(Exception):  # noqa: N818 - named by the fact
    """Something to be written still looks like a key; the message says where and what kind, never the key."""

    def __init__(self, where: str, kind: str) -> None:
        super().__init__(f'{where}: this looks like {kind}, so it is not written')
        self.where = where
        self.kind = kind


class Guard:
    """Knows secrets by their values and keys by their shapes.

    `known` are secrets with what they are (`the API key in use`). `Guard.of_environment()` is the one to use.
    """

    def __init__(self, known: Iterable[Known] = ()) -> None:
        by_value = {one.value: one for one in known}
        self._known = sorted(by_value.values(), key=lambda one: len(one.value), reverse=True)

    @classmethod
    def of_environment(cls, variables: Mapping[str, str] | None = None, more: Iterable[Known] = ()) -> Guard:
        """Return a guard that knows the secrets among the environment variables of now, and `more`."""
        return cls([*of_environment(os.environ if variables is None else variables), *more])

    # ------------------------------------------------------------------------------------------------ finding

    def find(self, text: str) -> list[Spot]:
        """Return the places in a text that look like keys, in order, none inside of another."""
        if len(text) < _SHORTEST_TEXT:
            return []
        raw = text.encode('utf-8', 'surrogatepass')
        found = self.find_bytes(raw)
        if not found or len(raw) == len(text):
            return found
        result, at, count = [], 0, 0
        for spot in found:
            start = count + _characters(raw[at : spot.start])
            at, count = spot.end, start + _characters(raw[spot.start : spot.end])
            result.append(spot.at(start, count))
        return result

    def find_bytes(self, text: bytes) -> list[Spot]:
        """Return the same of a text in UTF-8, with positions in bytes."""
        if len(text) <= _AT_ONCE:
            return _merged(self._in_all_views(text))
        spots = []
        for begin in range(0, len(text), _AT_ONCE - _TWICE):  # the memory that views take is bounded so
            for spot in self._in_all_views(text[begin : begin + _AT_ONCE]):
                if spot.start or not begin:
                    spots.append(spot.at(begin + spot.start, begin + spot.end))
        return _merged(spots)

    def _in_all_views(self, text: bytes) -> Iterator[Spot]:
        yield from self._in_views(text)
        views: list[View] = []
        plain = text
        for undone in range(1, ROUNDS + 1):
            before, plain = plain, unescaped(plain)
            if plain == before:
                return
            for spot in self._in_views(plain):
                while len(views) < undone:  # where something is there, it must be known where
                    views.append(unescaped_view(views[-1].text if views else text))
                start, end = spot.start, spot.end
                for view in reversed(views):
                    start, end = view.origin(start, end)
                yield spot.at(start, end)

    def _in_views(self, text: bytes) -> Iterator[Spot]:
        """Look into a text as it is, without its line breaks, and into what is base64 in it."""
        words = _long_words(text)
        yield from self._plainly(text, words)
        yield from self._encoded(text, words)
        for view in wrapped(text, BEGINNINGS):
            for spot in self._shaped_or_encoded(view.text):
                if view.crosses(spot.start, spot.end) and not view.glued(spot.start):
                    yield spot.at(*view.origin(spot.start, spot.end))

    def _shaped_or_encoded(self, text: bytes) -> Iterator[Spot]:
        yield from shaped(text, text, inside=True)
        yield from self._encoded(text, text)

    def _plainly(self, text: bytes, words: bytes) -> Iterator[Spot]:
        yield from shaped(text, words)
        yield from framed(text)
        yield from labelled(text, text.lower())
        if self._known:
            letters = squeezed(text)
            for one in self._known:
                if one.stands_in(text, letters):
                    yield from one.spots(text, letters)

    def _encoded(self, text: bytes, words: bytes) -> Iterator[Spot]:
        for run, plain in decoded(words):
            spot = next(self._plainly(plain, _long_words(plain)), None)
            if spot is not None:
                for match in re.finditer(re.escape(run), text):
                    yield Spot(match.start(), match.end(), f'{spot.kind} in base64', spot.known)

    # ------------------------------------------------------------------------------------------------ masking

    def mask(self, text: str) -> str:
        """Return a text with `***` for whatever looks like a key, and for what a cut may have left of one."""
        spots = self.find(text)
        rests = list(cut(text))
        if rests:
            spots = _merged([*spots, *rests])
        if not spots:
            return text
        pieces: list[str] = []
        at = 0
        for spot in spots:
            pieces += (text[at : spot.start], MASK)
            at = spot.end
        return ''.join((*pieces, text[at:]))

    def masked(self, value: _Value) -> _Value:
        """Return a value (text, JSON value, model, or any nesting of these) with `***` for all secrets in it.

        What stands in a field that is named as secrets are (`password`, `apiKey`) is one, whatever it looks like. A
        value without secrets is returned as it is; models are copied without validation.
        """
        texts, named = collected(value)
        if not named:
            blob = '\0'.join(texts)
            if not self.find(blob) and next(cut(blob), None) is None:
                return value
        result: _Value = masked(value, self.mask)
        return result

    # ------------------------------------------------------------------------------------------------ refusing

    def check_value(self, value: Any, where: str) -> None:
        """Make sure that no text of a JSON value that is to be written looks like a key.

        Raises:
            SecretFound: one does; the message says where, by the keys that lead to it, and what kind.
        """
        for keys, text in leaves(value):
            for spot in self.find(text):
                raise SecretFound(f'{where}: {self.mask(keys)}', spot.kind)

    def check(self, text: str, where: str) -> None:
        """Make sure that nothing in a text that is to be written looks like a key.

        Raises:
            SecretFound: something does; the message says where, by line and column, and what kind.
        """
        for spot in self.find(text):
            line, column = text.count('\n', 0, spot.start) + 1, spot.start - text.rfind('\n', 0, spot.start)
            raise SecretFound(f'{where}:{line}:{column}', spot.kind)


def _long_words(text: bytes) -> bytes:
    return b' '.join({word for word in text.translate(_BLANKS).split() if len(word) >= SHORTEST})


def _merged(spots: Iterable[Spot]) -> list[Spot]:
    result: list[Spot] = []
    for spot in sorted(spots, key=lambda spot: (spot.start, -spot.end)):
        if result and spot.start < result[-1].end:
            last = result[-1]
            kind = spot.kind if spot.known and not last.known else last.kind
            result[-1] = Spot(last.start, max(last.end, spot.end), kind, last.known or spot.known)
        elif spot.end > spot.start:
            result.append(spot)
    return result


def _characters(raw: bytes) -> int:
    return len(raw.decode('utf-8', 'surrogatepass'))
