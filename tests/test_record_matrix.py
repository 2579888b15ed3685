"""The command `record` on a matrix: what is planned, what is recorded, and how it goes on after it was broken off."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from chat_server import ChatServer, Raw, chat_completion
from click.testing import CliRunner
from example_suite import ERRANDS, Suite

from harness.cassette.file import content_of
from harness.cli import main
from harness.matrix.models import seed_of

if TYPE_CHECKING:
    from click.testing import Result

NAMES = ('asks-1', 'asks-2', 'asks-3')


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    """A suite with three scenarios that ask their model once, and a scripted one."""
    found = Suite(tmp_path / 'suite')
    for name in NAMES:
        found.add(name, recorded=True, task={'accept': ['hello']})
    found.add('scripted', family='stack')
    found.cassettes.mkdir()
    return found


def plan(suite: Suite, server: ChatServer, *entries: dict[str, Any], **more: Any) -> Path:
    """Write what is to be recorded."""
    base = {'name': 'small', 'base_url': server.base_url, 'tries': 2, 'timeout_s': 5.0}
    models = [{**base, **entry} for entry in entries or ({},)]
    path = suite.cassettes / 'models.yaml'
    path.write_text(yaml.safe_dump({'scenarios': ['loop'], 'models': models, **more}))
    return path


def arguments(suite: Suite, *more: str) -> list[str]:
    return [
        'record',
        '--scenarios',
        str(suite.scenarios),
        '--cassettes',
        str(suite.cassettes),
        '--node',
        ERRANDS,
        *more,
    ]


def record(suite: Suite, *more: str) -> Result:
    return CliRunner().invoke(main, arguments(suite, *more))


def recorded(suite: Suite) -> list[str]:
    found = (path.relative_to(suite.cassettes) for path in suite.cassettes.rglob('[!.]*.yaml'))
    return sorted(str(path) for path in found if path.name != 'models.yaml')


def refusal(status: int, **headers: str) -> Raw:
    names = {name.replace('_', '-'): value for name, value in headers.items()}
    body = json.dumps({'error': {'message': f'status {status}'}}).encode()
    return Raw(body, status=status, headers={'content-type': 'application/json', **names})


# -------------------------------------------------------------------------------------------------------- the matrix


def test_every_scenario_is_recorded_with_every_model_and_epoch(suite: Suite) -> None:
    with ChatServer(chat_completion('Hello.')) as server:
        plan(suite, server, {'epochs': 2, 'seed': 'per-run'}, {'name': 'other', 'model': 'org/other', 'seed': 5})
        result = record(suite)
        asked = [asked.body for asked in server.asked]

    assert result.exit_code == 0, result.output
    assert recorded(suite) == sorted(
        [f'{name}/small/{epoch}.yaml' for name in NAMES for epoch in (1, 2)] + [f'{name}/other.yaml' for name in NAMES]
    )
    assert {body['seed'] for body in asked if body['model'] == 'small'} == {
        seed_of(name, epoch) for name in NAMES for epoch in (1, 2)
    }
    assert {body['seed'] for body in asked if body['model'] == 'org/other'} == {5}
    assert 'recorded  asks-1 [small] (epoch 2): 1 turn, 18 tokens' in result.stdout
    assert '9 of 9 planned runs are recorded, 162 tokens in ' in result.stdout


def test_the_epochs_are_replayed_as_runs_of_their_own(suite: Suite) -> None:
    with ChatServer(chat_completion('Hello.')) as server:
        plan(suite, server, {'epochs': 3})
        record(suite)
    folders = ['--scenarios', str(suite.scenarios), '--cassettes', str(suite.cassettes), '--node', ERRANDS]
    replayed = CliRunner().invoke(main, ['run', '--json', *folders])

    outcomes = json.loads(replayed.stdout)['results']
    assert [(item['scenario'], item['run']) for item in outcomes if item['model']] == [
        (name, epoch) for name in NAMES for epoch in (1, 2, 3)
    ]
    assert all(item['met'] for item in outcomes)


def test_what_was_known_of_the_model_stands_in_the_cassette(suite: Suite) -> None:
    about = {'file': 'small.gguf', 'sha256': 'ab' * 32}
    with ChatServer(chat_completion('Hello.')) as server:
        plan(suite, server, {'about': about})
        record(suite, 'asks-1')
    content = content_of(suite.cassettes / 'asks-1' / 'small.yaml')

    assert about.items() <= content['recorded'].items()
    assert content['recorded']['at'].endswith('+00:00')
    assert content['interactions'][0]['latency_s'] >= 0


def test_what_is_planned_and_not_recorded_is_told_and_counted_and_no_fault_of_anybody(suite: Suite) -> None:
    with ChatServer(chat_completion('Hello.')) as server:
        plan(suite, server, {'epochs': 2})
        record(suite, 'asks-1')
        plan(suite, server, {'epochs': 3})
    store = suite.folder / 'results.jsonl'
    folders = ['--scenarios', str(suite.scenarios), '--cassettes', str(suite.cassettes), '--node', ERRANDS]
    replayed = CliRunner().invoke(main, ['run', '--results', str(store), *folders])
    scored = CliRunner().invoke(main, ['score', '--format', 'json', '--no-library', str(store)])

    assert replayed.exit_code == 3, replayed.output
    assert 'planned, and not recorded: react-harness record asks-1 --model small' in replayed.stdout
    (figures,) = json.loads(scored.stdout)['figures']
    assert (figures['planned'], figures['scored'], figures['solved']['n']) == (9, 2, 2)


def test_a_model_can_have_scenarios_of_its_own(suite: Suite) -> None:
    with ChatServer(chat_completion('Hello.')) as server:
        plan(suite, server, {'scenarios': ['*-2']}, {'name': 'other'})
        result = record(suite)
        none = record(suite, 'asks-1', '--model', 'small')
    assert result.exit_code == 0, result.output
    assert recorded(suite) == ['asks-1/other.yaml', 'asks-2/other.yaml', 'asks-2/small.yaml', 'asks-3/other.yaml']
    assert none.exit_code == 2
    assert 'none of these scenarios is to be recorded with small' in none.stderr


def test_a_command_that_is_given_again_records_nothing_twice(suite: Suite) -> None:
    with ChatServer(chat_completion('Hello.')) as server:
        plan(suite, server)
        record(suite, 'asks-1')
        result = record(suite)
        asked = len(server.asked)

    assert asked == 3
    assert result.stdout.splitlines()[-2].split() == ['small', '3', '1', '2', '0', '0']


def test_refresh_records_again(suite: Suite) -> None:
    with ChatServer(chat_completion('Hello.'), chat_completion('Hello.'), chat_completion('Hello again.')) as server:
        plan(suite, server)
        record(suite, 'asks-1', 'asks-2')
        record(suite, 'asks-1', '--refresh')
        asked = len(server.asked)
    assert asked == 3
    assert 'Hello again.' in (suite.cassettes / 'asks-1' / 'small.yaml').read_text()
    assert 'Hello again.' not in (suite.cassettes / 'asks-2' / 'small.yaml').read_text()


@pytest.mark.parametrize(('before', 'count'), [('2020-01-01', 1), ('2999-01-01T00:00:00+00:00', 2)])
def test_a_refresh_that_was_broken_off_goes_on_with_what_is_older(suite: Suite, before: str, count: int) -> None:
    with ChatServer(chat_completion('Hello.')) as server:
        plan(suite, server)
        record(suite, 'asks-1')
        record(suite, 'asks-1', '--refresh', '--recorded-before', before)
        assert len(server.asked) == count


def test_other_parameters_under_the_same_name_are_refused(suite: Suite) -> None:
    with ChatServer(chat_completion('Hello.')) as server:
        plan(suite, server, {'temperature': 0.0})
        record(suite, 'asks-1')
        plan(suite, server, {'temperature': 0.7})
        result = record(suite)
        asked = len(server.asked)

    assert result.exit_code == 2
    assert 'small.yaml: recorded with temperature 0.0, wanted is 0.7' in result.stderr
    assert asked == 1


def test_a_model_that_is_not_in_the_file_is_told_with_the_nearest(suite: Suite) -> None:
    with ChatServer(chat_completion('Hello.')) as server:
        plan(suite, server)
        result = record(suite, '--model', 'smal')
    assert result.exit_code == 2
    assert "there is no model 'smal' in the file: did you mean 'small'?" in result.stderr


def test_without_a_file_and_without_a_model_the_command_says_what_to_write(suite: Suite) -> None:
    result = record(suite, 'asks-1')
    assert result.exit_code == 2
    assert 'models.yaml: write one, or name one model with --model NAME --base-url URL' in result.stderr


def test_a_mistake_in_the_file_is_told_with_its_place(suite: Suite) -> None:
    with ChatServer(chat_completion('Hello.')) as server:
        path = plan(suite, server, {'epoch': 3})
    result = record(suite)
    assert result.exit_code == 2
    assert f'{path}:' in result.stderr
    assert 'unknown key' in result.stderr


# -------------------------------------------------------------------------------------------------------- the dry run


def test_a_dry_run_tells_what_the_rest_will_take_and_asks_nothing(suite: Suite) -> None:
    prices = {'prompt': 10_000.0, 'completion': 1_000_000.0}
    with ChatServer(chat_completion('Hello.')) as server:
        plan(suite, server, {'epochs': 2, 'prices': prices})
        first = record(suite, '--dry-run')
        record(suite, 'asks-1')
        then = record(suite, '--dry-run')
        asked = len(server.asked)

    assert asked == 2
    assert first.stdout.splitlines()[1].split()[:4] == ['small', '6', '0', '6']
    assert 'nothing is recorded yet' in first.stdout
    line = then.stdout.splitlines()[1]
    assert line.split()[:4] == ['small', '6', '2', '4']
    # Four runs of 11 and 7 tokens: 4 * (11 * 0.01 + 7 * 1).
    assert 'about 4  ' in line
    assert 'about 72  ' in line
    assert line.endswith('about 28.44 USD')


def test_what_was_spent_is_told(suite: Suite) -> None:
    with ChatServer(chat_completion('Hello.')) as server:
        plan(suite, server, {'prices': {'prompt': 10_000.0, 'completion': 1_000_000.0, 'currency': 'EUR'}})
        result = record(suite)
    assert '3 of 3 planned runs are recorded, 54 tokens, 21.33 EUR in ' in result.stdout


# ------------------------------------------------------------------------------------------------- failures and paces


def test_a_server_that_is_busy_is_waited_for(suite: Suite) -> None:
    with ChatServer(refusal(429, retry_after='0.05'), chat_completion('Hello.')) as server:
        plan(suite, server)
        result = record(suite)
    assert result.exit_code == 0, result.output
    assert f'waiting   {server.base_url}: HTTP 429: again in 0.1 s, at most 1 run at a time now' in result.stdout
    assert '3 of 3 planned runs are recorded' in result.stdout


def test_more_runs_at_a_time_are_tried_while_the_server_keeps_up_and_never_too_many(suite: Suite) -> None:
    for number in range(4, 10):
        suite.add(f'asks-{number}', recorded=True)
    with ChatServer(chat_completion('Hello.')) as server:
        server.hold = threading.Event()

        def let_go() -> None:
            wait_for(server, 1)
            server.hold.set()
            wait_for(server, 2)
            server.hold.clear()
            end = time.monotonic() + 60
            while server.most_at_once < 2 and time.monotonic() < end:
                time.sleep(0.01)
            server.hold.set()

        thread = threading.Thread(target=let_go)
        thread.start()
        plan(suite, server, {'concurrency': 2, 'timeout_s': 60.0})
        result = record(suite)
        thread.join()
    assert result.exit_code == 0, result.output
    assert server.most_at_once == 2


def test_a_failure_of_the_server_is_counted_apart_and_the_planned_number_stays(suite: Suite) -> None:
    broken = refusal(500, retry_after='0')
    with ChatServer(chat_completion('Hello.'), broken, broken, chat_completion('Hello.')) as server:
        plan(suite, server)
        result = record(suite)

    assert result.exit_code == 1
    assert 'no answer asks-2 [small]: turn 1: InternalServerError: status 500' in result.stdout
    assert '2 of 3 planned runs are recorded' in result.stdout
    assert recorded(suite) == ['asks-1/small.yaml', 'asks-3/small.yaml']
    lines = result.stdout.splitlines()
    assert next(line.split() for line in lines if line.startswith('small')) == ['small', '3', '0', '2', '1', '0']


@pytest.mark.parametrize(
    ('bad', 'error'),
    [
        (refusal(429, retry_after='0'), 'RateLimitError'),
        (Raw(b'{"choices": [{', headers={'retry-after': '0'}), 'APIResponseError'),
        (Raw(b'{"choices": []}', headers={'retry-after': '0'}), 'APIResponseError'),
        (Raw(b'{', cut=True), 'APIConnectionError'),
        (Raw(silent=True), 'APITimeoutError'),
    ],
)
def test_no_failure_of_server_or_line_is_one_of_the_model(suite: Suite, bad: Raw, error: str) -> None:
    with ChatServer(bad) as server:
        plan(suite, server, {'timeout_s': 0.3})
        result = record(suite, 'asks-1')
    assert result.exit_code == 1
    assert f'no answer asks-1 [small]: turn 1: {error}: ' in result.stdout
    assert recorded(suite) == []


def test_a_reply_cut_at_the_token_limit_is_recorded(suite: Suite) -> None:
    cut = chat_completion(None, choices=[{'message': {'content': 'Hel'}, 'finish_reason': 'length'}])
    with ChatServer(cut) as server:
        plan(suite, server)
        assert record(suite, 'asks-1').exit_code == 0
    assert '"finish_reason": "length"' in (suite.cassettes / 'asks-1' / 'small.yaml').read_text()


@pytest.mark.parametrize(('status', 'why'), [(401, 'its key is refused'), (404, 'the server does not know it')])
def test_what_every_run_would_meet_ends_the_model_and_not_the_others(suite: Suite, status: int, why: str) -> None:
    with ChatServer(refusal(status)) as bad, ChatServer(chat_completion('Hello.')) as good:
        plan(suite, bad, {'concurrency': 1}, {'name': 'other', 'base_url': good.base_url})
        result = record(suite)
        asked = len(bad.asked)

    assert asked == 1
    assert f'no answer asks-3 [small]: not tried: {why}' in result.stdout
    assert recorded(suite) == [f'{name}/other.yaml' for name in NAMES]
    assert '3 of 6 planned runs are recorded' in result.stdout


def test_an_endpoint_that_is_away_is_given_up(suite: Suite) -> None:
    for number in range(4, 8):
        suite.add(f'asks-{number}', recorded=True)
    with ChatServer() as server:
        pass
    plan(suite, server, {'tries': 1})
    result = record(suite)
    assert result.exit_code == 1
    assert result.stdout.count('APIConnectionError') == 3
    assert result.stdout.count('not tried') == 4
    assert '0 of 7 planned runs are recorded' in result.stdout


def test_a_node_that_ends_its_process_costs_one_run(suite: Suite) -> None:
    suite.add('asks-1', recorded=True, config={'errands': [{'kill': 9}]})
    with ChatServer(chat_completion('Hello.')) as server:
        plan(suite, server)
        result = record(suite)
    assert 'failed    asks-1 [small]: ' in result.stdout
    assert recorded(suite) == ['asks-2/small.yaml', 'asks-3/small.yaml']


def test_a_node_that_cannot_be_loaded_is_told_once(suite: Suite, tmp_path: Path) -> None:
    with ChatServer(chat_completion('Hello.')) as server:
        plan(suite, server)
        result = record(suite, '--node', str(tmp_path / 'nothing'))
    assert result.exit_code == 2
    assert result.stderr.count('nothing') == 1


# ---------------------------------------------------------------------------------------------------------- broken off


def hears_ctrl_c() -> None:
    """Undo what a shell does to commands in the background, and they to their children: they ignore SIGINT."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def process(suite: Suite, *more: str) -> subprocess.Popen[str]:
    """Start the command as a program, in a process group of its own."""
    program = [sys.executable, '-c', 'from harness.cli import program; program()', *arguments(suite, *more)]
    return subprocess.Popen(
        program,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
        cwd=suite.folder,
        preexec_fn=hears_ctrl_c,
    )


