"""A run as the page opens it: what the model wrote, cut into spans, beside what the node did, and what was expected."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from harness.expect.finding import NODE
from harness.gate.steady import steady, steady_telling, steady_text
from harness.scenario.yamlnode import key_path
from harness.scorecard.pack import LIMIT, shown
from harness.scorecard.spans import spans
from harness.show.summary import answer_of
from harness.show.visible import as_text, clip
from harness.verdicts.turns import GUARD

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from harness.expect.finding import Finding
    from harness.metrics.rows import TurnRow
    from harness.record import Failure, RunRecord, ToolCall, Turn
    from harness.results import StoredResult
    from harness.scenario.loading import ScenarioFile
    from harness.scorecard.pack import Packed, Pool

_WORTH_LEAVING_OUT: Final = 400
_NAME: Final = 300
_MOST_CALLS: Final = 200


def run_view(
    result: StoredResult, rows: Iterable[TurnRow], pool: Pool, file: ScenarioFile | None = None
) -> dict[str, Any]:
    """Return a stored run as JSON; `rows` are the verdicts of its turns. Fields that say nothing are left out.

    `file` is the scenario as it is now, where findings have their places.
    """
    record = result.record
    verdicts = {(row.agent, row.turn): row for row in rows}
    tools = {
        agent: {item.tool: _requires(item.input_schema) for item in record.offered if item.agent == agent}
        for agent in dict.fromkeys(turn.agent for turn in record.turns)
    }
    calls = list(record.calls[:_MOST_CALLS])
    turns = []
    before: dict[str, Turn] = {}
    for turn in record.turns:
        own = [call for call in calls if (call.agent, call.turn) == (turn.agent, turn.index)]
        calls = [call for call in calls if (call.agent, call.turn) != (turn.agent, turn.index)]
        view = _turn(turn, before.get(turn.agent), tools[turn.agent], own, pool)
        if record.model is not None and turn.error is None:  # of a script, and of a failure, it is our own time
            view['seconds'] = turn.latency_s
        row = verdicts.get((turn.agent, turn.index + 1))
        if row is not None:
            view |= {'form': row.form.value, 'kind': row.kind.value, 'flags': [flag.value for flag in row.flags]}
        turns.append(_said(view))
        before[turn.agent] = turn
    return _said(
        {
            'turns': turns,
            'calls': [_call(call, pool) for call in calls],
            'left': len(record.calls) - _MOST_CALLS if len(record.calls) > _MOST_CALLS else None,
            'offered': [shown(item.tool, _NAME) for item in record.offered],
            'answer': _text(answer_of(record), pool),
            'guard': [_value(entry, pool) for entry in _guards(record)],
            'lanes': [[shown(write.lane, _NAME), pool.put(steady_telling(write.text))] for write in record.lane_writes],
            'events': _events(record, pool),
            'payload': None if record.payload is None else _value(record.payload, pool),
            'unsafe': _text(record.payload_error, pool),
            'printed': _text(record.stdout or None, pool),
            'left_behind': _text(_left_behind(record), pool),
            'raised': _failure(record.raised, pool),
            'stopped': _text(record.stopped.message, pool) if record.stopped is not None else None,
            'problem': _text(result.problem or None, pool),
            'findings': [_finding(item, pool, file) for item in result.findings],
        }
    )


def _said(view: dict[str, Any]) -> dict[str, Any]:
    # The number 0 stays: it can be that of a pooled text.
    return {key: value for key, value in view.items() if value is not None and value not in ([], '', {})}


def _requires(schema: Any) -> bool:
    return isinstance(schema, dict) and bool(schema.get('required'))


def _turn(
    turn: Turn, before: Turn | None, tools: Mapping[str, bool], calls: list[ToolCall], pool: Pool
) -> dict[str, Any]:
    same, prompt = _prompt(turn, before)
    output = None if turn.output is None else clip(turn.output, LIMIT)
    return {
        'agent': '' if turn.agent == NODE else shown(turn.agent, _NAME),
        'n': turn.index + 1,
        'same': same or None,
        'prompt': pool.put(prompt),
        'out': None if output is None else [[look, shown(text)] for look, text in spans(output, tools)],
        'none': (output is None and turn.error is None) or None,
        'stop': [shown(word, _NAME) for word in turn.stop or ()],
        'end': shown(turn.finish_reason, _NAME) if turn.finish_reason else None,
        'read': turn.prompt_tokens,
        'wrote': turn.completion_tokens,
        'error': _failure(turn.error, pool),
        'calls': [_call(call, pool) for call in calls],
    }


def _prompt(turn: Turn, before: Turn | None) -> tuple[int, str]:
    """Return how many characters of a prompt stand in the one before it already, and the rest."""
    prompt = _told(turn)
    if before is None:
        return 0, prompt
    other = _told(before)
    kept = _common(prompt, other)
    if kept < _WORTH_LEAVING_OUT:
        return 0, prompt
    kept = prompt.rfind('\n', 0, kept) + 1
    return kept, prompt[kept:]


def _told(turn: Turn) -> str:
    return steady_telling(turn.prompt.replace('\r\n', '\n'))


def _common(text: str, other: str) -> int:
    """Return how long the common beginning of two texts is, in few comparisons of long pieces."""
    low, high = 0, min(len(text), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if text[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _call(call: ToolCall, pool: Pool) -> dict[str, Any]:
    return _said(
        {
            'tool': shown(call.tool, _NAME),
            'input': _value(call.input, pool),
            'output': None if call.error is not None else _value(call.output, pool),
            'error': _failure(call.error, pool),
        }
    )


def _value(value: Any, pool: Pool) -> Packed:
    return pool.put(steady_telling(value) if isinstance(value, str) else as_text(steady(value), indent=2))


def _text(text: str | None, pool: Pool) -> Packed | None:
    return None if text is None else pool.put(steady_telling(text))


def _failure(failure: Failure | None, pool: Pool) -> Packed | None:
    if failure is None:
        return None
    return pool.put(steady_text(f'{failure.type}: {failure.message}' if failure.message else failure.type))


def _guards(record: RunRecord) -> list[Any]:
    stack = record.payload.get('stack') if isinstance(record.payload, dict) else None
    entries = stack if isinstance(stack, list) else []
    return [entry for entry in entries if isinstance(entry, dict) and entry.get('kind') == GUARD]


def _events(record: RunRecord, pool: Pool) -> Packed | None:
    lines = []
    for event in record.events:
        message = event.data.get('message')
        said = message if isinstance(message, str) else as_text(steady(event.data)) if event.data else ''
        name = event.type if event.agent == NODE else f'{event.agent}: {event.type}'
        lines.append(f'{name}  {steady_text(said)}'.rstrip().replace('\n', '\\n'))
    return pool.put('\n'.join(lines)) if lines else None


def _left_behind(record: RunRecord) -> str | None:
    """Return what of the process a node left changed, one line for each."""
    lines = [f'a thread that goes on: {name}' for name in record.leaked_threads]
    lines += [f'{item.what}: {item.before} → {item.after}' for item in record.changed_state]
    return steady_text('\n'.join(lines)) or None


def _finding(item: Finding, pool: Pool, file: ScenarioFile | None) -> dict[str, Any]:
    return _said(
        {
            'key': shown(key_path(item.loc), _NAME),
            'level': item.level,
            'place': list(file.where(item.loc)) if file is not None else None,
            'message': _text(item.message, pool),
            'expected': None if item.expected is None else _value(item.expected, pool),
            'actual': None if item.actual is None else _value(item.actual, pool),
            'diff': _text(item.diff or None, pool),
        }
    )
