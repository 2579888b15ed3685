"""What a matrix consists of: its cells, which of them are recorded, and what the others will take."""

from __future__ import annotations

import json
from collections import defaultdict
from statistics import median
from typing import TYPE_CHECKING, Final, NamedTuple

from harness.cassette import CassetteError, Place, cassette_path, kept_path, spec_of
from harness.cassette.file import content_of
from harness.record import Frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from harness.matrix.models import ModelEntry
    from harness.scenario import Scenario
    from harness.scenario.loading import ScenarioFile

_SENT: Final = ('model', 'temperature', 'max_tokens', 'seed')


class Cell(NamedTuple):
    """One run that is wanted: a scenario, a model and an epoch; `path` is where its cassette is, or will be."""

    file: ScenarioFile
    entry: ModelEntry
    epoch: int
    path: Path

    @property
    def key(self) -> tuple[str, str, int]:
        """Scenario, model and epoch."""
        return self.file.scenario.id, self.entry.name, self.epoch


class Plan(NamedTuple):
    """A matrix: all cells, those that are recorded, and those of them that were recorded with other parameters."""

    cells: tuple[Cell, ...]
    there: frozenset[tuple[str, str, int]]
    stale: tuple[str, ...]

    @property
    def open(self) -> tuple[Cell, ...]:
        """The cells that are not recorded, in the order in which they are to be."""
        return tuple(cell for cell in self.cells if cell.key not in self.there)


def cells_of(
    files: Iterable[ScenarioFile],
    entries: Iterable[ModelEntry],
    cassettes: Path,
    is_meant: Callable[[ModelEntry, Scenario], bool] = lambda entry, scenario: True,
) -> tuple[Cell, ...]:
    """Return the cells of a matrix: endpoint by endpoint, and there scenario by scenario.

    `is_meant` tells whether a scenario is to be recorded with a model. A server that remembers the beginnings of
    prompts reads that of a scenario once for all its runs. Raises: CassetteError: a name does not fit a path.
    """
    files, by_endpoint = list(files), defaultdict(list)
    for entry in entries:
        by_endpoint[entry.endpoint].append(entry)
    return tuple(
        Cell(file, entry, epoch, _path(cassettes, file.scenario.id, entry, epoch))
        for same in by_endpoint.values()
        for file in files
        for entry in same
        if is_meant(entry, file.scenario)
        for epoch in range(1, entry.epochs + 1)
    )


def _path(cassettes: Path, scenario_id: str, entry: ModelEntry, epoch: int) -> Path:
    if entry.epochs == 1:
        return cassette_path(cassettes, scenario_id, entry.name)
    return kept_path(cassettes, scenario_id, entry.name, epoch)


def plan_of(cells: Sequence[Cell], wanted: Callable[[Path], bool] = lambda path: False) -> Plan:
    """Return the plan for cells: what is there is left alone, but for recordings that are `wanted` anew."""
    there: list[tuple[str, str, int]] = []
    stale: list[str] = []
    for cell in cells:
        if cell.path.exists() and not wanted(cell.path):
            there.append(cell.key)
            stale += _other_parameters(cell)
    return Plan(tuple(cells), frozenset(there), tuple(stale))


def _other_parameters(cell: Cell) -> Iterator[str]:
    """Say what a recording was asked with that is not what the model is to be asked with now."""
    scenario, _, epoch = cell.key
    now = cell.entry.spec(scenario, epoch)
    try:
        was = spec_of(cell.path)
    except CassetteError as error:
        yield str(error)
        return
    for key in _SENT:
        if getattr(was, key) != getattr(now, key):
            yield f'{cell.path}: recorded with {key} {getattr(was, key)}, wanted is {getattr(now, key)}'


# ------------------------------------------------------------------------------------------------------------ estimate


class Cost(NamedTuple):
    """What one run takes."""

    turns: float
    prompt_tokens: float
    completion_tokens: float
    seconds: float | None


