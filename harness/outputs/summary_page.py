"""The step summary: what a suite came to as one page of Markdown, as GitHub shows it on the page of a job."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from harness.outputs.markdown import block, cell, code, linked, table
from harness.outputs.words import details, first_place, headline, run_name, standing, why_not_counted
from harness.show.visible import one_line, plural

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from harness.gate.change import Comparison, RunChange
    from harness.outputs.places import Places
    from harness.outputs.words import Standing
    from harness.show.summary import Outcome, Summary, Verdict

LIMIT: Final = 1_000_000
"""Bytes of a page: GitHub shows no summary of more than 1 MiB."""

_MARKS: Final[dict[Verdict, str]] = {'pass': '✅', 'fail': '❌', 'inconclusive': '❔'}
_NUMBERS: Final[tuple[Standing, ...]] = ('met', 'met in part', 'failed', 'not judged', 'not counted')
_TITLES: Final[dict[Standing, str]] = {
    'failed': 'Runs that fail the gate',
    'not judged': 'Runs that were not judged',
    'met in part': 'Runs that met what is required, but not all beyond it',
    'not counted': 'Runs that do not count',
}
_ROOM: Final = 300
_LISTED: Final = 100


def summary_page(summary: Summary, places: Places, limit: int = LIMIT) -> str:
    """Return the outcome of a suite as a page of Markdown of at most `limit` bytes of UTF-8.

    What is most important comes first: the verdict, counts, the baseline, then the runs that fail the gate, those that
    were not judged, and those that do not count. Runs for which there is no room are left out, and the page says how
    many. Nothing that a model, a tool or a file wrote can be anything but text on it.
    """
    parts = [*_head(summary), *_counts(summary.results)]
    if summary.baseline is not None:
        parts += _baseline(summary.baseline)
    size = sum(len(part.encode()) + 2 for part in parts) + _ROOM
    left = 0
    for part, runs in _failures(summary.results, places):
        more = len(part.encode()) + 2
        if left or size + more > limit:
            left += runs
        else:
            parts.append(part)
            size += more
    if left:
        parts.append(f'{plural(left, "more run")} left out: there is no room for more here.')
    return '\n\n'.join(parts) + '\n'


def _head(summary: Summary) -> Iterator[str]:
    counts = summary.counts
    yield f'## {_MARKS[summary.verdict]} {summary.verdict}: {code(summary.node)}'
    yield code(summary.reason, 500)
    gates = 'what is required' if summary.level == 'required' else 'everything'
    numbers = [plural(counts.scenarios, 'scenario'), plural(counts.runs, 'run'), plural(counts.findings, 'finding')]
    numbers += [f'{counts.problems:,} not judged'] * bool(counts.problems)
    numbers += [f'{plural(counts.left, "scenario")} not run'] * bool(counts.left)
    yield f'{", ".join(numbers)}. What gates: {gates}. Engine: {code(summary.platform)}.'


def _counts(outcomes: Sequence[Outcome]) -> Iterator[str]:
    if not outcomes:
        return
    for title, group in (('family', _family), ('level', _level)):
        rows = Counter((group(outcome), standing(outcome)) for outcome in outcomes)
        names = sorted({name for name, _ in rows})
        yield table([title, *_NUMBERS], ([cell(name), *(rows[name, kind] for kind in _NUMBERS)] for name in names))


def _family(outcome: Outcome) -> str:
    return outcome.family


def _level(outcome: Outcome) -> str:
    return outcome.level


def _baseline(compared: Comparison) -> Iterator[str]:
    counts = compared.counts
    kinds = ('regressed', 'changed', 'new', 'unjudged', 'gone', 'fixed', 'same')
    yield f'### Against the baseline {code(compared.file)}'
    told = [f'{getattr(counts, kind):,} {kind}' for kind in kinds if getattr(counts, kind)]
    known = f', {counts.known:,} of them known to fail' if counts.known else ''
    yield f'{", ".join(told) or "nothing to compare"}{known}.'
    changes = sorted(compared.changes, key=lambda change: kinds.index(change.change))
    if changes:
        yield '\n'.join(_limited(changes, _change_line))


def _change_line(change: RunChange) -> str:
    model = f' {code(change.model)}' if change.model else ''
    run = f' (run {change.run})' if change.run > 1 else ''
    before, after = (state.replace('_', ' ') if state else 'not there' for state in (change.before, change.after))
    return f'- **{change.change}** {code(change.scenario)}{model}{run}: {before}, now {after}'


def _limited(items: Sequence[RunChange], line: Callable[[RunChange], str]) -> Iterator[str]:
    for item in items[:_LISTED]:
        yield line(item)
    if len(items) > _LISTED:
        yield f'- {len(items) - _LISTED:,} more'


def _failures(outcomes: Iterable[Outcome], places: Places) -> Iterator[tuple[str, int]]:
    """Yield the parts about runs that did not meet their expectations, with the number of runs in each."""
    by_standing: dict[Standing, list[Outcome]] = {kind: [] for kind in _TITLES}
    for outcome in outcomes:
        if not outcome.met:
            by_standing[standing(outcome)].append(outcome)
    for kind, group in by_standing.items():
        if group:
            yield f'### {_TITLES[kind]} ({len(group):,})', 0
        for outcome in group:
            yield '\n\n'.join(_run(outcome, places, kind)), 1


def _run(outcome: Outcome, places: Places, kind: Standing) -> Iterator[str]:
    level = f', {outcome.level}' if outcome.level in ('required', 'hardening') else ''
    path, line, _ = first_place(outcome)
    name = linked(run_name(outcome), places.link(path, line))
    uncounted = f', {why_not_counted(outcome)}' if kind in ('met in part', 'not counted') else ''
    yield f'**{name}**{level}{uncounted}: {code(headline(outcome))}'
    lines = [
        f'- {linked(f"{item.path}:{item.line}:{item.column}", address)} {code(item.key)}'
        for item in outcome.findings
        if (address := places.link(item.path, item.line))
    ]
    if len(lines) > 1:
        yield '\n'.join(lines)
    found = plural(len(outcome.findings), 'finding') if outcome.findings else 'why'
    yield f'<details><summary>{found}</summary>'
    yield block(f'{one_line(outcome.title)}\n{details(outcome)}')
    yield '</details>'
