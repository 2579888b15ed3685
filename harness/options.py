"""The options by which a command finds a scenario, its cassettes and its node again, where the defaults would not."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import TYPE_CHECKING

from harness.scenario.loading import UsageError
from harness.suite import cassettes_folder, scenarios_folder, shown_path

if TYPE_CHECKING:
    from harness.engine.node import Node
    from harness.scenario.loading import ScenarioFile

_DEFAULT_NODE = 'agent_llamaindex'
_MODULE = re.compile(r'[A-Za-z_]\w*(\.[A-Za-z_]\w*)*')


def options_of(file: ScenarioFile, node: Node, cassettes: Path) -> tuple[str, ...]:
    """Return what a command on one scenario needs behind its id: nothing in a checkout with the default node."""
    root = file.path.absolute().parent.parent
    given: list[str] = []
    named = _reference(node)
    if named != _DEFAULT_NODE:
        given += ['--node', named]
    try:
        found = scenarios_folder()
    except UsageError:
        found = None
    if found is None or found.resolve() != root.resolve():
        given += ['--scenarios', str(shown_path(root))]
        found = root
    if cassettes_folder(None, found).resolve() != cassettes.resolve():
        given += ['--cassettes', str(shown_path(cassettes.absolute()))]
    return tuple(given)


def _reference(node: Node) -> str:
    """Return the name of a node that can be imported by it, the path of any other."""
    if _MODULE.fullmatch(node.name):
        try:
            spec = importlib.util.find_spec(node.name)
        except ImportError:
            spec = None
        places = spec.submodule_search_locations if spec is not None else None
        if places and any(node.path.is_relative_to(Path(place).resolve()) for place in places):
            return node.name
    return str(shown_path(node.path))
