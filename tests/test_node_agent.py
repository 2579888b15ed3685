from __future__ import annotations

import json
import logging
import math
import uuid
from datetime import datetime, timedelta
from typing import Any

import pytest
from node_host import (
    ANSWER,
    CALL,
    NODE,
    PLATFORM,
    Host,
    Question,
    ask,
    box,
    observations,
    question,
    reply,
    started,
    steps,
)

GUARD, ERROR, RAW = 'RocketRide.agent.guard.v1', 'RocketRide.agent.error.v1', 'RocketRide.agent.raw.v1'
EXHAUSTED = 'Agent stopped after reaching the maximum number of reasoning steps.'
UNKNOWN = 'Thought: I need it.\nAction: chest_1.get\nAction Input: {}'


class LlmError(Exception):
    """What an LLM node raises."""


# ----------------------------------------------------------------------------------------------------------- the loop


def test_an_answer_after_a_call_ends_the_run() -> None:
    host = Host(CALL, ANSWER, tools=box('a coin'))
    payload = ask(host)
    assert payload['content'] == 'It is 42.'
    assert payload['meta']['stop_reason'] == 'answer'
    assert host.of('call') == [('box_1.get', {})]
    assert steps(payload) == [{'action': 'box_1.get', 'action_input': {}, 'observation': 'a coin'}]
    assert 'Observation: a coin' in host.prompts[1]


def test_a_run_asks_ten_times_and_then_says_that_it_stopped() -> None:
    host = Host(*[CALL] * 11, tools=box())
    payload = ask(host)
    assert len(host.asked) == 10
    assert len(steps(payload)) == 10
    assert payload['content'] == EXHAUSTED
    assert payload['meta']['stop_reason'] == 'max_iterations'
    assert payload['meta']['tool_calls'] == 10
    assert [entry['kind'] for entry in payload['stack']] == [RAW]
    assert host.texts == [EXHAUSTED]


def test_an_answer_in_the_tenth_call_is_delivered() -> None:
    assert ask(Host(*[CALL] * 9, ANSWER, tools=box()))['content'] == 'It is 42.'


def test_every_call_of_the_llm_carries_the_stop_word() -> None:
    host = Host(CALL, UNKNOWN, ANSWER, tools=box())
    ask(host)
    assert [asked.stop for asked in host.asked] == [['Observation:']] * 3
    host = Host('Hello')
    ask(host)
    assert [asked.stop for asked in host.asked] == [['Observation:']]


def test_an_llm_node_that_changes_the_stop_words_changes_them_for_itself_alone() -> None:
    class Greedy(Host):
        def invoke(self, param: Any, component_id: str = '') -> Any:
            got = super().invoke(param, component_id)
            if param.op == 'ask':
                assert param.stop == ['Observation:']
                param.stop.append('everything')
            return got

    assert ask(Greedy(CALL, ANSWER, tools=box()))['content'] == 'It is 42.'


def test_without_tools_there_is_one_call_and_a_stray_action_is_a_direct_answer() -> None:
    host = Host('Thought: hm\nAction: box_1.get\nAction Input: {}', 'never asked')
    payload = ask(host)
    assert len(host.asked) == 1
    assert payload['meta']['stop_reason'] == 'direct_answer'
    assert 'box_1.get' in payload['content']
    assert steps(payload) == []


@pytest.mark.parametrize(
    ('output', 'content', 'reason'),
    [
        (ANSWER, 'It is 42.', 'answer'),
        ('It is 42.', 'It is 42.', 'direct_answer'),
        ('Thought: It is 42.', 'It is 42.', 'direct_answer'),
        ('Thought: x\nAnswer:', '', 'empty'),
        ('', '', 'empty'),
        (' \n ', '', 'empty'),
        (None, '', 'empty'),
        (42, '42', 'direct_answer'),
    ],
)
def test_each_kind_of_reply_has_its_content_and_its_reason(output: Any, content: str, reason: str) -> None:
    host = Host(output, tools=box())
    payload = ask(host)
    assert (payload['content'], payload['meta']['stop_reason']) == (content, reason)
    assert host.texts == [content]


