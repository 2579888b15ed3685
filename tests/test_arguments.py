"""The input of a step: which texts are one whole object, which are none, and which are unreadable."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest
from node_reader import MAX_DEPTH, UnreadableError, read_input

if TYPE_CHECKING:
    from collections.abc import Iterator


def assert_unreadable(text: str) -> None:
    with pytest.raises(UnreadableError):
        read_input(text)


@pytest.fixture
def no_limit_on_digits() -> Iterator[None]:
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    yield
    sys.set_int_max_str_digits(limit)


# ----------------------------------------------------------------------------------------------------------- notations


@pytest.mark.parametrize(
    'value',
    [
        {}, {'': ''}, {'q': 'rome', 'n': 3}, {'a': {'b': {'c': [1, {'d': 2}], 'e': []}}}, {'a': [[], [[]], {}]},
        {'n': 12345678901234567890123, 'f': 1e300, 'z': -0.5}, {'t': True, 'f': False, 'n': None},
        {'s': '\\ / " \' \b \f \n \r \t \x00 \x7f \u2028 é 東京 🌧'}, {'é"\n': 1}, {'tpl': 'fn() { return {}; }',
        'x': '}"}'},
        {'code': 'a `b` ```c``` # d // e /* f */'}, {'think': 'x', 'Action: y': 'Thought: z'},
    ],
)  # fmt: skip
@pytest.mark.parametrize('ascii_only', [True, False])
@pytest.mark.parametrize('indent', [None, 2])
def test_json_is_read_as_json(value: dict[str, Any], ascii_only: bool, indent: int | None) -> None:
    assert read_input(json.dumps(value, ensure_ascii=ascii_only, indent=indent)) == value


def test_raw_line_ends_inside_a_text_are_read() -> None:
    assert read_input('{"code": "a = 1\nprint(a)\r\n\tb"}') == {'code': 'a = 1\nprint(a)\r\n\tb'}
    assert read_input("{'code': 'a\nb', 'x': 1}") == {'code': 'a\nb', 'x': 1}
    assert read_input("{'code': 'a\nb', 'x': None}") == {'code': 'a\nb', 'x': None}


@pytest.mark.parametrize(
    ('text', 'value'),
    [
        ("{'q': 'rome', 'n': 3}", {'q': 'rome', 'n': 3}),
        ('{q: "rome", $n_1: 3, été: 4}', {'q': 'rome', '$n_1': 3, 'été': 4}),
        ('{true: true, null: null, NaN: 1}', {'true': True, 'null': None, 'NaN': 1}),
        ('{"q": "rome", "n": [1, 2,],}', {'q': 'rome', 'n': [1, 2]}),
        ("{'a': [{'b': 'c',},],}", {'a': [{'b': 'c'}]}),
        ('{"a": 1 /* the id */, "n": 2 // count\n}', {'a': 1, 'n': 2}),
        ('{/**/"a"/* ** / */:/***/1}', {'a': 1}),
        (
            '{"a": .5, "b": 5., "c": +1, "d": 0x1F, "e": -0xff, "f": +.5e-3}',
            {'a': 0.5, 'b': 5.0, 'c': 1, 'd': 31, 'e': -255, 'f': 0.0005},
        ),
        ("{'a': 'say \"hi\"', 'b': \"it's\"}", {'a': 'say "hi"', 'b': "it's"}),
        (
            r"{'a': 'it\'s', 'b': 'say \"hi\"', 'c': '\\', 'd': '\\\''}",
            {'a': "it's", 'b': 'say "hi"', 'c': '\\', 'd': "\\'"},
        ),
        (r'{"a": "it\'s \"fine\""}', {'a': 'it\'s "fine"'}),
        (r"{'a': '\n\t\/\u00e9\ud83c\udf27'}", {'a': '\n\t/é🌧'}),
        ('{\xa0"a"\u3000:\u200b1\u2028}', {'a': 1}),
    ],
)
def test_json5_is_read(text: str, value: dict[str, Any]) -> None:
    assert read_input(text) == value


@pytest.mark.parametrize(
    ('text', 'value'),
    [
        (
            "{'a': True, 'b': False, 'c': None, 'd': [True, {'e': None}]}",
            {'a': True, 'b': False, 'c': None, 'd': [True, {'e': None}]},
        ),
        ('{"q": 1, # the id\n"n": 2}', {'q': 1, 'n': 2}),
        ("{'q': None, # it's\n'n': 2,}", {'q': None, 'n': 2}),
        (
            '{"a": None, "b": 1_000, "c": 0b101, "d": 0x_ff, "e": 1_0.5_0, "f": 1_0e1_0}',
            {'a': None, 'b': 1000, 'c': 5, 'd': 255, 'e': 10.5, 'f': 10e10},
        ),
        (
            r"""{'a': r'C:\dir', 'b': R"\d+\"", 'c': u'x', 'd': None}""",
            {'a': 'C:\\dir', 'b': '\\d+\\"', 'c': 'x', 'd': None},
        ),
        (
            '{"a": """one "two"\nthree\'s""", "b": \'\'\'it\'s\'\'\', "c": """""", "d": None}',
            {'a': 'one "two"\nthree\'s', 'b': "it's", 'c': '', 'd': None},
        ),
        (r"""{'a': 'O''""", None),
        (r"{'a': 'it\'s \"x\"', 'b': None}", {'a': 'it\'s "x"', 'b': None}),
    ],
)
def test_a_python_dict_display_is_read(text: str, value: dict[str, Any] | None) -> None:
    if value is None:
        assert_unreadable(text)
    else:
        assert read_input(text) == value


