"""JUnit XML: what fails, what does not, and that any text can stand in it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import junitparser
import pytest
import xmlschema
from example_suite import Suite, run
from hypothesis import given
from hypothesis import strategies as st
from outcomes import HOSTILE, PLACE, baseline_of, hostile, outcome, summary, unmet

from harness.gate.verdict import Gate
from harness.outputs.junit import junit_xml

if TYPE_CHECKING:
    from harness.show.summary import Summary

SCHEMA = xmlschema.XMLSchema(Path(__file__).with_name('junit.xsd'))


def read(text: str) -> junitparser.JUnitXml:
    """Read JUnit XML with the schema, and as another program would."""
    SCHEMA.validate(text)
    return junitparser.JUnitXml.fromstring(text.encode())


def only_case(shown: Summary) -> Any:
    ((case,),) = read(junit_xml(shown))
    return case


def test_a_family_is_a_suite_and_a_run_is_a_case() -> None:
    runs = [
        outcome('first', family='stack'),
        outcome('second', model='small-1b'),
        outcome('second', model='small-1b', run=2),
    ]
    suites = list(read(junit_xml(summary(*runs))))

    assert [suite.name for suite in suites] == ['loop', 'stack']
    assert [(case.classname, case.name) for suite in suites for case in suite] == [
        ('a_node.loop', 'second [small-1b]'),
        ('a_node.loop', 'second [small-1b] (run 2)'),
        ('a_node.stack', 'first'),
    ]
    assert [case.time for case in suites[0]] == [0.012, 0.012]


def test_a_finding_that_gates_is_a_failure_with_its_place_and_both_sides() -> None:
    case = only_case(summary(outcome(findings=[unmet()])))
    (failure,) = case.result

    assert isinstance(failure, junitparser.Failure)
    assert failure.message == 'the answer is not the expected text'
    assert f'{PLACE}:12:3: expect.answer.equals\n' in failure.text
    assert 'expected  "Hello."' in failure.text
    assert 'came      "Hi."' in failure.text


def test_all_findings_of_a_run_are_one_failure_for_servers_show_one() -> None:
    diff = '--- expected\n+++ actual\n-Hello.\n+Hi.'
    findings = [unmet(), unmet('expect.calls', 'too many', diff=diff, expected=['a' * 200], actual=[])]
    (failure,) = only_case(summary(outcome(findings=findings))).result

    assert failure.message == 'the answer is not the expected text (and 1 more)'
    assert f'{PLACE}:12:3: expect.calls\n' in failure.text
    assert '-Hello.\n' in failure.text


def test_a_required_finding_is_named_before_those_beyond_the_contract() -> None:
    findings = [unmet('hardening.stop_reason', 'another reason', level='hardening'), unmet()]
    (failure,) = only_case(summary(outcome(findings=findings))).result

    assert failure.message == 'the answer is not the expected text (and 1 more)'


def test_a_run_that_was_not_judged_is_an_error() -> None:
    case = only_case(summary(outcome(problem='the request drifted\nmessages[0].content')))
    (error,) = case.result

    assert isinstance(error, junitparser.Error)
    assert error.message == 'the request drifted'
    assert 'messages[0].content' in error.text


@pytest.mark.parametrize(
    'run',
    [outcome(level='hardening', findings=[unmet(level='hardening')]), outcome(level='hardening', problem='a drift')],
    ids=['finding', 'problem'],
)
def test_what_does_not_gate_is_skipped_and_all_of_it_is_in_the_output(run: Any) -> None:
    shown = summary(run, outcome('other'), gate=Gate('required'))
    cases = {case.name: case for suite in read(junit_xml(shown)) for case in suite}
    (skipped,) = cases['greets'].result

    assert shown.verdict == 'pass'
    assert isinstance(skipped, junitparser.Skipped)
    assert skipped.message.startswith('the level hardening does not gate: ')
    assert (run.problem or f'{PLACE}:12:3: expect.answer.equals') in cases['greets'].system_out
    assert cases['other'].result == []


def test_a_run_that_met_what_is_required_has_passed_and_what_is_beyond_it_is_in_the_output() -> None:
    shown = summary(outcome(findings=[unmet('hardening.answer', level='hardening')]), gate=Gate('required'))
    case = only_case(shown)

    assert shown.verdict == 'pass'
    assert case.result == []
    assert case.system_out.startswith('the level hardening does not gate\n')
    assert f'{PLACE}:12:3: hardening.answer\n' in case.system_out


def test_what_the_baseline_knows_is_skipped_and_what_it_does_not_know_fails() -> None:
    known = [outcome('old', findings=[unmet()]), outcome('worse')]
    gate = Gate(baseline=baseline_of(*known))
    shown = summary(outcome('old', findings=[unmet()]), outcome('worse', findings=[unmet()]), gate=gate)
    cases = {case.name: case for suite in read(junit_xml(shown)) for case in suite}

    assert cases['old'].result[0].message.startswith('the baseline knows it: ')
    assert isinstance(cases['worse'].result[0], junitparser.Failure)


def test_a_run_that_is_gone_makes_the_file_fail_as_the_gate_does() -> None:
    gate = Gate(baseline=baseline_of(outcome(), outcome('gone', model='small-1b', run=2)))
    shown = summary(outcome(), gate=gate)
    cases = {case.name: case for suite in read(junit_xml(shown)) for case in suite}
    (error,) = cases['verdict'].result

    assert shown.verdict == 'inconclusive'
    assert error.message == shown.reason
    assert 'gone: gone [small-1b] (run 2)' in error.text


def test_a_suite_of_which_nothing_was_run_is_an_error() -> None:
    (error,) = only_case(summary()).result
    assert error.message == 'nothing was run'


def test_the_totals_are_those_of_the_cases() -> None:
    runs = [
        outcome('a', findings=[unmet()]),
        outcome('b', problem='a drift', family='stack'),
        outcome('c', level='hardening', findings=[unmet(level='hardening')]),
        outcome('d'),
    ]
    text = junit_xml(summary(*runs, gate=Gate('required')))
    root, xml = ElementTree.fromstring(text), read(text)

    assert {key: root.get(key) for key in ('tests', 'failures', 'errors')} == {
        'tests': '4',
        'failures': '1',
        'errors': '1',
    }
    assert (xml.tests, xml.failures, xml.errors) == (4, 1, 1)
    assert [suite.get('skipped') for suite in root] == ['1', '0']


def test_places_are_attributes_only_where_they_are_asked_for() -> None:
    shown = summary(outcome(findings=[unmet()]), outcome('met', path='scenarios/loop/met.yaml'))
    plain, placed = junit_xml(shown), junit_xml(shown, places=True)

    assert ' file="' not in plain
    assert f'file="{PLACE}" line="12"' in placed
    assert 'file="scenarios/loop/met.yaml" line="1"' in placed
    assert [case.get('file') for case in ElementTree.fromstring(placed).iter('testcase')] == [
        PLACE,
        'scenarios/loop/met.yaml',
    ]


def test_no_text_breaks_it_and_its_controls_can_be_read() -> None:
    xml = read(junit_xml(summary(hostile(), outcome('next')), places=False))
    first, second = (case for suite in xml for case in suite)

    assert second.name == 'next'
    assert '\\0\\x01\\b' in first.result[0].text
    assert '\\ufffe\\uffff\\ud800' in first.result[0].text
    assert '</failure></testcase>]]> <script>' in first.result[0].text


@given(st.text(st.characters(exclude_categories=())))
def test_any_text_of_a_model_is_well_formed(text: str) -> None:
    run = outcome(title=text, model=text, findings=[unmet(key=text, message=text, actual=text)], problem=text)
    SCHEMA.validate(junit_xml(summary(run)))


def test_the_same_outcome_gives_the_same_bytes() -> None:
    assert junit_xml(summary(hostile())) == junit_xml(summary(hostile()))


def test_run_writes_it_beside_what_it_prints(tmp_path: Path) -> None:
    suite = Suite(tmp_path)
    path = suite.add(answer='Good morning.')
    suite.add('other', family='stack', said=[HOSTILE[:40]], answer={'contains': ['</failure>']})
    target = tmp_path / 'deep' / 'junit.xml'
    result = run(suite, '--junit', target)

    assert result.exit_code == 1, result.output
    assert f'JUnit: {target}\n' in result.stdout
    cases = {case.name: case for each in read(target.read_text(encoding='utf-8')) for case in each}
    assert f'{path}:{suite.place(path, "answer:")}: expect.answer.equals' in cases['greets'].result[0].text
    assert cases['other'].result == []
    assert [item.name for item in target.parent.iterdir()] == ['junit.xml']


def test_places_without_a_file_are_refused(tmp_path: Path) -> None:
    suite = Suite(tmp_path)
    suite.add()
    result = run(suite, '--junit-places')

    assert result.exit_code == 2
    assert '--junit-places is about the file of --junit' in result.stderr
