"""Lint: what is wrong with a suite is told before anything of it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from scenario_files import scenario_text, write

from harness.scenario.lint import lint
from harness.scenario.loading import UsageError
from harness.scenario.schema import SCHEMA_FILE, write_schema

ROOT = Path(__file__).resolve().parent.parent
LINE = '# yaml-language-server: $schema=../scenario.schema.json\n'


class Suite:
    """A suite in order, to which tests add what is wrong."""

    def __init__(self, root: Path) -> None:
        self.scenarios, self.cassettes = root / 'scenarios', root / 'cassettes'
        self.scenarios.mkdir()
        write_schema(self.scenarios / SCHEMA_FILE)
        self.add('first')

    def add(self, name: str, line: str = LINE, **more: Any) -> Path:
        more = {'title': f'About {name}', **more}
        text = line + scenario_text(name, **more) + '\n'
        return write(self.scenarios, text, f'{more.get("family", "loop")}/{name}.yaml')

    def record(self, name: str) -> Path:
        return write(self.cassettes, 'interactions: []\nversion: 1\n', name)

    def told(self) -> list[str]:
        root = f'{self.scenarios.parent}/'
        return [str(problem).replace(root, '') for problem in lint(self.scenarios, self.cassettes)]

    def only(self) -> str:
        found = self.told()
        assert len(found) == 1, found
        return found[0]


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    return Suite(tmp_path)


def recorded(suite: Suite, name: str, **more: Any) -> Path:
    """Add a scenario whose model side is recorded."""
    return suite.add(name, model=None, **more)


def test_a_suite_in_order_has_no_problems(suite: Suite) -> None:
    recorded(suite, 'second')
    suite.record('second/small.yaml')
    assert suite.told() == []


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        lint(tmp_path / 'none', tmp_path)


def test_the_committed_suite_has_no_problem_but_missing_recordings() -> None:
    found = lint(ROOT / 'scenarios', ROOT / 'cassettes')
    assert [str(problem) for problem in found if 'no cassette either' not in problem.message] == []


# ------------------------------------------------------------------------------------------------------------- files


def test_problems_of_loading_are_told_for_all_files_in_file_order(suite: Suite) -> None:
    write(suite.scenarios, LINE + 'id: c\n', 'loop/c.yaml')
    write(suite.scenarios, LINE + 'x: [\n', 'guard/b.yaml')
    suite.add('wrong', family='guard').rename(suite.scenarios / 'loop' / 'moved.yaml')
    found = [problem.split(' (')[0] for problem in suite.told()]
    assert found == [
        'scenarios/guard/b.yaml:3:1: this is not YAML: did not find expected node content, '
        'while parsing a flow node that starts at 3:1',
        'scenarios/loop/c.yaml:2:1: `title` is missing',
        'scenarios/loop/c.yaml:2:1: `family` is missing',
        'scenarios/loop/c.yaml:2:1: `expect` is missing',
        "scenarios/loop/moved.yaml:2:2: the id is 'wrong', but the file is called 'moved.yaml'",
        "scenarios/loop/moved.yaml:2:41: the family is 'guard', but the folder is called 'loop'",
    ]


@pytest.mark.parametrize(
    ('line', 'expected'),
    [
        ('', 'the first line does not tell editors where the schema is'),
        ('# a remark\n', 'the first line does not tell editors where the schema is'),
        (f'\n{LINE}', 'the first line does not tell editors where the schema is'),
        ('# yaml-language-server: $schema=scenario.schema.json\n', 'the first line names another schema'),
        ('#yaml-language-server: $schema=../scenario.schema.json\n', 'the first line names another schema'),
    ],
)
def test_the_first_line_must_name_the_schema(suite: Suite, line: str, expected: str) -> None:
    suite.add('second', line)
    assert suite.only() == f'scenarios/loop/second.yaml:1:1: {expected} (write: {LINE.strip()})'


def test_windows_line_ends_are_fine(suite: Suite) -> None:
    path = suite.add('second')
    path.write_bytes(path.read_bytes().replace(b'\n', b'\r\n'))
    assert suite.told() == []


@pytest.mark.parametrize(
    ('text', 'expected'),
    [
        (None, 'the JSON Schema of the scenarios is missing'),
        ('{', 'the JSON Schema of the scenarios cannot be read'),
        ('{"type": "object"}', 'the JSON Schema of the scenarios is not the one of this program'),
    ],
)
def test_the_committed_schema_must_be_current(suite: Suite, text: str | None, expected: str) -> None:
    path = suite.scenarios / SCHEMA_FILE
    path.unlink()
    if text is not None:
        path.write_text(text)
    told = suite.only()
    assert told.startswith(f'scenarios/{SCHEMA_FILE}:1:1: {expected}')
    assert 'react-harness schema --write' in told


# --------------------------------------------------------------------------------------------------------- scenarios


@pytest.mark.parametrize('name', ['loop-1', 'LOOP', 'LOOP-', 'LOOP-1a', 'LOOP_1', 'LOOP-1 ', ''])
def test_a_requirement_id_is_capitals_a_dash_and_a_number(suite: Suite, name: str) -> None:
    suite.add('second', requirements=['LOOP-1', name])
    told = suite.only()
    assert told.startswith('scenarios/loop/second.yaml:2:')
    assert f'{name!r} is no requirement id' in told


def test_a_requirement_must_be_among_the_known_ones_where_they_are_written_down(suite: Suite) -> None:
    suite.add('second', requirements=['LOOP-1', 'LOOPS-2', 'LOOP-1', 'OTHER-9'])
    write(
        suite.scenarios, 'LOOP-1: {required: One sentence.}\nLOOP-2: {hardening: Another one.}\n', 'requirements.yaml'
    )
    found = suite.told()
    assert [problem.split(': ', 1)[1] for problem in found] == [
        'there is no requirement LOOPS-2 (did you mean LOOP-2?)',
        'the requirement LOOP-1 stands here a second time',
        'there is no requirement OTHER-9 (add it to requirements.yaml)',
    ]


@pytest.mark.parametrize(
    'text',
    [
        'LOOP-1: {required: a}\nLOOP-1: {required: b}\n',
        'LOOP-1: [\n',
        'LOOP-1: yes\n',
        'LOOP-1: A sentence without a level.\n',
        'LOOP-1: {needed: a}\n',
        'LOOP-1: {required: a, hardening: b}\n',
        'LOOP-1: {required: ""}\n',
        'loop1: {required: a}\n',
        '- LOOP-1\n',
        'LOOP-1: {required: A  b.}\nLOOP-2: {hardening: a b.}\n',
    ],
)
def test_the_file_of_the_requirements_must_be_in_order_too(suite: Suite, text: str) -> None:
    write(suite.scenarios, text, 'requirements.yaml')
    assert suite.only().startswith('scenarios/requirements.yaml:')


def test_two_scenarios_need_two_titles(suite: Suite) -> None:
    suite.add('second', title='ABOUT  first')
    assert 'scenarios/loop/second.yaml:2:' in suite.only()
    assert 'first has the same title: scenarios/loop/first.yaml (say what is different here)' in suite.only()


@pytest.mark.parametrize(
    'expect', [{}, {'prompts': {}}, {'agents': {'a': {}}}, {'meta': {}, 'lane_writes': {}}, {'events_contain': []}]
)
def test_an_expectation_that_checks_nothing_is_told(suite: Suite, expect: dict[str, Any]) -> None:
    suite.add('second', expect=expect, tools=[{'node': 'a', 'agent': {}}])
    assert '`expect` checks nothing (say what the node has to do)' in suite.only()


@pytest.mark.parametrize(
    'expect', [{'calls': []}, {'llm_calls': 0}, {'agents': {'a': {'llm_calls': 0}}}, {'stack': []}]
)
def test_an_expectation_of_nothing_is_an_expectation(suite: Suite, expect: dict[str, Any]) -> None:
    suite.add('second', expect=expect, tools=[{'node': 'a', 'agent': {}}])
    assert suite.told() == []


def tool(**script: Any) -> list[dict[str, Any]]:
    return [{'node': 'a', 'functions': [{'name': 'f', **script}]}]


@pytest.mark.parametrize(
    'tools',
    [
        tool(python='serach'),
        tool(calls=[{'python': 'search'}, {'python': 'serach'}]),
        tool(matches=[{'input': 1, 'python': 'serach'}]),
        [{'node': 'b', 'agent': {'tools': tool(python='serach')}}],
    ],
)
def test_a_python_tool_must_be_a_function_beside_the_scenario(suite: Suite, tools: list[dict[str, Any]]) -> None:
    suite.add('second', tools=tools)
    assert 'functions there: none' in suite.told()[-1]
    write(suite.scenarios, 'import os\nfrom re import sub\n\ndef search(input): ...\n', 'loop/tools.py')
    assert "there is no function 'serach' in scenarios/loop/tools.py (did you mean search?)" in suite.only()
    write(suite.scenarios, 'def search(input): ...\nserach = search\n', 'loop/tools.py')
    assert suite.told() == []


def test_the_python_tools_are_read_and_never_run(suite: Suite, tmp_path: Path) -> None:
    suite.add('second', tools=tool(python='f'))
    write(suite.scenarios, f'open({str(tmp_path / "mark")!r}, "w")\ndef f(input): ...\n', 'loop/tools.py')
    assert suite.told() == []
    assert not (tmp_path / 'mark').exists()


@pytest.mark.parametrize('text', ['def f(:\n', 'x = 1\n\0'])
def test_python_tools_that_are_no_python_are_told_once(suite: Suite, text: str) -> None:
    suite.add('second', tools=[*tool(python='f'), {'node': 'b', 'functions': [{'name': 'g', 'python': 'g'}]}])
    write(suite.scenarios, text, 'loop/tools.py')
    assert 'scenarios/loop/tools.py:1:1: this is not Python' in suite.only()


# --------------------------------------------------------------------------------------------------------- cassettes


def test_a_scenario_needs_a_model_or_a_cassette(suite: Suite) -> None:
    recorded(suite, 'second')
    told = suite.only()
    assert 'there is no `model`, and no cassette either' in told
    assert 'react-harness record second --model NAME --base-url URL' in told
    suite.record('second/small.yaml')
    assert suite.told() == []


def test_the_models_of_a_scenario_need_their_cassettes(suite: Suite) -> None:
    recorded(suite, 'second', models={'small-1.5b': {'llm_calls': 1}, 'large': {'llm_calls': 1}})
    suite.record('second/small-1b.yaml')
    found = [problem.split(': ', 1)[1] for problem in suite.told()]
    assert found == [
        "there is no recording of this scenario with 'small-1.5b' (did you mean small-1b?)",
        "there is no recording of this scenario with 'large' "
        '(record it with: react-harness record second --model large --base-url URL)',
    ]


@pytest.mark.parametrize(
    ('name', 'expected'),
    [
        ('frist/small.yaml', "there is no scenario 'frist' (did you mean first?)"),
        ('zzz/small.yaml', "there is no scenario 'zzz' (remove it)"),
        ('first/small.yaml', 'first has a hand-made `model` (remove it)'),
        ('small.yaml', 'no scenario uses this cassette (its place is <scenario id>/<model>.yaml or '),
        ('first/deeper/small.yaml', 'no scenario uses this cassette (its place is <scenario id>/<model>.yaml or '),
        ('first/small/0.yaml', 'no scenario uses this cassette (its place is <scenario id>/<model>.yaml or '),
        ('first/3.yaml', 'no scenario uses this cassette (its place is <scenario id>/<model>.yaml or '),
    ],
)
def test_a_cassette_that_no_scenario_uses_is_told(suite: Suite, name: str, expected: str) -> None:
    suite.record(name)
    told = suite.only()
    assert told.startswith(f'cassettes/{name}:1:1: no scenario uses this cassette')
    assert expected in told


def test_the_cassette_of_a_scenario_that_cannot_be_loaded_is_not_called_unused(suite: Suite) -> None:
    write(suite.scenarios, LINE + 'id: broken\n', 'loop/broken.yaml')
    suite.record('broken/small.yaml')
    assert all(problem.startswith('scenarios/loop/broken.yaml') for problem in suite.told())


def test_hidden_files_are_no_cassettes(suite: Suite) -> None:
    suite.record('.cache/small.yaml')
    suite.record('first/.small.yaml')
    assert suite.told() == []


# ------------------------------------------------------------------------------------------------------------- tasks

SOLUTION = ['Answer: 318']


def task_problems(suite: Suite, task: dict[str, Any], **more: Any) -> list[str]:
    suite.add('second', task=task, **more)
    return [problem.split(': ', 1)[1] for problem in suite.told()]


def test_a_task_of_a_family_needs_a_solution(suite: Suite) -> None:
    assert task_problems(suite, {'accept': ['318'], 'family': 'one-tool'}) == [
        'there is no solution (write the turns of a model that solves it under `solution`)'
    ]


def test_a_task_without_a_family_is_left_alone(suite: Suite) -> None:
    assert task_problems(suite, {'accept': ['318']}, question='Are there 318?') == []


@pytest.mark.parametrize(
    'shown',
    [
        {'question': 'Are there 318?'},
        {'question': {'text': 'How many?', 'history': [{'role': 'user', 'content': 'There are 318.'}]}},
        {'config': {'instructions': ['Say 318.']}},
        {'tools': [{'node': 'a', 'functions': [{'name': 'f', 'description': 'Gives 318.', 'text': 'x'}]}]},
        {'tools': [{'node': 'a', 'functions': [{'name': 'f', 'input_schema': {'enum': ['318']}, 'text': 'x'}]}]},
    ],
)
def test_what_is_accepted_must_not_stand_in_what_the_model_is_given(suite: Suite, shown: dict[str, Any]) -> None:
    assert task_problems(suite, {'accept': ['19', '318'], 'family': 'one-tool', 'solution': SOLUTION}, **shown) == [
        "'318' stands in the question or tools, so quoting them would pass "
        '(ask for what the tools alone know, or forbid what else is quoted with it)'
    ]


@pytest.mark.parametrize('more', [{'also': [['in stock']]}, {'forbid': ['hinges']}])
def test_a_quoted_text_may_be_accepted_where_it_does_not_solve_the_task(suite: Suite, more: dict[str, Any]) -> None:
    task = {'accept': ['318'], 'family': 'one-tool', 'solution': SOLUTION, **more}
    assert task_problems(suite, task, question='Are there 318 hinges?') == []


def test_what_is_accepted_must_not_hold_what_is_forbidden(suite: Suite) -> None:
    task = {'accept': ['room 318', '19'], 'forbid': ['318'], 'family': 'one-tool', 'solution': SOLUTION}
    assert task_problems(suite, task) == [
        "'room 318' holds '318', which is forbidden (no answer with it can solve the task)"
    ]
