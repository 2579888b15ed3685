"""JSON5 and Python notation, rewritten as JSON token by token; whether they make an object, JSON's decoder says."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from .labels import SPACE

MAX_DEPTH = 64
"""Levels of nesting that are read; deeper objects are unreadable."""

BLANK = SPACE + '\n\r\u2028\u2029'
"""White space of every script, line ends, and the characters that cannot be seen."""


class UnreadableError(ValueError):
    """The input is not one object that the model wrote out whole."""


@dataclass(frozen=True, slots=True)
class Notation:
    """A notation that is wider than JSON.

    The groups of `tokens` say what stands there: `same` is a run of JSON as it is; a `plain` text (without escapes),
    any other `text`, a `name` (a key without quotes), a `number` and a `word` are rewritten; a `comment` is dropped;
    `bad` is no token at all.
    `escapes` are those parts of a text that JSON writes in another way.
    """

    tokens: re.Pattern[str]
    words: dict[str, str]
    escapes: dict[str, str]


def as_json(text: str, start: int, notation: Notation) -> tuple[str, int]:
    """Return the object at `text[start]` in JSON, and the index behind it. How the tokens stand, only a decoder checks.

    Raises:
        UnreadableError: something in it is no token of the notation, or it does not end, or it is nested too deeply.
    """
    tokens: list[str] = []
    depth = 0
    for match in notation.tokens.finditer(text, start):
        kind = match.lastgroup or ''
        token = match[kind]
        if kind == 'plain':
            token = f'"{token[1:-1]}"'
        elif kind == 'text':
            token = _text(token, notation)
        elif kind == 'open':
            depth += 1
            if depth > MAX_DEPTH:
                raise UnreadableError('nested too deeply')
        elif kind == 'close':
            depth -= 1
            # One comma may stand behind the last item, but not without an item.
            if tokens[-1].endswith(',') and (tokens[-1] != ',' or tokens[-2] not in ('{', '[')):
                tokens[-1] = tokens[-1][:-1]
        elif kind == 'name':
            token = f'"{token}"'
        elif kind == 'number':
            token = _number(token)
        elif kind == 'word':
            token = notation.words[token]
        elif kind == 'comment':
            continue
        elif kind == 'bad':
            break
        tokens.append(token)
        if not depth:
            # Between two tokens stands a space, so that they never grow into one.
            return ' '.join(tokens), match.end()
    raise UnreadableError('no key, no value, or no end')


def _text(token: str, notation: Notation) -> str:
    raw, token = token[0] in 'rR', token.lstrip('uUrR')
    width = 3 if len(token) > 5 and token.startswith(('"""', "'''")) else 1
    body = token[width:-width]
    if raw:
        return json.dumps(body, ensure_ascii=False)
    bare_quotes = '"' in body and token[:width] != '"'
    if bare_quotes or "\\'" in body or '\\/' in body:
        body = _PART.sub(lambda match: notation.escapes.get(match[0], match[0]), body)
    return f'"{body}"'


def _number(token: str) -> str:
    sign, digits = '-' * (token[0] == '-'), token.lstrip('+-')
    try:
        if len(token) <= _MAX_DIGITS:
            return f'{sign}{int(digits, 0)}' if _WHOLE.fullmatch(digits) else sign + _with_digits_around_point(digits)
    except ValueError:
        pass
    raise UnreadableError('no number, or one that is too long')


def _with_digits_around_point(digits: str) -> str:
    float(digits)  # It knows where an underscore may stand.
    digits = digits.replace('_', '')
    return _BARE_POINT.sub('.0', f'0{digits}' if digits[0] == '.' else digits)


_PART = re.compile(r'\\.|"', re.DOTALL)
_BARE_POINT = re.compile(r'\.(?![0-9])')
_WHOLE = re.compile(r'0[xXbB]\w++|[0-9_]++')
_MAX_DIGITS = 3_000


def _tokens(*, comment: str, same: str, text: str, number: str, name: str, word: str) -> re.Pattern[str]:
    # A repetition remembers all its rounds while it runs: it is bounded where the next match can go on.
    blank = f'[{re.escape(BLANK)}]*+'
    comments = rf'(?:{comment}){blank}'
    same = rf'(?:[:,]|{same}|-?{_DECIMAL}{_END})'
    return re.compile(
        rf'{blank}(?:(?P<same>{same}(?>(?:[ \t\r\n]*+{same}){{0,100}}))'
        rf'|(?P<plain>\'[^\'"\\]*+\'(?!\'))|(?P<text>{text})'
        rf'|(?P<open>[{{\[])|(?P<close>[}}\]])|(?P<name>{name}(?={blank}(?>(?:{comments}){{0,100}}):))'
        rf'|(?P<number>[+-]?(?:{number}){_END})|(?P<word>(?:{word}){_END})|(?P<comment>(?>(?:{comments}){{1,100}}))'
        rf'|(?P<bad>.|\Z))',
        re.DOTALL,
    )


_END = r'(?![\w.$])'
_NEVER = '(?!)'
_DECIMAL = r'(?:0|[1-9][0-9]*+)(?>(?:\.[0-9]++)?)(?>(?:[eE][+-]?[0-9]++)?)'
_DOUBLE, _SINGLE = r'"[^"\\]*+(?>(?:\\.[^"\\]*+)*)"', r"'[^'\\]*+(?>(?:\\.[^'\\]*+)*)'"
_TRIPLE = r'"""[^"\\]*+(?>(?:(?:\\.|"(?!""))[^"\\]*+)*)"""|' + r"'''[^'\\]*+(?>(?:(?:\\.|'(?!''))[^'\\]*+)*)'''"

JSON5 = Notation(
    _tokens(
        comment=r'//[^\n\r\u2028\u2029]*+|/\*[^*]*+(?>(?:\*(?!/)[^*]*+)*)\*/',
        name=r'(?!\d)[\w$]++',
        same=rf'"[^"\\]*+"|(?:true|false|null){_END}(?!\s*+:)',
        text=f'{_DOUBLE}|{_SINGLE}',
        number=r'0[xX][0-9a-fA-F]++|(?:(?:0|[1-9][0-9]*+)(?>(?:\.[0-9]*+)?)|\.[0-9]++)(?>(?:[eE][+-]?[0-9]++)?)',
        word=_NEVER,
    ),
    words={},
    escapes={"\\'": "'", '"': '\\"'},
)
PYTHON = Notation(
    _tokens(
        comment=r'\#[^\n\r]*+',
        name=_NEVER,
        same=_NEVER,
        text=f'[uUrR]?(?:{_TRIPLE}|{_DOUBLE}|{_SINGLE})',
        # Underscores may stand between digits; where exactly, Python says itself.
        number=r'0[xX][0-9a-fA-F_]++|0[bB][01_]++|'
        r'(?:(?:0|[1-9][0-9_]*+)(?>(?:\.[0-9_]*+)?)|\.[0-9][0-9_]*+)(?>(?:[eE][+-]?[0-9][0-9_]*+)?)',
        word='True|False|None',
    ),
    words={'True': 'true', 'False': 'false', 'None': 'null'},
    # In Python `\/` is two characters, in JSON a slash: with two readings it has none, so that JSON has to refuse it.
    escapes={"\\'": "'", '"': '\\"', '\\/': '\\?'},
)
