"""What became of the mutants, as lines for a terminal and as a table for the docs."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from harness.mutants.hunt import idle, only_killers
from harness.show.visible import plural, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from harness.mutants.hunt import Hunt, Hunted
    from harness.scenario.loading import ScenarioFile

_SHOWN = 3


def rows(hunted: Hunt) -> Iterator[str]:
    """Yield a line for each mutant: what became of it, what it violates, and which scenarios noticed."""
    width = max((len(item.id) for item in hunted.mutants), default=0)
    wide = max((len(', '.join(item.breaks)) for item in hunted.mutants), default=0)
    for item in hunted.mutants:
        cells = f'{_state(item):<10} {item.id:<{width}}  {", ".join(item.breaks):<{wide}}  {_why(item, hunted.whole)}'
        yield visible(cells.rstrip())


def _state(item: Hunted) -> str:
    if item.equivalent:
        return 'KILLED' if item.killed else 'equivalent'
    return 'killed' if item.killed else 'SURVIVED'


def _why(item: Hunted, whole: bool) -> str:
    if not item.killed:
        return item.equivalent or item.bug
    names = ', '.join(f'{kill.scenario} ({kill.by})' for kill in item.kills[:_SHOWN])
    more = len(item.kills) - _SHOWN
    count = f'by {plural(len(item.kills), "scenario")}: ' if whole else 'by '
    return f'{count}{names}{f" and {more} more" if more > 0 else ""}'


def verdict(hunted: Hunt) -> str:
    """Return the last line: how many were killed, and what is not as it should be."""
    real = [item for item in hunted.mutants if not item.equivalent]
    killed = sum(item.killed for item in real)
    drift = sum(item.killed and all(kill.by == 'drift' for kill in item.kills) for item in real)
    parts = [f'{killed} of {plural(len(real), "mutant")} killed by {plural(hunted.scenarios, "scenario")}']
    if drift:
        parts.append(f'{drift} of them by the drift of a recording alone')
    equivalent = len(hunted.mutants) - len(real)
    if equivalent:
        parts.append(f'{equivalent} equivalent')
    if hunted.survivors:
        parts.append(f'{plural(len(hunted.survivors), "survivor")}: ' + ', '.join(item.id for item in hunted.survivors))
    if hunted.not_equivalent:
        parts.append('not equivalent after all: ' + ', '.join(item.id for item in hunted.not_equivalent))
    return '; '.join(parts)


def by_scenario(hunted: Hunt, files: Iterable[ScenarioFile]) -> Iterator[str]:
    """Yield which scenarios alone kill some mutants, and which kill none; for a whole hunt."""
    alone = only_killers(hunted)
    yield f'{plural(len(alone), "scenario")} that alone kill a mutant:'
    yield from (f'  {scenario}: {", ".join(mutants)}' for scenario, mutants in alone.items())
    none = list(idle(hunted, files))
    yield f'{plural(len(none), "scenario")} that kill no mutant:'
    yield from (f'  {scenario}' for scenario in none)


def markdown(hunted: Hunt) -> str:
    """Return a page in Markdown: for every mutant what is wrong, what it violates, how many scenarios kill it."""
    lines = [
        '# All mutants',
        '',
        f'{verdict(hunted)}.',
        '',
        '| mutant | what is wrong | violates | killed by |',
        '|---|---|---|---|',
    ]
    for item in hunted.mutants:
        if not item.equivalent:
            cells = (f'`{item.id}`', _cell(item.bug), ', '.join(item.breaks), _killers(item))
            lines.append(f'| {" | ".join(cells)} |')
    equivalent = [item for item in hunted.mutants if item.equivalent]
    if equivalent:
        lines += ['', '## Equivalent ones', '', '| mutant | what is wrong | why nobody can see it |', '|---|---|---|']
        lines += [f'| `{item.id}` | {_cell(item.bug)} | {_cell(item.equivalent)} |' for item in equivalent]
    return '\n'.join(lines) + '\n'


def _killers(item: Hunted) -> str:
    if not item.killed:
        return '**nothing**'
    levels = Counter(kill.by for kill in item.kills)
    counts = ', '.join(f'{levels[level]} {level}' for level in ('required', 'hardening', 'drift') if levels[level])
    named = sorted(item.kills, key=lambda kill: ('required', 'hardening', 'drift').index(kill.by))[:_SHOWN]
    return f'{counts}: ' + ', '.join(f'`{kill.scenario}`' for kill in named)


def _cell(text: str) -> str:
    return text.replace('|', '\\|')
