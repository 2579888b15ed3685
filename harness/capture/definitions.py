"""Files that say what a node was given: its tools, as a scenario or an OpenAI API has them, and its configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import yaml
from pydantic import ConfigDict, ValidationError

from harness.capture.scripts import SCRIPTS, Nodes, split
from harness.files import Unreadable, read_bounded
from harness.record import Frozen
from harness.scenario import ToolNode  # noqa: TC001 (pydantic reads it)
from harness.scenario.explain import empty_values, explain
from harness.scenario.yamlfile import MAX_BYTES, Document, read_yaml
from harness.scenario.yamlnode import TAG, FileError, find
from harness.strictjson import strict_json

if TYPE_CHECKING:
    from pathlib import Path

LOOSE: Final = 'tools_1'
"""The node of tools whose names have no node in front."""


class _Tools(Frozen):
    """What is read of a file of tools."""

    model_config = ConfigDict(extra='ignore')

    tools: tuple[ToolNode, ...]


def read_tools(path: Path) -> tuple[Nodes, list[str]]:
    """Return the tool nodes of a file, and what has to be told about them; a function may be without a script.

    The file is a list of tool nodes, a mapping with such a list under `tools` (as a scenario is), or a list of tools as
    an OpenAI-compatible API takes them.

    Raises:
        FileError: the file is none of these; with all problems and their places.
    """
    document = _read(path)
    if isinstance(document.data, list):
        head = yaml.ScalarNode(f'{TAG}str', 'tools', document.node.start_mark, document.node.start_mark)
        node = yaml.MappingNode(f'{TAG}map', [(head, document.node)], document.node.start_mark)
        document = Document(path, node, {'tools': document.data}, document.problems)
    data = document.data
    if not isinstance(data, dict) or not isinstance(data.get('tools'), list):
        hint = 'write a list of tool nodes (node, functions), or of OpenAI tools (type: function)'
        raise FileError([document.problem(document.node, (), 'there is no list of tools', hint)])
    remarks: list[str] = []
    items = data['tools']
    if any(isinstance(item, dict) and _function_of(item) is not None for item in items):
        nodes, remarks = _from_openai(document, items)
        _check(Document(path, document.node, {'tools': _with_scripts(nodes)}, document.problems))
        return nodes, remarks
    _check(Document(path, document.node, {'tools': _with_scripts(items)}, document.problems))
    return items, remarks


def _read(path: Path) -> Document:
    """Read a file of YAML or JSON; JSON that YAML does not read as it is (tabs, escapes of both halves) has no places.

    Raises:
        FileError: it is neither.
    """
    try:
        return read_yaml(path)
    except FileError:
        try:
            data = strict_json(read_bounded(path, MAX_BYTES).decode('utf-8-sig'))
        except (Unreadable, ValueError, RecursionError):
            data = None
        if data is None:
            raise
        return Document(path, yaml.ScalarNode(f'{TAG}null', 'null'), data, ())


def _check(document: Document) -> None:
    problems = list(document.problems)
    try:
        _Tools.model_validate(document.data)
    except ValidationError as error:
        problems += explain(_Tools, document, error)
    problems += empty_values(_Tools, document)
    if problems:
        raise FileError(problems)


def _with_scripts(items: Any) -> Any:
    """Return tool nodes in which every function has a script, so that a missing one is no mistake."""
    if not isinstance(items, list):
        return items
    return [_with_script(item) if isinstance(item, dict) else item for item in items]


def _with_script(node: dict[str, Any]) -> dict[str, Any]:
    node = dict(node)
    if isinstance(node.get('functions'), list):
        node['functions'] = [
            {**one, 'calls': []} if isinstance(one, dict) and not any(key in one for key in SCRIPTS) else one
            for one in node['functions']
        ]
    if isinstance(node.get('agent'), dict):
        node['agent'] = {**node['agent']}
        if 'tools' in node['agent']:
            node['agent']['tools'] = _with_scripts(node['agent']['tools'])
    return node


# --------------------------------------------------------------------------------------------------------- OpenAI tools


def _function_of(item: dict[str, Any]) -> dict[str, Any] | None:
    """Return the function of a tool as an OpenAI-compatible API takes it, None where it is no such tool."""
    if 'node' in item:
        return None
    if isinstance(item.get('function'), dict):
        function: dict[str, Any] = item['function']
        return function
    return item if 'parameters' in item or item.get('type') == 'function' else None


def _from_openai(document: Document, items: list[Any]) -> tuple[Nodes, list[str]]:
    nodes: dict[str, list[dict[str, Any]]] = {}
    loose: list[str] = []
    for number, item in enumerate(items):
        function = _function_of(item) if isinstance(item, dict) else None
        name = function.get('name') if function is not None else None
        if function is None or not isinstance(name, str) or not name:
            hint = 'each item is {type: function, function: {name, description, parameters}}'
            loc = ('tools', number)
            place = find(document.node, loc)[0]
            raise FileError([document.problem(place, loc, 'this is no OpenAI tool with a name', hint)])
        node, bare = split(name, LOOSE)
        loose += [name] if node == LOOSE and bare == name else []
        known = {'name': bare}
        if isinstance(function.get('description'), str):
            known['description'] = function['description']
        if isinstance(function.get('parameters'), dict):
            known['input_schema'] = function['parameters']
        nodes.setdefault(node, []).append(known)
    found = [{'node': node, 'functions': functions} for node, functions in nodes.items()]
    if not loose:
        return found, []
    example = f'{LOOSE}.{loose[0]}'
    return found, [f'the engine puts the id of a node in front of a name: {loose[0]!r} is offered as {example!r}']


def read_config(path: Path) -> dict[str, Any]:
    """Return the configuration of a node in a file: a mapping.

    Raises:
        FileError: the file cannot be read, or holds something else.
    """
    document = _read(path)
    if document.problems:
        raise FileError(document.problems)
    if not isinstance(document.data, dict):
        raise FileError([document.problem(document.node, (), 'a configuration is a mapping')])
    return document.data
