"""Findings: every kind of expectation holds where it should, and is unmet where it should be."""

from __future__ import annotations

import copy
import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.expect import Finding, findings
from harness.expect.difference import holds, same, structure_diff, text_diff
from harness.record import Event, Failure, LaneWrite, RunRecord, ToolCall, Turn
from harness.scenario import Scenario

RAW = 'RocketRide.agent.raw.v1'
GUARD = 'RocketRide.agent.guard.v1'
ERROR = 'RocketRide.agent.error.v1'

STEP_1 = {'action': 'search_1.query', 'action_input': {'q': 'Lakeview', 'n': 1}, 'observation': '41,200 people'}
STEP_2 = {
    'action': 'files_1.read',
    'action_input': {},
    'observation': '{"tool": "files_1.read", "error": "no such file: a.txt", "type": "FileNotFoundError"}',
}
SCHEMA = {'type': 'object', 'properties': {'q': {'type': 'string'}}, 'required': ['q']}
PAYLOAD = {
    'content': 'It has 41,200 people.',
    'meta': {
        'framework': 'llamaindex',
        'run_id': 'f1',
        'started_at': '2026-01-01T10:00:00.000000+00:00',
        'ended_at': '2026-01-01T10:00:00.500000+00:00',
        'tool_calls': 2,
        'stop_reason': 'answer',
        'extra': {'a': 1, 'b': [1, 2]},
    },
    'stack': [{'kind': RAW, 'name': 'framework.output', 'payload': [STEP_1, STEP_2]}],
}


def turn(index: int, prompt: str = 'Q', output: str = 'Answer: x', agent: str = 'agent', **more: Any) -> Turn:
    return Turn(agent=agent, index=index, prompt=prompt, output=output, **{'stop': ('Observation:',), **more})


def record(**changes: Any) -> RunRecord:
    """A run of three LLM calls and two tool calls, in which everything went well."""
    base: dict[str, Any] = {
        'scenario': 'a',
        'node': 'n',
        'turns': (
            turn(0, 'Use tools.\nQuestion: how many?', 'Action: search_1.query'),
            turn(1, 'Use tools.\nQuestion: how many?\nObservation: 41,200 people', 'Action: files_1.read'),
            turn(2, 'Use tools.\nQuestion: how many?\nObservation: more', 'Answer: It has 41,200 people.'),
        ),
        'calls': (
            ToolCall(
                agent='agent', tool='search_1.query', input={'q': 'Lakeview', 'n': 1}, turn=0, output='41,200 people'
            ),
            ToolCall(agent='agent', tool='files_1.read', input={}, turn=1, error=Failure(type='OSError', message='no')),
        ),
        'events': (
            Event(agent='agent', type='thinking', data={'message': 'Starting...'}),
            Event(
                agent='agent', type='thinking', data={'message': 'Calling search_1.query...', 'tool': 'search_1.query'}
            ),
        ),
        'lane_writes': (LaneWrite(agent='agent', lane='answers', text='It has 41,200 people.'),),
        'payload': copy.deepcopy(PAYLOAD),
        'duration_s': 0.5,
        'descriptors': ({'name': 'run_agent', 'description': 'Ask me.', 'inputSchema': SCHEMA},),
        'service': {'protocol': 'agent://', 'lanes': {'questions': ['answers']}},
        'installs': ('requirements.txt',),
    }
    return RunRecord(**{**base, **changes})


def payload(**changes: Any) -> dict[str, Any]:
    return {**copy.deepcopy(PAYLOAD), **changes}


def with_steps(*steps: Any) -> RunRecord:
    return record(payload=payload(stack=[{'kind': RAW, 'name': 'framework.output', 'payload': list(steps)}]))


def judge(expect: dict[str, Any], run: RunRecord | None = None, **scenario: Any) -> tuple[Finding, ...]:
    value = {'id': 'a', 'title': 't', 'family': 'f', 'expect': expect, **scenario}
    return findings(Scenario.model_validate(value), run or record())


def only(expect: dict[str, Any], run: RunRecord | None = None, **scenario: Any) -> Finding:
    """Return the one finding there must be."""
    found = judge(expect, run, **scenario)
    assert len(found) == 1, found
    return found[0]


# ----------------------------------------------------------------------------------------------------- exact comparison

DIFFERENT = [
    (True, 1),
    (1, 1.0),
    (0, False),
    ('1', 1),
    (None, 'null'),
    (None, 0),
    ('', None),
    ({}, []),
    ([1], [True]),
    ([1, 2], [2, 1]),
    ([1], [1, 1]),
    ({'a': 1}, {'a': 1.0}),
    ({'a': None}, {}),
    ({'a': 1}, {'a': 1, 'b': 2}),
    ([[1, 2], [3]], [[1, 2], [3.0]]),
    ({'a': [{'b': 0}]}, {'a': [{'b': False}]}),
    ({'1': 'a'}, {1: 'a'}),
    ('a', 'a '),
    ('a\r\n', 'a\n'),
]

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.sampled_from([0.0, 1.0, -1.0, 0.5])
    | st.sampled_from(['', '1', 'a']),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(['a', 'b', '1']), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize(('one', 'other'), DIFFERENT)
def test_values_of_another_type_or_order_are_not_the_same(one: Any, other: Any) -> None:
    assert not same(one, other)
    assert not same(other, one)
    assert structure_diff(one, other)


@given(JSON, JSON)
def test_two_values_are_the_same_exactly_when_their_json_is(one: Any, other: Any) -> None:
    as_json = [json.dumps(value, sort_keys=True) for value in (one, other)]
    assert same(one, other) == (as_json[0] == as_json[1])
    assert bool(structure_diff(one, other)) != same(one, other)


@given(JSON)
def test_a_value_is_the_same_as_its_copy(value: Any) -> None:
    assert same(value, copy.deepcopy(value))
    assert structure_diff(value, copy.deepcopy(value)) == ''


