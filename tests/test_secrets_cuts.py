"""What a cut leaves of a key is masked, whatever made the cut and wherever it goes through the key."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from canaries import forms, found, opaque, shaped

from harness.cassette.drift import Difference
from harness.engine.values import json_safe
from harness.expect.difference import text_diff
from harness.gate.course import short_diff
from harness.secrets import Guard
from harness.show.visible import clip, excerpt

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

GUARD = Guard.of_environment({'ONE_TOKEN': opaque('cut')})
KEYS = {'shaped': shaped('cut'), 'opaque': opaque('cut')}
FILLER = 'It was a fine day and all went well there. '


def texts(secret: str) -> Iterator[tuple[str, int]]:
    """Yield lines with a secret in each of its forms, and each place in it where it may be cut."""
    for form in forms(secret):
        line = f'It is {form} there.\n'
        yield from ((line, at) for at in range(7, len(line) - 8))


def padded(number: int) -> str:
    """Return plain text of a length; before or behind a secret it brings the cut to where it is wanted."""
    return FILLER * (number // len(FILLER)) + ' ' * (number % len(FILLER))


def by_clip(line: str, at: int) -> Iterator[str]:
    yield clip(padded(300 - at) + line + padded(900), 400)
    yield clip(padded(900) + line + padded(100 + at - len(line)), 400) if at + 100 >= len(line) else ''


def by_excerpt(line: str, at: int) -> Iterator[str]:
    yield excerpt(FILLER + line, len(FILLER) + at, 10_000)
    yield excerpt(line + FILLER, 0, at)
    yield excerpt(line, at, at + 14)


def by_a_difference_of_long_texts(line: str, at: int) -> Iterator[str]:
    # They are compared from 5,000 characters before the first difference to 10,000 behind it.
    lines = (FILLER.strip() + '\n') * 300
    behind = lines[: 10_000 - 2 - at] + line + lines
    yield text_diff(f'a\n{behind}', f'b\n{behind.replace(line, line + "x")}')
    before = lines + line + lines[: 5_000 - len(line) + at]
    yield text_diff(f'{before}a', f'{before}b')


def by_a_difference_in_a_long_line(line: str, at: int) -> Iterator[str]:
    if '\n' in line[:-1]:
        return
    row = line.rstrip()  # 60 characters of it are shown on each side
    yield text_diff('a' + padded(59 - at % 60) + row + padded(300), 'b' + padded(59 - at % 60) + row + padded(300))
    yield text_diff(row + padded(at % 60) + 'a' + padded(300), row + padded(at % 60) + 'b' + padded(300))
    yield text_diff(row + 'a' + padded(300), row + 'b' + padded(300))


def by_a_change_of_the_course(line: str, at: int) -> Iterator[str]:
    if '\n' in line[:-1]:
        return
    row = line.rstrip()
    yield short_diff('a' + padded(149 - at % 150) + row + padded(500), 'b' + padded(149 - at % 150) + row + padded(500))
    yield short_diff(padded(500) + row + padded(at % 60) + 'a' + padded(500), padded(500) + row + padded(at % 60) + 'b')


def by_the_drift_of_a_request(line: str, at: int) -> Iterator[str]:
    if '\n' in line[:-1]:  # a diff tears the lines of a key apart, which is no cut
        return
    yield str(Difference(path='x', recorded='a' + padded(at % 40) + line, now='b' + padded(at % 40) + line))
    yield str(Difference(path='x', recorded=padded(150 - at % 40) + line, now='b' + padded(150 - at % 40) + line))
    yield str(Difference(path='x', recorded=line + padded(at % 40) + 'a', now=line + padded(at % 40) + 'b'))


def by_the_repr_of_bytes(line: str, at: int) -> Iterator[str]:
    if at % 3:
        return
    yield str(json_safe((padded(20_000 - at - 2) + line).encode()))


@pytest.mark.parametrize('kind', KEYS)
@pytest.mark.parametrize(
    'made',
    [
        by_clip,
        by_excerpt,
        by_a_difference_of_long_texts,
        by_a_difference_in_a_long_line,
        by_a_change_of_the_course,
        by_the_drift_of_a_request,
        by_the_repr_of_bytes,
    ],
)
def test_a_cut_through_a_key_leaves_nothing_of_it(made: Callable[[str, int], Iterator[str]], kind: str) -> None:
    masked = {GUARD.mask(cut) for line, at in texts(KEYS[kind]) for cut in made(line, at)}

    assert [text for text in masked if found([KEYS[kind]], {'': text.encode()})] == []


def test_words_of_plain_text_stay_beside_a_cut() -> None:
    text = excerpt('The town has two mills and a church by the river', 4, 22)
    assert GUARD.mask(text) == text == '[…]town has two mills[…]'
