from __future__ import annotations

import json
import logging
from types import MappingProxyType
from typing import Any

import pytest
from node_host import ANSWER, CALL, PLATFORM, Host, ToolNode, ask, box, function, observations

from harness.engine.node import load_node

load_node('agent_llamaindex')
from agent_llamaindex.channels import ToolChannel  # noqa: E402 - the engine's library has to be found first

SCHEMA = {'type': 'object', 'properties': {'key': {'type': 'string', 'description': 'Schlüssel'}}, 'required': ['key']}
EMPTY = {'type': 'object', 'properties': {}}


def discovered(*descriptors: Any) -> ToolChannel:
    return ToolChannel.of(Host(tools={'box_1': ToolNode(*descriptors)}))


def test_a_tool_has_the_name_of_its_node_in_front_of_its_own() -> None:
    tools = ToolChannel.of(Host(tools={'box.v2_1': ToolNode(function('get.all'), function('put'))}))
    assert list(tools) == ['box.v2_1.get.all', 'box.v2_1.put']
    assert (tools['box.v2_1.get.all'].node_id, tools['box.v2_1.get.all'].function) == ('box.v2_1', 'get.all')


def test_a_call_goes_to_its_node_under_the_bare_name() -> None:
    seen: list[Any] = []
    node = ToolNode(function('get.all', schema=SCHEMA), call=lambda name, given: seen.append((name, given)) or 'done')
    host = Host(
        'Action: box.v2_1.get.all\nAction Input: {"key": "ä"}', ANSWER, tools={'other_1': ToolNode(), 'box.v2_1': node}
    )
    assert observations(ask(host)) == ['done']
    assert seen == [('get.all', {'key': 'ä'})]
    assert type(seen[0][1]) is dict


def test_tools_of_the_same_function_name_on_two_nodes_do_not_meet() -> None:
    nodes = {name: ToolNode(function(), call=lambda _, given, name=name: name) for name in ('box_1', 'box_2')}
    host = Host('Action: box_2.get\nAction Input: {}', ANSWER, tools=nodes)
    assert observations(ask(host)) == ['box_2']


def test_of_two_tools_with_the_same_full_name_the_later_one_counts_with_all_that_is_its_own() -> None:
    nodes = {
        'a': ToolNode(function('b.c', 'The first.', SCHEMA), call=lambda name, given: f'a runs {name}'),
        'a.b': ToolNode(function('c', 'The second.'), call=lambda name, given: f'a.b runs {name}'),
    }
    host = Host('Action: a.b.c\nAction Input: {}', ANSWER, tools=nodes)
    assert observations(ask(host)) == ['a.b runs c']
    assert 'The second.' in host.prompts[0]
    assert 'The first.' not in host.prompts[0]


@pytest.mark.parametrize(
    'descriptor',
    [
        {'description': 'no name'},
        function(None),
        function(''),
        function('  '),
        function(5),
        function(['get']),
        None,
        'get',
        42,
        [('name', 'get')],
    ],
    ids=repr,
)
def test_a_descriptor_without_a_name_is_left_out_and_the_others_stay(descriptor: Any) -> None:
    assert list(discovered(function('first'), descriptor, function('last'))) == ['box_1.first', 'box_1.last']


@pytest.mark.parametrize('error', [ConnectionError('gone'), SystemExit(1), ValueError('x \ud83d')])
def test_a_tool_node_that_is_dead_takes_no_other_with_it(
    error: BaseException, caplog: pytest.LogCaptureFixture
) -> None:
    host = Host(CALL, ANSWER, tools={'dead_1': ToolNode(error), **box('a coin')})
    with caplog.at_level(logging.DEBUG):
        assert observations(ask(host)) == ['a coin']
    assert f'no tools of dead_1: {type(error).__name__}' in caplog.text
    assert 'no tools of box_1' not in caplog.text
    caplog.text.encode()


def test_a_tool_node_that_dies_while_it_lists_its_tools_keeps_those_it_has_listed() -> None:
    assert list(discovered(function('first'), ConnectionError('gone'), function('last'))) == ['box_1.first']


