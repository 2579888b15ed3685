"""Digests of what a run depends on: the scenarios, the node's files, the cassettes. They tell what changed, not how."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from harness.scenario.crosscheck import python_tools
from harness.show.visible import json_safe

if TYPE_CHECKING:
    from collections.abc import Iterable

    from harness.engine.node import Node
    from harness.scenario import Scenario
    from harness.scenario.loading import ScenarioFile

_REMARKS: Final = frozenset({'id', 'title', 'family', 'requirements', 'level', 'proposed', 'source', 'why', 'task'})
_EXPECTED: Final = frozenset({'expect', 'hardening', 'models'})
_NOT_OF_A_NODE: Final = ('__pycache__', 'node_modules')


def suite_digest(files: Iterable[ScenarioFile]) -> str:
    """Return a digest of what scenarios ask and expect.

    Comments, the order of keys and the place of the files do not count; the Python tools beside a scenario do.
    """
    digest = hashlib.sha256()
    for file in sorted(files, key=lambda file: file.scenario.id):
        digest.update(_as_bytes(file.scenario.model_dump(exclude_unset=True)))
        digest.update(_tools(file))
    return digest.hexdigest()


def asked_digest(file: ScenarioFile) -> str:
    """Return a digest of all that a run of a scenario can depend on: question, tools, configuration, model script."""
    asked = file.scenario.model_dump(exclude_unset=True, exclude=set(_REMARKS | _EXPECTED))
    return hashlib.sha256(_as_bytes(asked) + _tools(file)).hexdigest()


def expected_digest(scenario: Scenario) -> str:
    """Return a digest of what a scenario expects of its runs."""
    return hashlib.sha256(_as_bytes(scenario.model_dump(exclude_unset=True, include=set(_EXPECTED)))).hexdigest()


def file_digest(path: Path) -> str | None:
    """Return a digest of a file whose line ends do not count, as git may change them; None where there is no file."""
    try:
        with path.open('rb') as file:
            digest, held = hashlib.sha256(), b''
            while block := file.read(1 << 20):
                block = held + block
                held = b'\r' if block.endswith(b'\r') else b''
                digest.update(block.removesuffix(held).replace(b'\r\n', b'\n'))
            digest.update(held)
            return digest.hexdigest()
    except OSError:
        return None


def node_files(node: Node) -> dict[str, str]:
    """Return the files of a node with their digests, by their paths in its folder, sorted.

    Hidden and compiled files do not count. A service definition from outside of the folder stands under the name
    `(service definition)`.
    """
    digests = {}
    for folder, folders, names in os.walk(node.path):
        folders[:] = sorted(name for name in folders if name not in _NOT_OF_A_NODE and not name.startswith('.'))
        for name in names:
            path = Path(folder, name)
            if not name.startswith('.') and path.suffix != '.pyc' and path.is_file():
                digests[path.relative_to(node.path).as_posix()] = file_digest(path) or ''
    if not any(name.startswith('services.') for name in digests):
        digests['(service definition)'] = hashlib.sha256(_as_bytes(node.service)).hexdigest()
    return dict(sorted(digests.items()))


def node_digest(files: dict[str, str]) -> str:
    """Return one digest of all files of a node."""
    return hashlib.sha256(_as_bytes(files)).hexdigest()


def _tools(file: ScenarioFile) -> bytes:
    tools = file.path.parent / 'tools.py'
    return tools.read_bytes() if any(python_tools(file.scenario)) and tools.is_file() else b''


def _as_bytes(value: Any) -> bytes:
    return json.dumps(json_safe(value), sort_keys=True).encode('ascii')
