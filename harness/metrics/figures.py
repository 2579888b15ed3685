"""The figures of a model: rates with their intervals, over turns and over runs, clustered by scenario."""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations
from statistics import fmean, median
from typing import TYPE_CHECKING, Final, Literal, TypeVar

from pydantic import Field

from harness.grammar import Form, Kind
from harness.metrics.planning import Needed, needed_of_model, needed_of_pair
from harness.metrics.spending import spent, taken
from harness.metrics.statistics import Paired, Rate, correlation_within, holm, paired, pass_hat, rate
from harness.record import Frozen
from harness.verdicts.turns import Flag, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from harness.matrix.models import Prices
    from harness.metrics.rows import Rows, RunRow, TurnRow

FIGURES_VERSION: Final = 1
_Row = TypeVar('_Row', 'RunRow', 'TurnRow')
MOST_INFRASTRUCTURE: Final = 0.02
"""Above this share of runs that the infrastructure ended there is no headline."""


class Figures(Frozen):
    """What one model did, in one parameter set, over some scenarios.

    The rates of turns are over the turns that the model answered, those of calls over its readable calls, those of runs
    over all planned runs but the ones that the infrastructure ended, which `scored` of `planned` says.
    """

    model: str = Field(description='The model.')
    parameters: str = Field(description='The parameters that it was asked with.')
    family: str = Field(default='', description='The family of the tasks; empty: all of them.')
    planned: int = Field(description='How many runs there are.')
    scored: int = Field(description='How many of them say something about the model.')
    headline: bool = Field(description='Whether at most 2 % of the runs are missing, so that the rates may be told.')
    scenarios: int = Field(description='How many scenarios they are of.')
    turns: int = Field(description='How many turns the model wrote.')
    solved: Rate = Field(description='Runs that solved the task: pass^1.')
    pass_hat: dict[int, Rate] = Field(description='pass^k: the chance that k runs of a scenario all solve its task.')
    correlation: float | None = Field(
        description='How much the runs of one scenario hang together in what they solve, from 0 to 1; null: no epochs.'
    )
    strict: Rate = Field(description='Turns in the canonical form.')
    readable: Rate = Field(description='Turns whose step can be read, canonical or not (strict or lenient).')
    strict_runs: Rate = Field(description='Runs of which every turn is in the canonical form.')
    readable_runs: Rate = Field(description='Runs of which every turn can be read.')
    malformed: Rate = Field(description='Turns with an attempted step that nobody may run.')
    direct: Rate = Field(description='Turns of plain text.')
    empty: Rate = Field(description='Turns that say nothing.')
    unknown_tool: Rate = Field(description='Calls of a tool that there is not, of all calls.')
    invalid_arguments: Rate = Field(description="Calls whose input the tool's schema refuses, of all calls.")
    repeated_call: Rate = Field(description='Calls that were made before in the same run, of all calls.')
    wrote_observation: Rate = Field(description='Turns in which the model wrote an observation itself.')
    several_steps: Rate = Field(description='Turns with more than one action.')
    narrated: Rate = Field(description='Turns that tell of tool work that never happened.')
    parser_would_corrupt: Rate | None = Field(
        description="Turns of which llama-index's own parser would run something else than was written; null: not "
        'measured.'
    )
    foreign_call: Rate = Field(description='Turns with a call in a native or JSON notation.')
    reasoning_block: Rate = Field(description='Turns with a reasoning block.')
    truncated: Rate = Field(description='Turns that the budget of tokens cut off.')
    tool_skip: Rate = Field(
        description='Runs without a tool call where a tool is needed: what require_tool_call refuses.'
    )
    needless_tool: Rate = Field(description='Runs with a tool call where none is needed.')
    recovery: Rate = Field(description='Runs that went on well behind a tool call that raised, of all with one.')
    exhausted: Rate = Field(description='Runs that used up the budget.')
    outcomes: dict[Outcome, int] = Field(description='How many runs ended how.')
    first_bad_turn: float | None = Field(description='The median number of the first bad turn, where there is one.')
    turns_per_run: float | None = Field(description='The mean number of turns of a scored run.')
    metered: int = Field(description='How many scored runs tell the tokens of all their turns.')
    tokens_per_solved: float | None = Field(description='Tokens of the metered runs for each that solved its task.')
    cost: float | None = Field(description='What the metered runs cost; null: the price is not known.')
    cost_per_solved: float | None = Field(description='The same for each that solved its task.')
    currency: str = Field(description='The currency of the costs; empty: the price is not known.')
    timed: int = Field(description='How many scored runs tell the seconds of all their turns, as the model took them.')
    seconds_per_solved: float | None = Field(description='Seconds of the timed runs for each that solved its task.')
    turn_seconds: float | None = Field(description='The median of the seconds of a turn in the timed runs.')

    @property
    def name(self) -> str:
        """The model with its parameters, by which it is compared."""
        return f'{self.model} {self.parameters}'.strip()


