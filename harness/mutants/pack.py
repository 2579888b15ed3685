"""Many mutants hunted at once, in processes of their own."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import TYPE_CHECKING

from harness.mutants.hunt import Hunted, hunt

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from harness.mutants import Mutant
    from harness.scenario.loading import ScenarioFile


def hunt_all(
    mutants: Sequence[Mutant],
    healthy: Path,
    files: Sequence[ScenarioFile],
    cassettes: Path,
    *,
    whole: bool = False,
    workers: int = 1,
) -> Iterator[Hunted]:
    """Hunt mutants and yield what became of each, in their order; with `workers` above 1 in so many processes.

    Raises:
        MutantError: a mutant cannot be made, or does not load.
    """
    one = partial(_hunt, healthy=healthy, files=files, cassettes=cassettes, whole=whole)
    if workers <= 1:
        yield from map(one, mutants)
        return
    # A worker is forked with all that is imported: beginning anew costs a second each. Where that cannot be, spawn.
    method = 'fork' if 'fork' in multiprocessing.get_all_start_methods() else 'spawn'
    with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context(method)) as pool:
        yield from pool.map(one, mutants)


def _hunt(mutant: Mutant, *, healthy: Path, files: Sequence[ScenarioFile], cassettes: Path, whole: bool) -> Hunted:
    return hunt(mutant, healthy, files, cassettes, whole)
