"""Prints, as JSON, what the platform library of this process does in a list of situations.

`test_fidelity.py` runs this file twice, once on the stand-in and once on the library of a checkout, and compares.
"""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from harness.engine.node import load_node
from harness.engine.pipeline import Pipeline
from harness.engine.platform import ensure_platform
from harness.engine.question import question_of
from harness.engine.values import json_safe
from harness.scenario import Scenario

if TYPE_CHECKING:
    from collections.abc import Callable

platform = ensure_platform()
lib, types = platform.lib, platform.types
NODES = Path(__file__).parent / 'nodes'


def outcome(call: Callable[[], Any]) -> Any:
    """Return what a call returned, or the class and code of what it raised; messages are each library's own."""
    try:
        return {'returned': json_safe(call())}
    except Exception as error:
        return {'raised': type(error).__name__, 'code': getattr(getattr(error, 'ec', None), 'name', None)}


# ----------------------------------------------------------------------------------------------------------- dispatch


class Static(lib.IInstanceBase):  # type: ignore[misc]
    label = 'seven'

    @lib.tool_function(
        input_schema={'type': 'object', 'properties': {'q': {'type': 'string'}}}, description='Plain.', output_schema={}
    )
    def zeta(self, given: Any) -> Any:
        return {'zeta': given}

    @lib.tool_function(
        input_schema=lambda self: {'title': self.label},
        description=lambda self: f'Says {self.label}.',
        output_schema=lambda self: {'type': 'string'},
    )
    def alpha(self, given: Any) -> Any:
        raise LookupError('alpha')

    @lib.tool_function()
    def quiet(self, given: Any) -> Any:
        """
        What the docstring says.
        """

    @lib.tool_function(description='')
    def mute(self, given: Any) -> Any:
        """Not this."""
        raise lib.APERR(lib.Ec.NotFound, 'nowhere')

    @lib.invoke_function
    def ask(self, param: Any) -> Any:
        return ['asked', types.IInvokeLLM.Ask.model_dump(param) if not isinstance(param, dict) else param]

    @lib.invoke_function
    def validate(self, param: Any) -> Any:
        return 'never reached by tool.validate'


class Dynamic(lib.IInstanceBase):  # type: ignore[misc]
    def _tool_query_dynamic(self) -> list[Any]:
        return [{'name': 'a.b', 'description': 'Found.', 'inputSchema': {}}]

    def _tool_invoke_dynamic(self, *, tool_name: str, input_obj: Any) -> Any:
        if tool_name != 'a.b':
            raise ValueError(tool_name)
        return [tool_name, input_obj]


class Both(Static, Dynamic):
    pass


class Bare(lib.IInstanceBase):  # type: ignore[misc]
    pass


class Inherits(Static):
    def zeta(self, given: Any) -> Any:
        return 'overridden without the mark'


NODE_KINDS = (Static, Dynamic, Both, Bare, Inherits)


def described(kind: type[Any], text: Any) -> Any:
    node = kind()
    node.IGlobal = SimpleNamespace(tool_description=text, glb=SimpleNamespace(logicalType='probe'))
    return node


def query(node: Any, param: Any) -> Any:
    ended = outcome(lambda: node.invoke(param))
    return [ended, param.get('tools') if isinstance(param, dict) else json_safe(getattr(param, 'tools', 'none'))]


def invoke(node: Any, param: Any) -> Any:
    ended = outcome(lambda: node.invoke(param) is param)
    return [ended, param.get('output') if isinstance(param, dict) else json_safe(getattr(param, 'output', 'none'))]


def control(node: Any, envelope: Any) -> Any:
    ended = outcome(lambda: node.control(envelope))
    return [ended, json_safe(envelope.result)]


