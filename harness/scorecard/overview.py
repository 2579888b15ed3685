"""The figures of the page: what the overview and the pages of models show, as JSON."""

from __future__ import annotations

from collections import Counter, defaultdict
from statistics import median
from typing import TYPE_CHECKING, Any, Final

from pydantic import Field

from harness.grammar import Form
from harness.metrics.figures import Figures, score
from harness.metrics.statistics import Rate
from harness.record import Frozen
from harness.scorecard.badges import file_name
from harness.show.score import COLUMNS, compared
from harness.show.visible import visible
from harness.verdicts.turns import Outcome

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from harness.matrix.models import Prices
    from harness.metrics.figures import Comparison, Score
    from harness.scorecard.data import Collected, Run

FORMS: Final = tuple(Form)
OUTCOMES: Final = tuple(Outcome)
MOST_TURNS: Final = 10


class Model(Frozen):
    """One model in one parameter set, as the page names it; `slug` is its name in links."""

    name: str
    parameters: str
    slug: str
    key: str = Field(description='As comparisons name it.')


def models_of(score: Score) -> tuple[Model, ...]:
    """Return the models, the best one first."""
    found = [(item.model, item.parameters) for item in score.figures if not item.family]
    counts = Counter(name for name, _ in found)
    made: list[Model] = []
    taken: set[str] = set()
    for name, parameters in found:
        slug = wanted = visible(name if counts[name] == 1 else f'{name}@{file_name(parameters or "default")}')
        number = 1
        while slug in taken:
            number += 1
            slug = f'{wanted}-{number}'
        taken.add(slug)
        made.append(Model(name=name, parameters=parameters, slug=slug, key=f'{name} {parameters}'.strip()))
    return tuple(made)


def scored(collected: Collected, prices: Mapping[str, Prices] | None = None) -> Score:
    """Return the figures of all models, for each family as well; `prices` are those of the models by their names."""
    return score(collected.rows, by_family=True, prices=prices)


def figures_json(score: Score, models: Sequence[Model], collected: Collected) -> list[dict[str, Any]]:
    """Return the figures by model and family, each with the model's number; an empty family is all of them."""
    numbers = {(model.name, model.parameters): number for number, model in enumerate(models)}
    groups: defaultdict[tuple[int, str], list[Run]] = defaultdict(list)
    tasks: defaultdict[str, set[str]] = defaultdict(set)
    for run in collected.runs:
        if run.task or run.row is not None:
            tasks[''].add(run.id.scenario)
            tasks[run.family].add(run.id.scenario)
        if run.row is not None:
            number = numbers[run.row.model, run.row.parameters]
            groups[number, ''].append(run)
            groups[number, run.family].append(run)
    made = []
    for item in score.figures:
        number = numbers[item.model, item.parameters]
        runs = groups[number, item.family]
        ran = {run.id.scenario for run in runs}
        made.append(
            {
                'model': number,
                'family': visible(item.family),
                **_counts(item, runs),
                'missing': len(tasks[item.family] - ran),
                'tasks': len(tasks[item.family]),
                'rates': {key: rate_json(value) for key, value in item if _is_rate(key, value)},
                'numbers': _numbers(item, runs),
                'currency': visible(item.currency),
            }
        )
    return made


def families_json(collected: Collected) -> list[list[Any]]:
    """Return the families of tasks, each with how many tasks it has, run or not."""
    tasks: defaultdict[str, set[str]] = defaultdict(set)
    for run in collected.runs:
        if run.task or run.row is not None:
            tasks[run.family].add(run.id.scenario)
    return [[visible(name), len(found)] for name, found in sorted(tasks.items())]


def _counts(item: Figures, runs: Sequence[Run]) -> dict[str, Any]:
    forms = Counter(turn.form for run in runs for turn in run.turns)
    first = Counter(
        min(run.row.first_bad_turn, MOST_TURNS) if run.row.first_bad_turn is not None else 0
        for run in runs
        if run.row is not None and run.row.outcome is not Outcome.INFRASTRUCTURE
    )
    return {
        'planned': item.planned,
        'scored': item.scored,
        'headline': item.headline,
        'scenarios': item.scenarios,
        'turns': item.turns,
        'forms': [forms[form] for form in FORMS],
        'outcomes': [item.outcomes.get(outcome, 0) for outcome in OUTCOMES],
        'firstBad': [first[turn] for turn in range(MOST_TURNS + 1)],
        'passHat': {str(k): rate_json(value) for k, value in item.pass_hat.items()},
    }


def _is_rate(key: str, value: Any) -> bool:
    return isinstance(value, Rate) or (value is None and key in COLUMNS)


def rate_json(found: Rate | None) -> list[float | int | None] | None:
    """Return a rate as `[value, low, high, n, clusters]`; None where it was not measured."""
    if found is None:
        return None
    ends = (None if end is None else round(end, 5) for end in (found.value, found.low, found.high))
    return [*ends, found.n, found.clusters]


def _numbers(item: Figures, runs: Sequence[Run]) -> dict[str, float | None]:
    """Return the figures that are no rates; None is told as missing."""
    found = {key: value for key, value in item if isinstance(value, float) and not isinstance(value, bool)}
    rows = [run.row for run in runs if run.row is not None and run.row.outcome is not Outcome.INFRASTRUCTURE]
    tokens = [
        row.prompt_tokens + row.completion_tokens
        for row in rows
        if row.prompt_tokens is not None and row.completion_tokens is not None
    ]
    seconds = [row.latency_s for row in rows if row.latency_s is not None]
    made: dict[str, float | None] = {
        'tokens_per_run': median(tokens) if tokens else None,
        'seconds_per_run': median(seconds) if seconds else None,
        'turns_per_run': None,
        'cost_per_run': item.cost / item.metered if item.cost is not None and item.metered else None,
        **found,
    }
    return {key: value if value is None else float(f'{value:.6g}') for key, value in sorted(made.items())}


def descriptions() -> dict[str, list[str]]:
    """Return for each figure its heading and the sentence that defines it."""
    named = {**COLUMNS, 'direct': 'direct', 'turns_per_run': 'turns a run', 'tokens_per_solved': 'tokens per solved'}
    found = {
        key: [named.get(key, key.replace('_', ' ')), field.description or '']
        for key, field in Figures.model_fields.items()
    }
    return {
        'tokens_per_run': ['tokens a run', 'The median of the tokens read and written in a scored run.'],
        'cost_per_run': ['cost a run', 'The mean of what the metered runs cost.'],
        'seconds_per_run': ['seconds a run', 'The median of the seconds that the model took for a scored run.'],
        **found,
    }


def comparisons_json(comparisons: Sequence[Comparison], models: Sequence[Model]) -> list[dict[str, Any]]:
    """Return the comparisons of pairs by the numbers of the models, with what they say in words."""
    numbers = {model.key: number for number, model in enumerate(models)}
    alone = len({model.name for model in models}) == len(models)
    names = {model.key: model.name for model in models} if alone else {}
    return [
        {
            'first': numbers[item.first],
            'second': numbers[item.second],
            'difference': round(item.solved.difference, 5),
            'low': None if item.solved.low is None else round(item.solved.low, 5),
            'high': None if item.solved.high is None else round(item.solved.high, 5),
            'scenarios': item.solved.scenarios,
            'better': item.solved.better,
            'worse': item.solved.worse,
            'p': float(f'{item.p:.2g}'),
            'apart': item.told_apart,
            'words': visible(compared(item, names)),
        }
        for item in comparisons
        if item.first in numbers and item.second in numbers
    ]
