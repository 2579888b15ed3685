"""The outcome of a suite as plain values: what the command line, the pytest plugin and the report show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from pydantic import Field

from harness.gate.change import Change, Comparison, Effect, Level  # noqa: TC001 (pydantic reads them)
from harness.record import Frozen, RunRecord

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.expect.finding import Finding
    from harness.scenario import Scenario

SUMMARY_VERSION: Final = 1
Verdict = Literal['pass', 'fail', 'inconclusive']


class Unmet(Frozen):
    """One unmet expectation, with its place in the scenario file."""

    path: str = Field(description='The scenario file.')
    line: int = Field(ge=1, description='The line of the expectation in the file, from 1.')
    column: int = Field(ge=1, description='The column of the expectation in the file, from 1.')
    key: str = Field(description='The keys that lead to the expectation, such as expect.calls[0].input.')
    message: str = Field(description='What does not hold.')
    expected: Any = Field(default=None, description='The value that was expected, where there is one.')
    actual: Any = Field(default=None, description='The value that came, where there is one.')
    diff: str = Field(default='', description='The difference of the two as text, or empty.')
    level: Level = Field(default='required', description='required: the contract says so; hardening: beyond it.')


class Outcome(Frozen):
    """One run of one scenario and how it was judged.

    `problem` says why there is no judgement of the node (a cassette that does not fit, no recording); `met` is true
    when there is neither a finding nor a problem. `change` and `effect` are what the gate makes of it.
    """

    scenario: str = Field(description='The id of the scenario.')
    title: str = Field(description='The title of the scenario.')
    family: str = Field(description='The family of the scenario.')
    level: str = Field(description='required: the contract says so; hardening: beyond it.')
    path: str = Field(description='The scenario file.')
    model: str | None = Field(default=None, description='The recorded model; null for a scripted model side.')
    run: int = Field(default=1, ge=1, description='The n-th run of the scenario with this model side, from 1.')
    met: bool = Field(description='Whether every expectation holds.')
    findings: tuple[Unmet, ...] = Field(default=(), description='The unmet expectations.')
    problem: str = Field(default='', description='Why the run could not be judged, or empty.')
    proposed: bool = Field(default=False, description='Whether nobody has accepted yet what the scenario expects.')
    solved: bool | None = Field(default=None, description='Whether a recorded model solved the task; null: no task.')
    stop_reason: str | None = Field(default=None, description='meta.stop_reason of the payload, where there is one.')
    llm_calls: int = Field(default=0, ge=0, description='The number of LLM calls, child agents included.')
    seconds: float = Field(default=0.0, ge=0, description='How long the run took, in seconds.')
    change: Change | None = Field(default=None, description='What became of it since the baseline; null without one.')
    effect: Effect = Field(
        default='none',
        description='What it does to the verdict: fail, inconclusive, or none where it met its expectations, or where '
        'all that is against it is of a level that does not gate, or known to the baseline.',
    )


class LevelCount(Frozen):
    """The runs of the scenarios of one level, and how many of them the node met at that level."""

    runs: int = Field(default=0, description='Runs of the scenarios of this level that were judged.')
    met: int = Field(default=0, description='Those without a finding of this level or a graver one.')


class Counts(Frozen):
    """How many of what."""

    scenarios: int = Field(description='Scenarios that were run.')
    runs: int = Field(description='Runs of these scenarios: one for each model side, times `runs`.')
    met: int = Field(description='Runs that met every expectation.')
    findings: int = Field(description='Unmet expectations.')
    problems: int = Field(description='Runs that could not be judged.')
    proposals: int = Field(default=0, description='Scenarios that nobody has accepted yet; they count like any other.')
    left: int = Field(default=0, description='Scenarios that were not run because a failure ended the run early.')
    required: LevelCount = Field(default=LevelCount(), description='What the contract says.')
    hardening: LevelCount = Field(default=LevelCount(), description='What goes beyond it.')


class Summary(Frozen):
    """What `react-harness run --json` prints."""

    version: Literal[1] = SUMMARY_VERSION
    node: str = Field(description='The node that was run.')
    platform: str = Field(description='The engine side: the stand-in, or the real rocketlib.')
    verdict: Verdict = Field(
        description='fail: there is a finding that gates; inconclusive: there is none, but a run that should have '
        'gated says nothing about the node; pass: neither.'
    )
    reason: str = Field(description='Why, in one line.')
    level: Level = Field(description='What gates: findings of level required only, or (hardening) all.')
    counts: Counts
    baseline: Comparison | None = Field(default=None, description='The suite against its baseline; null without one.')
    results: tuple[Outcome, ...]


@dataclass(frozen=True)
class Judged:
    """One run with all that a page about it shows: scenario, record, outcome, and the findings as they were judged."""

    scenario: Scenario
    record: RunRecord
    outcome: Outcome
    findings: tuple[Finding, ...] = ()

    @property
    def problem(self) -> str | None:
        """Why the run could not be judged, where it could not."""
        return self.outcome.problem or None


def summary_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of what `react-harness run --json` prints."""
    schema = Summary.model_json_schema(mode='serialization')
    return {
        '$schema': 'https://json-schema.org/draft/2020-12/schema',
        '$id': f'urn:react-harness:run:{SUMMARY_VERSION}',
        **schema,
        'title': 'Outcome of a run',
    }


def count_outcomes(outcomes: Sequence[Outcome], left: int = 0) -> Counts:
    """Count the outcomes of a suite."""
    return Counts(
        scenarios=len({outcome.scenario for outcome in outcomes}),
        runs=len(outcomes),
        met=sum(outcome.met for outcome in outcomes),
        findings=sum(len(outcome.findings) for outcome in outcomes),
        problems=sum(bool(outcome.problem) for outcome in outcomes),
        proposals=len({outcome.scenario for outcome in outcomes if outcome.proposed}),
        left=left,
        required=_count_level(outcomes, 'required'),
        hardening=_count_level(outcomes, 'hardening'),
    )


def _count_level(outcomes: Sequence[Outcome], level: Level) -> LevelCount:
    judged = [outcome for outcome in outcomes if outcome.level == level and not outcome.problem]
    bad = ('required',) if level == 'required' else ('required', 'hardening')
    met = sum(not any(item.level in bad for item in outcome.findings) for outcome in judged)
    return LevelCount(runs=len(judged), met=met)


def answer_of(record: RunRecord) -> str | None:
    """Return the text that a run delivered: the content of the payload, else the last write to the answers lane."""
    if isinstance(record.payload, dict) and isinstance(record.payload.get('content'), str):
        return str(record.payload['content'])
    written = [write.text for write in record.lane_writes if write.agent == 'agent' and write.lane == 'answers']
    return written[-1] if written else None


def stop_reason_of(record: RunRecord) -> str | None:
    """Return `meta.stop_reason` of the payload, where there is one."""
    meta = record.payload.get('meta') if isinstance(record.payload, dict) else None
    reason = meta.get('stop_reason') if isinstance(meta, dict) else None
    return reason if isinstance(reason, str) else None
