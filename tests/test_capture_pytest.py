"""A captured behaviour in pytest: an item that passes, and that fails for a node which reads the output otherwise."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from capture_suite import QUESTION, CaptureSuite, search

from harness.mutants.build import build
from harness.mutants.table import inputs, steps

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pytest

pytest_plugins = ['pytester']

OUR_NODE = Path(__file__).resolve().parent.parent / 'src' / 'agent_llamaindex'
WRITTEN = 'Thought: Look.\nAction: search_1.query\nAction Input: {schema}, {"q": "Lakeview"}'


def run(pytester: pytest.Pytester, arguments: Sequence[str]) -> pytest.RunResult:
    others = [
        part for name in ('cacheprovider', 'hypothesispytest', 'anyio', 'benchmark') for part in ('-p', f'no:{name}')
    ]
    return pytester.runpytest_subprocess(*others, *arguments)


def captured(pytester: pytest.Pytester, *arguments: str, given: str = '') -> str:
    """Call the command line in a process of its own, as a user does, and return the replay command that it prints."""
    command = [sys.executable, '-m', 'harness.cli', *arguments]
    done = subprocess.run(command, cwd=pytester.path, input=given, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return next((line.split('replay', 1)[1] for line in done.stdout.splitlines() if line.startswith('  replay')), '')


def broken(name: str, pytester: pytest.Pytester) -> Path:
    """Return the folder of our node with a mistake."""
    mutant = next(mutant for mutant in (*inputs.MUTANTS, *steps.MUTANTS) if mutant.id == name)
    return build(mutant, OUR_NODE, pytester.path / 'mutants')


def test_the_printed_command_replays_and_a_mutant_fails_it(pytester: pytest.Pytester) -> None:
    CaptureSuite(pytester.path).ask('lake', WRITTEN, tools=search())
    captured(pytester, 'run', '--results', 'results.jsonl')
    printed = captured(pytester, 'capture', 'results.jsonl', '--run', 'lake', '--id', 'two-objects')
    program, *arguments = shlex.split(printed)

    assert (program, arguments) == ('pytest', ['scenarios/captured/two-objects.yaml'])
    healthy = run(pytester, [*arguments, '-v'])
    healthy.assert_outcomes(passed=1)
    healthy.stdout.fnmatch_lines(['scenarios/captured/two-objects.yaml::two-objects[[]scripted[]] PASSED*'])

    failed = run(pytester, [f'--react-node={broken("unreadable-input-is-empty", pytester)}', *arguments])
    failed.assert_outcomes(failed=1)
    failed.stdout.fnmatch_lines(['two-objects [[]scripted[]] (proposal): What scripted wrote about *'])
    failed.stdout.fnmatch_lines(['*the cassette has only 1 turn, this is the request of turn 2*'])


def test_another_reading_of_the_last_output_is_a_finding_with_its_line(pytester: pytest.Pytester) -> None:
    CaptureSuite(pytester.path).ask('other')
    options = ['--id', 'two-answers', '--question', QUESTION, '--model', 'big-model']
    captured(pytester, 'capture', *options, given='Thought: x\nAnswer: 41,200.\n\nQuestion: And the ducks?')
    node = broken('next-turn-is-delivered', pytester)
    failed = run(pytester, [f'--react-node={node}', 'scenarios/captured/two-answers.yaml'])

    failed.assert_outcomes(failed=1)
    failed.stdout.fnmatch_lines(['  scenarios/captured/two-answers.yaml:*: models.big-model.answer.equals'])


def test_the_command_names_node_and_cassettes_where_they_are_elsewhere(pytester: pytest.Pytester) -> None:
    CaptureSuite(pytester.path).ask('other')
    node = str(Path(__file__).parent / 'nodes' / 'errands')
    (pytester.path / 'config.yaml').write_text('errands: [{ask: null}]\n')
    options = ['--id', 'greets', '--question', QUESTION, '--model', 'm', '--config', 'config.yaml', '--node', node]
    printed = captured(pytester, 'capture', *options, '--cassettes', 'tapes', given='Hello.')

    run(pytester, shlex.split(printed)[1:]).assert_outcomes(passed=1)
    run(pytester, [f'--react-node={node}', 'scenarios/captured/greets.yaml']).assert_outcomes(failed=1)
