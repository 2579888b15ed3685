"""Made-up keys that are planted somewhere, and the search for them: in all bytes, however they are written there."""

from __future__ import annotations

import base64
import binascii
import hashlib
import html
import json
import random
import re
import string
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote_to_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_LETTERS = string.ascii_letters + string.digits
_GRAM = 12
_STEP = 8
_RUN = re.compile(rb'[A-Za-z0-9+/_-]{16,}')


def letters(seed: str, number: int, alphabet: str = _LETTERS) -> str:
    """Return letters that look random and are the same at every run; at least one of them is a digit."""
    chance = random.Random(hashlib.sha256(seed.encode()).digest())
    text = ''.join(chance.choice(alphabet) for _ in range(number))
    return text[:3] + '7' + text[4:]


def shaped(place: str) -> str:
    """Return a key of a known shape for a place."""
    return f'sk-proj-{letters(place, 74)}T3BlbkFJ{letters(place + "!", 74)}'


def opaque(place: str) -> str:
    """Return a secret without a shape for a place, with characters that URLs, JSON and HTML write as escapes."""
    return f'{letters(place + "?", 14)}/+&"{letters(place + "~", 14)}<=='


def forms(secret: str) -> Iterator[str]:
    """Yield the ways in which a secret may be written."""
    yield secret
    yield json.dumps(secret)
    yield json.dumps(json.dumps({'inner': secret}))
    yield quote(secret, safe='')
    yield quote(quote(secret, safe=''), safe='')
    yield html.escape(secret)
    yield ''.join(f'\\u{ord(character):04x}' for character in secret)
    yield base64.b64encode(secret.encode()).decode()
    yield base64.b64encode(f'user:{secret}'.encode()).decode()
    yield base64.urlsafe_b64encode(f'{{"key": {json.dumps(secret)}}}'.encode()).decode()
    yield f'{secret[:20]}\n{secret[20:]}'
    yield f'"{secret[:17]}"\n  "{secret[17:]}"'


def found(secrets: Iterable[str], outputs: Mapping[str, bytes]) -> dict[str, set[str]]:
    """Return in which outputs parts of secrets stand, by the secret; those that are nowhere are left out.

    A part is any twenty characters, as they are or in any of the ways of `forms`.
    """
    everything = list(_views(b'\n\n\0\n\n'.join(outputs.values())))
    leaks: dict[str, set[str]] = {}
    for secret in secrets:
        grams = {gram for raw in (secret, *_odd_forms(secret)) for gram in _grams(raw.encode())}
        there = {gram for gram in grams if any(gram in view for view in everything)}
        if there:
            read = {name: b'\0'.join(_views(data)) for name, data in outputs.items()}
            leaks[secret] = {name for name, text in read.items() if any(gram in text for gram in there)}
    return leaks


def _odd_forms(secret: str) -> Iterator[str]:
    raw = secret.encode()
    for before in range(3):
        encoded = base64.b64encode(b'\0' * before + raw).decode()
        yield encoded[4 if before else 0 : -4]
    yield raw.hex()


def _grams(raw: bytes) -> Iterator[bytes]:
    for start in range(0, len(raw) - _GRAM + 1, _STEP):
        yield raw[start : start + _GRAM]
    yield raw[-_GRAM:]


def _views(data: bytes) -> Iterator[bytes]:
    for _ in range(4):  # as deep as `forms` goes, and once more
        yield data
        yield re.sub(rb'[\s"\'|>+-]+', b'', data)
        yield b' '.join(_decoded(data))
        plain = _undone(data)
        if plain == data:
            return
        data = plain


def _undone(data: bytes) -> bytes:
    text = html.unescape(unquote_to_bytes(data).decode('latin-1')).encode('latin-1', 'replace')
    text = re.sub(rb'\\u00([0-9a-f]{2})', lambda match: bytes.fromhex(match[1].decode()), text)
    return text.replace(b'\\"', b'"').replace(b'\\/', b'/').replace(b'\\n', b'\n').replace(b'\\\\', b'\\')


def _decoded(data: bytes) -> Iterator[bytes]:
    for run in set(_RUN.findall(data)):
        standard = run.translate(bytes.maketrans(b'-_', b'+/'))
        for offset in range(4):
            part = standard[offset:]
            try:
                yield base64.b64decode(part[: len(part) & ~3])
            except binascii.Error:
                continue
