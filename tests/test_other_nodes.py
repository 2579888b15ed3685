"""A simple node by somebody else is judged by the contract, and fairly."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from example_suite import NODES

from harness.suite import CHECKOUT

OWN_MISTAKES = {
    'an-agent-and-a-tool',
    'lanes-and-channels',
    'tool-input-with-empty-context',
    'cut-off-thought',
    'stray-action-without-tools',
}


@pytest.fixture(scope='module')
def outcome() -> dict[str, Any]:
    command = [sys.executable, '-m', 'harness.cli', 'run', '--node', str(NODES / 'homemade'), '--level', 'required']
    done = subprocess.run([*command, '--json'], cwd=CHECKOUT, capture_output=True, check=False)
    assert done.returncode == 1, done.stderr.decode()
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_a_node_that_does_what_the_contract_says_meets_what_is_required(outcome: dict[str, Any]) -> None:
    required = outcome['counts']['required']

    assert required['runs'] - required['met'] == len(OWN_MISTAKES)
    assert required['runs'] > 80


def test_its_own_mistakes_are_found_and_nothing_else(outcome: dict[str, Any]) -> None:
    failed = {
        result['scenario']
        for result in outcome['results']
        if any(finding['level'] == 'required' for finding in result['findings'])
    }

    assert failed == OWN_MISTAKES
    assert outcome['verdict'] == 'fail'


def test_the_recordings_of_our_node_say_nothing_about_it(outcome: dict[str, Any]) -> None:
    recorded = [result for result in outcome['results'] if result['model'] is not None]

    assert recorded
    assert all(result['problem'] and not result['findings'] for result in recorded)
