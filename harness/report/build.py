"""The report: one HTML file that shows the findings of a suite and the transcript of every run."""

from __future__ import annotations

import base64
import hashlib
import itertools
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from harness.show.summary import Judged, Outcome, Unmet, count_outcomes
from harness.show.transcript import LIMIT, transcript
from harness.show.visible import as_text, clip, plural, visible, visible_pieces

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.record import RunRecord
    from harness.scenario import Scenario

_TEMPLATES = Path(__file__).parent / 'templates'
_NAME_LIMIT = 2_000
_DIFF_LINES = {'+++': 'hunk', '---': 'hunk', '@@': 'hunk', '+': 'add', '-': 'del'}


def build_report(runs: Sequence[Judged], *, node: str, platform: str, date: str, left: int = 0) -> str:
    """Return the report of a suite as one HTML document that asks nothing of any server.

    `runs` are the judged runs in the order of the suite, `date` is the text to show as the date, `left` the number of
    scenarios that were not run. The same arguments give the same bytes. Everything that a model, a tool or a file
    wrote is escaped, and its control characters are spelled out.
    """
    style, script = (_asset(name) for name in ('report.css', 'report.js'))
    outcomes = tuple(run.outcome for run in runs)
    counts = count_outcomes(outcomes, left)
    numbered = [(number, run) for number, run in enumerate(runs, 1)]
    return (
        _environment()
        .get_template('report.html.jinja')
        .render(
            style=Markup(style),  # noqa: S704 (our own file)
            script=Markup(script),  # noqa: S704 (our own file)
            style_hash=_source_hash(style),
            script_hash=_source_hash(script),
            verdict=_verdict(outcomes),
            good=counts.met == counts.runs > 0,
            node=node,
            platform=platform,
            date=date,
            counts=counts,
            failed=[
                _run_view(number, run.outcome)
                for number, run in sorted(numbered, key=_not_judged_last)
                if not run.outcome.met
            ],
            families=[_family_view(name, group) for name, group in _grouped(numbered)],
            models=_model_views(outcomes),
        )
    )


def _not_judged_last(numbered: tuple[int, Judged]) -> bool:
    return bool(numbered[1].outcome.problem)


def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        finalize=_finalize,
        undefined=StrictUndefined,
        trim_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters['marked'] = _marked
    environment.globals['plural'] = plural
    return environment


def _finalize(value: Any) -> Any:
    """Spell out control characters in whatever the template prints, and bound it; escaping follows."""
    return visible(clip(value, _NAME_LIMIT)) if type(value) is str else value


def _marked(text: str) -> Markup:
    """Escape a text for an element, with its spelled-out characters marked, so that they differ from written ones."""
    return Markup('').join(
        Markup('<span class="esc">{}</span>').format(piece) if hidden else escape(piece)
        for piece, hidden in visible_pieces(text)
    )


def _asset(name: str) -> str:
    return (_TEMPLATES / name).read_text(encoding='utf-8')


def _source_hash(text: str) -> str:
    return 'sha256-' + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _verdict(outcomes: Sequence[Outcome]) -> str:
    failed = sum(not outcome.met for outcome in outcomes)
    if not outcomes:
        return 'Nothing was run'
    unjudged = sum(bool(outcome.problem) for outcome in outcomes)
    if not failed:
        return (
            'The run met its expectations'
            if len(outcomes) == 1
            else f'All {len(outcomes):,} runs met their expectations'
        )
    of = f'of {plural(len(outcomes), "run")}'
    if failed == unjudged:
        return f'{unjudged:,} {of} could not be judged'
    unmet = f'{failed - unjudged:,} {of} did not meet the expectations'
    return f'{unmet}, {unjudged:,} could not be judged' if unjudged else unmet


def _state(outcomes: Sequence[Outcome]) -> str:
    """Return the worst of some outcomes: `unmet`, `unjudged` or `met`."""
    if any(not outcome.met and not outcome.problem for outcome in outcomes):
        return 'unmet'
    return 'unjudged' if any(outcome.problem for outcome in outcomes) else 'met'