def test_a_tool_node_that_takes_its_list_away_has_no_tools() -> None:
    class Odd(Host):
        def invoke(self, param: Any, component_id: str = '') -> Any:
            param.tools = None

    assert list(ToolChannel.of(Odd(tools={'box_1': ToolNode()}))) == []


@pytest.mark.parametrize(
    'given',
    [SCHEMA, MappingProxyType(SCHEMA), PLATFORM.json(SCHEMA), json.dumps(SCHEMA)],
    ids=['dict', 'mapping', 'engine JSON', 'JSON text'],
)
def test_a_schema_is_the_same_in_every_form_it_comes_in(given: Any) -> None:
    tool = discovered(function(schema=given))['box_1.get']
    assert tool.input_schema == SCHEMA
    assert type(tool.input_schema) is dict
    assert type(tool.input_schema['properties']) is dict
    assert tool.needs_input


def test_a_descriptor_may_be_json_of_the_engine() -> None:
    tool = discovered(PLATFORM.json(function('get', 'Looks.', SCHEMA)))['box_1.get']
    assert (tool.description, tool.input_schema) == ('Looks.', SCHEMA)


def _cycle() -> dict[str, Any]:
    schema: dict[str, Any] = {}
    schema['properties'] = schema
    return schema


@pytest.mark.parametrize('schema', [None, 'no JSON', '"text"', 5, True, _cycle()], ids=str)
def test_a_schema_that_is_none_asks_for_nothing(schema: Any) -> None:
    tool = discovered(function(schema=schema))['box_1.get']
    assert tool.input_schema == EMPTY
    assert not tool.needs_input


@pytest.mark.parametrize(
    ('required', 'needed'), [(['key'], True), ([], False), (None, False), ((), False), ({}, False), ('key', True)]
)
def test_a_tool_needs_an_input_where_its_schema_requires_one(required: Any, needed: bool) -> None:
    assert discovered(function(schema={**EMPTY, 'required': required}))['box_1.get'].needs_input is needed


@pytest.mark.parametrize(('schema', 'calls'), [(EMPTY, 1), (SCHEMA, 0)])
def test_a_missing_input_is_an_empty_one_only_where_nothing_is_required(schema: Any, calls: int) -> None:
    host = Host('Action: box_1.get\nAction Input:', ANSWER, tools={'box_1': ToolNode(function(schema=schema))})
    ask(host)
    assert host.of('call') == [('box_1.get', {})] * calls


@pytest.mark.parametrize(
    ('description', 'shown'),
    [
        (None, 'Tool Description: \n'),
        ('', 'Tool Description: \n'),
        (5, 'Tool Description: 5\n'),
        ('{0} {x}', '{0} {x}'),
    ],
)
def test_an_odd_description_is_a_text(description: Any, shown: str) -> None:
    host = Host(ANSWER, tools={'box_1': ToolNode(function(description=description))})
    ask(host)
    assert shown in host.prompts[0]


@pytest.mark.parametrize(
    'schema',
    [{'default': float('nan')}, {'x': object()}, {('a', 'b'): 1}, {'x': '\ud83d'}, {'x': {1, 2}}],
    ids=['nan', 'object', 'tuple as key', 'surrogate', 'set'],
)
def test_a_schema_that_json_cannot_hold_is_shown_as_far_as_it_goes(schema: Any) -> None:
    host = Host(CALL, ANSWER, tools={'box_1': ToolNode(function(schema=schema))})
    assert ask(host)['content'] == 'It is 42.'
    assert 'Tool Args: {' in host.prompts[0]
    host.prompts[0].encode()


def test_an_unknown_tool_is_told_which_tools_there_are() -> None:
    tools = discovered(function('first'), function('last'))
    error = tools.not_found('box_1.lost')
    assert isinstance(error, ValueError)
    assert str(error) == "there is no tool named 'box_1.lost'; the tools are: box_1.first, box_1.last"


def test_each_run_asks_for_the_tools_anew() -> None:
    node = ToolNode(function('old'))
    host = Host(ANSWER, ANSWER, tools={'box_1': node})
    ask(host)
    node.descriptors = (function('new'),)
    ask(host)
    assert 'box_1.new' in host.prompts[1]
    assert 'box_1.old' not in host.prompts[1]
