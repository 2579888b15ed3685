"""Keys that are known by what stands before or around them: a name, a scheme of HTTP, a URL, the frame of a PEM block.

Here the value itself has no shape, so that it must also look random: letters and digits mixed. A password that is a
word is not found in a text; in a field that is named so, it is (see `Guard.masked`).
"""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final

from harness.secrets.shapes import Spot, entropy, has_digit, is_placeholder

if TYPE_CHECKING:
    from collections.abc import Iterator

_BEHIND: Final = (
    rb'(?![a-z0-9])'
    rb"""(?:[\\"'`\])]{0,6}\s{0,4}(=>|:=|={1,2}|:|>|is\b:?)|[\\"'`\])]{0,6}(?=\s))\s{0,4}"""
    rb"""[\\"'`(\[<]{0,6}(?:(?:bearer|basic|token|digest|apikey)\s{1,4})?"""
    rb"""([^\s"'`,;<>(){}\[\]\\|&=?]{6,}={0,2})"""
)
"""What follows a name: the first group is there where more than white space stands before the value, the second."""

_KEY: Final = (
    rb'(?:api|access|secret|private|account|auth|signing|encryption|subscription|master|storage|shared|service)'
    rb'[_\- ]?(?:access[_\- ]?)?'
)
_TOKEN: Final = rb'(?:access|refresh|auth|bearer|session|security|id|bot|oauth|api)[_\- ]?'
_CLIENT: Final = rb'(?:client|app|consumer|webhook|shared|oauth|api)[_\- ]?'


@dataclass(frozen=True)
class _Name:
    """A name of secrets: how its last word begins, how that ends, and what must stand before it.

    Where nothing has to (`before` is None), the name is enough for a value that is no word. Where it has to and does
    not, the value must be random beyond doubt; `alone` says that the last word is a name by itself then.
    """

    word: bytes
    ending: bytes
    before: bytes | None
    alone: bool = True


_NAMES: Final = (
    _Name(b'key', rb's?', _KEY, alone=False),
    _Name(b'token', rb's?', _TOKEN),
    _Name(b'secret', rb's?', _CLIENT),
    _Name(b'pass', rb'(?:words?|wd|phrase)', None),
    _Name(b'pwd', b'', None),
    _Name(b'credential', rb's?', rb'(?!)'),
    _Name(b'authorization', b'', rb'(?!)'),
)
_LONGEST_BEFORE: Final = 32
_ESCAPED: Final = (b'n', b'r', b't', b'u', b'x', b'b', b'f', b'/')
_BEARER: Final = re.compile(rb'bearer[\s+]{1,4}([a-z0-9._~+/-]{12,}={0,2})')
_BASIC: Final = re.compile(rb'basic[\s+]{1,4}([a-z0-9+/_-]{8,}={0,2})')
_IN_URL: Final = re.compile(rb"""://[^\s/:@"'<>\\]{0,128}:([^\s/:@"'<>\\]{3,256})@""")
_PEM: Final = re.compile(
    rb'-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----'
    rb'(?:(?:\\[rn]|\s){1,4}[A-Za-z-]{3,20}: [^\r\n\\]{1,200}){0,6}'
    rb'(?:[A-Za-z0-9+/=\s]|\\[rn])*(?:-{1,5}END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)?'
)
_SPECIAL: Final = re.compile(rb'[^A-Za-z0-9_.:/-]')
_PARTS: Final = re.compile(rb'[A-Za-z0-9+]{12,}')
_FIELD: Final = re.compile(
    rb'(?:.*[_\-. ])?(?:'
    + rb'|'.join((name.before or b'') + name.word + name.ending for name in _NAMES if name.before != rb'(?!)')
    + rb'|secret|(?:proxy-)?authorization|(?:set-)?cookie)',
    re.DOTALL,
)


