"""What differs between the run that was captured and the run that is played of it; all of it is pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harness.capture.behaviour import SeenCall
from harness.capture.proposal import steps_of
from harness.expect.finding import NODE
from harness.show.summary import answer_of, stop_reason_of
from harness.show.visible import as_text, clip, excerpt, plural

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harness.capture.behaviour import Seen
    from harness.record import RunRecord

_LONG = 160


def departures(seen: Seen, record: RunRecord) -> Iterator[str]:
    """Yield what differs, one line each; what is not known of the captured run differs in nothing."""
    if seen.prompts is not None:
        yield from _prompts(seen.prompts, [turn.prompt for turn in record.turns if turn.agent == NODE])
    if seen.calls is not None:
        made = [call for call in record.calls if call.agent == NODE]
        now = [SeenCall(tool=call.tool, input=call.input, output=call.output, error=call.error) for call in made]
        yield from _calls(seen.calls, now)
    if seen.steps is not None:
        yield from _rows('step', seen.steps, steps_of(record))
    if seen.stop_reason is not None and seen.stop_reason != stop_reason_of(record):
        yield f'it ended with {_shown(seen.stop_reason)}, now with {_shown(stop_reason_of(record))}'
    if seen.answer is not None and seen.answer != answer_of(record):
        yield f'the answer was {_shown(seen.answer)}, now it is {_shown(answer_of(record))}'


def _prompts(then: Sequence[str], now: Sequence[str]) -> Iterator[str]:
    if len(then) != len(now):
        yield f'there were {plural(len(then), "prompt")}, now there are {len(now)}'
    for number, (was, is_) in enumerate(zip(then, now, strict=False), 1):
        if was != is_:
            same = next((at for at, (one, other) in enumerate(zip(was, is_, strict=False)) if one != other), 0)
            line = was.count('\n', 0, same) + 1
            parts = [_shown(excerpt(text, same - 20, same + 40)) for text in (was, is_)]
            yield f'the prompt of turn {number} differs from line {line} on: it was {parts[0]}, now {parts[1]}'
            return


def _calls(then: Sequence[SeenCall], now: Sequence[SeenCall]) -> Iterator[str]:
    was, is_ = ([call.model_dump(exclude_none=True) for call in calls] for calls in (then, now))
    yield from _rows('call', was, is_)


def _rows(noun: str, then: Sequence[Any], now: Sequence[Any]) -> Iterator[str]:
    if len(then) != len(now):
        yield f'there were {plural(len(then), noun)}, now there are {len(now)}'
    for number, (was, is_) in enumerate(zip(then, now, strict=False), 1):
        if as_text(was) != as_text(is_):
            yield f'{noun} {number} was {_shown(was)}, now it is {_shown(is_)}'
            return


def _shown(value: Any) -> str:
    return clip(as_text(value), _LONG)
