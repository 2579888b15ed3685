"""The baseline: which runs met their expectations and how the others failed, in a file that people review in git."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, Literal

from pydantic import Field

from harness.gate.change import Level, RunChange, RunKey, RunState, State, run_change, signature
from harness.jsonlines import Format, LineError
from harness.record import Frozen
from harness.scenario.yamlnode import key_path
from harness.secrets.writing import write_whole

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from harness.results import StoredResult


class BaselineRun(Frozen):
    """One run as it was accepted; one line of the file."""

    scenario: str = Field(description='The id of the scenario.')
    model: str | None = Field(default=None, description='The recorded model; left out for a scripted model side.')
    run: int = Field(
        default=1, ge=1, description='The n-th run of the scenario with this model side; left out for the first.'
    )
    level: Level = Field(description='The level of the scenario.')
    state: State = Field(description='How the run was judged.')
    findings: tuple[str, ...] = Field(
        default=(), description='The signatures of its findings: keys, message, and a mark of the value that came.'
    )

    @property
    def key(self) -> RunKey:
        """What makes the run the same one elsewhere."""
        return RunKey(self.scenario, self.model or '', self.run)

    @property
    def judged(self) -> RunState:
        """How the run was judged."""
        return RunState(state=self.state, findings=tuple(sorted(self.findings)))


class BaselineHeader(Frozen):
    """The first line of a baseline."""

    kind: Literal['react-harness baseline'] = 'react-harness baseline'
    version: Literal[1] = 1
    node: str = Field(description='The name of the node.')


class BaselineError(LineError):
    """A baseline cannot be used; the message says which line and why."""


BASELINE: Final = Format(
    name='baseline',
    header=BaselineHeader,
    entry=BaselineRun,
    error=BaselineError,
    anew='make one with `react-harness accept RESULTS --baseline FILE`',
)


@dataclass(frozen=True)
class Baseline:
    """An accepted state of a node: its runs, sorted by scenario, model and number."""

    file: str
    node: str
    runs: tuple[BaselineRun, ...] = ()

    @cached_property
    def states(self) -> dict[RunKey, RunState]:
        """How each run was judged."""
        return {entry.key: entry.judged for entry in self.runs}


def read_baseline(path: Path, node: str) -> Baseline:
    """Return the baseline of a node.

    Raises:
        BaselineError: the file cannot be read, is no baseline, is one of another node, or knows a run twice.
    """
    head = BASELINE.read_header(path)
    if head.node != node:
        raise BaselineError(path, 1, f'this is the baseline of the node {head.node!r}, and {node!r} is the one here')
    lines: dict[RunKey, int] = {}
    runs = []
    for number, entry in BASELINE.entries(path):
        if entry.key in lines:
            raise BaselineError(path, number, f'this run stands in line {lines[entry.key]} already: take one line out')
        if (entry.state == 'failed') is not bool(entry.findings):
            raise BaselineError(path, number, 'a run has findings if its state is failed, and only then')
        lines[entry.key] = number
        runs.append(entry)
    return Baseline(file=str(path), node=node, runs=tuple(sorted(runs, key=lambda entry: entry.key)))


def write_baseline(path: Path, baseline: Baseline) -> None:
    """Write a baseline as a whole or not at all; the same runs give the same bytes.

    Raises:
        SecretFound: something in it looks like a key; the old file is as it was.
        OSError: it cannot be written.
    """
    lines = [BaselineHeader(node=baseline.node).model_dump(), *map(_entry, baseline.runs)]
    write_whole(path, ''.join(json.dumps(line, ensure_ascii=False) + '\n' for line in lines))


def _entry(run: BaselineRun) -> dict[str, object]:
    usual = {'model': None, 'run': 1, 'findings': ()}
    return {key: value for key, value in run.model_dump().items() if key not in usual or value != usual[key]}


def baseline_run(result: StoredResult) -> BaselineRun:
    """Return a stored result as a line of a baseline."""
    record = result.record
    found = sorted(signature(key_path(item.loc), item.message, item.actual) for item in result.findings)
    state: State = 'failed' if found else 'not_judged' if result.problem else 'met'
    return BaselineRun(
        scenario=record.scenario,
        model=record.model,
        run=record.epoch,
        level=result.level,
        state=state,
        findings=tuple(found),
    )


@dataclass(frozen=True)
class Accepted:
    """What accepting results comes to: the new baseline, and what is not as it was.

    `results` is how many runs are among the results. `kept` are the runs of the old baseline that are not among them
    and stay; `not_judged` those among the results that were not judged, and are not known for that.
    """

    baseline: Baseline
    results: int
    changes: tuple[RunChange, ...]
    kept: tuple[BaselineRun, ...]
    not_judged: tuple[BaselineRun, ...]


def accept(old: Baseline, results: Iterable[BaselineRun], prune: bool = False) -> Accepted:
    """Return a baseline with these runs in place of the old ones; of a run that is there twice, the last one counts.

    With `prune` the runs that are not among the results are taken out.
    """
    before, after = {entry.key: entry for entry in old.runs}, {entry.key: entry for entry in results}
    rest = tuple(entry for key, entry in before.items() if key not in after)
    runs = sorted([*after.values(), *(() if prune else rest)], key=lambda entry: entry.key)
    seen = [*after, *(entry.key for entry in rest if prune)]
    changes = (_change(before.get(key), after.get(key)) for key in seen)
    return Accepted(
        baseline=Baseline(file=old.file, node=old.node, runs=tuple(runs)),
        results=len(after),
        changes=tuple(change for change in changes if change.change != 'same'),
        kept=() if prune else rest,
        not_judged=tuple(
            entry for key, entry in after.items() if entry.state == 'not_judged' and old.states.get(key) != entry.judged
        ),
    )


def _change(before: BaselineRun | None, after: BaselineRun | None) -> RunChange:
    either = after or before
    if either is None:
        raise AssertionError('one side is always there')
    return run_change(either.key, either.level, before.judged if before else None, after.judged if after else None)


def state_counts(baseline: Baseline) -> Counter[State]:
    """Count the runs of a baseline by their state."""
    return Counter(entry.state for entry in baseline.runs)
