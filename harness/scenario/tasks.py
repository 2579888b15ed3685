"""What is wrong with the task of a scenario: an answer check that proves nothing, or nothing that proves the task."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from harness.task import holds, solves

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from harness.scenario import Scenario
    from harness.scenario.loading import ScenarioFile
    from harness.scenario.yamlnode import FileProblem


def unproved_tasks(files: Iterable[ScenarioFile]) -> Iterator[FileProblem]:
    """Yield what is wrong with the tasks that belong to a family: figures are told of these alone."""
    for file in files:
        task = file.scenario.task
        if task is None or not task.family:
            continue
        if not task.solution:
            hint = 'write the turns of a model that solves it under `solution`'
            yield file.problem(('task',), 'there is no solution', hint)
        texts = tuple(asked_texts(file.scenario))
        quoted = next((text for text in (*texts, '\n'.join(texts)) if solves(task, text)), '')
        for number, text in enumerate(task.accept):
            loc = ('task', 'accept', number)
            barred = next((other for other in task.forbid if holds(text, other)), None)
            if barred is not None:
                hint = 'no answer with it can solve the task'
                yield file.problem(loc, f'{text!r} holds {barred!r}, which is forbidden', hint)
            if quoted and holds(quoted, text):
                hint = 'ask for what the tools alone know, or forbid what else is quoted with it'
                yield file.problem(loc, f'{text!r} stands in the question or tools, so quoting them would pass', hint)


def asked_texts(scenario: Scenario) -> Iterator[str]:
    """Yield the texts of a scenario that reach the model before it has done anything: question, configuration, tools.

    The texts of child agents are left out, but for the names they are connected under.
    """
    yield from _texts(scenario.question.model_dump())
    yield from _texts(scenario.config)
    for tool in scenario.tools:
        for function in tool.functions:
            schema = json.dumps(function.input_schema, ensure_ascii=False)
            yield f'{tool.node}.{function.name}\n{function.description}\n{schema}'


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _texts(item)
