"""The reader: what one model output says, rule by rule as docs/reader.md has them."""

from __future__ import annotations

import sys
from itertools import product

import pytest
from node_reader import Answer, Call, Direct, canonical, read

TOOLS = {'search': True, 'clock': False, 'delete_all': True, 'web-search.v2': True, 'find pages': True}
CALL = Call('x', 'search', {'q': 1})

THOUGHTS = [
    'Thought: x', 'thought: x', 'THOUGHT:x', '  Thought:  x', '\tThought:\tx', '**Thought:** x', '**Thought**: x',
    '__Thought:__ x', '*Thought*: x', '***Thought:*** x', '### Thought: x', '###### **Thought:** x', '- Thought: x',
    '* Thought: x', 'Thought 1: x', 'Thought12: x', 'Thought：x', 'Thought : x', 'Thought:\nx', '**Thought: x**',
    '\ufeffThought: x', '\u200bThought: x', '\xa0Thought:\xa0x', '\u3000Thought：\u3000x',
]  # fmt: skip
ACTIONS = [
    'Action: search', 'action: search', 'ACTION:search', '  Action:  search', '\tAction:\tsearch', '**Action:** search',
    '**Action**: search', '__Action__: search', '### Action: search', '- Action: search', '* **Action:** search',
    'Action 1: search', 'Action_1: search', 'Action：search', 'Action : search', 'Action:\nsearch',
    'Action: \n\n  search',
    '**Action: search**', 'Action:\u3000search', 'Action:\u200bsearch', 'Action:\n```\nsearch\n```',
]  # fmt: skip
INPUTS = [
    'Action Input: {"q": 1}', 'action input: {"q": 1}', 'ACTION INPUT:{"q": 1}', 'Action input:  {"q": 1}',
    'Action_Input: {"q": 1}', 'ActionInput: {"q": 1}', 'action_input:\t{"q": 1}', '**Action Input:** {"q": 1}',
    '**Action Input**: {"q": 1}', '**Action_Input: {"q": 1}**', '## Action Input: {"q": 1}', '- Action Input: {"q": 1}',
    'Action Input 1: {"q": 1}', 'Action Input：{"q": 1}', 'Action Input:\n{"q": 1}', 'Action Input:\n\n{\n  "q": 1\n}',
    'Action Input: ```json\n{"q": 1}\n```', 'Action Input:\n```\n{"q": 1}\n```',
    'Action Input:\n~~~json5\n{"q": 1}\n~~~',
    'Action Input: `{"q": 1}`', 'Action\xa0Input: {"q": 1}', '\u200bAction Input: {"q": 1}',
]  # fmt: skip
ANSWERS = [
    'Answer: Paris', 'answer: Paris', 'ANSWER:Paris', '  Answer:   Paris', 'Answer:\nParis', 'Answer:\n\n  Paris  \n',
    '**Answer:** Paris', '**Answer**: Paris', '**Answer: Paris**', '**Answer: ** Paris', '### Answer: Paris',
    '- Answer: Paris',
    'Answer 1: Paris', 'Answer：Paris', 'Final Answer: Paris', 'final answer: Paris', 'FINAL ANSWER: Paris',
    'FinalAnswer: Paris', 'Final_Answer: Paris', '**Final Answer:** Paris', '**Final Answer: Paris**',
    '## Final Answer\t:Paris',
    'Final Answer：Paris', '* **Final Answer**：Paris',
]  # fmt: skip
LINE_ENDS = ['\n', '\r\n', '\r', '\n\n', '\u2028']


def step(name: str = 'search', text: str = '{"q": 1}', thought: str = 'x') -> str:
    return f'Thought: {thought}\nAction: {name}\nAction Input: {text}'


# ----------------------------------------------------------------------------------------- 1 reasoning, template tokens


@pytest.mark.parametrize('tag', ['think', 'thinking', 'reasoning', 'THINK', 'Think '])
def test_a_closed_reasoning_block_is_no_part_of_the_answer(tag: str) -> None:
    assert read(f'<{tag}>It is\nParis.</{tag}>\n\nParis is it.', TOOLS) == Direct('Paris is it.')
    assert read(f'<{tag}>hm</{tag}>Thought: x\nAnswer: Paris', TOOLS) == Answer('x', 'Paris')
    assert read(f'Thought: x\nAnswer: Pa\n<{tag}>hm</{tag}>ris', TOOLS) == Answer('x', 'Pa\nris')


