"""What holds whatever a model writes: the library agrees where the format is kept, and only what was written is run."""

from __future__ import annotations

import ast
import json
import re
import string
from typing import TYPE_CHECKING, Any

import json5
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st
from llama_index.core.agent.react.output_parser import ReActOutputParser
from llama_index.core.agent.react.types import ActionReasoningStep, ResponseReasoningStep
from node_reader import Answer, Call, Direct, canonical, read

from agent_llamaindex.clean import drop_reasoning

if TYPE_CHECKING:
    from collections.abc import Iterator

stable = settings(deadline=None, derandomize=True, max_examples=400, suppress_health_check=list(HealthCheck))
LIBRARY = ReActOutputParser()
TOOLS = {'s': True, 'free': False, 'search_1.query': True, 'web search': True, 'now': False}

# ------------------------------------------------------------------------------------- steps that the library can read

LABEL_WORDS = re.compile(r'(?i)thought|action|answer|observation|user|human|question|final|think|reasoning')
characters = st.characters(exclude_categories=['Cs'], exclude_characters='\r')
words = st.sampled_from(
    [
        'the',
        'Paris',
        '42',
        '{x}',
        '{',
        '}',
        '**bold**',
        '`code`',
        '"quoted"',
        "it's",
        '(a note)',
        '東京',
        'été',
        'עברית',
        '🌧',
        '\\n',
        '#',
        '-',
        '<b>',
        '/',
        'a:b',
    ]
)


def without_labels(text: str) -> str:
    return LABEL_WORDS.sub('word', text)


lines = st.one_of(st.lists(words, max_size=6).map(' '.join), st.text(characters, max_size=30)).map(without_labels)
fenced = st.lists(lines.map(lambda line: line.replace('`', '').replace('~', '')), max_size=3).map(
    lambda body: '```python\n' + '\n'.join(body) + '\n```'
)
paragraphs = st.lists(
    st.one_of(lines.map(lambda line: line.replace('```', '').replace('~~~', '')), fenced), min_size=1, max_size=5
).map('\n'.join)


def no_token_at_the_end(text: str) -> bool:
    return not text.strip().endswith(('>', '[/INST]'))


thoughts = paragraphs.filter(str.strip).filter(no_token_at_the_end)
ANSWER_LINES = [
    '# Title', '- Corrective Action: restart the pump.', '{"a": [1, {"b": null}]}', 'The Answer: is 42',
    'see Thought: 1',
    'an Observation: field', '| a | b |', 'the team\nUser: Eva\nand so on', '> quote', '1. one',
    '```\nThought: x\nAnswer: y\n```',
]  # fmt: skip


def answers_with(label_line: str) -> st.SearchStrategy[str]:
    """Return answers with lines like this one; together, `Action:` and `Action Input:` would be a step."""
    parts = st.one_of(paragraphs, st.sampled_from([*ANSWER_LINES, label_line]))
    return st.lists(parts, min_size=1, max_size=6).map('\n'.join).filter(no_token_at_the_end)


answers = answers_with('Action: close the valve.') | answers_with('Action Input: the form')
name_characters = st.characters(categories=['L', 'N'], include_characters='._-/:')
names = st.from_regex(r'[A-Za-z_]\w*(\.\w+)*', fullmatch=True, alphabet=name_characters) | st.text(
    name_characters, min_size=1
)
names = names.filter(lambda name: name[-1] != '.' and name.casefold() not in ('none', 'na', 'n/a', 'null', 'nil'))
numbers = st.one_of(
    st.integers(),
    st.integers(-(10**60), 10**60),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([1e22, 5e-324, -0.0, 0.1]),
)
texts = st.one_of(
    st.text(st.characters(exclude_categories=['Cs']), max_size=20),
    st.lists(st.sampled_from(['"', "'", '\\', '/', '{', '}', '[', ']', ':', ',', '//', '/*', '#', '\n', '\t', '\x00',
    '\u2028', '🌧', 'é', 'Action: x']), max_size=8).map(''.join),
).map(without_labels)  # fmt: skip
values = st.recursive(
    st.one_of(st.none(), st.booleans(), numbers, texts),
    lambda children: st.one_of(st.lists(children, max_size=4), st.dictionaries(texts, children, max_size=4)),
    max_leaves=12,
)
objects = st.dictionaries(texts, values, max_size=5)


@st.composite
def json_texts(draw: st.DrawFn) -> tuple[dict[str, Any], str]:
    value = draw(objects)
    ascii_only, indent, slashes = draw(st.booleans()), draw(st.sampled_from([None, 0, 2, '\t'])), draw(st.booleans())
    separators = draw(st.sampled_from([None, (',', ':'), (' , ', ' : ')]))
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent, separators=separators)
    return value, text.replace('/', r'\/') if slashes and '\\/' not in text else text


