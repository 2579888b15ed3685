"""Reads files of strangers in a process of its own, with little memory and time, and says what came of each.

    python hostile_probe.py KIND PATH KIND PATH...

prints one line of JSON for each pair: the class of the error (none: it was read), its text, the bytes that were read.
"""

from __future__ import annotations

import json
import resource
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

MEMORY = 1_500_000_000
SECONDS = 60


def scenario(path: Path) -> Any:
    from harness.scenario.loading import load_scenario

    return load_scenario(path)


def cassette(path: Path) -> Any:
    from harness.cassette import spec_of

    return spec_of(path)


def store(path: Path) -> Any:
    from harness.results import read

    return list(read(path)[1])


def baseline(path: Path) -> Any:
    from harness.gate.baseline import read_baseline

    return read_baseline(path, 'agent')


def suite(path: Path) -> Any:
    """Lint the suite in a folder; its problems are the error."""
    from harness.scenario.lint import lint

    problems = lint(path / 'scenarios', path / 'cassettes')
    if problems:
        raise Problems('\n'.join(map(str, problems)))
    return problems


def tools(path: Path) -> Any:
    from harness.engine.script import load_tools

    return load_tools(path)


def node(path: Path) -> Any:
    from harness.engine.node import load_node

    return load_node(path)


class Problems(Exception):
    """What lint found."""


def read_so_far() -> int:
    """Return the bytes that this process read, as the kernel counts them; 0 where it does not say."""
    counters = Path('/proc/self/io')
    if not counters.exists():
        return 0
    return int(counters.read_text().split('rchar: ')[1].split()[0])


def outcome(read: Callable[[Path], Any], path: Path) -> dict[str, Any]:
    before = read_so_far()
    error = said = ''
    try:
        read(path)
    except Exception as caught:
        error, said = type(caught).__name__, str(caught)
    return {'error': error, 'said': said[:200_000], 'read': read_so_far() - before}


def main(*pairs: str) -> None:
    readers = {each.__name__: each for each in (scenario, cassette, store, baseline, suite, tools, node)}
    kinds, paths = pairs[::2], pairs[1::2]
    for kind in dict.fromkeys(kinds):
        outcome(readers[kind], Path('none'))  # imports count for none of the files
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    for kind, path in zip(kinds, paths, strict=True):
        print(json.dumps(outcome(readers[kind], Path(path))), flush=True)


if __name__ == '__main__':
    main(*sys.argv[1:])
