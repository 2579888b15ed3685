"""What GitHub's runner obeys in the output of a step: the annotations of lines of files.

The runner reads every line that a step prints. One that begins with `::name` behind any white space, or that has
`##[name]` anywhere, is a command to it, whoever wrote the line: a model, a tool, a node.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from harness.outputs.words import first_place, headline, plain, run_name, standing, why_not_counted
from harness.show.visible import clip, one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.outputs.places import Places
    from harness.outputs.words import Standing
    from harness.show.summary import Outcome, Summary

MOST: Final = 10
"""Annotations of one kind: GitHub shows no more of one step."""

_KINDS: Final[dict[Standing, str]] = {
    'failed': 'error',
    'not judged': 'error',
    'met in part': 'warning',
    'not counted': 'warning',
}
_LONG: Final = 500


def annotate(summary: Summary, places: Places) -> Iterator[str]:
    """Yield the commands that annotate the first finding of each run: at most ten errors and ten warnings.

    What fails the gate comes first. A file outside of the repository has no lines to annotate; its message says where.
    """
    kinds = list(_KINDS)
    failed = [outcome for outcome in summary.results if not outcome.met]
    given = dict.fromkeys(_KINDS.values(), 0)
    for outcome in sorted(failed, key=lambda outcome: kinds.index(standing(outcome))):
        kind = _KINDS[standing(outcome)]
        given[kind] += 1
        if given[kind] <= MOST:
            yield _annotation(kind, outcome, places)


def _annotation(kind: str, outcome: Outcome, places: Places) -> str:
    message = headline(outcome) if outcome.findings else f'not judged: {headline(outcome)}'
    if kind == 'warning':
        message = f'{message} ({why_not_counted(outcome)})'
    path, line, column = first_place(outcome)
    inside = places.inside(path)
    if inside is None:
        return command(kind, f'{one_line(path)}:{line}:{column}: {message}', {'title': run_name(outcome)})
    where = {'file': inside, 'line': str(line), 'col': str(column)}
    return command(kind, message, {**where, 'title': run_name(outcome)})


def command(name: str, message: str, properties: dict[str, str]) -> str:
    """Return one workflow command: `::error file=a.yaml,line=3::message`."""
    given = ','.join(f'{key}={_property(value)}' for key, value in properties.items())
    return f'::{name} {given}::{_data(plain(clip(one_line(message), _LONG)))}'


def _data(text: str) -> str:
    return text.replace('%', '%25').replace('\r', '%0D').replace('\n', '%0A')


def _property(text: str) -> str:
    return _data(plain(clip(one_line(text), _LONG))).replace(':', '%3A').replace(',', '%2C')
