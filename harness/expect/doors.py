"""Checks of what passed through the doors of an agent: LLM calls, tool calls, events, lane writes, exceptions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harness.expect.difference import bounded, holds, reduced, rows_diff, same, shown
from harness.expect.finding import Finding, View, counted, differs, quoted, text_findings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harness.record import Event, Failure, Turn
    from harness.scenario.expectation import CallMatch, EventMatch, Expectation, PromptMatch
    from harness.scenario.yamlnode import Loc


def door_findings(expectation: Expectation, view: View, loc: Loc) -> Iterator[Finding]:
    """Yield the unmet expectations about what passed through an agent's doors."""
    turns = view.record.turns
    yield from _raises(expectation, view, (*loc, 'raises'))
    if expectation.llm_calls is not None and len(turns) != expectation.llm_calls:
        message = f'{counted(expectation.llm_calls, "LLM call")} expected, {len(turns)} made'
        yield differs((*loc, 'llm_calls'), message, expectation.llm_calls, len(turns))
    if expectation.stop_words is not None:
        yield from _stop_words(list(expectation.stop_words), turns, (*loc, 'stop_words'))
    if expectation.prompts is not None:
        yield from _prompts(expectation.prompts, turns, (*loc, 'prompts'))
    if expectation.calls is not None:
        yield from _calls(expectation.calls, view, (*loc, 'calls'))
    if expectation.events is not None:
        yield from _events(expectation.events, view.record.events, (*loc, 'events'))
    for number, text in enumerate(expectation.events_contain):
        sent = [event.data.get('message') for event in view.record.events]
        if text not in sent:
            message = f'no event has the message {quoted(text)}'
            yield Finding(loc=(*loc, 'events_contain', number), message=message, expected=text, actual=bounded(sent))
    for lane, count in (expectation.lane_writes or {}).items():
        writes = [write.text for write in view.record.lane_writes if write.lane == lane]
        if len(writes) != count:
            message = f'{counted(count, "write")} to the lane {lane!r} expected, {len(writes)} made'
            actual = {'writes': len(writes), 'texts': bounded(writes)}
            yield Finding(loc=(*loc, 'lane_writes', lane), message=message, expected=count, actual=actual)
    if expectation.max_seconds is not None and view.record.duration_s > expectation.max_seconds:
        message = f'the run took {view.record.duration_s:.1f} s, more than {expectation.max_seconds:g} s'
        yield differs((*loc, 'max_seconds'), message, expectation.max_seconds, view.record.duration_s)


def _raises(expectation: Expectation, view: View, loc: Loc) -> Iterator[Finding]:
    wanted = expectation.raises
    if wanted is None:
        return
    what = wanted.model_dump(exclude_unset=True, mode='json')
    if not view.raised:
        yield Finding(loc=loc, message=f'{view.name} did not raise {wanted.type}', expected=what)
    elif not any(_is_raised(wanted.type, wanted.contains, failure) for failure in view.raised):
        came = [failure.model_dump() for failure in view.raised]
        message = f'{view.name} raised {_described(view.raised[0])}'
        yield Finding(loc=loc, message=message, expected=what, actual=bounded(came))


def _is_raised(kind: str, parts: Sequence[str], failure: Failure) -> bool:
    return failure.type == kind and all(part in failure.message for part in parts)


def _described(failure: Failure) -> str:
    return f'{failure.type}: {quoted(failure.message)}' if failure.message else f'{failure.type} without a message'


def _stop_words(expected: list[str], turns: Sequence[Turn], loc: Loc) -> Iterator[Finding]:
    if not turns:
        yield Finding(loc=loc, message='there was no LLM call that could carry stop words', expected=expected)
    for turn in turns:
        actual = None if turn.stop is None else list(turn.stop)
        if actual != expected:
            words = f'the stop words {shown(actual)}' if actual else 'no stop words'
            message = f'LLM call {turn.index + 1} carries {words}'
            yield differs(loc, message, expected, actual)
            return