def plain(value: Any) -> Any:
    """Return the library's own containers as plain ones."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list) else value


def same(one: Any, other: Any) -> bool:
    return repr(one) == repr(other)


@stable
@given(
    thoughts, names, json_texts(), st.sampled_from(['', ' ', ' (a note)']), st.sampled_from(['', '\n', '\n\n', '\r\n',
    '\nI wait for it.']),
    st.sampled_from(['\n', '\n\n', '\r\n']), st.booleans(),
)  # fmt: skip
def test_a_well_formed_step_is_read_as_the_library_reads_it(
    thought: str,
    name: str,
    written: tuple[dict[str, Any], str],
    remark: str,
    behind: str,
    line_end: str,
    labelled: bool,
) -> None:
    value, text = written
    first = f'Thought: {thought}' if labelled else thought
    output = f'{first}{line_end}Action: {name}{remark}{line_end}Action Input: {text}{behind}'
    library = LIBRARY.parse(output)
    assert isinstance(library, ActionReasoningStep)
    call = read(output, {name: True})
    assert call == Call(library.thought, library.action, plain(library.action_input))
    assert isinstance(call, Call)
    assert same(call.arguments, value)
    assert json.loads(json.dumps(call.arguments, allow_nan=False)) == value


@stable
@given(
    thoughts,
    answers,
    st.sampled_from([' ', '', '\n', '\n\n', '\t']),
    st.sampled_from(['', '\n', ' \n\n']),
    st.sampled_from(['\n', '\r\n']),
)
def test_a_well_formed_answer_is_read_as_the_library_reads_it(
    thought: str, answer: str, before: str, behind: str, line_end: str
) -> None:
    output = f'Thought: {thought}{line_end}Answer:{before}{answer}{behind}'
    library = LIBRARY.parse(output)
    assert isinstance(library, ResponseReasoningStep)
    assert read(output, TOOLS) == Answer(library.thought, library.response)


@stable
@given(answers.map(without_labels))
def test_a_text_without_labels_is_the_answer_as_for_the_library(text: str) -> None:
    library = LIBRARY.parse(text)
    assert isinstance(library, ResponseReasoningStep)
    assert read(text, TOOLS) == Direct(library.response.strip())


# -------------------------------------------------------------------------------------------------- anything whatsoever

LABELS = [
    'Thought:', 'Action:', 'Action Input:', 'Answer:', 'Final Answer:', 'Observation:', '**Action:**', '**Action**:',
    '### Action:', '- Action:',
    'action_input:', 'ActionInput:', 'Thought 1:', 'Action：', '__Answer:__', '**Answer: ', '**Action Input: ',
    'ANSWER:', '* Thought :',
    'Question:', 'User:', 'Human：',
]  # fmt: skip
NAMES = [
    's', 'free', 'search_1.query', 'web search', 'now', 'nope', 'None', 'N/A', 's()', 'now()', 's(q=1)', 's (find)',
    '`s`', '"s".', '**s**', 's[x]',
    '{"name": "s"}', 'replace the seal', 'no action needed', '',
]  # fmt: skip
PIECES = [
    '{"q": 1}', '{}', '{"q": "a"}', "{'q': 'a'}", "{'q': True}", '{q: 1}', '{"q": {"r": [1, 2, {"x": null}]}}',
    '[{"q":1}]', '{"q": "a}', '{"q": 1,',
    '{"q": "say "hi" now"}', '{"q": "a\nb"}', '{"q": "a `b` c"}', "{'q': r'a\\d', 'z': None}",
    "{'a': '''it's''', 'b': None}", '{"n": 0x1F, m: +.5,}',
    '{', '}', '[', ']', '(', ')', '"', "'", '"""', ',', ':', '`', '```', '```json', '~~~', '**', '__', '#', '-', '* ',
    '|', '=', '.', '\\', '\\n',
    '\\"', "\\'", '\\u00e9', '\\ud83d', '\\ud83c\\udf27', '<think>', '</think>', '<reasoning>', '</reasoning>',
    '<thinking >', '</s>', '<|im_end|>',
    '\n', '\n\n', '\r\n', '\r', '\u2028', '\x0b', '\x0c', '\x1c', '\x85', '\x00', ' ', '  ', '\t', '\xa0', '\u200b',
    '\ufeff', '\ud800', '\udc00', 'é', '日本', '🌧',
    '1', '2.5', '1e5', '-3', '0x1F', '1_000', 'NaN', 'Infinity', '01', 'True', 'None', 'null', 'true', 'x', 'word',
    'two words', '//c\n', '/*c*/', '# c\n',
]  # fmt: skip
pieces = st.one_of(
    st.sampled_from(LABELS).map(lambda label: f'\n{label} '),
    st.sampled_from(LABELS),
    st.sampled_from(NAMES),
    st.sampled_from(PIECES),
    st.sampled_from(PIECES),
    st.builds('\nAction: {}\nAction Input: {}'.format, st.sampled_from(NAMES), st.sampled_from(PIECES)),
    st.text(max_size=5),
    st.text(st.characters(), max_size=3),
)
outputs = st.lists(pieces, max_size=14).map(''.join)

ACTION_LINE = re.compile(r'(?i)\baction\b[^\n]*[:：][^\n]*', re.MULTILINE)
UNSEEN = dict.fromkeys(map(ord, '\u200b\u200c\u200d\u2060'), ' ')


def tidy(text: str, *, comments: str, triple: bool) -> str:
    """Return an object's text with plain blanks and no comments outside of strings, and line ends escaped in them."""
    token = re.compile(
        ('"""(?:[^"\\\\]|\\\\.|"(?!""))*"""|\'\'\'(?:[^\'\\\\]|\\\\.|\'(?!\'\'))*\'\'\'|' if triple else '')
        + r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|"""
        + comments
        + '|.',
        re.DOTALL,
    )

    def rewritten(match: re.Match[str]) -> str:
        part = match[0]
        if part[0] in '"\'':
            return ''.join(f'\\u{ord(sign):04x}' if ord(sign) < 32 or sign in '\u2028\u2029' else sign for sign in part)
        if len(part) > 1 or part == '#':
            return ' '
        return ' ' if part.isspace() or part == '\ufeff' else part.translate(UNSEEN)

    return token.sub(rewritten, text)


def independent_readings(text: str) -> Iterator[Any]:
    """Read a text with three parsers that are not the reader's."""
    for parse in (
        lambda: json.loads(text, strict=False),
        lambda: json5.loads(tidy(text, comments=r'//[^\n\r\u2028\u2029]*|/\*.*?\*/', triple=False)),
        lambda: ast.literal_eval(tidy(text, comments=r'#[^\n\r]*', triple=True)),
    ):
        try:
            yield parse()
        except (ValueError, SyntaxError, RecursionError):
            continue


def stands_in(text: str, value: dict[str, Any]) -> bool:
    """Say whether one contiguous piece of a text is this object for an independent parser."""
    starts = [match.start() for match in re.finditer(r'\{', text)]
    ends = [match.end() for match in re.finditer(r'\}', text)]
    pieces = (text[start:end] for start in starts for end in ends if end > start)
    return any(same(reading, value) for piece in pieces for reading in independent_readings(piece))


def leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from leaves(item)
    elif isinstance(value, list):
        for item in value:
            yield from leaves(item)
    else:
        yield value


def is_written(leaf: Any, text: str) -> bool:
    """Say whether a text, a number or a word of the arguments stands in a text, as it is or in an escaped spelling."""
    if isinstance(leaf, str):
        spelled = re.sub(r'\\(u[0-9a-fA-F]{4}|.)', unescaped, text, flags=re.DOTALL)
        return leaf in text or leaf in spelled.encode('utf-16', 'surrogatepass').decode('utf-16', 'replace')
    if leaf is None or isinstance(leaf, bool):
        return str(leaf).lower().replace('none', 'null') in text.lower() or str(leaf) in text
    tokens = re.findall(
        r'[+-]?(?:0[xX][0-9a-fA-F_]+|0[bB][01_]+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d[\d_]*)?)', text
    )
    return any(number(token) == leaf for token in tokens)


def unescaped(match: re.Match[str]) -> str:
    sign = match[1]
    if sign[0] == 'u' and len(sign) == 5:
        return chr(int(sign[1:], 16))
    return {'n': '\n', 't': '\t', 'r': '\r', 'b': '\b', 'f': '\f'}.get(sign, sign)


def number(token: str) -> int | float | None:
    try:
        return int(token, 0)
    except ValueError:
        try:
            return float(token)
        except ValueError:
            return None


@settings(stable, max_examples=1500)
@given(outputs)
@example('Action: s\nAction Input: {"code": "a `b` c"}')
@example('Action: s\nAction Input: {"code": "x\\n```py\\nfoo"}')
@example('Action: s\nAction Input: {"q": "a\n<think>no</think>b"}')
@example('Action: s\nAction Input: {"q": "a "} x" b "y" z"}')
@example('Action: free\n```\nAction Input: {"q": 1}\n```\nAction: s\nAction Input: {"q": 2}')
@example('Action: ```s free```\nAction Input: {"q": 1}')
def test_only_what_was_written_is_ever_run(output: str) -> None:
    reading = read(output, TOOLS)
    if not isinstance(reading, Call):
        return
    text = drop_reasoning(output)[0]
    assert reading.known == (reading.name in TOOLS)
    assert reading.name.strip()
    lines = re.split(r'\r\n|[\n\r\u2028\u2029]', text)
    filled = [line for line in lines if line.translate(UNSEEN).strip('\ufeff ' + string.whitespace)]
    # The name stands behind the label, or in the next line, or in the one behind the fence that opens there.
    assert any(
        reading.name in '\n'.join(filled[at : at + 3]) for at, line in enumerate(filled) if ACTION_LINE.search(line)
    )
    assert type(reading.arguments) is dict
    if reading.arguments or TOOLS.get(reading.name):
        assert stands_in(text, reading.arguments)
    for leaf in leaves(reading.arguments):
        assert is_written(leaf, text), leaf
    assert json.loads(json.dumps(reading.arguments, allow_nan=False).encode()) == reading.arguments


