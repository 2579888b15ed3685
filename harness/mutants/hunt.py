"""The hunt: a mutant is loaded like any node, and the suite is replayed on it until a scenario kills it."""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from pydantic import Field

from harness.mutants.build import MutantError, build
from harness.record import Frozen

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from harness.engine.node import Node
    from harness.engine.threads import TimeLimit
    from harness.mutants import Mutant
    from harness.scenario.loading import ScenarioFile

HUNT_VERSION: Final = 1
LIMIT_S: Final = 5.0
"""How long a mutant may take for one scenario with one model side, in seconds."""

Way = Literal['required', 'hardening', 'drift']


class Kill(Frozen):
    """A scenario that a mutant does not get past, and how: by a finding of a level, or because a recording drifts."""

    scenario: str = Field(description='The id of the scenario.')
    by: Way = Field(
        description='The level of the gravest finding; drift: it asks its model something that was not recorded.'
    )


class Hunted(Frozen):
    """What became of one mutant."""

    id: str = Field(description='The mutant.')
    bug: str = Field(description='What is wrong with it.')
    breaks: tuple[str, ...] = Field(description='The requirements that it violates.')
    equivalent: str = Field(default='', description='Why nobody can see it at the doors of the engine, or empty.')
    kills: tuple[Kill, ...] = Field(default=(), description='The scenarios that kill it, in the order of the hunt.')
    replayed: int = Field(default=0, ge=0, description='How many scenarios were replayed on it.')
    seconds: float = Field(default=0.0, ge=0, description='How long the hunt took, in seconds.')

    @property
    def killed(self) -> bool:
        """Whether a scenario killed it."""
        return bool(self.kills)

    @property
    def as_it_should(self) -> bool:
        """Whether it was killed, or survived as an equivalent one has to."""
        return self.killed != bool(self.equivalent)


class Hunt(Frozen):
    """What `react-harness mutants --json` prints."""

    version: Literal[1] = HUNT_VERSION
    scenarios: int = Field(ge=0, description='How many scenarios there are.')
    whole: bool = Field(
        description='Whether all scenarios were replayed on every mutant, so that all killers are known.'
    )
    mutants: tuple[Hunted, ...] = Field(description='All mutants that were hunted.')

    @property
    def survivors(self) -> list[Hunted]:
        """The mutants that no scenario killed although they are not equivalent."""
        return [item for item in self.mutants if not item.killed and not item.equivalent]

    @property
    def not_equivalent(self) -> list[Hunted]:
        """The mutants that are told to be equivalent, and were killed."""
        return [item for item in self.mutants if item.killed and item.equivalent]


def hunt(
    mutant: Mutant,
    healthy: Path,
    files: Sequence[ScenarioFile],
    cassettes: Path,
    whole: bool = False,
    *,
    apart: bool = False,
) -> Hunted:
    """Replay the suite on a mutant, up to its first killer or as a `whole`; the likely killers come first.

    `apart` loads it in a process of its own: for one that takes its process down or cannot be stopped.

    Raises:
        MutantError: it cannot be made, or does not load: that is no plausible mistake; or the healthy node itself does
            not get past the scenario that kills it.
        Exception: whatever the harness itself raises; that is no kill.
    """
    from harness.engine.node import NodeError

    began = time.perf_counter()
    kills: list[Kill] = []
    replayed = 0
    with tempfile.TemporaryDirectory(prefix='mutant-') as folder:
        node = build(mutant, healthy, Path(folder))
        ways = _ways_apart if apart else _ways
        try:
            for file, way in ways(node, in_order(mutant, files), cassettes):
                replayed += 1
                if way is not None:
                    _check_healthy(mutant, healthy, file, cassettes)
                    kills.append(Kill(scenario=file.scenario.id, by=way))
                    if not whole:
                        break
        except NodeError as error:
            raise MutantError(f'{mutant.id}: {error}') from None
    return Hunted(
        id=mutant.id,
        bug=mutant.bug,
        breaks=mutant.breaks,
        equivalent=mutant.equivalent,
        kills=tuple(kills),
        replayed=replayed,
        seconds=time.perf_counter() - began,
    )


