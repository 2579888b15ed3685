"""The figures of models as a table: for a terminal, as Markdown, as CSV."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Final

from harness.show.visible import plural, visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.metrics.figures import Comparison, Figures, Score
    from harness.metrics.statistics import Rate

COLUMNS: Final = {
    'solved': 'solved',
    'strict': 'strict',
    'readable': 'readable',
    'malformed': 'malformed',
    'unknown_tool': 'unknown tool',
    'invalid_arguments': 'bad arguments',
    'repeated_call': 'repeated',
    'wrote_observation': 'wrote observation',
    'narrated': 'narrated',
    'parser_would_corrupt': 'parser corrupts',
    'tool_skip': 'tool skipped',
    'needless_tool': 'needless tool',
    'recovery': 'recovered',
    'exhausted': 'exhausted',
}
"""The rates that are shown, with their headings."""

NOT_MEASURED: Final = 'not measured'


def text(score: Score) -> Iterator[str]:
    """Yield the lines for a terminal: a block for each model, then the comparisons."""
    for item in score.figures:
        yield visible(f'{_title(item)}: {_counts(item)}')
        for key, heading in COLUMNS.items():
            found: Rate | None = getattr(item, key)
            if found is None:
                yield f'  {heading:<18} {NOT_MEASURED}'
            elif found.value is not None:
                yield f'  {heading:<18} {_share(found):<24} {_bar(found)}'
        yield f'  {"pass^k":<18} ' + (
            ', '.join(f'{k}: {_percent(share)}' for k, share in item.pass_hat.items()) or 'no task'
        )
        yield f'  {"outcomes":<18} ' + ', '.join(f'{outcome.value} {count}' for outcome, count in item.outcomes.items())
        yield f'  {"turns a run":<18} {_number(item.turns_per_run)}; first bad turn {_number(item.first_bad_turn)}'
        yield f'  {"for each solved":<18} {_number(item.tokens_per_solved)} tokens'
        yield ''
    for comparison in score.comparisons:
        yield visible(compared(comparison))
    for reason in _reasons(score):
        yield visible(reason)


def compared(item: Comparison) -> str:
    """Say in words how two models compare, the better one first."""
    found, first, second = item.solved, item.first, item.second
    sign = 1
    if found.difference < 0:
        first, second, sign = second, first, -1
    between = 'too few scenarios for an interval'
    if found.low is not None and found.high is not None:
        low, high = sorted((sign * found.low, sign * found.high))
        between = f'95 % interval {_points(low)} to {_points(high)}'
    better, worse = (found.better, found.worse) if sign > 0 else (found.worse, found.better)
    facts = (
        f'{_points(sign * found.difference)} points of tasks solved ({between}; {plural(found.scenarios, "scenario")}, '
        f'{better} better, {worse} worse, p = {item.p:.2g})'
    )
    if item.told_apart:
        return f'{first} solves more than {second}: {facts}'
    return f'{first} and {second} cannot be told apart: {facts}'


def markdown(score: Score) -> str:
    """Return the table in Markdown: a row for each model, rates with their intervals and n."""
    headings = ['model', 'runs', 'turns', *COLUMNS.values()]
    lines = [f'| {" | ".join(headings)} |', f'|{"|".join(["---"] + ["---:"] * (len(headings) - 1))}|']
    for item in score.figures:
        cells = [_cell(_title(item)), f'{item.scored}/{item.planned}', str(item.turns)]
        cells += [_share(getattr(item, key)) for key in COLUMNS]
        lines.append(f'| {" | ".join(cells)} |')
    notes = [*map(compared, score.comparisons), *_reasons(score)]
    if notes:
        lines += ['', *(f'- {_cell(note)}' for note in notes)]
    return '\n'.join(lines) + '\n'


def table(score: Score) -> str:
    """Return the figures as CSV: for each rate its value, both ends of the interval, and n."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator='\n')
    rates = [f'{key}{end}' for key in COLUMNS for end in ('', '_low', '_high', '_n')]
    writer.writerow(['model', 'parameters', 'family', 'planned', 'scored', 'scenarios', 'turns', *rates])
    for item in score.figures:
        row: list[object] = [
            item.model, item.parameters, item.family, item.planned, item.scored, item.scenarios, item.turns
        ]  # fmt: skip
        for key in COLUMNS:
            found: Rate | None = getattr(item, key)
            row += [found.value, found.low, found.high, found.n] if found is not None else [NOT_MEASURED, '', '', '']
        writer.writerow(row)
    return out.getvalue()


def _reasons(score: Score) -> Iterator[str]:
    for key, reason in score.not_measured.items():
        yield f'{COLUMNS[key]}: {NOT_MEASURED} ({reason})'


def _title(item: Figures) -> str:
    parts = [item.model, f'({item.parameters})' if item.parameters else '', f'in {item.family}' if item.family else '']
    return ' '.join(filter(None, parts))


def _counts(item: Figures) -> str:
    scored = f'{item.scored} of {plural(item.planned, "run")} scored'
    warning = '' if item.headline else '; too many are missing for a headline'
    return f'{scored}, {plural(item.scenarios, "scenario")}, {plural(item.turns, "turn")}{warning}'


def _share(found: Rate | None) -> str:
    if found is None:
        return NOT_MEASURED
    if found.value is None or found.low is None or found.high is None:
        return 'nothing to count'
    return f'{_percent(found.value)} [{100 * found.low:.0f}, {100 * found.high:.0f}] n={found.n}'


def _percent(share: float) -> str:
    return f'{100 * share:.0f} %'


def _points(share: float) -> str:
    return f'{100 * share:+.0f}'


def _number(value: float | None) -> str:
    return '-' if value is None else f'{value:,.1f}'


_WIDTH: Final = 30


def _bar(found: Rate) -> str:
    """Draw an interval with its rate, from 0 to 100 %."""
    marks = [' '] * (_WIDTH + 1)
    assert found.low is not None and found.high is not None and found.value is not None  # noqa: S101, PT018
    for place in range(round(found.low * _WIDTH), round(found.high * _WIDTH) + 1):
        marks[place] = '-'
    marks[round(found.value * _WIDTH)] = '|'
    return f'[{"".join(marks)}]'


def _cell(text: str) -> str:
    return text.replace('|', '\\|')
