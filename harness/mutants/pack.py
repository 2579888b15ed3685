"""Many mutants hunted at once, in processes of their own."""

from __future__ import annotations

import multiprocessing
import traceback
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.mutants.build import MutantError
from harness.mutants.hunt import Hunted, hunt

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from harness.mutants import Mutant
    from harness.scenario.loading import ScenarioFile


@dataclass(frozen=True)
class Ground:
    """Where all mutants are hunted: what they are made of, and the suite; `whole` looks for all killers."""

    healthy: Path
    files: Sequence[ScenarioFile]
    cassettes: Path
    whole: bool = False

    def hunt(self, mutant: Mutant, *, apart: bool = False) -> Hunted:
        """Hunt one mutant.

        Raises:
            MutantError: it cannot be made, does not load, or the harness itself failed, which is no kill.
        """
        try:
            return hunt(mutant, self.healthy, self.files, self.cassettes, self.whole, apart=apart)
        except MutantError:
            raise
        except Exception:
            raise MutantError(f'{mutant.id}: the harness failed with it:\n{traceback.format_exc()}') from None


def hunt_all(mutants: Sequence[Mutant], ground: Ground, *, workers: int = 1) -> Iterator[Hunted]:
    """Hunt mutants in so many processes and yield what became of each, in their order.

    A mutant that takes its process down is hunted once more in one of its own.

    Raises:
        MutantError: a mutant cannot be made, does not load, or the harness itself failed.
    """
    found: dict[str, Hunted] = {}
    coming = _as_they_come(mutants, ground, workers)
    for mutant in mutants:
        while mutant.id not in found:
            item = next(coming)
            found[item.id] = item
        yield found.pop(mutant.id)


def _as_they_come(mutants: Sequence[Mutant], ground: Ground, workers: int) -> Iterator[Hunted]:
    # Spawned, not forked: what the harness opens for nodes in this process would be shared by the workers.
    context = multiprocessing.get_context('spawn')
    rest = [(mutant, False) for mutant in reversed(mutants)]
    while rest:
        going: dict[Future[Hunted], tuple[Mutant, bool]] = {}
        with ProcessPoolExecutor(workers, context, _begin, (ground,)) as pool:
            try:
                while rest or going:
                    # No more than are worked on: when a process ends, it was one of these that ended it.
                    while rest and len(going) < workers:
                        task = rest.pop()
                        going[pool.submit(_hunt, *task)] = task
                    for future in wait(going, return_when=FIRST_COMPLETED).done:
                        item = future.result()
                        del going[future]
                        yield item
            except BrokenProcessPool:
                suspects = list(going.values())
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
            else:
                suspects = []
        if any(apart for _, apart in suspects):
            raise MutantError(f'a process that hunted mutants ended: {", ".join(item.id for item, _ in suspects)}')
        rest += [(mutant, True) for mutant, _ in suspects]


# ---------------------------------------------------------------------------------------------------- in the processes

_ground: Ground


def _begin(ground: Ground) -> None:
    global _ground
    _ground = ground


def _hunt(mutant: Mutant, apart: bool) -> Hunted:
    from harness.engine.threads import ending_when_stuck

    with ending_when_stuck():
        return _ground.hunt(mutant, apart=apart)
