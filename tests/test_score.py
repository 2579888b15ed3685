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
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.cli import main
from harness.matrix.models import Prices
from harness.metrics import frames
from harness.metrics.figures import Figures, score, score_schema
from harness.metrics.frames import write_frames
from harness.metrics.planning import scenarios_needed
from harness.metrics.rows import RunRow, TurnRow, measured, rows_of, run_frame, turn_frame
from harness.metrics.statistics import rate
from harness.record import Failure, Offered, RunRecord, ToolCall, Turn
from harness.results import StoredResult
from harness.secrets import SecretFound
from harness.show.score import COLUMNS, OTHERS, compared, markdown, table, text
from harness.suite import CHECKOUT
from harness.verdicts.library import LibraryParser
from harness.verdicts.turns import Flag, Outcome

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
    epoch: int = 1,
    seconds: tuple[float | None, ...] = (),
    tokens: int | None = 10,
    **more: Any,
) -> StoredResult:
    turns = [
        Turn(
            agent='agent',
            index=n,
            prompt='p',
            stop=None,
            output=said,
            prompt_tokens=tokens,
            completion_tokens=5,
            latency_s=seconds[n] if seconds else None,
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
        epoch=epoch,
        turns=tuple(turns),
        calls=calls,
        offered=(Offered(agent='agent', tool='search', input_schema=SCHEMA),),
        parameters={'temperature': 0.7, 'max_tokens': 512} if turns else {},
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

    assert {k: share.value for k, share in found.pass_hat.items()} == {
        1: pytest.approx(2 / 3),
        2: pytest.approx(1 / 3),
        3: 0,
    }


def test_the_form_is_told_of_whole_runs_as_well() -> None:
    lenient = 'answer: 5'
    found = only(
        stored(CALL, ANSWER, calls=(RETURNED,)),
        stored(CALL, lenient, scenario='two', calls=(RETURNED,)),
        stored(CALL, '', scenario='three', calls=(RETURNED,)),
        stored(error='RateLimitError', scenario='four'),
    )

    assert (found.strict_runs.value, found.strict_runs.n) == (pytest.approx(1 / 3), 3)
    assert (found.readable_runs.value, found.empty.value) == (pytest.approx(2 / 3), pytest.approx(1 / 6))


def test_a_run_that_was_planned_and_never_made_is_missing_from_the_model_as_it_was_asked() -> None:
    rows = rows_of([stored(ANSWER), stored(scenario='two', solved=None, problem='planned, and not recorded')])
    (found,) = score(rows).figures

    assert (found.parameters, found.planned, found.scored) == ('max_tokens=512 temperature=0.7', 2, 1)


def test_a_model_of_which_nothing_was_recorded_is_told_all_the_same() -> None:
    found = score(rows_of([stored(solved=None, problem='planned, and not recorded')]))

    assert (found.figures[0].planned, found.figures[0].scored, found.figures[0].solved.value) == (1, 0, None)
    assert '0/1 (!)' in list(text(found))[1]


# -------------------------------------------------------------------------------------------- tokens, money and seconds


def test_tokens_are_told_for_each_solved_run_and_failures_pay_too() -> None:
    found = only(stored(ANSWER), stored(ANSWER, scenario='two', solved=False))

    assert (found.metered, found.tokens_per_solved) == (2, 30)


def test_a_run_that_does_not_tell_all_its_tokens_is_left_out_as_a_whole_and_that_is_told() -> None:
    found = only(stored(ANSWER), stored(ANSWER, scenario='two', tokens=None))

    assert (found.metered, found.scored, found.tokens_per_solved) == (1, 2, 15)
    assert OTHERS['tokens'][1](found) == '15 for each solved (over 1 of 2 runs)'


@pytest.mark.parametrize(
    ('prices', 'cost', 'each', 'said'),
    [
        (Prices(prompt=2, completion=10, currency='EUR'), 140e-6, 140e-6, '0.00014 EUR, 0.00014 for each solved'),
        (Prices(prompt=0, completion=0), 0, 0, '0 USD, 0 for each solved'),
        (None, None, None, 'not told: the price is not known'),
    ],
)
def test_a_cost_is_told_where_the_price_is_known_and_nothing_is_a_price(
    prices: Prices | None, cost: float | None, each: float | None, said: str
) -> None:
    rows = rows_of([stored(ANSWER), stored(ANSWER, scenario='two', solved=False)])
    (found,) = score(rows, prices={'m': prices} if prices else {}).figures

    assert found.cost == (pytest.approx(cost) if cost else cost)
    assert found.cost_per_solved == (pytest.approx(each) if each else each)
    assert OTHERS['cost'][1](found) == said


def test_what_nobody_solved_has_a_cost_and_none_for_each() -> None:
    (found,) = score(rows_of([stored(ANSWER, solved=False)]), prices={'m': Prices(prompt=1, completion=1)}).figures

    assert (found.cost, found.cost_per_solved, found.tokens_per_solved) == (pytest.approx(15e-6), None, None)


def test_seconds_are_those_of_runs_whose_every_turn_was_timed() -> None:
    found = only(
        stored(CALL, ANSWER, calls=(RETURNED,), seconds=(2.0, 3.0)),
        stored(CALL, ANSWER, scenario='two', calls=(RETURNED,), seconds=(1.0, 3.0), solved=False),
        stored(CALL, ANSWER, scenario='three', calls=(RETURNED,), seconds=(90.0, None)),
    )

    assert (found.timed, found.scored) == (2, 3)
    assert found.seconds_per_solved == pytest.approx(9)
    assert found.turn_seconds == pytest.approx(2.5)
    assert OTHERS['seconds'][1](found) == '9.0 for each solved, 2.50 a turn (over 2 of 3 runs)'


def test_a_recording_without_seconds_leaves_them_out_and_never_tells_those_of_the_replay() -> None:
    found = only(stored(ANSWER, error='BadRequestError'))

    assert (found.scored, found.timed, found.seconds_per_solved, found.turn_seconds) == (1, 0, None, None)
    assert OTHERS['seconds'][1](found) == 'not told: the recordings do not say'


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


# -------------------------------------------------------------------------------------------------- how many it takes


def test_how_many_scenarios_a_difference_takes_is_told_of_each_model_and_each_pair() -> None:
    results = [
        stored(
            ANSWER, scenario=f's{n}', model=model, epoch=epoch, solved=(n + epoch) % 3 > 0 if model == 'a' else n < 4
        )
        for n in range(12)
        for epoch in (1, 2, 3)
        for model in 'ab'
    ]
    found = score(rows_of(results), difference=0.1)
    one, other, pair = found.needed

    assert (one.first, one.second, one.epochs, one.within) == ('a max_tokens=512 temperature=0.7', None, 3, 0.0)
    assert one.scenarios == scenarios_needed(0.1, base=2 / 3 - 0.05, epochs=3, within=0.0)
    assert (other.within, other.scenarios) == (1.0, scenarios_needed(0.1, base=1 / 3 + 0.05, epochs=3))
    assert pair.second == 'b max_tokens=512 temperature=0.7'
    wanted = 'at a difference of 10 points (power 80 %)'
    takes = f'takes {pair.scenarios} scenarios with 3 runs each'
    assert list(text(found))[-2] == f'To tell a and b apart {wanted} {takes}'


@pytest.mark.parametrize('solved', [True, False])
def test_a_model_that_solved_all_or_nothing_can_be_planned_for(solved: bool) -> None:
    found = score(rows_of([stored(ANSWER, scenario=f's{n}', solved=solved) for n in range(8)]), difference=0.2)

    assert found.needed[0].scenarios == scenarios_needed(0.2, base=0.1)


def test_nothing_is_planned_where_no_difference_is_wanted_or_no_task_is_there() -> None:
    assert score(rows_of([stored(ANSWER)])).needed == ()
    assert score(rows_of([stored(ANSWER, solved=None)]), difference=0.1).needed == ()


# ---------------------------------------------------------------------------------------------------- how it is told

RESULTS = (
    stored(CALL, ANSWER, calls=(RETURNED,)),
    stored('It is 5.', scenario='two', model='a|b', solved=False, task_family='one-tool'),
)


def test_the_models_stand_first_in_one_line_each_the_best_one_on_top() -> None:
    first, second, third, empty = list(text(score(rows_of(RESULTS))))[:4]

    assert first.split() == ['model', 'runs', 'solved', 'strict', 'readable', 'tool', 'skipped']
    assert second == 'm      1/1   100 % [21, 100]  100 % [21, 100]  100 % [21, 100]  0 % [0, 79]'
    assert third == 'a|b    1/1   0 % [0, 79]      0 % [0, 79]      0 % [0, 79]      100 % [21, 100]'
    assert empty == ''


def test_every_rate_is_told_with_its_interval_and_n() -> None:
    lines = list(text(score(rows_of(RESULTS))))

    assert 'm (max_tokens=512 temperature=0.7)' in lines
    assert '  runs               1 of 1 scored' in lines
    assert any(line.startswith('  solved             100 % [21, 100] n=1') for line in lines)


def test_families_are_told_in_one_line_for_each_model() -> None:
    found = score(rows_of(RESULTS), by_family=True)
    lines = list(text(found))

    assert lines[4:8:2] == ['f', 'one-tool']
    assert lines[7].split()[:2] == ['a|b', '1/1']
    assert '| one-tool | a\\|b (max_tokens=512 temperature=0.7) | 1/1 | 0 % [0, 79] n=1 |' in markdown(found)


def test_nothing_to_count_is_not_told_as_zero() -> None:
    lines = markdown(score(rows_of(RESULTS))).splitlines()

    assert lines[0] == '|  | m (max_tokens=512 temperature=0.7) | a\\|b (max_tokens=512 temperature=0.7) |'
    assert '| unknown tool | 0 % [0, 79] n=1 | nothing to count |' in lines


def test_missing_runs_are_always_told_and_above_two_in_a_hundred_as_a_warning() -> None:
    made = [stored(ANSWER, scenario=f's{n}') for n in range(98)]
    missing = [stored(error='RateLimitError', scenario=f'x{n}', solved=False) for n in range(3)]
    few, many = score(rows_of([*made, *missing[:2]])), score(rows_of([*made, *missing]))

    assert '98/100' in list(text(few))[1]
    assert '(!)' not in markdown(few)
    for told in ('\n'.join(text(many)), markdown(many)):
        assert '98 of 101 scored (!)' in told
        assert '(!) m (max_tokens=512 temperature=0.7): more than 2 % of the runs are missing' in told


EPOCHS = [stored(CALL, ANSWER, calls=(RETURNED,), epoch=epoch, seconds=(1, 2)) for epoch in (1, 2)]
FULL = score(rows_of(EPOCHS), by_family=True, prices={'m': Prices(prompt=1, completion=1)})


def test_every_figure_is_told_in_each_format() -> None:
    named = {'model', 'parameters', 'family'}
    assert {*named, *COLUMNS, *(key for fields, _ in OTHERS.values() for key in fields)} == set(Figures.model_fields)

    headings = {*COLUMNS.values(), *OTHERS}
    lines = list(text(FULL))
    block = lines[lines.index('m (max_tokens=512 temperature=0.7)') + 1 :]
    assert {line[2:20].strip() for line in block[: block.index('')]} == headings
    rows = markdown(FULL).splitlines()
    assert {row.split(' | ')[0].removeprefix('| ') for row in rows[2 : rows.index('')]} == headings
    columns = next(csv.reader(io.StringIO(table(FULL))))
    for key in Figures.model_fields:
        assert any(column == key or column.startswith(f'{key}_') for column in columns), key
    told = FULL.model_dump(mode='json')
    jsonschema.validate(told, score_schema())
    assert set(told['figures'][0]) == set(Figures.model_fields)


def test_the_formats_tell_the_same_numbers() -> None:
    found = FULL.figures[0]
    (row, _) = csv.DictReader(io.StringIO(table(FULL)))
    told = FULL.model_dump(mode='json')['figures'][0]

    for key in COLUMNS:
        rate_of = getattr(found, key)
        if rate_of is None:
            assert (row[key], told[key]) == ('not measured', None)
        else:
            assert (row[key], row[f'{key}_n']) == (
                str(rate_of.value) if rate_of.value is not None else '',
                str(rate_of.n),
            )
            assert (told[key]['value'], told[key]['n']) == (rate_of.value, rate_of.n)
    for key in ('planned', 'scored', 'turns', 'timed', 'metered', 'cost', 'seconds_per_solved', 'currency'):
        assert row[key] == str(told[key])
    assert (row['pass_hat_2'], row['outcomes_grounded'], row['outcomes_error']) == ('1.0', '2', '0')


def test_the_csv_has_a_row_for_each_model_with_both_ends_of_each_interval() -> None:
    rows = list(csv.DictReader(io.StringIO(table(score(rows_of(RESULTS))))))

    assert [row['model'] for row in rows] == ['m', 'a|b']
    assert float(rows[0]['solved_low']) == pytest.approx(0.2065, abs=1e-3)
    assert rows[1]['repeated_call'] == ''


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.sampled_from('abc'), st.integers(1, 4), st.booleans(), st.integers(0, 2)), max_size=25))
def test_whatever_the_results_all_rates_are_shares_and_the_sum_of_outcomes_is_what_was_planned(
    made: list[tuple[str, int, bool, int]],
) -> None:
    turns: tuple[tuple[str, ...], ...] = ((CALL, ANSWER), ('It is 5.',), ())
    errors = (None, None, 'APITimeoutError')
    results = [
        stored(*turns[kind], scenario=f's{n}', model=model, solved=solved and kind < 2, error=errors[kind])
        for model, n, solved, kind in made
    ]
    found = score(rows_of(results), by_family=True, difference=0.1)
    mixed = score(rows_of(list(reversed(results))), by_family=True, difference=0.1)

    for item in found.figures:
        assert sum(item.outcomes.values()) == item.planned >= item.scored
        for key in COLUMNS:
            share = getattr(item, key)
            if share is not None and share.value is not None:
                assert 0 <= share.low <= share.value <= share.high <= 1
                assert share.n >= share.clusters > 0
    assert [(item.model, item.family, item.solved.value) for item in found.figures] == [
        (item.model, item.family, item.solved.value) for item in mixed.figures
    ]
    assert [*text(found), markdown(found), table(found)]