def test_given_keys_are_compared_at_any_depth_and_lists_as_a_whole() -> None:
    whole = {'a': {'b': 1, 'c': [{'d': 1, 'e': 2}]}, 'f': 0}
    assert holds({}, whole)
    assert holds({'a': {'b': 1}}, whole)
    assert holds({'a': {'c': [{'d': 1, 'e': 2}]}}, whole)
    assert not holds({'a': {'c': [{'d': 1}]}}, whole)
    assert not holds({'a': {'b': True}}, whole)
    assert not holds({'g': None}, whole)
    assert not holds({'a': {'b': {}}}, whole)


def test_a_structure_diff_names_the_places_that_differ() -> None:
    diff = structure_diff({'a': [1, {'b': 'x'}], 'c': 1}, {'a': [1.0, {'b': 'y'}], 'd': 2})
    assert diff.split('\n') == [
        'a[0]: expected 1, came 1.0',
        'a[1].b: expected "x", came "y"',
        'c: expected 1, came nothing',
        'd: expected nothing, came 2',
    ]


def test_a_text_diff_shows_what_cannot_be_seen() -> None:
    diff = text_diff('one\r\ntwo \nthree', 'one\ntwo\nthree')
    assert diff.startswith('first difference at line 1, column 4 (15 characters expected, 13 came)')
    assert '-one\\r\n' in diff
    assert '+one\n' in diff
    assert '-two\\x20\n' in diff


def test_a_text_diff_of_a_huge_text_is_short_and_around_the_first_difference() -> None:
    lines = [f'line {number}' for number in range(100_000)]
    changed = [*lines[:70_000], 'another line', *lines[70_001:]]
    diff = text_diff('\n'.join(lines), '\n'.join(changed))
    assert diff.startswith('first difference at line 70001, column 1')
    assert '-line 70000\n+another line' in diff
    assert len(diff) < 2000


def test_a_text_diff_of_one_huge_line_shows_the_surroundings() -> None:
    diff = text_diff('x' * 500_000 + 'a' + 'y' * 500, 'x' * 500_000 + 'b' + 'y' * 500)
    assert 'column 500001' in diff
    assert 'xxxay' in diff
    assert 'xxxby' in diff
    assert len(diff) < 500


@pytest.mark.parametrize('text', ['\n' * 300_000, 'ab\n' * 100_000, 'a' * 900_000])
def test_a_text_diff_is_bounded_whatever_the_texts_are(text: str) -> None:
    assert 0 < len(text_diff(text, text[:-1])) < 30_000
    assert 0 < len(text_diff(text, '')) < 30_000
    assert 0 < len(text_diff('\n'.join(reversed(text.split('\n'))) + 'q', text)) < 30_000


# --------------------------------------------------------------------------------------------- each kind of expectation

MET: list[dict[str, Any]] = [
    {},
    {'answer': 'It has 41,200 people.'},
    {'answer': {'contains': ['41,200', 'people'], 'not_contains': ['300,000']}},
    {'answer': {'parts': ['It has ', {'repeat': '41,200', 'times': 1}, ' people.']}},
    {'stop_reason': 'answer'},
    {'llm_calls': 3},
    {'stop_words': ['Observation:']},
    {'prompts': {'contains': ['Observation: 41,200 people', 'Use tools.']}},
    {'prompts': {'not_contains': ['Answer:']}},
    {'prompts': {'once': ['Use tools.', 'Question: how many?']}},
    {'prompts': {'at': {2: {'contains': ['41,200']}, 1: 'Use tools.\nQuestion: how many?'}}},
    {'calls': [{'tool': 'search_1.query', 'input': {'n': 1, 'q': 'Lakeview'}}, {'tool': 'files_1.read', 'input': {}}]},
    {'prompts': {'at': {3: {'contains': ['more']}}}},
    {'calls': [{'tool': 'search_1.query'}, {'tool': 'files_1.read'}]},
    {'steps': [STEP_1, {'action': 'files_1.read'}]},
    {'steps': [{}, {'observation': {'error': {}}}]},
    {'observations': ['41,200 people', {}]},
    {
        'observations': [
            {'contains': ['41,200']},
            {'error': {'tool': 'files_1.read', 'type': 'FileNotFoundError', 'contains': ['a.txt']}},
        ]
    },
    {'observations': {'each': {'not_contains': ['truncated']}}},
    {'stack': [RAW]},
    {'stack': [{'kind': RAW, 'name': 'framework.output', 'payload': [STEP_1, STEP_2]}]},
    {'meta': {'tool_calls': 2}},
    {'meta': {'extra': {'b': [1, 2]}, 'framework': 'llamaindex'}},
    {'events': ['Starting...', {'type': 'thinking', 'data': {'tool': 'search_1.query'}}]},
    {'events': ['Starting...', 'Calling search_1.query...']},
    {'events': [{'after_calls': 0}, {'data': {'message': 'Calling search_1.query...'}, 'after_calls': 0}]},
    {'events_contain': ['Calling search_1.query...']},
    {'lane_writes': {'answers': 1, 'documents': 0}},
    {'stack_has': [RAW]},
    {'meta_has': ['framework']},
    {'meta_times': ['started_at', 'ended_at']},
    {'nowhere': ['a text of somebody else']},
    {'descriptors': [{'name': 'run_agent'}]},
    {'descriptors': [{'name': 'run_agent', 'description': {'contains': ['Ask']}, 'input_schema': {'required': ['q']}}]},
    {'service': {'lanes': {'questions': ['answers']}}},
    {'installs': ['requirements.txt']},
    {'max_seconds': 1},
    {'max_seconds': 0.5},
]

