"""The figures of models: what is counted over what, and how it is told."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

import jsonschema
import pandas
import pytest
from click.testing import CliRunner

from harness.cli import main
from harness.metrics.figures import Figures, score, score_schema
from harness.metrics.frames import write_frames
from harness.metrics.rows import measured, rows_of, run_frame, turn_frame
from harness.metrics.statistics import rate
from harness.record import Failure, Offered, RunRecord, ToolCall, Turn
from harness.results import StoredResult
from harness.show.score import compared, markdown, table, text
from harness.suite import CHECKOUT
from harness.verdicts.library import LibraryParser
from harness.verdicts.turns import Outcome

if TYPE_CHECKING:
    from pathlib import Path

CALL = 'Thought: x\nAction: search\nAction Input: {"q": "a"}'
ANSWER = 'Thought: I can answer without using any more tools.\nAnswer: 5'
SCHEMA = {'type': 'object', 'properties': {'q': {'type': 'string'}}, 'required': ['q']}
RETURNED = ToolCall(agent='agent', tool='search', input={'q': 'a'}, turn=0, output='5')
RAISED = ToolCall(agent='agent', tool='search', input={'q': 'a'}, turn=0, error=Failure(type='OSError', message='x'))


def stored(
    *outputs: str,
    scenario: str = 'one',
    model: str | None = 'm',
    solved: bool | None = True,
    calls: tuple[ToolCall, ...] = (),
    error: str | None = None,
    **more: Any,
) -> StoredResult:
    turns = [
        Turn(
            agent='agent',
            index=n,
            prompt='p',
            stop=None,
            output=said,
            prompt_tokens=10,
            completion_tokens=5,
            latency_s=1,
        )
        for n, said in enumerate(outputs)
    ]
    if error:
        turns.append(
            Turn(agent='agent', index=len(turns), prompt='p', stop=None, error=Failure(type=error, message=''))
        )
    record = RunRecord(
        scenario=scenario,
        node='n',
        model=model,
        turns=tuple(turns),
        calls=calls,
        offered=(Offered(agent='agent', tool='search', input_schema=SCHEMA),),
        parameters={'temperature': 0.7, 'max_tokens': 512},
    )
    fields: dict[str, Any] = {'family': 'f', 'level': 'required', 'asked': '0' * 64, 'expected': '0' * 64}
    return StoredResult(**{**fields, 'record': record, 'solved': solved, 'needs_tool': True, **more})


def only(*results: StoredResult) -> Figures:
    (found,) = score(rows_of(results)).figures
    return found


def test_forms_are_counted_over_the_turns_that_the_model_wrote() -> None:
    found = only(stored(CALL, ANSWER, calls=(RETURNED,)), stored('Action: search\nAction Input: a', scenario='two'))

    assert (found.turns, found.strict.n) == (3, 3)
    assert found.strict.value == pytest.approx(2 / 3)
    assert found.malformed.value == pytest.approx(1 / 3)
    assert found.strict.clusters == 2


def test_facts_about_calls_are_counted_over_calls() -> None:
    unknown = 'Thought: x\nAction: find\nAction Input: {}'
    found = only(stored(CALL, CALL, unknown, ANSWER, calls=(RETURNED, RETURNED)))

    assert (found.unknown_tool.value, found.unknown_tool.n) == (pytest.approx(1 / 3), 3)
    assert found.repeated_call.value == pytest.approx(1 / 3)


def test_a_run_that_the_infrastructure_ended_is_in_no_rate_and_is_told() -> None:
    found = only(stored(CALL, ANSWER, calls=(RETURNED,)), stored(error='RateLimitError', scenario='two', solved=False))

    assert (found.planned, found.scored, found.solved.n) == (2, 1, 1)
    assert found.outcomes == {Outcome.GROUNDED: 1, Outcome.INFRASTRUCTURE: 1}
    assert not found.headline


def test_a_tool_that_is_skipped_and_one_that_is_needless_have_their_own_grounds() -> None:
    found = only(
        stored(ANSWER),
        stored(CALL, ANSWER, scenario='two', calls=(RETURNED,)),
        stored(CALL, ANSWER, scenario='three', calls=(RETURNED,), needs_tool=False),
    )

    assert (found.tool_skip.value, found.tool_skip.n) == (0.5, 2)
    assert (found.needless_tool.value, found.needless_tool.n) == (1.0, 1)


def test_recovery_is_counted_over_runs_in_which_a_tool_raised() -> None:
    found = only(
        stored(CALL, CALL, ANSWER, calls=(RAISED, RETURNED), solved=False),
        stored(CALL, ANSWER, scenario='two', calls=(RAISED,), solved=False),
        stored(CALL, ANSWER, scenario='three', calls=(RETURNED,)),
    )

    assert (found.recovery.value, found.recovery.n) == (0.5, 2)


def test_the_first_bad_turn_is_numbered_from_one() -> None:
    assert only(stored(CALL, 'Action: search\nAction Input: a', calls=(RETURNED,))).first_bad_turn == 2
    assert only(stored(CALL, ANSWER, calls=(RETURNED,))).first_bad_turn is None


def test_epochs_give_pass_hat() -> None:
    found = only(*(stored(ANSWER, solved=solved) for solved in (True, True, False)))

    assert found.pass_hat == {1: pytest.approx(2 / 3), 2: pytest.approx(1 / 3), 3: 0}


def test_tokens_are_told_for_each_solved_run_and_failures_pay_too() -> None:
    assert only(stored(ANSWER), stored(ANSWER, scenario='two', solved=False)).tokens_per_solved == 30


def test_models_and_parameter_sets_stand_apart_and_scripts_are_no_models() -> None:
    found = score(rows_of([stored(ANSWER), stored(ANSWER, model='other', solved=False), stored(ANSWER, model=None)]))

    assert [(item.model, item.parameters) for item in found.figures] == [
        ('m', 'max_tokens=512 temperature=0.7'),
        ('other', 'max_tokens=512 temperature=0.7'),
    ]


def test_families_are_told_where_they_are_asked_for() -> None:
    rows = rows_of([stored(ANSWER), stored(ANSWER, scenario='two', family='g')])

    assert [item.family for item in score(rows, by_family=True).figures] == ['', 'f', 'g']


def test_a_task_that_is_of_a_family_is_told_in_it_and_not_in_that_of_its_scenario() -> None:
    rows = rows_of([stored(ANSWER), stored(ANSWER, scenario='two', task_family='one-tool')])

    assert [item.family for item in score(rows, by_family=True).figures] == ['', 'f', 'one-tool']


def test_models_are_compared_on_the_scenarios_of_both_and_in_words() -> None:
    good = [stored(ANSWER, scenario=f's{n}', model='good') for n in range(12)]
    bad = [stored(ANSWER, scenario=f's{n}', model='bad', solved=False) for n in range(12)]
    (found,) = score(rows_of([*good, *bad, stored(ANSWER, scenario='only-here', model='bad')])).comparisons

    assert found.solved.scenarios == 12
    assert compared(found).startswith('good max_tokens=512 temperature=0.7 solves more than bad')


def test_models_that_are_alike_cannot_be_told_apart() -> None:
    results = [stored(ANSWER, scenario=f's{n}', model=model, solved=n % 2 == 0) for n in range(12) for model in 'ab']
    (found,) = score(rows_of(results)).comparisons

    assert 'cannot be told apart' in compared(found)


CORRUPT = 'Thought: x\nAction: web search\nAction Input: {"q": "a"}'


def test_what_the_parser_of_the_library_would_corrupt_is_counted_over_all_turns() -> None:
    with LibraryParser() as library:
        rows = measured([stored(CORRUPT, ANSWER), stored(ANSWER, scenario='two')], library)
    found = score(rows)

    assert found.figures[0].parser_would_corrupt == rate({'one': [True, False], 'two': [False]})
    assert found.not_measured == {}
    assert turn_frame(rows)['parser_would_corrupt'].tolist() == [True, False, False]


def test_where_the_library_was_not_asked_the_figure_is_not_measured_and_never_zero() -> None:
    rows = rows_of([stored(CORRUPT, ANSWER)], not_asked='it was late')
    found = score(rows)

    assert found.figures[0].parser_would_corrupt is None
    assert found.not_measured == {'parser_would_corrupt': 'it was late'}
    assert '  parser corrupts    not measured' in list(text(found))
    assert list(text(found))[-1] == 'parser corrupts: not measured (it was late)'
    assert '| not measured |' in markdown(found)
    assert next(csv.DictReader(io.StringIO(table(found))))['parser_would_corrupt'] == 'not measured'
    assert turn_frame(rows)['parser_would_corrupt'].tolist() == [None, None]


def test_a_library_that_cannot_be_imported_leaves_all_other_figures(tmp_path: Path) -> None:
    with LibraryParser(python='/bin/false') as library:
        rows = measured([stored(CALL, ANSWER)], library)

    assert rows.not_asked == 'llama-index cannot be imported: its import ended the process'
    assert len(rows.turns) == 2


# ---------------------------------------------------------------------------------------------------- how it is told

RESULTS = (stored(CALL, ANSWER, calls=(RETURNED,)), stored('It is 5.', scenario='two', model='a|b', solved=False))


def test_every_rate_is_told_with_its_interval_and_n() -> None:
    lines = list(text(score(rows_of(RESULTS))))

    assert lines[0] == 'm (max_tokens=512 temperature=0.7): 1 of 1 run scored, 1 scenario, 2 turns'
    assert any(line.startswith('  solved             100 % [21, 100] n=1') for line in lines)


def test_nothing_to_count_is_not_told_as_zero() -> None:
    assert '| nothing to count |' in markdown(score(rows_of(RESULTS)))
    assert '| a\\|b (max_tokens=512 temperature=0.7) | 1/1 |' in markdown(score(rows_of(RESULTS)))


def test_the_csv_has_a_row_for_each_model_with_both_ends_of_each_interval() -> None:
    rows = list(csv.DictReader(io.StringIO(table(score(rows_of(RESULTS))))))

    assert [row['model'] for row in rows] == ['m', 'a|b']
    assert float(rows[0]['solved_low']) == pytest.approx(0.2065, abs=1e-3)
    assert rows[1]['repeated_call'] == ''


def test_the_rows_can_be_had_as_frames_and_as_files(tmp_path: Path) -> None:
    rows = rows_of(RESULTS)
    written = write_frames(rows, tmp_path / 'new')

    assert {path.name for path in written} >= {'runs.csv', 'turns.csv'}
    assert pandas.read_csv(tmp_path / 'new' / 'runs.csv')['outcome'].tolist() == ['grounded', 'ungrounded']
    assert len(run_frame(rows)) == 2
    assert turn_frame(rows)['form'].tolist() == ['strict', 'strict', 'direct']


def test_the_verb_scores_the_committed_recordings(tmp_path: Path) -> None:
    store = tmp_path / 'results.jsonl'
    run = CliRunner().invoke(main, ['run', 'one-tool', 'two-tools-in-sequence', '--results', str(store)])
    assert run.exit_code == 0, run.output

    result = CliRunner().invoke(main, ['score', str(store), '--format', 'json'])
    found = json.loads(result.stdout)
    jsonschema.validate(found, score_schema())
    assert {item['model'] for item in found['figures']} == {
        path.stem for path in (CHECKOUT / 'cassettes' / 'one-tool').glob('*.yaml')
    }


def test_a_store_of_scripted_runs_has_no_model_to_score(tmp_path: Path) -> None:
    store = tmp_path / 'results.jsonl'
    CliRunner().invoke(main, ['run', 'nothing-configured', '--results', str(store)])
    result = CliRunner().invoke(main, ['score', str(store)])

    assert result.exit_code == 2
    assert 'there is no run of a model in these results' in result.output
