"""A suite in motion: where its files are, its scenarios replayed one after the other, each run judged."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from harness.gate.verdict import Gate
from harness.record import Frozen
from harness.scenario.loading import UsageError
from harness.scenario.yamlnode import key_path
from harness.show.summary import Judged, Outcome, Unmet, stop_reason_of
from harness.task import solved

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from harness.engine.node import Node
    from harness.engine.threads import TimeLimit
    from harness.gate.change import Level
    from harness.results import StoredResult
    from harness.run import Result
    from harness.scenario.loading import ScenarioFile

CHECKOUT = Path(__file__).resolve().parent.parent
"""The folder that holds this package: a checkout has scenarios and cassettes there."""

EVERYTHING = Gate()
"""The gate that all scenarios pass through, without a baseline."""


def scenarios_folder(given: Path | None = None) -> Path:
    """Return the folder of the scenarios: the given one, else that of the current directory, else of this checkout.

    Raises:
        UsageError: there is none.
    """
    folder = given or _embedded('scenarios')
    if not folder.is_dir():
        raise UsageError(f'there is no folder {str(folder)!r} here: name one with --scenarios')
    return folder


def cassettes_folder(given: Path | None, scenarios: Path) -> Path:
    """Return the folder of the cassettes: the given one, else the one beside the scenarios, else of this checkout."""
    if given is not None:
        return given
    beside = scenarios.resolve().parent / 'cassettes'
    return shown_path(beside) if beside.is_dir() else _embedded('cassettes')


def _embedded(name: str) -> Path:
    here, checkout = Path(name), CHECKOUT / name
    return here if here.is_dir() or not checkout.is_dir() else checkout


def shown_path(path: Path) -> Path:
    """Return the path as people in the current directory would write it."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


class Listed(Frozen):
    """A scenario as `list` shows it.

    `models` are the recorded ones, `scripted` says that the file has the replies, `proposed` that nobody has accepted
    what it expects.
    """

    id: str
    family: str
    level: str
    title: str
    path: str
    scripted: bool
    models: tuple[str, ...]
    proposed: bool = False


def listed(files: Iterable[ScenarioFile], cassettes: Path) -> list[Listed]:
    """Return scenarios with the models that are recorded for them.

    Raises:
        CassetteError: a cassette has a name that no model can have.
    """
    from harness.cassette import cassettes_of

    return [
        Listed(
            id=file.scenario.id,
            family=file.scenario.family,
            level=file.scenario.level,
            title=file.scenario.title,
            path=str(shown_path(file.path.absolute())),
            scripted=file.scenario.model is not None,
            models=tuple(dict.fromkeys(place.model for place in cassettes_of(cassettes, file.scenario.id))),
            proposed=file.scenario.proposed,
        )
        for file in files
    ]


def judged_runs(
    files: Iterable[ScenarioFile],
    node: Node,
    cassettes: Path,
    gate: Gate = EVERYTHING,
    limit: TimeLimit | None = None,
) -> Iterator[tuple[ScenarioFile, list[Judged]]]:
    """Replay scenarios one after the other and yield each with its runs."""
    from harness.engine.threads import TimeLimit
    from harness.run import replay

    limit = limit or TimeLimit()
    for file in files:
        yield file, judge(file, replay(file, node, cassettes, limit=limit), gate)


def stored(runs: Iterable[Judged], files: Iterable[ScenarioFile], cassettes: Path) -> Iterator[StoredResult]:
    """Yield judged runs as the results store holds them, with the digests of what they depend on."""
    from harness.cassette import kept_path
    from harness.digest import asked_digest, expected_digest, file_digest
    from harness.results import StoredResult

    by_id = {file.scenario.id: file for file in files}
    for run in runs:
        record, scenario = run.record, run.scenario
        epoch = (record.epoch - 1) // scenario.runs + 1
        cassette = kept_path(cassettes, scenario.id, record.model, epoch) if record.model is not None else None
        yield StoredResult(
            record=record,
            family=scenario.family,
            task_family=(scenario.task.family or None) if scenario.task is not None else None,
            level=scenario.level,
            solved=run.outcome.solved,
            needs_tool=scenario.task.needs_tool if scenario.task is not None else None,
            asked=asked_digest(by_id[scenario.id]),
            expected=expected_digest(by_id[scenario.id].scenario),
            cassette=file_digest(cassette) if cassette is not None else None,
            findings=run.findings,
            problem=run.problem,
        )


def judge(file: ScenarioFile, results: Iterable[Result], gate: Gate = EVERYTHING) -> list[Judged]:
    """Turn the results of one scenario into what is shown of them: the places of findings in the file, the task.

    Judging is done; from here on `***` stands for whatever looks like a key.
    """
    from harness.secrets import Guard

    guard = Guard.of_environment()
    scenario = guard.masked(file.scenario)
    if scenario is not file.scenario:
        scenario = scenario.model_copy(update={'id': file.scenario.id})
    shown = [guard.masked((result.record, _outcome(file, result), result.findings)) for result in results]
    return [Judged(scenario, record, gate.weighed(outcome), findings) for record, outcome, findings in shown]


def _outcome(file: ScenarioFile, result: Result) -> Outcome:
    scenario, record = file.scenario, result.record
    return outcome_of(
        result,
        file,
        family=scenario.family,
        level=scenario.level,
        solved=solved(scenario.task, record) if record.model and not result.problem else None,
    )


def outcome_of(
    result: Result | StoredResult, file: ScenarioFile | None, *, family: str, level: Level, solved: bool | None
) -> Outcome:
    """Return a judged run as it is shown and weighed, without what a gate makes of it.

    `file` is its scenario as it is now; a finding of a scenario that is not there stands in line 1 of no file.
    """
    record = result.record
    path = str(shown_path(file.path.absolute())) if file is not None else f'{record.scenario}.yaml'
    findings = []
    for finding in result.findings:
        line, column = file.where(finding.loc) if file is not None else (1, 1)
        findings.append(
            Unmet(
                path=path,
                line=line,
                column=column,
                key=key_path(finding.loc),
                message=finding.message,
                expected=finding.expected,
                actual=finding.actual,
                diff=finding.diff,
                level=finding.level,
            )
        )
    return Outcome(
        scenario=record.scenario,
        title=file.scenario.title if file is not None else record.scenario,
        family=family,
        level=level,
        path=path,
        model=record.model,
        run=record.epoch,
        met=not findings and not result.problem,
        findings=tuple(findings),
        problem=result.problem or '',
        proposed=file is not None and file.scenario.proposed,
        solved=solved,
        stop_reason=stop_reason_of(record),
        llm_calls=len(record.turns),
        seconds=record.duration_s,
    )
