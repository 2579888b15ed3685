"""Whether recordings still fit their scenarios: each is replayed, and every one of its turns must be asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.cassette import CassetteError, Drift, cassettes_of, replaying
from harness.cassette.file import place_in
from harness.engine.script import ToolsError
from harness.engine.threads import TimeLimit
from harness.llm import ChatClient
from harness.options import options_of
from harness.play import ended_in_time, rehearse
from harness.run import run_scenario
from harness.scenario.loading import load_all, scenario_paths
from harness.scenario.yamlnode import FileProblem

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from harness.engine.node import Node
    from harness.scenario.loading import ScenarioFile


def unfit(root: Path, cassettes: Path, node: Node, limit: TimeLimit | None = None) -> list[FileProblem]:
    """Replay every recording of the scenarios below a folder and return what does not fit, in file order.

    These are requests that are not the recorded ones, turns that nobody asked for, and files that are no cassettes.
    Scenarios that cannot be loaded, or that have a scripted model side, are left out. What the node made of the answers
    is not judged; one that takes longer than `limit` (30 seconds where it is not given) is stopped.

    Raises:
        UsageError: there is no such folder of scenarios.
    """
    limit = limit or TimeLimit()
    rehearse(node, limit)
    files, _ = load_all(path for path in scenario_paths(root) if (cassettes / path.stem).is_dir())
    problems = [
        problem for file in files if file.scenario.model is None for problem in _unfit(file, cassettes, node, limit)
    ]
    return sorted(problems, key=lambda problem: (problem.path, problem.line, problem.column))


def _unfit(file: ScenarioFile, cassettes: Path, node: Node, limit: TimeLimit) -> Iterator[FileProblem]:
    try:
        places = cassettes_of(cassettes, file.scenario.id)
    except CassetteError as error:
        yield _problem(error.path, str(error.message), error.hint)
        return
    for place in places:
        path, model = place.path, place.model
        try:
            with replaying(path, lambda: options_of(file, node, cassettes)) as tape:
                limit_s = limit.of(file.scenario.time_limit_s)
                client = ChatClient(tape.spec, tape.http)
                records = run_scenario(file, node, client=client, model=model, limit_s=limit_s)
                stopped = next((record.stopped for record in records if record.stopped is not None), None)
                if stopped is None:
                    tape.finish()
                else:
                    yield _problem(path, f'the replay did not end: {stopped.message}', _see(file))
                    if not ended_in_time(records):
                        limit.ran_out()
        except Drift as drift:
            yield _drifted(file, path, drift)
        except CassetteError as error:
            yield _problem(error.path, error.message, error.hint, error.line, error.column)
        except ToolsError as error:
            yield file.problem(('tools',), f'the recordings cannot be replayed: {error}')
            return


def _drifted(file: ScenarioFile, path: Path, drift: Drift) -> FileProblem:
    if drift.turn > drift.turns:
        message = f'the request of turn {drift.turn} is not recorded: the cassette has only {drift.turns}'
        line, column = place_in(path, ('interactions', drift.turns - 1))
    else:
        more = f' and {len(drift.differences) - 1} more' if len(drift.differences) > 1 else ''
        where = f'{drift.path or "it"}{more}'
        message = f'the request of turn {drift.turn} of {drift.turns} is not the recorded one: {where} differs'
        line, column = place_in(path, ('interactions', drift.turn - 1))
    return _problem(path, message, _see(file), line, column)


def _see(file: ScenarioFile) -> str:
    return f'see more: react-harness run {file.scenario.id}'


def _problem(path: Path | str, message: str, hint: str, line: int = 1, column: int = 1) -> FileProblem:
    return FileProblem(path=str(path), line=line or 1, column=column or 1, key='', message=message, hint=hint)
