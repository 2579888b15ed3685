from __future__ import annotations

import copy
import json
import subprocess
import sys
import textwrap
from collections import UserDict
from types import SimpleNamespace
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from node_host import ANSWER, CALL, NODE, PLATFORM, Host, ask, box, pipe, started

TYPE = 'RocketRide.agent.tool_context.v1'


def call(host: Host, given: Any, **config: Any) -> Any:
    """Call `run_agent` as a parent agent does, through the engine's own dispatch."""
    types = PLATFORM.types
    invoke = types.IInvokeTool.Invoke(tool_name='run_agent', input=given)
    pipe(started(**config), host).control(types.IInvoke(param=invoke))
    return invoke.output


def descriptor(**config: Any) -> dict[str, Any]:
    types, query = PLATFORM.types, PLATFORM.types.IInvokeTool.Query()
    with pytest.raises(PLATFORM.lib.APERR) as raised:
        pipe(started(**config), Host()).control(types.IInvoke(param=query))
    assert raised.value.ec == PLATFORM.lib.Ec.PreventDefault
    (only,) = query.tools
    return only


# ------------------------------------------------------------------------------------------------------------ the tool


def test_a_parent_gets_the_payload_and_the_answers_lane_gets_nothing() -> None:
    host = Host(CALL, ANSWER, tools=box('a coin'))
    payload = call(host, {'query': 'What is in the box?'})
    assert payload['content'] == 'It is 42.'
    assert payload['stack'][0]['payload'][0]['observation'] == 'a coin'
    assert host.of('write') == []
    Draft202012Validator(descriptor()['outputSchema']).validate(payload)


@pytest.mark.parametrize('outputs', [[ValueError('no capacity')], [''], [CALL] * 10])
@pytest.mark.parametrize('guard', [False, True])
def test_a_run_that_fails_returns_to_its_parent_and_writes_nothing(outputs: list[Any], guard: bool) -> None:
    host = Host(*outputs, tools=box())
    payload = call(host, {'query': 'x'}, require_tool_call=guard)
    Draft202012Validator(descriptor()['outputSchema']).validate(payload)
    assert host.of('write') == []


def test_the_node_offers_run_agent_alone_with_a_query_that_is_required() -> None:
    offered = descriptor()
    assert offered['name'] == 'run_agent'
    schema = offered['inputSchema']
    Draft202012Validator.check_schema(schema)
    assert schema['required'] == ['query']
    assert {name: part['type'] for name, part in schema['properties'].items()} == {
        'query': 'string',
        'context': 'object',
    }


def test_the_agent_description_stands_before_that_of_the_tool_and_nothing_else_does() -> None:
    plain = descriptor()['description']
    assert plain.startswith('Invoke this agent as a tool. Input: {query: string, context?: object}.')
    described = descriptor(agent_description=' Knows {boxes}. ', instructions=['secret'])['description']
    assert described == f'This agent: Knows {{boxes}}. {plain}'


@pytest.mark.parametrize('given', [None, 'What?', ['What?'], 5, UserDict(query='What?')])
def test_an_input_that_is_no_object_is_refused_first(given: Any) -> None:
    with pytest.raises(ValueError, match='input must be an object'):
        call(Host(), given)


@pytest.mark.parametrize(
    'query', [{}, {'query': None}, {'query': ''}, {'query': ' \n '}, {'query': 5}, {'query': ['x']}]
)
@pytest.mark.parametrize('context', [{}, {'context': 'no object'}])
def test_a_query_that_is_no_text_is_refused_before_the_context_is_looked_at(query: Any, context: Any) -> None:
    with pytest.raises(ValueError, match=r'input\.query must be a non-empty string'):
        call(Host(), {**query, **context})


@pytest.mark.parametrize('context', ['', 'text', [], 0, False, [('a', 1)]])
def test_a_context_that_is_no_object_is_refused(context: Any) -> None:
    with pytest.raises(ValueError, match=r'input\.context must be an object'):
        call(Host(), {'query': 'What?', 'context': context})


def test_a_refused_input_asks_nobody() -> None:
    host = Host()
    with pytest.raises(ValueError, match='context'):
        call(host, {'query': 'What?', 'context': 1})
    assert host.log == []


def test_without_an_llm_the_parent_gets_the_error() -> None:
    with pytest.raises(ValueError, match=r'"llm".* found 0'):
        call(Host(llms=[]), {'query': 'What?'})


