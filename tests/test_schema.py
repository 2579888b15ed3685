"""The JSON Schemas: they say of a file what the loader says of it, and explain every key."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]
from scenario_files import HEAD, as_yaml, mappings_of, problems_of, scenario_data, write

from harness.results import Header, StoredResult
from harness.scenario.loading import FileError, find_scenarios, load_scenario
from harness.scenario.schema import SCHEMA_FILE, results_schema, scenario_schema, schema_line, schema_text, write_schema

ROOT = Path(__file__).resolve().parent.parent
SCHEMA = scenario_schema()
VALIDATOR = Draft202012Validator(SCHEMA)
FEW = settings(suppress_health_check=list(HealthCheck), deadline=None, max_examples=60)


def refusals(data: Any) -> list[str]:
    return [error.message for error in VALIDATOR.iter_errors(data)]


def base(**more: Any) -> dict[str, Any]:
    return {'id': 'a-b', 'title': 'A title', 'family': 'loop', 'expect': {}, **more}


# ------------------------------------------------------------------------------------------------ scenario files


def test_both_schemas_are_json_schemas_of_draft_2020_12() -> None:
    for schema in (SCHEMA, results_schema()):
        Draft202012Validator.check_schema(schema)
        assert schema['$schema'] == 'https://json-schema.org/draft/2020-12/schema'
        assert {'$id', 'title', 'description'} <= schema.keys()


def test_the_schema_is_the_same_every_time() -> None:
    assert json.loads(schema_text()) == SCHEMA
    assert scenario_schema() == SCHEMA


def test_the_committed_schema_is_current() -> None:
    assert (ROOT / 'scenarios' / SCHEMA_FILE).read_text(encoding='utf-8') == schema_text()


def test_the_written_schema_is_the_schema(tmp_path: Path) -> None:
    write_schema(tmp_path / 'x.json')
    assert json.loads((tmp_path / 'x.json').read_text(encoding='utf-8')) == SCHEMA


def test_every_committed_scenario_is_accepted() -> None:
    files = find_scenarios(ROOT / 'scenarios')
    assert files
    for file in files:
        text = file.path.read_text(encoding='utf-8')
        assert refusals(yaml.load(text, yaml.CSafeLoader)) == [], file.path


@FEW
@given(data=scenario_data())
def test_what_the_loader_accepts_is_accepted(tmp_path: Path, data: dict[str, Any]) -> None:
    load_scenario(write(tmp_path, as_yaml(data)))
    assert refusals(data) == []


@FEW
@given(data=scenario_data(), choice=st.data())
def test_an_unknown_key_is_refused_wherever_it_stands(
    tmp_path: Path, data: dict[str, Any], choice: st.DataObject
) -> None:
    choice.draw(st.sampled_from(mappings_of(data)))['unheard_of'] = 1
    assert refusals(data)
    with pytest.raises(FileError):
        load_scenario(write(tmp_path, as_yaml(data)))


@FEW
@given(data=scenario_data(), choice=st.data())
def test_a_null_that_the_loader_takes_is_accepted(tmp_path: Path, data: dict[str, Any], choice: st.DataObject) -> None:
    mapping = choice.draw(st.sampled_from([mapping for mapping in mappings_of(data) if mapping]))
    mapping[choice.draw(st.sampled_from(sorted(mapping)))] = None
    if not problems_of(write(tmp_path, as_yaml(data))):
        assert refusals(data) == []


REFUSED = [
    {'face': 'Lane'},
    {'level': 'optional'},
    {'runs': 0},
    {'runs': 101},
    {'runs': '2'},
    {'runs': True},
    {'llm_nodes': 4},
    {'id': 'A_b'},
    {'id': 3},
    {'title': ''},
    {'family': 'Loop'},
    {'requirements': 'LOOP-1'},
    {'why': None},
    {'model': None},
    {'model': {'outputs': []}},
    {'model': {'outputs': [3]}},
    {'model': {'outputs': [{'repeat': 'x'}]}},
    {'model': {'outputs': [{'repeat': 'x', 'times': -1}]}},
    {'model': {'outputs': [{'parts': [{'parts': [3]}]}]}},
    {'model': {'outputs': [{'error': {'status': 200}}]}},
    {'expect': {'answer': 391}},
    {'expect': {'answer': None}},
    {'expect': {'calls': None}},
    {'expect': {'calls': [{'input': {}}]}},
    {'expect': {'calls': [{'tool': 'x', 'times': 0}]}},
    {'expect': {'observations': 'x'}},
    {'expect': {'observations': {'each': 3}}},
    {'expect': {'observations': {'every': 'x'}}},
    {'expect': {'stack': [{'name': 'x'}]}},
    {'expect': {'events': [3]}},
    {'expect': {'raises': 'ValueError'}},
    {'expect': {'max_seconds': 0}},
    {'expect': {'lane_writes': {'answers': -1}}},
    {'expect': {'agents': {'x': {'anwser': 'x'}}}},
    {'models': {'m': {'llm_calls': '1'}}},
    {'tools': [{'functions': []}]},
    {'tools': [{'node': 'a', 'functions': [{'name': 'f'}]}]},
    {'tools': [{'node': 'a', 'functions': [{'name': 'f', 'text': 'x', 'returns': 1}]}]},
    {'tools': [{'node': 'a', 'functions': [{'name': 'f', 'calls': [{}]}]}]},
    {'tools': [{'node': 'a', 'functions': [{'name': 'f', 'matches': [{'text': 'x'}]}]}]},
    {'tools': [{'node': 'a', 'functions': [{'name': 'f', 'python': 'os.system'}]}]},
    {'task': {'accept': []}},
]


@pytest.mark.parametrize('part', REFUSED, ids=[json.dumps(part)[:70] for part in REFUSED])
def test_what_the_loader_refuses_is_refused(tmp_path: Path, part: dict[str, Any]) -> None:
    data = base(**part)
    assert refusals(data)
    with pytest.raises(FileError):
        load_scenario(write(tmp_path, as_yaml(data)))


@pytest.mark.parametrize(
    'part',
    [
        {'question': 'x'},
        {'question': {'repeat': 'x', 'times': 3}},
        {'model': {'outputs': ['x', None, {'parts': ['x', {'repeat': 'y', 'times': 2}]}, {'text': 'x'}, {}]}},
        {'expect': {'answer': 'x', 'observations': ['x', {}], 'stack': ['x'], 'events': ['x']}},
        {'expect': {'observations': {'each': 'x'}, 'prompts': {'at': {'1': 'x'}}}},
        {'face': 'tool', 'input': None},
        {'tools': [{'node': 'a', 'functions': [{'name': 'f', 'returns': None}]}]},
    ],
)
def test_short_forms_are_accepted(tmp_path: Path, part: dict[str, Any]) -> None:
    data = base(**part)
    assert refusals(data) == []
    load_scenario(write(tmp_path, as_yaml(data)))


def keys_of(schema: Any, name: str = '') -> list[tuple[str, Any]]:
    if isinstance(schema, list):
        return [found for item in schema for found in keys_of(item, name)]
    if not isinstance(schema, dict):
        return []
    own = [(f'{name}.{key}', value) for key, value in schema.get('properties', {}).items()]
    return own + [found for key, item in schema.items() for found in keys_of(item, f'{name}.{key}')]


def test_every_key_is_explained_to_who_writes_it() -> None:
    silent = []
    for name, value in keys_of(SCHEMA):
        definition = SCHEMA['$defs'].get(str(value.get('$ref', '')).removeprefix('#/$defs/'), {})
        texts = [value, definition, *definition.get('anyOf', [])]
        if not any(text.get('description') for text in texts):
            silent.append(name)
    assert silent == []


def test_no_key_may_be_null_where_the_loader_wants_it_left_out() -> None:
    nulls = [name for name, value in keys_of(SCHEMA) if {'type': 'null'} in value.get('anyOf', [])]
    assert nulls == []


@pytest.mark.parametrize(
    ('file', 'expected'),
    [
        ('a.yaml', 'scenario.schema.json'),
        ('loop/a.yaml', '../scenario.schema.json'),
        ('more/loop/a.yaml', '../../scenario.schema.json'),
    ],
)
def test_the_first_line_of_a_scenario_leads_to_the_schema(tmp_path: Path, file: str, expected: str) -> None:
    line = schema_line(tmp_path / file, tmp_path)
    assert line == f'# yaml-language-server: $schema={expected}'
    write_schema(tmp_path / SCHEMA_FILE)
    path = write(tmp_path, f'{line}\n{HEAD}expect: {{}}\n', file)
    assert (path.parent / line.split('=')[1]).resolve() == (tmp_path / SCHEMA_FILE).resolve()


# ------------------------------------------------------------------------------------------------ results stores


def test_the_lines_of_a_store_are_accepted_and_others_refused() -> None:
    validator = Draft202012Validator(results_schema())
    head = Header.model_validate(
        {
            'suite': '0' * 64,
            'node': 'n',
            'node_digest': '0' * 64,
            'platform': 'stand-in',
            'created': '2025-01-01T00:00:00Z',
        }
    )
    digests = {'family': 'loop', 'level': 'required', 'asked': '0' * 64, 'expected': '0' * 64}
    result = StoredResult.model_validate({'record': {'scenario': 'a', 'node': 'n'}, 'findings': []} | digests)
    lines = [head.model_dump(mode='json'), result.model_dump(mode='json')]
    for line in lines:
        assert list(validator.iter_errors(line)) == []
        assert list(validator.iter_errors({**line, 'more': 1}))
    assert list(validator.iter_errors({}))
    assert list(validator.iter_errors({**lines[0], 'version': 1}))


# --------------------------------------------------------------------------------------------------- the documentation

DOCS = (ROOT / 'docs' / 'scenarios.md').read_text(encoding='utf-8')
EXAMPLES = [block.split('```', 1)[0] for block in DOCS.split('```yaml\n')[1:]]


def test_the_documentation_names_every_key_of_the_format() -> None:
    keys = {name.rsplit('.', 1)[1] for name, _ in keys_of(SCHEMA)}
    explained = {word for code in re.findall('`([^`\n]+)`', DOCS) for word in re.findall(r'\w+', code)}
    assert sorted(keys - explained) == []


@pytest.mark.parametrize('text', EXAMPLES, ids=[str(number) for number in range(len(EXAMPLES))])
def test_every_example_of_the_documentation_can_be_loaded(tmp_path: Path, text: str) -> None:
    whole = text if '\nid: ' in f'\n{text}' else f'{HEAD}{text}'
    if '\nexpect:' not in f'\n{whole}':
        whole += 'expect: {}\n'
    load_scenario(write(tmp_path, whole))


def test_the_first_example_of_the_documentation_holds(tmp_path: Path) -> None:
    from harness.engine.node import load_node
    from harness.run import replay

    file = load_scenario(write(tmp_path, EXAMPLES[0], 'loop/one-call.yaml'))
    (result,) = replay(file, load_node(ROOT / 'src' / 'agent_llamaindex'), tmp_path)
    assert (result.findings, result.problem) == ((), None)


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 10
