"""The input of a step: the one object that the model wrote out whole, or nothing.

An input is read as JSON, else as JSON5, else as a Python dict display, in this order and each as a whole. What would
need a guess is unreadable: arithmetic, octals, implicit string joins, tuples, sets, bytes, complex numbers, NaN and
infinities, numbers that a float cannot hold, an escape that JSON does not know (except `\\'`), half a surrogate pair, a
duplicate key with two values, anything cut off. Nothing is evaluated, and reading takes time linear in the length of
the text.
"""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Any

from .labels import SPACE
from .relaxed import BLANK, JSON5, MAX_DEPTH, PYTHON, Notation, UnreadableError, as_json

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_INT_BITS = 14_000
"""Bits of the largest integer that is read: more could not be written as JSON again (Python's 4,300-digit limit)."""


def read_input(section: str, seams: Iterable[int] = ()) -> dict[str, Any] | None:
    """Return the object that an input section holds, or None where it holds no input at all.

    `section` is the text between `Action Input:` and the next label. A code fence around the object and prose after it
    do not count; prose before it is allowed only if the section holds a single object. Nothing, `None` and `null` are
    no input. `seams` are the indices in it where something was taken out of the output: an object across one is not
    whole.

    Raises:
        UnreadableError: something stands there that is not one whole object.
    """
    first = _OPENING.match(section).end()  # type: ignore[union-attr]  # it matches nothing, too
    start = section.find('{', first)
    if start < 0:
        if _NOTHING.match(section, first):
            return None
        raise UnreadableError('no object')
    if start > first:
        _check_leading(section[first:start])
    value, end = _read_object(section, start)
    if any(start < seam < end for seam in seams):
        raise UnreadableError('something was taken out of the object')
    _check_trailing(section[end:], alone=start > first)
    return value


_BLANK = f'[{re.escape(BLANK)}]*+'
_OPENING = re.compile(rf'{_BLANK}(?>(?:(?:`{{3,}}|~{{3,}})[ \t]*+[A-Za-z0-9_+-]*+|`)?){_BLANK}')
_NOTHING = re.compile(rf'(?:none|null)[`~{SPACE}]*+(?:[\n\r\u2028\u2029]|\Z)|[`~{re.escape(BLANK)}]*+\Z', re.IGNORECASE)
_ANOTHER = re.compile(rf'{_BLANK}(?>(?:(?:`{{3,}}|~{{3,}})[ \t]*+[A-Za-z0-9_+-]*+{_BLANK})*)\{{')
_GOES_ON = re.compile(r'[A-Za-z0-9_\[]|[ \t]*+(?:[,:|+="\']|/(?![/*]))')
_KEY_BEFORE = re.compile(r'(?:^[ \t]*+(?:[-*][ \t]++)?[\w.$-]++|["\'`][\w .$-]++["\'`])[ \t]*+[:=][ \t]*+\Z')
_MARK = re.compile('[{}"\']')


def _check_leading(leading: str) -> None:
    """Refuse text before an object that makes it a part of something larger: a list, a string, a value of a key."""
    if leading[0] in '"\'[“‘«' or leading.rstrip(BLANK)[-1] in '"\'[“‘«,=<>|+*/%':
        raise UnreadableError('the object is a part of something else')
    if _KEY_BEFORE.search(leading[leading.rfind('\n') + 1 :]):
        raise UnreadableError('the object is the value of a key')


def _check_trailing(trailing: str, *, alone: bool) -> None:
    """Refuse text after an object that shows that the object is not the whole input."""
    if _GOES_ON.match(trailing):
        raise UnreadableError('the input goes on after the object')
    if trailing.count('"') % 2 or _closes_again(trailing):
        raise UnreadableError('a quotation mark in the middle of a string ended the object too early')
    if _ANOTHER.match(trailing) or (alone and '{' in trailing):
        raise UnreadableError('more than one object')


def _closes_again(trailing: str) -> bool:
    """Say whether a brace is closed, behind a quotation mark, that was not opened there."""
    depth, quoted = 0, False
    for mark in _MARK.findall(trailing):
        if mark == '{':
            depth += 1
        elif mark != '}':
            quoted = True
        elif depth:
            depth -= 1
        elif quoted:
            return True
    return False


def _read_object(text: str, start: int) -> tuple[dict[str, Any], int]:
    """Return the object at `text[start]` and the index behind it."""
    try:
        value, end = _JSON.raw_decode(text, start)
    except RecursionError:
        raise UnreadableError('nested too deeply') from None
    except UnreadableError:
        raise
    except ValueError:
        try:
            value, end = _read_relaxed(text, start, JSON5)
        except UnreadableError:
            value, end = _read_relaxed(text, start, PYTHON)
    _check_characters(text[start:end], value)
    return value, end


def _read_relaxed(text: str, start: int, notation: Notation) -> tuple[dict[str, Any], int]:
    rewritten, end = as_json(text, start, notation)
    try:
        value: dict[str, Any] = _JSON.decode(rewritten)
    except json.JSONDecodeError as error:
        raise UnreadableError(error.msg) from None
    return value, end


def _check_characters(written: str, value: dict[str, Any]) -> None:
    if written.count('{') + written.count('[') > MAX_DEPTH and _depth(value) > MAX_DEPTH:
        raise UnreadableError('nested too deeply')
    try:
        written.encode()
        if _SURROGATE_ESCAPE.search(written):
            json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise UnreadableError('half a surrogate pair') from None


_SURROGATE_ESCAPE = re.compile(r'\\u[dD][89a-fA-F]')


def _depth(value: Any) -> int:
    level, depth = [value], 0
    while level:
        depth += 1
        level = [
            child
            for node in level
            for child in (node.values() if isinstance(node, dict) else node)
            if isinstance(child, (dict, list))
        ]
    return depth


# -------------------------------------------------------------------------------------------------------------- values


def _int(digits: str) -> int:
    if len(digits) > _MAX_DIGITS or (value := int(digits)).bit_length() > MAX_INT_BITS:
        raise UnreadableError('an integer that is too long')
    return value


def _float(digits: str) -> float:
    value = float(digits)
    if math.isinf(value) or (value == 0 and _NON_ZERO.match(digits)):
        raise UnreadableError('a number that a float cannot hold')
    return value


_MAX_DIGITS = 4_300
_NON_ZERO = re.compile(r'[^eE]*[1-9]')


def _constant(name: str) -> Any:
    raise UnreadableError(f'{name} is not JSON')


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs) and not all(_same(value[key], other) for key, other in pairs):
        raise UnreadableError('a key stands twice, with two values')
    return value


def _same(one: Any, other: Any) -> bool:
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_same(item, other[key]) for key, item in one.items())
    if isinstance(one, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return bool(one == other)


_JSON = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_int, parse_float=_float, parse_constant=_constant, strict=False
)
