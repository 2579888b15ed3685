"""The stand-in platform and node loading: what a node meets before any question arrives."""

from __future__ import annotations

import copy
import importlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from harness.engine.node import NodeError, load_node
from harness.engine.platform import ensure_platform
from harness.engine.values import json_safe, payload_problem, safe_text, same_json

NODES = Path(__file__).parent / 'nodes'
lib = ensure_platform().lib
types = ensure_platform().types
Config = importlib.import_module('ai.common.config').Config


class Tools(lib.IInstanceBase):  # type: ignore[misc]
    @lib.tool_function(
        input_schema=lambda self: {'type': 'object', 'title': self.title},
        description=lambda self: f'Adds, says {self.title}',
        output_schema={'type': 'number'},
    )
    def add(self, given: Any) -> Any:
        return given['a'] + given['b']

    @lib.tool_function(input_schema={'type': 'object'})
    def fail(self, given: Any) -> Any:
        """Always fails."""
        raise KeyError('gone')

    @lib.invoke_function
    def ask(self, param: Any) -> Any:
        return f'asked {param.question}'

    title = 'Sum'


class Found(lib.IInstanceBase):  # type: ignore[misc]
    def _tool_query_dynamic(self) -> list[Any]:
        return [{'name': 'deep.search', 'description': 'found', 'inputSchema': {}}]

    def _tool_invoke_dynamic(self, *, tool_name: str, input_obj: Any) -> Any:
        return [tool_name, input_obj]


def prevented(call: Any, *args: Any) -> None:
    with pytest.raises(lib.APERR) as caught:
        call(*args)
    assert caught.value.ec == lib.Ec.PreventDefault


# ----------------------------------------------------------------------------------------------------------- dispatch


def test_a_query_adds_descriptors_and_lets_the_next_node_answer_too() -> None:
    query = types.IInvokeTool.Query()
    prevented(Tools().invoke, query)
    prevented(Found().invoke, query)
    assert [tool['name'] for tool in query.tools] == ['add', 'fail', 'deep.search']
    assert query.tools[0] == {
        'name': 'add',
        'description': 'Adds, says Sum',
        'inputSchema': {'type': 'object', 'title': 'Sum'},
        'outputSchema': {'type': 'number'},
    }
    assert query.tools[1] == {'name': 'fail', 'description': 'Always fails.', 'inputSchema': {'type': 'object'}}


def test_the_text_of_the_configuration_stands_before_every_description() -> None:
    node = Tools()
    node.IGlobal = SimpleNamespace(tool_description=' For cities. ')
    query = types.IInvokeTool.Query()
    prevented(node.invoke, query)
    assert [tool['description'] for tool in query.tools] == ['For cities. Adds, says Sum', 'For cities. Always fails.']


@pytest.mark.parametrize('name', ['add', '  add '])
def test_a_call_puts_its_output_into_the_param(name: str) -> None:
    param = types.IInvokeTool.Invoke(tool_name=name, input={'a': 1, 'b': 2})
    assert Tools().invoke(param) is param
    assert param.output == 3


def test_a_param_may_be_a_plain_dict() -> None:
    param: dict[str, Any] = {'op': 'tool.invoke', 'tool_name': 'add', 'input': {'a': 1, 'b': 2}}
    Tools().invoke(param)
    assert param['output'] == 3
    query: dict[str, Any] = {'op': 'tool.query', 'tools': []}
    prevented(Tools().invoke, query)
    assert len(query['tools']) == 2


def test_a_foreign_name_goes_on_to_the_next_node() -> None:
    prevented(Tools().invoke, types.IInvokeTool.Invoke(tool_name='subtract', input={}))
    prevented(lib.IInstanceBase().invoke, types.IInvokeTool.Invoke(tool_name='add', input={}))


def test_tools_of_run_time_take_every_name() -> None:
    param = types.IInvokeTool.Invoke(tool_name='deep.search', input={'q': 1})
    Found().invoke(param)
    assert param.output == ['deep.search', {'q': 1}]


