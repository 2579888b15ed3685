from __future__ import annotations

import pickle
from typing import Any

import pytest

from harness.cassette.drift import ABSENT, Difference, Drift, differences

PROMPT = '\n'.join(f'line {number}' for number in range(1, 41))


def found(recorded: Any, now: Any) -> list[tuple[str, Any, Any]]:
    return [(one.path, one.recorded, one.now) for one in differences(recorded, now)]


@pytest.mark.parametrize(
    ('recorded', 'now', 'expected'),
    [
        ({'a': 1, 'b': [1, {'c': None}]}, {'b': [1, {'c': None}], 'a': 1}, []),
        ({'temperature': 0}, {'temperature': 0.0}, [('temperature', 0, 0.0)]),
        ({'stream': True}, {'stream': 1}, [('stream', True, 1)]),
        ({'a': 0}, {'a': False}, [('a', 0, False)]),
        ({'a': 1}, {'a': '1'}, [('a', 1, '1')]),
        ({'a': None}, {}, [('a', None, ABSENT)]),
        ({}, {'a': None}, [('a', ABSENT, None)]),
        ({'a': [1, 2]}, {'a': [1]}, [('a[1]', 2, ABSENT)]),
        ({'a': [1]}, {'a': [1, 2]}, [('a[1]', ABSENT, 2)]),
        ({'a': {'b': 1}}, {'a': [1]}, [('a', {'b': 1}, [1])]),
        ({'m': [{'c': 'x'}]}, {'m': [{'c': 'y'}]}, [('m[0].c', 'x', 'y')]),
        ({'a b': 1, 'é': {'x-y': 2}}, {'a b': 2, 'é': {'x-y': 3}}, [("['a b']", 1, 2), ("é['x-y']", 2, 3)]),
        ({'b': 1, 'a': 1}, {'a': 2, 'b': 2, 'c': 3}, [('b', 1, 2), ('a', 1, 2), ('c', ABSENT, 3)]),
        ({'a': 1}, 'no json', [('', {'a': 1}, 'no json')]),
    ],
)
def test_every_place_where_two_values_differ_is_found_in_the_recorded_order(
    recorded: Any, now: Any, expected: list[tuple[str, Any, Any]]
) -> None:
    assert found(recorded, now) == expected


def test_a_short_difference_is_one_line() -> None:
    difference = Difference(path='seed', recorded=1, now=ABSENT)
    assert str(difference) == 'seed: recorded 1, now (not there)'


def test_a_long_text_shows_where_it_parts_and_a_unified_diff() -> None:
    now = PROMPT.replace('line 20', 'line twenty').replace('line 30\n', '')
    text = str(Difference(path='messages[0].content', recorded=PROMPT, now=now))
    assert text.splitlines()[0].startswith('messages[0].content: they part at line 20, column 6: recorded ')
    for line in ('--- recorded', '+++ now', '-line 20', '+line twenty', '-line 30'):
        assert f'\n    {line}' in text
    assert 'line 10' not in text.replace('line 10\\n', '')


def test_a_difference_late_in_one_very_long_line_is_shown() -> None:
    text = str(Difference(path='x', recorded='a' * 5_000 + 'OLD' + 'b' * 5_000, now='a' * 5_000 + 'NEW' + 'b' * 5_000))
    assert 'line 1, column 5001' in text
    assert 'OLD' in text
    assert 'NEW' in text
    assert len(text) < 1_500


def test_a_text_that_became_longer_parts_where_it_ended() -> None:
    text = str(Difference(path='x', recorded='one\n', now='one\ntwo'))
    assert "they part at line 2, column 1: recorded 'one\\n', now 'one\\ntwo'" in text


def test_a_diff_that_never_ends_is_cut() -> None:
    text = str(
        Difference(path='x', recorded='\n'.join(map(str, range(2_000))), now='\n'.join(map(str, range(2_000, 4_000))))
    )
    assert text.splitlines()[-1] == '    ... (3963 more lines)'


def test_control_characters_of_a_text_do_not_reach_the_terminal() -> None:
    text = str(Difference(path='x', recorded='a\n\x1b[31mred\r\x07', now='b\n\x1b[32mgreen\x9b\u2028'))
    assert all(character == '\n' or character.isprintable() for character in text)
    assert '\\x1b[31mred\\r\\x07' in text


def test_a_drift_names_turn_place_and_command() -> None:
    changed = tuple(differences({'seed': 1, 'stop': ['a']}, {'seed': 2}))
    drift = Drift('cassettes/x/small.yaml', 2, 3, changed, 'do this')
    assert (drift.turn, drift.turns, drift.path, drift.recorded, drift.now) == (2, 3, 'seed', 1, 2)
    assert str(drift) == (
        'cassettes/x/small.yaml: the request of turn 2 of 3 is not the recorded one\n'
        '  seed: recorded 1, now 2\n'
        "  stop: recorded ['a'], now (not there)\n"
        'do this'
    )


def test_a_request_past_the_end_says_how_many_turns_there_are() -> None:
    drift = Drift('x.yaml', 2, 1, (Difference(path='', recorded=ABSENT, now={'a': 1}),), 'do this')
    assert str(drift) == 'x.yaml: the cassette has only 1 turn, this is the request of turn 2\ndo this'


def test_a_drift_cannot_be_changed_and_survives_pickling() -> None:
    drift = Drift('x.yaml', 1, 1, tuple(differences({'a': 1}, {})), 'do this')
    with pytest.raises(AttributeError):
        drift.turn = 5  # type: ignore[misc]
    assert str(pickle.loads(pickle.dumps(drift))) == str(drift)
    assert pickle.loads(pickle.dumps(drift)).now is ABSENT
