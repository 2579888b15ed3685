"""The first source: a run of a results store."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from harness.capture.behaviour import Asked, Behaviour, CaptureError, Output, Seen, SeenCall, whole
from harness.capture.proposal import steps_of
from harness.capture.scripts import Nodes, filled, offered, python_of, stripped, unknown_results, without_agents
from harness.cassette import kept_path, spec_of
from harness.digest import asked_digest, file_digest
from harness.expect.finding import NODE
from harness.llm_errors import status_error
from harness.record import Offered, RunRecord, ToolCall, Turn
from harness.results import RESULTS, Header, StoredResult
from harness.scenario import ErrorReply
from harness.scenario.explain import nearest
from harness.scenario.yamlfile import read_yaml
from harness.show.summary import answer_of, stop_reason_of
from harness.show.visible import one_line, plural

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from pathlib import Path

    from harness.scenario import Scenario
    from harness.scenario.loading import ScenarioFile

_Part = TypeVar('_Part', Turn, ToolCall, Offered)
_TAKEN: Final = ('question', 'face', 'input', 'config', 'llm_nodes', 'tools', 'time_limit_s')
"""The keys of a scenario that say what the node is asked."""

_TASK: Final = '### Current Task:\r\n    '
_SECTIONS: Final = re.compile(
    r'^### (System Instructions|Examples|Conversation History|Context|Documents|Ultimate Goal):\r$', re.MULTILINE
)
"""How the platform writes the parts of a question into a prompt."""


class Found(NamedTuple):
    """A run of a store, with its line and the header of the store."""

    path: Path
    line: int
    head: Header
    result: StoredResult

    @property
    def name(self) -> str:
        record = self.result.record
        return f'{record.scenario} with {record.model or "its script"}, epoch {record.epoch}'


def find_run(
    path: Path, scenario: str, model: str | None = None, epoch: int | None = None, line: int | None = None
) -> Found:
    """Return the one run of a store that fits; runs that are the same to the letter count as one.

    Raises:
        ResultsError: the store cannot be read.
        CaptureError: no run fits, or several do; the message lists them, or names the nearest.
    """
    head = RESULTS.read_header(path)
    names: set[str] = set()
    runs: list[Found] = []
    for number, result in RESULTS.entries(path):
        names.add(result.record.scenario)
        if result.record.scenario == scenario:
            runs.append(Found(path, number, head, result))
    if not runs:
        like = nearest(scenario, names)
        hint = f'did you mean {like!r}?' if like else f'there are {", ".join(sorted(names)[:8]) or "none"}'
        raise CaptureError(f'{path}: there is no run of {scenario!r}: {hint}')
    fit = [
        run
        for run in runs
        if model in (None, run.result.record.model)
        and epoch in (None, run.result.record.epoch)
        and line in (None, run.line)
    ]
    if not fit:
        raise CaptureError('\n'.join([f'{path}: no run of {scenario} fits; there are', *_rows(runs)]))
    different = {_of_the_model(run.result.record): run for run in fit}
    if len(different) > 1:
        first = f'{path}: {len(different)} runs of {scenario} fit: choose one with --model, --epoch or --line'
        raise CaptureError('\n'.join([first, *_rows(different.values())]))
    return fit[-1]


def _of_the_model(record: RunRecord) -> tuple[Any, ...]:
    said = tuple((turn.agent, turn.prompt, turn.output, turn.error) for turn in record.turns)
    return record.model, said, tuple(repr(call) for call in record.calls)


def _rows(runs: Any) -> Iterator[str]:
    for run in runs:
        record = run.result.record
        side = f'model {record.model}' if record.model is not None else 'scripted'
        turns = plural(len(record.turns), 'turn')
        reason = stop_reason_of(record)
        yield one_line(f'  line {run.line}: {side}, epoch {record.epoch}: {turns}, {reason or "no stop reason"}')


def behaviour_of(
    found: Found,
    original: ScenarioFile | None,
    cassettes: Path,
    python: Collection[str] = (),
    *,
    given: dict[str, Any] | None = None,
) -> Behaviour:
    """Return what a stored run shows of its model.

    `original` is the scenario of this id in the suite, where there is one; what it asks is taken from it if it is what
    the run was asked. Else the record is all that there is, and `given` (keys of a scenario) counts. `python` are the
    functions in the `tools.py` beside the new scenario.

    Raises:
        CaptureError: nothing can be captured of this run, or something is missing that the record does not hold.
    """
    record = found.result.record
    _check(found)
    when = found.head.created.date().isoformat()
    source = f'captured from {found.path.name} of {when}: {found.name}, node {found.head.node}'
    if original is not None and asked_digest(original) == found.result.asked and not given:
        return _with_scenario(found, original, cassettes, python, source)
    why = 'has another question, other tools or another configuration now' if original is not None else 'is not there'
    return _record_alone(found, given or {}, source, '' if given else f'the scenario {record.scenario} {why}')


def _check(found: Found) -> None:
    record, where = found.result.record, f'{found.path}:{found.line}'
    if found.result.problem is not None:
        reason = found.result.problem.partition('\n')[0]
        raise CaptureError(f'{where}: that run was not judged, so it shows nothing: {reason}')
    if record.stopped is not None:
        raise CaptureError(f'{where}: that run was broken off, so it is not whole: {record.stopped.message}')
    if not _own(record.turns):
        raise CaptureError(f'{where}: that run asked no model, so there is nothing to capture')


# ----------------------------------------------------------------------------------------- with the scenario of the run


def _with_scenario(
    found: Found, original: ScenarioFile, cassettes: Path, python: Collection[str], source: str
) -> Behaviour:
    record, scenario = found.result.record, original.scenario
    data = read_yaml(original.path).data
    asked = {key: data[key] for key in _TAKEN if key in data}
    if scenario.face == 'lane' and 'question' not in asked:
        asked = {'question': scenario.question.text, **asked}
    nodes, agents = without_agents(
        asked.get('tools', []), [(tool.tool, tool.input_schema) for tool in _own(record.offered)]
    )
    if nodes:
        asked['tools'] = nodes
    kept = [python] if set(python) & python_of(nodes) else []
    ways = _ways(asked, _calls(record), kept)
    return Behaviour(
        model=_asked_model(found, scenario, cassettes),
        outputs=_outputs(found),
        asked=tuple(ways),
        question=_question_of(scenario),
        source=source,
        seen=_seen(record),
        unknown=(*(f'the description of {name}, a child agent' for name in agents), *_unknown_results(ways[0])),
    )


def _question_of(scenario: Scenario) -> str:
    if scenario.face == 'lane':
        return scenario.question.text
    query = scenario.input.get('query') if isinstance(scenario.input, dict) else None
    return query if isinstance(query, str) else ''


def _ways(asked: dict[str, Any], calls: Sequence[SeenCall], kept: Sequence[Collection[str]]) -> list[dict[str, Any]]:
    """Return what is asked with its tools scripted in each way that may do, the best first."""
    nodes: Nodes = asked.get('tools', [])
    if not nodes:
        return [asked]
    found = []
    for python in (*kept, ()):
        bare = stripped(nodes, calls, python)
        for by_input in (True, False):
            way = {**asked, 'tools': filled(bare, calls, by_input=by_input)}
            if way not in found:
                found.append(way)
    return found


def _asked_model(found: Found, scenario: Scenario | None, cassettes: Path) -> Asked:
    record = found.result.record
    if record.model is None:
        return Asked(name='scripted')
    if scenario is not None and found.result.cassette is not None:
        path = kept_path(cassettes, record.scenario, record.model, (record.epoch - 1) // scenario.runs + 1)
        if file_digest(path) == found.result.cassette:
            spec = spec_of(path)
            return Asked(name=record.model, **spec.model_dump(include=set(Asked.model_fields) - {'name'}))
    known = {key: value for key, value in record.parameters.items() if key in Asked.model_fields}
    return Asked.model_validate({**known, 'name': record.model})


# ----------------------------------------------------------------------------------------------------- the record alone


def _record_alone(found: Found, given: dict[str, Any], source: str, why: str) -> Behaviour:
    record = found.result.record
    calls = _calls(record)
    first = next(turn.prompt for turn in _own(record.turns))
    unknown = []
    question = given.get('question')
    if question is None:
        question = _question_in(first)
        if question is None:
            raise CaptureError(f'{why}, and the question cannot be told from the prompt: give --question TEXT')
        unknown.append('the parts of the question: its text is taken from the prompt of the first turn')
    sections = sorted({match[1] for match in _SECTIONS.finditer(first)})
    if sections:
        unknown.append(f'what came with the question: the prompt also has {", ".join(sections)}')
    asked: dict[str, Any] = {'question': question}
    if record.face == 'tool':
        asked = {'face': 'tool', 'input': {'query': question}}
        unknown.append('the context that a parent agent passed')
    config = given.get('config')
    if config is None:
        config = {'require_tool_call': True} if stop_reason_of(record) == 'guard' else {}
        unknown.append('the configuration of the node: give it with --config FILE')
    if config:
        asked['config'] = config
    nodes: Nodes = given.get('tools') or []
    if not given.get('tools'):
        schemas = {tool.tool: tool.input_schema for tool in _own(record.offered)}
        names = dict.fromkeys([*schemas, *(call.tool for call in calls)])
        nodes = offered([(name, schemas.get(name)) for name in names])
        if nodes:
            unknown.append('the descriptions of the tools: give tools with --tools FILE')
    ways = [{**asked, 'tools': filled(nodes, calls, by_input=way)} if nodes else asked for way in (True, False)]
    return Behaviour(
        model=_asked_model(found, None, found.path),
        outputs=_outputs(found),
        asked=tuple(ways),
        question=question,
        source=f'{source}; question and tools are those of the record',
        seen=_seen(record),
        unknown=(*unknown, *_unknown_results(ways[0])),
        remarks=(f'{why}: question and tools are taken from the record alone',) if why else (),
    )


def _question_in(prompt: str) -> str | None:
    """Return the text of the question in a first prompt of the platform; None where that cannot be told."""
    _, heading, rest = prompt.partition(_TASK)
    if not heading or _TASK in rest or not rest.endswith('\r\n\r\n'):
        return None
    return rest.removesuffix('\r\n\r\n').strip() and rest.removesuffix('\r\n\r\n')


# -------------------------------------------------------------------------------------------------------- what was seen


def _unknown_results(asked: dict[str, Any]) -> Iterator[str]:
    for name in unknown_results(asked.get('tools', [])):
        yield f'what {name} gives back: nobody called it, and a call raises'


def _own(parts: Iterable[_Part]) -> list[_Part]:
    """Return what the node itself did; a child agent is a tool to it."""
    return [part for part in parts if part.agent == NODE]


def _calls(record: RunRecord) -> tuple[SeenCall, ...]:
    return tuple(
        SeenCall(tool=call.tool, input=whole(call.input), output=whole(call.output), error=call.error)
        for call in _own(record.calls)
    )


def _seen(record: RunRecord) -> Seen:
    return Seen(
        answer=whole(answer_of(record)),
        stop_reason=stop_reason_of(record),
        prompts=tuple(whole(turn.prompt) for turn in _own(record.turns)),
        calls=_calls(record),
        steps=tuple(whole(step) for step in steps_of(record)) or None,
    )


def _outputs(found: Found) -> tuple[Output, ...]:
    outputs = []
    for turn in _own(found.result.record.turns):
        error = None
        if turn.error is not None:
            status = STATUS_OF.get(turn.error.type)
            if status is None:
                raise CaptureError(
                    f'{found.path}:{found.line}: turn {turn.index + 1} ended with {turn.error.type}: '
                    f'{turn.error.message}; that is no answer of a model, and a cassette cannot hold it'
                )
            error = ErrorReply(status=status, message=whole(turn.error.message))
        outputs.append(
            Output(
                text=whole(turn.output),
                finish_reason=turn.finish_reason,
                prompt_tokens=turn.prompt_tokens,
                completion_tokens=turn.completion_tokens,
                latency_s=turn.latency_s,
                error=error,
            )
        )
    return tuple(outputs)


STATUS_OF: Final = {
    type(status_error('', status)).__name__: status for status in (500, 429, 422, 410, 409, 404, 403, 401, 400)
}
"""The HTTP status that gives an error of the model side again, by the name of its class."""