@pytest.mark.parametrize(
    'param',
    [
        {'op': 'tool.validate', 'tool_name': 'add', 'input': {}},
        {'op': 'tool.invoke', 'tool_name': ' ', 'input': {}},
        {'op': 'tool.invoke', 'tool_name': None, 'input': {}},
    ],
)
def test_what_the_tool_channel_does_not_know_is_a_value_error(param: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r'.'):
        Tools().invoke(param)


def test_what_a_tool_raises_is_raised() -> None:
    with pytest.raises(KeyError, match='gone'):
        Tools().invoke(types.IInvokeTool.Invoke(tool_name='fail', input={}))


def test_other_operations_go_to_the_method_of_their_name() -> None:
    control = types.IInvoke(param=types.IInvokeLLM.Ask(question='why'))
    Tools().control(control)
    assert control.result == 'asked why'
    with pytest.raises(lib.APERR) as caught:
        Found().control(control)
    assert caught.value.ec == lib.Ec.InvalidParam


def test_operations_carry_their_channel_and_take_further_fields() -> None:
    ask = types.IInvokeLLM.Ask(question='q', stop=['Observation:'])
    assert (ask.lane, ask.op, ask.stop, ask.type) == ('llm', 'ask', ['Observation:'], 'IInvokeLLM.Ask')
    assert types.IInvokeMemory.Get(input={'key': 'k'}).tool_name == 'get'
    with pytest.raises(ValueError, match='frozen'):
        ask.op = 'other'


# ------------------------------------------------------------------------------------------------------ configuration

SERVICE = {
    'preconfig': {
        'default': 'plain',
        'profiles': {
            'plain': {'text': '', 'lines': [], 'flag': False, 'deep': {'a': 1, 'b': 2}},
            'loud': {'text': 'LOUD', 'lines': ['X']},
        },
    }
}


def config(given: dict[str, Any]) -> Any:
    ensure_platform().register('configured', copy.deepcopy(SERVICE))
    return Config.getNodeConfig('configured', ensure_platform().json(given))


def test_defaults_fill_what_is_not_given_and_none_overrides_nothing() -> None:
    assert config({'text': 'hi', 'flag': None, 'deep': {'b': 3}}) == {
        'text': 'hi',
        'lines': [],
        'flag': False,
        'deep': {'a': 1, 'b': 3},
    }


def test_the_block_of_a_named_profile_overlays_its_defaults() -> None:
    assert config({'profile': 'loud', 'loud': {'text': 'Loud'}}) == {'text': 'Loud', 'lines': ['X']}


def test_an_unknown_profile_is_an_error_that_names_it() -> None:
    with pytest.raises(Exception, match='quiet is not defined in configured'):
        config({'profile': 'quiet'})


newer = pytest.mark.skipif(ensure_platform().name != 'stand-in', reason='a checkout may be older than this behaviour')


@newer
def test_top_level_keys_win_over_the_block_of_the_profile() -> None:
    given = {'profile': 'loud', 'loud': {'text': 'block', 'lines': ['block']}, 'text': 'top', 'lines': None}
    assert config(given) == {'text': 'top', 'lines': ['block']}


@newer
def test_the_block_of_the_default_profile_is_read_without_a_profile_key() -> None:
    assert config({'plain': {'text': 'block', 'flag': True}, 'text': 'top'}) == {
        'text': 'top',
        'lines': [],
        'flag': True,
        'deep': {'a': 1, 'b': 2},
    }


@newer
def test_arrays_come_out_as_lists() -> None:
    assert type(config({'lines': ['a']})['lines']) is list


def test_the_engine_hands_out_json_that_is_no_dict() -> None:
    held = ensure_platform().json({'a': {'b': [1]}})
    assert not isinstance(held, dict)
    assert held.get('missing') is None
    assert held['a']['b'][0] == 1
    assert types.IJson.toDict(held) == {'a': {'b': [1]}}
    with pytest.raises(ValueError, match='Invalid key'):
        held['missing']


# ------------------------------------------------------------------------------------------------------------ loading


