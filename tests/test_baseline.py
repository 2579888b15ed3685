"""The baseline: what is accepted stands in a file for people, and only what is worse than that fails."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from example_suite import ERRANDS, NODES, Suite, invoke, run
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scenario_files import json_values

from harness import results
from harness.gate.baseline import (
    Baseline,
    BaselineError,
    BaselineRun,
    accept,
    baseline_run,
    read_baseline,
    write_baseline,
)
from harness.gate.change import RunState, change_of, signature
from harness.scenario.schema import baseline_schema
from harness.show.summary import summary_schema

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    found = Suite(tmp_path)
    found.scenarios.mkdir()
    found.cassettes.mkdir()
    return found


def accepted(suite: Suite, *arguments: str) -> Result:
    """Run a suite as it is now and accept what comes out."""
    store = suite.folder / 'results.jsonl'
    store.unlink(missing_ok=True)
    run(suite, '--results', store)
    return invoke('accept', store, '--baseline', suite.folder / 'baseline.jsonl', *arguments)


def gated(suite: Suite, *arguments: str, node: str = ERRANDS) -> tuple[int, str]:
    """Return the exit code of a run against the baseline, and its verdict."""
    result = run(suite, '--baseline', suite.folder / 'baseline.jsonl', *arguments, node=node)
    return result.exit_code, result.stdout.splitlines()[-1].removeprefix('Verdict: ')


def changes(suite: Suite, *arguments: str) -> dict[str, Any]:
    """Return the runs that are not as in the baseline, with what became of them and what that does to the verdict."""
    result = run(suite, '--baseline', suite.folder / 'baseline.jsonl', '--json', *arguments)
    found = json.loads(result.stdout)
    jsonschema.validate(found, summary_schema())
    return {item['scenario']: (item['change'], item['effect']) for item in found['baseline']['changes']}


# ------------------------------------------------------------------------------------------------------------- the file


def test_a_baseline_is_small_sorted_and_one_line_a_run(suite: Suite) -> None:
    suite.add('c-twice', runs=2)
    suite.add('a-failed', answer='Good morning.', level='hardening')
    suite.add('b-met', family='faces')
    result = accepted(suite)

    assert result.exit_code == 0
    assert (suite.folder / 'baseline.jsonl').read_text(encoding='utf-8').splitlines() == [
        '{"kind": "react-harness baseline", "version": 1, "node": "errands"}',
        '{"scenario": "a-failed", "level": "hardening", "state": "failed", '
        '"findings": ["expect.answer.equals: the answer is not the expected text [34bace2f]"]}',
        '{"scenario": "b-met", "level": "required", "state": "met"}',
        '{"scenario": "c-twice", "level": "required", "state": "met"}',
        '{"scenario": "c-twice", "run": 2, "level": "required", "state": "met"}',
    ]
    assert result.stdout.splitlines()[-1].endswith('baseline.jsonl: 4 runs: 3 met, 1 failed; 4 changes')


def test_accepting_again_changes_no_byte(suite: Suite) -> None:
    suite.add('failed', answer='Good morning.')
    suite.add('met')
    accepted(suite)
    before = (suite.folder / 'baseline.jsonl').read_bytes()
    result = accepted(suite)

    assert result.stdout.endswith('2 runs: 1 met, 1 failed; nothing changed\n')
    assert (suite.folder / 'baseline.jsonl').read_bytes() == before


_names = st.from_regex(r'[a-z]{1,4}', fullmatch=True)
_findings = st.lists(
    st.builds(signature, st.text(max_size=5), st.text(max_size=9), json_values), min_size=1, max_size=3
)
_runs = st.lists(
    st.builds(
        lambda name, model, number, level, findings: BaselineRun(
            scenario=name,
            model=model,
            run=number,
            level=level,
            state='failed' if findings else 'met',
            findings=tuple(sorted(findings)),
        ),
        _names,
        st.none() | _names,
        st.integers(1, 3),
        st.sampled_from(['required', 'hardening']),
        st.just([]) | _findings,
    ),
    max_size=5,
    unique_by=lambda entry: entry.key,
)


@settings(suppress_health_check=list(HealthCheck))
@given(_runs)
def test_what_is_written_is_read_back_and_fits_the_schema(tmp_path: Path, runs: list[BaselineRun]) -> None:
    path = tmp_path / 'baseline.jsonl'
    written = Baseline(str(path), 'n', tuple(sorted(runs, key=lambda entry: entry.key)))
    write_baseline(path, written)
    assert read_baseline(path, 'n') == written
    validator = jsonschema.Draft202012Validator(baseline_schema())
    for line in path.read_text(encoding='utf-8').split('\n')[:-1]:
        assert list(validator.iter_errors(json.loads(line))) == []


HEAD = '{"kind": "react-harness baseline", "version": 1, "node": "n"}\n'
MET = '{"scenario": "a", "level": "required", "state": "met"}\n'


@pytest.mark.parametrize(
    ('text', 'expected'),
    [
        ('', ':1: the file is empty, so it is no baseline'),
        ('[]\n', ':1: this is no baseline: its first line is no header; make one with `react-harness accept'),
        ('<<<<<<< HEAD\n', ':1: this is not JSON'),
        (HEAD.replace('"version": 1', '"version": 9'), ':1: the baseline is of version 9, and this program reads'),
        (HEAD.replace('baseline', 'results'), ":1: this is no baseline: it is of the kind 'react-harness results'"),
        (HEAD.replace('"n"', '"other"'), ":1: this is the baseline of the node 'other', and 'n' is the one here"),
        (HEAD + '<<<<<<< HEAD\n' + MET, ':2: this is not JSON'),
        (HEAD + MET + MET, ':3: this run stands in line 2 already'),
        (HEAD + MET.replace('met', 'fine'), ':2: state: '),
        (HEAD + MET.replace('met', 'failed'), ':2: a run has findings if its state is failed, and only then'),
        (HEAD + MET.replace('"met"', '"met", "findings": ["x"]'), ':2: a run has findings if its state is failed'),
        (HEAD + MET.replace('"met"', '"met", "more": 1'), ':2: more: Extra inputs'),
        (HEAD + MET[:-1], ':2: the line is cut off'),
    ],
)
def test_a_file_that_is_no_baseline_of_this_node_is_refused_with_its_line(
    tmp_path: Path, text: str, expected: str
) -> None:
    path = tmp_path / 'baseline.jsonl'
    path.write_text(text)
    with pytest.raises(BaselineError) as caught:
        read_baseline(path, 'n')
    assert str(caught.value).startswith(f'{path}{expected}')


def test_a_baseline_that_is_not_there_is_a_usage_error_before_anything_is_run(suite: Suite) -> None:
    suite.add(answer='Good morning.')
    result = run(suite, '--baseline', suite.folder / 'baseline.jsonl')

    assert result.exit_code == 2
    assert result.stderr == f'{suite.folder / "baseline.jsonl"}:1: the file cannot be read: No such file or directory\n'
    assert result.stdout == ''


def test_a_results_store_is_no_baseline_and_the_error_says_how_to_make_one(suite: Suite) -> None:
    suite.add()
    run(suite, '--results', suite.folder / 'results.jsonl')
    result = run(suite, '--baseline', suite.folder / 'results.jsonl')

    assert result.exit_code == 2
    assert 'make one with `react-harness accept RESULTS --baseline FILE`' in result.stderr


def test_a_baseline_of_another_node_is_a_usage_error(suite: Suite, tmp_path: Path) -> None:
    suite.add()
    accepted(suite)
    shutil.copytree(NODES / 'errands', tmp_path / 'other')
    result = run(suite, '--baseline', suite.folder / 'baseline.jsonl', node=str(tmp_path / 'other'))

    assert result.exit_code == 2
    assert "this is the baseline of the node 'errands', and 'other' is the one here" in result.stderr


# ----------------------------------------------------------------------------------------------------------- signatures


def test_a_signature_is_one_line_that_is_blind_for_what_no_two_runs_share() -> None:
    one = signature(
        'expect', 'at 0x7f31aa, 2025-01-02T03:04:05.6+00:00', {'id': '0a6ba6c1-9e29-4a3d-b9f1-aaaaaaaaaaaa'}
    )
    other = signature('expect', 'at 0x55e0bb, 2026-11-12 13:14:15', {'id': 'ffffffff-9e29-4a3d-b9f1-cccccccccccc'})
    assert one == other
    assert one != signature('expect', 'at 0x7f31aa, 2025-01-02T03:04:05.6+00:00', {'id': 'x'})
    assert '\n' not in signature('a\nb', 'c\nd', 'e\nf')


@given(json_values, json_values)
def test_other_values_give_other_signatures(one: Any, other: Any) -> None:
    same = json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
    assert (signature('k', 'm', one) == signature('k', 'm', other)) is same


@given(json_values)
def test_a_signature_survives_the_results_store(value: Any) -> None:
    assert signature('k', 'm', json.loads(json.dumps(value))) == signature('k', 'm', value)


# ------------------------------------------------------------------------------------------------------------- the gate


def test_a_run_that_met_its_expectations_and_does_not_any_more_fails(suite: Suite) -> None:
    suite.add('greets')
    suite.add('known', answer='Good evening.')
    accepted(suite)
    suite.add('greets', answer='Good morning.')

    assert gated(suite) == (1, 'fail: 1 run has findings that the baseline does not know (1 regressed)')
    assert changes(suite) == {'greets': ('regressed', 'fail')}


def test_a_run_that_fails_as_it_is_known_to_passes_in_one_line(suite: Suite) -> None:
    suite.add('met')
    suite.add('known', answer='Good morning.')
    accepted(suite)
    result = run(suite, '--baseline', suite.folder / 'baseline.jsonl')

    assert result.exit_code == 0
    assert 'expected  "Good morning."' not in result.stdout
    assert '  known      known: 1 finding\n' in result.stdout
    assert result.stdout.endswith(
        'Verdict: pass: 1 of 2 runs met all expectations, the others are as the baseline knows them\n'
    )
    assert 'expected  "Good morning."' in run(suite, '-v', '--baseline', suite.folder / 'baseline.jsonl').stdout


def test_a_known_failure_in_a_new_way_fails(suite: Suite) -> None:
    suite.add('known', answer='Good morning.')
    accepted(suite)
    suite.add('known', answer='Good morning.', said=['Something else.'])

    assert gated(suite) == (1, 'fail: 1 run has findings that the baseline does not know (1 changed)')
    shown = run(suite, '--baseline', suite.folder / 'baseline.jsonl').stdout
    assert '  changed    known\n    + expect.answer.equals: the answer is not the expected text [' in shown
    assert '\n    - expect.answer.equals: the answer is not the expected text [34bace2f]\n' in shown


def test_a_known_failure_with_fewer_findings_passes(suite: Suite) -> None:
    suite.add('known', expect={'llm_calls': 2, 'answer': 'Good morning.'})
    accepted(suite)
    suite.add('known', expect={'llm_calls': 1, 'answer': 'Good morning.'})

    assert gated(suite)[0] == 0
    assert changes(suite) == {'known': ('changed', 'none')}


def test_new_runs_gate_and_those_that_pass_are_listed(suite: Suite) -> None:
    suite.add('a-known')
    accepted(suite)
    suite.add('b-new')
    assert changes(suite) == {'b-new': ('new', 'none')}
    suite.add('c-new', answer='Good morning.')
    assert changes(suite) == {'b-new': ('new', 'none'), 'c-new': ('new', 'fail')}
    assert gated(suite) == (1, 'fail: 1 run has findings that the baseline does not know (1 new)')


def test_a_fixed_run_is_listed_until_it_is_accepted_and_gates_from_then_on(suite: Suite) -> None:
    suite.add('greets', answer='Good morning.')
    accepted(suite)
    suite.add('greets')
    assert gated(suite)[0] == 0
    assert changes(suite) == {'greets': ('fixed', 'none')}

    result = accepted(suite)
    assert result.stdout.startswith('  fixed      greets\n    - expect.answer.equals: ')
    suite.add('greets', answer='Good morning.')
    assert gated(suite)[0] == 1


def test_a_run_that_is_gone_proves_nothing_until_it_is_accepted(suite: Suite) -> None:
    suite.add('met')
    path = suite.add('removed')
    accepted(suite)
    path.unlink()

    assert gated(suite) == (3, 'inconclusive: 1 run of the baseline is gone')
    assert changes(suite) == {'removed': ('gone', 'inconclusive')}
    kept = accepted(suite)
    assert '1 run of the baseline is not among the results and stays (--prune takes out what is not)\n' in kept.stdout
    assert gated(suite)[0] == 3
    assert '  gone       removed: met\n' in accepted(suite, '--prune').stdout
    assert gated(suite)[0] == 0


def test_what_is_not_chosen_is_not_gone(suite: Suite) -> None:
    suite.add('chosen')
    suite.add('other')
    accepted(suite)

    assert gated(suite, 'chosen') == (0, 'pass: the one run met all expectations')
    assert changes(suite, 'chosen') == {}


def test_what_fail_fast_did_not_come_to_is_not_gone(suite: Suite) -> None:
    suite.add('a-met')
    suite.add('b-met')
    accepted(suite)
    suite.add('a-met', answer='Good morning.')

    assert changes(suite, '-x') == {'a-met': ('regressed', 'fail')}


def test_fail_fast_goes_past_known_failures(suite: Suite) -> None:
    suite.add('a-known', answer='Good morning.')
    suite.add('b-met')
    accepted(suite)

    assert gated(suite, '-x')[0] == 0


def test_a_run_less_of_a_scenario_is_gone_also_where_only_that_one_is_chosen(suite: Suite) -> None:
    suite.add('twice', runs=2)
    accepted(suite)
    suite.add('twice')

    assert changes(suite, 'twice') == {'twice': ('gone', 'inconclusive')}


def test_a_run_that_cannot_be_judged_any_more_proves_nothing(suite: Suite) -> None:
    suite.add('greets')
    suite.add('known', answer='Good morning.')
    accepted(suite)
    for name in ('greets', 'known'):
        suite.add(name, recorded=True)

    assert gated(suite) == (3, 'inconclusive: 2 runs were not judged')
    assert changes(suite) == {'greets': ('unjudged', 'inconclusive'), 'known': ('unjudged', 'inconclusive')}


def test_the_level_chooses_what_gates_against_a_baseline_too(suite: Suite) -> None:
    suite.add('greets')
    beyond = suite.add('beyond', level='hardening')
    suite.add('mixed')
    accepted(suite)
    suite.add('beyond', answer='Good morning.', level='hardening')
    suite.add('mixed', hardening={'stop_reason': 'answer'})

    assert gated(suite)[0] == 1
    assert gated(suite, '--level', 'required')[0] == 0
    assert changes(suite, '--level', 'required') == {'beyond': ('regressed', 'none'), 'mixed': ('regressed', 'none')}
    beyond.unlink()
    assert changes(suite, '--level', 'required') == {'beyond': ('gone', 'none'), 'mixed': ('regressed', 'none')}


def test_the_counts_of_a_comparison_add_up(suite: Suite) -> None:
    for name in ('a-same', 'b-known', 'c-fixed', 'd-worse', 'e-gone'):
        suite.add(name, answer='Good morning.' if name in ('b-known', 'c-fixed') else 'Hello.')
    accepted(suite)
    suite.add('c-fixed')
    suite.add('d-worse', answer='Good morning.')
    (suite.scenarios / 'loop' / 'e-gone.yaml').unlink()
    suite.add('f-new')
    result = run(suite, '--baseline', suite.folder / 'baseline.jsonl', '--json')

    assert json.loads(result.stdout)['baseline']['counts'] == {
        'same': 2, 'known': 1, 'new': 1, 'fixed': 1, 'regressed': 1, 'changed': 0, 'unjudged': 0, 'gone': 1,
    }  # fmt: skip
    shown = run(suite, '--baseline', suite.folder / 'baseline.jsonl').stdout
    assert '2 runs as before (1 of them known to fail), 1 regressed, 1 new, 1 gone, 1 fixed\n' in shown


GOOD, OPEN = RunState(state='met'), RunState(state='not_judged')
X, XY = (RunState(state='failed', findings=tuple(found)) for found in ('x', 'xy'))


@pytest.mark.parametrize(
    ('before', 'after', 'expected'),
    [
        (None, GOOD, 'new'),
        (None, X, 'new'),
        (GOOD, None, 'gone'),
        (GOOD, GOOD, 'same'),
        (X, X, 'same'),
        (OPEN, OPEN, 'same'),
        (X, GOOD, 'fixed'),
        (OPEN, GOOD, 'fixed'),
        (GOOD, X, 'regressed'),
        (X, XY, 'changed'),
        (XY, X, 'changed'),
        (OPEN, X, 'changed'),
        (GOOD, OPEN, 'unjudged'),
        (X, OPEN, 'unjudged'),
    ],
)
def test_two_states_tell_what_became_of_a_run(before: RunState | None, after: RunState | None, expected: str) -> None:
    assert change_of(before, after) == expected


# --------------------------------------------------------------------------------------------------------------- accept


def test_runs_that_were_not_judged_are_refused_unless_that_is_meant(suite: Suite) -> None:
    suite.add('met')
    accepted(suite)
    before = (suite.folder / 'baseline.jsonl').read_bytes()
    suite.add('never-recorded', recorded=True)
    refused = accepted(suite)

    assert refused.exit_code == 3
    assert refused.stdout.startswith('  not judged  never-recorded\nNothing was written: 1 run was not judged\n')
    assert (suite.folder / 'baseline.jsonl').read_bytes() == before
    assert accepted(suite, '--not-judged').exit_code == 0
    assert '"never-recorded", "level": "required", "state": "not_judged"}' in (
        suite.folder / 'baseline.jsonl'
    ).read_text(encoding='utf-8')
    assert gated(suite) == (0, 'pass: 1 of 2 runs met all expectations, the others are as the baseline knows them')
    assert accepted(suite).exit_code == 0


def test_a_baseline_of_nothing_but_runs_that_were_not_judged_proves_nothing(suite: Suite) -> None:
    suite.add('never-recorded', recorded=True)
    accepted(suite, '--not-judged')

    assert gated(suite) == (3, 'inconclusive: no run was judged, although the baseline knows that')


def test_a_run_that_was_accepted_without_judgement_gates_once_it_is_judged(suite: Suite) -> None:
    suite.add('greets', recorded=True)
    suite.add('met')
    accepted(suite, '--not-judged')
    suite.add('greets', answer='Good morning.')

    assert gated(suite)[0] == 1
    assert changes(suite) == {'greets': ('changed', 'fail')}


def test_results_of_a_part_of_the_suite_leave_the_rest_of_the_baseline(suite: Suite) -> None:
    suite.add('a-greets', answer='Good morning.')
    suite.add('b-greets', answer='Good morning.')
    accepted(suite)
    suite.add('a-greets')
    store = suite.folder / 'part.jsonl'
    run(suite, 'a-greets', '--results', store)
    result = invoke('accept', store, '--baseline', suite.folder / 'baseline.jsonl')

    assert result.stdout.splitlines()[-1].endswith('2 runs: 1 met, 1 failed; 1 change')


def test_the_last_result_of_a_run_counts() -> None:
    first = BaselineRun(scenario='a', level='required', state='failed', findings=('x',))
    last = BaselineRun(scenario='a', level='required', state='met')
    assert accept(Baseline('b', 'n'), [first, last]).baseline.runs == (last,)


@given(_runs, _runs)
def test_what_is_accepted_is_in_the_baseline(old: list[BaselineRun], new: list[BaselineRun]) -> None:
    before = Baseline('b', 'n', tuple(old))
    kept, pruned = (accept(before, new, prune) for prune in (False, True))
    assert {entry.key: entry for entry in kept.baseline.runs} == {
        **{entry.key: entry for entry in old},
        **{entry.key: entry for entry in new},
    }
    assert set(pruned.baseline.runs) == set(new)
    assert accept(pruned.baseline, new, True).changes == ()


def test_a_store_without_runs_is_refused(suite: Suite) -> None:
    suite.add()
    store = suite.folder / 'results.jsonl'
    run(suite, '--results', store)
    store.write_bytes(store.read_bytes().partition(b'\n')[0] + b'\n')
    result = invoke('accept', store, '--baseline', suite.folder / 'baseline.jsonl')

    assert (result.exit_code, result.stderr) == (2, f'{store}: there are no runs in it\n')
    assert not (suite.folder / 'baseline.jsonl').exists()


def test_results_of_another_node_are_not_mixed_in(suite: Suite, tmp_path: Path) -> None:
    suite.add()
    accepted(suite)
    shutil.copytree(NODES / 'errands', tmp_path / 'other')
    store = tmp_path / 'other.jsonl'
    run(suite, '--results', store, node=str(tmp_path / 'other'))
    before = (suite.folder / 'baseline.jsonl').read_bytes()
    result = invoke('accept', store, '--baseline', suite.folder / 'baseline.jsonl')

    assert result.exit_code == 2
    assert "this is the baseline of the node 'errands', and 'other' is the one here" in result.stderr
    assert (suite.folder / 'baseline.jsonl').read_bytes() == before


def test_a_store_that_is_cut_off_is_not_accepted(suite: Suite) -> None:
    suite.add()
    store = suite.folder / 'results.jsonl'
    run(suite, '--results', store)
    store.write_bytes(store.read_bytes()[:-5])
    result = invoke('accept', store, '--baseline', suite.folder / 'baseline.jsonl')

    assert result.exit_code == 2
    assert f'{store}:2: the line is cut off' in result.stderr


def test_a_stored_result_has_the_signature_of_the_run_it_came_from(suite: Suite) -> None:
    suite.add('failed', expect={'answer': 'Good morning.', 'llm_calls': 3, 'calls': [{'tool': 'a.b', 'input': {}}]})
    store = suite.folder / 'results.jsonl'
    run(suite, '--results', store)
    (stored,) = results.read(store)[1]
    accepted(suite)

    assert len(baseline_run(stored).findings) == 3
    assert gated(suite)[0] == 0
