"""From what a node did to what is proposed that it has to do again; all of it is pure."""

from __future__ import annotations

import json
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from harness.capture.yamltext import noted
from harness.expect.finding import NODE, view_of
from harness.expect.payloads import RAW
from harness.show.summary import answer_of, stop_reason_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from harness.record import RunRecord, ToolCall

_LONG_QUESTION: Final = 300
_LONG_MESSAGE: Final = 300


def general(record: RunRecord, question: str) -> dict[str, Any]:
    """Return what is proposed for every model: the stop words, the question in the prompt, the writes to the lane."""
    found: dict[str, Any] = {}
    turns = [turn for turn in record.turns if turn.agent == NODE]
    stops = {turn.stop for turn in turns}
    if len(stops) == 1 and (words := stops.pop()):
        found['stop_words'] = list(words)
    asked = question.strip()
    if turns and '\n' not in asked and 0 < len(asked) <= _LONG_QUESTION and asked in turns[0].prompt:
        found['prompts'] = {'at': {1: {'contains': [asked]}}}
    found['lane_writes'] = {'answers': sum(write.agent == NODE for write in _answers(record))}
    return found


def _answers(record: RunRecord) -> Iterable[Any]:
    return (write for write in record.lane_writes if write.lane == 'answers')


def particular(record: RunRecord, *, ran_out: bool) -> dict[str, Any]:
    """Return what is proposed for the outputs of this model.

    Where the node asked for more than there was (`ran_out`), its answer is the error of our own server and no answer.
    """
    found: dict[str, Any] = {}
    if record.raised is not None:
        contains = [record.raised.message] if 0 < len(record.raised.message) <= _LONG_MESSAGE else []
        found['raises'] = {'type': record.raised.type, **({'contains': contains} if contains else {})}
    answer = answer_of(record)
    if answer is not None and not ran_out:
        found['answer'] = noted(answer)
    reason = stop_reason_of(record)
    if reason is not None:
        found['stop_reason'] = reason
    found['llm_calls'] = sum(turn.agent == NODE for turn in record.turns)
    found['calls'] = calls_in_a_row([call for call in record.calls if call.agent == NODE])
    steps = steps_of(record)
    if steps and [step.get('action') for step in steps] != [call.tool for call in record.calls if call.agent == NODE]:
        found['steps'] = [_step(step) for step in steps]
    return found


def calls_in_a_row(calls: Sequence[ToolCall]) -> list[dict[str, Any]]:
    """Return calls as they are expected; the same call several times in a row is one entry."""
    found = []
    for _, group in groupby(calls, key=lambda call: (call.tool, json.dumps(call.input, sort_keys=True))):
        same = list(group)
        times = {'times': len(same)} if len(same) > 1 else {}
        found.append({'tool': same[0].tool, 'input': same[0].input, **times})
    return found


def steps_of(record: RunRecord) -> list[dict[str, Any]]:
    """Return the steps that a node recorded in its payload; none where it recorded none that can be told."""
    view = view_of(record)
    return payload_steps(view.payloads[0]) if len(view.payloads) == 1 else []


def payload_steps(payload: Any) -> list[dict[str, Any]]:
    """Return the reasoning steps in a payload, `{action, action_input, observation}` each."""
    stack = payload.get('stack') if isinstance(payload, dict) else None
    entries = [entry for entry in stack if isinstance(entry, dict)] if isinstance(stack, list) else []
    steps = next((entry.get('payload') for entry in entries if entry.get('kind') == RAW), None)
    return [step for step in steps if isinstance(step, dict)] if isinstance(steps, list) else []


def _step(step: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {key: step[key] for key in ('action', 'action_input') if key in step}
    error = error_of(step.get('observation'))
    return {**found, **({'observation': {'error': {'type': error['type']}}} if error else {})}


def error_of(observation: Any) -> dict[str, str] | None:
    """Return the error that an observation tells, `{tool, error, type}`; None where it is no such text."""
    if not isinstance(observation, str) or not observation.startswith('{'):
        return None
    try:
        value = json.loads(observation)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or value.keys() != {'tool', 'error', 'type'}:
        return None
    return value if all(isinstance(text, str) for text in value.values()) else None
