"""Coverage: which scenarios prove which requirement, and what is not proven well enough; all of it is pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from pydantic import Field

from harness.record import Frozen
from harness.scenario.explain import nearest
from harness.scenario.loading import REQUIREMENTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from harness.scenario import Scenario
    from harness.scenario.loading import ScenarioFile
    from harness.scenario.register import Requirement
    from harness.scenario.yamlnode import FileProblem

COVERAGE_VERSION: Final = 1
WANTED: Final = 2
"""How many scenarios of different shape prove a `required` requirement."""


class Covered(Frozen):
    """One requirement, the scenarios that name it, and what is missing."""

    id: str = Field(description='The requirement.')
    level: Literal['required', 'hardening'] = Field(description='required: the contract says so; hardening: beyond it.')
    text: str = Field(description='The sentence.')
    line: int = Field(ge=1, description='Its line in requirements.yaml.')
    scenarios: tuple[str, ...] = Field(description='The scenarios that prove it.')
    shapes: int = Field(ge=0, description='How many of the scenarios of its own level differ in shape.')
    missing: str = Field(default='', description='What is missing, or empty.')

    @property
    def covered(self) -> bool:
        """Whether it is proven well enough."""
        return not self.missing


class Coverage(Frozen):
    """What `react-harness coverage --json` prints."""

    version: Literal[1] = COVERAGE_VERSION
    scenarios: int = Field(ge=0, description='The number of scenarios.')
    requirements: tuple[Covered, ...] = Field(description='All requirements, in the order of the register.')

    @property
    def covered(self) -> int:
        """How many requirements are proven well enough."""
        return sum(item.covered for item in self.requirements)


def coverage(register: Iterable[Requirement], scenarios: Sequence[Scenario]) -> Coverage:
    """Count for each requirement the scenarios that name it.

    A requirement of either level needs a scenario. A `required` one needs two of the level `required` that differ in
    shape, so that no single way of asking is taken for the rule.
    """
    return Coverage(
        scenarios=len(scenarios),
        requirements=tuple(
            _covered(item, [scenario for scenario in scenarios if item.id in scenario.requirements])
            for item in register
        ),
    )


def _covered(item: Requirement, naming: Sequence[Scenario]) -> Covered:
    own = [scenario for scenario in naming if scenario.level == 'required' or item.level == 'hardening']
    shapes = len({shape(scenario) for scenario in own})
    missing = ''
    if not naming:
        missing = 'no scenario proves it'
    elif item.level == 'required' and shapes < WANTED:
        at = f'{shapes} of them' if shapes else 'none of them'
        missing = f'{WANTED} scenarios of the level required and of different shape are wanted, there is {at}'
    return Covered(
        id=item.id,
        level=item.level,
        text=item.text,
        line=item.line,
        scenarios=tuple(scenario.id for scenario in naming),
        shapes=shapes,
        missing=missing,
    )


Shape = tuple[object, ...]


def shape(scenario: Scenario) -> Shape:
    """Return what two scenarios must differ in to be of different shape.

    These are the family, the face, the keys of the configuration, the number of LLM nodes and of runs, the parts of
    the question, the number of functions and of child agents, what the tools do, and whether the model side is scripted
    and how long it is. Names, texts and expectations do not count.
    """
    nodes = scenario.tools
    functions = [function for node in nodes for function in node.functions]
    does = {
        key
        for function in functions
        for result in (function, *(function.calls or ()), *(function.matches or ()))
        for key in ('returns', 'text', 'raises', 'python', 'calls', 'matches')
        if key in result.model_fields_set
    }
    outputs = None if scenario.model is None else len(scenario.model.outputs)
    return (
        scenario.family,
        scenario.face,
        tuple(sorted(scenario.config)),
        scenario.llm_nodes,
        scenario.runs,
        tuple(sorted(scenario.question.model_fields_set)),
        len(functions),
        sum(node.agent is not None for node in nodes),
        sum(node.dead for node in nodes),
        tuple(sorted(does)),
        outputs,
    )


def unknown_ids(register: Iterable[Requirement], files: Iterable[ScenarioFile]) -> Iterator[FileProblem]:
    """Yield the requirement ids of scenarios that the register does not have, at their places in the files."""
    known = [item.id for item in register]
    for file in files:
        for number, name in enumerate(file.scenario.requirements):
            if name not in known:
                like = nearest(name, known)
                hint = f'did you mean {like}?' if like else f'add it to {REQUIREMENTS}'
                yield file.problem(('requirements', number), f'there is no requirement {name}', hint)


def coverage_schema() -> dict[str, object]:
    """Return the JSON Schema (draft 2020-12) of what `react-harness coverage --json` prints."""
    return {
        '$schema': 'https://json-schema.org/draft/2020-12/schema',
        '$id': f'urn:react-harness:coverage:{COVERAGE_VERSION}',
        **Coverage.model_json_schema(mode='serialization'),
        'title': 'Coverage of the requirements',
    }
