"""Capture: a run, raw outputs or a payload become a scenario and a cassette, which are replayed from then on."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from capture_suite import ANSWER, LOOK, QUESTION, RESULT, CaptureSuite, records, search
from chat_server import ChatServer, chat_completion
from click.testing import CliRunner

from harness.capture.outputs import NEXT
from harness.cli import main

if TYPE_CHECKING:
    from pathlib import Path

    from harness.record import RunRecord

MALFORMED = 'Thought: Look.\nAction: search_1.query\nAction Input: {"q": "Lakeview"}, {"q": "Lakeview"}'
LOST = 'Thought: Look.\nAction: find\nAction Input: {"q": "Lakeview"}'


@pytest.fixture
def suite(tmp_path: Path) -> CaptureSuite:
    return CaptureSuite(tmp_path / 'suite')


def replayed(suite: CaptureSuite, name: str, family: str = 'captured') -> RunRecord:
    """Replay a captured scenario, which has to meet everything, and return its record."""
    path = suite.folder / f'{name}.jsonl'
    done = suite.invoke('run', suite.scenarios / family / f'{name}.yaml', '--results', path)
    assert done.exit_code == 0, done.output
    (record,) = records(path)
    return record


def folders(suite: CaptureSuite) -> list[str]:
    return ['--scenarios', str(suite.scenarios), '--cassettes', str(suite.cassettes)]


# --------------------------------------------------------------------------------------------- a run of a results store


def test_a_run_becomes_a_scenario_that_is_judged_listed_and_accepted(suite: CaptureSuite) -> None:
    suite.ask()
    done = suite.captured(suite.store(), '--run', 'lake', '--id', 'lake-again')

    lines = done.stdout.splitlines()
    path = suite.scenarios / 'captured' / 'lake-again.yaml'
    assert lines[0] == 'captured  lake-again [scripted]: 2 turns, 1 tool call, stop reason answer'
    assert lines[1] == '  answer    "41,200."'
    assert f'  replay    pytest {path}' in lines
    assert lines[-1] == f'  accept    react-harness capture --accept lake-again --scenarios {suite.scenarios}'
    assert suite.scenario('lake-again').proposed
    record = replayed(suite, 'lake-again')
    assert [turn.output for turn in record.turns] == [LOOK, ANSWER]
    assert '1 scenario, 1 run, 1 proposal, no findings' in suite.invoke('run', '--family', 'captured').stdout
    assert ' scripted  (proposal) What scripted wrote' in CliRunner().invoke(main, ['list', *folders(suite)]).stdout

    CliRunner().invoke(main, ['schema', '--write', '--scenarios', str(suite.scenarios)])
    problems = suite.invoke('lint')
    assert problems.exit_code == 1
    problem, count = problems.stdout.splitlines()
    assert problem.startswith(f'{path}:6:1: this is a proposal: nobody has accepted what it expects')
    assert problem.endswith('react-harness capture --accept lake-again)')
    assert count == '1 problem'
    before = suite.files()
    accepted = suite.captured('--accept', 'lake-again')
    assert re.search(r'^     \d\d  models:$', accepted.stdout, re.MULTILINE)
    assert suite.invoke('lint').stdout == 'no problems\n'
    assert not suite.scenario('lake-again').proposed
    after = suite.files()
    name = 'scenarios/captured/lake-again.yaml'
    assert after[name] == before[name].replace(b'proposed: true\n', b'')
    assert {key for key in after if after[key] != before[key]} == {name}


def test_a_captured_file_reads_as_if_a_person_had_written_it(suite: CaptureSuite) -> None:
    suite.ask('lake', LOOK, 'Thought: I know.\nAnswer: In all:\n\n- 41,200 people\n- 12 ducks')
    suite.captured(suite.store(), '--run', 'lake', '--id', 'lake-again', '--why', 'The answer has several lines.')
    text = (suite.scenarios / 'captured' / 'lake-again.yaml').read_text(encoding='utf-8')

    source = re.search(r'^source: .*$', text, re.MULTILINE)
    assert source is not None
    assert re.fullmatch(
        r"source: 'captured from results.jsonl of 20\d\d-\d\d-\d\d: lake with its script, epoch 1, node \w+'", source[0]
    )
    assert (
        text.replace(source[0], 'source: x')
        == f"""\
# yaml-language-server: $schema=../scenario.schema.json
id: lake-again
title: What scripted wrote about '{QUESTION}' (lake-again)
family: captured
level: hardening
proposed: true
source: x
why: The answer has several lines.
question: {QUESTION}
tools:
  - node: search_1
    functions:
      - name: query
        description: Find a place.
        input_schema: {{type: object, properties: {{q: {{type: string}}}}, required: [q]}}
        text: {RESULT}
