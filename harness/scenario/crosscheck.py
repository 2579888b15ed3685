"""Parts of a scenario that contradict each other although each of them is well formed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from harness.scenario.explain import nearest
from harness.scenario.yamlnode import Loc

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harness.scenario import Scenario, ToolNode
    from harness.scenario.expectation import Expectation

Contradiction = tuple[Loc, str, str]
"""The key path it stands at, what is wrong, and what to do."""

# What a file may be called on every system.
_MODEL_NAME = re.compile(r'(?!.*\.\.)[A-Za-z0-9](?:[A-Za-z0-9._+-]{0,98}[A-Za-z0-9_+-])?')


def contradictions(scenario: Scenario) -> Iterator[Contradiction]:
    """Yield what cannot be true at the same time, each with its key path and what to do about it."""
    yield from _faces(scenario)
    yield from _models(scenario)
    yield from _runs(scenario)
    agents: dict[str, Loc] = {}
    yield from _tools(scenario.tools, ('tools',), agents)
    for loc, expectation in _layers(scenario):
        yield from _expectation(expectation, loc, agents)


def _layers(scenario: Scenario) -> Iterator[tuple[Loc, Expectation]]:
    yield ('expect',), scenario.expect
    if scenario.hardening is not None:
        yield ('hardening',), scenario.hardening
    yield from ((('models', name), expectation) for name, expectation in scenario.models.items())


def python_tools(scenario: Scenario) -> Iterator[tuple[Loc, str]]:
    """Yield the Python functions that stand in for tools, each with the key path where it is named."""
    yield from _python(scenario.tools, ('tools',))


def _python(nodes: Sequence[ToolNode], loc: Loc) -> Iterator[tuple[Loc, str]]:
    for number, node in enumerate(nodes):
        for position, function in enumerate(node.functions):
            here = (*loc, number, 'functions', position)
            scripts: list[tuple[Loc, str | None]] = [((*here, 'python'), function.python)]
            scripts += (((*here, 'calls', n, 'python'), result.python) for n, result in enumerate(function.calls or ()))
            scripts += (
                ((*here, 'matches', n, 'python'), result.python) for n, result in enumerate(function.matches or ())
            )
            yield from ((place, name) for place, name in scripts if name is not None)
        if node.agent is not None:
            yield from _python(node.agent.tools, (*loc, number, 'agent', 'tools'))


def _faces(scenario: Scenario) -> Iterator[Contradiction]:
    given = scenario.model_fields_set
    if scenario.face == 'lane' and 'input' in given:
        yield ('input',), '`input` is what a parent agent passes, but the face is `lane`', 'write face: tool'
    if scenario.face == 'tool' and 'question' in given:
        yield ('question',), '`question` comes on the lane, but the face is `tool`', 'write input: {query: ...}'
    if scenario.face == 'tool' and 'input' not in given:
        yield ('face',), 'the face is `tool`, but there is no `input`', 'write input: {query: ...}'


def _runs(scenario: Scenario) -> Iterator[Contradiction]:
    if scenario.at_once and scenario.runs == 1:
        yield ('at_once',), 'one run alone is never at the same time as another', 'write runs: 2 or more'
    if scenario.at_once and scenario.model is None:
        yield ('at_once',), 'a recording is played in order, so its runs come one after the other', 'give a `model`'
    opened = scenario.open_mode == 'config'
    if opened and (scenario.runs > 1 or scenario.face == 'tool'):
        yield ('open_mode',), 'a node that is opened to be configured is asked nothing', 'leave out `runs` and `face`'
    if scenario.hardening is not None and scenario.level == 'hardening':
        hint = 'put it under `expect`'
        yield ('hardening',), 'all of a scenario of the level `hardening` is beyond the contract', hint
    for loc, expectation in _layers(scenario):
        if expectation.meta_differs and scenario.runs == 1:
            yield (*loc, 'meta_differs'), 'there is one run, so nothing can differ', 'write runs: 2 or more'
        if expectation.descriptors is not None and scenario.face != 'tool':
            yield (*loc, 'descriptors'), 'only a parent agent asks for the functions of the node', 'write face: tool'
        if expectation.service is not None and not opened:
            hint = 'write open_mode: config'
            yield (
                (*loc, 'service'),
                'the service definition is shown to those who configure the node only',
                hint,
            )


def _models(scenario: Scenario) -> Iterator[Contradiction]:
    if scenario.model is not None and scenario.models:
        hint = 'leave one of them out'
        yield ('models',), '`models` is about recordings, but `model` gives a hand-made model side', hint
    for name in scenario.models:
        if not _MODEL_NAME.fullmatch(name):
            hint = 'use letters, digits and . _ + -, at most 100'
            yield ('models', name), f'{name!r} cannot be the name of a recording', hint


def _tools(nodes: Sequence[ToolNode], loc: Loc, agents: dict[str, Loc]) -> Iterator[Contradiction]:
    """Check the tool nodes of one agent and fill in the ids of all child agents."""
    seen: set[str] = set()
    for number, node in enumerate(nodes):
        here = (*loc, number)
        if node.node in seen:
            yield (*here, 'node'), f'two tool nodes have the id {node.node!r}', 'give each an id of its own'
        seen.add(node.node)
        functions: set[str] = set()
        for position, function in enumerate(node.functions):
            if function.name in functions:
                place = (*here, 'functions', position, 'name')
                yield place, f'two functions of {node.node!r} have the name {function.name!r}', 'rename one of them'
            functions.add(function.name)
        if node.agent is not None:
            if node.node in agents or node.node == 'agent':
                hint = 'the run record tells agents apart by their ids; the node under test is `agent`'
                yield (*here, 'node'), f'two agents have the id {node.node!r}', hint
            agents.setdefault(node.node, here)
            yield from _tools(node.agent.tools, (*here, 'agent', 'tools'), agents)


def _expectation(expectation: Expectation, loc: Loc, agents: dict[str, Loc]) -> Iterator[Contradiction]:
    for name, child in expectation.agents.items():
        here = (*loc, 'agents', name)
        if name not in agents:
            like = nearest(name, agents)
            hint = f'did you mean `{like}`?' if like else f'child agents: {", ".join(agents) or "none"}'
            yield here, f'there is no child agent {name!r}', hint
        for key in ('descriptors', 'service', 'installs', 'meta_differs'):
            if key in child.model_fields_set:
                yield (*here, key), f'`{key}` is looked at for the node under test only', 'move it to `expect`'
        if child.max_seconds is not None:
            yield (*here, 'max_seconds'), 'the time of a child agent is not measured on its own', 'move it to `expect`'
        if child.agents:
            yield (*here, 'agents'), 'every child agent is named directly under `agents`', 'move it one level up'
