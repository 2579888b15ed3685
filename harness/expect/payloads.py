"""Checks of what the face of an agent gave back: the answer, the meta data, the stack and its reasoning steps."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from harness.expect.difference import bounded, holds, reduced, rows_diff, same, shown
from harness.expect.finding import NODE, Finding, View, counted, differs, quoted, text_findings
from harness.scenario.expectation import (
    EachObservation,
    ErrorMatch,
    Expectation,
    ObservationMatch,
    StackMatch,
    StepMatch,
    TextMatch,
)
from harness.show.visible import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harness.scenario.yamlnode import Loc

RAW: Final = 'RocketRide.agent.raw.v1'
"""The kind of the stack entry whose payload is the list of reasoning steps."""

_NEED_A_PAYLOAD: Final = (
    'stop_reason',
    'steps',
    'observations',
    'stack',
    'stack_has',
    'meta',
    'meta_has',
    'meta_times',
)
_STEP_KEYS: Final = ('action', 'action_input', 'observation')


def payload_findings(expectation: Expectation, view: View, loc: Loc, explained: bool = False) -> Iterator[Finding]:
    """Yield the unmet expectations about what an agent's face gave back.

    `explained` says that another finding tells already why there is nothing to check: the face raised.
    """
    if expectation.answer is not None:
        yield from _answer(expectation.answer, view, (*loc, 'answer'), explained)
    needed = [key for key in _NEED_A_PAYLOAD if _is_given(getattr(expectation, key), key)]
    if not needed:
        return
    if not view.payloads:
        if not explained:
            # The contract says what `run_agent` returns to a parent; that a lane returns it too is a convenience.
            beyond = view.agent == NODE and view.record.face == 'lane'
            message = f'{_no_payload(view)}, so {_listed(needed)} cannot be checked'
            yield Finding(loc=(*loc, needed[0]), message=message, level='hardening' if beyond else 'required')
        return
    for number, payload in enumerate(view.payloads, 1):
        whose = view.name if len(view.payloads) == 1 else f'run {number} of {view.name}'
        if not isinstance(payload, dict):
            message = f'{whose} returned {shown(payload)}, which is no payload'
            yield Finding(loc=(*loc, needed[0]), message=message, actual=bounded(payload))
            return
        yield from _meta(expectation, payload.get('meta'), loc, whose)
        if expectation.stack is not None:
            yield from _stack(expectation.stack, payload.get('stack'), (*loc, 'stack'), whose)
        for place, kind in enumerate(expectation.stack_has):
            kinds = _kinds_of(payload.get('stack'))
            if kind not in kinds:
                message = f'the stack of {whose} has no entry {kind!r}'
                yield Finding(loc=(*loc, 'stack_has', place), message=message, expected=kind, actual=bounded(kinds))
    if expectation.steps is not None or expectation.observations is not None:
        yield from _recorded(expectation, view, loc)


def _is_given(value: Any, key: str) -> bool:
    # An empty list of steps is an expectation, an empty list of keys is none.
    return value is not None and (value != () or not key.startswith(('meta_', 'stack_')))


def _no_payload(view: View) -> str:
    if view.agent == NODE:
        return f'the node returned no payload on the {view.record.face} face'
    return f'{view.name} returned no payload' if view.runs else f'{view.name} was never called'


def _listed(keys: Sequence[str]) -> str:
    return ' and '.join(filter(None, [', '.join(f'`{key}`' for key in keys[:-1]), f'`{keys[-1]}`']))


# ------------------------------------------------------------------------------------------------ answer and meta data


def _answer(match: TextMatch, view: View, loc: Loc, explained: bool) -> Iterator[Finding]:
    texts: list[Any] = [payload.get('content') if isinstance(payload, dict) else payload for payload in view.payloads]
    message = _no_payload(view)
    if not texts and view.agent == NODE:
        # A node that returns nothing on the lane face has still written its answer to the lane.
        texts = [write.text for write in view.record.lane_writes if write.lane == 'answers'][-1:]
        message += ', and wrote nothing to the answers lane'
    if not texts and not explained:
        yield Finding(loc=loc, message=message, expected=bounded(match.equals))
    for number, text in enumerate(texts, 1):
        what = 'the answer' if len(texts) == 1 else f'the answer of run {number}'
        yield from text_findings(match, text, loc, what)


def _meta(expectation: Expectation, meta: Any, loc: Loc, whose: str) -> Iterator[Finding]:
    wanted = dict(expectation.meta or {})
    keys = ('stop_reason', 'meta', 'meta_has', 'meta_times')
    asked = [key for key in keys if getattr(expectation, key)]
    if not asked:
        return
    if not isinstance(meta, dict):
        yield Finding(loc=(*loc, asked[0]), message=f'the payload of {whose} has no meta data', actual=bounded(meta))
        return
    reason = expectation.stop_reason
    if reason is not None and not same(reason, meta.get('stop_reason')):
        message = f'the stop reason of {whose} is {shown(meta.get("stop_reason"))}'
        yield Finding(loc=(*loc, 'stop_reason'), message=message, expected=reason, actual=meta.get('stop_reason'))
    for key, value in wanted.items():
        here = (*loc, 'meta', key)
        if key not in meta:
            yield Finding(loc=here, message=f'the meta data of {whose} has no {key!r}', expected=value)
        elif not holds(value, meta[key]):
            message = f'{key!r} in the meta data of {whose} is {shown(meta[key])}'
            yield differs(here, message, value, reduced(value, meta[key]))
    for number, key in enumerate(expectation.meta_has):
        if not isinstance(meta.get(key), str) or not meta[key].strip():
            message = f'{key!r} in the meta data of {whose} is {shown(meta.get(key))}'
            yield Finding(loc=(*loc, 'meta_has', number), message=message, actual=bounded(meta.get(key)))
    yield from _times(expectation.meta_times, meta, (*loc, 'meta_times'), whose)


def _times(keys: Sequence[str], meta: dict[str, Any], loc: Loc, whose: str) -> Iterator[Finding]:
    before: datetime | None = None
    for number, key in enumerate(keys):
        text = meta.get(key)
        moment = _utc(text)
        if moment is None:
            message = f'{key!r} in the meta data of {whose} is no UTC time in ISO 8601: {shown(text)}'
            yield Finding(loc=(*loc, number), message=message, actual=bounded(text))
        elif before is not None and moment < before:
            message = f'{key!r} in the meta data of {whose} is before {keys[number - 1]!r}'
            yield differs((*loc, number), message, before.isoformat(), text)
        before = moment or before


def _utc(text: Any) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text)
    except (TypeError, ValueError):
        return None
    return moment if moment.utcoffset() == timedelta(0) and 'T' in text else None


# ----------------------------------------------------------------------------------------------------- stack and steps


def _stack(matches: Sequence[StackMatch], stack: Any, loc: Loc, whose: str) -> Iterator[Finding]:
    if not isinstance(stack, list | tuple) or not all(isinstance(entry, dict) for entry in stack):
        yield Finding(loc=loc, message=f'the stack of {whose} is no list of entries', actual=bounded(stack))
        return
    expected: list[Any] = [match.kind for match in matches]
    actual: list[Any] = [entry.get('kind') for entry in stack]
    if expected != actual:
        message = f'the stack of {whose} has the wrong kinds of entries'
        diff = rows_diff(expected, [str(kind) for kind in actual])
        yield Finding(loc=loc, message=message, expected=expected, actual=actual, diff=diff)
        return
    for number, (match, entry) in enumerate(zip(matches, stack, strict=True)):
        here = (*loc, number)
        if match.name is not None and entry.get('name') != match.name:
            message = f'stack entry {number + 1} has the name {shown(entry.get("name"))}'
            yield differs((*here, 'name'), message, match.name, entry.get('name'))
        if 'payload' in match.model_fields_set and not holds(match.payload, entry.get('payload')):
            message = f'stack entry {number + 1} ({match.kind}) has another payload'
            yield differs((*here, 'payload'), message, match.payload, reduced(match.payload, entry.get('payload')))


def _kinds_of(stack: Any) -> list[Any]:
    return [entry.get('kind') for entry in stack if isinstance(entry, dict)] if isinstance(stack, list) else []


def _recorded(expectation: Expectation, view: View, loc: Loc) -> Iterator[Finding]:
    place = (*loc, 'steps' if expectation.steps is not None else 'observations')
    steps: list[dict[str, Any]] = []
    for payload in view.payloads:
        recorded = _steps_of(payload)
        if isinstance(recorded, str):
            yield Finding(
                loc=place, message=f'{recorded} in the stack of {view.name}', actual=bounded(payload.get('stack'))
            )
            return
        steps += recorded
    if expectation.steps is not None:
        yield from _steps(expectation.steps, steps, (*loc, 'steps'))
    if expectation.observations is not None:
        yield from _observations(expectation.observations, steps, (*loc, 'observations'))


def _steps_of(payload: dict[str, Any]) -> list[dict[str, Any]] | str:
    """Return the recorded steps of a payload, or why there are none."""
    stack = payload.get('stack')
    entries = [entry for entry in stack if isinstance(entry, dict)] if isinstance(stack, list | tuple) else []
    raw = next((entry for entry in entries if entry.get('kind') == RAW), None)
    if raw is None:
        return f'there is no entry {RAW}'
    steps = raw.get('payload')
    if not isinstance(steps, list | tuple):
        return f'the payload of {RAW} is no list of steps'
    for number, step in enumerate(steps, 1):
        if not isinstance(step, dict) or any(key not in step for key in _STEP_KEYS):
            return f'step {number} is no mapping with {_listed(_STEP_KEYS)}'
    return list(steps)


def _steps(matches: Sequence[StepMatch], steps: Sequence[dict[str, Any]], loc: Loc) -> Iterator[Finding]:
    if len(matches) != len(steps):
        yield _another_number(loc, 'step', [match.model_dump(exclude_unset=True) for match in matches], steps)
        return
    for number, (match, step) in enumerate(zip(matches, steps, strict=True)):
        here, what = (*loc, number), f'step {number + 1}'
        if match.action is not None and not same(match.action, step['action']):
            yield differs((*here, 'action'), f'{what} calls {shown(step["action"])}', match.action, step['action'])
        if 'action_input' in match.model_fields_set and not same(match.action_input, step['action_input']):
            message = f'{what} ({shown(step["action"])}) has another input'
            yield differs((*here, 'action_input'), message, match.action_input, step['action_input'])
        if match.observation is not None:
            yield from _observation(match.observation, step['observation'], (*here, 'observation'), what)


def _observations(
    matches: tuple[ObservationMatch, ...] | EachObservation, steps: Sequence[dict[str, Any]], loc: Loc
) -> Iterator[Finding]:
    if isinstance(matches, EachObservation):
        if not steps:
            yield Finding(loc=(*loc, 'each'), message='there is no step, so there is no observation')
        for number, step in enumerate(steps, 1):
            found = list(_observation(matches.each, step['observation'], (*loc, 'each'), f'step {number}'))
            yield from found
            if found:
                return
    elif len(matches) != len(steps):
        yield _another_number(loc, 'observation', [match.model_dump(exclude_unset=True) for match in matches], steps)
    else:
        for number, (match, step) in enumerate(zip(matches, steps, strict=True)):
            yield from _observation(match, step['observation'], (*loc, number), f'step {number + 1}')


def _another_number(loc: Loc, what: str, expected: list[Any], steps: Sequence[dict[str, Any]]) -> Finding:
    came = [f'{_plain(step["action"])} {shown(step["action_input"])} -> {shown(step["observation"])}' for step in steps]
    return Finding(
        loc=loc,
        message=f'{counted(len(expected), what)} expected, {counted(len(steps), "step")} recorded',
        expected=bounded(expected),
        actual=bounded(list(steps)),
        diff='\n'.join(came[:20]),
    )


def _plain(name: Any) -> str:
    return one_line(name) if isinstance(name, str) else shown(name)


def _observation(match: ObservationMatch, text: Any, loc: Loc, what: str) -> Iterator[Finding]:
    whose = f'the observation of {what}'
    plain = TextMatch(equals=match.equals, contains=match.contains, not_contains=match.not_contains)
    found = text_findings(plain, text, loc, whose)
    yield from found
    if match.error is not None and isinstance(text, str):
        yield from _error(match.error, text, (*loc, 'error'), whose)


def _error(match: ErrorMatch, text: str, loc: Loc, whose: str) -> Iterator[Finding]:
    try:
        error = json.loads(text)
    except (ValueError, RecursionError):
        error = None
    if not isinstance(error, dict) or error.keys() != {'tool', 'error', 'type'}:
        message = f'{whose} is no error, a JSON object {{tool, error, type}}'
        yield Finding(loc=loc, message=message, expected=match.model_dump(exclude_unset=True), actual=bounded(text))
        return
    for key, wanted in (('tool', match.tool), ('type', match.type)):
        if wanted is not None and not same(wanted, error[key]):
            yield differs((*loc, key), f'the {key} of the error in {whose} is {shown(error[key])}', wanted, error[key])
    for number, part in enumerate(match.contains):
        if not isinstance(error['error'], str) or part not in error['error']:
            message = f'the error message in {whose} does not contain {quoted(part)}'
            yield Finding(
                loc=(*loc, 'contains', number), message=message, expected=part, actual=bounded(error['error'])
            )