def test_a_call_inside_a_reasoning_block_is_never_run() -> None:
    block = f'<think>\n{step("delete_all")}\nNo.\n</think>\n'
    assert read(f'{block}{step()}', TOOLS) == CALL
    assert read(f'Thought: x\n{block}Action: search\nAction Input: {{"q": 1}}', TOOLS) == CALL
    assert read(f'{block}All is well.', TOOLS) == Direct('All is well.')
    assert read(f'{block}Thought: x\nAnswer: 4', TOOLS) == Answer('x', '4')


def test_a_label_directly_behind_a_reasoning_block_stands_at_a_line_start() -> None:
    assert read(f'<think>a</think><think>b</think> {step()}', TOOLS) == CALL
    assert read('Paris.\n<think>a</think> <think>b</think>', TOOLS) == Direct('Paris.')


def test_an_opening_tag_counts_at_a_line_start_only() -> None:
    assert read('The tag <think> opens a block.', TOOLS) == Direct('The tag <think> opens a block.')
    assert read(f'  \t<think>{step("delete_all")}', TOOLS) == Direct('')


def test_an_unclosed_reasoning_block_runs_to_the_end() -> None:
    assert read(f'<think>first\n{step()}', TOOLS) == Direct('')
    assert read(f'Paris.\n<think>or\n{step()}', TOOLS) == Direct('Paris.')
    assert read(f'<think>a</thinking>\n{step()}', TOOLS) == Direct('')


def test_a_closing_tag_without_an_opening_one_makes_everything_before_it_reasoning() -> None:
    assert read(f'{step("delete_all")}\nNo.</think>\nThought: x\nAnswer: 4', TOOLS) == Answer('x', '4')
    assert read(f'<think>a</think>b\n{step("delete_all")}</think>4', TOOLS) == Direct('4')
    assert read(f'{step("delete_all")}\n<think>a</think>b</think>4', TOOLS) == Direct('4')
    assert read(f'{step("delete_all")}</think>', TOOLS) == Direct('')


@pytest.mark.parametrize(
    'token', ['<|im_end|>', '<|eot_id|>', '</s>', '<eos>', '<end_of_turn>', '<｜end▁of▁sentence｜>', ' </s>\n</s>']
)
def test_trailing_template_tokens_are_dropped(token: str) -> None:
    assert read(f'Thought: x\nAnswer: Paris{token}', TOOLS) == Answer('x', 'Paris')
    assert read(f'Paris{token}\n', TOOLS) == Direct('Paris')
    assert read(f'{step()}{token}', TOOLS) == CALL
    assert read(f'Thought: x\nAction: clock{token}', TOOLS) == Call('x', 'clock', {})
    assert read(f'Thought: x\nAction: None{token}', TOOLS) == Direct('x')


def test_template_tokens_are_dropped_from_the_end_of_what_is_left_of_a_turn() -> None:
    assert read('Thought: x\nAnswer: Paris<|im_end|>\nObservation: y', TOOLS) == Answer('x', 'Paris')
    assert read('Thought: x\nAnswer: Paris</s>\nThought: more', TOOLS) == Answer('x', 'Paris')
    assert read('Thought: x\n**Answer: Paris</s>**', TOOLS) == Answer('x', 'Paris')
    assert read('Action: clock</s>\nObservation: y', TOOLS) == Call('', 'clock', {})


def test_a_template_token_inside_the_text_stays() -> None:
    assert read('Thought: x\nAnswer: <|im_end|> ends a turn.', TOOLS) == Answer('x', '<|im_end|> ends a turn.')


def test_an_input_across_a_reasoning_block_was_not_written_whole() -> None:
    assert read('Action: search\nAction Input: {"q": "a\n<think>hm</think>b"}', TOOLS).malformed
    assert read('Action: search\nAction Input:\n<think>hm</think>\n{"q": 1}\n<think>so</think>', TOOLS) == Call(
        '', 'search', {'q': 1}
    )


# ---------------------------------------------------------------------------------------------------------- 2 stop word


