"""Whether a page says what another one says, whatever made its bytes: its data unpacked, and the text around them.

Two versions of zlib pack the same text as other bytes, and no two runs are made at the same time: what a page says of
when and with which versions it was made is no difference.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

from harness.packs import MOST, PACK, NotPacked, unpack
from harness.scorecard.badges import shields, svg
from harness.show.visible import as_text, clip, one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from harness.scorecard.badges import Badge

_CARD: Final = re.compile(r'(?<=<script type="application/json" id="card">)[^<]*(?=</script>)')
_MADE: Final = re.compile(r'card\.stores\[\d+\]\.(?:created|file|versions)\b')
_SMALL: Final = 2e-5
"""Figures are told with five digits: the last one may be rounded in another way on another processor."""

_TEXT: Final = 160
_BADGE: Final = 20_000


def page_differences(there: str, wanted: str) -> Iterator[str]:
    """Yield what a page says otherwise than the wanted one, each with the place in its data or the line of its text."""
    try:
        left, right = _parts(there), _parts(wanted)
    except (NotPacked, ValueError, RecursionError) as error:
        yield f'it is no whole scorecard: {error}'
        return
    yield from _values('', left.pop('text'), right.pop('text'))
    for name in dict.fromkeys((*left, *right)):
        if name not in left or name not in right:
            yield f'{name}: {"it is missing" if name in right else "there should be no such part"}'
        else:
            yield from _values(name, left[name], right[name])


def _parts(html: str) -> dict[str, Any]:
    """Return the values of a page by their names; `text` are the lines around them."""
    found: dict[str, Any] = {}
    room = MOST
    for name, packed in PACK.findall(html):
        raw = unpack(packed, room)
        room -= len(raw)
        found[name] = json.loads(raw)
    text = PACK.sub(lambda match: f'(the pack {match[1]})', html)
    card = _CARD.search(text)
    if card is None:
        raise ValueError('its data is missing')
    lines = [re.sub(r"sha256-[^']*", '(a digest)', line) for line in _CARD.sub('(the card)', text, count=1).split('\n')]
    return {'card': json.loads(card[0]), **found, 'text': lines}


def _values(place: str, there: Any, wanted: Any) -> Iterator[str]:
    if _MADE.fullmatch(place):
        return
    if isinstance(there, dict) and isinstance(wanted, dict):
        for key in dict.fromkeys((*there, *wanted)):
            inner = f'{place}.{one_line(clip(key, _TEXT))}'
            if key not in there or key not in wanted:
                yield f'{inner}: {"it is missing" if key in wanted else "there should be none"}'
            else:
                yield from _values(inner, there[key], wanted[key])
    elif isinstance(there, list) and isinstance(wanted, list):
        if len(there) != len(wanted):
            yield f'{_named(place)}: {len(there):,} in place of {len(wanted):,}'
        for number, (one, other) in enumerate(zip(there, wanted, strict=False)):
            yield from _values(f'{place}[{number}]' if place else f'line {number + 1}', one, other)
    elif not _same(there, wanted):
        yield f'{_named(place)}: {_short(there, wanted)} in place of {_short(wanted, there)}'


def _same(there: Any, wanted: Any) -> bool:
    if isinstance(there, float) or isinstance(wanted, float):
        numbers = type(there) in (int, float) and type(wanted) in (int, float)
        return numbers and abs(there - wanted) <= _SMALL * max(1, abs(wanted))
    return type(there) is type(wanted) and bool(there == wanted)


def _named(place: str) -> str:
    return place or 'the lines of its text'


def _short(value: Any, other: Any) -> str:
    """Return a value as one line, from a little before the place where it differs from another one."""
    if not (isinstance(value, str) and isinstance(other, str)):
        return one_line(clip(as_text(value), _TEXT))
    at = next((at for at, (one, two) in enumerate(zip(value, other, strict=False)) if one != two), 0)
    start = max(0, at - 40)
    cut = value[start : start + _TEXT]
    return repr(one_line(f'{"…" if start else ""}{cut}{"…" if start + _TEXT < len(value) else ""}'))


def badge_differences(folder: Path, badges: Sequence[Badge]) -> Iterator[str]:
    """Yield which files of badges in a folder are missing, are not what they should be, or are of no badge."""
    wanted = {
        f'{badge.name}.{ending}': made
        for badge in badges
        for ending, made in (('svg', svg(badge)), ('json', shields(badge)))
    }
    there = (
        {path.name: path for path in folder.iterdir() if path.suffix in ('.svg', '.json')} if folder.is_dir() else {}
    )
    for name in sorted({*wanted, *there}):
        if name not in there:
            yield f'{name}: it is missing'
        elif name not in wanted:
            yield f'{name}: no model has such a badge'
        elif _read(there[name]) != wanted[name]:
            yield f'{name}: it is another one'


def _read(path: Path) -> str:
    from harness.files import Unreadable, read_bounded

    try:
        return read_bounded(path, _BADGE).decode('utf-8', 'replace')
    except Unreadable as error:
        return str(error)
