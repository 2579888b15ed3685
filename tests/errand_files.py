"""Scenarios of the errands node: what the tests of the engine and of runs are written with."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from harness.engine.node import load_node
from harness.run import run_scenario
from harness.scenario.loading import ScenarioFile, load_scenario

if TYPE_CHECKING:
    from harness.record import RunRecord

NODES = Path(__file__).parent / 'nodes'
ERRANDS = load_node(NODES / 'errands')
ADD = {'name': 'add', 'input_schema': {'type': 'object', 'title': 'Add'}, 'returns': {'sum': 3}}


def written(folder: Path, *errands: dict[str, Any], config: dict[str, Any] | None = None, **more: Any) -> ScenarioFile:
    """Return a scenario file of the errands node; `more` are further keys of the scenario."""
    scenario = {
        'id': 'errands',
        'title': 'Errands',
        'family': 'loop',
        'config': {'errands': list(errands), **(config or {})},
        'model': {'outputs': ['one', 'two', None]},
        'expect': {},
        **more,
    }
    file = folder / 'errands.yaml'
    file.write_text(yaml.safe_dump({key: value for key, value in scenario.items() if value is not None}))
    return load_scenario(file)


def run(folder: Path, *errands: dict[str, Any], **more: Any) -> RunRecord:
    """Run such a scenario and return the record of its first run."""
    return run_scenario(written(folder, *errands, **more), ERRANDS)[0]


def tool(*functions: dict[str, Any], node: str = 'calc_1', **more: Any) -> dict[str, Any]:
    """Return a tool node."""
    return {'node': node, **({'functions': list(functions)} if functions else {}), **more}


def call(function: str = 'add', given: Any = None, on: str = 'calc_1', **more: Any) -> dict[str, Any]:
    """Return the errand of calling a tool."""
    return {'call': function, 'on': on, 'with': given if given is not None else {'a': 1}, **more}


def results(record: RunRecord) -> Any:
    """Return what each errand came to."""
    assert record.raised is None, record.raised
    return record.payload['results']