@pytest.mark.parametrize(
    'label',
    [
        'Observation:',
        'observation:',
        'OBSERVATION :',
        '**Observation:**',
        '## Observation:',
        '- Observation:',
        'Observation 1：',
    ],
)
def test_everything_from_the_first_line_that_starts_with_observation_is_dropped(label: str) -> None:
    invented = f'\n{label} 42 {{"r": 9}}\n{step("delete_all")}\nAnswer: 42'
    assert read(step() + invented, TOOLS) == CALL
    assert read('Thought: x\nAnswer: Paris' + invented, TOOLS) == Answer('x', 'Paris')
    assert read('It is Paris.' + invented, TOOLS) == Direct('It is Paris.')
    assert read(f'{label} 42', TOOLS) == Direct('')


def test_an_observation_in_the_middle_of_a_line_is_text() -> None:
    assert read('Thought: x\nAnswer: The Observation: field is empty.', TOOLS) == Answer(
        'x', 'The Observation: field is empty.'
    )
    assert read(step('search', '{"q": "Observation: x"}'), TOOLS) == Call('x', 'search', {'q': 'Observation: x'})


def test_an_input_that_an_observation_line_cuts_is_not_whole() -> None:
    assert read('Action: search\nAction Input: {"q": "a\nObservation: b"}', TOOLS) == Direct(
        'Action: search\nAction Input: {"q": "a', malformed=True
    )


# ------------------------------------------------------------------------------------------------------------- 3 labels


@pytest.mark.parametrize('thought', THOUGHTS)
def test_every_spelling_of_thought_is_the_same_label(thought: str) -> None:
    assert read(f'{thought}\nAction: search\nAction Input: {{"q": 1}}', TOOLS) == CALL
    assert read(f'{thought}\nAnswer: y', TOOLS) == Answer('x', 'y')
    assert read(thought, TOOLS) == Direct('x')


@pytest.mark.parametrize('action', ACTIONS)
def test_every_spelling_of_action_is_the_same_label(action: str) -> None:
    assert read(f'Thought: x\n{action}\nAction Input: {{"q": 1}}', TOOLS) == CALL


@pytest.mark.parametrize('text', INPUTS)
def test_every_spelling_of_action_input_is_the_same_label(text: str) -> None:
    assert read(f'Thought: x\nAction: search\n{text}', TOOLS) == CALL
    assert read(f'Thought: x\nAction: search\n{text}\nI wait now.\n\nThought: y\nAnswer: z', TOOLS) == CALL


@pytest.mark.parametrize('answer', ANSWERS)
def test_every_spelling_of_answer_is_the_same_label(answer: str) -> None:
    assert read(f'Thought: x\n{answer}', TOOLS) == Answer('x', 'Paris')
    assert read(answer, TOOLS) == Answer('', 'Paris')


def test_all_spellings_can_be_mixed_in_one_step() -> None:
    for parts in product(THOUGHTS, ACTIONS, INPUTS, ['\n', '\r\n']):
        *labels, line_end = parts
        text = line_end.join(label.replace('\n', line_end) for label in labels)
        assert read(text, TOOLS) == CALL, text
    for thought, answer in product(THOUGHTS, ANSWERS):
        assert read(f'{thought}\n{answer}', TOOLS) == Answer('x', 'Paris')


@pytest.mark.parametrize('line_end', LINE_ENDS)
def test_every_line_end_ends_a_line(line_end: str) -> None:
    lines = ['Thought: x', 'Action: search', 'Action Input: {"q": 1}', 'I wait.', 'Observation: 1']
    assert read(line_end.join(lines), TOOLS) == CALL
    assert read(line_end.join(['Thought: x', 'Answer: Paris', '', 'Question: y', 'Answer: z']), TOOLS) == Answer(
        'x', 'Paris'
    )


@pytest.mark.parametrize(
    'line',
    [
        'Corrective Action: clock', 'The Action: clock', 'x Action: clock', '1. Action: clock', '> Action: clock',
        'Actions: clock', 'Reaction: clock', 'Action clock', 'Action - clock', 'Action', '行动: clock', 'Acción: clock',
    ],
)  # fmt: skip
def test_a_label_inside_a_line_or_in_another_word_is_text(line: str) -> None:
    assert read(line, TOOLS) == Direct(line)
    assert read(f'Thought: x\nAnswer: Two steps.\n{line}', TOOLS) == Answer('x', f'Two steps.\n{line}')
    assert read(f'Thought: x\n{line}\nAction: search\nAction Input: {{"q": 1}}', TOOLS) == Call(
        f'x\n{line}', 'search', {'q': 1}
    )


