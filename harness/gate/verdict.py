"""What the runs of a suite come to: pass, fail or inconclusive, and why in one line."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from harness.gate.change import (
    Change,
    Comparison,
    Effect,
    Level,
    RunChange,
    RunKey,
    RunState,
    change_of,
    count_changes,
    run_change,
    signature,
)
from harness.show.summary import Summary, Verdict, count_outcomes
from harness.show.visible import plural

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from harness.gate.baseline import Baseline
    from harness.show.summary import Outcome, Unmet

EXIT_CODES: Final[dict[Verdict, int]] = {'pass': 0, 'fail': 1, 'inconclusive': 3}
"""What `react-harness run` ends with; 2 is wrong usage or a broken file."""


@dataclass(frozen=True)
class Gate:
    """What counts: `required` lets only what is of that level gate, a baseline lets pass what it knows."""

    level: Level = 'hardening'
    baseline: Baseline | None = None

    def has(self, level: str) -> bool:
        """Whether findings, or runs that were not judged, of a level gate."""
        return level == 'required' or self.level == 'hardening'

    def weighed(self, outcome: Outcome) -> Outcome:
        """Return the outcome with its change against the baseline and its effect on the verdict."""
        before, after = self._known(key_of(outcome)), state_of(outcome)
        change: Change | None = change_of(before, after) if self.baseline is not None else None
        return outcome.model_copy(update={'change': change, 'effect': self._effect(outcome, before, after)})

    def _known(self, key: RunKey) -> RunState | None:
        return self.baseline.states.get(key) if self.baseline is not None else None

    def _effect(self, outcome: Outcome, before: RunState | None, after: RunState) -> Effect:
        if after.state == 'not_judged':
            return 'inconclusive' if self.has(outcome.level) and before != after else 'none'
        gating = Counter(_signature(item) for item in outcome.findings if self.has(item.level))
        return 'fail' if gating - Counter(before.findings if before is not None else ()) else 'none'

    def comparison(
        self, outcomes: Sequence[Outcome], left: Collection[str] = (), whole: bool = True
    ) -> Comparison | None:
        """Compare weighed outcomes with the baseline; None where there is none.

        `left` are the ids of scenarios that were meant to be run and were not: their runs are not gone. Unless the
        `whole` suite was meant, neither are those of scenarios that were not run.
        """
        if self.baseline is None:
            return None
        changes = [*self._changes(outcomes), *self._gone(outcomes, left, whole)]
        known = sum(outcome.change == 'same' and not outcome.met for outcome in outcomes)
        same: list[Change] = ['same' for outcome in outcomes if outcome.change == 'same']
        counts = count_changes([*same, *(change.change for change in changes)], known)
        return Comparison(file=self.baseline.file, counts=counts, changes=tuple(changes))

    def _changes(self, outcomes: Sequence[Outcome]) -> Iterator[RunChange]:
        for outcome in outcomes:
            key = key_of(outcome)
            if outcome.change != 'same':
                yield run_change(key, outcome.level, self._known(key), state_of(outcome), outcome.effect)

    def _gone(self, outcomes: Sequence[Outcome], left: Collection[str], whole: bool) -> Iterator[RunChange]:
        seen, ran = {key_of(outcome) for outcome in outcomes}, {outcome.scenario for outcome in outcomes}
        for entry in self.baseline.runs if self.baseline is not None else ():
            if entry.key not in seen and (entry.scenario in ran or (whole and entry.scenario not in left)):
                effect: Effect = 'inconclusive' if self.has(entry.level) else 'none'
                yield run_change(entry.key, entry.level, entry.judged, None, effect)


def key_of(outcome: Outcome) -> RunKey:
    """Return what makes the run the same one elsewhere."""
    return RunKey(outcome.scenario, outcome.model or '', outcome.run)


def state_of(outcome: Outcome) -> RunState:
    """Return how the run was judged."""
    if not outcome.findings:
        return RunState(state='not_judged' if outcome.problem else 'met')
    return RunState(state='failed', findings=tuple(sorted(map(_signature, outcome.findings))))


def _signature(item: Unmet) -> str:
    return signature(item.key, item.message, item.actual)


def summarize(
    outcomes: Sequence[Outcome],
    *,
    node: str,
    platform: str,
    gate: Gate | None = None,
    left: Collection[str] = (),
    whole: bool = True,
) -> Summary:
    """Return what the weighed outcomes of a suite come to; for `left` and `whole` see `Gate.comparison`."""
    gate = gate or Gate()
    compared = gate.comparison(outcomes, left, whole)
    verdict, reason = verdict_of(outcomes, gate, compared, len(left))
    return Summary(
        node=node,
        platform=platform,
        verdict=verdict,
        reason=reason,
        level=gate.level,
        counts=count_outcomes(outcomes, len(left)),
        baseline=compared,
        results=tuple(outcomes),
    )


def verdict_of(
    outcomes: Sequence[Outcome], gate: Gate, compared: Comparison | None = None, left: int = 0
) -> tuple[Verdict, str]:
    """Return the verdict over weighed outcomes and the reason for it.

    A finding that gates fails, whatever else there is. Without one, a run that should have gated and says nothing about
    the node makes the verdict inconclusive: one that was not judged, is gone from the suite, or was not come to.
    """
    silent = list(_silent(outcomes, compared, left))
    failing = [outcome for outcome in outcomes if outcome.effect == 'fail']
    if failing:
        return 'fail', '; '.join([_failing(failing, gate), *silent])
    if silent:
        return 'inconclusive', '; '.join(silent)
    if not outcomes:
        return 'inconclusive', 'nothing was run'
    gating = [outcome for outcome in outcomes if gate.has(outcome.level)]
    if not gating:
        return 'inconclusive', f'no scenario of level {gate.level} was run'
    if all(state_of(outcome).state == 'not_judged' for outcome in gating):
        return 'inconclusive', 'no run was judged, although the baseline knows that'
    return 'pass', '; '.join([_passing(gating, gate), *_passed_over(outcomes, gate)])


def _failing(failing: Sequence[Outcome], gate: Gate) -> str:
    number = len(failing)
    of_level = ' of level required' if gate.level == 'required' else ''
    text = f'{plural(number, "run")} {"has" if number == 1 else "have"} findings{of_level}'
    if gate.baseline is None:
        return text
    kinds = Counter(outcome.change for outcome in failing)
    told = ', '.join(f'{kinds[kind]:,} {kind}' for kind in ('regressed', 'changed', 'new') if kinds[kind])
    return f'{text} that the baseline does not know ({told})'


def _silent(outcomes: Sequence[Outcome], compared: Comparison | None, left: int) -> Iterator[str]:
    unjudged = sum(outcome.effect == 'inconclusive' for outcome in outcomes)
    if unjudged:
        yield f'{plural(unjudged, "run")} {_were(unjudged)} not judged'
    gone = sum(change.change == 'gone' and change.effect != 'none' for change in compared.changes) if compared else 0
    if gone:
        yield f'{plural(gone, "run")} of the baseline {"is" if gone == 1 else "are"} gone'
    if left:
        yield f'{plural(left, "scenario")} {_were(left)} not run (--fail-fast)'


def _passing(gating: Sequence[Outcome], gate: Gate) -> str:
    runs = 'of required scenarios ' if gate.level == 'required' else ''
    expected = 'what is required' if gate.level == 'required' else 'all expectations'
    met = [not outcome.problem and not any(gate.has(item.level) for item in outcome.findings) for outcome in gating]
    if all(met):
        return f'the one run {runs}met {expected}' if len(met) == 1 else f'all {len(met):,} runs {runs}met {expected}'
    return f'{sum(met):,} of {plural(len(met), "run")} {runs}met {expected}, the others are as the baseline knows them'


def _passed_over(outcomes: Sequence[Outcome], gate: Gate) -> Iterator[str]:
    beyond = sum(not gate.has(item.level) for outcome in outcomes for item in outcome.findings)
    if beyond:
        yield f'{plural(beyond, "finding")} of level hardening {"does" if beyond == 1 else "do"} not count'
    unjudged = sum(bool(outcome.problem) and not gate.has(outcome.level) for outcome in outcomes)
    if unjudged:
        yield f'{plural(unjudged, "run")} of hardening scenarios {_were(unjudged)} not judged'


def _were(number: int) -> str:
    return 'was' if number == 1 else 'were'
