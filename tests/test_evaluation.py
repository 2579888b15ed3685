"""The evaluation scenarios: each task can be solved, and nobody solves it by luck or by quoting what he was given."""

from __future__ import annotations

import functools
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from harness.engine.node import Node, load_node
from harness.engine.script import load_tools, python_names
from harness.run import replay
from harness.scenario import ModelScript, Task
from harness.scenario.loading import ScenarioFile, find_scenarios
from harness.show.summary import answer_of, stop_reason_of
from harness.suite import CHECKOUT
from harness.task import holds, solved, solves

if TYPE_CHECKING:
    from harness.record import RunRecord

SCENARIOS = CHECKOUT / 'scenarios'
FILES = {file.scenario.id: file for file in find_scenarios(SCENARIOS, families=['evaluation'])}
FAMILIES = {
    'one-tool',
    'two-tools-in-sequence',
    'choose-among-tools',
    'numbers-and-units',
    'nested-arguments',
    'tool-fails-once',
    'tool-always-fails',
    'empty-result',
    'long-observation',
    'orders-in-an-observation',
    'no-tool-needed',
    'no-tool-fits',
    'other-language',
    'instructions-must-hold',
    'false-premise',
}
GUESSES = ['', 'Yes.', 'No.', 'None.', 'I do not know.', 'error', *map(str, range(101)), 'Monday', 'red', 'white', 'A']
UNANSWERABLE: list[dict[str, Any]] = [
    {},
    {'station': 'nowhere', 'museum': ''},
    {'station': '../../x', 'museum': 'a/b?c'},
]
every_task = pytest.mark.parametrize('name', FILES)


def task_of(name: str) -> Task:
    task = FILES[name].scenario.task
    assert task is not None
    return task


@functools.cache
def node() -> Node:
    return load_node('agent_llamaindex')


@functools.cache
def played(name: str) -> RunRecord:
    """Play the solution of a task, as a scripted scenario is played, and return the record of the run."""
    file, task = FILES[name], task_of(name)
    assert task.solution, f'{file.path}: `task.solution` is missing'
    script = ModelScript.model_validate({'outputs': list(task.solution)})
    scripted = file.scenario.model_copy(update={'model': script, 'models': {}})
    (result,) = replay(replace(file, scenario=scripted), node(), CHECKOUT / 'cassettes')
    assert (result.problem, result.findings) == (None, ())
    return result.record


# --------------------------------------------------------------------------------------------------------- the families


def test_there_are_at_least_48_tasks() -> None:
    assert len(FILES) >= 48


def test_every_family_has_at_least_three_tasks_and_there_is_no_other_family() -> None:
    counts = Counter(task_of(name).family for name in FILES)
    assert set(counts) == FAMILIES
    assert {family: count for family, count in counts.items() if count < 3} == {}


# -------------------------------------------------------------------------------------------------------- each solution


@every_task
def test_the_solution_solves_the_task_and_meets_the_expectations(name: str) -> None:
    record = played(name)
    assert stop_reason_of(record) == 'answer'
    assert solved(task_of(name), record), answer_of(record)
    assert len(record.turns) == len(task_of(name).solution)
    assert (record.leaked_threads, record.changed_state) == ((), ())


@every_task
def test_the_solution_calls_a_tool_where_one_is_needed(name: str) -> None:
    assert bool(played(name).calls) == task_of(name).needs_tool


# ------------------------------------------------------------------------------------------- neither luck nor quoting


@every_task
def test_quoting_the_prompt_solves_nothing(name: str) -> None:
    prompt = played(name).turns[0].prompt
    passing = [text for text in (prompt, *prompt.splitlines()) if solves(task_of(name), text)]
    assert passing == []


@every_task
def test_guessing_solves_nothing(name: str) -> None:
    guesses = GUESSES if task_of(name).needs_tool else GUESSES[:6]
    assert [guess for guess in guesses if solves(task_of(name), guess)] == []


@every_task
def test_an_accepted_text_holds_nothing_that_is_forbidden(name: str) -> None:
    task = task_of(name)
    assert [(text, bad) for text in task.accept for bad in task.forbid if holds(text, bad)] == []


@every_task
def test_a_tool_tells_nothing_that_solves_the_task_unless_it_is_asked_for_it(name: str) -> None:
    file, task = FILES[name], task_of(name)
    functions = [function for tool in file.scenario.tools for function in tool.functions]
    for function in functions:
        properties = function.input_schema.get('properties', {})
        for given in ({}, dict.fromkeys(properties, ''), dict.fromkeys(properties, 'something else')):
            for called in python_names(function):
                assert not solves(task, told(file, called, given)), (called, given)


def told(file: ScenarioFile, function: str, given: dict[str, Any]) -> str:
    """Return what a Python tool gives back or raises, as text."""
    try:
        return str(load_tools(file.path.parent / 'tools.py')[function](given))
    except Exception as error:
        return str(error)


def test_every_tool_is_used_by_a_scenario() -> None:
    functions = [f for file in FILES.values() for tool in file.scenario.tools for f in tool.functions]
    used = {name for function in functions for name in python_names(function)}
    assert set(load_tools(SCENARIOS / 'evaluation' / 'tools.py')) == used


def test_the_port_of_the_server_on_loopback_reaches_nobody() -> None:
    tools = SCENARIOS / 'evaluation' / 'tools.py'
    port = str(load_tools(tools)['fetch_weather'].__globals__['_server'].server_port)
    file = FILES['wind-at-a-station']
    answers = [told(file, name, given) for name in ('fetch_weather', 'fetch_museum') for given in UNANSWERABLE]
    prompts = [turn.prompt for name in ('wind-at-a-station', 'question-in-polish') for turn in played(name).turns]
    assert [text for text in (*answers, *prompts) if port in text or '127.0.0.1' in text] == []


def test_the_documentation_names_every_task_under_its_family() -> None:
    text = (CHECKOUT / 'docs' / 'evaluation.md').read_text(encoding='utf-8')
    rows = {line.split('`')[1]: line for line in text.splitlines() if line.startswith('| `')}
    for file in FILES.values():
        task = file.scenario.task
        assert task is not None
        assert f'`{file.scenario.id}`' in rows[task.family]
    assert f'There are {len(FILES)} of them in {len(rows)} families' in text