# --------------------------------------------------------------------------------------------------------------- frames


def test_the_rows_can_be_had_as_frames_and_as_files(tmp_path: Path) -> None:
    rows = rows_of([*RESULTS, stored(ANSWER, scenario='three', seconds=(1.5,))])
    written = write_frames(rows, tmp_path / 'new')

    assert {path.name for path in written} == {'runs.csv', 'turns.csv', 'runs.parquet', 'turns.parquet'}
    assert pandas.read_csv(tmp_path / 'new' / 'runs.csv')['outcome'].tolist() == [
        'grounded',
        'ungrounded',
        'ungrounded',
    ]
    assert run_frame(rows)['latency_s'].tolist()[-1] == 1.5
    assert turn_frame(rows)['form'].tolist() == ['strict', 'strict', 'direct', 'strict']
    assert {*RunRow.model_fields} == set(run_frame(rows).columns)
    assert {*TurnRow.model_fields, *Flag} - {'flags'} == set(turn_frame(rows).columns)


def test_the_parquet_files_hold_the_same_frames(tmp_path: Path) -> None:
    with LibraryParser() as library:
        rows = measured([*RESULTS, stored(CORRUPT, ANSWER, scenario='three', seconds=(0.5, None))], library)
    write_frames(rows, tmp_path)

    pandas.testing.assert_frame_equal(pandas.read_parquet(tmp_path / 'runs.parquet'), run_frame(rows))
    pandas.testing.assert_frame_equal(pandas.read_parquet(tmp_path / 'turns.parquet'), turn_frame(rows))


