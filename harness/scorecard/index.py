"""The index of the page: every run as a few numbers, its scenario, and the requirements that scenarios prove."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from harness.coverage import coverage
from harness.digest import asked_digest, expected_digest
from harness.files import Unreadable, read_bounded
from harness.grammar import Form
from harness.scorecard.findings import path_of
from harness.scorecard.overview import OUTCOMES
from harness.scorecard.signatures import Clusters
from harness.secrets import Guard
from harness.show.visible import clip, visible
from harness.verdicts.turns import Flag, Outcome

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from harness.scenario.loading import ScenarioFile
    from harness.scenario.register import Requirement
    from harness.scorecard.data import Collected, Run
    from harness.scorecard.overview import Model
    from harness.scorecard.pack import Pool

LETTERS: Final[dict[Form, str]] = {
    Form.STRICT: 's',
    Form.LENIENT: 'l',
    Form.MALFORMED: 'm',
    Form.DIRECT: 'd',
    Form.EMPTY: 'e',
}
STATES: Final = ('met', 'failed', 'not_judged')
FLAGS: Final = tuple(Flag)
MARKS: Final = ('tool_skip', 'needless_tool', 'recovery', 'no_recovery')
_TITLE: Final = 300
_SOURCE: Final = 2_000_000
_SHOWN: Final = 30_000


def index_json(collected: Collected, models: Sequence[Model]) -> dict[str, Any]:
    """Return the runs as columns: of each its scenario, model (-1: scripted), epoch, outcome, verdicts and place."""
    scenarios = list(dict.fromkeys(run.id.scenario for run in collected.runs))
    numbers = {name: number for number, name in enumerate(scenarios)}
    by_model = {(model.name, model.parameters): number for number, model in enumerate(models)}
    families = list(dict.fromkeys(run.family for run in collected.runs))
    runs = collected.runs
    return {
        'scenario': [numbers[run.id.scenario] for run in runs],
        'model': [by_model[run.row.model, run.row.parameters] if run.row is not None else -1 for run in runs],
        'epoch': [run.id.epoch for run in runs],
        'family': [families.index(run.family) for run in runs],
        'outcome': [OUTCOMES.index(run.row.outcome) if run.row is not None else -1 for run in runs],
        'state': [STATES.index(run.state) for run in runs],
        'solved': [-1 if run.row is None or run.row.solved is None else int(run.row.solved) for run in runs],
        'forms': [''.join(LETTERS[turn.form] for turn in run.turns)[:40] for run in runs],
        'flags': [_mask(run) for run in runs],
        'marks': [_marks(run) for run in runs],
        'firstBad': [run.row.first_bad_turn or 0 if run.row is not None else 0 for run in runs],
        'chunk': [run.place[0] for run in runs],
        'at': [run.place[1] for run in runs],
        'families': [visible(family) for family in families],
        'scenarios': scenarios_json(scenarios, collected),
    }


def _marks(run: Run) -> int:
    """Return which rates of runs count a run, one bit for each of `MARKS`."""
    row = run.row
    if row is None or row.outcome is Outcome.INFRASTRUCTURE:
        return 0
    counted = (
        bool(row.needs_tool) and not row.called,
        row.needs_tool is False and row.called,
        row.failed and bool(row.recovered),
        row.failed and not row.recovered,
    )
    return sum(1 << number for number, counts in enumerate(counted) if counts)


def _mask(run: Run) -> int:
    return sum(1 << FLAGS.index(flag) for flag in {flag for turn in run.turns for flag in turn.flags})


def scenarios_json(names: Sequence[str], collected: Collected) -> list[dict[str, Any]]:
    """Return the scenarios of the runs: as the stores know them, and as their files are now, where there are any."""
    first: dict[str, Run] = {}
    for run in collected.runs:
        first.setdefault(run.id.scenario, run)
    guard = Guard.of_environment()
    return [_scenario(name, first[name], collected.files.get(name), collected.pool, guard) for name in names]


def _scenario(name: str, run: Run, file: ScenarioFile | None, pool: Pool, guard: Guard) -> dict[str, Any]:
    known: dict[str, Any] = {'id': visible(name), 'family': visible(run.group), 'level': run.level, 'task': run.task}
    if file is None:
        return known
    scenario = guard.masked(file.scenario)
    question = scenario.question.text if scenario.face == 'lane' else ''
    try:
        source = read_bounded(file.path, _SOURCE).decode('utf-8', 'replace')
    except Unreadable:
        source = ''
    return {
        **known,
        'file': path_of(file),
        'title': visible(clip(scenario.title, _TITLE)),
        'why': pool.put(scenario.why or ''),
        'question': pool.put(str(question)),
        'source': pool.put(guard.mask(source), _SHOWN),
        'requirements': list(scenario.requirements),
        'changed': run.asked != (asked_digest(file), expected_digest(file.scenario)),
    }


def conformance_json(
    register: Sequence[Requirement], files: Mapping[str, ScenarioFile], *, chosen: bool = False
) -> list[dict[str, Any]]:
    """Return the requirements with the scenarios that name them; how these were judged is in the index.

    Where the files were `chosen` from a suite, nothing is known of the others: only requirements that they name are
    there, and none is said to be proved by too few.
    """
    found = coverage(register, [file.scenario for file in files.values()])
    return [
        {
            'id': item.id,
            'level': item.level,
            'text': visible(item.text),
            'scenarios': [visible(name) for name in item.scenarios],
            'missing': '' if chosen else visible(item.missing),
        }
        for item in found.requirements
        if item.scenarios or not chosen
    ]


def signatures_json(collected: Collected, models: Sequence[Model]) -> tuple[list[dict[str, Any]], list[list[int]], int]:
    """Return the failure signatures, the runs of each, and how many more there are."""
    clusters = Clusters()
    by_model = {(model.name, model.parameters): number for number, model in enumerate(models)}
    for number, run in enumerate(collected.runs):
        for bad in run.bad:
            if run.row is not None:
                clusters.add(bad.kind, bad.text, by_model[run.row.model, run.row.parameters], number, bad.turn)
    found, runs, more = clusters.most()
    return [item.model_dump(mode='json') for item in found], runs, more