class Estimate(Frozen):
    """What the open cells of one model will take, as far as it can be known before."""

    model: str
    planned: int
    there: int
    runs: int
    turns: float
    prompt_tokens: float
    completion_tokens: float
    seconds: float | None
    cost: float | None
    currency: str
    basis: str


def estimates(plan: Plan) -> list[Estimate]:
    """Return what the open cells of each model will take, from what is recorded of the same scenarios.

    A run takes as much as the median of what is recorded: of the same scenario and model, else of the same scenario,
    else of all. Seconds are told from recordings of the same model only.
    """
    known = _known(plan)
    everything = [cost for costs in known.values() for cost in costs]
    found = []
    for name in dict.fromkeys(cell.entry.name for cell in plan.cells):
        cells = [cell for cell in plan.cells if cell.entry.name == name]
        entry, left = cells[0].entry, [cell for cell in plan.open if cell.entry.name == name]
        costs = [_typical(known, everything, cell) for cell in left]
        own = [cost.seconds for (_, model), many in known.items() if model == name for cost in many]
        times = [seconds for seconds in own if seconds is not None]
        prompt, completion = sum(c.prompt_tokens for c in costs), sum(c.completion_tokens for c in costs)
        priced = entry.prices is not None and bool(everything or not left)
        found.append(
            Estimate(
                model=name,
                planned=len(cells),
                there=len(cells) - len(left),
                runs=len(left),
                turns=sum(cost.turns for cost in costs),
                prompt_tokens=prompt,
                completion_tokens=completion,
                seconds=median(times) * len(left) if times else None,
                cost=entry.prices.of(round(prompt), round(completion)) if priced and entry.prices else None,
                currency=entry.prices.currency if entry.prices else '',
                basis=f'{len(everything)} recordings' if everything else 'nothing is recorded yet',
            )
        )
    return found


def _known(plan: Plan) -> dict[tuple[str, str], list[Cost]]:
    """Return what the recordings took that are there, by scenario and model."""
    known: defaultdict[tuple[str, str], list[Cost]] = defaultdict(list)
    folders = {cell.file.scenario.id: _root(cell) / cell.file.scenario.id for cell in plan.cells}
    from harness.cassette import cassettes_of

    for scenario, folder in folders.items():
        for place in cassettes_of(folder.parent, scenario):
            try:
                known[scenario, place.model].append(cost_of(place.path))
            except CassetteError:
                continue
    return known


def _root(cell: Cell) -> Path:
    return Place(cell.path, *cell.key).root


def _typical(known: dict[tuple[str, str], list[Cost]], everything: Sequence[Cost], cell: Cell) -> Cost:
    scenario, model, _ = cell.key
    of_scenario = [cost for (name, _), costs in known.items() if name == scenario for cost in costs]
    costs = known.get((scenario, model)) or of_scenario or everything
    if not costs:
        return Cost(0, 0, 0, None)
    return Cost(
        median(cost.turns for cost in costs),
        median(cost.prompt_tokens for cost in costs),
        median(cost.completion_tokens for cost in costs),
        None,
    )


def cost_of(path: Path) -> Cost:
    """Return what a recording took: turns, tokens as the server counted them, and seconds where it has them.

    Raises:
        CassetteError: the file is no cassette.
    """
    prompt = completion = 0
    seconds: float | None = 0.0
    interactions = content_of(path)['interactions']
    for one in interactions:
        try:
            usage = json.loads(one['response']['body']['string']).get('usage') or {}
        except (ValueError, AttributeError, RecursionError):
            usage = {}
        counts = [usage.get(key) if isinstance(usage, dict) else None for key in ('prompt_tokens', 'completion_tokens')]
        prompt, completion = (
            total + (count if type(count) is int else 0)
            for total, count in zip((prompt, completion), counts, strict=True)
        )
        took = one.get('latency_s')
        seconds = None if seconds is None or took is None else seconds + took
    return Cost(len(interactions), prompt, completion, seconds)
