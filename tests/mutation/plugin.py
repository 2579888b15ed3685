"""The pytest plugin of a mutation run: it makes the scenarios fair and quick judges of mutants (docs/mutation.md).

mutmut sets the name of the mutant that is alive in `MUTANT_UNDER_TEST`, and some other word while it prepares itself.
Its fork server collects the scenarios once; a worker per mutant is forked from it, works in the folder `mutants`, and
imports the node anew, so that mutants of code that runs at import are alive in time.
"""

from __future__ import annotations

import functools
import os
import resource
import sys
import time
from collections import Counter
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

_NODE = 'agent_llamaindex'
_KILLS = Path('kills.tsv')
_CPU_S = 5
"""What one scenario may take: the slowest takes a hundredth of it, and an endless loop is known by it."""


def pytest_configure() -> None:
    """Import and remember what every worker needs and no mutant can change."""
    import llama_index.core.agent.react
    import llama_index.core.tools  # noqa: F401

    import harness.engine.pipeline
    import harness.run  # noqa: F401
    from harness.scenario import loading

    if not hasattr(loading.load_scenario, 'cache_info'):
        loading.load_scenario = functools.cache(loading.load_scenario)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put those scenarios first that killed mutants of the same function, then those that killed the most."""
    mutant = _mutant()
    if mutant is None:
        return
    same: Counter[str] = Counter()
    any_: Counter[str] = Counter()
    for killed, item in _kills():
        any_[item] += 1
        same[item] += _function(killed) == _function(mutant)
    items.sort(key=lambda item: (-same[item.nodeid], -any_[item.nodeid]))


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Bound the time of a scenario; while mutmut asks which functions a scenario reaches, import the node for each."""
    if _mutant() is not None:
        _, most = resource.getrlimit(resource.RLIMIT_CPU)
        soon = ceil(time.process_time()) + _CPU_S
        resource.setrlimit(resource.RLIMIT_CPU, (soon if most == resource.RLIM_INFINITY else min(soon, most), most))
    elif os.environ.get('MUTANT_UNDER_TEST') == 'stats':
        _forget_node(item.config)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Write down which scenario killed the mutant."""
    report: pytest.TestReport = yield
    mutant = _mutant()
    if mutant is not None and report.failed:
        with _KILLS.open('a', encoding='utf-8') as file:
            file.write(f'{mutant}\t{item.nodeid}\n')
    return report


def _mutant() -> str | None:
    name = os.environ.get('MUTANT_UNDER_TEST', '')
    return name if '__mutmut_' in name else None


def _function(mutant: str) -> str:
    return mutant.rpartition('__mutmut_')[0]


def _kills() -> Iterator[tuple[str, str]]:
    lines = _KILLS.read_text(encoding='utf-8').splitlines() if _KILLS.exists() else []
    for line in lines:
        mutant, _, item = line.partition('\t')
        yield mutant, item


def _forget_node(config: pytest.Config) -> None:
    from harness import pytest_plugin
    from harness.engine import node

    config.stash.setdefault(pytest_plugin._node, None)
    del config.stash[pytest_plugin._node]
    node._loaded.clear()
    for name in [name for name in sys.modules if name.partition('.')[0] == _NODE]:
        del sys.modules[name]
