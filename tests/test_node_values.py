from __future__ import annotations

import json
import math
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from node_host import CALM, NODE

assert NODE  # the engine's library is found with it
from agent_llamaindex.values import encodable, error_text, observation_text, to_text  # noqa: E402

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(exclude_categories=())),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(exclude_categories=())), inner),
    max_leaves=20,
)


class Unspeakable:
    def __str__(self) -> str:
        raise RuntimeError('no text')

    __repr__ = __str__


# -------------------------------------------------------------------------------------------------------- observations


@pytest.mark.parametrize(
    ('value', 'text'),
    [
        ({'a': [1, 'ü', None, True, 1.5]}, '{"a": [1, "ü", null, true, 1.5]}'),
        ([], '[]'),
        ({}, '{}'),
        ('plain "text"', 'plain "text"'),
        ('', ''),
        (None, 'None'),
        (True, 'True'),
        (1.0, '1.0'),
        ((1, 'a'), "(1, 'a')"),
        (b'ab', "b'ab'"),
        (math.nan, 'nan'),
    ],
    ids=repr,
)
def test_a_result_is_json_if_it_is_an_object_or_a_list_and_else_its_text(value: Any, text: str) -> None:
    assert observation_text(value) == text


@pytest.mark.parametrize(
    ('value', 'text'),
    [
        ({'a': math.nan}, '{"a": null}'),
        ([math.inf, [-math.inf]], '[null, [null]]'),
        ({'a': (math.nan, {'b': math.nan})}, '{"a": [null, {"b": null}]}'),
        ({'a': Decimal('1.5'), 'b': math.nan}, '{"a": "1.5", "b": null}'),
        ({'a': b'x'}, '{"a": "b\'x\'"}'),
        ({'a': Unspeakable(), 'b': 1}, '{"a": "<Unspeakable without a text>", "b": 1}'),
        ({'a': 10**5000, 'b': [1]}, '{"a": "<int without a text>", "b": [1]}'),
        ({1: 'a', None: 'b', False: 'c', 2.5: 'd'}, '{"1": "a", "null": "b", "false": "c", "2.5": "d"}'),
    ],
)
def test_an_odd_value_inside_a_result_leaves_the_rest_as_it_is(value: Any, text: str) -> None:
    assert observation_text(value) == text


@pytest.mark.parametrize(
    ('value', 'text'),
    [
        ({(1, 2): 3}, '{(1, 2): 3}'),
        ({math.nan: 1}, '{nan: 1}'),
        ({(1, 2): math.nan}, '{(1, 2): nan}'),
    ],
)
def test_a_result_that_json_cannot_hold_is_its_text_as_a_whole(value: Any, text: str) -> None:
    assert observation_text(value) == text


def test_a_result_that_holds_itself_is_its_text() -> None:
    value: list[Any] = [math.nan]
    value.append(value)
    assert observation_text(value) == '[nan, [...]]'


def test_a_result_that_has_neither_json_nor_a_text_says_what_it_is() -> None:
    value: list[Any] = []
    for _ in range(100_000):
        value = [value]
    assert observation_text(value) == '<list without a text>'
    assert observation_text({(1, 2): Unspeakable()}) == '<dict without a text>'


@CALM
@given(JSON)
def test_every_json_value_becomes_a_text_that_strict_readers_take(value: Any) -> None:
    text = observation_text({'value': value})
    text.encode()
    json.loads(text, parse_constant=lambda name: pytest.fail(f'{name} is no JSON'))


@CALM
@given(JSON.filter(lambda value: isinstance(value, dict | list)))
def test_a_result_that_json_can_hold_comes_back_from_its_observation(value: Any) -> None:
    try:
        json.dumps(value, allow_nan=False, ensure_ascii=False).encode()
    except ValueError:
        return
    assert json.loads(observation_text(value)) == value


def test_a_result_is_never_cut_unless_a_cap_is_set() -> None:
    text = 'x' * 3_000_000
    assert observation_text(text) == text


@pytest.mark.parametrize(
    ('cap', 'text'),
    [
        (None, '0123456789'),
        (10, '0123456789'),
        (9, '012345678... [1 more characters cut off]'),
        (0, '... [10 more characters cut off]'),
    ],
)
def test_a_cap_says_how_much_it_cut_off(cap: int | None, text: str) -> None:
    assert observation_text('0123456789', cap) == text


# -------------------------------------------------------------------------------------------------------- texts, errors


def test_half_a_surrogate_pair_is_replaced_and_nothing_else_is() -> None:
    assert encodable('a\ud83db\udc00') == 'a\ufffdb\ufffd'
    assert encodable('aü😀\x00') == 'aü😀\x00'


@CALM
@given(st.text(st.characters(exclude_categories=())))
def test_every_text_can_be_encoded_afterwards(text: str) -> None:
    whole = ''.join('\ufffd' if 0xD800 <= ord(character) <= 0xDFFF else character for character in text)
    assert encodable(text).encode() == whole.encode()


@pytest.mark.parametrize('value', [Unspeakable(), 10**5000], ids=['object', 'int'])
def test_a_value_without_a_text_is_named_by_its_class(value: Any) -> None:
    assert to_text(value) == f'<{type(value).__name__} without a text>'


def test_an_error_is_an_observation_of_three_parts_in_their_order() -> None:
    assert (
        error_text('box_1.get', ValueError('"ü"')) == '{"tool": "box_1.get", "error": "\\"ü\\"", "type": "ValueError"}'
    )
    assert error_text('box_1.get', KeyError()) == '{"tool": "box_1.get", "error": "", "type": "KeyError"}'


def test_an_error_is_an_observation_that_can_be_encoded() -> None:
    shown = '{"tool": "\ufffd", "error": "\ufffd", "type": "ValueError"}'
    assert error_text('\ud83d', ValueError('\udc00')).encode() == shown.encode()
