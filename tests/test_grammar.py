"""The reference grammar: the form of a turn, and that it and the node's reader, which share no code, agree."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from harness.engine.platform import ensure_platform
from harness.grammar import Form, Kind, read_turn

ensure_platform()

from agent_llamaindex.reader import Answer, Call, Direct, read  # noqa: E402

TOOLS = {'search': True, 'now': False}

STRICT = [
    'Thought: I look it up.\nAction: search\nAction Input: {"q": 1}',
    'Thought: I look it up.\nIt is far away.\nAction: search\nAction Input: {"q": "a\\nb", "n": [1, {"x": null}]}\n',
    'Thought: x\nAction: now\nAction Input: {}',
    'Thought: x\nAction: elsewhere\nAction Input: {"q": 1}',
    'Thought: I can answer without using any more tools.\nAnswer: 5',
    'Thought: I know.\nAnswer: Two lines:\n\n- one\n- two',
]
LENIENT = [
    'Action: search\nAction Input: {"q": 1}',
    'thought: x\naction: search\naction input: {"q": 1}',
    'Thought:x\nAction:search\nAction Input:{"q": 1}',
    'Thought: x\nAction: `search`\nAction Input: {"q": 1}',
    "Thought: x\nAction: search\nAction Input: {'q': 1}",
    'Thought: x\nAction: search\nAction Input: {q: 1,}',
    'Thought: x\nAction: search\nAction Input: {"q": 1}\nObservation: 5',
    'Thought: x\nAction: search\nAction Input: {"q": 1} and so on',
    'Thought: x\nAction: search\nAction Input: {"q": 1}\nAction: now\nAction Input: {}',
    'Thought: x\r\nAction: search\r\nAction Input: {"q": 1}',
    '**Thought:** x\n**Action:** search\n**Action Input:** {"q": 1}',
    '```\nThought: x\nAction: search\nAction Input: {"q": 1}\n```',
    '<think>hm</think>\nThought: x\nAction: search\nAction Input: {"q": 1}',
    'Thought: x\nAction: now',
    'Thought: x\nAction: now()\nAction Input: None',
    'Thought: x\nAction: search\nAction Input: {"q": 1}</s>',
    'Answer: 5',
    'Thought: x\nFinal Answer: 5',
    'Thought: x\nAnswer: 5<|im_end|>',
    'Thought： x\nAction： search\nAction Input： {"q": 1}',
]
MALFORMED = [
    'Thought: x\nAction: search',
    'Thought: x\nAction: search\nAction Input: rome',
    'Thought: x\nAction: search\nAction Input: {"q": "a',
    'Thought: x\nAction: search\nAction Input: {"q": 2024-10-15}',
    'Thought: x\nAction: search\nAction Input: {"q": 1, "q": 2}',
    'Thought: x\nAction: search\nAction Input: {"q": "C:\\dir"}',
    'Thought: x\nAction: search\nAction Input: [{"q": 1}]',
    'Thought: x\nAction: search\nAction Input: {"q": NaN}',
    'Thought: x\nAction: search\nAction Input: {"q": 1}{"q": 2}',
    "Thought: x\nAction: search\nAction Input: {'q': 2*3}",
    "Thought: x\nAction: search\nAction Input: {'q': 'a' 'b'}",
    'Thought: x\nAction: search(q=1)',
    'Thought: x\nAction: {"name": "search", "arguments": {"q": 1}}',
    'Action Input: {"q": 1}',
]
FOREIGN = [
    '{"name": "search", "arguments": {"q": 1}}',
    '```json\n{"action": "search", "action_input": {"q": 1}}\n```',
    '<tool_call>\n{"name": "search", "arguments": {}}\n</tool_call>',
    '[TOOL_CALLS][{"name": "search", "arguments": {}}]',
    '<function=search>{"q": 1}</function>',
    '✿FUNCTION✿: search\n✿ARGS✿: {"q": 1}',
    '<|channel|>commentary to=functions.search <|message|>{"q": 1}',
    'Thought: x\nAction: {"name": "search", "arguments": {"q": 1}}',
]
DIRECT = [
    'It has 41,200 residents.',
    'Thought: I think that it is far away.',
    'The label Action: stands in a sentence.',
    'Action: replace the seal and restart the pump',
    'Action: None\nIt needs no tool.',
    '{"residents": 41200}',
    'Use the function like this: f(x).',
]
EMPTY: list[str | None] = [None, '', ' \n', 'Answer:', '<think>hm</think>', '<think>without an end', '</s>']


def by_form(form: Form, outputs: list[Any]) -> list[Any]:
    return [pytest.param(form, output, id=f'{form}-{output!r}'[:90]) for output in outputs]


@pytest.mark.parametrize(
    ('form', 'output'),
    [
        *by_form(Form.STRICT, STRICT),
        *by_form(Form.LENIENT, LENIENT),
        *by_form(Form.MALFORMED, MALFORMED + FOREIGN),
        *by_form(Form.DIRECT, DIRECT),
        *by_form(Form.EMPTY, EMPTY),
    ],
)
def test_a_turn_has_the_form_it_is_written_in(form: Form, output: str | None) -> None:
    assert read_turn(output, TOOLS).form is form


@pytest.mark.parametrize('output', FOREIGN)
def test_a_call_in_another_notation_is_an_attempt_and_never_abstaining(output: str) -> None:
    reading = read_turn(output, TOOLS)

    assert (reading.kind, reading.foreign) == (Kind.CALL, True)


@pytest.mark.parametrize('output', STRICT + LENIENT + MALFORMED[:10] + DIRECT)
def test_what_is_no_other_notation_is_not_flagged_as_one(output: str) -> None:
    assert not read_turn(output, TOOLS).foreign


def test_the_facts_about_a_turn_are_counted_apart_from_its_form() -> None:
    reading = read_turn(
        '<think>hm</think>\nAction: search\nAction Input: {"q": 1}\nObservation: 5\nAction: now\nAction Input: {}',
        TOOLS,
    )

    assert (reading.name, reading.input) == ('search', {'q': 1})
    assert (reading.steps, reading.observation, reading.reasoning) == (2, True, True)


# ------------------------------------------------------------------------------------------------ against the reader

LINES = [
    *(line for output in (*STRICT, *LENIENT, *MALFORMED, *DIRECT) for line in output.split('\n')),
    *('```', '```json', '~~~', '<think>', '</think>', 'User: what?', '', '- Action: now', '### Action: search'),
    *('Observation: x', 'action_input: {}', 'Action 2: search', '{"q": "x"}', 'Action: n/a', 'Action: other tool'),
]
turns = st.lists(st.sampled_from(LINES), min_size=1, max_size=7).map('\n'.join)


@given(turns)
@settings(max_examples=1_500)
@example('Thought: x\nAction: search\nAction Input: {"q": 1}\nObservation: made up\nAnswer: no')
@example('Thought: I look it up.\n<think>\nAction: search\nAction Input: {"q": 1}')
def test_the_grammar_and_the_reader_of_the_node_see_the_same_calls(output: str) -> None:
    reference, reading = read_turn(output, TOOLS), read(output, TOOLS)

    if isinstance(reading, Call) and (reading.known or reference.form is not Form.MALFORMED):
        assert (reference.kind, reference.name, reference.input) == (Kind.CALL, reading.name, reading.arguments)
    elif reference.kind is Kind.CALL and reference.form is not Form.MALFORMED:
        pytest.fail(f'the reader sees no call: {reading}')
    if isinstance(reading, Direct) and reading.malformed:
        assert reference.form is Form.MALFORMED


@given(turns)
@settings(max_examples=500)
def test_the_grammar_and_the_reader_of_the_node_see_the_same_final_answers(output: str) -> None:
    reference, reading = read_turn(output, TOOLS), read(output, TOOLS)

    assert (reference.kind is Kind.ANSWER) == (isinstance(reading, Answer) and bool(reading.text))


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.floats(-1e6, 1e6) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(min_size=1, max_size=6), VALUES, max_size=4))
def test_any_json_object_in_the_canonical_form_is_strict_and_read_exactly(value: dict[str, Any]) -> None:
    reading = read_turn(f'Thought: x\nAction: search\nAction Input: {json.dumps(value)}', TOOLS)

    assert (reading.form, reading.input) == (Form.STRICT, value)


@given(st.text(max_size=200))
def test_any_text_is_read(output: str) -> None:
    assert read_turn(output, TOOLS).form in Form
