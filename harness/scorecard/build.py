"""The builder: results stores, scenarios and what is to be compared, made into a page and badges."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from harness.gate.diff import diff_of
from harness.gate.verdict import Gate, verdict_of
from harness.metrics.rows import NOT_ASKED
from harness.scorecard.badges import Badge, count_badge, share_badge, text_width, told_apart
from harness.scorecard.data import collect, opened
from harness.scorecard.findings import baseline_json, unmet_json
from harness.scorecard.index import (
    FLAGS,
    LETTERS,
    MARKS,
    STATES,
    conformance_json,
    index_json,
    signatures_json,
)
from harness.scorecard.overview import (
    FORMS,
    OUTCOMES,
    comparisons_json,
    descriptions,
    families_json,
    figures_json,
    models_of,
    scored,
)
from harness.scorecard.pack import as_json, packed
from harness.scorecard.page import page
from harness.scorecard.settings import settings_json
from harness.scorecard.words import METHOD, PUBLISHED, legend
from harness.secrets import Guard
from harness.show.score import NOT_MEASURED
from harness.show.summary import count_outcomes
from harness.show.visible import clip, json_safe, percent, visible

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from harness import results as store
    from harness.gate.change import State
    from harness.gate.diff import Store
    from harness.matrix.models import Prices
    from harness.metrics.figures import Score
    from harness.metrics.statistics import Rate
    from harness.scenario.loading import ScenarioFile
    from harness.scenario.register import Requirement
    from harness.scorecard.data import Collected
    from harness.scorecard.overview import Model
    from harness.verdicts.turns import Corrupts

CARD_VERSION: Final = 2
_MOST_CHANGED: Final = 2_000
_DIGEST: Final = 12
_TEXT: Final = 4_000


class Scorecard(NamedTuple):
    """A page as HTML, and its badges."""

    html: str
    badges: tuple[Badge, ...]
    runs: int


def build_scorecard(
    stores: Sequence[Path | Store],
    files: Sequence[ScenarioFile],
    register: Sequence[Requirement],
    *,
    gate: Gate | None = None,
    left: Collection[str] = (),
    whole: bool = False,
    chosen: bool = False,
    before: Path | None = None,
    corrupts: Corrupts | None = None,
    not_asked: str = NOT_ASKED,
    moment: datetime | None = None,
    prices: Mapping[str, Prices] | None = None,
    served: Mapping[str, str] | None = None,
) -> Scorecard:
    """Return the scorecard of results stores, each the path of one or one that was never written.

    `files` and `register` are the scenarios and requirements as they are now, which may be none; `chosen` says that the
    scenarios are a part of their suite. For `left` and `whole` see `Gate.comparison`. `before` is an earlier store to
    compare with. `moment` is told as the date of all stores, for pages that are the same byte for byte. `prices` are
    those of the models by their names, `served` the names that servers know them by: models with the same one differ in
    their parameters only.

    Raises:
        ResultsError: a store cannot be used.
        UsageError: the stores do not belong together, or are empty.
        SecretFound: something looks like a key.
    """
    gate, guard = gate or Gate(), Guard.of_environment()
    collected = collect(stores, files, gate, corrupts, not_asked, guard)
    found = scored(collected, prices)
    models = models_of(found)
    signatures, signature_runs, more = signatures_json(collected, models)
    index = index_json(collected, models)
    index['signatureRuns'] = signature_runs
    index['requirements'] = conformance_json(register, collected.files, chosen=chosen) if register else []
    packs = {
        'index': [packed(as_json(index), guard, 'the index of the scorecard')],
        'run': collected.chunks,
        'text': collected.pool.close(),
    }
    if before is not None:
        packs['diff'] = [packed(as_json(_diff(before, stores[0])), guard, 'the difference of two stores')]
    badges = _badges(collected, found, models)
    card = {
        'version': CARD_VERSION,
        'node': visible(collected.sources[0].head.node),
        'stores': [_store(source.file, source.head, source.runs, moment) for source in collected.sources],
        'runs': len(collected.runs),
        'replaced': collected.replaced,
        **_verdict(collected, gate, left, whole),
        'unmet': unmet_json(collected, models, guard),
        'models': [{'name': visible(m.name), 'parameters': visible(m.parameters), 'slug': m.slug} for m in models],
        'figures': figures_json(found, models, collected),
        'families': families_json(collected),
        'descriptions': descriptions(),
        'comparisons': comparisons_json(found.comparisons, models),
        'notMeasured': {key: visible(reason) for key, reason in found.not_measured.items()},
        'settings': settings_json(collected, models, served),
        'signatures': signatures,
        'moreSignatures': more,
        'words': {
            'forms': [form.value for form in FORMS],
            'letters': ''.join(LETTERS[form] for form in FORMS),
            'outcomes': [outcome.value for outcome in OUTCOMES],
            'flags': [flag.value for flag in FLAGS],
            'states': list(STATES),
            'marks': list(MARKS),
        },
        'legend': legend(),
        'method': list(METHOD),
        'published': [item.model_dump() for item in PUBLISHED],
        'badges': [_badge(badge) for badge in badges],
        'hasDiff': before is not None,
        'hasScenarios': bool(collected.files),
        'textStarts': collected.pool.starts(),
    }
    return Scorecard(page(card, packs, _fallback(found, models)), badges, len(collected.runs))


def _store(file: str, head: store.Header, runs: int, moment: datetime | None) -> dict[str, Any]:
    return {
        'file': visible(Path(file).name),
        'node': visible(head.node),
        'nodeDigest': head.node_digest[:_DIGEST],
        'suite': head.suite[:_DIGEST],
        'platform': visible(head.platform),
        'versions': {visible(name): visible(version) for name, version in sorted(head.versions.items())},
        'created': (moment or head.created).astimezone(UTC).strftime('%Y-%m-%d %H:%M UTC'),
        'runs': runs,
    }


def _verdict(collected: Collected, gate: Gate, left: Collection[str], whole: bool) -> dict[str, Any]:
    outcomes = [run.outcome for run in collected.runs]
    compared = gate.comparison(outcomes, left, whole)
    verdict, reason = verdict_of(outcomes, gate, compared, len(left))
    return {
        'verdict': verdict,
        'reason': visible(reason),
        'level': gate.level,
        'counts': count_outcomes(outcomes, len(left)).model_dump(mode='json'),
        'baseline': baseline_json(compared),
        'unrecorded': sum(run.task and run.row is None and run.state == 'not_judged' for run in collected.runs),
    }


def _badges(collected: Collected, found: Score, models: Sequence[Model]) -> tuple[Badge, ...]:
    states = Counter(_standing(runs) for runs in _by_scenario(collected).values())
    judged = states['met'] + states['failed']
    badges = [count_badge('conformance', 'conformance', states['met'], judged, states['not_judged'])]
    figures = {(item.model, item.parameters): item for item in found.figures if not item.family}
    for model in models:
        item = figures[model.name, model.parameters]
        for key in ('strict', 'solved'):
            rate: Rate = getattr(item, key)
            badges.append(share_badge(f'{key}-{model.slug}', f'{key} {model.name}', rate))
    return told_apart(badges)


def _by_scenario(collected: Collected) -> dict[str, list[State]]:
    found: dict[str, list[State]] = {}
    for run in collected.runs:
        found.setdefault(run.id.scenario, []).append(run.state)
    return found


def _standing(states: Sequence[State]) -> State:
    """Return how a scenario stands: met only where each of its runs was judged and met."""
    return 'failed' if 'failed' in states else 'not_judged' if 'not_judged' in states else 'met'


def _badge(badge: Badge) -> dict[str, Any]:
    label, message = visible(badge.label), visible(badge.message)
    return {
        'name': badge.name,
        'label': label,
        'message': message,
        'colour': badge.colour,
        'widths': [text_width(label) + 12, text_width(message) + 12],
    }


def _diff(before: Path, after: Path | Store) -> dict[str, Any]:
    """Return what differs between two stores; of very many runs the first ones."""
    first, second = (one._replace(file=Path(one.file).name) for one in map(opened, (before, after)))
    found = diff_of(first, second).model_dump(mode='json')
    found['left'] = max(0, len(found['runs']) - _MOST_CHANGED)
    found['runs'] = found['runs'][:_MOST_CHANGED]
    return dict(_visible(json_safe(found)))


def _visible(value: Any) -> Any:
    if isinstance(value, str):
        return visible(clip(value, _TEXT))
    if isinstance(value, dict):
        return {visible(key): _visible(item) for key, item in value.items()}
    return [_visible(item) for item in value] if isinstance(value, list) else value


def _fallback(found: Score, models: Sequence[Model]) -> list[dict[str, str]]:
    figures = {(item.model, item.parameters): item for item in found.figures if not item.family}
    rows = []
    for model in models:
        item = figures[model.name, model.parameters]
        rows.append(
            {
                'model': f'{model.name} {model.parameters}'.strip(),
                'runs': f'{item.scored} of {item.planned}',
                'strict': _share(item.strict),
                'solved': _share(item.solved),
            }
        )
    return rows


def _share(found: Rate | None) -> str:
    if found is None:
        return NOT_MEASURED
    if found.value is None or found.low is None or found.high is None:
        return 'missing'
    return f'{percent(found.value)} [{100 * found.low:.0f}, {100 * found.high:.0f}] n={found.n}'
