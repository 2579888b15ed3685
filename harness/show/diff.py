"""What differs between two results stores, as lines for a terminal."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Final

from harness.show.console import Line, diff_lines
from harness.show.gate import STYLES, counted, moved_lines, run_name
from harness.show.visible import clip, one_line, plural

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harness.gate.course import Parting
    from harness.gate.diff import Cause, Diff, RunDiff, Side

_CAUSES: Final[dict[Cause, str]] = {
    'node': 'the node',
    'platform': 'the engine side',
    'versions': 'versions of libraries',
    'scenario': 'what the scenario asks',
    'expectations': 'what the scenario expects',
    'cassette': 'the cassette',
    'model': 'the model said something else to the same prompt',
    'tools': 'a tool gave something else for the same call',
    'unknown': 'nothing in the stores explains it: time, chance, or what is outside of the folder of the node',
}
_DOORS: Final = {
    'prompt': 'the prompt',
    'stop': 'the stop words',
    'output': 'the output of the model',
    'call': 'a tool call',
    'result': 'the result of a tool',
    'lane_writes': 'what was written to the lanes',
    'events': 'the events',
    'payload': 'the payload',
    'raised': 'what was raised',
}
_MAX_NAMED: Final = 5
_MAX_PROBLEM: Final = 200


def diff_report(diff: Diff, verbose: bool = False) -> Iterator[Line]:
    """Yield the two stores, what they depend on and differs, and each run that is not as it was.

    Runs that are judged as before are told in groups of the same causes, unless `verbose` asks for each.
    """
    yield from _sides(diff)
    yield Line('')
    shown: dict[str, str] = {}
    for kind in STYLES:
        group = [run for run in diff.runs if run.change == kind]
        alone = [run for run in group if run.before is not None or run.after != 'met']
        for run in alone:
            yield from _run_lines(run, shown)
        added = [run_name(run.scenario, run.model, run.run) for run in group if run not in alone]
        if added:
            yield Line(f'{kind:<9}  {plural(len(added), "run")} that {_meet(added)} all expectations', STYLES[kind])
            yield from _names(added)
            yield Line('')
    quiet = [run for run in diff.runs if run.change == 'differs']
    if verbose:
        for run in quiet:
            yield from _run_lines(run, shown)
    else:
        yield from _groups(quiet, shown)
    yield verdict_line(diff)


def verdict_line(diff: Diff) -> Line:
    """Return the last line: how many runs became what."""
    differs = f', {diff.counts.differs:,} judged as before but not the same' if diff.counts.differs else ''
    return Line(f'{counted(diff.counts)}{differs}', 'bad' if diff.runs else 'good')


def _sides(diff: Diff) -> Iterator[Line]:
    for name, side in (('before', diff.before), ('after', diff.after)):
        yield Line(f'{name:<6}  {_side(side)}', 'bold')
    if diff.before.node != diff.after.node:
        yield Line(f'  node      {one_line(diff.before.node)} -> {one_line(diff.after.node)}')
    elif diff.node_files:
        names = [f'{one_line(item.file)} {item.change}' for item in diff.node_files]
        more = f', and {len(names) - 2 * _MAX_NAMED:,} more' if len(names) > 2 * _MAX_NAMED else ''
        yield Line(f'  node      {", ".join(names[: 2 * _MAX_NAMED])}{more}')
    if diff.before.platform != diff.after.platform:
        yield Line(f'  platform  {one_line(diff.before.platform)} -> {one_line(diff.after.platform)}')
    for item in diff.versions:
        before, after = (one_line(side or 'none') for side in (item.before, item.after))
        yield Line(f'  versions  {one_line(item.name)} {before} -> {after}')
    if diff.before.suite != diff.after.suite:
        yield Line('  scenarios are not the same')


def _side(side: Side) -> str:
    moment = side.created.strftime('%Y-%m-%d %H:%M UTC')
    node, platform = one_line(side.node), one_line(side.platform)
    return f'{one_line(side.file)}: {plural(side.runs, "run")} of {node} on {platform}, {moment}'


def _run_lines(run: RunDiff, shown: dict[str, str]) -> Iterator[Line]:
    name = run_name(run.scenario, run.model, run.run)
    style = 'bold' if run.change == 'differs' else STYLES[run.change]
    yield Line(f'{run.change:<9}  {name}: {_because(run)}', style)
    yield from moved_lines(run.appeared, run.went, '  ')
    if run.after == 'not_judged' and run.problem:
        yield Line(f'  not judged: {clip(one_line(run.problem.partition(chr(10))[0]), _MAX_PROBLEM)}')
    if run.first is not None:
        yield from _parting_lines(run.first, name, shown)
    yield Line('')


def _because(run: RunDiff) -> str:
    if run.change in ('new', 'gone'):
        where = 'first' if run.change == 'new' else 'second'
        what = 'recording' if run.causes == ('cassette',) else 'scenario or run'
        return f'the {where} store has no such {what}'
    return ', '.join(_CAUSES[cause] for cause in run.causes)


def _parting_lines(first: Parting, name: str, shown: dict[str, str]) -> Iterator[Line]:
    place = _place(first)
    if first.before is None or first.after is None:
        only = 'before' if first.after is None else 'after'
        if first.what == 'prompt':  # a turn more: what it was asked is the story so far
            yield Line(f'  they part at {place}, which is there only {only}')
            return
        yield Line(f'  they part at {place}, which is there only {only}:')
        text = first.before if first.after is None else first.after
        yield from (Line(f'    {line.text}') for line in diff_lines(text or '', 400))
        return
    same = shown.setdefault(f'{place}\n{first.diff}', name)
    if same != name:
        yield Line(f'  they part at {place}, as in {same}')
        return
    yield Line(f'  they part at {place}:')
    yield from (Line(f'    {line.text}', line.style) for line in diff_lines(first.diff))


def _place(first: Parting) -> str:
    door = _DOORS.get(first.what, first.what)
    turn = f' of turn {first.turn}' if first.turn is not None else ''
    agent = f' of {one_line(first.agent)}' if first.agent != 'agent' else ''
    return f'{door}{turn}{agent}'


def _groups(runs: Sequence[RunDiff], shown: dict[str, str]) -> Iterator[Line]:
    for (causes, what), members in groupby(sorted(runs, key=_group), key=_group):
        group = list(members)
        names = [run_name(run.scenario, run.model, run.run) for run in group]
        door = _DOORS.get(what, what)
        why = ', '.join(_CAUSES[cause] for cause in causes)
        yield Line(f'differs    {plural(len(group), "run")}, judged as before, from {door} on: {why}', 'bold')
        yield from _names(names)
        if group[0].first is not None:
            yield from _parting_lines(group[0].first, names[0], shown)
        yield Line('')


def _names(names: Sequence[str]) -> Iterator[Line]:
    more = f' and {len(names) - _MAX_NAMED:,} more' if len(names) > _MAX_NAMED else ''
    yield Line(f'  {", ".join(names[:_MAX_NAMED])}{more}')


def _meet(things: Sequence[object]) -> str:
    return 'meets' if len(things) == 1 else 'meet'


def _group(run: RunDiff) -> tuple[tuple[Cause, ...], str]:
    return run.causes, run.first.what if run.first is not None else ''
