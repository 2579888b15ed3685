"""Badges: a label and a message as SVG that asks nothing of any server, and as JSON for shields.io endpoints."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final, Literal

from markupsafe import escape

from harness.files import write_whole
from harness.record import Frozen
from harness.show.visible import clip, one_line, percent

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from harness.metrics.statistics import Rate

Tone = Literal['good', 'fair', 'poor', 'unknown']
_COLOURS: Final[dict[Tone, str]] = {'good': '#1a6b3c', 'fair': '#7a5200', 'poor': '#a8201a', 'unknown': '#5d6066'}
_NARROW: Final = frozenset("iljI.,:;!|'()[]/ ")
_WIDE: Final = frozenset('mwMW%@')
_MOST: Final = 60


class Badge(Frozen):
    """One badge: the name of its files, its two texts, and how good the news is."""

    name: str
    label: str
    message: str
    tone: Tone

    @property
    def colour(self) -> str:
        """The colour behind the message; white text on it has a contrast of at least 4.5."""
        return _COLOURS[self.tone]


def share_badge(name: str, label: str, found: Rate | None) -> Badge:
    """Return the badge of a rate: its value and n, or that it is missing."""
    if found is None or found.value is None:
        return Badge(name=file_name(name), label=label, message='missing', tone='unknown')
    tone: Tone = 'good' if found.value >= 0.9 else 'fair' if found.value >= 0.5 else 'poor'
    return Badge(name=file_name(name), label=label, message=f'{percent(found.value)} (n={found.n:,})', tone=tone)


def count_badge(name: str, label: str, met: int, of: int, unjudged: int = 0) -> Badge:
    """Return the badge of a count: `251/251`; what was not judged is told, of nothing it says that it is missing."""
    tone: Tone = 'unknown' if not of else 'poor' if met < of else 'fair' if unjudged else 'good'
    message = f'{met:,}/{of:,}' if of else 'missing'
    if unjudged:
        message += f', {unjudged:,} not judged'
    return Badge(name=file_name(name), label=label, message=message, tone=tone)


def told_apart(badges: Iterable[Badge]) -> tuple[Badge, ...]:
    """Return badges with a number behind a name that another one has already: each has files of its own."""
    made: list[Badge] = []
    taken: set[str] = set()
    for badge in badges:
        name, number = badge.name, 1
        while name in taken:
            number += 1
            name = f'{badge.name}-{number}'
        taken.add(name)
        made.append(badge if name == badge.name else badge.model_copy(update={'name': name}))
    return tuple(made)


def file_name(text: str) -> str:
    """Return a text as part of the name of a file."""
    return re.sub(r'[^a-z0-9.]+', '-', text.lower()).strip('-.')[:_MOST] or 'badge'


def text_width(text: str) -> int:
    """Return about how many pixels a text of 11 pixels takes in DejaVu Sans or Verdana."""
    return round(sum(4 if c in _NARROW else 10 if c in _WIDE else 7 if ord(c) < 0x2000 else 12 for c in text))


def svg(badge: Badge) -> str:
    """Return a badge as a flat SVG with a title for screen readers."""
    label, message = (one_line(clip(text, _MOST)) for text in (badge.label, badge.message))
    left, right = text_width(label) + 12, text_width(message) + 12
    width = left + right
    title = escape(f'{label}: {message}')
    shape = f'round-{file_name(badge.name)}'  # several may stand in one page
    texts = ((6, left - 12, label), (left + 6, right - 12, message))
    written = ''.join(
        f'<text x="{x}" y="14" textLength="{length}" lengthAdjust="spacingAndGlyphs">{escape(text)}</text>'
        for x, length, text in texts
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20" role="img" aria-label="{title}">'
        f'<title>{title}</title>'
        f'<clipPath id="{shape}"><rect width="{width}" height="20" rx="3"/></clipPath>'
        f'<g clip-path="url(#{shape})"><rect width="{left}" height="20" fill="#3b4048"/>'
        f'<rect x="{left}" width="{right}" height="20" fill="{badge.colour}"/></g>'
        f'<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">{written}</g></svg>\n'
    )


def shields(badge: Badge) -> str:
    """Return a badge as the JSON of a shields.io endpoint."""
    value = {
        'schemaVersion': 1,
        'label': one_line(clip(badge.label, _MOST)),
        'message': one_line(clip(badge.message, _MOST)),
        'color': badge.colour.removeprefix('#'),
    }
    return json.dumps(value, ensure_ascii=False, indent=2) + '\n'


def write_badges(badges: Iterable[Badge], folder: Path) -> list[Path]:
    """Write each badge as SVG and as JSON into a folder and return the files.

    Raises:
        OSError: a file cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for badge in badges:
        for ending, text in (('svg', svg(badge)), ('json', shields(badge))):
            path = folder / f'{badge.name}.{ending}'
            write_whole(path, text)
            written.append(path)
    return written
