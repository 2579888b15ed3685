"""The figures of models as a table: for a terminal, as Markdown, as CSV."""

from __future__ import annotations

import csv
import io
from itertools import groupby
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from harness.metrics.statistics import Rate
from harness.show.visible import percent, plural, visible
from harness.verdicts.turns import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from harness.metrics.figures import Comparison, Figures, Score
    from harness.metrics.planning import Needed

COLUMNS: Final = {
    'solved': 'solved',
    'strict': 'strict',
    'readable': 'readable',
    'strict_runs': 'strict runs',
    'readable_runs': 'readable runs',
    'malformed': 'malformed',
    'direct': 'plain text',
    'empty': 'empty',
    'unknown_tool': 'unknown tool',
    'invalid_arguments': 'bad arguments',
    'repeated_call': 'repeated',
    'wrote_observation': 'wrote observation',
    'several_steps': 'several steps',
    'narrated': 'narrated',
    'parser_would_corrupt': 'parser corrupts',
    'foreign_call': 'foreign call',
    'reasoning_block': 'reasoning block',
    'truncated': 'truncated',
    'tool_skip': 'tool skipped',
    'needless_tool': 'needless tool',
    'recovery': 'recovered',
    'exhausted': 'exhausted',
}
"""The rates, with their headings."""

NOT_MEASURED: Final = 'not measured'
_AT_A_GLANCE: Final = ('solved', 'strict', 'readable', 'tool_skip')
"""The rates that stand in one line for a model, or a family."""

MISSING: Final = 'more than 2 % of the runs are missing, so that its rates are no headline'


# ------------------------------------------------------------------------------------------------- the figures as words


def _runs(item: Figures) -> str:
    return f'{item.scored:,} of {item.planned:,} scored{"" if item.headline else " (!)"}'


def _pass_hat(item: Figures) -> str:
    return ', '.join(f'{k}: {_share(found)}' for k, found in item.pass_hat.items()) or 'no task'


def _outcomes(item: Figures) -> str:
    return ', '.join(f'{outcome.value} {count}' for outcome, count in item.outcomes.items())


def _tokens(item: Figures) -> str:
    if not item.metered:
        return 'not told'
    return f'{_each(item.tokens_per_solved, ",.0f")}{_over(item.metered, item.scored)}'


def _cost(item: Figures) -> str:
    if item.cost is None:
        return 'not told: the price is not known' if not item.currency else 'not told: tokens are not known'
    return f'{item.cost:,.4g} {item.currency}, {_each(item.cost_per_solved, ",.4g")}{_over(item.metered, item.scored)}'


def _seconds(item: Figures) -> str:
    if not item.timed:
        return 'not told: the recordings do not say'
    turn = f', {item.turn_seconds:,.2f} a turn' if item.turn_seconds is not None else ''
    return f'{_each(item.seconds_per_solved, ",.1f")}{turn}{_over(item.timed, item.scored)}'


def _each(value: float | None, form: str) -> str:
    return 'none solved' if value is None else f'{value:{form}} for each solved'


def _over(known: int, of: int) -> str:
    return '' if known == of else f' (over {known:,} of {plural(of, "run")})'


OTHERS: Final[dict[str, tuple[tuple[str, ...], Callable[[Figures], str]]]] = {
    'runs': (('planned', 'scored', 'headline'), _runs),
    'scenarios': (('scenarios',), lambda item: f'{item.scenarios:,}'),
    'turns': (('turns',), lambda item: f'{item.turns:,}'),
    'pass^k': (('pass_hat',), _pass_hat),
    'correlation': (('correlation',), lambda item: _number(item.correlation, '.2f')),
    'outcomes': (('outcomes',), _outcomes),
    'turns a run': (('turns_per_run',), lambda item: _number(item.turns_per_run, ',.1f')),
    'first bad turn': (('first_bad_turn',), lambda item: _number(item.first_bad_turn, ',.1f')),
    'tokens': (('tokens_per_solved', 'metered'), _tokens),
    'cost': (('cost', 'cost_per_solved', 'currency'), _cost),
    'seconds': (('seconds_per_solved', 'turn_seconds', 'timed'), _seconds),
}
"""The other figures: their headings, the fields that each line is made of, and how."""

