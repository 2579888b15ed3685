"""Lint replays the recordings: what no scenario asks for any more is told."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import httpx
import pytest
import yaml
from chat_server import chat_completion
from click.testing import CliRunner, Result
from example_suite import ERRANDS, NODES, Suite

from harness.cassette import recording
from harness.cli import main
from harness.engine.node import load_node
from harness.engine.threads import TimeLimit
from harness.fit import unfit
from harness.llm import ChatClient, ModelSpec
from harness.run import run_scenario
from harness.scenario.loading import load_scenario
from harness.scenario.schema import SCHEMA_FILE, write_schema

if TYPE_CHECKING:
    from pathlib import Path

NODE = load_node(ERRANDS)


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    """A suite of one scenario that is recorded with two models."""
    found = Suite(tmp_path)
    asks(found, 'one', 'two')
    write_schema(found.scenarios / SCHEMA_FILE)
    for model in ('large', 'small'):
        record(found, model)
    return found


def asks(suite: Suite, *questions: str, **more: Any) -> None:
    errands = [{'ask': question} for question in questions]
    suite.add('asks', recorded=True, config={'errands': errands}, expect={'llm_calls': len(questions)}, **more)


def record(suite: Suite, model: str) -> Path:
    def answer(_: httpx.Request) -> httpx.Response:
        return httpx.Response(200, json=chat_completion('Hello.'))

    path = suite.cassettes / 'asks' / f'{model}.yaml'
    file = load_scenario(suite.scenarios / 'loop' / 'asks.yaml')
    spec = ModelSpec(name=model, base_url='http://localhost/v1')
    with httpx.Client(transport=httpx.MockTransport(answer)) as through, recording(path, through=through) as tape:
        run_scenario(file, NODE, client=ChatClient(spec, tape.http))
    return path


def lint(suite: Suite, *options: str) -> Result:
    folders = ['--scenarios', str(suite.scenarios), '--cassettes', str(suite.cassettes)]
    return CliRunner().invoke(main, ['lint', *folders, *options])


def told(suite: Suite) -> list[str]:
    found = unfit(suite.scenarios, suite.cassettes, NODE)
    return [str(problem).replace(f'{suite.folder}/', '') for problem in found]


def place(path: Path, turn: int) -> str:
    """Return the line and column of an interaction, as a cassette has them."""
    lines = path.read_text(encoding='utf-8').splitlines()
    starts = [number for number, line in enumerate(lines, 1) if line.startswith('- ')]
    return f'{starts[turn - 1]}:3'


def test_recordings_that_fit_are_no_problem(suite: Suite) -> None:
    assert told(suite) == []
    done = lint(suite, '--node', ERRANDS)
    assert (done.exit_code, done.stdout) == (0, 'no problems\n')


def test_turns_that_were_never_asked_for_are_told_at_the_first_of_them(suite: Suite) -> None:
    asks(suite, 'one')
    at = place(suite.cassettes / 'asks' / 'large.yaml', 2)
    first, second = told(suite)
    assert first.startswith(
        f'cassettes/asks/large.yaml:{at}: 1 of 2 recorded turns were not asked for '
        '(record again: react-harness record asks --model large --base-url http://localhost/v1'
    )
    assert second.startswith('cassettes/asks/small.yaml:')
    done = lint(suite, '--node', ERRANDS)
    assert done.exit_code == 1
    assert done.stdout.endswith('\n2 problems\n')


def test_a_node_that_never_asks_leaves_every_turn(suite: Suite) -> None:
    suite.add('asks', recorded=True, config={'errands': [{'raise': 'ValueError'}]}, expect={'llm_calls': 0})
    assert '2 of 2 recorded turns were not asked for' in told(suite)[0]


def test_a_request_that_is_not_the_recorded_one_is_told_with_its_place_and_key(suite: Suite) -> None:
    asks(suite, 'one', 'changed')
    at = place(suite.cassettes / 'asks' / 'large.yaml', 2)
    assert told(suite)[0] == (
        f'cassettes/asks/large.yaml:{at}: the request of turn 2 of 2 is not the recorded one: messages[0].content '
        'differs (see more: react-harness run asks)'
    )


def test_a_request_past_the_last_turn_is_told(suite: Suite) -> None:
    asks(suite, 'one', 'two', 'three')
    assert 'the request of turn 3 is not recorded: the cassette has only 2' in told(suite)[0]


@pytest.mark.parametrize(
    ('content', 'says'),
    [('no: [cassette', 'no readable YAML'), ('version: 1\ninteractions: []\n', 'there is no request in it')],
)
def test_a_file_that_is_no_cassette_is_told(suite: Suite, content: str, says: str) -> None:
    (suite.cassettes / 'asks' / 'large.yaml').write_text(content)
    (only,) = told(suite)
    assert only.startswith('cassettes/asks/large.yaml:')
    assert says in only


def test_a_file_among_the_cassettes_that_no_model_can_have_is_told(suite: Suite) -> None:
    (suite.cassettes / 'asks' / 'small (copy).yaml').write_text('')
    assert "'small (copy)' is no name for a model" in told(suite)[0]


def test_tools_that_cannot_be_had_are_told_at_the_scenario(suite: Suite) -> None:
    asks(suite, 'one', 'two', tools=[{'node': 'a', 'functions': [{'name': 'f', 'python': 'f'}]}])
    (only,) = told(suite)
    assert only.startswith('scenarios/loop/asks.yaml:')
    assert 'the recordings cannot be replayed: ' in only
    assert 'tools.py is missing' in only


def test_a_node_that_hangs_is_stopped_and_told(suite: Suite, tmp_path: Path) -> None:
    node = tmp_path / 'slow'
    shutil.copytree(NODES / 'errands', node)
    source = (node / 'IInstance.py').read_text()
    hangs = 'import time; [time.sleep(0.01) for _ in iter(int, 1)]; results: list'
    (node / 'IInstance.py').write_text(source.replace('results: list', hangs))
    found = unfit(suite.scenarios, suite.cassettes, load_node(node), TimeLimit(0.2))
    assert len(found) == 2
    assert all('the replay did not end: ' in problem.message for problem in found)


def test_scripted_scenarios_are_not_replayed(suite: Suite) -> None:
    suite.add('asks', said=['Hello.'])
    assert told(suite) == []
    orphans = lint(suite, '--node', ERRANDS).stdout
    assert orphans.count('no scenario uses this cassette: asks has a hand-made `model`') == 2


def test_nothing_is_replayed_on_request(suite: Suite) -> None:
    asks(suite, 'one')
    assert lint(suite, '--no-replay', '--node', 'not-there').stdout == 'no problems\n'


def test_a_node_that_is_not_there_is_a_usage_error_only_where_it_was_asked_for(
    suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = lint(suite, '--node', 'not-there')
    assert done.exit_code == 2
    assert 'there is no node not-there' in done.stderr
    monkeypatch.setattr('harness.engine.node.importlib.util.find_spec', lambda _: None)
    done = lint(suite)
    assert (done.exit_code, done.stdout) == (0, 'no problems\n')
    assert done.stderr.startswith('The recordings were not replayed: there is no node agent_llamaindex')


def test_what_a_node_prints_stays_out_of_the_output(suite: Suite, tmp_path: Path) -> None:
    node = tmp_path / 'loud'
    shutil.copytree(NODES / 'errands', node)
    source = (node / 'IInstance.py').read_text().replace('results: list', "print('asked'); results: list")
    (node / 'IInstance.py').write_text(f"{source}\nprint('imported')\n")
    done = lint(suite, '--node', str(node))
    assert (done.exit_code, done.stdout) == (0, 'no problems\n'), done.output
    assert 'imported' in done.stderr


def test_the_same_cassette_replays_the_same_after_lint(suite: Suite) -> None:
    before = [path.read_bytes() for path in sorted(suite.cassettes.rglob('*.yaml'))]
    lint(suite, '--node', ERRANDS)
    assert [path.read_bytes() for path in sorted(suite.cassettes.rglob('*.yaml'))] == before
    first = yaml.safe_load(before[0])['interactions'][0]
    assert json.loads(first['request']['body'])['model'] == 'large'
