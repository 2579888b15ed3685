"""The transcript of a run as blocks, and texts made visible."""

from __future__ import annotations

from typing import Any

import pytest

from harness.record import Event, Failure, LaneWrite, RunRecord, ToolCall, Turn
from harness.show.transcript import transcript
from harness.show.visible import clip, json_safe, visible


def record(text: str = 'Answer: 41,200', **more: Any) -> RunRecord:
    values: dict[str, Any] = {
        'scenario': 'one-tool',
        'node': text,
        'turns': (
            Turn(agent='agent', index=0, prompt=f'The question. {text}', stop=('Observation:',), output=text),
            Turn(agent='child_1', index=0, prompt=text, stop=(text,), error=Failure(type='APIError', message=text)),
        ),
        'calls': (ToolCall(agent='agent', tool=text, input={text: text}, turn=0, output=[text]),),
        'events': (Event(agent='agent', type='thinking', data={'message': text, 'tool': text}),),
        'lane_writes': (LaneWrite(agent='agent', lane=text, text=text),),
        'payload': {'content': text, text: [text]},
        'raised': Failure(type='ValueError', message=text),
    }
    return RunRecord(**values | more)


def test_a_transcript_shows_every_part_of_a_run() -> None:
    blocks = transcript(record())

    assert [block.kind for block in blocks] == [
        'prompt', 'output', 'call', 'result', 'prompt', 'error', 'event', 'lane', 'payload', 'raised'
    ]  # fmt: skip
    assert [block.child for block in blocks] == [False] * 4 + [True] * 2 + [False] * 4


def test_a_call_follows_the_turn_that_made_it() -> None:
    turns = [Turn(agent='agent', index=n, prompt='p', stop=None, output=f'turn {n}') for n in (0, 1)]
    calls = [ToolCall(agent='agent', tool=f't{n}', input={}, turn=n, output=n) for n in (0, 1)]
    blocks = transcript(RunRecord(scenario='s', node='n', turns=tuple(turns), calls=tuple(calls)))

    shown = [block.label for block in blocks if block.kind in ('output', 'call')]
    assert shown == ['Turn 1 output', 'Call t0', 'Turn 2 output', 'Call t1']


def test_the_turns_of_a_child_stand_between_the_call_of_it_and_its_result() -> None:
    turns = (
        Turn(agent='agent', index=0, prompt='p', stop=None, output='ask the child'),
        Turn(agent='child_1', index=0, prompt='p', stop=None, output='look it up'),
        Turn(agent='child_1', index=1, prompt='p', stop=None, output='answer'),
        Turn(agent='agent', index=1, prompt='p', stop=None, output='done'),
    )
    calls = (
        ToolCall(agent='child_1', tool='search_1.query', input='inner', turn=0, output='found'),
        ToolCall(agent='agent', tool='child_1.run_agent', input='outer', turn=0, output='answered'),
    )
    blocks = transcript(RunRecord(scenario='s', node='n', turns=turns, calls=calls))

    assert [block.text for block in blocks if block.kind != 'prompt'] == [
        'ask the child', 'outer', 'look it up', 'inner', 'found', 'answer', 'answered', 'done'
    ]  # fmt: skip


def test_a_call_of_no_known_turn_is_not_lost() -> None:
    call = ToolCall(agent='agent', tool='lost', input={}, turn=9, output='o')

    assert 'Call lost' in [block.label for block in transcript(RunRecord(scenario='s', node='n', calls=(call,)))]


def test_a_later_prompt_shows_only_what_is_new() -> None:
    head = 'A line of the instructions.\r\n' * 40
    turns = (
        Turn(agent='agent', index=0, prompt=f'{head}The task', stop=None, output='a'),
        Turn(agent='agent', index=1, prompt=f'{head}The task\r\nObservation: 4', stop=None, output='b'),
    )
    first, second = [b for b in transcript(RunRecord(scenario='s', node='n', turns=turns)) if b.kind == 'prompt']

    assert first.text.count('A line') == 40
    assert 'A line' not in second.text
    assert 'characters as in turn 1' in second.text
    assert second.text.endswith('The task\nObservation: 4')
    assert f'{len(turns[1].prompt):,} characters' in second.remarks


def test_no_text_and_an_empty_text_are_told_apart() -> None:
    turns = tuple(
        Turn(agent='agent', index=n, prompt='p', stop=None, output=out) for n, out in enumerate((None, ''), 1)
    )
    notes = [b.note for b in transcript(RunRecord(scenario='s', node='n', turns=turns)) if b.kind == 'output']

    assert notes == ['The model gave no text.', 'An empty text.']


@pytest.mark.parametrize(
    ('text', 'shown'),
    [
        ('a\tb\nc', 'a\tb\nc'),
        ('\x1b[31m', '\\x1b[31m'),
        ('a\r\nb', 'a\\r\nb'),
        ('\u202eabc', '\\u202eabc'),
        ('\ud83d', '\\ud83d'),
        ('\U000e0041', '\\U000e0041'),
        ('日本 café 👍', '日本 café 👍'),
    ],
)
def test_visible_spells_out_what_a_screen_would_obey(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_a_clipped_text_says_how_much_is_missing() -> None:
    text = 'a' * 600 + 'z' * 600

    short = clip(text, 100)
    assert short == 'a' * 75 + '… [1,100 characters left out] …' + 'z' * 25
    assert clip('short', 100) == 'short'


def test_json_safe_keeps_what_json_can_hold() -> None:
    value = {'a': [1, 2.5, None, True, 'x'], 3: float('nan'), 'b': {1}, 'c': (float('inf'),)}

    assert json_safe(value) == {'a': [1, 2.5, None, True, 'x'], '3': 'nan', 'b': '{1}', 'c': ['inf']}