def test_the_values_are_plain_ones() -> None:
    for text in (
        '{"a": {"b": [{}]}, "c": 1.0, "d": 1}',
        "{'a': {'b': [{}]}, 'c': 1.0, 'd': 1}",
        "{'a': {'b': [{}]}, 'c': 1.0, 'd': 1, 'e': None}",
    ):
        value = read_input(text)
        assert value is not None
        assert [type(part) for part in (value, value['a'], value['a']['b'], value['a']['b'][0])] == [
            dict,
            dict,
            list,
            dict,
        ]
        assert [type(value['c']), type(value['d'])] == [float, int]


# ---------------------------------------------------------------------------------------------------------- unreadable


@pytest.mark.parametrize(
    'text',
    [
        # no object
        'rome weather', '"rome"', '5', 'q="rome", n=3', '[1, 2]', '[{"q": 1}]', '<q>rome</q>', 'q: rome\nn: 3', 'N/A',
        'none of it',
        '{', '}', '"{}"', '```json\n```\nrome', '`rome`',
        # arithmetic, octals, dates and the like
        '{"n": 2*(3+4)}', '{"n": 9**9**9}', '{"n": 1/0}', '{"n": 1+1}', '{"n": 3-1}', '{"n": -(1)}', '{"n": --1}',
        '{"n": ~1}',
        '{"date": 2024-10-15}', '{"phone": 555-1234}', '{"v": 12:30}', '{"v": 1.2.3}', '{"v": 10%}', '{"v": 5kg}',
        '{"n": 1 000}',
        '{"zip": 01234}', '{"n": 0o17}', '{"n": 00}', '{"n": 08.5}', '{"n": 1,000}', '{"n": $5}', '{"n": 1__0}',
        '{"n": 1_}', '{"n": 0x}',
        # values that were not written
        '{"q": rome}', '{"q": rome, "k": "v"}', '{"q": }', '{"q"}', '{"q": 1, "k"}', '{q}', '{"q": undefined}',
        '{"q": "a" + "b"}',
        '{"q": ...}', '{...}', '{"q": null or 1}', '{"q": f"{x}"}', '{"q": str(1)}', '{**{"q": 1}}',
        '{"q": [x for x in y]}', '{"q": x.y}',
        # implicit string joins, tuples, sets, bytes, complex numbers, keys that are no text
        '{"q": "a" "b"}', "{'q': 'a' 'b'}", '{"q": ("a" "b")}', '{"q": (1, 2)}', '{"q": {1, 2}}', '{"q", "r"}',
        '{"q": b"a"}', '{"q": 1j}',
        '{"q": ()}', '{"q": ("a")}', '{1: 2}', '{None: 1, "a": None}', '{("a",): None}', '{[1]: 2}', '{{"a": 1}: 2}',
        # NaN and infinities
        '{"n": NaN}', '{"n": Infinity}', '{"n": -Infinity}', '{"n": nan}', '{"n": 1e999}', '{"n": -1e999}',
        '{"n": 1e-999}', '{"n": [NaN]}',
        # mixtures of two notations, and of both with nothing
        '{"a": True, "b": true}', '{a: True}', '{"a": True, // note\n"b": 1}', '{"a": null, # note\n"b": 1}',
        '{“q”: “rome”}', '{"q": ‘a’}',
        '{{"q": 1}}', '{"q" 1}', '{"q": 1 "r": 2}', '{"q": 1; "r": 2}', '{"q" = 1}', '{"q" => 1}', '{,}',
        '{"q": [,]}', '{"q": [1,,2]}',
        '{"q": 1,,}', '{"q": :1}', '{"q": 1]', '{"q": [1}', '{"q": [1}]}', '{"q": ["a": 1]}', '{:1}', "{'': }",
        '{/* }', '{"a": 1 /}',
        # strings with a quotation mark or a backslash too many
        '{"q": "say "hi" now"}', "{'q': 'it's'}", '{"path": "C:\\dir"}', r'{"re": "\d+"}', r'{"q": "\x41"}',
        r"{'q': '\x41', 'r': None}",
        r'{"q": "\U0001f327"}', r"{'q': '\0', 'r': None}", r"{'q': '\v'}", r"{'q': '\N{DASH}', 'r': None}",
        '{"q": "a\\\nb"}', r'{"q": "\u12"}',
        r"{'q': '\/', 'r': None}", r'{"q": "a\"}', "{'q': 'a\\'}", r'{"q": "\ud83d"}', r'{"q": "\udf27\ud83c"}',
        '{"\\ud83d": 1}', '{"q": "\ud83d"}',
        r"{'q': '\ud83d'}", '{"q": """a"}', "{'q': '''a'', 'r': None}", r"""{'q': r'a\', 'r': None}""",
        "{'q': rb'a', 'r': None}",
        # cut off
        '{"q": "very long te', '{"q": 1', '{"q": [1, 2', '{"a": {"b": 1}, "c": "lon', '{"a": {"b": 1}',
        "{'a': {'b': None}", '{"q":', '{"q',
        "{'q': 'a", '{"a": 1, // note', '{"a": 1, # note', '{"a": "b", ', '{"a": "\\', "{'a': None, '",
        '{"a": {"b": 1},',
        # a part of something larger
        '"{\\"q\\": \\"rome\\"}"', '\'{"q": 1}\'', '[{"q": 1}, {"q": 2}]', 'x, {"q": 1}', 'args = {"q": 1}',
        'x = [{"q": 1}]', '“{"q": 1}”',
        'filter: {"q": 1}', '  - filter: {"q": 1}', '"filter": {"q": 1}', 'the "filter": {"q": 1}', '<q>{"a": 1}</q>',
        '1 + {"q": 1}', 'a | {"q": 1}',
        '{"q": 1}, {"q": 2}', '{"q": 1}: 2', '{"q": 1} | {"r": 2}', '{"q": 1} + {"r": 2}', '{"q": 1}["q"]',
        '{"q": 1} = x', '{"q": "a"}b"}',
        '{"q": "use "} is closing", "b"', '{"q": "a"}"', '{"q": "use "} to close", "r": 1}',
        '{"q": "a "} x" b "y" z"}', "{'q': 'a '} x' b 'y' z'}",
        '{"q": "say "} hi"}', '{"q": 1}2',
        # more than one object
        '{"q": 1}{"r": 2}', '{"q": 1}\n{"r": 2}', '{"q": 1} {"q": 1}', 'I pass {"q": 1} and then {"q": 2}.',
        'either {"q": 1} or {}',
        '```json\n{"q": 1}\n```\n```json\n{"r": 2}\n```', '{"q": 1}\n```\n{"r": 2}', '- {"q": 1}\n- {"q": 2}',
        'None\n{"q": 1}\n{"q": 2}',
    ],
)  # fmt: skip
def test_whatever_was_not_written_out_as_one_whole_object_is_unreadable(text: str) -> None:
    assert_unreadable(text)
    assert_unreadable(f'```json\n{text}\n```')


