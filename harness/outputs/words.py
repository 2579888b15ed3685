"""What all outputs say in the same words: the name of a run, what failed in it, and why a failure may not count."""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING, Final, Literal

from harness.show.console import failure_lines, finding_lines
from harness.show.visible import clip, one_line, spelled

if TYPE_CHECKING:
    from harness.show.summary import Outcome, Summary, Unmet

Standing = Literal['met', 'met in part', 'failed', 'not judged', 'not counted']

_NAME: Final = 200
_LEFT: Final = re.compile('[\ufffe\uffff]')


def run_name(outcome: Outcome) -> str:
    """Return the name of a run: `one-call`, `one-call [model]`, `one-call [model] (run 2)`.

    It is unlike that of any other run of the suite, and the same in every execution of it.
    """
    model = f' [{one_line(outcome.model)}]' if outcome.model else ''
    run = f' (run {outcome.run})' if outcome.run > 1 else ''
    return f'{one_line(outcome.scenario)}{model}{run}'


def standing(outcome: Outcome) -> Standing:
    """Return what a run comes to for somebody who reads the verdict: a failure that does not gate is no failure.

    `met in part`: a required scenario of which all is met but for what goes beyond the contract, which does not gate.
    """
    if outcome.effect == 'fail':
        return 'failed'
    if outcome.effect == 'inconclusive':
        return 'not judged'
    if outcome.met:
        return 'met'
    beyond = outcome.level == 'required' and all(item.level == 'hardening' for item in outcome.findings)
    return 'met in part' if beyond and not outcome.problem else 'not counted'


def why_not_counted(outcome: Outcome) -> str:
    """Return why a run that did not meet its expectations leaves the verdict as it is."""
    if outcome.change == 'same':
        return 'the baseline knows it'
    levels = {str(item.level) for item in outcome.findings} or {outcome.level}
    return 'the level hardening does not gate' if 'required' not in levels else 'there is nothing new in it'


def headline(outcome: Outcome) -> str:
    """Return in one bounded line what is wrong with a run: its first finding, or why it was not judged."""
    first = _first(outcome)
    if first is None:
        return plain(clip(one_line(outcome.problem.partition('\n')[0]), _NAME))
    more = len(outcome.findings) - 1
    return plain(clip(one_line(first.message), _NAME)) + (f' (and {more} more)' if more else '')


def first_place(outcome: Outcome) -> tuple[str, int, int]:
    """Return file, line and column of the first finding, or the start of the scenario file where there is none."""
    first = _first(outcome)
    return (outcome.path, 1, 1) if first is None else (first.path, first.line, first.column)


def _first(outcome: Outcome) -> Unmet | None:
    """Return the finding to speak of where there is room for one: what the contract says comes first."""
    ordered = sorted(outcome.findings, key=lambda item: item.level != 'required')
    return ordered[0] if ordered else None


def details(outcome: Outcome) -> str:
    """Return all that is wrong with a run: each finding with its place, both sides, and the difference."""
    lines = (line.text for line in failure_lines(outcome)[1:])
    return plain(textwrap.dedent('\n'.join(lines)))


def sides(item: Unmet) -> str:
    """Return what was expected and what came, or their difference; empty where a finding has neither."""
    lines = (line.text for line in finding_lines(item)[2:])
    return plain(textwrap.dedent('\n'.join(lines)))


def gone_runs(summary: Summary) -> tuple[str, ...]:
    """Return the names of the runs that the baseline knows, that should have gated, and that are not there."""
    if summary.baseline is None:
        return ()
    return tuple(
        f'{one_line(change.scenario)}{f" [{one_line(change.model)}]" if change.model else ""}'
        f'{f" (run {change.run})" if change.run > 1 else ""}'
        for change in summary.baseline.changes
        if change.change == 'gone' and change.effect != 'none'
    )


def plain(text: str) -> str:
    """Spell out the two characters that are visible nowhere and that XML forbids too."""
    return _LEFT.sub(lambda match: spelled(match.group()), text)
