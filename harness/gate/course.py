"""The courses of two runs: where the second one first went another way, and at which doors they differ."""

from __future__ import annotations

import difflib
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pydantic import Field

from harness.gate.steady import steady
from harness.record import Frozen, RunRecord
from harness.show.visible import as_text, clip, excerpt

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harness.record import ToolCall, Turn

_NOT_COMPARED: Final = frozenset(
    {'version', 'scenario', 'node', 'model', 'epoch', 'face', 'turns', 'calls', 'duration_s'}
)
_BEFORE_ALL_TURNS: Final = -1
_MAX_LINES: Final = 24
_MAX_LINE: Final = 200
_MAX_COMPARED: Final = 400
_MAX_TEXT: Final = 2_000
_CONTEXT: Final = 2


class Step(NamedTuple):
    """One thing that passed through a door: which door, of which agent and turn, and its value, steady."""

    what: str
    agent: str
    turn: int | None
    value: Any


class Parting(Frozen):
    """The first place where two runs part."""

    what: str = Field(
        description='The door: prompt, stop (the stop words), output (of the model), call (of a tool), result (of a '
        'tool), or a field of the run record such as payload, events, lane_writes or raised.'
    )
    agent: str = Field(default='agent', description='The agent at the door: the node under test is `agent`.')
    turn: int | None = Field(default=None, description='The number of the turn, from 1, where there is one.')
    before: str | None = Field(default=None, description='What came before, cut where it is long; null: nothing.')
    after: str | None = Field(default=None, description='What came after, cut where it is long; null: nothing.')
    diff: str = Field(default='', description='The difference of the two as a short unified diff, or empty.')


def course_of(record: RunRecord) -> list[Step]:
    """Return what passed through the doors in the order of time; ids, times and how long it took are left out."""
    calls: dict[tuple[str, int], list[ToolCall]] = {}
    for call in record.calls:
        calls.setdefault((call.agent, call.turn), []).append(call)
    steps: list[Step] = []
    results: dict[str, list[Step]] = {}

    def made(agent: str, turn: int) -> None:
        for call in calls.pop((agent, turn), []):
            steps.append(Step('call', agent, turn, steady({'tool': call.tool, 'input': call.input})))
            results.setdefault(agent, []).append(_result(call))

    for turn in record.turns:
        made(turn.agent, _BEFORE_ALL_TURNS)
        # The result of a call is told where its agent goes on, so that the turns of a child stand in front of it.
        steps += results.pop(turn.agent, [])
        steps += _turn_steps(turn)
        made(turn.agent, turn.index)
    for agent, index in list(calls):
        made(agent, index)
    return [*steps, *(step for rest in results.values() for step in rest), *_end(record)]


def _turn_steps(turn: Turn) -> Iterator[Step]:
    yield Step('prompt', turn.agent, turn.index, steady(turn.prompt))
    yield Step('stop', turn.agent, turn.index, steady(turn.stop))
    if turn.error is not None:
        yield Step('output', turn.agent, turn.index, steady(turn.error.model_dump()))
    elif turn.finish_reason in (None, 'stop'):
        yield Step('output', turn.agent, turn.index, steady(turn.output))
    else:
        said = {'text': turn.output, 'finish_reason': turn.finish_reason}
        yield Step('output', turn.agent, turn.index, steady(said))


def _result(call: ToolCall) -> Step:
    value = call.error.model_dump() if call.error is not None else call.output
    return Step('result', call.agent, call.turn, steady(value))


def _end(record: RunRecord) -> Iterator[Step]:
    # Where a node was when its time was over is chance.
    rest = record.model_dump(exclude={**dict.fromkeys(_NOT_COMPARED, True), 'stopped': {'place'}})
    for name, value in rest.items():
        yield Step(name, 'agent', None, steady(value))


def doors_that_differ(before: Sequence[Step], after: Sequence[Step]) -> tuple[str, ...]:
    """Return the doors through which something else passed, in the order of time."""
    names = dict.fromkeys(step.what for step in (*before, *after))
    return tuple(
        name
        for name in names
        if [step.value for step in before if step.what == name] != [step.value for step in after if step.what == name]
    )


def parting(before: Sequence[Step], after: Sequence[Step]) -> Parting | None:
    """Return the first place where two courses part, or None where they are the same."""
    for one, other in zip_longest(before, after):
        if one == other:
            continue
        if one is None or other is None or one[:3] != other[:3]:
            one, other = _only(one, other)
        step = one or other
        if step is None:
            return None
        texts = [None if side is None else _text(side.value) for side in (one, other)]
        return Parting(
            what=step.what,
            agent=step.agent,
            turn=None if step.turn is None or step.turn < 0 else step.turn + 1,
            before=None if texts[0] is None else clip(texts[0], _MAX_TEXT),
            after=None if texts[1] is None else clip(texts[1], _MAX_TEXT),
            diff=short_diff(texts[0] or '', texts[1] or ''),
        )
    return None


def _only(one: Step | None, other: Step | None) -> tuple[Step | None, Step | None]:
    """Choose what one course has and the other has not: what ends a turn or a run comes behind what goes on in it."""
    if one is None or other is None:
        return one, other
    order = ('call', 'prompt', 'stop', 'output', 'result')
    ranks = [order.index(step.what) if step.what in order else len(order) for step in (one, other)]
    return (one, None) if ranks[0] <= ranks[1] else (None, other)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else as_text(value, indent=2)


def short_diff(before: str, after: str) -> str:
    """Return a unified diff of the region in which two texts differ, bounded in length and width."""
    if before.replace('\r\n', '\n') != after.replace('\r\n', '\n'):
        before, after = before.replace('\r\n', '\n'), after.replace('\r\n', '\n')
    old, new = before.split('\n'), after.split('\n')
    start = _common(old, new)
    end = _common(old[start:][::-1], new[start:][::-1])
    first = max(0, start - _CONTEXT)
    old, new = (rows[first : len(rows) - max(0, end - _CONTEXT)][:_MAX_COMPARED] for rows in (old, new))
    lines = list(difflib.unified_diff(old, new, n=_CONTEXT, lineterm=''))[3:]
    if not lines:
        return ''
    at = _common(*(side[start - first] if len(side) > start - first else '' for side in (old, new)))
    more = [f'... ({len(lines) - _MAX_LINES:,} more lines)'] if len(lines) > _MAX_LINES else []
    cut = ['...' if line.startswith('@@') else _cut(line, at) for line in lines[:_MAX_LINES]]
    return '\n'.join(['--- before', '+++ after', f'@@ line {first + 1} @@', *cut, *more])


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    return next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _cut(line: str, at: int) -> str:
    """Return the line, or where it is long the part of it around the first difference."""
    if len(line) <= _MAX_LINE:
        return line
    sign, text = line[:1], line[1:]
    start = max(0, min(at - _MAX_LINE // 4, len(text) - _MAX_LINE))
    return sign + excerpt(text, start, start + _MAX_LINE)