@pytest.mark.parametrize(
    'text',
    [
        '{"q": 1, "q": 2}',
        "{'q': 1, 'q': 2}",
        '{"q": 1, "q": true}',
        '{"q": 1, "q": 1.0}',
        '{"a": {"q": [1], "q": [2]}}',
        '{q: 0, "q": false}',
    ],
)
def test_a_key_that_stands_twice_with_two_values_is_unreadable(text: str) -> None:
    assert_unreadable(text)


def test_a_key_that_stands_twice_with_one_value_is_read() -> None:
    assert read_input('{"q": "pump", "n": 2, "q": "pump"}') == {'q': 'pump', 'n': 2}
    assert read_input("{'q': {'a': [1, None]}, 'q': {'a': [1, None]}}") == {'q': {'a': [1, None]}}


# ------------------------------------------------------------------------------------------------------------- numbers


def test_an_integer_is_read_as_long_as_it_can_be_written_again() -> None:
    for text in ('{"n": %s}', "{'n': %s}", "{'n': %s, 'x': None}"):
        value = read_input(text % ('9' * 4000))
        assert value is not None
        assert json.loads(json.dumps(value)) == value
        assert_unreadable(text % ('9' * 5000))
        assert_unreadable(text % ('-' + '9' * 5000))
        assert_unreadable(text % ('0x' + 'f' * 5000))