UNMET: list[tuple[dict[str, Any], tuple[str | int, ...]]] = [
    ({'answer': 'It has 41,200 people'}, ('answer', 'equals')),
    ({'answer': 'it has 41,200 people.'}, ('answer', 'equals')),
    ({'answer': ' It has 41,200 people.'}, ('answer', 'equals')),
    ({'answer': ''}, ('answer', 'equals')),
    ({'answer': {'contains': ['It', '41,201']}}, ('answer', 'contains', 1)),
    ({'answer': {'not_contains': ['x', '41,200']}}, ('answer', 'not_contains', 1)),
    ({'stop_reason': 'direct_answer'}, ('stop_reason',)),
    ({'stop_reason': 'answer '}, ('stop_reason',)),
    ({'llm_calls': 2}, ('llm_calls',)),
    ({'llm_calls': 4}, ('llm_calls',)),
    ({'stop_words': []}, ('stop_words',)),
    ({'stop_words': ['Observation']}, ('stop_words',)),
    ({'stop_words': ['Observation:', 'User:']}, ('stop_words',)),
    ({'prompts': {'contains': ['Use tools.', 'Observation: none']}}, ('prompts', 'contains', 1)),
    ({'prompts': {'not_contains': ['Observation: more']}}, ('prompts', 'not_contains', 0)),
    ({'prompts': {'once': ['Observation:']}}, ('prompts', 'once', 0)),
    ({'prompts': {'once': ['o']}}, ('prompts', 'once', 0)),
    ({'prompts': {'at': {2: {'contains': ['more']}}}}, ('prompts', 'at', 2, 'contains', 0)),
    ({'prompts': {'at': {1: 'Use tools.'}}}, ('prompts', 'at', 1, 'equals')),
    ({'prompts': {'at': {4: {'contains': ['more']}}}}, ('prompts', 'at', 4)),
    ({'calls': []}, ('calls',)),
    ({'calls': [{'tool': 'search_1.query'}]}, ('calls',)),
    ({'calls': [{'tool': 'search_1.query'}, {'tool': 'files_1.read', 'times': 2}]}, ('calls',)),
    ({'calls': [{'tool': 'search_1.query', 'times': 2}]}, ('calls', 0, 'tool')),
    ({'calls': [{'tool': 'files_1.read'}, {'tool': 'files_1.read'}]}, ('calls', 0, 'tool')),
    (
        {'calls': [{'tool': 'search_1.query', 'input': {'q': 'Lakeview', 'n': 1.0}}, {'tool': 'files_1.read'}]},
        ('calls', 0, 'input'),
    ),
    (
        {'calls': [{'tool': 'search_1.query', 'input': {'q': 'Lakeview', 'n': True}}, {'tool': 'files_1.read'}]},
        ('calls', 0, 'input'),
    ),
    (
        {'calls': [{'tool': 'search_1.query', 'input': {'q': 'Lakeview'}}, {'tool': 'files_1.read'}]},
        ('calls', 0, 'input'),
    ),
    ({'calls': [{'tool': 'search_1.query'}, {'tool': 'files_1.read', 'input': None}]}, ('calls', 1, 'input')),
    ({'steps': [STEP_1]}, ('steps',)),
    ({'steps': []}, ('steps',)),
    ({'steps': [{}, {}, {}]}, ('steps',)),
    ({'steps': [{}, {'action': 'files_1.write'}]}, ('steps', 1, 'action')),
    ({'steps': [{'action_input': {'q': 'Lakeview', 'n': '1'}}, {}]}, ('steps', 0, 'action_input')),
    ({'steps': [{}, {'action_input': None}]}, ('steps', 1, 'action_input')),
    ({'steps': [{'observation': '41,200'}, {}]}, ('steps', 0, 'observation', 'equals')),
    ({'steps': [{'observation': {'error': {}}}, {}]}, ('steps', 0, 'observation', 'error')),
    ({'observations': []}, ('observations',)),
    ({'observations': ['41,200 people']}, ('observations',)),
    ({'observations': ['41,200 people', {}, {}]}, ('observations',)),
    ({'observations': ['41,200 peopl', {}]}, ('observations', 0, 'equals')),
    ({'observations': [{}, {'contains': ['b.txt']}]}, ('observations', 1, 'contains', 0)),
    ({'observations': [{}, {'not_contains': ['a.txt']}]}, ('observations', 1, 'not_contains', 0)),
    ({'observations': [{'error': {}}, {}]}, ('observations', 0, 'error')),
    ({'observations': [{}, {'error': {'tool': 'read'}}]}, ('observations', 1, 'error', 'tool')),
    ({'observations': [{}, {'error': {'type': 'OSError'}}]}, ('observations', 1, 'error', 'type')),
    (
        {'observations': [{}, {'error': {'contains': ['no such', 'b.txt']}}]},
        ('observations', 1, 'error', 'contains', 1),
    ),
    ({'observations': {'each': {'contains': ['41,200']}}}, ('observations', 'each', 'contains', 0)),
    ({'observations': {'each': {'error': {}}}}, ('observations', 'each', 'error')),
    ({'stack': []}, ('stack',)),
    ({'stack': [GUARD]}, ('stack',)),
    ({'stack': [RAW, RAW]}, ('stack',)),
    ({'stack': [{'kind': RAW, 'name': 'output'}]}, ('stack', 0, 'name')),
    ({'stack': [{'kind': RAW, 'payload': [STEP_1]}]}, ('stack', 0, 'payload')),
    ({'stack': [{'kind': RAW, 'payload': [STEP_1, {'action': 'files_1.read'}]}]}, ('stack', 0, 'payload')),
    ({'stack': [{'kind': RAW, 'payload': None}]}, ('stack', 0, 'payload')),
    ({'meta': {'tool_calls': 3}}, ('meta', 'tool_calls')),
    ({'meta': {'tool_calls': 2.0}}, ('meta', 'tool_calls')),
    ({'meta': {'tool_calls': '2'}}, ('meta', 'tool_calls')),
    ({'meta': {'task_id': 'x'}}, ('meta', 'task_id')),
    ({'meta': {'task_id': None}}, ('meta', 'task_id')),
    ({'meta': {'extra': {'b': [1]}}}, ('meta', 'extra')),
    ({'events': ['Starting...']}, ('events',)),
    ({'events': ['Starting...', 'Calling search_1.query...', 'Done']}, ('events',)),
    ({'events': ['Calling search_1.query...', 'Calling search_1.query...']}, ('events', 0, 'data')),
    ({'events': [{'type': 'progress'}, {}]}, ('events', 0, 'type')),
    ({'events': [{}, {'after_calls': 1}]}, ('events', 1, 'after_calls')),
    ({'events': [{'data': {'tool': 'search_1.query'}}, {}]}, ('events', 0, 'data')),
    ({'events_contain': ['Calling']}, ('events_contain', 0)),
    ({'lane_writes': {'answers': 0}}, ('lane_writes', 'answers')),
    ({'lane_writes': {'answers': 2}}, ('lane_writes', 'answers')),
    ({'lane_writes': {'documents': 1}}, ('lane_writes', 'documents')),
    ({'stack_has': [RAW, 'RocketRide.agent.guard.v1']}, ('stack_has', 1)),
    ({'meta_has': ['framework', 'owner']}, ('meta_has', 1)),
    ({'meta_has': ['tool_calls']}, ('meta_has', 0)),
    ({'meta_times': ['framework']}, ('meta_times', 0)),
    ({'meta_times': ['ended_at', 'started_at']}, ('meta_times', 1)),
    ({'nowhere': ['somebody else', '41,200']}, ('nowhere', 1)),
    ({'descriptors': []}, ('descriptors',)),
    ({'descriptors': [{'name': 'ask'}]}, ('descriptors',)),
    ({'descriptors': [{'name': 'run_agent', 'description': 'x'}]}, ('descriptors', 0, 'description', 'equals')),
    ({'descriptors': [{'name': 'run_agent', 'input_schema': {'type': 'x'}}]}, ('descriptors', 0, 'input_schema')),
    ({'service': {'lanes': {'questions': []}}}, ('service',)),
    ({'service': {'lanes': {'answers': []}}}, ('service',)),
    ({'installs': []}, ('installs',)),
    ({'max_seconds': 0.4}, ('max_seconds',)),
    ({'raises': {'type': 'ValueError'}}, ('raises',)),
]


