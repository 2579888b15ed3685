"""The outcome of a suite as lines for a terminal; the command line and the pytest plugin show the same ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from harness.show.transcript import transcript
from harness.show.visible import as_text, clip, one_line, plural, visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harness.recording import Recorded
    from harness.show.summary import Counts, Judged, Outcome, Unmet
    from harness.suite import Listed

Style = Literal['plain', 'bold', 'soft', 'good', 'bad', 'add', 'del', 'hunk']

COLOURS: dict[Style, tuple[str, ...]] = {
    'plain': (),
    'bold': ('bold',),
    'soft': (),
    'good': ('green', 'bold'),
    'bad': ('red', 'bold'),
    'add': ('green',),
    'del': ('red',),
    'hunk': ('cyan',),
}
"""What each style looks like: at most one colour, and `bold`."""

_SHORT = 100
_LONG = 2_000
_MAX_DIFF = 6_000
_DIFF_STARTS: dict[str, Style] = {'+++': 'hunk', '---': 'hunk', '@@': 'hunk', '+': 'add', '-': 'del'}


class Line(NamedTuple):
    """One line of output without its line feed: safe to print as it is."""

    text: str
    style: Style = 'plain'


def failure_lines(outcome: Outcome) -> list[Line]:
    """Return what a failed run shows: its name, then each finding with its place, both sides and the difference."""
    model = f' [{one_line(outcome.model)}]' if outcome.model else ''
    run = (f' (run {outcome.run})' if outcome.run > 1 else '') + (' (proposal)' if outcome.proposed else '')
    lines = [Line(f'{one_line(outcome.scenario)}{model}{run}: {one_line(outcome.title)}', 'bad')]
    if outcome.problem:
        lines += [Line(f'  {text}', style) for text, style in diff_lines(outcome.problem)]
    for item in outcome.findings:
        lines += finding_lines(item)
    return lines


def failed_run(run: Judged, verbose: bool = False) -> list[Line]:
    """Return what a failed run shows, with its transcript where asked for, and an empty line."""
    lines = failure_lines(run.outcome)
    if verbose:
        for block in transcript(run.record, _LONG):
            if block.kind == 'prompt':
                continue
            lines.append(Line(f'  {one_line(block.label)}  {one_line(" ".join(block.remarks))}'.rstrip(), 'hunk'))
            lines += [Line(f'    | {visible(text)}') for text in (block.text or block.note).split('\n')]
    return [*lines, Line('')]


def finding_lines(item: Unmet) -> list[Line]:
    """Return the lines of one finding."""
    lines = [
        Line(f'  {one_line(item.path)}:{item.line}:{item.column}: {one_line(item.key)}', 'soft'),
        Line(f'    {one_line(item.message)}', 'bold'),
    ]
    sides = [as_text(item.expected), as_text(item.actual)]
    given = item.expected is not None or item.actual is not None
    short = all(len(side) <= _SHORT for side in sides)
    if given and (short or not item.diff):
        if item.expected is not None:
            lines += _side_lines('expected', item.expected)
        lines += _side_lines('came', item.actual)
    both_texts = isinstance(item.expected, str) and isinstance(item.actual, str)
    if item.diff and not (short and both_texts):
        lines += [Line(f'    {text}', style) for text, style in diff_lines(item.diff)]
    return lines


def diff_lines(diff: str, limit: int = _MAX_DIFF) -> Iterator[Line]:
    """Yield the lines of a diff (or of any text) with their styles, visible and cut at about `limit` characters."""
    for line in clip(diff, limit).removesuffix('\n').split('\n'):
        yield Line(visible(line), _diff_style(line))


def _diff_style(line: str) -> Style:
    return next((style for start, style in _DIFF_STARTS.items() if line.startswith(start)), 'plain')


def met_line(outcome: Outcome) -> Line:
    """Return the one line that a run gets which met everything."""
    model = f' [{one_line(outcome.model)}]' if outcome.model else ''
    run = (f' (run {outcome.run})' if outcome.run > 1 else '') + (' (proposal)' if outcome.proposed else '')
    reason = f', {one_line(outcome.stop_reason)}' if outcome.stop_reason else ''
    solved = '' if outcome.solved is None else ', solved' if outcome.solved else ', not solved'
    calls = plural(outcome.llm_calls, 'LLM call')
    took = f'{outcome.seconds * 1000:.0f} ms'
    return Line(f'met  {one_line(outcome.scenario)}{model}{run}: {calls}{reason}{solved}, {took}')


def recorded_lines(run: Recorded) -> list[Line]:
    """Return what one run of a new recording shows."""
    parts = [plural(run.turns, 'turn')]
    if run.tokens is not None:
        parts.append(plural(run.tokens, 'token'))
    parts.append(f'{run.seconds:.1f} s')
    parts.append(f'stop reason {one_line(run.stop_reason)}' if run.stop_reason else 'no stop reason')
    if run.solved is not None:
        parts.append('solved' if run.solved else 'not solved')
    answer = 'no answer' if run.answer is None else visible(clip(as_text(run.answer), _LONG))
    return [
        Line(f'recorded  {one_line(run.scenario)} [{one_line(run.model)}]: {", ".join(parts)}', 'good'),
        Line(f'  answer  {answer}'),
        Line(f'  file    {one_line(run.path)}'),
    ]


def not_recorded_lines(scenario: str, model: str, reason: str) -> list[Line]:
    """Return what a recording shows that failed."""
    first, *rest = visible(reason).split('\n')
    head = Line(f'failed    {one_line(scenario)} [{one_line(model)}]: {first}', 'bad')
    return [head, *(Line(f'  {line}') for line in rest), Line('  no cassette was written')]


def recording_verdict(number: int, failed: int) -> Line:
    """Return the summary line of `record`."""
    if not failed:
        return Line(f'{plural(number, "scenario")} recorded', 'good')
    return Line(f'{number - failed:,} of {plural(number, "scenario")} recorded, {failed:,} failed', 'bad')


def verdict_lines(counts: Counts, seconds: float) -> list[Line]:
    """Return the summary line and, where something failed, what to do next."""
    parts = [plural(counts.scenarios, 'scenario'), plural(counts.runs, 'run')]
    parts += [plural(counts.proposals, 'proposal')] if counts.proposals else []
    parts.append(plural(counts.findings, 'finding') if counts.findings else 'no findings')
    if counts.problems:
        parts.append(f'{counts.problems:,} not judged')
    failed = counts.runs - counts.met
    left = f'; {plural(counts.left, "scenario")} not run (--fail-fast)' if counts.left else ''
    text = f'{", ".join(parts)} in {seconds:.1f} s{left}'
    if not failed:
        return [Line(text, 'good')]
    lines = [Line(text, 'bad')]
    levels = (('required', counts.required), ('hardening', counts.hardening))
    told = [f'{name}: {count.met:,} of {plural(count.runs, "run")} met' for name, count in levels if count.runs]
    lines += [Line('; '.join(told))] if told else []
    if counts.findings:
        lines.append(Line('A finding is about the node: correct the node, or the expectation where it is wrong.'))
    if counts.problems:
        lines.append(Line('A run that was not judged says above what to do about its recording.'))
    lines.append(Line('Look closer: react-harness run ID -v, or everything as a page with --report report.html'))
    return lines


def list_rows(entries: Sequence[Listed]) -> Iterator[str]:
    """Yield the scenarios as aligned lines: id, family, level, model side, title; a proposal is marked as one."""
    yield from table(
        [
            (
                entry.id,
                entry.family,
                entry.level,
                'scripted' if entry.scripted else ' '.join(entry.models) or 'not recorded',
                f'(proposal) {entry.title}' if entry.proposed else entry.title,
            )
            for entry in entries
        ]
    )


def table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield rows with their columns aligned; the last column is as long as it is."""
    cells = [[one_line(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        yield '  '.join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def _side_lines(label: str, value: Any) -> list[Line]:
    if value is None:
        return [Line(f'    {label:<8}  nothing')]
    if isinstance(value, str) and '\n' in value:
        body = [visible(line) for line in clip(value, _LONG).split('\n')]
        return [Line(f'    {label}'), *(Line(f'      | {line}') for line in body)]
    return [Line(f'    {label:<8}  {visible(clip(as_text(value), _LONG))}')]
