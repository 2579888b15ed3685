"""The verdict, what became of the runs since the baseline, and what is accepted, as lines for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from harness.gate.baseline import state_counts
from harness.show.console import Line
from harness.show.visible import one_line, plural

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from harness.gate.baseline import Accepted, BaselineRun
    from harness.gate.change import Change, ChangeCounts, Comparison, RunChange
    from harness.show.console import Style
    from harness.show.summary import Outcome, Summary, Verdict

_VERDICTS: Final[dict[Verdict, Style]] = {'pass': 'good', 'fail': 'bad', 'inconclusive': 'bad'}
STYLES: Final[dict[Change, Style]] = {
    'regressed': 'bad',
    'changed': 'bad',
    'new': 'bold',
    'unjudged': 'bad',
    'gone': 'bad',
    'fixed': 'good',
    'same': 'soft',
}
"""What became of a run, the worst first."""

_MAX_LISTED: Final = 20
_MAX_FINDINGS: Final = 5


def verdict_line(summary: Summary) -> Line:
    """Return the verdict and the reason for it, the last line of a run."""
    return Line(f'Verdict: {summary.verdict}: {one_line(summary.reason)}', _VERDICTS[summary.verdict])


def by_effect(outcome: Outcome) -> int:
    """Sort what gates to the front, and a finding before what could not be judged."""
    return {'fail': 0, 'inconclusive': 1, 'none': 2}[outcome.effect]


def run_name(scenario: str, model: str | None, run: int) -> str:
    """Return a run as people read it: `one-tool [small] (run 2)`."""
    parts = [one_line(scenario), *([f'[{one_line(model)}]'] if model else []), *([f'(run {run})'] if run > 1 else [])]
    return ' '.join(parts)


def baseline_lines(compared: Comparison, outcomes: Sequence[Outcome]) -> Iterator[Line]:
    """Yield what became of the runs since the baseline, those that fail as known in one line each."""
    yield Line(f'Baseline {one_line(compared.file)}: {counted(compared.counts)}', 'bold')
    known = [outcome for outcome in outcomes if outcome.change == 'same' and not outcome.met]
    yield from change_lines(compared.changes)
    for outcome in known[:_MAX_LISTED]:
        what = plural(len(outcome.findings), 'finding') if outcome.findings else 'not judged'
        yield Line(f'  known      {run_name(outcome.scenario, outcome.model, outcome.run)}: {what}')
    yield from _more('known', len(known))
    if compared.changes:
        yield Line(
            '  Where that is meant: react-harness run --results NEW.jsonl, then react-harness accept NEW.jsonl '
            f'--baseline {one_line(compared.file)}'
        )


def counted(counts: ChangeCounts) -> str:
    """Return how many runs became what, in one line."""
    known = f' ({counts.known:,} of them known to fail)' if counts.known else ''
    others = [f'{number:,} {kind}' for kind in STYLES if kind != 'same' and (number := getattr(counts, kind))]
    return ', '.join([f'{plural(counts.same, "run")} as before{known}', *others])


def change_lines(changes: Iterable[RunChange]) -> Iterator[Line]:
    """Yield one line for each run that is not as it was, the worst first, and one for each finding that moved."""
    given = list(changes)
    for kind in STYLES:
        group = [change for change in given if change.change == kind]
        for change in group[:_MAX_LISTED]:
            name = run_name(change.scenario, change.model, change.run)
            state = f': {_state(change.after or change.before)}' if kind in ('new', 'gone') else ''
            yield Line(f'  {kind:<9}  {name}{state}', STYLES[kind])
            if kind in ('changed', 'regressed', 'fixed'):
                yield from moved_lines(change.appeared, change.went, '    ')
        yield from _more(kind, len(group))


def moved_lines(appeared: Sequence[str], went: Sequence[str], indent: str) -> Iterator[Line]:
    """Yield the findings that appeared and those that went."""
    sides: tuple[tuple[str, Sequence[str], Style], ...] = (('+', appeared, 'del'), ('-', went, 'add'))
    for sign, texts, style in sides:
        yield from (Line(f'{indent}{sign} {one_line(text)}', style) for text in texts[:_MAX_FINDINGS])
        if len(texts) > _MAX_FINDINGS:
            yield Line(f'{indent}{sign} ... and {plural(len(texts) - _MAX_FINDINGS, "more finding")}', style)


def _more(kind: str, number: int) -> Iterator[Line]:
    if number > _MAX_LISTED:
        yield Line(f'  {kind:<9}  ... and {number - _MAX_LISTED:,} more')


def accepted_lines(accepted: Accepted) -> Iterator[Line]:
    """Yield what accepting results changes in a baseline, and what it then holds."""
    yield from change_lines(accepted.changes)
    if accepted.kept:
        text = f'{plural(len(accepted.kept), "run")} of the baseline {_are(accepted.kept)} not among the results'
        yield Line(f'{text} and stay{"s" if len(accepted.kept) == 1 else ""} (--prune takes out what is not)')
    states = state_counts(accepted.baseline)
    parts = [f'{states[state]:,} {_state(state)}' for state in ('met', 'failed', 'not_judged') if states[state]]
    changed = plural(len(accepted.changes), 'change') if accepted.changes else 'nothing changed'
    total = plural(len(accepted.baseline.runs), 'run')
    yield Line(f'{one_line(accepted.baseline.file)}: {total}: {", ".join(parts)}; {changed}', 'good')


def refused_lines(runs: Sequence[BaselineRun]) -> Iterator[Line]:
    """Yield why results were not accepted: runs that were not judged."""
    for entry in runs[:_MAX_LISTED]:
        yield Line(f'  not judged  {run_name(entry.scenario, entry.model, entry.run)}', 'bad')
    yield from _more('not judged', len(runs))
    yield Line(
        f'Nothing was written: {plural(len(runs), "run")} {"was" if len(runs) == 1 else "were"} not judged', 'bad'
    )
    yield Line(
        'Record or correct what react-harness run says about them, or accept with --not-judged that the gate does not '
        'count them.'
    )


def _are(things: Sequence[object]) -> str:
    return 'is' if len(things) == 1 else 'are'


def _state(state: str | None) -> str:
    return (state or '').replace('_', ' ')
