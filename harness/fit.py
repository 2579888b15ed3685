"""Whether recordings still fit their scenarios: each is replayed, and every one of its turns must be asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.cassette import CassetteError, Drift, cassettes_of, replaying
from harness.cassette.file import place_in
from harness.engine.script import ToolsError
from harness.llm import ChatClient
from harness.options import options_of
from harness.run import run_scenario
from harness.scenario.loading import load_all, scenario_paths
from harness.scenario.yamlnode import FileProblem

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from harness.engine.node import Node
    from harness.scenario.loading import ScenarioFile


def unfit(root: Path, cassettes: Path, node: Node) -> list[FileProblem]:
    """Replay every recording of the scenarios below a folder and return what does not fit, in file order.

    These are requests that are not the recorded ones, turns that nobody asked for, and files that are no cassettes.
    Scenarios that cannot be loaded, or that have a scripted model side, are left out. What the node made of the answers
    is not judged.

    Raises:
        UsageError: there is no such folder of scenarios.
    """
    files, _ = load_all(path for path in scenario_paths(root) if (cassettes / path.stem).is_dir())
    problems = [problem for file in files if file.scenario.model is None for problem in _unfit(file, cassettes, node)]
    return sorted(problems, key=lambda problem: (problem.path, problem.line, problem.column))


def _unfit(file: ScenarioFile, cassettes: Path, node: Node) -> Iterator[FileProblem]:
    try:
        paths = cassettes_of(cassettes, file.scenario.id)
    except CassetteError as error:
        yield _problem(error.path, str(error.message), error.hint)
        return
    for model, path in paths.items():
        try:
            with replaying(path, lambda: options_of(file, node, cassettes)) as tape:
                run_scenario(file, node, client=ChatClient(tape.spec, tape.http), model=model)
                tape.finish()
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
    return _problem(path, message, f'see what changed: react-harness run {file.scenario.id}', line, column)


def _problem(path: Path | str, message: str, hint: str, line: int = 1, column: int = 1) -> FileProblem:
    return FileProblem(path=str(path), line=line or 1, column=column or 1, key='', message=message, hint=hint)