def in_order(mutant: Mutant, files: Iterable[ScenarioFile]) -> list[ScenarioFile]:
    """Return the scenarios in the order of the hunt: those that prove what is violated first, recorded ones last."""

    def rank(file: ScenarioFile) -> tuple[bool, int]:
        proves = len(set(file.scenario.requirements) & set(mutant.breaks))
        return file.scenario.model is None, -proves

    return sorted(files, key=rank)


def _ways(folder: Path, files: Sequence[ScenarioFile], cassettes: Path) -> Iterator[tuple[ScenarioFile, Way | None]]:
    from harness.engine.node import load_node
    from harness.engine.threads import TimeLimit

    limit = TimeLimit(LIMIT_S)
    node = load_node(folder, limit.imports)
    for file in files:
        yield file, _way(file, node, cassettes, limit)


def _ways_apart(
    folder: Path, files: Sequence[ScenarioFile], cassettes: Path
) -> Iterator[tuple[ScenarioFile, Way | None]]:
    from harness import apart
    from harness.engine.threads import TimeLimit
    from harness.gate.verdict import Gate

    for file, runs in apart.judged_runs(files, str(folder), cassettes, Gate(), TimeLimit(LIMIT_S)):
        levels = {finding.level for run in runs for finding in run.findings}
        yield file, _gravest(levels, any(run.outcome.problem for run in runs))


_fit: set[tuple[Path, Path]] = set()
"""Which healthy nodes got past which scenarios."""


def _check_healthy(mutant: Mutant, healthy: Path, file: ScenarioFile, cassettes: Path) -> None:
    from harness.engine.node import load_node
    from harness.engine.threads import TimeLimit

    if (healthy, file.path) in _fit:
        return
    if _way(file, load_node(healthy), cassettes, TimeLimit()) is not None:
        raise MutantError(
            f'{mutant.id}: {file.scenario.id} does not kill it: {healthy}, of which it is made, does not get past that '
            'scenario either: make the node pass first (react-harness run)'
        )
    _fit.add((healthy, file.path))


def _way(file: ScenarioFile, node: Node, cassettes: Path, limit: TimeLimit) -> Way | None:
    from harness.run import replay

    # Of recordings those count that the scenario pins; the other epochs of a model would show the same again.
    models: list[str | None] = [*file.scenario.models] or [None]
    results = [result for model in models for result in replay(file, node, cassettes, model, limit)]
    levels = {finding.level for result in results for finding in result.findings}
    return _gravest(levels, any(result.problem is not None for result in results))


def _gravest(levels: Collection[str], problem: bool) -> Way | None:
    """Return how a scenario kills. A healthy node has no problem with it, so the one of a mutant is a drift."""
    if levels:
        return 'required' if 'required' in levels else 'hardening'
    return 'drift' if problem else None


def only_killers(hunted: Hunt) -> dict[str, list[str]]:
    """Return the scenarios that alone kill some mutants, with those mutants; for a whole hunt."""
    found: dict[str, list[str]] = {}
    for item in hunted.mutants:
        if len(item.kills) == 1:
            found.setdefault(item.kills[0].scenario, []).append(item.id)
    return dict(sorted(found.items()))


def idle(hunted: Hunt, files: Iterable[ScenarioFile]) -> Iterator[str]:
    """Yield the scenarios that kill no mutant at all; for a whole hunt."""
    kills = Counter(kill.scenario for item in hunted.mutants for kill in item.kills)
    yield from (file.scenario.id for file in files if not kills[file.scenario.id])


def hunt_schema() -> dict[str, object]:
    """Return the JSON Schema (draft 2020-12) of what `react-harness mutants --json` prints."""
    return {
        '$schema': 'https://json-schema.org/draft/2020-12/schema',
        '$id': f'urn:react-harness:mutants:{HUNT_VERSION}',
        **Hunt.model_json_schema(mode='serialization'),
        'title': 'The hunt for mutants',
    }
