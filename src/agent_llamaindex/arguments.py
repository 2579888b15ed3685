"""The input of a step: the one object that the model wrote out whole, or nothing.

An input is read as JSON, else as JSON5, else as a Python dict display, in this order and each as a whole. Whatever would need
a guess is unreadable: arithmetic, octals, implicit string joins, tuples, sets, bytes, complex numbers, NaN and infinities,
numbers that a float cannot hold, an escape that JSON does not know (except `\\'`), half a surrogate pair, a duplicate key with
two values, anything cut off. Nothing is evaluated, and every reading takes time linear in the length of the text.
"""

from __future__ import annotations

import json
import math
import re
from enum import Enum, auto
from typing import Any

MAX_DEPTH = 64
"""Levels of nesting that are read; deeper objects are unreadable."""

MAX_INT_BITS = 14_000
"""Bits of the largest integer that is read: more could not be written as JSON again (Python's 4,300-digit limit)."""


class UnreadableError(ValueError):
    """The input is not one object that the model wrote out whole."""


class _Dialect(Enum):
    JSON5 = auto()
    PYTHON = auto()


def read_input(section: str) -> dict[str, Any] | None:
    """Return the object that an input section holds, or None where it holds no input at all.

    `section` is the text between `Action Input:` and the next label. A code fence around the object and prose after it do
    not count; prose before it is allowed only if the section holds a single object. Nothing, `None` and `null` are no input.

    Raises:
        UnreadableError: something stands there that is not one whole object.
    """
    text = _OPENING_FENCE.sub('', section.strip(BLANK), count=1).strip(BLANK)
    bare = text.rstrip('`~' + BLANK)
    if not bare or bare.casefold() in ('none', 'null'):
        return None
    start = text.find('{')
    if start < 0:
        raise UnreadableError('no object')
    if start > 0:
        _check_leading(text[:start])
    value, end = _read_object(text, start)
    _check_trailing(text[end:], alone=start > 0)
    return value


BLANK = ' \t\r\n\x0b\x0c\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff\u200b\u200c\u200d\u2060' + ''.join(
    map(chr, range(0x2000, 0x200B))
)
_OPENING_FENCE = re.compile(r'(?:`{3,}|~{3,})[ \t]*+[A-Za-z0-9_+-]*+|`')
_KEY_BEFORE = re.compile(r'[ \t]*+(?:[-*][ \t]++)?+["\'`]?[\w.$-]++["\'`]?[ \t]*+[:=][ \t]*+\Z')


def _check_leading(leading: str) -> None:
    """Refuse text before an object that makes it a part of something larger: a list, a string, a value of a key."""
    if leading[0] in '"\'[“‘«' or leading.rstrip(BLANK)[-1] in '"\'[,=<>|+*/%':
        raise UnreadableError('the object is a part of something else')
    if _KEY_BEFORE.match(leading, leading.rfind('\n') + 1):
        raise UnreadableError('the object is the value of a key')


def _check_trailing(trailing: str, *, alone: bool) -> None:
    """Refuse text after an object that shows that the object is not the whole input."""
    first = trailing[:1]
    if first.isalnum() or first == '_' or trailing.lstrip(' \t')[:1] in tuple(',:|+*/%="\''):
        raise UnreadableError('the input goes on after the object')
    if trailing.count('"') % 2:
        raise UnreadableError('a quotation mark is left over after the object')
    if trailing.lstrip(BLANK)[:1] == '{' or (alone and '{' in trailing):
        raise UnreadableError('more than one object')


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
            value, end = _Scanner(text, start, _Dialect.JSON5).read()
        except UnreadableError:
            value, end = _Scanner(text, start, _Dialect.PYTHON).read()
    _check_characters(text[start:end], value)
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


# ------------------------------------------------------------------------------------------------------------- values


def _int(digits: str, base: int = 10) -> int:
    try:
        value = int(digits, base)
    except ValueError:
        raise UnreadableError('an integer that is too long') from None
    if value.bit_length() > MAX_INT_BITS:
        raise UnreadableError('an integer that is too long')
    return value


def _float(digits: str) -> float:
    value = float(digits)
    if math.isinf(value) or (value == 0 and _NON_ZERO.match(digits)):
        raise UnreadableError('a number that a float cannot hold')
    return value


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


# ------------------------------------------------------------------------------------------------ JSON5 and Python