@settings(stable, max_examples=1500)
@given(outputs)
@example('Answer:\n' * 3000)
@example('Action: ""\nAction Input: {"q": 1}')
@example('Action: "{x"\nAction Input: {}')
@example('Action: *~~~\nAction Input: {}')
@example('**Answer:</s>**')
@example('Answer:```\nThought:\nANSWER:```')
@example('Answer:\nActionInput:```\nFinalAnswer:\n```')
@example('~~~\nAnswer:：\nUser:\n~~~\nAction:')
@example('~~~\nAction:```\nAction:n')
@example('\x1c~~~\nFinalAnswer:')
@example('ActionInput:Thought:\nAnswer:')
@example('**Action：Thought**: x\nAction:y')
@example('**Answer:y\u2028**\nQuestion:')
@example('**ActionInput: **#Action:\nAnswer:')
@example('Action:\n`Action::')
@example('Thought: a\nThought: <think> b\nAnswer: c')
def test_a_step_in_canonical_text_is_read_as_itself(output: str) -> None:
    reading = read(output, TOOLS)
    if isinstance(reading, Call) and not reading.known:
        # `Action: None` with an input that could not be read calls a tool that is not there; without it, it is no call.
        assume(read(f'Action: {reading.name}', TOOLS) != Direct(''))
    if not isinstance(reading, Direct):
        assert read(canonical(reading), TOOLS) == reading


