from __future__ import annotations

import ast
import json
import re
import sys
import tomllib
import uuid
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import json5
import pytest
from node_host import NODE, started
from packaging.requirements import Requirement

assert NODE  # the engine's library is found with it
from agent_llamaindex.loop import StopReason  # noqa: E402

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / 'src' / 'agent_llamaindex'
SERVICE: dict[str, Any] = json5.loads((FOLDER / 'services.json').read_text(encoding='utf-8'))
README = (FOLDER / 'README.md').read_text(encoding='utf-8')
PIPE: dict[str, Any] = json.loads((FOLDER / 'example.pipe').read_text(encoding='utf-8'))
AGENT = next(part for part in PIPE['components'] if part['provider'] == 'agent_llamaindex')
SETTINGS = ['agent_description', 'instructions', 'require_tool_call']


def table(title: str) -> list[list[str]]:
    """Return the cells of the first table of the README behind a line, without its head."""
    rows = re.search(r'(?:^\|.*\n?)+', README[README.index(title) :], re.MULTILINE)
    assert rows is not None
    return [[cell.strip() for cell in row.strip('|').split('|')] for row in rows[0].splitlines()[2:]]


# -------------------------------------------------------------------------------------------------------- services.json


@pytest.mark.parametrize(
    ('field', 'kind', 'default'),
    [
        ('agent_description', 'string', ''),
        ('agent_llamaindex.profile', 'string', 'default'),
        ('instructions', 'array', None),
        ('require_tool_call', 'boolean', False),
    ],
)
def test_the_service_has_every_field_with_its_type_and_default(field: str, kind: str, default: Any) -> None:
    found = SERVICE['fields'][field]
    assert found['type'] == kind
    assert found['title']
    assert found.get('default') == default
    assert ('default' in found) == (field != 'instructions')
    assert field == 'agent_llamaindex.profile' or found['description']


def test_the_service_has_no_setting_that_the_node_does_not_read() -> None:
    typed = [name for name, field in SERVICE['fields'].items() if 'type' in field]
    assert sorted(typed) == sorted([*SETTINGS, 'agent_llamaindex.profile'])
    assert SERVICE['fields']['agent_llamaindex.default'] == {'object': 'default', 'properties': SETTINGS}
    assert SERVICE['shape'][0]['properties'] == SETTINGS


def test_the_default_profile_needs_nothing_set() -> None:
    assert SERVICE['preconfig']['default'] == 'default'
    default = SERVICE['preconfig']['profiles']['default']
    assert default == {'agent_description': '', 'instructions': [], 'require_tool_call': False}
    assert [name for name, _ in SERVICE['fields']['agent_llamaindex.profile']['enum']] == ['default']


def test_the_service_takes_questions_gives_answers_and_needs_exactly_one_llm() -> None:
    assert SERVICE['lanes'] == {'questions': ['answers']}
    limits = {name: (channel['min'], channel.get('max')) for name, channel in SERVICE['invoke'].items()}
    assert limits == {'llm': (1, 1), 'tool': (0, None)}
    assert all(channel['description'] for channel in SERVICE['invoke'].values())


def test_the_service_is_an_agent_that_can_be_a_tool() -> None:
    assert SERVICE['protocol'] == f'{NODE.logical_type}://'
    assert SERVICE['path'] == 'nodes.agent_llamaindex'
    assert SERVICE['classType'] == ['agent', 'tool']
    assert SERVICE['capabilities'] == ['invoke']


def test_the_icon_is_there_and_a_drawing() -> None:
    assert ElementTree.parse(FOLDER / SERVICE['icon']).getroot().tag.endswith('svg')


# --------------------------------------------------------------------------------------------------------------- README


def test_the_readme_has_the_fields_of_the_service_with_their_types_and_defaults() -> None:
    rows = {name.strip('`'): (kind, default.strip('`')) for name, kind, default, _ in table('## Configure it')}
    fields = {name: field for name, field in SERVICE['fields'].items() if 'type' in field}
    assert rows == {
        name: (
            'array of strings' if field['type'] == 'array' else field['type'],
            json.dumps(field['default']) if 'default' in field else 'none',
        )
        for name, field in fields.items()
    }


def test_the_readme_has_every_stop_reason() -> None:
    assert [name.strip('`') for name, _ in table('`stop_reason`:')] == [reason.value for reason in StopReason]


def test_the_readme_has_the_channels_and_lanes_of_the_service() -> None:
    assert [row[0].strip('`') for row in table('## Connect it')] == list(SERVICE['invoke'])
    assert table('| lane in')[0][0].strip('`') in SERVICE['lanes']


