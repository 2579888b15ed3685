"""Pipelines: the tools, channels, events and lanes on the other side of a node's doors, and its pipes."""

from __future__ import annotations

import shutil
import threading
from typing import TYPE_CHECKING

import pytest
from errand_files import ADD, ERRANDS, NODES, call, results, run, tool, written

from harness.engine.host import TASK_TOKEN
from harness.engine.node import load_node
from harness.engine.pipeline import Pipeline
from harness.engine.platform import ensure_platform
from harness.engine.question import question_of
from harness.engine.script import ToolsError, exception_of
from harness.run import run_scenario
from harness.scenario import QuestionSpec, RaisesSpec, Scenario

if TYPE_CHECKING:
    from pathlib import Path

# -------------------------------------------------------------------------------------------------------------- tools


def test_a_call_that_reaches_a_tool_is_recorded_before_and_after(tmp_path: Path) -> None:
    record = run(tmp_path, call(spoil='!'), {'ask': 'x'}, call(given={'b': [1]}), tools=[tool(ADD)])
    first, second = record.calls
    assert (first.agent, first.tool, first.turn, second.turn) == ('agent', 'calc_1.add', -1, 0)
    assert first.input == {'a': 1}
    assert second.input == {'b': [1]}
    assert second.output == {'sum': 3}


def test_a_tool_hands_out_a_copy_each_time(tmp_path: Path) -> None:
    record = run(tmp_path, call(spoil='!'), call(), tools=[tool(ADD)])
    assert results(record)[1] == {'sum': 3}


def test_an_unknown_function_reaches_no_tool(tmp_path: Path) -> None:
    record = run(tmp_path, {'swallow': call('subtract')}, tools=[tool(ADD)])
    assert record.calls == ()
    assert results(record)[0].startswith('APERR')


@pytest.mark.parametrize('name', ['deep.search', 'open', 'invoke', 'endpoint', '_hidden', '__init__', 'plain'])
def test_a_function_may_have_any_name(tmp_path: Path, name: str) -> None:
    node = tool({**ADD, 'name': name, 'description': 'D', 'output_schema': {'type': 'object'}}, node='a.b')
    record = run(tmp_path, {'query': 'a.b'}, call(name, on='a.b'), tools=[node])
    descriptor = {
        'name': name,
        'description': 'D',
        'inputSchema': {'type': 'object', 'title': 'Add'},
        'outputSchema': {'type': 'object'},
    }
    assert results(record) == [[descriptor], {'sum': 3}]
    assert record.calls[0].tool == f'a.b.{name}'


def test_scripts_give_their_results_by_call_or_by_input(tmp_path: Path) -> None:
    functions = (
        {'name': 'turns', 'calls': [{'text': 'first'}, {'raises': {'type': 'TimeoutError', 'message': 'late'}}]},
        {'name': 'where', 'matches': [{'input': {'a': 1}, 'returns': 'one'}, {'input': {'a': True}, 'returns': 'yes'}]},
    )
    errands = [{'swallow': call('turns')}] * 3 + [call('where'), {'swallow': call('where', {'a': 2})}]
    record = run(tmp_path, *errands, call('where', {'a': True}), tools=[tool(*functions)])
    assert results(record) == [
        'first',
        'TimeoutError: late',
        'NoScriptedResult: call 3 of calc_1.turns: only 2 are scripted',
        'one',
        'NoScriptedResult: calc_1.where has no scripted result for this input',
        'yes',
    ]


@pytest.mark.parametrize('kind', ['ValueError', 'KeyError', 'QuotaExceeded', 'UnicodeDecodeError', 'KeyboardInterrupt'])
def test_an_exception_has_the_class_that_the_scenario_names(tmp_path: Path, kind: str) -> None:
    function = {'name': 'fail', 'raises': {'type': kind, 'message': 'no'}}
    record = run(tmp_path, call('fail'), tools=[tool(function)])
    assert record.raised is not None
    assert (record.raised.type, record.raised.message.strip("'")) == (kind, 'no')
    assert record.calls[0].error == record.raised


def test_a_builtin_exception_is_the_builtin_one_and_an_interrupt_never_is() -> None:
    assert type(exception_of(RaisesSpec(type='TimeoutError'))) is TimeoutError
    assert isinstance(exception_of(RaisesSpec(type='KeyboardInterrupt')), Exception)
    assert type(exception_of(RaisesSpec(type='Odd'))) is type(exception_of(RaisesSpec(type='Odd')))


def test_a_dead_node_fails_at_the_query(tmp_path: Path) -> None:
    record = run(tmp_path, {'swallow': {'query': 'calc_1'}}, tools=[tool(dead=True)])
    assert results(record)[0].startswith('ConnectionError')


def test_a_python_tool_comes_from_the_file_beside_the_scenario(tmp_path: Path) -> None:
    (tmp_path / 'tools.py').write_text(
        'LOADED = []\ndef double(given):\n    LOADED.append(1)\n    return given["a"] * 2\n'
    )
    record = run(tmp_path, call('twice', {'a': 21}), tools=[tool({'name': 'twice', 'python': 'double'})])
    assert results(record) == [42]


