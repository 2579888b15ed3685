"""Accepting a drift: the recorded answers stay, the requests are those of now, and the cassette says so itself."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest
import vcr
import yaml
from chat_server import ChatServer, chat_completion
from click.testing import CliRunner, Result
from example_suite import ERRANDS, Suite
from hypothesis import given
from hypothesis import strategies as st

from harness.cassette import Tape, recording, replaying, spec_of
from harness.cassette.accept import Accepting
from harness.cli import main

if TYPE_CHECKING:
    from collections.abc import Iterator

FIRST = 'Where does\nIlsa work?'
SECOND = 'Where is\nIlsa at work?'
REPLIES = ('Hello é 😀.', 'Good\nbye.')
RANDOM_NODE = """
import uuid
from rocketlib import IInstanceBase
from rocketlib.types import IInvokeLLM
from rocketride.schema import Question

class IInstance(IInstanceBase):
    def writeQuestions(self, question):
        asked = Question(role='')
        asked.addQuestion(uuid.uuid4().hex)
        param = IInvokeLLM.Ask(question=asked)
        text = self.instance.invoke(param, component_id='llm_1').getText()
        self.instance.writeAnswers(text)
        return {'content': text}
"""


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    found = Suite(tmp_path / 'suite')
    asks(found, FIRST)
    found.cassettes.mkdir()
    return found


def asks(suite: Suite, *questions: str, **more: Any) -> None:
    """Write the scenario: one LLM call for each question."""
    errands = [{'ask': question} for question in questions]
    expect = {'llm_calls': len(questions)}
    suite.add('asks', recorded=True, config={'errands': errands}, expect=expect, **more)


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer(*map(chat_completion, REPLIES)) as running:
        yield running


def invoke(suite: Suite, verb: str, *arguments: str, node: str = ERRANDS) -> Result:
    folders = ['--scenarios', str(suite.scenarios), '--cassettes', str(suite.cassettes)]
    return CliRunner().invoke(main, [verb, *folders, '--node', node, *arguments])


def record(suite: Suite, server: ChatServer) -> Path:
    options = ['--base-url', server.base_url, '--temperature', '0', '--seed', '7', '--send-model', 'org/small']
    done = invoke(suite, 'record', 'asks', '--model', 'small', *options)
    assert done.exit_code == 0, done.output
    server.asked.clear()
    return suite.cassettes / 'asks' / 'small.yaml'


def accept(suite: Suite, *arguments: str, node: str = ERRANDS) -> Result:
    return invoke(suite, 'accept-drift', 'asks', '--model', 'small', *arguments, node=node)


def interactions(path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = yaml.safe_load(path.read_bytes())['interactions']
    return found


def prompt_of(interaction: dict[str, Any]) -> str:
    text: str = json.loads(interaction['request']['body'])['messages'][0]['content']
    return text


def restored(note: dict[str, Any], body: Any) -> Any:
    """Return the request that a note says was recorded, from the one that stands there now."""
    left = [change for change in note['changes'] if 'diff' in change or 'recorded' in change]
    added = [change for change in note['changes'] if change not in left]
    for change in (*left, *reversed(added)):
        keys = [int(index) if index else key for index, key in re.findall(r'\[(\d+)\]|(\w+)', change['path'])]
        at = body
        for key in keys[:-1]:
            at = at[key]
        last = keys[-1]
        if change in added:
            del at[last]
        elif 'diff' in change:
            at[last] = '\n'.join(unpatched(change['diff'], at[last].split('\n')))
        elif isinstance(at, list) and last == len(at):
            at.append(json.loads(change['recorded']))
        else:
            at[last] = json.loads(change['recorded'])
    return body


def unpatched(diff: list[str], lines: list[str]) -> list[str]:
    """Return the lines before a unified diff, from the lines behind it."""
    before: list[str] = []
    done = 0
    for line in diff:
        if line.startswith('@@ '):
            start = re.match(r'@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@', line)
            assert start is not None
            begin = int(start[1]) - (start[2] != '0')
            before += lines[done:begin]
            done = begin
        else:
            if line[0] in ' -':
                before.append(line[1:])
            done += line[0] in ' +'
    return before + lines[done:]


# ---------------------------------------------------------------------------------------------------------- the verb


def test_an_accepted_drift_is_one_no_more_and_the_answers_are_the_recorded_ones(
    suite: Suite, server: ChatServer
) -> None:
    path = record(suite, server)
    before = interactions(path)
    asks(suite, SECOND)
    assert invoke(suite, 'run').exit_code != 0
    done = accept(suite, '--reason', 'Only a wording: "at work"')

    assert done.exit_code == 0, done.output
    assert done.stdout.startswith('accepted  asks [small]: 1 turn\n  turn 1\n    messages[0].content: they part at ')
    assert done.stdout.endswith('1 of 1 recording rewritten\n')
    assert invoke(suite, 'run').exit_code == 0
    after = interactions(path)
    assert 'Ilsa at work?' in prompt_of(after[0])
    assert [one['response'] for one in after] == [one['response'] for one in before]
    assert list(path.parent.iterdir()) == [path]
    assert server.asked == []


def test_the_cassette_says_what_was_really_sent(
    suite: Suite, server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = record(suite, server)
    sent = json.loads(interactions(path)[0]['request']['body'])
    asks(suite, SECOND)
    monkeypatch.setenv('SOURCE_DATE_EPOCH', '1800000000')
    accept(suite, '--reason', 'Only a wording')
    (interaction,) = interactions(path)

    (note,) = interaction['accepted']
    assert next(iter(interaction)) == 'accepted'
    assert (note['date'], note['reason']) == ('2027-01-15 08:00 UTC', 'Only a wording')
    (change,) = note['changes']
    assert change['path'] == 'messages[0].content'
    removed = [line[1:].strip() for line in change['diff'] if line[0] == '-']
    assert removed == ['Where does', 'Ilsa work?']
    assert restored(note, json.loads(interaction['request']['body'])) == sent


def test_each_acceptance_adds_a_note_and_the_first_request_can_be_told_from_them(
    suite: Suite, server: ChatServer
) -> None:
    path = record(suite, server)
    sent = json.loads(interactions(path)[0]['request']['body'])
    for question in (SECOND, 'short', FIRST + '\nPlease.'):
        asks(suite, question)
        assert accept(suite).exit_code == 0
    (interaction,) = interactions(path)
    body = json.loads(interaction['request']['body'])
    assert len(interaction['accepted']) == 3
    for note in reversed(interaction['accepted']):
        body = restored(note, body)
    assert body == sent


def test_only_the_turns_that_drifted_get_a_note(suite: Suite, server: ChatServer) -> None:
    asks(suite, FIRST, 'second')
    path = record(suite, server)
    asks(suite, FIRST, 'another')
    done = accept(suite)
    assert '  turn 2\n' in done.stdout
    assert '  turn 1\n' not in done.stdout
    assert ['accepted' in one for one in interactions(path)] == [False, True]


def test_a_recording_without_drift_is_left_as_it_is(suite: Suite, server: ChatServer) -> None:
    path = record(suite, server)
    before = path.read_bytes(), path.stat().st_mtime_ns
    done = accept(suite)
    assert (done.exit_code, done.stdout) == (
        0,
        'unchanged  asks [small]: every request is the recorded one\n0 of 1 recording rewritten\n',
    )
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before


def test_a_look_writes_nothing(suite: Suite, server: ChatServer) -> None:
    path = record(suite, server)
    before = path.read_bytes()
    asks(suite, SECOND)
    done = accept(suite, '--dry-run')
    assert done.exit_code == 0
    assert done.stdout.startswith('would accept  asks [small]: 1 turn\n')
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ('questions', 'says'),
    [
        ((FIRST,), '1 of 2 recorded turns were not asked for'),
        ((FIRST, 'second', 'third'), 'the cassette has only 2 turns, this is the request of turn 3'),
    ],
)
def test_more_or_fewer_turns_cannot_be_accepted(
    suite: Suite, server: ChatServer, questions: tuple[str, ...], says: str
) -> None:
    asks(suite, FIRST, 'second')
    path = record(suite, server)
    before = path.read_bytes()
    asks(suite, *questions)
    done = accept(suite)
    assert done.exit_code == 1
    assert says in done.stdout
    assert 'react-harness record asks --model small' in done.stdout
    assert '  the cassette is as it was\n0 of 1 recording rewritten, 1 refused\n' in done.stdout
    assert path.read_bytes() == before


def test_a_request_that_is_another_one_each_time_cannot_be_accepted(
    suite: Suite, server: ChatServer, tmp_path: Path
) -> None:
    path = record(suite, server)
    before = path.read_bytes()
    node = tmp_path / 'restless'
    node.mkdir()
    (node / 'services.json').write_text('{"protocol": "restless://"}')
    (node / 'IInstance.py').write_text(RANDOM_NODE)
    done = accept(suite, node=str(node))
    assert done.exit_code == 1
    assert 'the request of turn 1 is another one each time: messages[0].content: ' in done.stdout
    assert path.read_bytes() == before


def test_a_cassette_that_cannot_be_written_is_as_it_was(
    suite: Suite, server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise OSError(28, 'No space left on device')

    path = record(suite, server)
    before = path.read_bytes()
    asks(suite, SECOND)
    monkeypatch.setattr('os.fsync', fail)
    done = accept(suite)
    assert done.exit_code == 1
    assert 'No space left on device' in done.stdout
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_what_is_not_recorded_or_scripted_cannot_be_accepted(suite: Suite) -> None:
    done = accept(suite)
    assert done.exit_code == 1
    assert 'there is no cassette (record it: react-harness record asks --model small --base-url URL' in done.stdout
    suite.add('scripted')
    assert invoke(suite, 'accept-drift', 'scripted', '--model', 'small').exit_code == 2
    assert invoke(suite, 'accept-drift', 'asks', '--model', '../small').exit_code == 2


def test_a_new_recording_has_no_note(suite: Suite, server: ChatServer) -> None:
    path = record(suite, server)
    asks(suite, SECOND)
    accept(suite)
    assert 'accepted' in interactions(path)[0]
    record(suite, server)
    assert 'accepted' not in interactions(path)[0]


def test_stock_vcrpy_replays_an_accepted_cassette(suite: Suite, server: ChatServer) -> None:
    path = record(suite, server)
    asks(suite, SECOND)
    accept(suite)
    (interaction,) = interactions(path)
    with vcr.VCR(record_mode='none').use_cassette(str(path)), httpx.Client() as http:
        request = interaction['request']
        reply = http.post(request['uri'], content=request['body'])
    assert reply.json()['choices'][0]['message']['content'] == REPLIES[0]


# ------------------------------------------------------------------------------------- the commands that a drift names


def paste(suite: Suite, command: str) -> subprocess.CompletedProcess[str]:
    """Run a command as a shell does in the folder of a suite."""
    path = f'{Path(sys.executable).parent}{os.pathsep}{os.environ["PATH"]}'
    return subprocess.run(
        ['sh', '-c', command], cwd=suite.folder, env=os.environ | {'PATH': path}, capture_output=True, text=True
    )


def named(suite: Suite, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(suite.folder)
    done = invoke(suite, 'run')
    return [line.strip() for line in done.stdout.splitlines() if line.startswith('    react-harness ')]


@pytest.mark.parametrize('folder', ['suite', 'a suite; with $odd `signs`'])
def test_both_commands_can_be_pasted_into_a_shell(
    tmp_path: Path, server: ChatServer, monkeypatch: pytest.MonkeyPatch, folder: str
) -> None:
    suite = Suite(tmp_path / folder)
    asks(suite, FIRST)
    (suite.folder / 'other tapes').mkdir()
    (suite.folder / 'cassettes').symlink_to('other tapes')
    path = record(suite, server)
    asks(suite, SECOND)
    _, second = named(suite, monkeypatch)
    assert second.startswith('react-harness accept-drift asks --model small --node ')

    done = paste(suite, second)
    assert done.returncode == 0, done.stdout + done.stderr
    assert 'accepted' in interactions(path)[0]
    assert invoke(suite, 'run').exit_code == 0

    asks(suite, FIRST)
    first, _ = named(suite, monkeypatch)
    done = paste(suite, first)
    assert done.returncode == 0, done.stdout + done.stderr
    sent = {key: value for key, value in server.asked[-1].body.items() if key != 'messages'}
    assert sent == {'model': 'org/small', 'temperature': 0.0, 'seed': 7}
    assert invoke(suite, 'run').exit_code == 0


# ------------------------------------------------------------------------------------------------------- any request

TEXTS = st.text(st.sampled_from('ab \n\r\t\x00\x1b\x85\u2028\ufeff\ufffe\U0010ffff\ud800é😀:#"\'|>-%{}'), max_size=30)
BODIES = st.fixed_dictionaries(
    {
        'model': st.just('small'),
        'messages': st.lists(st.fixed_dictionaries({'content': TEXTS}), min_size=1, max_size=2),
    },
    optional={'stop': st.lists(TEXTS, max_size=2), 'seed': st.integers() | st.booleans(), 'top_p': st.floats(0, 1)},
)


@given(recorded=BODIES, now=BODIES)
def test_the_recorded_request_can_be_told_from_the_note_whatever_was_asked(
    tmp_path_factory: pytest.TempPathFactory, recorded: dict[str, Any], now: dict[str, Any]
) -> None:
    def answer(_: httpx.Request) -> httpx.Response:
        return httpx.Response(200, json=chat_completion('Hello.'))

    def send(http: httpx.Client, body: dict[str, Any]) -> Any:
        return http.post('http://localhost/v1/chat/completions', content=json.dumps(body)).json()

    path = tmp_path_factory.mktemp('cassettes') / 'asks' / 'small.yaml'
    with httpx.Client(transport=httpx.MockTransport(answer)) as through, recording(path, through=through) as tape:
        first = send(tape.http, recorded)
    deck = Accepting(path)
    with Tape(deck) as tape:
        assert send(tape.http, now) == first
    deck.accept('', '')
    with replaying(path) as tape:
        assert send(tape.http, now) == first
    (interaction,) = interactions(path)
    assert spec_of(path).model == 'small'
    body = json.loads(interaction['request']['body'])
    for note in interaction.get('accepted', ()):
        body = restored(note, body)
    assert body == recorded