expect:
  stop_words: ['Observation:']
  prompts:
    at: {{1: {{contains: ['{QUESTION}']}}}}
  lane_writes: {{answers: 1}}
models:
  scripted:
    answer: |-
      In all:

      - 41,200 people
      - 12 ducks
    stop_reason: answer
    llm_calls: 2
    calls:
      - {{tool: search_1.query, input: {{q: Lakeview}}}}
"""
    )


def test_a_recorded_run_keeps_model_parameters_tokens_and_reasons(suite: CaptureSuite) -> None:
    suite.ask(model=None)
    cut = {'index': 0, 'message': {'role': 'assistant', 'content': ANSWER}, 'finish_reason': 'length'}
    with ChatServer(chat_completion(LOOK), chat_completion(None, choices=[cut])) as server:
        options = ['--temperature', '0.5', '--max-tokens', '99', '--seed', '7', '--send-model', 'org/small']
        suite.cassettes.mkdir()
        done = suite.invoke('record', 'lake', '--model', 'small', '--base-url', server.base_url, *options)
        assert done.exit_code == 0, done.output
    suite.captured(suite.store('lake'), '--run', 'lake', '--id', 'lake-again')

    before, after = suite.exchanges('lake'), suite.exchanges('lake-again')
    assert [request for request, _ in after] == [request for request, _ in before]
    assert [answer['choices'] for _, answer in after] == [answer['choices'] for _, answer in before]
    assert [answer['usage'] for _, answer in after] == [{'prompt_tokens': 11, 'completion_tokens': 7}] * 2
    assert server.base_url in (suite.cassettes / 'lake-again' / 'small.yaml').read_text()
    record = replayed(suite, 'lake-again')
    assert [turn.finish_reason for turn in record.turns] == ['stop', 'length']
    (original,) = records(suite.folder / 'results.jsonl')
    assert [turn.latency_s for turn in record.turns] == [turn.latency_s for turn in original.turns]


def test_a_tool_gives_what_it_gave_to_each_input(suite: CaptureSuite) -> None:
    other = LOOK.replace('Lakeview', 'Erewhon')
    matches = [
        {'input': {'q': 'Lakeview'}, 'returns': {'people': 41200}},
        {'input': {'q': 'Erewhon'}, 'raises': {'type': 'KeyError', 'message': 'Erewhon'}},
        {'input': {'q': 'Nowhere'}, 'text': 'nobody asks'},
    ]
    suite.ask('lake', LOOK, other, LOOK, ANSWER, tools=search(matches=matches))
    done = suite.captured(suite.store(), '--run', 'lake', '--id', 'lake-again')

    (function,) = suite.data('lake-again')['tools'][0]['functions']
    assert function['matches'] == matches[:2]
    assert 'note' not in done.stdout
    assert len(replayed(suite, 'lake-again').calls) == 3


def test_a_tool_that_gave_now_this_now_that_gives_it_in_order(suite: CaptureSuite) -> None:
    calls = [{'raises': {'type': 'TimeoutError', 'message': 'try again'}}, {'text': ''}, {'returns': None}]
    suite.ask('lake', LOOK, LOOK, ANSWER, tools=search(calls=calls))
    suite.captured(suite.store(), '--run', 'lake', '--id', 'lake-again')

    (function,) = suite.data('lake-again')['tools'][0]['functions']
    assert function['calls'] == calls[:2]
    assert suite.data('lake-again')['models']['scripted']['calls'] == [
        {'tool': 'search_1.query', 'input': {'q': 'Lakeview'}, 'times': 2}
    ]


@pytest.mark.parametrize('family', ['loop', 'captured'])
def test_a_python_tool_stays_one_where_its_file_is(suite: CaptureSuite, family: str) -> None:
    suite.ask(tools=search(python='look'))
    tools = suite.scenarios / 'loop' / 'tools.py'
    tools.write_text('def look(given):\n    return {"place": given["q"], "people": 41_200}\n')
    suite.captured(suite.store(), '--run', 'lake', '--id', 'lake-again', '--family', family)

    (function,) = suite.data('lake-again', family)['tools'][0]['functions']
    outcome = {'place': 'Lakeview', 'people': 41200}
    script = {'python': 'look'} if family == 'loop' else {'matches': [{'input': {'q': 'Lakeview'}, 'returns': outcome}]}
    assert {key: function[key] for key in function.keys() - {'name', 'description', 'input_schema'}} == script
    replayed(suite, 'lake-again', family)


def test_a_python_tool_that_gives_something_else_each_time_is_scripted(suite: CaptureSuite) -> None:
    suite.ask(tools=search(python='look'))
    tools = suite.scenarios / 'loop' / 'tools.py'
    tools.write_text('import uuid\n\ndef look(given):\n    return uuid.uuid4().hex\n')
    done = suite.captured(suite.store(), '--run', 'lake', '--id', 'lake-again', '--family', 'loop')

    (function,) = suite.data('lake-again', 'loop')['tools'][0]['functions']
    assert list(function['matches'][0]) == ['input', 'text']
    assert 'note' not in done.stdout
    replayed(suite, 'lake-again', 'loop')


def test_what_nobody_called_is_said_to_be_unknown(suite: CaptureSuite) -> None:
    suite.ask('lake', ANSWER, tools=search(python='look'))
    (suite.scenarios / 'loop' / 'tools.py').write_text('def look(given):\n    return 1\n')
    done = suite.captured(suite.store(), '--run', 'lake', '--id', 'lake-again')

    assert '  unknown   what search_1.query gives back: nobody called it, and a call raises' in done.stdout.splitlines()
    assert suite.data('lake-again')['tools'][0]['functions'][0]['calls'] == []


@pytest.mark.parametrize('gone', [True, False])
def test_without_its_scenario_a_run_is_captured_from_the_record_alone(suite: CaptureSuite, gone: bool) -> None:
    path = suite.ask('lake', LOST, LOOK, ANSWER)
    store = suite.store()
    if gone:
        path.unlink()
    else:
        path.write_text(path.read_text().replace(QUESTION, 'How many ducks?'))
    done = suite.captured(store, '--run', 'lake', '--id', 'lake-again')

    why = 'is not there' if gone else 'has another question, other tools or another configuration now'
    assert f'  note      the scenario lake {why}: question and tools are taken from the record alone' in done.stdout
    assert '  unknown   the descriptions of the tools: give tools with --tools FILE' in done.stdout
    assert 'the run is not the one that was captured: the prompt of turn 1 differs from line' in done.stdout
    data = suite.data('lake-again')
    assert data['question'] == QUESTION
    assert data['source'].endswith('; from the record: question and tools')
    (function,) = data['tools'][0]['functions']
    assert function['input_schema'] == {'type': 'object', 'properties': {'q': {'type': 'string'}}, 'required': ['q']}
    assert function['matches'] == [{'input': {'q': 'Lakeview'}, 'text': RESULT}]
    assert [step['action'] for step in data['models']['scripted']['steps']] == ['find', 'search_1.query']
    replayed(suite, 'lake-again')


def test_what_the_record_does_not_hold_can_be_given(suite: CaptureSuite, tmp_path: Path) -> None:
    suite.ask()
    store = suite.store()
    (suite.scenarios / 'loop' / 'lake.yaml').unlink()
    suite.ask('other')
    (tmp_path / 'tools.yaml').write_text(
        '- node: search_1\n  functions:\n    - name: query\n      description: Find a place.\n'
        '      input_schema: {type: object, properties: {q: {type: string}}, required: [q]}\n'
    )
    given = ['--question', QUESTION, '--tools', tmp_path / 'tools.yaml']
    done = suite.captured(store, '--run', 'lake', '--id', 'lake-again', *given)

    assert 'note' not in done.stdout
    assert 'descriptions' not in done.stdout
    (function,) = suite.data('lake-again')['tools'][0]['functions']
    assert function['matches'] == [{'input': {'q': 'Lakeview'}, 'text': RESULT}]


def test_what_is_given_counts_more_than_the_scenario(suite: CaptureSuite, tmp_path: Path) -> None:
    suite.ask('lake', 'It has 41,200.')
    (tmp_path / 'config.yaml').write_text('require_tool_call: true\n')
    done = suite.captured(suite.store(), '--run', 'lake', '--id', 'guarded', '--config', tmp_path / 'config.yaml')

    assert suite.data('guarded')['models']['scripted']['stop_reason'] == 'guard'
    assert suite.data('guarded')['tools'] == search()
    assert 'it ended with "direct_answer", now with "guard"' in done.stdout


def test_an_error_of_the_server_is_one_again(suite: CaptureSuite) -> None:
    suite.ask('lake', LOOK, {'error': {'status': 429, 'message': 'too many'}})
    suite.captured(suite.store(), '--run', 'lake', '--id', 'lake-again')

    own = suite.data('lake-again')['models']['scripted']
    assert own['answer'] == 'too many'
    assert own['stop_reason'] == 'error'
    assert [turn.error.type for turn in replayed(suite, 'lake-again').turns if turn.error] == ['RateLimitError']


def test_a_refusal_of_the_guard_and_a_call_by_a_parent_stay_what_they_are(suite: CaptureSuite) -> None:
    suite.ask('refused', 'It has 41,200.', config={'require_tool_call': True})
    query = {'query': QUESTION, 'context': {'year': 2023}}
    suite.ask('called', question=None, face='tool', input=query, expect={'lane_writes': {'answers': 0}})
    store = suite.store()
    suite.captured(store, '--run', 'refused', '--id', 'refused-again')
    suite.captured(store, '--run', 'called', '--id', 'called-again')

    assert suite.data('refused-again')['models']['scripted']['stop_reason'] == 'guard'
    called = suite.data('called-again')
    assert called['face'] == 'tool'
    assert called['input'] == query
    assert called['expect']['lane_writes'] == {'answers': 0}
    assert replayed(suite, 'refused-again').payload['meta']['stop_reason'] == 'guard'
    assert replayed(suite, 'called-again').face == 'tool'


@pytest.mark.parametrize('gone', [False, True])
def test_a_child_agent_becomes_a_tool_that_gives_what_it_gave(suite: CaptureSuite, gone: bool) -> None:
    child = {'agent': {'tools': search(), 'model': {'outputs': [LOOK, 'Answer: 41,200 of them.']}}}
    ask = 'Thought: Ask.\nAction: researcher_1.run_agent\nAction Input: {"query": "How many?"}'
    path = suite.ask('lake', ask, ANSWER, tools=[{'node': 'researcher_1', **child}])
    store = suite.store()
    (original,) = records(store)
    if gone:
        path.unlink()
    suite.captured(store, '--run', 'lake', '--id', 'lake-again')

    record = replayed(suite, 'lake-again')
    assert [turn.output for turn in record.turns] == [ask, ANSWER]
    assert record.calls[0].output == original.calls[0].output
    assert record.offered == original.offered[:1]


def test_several_runs_that_fit_are_listed_and_one_is_chosen(suite: CaptureSuite) -> None:
    suite.ask(model=None, runs=2)
    suite.cassettes.mkdir()
    for name in ('big', 'small'):
        texts = [LOOK, ANSWER, LOOK, f'Thought: I am {name}.\nAnswer: {name}']
        with ChatServer(*map(chat_completion, texts)) as server:
            suite.invoke('record', 'lake', '--model', name, '--base-url', server.base_url)
    store = suite.store()

    chosen = ['--run', 'lake', '--id', 'lake-again']
    told = suite.captured(store, *chosen, code=2).stderr.splitlines()
    assert told == [
        f'{store}: 4 runs of lake fit: choose one with --model, --epoch or --line',
        '  line 2: model big, epoch 1: 2 turns, answer',
        '  line 3: model big, epoch 2: 2 turns, answer',
        '  line 4: model small, epoch 1: 2 turns, answer',
        '  line 5: model small, epoch 2: 2 turns, answer',
    ]
    assert '2 runs of lake fit' in suite.captured(store, *chosen, '--epoch', 2, code=2).stderr
    assert 'no run of lake fits; there are' in suite.captured(store, *chosen, '--epoch', 3, code=2).stderr
    suite.captured(store, *chosen, '--model', 'small', '--epoch', 2)
    assert suite.data('lake-again')['models']['small']['answer'] == 'small'
    suite.captured(store, '--run', 'lake', '--id', 'by-line', '--line', 3)
    assert suite.data('by-line')['models']['big']['answer'] == 'big'


def test_an_epoch_is_captured_as_its_own_cassette_has_it(suite: CaptureSuite) -> None:
    suite.ask(model=None)
    suite.cassettes.mkdir()
    for epoch in (1, 2):
        with ChatServer(chat_completion(f'Thought: x\nAnswer: {epoch}')) as server:
            options = ['--model', 'small', '--base-url', server.base_url, '--seed', 40 + epoch, '--epoch', epoch]
            done = suite.invoke('record', 'lake', *options)
            assert done.exit_code == 0, done.output
    suite.captured(suite.store(), '--run', 'lake', '--id', 'lake-again', '--epoch', 2)

    ((request, answer),) = suite.exchanges('lake-again')
    assert request['seed'] == 42
    assert answer['choices'][0]['message']['content'] == 'Thought: x\nAnswer: 2'
    assert (suite.cassettes / 'lake' / 'small' / '2.yaml').is_file()
    replayed(suite, 'lake-again')


def test_the_same_run_twice_in_a_store_is_one(suite: CaptureSuite) -> None:
    suite.ask()
    suite.store()
    suite.captured(suite.store(), '--run', 'lake', '--id', 'lake-again')
    assert len(list(suite.cassettes.rglob('lake-again/*.yaml'))) == 1


def test_a_run_that_is_not_there_names_the_nearest(suite: CaptureSuite) -> None:
    suite.ask()
    store = suite.store()

    told = suite.captured(store, '--run', 'lakes', '--id', 'x', code=2).stderr
    assert told == f"{store}: there is no run of 'lakes': did you mean 'lake'?\n"


def changed(store: Path, change: Any) -> Path:
    """Change the record of the only run of a store."""
    first, line = store.read_text().splitlines()
    value = json.loads(line)
    change(value)
    path = store.with_name('changed.jsonl')
    path.write_text(f'{first}\n{json.dumps(value)}\n')
    return path


@pytest.mark.parametrize(
    ('change', 'reason'),
    [
        (
            lambda run: run.update(problem='it drifted\nmore'),
            'that run was not judged, so it shows nothing: it drifted',
        ),
        (lambda run: run['record'].update(turns=[]), 'that run asked no model, so there is nothing to capture'),
        (
            lambda run: run['record'].update(stopped={'kind': 'time', 'message': 'did not end', 'place': ''}),
            'that run was broken off, so it is not whole: did not end',
        ),
        (
            lambda run: run['record']['turns'][1].update(error={'type': 'APITimeoutError', 'message': 'no answer'}),
            'turn 2 ended with APITimeoutError: no answer; that is no answer of a model, and a cassette cannot hold it',
        ),
        (
            lambda run: (run['record']['turns'][0].update(prompt='Hello'), run.update(asked='0' * 64)),
            'and the question cannot be told from the prompt: give --question TEXT',
        ),
    ],
    ids=['not judged', 'no turn', 'broken off', 'no answer', 'no question'],
)
def test_a_run_that_shows_nothing_is_refused(suite: CaptureSuite, change: Any, reason: str) -> None:
    suite.ask()
    store = changed(suite.store(), change)
    before = suite.files()

    told = suite.captured(store, '--run', 'lake', '--id', 'lake-again', code=2).stderr
    assert reason in told
    assert suite.files() == before


@pytest.mark.parametrize('parameters', [{'temperature': -1}, {'temperature': 'hot'}, {'max_tokens': 0}])
def test_parameters_that_are_none_are_unknown(suite: CaptureSuite, parameters: dict[str, Any]) -> None:
    suite.ask()
    store = changed(suite.store(), lambda run: run['record'].update(model='small', parameters=parameters))
    done = suite.captured(store, '--run', 'lake', '--id', 'lake-again')

    assert '  unknown   how the model was asked: its parameters are none' in done.stdout
    assert suite.exchanges('lake-again')[0][0].keys() == {'model', 'messages', 'stop'}


@pytest.mark.parametrize('model', ['../small', 'a/b', '12', '\x1b[2J'])
def test_a_model_of_a_store_that_is_no_name_is_refused(suite: CaptureSuite, model: str) -> None:
    suite.ask()
    store = changed(suite.store(), lambda run: run['record'].update(model=model))
    before = suite.files()
    told = suite.captured(store, '--run', 'lake', '--id', 'lake-again', code=2).stderr

    assert 'is no name for a model' in told
    assert '\x1b' not in told
    assert suite.files() == before


def test_a_node_that_does_something_else_by_now_is_told(suite: CaptureSuite) -> None:
    suite.ask()

    def longer(run: Any) -> None:
        run['record']['payload']['content'] = 'Another answer.'
        run['record']['turns'].append({**run['record']['turns'][1], 'index': 2})

    store = changed(suite.store(), longer)
    done = suite.captured(store, '--run', 'lake', '--id', 'lake-again')

    assert '  note      1 of 3 outputs were not asked for; the cassette is without them' in done.stdout
    assert 'the answer was "Another answer.", now it is "41,200."' in done.stdout
    assert suite.data('lake-again')['models']['scripted']['answer'] == '41,200.'


# ------------------------------------------------------------------------------------------------- raw outputs on stdin

RAW = ['--id', 'raw', '--question', QUESTION, '--model', 'big-model']


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    path = tmp_path / 'tools.yaml'
    path.write_text(json.dumps(search()))
    return path


def test_a_raw_output_becomes_a_scenario(suite: CaptureSuite, tools: Path) -> None:
    suite.ask()
    output = 'Thought: Let me see.\nAnswer: 41,200.\n\nQuestion: And the ducks?'
    done = suite.captured(*RAW, '--tools', tools, given=output + '\n')

    assert done.stdout.startswith('captured  raw [big-model]: 1 turn, 0 tool calls, stop reason answer\n')
    ((_, answer),) = suite.exchanges('raw', 'big-model')
    assert answer['choices'][0]['message']['content'] == output
    assert answer['choices'][0]['finish_reason'] is None
    assert 'usage' not in answer
    assert suite.data('raw')['source'] == 'captured from 1 raw output of big-model'
    assert suite.data('raw')['tools'] == search()
    assert 'latency_s' not in (suite.cassettes / 'raw' / 'big-model.yaml').read_text()
    assert replayed(suite, 'raw').turns[0].latency_s is None


def test_several_outputs_are_the_turns_of_one_run(suite: CaptureSuite, tools: Path) -> None:
    suite.ask()
    suite.captured(*RAW, '--tools', tools, given=f'{LOOK}\n{NEXT}\n{ANSWER}')

    own = suite.data('raw')['models']['big-model']
    assert [turn.output for turn in replayed(suite, 'raw').turns] == [LOOK, ANSWER]
    assert own['answer'] == '41,200.'
    assert own['calls'] == [{'tool': 'search_1.query', 'input': {'q': 'Lakeview'}}]


def test_outputs_as_json_lines_say_all_that_is_known(suite: CaptureSuite, tools: Path) -> None:
    suite.ask()
    outputs = [
        {'text': LOOK, 'finish_reason': 'length', 'prompt_tokens': 5, 'completion_tokens': 3, 'latency_s': 1.5},
        LOOK + '\n\ud83c',
        {'error': {'status': 503, 'message': 'overloaded'}},
    ]
    suite.captured(*RAW, '--tools', tools, '--json-lines', given='\n'.join(map(json.dumps, outputs)) + '\n\n')

    first, second, third = replayed(suite, 'raw').turns
    assert (first.finish_reason, first.prompt_tokens, first.completion_tokens, first.latency_s) == ('length', 5, 3, 1.5)
    assert second.output == LOOK + '\n\ufffd'
    assert third.error is not None
    assert third.error.type == 'InternalServerError'


def test_a_node_that_asks_again_gets_an_error_that_ends_the_run(suite: CaptureSuite, tools: Path) -> None:
    suite.ask()
    done = suite.captured(*RAW, '--tools', tools, given=LOOK)

    assert (
        '  note      the node asked for more than 1 output: HTTP 410 follows, and the run ends with it' in done.stdout
    )
    own = suite.data('raw')['models']['big-model']
    assert own == {
        'stop_reason': 'error',
        'llm_calls': 2,
        'calls': [{'tool': 'search_1.query', 'input': {'q': 'Lakeview'}}],
    }
    replayed(suite, 'raw')


def test_tools_of_an_openai_api_are_taken_and_what_they_give_is_unknown(suite: CaptureSuite, tmp_path: Path) -> None:
    suite.ask()
    functions = [
        {'name': 'search_1.query', 'description': 'Find.', 'parameters': {'type': 'object', 'properties': {}}},
        {'name': 'lookup', 'description': 'Look.'},
    ]
    path = tmp_path / 'tools.json'
    path.write_text(json.dumps([{'type': 'function', 'function': function} for function in functions]))
    done = suite.captured(*RAW, '--tools', path, given=LOOK)

    assert suite.data('raw')['tools'] == [
        {
            'node': 'search_1',
            'functions': [
                {
                    'name': 'query',
                    'description': 'Find.',
                    'input_schema': {'type': 'object', 'properties': {}},
                    'calls': [],
                }
            ],
        },
        {'node': 'tools_1', 'functions': [{'name': 'lookup', 'description': 'Look.', 'calls': []}]},
    ]
    assert "'lookup' is offered as 'tools_1.lookup'" in done.stdout
    assert '  unknown   what search_1.query gives back: a call raises until its script says it' in done.stdout
    assert replayed(suite, 'raw').calls[0].error is not None


@pytest.mark.parametrize('indent', [None, '\t'])
def test_tools_as_json_may_have_tabs_and_escapes(suite: CaptureSuite, tmp_path: Path, indent: str | None) -> None:
    suite.ask()
    path = tmp_path / 'tools.json'
    (node,) = search()
    node['functions'][0]['description'] = 'Find 🌲.'
    path.write_text(json.dumps({'tools': [node]}, indent=indent))
    suite.captured(*RAW, '--tools', path, given=ANSWER)

    assert suite.data('raw')['tools'] == [node]


def test_a_configuration_can_be_given(suite: CaptureSuite, tmp_path: Path, tools: Path) -> None:
    suite.ask()
    (tmp_path / 'config.yaml').write_text('require_tool_call: true\ninstructions: [Be brief.]\n')
    suite.captured(*RAW, '--tools', tools, '--config', tmp_path / 'config.yaml', given='It has 41,200.')

    assert suite.data('raw')['models']['big-model']['stop_reason'] == 'guard'
    assert suite.data('raw')['config'] == {'require_tool_call': True, 'instructions': ['Be brief.']}


@pytest.mark.parametrize(
    ('text', 'told'),
    [
        (
            '- node: a\n  functions:\n    - {name: f, txet: x}\n',
            '3:17: unknown key `txet` in item 1 of `functions`',
        ),
        ('- node: a\n  functions:\n    - {description: f}\n', '3:7: '),
        ('tools:\n  - {functions: []}\n', '2:5: '),
        ('- node: a\n  functions: [\n', '3:1: this is not YAML'),
        ('just a text\n', '1:1: there is no list of tools'),
        ('[{"type": "function", "function": {"description": "x"}}]', '1:2: this is no OpenAI tool with a name'),
        ('- node: a\n  functions:\n    - {name: f, text: 391}\n', '3:23: `text` must be a text'),
    ],
)
def test_a_mistake_in_a_file_of_tools_is_named_with_its_place(
    suite: CaptureSuite, tmp_path: Path, text: str, told: str
) -> None:
    suite.ask()
    path = tmp_path / 'tools.yaml'
    path.write_text(text)
    done = suite.captured(*RAW, '--tools', path, given=ANSWER, code=2)

    assert done.stderr.startswith(f'{path}:{told}'), done.stderr


@pytest.mark.parametrize(
    ('given', 'more', 'told'),
    [
        (b'', [], 'standard input: there is no output of a model in it'),
        (b'one\n\xff', [], 'standard input:2: this is not UTF-8 text'),
        (b'"one"\n{', ['--json-lines'], 'standard input:2: this is not JSON: '),
        (b'{"txt": "one"}', ['--json-lines'], 'standard input:1: this is no output of a model: txt: '),
        (b'12', ['--json-lines'], 'standard input:1: this is no output of a model: text: '),
        (b'x' * 4_000_001, [], 'standard input: this is longer than 4,000,000 bytes'),
    ],
)
def test_what_is_no_output_is_refused(suite: CaptureSuite, given: bytes, more: list[str], told: str) -> None:
    suite.ask()
    assert suite.captured(*RAW, *more, given=given, code=2).stderr.startswith(told)


@pytest.mark.parametrize(
    ('arguments', 'told'),
    [
        (['--id', 'x'], 'give the name of the model with --model NAME'),
        (['--id', 'x', '--model', 'm'], 'give the question with --question TEXT'),
        (['--model', 'm', '--question', 'q'], 'give the new scenario an id with --id NEW-ID'),
        (['--id', 'My Case!', '--model', 'm'], "--id: 'My Case!' is no id: "),
        (['--id', '../x', '--model', 'm'], "--id: '../x' is no id: "),
        (['--id', 'x', '--family', '../y', '--model', 'm'], "--family: '../y' is no family"),
        (['--id', 'x', '--model', '../m', '--question', 'q'], 'is no name for a model'),
        (['--id', 'x', '--run', 'lake'], '--run, --epoch and --line choose a run of a results store'),
        (['results.jsonl', '--id', 'x'], 'say which run with --run SCENARIO'),
        (['a.jsonl', 'b.jsonl', '--id', 'x'], 'give one results store, not 2'),
        (['nothing.jsonl', '--id', 'x', '--run', 'y'], 'nothing.jsonl:1: the file cannot be read'),
        (['--accept'], 'name the proposals to accept'),
        (['--accept', 'lake', '--id', 'x'], '--id means nothing with --accept'),
        (['--accept', 'lakes'], "there is no scenario 'lakes': did you mean 'lake'?"),
        (['--accept', 'lake'], 'lake is no proposal, so there is nothing to accept'),
    ],
)
def test_wrong_use_says_what_to_do(suite: CaptureSuite, arguments: list[str], told: str) -> None:
    suite.ask()
    before = suite.files()
    done = suite.captured(*arguments, given=ANSWER, code=2)

    assert told in done.stderr
    assert suite.files() == before


# -------------------------------------------------------------------------------------------------- a payload of a node

ENDS: dict[str, dict[str, Any]] = {
    'answer': {'outputs': [LOOK, ANSWER]},
    'direct_answer': {'outputs': [LOOK, 'It has 41,200 people.\n\nAs far as I know.']},
    'malformed_step': {'outputs': [MALFORMED]},
    'empty': {'outputs': [LOOK, 'Answer:']},
    'max_iterations': {'outputs': [LOOK, LOST], 'repeat_last': True},
    'guard': {'outputs': [LOST, 'I found that it has 41,200.']},
    'error': {'outputs': [LOOK, {'error': {'status': 429, 'message': 'too many'}}]},
}


@pytest.mark.parametrize('reason', ENDS)
def test_a_payload_is_played_again_to_the_same_payload(
    suite: CaptureSuite, tmp_path: Path, tools: Path, reason: str
) -> None:
    suite.ask('lake', model=ENDS[reason], config={'require_tool_call': True} if reason == 'guard' else None)
    (original,) = records(suite.store())
    path = tmp_path / 'payload.json'
    path.write_text(json.dumps(original.payload))
    given = ['--payload', path, '--tools', tools]
    done = suite.captured('--id', 'again', '--question', QUESTION, '--model', 'big-model', *given)

    payload = replayed(suite, 'again').payload
    assert payload['content'] == original.payload['content']
    assert payload['stack'] == original.payload['stack']
    assert payload['meta']['stop_reason'] == reason
    assert payload['meta']['tool_calls'] == original.payload['meta']['tool_calls']
    assert 'note' not in done.stdout
    assert '  unknown   what the model wrote, to the letter: its turns are rebuilt' in done.stdout
    assert ('withheld: a sentence stands in for it' in done.stdout) == (reason == 'guard')
    assert suite.data('again')['source'].endswith('so its turns are rebuilt in the canonical form')


def test_without_tools_those_are_offered_that_were_called(suite: CaptureSuite) -> None:
    matches = [
        {'input': {'q': 'Lakeview'}, 'raises': {'type': 'KeyError', 'message': "the 'lake'"}},
        {'input': {'q': 'Lake'}, 'returns': {'people': 41200, 'of': ['here']}},
    ]
    suite.ask('lake', LOST, LOOK, LOOK.replace('view', ''), ANSWER, tools=search(matches=matches))
    (original,) = records(suite.store())
    given = json.dumps(original.payload)
    done = suite.captured('--payload', '-', '--id', 'again', '--question', QUESTION, '--model', 'm', given=given)

    assert suite.data('again')['tools'] == [
        {
            'node': 'search_1',
            'functions': [
                {
                    'name': 'query',
                    'matches': [matches[0], {'input': {'q': 'Lake'}, 'text': '{"people": 41200, "of": ["here"]}'}],
                }
            ],
        }
    ]
    assert 'which tools were offered, their descriptions and schemas: give them with --tools FILE' in done.stdout
    assert 'note' not in done.stdout
    assert replayed(suite, 'again').payload['stack'] == original.payload['stack']


def test_what_a_payload_leaves_open_is_told(suite: CaptureSuite, tools: Path) -> None:
    suite.ask('lake')
    payload = {
        'content': 'boom',
        'meta': {'tool_calls': 3},
        'stack': [{'kind': 'RocketRide.agent.error.v1', 'name': 'exception', 'payload': {'type': 'OddError'}}],
    }
    given = ['--payload', '-', '--tools', tools, '--id', 'again', '--question', QUESTION, '--model', 'm']
    done = suite.captured(*given, given=json.dumps(payload))

    assert "no server gives an error of the kind 'OddError': HTTP 500 stands in for it" in done.stdout
    assert 'the payload tells of 3 tool calls, its steps of 0' in done.stdout
    assert 'the answer was "boom", now it is ' in done.stdout


@pytest.mark.parametrize(
    ('text', 'told'),
    [
        ('{\n "content": }', 'payload.json:2:13: this is not JSON'),
        ('[]', 'payload.json: this is no payload (content, meta, stack) of a node: it: '),
        ('{"content": 3, "meta": {}, "stack": []}', 'of a node: content: '),
        ('{"content": "", "meta": {}, "stack": [3]}', 'of a node: stack[0]: '),
        (
            '{"content": "", "meta": {}, "stack": [{"kind": "RocketRide.agent.raw.v1", "payload": [{"action": 1}]}]}',
            'step 1 is no step of a run: action: ',
        ),
    ],
)
def test_what_is_no_payload_is_refused(suite: CaptureSuite, tmp_path: Path, text: str, told: str) -> None:
    suite.ask()
    path = tmp_path / 'payload.json'
    path.write_text(text)
    done = suite.captured('--payload', path, '--id', 'x', '--question', 'q', '--model', 'm', code=2)

    assert told in done.stderr
