"""The command `record`: cassettes from a server that answers, and none from one that does not."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from chat_server import ChatServer, Raw, chat_completion
from click.testing import CliRunner
from example_suite import ERRANDS, Suite

from harness.cli import main

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    """A suite with two recorded scenarios and one scripted one."""
    found = Suite(tmp_path / 'suite')
    found.add('asks-one', recorded=True, task={'accept': ['hello'], 'forbid': ['good bye']})
    found.add('asks-two', recorded=True)
    found.add('scripted')
    return found


def invoke(suite: Suite, verb: str, *arguments: str) -> Result:
    folders = ['--scenarios', str(suite.scenarios), '--cassettes', str(suite.cassettes)]
    suite.cassettes.mkdir(exist_ok=True)
    return CliRunner().invoke(main, [verb, *folders, '--node', ERRANDS, *arguments])


def record(suite: Suite, server: ChatServer, *arguments: str) -> Result:
    return invoke(suite, 'record', '--model', 'small', '--base-url', server.base_url, '--tries', '1', *arguments)


def refusal(status: int, message: str) -> Raw:
    return Raw(json.dumps({'error': {'message': message}}).encode(), status=status)


def test_a_recording_says_what_came_out_and_replays(suite: Suite) -> None:
    with ChatServer(chat_completion('Hello.')) as server:
        recorded = record(suite, server, 'asks-one')
    replayed = invoke(suite, 'run', 'asks-one')

    assert recorded.exit_code == 0, recorded.output
    first, answer, file, last = recorded.stdout.splitlines()
    assert first.startswith('recorded  asks-one [small]: 1 turn, 18 tokens, ')
    assert first.endswith(', no stop reason, solved')
    assert answer == '  answer  "Hello."'
    assert file == f'  file    {suite.cassettes / "asks-one" / "small.yaml"}'
    assert last == '1 scenario recorded'
    assert replayed.exit_code == 0
    assert '1 scenario, 1 run, no findings' in replayed.stdout


def test_a_task_that_was_not_solved_is_no_failure(suite: Suite) -> None:
    with ChatServer(chat_completion('Hello and good   BYE.')) as server:
        recorded = record(suite, server, 'asks-one')

    assert recorded.exit_code == 0
    assert ', not solved' in recorded.stdout


def test_a_scenario_without_a_task_is_neither_solved_nor_not(suite: Suite) -> None:
    with ChatServer(chat_completion('Hello.')) as server:
        assert 'solved' not in record(suite, server, 'asks-two').stdout


def test_the_options_of_the_model_are_sent(suite: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('SMALL_KEY', 'k-1234')
    options = '--send-model big/one --api-key-env SMALL_KEY --temperature 0.5 --max-tokens 99 --seed 7 --timeout 9'
    with ChatServer(chat_completion('Hello.')) as server:
        recorded = record(suite, server, *options.split(), 'asks-one')
        (asked,) = server.asked

    assert recorded.exit_code == 0, recorded.output
    sent = {key: value for key, value in asked.body.items() if key not in ('messages', 'stop')}
    assert sent == {'model': 'big/one', 'temperature': 0.5, 'max_tokens': 99, 'seed': 7}
    assert {key.lower(): value for key, value in asked.headers.items()}['authorization'] == 'Bearer k-1234'
    assert 'k-1234' not in recorded.output
    assert 'k-1234' not in (suite.cassettes / 'asks-one' / 'small.yaml').read_text()


def test_one_that_fails_leaves_no_file_and_the_others_alone(suite: Suite) -> None:
    with ChatServer(refusal(503, 'warming up'), chat_completion('Hello.')) as server:
        recorded = record(suite, server, 'asks-*')

    assert recorded.exit_code == 1
    assert 'failed    asks-one [small]: turn 1: InternalServerError: warming up\n' in recorded.stdout
    assert 'recorded  asks-two [small]' in recorded.stdout
    assert '1 of 2 scenarios recorded, 1 failed' in recorded.stdout
    assert [path.parent.name for path in suite.cassettes.rglob('*') if path.is_file()] == ['asks-two']


@pytest.mark.parametrize('status', [400, 401, 404, 429, 500])
def test_a_run_without_one_reply_is_no_recording(suite: Suite, status: int) -> None:
    with ChatServer(refusal(status, 'no')) as server:
        recorded = record(suite, server, 'asks-one')

    assert recorded.exit_code == 1
    assert 'no cassette was written' in recorded.stdout
    assert not [path for path in suite.cassettes.rglob('*') if path.is_file()]


def test_a_prompt_that_grew_too_long_is_a_recording(suite: Suite) -> None:
    errands = [{'ask': None}, {'swallow': {'ask': 'more'}}]
    suite.add('grows', recorded=True, config={'errands': errands}, expect={'llm_calls': 2})
    with ChatServer(chat_completion('Hello.'), refusal(400, 'too long')) as server:
        recorded = record(suite, server, 'grows')

    assert recorded.exit_code == 0, recorded.output
    assert invoke(suite, 'run', 'grows').exit_code == 0


def test_a_server_that_is_away_fails_the_recording(suite: Suite) -> None:
    with ChatServer() as server:
        pass
    recorded = record(suite, server, 'asks-one')

    assert recorded.exit_code == 1
    assert 'APIConnectionError' in recorded.stdout


def test_a_node_that_asks_nothing_cannot_be_recorded(suite: Suite) -> None:
    suite.add('silent', recorded=True, config={'errands': [{'raise': 'ValueError'}]}, expect={'llm_calls': 0})
    with ChatServer(chat_completion('Hello.')) as server:
        recorded = record(suite, server, 'silent')

    assert recorded.exit_code == 1
    assert 'the node did not ask the model: it raised ValueError: on purpose' in recorded.stdout


def test_a_failed_recording_keeps_the_earlier_one(suite: Suite) -> None:
    with ChatServer(chat_completion('Hello.'), refusal(500, 'broken')) as server:
        record(suite, server, 'asks-one')
        before = (suite.cassettes / 'asks-one' / 'small.yaml').read_bytes()
        recorded = record(suite, server, 'asks-one')

    assert recorded.exit_code == 1
    assert (suite.cassettes / 'asks-one' / 'small.yaml').read_bytes() == before


def test_a_scripted_scenario_cannot_be_recorded(suite: Suite) -> None:
    with ChatServer(chat_completion('Hello.')) as server:
        recorded = record(suite, server, 'asks-one', 'scripted')
        asked = server.asked

    assert recorded.exit_code == 2
    assert 'nothing to record for scripted: ' in recorded.stderr
    assert asked == []


@pytest.mark.parametrize(
    ('option', 'value'),
    [('model', 'a/b'), ('base-url', 'ftp://host'), ('temperature', '-1'), ('max-tokens', '0'), ('timeout', '0')],
)
def test_a_wrong_option_is_named_as_it_was_written(suite: Suite, option: str, value: str) -> None:
    given = {'model': 'small', 'base-url': 'http://127.0.0.1:9/v1'} | {option: value}
    recorded = invoke(
        suite, 'record', *(part for key, text in given.items() for part in (f'--{key}', text)), 'asks-one'
    )

    assert recorded.exit_code == 2
    assert recorded.stderr.startswith(f'--{option}: ')


def test_a_changed_question_is_told_as_drift(suite: Suite) -> None:
    with ChatServer(chat_completion('Hello.')) as server:
        record(suite, server, 'asks-two')
    suite.add('asks-two', recorded=True, question='Another question?')
    replayed = invoke(suite, 'run', 'asks-two')

    assert replayed.exit_code == 3
    assert 'asks-two [small]: The node asks-two' in replayed.stdout
    assert 'the request of turn 1 of 1 is not the recorded one' in replayed.stdout
    assert 'messages[0].content' in replayed.stdout
    assert '1 scenario, 1 run, no findings, 1 not judged' in replayed.stdout


def test_each_recorded_model_is_a_run_of_its_own(suite: Suite) -> None:
    with ChatServer(chat_completion('Hello.'), chat_completion('Good bye.')) as server:
        record(suite, server, 'asks-one')
        invoke(suite, 'record', '--model', 'tiny', '--base-url', server.base_url, 'asks-one')
    replayed = invoke(suite, 'run', 'asks-one', '-v')

    assert replayed.exit_code == 1
    assert 'asks-one [tiny]: The node asks-one' in replayed.stdout
    assert 'met  asks-one [small]: 1 LLM call, solved, ' in replayed.stdout
