"""The one object of an action's input, in JSON, JSON5 or as a Python dict, or the reason why there is none."""

from __future__ import annotations

import ast
import json
import math
import re
from typing import Any, Final

import json5

MAX_NOTATION: Final = 50_000
"""The most characters of an input that is tried as JSON5 or as a Python dict; a longer one has to be JSON."""
MAX_DEPTH: Final = 64


class UnreadableError(ValueError):
    """What stands there is not one whole object."""


def read_object(section: str, strictly: bool = False) -> dict[str, Any] | None:
    """Return the object that an input section holds, None where it holds nothing.

    With `strictly` it has to be one JSON object and nothing else. Otherwise a fence around it and prose behind it do
    not count, and prose before it only where there is a single object.

    Raises:
        UnreadableError: it is not one whole object; nothing is ever repaired.
    """
    if strictly:
        return _checked(_json(section.strip(), strict=True))
    text = _FENCE.sub('', section).strip()
    start = text.find('{')
    if start < 0:
        if _NOTHING.fullmatch(text):
            return None
        raise UnreadableError('there is no object')
    before, behind = text[:start].strip(), ''
    value: Any
    try:
        value, end = _decoder(strict=False).raw_decode(text, start)
    except (ValueError, RecursionError):
        end = _end_of_object(text, start)
        value = _relaxed(text[start:end])
    behind = text[end:]
    if _PART_OF.search(before) or (before and '{' in behind):
        raise UnreadableError('the object is a part of something larger, or not the only one')
    if _GOES_ON.match(behind):
        raise UnreadableError('the input goes on behind the object')
    return _checked(value)


_FENCE: Final = re.compile(r'\A\s*(?:`{3,}|~{3,})\w*|\s*(?:`{3,}|~{3,})\s*\Z')
_NOTHING: Final = re.compile(r'(?:none|null)?[`.\s]*', re.IGNORECASE)
_PART_OF: Final = re.compile(r'(?:[\[\](=,"\'`]|(?:^|\n)\s*["\']?[\w.$ -]{1,40}["\']?\s*[:=])\s*\Z')
_GOES_ON: Final = re.compile(r'\s*(?:[`~]{3,}\w*\s*)*\{|[A-Za-z0-9_\[]|[ \t]*[,:|+="\']|[ \t]*/(?![/*])')


def _decoder(strict: bool) -> json.JSONDecoder:
    return json.JSONDecoder(strict=strict, object_pairs_hook=_unique, parse_constant=_no_number, parse_float=_finite)


def _json(text: str, strict: bool) -> Any:
    try:
        return _decoder(strict).decode(text)
    except (ValueError, RecursionError) as error:
        raise UnreadableError(str(error)) from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs) and any(value[key] != item or type(value[key]) is not type(item) for key, item in pairs):
        raise UnreadableError('a key stands there twice, with two values')
    return value


def _no_number(name: str) -> Any:
    raise UnreadableError(f'{name} is no JSON number')


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise UnreadableError(f'{text} is too large')
    return value


def _end_of_object(text: str, start: int) -> int:
    """Return where the object that starts here ends: at its last bracket outside of quotes and comments."""
    depth, quote, at = 0, '', start
    while at < len(text):
        mark = text[at]
        if quote:
            if mark == '\\':
                at += 1
            elif text.startswith(quote, at):
                at += len(quote) - 1
                quote = ''
        elif mark in '"\'':
            quote = mark * 3 if text.startswith(mark * 3, at) else mark
            at += len(quote) - 1
        elif mark == '#' or text.startswith('//', at):
            at = text.find('\n', at)
            if at < 0:
                break
        elif text.startswith('/*', at):
            at = text.find('*/', at + 2) + 1
            if at <= 0:
                break
        elif mark in '{[(':
            depth += 1
        elif mark in '}])':
            depth -= 1
            if depth == 0:
                return at + 1
        at += 1
    raise UnreadableError('the object does not end')


_ESCAPE: Final = re.compile(r'\\(?:["\'\\/bfnrt\n]|u[0-9a-fA-F]{4}|(?P<odd>.|\Z))', re.DOTALL)


def _relaxed(text: str) -> Any:
    if len(text) > MAX_NOTATION:
        raise UnreadableError('the object is no JSON, and too long for another notation')
    if any(match['odd'] is not None for match in _ESCAPE.finditer(text)):
        raise UnreadableError('there is an escape that JSON does not know')
    try:
        return json5.loads(text, object_pairs_hook=lambda pairs: _unique(list(pairs)), parse_constant=_no_number)
    except UnreadableError:
        raise
    except (ValueError, RecursionError):
        return _python(text)


def _python(text: str) -> Any:
    try:
        tree = ast.parse(text.strip(), mode='eval').body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise UnreadableError('the object is in no known notation') from None
    return _literal(tree, text)


def _literal(node: ast.expr, text: str) -> Any:
    if isinstance(node, ast.Dict):
        pairs = []
        for key, item in zip(node.keys, node.values, strict=True):
            if not (isinstance(key, ast.Constant) and isinstance(key.value, str)):
                raise UnreadableError('a key is no text')
            pairs.append((key.value, _literal(item, text)))
        return _unique(pairs)
    if isinstance(node, ast.List):
        return [_literal(item, text) for item in node.elts]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        number = _literal(node.operand, text)
        if isinstance(number, bool) or not isinstance(number, int | float):
            raise UnreadableError('a sign stands before what is no number')
        return -number if isinstance(node.op, ast.USub) else number
    if isinstance(node, ast.Constant) and isinstance(node.value, str | int | float | bool | None):
        written = ast.get_source_segment(text.strip(), node) or ''
        if re.match(r'0[bo_]', written, re.IGNORECASE) or (isinstance(node.value, str) and _is_joined(written)):
            raise UnreadableError('a value was not written out')
        return node.value
    raise UnreadableError('a value was not written out')


def _is_joined(written: str) -> bool:
    """Tell whether a text is made of several literals, one behind the other, or is no plain one."""
    if written[:1] not in ('"', "'") and written[:1] not in ('r', 'R'):
        return True
    body = written[1:] if written[:1] in 'rR' else written
    quote = body[:3] if body[:3] in ('"""', "'''") else body[:1]
    inner = re.sub(r'\\.', '', body[len(quote) :], flags=re.DOTALL)
    return inner.find(quote) != len(inner) - len(quote)


def _checked(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise UnreadableError('it is no object')
    _check(value, 0)
    return value


def _check(value: Any, depth: int) -> None:
    if depth > MAX_DEPTH:
        raise UnreadableError('it is too deep')
    if isinstance(value, float) and not math.isfinite(value):
        raise UnreadableError('a number is not finite')
    if isinstance(value, str) and any('\ud800' <= mark <= '\udfff' for mark in value):
        raise UnreadableError('half a surrogate pair is no character')
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        _check(item, depth + 1)
    for key in value if isinstance(value, dict) else ():
        _check(key, depth + 1)
