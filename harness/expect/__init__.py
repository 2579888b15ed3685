"""From a run record to findings: whether the node did what the scenario expects. Everything here is pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.expect.conduct import conduct_findings
from harness.expect.definition import definition_findings
from harness.expect.doors import door_findings
from harness.expect.everywhere import differing, nowhere_findings
from harness.expect.finding import Finding, View, view_of
from harness.expect.invariants import invariant_findings
from harness.expect.payloads import payload_findings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harness.record import RunRecord
    from harness.scenario import Scenario
    from harness.scenario.expectation import Expectation
    from harness.scenario.yamlnode import Loc

__all__ = ['Finding', 'findings', 'was_cut_short']


def findings(scenario: Scenario, record: RunRecord, earlier: Sequence[RunRecord] = ()) -> tuple[Finding, ...]:
    """Return the unmet expectations of one run, those of every run first.

    `earlier` are the runs of the same scenario that were made before. What `expect` says is checked, and in addition
    what `models` says of the recorded model of this run. The key path of a finding leads to the expectation in the
    scenario file; for what holds of every run it is `expect` as a whole. The level of a finding is that of the
    scenario, and `hardening` where the expectation stands under that key.
    """
    layers = _layers(scenario, record)
    may_raise = any(expectation.raises is not None for _, expectation in layers)
    found = [*conduct_findings(record), *invariant_findings(record, may_raise)]
    # What a run that was cut short did not do is one finding, not one for everything that could not happen any more.
    raised = record.raised is not None and not may_raise
    if record.stopped is None and not (raised and _nothing_passed(record)):
        for loc, expectation in layers:
            found += _judge(expectation, view_of(record), loc, raised)
            found += differing(expectation, record, earlier, loc)
            for agent, child in expectation.agents.items():
                found += _judge(child, view_of(record, agent), (*loc, 'agents', agent), False)
    return tuple(_levelled(scenario, item) for item in found)


def was_cut_short(scenario: Scenario, record: RunRecord) -> bool:
    """Tell whether a run was stopped, or ended with an exception that the scenario does not expect."""
    if record.stopped is not None:
        return True
    return record.raised is not None and all(layer.raises is None for _, layer in _layers(scenario, record))


def _layers(scenario: Scenario, record: RunRecord) -> list[tuple[Loc, Expectation]]:
    """Return the expectations that hold of a run, with their key paths."""
    layers: list[tuple[Loc, Expectation]] = [(('expect',), scenario.expect)]
    if scenario.hardening is not None:
        layers.append((('hardening',), scenario.hardening))
    if record.model is not None and record.model in scenario.models:
        layers.append((('models', record.model), scenario.models[record.model]))
    return layers


def _nothing_passed(record: RunRecord) -> bool:
    return not (record.turns or record.calls or record.events or record.lane_writes)


def _levelled(scenario: Scenario, item: Finding) -> Finding:
    beyond = scenario.level == 'hardening' or item.loc[:1] == ('hardening',)
    return item.model_copy(update={'level': 'hardening'}) if beyond else item


def _judge(expectation: Expectation, view: View, loc: Loc, explained: bool) -> Iterator[Finding]:
    yield from payload_findings(expectation, view, loc, explained)
    yield from door_findings(expectation, view, loc)
    yield from definition_findings(expectation, view, loc)
    yield from nowhere_findings(expectation, view, loc)
