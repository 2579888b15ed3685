"""The third source: a payload that a node returned, of which the turns of the model are rebuilt."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from pydantic import ConfigDict, ValidationError

from harness.capture.behaviour import Asked, Behaviour, CaptureError, Output, Seen, SeenCall, whole
from harness.capture.proposal import error_of, payload_steps
from harness.capture.recorded import STATUS_OF
from harness.capture.scripts import filled, offered, raises_of, unknown_results
from harness.expect.invariants import GUARD
from harness.record import Failure, Frozen
from harness.scenario import ErrorReply
from harness.scenario.yamlnode import key_path
from harness.show.visible import clip, one_line, plural
from harness.strictjson import strict_json

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_BYTES: Final = 16_000_000
MAX_STEPS: Final = 10
NO_TOOL: Final = 'ToolNotFoundError'
ERROR: Final = 'RocketRide.agent.error.v1'
THOUGHT: Final = 'I need to use a tool to help me answer the question.'
LAST_THOUGHT: Final = 'I can answer without using any more tools.'
WITHHELD: Final = 'An answer that the guard withheld; the payload does not hold it.'
_AS_IT_IS: Final = ('direct_answer', 'malformed_step')
_NOTHING_MORE: Final = ('max_iterations',)


class _Payload(Frozen):
    """A payload, as far as it is looked at."""

    model_config = ConfigDict(extra='ignore')

    content: str
    meta: dict[str, Any]
    stack: tuple[dict[str, Any], ...]


class _Step(Frozen):
    """A reasoning step in a payload."""

    model_config = ConfigDict(extra='ignore')

    action: str
    action_input: Any
    observation: str


def read_payload(raw: bytes, where: str) -> dict[str, Any]:
    """Return the payload in a JSON text.

    Raises:
        CaptureError: it is none; the message says why.
    """
    if len(raw) > MAX_BYTES:
        raise CaptureError(f'{where}: this is longer than {MAX_BYTES:,} bytes')
    try:
        value = strict_json(raw.decode('utf-8-sig'))
    except json.JSONDecodeError as error:
        raise CaptureError(f'{where}:{error.lineno}:{error.colno}: this is not JSON: {error.msg}') from None
    except (ValueError, RecursionError) as error:
        raise CaptureError(f'{where}: this is not JSON: {clip(str(error), 200)}') from None
    try:
        _Payload.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        at = key_path(first['loc']) or 'it'
        message = f'this is no payload (content, meta, stack) of a node: {at}: {first["msg"]}'
        raise CaptureError(f'{where}: {message}') from None
    payload: dict[str, Any] = value
    return payload


def behaviour_of(payload: dict[str, Any], model: str, given: dict[str, Any], where: str) -> Behaviour:
    """Return what a payload shows of a model: its turns are rebuilt in the canonical form from the steps.

    `given` are keys of the scenario: the question, and where they are known tools and configuration.

    Raises:
        CaptureError: the steps are no steps of a run.
    """
    payload = whole(payload)
    steps = _steps(payload, where)
    meta, reason = payload['meta'], payload['meta'].get('stop_reason')
    refused = reason == 'guard' or any(entry.get('kind') == GUARD for entry in payload['stack'])
    unknown = [
        'what the model wrote, to the letter: its turns are rebuilt',
        'how the model was asked: server, temperature, seed',
    ]
    remarks: list[str] = []
    outputs = [Output(text=_call(step)) for step in steps]
    outputs += _last(payload, reason, refused, len(steps), unknown, remarks)
    if not outputs:
        raise CaptureError(f'{where}: this run asked no model, so there is nothing to capture')
    calls = _calls(steps)
    asked = dict(given)
    if refused and 'config' not in given:
        asked['config'] = {'require_tool_call': True}
    if 'config' not in given:
        unknown.append('the configuration of the node: give it with --config FILE')
    bare = given.get('tools') or offered([(name, None) for name in dict.fromkeys(call.tool for call in calls)])
    if not given.get('tools'):
        unknown.append('which tools were offered, their descriptions and schemas: give them with --tools FILE')
    ways = [{**asked, 'tools': filled(bare, calls, by_input=way)} if bare else asked for way in (True, False)]
    missing = unknown_results(ways[0].get('tools', []))
    unknown += [f'what {name} gives back: nobody called it, and a call raises' for name in missing]
    unknown.append('the rest of the question (role, history, context), and on which face it came: the lane is taken')
    count = meta.get('tool_calls')
    if type(count) is int and count != len(calls):
        remarks.append(f'the payload tells of {plural(count, "tool call")}, its steps of {len(calls)}')
    return Behaviour(
        model=Asked(name=model),
        outputs=tuple(outputs),
        asked=tuple(ways),
        question=given['question'],
        source=_source(meta),
        seen=Seen(
            answer=payload['content'],
            stop_reason=reason if isinstance(reason, str) else None,
            steps=tuple(step.model_dump() for step in steps),
        ),
        unknown=tuple(unknown),
        remarks=tuple(remarks),
    )


def _source(meta: dict[str, Any]) -> str:
    who, when = meta.get('agent_id'), meta.get('started_at')
    of = f' of {one_line(clip(who, 60))}' if isinstance(who, str) and who.strip() else ''
    on = f' from {one_line(clip(when, 40))}' if isinstance(when, str) and when.strip() else ''
    return (
        f'captured from a payload{of}{on}; a payload does not hold what the model wrote, so its turns are rebuilt '
        'in the canonical form'
    )


def _steps(payload: dict[str, Any], where: str) -> list[_Step]:
    steps = []
    for number, step in enumerate(payload_steps(payload), 1):
        try:
            steps.append(_Step.model_validate(step))
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            at = key_path(first['loc'])
            raise CaptureError(f'{where}: step {number} is no step of a run: {at}: {first["msg"]}') from None
    if len(steps) > MAX_STEPS:
        raise CaptureError(f'{where}: there are {len(steps)} steps, and no run makes more than {MAX_STEPS}')
    return steps


def _call(step: _Step) -> str:
    arguments = json.dumps(step.action_input, ensure_ascii=False)
    return f'Thought: {THOUGHT}\nAction: {step.action}\nAction Input: {arguments}'


def _last(
    payload: dict[str, Any], reason: Any, refused: bool, steps: int, unknown: list[str], remarks: list[str]
) -> Sequence[Output]:
    """Return the turns behind the steps; a budget that is used up leaves none."""
    content = payload['content']
    if steps == MAX_STEPS or reason in _NOTHING_MORE:
        return ()
    if refused:
        unknown.append('the answer that the guard withheld: a sentence stands in for it')
        return (Output(text=_answer(WITHHELD)),)
    error = next((entry.get('payload') for entry in payload['stack'] if entry.get('kind') == ERROR), None)
    if isinstance(error, dict):
        return (_failed(error, remarks),)
    if reason == 'empty':
        return (Output(text=''),)
    if reason in _AS_IT_IS:
        return (Output(text=content),)
    if reason != 'answer':
        remarks.append(f'the stop reason {clip(repr(reason), 60)} is not known here: an answer is taken')
    return (Output(text=_answer(content)),)


def _answer(text: str) -> str:
    return f'Thought: {LAST_THOUGHT}\nAnswer: {text}'


def _failed(error: dict[str, Any], remarks: list[str]) -> Output:
    kind, message = error.get('type'), error.get('message')
    status = STATUS_OF.get(kind) if isinstance(kind, str) else None
    if status is None:
        remarks.append(f'no server gives an error of the kind {clip(repr(kind), 80)}: HTTP 500 stands in for it')
    return Output(error=ErrorReply(status=status or 500, message=message if isinstance(message, str) else ''))


def _calls(steps: Sequence[_Step]) -> list[SeenCall]:
    """Return the calls that reached a tool: of an error that tells of an unknown tool nothing did."""
    calls = []
    for step in steps:
        error = error_of(step.observation)
        if error is not None and error['type'] == NO_TOOL:
            continue
        failure = Failure(type=error['type'], message=error['error']) if error is not None else None
        if failure is not None and raises_of(failure)['type'] != failure.type:
            failure = None
        output = None if failure is not None else step.observation
        calls.append(SeenCall(tool=step.action, input=step.action_input, output=output, error=failure))
    return calls
