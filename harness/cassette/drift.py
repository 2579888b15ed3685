"""What differs between a recorded request and the one made now, and the error that says so."""

from __future__ import annotations

import difflib
from enum import Enum
from typing import TYPE_CHECKING, Any

from harness.record import Frozen
from harness.show.visible import excerpt

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_CONTEXT = 40
_LONG = 60
_MAX_LINE = 200
_MAX_LINES = 40
_MAX_SHOWN = 20
_MAX_COMPARED = 5_000


class Absent(Enum):
    """The value of a field that is not there."""

    ABSENT = '(not there)'


ABSENT = Absent.ABSENT


class Difference(Frozen):
    """One place where the request made now is not the recorded one; a side that has no such field is `ABSENT`."""

    path: str
    recorded: Any
    now: Any

    def __str__(self) -> str:
        if isinstance(self.recorded, str) and isinstance(self.now, str) and self._is_long():
            return f'{self.path}: {_text_difference(self.recorded, self.now)}'
        return f'{self.path}: recorded {shown(self.recorded)}, now {shown(self.now)}'

    def _is_long(self) -> bool:
        texts = (self.recorded, self.now)
        return any(len(text) > _LONG or '\n' in text for text in texts)


class Drift(Exception):  # noqa: N818 - named by the fact
    """A replayed request is not the one that was recorded.

    `turn` counts requests from 1, `turns` is how many the cassette has. `path`, `recorded` and `now` say where the two
    differ first; a request past the end of the cassette has the path `''` and nothing recorded.
    """

    def __init__(self, cassette: str, turn: int, turns: int, differences: tuple[Difference, ...], advice: str) -> None:
        super().__init__(cassette, turn, turns, differences, advice)
        self._cassette = cassette
        self._differences = differences
        self._advice = advice
        self._place = (turn, turns)

    @property
    def turn(self) -> int:
        """The request that drifted, from 1."""
        return self._place[0]

    @property
    def turns(self) -> int:
        """How many requests the cassette has."""
        return self._place[1]

    @property
    def differences(self) -> tuple[Difference, ...]:
        """All places where the two differ, in the order of the recorded request."""
        return self._differences

    @property
    def path(self) -> str:
        """The first place where the two differ, such as `messages[0].content`."""
        return self._differences[0].path

    @property
    def recorded(self) -> Any:
        """What was recorded there."""
        return self._differences[0].recorded

    @property
    def now(self) -> Any:
        """What is asked now."""
        return self._differences[0].now

    def __str__(self) -> str:
        if self.turn > self.turns:
            has = f'{self.turns} {"turn" if self.turns == 1 else "turns"}'
            head = f'{self._cassette}: the cassette has only {has}, this is the request of turn {self.turn}'
            return f'{head}\n{self._advice}'
        head = f'{self._cassette}: the request of turn {self.turn} of {self.turns} is not the recorded one'
        more = len(self._differences) - _MAX_SHOWN
        lines = [f'  {difference}' for difference in self._differences[:_MAX_SHOWN]]
        lines += [f'  ... and {more} more places'] if more > 0 else []
        return '\n'.join([head, *lines, self._advice])


def differences(recorded: Any, now: Any, path: str = '') -> Iterator[Difference]:
    """Yield the places where two JSON values differ, in the order of the recorded one.

    Types count: 1, 1.0, true and "1" are four values, for a server may take one and refuse another. The order of the
    keys of an object does not count, the order of a list does.
    """
    # A hostile body may be nested deeper than a function can call itself.
    left = [(recorded, now, path)]
    while left:
        before, after, place = left.pop()
        if isinstance(before, dict) and isinstance(after, dict):
            parts = [(before.get(key, ABSENT), after.get(key, ABSENT), _below(place, key)) for key in before | after]
            left += reversed(parts)
        elif isinstance(before, list) and isinstance(after, list):
            many = max(len(before), len(after))
            left += ((_at(before, index), _at(after, index), f'{place}[{index}]') for index in reversed(range(many)))
        elif type(before) is not type(after) or before != after:
            yield Difference(path=place, recorded=before, now=after)


def shown(value: Any) -> str:
    """Return a value as one short line without control characters."""
    if value is ABSENT:
        return str(ABSENT.value)
    try:
        text = repr(value)
    except (RecursionError, ValueError):
        return 'a value too deep or too large to show'
    return text if len(text) <= _MAX_LINE else f'{text[:_MAX_LINE]}... ({len(text)} characters)'


def _below(path: str, key: str) -> str:
    if not key.isidentifier():
        return f'{path}[{shown(key)}]'
    return f'{path}.{key}' if path else key


def _at(items: Sequence[Any], index: int) -> Any:
    return items[index] if index < len(items) else ABSENT


def _text_difference(recorded: str, now: str) -> str:
    at = next((i for i, (a, b) in enumerate(zip(recorded, now, strict=False)) if a != b), min(len(recorded), len(now)))
    line, column = recorded.count('\n', 0, at) + 1, at - recorded.rfind('\n', 0, at)
    head = f'they part at line {line}, column {column}: recorded {_around(recorded, at)}, now {_around(now, at)}'
    before, after = recorded.split('\n'), now.split('\n')
    if max(len(before), len(after)) > _MAX_COMPARED:
        return head
    lines = list(difflib.unified_diff(before, after, 'recorded', 'now', n=2, lineterm=''))
    left_out = [f'    ... ({len(lines) - _MAX_LINES} more lines)'] if len(lines) > _MAX_LINES else []
    return '\n'.join([head, *(f'    {_printable(text)}' for text in lines[:_MAX_LINES]), *left_out])


def _around(text: str, at: int) -> str:
    return repr(excerpt(text, at - _CONTEXT, at + _CONTEXT))


def _printable(line: str) -> str:
    return ''.join(c if c.isprintable() else repr(c)[1:-1] for c in excerpt(line, 0, _MAX_LINE))
