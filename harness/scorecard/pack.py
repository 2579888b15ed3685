"""Packing: values and texts in compressed chunks, each text once; a browser decodes a chunk when it is opened."""

from __future__ import annotations

import hashlib
import json
from typing import Any, Final

from harness import packs
from harness.secrets import Guard, SecretFound
from harness.show.visible import clip, visible_pieces

CHUNK: Final = 240_000
"""About how many bytes of JSON one chunk holds: it is decoded in a few milliseconds."""

LIMIT: Final = 12_000
"""The most characters of one text; a longer one loses its middle."""

_SHORT: Final = 160
"""Shorter texts stand where they are used: a number in place of them saves nothing."""

Packed = str | list[str] | int
"""A text: as it is; in turns plain and spelled-out, where characters are spelled out; or its number in the pool."""


def shown(text: str, limit: int = LIMIT) -> str | list[str]:
    """Return a text as a page shows it: bounded, with control characters spelled out, each after what stands before."""
    pieces = list(visible_pieces(clip(text, limit)))
    if not any(hidden for _, hidden in pieces):
        return ''.join(piece for piece, _ in pieces)
    out = ['']
    for piece, hidden in pieces:
        if hidden is (len(out) % 2 == 0):
            out[-1] += piece
        else:
            out.append(piece)
    return out


class Chunks:
    """Values in the order they come, in chunks of bounded size."""

    def __init__(self, guard: Guard, name: str) -> None:
        self._guard = guard
        self._name = name
        self._held: list[str] = []
        self._size = 0
        self.packed: list[str] = []

    def add(self, value: Any) -> tuple[int, int]:
        """Add a value and return the number of its chunk and its place in it."""
        text = as_json(value)
        if self._held and self._size + len(text) > CHUNK:
            self.close()
        self._held.append(text)
        self._size += len(text) + 1
        return len(self.packed), len(self._held) - 1

    def close(self) -> None:
        """Pack what is held back.

        Raises:
            SecretFound: something in it looks like a key: packed, nobody would see it.
        """
        if self._held:
            self.packed.append(packed('[' + ','.join(self._held) + ']', self._guard, self._name))
            self._held, self._size = [], 0


class Pool:
    """Texts, each stored once, known by a number."""

    def __init__(self, guard: Guard) -> None:
        self._chunks = Chunks(guard, 'a text of the scorecard')
        self._known: dict[bytes, int] = {}
        self.places: list[tuple[int, int]] = []

    def put(self, text: str, limit: int = LIMIT) -> Packed:
        """Return a text as the page holds it."""
        if len(text) < _SHORT:
            return shown(text, limit)
        key = hashlib.blake2b(f'{limit} {text}'.encode('utf-8', 'surrogatepass'), digest_size=16).digest()
        if key not in self._known:
            self._known[key] = len(self.places)
            self.places.append(self._chunks.add(shown(text, limit)))
        return self._known[key]

    def close(self) -> list[str]:
        """Pack all and return the chunks."""
        self._chunks.close()
        return self._chunks.packed

    def starts(self) -> list[int]:
        """Return the number of the first text of each chunk."""
        return [number for number, (_, place) in enumerate(self.places) if place == 0]


def packed(text: str, guard: Guard, name: str) -> str:
    """Compress a text and return it as base64.

    Raises:
        SecretFound: something in it looks like a key.
    """
    raw = text.encode('ascii')
    spots = guard.find_bytes(raw)
    if spots:
        raise SecretFound(name, spots[0].kind)
    return packs.pack(raw)


def unpacked(text: str) -> Any:
    """Return the value that was packed."""
    return json.loads(packs.unpack(text))


def as_json(value: Any) -> str:
    """Return a value as JSON that may stand in an HTML element: ASCII only, `<` written as its escape."""
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(',', ':'))
    return text.replace('<', '\\u003c').replace('>', '\\u003e').replace('&', '\\u0026')