def test_a_node_is_known_by_the_protocol_of_its_services_file() -> None:
    node = load_node(NODES / 'errands')
    assert (node.name, node.logical_type) == ('errands', 'errands')
    assert node.IGlobal is not None
    assert lib.getServiceDefinition('errands')['title'] == 'Errands'
    assert lib.getServiceDefinition('nobody') is None


def test_a_definition_that_is_handed_out_is_a_copy() -> None:
    load_node(NODES / 'errands')
    lib.getServiceDefinition('errands')['title'] = 'changed'
    assert lib.getServiceDefinition('errands')['title'] == 'Errands'


def test_a_node_without_init_and_without_iglobal_loads() -> None:
    node = load_node(str(NODES / 'plain'))
    assert node.IGlobal is None
    assert node.IInstance().run_agent({'query': 'hi'}) == {'content': 'HI!'}


def test_the_same_folder_gives_the_same_classes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(NODES)
    assert load_node('plain').IInstance is load_node(NODES / 'plain').IInstance


def test_two_folders_of_one_name_do_not_meet(tmp_path: Path) -> None:
    shutil.copytree(NODES / 'plain', tmp_path / 'plain')
    (tmp_path / 'plain/words.py').write_text('def shout(text):\n    return "other"\n')
    one, other = load_node(NODES / 'plain'), load_node(tmp_path / 'plain')
    assert one.IInstance is not other.IInstance
    assert one.IInstance().run_agent({'query': 'hi'})['content'] == 'HI!'
    assert other.IInstance().run_agent({'query': 'hi'})['content'] == 'other'


