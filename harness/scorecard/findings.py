"""What the gate stops at: the runs that did not meet their expectations, and what became of runs since the baseline."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from harness.gate.steady import steady_telling
from harness.show.gate import STYLES, by_effect
from harness.show.visible import clip, visible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from harness.gate.change import Comparison, RunChange
    from harness.scenario.loading import ScenarioFile
    from harness.scorecard.data import Collected
    from harness.scorecard.overview import Model
    from harness.secrets import Guard
    from harness.show.summary import Outcome, Unmet

_MOST: Final = 40
_MOST_FINDINGS: Final = 5
_TEXT: Final = 600


def unmet_json(collected: Collected, models: Sequence[Model], guard: Guard) -> dict[str, Any]:
    """Return the first runs that did not meet their expectations, what gates before the rest, with their findings.

    A run is told by its number; a finding by its message and its place in the file of the scenario, empty where that is
    not there. `more` is how many such runs are left out.
    """
    by_model = {(model.name, model.parameters): number for number, model in enumerate(models)}
    found = [(number, run) for number, run in enumerate(collected.runs) if not run.outcome.met]
    found.sort(key=lambda item: by_effect(item[1].outcome))
    return {
        'more': max(0, len(found) - _MOST),
        'runs': [
            {
                'run': number,
                'scenario': visible(run.id.scenario),
                'title': visible(clip(guard.mask(run.outcome.title), _TEXT)),
                'model': by_model[run.row.model, run.row.parameters] if run.row is not None else -1,
                'epoch': run.id.epoch,
                'effect': run.outcome.effect,
                'change': run.outcome.change or '',
                'problem': _told(run.outcome.problem),
                **_findings(run.outcome, collected.files.get(run.id.scenario)),
            }
            for number, run in found[:_MOST]
        ],
    }


def _findings(outcome: Outcome, file: ScenarioFile | None) -> dict[str, Any]:
    told = [[_told(item.message), _place(item, file)] for item in outcome.findings[:_MOST_FINDINGS]]
    return {'findings': told, 'left': max(0, len(outcome.findings) - _MOST_FINDINGS)}


def _told(text: str) -> str:
    return visible(clip(steady_telling(text), _TEXT))


def _place(item: Unmet, file: ScenarioFile | None) -> str:
    return f'{path_of(file)}:{item.line}:{item.column}' if file is not None else ''


def path_of(file: ScenarioFile) -> str:
    """Return where a scenario is, from the folder of the scenarios on: that is the same on every machine."""
    return visible('/'.join(file.path.absolute().parts[-3:]))


def baseline_json(compared: Comparison | None) -> dict[str, Any] | None:
    """Return what became of the runs since the baseline: how many of what, and the first ones, the worst before all."""
    if compared is None:
        return None
    order = list(STYLES)
    changes = sorted(compared.changes, key=lambda change: order.index(change.change))
    return {
        'file': visible(Path(compared.file).name),
        'counts': compared.counts.model_dump(mode='json'),
        'changes': [_change(change) for change in changes[:_MOST]],
        'more': max(0, len(changes) - _MOST),
    }


def _change(change: RunChange) -> Mapping[str, Any]:
    return {
        'scenario': visible(change.scenario),
        'name': visible(change.model or ''),
        'epoch': change.run,
        'change': change.change,
        'before': change.before or '',
        'after': change.after or '',
        'appeared': [_told(text) for text in change.appeared[:_MOST_FINDINGS]],
        'went': [_told(text) for text in change.went[:_MOST_FINDINGS]],
    }