def test_an_attempted_call_that_cannot_be_read_is_not_run_and_says_so() -> None:
    host = Host('Thought: x\nAction: box_1.get\nAction Input: {"a": ', tools=box())
    payload = ask(host)
    assert payload['meta']['stop_reason'] == 'malformed_step'
    assert host.of('call') == []
    assert payload['meta']['tool_calls'] == 0


def test_an_answer_object_without_a_text_is_an_empty_answer() -> None:
    from rocketride.schema import Answer

    assert ask(Host(Answer()))['meta']['stop_reason'] == 'empty'


def test_an_answer_object_with_json_is_read_as_its_text() -> None:
    from rocketride.schema import Answer

    answer = Answer(expectJson=True)
    answer.setAnswer({'value': 42})
    assert json.loads(ask(Host(answer))['content']) == {'value': 42}


def test_half_a_surrogate_pair_in_an_output_reaches_nobody() -> None:
    thought, name = 'Thought: \ud83d\nAction: box_1.get\nAction Input: {}', 'Action: box\ud83d\nAction Input: {}'
    host = Host(thought, name, 'Thought: x\nAnswer: a\udc00b', tools=box())
    payload = ask(host)
    assert [step['action'] for step in steps(payload)] == ['box_1.get', 'box\ufffd']
    assert payload['content'] == 'a\ufffdb'
    json.dumps([payload, host.texts, host.prompts], ensure_ascii=False).encode()


def test_an_unknown_name_that_starts_with_a_bracket_takes_no_time() -> None:
    # The library's own parser needs hours for this one, and nothing can interrupt it.
    payload = ask(Host(f'Action: ({"a" * 1_000_000}\nAction Input: {{}}', ANSWER, tools=box()))
    assert json.loads(observations(payload)[0])['type'] == 'ToolNotFoundError'


# ------------------------------------------------------------------------------------------------------------- errors


def test_an_llm_that_fails_ends_the_run_as_an_error_and_keeps_the_steps() -> None:
    host = Host(CALL, LlmError('no capacity'), tools=box('a coin'))
    payload = ask(host)
    assert payload['content'] == 'no capacity'
    assert payload['meta']['stop_reason'] == 'error'
    assert payload['meta']['tool_calls'] == 1
    assert payload['stack'] == [
        {'kind': ERROR, 'name': 'exception', 'payload': {'type': 'LlmError', 'message': 'no capacity'}},
        {
            'kind': RAW,
            'name': 'framework.output',
            'payload': [{'action': 'box_1.get', 'action_input': {}, 'observation': 'a coin'}],
        },
    ]
    assert host.texts == ['no capacity']


@pytest.mark.parametrize('message', ['', '  '])
def test_an_exception_without_a_message_is_named_by_its_class(message: str) -> None:
    payload = ask(Host(LlmError(message)))
    assert payload['content'] == 'LlmError (no message)'
    assert payload['stack'][0]['payload'] == {'type': 'LlmError', 'message': message}


def test_an_exception_whose_text_cannot_be_had_is_still_an_answer() -> None:
    class MuteError(Exception):
        def __str__(self) -> str:
            raise RuntimeError('no text')

    host = Host(MuteError())
    payload = ask(host)
    assert payload['meta']['stop_reason'] == 'error'
    assert 'MuteError' in payload['content']
    assert len(host.texts) == 1


def test_an_error_with_half_a_surrogate_pair_can_be_encoded() -> None:
    payload = ask(Host(LlmError('bad \ud83d')))
    assert payload['content'] == 'bad \ufffd'
    assert json.dumps(payload, ensure_ascii=False).encode()


def test_something_that_is_no_question_is_an_error_with_an_answer() -> None:
    host = Host('never asked')
    assert ask(host, object())['meta']['stop_reason'] == 'error'
    assert len(host.texts) == 1


