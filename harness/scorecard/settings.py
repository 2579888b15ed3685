"""One model in several parameter sets: how its figures move, on the scenarios that all of these were run on."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from harness.grammar import Form
from harness.metrics.statistics import rate
from harness.scorecard.overview import rate_json
from harness.show.visible import visible
from harness.verdicts.turns import Outcome

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from harness.scorecard.data import Collected
    from harness.scorecard.overview import Model

_Results = dict[str, list[bool]]
"""For each scenario the results of turns, or of epochs."""


def settings_json(
    collected: Collected, models: Sequence[Model], served: Mapping[str, str] | None = None
) -> list[dict[str, Any]]:
    """Return the models that were run in more than one parameter set, each set with its rates.

    `served` are the names that servers know models by; another set of parameters is another name in our files. A set
    is told with the number of its model, and with its rates of strict turns and of solved tasks on the scenarios in
    which every set of the model has turns.
    """
    groups: defaultdict[str, list[int]] = defaultdict(list)
    for number, model in enumerate(models):
        groups[(served or {}).get(model.name, model.name)].append(number)
    strict, solved = _results(collected, models)
    made = []
    for name, numbers in groups.items():
        common = set.intersection(*(set(strict[number]) for number in numbers))
        if len(numbers) < 2 or not common:
            continue
        made.append(
            {
                'model': visible(name),
                'scenarios': len(common),
                'sets': [
                    {
                        'model': number,
                        'strict': rate_json(rate(_only(strict[number], common))),
                        'solved': rate_json(rate(_only(solved[number], common))),
                    }
                    for number in sorted(numbers, key=lambda number: models[number].parameters)
                ],
            }
        )
    return made


def _results(collected: Collected, models: Sequence[Model]) -> tuple[list[_Results], list[_Results]]:
    """Return of each model by its number which turns were strict and which runs solved their task."""
    numbers = {(model.name, model.parameters): number for number, model in enumerate(models)}
    strict: list[_Results] = [{} for _ in models]
    solved: list[_Results] = [{} for _ in models]
    for run in collected.runs:
        if run.row is None or run.row.outcome is Outcome.INFRASTRUCTURE:
            continue
        number = numbers[run.row.model, run.row.parameters]
        if run.turns:
            strict[number].setdefault(run.id.scenario, []).extend(turn.form is Form.STRICT for turn in run.turns)
        if run.row.solved is not None:
            solved[number].setdefault(run.id.scenario, []).append(run.row.solved)
    return strict, solved


def _only(results: _Results, scenarios: set[str]) -> _Results:
    return {name: results[name] for name in sorted(scenarios) if name in results}