def test_a_code_fence_around_the_labels_is_dropped() -> None:
    assert read(f'```\n{step()}\n```', TOOLS) == CALL
    assert read(f'~~~text\n{step()}', TOOLS) == CALL
    assert read('```\nThought: x\nAnswer: Paris\n```', TOOLS) == Answer('x', 'Paris')
    assert read('```\nThought: x\nAnswer: Paris', TOOLS) == Answer('x', 'Paris')
    assert read('```\nThought: x\nAnswer: Paris\nThought: y\n```', TOOLS) == Answer('x', 'Paris')
    assert read('```\nThought: It is Paris.\n```', TOOLS) == Direct('It is Paris.')
    assert read('```\nThought: x\nAction: None\n```', TOOLS) == Direct('x')
    assert read('```\nThought: x\nAnswer: ```\nprint(1)\n```', TOOLS) == Answer('x', '```\nprint(1)\n```')


def test_a_fence_inside_an_answer_stays() -> None:
    code = '```python\nprint("a")\n```'
    assert read(f'Thought: x\nAnswer:\n{code}', TOOLS) == Answer('x', code)
    assert read(f'Thought: x\nAnswer: {code}\nThat is all.', TOOLS) == Answer('x', f'{code}\nThat is all.')
    assert read('Thought: x\nAnswer: ```\na\n```', TOOLS) == Answer('x', '```\na\n```')
    assert read(code, TOOLS) == Direct(code)


def test_labels_in_a_closed_fence_do_not_count_if_an_unfenced_step_follows() -> None:
    example = f'```\n{step("delete_all")}\nAnswer: 5\n```\n'
    assert read(f'{example}Action: search\nAction Input: {{"q": 1}}', TOOLS).name == 'search'
    assert read(f'Action: clock\n{example}Action: search\nAction Input: {{"q": 1}}', TOOLS) == Call('', 'clock', {})
    assert read('Action: search\n```\nAction Input: {"q": 2}\n```\n' + step('clock', '{}'), TOOLS).malformed


def test_labels_in_a_closed_fence_count_if_no_unfenced_step_follows() -> None:
    fenced = f'So:\n```\n{step()}\n```\n'
    for behind in ('', 'I wait.', 'Answer: 5', 'Action: clock', 'Thought: y\nAction: clock\nThought: z'):
        assert read(fenced + behind, TOOLS) == Call('So:\n x', 'search', {'q': 1})


def test_the_first_of_several_fenced_steps_wins() -> None:
    assert read(f'```\n{step()}\n```\n```\n{step("delete_all")}\n```', TOOLS) == CALL
    inner = 'Thought: x\nAction: search\nAction Input: ```json\n{"q": 1}\n```'
    assert read(f'```\n{inner}\n{step("delete_all")}\n```', TOOLS) == CALL


def test_a_missing_or_empty_thought_is_fine() -> None:
    for thought in ('', 'Thought:\n', 'Thought: \n\n'):
        assert read(f'{thought}Action: search\nAction Input: {{"q": 1}}', TOOLS) == Call('', 'search', {'q': 1})
        assert read(f'{thought}Answer: Paris', TOOLS) == Answer('', 'Paris')


def test_prose_before_a_step_is_its_thought() -> None:
    assert read('Let me look.\nAction: search\nAction Input: {"q": 1}', TOOLS) == Call(
        'Let me look.', 'search', {'q': 1}
    )
    assert read('First.\n\nThought: a\nb\nAnswer: Paris', TOOLS) == Answer('First.\n\n a\nb', 'Paris')


def test_a_doubled_label_is_one_label() -> None:
    assert read('Thought: Thought: x\nAction: search\nAction Input: {"q": 1}', TOOLS) == CALL
    assert read('Thought: x\nAction:\nAction: search\nAction Input:\nAction Input: {"q": 1}', TOOLS) == CALL
    assert read('Thought: x\nAction: Action: search\nAction Input: Action Input: {"q": 1}', TOOLS) == CALL
    assert read('Thought: x\nAnswer:\nFinal Answer: Paris', TOOLS) == Answer('x', 'Paris')


