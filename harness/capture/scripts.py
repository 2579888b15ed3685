"""From the calls that happened to tools that give the same again; all of it is pure."""

from __future__ import annotations

import ast
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from pydantic import ValidationError

from harness.capture.yamltext import noted
from harness.engine.script import exception_of
from harness.engine.values import same_json
from harness.scenario import RaisesSpec

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from harness.capture.behaviour import SeenCall
    from harness.record import Failure

SCRIPTS: Final = ('returns', 'text', 'raises', 'python', 'calls', 'matches')
Nodes = list[dict[str, Any]]
"""Tool nodes as a scenario file has them, but that a function may be without a script."""


def filled(nodes: Nodes, calls: Sequence[SeenCall], *, by_input: bool) -> Nodes:
    """Return tool nodes in which each function without a script gives what its calls gave.

    With `by_input` that is a result for each input, where the same input always gave the same; else one result after
    the other. A function that was not called gets an empty script: what it would give is not known.
    """
    return [_filled(node, calls, by_input) if node.get('functions') else node for node in nodes]


def _filled(node: dict[str, Any], calls: Sequence[SeenCall], by_input: bool) -> dict[str, Any]:
    functions = []
    for function in node['functions']:
        if not any(key in function for key in SCRIPTS):
            own = [call for call in calls if call.tool == f'{node["node"]}.{function["name"]}']
            function = {**function, **_script(own, by_input)}
        functions.append(function)
    return {**node, 'functions': functions}


def _script(calls: Sequence[SeenCall], by_input: bool) -> dict[str, Any]:
    results = [result_of(call) for call in calls]
    if not (by_input and calls):
        return {'calls': results}
    matches: list[dict[str, Any]] = []
    for call, result in zip(calls, results, strict=True):
        known = next((match for match in matches if same_json(match['input'], call.input)), None)
        if known is None:
            matches.append({'input': call.input, **result})
        elif {key: value for key, value in known.items() if key != 'input'} != result:
            return {'calls': results}
    return {'matches': matches}


def result_of(call: SeenCall) -> dict[str, Any]:
    """Return what a call gave, as a script has it."""
    if call.error is not None:
        return {'raises': raises_of(call.error)}
    return {'text': noted(call.output)} if isinstance(call.output, str) else {'returns': call.output}


def raises_of(failure: Failure) -> dict[str, str]:
    """Return the exception that a failure was, with the message that gives the same text again.

    The text of some exceptions is not their message: that of a KeyError has quotation marks around it.
    """
    messages = [failure.message]
    with suppress(ValueError, SyntaxError, MemoryError, RecursionError):
        inner = ast.literal_eval(failure.message)
        messages += [inner] if isinstance(inner, str) else []
    for message in messages:
        with suppress(ValidationError):
            if str(exception_of(RaisesSpec(type=failure.type, message=message))) == failure.message:
                return {'type': failure.type, **({'message': message} if message else {})}
    return {'type': 'Exception', 'message': failure.message}


def stripped(nodes: Nodes, calls: Sequence[SeenCall], python: Collection[str]) -> Nodes:
    """Return the tool nodes of a scenario without the scripts that what happened has to stand for.

    These are Python tools, but for the functions named in `python`, and tools that give a result for each call or
    input, where they were called. A tool that always gives the same stays as it is.
    """
    called = {call.tool for call in calls}
    return [_stripped(node, called, python) if node.get('functions') else node for node in nodes]


def _stripped(node: dict[str, Any], called: Collection[str], python: Collection[str]) -> dict[str, Any]:
    functions = []
    for function in node['functions']:
        wanted = set(_python_of(function))
        varies = 'calls' in function or 'matches' in function
        goes = bool(wanted - set(python)) if wanted else varies and f'{node["node"]}.{function["name"]}' in called
        functions.append({key: value for key, value in function.items() if not (goes and key in SCRIPTS)})
    return {**node, 'functions': functions}


def without_agents(nodes: Nodes, tools: Sequence[tuple[str, Any]]) -> tuple[Nodes, list[str]]:
    """Return tool nodes in which a child agent is a tool without a script, and the full names of these tools.

    The payload of an agent is another one in each run (its id, its times), so that no prompt behind it would be the
    recorded one. `tools` are the full names and input schemas that were offered.
    """
    found: Nodes = []
    names: list[str] = []
    for node in nodes:
        if node.get('agent') is None:
            found.append(node)
            continue
        begin = f'{node["node"]}.'
        own = [(name, schema) for name, schema in tools if name.startswith(begin)] or [(f'{begin}run_agent', None)]
        names += [name for name, _ in own]
        functions = [_known(name.removeprefix(begin), schema) for name, schema in own]
        found.append({'node': node['node'], 'functions': functions})
    return found, names


def _python_of(function: dict[str, Any]) -> Iterator[str]:
    for result in (function, *function.get('calls', ()), *function.get('matches', ())):
        if 'python' in result:
            yield result['python']


def python_of(nodes: Nodes) -> set[str]:
    """Return the names of the Python functions that tool nodes call."""
    found: set[str] = set()
    for node in nodes:
        for function in node.get('functions') or ():
            found |= set(_python_of(function))
    return found


def unknown_results(nodes: Nodes) -> Iterator[str]:
    """Yield the full names of functions of which nobody knows what they give."""
    for node in nodes:
        for function in node.get('functions') or ():
            if function.get('calls') == []:
                yield f'{node["node"]}.{function["name"]}'


def offered(tools: Sequence[tuple[str, Any]]) -> Nodes:
    """Return tool nodes without scripts for tools of which full name and input schema are known (None: it is not)."""
    nodes: dict[str, list[dict[str, Any]]] = {}
    for full, schema in tools:
        node, name = split(full)
        nodes.setdefault(node, []).append(_known(name, schema))
    return [{'node': node, 'functions': functions} for node, functions in nodes.items()]


def _known(name: str, schema: Any) -> dict[str, Any]:
    return {'name': name, **({'input_schema': schema} if isinstance(schema, dict) else {})}


def split(full: str, node: str = 'tools_1') -> tuple[str, str]:
    """Return the id of the node and the name of the function in a full name; one without a dot gets the node `node`.

    Both may hold dots; the first one is taken, which gives the same full name again.
    """
    first, dot, rest = full.partition('.')
    return (first, rest) if dot and first and rest else (node, full)
