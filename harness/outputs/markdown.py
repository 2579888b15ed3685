"""Markdown in which nothing that a model, a tool or a file wrote can be anything but text.

Whatever is not ours stands in a code span or in a fenced block: there is no escaping that holds everywhere else, for
GitHub makes links of addresses and mentions behind every backslash.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from harness.outputs.words import plain
from harness.show.visible import clip, one_line, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_TICKS: Final = re.compile('`+')


def code(text: str, limit: int = 200) -> str:
    """Return a text as a code span on one line, cut in the middle where it is long."""
    line = plain(clip(one_line(text), limit)) or ' '
    ticks = '`' * (_longest(line) + 1)
    # One space on both ends belongs to the ticks, as long as there is more than spaces between them.
    padded = line.strip() and (line[0] in ' `' or line[-1] in ' `')
    return f'{ticks} {line} {ticks}' if padded else f'{ticks}{line}{ticks}'


def cell(text: str) -> str:
    """Return a text as a code span for a table, without bars: those end a cell within a code span too."""
    return code(text.replace('|', '¦'))


def block(text: str, limit: int = 6_000, kind: str = 'text') -> str:
    """Return a text as a fenced block that it cannot end, cut in the middle where it is long."""
    body = plain(visible(clip(text, limit)))
    fence = '`' * max(3, _longest(body) + 1)
    return f'{fence}{kind}\n{body}\n{fence}'


def linked(text: str, address: str, limit: int = 200) -> str:
    """Return a text as the code span of a link, or as a code span alone where there is no address."""
    return f'[{code(text, limit)}](<{address}>)' if address else code(text, limit)


def table(head: Sequence[str], rows: Iterable[Sequence[str | int]]) -> str:
    """Return a table of Markdown that has no bars, and of numbers, which stand on the right."""
    body = [list(row) for row in rows]
    right = [bool(body) and all(isinstance(row[number], int) for row in body) for number in range(len(head))]
    lines = [head, ['---:' if numbers else '---' for numbers in right]]
    lines += [[f'{cell:,}' if isinstance(cell, int) else cell for cell in row] for row in body]
    return '\n'.join(f'| {" | ".join(line)} |' for line in lines)


def _longest(text: str) -> int:
    return max((len(match.group()) for match in _TICKS.finditer(text)), default=0)