class Comparison(Frozen):
    """Two models on the same scenarios; `p` is adjusted for the number of comparisons (Holm)."""

    first: str
    second: str
    solved: Paired
    p: float

    @property
    def told_apart(self) -> bool:
        """Whether the two can be told apart."""
        return self.solved.apart and self.p < 0.05


class Score(Frozen):
    """What `react-harness score --format json` prints."""

    version: Literal[1] = FIGURES_VERSION
    figures: tuple[Figures, ...]
    comparisons: tuple[Comparison, ...]
    needed: tuple[Needed, ...] = Field(
        default=(), description='How many scenarios a wanted difference takes, where one is wanted.'
    )
    not_measured: dict[str, str] = Field(
        default_factory=dict, description='Figures that were not measured, each with the reason.'
    )


def score(
    rows: Rows,
    by_family: bool = False,
    prices: Mapping[str, Prices] | None = None,
    difference: float | None = None,
) -> Score:
    """Return the figures of every model, the best one first, and the comparisons of all pairs.

    `prices` are those of the models by their names. For a wanted `difference` (a share) the number of scenarios is told
    that it takes.

    Raises:
        ValueError: the difference is not above 0 and below 1.
    """
    groups: defaultdict[tuple[str, str, str], tuple[list[RunRow], list[TurnRow]]] = defaultdict(lambda: ([], []))
    for run in rows.runs:
        for family in ('', run.family) if by_family else ('',):
            groups[run.model, run.parameters, family][0].append(run)
    for turn in rows.turns:
        for family in ('', turn.family) if by_family else ('',):
            groups[turn.model, turn.parameters, family][1].append(turn)
    made = [
        figures(runs, turns, family, (prices or {}).get(model)) for (model, _, family), (runs, turns) in groups.items()
    ]
    made.sort(
        key=lambda item: (
            item.family,
            -(item.solved.value or 0),
            -(item.strict.value or 0),
            item.model,
            item.parameters,
        )
    )
    comparisons = compared(rows)
    needed: list[Needed | None] = []
    if difference is not None:
        needed += [needed_of_model(item, difference) for item in made if not item.family]
        needed += [needed_of_pair(item, difference) for item in comparisons]
    return Score(
        figures=tuple(made),
        comparisons=tuple(comparisons),
        needed=tuple(item for item in needed if item is not None),
        not_measured={'parser_would_corrupt': rows.not_asked} if rows.not_asked else {},
    )


