# ruff: noqa: E501 (tables of mistakes and the messages they give)
"""Loading: scenario files become scenarios, or every mistake in them is named with its place."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scenario_files import HEAD, as_yaml, problems_of, scenario_data, scenario_text, write

from harness.scenario import Scenario
from harness.scenario.loading import FileError, UsageError, find_scenarios, load_scenario
from harness.scenario.yamlfile import MAX_BYTES, MAX_DEPTH

ANY_FOLDER = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], deadline=None)


def told(tmp_path: Path, text: str | bytes) -> list[str]:
    """Return the problems of a file as `line:column: message (hint)`."""
    path = write(tmp_path, text)
    return [str(problem).removeprefix(f'{path}:') for problem in problems_of(path)]


def one(tmp_path: Path, text: str | bytes) -> str:
    """Return the one problem there must be."""
    found = told(tmp_path, text)
    assert len(found) == 1, found
    return found[0]


# ------------------------------------------------------------------------------------------------------- good files


@settings(ANY_FOLDER, max_examples=40)
@given(data=scenario_data())
def test_a_file_is_loaded_as_the_scenario_it_holds(tmp_path: Path, data: dict[str, Any]) -> None:
    path = write(tmp_path, as_yaml(data))
    assert load_scenario(path).scenario == Scenario.model_validate(data)


def test_short_forms_and_text_notations_are_turned_into_the_long_ones(tmp_path: Path) -> None:
    text = HEAD + (
        'question: Hi?\n'
        'model: {outputs: [one, null, {repeat: ab, times: 2}]}\n'
        'expect:\n'
        '  answer: {parts: [x, {repeat: y, times: 3}, {parts: [z]}]}\n'
        '  observations: {each: same}\n'
        '  stack: [RocketRide.agent.raw.v1]\n'
        '  events: [Starting]\n'
        '  prompts: {at: {2: text}}\n'
    )
    scenario = load_scenario(write(tmp_path, text)).scenario
    assert scenario.question.text == 'Hi?'
    assert scenario.model is not None
    assert [reply.text for reply in scenario.model.outputs] == ['one', None, 'abab']
    dumped = scenario.expect.model_dump(exclude_unset=True)
    assert dumped['answer'] == {'equals': 'xyyyz'}
    assert dumped['observations'] == {'each': {'equals': 'same'}}
    assert dumped['stack'] == ({'kind': 'RocketRide.agent.raw.v1'},)
    assert dumped['events'] == ({'data': {'message': 'Starting'}},)
    assert dumped['prompts'] == {'at': {2: {'equals': 'text'}}}


def test_aliases_stand_for_their_values(tmp_path: Path) -> None:
    text = HEAD + 'config: {a: &same {x: [1]}, b: *same}\nexpect: {}\n'
    assert load_scenario(write(tmp_path, text)).scenario.config == {'a': {'x': [1]}, 'b': {'x': [1]}}


def test_values_keep_their_types(tmp_path: Path) -> None:
    text = (
        HEAD
        + "config: {a: 1, b: 1.0, c: true, d: null, e: '1', f: 'yes', g: ~, h: 0x10, i: -1.5e-3, j: False}\nexpect: {}\n"
    )
    config = load_scenario(write(tmp_path, text)).scenario.config
    expected = {
        'a': 1,
        'b': 1.0,
        'c': True,
        'd': None,
        'e': '1',
        'f': 'yes',
        'g': None,
        'h': 16,
        'i': -0.0015,
        'j': False,
    }
    assert json.dumps(config) == json.dumps(expected)


@pytest.mark.parametrize('bom', [b'', b'\xef\xbb\xbf'])
def test_windows_line_ends_and_a_byte_order_mark_are_fine(tmp_path: Path, bom: bytes) -> None:
    text = bom + (HEAD + 'expct: {}\n').replace('\n', '\r\n').encode()
    assert one(tmp_path, text).startswith('4:1: unknown key')


def test_an_empty_mapping_of_an_observation_says_that_it_is_there(tmp_path: Path) -> None:
    file = load_scenario(write(tmp_path, HEAD + 'expect: {observations: [{}]}\n'))
    assert file.scenario.expect.observations is not None


# ---------------------------------------------------------------------------------------------------------- places

PLACES = HEAD + (
    'expect:\n'  # line 4
    '  answer: text\n'
    '  calls:\n'
    '    - tool: a.b\n'  # 7
    '      input:\n'
    '        q: x\n'
    '    - {tool: c.d, input: {}}\n'
    '  prompts:\n'  # 11
    '    at:\n'
    '      2: x\n'
)


@pytest.mark.parametrize(
    ('loc', 'place'),
    [
        ((), (1, 1)),
        (('id',), (1, 1)),
        (('expect',), (4, 1)),
        (('expect', 'answer'), (5, 3)),
        (('expect', 'answer', 'equals'), (5, 3)),
        (('expect', 'calls', 0), (7, 7)),
        (('expect', 'calls', 0, 'input'), (8, 7)),
        (('expect', 'calls', 0, 'input', 'q'), (9, 9)),
        (('expect', 'calls', 0, 'times'), (7, 7)),
        (('expect', 'calls', 1, 'input'), (10, 19)),
        (('expect', 'calls', 2), (6, 3)),
        (('expect', 'prompts', 'at', 2), (13, 7)),
        (('expect', 'prompts', 'at', 3), (12, 5)),
        (('models', 'x'), (1, 1)),
    ],
)
def test_a_key_path_leads_to_its_deepest_known_place(
    tmp_path: Path, loc: tuple[Any, ...], place: tuple[int, int]
) -> None:
    assert load_scenario(write(tmp_path, PLACES)).where(loc) == place


def test_columns_count_characters(tmp_path: Path) -> None:
    assert one(tmp_path, HEAD + 'expect: {answer: "Zürich 🏔", anwser: x}\n').startswith('4:30: unknown key `anwser`')


def test_a_problem_is_one_line_with_path_line_column_message_and_hint(tmp_path: Path) -> None:
    path = write(tmp_path, HEAD + 'expect: {anwser: x}\n')
    (problem,) = problems_of(path)
    assert str(problem) == f'{path}:4:10: unknown key `anwser` in `expect` (did you mean `answer`?)'
    assert problem.key == 'expect.anwser'
    with pytest.raises(FileError) as caught:
        load_scenario(path)
    assert str(caught.value) == str(problem)


# -------------------------------------------------------------------------------------------- one problem a mistake

MISTAKES = [
    # unknown and missing keys
    ('expect: {anwser: x}', '4:10: unknown key `anwser` in `expect` (did you mean `answer`?)'),
    ('expect: {}\nzzz: 1', '5:1: unknown key `zzz` (known keys: id, title,'),
    ('expct: {}', '4:1: unknown key `expct` (did you mean `expect`?)'),
    ('why: x', '1:1: `expect` is missing (What must hold of every run)'),
    ('expect: {stack: [{name: x}]}', '4:18: `kind` is missing in item 1 of `stack`'),
    ('expect: {steps: [{}, {acton: x}]}', '4:23: unknown key `acton` in item 2 of `steps` (did you mean `action`?)'),
    (
        'expect: {observations: [{equal: x}]}',
        '4:26: unknown key `equal` in item 1 of `observations` (did you mean `equals`?)',
    ),
    ('expect: {observations: {each: {equal: x}}}', '4:32: unknown key `equal` in `each` (did you mean `equals`?)'),
    ('expect: {observations: {all: x, each: {}}}', '4:25: unknown key `all` in `observations` (known keys: each)'),
    (
        'expect: {agents: {a: {llm_call: 1}}}\ntools: [{node: a, agent: {}}]',
        '4:23: unknown key `llm_call` in `a` (did you mean `llm_calls`?)',
    ),
    (
        'expect: {}\nmodels: {m: {steps: [{observation: {eror: {}}}]}}',
        '5:37: unknown key `eror` in `observation` (did you mean `error`?)',
    ),
    (
        'expect: {}\ntools: [{node: a, agent: {tools: [{nod: b}]}}]',
        '5:36: unknown key `nod` in item 1 of `tools` (did you mean `node`?)',
    ),
    # values of another kind
    ('expect: {answer: 391}', "4:18: `answer` must be a text or a mapping, not the number 391 (quote it: '391')"),
    ('expect: {answer: true}', "4:18: `answer` must be a text or a mapping, not true (quote it: 'true')"),
    (
        'expect: {answer: [x]}',
        '4:18: `answer` must be a text or a mapping, not a list (its keys are equals, contains, not_contains)',
    ),
    ('expect: {stop_reason: 1.5}', "4:23: `stop_reason` must be a text, not the number 1.5 (quote it: '1.5')"),
    (
        'expect: {answer: {contains: [41]}}',
        "4:30: item 1 of `contains` must be a text, not the number 41 (quote it: '41')",
    ),
    ('expect: {stop_words: Stop}', "4:22: `stop_words` must be a list, not the text 'Stop' (write a list: [Stop])"),
    (
        'expect: {observations: x}',
        "4:24: `observations` must be a list or a mapping, not the text 'x' (write a list: [x])",
    ),
    (
        'expect: {raises: ValueError}',
        "4:18: `raises` must be a mapping, not the text 'ValueError' (its keys are type, contains)",
    ),
    ("expect: {llm_calls: '2'}", "4:21: `llm_calls` must be a whole number, not the text '2' (without quotes: 2)"),
    ('expect: {llm_calls: 2.0}', '4:21: `llm_calls` must be a whole number, not the number 2.0'),
    ('expect: {llm_calls: true}', '4:21: `llm_calls` must be a whole number, not true'),
    ('expect: {llm_calls: -1}', '4:21: `llm_calls` must be greater than or equal to 0'),
    ('expect: {max_seconds: true}', '4:23: `max_seconds` must be a number, not true'),
    ('expect: {}\nruns: 0', '5:7: `runs` must be greater than or equal to 1'),
    (
        "expect: {}\nmodel: {outputs: [x], repeat_last: 'true'}",
        "5:36: `repeat_last` must be true or false, not the text 'true' (without quotes: true)",
    ),
    ('expect: {}\nmodel: {outputs: []}', '5:18: `outputs` must have at least 1 item, not 0'),
    ('expect: {}\nmodel: {outputs: [[x]]}', '5:19: item 1 of `outputs` must be a text or a mapping, not a list'),
    ('expect: {}\nface: Lane', "5:7: `face` must be lane or tool, not the text 'Lane' (did you mean lane?)"),
    (
        'expect: {}\nquestion: {text: x, history: [{role: usr, content: x}]}',
        "5:38: `role` must be user, assistant or system, not the text 'usr'",
    ),
    ('expect: {prompts: {at: {x: y}}}', '4:25: the key `x` in `at` must be a whole number'),
    ('expect: {prompts: {at: {0: y}}}', '4:25: the key `0` in `at` must be a number from 1'),
    ('[]: x\nexpect: {}', '4:1: a key must be a text, not a list or a mapping'),
    # nothing written
    ('expect:', '4:8: `expect` must be a mapping, not nothing (nothing is written there)'),
    ('expect: {calls: }', '4:10: nothing is written after `calls:` (leave the key out, or write [] for none)'),
    ('expect:\n  answer:\n  llm_calls: 1', '5:3: nothing is written after `answer:` (leave the key out)'),
    ('expect: {agents: {a: {stack: }}}\ntools: [{node: a, agent: {}}]', '4:23: nothing is written after `stack:`'),
    ('expect: {}\nwhy: ~', '5:1: nothing is written after `why:` (leave the key out)'),
    # exactly one of several keys
    (
        'expect: {}\ntools: [{node: a, functions: [{name: f}]}]',
        '5:31: give exactly one of: returns, text, raises, python, calls, matches (there is none of them)',
    ),
    (
        'expect: {}\ntools: [{node: a, functions: [{name: f, calls: [{returns: 1, text: x}]}]}]',
        '5:49: give exactly one of: returns, text, raises, python (there is `returns` and `text`)',
    ),
    (
        'expect: {}\ntools: [{node: a, functions: [{name: f, text: x}], agent: {}}]',
        '5:9: give `functions` or `agent`, not both',
    ),
    ('expect: {}\nmodel: {outputs: [{text: x, error: {status: 500}}]}', '5:19: give `text` or `error`, not both'),
    # text notations
    (
        'expect: {answer: {repeat: x, tmes: 2}}',
        '4:18: this is no complete text notation, which is {repeat: text, times: number} or {parts: [text, ...]}',
    ),
    ('expect: {answer: {parts: [x, 3]}}', '4:18: part 2 of `parts` is not a text: quote it'),
    ('expect: {answer: {repeat: x, times: -1}}', '4:18: `times` must not be negative'),
    (
        'expect: {answer: {repeat: x, times: 99999999}}',
        '4:18: the texts of this file would be longer than 8,000,000 characters',
    ),
    # the form of single values
    (
        'expect: {}\ntools: [{node: a, functions: [{name: f, python: os.system}]}]',
        "5:49: `python` is the text 'os.system', which does not match ^[A-Za-z_]",
    ),
    (
        'expect: {}\ntools: [{node: a, functions: [{name: f, raises: {type: 5}}]}]',
        "5:56: `type` must be a text, not the number 5 (quote it: '5')",
    ),
]


@pytest.mark.parametrize(('body', 'expected'), MISTAKES, ids=[body[:60] for body, _ in MISTAKES])
def test_a_mistake_is_one_problem_at_its_place_with_what_to_do(tmp_path: Path, body: str, expected: str) -> None:
    assert one(tmp_path, f'{HEAD}{body}\n').startswith(expected)


@pytest.mark.parametrize('name', ['A-b', 'a_b', 'a--b', '-a', 'a-', 'a b', '../a', 'a' * 81, ''])
def test_an_id_is_lower_case_words_joined_by_dashes(tmp_path: Path, name: str) -> None:
    problem = one(tmp_path, f'id: "{name}"\ntitle: A title\nfamily: loop\nexpect: {{}}\n')
    assert problem.startswith('1:5: `id` ')


def test_all_mistakes_of_a_file_are_told_in_file_order(tmp_path: Path) -> None:
    text = HEAD + (
        'face: Tool\n'
        'expect:\n'
        '  llm_calls: "2"\n'
        '  stop_reason: yes\n'
        '  calls:\n'
        '  anwser: 391\n'
        '  meta: {a: 2024-10-15}\n'
        'id: x\n'
        'model: {outputs: [{}, 3]}\n'
    )
    found = told(tmp_path, text)
    assert [re.match(r'\d+:\d+', problem).group() for problem in found] == [  # type: ignore[union-attr]
        '4:7', '6:14', '7:16', '8:3', '9:3', '10:13', '11:1', '12:23',
    ]  # fmt: skip


def test_two_mistakes_in_one_mapping_are_two_problems(tmp_path: Path) -> None:
    found = told(tmp_path, HEAD + 'expect:\n  stack:\n    - foo: x\n')
    assert sorted(problem.split(': ', 1)[1][:15] for problem in found) == ['`kind` is missi', 'unknown key `fo']


def test_a_value_that_cannot_be_read_is_no_second_mistake(tmp_path: Path) -> None:
    assert 'the tag !mine' in one(tmp_path, HEAD + 'expect: {answer: !mine {a: 1}}\n')
    assert 'not the same number' in one(tmp_path, HEAD + 'expect: {llm_calls: 010}\n')


# --------------------------------------------------------------------- values that YAML versions read in different ways

SURPRISES = [
    ('yes', "yes is a text in one version of YAML and true in another (quote it: 'yes', or write true)"),
    ('No', "No is a text in one version of YAML and false in another (quote it: 'No', or write false)"),
    ('on', "(quote it: 'on', or write true)"),
    ('OFF', "(quote it: 'OFF', or write false)"),
    ('2024-10-15', "2024-10-15 is a date in one version of YAML and a text in another (quote it: '2024-10-15')"),
    ('2024-10-15T10:00:00Z', "(quote it: '2024-10-15T10:00:00Z')"),
    (
        '12:30:45',
        "12:30:45 is not the same number in every version of YAML (write it plainly, or quote it: '12:30:45')",
    ),
    ('010', "(write it plainly, or quote it: '010')"),
    ('1_000', "(write it plainly, or quote it: '1_000')"),
    ('0b11', "(write it plainly, or quote it: '0b11')"),
    ('1e3', "1e3 is a text in one version of YAML and a number in another (quote it: '1e3')"),
    ('0o17', "(quote it: '0o17')"),
    ('.nan', ".nan is no number that JSON can hold (quote it: '.nan')"),
    ('-.inf', "(quote it: '-.inf')"),
    ('1.0e+999', 'is too large for a number'),
    ('1' * 301, 'this number has too many digits'),
    ('=', "a plain = has a special meaning in YAML (quote it: '=')"),
    ('!!null x', 'the tag !!null is not allowed'),
]


@pytest.mark.parametrize(('value', 'expected'), SURPRISES, ids=[value[:20] for value, _ in SURPRISES])
@pytest.mark.parametrize('place', ['config: {a: %s}\nexpect: {}', 'expect: {stop_reason: %s}', 'expect: {answer: %s}'])
def test_a_value_that_is_read_in_two_ways_must_be_quoted(tmp_path: Path, value: str, expected: str, place: str) -> None:
    assert expected in one(tmp_path, HEAD + place % value + '\n')
    if not value.startswith('!'):
        assert told(tmp_path, HEAD + place % f"'{value}'" + '\n') == []


@pytest.mark.parametrize(
    ('key', 'expected'),
    [
        ('1', "a key must be a text, not the number 1 (quote it: '1')"),
        ('true', "a key must be a text, not true (quote it: 'true')"),
        ('~', "a key must be a text, not ~ (quote it: '~')"),
        ('yes', "as a key: yes is a text in one version of YAML and true in another (quote it: 'yes'"),
        ('2024-10-15', 'as a key: 2024-10-15 is a date in one version'),
        ('? {a: 1}\n ', 'a key must be a text, not a list or a mapping'),
        ('<<', 'merge keys (`<<`) are not allowed'),
    ],
)
def test_a_key_must_be_a_text(tmp_path: Path, key: str, expected: str) -> None:
    assert expected in one(tmp_path, HEAD + f'expect: {{}}\nconfig:\n {key}: {{b: 1}}\n')


def test_the_numbers_of_prompts_are_the_only_keys_that_need_no_quotes(tmp_path: Path) -> None:
    at = '{prompts: {at: {1: x, "2": y}}}'
    text = HEAD + f'expect: {at}\nmodels: {{m: {at}}}\n'
    scenario = load_scenario(write(tmp_path, text)).scenario
    assert scenario.expect.prompts is not None
    assert list(scenario.expect.prompts.at) == [1, 2]
    assert told(tmp_path, HEAD + f'tools: [{{node: c, agent: {{}}}}]\nexpect: {{agents: {{c: {at}}}}}\n') == []
    assert 'a key must be a text' in one(tmp_path, HEAD + f'expect: {{meta: {at}}}\n')
    assert 'a key must be a text' in one(
        tmp_path, HEAD + 'expect: {calls: [{tool: x, input: {prompts: {at: {1: x}}}}]}\n'
    )


def test_a_key_that_stands_twice_is_told_with_both_places(tmp_path: Path) -> None:
    assert one(tmp_path, HEAD + 'expect: {}\ntitle: x\n') == (
        '5:1: the key `title` stands here a second time: first at 2:1'
    )
    assert 'first at 4:19' in one(tmp_path, HEAD + 'expect: {calls: [{tool: a, input: {q: 1}, tool: b}]}\n')
    assert 'first at 4:14' in one(tmp_path, HEAD + 'config: {a: {b: 1, "b": 1}}\nexpect: {}\n')


# ---------------------------------------------------------------------------------------------------- hostile files


@pytest.mark.parametrize(
    'value',
    [
        '!!python/object/apply:os.system [echo]',
        '!!python/name:os.system',
        '!!python/tuple [1]',
        '!!binary aGk=',
        '!!set {a, b}',
        '!!omap [a: 1]',
        '!mine x',
        '!<tag:example.org,2000:x> {a: 1}',
    ],
)
def test_tags_are_refused(tmp_path: Path, value: str) -> None:
    problem = one(tmp_path, HEAD + f'expect: {{}}\nconfig:\n  a: {value}\n')
    assert problem.startswith(('6:6: the tag !', '6:6: the tag tag:'))
    assert 'is not allowed' in problem


def test_a_tag_never_runs_anything(tmp_path: Path) -> None:
    mark = tmp_path / 'mark'
    told(tmp_path, HEAD + f'expect: {{}}\nconfig: {{a: !!python/object/apply:pathlib.Path.touch [{mark}]}}\n')
    assert not mark.exists()


def laughs(letter: str) -> str:
    return f'{letter}: &{letter} [' + ', '.join([f'*{chr(ord(letter) - 1)}'] * 9) + ']\n'


def test_a_billion_laughs_are_refused_before_they_are_built(tmp_path: Path) -> None:
    text = 'a: &a [x, x, x, x, x, x, x, x, x]\n' + ''.join(map(laughs, 'bcdefghijklmnopqrstuvwxyz'))
    assert 'use fewer aliases' in one(tmp_path, text)


def test_many_aliases_of_one_long_text_are_refused(tmp_path: Path) -> None:
    text = f'a: &a {"x" * 1_000_000}\nb: [{", ".join(["*a"] * 100)}]\n'
    assert '16,000,000 characters' in one(tmp_path, text)


def test_aliases_that_nest_deeper_than_the_text_are_refused(tmp_path: Path) -> None:
    text = 'a0: &a0 [x]\n' + ''.join(f'a{n}: &a{n} [*a{n - 1}]\n' for n in range(1, MAX_DEPTH + 5))
    assert 'levels' in one(tmp_path, text)


@pytest.mark.parametrize('text', ['&a [*a]', 'a: &a {b: *a}', '&a {? *a : b}'])
def test_a_value_that_holds_itself_is_refused(tmp_path: Path, text: str) -> None:
    assert 'holds itself' in one(tmp_path, text)


@pytest.mark.parametrize('text', ['[' * 101, '{a: ' * 101, '- ' * 101 + 'x', '[' * 1_000_000, '- ' * 1_000_000])
def test_deep_nesting_is_refused(tmp_path: Path, text: str) -> None:
    assert 'values are nested deeper than 100 levels' in one(tmp_path, text)


def test_nesting_up_to_the_limit_is_fine(tmp_path: Path) -> None:
    deep = '[' * 97 + ']' * 97
    assert told(tmp_path, HEAD + f'expect: {{}}\nconfig: {{a: {deep}}}\n') == []


def test_a_file_that_is_too_large_is_refused(tmp_path: Path) -> None:
    assert 'larger than 4,000,000 bytes' in one(tmp_path, b'#' * (MAX_BYTES + 1))


def test_text_notations_together_are_bounded(tmp_path: Path) -> None:
    outputs = ', '.join(['{repeat: x, times: 1000000}'] * 9)
    assert 'longer than 8,000,000' in one(tmp_path, HEAD + f'model: {{outputs: [{outputs}]}}\nexpect: {{}}\n')


# --------------------------------------------------------------------------------------------------- files that are no YAML

NO_YAML = [
    ('', '1:1: the file is empty'),
    ('# only a comment\n', '1:1: the file is empty'),
    ('a: b: c', "1:5: this is not YAML: mapping values are not allowed in this context (quote a text that holds ': '"),
    ('a:\n\t- b', '2:1: this is not YAML: found character that cannot start any token'),
    ('a: @b', 'quote a text that starts with @'),
    ('a: "x\n', 'a quote or a bracket is not closed'),
    ('a: [1, 2\nb: 3', '2:2: this is not YAML: did not find expected'),
    ('a: *b', '1:4: this is not YAML: found undefined alias'),
    (r'a: "\d"', '1:5: this is not YAML: found unknown escape character'),
    ('a: 1\n---\nb: 2', '2:1: a second document starts here'),
    ('a: \x01', r'1:4: the character U+0001 must not stand in a YAML file (write it as \x01 in a double-quoted text)'),
    ('a: x\nb: \ufffe', r'2:4: the character U+FFFE must not stand in a YAML file (write it as \ufffe in'),
    (b'a: 1\nb: \xff', '2:4: the file is not UTF-8 text'),
    ('a: 1'.encode('utf-16'), '1:1: the file is not UTF-8 text'),
    ('- a', '1:1: the file must be a mapping, not a list (its keys are id, title,'),
    ('text', "1:1: the file must be a mapping, not the text 'text'"),
]  # fmt: skip


@pytest.mark.parametrize(('text', 'expected'), NO_YAML, ids=[repr(text)[:30] for text, _ in NO_YAML])
def test_a_file_that_is_no_yaml_is_one_problem(tmp_path: Path, text: str | bytes, expected: str) -> None:
    assert expected in one(tmp_path, text)


def test_a_file_that_is_not_there_or_a_folder_is_a_problem(tmp_path: Path) -> None:
    assert 'cannot be read' in str(problems_of(tmp_path / 'none.yaml')[0])
    assert 'cannot be read' in str(problems_of(tmp_path)[0])


@ANY_FOLDER
@given(text=st.text(alphabet=st.sampled_from(list('ab:- \n[]{},&*!?|>"\'%@`#~<=.019\t\\é')), max_size=60))
def test_any_text_is_loaded_or_refused(tmp_path: Path, text: str) -> None:
    for content in (text, HEAD + 'expect: {}\nconfig:\n' + text):
        for problem in problems_of(write(tmp_path, content)):
            assert problem.line >= 1
            assert problem.column >= 1
            assert problem.message


@ANY_FOLDER
@given(raw=st.binary(max_size=60))
def test_any_bytes_are_loaded_or_refused(tmp_path: Path, raw: bytes) -> None:
    assert all(problem.message for problem in problems_of(write(tmp_path, raw)))


# ------------------------------------------------------------------------------------------ parts that do not fit together

CONTRADICTIONS = [
    ('input: {}\nexpect: {}', '4:1: `input` is what a parent agent passes, but the face is `lane` (write face: tool)'),
    ('face: tool\nexpect: {}', '4:1: the face is `tool`, but there is no `input` (write input: {query: ...})'),
    ('face: tool\ninput: null\nquestion: x\nexpect: {}', '6:1: `question` comes on the lane, but the face is `tool`'),
    ('expect: {}\nmodel: {outputs: [x]}\nmodels: {m: {}}', '6:1: `models` is about recordings, but `model` gives'),
    ('expect: {}\nmodels: {a/b: {}}', "5:10: 'a/b' cannot be the name of a recording"),
    ('expect: {}\nmodels: {a..b: {}}', "5:10: 'a..b' cannot be the name of a recording"),
    ('expect: {}\ntools: [{node: a}, {node: a}]', "5:21: two tool nodes have the id 'a'"),
    ('expect: {}\ntools: [{node: a, functions: [{name: f, text: x}, {name: f, text: y}]}]', "5:52: two functions of 'a' have the name 'f'"),
    ('expect: {}\ntools: [{node: agent, agent: {}}]', "5:10: two agents have the id 'agent'"),
    ('expect: {}\ntools: [{node: a, agent: {tools: [{node: a, agent: {}}]}}]', "5:36: two agents have the id 'a'"),
    ('tools: [{node: researcher, agent: {}}]\nexpect: {agents: {reseacher: {}}}', "5:19: there is no child agent 'reseacher' (did you mean `researcher`?)"),
    ('expect: {agents: {a: {}}}', "4:19: there is no child agent 'a' (child agents: none)"),
    ('tools: [{node: a, agent: {}}]\nexpect: {agents: {a: {max_seconds: 1}}}', '5:23: the time of a child agent is not measured'),
    ('tools: [{node: a, agent: {}}]\nexpect: {agents: {a: {agents: {a: {}}}}}', '5:23: every child agent is named directly under `agents`'),
    ('expect: {}\nmodels: {m: {agents: {a: {}}}}', "5:23: there is no child agent 'a'"),
]  # fmt: skip


@pytest.mark.parametrize(('body', 'expected'), CONTRADICTIONS, ids=[body[:60] for body, _ in CONTRADICTIONS])
def test_parts_that_contradict_each_other_are_a_problem(tmp_path: Path, body: str, expected: str) -> None:
    assert one(tmp_path, f'{HEAD}{body}\n').startswith(expected)


def test_a_child_of_a_child_is_named_directly_under_agents(tmp_path: Path) -> None:
    body = 'tools: [{node: a, agent: {tools: [{node: b, agent: {}}]}}]\nexpect: {agents: {a: {}, b: {llm_calls: 0}}}\n'
    assert told(tmp_path, HEAD + body) == []


def test_a_child_may_have_tools_with_the_ids_of_its_parents_tools(tmp_path: Path) -> None:
    body = 'tools: [{node: s, functions: []}, {node: a, agent: {tools: [{node: s}]}}]\nexpect: {}\n'
    assert told(tmp_path, HEAD + body) == []


# ------------------------------------------------------------------------------------------------- finding scenarios


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    root = tmp_path / 'scenarios'
    for family, names in {'loop': ['loop-b', 'loop-a'], 'guard': ['guard-on', 'guard-off']}.items():
        for name in names:
            write(root, scenario_text(name, f'About {name}', family), f'{family}/{name}.yaml')
    write(root, 'LOOP-1: A sentence.\n', 'requirements.yaml')
    write(root, 'nonsense: [', 'loop/_draft.yaml')
    write(root, 'nonsense: [', 'loop/.hidden.yaml')
    write(root, 'nonsense: [', '_old/loop-c.yaml')
    write(root, 'nonsense: [', 'loop/notes.txt')
    return root


def ids(root: Path, *select: str, families: tuple[str, ...] = ()) -> list[str]:
    return [file.scenario.id for file in find_scenarios(root, select, families)]


def test_all_scenarios_are_found_by_family_and_id(suite: Path) -> None:
    assert ids(suite) == ['guard-off', 'guard-on', 'loop-a', 'loop-b']


def test_scenarios_are_chosen_by_id_pattern_file_or_folder(suite: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert ids(suite, 'loop-b') == ['loop-b']
    assert ids(suite, 'loop-b', 'guard-on', 'loop-b') == ['guard-on', 'loop-b']
    assert ids(suite, '*-o*') == ['guard-off', 'guard-on']
    assert ids(suite, 'loop-[ab]') == ['loop-a', 'loop-b']
    assert ids(suite, str(suite / 'loop' / 'loop-a.yaml')) == ['loop-a']
    assert ids(suite, 'loop/loop-a.yaml') == ['loop-a']
    assert ids(suite, str(suite / 'guard')) == ['guard-off', 'guard-on']
    assert ids(suite, str(suite)) == ids(suite)
    assert ids(suite, 'guard') == ['guard-off', 'guard-on']
    monkeypatch.chdir(suite.parent)
    assert ids(Path('scenarios'), 'scenarios/loop', 'loop-a') == ['loop-a', 'loop-b']
    assert ids(Path('scenarios'), str(suite / 'loop/loop-a.yaml'), 'scenarios/loop/loop-a.yaml') == ['loop-a']


def test_files_and_folders_outside_may_be_chosen_too(suite: Path, tmp_path: Path) -> None:
    other = write(tmp_path / 'other', scenario_text('far-away', family='else'), 'else/far-away.yaml')
    assert ids(suite, str(other)) == ['far-away']
    assert ids(suite, str(other.parent), 'loop-a') == ['far-away', 'loop-a']


def test_scenarios_are_chosen_by_family(suite: Path) -> None:
    assert ids(suite, families=('guard',)) == ['guard-off', 'guard-on']
    assert ids(suite, '*-a', '*-on', families=('loop', 'guard')) == ['guard-on', 'loop-a']
    assert ids(suite, 'loop-a', families=('guard',)) == []


@pytest.mark.parametrize(
    ('select', 'families', 'expected'),
    [
        (('lop-a',), (), "there is no scenario 'lop-a': did you mean 'loop-a'?"),
        (('scenarios/guard/guard-of.yaml',), (), "did you mean 'guard-off'?"),
        (('nothing-*',), (), "there is no scenario 'nothing-*'"),
        ((), ('guards',), "there is no family 'guards': did you mean 'guard'?"),
        ((), ('zzz',), "there is no family 'zzz'; there are guard, loop"),
    ],
)
def test_what_is_not_there_is_told_with_the_nearest_name(
    suite: Path, select: tuple[str, ...], families: tuple[str, ...], expected: str
) -> None:
    with pytest.raises(UsageError, match=re.escape(expected)):
        find_scenarios(suite, select, families)


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match='there is no such folder'):
        find_scenarios(tmp_path / 'none')


def test_an_empty_folder_has_no_scenarios(tmp_path: Path) -> None:
    assert find_scenarios(tmp_path) == []


def test_the_problems_of_all_chosen_files_are_told_at_once(suite: Path) -> None:
    write(suite, HEAD + 'expct: {}\n', 'loop/a-b.yaml')
    write(suite, 'nonsense: [', 'guard/c-d.yaml')
    with pytest.raises(FileError) as caught:
        find_scenarios(suite)
    assert [Path(problem.path).name for problem in caught.value.problems] == ['c-d.yaml', 'a-b.yaml']
    assert ids(suite, 'loop-a') == ['loop-a']


def test_the_file_is_called_as_its_id_and_the_folder_as_its_family(suite: Path) -> None:
    shutil.move(suite / 'loop' / 'loop-a.yaml', suite / 'guard' / 'loop-c.yaml')
    with pytest.raises(FileError) as caught:
        find_scenarios(suite)
    told = [(problem.key, problem.message) for problem in caught.value.problems]
    assert told == [
        ('id', "the id is 'loop-a', but the file is called 'loop-c.yaml'"),
        ('family', "the family is 'loop', but the folder is called 'guard'"),
    ]


def test_an_id_that_is_used_twice_is_told_with_both_places(suite: Path) -> None:
    first = suite / 'loop' / 'loop-a.yaml'
    second = write(suite, first.read_text(), 'more/loop/loop-a.yaml')
    with pytest.raises(FileError) as caught:
        find_scenarios(suite)
    (problem,) = caught.value.problems
    assert problem.path == str(second)
    assert f"the id 'loop-a' is used twice: first at {first}:1:2" in problem.message