def test_a_node_can_be_named_by_its_module(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(NODES)
    node = load_node('errands')
    assert node.name == 'errands'
    assert node.IInstance is importlib.import_module('errands').IInstance


def test_one_of_several_nodes_of_a_folder_is_named_by_its_services_file(tmp_path: Path) -> None:
    for name in ('one', 'two'):
        shutil.copytree(NODES / 'plain', tmp_path / 'family' / name)
        (tmp_path / 'family' / name / 'services.json').unlink()
        services = f'{{"protocol": "{name}://", "path": "nodes.family.{name}"}}'
        (tmp_path / f'family/services.{name}.json').write_text(services)
    assert load_node(tmp_path / 'family/services.two.json').logical_type == 'two'
    assert load_node(tmp_path / 'family/one').logical_type == 'one'
    with pytest.raises(NodeError, match=r'holds several nodes: name the services file .*services\.one\.json'):
        load_node(tmp_path / 'family')


def test_a_misspelt_folder_names_the_nearest_one() -> None:
    with pytest.raises(NodeError, match=r'did you mean .*errands'):
        load_node(NODES / 'errend')


def test_what_a_node_lacks_is_named_with_its_file(tmp_path: Path) -> None:
    with pytest.raises(NodeError, match=r'no class IInstance: define it in .*IInstance\.py'):
        load_node(NODES / 'no_instance')
    with pytest.raises(NodeError, match=r'services\.json is missing'):
        load_node(tmp_path)
    (tmp_path / 'services.json').write_text('{"title": 1}')
    with pytest.raises(NodeError, match=r'services\.json has no `protocol`'):
        load_node(tmp_path)
    (tmp_path / 'services.json').write_text('{"protocol": ')
    with pytest.raises(NodeError, match=r'services\.json is not JSON'):
        load_node(tmp_path)


def test_a_node_that_does_not_import_says_where_and_what_to_install(tmp_path: Path) -> None:
    node = tmp_path / 'importing'
    shutil.copytree(NODES / 'plain', node)
    (node / 'words.py').write_text('import no_such_package\n')
    with pytest.raises(NodeError, match=r'words\.py:1: .*no_such_package.*install no_such_package'):
        load_node(node)
    (node / 'words.py').write_text('import ai.common.nothing\n')
    with pytest.raises(NodeError, match='ROCKETRIDE_SERVER'):
        load_node(node)


def test_a_node_that_was_repaired_loads_as_if_it_had_never_failed(tmp_path: Path) -> None:
    (tmp_path / 'services.json').write_text('{"protocol": "repaired://"}')
    (tmp_path / '__init__.py').write_text('from .words import WORD\nclass IInstance:\n    word = WORD\n')
    with pytest.raises(NodeError, match=r'__init__\.py:1: .*words'):
        load_node(tmp_path)
    (tmp_path / 'words.py').write_text('WORD = "here"\n')
    importlib.invalidate_caches()
    assert load_node(tmp_path).IInstance.word == 'here'


def test_a_folder_that_is_no_checkout_is_refused_by_name(tmp_path: Path) -> None:
    code = 'from harness.engine.platform import ensure_platform; ensure_platform()'
    done = subprocess.run(
        [sys.executable, '-c', code],
        env={**os.environ, 'ROCKETRIDE_SERVER': str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert f'ROCKETRIDE_SERVER names {tmp_path}, which has no folder packages/server' in done.stderr


# ------------------------------------------------------------------------------------------------------------- values


def test_what_json_cannot_hold_becomes_its_repr() -> None:
    cycle: list[Any] = [1]
    cycle.append(cycle)
    value = {'nan': float('nan'), (1, 2): {1}, None: (1, True), 'cycle': cycle, 'bytes': b'x', 3: 10**5000}
    kept = json_safe(value)
    assert payload_problem(kept) is None
    assert kept['nan'] == 'nan'
    assert kept['(1, 2)'] == '{1}'
    assert kept['null'] == [1, True]
    assert kept['cycle'] == [1, '[1, [1, [...]]]']
    assert kept['bytes'] == "b'x'"
    assert kept['3'] == '<int>'


def test_a_deep_value_and_a_broken_repr_stay_in_the_record() -> None:
    class Mute:
        def __repr__(self) -> str:
            raise RuntimeError

    deep: Any = 'bottom'
    for _ in range(5000):
        deep = [deep]
    assert payload_problem(json_safe(deep)) is None
    assert json_safe(Mute()) == '<Mute>'


@pytest.mark.parametrize(
    ('payload', 'problem'),
    [
        ({'a': [1, None, 'x']}, None),
        ({'a': float('nan')}, 'ValueError'),
        ({'a': {1}}, 'TypeError'),
        ({(1,): 1}, 'TypeError'),
    ],
)
def test_a_payload_that_is_no_json_is_told(payload: Any, problem: str | None) -> None:
    told = payload_problem(payload)
    assert (told and told.split(':')[0]) == problem


def test_a_lone_surrogate_becomes_its_notation() -> None:
    assert safe_text('a\ud800b') == 'a\\ud800b'


@pytest.mark.parametrize(
    ('one', 'other', 'same'),
    [
        (1, 1.0, True),
        (1, True, False),
        (True, True, True),
        ({'a': [1, {'b': None}]}, {'a': [1, {'b': None}]}, True),
        ({'a': 1}, {'a': 1, 'b': 2}, False),
        ([1], [1, 2], False),
        ('1', 1, False),
    ],
)
def test_json_values_are_the_same_by_value_but_a_truth_value_is_no_number(one: Any, other: Any, same: bool) -> None:
    assert same_json(one, other) is same


def test_the_record_holds_the_tools_that_the_agent_was_told_about() -> None:
    from harness.engine.recorder import Recorder

    schema = {'type': 'object', 'properties': {'q': {'type': 'string'}}, 'required': ['q']}
    recorder = Recorder()
    recorder.offer('agent', 'search_1', [{'name': 'query', 'inputSchema': schema}, {'name': 7}, 'no descriptor'])
    recorder.offer('agent', 'search_1', [{'name': 'query', 'inputSchema': {}}])
    recorder.offer('child', 'search_1', [{'name': 'query'}])
    record = recorder.record(scenario='a', node='n')

    assert [(item.agent, item.tool, item.input_schema) for item in record.offered] == [
        ('agent', 'search_1.query', schema),
        ('child', 'search_1.query', None),
    ]
    assert [item.agent for item in record.of('child').offered] == ['child']