def test_a_missing_python_tool_is_named_with_the_nearest_one(tmp_path: Path) -> None:
    file = written(tmp_path, tools=[tool({'name': 'twice', 'python': 'dubble'})])
    with pytest.raises(ToolsError, match=r'tools\.py is missing'):
        run_scenario(file, ERRANDS)
    (tmp_path / 'tools.py').write_text('def double(given):\n    return 1\n')
    with pytest.raises(ToolsError, match=r'tools\.py has no function dubble; did you mean double\?'):
        run_scenario(file, ERRANDS)


def test_a_tools_file_that_does_not_import_is_named_with_its_line(tmp_path: Path) -> None:
    (tmp_path / 'tools.py').write_text('\nraise OSError("no")\n')
    with pytest.raises(ToolsError, match=r'tools\.py:2: .*OSError: no'):
        run_scenario(written(tmp_path, tools=[tool({'name': 'twice', 'python': 'double'})]), ERRANDS)


@pytest.mark.parametrize(
    ('channel', 'node'),
    [('llm', 'calc_1'), ('tool', 'calc_2'), ('memory', '')],
)
def test_an_operation_reaches_only_what_is_connected_on_its_channel(tmp_path: Path, channel: str, node: str) -> None:
    types = ensure_platform().types
    pipe = Pipeline(ERRANDS, written(tmp_path, tools=[tool(ADD)]).scenario).pipe()
    pipe.ask(question_of(QuestionSpec(text='x')))
    param = {'llm': types.IInvokeLLM.Ask(question=1), 'tool': types.IInvokeTool.Query()}.get(channel)
    with pytest.raises(ensure_platform().lib.APERR, match=channel):
        pipe.instances()[0].instance.invoke(param or types.IInvokeMemory.List(input={}), component_id=node)


def test_without_an_id_the_first_node_that_owns_the_tool_answers(tmp_path: Path) -> None:
    types = ensure_platform().types
    nodes = [tool(ADD), tool({'name': 'sub', 'returns': 1}, node='calc_2')]
    pipe = Pipeline(ERRANDS, written(tmp_path, tools=nodes).scenario).pipe()
    pipe.ask(question_of(QuestionSpec(text='x')))
    param = types.IInvokeTool.Invoke(tool_name='sub', input={})
    pipe.instances()[0].instance.invoke(param)
    assert param.output == 1


# ------------------------------------------------------------------------------------------------------- other doors


def test_events_and_lane_writes_are_recorded(tmp_path: Path) -> None:
    record = run(tmp_path, {'send': {'message': 'Calling...', 'tool': 't'}})
    assert [(event.agent, event.type, event.data) for event in record.events] == [
        ('agent', 'thinking', {'message': 'Calling...', 'tool': 't'})
    ]
    assert [(write.agent, write.lane, write.text) for write in record.lane_writes] == [('agent', 'answers', 'None')]


def test_an_event_that_json_cannot_hold_is_refused_as_on_the_platform(tmp_path: Path) -> None:
    pipe = Pipeline(ERRANDS, written(tmp_path).scenario).pipe()
    pipe.ask(question_of(QuestionSpec(text='x')))
    side = pipe.instances()[0].instance
    with pytest.raises(TypeError):
        side.sendSSE('thinking', message={1})
    assert pipe.recorder.record(scenario='s', node='n').events == ()


def test_the_engine_sets_what_a_node_reads(tmp_path: Path) -> None:
    paths = ['IGlobal.glb.logicalType', 'IGlobal.IEndpoint.endpoint.name', 'instance.pipeType.id', 'instance.pipeId']
    record = run(tmp_path, *({'read': path} for path in [*paths, 'IEndpoint.endpoint.openMode.name']))
    assert results(record) == ['errands', 'stand-in', 'agent', 0, 'PIPELINE']


def test_the_job_has_a_token_that_can_be_looked_for(tmp_path: Path) -> None:
    pipe = Pipeline(ERRANDS, written(tmp_path).scenario).pipe()
    pipe.ask(question_of(QuestionSpec(text='x')))
    node = pipe.instances()[0]
    assert node.IEndpoint.endpoint.jobConfig.get('taskId') == TASK_TOKEN
    assert node.instance.pipeType['id'] == 'agent'
    assert (node.instance.hasListener('answers'), node.instance.getListeners()) == (True, ['answers'])


def test_the_configuration_reaches_the_node_as_the_engine_hands_it_over(tmp_path: Path) -> None:
    file = written(tmp_path, config={'profile': 'other', 'other': {'errands': [], 'greeting': 'bye'}})
    pipe = Pipeline(ERRANDS, file.scenario).pipe()
    pipe.ask(question_of(QuestionSpec(text='x')))
    node = pipe.instances()[0]
    assert not isinstance(node.IGlobal.glb.connConfig, dict)
    assert node.IGlobal.config['greeting'] == 'bye'


