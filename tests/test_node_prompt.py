from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from node_host import ANSWER, CALL, CALM, NODE, Host, ToolNode, ask, box, function, question
from rocketride.schema import Doc, QuestionHistory

assert NODE  # the engine's library is found with it
from agent_llamaindex import prompt as prompt_module  # noqa: E402
from agent_llamaindex.prompt import action_step, answer_text  # noqa: E402
from agent_llamaindex.reader import Answer, Call  # noqa: E402

BRACES = 'Write {"a": {0}} {tool_names} {context} {tool_desc.__class__} {{x}} {} %(n)s %s \\1 {'


def prompts(*outputs: Any, asked: Any = None, tools: Any = None, **config: Any) -> list[str]:
    host = Host(*outputs, tools=tools)
    ask(host, asked, **config)
    return host.prompts


def headings(prompt: str) -> list[str]:
    return re.findall(r'^#+ .*', prompt.replace('\r\n', '\n'), re.MULTILINE)


# ----------------------------------------------------------------------------------------------------------- the layout


def full_question() -> Any:
    asked = question('What is in the box?', role='You are a clerk.')
    asked.addInstruction('Own', 'Be polite.')
    asked.addExample('1 + 1', '2')
    asked.addHistory(QuestionHistory(role='user', content='Hello there'))
    asked.addContext('the box is red')
    asked.addDocuments(Doc(page_content='page of a document'))
    asked.addGoal('Empty all boxes')
    return asked


PARTS = [
    'You are a clerk.', 'Be polite.', '1 + 1', 'Hello there', 'the box is red', 'page of a document', 'Empty all boxes',
    'What is in the box?',
]  # fmt: skip


@pytest.mark.parametrize('tools', [None, box()], ids=['no tools', 'tools'])
def test_every_part_of_a_question_stands_in_every_prompt_once_in_its_order(tools: Any) -> None:
    for shown in prompts(*([CALL] if tools else []), ANSWER, asked=full_question(), tools=tools):
        assert [shown.count(part) for part in PARTS] == [1] * len(PARTS)
        places = [shown.index(part) for part in PARTS]
        assert places == sorted(places)


def test_every_heading_stands_in_every_prompt_once() -> None:
    for shown in prompts(CALL, CALL, ANSWER, asked=full_question(), tools=box(), instructions=['Be brief.']):
        found = headings(shown)
        assert len(found) == len(set(found))
        assert {'## Tools', '## Output Format', '## Current Conversation', '### Current Task:'} <= set(found)


def test_the_prompt_of_a_turn_is_that_of_the_turn_before_and_the_step_behind_it() -> None:
    first, second, third = prompts(CALL, CALL, ANSWER, tools=box('a coin'))
    step = 'Thought: I need it.\nAction: box_1.get\nAction Input: {}\nObservation: a coin'
    assert second.rstrip() == f'{first.rstrip()}\n\n{step}'
    assert third.rstrip() == f'{first.rstrip()}\n\n{step}\n{step}'


def test_without_tools_the_prompt_offers_none() -> None:
    (shown,) = prompts(ANSWER, instructions=['Be brief.'])
    assert shown == '- Be brief.\r\n\r\n### Current Task:\r\n    What is in the box?\r\n\r\n'
    (shown,) = prompts(ANSWER)
    assert shown == question().getPrompt()


def test_without_an_instruction_the_prompt_announces_none() -> None:
    (shown,) = prompts(ANSWER, tools=box())
    assert 'Here is some context' not in shown


def test_of_several_questions_all_are_asked_and_the_steps_stand_behind_the_last() -> None:
    asked = question('First?')
    asked.addQuestion('Second?')
    _, shown = prompts(CALL, ANSWER, asked=asked, tools=box('a coin'))
    assert shown.count('First?') == shown.count('Second?') == shown.count('Observation: a coin') == 1
    assert shown.index('First?') < shown.index('Second?') < shown.index('Observation: a coin')


def test_a_question_that_wants_json_is_asked_as_text_with_one_instruction_more() -> None:
    for tools in (None, box()):
        host = Host(ANSWER, tools=tools)
        ask(host, question(expectJson=True), instructions=['Be brief.'])
        assert host.prompts[0].count('- Be brief.\n- Write the final answer as valid JSON and nothing else.') == 1
        assert host.asked[0].question.expectJson is False


# --------------------------------------------------------------------------------------------------------- instructions


@pytest.mark.parametrize('tools', [None, box()], ids=['no tools', 'tools'])
def test_each_instruction_stands_in_every_prompt_exactly_once(tools: Any) -> None:
    lines = ['Prefer primary sources.', 'Übersetze nichts.', BRACES]
    for shown in prompts(*([CALL, CALL] if tools else []), ANSWER, tools=tools, instructions=lines):
        assert [shown.count(f'- {line}') for line in lines] == [1, 1, 1]
        assert [shown.count(line) for line in lines] == [1, 1, 1]


def test_braces_are_text_wherever_they_stand() -> None:
    tools = {
        'box_{0}': ToolNode(
            function('get{x}', BRACES, {'type': 'object', 'properties': {'{y}': {'default': BRACES}}}),
            call=lambda *_: BRACES,
        )
    }
    output = f'Thought: {BRACES}\nAction: box_{{0}}.get{{x}}\nAction Input: {json.dumps({"q": BRACES})}'
    asked = question(BRACES, role=BRACES)
    _, shown = prompts(output, ANSWER, asked=asked, tools=tools, instructions=[BRACES])
    in_json = json.dumps(BRACES)[1:-1]
    # role, description, instruction, question, thought, observation; and inside JSON the schema and the input
    assert shown.count(BRACES) == 6
    assert shown.count(in_json) == 2
    assert shown.count('box_{0}.get{x}') == 3


