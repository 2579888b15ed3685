"""Code fences: a fence may open at a line start or as the value of a label."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING, NamedTuple

from .labels import LABELS, SPACE, end_of_run, line_text

if TYPE_CHECKING:
    from collections.abc import Sequence


class Fence(NamedTuple):
    """A fenced block: where its opening line and the line behind it start, where its closing line starts and ends.

    The last two are the same where the fence is never closed: at the end of the text, or where the value of a label
    opens the next one.
    """

    start: int
    inner: int
    closing: int
    end: int

    @property
    def closed(self) -> bool:
        return self.closing < self.end

    def holds(self, position: int) -> bool:
        return self.start <= position < self.closing


def find_fences(lines: str) -> tuple[Fence, ...]:
    """Return the fenced blocks of a text in order; a fence may open at a line start or as the value of a label."""
    if '```' not in lines and '~~~' not in lines:
        return ()
    found: list[Fence] = []
    opened, opening = False, ('', 0, 0)
    for match in _FENCE.finditer(lines):
        line = lines.rfind('\n', 0, match.start()) + 1
        labelled = line < match.start() and _labels_before(lines, line, match.start())
        if labelled is None:
            continue
        fence, info = match.groups()
        if opened and labelled:
            found.append(Fence(*opening[1:], line, line))
            opened = False
        if not opened:
            opened = fence[0] not in info
            opening = fence, match.start(), min(match.end() + 1, len(lines))
        elif fence.startswith(opening[0]) and not info.strip(SPACE):
            found.append(Fence(*opening[1:], line, min(match.end() + 1, len(lines))))
            opened = False
    if opened:
        found.append(Fence(*opening[1:], len(lines), len(lines)))
    return tuple(found)


def _labels_before(lines: str, line: int, start: int) -> bool | None:
    """Say whether labels stand on a line before the fence at `start`; None where something else does: it is none."""
    end = end_of_run(LABELS, lines, line, start)
    return None if lines[end:start].strip(SPACE) else end > line


def fence_at(fences: Sequence[Fence], position: int) -> Fence | None:
    """Return the fence of `fences` that holds this place."""
    index = bisect_left(fences, (position + 1,))
    return fences[index - 1] if index and fences[index - 1].holds(position) else None


def drop_open_fence(text: str) -> str:
    """Return `text` without the fence lines from the one on that is never closed."""
    lines = line_text(text)
    fences = find_fences(lines)
    if not fences or fences[-1].closed:
        return text
    kept, at = [], 0
    for match in _FENCE.finditer(lines, fences[-1].start):
        line = lines.rfind('\n', 0, match.start()) + 1
        if _labels_before(lines, line, match.start()) is not None:
            kept.append(text[at:line])
            at = min(match.end() + 1, len(text))
    return ''.join([*kept, text[at:]])


_FENCE = re.compile(r'(`{3,}+|~{3,}+)([^\n]*+)')
