"""Scenarios that say how canonical turns are read must say what llama-index-core's own parser says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from llama_index.core.agent.react import ReActOutputParser
from llama_index.core.agent.react.types import ActionReasoningStep, ResponseReasoningStep

from harness.scenario.loading import find_scenarios
from harness.suite import CHECKOUT

if TYPE_CHECKING:
    from harness.scenario import Scenario

CANONICAL = [
    file.scenario for file in find_scenarios(CHECKOUT / 'scenarios') if 'READ-40' in file.scenario.requirements
]


def test_there_are_such_scenarios() -> None:
    assert len(CANONICAL) >= 2


@pytest.mark.parametrize('scenario', CANONICAL, ids=[scenario.id for scenario in CANONICAL])
def test_the_library_reads_the_outputs_as_the_scenario_expects(scenario: Scenario) -> None:
    assert scenario.model is not None
    steps = [ReActOutputParser().parse(str(output.text)) for output in scenario.model.outputs]
    calls = [(step.action, step.action_input) for step in steps if isinstance(step, ActionReasoningStep)]
    answers = [step.response for step in steps if isinstance(step, ResponseReasoningStep)]

    assert calls == [(call.tool, call.input) for call in scenario.expect.calls or ()]
    assert scenario.expect.answer is not None
    assert answers == [scenario.expect.answer.equals]