@pytest.mark.parametrize('expect', MET, ids=[str(expect)[:80] for expect in MET])
def test_an_expectation_that_holds_gives_no_finding(expect: dict[str, Any]) -> None:
    assert judge(expect) == ()


@pytest.mark.parametrize(('expect', 'loc'), UNMET, ids=[str(expect)[:80] for expect, _ in UNMET])
def test_an_expectation_that_does_not_hold_gives_one_finding_at_its_key(
    expect: dict[str, Any], loc: tuple[str | int, ...]
) -> None:
    finding = only(expect)
    assert finding.loc == ('expect', *loc)
    assert finding.message


def test_every_kind_of_expectation_is_met_and_unmet_in_these_tests() -> None:
    from harness.scenario.expectation import Expectation

    kinds = Expectation.model_fields.keys() - {'agents', 'raises', 'meta_differs'}
    assert {key for expect in MET for key in expect} == kinds
    assert {key for expect, _ in UNMET for key in expect} == kinds | {'raises'}


def test_meta_data_that_must_differ_are_compared_with_every_earlier_run() -> None:
    scenario = Scenario.model_validate(
        {'id': 'a', 'title': 't', 'family': 'f', 'runs': 3, 'expect': {'meta_differs': ['run_id', 'owner']}}
    )
    runs = [
        record(epoch=n, payload=payload(meta={**PAYLOAD['meta'], 'run_id': name}))  # type: ignore[dict-item]
        for n, name in enumerate(('one', 'two', 'one'), 1)
    ]

    assert [item.loc for item in findings(scenario, runs[1], runs[:1])] == [('expect', 'meta_differs', 1)]
    first, second = findings(scenario, runs[2], runs[:2])
    assert first.message == "'run_id' in the meta data is the same in the runs 1 and 3"
    assert second.message == "the meta data of the node has no 'owner'"


@pytest.mark.parametrize(
    'text', ['2026-01-01T10:00:00', '2026-01-01T10:00:00+02:00', '2026-01-01', '10:00', '', 7, None]
)
def test_a_time_without_its_utc_offset_is_none(text: Any) -> None:
    run = record(payload=payload(meta={'started_at': text}))

    assert only({'meta_times': ['started_at']}, run).loc == ('expect', 'meta_times', 0)


def test_a_requirements_file_that_the_engine_installs_itself_is_not_judged() -> None:
    assert judge({'installs': ['other.txt']}, record(installs=None)) == ()


def test_each_unmet_expectation_is_a_finding_of_its_own() -> None:
    found = judge({'answer': 'x', 'llm_calls': 9, 'meta': {'tool_calls': 0, 'framework': 'other'}})
    assert [finding.loc[1:] for finding in found] == [
        ('answer', 'equals'),
        ('meta', 'tool_calls'),
        ('meta', 'framework'),
        ('llm_calls',),
    ]


def test_a_finding_holds_both_values_and_their_difference() -> None:
    finding = only({'answer': 'It has 41,201 people.'})
    assert (finding.expected, finding.actual) == ('It has 41,201 people.', 'It has 41,200 people.')
    assert '-It has 41,201 people.\n+It has 41,200 people.' in finding.diff


def test_a_finding_about_structures_names_the_places_that_differ() -> None:
    expect = {'calls': [{'tool': 'search_1.query', 'input': {'q': 'Lakeview', 'n': True}}, {'tool': 'files_1.read'}]}
    assert only(expect).diff == 'n: expected true, came 1'