def test_an_interrupt_is_no_outcome_of_a_run() -> None:
    host = Host(KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        ask(host)
    assert host.texts == []


def test_progress_that_cannot_be_sent_does_not_end_a_run(caplog: pytest.LogCaptureFixture) -> None:
    class Deaf(Host):
        def sendSSE(self, type: str, **data: Any) -> None:  # noqa: A002
            raise OSError('nobody listens \ud83d')

    host = Deaf(CALL, ANSWER, tools=box())
    with caplog.at_level(logging.DEBUG):
        assert ask(host)['content'] == 'It is 42.'
    assert host.of('call') == [('box_1.get', {})]
    assert 'no progress sent: nobody listens' in caplog.text
    caplog.text.encode()


# -------------------------------------------------------------------------------------------------------------- guard


@pytest.mark.parametrize(
    'outputs',
    [
        ['Thought: x\nAnswer: I searched, and it is Zyzzyva.'],
        ['I searched, and it is Zyzzyva.'],
        ['Thought: x\nAction: box_1.get\nAction Input: "Zyzzyva"'],
        [UNKNOWN, 'Thought: x\nAnswer: It is Zyzzyva.'],
        [UNKNOWN] * 10,
        [''],
    ],
    ids=['answer', 'direct', 'malformed', 'unknown tool', 'exhausted', 'empty'],
)
def test_the_guard_refuses_every_answer_that_no_call_stands_behind(
    outputs: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    host = Host(*outputs, tools=box())
    with caplog.at_level(logging.DEBUG):
        payload = ask(host, require_tool_call=True)
    guard, raw = payload['stack']
    assert (guard['kind'], guard['name'], guard['payload']['guard']) == (
        GUARD,
        'tool_call_required',
        'require_tool_call',
    )
    assert (raw['kind'], raw['name']) == (RAW, 'framework.output')
    assert 'without invoking any tool' in payload['content']
    assert guard['payload']['message'] == payload['content']
    assert (payload['meta']['stop_reason'], payload['meta']['tool_calls']) == ('guard', 0)
    assert host.texts == [payload['content']]
    given_out = json.dumps([payload, host.texts, host.of('event')]) + caplog.text
    assert 'Zyzzyva' not in given_out
    assert EXHAUSTED not in given_out
    assert 'ended with tool_call_required' in caplog.text


def test_the_guard_keeps_the_steps_behind_its_entry() -> None:
    payload = ask(Host(UNKNOWN, ANSWER, tools=box()), require_tool_call=True)
    assert [step['action'] for step in payload['stack'][1]['payload']] == ['chest_1.get']


@pytest.mark.parametrize('result', ['seen', LlmError('the box is locked'), None])
def test_a_call_that_reached_a_tool_satisfies_the_guard_whatever_came_of_it(result: Any) -> None:
    payload = ask(Host(CALL, ANSWER, tools=box(result)), require_tool_call=True)
    assert payload['content'] == 'It is 42.'
    assert payload['meta']['tool_calls'] == 1


def test_the_guard_lets_an_exhausted_run_pass_that_called_a_tool() -> None:
    assert ask(Host(*[CALL] * 10, tools=box()), require_tool_call=True)['content'] == EXHAUSTED


def test_an_error_is_not_turned_into_a_guard_failure() -> None:
    payload = ask(Host(LlmError('no capacity'), tools=box()), require_tool_call=True)
    assert [entry['kind'] for entry in payload['stack']] == [ERROR, RAW]
    assert payload['meta']['stop_reason'] == 'error'


def test_without_the_guard_a_narrated_answer_is_delivered() -> None:
    assert ask(Host('I searched, and it is Zyzzyva.', tools=box()))['content'] == 'I searched, and it is Zyzzyva.'


# ----------------------------------------------------------------------------------------------------- tools and steps


def test_an_unknown_tool_is_reported_with_the_known_ones_and_reaches_nobody() -> None:
    host = Host('Thought: x\nAction: chest_1.get\nAction Input: {"key": [1]}', ANSWER, tools=box())
    payload = ask(host)
    assert host.of('call') == []
    assert payload['meta']['tool_calls'] == 0
    (step,) = steps(payload)
    assert (step['action'], step['action_input']) == ('chest_1.get', {'key': [1]})
    error = json.loads(step['observation'])
    assert list(error) == ['tool', 'error', 'type']
    assert (error['tool'], error['type']) == ('chest_1.get', 'ToolNotFoundError')
    assert 'box_1.get' in error['error']
    assert [event['message'] for event in host.of('event')] == ['Starting LlamaIndex agent...']


class Mute(Exception):
    def __str__(self) -> str:
        raise RuntimeError('no text')


class Halt(BaseException):
    """Neither an Exception nor an interrupt, as cancelled tasks and `pytest.fail` are."""


@pytest.mark.parametrize(
    ('raised', 'message'),
    [
        (ValueError('the box is locked'), 'the box is locked'),
        (ValueError(''), ''),
        (KeyError('key'), "'key'"),
        (Mute(), '<Mute without a text>'),
        (SystemExit(3), '3'),
        (Halt('stopped'), 'stopped'),
        (RecursionError('too deep'), 'too deep'),
    ],
)
def test_whatever_a_tool_raises_is_an_observation_and_the_loop_goes_on(raised: BaseException, message: str) -> None:
    host = Host(CALL, ANSWER, tools=box(raised))
    payload = ask(host)
    assert payload['content'] == 'It is 42.'
    assert payload['meta']['tool_calls'] == 1
    error = {'tool': 'box_1.get', 'error': message, 'type': type(raised).__name__}
    assert observations(payload) == [json.dumps(error)]
    assert f'Observation: {json.dumps(error)}' in host.prompts[1]


def test_an_interrupt_inside_a_tool_is_an_interrupt() -> None:
    with pytest.raises(KeyboardInterrupt):
        ask(Host(CALL, ANSWER, tools=box(KeyboardInterrupt())))


def test_a_tool_that_changes_its_input_changes_a_copy() -> None:
    def eat(given: dict[str, Any]) -> str:
        given['list'].clear()
        given['more'] = given
        return 'eaten'

    host = Host('Thought: x\nAction: box_1.get\nAction Input: {"list": [1, 2]}', ANSWER, tools=box(eat))
    payload = ask(host)
    assert steps(payload)[0]['action_input'] == {'list': [1, 2]}
    assert 'Action Input: {"list": [1, 2]}' in host.prompts[1]


class Unspeakable:
    def __str__(self) -> str:
        raise RuntimeError('no text')


def _cycle() -> dict[str, Any]:
    value: dict[str, Any] = {'list': []}
    value['list'].append(value)
    return value


def _deep() -> list[Any]:
    value: list[Any] = []
    for _ in range(100_000):
        value = [value]
    return value


@pytest.mark.parametrize(
    'result',
    [
        _cycle(),
        {'a': (math.nan, [math.inf, {'b': -math.inf}])},
        {'a': 10**5000},
        10**5000,
        {'a': Unspeakable()},
        Unspeakable(),
        b'\xff\x00',
        {'a': b'\xff'},
        'half a pair \ud83d',
        {'half a pair \ud83d': '\udc00'},
        {(1, 2): 3},
        {math.nan: math.nan},
        _deep(),
        {'date': datetime(2026, 1, 2)},
        {1, 2},
        None,
    ],
    ids=lambda result: type(result).__name__,
)
def test_whatever_a_tool_returns_the_payload_is_json_and_the_run_goes_on(result: Any) -> None:
    host = Host(CALL, ANSWER, tools=box(lambda given: result))
    payload = ask(host)
    assert payload['content'] == 'It is 42.'
    (observation,) = observations(payload)
    assert observation
    assert '"type": "' not in observation, 'it was taken for an error'
    json.dumps([payload, host.prompts], ensure_ascii=False, allow_nan=False).encode()


def test_a_result_that_breaks_while_it_is_read_is_an_observation_too() -> None:
    class Broken(dict[str, Any]):
        def items(self) -> Any:
            raise OSError('gone')

    assert observations(ask(Host(CALL, ANSWER, tools=box(Broken(a=1))))) == ["{'a': 1}"]


# --------------------------------------------------------------------------------------------------- the payload's meta


def test_meta_names_the_run_and_holds_no_secret() -> None:
    first, second = (ask(Host(CALL, ANSWER, tools=box())) for _ in range(2))
    meta = first['meta']
    assert set(first) == {'content', 'meta', 'stack'}
    assert set(meta) == {'framework', 'agent_id', 'run_id', 'started_at', 'ended_at', 'tool_calls', 'stop_reason'}
    assert (meta['framework'], meta['agent_id']) == ('llamaindex', 'agent_llamaindex')
    assert str(uuid.UUID(meta['run_id'])) == meta['run_id'] != second['meta']['run_id']
    began, ended = (datetime.fromisoformat(meta[key]) for key in ('started_at', 'ended_at'))
    assert began.utcoffset() == ended.utcoffset() == timedelta(0)
    assert began <= ended
    assert type(meta['tool_calls']) is int
    assert 'secret-task-token' not in json.dumps(first)


@pytest.mark.parametrize('outputs', [[ANSWER], ['text'], [''], [LlmError('x')], [CALL] * 10, [CALL, LlmError('')]])
@pytest.mark.parametrize('guard', [False, True])
def test_every_outcome_writes_its_content_to_the_lane_exactly_once(outputs: list[Any], guard: bool) -> None:
    host = Host(*outputs, tools=box())
    payload = ask(host, require_tool_call=guard)
    assert host.texts == [payload['content']]
    assert host.log[-1][0] == 'write'
    assert not host.of('write')[0].isJson()


# ------------------------------------------------------------------------------------------------------------ progress


def test_progress_says_that_a_run_starts_and_names_each_tool_before_it_is_called() -> None:
    host = Host(CALL, CALL, ANSWER, tools=box())
    ask(host)
    assert [kind for kind, _ in host.log] == ['event', 'ask', 'event', 'call', 'ask', 'event', 'call', 'ask', 'write']
    calling = {'type': 'thinking', 'message': 'Calling box_1.get...', 'tool': 'box_1.get'}
    start = {'type': 'thinking', 'message': 'Starting LlamaIndex agent...'}
    assert host.of('event') == [start, calling, calling]


# ------------------------------------------------------------------------------------------------------------ channels


@pytest.mark.parametrize('llms', [[], ['llm_1', 'llm_2'], ['a', 'b', 'c']])
def test_there_has_to_be_exactly_one_llm(llms: list[str]) -> None:
    host = Host('never asked', llms=llms)
    with pytest.raises(ValueError, match=rf'"llm".* found {len(llms)}'):
        ask(host)
    assert host.log == []


def test_the_caller_keeps_the_question_it_had() -> None:
    asked = question(role='You are terse.', expectJson=True)
    asked.addInstruction('Own', 'Be polite.')
    asked.addContext('the box is red')
    before = asked.model_dump_json()
    shared = started(instructions=['Be brief.'])
    for _ in range(2):
        host = Host(CALL, ANSWER, tools=box())
        shared.agent.run_agent(type('Pipe', (), {'instance': host}), asked)
        assert host.prompts[1].count('Be brief.') == 1
    assert asked.model_dump_json() == before


def test_an_llm_node_that_changes_its_question_changes_a_copy() -> None:
    class Meddler(Host):
        def invoke(self, param: Any, component_id: str = '') -> Any:
            got = super().invoke(param, component_id)
            if param.op == 'ask':
                param.question.addInstruction('Mine', 'Shout.')
                param.question.questions[0].text += ' SHOUT'
            return got

    asked = question()
    host = Meddler(CALL, ANSWER, tools=box())
    ask(host, asked)
    assert 'SHOUT' not in host.prompts[1]
    assert 'Shout.' not in host.prompts[1]
    assert asked == question()


@pytest.mark.parametrize(
    'part', ['role', 'instructions', 'history', 'examples', 'context', 'goals', 'documents', 'filter']
)
def test_a_question_with_nothing_in_a_part_is_asked_all_the_same(part: str) -> None:
    host = Host(CALL, ANSWER, tools=box())
    asked = question(**{part: None})
    assert ask(host, asked)['content'] == 'It is 42.'
    assert host.prompts[1].count('What is in the box?') == 1
    assert getattr(asked, part) is None


@pytest.mark.parametrize('texts', [None, []])
def test_a_question_without_a_text_is_asked_all_the_same(texts: Any) -> None:
    host = Host(CALL, ANSWER, tools=box('a coin'))
    asked = Question(questions=texts)
    assert ask(host, asked)['content'] == 'It is 42.'
    assert 'Observation: a coin' in host.prompts[1]
    assert not asked.questions


def test_a_node_that_was_not_started_says_so() -> None:
    shared = started()
    shared.endGlobal()
    instance = NODE.IInstance()
    instance.IGlobal, instance.instance = shared, Host('never asked')
    with pytest.raises(RuntimeError, match='agent_llamaindex: the node has no agent'):
        instance.writeQuestions(question())


def test_the_engine_side_of_a_reply_is_real() -> None:
    # If this fails, the hand-made host of these tests is no host.
    assert reply('text').getText() == 'text'
    assert PLATFORM.types.IInvokeLLM.Ask(question=question(), stop=['x']).op == 'ask'