def dispatch() -> dict[str, Any]:
    found: dict[str, Any] = {}
    for kind in NODE_KINDS:
        name = kind.__name__
        found[f'{name}: query with an object'] = query(kind(), types.IInvokeTool.Query())
        found[f'{name}: query with a dict'] = query(kind(), {'op': 'tool.query', 'tools': ['first']})
        found[f'{name}: query without a list'] = query(kind(), {'op': 'tool.query'})
        found[f'{name}: query of a described node'] = query(described(kind, ' Of cities. '), types.IInvokeTool.Query())
        found[f'{name}: query with an empty description'] = query(described(kind, ''), types.IInvokeTool.Query())
        for tool in ('zeta', ' zeta ', 'alpha', 'quiet', 'mute', 'a.b', 'nobody', '', '  ', 'invoke'):
            param = types.IInvokeTool.Invoke(tool_name=tool, input={'q': 1})
            found[f'{name}: invoke {tool!r} with an object'] = invoke(kind(), param)
            given = {'op': 'tool.invoke', 'tool_name': tool, 'input': {'q': 1}}
            found[f'{name}: invoke {tool!r} with a dict'] = invoke(kind(), given)
        for odd in ({'op': 'tool.invoke'}, {'op': 'tool.invoke', 'tool_name': 7}, {'op': 'tool.other'}):
            found[f'{name}: {odd}'] = invoke(kind(), dict(odd))
        found[f'{name}: validate'] = invoke(kind(), types.IInvokeTool.Validate(tool_name='zeta', input={}))
        found[f'{name}: memory'] = invoke(kind(), types.IInvokeMemory.Get(input={'key': 'k'}))
        found[f'{name}: ask'] = outcome(lambda kind=kind: kind().invoke(types.IInvokeLLM.Ask(question='q', stop=['x'])))
        found[f'{name}: no operation'] = [outcome(kind().invoke), outcome(lambda kind=kind: kind().invoke(None))]
        found[f'{name}: an unknown operation'] = outcome(lambda kind=kind: kind().invoke({'op': 'dance'}))
        found[f'{name}: an operation that is no text'] = outcome(lambda kind=kind: kind().invoke({'op': 3}))
        found[f'{name}: control'] = control(kind(), types.IInvoke(param={'op': 'ask', 'question': 1}))
        found[f'{name}: another control'] = control(described(kind, None), types.IControl(control='stop'))
        found[f'{name}: prevent default'] = outcome(kind().preventDefault)
    param = SimpleNamespace(op='tool.invoke', tool_name='zeta', input=None)
    found['a param of any class'] = invoke(Static(), param)
    slots = type('Slots', (), {'__slots__': (), 'op': 'tool.invoke', 'tool_name': 'zeta', 'input': 1})()
    found['a param that takes no values'] = outcome(lambda: Static().invoke(slots) is slots)
    return found


# ------------------------------------------------------------------------------------------------------------- values


def values() -> dict[str, Any]:
    operations = {
        'ask': lambda: types.IInvokeLLM.Ask(question='q', stop=['x'], more=1),
        'ask without a question': types.IInvokeLLM.Ask,
        'context length': types.IInvokeLLM.GetContextLength,
        'output length': types.IInvokeLLM.GetOutputLength,
        'token counter': types.IInvokeLLM.GetTokenCounter,
        'query': types.IInvokeTool.Query,
        'invoke': lambda: types.IInvokeTool.Invoke(tool_name='t', input=[1], extra=True),
        'invoke without a name': lambda: types.IInvokeTool.Invoke(input={}),
        'validate': lambda: types.IInvokeTool.Validate(tool_name='t', input=None),
        **{
            name: lambda name=name: getattr(types.IInvokeMemory, name)(input={})
            for name in ('Put', 'Get', 'List', 'Clear')
        },
        'crew': types.IInvokeCrew.Describe,
        'crew answer': lambda: types.IInvokeCrew.DescribeResponse(role='r', task_description='t', more=1),
        'deep agent': types.IInvokeDeepagent.Describe,
        'deep agent answer': lambda: types.IInvokeDeepagent.DescribeResponse(name='n'),
        'op': lambda: types.IInvokeOp(any=1),
        'envelope': lambda: types.IInvoke(param=1),
    }
    found = {name: outcome(lambda make=make: make().model_dump()) for name, make in operations.items()}
    for name in ('op', 'lane', 'tool_name', 'new'):
        found[f'set {name}'] = outcome(lambda name=name: setattr(types.IInvokeMemory.Get(input={}), name, 'x'))
    error = lib.APERR(lib.Ec.PreventDefault, 'text')
    found['error'] = [str(error), error.msg, error.toDict(), outcome(error.check_raise)]
    found['no error'] = [str(lib.APERR()), outcome(lib.APERR().check_raise)]
    for data in ({'code': 'NotFound', 'message': 'm'}, {'code': 'Nothing', 'message': 'm'}):
        found[f'error of {data}'] = str(lib.APERR.fromDict(data))
    held = platform.json({'a': {'b': [1, {'c': None}]}, 'd': 'e'})
    found['json'] = [
        types.IJson.toDict(held),
        types.IJson.toDict({'x': [held, (held,)]})['x'][0],
        types.IJson.toDict(3),
    ]
    found['modes'] = [
        str(lib.OPEN_MODE.CONFIG),
        str(lib.OPEN_MODE.PIPELINE),
        lib.OPEN_MODE.CONFIG == lib.OPEN_MODE.CONFIG,
    ]
    found['event'] = outcome(lambda: lib.monitorSSE(1, 'thinking', {'message': 'm'}))
    found['event that is no json'] = outcome(lambda: lib.monitorSSE(1, 'thinking', {'message': {1}}))
    found['event without data'] = outcome(lambda: lib.monitorSSE(1, 'thinking'))
    found['logs'] = [outcome(lambda fn=fn: fn('a', 1, None)) for fn in (lib.debug, lib.warning, lib.error)]
    found['unknown service'] = outcome(lambda: lib.getServiceDefinition('nobody'))
    hooks = ('beginInstance', 'endInstance', 'closing', 'close', 'open', 'writeText', 'writeQuestions', 'writeAnswers')
    found['hooks'] = {name: callable(getattr(lib.IInstanceBase, name, None)) for name in hooks}
    found['global hooks'] = [outcome(lib.IGlobalBase().beginGlobal), outcome(lib.IGlobalBase().endGlobal)]
    found['attributes'] = [
        [getattr(kind, name, 'missing') for name in names]
        for kind, names in (
            (lib.IInstanceBase, ('IEndpoint', 'IGlobal', 'instance')),
            (lib.IGlobalBase, ('IEndpoint', 'glb')),
            (lib.IEndpointBase, ('endpoint',)),
        )
    ]
    utils = importlib.import_module('ai.common.utils')
    words = (None, True, False, 'TRUE', ' yes ', 'On', '1', 'no', 'OFF', '0', 'false', 'maybe', '', 0, 1, 2, [], [0])
    found['parse_bool'] = [[utils.parse_bool(word), utils.parse_bool(word, True)] for word in words]
    found['safe_str'] = [utils.safe_str(value) for value in (None, 'a', 1, [1], {'a': 1})]
    return found


