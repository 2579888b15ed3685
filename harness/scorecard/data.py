"""From results stores to the values of a scorecard: read once, run by run, so that memory does not grow with texts."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from harness import results as store
from harness.expect.finding import NODE
from harness.gate.baseline import baseline_run
from harness.gate.diff import Store
from harness.metrics.rows import NOT_ASKED, Rows, parameters_text, rows_of, with_parameters
from harness.scenario.loading import UsageError
from harness.scorecard.pack import Chunks, Pool
from harness.scorecard.signatures import kind_of, normalised
from harness.scorecard.transcript import run_view
from harness.secrets import Guard
from harness.suite import outcome_of
from harness.verdicts.turns import Outcome as End

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from harness.gate.change import State
    from harness.gate.verdict import Gate
    from harness.metrics.rows import RunRow, TurnRow
    from harness.results import Header, StoredResult
    from harness.scenario.loading import ScenarioFile
    from harness.show.summary import Outcome
    from harness.verdicts.turns import Corrupts


class RunId(NamedTuple):
    """What makes a run the same one in two stores; a run without a model has an empty one."""

    scenario: str
    model: str
    parameters: str
    epoch: int


class Bad(NamedTuple):
    """A turn of a model that nobody could run: what is wrong, how it begins, and its number."""

    kind: str
    text: str
    turn: int


@dataclass(frozen=True, slots=True)
class Run:
    """One run without its texts.

    `group` is the family of its scenario, `family` that of its task, which figures are told for. `place` is where the
    page finds the texts: the number of a chunk and the place in it.
    """

    id: RunId
    group: str
    family: str
    level: str
    state: State
    task: bool
    outcome: Outcome
    row: RunRow | None
    turns: tuple[TurnRow, ...]
    bad: tuple[Bad, ...]
    asked: tuple[str, str]
    place: tuple[int, int]


class Source(NamedTuple):
    """A store: the name of its file, its header, and how many runs are in it."""

    file: str
    head: Header
    runs: int


@dataclass(frozen=True)
class Collected:
    """All runs of the stores, in their order; of a run that is there twice the last one counts (`replaced` tells)."""

    sources: tuple[Source, ...]
    runs: tuple[Run, ...]
    replaced: int
    not_asked: str
    files: Mapping[str, ScenarioFile]
    pool: Pool
    chunks: list[str] = field(repr=False)

    @property
    def rows(self) -> Rows:
        """The rows of the runs of models, which figures are counted from."""
        judged = [run for run in self.runs if run.row is not None]
        return Rows(
            runs=tuple(run.row for run in judged if run.row is not None),
            turns=tuple(turn for run in judged for turn in run.turns),
            not_asked=self.not_asked,
        )


def opened(source: Path | Store) -> Store:
    """Return a store that is read while it is asked for, or one that was never written.

    Raises:
        ResultsError: it cannot be used.
    """
    return source if isinstance(source, Store) else Store(str(source), *store.read(source))


def collect(
    sources: Sequence[Path | Store],
    files: Sequence[ScenarioFile],
    gate: Gate,
    corrupts: Corrupts | None = None,
    not_asked: str = NOT_ASKED,
    guard: Guard | None = None,
) -> Collected:
    """Read stores and judge the models in them; `files` are the scenarios as they are now.

    A store is the path of one, or one that was never written.

    Raises:
        ResultsError: a store cannot be used.
        UsageError: the stores are of more than one node, or there is no run in them.
        SecretFound: a run looks like it holds a key.
    """
    guard = guard or Guard.of_environment()
    by_id = {file.scenario.id: file for file in files}
    pool, chunks = Pool(guard), Chunks(guard, 'a run of the scorecard')
    runs: dict[RunId, Run] = {}
    found: list[Source] = []
    read = 0
    for source in sources:
        file, head, stored = opened(source)
        if found and head.node != found[0].head.node:
            message = f'{file} is of the node {head.node!r}, and {found[0].file} of {found[0].head.node!r}'
            raise UsageError(f'{message}: make a scorecard of each, or give one of them with --before')
        count = 0
        for result in stored:
            run = _run(result, by_id, gate, corrupts, pool, chunks)
            runs[run.id] = run
            count += 1
        read += count
        found.append(Source(file, head, count))
    if not runs:
        raise UsageError(f'{", ".join(source.file for source in found)}: there are no runs in it')
    chunks.close()
    return Collected(
        sources=tuple(found),
        runs=tuple(_named(runs.values())),
        replaced=read - len(runs),
        not_asked='' if corrupts is not None else not_asked,
        files=by_id,
        pool=pool,
        chunks=chunks.packed,
    )


def _named(runs: Iterable[Run]) -> Iterator[Run]:
    """Yield the runs; those that were never made are given the parameters of their model."""
    found = list(runs)
    rows = with_parameters([run.row for run in found if run.row is not None])
    for run in found:
        yield replace(run, row=next(rows)) if run.row is not None else run


def _run(
    result: StoredResult,
    files: Mapping[str, ScenarioFile],
    gate: Gate,
    corrupts: Corrupts | None,
    pool: Pool,
    chunks: Chunks,
) -> Run:
    record = result.record
    file = files.get(record.scenario)
    rows = rows_of((result,), corrupts)
    row = rows.runs[0] if rows.runs else None
    return Run(
        id=RunId(record.scenario, record.model or '', parameters_text(record) if record.model else '', record.epoch),
        group=result.family,
        family=result.task_family or result.family,
        level=result.level,
        state=baseline_run(result).state,
        task=result.needs_tool is not None,
        outcome=gate.weighed(_light(result, file)),
        row=row,
        turns=rows.turns,
        bad=tuple(_bad(result, rows.turns)) if row is not None and row.outcome is not End.INFRASTRUCTURE else (),
        asked=(result.asked, result.expected),
        place=chunks.add(run_view(result, rows.turns, pool, file)),
    )


def _bad(result: StoredResult, rows: Sequence[TurnRow]) -> Iterator[Bad]:
    record = result.record
    tools = {item.tool for item in record.offered}
    outputs = {turn.index + 1: turn.output or '' for turn in record.turns if turn.agent == NODE}
    for row in rows:
        kind = kind_of(row)
        if kind and row.agent == NODE:
            yield Bad(kind, normalised(outputs[row.turn], tools), row.turn)


def _light(result: StoredResult, file: ScenarioFile | None) -> Outcome:
    """Return a stored run as the gate weighs it; what findings differ in is in the texts of the page already."""
    made = outcome_of(result, file, family=result.family, level=result.level, solved=result.solved)
    findings = (item.model_copy(update={'expected': None, 'diff': ''}) for item in made.findings)
    return made.model_copy(update={'findings': tuple(findings)})