def test_a_finding_of_a_huge_text_is_small() -> None:
    text = 'lorem ipsum ' * 100_000
    run = record(payload=payload(content=text), lane_writes=())
    finding = only({'answer': text + 'x'}, run)
    assert len(finding.model_dump_json()) < 20_000


# ---------------------------------------------------------------------------------------------------------- near misses


def test_the_calls_of_a_repeated_entry_must_all_have_the_input() -> None:
    same_call = ToolCall(agent='agent', tool='a.b', input={'n': 1}, turn=0)
    other = same_call.model_copy(update={'input': {'n': 2}})
    expect = {'calls': [{'tool': 'a.b', 'input': {'n': 1}, 'times': 3}]}
    assert judge(expect, record(calls=(same_call,) * 3)) == ()
    assert only(expect, record(calls=(same_call, same_call, other))).loc == ('expect', 'calls', 0, 'input')
    assert only(expect, record(calls=(same_call, other, other))).loc == ('expect', 'calls', 0, 'input')
    assert only(expect, record(calls=(same_call,) * 4)).loc == ('expect', 'calls')
    assert only(expect, record(calls=(same_call,) * 2)).loc == ('expect', 'calls')


def test_calls_in_another_order_are_unmet() -> None:
    expect = {'calls': [{'tool': 'search_1.query'}, {'tool': 'files_1.read'}]}
    found = judge(expect, record(calls=record().calls[::-1]))
    assert [finding.loc[1:] for finding in found] == [('calls', 0, 'tool'), ('calls', 1, 'tool')]


def test_an_extra_call_shows_in_the_diff() -> None:
    finding = only({'calls': [{'tool': 'search_1.query', 'input': {'q': 'Lakeview', 'n': 1}}]})
    assert finding.message == '1 tool call expected, 2 made'
    assert finding.diff.split('\n')[2:] == [
        '@@ -1 +1,2 @@',
        ' search_1.query {"q": "Lakeview", "n": 1}',
        '+files_1.read {}',
    ]
    assert '-search_1.query (any input)' in only({'calls': [{'tool': 'search_1.query'}]}).diff


def test_the_steps_show_when_their_number_is_wrong() -> None:
    assert 'files_1.read {} -> ' in only({'steps': []}).diff


def test_a_truncated_observation_is_unmet() -> None:
    full = 'lorem ipsum ' * 15_000
    expect = {'observations': [{'equals': {'repeat': 'lorem ipsum ', 'times': 15_000}}]}
    assert judge(expect, with_steps({**STEP_1, 'observation': full})) == ()
    finding = only(expect, with_steps({**STEP_1, 'observation': full[:100_000]}))
    assert finding.loc == ('expect', 'observations', 0, 'equals')
    assert '180,000 characters expected, 100,000 came' in finding.diff


@pytest.mark.parametrize(
    'text',
    [
        'Error: no such file',
        '["tool", "error", "type"]',
        '{"tool": "t", "error": "e"}',
        '{"tool": "t", "error": "e", "type": "T", "more": 1}',
        "{'tool': 't', 'error': 'e', 'type': 'T'}",
        '{"tool": "t", "error": "e", "type": "T"} ',
        '',
    ],
)
def test_only_a_json_object_of_tool_error_and_type_is_an_error(text: str) -> None:
    run = with_steps({**STEP_1, 'observation': text})
    found = judge({'observations': [{'error': {}}]}, run)
    # White space around the object does not make another value of it.
    assert [finding.loc for finding in found] == (
        [] if text.endswith('} ') else [('expect', 'observations', 0, 'error')]
    )


def test_an_observation_that_is_no_text_is_unmet() -> None:
    run = with_steps({**STEP_1, 'observation': {'rows': 1}})
    assert only({'observations': [{}]}, run).loc == ('expect', 'observations', 0)
    assert only({'observations': [{'error': {}}]}, run).loc == ('expect', 'observations', 0)


def test_each_observation_needs_at_least_one_step() -> None:
    assert only({'observations': {'each': {}}}, with_steps()).loc == ('expect', 'observations', 'each')
    assert judge({'observations': []}, with_steps()) == ()


@pytest.mark.parametrize('key', ['action', 'action_input', 'observation'])
def test_a_step_without_one_of_its_keys_is_unmet(key: str) -> None:
    step = {name: value for name, value in STEP_1.items() if name != key}
    finding = only({'steps': [{}]}, with_steps(step))
    assert finding.loc == ('expect', 'steps')
    assert 'step 1' in finding.message


@pytest.mark.parametrize(
    'stack', [[], None, 'x', [{'kind': ERROR, 'payload': [STEP_1]}], [{'kind': RAW, 'payload': 'x'}]]
)
def test_steps_that_are_not_in_the_raw_entry_are_unmet(stack: Any) -> None:
    assert only({'observations': ['41,200 people']}, record(payload=payload(stack=stack))).loc == (
        'expect',
        'observations',
    )


def test_a_raw_entry_that_holds_no_list_is_not_taken_for_one_without_steps() -> None:
    run = record(payload=payload(stack=[{'kind': RAW, 'name': 'framework.output', 'payload': {}}]))
    assert only({'observations': []}, run).loc == ('expect', 'observations')


@pytest.mark.parametrize('stack', [None, 'x', {}, [3], ['x', {'kind': RAW}]])
def test_a_stack_that_is_no_list_of_entries_is_unmet(stack: Any) -> None:
    assert only({'stack': []}, record(payload=payload(stack=stack))).loc == ('expect', 'stack')


def test_the_steps_are_found_behind_an_error_entry() -> None:
    stack = [{'kind': ERROR, 'name': 'exception', 'payload': {'type': 'x', 'message': 'm'}}, *PAYLOAD['stack']]
    run = record(payload=payload(stack=stack))
    assert judge({'steps': [STEP_1, STEP_2], 'stack': [{'kind': ERROR, 'payload': {'type': 'x'}}, RAW]}, run) == ()
    assert only({'stack': [RAW, ERROR]}, run).loc == ('expect', 'stack')