def test_the_query_is_asked_as_it_was_written() -> None:
    host = Host(ANSWER)
    call(host, {'query': '  What?\n', 'unknown': 1})
    assert host.asked[0].question.questions[0].text == '  What?\n'
    assert host.asked[0].question.context == []


def test_a_query_that_cannot_be_encoded_is_asked_all_the_same() -> None:
    host = Host(ANSWER)
    call(host, {'query': 'What \ud83d?'})
    assert 'What \ufffd?'.encode() in host.prompts[0].encode()


class Unspeakable:
    def __str__(self) -> str:
        raise RuntimeError('no text')


@pytest.mark.parametrize(
    ('context', 'entry'),
    [
        ({}, '{"type": "%s", "context": {}}'),
        ({'b': [1, 'ü'], 'a': None}, '{"type": "%s", "context": {"b": [1, "ü"], "a": null}}'),
        ({'day': SimpleNamespace()}, '{"type": "%s", "context": {"day": "namespace()"}}'),
        ({'x': Unspeakable()}, '{"type": "%s", "context": {"x": "<Unspeakable without a text>"}}'),
        ({(1, 2): 3}, '{"type": "%s", "context": "{(1, 2): 3}"}'),
    ],
    ids=['empty', 'order', 'odd value', 'no text', 'odd key'],
)
def test_a_context_reaches_the_agent_as_one_entry_with_its_type_first(context: Any, entry: str) -> None:
    host = Host(ANSWER)
    call(host, {'query': 'What?', 'context': context})
    assert host.asked[0].question.context == [entry % TYPE]
    assert entry % TYPE in host.prompts[0]


def test_a_context_that_holds_itself_reaches_the_agent_as_text() -> None:
    context: dict[str, Any] = {'box': 'red'}
    context['self'] = context
    host = Host(ANSWER)
    call(host, {'query': 'What?', 'context': context})
    (entry,) = host.asked[0].question.context
    assert 'red' in json.loads(entry)['context']


def test_a_null_context_is_none() -> None:
    host = Host(ANSWER)
    call(host, {'query': 'What?', 'context': None})
    assert host.asked[0].question.context == []


def test_the_caller_keeps_the_input_it_had() -> None:
    given = {'query': 'What?', 'context': {'a': [1]}}
    before = copy.deepcopy(given)
    call(Host(CALL, ANSWER, tools=box()), given)
    assert given == before


# ------------------------------------------------------------------------------------------------------- the lifecycle


def test_opened_to_be_configured_the_node_makes_no_agent() -> None:
    shared = NODE.IGlobal()
    # No glb: whoever reads the configuration or makes an agent fails.
    shared.IEndpoint = SimpleNamespace(endpoint=SimpleNamespace(openMode=PLATFORM.lib.OPEN_MODE.CONFIG))
    shared.beginGlobal()
    assert shared.agent is None
    with pytest.raises(RuntimeError, match='configuration only'):
        pipe(shared, Host()).writeQuestions(None)
    shared.endGlobal()


def test_the_node_lets_its_agent_go_at_the_end() -> None:
    shared = started()
    assert shared.agent is not None
    shared.endGlobal()
    assert shared.agent is None
    assert NODE.IGlobal.agent is None


def test_the_lane_face_gives_back_what_it_wrote() -> None:
    host = Host(ANSWER)
    assert [ask(host)['content']] == host.texts


STUB = """
    import sys, types

    class Base: ...

    class Mode:
        CONFIG = 'config'

    lib = types.ModuleType('rocketlib')
    lib.IGlobalBase = lib.IInstanceBase = Base
    lib.OPEN_MODE = Mode
    lib.tool_function = lambda **_: lambda fn: fn
    sys.modules['rocketlib'] = lib
    before = set(sys.modules)
    import agent_llamaindex
    node = agent_llamaindex.IGlobal()
    node.IEndpoint = types.SimpleNamespace(endpoint=types.SimpleNamespace(openMode=Mode.CONFIG))
    node.beginGlobal()
    node.endGlobal()
    print(*sorted({name.partition('.')[0] for name in set(sys.modules) - before}))
"""


def test_before_the_node_starts_it_imports_nothing_but_the_standard_library() -> None:
    """It runs where there is nothing but the engine: neither llama-index nor even pydantic is asked for."""
    done = subprocess.run(
        [sys.executable, '-c', textwrap.dedent(STUB)], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    imported = set(done.stdout.split())
    assert 'agent_llamaindex' in imported
    assert imported - set(sys.stdlib_module_names) == {'agent_llamaindex'}
