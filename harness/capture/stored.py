"""The first source: a run of a results store, with its scenario where the suite has it, else the record alone."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from pydantic import ValidationError

from harness.capture.behaviour import Asked, Behaviour, CaptureError
from harness.capture.recorded import calls_of, outputs_of, own, seen_of
from harness.capture.scripts import Nodes, filled, offered, python_of, stripped, unknown_results, without_agents
from harness.cassette import kept_path, spec_of
from harness.digest import asked_digest, file_digest
from harness.scenario.yamlfile import read_yaml
from harness.show.summary import stop_reason_of

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from pathlib import Path

    from harness.capture.behaviour import SeenCall
    from harness.capture.runs import Found
    from harness.record import RunRecord
    from harness.scenario import Scenario
    from harness.scenario.loading import ScenarioFile

_TAKEN: Final = ('question', 'face', 'input', 'config', 'llm_nodes', 'tools', 'time_limit_s')
"""The keys of a scenario that say what the node is asked."""

_TASK: Final = '### Current Task:\r\n    '
_SECTIONS: Final = re.compile(
    r'^### (System Instructions|Examples|Conversation History|Context|Documents|Ultimate Goal):\r$', re.MULTILINE
)
"""How the platform writes the parts of a question into a prompt."""


def behaviour_of(
    found: Found, original: ScenarioFile | None, cassettes: Path, python: Collection[str], given: dict[str, Any]
) -> Behaviour:
    """Return what a stored run shows of its model.

    `original` is the scenario of this id in the suite, where there is one; if it is what the run was asked, question,
    tools and configuration are taken from it. Else the record is all that there is. What is `given` (keys of a
    scenario) counts more. `python` are the functions in the `tools.py` beside the new scenario.

    Raises:
        CaptureError: nothing can be captured of this run, or something is missing that the record does not hold.
    """
    outputs = outputs_of(found)
    if original is not None and asked_digest(original) == found.result.asked:
        part = _with_scenario(found, original, cassettes, python, given)
    else:
        why = 'is not there' if original is None else 'has another question, other tools or another configuration now'
        part = _record_alone(found, given, f'the scenario {found.result.record.scenario} {why}')
    asked: list[dict[str, Any]] = part['asked']
    missing = unknown_results(asked[0].get('tools', []))
    part['unknown'] += (f'what {name} gives back: nobody called it, and a call raises' for name in missing)
    return Behaviour(outputs=outputs, seen=seen_of(found.result.record), **part)


def _ways(asked: dict[str, Any], calls: Sequence[SeenCall], tools: Sequence[Nodes]) -> list[dict[str, Any]]:
    """Return what is asked with its tools, of which there may be several kinds, scripted in each way that may do."""
    found: list[dict[str, Any]] = []
    for nodes in tools:
        for by_input in (True, False):
            way = {**asked, 'tools': filled(nodes, calls, by_input=by_input)} if nodes else asked
            if way not in found:
                found.append(way)
    return found


def _asked_model(record: RunRecord) -> tuple[Asked, list[str]]:
    """Return how the model was asked, as far as the record says it, and what it does not say."""
    if record.model is None:
        return Asked(name='scripted'), []
    known = {key: value for key, value in record.parameters.items() if key in Asked.model_fields}
    try:
        asked = Asked.model_validate({**known, 'name': record.model})
    except ValidationError:
        return Asked(name=record.model), ['how the model was asked: its parameters are none']
    return asked, ['the server and the seed of the model']


# ----------------------------------------------------------------------------------------- with the scenario of the run


def _with_scenario(
    found: Found, original: ScenarioFile, cassettes: Path, python: Collection[str], given: dict[str, Any]
) -> dict[str, Any]:
    record, scenario = found.result.record, original.scenario
    data = read_yaml(original.path).data
    asked = {key: data[key] for key in _TAKEN if key in data}
    if scenario.face == 'lane' and 'question' not in asked:
        asked = {'question': scenario.question.text, **asked}
    asked |= given
    known = [(tool.tool, tool.input_schema) for tool in own(record.offered)]
    nodes, agents = without_agents(asked.get('tools', []), known)
    calls = calls_of(record)
    kinds = [nodes]
    if 'tools' not in given:
        kept = [python] if set(python) & python_of(nodes) else []
        kinds = [stripped(nodes, calls, names) for names in (*kept, ())]
    model, unknown = _recorded_model(found, scenario, cassettes)
    return {
        'model': model,
        'asked': _ways(asked, calls, kinds),
        'question': given.get('question') or _question_of(scenario),
        'source': found.source,
        'unknown': [*unknown, *(f'the description of {name}, a child agent' for name in agents)],
    }


def _question_of(scenario: Scenario) -> str:
    if scenario.face == 'lane':
        return scenario.question.text
    query = scenario.input.get('query') if isinstance(scenario.input, dict) else None
    return query if isinstance(query, str) else ''


def _recorded_model(found: Found, scenario: Scenario, cassettes: Path) -> tuple[Asked, list[str]]:
    """Return how the model was asked, as the cassette of the run says it, where that is still there."""
    record = found.result.record
    if record.model is not None and found.result.cassette is not None:
        path = kept_path(cassettes, record.scenario, record.model, (record.epoch - 1) // scenario.runs + 1)
        if file_digest(path) == found.result.cassette:
            spec = spec_of(path).model_dump(include=set(Asked.model_fields))
            return Asked.model_validate({**spec, 'name': record.model}), []
    return _asked_model(record)


# ----------------------------------------------------------------------------------------------------- the record alone


def _record_alone(found: Found, given: dict[str, Any], why: str) -> dict[str, Any]:
    record = found.result.record
    model, unknown = _asked_model(record)
    asked: dict[str, Any] = dict(given)
    if 'question' not in given:
        asked['question'] = _question_in(own(record.turns)[0].prompt, why)
        unknown.append('the parts of the question: its text is taken from the prompt of the first turn')
    sections = sorted({match[1] for match in _SECTIONS.finditer(own(record.turns)[0].prompt)})
    if sections:
        unknown.append(f'what came with the question: the prompt also has {", ".join(sections)}')
    if 'config' not in given:
        asked |= {'config': {'require_tool_call': True}} if stop_reason_of(record) == 'guard' else {}
        unknown.append('the configuration of the node: give it with --config FILE')
    if 'tools' not in given:
        nodes = _offered(record)
        asked |= {'tools': nodes} if nodes else {}
        unknown += ['the descriptions of the tools: give tools with --tools FILE'] if nodes else []
    question = asked['question']
    if record.face == 'tool':
        asked = {'face': 'tool', 'input': {'query': asked.pop('question')}, **asked}
        unknown.append('the context that a parent agent passed')
    from_record = [key for key in ('question', 'tools') if key not in given]
    names = ' and '.join(from_record)
    return {
        'model': model,
        'asked': _ways(_in_order(asked), calls_of(record), [asked.get('tools', [])]),
        'question': question,
        'source': f'{found.source}; from the record: {names}' if names else found.source,
        'unknown': unknown,
        'remarks': [f'{why}: {names} {_are(from_record)} taken from the record alone'] if names else [],
    }


def _are(names: Sequence[str]) -> str:
    return 'is' if names == ['question'] else 'are'


def _in_order(asked: dict[str, Any]) -> dict[str, Any]:
    return {key: asked[key] for key in _TAKEN if key in asked}


def _offered(record: RunRecord) -> Nodes:
    schemas = {tool.tool: tool.input_schema for tool in own(record.offered)}
    called = (call.tool for call in own(record.calls))
    return offered([(name, schemas.get(name)) for name in dict.fromkeys([*schemas, *called])])


def _question_in(prompt: str, why: str) -> str:
    """Return the text of the question in a first prompt of the platform."""
    _, heading, rest = prompt.partition(_TASK)
    text = rest.removesuffix('\r\n\r\n')
    if not heading or _TASK in rest or text == rest or not text.strip():
        raise CaptureError(f'{why}, and the question cannot be told from the prompt: give --question TEXT')
    return text