def test_one_prompt_with_a_text_twice_is_enough_to_break_once() -> None:
    turns = [*record().turns[:2], turn(2, 'Use tools. Use tools.')]
    finding = only({'prompts': {'once': ['Use tools.']}}, record(turns=turns))
    assert finding.message == "the prompt of LLM call 3 contains 'Use tools.' 2 times, not once"


def test_one_call_with_other_stop_words_is_enough() -> None:
    turns = [*record().turns[:2], turn(2, stop=None)]
    finding = only({'stop_words': ['Observation:']}, record(turns=turns))
    assert finding.message == 'LLM call 3 carries no stop words'


def test_without_llm_calls_prompts_and_stop_words_are_unmet() -> None:
    run = record(turns=())
    assert only({'stop_words': ['Observation:']}, run).loc == ('expect', 'stop_words')
    assert only({'prompts': {'not_contains': ['x']}}, run).loc == ('expect', 'prompts')
    assert judge({'llm_calls': 0}, run) == ()


# ---------------------------------------------------------------------------------- no payload, and faces that raise


def test_a_node_that_returns_no_payload_is_one_finding() -> None:
    run = record(payload=None)
    finding = only({'stop_reason': 'answer', 'steps': [], 'meta': {'tool_calls': 2}, 'llm_calls': 3}, run)
    assert finding.loc == ('expect', 'stop_reason')
    assert finding.message == (
        'the node returned no payload on the lane face, so `stop_reason`, `steps` and `meta` cannot be checked'
    )
    assert finding.level == 'hardening', 'no contract says what a lane returns'
    at_tool_face = only({'stack': []}, record(payload=None, face='tool'))
    assert 'tool face' in at_tool_face.message
    assert at_tool_face.level == 'required'


@pytest.mark.parametrize('value', ['It has 41,200 people.', ['x'], 3])
def test_a_payload_that_is_no_mapping_is_one_finding(value: Any) -> None:
    run = record(payload=value, lane_writes=())
    assert only({'stop_reason': 'answer', 'steps': []}, run).loc == ('expect', 'stop_reason')


def test_the_answer_of_a_node_without_a_payload_is_read_from_its_lane() -> None:
    assert judge({'answer': 'It has 41,200 people.'}, record(payload=None)) == ()
    assert only({'answer': 'Other'}, record(payload=None)).loc == ('expect', 'answer', 'equals')
    assert only({'answer': {'contains': []}}, record(payload=None, lane_writes=())).loc == ('expect', 'answer')


@pytest.mark.parametrize('content', [None, 3, {'text': 'x'}])
def test_a_content_that_is_no_text_is_unmet(content: Any) -> None:
    run = record(payload=payload(content=content), lane_writes=())
    assert only({'answer': {'not_contains': ['x']}}, run).loc == ('expect', 'answer')


def test_the_answer_is_the_content_of_the_payload_where_there_is_one() -> None:
    run = record(payload=payload(content='Another one.'))
    assert only({'answer': 'Another one.'}, run).message == (
        'the text on the answers lane is not `content` of the payload'
    )


def test_the_answer_of_a_child_is_never_read_from_a_lane() -> None:
    write = LaneWrite(agent='helper_1', lane='answers', text='found it')
    assert only({'agents': {'helper_1': {'answer': 'found it'}}}, record(lane_writes=(write,))).message == (
        'the child agent helper_1 was never called'
    )


def test_a_payload_without_meta_data_is_unmet() -> None:
    run = record(payload={'content': 'x', 'stack': []}, lane_writes=())
    assert judge({'stack': []}, run) == ()
    assert only({'stop_reason': 'answer'}, run).loc == ('expect', 'stop_reason')
    assert only({'meta': {'framework': 'x'}}, run).loc == ('expect', 'meta')


RAISED = {'payload': None, 'lane_writes': (), 'raised': Failure(type='ValueError', message='1, and only 1 llm node')}


def test_an_expected_exception_is_compared_by_class_and_parts_of_its_message() -> None:
    run = record(**RAISED)
    assert judge({'raises': {'type': 'ValueError', 'contains': ['only 1', 'llm']}}, run) == ()
    assert only({'raises': {'type': 'TypeError'}}, run).loc == ('expect', 'raises')
    assert only({'raises': {'type': 'ValueError', 'contains': ['only 2']}}, run).loc == ('expect', 'raises')


def test_an_exception_that_nobody_expects_is_one_finding() -> None:
    finding = only({'answer': 'x', 'stop_reason': 'answer', 'steps': []}, record(**RAISED))
    assert finding.loc == ('expect',)
    assert finding.message == "the node raised ValueError: '1, and only 1 llm node'"


def test_an_exception_is_a_finding_even_where_nothing_is_expected() -> None:
    assert only({}, record(**RAISED)).loc == ('expect',)


def test_beside_an_expected_exception_a_missing_answer_is_still_unmet() -> None:
    found = judge({'raises': {'type': 'ValueError'}, 'answer': 'x', 'meta': {'a': 1}}, record(**RAISED))
    assert [finding.loc[1:] for finding in found] == [('answer',), ('meta',)]


# ------------------------------------------------------------------------------------- recorded models and child agents


def test_the_expectations_of_one_model_are_added_for_its_recording_only() -> None:
    models = {'small': {'llm_calls': 2}}
    assert judge({'llm_calls': 3}, record(model='large'), models=models) == ()
    assert judge({'llm_calls': 3}, record(), models=models) == ()
    assert only({'llm_calls': 3}, record(model='small'), models=models).loc == ('models', 'small', 'llm_calls')