# ---------------------------------------------------------------------------------------------------------------- tools


def test_a_tool_is_offered_with_its_description_and_its_schema_once_and_with_no_other() -> None:
    schema = {'type': 'object', 'properties': {'größe': {'type': 'integer'}}, 'required': ['größe']}
    tools = {'box_1': ToolNode(function(schema=schema), function('put', 'Fills the box.'))}
    (shown,) = prompts(ANSWER, tools=tools)
    args = json.dumps(schema, ensure_ascii=False)
    offered = f'> Tool Name: box_1.get\nTool Description: Looks into the box.\nTool Args: {args}\n'
    assert shown.count(offered) == 1
    assert shown.count('größe') == 2
    assert shown.count('Tool Args:') == 2
    assert 'tool name (one of box_1.get, box_1.put)' in shown
    assert '"title"' not in shown


def test_every_connected_tool_is_offered() -> None:
    tools = {f'box_{number}': ToolNode(function()) for number in range(40)}
    (shown,) = prompts(ANSWER, tools=tools)
    assert shown.count('> Tool Name: ') == 40


def test_the_library_cannot_run_a_tool() -> None:
    tool = prompt_module._metadata_only(next(iter(prompt_tools())))
    with pytest.raises(AssertionError, match='through the host'):
        tool.call(key=1)


def prompt_tools() -> Any:
    from agent_llamaindex.channels import ToolChannel

    return ToolChannel.of(Host(tools=box())).values()


# ----------------------------------------------------------------------------------------------------------- past steps


@pytest.mark.parametrize(
    'output',
    [
        "**Thought:** I need it\n**Action:** `box_1.get`\n**Action Input:** {'q': 'größe', 'deep': True, 'n': None}",
        'thought: I need it\nACTION : box_1.get\naction_input:\n'
        '```json\n{"q": "gr\\u00f6\\u00dfe", "deep": true, "n": null}\n```',
        'I need it\n1\nAction: box_1.get()\nAction Input: {q: "größe", deep: true, n: null,}\nObservation: made up',
    ],
)
def test_a_past_step_is_shown_as_it_should_have_been_written(output: str) -> None:
    _, shown = prompts(output, ANSWER, tools=box('a coin'))
    step = 'Action: box_1.get\nAction Input: {"q": "größe", "deep": true, "n": null}\nObservation: a coin'
    assert shown.count(step) == 1
    assert shown.count('Thought: I need it') == 1
    for left in ('None', "'q'", '\\u00f6', 'made up', '**Action'):
        assert left not in shown


def test_an_unknown_tool_is_shown_with_its_error_as_the_observation() -> None:
    _, shown = prompts('Thought: x\nAction: my tool (é)\nAction Input: {}', ANSWER, tools=box())
    assert 'Action: my tool (é)\nAction Input: {}\nObservation: {"tool": "my tool (é)"' in shown


def test_a_result_is_shown_whole_and_without_escapes() -> None:
    result = {'text': 'größe ' * 20_000}
    _, shown = prompts(CALL, ANSWER, tools=box(result))
    assert json.dumps(result, ensure_ascii=False) in shown


# ----------------------------------------------------------------------------------------------------------- the parser


class Spy:
    def __init__(self, inner: Any) -> None:
        self.inner = inner
        self.texts: list[str] = []

    def parse(self, text: str) -> Any:
        self.texts.append(text)
        return self.inner.parse(text)


def test_the_library_parses_canonical_text_alone_and_no_input_of_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    spy = Spy(prompt_module._PARSER)
    monkeypatch.setattr(prompt_module, '_PARSER', spy)
    outputs = [
        'Thought: the Answer: field\nAction: box_1.get\nAction Input: {"n": 1}',
        '**Thought**: the Answer: is near\n**Final Answer:** Action: none, {"n": 9**9**9}',
    ]
    payload = ask(host := Host(*outputs, tools=box()))
    assert payload['content'] == 'Action: none, {"n": 9**9**9}'
    assert spy.texts == [
        'Thought: I need a tool.\nAction: box_1.get\nAction Input: {}',
        'Thought: I can answer.\nAnswer: Action: none, {"n": 9**9**9}',
    ]
    assert host.of('call') == [('box_1.get', {'n': 1})]


@pytest.mark.parametrize('name', ['web search', '(' * 20_000, 'box_1.get' * 40, 'a\u2028b', "find('x')"])
def test_a_name_that_the_library_would_misread_does_not_reach_it(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    spy = Spy(prompt_module._PARSER)
    monkeypatch.setattr(prompt_module, '_PARSER', spy)
    for known in (True, False):
        assert prompt_module.action_step(Call('why', name, {'n': 1}, known=known)).action == name
    assert spy.texts == []


LABELS = st.sampled_from(
    ['Thought:', 'Action:', 'Action Input:', 'Answer:', 'Observation:', '{"a": 1}', '\n', ' ', ':']
)


@CALM
@given(st.lists(LABELS | st.text(max_size=5)).map(''.join))
def test_the_parser_gives_back_the_answer_that_the_reader_found(text: str) -> None:
    assert answer_text(Answer('', text.strip())) == text.strip()


@CALM
@given(
    st.text(),
    st.text(),
    st.dictionaries(
        st.text(), st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists, max_leaves=5)
    ),
)
def test_a_step_of_the_library_holds_what_the_reader_found(thought: str, name: str, arguments: dict[str, Any]) -> None:
    step = action_step(Call(thought, name, arguments))
    assert (step.thought, step.action, step.action_input) == (thought, name, arguments)
    shown = step.get_content()
    assert shown.startswith(f'Thought: {thought}\nAction: {name}\nAction Input: ')
    assert json.loads(shown.rpartition('\nAction Input: ')[2]) == arguments