@pytest.mark.parametrize(
    'text',
    [
        '{"action": "search", "action_input": {"q": 1}}',
        '```json\n{"action": "search", "action_input": {"q": 1}}\n```',
        '<tool_call>\n{"name": "search", "arguments": {"q": 1}}\n</tool_call>',
        '{"name": "search", "arguments": {"q": 1}}',
        'search({"q": 1})',
        'Action:\n```json\n{"action": "search", "action_input": {"q": 1}}\n```',
        'Action: {"name": "search", "parameters": {"q": 1}}',
        'Action: `{"name": "search"}`\nAction Input: {"q": 1}',
        'Action: [{"name": "search"}]',
        '思考：需要\n行动：search\n行动输入：{"q": 1}',
    ],
)
def test_envelopes_native_calls_and_other_languages_are_direct_answers(text: str) -> None:
    assert read(text, TOOLS) == Direct(text)


# --------------------------------------------------------------------------------------------------------- 4 first step


def test_the_first_step_wins_and_what_follows_its_input_is_dropped() -> None:
    for behind in (
        step('delete_all'),
        'Answer: 5',
        'Observation: 5',
        'I wait for {it}.',
        'Action Input: {"q": 2}',
        '```\n' + step(),
    ):
        assert read(f'{step()}\n{behind}', TOOLS) == CALL


def test_an_answer_first_is_the_final_answer() -> None:
    assert read(f'Thought: x\nAnswer: Paris\n{step("delete_all")}', TOOLS) == Answer('x', 'Paris')


def test_the_first_step_is_not_passed_over_when_it_cannot_be_run() -> None:
    text = f'Action: search\nAction Input: rome\n{step("clock", "{}")}'
    assert read(text, TOOLS) == Direct(text, malformed=True)
    text = 'Action: search\nAnswer: Probably.'
    assert read(text, TOOLS) == Direct(text, malformed=True)
    assert read(f'Action: nope\nAction Input: {{}}\n{step()}', TOOLS) == Call('', 'nope', {}, known=False)


def test_a_step_never_takes_the_input_of_another_one() -> None:
    assert read(f'Thought: x\nAction: clock\n{step()}', TOOLS) == Call('x', 'clock', {})
    assert read(f'Thought: x\nAction: delete_all\n{step()}', TOOLS).malformed


def test_an_action_without_a_name_is_no_step() -> None:
    for nameless in ('Action:', 'Action: ""', 'Action: **', 'Action: .', 'Action: ~~~\n'):
        assert read(f'{nameless}\nThought: x\nAnswer: Paris', TOOLS).text == 'Paris'
        text = f'{nameless}\nAction Input: {{"q": 1}}'
        assert read(text, TOOLS) == Direct(text, malformed=True)


# --------------------------------------------------------------------------------------------------------------- 5 name


@pytest.mark.parametrize(
    'line',
    [
        'search', '"search"', "'search'", '`search`', '**search**', '*search*', 'search.', '"search".', '`search.`',
        '“search”',
        '```search```', '**`search`**', ' search \t', 'search()', 'search ()', '`search()`.', 'search (finds pages)',
        'search [finds pages]', '**search** (finds pages).', 'search(q=1)', 'search({"q": 1})', 'search (q="1")',
    ],
)  # fmt: skip
def test_a_name_is_the_line_without_what_is_wrapped_around_it(line: str) -> None:
    assert read(step(line), TOOLS) == CALL


@pytest.mark.parametrize(
    'name', ['web-search.v2', 'find pages', '検索', 'tool_http_1.get', 'a/b:c', 'None', 'Größe 2', '.x.', '"q"']
)
def test_a_name_may_hold_anything_that_the_tool_is_called(name: str) -> None:
    assert read(step(name), {name: True}) == Call('x', name, {'q': 1})


@pytest.mark.parametrize(
    'line',
    [
        'search[rome]',
        'functions.search',
        'Search',
        'search, clock',
        'search<|x|>y',
        'use search',
        'searchs',
        'search Action Input',
    ],
)
def test_a_name_is_never_guessed(line: str) -> None:
    assert read(step(line), TOOLS) == Call('x', line, {'q': 1}, known=False)


@pytest.mark.parametrize(
    'line',
    [
        'search(q=1)',
        'search({"q": 1})',
        'search ({"q": 1})',
        'clock(zone="UTC")',
        'clock("UTC")',
        'clock (zone=1)',
        'clock(UTC)',
    ],
)
def test_arguments_in_brackets_without_an_input_are_unreadable(line: str) -> None:
    assert read(f'Thought: x\nAction: {line}', TOOLS) == Direct(f'x\nAction: {line}', malformed=True)