def test_the_csv_files_hold_the_same_values_as_the_parquet_files(tmp_path: Path) -> None:
    write_frames(rows_of([*RESULTS, stored(ANSWER, scenario='three', seconds=(1.5,))]), tmp_path)

    for name in ('runs', 'turns'):
        other = pandas.read_parquet(tmp_path / f'{name}.parquet')
        again = other.to_csv(index=False, lineterminator='\n')
        assert (tmp_path / f'{name}.csv').read_text() == again
        assert len(other) == len(pandas.read_csv(tmp_path / f'{name}.csv'))


def test_without_pyarrow_the_frames_are_csv_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, 'find_spec', lambda name: None)

    assert [path.name for path in write_frames(rows_of(RESULTS), tmp_path)] == ['runs.csv', 'turns.csv']


def test_frames_of_nothing_have_their_columns(tmp_path: Path) -> None:
    write_frames(rows_of([]), tmp_path)

    assert pandas.read_csv(tmp_path / 'runs.csv').columns.tolist() == list(RunRow.model_fields)
    assert len(pandas.read_parquet(tmp_path / 'turns.parquet')) == 0


def test_a_frame_with_a_key_in_it_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('SOME_API_KEY', 'Kq7vXw2mZr9tBn4cLp8d')
    with pytest.raises(SecretFound):
        write_frames(rows_of([stored(ANSWER, scenario='has-Kq7vXw2mZr9tBn4cLp8d')]), tmp_path)

    assert list(tmp_path.iterdir()) == []