def members(kind: Any) -> dict[str, str]:
    return {name: str(getattr(kind, name)) for name in dir(kind) if name[0] != '_' and name not in ('name', 'value')}


def names() -> dict[str, Any]:
    """What nodes import: the public names of the library, and the members of its enumerations."""
    found = {name: callable(value) for name, value in vars(lib).items() if name[0] != '_' and name != 'annotations'}
    enumerations = ('Ec', 'OPEN_MODE', 'ENDPOINT_MODE', 'SERVICE_MODE', 'AVI_ACTION', 'Lvl')
    return {**found, **{f'members of {name}': members(getattr(lib, name)) for name in enumerations}}


# ------------------------------------------------------------------------------------------------------ configuration

SERVICE = {
    'preconfig': {
        'default': 'plain',
        'profiles': {
            'plain': {'text': '', 'flag': False, 'lines': ['a'], 'deep': {'a': 1, 'b': {'c': 2, 'd': 3}}, 'none': None},
            'loud': {'text': 'LOUD', 'deep': {'a': 9}},
            'old': {'text': 'OLD', 'deprecated': True, 'migration': 'Move on.'},
        },
    }
}
CONFIGURATIONS: tuple[dict[str, Any], ...] = (
    {},
    {'text': 'x'},
    {'text': None, 'flag': None},
    {'flag': True, 'unknown': 1, 'none': 'now'},
    {'deep': {'b': {'c': 5}}},
    {'deep': {'b': {'c': None}}, 'text': ''},
    {'profile': None, 'text': 'x'},
    {'profile': 'loud'},
    {'profile': 'loud', 'loud': {'text': 'block', 'more': 1}},
    {'profile': 'loud', 'loud': {'text': None, 'deep': {'b': 2}}},
    {'profile': 'loud', 'loud': None},
    {'profile': 'loud', 'loud': {}},
    {'profile': 'old'},
    {'profile': 'plain', 'plain': {'text': 'block'}},
    {'profile': 'nobody'},
    {'profile': ''},
)
"""Cases in which older and newer versions of the platform agree."""