def test_square_brackets_at_a_name_are_part_of_an_unknown_name() -> None:
    assert read('Thought: x\nAction: search[rome]', TOOLS) == Call('x', 'search[rome]', {}, known=False)


@pytest.mark.parametrize('line', ['clock()', 'clock', '`clock`.', 'clock (tells the time)', 'clock ( )'])
def test_no_arguments_in_brackets_are_no_input(line: str) -> None:
    assert read(f'Thought: x\nAction: {line}', TOOLS) == Call('x', 'clock', {})


@pytest.mark.parametrize('text', ['{"q": 1}', 'rome', '"rome"', '[1]', '{"q": "a', '', 'None'])
def test_an_unknown_name_is_a_tool_error_whatever_its_input_looks_like(text: str) -> None:
    arguments = {'q': 1} if text == '{"q": 1}' else {}
    assert read(step('lookup', text), TOOLS) == Call('x', 'lookup', arguments, known=False)
    assert read(step('look it up', text), TOOLS) == Call('x', 'look it up', arguments, known=False)
    assert read('Thought: x\nAction: lookup', TOOLS) == Call('x', 'lookup', {}, known=False)
    assert read('Thought: x\nAction: finish(answer="It is X.")', TOOLS) == Call(
        'x', 'finish(answer="It is X.")', {}, known=False
    )


def test_several_words_without_an_input_are_text() -> None:
    report = 'Report\nAction: replace the seal and restart\nOwner: Eva'
    assert read(report, TOOLS) == Direct(report)
    assert read(f'{report}\n{step()}', TOOLS) == Call(
        'Report\n replace the seal and restart\nOwner: Eva\n x', 'search', {'q': 1}
    )
    assert read(f'{report}\nAnswer: Done.', TOOLS).text == 'Done.'
    assert read('Action: replace seal', TOOLS) == Direct('Action: replace seal')


# -------------------------------------------------------------------------------------------------------------- 6 input


@pytest.mark.parametrize(
    'text',
    ['', ' ', '\n\n', 'None', 'null', 'NULL', '`None`', 'None\nI wait.', '```\n```', '{}', '{ }', '```json\n{}\n```'],
)
def test_no_input_is_an_empty_one_where_the_tool_requires_nothing(text: str) -> None:
    assert read(step('clock', text), TOOLS) == Call('x', 'clock', {})


@pytest.mark.parametrize('text', ['', ' ', 'None', 'null', '`None`'])
def test_no_input_is_unreadable_where_the_tool_requires_one(text: str) -> None:
    assert read(step('search', text), TOOLS).malformed
    assert read('Thought: x\nAction: search', TOOLS) == Direct('x\nAction: search', malformed=True)


@pytest.mark.parametrize(
    'text', ['rome', '"rome"', '5', '[1]', '[{"q": 1}]', 'q: 1', '{"q": 1', '{"q": rome}', 'N/A', '<q>1</q>']
)
def test_an_unreadable_input_is_a_malformed_step_even_where_the_tool_requires_nothing(text: str) -> None:
    for name in ('search', 'clock'):
        assert read(step(name, text), TOOLS) == Direct(f'x\nAction: {name}\nAction Input: {text}', malformed=True)


def test_an_empty_object_is_an_input() -> None:
    assert read(step('search', '{}'), TOOLS) == Call('x', 'search', {})


def test_an_input_ends_at_the_next_label() -> None:
    assert read('Action: search\nAction Input: {"q": "a\nThought: b"}', TOOLS).malformed
    assert read('Action: search\nAction Input:\nThought: y\n{"q": 1}', TOOLS).malformed


# ------------------------------------------------------------------------------------------------------------- 7 answer


def test_an_answer_is_the_text_to_the_end() -> None:
    for text in (
        'Line one\n\nLine two: {x}\n- a',
        '{"a": 1}',
        'The Answer: is 42',
        'Corrective Action: restart.',
        '# Title\n\n| a | b |',
    ):
        assert read(f'Thought: x\nAnswer: {text}\n\n', TOOLS) == Answer('x', text)