def test_a_model_may_be_the_only_one_that_makes_the_face_raise() -> None:
    models = {'small': {'raises': {'type': 'ValueError'}}}
    run = record(model='small', **RAISED)
    assert judge({'llm_calls': 3}, run, models=models) == ()
    assert only({'answer': 'x'}, run, models=models).loc == ('expect', 'answer')
    assert judge({}, record(model='large', **RAISED), models=models) != ()


def child_call(output: Any, **more: Any) -> ToolCall:
    return ToolCall(agent='agent', tool='helper_1.run_agent', input={'query': 'x'}, turn=0, output=output, **more)


def parent(*outputs: Any, **changes: Any) -> RunRecord:
    """A run in which the node called a child agent once for each output; the child asked its LLM twice each time."""
    turns = [turn(0, 'parent')]
    for number in range(len(outputs)):
        turns += [turn(2 * number, 'child', agent='helper_1'), turn(2 * number + 1, 'child', agent='helper_1')]
    inner = ToolCall(agent='helper_1', tool='search_1.query', input={'q': 'x'}, turn=0, output='found')
    calls = [call for output in outputs for call in (inner, child_call(output))]
    event = Event(agent='helper_1', type='thinking', data={'message': 'Starting...'})
    return record(**{'turns': turns, 'calls': calls, 'events': [event] * len(outputs), **changes})


CHILD = {**payload(), 'content': 'found it', 'stack': [{'kind': RAW, 'name': 'framework.output', 'payload': [STEP_1]}]}


def test_calls_of_the_node_and_of_its_children_are_kept_apart() -> None:
    expect = {
        'llm_calls': 1,
        'calls': [{'tool': 'helper_1.run_agent', 'input': {'query': 'x'}}],
        'events': [],
        'agents': {
            'helper_1': {
                'llm_calls': 2,
                'calls': [{'tool': 'search_1.query', 'input': {'q': 'x'}}],
                'events': ['Starting...'],
                'lane_writes': {'answers': 0},
                'answer': 'found it',
                'stop_reason': 'answer',
                'steps': [STEP_1],
                'stack': [RAW],
                'prompts': {'once': ['child']},
            }
        },
    }
    assert judge(expect, parent(CHILD)) == ()


@pytest.mark.parametrize(
    ('child', 'loc'),
    [
        ({'llm_calls': 1}, ('llm_calls',)),
        ({'calls': []}, ('calls',)),
        ({'answer': 'found'}, ('answer', 'equals')),
        ({'stop_reason': 'guard'}, ('stop_reason',)),
        ({'steps': []}, ('steps',)),
        ({'stack': []}, ('stack',)),
        ({'meta': {'tool_calls': 1}}, ('meta', 'tool_calls')),
        ({'lane_writes': {'answers': 1}}, ('lane_writes', 'answers')),
        ({'raises': {'type': 'ValueError'}}, ('raises',)),
        ({'prompts': {'contains': ['parent']}}, ('prompts', 'contains', 0)),
    ],
)
def test_an_unmet_expectation_of_a_child_stands_under_its_id(child: dict[str, Any], loc: tuple[str | int, ...]) -> None:
    assert only({'agents': {'helper_1': child}}, parent(CHILD)).loc == ('expect', 'agents', 'helper_1', *loc)


def test_several_runs_of_a_child_are_counted_together_and_judged_one_by_one() -> None:
    other = {**CHILD, 'content': 'found more'}
    child = {'llm_calls': 4, 'steps': [STEP_1, STEP_1], 'answer': {'contains': ['found']}, 'stack': [RAW]}
    assert judge({'agents': {'helper_1': child}}, parent(CHILD, other)) == ()
    finding = only({'agents': {'helper_1': {'answer': 'found it'}}}, parent(CHILD, other))
    assert finding.message == 'the answer of run 2 is not the expected text'


def test_a_child_that_was_never_called_is_unmet() -> None:
    finding = only({'agents': {'helper_1': {'stop_reason': 'answer'}}}, record())
    assert 'was never called' in finding.message
    assert judge({'agents': {'helper_1': {'llm_calls': 0}}}, record()) == ()


def test_an_exception_of_a_child_is_what_its_parent_was_given() -> None:
    run = parent(CHILD)
    failed = child_call(None, error=Failure(type='ValueError', message='context must be an object'))
    run = run.model_copy(update={'calls': (*run.calls, failed)})
    child = {'raises': {'type': 'ValueError', 'contains': ['context']}, 'answer': 'found it'}
    assert judge({'agents': {'helper_1': child}}, run) == ()


# ------------------------------------------------------------------------------------------- what holds of every run


@pytest.mark.parametrize('value', [math.nan, math.inf, {1, 2}, object(), b'x', 1j])
def test_a_payload_that_json_cannot_hold_is_a_finding(value: Any) -> None:
    finding = only({}, record(payload=payload(more=value)))
    assert finding.loc == ('expect',)
    assert 'JSON' in finding.message


def test_a_payload_that_the_recorder_had_to_repair_is_a_finding() -> None:
    assert 'NaN in meta' in only({}, record(payload_error='NaN in meta')).message


def test_ten_llm_calls_are_allowed_and_eleven_are_a_finding() -> None:
    assert judge({}, record(turns=[turn(n) for n in range(10)])) == ()
    finding = only({}, record(turns=[turn(n) for n in range(11)]))
    assert finding.message == 'the node made 11 LLM calls, more than 10 a run'


def test_the_llm_calls_of_a_child_are_allowed_for_each_of_its_runs() -> None:
    many = [turn(n, agent='helper_1') for n in range(20)]
    assert judge({}, parent(CHILD, CHILD, turns=many)) == ()
    assert only({}, parent(CHILD, turns=many)).message.startswith('the child agent helper_1 made 20 LLM calls')