_FIRST: Final = ('runs', 'scenarios', 'turns')


# ---------------------------------------------------------------------------------------------------------- a terminal


def text(score: Score) -> Iterator[str]:
    """Yield the lines for a terminal: all models and families in one line each, all figures of a model, comparisons."""
    models = _of_all(score)
    yield from map(visible, _glance(models))
    yield ''
    for family, found in _families(score):
        yield visible(family)
        yield from (visible(f'  {line}') for line in _glance(found)[1:])
    if len(models) < len(score.figures):
        yield ''
    for item in models:
        yield visible(_title(item))
        for heading in _FIRST:
            yield f'  {heading:<18} {OTHERS[heading][1](item)}'
        for key, heading in COLUMNS.items():
            share: Rate | None = getattr(item, key)
            bar = _bar(share) if share is not None and share.value is not None else ''
            yield f'  {heading:<18} {_share(share):<24} {bar}'.rstrip()
        for heading in OTHERS:
            if heading not in _FIRST:
                yield f'  {heading:<18} {OTHERS[heading][1](item)}'
        yield ''
    yield from map(visible, _notes(score))


def _glance(items: Sequence[Figures]) -> list[str]:
    """Return a line for each model, below a line of headings."""
    alone = _are_alone(items)
    cells = [['model', 'runs', *(COLUMNS[key] for key in _AT_A_GLANCE)]]
    for item in items:
        name = item.model if alone else f'{item.model} ({item.parameters})'
        cells.append([name, _few(item), *(_interval(getattr(item, key)) for key in _AT_A_GLANCE)])
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return ['  '.join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells]


def _are_alone(items: Sequence[Figures]) -> bool:
    """Tell whether each model has one set of parameters, so that its name is enough."""
    return len({item.model for item in items}) == len(items)


def _of_all(score: Score) -> list[Figures]:
    return [item for item in score.figures if not item.family]


def _families(score: Score) -> Iterator[tuple[str, list[Figures]]]:
    found = [item for item in score.figures if item.family]
    for family, items in groupby(found, key=lambda item: item.family):
        yield family, list(items)


def _notes(score: Score) -> Iterator[str]:
    """Yield what has to be said about the figures, in sentences."""
    models = _of_all(score)
    for item in models:
        if not item.headline:
            yield f'(!) {_title(item)}: {MISSING}: {item.scored:,} of {item.planned:,} are scored'
    names = {item.name: item.model for item in models} if _are_alone(models) else {}
    yield from (compared(item, names) for item in score.comparisons)
    yield from (needed(item, names) for item in score.needed)
    for key, reason in score.not_measured.items():
        yield f'{COLUMNS[key]}: {NOT_MEASURED} ({reason})'


def compared(item: Comparison, names: Mapping[str, str] = MappingProxyType({})) -> str:
    """Say in words how two models compare, the better one first; `names` are short ones."""
    found, first, second = item.solved, names.get(item.first, item.first), names.get(item.second, item.second)
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


def needed(item: Needed, names: Mapping[str, str] = MappingProxyType({})) -> str:
    """Say in words how many scenarios a difference takes; `names` are short ones."""
    wanted = f'{_points(item.difference).lstrip("+")} points (power {percent(item.power)})'
    runs = 'one run' if item.epochs == 1 else f'{item.epochs:.3g} runs'
    takes = f'{plural(item.scenarios, "scenario")} with {runs} each'
    first = names.get(item.first, item.first)
    if item.second is not None:
        second = names.get(item.second, item.second)
        return f'To tell {first} and {second} apart at a difference of {wanted} takes {takes}'
    return f'To tell {first} from a model of which nothing is known at a difference of {wanted} takes {takes}'


# ---------------------------------------------------------------------------------------------------- Markdown and CSV


