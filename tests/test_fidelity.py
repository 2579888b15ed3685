"""The stand-in against the platform's own library: the same situations, the same results.

These tests need a checkout of the public repository rocketride-org/rocketride-server; the environment variable
`ROCKETRIDE_SERVER` names it. `docs/engine.md` says what is compared and what cannot be.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

CHECKOUT = 'ROCKETRIDE_SERVER'
TESTS = Path(__file__).parent

pytestmark = pytest.mark.skipif(not os.environ.get(CHECKOUT), reason=f'{CHECKOUT} names no checkout of the platform')


def python(*args: str, checkout: bool) -> subprocess.CompletedProcess[str]:
    """Run Python from the root of the project, with the library of the checkout or without."""
    env = {key: value for key, value in os.environ.items() if checkout or key != CHECKOUT}
    if checkout:
        env[CHECKOUT] = str(Path(env[CHECKOUT]).resolve())
    return subprocess.run(
        [sys.executable, *args], env=env, cwd=TESTS.parent, capture_output=True, text=True, check=False, timeout=300
    )


def probed(*, checkout: bool) -> dict[str, Any]:
    done = python(str(TESTS / 'fidelity_probe.py'), checkout=checkout)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.fixture(scope='module')
def ours() -> dict[str, Any]:
    return probed(checkout=False)


@pytest.fixture(scope='module')
def theirs() -> dict[str, Any]:
    return probed(checkout=True)


def test_the_two_sides_are_really_two_libraries(ours: dict[str, Any], theirs: dict[str, Any]) -> None:
    assert (ours['platform']['name'], theirs['platform']['name']) == ('stand-in', 'rocketlib')
    assert theirs['platform']['origin'].startswith(str(Path(os.environ[CHECKOUT]).resolve()))


@pytest.mark.parametrize('part', ['names', 'dispatch', 'values', 'configuration', 'runs'])
def test_the_stand_in_does_what_the_platform_does(part: str, ours: dict[str, Any], theirs: dict[str, Any]) -> None:
    assert len(ours[part]) > 4
    differing = {
        key: {'stand-in': ours[part].get(key, 'absent'), 'platform': theirs[part].get(key, 'absent')}
        for key in sorted(ours[part].keys() | theirs[part].keys())
        if ours[part].get(key, 'absent') != theirs[part].get(key, 'absent')
    }
    assert differing == {}


def judged(*, checkout: bool) -> dict[str, Any]:
    """Run the whole suite on our node; return each result by its scenario, model and run."""
    done = python('-m', 'harness.cli', 'run', '--json', checkout=checkout)
    assert done.returncode in (0, 1), done.stderr
    outcome = json.loads(done.stdout)
    assert outcome['platform'] == ('rocketlib' if checkout else 'stand-in')
    keys = ('met', 'problem', 'findings')
    return {
        f'{result["scenario"]} {result["model"]} {result["run"]}': {key: result.get(key) for key in keys}
        for result in outcome['results']
    }


def test_the_whole_suite_has_the_same_findings_on_both() -> None:
    standing_in, real = judged(checkout=False), judged(checkout=True)
    assert standing_in
    assert real == standing_in


AGENT = """
import json
from harness.engine.node import load_node
from harness.engine.pipeline import Pipeline
from harness.engine.question import question_of
from harness.scenario import Scenario

node = load_node({folder!r})
reply = json.dumps({{'type': 'final', 'content': 'It is 42.'}})
scenario = Scenario.model_validate(
    {{'id': 'a', 'title': 'a', 'family': 'a', 'expect': {{}}, 'model': {{'outputs': [reply], 'repeat_last': True}}}}
)
pipe = Pipeline(node, scenario).pipe()
outcome = pipe.ask(question_of(scenario.question))
assert outcome.raised is None, outcome
record = pipe.recorder.record(scenario='a', node='a')
print(json.dumps([node.logical_type, [write.text for write in record.lane_writes], pipe.descriptors()]))
"""


def test_an_agent_of_the_platform_itself_runs_in_our_engine() -> None:
    folder = Path(os.environ[CHECKOUT]).resolve() / 'nodes/src/nodes/agent_langchain'
    done = python('-c', AGENT.format(folder=str(folder)), checkout=True)
    assert done.returncode == 0, done.stderr
    logical_type, answers, descriptors = json.loads(done.stdout)
    assert logical_type == 'agent_langchain'
    # Its framework is no dependency of ours; without it the agent answers with its own import error.
    assert answers in (['It is 42.'], ["No module named 'langchain'"])
    assert [descriptor['name'] for descriptor in descriptors] == ['run_agent']
