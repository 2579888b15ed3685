"""Packs: what a page holds compressed, zlib in base64, each in an element of its own that a browser does not show."""

from __future__ import annotations

import base64
import binascii
import re
import zlib
from typing import Final

PACK: Final = re.compile(r'<script type="text/plain" data-pack="([^"<>]{1,60})">([A-Za-z0-9+/=]*)</script>')
"""A pack where it stands: its name and its base64."""

MOST: Final = 64_000_000
"""The most bytes that one pack may hold: a page may be one that somebody else wrote."""


class NotPacked(Exception):  # noqa: N818 - named by the fact
    """A text is no pack, or holds too much; the message says why."""


def pack(raw: bytes) -> str:
    """Compress bytes and return them as base64; other versions of zlib may make other, equal packs of them."""
    return base64.b64encode(zlib.compress(raw, 9)).decode('ascii')


def unpack(text: str | bytes, most: int = MOST) -> bytes:
    """Return the bytes in a pack.

    Raises:
        NotPacked: it is no pack, or holds more than `most` bytes.
    """
    reader = zlib.decompressobj()
    try:
        raw = reader.decompress(base64.b64decode(text, validate=True), most + 1)
    except (binascii.Error, ValueError, zlib.error) as error:
        raise NotPacked(f'it cannot be unpacked: {error}') from None
    if len(raw) > most:
        raise NotPacked(f'it holds more than {most:,} bytes')
    if not reader.eof:
        raise NotPacked('it cannot be unpacked: its end is missing')
    if reader.unused_data:
        raise NotPacked('it cannot be unpacked: something stands behind its end')
    return raw
