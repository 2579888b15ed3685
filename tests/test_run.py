"""Runs: the model side, the faces, and what stands in the record of them; replays and their problems."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from errand_files import ERRANDS, NODES, call, results, run, tool, written

from harness.cassette import Drift, cassette_path, recording, replaying
from harness.engine.node import load_node
from harness.engine.pipeline import Pipeline
from harness.engine.question import question_of
from harness.llm import ChatClient, Completion, ModelSpec, scripted_client
from harness.record import RunRecord
from harness.run import replay, run_scenario
from harness.scenario import ModelScript, QuestionSpec

if TYPE_CHECKING:
    from pathlib import Path

    from harness.scenario.loading import ScenarioFile

# --------------------------------------------------------------------------------------------------------- model side


def test_a_turn_holds_what_was_asked_and_what_came_back(tmp_path: Path) -> None:
    record = run(tmp_path, {'ask': 'Why?', 'stop': ['Observation:']}, {'ask': None})
    first, second = record.turns
    assert (first.agent, first.index, first.output, first.finish_reason) == ('agent', 0, 'one', 'stop')
    assert first.prompt == '### Current Task:\r\n    Why?\r\n\r\n'
    assert (first.stop, second.stop) == (('Observation:',), None)
    assert (second.index, second.output) == (1, 'two')
    assert 'How many people live in Lakeview?' in second.prompt
    assert (first.prompt_tokens, first.completion_tokens) == (4, 1)
    assert results(record) == ['one', 'two']


def test_a_reply_without_text_is_an_empty_answer(tmp_path: Path) -> None:
    record = run(tmp_path, {'ask': 'x'}, model={'outputs': [None]})
    assert results(record) == ['']
    assert (record.turns[0].output, record.turns[0].error) == (None, None)


def test_an_http_error_reaches_the_node_and_stands_in_the_turn(tmp_path: Path) -> None:
    model = {'outputs': [{'error': {'status': 429, 'message': 'slow down'}}]}
    record = run(tmp_path, {'swallow': {'ask': 'x'}}, model=model)
    assert record.turns[0].error is not None
    assert (record.turns[0].error.type, record.turns[0].error.message) == ('RateLimitError', 'slow down')
    assert results(record) == ['RateLimitError: slow down']


def test_a_failure_of_the_client_itself_is_raised_although_the_node_swallows_it(tmp_path: Path) -> None:
    class Broken:
        asked = 0

        def complete(self, prompt: str, stop: Any) -> Completion:
            self.asked += 1
            raise ZeroDivisionError('a mistake of the harness')

    client = Broken()
    file = written(tmp_path, {'swallow': {'ask': 'x'}}, {'swallow': {'ask': 'y'}}, model=None)
    with pytest.raises(ZeroDivisionError, match='a mistake of the harness'):
        run_scenario(file, ERRANDS, client=client)
    assert client.asked == 1


def test_a_recorded_scenario_needs_a_client(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match='the model side of the scenario errands is recorded'):
        run_scenario(written(tmp_path, model=None), ERRANDS)


@pytest.mark.parametrize('count', [0, 1, 3])
def test_the_llm_channel_has_as_many_nodes_as_the_scenario_says(tmp_path: Path, count: int) -> None:
    pipe = Pipeline(ERRANDS, written(tmp_path, llm_nodes=count).scenario).pipe()
    pipe.ask(question_of(QuestionSpec(text='x')))
    side = pipe.instances()[0].instance
    assert side.getControllerNodeIds('llm') == [f'llm_{number + 1}' for number in range(count)]
    assert side.getControllerNodeIds('memory') == []


# -------------------------------------------------------------------------------------------------- faces and endings


def test_the_lane_face_returns_what_write_questions_returns(tmp_path: Path) -> None:
    record = run(tmp_path, {'ask': 'x'})
    assert (record.face, record.node, record.epoch, record.model) == ('lane', 'errands', 1, None)
    assert record.payload == {'content': 'one', 'results': ['one']}


def test_the_tool_face_calls_the_node_as_a_parent_does(tmp_path: Path) -> None:
    record = run(tmp_path, {'ask': None}, face='tool', input={'query': 'What is two?'})
    assert record.payload['content'] == 'one'
    assert 'What is two?' in record.turns[0].prompt
    assert (record.face, record.lane_writes, record.calls) == ('tool', (), ())


def test_what_the_tool_face_refuses_is_what_raised_says(tmp_path: Path) -> None:
    record = run(tmp_path, face='tool', input=['no', 'object'])
    assert record.raised is not None
    assert (record.raised.type, record.raised.message) == ('ValueError', 'input must be an object')


def test_the_descriptors_are_those_a_parent_gets(tmp_path: Path) -> None:
    pipe = Pipeline(ERRANDS, written(tmp_path, {'ask': 'x'}).scenario).pipe()
    (descriptor,) = pipe.descriptors()
    assert (descriptor['name'], descriptor['description']) == ('run_agent', 'Does 1 errands')
    assert descriptor['outputSchema'] == {'type': 'object'}


@pytest.mark.parametrize('name', ['RuntimeError', 'SystemExit', 'RecursionError'])
def test_whatever_a_node_raises_stands_in_the_record(tmp_path: Path, name: str) -> None:
    record = run(tmp_path, {'ask': 'x'}, {'raise': name})
    assert record.raised is not None
    assert (record.raised.type, record.raised.message) == (name, 'on purpose')
    assert len(record.turns) == 1


def test_an_interrupt_of_the_user_passes(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, {'raise': 'KeyboardInterrupt'})


def test_prevent_default_is_no_error_to_the_engine(tmp_path: Path) -> None:
    record = run(tmp_path, {'prevent': True})
    assert (record.raised, record.payload) == (None, None)


def test_what_begin_global_raises_stands_in_the_record(tmp_path: Path) -> None:
    (record,) = run_scenario(written(tmp_path), load_node(NODES / 'broken_begin'))
    assert record.raised is not None
    assert (record.raised.type, record.raised.message) == ('RuntimeError', 'no model is loaded')


def test_what_end_global_raises_stands_in_the_last_record(tmp_path: Path) -> None:
    first, last = run_scenario(written(tmp_path, config={'fails_at_the_end': True}, runs=2), ERRANDS)
    assert first.raised is None
    assert last.raised is not None
    assert last.raised.message == 'the end'


@pytest.mark.parametrize(
    ('odd', 'kept', 'error'),
    [
        ('nan', 'nan', 'ValueError'),
        ('date', 'datetime.datetime(2025, 3, 4, 0, 0)', 'TypeError'),
        ('set', '{1}', 'TypeError'),
        ('tuple', {'(1, 2)': 3}, 'TypeError'),
        ('surrogate', '\\ud800', None),
    ],
)
def test_an_odd_payload_is_kept_and_its_problem_told(tmp_path: Path, odd: str, kept: Any, error: str | None) -> None:
    record = run(tmp_path, {'return': odd})
    assert record.payload == {'content': 'odd', 'value': kept}
    assert (record.payload_error and record.payload_error.split(':')[0]) == error
    assert RunRecord.model_validate_json(record.model_dump_json()) == record


def test_a_payload_may_be_anything_json_holds(tmp_path: Path) -> None:
    assert run(tmp_path, {'return': 'text'}).payload == 'text'


def test_every_run_begins_the_scripts_anew_and_asks_the_same_question_object(tmp_path: Path) -> None:
    function = {'name': 'once', 'calls': [{'returns': 1}]}
    errands = ({'ask': None}, {'instruct': 'be brief'}, call('once'))
    first, second = run_scenario(written(tmp_path, *errands, tools=[tool(function)], runs=2), ERRANDS)
    assert [first.epoch, second.epoch] == [1, 2]
    assert [first.turns[0].output, second.turns[0].output] == ['one', 'one']
    assert [(made.output, made.error) for made in second.calls] == [(1, None)]
    assert len(second.turns) == 1
    assert 'be brief' not in first.turns[0].prompt
    assert 'be brief' in second.turns[0].prompt


# -------------------------------------------------------------------------------------------------------- replay


def test_a_scripted_scenario_is_judged_by_its_expectations(tmp_path: Path) -> None:
    met = replay(written(tmp_path, {'ask': 'x'}, expect={'llm_calls': 1}), ERRANDS, tmp_path)
    unmet = replay(written(tmp_path, {'ask': 'x'}, expect={'llm_calls': 2}), ERRANDS, tmp_path)
    assert [(result.findings, result.problem) for result in met] == [((), None)]
    assert [finding.loc for finding in unmet[0].findings] == [('expect', 'llm_calls')]


def record_cassette(file: ScenarioFile, cassettes: Path, model: str, *outputs: str) -> None:
    path = cassette_path(cassettes, file.scenario.id, model)
    http = scripted_client(ModelScript.model_validate({'outputs': list(outputs)}))._http
    with recording(path, through=http) as tape:
        spec = ModelSpec(name=model, base_url='http://127.0.0.1:1/v1', temperature=0)
        run_scenario(file, ERRANDS, client=ChatClient(spec, tape.http), model=model)


def test_a_recorded_scenario_is_replayed_with_every_model(tmp_path: Path) -> None:
    file = written(tmp_path, {'ask': 'x'}, model=None, expect={'llm_calls': 1}, models={'small': {'llm_calls': 2}})
    record_cassette(file, tmp_path / 'tapes', 'large', 'from large')
    record_cassette(file, tmp_path / 'tapes', 'small', 'from small')
    large, small = replay(file, ERRANDS, tmp_path / 'tapes')
    assert (large.record.model, large.record.turns[0].output, large.findings) == ('large', 'from large', ())
    assert (small.record.model, small.record.turns[0].output) == ('small', 'from small')
    assert [finding.loc for finding in small.findings] == [('models', 'small', 'llm_calls')]


def test_a_drifting_replay_is_a_problem_with_what_was_recorded_so_far(tmp_path: Path) -> None:
    file = written(tmp_path, {'ask': 'x'}, {'ask': 'recorded'}, model=None)
    record_cassette(file, tmp_path / 'tapes', 'small', 'first', 'second')
    changed = written(tmp_path, {'ask': 'x'}, {'swallow': {'ask': 'changed'}}, model=None)
    (result,) = replay(changed, ERRANDS, tmp_path / 'tapes')
    assert result.problem is not None
    assert 'recorded' in result.problem
    assert 'changed' in result.problem
    assert [turn.output for turn in result.record.turns] == ['first']
    assert result.findings == ()


def test_a_drift_is_raised_out_of_a_run(tmp_path: Path) -> None:
    file = written(tmp_path, {'ask': 'x'}, model=None)
    record_cassette(file, tmp_path / 'tapes', 'small', 'first')
    changed = written(tmp_path, {'swallow': {'ask': 'y'}}, model=None)
    with pytest.raises(Drift), replaying(tmp_path / 'tapes/errands/small.yaml') as tape:
        run_scenario(changed, ERRANDS, client=ChatClient(tape.spec, tape.http))


def test_turns_that_were_not_asked_for_are_a_problem(tmp_path: Path) -> None:
    file = written(tmp_path, {'ask': 'x'}, {'ask': 'y'}, model=None)
    record_cassette(file, tmp_path / 'tapes', 'small', 'first', 'second')
    (result,) = replay(written(tmp_path, {'ask': 'x'}, model=None), ERRANDS, tmp_path / 'tapes')
    assert result.problem is not None
    assert '1 of 2 recorded turns were not asked for (record again: react-harness record ' in result.problem


def test_a_recorded_scenario_without_a_cassette_says_how_to_record_one(tmp_path: Path) -> None:
    (result,) = replay(written(tmp_path, model=None), ERRANDS, tmp_path / 'tapes')
    assert result.problem is not None
    assert 'react-harness record errands' in result.problem
    assert result.record.turns == ()