@pytest.mark.usefixtures('no_limit_on_digits')
def test_the_length_of_an_integer_is_bounded_whatever_python_allows() -> None:
    for digits in ('9' * 10_000, '0x' + 'f' * 10_000, '0b' + '1' * 20_000, '9_' * 10_000 + '9', '+' + '9' * 10_000):
        assert_unreadable(f'{{"n": {digits}}}')


def test_a_number_keeps_its_kind() -> None:
    for text in (
        '{"a": 1, "b": 1.0, "c": 1e2, "d": -0, "e": true}',
        "{'a': 1, 'b': 1.0, 'c': 1e2, 'd': -0, 'e': True}",
    ):
        assert repr(read_input(text)) == "{'a': 1, 'b': 1.0, 'c': 100.0, 'd': 0, 'e': True}"


# --------------------------------------------------------------------------------------------------- around the object


@pytest.mark.parametrize(
    'text',
    [
        '',
        ' ',
        '\n\t\xa0\u200b',
        'None',
        'none',
        ' null ',
        'NULL\n',
        '`None`',
        '```\n```',
        '```json\n\n```',
        'None\nI wait.',
        'null\r\n\r\nDone',
    ],
)
def test_nothing_none_and_null_are_no_input(text: str) -> None:
    assert read_input(text) is None


@pytest.mark.parametrize('text', ['{}', '{ }', '{\n}', '{/* nothing */}', '{# nothing\n}'])
def test_an_empty_object_is_an_input(text: str) -> None:
    assert read_input(text) == {}


@pytest.mark.parametrize(
    'before', ['', ' ', '\n\n', '\u200b', '```json\n', '```\n', '``` json\n', '~~~\n', '````json5\n\n', '`', '```']
)
@pytest.mark.parametrize(
    'behind',
    [
        '', '\n', '\n```', '`', '~~~\n', '.', '}', '}}', ' }\n}', '\nI will wait for the result {soon}.', ' // done',
        ' # done', ' /* done */',
        '\nExpect {"status": "ok"}', '\n\nIt gives "a" and "b".', " It's done.", '我会等待', ' (a note)', '(a note)',
        '**', '\n- next\n- {"r": 2}',
        '\n```\nThen I wait.', '\n\n```python\nf"{x}"\n```', '\n</tool>', ' -> result', '\n= 5',
    ],
)  # fmt: skip
def test_fences_and_trailing_prose_do_not_count(before: str, behind: str) -> None:
    for text in ('{"q": "a `b`"}', "{'q': 'a `b`'}", "{'q': 'a `b`', 'n': None}"):
        value = read_input(before + text + behind)
        assert value is not None
        assert value['q'] == 'a `b`'


@pytest.mark.parametrize(
    'before',
    [
        'I will pass ',
        'Here it is:\n',
        'json\n',
        'The arguments: ',
        's(',
        '- ',
        '1. ',
        '# a note\n',
        'Let us try:\n\n```json\n',
        '我传入',
    ],
)
def test_prose_before_a_single_object_does_not_count(before: str) -> None:
    assert read_input(before + '{"q": 1}') == {'q': 1}
    assert read_input(before + '{"q": 1}.\nThen I wait.') == {'q': 1}
    assert_unreadable(before + '{"q": 1} and {}')


def test_an_object_across_a_place_where_something_was_taken_out_is_unreadable() -> None:
    text = 'so {"q": "ab"} ok'
    inside = range(text.index('{') + 1, text.index('}') + 1)
    for seam in range(len(text) + 1):
        if seam in inside:
            with pytest.raises(UnreadableError):
                read_input(text, [0, seam])
        else:
            assert read_input(text, [0, seam]) == {'q': 'ab'}


def test_a_text_may_be_nested_as_deep_as_the_limit_and_no_deeper() -> None:
    for open_, close in (('{"a":', '}'), ("{'a':", '}'), ("{'b': None, 'a':", '}')):
        assert read_input(open_ * MAX_DEPTH + '1' + close * MAX_DEPTH) is not None
        for levels in (MAX_DEPTH + 1, 50_000):
            assert_unreadable(open_ * levels + '1' + close * levels)
    assert read_input('{"a":' + '[' * (MAX_DEPTH - 1) + ']' * (MAX_DEPTH - 1) + '}') is not None
    assert_unreadable('{"a":' + '[' * MAX_DEPTH + ']' * MAX_DEPTH + '}')
    assert_unreadable('{"a":' + '[' * 100_000)
    assert read_input(json.dumps({str(n): [{}] for n in range(1000)})) is not None