LIKE_A_STEP = re.compile(
    r"""\W*(?:thought|action|final|answer|observation|```|~~~)|(?:.*[\n\r\u2028\u2029])?\W*<(?:think|reasoning)""",
    re.IGNORECASE | re.DOTALL,
)


@settings(stable, max_examples=1500)
@given(outputs)
@example("\\'<|im_end|>\n- Action:\nnull")
@example('Thought: <think> a')
@example('s\nAction: None\nAction Input: {}<think>')
def test_a_direct_answer_is_read_as_itself_unless_a_label_stood_before_its_like(output: str) -> None:
    # What stood behind a label stands at a line start without it: another label, a fence, a tag of reasoning.
    reading = read(output, TOOLS)
    if isinstance(reading, Direct) and not LIKE_A_STEP.match(reading.text):
        assert read(reading.text, TOOLS) == reading


CERTAIN = [
    'Thought: x\nAction: s\nAction Input: {"q": 1}',
    'Action: free',
    "### Action: now\nAction Input: {'q': None}",
    'Thought: x\nAnswer: Paris',
]


@stable
@given(st.sampled_from(CERTAIN), st.sampled_from(['Observation:', '**Observation:** 1', '- OBSERVATION 2：']), outputs)
def test_what_follows_an_observation_line_changes_nothing(output: str, label: str, behind: str) -> None:
    # A closing tag makes everything before it reasoning, wherever it stands.
    assume('</' not in behind)
    assert read(f'{output}\n{label}{behind}', TOOLS) == read(output, TOOLS)


@stable
@given(st.sampled_from(CERTAIN[:3]), outputs)
def test_what_follows_the_next_label_of_a_step_changes_nothing(output: str, behind: str) -> None:
    assume('</' not in behind)
    assert read(f'{output}\nThought: {behind}', TOOLS) == read(output, TOOLS)


@stable
@given(st.text(st.sampled_from(string.printable), max_size=60) | outputs, outputs)
def test_no_output_is_too_odd_to_be_read(output: str, name: str) -> None:
    for tools in ({}, TOOLS, {name: True}, {name: False, output: True}):
        assert isinstance(read(output, tools), Call | Answer | Direct)