def test_in_config_mode_nothing_is_started(tmp_path: Path) -> None:
    with Pipeline(ERRANDS, written(tmp_path).scenario, open_mode='CONFIG') as pipeline:
        pipeline.begin()
        assert pipeline.agent.iglobal.config is None


# ------------------------------------------------------------------------------------------------- pipes and children


def test_a_child_agent_is_a_tool_with_a_model_and_tools_of_its_own(tmp_path: Path) -> None:
    child = {
        'config': {'errands': [{'ask': 'child?'}, call('sub', on='calc_9'), {'send': {'message': 'hm'}}]},
        'model': {'outputs': ['from the child']},
        'tools': [tool({'name': 'sub', 'returns': 1}, node='calc_9')],
    }
    errands = ({'query': 'helper'}, call('run_agent', {'query': 'q'}, on='helper'), {'ask': 'parent?'})
    record = run(tmp_path, *errands, tools=[tool(node='helper', agent=child)])
    assert results(record)[0][0]['name'] == 'run_agent'
    assert results(record)[1]['content'] == 'from the child 1 None'
    assert [(turn.agent, turn.index, turn.output) for turn in record.turns] == [
        ('helper', 0, 'from the child'),
        ('agent', 0, 'one'),
    ]
    assert [(made.agent, made.tool) for made in record.calls] == [
        ('agent', 'helper.run_agent'),
        ('helper', 'calc_9.sub'),
    ]
    assert record.calls[0].output['content'] == 'from the child 1 None'
    assert [event.agent for event in record.events] == ['helper']
    assert [write.agent for write in record.lane_writes] == ['agent']


def test_a_child_without_a_model_of_its_own_asks_that_of_its_parent(tmp_path: Path) -> None:
    child = {'config': {'errands': [{'ask': 'child?'}]}}
    errands = (call('run_agent', {'query': 'q'}, on='helper'), {'ask': 'parent?'})
    record = run(tmp_path, *errands, tools=[tool(node='helper', agent=child)])
    assert [(turn.agent, turn.output) for turn in record.turns] == [('helper', 'one'), ('agent', 'two')]


def test_sixteen_pipes_on_one_node_object_keep_apart(tmp_path: Path) -> None:
    function = {'name': 'echo', 'python': 'echo'}
    (tmp_path / 'tools.py').write_text('def echo(given):\n    return given\n')
    file = written(tmp_path, {'ask': None}, call('echo'), tools=[tool(function)])
    with Pipeline(ERRANDS, file.scenario, folder=tmp_path) as pipeline:
        pipes = [pipeline.pipe() for _ in range(16)]
        gate = threading.Barrier(16)

        def work(number: int) -> None:
            gate.wait()
            for _ in range(3):
                pipes[number].ask(question_of(QuestionSpec(text=f'question number {number}.')))

        threads = [threading.Thread(target=work, args=(number,)) for number in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        records = [pipe.recorder.record(scenario='s', node='n') for pipe in pipes]
        shared = {id(pipe.instances()[0].IGlobal) for pipe in pipes}
        own = {id(pipe.instances()[0]) for pipe in pipes}
    assert (len(shared), len(own)) == (1, 16)
    for number, record in enumerate(records):
        assert [turn.output for turn in record.turns] == ['one']
        assert f'question number {number}.' in record.turns[0].prompt
        assert len(record.calls) == 1


def test_a_question_carries_all_that_the_scenario_says() -> None:
    spec = QuestionSpec.model_validate(
        {
            'text': 'And now?',
            'role': 'You are terse.',
            'history': [{'role': 'user', 'content': 'Hello'}, {'role': 'assistant', 'content': 'Hi'}],
            'context': ['It rains.'],
            'goals': ['Be dry.'],
            'instructions': ['No jokes.'],
            'documents': ['Umbrellas.'],
        }
    )
    question = question_of(spec)
    prompt = question.getPrompt()
    for text in ('You are terse.', 'user: Hello', 'assistant: Hi', 'It rains.', 'Be dry.', 'No jokes.', 'Umbrellas.'):
        assert prompt.count(text) == 1
    assert [item.text for item in question.questions] == ['And now?']
    assert question_of(QuestionSpec(text='x', expect_json=True)).expectJson is True


def test_two_nodes_of_one_logical_type_each_read_their_own_defaults(tmp_path: Path) -> None:
    copy = tmp_path / 'errands'
    shutil.copytree(NODES / 'errands', copy)
    text = (copy / 'services.json').read_text()
    (copy / 'services.json').write_text(text.replace('"errands": [], "greeting": "hello"', '"greeting": "moved"'))
    other = load_node(copy)
    scenario = Scenario.model_validate(
        {'id': 's', 'title': 's', 'family': 's', 'model': {'outputs': ['x']}, 'expect': {}, 'config': {'errands': []}}
    )
    greetings = []
    for node in (ERRANDS, other, ERRANDS):
        with Pipeline(node, scenario) as pipeline:
            pipeline.begin()
            greetings.append(pipeline.agent.iglobal.config['greeting'])
    assert greetings == ['hello', 'moved', 'hello']