def figures(
    runs: Sequence[RunRow], turns: Sequence[TurnRow], family: str = '', prices: Prices | None = None
) -> Figures:
    """Return the figures of the runs and turns of one model in one parameter set."""
    scored = [run for run in runs if run.outcome is not Outcome.INFRASTRUCTURE]
    calls = [turn for turn in turns if turn.kind is Kind.CALL and turn.form is not Form.MALFORMED]
    asked = [turn for turn in turns if turn.parser_would_corrupt is not None]
    tasks: defaultdict[str, list[bool]] = defaultdict(list)
    for run in scored:
        if run.solved is not None:
            tasks[run.scenario].append(run.solved)
    most = max((len(values) for values in tasks.values()), default=0)
    bad = [run.first_bad_turn for run in scored if run.first_bad_turn is not None]
    formed = [run for run in scored if run.strict is not None]

    def flagged(flag: Flag, of: Sequence[TurnRow] = turns) -> Rate:
        return _of(of, lambda turn: flag in turn.flags)

    return Figures(
        model=runs[0].model,
        parameters=runs[0].parameters,
        family=family,
        planned=len(runs),
        scored=len(scored),
        headline=len(runs) - len(scored) <= MOST_INFRASTRUCTURE * len(runs),
        scenarios=len({run.scenario for run in runs}),
        turns=len(turns),
        solved=rate(tasks),
        pass_hat={k: pass_hat(tasks, k) for k in range(1, most + 1)},
        correlation=correlation_within(tasks),
        strict=_of(turns, lambda turn: turn.form is Form.STRICT),
        readable=_of(turns, lambda turn: turn.form in (Form.STRICT, Form.LENIENT)),
        strict_runs=_of(formed, lambda run: bool(run.strict)),
        readable_runs=_of(formed, lambda run: bool(run.readable)),
        malformed=_of(turns, lambda turn: turn.form is Form.MALFORMED),
        direct=_of(turns, lambda turn: turn.form is Form.DIRECT),
        empty=_of(turns, lambda turn: turn.form is Form.EMPTY),
        unknown_tool=flagged(Flag.UNKNOWN_TOOL, calls),
        invalid_arguments=flagged(Flag.INVALID_ARGUMENTS, calls),
        repeated_call=flagged(Flag.REPEATED_CALL, calls),
        wrote_observation=flagged(Flag.WROTE_OBSERVATION),
        several_steps=flagged(Flag.SEVERAL_STEPS),
        narrated=flagged(Flag.NARRATED_TOOL_USE),
        parser_would_corrupt=flagged(Flag.PARSER_WOULD_CORRUPT, asked) if asked or not turns else None,
        foreign_call=flagged(Flag.FOREIGN_CALL),
        reasoning_block=flagged(Flag.REASONING_BLOCK),
        truncated=flagged(Flag.TRUNCATED),
        tool_skip=_of([run for run in scored if run.needs_tool], lambda run: not run.called),
        needless_tool=_of([run for run in scored if run.needs_tool is False], lambda run: run.called),
        recovery=_of([run for run in scored if run.failed], lambda run: bool(run.recovered)),
        exhausted=_of(scored, lambda run: run.outcome is Outcome.EXHAUSTED),
        outcomes={outcome: count for outcome in Outcome if (count := sum(run.outcome is outcome for run in runs))},
        first_bad_turn=median(bad) if bad else None,
        turns_per_run=fmean(run.turns for run in scored) if scored else None,
        **spent(scored, prices),
        **taken(scored, turns),
    )


def _of(rows: Iterable[_Row], holds: Callable[[_Row], bool]) -> Rate:
    groups: defaultdict[str, list[bool]] = defaultdict(list)
    for row in rows:
        groups[row.scenario].append(holds(row))
    return rate(groups)


def compared(rows: Rows) -> list[Comparison]:
    """Compare every two models in their task success, on the scenarios that both were run on."""
    results: defaultdict[str, defaultdict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    for run in rows.runs:
        if run.solved is not None and run.outcome is not Outcome.INFRASTRUCTURE:
            results[f'{run.model} {run.parameters}'.strip()][run.scenario].append(run.solved)
    pairs = [
        (first, second, paired(results[first], results[second]))
        for first, second in combinations(sorted(results), 2)
        if set(results[first]) & set(results[second])
    ]
    adjusted = holm([item.p for _, _, item in pairs])
    return [
        Comparison(first=first, second=second, solved=item, p=p)
        for (first, second, item), p in zip(pairs, adjusted, strict=True)
    ]


def score_schema() -> dict[str, object]:
    """Return the JSON Schema (draft 2020-12) of what `react-harness score --format json` prints."""
    return {
        '$schema': 'https://json-schema.org/draft/2020-12/schema',
        '$id': f'urn:react-harness:score:{FIGURES_VERSION}',
        **Score.model_json_schema(mode='serialization'),
        'title': 'The figures of models',
    }