@pytest.mark.parametrize(
    'behind',
    [
        'Thought: y', '**Thought:** y\nAnswer: 2', 'Answer: 2', 'Final Answer: 2',
        'Action: search\nAction Input: {"q": 1}',
        'Action: any words at all\n\nAction Input: none', 'Observation: 2', '\nUser: and Spain?', '\nHuman: and Spain?',
        '\nQuestion: and Spain?', '  \nquestion：and Spain?', 'Question: and Spain?\nThought: y',
        'User: hi\nAnswer: 2', '```\nAnswer: 2',
    ],
)  # fmt: skip
def test_an_answer_ends_where_the_model_goes_on(behind: str) -> None:
    answer = read(f'Thought: x\nAnswer: Paris\n{behind}', TOOLS)
    assert isinstance(answer, Answer)
    assert answer.text.rstrip('`\n') == 'Paris'


@pytest.mark.parametrize(
    'line',
    [
        'Action: close the valve.', 'Action: search', 'Action Input: the form', 'Question: why?', 'User: Eva',
        'Users: 4',
        '```\nThought: y\nAction: search\nAction Input: {}\n```', '```\nAnswer: 2\n\nUser: y\n```',
        'A\n\nThe User: field',
    ],
)  # fmt: skip
def test_an_answer_keeps_what_only_looks_like_an_end(line: str) -> None:
    assert read(f'Thought: x\nAnswer: Two steps.\n{line}\nDone.', TOOLS) == Answer('x', f'Two steps.\n{line}\nDone.')


def test_a_turn_of_somebody_else_starts_on_a_line_of_its_own_and_outside_of_code() -> None:
    assert read('Answer: User: Eva\nThought: y', TOOLS) == Answer('', 'User: Eva')
    assert read('Answer:\nUser: Eva', TOOLS) == Answer('', 'User: Eva')
    assert read('Answer: ```\na\n\nUser: b\n```', TOOLS) == Answer('', '```\na\n\nUser: b\n```')
    assert read('Answer: ```\na\n\nUser: b', TOOLS) == Answer('', '```\na')


def test_a_fence_is_closed_by_one_of_its_kind_without_a_word_behind_it() -> None:
    for fence in ('````\n```\nThought: y\n```\n````', '```\n```text\nThought: y\n```', '~~~\n```\nThought: y\n~~~'):
        assert read(f'Thought: x\nAnswer:\n{fence}\nThought: z', TOOLS) == Answer('x', fence)
    code = '```a``` opens nothing.'
    assert read(f'Thought: x\nAnswer:\n{code}\nThought: y\n```', TOOLS) == Answer('x', code)


def test_a_bold_marker_that_belongs_to_the_label_is_dropped_and_no_other() -> None:
    assert read('**Answer: Paris** is it', TOOLS) == Answer('', 'Paris is it')
    assert read('**Answer: Paris**\nIt is **big**.', TOOLS) == Answer('', 'Paris\nIt is **big**.')
    assert read('**Answer:** **Paris**', TOOLS) == Answer('', '**Paris**')
    assert read('Answer: **Paris**', TOOLS) == Answer('', '**Paris**')
    assert read('**Answer: **Paris**', TOOLS) == Answer('', '**Paris**')
    assert read('**Answer**:**Paris**', TOOLS) == Answer('', '**Paris**')
    assert read('**Answer: a **b** c', TOOLS) == Answer('', 'a **b** c')
    assert read('**Answer: 2**3 is 8', TOOLS) == Answer('', '2**3 is 8')
    assert read('**Answer: 2 ** 3 is 8', TOOLS) == Answer('', '2 ** 3 is 8')
    assert read('**Thought: x**\n**Action: search**\n**Action Input: {"q": 1}**', TOOLS) == CALL


# ------------------------------------------------------------------------------------------------------ 8 direct answer


def test_anything_else_is_a_direct_answer_without_a_leading_label() -> None:
    assert read(' Paris.\n\n', TOOLS) == Direct('Paris.')
    assert read('Thought: I should look up Ro', TOOLS) == Direct('I should look up Ro')
    assert read('**Thought:** Thought: x\ny', TOOLS) == Direct('x\ny')
    assert read('I used Action: search. So Answer: 5', TOOLS) == Direct('I used Action: search. So Answer: 5')