def labelled(text: bytes, lower: bytes) -> Iterator[Spot]:
    """Yield the places in a text where a value that looks random stands behind a name; `lower` is it in lower case."""
    for name in _NAMES:
        if name.word in lower:
            for match in _pattern(name.word, name.ending).finditer(lower):
                yield from _behind(name, match, text, lower)
    if b'bearer' in lower:
        for match in _BEARER.finditer(lower):
            start, end = _trimmed(text, *match.span(1))
            if _random(text[start:end]):
                yield Spot(start, end, 'a bearer token')
    if b'basic' in lower:
        for match in _BASIC.finditer(lower):
            if b':' in _plain(text[slice(*match.span(1))]):
                yield Spot(*match.span(1), 'the user and password of HTTP basic authentication')


def framed(text: bytes) -> Iterator[Spot]:
    """Yield the private keys in PEM and the passwords of URLs in a text."""
    if b'PRIVATE KEY' in text:
        for match in _PEM.finditer(text):
            yield Spot(match.start(), match.start() + len(match[0].rstrip()), 'a private key')
    if b'@' in text and b'://' in text:
        for match in _IN_URL.finditer(text):
            if not is_placeholder(match[1]) and match[1] not in (b'password', b'pass', b'***'):
                yield Spot(*match.span(1), 'the password of a URL')


@lru_cache(4096)
def names_secret(name: str) -> bool:
    """Tell whether a field of this name holds a secret, whatever it looks like: `password`, `openaiApiKey`."""
    if len(name) > 100:
        return False
    snake = re.sub(r'(?<=[a-z0-9])(?=[A-Z])', '_', name).lower().encode('utf-8', 'replace')
    return _FIELD.fullmatch(snake) is not None


def _behind(name: _Name, match: re.Match[bytes], text: bytes, lower: bytes) -> Iterator[Spot]:
    between, (start, end) = match[1], _trimmed(text, *match.span(2))
    value = text[start:end]
    if text[end : end + 1] == b'(' or value.startswith((b'/', b'./', b'~/')) or b'://' in value:
        return  # a call, a path, a URL
    if text[start - 1 : start] == b'\\' and value[:1] in _ESCAPED:
        return  # no value, but the escape of the character that it begins with
    before = lower[max(0, match.start() - _LONGEST_BEFORE) : match.start()]
    strong = name.before is None or _ending(name.before).search(before) is not None
    if not strong:
        inside = text[match.start() - 1 : match.start()].isalpha() and text[match.start()] >= 0x61
        if inside or not name.alone:
            return  # it is the end of another word, or says too little
    if _assigned(value) if strong and between not in (None, b'is', b'is:') else _random(value):
        label = match[0][: match.start(1) - match.start()] if between else match[0].split()[0]
        said = label.strip(b'\\"\'`()[]<>{}:= \t\r\n').decode('ascii', 'replace')
        yield Spot(start, end, f'a value behind `{said}`')


@cache
def _pattern(word: bytes, ending: bytes) -> re.Pattern[bytes]:
    return re.compile(word + ending + _BEHIND)


@cache
def _ending(before: bytes) -> re.Pattern[bytes]:
    return re.compile(before + rb'\Z')


def _trimmed(text: bytes, start: int, end: int) -> tuple[int, int]:
    return start, start + len(text[start:end].rstrip(b'.,:!?/'))


def _assigned(value: bytes) -> bool:
    """Tell whether a text is no word and no number: digits among letters, or characters that names do not have."""
    head = value[:512]
    if len(head) < 6 or len(set(head)) < 5 or is_placeholder(head):
        return False
    letters = any(byte >= 0x41 for byte in head)
    return letters and (has_digit(head) or (_SPECIAL.search(head) is not None and head.isascii()))


def _random(value: bytes) -> bool:
    """Tell whether a text is random beyond doubt."""
    head = value[:512]
    return (
        len(head) >= 16
        and entropy(head) >= 3.0
        and not is_placeholder(head)
        and any(has_digit(part) and not part.isdigit() for part in _PARTS.findall(head))
    )


def _plain(encoded: bytes) -> bytes:
    standard = encoded.rstrip(b'=').translate(bytes.maketrans(b'-_', b'+/'))
    try:
        decoded = base64.b64decode(standard + b'=' * (-len(standard) % 4))
    except (binascii.Error, ValueError):
        return b''
    return decoded if decoded.isascii() and decoded.decode('ascii').isprintable() else b''
