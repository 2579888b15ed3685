"""A run as a page shows it: the blocks of its transcript in the order of reading."""

from __future__ import annotations

from typing import Any, Literal

from harness.record import Event, Failure, Frozen, RunRecord, ToolCall, Turn
from harness.show.visible import as_text, clip

LIMIT = 12_000
"""The most characters of one text in a report; a longer one loses its middle."""

_WORTH_LEAVING_OUT = 400
_NAME_LIMIT = 200


class Block(Frozen):
    """One piece of a transcript: what it is, remarks beside it, and its text.

    `note` stands for a text that is not there. `child` marks what a child agent did, `folded` what opens on demand.
    """

    kind: Literal['prompt', 'output', 'call', 'result', 'error', 'event', 'lane', 'payload', 'raised']
    label: str
    remarks: tuple[str, ...] = ()
    text: str = ''
    note: str = ''
    child: bool = False
    folded: bool = False


def transcript(record: RunRecord, limit: int = LIMIT) -> tuple[Block, ...]:
    """Return the blocks of a run: its turns with their tool calls, then events, lane writes and what was returned.

    A prompt that begins as the one before it shows only what is new.
    """
    blocks = _Reading(record, limit).blocks()
    if record.events:
        lines = '\n'.join(_event_line(event) for event in record.events)
        blocks.append(_text_block('event', 'Events', lines, limit))
    blocks += [
        _text_block('lane', f'Lane {write.lane}', write.text, limit, agent=write.agent) for write in record.lane_writes
    ]
    if record.payload is not None:
        text = clip(as_text(record.payload, indent=2), limit)
        blocks.append(Block(kind='payload', label='Payload', text=text, remarks=_length(text), folded=True))
    if record.raised is not None:
        blocks.append(_failure_block('raised', 'Raised', record.raised, limit))
    return tuple(blocks)


class _Reading:
    """Turns and calls in the order of reading: a child agent's turns stand between the call of it and its result."""

    def __init__(self, record: RunRecord, limit: int) -> None:
        self._turns = record.turns
        self._calls = list(record.calls)
        self._before: dict[str, Turn] = {}
        self._limit = limit

    def blocks(self) -> list[Block]:
        blocks = self._of(self._turns)
        for call in self._calls:
            blocks += [*_call_blocks(call, self._limit), *_result_blocks(call, self._limit)]
        return blocks

    def _of(self, turns: tuple[Turn, ...]) -> list[Block]:
        blocks: list[Block] = []
        while turns:
            turn, *later = turns
            end = next((at for at, other in enumerate(later) if other.agent == turn.agent), len(later))
            inside, turns = tuple(later[:end]), tuple(later[end:])
            blocks += _turn_blocks(turn, self._before.get(turn.agent), self._limit)
            self._before[turn.agent] = turn
            for call in self._taken(turn):
                blocks += _call_blocks(call, self._limit)
                if inside and call.tool.startswith(f'{inside[0].agent}.'):
                    blocks += self._of(inside)
                    inside = ()
                blocks += _result_blocks(call, self._limit)
            blocks += self._of(inside)
        return blocks

    def _taken(self, turn: Turn) -> list[ToolCall]:
        """Take out the calls that followed a turn."""
        mine = [call for call in self._calls if (call.agent, call.turn) == (turn.agent, turn.index)]
        self._calls = [call for call in self._calls if (call.agent, call.turn) != (turn.agent, turn.index)]
        return mine


def _turn_blocks(turn: Turn, before: Turn | None, limit: int) -> list[Block]:
    stop = () if turn.stop is None else ('stop ' + clip(' '.join(as_text(word) for word in turn.stop), _NAME_LIMIT),)
    name = f'Turn {turn.index + 1}'
    prompt = _plain_newlines(turn.prompt)
    kept = 0 if before is None else _common(prompt, _plain_newlines(before.prompt))
    if before is not None and kept >= _WORTH_LEAVING_OUT:
        kept = prompt.rfind('\n', 0, kept) + 1
        text = f'… [{kept:,} characters as in turn {before.index + 1}] …\n{prompt[kept:]}'
    else:
        text = prompt
    child = turn.agent != 'agent'
    blocks = [
        Block(
            kind='prompt',
            label=_named(f'{name} prompt', turn.agent),
            remarks=(f'{len(turn.prompt):,} characters', *stop),
            text=clip(text, limit),
            child=child,
            folded=True,
        )
    ]
    if turn.error is not None:
        blocks.append(_failure_block('error', f'{name} model error', turn.error, limit, turn.agent))
        return blocks
    remarks = [f'finish reason {turn.finish_reason}'] if turn.finish_reason else []
    if turn.completion_tokens is not None:
        remarks.append(f'{turn.completion_tokens:,} tokens')
    if turn.output is None:
        note = 'The model gave no text.'
        blocks.append(
            Block(
                kind='output',
                label=_named(f'{name} output', turn.agent),
                note=note,
                remarks=tuple(remarks),
                child=child,
            )
        )
    else:
        blocks.append(_text_block('output', f'{name} output', turn.output, limit, agent=turn.agent, remarks=remarks))
    return blocks


def _call_blocks(call: ToolCall, limit: int) -> list[Block]:
    return [_text_block('call', f'Call {call.tool}', _value(call.input), limit, agent=call.agent)]


def _result_blocks(call: ToolCall, limit: int) -> list[Block]:
    if call.error is not None:
        return [_failure_block('error', 'Tool error', call.error, limit, call.agent)]
    return [_text_block('result', 'Tool result', _value(call.output), limit, agent=call.agent)]


def _event_line(event: Event) -> str:
    message = event.data.get('message')
    rest = {key: value for key, value in event.data.items() if key != 'message' or not isinstance(value, str)}
    said = [event.type, *([message] if isinstance(message, str) else []), *([as_text(rest)] if rest else [])]
    line = '  '.join(said).replace('\n', '\\n')
    return line if event.agent == 'agent' else f'{event.agent}: {line}'


def _text_block(
    kind: Literal['output', 'call', 'result', 'event', 'lane'],
    label: str,
    text: str,
    limit: int,
    *,
    agent: str = 'agent',
    remarks: list[str] | None = None,
) -> Block:
    return Block(
        kind=kind,
        label=_named(label, agent),
        remarks=tuple(remarks or ()),
        text=clip(text, limit),
        note='' if text else 'An empty text.',
        child=agent != 'agent',
    )


def _failure_block(
    kind: Literal['error', 'raised'], label: str, failure: Failure, limit: int, agent: str = 'agent'
) -> Block:
    text = f'{failure.type}: {failure.message}' if failure.message else failure.type
    return Block(kind=kind, label=_named(label, agent), text=clip(text, limit), child=agent != 'agent')


def _value(value: Any) -> str:
    return value if isinstance(value, str) else as_text(value, indent=2)


def _named(label: str, agent: str) -> str:
    return clip(label if agent == 'agent' else f'{agent}: {label}', _NAME_LIMIT)


def _length(text: str) -> tuple[str]:
    return (f'{len(text):,} characters',)


def _common(text: str, other: str) -> int:
    return next((at for at, (a, b) in enumerate(zip(text, other, strict=False)) if a != b), min(len(text), len(other)))


def _plain_newlines(text: str) -> str:
    # Prompts of the platform end every line in CRLF: spelling that out on each line would bury what matters.
    return text.replace('\r\n', '\n')
