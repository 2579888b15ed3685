"""SARIF 2.1.0: each finding at its line of the scenario file, for GitHub code scanning and every other reader of it.

A scenario is a rule: its title is what an alert is called, the sentences of the requirements that it proves are the
help text. The requirements themselves are a taxonomy that the rules refer to, for a finding breaks an expectation, and
which one of several sentences that was is not for a machine to say.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from harness.gate.change import RunKey, signature
from harness.gate.verdict import EXIT_CODES, key_of
from harness.outputs.words import gone_runs, plain, run_name, sides
from harness.show.visible import clip, one_line, plural, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from harness.gate.change import RunChange
    from harness.outputs.places import Places
    from harness.scenario import Scenario
    from harness.scenario.register import Requirement
    from harness.show.summary import Outcome, Summary, Unmet

SCHEMA: Final = 'https://json.schemastore.org/sarif-2.1.0.json'
MAX_RESULTS: Final = 5_000
"""As many as code scanning shows of one run; a file with very many more is refused as a whole."""

_ROOT: Final = '%SRCROOT%'
_TAXONOMY: Final = 'requirements'
_TAGS: Final = 10
_SHORT, _LONG = 1_000, 4_000
_LEVELS: Final = {'required': 'error', 'hardening': 'warning'}


def sarif_text(
    summary: Summary,
    scenarios: Iterable[Scenario],
    *,
    places: Places,
    register: Sequence[Requirement] = (),
    version: str = '0.0.0',
) -> str:
    """Return the outcome of a suite as a SARIF log with one run.

    `scenarios` are those that were run, `register` the requirements of the suite, `version` that of the harness.
    The same arguments give the same bytes, and the fingerprint of a finding is the same as long as the same
    expectation of the same run is unmet, whatever came instead.
    """
    rules = {scenario.id: scenario for scenario in scenarios}
    log = {'$schema': SCHEMA, 'version': '2.1.0', 'runs': [_run(summary, rules, places, register, version)]}
    return json.dumps(log, ensure_ascii=False) + '\n'


def _run(
    summary: Summary,
    scenarios: dict[str, Scenario],
    places: Places,
    register: Sequence[Requirement],
    version: str,
) -> dict[str, Any]:
    taxa = {item.id: number for number, item in enumerate(register)}
    index = {name: number for number, name in enumerate(scenarios)}
    changes = {_key(change): change for change in summary.baseline.changes} if summary.baseline else {}
    found = [result for outcome in summary.results for result in _results(summary, outcome, index, changes, places)]
    notes = [*_notifications(summary, index, places), *_cut(len(found))]
    return {
        'tool': {
            'driver': {
                'name': 'react-harness',
                'semanticVersion': version,
                'rules': [_rule(scenario, register, taxa) for scenario in scenarios.values()],
                **({'supportedTaxonomies': [{'name': _TAXONOMY, 'index': 0}]} if register else {}),
            }
        },
        **({'taxonomies': [_taxonomy(register)]} if register else {}),
        'automationDetails': {'id': f'react-harness/{_line(summary.node).replace("/", "_")}/'},
        'columnKind': 'unicodeCodePoints',
        'originalUriBaseIds': {_ROOT: {'description': {'text': 'The root of the repository.'}}},
        'invocations': [
            {
                'executionSuccessful': all(note['level'] != 'error' for note in notes),
                'exitCode': EXIT_CODES[summary.verdict],
                'toolExecutionNotifications': notes,
            }
        ],
        'results': sorted(found, key=lambda result: str(result['level']))[:MAX_RESULTS],
        'properties': {
            'node': _line(summary.node),
            'platform': _line(summary.platform),
            'gates': summary.level,
            'verdict': summary.verdict,
            'reason': _line(summary.reason),
        },
    }


def _rule(scenario: Scenario, register: Sequence[Requirement], taxa: dict[str, int]) -> dict[str, Any]:
    level = _LEVELS[scenario.level]
    proves = [register[taxa[name]] for name in scenario.requirements if name in taxa]
    sentences = [f'{item.id} ({item.level}): {_line(item.text)}' for item in proves]
    why = [_line(scenario.why)] if scenario.why else []
    title = clip(_line(scenario.title), _SHORT)
    rule: dict[str, Any] = {
        'id': scenario.id,
        'shortDescription': {'text': title},
        'fullDescription': {'text': clip(' '.join(why) or title, _SHORT)},
        'help': {'text': '\n'.join([*why, *sentences, f'Look closer: react-harness run {scenario.id} -v'])},
        'defaultConfiguration': {'level': level},
        'properties': {
            'tags': [scenario.family, scenario.level, *map(_line, scenario.requirements)][:_TAGS],
            'precision': 'very-high',
            'problem.severity': level,
        },
    }
    if proves:
        component = {'name': _TAXONOMY, 'index': 0}
        rule['relationships'] = [
            {'target': {'id': item.id, 'index': taxa[item.id], 'toolComponent': component}, 'kinds': ['relevant']}
            for item in proves
        ]
    return rule


def _taxonomy(register: Sequence[Requirement]) -> dict[str, Any]:
    return {
        'name': _TAXONOMY,
        'shortDescription': {'text': 'What a node has to do, one checkable sentence each.'},
        'taxa': [
            {
                'id': item.id,
                'shortDescription': {'text': _line(item.text)},
                'defaultConfiguration': {'level': _LEVELS[item.level]},
            }
            for item in register
        ],
    }


def _results(
    summary: Summary, outcome: Outcome, index: dict[str, int], changes: dict[RunKey, RunChange], places: Places
) -> Iterator[dict[str, Any]]:
    seen: Counter[str] = Counter()
    for unmet in outcome.findings:
        seen[unmet.key] += 1
        mark = _fingerprint(outcome, unmet.key, seen[unmet.key])
        state = _state(outcome, unmet, changes.get(key_of(outcome)))
        gates = (
            outcome.effect == 'fail'
            and state != 'unchanged'
            and (unmet.level == 'required' or summary.level == 'hardening')
        )
        yield {
            'ruleId': outcome.scenario,
            'ruleIndex': index[outcome.scenario],
            'kind': 'fail',
            'level': _LEVELS[unmet.level],
            'message': {'text': _message(outcome, unmet)},
            'locations': [_location(unmet.path, places, unmet)],
            # Code scanning knows results again by the first one only, whatever line they have moved to.
            'partialFingerprints': {'primaryLocationLineHash': mark, 'reactHarness/v1': mark},
            **({'baselineState': state} if outcome.change is not None else {}),
            'properties': {
                'family': outcome.family,
                'model': _line(outcome.model) if outcome.model else None,
                'run': outcome.run,
                'key': _line(unmet.key),
                'gates': gates,
            },
        }


def _message(outcome: Outcome, unmet: Unmet) -> str:
    head = f'{run_name(outcome)}: {one_line(clip(unmet.message, _LONG))} ({one_line(unmet.key)})'
    return _unlinked('\n\n'.join(filter(None, [plain(head), sides(unmet)])))


def _unlinked(text: str) -> str:
    """Keep what a model wrote from being an embedded link, which SARIF has in plain messages too."""
    return text.replace('](', '\\](')


def _location(path: str, places: Places, unmet: Unmet | None = None) -> dict[str, Any]:
    artifact = {'uri': places.uri(path)}
    if places.inside(path) is not None:
        artifact['uriBaseId'] = _ROOT
    location: dict[str, Any] = {'physicalLocation': {'artifactLocation': artifact}}
    if unmet is not None:
        region = {'startLine': unmet.line, 'startColumn': unmet.column, 'endLine': unmet.line}
        location['physicalLocation']['region'] = region
        location['logicalLocations'] = [{'fullyQualifiedName': _line(unmet.key), 'kind': 'member'}]
    return location


def _fingerprint(outcome: Outcome, key: str, nth: int) -> str:
    named = json.dumps([outcome.scenario, outcome.model, outcome.run, key])
    return f'{hashlib.sha256(named.encode()).hexdigest()[:16]}:{nth}'


def _state(outcome: Outcome, unmet: Unmet, change: RunChange | None) -> str:
    """Return what became of one finding: `updated` where the same expectation was unmet in another way."""
    if outcome.change is None:
        return 'new'
    if change is None or signature(unmet.key, unmet.message, unmet.actual) not in change.appeared:
        return 'unchanged'
    return 'updated' if any(old.startswith(f'{unmet.key}: ') for old in change.went) else 'new'


def _notifications(summary: Summary, index: dict[str, int], places: Places) -> Iterator[dict[str, Any]]:
    for outcome in summary.results:
        if outcome.problem:
            yield {
                'level': 'error' if outcome.effect == 'inconclusive' else 'warning',
                'message': {'text': _unlinked(plain(f'{run_name(outcome)}: {visible(clip(outcome.problem, _LONG))}'))},
                'locations': [_location(outcome.path, places)],
                'associatedRule': {'id': outcome.scenario, 'index': index[outcome.scenario]},
            }
    for name in gone_runs(summary):
        yield {'level': 'error', 'message': {'text': f'{plain(name)}: the baseline knows this run, and it is gone'}}
    if summary.counts.left:
        left = f'{plural(summary.counts.left, "scenario")} not run: a failure ended the run early'
        yield {'level': 'error', 'message': {'text': left}}
    if not summary.results:
        yield {'level': 'error', 'message': {'text': _line(summary.reason)}}


def _cut(results: int) -> Iterator[dict[str, Any]]:
    if results > MAX_RESULTS:
        yield {'level': 'note', 'message': {'text': f'{plural(results - MAX_RESULTS, "result")} left out'}}


def _key(change: RunChange) -> RunKey:
    return RunKey(change.scenario, change.model or '', change.run)


def _line(text: str) -> str:
    return plain(one_line(text))