# ------------------------------------------------------------------------------------------------------------- the verb


def test_the_verb_scores_the_committed_recordings(tmp_path: Path) -> None:
    store = tmp_path / 'results.jsonl'
    run = CliRunner().invoke(main, ['run', 'one-tool', 'two-tools-in-sequence', '--results', str(store)])
    assert run.exit_code == 0, run.output

    prices = tmp_path / 'models.yaml'
    prices.write_text(
        'scenarios: [evaluation]\n'
        'models:\n'
        '  - name: smollm2-135m-instruct\n'
        '    base_url: http://127.0.0.1:1/v1\n'
        '    prices: {prompt: 1, completion: 2}\n'
    )
    options = ['--format', 'json', '--prices', str(prices), '--difference', '10', '--frames', str(tmp_path)]
    result = CliRunner().invoke(main, ['score', str(store), *options])
    found = json.loads(result.stdout)
    jsonschema.validate(found, score_schema())
    models = {item['model']: item for item in found['figures']}
    assert set(models) >= {path.stem for path in (CHECKOUT / 'cassettes' / 'one-tool').glob('*.yaml')}
    assert models['smollm2-135m-instruct']['currency'] == 'USD'
    assert models['smollm2-135m-instruct']['cost'] > 0
    assert models['qwen2.5-coder-0.5b-instruct']['cost'] is None
    assert models['smollm2-135m-instruct']['family'] == ''
    assert found['needed'][0]['difference'] == 0.1
    assert found['not_measured'] == {}
    families = set(pandas.read_csv(tmp_path / 'runs.csv')['family'])
    assert families == {'one-tool', 'two-tools-in-sequence'}
    schema = json.loads(CliRunner().invoke(main, ['schema', 'score']).stdout)
    assert schema == score_schema()

    left_out = CliRunner().invoke(main, ['score', str(store), '--no-library'])
    assert 'parser corrupts: not measured (left out with --no-library)' in left_out.stdout


def test_a_store_of_scripted_runs_has_no_model_to_score(tmp_path: Path) -> None:
    store = tmp_path / 'results.jsonl'
    CliRunner().invoke(main, ['run', 'nothing-configured', '--results', str(store)])
    result = CliRunner().invoke(main, ['score', str(store)])

    assert result.exit_code == 2
    assert 'there is no run of a model in these results' in result.output