def configuration() -> dict[str, Any]:
    config = importlib.import_module('ai.common.config').Config
    read = lambda given: types.IJson.toDict(config.getNodeConfig('configured', platform.json(given)))  # noqa: E731
    platform.register('configured', SERVICE)
    found = {json.dumps(given): outcome(lambda given=given: read(given)) for given in CONFIGURATIONS}
    for name, service in (('no preconfig', {}), ('no default', {'preconfig': {'profiles': {}}})):
        platform.register(name, service)
        found[name] = outcome(lambda name=name: config.getNodeConfig(name, platform.json({})))
    found['no service'] = outcome(lambda: config.getNodeConfig('nobody', platform.json({})))
    provider = {'provider': 'p', 'p': {'a': 1}}
    found['provider'] = outcome(lambda: list(config.getProviderConfig(provider)))
    found['provider in config'] = outcome(lambda: list(config.getProviderConfig({'provider': 'p', 'config': 2})))
    found['no provider'] = [
        outcome(lambda: config.getProviderConfig({})),
        outcome(lambda: config.getProviderConfig({'provider': 'p'})),
    ]
    found['section'] = outcome(lambda: list(config.getMultiProviderConfig('s', {'s': provider})))
    found['no section'] = outcome(lambda: config.getMultiProviderConfig('s', {}))
    return found


# --------------------------------------------------------------------------------------------------------------- runs


def runs() -> dict[str, Any]:
    """Records of the sample node on this library: the whole way from a question to what the doors saw."""
    function = {'name': 'add', 'description': 'D', 'calls': [{'returns': 3}, {'raises': {'type': 'KeyError'}}]}
    child = {'config': {'errands': [{'ask': 'child'}]}, 'model': {'outputs': ['c']}}
    call = {'call': 'add', 'on': 'calc_1', 'with': {'a': 1}}
    errands = [
        {'query': 'calc_1'},
        {'query': 'helper'},
        {'swallow': {'query': 'gone'}},
        {'ask': None, 'stop': ['Observation:']},
        {'swallow': {'ask': 'x'}},
        call,
        {'swallow': call},
        {'swallow': {'call': 'nobody', 'on': 'calc_1', 'with': {}}},
        {'call': 'run_agent', 'on': 'helper', 'with': {'query': 'q'}},
        {'swallow': {'call': 'run_agent', 'on': 'helper', 'with': 'no object'}},
        {'send': {'message': 'm'}},
        {'swallow': {'send': {'message': 'm'}}},
        {'swallow': {'raise': 'RecursionError'}},
    ]
    base = {
        'id': 's',
        'title': 's',
        'family': 's',
        'expect': {},
        'config': {'errands': errands},
        'model': {'outputs': ['one', {'error': {'status': 400, 'message': 'no'}}]},
        'tools': [
            {'node': 'calc_1', 'functions': [function]},
            {'node': 'helper', 'agent': child},
            {'node': 'gone', 'dead': True},
        ],
    }
    node = load_node(NODES / 'errands')
    found: dict[str, Any] = {}
    for name, change in (
        ('lane', {}),
        ('tool', {'face': 'tool'}),
        ('raises', {'config': {'errands': [{'raise': 'ValueError'}]}}),
        ('prevents', {'config': {'errands': [{'prevent': True}]}}),
        ('unknown profile', {'config': {'profile': 'nobody'}}),
    ):
        with Pipeline(node, Scenario.model_validate({**base, **change})) as pipeline:
            pipe = pipeline.pipe()
            lane = change.get('face') is None
            ended = pipe.ask(question_of(pipeline_question)) if lane else pipe.call_tool({'query': 'tool face'})
            raised = ended.raised and ended.raised.type
            record = pipe.recorder.record(scenario=name, node='errands', payload=ended.payload).model_dump(mode='json')
            record['raised'] = raised
            found[name] = timeless(record)
    return found


pipeline_question = Scenario.model_fields['question'].default


def timeless(value: Any) -> Any:
    """Return a record without times, and with the messages of the libraries' own errors left out."""
    if isinstance(value, dict):
        return {key: timeless(item) for key, item in value.items() if key not in ('latency_s', 'duration_s')}
    if isinstance(value, list):
        return [timeless(item) for item in value]
    return 'APERR' if isinstance(value, str) and value.startswith('APERR: ') else value


def without_text(record: dict[str, Any]) -> dict[str, Any]:
    """Return a record without the joined text of its payload, in which messages of the libraries stand."""
    payload = record.get('payload')
    if isinstance(payload, dict):
        payload.pop('content', None)
    record['lane_writes'] = len(record['lane_writes'])
    return record


if __name__ == '__main__':
    parts = {
        'platform': {'name': platform.name, 'origin': platform.origin},
        'names': names(),
        'dispatch': dispatch(),
        'values': values(),
        'configuration': configuration(),
        'runs': {name: without_text(record) for name, record in runs().items()},
    }
    json.dump(parts, sys.stdout)