@pytest.mark.parametrize(
    'none', ['None', 'none.', 'N/A', '`None`', 'No action needed', '"null"', 'not applicable', 'None (I know it)']
)
@pytest.mark.parametrize('text', [None, '', '{}', 'None', 'N/A', 'null', '{\n}', '```json\n{}\n```'])
def test_an_action_of_none_is_no_call(none: str, text: str | None) -> None:
    action = f'Action: {none}' if text is None else f'Action: {none}\nAction Input: {text}'
    assert read(f'Thought: It is 4.\n{action}', TOOLS) == Direct('It is 4.')
    assert read(f'Thought: x\n{action}\nAnswer: 4', TOOLS) == Answer('x', '4')
    assert read(f'Thought: It is 4.\n{action}', {}) == Direct('It is 4.')
    if text != '':
        assert read(f'Thought: It is\n{action}\n4.\n{step()}', TOOLS) == Direct('It is\n4.\n x')


def test_what_is_written_behind_an_action_of_none_stays_whole() -> None:
    code = '```python\nprint(4)\n```'
    assert read(f'Thought: It is\nAction: None\n\n{code}', TOOLS) == Direct(f'It is\n{code}')
    assert read('Thought: It is\nAction: None\nAction Input: {} // none\n4.', TOOLS) == Direct('It is\n4.')
    assert read(f'Thought: It is\nAction: None\nAction Input: ```\n{{}}\n```\n{code}', TOOLS) == Direct(
        f'It is\n{code}'
    )


def test_an_action_of_none_is_a_call_where_a_tool_has_that_name_or_an_input_is_written() -> None:
    assert read('Action: None', {'None': False}) == Call('', 'None', {})
    assert read(step('None', '{"q": 1}'), TOOLS) == Call('x', 'None', {'q': 1}, known=False)
    assert read(step('None', 'It is 4.'), TOOLS) == Call('x', 'None', {}, known=False)


@pytest.mark.parametrize(
    'text',
    [None, '', ' \n\t', 'Thought:', 'Answer:', 'Action:', '**Thought:**\nAction:', 'Observation: 1', '```\n```\n'[:0]],
)
def test_nothing_or_a_bare_label_is_an_empty_answer(text: str | None) -> None:
    assert read(text, TOOLS).text == ''


def test_without_tools_every_action_is_a_direct_answer() -> None:
    assert read(step(), {}) == Direct('x\nAction: search\nAction Input: {"q": 1}')
    assert read('Action: search\nAction Input: rome', {}) == Direct('Action: search\nAction Input: rome')
    assert read('Action:\nAction Input: rome', {}) == Direct('Action:\nAction Input: rome')
    assert read('Action: close the valve\nAnswer: Paris', {}) == Answer('close the valve', 'Paris')


def test_thousands_of_labels_are_no_deeper_than_one() -> None:
    many = sys.getrecursionlimit() * 3
    assert read('Answer:\n' * many + 'Paris', TOOLS) == Answer('', 'Paris')
    assert read('Action:\n' * many + step(), TOOLS) == Call('x', 'search', {'q': 1})
    assert read('Action: None\n' * many, TOOLS) == Direct('')
    assert read('Action: search\n' + 'Action Input:\n' * many + '{"q": 1}', TOOLS) == Call('', 'search', {'q': 1})


# ------------------------------------------------------------------------------------------------------- canonical text


def test_a_step_is_shown_as_the_model_should_have_written_it() -> None:
    assert canonical(Call('a', 'search', {'q': 'é "x"', 'n': None, 'b': True})) == (
        'Thought: a\nAction: search\nAction Input: {"q": "é \\"x\\"", "n": null, "b": true}'
    )
    assert canonical(Answer('a', 'b\nc')) == 'Thought: a\nAnswer: b\nc'


def test_a_thought_is_shown_without_anything_that_would_be_read_again() -> None:
    text = '```\nThought: a\nAction: do this and that\nThought: <think> b\nAction: search\nAction Input: {"q": 1}\n```'
    reading = read(text, TOOLS)
    assert reading == Call('a\n do this and that\nthink b', 'search', {'q': 1})
    assert read(canonical(reading), TOOLS) == reading
    reading = read(text.replace('\n', '\r'), TOOLS)
    assert reading == Call('a\r do this and that\rthink b', 'search', {'q': 1})
    assert read(canonical(reading), TOOLS) == reading