class _Scanner:
    """One reading of an object as JSON5 or as a Python dict display, from `start` on."""

    def __init__(self, text: str, start: int, dialect: _Dialect) -> None:
        self._text = text
        self._at = start
        self._python = dialect is _Dialect.PYTHON
        self._words = _PYTHON_WORDS if self._python else _JSON5_WORDS
        self._number = _PYTHON_NUMBER if self._python else _JSON5_NUMBER

    def read(self) -> tuple[dict[str, Any], int]:
        return self._read_object(1), self._at

    def _read_object(self, depth: int) -> dict[str, Any]:
        pairs: list[tuple[str, Any]] = []
        for _ in self._items('}', depth):
            key = self._read_key()
            if self._next() != ':':
                raise UnreadableError('a key without a colon')
            self._at += 1
            self._next()
            pairs.append((key, self._read_value(depth)))
        return _object(pairs)

    def _read_list(self, depth: int) -> list[Any]:
        return [self._read_value(depth) for _ in self._items(']', depth)]

    def _items(self, closing: str, depth: int) -> Any:
        """Stop at the start of each item between the bracket here and `closing`; a comma may stand behind the last one."""
        if depth > MAX_DEPTH:
            raise UnreadableError('nested too deeply')
        self._at += 1
        while self._next() != closing:
            yield
            here = self._next()
            if here == ',':
                self._at += 1
            elif here != closing:
                raise UnreadableError('no comma between two items')
        self._at += 1

    def _next(self) -> str:
        """Skip white space and comments; return the character that stands there."""
        text = self._text
        while True:
            self._at = _SPACE.match(text, self._at).end()  # type: ignore[union-attr]  # it matches nothing, too
            if self._python and text.startswith('#', self._at) or not self._python and text.startswith('//', self._at):
                self._at = _LINE.match(text, self._at).end()  # type: ignore[union-attr]
            elif not self._python and text.startswith('/*', self._at):
                end = text.find('*/', self._at + 2)
                if end < 0:
                    raise UnreadableError('a comment without an end')
                self._at = end + 2
            else:
                return text[self._at : self._at + 1]

    def _read_key(self) -> str:
        if self._python or self._text[self._at : self._at + 1] in ('"', "'"):
            return self._read_string()
        match = _IDENTIFIER.match(self._text, self._at)
        if not match:
            raise UnreadableError('no key')
        self._at = match.end()
        return match[0]

    def _read_value(self, depth: int) -> Any:
        here = self._text[self._at : self._at + 1]
        if here == '{':
            return self._read_object(depth + 1)
        if here == '[':
            return self._read_list(depth + 1)
        if here in ('"', "'"):
            return self._read_string()
        if match := self._number.match(self._text, self._at):
            self._at = match.end()
            return _number(match)
        if (match := _IDENTIFIER.match(self._text, self._at)) and match[0] in self._words:
            self._at = match.end()
            return self._words[match[0]]
        if self._python:
            return self._read_string()
        raise UnreadableError('no value')

    def _read_string(self) -> str:
        match = (_PYTHON_STRING if self._python else _JSON5_STRING).match(self._text, self._at)
        if not match:
            raise UnreadableError('no string, or one without an end')
        self._at = match.end()
        body: str = match[match.lastindex or 0]
        if '\\' not in body or (self._python and 'r' in match['prefix'].lower()):
            return body
        return _whole(_ESCAPE.sub(self._unescape, body))

    def _unescape(self, match: re.Match[str]) -> str:
        escape = match[1]
        if escape[0] == 'u' and len(escape) == 5:
            return chr(int(escape[1:], 16))
        # `\/` is a slash in JSON and two characters in Python: with two readings it has none.
        if escape not in _ESCAPES or (escape == '/' and self._python):
            raise UnreadableError('an escape that JSON does not know')
        return _ESCAPES[escape]


def _whole(text: str) -> str:
    """Join the two halves of surrogate pairs that were written as two escapes."""
    return text if _SURROGATE.search(text) is None else text.encode('utf-16', 'surrogatepass').decode('utf-16', 'surrogatepass')


def _number(match: re.Match[str]) -> int | float:
    sign, digits = match['sign'], match['digits'].replace('_', '')
    if digits[:2] in ('0x', '0X'):
        value: int | float = _int(digits[2:], 16)
    elif digits[:2] in ('0b', '0B'):
        value = _int(digits[2:], 2)
    elif digits.isdecimal():
        value = _int(digits)
    else:
        value = _float(digits)
    return -value if sign == '-' else value


_SURROGATE = re.compile('[\ud800-\udfff]')
_SPACE = re.compile(f'[{re.escape(BLANK)}]*+')
_LINE = re.compile('[^\n\r\u2028\u2029]*+')
_IDENTIFIER = re.compile(r'(?!\d)[\w$]++')
_ESCAPE = re.compile(r'\\(u[0-9a-fA-F]{4}|.)', re.DOTALL)
_ESCAPES = {'"': '"', "'": "'", '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}
_JSON5_WORDS = {'true': True, 'false': False, 'null': None}
_PYTHON_WORDS = {'True': True, 'False': False, 'None': None}
_DOUBLE, _SINGLE = r'"([^"\\]*+(?:\\.[^"\\]*+)*+)"', r"'([^'\\]*+(?:\\.[^'\\]*+)*+)'"
_JSON5_STRING = re.compile(f'{_DOUBLE}|{_SINGLE}', re.DOTALL)
_PYTHON_STRING = re.compile(
    r'(?P<prefix>[uUrR]?)(?:'
    r'"""((?:[^"\\]|\\.|"(?!""))*+)"""|' + r"'''((?:[^'\\]|\\.|'(?!''))*+)'''|" + f'{_DOUBLE}|{_SINGLE})',
    re.DOTALL,
)
_END_OF_NUMBER = r'(?![\w.$])'
_JSON5_NUMBER = re.compile(
    r'(?P<sign>[+-]?)(?P<digits>0[xX][0-9a-fA-F]++|(?:(?:0|[1-9][0-9]*+)(?:\.[0-9]*+)?+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?+)'
    + _END_OF_NUMBER
)
_PYTHON_NUMBER = re.compile(
    r'(?P<sign>[+-]?)(?P<digits>0[xX](?:_?[0-9a-fA-F])++|0[bB](?:_?[01])++|'
    r'(?:(?:0|[1-9](?:_?[0-9])*+)(?:\.(?:[0-9](?:_?[0-9])*+)?+)?+|\.[0-9](?:_?[0-9])*+)(?:[eE][+-]?[0-9](?:_?[0-9])*+)?+)'
    + _END_OF_NUMBER
)
