"""The verdict: what fails, what proves nothing, what passes, and which exit code says so."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, get_args

import jsonschema
import pytest
from example_suite import Suite, invoke, run
from hypothesis import given
from hypothesis import strategies as st

from harness.gate.baseline import Baseline, BaselineRun
from harness.gate.change import Level
from harness.gate.verdict import EXIT_CODES, Gate, key_of, state_of, summarize
from harness.show.summary import Outcome, Unmet, summary_schema

if TYPE_CHECKING:
    from pathlib import Path

    from harness.show.summary import Summary


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    found = Suite(tmp_path)
    found.scenarios.mkdir()
    found.cassettes.mkdir()
    return found


def outcome(name: str = 'a', level: str = 'required', problem: str = '', **findings: str) -> Outcome:
    """Return an outcome whose findings are given as `message=level`."""
    unmet = [
        Unmet(path='a.yaml', line=1, column=1, key='expect', message=message, level=of)  # type: ignore[arg-type]
        for message, of in findings.items()
    ]
    return Outcome(
        scenario=name,
        title='A title',
        family='loop',
        level=level,
        path='a.yaml',
        met=not unmet and not problem,
        findings=tuple(unmet),
        problem=problem,
    )


def summary(*outcomes: Outcome, gate: Gate | None = None, **more: Any) -> Summary:
    gate = gate or Gate()
    return summarize([gate.weighed(item) for item in outcomes], node='n', platform='stand-in', gate=gate, **more)


MET, BAD, BEYOND = outcome('met'), outcome('bad', wrong='required'), outcome('beyond', wrong='hardening')
EXTRA = outcome('extra', 'hardening', wrong='hardening')
DRIFTED = outcome('drifted', problem='it drifted')
REQUIRED = Gate('required')


@pytest.mark.parametrize(
    ('outcomes', 'gate', 'verdict', 'reason'),
    [
        ([MET], Gate(), 'pass', 'the one run met all expectations'),
        ([MET, MET], Gate(), 'pass', 'all 2 runs met all expectations'),
        ([MET, BAD], Gate(), 'fail', '1 run has findings'),
        ([BAD, BAD], REQUIRED, 'fail', '2 runs have findings of level required'),
        ([MET, EXTRA], Gate(), 'fail', '1 run has findings'),
        (
            [MET, EXTRA],
            REQUIRED,
            'pass',
            'the one run of required scenarios met what is required; 1 finding of level hardening does not count',
        ),
        ([MET, BEYOND], Gate(), 'fail', '1 run has findings'),
        (
            [MET, BEYOND],
            REQUIRED,
            'pass',
            'all 2 runs of required scenarios met what is required; 1 finding of level hardening does not count',
        ),
        ([MET, DRIFTED], Gate(), 'inconclusive', '1 run was not judged'),
        ([BAD, DRIFTED, DRIFTED], Gate(), 'fail', '1 run has findings; 2 runs were not judged'),
        ([EXTRA, DRIFTED], REQUIRED, 'inconclusive', '1 run was not judged'),
        (
            [MET, outcome('x', 'hardening', 'it drifted')],
            REQUIRED,
            'pass',
            'the one run of required scenarios met what is required; 1 run of hardening scenarios was not judged',
        ),
        ([EXTRA], REQUIRED, 'inconclusive', 'no scenario of level required was run'),
        ([], Gate(), 'inconclusive', 'nothing was run'),
    ],
)
def test_a_verdict_has_its_reason(outcomes: list[Outcome], gate: Gate, verdict: str, reason: str) -> None:
    found = summary(*outcomes, gate=gate)
    assert (found.verdict, found.reason, found.level) == (verdict, reason, gate.level)


def test_scenarios_that_were_not_come_to_prove_nothing() -> None:
    assert summary(MET, left={'b', 'c'}).verdict == 'inconclusive'
    assert summary(MET, left={'b', 'c'}).reason == '2 scenarios were not run (--fail-fast)'
    assert summary(BAD, left={'b'}).reason == '1 run has findings; 1 scenario was not run (--fail-fast)'


def test_every_verdict_has_an_exit_code_of_its_own_and_none_is_that_of_wrong_usage() -> None:
    assert EXIT_CODES == {'pass': 0, 'fail': 1, 'inconclusive': 3}


_levels = st.sampled_from(get_args(Level))
_outcomes = st.lists(
    st.builds(
        outcome,
        st.sampled_from(['a', 'b', 'c', 'd']),
        _levels,
        problem=st.sampled_from(['', 'it drifted']),
        one=_levels,
    )
    | st.builds(outcome, st.sampled_from(['a', 'b', 'c', 'd']), _levels, problem=st.sampled_from(['', 'it drifted'])),
    max_size=6,
    unique_by=lambda item: item.scenario,
)


@given(_outcomes)
def test_what_fails_by_what_is_required_fails_by_all(outcomes: list[Outcome]) -> None:
    if summary(*outcomes, gate=REQUIRED).verdict == 'fail':
        assert summary(*outcomes).verdict == 'fail'


@given(_outcomes, _levels)
def test_more_runs_never_turn_a_failure_into_anything_else(outcomes: list[Outcome], level: Level) -> None:
    assert summary(*outcomes, outcome('z', bad='required'), gate=Gate(level)).verdict == 'fail'


@given(_outcomes, _levels)
def test_only_what_was_judged_passes(outcomes: list[Outcome], level: Level) -> None:
    gate = Gate(level)
    if summary(*outcomes, gate=gate).verdict == 'pass':
        gating = [item for item in outcomes if gate.has(item.level)]
        assert gating
        assert all(item.met or not any(gate.has(found.level) for found in item.findings) for item in gating)
        assert not any(item.problem and not item.findings for item in gating)


@given(_outcomes, _levels)
def test_nothing_fails_against_a_baseline_of_itself(outcomes: list[Outcome], level: Level) -> None:
    runs = [
        BaselineRun(
            scenario=item.scenario,
            level=item.level,  # type: ignore[arg-type]
            state=state_of(item).state,
            findings=state_of(item).findings,
        )
        for item in outcomes
    ]
    gate = Gate(level, Baseline('b', 'n', tuple(runs)))
    found = summary(*outcomes, gate=gate)
    judged = any(gate.has(item.level) and (item.met or item.findings) for item in outcomes)
    assert found.verdict == ('pass' if judged else 'inconclusive')
    assert found.baseline is not None
    assert found.baseline.changes == ()


def test_a_run_is_the_same_one_by_scenario_model_and_number() -> None:
    first, second = MET.model_copy(update={'model': 'small', 'run': 2}), MET
    assert key_of(first) == ('met', 'small', 2)
    assert key_of(second) == ('met', '', 1)


# ------------------------------------------------------------------------------------------------------- a real command


def verdict(suite: Suite, *arguments: str) -> tuple[int, str]:
    """Return the exit code of a run and its last line."""
    result = run(suite, *arguments)
    return result.exit_code, result.stdout.splitlines()[-1]


def test_a_run_ends_with_its_verdict_and_the_exit_code_of_it(suite: Suite) -> None:
    suite.add('met')
    assert verdict(suite) == (0, 'Verdict: pass: the one run met all expectations')
    suite.add('never-recorded', recorded=True)
    assert verdict(suite) == (3, 'Verdict: inconclusive: 1 run was not judged')
    suite.add('failed', answer='Good morning.')
    assert verdict(suite) == (1, 'Verdict: fail: 1 run has findings; 1 run was not judged')
    assert run(suite, 'mets').exit_code == 2


def test_the_json_of_a_run_has_the_verdict_and_what_each_run_does_to_it(suite: Suite) -> None:
    suite.add('a-met')
    suite.add('b-failed', answer='Good morning.', level='hardening')
    suite.add('c-never-recorded', recorded=True)
    for level in get_args(Level):
        result = run(suite, '--json', '--level', level)
        found = json.loads(result.stdout)
        jsonschema.validate(found, summary_schema())
        assert found['level'] == level
        assert found['baseline'] is None
        if level == 'hardening':
            assert (result.exit_code, found['verdict']) == (1, 'fail')
            assert found['reason'] == '1 run has findings; 1 run was not judged'
            assert [item['effect'] for item in found['results']] == ['none', 'fail', 'inconclusive']
        else:
            assert (result.exit_code, found['verdict']) == (3, 'inconclusive')
            assert [item['effect'] for item in found['results']] == ['none', 'none', 'inconclusive']


def test_what_does_not_gate_is_shown_and_counted(suite: Suite) -> None:
    suite.add('a-met')
    suite.add('b-beyond', answer='Good morning.', level='hardening')
    result = run(suite, '--level', 'required')

    assert result.exit_code == 0
    assert 'b-beyond: The node b-beyond\n' in result.stdout
    assert '2 scenarios, 2 runs, 1 finding in ' in result.stdout
    assert result.stdout.endswith('met what is required; 1 finding of level hardening does not count\n')


def test_an_expectation_beyond_the_contract_does_not_gate_in_a_required_scenario(suite: Suite) -> None:
    suite.add('mixed', hardening={'stop_reason': 'answer'})

    assert verdict(suite)[0] == 1
    assert verdict(suite, '--level', 'required')[0] == 0


def test_fail_fast_goes_past_what_does_not_gate(suite: Suite) -> None:
    suite.add('a-beyond', answer='Good morning.', level='hardening')
    suite.add('b-met')
    suite.add('c-failed', answer='Good morning.')
    suite.add('d-met')

    assert verdict(suite, '-x') == (1, 'Verdict: fail: 1 run has findings; 3 scenarios were not run (--fail-fast)')
    reason = '1 run has findings of level required; 1 scenario was not run (--fail-fast)'
    assert verdict(suite, '-x', '--level', 'required') == (1, f'Verdict: fail: {reason}')


def test_what_gates_is_shown_first(suite: Suite) -> None:
    suite.add('a-beyond', answer='Good morning.', level='hardening')
    suite.add('b-never-recorded', recorded=True)
    suite.add('c-failed', answer='Good morning.')
    shown = run(suite, '--level', 'required').stdout

    places = [shown.index(f'{name}: The node') for name in ('c-failed', 'b-never-recorded', 'a-beyond')]
    assert places == sorted(places)


def test_a_level_that_there_is_not_is_wrong_usage(suite: Suite) -> None:
    suite.add()
    assert run(suite, '--level', 'optional').exit_code == 2


def test_the_exit_codes_are_documented_where_they_are_looked_for() -> None:
    shown = ' '.join(invoke('run', '--help').stdout.split())
    assert 'Exit codes: 0 the verdict is pass, 1 it is fail, 3 it is inconclusive, 2 wrong usage' in shown
