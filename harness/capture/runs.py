"""One run of a results store, found by what names it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from harness.capture.behaviour import CaptureError
from harness.results import RESULTS, Header, StoredResult
from harness.scenario.explain import nearest
from harness.show.summary import stop_reason_of
from harness.show.visible import one_line, plural

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from harness.record import RunRecord


class Found(NamedTuple):
    """A run of a store, with its line and the header of the store."""

    path: Path
    line: int
    head: Header
    result: StoredResult

    @property
    def where(self) -> str:
        """The file and the line."""
        return f'{self.path}:{self.line}'

    @property
    def source(self) -> str:
        """One line that says where the run is from."""
        record, when = self.result.record, self.head.created.date().isoformat()
        side = f'{record.scenario} with {record.model or "its script"}, epoch {record.epoch}'
        return one_line(f'captured from {self.path.name} of {when}: {side}, node {self.head.node}')


def find_run(
    path: Path, scenario: str, model: str | None = None, epoch: int | None = None, line: int | None = None
) -> Found:
    """Return the one run of a store that fits; runs that are the same to the letter count as one.

    Raises:
        ResultsError: the store cannot be read.
        CaptureError: no run fits, or several do; the message lists them, or names the nearest.
    """
    head = RESULTS.read_header(path)
    names: set[str] = set()
    runs: list[Found] = []
    for number, result in RESULTS.entries(path):
        names.add(result.record.scenario)
        if result.record.scenario == scenario:
            runs.append(Found(path, number, head, result))
    if not runs:
        like = nearest(scenario, names)
        hint = f'did you mean {like!r}?' if like else f'there are {", ".join(sorted(names)[:8]) or "none"}'
        raise CaptureError(f'{path}: there is no run of {scenario!r}: {hint}')
    fit = [
        run
        for run in runs
        if model in (None, run.result.record.model)
        and epoch in (None, run.result.record.epoch)
        and line in (None, run.line)
    ]
    if not fit:
        raise CaptureError('\n'.join([f'{path}: no run of {scenario} fits; there are', *_rows(runs)]))
    different = {_behaviour(run.result.record): run for run in fit}
    if len(different) > 1:
        first = f'{path}: {len(different)} runs of {scenario} fit: choose one with --model, --epoch or --line'
        raise CaptureError('\n'.join([first, *_rows(different.values())]))
    return fit[-1]


def _behaviour(record: RunRecord) -> tuple[Any, ...]:
    """Return what makes a run another one: the model, what it was asked, what it said, and the calls."""
    said = tuple((turn.agent, turn.prompt, turn.output, turn.error) for turn in record.turns)
    return record.model, said, tuple(map(repr, record.calls))


def _rows(runs: Iterable[Found]) -> Iterator[str]:
    for run in runs:
        record = run.result.record
        side = f'model {record.model}' if record.model is not None else 'scripted'
        turns = plural(len(record.turns), 'turn')
        reason = stop_reason_of(record) or 'no stop reason'
        yield one_line(f'  line {run.line}: {side}, epoch {record.epoch}: {turns}, {reason}')