# --------------------------------------------------------------------------------------------------------- example.pipe


def test_the_example_is_a_pipeline_from_a_chat_through_the_node_to_an_answer() -> None:
    assert list(PIPE) == ['components', 'project_id', 'viewport', 'version']
    assert str(uuid.UUID(PIPE['project_id'])) == PIPE['project_id']
    assert PIPE['version'] == 1
    assert set(PIPE['viewport']) == {'x', 'y', 'zoom'}
    by_id = {part['id']: part for part in PIPE['components']}
    assert len(by_id) == len(PIPE['components'])
    joints = [
        (by_id[end['from']]['provider'], end['lane'], part['provider'])
        for part in by_id.values()
        for end in part.get('input', [])
    ]
    assert joints == [('chat', 'questions', 'agent_llamaindex'), ('agent_llamaindex', 'answers', 'response_answers')]


def test_the_example_uses_lanes_and_channels_that_the_node_has() -> None:
    outputs = [
        end['lane'] for part in PIPE['components'] for end in part.get('input', []) if end['from'] == AGENT['id']
    ]
    for end in AGENT['input']:
        assert set(outputs) <= set(SERVICE['lanes'][end['lane']])
    controls = [(end['classType'], end['from']) for part in PIPE['components'] for end in part.get('control', [])]
    assert {agent for _, agent in controls} == {AGENT['id']}
    assert 'control' not in AGENT
    for name, channel in SERVICE['invoke'].items():
        count = [kind for kind, _ in controls].count(name)
        assert channel['min'] <= count <= channel.get('max', count)
    assert {kind for kind, _ in controls} == set(SERVICE['invoke'])


def test_the_example_sets_what_the_node_reads() -> None:
    kinds = {'string': str, 'array': list, 'boolean': bool}
    for name, value in AGENT['config'].items():
        assert type(value) is kinds[SERVICE['fields'][name]['type']]
    config = started(**AGENT['config']).agent.config
    assert config.agent_description == AGENT['config']['agent_description']
    assert list(config.instructions) == AGENT['config']['instructions']
    assert config.require_tool_call is AGENT['config']['require_tool_call']


def test_the_example_holds_no_key() -> None:
    (llm,) = [part for part in PIPE['components'] if part['provider'].startswith('llm_')]
    keys = re.findall(r'"\w*key": "([^"]*)"', json.dumps(llm['config']))
    assert keys == ['${ROCKETRIDE_ANTHROPIC_KEY}']


# ------------------------------------------------------------------------------------------------------- what it needs


def test_the_node_asks_for_the_llama_index_that_the_project_is_tested_with() -> None:
    lines = (FOLDER / 'requirements.txt').read_text(encoding='utf-8').split('\n')
    wanted = {part.name: part.specifier for line in lines if line.strip() for part in [Requirement(line)]}
    project = tomllib.loads((ROOT / 'pyproject.toml').read_text(encoding='utf-8'))['project']
    tested = {part.name: part.specifier for line in project['dependencies'] for part in [Requirement(line)]}
    assert list(wanted) == ['llama-index-core']
    assert wanted['llama-index-core'] == tested['llama-index-core']


ENGINE = {'rocketlib', 'rocketlib.types', 'rocketride.schema', 'depends', 'ai.common.config'}
FILES = sorted(FOLDER.rglob('*.py'))


def imported(tree: ast.Module) -> set[str]:
    """Return the absolute names of all that a module imports, at its top or later."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.add(node.module or '')
    return found


@pytest.mark.parametrize('file', FILES, ids=lambda file: file.name)
def test_a_file_of_the_node_imports_only_what_a_node_may_import(file: Path) -> None:
    tree = ast.parse(file.read_text(encoding='utf-8'))
    for name in imported(tree):
        top = name.partition('.')[0]
        assert top in sys.stdlib_module_names or top == 'llama_index' or name in ENGINE, name


@pytest.mark.parametrize('file', FILES, ids=lambda file: file.name)
def test_a_file_of_the_node_imports_nothing_by_a_name_made_up_at_run_time_and_evaluates_nothing(file: Path) -> None:
    tree = ast.parse(file.read_text(encoding='utf-8'))
    assert 'importlib' not in imported(tree)
    called = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    assert not called & {'eval', 'exec', 'compile', '__import__'}


def test_the_node_is_these_files_and_nothing_of_the_proving_ground() -> None:
    assert {'__init__.py', 'IGlobal.py', 'IInstance.py', 'agent.py'} <= {file.name for file in FILES}
    for file in FILES:
        text = file.read_text(encoding='utf-8')
        assert 'harness' not in text
        assert 'cassette' not in text
