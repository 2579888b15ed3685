"""Secrets whose values are known: those of environment variables, of headers, of the API key in use.

A known value is found however it is written: cut into lines, with its punctuation escaped in any way, in base64 at any
offset, in hexadecimal digits, or only its beginning or its end.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from harness.secrets.shapes import Spot, entropy

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

SHORTEST: Final = 8
"""The length of the shortest value that is looked for: shorter ones would stand in many a text by chance."""

_WINDOW: Final = 12
_LONGEST: Final = 16_384
_OTHERS: Final = bytes(byte for byte in range(256) if not chr(byte).isascii() or not chr(byte).isalnum())
_GAP: Final = rb'[^A-Za-z0-9]{0,8}'
_RUN: Final = frozenset(b'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+-')
_MOST_GLUED: Final = 512
_WORDS: Final = re.compile('[^A-Z0-9]+')
_SECRET: Final = re.compile('SECRETS?|TOKENS?|PASSWORDS?|PASSWD|PASSPHRASE|APIKEYS?|CREDENTIALS?')
_SECRET_LAST: Final = re.compile('KEYS?|PWD|PASS|AUTH|PAT|COOKIE|DSN')
_GLUED: Final = ('APIKEY', 'TOKEN', 'SECRET', 'PASSWORD', 'PASSWD')
_PATH: Final = re.compile(r'[/~]|\.{1,2}/|[A-Za-z]:[\\/]')


class Known:
    """One known value and the ways in which it may be written; `kind` says whose value it is."""

    def __init__(self, value: str, kind: str) -> None:
        self.value = value
        self.kind = kind
        self._raw = value.encode('utf-8', 'surrogatepass')
        plain = squeezed(self._raw)
        # How it may be written, each with the letters and digits of its beginning and of its end.
        self._forms: dict[bytes, list[bytes]] = {}
        if len(plain) >= SHORTEST:
            self._forms[plain] = list(_windows(plain, _WINDOW))
        if len(self._raw) >= SHORTEST:
            for form in map(squeezed, _encoded_forms(self._raw)):
                self._forms[form] = list(_windows(form, _WINDOW + 4))
        self._plain = plain if plain in self._forms else b''

    def __repr__(self) -> str:
        return f'Known({self.kind!r})'

    def stands_in(self, text: bytes, squeezed_text: bytes) -> bool:
        """Tell whether the value, its beginning or its end stands in a text; `squeezed_text` is `squeezed(text)`."""
        if not self._plain and self._raw in text:
            return True
        return any(needle in squeezed_text for needles in self._forms.values() for needle in needles)

    def spots(self, text: bytes, squeezed_text: bytes) -> Iterator[Spot]:
        """Yield where it stands; of a part of it, with what it is glued to, which may be more of it."""
        patterns = [_gapped(form) for form in self._forms if form != self._plain and form in squeezed_text]
        if not self._plain:
            patterns.append(re.compile(re.escape(self._raw)))
        elif self._plain in squeezed_text:
            patterns.append(_with_edges(self._raw, self._plain))
        for pattern in patterns:
            for match in pattern.finditer(text):
                yield Spot(match.start(), match.end(), self.kind, known=True)
        found = {needle for needles in self._forms.values() for needle in needles if needle in squeezed_text}
        for needle in found:
            for match in _gapped(needle).finditer(text):
                start, end = match.span()
                while start and match.start() - start < _MOST_GLUED and text[start - 1] in _RUN:
                    start -= 1
                while end < len(text) and end - match.end() < _MOST_GLUED and text[end] in _RUN:
                    end += 1
                yield Spot(start, end, self.kind, known=True)


def squeezed(text: bytes) -> bytes:
    """Return the letters and digits of a text."""
    return text.translate(None, _OTHERS)


def of_environment(variables: Mapping[str, str]) -> list[Known]:
    """Return the secrets among environment variables: their names tell that they are some, and they look it."""
    return [
        Known(value, f'the value of the environment variable {name}')
        for name, text in variables.items()
        if _is_secret_name(name)
        for value in _values(text)
    ] + [
        Known(password, f'the password in the environment variable {name}')
        for name, text in variables.items()
        for password in re.findall(r'://[^\s/:@]{0,128}:([^\s/@]{8,256})@', text[:_LONGEST])
    ]


def in_headers(value: str) -> Iterator[str]:
    """Yield what is secret in the value of a header or query parameter: its longer words, and what they encode."""
    for word in value.split():
        if len(word) >= SHORTEST:
            yield word
            try:
                plain = base64.b64decode(word, validate=True).decode('ascii')
            except ValueError:
                continue
            yield from (part for part in plain.split(':', 1)[1:] if len(part) >= SHORTEST)


def in_cookies(value: str) -> Iterator[str]:
    """Yield what is secret in the cookies that a server sets: their longer values."""
    for pair in value.split(';'):
        word = pair.partition('=')[2].strip()
        if len(word) >= 2 * SHORTEST and _is_no_word(word):
            yield word


def _is_secret_name(name: str) -> bool:
    words = [word for word in _WORDS.split(name.upper()) if word]
    if not words or name in ('PWD', 'OLDPWD') or 'PUBLIC' in words:
        return False
    last = words[-1]
    return any(map(_SECRET.fullmatch, words)) or _SECRET_LAST.fullmatch(last) is not None or last.endswith(_GLUED)


def _values(text: str) -> Iterator[str]:
    try:
        leaves = list(_leaves(json.loads(text))) if text.lstrip()[:1] in ('{', '[') else []
    except (ValueError, RecursionError):
        leaves = []
    for word in dict.fromkeys(' '.join(leaves or [text]).split()):
        if SHORTEST <= len(word) <= _LONGEST and _is_no_word(word):
            yield word


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _leaves(item)


def _is_no_word(text: str) -> bool:
    """Tell whether a value can be a secret: no word, number, path or URL; such ones stand in any text."""
    if _PATH.match(text) or '://' in text or text.replace('.', '').isdigit():
        return False
    tests = (str.islower, str.isupper, str.isdigit, _is_punctuation)
    classes = sum(any(map(test, text)) for test in tests)
    return entropy(text.encode('utf-8', 'surrogatepass')) >= 2.0 and (classes >= 2 or len(text) >= 16)


def _is_punctuation(character: str) -> bool:
    return character.isascii() and not character.isalnum()


def _windows(text: bytes, size: int) -> Iterator[bytes]:
    yield text[:size]
    if len(text) > size:
        yield text[-size:]


def _encoded_forms(raw: bytes) -> Iterator[bytes]:
    """Yield a value in hexadecimal digits, and in base64 wherever it begins there.

    The latter is without the characters that depend on what stands beside it.
    """
    for before in range(3):
        encoded = base64.b64encode(b'\0' * before + raw)
        yield encoded[(0, 2, 3)[before] : (before + len(raw)) * 8 // 6]
    digits = binascii.hexlify(raw)
    yield from (digits, digits.upper())


@lru_cache(256)
def _with_edges(raw: bytes, plain: bytes) -> re.Pattern[bytes]:
    """Return what finds a value with the punctuation that it begins and ends with, where that is there too."""
    first, last = raw.index(plain[:1]), raw.rindex(plain[-1:]) + 1
    before, behind = re.escape(raw[:first]), re.escape(raw[last:])
    return re.compile(b'(?:' + before + b')?' + _gapped(plain).pattern + b'(?:' + behind + b')?')


@lru_cache(256)
def _gapped(form: bytes) -> re.Pattern[bytes]:
    return re.compile(_GAP.join(bytes((byte,)) for byte in form))