def wait_for(server: ChatServer, requests: int) -> None:
    end = time.monotonic() + 60
    while len(server.asked) < requests:
        assert time.monotonic() < end, 'the command does not ask'
        time.sleep(0.01)


def gone(pid: int) -> bool:
    """Tell whether nobody of a process group is left, but for those that wait to be buried."""
    for status in Path('/proc').glob('[0-9]*/stat'):
        try:
            state, _, group = status.read_text().rpartition(')')[2].split()[:3]
        except OSError:
            continue
        if int(group) == pid and state != 'Z':
            return False
    return True


@pytest.mark.parametrize('end', [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_a_command_that_is_killed_loses_the_run_in_flight_and_the_next_one_goes_on(suite: Suite, end: int) -> None:
    with ChatServer(chat_completion('Hello.')) as server:
        plan(suite, server, {'epochs': 2, 'concurrency': 1, 'timeout_s': 60.0})
        server.hold = threading.Event()
        running = process(suite)
        for number in (1, 2):
            wait_for(server, number)
            server.hold.set()
            wait_for(server, number + 1)
            server.hold.clear()
        wait_for(server, 3)
        os.kill(running.pid, end)
        output, _ = running.communicate(timeout=120)
        limit = time.monotonic() + 120
        while not gone(running.pid):
            assert time.monotonic() < limit, 'a process was left'
            time.sleep(0.05)
        before = recorded(suite)
        server.hold.set()
        server.hold = None
        asked = len(server.asked)
        result = record(suite)

    assert 2 <= len(before) <= 3, output
    assert result.exit_code == 0, result.output
    assert len(recorded(suite)) == 6
    assert len(server.asked) - asked == 6 - len(before)
    assert not list(suite.cassettes.rglob('.*.tmp'))
    for path in suite.cassettes.rglob('*/[0-9].yaml'):
        assert len(content_of(path)['interactions']) == 1


def test_half_written_files_of_a_killed_command_are_removed(suite: Suite) -> None:
    draft = suite.cassettes / 'asks-1' / '.small.yaml.1.2.tmp'
    draft.parent.mkdir()
    draft.write_text('version: 1\ninterac')
    with ChatServer(chat_completion('Hello.')) as server:
        plan(suite, server)
        record(suite)
    assert not draft.exists()


def test_two_commands_do_not_record_into_one_folder(suite: Suite) -> None:
    with ChatServer(chat_completion('Hello.')) as server:
        server.hold = threading.Event()
        plan(suite, server, {'timeout_s': 60.0})
        running = process(suite)
        wait_for(server, 1)
        result = record(suite)
        server.hold.set()
        running.communicate(timeout=60)

    assert result.exit_code == 2
    assert 'another process is recording into' in result.stderr
    assert running.returncode == 0
