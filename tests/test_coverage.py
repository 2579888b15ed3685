"""The coverage of the requirements: what the table counts, and when the build fails."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from click.testing import CliRunner, Result
from example_suite import Suite

from harness.cli import main
from harness.coverage import coverage, coverage_schema, shape
from harness.scenario import Scenario
from harness.scenario.register import Requirement, load_register
from harness.suite import CHECKOUT

if TYPE_CHECKING:
    from pathlib import Path


def scenario(name: str = 'one', **given: Any) -> Scenario:
    fields: dict[str, Any] = {
        'id': name,
        'title': name,
        'family': 'loop',
        'requirements': ['LOOP-1'],
        'model': {'outputs': ['Answer: 1']},
        'expect': {'answer': '1'},
    }
    return Scenario.model_validate({**fields, **given})


def missing(level: str, *scenarios: Scenario) -> str:
    item = Requirement.model_validate({'id': 'LOOP-1', 'level': level, 'text': 'A sentence.', 'line': 1})
    return coverage([item], scenarios).requirements[0].missing


def test_a_requirement_that_no_scenario_names_is_not_covered() -> None:
    assert missing('hardening', scenario(requirements=['LOOP-2'])) == 'no scenario proves it'


def test_one_scenario_covers_what_is_beyond_the_contract() -> None:
    assert missing('hardening', scenario(level='hardening')) == ''


def test_what_the_contract_says_wants_two_scenarios_of_different_shape() -> None:
    one, same, other = scenario('one'), scenario('two', title='Another text'), scenario('three', runs=2)

    assert 'there is 1 of them' in missing('required', one)
    assert 'there is 1 of them' in missing('required', one, same)
    assert missing('required', one, other) == ''


def test_scenarios_beyond_the_contract_do_not_prove_what_the_contract_says() -> None:
    told = missing('required', scenario('one', level='hardening'), scenario('two', level='hardening', runs=2))

    assert 'there is none of them' in told


@pytest.mark.parametrize(
    'given',
    [
        {'family': 'guard'},
        {'face': 'tool', 'input': {'query': 'x'}},
        {'config': {'require_tool_call': True}},
        {'llm_nodes': 2},
        {'runs': 2},
        {'question': {'text': 'x', 'role': 'y'}},
        {'tools': [{'node': 'a', 'functions': [{'name': 'f', 'text': 'x'}]}]},
        {'tools': [{'node': 'a', 'functions': [{'name': 'f', 'raises': {'type': 'OSError'}}]}]},
        {'tools': [{'node': 'a', 'agent': {}}]},
        {'tools': [{'node': 'a', 'dead': True}]},
        {'model': {'outputs': ['a', 'b']}},
        {'model': None},
    ],
)
def test_scenarios_differ_in_shape_where_they_ask_in_another_way(given: dict[str, Any]) -> None:
    assert shape(scenario(**given)) != shape(scenario())


def test_texts_and_names_are_no_shape() -> None:
    other = scenario(
        'other', title='x', question='y', expect={'stop_reason': 'answer'}, model={'outputs': ['Answer: 2']}
    )

    assert shape(other) == shape(scenario())


# ------------------------------------------------------------------------------------------------------------ the verb


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    found = Suite(tmp_path)
    found.add('one', requirements=['LOOP-1'])
    found.add('two', requirements=['LOOP-1', 'LOOP-2'], runs=2)
    return found


def told(suite: Suite, register: str, *arguments: str) -> Result:
    (suite.scenarios / 'requirements.yaml').write_text(register, encoding='utf-8')
    return CliRunner().invoke(main, ['coverage', '--scenarios', str(suite.scenarios), *arguments])


COVERED = 'LOOP-1: {required: One sentence.}\nLOOP-2: {hardening: Another one.}\n'


def test_full_coverage_is_a_pass(suite: Suite) -> None:
    result = told(suite, COVERED)

    assert result.exit_code == 0
    assert '2 of 2 requirements are proven (100 %), by 2 scenarios' in result.output
    assert 'one, two' in result.output


def test_a_requirement_without_a_scenario_fails_with_its_place(suite: Suite) -> None:
    result = told(suite, COVERED + 'LOOP-3: {hardening: A third one.}\n')

    assert result.exit_code == 1
    assert 'requirements.yaml:3: no scenario proves it' in result.output
    assert '2 of 3 requirements are proven (66 %)' in result.output


def test_an_unknown_id_fails_with_its_place_and_the_nearest_one(suite: Suite) -> None:
    suite.add('three', requirements=['LOPO-1'])
    result = told(suite, COVERED)

    assert result.exit_code == 1
    assert 'three.yaml:' in result.output
    assert 'there is no requirement LOPO-1 (did you mean LOOP-1?)' in result.output


def test_a_pattern_chooses_what_is_shown_and_not_what_is_judged(suite: Suite) -> None:
    result = told(suite, COVERED + 'TOOL-1: {hardening: A third one.}\n', 'LOOP-*')

    assert result.exit_code == 1
    assert 'TOOL-1' not in result.output
    assert told(suite, COVERED, 'LOPO-1').exit_code == 2


def test_only_what_is_missing_can_be_shown(suite: Suite) -> None:
    result = told(suite, COVERED + 'LOOP-3: {hardening: A third one.}\n', '--missing')

    assert 'LOOP-3' in result.output
    assert 'LOOP-2' not in result.output


def test_the_json_keeps_to_its_schema(suite: Suite) -> None:
    result = told(suite, COVERED, '--json')
    table = json.loads(result.stdout)

    jsonschema.validate(table, coverage_schema())
    assert [item['scenarios'] for item in table['requirements']] == [['one', 'two'], ['two']]


def test_without_a_register_there_is_nothing_to_cover(suite: Suite) -> None:
    result = CliRunner().invoke(main, ['coverage', '--scenarios', str(suite.scenarios)])

    assert result.exit_code == 2
    assert 'there are no requirements here' in result.output


def test_the_register_of_the_suite_is_in_order() -> None:
    register = load_register(CHECKOUT / 'scenarios')

    assert len(register) > 100
    assert {item.level for item in register} == {'required', 'hardening'}