@pytest.mark.parametrize('text', ['It has 41,200 people', '', json.dumps(PAYLOAD)])
def test_another_text_on_the_answers_lane_than_in_the_payload_is_a_finding(text: str) -> None:
    write = LaneWrite(agent='agent', lane='answers', text=text)
    assert only({}, record(lane_writes=(write,))).loc == ('expect',)
    right = record().lane_writes[0]
    assert len(judge({}, record(lane_writes=(right, write)))) == 1


def test_other_lanes_may_carry_other_texts() -> None:
    assert judge({}, record(lane_writes=(LaneWrite(agent='agent', lane='documents', text='x'),))) == ()


def refused(output: str, content: str = 'require_tool_call is on, but no tool was called', **changes: Any) -> RunRecord:
    guard = {'kind': GUARD, 'name': 'tool_call_required', 'payload': {'guard': 'require_tool_call', 'message': content}}
    value = {
        'content': content,
        'meta': {'stop_reason': 'guard', 'tool_calls': 0},
        'stack': [guard, {'kind': RAW, 'name': 'framework.output', 'payload': []}],
    }
    base: dict[str, Any] = {
        'turns': [turn(0, output=output)],
        'calls': (),
        'events': (Event(agent='agent', type='thinking', data={'message': 'Starting...'}),),
        'lane_writes': (LaneWrite(agent='agent', lane='answers', text=content),),
        'payload': value,
    }
    return record(**{**base, **changes})


NARRATED = 'Thought: I searched.\nAnswer: Lakeview has 300,000 people, I looked it up.'


def test_a_refusal_that_keeps_the_text_to_itself_is_no_finding() -> None:
    assert judge({}, refused(NARRATED)) == ()
    assert judge({}, refused('yes')) == ()
    assert judge({}, refused('tool')) == ()
    assert judge({}, refused('Answer: 42')) == ()
    assert judge({}, refused('Answer: 42', 'no tool was called in 142 steps')) == ()


def test_the_lines_of_an_unknown_call_are_no_answer() -> None:
    output = 'Action: search_the_whole_web\nAction Input: {"q": "Lakeview"}'
    event = Event(agent='agent', type='thinking', data={'message': 'Action: search_the_whole_web'})
    assert judge({}, refused(output, events=(event,))) == ()
    assert len(judge({}, refused(output, output))) == 1


@pytest.mark.parametrize(
    ('output', 'leak'),
    [
        (NARRATED, 'Refused: Lakeview has 300,000 people, I looked it up.'),
        ('It is 300,000 people.', 'It is 300,000 people.'),
        ('Thought: It is 300,000.', 'refused: It is 300,000.'),
        ('<think>hm</think>It is 300,000.', 'refused: It is 300,000.'),
        ('Final Answer: **300,000 of them**', 'refused: 300,000 of them**'),
        ('Answer: 42', 'no tool was called for 42.'),
        ('Answer: yes', 'yes'),
        ('Answer: a list\n- a first line of the answer\n- more', 'refused: - a first line of the answer'),
        ('Action: delete the old files\nand then restart', 'Action: delete the old files\nand then restart'),
    ],
)
def test_a_refused_text_must_not_be_given_out(output: str, leak: str) -> None:
    assert 'guard refused' in only({}, refused(output, leak)).message
    event = Event(agent='agent', type='thinking', data={'message': 'x', 'more': [leak]})
    assert 'guard refused' in only({}, refused(output, events=(event,))).message
    key = Event(agent='agent', type='thinking', data={'message': 'x', leak: 1})
    assert 'guard refused' in only({}, refused(output, events=(key,))).message
    hidden = refused(output)
    stack = [*hidden.payload['stack'], {'kind': 'x', 'payload': {'deep': [leak]}}]
    in_stack = hidden.model_copy(update={'payload': {**hidden.payload, 'stack': stack}})
    assert 'guard refused' in only({}, in_stack).message


def test_a_refusal_is_recognised_by_its_stack_entry_too() -> None:
    run = refused(NARRATED, 'Refused: Lakeview has 300,000 people, I looked it up.')
    silent = run.model_copy(update={'payload': {**run.payload, 'meta': {}}})
    assert len(judge({}, silent)) == 1


def test_a_delivered_answer_is_not_a_refused_text() -> None:
    assert judge({}, record()) == ()


def test_a_child_that_gives_a_refused_text_to_its_parent_is_a_finding() -> None:
    leak = refused(NARRATED, 'Refused: Lakeview has 300,000 people, I looked it up.').payload
    turns = [turn(0), turn(0, output=NARRATED, agent='helper_1')]
    assert 'the child agent helper_1 gives out' in only({}, parent(leak, turns=turns)).message
    assert judge({}, parent(refused(NARRATED).payload, turns=turns)) == ()


def test_judging_changes_nothing_and_gives_the_same_twice() -> None:
    run, before = record(), record().model_dump_json()
    expect = {'answer': 'x', 'calls': [], 'events': [], 'stack': []}
    assert judge(expect, run) == judge(expect, run)
    assert run.model_dump_json() == before


# --------------------------------------------------------------------------------------------------------------- levels


def test_what_stands_under_hardening_is_checked_and_is_beyond_the_contract() -> None:
    found = judge({'llm_calls': 9}, hardening={'stop_reason': 'guard', 'prompts': {'at': {1: 'x'}}})

    assert [(item.loc[0], item.level) for item in found] == [
        ('expect', 'required'),
        ('hardening', 'hardening'),
        ('hardening', 'hardening'),
    ]


def test_all_findings_of_a_scenario_beyond_the_contract_are_beyond_it() -> None:
    assert [item.level for item in judge({'llm_calls': 9}, level='hardening')] == ['hardening']


def test_that_a_payload_is_json_is_beyond_the_contract() -> None:
    assert [item.level for item in judge({'llm_calls': 3}, record(payload_error='no JSON'))] == ['hardening']