def _grouped(runs: list[tuple[int, Judged]]) -> list[tuple[str, list[tuple[int, Judged]]]]:
    families: dict[str, list[tuple[int, Judged]]] = {}
    for number, run in runs:
        families.setdefault(run.outcome.family, []).append((number, run))
    return list(families.items())


def _family_view(name: str, runs: list[tuple[int, Judged]]) -> dict[str, Any]:
    scenarios = [
        _scenario_view([*group])
        for _, group in itertools.groupby(runs, key=lambda numbered: numbered[1].outcome.scenario)
    ]
    return {
        'name': name,
        'anchor': f'family-{name}',
        'counts': count_outcomes(tuple(run.outcome for _, run in runs)),
        'scenarios': scenarios,
    }


def _scenario_view(runs: list[tuple[int, Judged]]) -> dict[str, Any]:
    scenario, outcome = runs[0][1].scenario, runs[0][1].outcome
    models = {run.outcome.model for _, run in runs if run.outcome.model}
    words = (scenario.id, scenario.title, scenario.family, scenario.level, *scenario.requirements, *sorted(models))
    asked, question = _question(scenario)
    return {
        'id': scenario.id,
        'title': scenario.title,
        'anchor': f'scenario-{scenario.id}',
        'words': ' '.join(words).lower(),
        'path': outcome.path,
        'level': scenario.level,
        'requirements': scenario.requirements,
        'why': scenario.why,
        'state': _state([run.outcome for _, run in runs]),
        'asked': asked,
        'question': question,
        'runs': [_run_view(number, run.outcome, run.record) for number, run in runs],
    }


def _question(scenario: Scenario) -> tuple[str, str]:
    if scenario.face == 'tool':
        return 'Input of the tool call', clip(as_text(scenario.input, indent=2), LIMIT)
    return 'Question', clip(scenario.question.text, LIMIT)


def _run_view(number: int, outcome: Outcome, record: RunRecord | None = None) -> dict[str, Any]:
    tags = [outcome.model] if outcome.model else []
    if outcome.run > 1:
        tags.append(f'run {outcome.run}')
    remarks = [plural(outcome.llm_calls, 'LLM call')] if record and record.turns else []
    if outcome.stop_reason:
        remarks.append(f'stop reason {outcome.stop_reason}')
    return {
        'anchor': f'run-{number}',
        'scenario': outcome.scenario,
        'title': outcome.title,
        'path': outcome.path,
        'tag': ', '.join(tags),
        'state': _state([outcome]),
        'solved': outcome.solved,
        'remarks': remarks,
        'problem': _diff_lines(outcome.problem),
        'findings': [_unmet_view(item) for item in outcome.findings],
        'blocks': transcript(record) if record else (),
    }


def _unmet_view(item: Unmet) -> dict[str, Any]:
    sides = not item.diff and not (item.expected is None and item.actual is None)
    return {
        'message': item.message,
        'path': item.path,
        'line': item.line,
        'column': item.column,
        'key': item.key,
        'sides': sides,
        'expected': _side(item.expected),
        'actual': _side(item.actual),
        'diff': _diff_lines(item.diff),
    }


def _side(value: Any) -> str:
    return '' if value is None else clip(as_text(value, indent=2), LIMIT)


class DiffLine(NamedTuple):
    """One line of a diff: `add`, `del`, `hunk` (a header) or `same`, and its text."""

    kind: str
    text: str


def _diff_lines(diff: str) -> list[DiffLine]:
    lines = clip(diff, LIMIT).removesuffix('\n').split('\n') if diff else []
    return [DiffLine(_diff_kind(line), line) for line in lines]


def _diff_kind(line: str) -> str:
    return next((kind for start, kind in _DIFF_LINES.items() if line.startswith(start)), 'same')


def _model_views(outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
    names = sorted({outcome.model for outcome in outcomes if outcome.model})
    views = []
    for name in names:
        own = [outcome for outcome in outcomes if outcome.model == name]
        views.append(
            {
                'name': name,
                'runs': len(own),
                'tasks': sum(outcome.solved is not None for outcome in own),
                'solved': sum(outcome.solved is True for outcome in own),
                'met': sum(outcome.met for outcome in own),
                'llm_calls': sum(outcome.llm_calls for outcome in own),
            }
        )
    return views
