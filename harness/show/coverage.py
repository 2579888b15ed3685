"""The coverage table as lines for a terminal."""

from __future__ import annotations

import fnmatch
import textwrap
from typing import TYPE_CHECKING

from harness.scenario.explain import nearest
from harness.scenario.loading import UsageError
from harness.show.visible import plural, visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from harness.coverage import Coverage

_WIDTH = 118


def chosen(table: Coverage, select: Sequence[str], missing: bool) -> Coverage:
    """Return the part of a table that was asked for.

    Raises:
        UsageError: a pattern that no id matches.
    """
    ids = [item.id for item in table.requirements]
    for pattern in select:
        if not fnmatch.filter(ids, pattern):
            like = nearest(pattern, ids)
            raise UsageError(f'there is no requirement {pattern!r}' + (f': did you mean {like}?' if like else ''))
    kept = (
        item
        for item in table.requirements
        if (not select or any(fnmatch.fnmatchcase(item.id, pattern) for pattern in select))
        and not (missing and item.covered)
    )
    return table.model_copy(update={'requirements': tuple(kept)})


def rows(table: Coverage, register: Path) -> Iterator[str]:
    """Yield a block for each requirement: id, level and sentence, its scenarios, and what is missing."""
    for item in table.requirements:
        mark = 'ok' if item.covered else '!!'
        head = f'{mark} {item.id:<10} {item.level:<9} '
        indent = ' ' * len(head)
        yield from textwrap.wrap(visible(item.text), _WIDTH, initial_indent=head, subsequent_indent=indent)
        count = f'{plural(len(item.scenarios), "scenario")}: ' if item.scenarios else ''
        names = count + ', '.join(item.scenarios)
        yield from textwrap.wrap(
            visible(names), _WIDTH, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False
        )
        if item.missing:
            yield f'{indent}{register}:{item.line}: {item.missing}'


def verdict(table: Coverage, unknown: int) -> str:
    """Return the last line: how many of how many requirements are proven."""
    total = len(table.requirements)
    share = f'{100 * table.covered // total} %' if total else 'none'
    text = f'{table.covered} of {total} requirements are proven ({share}), by {plural(table.scenarios, "scenario")}'
    return f'{text}; {plural(unknown, "unknown id")}' if unknown else text