def _prompts(match: PromptMatch, turns: Sequence[Turn], loc: Loc) -> Iterator[Finding]:
    if not turns:
        yield Finding(loc=loc, message='there was no LLM call, so there is no prompt')
        return
    prompts = [turn.prompt for turn in turns]
    for number, part in enumerate(match.contains):
        if not any(part in prompt for prompt in prompts):
            message = f'no prompt contains {quoted(part)}'
            actual = bounded(prompts[-1])
            yield Finding(loc=(*loc, 'contains', number), message=message, expected=bounded(part), actual=actual)
    for number, part in enumerate(match.not_contains):
        place = next((n for n, prompt in enumerate(prompts, 1) if part in prompt), None)
        if place is not None:
            message = f'the prompt of LLM call {place} contains {quoted(part)}'
            actual = bounded(prompts[place - 1])
            yield Finding(loc=(*loc, 'not_contains', number), message=message, expected=bounded(part), actual=actual)
    for number, part in enumerate(match.once):
        counts = [prompt.count(part) for prompt in prompts]
        place = next((n for n, count in enumerate(counts, 1) if count != 1), None)
        if place is not None:
            message = (
                f'the prompt of LLM call {place} contains {quoted(part)} {counted(counts[place - 1], "time")}, not once'
            )
            actual = {'counts': counts, 'prompt': bounded(prompts[place - 1])}
            yield Finding(loc=(*loc, 'once', number), message=message, expected=bounded(part), actual=actual)
    for place, text in match.at.items():
        here = (*loc, 'at', place)
        if place > len(prompts):
            yield Finding(loc=here, message=f'there is no LLM call {place}: {len(prompts)} made', actual=len(prompts))
        else:
            yield from text_findings(text, prompts[place - 1], here, f'the prompt of LLM call {place}')


def _calls(matches: Sequence[CallMatch], view: View, loc: Loc) -> Iterator[Finding]:
    wanted = [(number, match) for number, match in enumerate(matches) for _ in range(match.times)]
    calls = view.record.calls
    if len(calls) != len(wanted):
        expected = [_row(match.tool, match.input, 'input' in match.model_fields_set) for _, match in wanted]
        actual = [_row(call.tool, call.input) for call in calls]
        message = f'{counted(len(wanted), "tool call")} expected, {len(calls)} made'
        yield Finding(
            loc=loc,
            message=message,
            expected=[match.model_dump(exclude_unset=True) for match in matches],
            actual=[{'tool': call.tool, 'input': bounded(call.input)} for call in calls],
            diff=rows_diff(expected, actual),
        )
        return
    found: set[int] = set()
    for place, ((number, match), call) in enumerate(zip(wanted, calls, strict=True), 1):
        if number in found:
            continue
        if call.tool != match.tool:
            found.add(number)
            yield differs((*loc, number, 'tool'), f'tool call {place} goes to {call.tool}', match.tool, call.tool)
        elif 'input' in match.model_fields_set and not same(match.input, call.input):
            found.add(number)
            message = f'tool call {place} ({call.tool}) has another input'
            yield differs((*loc, number, 'input'), message, match.input, call.input)


def _row(name: str, value: Any, checked: bool = True) -> str:
    return f'{name} {shown(value)}' if checked else f'{name} (any input)'


def _events(matches: Sequence[EventMatch], events: Sequence[Event], loc: Loc) -> Iterator[Finding]:
    if len(matches) != len(events):
        message = f'{counted(len(matches), "event")} expected, {len(events)} sent'
        yield Finding(
            loc=loc,
            message=message,
            expected=[match.model_dump() for match in matches],
            actual=[bounded({'type': event.type, 'data': event.data}) for event in events],
            diff=rows_diff(
                [_row(match.type, match.data) for match in matches],
                [
                    # The keys that are not asked for would hide what is wrong.
                    _row(event.type, reduced(matches[n].data, event.data) if n < len(matches) else event.data)
                    for n, event in enumerate(events)
                ],
            ),
        )
        return
    for number, (match, event) in enumerate(zip(matches, events, strict=True)):
        if match.type != event.type:
            message = f'event {number + 1} is of the type {event.type!r}'
            yield differs((*loc, number, 'type'), message, match.type, event.type)
        elif not holds(match.data, event.data):
            message = f'event {number + 1} carries other data'
            yield differs((*loc, number, 'data'), message, match.data, reduced(match.data, event.data))
        elif match.after_calls is not None and match.after_calls != event.after_calls:
            message = f'event {number + 1} was sent after {counted(event.after_calls, "tool call")}'
            yield differs((*loc, number, 'after_calls'), message, match.after_calls, event.after_calls)
