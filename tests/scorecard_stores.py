"""Results stores made by hand, for tests of the scorecard."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from harness.expect.finding import Finding
from harness.record import Failure, Offered, RunRecord, ToolCall, Turn
from harness.results import Header, StoredResult, write

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

DIGEST = '0' * 64
CALL = 'Thought: I look.\nAction: places.find\nAction Input: {"q": "Orvex"}'
ANSWER = 'Thought: I know.\nAnswer: It is 41.'
MALFORMED = 'Thought: I look.\nAction: places.find\nAction Input: Orvex'
SCHEMA = {'type': 'object', 'properties': {'q': {'type': 'string'}}, 'required': ['q']}


def head(**changes: Any) -> Header:
    values: dict[str, Any] = {
        'suite': DIGEST,
        'node': 'agent_sample',
        'node_digest': 'a' * 64,
        'platform': 'stand-in',
        'versions': {'python': '3.11.7'},
        'created': datetime(2026, 1, 2, 3, 4, tzinfo=UTC),
    }
    return Header(**{**values, **changes})


def result(
    scenario: str = 'find-a-place',
    model: str | None = 'small-1b',
    outputs: Sequence[str | None] = (CALL, ANSWER),
    *,
    epoch: int = 1,
    solved: bool | None = True,
    parameters: dict[str, float | int | str] | None = None,
    **changes: Any,
) -> StoredResult:
    prompt = 'Use the tools that you have where you need one.\n' * 20
    turns = []
    for number, output in enumerate(outputs):
        turns.append(Turn(agent='agent', index=number, prompt=prompt, stop=('Observation:',), output=output,
                          finish_reason='stop', prompt_tokens=100, completion_tokens=20, latency_s=0.5))  # fmt: skip
        prompt += f'\n{output}\nObservation: found'
    calls = [
        ToolCall(agent='agent', tool='places.find', input={'q': 'Orvex'}, turn=turn.index, output='Marsum')
        for turn in turns
        if turn.output == CALL
    ]
    last = outputs[-1] if outputs else None
    record = RunRecord(
        scenario=scenario,
        node='agent_sample',
        model=model,
        parameters=parameters if parameters is not None else {'temperature': 0.0} if model else {},
        epoch=epoch,
        turns=tuple(turns),
        offered=(Offered(agent='agent', tool='places.find', input_schema=SCHEMA),),
        calls=tuple(calls),
        payload={'content': last, 'stack': []},
    )
    values: dict[str, Any] = {
        'record': record,
        'family': 'evaluation',
        'task_family': 'one-tool',
        'level': 'hardening',
        'solved': solved if model else None,
        'needs_tool': True,
        'asked': DIGEST,
        'expected': DIGEST,
    }
    return StoredResult(**{**values, **changes})


def scripted(scenario: str = 'plain-answer', **changes: Any) -> StoredResult:
    return result(scenario, None, (ANSWER,), needs_tool=None, family='loop', task_family=None, **changes)


def finding(message: str = 'the answer is not the expected text') -> Finding:
    return Finding(
        loc=('expect', 'answer'), message=message, expected='It is 42.', actual='It is 41.', diff='- 42\n+ 41\n'
    )


def failure() -> Failure:
    return Failure(type='RateLimitError', message='slow down')


def store(path: Path, results: Iterable[StoredResult], header: Header | None = None) -> Path:
    write(path, header or head(), results)
    return path