def markdown(score: Score) -> str:
    """Return the figures in Markdown: a row for each figure, a column for each model; then families and notes."""
    models = _of_all(score)
    lines = _table(['', *map(_title, models)], _figure_rows(models), 'l')
    if len(models) < len(score.figures):
        headings = ['family', 'model', 'runs', *(COLUMNS[key] for key in _AT_A_GLANCE)]
        rows = (
            [
                family,
                _name(item),
                f'{item.scored}/{item.planned}',
                *(_share(getattr(item, key)) for key in _AT_A_GLANCE),
            ]
            for family, items in _families(score)
            for item in items
        )
        lines += ['', *_table(headings, rows, 'll')]
    notes = [f'- {_cell(note)}' for note in _notes(score)]
    return '\n'.join([*lines, *([''] if notes else []), *notes]) + '\n'


def _figure_rows(models: Sequence[Figures]) -> Iterator[list[str]]:
    for heading in _FIRST:
        yield [heading, *(OTHERS[heading][1](item) for item in models)]
    for key, heading in COLUMNS.items():
        yield [heading, *(_share(getattr(item, key)) for item in models)]
    for heading in OTHERS:
        if heading not in _FIRST:
            yield [heading, *(OTHERS[heading][1](item) for item in models)]


def _table(headings: Sequence[str], rows: Iterable[Sequence[str]], left: str) -> list[str]:
    """Return the lines of a table of which the first columns, one for each letter of `left`, stand on the left."""
    ruler = ['---' if number < len(left) else '---:' for number in range(len(headings))]
    lines = [headings, *rows]
    made = [f'| {" | ".join(map(_cell, line))} |' for line in lines]
    return [made[0], f'|{"|".join(ruler)}|', *made[1:]]


def table(score: Score) -> str:
    """Return all figures as CSV: of a rate its value, both ends of its interval, and n."""
    out = io.StringIO()
    rows = [dict(_fields(item, score)) for item in score.figures]
    writer = csv.DictWriter(out, rows[0] if rows else [], lineterminator='\n')
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def _fields(item: Figures, score: Score) -> Iterator[tuple[str, Any]]:
    most = max((k for other in score.figures for k in other.pass_hat), default=0)
    for key, value in item:
        if key == 'pass_hat':
            for k in range(1, most + 1):
                yield from _columns(f'pass_hat_{k}', item.pass_hat.get(k, _NOTHING))
        elif key == 'outcomes':
            for outcome in Outcome:
                yield f'outcomes_{outcome.value}', item.outcomes.get(outcome, 0)
        elif key in COLUMNS:
            yield from _columns(key, value)
        else:
            yield key, value


_NOTHING: Final = Rate(value=None, low=None, high=None, n=0, clusters=0)


def _columns(key: str, found: Rate | None) -> Iterator[tuple[str, Any]]:
    yield key, NOT_MEASURED if found is None else found.value
    for end in ('low', 'high', 'n'):
        yield f'{key}_{end}', None if found is None else getattr(found, end)


# --------------------------------------------------------------------------------------------------------------- pieces


def _name(item: Figures) -> str:
    return f'{item.model} ({item.parameters})' if item.parameters else item.model


def _title(item: Figures) -> str:
    return f'{_name(item)} in {item.family}' if item.family else _name(item)


def _few(item: Figures) -> str:
    return f'{item.scored}/{item.planned}{"" if item.headline else " (!)"}'


def _interval(found: Rate) -> str:
    if found.value is None or found.low is None or found.high is None:
        return 'nothing to count'
    return f'{percent(found.value)} [{100 * found.low:.0f}, {100 * found.high:.0f}]'


def _share(found: Rate | None) -> str:
    if found is None:
        return NOT_MEASURED
    return _interval(found) if found.value is None else f'{_interval(found)} n={found.n}'


def _points(share: float) -> str:
    return f'{100 * share:+.0f}'


def _number(value: float | None, form: str) -> str:
    return '-' if value is None else f'{value:{form}}'


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
    return visible(text).replace('|', '\\|').replace('\n', ' ')
